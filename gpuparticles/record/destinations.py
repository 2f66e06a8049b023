"""Where pictures go: which file or files an output's name stands for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import W_OK, X_OK, PathLike, access, fspath, sep
from pathlib import Path
from typing import Literal, NamedTuple

from gpuparticles.errors import ParticlesError

Format = Literal["png", "gif", "webp"]

_FORMATS: dict[str, Format] = {".png": "png", ".gif": "gif", ".webp": "webp"}

_NUMBER = re.compile(r"%0?\d*d")


class Destination(NamedTuple):
    """Where frames go: one file, or for a sequence a folder and a name with a number in it.

    Args:
        format: How each file is encoded.
        path: The file; for a sequence the folder.
        pattern: For a sequence the name of its files, with a ``%04d`` in it; otherwise None.
    """

    format: Format
    path: Path
    pattern: str | None

    @property
    def still(self) -> bool:
        """Whether only one frame fits."""
        return self.format == "png" and self.pattern is None

    def numbered(self, index: int) -> str:
        """The name of one file of a sequence."""
        return _NUMBER.sub(lambda number: number[0] % index, self.pattern or "")

    def replaces(self, file: Path) -> bool:
        """Whether writing takes the place of a file, for a sequence if it is long enough."""
        if self.pattern is None:
            return file.resolve() == self.path.resolve()
        # A sequence takes the place of links; a lone file's link stays and leads to the new one.
        head, tail = map(re.escape, _NUMBER.split(self.pattern))
        named = re.fullmatch(rf"{head} *\d+{tail}", file.name)
        return named is not None and file.parent.resolve() == self.path.resolve()


def destination(out: str | PathLike[str]) -> Destination:
    """What `out` asks for, as far as can be told without writing.

    ``NAME.png``, ``NAME.gif`` and ``NAME.webp`` are one file; ``NAME_%04d.png`` (or .webp) is a
    sequence numbered from 0 in at least four digits; a folder (an existing one, or a name ending
    in a slash) is a sequence of PNGs in it. The folder of a sequence may still be missing, but not
    the one that it lies in.

    Raises:
        ParticlesError: No name, an unknown ending, a folder that is missing or closed to us, a
            file where a folder should be or the other way round, links that lead nowhere.
    """
    if not fspath(out):
        raise ParticlesError("the output cannot be written: its name is empty")
    path = Path(out)
    kind = _FORMATS.get(path.suffix.lower())
    with refusing(out):
        with suppress(FileNotFoundError, NotADirectoryError):
            path.stat()  # tells what is wrong with the name itself, such as links in a circle
        if fspath(out).endswith(("/", sep)) or (kind is None and path.is_dir()):
            _check_folder(path, made=True)
            return Destination("png", path, "frame_%04d.png")
        if kind is None:
            raise OSError(
                f'its ending is "{path.suffix}", but .png, .gif and .webp are known, and a name '
                "that ends in / is a folder of PNG files"
            )
        if path.is_dir():
            raise OSError("it is a folder")
        numbers = _NUMBER.findall(path.name)
        _check_folder(path.absolute().parent, made=bool(numbers))
        if not numbers:
            if path.exists() and not access(path, W_OK):
                raise OSError("the file is read-only")
            return Destination(kind, path, None)
        if len(numbers) > 1:
            raise OSError(f"its name has {len(numbers)} numbers, but only one is counted up")
        if kind == "gif":
            raise OSError("a sequence is of .png or .webp files")
        return Destination(kind, path.parent, path.name)


@contextmanager
def refusing(out: object) -> Iterator[None]:
    """Say of every OSError which output it is about."""
    try:
        yield
    except OSError as error:
        raise ParticlesError(f"{out} cannot be written: {error.strerror or error}") from error


def _check_folder(folder: Path, *, made: bool) -> None:
    """Refuse a folder in which nothing can be written; one that is `made` need not be there."""
    if made and not folder.exists():
        if folder.is_symlink():
            raise OSError(f"{folder} is a link to a folder that does not exist")
        folder = folder.absolute().parent
    if not folder.exists():
        raise OSError(f"the folder {folder} does not exist")
    if not folder.is_dir():
        raise OSError(f"{folder} is not a folder")
    if not access(folder, W_OK | X_OK):
        raise OSError(f"there is no permission to write in {folder}")
