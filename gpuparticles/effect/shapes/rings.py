"""Directions round an axis; the twins of ``glsl/lib/space.glsl`` and ``glsl/lib/arc.glsl``."""

from __future__ import annotations

import numpy as np

from gpuparticles.effect.shapes.base import TAU
from gpuparticles.effect.values import Floats

__all__ = ["basis_around", "circle", "perpendicular", "ring_radius", "unit"]


def unit(vectors: Floats) -> Floats:
    """Vectors (n, 3) of length 1; those that have no direction are zero."""
    squared = np.sum(vectors * vectors, axis=1, keepdims=True)
    length = np.sqrt(np.where(squared > 1e-30, squared, 1))
    return np.asarray(np.where(squared > 1e-30, vectors / length, 0), np.float32)


def circle(phi: Floats) -> Floats:
    """Unit vectors (n, 3) in the XZ plane, from +X towards +Z."""
    return np.stack([np.cos(phi), np.zeros_like(phi), np.sin(phi)], axis=1)


def basis_around(axes: Floats) -> tuple[Floats, Floats]:
    """Two unit vectors that complete others (n, 3) to right-handed bases, those being second.

    Without a branch: Duff et al., "Building an Orthonormal Basis, Revisited", JCGT 6(1), 2017.
    """
    x, y, z = axes.T
    s = np.where(y >= 0, np.float32(1), np.float32(-1))
    a = -1 / (s + y)
    b = x * z * a
    u = np.stack([1 + s * x * x * a, -s * x, s * b], axis=1)
    w = np.stack([b, -z, s + z * z * a], axis=1)
    return u, w


def perpendicular(axes: Floats, share: Floats) -> Floats:
    """Any unit vectors (n, 3) perpendicular to axes of any length."""
    u, w = basis_around(unit(axes))
    phi = TAU * share
    found: Floats = np.cos(phi)[:, None] * u + np.sin(phi)[:, None] * w
    return found


def ring_radius(a: float, b: float, share: Floats) -> Floats:
    """Radii between two, all parts of the ring between them as likely."""
    outer = np.float32(max(a, b))
    inner = np.float32(min(a, b)) / outer if outer > 0 else np.float32(0)
    radii: Floats = outer * np.sqrt(inner * inner + (1 - inner * inner) * share)
    return radii
