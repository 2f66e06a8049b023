"""Which slots of an emitter are taken, and until when.

Nothing here knows about particles, seconds or textures: slots are whole numbers from 0, and time
is whole ticks in the caller's unit. The cost of a call follows the births and deaths in it, not
the capacity.

Which slots are free is told by a flag a slot (a whole byte, because `bytearray.find` and NumPy
both search bytes at memory speed) under a count of the free ones in each block of 1024. Who dies
when is kept in bins of 2048 ticks: an occupied slot is filed under the bin of its expiry, and
only the bins that time has reached are opened.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

from gpuparticles.errors import EffectError
from gpuparticles.playback.saved import Saved, Saves, UnfitError

__all__ = ["FOREVER", "EarlySlots", "Slots"]

FOREVER = 1 << 62
"""The expiry, in ticks, of a slot that never expires."""

_NEVER = FOREVER + 1

_LIST = 16  # up to so many slots are returned as a list
_SMALL = 64  # up to so many, Python's own ints and lists are faster than NumPy

_BLOCK_BITS = 10
_BLOCK = 1 << _BLOCK_BITS

# With ticks of 2^-16 s a bin is two steps at 60 steps/s: wider ones would be sifted more often
# before they are empty, narrower ones would each get fewer of the births of a step.
_BIN_BITS = 11
_BIN_MASK = (1 << _BIN_BITS) - 1

# A bin holds one key for each slot in it: (expiry within the bin) << 32 | slot.
_SLOT_BITS = 32
_SLOT_MASK = (1 << _SLOT_BITS) - 1


class Slots(Saves):
    """Which slots are taken, and until when; the lowest free ones are given first.

    `allocate` takes a slot, `occupy` says until when (once per allocation) and `expire` frees it.
    A slot whose time was never told stays taken until `clear`.

    Args:
        capacity: How many slots there are, 0 to 2^32 - 1.
        row: Slots in a row of the texture that mirrors them; a power of two.

    Attributes:
        capacity: How many slots there are.
        live_count: How many of them are taken.
        rows: Rows in use: up to that of the highest taken slot, 0 when all are free.
    """

    def __init__(self, capacity: int, row: int = 1024) -> None:
        self.capacity = 0
        self.live_count = 0
        self.rows = 0
        self._row = row
        self._end = 0  # every slot from here on is free
        self._free = bytearray()  # a flag a slot
        self._counts = array("q")  # how many slots of each block are free
        self._open = bytearray()  # a flag a block: whether that is any
        self._bins: dict[int, array[int]] = {}
        self._order: list[int] = []  # the numbers of the bins, a heap
        self.grow(capacity)

    def state(self) -> Saved:
        """Which slots are taken, and until when: all else follows from it."""
        taken = self.taken()
        return {"capacity": self.capacity, "taken": taken, "expiry": self._expiry()[taken]}

    def restore(self, state: Saved) -> None:
        """Be in a state that slots of this capacity were in."""
        taken, expiry = _numbers(state, "taken"), _numbers(state, "expiry")
        inside = not len(taken) or (taken[0] >= 0 and taken[-1] < self.capacity)
        ascending = bool((taken[1:] > taken[:-1]).all())
        told = len(taken) == len(expiry) and bool(((expiry >= 0) & (expiry <= FOREVER)).all())
        if state.get("capacity") != self.capacity or not (inside and ascending and told):
            raise UnfitError("has slots that are not here")
        self.clear()
        free, counts, opened = self._views()
        free[taken] = False
        counts -= np.bincount(taken >> _BLOCK_BITS, minlength=len(counts))
        np.not_equal(counts, 0, out=opened)
        self.live_count = len(taken)
        if len(taken):
            self._raise_end(int(taken[-1]) + 1)
            self.occupy(taken, expiry)

    def allocate(self, count: int) -> list[int] | NDArray[np.int64]:
        """Take the lowest free slots.

        Args:
            count: How many slots are wanted, 0 or more.

        Returns:
            The slots, ascending, fewer than `count` when no more are free: a list of up to 16,
            else an int64 array.
        """
        count = min(count, self.capacity - self.live_count)
        self.live_count += count
        if count > _SMALL:
            return self._allocate_many(count)
        slots = []
        free = self._free
        counts = self._counts
        opened = self._open
        for _ in range(count):
            block = opened.find(1)
            slot = free.find(1, block << _BLOCK_BITS)
            free[slot] = 0
            counts[block] -= 1
            if not counts[block]:
                opened[block] = 0
            slots.append(slot)
        if slots and slots[-1] >= self._end:
            self._raise_end(slots[-1] + 1)
        return slots if count <= _LIST else np.array(slots, np.int64)

    def take(self, tick: int) -> int:
        """Take the lowest free slot until a tick: `allocate` and `occupy` in one, for one birth.

        Args:
            tick: When it becomes free, or `FOREVER`.

        Returns:
            The slot, or -1 when none is free.
        """
        if self.live_count >= self.capacity:
            return -1
        self.live_count += 1
        block = self._open.find(1)
        slot = self._free.find(1, block << _BLOCK_BITS)
        self._free[slot] = 0
        left = self._counts[block] = self._counts[block] - 1
        if not left:
            self._open[block] = 0
        if slot >= self._end:
            self._raise_end(slot + 1)
        if tick < FOREVER:
            keys = self._bins.get(tick >> _BIN_BITS)
            if keys is None:
                keys = self._new_bin(tick >> _BIN_BITS)
            keys.append((tick & _BIN_MASK) << _SLOT_BITS | slot)
        return slot

    def _allocate_many(self, count: int) -> NDArray[np.int64]:
        free, counts, opened = self._views()
        first = self._open.find(1)
        sums = np.cumsum(counts[first:])
        span = int(np.searchsorted(sums, count))
        last = first + span  # the block where the highest of the slots will be
        blocks = first + np.flatnonzero(opened[first : last + 1])
        flags = free.reshape(-1, _BLOCK)
        if span < 4 * len(blocks):
            slots = _nonzero(flags[first : last + 1].reshape(-1))[:count] + (first << _BLOCK_BITS)
        else:  # worth a copy that leaves out the full blocks between
            inside = _nonzero(flags[blocks].reshape(-1))[:count]
            slots = (blocks[inside >> _BLOCK_BITS] << _BLOCK_BITS) + (inside & (_BLOCK - 1))
        free[slots] = False
        counts[first:last] = 0
        counts[last] = sums[span] - count
        opened[first:last] = False
        opened[last] = counts[last] > 0
        if int(slots[-1]) >= self._end:
            self._raise_end(int(slots[-1]) + 1)
        return slots

    def _raise_end(self, end: int) -> None:
        self._end = end
        self.rows = -(-end // self._row)

    def _lower_end(self) -> None:
        # Where the last search ended is where this one begins; the mark rises by births alone,
        # one slot each as the lowest are taken first, so they have paid for its way down.
        self._end = self._free.rfind(0, 0, self._end) + 1
        self.rows = -(-self._end // self._row)

    def occupy(
        self,
        slots: Sequence[int] | NDArray[np.int64],
        expiry: Sequence[int] | NDArray[np.int64],
    ) -> None:
        """Say until when newly allocated slots are taken.

        Args:
            slots: Slots from `allocate` whose time has not been told yet.
            expiry: For each slot the tick at which it becomes free, or `FOREVER`.
        """
        if len(slots) > _SMALL:
            self._occupy_many(np.asarray(slots, np.int64), np.asarray(expiry, np.int64))
            return
        if isinstance(slots, np.ndarray):
            slots = slots.tolist()
        if isinstance(expiry, np.ndarray):
            expiry = expiry.tolist()
        bins = self._bins
        for slot, tick in zip(slots, expiry, strict=True):
            if tick < FOREVER:
                keys = bins.get(tick >> _BIN_BITS)
                if keys is None:
                    keys = self._new_bin(tick >> _BIN_BITS)
                keys.append((tick & _BIN_MASK) << _SLOT_BITS | slot)

    def _occupy_many(self, slots: NDArray[np.int64], expiry: NDArray[np.int64]) -> None:
        if expiry.max() >= FOREVER:
            mortal = np.flatnonzero(expiry < FOREVER)
            if not len(mortal):
                return
            slots = slots[mortal]
            expiry = expiry[mortal]
        numbers = expiry >> _BIN_BITS
        lowest = int(numbers.min())
        numbers -= lowest
        spread = int(numbers.max())
        if spread < 1 << 16:  # a stable sort of such small types takes linear time
            numbers = numbers.astype(np.uint8 if spread < 1 << 8 else np.uint16)
        by_bin = np.argsort(numbers, kind="stable")
        numbers = numbers[by_bin]
        keys = (((expiry & _BIN_MASK) << _SLOT_BITS) | slots)[by_bin].data.cast("B")
        starts = [0, *(np.flatnonzero(numbers[1:] != numbers[:-1]) + 1).tolist()]
        ends = [*starts[1:], len(slots)]
        for number, start, end in zip(numbers[starts].tolist(), starts, ends, strict=True):
            stored = self._bins.get(lowest + number)
            if stored is None:
                stored = self._new_bin(lowest + number)
            stored.frombytes(keys[8 * start : 8 * end])

    def _new_bin(self, number: int) -> array[int]:
        heappush(self._order, number)
        keys = self._bins[number] = array("q")
        return keys

    def expire(self, tick: int) -> list[int] | NDArray[np.int64]:
        """Free every slot whose expiry is `tick` or earlier.

        Returns:
            The freed slots, by bin and in a bin by time of birth: a list of up to 16, else an
            int64 array.
        """
        if not self._order or self._order[0] > tick >> _BIN_BITS:
            return []
        due = self._due(tick)
        if not due:
            return []
        self.live_count -= len(due)
        if len(due) > _SMALL:
            return self._free_many(np.asarray(due, np.int64) & _SLOT_MASK)
        slots = []
        for key in due:
            slot = key & _SLOT_MASK
            block = slot >> _BLOCK_BITS
            self._free[slot] = 1
            self._counts[block] += 1
            self._open[block] = 1
            slots.append(slot)
        self._lower_end()
        return slots if len(slots) <= _LIST else np.array(slots, np.int64)

    def _due(self, tick: int) -> array[int] | list[int]:
        """Take the keys of all whose expiry is `tick` or earlier from their bins."""
        order = self._order
        reached = tick >> _BIN_BITS
        due: array[int] | list[int] = []
        if order[0] < reached:
            due = array("q")
            while order and order[0] < reached:
                due.extend(self._bins.pop(heappop(order)))
        if order and order[0] == reached:
            part = self._sift(reached, ((tick & _BIN_MASK) + 1) << _SLOT_BITS)
            if due:
                due.extend(part)
            else:
                due = part
        return due

    def _sift(self, number: int, limit: int) -> array[int] | list[int]:
        """Take from a bin, the first one, the keys below a limit, in the order they came."""
        keys = self._bins[number]
        due: array[int] | list[int]
        if len(keys) <= _SMALL:
            due = [key for key in keys if key < limit]
            rest = array("q", [key for key in keys if key >= limit]) if due else keys
        else:
            values = np.frombuffer(keys, np.int64)
            below = values < limit
            due = array("q", values[np.flatnonzero(below)].tobytes())
            rest = array("q", values[np.flatnonzero(~below)].tobytes())
        if rest:
            self._bins[number] = rest
        else:
            del self._bins[heappop(self._order)]
        return due

    def _free_many(self, slots: NDArray[np.int64]) -> NDArray[np.int64]:
        free, counts, opened = self._views()
        free[slots] = True
        counts += np.bincount(slots >> _BLOCK_BITS, minlength=len(counts))
        np.not_equal(counts, 0, out=opened)
        self._lower_end()
        return slots

    def clear(self) -> None:
        """Free every slot at once, also those that never expire."""
        free, counts, opened = self._views()
        free[: self._end] = True
        counts[:] = _BLOCK
        opened[:] = True
        self._end = 0
        self.rows = 0
        self.live_count = 0
        self._bins.clear()
        self._order.clear()

    def grow(self, capacity: int) -> None:
        """Add slots above those there are; what is taken stays taken.

        Raises:
            EffectError: `capacity` is less than before, or beyond 2^32 - 1.
        """
        if not self.capacity <= capacity <= _SLOT_MASK:
            raise EffectError(
                f"Slots: capacity {capacity!r} given; "
                f"from {self.capacity} to {_SLOT_MASK} is allowed"
            )
        # Whole blocks. The flags past the capacity say free and are never reached, since the
        # lowest are given first, and no more of them than the capacity.
        blocks = (capacity >> _BLOCK_BITS) + 1
        more = blocks - len(self._open)
        self._free = self._free + b"\1" * (more * _BLOCK)
        self._counts = self._counts + array("q", [_BLOCK]) * more
        self._open = self._open + b"\1" * more
        self.capacity = capacity

    def taken(self) -> NDArray[np.int64]:
        """The slots that are taken, ascending."""
        return np.flatnonzero(np.frombuffer(self._free, np.bool_)[: self._end] == 0)

    def move(self, old: NDArray[np.int64], new: NDArray[np.int64], capacity: int, row: int) -> None:
        """Have another number of slots, in which only those of some old ones are taken.

        Args:
            old: Taken slots, each once; the others are free afterwards.
            new: For each where it is now.
            capacity: How many slots there are then.
            row: Slots in a row then; a power of two.
        """
        kept = self._expiry()[old]
        self.clear()
        self.capacity = 0
        self._row = row
        self._free, self._counts, self._open = bytearray(), array("q"), bytearray()
        self.grow(capacity)
        if not len(new):
            return
        free, counts, opened = self._views()
        free[new] = False
        counts -= np.bincount(new >> _BLOCK_BITS, minlength=len(counts))
        np.not_equal(counts, 0, out=opened)
        self.live_count = len(new)
        self._raise_end(int(new.max()) + 1)
        self.occupy(new, kept)

    def _expiry(self) -> NDArray[np.int64]:
        """Until when each slot up to the highest taken one is taken; of others it says nothing."""
        expiry = np.full(self._end, FOREVER, np.int64)
        for number, stored in self._bins.items():
            keys = np.frombuffer(stored, np.int64)
            expiry[keys & _SLOT_MASK] = (number << _BIN_BITS) + (keys >> _SLOT_BITS)
        return expiry

    def _views(self) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.bool_]]:
        """The flags, the counts and the blocks' flags as arrays on the same memory."""
        return (
            np.frombuffer(self._free, np.bool_),
            np.frombuffer(self._counts, np.int64),
            np.frombuffer(self._open, np.bool_),
        )


class EarlySlots(Slots):
    """Slots that may also be freed before their time.

    What was filed about such a slot stays where it is, and is passed over when its time comes: for
    who is in it then, another expiry counts.

    Args:
        capacity: As for `Slots`.
        row: As for `Slots`.
    """

    def __init__(self, capacity: int, row: int = 1024) -> None:
        self._until = np.empty(0, np.int64)  # of each slot; _NEVER while it is free
        super().__init__(capacity, row)

    def dead(self, alive: NDArray[np.uint8]) -> NDArray[np.int64]:
        """The taken slots among the first ones of which it is told that nobody lives in them.

        Args:
            alive: A bit a slot, the lowest first.
        """
        end = min(8 * len(alive), len(self._free))
        free = np.packbits(np.frombuffer(self._free, np.bool_)[:end], bitorder="little")
        octets = ~(free | alive[: len(free)])
        some = np.flatnonzero(octets)
        bits = np.unpackbits(octets[some][:, None], axis=1, bitorder="little")
        where, bit = np.nonzero(bits)
        slots = some[where] * 8 + bit
        return np.asarray(slots[slots < self.capacity], np.int64)

    def free(self, slots: NDArray[np.int64]) -> None:
        """Free taken slots, each once."""
        if len(slots):
            self._until[slots] = _NEVER
            self.live_count -= len(slots)
            self._free_many(slots)

    def occupy(
        self,
        slots: Sequence[int] | NDArray[np.int64],
        expiry: Sequence[int] | NDArray[np.int64],
    ) -> None:
        """As for `Slots`."""
        super().occupy(slots, expiry)
        self._until[slots] = expiry

    def take(self, tick: int) -> int:
        """As for `Slots`."""
        slot = super().take(tick)
        if slot >= 0:
            self._until[slot] = tick
        return slot

    def expire(self, tick: int) -> list[int] | NDArray[np.int64]:
        """As for `Slots`, but for the order in which slots are returned, which is ascending."""
        if not self._order or self._order[0] > tick >> _BIN_BITS:
            return []
        due = self._due(tick)
        if not due:
            return []
        # A slot may be filed several times: for those who have left it, and for who is in it.
        slots = np.unique(np.asarray(due, np.int64) & _SLOT_MASK)
        slots = slots[self._until[slots] <= tick]
        self.free(slots)
        return slots

    def clear(self) -> None:
        """As for `Slots`."""
        super().clear()
        self._until[:] = _NEVER

    def grow(self, capacity: int) -> None:
        """As for `Slots`."""
        super().grow(capacity)
        more = max(capacity - len(self._until), 0)
        self._until = np.concatenate([self._until[:capacity], np.full(more, _NEVER)])

    def _expiry(self) -> NDArray[np.int64]:
        return self._until[: self._end].copy()


def _numbers(state: Saved, name: str) -> NDArray[np.int64]:
    saved = state.get(name)
    if not isinstance(saved, np.ndarray) or saved.dtype != np.int64 or saved.ndim != 1:
        raise UnfitError("does not say which slots are taken")
    return saved


def _nonzero(flags: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Where a contiguous array of flags, a multiple of 64 long, is set; ascending.

    NumPy's own search pays a mispredicted branch for every hit in a sparse array: so look at 64
    flags at a time, then at 8, then at each.
    """
    eights = flags.view(np.uint64) != 0
    where = np.flatnonzero(eights.view(np.uint64) != 0)
    for level in (eights, flags):
        inside = np.flatnonzero(level.view(np.uint64)[where].view(np.bool_))
        where = (where[inside >> 3] << 3) + (inside & 7)
    return where
