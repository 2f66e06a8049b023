"""Where particles are born, and how far their directions spread.

Each shape has a kernel ``glsl/shapes/<kind>.glsl``; its `sample` does the same arithmetic with
the same random numbers in the same order. Places are in the emitter's space, whose +Y is the axis
of launch, and uniform over the shape's volume or area.
"""

from __future__ import annotations

from gpuparticles.effect.shapes.base import Arced, Moments, Places, Shape, shape
from gpuparticles.effect.shapes.curves import Circle, Line, Point, Polyline
from gpuparticles.effect.shapes.mesh import Mesh
from gpuparticles.effect.shapes.sampled import Grid, Image, Points
from gpuparticles.effect.shapes.solids import Box, Cone, Cylinder, Sphere, Torus

__all__ = [
    "Arced",
    "Box",
    "Circle",
    "Cone",
    "Cylinder",
    "Grid",
    "Image",
    "Line",
    "Mesh",
    "Moments",
    "Places",
    "Point",
    "Points",
    "Polyline",
    "Shape",
    "Sphere",
    "Torus",
    "shape",
]
