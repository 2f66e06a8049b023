"""Emission on the GPU: capacities and amounts that change, ways, bursts that are not foreseen."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import gpuparticles as gp
from gpuparticles.playback.reference import Reference
from gpuparticles.system.effects import EffectInstance
from tests.gpu.conftest import assert_same_particles

System = Callable[..., gp.ParticleSystem]
One = Callable[..., gp.Effect]

FOUNTAIN = {
    "rate": [(0, 50), (0.5, 700), (1, 100)],
    "bursts": [gp.Burst(0.2, (10, 60), cycles=3, interval=0.3, probability=0.7)],
    "pulse": gp.Pulse(0.5, 0.3, 0.1, 20),
    "delay": 0.1,
    "rate_over_distance": 10.0,
    "lifetime": (0.1, 1.5),
    "capacity": 600,
    "shape": gp.Sphere(0.3),
    "speed": (1, 3),
    "spread": 40,
    "size": (0.1, 0.5),
    "angular_velocity": (-90, 90),
    "modifiers": [gp.Acceleration((0, -9.8, 0))],
    "duration": 1.5,
    "loop": True,
}


def at(x: float, y: float, z: float) -> NDArray[np.float64]:
    matrix = np.eye(4)
    matrix[:3, 3] = x, y, z
    return matrix


def test_capacities_amounts_and_ways_are_those_of_the_reference(system: System, one: One) -> None:
    """Larger, smaller, within a row and beyond, to nothing and back, while the emitter flies."""
    particles = system()
    effect = one(**FOUNTAIN)
    instance = particles.play(effect, seed=4)
    reference = Reference(effect, seed=4)
    capacities = {
        20: 700,
        40: 90,
        60: 33,
        70: 5000,
        90: 1100,
        100: 0,
        105: 400,
        120: 40_000,
        130: 7,
    }
    amounts = {15: 0.5, 50: 1.0, 110: 0.8}
    rng = np.random.default_rng(1)
    for frame in range(140):
        if frame in capacities:
            capacity = capacities[frame]
            before = instance["it"].read()
            instance["it"].capacity = capacity
            reference.set_capacity("it", capacity)
            after = instance["it"].read()
            assert instance["it"].capacity == capacity
            assert instance["it"].live_count == min(len(before), capacity)
            youngest = before[max(len(before) - capacity, 0) :]
            assert np.array_equal(after, youngest)
        if frame in amounts:
            instance.amount = amounts[frame]
            instance["it"].amount = amounts[frame] / 2
            reference.players[0].population.amount = amounts[frame] ** 2 / 2
        instance.transform = reference.transform = at(0.05 * frame, math.sin(frame), 0)
        dt = rng.uniform(0.005, 0.06)
        particles.update(dt)
        reference.update(dt)
        assert_same_particles(instance["it"].read(), reference.read("it"))
    assert instance.births > 2000


def test_a_snapshot_holds_amounts_and_needs_the_capacity(system: System, one: One) -> None:
    effect = one(**FOUNTAIN)
    particles = system()
    first, second = (particles.play(effect, seed=seed) for seed in (1, 2))
    first.amount = first["it"].amount = 0.7
    for instance in (first, second):
        instance["it"].capacity = 200
    for _ in range(20):
        particles.update(0.05)
    saved = first.snapshot()
    second.restore(saved)
    assert (second.amount, second["it"].amount) == (0.7, 0.7)
    for _ in range(20):
        particles.update(0.05)
        assert np.array_equal(first["it"].read(), second["it"].read())
    assert first.dropped == second.dropped > 0
    second["it"].capacity = 300
    with pytest.raises(gp.EffectError, match=r"has a capacity of 200 for 'it', not 300"):
        second.restore(saved)


def test_a_capacity_changes_between_two_frames(system: System) -> None:
    emitter = gp.Emitter("it", rate=300, lifetime=(0.3, 2.0), capacity=500, speed=(1, 2))
    effect = gp.Effect("test", [emitter], fixed_fps=10)
    particles, other = system(), system()
    changed, never = (each.play(effect, seed=3) for each in (particles, other))
    for frame in range(30):
        for each in (particles, other):
            each.update(0.04)
        if frame in (10, 20):
            changed["it"].capacity = {10: 2000, 20: 5000}[frame]
        if never["it"].births < 400:
            assert np.array_equal(changed["it"].read(), never["it"].read())


@pytest.mark.parametrize("capacity", [-1, 1.5, True, "many", None])
def test_a_capacity_that_makes_no_sense_changes_nothing(
    system: System, one: One, capacity: Any
) -> None:
    particles = system()
    instance = particles.play(one(bursts=[gp.Burst(0, 5)]))
    particles.update(0.1)
    with pytest.raises(gp.EffectError, match=r"^it: capacity: .* is not a whole number, 0 or more"):
        instance["it"].capacity = capacity
    with pytest.raises(gp.ContextError, match=r"^test: it: capacity: 4294967296 particles do not"):
        instance["it"].capacity = 2**32
    assert (instance["it"].capacity, instance.live_count) == (1000, 5)
    instance.release()
    with pytest.raises(gp.ContextError, match="released"):
        instance["it"].capacity = 3


@pytest.mark.parametrize("amount", [-0.1, 1.1, math.nan, True, "half", None])
def test_an_amount_is_from_0_to_1(system: System, one: One, amount: Any) -> None:
    instance = system().play(one())
    with pytest.raises(gp.EffectError, match=r"^amount: .* is not a number from 0 to 1$"):
        instance.amount = amount
    with pytest.raises(gp.EffectError, match=r"^it: amount: .* is not a number from 0 to 1$"):
        instance["it"].amount = amount
    assert instance.amount == instance["it"].amount == 1.0


def test_amounts_stay_when_it_is_reset(system: System, one: One) -> None:
    particles = system()
    instance = particles.play(one(bursts=[gp.Burst(0, 1000)]), seed=1)
    instance.amount = 0.5
    particles.update(0.1)
    half = instance["it"].read()["number"]
    assert 400 < len(half) < 600
    instance.reset()
    particles.update(0.1)
    assert np.array_equal(instance["it"].read()["number"], half)
    instance.amount = 1
    instance.reset()
    particles.update(0.1)
    assert instance.live_count == 1000


@pytest.mark.parametrize("space", ["world", "local"])
def test_the_way_leaves_particles_at_equal_distances(system: System, one: One, space: str) -> None:
    particles = system()
    effect = one(
        rate_over_distance=4.0, space=space, speed=0.0, lifetime=math.inf, loop=True,
        offset=gp.Offset(position=(0, 1, 0)),
    )  # fmt: skip
    instance = particles.play(effect)
    particles.update(0.05)
    for x in (0.1, 0.9, 3.3, 3.3, 2.3):  # and back
        instance.transform = at(x, 0, 0)
        particles.update(0.1)
    found = instance["it"].read()["position"]
    assert len(found) == 17
    if space == "world":
        expected = [*(k / 4 for k in range(1, 14)), 3.1, 2.85, 2.6, 2.35]
        assert found[:, 0] == pytest.approx(expected, abs=1e-5)
        assert found[:, 1] == pytest.approx(1)
    instance.teleport(at(100, 0, 0))
    particles.update(0.1)
    assert instance.births == 17
    instance.transform = at(100.25, 0, 0)
    particles.update(0.1)
    assert instance.births == 18


@pytest.mark.parametrize("wrong", ["fast", -1.0, math.nan, None, ZeroDivisionError()])
def test_a_function_that_gives_no_rate_in_the_middle_of_an_update_changes_nothing(
    system: System, one: One, wrong: object
) -> None:
    particles, straight = system(), system()
    asked: list[float] = []
    answers: list[Any] = [100.0]

    def rate(time: float) -> Any:
        asked.append(time)
        if isinstance(answers[0], Exception) and len(asked) == 2:
            raise answers[0]
        return answers[0] if len(asked) == 2 else 100.0

    played = []
    for each in (particles, straight):
        first, second = (each.play(one(**FOUNTAIN), seed=seed) for seed in (1, 2))
        second.follow(lambda: (0.1, 0, 0))
        played += [first, second]
    played[1]["it"].rate = rate
    played[3]["it"].rate = 100.0
    for frame in range(20):
        if frame in (0, 12):
            asked.clear()
            answers[0] = wrong
            before = [each.snapshot() for each in played]
            error = ZeroDivisionError if isinstance(wrong, Exception) else gp.EffectError
            words = None if isinstance(wrong, Exception) else r"^it: rate: .* given by rate; from 0"
            with pytest.raises(error, match=words):
                particles.update(0.1)
            assert len(asked) == 2
            assert [each.snapshot() for each in played] == before
            asked.clear()
            with pytest.raises(error):
                played[1].seek(0.5)
            assert [each.snapshot() for each in played] == before
            answers[0] = 100.0
        for each in (particles, straight):
            each.update(0.05)
    assert np.array_equal(played[1]["it"].read(), played[3]["it"].read())
    assert played[1]["it"].rate == 100.0


@pytest.mark.parametrize("given", [{}, {"prewarm": 1.0}, {"fixed_fps": 20.0, "prewarm": 1.0}])
def test_a_function_is_asked_once_for_each_step_wherever_the_effect_is_taken(
    system: System, given: dict[str, Any]
) -> None:
    """Moved before the first update, sought, and after a hitch: the same as with that number."""
    particles = system()
    settings: dict[str, Any] = FOUNTAIN
    described = gp.Effect("fountain", [gp.Emitter("it", **settings)], **given)
    driven, plain = (particles.play(described, seed=1) for _ in range(2))
    driven["it"].rate = lambda time: 60.0
    plain["it"].rate = 60.0
    for each in (driven, plain):
        each.transform = (5, 0, 0)
    for dt in (0.01, 0.1, 300.0, 0.02):
        particles.update(dt)
    assert np.array_equal(driven["it"].read()["age"], plain["it"].read()["age"])
    for time in (0.0, 0.7):
        for each in (driven, plain):
            each.seek(time)
        assert np.array_equal(driven["it"].read(), plain["it"].read())
    driven["it"].rate = 5
    assert not particles._scene.driven


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"rate": 30.0, "bursts": [], "pulse": None, "delay": 0.0},  # shares a pool
        {"limit": 40},
        {"rate": (10, 50)},
    ],
)
def test_a_burst_is_one_loop_of_the_effect(
    system: System, one: One, settings: dict[str, Any]
) -> None:
    particles, other = system(), system()
    looping = one(**{**FOUNTAIN, **settings})
    once = one(**{**FOUNTAIN, **settings, "loop": False})
    for seed in range(3):
        particles.burst(looping, position=(seed, 0, 0), seed=seed)
        other.play(once, position=(seed, 0, 0), seed=seed)
    assert not particles.effects
    for _ in range(20):
        particles.update(0.07)
        other.update(0.07)
        assert particles.stats.live == other.stats.live
        assert particles.stats.dropped == other.stats.dropped
        alone = [p for p in particles._scene.playing if isinstance(p, EffectInstance)]
        for burst, played in zip(alone, other.effects, strict=False):
            found, expected = burst["it"].read(), played["it"].read()
            for name in ("number", "age", "lifetime", "size"):
                assert np.array_equal(found[name], expected[name])
    for _ in range(60):
        particles.update(0.07)
    assert particles.stats.live == 0
    assert not particles._scene.playing
