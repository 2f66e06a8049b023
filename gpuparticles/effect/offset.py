"""Where an emitter sits within its effect."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any

from gpuparticles.effect.description import Takes, default, description
from gpuparticles.effect.rules import Components, Number, is_list

__all__ = ["Offset"]

# Together with a transform, whose numbers go up to 1e30, float32 must hold it.
_FARTHEST = 1e8
_COMPONENT = Number("a component", least=-_FARTHEST, most=_FARTHEST)
_FACTOR = Number("a factor", least=-_FARTHEST, most=_FARTHEST)
_Vec3 = tuple[float, float, float]


@dataclass(frozen=True)
class _Scale(Components):
    """Three factors, or one for all three axes."""

    def read(self, value: Any) -> tuple[Any, ...]:
        """Three factors."""
        if is_list(value):
            return super().read(value)
        factor = self.each.read(value)
        return factor, factor, factor

    def schema(self) -> dict[str, Any]:
        """A number, or an array of three."""
        return {"anyOf": [self.each.schema(), super().schema()]}


@description
class Offset:
    """Where an emitter sits within its effect, and so rides along when the effect moves.

    It acts as if the emitter were an effect of its own, played with the transform
    ``effect * translate(position) * rotate(rotation) * scale``.

    Args:
        position: In the effect's space, in units; each component up to 1e8.
        rotation: Degrees about the effect's X axis, then about its Y, then about its Z axis.
        scale: One factor or three, along the emitter's own axes; negative ones mirror. As a
            transform's, it acts at birth: on places and the direction of launch.
    """

    position: Takes[Iterable[float], Annotated[_Vec3, Components("a position", _COMPONENT)]] = (
        default((0.0, 0.0, 0.0))
    )
    rotation: Takes[
        Iterable[float], Annotated[_Vec3, Components("a rotation", Number("an angle", "degrees"))]
    ] = default((0.0, 0.0, 0.0))
    scale: Takes[float | Iterable[float], Annotated[_Vec3, _Scale("a scale", _FACTOR)]] = default(
        1.0
    )
