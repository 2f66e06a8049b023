"""Finds and reads the GLSL tree, and holds finished shader text with its line map."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import NamedTuple

from gpuparticles.errors import ShaderError

__all__ = ["Line", "Source", "glsl_folder", "read"]

_MARK = "lib/particle.glsl"


class Line(NamedTuple):
    """One line of shader text and where it was written.

    Args:
        text: The line.
        file: The file's name.
        number: The line's, from 1.
        own: Whether it is an effect's author's: then it may well be wrong.
    """

    text: str
    file: str
    number: int
    own: bool = False


@dataclass(frozen=True)
class Source:
    """Finished text of one shader stage.

    Two sources are equal when their text is: the text is what decides whether a program can
    be shared. The lines say where each line of the text comes from, which no driver can be
    trusted to report through ``#line``.

    Args:
        lines: The finished lines in order.
    """

    lines: tuple[Line, ...] = field(compare=False)
    text: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", "\n".join(line.text for line in self.lines) + "\n")


@cache
def glsl_folder() -> Path:
    """The folder that holds the GLSL tree: inside the package, or beside it in a checkout.

    Raises:
        ShaderError: Neither folder holds it.
    """
    package = Path(__file__).resolve().parent.parent
    tried = (package / "glsl", package.parent / "glsl")
    for folder in tried:
        if (folder / _MARK).is_file():
            return folder
    raise ShaderError(
        f"the shader files are missing: neither {tried[0]} nor {tried[1]} holds {_MARK}"
    )


@cache
def read(name: str) -> tuple[Line, ...]:
    """The lines of one file of the GLSL tree.

    Args:
        name: Path inside the tree, with forward slashes, such as ``modifiers/drag.glsl``.

    Raises:
        ShaderError: There is no such file.
    """
    path = glsl_folder() / name
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ShaderError(f"{name}: the shader file cannot be read: {error.strerror}") from error
    return tuple(Line(line, name, number) for number, line in enumerate(text.splitlines(), 1))
