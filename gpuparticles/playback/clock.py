"""An emitter's time in whole ticks."""

from __future__ import annotations

import math
from typing import ClassVar

from gpuparticles.playback.saved import Limits, Saves

__all__ = ["Clock", "Frames"]

# Updates that make up a frame do not quite do so in binary: what lacks so little of it is whole.
_NEARLY = 1e-6

# What a lifetime without end counts as: ages are exact for 18 hours, and matter to nothing.
_ENDLESS = 65535.0


class Clock(Saves):
    """Counts an emitter's time in whole ticks, so that ages stay exact in float32.

    A tick is 2**-16 s, or coarser by a power of two where lives are longer than 256 s: a float32
    holds every whole number up to 2**24. What a step leaves over is carried into the next.

    Args:
        longest: The longest lifetime in seconds; may be infinite.

    Attributes:
        per_second: Ticks a second.
        tick: Seconds a tick.
        now: Ticks since the beginning.
    """

    SAVED = ("now", "_carry")
    LIMITS: ClassVar[Limits] = {"now": (0, 2**61), "_carry": (-1, 2)}

    def __init__(self, longest: float) -> None:
        seconds = longest if math.isfinite(longest) else _ENDLESS
        self.per_second = 2.0 ** (24 - max(8, math.ceil(math.log2(max(seconds, 1.0)))))
        self.tick = 1.0 / self.per_second
        self.now = 0
        self._carry = 0.0

    @property
    def seconds(self) -> float:
        """Seconds since the beginning."""
        return (self.now + self._carry) * self.tick

    def advance(self, dt: float) -> int:
        """Pass dt seconds; returns how many whole ticks that is."""
        ticks = self._carry + dt * self.per_second
        whole = int(ticks)
        self._carry = ticks - whole
        self.now += whole
        return whole

    def reset(self) -> None:
        """Back to the beginning."""
        self.now = 0
        self._carry = 0.0


class Frames(Saves):
    """Cuts time into whole frames of one length; what is left over counts towards the next.

    Args:
        fps: Frames a second.
    """

    SAVED = ("_part",)
    LIMITS: ClassVar[Limits] = {"_part": (-1, 2)}

    def __init__(self, fps: float) -> None:
        self.fps = fps
        self._part = 0.0

    @property
    def alpha(self) -> float:
        """How much of the frame after the last whole one has passed, 0 to 1."""
        return min(max(self._part, 0.0), 1.0)

    def advance(self, dt: float) -> int:
        """Pass dt seconds; returns how many whole frames that makes."""
        frames = self._part + dt * self.fps
        whole = int(frames + _NEARLY)
        self._part = frames - whole
        return whole

    def reset(self) -> None:
        """Back to the beginning."""
        self._part = 0.0
