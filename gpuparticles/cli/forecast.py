"""How many particles of an emitter to expect, reckoned from its description."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpuparticles.effect import Effect, Emitter


def expected_live(effect: Effect, emitter: Emitter) -> float:
    """How many particles live on average while a loop runs, or at the height of a single run."""
    from gpuparticles.effect import span

    low, high = span(emitter.lifetime)
    duration = effect.duration_of(emitter)
    births = emitter.rate * duration + sum(burst.count for burst in emitter.bursts)
    if not births:
        return 0.0
    if effect.loop_of(emitter):
        live = births / duration * (low + high) / 2
        return min(live, emitter.capacity)

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

    ends = [duration, *(burst.time for burst in emitter.bursts)]
    live = max(
        emitter.rate * (lived(now) - lived(now - duration))
        + sum(burst.count * alive(now - burst.time) for burst in emitter.bursts)
        for now in ends
    )
    return min(live, emitter.capacity)
