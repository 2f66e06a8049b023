"""Noise on lattices that repeat: the twin of ``glsl/lib/noise.glsl``."""

from __future__ import annotations

from typing import Final

import numpy as np

from gpuparticles.effect import random
from gpuparticles.effect.values import Floats
from gpuparticles.effect.vectors import dot

__all__ = ["PERIOD", "curl_noise", "line_noise", "wrapped"]

PERIOD: Final = 256
"""Cells after which all noise repeats."""

_CORNERS = np.array([(i & 1, (i >> 1) & 1, i >> 2) for i in range(8)])


def wrapped(q: float) -> float:
    """A coordinate within the period, in double precision."""
    return q % PERIOD


def curl_noise(q: Floats, salt: int) -> Floats:
    """A smooth random flow without sources, whose RMS is 1.

    The curl of a vector potential: each point of the lattice turns what is around it about a
    random axis a; its potential is the fade to it times a x d, where d is the way from it.

    Args:
        q: float32 (n, 3), in cells.
        salt: 0 to 255, which of the many flows.

    Returns:
        float32 (n, 3).
    """
    cell = np.floor(q)
    f = q - cell
    w = _fade(f)
    r = f * (f - 1)
    s = 30 * r * r
    first = cell.astype(np.int32)
    flow = np.zeros_like(q)
    for corner in _CORNERS:
        at = ((first + corner) & (PERIOD - 1)).astype(np.uint32)
        shifts = np.array([0, 8, 16], np.uint32)
        code = np.bitwise_or.reduce(at << shifts, axis=1) | np.uint32(salt << 24)
        bits = random.pcg(code)[:, None] >> np.array([0, 10, 22], np.uint32)
        axis = (bits & np.uint32(1023)).astype(np.float32) * np.float32(2 / 1023) - 1
        side = corner.astype(np.float32)
        d = f - side
        e = 1 - side + (2 * side - 1) * w
        slope = (2 * side - 1) * s * np.roll(e, -1, axis=1) * np.roll(e, -2, axis=1)
        weight = np.prod(e, axis=1, keepdims=True)
        flow += axis * (dot(slope, d) + 2 * weight) - d * dot(slope, axis)
    return np.asarray(flow * np.float32(0.8254), np.float32)


def line_noise(q: Floats, salt: int) -> Floats:
    """A smooth random number along a line, from -1 to 1.

    Args:
        q: float32 (n,), in cells.
        salt: Which of the many lines.

    Returns:
        float32 (n,).
    """
    cell = np.floor(q)
    first = cell.astype(np.int32)
    low, high = (
        random.signed((at & (PERIOD - 1)).astype(np.uint32), salt) for at in (first, first + 1)
    )
    w = _fade(q - cell)
    return np.asarray(low * (1 - w) + high * w, np.float32)


def _fade(q: Floats) -> Floats:
    return np.asarray(q * q * q * (q * (q * 6 - 15) + 10), np.float32)
