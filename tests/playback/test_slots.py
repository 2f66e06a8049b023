"""Slots against a set, and against plain arrays where it is large."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gpuparticles.errors import EffectError
from gpuparticles.playback import slots as module
from gpuparticles.playback.slots import FOREVER, EarlySlots, Slots


def as_list(slots: list[int] | NDArray[np.int64]) -> list[int]:
    """The slots of a call, once their type is as promised."""
    if len(slots) <= 16:
        assert type(slots) is list
        assert all(type(slot) is int for slot in slots)
        return slots
    assert isinstance(slots, np.ndarray)
    assert slots.dtype == np.int64
    return slots.tolist()


class Model:
    """What is taken, as a dict from slot to expiry."""

    def __init__(self, capacity: int, row: int) -> None:
        self.capacity = capacity
        self.row = row
        self.taken: dict[int, int] = {}

    @property
    def rows(self) -> int:
        return max(self.taken) // self.row + 1 if self.taken else 0

    def allocate(self, count: int) -> list[int]:
        free = [slot for slot in range(self.capacity) if slot not in self.taken][:count]
        self.taken |= dict.fromkeys(free, FOREVER)
        return free

    def expire(self, tick: int) -> set[int]:
        dead = {slot for slot, expiry in self.taken.items() if expiry <= tick and expiry < FOREVER}
        for slot in dead:
            del self.taken[slot]
        return dead


@pytest.fixture(params=["as it is", "by Python alone", "by NumPy alone"])
def path(request: pytest.FixtureRequest) -> Iterator[str]:
    """Which of the two ways a call goes."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param != "as it is":
            limit = 1 << 60 if request.param == "by Python alone" else 0
            patch.setattr(module, "_SMALL", limit)
        yield request.param


CAPACITIES = st.sampled_from([0, 1, 7, 31, 32, 33, 63, 64, 65, 1009, 1023, 1024, 1025, 5000])
COUNTS = st.sampled_from([0, 1, 2, 3, 15, 16, 17, 63, 64, 65, 200, 1024, 3000])
LIVES = st.sampled_from(["now", "short", "long", "huge", "forever", "mixed"])
ACTIONS = st.one_of(
    st.tuples(st.just("birth"), COUNTS, LIVES),
    st.tuples(st.just("birth"), COUNTS, LIVES),
    st.tuples(st.just("pass"), st.sampled_from([0, 1, 100, 1092, 2048, 2049, 70_000, 1 << 45])),
    st.tuples(st.just("clear")),
    st.tuples(st.just("grow"), st.sampled_from([0, 1, 100, 1024, 5000])),
)


def draw_life(kind: str, rng: random.Random) -> int:
    """The ticks of one life."""
    if kind == "mixed":
        kind = rng.choice(["now", "short", "long", "huge", "forever"])
    return {
        "now": rng.randint(-1, 1),
        "short": rng.randint(1, 4000),
        "long": rng.randint(60_000, 900_000),
        "huge": rng.randint(1 << 30, 1 << 46),
        "forever": FOREVER,
    }[kind]


@given(
    CAPACITIES,
    st.sampled_from([32, 64, 1024, 4096]),
    st.sampled_from([0, 1 << 20, 1 << 61]),
    st.lists(ACTIONS, max_size=25),
    st.randoms(use_true_random=False),
)
def test_slots_are_what_the_model_says(
    capacity: int, row: int, tick: int, actions: list[tuple], rng: random.Random
) -> None:
    slots = Slots(capacity, row)
    model = Model(capacity, row)
    for action, *values in actions:
        match action:
            case "birth":
                count, lives = values
                given_slots = slots.allocate(count)
                assert as_list(given_slots) == model.allocate(count)
                expiry = [
                    FOREVER if (life := draw_life(lives, rng)) == FOREVER else tick + life
                    for _ in given_slots
                ]
                # Lists and arrays are taken, and lists of any length.
                as_array = rng.random() < 0.5
                slots.occupy(given_slots, np.array(expiry, np.int64) if as_array else expiry)
                model.taken.update(zip(as_list(given_slots), expiry, strict=True))
            case "pass":
                tick = min(tick + values[0], FOREVER - 1)
                freed = as_list(slots.expire(tick))
                assert len(freed) == len(set(freed))
                assert set(freed) == model.expire(tick)
            case "clear":
                slots.clear()
                model.taken.clear()
            case "grow":
                model.capacity += values[0]
                slots.grow(model.capacity)
        assert slots.capacity == model.capacity
        assert slots.live_count == len(model.taken) <= slots.capacity
        assert slots.rows == model.rows


def play(capacity: int, seed: int) -> list[list[int]]:
    """Everything that a random sequence of calls returns."""
    rng = random.Random(seed)
    slots = Slots(capacity, 64)
    tick = 0
    returned = []
    for _ in range(80):
        born = slots.allocate(rng.choice([0, 1, 3, 16, 17, 40, 500]))
        kind = rng.choice(["short", "short", "long", "mixed"])
        expiry = [min(tick + draw_life(kind, rng), FOREVER) for _ in born]
        slots.occupy(born, expiry)
        tick += rng.choice([1, 1092, 5000])
        freed = slots.expire(tick)
        returned += [list(map(int, born)), list(map(int, freed)), [slots.rows, slots.live_count]]
    return returned


@pytest.mark.parametrize("capacity", [7, 33, 1009, 4000])
def test_both_ways_return_the_same_in_the_same_order(path: str, capacity: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_SMALL", 20)
        expected = play(capacity, seed=5)
    assert play(capacity, seed=5) == expected
    assert any(len(slots) > 16 for slots in expected) == (capacity > 16)


@pytest.mark.parametrize("kind", [Slots, EarlySlots])
@pytest.mark.parametrize("capacity", [0, 1, 33, 3000])
def test_taking_one_is_allocating_and_occupying_it(kind: type[Slots], capacity: int) -> None:
    rng = random.Random(capacity)
    one, two = kind(capacity, 32), kind(capacity, 32)
    tick = 0
    for _ in range(400):
        for _ in range(rng.choice([0, 1, 30])):
            expiry = rng.choice([tick + rng.randint(1, 30_000), FOREVER])
            born = as_list(two.allocate(1))
            two.occupy(born, [expiry] * len(born))
            assert one.take(expiry) == (born[0] if born else -1)
        assert (one.rows, one.live_count) == (two.rows, two.live_count)
        tick += rng.choice([1, 1092, 5000])
        assert list(map(int, one.expire(tick))) == list(map(int, two.expire(tick)))
        saved, expected = one.state(), two.state()
        assert saved.keys() == expected.keys()
        assert all(np.array_equal(saved[name], expected[name]) for name in saved)


def test_small_and_large_calls_share_one_account() -> None:
    rng = random.Random(11)
    slots, model = Slots(4000), Model(4000, 1024)
    tick = 0
    # Filled by the handful first, so that many a block is closed by a small call.
    for count in [16] * 260 + [rng.choice([1, 5, 16, 17, 300, 2000]) for _ in range(300)]:
        born = as_list(slots.allocate(count))
        assert born == model.allocate(count)
        expiry = [tick + rng.randint(300 * 1092, 700 * 1092) for _ in born]
        slots.occupy(born, expiry)
        model.taken.update(zip(born, expiry, strict=True))
        tick += 1092
        assert set(as_list(slots.expire(tick))) == model.expire(tick)
        assert (slots.live_count, slots.rows) == (len(model.taken), model.rows)


@pytest.mark.parametrize("size", [7, 16, 17, 999])
@pytest.mark.parametrize("capacity", [33, 1024, 3000])
def test_clear_equals_a_new_one(size: int, capacity: int) -> None:
    slots = Slots(capacity)
    slots.occupy(slots.allocate(capacity), np.arange(capacity))
    slots.clear()
    assert slots.live_count == slots.rows == 0
    assert len(slots.expire(FOREVER)) == 0
    for first in range(0, capacity, size):
        expected = list(range(first, min(first + size, capacity)))
        assert as_list(slots.allocate(size)) == expected
    assert slots.allocate(size) == []


@pytest.mark.parametrize("capacity", [0, 1, 7, 31, 32, 33, 1009, 1_000_003])
def test_a_full_one_gives_no_more(capacity: int) -> None:
    slots = Slots(capacity)
    assert slots.rows == 0
    taken = slots.allocate(capacity + 100)
    assert np.array_equal(taken, np.arange(capacity))
    slots.occupy(taken, np.full(capacity, 10))
    assert slots.live_count == capacity
    assert slots.rows == -(-capacity // 1024)
    assert slots.allocate(1) == []
    assert slots.allocate(100) == []
    assert len(slots.expire(9)) == 0
    assert len(slots.expire(10)) == capacity
    assert slots.live_count == slots.rows == 0


@pytest.mark.parametrize("capacity", [7, 1009])
def test_one_at_a_time(capacity: int) -> None:
    slots = Slots(capacity)
    for slot in range(capacity):
        assert slots.allocate(1) == [slot]
        slots.occupy([slot], [100 + slot])
    assert slots.allocate(1) == []
    for slot in range(capacity):
        assert slots.expire(100 + slot) == [slot]
        assert slots.allocate(2) == [slot]
        slots.occupy([slot], [FOREVER])


def test_a_freed_slot_is_given_again_after_expire_and_not_before() -> None:
    slots = Slots(4)
    slots.occupy(slots.allocate(4), [5, 6, 7, 8])
    assert slots.allocate(1) == []
    assert sorted(slots.expire(6)) == [0, 1]
    assert slots.allocate(3) == [0, 1]


def test_the_lowest_come_first_wherever_they_were_freed() -> None:
    slots = Slots(5000)
    expiry = np.full(5000, 90)
    expiry[[4999, 17, 3000, 2, 1024, 1023]] = 10
    slots.occupy(slots.allocate(5000), expiry)
    assert sorted(slots.expire(10)) == [2, 17, 1023, 1024, 3000, 4999]
    assert slots.allocate(2) == [2, 17]
    assert slots.allocate(3) == [1023, 1024, 3000]
    assert slots.allocate(3) == [4999]


@pytest.mark.parametrize("count", [3, 2500])
def test_forever_never_comes(count: int) -> None:
    slots = Slots(5000)
    slots.occupy(slots.allocate(count), np.full(count, FOREVER))
    slots.occupy(slots.allocate(count), np.where(np.arange(count) % 3, FOREVER - 1, FOREVER))
    assert len(slots.expire(FOREVER - 2)) == 0
    assert sorted(slots.expire(FOREVER)) == [count + i for i in range(count) if i % 3]
    assert len(slots.expire(2 * FOREVER)) == 0
    slots.clear()
    assert slots.live_count == slots.rows == 0
    assert slots.allocate(2) == [0, 1]


def test_rows_fall_when_the_highest_die() -> None:
    slots = Slots(10_000, row=32)
    lives = np.arange(10_000) // 32 * 100  # a row after the other, from the lowest
    slots.occupy(slots.allocate(10_000), lives.max() - lives)
    for tick in range(0, 31_300, 100):
        assert slots.rows == 313 - tick // 100
        slots.expire(tick)
    assert slots.rows == 0
    assert slots.allocate(33) is not None
    assert slots.rows == 2


def test_rows_stay_up_for_a_single_slot() -> None:
    slots = Slots(100_000, row=64)
    expiry = np.zeros(100_000, np.int64)
    expiry[77_777] = 100
    slots.occupy(slots.allocate(100_000), expiry)
    slots.expire(99)
    assert (slots.live_count, slots.rows) == (1, 77_777 // 64 + 1)
    slots.occupy(slots.allocate(3), [200] * 3)
    slots.expire(100)
    assert (slots.live_count, slots.rows) == (3, 1)


def test_grow_keeps_what_is_taken() -> None:
    slots = Slots(7)
    slots.occupy(slots.allocate(7), [10, 99, 10, 99, 10, 99, 99])
    slots.grow(3000)
    assert slots.live_count == 7
    assert slots.allocate(2) == [7, 8]
    slots.occupy([7, 8], [10, 10])
    assert sorted(slots.expire(10)) == [0, 2, 4, 7, 8]
    assert np.array_equal(slots.allocate(4000), [0, 2, 4, *range(7, 3000)])
    assert slots.live_count == slots.capacity == 3000


@pytest.mark.parametrize("capacity", [99, 0, -1, 1 << 32])
def test_a_capacity_out_of_range_is_refused(capacity: int) -> None:
    slots = Slots(100)
    with pytest.raises(EffectError, match=rf"capacity {capacity} given; from 100 to 4294967295"):
        slots.grow(capacity)
    assert slots.capacity == 100
    if capacity < 0:
        with pytest.raises(ValueError, match="from 0 to 4294967295"):
            Slots(capacity)


@pytest.mark.parametrize("lives", [(65_536, 196_608), (1, 900_000), (500, 500), (1, 1 << 28)])
def test_a_million_slots(lives: tuple[int, int]) -> None:
    rng = np.random.default_rng(3)
    capacity = 1_000_003
    slots = Slots(capacity)
    expiry = np.zeros(capacity, np.int64)  # 0: free
    tick = 0
    for step in range(40):
        count = 600_000 if step in (0, 7) else int(rng.choice([1, 16, 17, 8192, 20_000]))
        born = slots.allocate(count)
        assert np.array_equal(born, np.flatnonzero(expiry == 0)[:count])
        expiry[born] = tick + rng.integers(lives[0], lives[1] + 1, len(born))
        slots.occupy(born, expiry[born])
        tick += int(rng.choice([1, 1092, 1093, 9000]))
        dead = np.flatnonzero((expiry > 0) & (expiry <= tick))
        assert np.array_equal(np.sort(slots.expire(tick)), dead)
        expiry[dead] = 0
        taken = np.flatnonzero(expiry)
        assert slots.live_count == len(taken)
        assert slots.rows == (taken[-1] // 1024 + 1 if len(taken) else 0)


def test_slots_that_are_not_told_their_time_stay_taken() -> None:
    slots = Slots(40)
    slots.allocate(3)
    slots.allocate(20)
    assert len(slots.expire(FOREVER)) == 0
    assert slots.live_count == 23
    slots.clear()
    assert slots.allocate(1) == [0]


@given(
    st.lists(
        st.tuples(
            st.integers(0, 5000),  # ticks that pass
            st.lists(st.integers(0, 9000) | st.just(FOREVER), max_size=90),  # lives that begin
            st.integers(0, 2**32),  # who of the living is killed
        ),
        max_size=20,
    )
)
def test_slots_that_are_freed_early(steps: list[tuple[int, list[int], int]]):
    """Against a dictionary of who is in which slot: nobody leaves for somebody else's time."""
    slots = EarlySlots(200, 32)
    living: dict[int, int] = {}
    now = 0
    for passed, lives, killed in steps:
        now += passed
        expected = sorted(slot for slot, until in living.items() if until <= now)
        assert sorted(np.asarray(slots.expire(now)).tolist()) == expected
        for slot in expected:
            del living[slot]
        born = [int(slot) for slot in slots.allocate(len(lives))]
        expiry = [now + life if life < FOREVER else FOREVER for life in lives[: len(born)]]
        slots.occupy(born, expiry)
        living |= dict(zip(born, expiry, strict=True))
        alive = np.random.default_rng(killed).random(32 * slots.rows) < 0.8
        dead = slots.dead(np.packbits(alive, bitorder="little"))
        assert dead.tolist() == sorted(slot for slot in living if not alive[slot])
        slots.free(dead)
        for slot in dead.tolist():
            del living[slot]
        assert slots.live_count == len(living)
        assert slots.rows == (max(living) // 32 + 1 if living else 0)
        assert slots.taken().tolist() == sorted(living)
        state = slots.state()
        assert dict(zip(state["taken"].tolist(), state["expiry"].tolist(), strict=True)) == living
