"""What a shape is, and what its kernel and its twin give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, TypeVar, dataclass_transform

import numpy as np
from numpy.typing import NDArray

from gpuparticles.effect.description import Takes, default, description
from gpuparticles.effect.kinds import Kind, register
from gpuparticles.effect.random import Random
from gpuparticles.effect.rules import Components, Number, is_list
from gpuparticles.effect.values import Floats, Vec3, Vec3Like

__all__ = ["ArcMode", "Arced", "Moments", "Places", "Shape", "shape"]

S = TypeVar("S", bound="Shape")

TAU = np.float32(2 * np.pi)
GOLDEN = (5**0.5 - 1) / 2

ArcMode = Literal["random", "loop", "ping_pong", "spread"]
"""How births follow each other along an arc."""


class Places(NamedTuple):
    """Where particles are born, as a shape's twin says.

    Args:
        position: float32 (n, 3), in the emitter's space.
        normal: float32 (n, 3), unit vectors away from the shape; None for +Y.
        color: float32 (n, 4), straight RGBA that the colour of the birth is multiplied with; None
            for white.
    """

    position: Floats
    normal: Floats | None = None
    color: Floats | None = None


class Moments(NamedTuple):
    """Births in the order of their emitter's sources, as `Shape.phases` sees them.

    Args:
        time: float64 (n,), seconds of the emitter's time.
        number: int64 (n,), how many its source (its burst, the rate) has borne before.
        place: int64 (n,), of a burst: its place among those born with it.
        total: int64 (n,), of a burst: how many are born at once; 0 for births by rate.
    """

    time: NDArray[np.float64]
    number: NDArray[np.int64]
    place: NDArray[np.int64]
    total: NDArray[np.int64]


@dataclass(frozen=True)
class _Scale(Components):
    """Three factors, or one for all."""

    def read(self, value: Any) -> tuple[Any, ...]:
        """A tuple of three."""
        if not is_list(value):
            value = (self.each.read(value),) * 3
        return super().read(value)

    def schema(self) -> dict[str, Any]:
        """A number, or an array of three."""
        return {"anyOf": [self.each.schema(), super().schema()]}


_SCALE = _Scale("a scale", Number("a factor"))


@description(kw_only=True)
class Shape(Kind):
    """Where particles are born. Make a kind of a subclass with `shape`.

    Args:
        offset: Moves the shape, in world units.
        scale: Factor of the shape's size, before it is moved; one number, or one for each axis.
    """

    family: ClassVar[str] = "shape"

    offset: Vec3 = default((0.0, 0.0, 0.0))
    scale: Takes[float | Vec3Like, Annotated[tuple[float, float, float], _SCALE]] = default(
        (1.0, 1.0, 1.0)
    )

    @property
    def spread(self) -> float:
        """Half-angle in degrees that the shape adds to the emitter's spread."""
        return 0.0

    @property
    def phased(self) -> bool:
        """Whether births follow each other through it, and so carry a phase."""
        return False

    def phases(self, births: Moments) -> NDArray[np.float64]:
        """Where births that follow each other have got to, in double precision.

        Returns:
            (n,), what the kernel finds as ``birth.phase`` and the twin as ``random.phase``.
        """
        raise NotImplementedError

    def sample(self, random: Random) -> Places:
        """Places of birth, by the kernel's arithmetic, without the offset and the scale.

        Args:
            random: The particles' random numbers; each `next` is one draw of the kernel.
        """
        raise NotImplementedError


@description(kw_only=True)
class Arced(Shape):
    """A shape round an axis, of which births may take a part, and in an order.

    Args:
        arc: Degrees round the axis that are used, 0 to 360, from +X towards +Z (a `Circle`: round
            its normal).
        arc_mode: ``"random"``: anywhere. ``"loop"``: births follow a point that runs through the
            arc, and begins again at its end. ``"ping_pong"``: and turns back at its end.
            ``"spread"``: those of one burst are spread evenly, the k-th of n at k/n; those by rate
            lie the golden ratio of the arc apart.
        arc_speed: How fast that point runs, in turns of 360 degrees a second; negative backwards.
    """

    arc: Annotated[float, Number("an arc", "degrees", least=0, most=360)] = 360.0
    arc_mode: ArcMode = "random"
    arc_speed: Annotated[float, Number("a speed", "turns/s")] = 1.0

    @property
    def phased(self) -> bool:
        """Whether births follow each other along the arc."""
        return self.arc_mode != "random"

    def phases(self, births: Moments) -> NDArray[np.float64]:
        """Fractions of the arc."""
        if self.arc_mode == "spread":
            by_rate = births.number * GOLDEN % 1.0
            return np.where(births.total > 0, births.place / np.maximum(births.total, 1), by_rate)
        passed = births.time * (self.arc_speed * 360.0 / self.arc if self.arc else 0.0)
        if self.arc_mode == "ping_pong":
            return 1.0 - np.abs(1.0 - passed % 2.0)
        return passed % 1.0

    def turned(self, random: Random) -> Floats:
        """Angles round the axis in radians, float32 (n,); the twin of ``arc_next``."""
        share = random.phase if self.phased else random.next()
        return TAU * np.float32(self.arc / 360.0) * share


@dataclass_transform(frozen_default=True)
def shape(cls: type[S]) -> type[S]:
    """Register a class of shapes: see ``docs/contributing.md``, 'add a shape'."""
    return register(Shape, cls)
