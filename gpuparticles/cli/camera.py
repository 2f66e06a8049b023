"""The camera that the options of ``render`` ask for."""

from __future__ import annotations

from math import dist
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpuparticles.cli.options import Place
    from gpuparticles.record import Camera, Framing
    from gpuparticles.record.framing import Vector


def camera(
    eye: Place | None,
    target: Place | None,
    fov: float | None,
    ortho: float | None,
) -> Framing | None:
    """The camera that the options ask for; what they leave open is fitted to the effect."""
    if eye is None and target is None and fov is None and ortho is None:
        return None

    def frame(lower: Vector, upper: Vector, aspect: float) -> Camera:
        import numpy as np

        from gpuparticles.draw.camera import fit, look_at, orthographic, perspective

        if eye is None and ortho is None:
            return fit(lower, upper, aspect, fov_y=fov, elevation=5)
        middle = (lower + upper) / 2 if target is None else np.array(target)
        start = middle + np.array((0, 0, 1)) if eye is None else np.array(eye)
        view = look_at(start, middle)
        distance = dist(start, middle)
        if ortho is None:
            far = min(distance * 1000, 1e30)
            return view, perspective(fov or 40, aspect, distance / 100, far)
        up, across, deep = ortho / 2, ortho / 2 * aspect, min(1000 * ortho + distance, 1e30)
        return view, orthographic(-across, across, -up, up, -deep, deep)

    return frame
