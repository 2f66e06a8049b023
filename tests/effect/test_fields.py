"""Attractors, sampled fields, motions and limits: their twins against analytic answers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gpuparticles.effect import (
    Attractor,
    Limit,
    Orbit,
    Particles,
    SpeedLimit,
    VectorField,
    VelocityLimit,
)
from gpuparticles.errors import EffectError
from tests.effect.test_modifiers import acceleration, array


@pytest.mark.parametrize(
    ("attenuation", "distance", "factor"),
    [(1, 0.5, 0.75), (1, 1, 0.5), (1, 2, 0), (1, 5, 0), (2, 1, 0.25), (0, 1.9, 1), (0, 2.1, 0)],
)
def test_an_attractor_ends_at_its_radius(attenuation: float, distance: float, factor: float):
    force = Attractor(4, radius=2, center=(1, 0, 0), attenuation=attenuation)
    (pull,) = acceleration(force, (1 + distance, 0, 0))

    assert pull.tolist() == pytest.approx([-4 * factor, 0, 0], abs=1e-6)


def test_an_attractor_pulls_as_far_along_its_axis_as_it_is_directed():
    place = (1, 0, 0)
    directed = [
        acceleration(Attractor(1, 9, attenuation=0, directionality=d), place)[0]
        for d in (0, 0.5, 1)
    ]

    assert directed[0] == pytest.approx([-1, 0, 0])
    assert directed[1] == pytest.approx([-(0.5**0.5), 0.5**0.5, 0])
    assert directed[2] == pytest.approx([0, 1, 0])


def test_an_attractor_without_a_radius_pulls_nothing():
    assert not acceleration(Attractor(4, radius=0), (0, 0, 0), (1, 0, 0)).any()


def linear() -> np.ndarray:
    """Samples of a linear force on a grid of 4 by 3 by 5 (z, y, x) over [-1, 1] each."""
    z, y, x = np.meshgrid(*(np.linspace(-1, 1, n) for n in (4, 3, 5)), indexing="ij")
    return np.stack([x + 2 * y, 3 * z - x, y * 0 + 1], axis=-1)


def test_a_linear_field_is_given_exactly_between_its_samples():
    force = VectorField(2, linear(), half=(1, 2, 3), center=(5, 0, 0))
    u = np.random.default_rng(1).uniform(-1, 1, (50, 3))
    found = acceleration(force, *(tuple(p) for p in u * (1, 2, 3) + (5, 0, 0)))
    x, y, z = u.T

    expected = 2 * np.stack([x + 2 * y, 3 * z - x, np.ones(50)], axis=1)
    assert found == pytest.approx(expected, abs=1e-5)


def test_outside_of_its_box_a_field_is_nothing_unless_it_repeats():
    outside, inside = (1.5, 0.2, 0.3), (-0.5, 0.2, 0.3)
    once, tiled = (VectorField(1, linear(), tile=tile) for tile in (False, True))

    assert not acceleration(once, outside).any()
    assert acceleration(once, (1, 1, 1)).any(), "the faces belong to it"
    assert acceleration(tiled, outside) == pytest.approx(acceleration(tiled, inside), abs=1e-5)
    assert acceleration(tiled, inside).any()


def test_a_tiled_field_goes_over_its_seam_to_the_first_sample():
    samples = np.zeros((1, 1, 4, 3))
    samples[0, 0, :, 1] = 1, 2, 3, 4
    tiled = VectorField(1, samples, half=(2, 1, 1), tile=True)  # samples at -2, -1, 0, 1

    found = acceleration(tiled, (1, 0, 0), (1.5, 0, 0), (2, 0, 0))[:, 1]
    assert found.tolist() == pytest.approx([4, 2.5, 1])


def test_a_field_comes_from_a_file(tmp_path: Path):
    np.save(tmp_path / "flow.npy", linear())

    assert VectorField(1, tmp_path / "flow.npy").field.shape == (4, 3, 5, 3)
    with pytest.raises(EffectError, match="vectors of a field"):
        VectorField(1, np.zeros((3, 3, 3)))


def limited(limit: Limit, *velocities: tuple[float, float, float], h: float = 0.1) -> np.ndarray:
    velocity, count = array(*velocities), len(velocities)
    zeros, ones = np.zeros(count, np.float32), np.ones(count, np.float32)
    seeds = np.zeros(count, np.uint32)
    particles = Particles(np.zeros_like(velocity), velocity, zeros, zeros, ones, seeds)
    first = limit.values()[0]
    speed = np.tile(np.array(first, np.float32), (count, *[1] * np.ndim(first)))
    return limit.limited(particles, np.full(count, h, np.float32), speed)


def test_a_hard_speed_limit_leaves_its_speed_and_the_direction():
    result = limited(SpeedLimit(2), (3, 4, 0), (1, 0, 0), (0, 0, 0), (0, -2, 0))

    assert result == pytest.approx(array((1.2, 1.6, 0), (1, 0, 0), (0, 0, 0), (0, -2, 0)))


def test_a_soft_speed_limit_takes_the_excess_exponentially():
    once = limited(SpeedLimit(2, damping=5), (6, 0, 0), h=0.2)
    twice = limited(SpeedLimit(2, damping=5), tuple(limited(SpeedLimit(2, 5), (6, 0, 0))[0]))

    assert once[0, 0] == pytest.approx(2 + 4 * np.exp(-1))
    assert twice[0, 0] == pytest.approx(once[0, 0]), "two short times are one long"


def test_a_velocity_limit_bounds_each_component_by_itself():
    hard = limited(VelocityLimit((1, 2, 9)), (3, -4, 5), (-0.5, 1, 0))
    soft = limited(VelocityLimit((1, 2, 9), damping=5), (3, -4, 5), h=0.2)

    assert hard == pytest.approx(array((1, -2, 5), (-0.5, 1, 0)))
    assert soft == pytest.approx(array((1 + 2 * np.exp(-1), -2 - 2 * np.exp(-1), 5)))


def test_speed_limits_are_finite_for_any_velocity():
    extreme = [(3e38, 3e38, 0), (1e-38, 0, 0), (0, 0, 0)]
    for limit in (SpeedLimit(0), SpeedLimit(1), SpeedLimit(1, 3), VelocityLimit((0, 1, 2), 3)):
        assert np.isfinite(limited(limit, *extreme, h=0.0)).all()
        assert np.isfinite(limited(limit, *extreme)).all()


def moved(orbit: Orbit, place: tuple[float, float, float], h: float) -> np.ndarray:
    position = array(place)
    zeros, ones = np.zeros(1, np.float32), np.ones(1, np.float32)
    particles = Particles(position, position * 0, zeros, zeros, ones, zeros.astype(np.uint32))
    strength, axis, center, _ = (np.array([v], np.float32) for v in orbit.values())
    return orbit.displacement(particles, ones * np.float32(h), strength, axis, center)[0]


def test_an_orbit_turns_by_the_right_hand_rule():
    assert moved(Orbit(90), (1, 5, 0), 1.0) == pytest.approx([-1, 0, -1], abs=1e-6)
    assert moved(Orbit(-90), (1, 5, 0), 1.0) == pytest.approx([-1, 0, 1], abs=1e-6)


def test_an_orbit_leads_away_from_its_axis_or_to_it_and_no_further():
    assert moved(Orbit(0, radial=2), (1, 5, 0), 0.5) == pytest.approx([1, 0, 0])
    assert moved(Orbit(0, radial=-9), (1, 5, 0), 0.5) == pytest.approx([-1, 0, 0])
    assert not moved(Orbit(90, radial=1), (0, 3, 0), 0.5).any()
