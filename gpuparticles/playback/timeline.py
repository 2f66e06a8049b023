"""Which births are due in a step, and at which moment of it.

Nothing here knows about slots or what a particle is; time is passed in, never read.

One loop of an emitter with two bursts and a rate of 4/s, cut into three steps::

    loop     |0                                                 duration|0
    step     |----------------|----------------|-----------------|------
    bursts   A                        B                                 A
    rate            1       2       3       4       5       6       7

A burst or a pulse belongs to the step with ``begin <= time < end``. The rate brings birth #k when
its integral over the emitting time reaches k, in the step with ``begin < moment <= end``; the
integral carries on from loop to loop. The way travelled brings births as a rate does.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from math import floor, inf
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpuparticles.effect.effect import MOST_A_SECOND, MOST_AT_ONCE
from gpuparticles.effect.mistakes import show
from gpuparticles.effect.values import Curve, Range, span
from gpuparticles.errors import EffectError
from gpuparticles.playback.profile import SMALL, Moments, Profile
from gpuparticles.playback.saved import Limits, Saves
from gpuparticles.playback.volley import Listed, Pulsing, Volley, base_of, drawn, sum_draws

if TYPE_CHECKING:
    from gpuparticles.effect.effect import Burst, Pulse

__all__ = ["DISTANCE", "MANUAL", "PULSE", "RATE", "Run", "Timeline"]

RATE = 1 << 16
"""The source of the births that an emitter's rate brings; a burst's source is its index."""

MANUAL = RATE + 1
"""The source of births asked for by hand; a timeline has none of them."""

PULSE = RATE + 2
"""The source of the births of an emitter's pulse."""

DISTANCE = RATE + 3
"""The source of the births that an emitter's way brings."""

# Sixty steps of 1/60 s do not quite make a second in binary. So that rounding never takes the
# last birth from a one-shot, or moves a birth to the step after its own, one that is missed by
# this many seconds counts as reached. (Above 10 births/s: by 1e-9 of a birth.)
_SNAP = 1e-10

# A share of a birth by the way, likewise.
_NEARLY = 1e-9


class Run(NamedTuple):
    """Births of one source that are due in one step.

    Attributes:
        source: Where they come from: the index of a burst, `RATE`, `MANUAL`, `PULSE` or `DISTANCE`.
        first: The number of the first one in its source; the others count on from it.
        moments: When, in seconds after the begin of the step.
    """

    source: int
    first: int
    moments: Moments


class Timeline(Saves):
    """The births of one emitter in the course of time.

    However a span of time is cut into steps, it brings the same births. Nothing drifts: loops are
    counted in whole numbers, and of the rate's integral only the part since the last birth is kept.

    Attributes:
        density: Births a unit of the way.
        driver: Gives the rate from the time, if there is one; see `ask` and `drive`.

    Args:
        rate: Births per second, 0 or more; a range of which each loop draws one; or a curve of
            it over the loop.
        bursts: At most 65,536 of them.
        duration: Seconds of one loop, or those for which a one-shot emits at its rate.
        loop: Whether it begins again after `duration`. A one-shot still fires bursts after it.
        delay: Seconds before the first loop begins.
        pulse: Births at regular moments of each loop.
        rate_over_distance: Births a unit of the way.
        seed: What bursts and rates draw comes from.

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
        "_wait",
        "_walked",
        "_paced",
        "_changes",
        "_scale",
        "_phase",
        "_reached",
        "_drawn",
        "_volleys",
    )

    LIMITS: ClassVar[Limits] = {
        **dict.fromkeys(("_rate", "_scale"), (0, MOST_A_SECOND)),
        **dict.fromkeys(("_local", "_loops", "_next", "_fired", "_born"), (0, 2**62)),
        **dict.fromkeys(("_wait", "_paced", "_reached"), (0, 2**62)),
        **dict.fromkeys(("_partial", "_walked"), (-1, 2)),
        "_snap": (0, 1e-8),
        "_drawn": (-1, 2**62),
    }

    _local: float  # seconds of the present loop
    _loops: int  # loops that are over
    _drawn: int  # loops before the present ones: each has a number
    _wait: float  # seconds of the delay that are left
    _changes: bool  # whether the rate is a profile, times a scale, and not one number:
    _scale: float  # the profile's factor in this loop
    _phase: float  # its integral until this loop, less its births
    _reached: int  # its births in this loop

    def __init__(
        self,
        *,
        rate: float | Range | Curve,
        bursts: Sequence[Burst],
        duration: float,
        loop: bool,
        delay: float = 0.0,
        pulse: Pulse | None = None,
        rate_over_distance: float = 0.0,
        seed: int = 0,
    ) -> None:
        latest = max((b.time + (b.cycles - 1) * b.interval for b in bursts), default=0.0)
        if loop and not latest < duration:
            raise EffectError(
                f"duration: {show(duration)} s given with a burst at {show(latest)} s; "
                f"in a loop it must be above 0 and above the time of every burst"
            )
        # Bursts that fire once a loop, always alike, are a table; the others are counted apart.
        firing: list[tuple[float, int, int]] = []
        self._volleys: list[Volley] = []
        for source, burst in enumerate(bursts):
            low, high = map(int, span(burst.count))
            if not high:
                continue
            if burst.cycles == 1 and low == high and burst.probability == 1.0:
                firing.append((burst.time, source, low))
            else:
                times = Listed([burst.time + k * burst.interval for k in range(burst.cycles)])
                base = base_of(seed, source)
                self._volleys.append(Volley(times, source, low, high, burst.probability, base))
        if pulse is not None:
            pulses = Pulsing(pulse, duration)
            self._volleys.append(Volley(pulses, PULSE, pulse.count, pulse.count, 1.0, 0))
        firing.sort()
        self._times = [*(time for time, _, _ in firing), inf]
        self._sources = [source for _, source, _ in firing]
        self._counts = [count for _, _, count in firing]
        self._duration = duration
        self._loop = loop
        self._delay = delay
        self.density = rate_over_distance
        self.driver: Callable[[float], float] | None = None
        self._base = base_of(seed, RATE)
        self._take(rate)
        self.reset()

    @property
    def rate(self) -> float:
        """Births per second now. Set, it takes the place of a range or a curve.

        A change keeps what has accumulated towards the next birth.
        """
        if self._changes:
            return self._scale * self._profile.rate(min(self._local, self._duration))
        return self._rate

    @rate.setter
    def rate(self, rate: float | Callable[[float], float]) -> None:
        driver: Callable[[float], float] | None = None
        if callable(rate):
            driver = rate
        else:
            self._set_rate(rate)
        if self._changes:
            done = self._scale * self._profile.integral(min(self._local, self._duration))
            self._partial = self._phase + done - self._reached
            self._changes = False
            if driver is not None:
                self._set_rate(0.0)
        self.driver = driver

    def sound(self) -> bool:
        """Whether no more births are due than a step may bring."""
        if self._next >= len(self._times) or self._wait > self._delay:
            return False
        if self._looping and self._local > self._duration:
            return False
        if self._stopped:  # time has gone on without births
            return True
        if self._changes:
            done = self._profile.integral(min(self._local, self._duration))
            if not -1.0 <= self._phase + self._scale * done - self._reached <= 2.0:
                return False
        return not any(volley.behind(self._loops, self._local) for volley in self._volleys)

    def describe(self, rate: float | Range | Curve) -> None:
        """Have another rate from the effect; what has accumulated towards the next birth is kept.

        Args:
            rate: As for the constructor.
        """
        self.rate = 0.0
        self._take(rate)
        if self._changes:
            self._draw_scale()
            done = self._profile.integral(min(self._local, self._duration))
            self._phase, self._reached = self._partial - self._scale * done, 0

    def _take(self, rate: float | Range | Curve) -> None:
        self._changes = isinstance(rate, (Curve, Range))
        self._range = rate if isinstance(rate, Range) else None
        stops = rate.stops if isinstance(rate, Curve) else ((0.0, 1.0),)
        self._profile = Profile(stops, self._duration)
        self._scale = 1.0
        match rate:
            case Curve():
                self._set_rate(self._profile.highest)
            case Range():
                self._set_rate(rate.high)
            case _:
                self._set_rate(rate)

    def ask(self, time: float) -> float:
        """The rate that the driver gives for a time since the start; nothing changes.

        Raises:
            EffectError: That is no rate.
        """
        assert self.driver is not None
        return _checked(self.driver(time), f" by {_name(self.driver)}")

    def drive(self, rate: float) -> None:
        """Go on with a rate that the driver has given."""
        self._rate = rate
        self._snap = min(rate, 10.0) * _SNAP

    def most_within(self, seconds: float) -> float:
        """More births than this do not come within any span of so many seconds.

        Unless a driver gives the rate, or the emitter moves.
        """
        loops = floor(seconds / self._duration) + 2  # that it may touch
        each = sum(self._counts) + sum(v.most_a_loop for v in self._volleys)
        return self._rate * seconds + each * loops + 2.0

    def _set_rate(self, rate: float) -> None:
        self.drive(_checked(rate))

    @property
    def most_a_second(self) -> float:
        """At most so many births, and firings of bursts, come in a second on average."""
        each = sum(self._counts) + sum(v.most_a_loop for v in self._volleys)
        again = 1.0 / self._duration if self._changes else 0.0
        return self._rate + each / self._duration + again

    @property
    def time(self) -> float:
        """Seconds since the start, the delay included."""
        return self._delay - self._wait + self._loops * self._duration + self._local

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
        if any(volley.goes_on(self._loops) for volley in self._volleys):
            return False
        left = self._duration - self._local
        if left <= 0.0:
            return True
        if self.density or self.driver is not None:
            return False
        # Twice the tolerance, to be sure where `_reach` rounds the other way.
        if self._changes:
            integral = self._phase + self._scale * self._profile.total - self._reached
        else:
            integral = self._partial + self._rate * left
        return integral + 2.0 * self._snap < 1.0

    def advance(self, dt: float, distance: float = 0.0) -> list[Run]:
        """Let time pass.

        Args:
            dt: Seconds, above 0 and finite.
            distance: Units travelled meanwhile.

        Returns:
            The births due in runs, ordered by source and then by number.
        """
        if self._wait:
            return self._begin_late(dt, distance)
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
        if self._changes:
            first = self._born
            moments = self._follow(begin, wraps, dt)
            if len(moments):
                runs.append(Run(RATE, first, moments))
        else:
            partial = self._partial
            births = self._reach(begin, dt)
            if births:
                first = self._born - births
                runs.append(Run(RATE, first, _even_moments(births, partial, self._rate, dt)))
        if self._volleys or (distance and self.density):
            runs += self._others(begin, wraps, dt, distance)
            runs.sort(key=_source_of)
        return runs

    def skip(self, dt: float, distance: float = 0.0) -> int:
        """Let time pass as `advance` does, and only count the births that were due.

        Of random counts and rates the first four million are drawn; the others count as their
        mean.

        Args:
            dt: Seconds, above 0 and finite; any number of births is fine.
            distance: Units travelled meanwhile.
        """
        if self._wait:
            wait = self._wait
            if dt <= wait:
                self._wait = wait - dt
                return 0
            self._wait = 0.0
            return self.skip(dt - wait, distance * (1.0 - wait / dt))
        begin = self._local
        wraps = self._pass(dt)
        if self._stopped:
            return 0
        births = sum(fires * count for _, _, _, fires, count in self._fire(begin, wraps))
        for volley in self._volleys:
            births += volley.skip(self._loops, self._local)
        if distance and self.density:
            births += self._walk(begin, dt, distance)
        if self._changes:
            return births + self._count(wraps)
        return births + self._reach(begin, dt)

    def stop(self) -> None:
        """Bring no more births; time goes on."""
        self._stopped = True

    def retire(self) -> None:
        """Finish the current loop and bring no more births then."""
        self._looping = False

    def start(self) -> None:
        """Begin again at time 0; births, firings and draws are numbered on."""
        self._drawn += self._loops + 1
        self._local = 0.0
        self._loops = 0
        self._wait = self._delay
        self._looping = self._loop
        self._stopped = False
        self._partial = 0.0  # the rate's integral since its last birth
        self._walked = 0.0  # the way's births since its last one
        self._phase = 0.0
        self._reached = 0
        self._next = 0  # the first burst of this loop that has not fired, in order of time
        for volley in self._volleys:
            volley.start()
        self._scale = 1.0
        self._draw_scale()

    def reset(self) -> None:
        """Begin again at time 0 with births numbered from 0; a rate that was set stays."""
        self._fired = [0] * len(self._counts)
        self._born = 0
        self._paced = 0  # births that the way has brought
        self._loops = 0
        self._drawn = -1
        for volley in self._volleys:
            volley.reset()
        self.start()

    def _begin_late(self, dt: float, distance: float) -> list[Run]:
        """Let the delay pass, and what is left of the step."""
        wait = self._wait
        if dt <= wait:
            self._wait = wait - dt
            return []
        self._wait = 0.0
        rest = dt - wait
        return [
            Run(
                source,
                first,
                [min(moment + wait, dt) for moment in moments]
                if isinstance(moments, list)
                else np.minimum(moments + wait, dt),
            )
            for source, first, moments in self.advance(rest, distance * (rest / dt))
        ]

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

    def _follow(self, begin: float, wraps: int, dt: float) -> Moments:
        """The moments that a rate which changes reached in a step, loop by loop."""
        profile = self._profile
        parts: list[Moments] = []
        offset = -begin
        for left in range(wraps, -1, -1):
            end = self._duration if left else min(self._local, self._duration)
            integral = self._phase + self._scale * profile.integral(end)
            reached = floor(integral + self._snap)
            if reached > self._reached:
                parts.append(
                    profile.moments(self._reached, reached, self._phase, self._scale, offset, dt)
                )
                self._born += reached - self._reached
                self._reached = reached
            if left:
                self._phase = integral - reached
                self._reached = 0
                offset += self._duration
                self._draw_scale(left - 1)
        return _joined(parts)

    def _count(self, wraps: int) -> int:
        """As `_follow`, and only count."""
        profile = self._profile
        births = -self._reached
        if wraps:
            integral = self._phase + profile.total * self._sum_scales(wraps)
            births += floor(integral + self._snap)
            self._phase = integral - floor(integral + self._snap)
            self._draw_scale()
        integral = self._phase + self._scale * profile.integral(min(self._local, self._duration))
        self._reached = floor(integral + self._snap)
        births += self._reached
        self._born += births
        return births

    def _draw_scale(self, left: int = 0) -> None:
        """Draw the rate of the loop that is so many before the present one, where each has one."""
        if self._range is not None:
            low, high = self._range
            share = drawn(self._base, self._drawn + self._loops - left) * 2.0**-32
            self._scale = low + (high - low) * share

    def _sum_scales(self, wraps: int) -> float:
        """The scales of the loops that have ended: `_scale` and those up to the present loop."""
        if self._range is None:
            return self._scale * wraps
        low, high = self._range
        shares = sum_draws(self._base, self._drawn + self._loops - wraps + 1, wraps - 1)
        return self._scale + (wraps - 1) * low + (high - low) * shares

    def _others(self, begin: float, wraps: int, dt: float, distance: float) -> Iterator[Run]:
        """The runs of what is neither a plain burst nor the rate."""
        for volley in self._volleys:
            found = volley.run(self._loops, self._local, wraps, begin, self._duration, dt)
            if found is not None:
                yield Run(volley.source, *found)
        if distance and self.density:
            first, walked = self._paced, self._walked
            births = self._walk(begin, dt, distance)
            if births:
                yield Run(
                    DISTANCE,
                    first,
                    _even_moments(births, walked, self.density * distance / dt, dt),
                )

    def _walk(self, begin: float, dt: float, distance: float) -> int:
        """Add a part of the way; return how many births it reached."""
        if not self._looping:
            emitting = min(dt, self._duration - begin)
            if emitting <= 0.0:
                return 0
            distance *= emitting / dt
        # A way beyond all measure is a jump that nobody called one: its births have an end.
        total = min(self._walked + self.density * distance, float(MOST_AT_ONCE))
        births = int(total + _NEARLY)
        self._walked = total - births
        self._paced += births
        return births


def _checked(rate: Any, by: str = "") -> float:
    number = isinstance(rate, (int, float, np.integer, np.floating))
    if not number or isinstance(rate, bool) or not 0.0 <= rate <= MOST_A_SECOND:
        raise EffectError(f"rate: {show(rate)} given{by}; from 0 to {MOST_A_SECOND:.0f} is allowed")
    return float(rate)


def _source_of(run: Run) -> int:
    return run.source


def _name(function: object) -> str:
    return getattr(function, "__name__", None) or f"an object of type {type(function).__name__}"


def _joined(parts: list[Moments]) -> Moments:
    if not parts:
        return []
    if len(parts) == 1:
        return parts[0]
    many: NDArray[np.float64] = np.concatenate(parts)
    return [float(moment) for moment in many] if len(many) <= SMALL else many


def _even_moments(births: int, partial: float, rate: float, dt: float) -> Moments:
    """When a constant rate reaches the next births, `partial` of the first being there already."""
    if births == 1:  # the step of most small emitters
        return [min((1.0 - partial) / rate, dt)]
    if births <= SMALL:
        return [min((k - partial) / rate, dt) for k in range(1, births + 1)]
    many: NDArray[np.float64] = np.arange(1.0, births + 1.0)
    many -= partial
    many /= rate
    return np.minimum(many, dt, out=many)


def _burst_moments(first: float, duration: float, fires: int, count: int, dt: float) -> Moments:
    """The moments of a burst that fires once per `duration`, a moment for every birth."""
    if fires * count <= SMALL:
        return [min(first + k * duration, dt) for k in range(fires) for _ in range(count)]
    moments = np.minimum(first + np.arange(fires) * duration, dt)
    return np.repeat(moments, count)
