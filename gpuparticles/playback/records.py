"""What reading an emitter's particles gives, from the GPU and from the NumPy reference alike."""

from __future__ import annotations

import numpy as np

__all__ = ["RECORD"]

RECORD = np.dtype(
    [
        ("number", "i8"),
        ("position", "f8", 3),
        ("velocity", "f4", 3),
        ("age", "f4"),
        ("lifetime", "f4"),
        ("rotation", "f4"),
        ("size", "f4"),
        ("color", "f4", 4),
    ]
)
"""What reading an emitter gives, here and from the GPU: a record a living particle."""
