"""Collisions: surfaces that particles bounce off, slide along, stick to or die at."""

from __future__ import annotations

from typing import Annotated, Literal

from gpuparticles.effect.description import default, description
from gpuparticles.effect.kinds import DIRECTION, POINT
from gpuparticles.effect.modifiers.base import Constraint, Contact, Particles, Space, modifier
from gpuparticles.effect.modifiers.contact import Planes, collide, meets, unit
from gpuparticles.effect.rules import Number
from gpuparticles.effect.values import Direction, Floats, Vec3

__all__ = ["CollidePlane", "Collision"]


@description(kw_only=True)
class Collision(Constraint):
    """A surface that particles do not pass.

    The path of a step is followed to where it meets the surface, with the velocity of that moment;
    the rest of the step is flown from there. A bounce slower than what the forces of one step add
    ends on the surface, where a particle slides, or lies without any motion.

    Args:
        restitution: Part of the speed across the surface that a bounce keeps, 0 to 1. Heights
            shrink by its square.
        friction: Part of the speed along the surface that a hit takes, 0 to 1. On the surface it
            is Coulomb's, with the coefficient friction / (1 - friction): at 0.5 a slope of 45
            degrees holds.
        lifetime_loss: Part of its lifetime that a hit costs a particle, 0 to 1.
        radius: How far from the surface the centre of a particle is kept, in units.
        radius_factor: The same, as a factor of the particle's size; 0.5 is half its width. Added
            to `radius`.
        on_hit: ``"bounce"``; ``"stick"``: stay where it hit, for good; ``"die"``.
    """

    restitution: Annotated[float, Number("a restitution", least=0, most=1)] = 0.5
    friction: Annotated[float, Number("a friction", least=0, most=1)] = 0.0
    lifetime_loss: Annotated[float, Number("a loss", "of the lifetime", least=0, most=1)] = 0.0
    radius: Annotated[float, Number("a radius", least=0)] = 0.0
    radius_factor: Annotated[float, Number("a factor of the size", least=0)] = 0.0
    on_hit: Literal["bounce", "stick", "die"] = "bounce"

    @property
    def kills(self) -> bool:
        """Where hits end lives, or shorten them."""
        return self.on_hit == "die" or self.lifetime_loss > 0


@modifier
class CollidePlane(Collision):
    """Bounce off a plane, and never be behind it.

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
