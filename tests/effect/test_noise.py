"""Noise: without sources, of known strength, repeating."""

from __future__ import annotations

import numpy as np
import pytest

from gpuparticles.effect import Turbulence, Wind
from gpuparticles.effect.noise import PERIOD, curl_noise, line_noise, wrapped
from tests.effect.test_modifiers import acceleration

RANDOM = np.random.default_rng(4)
PLACES = RANDOM.uniform(0, PERIOD, (20_000, 3)).astype(np.float32)


@pytest.mark.parametrize("salt", [0, 3])
def test_curl_noise_has_a_mean_of_zero_and_an_rms_of_one(salt: int):
    flow = curl_noise(PLACES, salt)

    assert flow.dtype == np.float32
    assert np.abs(flow.mean(axis=0)).max() < 0.02
    assert np.sqrt((flow * flow).sum(axis=1).mean()) == pytest.approx(1, abs=0.02)
    assert flow.std(axis=0) == pytest.approx([3**-0.5] * 3, abs=0.015), "the same along each axis"


def test_curl_noise_has_no_sources_but_turns():
    """Central differences: of its divergence nothing is left, of its rotation much."""
    at, d = PLACES[:500] * np.float32(0.05), np.float32(1 / 64)
    slopes = np.zeros((len(at), 3, 3))
    for axis in range(3):
        step = np.eye(3, dtype=np.float32)[axis] * d
        slopes[:, :, axis] = (curl_noise(at + step, 0) - curl_noise(at - step, 0)) / (2 * d)
    divergence = np.trace(slopes, axis1=1, axis2=2)
    turning = slopes[:, 1, 0] - slopes[:, 0, 1]

    assert np.sqrt((divergence**2).mean()) < 0.01
    assert np.sqrt((turning**2).mean()) > 1


def test_noise_is_smooth_across_the_cells_of_its_lattice():
    """On both sides of a cell's face the flow and its slope are the same."""
    face = np.floor(PLACES[:200])
    face[:, 1:] += np.float32(0.3)
    e = np.array([1 / 256, 0, 0], np.float32)
    before, here, after = (curl_noise(face + k * e, 1) for k in (-1, 0, 1))

    assert np.abs(after - before).max() < 0.1
    assert np.abs(after - 2 * here + before).max() < 2e-3


def test_noise_repeats_after_its_period_and_only_then():
    q = np.floor(PLACES[:100]) + np.float32(0.375)
    line = q[:, 0]

    assert np.array_equal(curl_noise(q, 0), curl_noise(q - PERIOD, 0))
    assert np.array_equal(line_noise(line, 0), line_noise(line + 2 * PERIOD, 0))
    assert np.abs(curl_noise(q, 0) - curl_noise(q + PERIOD / 2, 0)).max() > 0.5
    assert np.abs(curl_noise(q, 0) - curl_noise(q, 1)).max() > 0.5


def test_line_noise_lies_between_minus_one_and_one_and_has_no_steps():
    q = np.linspace(-20, 60, 8001, dtype=np.float32)
    noise = line_noise(q, 0)

    assert np.abs(noise).max() <= 1
    assert noise.std() > 0.3
    assert np.abs(np.diff(noise)).max() < 0.05


def test_coordinates_are_wrapped_in_double_precision():
    assert wrapped(-1) == PERIOD - 1
    assert wrapped(1e9 * PERIOD + 0.125) == 0.125


@pytest.mark.parametrize("octaves", [1, 2, 5])
@pytest.mark.parametrize("frequency", [0.25, 3.0])
def test_the_strength_of_turbulence_is_its_rms(frequency: float, octaves: int):
    places = [tuple(p / frequency) for p in PLACES[:4000]]
    force = acceleration(Turbulence(6, frequency, octaves, roughness=0.7), *places)

    assert np.sqrt((force * force).sum(axis=1).mean()) == pytest.approx(6, rel=0.05)


def test_phases_stay_small_and_fine_after_a_day_a_million_units_away():
    """What moves on in a second is then as exact as in the first."""
    day, far = 86400.0, (1e6, -2e6, 3e5)
    turbulence = Turbulence(1, frequency=0.7, scroll=(0.3, -1, 0))
    wind = Wind((3, 0, 4), gusts=0.5, gust_frequency=0.8)
    for modifier, place in ((turbulence, 0), (wind, 3)):
        first, later = (
            np.array(modifier.phase(day + t, far), np.float32)[place] for t in (0.0, 0.25)
        )
        at_first = modifier.phase(0.25, (0, 0, 0))[place] - modifier.phase(0, (0, 0, 0))[place]
        assert 0 <= first < PERIOD
        assert (later - first) % PERIOD == pytest.approx(at_first % PERIOD, abs=1e-4)


def test_gusts_travel_with_the_wind():
    """The gust of one place is, a second later, at the place to which the wind has gone."""
    wind = Wind((3, 0, 4), gusts=0.5, gust_frequency=0.8)
    x, y, z, now = wind.phase(0, (0, 0, 0))
    *_, later = wind.phase(1, (0, 0, 0))

    assert now - 0 == pytest.approx(later - (3 * x + 0 * y + 4 * z))
    assert later - now == pytest.approx(0.8)
