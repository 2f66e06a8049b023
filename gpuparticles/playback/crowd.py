"""Plays one emitter of many one-shot instances of an effect at once.

Each instance plays exactly one loop and is never touched again, so when its births are due is known
from the start, and the same for all: a table of moments, in which each instance has its own place.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from gpuparticles.effect.effect import Effect
from gpuparticles.effect.random import pcg
from gpuparticles.playback.player import LONGEST_BOOKING, LONGEST_MOTION, Step, grow_old, split
from gpuparticles.playback.population import Births, Newborn, Population, hash_seed
from gpuparticles.playback.timeline import RATE, Timeline

__all__ = ["CROWD_ROW", "Crowd"]

#: Slots a row: a crowd grows by rows, so it starts wide.
CROWD_ROW = 1024


class Crowd:
    """One emitter of many instances.

    Args:
        effect: What to play.
        index: Which of its emitters.
        most: Particles of all instances for which there can be room.

    Attributes:
        population: Who lives, of all instances.
    """

    def __init__(self, effect: Effect, index: int, most: int = 2**31) -> None:
        emitter = effect.emitters[index]
        self.emitter = emitter
        self._index = index
        duration = effect.duration_of(emitter)
        timeline = Timeline(rate=emitter.rate, bursts=emitter.bursts, duration=duration, loop=False)
        # The end of the window counts for the rate but not for bursts, so look a little past it.
        last = max([duration, *(burst.time for burst in emitter.bursts)])
        runs = timeline.advance(last * (1.0 + 1e-9) + 1e-9)
        moments = np.concatenate([np.asarray(run.moments, np.float64) for run in runs] or [_EMPTY])
        # A birth that the rate brings belongs to the step that ends with it, one of a burst to the
        # step that begins with it. The difference is more than what rounding does to time.
        early = min(1e-10, 1e-9 / max(emitter.rate, 1e-9))
        dues = [np.asarray(r.moments) - early * (r.source == RATE) for r in runs]
        due = np.concatenate(dues or [_EMPTY])
        order = np.argsort(due, kind="stable")
        self._dues = due[order]
        self._moments = moments[order]
        hashes = [pcg(np.arange(r.first, r.first + len(r.moments)).astype(np.uint32)) for r in runs]
        self._hashes = np.concatenate(hashes or [_EMPTY.astype(np.uint32)])[order]
        self._sources = tuple(run.source for run in runs)
        which = [np.full(len(run.moments), k) for k, run in enumerate(runs)]
        self._which = np.concatenate(which or [_EMPTY.astype(np.int64)])[order]
        self._most = most
        self._own_capacity = emitter.capacity
        self._crowded = len(self._moments) > emitter.capacity
        self.population = Population(emitter, 0, CROWD_ROW)
        self._now = 0.0
        self._starts = _EMPTY
        self._next = _EMPTY.astype(np.int64)
        self._ids = _EMPTY.astype(np.uint32)
        self._bases = np.empty((0, len(self._sources)), np.uint32)
        self._owners = _EMPTY.astype(np.uint32)
        self._living = np.zeros(0, np.int64)

    @property
    def life(self) -> float:
        """Seconds from an instance's begin to its last possible death; may be infinite."""
        last = float(self._moments[-1]) if len(self._moments) else 0.0
        return last + self.population.horizon

    @property
    def over(self) -> bool:
        """Whether nobody lives and nobody will be born."""
        return not self.population.slots.live_count and not len(self._starts)

    def add(self, instance: int, seed: int) -> None:
        """Begin another instance with the next step.

        Args:
            instance: Its row in the instance table.
            seed: Its seed.
        """
        if not len(self._moments):
            return
        self._starts = np.append(self._starts, self._now)
        self._next = np.append(self._next, 0)
        self._ids = np.append(self._ids, np.uint32(instance))
        bases = [hash_seed(seed, self._index, source) for source in self._sources]
        self._bases = np.concatenate([self._bases, np.array([bases], np.uint32)])
        if self._crowded:
            if instance >= len(self._living):
                self._living = np.resize(self._living, 2 * instance + 2)
            self._living[instance] = 0

    def steps(self, dt: float, max_step: float) -> Iterator[Step]:
        """The steps that advance all instances by dt; see Player.steps."""
        count = split(dt, max_step)
        h = dt / count
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
        for _ in range(min(count, seen)):
            step = self._step(h)
            if step is not None:
                step.forget, forget = min(forget, step.rows), 0
                yield step

    def _due(self, h: float) -> NDArray[np.int64]:
        """How far into the table each instance is after another h seconds."""
        return np.searchsorted(self._dues, self._now + h - self._starts)

    def _step(self, h: float) -> Step | None:
        clock, slots = self.population.clock, self.population.slots
        begin = clock.now
        aged = clock.advance(h)
        births = self._bear(h, begin) if len(self._starts) else None
        self._now += h
        if not slots.live_count:
            return None
        step = Step(h, aged * clock.tick, 0.0, 0.0, slots.rows, births)
        self._expire()
        return step

    def _bear(self, h: float, begin: int) -> Births | None:
        until = self._due(h)
        counts = until - self._next
        total = int(counts.sum())
        births = None
        if total:
            who = np.repeat(np.arange(len(counts)), counts)
            ends = np.cumsum(counts)
            row = np.arange(total) + np.repeat(self._next - (ends - counts), counts)
            moments = self._moments[row] - (self._now - self._starts[who])
            # Before the step was only born who was due in a hitch and never dies.
            moments = np.clip(moments, 0.0 if self.population.mortal else -np.inf, h)
            seeds = pcg(self._bases[who, self._which[row]] ^ self._hashes[row])
            births = self._house(self.population.conceive(moments, seeds, begin, self._ids[who]))
        self._next = until
        going = until < len(self._moments)
        if not going.all():
            self._starts, self._next = self._starts[going], self._next[going]
            self._ids, self._bases = self._ids[going], self._bases[going]
        return births

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
        population.births += int((until - self._next).sum())
        self._next = until
        return forget

    def _expire(self) -> None:
        freed = self.population.slots.expire(self.population.clock.now)
        if self._crowded and len(freed):
            np.subtract.at(self._living, self._owners[np.asarray(freed)], 1)


_EMPTY = np.empty(0)
