"""Descriptions as plain data, the kind that JSON holds, and that data as text for people."""

from __future__ import annotations

import contextlib
import json
import math
import os
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from gpuparticles.effect.arrays import Array
from gpuparticles.effect.description import settings
from gpuparticles.effect.geometry import Geometry
from gpuparticles.effect.kinds import Kind
from gpuparticles.effect.mistakes import gather, mistakes_in, refused, show
from gpuparticles.effect.shader import Code
from gpuparticles.effect.values import RGBA, Curve, Gradient, Range
from gpuparticles.errors import DocumentError

__all__ = ["FORMAT", "document_text", "json_text", "plain"]

FORMAT = "gpuparticles/1"
"""What a document says that it is; the number rises when an old reader would misread it."""

_WIDTH = 92


def document_text(effect: Any, folder: Path | None = None, where: str = "") -> str:
    """The document of an effect as text.

    Args:
        effect: The effect.
        folder: Paths are written relative to it; None leaves them absolute.
        where: What an error calls the document.

    Raises:
        DocumentError: The effect holds what a document cannot.
    """
    try:
        data = {"format": FORMAT, **plain(effect, folder)}
        data["emitters"] = data.pop("emitters")  # the longest part comes last
    except ValidationError as error:
        prefix = f"{where}: " if where else ""
        raise DocumentError(*(f"{prefix}{mistake}" for mistake in mistakes_in(error))) from None
    return json_text(data) + "\n"


def plain(value: Any, folder: Path | None = None) -> Any:
    """A held value as plain data, in the form that an author would write.

    What is at its default is left out of an object; a curve of one stop is its value, a colour of
    8-bit components is a hex string, infinity is ``"inf"``.

    Args:
        value: A description, or anything that a field of one holds.
        folder: Paths become relative to it; None leaves them as they are.

    Raises:
        ValidationError: With a place, when there is no plain form.
    """
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return _number(value)
        case RGBA():
            return _colour(value)
        case Range():
            return [_number(value.low), _number(value.high)]
        case Curve(((0.0, constant),), "linear") | Gradient(((0.0, constant),), "linear"):
            return plain(constant)
        case Curve() | Gradient():
            stops = plain(value.stops)
            bent = {"stops": stops, "interpolation": value.interpolation}
            return stops if value.interpolation == "linear" else bent
        case tuple():
            return list(gather(lambda item: plain(item, folder), enumerate(value)).values())
        case Path():
            return _path(value, folder)
        case Code():
            return value.text if value.file is None else _path(value.file, folder)
        case Geometry():
            parts = value.parts()
            if value.file is not None:
                return _path(value.file, folder)
            return gather(lambda part: plain(part, folder), parts.items())
        case Array():
            return value.plain() if value.file is None else _path(value.file, folder)
        case _ if hasattr(type(value), "__dataclass_fields__"):
            kind = {"kind": value.kind} if isinstance(value, Kind) else {}
            held = value.written() if hasattr(value, "written") else settings(value)
            return kind | gather(lambda item: plain(item, folder), held)
        case _:
            raise refused(f"{show(value)} has no place in a document; give the path of a file")


def _number(value: float) -> float | str:
    if math.isinf(value):
        return "inf"
    return int(value) if value.is_integer() and abs(value) < 1e15 else value


def _colour(color: RGBA) -> str | list[float | str]:
    channels = color if color.a != 1 else color[:3]
    levels = [round(channel * 255) for channel in channels]
    if max(levels) <= 255 and all(
        level / 255 == c for level, c in zip(levels, channels, strict=True)
    ):
        return "#" + "".join(f"{level:02x}" for level in levels)
    return [_number(channel) for channel in channels]


def _path(path: Path, folder: Path | None) -> str:
    if folder is not None:
        with contextlib.suppress(ValueError):  # they may lie on different drives
            path = Path(os.path.relpath(path, folder))
    return path.as_posix()


def json_text(data: Any, indent: str = "") -> str:
    """JSON with what fits on one line on one line."""
    line = json.dumps(data, ensure_ascii=False)
    if not isinstance(data, (dict, list)) or (len(indent) + len(line) <= _WIDTH and indent):
        return line
    deeper = indent + "  "
    if isinstance(data, list):
        items = [f"{deeper}{json_text(item, deeper)}" for item in data]
        opening, closing = "[]"
    else:
        items = [
            f"{deeper}{json.dumps(key)}: {json_text(item, deeper)}" for key, item in data.items()
        ]
        opening, closing = "{}"
    return "\n".join([opening, ",\n".join(items), f"{indent}{closing}"])
