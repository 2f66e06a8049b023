"""What surfaces that are given by samples have in common."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gpuparticles.effect.arrays import MOST_ROWS
from gpuparticles.effect.mistakes import show
from gpuparticles.effect.modifiers.contact import Bools, Planes
from gpuparticles.effect.values import Floats
from gpuparticles.errors import EffectError

__all__ = [
    "counts_of",
    "either",
    "from_axes",
    "number_at",
    "place_of",
    "where_there",
    "without_axes",
]

_NOWHERE = np.float32(1e6)


def from_axes(axes: Floats, local: Sequence[Floats]) -> Floats:
    """Vectors that are given along axes."""
    x, y, z = (axes[:, i] * part[:, None] for i, part in enumerate(local))
    return np.asarray(x + y + z, np.float32)


def where_there(there: Bools, planes: Planes, place: Floats, up: Floats) -> Planes:
    """Planes, and where there is none one that nobody is behind."""
    which = there[:, None]
    point = np.where(which, planes.point, place - _NOWHERE * up)
    way = planes.normal if planes.way is None else planes.way
    return Planes(point, np.where(which, planes.normal, up), np.where(which, way, up))


def either(which: Bools, these: Planes, those: Planes) -> Planes:
    """Of each particle one of two planes."""
    chosen = which[:, None]
    return Planes(
        np.where(chosen, these.point, those.point), np.where(chosen, these.normal, those.normal)
    )


def number_at(cls: type, function: Callable[..., Any], *place: float) -> float:
    """What a function says of a place."""
    try:
        number = float(function(*place))
    except (TypeError, ValueError) as error:
        raise EffectError(f"{cls.__name__}.of: the function gives no number: {error}") from error
    if not math.isfinite(number):
        where = ", ".join(f"{part:g}" for part in place)
        raise EffectError(f"{cls.__name__}.of: the function gives {number} at ({where})")
    return number


def place_of(cls: type, value: Any, name: str = "center") -> tuple[float, float, float]:
    """A vector that a function of samples is given; raises EffectError for anything else."""
    try:
        x, y, z = map(float, value)
    except (TypeError, ValueError):
        given = f"{cls.__name__}.of: {name}: {show(value)}"
        raise EffectError(f"{given} is not a vector; a vector has 3 components") from None
    return x, y, z


def counts_of(cls: type, samples: Any, axes: int) -> tuple[int, ...]:
    """How many samples there are along each axis; raises EffectError where they are no such."""
    try:
        counts = tuple(map(int, samples))
    except (TypeError, ValueError):
        counts = ()
    if len(counts) != axes or min(counts) < 2 or math.prod(counts) > MOST_ROWS:
        given = f"{cls.__name__}.of: samples: {show(samples)}"
        most = f"2 or more each and up to {MOST_ROWS} in all"
        raise EffectError(f"{given} are not {axes} whole numbers, {most}")
    return counts


def without_axes(cls: type, settings: dict[str, Any]) -> dict[str, Any]:
    """Settings, which may not turn what a function has said along its own axes."""
    for name in ("right", "up"):
        if name in settings:
            raise EffectError(f"{cls.__name__}.of: {name}: x, y and z are those of the function")
    return settings
