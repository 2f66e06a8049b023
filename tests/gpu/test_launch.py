"""Where births set out to, and what they take from the emitter."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gpuparticles as gp

System = Callable[..., gp.ParticleSystem]
One = Callable[..., gp.Effect]
ONCE = {"bursts": [gp.Burst(0.0, 64)], "lifetime": 9.0, "capacity": 64}


def test_inward_reaches_the_origin(system: System, one: One) -> None:
    """From 5 units away at 5 units/s it takes a second, turned and scaled as the emitter is."""
    particles = system()
    shape = gp.Point(offset=(0, 3, 4))
    matrix = np.array([[0, -2, 0, 9], [2, 0, 0, 0], [0, 0, 2, 0], [0, 0, 0, 1.0]])
    effect = one(**ONCE, shape=shape, direction="inward", speed=(5, 5))
    it = particles.play(effect, transform=matrix)["it"]
    for _ in range(20):
        particles.update(0.1)
    assert it.read()["position"] == pytest.approx(np.tile((9, 0, 0), (64, 1)), abs=1e-4)


def test_outward_is_the_mirror_of_inward(system: System, one: One) -> None:
    particles = system()
    inward, outward = (
        particles.play(one(**ONCE, shape=gp.Sphere(2), direction=direction), seed=1)["it"].read
        for direction in ("inward", "outward")
    )
    particles.update(1e-3)
    velocity = outward()["velocity"]
    assert inward()["velocity"] == pytest.approx(-velocity, abs=1e-6)
    assert np.linalg.norm(velocity, axis=1) == pytest.approx(1, abs=1e-5)
    away = outward()["position"]
    assert np.sum(away * velocity, axis=1) == pytest.approx(np.linalg.norm(away, axis=1), abs=1e-4)


def test_without_a_way_out_it_is_up(system: System, one: One) -> None:
    """At the origin itself nothing is outward."""
    particles = system()
    for direction in ("outward", "inward", "normal"):
        it = particles.play(one(**ONCE, direction=direction, speed=3))["it"]
        particles.update(0.1)
        assert it.read()["velocity"] == pytest.approx(np.tile((0, 3, 0), (64, 1)), abs=1e-6)


def test_a_direction_is_a_unit_vector_and_turns_with_the_emitter(system: System, one: One) -> None:
    particles = system()
    quarter = np.array([[0, -1, 0, 5], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])
    for inherits, expected in ((True, (0, 2, 0)), (False, (2, 0, 0))):
        effect = one(**ONCE, direction=(3, 0, 0), speed=2, inherit_orientation=inherits)
        it = particles.play(effect, transform=quarter)["it"]
        particles.update(0.1)
        found = it.read()
        assert found["velocity"] == pytest.approx(np.tile(expected, (64, 1)), abs=1e-6)
        assert found["position"] - 0.1 * np.array(expected) == pytest.approx(
            np.tile((5, 0, 0), (64, 1)), abs=1e-5
        )


def test_radial_speed_is_added(system: System, one: One) -> None:
    particles = system()
    effect = one(**ONCE, shape=gp.Circle(2), speed=1, radial_speed=(2, 4))
    it = particles.play(effect, transform=(0, 7, 0))["it"]
    particles.update(1e-3)
    found = it.read()
    away = found["position"] - (0, 7, 0)
    away[:, 1] = 0
    away /= np.linalg.norm(away, axis=1, keepdims=True)
    radial = np.sum(away * found["velocity"], axis=1)
    assert found["velocity"][:, 1] == pytest.approx(1, abs=1e-5)
    assert radial.min() >= 2 - 1e-3
    assert radial.max() <= 4 + 1e-3
    assert np.ptp(radial) > 1


@pytest.mark.parametrize("rate", [30, 60, 144])
def test_inherited_velocity_does_not_depend_on_the_frame_rate(
    system: System, one: One, rate: int
) -> None:
    """Half of 6 units/s, also where an update is split into steps; nothing while it stands."""
    particles = system(max_step=1 / 100)
    effect = one(rate=50, speed=0, inherit_velocity=0.5, lifetime=9.0)
    playing = particles.play(effect)
    particles.update(1e-3)  # from here on it has a path
    for frame in range(1, rate + 1):
        playing.transform = (6 * frame / rate, 0, 0)
        particles.update(1 / rate)
    moved = playing["it"].births
    for _ in range(rate // 2):
        particles.update(1 / rate)
    velocity = playing["it"].read()["velocity"]
    assert velocity[:moved] == pytest.approx(np.tile((3, 0, 0), (moved, 1)), abs=1e-3)
    assert velocity[moved:] == pytest.approx(0, abs=1e-6)
    assert len(velocity) > moved > 40


def test_inherited_velocity_is_that_of_simulated_time(system: System, one: One) -> None:
    """At half the speed of time the same way takes half the seconds."""
    particles = system()
    playing = particles.play(one(rate=50, speed=0, inherit_velocity=1, lifetime=9.0))
    playing.speed = 0.5
    particles.update(1e-3)
    for frame in range(1, 31):
        playing.transform = (0, 0, frame / 10)
        particles.update(1 / 30)
    assert playing["it"].read()["velocity"][:, 2] == pytest.approx(6, abs=1e-3)


def test_a_burst_stands_still_and_inherits_nothing(system: System, one: One) -> None:
    particles = system()
    particles.burst(one(**ONCE, inherit_velocity=1))
    particles.update(0.1)
    assert particles.stats.live == 64


def test_handedness_is_the_sign_of_every_turn(system: System, one: One) -> None:
    particles = system()
    settings: dict[str, Any] = {**ONCE, "rotation": (10, 20), "angular_velocity": 30}
    right, left, mixed = (
        particles.play(one(**settings, handedness=hand), seed=3)["it"]
        for hand in ("right", "left", "random")
    )
    particles.update(0.5)
    turned = right.read()["rotation"]
    assert left.read()["rotation"] == pytest.approx(-turned, abs=1e-3)
    hands = mixed.read()["rotation"] / turned
    assert np.abs(hands) == pytest.approx(1, abs=1e-3)
    assert 16 < np.count_nonzero(hands > 0) < 48


def test_colours_of_a_list_are_drawn_with_equal_chance(system: System, one: One) -> None:
    particles = system()
    colors = ["#ff0000", "#00ff00", "#0000ff"]
    count = 30000
    it = particles.play(
        one(bursts=[gp.Burst(0.0, count)], capacity=count, lifetime=9.0, color=colors)
    )["it"]
    particles.update(0.1)
    found = it.read()["color"]
    assert np.unique(found, axis=0).tolist() == [[0, 0, 1, 1], [0, 1, 0, 1], [1, 0, 0, 1]]
    # Standard deviation of each count: sqrt(n * 1/3 * 2/3) = 82.
    assert np.abs(found[:, :3].sum(axis=0) - count / 3).max() < 4 * 82


def test_a_gradient_at_birth_is_drawn_evenly(system: System, one: One) -> None:
    particles = system()
    count = 20000
    effect = one(
        bursts=[gp.Burst(0.0, count)],
        capacity=count,
        lifetime=9.0,
        color=[(0, "#000000"), (1, "#ff0000")],
    )
    it = particles.play(effect)["it"]
    particles.update(0.1)
    red = np.sort(it.read()["color"][:, 0])
    assert np.abs(red - (np.arange(count) + 0.5) / count).max() < 0.015  # Kolmogorov, 4 sigma


def test_motion_and_turning_change_over_life(system: System, one: One) -> None:
    """Linear factors: the way is that of the mean, and so is the angle; velocity stays."""
    particles = system(max_step=1 / 30)
    effect = one(
        bursts=[gp.Burst(0.0)],
        lifetime=2.0,
        velocity=(4, 0, 0),
        angular_velocity=90,
        speed_over_life=[(0, 1), (1, 0)],
        angular_velocity_over_life=[(0, 0), (1, 2)],
    )
    it = particles.play(effect)["it"]
    for _ in range(30):
        particles.update(1 / 30)
    (found,) = it.read()
    assert found["position"][0] == pytest.approx(4 * (1 - 0.25), abs=1e-4)
    assert found["rotation"] == pytest.approx(90 * 0.5, abs=0.1)
    assert found["velocity"].tolist() == [4, 0, 0]


def test_a_face_looks_along_its_normal(system: System, one: One) -> None:
    """The circle's normal is its own; where a shape has none, it is +Y."""
    particles = system()
    effect = one(**ONCE, shape=gp.Circle(1, normal=(1, 0, 0)), direction="normal", speed=2)
    it = particles.play(effect)["it"]
    particles.update(0.1)
    velocity = it.read()["velocity"]
    assert np.linalg.norm(velocity, axis=1) == pytest.approx(2, abs=1e-4)
    assert math.isfinite(float(velocity.sum()))
