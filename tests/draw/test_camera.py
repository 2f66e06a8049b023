"""Camera matrices against answers worked out by hand."""

from __future__ import annotations

from itertools import product
from math import radians, sqrt, tan

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

from gpuparticles.draw.camera import fit, look_at, orthographic, perspective
from gpuparticles.errors import EffectError


def project(matrix: NDArray[np.float64], point: ArrayLike) -> NDArray[np.float64]:
    """Where a point lands in normalised device coordinates."""
    x, y, z, w = matrix @ np.append(np.asarray(point, dtype=np.float64), 1.0)
    return np.array((x, y, z)) / w


def corners(lower: ArrayLike, upper: ArrayLike) -> list[tuple[float, ...]]:
    return list(product(*zip(np.asarray(lower).tolist(), np.asarray(upper).tolist(), strict=True)))


def test_perspective_maps_the_frustum_to_the_clip_volume() -> None:
    matrix = perspective(90, 2.0, 1.0, 9.0)

    assert matrix.dtype == np.float64
    np.testing.assert_allclose(project(matrix, (0, 0, -1)), (0, 0, -1), atol=1e-12)
    np.testing.assert_allclose(project(matrix, (0, 0, -9)), (0, 0, 1), atol=1e-12)
    # At 90 degrees the frustum is as high as it is deep, and here twice as wide.
    np.testing.assert_allclose(project(matrix, (6, 3, -3))[:2], (1, 1), atol=1e-12)
    np.testing.assert_allclose(project(matrix, (-10, 5, -5))[:2], (-1, 1), atol=1e-12)


def test_perspective_scale_is_the_cotangent_of_half_the_angle() -> None:
    assert perspective(60, 1.0, 0.1, 10)[1, 1] == pytest.approx(sqrt(3))


def test_orthographic_maps_its_box_to_the_clip_volume() -> None:
    matrix = orthographic(0, 640, 0, 480, -10, 30)

    np.testing.assert_allclose(project(matrix, (0, 0, 10)), (-1, -1, -1), atol=1e-12)
    np.testing.assert_allclose(project(matrix, (640, 480, -30)), (1, 1, 1), atol=1e-12)
    np.testing.assert_allclose(project(matrix, (320, 120, -10)), (0, -0.5, 0), atol=1e-12)


def test_orthographic_may_point_y_down() -> None:
    matrix = orthographic(0, 10, 10, 0)

    np.testing.assert_allclose(project(matrix, (0, 0, 0))[:2], (-1, 1), atol=1e-12)


def test_look_at_along_minus_z_only_moves() -> None:
    expected = np.eye(4)
    expected[:3, 3] = -1, -2, -7

    np.testing.assert_allclose(look_at((1, 2, 7), (1, 2, 0)), expected, atol=1e-12)


def test_look_at_is_a_rotation_that_puts_the_target_on_minus_z() -> None:
    eye, target = np.array((3.0, 4.0, 12.0)), np.zeros(3)
    view = look_at(eye, target)

    np.testing.assert_allclose(view[:3, :3] @ view[:3, :3].T, np.eye(3), atol=1e-12)
    assert np.linalg.det(view[:3, :3]) == pytest.approx(1)
    np.testing.assert_allclose(project(view, target), (0, 0, -13), atol=1e-12)
    np.testing.assert_allclose(project(view, eye), (0, 0, 0), atol=1e-12)
    assert (view[:3, :3] @ (0, 1, 0))[0] == pytest.approx(0)  # the horizon is level
    assert (view[:3, :3] @ (0, 1, 0))[1] > 0


def test_look_at_keeps_float64_far_from_the_origin() -> None:
    view = look_at((1e6 + 3, 2e6, 5), (1e6 + 3, 2e6, 0))

    np.testing.assert_allclose(project(view, (1e6 + 3.25, 2e6, 0)), (0.25, 0, -5), atol=1e-9)


@pytest.mark.parametrize("scale", [1e-300, 1e-30, 1e30])
def test_look_at_turns_the_same_way_however_small_or_large_the_world(scale: float) -> None:
    view = look_at((3 / 5 * scale, 0, 4 / 5 * scale), (0, 0, 0))

    np.testing.assert_allclose(view[2, :3], (0.6, 0, 0.8), atol=1e-12)


@pytest.mark.parametrize("fov_y", [None, 40.0])
def test_fit_of_a_box_at_the_end_of_the_world_is_what_float32_holds(fov_y: float | None) -> None:
    matrices = np.array(fit((-1e29, -1e29, -1e29), (1e29, 1e29, 1e29), 1.0, fov_y=fov_y))

    assert np.isfinite(matrices.astype(np.float32)).all()
    assert np.abs(matrices).max() <= 1e30


def test_looking_straight_down_shows_a_map() -> None:
    view = look_at((0, 5, 0), (0, 0, 0))

    np.testing.assert_allclose(project(view, (1, 0, 0)), (1, 0, -5), atol=1e-12)
    np.testing.assert_allclose(project(view, (0, 0, -1)), (0, 1, -5), atol=1e-12)


def test_looking_along_a_z_up_axis_takes_y() -> None:
    view = look_at((0, 0, 5), (0, 0, 0), up=(0, 0, 1))

    np.testing.assert_allclose(project(view, (0, 1, 0)), (0, 1, -5), atol=1e-12)


@pytest.mark.parametrize("aspect", [0.5, 1.0, 16 / 9])
@pytest.mark.parametrize("fov_y", [None, 10.0, 40.0, 120.0])
@pytest.mark.parametrize(("azimuth", "elevation"), [(0, 0), (0, 10), (35, 25), (200, -60), (0, 90)])
def test_fit_touches_the_margins_and_centres(
    aspect: float, fov_y: float | None, azimuth: float, elevation: float
) -> None:
    lower, upper = (-1, 0, -2), (3, 5, 1.5)
    view, projection = fit(
        lower,
        upper,
        aspect,
        fov_y=fov_y,
        azimuth=azimuth,
        elevation=elevation,
        margin=0.1,
    )
    shown = np.array([project(projection @ view, corner) for corner in corners(lower, upper)])
    low, high = shown.min(axis=0), shown.max(axis=0)

    assert max(high[0], high[1]) == pytest.approx(0.9, abs=1e-9)
    tight = 0 if high[0] > high[1] else 1
    assert low[tight] == pytest.approx(-0.9, abs=1e-9)
    assert (low[:2] >= -0.9 - 1e-9).all()
    assert (np.abs(shown[:, 2]) < 1).all()  # within the near and far planes


def test_fit_from_the_front_is_the_closest_distance_by_hand() -> None:
    view, projection = fit((-2, -1, -3), (2, 1, 3), 1.0, fov_y=90, elevation=0, margin=0)

    # The near face is 4 wide: at 90 degrees it fills the picture from 2 away, 5 from the centre.
    np.testing.assert_allclose(view[:3, 3], (0, 0, -5), atol=1e-12)
    np.testing.assert_allclose(view[:3, :3], np.eye(3), atol=1e-12)
    assert projection[1, 1] == pytest.approx(1 / tan(radians(45)))


def test_fit_keeps_the_horizon_level_and_looks_from_the_named_side() -> None:
    view, _ = fit((-1, -1, -1), (1, 1, 1), 1.0, azimuth=90, elevation=20)
    eye = -view[:3, :3].T @ view[:3, 3]

    assert view[0, 1] == pytest.approx(0)
    assert eye[0] > 2
    assert eye[2] == pytest.approx(0, abs=1e-9)
    assert view[1, 1] > 0


def test_fit_flat_is_exact_in_pixels() -> None:
    view, projection = fit((0, 0, 0), (200, 100, 0), 2.0, fov_y=None, elevation=0, margin=0)

    np.testing.assert_allclose(project(projection @ view, (0, 0, 0))[:2], (-1, -1), atol=1e-12)
    np.testing.assert_allclose(project(projection @ view, (200, 100, 0))[:2], (1, 1), atol=1e-12)


@pytest.mark.parametrize("fov_y", [None, 40.0])
@pytest.mark.parametrize("upper", [(2, 3, 4), (2, 3, 50), (2, 90, 4), (1e6, 3, 4)])
def test_fit_of_a_point_or_a_needle_is_finite_and_shows_it(
    upper: tuple[float, float, float], fov_y: float | None
) -> None:
    view, projection = fit((2, 3, 4), upper, 1.0, fov_y=fov_y)

    for corner in corners((2, 3, 4), upper):
        assert (np.abs(project(projection @ view, corner)) < 1).all()


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: perspective(0, 1, 1, 2), "fov_y: 0 degrees, but it must lie between 1e-9 and 180"),
        (lambda: perspective(40, 0, 1, 2), "aspect: 0, but width over height must lie from 1e-9"),
        (lambda: perspective(40, 1, 2, 1), "near and far: 2 and 1, but 0 < near < far <= 1e30"),
        (lambda: orthographic(1, 1, 0, 1), "opposite planes must be apart, by 2e-30 or more"),
        (lambda: orthographic(0, 1e-40, 0, 1), "opposite planes must be apart"),
        (lambda: orthographic(0, 10**400, 0, 1), "every number must lie from -1e30 to 1e30"),
        (lambda: orthographic(0, float("nan"), 0, 1), "every number must lie from -1e30"),
        (lambda: perspective(5e-324, 1, 1, 2), "fov_y: 5e-324 degrees"),
        (lambda: perspective(40, 1e-320, 1, 2), "aspect: "),
        (lambda: perspective(40, 1, 1, 1e31), "near and far: 1 and 1e+31"),
        (lambda: look_at((1e31, 0, 0), (0, 0, 0)), "eye: [1e+31, 0, 0], but three numbers from"),
        (lambda: look_at((0, 0, 0), (0, 10**400, 0)), "target: "),
        (lambda: fit((0, 0, 0), (1, 1, 1e31), 1), "upper: [1, 1, 1e+31], but three numbers"),
        (lambda: fit((0, 0, 0), (1e29, 1, 1), 1, fov_y=1e-9), "fit: the camera would be "),
        (lambda: look_at((1, 2, 3), (1, 2, 3)), "eye and target are both (1.0, 2.0, 3.0)"),
        (lambda: look_at((1, 2), (0, 0, 0)), "eye: [1, 2], but three numbers from -1e30 to 1e30"),
        (lambda: look_at((0, 0, float("nan")), (0, 0, 0)), "three numbers from"),
        (lambda: fit((1, 0, 0), (0, 0, 0), 1), "lower (1.0, 0.0, 0.0) exceeds upper"),
        (lambda: fit((0, 0, 0), (1, 1, 1), 1, margin=1), "margin: 1, but it must lie in 0..1"),
        (lambda: fit((0, 0, 0), (1, 1, 1), 1, fov_y=180), "fov_y: 180 degrees"),
        (lambda: fit((0, 0, 0), (1, 1, 1), 1, elevation=91), "elevation 91: not a direction"),
        (lambda: fit((0, 0, 0), (1, 1, 1), -1), "aspect: -1, but width over height"),
    ],
)
def test_a_camera_that_makes_no_sense_is_refused(call: object, sentence: str) -> None:
    assert callable(call)
    with pytest.raises(EffectError) as caught:
        call()

    assert sentence in str(caught.value)
