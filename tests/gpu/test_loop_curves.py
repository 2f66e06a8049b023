"""Scalars of a birth that follow a curve over the emitter's loop."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gpuparticles as gp
from gpuparticles.playback.place import IDENTITY
from gpuparticles.playback.reference import Reference
from gpuparticles.system.pool import Bursts
from gpuparticles.system.read import read_particles

System = Callable[..., gp.ParticleSystem]
One = Callable[..., gp.Effect]

RAMP = [(0, 0), (1, 8)]


@pytest.mark.parametrize("step", [0.0137, 1 / 30, 0.4, 7.0])
def test_a_birth_gets_what_holds_at_its_own_moment(system: System, one: One, step: float) -> None:
    """Through three loops, however the time is cut: births lie at k/5 s of a loop of 2 s."""
    particles = system()
    effect = one(
        rate=5, lifetime=math.inf, size=RAMP, velocity=(0, RAMP, 0), duration=2.0, loop=True
    )
    it = particles.play(effect)["it"]
    while it.births < 30:
        particles.update(step)
    found = it.read()[:30]
    expected = (np.arange(1, 31) / 5 % 2) / 2 * 8
    assert found["size"] == pytest.approx(expected, rel=1e-3, abs=1e-6)
    assert found["velocity"][:, 1] == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("step", [1 / 144, 0.0731, 1 / 3])
def test_a_step_of_the_curve_belongs_to_what_follows(system: System, one: One, step: float) -> None:
    """Bursts just at a step, and at the seam of two loops, get the later value in every loop."""
    particles = system(max_step=1.0)
    steps = [(0, 1), (0.3, 1), (0.3, 2), (1, 2)]
    bursts = [gp.Burst(0.0), gp.Burst(0.9)]
    effect = one(bursts=bursts, lifetime=math.inf, size=steps, duration=3.0, loop=True, capacity=64)
    it = particles.play(effect)["it"]
    while it.births < 20:
        particles.update(step)
    assert it.read()["size"][:20].tolist() == [1, 2] * 10


def test_a_one_shot_stays_at_the_end(system: System, one: One) -> None:
    particles = system()
    effect = one(bursts=[gp.Burst(1.0), gp.Burst(9.0)], size=RAMP, lifetime=math.inf, duration=2.0)
    it = particles.play(effect)["it"]
    particles.update(10.0)
    it.emit(1)
    particles.update(0.1)
    assert it.read()["size"].tolist() == [4, 8, 8]


@pytest.mark.parametrize("count", [3, 40])
def test_lifetimes_follow_their_curve(system: System, one: One, count: int) -> None:
    """One at a time and by NumPy; the horizon is the top of the curve."""
    particles = system()
    effect = one(
        bursts=[gp.Burst(0.0, count), gp.Burst(1.0, count)],
        lifetime=[(0, 0.5), (0.5, 3)],
        duration=4.0,
        loop=True,
    )
    it = particles.play(effect)["it"]
    particles.update(0.25)
    assert it.read()["lifetime"].tolist() == [0.5] * count
    particles.update(1.0)
    assert it.read()["lifetime"].tolist() == [1.75] * count
    assert it._player.population.horizon == 3.0


def test_a_day_later_it_is_as_in_the_first_loop(system: System, one: One) -> None:
    particles = system()
    effect = one(
        bursts=[gp.Burst(0.1), gp.Burst(1.1)],
        size=[(0, 1), (0.5, 2), (0.5, 4), (1, 0)],
        lifetime=[(0, 0.5), (1, 0.75)],
        duration=2.0,
        loop=True,
    )
    it = particles.play(effect)["it"]

    def loop() -> list[Any]:
        seen = []
        for _ in range(8):
            particles.update(0.25)
            found = it.read()
            seen.append([*found["size"].tolist(), *found["lifetime"].tolist()])
        return seen

    first, steady = loop(), loop()
    for _ in range(24):
        particles.update(3600.0)
    later = loop()
    for seen, expected in zip(later + first[3:], steady + steady[3:], strict=True):
        assert seen == pytest.approx(expected, abs=2e-3)


@pytest.mark.parametrize("inherits", [True, False])
def test_the_living_of_a_pool_are_those_of_the_played(
    system: System, one: One, inherits: bool
) -> None:
    """A burst knows how far each of its instances has come, and where it sets out to."""
    particles = system()
    settings: dict[str, Any] = {
        "rate": 21,
        "bursts": [gp.Burst(0.4, 30)],
        "lifetime": [(0, 2), (1, 4)],
        "size": RAMP,
        "speed": [(0, 1), (0.5, -2), (1, 3)],
        "spread": 50,
        "angular_velocity": [(0, -90), (1, 90)],
        "shape": gp.Box((1, 2, 3)),
        "direction": "outward",
        "radial_speed": (-1, 1),
        "inherit_orientation": inherits,
        "width": [(0, 0.5), (1, 2)],
        "handedness": "random",
        "color": ["#ff0000", "#00ff0080"],
    }
    matrix = np.array([[0, -2, 0, 9], [2, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])
    effect = one(duration=1.0, **settings)
    particles.update(0.1)
    played = particles.play(effect, transform=matrix, seed=5)
    particles.burst(effect, transform=matrix, seed=5)
    for _ in range(20):
        particles.update(0.05)
    (pool,) = [each for each in particles._scene.playing if isinstance(each, Bursts)]
    with particles._scene.guard as guard:
        guard.simulate()
        numbers = pool._crowds[0].population.numbers
        frame = IDENTITY._replace(place=pool._anchor)
        found = read_particles(pool._simulations[0], effect.emitters[0], numbers, frame)
    expected = played["it"].read()
    assert len(found) == len(expected) == 51
    for name in ("lifetime", "width", "height", "rotation", "velocity", "position", "color"):
        assert found[name] == pytest.approx(expected[name], abs=2e-3), name


def test_births_missed_in_a_hitch_have_their_own_fraction(system: System, one: One) -> None:
    particles = system()
    effect = one(rate=2, lifetime=math.inf, size=RAMP, duration=4.0, loop=True)
    it = particles.play(effect)["it"]
    reference = Reference(effect)
    for dt in (0.1, 50.0, 0.1):
        particles.update(dt)
        reference.update(dt)
    found = it.read()["size"]
    assert found == pytest.approx((np.arange(1, 101) / 2 % 4) * 2, abs=4e-3)
    assert found.tolist() == reference.read("it")["size"].tolist()
