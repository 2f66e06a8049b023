"""Sheets of frames: which frame is shown when, and that no frame shows its neighbours."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from PIL import Image

import gpuparticles as gp
from tests.draw.conftest import Canvas, Pixels, Scene

RED, GREEN, BLUE, WHITE = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)
FRAMES = [RED, GREEN, BLUE, WHITE]
TICKS = 2**16
"""In a second."""


def sheet(columns: int, rows: int, cell: int, colors: list[tuple[int, int, int]]) -> Image.Image:
    """Frames of one colour each, ``cell`` texels square; places beyond the colours are magenta."""
    texels = np.full((rows, columns, 4), (255, 0, 255, 255), np.uint8)
    texels.reshape(-1, 4)[: len(colors), :3] = colors
    return Image.fromarray(texels.repeat(cell, axis=0).repeat(cell, axis=1))


def sprite(
    columns: int = 2, rows: int = 2, cell: int = 1, *, filter: str = "linear", **flipbook: object
) -> gp.Sprite:
    texture = sheet(columns, rows, cell, FRAMES)
    return gp.Sprite(
        texture=texture, flipbook=gp.Flipbook(columns, rows, **flipbook), filter=filter
    )


def shown(pixels: Pixels) -> tuple[int, int, int]:
    """The one colour that covers the sprite in the middle."""
    colors = np.unique(pixels[4:12, 4:12, :3].reshape(-1, 3), axis=0)
    assert len(colors) == 1, f"several colours at once: {colors.tolist()}"
    r, g, b = (int(value) for value in colors[0])
    return (r, g, b)


@pytest.mark.parametrize("filter", ["linear", "nearest"])
@pytest.mark.parametrize("cell", [1, 2, 3, 8])
def test_a_magnified_frame_has_nothing_of_its_neighbours(
    scene: Scene, cell: int, filter: str
) -> None:
    """Frame 0 of red, green, blue, white is red to its very edges; so are the others pure."""
    scene.add(lifetime=1, size=64, sprite=sprite(cell=cell, filter=filter))
    scene.update(2.0**-10)

    for expected in FRAMES:
        pixels = scene.draw()
        assert (pixels == (*expected, 255)).all()
        scene.update(0.25)


@pytest.mark.parametrize("cell", [2, 16, 15, 12])
def test_a_minified_frame_has_nothing_of_its_neighbours(scene: Scene, cell: int) -> None:
    """Mip levels average texels, but never across frames, whatever their size and place."""
    for at, size in product(((8.5, 8.5), (8.2, 8.4), (7.9, 8.05)), (1, 1.5, 3, 5.3, 11)):
        instance = scene.add(at, lifetime=1, size=size, sprite=sprite(cell=cell))
        scene.update(2.0**-10)
        for expected in FRAMES:
            pixels = scene.draw()
            inside = pixels[pixels[..., 3] > 0]
            assert len(inside)
            assert (inside == (*expected, 255)).all()
            scene.update(0.25)
        instance.release()


def test_a_turned_frame_has_nothing_of_its_neighbours(scene: Scene) -> None:
    canvas = scene.make_canvas((48, 48))
    for rotation in (10, 45, 77):
        for size in (6, 40):
            instance = scene.add(
                (24, 24), lifetime=1, size=size, rotation=rotation, sprite=sprite(cell=8)
            )
            scene.update(2.0**-10)
            pixels = scene.draw(canvas)
            inside = pixels[pixels[..., 3] > 0]
            assert len(inside)
            assert (inside == (*RED, 255)).all()
            instance.release()


def test_frames_run_from_the_top_left_row_by_row(scene: Scene) -> None:
    colors = [(40 * n, 255 - 40 * n, 0) for n in range(6)]
    texture = sheet(3, 2, 4, colors)
    scene.add(lifetime=1, sprite=gp.Sprite(texture=texture, flipbook=gp.Flipbook(3, 2)))
    scene.update(1 / 12)

    for color in colors:
        assert shown(scene.draw()) == color
        scene.update(1 / 6)


def test_a_frame_stands_upright(scene: Scene) -> None:
    """The top of a frame is the top of the sprite."""
    texels = np.zeros((4, 4, 4), np.uint8)
    texels[..., 3] = 255
    texels[0, :2] = (255, 255, 0, 255)
    scene.add(
        lifetime=1,
        sprite=gp.Sprite(
            texture=Image.fromarray(texels), flipbook=gp.Flipbook(2, 2), filter="nearest"
        ),
    )
    scene.update(2.0**-10)

    pixels = scene.draw()
    assert (pixels[8:12, 4:12, 0] == 255).all()
    assert (pixels[4:8, 4:12, 0] == 0).all()


@pytest.mark.parametrize("loop", [False, True])
def test_the_last_frame_is_shown_exactly_until_death(scene: Scene, loop: bool) -> None:
    """One tick before the end of life it is the last frame, never the one after it."""
    for ticks in (TICKS, 7 * TICKS // 10, 33 * TICKS // 10, 852, 2):
        scene.add(lifetime=ticks / TICKS, sprite=sprite(loop=loop))
        scene.update((ticks - 1) / TICKS)

        assert shown(scene.draw()) == (WHITE if ticks > 2 else BLUE)
        scene.update(1 / TICKS)
        assert not scene.draw().any()


@pytest.mark.parametrize("loop", [False, True])
def test_places_beyond_the_frames_are_never_shown(scene: Scene, loop: bool) -> None:
    for frames in (1, 2, 3):
        instance = scene.add(lifetime=1, sprite=sprite(frames=frames, speed=3.0, loop=loop))
        seen = []
        for _ in range(47):
            scene.update(1 / 48)
            seen.append(shown(scene.draw()))

        assert set(seen) == set(FRAMES[:frames])
        assert seen[-1] == FRAMES[frames - 1]
        instance.release()


def test_frames_change_at_their_exact_shares_of_life(scene: Scene) -> None:
    scene.add(lifetime=1, sprite=sprite())
    scene.update(0.25 - 1 / TICKS)

    assert shown(scene.draw()) == RED
    scene.update(1 / TICKS)
    assert shown(scene.draw()) == GREEN
    scene.update(0.25)
    assert shown(scene.draw()) == BLUE
    scene.update(0.25)
    assert shown(scene.draw()) == WHITE


@pytest.mark.parametrize("loop", [False, True])
def test_the_frame_never_equals_the_count(scene: Scene, loop: bool) -> None:
    """Whatever the number of frames, the last tick of a long life shows the last one."""
    for count in (*range(1, 10), 16, 25, 49, 63, 64, 100):
        texels = np.zeros((1, count, 4), np.uint8)
        texels[0, :, 3] = 255
        texels[0, :, 0] = np.arange(count) * 2
        flipbook = gp.Flipbook(count, 1, loop=loop)
        scene.add(
            lifetime=250, sprite=gp.Sprite(texture=Image.fromarray(texels), flipbook=flipbook)
        )
        scene.update(250 - 1 / TICKS)

        assert shown(scene.draw())[0] == 2 * (count - 1), f"{count} frames"
        scene.update(1 / TICKS)


def test_speed_runs_through_the_frames_faster_and_holds_the_last(scene: Scene) -> None:
    scene.add(lifetime=1, sprite=sprite(speed=2.0))
    seen = []
    for _ in range(8):
        scene.update(1 / 8 - (1 / TICKS if not seen else 0))
        seen.append(shown(scene.draw()))

    assert seen == [RED, GREEN, BLUE, WHITE, WHITE, WHITE, WHITE, WHITE]


def test_a_loop_begins_again(scene: Scene) -> None:
    scene.add(lifetime=1, sprite=sprite(speed=2.0, loop=True))
    seen = []
    for _ in range(8):
        scene.update(1 / 8 - (1 / TICKS if not seen else 0))
        seen.append(shown(scene.draw()))

    assert seen == FRAMES * 2


@pytest.mark.parametrize("loop", [False, True])
def test_speed_zero_stays_on_the_first_frame(scene: Scene, loop: bool) -> None:
    scene.add(lifetime=1, sprite=sprite(speed=0.0, loop=loop))
    for _ in range(3):
        scene.update(0.3)
        assert shown(scene.draw()) == RED


@pytest.mark.parametrize("loop", [False, True])
def test_a_particle_that_never_dies_stays_on_the_first_frame(scene: Scene, loop: bool) -> None:
    scene.add(sprite=sprite(loop=loop))
    scene.update(5)

    assert shown(scene.draw()) == RED


def test_a_borrowed_sheet_also_begins_at_the_top_left(scene: Scene) -> None:
    """Its first row of data is the bottom one, so that frame 0 lies in the last."""
    data = np.array([[BLUE, WHITE], [RED, GREEN]], np.uint8)
    texture = scene.make_texture((2, 2), 3, data.tobytes(), alignment=1)
    scene.add(lifetime=1, sprite=gp.Sprite(texture=texture, flipbook=gp.Flipbook(2, 2)))
    scene.update(2.0**-10)

    for expected in FRAMES:
        assert shown(scene.draw()) == expected
        scene.update(0.25)


@pytest.mark.parametrize("mipmaps", [False, True])
def test_a_borrowed_sheet_does_not_bleed_either(scene: Scene, mipmaps: bool) -> None:
    """Nor across the texture's edge, where moderngl's textures repeat by default."""
    data = np.asarray(sheet(2, 2, 8, FRAMES))[::-1]
    texture = scene.make_texture((16, 16), 4, data.tobytes())
    if mipmaps:
        texture.build_mipmaps()
    for size in (1.7, 5, 40):
        instance = scene.add(
            lifetime=1,
            size=size,
            sprite=gp.Sprite(texture=texture, flipbook=gp.Flipbook(2, 2)),
        )
        scene.update(2.0**-10)
        pixels = scene.draw()
        inside = pixels[pixels[..., 3] > 0]
        assert len(inside)
        assert (inside == (*RED, 255)).all()
        instance.release()


def test_a_minified_frame_is_averaged_not_picked(scene: Scene) -> None:
    """A fine checkerboard becomes its mean, instead of one of its two colours."""
    canvas: Canvas = scene.make_canvas((8, 8))
    texels = np.full((64, 64, 4), 255, np.uint8)
    texels[(np.indices((64, 64)).sum(axis=0) % 2) == 1, :3] = 0
    scene.add(
        (4, 4),
        lifetime=1,
        size=4,
        sprite=gp.Sprite(texture=Image.fromarray(texels), flipbook=gp.Flipbook(2, 2)),
    )
    scene.update(2.0**-10)

    inside = scene.draw(canvas)[2:6, 2:6, :3]
    assert np.abs(inside.astype(int) - 127.5).max() <= 1.5


def test_each_particle_may_begin_with_a_frame_of_its_own(scene: Scene) -> None:
    """By its seed, every frame as often, and kept for life where the speed is 0."""
    book = sprite(speed=0, start="random")
    found = []
    for seed in range(40):
        instance = scene.add(lifetime=1, size=64, sprite=book, seed=seed)
        scene.update(2.0**-10)
        before = shown(scene.draw())
        scene.update(0.9)
        assert shown(scene.draw()) == before
        found.append(before)
        instance.release()
    assert all(4 <= found.count(color) <= 18 for color in FRAMES)


def test_a_random_start_goes_on_from_there(scene: Scene) -> None:
    """Round to the first frame in a loop, or to the last one and no further."""
    for loop in (True, False):
        scene.add(lifetime=1, size=64, sprite=sprite(start="random", loop=loop), seed=6)
        scene.update(2.0**-10)
        places = []
        for _ in range(4):
            places.append(FRAMES.index(shown(scene.draw())))
            scene.update(0.25)
        first = places[0]
        assert 0 < first < 3
        expected = [first + k for k in range(4)]
        assert places == [k % 4 if loop else min(k, 3) for k in expected]
        scene.update(1)


def test_frames_a_second_do_not_depend_on_the_length_of_life(scene: Scene) -> None:
    """Also for what never dies; the last one is held, or all begin again."""
    for lifetime in (2, 7, float("inf")):
        for loop in (False, True):
            instance = scene.add(lifetime=lifetime, sprite=sprite(fps=4, loop=loop))
            scene.update(1 / 8)
            seen = []
            for _ in range(7):
                seen.append(shown(scene.draw()))
                scene.update(1 / 4)
            after = FRAMES[:3] if loop else [WHITE] * 3
            assert seen == [*FRAMES, *after]
            instance.release()


def test_ping_pong_goes_there_and_back(scene: Scene) -> None:
    """No end is shown twice in a row, and of two frames they alternate."""
    expected = [0, 1, 2, 3, 2, 1, 0, 1, 2, 3, 2, 1]
    for frames, places in ((4, expected), (2, [0, 1] * 6), (1, [0] * 12)):
        book = sprite(fps=8, loop="ping_pong", frames=frames)
        instance = scene.add(lifetime=9, sprite=book)
        scene.update(1 / 16)
        seen = []
        for _ in places:
            seen.append(FRAMES.index(shown(scene.draw())))
            scene.update(1 / 8)
        assert seen == places
        instance.release()


def test_a_strip_is_one_row(scene: Scene) -> None:
    for columns, rows in ((4, 1), (1, 4)):
        instance = scene.add(lifetime=1, sprite=sprite(columns, rows, 4))
        scene.update(1 / 8)
        for color in FRAMES:
            assert shown(scene.draw()) == color
            scene.update(1 / 4)
        instance.release()


def mixed(a: tuple[int, int, int], b: tuple[int, int, int], share: float) -> list[float]:
    return [x + (y - x) * share for x, y in zip(a, b, strict=True)]


@pytest.mark.parametrize("loop", [False, True, "ping_pong"])
def test_blended_frames_turn_into_each_other(scene: Scene, loop: bool | str) -> None:
    """A held last frame into itself, that of a loop into the first, an end into the way back."""
    scene.add(lifetime=9, sprite=sprite(fps=1, loop=loop, blend=True))
    after = {False: WHITE, True: RED, "ping_pong": BLUE}[loop]
    for a, b in zip(FRAMES, [*FRAMES[1:], after], strict=True):
        for share in (0.25, 0.75):
            scene.update(0.25 if share == 0.25 else 0.5)
            assert shown(scene.draw()) == pytest.approx(mixed(a, b, share), abs=1)
        scene.update(0.25)


@pytest.mark.parametrize("filter", ["linear", "nearest"])
@pytest.mark.parametrize("size", [1.5, 3, 5.3, 8, 64])
def test_blended_frames_have_nothing_of_others(scene: Scene, filter: str, size: float) -> None:
    """Small or large, whatever lies beside either of both in the sheet."""
    for cell in (1, 3, 16):
        book = sprite(cell=cell, fps=1, blend=True, filter=filter)
        instance = scene.add((8.2, 7.9), lifetime=9, size=size, sprite=book)
        scene.update(1.5)
        pixels = scene.draw()
        inside = pixels[pixels[..., 3] > 0]
        assert len(inside)
        assert np.abs(inside[:, :3] - np.array(mixed(GREEN, BLUE, 0.5))).max() <= 1
        assert (inside[:, 3] == 255).all()
        instance.release()


def test_blended_frames_of_straight_alpha_do_not_darken(scene: Scene) -> None:
    """What is clear in one frame has no part in the colour."""
    data = np.array([[(255, 0, 0, 255), (0, 255, 0, 0)]], np.uint8)
    texture = scene.make_texture((2, 1), 4, data.tobytes())
    book = gp.Flipbook(2, fps=1, blend=True)
    scene.add(lifetime=9, sprite=gp.Sprite(texture=texture, flipbook=book, premultiplied=False))
    scene.update(0.5)
    assert scene.draw()[8, 8].tolist() == pytest.approx([128, 0, 0, 128], abs=1)
