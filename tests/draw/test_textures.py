"""Where a sprite's texture comes from: a file, a picture, or the host."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import moderngl
import numpy as np
import pytest
from PIL import Image

import gpuparticles as gp
from tests.draw.conftest import Scene, particle, picture
from tests.gpu.host_state import Host, changes

CLEAR = (0, 0, 0, 0)
WHITE = (255, 255, 255, 255)
RED = (255, 0, 0, 255)
BLUE = (0, 0, 255, 255)


def as_picture(rows: Any, folder: Path) -> Image.Image:
    return picture(rows)


def as_file(rows: Any, folder: Path) -> Path:
    path = folder / "picture.png"
    picture(rows).save(path)
    return path


sources = pytest.mark.parametrize("source", [as_picture, as_file])
Source = Callable[[Any, Path], Any]


@sources
def test_a_white_sprite_with_a_transparent_black_border_is_white_over_white(
    scene: Scene, source: Source, tmp_path: Path
) -> None:
    """Magnified, so that border texels are mixed in: their black must not show."""
    rows = [[CLEAR] * 4, [CLEAR, WHITE, WHITE, CLEAR], [CLEAR, WHITE, WHITE, CLEAR], [CLEAR] * 4]
    scene.add(size=15, sprite=gp.Sprite(texture=source(rows, tmp_path)))
    scene.update()

    assert (scene.draw(background=(1, 1, 1, 1)) == 255).all()
    over_nothing = scene.draw()
    assert ((over_nothing > 0) & (over_nothing < 255)).any(), "there are soft edges"
    assert (over_nothing[..., :3] == over_nothing[..., 3:]).all()


@sources
def test_the_top_row_of_a_picture_is_up(scene: Scene, source: Source, tmp_path: Path) -> None:
    rows = [[RED, BLUE], [CLEAR, WHITE]]
    scene.add(sprite=gp.Sprite(texture=source(rows, tmp_path), filter="nearest"))
    scene.update()

    pixels = scene.draw()
    assert (pixels[8:12, 4:8] == RED).all()
    assert (pixels[8:12, 8:12] == BLUE).all()
    assert (pixels[4:8, 4:8] == CLEAR).all()
    assert (pixels[4:8, 8:12] == WHITE).all()


@sources
def test_pictures_are_straight_unless_told_otherwise(
    scene: Scene, source: Source, tmp_path: Path
) -> None:
    texture = source([[(200, 100, 40, 128)]], tmp_path)
    straight = scene.add((4, 8), sprite=gp.Sprite(texture=texture))
    scene.add((12, 8), sprite=gp.Sprite(texture=texture, premultiplied=True))
    scene.update()

    pixels = scene.draw()
    assert pixels[8, 4].tolist() == [100, 50, 20, 128]
    assert pixels[8, 12].tolist() == [200, 100, 40, 128]
    assert straight.live_count == 1


@pytest.mark.parametrize(
    ("mode", "value", "expected"),
    [
        ("RGB", (10, 20, 30), [10, 20, 30, 255]),
        ("L", 90, [90, 90, 90, 255]),
        ("LA", (200, 128), [100, 100, 100, 128]),
        ("1", 1, [255, 255, 255, 255]),
        ("CMYK", (0, 0, 0, 0), [255, 255, 255, 255]),
    ],
)
def test_pictures_of_every_mode_are_read(
    scene: Scene, mode: str, value: Any, expected: list[int]
) -> None:
    scene.add(sprite=gp.Sprite(texture=Image.new(mode, (2, 2), value)))
    scene.update()

    assert scene.draw()[8, 8].tolist() == expected


def test_greys_of_more_than_8_bits_are_scaled(scene: Scene, tmp_path: Path) -> None:
    half = np.full((2, 2), 32896, np.uint16)
    sixteen = Image.fromarray(half)
    sixteen.save(tmp_path / "sixteen.png")
    beyond = np.array([[-1.0, 0.5], [7.0, np.nan]], np.float32)
    pictures = {
        "I;16": sixteen,
        "I;16B": Image.frombytes("I;16B", (2, 2), half.astype(">u2").tobytes()),
        "I": Image.new("I", (2, 2), 32896),
        "I of 31 bits": Image.new("I", (2, 2), (2**31 - 1) * 128 // 255),
        "F": Image.new("F", (2, 2), 128 / 255),
        "a file": tmp_path / "sixteen.png",
    }
    for name, image in pictures.items():
        instance = scene.add(sprite=gp.Sprite(texture=image))
        scene.update()
        assert scene.draw()[8, 8].tolist() == [128, 128, 128, 255], name
        instance.release()
    scene.add(sprite=gp.Sprite(texture=Image.fromarray(beyond), filter="nearest"))
    scene.update()
    pixels = scene.draw()
    assert pixels[[10, 10, 5, 5], [5, 10, 5, 10], 0].tolist() == [0, 128, 255, 0]


def test_a_palette_with_transparency_is_read(scene: Scene, tmp_path: Path) -> None:
    palette = Image.new("P", (2, 1))
    palette.putpalette([255, 0, 0, 0, 255, 0])
    palette.putdata([0, 1])
    palette.save(tmp_path / "palette.png", transparency=1)
    scene.add(sprite=gp.Sprite(texture=tmp_path / "palette.png", filter="nearest"))
    scene.update()

    pixels = scene.draw()
    assert pixels[8, 5].tolist() == [255, 0, 0, 255]
    assert pixels[8, 10].tolist() == [0, 0, 0, 0]


def test_a_picture_that_is_not_square_fills_the_square(scene: Scene) -> None:
    scene.add(sprite=gp.Sprite(texture=picture([[RED, BLUE, RED]]), filter="nearest", stretch=0))
    scene.update()

    pixels = scene.draw()
    assert (pixels[4:12, 7:9] == BLUE).all()
    assert (pixels[4:12, 4:6] == RED).all()


def test_linear_is_smooth_and_nearest_is_not(scene: Scene) -> None:
    rows = [[RED, BLUE]]
    for filter, colors in (("nearest", 2), ("linear", 5)):
        instance = scene.add(sprite=gp.Sprite(texture=picture(rows), filter=filter))
        scene.update()
        inside = scene.draw()[8, 4:12]
        found = len(np.unique(inside, axis=0))
        assert found == colors if filter == "nearest" else found >= colors
        instance.release()


def test_the_edges_of_a_picture_do_not_wrap_around(scene: Scene) -> None:
    """Red at the left and blue at the right end: neither shows at the other end."""
    scene.add(size=16, sprite=gp.Sprite(texture=picture([[RED, BLUE]])))
    scene.update()

    pixels = scene.draw()
    assert (pixels[:, :4] == RED).all()
    assert (pixels[:, 12:] == BLUE).all()


# The host's textures.


def test_a_borrowed_texture_has_its_first_row_at_the_bottom(scene: Scene) -> None:
    texture = scene.make_texture((1, 2), 4, bytes(RED + BLUE))
    scene.add(sprite=gp.Sprite(texture=texture, filter="nearest"))
    texture.filter = (moderngl.NEAREST, moderngl.NEAREST)
    scene.update()

    pixels = scene.draw()
    assert (pixels[4:8, 4:12] == RED).all()
    assert (pixels[8:12, 4:12] == BLUE).all()


def test_a_borrowed_texture_is_premultiplied_unless_told_otherwise(scene: Scene) -> None:
    texture = scene.make_texture((1, 1), 4, bytes((200, 100, 40, 128)))
    scene.add((4, 8), sprite=gp.Sprite(texture=texture))
    scene.add((12, 8), sprite=gp.Sprite(texture=texture, premultiplied=False))
    scene.update()

    pixels = scene.draw()
    assert pixels[8, 4].tolist() == [200, 100, 40, 128]
    assert pixels[8, 12].tolist() == [100, 50, 20, 128]


def test_a_borrowed_texture_shows_what_the_host_writes_into_it(scene: Scene) -> None:
    texture = scene.make_texture((1, 1), 4, bytes(RED))
    scene.add(sprite=gp.Sprite(texture=texture))
    scene.update()

    assert scene.draw()[8, 8].tolist() == list(RED)
    texture.write(bytes(BLUE))
    assert scene.draw()[8, 8].tolist() == list(BLUE)


def test_a_borrowed_texture_may_be_hdr(scene: Scene) -> None:
    texture = scene.make_texture((1, 1), 4, np.array([4, 2, 0, 1], "f4").tobytes(), dtype="f4")
    scene.add(sprite=gp.Sprite(texture=texture), color=(2, 2, 2, 1))
    scene.update()

    assert scene.draw(scene.make_canvas(dtype="f4"))[8, 8].tolist() == [8, 4, 0, 1]


def test_a_borrowed_texture_is_never_released(scene: Scene) -> None:
    texture = scene.make_texture((1, 1), 4, bytes(RED))
    sprite = gp.Sprite(texture=texture)
    instance = scene.add(sprite=sprite)
    scene.particles.burst(particle(sprite=sprite, lifetime=0.1))
    scene.update(0.01)
    instance.release()
    scene.update(1)
    scene.particles.release()

    assert texture.read() == bytes(RED)


def test_a_borrowed_texture_s_filter_and_wrapping_stay_as_they_are(scene: Scene) -> None:
    texture = scene.make_texture((4, 4), 4, bytes(RED * 16))
    texture.filter = (moderngl.NEAREST, moderngl.LINEAR)
    scene.add(sprite=gp.Sprite(texture=texture, filter="nearest"))
    scene.update()
    scene.draw()

    assert texture.filter == (moderngl.NEAREST, moderngl.LINEAR)
    assert texture.repeat_x
    assert texture.repeat_y


def test_a_texture_of_another_context_is_refused(scene: Scene) -> None:
    other = gp.create_context()
    try:
        texture = other.texture((1, 1), 4, bytes(RED))
        scene.ctx.__enter__()  # make it current again
        effect = particle(sprite=gp.Sprite(texture=texture))
        with pytest.raises(gp.ContextError, match=r"one: one: .*another OpenGL context"):
            scene.particles.play(effect)
        with pytest.raises(gp.ContextError, match=r"one: one: .*another OpenGL context"):
            scene.particles.burst(effect)
    finally:
        other.__enter__()
        other.release()
        scene.ctx.__enter__()
    assert scene.particles.effects == ()


def test_a_released_texture_is_refused(scene: Scene) -> None:
    texture = scene.ctx.texture((1, 1), 4, bytes(RED))
    texture.release()

    with pytest.raises(gp.ContextError, match=r"one: one: sprite\.texture: .*released"):
        scene.add(sprite=gp.Sprite(texture=texture))


@pytest.mark.parametrize("burst", [False, True])
def test_a_texture_that_is_released_while_it_shows_is_named(scene: Scene, burst: bool) -> None:
    texture = scene.ctx.texture((1, 1), 4, bytes(RED))
    sprite = gp.Sprite(texture=texture)
    if burst:
        scene.particles.burst(particle(sprite=sprite))
    else:
        instance = scene.add(sprite=sprite)
    scene.update()
    texture.release()
    canvas, host = scene.canvas, Host(scene.ctx)
    canvas.clear()
    before = host.values()

    message = r"one: one: sprite\.texture has been released; keep it while the effect plays"
    with pytest.raises(gp.ContextError, match=message):
        scene.particles.draw(canvas.view, canvas.projection)
    assert changes(before, host.values()) == {}
    host.release()
    if not burst:
        instance.release()
        scene.add(color="#00ff00")
        scene.update()
        assert scene.draw()[8, 8].tolist() == [0, 255, 0, 255]
    scene.particles.release()


@pytest.mark.parametrize("kind", ["array", "integers", "samples"])
def test_a_texture_that_no_sprite_can_show_is_refused(scene: Scene, kind: str) -> None:
    texture = {
        "array": lambda: scene.ctx.texture_array((1, 1, 2), 4),
        "integers": lambda: scene.ctx.texture((1, 1), 4, dtype="u4"),
        "samples": lambda: scene.ctx.texture((1, 1), 4, samples=4),
    }[kind]()

    with pytest.raises(gp.EffectError, match=r"one: one: sprite\.texture: .*2D"):
        scene.add(sprite=gp.Sprite(texture=texture))
    texture.release()


# Files.


def test_a_missing_file_is_named(scene: Scene, tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / "flame.png"

    with pytest.raises(gp.EffectError, match=r"one: one: sprite\.texture: .*nowhere.flame\.png"):
        scene.add(sprite=gp.Sprite(texture=path))


@pytest.mark.parametrize("content", [b"", b"no picture", None], ids=["empty", "text", "cut off"])
def test_a_corrupt_file_is_named(scene: Scene, tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "flame.png"
    if content is None:
        Image.effect_noise((64, 64), 50).save(path)
        content = path.read_bytes()[:1000]
    path.write_bytes(content)

    with pytest.raises(gp.EffectError, match=r"one: one: sprite\.texture: .*flame\.png"):
        scene.add(sprite=gp.Sprite(texture=path))
    with pytest.raises(gp.EffectError, match=r"one: one: sprite\.texture: .*flame\.png"):
        scene.particles.burst(particle(sprite=gp.Sprite(texture=path)))
    assert scene.particles.effects == ()


@pytest.mark.parametrize("raised", [NotImplementedError("pixel format 0"), KeyError(), None])
def test_a_file_on_which_pillow_stumbles_is_named(
    scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, raised: Exception | None
) -> None:
    path = tmp_path / "flame.dds"
    header = np.zeros(32, np.uint32)
    header[:2] = int.from_bytes(b"DDS ", "little"), 124
    path.write_bytes(header.tobytes())
    if raised is not None:

        def load(image: Image.Image) -> None:
            raise raised

        picture([[RED]]).save(path := tmp_path / "flame.png")
        monkeypatch.setattr("PIL.PngImagePlugin.PngImageFile.load", load)

    with pytest.raises(gp.EffectError, match=r"one: one: sprite\.texture: .*flame.* \(.+\)$"):
        scene.add(sprite=gp.Sprite(texture=path))


def test_a_picture_whose_file_is_cut_off_is_named(scene: Scene, tmp_path: Path) -> None:
    """Pillow opens a file and reads it only when somebody looks at it."""
    path = tmp_path / "flame.png"
    Image.effect_noise((64, 64), 50).save(path)
    path.write_bytes(path.read_bytes()[:1000])

    with (
        Image.open(path) as image,
        pytest.raises(gp.EffectError, match=r"one: one: sprite\.texture: .*flame\.png is not"),
    ):
        scene.add(sprite=gp.Sprite(texture=image))


def test_a_folder_is_no_picture(scene: Scene, tmp_path: Path) -> None:
    with pytest.raises(gp.EffectError, match=r"sprite\.texture: .*is not an image"):
        scene.add(sprite=gp.Sprite(texture=tmp_path))


def test_a_picture_beyond_the_texture_limit_is_refused(scene: Scene) -> None:
    limit = scene.ctx.info["GL_MAX_TEXTURE_SIZE"]

    with pytest.raises(gp.ContextError, match=rf"sprite\.texture: .*{limit + 1}.*{limit}"):
        scene.add(sprite=gp.Sprite(texture=Image.new("L", (limit + 1, 1))))


def test_a_picture_without_pixels_is_refused(scene: Scene) -> None:
    with pytest.raises(gp.EffectError, match=r"sprite\.texture: .*0"):
        scene.add(sprite=gp.Sprite(texture=Image.new("RGBA", (0, 4))))


def test_a_file_is_loaded_once_however_many_show_it(scene: Scene, tmp_path: Path) -> None:
    path = as_file([[RED] * 64] * 64, tmp_path)
    first = scene.add((4, 8), sprite=gp.Sprite(texture=path))
    once = scene.particles.stats.gpu_bytes
    second = scene.add((12, 8), sprite=gp.Sprite(texture=str(path)), color="#808080")
    twice = scene.particles.stats.gpu_bytes
    scene.particles.burst(particle(sprite=gp.Sprite(texture=path)), position=(8, 12))
    scene.update()

    texture = 64 * 64 * 4 * 4 // 3
    assert once > texture
    assert twice - once < texture
    first.release()
    assert scene.draw()[8, 12].tolist() == [128, 0, 0, 255], "the other one still shows it"
    second.release()
    assert scene.draw()[12, 8].tolist() == list(RED)


def test_a_file_s_texture_goes_with_the_last_that_shows_it(
    scene: Scene, tmp_path: Path, live_objects: Callable[[], dict[str, list[int]]]
) -> None:
    before = live_objects()
    sprite = gp.Sprite(texture=as_file([[RED]], tmp_path))
    first, second = scene.add(sprite=sprite), scene.add(sprite=sprite)
    first.release()
    second.release()

    assert live_objects() == before
    assert scene.particles.stats.gpu_bytes == 0


def test_a_texture_with_two_filters_is_two_textures(scene: Scene, tmp_path: Path) -> None:
    path = as_file([[RED, BLUE]], tmp_path)
    scene.add((8, 4), sprite=gp.Sprite(texture=path, filter="nearest"))
    scene.add((8, 12), sprite=gp.Sprite(texture=path, filter="linear"))
    scene.update()

    pixels = scene.draw()
    assert len(np.unique(pixels[2, 4:12], axis=0)) == 2
    assert len(np.unique(pixels[14, 4:12], axis=0)) > 2


def test_without_a_texture_there_is_a_disc_even_beside_one_that_has_one(scene: Scene) -> None:
    """Each has a program of its own: what has no texture pays for none."""
    scene.add((4, 8), sprite=gp.Sprite(texture=picture([[RED]])))
    programs = scene.particles.stats.programs
    scene.add((12.5, 8.5), sprite=gp.Sprite())
    scene.add((12.5, 8.5), sprite=gp.Sprite(), color=(1, 1, 1, 0))
    scene.update()

    pixels = scene.draw()
    assert pixels[4, 0].tolist() == list(RED), "a corner of the square"
    assert pixels[5, 9].tolist() == list(CLEAR), "a corner of the disc"
    assert pixels[8, 12].tolist() == list(WHITE)
    assert scene.particles.stats.programs == programs + 1
