"""Pictures and films: what the files hold, that they are whole, and that frames show the effect."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import moderngl
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageSequence

import gpuparticles as gp
from gpuparticles import record
from gpuparticles.draw.camera import look_at, orthographic
from gpuparticles.errors import EffectError, ParticlesError
from gpuparticles.record import destinations

Pixels = NDArray[np.uint8]

# One unit is one pixel of a 16x16 picture with the origin in its middle.
PIXELS = (look_at((0, 0, 10), (0, 0, 0)), orthographic(-8, 8, -8, 8, 0, 20))


def still_square(**sprite: object) -> gp.Effect:
    """One 8x8 square that stands at the origin from the beginning; half covering, white."""
    white = Image.new("RGBA", (4, 4), "white")
    return gp.Effect(
        "square",
        duration=1,
        emitters=[
            gp.Emitter(
                "square",
                rate=0,
                bursts=[gp.Burst(0, 1)],
                lifetime=float("inf"),
                loop=False,
                speed=0,
                size=8,
                color=(1, 1, 1, 0.5),
                sprite=gp.Sprite(white, filter="nearest", **sprite),
            )
        ],
    )


def fountain(**emitter: object) -> gp.Effect:
    settings: dict[str, object] = {"rate": 100, "lifetime": 0.5, "speed": 2, "size": 0.2}
    return gp.Effect(
        "fountain",
        duration=1,
        emitters=[gp.Emitter("drops", **(settings | emitter))],
    )


def gradient(frames: int = 4, channels: int = 3, size: int = 64) -> list[Pixels]:
    """A smooth picture of far more than 256 colours on which a white square moves."""
    down, across = np.mgrid[:size, :size] * (255 / (size - 1))
    base = np.stack((down, across, 255 - across, np.full_like(down, 255))[:channels], axis=-1)
    film = []
    for k in range(frames):
        picture = base.round().astype(np.uint8)
        picture[8:16, 8 * k : 8 * k + 8] = 255
        film.append(picture)
    return film


def read(path: Path, mode: str) -> list[Pixels]:
    with Image.open(path) as image:
        return [np.array(frame.convert(mode)) for frame in ImageSequence.Iterator(image)]


def durations(path: Path) -> list[int]:
    """How long each frame lasts, in ms."""
    found = []
    with Image.open(path) as image:
        for k in range(getattr(image, "n_frames", 1)):
            image.seek(k)
            image.load()
            found.append(image.info["duration"])
    return found


# From light to pixels


@pytest.mark.parametrize(
    ("drawn", "picture"),
    [
        ((128, 128, 128, 0), (255, 255, 255, 128)),  # light added, nothing covered
        ((128, 128, 128, 128), (255, 255, 255, 128)),  # half a white veil
        ((0, 0, 0, 0), (0, 0, 0, 0)),
        ((0, 0, 0, 255), (0, 0, 0, 255)),
        ((64, 32, 0, 128), (128, 64, 0, 128)),  # 64 / 128 of 255 is 127.5, which rounds up
        ((204, 102, 51, 0), (255, 128, 64, 204)),
        ((2550, 255, 0, 0), (255, 255, 0, 255)),  # ten times full: clamped
    ],
)
def test_transparent_pixels_are_straight_and_keep_added_light(
    drawn: tuple[int, ...], picture: tuple[int, ...]
) -> None:
    pixels = record.finish(np.full((1, 1, 4), drawn, np.float32) / 255, transparent=True)

    assert pixels.dtype == np.uint8
    assert tuple(pixels[0, 0].tolist()) == picture


def test_opaque_pixels_are_clamped_and_rounded() -> None:
    drawn = np.array([[(0.5, 1.5, -0.1, 1), (np.inf, 0.2, 0.0019, 1)]], np.float32)

    pixels = record.finish(drawn, transparent=False)

    assert pixels.tolist() == [[[128, 255, 0], [255, 51, 0]]]


def test_a_pixel_is_the_mean_of_its_clamped_samples() -> None:
    drawn = np.zeros((2, 4, 4), np.float16)
    drawn[0, 0] = 8  # as bright as it may be, it fills a quarter of its pixel
    drawn[:, 2:] = 0.5

    pixels = record.finish(drawn, 2, transparent=True)

    assert pixels.shape == (1, 2, 4)
    assert pixels[0].tolist() == [[255, 255, 255, 64], [255, 255, 255, 128]]


# Files


@pytest.mark.parametrize("channels", [3, 4])
def test_png_holds_the_exact_pixels(
    tmp_path: Path, channels: int, rng: np.random.Generator
) -> None:
    picture = rng.integers(0, 256, (5, 7, channels), dtype=np.uint8)

    record.write([picture], tmp_path / "a.png")

    with Image.open(tmp_path / "a.png") as image:
        assert image.mode == {3: "RGB", 4: "RGBA"}[channels]
        np.testing.assert_array_equal(np.array(image), picture)


def test_a_pattern_and_a_folder_number_from_zero(tmp_path: Path) -> None:
    film = gradient(3)

    record.write(iter(film), tmp_path / "f_%03d.png", count=3)
    record.write(film, f"{tmp_path / 'frames'}/")

    assert sorted(p.name for p in tmp_path.glob("f_*")) == ["f_000.png", "f_001.png", "f_002.png"]
    names = sorted(p.name for p in (tmp_path / "frames").iterdir())
    assert names == ["frame_0000.png", "frame_0001.png", "frame_0002.png"]
    for k, picture in enumerate(film):
        np.testing.assert_array_equal(read(tmp_path / f"f_00{k}.png", "RGB")[0], picture)
        np.testing.assert_array_equal(
            read(tmp_path / f"frames/frame_000{k}.png", "RGB")[0], picture
        )


def test_a_pattern_makes_its_folder_if_that_is_missing(tmp_path: Path) -> None:
    record.write(gradient(2), tmp_path / "frames/%04d.png")

    assert sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")) == [
        "frames",
        "frames/0000.png",
        "frames/0001.png",
    ]
    (tmp_path / "plain").mkdir()
    assert (tmp_path / "frames").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_an_existing_folder_keeps_its_other_files(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")

    record.write(gradient(2), tmp_path)

    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["frame_0000.png", "frame_0001.png", "notes.txt"]


def test_animated_webp_holds_the_exact_pixels_and_times(tmp_path: Path) -> None:
    film = gradient(4, channels=4)
    for k, picture in enumerate(film):
        picture[32:, :, 3] = 40 * k + 1

    record.write(iter(film), tmp_path / "a.webp", fps=30, count=4)

    for picture, shown in zip(film, read(tmp_path / "a.webp", "RGBA"), strict=True):
        np.testing.assert_array_equal(shown, picture)
    assert durations(tmp_path / "a.webp") == [33, 34, 33, 33]
    with Image.open(tmp_path / "a.webp") as image:
        assert image.info["loop"] == 0


def test_a_single_webp_holds_the_exact_pixels(tmp_path: Path) -> None:
    picture = gradient(1, channels=4)[0]
    picture[:, :, 3] = np.arange(1, 65)

    record.write([picture], tmp_path / "a.webp")

    np.testing.assert_array_equal(read(tmp_path / "a.webp", "RGBA")[0], picture)


@pytest.mark.parametrize(("fps", "count"), [(30, 90), (25, 75), (24, 72), (7.3, 22), (50, 150)])
def test_gif_frames_last_as_long_as_they_should_in_all(
    tmp_path: Path, fps: float, count: int
) -> None:
    film = np.zeros((count, 10, 20, 3), np.uint8)
    film.reshape(count, -1, 3)[range(count), range(count)] = 255  # a dot runs along the rows

    record.write(film, tmp_path / "a.gif", fps=fps, count=count)

    found = durations(tmp_path / "a.gif")
    assert len(found) == count
    assert sum(found) == 10 * round(100 * count / fps)
    assert max(found) - min(found) <= 10
    with Image.open(tmp_path / "a.gif") as image:
        assert image.info["loop"] == 0


def test_gif_of_few_colours_is_exact(tmp_path: Path, rng: np.random.Generator) -> None:
    colors = rng.permutation(np.mgrid[0:256:51, 0:256:51, 0:256:51].reshape(3, -1).T)[:200]
    film = [colors[rng.integers(0, 200, (20, 30))].astype(np.uint8) for _ in range(5)]

    record.write(film, tmp_path / "a.gif")

    for picture, shown in zip(film, read(tmp_path / "a.gif", "RGB"), strict=True):
        np.testing.assert_array_equal(shown, picture)


def test_gif_of_many_colours_is_right_on_average_and_keeps_its_background(tmp_path: Path) -> None:
    film = gradient(3, size=128)
    for picture in film:
        picture[64:] = (11, 13, 17)

    record.write(film, tmp_path / "a.gif")

    for picture, shown in zip(film, read(tmp_path / "a.gif", "RGB"), strict=True):
        np.testing.assert_array_equal(shown[64:], picture[64:])
        wanted, got = (
            p[:64].astype(float).reshape(16, 4, 32, 4, 3).mean(axis=(1, 3))
            for p in (picture, shown)
        )
        assert np.abs(wanted - got).mean() < 2.5
        assert np.abs(wanted - got).max() < 16


def test_gif_keeps_its_background_beside_a_shade_that_is_hardly_another(tmp_path: Path) -> None:
    picture = np.full((32, 32, 3), 10, np.uint8)
    picture[8:16, 8:16] = 9
    picture[20:24, 20:24] = 200, 100, 50

    record.write([picture], tmp_path / "a.gif")

    (shown,) = read(tmp_path / "a.gif", "RGB")
    ground = (picture == 10).all(axis=-1)
    assert (shown[ground] == 10).all()
    assert np.abs(shown.astype(int) - picture).max() <= 2


def test_gif_has_one_palette_for_the_whole_film(tmp_path: Path, rng: np.random.Generator) -> None:
    film = rng.integers(0, 256, (4, 64, 64, 3), dtype=np.uint8)

    record.write(film, tmp_path / "a.gif", count=4)

    shown = np.concatenate(read(tmp_path / "a.gif", "RGB")).reshape(-1, 3)
    assert 200 < len(np.unique(shown, axis=0)) <= 256


def test_gif_frames_hold_only_what_changes(tmp_path: Path, rng: np.random.Generator) -> None:
    film = np.repeat(rng.choice([0, 90, 180, 255], (1, 64, 64, 3)).astype(np.uint8), 30, axis=0)
    for k, picture in enumerate(film):
        picture[k, k] = picture[-k - 1, -k - 1] = 45, 30, 60

    record.write(film, tmp_path / "a.gif", count=30)

    for picture, shown in zip(film, read(tmp_path / "a.gif", "RGB"), strict=True):
        np.testing.assert_array_equal(shown, picture)
    record.write(film[:1], tmp_path / "b.gif", count=1)
    grown = (tmp_path / "a.gif").stat().st_size - (tmp_path / "b.gif").stat().st_size
    assert grown / 29 < 300  # bytes a frame


def test_gif_alpha_shows_as_many_pixels_as_it_says(tmp_path: Path) -> None:
    film = []
    for alpha in (255, 191, 64, 0):
        picture = np.full((64, 64, 4), (200, 100, 50, alpha), np.uint8)
        picture[:8] = 0
        film.append(picture)

    record.write(film, tmp_path / "a.gif")

    shown = read(tmp_path / "a.gif", "RGBA")
    assert len(shown) == 4
    for picture, frame in zip(film, shown, strict=True):
        assert set(np.unique(frame[..., 3])) <= {0, 255}
        assert not frame[:8, :, 3].any()
        assert frame[8:, :, 3].mean() == pytest.approx(picture[8:, :, 3].mean(), abs=4)
        there = frame[frame[..., 3] == 255]
        assert (there[:, :3] == (200, 100, 50)).all()


def test_gif_without_a_visible_pixel(tmp_path: Path) -> None:
    record.write(np.zeros((3, 10, 10, 4), np.uint8), tmp_path / "a.gif", count=3)

    assert not any(frame[..., 3].any() for frame in read(tmp_path / "a.gif", "RGBA"))
    assert sum(durations(tmp_path / "a.gif")) == 100


def test_a_gif_tells_how_far_it_is(tmp_path: Path) -> None:
    seen: list[tuple[str, int, int]] = []

    record.write(gradient(3), tmp_path / "a.gif", progress=lambda *state: seen.append(state))

    assert seen == [(doing, k, 3) for doing in ("rendering", "encoding") for k in (1, 2, 3)]


def test_a_transparent_gif_leaves_nothing_behind_and_goes_on_after_an_empty_frame(
    tmp_path: Path,
) -> None:
    film = np.zeros((7, 16, 16, 4), np.uint8)
    film[0, 2:8, 2:8] = *b";;;", 255  # a palette that stood between frames would end the film
    film[1, 4:10, 4:10] = *b";;;", 255
    film[4:6, 8:14, 1:5] = 0, 200, 0, 255

    record.write(film, tmp_path / "a.gif", fps=10, count=7)

    shown = read(tmp_path / "a.gif", "RGBA")
    for picture, frame in zip(film[[0, 1, 2, 4, 6]], shown, strict=True):
        there = picture[..., 3] == 255
        np.testing.assert_array_equal(frame[..., 3] == 255, there)
        np.testing.assert_array_equal(frame[there], picture[there])
    assert durations(tmp_path / "a.gif") == [100, 100, 200, 200, 100]


@pytest.mark.parametrize("color", [(9, 9, 9), (9, 9, 9, 255), (0, 0, 0, 0)])
def test_a_still_gif_lasts_as_long_as_its_frames(tmp_path: Path, color: tuple[int, ...]) -> None:
    picture = np.full((4, 4, len(color)), color, np.uint8)

    record.write([picture] * 655, tmp_path / "a.gif", fps=1)

    assert sum(durations(tmp_path / "a.gif")) == 655_000
    for frame in read(tmp_path / "a.gif", "RGBA"):
        np.testing.assert_array_equal(frame[..., : len(color)], picture)


# Whole or not at all


class _Stop(BaseException):
    """Stands for an interrupt."""


def interrupted(error: BaseException) -> Iterator[Pixels]:
    yield from gradient(2)
    raise error


@pytest.mark.parametrize(
    "name", ["a.png", "a.gif", "a.webp", "a_%04d.png", "new/", "new/%d.webp", "old"]
)
@pytest.mark.parametrize("error", [_Stop(), KeyboardInterrupt(), EffectError("no")], ids=repr)
def test_an_interrupted_film_leaves_everything_as_it_was(
    tmp_path: Path, name: str, error: BaseException
) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "old/frame_0000.png").write_bytes(b"before")
    (tmp_path / "a.gif").write_bytes(b"before")
    before = sorted(tmp_path.rglob("*"))
    frames = interrupted(error) if name != "a.png" else broken(error)

    with pytest.raises(type(error)):
        record.write(frames, f"{tmp_path}/{name}", count=1 if name == "a.png" else 3)

    assert sorted(tmp_path.rglob("*")) == before
    assert (tmp_path / "a.gif").read_bytes() == b"before"
    assert (tmp_path / "old/frame_0000.png").read_bytes() == b"before"


def broken(error: BaseException) -> Iterator[Pixels]:
    raise error
    yield


def test_a_file_is_replaced_with_its_mode_and_through_its_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real.png", tmp_path / "link.png"
    real.write_bytes(b"before")
    real.chmod(0o640)
    link.symlink_to(real)

    record.write(gradient(1), link)

    assert link.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640
    np.testing.assert_array_equal(read(real, "RGB")[0], gradient(1)[0])


def test_a_new_file_has_the_mode_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "plain").touch()

    record.write(gradient(1), tmp_path / "a.png")

    assert (tmp_path / "a.png").stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("missing/a.gif", "the folder {0}/missing does not exist"),
        ("missing/a.png", "the folder {0}/missing does not exist"),
        ("missing/deep/", "the folder {0}/missing does not exist"),
        ("missing/deep/%04d.png", "the folder {0}/missing does not exist"),
        ("file/a.gif", "{0}/file is not a folder"),
        ("file/", "{0}/file is not a folder"),
        ("file/%04d.png", "{0}/file is not a folder"),
        ("file/deep/%04d.png", "{0}/file is not a folder"),
        ("folder.gif", "it is a folder"),
        ("a.mp4", 'its ending is ".mp4", but .png, .gif and .webp are known'),
        ("a", 'its ending is "", but .png, .gif and .webp are known'),
        ("a_%04d_%d.png", "its name has 2 numbers, but only one is counted up"),
        ("a_%04d.gif", "a sequence is of .png or .webp files"),
        ("x" * 300 + ".png", "File name too long"),
        ("circle.png", "Too many levels of symbolic links"),
        ("circle.png/", "Too many levels of symbolic links"),
        ("circle.png/%04d.png", "Too many levels of symbolic links"),
        ("nowhere/", "{0}/nowhere is a link to a folder that does not exist"),
        ("nowhere/%04d.png", "{0}/nowhere is a link to a folder that does not exist"),
    ],
)
def test_an_output_that_cannot_be_written_is_refused_before_the_first_frame(
    tmp_path: Path, name: str, sentence: str
) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder.gif").mkdir()
    (tmp_path / "circle.png").symlink_to("circle.png")
    (tmp_path / "nowhere").symlink_to("missing")
    before = sorted(tmp_path.rglob("*"))
    asked: list[int] = []

    def frames() -> Iterator[Pixels]:
        asked.append(1)
        yield from gradient(1)

    with pytest.raises(ParticlesError) as caught:
        record.write(frames(), f"{tmp_path}/{name}", count=1)

    assert str(caught.value).startswith(f"{tmp_path}/{name} cannot be written: ")
    assert sentence.format(tmp_path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not asked
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("out", "replaced"),
    [
        ("a.png", {"a.png", "link.png"}),
        ("link.png", {"a.png", "link.png"}),
        ("./sub/../a.png", {"a.png", "link.png"}),
        ("b.png", set()),
        ("a_%04d.png", {"a_0007.png"}),
        ("sub/a_%04d.png", set()),
    ],
)
def test_a_destination_knows_what_it_replaces(tmp_path: Path, out: str, replaced: set[str]) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.png").touch()
    (tmp_path / "link.png").symlink_to("a.png")
    names = ("a.png", "link.png", "a_0007.png", "a_x.png", "a_0007.webp")

    target = record.destination(f"{tmp_path}/{out}")

    assert {name for name in names if target.replaces(tmp_path / name)} == replaced


def test_an_output_without_a_name_is_refused() -> None:
    with pytest.raises(ParticlesError, match=r"^the output cannot be written: its name is empty$"):
        record.destination("")


def test_a_sequence_with_a_folder_in_its_way_is_refused_before_the_first_frame(
    tmp_path: Path,
) -> None:
    (tmp_path / "0001.png").mkdir()
    asked: list[int] = []

    def frames() -> Iterator[Pixels]:
        asked.append(1)
        yield from gradient(2)

    with pytest.raises(ParticlesError) as caught:
        record.write(frames(), tmp_path / "%04d.png", count=2)

    assert str(caught.value) == (
        f"{tmp_path}/%04d.png cannot be written: {tmp_path}/0001.png is a folder"
    )
    assert not asked
    assert [path.name for path in tmp_path.iterdir()] == ["0001.png"]

    record.write(gradient(1), tmp_path / "%04d.png")  # it is in the way of the second alone
    assert (tmp_path / "0000.png").is_file()


def test_a_closed_folder_and_a_read_only_file_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.png").touch()
    # Tests may run as root, to whom nothing is closed.
    monkeypatch.setattr(destinations, "access", lambda path, mode: Path(path) != tmp_path / "a.png")

    with pytest.raises(ParticlesError, match=r"a\.png cannot be written: the file is read-only"):
        record.destination(tmp_path / "a.png")

    monkeypatch.setattr(destinations, "access", lambda path, mode: False)
    with pytest.raises(ParticlesError, match="there is no permission to write in"):
        record.destination(tmp_path / "b.png")


def test_a_disk_that_fills_up_is_one_sentence(tmp_path: Path, rng: np.random.Generator) -> None:
    resource = pytest.importorskip("resource")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    noise = rng.integers(0, 256, (64, 64, 3), dtype=np.uint8)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
    try:
        with pytest.raises(ParticlesError) as caught:
            record.write([noise], tmp_path / "a.png")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    assert str(caught.value) == f"{tmp_path}/a.png cannot be written: File too large"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("fps", "sentence"),
    [
        (60, "fps: 60 frames a second, but a GIF plays 0.002 to 50 right"),
        (0.001, "fps: 0.001 frames a second, but a GIF plays 0.002 to 50 right"),
        (0.002, "duration: 1000 seconds, but a GIF is written of at most 655"),
    ],
)
def test_a_gif_that_would_not_play_right_is_refused(
    tmp_path: Path, fps: float, sentence: str
) -> None:
    with pytest.raises(EffectError) as caught:
        record.write(gradient(2), tmp_path / "a.gif", fps=fps)

    assert str(caught.value) == sentence
    assert not list(tmp_path.iterdir())


def test_a_png_holds_one_picture(tmp_path: Path) -> None:
    with pytest.raises(ParticlesError, match="one picture, not 2"):
        record.write(gradient(2), tmp_path / "a.png")


# Frames of an effect


def frame_of(effect: gp.Effect, ctx: moderngl.Context, **settings: object) -> Pixels:
    defaults: dict[str, object] = {"size": (16, 16), "duration": 0.1, "fps": 10, "camera": PIXELS}
    film = record.frames(effect, ctx=ctx, **(defaults | settings))
    (picture,) = film
    return picture


@pytest.mark.parametrize("supersample", [1, 2, 3])
@pytest.mark.parametrize("blend", ["alpha", "additive"])
def test_half_a_white_square_on_a_transparent_background(
    ctx: moderngl.Context, blend: str, supersample: int
) -> None:
    picture = frame_of(still_square(blend=blend), ctx, background=None, supersample=supersample)

    assert picture.shape == (16, 16, 4)
    expected = np.zeros((16, 16, 4), np.uint8)
    expected[4:12, 4:12] = 255, 255, 255, 128
    np.testing.assert_array_equal(picture, expected)


def test_half_a_white_square_on_a_colour(ctx: moderngl.Context) -> None:
    picture = frame_of(still_square(), ctx, background=(0.2, 0, 1))

    assert picture.shape == (16, 16, 3)
    assert picture[0, 0].tolist() == [51, 0, 255]
    assert picture[8, 8].tolist() == [153, 128, 255]


@pytest.mark.parametrize("shut", [False, True])
def test_what_is_in_front_hides_what_is_behind(ctx: moderngl.Context, shut: bool) -> None:
    """The nearer of two faces comes first in the mesh; the host may have shut its depth buffer."""
    corners = [(x, y, z) for z in (1, -1) for x, y in ((-1, -1), (3, -1), (-1, 3))]
    colors = [(1, 0, 0, 1)] * 3 + [(0, 0, 1, 1)] * 3
    mesh = gp.Geometry(corners, [(0, 1, 2), (3, 4, 5)], colors=colors)
    model = gp.Model(mesh, orientation="fixed", axis=(0, 0, 1), lit=None)
    (emitter,) = still_square().emitters
    effect = gp.Effect("two", [replace(emitter, model=model, size=4)])
    host = ctx.simple_framebuffer((4, 4))
    try:
        host.use()
        host.depth_mask = not shut
        for picture in record.frames(
            effect, ctx=ctx, camera=PIXELS, size=(16, 16), fps=2, duration=1
        ):
            assert picture[8, 8].tolist() == [255, 0, 0]
        assert host.depth_mask is not shut
    finally:
        ctx.detect_framebuffer(0).use()
        for thing in (*host.color_attachments, host.depth_attachment, host):
            thing.release()


def test_the_top_row_comes_first(ctx: moderngl.Context) -> None:
    effect = fountain(rate=0, bursts=[gp.Burst(0, 1)], lifetime=9, speed=60, size=4)

    picture = frame_of(effect, ctx)

    assert picture[:4].any()
    assert not picture[4:].any()  # after 0.1 s it is 6 units above the middle


def test_each_frame_updates_before_it_draws(ctx: moderngl.Context) -> None:
    """Frame k shows (k + 1) / fps: a burst at 0 has moved one frame's way in the first."""
    effect = fountain(rate=0, bursts=[gp.Burst(0, 1)], lifetime=9, speed=20, size=2)
    film = record.frames(
        effect, ctx=ctx, size=(16, 16), duration=0.3, fps=10, camera=PIXELS, supersample=1
    )

    heights = [np.flatnonzero(picture.any(axis=(1, 2))).mean() for picture in film]

    assert heights == [5.5, 3.5, 1.5]


def test_start_skips_and_time_shows_one_moment(ctx: moderngl.Context, tmp_path: Path) -> None:
    effect = fountain(lifetime=(0.3, 0.6), speed=(10, 20), spread=40, size=2)
    settings = {"ctx": ctx, "size": (16, 16), "camera": PIXELS}

    whole = list(record.frames(effect, duration=1, fps=10, **settings))
    late = list(record.frames(effect, start=0.5, duration=0.5, fps=10, **settings))
    record.render(effect, tmp_path / "a.png", time=0.8, **settings)

    assert len(whole) == 10
    assert len(late) == 5
    # Steps of another length: the same births, the same places to within the engine's accuracy.
    for a, b in zip(whole[5:], late, strict=True):
        assert np.abs(a.astype(int) - b).mean() < 1
    still = read(tmp_path / "a.png", "RGB")[0]
    assert still.any()
    assert np.abs(still.astype(int) - whole[7]).mean() < 1


def test_a_seed_gives_the_same_pixels_and_another_gives_others(ctx: moderngl.Context) -> None:
    effect = fountain(spread=60, speed=(10, 60), size=1)

    first, again, other = (frame_of(effect, ctx, seed=seed, start=0.4) for seed in (5, 5, 6))

    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_before_the_first_birth_and_after_the_last_death_the_picture_is_black(
    ctx: moderngl.Context, tmp_path: Path
) -> None:
    effect = gp.Effect(
        "late",
        duration=1,
        loop=False,
        emitters=[
            gp.Emitter("e", rate=0, bursts=[gp.Burst(0.25, 5)], lifetime=0.3, size=4, speed=1)
        ],
    )
    film = list(record.frames(effect, ctx=ctx, size=(16, 16), duration=1, fps=10, camera=PIXELS))

    lit = [bool(picture.any()) for picture in film]

    assert lit == [False, False, True, True, True, False, False, False, False, False]


def test_light_adds_up_before_it_is_clamped(ctx: moderngl.Context) -> None:
    """Four hundred lights, each too faint for an 8-bit target, are plain to see."""
    effect = gp.Effect(
        "glow",
        duration=1,
        emitters=[
            gp.Emitter(
                "glow",
                rate=0,
                bursts=[gp.Burst(0, 400)],
                lifetime=9,
                speed=0,
                size=8,
                color=(1, 1, 1, 0.001),
                sprite=gp.Sprite(
                    Image.new("RGBA", (2, 2), "white"), blend="additive", filter="nearest"
                ),
            )
        ],
    )

    picture = frame_of(effect, ctx)

    assert picture[8, 8, 0] == pytest.approx(0.4 * 255, abs=3)


def test_render_counts_what_lived(ctx: moderngl.Context, tmp_path: Path) -> None:
    seen: list[tuple[str, int, int]] = []

    summary = record.render(
        fountain(rate=100, lifetime=0.5),
        tmp_path / "a.webp",
        ctx=ctx,
        size=(8, 8),
        duration=2,
        fps=10,
        progress=lambda *state: seen.append(state),
    )

    assert summary.path == tmp_path / "a.webp"
    assert summary.frames == 20
    assert summary.births == pytest.approx(200, abs=1)
    assert summary.peak_live == pytest.approx(50, abs=1)
    assert summary.dropped == 0
    assert summary.drawn == pytest.approx(10 + 20 + 30 + 40 + 16 * 50, abs=20)
    assert summary.seconds > 0
    assert seen == [("rendering", k, 20) for k in range(1, 21)]
    assert sum(durations(tmp_path / "a.webp")) == 2000


def test_dropped_births_are_told_apart_from_lives(ctx: moderngl.Context, tmp_path: Path) -> None:
    summary = record.render(
        fountain(rate=100, lifetime=9, capacity=30),
        tmp_path / "a.gif",
        ctx=ctx,
        size=(8, 8),
        fps=10,
    )

    assert summary.peak_live == 30
    assert summary.births == 30
    assert summary.dropped == pytest.approx(70, abs=1)


def test_a_lone_png_shows_the_middle_of_the_effect(ctx: moderngl.Context, tmp_path: Path) -> None:
    effect = fountain()

    record.render(effect, tmp_path / "a.png", ctx=ctx, size=(32, 32), camera=PIXELS)
    record.render(effect, tmp_path / "b.png", ctx=ctx, size=(32, 32), camera=PIXELS, time=0.5)

    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


def test_the_host_keeps_its_framebuffer_and_viewport(ctx: moderngl.Context) -> None:
    texture = ctx.texture((20, 10), 4)
    host = ctx.framebuffer([texture])
    try:
        host.use()
        ctx.viewport = (1, 2, 3, 4)
        host.clear(1, 0, 0, 1)
        for _ in record.frames(fountain(), ctx=ctx, size=(8, 8), duration=0.2):
            assert ctx.fbo is host
            assert ctx.viewport == (1, 2, 3, 4)
        assert np.frombuffer(host.read(components=4), np.uint8).reshape(-1, 4)[:, 0].min() == 255
        ctx.clear(0, 1, 0, 1)
        assert host.read(components=3, viewport=(1, 2, 1, 1)) == b"\x00\xff\x00"
    finally:
        ctx.detect_framebuffer(0).use()
        host.release()
        texture.release()


def test_frames_given_up_half_way_leave_nothing(ctx: moderngl.Context) -> None:
    film = record.frames(fountain(), ctx=ctx, size=(8, 8))

    next(film)
    del film  # the fixture counts what is left


# The fitted camera


def test_bounds_hold_the_visible_particles_but_for_stragglers(ctx: moderngl.Context) -> None:
    effect = gp.Effect(
        "box",
        emitters=[
            gp.Emitter(
                "box",
                capacity=4000,
                rate=0,
                bursts=[gp.Burst(0, 4000)],
                lifetime=99,
                speed=0,
                size=0.001,
                shape=gp.Box(half=(1, 2, 3)),
            )
        ],
    )

    lower, upper = record.bounds(effect, [0.5, 1.0], ctx=ctx)

    np.testing.assert_allclose(upper, (0.96, 1.92, 2.88), atol=0.03)
    np.testing.assert_allclose(lower, (-0.96, -1.92, -2.88), atol=0.03)


def test_bounds_ignore_what_nobody_sees_and_give_sprites_their_room(ctx: moderngl.Context) -> None:
    here = gp.Emitter(
        "here", rate=0, bursts=[gp.Burst(0, 9)], lifetime=99, speed=0, size=2, shape=gp.Sphere(0.0)
    )
    hidden = gp.Emitter(
        "hidden", rate=100, lifetime=9, speed=50, spread=180, color=(1, 1, 1, 0), size=1
    )

    lower, upper = record.bounds(gp.Effect("e", emitters=[here, hidden]), [0.1, 1], ctx=ctx)

    assert (upper[:2] > 0.5).all()
    assert (upper <= 1).all()
    np.testing.assert_allclose(lower[:2], -upper[:2])


def test_bounds_of_nothing_are_the_origin(ctx: moderngl.Context) -> None:
    lower, upper = record.bounds(fountain(rate=0), [1.0], ctx=ctx)

    assert lower.tolist() == upper.tolist() == [0, 0, 0]


def test_a_fitted_film_fills_the_frame_with_some_air(ctx: moderngl.Context) -> None:
    effect = fountain(rate=400, lifetime=1, speed=(1, 4), spread=25, size=0.2)

    lit = np.maximum.reduce(
        list(record.frames(effect, ctx=ctx, size=(80, 60), start=1, duration=1, fps=10))
    ).any(axis=2)

    down, across = np.flatnonzero(lit.any(axis=1)), np.flatnonzero(lit.any(axis=0))
    assert down[-1] - down[0] >= 0.8 * 60  # it is higher than wide
    assert abs(down[0] - (59 - down[-1])) < 10
    assert abs(across[0] - (79 - across[-1])) < 10


def test_a_2d_effect_is_framed_without_perspective(ctx: moderngl.Context) -> None:
    given: list[tuple[object, object]] = []
    effect = fountain(velocity=((-100, 100), (-50, 50), 0), size=8, lifetime=2)

    def watch(lower: object, upper: object, aspect: float) -> record.Camera:
        given.append((lower, upper))
        return PIXELS

    next(record.frames(effect, ctx=ctx, size=(16, 16), camera=watch))
    ((lower, upper),) = given
    assert isinstance(lower, np.ndarray)
    assert isinstance(upper, np.ndarray)
    assert lower[2] == upper[2] == 0
    picture = next(record.frames(effect, ctx=ctx, size=(64, 64), start=1))
    assert picture.any()


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"size": (0, 10)}, "size: 0x10 pixels, but both must be at least 1"),
        ({"fps": 0}, "fps: 0 frames a second, but it must be finite and above 0"),
        ({"fps": float("nan")}, "fps: nan"),
        ({"duration": 0}, "duration: 0 seconds, but it must be finite and above 0"),
        ({"duration": 1e9}, "are 30000000000 frames, but at most 1000000 are rendered"),
        ({"start": -1}, "start: -1 seconds, but it must be finite and at least 0"),
        ({"supersample": 0}, "supersample: 0, but it must lie in 1..8"),
        ({"background": (0, 0, 2)}, "background: (0, 0, 2), but each channel must lie in 0..1"),
    ],
)
def test_frames_that_make_no_sense_are_refused_at_once(
    settings: dict[str, object], sentence: str
) -> None:
    with pytest.raises(EffectError) as caught:
        record.frames(fountain(), **settings)

    assert sentence in str(caught.value)


def test_a_size_beyond_opengl_is_refused_before_rendering(
    ctx: moderngl.Context, tmp_path: Path
) -> None:
    with pytest.raises(EffectError, match="size: 10x1000000 pixels, but this OpenGL"):
        record.render(fountain(), tmp_path / "a.png", ctx=ctx, size=(10, 1_000_000))

    assert not list(tmp_path.iterdir())


def test_a_size_beyond_webp_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EffectError, match=r"size: 16384x1 pixels, but a WebP has at most 16383"):
        record.render(fountain(), tmp_path / "a.webp", size=(16384, 1))


def test_a_sequence_has_no_single_time(tmp_path: Path) -> None:
    with pytest.raises(EffectError, match="is a sequence of pictures, but time asks for a single"):
        record.render(fountain(), tmp_path / "%04d.png", time=1)
