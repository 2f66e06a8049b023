"""What reading an emitter's particles gives, from the GPU and from the NumPy reference alike."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpuparticles.effect.effect import Emitter
from gpuparticles.effect.values import Floats

__all__ = ["RECORD", "set_look"]

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
        ("width", "f4"),
        ("height", "f4"),
    ]
)
"""What reading an emitter gives, here and from the GPU: a record a living particle."""


def set_look(
    records: NDArray[np.void], emitter: Emitter, life: Floats, extent: Floats, color: Floats
) -> None:
    """Fill in how large particles are drawn, and in which colour: the sprite pass in NumPy.

    Args:
        records: Of dtype RECORD, with their velocities.
        emitter: Gives the curves of the look.
        life: float32 (n,), how much of the life has passed.
        extent: (n, 2), width and height at birth.
        color: (n, 4), the colour at birth.
    """
    motion = emitter.speed_over_life.sample(life)[:, None] * records["velocity"]
    low, high = map(np.float32, emitter.speed_range)
    above = np.linalg.norm(motion, axis=1) - low
    pace = np.clip(above / np.maximum(high - low, np.float32(1e-30)), 0, 1).astype(np.float32)
    size = emitter.size_over_life.sample(life) * emitter.size_by_speed.sample(pace)
    records["width"] = extent[:, 0] * size * emitter.width_over_life.sample(life)
    records["height"] = extent[:, 1] * size * emitter.height_over_life.sample(life)
    records["size"] = np.maximum(records["width"], records["height"])
    records["color"] = color * emitter.color_over_life.sample(life)
    records["color"] *= emitter.color_by_speed.sample(pace)
    if emitter.fade_in:
        records["color"][:, 3] *= np.minimum(life / np.float32(emitter.fade_in), 1)
    if emitter.fade_out:
        records["color"][:, 3] *= np.minimum((1 - life) / np.float32(emitter.fade_out), 1)
