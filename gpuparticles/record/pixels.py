"""Pictures as arrays of pixels, and how drawn light becomes one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]


def finish(drawn: NDArray[np.floating], samples: int = 1, *, transparent: bool) -> Pixels:
    """Turn what was drawn into a picture.

    Each sample is clamped to 0..1, then a pixel is the mean of its samples. On a transparent
    background colours are un-premultiplied with ``alpha = max(a, r, g, b)``, so that light added
    without covering anything (alpha 0) is still there in the picture.

    Args:
        drawn: Premultiplied red, green, blue and alpha, (height * samples, width * samples, 4).
        samples: Samples across a pixel each way.
        transparent: Whether alpha is kept.

    Returns:
        uint8 (height, width, 4) with straight alpha if transparent, else (height, width, 3).
    """
    light = (drawn if transparent else drawn[..., :3]).astype(np.float32)
    # Light beyond what half floats hold is infinite, and not a number once something covers it.
    light = np.fmax(np.fmin(light, 1, out=light), 0, out=light)
    light = np.add.reduce([light[k::samples] for k in range(samples)])
    light = np.add.reduce([light[:, k::samples] for k in range(samples)]) / samples**2
    if transparent:
        alpha = light.max(axis=-1, keepdims=True)
        light[..., :3] /= np.where(alpha > 0, alpha, 1)
        light[..., 3:] = alpha
    picture: Pixels = (light * 255 + 0.5).astype(np.uint8)
    return picture
