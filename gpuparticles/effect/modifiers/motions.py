"""Motions and limits: what moves particles beside their velocity, and what bounds it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self

import numpy as np

from gpuparticles.effect.description import Takes, default
from gpuparticles.effect.kinds import DIRECTION, POINT
from gpuparticles.effect.modifiers.base import Limit, Motion, Particles, Space, modifier
from gpuparticles.effect.rules import Components, Number, Rule
from gpuparticles.effect.values import Direction, Floats, Vec3, Vec3Like
from gpuparticles.effect.vectors import dot, length, unit

__all__ = ["Orbit", "SpeedLimit", "VelocityLimit", "VelocityOverLife"]


@modifier
class VelocityOverLife(Motion):
    """Move at a velocity of its own beside what forces make of the particle's.

    ``position += value * h``; `over_life` says how it changes.

    Args:
        value: The added velocity in units/s.
        space: Whose axes it follows: the world's or the emitter's.
    """

    value: Annotated[Vec3, DIRECTION]
    space: Space = "emitter"

    @classmethod
    def example(cls) -> Self:
        """Up, and then to the side."""
        return cls((2.5, 1, 0), over_life=[(0, 0), (0.4, 1)])

    def displacement(self, particles: Particles, h: Floats, strength: Floats) -> Floats:
        """The way of h seconds, (n, 3)."""
        return strength * h[:, None]


@modifier
class Orbit(Motion):
    """Carry particles round an axis on circles, without changing their velocity.

    ``position = turned(position, angular_velocity * h) + radial * h`` away from the axis: after
    ``360 / angular_velocity`` seconds a particle is back, whatever the step.

    Args:
        angular_velocity: In degrees/s, counter-clockwise as seen from the axis' tip; negative turns
            the other way.
        axis: Direction of the axis; its length does not matter.
        center: A place on the axis, in units.
        radial: Speed away from the axis in units/s; negative leads to it, and no further.
        space: Where axis and centre lie: in the world or in the emitter's space.
    """

    angular_velocity: Annotated[float, Number("an angular velocity", "degrees/s")]
    axis: Annotated[Direction, DIRECTION] = default((0.0, 1.0, 0.0))
    center: Annotated[Vec3, POINT] = default((0.0, 0.0, 0.0))
    radial: Annotated[float, Number("a speed", "units/s")] = 0.0
    space: Space = "emitter"

    @classmethod
    def example(cls) -> Self:
        """A third of a turn a second about an axis that leans."""
        return cls(140, axis=(0.3, 1, 0.4), radial=0.5)

    def displacement(
        self, particles: Particles, h: Floats, strength: Floats, axis: Floats, center: Floats
    ) -> Floats:
        """Along the arc, then away from the axis; (n, 3)."""
        away = particles.position - center
        with np.errstate(over="ignore", invalid="ignore"):
            out = away - axis * dot(axis, away)
            angle = (np.radians(strength) * h)[:, None]
            s = np.sin(np.float32(0.5) * angle)
            moved = np.cross(axis, away) * np.sin(angle) - out * (2 * s * s)
            further = np.maximum(np.float32(self.radial) * h[:, None], -length(out)[:, None])
            return np.asarray(moved + unit(out + moved) * further, np.float32)


@dataclass(frozen=True)
class _Damping(Rule):
    """A rate, or None for at once."""

    glsl: ClassVar[str | None] = "float"
    number: ClassVar[Number] = Number("a damping", "1/s", least=0)

    def read(self, value: Any) -> float | None:
        return None if value is None else self.number.read(value, ", or nothing")

    def schema(self) -> dict[str, Any]:
        return {"anyOf": [self.number.schema(), {"type": "null"}]}

    def pack(self, value: float | None) -> float:
        return 1e30 if value is None else value

    def __str__(self) -> str:
        return f"{self.number}, or nothing"


_DAMPING = _Damping()


@modifier
class SpeedLimit(Limit):
    """Bound the speed: what is faster loses the excess.

    ``velocity *= 1 - (1 - speed / |velocity|) * (1 - exp(-damping * h))`` where ``|velocity| >
    speed``. Under an acceleration a the speed settles at ``speed + a / damping``, whatever the
    step.

    Args:
        speed: In units/s, 0 or more.
        damping: How fast the excess goes, in 1/s; None for at once.
    """

    speed: Annotated[float, Number("a speed", least=0)]
    damping: Annotated[float | None, _DAMPING] = None

    @classmethod
    def example(cls) -> Self:
        """Half of what the fastest have, soon."""
        return cls(0.8, damping=6)

    def limited(self, particles: Particles, h: Floats, strength: Floats) -> Floats:
        """What is left of each velocity, (n, 3)."""
        v = particles.velocity
        fast = length(v)
        most = np.maximum(strength, 0)
        kept = np.where(fast > most, most / np.where(fast > most, fast, 1), 1).astype(np.float32)
        part = 1 - np.exp(-np.float32(_DAMPING.pack(self.damping)) * h)
        return np.asarray(v * (1 - (1 - kept) * part)[:, None], np.float32)


_SPEEDS = Components("a vector of speeds", Number("a speed", least=0))


@modifier
class VelocityLimit(Limit):
    """Bound the velocity along each axis: what is faster along one loses the excess there.

    ``velocity = bounded + (velocity - bounded) * exp(-damping * h)`` with ``bounded =
    clamp(velocity, -speeds, speeds)``: as `SpeedLimit`, but each component by itself.

    Args:
        speeds: Along x, y and z in units/s, each 0 or more; a large one is no limit.
        damping: How fast the excess goes, in 1/s; None for at once.
        space: Whose axes they are: the world's or the emitter's.
    """

    framed: ClassVar[bool] = True

    speeds: Takes[Vec3Like, Annotated[tuple[float, float, float], _SPEEDS]]
    damping: Annotated[float | None, _DAMPING] = None
    space: Space = "world"

    @classmethod
    def example(cls) -> Self:
        """Flat, soon."""
        return cls((3, 0.3, 3), damping=12)

    def limited(self, particles: Particles, h: Floats, strength: Floats) -> Floats:
        """What is left of each velocity, (n, 3)."""
        v = particles.velocity
        most = np.maximum(strength, 0)
        part = 1 - np.exp(-np.float32(_DAMPING.pack(self.damping)) * h)
        return np.asarray(v - (v - np.clip(v, -most, most)) * part[:, None], np.float32)
