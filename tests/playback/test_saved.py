"""What playing changes is saved, all of it, and nothing else is taken up again."""

from __future__ import annotations

import math
import struct
from typing import Any

import numpy as np
import pytest

import gpuparticles as gp
from gpuparticles.playback.player import Player
from gpuparticles.playback.saved import Saves, UnfitError, pack, unpack

# What each class has besides SAVED: made from the effect, or in a form of its own in state(). A new
# attribute that playing changes goes into SAVED of its class; one that it does not change, here.
MADE = {
    "Clock": {"per_second", "tick"},
    "Player": {
        "listens",
        "emitter",
        "_phased",
        "_seed",
        "_bases",
        "_speed",
        "_rates",
        "_given",
        "_handed",
    },
    "Population": {
        *("row", "mortal", "horizon", "_low", "_span", "numbers", "_lingers"),
        *("_curve", "_looks_up", "timed"),
    },
    "Slots": {
        *("capacity", "live_count", "rows", "_row", "_end"),
        *("_free", "_counts", "_open", "_bins", "_order"),
    },
    "Timeline": {
        *("_times", "_sources", "_counts", "_duration", "_loop", "_delay", "density", "driver"),
        *("_profile", "_range", "_base"),
    },
    "Volley": {
        "source",
        "most_a_loop",
        "_schedule",
        "_low",
        "_choices",
        "_below",
        "_base",
        "_sure",
    },
}


def effect(**settings: Any) -> gp.Effect:
    stream = gp.Emitter(
        "stream",
        **{
            "capacity": 90,
            "rate": 70,
            "bursts": [gp.Burst(0.2, 30), gp.Burst(0.6, 5)],
            "lifetime": (0.1, 1.7),
            **settings,
        },
    )
    return gp.Effect("test", [stream], duration=0.9)


def steps(player: Player, dt: float) -> list[Any]:
    """All that the GPU would be told."""
    found: list[Any] = []
    for step in player.steps(dt, 1 / 30):
        births = step.births
        found.append((step.time, step.age, step.path_begin, step.rows, step.forget))
        if births is not None:
            records = np.frombuffer(births.records, np.uint32)
            found.append((list(births.slots), records.tolist(), births.admitted))
    return found


def saves(value: Any) -> list[Saves]:
    """Everything that is saved with a value."""
    if isinstance(value, (list, tuple)):
        return [each for item in value for each in saves(item)]
    if not isinstance(value, Saves):
        return []
    parts = [each for name in type(value).SAVED for each in saves(getattr(value, name))]
    return [value, *parts]


def test_no_attribute_is_forgotten() -> None:
    for each in saves(Player(effect(), 0, 1)):
        name = type(each).__name__
        saved = set(type(each).SAVED)
        known = saved | MADE.get(name, set())
        assert vars(each).keys() == known, f"{name}: name it in SAVED, or in MADE above"


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"lifetime": math.inf, "capacity": 500},
        {"capacity": 40_000, "rate": 30_000, "lifetime": (0.1, 3)},
        {"capacity": 0},
        {
            "rate": (10, 90),
            "bursts": [gp.Burst(0.1, (0, 9), cycles=4, interval=0.2, probability=0.6)],
            "pulse": gp.Pulse(0.4, 0.3, 0.1, 2),
            "delay": 0.3,
            "limit": 150,
        },
        {"rate": [(0, 0), (0.5, 200), (1, 10)]},
    ],
)
def test_a_player_goes_on_as_it_would_have(settings: dict[str, Any]) -> None:
    described = effect(**settings)
    played, restored = Player(described, 0, 7), Player(described, 0, 7)
    for number in range(60):
        steps(played, 0.011 + 0.0007 * number)
        if number == 31:
            if not isinstance(played.emitter.rate, gp.Range):
                played.timeline.rate = 55
            played.population.amount = 0.8
            played.emit(3)
    played.emit(4)
    restored.restore(unpack(pack(played.state())))
    for number in range(60):
        dt = 0.3 if number % 13 == 0 else 0.02
        assert steps(restored, dt) == steps(played, dt)
        assert restored.population.births == played.population.births
        assert restored.population.dropped == played.population.dropped
        assert restored.population.slots.live_count == played.population.slots.live_count
    assert restored.timeline.rate == played.timeline.rate
    played.timeline.stop()
    stopped = Player(described, 0, 7)
    stopped.restore(played.state())
    assert stopped.timeline.exhausted


TREE = {
    "whole": 2**60,
    "numbers": [0.1, -1e300, math.inf, True, None, "text"],
    "part": {"array": np.arange(6).reshape(2, 3), "none": np.empty((0, 4), np.float32)},
    "bytes": np.frombuffer(b"abc", np.uint8),
}


def test_a_tree_comes_back_as_it_was() -> None:
    found = unpack(pack(TREE))
    assert found.keys() == TREE.keys()
    assert found["whole"] == TREE["whole"]
    assert found["numbers"] == TREE["numbers"]
    for name in ("array", "none"):
        part = TREE["part"][name]
        assert found["part"][name].dtype == part.dtype
        assert np.array_equal(found["part"][name], part)
    assert found["bytes"].tobytes() == b"abc"


def test_every_damage_is_found() -> None:
    data = pack(TREE)
    for index in range(len(data)):
        damaged = bytearray(data)
        damaged[index] ^= 4
        with pytest.raises(UnfitError):
            unpack(bytes(damaged))
    for length in (0, 10, 60, len(data) - 1):
        with pytest.raises(UnfitError):
            unpack(data[:length])
    with pytest.raises(UnfitError, match="is damaged"):
        unpack(data + b"\0")


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ("text", "is not bytes"),
        (None, "is not bytes"),
        (b"", "is none"),
        (b"GIF89a" * 50, "is none"),
        (pack({})[:22] + struct.pack("I", 9) + pack({})[26:], "has version 9; version 1 is read"),
    ],
)
def test_what_is_no_snapshot_is_refused(data: Any, why: str) -> None:
    with pytest.raises(UnfitError, match=why):
        unpack(data)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("timeline", "_local"), "0"),
        (("timeline", "_local"), math.nan),
        (("timeline", "_fired"), [1]),
        (("timeline", "_fired"), [1, 2.0]),
        (("timeline", "_stopped"), 0),
        (("timeline",), None),
        (("timeline", "more"), 1),
        (("population", "numbers"), np.zeros(5, np.int64)),
        (("population", "numbers"), [1, 2]),
        (("population", "slots", "capacity"), 91),
        (("population", "slots", "taken"), np.array([3, 2])),
        (("population", "slots", "taken"), np.array([0, 90])),
        (("population", "slots", "taken"), np.array([-1, 2])),
        (("population", "slots", "expiry"), np.array([1.0, 2.0])),
        (("population", "slots", "expiry"), np.array([-1, 2])),
        (("population", "slots", "expiry"), np.array([1, 2, 3])),
    ],
)
def test_a_state_of_another_kind_is_refused(path: tuple[str, ...], value: Any) -> None:
    player = Player(effect(), 0, 1)
    state = player.state()
    state["population"]["slots"] |= {"taken": np.array([0, 5]), "expiry": np.array([9, 9])}
    state["population"]["numbers"] = np.zeros(64 if player.population.row == 64 else 32, np.int64)
    Player(effect(), 0, 1).restore(state)
    *way, last = path
    part = state
    for name in way:
        part = part[name]
    part[last] = value
    with pytest.raises(UnfitError):
        Player(effect(), 0, 1).restore(state)
