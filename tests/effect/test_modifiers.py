"""Modifiers: the twins of their kernels against analytic answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gpuparticles.effect import (
    Acceleration,
    Constraint,
    Curve,
    Drag,
    Flow,
    Force,
    Limit,
    Modifier,
    Motion,
    Particles,
    Radial,
    Resistance,
    Vortex,
    fields_of,
    kinds,
)
from gpuparticles.errors import EffectError


def array(*rows: tuple[float, float, float]) -> np.ndarray:
    return np.array(rows, np.float32)


def acceleration(force: Force, *positions: tuple[float, float, float]) -> np.ndarray:
    """What a force does at these places, without variation, curve or change of space."""
    place, count = array(*positions), len(positions)
    strength, *rest = (
        np.repeat(np.array([value], np.float32), count, axis=0) for value in force.values()
    )
    vectors: dict[str, Any] = {
        info.name: value
        for info, value in zip(fields_of(type(force))[1:], rest, strict=True)
        if info.role is not None
    }
    zeros, ones = np.zeros(count, np.float32), np.ones(count, np.float32)
    seeds = np.arange(count, dtype=np.uint32)
    particles = Particles(place, np.zeros_like(place), zeros, zeros, ones, seeds)
    if force.phased:
        vectors["phase"] = np.array(force.phase(0.0, (0.0, 0.0, 0.0)), np.float32)
    return force.acceleration(particles, strength, **vectors)


ROLES = {
    Force: "force",
    Resistance: "drag",
    Flow: "flow",
    Motion: "motion",
    Limit: "limit",
    Constraint: "constraint",
}
FORCES = {kind: cls for kind, cls in kinds(Modifier).items() if issubclass(cls, Force)}


@pytest.mark.parametrize("cls", kinds(Modifier).values(), ids=kinds(Modifier))
def test_every_modifier_has_the_role_of_its_base(cls: type[Modifier]):
    (base,) = (base for base in ROLES if issubclass(cls, base))
    assert cls.role == ROLES[base]


@pytest.mark.parametrize("cls", FORCES.values(), ids=FORCES)
def test_every_force_is_finite_everywhere(cls: type[Force], example: Callable[[type], Any]):
    places = [(0, 0, 0), (0, 1, 0), (1e-20, 0, 0), (0, -1e-38, 0), (1e30, 1e30, 0), (3e38, 0, 0)]
    result = acceleration(example(cls), *places)

    assert result.shape == (len(places), 3)
    assert result.dtype == np.float32
    assert np.isfinite(result).all()


def test_acceleration_is_the_same_everywhere():
    result = acceleration(Acceleration((0, -9.8, 0)), (0, 0, 0), (5, 6, 7))

    assert result.tolist() == array((0, -9.8, 0), (0, -9.8, 0)).tolist()


def test_drag_decays_at_its_rate_and_never_drives():
    rate = Drag(0.5).decay(np.array([0.5, 3, 0, -2], np.float32))

    assert rate.tolist() == [0.5, 3, 0, 0]
    assert rate.dtype == np.float32


def test_a_radial_force_points_away_from_its_centre_with_its_strength():
    force = Radial(3, center=(1, 0, 0))

    assert acceleration(force, (5, 0, 0), (1, -2, 0)) == pytest.approx(array((3, 0, 0), (0, -3, 0)))
    assert acceleration(Radial(-3), (0, 0, 2)) == pytest.approx(array((0, 0, -3)))
    assert np.linalg.norm(acceleration(force, (3, 4, 5))) == pytest.approx(3)


def test_a_radial_force_is_zero_at_its_centre():
    assert not acceleration(Radial(3, center=(1, 2, 3)), (1, 2, 3)).any()


@pytest.mark.parametrize(
    ("distance", "factor"), [(0.5, 1), (1, 1), (1.5, 0.75), (2, 0.5), (3, 0), (9, 0)]
)
@pytest.mark.parametrize("cls", [Radial, Vortex])
def test_falloff_is_linear_from_inner_to_outer(cls: type, distance: float, factor: float):
    result = acceleration(cls(4, falloff=(1, 3)), (distance, 0, 0))

    assert np.linalg.norm(result) == pytest.approx(4 * factor, abs=1e-6)


@pytest.mark.parametrize(
    ("falloff", "distance", "factor"),
    [((2, 2), 1.99, 1), ((2, 2), 2.01, 0), ((0, 0), 0.1, 0), ((0, 1e-30), 0.1, 0), (None, 1e9, 1)],
)
def test_falloff_at_its_limits(falloff, distance: float, factor: float):
    result = acceleration(Radial(1, falloff=falloff), (distance, 0, 0))

    assert np.linalg.norm(result) == pytest.approx(factor, abs=1e-6)


def test_falloff_is_packed_as_outer_and_the_inverse_of_the_width():
    assert Radial(1).values()[2] == (2e30, 1e-30)
    assert Radial(1, falloff=(1, 3)).values()[2] == (3, 0.5)
    assert Radial(1, falloff=(2, 2)).values()[2] == (2, 1e30)


def test_a_vortex_turns_by_the_right_hand_rule():
    """The thumb along the axis, the fingers along the force."""
    right = acceleration(Vortex(2, axis=(0, 5, 0)), (1, 0, 0), (0, 7, 1))

    assert right == pytest.approx(array((0, 0, -2), (2, 0, 0)), abs=1e-6)


def test_a_left_handed_vortex_turns_the_other_way():
    places = [(1, 2, 3), (-1, 0, 2)]

    left = acceleration(Vortex(2, (1, 1, 0), handedness="left"), *places)
    assert left == pytest.approx(-acceleration(Vortex(2, (1, 1, 0)), *places))
    assert Vortex(2, handedness="random").values()[0] == 2


def test_a_vortex_force_is_perpendicular_to_its_axis_and_to_the_way_out():
    axis, center = np.array([1.0, 2.0, -1.0]), np.array([0.5, 0.0, 0.0])
    place = np.array([3.0, -1.0, 2.0])

    (force,) = acceleration(Vortex(1.5, axis, center), tuple(place))
    assert force @ axis == pytest.approx(0, abs=1e-6)
    assert force @ (place - center) == pytest.approx(0, abs=1e-6)
    assert np.linalg.norm(force) == pytest.approx(1.5)


def test_a_vortex_is_zero_on_its_axis():
    assert not acceleration(Vortex(2, (0, 1, 0), (1, 0, 0)), (1, 0, 0), (1, 5, 0)).any()


def test_modifiers_take_their_own_fields_by_position_and_the_shared_ones_by_name():
    assert Acceleration((0, -9.8, 0)).value == (0.0, -9.8, 0.0)
    assert Drag(0.5, variation=0.2).variation == 0.2
    assert Drag(0.5, over_life=[(0, 1), (1, 0)]).over_life == Curve([(0, 1), (1, 0)])
    assert Drag(0.5).over_life is None
    assert Vortex(1, (1, 0, 0), (0, 0, 1), (1, 2), "left", "world").space == "world"
    assert repr(Drag(0.5, variation=0.2)) == "Drag(rate=0.5, variation=0.2)"


def test_spaces_by_default():
    assert Acceleration((1, 0, 0)).space == "world"
    assert Radial(1).space == Vortex(1).space == "emitter"


FALLOFF = "a falloff is (inner, outer), two distances of 0 or more, or nothing"


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: Drag(), "Drag: rate: nothing is given, and it has no default"),
        (lambda: Drag(-1), "Drag: rate: -1 is negative; a drag rate is 0 or more"),
        (
            lambda: Drag(1, variation=1.5),
            "Drag: variation: 1.5 is more than 1; a variation is 0 to 1",
        ),
        (
            lambda: Drag(1, over_life=[(0, "x")]),
            'Drag: over_life[0][1]: "x" is not a number; a value is a finite number',
        ),
        (
            lambda: Acceleration((1, 2)),
            "Acceleration: value: [1, 2] is not a vector; a vector has 3 components",
        ),
        (
            lambda: Acceleration((0, 0, 0), "local"),
            'Acceleration: space: "local" is not "world" or "emitter"',
        ),
        (
            lambda: Vortex(1, axis=(0, 0, 0)),
            "Vortex: axis: [0, 0, 0] has no direction; a direction may not be zero",
        ),
        (
            lambda: Vortex(1, handedness="rihgt"),
            'Vortex: handedness: "rihgt" is not "right" or "left" or "random"; '
            'did you mean "right"?',
        ),
        (
            lambda: Vortex(1, handedness=[]),
            'Vortex: handedness: [] is not "right" or "left" or "random"',
        ),
        (
            lambda: Radial(1, falloff=(2, 1)),
            f"Radial: falloff: inner 2 is beyond outer 1; {FALLOFF}",
        ),
        (lambda: Radial(1, falloff=3), f"Radial: falloff: 3 is not a falloff; {FALLOFF}"),
        (
            lambda: Radial(1, falloff=(-1, 1)),
            "Radial: falloff[0]: -1 is negative; a distance is 0 or more",
        ),
        (Modifier, f"Modifier: a modifier is one of its kinds: {', '.join(kinds(Modifier))}"),
    ],
)
def test_what_a_modifier_refuses(call, sentence: str):
    with pytest.raises(EffectError) as error:
        call()

    assert str(error.value) == sentence
