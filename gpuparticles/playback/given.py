"""What is given of births that are asked for by hand: their places, velocities, colours, sizes.

A row a birth, of `WIDTH` numbers: position and a sum of what is given (the bits of effect.draws),
velocity and size, colour. On the GPU it is three texels behind the record; what is not given
is drawn as for any birth.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpuparticles.effect.draws import GIVEN_COLOR, GIVEN_POSITION, GIVEN_SIZE, GIVEN_VELOCITY
from gpuparticles.effect.effect import MOST_AT_ONCE
from gpuparticles.effect.mistakes import show
from gpuparticles.effect.values import Floats, rgba
from gpuparticles.errors import EffectError
from gpuparticles.playback.place import FARTHEST, Place, Vec3, conjugate

__all__ = ["WIDTH", "Given", "nothing", "placed", "read"]

Given = NDArray[np.float64]
"""Rows, (n, WIDTH), in the world."""

WIDTH = 12
"""Numbers a birth."""


def nothing(count: int) -> Given:
    """Rows of births of which nothing is given."""
    return np.zeros((count, WIDTH))


def read(
    count: object, positions: Any, velocities: Any, colors: Any, sizes: Any
) -> tuple[int, Given | None]:
    """Read what a host gives.

    Args:
        count: How many births, or None: as many as are given.
        positions: (n, 2) or (n, 3), or one for all; None draws them.
        velocities: Likewise.
        colors: n colours, or one for all: each 3 or 4 numbers, or in hex; None draws them.
        sizes: n numbers, or one for all; None draws them.

    Returns:
        How many, and their rows if anything is given.

    Raises:
        EffectError: Not such numbers, or not of as many births.
    """
    asked = None
    if count is not None:
        if isinstance(count, (int, np.integer)) and not isinstance(count, bool):
            asked = int(count)
        else:
            asked = -1
        if not 0 <= asked <= MOST_AT_ONCE:
            raise EffectError(f"{show(count)} is not a whole number from 0 to {MOST_AT_ONCE}")
    found = {
        name: reader(name, value)
        for name, value, reader in (
            ("positions", positions, _vectors),
            ("velocities", velocities, _vectors),
            ("colors", colors, _colors),
            ("sizes", sizes, _sizes),
        )
        if value is not None
    }
    counts = {name: len(each) for name, each in found.items() if each.ndim == 2}
    if not found:
        if asked is None:
            raise EffectError("give a count, or positions, velocities, colors or sizes")
        return asked, None
    wanted = next(iter(counts.values()), 1) if asked is None else asked
    for name, given in counts.items():
        if given != wanted:
            of = "count" if count is not None else next(iter(counts))
            raise EffectError(f"{name}: {given} are given, and the {of} say {wanted}")
    if wanted > MOST_AT_ONCE:
        raise EffectError(f"{wanted} births are given; {MOST_AT_ONCE} are allowed")
    rows = nothing(wanted)
    for name, (bit, columns) in _COLUMNS.items():
        if name in found:
            rows[:, columns] = found[name]
            rows[:, 3] += bit
    return wanted, rows


_COLUMNS = {
    "positions": (GIVEN_POSITION, slice(0, 3)),
    "velocities": (GIVEN_VELOCITY, slice(4, 7)),
    "sizes": (GIVEN_SIZE, slice(7, 8)),
    "colors": (GIVEN_COLOR, slice(8, 12)),
}


def placed(rows: Given, begin: Place, anchor: Vec3, *, local: bool) -> Floats:
    """Rows as the particles see them, float32 (n, WIDTH): from the anchor, or in a local frame.

    Args:
        rows: In the world.
        begin: Where the emitter is at their birth.
        anchor: What positions of world-space particles are relative to.
        local: Particles live in the emitter's frame.
    """
    found = rows.copy()
    found[:, :3] -= begin.place if local else anchor
    if local:
        x, y, z, w = conjugate(begin.turn)
        axis = np.array((x, y, z))
        for columns in (slice(0, 3), slice(4, 7)):
            v = found[:, columns]
            twice = 2.0 * np.cross(axis, v)
            found[:, columns] = v + w * twice + np.cross(axis, twice)
    return found.astype(np.float32)


def _vectors(name: str, value: Any) -> NDArray[np.float64]:
    vectors = _numbers(value)
    if vectors is None or vectors.ndim not in (1, 2) or vectors.shape[-1] not in (2, 3):
        raise EffectError(
            f"{name}: {show(value)} are not rows of two or three numbers, nor one for all"
        )
    _bounded(name, vectors, -FARTHEST)
    if vectors.shape[-1] == 2:
        vectors = np.concatenate([vectors, np.zeros((*vectors.shape[:-1], 1))], axis=-1)
    return vectors


def _colors(name: str, value: Any) -> NDArray[np.float64]:
    colors = None if isinstance(value, str) else _numbers(value)
    if colors is None and isinstance(value, (list, tuple)):
        return np.array([rgba(each, f"{name}[{i}]") for i, each in enumerate(value)]).reshape(-1, 4)
    if colors is None or colors.ndim != 2:
        return np.array(rgba(value, name))
    if colors.shape[-1] not in (3, 4):
        raise EffectError(f"{name}: {show(value)} are not rows of three or four numbers")
    _bounded(name, colors, 0.0)
    if colors.shape[-1] == 3:
        colors = np.concatenate([colors, np.ones((len(colors), 1))], axis=1)
    if (colors[:, 3] > 1.0).any():
        most = show(float(colors[:, 3].max()))
        raise EffectError(f"{name}: an alpha of {most} is among them; from 0 to 1 is allowed")
    return colors


def _sizes(name: str, value: Any) -> NDArray[np.float64]:
    sizes = _numbers(value)
    if sizes is None or sizes.ndim > 1:
        raise EffectError(f"{name}: {show(value)} are not a list of numbers, nor one for all")
    _bounded(name, sizes, 0.0)
    return sizes[:, None] if sizes.ndim else sizes


def _bounded(name: str, numbers: NDArray[np.float64], least: float) -> None:
    wrong = ~((numbers >= least) & (numbers <= FARTHEST))
    if wrong.any():
        raise EffectError(
            f"{name}: {show(float(numbers[wrong][0]))} is among them; "
            f"from {show(least)} to {show(FARTHEST)} is allowed"
        )


def _numbers(value: Any) -> NDArray[np.float64] | None:
    """Numbers as an array, or None."""
    try:
        array = np.asarray(value)
        return array.astype(np.float64) if array.dtype.kind in "iuf" else None
    except (TypeError, ValueError, OverflowError):
        return None
