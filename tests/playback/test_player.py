"""Player: Timeline and Population as Steps; hitches against the same time in small steps."""

from __future__ import annotations

import itertools
import math
import random
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import gpuparticles as gp
from gpuparticles.playback.player import Player, Step, split
from gpuparticles.playback.reference import Reference

RECORD = np.dtype([("number", "u4"), ("moment", "f4"), ("lifetime", "f4"), ("seed", "u4")])


def effect(*, duration: float = 1.0, loop: bool = True, **settings: Any) -> gp.Effect:
    """An effect of one emitter, "it"; particles fly along +X at 1 unit/s."""
    settings = {"rate": 0.0, "speed": 0.0, "velocity": (1, 0, 0), **settings}
    return gp.Effect("test", [gp.Emitter("it", **settings)], duration=duration, loop=loop)


def records(step: Step) -> NDArray[Any]:
    births = step.births
    return np.frombuffer(b"" if births is None else bytes(births.records), RECORD)


def play(player: Player, steps: list[float], max_step: float = 1 / 30) -> list[NDArray[Any]]:
    """The birth records of all steps."""
    return [records(step) for dt in steps for step in player.steps(dt, max_step)]


@pytest.mark.parametrize(
    ("dt", "count"),
    [
        (1e-9, 1),
        (1 / 60, 1),
        (1 / 30, 1),
        (1.04 / 30, 1),
        (1.06 / 30, 2),
        (0.1, 3),
        (1.0, 30),
        (100.0, 3000),
    ],
)
def test_a_long_step_is_split_into_equal_ones(dt: float, count: int) -> None:
    assert split(dt, 1 / 30) == count
    player = Player(effect(rate=1.0, lifetime=math.inf), 0, 0)
    player.emit(1)
    steps = list(player.steps(dt, 1 / 30))
    assert [step.time for step in steps] == [dt / count] * min(count, len(steps))


def test_births_are_the_floor_of_the_integral_over_200_000_random_steps() -> None:
    rng = random.Random(7.3)
    player = Player(effect(rate=7.3, lifetime=0.1), 0, 0)
    time = 0.0
    for _ in range(200_000):
        dt = rng.uniform(0.001, 0.05)
        time += dt
        for _ in player.steps(dt, 1.0):
            pass
        # Nothing but the sum of the steps is uncertain, and only where it is a boundary.
        assert abs(player.population.births - 7.3 * time + 0.5) <= 0.5 + 1e-6
    assert player.population.births > 30_000


@pytest.mark.parametrize("steps", [[1e3], [10.0] * 100, [0.5] * 2000, [1 / 30] * 30_000])
def test_births_are_the_same_however_the_span_is_cut(steps: list[float]) -> None:
    player = Player(effect(rate=7.3, lifetime=1.0), 0, 0)
    for dt in steps:
        for _ in player.steps(dt, 1 / 30):
            pass
    assert abs(player.population.births - 7300) <= 1


def test_a_rate_of_half_a_birth_a_second_brings_one_in_two_seconds() -> None:
    player = Player(effect(rate=0.5, lifetime=1.0), 0, 0)
    births = []
    for _ in range(600):
        for _ in player.steps(1 / 60, 1 / 30):
            pass
        births.append(player.population.births)
    # After 2, 4, 6, 8 and 10 s.
    assert [births.index(count) for count in range(1, 6)] == [119, 239, 359, 479, 599]


def test_births_lie_at_their_moments() -> None:
    (step,) = Player(effect(rate=100.0, lifetime=1.0), 0, 0).steps(0.1, 1.0)
    assert records(step)["moment"] == pytest.approx(np.arange(1, 11) / 100, abs=1e-7)


def test_births_of_a_step_are_ordered_by_moment_then_source() -> None:
    described = effect(
        duration=10.0,
        rate=10.0,  # at 0.1, 0.2, ...
        bursts=[gp.Burst(0.25, 2), gp.Burst(0.2, 1), gp.Burst(0.25, 1), gp.Burst(0.0, 1)],
        lifetime=math.inf,
    )
    player = Player(described, 0, 0)
    player.emit(2)
    (step,) = player.steps(0.35, 1.0)
    found = records(step)
    assert found["moment"] == pytest.approx([0, 0, 0, 0.1, 0.2, 0.2, 0.25, 0.25, 0.25, 0.3])
    assert found["number"].tolist() == list(range(10))
    # At 0 the burst comes before the manual births; at 0.2 the burst before the rate.
    by_source = {}
    for name, source in {
        "burst": {"bursts": [gp.Burst(1, 0)] * 3 + [gp.Burst(0.0, 1)]},
        "early": {"bursts": [gp.Burst(1, 0), gp.Burst(0.2, 1)]},
        "rate": {"rate": 10.0},
    }.items():
        alone = Player(effect(duration=10.0, lifetime=math.inf, **source), 0, 0)
        by_source[name] = np.concatenate(play(alone, [0.35], 1.0))["seed"].tolist()
    assert found["seed"][0] == by_source["burst"][0]
    assert found["seed"][4] == by_source["early"][0]
    assert found["seed"][[3, 5, 9]].tolist() == by_source["rate"]


@pytest.mark.parametrize("rate", [50.0, 5000.0])
def test_a_particle_is_the_same_at_any_frame_rate_and_capacity(rate: float) -> None:
    """#k of the rate has the same seed and lifetime; so has each birth of a burst."""
    settings = {"rate": rate, "lifetime": (0.5, 2.0), "bursts": [gp.Burst(0.013, 40)]}
    runs = []
    for fps, capacity in ((30, 100_000), (60, 100_000), (144, 100_000), (60, 100_000_0)):
        player = Player(effect(duration=7.0, capacity=capacity, **settings), 0, 5)
        births = np.concatenate(play(player, [1 / fps] * fps))
        runs.append({(r["seed"], r["lifetime"]) for r in births})
    assert all(run == runs[0] for run in runs)
    assert len(runs[0]) == int(rate) + 40


def test_manual_births_and_bursts_change_no_other_particle() -> None:
    settings = {"rate": 100.0, "lifetime": (0.5, 2.0), "capacity": 5000}
    plain = Player(effect(**settings), 0, 5)
    alone = {tuple(r)[2:] for r in np.concatenate(play(plain, [0.1] * 8))}
    crowd = Player(effect(bursts=[gp.Burst(0.0, 7), gp.Burst(0.5, 30)], **settings), 0, 5)
    crowd.emit(9)
    among = {tuple(r)[2:] for r in np.concatenate(play(crowd, [0.1] * 8))}
    assert len(alone) == 80
    assert len(among) == 80 + 46
    assert alone < among


def test_seeds_depend_on_the_instance_and_the_emitter() -> None:
    emitters = [gp.Emitter(name, rate=100.0) for name in ("a", "b")]
    both = gp.Effect("test", emitters)
    seeds = [
        {*np.concatenate(play(Player(both, index, seed), [1.0]))["seed"].tolist()}
        for index, seed in ((0, 1), (0, 2), (1, 1))
    ]
    assert len(set.union(*seeds)) == 300


HITCHES = {
    "a rate": {"rate": 30.0, "lifetime": (0.5, 2.0)},
    "a fast rate": {"rate": 300.0, "lifetime": (0.01, 0.3)},
    "looping bursts": {
        "bursts": [gp.Burst(0.0101, 20), gp.Burst(0.71, 5)],
        "lifetime": (0.3, 2.5),
    },
    "both": {"rate": 33.3, "bursts": [gp.Burst(0.2107, 20)], "lifetime": (0.3, 2.5)},
    "a full emitter": {"rate": 100.0, "lifetime": (0.5, 1.5), "capacity": 20},
    "a full emitter of one life": {"rate": 100.0, "lifetime": 1.01, "capacity": 7},
    "a full emitter with bursts": {
        "rate": 40.0,
        "bursts": [gp.Burst(0.2107, 30)],
        "lifetime": (0.3, 2.5),
        "capacity": 33,
    },
    "no room at all": {"rate": 100.0, "capacity": 0},
    "lives of nothing": {"rate": 100.0, "lifetime": 0.0},
    "lives longer than the hitch": {"rate": 10.0, "lifetime": (150.0, 300.0), "capacity": 700},
    "immortals": {"rate": 10.0, "lifetime": math.inf, "capacity": 5000},
    "full immortals": {
        "rate": 30.0,
        "bursts": [gp.Burst(0.2107, 20)],
        "lifetime": math.inf,
        "capacity": 501,
    },
    "a single shot": {
        "rate": 30.0,
        "bursts": [gp.Burst(2.5, 7)],
        "lifetime": (0.5, 40.0),
        "loop": False,
        "duration": 70.0,
    },
}


@pytest.mark.parametrize("before", [0, 40])
@pytest.mark.parametrize("name", HITCHES)
def test_after_a_hitch_lives_who_lives_after_small_steps(
    living: Callable[[Player], Any], name: str, before: int
) -> None:
    players = [Player(effect(**HITCHES[name]), 0, 3) for _ in range(2)]
    hitched, stepped = both = [living(player) for player in players]
    for one in both:
        for _ in range(before):
            one.update(1 / 30)
    players[0].emit(3)
    players[1].emit(3)
    hitched.update(100.0)
    for _ in range(3000):
        stepped.update(1 / 30)
    for _ in range(10):
        assert hitched.numbers == stepped.numbers
        assert hitched.seeds == stepped.seeds
        assert hitched.numbers or "no" in name
        for figure in ("births", "dropped"):
            assert len({getattr(player.population, figure) for player in players}) == 1
        assert players[0].population.slots.live_count == len(hitched.numbers)
        # And what follows is the same too.
        hitched.update(0.21)
        stepped.update(0.21)


@pytest.mark.parametrize("dt", [3.0, 100.0, 5000.0])
def test_nothing_floods_after_a_hitch(dt: float) -> None:
    """At 50 births/s and lives of 2 s there are 100, of evenly spread ages."""
    hitched = Reference(effect(rate=50.0, lifetime=2.0, duration=1.7))
    hitched.update(dt)
    found = hitched.read("it")
    assert len(found) == hitched.live_count == 100
    assert np.sort(found["age"]) == pytest.approx(np.arange(100) / 50, abs=3e-5)
    assert found["position"][:, 0] == pytest.approx(found["age"], abs=1e-4)
    assert found["number"].tolist() == list(range(int(50 * dt) - 100, int(50 * dt)))


@pytest.mark.parametrize(
    ("name", "most"), [("both", 200), ("a full emitter", 4000), ("full immortals", 1000)]
)
def test_however_long_a_hitch_is_it_has_an_end(name: str, most: int) -> None:
    """Who is dead at its end needs no stepping, unless an emitter may have been full."""
    player = Player(effect(**HITCHES[name]), 0, 3)
    calls = 0
    advance = player.timeline.advance

    def counted(*given: float) -> Any:
        nonlocal calls
        calls += 1
        return advance(*given)

    player.timeline.advance = counted
    for _ in player.steps(1e9, 1 / 30):
        pass
    assert calls < most
    assert player.population.slots.live_count


def test_what_was_emitted_before_a_long_hitch_is_dead_at_its_end() -> None:
    player = Player(effect(rate=100.0, lifetime=200.0, capacity=30), 0, 3)
    for _ in player.steps(1.0, 1 / 30):
        pass
    player.emit(5)
    for _ in player.steps(5000.0, 1 / 30):
        pass
    assert player.population.births == 5000 * 100 + 100 + 5
    assert player._manual_births == 5


def test_the_steps_of_a_hitch_bring_no_more_births_than_others() -> None:
    """Only the end of it is stepped through, and each of its steps has its own births."""
    player = Player(effect(rate=90.0, lifetime=1.0), 0, 0)
    steps = list(player.steps(1000.0, 1 / 30))
    assert len(steps) <= 33
    assert {len(records(step)) for step in steps} <= {2, 3, 4}


def test_immortals_get_ten_seconds_of_motion_and_their_true_age() -> None:
    described = effect(rate=0.5, lifetime=math.inf)
    hitched, stepped = Reference(described, seed=4), Reference(described, seed=4)
    hitched.update(100.0)
    for _ in range(3000):
        stepped.update(1 / 30)
    a, b = hitched.read("it"), stepped.read("it")
    assert a["number"].tolist() == b["number"].tolist() == list(range(50))
    assert a["age"] == pytest.approx(b["age"], abs=0.02)
    assert a["position"][:, 0] == pytest.approx(np.minimum(b["position"][:, 0], 10.0), abs=0.07)


def test_immortals_born_in_a_hitch_lie_on_the_emitters_path() -> None:
    described = effect(rate=1.0, velocity=(0, 0, 0), lifetime=math.inf)
    hitched = Reference(described)
    hitched.update(0.001)
    hitched.transform = (100, 0, 0)
    hitched.update(100.0)
    assert hitched.read("it")["position"][:, 0] == pytest.approx(np.arange(1, 101), abs=0.01)


def test_a_hitch_builds_no_more_births_of_immortals_than_find_room() -> None:
    """Eight hours of a burst a hundredth of a second are 288 million births."""
    described = effect(
        duration=0.01, bursts=[gp.Burst(0.0, 100)], lifetime=math.inf, capacity=100_000
    )
    player = Player(described, 0, 0)
    play(player, [1 / 60])
    tracemalloc.start()
    (born,) = {len(r) for r in play(player, [8 * 3600.0])} - {0}
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 64e6
    assert born == 100_000 - 200
    assert player.population.births == pytest.approx(288_000_000, abs=400)
    assert player.population.dropped == player.population.births - 100_000


def test_a_hitch_of_immortals_that_have_been_stopped_takes_no_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    player = Player(effect(rate=1e8, lifetime=math.inf, capacity=9), 0, 0)
    player.timeline.stop()
    calls = itertools.count()
    advance = player.timeline.advance
    monkeypatch.setattr(player.timeline, "advance", lambda *dt: (next(calls), advance(*dt))[1])
    play(player, [100.0])
    assert next(calls) <= 302


def test_nobody_returns_who_died_in_a_hitch_without_steps() -> None:
    """Neither at once, nor when later births bring their rows back into use."""
    reference = Reference(effect(rate=40.0, lifetime=1.0, duration=0.5, loop=False))
    reference.update(0.4)
    assert len(reference.read("it")) == 16
    reference.update(60.0)
    assert len(reference.read("it")) == reference.live_count == 0
    reference.players[0].emit(1)
    reference.update(0.01)
    assert reference.read("it")["number"].tolist() == [20]


@settings(max_examples=30)
@given(
    st.floats(0.0, 200.0),
    st.lists(st.tuples(st.floats(0, 0.99), st.integers(0, 50)), max_size=3),
    st.sampled_from([0.05, 1.0, (0.0, 0.2), (0.1, 3.0), (3.0, 9.0), math.inf]),
    st.sampled_from([0, 1, 7, 100, 1000]),
    st.booleans(),
    st.lists(st.floats(1e-4, 4.0), max_size=30),
)
def test_live_count_is_the_number_of_the_living(
    rate: float,
    bursts: list[tuple[float, int]],
    lifetime: Any,
    capacity: int,
    loop: bool,
    steps: list[float],
) -> None:
    reference = Reference(
        effect(
            rate=rate,
            bursts=[gp.Burst(time, count) for time, count in bursts],
            lifetime=lifetime,
            capacity=capacity,
            loop=loop,
        )
    )
    for dt in steps:
        reference.update(dt)
        assert len(reference.read("it")) == reference.live_count <= capacity


def test_reset_equals_a_fresh_run() -> None:
    described = effect(rate=77.0, bursts=[gp.Burst(0.3, 40)], lifetime=(0.2, 3.0), capacity=99)
    fresh, used = Player(described, 0, 9), Player(described, 0, 9)
    play(used, [0.013] * 400)
    used.emit(5)
    used.reset()
    steps = random.Random(2).choices([0.01, 0.02, 0.5], k=200)
    for a, b in zip(play(fresh, steps), play(used, steps), strict=True):
        assert a.tobytes() == b.tobytes()


def test_start_leaves_the_living_and_brings_new_particles() -> None:
    player = Player(effect(bursts=[gp.Burst(0.0, 10)], loop=False, lifetime=10.0), 0, 0)
    (first,) = play(player, [0.1], 1.0)
    assert not play(player, [2.0], 10.0)[0].size
    player.timeline.start()
    (second,) = play(player, [0.1], 1.0)
    assert player.population.slots.live_count == 20
    assert second["number"].tolist() == list(range(10, 20))
    assert not {*first["seed"].tolist()} & {*second["seed"].tolist()}


def test_it_is_over_after_the_last_birth_and_the_last_death() -> None:
    player = Player(
        effect(bursts=[gp.Burst(1.55, 3)], rate=2.0, loop=False, lifetime=0.5, duration=1.0), 0, 0
    )
    over = []
    for _ in range(25):
        over.append(player.over)
        play(player, [0.1])
    # The rate ends at 1.0 with a birth that dies at 1.5; nothing lives until the burst.
    assert over == [False] * 21 + [True] * 4


def test_what_was_asked_for_by_hand_is_still_to_come() -> None:
    player = Player(effect(rate=1.0), 0, 0)
    player.timeline.stop()
    assert player.over
    player.emit(1)
    assert not player.over
    play(player, [0.1])
    assert not player.over
    play(player, [0.95])
    assert player.over


def test_a_change_of_rate_keeps_what_has_accumulated() -> None:
    player = Player(effect(rate=1.0, lifetime=math.inf, duration=100.0), 0, 0)
    play(player, [0.9])
    player.timeline.rate = 10.0
    (step,) = player.steps(0.1, 1.0)
    assert records(step)["moment"] == pytest.approx([0.01])
    player.timeline.rate = 0.0
    play(player, [50.0])
    assert player.population.births == 1
