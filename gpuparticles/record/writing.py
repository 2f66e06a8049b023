"""Pictures into files, which appear whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from os import PathLike, replace, scandir
from pathlib import Path
from secrets import token_hex
from shutil import copymode, rmtree
from typing import IO

from PIL import Image

from gpuparticles.errors import EffectError, ParticlesError
from gpuparticles.record import gif
from gpuparticles.record.destinations import Destination, destination, refusing
from gpuparticles.record.pixels import Pixels

Progress = Callable[[str, int, int], None]

_GIF_SLOWEST = 0.002
"""A GIF frame lasts at most 2^16 hundredths of a second."""

_GIF_FASTEST = 50
"""Browsers play a GIF frame shorter than 1/50 s as 1/10 s."""

_GIF_LONGEST = 655
"""Seconds: frames that are alike become a single one, and all of a film may be."""


def write(
    pictures: Iterable[Pixels],
    out: str | PathLike[str],
    *,
    fps: float = 30.0,
    count: int | None = None,
    progress: Progress | None = None,
) -> None:
    """Write pictures to a file or a sequence of files, whole or not at all.

    The output is opened before the first picture is asked for. Files already there are replaced
    after the last. A GIF is in memory as a whole, see `gif.write`; of the others one picture is.

    Args:
        pictures: uint8 arrays (height, width, 3) or (height, width, 4) with straight alpha, all
            of one shape, top row first.
        out: See `destination`.
        fps: Frames a second; for a GIF at most 50, and 655 seconds in all.
        count: How many pictures there are; when not given they are all held in memory.
        progress: Called with what is being done, how many frames of it are done, and of how many.

    Raises:
        ParticlesError: No pictures, several for a single PNG, or an output that cannot be written.
    """
    target = destination(out)
    if target.format == "gif" and not _GIF_SLOWEST <= fps <= _GIF_FASTEST:
        raise EffectError(
            f"fps: {fps:g} frames a second, but a GIF plays {_GIF_SLOWEST} to {_GIF_FASTEST} right"
        )
    if count is None:
        pictures = list(pictures)
        count = len(pictures)
    if count < 1:
        raise ParticlesError(f"{out} cannot be written: there is no picture")
    if count > 1 and target.still:
        raise ParticlesError(f"{out} cannot be written: it holds one picture, not {count}")
    if target.format == "gif" and count / fps > _GIF_LONGEST:
        raise EffectError(
            f"duration: {count / fps:g} seconds, but a GIF is written of at most {_GIF_LONGEST}"
        )
    report = progress or (lambda *_: None)

    def rendered() -> Iterator[Pixels]:
        for done, picture in enumerate(pictures, 1):
            report("rendering", done, count)
            yield picture

    with refusing(out):
        if target.pattern is not None:
            _check_sequence(target, count)
            _write_sequence(rendered(), target)
            return
        with _appearing(target.path) as file:
            if target.format == "gif":
                durations = [10 * duration for duration in _ticks(count, fps, 100)]
                gif.write(rendered(), file, durations, lambda done: report("encoding", done, count))
            elif target.format == "webp":
                _write_webp(rendered(), file, _ticks(count, fps, 1000))
            else:
                Image.fromarray(next(rendered())).save(file, "PNG")


@contextmanager
def _appearing(path: Path) -> Iterator[IO[bytes]]:
    """A file that takes its place only once it is complete, and otherwise leaves nothing."""
    place = path.resolve()  # a link stays a link
    beside = place.with_name(f".{token_hex(8)}.tmp")
    try:
        with open(beside, "xb") as file:
            yield file
        if place.exists():
            copymode(place, beside)
        replace(beside, place)
    finally:
        beside.unlink(missing_ok=True)


def _check_sequence(target: Destination, count: int) -> None:
    """Refuse a sequence of which a file's name is already that of a folder."""
    if not target.path.exists():
        return
    with scandir(target.path) as entries:
        folders = {entry.name for entry in entries if entry.is_dir(follow_symlinks=False)}
    for name in map(target.numbered, range(count) if folders else ()):
        if name in folders:
            raise OSError(f"{target.path / name} is a folder")


def _write_sequence(pictures: Iterable[Pixels], target: Destination) -> None:
    """Number the pictures into a folder, which appears with all of them if it is not there."""
    folder = target.path
    beside = (folder if folder.exists() else folder.absolute().parent) / f".{token_hex(8)}.tmp"
    beside.mkdir()
    try:
        for index, picture in enumerate(pictures):
            name = beside / target.numbered(index)
            Image.fromarray(picture).save(name, target.format, lossless=True)
        if not folder.exists():
            beside.rename(folder)
            return
        for complete in sorted(beside.iterdir()):
            replace(complete, folder / complete.name)
    finally:
        rmtree(beside, ignore_errors=True)


def _ticks(count: int, fps: float, unit: int) -> list[int]:
    """How long each frame lasts, in 1/unit s, so that what is rounded off never adds up."""
    ends = [round(unit * k / fps) for k in range(count + 1)]
    return [end - begin for begin, end in pairwise(ends)]


class _Film(Image.Image):
    """An image with frames, of which only one at a time is in memory.

    Pillow's WebP writer takes a list of images and keeps it; but of an image with several frames
    it seeks them one after the other.
    """

    def __init__(self, pictures: Iterator[Pixels], count: int) -> None:
        super().__init__()
        self.__dict__.update(Image.fromarray(next(pictures)).__dict__)
        self.n_frames = count
        self._rest = pictures
        self._frame = 0

    def tell(self) -> int:
        """The frame that is in memory."""
        return self._frame

    def seek(self, frame: int) -> None:
        """Go on to a frame; going back does nothing, as nothing reads a frame twice."""
        while self._frame < frame:
            self.im = Image.fromarray(next(self._rest)).im
            self._frame += 1


def _write_webp(pictures: Iterator[Pixels], file: IO[bytes], durations: list[int]) -> None:
    film = _Film(pictures, len(durations))
    film.save(
        file, "WEBP", save_all=True, lossless=True, quality=40, method=2, duration=durations, loop=0
    )
