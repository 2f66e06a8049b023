"""Where many players of one effect are: what place.py does for one, for all of them at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpuparticles.errors import EffectError
from gpuparticles.playback.place import FARTHEST, Place, matrix_of, place_of, shown

__all__ = ["Places", "apart", "arcs", "matrices_of", "matrix_from"]

Doubles = NDArray[np.float64]


class Places(NamedTuple):
    """Transforms taken apart, as a `Place` is.

    Args:
        place: (n, 3), translations in units.
        turn: (n, 4), unit quaternions (x, y, z, w).
        scale: (n, 9), what is left, column by column.
    """

    place: Doubles
    turn: Doubles
    scale: Doubles


def matrices_of(transforms: object, where: str) -> Doubles:
    """Read transforms as matrices (n, 4, 4) for column vectors.

    Args:
        transforms: Positions (n, 2) or (n, 3), or matrices (n, 4, 4); or nothing.
        where: Named in the error.

    Raises:
        EffectError: Something else, not finite, or matrices with their translation in the last row.
    """
    try:
        given = np.asarray(transforms, np.float64)
    except (TypeError, ValueError, OverflowError):
        given = np.empty((1, 1))
    if given.shape == (0,):
        return np.empty((0, 4, 4))
    if not (given.ndim == 2 and given.shape[1] in (2, 3)) and given.shape[1:] != (4, 4):
        raise EffectError(
            f"{where}: {shown(transforms)} are neither positions, (n, 2) or (n, 3), nor matrices "
            f"for column vectors, (n, 4, 4)"
        )
    wrong = ~(np.abs(given) <= FARTHEST).reshape(len(given), -1).all(axis=1)
    if wrong.any():
        index = int(wrong.argmax())
        raise EffectError(f"{where}[{index}]: every number must lie from -1e30 to 1e30")
    if given.ndim == 2:
        matrices = np.tile(np.eye(4), (len(given), 1, 1))
        matrices[:, : given.shape[1], 3] = given
        return matrices
    odd = np.abs(given[:, 3] - (0.0, 0.0, 0.0, 1.0)).max(axis=1, initial=0.0) > 1e-6
    if odd.any():
        index = int(odd.argmax())
        matrix_of(given[index], f"{where}[{index}]", affine=True)  # says what is wrong with it
    return given.copy()


def apart(matrices: Doubles) -> Places:
    """Take matrices (n, 4, 4) apart."""
    count = len(matrices)
    axes = matrices[:, :3, :3]
    sizes = np.linalg.norm(axes, axis=1)
    dots = np.einsum("nij,nik->njk", axes, axes)
    limits = 1e-9 * sizes[:, :, None] * sizes[:, None, :]
    across = np.abs(dots)[:, (0, 0, 1), (1, 2, 2)] <= limits[:, (0, 0, 1), (1, 2, 2)]
    plain = across.all(axis=1) & (sizes.min(axis=1, initial=np.inf) > 0.0)
    scales = np.where(plain[:, None], sizes, 1.0)
    mirrored = np.linalg.det(axes) < 0.0
    scales[:, 0] *= np.where(mirrored & plain, -1.0, 1.0)
    turn = _quaternions(axes / scales[:, None, :])
    scale = np.zeros((count, 9))
    scale[:, ::4] = scales
    for index in np.flatnonzero(~plain):  # sheared, or flat
        found = place_of(matrices[index])
        turn[index], scale[index] = found.turn, found.scale
    return Places(matrices[:, :3, 3].copy(), turn, scale)


def arcs(begin: Doubles, end: Doubles) -> tuple[Doubles, Doubles]:
    """The shorter arcs between unit quaternions (n, 4), as `arc_between` has them.

    Returns:
        The ends, turned over where that is nearer, and (n, 2): angle and 1 / sin(angle), or zeros.
    """
    cosine = np.einsum("ni,ni->n", begin, end)
    end = np.where(cosine[:, None] < 0.0, -end, end)
    cosine = np.minimum(np.abs(cosine), 1.0)
    apart_enough = cosine <= 0.9995
    angle = np.where(apart_enough, np.arccos(cosine), 0.0)
    inverse = np.divide(1.0, np.sin(angle), out=np.zeros_like(angle), where=apart_enough)
    return end, np.stack([angle, inverse], axis=1)


def matrix_from(place: Place) -> Doubles:
    """The 4x4 matrix for column vectors that a place was taken from."""
    x, y, z, w = place.turn
    turn = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    matrix = np.eye(4)
    matrix[:3, :3] = turn @ np.array(place.scale).reshape(3, 3).T
    matrix[:3, 3] = place.place
    return matrix


def _quaternions(turns: Doubles) -> Doubles:
    """Unit quaternions of rotation matrices (n, 3, 3): Shepperd's method, as in place.py."""
    a, e, i = turns[:, 0, 0], turns[:, 1, 1], turns[:, 2, 2]
    # Four times the square of x, y, z and w; the largest is divided by.
    squares = np.stack([1 + a - e - i, 1 - a + e - i, 1 - a - e + i, 1 + a + e + i], axis=1)
    sums = {
        (0, 1): turns[:, 0, 1] + turns[:, 1, 0],
        (0, 2): turns[:, 0, 2] + turns[:, 2, 0],
        (1, 2): turns[:, 1, 2] + turns[:, 2, 1],
        (0, 3): turns[:, 2, 1] - turns[:, 1, 2],
        (1, 3): turns[:, 0, 2] - turns[:, 2, 0],
        (2, 3): turns[:, 1, 0] - turns[:, 0, 1],
    }
    products = np.zeros((len(turns), 4, 4))
    for (row, column), value in sums.items():
        products[:, row, column] = products[:, column, row] = value
    products[:, range(4), range(4)] = squares
    largest = squares.argmax(axis=1)
    found = products[np.arange(len(turns)), largest]
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), np.float64)
