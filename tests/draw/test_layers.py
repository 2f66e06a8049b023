"""Layers and filters: pictures of their own for effects, and what they go through."""

from __future__ import annotations

from typing import Any

import moderngl
import numpy as np
import pytest

import gpuparticles as gp
from gpuparticles.draw.camera import orthographic
from tests.draw.conftest import SQUARE, Canvas, Scene, particle

White = (255, 255, 255, 255)


def shown(scene: Scene, canvas: Canvas | None = None, **drawn: Any) -> Any:
    return scene.draw(canvas, **drawn).astype(int)


def put(scene: Scene, layer: Any, at: Any = (8, 8, 0), **emitter: Any) -> gp.EffectInstance:
    playing = scene.particles.play(particle(**emitter), transform=at, seed=1, layer=layer)
    scene.update()
    return playing


def floats(scene: Scene, size: tuple[int, int] = (16, 16)) -> Canvas:
    return scene.make_canvas(size, dtype="f4")


@pytest.mark.parametrize("blend", ["alpha", 0.5, "additive"])
@pytest.mark.parametrize("background", [(0, 0, 0, 0), (0.2, 0.4, 0.6, 1)])
def test_a_plain_layer_looks_like_no_layer(scene: Scene, blend: Any, background: Any) -> None:
    """But for what half floats round."""
    canvas = floats(scene)
    layer = scene.particles.layer()
    playing = []
    for x, color in ((6, (1, 0.5, 0.25, 0.7)), (10, (0.1, 0.9, 0.4, 0.5))):
        sprite = gp.Sprite(blend=blend)
        playing.append(put(scene, layer, (x, 8, 0), color=color, sprite=sprite))
    inside = scene.draw(canvas, background=background).copy()
    for each in playing:
        each.layer = None
    direct = scene.draw(canvas, background=background)
    assert np.abs(inside - direct).max() < 1e-3
    assert direct[8, 8].any()


def test_what_overlaps_does_not_shine_through(scene: Scene) -> None:
    layer = scene.particles.layer(opacity=0.5, tint=(1, 0, 0, 1))
    put(scene, layer, (6, 8, 0))
    put(scene, layer, (10, 8, 0))
    pixels = shown(scene)
    assert pixels[8, 8].tolist() == pixels[8, 3].tolist() == [128, 0, 0, 128]


def test_a_layer_comes_where_its_first_effect_does(scene: Scene) -> None:
    layer = scene.particles.layer()
    put(scene, layer, color="#f00").draw_order = 1
    put(scene, None, color="#0f0").draw_order = 2
    late = put(scene, layer, color="#00f")
    late.draw_order = 3
    assert shown(scene)[8, 8].tolist() == [0, 255, 0, 255]
    late.layer = None
    assert shown(scene)[8, 8].tolist() == [0, 0, 255, 255]


@pytest.mark.parametrize(("z", "seen"), [(-50, False), (50, True)])
def test_it_is_tested_against_the_host_s_depth(scene: Scene, z: float, seen: bool) -> None:
    canvas = scene.make_canvas(depth=True)
    put(scene, scene.particles.layer(), (8, 8, z))
    pixels = shown(scene, canvas, cleared_depth=0.5)
    assert pixels[8, 8].any() == seen


def test_inside_it_what_covers_hides_the_others(scene: Scene) -> None:
    canvas = scene.make_canvas(depth=True)
    layer = scene.particles.layer()
    solid = gp.Sprite(texture=SQUARE, alpha_clip=0.5, depth_write=True)
    put(scene, layer, (8, 8, 20), color="#f00", sprite=solid).draw_order = 0
    put(scene, layer, (8, 8, -20), color="#0f0").draw_order = 1
    assert shown(scene, canvas)[8, 8].tolist() == [255, 0, 0, 255]


def test_weighted_particles_may_be_in_it(scene: Scene) -> None:
    sprite = gp.Sprite(texture=SQUARE, order="weighted")
    put(scene, scene.particles.layer(tint=(0, 1, 0, 1)), color=(1, 1, 1, 0.5), sprite=sprite)
    assert np.abs(shown(scene)[8, 8] - [0, 128, 0, 128]).max() <= 1


def test_blur_is_a_gaussian(scene: Scene) -> None:
    """Against NumPy; nothing is lost, and nothing outside is there."""
    canvas = floats(scene)
    layer = scene.particles.layer(filters=[gp.Blur(4)])
    playing = put(scene, layer, size=6, color=(1, 0.5, 0.25, 1))
    blurred = scene.draw(canvas).copy()
    playing.layer = None
    sharp = scene.draw(canvas).astype(float)
    weights = np.exp(-0.5 * (np.arange(-4, 5) / 2) ** 2)
    weights /= weights.sum()
    padded = np.pad(sharp, ((4, 4), (4, 4), (0, 0)))
    rows = sum(w * padded[:, k : k + 16] for k, w in enumerate(weights))
    expected = sum(w * rows[k : k + 16] for k, w in enumerate(weights))
    assert np.abs(blurred - expected).max() < 2e-3
    assert blurred.sum() == pytest.approx(sharp.sum(), rel=2e-3)


@pytest.mark.parametrize("radius", [24, 40, 100])
def test_a_wide_blur_is_a_gaussian_too(scene: Scene, radius: float) -> None:
    """Done in a smaller picture: within seven of a hundred of its middle."""
    size = 150
    canvas = scene.make_canvas((size, size), dtype="f4")
    layer = scene.particles.layer(filters=[gp.Blur(radius)])
    playing = put(scene, layer, (70, 80, 0), size=30, color=(1, 0.5, 0.25, 1))
    blurred = scene.draw(canvas).copy()
    playing.layer = None
    sharp = scene.draw(canvas).astype(float)
    weights = np.exp(-0.5 * (np.arange(-radius, radius + 1) / (radius / 2)) ** 2)
    weights /= weights.sum()
    for axis in (0, 1):
        sharp = np.apply_along_axis(np.convolve, axis, sharp, weights, "full")
    expected = sharp[radius:-radius, radius:-radius]
    assert np.abs(blurred - expected).max() < 0.07 * expected.max()


def test_pixelate_takes_means(scene: Scene) -> None:
    canvas = floats(scene)
    layer = scene.particles.layer(filters=[gp.Pixelate(4)])
    playing = put(scene, layer, (7, 9, 0), size=5, color=(1, 0.5, 0, 1))
    coarse = scene.draw(canvas).copy()
    playing.layer = None
    sharp = scene.draw(canvas)
    means = sharp.reshape(4, 4, 4, 4, 4).mean(axis=(1, 3))
    assert np.abs(coarse - means.repeat(4, 0).repeat(4, 1)).max() < 1e-3


@pytest.mark.parametrize(
    "matrix",
    [
        gp.ColorMatrix(),
        gp.ColorMatrix.saturation(0),
        gp.ColorMatrix.saturation(1.5),
        gp.ColorMatrix.hue(120),
        gp.ColorMatrix.brightness(0.5),
        gp.ColorMatrix.contrast(0.5),
        gp.ColorMatrix(((0, 0, 0, 0, 1), (0, 1, 0, 0, 0), (0, 0, 1, 0, 0), (0, 0, 0, 0.5, 0))),
    ],
)
def test_a_colour_matrix_is_of_straight_colours(scene: Scene, matrix: gp.ColorMatrix) -> None:
    canvas = floats(scene)
    color = np.array((0.8, 0.4, 0.2, 0.5))
    put(scene, scene.particles.layer(filters=[matrix]), color=color)
    rows = np.array(matrix.rows)
    straight = rows[:, :4] @ color + rows[:, 4]
    expected = np.array((*(np.maximum(straight[:3], 0) * straight[3]), straight[3]))
    found = scene.draw(canvas)
    assert np.abs(found[8, 8] - expected).max() < 2e-3
    assert not found[0, 0].any(), "nothing comes of nothing"


def test_hue_turns_and_grey_stays() -> None:
    rows = np.array(gp.ColorMatrix.hue(120).rows)[:3, :3]
    assert rows @ (1, 0, 0) == pytest.approx((0, 1, 0), abs=1e-9)
    assert np.array(gp.ColorMatrix.hue(77).rows)[:3, :3] @ (1, 1, 1) == pytest.approx((1, 1, 1))
    assert np.array(gp.ColorMatrix.saturation(0).rows)[:3, :3].sum(axis=1) == pytest.approx(1)


def test_bloom_adds_what_is_bright_and_only_that(scene: Scene) -> None:
    canvas = floats(scene)
    layer = scene.particles.layer(filters=[gp.Bloom(1.0, radius=4, knee=0)])
    playing = put(scene, layer, size=4, color=(0.9, 0.9, 0.9, 1))
    assert not scene.draw(canvas)[8, 12].any(), "too dark"
    playing.release()
    put(scene, layer, size=4, color=(3, 1, 1, 1))
    found = scene.draw(canvas)
    assert found[8, 12, 0] > 0.05
    assert found[8, 12, 3] == 0, "light covers nothing"
    assert found[8, 8, 0] > 3


@pytest.mark.parametrize("tone", ["reinhard", "aces"])
def test_tones_bring_light_into_range(scene: Scene, tone: Any) -> None:
    canvas = floats(scene)
    bloom = gp.Bloom(100, intensity=0, tone=tone)
    put(scene, scene.particles.layer(filters=[bloom]), color=(4, 2, 0, 1))
    x = np.array((4.0, 2.0, 0.0))
    expected = x / 5 if tone == "reinhard" else None
    if expected is None:
        expected = np.clip(x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14), 0, 1)
    assert np.abs(scene.draw(canvas)[8, 8, :3] - expected).max() < 2e-3


def test_filters_follow_each_other_and_may_change(scene: Scene) -> None:
    grey, half = gp.ColorMatrix.saturation(0), gp.ColorMatrix.brightness(0.5)
    layer = scene.particles.layer(filters=[grey, half])
    put(scene, layer, color="#0f0")
    level = round(255 * 0.7152 / 2)
    assert np.abs(shown(scene)[8, 8] - [level, level, level, 255]).max() <= 1
    layer.filters = ()
    assert shown(scene)[8, 8].tolist() == [0, 255, 0, 255]
    layer.filters = [gp.Bloom(), gp.Blur(1)]
    assert shown(scene)[8, 8].any()


def test_the_host_s_viewport_scissor_and_mask_hold(scene: Scene) -> None:
    ctx = scene.ctx
    canvas = scene.make_canvas((32, 32))
    put(scene, scene.particles.layer(filters=[gp.Pixelate(2)]), size=100)
    canvas.clear()
    canvas.framebuffer.viewport = (8, 4, 16, 16)
    canvas.framebuffer.scissor = (10, 6, 6, 6)
    canvas.framebuffer.color_mask = (True, False, True, True)
    canvas.framebuffer.use()
    scene.particles.draw(np.eye(4), orthographic(0, 16, 0, 16, -100, 100))
    canvas.framebuffer.color_mask = (True, True, True, True)
    canvas.framebuffer.scissor = None
    pixels = canvas.pixels()
    rows, columns = np.nonzero(pixels.any(axis=2))
    assert (rows.min(), rows.max(), columns.min(), columns.max()) == (6, 11, 10, 15)
    assert pixels[8, 12].tolist() == [255, 0, 255, 255]
    assert ctx.error == "GL_NO_ERROR"


def test_memory_is_counted_and_freed(scene: Scene) -> None:
    before = scene.particles.stats
    layer = scene.particles.layer(filters=[gp.Blur(2)])
    playing = put(scene, layer)
    size = scene.particles.stats.gpu_bytes
    shown(scene)
    assert scene.particles.stats.gpu_bytes - size == 3 * 16 * 16 * 8
    layer.release()
    layer.release()
    assert shown(scene)[8, 8].tolist() == list(White), "drawn directly then"
    playing.release()
    assert scene.particles.stats.gpu_bytes == before.gpu_bytes
    assert scene.particles.stats.programs == before.programs
    with pytest.raises(gp.ContextError, match="layer: it has been released"):
        scene.particles.play(particle(), layer=layer)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda _: gp.Blur(-1), "Blur: radius: -1 is not a number from 0 to 128"),
        (lambda _: gp.Bloom(tone="film"), 'Bloom: tone: "film" is none of "none"'),
        (lambda _: gp.Pixelate(1.5), "Pixelate: size: 1.5 is not a whole number"),
        (lambda _: gp.ColorMatrix(((1, 2),)), "four rows of five numbers are needed"),
        (lambda p: p.layer(filters=[3]), "layer: filters: [3] are no filters"),
        (lambda p: p.layer(opacity=2), "layer: opacity: 2 is not a number from 0 to 1"),
        (lambda p: p.layer(tint="loud"), "layer: tint"),
        (lambda _: gp.Distortion("much"), 'Distortion: strength: "much" is not a number from'),
        (
            lambda p: p.layer(filters=[gp.Distortion(), gp.Blur()]),
            "layer: filters: Distortion looks at what lies behind the layer, so it must be",
        ),
        (lambda p: p.layer(mask=3), "layer: mask: 3 is neither a texture nor a callable that"),
        (lambda p: p.layer(mask_inverted=1), "layer: mask_inverted: 1 is not True or False"),
    ],
)
def test_what_cannot_be_is_refused(scene: Scene, make: Any, sentence: str) -> None:
    with pytest.raises(gp.EffectError) as caught:
        make(scene.particles)
    assert sentence in str(caught.value)


def test_several_samples_and_srgb(ctx: moderngl.Context, scene: Scene) -> None:
    canvas = scene.make_canvas(samples=4, depth=True)
    put(scene, scene.particles.layer(filters=[gp.Blur(1)]), color=(1, 0.5, 0, 1))
    canvas.clear()
    scene.particles.draw(canvas.view, canvas.projection)
    resolved = scene.make_canvas()
    ctx.copy_framebuffer(resolved.framebuffer, canvas.framebuffer)
    assert np.abs(resolved.pixels()[8, 8].astype(int) - [255, 128, 0, 255]).max() <= 1
