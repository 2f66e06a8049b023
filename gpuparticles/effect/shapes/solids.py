"""Places, areas and volumes in which particles are born."""

from __future__ import annotations

from typing import Annotated, Self

import numpy as np

from gpuparticles.effect.description import Takes, default
from gpuparticles.effect.kinds import DIRECTION
from gpuparticles.effect.random import Random
from gpuparticles.effect.rules import Components, Number
from gpuparticles.effect.shapes.base import Places, Shape, shape
from gpuparticles.effect.values import Direction, Floats, Vec3Like

__all__ = ["Box", "Circle", "Cone", "Point", "Sphere"]

_TAU = np.float32(2 * np.pi)


@shape
class Point(Shape):
    """All particles at the emitter's origin."""

    def sample(self, random: Random) -> Places:
        """Zeros."""
        return Places(np.zeros((len(random.seeds), 3), np.float32))


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

    def sample(self, random: Random) -> Places:
        """Draws the radius, then the angle."""
        r = np.float32(self.radius) * np.sqrt(random.next())
        phi = _TAU * random.next()
        _, normal = self.values()
        u, w = _basis_around(np.array(normal, np.float32))
        around: Floats = np.cos(phi)[:, None] * u + np.sin(phi)[:, None] * w
        return Places(r[:, None] * around)


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

    def sample(self, random: Random) -> Places:
        """Draws X, then Y, then Z."""
        u = np.stack([random.next(), random.next(), random.next()], axis=1)
        return Places(np.asarray(np.array(self.half, np.float32) * (2 * u - 1), np.float32))


@shape
class Sphere(Shape):
    """A ball round the origin, uniform over its volume.

    ``z = 2 u - 1``, ``phi = 2 pi u``, ``r = radius * u ^ (1/3)``; ``z`` runs along Y.

    Args:
        radius: World units, 0 or more.
    """

    radius: Annotated[float, Number("a radius", least=0)] = 1.0

    def sample(self, random: Random) -> Places:
        """Draws the height, then the angle, then the radius."""
        z = 2 * random.next() - 1
        phi = _TAU * random.next()
        r = np.float32(self.radius) * np.cbrt(random.next())
        ring = np.sqrt(np.maximum(1 - z * z, 0))
        unit = np.stack([ring * np.cos(phi), z, ring * np.sin(phi)], axis=1)
        return Places(np.asarray(r[:, None] * unit, np.float32))


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

    @classmethod
    def example(cls) -> Self:
        """With a disc that can be seen."""
        return cls(radius=0.5)

    def sample(self, random: Random) -> Places:
        """Draws the radius, then the angle round the axis."""
        r = np.float32(self.radius) * np.sqrt(random.next())
        phi = _TAU * random.next()
        return Places(np.stack([r * np.cos(phi), np.zeros_like(r), r * np.sin(phi)], axis=1))


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
