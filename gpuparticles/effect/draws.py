"""What each particle of an emitter draws when it is born: the shaders' and the reference's list."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from gpuparticles.effect import random
from gpuparticles.effect.values import Curve, Range

if TYPE_CHECKING:
    from gpuparticles.effect.effect import Emitter

__all__ = [
    "GIVEN_COLOR",
    "GIVEN_POSITION",
    "GIVEN_SIZE",
    "GIVEN_VELOCITY",
    "Draw",
    "draws",
    "over_loop",
]

# What a host may give of a birth instead, as bits.
GIVEN_POSITION, GIVEN_VELOCITY, GIVEN_COLOR, GIVEN_SIZE = 1, 2, 4, 8

_TURN = 1 / 360  # turns a degree


class Draw(NamedTuple):
    """A scalar of a birth.

    Args:
        name: What it is; its channel in lib/random.glsl has this name, and ``u_<name>`` holds it.
        axis: Of a vector, which component: counted on from that channel.
        value: As the author gave it.
        factor: What it is multiplied with for a shader.
        channel: The channel of effect.random.
        handed: Whether the particle's handedness is its sign.
    """

    name: str
    axis: int | None
    value: float | Range | Curve
    factor: float
    channel: int
    handed: bool = False

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


def draws(emitter: Emitter, *, every: bool = False) -> Iterator[Draw]:
    """All that a birth draws on the GPU; the lifetime is drawn on the CPU.

    Args:
        emitter: Whose births.
        every: Also what changes nothing, and so is not in use.
    """
    if emitter.velocity is None:
        yield Draw("speed", None, emitter.speed, 1.0, random.SPEED)
    else:
        for axis, component in enumerate(emitter.velocity):
            yield Draw("velocity", axis, component, 1.0, random.VELOCITY + axis)
    yield Draw("size", None, emitter.size, 1.0, random.SIZE)
    if every or emitter.width != 1.0:
        yield Draw("width", None, emitter.width, 1.0, random.WIDTH)
    if every or emitter.height != 1.0:
        yield Draw("height", None, emitter.height, 1.0, random.HEIGHT)
    turn = -_TURN if emitter.handedness == "left" else _TURN
    handed = emitter.handedness == "random"
    yield Draw("rotation", None, emitter.rotation, turn, random.ROTATION, handed)
    turning = emitter.angular_velocity
    yield Draw("angular_velocity", None, turning, turn, random.ANGULAR_VELOCITY, handed)
    if every or emitter.radial_speed != 0.0:
        yield Draw("radial_speed", None, emitter.radial_speed, 1.0, random.RADIAL_SPEED)
    if every or emitter.inherit_velocity != 0.0:
        inherited = emitter.inherit_velocity
        yield Draw("inherit_velocity", None, inherited, 1.0, random.INHERIT_VELOCITY)
    yield Draw("stretch", None, emitter.sprite.stretch, 1.0, random.STRETCH)


def over_loop(emitter: Emitter) -> bool:
    """Whether a birth needs to know on the GPU how far the loop has come."""
    return any(isinstance(drawn.value, Curve) for drawn in draws(emitter))
