"""Which births are due in a step, and at which moment of it.

Nothing here knows about slots, seeds or what a particle is; time is passed in, never read.

One loop of an emitter with two bursts and a rate of 4/s, cut into three steps::

    loop     |0                                                 duration|0
    step     |----------------|----------------|-----------------|------
    bursts   A                        B                                 A
    rate            1       2       3       4       5       6       7

A burst belongs to the step with ``begin <= time < end``. The rate brings birth #k when its
integral over the emitting time reaches k, in the step with ``begin < moment <= end``; the
integral carries on from loop to loop.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from math import inf
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpuparticles.effect.effect import MOST_A_SECOND
from gpuparticles.errors import EffectError
from gpuparticles.playback.saved import Saves

if TYPE_CHECKING:
    from gpuparticles.effect.effect import Burst

__all__ = ["MANUAL", "RATE", "Run", "Timeline"]

RATE = 1 << 16
"""The source of the births that an emitter's rate brings; a burst's source is its index."""

MANUAL = RATE + 1
"""The source of births asked for by hand; a timeline has none of them."""

_SMALL = 16  # up to so many moments a run, a list is faster than an array

# Sixty steps of 1/60 s do not quite make a second in binary. So that rounding never takes the
# last birth from a one-shot, or moves a birth to the step after its own, one that is missed by
# this many seconds counts as reached. (Above 10 births/s: by 1e-9 of a birth.)
_SNAP = 1e-10


class Run(NamedTuple):
    """The births of one source that are due in one step.

    Attributes:
        source: Where they come from: the index of a burst, `RATE` or `MANUAL`.
        first: The number of the first one in its source; the others count on from it.
        moments: When, in seconds after the begin of the step, ascending: a list of up to 16, else
            a float64 array.
    """

    source: int
    first: int
    moments: list[float] | NDArray[np.float64]


class Timeline(Saves):
    """The births of one emitter in the course of time.

    However a span of time is cut into steps, it brings the same births. Nothing drifts: loops are
    counted in whole numbers, and of the rate's integral only the part since the last birth is kept.

    Args:
        rate: Births per second, 0 or more.
        bursts: At most 65,536 of them.
        duration: Seconds of one loop, or those for which a one-shot emits at its rate.
        loop: Whether it begins again after `duration`. A one-shot still fires bursts after it.

    Raises:
        EffectError: The rate is negative or not finite; or a looping timeline has no duration, or
            a burst that is not within it.
    """

    SAVED = (
        "_rate",
        "_snap",
        "_local",
        "_loops",
        "_looping",
        "_stopped",
        "_partial",
        "_next",
        "_fired",
        "_born",
    )

    def __init__(
        self, *, rate: float, bursts: Sequence[Burst], duration: float, loop: bool
    ) -> None:
        latest = max((burst.time for burst in bursts), default=0.0)
        if loop and not latest < duration:
            raise EffectError(
                f"duration: {duration!r} s given with a burst at {latest!r} s; "
                f"in a loop it must be above 0 and above the time of every burst"
            )
        firing = sorted(
            (burst.time, source, burst.count) for source, burst in enumerate(bursts) if burst.count
        )
        self._times = [*(time for time, _, _ in firing), inf]
        self._sources = [source for _, source, _ in firing]
        self._counts = [count for _, _, count in firing]
        self._duration = duration
        self._loop = loop
        self.rate = rate
        self.reset()

    @property
    def rate(self) -> float:
        """Births per second; a change keeps what has accumulated towards the next birth."""
        return self._rate

    @rate.setter
    def rate(self, rate: float) -> None:
        if not 0.0 <= rate <= MOST_A_SECOND:
            raise EffectError(f"rate: {rate!r} given; from 0 to {MOST_A_SECOND:.0f} is allowed")
        self._rate = float(rate)
        self._snap = min(self._rate, 10.0) * _SNAP

    @property
    def time(self) -> float:
        """Seconds since the start."""
        return self._loops * self._duration + self._local

    @property
    def duration(self) -> float:
        """Seconds of one loop."""
        return self._duration

    @property
    def fraction(self) -> float:
        """How far the loop has come, 0 to 1; a one-shot stays at 1 when its duration is over."""
        return min(self._local / self._duration, 1.0)

    def fractions(self, ago: NDArray[np.float64]) -> NDArray[np.float64]:
        """How far the loop had come so many seconds ago: from 0 at its begin to 1 at its end.

        The moment at which one loop ends and the next begins belongs to the next.
        """
        done = np.maximum(self._local - ago, -self._loops * self._duration) / self._duration
        if not self._looping:
            return np.clip(done, 0.0, 1.0)
        return np.maximum(done - np.floor(done + 1e-9), 0.0)

    @property
    def exhausted(self) -> bool:
        """Whether no birth can come any more, unless somebody starts it or changes its rate.

        A timeline that still loops is not exhausted, even if it has neither rate nor bursts.
        """
        if self._stopped:
            return True
        if self._looping or self._times[self._next] < inf:
            return False
        left = self._duration - self._local
        # Twice the tolerance, to be sure where `_reach` rounds the other way.
        return left <= 0.0 or self._partial + self._rate * left + 2.0 * self._snap < 1.0

    def advance(self, dt: float) -> list[Run]:
        """Let time pass.

        Args:
            dt: Seconds, above 0 and finite.

        Returns:
            The births due, a run for each source that has any, ordered by source.
        """
        begin = self._local
        wraps = self._pass(dt)
        if self._stopped:
            return []
        runs = []
        if wraps or self._times[self._next] < self._local:
            runs = [
                Run(source, first, _burst_moments(moment, self._duration, fires, count, dt))
                for source, first, moment, fires, count in self._fire(begin, wraps)
            ]
            runs.sort()
        partial = self._partial
        births = self._reach(begin, dt)
        if births:
            first = self._born - births
            rate = self._rate
            if births <= _SMALL:
                moments = [min((k - partial) / rate, dt) for k in range(1, births + 1)]
                runs.append(Run(RATE, first, moments))
            else:
                many = np.arange(1.0, births + 1.0)
                many -= partial
                many /= rate
                runs.append(Run(RATE, first, np.minimum(many, dt, out=many)))
        return runs

    def skip(self, dt: float) -> int:
        """Let time pass as `advance` does, and only count the births that were due.

        Args:
            dt: Seconds, above 0 and finite; any number of births is fine.
        """
        begin = self._local
        wraps = self._pass(dt)
        if self._stopped:
            return 0
        births = sum(fires * count for _, _, _, fires, count in self._fire(begin, wraps))
        return births + self._reach(begin, dt)

    def stop(self) -> None:
        """Bring no more births; time goes on."""
        self._stopped = True

    def retire(self) -> None:
        """Finish the current loop and bring no more births then."""
        self._looping = False

    def start(self) -> None:
        """Begin again at time 0; births are numbered on."""
        self._local = 0.0
        self._loops = 0
        self._looping = self._loop
        self._stopped = False
        self._partial = 0.0  # the rate's integral since its last birth
        self._next = 0  # the first burst of this loop that has not fired, in order of time

    def reset(self) -> None:
        """Begin again at time 0 with births numbered from 0; a rate that was set stays."""
        self._fired = [0] * len(self._counts)
        self._born = 0
        self.start()

    def _pass(self, dt: float) -> int:
        """Move the clock; return how many times the loop began anew."""
        end = self._local + dt
        if not self._looping or end < self._duration:
            self._local = end
            return 0
        loops, rest = divmod(dt, self._duration)  # both exact, so a long step loses nothing
        wraps = int(loops)
        end = self._local + rest
        if end >= self._duration:
            end -= self._duration
            wraps += 1
        self._loops += wraps
        self._local = end
        return wraps

    def _fire(self, begin: float, wraps: int) -> Iterator[tuple[int, int, float, int, int]]:
        """Count the bursts that fired while time passed from `begin`.

        Yields:
            For each its source, the number of its first birth, the moment when it fired first in
            seconds after `begin`, how often it fired (once a loop), and its births each time.
        """
        fired_before = self._next
        fired_now = self._next = bisect_left(self._times, self._local)
        for i in range(len(self._counts)) if wraps else range(fired_before, fired_now):
            again = i < fired_before
            fires = wraps + (i < fired_now) - again
            if fires:
                first = self._fired[i]
                self._fired[i] += fires * self._counts[i]
                moment = self._times[i] - begin + again * self._duration
                yield self._sources[i], first, moment, fires, self._counts[i]

    def _reach(self, begin: float, dt: float) -> int:
        """Integrate the rate over a step; return how many births it reached."""
        if not self._looping:
            dt = min(dt, self._duration - begin)
            if dt <= 0.0:
                return 0
        integral = self._partial + self._rate * dt
        births = int(integral + self._snap)
        self._partial = integral - births
        self._born += births
        return births


def _burst_moments(
    first: float, duration: float, fires: int, count: int, dt: float
) -> list[float] | NDArray[np.float64]:
    """The moments of a burst that fires once per `duration`, a moment for every birth."""
    if fires * count <= _SMALL:
        return [min(first + k * duration, dt) for k in range(fires) for _ in range(count)]
    moments = np.minimum(first + np.arange(fires) * duration, dt)
    return np.repeat(moments, count)
