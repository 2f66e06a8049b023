"""The values that fields hold: numbers, ranges, vectors, colours, curves over life.

`Range`, `Curve`, `Gradient` and `RGBA` are held; the other public names annotate a field. Each of
them accepts what an author likes to write and reads back as one type, so that no other layer ever
asks which form was given: ``speed=(2, 6)`` reads back as ``Range(2, 6)``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter, ValidationError

from gpuparticles.effect.description import Takes, description
from gpuparticles.effect.mistakes import Mistake, gather, mistakes_in, refused, show, suggestion
from gpuparticles.effect.rules import Components, Number, Rule, UnitVector, is_list, read_each
from gpuparticles.errors import EffectError

__all__ = [
    "COLOR",
    "RGBA",
    "BirthColor",
    "Color",
    "ColorOverLife",
    "Components",
    "Curve",
    "CurveLike",
    "Direction",
    "Floats",
    "Fraction",
    "Gradient",
    "LaunchDirection",
    "Lifetime",
    "LoopLike",
    "OptionalOverLife",
    "OptionalVelocity",
    "OverLife",
    "OverLoop",
    "Pair",
    "Range",
    "Ranged",
    "Scalar",
    "ScalarLike",
    "SizeOverLife",
    "Vec3",
    "Vec3Like",
    "Vector",
    "rgba",
    "span",
]

Floats: TypeAlias = NDArray[np.float32]


@description
class Range:
    """Two numbers between which one is drawn for each particle, uniformly and once, at birth.

    Args:
        low: The least that is drawn.
        high: The greatest; not below `low`.
    """

    low: float
    high: float

    def __iter__(self) -> Iterator[float]:
        yield self.low
        yield self.high

    def mistakes(self) -> Iterator[Mistake]:
        """A range upside down."""
        if self.low > self.high:
            yield Mistake((), _upside_down(self.low, self.high))


def span(value: float | Range | Curve) -> tuple[float, float]:
    """The lowest and the highest that a scalar can be: twice the same for a constant."""
    if isinstance(value, Curve):
        values = [stop[1] for stop in value.stops]
        return min(values), max(values)
    return (value.low, value.high) if isinstance(value, Range) else (value, value)


class RGBA(NamedTuple):
    """A colour with straight alpha.

    Args:
        r: Red; 0 or more, and beyond 1 for colours brighter than white.
        g: Green, likewise.
        b: Blue, likewise.
        a: Alpha, 0 to 1.
    """

    r: float
    g: float
    b: float
    a: float


@dataclass(frozen=True)
class Ranged(Rule):
    """A number, or a range of them: ``3``, ``(2, 6)`` or ``Range(2, 6)``.

    Args:
        number: The rule of the constant; the ends of a range are finite besides.
    """

    number: Number

    def read(self, value: Any) -> float | Range:
        """A float or a Range."""
        if not is_list(value):
            return self.number.read(value, ", or a pair (low, high)")
        if len(pair := list(value)) != 2:
            raise refused(f"{show(value)} is not a number or a pair (low, high); {self.number}")
        low, high = read_each([self._bound] * 2, pair)
        if low > high:
            raise refused(_upside_down(low, high))
        return Range(low, high)

    def schema(self) -> dict[str, Any]:
        """A number, or an array of two."""
        pair = {"type": "array", "items": self._bound.schema(), "minItems": 2, "maxItems": 2}
        return {"anyOf": [self.number.schema(), pair]}

    @property
    def _bound(self) -> Number:
        return replace(self.number, endless=False)


@dataclass(frozen=True)
class _Colour(Rule):
    """A hex colour or 3 or 4 numbers."""

    def read(self, value: Any) -> RGBA:
        if isinstance(value, str):
            return self._hex(value)
        if not is_list(value) or len(parts := list(value)) not in (3, 4):
            raise refused(f"{show(value)} is not a colour; {self}")
        r, g, b, *a = read_each(_CHANNELS[: len(parts)], parts)
        return RGBA(r, g, b, *a or (1.0,))

    def schema(self) -> dict[str, Any]:
        numbers = {
            "type": "array",
            "prefixItems": [channel.schema() for channel in _CHANNELS],
            "items": False,
            "minItems": 3,
        }
        return {"anyOf": [{"type": "string", "pattern": f"^{_HEX}$"}, numbers]}

    def _hex(self, text: str) -> RGBA:
        if not re.fullmatch(_HEX, text):
            raise refused(f"{show(text)} is not a colour; {self}")
        digits = text[1:] if len(text) > 5 else "".join(digit * 2 for digit in text[1:])
        r, g, b, a = (channel / 255 for channel in bytes.fromhex(digits.ljust(8, "f")))
        return RGBA(r, g, b, a)

    def __str__(self) -> str:
        return 'a colour is "#rrggbb", "#rrggbbaa", or 3 or 4 numbers'


_HEX = "#(?:[0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})"
_CHANNELS = [Number("a colour channel", least=0)] * 3 + [Number("an alpha", least=0, most=1)]
_TIME = Number("the time of a stop", "of the whole", least=0, most=1)


@dataclass(frozen=True)
class _Stops(Rule):
    """Pairs (t, value) with t ascending from 0 to 1.

    Args:
        value: The rule of the values.
        form: How a stop is written, for sentences.
    """

    value: Rule
    form: str

    def read(self, value: Any) -> tuple[tuple[float, Any], ...]:
        if not is_list(value):
            raise refused(f"{show(value)} is not a list of stops; a stop is {self.form}")
        stops = tuple(gather(self._stop, enumerate(value)).values())
        if not stops:
            raise refused(f"an empty list has no stops; at least one stop {self.form} is needed")
        for index in range(1, len(stops)):
            before, after = stops[index - 1][0], stops[index][0]
            if after < before:
                late = f"stop {index} at {show(after)}"
                early = f"stop {index - 1} at {show(before)}"
                raise refused(f"{late} lies before {early}; stops must ascend", index, 0)
        return stops

    def schema(self) -> dict[str, Any]:
        stop = {
            "type": "array",
            "prefixItems": [_TIME.schema(), self.value.schema()],
            "items": False,
            "minItems": 2,
        }
        return {"type": "array", "items": stop, "minItems": 1}

    def _stop(self, stop: Any) -> tuple[float, Any]:
        if not is_list(stop) or len(pair := list(stop)) != 2:
            raise refused(f"{show(stop)} is not a stop; a stop is {self.form}")
        t, value = read_each([_TIME, self.value], pair)
        return t, value


def rgba(value: object, where: str) -> RGBA:
    """The colour that `value` means, as where a description takes one.

    Args:
        value: ``"#rrggbb"`` or ``"#rrggbbaa"``, or those with one digit for two alike, or 3 or 4
            numbers.
        where: What the value is called in the sentence that refuses it.

    Raises:
        EffectError: It is no colour.
    """
    try:
        return COLOR.read(value)
    except ValidationError as error:
        found = (Mistake((where, *path), why) for path, why in mistakes_in(error))
        raise EffectError("\n".join(map(str, found))) from None


def _number_stops(number: Number) -> _Stops:
    return _Stops(number, "[t, value]")


COLOR = _Colour()
"""The rule of a colour."""

_COLOUR_STOPS = _Stops(COLOR, "[t, colour]")


Interpolation: TypeAlias = Literal["linear", "smooth", "step"]


@description
class Curve:
    """A number over time, between stops as its interpolation says.

    Before the first stop and after the last its value holds. Two stops at one t make a hard
    step; at the step itself the later value holds.

    Args:
        stops: Pairs (t, value): t from 0 to 1, ascending; at least one.
        interpolation: ``"linear"``; ``"smooth"``: level at every stop, along f f (3 - 2 f) between
            two; ``"step"``: the value of a stop holds until the next.
    """

    stops: Takes[
        Iterable[Iterable[float]],
        Annotated[tuple[tuple[float, float], ...], _number_stops(Number())],
    ]
    interpolation: Interpolation = "linear"

    def sample(self, t: Floats) -> Floats:
        """The value at each t.

        Args:
            t: float32, any shape.

        Returns:
            float32 of the shape of `t`.
        """
        return _sample(self, t)[..., 0]

    @property
    def mean(self) -> float:
        """The mean value from 0 to 1."""
        times = [0.0, *(t for t, _ in self.stops), 1.0]
        values = [self.stops[0][1], *(value for _, value in self.stops), self.stops[-1][1]]
        # Between two stops a smooth curve has the mean of a straight line.
        weight = 0.0 if self.interpolation == "step" else 0.5
        return sum(
            (times[i + 1] - times[i]) * (values[i] * (1 - weight) + values[i + 1] * weight)
            for i in range(len(times) - 1)
        )

    def times(self, factor: float) -> Curve:
        """The curve of values that are so many times as large."""
        return Curve(tuple((t, value * factor) for t, value in self.stops), self.interpolation)

    def segments(self) -> Floats:
        """The curve as a shader holds it.

        Returns:
            float32 (n, 4): rows t0, 1/(t1 - t0), v0, v1. The last row with t0 <= t applies, or the
            first; its value is v0 (1 - f) + v1 f with f = clamp((t - t0)/(t1 - t0), 0, 1), exact
            at both ends, or with f f (3 - 2 f) where the curve is smooth. A row that holds one
            value has 0 for 1/(t1 - t0).
        """
        times, values = _rows(self)
        return np.concatenate([times, values[..., 0]], axis=1)


@description
class Gradient:
    """A colour over time, in straight alpha, between stops as its interpolation says.

    Before the first stop and after the last its colour holds. Two stops at one t make a hard
    step; at the step itself the later colour holds.

    Args:
        stops: Pairs (t, colour): t from 0 to 1, ascending; at least one.
        interpolation: ``"linear"``, ``"smooth"`` or ``"step"``, as of a `Curve`.
    """

    stops: Takes[
        Iterable[tuple[float, str | Iterable[float]]],
        Annotated[tuple[tuple[float, RGBA], ...], _COLOUR_STOPS],
    ]
    interpolation: Interpolation = "linear"

    def sample(self, t: Floats) -> Floats:
        """The colour at each t.

        Args:
            t: float32 (n,).

        Returns:
            float32 (n, 4), straight alpha.
        """
        return _sample(self, t)

    def segments(self) -> Floats:
        """The gradient as a shader holds it.

        Returns:
            float32 (3n, 4): for each segment the rows (t0, 1/(t1 - t0), 0, 0), colour at t0,
            colour at t1; chosen and blended as those of a Curve.
        """
        times, colours = _rows(self)
        heads = np.pad(times, ((0, 0), (0, 2)))[:, None, :]
        return np.concatenate([heads, colours], axis=1).reshape(-1, 4)


B = TypeVar("B", Curve, Gradient)


def _bent(cls: type[B], stops: _Stops, value: Any) -> B | None:
    """A curve from one, from its form in a document or from its stops; None for other things."""
    if isinstance(value, Mapping):
        made: B = TypeAdapter(cls).validate_python(value)
        gather(stops.read, [("stops", made.stops)])
        return made
    if isinstance(value, cls):
        stops.read(value.stops)
        return value
    if is_list(value) and any(map(is_list, items := list(value))):
        return cls(stops.read(items))
    return None


def _curve_schema(stops: _Stops) -> list[dict[str, Any]]:
    """What a document may say for a curve: stops, or an object with them."""
    words = {"enum": list(get_args(Interpolation))}
    bent = {
        "type": "object",
        "properties": {"stops": stops.schema(), "interpolation": words},
        "required": ["stops"],
        "additionalProperties": False,
    }
    return [stops.schema(), bent]


@dataclass(frozen=True)
class _OverLife(Rule):
    """A Curve, its list of stops, or a number that never changes."""

    number: Number

    def read(self, value: Any) -> Curve:
        stops = _number_stops(self.number)
        if (curve := _bent(Curve, stops, value)) is not None:
            return curve
        if is_list(value):
            return Curve(stops.read(value))
        return Curve(((0.0, self.number.read(value)),))

    def schema(self) -> dict[str, Any]:
        return {"anyOf": [self.number.schema(), *_curve_schema(_number_stops(self.number))]}


@dataclass(frozen=True)
class OverLoop(Rule):
    """A number, a range, or a Curve over the emitter's loop: ``3``, ``(2, 6)``, ``[(0, 2), ...]``.

    Args:
        number: The rule of the constant; the ends of a range and the values of a curve are finite
            besides.
    """

    number: Number

    def read(self, value: Any) -> float | Range | Curve:
        """A float, a Range, or a Curve that is more than a constant."""
        if (curve := _bent(Curve, self._stops, value)) is not None:
            return curve if len(curve.stops) > 1 else curve.stops[0][1]
        if is_list(value):
            return Ranged(self.number).read(value)
        return self.number.read(value, ", a pair (low, high), or a list of stops [t, value]")

    def schema(self) -> dict[str, Any]:
        """A number, an array of two, an array of stops, or an object with such."""
        return {"anyOf": [*Ranged(self.number).schema()["anyOf"], *_curve_schema(self._stops)]}

    @property
    def _stops(self) -> _Stops:
        return _number_stops(replace(self.number, endless=False))


@dataclass(frozen=True)
class _ColourOverLife(Rule):
    """A Gradient, its list of stops, or a colour that never changes."""

    def read(self, value: Any) -> Gradient:
        if (gradient := _bent(Gradient, _COLOUR_STOPS, value)) is not None:
            return gradient
        if is_list(value) and not (value := list(value)):
            return Gradient(_COLOUR_STOPS.read(value))
        return Gradient(((0.0, COLOR.read(value)),))

    def schema(self) -> dict[str, Any]:
        return {"anyOf": [COLOR.schema(), *_curve_schema(_COLOUR_STOPS)]}


@dataclass(frozen=True)
class Pair(Rule):
    """A pair (low, high).

    Args:
        number: The rule of both.
    """

    number: Number

    def read(self, value: Any) -> Range:
        """A Range."""
        if not is_list(value):
            raise refused(f"{show(value)} is not a pair (low, high)")
        found = Ranged(self.number).read(value)
        assert isinstance(found, Range)
        return found

    def schema(self) -> dict[str, Any]:
        """An array of two."""
        return {"type": "array", "items": self.number.schema(), "minItems": 2, "maxItems": 2}


@dataclass(frozen=True)
class _BirthColour(Rule):
    """A colour; a gradient in which each particle draws a place; a list of which each draws one."""

    def read(self, value: Any) -> RGBA | Gradient:
        if is_list(value):
            value = [list(item) if is_list(item) else item for item in value]
            if value and not all(isinstance(item, list) and len(item) == 2 for item in value):
                return self._one(value)
        gradient = _bent(Gradient, _COLOUR_STOPS, value)
        if gradient is None:
            return COLOR.read(value)
        return gradient if len(gradient.stops) > 1 else gradient.stops[0][1]

    def schema(self) -> dict[str, Any]:
        several = {"type": "array", "items": COLOR.schema(), "minItems": 1}
        return {"anyOf": [COLOR.schema(), several, *_curve_schema(_COLOUR_STOPS)]}

    def _one(self, items: list[Any]) -> RGBA | Gradient:
        """A colour of numbers; or several, each of which has the same part of a gradient."""
        if not any(isinstance(item, (str, list)) for item in items):
            return COLOR.read(items)
        if any(isinstance(item, list) and len(item) == 2 for item in items):
            return Gradient(_COLOUR_STOPS.read(items))
        colours = list(gather(COLOR.read, enumerate(items)).values())
        if len(colours) == 1:
            return colours[0]
        return Gradient([(i / len(colours), c) for i, c in enumerate(colours)], "step")


@dataclass(frozen=True)
class _LaunchDirection(UnitVector):
    """A vector of which only the direction matters, or a word."""

    def read(self, value: Any) -> Any:
        if isinstance(value, str) and value in _WORDS:
            return value
        if isinstance(value, str) or not is_list(value):
            words = ", ".join(f'"{word}"' for word in _WORDS)
            known = suggestion(value, _WORDS) or f"; a direction is 3 numbers, or {words}"
            raise refused(f"{show(value)} is not a direction{known}")
        return super().read(value)

    def schema(self) -> dict[str, Any]:
        return {"anyOf": [super().schema(), {"enum": list(_WORDS)}]}


_WORDS = ("normal", "outward", "inward")
_LAUNCH = _LaunchDirection("a direction", Number("a component"))


ScalarLike: TypeAlias = float | Range | Iterable[float]
LoopLike: TypeAlias = "ScalarLike | Curve | Iterable[Iterable[float]]"
Vec3Like: TypeAlias = Iterable[float]
VectorLike: TypeAlias = Iterable[float | Range | Iterable[float]]
VelocityLike: TypeAlias = Iterable[LoopLike]
ColorLike: TypeAlias = str | Iterable[float]
CurveLike: TypeAlias = float | Curve | Iterable[Iterable[float]]
GradientLike: TypeAlias = str | Gradient | Iterable[float | tuple[float, ColorLike]]
BirthColorLike: TypeAlias = "GradientLike | Iterable[ColorLike]"

_Vec3: TypeAlias = tuple[float, float, float]
_Vector: TypeAlias = tuple[float | Range, float | Range, float | Range]
_LoopScalar: TypeAlias = "float | Range | Curve"
_Velocity: TypeAlias = tuple[_LoopScalar, _LoopScalar, _LoopScalar]
_VECTOR = Components("a vector", Ranged(Number("a component")))
_VELOCITY = Components("a vector", OverLoop(Number("a component")))
_SIZE_FACTOR = Number("a factor of size", least=0)

Scalar: TypeAlias = Takes[ScalarLike, Annotated[float | Range, Ranged(Number())]]
"""A number of any sign, or a range."""

Lifetime: TypeAlias = Takes[
    LoopLike,
    Annotated[
        float | Range | Curve, OverLoop(Number("a lifetime", "seconds", least=0, endless=True))
    ],
]
"""0 or more seconds, possibly infinite, or a finite range, or finite over the emitter's loop."""

Vec3: TypeAlias = Takes[Vec3Like, Annotated[_Vec3, Components("a vector", Number("a component"))]]
"""Three numbers."""

LaunchDirection: TypeAlias = Takes[
    str | Vec3Like, Annotated[_Vec3 | Literal["normal", "outward", "inward"], _LAUNCH]
]
"""Three numbers, not all 0, or a word for what differs from particle to particle."""

Direction: TypeAlias = Takes[
    Vec3Like, Annotated[_Vec3, UnitVector("a direction", Number("a component"))]
]
"""Three numbers, not all 0, of which only the direction matters; a shader has length 1."""

Vector: TypeAlias = Takes[VectorLike, Annotated[_Vector, _VECTOR]]
"""Three scalars, each a number or a range."""

OptionalVelocity: TypeAlias = Takes[VelocityLike | None, Annotated[_Velocity, _VELOCITY] | None]
"""Three scalars, each a number, a range or a curve over the emitter's loop; or None."""

Color: TypeAlias = Takes[ColorLike, Annotated[RGBA, COLOR]]
"""A colour with straight alpha."""

BirthColor: TypeAlias = Takes[BirthColorLike, Annotated[RGBA | Gradient, _BirthColour()]]
"""A colour with straight alpha, or a Gradient in which each particle draws a place."""

OverLife: TypeAlias = Takes[CurveLike, Annotated[Curve, _OverLife(Number())]]
"""A number over time."""

OptionalOverLife: TypeAlias = Takes[CurveLike | None, Annotated[Curve, _OverLife(Number())] | None]
"""A number over time, or None."""

SizeOverLife: TypeAlias = Takes[CurveLike, Annotated[Curve, _OverLife(_SIZE_FACTOR)]]
"""A number over time that is never negative."""

Fraction: TypeAlias = Annotated[float, Number("a part", "of the life", least=0, most=1)]
"""0 to 1."""

ColorOverLife: TypeAlias = Takes[GradientLike, Annotated[Gradient, _ColourOverLife()]]
"""A colour over time."""


def _upside_down(low: float, high: float) -> str:
    return f"low {show(low)} is above high {show(high)}; a range is (low, high)"


def _rows(curve: Curve | Gradient) -> tuple[Floats, Floats]:
    """Stops as segments of positive length.

    Returns:
        float32 (n, 2) of t0 and 1/(t1 - t0), and float32 (n, 2, k) of the values at both ends.
    """
    stops: Sequence[tuple[float, Any]] = curve.stops
    t = np.array([stop[0] for stop in stops], np.float32)
    values = np.array([stop[1] for stop in stops], np.float32).reshape(len(stops), -1)
    if curve.interpolation == "step":
        times = np.stack([t, np.zeros_like(t)], axis=1)
        return times, np.stack([values, values], axis=1)
    length = np.diff(t)
    long = np.flatnonzero(length > 2**-24)  # below it 1/length would soon overflow
    rows = [(t[i], _reciprocal(length[i]), values[i], values[i + 1]) for i in long]
    first, last = (long[0], long[-1] + 1) if long.size else (len(t) - 1, 0)
    if first > 0 and t[0] > 0:  # a step at the first stop: before it the first value holds
        rows.insert(0, (np.float32(0), np.float32(0), values[0], values[0]))
    if last < len(t) - 1 or not long.size:  # a step at the last stop, or a single stop
        rows.append((t[-1], np.float32(0), values[-1], values[-1]))
    times = np.array([(t0, inverse) for t0, inverse, _, _ in rows], np.float32)
    return times, np.array([(v0, v1) for _, _, v0, v1 in rows], np.float32)


def _reciprocal(length: np.float32) -> np.float32:
    """The inverse, rounded so that its product with `length` reaches 1: curves end exactly."""
    inverse = np.float32(1) / length
    return inverse if length * inverse >= 1 else np.nextafter(inverse, np.float32(math.inf))


def _sample(curve: Curve | Gradient, t: Floats) -> Floats:
    """The shader's arithmetic: (n, k) values at t."""
    times, values = _rows(curve)
    t = np.asarray(t, np.float32)
    row = np.maximum(np.searchsorted(times[:, 0], t, side="right") - 1, 0)
    f = np.clip((t - times[row, 0]) * times[row, 1], 0, 1, dtype=np.float32)[..., None]
    if curve.interpolation == "smooth":
        f = f * f * (3 - 2 * f)
    blended: Floats = values[row, 0] * (1 - f) + values[row, 1] * f
    return blended
