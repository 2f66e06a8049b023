"""Births by hand of which a host gives places, velocities, colours and sizes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gpuparticles as gp
from gpuparticles.playback.reference import Reference
from tests.gpu.conftest import assert_same_particles

System = Callable[..., gp.ParticleSystem]
One = Callable[..., gp.Effect]

LIVELY: dict[str, Any] = {
    "rate": 90.0,
    "lifetime": (0.3, 1.5),
    "capacity": 300,
    "shape": gp.Sphere(0.5),
    "speed": (1, 3),
    "spread": 40,
    "size": (0.1, 0.5),
    "width": (0.5, 1),
    "color": [(0, "#ff0000"), (1, "#00ff0080")],
    "rotation": (0, 360),
    "angular_velocity": (-90, 90),
    "modifiers": [gp.Acceleration((0, -9.8, 0)), gp.Drag(0.4)],
    "loop": True,
}


def turned(angle: float, place: tuple[float, float, float], scale: float = 1.0) -> Any:
    matrix = np.eye(4)
    c, s = scale * math.cos(angle), scale * math.sin(angle)
    matrix[:3, :3] = [[c, -s, 0], [s, c, 0], [0, 0, scale]]
    matrix[:3, 3] = place
    return matrix


@pytest.mark.parametrize("space", ["world", "local"])
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"speed": [(0, 1), (1, 5)], "duration": 0.7},  # two texels a birth as it is
        {"shape": gp.Circle(1, arc_mode="loop"), "capacity": 5000},
        {"trail": gp.Trail(0.3)},
        {"radial_speed": 2.0, "lifetime": math.inf, "direction": "outward"},
    ],
)
def test_what_is_given_is_the_references(
    system: System, one: One, space: str, settings: dict[str, Any]
) -> None:
    """All of it and parts, few and many, in steps of every length, while the emitter flies."""
    particles = system()
    effect = one(**{**LIVELY, "space": space, **settings})
    instance = particles.play(effect, seed=4)
    reference = Reference(effect, seed=4)
    rng = np.random.default_rng(8)
    for step in range(40):
        transform = turned(0.1 * step, (0.2 * step, 3.0, -0.1 * step), 2.0)
        instance.transform = reference.transform = transform
        count = int(rng.choice([0, 1, 3, 40]))
        given: dict[str, Any] = {
            "positions": rng.uniform(-5, 5, (count, 3)),
            "velocities": rng.uniform(-2, 2, (count, 2)),
            "colors": rng.uniform(0, 1, (count, 4)).astype("f4"),
            "sizes": rng.uniform(0, 2, count),
        }
        some = {name: values for name, values in given.items() if rng.random() < 0.6}
        for each in (instance["it"].emit, lambda *a, **k: reference.emit("it", *a, **k)):
            each(count, **some)
            if step % 7 == 0:
                each(2)
                each(positions=(1, 2, 3), colors="#8040ff")
        dt = float(rng.choice([0.005, 0.02, 0.09]))
        particles.update(dt)
        reference.update(dt)
    assert instance.births == reference.players[0].population.births > 300
    assert_same_particles(instance["it"].read(), reference.read("it"))


@pytest.mark.parametrize("space", ["world", "local"])
def test_particles_begin_where_they_are_given_to(system: System, one: One, space: str) -> None:
    """A million units away to the 1/64 that float32 has from the anchor, however it is turned."""
    particles = system()
    place = (1e6, 2e6, -3e6)
    instance = particles.play(one(space=space), transform=turned(0.7, place, 3.0))
    offsets = np.array([[1.25, 0.5, -3], [0, 100.125, 7], [0.375, 0, 0]])
    velocities = np.array([[1, 2, 3], [-4, 0, 0.5], [0, 0, 0]])
    colors = [(1, 0.5, 0.25), "#0f08", (3, 2, 1, 0.5)]
    instance["it"].emit(
        positions=offsets + place, velocities=velocities, colors=colors, sizes=[1, 2, 0.5]
    )
    particles.update(1e-7)
    found = instance["it"].read()
    assert found["position"] - place == pytest.approx(offsets, abs=1e-4)
    assert found["velocity"] == pytest.approx(velocities, abs=1e-5)
    assert found["size"].tolist() == [1, 2, 0.5]
    expected = [(1, 0.5, 0.25, 1), (0, 1, 0, 0x88 / 255), (3, 2, 1, 0.5)]
    assert found["color"] == pytest.approx(np.array(expected), abs=1e-3)
    assert found["number"].tolist() == [0, 1, 2]


def test_others_are_as_they_were(system: System, one: One) -> None:
    """To the bit; and what is not given is what it would have been."""
    effect = one(**{**LIVELY, "lifetime": (0.5, 1.5)})

    def run(*calls: dict[str, Any]) -> np.ndarray[Any, Any]:
        particles = system()
        instance = particles.play(effect, seed=5)
        for step in range(40):
            if step == 20:
                for call in calls:
                    instance["it"].emit(**call)
            particles.update(1 / 60)
        return instance["it"].read()

    def without(records: Any, name: str) -> list[bytes]:
        names = [n for n in records.dtype.names if n not in (name, "number")]
        return [b"".join(record[n].tobytes() for n in names) for record in records]

    plain, emitted = run(), run({"count": 30})
    given = run({"count": 10}, {"count": 20, "sizes": 7.0})
    assert set(without(plain, "size")) <= set(without(given, "size"))
    assert len(given) == len(emitted) > len(plain)
    kept = ["age", "position", "velocity", "color", "rotation", "lifetime", "number"]
    for name in kept:
        assert np.array_equal(given[name], emitted[name])
    assert (given["height"] != emitted["height"]).sum() == 20 == (given["height"] == 7.0).sum()


def test_the_program_is_there_before_the_frame_if_asked_for(system: System, one: One) -> None:
    particles, effect = system(), one(**LIVELY)
    particles.warm_up(effect)
    programs = particles.stats.programs
    instance = particles.play(effect)
    instance["it"].emit(3)
    particles.update(0.1)
    assert particles.stats.programs == programs, "who gives nothing pays nothing"
    particles.warm_up(effect, emit=True)
    assert particles.stats.programs == programs + 1
    instance["it"].emit(positions=(0, 0, 0))
    particles.update(0.1)
    assert particles.stats.programs == programs + 1
    assert instance["it"].births == 3 + 18 + 1


def test_what_waits_is_saved_shifted_and_taken_to_where_it_begins(system: System) -> None:
    effect = gp.Effect(
        "waiting", [gp.Emitter("it", rate=20, lifetime=9, speed=1)], prewarm=1.0, loop=True
    )
    particles, other = system(), system()
    played = particles.play(effect, seed=1)
    played["it"].emit(2)
    played["it"].emit(positions=[(7, 1, 0), (8, 2, 0)], velocities=(0, 0, 0))
    played.transform = (5, 0, 0)  # it has prewarmed elsewhere
    data = played.snapshot()
    particles.shift_origin((100, 0, 0))
    restored = other.play(effect, seed=3)
    other.shift_origin((100, 0, 0))
    restored.restore(data)
    for each, instance in ((particles, played), (other, restored)):
        each.update(1e-6)
        found = instance["it"].read()
        waited = found[found["number"] >= 20]
        expected = [[105, 0, 0]] * 2 + [[107, 1, 0], [108, 2, 0]]
        assert waited["position"] == pytest.approx(np.array(expected), abs=1e-5)
    assert np.array_equal(restored["it"].read(), played["it"].read())
    assert restored.snapshot() == played.snapshot()
    played["it"].emit(positions=(0, 0, 0))
    played.reset()
    particles.update(0.01)
    assert played.births == 20, "what was emitted is forgotten"


def test_in_a_hitch_they_live_as_if_stepped(system: System, one: One) -> None:
    particles = system()
    for lifetime, alive in ((math.inf, 3), (30.0, 3), (2.0, 0)):
        instance = particles.play(one(lifetime=lifetime, speed=0.0))
        instance["it"].emit(positions=[(0, 1, 0), (0, 2, 0), (0, 3, 0)], velocities=(0, 0, 0))
        particles.update(25.0)
        assert instance["it"].read()["position"][:, 1].tolist() == [1, 2, 3][:alive]


def test_amount_limit_and_capacity_hold(system: System, one: One) -> None:
    particles = system()
    instance = particles.play(one(capacity=50, limit=70))
    at = np.arange(300.0).reshape(100, 3)
    instance["it"].amount = 0.5
    instance["it"].emit(positions=at[:40], velocities=(0, 0, 0))
    particles.update(0.01)
    found = instance["it"].read()
    assert 8 < len(found) < 32
    assert np.array_equal(found["position"], at[found["number"]])
    instance["it"].amount = 1.0
    instance["it"].emit(positions=at, velocities=(0, 0, 0))
    particles.update(0.01)
    assert instance.births == 70
    instance = particles.play(one(capacity=20))
    instance["it"].emit(positions=at, velocities=(0, 0, 0))
    particles.update(0.01)
    assert np.array_equal(instance["it"].read()["position"], at[:20])
    assert instance.dropped == 80


WRONG: list[tuple[dict[str, Any], str]] = [
    ({}, "give a count, or positions, velocities, colors or sizes"),
    ({"count": 2.0, "sizes": 1}, "2 is not a whole number from 0 to 16777216"),
    ({"count": 2, "positions": [(0, 0, 0)] * 3}, "positions: 3 are given, and the count say"),
    ({"positions": [(0, 0)] * 3, "sizes": [1, 2]}, "sizes: 2 are given, and the positions say 3"),
    ({"positions": [(0, 0, math.nan)]}, "positions: NaN is among them; from -1e[+]30 to 1e[+]30"),
    ({"positions": [1, 2, 3, 4]}, "positions: .1, 2, 3, 4. are not rows of two or three numbers"),
    ({"positions": "here"}, 'positions: "here" are not rows'),
    ({"velocities": [(1, 2), (3, 4, 5)]}, "velocities: .* are not rows"),
    ({"velocities": (math.inf, 0, 0)}, "velocities: inf is among them"),
    ({"colors": "blue"}, "colors: "),
    ({"colors": ["#fff", "blue"]}, r"colors\[1\]: "),
    ({"colors": [(1, 1, 1, 2)]}, "colors: an alpha of 2 is among them"),
    ({"colors": [(1, -1, 1)]}, "colors: -1 is among them; from 0 to"),
    ({"sizes": [-1.0]}, "sizes: -1 is among them; from 0 to"),
    ({"sizes": [[1.0]]}, "sizes: .* are not a list of numbers, nor one for all"),
    ({"sizes": [10**400]}, "sizes: "),
    ({"count": 2**24}, "more than 16777216 births would wait"),
]


@pytest.mark.parametrize(("given", "words"), WRONG, ids=range(len(WRONG)))
def test_what_makes_no_sense_is_refused_in_a_sentence(
    system: System, one: One, given: dict[str, Any], words: str
) -> None:
    instance = system().play(one())
    instance["it"].emit(1)
    before = instance.snapshot()
    with pytest.raises(gp.EffectError, match=f"^it: emit: {words}") as refused:
        instance["it"].emit(**given)
    assert len(str(refused.value)) < 200
    assert instance.snapshot() == before
