"""Where an emitter is: a 4x4 matrix taken apart into place, turn and scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpuparticles.effect.mistakes import show
from gpuparticles.effect.offset import Offset
from gpuparticles.errors import EffectError

__all__ = [
    "FARTHEST",
    "IDENTITY",
    "Place",
    "Vec3",
    "arc_between",
    "between",
    "composed",
    "conjugate",
    "matrix_of",
    "offset_of",
    "place_of",
    "plus",
    "position_of",
    "rotate",
    "seen_place",
    "shown",
    "slerp",
]

Vec3 = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Mat3 = tuple[float, float, float, float, float, float, float, float, float]


class Place(NamedTuple):
    """A transform taken apart: ``matrix = translate(place) * rotate(turn) * scale``.

    Args:
        place: Translation in units, in double precision.
        turn: Unit quaternion (x, y, z, w).
        scale: What is left: scale, shear and mirror, a 3x3 matrix column by column. A mirror is
            taken along local X, so that flipping a sprite-like effect flips nothing else.
    """

    place: Vec3
    turn: Quaternion
    scale: Mat3


_UNSCALED: Mat3 = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
_LAST_ROW = (0.0, 0.0, 0.0, 1.0)
# What an inversion in single precision, or a projection taken out again, leaves in the last row.
_ROUNDING = 1e-6
_NOWHERE = Offset()
IDENTITY = Place((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0), _UNSCALED)


FARTHEST = 1e30
"""What float32 still holds after a product with a size or a zoom."""


def place_of(transform: object, where: str = "transform") -> Place:
    """Take a transform apart.

    Args:
        transform: None for the identity, a position of two or three numbers, or a 4x4 matrix for
            column vectors (translation in the last column): anything NumPy reads, or what PyGLM
            makes.
        where: Named in the error.

    Raises:
        EffectError: Neither, not finite, or a matrix with its translation in the last row.
    """
    if transform is None:
        return IDENTITY
    position = _position(transform)
    if position is not None:
        return IDENTITY._replace(place=_finite(position, where))
    values = matrix_of(transform, where, affine=True, or_else=" or a position")
    return _apart(values)


def _apart(rows: Sequence[Sequence[float]]) -> Place:
    """Take the first three rows of an affine matrix apart."""
    a, b, c, x = rows[0]
    d, e, f, y = rows[1]
    g, h, i, z = rows[2]
    # Columns (a, d, g), (b, e, h), (c, f, i).
    turn: Quaternion
    scale: Mat3
    lengths = (math.hypot(a, d, g), math.hypot(b, e, h), math.hypot(c, f, i))
    sx, sy, sz = lengths
    if (
        min(lengths) > 0.0
        and abs(a * b + d * e + g * h) <= 1e-9 * sx * sy
        and abs(a * c + d * f + g * i) <= 1e-9 * sx * sz
        and abs(b * c + e * f + h * i) <= 1e-9 * sy * sz
    ):
        if a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g) < 0.0:
            sx = -sx
        turn = _quaternion(a / sx, b / sy, c / sz, d / sx, e / sy, f / sz, g / sx, h / sy, i / sz)
        scale = (sx, 0.0, 0.0, 0.0, sy, 0.0, 0.0, 0.0, sz)
    else:
        turn, scale = _polar(np.array(((a, b, c), (d, e, f), (g, h, i))))
    return Place((x, y, z), turn, scale)


def position_of(position: object, where: str) -> Vec3:
    """Read a position of two or three numbers; two lie at z = 0.

    Args:
        position: Anything NumPy reads, or a PyGLM vector.
        where: Named in the error.

    Raises:
        EffectError: Something else, or not finite.
    """
    found = _position(position)
    if found is None:
        raise EffectError(f"{where}: {shown(position)} is not a position of two or three numbers")
    return _finite(found, where)


def seen_place(value: object, now: Place, where: str) -> Place:
    """The place of something that is followed.

    Args:
        value: A position, which keeps the turn and the scale of now, or a 4x4 matrix.
        now: The place so far.
        where: Named in the error.

    Raises:
        EffectError: Neither, or not finite.
    """
    position = _position(value)
    if position is not None:
        return now._replace(place=_finite(position, where))
    if value is None:
        raise EffectError(f"{where}: None is not a position or a 4x4 matrix")
    return place_of(value, where)


def plus(a: Vec3, b: Vec3) -> Vec3:
    """The sum of two vectors."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def _position(value: object) -> Vec3 | None:
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return None
    if array.shape not in ((2,), (3,)):
        return None
    x, y, z = (*array.tolist(), 0.0)[:3]
    return x, y, z


def _finite(position: Vec3, where: str) -> Vec3:
    if not all(abs(x) <= FARTHEST for x in position):
        raise EffectError(f"{where}: {position}: every number must lie from -1e30 to 1e30")
    return position


def matrix_of(
    matrix: object, where: str, *, affine: bool = False, or_else: str = ""
) -> list[list[float]]:
    """Read a 4x4 matrix for column vectors as four rows of Python floats.

    Args:
        matrix: Anything NumPy reads, or a PyGLM matrix.
        where: Named in the error.
        affine: The last row must be (0, 0, 0, 1).
        or_else: What the caller takes as well, for the error.

    Raises:
        EffectError: Not such a matrix, not finite, or transposed.
    """
    # PyGLM's matrices index by column but convert to NumPy by row, as everybody would expect.
    try:
        array = np.asarray(matrix, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        array = np.empty(0)
    if array.shape != (4, 4):
        raise EffectError(
            f"{where}: {shown(matrix)} is not a 4x4 matrix for column vectors{or_else}"
        )
    rows: list[list[float]] = array.tolist()
    if not all(abs(x) <= FARTHEST for row in rows for x in row):
        raise EffectError(f"{where}: {shown(matrix)}: every number must lie from -1e30 to 1e30")
    last = rows[3]
    if affine and any(abs(x - y) > _ROUNDING for x, y in zip(last, _LAST_ROW, strict=True)):
        transposed = any(last[:3]) and not any(row[3] for row in rows[:3])
        mend = "; a matrix with its translation in the last row must be transposed"
        raise EffectError(
            f"{where}: the last row is {tuple(last)}, not (0, 0, 0, 1){mend if transposed else ''}"
        )
    return rows


def rotate(turn: Quaternion, v: Vec3) -> Vec3:
    """A vector turned by a unit quaternion."""
    qx, qy, qz, qw = turn
    x, y, z = v
    tx = 2.0 * (qy * z - qz * y)
    ty = 2.0 * (qz * x - qx * z)
    tz = 2.0 * (qx * y - qy * x)
    return (
        x + qw * tx + qy * tz - qz * ty,
        y + qw * ty + qz * tx - qx * tz,
        z + qw * tz + qx * ty - qy * tx,
    )


def conjugate(turn: Quaternion) -> Quaternion:
    """The turn back."""
    x, y, z, w = turn
    return (-x, -y, -z, w)


def offset_of(offset: Offset) -> Place | None:
    """An emitter's place within its effect; None for that of the effect itself."""
    if offset == _NOWHERE:
        return None
    turn = IDENTITY.turn
    for axis, degrees in enumerate(offset.rotation):
        half = math.radians(degrees) / 2.0
        about = [0.0, 0.0, 0.0]
        about[axis] = math.sin(half)
        turn = _product((about[0], about[1], about[2], math.cos(half)), turn)
    sx, sy, sz = offset.scale
    # Through a matrix, which takes a mirror along X, as all our places do.
    return _apart(_rows(Place(offset.position, turn, (sx, 0.0, 0.0, 0.0, sy, 0.0, 0.0, 0.0, sz))))


def composed(outer: Place, inner: Place) -> Place:
    """Where something is in the world that is at `inner` within what is at `outer`.

    The place of the product of their matrices.
    """
    if outer.scale != _UNSCALED:
        product = np.vstack([_rows(outer), _LAST_ROW]) @ np.vstack([_rows(inner), _LAST_ROW])
        return _apart(product.tolist())
    (x, y, z), (a, b, c) = outer.place, rotate(outer.turn, inner.place)
    return Place((x + a, y + b, z + c), _product(outer.turn, inner.turn), inner.scale)


def between(begin: Place, end: Place, f: float) -> Place:
    """Where a path is a fraction f of its way: the place on a line, the turn on the shorter arc."""
    if f <= 0.0:
        return begin
    if f >= 1.0:
        return end
    (a, b, c), (x, y, z) = begin.place, end.place
    turn, scale = end.turn, end.scale
    if begin.turn != turn:
        turn = slerp(begin.turn, turn, f)
    if begin.scale != scale:
        s = [p + (q - p) * f for p, q in zip(begin.scale, scale, strict=True)]
        scale = (s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8])
    return Place((a + (x - a) * f, b + (y - b) * f, c + (z - c) * f), turn, scale)


def arc_between(a: Quaternion, b: Quaternion) -> tuple[Quaternion, tuple[float, float]]:
    """The shorter arc from a to b.

    Returns:
        b, or -b where that is nearer, and the arc's angle in radians with 1 / sin(angle); or two
        zeros where both are so close that a line is an arc to float precision.
    """
    c = sum(x * y for x, y in zip(a, b, strict=True))
    if c < 0.0:
        x, y, z, w = b
        b, c = (-x, -y, -z, -w), -c
    if c > 0.9995:
        return b, (0.0, 0.0)
    angle = math.acos(c)
    return b, (angle, 1.0 / math.sin(angle))


def slerp(a: Quaternion, b: Quaternion, f: float) -> Quaternion:
    """The turn a fraction f of the way along the shorter arc from a to b."""
    b, (angle, inverse_sine) = arc_between(a, b)
    p, q = 1.0 - f, f
    if inverse_sine:
        p, q = math.sin(p * angle) * inverse_sine, math.sin(q * angle) * inverse_sine
    mixed = [x * p + y * q for x, y in zip(a, b, strict=True)]
    length = math.sqrt(sum(x * x for x in mixed))
    x, y, z, w = (v / length for v in mixed)
    return (x, y, z, w)


def _product(p: Quaternion, q: Quaternion) -> Quaternion:
    """The turn q, then the turn p."""
    a, b, c, d = p
    x, y, z, w = q
    return (
        d * x + a * w + b * z - c * y,
        d * y - a * z + b * w + c * x,
        d * z + a * y - b * x + c * w,
        d * w - a * x - b * y - c * z,
    )


def _rows(place: Place) -> list[list[float]]:
    """The first three rows of a place's matrix."""
    s = place.scale
    columns = [rotate(place.turn, (s[i], s[i + 1], s[i + 2])) for i in (0, 3, 6)]
    columns.append(place.place)
    return [[column[row] for column in columns] for row in range(3)]


def shown(value: object) -> str:
    """A value in an error: on one line, and cut short."""
    try:
        text = " ".join(repr(value).split())  # an array's goes over several lines
    except ValueError:  # a whole number of thousands of digits
        text = show(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _quaternion(
    a: float, b: float, c: float, d: float, e: float, f: float, g: float, h: float, i: float
) -> Quaternion:
    """The quaternion of a rotation matrix given row by row.

    Shepperd's method ("Quaternion from Rotation Matrix", J. Guidance and Control 1(3), 1978):
    divide by the largest of the four components.
    """
    trace = a + e + i
    if trace >= max(a, e, i):
        s = 2.0 * math.sqrt(1.0 + trace)
        return ((h - f) / s, (c - g) / s, (d - b) / s, 0.25 * s)
    if a >= e and a >= i:
        s = 2.0 * math.sqrt(1.0 + a - e - i)
        return (0.25 * s, (b + d) / s, (c + g) / s, (h - f) / s)
    if e >= i:
        s = 2.0 * math.sqrt(1.0 + e - a - i)
        return ((b + d) / s, 0.25 * s, (f + h) / s, (c - g) / s)
    s = 2.0 * math.sqrt(1.0 + i - a - e)
    return ((c + g) / s, (f + h) / s, 0.25 * s, (d - b) / s)


def _polar(matrix: NDArray[np.float64]) -> tuple[Quaternion, Mat3]:
    """Turn and rest of a matrix whose columns are not at right angles, or that is flat."""
    mirror = np.diag((-1.0 if np.linalg.det(matrix) < 0.0 else 1.0, 1.0, 1.0))
    u, sizes, v = np.linalg.svd(matrix @ mirror)
    if np.linalg.det(u @ v) < 0.0:
        # Only a flat matrix gets here: the direction that it loses may be turned either way.
        u[:, 2] = -u[:, 2]
        sizes[2] = -sizes[2]
    turn = u @ v
    rest = v.T @ np.diag(sizes) @ v @ mirror
    q = _quaternion(*(float(x) for x in turn.ravel()))
    s = tuple(float(x) for x in rest.T.ravel())
    return q, (s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8])
