"""How sprites are turned, against where their corners lie in the world."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import gpuparticles as gp
from gpuparticles.draw.camera import look_at, orthographic, perspective
from tests.draw.conftest import SQUARE, Pixels, Scene, box, particle, picture

Vector = np.ndarray[Any, np.dtype[np.float64]]
FACINGS = ["camera", "position", "emitter", "velocity", "axis", "point"]
QUARTERS = [(255, 0, 0, 255), (0, 255, 0, 255), (0, 0, 255, 255), (255, 255, 0, 255)]
FOUR = picture([QUARTERS[:2], QUARTERS[2:]])
"""A colour for each quarter of a sprite: top left, top right, bottom left, bottom right."""

TURN = np.array([[0.8, 0.0, 0.6], [0.36, 0.8, -0.48], [-0.48, 0.6, 0.64]])
VELOCITY, AXIS, POINT = np.array((1.0, 2.0, 1.5)), (1.0, -2.0, 0.5), (3.0, -2.0, 4.0)


class Camera(NamedTuple):
    view: Vector
    projection: Vector


def cameras() -> dict[str, Camera]:
    view = look_at((1, 2, 7), (0.5, 0, 0))
    below = look_at((2, -5, 3), (0, 0, 0), (0.3, 1, 0))
    flat = orthographic(-4, 4, -4, 4, -50, 50)
    return {
        "perspective": Camera(view, perspective(60, 1, 0.1, 100)),
        "flat": Camera(view, flat),
        "from below": Camera(below, perspective(60, 1, 0.1, 100)),
        "scaled": Camera(
            np.diag((2.0, 2.0, 2.0, 1.0)) @ below, orthographic(-8, 8, -8, 8, -99, 99)
        ),
    }


def unit(v: Any) -> Vector:
    return np.asarray(v, float) / np.linalg.norm(v)


def sides(facing: str, place: Vector, turn: Vector, velocity: Vector, view: Vector) -> list[Vector]:
    """The unit vectors across and along a sprite, in the world."""
    basis = np.array([unit(row) for row in view[:3, :3]])
    eye = -np.linalg.inv(view[:3, :3]) @ view[:3, 3]
    toward = unit(eye - place)
    match facing:
        case "camera":
            return [basis[0], basis[1]]
        case "flat position":
            return [basis[0], basis[1]]
        case "position":
            right = unit(np.cross(basis[1], toward))
            return [right, np.cross(toward, right)]
        case "emitter":
            return [turn[:, 0], -turn[:, 2]]
        case "point":
            normal = unit(np.array(POINT) - place)
            right = unit(np.cross((0, 1, 0), normal))
            return [right, np.cross(normal, right)]
        case _:
            up = unit(velocity if "velocity" in facing else AXIS)
            towards = basis[2] if "flat" in facing else toward
            return [unit(np.cross(up, towards)), up]


def turned(right: Vector, up: Vector, degrees: float) -> list[Vector]:
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return [c * right + s * up, c * up - s * right]


def expect(pixels: Pixels, camera: Camera, place: Vector, right: Vector, up: Vector) -> None:
    """The four quarters of a rectangle in the world, seen by a camera, pixel by pixel.

    Args:
        pixels: What was drawn.
        camera: What it was seen by.
        place: Its middle.
        right: From the middle to the right side.
        up: From the middle to the upper side.
    """
    height, width = pixels.shape[:2]
    y, x = np.mgrid[:height, :width] + 0.5
    through = camera.projection @ camera.view
    columns = [through @ (*v, w) for v, w in ((right, 0), (up, 0), (place, 1))]
    a, b, c = (np.array((column[0], column[1], column[3])) for column in columns)
    seen = np.stack((2 * x / width - 1, 2 * y / height - 1, np.ones_like(x)), -1)
    where = seen @ np.linalg.inv(np.stack((a, b, c), -1)).T
    s, t = where[..., 0] / where[..., 2], where[..., 1] / where[..., 2]
    edge = 0.04
    inside = (np.abs(s) < 1 - edge) & (np.abs(t) < 1 - edge)
    outside = (np.abs(s) > 1 + edge) | (np.abs(t) > 1 + edge)
    clear = (np.abs(s) > edge) & (np.abs(t) > edge)
    colors = np.array(QUARTERS)[np.where(t > 0, 0, 2) + np.where(s > 0, 1, 0)]
    assert (inside & clear).sum() > 40, "enough is seen to tell"
    assert (pixels[inside & clear] == colors[inside & clear]).all()
    assert not pixels[outside].any()


def sprite(facing: str, **fields: Any) -> gp.Sprite:
    given = {"texture": FOUR, "filter": "nearest", "axis": AXIS, "look_at": POINT, **fields}
    return gp.Sprite(facing=facing, **given)


def at(place: Any, turn: Vector = TURN) -> Vector:
    matrix = np.eye(4)
    matrix[:3, :3] = turn
    matrix[:3, 3] = place
    return matrix


@pytest.mark.parametrize("camera", cameras().values(), ids=cameras())
@pytest.mark.parametrize("facing", FACINGS)
def test_corners_lie_where_they_should(scene: Scene, facing: str, camera: Camera) -> None:
    """Alone in the world, carried by its emitter and in a pool, with a rotation of its own."""
    canvas = scene.make_canvas((64, 64))
    place = np.array((0.8, 0.5, -0.4))
    flat = camera.projection[3, 3] == 1
    name = f"flat {facing}" if flat and facing in ("position", "velocity", "axis") else facing
    velocity = TURN @ VELOCITY
    for space, pooled, degrees in (("world", False, 0), ("local", False, 25), ("world", True, -70)):
        effect = particle(
            space=space,
            velocity=tuple(VELOCITY),
            size=2,
            height=1.25,
            rotation=degrees,
            sprite=sprite(facing),
        )
        if pooled:
            scene.particles.burst(effect, transform=at(place))
        else:
            scene.particles.play(effect, transform=at(place))
        scene.update(2.0**-16)
        right, up = sides(name, place, TURN, velocity, camera.view)
        right, up = turned(right, up, degrees)
        pixels = scene.draw(canvas, view=camera.view, projection=camera.projection)
        expect(pixels, camera, place, right, 1.25 * up)
        scene.particles.release()
        scene.particles = gp.ParticleSystem(scene.ctx, max_step=1e6)


def test_all_face_alike_without_perspective_in_front_of_the_camera(scene: Scene) -> None:
    """To the picture's plane and to the camera's position are then the same, streaks too."""
    found = []
    for facing in ("camera", "position"):
        for stretch in (0, 0.25):
            instance = scene.add(
                velocity=(16, 8, 30),
                rotation=30,
                sprite=sprite(facing, stretch=stretch),
                size=4,
            )
            scene.update(2.0**-12)
            found.append(scene.draw())
            instance.release()
    assert (found[0] == found[2]).all()
    assert (found[1] == found[3]).all()
    assert (found[0] != found[1]).any()


def test_a_plane_turns_with_its_emitter_at_once(scene: Scene) -> None:
    """In world space too, where particles stay: without an update, by the newest transform."""
    camera = cameras()["perspective"]
    canvas = scene.make_canvas((64, 64))
    place = np.zeros(3)
    effect = particle(space="world", size=3, sprite=sprite("emitter"))
    instance = scene.particles.play(effect, transform=at(place, np.eye(3)))
    scene.update()
    instance.transform = at((3, 0, 0))

    pixels = scene.draw(canvas, view=camera.view, projection=camera.projection)
    expect(pixels, camera, place, 1.5 * TURN[:, 0], -1.5 * TURN[:, 2])


def test_a_plane_turns_with_the_offset_of_its_emitter(scene: Scene) -> None:
    camera = cameras()["perspective"]
    canvas = scene.make_canvas((64, 64))
    for space in ("world", "local"):
        effect = particle(
            space=space, size=3, sprite=sprite("emitter"), offset=gp.Offset(rotation=(90, 0, 0))
        )
        instance = scene.particles.play(effect)
        scene.update()
        pixels = scene.draw(canvas, view=camera.view, projection=camera.projection)
        expect(pixels, camera, np.zeros(3), np.array((1.5, 0, 0)), np.array((0, 1.5, 0)))
        instance.release()


@pytest.mark.parametrize("facing", FACINGS)
def test_a_mirrored_transform_covers_the_same_pixels(scene: Scene, facing: str) -> None:
    camera = cameras()["perspective"]
    canvas = scene.make_canvas((64, 64))
    drawn = []
    for mirror in (1, -1):
        for space in ("world", "local"):
            matrix = at((0.5, 0, 0)) @ np.diag((mirror, 1, 1, 1))
            effect = particle(
                space=space,
                size=2,
                velocity=(0, 2, 0),
                rotation=20,
                sprite=sprite(facing, texture=SQUARE),
            )
            instance = scene.particles.play(effect, transform=matrix)
            scene.update(2.0**-16)
            drawn.append(scene.draw(canvas, view=camera.view, projection=camera.projection))
            instance.release()
    assert all((pixels == drawn[0]).all() for pixels in drawn[1:])
    assert drawn[0].any()


@pytest.mark.parametrize("facing", FACINGS)
def test_both_sides_are_drawn_whatever_the_host_culls(scene: Scene, facing: str) -> None:
    scene.add(
        (8, 8, 0),
        size=6,
        velocity=(0, 0, -1),
        offset=gp.Offset(rotation=(90, 0, 0)),
        sprite=gp.Sprite(texture=SQUARE, facing=facing, look_at=(8, 8, 50)),
    )
    scene.update(2.0**-16)
    scene.ctx.enable(scene.ctx.CULL_FACE)
    try:
        front = scene.draw()
        behind = np.diag((-1.0, 1.0, -1.0, 1.0))
        behind[0, 3] = 16
        back = scene.draw(view=behind)
    finally:
        scene.ctx.disable(scene.ctx.CULL_FACE)
    assert box(front) == box(back) == (5, 5, 11, 11)
    assert (front[5:11, 5:11] == 255).all()
    assert (back[5:11, 5:11] == 255).all()


@pytest.mark.parametrize("far", [0.0, 3e6])
def test_a_point_stays_in_its_place_far_away_and_with_the_origin(scene: Scene, far: float) -> None:
    camera = cameras()["perspective"]
    canvas = scene.make_canvas((64, 64))
    place, offset = np.array((0.8 + far, 0.5, 0.0)), np.array((far, 0, 0))
    look = tuple(np.array(POINT) + offset)
    moved = np.eye(4)
    moved[:3, 3] = -offset
    for space in ("world", "local"):
        effect = particle(space=space, size=2, sprite=sprite("point", look_at=look))
        instance = scene.particles.play(effect, transform=at(place))
        scene.update()
        right, up = sides("point", place - offset, TURN, VELOCITY, camera.view)
        pixels = scene.draw(canvas, view=camera.view @ moved, projection=camera.projection)
        expect(pixels, camera, place - offset, right, up)
        scene.particles.shift_origin(-offset)
        pixels = scene.draw(canvas, view=camera.view, projection=camera.projection)
        expect(pixels, camera, place - offset, right, up)
        scene.particles.shift_origin(offset)
        instance.release()


def test_a_point_straight_above_leaves_the_top_to_the_north(scene: Scene) -> None:
    """As a map lies: seen from above, its top at -Z, its right at +X."""
    canvas = scene.make_canvas((64, 64))
    camera = Camera(look_at((0, 5, 0), (0, 0, 0)), perspective(60, 1, 0.1, 100))
    scene.add((0, 0, 0), size=3, sprite=sprite("point", look_at=(0, 9, 0)))
    scene.update()

    pixels = scene.draw(canvas, view=camera.view, projection=camera.projection)
    expect(pixels, camera, np.zeros(3), np.array((1.5, 0, 0)), np.array((0, 0, -1.5)))


def test_what_is_at_rest_faces_the_camera_instead_of_its_motion(scene: Scene) -> None:
    camera = cameras()["perspective"]
    canvas = scene.make_canvas((64, 64))
    found = []
    for facing in ("velocity", "position"):
        instance = scene.add((1, 0.5, 0), size=2, rotation=35, sprite=sprite(facing, stretch=1))
        scene.update()
        found.append(scene.draw(canvas, view=camera.view, projection=camera.projection))
        instance.release()
    assert (found[0] == found[1]).all()
    assert found[0].any()


# Streaks


@pytest.mark.parametrize(
    ("facing", "longer"),
    [
        ("velocity", lambda v: unit(v) * np.linalg.norm(v)),
        ("axis", lambda v: unit(AXIS) * abs(np.dot(v, unit(AXIS)))),
        ("emitter", lambda v: v - TURN[:, 1] * np.dot(v, TURN[:, 1])),
    ],
)
@pytest.mark.parametrize("name", ["perspective", "flat"])
def test_a_streak_is_as_long_as_the_way_in_its_plane(
    scene: Scene, facing: str, longer: Any, name: str
) -> None:
    """In half a second; it is not turned, whatever the rotation."""
    camera = cameras()[name]
    canvas = scene.make_canvas((64, 64))
    place, velocity = np.array((0.4, -0.2, 0.0)), TURN @ VELOCITY
    effect = particle(
        velocity=tuple(VELOCITY), size=1.5, rotation=40, sprite=sprite(facing, stretch=0.5)
    )
    scene.particles.play(effect, transform=at(place))
    scene.update(2.0**-16)

    way = 0.5 * longer(velocity)
    flat = f"flat {facing}" if name == "flat" and facing != "emitter" else facing
    if facing == "emitter":
        up = unit(way)
        right = np.cross(up, TURN[:, 1])
    else:
        right, up = sides(flat, place, TURN, velocity, camera.view)
    long = 0.5 * (1.5 + np.linalg.norm(way))
    pixels = scene.draw(canvas, view=camera.view, projection=camera.projection)
    expect(pixels, camera, place, 0.75 * right, long * up)


@pytest.mark.parametrize("velocity", [(2.0, 1.0, 0.0), (0.5, 1.0, 6.0), (-1.0, 0.25, -7.0)])
def test_a_streak_towards_the_camera_s_position_is_the_path_of_an_open_shutter(
    scene: Scene, velocity: tuple[float, float, float]
) -> None:
    """Its ends are where the particle is half the time before and after, also in depth."""
    canvas = scene.make_canvas((256, 256))
    view, projection = look_at((0, 0, 5), (0, 0, 0)), perspective(60, 1, 0.1, 100)
    place = np.array((0.5, -0.25, 0))
    shutter = gp.Sprite(texture=SQUARE, facing="position", stretch=0.5)
    scene.add(tuple(place), velocity=velocity, size=0.01, sprite=shutter)
    scene.update(2.0**-14)

    y, x = np.nonzero(scene.draw(canvas, view=view, projection=projection)[..., 3])
    found = np.column_stack((x, y)) + 0.5
    ends = []
    for time in (-0.25, 0.25):
        point = projection @ view @ (*(place + np.array(velocity) * time), 1)
        ends.append((point[:2] / point[3] + 1) * 128)
    ahead = unit(ends[1] - ends[0])
    assert (found @ ahead).min() == pytest.approx(ends[0] @ ahead, abs=2)
    assert (found @ ahead).max() == pytest.approx(ends[1] @ ahead, abs=2)
    assert np.abs((found - ends[0]) @ (-ahead[1], ahead[0])).max() < 2, "and straight"


# What is thin


@pytest.mark.parametrize("rotation", [0, 31])
@pytest.mark.parametrize("perspective_on", [False, True])
def test_a_plane_fades_towards_its_edge_as_its_area_does(
    scene: Scene, rotation: float, perspective_on: bool
) -> None:
    """From a few pixels down to a hundredth of one, where single pixels would flicker."""
    canvas = scene.make_canvas((64, 64), dtype="f4")
    view = look_at((0, 0, 64), (0, 0, 0))
    camera = orthographic(-32, 32, -32, 32, -100, 100)
    if perspective_on:
        camera = perspective(2 * np.degrees(np.arctan(0.5)), 1, 1, 1000)
    for degrees in (20.0, 8.0, 3.0, 1.0, 0.2, 0.0):
        instance = scene.add(
            (0.3, 0, 0),
            size=20,
            rotation=rotation,
            offset=gp.Offset(rotation=(degrees, 0, 0)),
            sprite=gp.Sprite(texture=SQUARE, facing="emitter"),
        )
        scene.update()
        lights = []
        for shift in np.arange(8) / 8:
            moved = np.eye(4)
            moved[1, 3] = 2 * shift / 64
            pixels = scene.draw(canvas, view=view, projection=moved @ camera)
            lights.append(pixels[..., 3].sum())
        instance.release()
        area = 400 * np.sin(np.radians(degrees))
        assert np.mean(lights) == pytest.approx(area, rel=0.1)
        if degrees <= 1:
            assert min(lights) >= 0.4 * area, "and it is never lost between pixels"


@pytest.mark.parametrize("facing", FACINGS)
def test_a_distant_spark_is_a_pixel_and_fainter(scene: Scene, facing: str) -> None:
    """A quarter of a pixel wide: wherever it lies, it has as much light as its area."""
    canvas = scene.make_canvas((16, 16), dtype="f4")
    for place in ((8.0, 8.0), (8.5, 8.5), (8.25, 7.9)):
        instance = scene.add(
            (*place, 0),
            size=0.25,
            velocity=(0, 0, -1),
            offset=gp.Offset(rotation=(90, 0, 0)),
            sprite=gp.Sprite(texture=SQUARE, facing=facing, look_at=(*place, 50)),
        )
        scene.update(2.0**-16)
        assert scene.draw(canvas)[..., 3].sum() == pytest.approx(1 / 16, rel=0.01)
        instance.release()


@pytest.mark.parametrize("facing", FACINGS)
@pytest.mark.parametrize("place", [(0, 0, 0), (0.1, 0, 1e-7), (0.3, 0.2, 5)])
def test_at_and_behind_the_camera_nothing_does_harm(
    scene: Scene, facing: str, place: tuple[float, float, float]
) -> None:
    scene.add(
        place,
        velocity=(1, 2, 50),
        size=0.5,
        sprite=gp.Sprite(texture=SQUARE, facing=facing, stretch=0.01, look_at=place),
    )
    scene.update(2.0**-16)
    pixels = scene.draw(view=np.eye(4), projection=perspective(50, 1, 1, 100))
    assert not pixels.any()
    assert scene.draw().shape == (16, 16, 4), "and drawing goes on"


def test_a_plane_under_the_camera_reaches_into_the_picture(scene: Scene) -> None:
    """Its middle lies behind the camera; the ground ahead is seen all the same."""
    ground = gp.Sprite(texture=SQUARE, facing="emitter")
    scene.add((0, -1, 2), size=40, sprite=ground)
    scene.update()
    pixels = scene.draw(view=np.eye(4), projection=perspective(90, 1, 0.1, 100))
    assert (pixels[:6] == 255).all()
    assert not pixels[8:].any()
