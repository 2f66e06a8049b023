"""Where a sprite's pivot lies, sizes in pixels, limits of its length, fades, cut-outs, depth."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest
from PIL import Image

import gpuparticles as gp
from gpuparticles.draw.camera import look_at, orthographic, perspective
from gpuparticles.gpu.gl import GL
from tests.draw.conftest import SQUARE, Pixels, Scene, box, picture

DEEP = orthographic(0, 16, 0, 16, -100, 100)
EDGE = picture([[(255, 0, 0, 255)], [(0, 0, 255, 255)]])
"""Red above blue."""


def square(**fields: Any) -> gp.Sprite:
    return gp.Sprite(**{"texture": SQUARE, **fields})


@pytest.fixture
def wall(scene: Scene) -> Any:
    return scene.make_canvas(depth=True)


# The pivot


@pytest.mark.parametrize("facing", ["camera", "position"])
@pytest.mark.parametrize(
    ("pivot", "rotation", "expected"),
    [
        ((0, 0), 0, (6, 6, 10, 10)),
        ((0, -0.5), 0, (6, 8, 10, 12)),
        ((0, 0.5), 0, (6, 4, 10, 8)),
        ((-0.5, 0.5), 0, (8, 4, 12, 8)),
        ((0.25, 0), 0, (5, 6, 9, 10)),
        ((0, -0.5), 90, (4, 6, 8, 10)),
        ((0.5, -0.5), 180, (8, 4, 12, 8)),
    ],
)
def test_the_pivot_is_at_the_particle_and_what_it_turns_about(
    scene: Scene, facing: str, pivot: Any, rotation: float, expected: Any
) -> None:
    scene.add(size=4, rotation=rotation, sprite=square(pivot=pivot, facing=facing))
    scene.update()

    assert box(scene.draw()) == expected


@pytest.mark.parametrize("facing", ["camera", "velocity"])
def test_a_tail_lies_behind_the_particle(scene: Scene, facing: str) -> None:
    """Its top is at the particle, and so all of the streak behind it."""
    canvas = scene.make_canvas((32, 16))
    sprite = square(pivot=(0, 0.5), stretch=0.5, facing=facing)
    scene.add((16, 8), velocity=(16, 0, 0), size=2, sprite=sprite)
    scene.update(2.0**-12)

    assert box(scene.draw(canvas)) == (6, 7, 16, 9)


# Pixels


def test_so_many_pixels_at_any_distance(scene: Scene) -> None:
    canvas = scene.make_canvas((32, 32))
    projection = perspective(60, 1, 0.1, 1000)
    for facing in ("camera", "position", "velocity", "axis", "emitter", "point"):
        for distance in (1, 7, 300):
            instance = scene.add(
                (0, 0, -distance),
                size=6,
                height=2,
                velocity=(0, 0, -(2.0**-20)),
                offset=gp.Offset(rotation=(90, 0, 0)),
                sprite=square(size_unit="pixels", facing=facing),
            )
            scene.update(2.0**-16)
            pixels = scene.draw(canvas, view=np.eye(4), projection=projection)
            assert box(pixels) == (13, 10, 19, 22)
            assert (pixels[10:22, 13:19] == 255).all()
            instance.release()


def test_pixels_are_those_of_the_viewport(scene: Scene) -> None:
    """Of any target, under any projection."""
    for size in ((8, 8), (40, 20)):
        canvas = scene.make_canvas(size)
        middle = (size[0] / 2, size[1] / 2)
        instance = scene.add((*middle, 0), size=4, sprite=square(size_unit="pixels"))
        scene.update()
        for zoom in (1, 5):
            view = np.diag((zoom, zoom, zoom, 1.0))
            view[:2, 3] = np.multiply(middle, 1 - zoom)
            left, bottom, right, top = box(scene.draw(canvas, view=view))
            assert (right - left, top - bottom) == (4, 4)
        instance.release()


def test_pixels_behind_the_camera_are_not_drawn(scene: Scene) -> None:
    projection = perspective(60, 1, 0.1, 1000)
    for facing in ("camera", "emitter"):
        instance = scene.add((0, 0, 3), size=400, sprite=square(size_unit="pixels", facing=facing))
        scene.update()
        assert not scene.draw(view=np.eye(4), projection=projection).any()
        instance.release()


# Limits of the length


@pytest.mark.parametrize("facing", ["camera", "position", "velocity"])
def test_the_length_stays_within_its_limits(scene: Scene, facing: str) -> None:
    canvas = scene.make_canvas((64, 16))
    for speed, expected in ((2, 6), (16, 10), (60, 12)):
        sprite = square(stretch=0.5, shortest=6, longest=12, facing=facing)
        instance = scene.add((32, 8), velocity=(speed, 0, 0), size=2, sprite=sprite)
        scene.update(2.0**-12)
        left, bottom, right, top = box(scene.draw(canvas))
        assert (right - left, top - bottom) == (expected, 2)
        assert left + right == 64, "and in its place"
        instance.release()


def test_one_limit_is_enough_and_counts_in_the_unit_of_the_size(scene: Scene) -> None:
    canvas = scene.make_canvas((64, 16))
    twice = np.diag((2.0, 2.0, 2.0, 1.0))
    for unit, expected in (("world", (12, 4)), ("pixels", (6, 2))):
        for limits in ({"longest": 6}, {"shortest": 6}):
            speed = 30 if "longest" in limits else 1
            sprite = square(stretch=0.5, size_unit=unit, **limits)
            instance = scene.add((16, 4), velocity=(speed, 0, 0), size=2, sprite=sprite)
            scene.update(2.0**-12)
            left, bottom, right, top = box(scene.draw(canvas, view=twice))
            assert (right - left, top - bottom) == expected
            instance.release()


# Fades


def alpha(scene: Scene, z: float, projection: Any, view: Any = None, **fields: Any) -> float:
    """That of a sprite in the middle of the picture."""
    instance = scene.add((0, 0, z), size=50, sprite=square(**fields))
    scene.update()
    eye = np.eye(4) if view is None else view
    found = scene.draw(view=eye, projection=projection)[8, 8, 3] / 255
    instance.release()
    return float(found)


@pytest.mark.parametrize("facing", ["camera", "emitter"])
@pytest.mark.parametrize("flat", [False, True])
def test_fades_follow_the_distance_to_the_camera(scene: Scene, facing: str, flat: bool) -> None:
    projection = perspective(60, 1, 0.01, 1000)
    if flat:
        projection = orthographic(-1, 1, -1, 1, 0.01, 1000)
    view = look_at((0, 9, 0), (0, 0, 0)) if facing == "emitter" else look_at((0, 0, 9), (0, 0, 0))
    fades = {"facing": facing, "near_fade": (2, 4), "far_fade": (6, 10)}
    for distance, expected in (
        (1, 0), (2, 0), (2.5, 0.25), (3.5, 0.75), (4, 1), (5, 1), (6, 1), (7, 0.75), (9, 0.25),
        (10, 0), (30, 0),
    ):  # fmt: skip
        scaled = np.diag((2.0, 2.0, 2.0, 1.0)) @ view
        for seen in (view, scaled):
            instance = scene.add(
                (0, 9 - distance, 0) if facing == "emitter" else (0, 0, 9 - distance),
                size=200,
                sprite=square(**fades),
            )
            scene.update()
            found = scene.draw(view=seen, projection=projection)[8, 8, 3] / 255
            instance.release()
            assert found == pytest.approx(expected, abs=1 / 200)


def test_a_fade_of_no_width_is_a_step(scene: Scene) -> None:
    projection = perspective(60, 1, 0.01, 1000)
    for z, near, far in ((-1.9, 0, 1), (-2.1, 1, 0)):
        assert alpha(scene, z, projection, near_fade=(2, 2)) == near
        assert alpha(scene, z, projection, far_fade=(2, 2)) == far


def test_what_has_faded_away_shades_no_pixel(scene: Scene, wall: Any) -> None:
    """A sprite before the lens would fill the picture for nothing."""
    projection = perspective(60, 1, 0.01, 1000)
    scene.add((0, 0, -0.5), size=50, sprite=square(near_fade=(1, 2), depth_write=True))
    scene.update()
    assert not scene.draw(wall, view=np.eye(4), projection=projection).any()
    assert (wall.depths() == 1).all(), "nor writes its depth"


# Cut-outs


def ramp() -> Image.Image:
    """Straight red whose alpha grows from left to right: 0, 85, 170, 255."""
    return picture([[(255, 0, 0, 85 * n) for n in range(4)]])


def columns(pixels: Pixels) -> list[list[int]]:
    return [pixels[8, x].tolist() for x in (5, 7, 9, 11)]


RED, NOTHING = [255, 0, 0, 255], [0, 0, 0, 0]


@pytest.mark.parametrize(
    ("clip", "alpha", "expected"),
    [
        (0.0, 1.0, [NOTHING, RED, RED, RED]),
        (0.3, 1.0, [NOTHING, RED, RED, RED]),
        (0.5, 1.0, [NOTHING, NOTHING, RED, RED]),
        (1.0, 1.0, [NOTHING, NOTHING, NOTHING, RED]),
        (0.5, 0.7, [NOTHING, NOTHING, NOTHING, RED]),
    ],
)
def test_what_is_below_is_left_out_and_the_rest_covers_fully(
    scene: Scene, clip: float, alpha: float, expected: list[list[int]]
) -> None:
    """The particle's own alpha counts too."""
    sprite = gp.Sprite(texture=ramp(), filter="nearest", alpha_clip=clip)
    scene.add(color=(1, 1, 1, alpha), sprite=sprite)
    scene.update()

    assert columns(scene.draw()) == expected


def test_an_additive_cut_out_adds_its_full_light(scene: Scene) -> None:
    sprite = gp.Sprite(texture=ramp(), filter="nearest", alpha_clip=0.5, blend="additive")
    scene.add(sprite=sprite)
    scene.update()

    light = [255, 0, 64, 255]
    background = [0, 0, 64, 255]
    found = columns(scene.draw(background=(0, 0, 64 / 255, 1)))
    assert found == [background, background, light, light]


# Depth


@pytest.mark.parametrize(("depth", "z", "cleared"), [("<=", 50, 1.0), (">=", -50, 0.0)])
def test_depth_is_written_where_the_sprite_is(
    scene: Scene, wall: Any, depth: str, z: float, cleared: float
) -> None:
    sprite = gp.Sprite(texture=ramp(), filter="nearest", alpha_clip=0.5, depth_write=True)
    scene.add((8, 8, z), sprite=sprite)
    scene.update()
    scene.draw(wall, depth_test=depth, cleared_depth=cleared)

    depths = wall.depths()
    assert depths[4:12, 8:12] == pytest.approx(0.5 - z / 200, abs=1e-6)
    depths = depths.copy()
    depths[4:12, 8:12] = cleared
    assert (depths == cleared).all()


def test_without_a_test_depth_is_not_written(scene: Scene, wall: Any) -> None:
    scene.add((8, 8, 50), sprite=square(depth_write=True))
    scene.update()
    assert scene.draw(wall, depth_test=None)[8, 8, 3] == 255
    assert (wall.depths() == 1).all()


def test_only_those_that_write_hide_what_comes_after(scene: Scene, wall: Any) -> None:
    """Near and writing, then farther: hidden; near and not writing: seen through."""
    for writes, expected in ((True, [128, 0, 0, 128]), (False, [64, 0, 128, 192])):
        for _ in range(2):
            near = scene.add((8, 8, 50), color=(1, 0, 0, 0.5), sprite=square(depth_write=writes))
            far = scene.add((8, 8, -50), color=(0, 0, 1, 0.5))
            scene.update()
            found = scene.draw(wall)[8, 8].tolist()
            near.release()
            far.release()
            assert found == pytest.approx(expected, abs=1)


@pytest.mark.parametrize("mask", [True, False])
def test_the_host_s_depth_mask_comes_back(scene: Scene, wall: Any, mask: bool) -> None:
    gl = GL(scene.ctx)
    scene.add((8, 8, 50), sprite=square(depth_write=True))
    scene.add((8, 8, 50))
    scene.update()
    wall.clear()
    gl.DepthMask(mask)
    try:
        scene.particles.draw(wall.view, wall.projection)
        found = (ctypes.c_int * 1)()
        gl.GetIntegerv(gl.DEPTH_WRITEMASK, found)
    finally:
        gl.DepthMask(True)
    assert bool(found[0]) is mask
    assert wall.depths()[8, 8] == pytest.approx(0.25, abs=1e-6)


# Values that parameters drive


def test_parameters_drive_what_is_seen_without_compiling(scene: Scene) -> None:
    fields = {
        "near_fade.low": 1.0,
        "alpha_clip": 0.25,
        "longest": 6.0,
        "look_at": (0.0, 0.0, 9.0),
    }
    sprite = square(facing="point", near_fade=(1, 9), alpha_clip=0.1, stretch=0.5)
    effect = gp.Effect(
        "one",
        [
            gp.Emitter(
                "one",
                capacity=1,
                rate=0,
                bursts=[gp.Burst()],
                velocity=(30, 0, 0),
                size=2,
                sprite=sprite,
            )
        ],
        loop=False,
        parameters=[
            gp.Parameter(name.replace(".", "_"), value, binds=[f"emitters.one.sprite.{name}"])
            for name, value in fields.items()
        ],
    )
    view = look_at((0, 0, 8), (0, 0, 0))
    flat = orthographic(-8, 8, -8, 8, 0.1, 100)
    instance = scene.particles.play(effect)
    scene.update(2.0**-16)
    programs = scene.particles.stats.programs

    assert box(scene.draw(view=view, projection=flat)) == (5, 7, 11, 9)
    instance.parameters["longest"] = 10
    scene.update(2.0**-16)
    assert box(scene.draw(view=view, projection=flat)) == (3, 7, 13, 9)
    instance.parameters["look_at"] = (9, 0, 0)
    scene.update(2.0**-16)
    assert not scene.draw(view=view, projection=flat).any(), "seen from its edge"
    instance.parameters["look_at"] = (0, 0, -9)
    instance.parameters["alpha_clip"] = 0.95
    scene.update(2.0**-16)
    assert not scene.draw(view=view, projection=flat).any(), "of 7/8 alpha"
    instance.parameters["alpha_clip"] = 0.5
    scene.update(2.0**-16)
    assert (scene.draw(view=view, projection=flat)[8, 8] == 255).all()
    instance.parameters["near_fade_low"] = 8.5
    scene.update(2.0**-16)
    assert not scene.draw(view=view, projection=flat).any()
    assert scene.particles.stats.programs == programs
