"""Every shape and fill is even over its volume, area or length, and its normals lead out of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from scipy import stats

import gpuparticles as gp
from gpuparticles.effect import Moments, Places, Random, Shape, kinds

SEEDS = np.arange(20_000, dtype=np.uint32)
UNLIKELY = 1e-4  # of even births; seeds are fixed, so a test passes always or never
Doubles = NDArray[np.float64]


def born(shape: Shape) -> Places:
    return shape.sample(Random(SEEDS))


def position(shape: Shape) -> Doubles:
    return born(shape).position.astype(np.float64)


def normal(shape: Shape) -> Doubles:
    found = born(shape).normal
    assert found is not None
    return found.astype(np.float64)


def evenness(*fractions: Doubles, bins: int = 8) -> float:
    """Probability by chi-square that these are uniform in [0, 1] and independent."""
    counts, _ = np.histogramdd(np.stack(fractions, axis=1), bins, [(0, 1)] * len(fractions))
    assert counts.sum() == len(fractions[0]), "some lie outside"
    return float(stats.chisquare(counts.ravel()).pvalue)


def fits(counts: Any, weights: Any) -> float:
    """Probability by chi-square that counts follow weights."""
    weights = np.asarray(weights, np.float64)
    return float(stats.chisquare(counts, weights / weights.sum() * np.sum(counts)).pvalue)


def around(places: Doubles) -> Doubles:
    """Angles round Y as fractions of a turn."""
    return np.arctan2(places[:, 2], places[:, 0]) / (2 * np.pi) % 1


def off_axis(places: Doubles) -> Doubles:
    return np.hypot(places[:, 0], places[:, 2])


def clipped(fractions: Doubles) -> Doubles:
    """Fractions that rounding has put a little outside."""
    assert fractions.min() > -1e-4
    assert fractions.max() < 1 + 1e-4
    return np.clip(fractions, 0, 1)


MADE = [
    *(cls.example() for cls in kinds(Shape).values()),
    gp.Box(fill="surface"),
    gp.Box(fill="edges"),
    gp.Cone(0.3, 40, 2, "surface"),
    gp.Cone(0.3, 40, 2, "volume"),
    gp.Mesh(gp.Mesh.example().geometry, "vertices"),
    gp.Line((1, 1, 1), (1, 1, 1)),
    gp.Circle(0),
    gp.Torus(0, 0),
]


@pytest.mark.parametrize("shape", MADE, ids=lambda shape: f"{shape.kind}")
def test_normals_have_length_1(shape: Shape) -> None:
    found = born(shape)
    if found.normal is not None:
        assert found.normal.dtype == np.float32
        lengths = np.linalg.norm(found.normal.astype(np.float64), axis=1)
        assert lengths == pytest.approx(1, abs=1e-5)
    assert np.isfinite(found.position).all()


# Round an axis


@pytest.mark.parametrize(("radius", "inner"), [(3, 0), (3, 1), (1, 3), (2, 2)])
def test_a_ring_is_even_between_its_radii(radius: float, inner: float) -> None:
    shape = gp.Circle(radius, inner=inner, arc=90)
    places = position(shape)
    r, low, high = off_axis(places), min(radius, inner), max(radius, inner)

    angle = clipped(around(places) * 4)
    if low == high:
        assert r == pytest.approx(radius, rel=1e-5)
        assert evenness(angle) > UNLIKELY
    else:
        even = clipped((r**2 - low**2) / (high**2 - low**2))
        assert evenness(even, angle) > UNLIKELY
    assert normal(shape) == pytest.approx(places / r[:, None], abs=1e-5)


@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize("thickness", [1.0, 0.25, 0.0])
def test_a_shell_is_even_through_its_volume(thickness: float, half: bool) -> None:
    shape = gp.Sphere(2, thickness, half, arc=180)
    places = position(shape)
    r, inner = np.linalg.norm(places, axis=1) / 2, 1 - thickness
    height = places[:, 1] / np.linalg.norm(places, axis=1)
    height = height if half else (height + 1) / 2

    assert evenness(clipped(height), clipped(around(places) * 2)) > UNLIKELY
    if thickness:
        assert evenness(clipped((r**3 - inner**3) / (1 - inner**3)), clipped(height)) > UNLIKELY
    else:
        assert r == pytest.approx(1, rel=1e-5)
    assert normal(shape) == pytest.approx(places / r[:, None] / 2, abs=1e-4)


def test_a_cylinder_is_even_and_stands_round_its_middle() -> None:
    places = position(gp.Cylinder(2, 3, 1))
    even = clipped((off_axis(places) ** 2 - 1) / 3)

    assert evenness(even, around(places), clipped(places[:, 1] / 3 + 0.5)) > UNLIKELY
    assert normal(gp.Cylinder(2, 3, 1))[:, 1].any() == np.False_


@pytest.mark.parametrize(("radius", "angle"), [(0, 30), (0.5, 30), (0.5, 0), (2, 60)])
def test_a_cone_is_even_through_its_volume(radius: float, angle: float) -> None:
    places = position(gp.Cone(radius, angle, 1.5, "volume"))
    end = radius + 1.5 * np.tan(np.radians(angle))
    wide = radius + (end - radius) * places[:, 1] / 1.5
    height = places[:, 1] / 1.5
    if end > radius:
        height = (wide**3 - radius**3) / (end**3 - radius**3)

    across = clipped((off_axis(places) / wide) ** 2)
    assert evenness(clipped(height), across, around(places)) > UNLIKELY


@pytest.mark.parametrize(("radius", "angle"), [(0, 30), (0.5, 30), (0.5, 0)])
def test_a_cones_mantle_is_even_and_its_normals_are_perpendicular(
    radius: float, angle: float
) -> None:
    shape = gp.Cone(radius, angle, 1.5, "surface")
    places, normals = position(shape), normal(shape)
    end = radius + 1.5 * np.tan(np.radians(angle))
    wide = radius + (end - radius) * places[:, 1] / 1.5
    height = places[:, 1] / 1.5
    if end > radius:
        height = (wide**2 - radius**2) / (end**2 - radius**2)

    assert off_axis(places) == pytest.approx(wide, abs=1e-5)
    assert evenness(clipped(height), around(places)) > UNLIKELY
    a = np.radians(angle)
    phi = 2 * np.pi * around(places)
    rays = np.stack(
        [np.sin(a) * np.cos(phi), np.full(len(phi), np.cos(a)), np.sin(a) * np.sin(phi)], axis=1
    )
    assert np.abs((rays * normals).sum(axis=1)).max() < 2e-3


def test_a_line_of_no_width_is_a_cone_too() -> None:
    places = position(gp.Cone(0, 0, 2, "volume"))

    assert not off_axis(places).any()
    assert evenness(places[:, 1] / 2) > UNLIKELY


@pytest.mark.parametrize("thickness", [1.0, 0.5, 0.0])
@pytest.mark.parametrize("tube", [0.5, 1.0])
def test_a_torus_is_even(tube: float, thickness: float) -> None:
    """In the tube by area times the way round, which is longer outside."""
    shape = gp.Torus(1, tube, thickness)
    places = position(shape)
    x, y = off_axis(places) - 1, places[:, 1]
    r, theta = np.hypot(x, y), np.arctan2(y, x) % (2 * np.pi)
    inner = (1 - thickness) * tube

    # What the density 1 + r cos(theta) adds up to, from 0 to theta: even, whatever r.
    reached = (theta + r * np.sin(theta)) / (2 * np.pi)
    assert evenness(clipped(reached), around(places)) > UNLIKELY
    if thickness:
        even = clipped((r**2 - inner**2) / (tube**2 - inner**2))
        assert evenness(even, clipped(reached)) > UNLIKELY
    else:
        assert r == pytest.approx(tube, abs=1e-5)
    out = normal(shape) * r[:, None]
    assert out[:, 1] == pytest.approx(y, abs=1e-5)
    assert (out * places).sum(axis=1) == pytest.approx(x * off_axis(places) + y * y, abs=1e-4)


# Boxes

HALF = np.array([1.0, 2.0, 0.25])


def test_a_boxs_faces_are_even_and_their_normals_lead_out() -> None:
    shape = gp.Box(HALF, "surface")
    places, normals = position(shape) / HALF, normal(shape)

    out = np.abs(places) == 1
    assert (out.sum(axis=1) == 1).all()
    assert (normals == np.where(out, places, 0)).all()
    face = 2 * np.argmax(out, axis=1) + (places.sum(axis=1, where=out) > 0)
    areas = [HALF[1] * HALF[2], HALF[0] * HALF[2], HALF[0] * HALF[1]]
    assert fits(np.bincount(face, minlength=6), np.repeat(areas, 2)) > UNLIKELY
    front = places[out[:, 2]]
    assert evenness(*((front[:, :2] + 1) / 2).T) > UNLIKELY


def test_a_boxs_edges_are_even_by_their_length() -> None:
    shape = gp.Box(HALF, "edges")
    places, normals = position(shape) / HALF, normal(shape)

    out = np.abs(places) == 1
    assert (out.sum(axis=1) == 2).all()
    assert normals == pytest.approx(np.where(out, places, 0) / np.sqrt(2), abs=1e-6)
    sides = (places > 0) @ np.array([1, 2, 4])
    for axis in range(3):
        along = ~out[:, axis]
        corner = sides[along] & ~(1 << axis)
        assert stats.chisquare(np.unique(corner, return_counts=True)[1]).pvalue > UNLIKELY
        assert evenness((places[along, axis] + 1) / 2) > UNLIKELY
    assert fits((~out).sum(axis=0), HALF) > UNLIKELY


def test_within_a_box_the_nearest_face_gives_the_normal() -> None:
    shape = gp.Box(HALF)
    places, normals = position(shape), normal(shape)
    to_face = (HALF - np.abs(places)).min(axis=1)

    reached = np.abs(places + normals * to_face[:, None])
    assert (HALF - reached).min(axis=1) == pytest.approx(0, abs=1e-6)
    assert (np.abs(normals).sum(axis=1) == 1).all()


# Lines


def test_a_line_is_even_and_its_normals_point_to_all_sides() -> None:
    shape = gp.Line((1, 2, 3), (1, 2, 5))
    places, normals = position(shape), normal(shape)

    assert (places[:, :2] == (1, 2)).all()
    angle = np.arctan2(normals[:, 1], normals[:, 0]) / (2 * np.pi) % 1
    assert evenness((places[:, 2] - 3) / 2, angle) > UNLIKELY
    assert np.abs(normals[:, 2]).max() < 1e-6


@pytest.mark.parametrize("closed", [False, True])
def test_a_polyline_is_even_over_its_length(closed: bool) -> None:
    shape = gp.Polyline([(0, 0, 0), (3, 0, 0), (3, 0, 0), (3, 1, 0), (0, 1, 0)], closed)
    places, normals = position(shape), normal(shape)
    x, y = places[:, 0], places[:, 1]

    low, right, top = y == 0, x == 3, y == 1
    left = ~(low | right | top)
    along = np.where(low, x, np.where(right, 3 + y, np.where(top, 7 - x, 8 - y)))
    assert left.any() == closed
    assert evenness(along / (8 if closed else 7), bins=64) > UNLIKELY
    assert not normals[low & ~right, 0].any()


def test_points_that_coincide_are_a_polyline_too() -> None:
    assert (position(gp.Polyline([(1, 2, 3)] * 3)) == (1, 2, 3)).all()


# One by one


def test_a_grids_points_are_all_as_likely() -> None:
    places = position(gp.Grid((4, 1, 3), (1, 5, 2)))
    cells, counts = np.unique(places, axis=0, return_counts=True)

    assert cells.tolist() == [[x, 0, z] for x in (-1.5, -0.5, 0.5, 1.5) for z in (-2, 0, 2)]
    assert stats.chisquare(counts).pvalue > UNLIKELY


def counted(shape: Shape, numbers: Any) -> Places:
    """Births of a burst."""
    numbers = np.asarray(numbers)
    births = Moments(0.0 * numbers, numbers, numbers, np.full_like(numbers, len(numbers)))
    return shape.sample(Random(SEEDS[: len(numbers)], shape.phases(births).astype(np.float32)))


def test_births_go_through_a_grid_in_order() -> None:
    shape = gp.Grid((2, 2, 2), (1, 2, 4), "sequence")
    cells = [[x, y, z] for z in (-2, 2) for y in (-1, 1) for x in (-0.5, 0.5)]

    assert counted(shape, np.arange(10)).position.tolist() == cells + cells[:2]


def test_points_come_with_their_normals_and_colours() -> None:
    where = np.array([[0, 1, 2], [3, 4, 5], [6, 7, 8]])
    shape = gp.Points(where, [(0, 0, 2), (0, 0, 0), (-3, 0, 0)], np.eye(3))
    found = born(shape)
    assert found.normal is not None
    assert found.color is not None

    which = found.position[:, 0].astype(int) // 3
    assert stats.chisquare(np.bincount(which)).pvalue > UNLIKELY
    assert (found.position == where[which]).all()
    assert (found.normal == np.array([(0, 0, 1), (0, 1, 0), (-1, 0, 0)])[which]).all()
    assert (found.color == np.c_[np.eye(3), np.ones(3)][which]).all()


def test_points_follow_each_other() -> None:
    shape = gp.Points([(k, 0, 0) for k in range(5)], order="sequence")

    assert counted(shape, [0, 1, 2, 3, 4, 5, 13]).position[:, 0].tolist() == [0, 1, 2, 3, 4, 0, 3]


PIXELS = np.array(
    [
        [(1, 0, 0, 1), (0, 1, 0, 0.5), (0, 0, 0, 0)],
        [(0, 0, 1, 0.25), (0, 0, 0, 0), (1, 1, 1, 0.25)],
    ]
)


def test_an_image_is_as_dense_as_it_is_opaque_and_stands_upright() -> None:
    found = born(gp.Image(PIXELS, width=6))
    places = found.position.astype(np.float64)
    column, row = np.floor(places[:, 0] / 2 + 1.5), np.floor(1 - places[:, 1] / 2)
    which = (3 * row + column).astype(int)

    assert fits(np.bincount(which, minlength=6)[[0, 1, 3, 5]], [4, 2, 1, 1]) > UNLIKELY
    assert set(which) == {0, 1, 3, 5}
    assert not places[:, 2].any()
    assert found.color is not None
    assert (found.color[:, :3] == PIXELS.reshape(6, 4)[which, :3]).all()
    assert (found.color[:, 3] == 1).all()
    within = places[which == 0]
    assert evenness(clipped((within[:, 0] + 3) / 2), clipped(within[:, 1] / 2)) > UNLIKELY
    assert (normal(gp.Image(PIXELS)) == (0, 0, 1)).all()
    assert born(gp.Image(PIXELS, colored=False)).color is None


def test_every_form_of_a_picture_is_the_same(tmp_path: Path) -> None:
    levels = np.round(PIXELS * 255).astype(np.uint8)
    picture = Image.fromarray(levels, "RGBA")
    picture.save(tmp_path / "a.png")
    held = gp.Image(levels)

    assert gp.Image(picture) == held
    assert gp.Image(tmp_path / "a.png") == held
    assert gp.Image(levels / np.float32(255)) == held
    assert gp.Image(levels[..., :3]).picture.data[..., 3].min() == 1
    assert gp.Image(levels[..., 3]).picture.data[0, 1].tolist() == pytest.approx(
        [1, 1, 1, 0.5], abs=0.01
    )


# Meshes

QUAD = gp.Geometry(
    [(0, 0, 0), (2, 0, 0), (2, 0, 3), (0, 0, 3)],
    [(0, 1, 2), (0, 2, 3)],
    colors=[(0, 0, 0, 1), (2, 0, 0, 1), (2, 0, 3, 1), (0, 0, 3, 1)],
)


def test_a_meshs_surface_is_even() -> None:
    found = born(gp.Mesh(QUAD))
    places = found.position.astype(np.float64)

    assert evenness(clipped(places[:, 0] / 2), clipped(places[:, 2] / 3)) > UNLIKELY
    assert (normal(gp.Mesh(QUAD)) == (0, -1, 0)).all()
    assert found.color is not None
    assert found.color == pytest.approx(np.c_[places, np.ones(len(places))], abs=1e-5)


def test_faces_are_as_likely_as_they_are_large() -> None:
    mesh = gp.Geometry(
        [(0, 0, 0), (1, 0, 0), (0, 1, 0), (9, 0, 0), (12, 0, 0), (9, 0, 2), (5, 5, 5)],
        [(0, 1, 2), (6, 6, 6), (3, 4, 5)],
    )
    far = position(gp.Mesh(mesh))[:, 0] > 8

    assert fits([np.sum(~far), np.sum(far)], [1, 6]) > UNLIKELY
    assert (normal(gp.Mesh(mesh)) == np.where(far[:, None], (0, -1, 0), (0, 0, 1))).all()


def test_a_meshs_vertices_are_all_as_likely() -> None:
    shape = gp.Mesh(QUAD, "vertices")
    corners, counts = np.unique(np.round(position(shape), 5), axis=0, return_counts=True)

    assert corners.tolist() == [[0, 0, 0], [0, 0, 3], [2, 0, 0], [2, 0, 3]]
    assert stats.chisquare(counts).pvalue > UNLIKELY
    assert normal(shape) == pytest.approx(np.tile([0, -1, 0], (len(SEEDS), 1)))


def test_normals_of_corners_are_mixed() -> None:
    mesh = gp.Geometry(
        [(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)], normals=[(1, 0, 0), (0, 1, 0), (0, 0, 1)]
    )
    places = position(gp.Mesh(mesh))
    expected = np.c_[1 - places[:, 0] - places[:, 1], places[:, 0], places[:, 1]]
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)

    assert normal(gp.Mesh(mesh)) == pytest.approx(expected, abs=1e-5)


# Arcs


def phases(shape: Any, time: Any = 0.0, total: int = 0, count: int = 5) -> list[float]:
    numbers = np.arange(count)
    births = Moments(np.zeros(count) + time, numbers, numbers, np.full(count, total))
    return list(shape.phases(births))


def test_a_loop_runs_through_the_arc_at_its_speed() -> None:
    shape = gp.Circle(1, arc=90, arc_mode="loop", arc_speed=0.5)
    time = np.array([0, 0.25, 0.5, 0.75, 86400.125])

    assert phases(shape, time) == pytest.approx([0, 0.5, 0, 0.5, 0.25], abs=1e-9)
    back = gp.Circle(1, arc=90, arc_mode="loop", arc_speed=-0.5)
    assert phases(back, time) == pytest.approx([0, 0.5, 0, 0.5, 0.75], abs=1e-9)


def test_ping_pong_turns_back() -> None:
    shape = gp.Sphere(arc_mode="ping_pong", arc_speed=1)

    found = phases(shape, np.array([0, 0.75, 1, 1.25, 2]))
    assert found == pytest.approx([0, 0.75, 1, 0.75, 0])


def test_a_burst_is_spread_evenly_and_a_rate_by_the_golden_ratio() -> None:
    shape = gp.Torus(arc_mode="spread")

    assert phases(shape, total=5) == [0, 0.2, 0.4, 0.6, 0.8]
    assert phases(shape) == pytest.approx([0, 0.618034, 0.236068, 0.854102, 0.472136], abs=1e-6)


def test_a_phase_is_the_place_on_the_arc() -> None:
    shape = gp.Cylinder(2, 0, 2, arc=180, arc_mode="spread")

    places = counted(shape, np.arange(4)).position
    expected = [[2 * np.cos(a), 0, 2 * np.sin(a)] for a in np.pi * np.array([0, 1, 2, 3]) / 4]
    assert places == pytest.approx(np.array(expected), abs=1e-6)


def test_an_arc_of_nothing_is_a_place() -> None:
    shape = gp.Circle(1, arc=0, arc_mode="loop")

    assert phases(shape, 7.0) == [0] * 5


# What is refused


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (
            lambda: gp.Box(fill="surfaces"),
            'Box: fill: "surfaces" is not "volume" or "surface" or "edges"; '
            'did you mean "surface"?',
        ),
        (
            lambda: gp.Cone(1, 120, 1, "volume"),
            "Cone: angle: 120 is too wide for a cone with a length; its angle is 0 to 89 degrees",
        ),
        (
            lambda: gp.Torus(1, 2),
            "Torus: tube: 2 is more than the radius 1; a tube may not run into itself",
        ),
        (
            lambda: gp.Circle(arc=400),
            "Circle: arc: 400 is more than 360; an arc is 0 to 360 degrees",
        ),
        (
            lambda: gp.Grid((5000, 5000, 1)),
            "Grid: counts: 25000000 points are too many; a grid has up to 16777216",
        ),
        (
            lambda: gp.Points([(0, 0, 0)] * 3, normals=[(0, 1, 0)]),
            "Points: normals: 1 rows are given for 3 positions; each has its own",
        ),
        (
            lambda: gp.Points([(0, 0, 0), (0, np.nan, 0)]),
            "Points: positions[1][1]: NaN is not finite; positions are finite numbers",
        ),
        (
            lambda: gp.Image(np.zeros((2, 2, 4))),
            "Image: picture: every pixel is transparent; particles are born where alpha is above 0",
        ),
        (
            lambda: gp.Image(np.full((2, 2, 4), 255.0)),
            "Image: picture[0][0][3]: 255 is more than 1; an alpha is 0 to 1",
        ),
        (
            lambda: gp.Points([(0, 0, 0)], colors=[(255, 0, 0, 255)]),
            "Points: colors[0][3]: 255 is more than 1; an alpha is 0 to 1",
        ),
        (
            lambda: gp.Geometry([(0, 0, 0)], colors=[(9, 0, 0, 2)]),
            "Geometry: colors[0][3]: 2 is more than 1; an alpha is 0 to 1",
        ),
        (
            lambda: gp.Image(np.zeros((0, 2, 4))),
            "Image: picture: 0 x 2 x 4 is given; a picture is the path of one, a PIL image, or an "
            "array of pixels (height, width, 4)",
        ),
        (
            lambda: gp.Image("/nowhere/a.png"),
            "Image: picture: /nowhere/a.png: cannot be read: No such file or directory",
        ),
        (
            lambda: gp.Image(__file__),
            f"Image: picture: {__file__}: cannot be read: it is no picture, or a broken one",
        ),
        (
            lambda: gp.Mesh(gp.Geometry([(0, 0, 0)])),
            'Mesh: place: "surface" is given for a mesh without faces; particles can be born at '
            'its "vertices"',
        ),
        (
            lambda: gp.Polyline([(0, 0, 0)]),
            "Polyline: points: 1 x 3 is given; points are 2 or more rows of 3 numbers, or the path "
            "of a .npy file",
        ),
    ],
)
def test_what_is_refused(make: Any, sentence: str) -> None:
    with pytest.raises(gp.EffectError) as error:
        make()

    assert str(error.value) == sentence
