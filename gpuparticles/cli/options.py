"""What the text of an argument or an option means.

A parser answers with the value or raises `typer.BadParameter`, which names the option for it.
"""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Annotated, NamedTuple, NoReturn

import typer

File = Annotated[
    Path,
    typer.Argument(metavar="EFFECT", help="An effect file (JSON), or the name of a preset."),
]
Files = Annotated[
    list[Path],
    typer.Argument(metavar="EFFECT...", help="Effect files (JSON), or names of presets."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")]


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise typer.BadParameter(f"{text!r} is not a number")
    return value


def not_negative(text: str) -> float:
    """A finite number from 0 on."""
    value = _number(text)
    if value < 0:
        raise typer.BadParameter(f"{text} is below 0")
    return value


def positive(text: str) -> float:
    """A finite number above 0."""
    value = _number(text)
    if value <= 0:
        raise typer.BadParameter(f"{text} is not above 0")
    return value


def angle(text: str) -> float:
    """Degrees from 1e-9 to 180, 180 excluded."""
    value = _number(text)
    if not 1e-9 <= value < 180:
        raise typer.BadParameter(f"{text} degrees is not between 1e-9 and 180")
    return value


def height(text: str) -> float:
    """A height in the world, from 1e-29 to 1e30."""
    value = positive(text)
    if not 1e-29 <= value <= 1e30:
        raise typer.BadParameter(f"{text} is not a height from 1e-29 to 1e30")
    return value


class Size(NamedTuple):
    """Width and height in pixels."""

    width: int
    height: int

    def __str__(self) -> str:
        return f"{self.width}x{self.height}"


def size(text: str | Size) -> Size:
    """``WIDTHxHEIGHT``; a default comes as the `Size` that it is."""
    width, cross, height = str(text).lower().partition("x")
    if not (cross and width.isdecimal() and height.isdecimal() and int(width) and int(height)):
        raise typer.BadParameter(f"{text!r} is not WIDTHxHEIGHT in pixels, such as 640x480")
    return Size(int(width), int(height))


class Place(NamedTuple):
    """A point in the world."""

    x: float
    y: float
    z: float


def place(text: str) -> Place:
    """``X,Y,Z``, each from -1e30 to 1e30."""
    parts = text.split(",")
    if len(parts) != 3:
        raise typer.BadParameter(f"{text!r} is not X,Y,Z, such as 0,1.5,6")
    point = Place(*map(_number, parts))
    if max(map(abs, point)) > 1e30:
        raise typer.BadParameter(f"{text}: every number must lie from -1e30 to 1e30")
    return point


def background(text: str) -> tuple[float, float, float] | None:
    """``#rrggbb`` or ``#rgb`` as red, green and blue from 0 to 1, or None for "transparent"."""
    if text == "transparent":
        return None
    if not re.fullmatch("#(?:[0-9a-fA-F]{3}){1,2}", text):
        misuse(f'{text!r} is neither #rrggbb nor "transparent"', "--background")
    digits = text[1:] if len(text) == 7 else "".join(digit * 2 for digit in text[1:])
    red, green, blue = bytes.fromhex(digits)
    return red / 255, green / 255, blue / 255


def misuse(sentence: str, option: str) -> NoReturn:
    """End with exit code 2: an option makes no sense, alone or beside the others."""
    raise typer.BadParameter(sentence, param_hint=option)
