"""Masks of layers: textures, and what a host draws."""

from __future__ import annotations

from typing import Any

import moderngl
import numpy as np
import pytest

import gpuparticles as gp
from tests.draw.conftest import Scene, particle


@pytest.fixture
def put(scene: Scene) -> Any:
    """A white square over all of the picture, in a layer with these settings."""

    def make(**settings: Any) -> Any:
        layer = scene.particles.layer(**settings)
        scene.particles.play(particle(size=100), transform=(8, 8, 0), seed=1, layer=layer)
        scene.update()
        return layer

    return make


def alpha(scene: Scene, **drawn: Any) -> Any:
    return scene.draw(**drawn)[..., 3].astype(int)


HALF = np.array([[0, 64, 128, 255]] * 4, np.uint8)  # four columns, 4 pixels wide each here


@pytest.mark.parametrize("components", [1, 2, 3, 4])
def test_a_texture_says_where_a_layer_is_seen(scene: Scene, put: Any, components: int) -> None:
    """By its alpha, or its red; stretched over the viewport, linear in between."""
    texels = np.zeros((4, 4, components), np.uint8)
    texels[..., 3 if components == 4 else 0] = HALF
    mask = scene.make_texture((4, 4), components, texels.tobytes())
    layer = put(mask=mask)
    seen = alpha(scene)
    place = np.clip((np.arange(16) + 0.5) / 4 - 0.5, 0, 3)
    expected = np.interp(place, range(4), HALF[0])
    assert np.abs(seen - expected).max() <= 1
    layer.mask_inverted = True
    assert np.abs(alpha(scene) - (255 - expected)).max() <= 1
    layer.mask = None
    assert (alpha(scene) == 255).all()


def test_a_host_s_filter_of_it_does_not_count(scene: Scene, put: Any) -> None:
    mask = scene.make_texture((4, 4), 1, HALF.tobytes())
    mask.filter = (moderngl.NEAREST_MIPMAP_NEAREST, moderngl.NEAREST)
    mask.repeat_x = True
    put(mask=mask)
    assert alpha(scene)[0].tolist()[:2] == [0, 0], "nothing comes round from the other side"


def test_a_callable_draws_it_where_the_host_draws(scene: Scene, put: Any) -> None:
    """With the host's viewport, and its state but for the target; whatever it does to that."""
    ctx = scene.ctx
    program = scene.own(
        ctx.program(
            vertex_shader="""#version 330 core
        void main() {
            gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0, 1);
        }""",
            fragment_shader="""#version 330 core
        out vec4 color;
        void main() { color = vec4(0, 0, 0, gl_FragCoord.x < 8.0 ? 0.5 : 0.0); }""",
        )
    )
    triangle = scene.own(ctx.vertex_array(program, []))
    calls: list[Any] = []

    def draw() -> None:
        calls.append((ctx.fbo, ctx.fbo.viewport, ctx.fbo.size))
        triangle.render(moderngl.TRIANGLES, 3)

    layer = put(mask=draw)
    canvas = scene.make_canvas()
    seen = alpha(scene, canvas=canvas)
    assert np.abs(seen[:, :8] - 128).max() <= 1
    assert not seen[:, 8:].any()
    assert len(calls) == 1
    assert calls[0][0] is not canvas.framebuffer
    assert calls[0][1:] == ((0, 0, 16, 16), (16, 16))
    assert ctx.fbo is canvas.framebuffer
    layer.mask_inverted = True
    assert np.abs(alpha(scene, canvas=canvas)[:, :8] - 127).max() <= 1
    with scene.particles.guarded():
        scene.particles.draw(canvas.view, canvas.projection)
    assert len(calls) == 3


def test_what_it_clears_and_binds_stays_in_it(scene: Scene, put: Any) -> None:
    ctx = scene.ctx
    other = scene.own(ctx.framebuffer([scene.make_texture((4, 4), 4)]))

    def draw() -> None:
        ctx.clear(0, 0, 0, 1)
        other.use()
        ctx.viewport = (1, 1, 2, 2)
        other.clear()

    put(mask=draw)
    canvas = scene.make_canvas()
    assert (alpha(scene, canvas=canvas) == 255).all()
    assert ctx.fbo is canvas.framebuffer
    assert canvas.framebuffer.viewport == (0, 0, 16, 16)


def test_one_that_fails_leaves_everything_as_it_was(scene: Scene, put: Any) -> None:
    def draw() -> None:
        raise RuntimeError("no mask today")

    layer = put(mask=draw)
    canvas = scene.make_canvas()
    with pytest.raises(RuntimeError, match="no mask today"):
        scene.draw(canvas)
    assert scene.ctx.fbo is canvas.framebuffer
    assert not canvas.pixels().any(), "nothing has been drawn"
    layer.mask = None
    assert (alpha(scene, canvas=canvas) == 255).all()


def test_a_colour_mask_of_the_host_does_not_hide_it(scene: Scene, put: Any) -> None:
    ctx = scene.ctx
    put(mask=lambda: ctx.clear(0, 0, 0, 1))
    canvas = scene.make_canvas()
    canvas.clear()
    canvas.framebuffer.color_mask = (True, True, True, False)
    canvas.framebuffer.use()
    scene.particles.draw(canvas.view, canvas.projection)
    canvas.framebuffer.color_mask = (True,) * 4
    assert canvas.pixels()[8, 8].tolist() == [255, 255, 255, 0]


def test_it_is_for_the_whole_of_a_layer_after_its_filters(scene: Scene, put: Any) -> None:
    mask = scene.make_texture((2, 1), 1, bytes([255, 0]))
    layer = put(mask=mask, filters=[gp.Blur(2)], opacity=0.5, tint=(1, 0, 0))
    layer.mask_inverted = True
    pixels = scene.draw().astype(int)
    assert not pixels[:, :4].any()
    assert np.abs(pixels[8, 12] - [128, 0, 0, 128]).max() <= 1


def test_a_mask_that_is_gone_is_told_before_anything_is_drawn(scene: Scene, put: Any) -> None:
    mask = scene.make_texture((2, 2), 1)
    put(mask=mask)
    scene.add()
    scene.update()
    mask.release()
    canvas = scene.make_canvas()
    with pytest.raises(gp.ContextError, match="layer: mask: the texture has been released"):
        scene.draw(canvas)
    assert not canvas.pixels().any()
    with pytest.raises(gp.ContextError, match="has been released"):
        scene.particles.layer(mask=mask)


def test_memory_of_a_drawn_mask_is_counted(scene: Scene, put: Any) -> None:
    layer = put(mask=lambda: None)
    size = scene.particles.stats.gpu_bytes
    scene.draw()
    assert scene.particles.stats.gpu_bytes - size == 16 * 16 * (8 + 4)
    layer.release()
    assert scene.particles.stats.gpu_bytes == size


def test_integers_are_no_mask(scene: Scene, put: Any) -> None:
    with pytest.raises(gp.EffectError, match="layer: mask: the texture has integers"):
        put(mask=scene.make_texture((2, 2), 1, dtype="u1"))
