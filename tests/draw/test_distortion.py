"""Filters that look at what lies behind a layer, and those of the author's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import moderngl
import numpy as np
import pytest
from numpy.typing import NDArray

import gpuparticles as gp
from tests.draw.conftest import Canvas, Scene, particle

Pixels = NDArray[Any]
PATTERN = np.random.default_rng(5).integers(0, 256, (16, 16, 4), np.uint8)
PATTERN[..., 3] = 255


@pytest.fixture
def put(scene: Scene) -> Any:
    """A particle of a colour, over all of the picture, in a layer with filters."""

    def make(*filters: Any, color: Any = (1, 1, 1, 1), size: float = 100, **settings: Any) -> Any:
        layer = scene.particles.layer(filters=filters, **settings)
        effect = particle(size=size, color=color)
        scene.particles.play(effect, transform=(8, 8, 0), seed=1, layer=layer)
        scene.update()
        return layer

    return make


def over(scene: Scene, pattern: Pixels, canvas: Canvas | None = None) -> Pixels:
    """What is drawn over a pattern."""
    canvas = canvas or scene.make_canvas()
    canvas.colors[0].write(np.ascontiguousarray(pattern).tobytes())
    canvas.framebuffer.use()
    scene.particles.draw(canvas.view, canvas.projection)
    return canvas.pixels().copy()


@pytest.mark.parametrize("pattern", [PATTERN, PATTERN // 2])
def test_red_and_green_shift_what_is_behind(scene: Scene, put: Any, pattern: Pixels) -> None:
    """By whole pixels to the bit, and as beyond the sides as there; transparent ones too."""
    put(gp.Distortion(3), color=(1, 0.5, 0, 1))
    columns = np.clip(np.arange(16) + 3, 0, 15)
    assert np.array_equal(over(scene, pattern), pattern[:, columns])
    put(gp.Distortion(2), color=(0.5, 0, 0, 1))
    rows = np.clip(np.arange(16) - 2, 0, 15)
    assert np.array_equal(over(scene, pattern), pattern[:, columns][rows])


def test_half_a_pixel_is_between_two(scene: Scene, put: Any) -> None:
    put(gp.Distortion(0.5), color=(1, 0.5, 0, 1))
    expected = 0.5 * (PATTERN[:, :-1].astype(float) + PATTERN[:, 1:])
    assert np.abs(over(scene, PATTERN)[:, :-1] - expected).max() <= 1


def test_alpha_says_how_much(scene: Scene, put: Any) -> None:
    put(gp.Distortion(8), color=(1, 0.5, 0, 0.25))
    columns = np.clip(np.arange(16) + 2, 0, 15)
    assert np.abs(over(scene, PATTERN)[:, :8] - PATTERN[:, columns][:, :8].astype(int)).max() <= 1


@pytest.mark.parametrize("dtype", ["f1", "f2", "f4"])
def test_what_is_not_bent_keeps_every_bit(scene: Scene, put: Any, dtype: str) -> None:
    """Without strength, and beside the particles."""
    canvas = scene.make_canvas(dtype=dtype)
    kind = {"f1": np.uint8, "f2": np.float16, "f4": np.float32}[dtype]
    numbers = np.random.default_rng(1).uniform(0, 255 if dtype == "f1" else 9, (16, 16, 4))
    pattern = numbers.astype(kind)
    put(gp.Distortion(0), color=(1, 0, 0, 1))
    put(gp.Distortion(4), color=(1, 0, 0, 1), size=2)
    over(scene, pattern, canvas)
    found = np.frombuffer(canvas.colors[0].read(), kind).reshape(16, 16, 4)
    same = (found == pattern).all(axis=2)
    assert not same[7:9, 7:9].any()
    assert same.sum() == 16 * 16 - 4


def test_tint_opacity_and_mask_hold_for_it(scene: Scene, put: Any) -> None:
    mask = scene.make_texture((2, 1), 1, bytes([255, 0]))
    layer = put(gp.Distortion(3), color=(1, 0.5, 0, 1), opacity=0.5, tint=(1, 0, 1), mask=mask)
    found = over(scene, PATTERN).astype(int)
    assert np.array_equal(found[:, 12:], PATTERN[:, 12:])
    bent = PATTERN[:, 3:7].astype(float) * (1, 0, 1, 1)
    assert np.abs(found[:, :4] - 0.5 * (bent + PATTERN[:, :4])).max() <= 1
    layer.opacity = 0
    assert np.array_equal(over(scene, PATTERN), PATTERN)


def test_filters_before_it_bend_with_it(scene: Scene, put: Any) -> None:
    """Green in place of red: what was shifted across is shifted up."""
    swap = gp.ColorMatrix(((0, 1, 0, 0, 0), (1, 0, 0, 0, 0), (0, 0, 1, 0, 0), (0, 0, 0, 1, 0)))
    put(swap, gp.Distortion(3), color=(1, 0.5, 0, 1))
    rows = np.clip(np.arange(16) + 3, 0, 15)
    assert np.array_equal(over(scene, PATTERN), PATTERN[rows])


def test_what_is_drawn_before_it_is_bent_too(scene: Scene, put: Any) -> None:
    scene.particles.play(particle(size=4, color="#f00"), transform=(6, 8, 0), seed=1)
    scene.update()
    put(gp.Distortion(4), color=(0, 0.5, 0, 1))
    found = over(scene, np.zeros_like(PATTERN))
    assert found[8, 10].tolist() == [255, 0, 0, 255]
    assert not found[8, 5].any()


def test_several_samples_are_bent_as_their_mean(scene: Scene, put: Any) -> None:
    canvas = scene.make_canvas(samples=4)
    resolved = scene.make_canvas()
    put(gp.Distortion(4), color=(0, 0.5, 0, 1))
    canvas.framebuffer.clear(0, 0, 0, 1)
    canvas.framebuffer.scissor = (2, 0, 4, 16)
    canvas.framebuffer.clear(1, 0, 0, 1)
    canvas.framebuffer.scissor = None
    canvas.framebuffer.use()
    scene.particles.draw(canvas.view, canvas.projection)
    scene.ctx.copy_framebuffer(resolved.framebuffer, canvas.framebuffer)
    row = resolved.pixels()[8]
    assert [pixel.tolist() == [255, 0, 0, 255] for pixel in row] == [6 <= x < 10 for x in range(16)]


@pytest.mark.parametrize("encoding", [False, True])
def test_srgb_is_bent_as_it_is_seen(
    ctx: moderngl.Context, scene: Scene, put: Any, encoding: bool
) -> None:
    texture = scene.make_texture((16, 16), 4, PATTERN.tobytes(), internal_format=0x8C43)
    framebuffer = scene.own(ctx.framebuffer([texture]))
    put(gp.Distortion(3), color=(1, 0.5, 0, 1))
    framebuffer.use()
    canvas = scene.make_canvas()
    framebuffer.use()
    if encoding:
        ctx.enable_direct(0x8DB9)
    scene.particles.draw(canvas.view, canvas.projection)
    ctx.disable_direct(0x8DB9)
    found = np.frombuffer(texture.read(), np.uint8).reshape(16, 16, 4)
    columns = np.clip(np.arange(16) + 3, 0, 15)
    assert np.abs(found.astype(int) - PATTERN[:, columns]).max() <= 1


def test_the_viewport_s_sides_are_where_it_ends(scene: Scene, put: Any) -> None:
    """Not the framebuffer's."""
    canvas = scene.make_canvas()
    put(gp.Distortion(100), color=(1, 0.5, 0, 1))
    canvas.colors[0].write(PATTERN.tobytes())
    canvas.framebuffer.viewport = (4, 2, 8, 8)
    canvas.framebuffer.use()
    scene.particles.draw(canvas.view, canvas.projection)
    found = canvas.pixels()
    expected = PATTERN.copy()
    expected[2:10, 4:12] = PATTERN[2:10, 11:12]
    assert np.array_equal(found, expected)


def test_what_a_framebuffer_is_read_from_stays(
    ctx: moderngl.Context, scene: Scene, put: Any
) -> None:
    two = [scene.make_texture((16, 16), 4, data) for data in (bytes(1024), PATTERN.tobytes())]
    framebuffer = scene.own(ctx.framebuffer(two))
    canvas = scene.make_canvas()
    put(gp.Distortion(3), color=(1, 0.5, 0, 1))
    framebuffer.use()
    scene.particles.draw(canvas.view, canvas.projection)
    assert two[1].read() == PATTERN.tobytes()
    assert not any(two[0].read())


def test_integers_cannot_be_bent(ctx: moderngl.Context, scene: Scene, put: Any) -> None:
    put(gp.Distortion(3))
    framebuffer = scene.own(ctx.framebuffer([scene.make_texture((16, 16), 4, dtype="u1")]))
    canvas = scene.make_canvas()
    framebuffer.use()
    with pytest.raises(gp.ContextError, match="integers"):
        scene.particles.draw(canvas.view, canvas.projection)
    assert ctx.fbo is framebuffer


# The author's own.


def test_a_function_of_ones_own_changes_a_layer(scene: Scene, put: Any) -> None:
    """It knows where it is, and what is elsewhere."""
    code = """
    vec4 filtered(Picture p) {
        vec4 left = layer_at(p.place - vec2(4.0, 0.0));
        return vec4(p.uv * strength, left.r, 1.0) * (p.size.x / 16.0);
    }
    """
    canvas = scene.make_canvas(dtype="f4")
    put(gp.ShaderFilter(code, [gp.Uniform("strength", 0.5)]), size=4)
    found = scene.draw(canvas)
    place = (np.arange(16) + 0.5) / 16
    assert found[..., 0] == pytest.approx(np.tile(0.5 * place, (16, 1)), abs=1e-3)
    assert found[..., 1] == pytest.approx(np.tile(0.5 * place[:, None], (1, 16)), abs=1e-3)
    white = (found[..., 2] > 0.5).nonzero()
    assert (white[0].min(), white[0].max(), white[1].min(), white[1].max()) == (6, 9, 10, 13)


def test_one_that_looks_at_the_scene_takes_its_place(scene: Scene, put: Any) -> None:
    code = """
    vec4 filtered(Picture p) {
        vec4 there = scene_at(vec2(p.size.x - p.place.x, p.place.y));
        return mix(scene_at(p.place), there, p.color.a);
    }
    """
    filter_ = gp.ShaderFilter(code)
    assert filter_.sees
    put(filter_, size=8)
    expected = PATTERN.copy()
    expected[4:12, 4:12] = PATTERN[4:12, 4:12][:, ::-1]
    assert np.array_equal(over(scene, PATTERN), expected)


def test_other_values_compile_nothing(scene: Scene, put: Any) -> None:
    code = "vec4 filtered(Picture p) { return vec4(shade, 1.0) * p.color.a; }"
    filter_ = gp.ShaderFilter(code, [gp.Uniform("shade", (1, 0, 0))])
    layer = put(filter_)
    programs = scene.particles.stats.programs
    assert scene.draw()[8, 8].tolist() == [255, 0, 0, 255]
    layer.filters = [filter_.with_uniforms(shade=(0, 1, 0))]
    assert scene.draw()[8, 8].tolist() == [0, 255, 0, 255]
    assert scene.particles.stats.programs == programs
    for name, value, sentence in (
        ("shadow", 1, 'there is no uniform "shadow"; did you mean "shade"?'),
        ("shade", 1, "shade: 1 is no vec3"),
        ("shade", "red", '"red" is not a number'),
    ):
        with pytest.raises(gp.EffectError) as caught:
            filter_.with_uniforms(**{name: value})
        assert sentence in str(caught.value)


def test_mistakes_are_told_with_the_author_s_lines(scene: Scene, put: Any, tmp_path: Path) -> None:
    file = tmp_path / "wave.glsl"
    file.write_text("// wave\nvec4 filtered(Picture p) {\n    return p.colour;\n}\n")
    layer = put(gp.Pixelate(1))
    programs = scene.particles.stats.programs
    for code, name in ((file.read_text(), "filter"), (file, str(file))):
        with pytest.raises(gp.ShaderError) as caught:
            layer.filters = [gp.Blur(2), gp.ShaderFilter(code)]
        first, second = str(caught.value).splitlines()[:2]
        assert first.startswith(f"{name}:3: ")
        assert "colour" in first
        assert second.strip() == "return p.colour;"
    assert layer.filters == (gp.Pixelate(1),)
    assert scene.particles.stats.programs == programs
    assert scene.draw()[8, 8].tolist() == [255] * 4


def test_code_that_cannot_be_a_filter_is_refused() -> None:
    for code, sentence in (
        ("vec4 f() {}", "the code has no function vec4 filtered(Picture p)"),
        ("#version 330\nvec4 filtered(Picture p) { return p.color; }", "has a #version"),
    ):
        with pytest.raises(gp.EffectError) as caught:
            gp.ShaderFilter(code)
        assert sentence in str(caught.value)
