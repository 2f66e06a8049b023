"""Cameras and places: matrices of every kind, far from the origin, local space, mirrors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pyglm import glm

import gpuparticles as gp
from gpuparticles.draw.camera import look_at, orthographic, perspective
from tests.draw.conftest import Pixels, Scene, box, particle, picture

RED, GREEN, BLUE = (255, 0, 0, 255), (0, 255, 0, 255), (0, 0, 255, 255)

Matrix = np.ndarray[Any, np.dtype[np.float64]]


def translation(x: float, y: float, z: float = 0.0) -> Matrix:
    matrix = np.eye(4)
    matrix[:3, 3] = (x, y, z)
    return matrix


def turn(degrees: float, place: tuple[float, float] = (0, 0)) -> Matrix:
    """About Z, then to a place."""
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    matrix = translation(*place)
    matrix[:2, :2] = [[c, -s], [s, c]]
    return matrix


def middle(pixels: Pixels) -> tuple[float, float]:
    left, bottom, right, top = box(pixels)
    return ((left + right) / 2, (bottom + top) / 2)


# Cameras.


def test_a_moved_camera_moves_the_picture(scene: Scene) -> None:
    scene.add(size=2)
    scene.update()

    assert middle(scene.draw(view=translation(-3, 2))) == (5, 10)


def test_a_view_that_scales_scales_places_and_sizes(scene: Scene) -> None:
    canvas = scene.make_canvas((32, 32))
    scene.add((4, 6), size=3)
    scene.update()

    assert box(scene.draw(canvas, view=np.diag((2.0, 2.0, 2.0, 1.0)))) == (5, 9, 11, 15)
    half = np.diag((0.5, 0.5, 0.5, 1.0))
    half[:2, 3] = (14, 13)
    scene.add((4, 6), size=8)
    scene.update()
    assert box(scene.draw(canvas, view=half)) == (14, 14, 18, 18)


def test_a_flat_zoom_zooms_sprites_too(scene: Scene) -> None:
    """A 2D camera scales x and y, and leaves depth alone."""
    canvas = scene.make_canvas((32, 32))
    scene.add((4, 6), size=3)
    scene.update()

    assert box(scene.draw(canvas, view=np.diag((2.0, 2.0, 1.0, 1.0)))) == (5, 9, 11, 15)
    assert box(scene.draw(canvas, view=np.diag((2.0, 2.0, -7.0, 1.0)))) == (5, 9, 11, 15)


def test_a_pixel_camera_has_room_in_depth(scene: Scene) -> None:
    """What flies thousands of pixels before or behind the plane of the picture is still seen."""
    canvas = scene.make_canvas((16, 16))
    canvas.projection = orthographic(0, 16, 0, 16)
    scene.add((4, 4, 5000), size=2)
    scene.add((12, 12, -5000), size=2)
    scene.update()
    pixels = scene.draw(canvas)

    assert pixels[4, 4].tolist() == [255, 255, 255, 255]
    assert pixels[12, 12].tolist() == [255, 255, 255, 255]


def test_a_position_is_no_view(scene: Scene) -> None:
    """The camera's place is not the camera."""
    with pytest.raises(gp.EffectError, match=r"^view: \(0, 0, -5\) is not a 4x4 matrix"):
        scene.draw(view=(0, 0, -5))


@pytest.mark.parametrize("axis", [(0, 1, 0), (1, 0, 0), (1, 2, 3)])
def test_sprites_face_the_camera_from_every_side(scene: Scene, axis: Any) -> None:
    """A turned view leaves the square as it is: its sides stay parallel to the picture's."""
    scene.add((0, 0, 0))
    scene.update()
    for degrees in (30, 90, 200):
        rotation = np.asarray(glm.rotate(glm.dmat4(1), np.radians(degrees), glm.dvec3(axis)))
        pixels = scene.draw(view=translation(8, 8) @ rotation)
        assert box(pixels) == (4, 4, 12, 12)
        assert (pixels[4:12, 4:12] == 255).all()


def test_perspective_shrinks_with_distance(scene: Scene) -> None:
    """At 90 degrees a picture of 64 pixels shows 2 units at a distance of 1."""
    canvas = scene.make_canvas((64, 64))
    projection = perspective(90, 1, 0.1, 100)
    for distance, expected in ((2, 16), (4, 8), (8, 4)):
        instance = scene.add((0, 0, 0), size=1)
        scene.update()
        view = look_at((0, 0, distance), (0, 0, 0))
        left, bottom, right, top = box(scene.draw(canvas, view=view, projection=projection))
        assert (right - left, top - bottom) == (expected, expected)
        instance.release()


def test_what_is_behind_the_camera_is_not_seen(scene: Scene) -> None:
    projection = perspective(90, 1, 0.1, 100)
    scene.add((0, 0, 0))
    scene.update()

    assert scene.draw(view=look_at((0, 0, 5), (0, 0, 0)), projection=projection).any()
    assert not scene.draw(view=look_at((0, 0, 5), (0, 0, 9)), projection=projection).any()


@pytest.mark.parametrize("far", [1e6, 1e9, -3e12])
def test_far_from_the_origin_the_picture_is_the_same(scene: Scene, far: float) -> None:
    """To the last bit, with a view in double precision, where float32 could not tell a unit."""
    effect = particle(
        capacity=40,
        bursts=[gp.Burst(0, 40)],
        speed=(1, 8),
        spread=180,
        size=(0.5, 3),
        sprite=gp.Sprite(stretch=0.1),
    )
    near = scene.particles.play(effect, transform=(8, 8, 0), seed=3)
    scene.update(0.5)
    expected = scene.draw()
    near.release()
    scene.particles.play(effect, transform=(far + 8, far / 2 + 8, -far), seed=3)
    scene.update(0.5)

    assert expected.any()
    view = translation(-far, -far / 2, far)
    np.testing.assert_array_equal(scene.draw(view=view), expected)


@pytest.mark.parametrize("space", ["world", "local"])
def test_far_from_the_origin_motion_is_as_smooth(scene: Scene, space: str) -> None:
    """A tenth of a pixel a frame, a million units away, in a burst too."""
    canvas = scene.make_canvas((16, 16), dtype="f4")
    far = 1e6
    effect = particle(velocity=(6, 0, 0), size=4, space=space)
    scene.particles.burst(effect, position=(far + 4, 8, 0))
    places = []
    for _ in range(60):
        scene.update(1 / 60)
        alpha = scene.draw(canvas, view=translation(-far, 0))[8, :, 3]
        places.append(np.flatnonzero(alpha).mean())

    assert np.diff(places).min() >= 0
    assert places[-1] - places[0] == pytest.approx(6, abs=1)


def test_float32_matrices_and_lists_are_read(scene: Scene) -> None:
    scene.add()
    scene.update()
    view = translation(2, 1)
    expected = scene.draw(view=view)

    projection = scene.canvas.projection
    for kind in (
        np.float32,
        np.float16,
        lambda m: np.asfortranarray(m),
        lambda m: np.asarray(m).tolist(),
        lambda m: [tuple(row) for row in np.asarray(m).tolist()],
    ):
        found = scene.draw(view=kind(view), projection=kind(projection))
        np.testing.assert_array_equal(found, expected)


def test_pyglm_s_matrices_are_read_as_they_are_meant(scene: Scene) -> None:
    scene.add(size=2)
    scene.update()
    ours = scene.draw(view=translation(-3, 2))

    for matrix, vector in ((glm.mat4, glm.vec3), (glm.dmat4, glm.dvec3)):
        view = glm.translate(matrix(1), vector(-3, 2, 0))
        ortho = matrix(np.asarray(scene.canvas.projection).T.tolist())
        found = scene.draw(view=view, projection=ortho)
        assert middle(found) == (5, 10)
        np.testing.assert_array_equal(found, ours)


def test_pyglm_s_cameras_show_what_ours_show(scene: Scene) -> None:
    canvas = scene.make_canvas((32, 32))
    scene.add((0.5, 0.25, -1), size=0.5)
    scene.update()
    eye, target, up = (2, 1, 4), (0.25, 0, 0), (0, 1, 0)
    ours = scene.draw(canvas, view=look_at(eye, target, up), projection=perspective(45, 1, 0.1, 50))

    theirs = scene.draw(
        canvas,
        view=glm.lookAt(glm.vec3(eye), glm.vec3(target), glm.vec3(up)),
        projection=glm.perspective(glm.radians(45), 1, 0.1, 50),
    )
    assert ours.any()
    np.testing.assert_array_equal(theirs, ours)


def test_a_view_inverted_in_single_precision_is_accepted(scene: Scene) -> None:
    """PyGLM's inverse leaves 0.99999994 in the last corner now and then."""
    scene.add(size=2)
    scene.update()
    rng = np.random.default_rng(0)
    inexact = 0
    for _ in range(200):
        camera = glm.translate(glm.mat4(1), glm.vec3(*rng.uniform(-5, 5, 2), 0))
        camera = glm.scale(camera, glm.vec3(rng.uniform(0.1, 5)))
        view = glm.inverse(camera)
        inexact += np.asarray(view)[3].tolist() != [0, 0, 0, 1]
        scene.draw(view=view)

    assert inexact, "the test does test something"
    blur = translation(-3, 2)
    blur[3] = (1e-9, 0, -1e-9, 1 - 6e-8)
    np.testing.assert_array_equal(scene.draw(view=blur), scene.draw(view=translation(-3, 2)))


@pytest.mark.parametrize("kind", [np.asarray, lambda m: glm.mat4(*np.asarray(m).T.ravel())])
def test_a_transposed_view_is_refused_with_the_remedy(scene: Scene, kind: Any) -> None:
    """As pyrr makes them, with the translation in the last row."""
    scene.add()
    scene.update()

    with pytest.raises(gp.EffectError, match=r"^view: .*last row.*must be transposed$"):
        scene.draw(view=kind(look_at((1, 2, 3), (0, 0, 0)).T))
    with pytest.raises(gp.EffectError, match=r"^transform: .*last row.*must be transposed$"):
        scene.particles.play(particle(), transform=kind(translation(1, 2, 3).T))


@pytest.mark.parametrize(
    ("view", "sentence"),
    [
        (np.eye(3), "is not a 4x4 matrix"),
        ("camera", "is not a 4x4 matrix"),
        (None, "is not a 4x4 matrix"),
        (np.full((4, 4), np.nan), "every number must lie from"),
        (perspective(45, 1, 0.1, 10), "the last row is"),
    ],
)
def test_what_is_no_view_is_refused(scene: Scene, view: object, sentence: str) -> None:
    with pytest.raises(gp.EffectError, match=rf"^view: .*{sentence}"):
        scene.particles.draw(view, np.eye(4))


def test_what_is_no_projection_is_refused(scene: Scene) -> None:
    with pytest.raises(gp.EffectError, match=r"^projection: .*is not a 4x4 matrix"):
        scene.particles.draw(np.eye(4), np.eye(3))
    with pytest.raises(gp.EffectError, match=r"^projection: .*every number must lie from"):
        scene.particles.draw(np.eye(4), np.full((4, 4), np.inf))


def test_a_camera_whose_y_points_down_turns_the_picture_over(scene: Scene) -> None:
    """A flip in the projection flips everything, as for a framebuffer that is read upside down."""
    scene.add((8, 3), size=2)
    scene.update()
    flipped = orthographic(0, 16, 16, 0, -100, 100)

    np.testing.assert_array_equal(scene.draw(projection=flipped), scene.draw()[::-1])


def test_a_view_that_mirrors_moves_particles_but_no_picture_on_them(scene: Scene) -> None:
    mirror = np.diag((-1.0, 1.0, 1.0, 1.0))
    mirror[0, 3] = 16
    scene.add((3, 8), size=4, rotation=20)
    scene.update()
    moved = scene.draw(view=translation(10, 0))

    np.testing.assert_array_equal(scene.draw(view=mirror), moved)


# Places.


def test_local_particles_are_drawn_with_the_newest_transform(scene: Scene) -> None:
    """Without an update in between; those in the world stay."""
    local = scene.add((4, 4), size=2, space="local")
    world = scene.add((4, 12), size=2, space="world")
    scene.update()
    local.transform = (12, 4, 0)
    world.transform = (12, 12, 0)

    pixels = scene.draw()
    assert middle(pixels[:8]) == (12, 4)
    assert middle(pixels[8:]) == (4, 4)


def test_local_particles_turn_with_their_emitter(scene: Scene) -> None:
    instance = scene.add((8, 8), size=2, space="local", velocity=(4, 0, 0))
    scene.update(1)

    assert middle(scene.draw()) == (12, 8)
    for degrees, place in ((90, (8, 12)), (180, (4, 8)), (270, (8, 4))):
        instance.transform = turn(degrees, (8, 8))
        assert middle(scene.draw()) == place


def test_positions_and_pyglm_s_vectors_are_transforms(scene: Scene) -> None:
    for place in ((5, 6), (5, 6, 0), [5, 6, 0], np.array((5, 6), "f4"), glm.vec3(5, 6, 0)):
        instance = scene.add(place, size=2)
        scene.update()
        assert middle(scene.draw()) == (5, 6)
        instance.release()
    effect = particle(size=2, lifetime=0.5)
    for place in ((5, 6), glm.dvec3(5, 6, 0), glm.vec2(5, 6)):
        scene.particles.burst(effect, position=place)
        scene.update(0.25)
        assert middle(scene.draw()) == (5, 6)
        scene.update(0.5)


def test_pyglm_s_matrices_are_transforms(scene: Scene) -> None:
    matrix = glm.translate(glm.mat4(1), glm.vec3(8, 8, 0))
    matrix = glm.rotate(matrix, glm.radians(90), glm.vec3(0, 0, 1))
    scene.add(matrix, size=2, velocity=(4, 0, 0))
    scene.update(1)

    assert middle(scene.draw()) == (8, 12)


@pytest.mark.parametrize("space", ["world", "local"])
@pytest.mark.parametrize("pooled", [False, True])
@pytest.mark.parametrize(
    ("scale", "place"),
    [
        ((-1, 1, 1), (5, 12)),
        ((1, -1, 1), (11, 4)),
        ((-1, -1, -1), (5, 4)),
        ((1, 1, -1), (11, 12)),
        ((3, 3, 3), (11, 12)),
    ],
)
def test_a_mirrored_transform_mirrors_the_launch_but_neither_speed_nor_picture(
    scene: Scene, space: str, pooled: bool, scale: Any, place: tuple[int, int]
) -> None:
    matrix = translation(8, 8) @ np.diag((*map(float, scale), 1.0))
    sprite = gp.Sprite(texture=picture([[RED, BLUE], [GREEN, GREEN]]), filter="nearest")
    effect = particle(size=2, velocity=(3, 4, 0), space=space, sprite=sprite)
    if pooled:
        scene.particles.burst(effect, transform=matrix)
    else:
        scene.particles.play(effect, transform=matrix)
    scene.update(1)

    pixels = scene.draw()
    x, y = place
    assert box(pixels) == (x - 1, y - 1, x + 1, y + 1), "the size is not scaled"
    assert pixels[y, x - 1 : x + 1].tolist() == [list(RED), list(BLUE)]
    assert pixels[y - 1, x - 1 : x + 1].tolist() == [list(GREEN)] * 2


def test_a_turned_and_mirrored_transform_launches_where_the_matrix_says(scene: Scene) -> None:
    for degrees in (0, 40, 130, 260):
        matrix = turn(degrees, (8, 8)) @ np.diag((-1.0, 1.0, 1.0, 1.0))
        direction = matrix[:2, :2] @ (0.6, 0.8)
        for space in ("world", "local"):
            instance = scene.add(matrix, size=2, velocity=(0.6, 0.8, 0), space=space)
            scene.update(4)
            assert middle(scene.draw()) == pytest.approx((8, 8) + 4 * direction, abs=0.51)
            instance.release()


def test_births_lie_along_the_way_of_a_moving_emitter(scene: Scene) -> None:
    """Eight births in one step while it moves eight units: one in each pixel."""
    instance = scene.add((3.5, 8.5), size=1, bursts=[], rate=8, duration=1, capacity=8)
    scene.update(2.0**-16)
    instance.transform = (11.5, 8.5, 0)
    scene.update(1)

    assert np.flatnonzero(scene.draw()[8, :, 3]).tolist() == [4, 5, 6, 7, 8, 9, 10, 11]


def test_a_teleport_leaves_nothing_on_the_way(scene: Scene) -> None:
    instance = scene.add((3.5, 8.5), size=1, bursts=[], rate=8, duration=1, capacity=8)
    scene.update(2.0**-16)
    instance.teleport((12.5, 8.5, 0))
    scene.update(1)

    assert box(scene.draw()) == (12, 8, 13, 9)
