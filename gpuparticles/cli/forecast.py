"""How many particles of an emitter to expect, reckoned from its description."""

from __future__ import annotations

import math
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
    births = emitter.rate * duration + sum(burst.count for burst in emitter.bursts)
    return min(births / duration * _mean_life(emitter), emitter.capacity) if births else 0.0


def expected_peak(effect: Effect, emitter: Emitter) -> float:
    """How many particles would live at once at the most if there were room for all."""
    from gpuparticles.effect import span

    low, high = span(emitter.lifetime)
    duration, loops = effect.duration_of(emitter), effect.loop_of(emitter)
    if not (emitter.rate or any(burst.count for burst in emitter.bursts)):
        return 0.0
    if loops and math.isinf(high):
        return math.inf

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
        return emitter.rate * seconds + sum(
            burst.count * alive(now - burst.time + loop * duration)
            for burst in emitter.bursts
            for loop in past
        )

    return max(live(now) for now in (duration, *(burst.time for burst in emitter.bursts)))


def _mean_life(emitter: Emitter) -> float:
    from gpuparticles.effect import span

    return sum(span(emitter.lifetime)) / 2
