"""Volumes: what kills the particles in it, and the box round which they wrap."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from gpuparticles.effect.description import Takes, default
from gpuparticles.effect.kinds import DIRECTION, POINT
from gpuparticles.effect.mistakes import Mistake, show
from gpuparticles.effect.modifiers.base import (
    FATAL,
    Constraint,
    Contact,
    Particles,
    Space,
    modifier,
)
from gpuparticles.effect.modifiers.contact import across, axes_of
from gpuparticles.effect.rules import Components, Number
from gpuparticles.effect.values import Direction, Floats, Vec3, Vec3Like

__all__ = [
    "HalfSize",
    "KillBox",
    "KillPlane",
    "KillSphere",
    "Turned",
    "Wrap",
    "box_span",
    "within",
]

_HALF_SIZE = Components("a half size", Number("half a width", least=0))
HalfSize = Takes[Vec3Like, Annotated[tuple[float, float, float], _HALF_SIZE]]
"""Half the widths of a box along its axes, 0 or more."""


class _Axes(Protocol):
    @property
    def right(self) -> tuple[float, float, float]: ...
    @property
    def up(self) -> tuple[float, float, float]: ...


class Turned:
    """What is turned as its fields `right` and `up` say."""

    __slots__ = ()

    def mistakes(self: _Axes) -> Iterator[Mistake]:
        """Axes that have one direction."""
        x, y = (np.array(axis) / np.linalg.norm(axis) for axis in (self.right, self.up))
        if np.linalg.norm(np.cross(x, y)) < 1e-3:
            along = f"{show(self.up)} lies along right, {show(self.right)}"
            yield Mistake(("up",), f"{along}; the axes of a box are perpendicular")


@modifier
class KillPlane(Constraint):
    """Kill what is behind a plane.

    ``(position - point) . normal < 0``, anywhere on the way of a step.

    Args:
        normal: The side of the living; its length does not matter.
        point: A place on the plane, in units.
        space: Where the plane lies: in the world or in the emitter's space.
    """

    normal: Annotated[Direction, DIRECTION] = default((0.0, 1.0, 0.0))
    point: Annotated[Vec3, POINT] = default((0.0, 0.0, 0.0))
    space: Space = "world"

    @property
    def kills(self) -> bool:
        """Always."""
        return True

    def constrained(
        self,
        particles: Particles,
        before: Particles,
        h: Floats,
        contact: Contact,
        normal: Floats,
        point: Floats,
    ) -> tuple[Floats, Floats, Contact]:
        """Where a particle is at the end of the step decides."""
        return _killed(particles, contact, across(normal, particles.position - point) < 0)


@modifier
class KillSphere(Constraint):
    """Kill what enters a sphere, or what leaves it.

    ``|position - center| < radius``, anywhere on the way of a step; with `outside`, ``>``.

    Args:
        radius: In units, 0 or more.
        center: In units.
        outside: Whether it kills what is outside, instead of what enters.
        space: Where the sphere lies: in the world or in the emitter's space.
    """

    center: Annotated[Vec3, POINT] = default((0.0, 0.0, 0.0))
    radius: Annotated[float, Number("a radius", least=0)] = 1.0
    outside: bool = False
    space: Space = "world"

    @property
    def kills(self) -> bool:
        """Always."""
        return True

    @classmethod
    def example(cls) -> Self:
        """In the way of a fountain."""
        return cls((0.0, 1.1, 0.0), 0.5)

    def constrained(
        self, particles: Particles, before: Particles, h: Floats, contact: Contact, center: Floats
    ) -> tuple[Floats, Floats, Contact]:
        """Nobody flies through it within a step: the nearest place of the way decides."""
        way, away = particles.position - before.position, before.position - center
        along = -across(away, way) / np.maximum(across(way, way), np.float32(1e-30))
        near = away + np.clip(along, 0, 1)[:, None] * way
        if self.outside:
            near = particles.position - center
        inside = across(near, near) < np.float32(self.radius) * np.float32(self.radius)
        return _killed(particles, contact, inside != self.outside)


@modifier
class KillBox(Turned, Constraint):
    """Kill what enters a box, or what leaves it.

    ``|(position - center) . axis| < half`` along all three axes, anywhere on the way of a step;
    with `outside`, ``>`` along any.

    Args:
        center: In units.
        half: Half its widths along its axes, in units.
        right: Direction of its first axis.
        up: Direction of its second axis, as far as it is perpendicular to the first.
        outside: Whether it kills what is outside, instead of what enters.
        space: Where the box lies: in the world or in the emitter's space.
    """

    center: Annotated[Vec3, POINT] = default((0.0, 0.0, 0.0))
    half: HalfSize = default((1.0, 1.0, 1.0))
    right: Annotated[Direction, DIRECTION] = default((1.0, 0.0, 0.0))
    up: Annotated[Direction, DIRECTION] = default((0.0, 1.0, 0.0))
    outside: bool = False
    space: Space = "world"

    @property
    def kills(self) -> bool:
        """Always."""
        return True

    @classmethod
    def example(cls) -> Self:
        """In the way of a fountain."""
        return cls((0.0, 1.0, 0.0), (0.6, 0.1, 0.6))

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
        """Nobody flies through it within a step: the whole way decides."""
        axes = axes_of(right, up)
        half = np.array(self.half, np.float32)
        to = within(axes, particles.position - center)
        if self.outside:
            return _killed(particles, contact, np.any(np.abs(to) > half, axis=1))
        first, last, _ = box_span(within(axes, before.position - center), to, half)
        return _killed(particles, contact, (first <= last) & (first <= 1) & (last >= 0))


@modifier
class Wrap(Turned, Constraint):
    """Come in again on the other side of a box.

    ``position -= 2 half * round((position - center) / (2 half))`` along each of its axes.

    Where the box moves, the particles seem to fill all space: rain round the camera. Write it after
    collisions, which follow the path of the step.

    Args:
        half: Half its widths along its axes, in units; along an axis of 0 nothing wraps.
        center: In units.
        right: Direction of its first axis.
        up: Direction of its second axis, as far as it is perpendicular to the first.
        space: Where the box lies: in the world or in the emitter's space.
    """

    center: Annotated[Vec3, POINT] = default((0.0, 0.0, 0.0))
    half: HalfSize = default((1.0, 1.0, 1.0))
    right: Annotated[Direction, DIRECTION] = default((1.0, 0.0, 0.0))
    up: Annotated[Direction, DIRECTION] = default((0.0, 1.0, 0.0))
    space: Space = "emitter"

    @classmethod
    def example(cls) -> Self:
        """In the way of a fountain."""
        return cls(half=(0.5, 0.5, 0.5))

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
        """The place modulo the box, however far outside it is."""
        axes = axes_of(right, up)
        half = np.array(self.half, np.float32)
        place = within(axes, particles.position - center)
        width = np.float32(2) * np.where(half > 0, half, 1).astype(np.float32)
        wraps = (half > 0) & (np.abs(place) > half)
        turns = np.where(wraps, width * np.floor(place / width + np.float32(0.5)), 0)
        inside = np.where(half > 0, np.clip(place - turns, -half, half), place)
        moved = center + np.einsum("nij,ni->nj", axes, inside.astype(np.float32))
        position = np.where(np.any(wraps, axis=1)[:, None], moved, particles.position)
        return position.astype(np.float32), particles.velocity, contact


def within(axes: Floats, away: Floats) -> Floats:
    """Places in the axes of boxes; (n, 3, 3) and (n, 3) to (n, 3)."""
    return np.stack([across(axes[:, i], away) for i in range(3)], axis=1)


def box_span(begin: Floats, end: Floats, half: Floats) -> tuple[Floats, Floats, NDArray[np.intp]]:
    """When ways enter and leave a box, 0 to 1, and on which axis they enter.

    A box that is missed is left before it is entered.
    """
    way = end - begin
    moves = np.abs(way) >= np.float32(1e-30)
    side = np.where(way > 0, half, -half)
    safe = np.where(moves, way, 1)
    far = np.float32(1e30)
    first = np.where(moves, (-side - begin) / safe, -far)
    last = np.where(moves, (side - begin) / safe, np.where(np.abs(begin) > half, -far, far))
    axis = np.argmax(first, axis=1)
    return first.max(axis=1), last.min(axis=1), axis


def _killed(
    particles: Particles, contact: Contact, who: NDArray[np.bool_]
) -> tuple[Floats, Floats, Contact]:
    lost = np.where(who, FATAL, contact.lost).astype(np.float32)
    return particles.position, particles.velocity, contact._replace(lost=lost)
