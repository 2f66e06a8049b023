"""The particles of one emitter, as the CPU knows them: who lives in which slot, and until when."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from ctypes import c_float
from math import floor
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpuparticles.effect.draws import over_loop
from gpuparticles.effect.effect import Emitter
from gpuparticles.effect.random import AMOUNT, LIFETIME, pcg
from gpuparticles.effect.values import Curve, Floats, Range, span
from gpuparticles.playback.clock import Clock
from gpuparticles.playback.given import Given
from gpuparticles.playback.saved import Limits, Saved, Saves, UnfitError
from gpuparticles.playback.slots import FOREVER, EarlySlots, Slots

__all__ = [
    "REPORTS_TO_BURIAL",
    "STEPS_A_REPORT",
    "Births",
    "Newborn",
    "Population",
    "hash_seed",
    "pcg_int",
    "row_slots",
]

# The lifetime, in seconds, that the GPU sees where there is none; FOREVER in shaders.layout.
_FOREVER_SECONDS = 1e20
_MASK_32 = 0xFFFFFFFF
_pack_record = struct.Struct("<IffI").pack


REPORTS_TO_BURIAL = 3
"""Whom a modifier has killed leaves the slot when so many reports more have been asked for, one an
update: the GPU has told by then; always as many, so that slots are the same on every machine."""

STEPS_A_REPORT = 4
"""An update of more steps, such as a prewarm, has a report after each so many of them too: killed
particles would keep births from their slots all the time."""


class Births(NamedTuple):
    """Particles born in one step.

    Args:
        slots: Their slots, ascending, one each.
        records: uint32 of shape (n, 4), or the bytes of it: number (or phase, as float bits),
            moment (float bits, seconds after the step's begin), lifetime (float bits, seconds),
            seed.
        admitted: The first row that was not in use before: in it and above, slots without a
            birth are to be marked dead.
        instances: uint32 of shape (n,): whose they are, in a pool.
        fractions: float32 of shape (n,): how far the loop had come at each one's moment, 0 to 1,
            where a birth has curves over it.
        given: What a host has given of them, in a step with births of which it has; see `given`.
    """

    slots: list[int] | NDArray[np.int64]
    records: bytes | NDArray[np.uint32]
    admitted: int
    instances: NDArray[np.uint32] | None = None
    fractions: NDArray[np.float32] | None = None
    given: Given | None = None


class Newborn(NamedTuple):
    """Births that outlive their step, in order: arrays of one length.

    Args:
        numbers: int64.
        moments: float32, seconds after the step's begin.
        lifetimes: float32, seconds, in whole ticks.
        seeds: uint32.
        expiry: int64, the tick at which they die.
        instances: uint32, whose they are, in a pool.
        fractions: float32, how far the loop had come, where a birth has curves over it.
        phases: float32, where the shape has got to, if births follow each other there.
        given: What a host has given of them, if it has.
    """

    numbers: NDArray[np.int64]
    moments: NDArray[np.float32]
    lifetimes: NDArray[np.float32]
    seeds: NDArray[np.uint32]
    expiry: NDArray[np.int64]
    instances: NDArray[np.uint32] | None
    fractions: NDArray[np.float32] | None
    phases: NDArray[np.float32] | None
    given: Given | None = None

    def only(self, which: NDArray[np.bool_] | slice) -> Newborn:
        """Some of them."""
        numbers, moments, lifetimes, seeds, expiry, instances, fractions, phases, given = self
        return Newborn(
            numbers[which],
            moments[which],
            lifetimes[which],
            seeds[which],
            expiry[which],
            None if instances is None else instances[which],
            None if fractions is None else fractions[which],
            None if phases is None else phases[which],
            None if given is None else given[which],
        )


def pcg_int(v: int) -> int:
    """The hash of effect.random for one Python int."""
    state = (v * 747796405 + 2891336453) & _MASK_32
    word = (((state >> ((state >> 28) + 4)) ^ state) * 277803737) & _MASK_32
    return (word >> 22) ^ word


_LIFETIME_HASH = pcg_int(LIFETIME)
_AMOUNT_HASH = pcg_int(AMOUNT)
_ALL = 1 << 32


def hash_seed(*values: int) -> int:
    """One 32-bit seed out of several whole numbers, in order; of each, 64 bits count."""
    h = 0
    for value in values:
        h = pcg_int(h ^ pcg_int(value & _MASK_32))
        high = value >> 32 & _MASK_32
        if high:
            h = pcg_int(h ^ high)
    return h


def row_slots(capacity: int) -> int:
    """Slots a row of the state textures.

    A power of two from 32 to 1024, and 4096 above 16 M slots: as wide as leaves at least 16 rows,
    so that little is lost in the last one. Wide and low is quicker than square where a driver
    shares out a pass in tiles (10,000 particles on llvmpipe: by a quarter).
    """
    if capacity > 1 << 24:
        return 4096
    return min(1024, max(32, 1 << (capacity // 16).bit_length() - 1 if capacity >= 16 else 0))


class Population(Saves):
    """The living of one emitter.

    Args:
        emitter: Gives the lifetimes.
        capacity: Slots.
        row: Slots a texture row.
        longest: The longest lifetime there will be; by default that of the emitter.
        killed: Whether lives may end before their time.
        lingers: Seconds after a death for which the slot stays taken.

    Attributes:
        row: Slots a texture row.
        clock: Ages in ticks.
        slots: Who is where.
        numbers: int64, the birth number of the particle in each slot.
        births: Births so far, those included that were dropped, left out for the amount, or over
            within their step.
        dropped: Births for which there was no room.
        horizon: The longest time in seconds for which a slot is taken; may be infinite.
        timed: Whether births need to know how far the loop has come.
    """

    SAVED = ("clock", "slots", "births", "dropped", "_amount", "_share", "_below")
    LIMITS: ClassVar[Limits] = {
        **dict.fromkeys(("births", "dropped"), (0, 2**62)),
        **dict.fromkeys(("_amount", "_share"), (0, 1)),
        "_below": (0, _ALL),
    }

    def __init__(
        self,
        emitter: Emitter,
        capacity: int,
        row: int,
        longest: float | None = None,
        *,
        killed: bool = False,
        lingers: float = 0.0,
    ) -> None:
        self._looks_up = over_loop(emitter)
        life = span(emitter.lifetime)[1] if longest is None else longest
        self.horizon = life + lingers
        self.mortal = math.isfinite(self.horizon)
        self.set_lifetime(emitter.lifetime)
        self.timed = self._looks_up or self._curve is not None
        self.clock = Clock(self.horizon)
        self._lingers = math.ceil(lingers * self.clock.per_second)
        self.row = row
        self.slots = EarlySlots(capacity, row) if killed else Slots(capacity, row)
        self.numbers = np.zeros(capacity, np.int64)
        self.births = 0
        self.dropped = 0
        self._amount = self._share = 1.0
        self._below = _ALL

    @property
    def amount(self) -> float:
        """The share of births that are kept, 0 to 1, times `share`.

        Whether one is kept is drawn from its seed: a larger amount keeps them all and adds some.
        """
        return self._amount

    @amount.setter
    def amount(self, amount: float) -> None:
        self._amount = amount
        self._below = round(amount * self._share * _ALL)

    @property
    def share(self) -> float:
        """The amount of the whole effect, 0 to 1."""
        return self._share

    @share.setter
    def share(self, share: float) -> None:
        self._share = share
        self._below = round(share * self._amount * _ALL)

    @property
    def keeps_all(self) -> bool:
        """Whether all births are kept."""
        return self._below == _ALL

    def kept(self, seeds: NDArray[np.uint32]) -> NDArray[np.bool_]:
        """Which births are kept."""
        return np.less(pcg(seeds ^ np.uint32(_AMOUNT_HASH)), self._below)

    def state(self) -> Saved:
        """The present; birth numbers only of the rows in use."""
        return super().state() | {"numbers": self.numbers[: self.slots.rows * self.row].copy()}

    def restore(self, state: Saved) -> None:
        """Be in a state that a population made alike was in."""
        super().restore(state)
        numbers = state["numbers"]
        used = min(self.slots.rows * self.row, len(self.numbers))
        if not isinstance(numbers, np.ndarray) or numbers.dtype != np.int64:
            raise UnfitError("has no birth numbers")
        if numbers.shape != (used,):
            raise UnfitError("has birth numbers of others")
        self.numbers[:used] = numbers

    def set_lifetime(self, lifetime: float | Range | Curve) -> None:
        """How long those live who are born from now on; not beyond the horizon."""
        self._curve = lifetime if isinstance(lifetime, Curve) else None
        low, high = span(lifetime)
        self._low, self._span = (low, high - low) if self.mortal else (0.0, 0.0)

    def clear(self) -> None:
        """Nobody lives, and nobody ever has."""
        self.clock.reset()
        self.slots.clear()
        self.births = 0
        self.dropped = 0

    def bury(self, alive: NDArray[np.uint8], births: int) -> NDArray[np.int64]:
        """Free the slots of those who were killed, and return them.

        Args:
            alive: A bit for each of the first slots, the lowest first: who lived some time ago.
            births: Births until then; those who were born since are left alone.
        """
        slots = self.slots
        assert isinstance(slots, EarlySlots)
        dead = slots.dead(alive)
        dead = dead[self.numbers[dead] < births]
        slots.free(dead)
        return dead

    def grow(self, capacity: int) -> None:
        """Make room; everybody stays where they are."""
        self.slots.grow(capacity)
        self.numbers = np.concatenate(
            [self.numbers, np.zeros(capacity - len(self.numbers), np.int64)]
        )

    def set_capacity(self, capacity: int) -> NDArray[np.int64] | None:
        """Have room for more or fewer; of too many the youngest stay.

        Args:
            capacity: Slots, as many as textures can hold.

        Returns:
            For each slot of the rows in use, as they are now, the slot in which its particle was,
            or -1 where nobody lives; None where everybody has stayed in place.
        """
        row = row_slots(capacity)
        if row == self.row and capacity >= self.slots.capacity:
            self.grow(capacity)
            return None
        taken = self.slots.taken()
        if len(taken) > capacity:
            youngest = np.argsort(self.numbers[taken])[len(taken) - capacity :]
            taken = np.sort(taken[youngest])
        new = taken.copy()
        homeless = np.flatnonzero(taken >= capacity)
        if len(homeless):
            free = np.ones(capacity, np.bool_)
            free[taken[: homeless[0]]] = False
            new[homeless] = np.flatnonzero(free)[: len(homeless)]
        numbers = np.zeros(capacity, np.int64)
        numbers[new] = self.numbers[taken]
        self.numbers = numbers
        self.slots.move(taken, new, capacity, row)
        self.row = row
        came_from = np.full(self.slots.rows * row, -1, np.int64)
        came_from[new] = taken
        return came_from

    def bear_few(
        self, due: Sequence[tuple[float, int]], begin: int, fractions: Floats | None = None
    ) -> Births | None:
        """Find room for births, one at a time: quicker than NumPy for a handful.

        Args:
            due: (moment, seed) each, in order.
            begin: The tick at which the step began; the clock has passed the step.
            fractions: How far the loop had come at each moment; where births are `timed`.
        """
        clock, all_slots = self.clock, self.slots
        end, per_second = clock.now, clock.per_second
        first = self.births
        self.births += len(due)
        lives = None
        if self._curve is not None and fractions is not None:
            lives = self._curve.sample(fractions).tolist()
        admitted = all_slots.rows
        slots: list[int] = []
        records = b""
        born: list[int] = []
        below = self._below
        for number, (moment, seed) in enumerate(due, first):
            if below < _ALL and pcg_int(seed ^ _AMOUNT_HASH) >= below:
                continue
            birth = begin - floor(0.5 - c_float(moment).value * per_second)
            if birth > end:
                birth = end
            if not self.mortal:
                tick, lifetime = FOREVER, _FOREVER_SECONDS
            else:
                life = self._low
                if lives is not None:
                    life = lives[number - first]
                elif self._span:
                    life += self._span * ((pcg_int(seed ^ _LIFETIME_HASH) >> 8) * 2.0**-24)
                ticks = floor(life * per_second + 0.5)
                tick = birth + ticks
                lifetime = ticks * clock.tick
                if tick <= end:
                    continue
                tick += self._lingers
            slot = all_slots.take(tick)
            if slot < 0:
                self.dropped += 1
                continue
            self.numbers[slot] = number
            slots.append(slot)
            born.append(number)
            records += _pack_record(number & _MASK_32, moment, lifetime, seed)
        if not slots:
            return None
        if self._looks_up and fractions is not None:
            fractions = fractions[[number - first for number in born]]
        else:
            fractions = None
        return Births(slots, records, admitted, None, fractions)

    def bear_many(
        self,
        moments: NDArray[np.float64],
        seeds: NDArray[np.uint32],
        begin: int,
        fractions: Floats | None = None,
        phases: NDArray[np.float32] | None = None,
        given: Given | None = None,
    ) -> Births | None:
        """Find room for births, all at once.

        Args:
            moments: Seconds after the step's begin, in order of birth.
            seeds: The particles' seeds.
            begin: The tick at which the step began; the clock has passed the step.
            fractions: How far the loop had come at each moment; where births are `timed`.
            phases: Where the shape has got to, if births follow each other there.
            given: What a host has given of them, if it has.
        """
        return self.house(self.conceive(moments, seeds, begin, None, fractions, phases, given))

    def conceive(
        self,
        moments: NDArray[np.float64],
        seeds: NDArray[np.uint32],
        begin: int,
        instances: NDArray[np.uint32] | None = None,
        fractions: Floats | None = None,
        phases: NDArray[np.float32] | None = None,
        given: Given | None = None,
    ) -> Newborn:
        """Number births and draw their lifetimes; those over within their step are left out.

        Args:
            moments: Seconds after the step's begin, in order of birth.
            seeds: The particles' seeds.
            begin: The tick at which the step began; the clock has passed the step.
            instances: Whose they are, in a pool.
            fractions: How far the loop had come at each moment; where births are `timed`.
            phases: Where the shape has got to, if births follow each other there.
            given: What a host has given of them, if it has.
        """
        clock = self.clock
        count = len(moments)
        numbers = np.arange(self.births, self.births + count)
        self.births += count
        if self._below < _ALL:
            kept = self.kept(seeds)
            numbers, moments, seeds = numbers[kept], moments[kept], seeds[kept]
            instances = None if instances is None else instances[kept]
            fractions = None if fractions is None else fractions[kept]
            phases = None if phases is None else phases[kept]
            given = None if given is None else given[kept]
            count = len(numbers)
        single = moments.astype(np.float32)
        if not self.mortal:
            lifetimes = np.full(count, _FOREVER_SECONDS, np.float32)
            expiry = np.full(count, FOREVER)
            return Newborn(
                numbers, single, lifetimes, seeds, expiry, instances, fractions, phases, given
            )
        birth = begin - np.floor(0.5 - single.astype(np.float64) * clock.per_second).astype(int)
        np.minimum(birth, clock.now, out=birth)
        if self._curve is None or fractions is None:
            u = (pcg(seeds ^ np.uint32(_LIFETIME_HASH)) >> np.uint32(8)) * 2.0**-24
            lives = self._low + self._span * u
        else:
            lives = self._curve.sample(fractions).astype(np.float64)
        ticks = np.floor(lives * clock.per_second + 0.5)
        lifetimes = (ticks * clock.tick).astype(np.float32)
        expiry = birth + ticks.astype(np.int64)
        lasting = expiry > clock.now
        expiry += self._lingers
        newborn = Newborn(
            numbers, single, lifetimes, seeds, expiry, instances, fractions, phases, given
        )
        return newborn if lasting.all() else newborn.only(lasting)

    def house(self, newborn: Newborn) -> Births | None:
        """Give newborns slots, the first ones while there are any."""
        admitted = self.slots.rows
        slots = self.slots.allocate(len(newborn.seeds))
        room = len(slots)
        self.dropped += len(newborn.seeds) - room
        if not room:
            return None
        if room < len(newborn.seeds):
            newborn = newborn.only(slice(room))
        self.slots.occupy(slots, newborn.expiry)
        self.numbers.put(slots, newborn.numbers)  # quicker than by index
        records = np.empty((room, 4), np.uint32)
        phases = newborn.phases
        records[:, 0] = newborn.numbers if phases is None else phases.view(np.uint32)
        records[:, 1] = newborn.moments.view(np.uint32)
        records[:, 2] = newborn.lifetimes.view(np.uint32)
        records[:, 3] = newborn.seeds
        fractions = newborn.fractions if self._looks_up else None
        return Births(slots, records, admitted, newborn.instances, fractions, newborn.given)
