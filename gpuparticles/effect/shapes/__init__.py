"""Where particles are born, and how far their directions spread.

Each shape has a kernel ``glsl/shapes/<kind>.glsl``; its `sample` does the same arithmetic with
the same random numbers in the same order. Places are in the emitter's space, whose +Y is the axis
of launch, and uniform over the shape's volume or area.
"""

from __future__ import annotations

from gpuparticles.effect.shapes.base import Places, Shape, shape
from gpuparticles.effect.shapes.solids import Box, Circle, Cone, Point, Sphere

__all__ = ["Box", "Circle", "Cone", "Places", "Point", "Shape", "Sphere", "shape"]
