"""Collisions with surfaces that are given by samples of the distance to them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from gpuparticles.effect.arrays import Array, ArrayLike, Rows
from gpuparticles.effect.description import Takes, default
from gpuparticles.effect.kinds import DIRECTION, POINT
from gpuparticles.effect.modifiers.base import Contact, Particles, Space, modifier
from gpuparticles.effect.modifiers.collisions import Collision
from gpuparticles.effect.modifiers.contact import (
    Bools,
    Flight,
    Planes,
    axes_of,
    collide,
    length,
    meets,
    skin_at,
    unit,
)
from gpuparticles.effect.modifiers.sampled import (
    counts_of,
    either,
    from_axes,
    number_at,
    place_of,
    where_there,
    without_axes,
)
from gpuparticles.effect.modifiers.volumes import HalfSize, Turned, box_span, within
from gpuparticles.effect.values import Direction, Floats, Vec3, Vec3Like

__all__ = ["CollideField"]

_STEPS = 128


@dataclass(frozen=True)
class _Distances(Rows):
    """Distances on a grid of shape (z, y, x), or the path of a .npy file that holds one."""

    def rows(self, value: Any) -> Floats:
        """How many cells there are; then each sample with its neighbours along x, y and both."""
        d = value.data
        z, y, x = d.shape
        padded = np.pad(d, ((0, 0), (0, 1), (0, 1)), "edge")
        corners = [padded[:, :y, :x], padded[:, :y, 1:], padded[:, 1:, :x], padded[:, 1:, 1:]]
        count = np.array([[x - 1, y - 1, z - 1, 0]], np.float32)
        return np.concatenate([count, np.stack(corners, axis=-1).reshape(-1, 4)])


@modifier
class CollideField(Turned, Collision):
    """Bounce off the surface that samples of the distance to it describe.

    ``velocity = (1 - friction) * along - restitution * across``, parts of the velocity along the
    surface and across it, where and when the particle meets it.

    Between the samples the distance is trilinear, and the surface lies where it is 0. A particle on
    the wrong side is put back; beside the box there is nothing. The way of a step is followed as a
    straight line in steps of half a cell or of the distance, 128 at the most: nothing passes
    through what is thicker than half a cell at 64 cells a step.

    Args:
        distances: To the surface in units, negative where particles may not be: an array of shape
            (z, y, x), or the path of a .npy file that holds one. The outermost lie on the faces
            of the box. `of` samples a function.
        half: Half the box' widths along its axes, in units.
        center: The middle of the box, in units.
        right: Direction of its first axis.
        up: Direction of its second axis, as far as it is perpendicular to the first.
        inside: Whether particles are kept where the distance is negative, instead of out of there.
        space: Where the box lies: in the world or in the emitter's space.
    """

    distances: Takes[ArrayLike, Annotated[Array, _Distances("distances", 1, axes=3, least=2)]]
    half: HalfSize = default((1.0, 1.0, 1.0))
    center: Annotated[Vec3, POINT] = default((0.0, 0.0, 0.0))
    right: Annotated[Direction, DIRECTION] = default((1.0, 0.0, 0.0))
    up: Annotated[Direction, DIRECTION] = default((0.0, 1.0, 0.0))
    inside: bool = False
    space: Space = "world"

    @classmethod
    def of(
        cls,
        distance: Callable[[float, float, float], float],
        half: Sequence[float] = (1.0, 1.0, 1.0),
        *,
        samples: Sequence[int] = (32, 32, 32),
        center: Vec3Like = (0.0, 0.0, 0.0),
        **settings: Any,
    ) -> Self:
        """A surface whose distance is a function, which is asked here, once for each sample.

        Args:
            distance: ``distance(x, y, z)``: how far the surface is from a place in the space of the
                field, negative behind it.
            half: Half the widths of the box along x, y and z.
            samples: How many along x, y and z, 2 or more each.
            center: The middle of the box.
            settings: Other fields. Axes are not among them: x, y and z are the function's.

        Raises:
            EffectError: Distances that are no numbers, or not such settings.
        """
        counts = counts_of(cls, samples, 3)
        middle, reach = place_of(cls, center), place_of(cls, half, "half")
        xs, ys, zs = (
            c + h * np.linspace(-1, 1, count)
            for c, h, count in zip(middle, reach, counts, strict=True)
        )
        distances = [
            [[number_at(cls, distance, float(x), float(y), float(z)) for x in xs] for y in ys]
            for z in zs
        ]
        return cls(distances, half, center, **without_axes(cls, settings))

    @classmethod
    def example(cls) -> Self:
        """A boulder in the way of a fountain, from the distances to a ball."""
        return cls.of(
            lambda *place: round(math.hypot(*place) - 0.6, 1),
            (0.8, 0.8, 0.8),
            samples=(3, 3, 3),
        )

    def constrained(
        self,
        particles: Particles,
        before: Particles,
        h: Floats,
        contact: Contact,
        center: Floats,
        right: Floats,
        up: Floats,
    ) -> tuple[Floats, Floats, Contact]:
        """In steps that no surface can hide in, then by halves; at last by the nearest way out."""
        samples = self.distances.data
        cells = np.array(samples.shape[::-1], np.int64) - 1
        half = np.array(self.half, np.float32)
        spacing = np.asarray(np.maximum(2 * half, np.float32(1e-30)) / cells, np.float32)
        side = np.float32(-1 if self.inside else 1)
        axes = axes_of(right, up)
        field = _Field(samples, cells, spacing, half, center, axes, side, contact.radius)
        return collide(self, particles, before, h, contact, field.ahead, field.nearest, walls=4)


class _Field(NamedTuple):
    """Distances as particles meet them: the twin of ``lib/distances.glsl``.

    Args:
        samples: float32 (z, y, x), in units.
        cells: int (3,), how many there are along x, y and z.
        spacing: float32 (3,), units a cell.
        half: float32 (3,), in units.
        center: float32 (n, 3).
        axes: float32 (n, 3, 3).
        side: -1 where particles are kept behind the surface, else 1.
        radius: float32 (n,), how far from it each particle is kept.
    """

    samples: Floats
    cells: NDArray[np.int64]
    spacing: Floats
    half: Floats
    center: Floats
    axes: Floats
    side: np.float32
    radius: Floats

    def at(self, local: Floats) -> tuple[Floats, Floats]:
        """The distance of places in the box, (n,), and where it grows, (n, 3), in its axes."""
        cells = self.cells.astype(np.float32)
        at = np.clip(local / self.spacing + np.float32(0.5) * cells, 0, cells).astype(np.float32)
        cell = np.minimum(np.floor(at), cells - 1)
        f = at - cell
        x, y, z = cell.astype(np.int64).T
        corner = [self.samples[z + k, y + j, x + i] for k in (0, 1) for j in (0, 1) for i in (0, 1)]
        fx, fy, fz = f.T
        layer = [_mix(corner[i], corner[i + 4], fz) for i in range(4)]
        rows = [_mix(layer[0], layer[1], fx), _mix(layer[2], layer[3], fx)]
        columns = [_mix(layer[0], layer[2], fy), _mix(layer[1], layer[3], fy)]
        deeper = [corner[i + 4] - corner[i] for i in range(4)]
        deep = _mix(_mix(deeper[0], deeper[1], fx), _mix(deeper[2], deeper[3], fx), fy)
        slope = np.stack([columns[1] - columns[0], rows[1] - rows[0], deep], axis=1)
        return self.side * _mix(
            rows[0], rows[1], fy
        ) - self.radius, self.side * slope / self.spacing

    def nearest(self, place: Floats) -> Planes:
        """The planes that stand for the surface as seen from places."""
        local = within(self.axes, place - self.center)
        there = np.all(np.abs(local) <= self.half, axis=1)
        distance, slope = self.at(local)
        normal = unit(from_axes(self.axes, list(slope.T)))
        normal = np.where(np.any(normal, axis=1)[:, None], normal, self.axes[:, 1])
        return where_there(
            there, Planes(place - normal * distance[:, None], normal), place, self.axes[:, 1]
        )

    def ahead(self, flight: Flight) -> tuple[Bools, Planes]:
        """What is met first on the straight way."""
        near = self.nearest(flight.origin)
        skin = skin_at(flight.origin)
        on = near.over(flight.origin) <= skin
        touched = on & meets(near, flight)
        start = within(self.axes, flight.origin - self.center)
        way = within(self.axes, flight.position - self.center) - start
        enters, leaves, _ = box_span(start, start + way, self.half)
        t, end = np.maximum(enters, 0), np.minimum(leaves, 1)
        slack = np.where(on | flight.last, skin, 0).astype(np.float32)
        least = np.float32(0.5) * self.spacing.min()
        pace = 1 / np.maximum(length(way), np.float32(1e-30))

        def over_at(t: Floats) -> Floats:
            return self.at(start + t[:, None] * way)[0] + slack

        goes = ~touched & (t < end)
        t = np.where(goes, t, 0).astype(np.float32)
        over = over_at(t)
        met = np.zeros_like(touched)
        low, high = t.copy(), t.copy()
        for _ in range(_STEPS):
            if not np.any(goes):
                break
            after = np.minimum(t + np.maximum(over, least) * pace, end).astype(np.float32)
            after = np.where(goes, after, t)
            then = over_at(after)
            hit = goes & (over >= 0) & (then < 0)
            low[hit], high[hit] = t[hit], after[hit]
            met |= hit
            goes &= ~hit & (after < end)
            t, over = after, then
        for _ in range(12):
            middle = np.float32(0.5) * (low + high)
            behind = over_at(middle) < 0
            high, low = np.where(behind, middle, high), np.where(behind, low, middle)
        face = self.nearest(flight.origin + high[:, None] * (flight.position - flight.origin))
        return touched | met, either(touched, near, face)


def _mix(a: Floats, b: Floats, f: Floats) -> Floats:
    return a * (1 - f) + b * f
