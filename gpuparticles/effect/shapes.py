"""Where particles are born, and how far their directions spread.

Each shape has a kernel ``glsl/shapes/<kind>.glsl``; its `sample` does the same arithmetic with
the same random numbers in the same order. Places are in the emitter's space, whose +Y is the axis
of launch, and uniform over the shape's volume or area.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, TypeVar, dataclass_transform

import numpy as np

from gpuparticles.effect.description import Takes, default, description
from gpuparticles.effect.kinds import DIRECTION, Kind, register
from gpuparticles.effect.random import Random
from gpuparticles.effect.rules import Components, Number
from gpuparticles.effect.values import Direction, Floats, Vec3Like

__all__ = ["Box", "Circle", "Cone", "Point", "Shape", "Sphere", "shape"]

S = TypeVar("S", bound="Shape")

_TAU = np.float32(2 * np.pi)


@description
class Shape(Kind):
    """Where particles are born. Make a kind of a subclass with `shape`."""

    family: ClassVar[str] = "shape"

    @property
    def spread(self) -> float:
        """Half-angle in degrees that the shape adds to the emitter's spread."""
        return 0.0

    def sample(self, random: Random) -> Floats:
        """Places of birth, by the kernel's arithmetic.

        Args:
            random: The particles' random numbers; each `next` is one draw of the kernel.

        Returns:
            float32 (n, 3), in the emitter's space.
        """
        raise NotImplementedError


@dataclass_transform(frozen_default=True)
def shape(cls: type[S]) -> type[S]:
    """Register a class of shapes: see ``docs/contributing.md``, 'add a shape'."""
    return register(Shape, cls)


@shape
class Point(Shape):
    """All particles at the emitter's origin."""

    def sample(self, random: Random) -> Floats:
        """Zeros."""
        return np.zeros((len(random.seeds), 3), np.float32)


@shape
class Circle(Shape):
    """A disc round the origin, uniform over its area.

    ``r = radius * sqrt(u)``, ``phi = 2 pi u``; the place is ``r`` at ``phi`` in the plane
    perpendicular to ``normal``.

    Args:
        radius: World units, 0 or more.
        normal: The direction that the disc faces; its length does not matter.
    """

    radius: Annotated[float, Number("a radius", least=0)] = 1.0
    normal: Annotated[Direction, DIRECTION] = default((0.0, 1.0, 0.0))

    def sample(self, random: Random) -> Floats:
        """Draws the radius, then the angle."""
        r = np.float32(self.radius) * np.sqrt(random.next())
        phi = _TAU * random.next()
        _, normal = self.values()
        u, w = _basis_around(np.array(normal, np.float32))
        around: Floats = np.cos(phi)[:, None] * u + np.sin(phi)[:, None] * w
        return r[:, None] * around


@shape
class Box(Shape):
    """A box round the origin, uniform over its volume.

    ``half * (2 u - 1)`` in each component.

    Args:
        half: Half the length of the box along X, Y and Z in world units, each 0 or more.
    """

    half: Takes[
        Vec3Like,
        Annotated[
            tuple[float, float, float],
            Components("a half extent", Number("a half extent", least=0)),
        ],
    ] = default((0.5, 0.5, 0.5))

    def sample(self, random: Random) -> Floats:
        """Draws X, then Y, then Z."""
        u = np.stack([random.next(), random.next(), random.next()], axis=1)
        return np.asarray(np.array(self.half, np.float32) * (2 * u - 1), np.float32)


@shape
class Sphere(Shape):
    """A ball round the origin, uniform over its volume.

    ``z = 2 u - 1``, ``phi = 2 pi u``, ``r = radius * u ^ (1/3)``; ``z`` runs along Y.

    Args:
        radius: World units, 0 or more.
    """

    radius: Annotated[float, Number("a radius", least=0)] = 1.0

    def sample(self, random: Random) -> Floats:
        """Draws the height, then the angle, then the radius."""
        z = 2 * random.next() - 1
        phi = _TAU * random.next()
        r = np.float32(self.radius) * np.cbrt(random.next())
        ring = np.sqrt(np.maximum(1 - z * z, 0))
        unit = np.stack([ring * np.cos(phi), z, ring * np.sin(phi)], axis=1)
        return np.asarray(r[:, None] * unit, np.float32)


@shape
class Cone(Shape):
    """A disc from which particles fan out into a cone along the emitter's +Y.

    Places are those of a circle in the XZ plane; the angle adds to the emitter's spread.

    Args:
        radius: Of the disc, in world units, 0 or more.
        angle: Half-angle of the cone in degrees, 0 to 180.
    """

    radius: Annotated[float, Number("a radius", least=0)] = 0.0
    angle: Annotated[float, Number("an angle", "degrees", least=0, most=180)] = 30.0

    @property
    def spread(self) -> float:
        """The angle."""
        return self.angle

    def sample(self, random: Random) -> Floats:
        """Draws the radius, then the angle round the axis."""
        r = np.float32(self.radius) * np.sqrt(random.next())
        phi = _TAU * random.next()
        return np.stack([r * np.cos(phi), np.zeros_like(r), r * np.sin(phi)], axis=1)


def _basis_around(normal: Floats) -> tuple[Floats, Floats]:
    """Two unit vectors that complete a third to a right-handed basis, it being the second axis.

    Without a branch: Duff et al., "Building an Orthonormal Basis, Revisited", JCGT 6(1), 2017.
    """
    x, y, z = normal
    s = np.float32(1 if y >= 0 else -1)
    a = -1 / (s + y)
    b = x * z * a
    u = np.array([1 + s * x * x * a, -s * x, s * b], np.float32)
    w = np.array([b, -z, s + z * z * a], np.float32)
    return u, w
