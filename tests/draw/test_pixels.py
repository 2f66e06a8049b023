"""What sprites write into a framebuffer, to the last bit: size, place, blending, targets."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

import gpuparticles as gp
from gpuparticles.gpu.gl import GL
from tests.draw.conftest import SQUARE, Scene, box, particle, picture

DISC = gp.Sprite()
SOLID = gp.Sprite(texture=SQUARE)
LIGHT = gp.Sprite(texture=SQUARE, blend="additive")
_FRAMEBUFFER_SRGB = 0x8DB9
_SRGB8_ALPHA8 = 0x8C43


@pytest.mark.parametrize("sprite", [SOLID, DISC], ids=["texture", "disc"])
def test_white_at_half_opacity_is_premultiplied_on_a_transparent_target(
    scene: Scene, sprite: gp.Sprite
) -> None:
    scene.add((8.5, 8.5), sprite=sprite, color=(1, 1, 1, 0.5))
    scene.update()

    assert scene.draw()[8, 8].tolist() == [128, 128, 128, 128]


@pytest.mark.parametrize("sprite", [LIGHT, gp.Sprite(blend="additive")], ids=["texture", "disc"])
def test_additive_white_at_half_opacity_covers_nothing(scene: Scene, sprite: gp.Sprite) -> None:
    scene.add((8.5, 8.5), sprite=sprite, color=(1, 1, 1, 0.5))
    scene.update()

    assert scene.draw()[8, 8].tolist() == [128, 128, 128, 0]


def test_a_blend_between_covers_in_proportion(scene: Scene) -> None:
    scene.add(sprite=gp.Sprite(texture=SQUARE, blend=0.75), color=(1, 0.5, 0, 0.8))
    scene.update()

    assert scene.draw()[8, 8].tolist() == [204, 102, 0, 51]


@pytest.mark.parametrize(
    ("blend", "expected"),
    [("alpha", [153, 41, 82, 255]), ("additive", [153, 102, 204, 255])],
)
def test_sprites_go_over_what_is_there(scene: Scene, blend: str, expected: list[int]) -> None:
    """Red at 0.6 leaves 0.4 of (0, 102, 204), or all of it."""
    scene.add(sprite=gp.Sprite(texture=SQUARE, blend=blend), color=(1, 0, 0, 0.6))
    scene.update()

    assert scene.draw(background=(0, 0.4, 0.8, 1))[8, 8].tolist() == expected


def test_a_stack_composites_in_the_order_of_slots(scene: Scene) -> None:
    """Ten layers at 0.25 let 0.75**10 through, whatever lies behind."""
    scene.add(capacity=10, bursts=[gp.Burst(0, 10)], color=(1, 1, 1, 0.25))
    scene.update()
    canvas = scene.make_canvas(dtype="f4")

    through = 0.75**10
    assert scene.draw(canvas)[8, 8] == pytest.approx([1 - through] * 4, abs=1e-6)
    over_red = scene.draw(canvas, background=(1, 0, 0, 1))[8, 8]
    assert over_red == pytest.approx([1, 1 - through, 1 - through, 1], abs=1e-6)


def test_emitters_are_drawn_in_authored_order_and_effects_in_the_order_of_play(
    scene: Scene,
) -> None:
    red, blue = (particle(color=color).emitters[0] for color in ("#ff0000", "#0000ff"))
    under, over = (
        gp.Emitter(**{**_fields(emitter), "name": name})
        for emitter, name in ((red, "under"), (blue, "over"))
    )
    scene.particles.play(gp.Effect("two", [under, over], loop=False), transform=(8, 8))
    scene.update()

    assert scene.draw()[8, 8].tolist() == [0, 0, 255, 255]
    scene.add(color="#00ff00", size=2)
    scene.update()
    assert scene.draw()[8, 8].tolist() == [0, 255, 0, 255]
    assert scene.draw()[5, 5].tolist() == [0, 0, 255, 255]


def _fields(emitter: gp.Emitter) -> dict[str, Any]:
    return {name: getattr(emitter, name) for name in emitter.__dataclass_fields__}


@pytest.mark.parametrize("size", [1, 2, 3, 8, 15])
def test_size_is_the_full_width_in_world_units(scene: Scene, size: int) -> None:
    """Under a camera whose pixels are units, a square is exactly as many pixels wide and high."""
    middle = 8 + (size % 2) / 2
    scene.add((middle, middle), size=size)
    scene.update()
    low, high = int(middle - size / 2), int(middle + size / 2)

    pixels = scene.draw()
    assert box(pixels) == (low, low, high, high)
    assert (pixels[low:high, low:high] == 255).all()


def test_size_is_multiplied_by_size_over_life(scene: Scene) -> None:
    scene.add(lifetime=1, size=4, size_over_life=[(0, 1), (0.5, 1), (0.5, 3), (1, 3)])
    scene.update(0.25)

    assert box(scene.draw()) == (6, 6, 10, 10)
    scene.update(0.25)
    assert box(scene.draw()) == (2, 2, 14, 14), "two stops at one place are a hard step"
    scene.update(0.25)
    assert box(scene.draw()) == (2, 2, 14, 14)


def test_a_particle_of_size_zero_is_not_seen(scene: Scene) -> None:
    scene.add(size=0)
    scene.update()

    assert not scene.draw().any()


def test_the_picture_is_black_before_birth_and_after_death(scene: Scene) -> None:
    scene.add(lifetime=0.5, bursts=[gp.Burst(0.25)])

    scene.update(0.125)
    assert not scene.draw().any()
    scene.update(0.25)
    assert scene.draw().any()
    scene.update(0.375 - 2.0**-16)
    assert scene.draw().any(), "a tick before its death it is still there"
    scene.update(2.0**-16)
    assert not scene.draw().any()


def test_the_disc_is_round_and_soft(scene: Scene) -> None:
    canvas = scene.make_canvas((65, 65), dtype="f4")
    scene.add((32.5, 32.5), sprite=DISC, size=64)
    scene.update()

    alpha = scene.draw(canvas)[..., 3]
    y, x = np.mgrid[:65, :65] - 32
    distance = np.hypot(x, y) / 32
    assert alpha[32, 32] == 1
    assert (alpha[distance >= 1] == 0).all()
    assert (alpha[distance < 0.98] > 0).all()
    order = np.argsort(distance, axis=None)
    outwards, sorted_distance = alpha.ravel()[order], distance.ravel()[order]
    assert (np.diff(outwards) <= 1e-6).all(), "it fades outwards only, the same all around"
    slope = np.diff(outwards)[1:] / np.maximum(np.diff(sorted_distance)[1:], 0.02)
    assert slope.min() > -8, "without an edge"


def test_positive_rotation_is_counter_clockwise(scene: Scene) -> None:
    top_left = picture([[(255, 0, 0, 255), (0,) * 4], [(0,) * 4, (0,) * 4]])
    sprite = gp.Sprite(texture=top_left, filter="nearest")
    for turn, quarter in ((0, (4, 8, 8, 12)), (90, (4, 4, 8, 8)), (180, (8, 4, 12, 8))):
        instance = scene.add(rotation=turn, sprite=sprite)
        scene.update()

        assert box(scene.draw()) == quarter, f"turned by {turn} degrees"
        instance.release()


def test_positive_angular_velocity_turns_counter_clockwise(scene: Scene) -> None:
    top_left = picture([[(255, 0, 0, 255), (0,) * 4], [(0,) * 4, (0,) * 4]])
    sprite = gp.Sprite(texture=top_left, filter="nearest")
    scene.add(rotation=0, angular_velocity=90, sprite=sprite)

    for quarter in ((4, 4, 8, 8), (8, 4, 12, 8), (8, 8, 12, 12), (4, 8, 8, 12)):
        scene.update(1)
        assert box(scene.draw()) == quarter


def test_a_rotated_square_keeps_its_size(scene: Scene) -> None:
    canvas = scene.make_canvas((64, 64))
    scene.add((32, 32), rotation=45, size=32)
    scene.update()

    pixels = scene.draw(canvas)
    left, bottom, right, top = box(pixels)
    diagonal = 32 * 2**0.5
    assert right - left == pytest.approx(diagonal, abs=2)
    assert top - bottom == pytest.approx(diagonal, abs=2)
    assert (pixels[..., 3] > 0).sum() == pytest.approx(32 * 32, rel=0.03)


def test_a_tint_multiplies_the_straight_colour(scene: Scene) -> None:
    instance = scene.add(color=(1, 0.8, 0.5, 0.5))
    scene.update()
    instance.tint = (0.5, 1, 0, 0.5)

    # Alpha 0.25; red 0.5, green 0.8 and blue 0 of that.
    assert scene.draw()[8, 8].tolist() == [32, 51, 0, 64]
    instance.tint = (1, 1, 1, 0)
    assert not scene.draw().any()
    instance.tint = (1, 1, 1)
    assert scene.draw()[8, 8].tolist() == [128, 102, 64, 128]


def test_each_burst_has_its_own_tint(scene: Scene) -> None:
    effect = particle(color=(1, 1, 1, 0.5), size=4)
    scene.particles.burst(effect, position=(4, 8), tint=(1, 0, 0, 1))
    scene.particles.burst(effect, position=(12, 8), tint=(0, 0, 1, 0.5))
    scene.update()

    pixels = scene.draw()
    assert pixels[8, 4].tolist() == [128, 0, 0, 128]
    assert pixels[8, 12].tolist() == [0, 0, 64, 64]


def test_drawing_twice_draws_the_same(scene: Scene) -> None:
    scene.add(
        capacity=50, rate=500, bursts=[], lifetime=0.3, speed=(5, 20), spread=180, sprite=DISC
    )
    scene.update(0.2)
    first = scene.draw()
    for _ in range(3):
        again = scene.draw()

    assert first.any()
    np.testing.assert_array_equal(again, first)
    once = scene.draw().astype(int)
    scene.particles.draw(scene.canvas.view, scene.canvas.projection)
    twice = scene.canvas.pixels().astype(int)
    assert (twice >= once).all()
    assert (twice > once).any(), "the second draw goes over the first"


def test_a_pool_draws_what_single_effects_draw(scene: Scene) -> None:
    effect = particle(
        capacity=20,
        bursts=[gp.Burst(0, 20)],
        speed=(2, 6),
        spread=180,
        size=(1, 3),
        color="#ff8040c0",
        sprite=gp.Sprite(blend="additive"),
    )
    playing = scene.particles.play(effect, transform=(8, 8, 0), seed=5)
    scene.update(0.5)
    alone = scene.draw()
    playing.release()
    scene.particles.burst(effect, position=(8, 8, 0), seed=5)
    scene.update(0.5)

    assert alone.any()
    np.testing.assert_array_equal(scene.draw(), alone)


def test_emitters_wider_than_one_row_of_quads_are_drawn_whole(scene: Scene) -> None:
    """Every slot is drawn, in every layout of rows, the last one too."""
    for capacity in (33, 1000, 3000, 5000):
        instance = scene.add(
            capacity=capacity,
            bursts=[gp.Burst(0, capacity)],
            color=(1 / 4096,) * 3,
            sprite=LIGHT,
        )
        scene.update()
        canvas = scene.make_canvas((8, 8), dtype="f4")
        canvas.view = np.diag((0.5, 0.5, 1, 1))

        assert scene.draw(canvas)[4, 4, 0] == pytest.approx(capacity / 4096, rel=1e-5)
        instance.release()


# Targets.


def test_a_multisampled_target_gets_smooth_edges(scene: Scene) -> None:
    canvas = scene.make_canvas((16, 16), samples=4)
    plain = scene.make_canvas((16, 16))
    scene.add((8.5, 8), size=8)
    scene.update()
    canvas.clear()
    scene.particles.draw(canvas.view, canvas.projection)
    scene.ctx.copy_framebuffer(plain.framebuffer, canvas.framebuffer)

    pixels = plain.pixels()
    # The edges at 4.5 and 12.5 cut pixels in halves: two of four samples.
    assert pixels[8, 4].tolist() == [128, 128, 128, 128]
    assert pixels[8, 12].tolist() == [128, 128, 128, 128]
    assert pixels[8, 5:12].min() == 255


def test_hdr_colours_survive_in_a_float_target(scene: Scene) -> None:
    canvas = scene.make_canvas(dtype="f4")
    scene.add(color=(8, 0.5, 0.25, 1))
    scene.update()

    assert scene.draw(canvas)[8, 8].tolist() == [8, 0.5, 0.25, 1]


def test_an_srgb_target_encodes_only_where_the_host_says_so(scene: Scene) -> None:
    canvas = scene.make_canvas(internal_format=_SRGB8_ALPHA8)
    gl = GL(scene.ctx)
    scene.add(color=(0.2, 0.2, 0.2, 1))
    scene.update()

    assert scene.draw(canvas)[8, 8].tolist() == [51, 51, 51, 255]
    gl.Enable(_FRAMEBUFFER_SRGB)
    try:
        assert scene.draw(canvas)[8, 8].tolist() == [124, 124, 124, 255]
    finally:
        gl.Disable(_FRAMEBUFFER_SRGB)


def test_only_the_first_draw_buffer_is_written(scene: Scene) -> None:
    canvas = scene.make_canvas(colors=3)
    scene.add()
    scene.update()
    scene.draw(canvas, background=(0.2, 0.4, 0.6, 0.8))

    assert canvas.pixels()[8, 8].tolist() == [255] * 4
    for other in (1, 2):
        assert (canvas.pixels(other) == (51, 102, 153, 204)).all()


def test_the_host_s_viewport_holds(scene: Scene) -> None:
    scene.add()
    scene.update()
    scene.canvas.clear()
    scene.canvas.framebuffer.viewport = (8, 0, 8, 16)
    scene.particles.draw(scene.canvas.view, scene.canvas.projection)

    assert box(scene.canvas.pixels()) == (10, 4, 14, 12)
    assert scene.canvas.framebuffer.viewport == (8, 0, 8, 16)


def test_the_host_s_scissor_holds(scene: Scene) -> None:
    scene.add()
    scene.update()
    scene.canvas.clear()
    scene.canvas.framebuffer.scissor = (0, 0, 7, 9)
    scene.canvas.framebuffer.use()
    scene.particles.draw(scene.canvas.view, scene.canvas.projection)

    assert box(scene.canvas.pixels()) == (4, 4, 7, 9)
    scene.canvas.framebuffer.scissor = None
    scene.canvas.framebuffer.use()


def test_the_host_s_colour_mask_holds(scene: Scene) -> None:
    scene.add()
    scene.update()
    scene.canvas.clear((0, 0, 0, 1))
    gl = GL(scene.ctx)
    gl.ColorMaski(0, 1, 0, 1, 0)
    scene.particles.draw(scene.canvas.view, scene.canvas.projection)
    mask = (ctypes.c_ubyte * 4)()
    gl.GetBooleani_v(gl.COLOR_WRITEMASK, 0, mask)
    gl.ColorMaski(0, 1, 1, 1, 1)

    assert scene.canvas.pixels()[8, 8].tolist() == [255, 0, 255, 255]
    assert list(mask) == [1, 0, 1, 0]


def test_what_is_bound_by_raw_gl_is_drawn_into(scene: Scene) -> None:
    """OpenGL's framebuffer counts, whatever moderngl remembers."""
    other = scene.make_canvas()
    scene.add()
    scene.update()
    other.clear()
    scene.canvas.clear()
    gl = GL(scene.ctx)
    gl.BindFramebuffer(gl.FRAMEBUFFER, other.framebuffer.glo)
    scene.particles.draw(other.view, other.projection)

    assert scene.ctx.fbo is scene.canvas.framebuffer
    assert not scene.canvas.pixels().any()
    assert other.pixels()[8, 8].tolist() == [255] * 4


def test_nothing_leaves_the_picture_of_a_host_that_clears_and_goes_on(scene: Scene) -> None:
    """ctx.clear() after a draw clears the host's framebuffer, and only that."""
    scene.add()
    scene.update()
    scene.draw()
    scene.ctx.clear(0, 0, 1, 1)

    assert (scene.canvas.pixels() == (0, 0, 255, 255)).all()
    scene.update()
    assert scene.draw()[8, 8].tolist() == [255] * 4
