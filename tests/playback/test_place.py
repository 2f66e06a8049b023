"""Transforms taken apart, put together again, and turned."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from pyglm import glm

from gpuparticles.effect import Offset
from gpuparticles.errors import EffectError
from gpuparticles.playback.place import (
    IDENTITY,
    Place,
    composed,
    conjugate,
    matrix_of,
    offset_of,
    place_of,
    rotate,
    slerp,
)

Matrix = NDArray[np.float64]

UNIT = st.floats(-1, 1)
QUATERNIONS = (
    st.tuples(UNIT, UNIT, UNIT, UNIT)
    .filter(lambda q: sum(x * x for x in q) > 1e-3)
    .map(lambda q: tuple(x / math.hypot(*q) for x in q))
)
VECTORS = st.tuples(*[st.floats(-100, 100)] * 3)
SIZES = st.tuples(*[st.floats(0.01, 100)] * 3)


def turn_matrix(turn: tuple[float, ...]) -> Matrix:
    return np.array([rotate(turn, axis) for axis in np.eye(3).tolist()]).T


def rest(place: Place) -> Matrix:
    """Scale, shear and mirror as a matrix."""
    return np.reshape(place.scale, (3, 3)).T


def matrix(place: Place) -> Matrix:
    """``translate(place) * rotate(turn) * scale``."""
    made = np.eye(4)
    made[:3, :3] = turn_matrix(place.turn) @ rest(place)
    made[:3, 3] = place.place
    return made


def affine(linear: Matrix, at: tuple[float, ...] = (0, 0, 0)) -> Matrix:
    made = np.eye(4)
    made[:3, :3] = linear
    made[:3, 3] = at
    return made


@given(VECTORS, QUATERNIONS, SIZES, st.sampled_from([1, -1]))
def test_translation_turn_and_scale_are_found_again(
    at: tuple[float, ...], turn: tuple[float, ...], sizes: tuple[float, ...], sign: int
) -> None:
    sizes = (sign * sizes[0], *sizes[1:])  # a mirror is taken along X
    place = place_of(affine(turn_matrix(turn) @ np.diag(sizes), at))
    assert place.place == at
    # A quaternion and its negative are the same turn.
    assert abs(np.dot(place.turn, turn)) == pytest.approx(1, abs=1e-12)
    assert rest(place) == pytest.approx(np.diag(sizes), rel=1e-9, abs=1e-9)


@given(st.lists(st.floats(-10, 10), min_size=12, max_size=12))
def test_any_affine_matrix_is_put_together_again(values: list[float]) -> None:
    given_matrix = affine(np.reshape(values[:9], (3, 3)), tuple(values[9:]))
    place = place_of(given_matrix)
    assert matrix(place) == pytest.approx(given_matrix, abs=1e-6)
    assert math.hypot(*place.turn) == pytest.approx(1, abs=1e-9)
    assert np.linalg.det(turn_matrix(place.turn)) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize(
    "linear",
    [
        np.zeros((3, 3)),
        np.diag((1.0, 0.0, 1.0)),
        np.diag((0.0, 0.0, 2.0)),
        np.diag((-1.0, -1.0, 1.0)),
        np.diag((-1.0, -1.0, -1.0)),
        np.ones((3, 3)),
        np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    ],
)
def test_flat_mirrored_and_sheared_matrices_too(linear: Matrix) -> None:
    place = place_of(affine(linear))
    assert matrix(place)[:3, :3] == pytest.approx(linear, abs=1e-9)
    assert np.all(np.isfinite([*place.turn, *place.scale]))


def test_none_is_the_identity() -> None:
    assert place_of(None) == IDENTITY
    assert matrix(IDENTITY) == pytest.approx(np.eye(4))
    assert place_of(np.eye(4)) == IDENTITY


@pytest.mark.parametrize("position", [(1, 2, 3), [1.0, 2.0, 3.0], np.array([1, 2, 3])])
def test_a_position_will_do(position: Any) -> None:
    assert place_of(position) == IDENTITY._replace(place=(1.0, 2.0, 3.0))


def test_a_position_in_the_plane_lies_at_z_0() -> None:
    assert place_of((4, 5)).place == (4.0, 5.0, 0.0)


def test_places_keep_double_precision() -> None:
    assert place_of((1e6 + 1e-4, 0, 0)).place[0] == 1e6 + 1e-4


def test_pyglm_matrices_and_vectors_are_read_as_they_look() -> None:
    made = glm.translate(glm.vec3(1, 2, 3)) * glm.rotate(math.pi / 2, glm.vec3(0, 0, 1))
    place = place_of(made)
    assert place.place == (1.0, 2.0, 3.0)
    assert rotate(place.turn, (1.0, 0.0, 0.0)) == pytest.approx((0, 1, 0), abs=1e-6)
    assert place_of(glm.vec3(1, 2, 3)).place == (1.0, 2.0, 3.0)


def test_a_matrix_with_its_translation_in_the_last_row_is_to_be_transposed() -> None:
    with pytest.raises(EffectError, match="last row must be transposed"):
        place_of(affine(np.eye(3), (1, 2, 3)).T)


def test_another_last_row_is_refused_without_that_hint() -> None:
    projective = np.eye(4)
    projective[3] = (0, 0, -1, 0)
    with pytest.raises(EffectError, match=r"last row is \(0\.0, 0\.0, -1\.0, 0\.0\)") as caught:
        place_of(projective)
    projective[:3, 3] = 1
    with pytest.raises(EffectError) as caught:
        place_of(projective)
    assert "transposed" not in str(caught.value)


@pytest.mark.parametrize(
    "wrong",
    [
        5,
        "here",
        (1, 2, 3, 4),
        np.eye(3),
        np.eye(4)[:3],
        [[1, 0], [0, 1, 2]],
        object(),
        {"x": 1},
        ("a", "b", "c"),
    ],
)
def test_what_is_no_transform_is_refused(wrong: Any) -> None:
    with pytest.raises(EffectError, match=r"^transform: .* is not a 4x4 matrix"):
        place_of(wrong)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_is_refused(value: float) -> None:
    broken = np.eye(4)
    broken[1, 2] = value
    with pytest.raises(EffectError, match=r"^teleport: .*every number must lie from"):
        place_of(broken, "teleport")
    with pytest.raises(EffectError, match="every number must lie from"):
        place_of((0, value, 0))


def test_a_view_may_be_no_position_and_a_projection_has_any_last_row() -> None:
    with pytest.raises(EffectError, match="view: "):
        matrix_of((1, 2, 3), "view")
    projection = np.arange(16.0).reshape(4, 4)
    assert matrix_of(projection, "projection") == projection.tolist()


@given(QUATERNIONS, VECTORS)
def test_rotate_keeps_lengths_and_conjugate_turns_back(
    turn: tuple[float, ...], v: tuple[float, ...]
) -> None:
    turned = rotate(turn, v)
    assert math.hypot(*turned) == pytest.approx(math.hypot(*v), abs=1e-9)
    assert rotate(conjugate(turn), turned) == pytest.approx(v, abs=1e-9)


def test_rotate_goes_counter_clockwise() -> None:
    half = math.sqrt(0.5)
    assert rotate((0, 0, half, half), (1, 0, 0)) == pytest.approx((0, 1, 0))
    assert rotate((half, 0, 0, half), (0, 1, 0)) == pytest.approx((0, 0, 1))
    assert rotate((0, half, 0, half), (0, 0, 1)) == pytest.approx((1, 0, 0))


@given(QUATERNIONS, QUATERNIONS, st.floats(0, 1))
def test_slerp_goes_the_shorter_way_at_an_even_pace(
    a: tuple[float, ...], b: tuple[float, ...], f: float
) -> None:
    def angle(p: tuple[float, ...], q: tuple[float, ...]) -> float:
        # Not arccos, which cannot tell small angles.
        p, q = np.array(p), np.array(q)
        q = q if p @ q >= 0 else -q
        return 4 * math.asin(min(np.linalg.norm(p - q) / 2, 1))

    whole = angle(a, b)
    mixed = slerp(a, b, f)
    assert math.hypot(*mixed) == pytest.approx(1, abs=1e-9)
    assert whole <= math.pi + 1e-9
    # Close turns are mixed in a line; there that is even to a part in ten thousand.
    assert angle(a, mixed) == pytest.approx(f * whole, abs=1e-4 * whole + 1e-7)
    assert angle(mixed, b) == pytest.approx((1 - f) * whole, abs=1e-4 * whole + 1e-7)


@given(QUATERNIONS, QUATERNIONS)
def test_slerp_ends_where_it_should(a: tuple[float, ...], b: tuple[float, ...]) -> None:
    assert abs(np.dot(slerp(a, b, 0.0), a)) == pytest.approx(1, abs=1e-9)
    assert abs(np.dot(slerp(a, b, 1.0), b)) == pytest.approx(1, abs=1e-9)


QUARTERS = st.integers(-40, 40).map(lambda number: number / 4)  # zero among them, but no traces


@given(
    st.lists(QUARTERS, min_size=12, max_size=12),
    QUATERNIONS,
    VECTORS,
    st.tuples(*[QUARTERS] * 3),
    st.booleans(),
)
def test_a_place_within_a_place_is_the_product_of_both(
    values: list[float],
    turn: tuple[float, ...],
    at: tuple[float, ...],
    sizes: tuple[float, ...],
    rigid: bool,
) -> None:
    outer = place_of(affine(np.reshape(values[:9], (3, 3)), tuple(values[9:])))
    outer = outer._replace(scale=IDENTITY.scale) if rigid else outer
    inner = place_of(affine(turn_matrix(turn) @ np.diag(sizes), at))
    found = composed(outer, inner)
    assert matrix(found) == pytest.approx(matrix(outer) @ matrix(inner), abs=1e-5)
    assert math.hypot(*found.turn) == pytest.approx(1, abs=1e-9)


def test_an_offset_turns_about_x_then_y_then_z_and_a_plain_one_is_none() -> None:
    place = offset_of(Offset((1, 2, 3), (90, 90, 0)))
    assert place is not None
    assert place.place == (1, 2, 3)
    # About X first: up becomes towards +Z, and from there about Y towards +X.
    assert rotate(place.turn, (0, 1, 0)) == pytest.approx((1, 0, 0), abs=1e-12)
    assert offset_of(Offset(scale=(1, 1, 1))) is None


def test_an_offset_that_mirrors_is_taken_along_x() -> None:
    place = offset_of(Offset(scale=(1, -2, 1)))
    assert place is not None
    assert matrix(place)[:3, :3] == pytest.approx(np.diag([1, -2, 1]), abs=1e-12)
    assert place.scale[0] < 0 < place.scale[4]
