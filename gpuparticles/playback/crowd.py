"""Plays one emitter of many instances of an effect at once.

Each instance plays one loop, or loop after loop, and nobody changes its rate, so when its births
are due is known from the start, and the same for all. The bursts are a table; what the rate brings
is arithmetic. An instance needs to remember no more than how many births of either it has had.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from gpuparticles.effect.effect import Effect
from gpuparticles.effect.random import pcg
from gpuparticles.effect.shapes import Moments
from gpuparticles.effect.values import Range, span
from gpuparticles.playback.player import (
    LONGEST_BOOKING,
    LONGEST_MOTION,
    SHORTEST_PATH,
    Step,
    grow_old,
    split,
)
from gpuparticles.playback.population import Births, Newborn, Population, hash_seed
from gpuparticles.playback.timeline import RATE

__all__ = ["CROWD_ROW", "Crowd", "foreseen", "unforeseen"]

#: Slots a row: a crowd grows by rows, so it starts wide.
CROWD_ROW = 1024

# Births of an instance that can be counted.
_MOST = 2.0**62


def foreseen(effect: Effect) -> bool:
    """Whether all births of a loop are known beforehand, and the same for every instance."""
    return not effect.prewarm and unforeseen(effect) is None


def unforeseen(effect: Effect) -> str | None:
    """What of an effect keeps its instances from being played together; None for nothing.

    That is where each draws its own rates, counts or firings, and what a Crowd has no table for:
    such an effect wants a Player an emitter. So does one with a fixed frame rate, whose instances
    have steps of their own, and one whose particles may be killed or have trails or ribbons; and
    one that looks at the scene from a frame of its own. A prewarm is for those alone that begin
    when nobody else does.

    Returns:
        The path of a field.
    """
    if effect.fixed_fps is not None:
        return "fixed_fps"
    for index, emitter in enumerate(effect.emitters):
        for name in ("trail", "ribbon", "process", "pulse", "limit"):
            if getattr(emitter, name) is not None:
                return f"emitters[{index}].{name}"
        if not isinstance(emitter.rate, float):
            return f"emitters[{index}].rate"
        if emitter.delay:
            return f"emitters[{index}].delay"
        for number, burst in enumerate(emitter.bursts):
            drawn = burst.probability != 1.0 or isinstance(burst.count, Range)
            if burst.cycles != 1 or drawn:
                return f"emitters[{index}].bursts[{number}]"
        looks = any(m.looks for m in effect.modifiers_of(emitter))
        if effect.kills(index) or (emitter.space == "local" and looks):
            return f"emitters[{index}].modifiers"
    return None


class Crowd:
    """One emitter of many instances.

    The way that they go brings them nothing.

    Args:
        effect: What to play; its births are `foreseen`.
        index: Which of its emitters.
        most: Particles of all instances for which there can be room.
        loops: Instances play as authored, and not one loop in any case.

    Attributes:
        population: Who lives, of all instances.
    """

    def __init__(
        self, effect: Effect, index: int, most: int = 2**31, *, loops: bool = False
    ) -> None:
        emitter = effect.emitters[index]
        self.emitter = emitter
        self._index = index
        firing = sorted(
            (burst.time, k, int(span(burst.count)[0]))
            for k, burst in enumerate(emitter.bursts)
            if burst.count
        )
        self._times = np.array([time for time, _, _ in firing])
        # How many births the bursts have brought when so many of them have fired.
        self._fired = np.cumsum([0, *(count for _, _, count in firing)])
        assert isinstance(emitter.rate, float)
        self._rate = emitter.rate
        self._duration = effect.duration_of(emitter)
        self._looping = loops and (effect.loop if emitter.loop is None else emitter.loop)
        emitting = math.inf if self._looping else self._duration
        self._emitting = min(emitting, _MOST / max(self._rate, 1e-9))
        # As in a Timeline, a birth that rounding has taken from a step still belongs to it.
        self._snap = min(1e-10 * self._rate, 1e-9)
        rated = int(self._emitting * self._rate + self._snap)
        self._totals = np.array([self._fired[-1], rated])
        if self._looping and self._fired[-1]:
            self._totals[0] = int(_MOST)
        self._sources = (*(source for _, source, _ in firing), RATE)
        self._most = most
        self._own_capacity = emitter.capacity
        self.population = Population(emitter, 0, CROWD_ROW)
        self._crowded = self._most_alive() > emitter.capacity
        self._now = 0.0
        self._starts = _EMPTY
        self._done = np.empty((0, 2), np.int64)  # births so far: of bursts, of the rate
        self._ids = _EMPTY.astype(np.uint32)
        self._bases = np.empty((0, len(self._sources)), np.uint32)
        self._owners = _EMPTY.astype(np.uint32)
        self._living = np.zeros(0, np.int64)

    def _most_alive(self) -> float:
        """More particles of an instance are never alive at once."""
        every = float(self._totals[0]) + float(self._totals[1])
        if not self.population.mortal:
            return every
        horizon = self.population.horizon
        loops = math.floor(horizon / self._duration) + 2
        return min(every, self._rate * horizon + float(self._fired[-1]) * loops + 2.0)

    @property
    def life(self) -> float:
        """Seconds from an instance's begin to its last possible death; may be infinite."""
        last = float(self._times[-1]) if len(self._times) else 0.0
        if self._totals[1]:
            last = max(last, float(self._totals[1]) / self._rate)
        return last + self.population.horizon

    @property
    def over(self) -> bool:
        """Whether nobody lives and nobody will be born."""
        return not self.population.slots.live_count and not len(self._starts)

    def add(self, instances: Sequence[int], seeds: Sequence[int], late: Sequence[float]) -> None:
        """Begin more instances with the next step.

        Args:
            instances: Their rows in the instance table.
            seeds: Their seeds.
            late: How many seconds later each begins.
        """
        if not self._totals.any() or not len(instances):
            return
        count = len(instances)
        self._starts = np.append(self._starts, self._now + np.asarray(late, np.float64))
        self._done = np.concatenate([self._done, np.zeros((count, 2), np.int64)])
        ids = np.asarray(instances, np.uint32)
        self._ids = np.append(self._ids, ids)
        bases = [
            [hash_seed(seed, self._index, source) for source in self._sources] for seed in seeds
        ]
        self._bases = np.concatenate([self._bases, np.array(bases, np.uint32)])
        if self._crowded:
            last = int(ids.max())
            if last >= len(self._living):
                more = np.zeros(2 * last + 2 - len(self._living), np.int64)
                self._living = np.concatenate([self._living, more])
            self._living[ids] = 0

    def stop(self, instances: NDArray[np.int64] | None = None) -> None:
        """No more births of some instances, or of all."""
        if instances is None:
            self._keep(np.zeros(len(self._ids), bool))
        else:
            self._keep(np.isin(self._ids, instances, invert=True))

    def _keep(self, going: NDArray[np.bool_]) -> None:
        self._starts, self._done = self._starts[going], self._done[going]
        self._ids, self._bases = self._ids[going], self._bases[going]

    def steps(self, dt: float, max_step: float) -> Iterator[Step]:
        """The steps that advance all instances by dt; see Player.steps."""
        count = split(dt, max_step)
        h = dt / count
        rate = 1.0 / max(dt, SHORTEST_PATH)
        population = self.population
        mortal = population.mortal
        longest = population.horizon if mortal else LONGEST_MOTION
        seen = int(longest / h) + 2 if dt > longest else count
        forget = 0
        if count > seen:
            if mortal:
                forget = self._book(count - seen, h)
            else:  # who was born meanwhile is born with the next step
                unseen = (count - seen) * h
                self._now += unseen
                yield from grow_old(population, unseen)
        for number in range(max(count - seen, 0), count):
            step = self._step(h, number * h * rate, rate)
            if step is not None:
                step.forget, forget = min(forget, step.rows), 0
                yield step

    def _due(self, h: float) -> NDArray[np.int64]:
        """How many births of bursts, and of the rate, each instance has had in another h seconds.

        A burst belongs to the step that begins with it, a birth of the rate to the one that ends
        with it.
        """
        time = np.maximum(self._now + h - self._starts, 0.0)
        due = np.empty((len(time), 2), np.int64)
        if self._looping:
            loops = np.floor(time / self._duration)
            due[:, 0] = self._fired[np.searchsorted(self._times, time - loops * self._duration)]
            due[:, 0] += loops.astype(np.int64) * self._fired[-1]
        else:
            due[:, 0] = self._fired[np.searchsorted(self._times, time)]
        due[:, 1] = np.minimum(time, self._emitting) * self._rate + self._snap
        return due

    def _step(self, h: float, path_begin: float = 0.0, path_rate: float = 0.0) -> Step | None:
        clock, slots = self.population.clock, self.population.slots
        begin, seconds = clock.now, clock.seconds
        aged = clock.advance(h)
        births = self._bear(h, begin) if len(self._starts) else None
        self._now += h
        if not slots.live_count:
            return None
        step = Step(h, aged * clock.tick, path_begin, path_rate, slots.rows, seconds, births)
        self._expire()
        return step

    def _bear(self, h: float, begin: int) -> Births | None:
        until = self._due(h)
        counts = until - self._done
        if self._crowded and not self.population.mortal:
            counts = self._admit(counts)
        births = None
        if counts.any():
            moments, seeds, who, phases = self._births(counts)
            fractions = None
            if self.population.timed:
                done = moments / self._duration
                # As in a Timeline: where one loop ends and the next begins belongs to that.
                passed = np.floor(done + 1e-9) if self._looping else np.zeros(1)
                fractions = np.clip(done - passed, 0.0, 1.0).astype(np.float32)
            moments -= (self._now - self._starts)[who]
            # Before the step was only born who was due in a hitch and never dies.
            np.clip(moments, 0.0 if self.population.mortal else -np.inf, h, out=moments)
            owners = self._ids[who]
            newborn = self.population.conceive(moments, seeds, begin, owners, fractions, phases)
            births = self._house(newborn)
        self._done = until
        going = np.asarray((until < self._totals).any(axis=1))
        if not going.all():
            self._keep(going)
        return births

    def _admit(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Of births that never die, those that may find room; the others are only counted."""
        room = self._own_capacity - self._living[self._ids]
        admitted = np.minimum(counts, room[:, None])
        late = int((counts - admitted).sum())
        self.population.births += late
        self.population.dropped += late
        return admitted

    def _births(
        self, counts: NDArray[np.int64]
    ) -> tuple[
        NDArray[np.float64], NDArray[np.uint32], NDArray[np.int64], NDArray[np.float32] | None
    ]:
        """The next births of each instance, in order of their moments, at equal ones bursts first.

        Args:
            counts: How many of bursts, and of the rate; shape (instances, 2).

        Returns:
            Moments, in seconds after the begin of their instance; seeds; whose they are; where
            the shape has got to, if births follow each other there.
        """
        sizes = counts.ravel()
        group = np.repeat(np.arange(len(sizes)), sizes)
        who = group >> 1
        index = np.arange(len(group)) + (self._done.ravel() - np.cumsum(sizes) + sizes)[group]
        moments = (index + 1) / max(self._rate, 1e-30)
        source = np.full(len(index), len(self._times))
        # How many are born with each, and its place among those.
        of = np.zeros(len(index), np.int64)
        place = np.zeros(len(index), np.int64)
        burst = np.flatnonzero(group & 1 == 0)
        if len(burst):
            loop, within = np.divmod(index[burst], self._fired[-1])
            fired = np.searchsorted(self._fired, within, side="right") - 1
            source[burst] = fired
            moments[burst] = loop * self._duration + self._times[fired]
            of[burst] = self._fired[fired + 1] - self._fired[fired]
            place[burst] = within - self._fired[fired]
            index[burst] = loop * of[burst] + place[burst]
        seeds = pcg(self._bases[who, source] ^ pcg(index.astype(np.uint32)))
        phases = None
        shape = self.emitter.shape
        if shape.phased:
            phases = shape.phases(Moments(moments, index, place, of)).astype(np.float32)
        if 0 < len(burst) < len(who):
            order = np.lexsort((moments, who))
            moments, seeds, who = moments[order], seeds[order], who[order]
            phases = None if phases is None else phases[order]
        return moments, seeds, who, phases

    def _house(self, newborn: Newborn) -> Births | None:
        population, slots = self.population, self.population.slots
        if self._crowded:
            newborn = self._fitting(newborn)
        need = min(slots.live_count + len(newborn.seeds), self._most)
        if need > slots.capacity:
            capacity = max(CROWD_ROW, slots.capacity)
            while capacity < need:
                capacity *= 2
            capacity = min(capacity, self._most)
            population.grow(capacity)
            self._owners = np.concatenate(
                [self._owners, np.zeros(capacity - len(self._owners), np.uint32)]
            )
        births = population.house(newborn)
        if self._crowded and births is not None and births.instances is not None:
            self._owners[births.slots] = births.instances
            np.add.at(self._living, births.instances, 1)
        return births

    def _fitting(self, newborn: Newborn) -> Newborn:
        """Those for whom there is room in their instance, whose capacity is the emitter's."""
        ids = newborn.instances
        if ids is None or not len(ids):
            return newborn
        # Births of one instance stand together: the first ones fill what it has left.
        first = np.flatnonzero(np.r_[True, ids[1:] != ids[:-1]])
        sizes = np.diff(np.r_[first, len(ids)])
        rank = np.arange(len(ids)) - np.repeat(first, sizes)
        fits = rank < self._own_capacity - self._living[ids]
        self.population.dropped += len(ids) - int(fits.sum())
        return newborn.only(fits)

    def _book(self, count: int, h: float) -> int:
        """Pass steps without motion; returns the rows whose particles on the GPU are stale."""
        population = self.population
        forget = population.slots.rows
        # Step by step only where births may be dropped, since who lives decides who is.
        booked = min(count, math.ceil(LONGEST_BOOKING / h)) if self._crowded else 0
        while booked and not self.over:
            step = self._step(h)
            if step is not None:
                forget = max(forget, step.rows)
            booked -= 1
            count -= 1
        self._now += count * h
        population.clock.advance(count * h)
        self._expire()
        until = self._due(0.0)
        population.births += int((until - self._done).sum())
        self._done = until
        return forget

    def _expire(self) -> None:
        freed = self.population.slots.expire(self.population.clock.now)
        if self._crowded and len(freed):
            np.subtract.at(self._living, self._owners[np.asarray(freed)], 1)


_EMPTY = np.empty(0)
