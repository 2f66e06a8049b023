"""Shapes: where particles are born, and how evenly."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from gpuparticles.effect import Box, Circle, Cone, Point, Random, Shape, Sphere, kinds
from gpuparticles.effect.random import SHAPE, uniform
from gpuparticles.errors import EffectError

SEEDS = np.arange(100_000, dtype=np.uint32)
UNLIKELY = 1e-4  # of even births; seeds are fixed, so a test passes always or never


def born(shape: Shape, count: int = len(SEEDS)) -> np.ndarray:
    return shape.sample(Random(SEEDS[:count])).position


def drawn(nth: int, count: int) -> np.ndarray:
    """The nth number that a shape draws."""
    return uniform(SEEDS[:count], SHAPE + nth)


def evenness(*fractions: np.ndarray, bins: int = 8) -> float:
    """Probability by chi-square that these are uniform in [0, 1] and independent."""
    counts, _ = np.histogramdd(np.stack(fractions, axis=1), bins, [(0, 1)] * len(fractions))
    return float(stats.chisquare(counts.ravel()).pvalue)


def angle(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Angles as fractions of a turn."""
    return np.arctan2(b, a).astype(np.float64) / (2 * np.pi) % 1


@pytest.mark.parametrize("cls", kinds(Shape).values())
def test_every_shape_is_finite_float32_and_repeatable(cls: type[Shape]):
    example = cls.example()
    places = born(example, 1000)

    assert places.shape == (1000, 3)
    assert places.dtype == np.float32
    assert np.isfinite(places).all()
    assert np.array_equal(places, born(example, 1000))
    assert np.array_equal(places[:10], born(example, 10)), "a seed's place depends on nothing else"
    assert born(example, 0).shape == (0, 3)
    assert 0 <= example.spread <= 180


def test_a_point_is_the_origin():
    assert not born(Point(), 10).any()


def test_a_ball_is_filled_evenly():
    places = born(Sphere(radius=2)).astype(np.float64) / 2
    r = np.linalg.norm(places, axis=1)

    assert r.max() <= 1 + 1e-6
    assert r.mean() == pytest.approx(0.75, abs=0.005)
    assert places.mean(axis=0) == pytest.approx([0, 0, 0], abs=0.01)
    height = (places[:, 1] / r + 1) / 2
    assert evenness(r**3, height, angle(places[:, 0], places[:, 2])) > UNLIKELY


def test_a_box_is_filled_evenly_up_to_its_faces():
    half = np.array([1.0, 2.0, 0.25])
    places = born(Box(half=half)).astype(np.float64)

    assert (np.abs(places).max(axis=0) <= half).all()
    assert np.abs(places).max(axis=0) == pytest.approx(half, rel=1e-3)
    assert evenness(*((places / half + 1) / 2).T) > UNLIKELY


@pytest.mark.parametrize(
    "normal",
    [(0, 1, 0), (0, 0, 1), (1, 0, 0), (0, -1, 0), (1, 2, 3), (-3, -2, 0.1), (0, -1, 1e-9)],
)
def test_a_disc_is_filled_evenly_and_perpendicular_to_its_normal(normal: tuple[float, ...]):
    places = born(Circle(radius=3, normal=normal)).astype(np.float64) / 3
    n = np.array(normal) / np.linalg.norm(normal)
    r = np.linalg.norm(places, axis=1)

    assert np.abs(places @ n).max() < 1e-6
    assert r.max() <= 1 + 1e-6
    u = np.cross(n, [0.3, -0.5, 0.8])
    u /= np.linalg.norm(u)
    assert evenness(r**2, angle(places @ u, places @ np.cross(n, u))) > UNLIKELY


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_only_the_direction_of_a_normal_matters(scale: float):
    assert born(Circle(normal=(0, 0, scale)), 100) == pytest.approx(
        born(Circle(normal=(0, 0, 1)), 100), abs=1e-6
    )


def test_a_circle_with_the_default_normal_lies_in_xz():
    """First the radius is drawn, then the angle from +X towards +Z."""
    places = born(Circle(radius=2), 100)
    r, phi = 2 * np.sqrt(drawn(0, 100)), 2 * np.pi * drawn(1, 100)

    expected = np.stack([r * np.cos(phi), np.zeros(100), r * np.sin(phi)], axis=1)
    assert places == pytest.approx(expected, abs=1e-5)


def test_a_cone_is_born_on_the_same_disc_and_widens_the_spread():
    assert born(Cone(radius=2, angle=20), 100) == pytest.approx(
        born(Circle(radius=2), 100), abs=1e-6
    )
    assert Cone(angle=20).spread == 20.0
    assert Cone().spread == 30.0
    assert not born(Cone(), 10).any()


def test_a_sphere_draws_height_angle_radius_in_this_order():
    x, y, z = born(Sphere(), 100).T.astype(np.float64)
    r = np.cbrt(drawn(2, 100))

    assert y / r == pytest.approx(2 * drawn(0, 100) - 1, abs=1e-5)
    assert angle(x, z) == pytest.approx(drawn(1, 100), abs=1e-4)
    assert np.sqrt(x * x + y * y + z * z) == pytest.approx(r, abs=1e-6)


def test_a_box_draws_x_y_z_in_this_order():
    expected = np.stack([2 * drawn(axis, 100) - 1 for axis in range(3)], axis=1)

    assert born(Box(half=(1, 1, 1)), 100) == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("shape", [Sphere(0), Circle(0), Box((0, 0, 0)), Cone(0, 0), Cone(0, 180)])
def test_a_shape_without_extent_is_a_point(shape: Shape):
    assert not born(shape, 1000).any()


def test_a_flat_box_is_flat():
    places = born(Box(half=(1, 0, 1)), 1000)

    assert not places[:, 1].any()
    assert np.ptp(places[:, 0]) > 1.9


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: Sphere(-1), "Sphere: radius: -1 is negative; a radius is 0 or more"),
        (
            lambda: Circle(normal=(0, 0, 0)),
            "Circle: normal: [0, 0, 0] has no direction; a direction may not be zero",
        ),
        (lambda: Box((1, -1, 1)), "Box: half[1]: -1 is negative; a half extent is 0 or more"),
        (lambda: Box(1), "Box: half: 1 is not a half extent; a half extent has 3 components"),
        (
            lambda: Cone(angle=200),
            "Cone: angle: 200 is more than 180; an angle is 0 to 180 degrees",
        ),
        (lambda: Point(1), "Point: 1 values are given by position; it takes none"),
        (Shape, f"Shape: a shape is one of its kinds: {', '.join(kinds(Shape))}"),
    ],
)
def test_what_a_shape_refuses(call, sentence: str):
    with pytest.raises(EffectError) as error:
        call()

    assert str(error.value) == sentence
