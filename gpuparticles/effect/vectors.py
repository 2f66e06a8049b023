"""Vectors as the twins of kernels need them: see ``glsl/lib/space.glsl``."""

from __future__ import annotations

import numpy as np

from gpuparticles.effect.values import Floats

__all__ = ["dot", "length", "unit"]


def unit(vectors: Floats) -> Floats:
    """The direction of each vector, and zero where it has none; (n, 3)."""
    with np.errstate(over="ignore"):  # infinitely long becomes zero, as in the shader
        squared = np.sum(vectors * vectors, axis=1, keepdims=True)
    directed = squared > 1e-30
    return vectors * np.where(directed, 1 / np.sqrt(np.where(directed, squared, 1)), 0)


def length(vectors: Floats) -> Floats:
    """The length of each vector, (n, 3) to (n,); infinite where its square is."""
    with np.errstate(over="ignore"):
        found: Floats = np.linalg.norm(vectors, axis=1)
    return found


def dot(a: Floats, b: Floats) -> Floats:
    """The product of each two vectors, (n, 1)."""
    product: Floats = np.sum(a * b, axis=1, keepdims=True)
    return product
