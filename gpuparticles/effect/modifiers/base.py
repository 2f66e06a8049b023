"""What a modifier is, and what its kernel and its twin are given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, ClassVar, Literal, NamedTuple, TypeVar, dataclass_transform

import numpy as np
from numpy.typing import NDArray

from gpuparticles.effect.description import default, description
from gpuparticles.effect.kinds import Kind, register
from gpuparticles.effect.rules import Number
from gpuparticles.effect.values import Floats, OptionalOverLife

__all__ = [
    "FATAL",
    "Constraint",
    "Contact",
    "Force",
    "Limit",
    "Modifier",
    "Motion",
    "Particles",
    "Phase",
    "Resistance",
    "Scaled",
    "Space",
    "modifier",
]

M = TypeVar("M", bound="Modifier")

Space = Literal["world", "emitter"]
"""Where the points and directions of a modifier lie."""

Role = Literal["force", "drag", "motion", "limit", "constraint"]

Phase = tuple[float, float, float, float]
"""Where something that goes on in time stands; see `Modifier.phase`."""


class Particles(NamedTuple):
    """What a twin sees of the particles: each in the middle of its own part of the step.

    Args:
        position: float32 (n, 3), in the frame of the particles.
        velocity: float32 (n, 3), units/s, as at the begin of the step; of a `Limit` as after all
            forces.
        life: float32 (n,), how much of the life has passed, 0 to 1.
        time: float32 (n,), seconds since the begin of the step.
        lifetime: float32 (n,), seconds.
        seed: uint32 (n,).
    """

    position: Floats
    velocity: Floats
    life: Floats
    time: Floats
    lifetime: Floats
    seed: NDArray[np.uint32]


class Contact(NamedTuple):
    """What constraints have done to the particles in this step, one after the other.

    Args:
        resting: bool (n,), who has come to lie: it does not spin in this step.
        lost: float32 (n,), seconds of life that are added to the age after the step; `FATAL` kills.
        step: Seconds of the whole step, also for those who take part in a piece of it.
        radius: float32 (n,), how far from a surface the constraint at hand keeps each.
        struck: int (n,), surfaces that each has met.
        force: float32 (n, 3), units/s^2, what accelerates each before any constraint.
        bent: bool (n,), whose path an earlier constraint has bent.
        last: Whether who meets a surface stays there until the next step.
    """

    resting: NDArray[np.bool_]
    lost: Floats
    step: np.float32
    radius: Floats
    struck: NDArray[np.intp]
    force: Floats
    bent: NDArray[np.bool_]
    last: bool = False


FATAL = np.float32(1e30)
"""Seconds of life, more than anyone has."""


@description(kw_only=True)
class Modifier(Kind):
    """What acts on particles while they live. Make a kind of a subclass with `modifier`."""

    family: ClassVar[str] = "modifier"
    role: ClassVar[Role]

    @property
    def phased(self) -> bool:
        """Whether its kernel takes a phase, as its last argument."""
        return False

    @property
    def kills(self) -> bool:
        """Whether it may end lives before their time, which the CPU cannot foresee."""
        return False

    def phase(self, time: float) -> Phase:
        """What it makes of the time, in double precision, so that a day later nothing has changed.

        Args:
            time: Seconds of the emitter's time at the begin of a step.

        Returns:
            What the kernel takes as ``vec4 phase``, and its twin as ``phase=``: numbers of modest
            size, wrapped where what they drive repeats.
        """
        raise NotImplementedError


@description(kw_only=True)
class Scaled(Modifier):
    """A modifier whose strength, its first field, differs between particles and over life.

    Args:
        variation: How much the strength differs between particles, as a fraction: at 0.2 each
            particle has a fixed factor from 0.8 to 1.2. From 0 to 1.
        over_life: Factor of the strength over the particle's life; none is 1 throughout.
    """

    variation: Annotated[float, Number("a variation", least=0, most=1)] = 0.0
    over_life: OptionalOverLife = default(None)


class Force(Scaled):
    """A modifier that accelerates."""

    __slots__ = ()

    role: ClassVar[Role] = "force"

    acceleration: ClassVar[Callable[..., Floats]]
    """The kernel's twin: ``acceleration(particles, strength, **points and directions)``.

    The strength is float32 (n,) or (n, 3), points and directions float32 (n, 3), by the names of
    their fields, in the frame of the particles. Returns float32 (n, 3), in units/s^2; finite
    everywhere.
    """


class Resistance(Scaled):
    """A modifier that makes velocity decay."""

    __slots__ = ()

    role: ClassVar[Role] = "drag"

    decay: ClassVar[Callable[..., Floats]]
    """The kernel's twin: strength float32 (n,) to a rate of decay in 1/s, float32 (n,)."""


class Motion(Scaled):
    """A modifier that moves particles without changing their velocity."""

    __slots__ = ()

    role: ClassVar[Role] = "motion"

    displacement: ClassVar[Callable[..., Floats]]
    """The kernel's twin: ``displacement(particles, h, strength, **points and directions)``.

    h is float32 (n,), the seconds that it acts; the others as for a force. Returns float32 (n, 3),
    in units; finite everywhere.
    """


class Limit(Scaled):
    """A modifier that bounds the velocity, after all forces of a step."""

    __slots__ = ()

    role: ClassVar[Role] = "limit"

    limited: ClassVar[Callable[..., Floats]]
    """The kernel's twin: ``limited(particles, h, strength, **points and directions)``.

    h is float32 (n,), the seconds that it acts; the others as for a force. Returns the velocity
    that is left, float32 (n, 3), in units/s; finite everywhere.
    """


class Constraint(Modifier):
    """A modifier that says where particles may be, after all motion of a step."""

    __slots__ = ()

    role: ClassVar[Role] = "constraint"

    constrained: ClassVar[Callable[..., tuple[Floats, Floats, Contact]]]
    """The kernel's twin: ``constrained(particles, before, h, contact, **points and directions)``.

    Position and velocity of `particles` are those of the end of the step, of `before` those of the
    begin of each particle's part of it; h is float32 (n,), the seconds between. Returns positions
    and velocities, float32 (n, 3), and what has become of the contact.
    """


@dataclass_transform(frozen_default=True)
def modifier(cls: type[M]) -> type[M]:
    """Register a class of modifiers: see ``docs/contributing.md``, 'add a modifier'."""
    return register(Modifier, cls)
