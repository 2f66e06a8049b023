"""A point, and circles and lines on which particles are born."""

from __future__ import annotations

from typing import Annotated, Self

import numpy as np

from gpuparticles.effect.arrays import Array, ArrayLike, Rows
from gpuparticles.effect.description import Takes, default
from gpuparticles.effect.kinds import DIRECTION, POINT, KernelField
from gpuparticles.effect.random import Random
from gpuparticles.effect.rules import Number, Table
from gpuparticles.effect.shapes.base import Arced, Places, Shape, shape
from gpuparticles.effect.shapes.rings import basis_around, perpendicular, ring_radius
from gpuparticles.effect.shapes.tables import find, starts, table
from gpuparticles.effect.values import Direction, Floats, Vec3

__all__ = ["Circle", "Line", "Point", "Polyline"]


@shape
class Point(Shape):
    """All particles at the emitter's origin."""

    def sample(self, random: Random) -> Places:
        """Zeros."""
        return Places(np.zeros((len(random.seeds), 3), np.float32))


@shape
class Circle(Arced):
    """A disc round the origin, or a ring: uniform over its area.

    ``r^2`` is uniform between the squares of both radii, ``phi = arc * u``; the place is ``r`` at
    ``phi`` in the plane perpendicular to ``normal``. Normals point away from the origin.

    Args:
        radius: World units, 0 or more.
        normal: The direction that the disc faces; its length does not matter.
        inner: Radius of what is left out within, in world units; as large as `radius`, only the
            circle itself is left.
    """

    radius: Annotated[float, Number("a radius", least=0)] = 1.0
    normal: Annotated[Direction, DIRECTION] = default((0.0, 1.0, 0.0))
    inner: Annotated[float, Number("a radius", least=0)] = 0.0

    def sample(self, random: Random) -> Places:
        """Draws the radius, then the angle."""
        r = ring_radius(self.radius, self.inner, random.next())
        phi = self.turned(random)
        u, w = basis_around(np.array([self.values()[1]], np.float32))
        around: Floats = np.cos(phi)[:, None] * u
        around = np.asarray(around + np.sin(phi)[:, None] * w, np.float32)
        return Places(r[:, None] * around, around)


@shape
class Line(Shape):
    """The line between two points, uniform over its length.

    ``start + (end - start) * u``. Normals are perpendicular to it, and point to all sides.

    Args:
        start: One end, in world units.
        end: The other.
    """

    start: Annotated[Vec3, POINT] = default((-0.5, 0.0, 0.0))
    end: Annotated[Vec3, POINT] = default((0.5, 0.0, 0.0))

    def sample(self, random: Random) -> Places:
        """Draws the place, then the way that the normal points."""
        start, end = np.array(self.start, np.float32), np.array(self.end, np.float32)
        position = start + (end - start) * random.next()[:, None]
        return Places(position, perpendicular((end - start)[None], random.next()))


@shape
class Polyline(Shape):
    """Lines that join points, uniform over their length.

    Normals are perpendicular to the line, and point to all sides.

    Args:
        points: float32 (n, 3) in world units, 2 or more.
        closed: The last point is joined with the first.
    """

    points: Takes[ArrayLike, Annotated[Array, Rows("points", 3, least=2)]]
    closed: bool = False

    @property
    def path(self) -> Floats:
        """Each point, and the share of the whole length at which it is reached."""
        points = self.points.data.astype(np.float64)
        points = np.concatenate([points, points[:1]]) if self.closed else points
        lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
        return table(points, np.append(starts(lengths), np.float32(1)))

    @classmethod
    def example(cls) -> Self:
        """A bolt."""
        return cls([(-0.6, 1, 0), (0.1, 0.1, 0), (-0.2, 0, 0), (0.6, -1, 0)])

    def sample(self, random: Random) -> Places:
        """Draws the place, then the way that the normal points."""
        path, share = self.path, random.next()
        row = find(path[:-1, 3], share)
        a, b = path[row], path[row + 1]
        along = (share - a[:, 3]) / (b[:, 3] - a[:, 3])
        line = b[:, :3] - a[:, :3]
        return Places(a[:, :3] + line * along[:, None], perpendicular(line, random.next()))

    kernel_fields = (KernelField("path", "vec2", None, Table()),)
