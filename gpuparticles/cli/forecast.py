"""How many particles of an emitter to expect, reckoned from its description."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpuparticles.effect import Effect, Emitter

_MOST_LOOPS = 1000
"""So many loops back particles are counted one burst by one; beyond, an estimate is an estimate."""


def expected_live(effect: Effect, emitter: Emitter) -> float:
    """How many particles live on average while a loop runs, or at the height of a single run."""
    if not effect.loop_of(emitter):
        return min(expected_peak(effect, emitter), emitter.capacity)
    duration = effect.duration_of(emitter)
    births = _mean_rate(emitter) * duration + sum(count for _, count in _firings(emitter))
    return min(births / duration * _mean_life(emitter), emitter.capacity) if births else 0.0


def expected_peak(effect: Effect, emitter: Emitter) -> float:
    """How many particles would live at once at the most if there were room for all."""
    from gpuparticles.effect import span

    low, high = span(emitter.lifetime)
    duration, loops = effect.duration_of(emitter), effect.loop_of(emitter)
    rate, firings = _mean_rate(emitter), _firings(emitter)
    most = math.inf if emitter.limit is None else emitter.limit
    if not (rate or (firings and most)):
        return 0.0
    if loops and math.isinf(high):
        return most

    def lived(age: float) -> float:
        """Seconds that a particle has lived on average when it would be this old."""
        if age <= low:
            return max(age, 0.0)
        end = min(age, high)
        return end - (end - low) ** 2 / (2 * (high - low)) if high > low else low

    def alive(age: float) -> float:
        """The share of particles still alive at an age."""
        if age < 0 or high == low:
            return float(0 <= age < high)
        return min(max((high - age) / (high - low), 0.0), 1.0)

    past = range(min(int(high / duration) + 2, _MOST_LOOPS) if loops else 1)

    def live(now: float) -> float:
        seconds = _mean_life(emitter) if loops else lived(now) - lived(now - duration)
        return rate * seconds + sum(
            count * alive(now - time + loop * duration) for time, count in firings for loop in past
        )

    return min(max(live(now) for now in (duration, *(time for time, _ in firings))), most)


def _mean_rate(emitter: Emitter) -> float:
    """Births a second on average over a loop, by its rate and by its pulse."""
    from gpuparticles.effect import Curve, span

    pulse = emitter.pulse
    pulses = 0.0 if pulse is None else pulse.count * math.ceil(pulse.active / pulse.interval)
    rate = emitter.rate
    if isinstance(rate, Curve):
        (first, begin), (last, end) = rate.stops[0], rate.stops[-1]
        mean = begin * first + end * (1.0 - last)
        for (t0, v0), (t1, v1) in pairwise(rate.stops):
            mean += 0.5 * (v0 + v1) * (t1 - t0)
    else:
        mean = sum(span(rate)) / 2
    return mean + (pulses / pulse.cycle if pulse is not None else 0.0)


def _firings(emitter: Emitter) -> list[tuple[float, float]]:
    """When each burst of a loop fires, and its births on average; without those that bring none."""
    from gpuparticles.effect import span

    return [
        (burst.time + k * burst.interval, burst.probability * sum(span(burst.count)) / 2)
        for burst in emitter.bursts
        for k in range(burst.cycles)
        if burst.count and burst.probability
    ]


def _mean_life(emitter: Emitter) -> float:
    from gpuparticles.effect import Curve, span

    if isinstance(emitter.lifetime, Curve):
        return emitter.lifetime.mean
    return sum(span(emitter.lifetime)) / 2
