"""At which ticks it is written down where an emitter's particles are, for their trails.

Marks lie at whole multiples of a number of ticks, so how time is cut does not matter, and which
there have been follows from the emitter's clock. Of the newest the place is kept: mark number n in
plane n modulo `planes`. What a particle was not yet born at is known by the mark at or before its
birth.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from gpuparticles.effect.trail import Trail
from gpuparticles.playback.clock import Clock

__all__ = ["COUNTED", "Marks", "marks_of"]

COUNTED = 0xFFFFFFFF
"""The GPU counts marks in 32 bits; only how many lie between two matters there."""


class Marks(NamedTuple):
    """When marks are set, and how many are kept.

    Args:
        every: Ticks from one to the next.
        planes: How many are kept.
    """

    every: int
    planes: int

    def last(self, tick: int) -> int:
        """The number of the mark at a tick, or of the last one before it."""
        return tick // self.every

    def due(self, begin: int, end: int) -> range:
        """The numbers of the marks after a tick and up to another, only those that are kept."""
        last = self.last(end)
        return range(max(self.last(begin), last - self.planes) + 1, last + 1)


def marks_of(trail: Trail, clock: Clock, fps: float | None = None) -> Marks:
    """The marks for a trail: one beyond its end, between which and the next it is cut.

    Args:
        trail: The trail.
        clock: Has the ticks.
        fps: Frames a second of what is simulated in frames: what is seen lags by up to one.
    """
    every = max(1, math.ceil(trail.lifetime * clock.per_second / trail.segments))
    behind = 0.0 if fps is None else clock.per_second / fps
    # Marks within the time, one that begins it, and one that a rounded clock may be ahead.
    planes = trail.segments + 1 + (math.ceil(behind / every) + 1 if behind else 0)
    return Marks(every, planes)
