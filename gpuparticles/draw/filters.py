"""Filters: what a layer goes through before it is laid over the picture."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol, TypeAlias

from gpuparticles.effect.mistakes import show
from gpuparticles.effect.shader import ShaderFilter
from gpuparticles.errors import EffectError
from gpuparticles.shaders import Pass
from gpuparticles.shaders.filters import bend, filter_pass, own_filter
from gpuparticles.shaders.layout import own_members

__all__ = [
    "Bloom",
    "Blur",
    "ColorMatrix",
    "Distortion",
    "Filter",
    "FilterPass",
    "Pixelate",
    "passes_of",
]

Matrix5 = tuple[tuple[float, ...], ...]
_TONES = {"none": 0.0, "reinhard": 1.0, "aces": 2.0}
_WIDEST = 8.0  # pixels that a blur reaches; wider ones are done in a smaller picture
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
        scale: How much smaller the picture is that it makes.
        sees: Whether it looks at what lies behind the layer: then it is the last one, which lays
            the layer over the picture itself.
    """

    text: Pass
    uniforms: Mapping[str, bytes]
    keeps: bool = False
    takes: bool = False
    scale: int = 1
    sees: bool = False


class _Passing(Protocol):
    """Anything that changes a layer, pass by pass; all data are premultiplied."""

    def passes(self) -> Iterator[FilterPass]:
        """The passes in order."""


@dataclass(frozen=True)
class Blur:
    """A Gaussian blur, with nothing outside the picture.

    Args:
        radius: Pixels to two standard deviations, 0 to 128; what lies farther does not count.
    """

    radius: float = 8.0

    def __post_init__(self) -> None:
        _check("Blur", "radius", self.radius, 0.0, 128.0)

    def passes(self) -> Iterator[FilterPass]:
        """Across, then up; what is wide in a smaller picture, and enlarged again."""
        scale = _scale_of(self.radius)
        yield from _blurred(self.radius, scale)
        if scale > 1:
            yield FilterPass(filter_pass("enlarge"), {})


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

    def passes(self) -> Iterator[FilterPass]:
        """What is bright, blurred, is added to what was there."""
        bright = {"u_threshold": _floats(self.threshold), "u_knee": _floats(self.knee)}
        yield FilterPass(filter_pass("bright"), bright, keeps=True)
        yield from _blurred(self.radius, _scale_of(self.radius))
        add = {"u_intensity": _floats(self.intensity), "u_tone": _floats(_TONES[self.tone])}
        yield FilterPass(filter_pass("add"), add, takes=True)


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
        return cls(_of_colors((factor, 0, 0), (0, factor, 0), (0, 0, factor)))

    @classmethod
    def contrast(cls, factor: float) -> ColorMatrix:
        """Colours farther from middle grey, by a factor."""
        gray = 0.5 * (1 - factor)
        return cls(_of_colors((factor, 0, 0), (0, factor, 0), (0, 0, factor), add=gray))

    @classmethod
    def hue(cls, degrees: float) -> ColorMatrix:
        """Colours turned about grey, red towards green; grey stays (a turn about (1, 1, 1))."""
        c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
        third, root = (1 - c) / 3, s / math.sqrt(3)
        same, next_, last = c + third, third + root, third - root
        return cls(_of_colors((same, last, next_), (next_, same, last), (last, next_, same)))

    def passes(self) -> Iterator[FilterPass]:
        """One."""
        columns = [self.rows[row][column] for column in range(4) for row in range(4)]
        offset = _floats(*(row[4] for row in self.rows))
        yield FilterPass(
            filter_pass("color_matrix"), {"u_matrix": _floats(*columns), "u_offset": offset}
        )


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

    def passes(self) -> Iterator[FilterPass]:
        """One."""
        uniforms = {"u_size": _floats(self.size)}
        yield FilterPass(filter_pass("pixelate"), uniforms)


@dataclass(frozen=True)
class Distortion:
    """What lies behind the layer, bent by it: heat over a fire, a lens, a shock wave.

    The layer itself is not seen: red and green say how what is behind is shifted, and its alpha how
    much. Red 1 shows what lies `strength` pixels farther to the right, red 0 to the left; green 1
    what lies higher, 0 lower; 0.5 shifts nothing. So particles of a random red and green shimmer,
    and one whose texture is a map of normals is a lens. Beyond the viewport's sides it is as there.

    It must be the last filter.

    Args:
        strength: In pixels, -1000 to 1000.
    """

    strength: float = 16.0

    def __post_init__(self) -> None:
        _check("Distortion", "strength", self.strength, -1000.0, 1000.0)

    def passes(self) -> Iterator[FilterPass]:
        """One, which lays the layer down."""
        yield FilterPass(bend(), {"u_strength": _floats(self.strength)}, sees=True)


Filter: TypeAlias = "_Passing | ShaderFilter"


def passes_of(given: Filter) -> Iterator[FilterPass]:
    """The passes of a filter, the author's own too, in order."""
    if not isinstance(given, ShaderFilter):
        yield from given.passes()
        return
    names = (member.name for member in own_members(given))
    values = (_floats(*uniform.values) for uniform in given.uniforms)
    uniforms = dict(zip(names, values, strict=True))
    yield FilterPass(own_filter(given), uniforms, sees=given.sees)


def _scale_of(radius: float) -> int:
    """How much smaller a picture may be in which so wide a blur looks the same."""
    scale = 1
    while radius / scale > _WIDEST:
        scale *= 2
    return scale


def _blurred(radius: float, scale: int) -> Iterator[FilterPass]:
    if scale > 1:
        yield FilterPass(filter_pass("reduce"), {"u_scale": _floats(scale)}, scale=scale)
        # To take means of squares, and to enlarge, blurs too: that is left out.
        radius = 2.0 * math.sqrt(0.25 * radius**2 - (scale**2 - 1) / 12 - scale**2 / 6)
    for way in ((1.0, 0.0), (0.0, 1.0)):
        uniforms = {"u_way": _floats(*way), "u_radius": _floats(radius / scale)}
        yield FilterPass(filter_pass("blur"), uniforms, scale=scale)


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
