"""Randomness without state: a hash of a particle's seed and a channel.

The twin of ``glsl/lib/random.glsl``, equal to the bit. The same seed and channel give the same
number on every machine, at any frame rate, in any slot.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gpuparticles.effect.values import Floats

__all__ = [
    "AMOUNT",
    "ANGULAR_VELOCITY",
    "AXIS",
    "COLOR",
    "DIRECTION",
    "FRAME",
    "HANDEDNESS",
    "HEIGHT",
    "INHERIT_VELOCITY",
    "LIFETIME",
    "MODIFIER",
    "ORIENTATION",
    "RADIAL_SPEED",
    "ROTATION",
    "SHAPE",
    "SIZE",
    "SPEED",
    "STRETCH",
    "VELOCITY",
    "WIDTH",
    "Random",
    "Seeds",
    "pcg",
    "signed",
    "uniform",
]

# What a particle draws, one channel a number. Equal to the constants of lib/random.glsl.
LIFETIME: Final = 0
SPEED: Final = 1
SIZE: Final = 2
ROTATION: Final = 3
ANGULAR_VELOCITY: Final = 4
STRETCH: Final = 5
DIRECTION: Final = 6  # and 7
HANDEDNESS: Final = 8
VELOCITY: Final = 9  # to 11, a component each
COLOR: Final = 12
WIDTH: Final = 13
HEIGHT: Final = 14
FRAME: Final = 15
SHAPE: Final = 16  # and on, in the order of drawing
MODIFIER: Final = 32  # plus the modifier's place in the list
AMOUNT: Final = 1 << 16  # whether it is born at all; drawn on the CPU alone
RADIAL_SPEED: Final = (1 << 16) + 1
INHERIT_VELOCITY: Final = (1 << 16) + 2
ORIENTATION: Final = (1 << 16) + 16  # to 18
AXIS: Final = (1 << 16) + 19  # and 20

Seeds = NDArray[np.uint32]


def pcg(value: ArrayLike) -> Seeds:
    """Hash 32-bit integers: PCG's output permutation RXS-M-XS after one step of its generator.

    Args:
        value: uint32, any shape; Python ints below 2^32 as well.

    Returns:
        uint32 of the shape of `value`. A bijection: different values stay different.
    """
    with np.errstate(over="ignore"):  # arithmetic is modulo 2^32, for scalars too
        state = np.asarray(value, np.uint32) * np.uint32(747796405) + np.uint32(2891336453)
        word = ((state >> ((state >> np.uint32(28)) + np.uint32(4))) ^ state) * np.uint32(277803737)
    return np.asarray((word >> np.uint32(22)) ^ word, np.uint32)


def uniform(seed: ArrayLike, channel: ArrayLike) -> Floats:
    """A number of each seed in a channel, uniform in [0, 1).

    Args:
        seed: uint32 seeds of particles.
        channel: What the number is for; it broadcasts with `seed`.

    Returns:
        float32, multiples of 2^-24.
    """
    bits = pcg(np.asarray(seed, np.uint32) ^ pcg(channel))
    return np.asarray((bits >> np.uint32(8)).astype(np.float32) * np.float32(2.0**-24))


def signed(seed: ArrayLike, channel: ArrayLike) -> Floats:
    """A number of each seed in a channel, uniform in [-1, 1)."""
    return np.asarray(2 * uniform(seed, channel) - 1, np.float32)


class Random:
    """The numbers that a shape draws for a batch of particles, one channel after the other.

    Args:
        seeds: uint32 (n,) seeds of the particles.
        phase: float32 (n,), what the shape made of the births; see `Shape.phases`.
    """

    def __init__(self, seeds: ArrayLike, phase: Floats | None = None) -> None:
        self.seeds: Seeds = np.asarray(seeds, np.uint32)
        self.phase = np.zeros(len(self.seeds), np.float32) if phase is None else phase
        self._channel = SHAPE

    def next(self) -> Floats:
        """The next number of each particle: float32 (n,), uniform in [0, 1)."""
        drawn = uniform(self.seeds, self._channel)
        self._channel += 1
        return drawn
