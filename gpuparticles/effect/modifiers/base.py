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
    "Flow",
    "Force",
    "Limit",
    "Modifier",
    "Motion",
    "Particles",
    "Phase",
    "Pull",
    "Resistance",
    "Scaled",
    "Space",
    "modifier",
]

M = TypeVar("M", bound="Modifier")

Space = Literal["world", "emitter"]
"""Where the points and directions of a modifier lie."""

Role = Literal["force", "drag", "flow", "motion", "limit", "constraint"]

Vec3Tuple = tuple[float, float, float]
Phase = tuple[float, float, float, float]
"""Where something that goes on in time stands; see `Modifier.phase`."""


class Particles(NamedTuple):
    """What a twin sees of the particles: each in the middle of its own part of the step.

    Args:
        position: float32 (n, 3), in the frame of the particles.
        velocity: float32 (n, 3), units/s, as at the begin of the step; of a `Limit` as it is so
            far.
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
    framed: ClassVar[bool] = False
    """Whether kernel and twin see the particles in the modifier's own space.

    For fields, which fill that space. What kernel and twin give is turned back.
    """

    looks: ClassVar[bool] = False
    """Whether kernel and twin look at the depth of the host's scene.

    The kernel finds it by itself, see ``lib/scene.glsl``; the twin gets it as ``depths=``.
    """

    @property
    def phased(self) -> bool:
        """Whether its kernel takes a phase, as its last argument."""
        return False

    @property
    def kills(self) -> bool:
        """Whether it may end lives before their time, which the CPU cannot foresee."""
        return False

    def phase(self, time: float, origin: Vec3Tuple) -> Phase:
        """What it makes of the time, in double precision, so that a day later nothing has changed.

        Args:
            time: Seconds of the emitter's time at the begin of a step.
            origin: Where the place (0, 0, 0) of its particles lies in its space, in units:
                positions in the world count from an anchor near the emitter, which may be far away
                and may move. For what does not lie in the world it is (0, 0, 0).

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


class Pull(NamedTuple):
    """Where the velocity of each particle is drawn to, and how fast.

    Over a time t the difference between the velocity and the target falls by ``exp(-rate t)``, in
    all directions or along one.

    Args:
        target: float32 (n, 3), units/s.
        rate: float32 (n,), in 1/s, 0 or more.
        along: float32 (n, 3), unit vectors or zeros; None for all directions.
    """

    target: Floats
    rate: Floats
    along: Floats | None = None

    def drawn(self, velocity: Floats, t: Floats) -> Floats:
        """The velocity after t seconds, float32 (n,): the twin of ``pulled`` in the shader."""
        off = (self.target - velocity) * (1 - np.exp(-self.rate * t))[:, None]
        if self.along is not None:
            off = self.along * np.sum(self.along * off, axis=1, keepdims=True)
        return np.asarray(velocity + off, np.float32)


class Flow(Scaled):
    """A modifier that draws velocity towards another, as a medium does that moves by itself."""

    __slots__ = ()

    role: ClassVar[Role] = "flow"

    pull: ClassVar[Callable[..., Pull]]
    """The kernel's twin: ``pull(particles, strength, **points and directions)``, as of a force.

    The kernel returns the struct Pull of ``lib/flow.glsl``.
    """


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
    """A modifier that bounds the velocity, before and after all forces of a step."""

    __slots__ = ()

    role: ClassVar[Role] = "limit"

    limited: ClassVar[Callable[..., Floats]]
    """The kernel's twin: ``limited(particles, h, strength, **points and directions)``.

    h is float32 (n,), the seconds that it acts, half of them at a time; the others as for a force.
    Returns the velocity that is left, float32 (n, 3), in units/s; finite everywhere.
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
