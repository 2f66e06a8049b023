"""Births all at once: bursts that repeat, bursts in which chance has a say, pulses."""

from __future__ import annotations

from bisect import bisect_left
from math import ceil, floor
from typing import TYPE_CHECKING, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from gpuparticles.effect.random import pcg
from gpuparticles.playback.population import pcg_int
from gpuparticles.playback.profile import SMALL, Moments
from gpuparticles.playback.saved import Limits, Saves

if TYPE_CHECKING:
    from gpuparticles.effect.effect import Pulse

__all__ = ["Listed", "Pulsing", "Volley", "base_of", "drawn", "sum_draws"]

# Draws that a skip makes one by one, and how many at a time; the others count as their mean.
_MOST_DRAWS = 1 << 22
_DRAWS = 1 << 16

# What a source draws besides its particles' seeds.
_DRAWN = 1 << 17

# Whole intervals that rounding has made a little more or less.
_NEARLY = 1e-9


class _Schedule(Protocol):
    """Moments of a loop, ascending, in seconds after its begin."""

    a_loop: int

    def before(self, t: float) -> int:
        """How many of them lie before t."""

    def times(self, index: NDArray[np.int64]) -> NDArray[np.float64]:
        """When those with these numbers are."""


class Listed:
    """Moments one by one."""

    def __init__(self, times: list[float]) -> None:
        self._times = times
        self._array = np.array(times)
        self.a_loop = len(times)

    def before(self, t: float) -> int:
        """How many of them lie before t."""
        return bisect_left(self._times, t)

    def times(self, index: NDArray[np.int64]) -> NDArray[np.float64]:
        """When those with these numbers are."""
        return self._array[index]


class Pulsing:
    """The moments of a Pulse: every interval of the active part of every cycle, in the loop."""

    def __init__(self, pulse: Pulse, duration: float) -> None:
        self._cycle, self._interval = pulse.cycle, pulse.interval
        self._a_cycle = max(1, ceil(pulse.active / pulse.interval - _NEARLY))
        self.a_loop = 1 << 62  # only this many so far
        self.a_loop = self.before(duration)

    def before(self, t: float) -> int:
        """How many of them lie before t; what is at t, but for rounding, does not."""
        cycles = floor(t / self._cycle)
        rest = max(t - cycles * self._cycle, 0.0)
        count = cycles * self._a_cycle
        count += min(max(ceil(rest / self._interval - _NEARLY), 0), self._a_cycle)
        return min(count, self.a_loop)

    def times(self, index: NDArray[np.int64]) -> NDArray[np.float64]:
        """When those with these numbers are."""
        cycle, number = np.divmod(index, self._a_cycle)
        return cycle * self._cycle + number * self._interval


class Volley(Saves):
    """Births all at once, at the moments of a schedule in every loop, with a say of chance.

    Args:
        schedule: When it fires.
        source: The source of its births, for its user.
        low: The fewest births of a firing.
        high: The most of them.
        probability: How likely each firing is to happen.
        base: What its draws come from, one a firing by its number.
    """

    SAVED = ("_born", "_fired", "_since")
    LIMITS: ClassVar[Limits] = dict.fromkeys(SAVED, (0, 2**62))

    def __init__(
        self, schedule: _Schedule, source: int, low: int, high: int, probability: float, base: int
    ) -> None:
        self._schedule = schedule
        self.source = source
        self._low, self._choices = low, high - low + 1
        self._below = round(probability * 2.0**32)
        self._base = base
        self._sure = low == high and probability == 1.0
        self.most_a_loop = schedule.a_loop * max(high, 1)
        self.reset()

    def reset(self) -> None:
        """Number births and firings from 0 again."""
        self._born = 0
        self._fired = 0
        self._since = 0

    def start(self) -> None:
        """Begin with a first loop again; births and firings are numbered on."""
        self._since = 0  # firings since the start

    def goes_on(self, loops: int) -> bool:
        """Whether it fires once more before the end of a loop."""
        return self._since < (loops + 1) * self._schedule.a_loop

    def behind(self, loops: int, local: float) -> bool:
        """Whether it has not fired for all that has passed."""
        return loops * self._schedule.a_loop + self._schedule.before(local) > self._since

    def run(
        self, loops: int, local: float, wraps: int, begin: float, duration: float, dt: float
    ) -> tuple[int, Moments] | None:
        """What it brings in a step: the number of its first birth, and their moments.

        Args:
            loops: Loops that are over at the end of the step.
            local: Seconds since the begin of the present one then.
            wraps: How many of them ended in the step.
            begin: As `local`, at the begin of the step.
            duration: Seconds of a loop.
            dt: Seconds of the step.
        """
        since = self._since
        fires = self._pass(loops, local)
        if not fires:
            return None
        counts = self._counts(self._fired - fires, fires)
        loop, index = np.divmod(np.arange(since, since + fires), self._schedule.a_loop)
        moments = (loop - (loops - wraps)) * duration + (self._schedule.times(index) - begin)
        moments = np.repeat(np.clip(moments, 0.0, dt), counts)
        if not len(moments):
            return None
        first = self._born
        self._born += len(moments)
        return first, moments.tolist() if len(moments) <= SMALL else moments

    def skip(self, loops: int, local: float) -> int:
        """How many births it brings meanwhile; see Timeline.skip."""
        fires = self._pass(loops, local)
        if self._sure:
            births = fires * self._low
        else:
            first, drawn = self._fired - fires, min(fires, _MOST_DRAWS)
            births = sum(
                int(self._counts(first + k, min(_DRAWS, drawn - k)).sum())
                for k in range(0, drawn, _DRAWS)
            )
            mean = (self._low + 0.5 * (self._choices - 1)) * self._below * 2.0**-32
            births += int((fires - drawn) * mean)
        self._born += births
        return births

    def _pass(self, loops: int, local: float) -> int:
        """Pass to a moment; return how often it fired."""
        schedule = self._schedule
        until = loops * schedule.a_loop + schedule.before(local)
        fires = max(until - self._since, 0)
        self._since += fires
        self._fired += fires
        return fires

    def _counts(self, first: int, fires: int) -> NDArray[np.int64]:
        """The births of so many firings, each drawn by its number."""
        if self._sure:
            return np.full(fires, self._low)
        drawn = _draws(self._base, first, fires)
        counts = (pcg(drawn).astype(np.uint64) * np.uint64(self._choices)) >> np.uint64(32)
        return np.where(drawn < self._below, counts.astype(np.int64) + self._low, 0)


def base_of(seed: int, source: int) -> int:
    """What a source of an emitter draws from, apart from its particles.

    Args:
        seed: The emitter's seed.
        source: The source.
    """
    return pcg_int(seed ^ pcg_int(source + _DRAWN))


def drawn(base: int, number: int) -> int:
    """One of the draws of a base: 32 bits."""
    return pcg_int(base ^ pcg_int(number & 0xFFFFFFFF))


def sum_draws(base: int, first: int, count: int) -> float:
    """The sum of so many draws, as numbers from 0 to 1; see Timeline.skip."""
    made = min(count, _MOST_DRAWS)
    bits = sum(
        float(_draws(base, first + k, min(_DRAWS, made - k)).sum(dtype=np.float64))
        for k in range(0, made, _DRAWS)
    )
    return bits * 2.0**-32 + 0.5 * (count - made)


def _draws(base: int, first: int, count: int) -> NDArray[np.uint32]:
    """`drawn` of so many numbers."""
    return pcg(np.uint32(base) ^ pcg(np.arange(first, first + count).astype(np.uint32)))
