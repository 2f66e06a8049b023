"""View and projection matrices, and the camera that frames a box.

Matrices are 4x4 float64 for column vectors (``clip = projection @ view @ point``), right-handed,
for OpenGL's clip volume (-1..1 on every axis). Any other library's matrices do as well; these are
here so that nobody needs one. No GL in this module.
"""

from __future__ import annotations

from itertools import product
from math import cos, isfinite, radians, sin, tan

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gpuparticles.effect.mistakes import show
from gpuparticles.errors import EffectError

__all__ = ["fit", "look_at", "orthographic", "perspective"]

Matrix = NDArray[np.float64]

_FARTHEST = 1e30
"""Beyond this numbers multiply to what float32 cannot hold."""


def perspective(fov_y: float, aspect: float, near: float, far: float) -> Matrix:
    """A perspective projection.

    Args:
        fov_y: Full vertical field of view in degrees, 1e-9 to 180, 180 excluded.
        aspect: Width over height of the picture, 1e-9 to 1e9.
        near: Distance of the near plane, above 0.
        far: Distance of the far plane, beyond `near`, at most 1e30.

    Raises:
        EffectError: A number outside its range.
    """
    _check_field_of_view(fov_y)
    _check_aspect(aspect)
    if not 0 < near < far <= _FARTHEST:
        raise EffectError(f"near and far: {near} and {far}, but 0 < near < far <= 1e30 must hold")
    scale = 1 / tan(radians(fov_y) / 2)
    matrix = np.zeros((4, 4))
    matrix[0, 0] = scale / aspect
    matrix[1, 1] = scale
    matrix[2, 2:] = (far + near) / (near - far), 2 * far * near / (near - far)
    matrix[3, 2] = -1
    return matrix


def orthographic(
    left: float, right: float, bottom: float, top: float, near: float = -1e4, far: float = 1e4
) -> Matrix:
    """A parallel projection of a box in view space onto the picture.

    ``orthographic(0, width, 0, height)`` makes world units pixels, the origin at the bottom left.
    What lies before the near or behind the far plane is cut off; particles that fly in all
    directions need room in depth too.

    Args:
        left: View-space x at the left edge.
        right: View-space x at the right edge.
        bottom: View-space y at the bottom edge.
        top: View-space y at the top edge.
        near: Distance of the near plane along the line of sight; may be negative.
        far: Distance of the far plane.

    Raises:
        EffectError: A number beyond 1e30, or two planes not 2e-30 apart.
    """
    planes = (left, right, bottom, top, near, far)
    if not all(-_FARTHEST <= plane <= _FARTHEST for plane in planes):
        raise EffectError(f"orthographic: {planes}, but every number must lie from -1e30 to 1e30")
    low = np.array((left, bottom, -near), dtype=np.float64)
    high = np.array((right, top, -far), dtype=np.float64)
    if (np.abs(high - low) < 2 / _FARTHEST).any():
        raise EffectError(
            f"orthographic: {planes}, but opposite planes must be apart, by 2e-30 or more"
        )
    matrix = np.eye(4)
    matrix[:3, :3] = np.diag(2 / (high - low))
    matrix[:3, 3] = -(high + low) / (high - low)
    return matrix


def look_at(eye: ArrayLike, target: ArrayLike, up: ArrayLike = (0, 1, 0)) -> Matrix:
    """A view matrix: the camera at `eye` looks at `target`, which lands on the -Z axis.

    Args:
        eye: Place of the camera, 3 numbers.
        target: What it looks at, 3 numbers.
        up: The direction that points up in the picture. Along the line of sight it decides
            nothing, and -Z (for looking straight down, as on a map) or else +Y is taken.

    Raises:
        EffectError: Numbers beyond 1e30, or `eye` equal to `target`.
    """
    start, end = _point("eye", eye), _point("target", target)
    backward = start - end
    longest = np.abs(backward).max()
    if longest == 0:
        raise EffectError(
            f"look_at: eye and target are both {tuple(start.tolist())}, but must differ"
        )
    backward /= longest  # whose square may be too little for a float
    backward /= np.linalg.norm(backward)
    for upward in (_point("up", up), np.array((0.0, 0.0, -1.0)), np.array((0.0, 1.0, 0.0))):
        right = np.cross(upward, backward)
        length = np.linalg.norm(right)
        if length > 1e-9 * np.linalg.norm(upward):
            break
    right /= length
    matrix = np.eye(4)
    matrix[:3, :3] = right, np.cross(backward, right), backward
    matrix[:3, 3] = -matrix[:3, :3] @ start
    return matrix


def fit(
    lower: ArrayLike,
    upper: ArrayLike,
    aspect: float,
    *,
    fov_y: float | None = 40.0,
    azimuth: float = 0.0,
    elevation: float = 10.0,
    margin: float = 0.06,
) -> tuple[Matrix, Matrix]:
    """The closest camera from a given side that shows a whole box, centred, the horizon level.

    The camera is moved, never turned, to where the box's corners touch the picture's edges (less
    the margin) on both sides across or up and down, whichever is tighter.

    Args:
        lower: The box's smallest x, y, z.
        upper: The box's largest x, y, z.
        aspect: Width over height of the picture, 1e-9 to 1e9.
        fov_y: Vertical field of view in degrees; None for a flat (orthographic) picture, which
            suits 2D effects with an `elevation` of 0.
        azimuth: Degrees round the vertical: 0 looks from +Z, 90 from +X, 45 from between them.
        elevation: Degrees above the horizon, -90 to 90.
        margin: Air on each side, as a share of half the picture, below 1.

    Returns:
        The view and the projection matrix.

    Raises:
        EffectError: A number outside its range.
    """
    low, high = _point("lower", lower), _point("upper", upper)
    if (low > high).any():
        raise EffectError(
            f"fit: lower {tuple(low.tolist())} exceeds upper {tuple(high.tolist())} on an axis"
        )
    if not -90 <= elevation <= 90 or not isfinite(azimuth):
        raise EffectError(f"fit: azimuth {azimuth}, elevation {elevation}: not a direction")
    if not 0 <= margin < 1:
        raise EffectError(f"margin: {margin}, but it must lie in 0..1, 1 excluded")
    _check_aspect(aspect)

    centre = (low + high) / 2
    # A point or a needle seen end on has no extent to frame; half a unit round a lone point is as
    # good as any, and a hundredth of the longest side keeps the camera outside a needle.
    floor = float((high - low).max()) / 100 or 0.5
    half = np.maximum((high - low) / 2, floor)

    turn, rise = radians(azimuth), radians(elevation)
    backward = np.array((sin(turn) * cos(rise), sin(rise), cos(turn) * cos(rise)))
    # At the poles +Y is the line of sight; up is then where the azimuth's own up tips over to.
    upward = np.array((-sin(turn) * sin(rise), cos(rise), -cos(turn) * sin(rise)))
    turned = look_at(backward, (0, 0, 0), upward)[:3, :3]
    corners = np.array(list(product((-1, 1), repeat=3))) * half @ turned.T
    sideways, depth = corners[:, :2], -corners[:, 2]
    shown = np.array((aspect, 1.0)) * (1 - margin)

    if fov_y is None:
        reach = float((np.abs(sideways).max(axis=0) / shown).max())
        distance = float(depth.max()) * 2
        deep = min(100 * distance, _FARTHEST)
        offset = np.zeros(2)
        projection = orthographic(-reach * aspect, reach * aspect, -reach, reach, -deep, deep)
    else:
        _check_field_of_view(fov_y)
        slope = shown * tan(radians(fov_y) / 2)
        # A corner at x, d is inside the edges of a camera at c, -s (across, along) when
        # |x - c| <= slope * (d + s); the two sides give s and c at once, exactly.
        high_side = (sideways - slope * depth[:, None]).max(axis=0)
        low_side = (-sideways - slope * depth[:, None]).max(axis=0)
        distance = float(((high_side + low_side) / (2 * slope)).max())
        offset = (high_side - low_side) / 2
        if distance > _FARTHEST:
            raise EffectError(
                f"fit: the camera would be {distance:g} away, but at most 1e30 is allowed"
            )
        projection = perspective(fov_y, aspect, distance / 100, min(distance * 100, _FARTHEST))

    eye = centre + turned.T @ (*offset, distance)
    view = np.eye(4)
    view[:3, :3] = turned
    view[:3, 3] = -turned @ eye
    return view, projection


def _point(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """Three numbers, or one sentence about what was given instead."""
    try:
        point = np.array(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        point = np.empty(0)
    if point.shape != (3,) or not (np.abs(point) <= _FARTHEST).all():
        raise EffectError(f"{name}: {show(value)}, but three numbers from -1e30 to 1e30 are needed")
    return point


def _check_aspect(aspect: float) -> None:
    if not 1e-9 <= aspect <= 1e9:
        raise EffectError(f"aspect: {aspect}, but width over height must lie from 1e-9 to 1e9")


def _check_field_of_view(degrees: float) -> None:
    if not 1e-9 <= degrees < 180:
        raise EffectError(f"fov_y: {degrees} degrees, but it must lie between 1e-9 and 180")
