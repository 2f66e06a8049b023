"""Sprites that are lit: Lambert's law at places where the answer is known."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

import gpuparticles as gp
from gpuparticles.draw.camera import look_at, perspective
from tests.draw.conftest import SQUARE, Scene, particle, picture

SUN = {"color": (1, 1, 1), "ambient": (0, 0, 0)}


def lit(scene: Scene, direction: Any, **light: Any) -> NDArray[np.float32]:
    """What is drawn under a light, float32."""
    canvas = scene.make_canvas(dtype="f4", depth=True)
    canvas.clear()
    sun = gp.Light(direction, **{**SUN, **light})
    scene.particles.draw(canvas.view, canvas.projection, light=sun)
    return canvas.pixels().astype(np.float32)


def ball(scene: Scene, direction: Any, sprite: gp.Sprite, **emitter: Any) -> NDArray[np.float32]:
    scene.add((8, 8), sprite=sprite, size=16, **emitter)
    scene.update()
    return lit(scene, direction)[..., 0]


def cosines(direction: tuple[float, float, float]) -> NDArray[np.float64]:
    """Of a ball as wide as the picture, at its pixels."""
    across = (np.arange(16) - 7.5) / 8
    x, y = np.meshgrid(across, across)
    z = np.sqrt(np.maximum(1 - x * x - y * y, 0))
    length = np.sqrt(x * x + y * y + z * z)
    towards = -np.array(direction) / np.linalg.norm(direction)
    return np.asarray((x * towards[0] + y * towards[1] + z * towards[2]) / length)


@pytest.mark.parametrize("direction", [(0, 0, -1), (-1, 0, 0), (0.3, -2, 0.4), (1, 1, -1)])
def test_a_round_sprite_is_lit_as_half_a_ball(
    scene: Scene, direction: tuple[float, float, float]
) -> None:
    seen = ball(scene, direction, gp.Sprite(SQUARE, lit=gp.Lit()))
    assert seen == pytest.approx(np.maximum(cosines(direction), 0), abs=2e-6)


@pytest.mark.parametrize("rotation", [30, 90, 217])
def test_a_ball_that_is_turned_is_lit_from_the_same_side(scene: Scene, rotation: float) -> None:
    sprite = gp.Sprite(SQUARE, lit=gp.Lit())
    seen = ball(scene, (-1, -1, -1), sprite, rotation=rotation)
    middle = slice(4, 12)  # where the turned square covers
    expected = np.maximum(cosines((-1, -1, -1)), 0)
    assert seen[middle, middle] == pytest.approx(expected[middle, middle], abs=1e-5)


def test_wrap_and_transmission_follow_the_formula(scene: Scene) -> None:
    sprite = gp.Sprite(SQUARE, lit=gp.Lit(wrap=0.5, transmission=0.25))
    seen = ball(scene, (0.5, -1, 1), sprite)
    c = cosines((0.5, -1, 1))
    expected = (np.maximum(0.5 + c, 0) + 0.25 * np.maximum(0.5 - c, 0)) / 1.5
    assert seen == pytest.approx(expected, abs=2e-6)


def test_a_flat_sprite_has_one_normal(scene: Scene) -> None:
    scene.add(sprite=gp.Sprite(SQUARE, lit=gp.Lit("flat")), color=(0.5, 1, 0.25, 0.5))
    scene.update()

    pixel = lit(scene, (0, -1, -1), color=(1, 0.5, 2), ambient=(0.1, 0.2, 0.3))[8, 8]
    got = np.array((0.1, 0.2, 0.3)) + math.sqrt(0.5) * np.array((1, 0.5, 2))
    expected = [*(0.5 * got * (0.5, 1, 0.25)), 0.5]
    assert pixel == pytest.approx(expected, abs=1e-6), "premultiplied by the alpha alone"


def test_what_is_not_lit_shines_by_itself(scene: Scene) -> None:
    scene.add()
    scene.update()

    assert (lit(scene, (0, 0, 1))[8, 8] == 1).all()


@pytest.mark.parametrize(
    ("facing", "normal"),
    [("camera", (0, 0, 1)), ("emitter", (0, 0.8, 0.6)), ("point", (0.6, 0, 0.8))],
)
def test_a_plane_is_lit_where_it_looks(
    scene: Scene, facing: str, normal: tuple[float, float, float]
) -> None:
    sprite = gp.Sprite(
        SQUARE,
        facing=facing,
        look_at=(8 + 6e5, 8, 8e5),
        lit=gp.Lit("flat"),
    )
    c, s = 0.8, 0.6  # turned about X: +Y goes to (0, 0.8, 0.6)
    turned = np.array([[1, 0, 0, 8], [0, c, -s, 8], [0, s, c, 0], [0, 0, 0, 1]])
    scene.add(turned, sprite=sprite)
    scene.update()

    direction = np.array((-0.2, -0.5, -0.7))
    cosine = -direction @ normal / np.linalg.norm(direction)
    assert lit(scene, direction)[8, 8, 0] == pytest.approx(cosine, abs=1e-5)


def test_of_a_plane_the_side_that_is_seen_is_lit(scene: Scene) -> None:
    """The emitter's +Y looks away from the camera."""
    sprite = gp.Sprite(SQUARE, facing="emitter", lit=gp.Lit("flat"))
    away = np.array([[1, 0, 0, 8], [0, 0, 1, 8], [0, -1, 0, 0], [0, 0, 0, 1]])
    scene.add(away, sprite=sprite)
    scene.update()

    assert lit(scene, (0, 0, -1))[8, 8, 0] == pytest.approx(1, abs=1e-6)


def bump(normal: tuple[float, float, float]) -> tuple[int, int, int, int]:
    x, y, z = (round(128 + 127 * component) for component in normal)
    return x, y, z, 255


@pytest.mark.parametrize("rotation", [0, 90, 200])
def test_a_mapped_normal_turns_with_the_sprite(scene: Scene, rotation: float) -> None:
    sprite = gp.Sprite(SQUARE, lit=gp.Lit(picture([[bump((0.6, 0, 0.8))]])))
    scene.add(sprite=sprite, rotation=rotation)
    scene.update()

    angle = math.radians(rotation)
    normal = np.array((0.6 * math.cos(angle), 0.6 * math.sin(angle), 0.8))
    direction = np.array((-0.3, 0.5, -1))
    cosine = -direction @ normal / np.linalg.norm(direction)
    assert lit(scene, direction)[8, 8, 0] == pytest.approx(cosine, abs=5e-3)


def test_normals_lie_in_the_cells_of_the_flipbook(scene: Scene) -> None:
    """The second frame looks up where the first looks right."""
    sheet = picture([[bump((1, 0, 0)), bump((0, 1, 0))]])
    book = gp.Flipbook(2, fps=1)
    sprite = gp.Sprite(SQUARE.resize((2, 1)), book, lit=gp.Lit(sheet))
    scene.add(sprite=sprite)
    scene.update(0.5)
    assert lit(scene, (-1, 0, 0))[8, 8, 0] == pytest.approx(1, abs=1e-2)
    assert lit(scene, (0, -1, 0))[8, 8, 0] == pytest.approx(0, abs=1e-2)
    scene.update(1)
    assert lit(scene, (-1, 0, 0))[8, 8, 0] == pytest.approx(0, abs=1e-2)
    assert lit(scene, (0, -1, 0))[8, 8, 0] == pytest.approx(1, abs=1e-2)


def test_frames_that_turn_into_each_other_take_their_normals_along(scene: Scene) -> None:
    sheet = picture([[bump((1, 0, 0)), bump((0, 1, 0))]])
    sprite = gp.Sprite(SQUARE.resize((2, 1)), gp.Flipbook(2, fps=1, blend=True), lit=gp.Lit(sheet))
    scene.add(sprite=sprite)
    scene.update(0.5)
    assert lit(scene, (-1, 0, 0))[8, 8, 0] == pytest.approx(math.sqrt(0.5), abs=2e-2)


def test_the_light_is_the_worlds_however_the_camera_stands(scene: Scene) -> None:
    scene.particles.play(particle(sprite=gp.Sprite(SQUARE, lit=gp.Lit("flat")), size=100))
    scene.update()
    canvas = scene.make_canvas(dtype="f4")
    for eye, expected in (((20, 0, 0), 1.0), ((0, 0, 20), 0.0), ((20, 0, 20), math.sqrt(0.5))):
        canvas.clear()
        scene.particles.draw(
            look_at(eye, (0, 0, 0)), perspective(40, 1, 1, 100), light=gp.Light((-1, 0, 0), **SUN)
        )
        assert canvas.pixels()[8, 8, 0] == pytest.approx(expected, abs=1e-6)


def test_bursts_are_lit_and_cut_out_alike(scene: Scene) -> None:
    sprite = gp.Sprite(SQUARE, lit=gp.Lit("flat"), alpha_clip=0.5, order="depth")
    scene.particles.burst(particle(sprite=sprite, lifetime=9), position=(8, 8, 0))
    scene.update()

    seen = lit(scene, (0, -1, -1))[8, 8]
    assert seen == pytest.approx([*[math.sqrt(0.5)] * 3, 1], abs=1e-6)


def test_without_a_light_there_is_the_usual_one(scene: Scene) -> None:
    scene.add(sprite=gp.Sprite(SQUARE, lit=gp.Lit("flat")))
    scene.update()
    usual = scene.draw()[8, 8].tolist()

    canvas = scene.make_canvas()
    canvas.clear()
    scene.particles.draw(canvas.view, canvas.projection, light=gp.Light())
    assert canvas.pixels()[8, 8].tolist() == usual
    assert 0 < usual[0] < 255


def test_a_normal_map_is_held_once_and_freed(scene: Scene) -> None:
    sprite = gp.Sprite(SQUARE, lit=gp.Lit(Image.new("RGB", (32, 32), (128, 128, 255))))
    before = scene.particles.stats.gpu_bytes
    plain = scene.add()
    without = scene.particles.stats.gpu_bytes - before
    plain.release()
    before = scene.particles.stats.gpu_bytes
    first, second = scene.add(sprite=sprite), scene.add(sprite=sprite)
    assert scene.particles.stats.gpu_bytes - before < 2 * without + 2 * 32 * 32 * 4
    first.release()
    second.release()
    assert scene.particles.stats.gpu_bytes == before


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: gp.Light((0, 0, 0)), "Light: direction"),
        (lambda: gp.Light(color="red"), "Light: color"),
        (lambda: gp.Lit(wrap=2), "Lit: wrap: 2"),
        (lambda: gp.Lit(3), 'Lit: normals: 3 is no texture; normals are "round", "flat"'),
    ],
)
def test_what_makes_no_sense_is_refused(make: Any, sentence: str) -> None:
    with pytest.raises(gp.EffectError) as refused:
        make()
    assert str(refused.value).startswith(sentence)


def test_what_is_no_light_is_refused(scene: Scene) -> None:
    with pytest.raises(gp.EffectError, match="light: 3 is no Light"):
        scene.particles.draw(np.eye(4), np.eye(4), light=3)


def test_a_map_that_is_missing_is_named(scene: Scene, tmp_path: Any) -> None:
    sprite = gp.Sprite(lit=gp.Lit(tmp_path / "no.png"))
    with pytest.raises(gp.EffectError, match=r"one: one: sprite\.lit\.normals: there is no file"):
        scene.add(sprite=sprite)
