"""What acts on particles while they live.

Each modifier has a kernel ``glsl/modifiers/<kind>.glsl`` and a twin of it in NumPy beside its
description. A kernel says what the modifier does at one place and moment: a force gives an
acceleration, a resistance a rate of decay, a flow where velocity is drawn to, a motion a
displacement, a limit the velocity that is left. The step that integrates them is the same for all.
A constraint sees the way that a particle has gone in the step, and puts right where it is.

The first field of a kernel is the modifier's strength. Before the kernel sees it, it becomes, for
each particle, ``strength * (1 + variation * r) * over_life(age / lifetime)`` with r drawn once
from [-1, 1), and its sign turns where `handedness` says so.
"""

from __future__ import annotations

from gpuparticles.effect.modifiers.base import (
    Constraint,
    Contact,
    Flow,
    Force,
    Limit,
    Modifier,
    Motion,
    Particles,
    Pull,
    Resistance,
    Scaled,
    modifier,
)
from gpuparticles.effect.modifiers.forces import (
    Acceleration,
    Attractor,
    ConformToSphere,
    Drag,
    Radial,
    Vortex,
)

# isort: split
# Lists of kinds keep the order of registration: the plain ones come first.
from gpuparticles.effect.modifiers.fields import Turbulence, VectorField, Wind
from gpuparticles.effect.modifiers.motions import Orbit, SpeedLimit, VelocityLimit, VelocityOverLife

# isort: split
from gpuparticles.effect.modifiers.collisions import (
    CollideBox,
    CollidePlane,
    CollideSphere,
    Collision,
)
from gpuparticles.effect.modifiers.distances import CollideField
from gpuparticles.effect.modifiers.ground import CollideHeight

# isort: split
from gpuparticles.effect.modifiers.depths import CollideDepth, Depths
from gpuparticles.effect.modifiers.volumes import KillBox, KillPlane, KillSphere, Wrap

__all__ = [
    "Acceleration",
    "Attractor",
    "CollideBox",
    "CollideDepth",
    "CollideField",
    "CollideHeight",
    "CollidePlane",
    "CollideSphere",
    "Collision",
    "ConformToSphere",
    "Constraint",
    "Contact",
    "Depths",
    "Drag",
    "Flow",
    "Force",
    "KillBox",
    "KillPlane",
    "KillSphere",
    "Limit",
    "Modifier",
    "Motion",
    "Orbit",
    "Particles",
    "Pull",
    "Radial",
    "Resistance",
    "Scaled",
    "SpeedLimit",
    "Turbulence",
    "VectorField",
    "VelocityLimit",
    "VelocityOverLife",
    "Vortex",
    "Wind",
    "Wrap",
    "modifier",
]
