"""Plays one emitter of many one-shot instances of an effect at once.

Each instance plays exactly one loop and is never touched again, so when its births are due is known
from the start, and the same for all. The bursts are a table; what the rate brings is arithmetic. An
instance needs to remember no more than how many births of either it has had.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from gpuparticles.effect.effect import Effect
from gpuparticles.effect.random import pcg
from gpuparticles.effect.shapes import Moments
from gpuparticles.effect.values import Range, span
from gpuparticles.playback.player import LONGEST_BOOKING, LONGEST_MOTION, Step, grow_old, split
from gpuparticles.playback.population import Births, Newborn, Population, hash_seed
from gpuparticles.playback.timeline import RATE

__all__ = ["CROWD_ROW", "Crowd", "foreseen"]

#: Slots a row: a crowd grows by rows, so it starts wide.
CROWD_ROW = 1024

# Births of an instance that can be counted.
_MOST = 2.0**62


def foreseen(effect: Effect) -> bool:
    """Whether all births of a loop are known beforehand, and the same for every instance.

    Not where each draws its own rates, counts or firings, and not what a Crowd has no table for;
    such an effect wants a Player an emitter. So does one with a prewarm or a fixed frame rate,
    whose instances have steps of their own, and one whose particles may be killed or have trails
    or ribbons; and one that looks at the scene from a frame of its own.
    """
    alike = not effect.prewarm and effect.fixed_fps is None
    alike = alike and not any(effect.kills(index) for index in range(len(effect.emitters)))
    alike = alike and not any(
        emitter.space == "local" and any(m.looks for m in effect.modifiers_of(emitter))
        for emitter in effect.emitters
    )
    return alike and all(
        isinstance(emitter.rate, float)
        and emitter.trail is None
        and emitter.ribbon is None
        and emitter.process is None
        and emitter.pulse is None
        and emitter.limit is None
        and not emitter.delay
        and all(
            burst.cycles == 1 and burst.probability == 1.0 and not isinstance(burst.count, Range)
            for burst in emitter.bursts
        )
        for emitter in effect.emitters
    )


class Crowd:
    """One emitter of many instances.

    A burst is not moved, so the way brings it nothing.

    Args:
        effect: What to play; its births are `foreseen`.
        index: Which of its emitters.
        most: Particles of all instances for which there can be room.

    Attributes:
        population: Who lives, of all instances.
    """

    def __init__(self, effect: Effect, index: int, most: int = 2**31) -> None:
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
        self._emitting = min(effect.duration_of(emitter), _MOST / max(self._rate, 1e-9))
        # As in a Timeline, a birth that rounding has taken from a step still belongs to it.
        self._snap = min(1e-10 * self._rate, 1e-9)
        rated = int(self._emitting * self._rate + self._snap)
        self._totals = np.array([self._fired[-1], rated])
        self._sources = (*(source for _, source, _ in firing), RATE)
        self._most = most
        self._own_capacity = emitter.capacity
        self._crowded = sum(self._totals.tolist()) > emitter.capacity
        self.population = Population(emitter, 0, CROWD_ROW)
        self._now = 0.0
        self._starts = _EMPTY
        self._done = np.empty((0, 2), np.int64)  # births so far: of bursts, of the rate
        self._ids = _EMPTY.astype(np.uint32)
        self._bases = np.empty((0, len(self._sources)), np.uint32)
        self._owners = _EMPTY.astype(np.uint32)
        self._living = np.zeros(0, np.int64)

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

    def add(self, instance: int, seed: int) -> None:
        """Begin another instance with the next step.

        Args:
            instance: Its row in the instance table.
            seed: Its seed.
        """
        if not self._totals.any():
            return
        self._starts = np.append(self._starts, self._now)
        self._done = np.concatenate([self._done, np.zeros((1, 2), np.int64)])
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
        """How many births of bursts, and of the rate, each instance has had in another h seconds.

        A burst belongs to the step that begins with it, a birth of the rate to the one that ends
        with it.
        """
        time = self._now + h - self._starts
        due = np.empty((len(time), 2), np.int64)
        due[:, 0] = self._fired[np.searchsorted(self._times, time)]
        due[:, 1] = np.minimum(time, self._emitting) * self._rate + self._snap
        return due

    def _step(self, h: float) -> Step | None:
        clock, slots = self.population.clock, self.population.slots
        begin, seconds = clock.now, clock.seconds
        aged = clock.advance(h)
        births = self._bear(h, begin) if len(self._starts) else None
        self._now += h
        if not slots.live_count:
            return None
        step = Step(h, aged * clock.tick, 0.0, 0.0, slots.rows, seconds, births)
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
                fractions = np.minimum(moments / self._duration, 1.0).astype(np.float32)
            moments -= (self._now - self._starts)[who]
            # Before the step was only born who was due in a hitch and never dies.
            np.clip(moments, 0.0 if self.population.mortal else -np.inf, h, out=moments)
            owners = self._ids[who]
            newborn = self.population.conceive(moments, seeds, begin, owners, fractions, phases)
            births = self._house(newborn)
        self._done = until
        going = (until < self._totals).any(axis=1)
        if not going.all():
            self._starts, self._done = self._starts[going], self._done[going]
            self._ids, self._bases = self._ids[going], self._bases[going]
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
        of = np.zeros(len(index), np.int64)  # how many are born with each
        burst = np.flatnonzero(group & 1 == 0)
        if len(burst):
            fired = np.searchsorted(self._fired, index[burst], side="right") - 1
            source[burst] = fired
            moments[burst] = self._times[fired]
            index[burst] -= self._fired[fired]
            of[burst] = self._fired[fired + 1] - self._fired[fired]
        seeds = pcg(self._bases[who, source] ^ pcg(index.astype(np.uint32)))
        phases = None
        shape = self.emitter.shape
        if shape.phased:
            phases = shape.phases(Moments(moments, index, index, of)).astype(np.float32)
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
