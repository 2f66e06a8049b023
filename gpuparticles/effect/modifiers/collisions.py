"""Collisions: surfaces that particles bounce off, slide along, stick to or die at."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, NamedTuple, Self, get_args

import numpy as np
from numpy.typing import NDArray

from gpuparticles.effect.description import default, description
from gpuparticles.effect.kinds import DIRECTION, POINT
from gpuparticles.effect.modifiers.base import Constraint, Contact, Particles, Space, modifier
from gpuparticles.effect.modifiers.contact import (
    Flight,
    Planes,
    across,
    axes_of,
    collide,
    meets,
    skin_at,
    unit,
)
from gpuparticles.effect.modifiers.volumes import HalfSize, Turned, box_span, within
from gpuparticles.effect.rules import Choice, Number
from gpuparticles.effect.values import Direction, Floats, Vec3

__all__ = ["CollideBox", "CollidePlane", "CollideSphere", "Collision"]


_Faces = Literal["outside", "inside", "top"]


@description(kw_only=True)
class Collision(Constraint):
    """A surface that particles do not pass.

    The path of a step is followed to where it meets the surface, with the velocity of that moment;
    the rest of the step is flown from there. A bounce slower than what the forces of one step add
    ends on the surface, where a particle slides, or lies without any motion.

    Args:
        restitution: Part of the speed across the surface that a bounce keeps, 0 to 1. Heights
            shrink by its square.
        friction: Part of the speed along the surface that a hit takes, 0 to 1; 1 stops it. What
            slides, or only grazes the surface, is held by Coulomb's friction with the coefficient
            friction / (1 - friction): at 0.5 a slope of 45 degrees holds.
        lifetime_loss: Part of its lifetime that a hit costs a particle, 0 to 1.
        particle_radius: How far from the surface the centre of a particle is kept, in units.
        radius_factor: The same, as a factor of the particle's size; 0.5 is half its width. Added
            to `particle_radius`.
        on_hit: ``"bounce"``; ``"stick"``: stay where it hit, for good; ``"die"``.

    Attributes:
        tremble: How far normals of the kind may be from the true ones, as a slope: what a tilt so
            small would set in motion lies still.
    """

    tremble: ClassVar[float] = 0.0

    restitution: Annotated[float, Number("a restitution", least=0, most=1)] = 0.5
    friction: Annotated[float, Number("a friction", least=0, most=1)] = 0.0
    lifetime_loss: Annotated[float, Number("a loss", "of the lifetime", least=0, most=1)] = 0.0
    particle_radius: Annotated[float, Number("a radius", least=0)] = 0.0
    radius_factor: Annotated[float, Number("a factor of the size", least=0)] = 0.0
    on_hit: Literal["bounce", "stick", "die"] = "bounce"

    @property
    def kills(self) -> bool:
        """Where hits end lives, or shorten them."""
        return self.on_hit == "die" or self.lifetime_loss > 0


@modifier
class CollidePlane(Collision):
    """Bounce off a plane, and never be behind it.

    ``velocity = (1 - friction) * along - restitution * across``, parts of the velocity along the
    surface and across it, where and when the particle meets it.

    A particle that begins behind it is put onto it.

    Args:
        normal: Where outside is; its length does not matter.
        point: A place on the plane, in units.
        space: Where the plane lies: in the world or in the emitter's space.
    """

    normal: Annotated[Direction, DIRECTION] = default((0.0, 1.0, 0.0))
    point: Annotated[Vec3, POINT] = default((0.0, 0.0, 0.0))
    space: Space = "world"

    def constrained(
        self,
        particles: Particles,
        before: Particles,
        h: Floats,
        contact: Contact,
        normal: Floats,
        point: Floats,
    ) -> tuple[Floats, Floats, Contact]:
        """Of all that is behind the plane at the end of the step, the way there is found."""
        n = unit(normal)
        plane = Planes(point + n * contact.radius[:, None], n)
        return collide(
            self,
            particles,
            before,
            h,
            contact,
            lambda flight: (meets(plane, flight), plane),
            lambda _: plane,
        )


@modifier
class CollideSphere(Collision):
    """Bounce off a sphere, from outside or from inside.

    ``velocity = (1 - friction) * along - restitution * across``, parts of the velocity along the
    surface and across it, where and when the particle meets it.

    A particle that begins on the wrong side is put onto it.

    Args:
        center: In units.
        radius: In units, 0 or more.
        inside: Whether it keeps particles in, instead of out.
        space: Where the sphere lies: in the world or in the emitter's space.
    """

    center: Annotated[Vec3, POINT] = default((0.0, 0.0, 0.0))
    radius: Annotated[float, Number("a radius", least=0)] = 1.0
    inside: bool = False
    space: Space = "world"

    @classmethod
    def example(cls) -> Self:
        """In the way of a fountain."""
        return cls((0.0, 0.3, 0.0), 0.5)

    def constrained(
        self, particles: Particles, before: Particles, h: Floats, contact: Contact, center: Floats
    ) -> tuple[Floats, Floats, Contact]:
        """The plane that touches it where the way meets it stands for it."""
        side = -1 if self.inside else 1
        reach = np.maximum(np.float32(self.radius) + np.float32(side) * contact.radius, 0)
        sphere = _Sphere(center, reach, side)
        return collide(self, particles, before, h, contact, sphere.ahead, sphere.nearest)


class _Sphere(NamedTuple):
    """Spheres as particles meet them, one each: the twin of ``lib/sphere.glsl``."""

    center: Floats
    radius: Floats
    side: int

    def nearest(self, place: Floats) -> Planes:
        """The plane that touches at the nearest place."""
        away = unit(place - self.center)
        away[~np.any(away, axis=1)] = (0, 1, 0)
        return Planes(self.center + self.radius[:, None] * away, np.float32(self.side) * away)

    def ahead(self, flight: Flight) -> tuple[NDArray[np.bool_], Planes]:
        """What is met first on the straight way."""
        near = self.nearest(flight.origin)
        on = near.over(flight.origin) <= skin_at(flight.origin)
        touched = on & meets(near, flight)
        way, away = flight.position - flight.origin, flight.origin - self.center
        a = np.maximum(across(way, way), np.float32(1e-30))
        b = across(away, way)
        c = across(away, away) - self.radius * self.radius
        root = np.sqrt(np.maximum(b * b - a * c, 0))
        if self.side > 0:
            met = ~on & (b < 0) & (b * b >= a * c)
            t = np.where(met, c / np.where(met, root - b, 1), 2)
        else:
            last = flight.position - self.center
            met = across(last, last) > self.radius * self.radius
            ahead = b > 0
            t = np.where(ahead, -c / np.where(ahead, b + root, 1), (root - b) / a)
        met = met & (t <= 1)
        then = np.where(met, np.clip(t, 0, 1), 0).astype(np.float32)[:, None]
        face = self.nearest(np.where(touched[:, None], flight.origin, flight.origin + then * way))
        return touched | met, face


@modifier
class CollideBox(Turned, Collision):
    """Bounce off a box, from outside or from inside, or off its top alone.

    ``velocity = (1 - friction) * along - restitution * across``, parts of the velocity along the
    surface and across it, where and when the particle meets it.

    A particle that begins on the wrong side is put onto the nearest face.

    Args:
        center: In units.
        half: Half its widths along its axes, in units.
        right: Direction of its first axis.
        up: Direction of its second axis, as far as it is perpendicular to the first.
        faces: ``"outside"``; ``"inside"``: it keeps particles in; ``"top"``: only the face in the
            direction of `up` is there, and only from above.
        space: Where the box lies: in the world or in the emitter's space.
    """

    center: Annotated[Vec3, POINT] = default((0.0, 0.0, 0.0))
    half: HalfSize = default((1.0, 1.0, 1.0))
    right: Annotated[Direction, DIRECTION] = default((1.0, 0.0, 0.0))
    up: Annotated[Direction, DIRECTION] = default((0.0, 1.0, 0.0))
    faces: Annotated[_Faces, Choice(get_args(_Faces))] = "outside"
    space: Space = "world"

    @classmethod
    def example(cls) -> Self:
        """In the way of a fountain."""
        return cls((0.0, 0.3, 0.0), (0.5, 0.3, 0.5))

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
        """Faces, moved by the radius; corners stay sharp."""
        inside, top = self.faces == "inside", self.faces == "top"
        reach = -contact.radius if inside else contact.radius
        half = np.maximum(np.array(self.half, np.float32) + reach[:, None], 0)
        box = _Box(center, axes_of(right, up), half, inside, top)
        nearest = None if top else box.nearest
        walls = 3 if inside else 1
        return collide(self, particles, before, h, contact, box.ahead, nearest, walls=walls)


class _Box(NamedTuple):
    """Boxes as particles meet them, one each: the twin of ``lib/box.glsl``."""

    center: Floats
    axes: Floats
    half: Floats
    inside: bool
    top: bool

    def face(self, axis: NDArray[np.intp], side: Floats) -> Planes:
        """A face of each box."""
        each = np.arange(len(axis))
        normal = side[:, None] * self.axes[each, axis]
        point = self.center + self.half[each, axis][:, None] * normal
        return Planes(point, -normal if self.inside else normal)

    def nearest(self, place: Floats) -> Planes:
        """The face nearest to each place; of a box without sides the top."""
        begin = within(self.axes, place - self.center)
        axis = np.argmax(np.abs(begin) - self.half, axis=1)
        if self.top:
            return self.face(np.ones_like(axis), np.ones(len(axis), np.float32))
        side = np.where(begin[np.arange(len(axis)), axis] < 0, np.float32(-1), np.float32(1))
        return self.face(axis, side)

    def ahead(self, flight: Flight) -> tuple[NDArray[np.bool_], Planes]:
        """What is met first on the straight way."""
        begin = within(self.axes, flight.origin - self.center)
        end = within(self.axes, flight.position - self.center)
        each = np.arange(len(begin))
        skin = skin_at(flight.origin)
        near = self.nearest(flight.origin)
        above = near.over(flight.origin)
        on = above <= skin
        if self.top:
            way = np.maximum(above - near.over(flight.position), np.float32(1e-30))
            t = np.clip(above / way, 0, 1)[:, None]
            over = np.abs(begin * (1 - t) + end * t) - self.half
            there = (above >= -skin) & (np.maximum(over[:, 0], over[:, 2]) <= 0)
            return there & meets(near, flight), near
        if self.inside:
            first = np.full(len(begin), 2, np.float32)
            point, normal = near.point.copy(), near.normal.copy()
            held = on & flight.stuck
            for number in range(3):
                side = np.where(end[:, number] < 0, np.float32(-1), np.float32(1))
                face = self.face(np.full(len(side), number, np.intp), side)
                way = np.maximum(np.abs(end[:, number] - begin[:, number]), np.float32(1e-30))
                t = np.clip((self.half[:, number] - side * begin[:, number]) / way, 0, 1)
                sooner = (t < first) & meets(face, flight) & ~held
                first = np.where(sooner, t, first)
                point[sooner], normal[sooner] = face.point[sooner], face.normal[sooner]
            return held | (first < 2), Planes(point, normal)
        enters, leaves, axis = box_span(begin, end, self.half)
        side = np.where(end[each, axis] > begin[each, axis], np.float32(-1), np.float32(1))
        face = self.face(axis, side)
        met = np.where(on, meets(near, flight), (enters <= leaves) & (enters >= 0) & (enters <= 1))
        point = np.where(on[:, None], near.point, face.point)
        return met, Planes(point, np.where(on[:, None], near.normal, face.normal))
