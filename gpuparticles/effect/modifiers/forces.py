"""Forces and resistances about a centre or everywhere: what changes velocity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np

from gpuparticles.effect.description import Takes, default
from gpuparticles.effect.kinds import DIRECTION, POINT, Kind
from gpuparticles.effect.mistakes import refused, show
from gpuparticles.effect.modifiers.base import (
    Flow,
    Force,
    Particles,
    Pull,
    Resistance,
    Space,
    modifier,
)
from gpuparticles.effect.rules import Number, Rule, is_list, read_each
from gpuparticles.effect.values import Direction, Floats, Vec3, Vec3Like
from gpuparticles.effect.vectors import length, unit

__all__ = ["Acceleration", "Attractor", "ConformToSphere", "Drag", "Radial", "Vortex"]


@dataclass(frozen=True)
class _Falloff(Rule):
    """How far a force reaches: None, or the pair (inner, outer)."""

    glsl: ClassVar[str | None] = "vec2"

    def read(self, value: Any) -> tuple[float, float] | None:
        if value is None:
            return None
        if not is_list(value) or len(pair := list(value)) != 2:
            raise refused(f"{show(value)} is not a falloff; {self}")
        inner, outer = read_each([Number("a distance", least=0)] * 2, pair)
        if inner > outer:
            raise refused(f"inner {show(inner)} is beyond outer {show(outer)}; {self}")
        return inner, outer

    def schema(self) -> dict[str, Any]:
        distance = {"type": "number", "minimum": 0}
        pair = {"type": "array", "items": distance, "minItems": 2, "maxItems": 2}
        return {"anyOf": [pair, {"type": "null"}]}

    def pack(self, value: tuple[float, float] | None) -> tuple[float, float]:
        """(outer, 1/(outer - inner)): the factor is clamp((outer - distance) * that, 0, 1)."""
        if value is None:
            return 2e30, 1e-30
        inner, outer = value
        return outer, min(1e30, 1 / (outer - inner)) if outer > inner else 1e30

    def __str__(self) -> str:
        return "a falloff is (inner, outer), two distances of 0 or more, or nothing"


_FALLOFF = _Falloff()
_FalloffField = Takes[Vec3Like | None, Annotated[tuple[float, float] | None, _FALLOFF]]


@modifier
class Acceleration(Force):
    """The same acceleration everywhere, such as gravity.

    ``velocity += value * h``

    Args:
        value: Acceleration in units/s^2.
        space: Whose axes it follows: the world's or the emitter's.
    """

    value: Annotated[Vec3, DIRECTION]
    space: Space = "world"

    def acceleration(self, particles: Particles, strength: Floats) -> Floats:
        """The strength itself, (n, 3)."""
        return strength


@modifier
class Drag(Resistance):
    """Lose speed in proportion to it, as in thick air.

    ``velocity *= exp(-rate * h)``

    Args:
        rate: Decay in 1/s, 0 or more; velocity halves every 0.693/rate seconds.
    """

    rate: Annotated[float, Number("a drag rate", least=0)]

    def decay(self, strength: Floats) -> Floats:
        """The strength, never below 0, where it would drive."""
        return np.maximum(strength, 0)


@modifier
class Radial(Force):
    """Push away from a centre, or pull towards it.

    ``velocity += strength * h * unit(position - center) * falloff(distance)``

    Args:
        strength: Acceleration in units/s^2; negative pulls.
        center: The centre, in units.
        falloff: None for the same strength everywhere; or (inner, outer), distances from the
            centre: full strength up to inner, none from outer on, linear between.
        space: Where the centre lies: in the world or in the emitter's space.
    """

    strength: Annotated[float, Number("a strength")]
    center: Annotated[Vec3, POINT] = default((0.0, 0.0, 0.0))
    falloff: _FalloffField = default(None)
    space: Space = "emitter"

    def acceleration(self, particles: Particles, strength: Floats, center: Floats) -> Floats:
        """Zero at the centre itself."""
        away = particles.position - center
        return unit(away) * (strength * _reach(self.falloff, away))[:, None]


@modifier
class Vortex(Force):
    """Push round an axis: counter-clockwise as seen from the axis' tip when it is right-handed.

    ``velocity += strength * h * unit(axis x (position - center)) * falloff(distance)``

    Args:
        strength: Acceleration in units/s^2; negative turns the other way.
        axis: Direction of the axis; its length does not matter.
        center: A place on the axis, in units.
        falloff: None for the same strength everywhere; or (inner, outer), distances from the
            centre: full strength up to inner, none from outer on, linear between.
        handedness: ``"right"``, ``"left"``, or ``"random"``: each particle has its own for life,
            the same in all its vortices.
        space: Where axis and centre lie: in the world or in the emitter's space.
    """

    strength: Annotated[float, Number("a strength")]
    axis: Annotated[Direction, DIRECTION] = default((0.0, 1.0, 0.0))
    center: Annotated[Vec3, POINT] = default((0.0, 0.0, 0.0))
    falloff: _FalloffField = default(None)
    handedness: Literal["right", "left", "random"] = "right"
    space: Space = "emitter"

    def values(self) -> list[float | tuple[float, ...]]:
        """As every kind's; a left-handed strength has the opposite sign."""
        strength = -self.strength if self.handedness == "left" else self.strength
        return [strength, *Kind.values(self)[1:]]

    def acceleration(
        self, particles: Particles, strength: Floats, axis: Floats, center: Floats
    ) -> Floats:
        """Zero on the axis. The strength comes with its handedness."""
        away = particles.position - center
        return unit(np.cross(axis, away)) * (strength * _reach(self.falloff, away))[:, None]


@modifier
class Attractor(Force):
    """Pull towards a centre that ends at a radius.

    ``velocity += strength * h * max(0, 1 - distance / radius)^attenuation``, towards the centre.

    Args:
        strength: Acceleration at the centre in units/s^2; negative pushes away.
        radius: How far it reaches, in units.
        center: The centre, in units.
        attenuation: How fast the pull fades with the distance: 0 not at all up to the radius, 1
            linearly, more is sooner.
        directionality: How much it pulls along the axis rather than towards the centre: 0 to 1.
        axis: That direction; its length does not matter.
        space: Where centre and axis lie: in the world or in the emitter's space.
    """

    strength: Annotated[float, Number("a strength")]
    radius: Annotated[float, Number("a radius", least=0)] = 1.0
    center: Annotated[Vec3, POINT] = default((0.0, 0.0, 0.0))
    attenuation: Annotated[float, Number("an attenuation", least=0)] = 1.0
    directionality: Annotated[float, Number("a directionality", least=0, most=1)] = 0.0
    axis: Annotated[Direction, DIRECTION] = default((0.0, 1.0, 0.0))
    space: Space = "emitter"

    @classmethod
    def example(cls) -> Self:
        """A well beside the swarm."""
        return cls(14, radius=2.5, center=(0.9, 0.6, 0))

    def acceleration(
        self, particles: Particles, strength: Floats, center: Floats, axis: Floats
    ) -> Floats:
        """Zero at the centre itself, unless it has a direction."""
        way = center - particles.position
        radius, wide = np.float32(self.radius), np.maximum(np.float32(self.radius), 1e-30)
        reach = np.maximum(radius - length(way), 0) / np.float32(wide)
        factor = np.where(reach > 0, reach ** np.float32(self.attenuation), 0)
        part = np.float32(self.directionality)
        pulled = unit(unit(way) * (1 - part) + axis * part)
        return np.asarray(pulled * (strength * factor)[:, None], np.float32)


@modifier
class ConformToSphere(Flow):
    """Draw particles onto the surface of a sphere and keep them there.

    ``velocity += n * (towards - velocity . n) * (1 - exp(-rate * h))`` along n, the way from the
    centre, with ``towards = rate / 4 * (radius - distance)``, at most ``speed`` either way. From
    afar particles come at that speed; near the surface they settle as a critically damped spring
    does. Motion along the surface is free.

    Args:
        speed: At most at which particles are drawn to the surface, in units/s, 0 or more.
        radius: The sphere's, in units.
        center: Its centre, in units.
        rate: How firmly, in 1/s: the distance to the surface halves in about 3/rate seconds, and
            firmer is harder to leave.
        space: Where the centre lies: in the world or in the emitter's space.
    """

    speed: Annotated[float, Number("a speed", least=0)]
    radius: Annotated[float, Number("a radius", least=0)] = 1.0
    center: Annotated[Vec3, POINT] = default((0.0, 0.0, 0.0))
    rate: Annotated[float, Number("a rate", least=0)] = 8.0
    space: Space = "emitter"

    @classmethod
    def example(cls) -> Self:
        """Tighter than the swarm."""
        return cls(3, radius=1.2, rate=12)

    def pull(self, particles: Particles, strength: Floats, center: Floats) -> Pull:
        """Along the way from the centre; none in the centre itself."""
        away = particles.position - center
        along = unit(away)
        rate = np.float32(self.rate)
        most = np.maximum(strength, 0)
        with np.errstate(over="ignore"):
            spring = np.float32(0.25) * rate * (np.float32(self.radius) - length(away))
        towards = np.clip(spring, -most, most)
        return Pull(along * towards[:, None], np.full(len(away), rate), along)


def _reach(falloff: tuple[float, float] | None, away: Floats) -> Floats:
    """The factor of a falloff at each offset from its centre; (n, 3) to (n,)."""
    outer, inverse = np.array(_FALLOFF.pack(falloff), np.float32)
    with np.errstate(over="ignore"):
        factor: Floats = np.clip((outer - length(away)) * inverse, 0, 1)
    return factor
