"""The same effect at 30, 60 and 144 steps/s: what modifiers do does not depend on the step.

In the reference, whose kernels tests/gpu compares with the GPU's.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import gpuparticles as gp
from gpuparticles.effect import Constraint, Modifier, kinds
from gpuparticles.playback.reference import Reference

RATES = (30, 60, 144)


def after(rate: int, seconds: float, *modifiers: Modifier, **settings: Any) -> NDArray[np.void]:
    """Those born at once, so many seconds later, in steps of 1/rate."""
    given = {"lifetime": 10, "shape": gp.Sphere(1), "speed": (0.5, 1), "spread": 180} | settings
    emitter = gp.Emitter("it", rate=0, bursts=[gp.Burst(0, 60)], modifiers=modifiers, **given)
    reference = Reference(gp.Effect("test", [emitter], loop=False), seed=2)
    for _ in range(round(seconds * rate)):
        reference.update(1 / rate)
    return reference.read("it")


@pytest.mark.parametrize(
    "kind", [kind for kind, cls in kinds(Modifier).items() if not issubclass(cls, Constraint)]
)
def test_every_modifier_leads_to_the_same_place_at_any_step(kind: str) -> None:
    """Its example, over a second in which particles go about two units.

    Half of them end within 0.01 units at 30 and at 144 steps/s, nine of ten within 0.03. Those that
    pass close to a centre, where a force has no direction, or over an edge, where it is not smooth,
    are less exact. Half the step leaves a quarter of the difference where all is smooth.
    """
    modifier = kinds(Modifier)[kind].example()
    ends = {rate: after(rate, 1.0, modifier)["position"] for rate in RATES}
    free = after(144, 1.0)["position"]

    off = np.linalg.norm(ends[30] - ends[144], axis=1)
    finer = np.linalg.norm(ends[60] - ends[144], axis=1)
    assert np.median(off) < 0.01
    assert np.quantile(off, 0.9) < 0.03
    assert finer.mean() <= 0.6 * off.mean() + 1e-5
    assert np.abs(ends[144] - free).max() > 0.1, "it does something"


@pytest.mark.parametrize("rate", RATES)
def test_an_orbit_is_closed(rate: int) -> None:
    """A full turn in a second, about an oblique axis."""
    orbit = gp.Orbit(360, axis=(1, 2, -1), center=(0.5, 0, 0))
    begin = after(1000, 0.001, speed=0)["position"]

    assert after(rate, 1.0, orbit, speed=0)["position"] == pytest.approx(begin, abs=2e-5)
    half = after(rate, 0.5, orbit, speed=0)["position"]
    assert np.abs(half - begin).max() > 1


@pytest.mark.parametrize("rate", RATES)
def test_what_flies_in_a_wind_gets_its_speed_in_its_time(rate: int) -> None:
    """V = w + (v0 - w) exp(-rate t), exactly."""
    found = after(rate, 1.5, gp.Wind((3, 0, -1), rate=2), speed=0)["velocity"]

    expected = np.array([3, 0, -1]) * (1 - math.exp(-3))
    assert found == pytest.approx(np.tile(expected, (60, 1)), abs=1e-5)


@pytest.mark.parametrize("rate", RATES)
def test_a_fall_in_a_wind_ends_at_the_terminal_speed(rate: int) -> None:
    """W + a / rate, to the second order of the step."""
    modifiers = (gp.Acceleration((0, -9, 0)), gp.Wind((2, 0, 0), rate=3))
    found = after(rate, 5.0, *modifiers, speed=0)["velocity"]

    assert found == pytest.approx(np.tile([2, -3, 0], (60, 1)), rel=2e-3, abs=1e-3)


@pytest.mark.parametrize("rate", RATES)
def test_a_soft_speed_limit_settles_at_the_same_speed(rate: int) -> None:
    """Speed + a / damping, to the second order of the step."""
    modifiers = (gp.Acceleration((0, -8, 0)), gp.SpeedLimit(2, damping=4))
    found = after(rate, 5.0, *modifiers, speed=0)["velocity"]

    assert found == pytest.approx(np.tile([0, -4, 0], (60, 1)), rel=2e-3)


@pytest.mark.parametrize("rate", RATES)
def test_a_hard_speed_limit_is_never_passed(rate: int) -> None:
    modifiers = (gp.Acceleration((0, -8, 0)), gp.SpeedLimit(1.5))
    found = after(rate, 2.0, *modifiers, speed=(0, 9))["velocity"]

    assert np.linalg.norm(found, axis=1) == pytest.approx(np.full(60, 1.5), abs=1e-5)


@pytest.mark.parametrize("rate", RATES)
def test_particles_come_to_a_sphere_and_stay(rate: int) -> None:
    """From inside and outside, without passing the surface; motion along it goes on."""
    conform = gp.ConformToSphere(4, radius=2, center=(0, 1, 0), rate=10)
    found = after(rate, 4.0, conform, shape=gp.Box((4, 4, 4)), speed=0)
    distance = np.linalg.norm(found["position"] - [0, 1, 0], axis=1)

    assert distance == pytest.approx(np.full(60, 2), abs=1e-3)
    still = after(rate, 0.7, conform, shape=gp.Box((4, 4, 4)), speed=0)
    near = np.linalg.norm(still["position"] - [0, 1, 0], axis=1)
    begin = np.linalg.norm(
        after(1000, 0.001, shape=gp.Box((4, 4, 4)), speed=0)["position"] - [0, 1, 0], axis=1
    )
    assert ((near - 2) * (begin - 2) > -1e-4).all(), "critically damped"


def test_a_velocity_over_life_adds_a_way_and_no_velocity() -> None:
    """The integral of the curve: half of it over a life of two seconds is a triangle of 1/4."""
    drift = gp.VelocityOverLife((4, 0, 0), over_life=[(0, 0), (1, 1)])
    moved, free = (after(60, 1.0, *m, lifetime=2) for m in ((drift,), ()))

    way = moved["position"] - free["position"]
    assert way == pytest.approx(np.tile([4 * 1.0 * 0.25, 0, 0], (60, 1)), abs=1e-4)
    assert np.array_equal(moved["velocity"], free["velocity"])
