"""What each particle of an emitter draws when it is born: the shaders' and the reference's list."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from gpuparticles.effect import random
from gpuparticles.effect.values import Curve, Range

if TYPE_CHECKING:
    from gpuparticles.effect.effect import Emitter

__all__ = ["Draw", "draws", "over_loop"]

_TURN = 1 / 360  # turns a degree


class Draw(NamedTuple):
    """A scalar of a birth.

    Args:
        name: What it is; its channel in lib/random.glsl has this name, and ``u_<name>`` holds it.
        axis: Of a vector, which component: counted on from that channel.
        value: As the author gave it.
        factor: What it is multiplied with for a shader.
        channel: The channel of effect.random.
    """

    name: str
    axis: int | None
    value: float | Range | Curve
    factor: float
    channel: int

    @property
    def key(self) -> str:
        """The name, with the axis of a component behind it."""
        return self.name if self.axis is None else f"{self.name}{self.axis}"

    @property
    def curve(self) -> Curve | None:
        """The curve over the loop, in the shader's units, if it is one."""
        return self.value.times(self.factor) if isinstance(self.value, Curve) else None

    @property
    def pair(self) -> tuple[float, float]:
        """The lowest value and the width of the range, in the shader's units, if it is none."""
        match self.value:
            case Curve():
                raise TypeError(f"{self.name} is a curve")
            case Range(low, high):
                return low * self.factor, (high - low) * self.factor
            case constant:
                return constant * self.factor, 0.0


def draws(emitter: Emitter) -> Iterator[Draw]:
    """All that a birth draws on the GPU; the lifetime is drawn on the CPU."""
    if emitter.velocity is None:
        yield Draw("speed", None, emitter.speed, 1.0, random.SPEED)
    else:
        for axis, component in enumerate(emitter.velocity):
            yield Draw("velocity", axis, component, 1.0, random.VELOCITY + axis)
    yield Draw("size", None, emitter.size, 1.0, random.SIZE)
    yield Draw("rotation", None, emitter.rotation, _TURN, random.ROTATION)
    turning = emitter.angular_velocity
    yield Draw("angular_velocity", None, turning, _TURN, random.ANGULAR_VELOCITY)
    yield Draw("stretch", None, emitter.sprite.stretch, 1.0, random.STRETCH)


def over_loop(emitter: Emitter) -> bool:
    """Whether a birth needs to know on the GPU how far the loop has come."""
    return any(isinstance(drawn.value, Curve) for drawn in draws(emitter))
