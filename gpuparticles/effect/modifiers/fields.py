"""Fields that fill a space: turbulence, wind, and samples of a force."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self

import numpy as np

from gpuparticles.effect.arrays import Array, ArrayLike, Rows
from gpuparticles.effect.description import Takes, default
from gpuparticles.effect.kinds import DIRECTION, PHASE
from gpuparticles.effect.modifiers.base import (
    Flow,
    Force,
    Particles,
    Phase,
    Pull,
    Space,
    modifier,
)
from gpuparticles.effect.noise import curl_noise, line_noise, wrapped
from gpuparticles.effect.rules import Components, Number
from gpuparticles.effect.values import Floats, Vec3, Vec3Like

__all__ = ["Turbulence", "VectorField", "Wind"]

_FAR = 1e6  # cells or boxes, beyond which a field is held: float32 has no more there


@modifier
class Turbulence(Force):
    """Push along a random flow that swirls without sources or sinks, as smoke is pushed.

    ``velocity += strength * h * curl_noise((position - scroll * time) * frequency)``: the curl of
    a random vector potential (Bridson et al., "Curl-Noise for Procedural Fluid Flow", SIGGRAPH
    2007), whose RMS is 1 whatever the frequency and the octaves. It repeats after 256 swirls.
    `Drag` beside it keeps particles from gathering speed.

    Args:
        strength: RMS of the acceleration in units/s^2.
        frequency: Swirls a unit: at 0.5 they are about 2 units apart. 0 or more.
        octaves: How many flows are added up, each twice as fine as the one before; 1 to 8. The
            cost follows their number.
        roughness: How strong each octave is beside the one before, 0 to 1.
        scroll: How the flow moves, in units/s.
        space: What the flow fills: the world, or the emitter's space, with which it moves.
    """

    framed: ClassVar[bool] = True

    strength: Annotated[float, Number("a strength")]
    frequency: Annotated[float, Number("a frequency", least=0)] = 1.0
    octaves: Annotated[int, Number("a number of octaves", least=1, most=8, whole=True)] = 1
    roughness: Annotated[float, Number("a roughness", least=0, most=1)] = 0.5
    scroll: Vec3 = default((0.0, 0.0, 0.0))
    space: Space = "world"

    @classmethod
    def example(cls) -> Self:
        """Two octaves in the swarm."""
        return cls(4, octaves=2)

    @property
    def phased(self) -> bool:
        """It is."""
        return True

    def phase(self, time: float, origin: tuple[float, float, float]) -> Phase:
        """Where the particles' origin lies in the flow, in cells."""
        x, y, z = (
            wrapped((o - s * time) * self.frequency)
            for o, s in zip(origin, self.scroll, strict=True)
        )
        return x, y, z, 0.0

    def acceleration(self, particles: Particles, strength: Floats, phase: Floats) -> Floats:
        """Octave by octave."""
        scroll = np.array(self.scroll, np.float32) * particles.time[:, None]
        with np.errstate(over="ignore"):
            q = (particles.position - scroll) * np.float32(self.frequency)
        q = np.clip(q, -_FAR, _FAR) + phase[:3]
        total, share, power = np.zeros_like(q), np.float32(1), np.float32(0)
        for octave in range(self.octaves):
            total += share * curl_noise(q, octave)
            power += share * share
            share *= np.float32(self.roughness)
            q = q * 2
        return np.asarray(total * (strength / np.sqrt(power))[:, None], np.float32)


@modifier
class Wind(Flow):
    """Air that moves and carries particles along; a particle at rest in still air slows down.

    ``velocity = air + (velocity - air) * exp(-rate * h)`` with ``air = velocity * (1 + gusts *
    noise)``, whatever the step. The noise lies between -1 and 1 and comes along with the wind, so
    that gusts reach one place after the other.

    Args:
        velocity: The wind's, in units/s; what flies in it long enough is as fast.
        rate: How fast particles take it on, in 1/s, 0 or more: large for smoke and leaves, small
            for stones. As that of `Drag`.
        gusts: How much the wind swells and sinks, as a fraction of its velocity.
        gust_frequency: Gusts a second that pass a fixed place.
        space: Where the wind blows: in the world or in the emitter's space.
    """

    framed: ClassVar[bool] = True

    velocity: Annotated[Vec3, DIRECTION]
    rate: Annotated[float, Number("a rate", least=0)] = 1.0
    gusts: Annotated[float, Number("a fraction", least=0)] = 0.0
    gust_frequency: Annotated[float, Number("a frequency", least=0)] = 0.5
    space: Space = "world"

    @classmethod
    def example(cls) -> Self:
        """A gusty wind from the left."""
        return cls((3, 0, 0), rate=1.5, gusts=0.8, gust_frequency=2)

    @property
    def phased(self) -> bool:
        """It is."""
        return True

    def phase(self, time: float, origin: tuple[float, float, float]) -> Phase:
        """How many gusts a unit lie along each axis, and how many have passed the origin."""
        speed = math.hypot(*self.velocity)
        scale = self.gust_frequency / speed / speed if speed > 1e-15 else 0.0
        x, y, z = (min(max(scale * v, -1e30), 1e30) for v in self.velocity)
        passed = time * self.gust_frequency - (x * origin[0] + y * origin[1] + z * origin[2])
        return x, y, z, wrapped(passed)

    def pull(self, particles: Particles, strength: Floats, phase: Floats) -> Pull:
        """Towards the air's velocity."""
        with np.errstate(over="ignore"):
            along = np.sum(particles.position * phase[:3], axis=1)
        q = particles.time * np.float32(self.gust_frequency) - np.clip(along, -_FAR, _FAR)
        swell = 1 + np.float32(self.gusts) * line_noise(q + phase[3], 0)
        rate = np.full(len(strength), self.rate, np.float32)
        return Pull(strength * swell[:, None], rate)


@dataclass(frozen=True)
class _Samples(Rows):
    """Vectors on a grid of shape (z, y, x, 3), or the path of a .npy file that holds one."""

    # Before them lies a row that says how many there are along each axis.

    def rows(self, value: Any) -> Floats:
        z, y, x, _ = value.shape
        return np.concatenate([np.array([[x, y, z, 0]], np.float32), super().rows(value)])


_SAMPLES = _Samples("vectors of a field", 3, axes=3)
_HALF = Components("half a size", Number("half a size", least=0))


@modifier
class VectorField(Force):
    """Push as samples of a force in a box say; between them it is linear.

    ``velocity += strength * h * field(position)``

    Args:
        strength: Factor of the samples.
        field: The samples in units/s^2: an array of shape (z, y, x, 3), or the path of a .npy
            file that holds one. The outermost lie on the faces of the box, and there is nothing
            outside of it.
        half: Half the box' size along x, y and z, in units.
        center: The middle of the box, in units.
        tile: Whether the box repeats in all directions instead; the first sample along each axis
            then also follows the last.
        space: Where the box lies: in the world or in the emitter's space, with which it turns.
    """

    framed: ClassVar[bool] = True

    strength: Annotated[float, Number("a strength")]
    field: Takes[ArrayLike, Annotated[Array, _SAMPLES]]
    half: Takes[Vec3Like, Annotated[tuple[float, float, float], _HALF]] = default((1.0, 1.0, 1.0))
    center: Annotated[Vec3, PHASE] = default((0.0, 0.0, 0.0))
    tile: bool = False
    space: Space = "emitter"

    @classmethod
    def example(cls) -> Self:
        """A whirl about a square, inwards below and outwards above."""
        below = [[(-2, 2, 8), (-8, 2, -2)], [(8, 2, 2), (2, 2, -8)]]
        above = [[(-7, 2, 3), (-3, 2, -7)], [(3, 2, 7), (7, 2, -3)]]
        field = [list(layers) for layers in zip(below, above, strict=True)]
        return cls(1.0, np.array(field), half=(1.5, 1.5, 1.5))

    @property
    def phased(self) -> bool:
        """It is."""
        return True

    def phase(self, time: float, origin: tuple[float, float, float]) -> Phase:
        """Where the particles' origin lies in the box, from 0 to 1 along each axis."""
        x, y, z = (
            min(max((o - c) / max(2 * h, 1e-30) + 0.5, -_FAR), _FAR)
            for o, c, h in zip(origin, self.center, self.half, strict=True)
        )
        return (x % 1, y % 1, z % 1, 0.0) if self.tile else (x, y, z, 0.0)

    def acceleration(self, particles: Particles, strength: Floats, phase: Floats) -> Floats:
        """Trilinear, written out as in the shader."""
        half = np.array(self.half, np.float32)
        with np.errstate(over="ignore"):
            u = particles.position / np.maximum(2 * half, np.float32(1e-30))
        u = np.clip(u, -np.float32(_FAR), np.float32(_FAR)) + phase[:3]
        samples = self.field.data
        count = np.array(samples.shape[2::-1], np.int32)
        if self.tile:
            g = (u - np.floor(u)) * count.astype(np.float32)
        else:
            g = np.clip(u, 0, 1) * (count - 1).astype(np.float32)
        cell = np.minimum(np.floor(g), (count - 1).astype(np.float32))
        f = (g - cell).astype(np.float32)
        first = cell.astype(np.int32)
        total = np.zeros_like(f)
        for corner in range(8):
            side = np.array((corner & 1, (corner >> 1) & 1, corner >> 2))
            x, y, z = ((first + side) % count).T
            weight = np.prod(np.where(side, f, 1 - f), axis=1, keepdims=True)
            total += samples[z, y, x] * weight
        inside = self.tile | np.all((u >= 0) & (u <= 1), axis=1, keepdims=True)
        return np.asarray(np.where(inside, total * strength[:, None], 0), np.float32)
