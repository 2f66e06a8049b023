"""Filters: what a layer goes through before it is laid over the picture."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal, NamedTuple, Protocol

from gpuparticles.effect.mistakes import show
from gpuparticles.errors import EffectError
from gpuparticles.shaders import Source
from gpuparticles.shaders.compose import compose, fullscreen

__all__ = ["Bloom", "Blur", "ColorMatrix", "Filter", "FilterPass", "Pixelate"]

Matrix5 = tuple[tuple[float, ...], ...]
_TONES = {"none": 0.0, "reinhard": 1.0, "aces": 2.0}
# Weights of the light that the eye sees (ITU-R BT.709).
_R, _G, _B = 0.2126, 0.7152, 0.0722


class FilterPass(NamedTuple):
    """One pass over a layer.

    Args:
        text: Vertex and fragment.
        uniforms: Packed, by name.
        keeps: Whether what the layer is now is wanted again, under the name ``u_under``, by a later
            pass of this filter.
        takes: Whether this is that pass.
    """

    text: tuple[Source, Source]
    uniforms: Mapping[str, bytes]
    keeps: bool = False
    takes: bool = False


class Filter(Protocol):
    """Anything that changes a layer, pass by pass; all data are premultiplied."""

    def passes(self, corner: tuple[int, int]) -> Iterator[FilterPass]:
        """The passes in order.

        Args:
            corner: The lower left pixel of the viewport.
        """


@dataclass(frozen=True)
class Blur:
    """A Gaussian blur, with nothing outside the picture.

    Args:
        radius: Pixels to two standard deviations, 0 to 128; what lies farther does not count.
    """

    radius: float = 8.0

    def __post_init__(self) -> None:
        _check("Blur", "radius", self.radius, 0.0, 128.0)

    def passes(self, corner: tuple[int, int]) -> Iterator[FilterPass]:
        """Across, then up."""
        for way in ((1.0, 0.0), (0.0, 1.0)):
            uniforms = {"u_way": _floats(*way), "u_radius": _floats(self.radius)}
            yield FilterPass(_text("blur"), uniforms)


@dataclass(frozen=True)
class Bloom:
    """Light that spills over from what is brighter than a threshold.

    Args:
        threshold: Of the brightest channel, premultiplied; 0 or more.
        intensity: How much of the blurred light is added, 0 or more.
        radius: How far it spills, as of a `Blur`.
        knee: How far about the threshold it begins softly, 0 or more.
        tone: How what is brighter than white is brought into range afterwards: ``"none"`` leaves
            it, ``"reinhard"`` divides by one more than the brightest channel, ``"aces"`` is a
            film-like curve (Narkowicz 2015).
    """

    threshold: float = 0.7
    intensity: float = 1.0
    radius: float = 24.0
    knee: float = 0.2
    tone: Literal["none", "reinhard", "aces"] = "none"

    def __post_init__(self) -> None:
        for name in ("threshold", "intensity", "knee"):
            _check("Bloom", name, getattr(self, name), 0.0, 1e6)
        _check("Bloom", "radius", self.radius, 0.0, 128.0)
        if self.tone not in _TONES:
            known = ", ".join(f'"{tone}"' for tone in _TONES)
            raise EffectError(f"Bloom: tone: {show(self.tone)} is none of {known}")

    def passes(self, corner: tuple[int, int]) -> Iterator[FilterPass]:
        """What is bright, blurred, is added to what was there."""
        bright = {"u_threshold": _floats(self.threshold), "u_knee": _floats(self.knee)}
        yield FilterPass(_text("bright"), bright, keeps=True)
        yield from Blur(self.radius).passes(corner)
        add = {"u_intensity": _floats(self.intensity), "u_tone": _floats(_TONES[self.tone])}
        yield FilterPass(_text("add"), add, takes=True)


@dataclass(frozen=True)
class ColorMatrix:
    """Straight colours times a matrix.

    Args:
        rows: Four rows, for red, green, blue and alpha, of five numbers each: factors of red,
            green, blue and alpha, and what is added.
    """

    rows: Matrix5 = ((1, 0, 0, 0, 0), (0, 1, 0, 0, 0), (0, 0, 1, 0, 0), (0, 0, 0, 1, 0))

    def __post_init__(self) -> None:
        rows = [tuple(row) for row in self.rows] if isinstance(self.rows, (list, tuple)) else []
        if len(rows) != 4 or any(len(row) != 5 for row in rows):
            raise EffectError(
                f"ColorMatrix: rows: {show(self.rows)}, but four rows of five numbers are needed"
            )
        for row in rows:
            for number in row:
                _check("ColorMatrix", "rows", number, -1e6, 1e6)
        object.__setattr__(self, "rows", tuple(tuple(map(float, row)) for row in rows))

    @classmethod
    def saturation(cls, amount: float) -> ColorMatrix:
        """Colours paler below 1, grey at 0, and stronger above; by the light that is seen."""
        r, g, b = _R * (1 - amount), _G * (1 - amount), _B * (1 - amount)
        return cls(_of_colors((r + amount, g, b), (r, g + amount, b), (r, g, b + amount)))

    @classmethod
    def brightness(cls, factor: float) -> ColorMatrix:
        """Colours times a factor."""
        return cls(
            ((factor, 0, 0, 0, 0), (0, factor, 0, 0, 0), (0, 0, factor, 0, 0), (0, 0, 0, 1, 0))
        )

    @classmethod
    def contrast(cls, factor: float) -> ColorMatrix:
        """Colours farther from middle grey, by a factor."""
        add = 0.5 * (1 - factor)
        return cls(
            (
                (factor, 0, 0, 0, add),
                (0, factor, 0, 0, add),
                (0, 0, factor, 0, add),
                (0, 0, 0, 1, 0),
            )
        )

    @classmethod
    def hue(cls, degrees: float) -> ColorMatrix:
        """Colours turned about grey, red towards green; grey stays (a turn about (1, 1, 1))."""
        c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
        third, root = (1 - c) / 3, s / math.sqrt(3)
        same, next_, last = c + third, third + root, third - root
        return cls(
            (
                (same, last, next_, 0, 0),
                (next_, same, last, 0, 0),
                (last, next_, same, 0, 0),
                (0, 0, 0, 1, 0),
            )
        )

    def passes(self, corner: tuple[int, int]) -> Iterator[FilterPass]:
        """One."""
        columns = [self.rows[row][column] for column in range(4) for row in range(4)]
        offset = _floats(*(row[4] for row in self.rows))
        yield FilterPass(_text("color_matrix"), {"u_matrix": _floats(*columns), "u_offset": offset})


@dataclass(frozen=True)
class Pixelate:
    """Square pixels, each the mean of what it covers, from the viewport's lower left corner on.

    Args:
        size: Pixels along a side, 1 to 64.
    """

    size: int = 8

    def __post_init__(self) -> None:
        _check("Pixelate", "size", self.size, 1, 64)
        if int(self.size) != self.size:
            raise EffectError(f"Pixelate: size: {show(self.size)} is not a whole number")

    def passes(self, corner: tuple[int, int]) -> Iterator[FilterPass]:
        """One."""
        uniforms = {"u_size": _floats(self.size), "u_corner": _floats(*corner)}
        yield FilterPass(_text("pixelate"), uniforms)


@cache
def _text(name: str) -> tuple[Source, Source]:
    return fullscreen(), compose(f"filters/{name}.frag", {})


def _of_colors(
    red: tuple[float, float, float],
    green: tuple[float, float, float],
    blue: tuple[float, float, float],
    add: float = 0.0,
) -> Matrix5:
    """The rows of a matrix that leaves the alpha alone."""
    return (*((*row, 0.0, add) for row in (red, green, blue)), (0, 0, 0, 1, 0))


def _floats(*values: float) -> bytes:
    return struct.pack(f"<{len(values)}f", *values)


def _check(kind: str, name: str, value: float, least: float, most: float) -> None:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not number or not least <= value <= most:
        raise EffectError(
            f"{kind}: {name}: {show(value)} is not a number from {least:g} to {most:g}"
        )
