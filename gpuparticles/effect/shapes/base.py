"""What a shape is, and what its kernel and its twin give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, NamedTuple, TypeVar, dataclass_transform

from gpuparticles.effect.description import Takes, default, description
from gpuparticles.effect.kinds import Kind, register
from gpuparticles.effect.random import Random
from gpuparticles.effect.rules import Components, Number, is_list
from gpuparticles.effect.values import Floats, Vec3, Vec3Like

__all__ = ["Places", "Shape", "shape"]

S = TypeVar("S", bound="Shape")


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

    def sample(self, random: Random) -> Places:
        """Places of birth, by the kernel's arithmetic, without the offset and the scale.

        Args:
            random: The particles' random numbers; each `next` is one draw of the kernel.
        """
        raise NotImplementedError


@dataclass_transform(frozen_default=True)
def shape(cls: type[S]) -> type[S]:
    """Register a class of shapes: see ``docs/contributing.md``, 'add a shape'."""
    return register(Shape, cls)
