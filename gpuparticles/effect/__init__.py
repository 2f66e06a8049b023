"""What an effect is: frozen, checked descriptions and their JSON documents.

Nothing here knows OpenGL or the time.
"""

from __future__ import annotations

from gpuparticles.effect.arrays import Array, Rows
from gpuparticles.effect.description import Takes, default, description
from gpuparticles.effect.document import examine, load, parse, save, schema
from gpuparticles.effect.effect import Burst, Effect, Emitter, Pulse
from gpuparticles.effect.kinds import DIRECTION, POINT, KernelField, Kind, fields_of, kinds
from gpuparticles.effect.modifiers import (
    Acceleration,
    CollidePlane,
    Collision,
    Constraint,
    Contact,
    Drag,
    Force,
    KillBox,
    KillPlane,
    KillSphere,
    Limit,
    Modifier,
    Motion,
    Particles,
    Radial,
    Resistance,
    Scaled,
    Vortex,
    Wrap,
    modifier,
)
from gpuparticles.effect.offset import Offset
from gpuparticles.effect.parameters import Parameter
from gpuparticles.effect.random import Random
from gpuparticles.effect.rules import Number, Rule, Table
from gpuparticles.effect.shapes import Box, Circle, Cone, Places, Point, Shape, Sphere, shape
from gpuparticles.effect.sprite import Flipbook, Sprite
from gpuparticles.effect.values import (
    RGBA,
    Color,
    ColorOverLife,
    Curve,
    Direction,
    Gradient,
    OverLife,
    Range,
    Scalar,
    Vec3,
    Vector,
    rgba,
    span,
)

__all__ = [
    "DIRECTION",
    "POINT",
    "RGBA",
    "Acceleration",
    "Array",
    "Box",
    "Burst",
    "Circle",
    "CollidePlane",
    "Collision",
    "Color",
    "ColorOverLife",
    "Cone",
    "Constraint",
    "Contact",
    "Curve",
    "Direction",
    "Drag",
    "Effect",
    "Emitter",
    "Flipbook",
    "Force",
    "Gradient",
    "KernelField",
    "KillBox",
    "KillPlane",
    "KillSphere",
    "Kind",
    "Limit",
    "Modifier",
    "Motion",
    "Number",
    "Offset",
    "OverLife",
    "Parameter",
    "Particles",
    "Places",
    "Point",
    "Pulse",
    "Radial",
    "Random",
    "Range",
    "Resistance",
    "Rows",
    "Rule",
    "Scalar",
    "Scaled",
    "Shape",
    "Sphere",
    "Sprite",
    "Table",
    "Takes",
    "Vec3",
    "Vector",
    "Vortex",
    "Wrap",
    "default",
    "description",
    "examine",
    "fields_of",
    "kinds",
    "load",
    "modifier",
    "parse",
    "rgba",
    "save",
    "schema",
    "shape",
    "span",
]
