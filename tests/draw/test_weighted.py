"""Blending that depends on no order."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import moderngl
import numpy as np
import pytest

import gpuparticles as gp
from gpuparticles.draw.camera import look_at, orthographic, perspective
from gpuparticles.gpu.gl import GL
from gpuparticles.shaders import emitter_text
from tests.draw.conftest import SQUARE, Canvas, Pixels, Scene

PROJECTION = perspective(60, 1, 0.5, 50)
BACKGROUND = (0.2, 0.4, 0.6, 1.0)


def weighted(**sprite: Any) -> gp.Sprite:
    return gp.Sprite(**{"texture": SQUARE, "order": "weighted", **sprite})


def layers(
    *colors: Any, ahead: Any, order: Any = "weighted", numbers: Any = None, **sprite: Any
) -> gp.Effect:
    """An emitter of one square a colour, each so far ahead; drawn by number, or as written."""
    emitters = [
        gp.Emitter(
            f"{number}", capacity=1, rate=0, bursts=[gp.Burst()], lifetime=100, speed=0, size=2000,
            shape=gp.Point(offset=(0, 0, -distance)), color=color, draw_order=number,
            sprite=gp.Sprite(texture=SQUARE, order=order, **sprite),
        )
        for color, distance, number in zip(
            colors, ahead, numbers or range(len(colors)), strict=True
        )
    ]  # fmt: skip
    return gp.Effect("layers", emitters, loop=False)


def canvas_of(scene: Scene, **how: Any) -> Canvas:
    canvas = scene.make_canvas(**how)
    canvas.view, canvas.projection = np.eye(4), PROJECTION
    return canvas


def shown(scene: Scene, effect: gp.Effect, canvas: Canvas, **how: Any) -> Pixels:
    """What is seen of an effect that plays alone."""
    playing = scene.particles.play(effect, seed=5)
    scene.update()
    pixels = scene.draw(canvas, **how)
    playing.release()
    return pixels


@pytest.mark.parametrize("background", [(0, 0, 0, 0), BACKGROUND])
@pytest.mark.parametrize("dtype", ["f1", "f2", "f4"])
@pytest.mark.parametrize("blend", ["alpha", 0.5, 0.97])
@pytest.mark.parametrize("alpha", [0.004, 0.3, 1.0])
def test_one_sprite_looks_as_if_it_were_blended(
    scene: Scene, alpha: float, blend: Any, dtype: str, background: Any
) -> None:
    canvas = canvas_of(scene, dtype=dtype)
    color = (0.25, 1.5, 0.8, alpha)
    for ahead in (1, 10, 40):
        found, expected = (
            shown(
                scene,
                layers(color, ahead=[ahead], order=order, blend=blend),
                canvas,
                background=background,
            )
            for order in ("weighted", "none")
        )
        tolerance = 1 if dtype == "f1" else 2e-3
        np.testing.assert_allclose(found.astype(float), expected, rtol=3e-3, atol=tolerance)


def test_no_order_of_drawing_makes_a_difference(scene: Scene) -> None:
    """Of emitters that follow each other; sums of half floats are a rounding apart."""
    canvas = canvas_of(scene)
    colors = [(1, 0, 0, 0.7), (0, 1, 0, 0.5), (0, 0, 1, 0.6), (1, 1, 0, 0.3)]
    pictures = [
        shown(scene, layers(*colors, ahead=(3, 4, 5, 6), numbers=numbers), canvas).astype(int)
        for numbers in permutations(range(4))
    ]
    assert np.ptp(pictures, axis=0).max() <= 1
    assert pictures[0].any()


def test_no_order_of_slots_makes_a_difference(scene: Scene, rng: np.random.Generator) -> None:
    canvas = canvas_of(scene)
    places = np.column_stack([*rng.uniform(-1.5, 1.5, (2, 60)), rng.uniform(-6, -4, 60)])
    pictures = []
    for order in (places, places[::-1], rng.permutation(places)):
        emitter = gp.Emitter(
            "it", capacity=60, rate=0, bursts=[gp.Burst(0, 60)], lifetime=9, speed=0, size=1,
            color="#ff804060", shape=gp.Points(order, order="sequence"), sprite=weighted(),
        )  # fmt: skip
        effect = gp.Effect("it", [emitter], loop=False)
        pictures.append(shown(scene, effect, canvas, background=BACKGROUND).astype(int))
    assert np.ptp(pictures, axis=0).max() <= 1
    assert len(np.unique(pictures[0])) > 20


def test_it_lies_between_the_orders_and_the_nearer_weighs_more(scene: Scene) -> None:
    canvas = canvas_of(scene, dtype="f4")
    red, blue = (1, 0, 0, 0.6), (0, 0, 1, 0.6)
    right, wrong = (
        shown(scene, layers(red, blue, ahead=(4, 5), order="none", numbers=numbers), canvas)[8, 8]
        for numbers in ((1, 0), (0, 1))
    )
    found = shown(scene, layers(red, blue, ahead=(4, 5)), canvas)[8, 8]
    assert wrong[0] < found[0] < right[0]
    assert found[0] > found[2]
    assert found[3] == pytest.approx(1 - 0.4 * 0.4, abs=2e-3)
    assert found[0] + found[2] == pytest.approx(found[3], abs=2e-3)
    even = shown(scene, layers(red, blue, ahead=(4, 4)), canvas)[8, 8]
    assert even[0] == pytest.approx(even[2], rel=1e-3)


@pytest.mark.parametrize("scale", [0.01, 100.0])
def test_worlds_of_any_scale_look_alike(scene: Scene, scale: float) -> None:
    canvas = canvas_of(scene, dtype="f4")
    colors = (1, 0, 0, 0.6), (0, 0, 1, 0.6)
    expected = shown(scene, layers(*colors, ahead=(4, 5)), canvas)
    far = perspective(60, 1, 0.5 * scale, 50 * scale)
    effect = layers(*colors, ahead=(4 * scale, 5 * scale))
    np.testing.assert_allclose(shown(scene, effect, canvas, projection=far), expected, atol=2e-3)


def smoke(order: Any) -> gp.Effect:
    emitter = gp.Emitter(
        "smoke", capacity=300, rate=0, bursts=[gp.Burst(0, 300)], lifetime=100,
        shape=gp.Box((1.2, 0.6, 0.6)), speed=0, size=(0.4, 0.9),
        color=[(0, "#d0b8a860"), (1, "#8894a860")], sprite=gp.Sprite(order=order),
    )  # fmt: skip
    return gp.Effect("smoke", [emitter], loop=False)


@pytest.mark.parametrize("flat", [False, True])
def test_smoke_looks_much_as_if_it_were_sorted(scene: Scene, flat: bool) -> None:
    """Within 2 levels of 255 on average, and nearer than if it were drawn in any order."""
    canvas = scene.make_canvas((64, 64))
    canvas.view = look_at((0, 0.5, 4), (0, 0, 0))
    canvas.projection = orthographic(-1, 1, -1, 1, 2, 8) if flat else perspective(30, 1, 0.1, 100)
    right, other, found = (
        shown(scene, smoke(order), canvas, background=BACKGROUND).astype(int)
        for order in ("depth", "none", "weighted")
    )
    smoky = (right != np.array(BACKGROUND) * 255).any(axis=2)
    assert smoky.mean() > 0.5
    apart, otherwise = (np.abs(each - right)[smoky] for each in (found, other))
    assert apart.mean() < 2
    assert apart.max() < 20
    assert apart.mean() < 0.9 * otherwise.mean()


@pytest.mark.parametrize("blend", ["alpha", 0.6])
def test_a_transparent_target_can_be_laid_over_a_picture_later(scene: Scene, blend: Any) -> None:
    canvas = canvas_of(scene, dtype="f4")
    effect = layers((1, 0.5, 0, 0.6), (0, 0, 1, 0.3), ahead=(4, 5), blend=blend)
    alone = shown(scene, effect, canvas)
    together = shown(scene, effect, canvas, background=BACKGROUND)
    later = alone + (1 - alone[..., 3:]) * np.array(BACKGROUND)
    np.testing.assert_allclose(later, together, atol=1e-3)


def test_what_is_drawn_between_lies_between(scene: Scene) -> None:
    """Weighed, plain, weighed: the plain one covers the first and not the last."""
    canvas = canvas_of(scene)
    effects = [
        layers((1, 0, 0, 1), ahead=[5]),
        layers((0, 1, 0, 1), ahead=[5], order="none"),
        layers((0, 0, 1, 0.5), ahead=[5]),
    ]
    for effect in effects:
        scene.particles.play(effect)
    scene.update()
    np.testing.assert_allclose(scene.draw(canvas)[8, 8].astype(int), (0, 128, 128, 255), atol=1)
    scene.particles.effects[1].draw_order = 5
    assert scene.draw(canvas)[8, 8].tolist() == [0, 255, 0, 255]
    scene.particles.effects[1].draw_order = -5
    found = scene.draw(canvas)[8, 8].astype(int)
    assert found[0] > 100
    assert found[1] == 0


def test_those_that_follow_each_other_are_laid_over_the_picture_once(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    passes = [0]
    render = moderngl.VertexArray.render

    def counted(*arguments: Any, **named: Any) -> None:
        passes[0] += 1
        render(*arguments, **named)

    for _ in range(3):
        scene.particles.play(layers((1, 0, 0, 1), (0, 1, 0, 1), ahead=(5, 6)))
    scene.update()
    monkeypatch.setattr(moderngl.VertexArray, "render", counted)
    scene.draw(canvas_of(scene))
    assert passes[0] == 6 + 1


@pytest.mark.parametrize("samples", [0, 4])
@pytest.mark.parametrize("depth_test", ["<=", ">=", None])
def test_they_are_tested_against_the_host_s_depth(
    scene: Scene, depth_test: Any, samples: int
) -> None:
    """In front of a wall and behind it, of one sample and of several."""
    canvas = canvas_of(scene, depth=True, samples=samples)
    shows = canvas if not samples else canvas_of(scene)
    near, far = (1, 0, 0, 0.5), (0, 0, 1, 0.5)
    clip = PROJECTION @ (0, 0, -10, 1)
    scene.particles.play(layers(near, far, ahead=(9, 11)))
    scene.update()
    canvas.clear(depth=(clip[2] / clip[3] + 1) / 2)
    for _ in range(2):
        canvas.framebuffer.clear(depth=(clip[2] / clip[3] + 1) / 2)
        scene.particles.draw(canvas.view, canvas.projection, depth_test=depth_test)
    if samples:
        scene.ctx.copy_framebuffer(shows.framebuffer, canvas.framebuffer)
    red, _, blue, alpha = shows.pixels()[8, 8] / 255
    seen = {"<=": (True, False), ">=": (False, True), None: (True, True)}[depth_test]
    assert (red > 0.1, blue > 0.1) == seen
    assert alpha == pytest.approx(1 - 0.5 ** sum(seen), abs=5e-3)


def test_what_hides_between_them_hides_the_later_ones(scene: Scene) -> None:
    """A cut-out that writes depth stands between two runs: the depth is copied for each."""
    canvas = canvas_of(scene, depth=True)
    wall = layers((0, 1, 0, 1), ahead=[5], order="none", alpha_clip=0.5, depth_write=True)
    for effect in (layers((1, 0, 0, 0.5), ahead=[9]), wall, layers((0, 0, 1, 0.5), ahead=[9])):
        scene.particles.play(effect)
    scene.update()
    assert scene.draw(canvas)[8, 8].tolist() == [0, 255, 0, 255]


def test_they_may_be_soft(scene: Scene) -> None:
    canvas = canvas_of(scene, depth=True, dtype="f4")
    clip = PROJECTION @ (0, 0, -10, 1)
    for given in (True, canvas.depth):
        found = shown(
            scene,
            layers((1, 0.5, 0, 0.8), ahead=[9], softness=4),
            canvas,
            depth=given,
            cleared_depth=(clip[2] / clip[3] + 1) / 2,
        )
        np.testing.assert_allclose(found[8, 8], (0.2, 0.1, 0, 0.2), atol=2e-3)


def test_viewport_scissor_stencil_and_colour_mask_of_the_host_hold(scene: Scene) -> None:
    """Where it draws, and nowhere else; twice, so that nothing of the first time is left."""
    canvas = scene.make_canvas()
    scene.add(size=100, color=(1, 1, 1, 0.5), sprite=weighted())
    scene.update()
    gl = GL(scene.ctx)
    for _ in range(2):
        canvas.clear()
        canvas.framebuffer.viewport = (4, 2, 9, 10)
        canvas.framebuffer.scissor = (0, 5, 8, 16)
        canvas.framebuffer.color_mask = (True, False, True, True)
        canvas.framebuffer.use()
        scene.particles.draw(canvas.view, canvas.projection)
        assert scene.ctx.viewport == (4, 2, 9, 10)
        canvas.framebuffer.scissor = None
        canvas.framebuffer.color_mask = (True,) * 4
        canvas.framebuffer.viewport = (0, 0, 16, 16)
        canvas.framebuffer.use()
        pixels = canvas.pixels().astype(int)
        assert (np.abs(pixels[5:12, 4:8] - (128, 0, 128, 128)) <= 1).all()
        pixels[5:12, 4:8] = 0
        assert not pixels.any()
    canvas.clear()
    gl.Enable(gl.STENCIL_TEST)
    gl.function("StencilFunc", "iii")(0x0200, 0, 1)  # never; without a stencil all passes
    scene.particles.draw(canvas.view, canvas.projection)
    gl.Disable(gl.STENCIL_TEST)
    gl.function("StencilFunc", "iii")(0x0207, 0, 1)
    assert canvas.pixels().all()


def test_targets_grow_with_the_viewport_and_are_counted(scene: Scene) -> None:
    canvas = scene.make_canvas((40, 24))
    scene.add(size=100, sprite=weighted())
    scene.update()
    before = scene.particles.stats.gpu_bytes
    scene.draw()
    small = scene.particles.stats.gpu_bytes - before
    assert small == 16 * 16 * 10
    for target in (canvas, scene.canvas, canvas):
        assert (scene.draw(target) == 255).all()
        assert scene.particles.stats.gpu_bytes - before == 40 * 24 * 10


def test_bursts_and_what_is_warmed_up(scene: Scene) -> None:
    effect = layers((1, 1, 1, 0.5), ahead=[5])
    scene.particles.warm_up(effect)
    programs = scene.particles.stats.programs
    scene.particles.burst(effect)
    scene.particles.play(effect)
    scene.update()
    found = scene.draw(canvas_of(scene)).astype(int)
    assert np.abs(found - 191).max() <= 1
    assert scene.particles.stats.programs == programs


def test_what_only_adds_light_is_not_weighed(scene: Scene) -> None:
    """Nor composed for it; unless a parameter drives the blend: then its light is kept."""
    for blend in ("additive", 1):
        plain, ours = (
            [
                *emitter_text(
                    layers("#fff", ahead=[1], order=o, blend=blend), 0, pooled=False
                ).passes()
            ]
            for o in ("none", "weighted")
        )
        assert plain == ours
    made = layers((0.5, 0.25, 0.125, 0.5), (0.5, 0.25, 0.125, 0.5), ahead=(5, 5), blend=0.0)
    binds = [f"emitters.{n}.sprite.blend" for n in range(2)]
    glow = gp.Parameter("glow", 0, (0, 1), binds=binds)
    playing = scene.particles.play(gp.Effect("it", made.emitters, loop=False, parameters=[glow]))
    playing.parameters["glow"] = 1.0
    scene.update()
    found = scene.draw(canvas_of(scene, dtype="f4"), background=BACKGROUND)[8, 8]
    np.testing.assert_allclose(found, np.add(BACKGROUND, (0.5, 0.25, 0.125, 0)), atol=3e-3)


def test_light_beyond_half_a_float_is_no_darkness(scene: Scene) -> None:
    canvas = canvas_of(scene)
    found = shown(scene, layers(*[(9000, 9000, 0, 1)] * 20, ahead=[5] * 20), canvas)
    assert found[8, 8].tolist() == [255, 255, 0, 255]


def test_it_hides_nothing() -> None:
    with pytest.raises(gp.EffectError, match=r'depth_write: what has the order "weighted" cannot'):
        gp.Sprite(order="weighted", depth_write=True)
