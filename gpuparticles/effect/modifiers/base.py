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

Role = Literal["force", "drag", "motion", "limit"]

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


@description(kw_only=True)
class Modifier(Kind):
    """What acts on particles while they live. Make a kind of a subclass with `modifier`."""

    family: ClassVar[str] = "modifier"
    role: ClassVar[Role]

    @property
    def phased(self) -> bool:
        """Whether its kernel takes a phase, as its last argument."""
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


@dataclass_transform(frozen_default=True)
def modifier(cls: type[M]) -> type[M]:
    """Register a class of modifiers: see ``docs/contributing.md``, 'add a modifier'."""
    return register(Modifier, cls)
