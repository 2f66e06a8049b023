"""Pictures and films of an effect, rendered offscreen and written to files.

Frames are rendered on a fixed clock into a half-float target: colours add up beyond 1 and are
clamped only at the end, and nothing faint is lost in between. `frames` gives them as arrays,
`write` puts arrays into a PNG, a numbered PNG sequence, an animated GIF or an animated WebP, and
`render` does both. Files appear whole or not at all.
"""

from gpuparticles.record.destinations import Destination, destination
from gpuparticles.record.framing import Camera, Framing, bounds, measure_bounds
from gpuparticles.record.pixels import finish
from gpuparticles.record.rendering import Summary, frames, render
from gpuparticles.record.sheets import sheet
from gpuparticles.record.writing import Progress, write

__all__ = [
    "Camera",
    "Destination",
    "Framing",
    "Progress",
    "Summary",
    "bounds",
    "destination",
    "finish",
    "frames",
    "measure_bounds",
    "render",
    "sheet",
    "write",
]
