"""Plays one emitter on the CPU.

Timeline and Population become Steps, which are all that the GPU, or the NumPy reference, needs to
know.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from gpuparticles.effect.effect import MOST_AT_ONCE, Effect, Emitter
from gpuparticles.effect.random import pcg
from gpuparticles.effect.shapes import Moments
from gpuparticles.effect.values import Floats
from gpuparticles.errors import EffectError
from gpuparticles.playback.given import WIDTH, Given, nothing
from gpuparticles.playback.marks import marks_of
from gpuparticles.playback.place import FARTHEST, Vec3
from gpuparticles.playback.population import Births, Population, hash_seed, pcg_int, row_slots
from gpuparticles.playback.poses import Poses
from gpuparticles.playback.saved import Limits, Saved, Saves, UnfitError
from gpuparticles.playback.timeline import DISTANCE, MANUAL, RATE, Run, Timeline

__all__ = [
    "LONGEST_BOOKING",
    "LONGEST_MOTION",
    "SHORTEST_PATH",
    "Player",
    "Step",
    "grow_old",
    "split",
]

#: Births in a step up to which plain Python is quicker than NumPy.
_FEW = 16

#: Seconds of motion that are made up at the most, after a hitch, for particles that never die.
LONGEST_MOTION = 10.0

#: Seconds of a hitch that are booked step by step where an emitter may be full, so that it drops
#: what it would have dropped; what lies before is only counted.
LONGEST_BOOKING = 120.0

#: Seconds whose inverse still fits into single precision: along the path of an update that is
#: shorter nothing moves anyway.
SHORTEST_PATH = 1e-30

# Births that an emitter without deaths takes over from a hitch, at a time, and after how many
# times that bring nobody the rest is only counted.
_CHUNK = 65536
_BARREN = 256

# For how many seconds of a hitch the rate that a function gives holds, among particles that never
# die; and into how many parts it is cut at the most.
_DRIVEN = 1.0
_MOST_PARTS = 600


@dataclass(slots=True)
class Step:
    """All that advances an emitter's particles once.

    Args:
        time: Seconds of motion.
        age: Seconds of ageing, in whole ticks.
        path_begin: Where on the emitter's path of this update the step begins, 0 to 1.
        path_rate: How much of that path a second covers.
        rows: Rows of slots in which a particle lives, or lived until this step.
        begin: The emitter's time at the begin, in seconds.
        births: Particles born in this step.
        forget: Rows in which every particle is dead before the step, whatever the GPU holds: they
            died in a hitch that nobody saw.
        died: The slots that are free after the step, where somebody wants to know.
        tick: The emitter's time at the begin, in whole ticks.
    """

    time: float
    age: float
    path_begin: float
    path_rate: float
    rows: int
    begin: float
    births: Births | None = None
    forget: int = 0
    died: NDArray[np.int64] | None = None
    tick: int = 0


def split(dt: float, max_step: float) -> int:
    """Into how many equal steps dt is split."""
    return max(1, math.ceil(min(dt / max_step, 1e15) - 0.05))


def grow_old(population: Population, dt: float) -> Iterator[Step]:
    """The step that lets dt pass for particles that never die, without motion."""
    clock, slots = population.clock, population.slots
    tick, begin = clock.now, clock.seconds
    aged = clock.advance(dt)
    if slots.live_count:
        yield Step(0.0, aged * clock.tick, 0.0, 0.0, slots.rows, begin, tick=tick)


class Player(Saves):
    """Plays one emitter of one instance of an effect.

    Args:
        effect: What to play.
        index: Which of its emitters.
        seed: The instance's seed.

    Attributes:
        timeline: When births are due.
        population: Who lives.
        seen_rows: Rows in which somebody lived in the last step.
        listens: Whether steps tell who has died.
        poses: Where the emitter was, for trails that stay in the world while it carries their
            particles along; whoever simulates has it take notes.
    """

    SAVED = (
        "timeline",
        "population",
        "seen_rows",
        "_seen_from",
        "_manual",
        "_manual_births",
        "_last",
        "poses",
    )
    LIMITS: ClassVar[Limits] = {
        "_manual": (0, MOST_AT_ONCE),
        **dict.fromkeys(("seen_rows", "_seen_from", "_manual_births", "_last"), (0, 2**62)),
    }

    def __init__(self, effect: Effect, index: int, seed: int) -> None:
        emitter = effect.emitters[index]
        self.emitter = emitter
        self.timeline = Timeline(
            rate=emitter.rate,
            bursts=emitter.bursts,
            duration=effect.duration_of(emitter),
            loop=effect.loop_of(emitter),
            delay=emitter.delay,
            pulse=emitter.pulse,
            rate_over_distance=emitter.rate_over_distance,
            seed=hash_seed(seed, index),
        )
        self.population = Population(
            emitter,
            emitter.capacity,
            row_slots(emitter.capacity),
            effect.longest_life(emitter),
            killed=effect.kills(index),
            lingers=0.0 if emitter.trail is None else emitter.trail.lingers,
        )
        self.poses: Poses | None = None
        if emitter.trail is not None and emitter.trail_stays:
            clock = self.population.clock
            self.poses = Poses(marks_of(emitter.trail, clock, effect.fixed_fps), clock)
        self._seed = (seed, index)
        self._phased = emitter.shape.phased
        self._bases: dict[int, int] = {}
        self.seen_rows = 0
        self._manual = 0
        self._manual_births = 0
        self._given = nothing(0)  # a row for each that is asked for, if anything is given of any
        self._handed: Given | None = None  # and of those that are born now
        self._seen_from = 0  # births before were of a hitch: the GPU knows nothing of them
        self.listens = False  # whether steps tell who has died
        self._speed = 0.0  # units/s at which the emitter travels in this update
        self._last = emitter.limit  # no births after so many
        self._rates: deque[float] = deque()  # what a function has given for the steps to come

    def describe(self, emitter: Emitter) -> None:
        """Go on with other values of what parameters may drive."""
        if emitter.rate != self.emitter.rate:  # else one that was set by hand stays
            self.timeline.describe(emitter.rate)
        self.timeline.density = emitter.rate_over_distance
        self.population.set_lifetime(emitter.lifetime)
        self.emitter = emitter

    @property
    def over(self) -> bool:
        """Whether nobody lives and nobody will be born."""
        return not self.population.slots.live_count and not self._manual and self.timeline.exhausted

    @property
    def asked(self) -> int:
        """Births that emit() has asked for, and no step has brought yet."""
        return self._manual

    @property
    def given(self) -> Given | None:
        """What is given of them, if it is."""
        return self._given if len(self._given) else None

    def emit(self, count: int, given: Given | None = None) -> None:
        """Have particles born at the beginning of the next step, whatever the timeline does.

        Args:
            count: How many.
            given: What is given of each; see `playback.given`.
        """
        if given is not None or len(self._given):
            if not len(self._given):
                self._given = nothing(self._manual)
            self._given = np.concatenate([self._given, nothing(count) if given is None else given])
        self._manual += count

    def shift(self, offset: Vec3) -> None:
        """Count places from elsewhere: those that are given, and where the emitter was."""
        if self.poses is not None:
            self.poses.shift(offset)
        if len(self._given):
            self._given = self._given.copy()
            self._given[:, :3] += offset

    def state(self) -> Saved:
        """The present; what is given of births that are asked for is as long as it is."""
        return super().state() | {"given": self._given.copy()}

    def restore(self, state: Saved) -> None:
        """Be in a state that a player of the same emitter was in."""
        super().restore(state)
        given = state["given"]
        fits = isinstance(given, np.ndarray) and given.dtype == np.float64
        if not fits or given.shape not in ((0, WIDTH), (self._manual, WIDTH)):
            raise UnfitError("has no fitting Player.given")
        if not (np.abs(given) <= FARTHEST).all():
            raise UnfitError("has no fitting Player.given")
        self._given = given.copy()

    def sound(self) -> bool:
        """Whether the rows that were seen are there."""
        slots = self.population.slots
        return self.seen_rows * self.population.row < slots.capacity + self.population.row

    def start(self) -> None:
        """Begin again at time 0, and leave the living alone."""
        self.timeline.start()
        if self.emitter.limit is not None:
            self._last = self.population.births + self.emitter.limit

    def reset(self) -> None:
        """Forget everything: what follows equals a fresh run."""
        self.timeline.reset()
        self.population.clear()
        if self.poses is not None:
            self.poses.reset()
        self.seen_rows = self._seen_from = self._manual = self._manual_births = 0
        self._given, self._handed = nothing(0), None
        self._last = self.emitter.limit

    def ask(self, *spans: tuple[float, int], begin: float | None = None) -> None:
        """Ask the function that gives the rate, if one does, for all steps that come next.

        Args:
            spans: Seconds, and into how many steps they are split: what `steps` and `frames` will
                be called for, in order.
            begin: The emitter's time then; its present one by default.

        Raises:
            EffectError: It gave no rate; nothing has changed.
        """
        self._rates.clear()
        timeline = self.timeline
        if timeline.driver is None:
            return
        time = timeline.time if begin is None else begin
        rates: deque[float] = deque()
        try:
            for dt, count in spans:
                rates.extend(timeline.ask(time + passed) for passed in self._asking(dt, count))
                time += dt
        except EffectError as error:
            raise EffectError(f"{self.emitter.name}: {error}") from None
        self._rates = rates

    def _asking(self, dt: float, count: int) -> Iterator[float]:
        """When a function is asked in the course of dt seconds, which are split."""
        h = dt / max(count, 1)
        seen = self._seen(dt, count)
        if not self.population.mortal:
            parts = _parts((count - seen) * h)
            yield from (part * (count - seen) * h / parts for part in range(parts))
        else:
            booked = min(count - seen, math.ceil(LONGEST_BOOKING / h)) if count > seen else 0
            if booked < count - seen:
                yield 0.0
            seen += booked
        yield from (step * h for step in range(count - seen, count))

    def _drive(self) -> None:
        """Take the next of the rates that a function has given."""
        if self.timeline.driver is not None:
            self.timeline.drive(self._rates.popleft())

    def steps(self, dt: float, max_step: float, distance: float = 0.0) -> Iterable[Step]:
        """The steps that advance the emitter by dt; all of them must be taken, in order.

        Whatever lives now is dead after the longest life. Of a longer dt only the end is simulated;
        before it, births and deaths are booked without their motion.

        Args:
            dt: Seconds, above 0 and finite.
            max_step: Longer steps are split into equal ones.
            distance: Units that the emitter travels meanwhile, evenly.

        Raises:
            EffectError: A function gave no rate, unless `ask` has asked it already; nothing has
                changed.
        """
        self._speed = distance / dt if distance else 0.0
        if self.timeline.driver is not None and not self._rates:
            self.ask((dt, split(dt, max_step)))
        if SHORTEST_PATH < dt <= max_step:
            # Nearly every frame, and a generator costs as much as the rest of this.
            step = self._step(dt, 0.0, 1.0 / dt)
            return () if step is None else (step,)
        count = split(dt, max_step)
        return self._several(dt, count, dt / count)

    def frames(self, count: int, fps: float, distance: float = 0.0) -> Iterable[Step]:
        """The steps of so many whole frames, one each, however they are gathered; see `steps`."""
        self._speed = distance * fps / count if distance and count else 0.0
        if self.timeline.driver is not None and not self._rates:
            self.ask((count / fps, count))
        return self._several(count / fps, count, 1.0 / fps)

    def _several(self, dt: float, count: int, h: float) -> Iterator[Step]:
        rate = 1.0 / max(dt, SHORTEST_PATH)
        seen = self._seen(dt, count)
        forget = 0
        early: list[Run] = []
        if count > seen:
            unseen = (count - seen) * h
            if self.population.mortal:
                forget = self._book(count - seen, h)
                self._seen_from = self.population.births
            else:
                early = self._take_over(unseen)
                yield from grow_old(self.population, unseen)
        for i in range(count - seen, count):
            step = self._step(h, i * h * rate, rate, early)
            early = []
            if step is not None:
                if forget:
                    step.forget, forget = min(forget, step.rows), 0
                yield step

    def _seen(self, dt: float, count: int) -> int:
        """How many of the steps into which dt is split are simulated: the last ones."""
        longest = self.population.horizon if self.population.mortal else LONGEST_MOTION
        return min(count, int(longest * count / dt) + 2) if dt > longest else count

    def _step(
        self, h: float, path_begin: float, path_rate: float, early: Sequence[Run] = ()
    ) -> Step | None:
        population = self.population
        clock, slots = population.clock, population.slots
        begin, seconds = clock.now, clock.seconds
        timeline = self.timeline
        if timeline.driver is not None:
            self._drive()
        aged = clock.advance(h)
        runs = timeline.advance(h, self._speed * h) if self._speed else timeline.advance(h)
        if self._manual:
            runs = [*runs, self._by_hand(0.0)]
        if early:
            runs = [*early, *runs]
        births = self._bear(runs, begin, h, seconds) if runs else None
        rows = self.seen_rows = slots.rows
        if not slots.live_count:
            return None
        step = Step(h, aged * clock.tick, path_begin, path_rate, rows, seconds, births, tick=begin)
        died = slots.expire(clock.now)
        if self.listens and len(died):
            slots_died = np.asarray(died, np.int64)
            step.died = slots_died[population.numbers[slots_died] >= self._seen_from]
        return step

    def _bear(self, runs: Sequence[Run], begin: int, h: float, seconds: float) -> Births | None:
        total = len(runs[0].moments) if len(runs) == 1 else sum(len(each.moments) for each in runs)
        left = total if self._last is None else self._left(total)
        handed, self._handed = self._handed, None
        if total <= _FEW and not self._phased and handed is None:
            due: list[tuple[float, int]] = []
            for source, number, run in runs:
                base = self._base(source)
                for moment in run:
                    due.append((moment, pcg_int(base ^ pcg_int(number))))
                    number += 1
            if len(runs) > 1:
                # Runs come in order of their sources; a stable sort keeps that at equal moments.
                due.sort(key=_moment)
            if left < total:
                del due[left:]
            fractions = None
            if self.population.timed:
                fractions = self._fractions(np.array([moment for moment, _ in due]), h)
            return self.population.bear_few(due, begin, fractions)
        moments = np.empty(total)
        seeds = np.empty(total, np.uint32)
        phases = np.empty(total, np.float32) if self._phased else None
        given = None if handed is None else nothing(total)
        at = 0
        for source, first, run in runs:
            until = at + len(run)
            if phases is not None:
                which = _moments(Run(source, first, run), seconds)
                phases[at:until] = self.emitter.shape.phases(which)
            if given is not None and source == MANUAL:
                given[at:until] = handed
            moments[at:until] = run
            index = np.arange(first, first + until - at).astype(np.uint32)
            seeds[at:until] = pcg(np.uint32(self._base(source)) ^ pcg(index))
            at = until
        if len(runs) > 1:
            order = np.argsort(moments, kind="stable")
            moments, seeds = moments[order], seeds[order]
            phases = None if phases is None else phases[order]
            given = None if given is None else given[order]
        if left < total:
            moments, seeds = moments[:left], seeds[:left]
            phases = None if phases is None else phases[:left]
            given = None if given is None else given[:left]
        fractions = self._fractions(moments, h) if self.population.timed else None
        return self.population.bear_many(moments, seeds, begin, fractions, phases, given)

    def _fractions(self, moments: NDArray[np.float64], h: float) -> Floats:
        """How far the loop had come at moments of the step that has just passed."""
        return self.timeline.fractions(h - moments).astype(np.float32)

    def _left(self, total: int, pending: int = 0) -> int:
        """How many of so many births the limit allows, after others that are not counted yet.

        At the limit the timeline stops.
        """
        if self._last is None:
            return total
        left = max(self._last - self.population.births - pending, 0)
        if total >= left:
            self.timeline.stop()
        return min(total, left)

    def _skip(self, dt: float, pending: int = 0) -> int:
        """Pass dt and only count the births, which are returned; see `_left`."""
        births = self._left(self.timeline.skip(dt, self._speed * dt), pending)
        self.population.births += births
        return births

    def _book(self, count: int, h: float) -> int:
        """Pass steps without motion; returns the rows whose particles on the GPU are stale."""
        population = self.population
        forget = population.slots.rows
        booked = min(count, math.ceil(LONGEST_BOOKING / h))
        late = booked if self._may_drop(h) else 0
        if late < count:
            if self._manual:
                population.births += self._left(len(self._by_hand(0.0).moments))
                self._handed = None
            self._drive()
            self._skip((count - late) * h)
            population.clock.advance((count - booked) * h)
            for _ in range(booked - late):
                population.clock.advance(h)  # one by one, as it is rounded
            population.slots.expire(population.clock.now)
        for _ in range(late):
            step = self._step(h, 0.0, 0.0)
            if step is not None:
                forget = max(forget, step.rows)
        return forget

    def _take_over(self, dt: float) -> list[Run]:
        """Pass dt for particles that never die.

        Returns:
            Births meanwhile, as many as find room, to be born with the next step: their moments
            lie before its begin, which gives them their age and their place on the path.
        """
        population, timeline = self.population, self.timeline
        runs = [self._by_hand(-dt)] if self._manual else []
        pending = sum(len(run.moments) for run in runs)
        room = population.slots.capacity - population.slots.live_count
        room -= sum(self._kept(run) for run in runs)
        passed = asked = 0.0
        barren = 0
        parts = _parts(dt)
        kept_rates = len(self._rates) - parts  # those of the steps after it
        while room > 0 and passed < dt and barren < _BARREN and not timeline.exhausted:
            if self._last is not None and population.births + pending >= self._last:
                break
            part = dt - passed
            if timeline.driver is not None:
                if passed >= asked:
                    self._drive()
                    asked += dt / parts
                part = min(part, asked - passed)
            a_second = timeline.most_a_second + self._speed * self.emitter.rate_over_distance
            part = min(part, _CHUNK / max(a_second, 1e-9))
            barren += 1
            for source, first, moments in timeline.advance(part, self._speed * part):
                run = Run(source, first, np.asarray(moments) + (passed - dt))
                kept = self._kept(run)
                if kept:
                    runs.append(run)
                    pending += len(moments)
                    room -= kept
                    barren = 0
                else:
                    population.births += len(moments)
            passed += part
        while len(self._rates) > max(kept_rates, 0):
            self._drive()
        if passed < dt:
            late = self._skip(dt - passed, pending)
            if room <= 0:
                population.dropped += round(late * population.amount * population.share)
        return runs

    def _may_drop(self, h: float) -> bool:
        """Whether births may find no room; if not, who lives follows from when they are due."""
        timeline, population = self.timeline, self.population
        if timeline.driver is not None:
            return True
        seconds = population.horizon + 2.0 * h
        most = timeline.most_within(seconds)
        most += self._speed * self.emitter.rate_over_distance * seconds
        return most + population.slots.live_count + self._manual > population.slots.capacity

    def _kept(self, run: Run) -> int:
        """How many births of a run the amount leaves."""
        if self.population.keeps_all:
            return len(run.moments)
        index = np.arange(run.first, run.first + len(run.moments)).astype(np.uint32)
        return int(self.population.kept(pcg(np.uint32(self._base(run.source)) ^ pcg(index))).sum())

    def _by_hand(self, moment: float) -> Run:
        """The births that emit() has asked for."""
        count, self._manual = self._manual, 0
        if len(self._given):
            self._handed, self._given = self._given, nothing(0)
        first = self._manual_births
        self._manual_births += count
        return Run(MANUAL, first, [moment] * count if count <= _FEW else np.full(count, moment))

    def _base(self, source: int) -> int:
        base = self._bases.get(source)
        if base is None:
            base = self._bases[source] = hash_seed(*self._seed, source)
        return base


def _parts(dt: float) -> int:
    """Into how many parts a hitch of particles that never die is cut, to ask for their rate."""
    return min(math.ceil(dt / _DRIVEN), _MOST_PARTS)


def _moment(birth: tuple[float, int]) -> float:
    return birth[0]


def _moments(run: Run, seconds: float) -> Moments:
    """The births of a run as a shape sees them, given the time at which the step began.

    Those of one burst, of one pulse or of one call of emit() are born at one moment.
    """
    moments = np.asarray(run.moments, np.float64)
    numbers = np.arange(len(moments))
    place = count = np.zeros(len(moments), np.int64)
    if run.source not in (RATE, DISTANCE):
        first = np.flatnonzero(np.r_[True, moments[1:] != moments[:-1]])
        sizes = np.diff(np.r_[first, len(moments)])
        place = numbers - np.repeat(first, sizes)
        count = np.repeat(sizes, sizes)
    return Moments(seconds + moments, run.first + numbers, place, count)
