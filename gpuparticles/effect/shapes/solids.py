"""Solids in whose volume or on whose surface particles are born."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated, Literal, Self, get_args

import numpy as np

from gpuparticles.effect.description import Takes, default
from gpuparticles.effect.kinds import KernelField, fields_of
from gpuparticles.effect.mistakes import Mistake, show
from gpuparticles.effect.random import Random
from gpuparticles.effect.rules import Choice, Components, Number
from gpuparticles.effect.shapes.base import TAU, Arced, Places, Shape, shape
from gpuparticles.effect.shapes.rings import circle, ring_radius, unit
from gpuparticles.effect.values import Floats, Vec3Like

__all__ = ["Box", "Cone", "Cylinder", "Sphere", "Torus"]

_BoxFill = Literal["volume", "surface", "edges"]
_ConeFill = Literal["disc", "volume", "surface"]
_RADIUS = Number("a radius", least=0)
_THICKNESS = Number("a thickness", least=0, most=1)


@shape
class Box(Shape):
    """A box round the origin: uniform through it, over its faces or along its edges.

    ``half * (2 u - 1)`` in each component. Of a place on the surface one component, on an edge two
    go to the side; which ones is drawn by the area of the faces, or the length of the edges. The
    normal is that of the nearest face.

    Args:
        half: Half the length of the box along X, Y and Z in world units, each 0 or more.
        fill: ``"volume"``, ``"surface"`` or ``"edges"``.
    """

    half: Takes[
        Vec3Like,
        Annotated[
            tuple[float, float, float],
            Components("a half extent", Number("a half extent", least=0)),
        ],
    ] = default((0.5, 0.5, 0.5))
    fill: Annotated[_BoxFill, Choice(get_args(_BoxFill))] = "volume"

    def sample(self, random: Random) -> Places:
        """Draws X, then Y, then Z, then the face or the edge."""
        half = np.array(self.half, np.float32)
        at = 2 * np.stack([random.next(), random.next(), random.next()], axis=1) - 1
        share = random.next()
        side = np.where(at < 0, np.float32(-1), np.float32(1))
        x, y, z = half
        weight = half if self.fill == "edges" else np.array([y * z, x * z, x * y])
        picked = share * (weight[0] + weight[1] + weight[2])
        axis = np.where(picked < weight[0], 0, np.where(picked < weight[0] + weight[1], 1, 2))
        if self.fill == "volume":
            axis = np.argmin(half * (1 - np.abs(at)), axis=1)  # of equal ones the first
        out = np.eye(3, dtype=np.float32)[axis]
        if self.fill == "edges":
            out = 1 - out
        if self.fill != "volume":
            at = np.where(out > 0, side, at)
        return Places(np.asarray(half * at, np.float32), unit(out * side))


@shape
class Sphere(Arced):
    """A ball round the origin, or a shell of it: uniform through its volume.

    ``z = 2 u - 1`` (of a half ``u``), ``phi = arc * u``,
    ``r = radius * (k + (1 - k) u) ^ (1/3)`` with ``k = (1 - thickness)^3``; ``z`` runs along Y, and
    ``phi`` round it.

    Args:
        radius: World units, 0 or more.
        thickness: Of the shell that is filled, as a fraction of the radius: 1 is the whole ball, 0
            its surface.
        half: Only the upper half, towards +Y.
    """

    radius: Annotated[float, _RADIUS] = 1.0
    thickness: Annotated[float, _THICKNESS] = 1.0
    half: bool = False

    def sample(self, random: Random) -> Places:
        """Draws the height, then the angle, then the radius."""
        z = random.next()
        z = z if self.half else 2 * z - 1
        phi = self.turned(random)
        inner = np.float32(1 - np.float32(self.thickness)) ** 3
        r = np.float32(self.radius) * np.cbrt(inner + (1 - inner) * random.next())
        ring = np.sqrt(np.maximum(1 - z * z, 0))
        normal = np.stack([ring * np.cos(phi), z, ring * np.sin(phi)], axis=1)
        return Places(np.asarray(r[:, None] * normal, np.float32), np.asarray(normal, np.float32))


@shape
class Cone(Arced):
    """A disc from which particles fan out along +Y, or the cone that stands on it.

    The places of the disc are those of a circle in the XZ plane. The cone widens by the angle up to
    its length; it is filled evenly: with ``q`` the radius of its base over that of its other end,
    the cube (of the mantle the square) of the radius is uniform between ``q^3`` and 1. The angle
    adds to the emitter's spread. Normals fan out with the disc and the volume, and are
    perpendicular to the mantle.

    Args:
        radius: Of the disc, in world units, 0 or more.
        angle: Half-angle of the cone in degrees, 0 to 180; of a cone with a length below 90.
        length: Of the cone along +Y in world units, 0 or more; the disc has none.
        fill: ``"disc"``, ``"volume"`` or ``"surface"``, the mantle.
    """

    radius: Annotated[float, _RADIUS] = 0.0
    angle: Annotated[float, Number("an angle", "degrees", least=0, most=180)] = 30.0
    length: Annotated[float, Number("a length", least=0)] = 0.0
    fill: Annotated[_ConeFill, Choice(get_args(_ConeFill))] = "disc"

    @property
    def spread(self) -> float:
        """The angle."""
        return self.angle

    @property
    def end_radius(self) -> float:
        """How wide the cone is at its far end, in world units."""
        if self.fill == "disc":
            return self.radius
        return self.radius + self.length * math.tan(math.radians(self.angle))

    @classmethod
    def example(cls) -> Self:
        """With a disc that can be seen."""
        return cls(radius=0.5)

    def mistakes(self) -> Iterator[Mistake]:
        """A cone that widens without end."""
        if self.fill != "disc" and self.angle > 89:
            given = f"{show(self.angle)} is too wide for a cone with a length"
            yield Mistake(("angle",), f"{given}; its angle is 0 to 89 degrees")

    def sample(self, random: Random) -> Places:
        """Draws the radius, then the angle round the axis, then the height."""
        s = np.sqrt(random.next())
        phi = self.turned(random)
        share = random.next()
        around, up = circle(phi), np.array([0, 1, 0], np.float32)
        a = np.float32(np.radians(np.float32(self.angle)))
        normal = np.sin(a * s)[:, None] * around + np.cos(a * s)[:, None] * up
        if self.fill == "disc":
            position = np.float32(self.radius) * s[:, None] * around
            return Places(np.asarray(position, np.float32), np.asarray(normal, np.float32))
        end = np.float32(self.end_radius)
        q = np.float32(self.radius) / end if end > 0 else np.float32(1)
        if self.fill == "surface":
            normal = np.cos(a) * around - np.sin(a) * up
            p = np.sqrt(q * q + (1 - q * q) * share)
            height = share * (1 + q) / np.maximum(p + q, np.float32(1e-30))
            s = np.ones_like(s)
        else:
            p = np.cbrt(q * q * q + (1 - q * q * q) * share)
            height = share * (1 + q + q * q) / np.maximum(p * p + p * q + q * q, np.float32(1e-30))
        position = (end * p * s)[:, None] * around
        position += (np.float32(self.length) * height)[:, None] * up
        return Places(np.asarray(position, np.float32), np.asarray(normal, np.float32))


Cone.kernel_fields = (
    *fields_of(Cone),
    KernelField("end_radius", "float", None, _RADIUS),
)


@shape
class Cylinder(Arced):
    """A tube round the Y axis, the origin in its middle: uniform through its volume.

    ``r^2`` is uniform between the squares of both radii, ``phi = arc * u``,
    ``y = height * (u - 1/2)``. Normals point away from the axis.

    Args:
        radius: World units, 0 or more.
        height: Along Y, in world units, 0 or more.
        inner: Radius of what is left out within, in world units; as large as `radius`, only the
            mantle is left.
    """

    radius: Annotated[float, _RADIUS] = 0.5
    height: Annotated[float, Number("a height", least=0)] = 1.0
    inner: Annotated[float, _RADIUS] = 0.0

    def sample(self, random: Random) -> Places:
        """Draws the radius, then the angle, then the height."""
        r = ring_radius(self.radius, self.inner, random.next())
        normal = circle(self.turned(random))
        position = r[:, None] * normal
        position[:, 1] = np.float32(self.height) * (random.next() - np.float32(0.5))
        return Places(position, normal)


@shape
class Torus(Arced):
    """A tube that is bent round the Y axis: uniform through it, or over a shell of it.

    ``phi = arc * u`` round the axis; in the tube ``(r / tube)^2`` is uniform between
    ``(1 - thickness)^2`` and 1, and ``theta`` has the density ``1 + r / radius * cos(theta)``,
    since the outer side is longer: it is drawn evenly and then mirrored, to ``pi - theta``, with
    the probability ``(1 - r / radius * cos(theta)) / 2``. Normals point away from the middle of
    the tube.

    Args:
        radius: From the axis to the middle of the tube, in world units, 0 or more.
        tube: Radius of the tube, in world units; at most `radius`.
        thickness: Of the shell that is filled, as a fraction of the tube's radius: 1 is the whole
            tube, 0 its surface.
    """

    radius: Annotated[float, _RADIUS] = 1.0
    tube: Annotated[float, _RADIUS] = 0.25
    thickness: Annotated[float, _THICKNESS] = 1.0

    def mistakes(self) -> Iterator[Mistake]:
        """A tube that runs into itself."""
        if self.tube > self.radius:
            given = f"{show(self.tube)} is more than the radius {show(self.radius)}"
            yield Mistake(("tube",), f"{given}; a tube may not run into itself")

    def sample(self, random: Random) -> Places:
        """Draws the angle round the axis, the radius in the tube, and twice for its angle."""
        around = circle(self.turned(random))
        inner = float(1 - np.float32(self.thickness))
        r = np.float32(self.tube) * ring_radius(1.0, inner, random.next())
        theta = TAU * random.next()
        keep = random.next()
        c = np.cos(theta)
        radius = np.float32(self.radius)
        longer = r / radius * c if radius > 0 else np.zeros_like(c)
        c = np.where(2 * keep > 1 + longer, -c, c)
        normal: Floats = c[:, None] * around
        normal[:, 1] = np.sin(theta)
        position = radius * around + r[:, None] * normal
        return Places(np.asarray(position, np.float32), normal)
