"""Population: who lives, in which slot, until when; by scalars and by NumPy alike."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpuparticles as gp
from gpuparticles.effect.random import LIFETIME, pcg, uniform
from gpuparticles.playback.population import Births, Population, hash_seed, pcg_int, row_slots
from gpuparticles.playback.slots import FOREVER

RECORD = np.dtype([("number", "u4"), ("moment", "f4"), ("lifetime", "f4"), ("seed", "u4")])
FOREVER_SECONDS = np.float32(1e20)

LIFETIMES = st.sampled_from(
    [
        0.0,
        1e-6,
        0.01,
        1.0,
        300.0,
        math.inf,
        (0.0, 0.05),
        (0.5, 3.0),
        (200.0, 300.0),
        (1e-6, 1e6),
        [(0.0, 0.01), (0.5, 3.0), (0.5, 0.0)],
    ]
)


def population(lifetime: Any, capacity: int = 1000, row: int = 32) -> Population:
    return Population(gp.Emitter("it", lifetime=lifetime), capacity, row)


def records(births: Births | None) -> Any:
    """The records of some births; none have none."""
    return np.frombuffer(b"" if births is None else bytes(births.records), RECORD)


@given(
    LIFETIMES,
    st.sampled_from([0, 1, 7, 50, 1000]),
    st.lists(st.tuples(st.floats(1e-5, 0.2), st.integers(0, 15)), min_size=1, max_size=30),
    st.randoms(use_true_random=False),
)
def test_scalars_and_numpy_bear_the_same(
    lifetime: Any, capacity: int, steps: list[tuple[float, int]], rng: random.Random
) -> None:
    few, many = population(lifetime, capacity), population(lifetime, capacity)
    for h, count in steps:
        due = sorted(
            (rng.choice([0.0, h, rng.uniform(0, h)]), rng.randrange(1 << 32)) for _ in range(count)
        )
        begin = few.clock.now
        few.clock.advance(h)
        many.clock.advance(h)
        fractions = None
        if few.timed:
            fractions = np.array([rng.random() for _ in due], np.float32)
        one_by_one = few.bear_few(due, begin, fractions)
        at_once = many.bear_many(
            np.array([moment for moment, _ in due]),
            np.array([seed for _, seed in due], np.uint32),
            begin,
            fractions,
        )
        assert (one_by_one is None) == (at_once is None)
        assert np.array_equal(records(one_by_one), records(at_once))
        if one_by_one is not None and at_once is not None:
            assert list(one_by_one.slots) == list(at_once.slots)
            assert one_by_one.admitted == at_once.admitted
        freed = [sorted(map(int, p.slots.expire(p.clock.now))) for p in (few, many)]
        assert freed[0] == freed[1]
        for name in ("births", "dropped"):
            assert getattr(few, name) == getattr(many, name)
        assert few.slots.live_count == many.slots.live_count <= capacity
        assert np.array_equal(few.numbers, many.numbers)


@pytest.mark.parametrize("as_array", [False, True])
def test_a_lifetime_is_drawn_in_whole_ticks_from_the_particles_own_seed(as_array: bool) -> None:
    seeds = np.arange(500, dtype=np.uint32) * np.uint32(7919)
    born = population((0.5, 3.0))
    begin = born.clock.now
    born.clock.advance(0.1)
    if as_array:
        births = born.bear_many(np.zeros(500), seeds, begin)
    else:
        births = born.bear_few([(0.0, seed) for seed in seeds.tolist()], begin)
    found = records(births)
    drawn = 0.5 + 2.5 * uniform(seeds, LIFETIME).astype(np.float64)
    assert found["seed"].tolist() == seeds.tolist()
    assert np.array_equal(found["lifetime"] * 65536, np.floor(drawn * 65536 + 0.5))
    assert np.mean(found["lifetime"]) == pytest.approx(1.75, abs=0.1)


@pytest.mark.parametrize("count", [1, 100])
def test_a_death_comes_a_lifetime_after_the_moment_of_birth(count: int) -> None:
    """Born half a step before its end, of a life of 1 s: dead in the step that ends 1 s later."""
    born = population(1.0)
    h = 2.0**-5
    due = [(h / 2, seed) for seed in range(count)]
    born.clock.advance(h)
    if count == 1:
        born.bear_few(due, 0)
    else:
        born.bear_many(np.full(count, h / 2), np.arange(count, dtype=np.uint32), 0)
    counts = []
    for _ in range(35):
        born.slots.expire(born.clock.now)
        counts.append(born.slots.live_count)
        born.clock.advance(h)
    # The step of birth is the first; the 33rd ends at 1 + h, half a step after the death.
    assert counts == [count] * 32 + [0] * 3


@pytest.mark.parametrize("as_array", [False, True])
def test_births_over_within_their_step_use_their_numbers_and_take_no_slot(as_array: bool) -> None:
    born = population(0.05, capacity=2)
    moments = [0.0, 0.01, 0.02, 0.06, 0.07, 0.08]
    born.clock.advance(0.1)
    if as_array:
        births = born.bear_many(np.array(moments), np.arange(6, dtype=np.uint32), 0)
    else:
        births = born.bear_few(list(zip(moments, range(6), strict=True)), 0)
    assert records(births)["number"].tolist() == [3, 4]
    assert list(births.slots) == [0, 1]
    assert (born.births, born.dropped, born.slots.live_count) == (6, 1, 2)


@pytest.mark.parametrize("as_array", [False, True])
@pytest.mark.parametrize("lifetime", [0.0, 1e-6])
def test_a_life_of_no_tick_is_never_lived(lifetime: float, as_array: bool) -> None:
    born = population(lifetime)
    born.clock.advance(0.1)
    # Also one born at the very end of the step.
    moments = [0.0, 0.05, 0.1]
    if as_array:
        births = born.bear_many(np.array(moments), np.arange(3, dtype=np.uint32), 0)
    else:
        births = born.bear_few(list(zip(moments, range(3), strict=True)), 0)
    assert births is None
    assert (born.births, born.dropped, born.slots.live_count) == (3, 0, 0)


@pytest.mark.parametrize("as_array", [False, True])
def test_a_life_without_end_is_a_large_finite_one_and_keeps_its_slot(as_array: bool) -> None:
    born = population(math.inf)
    born.clock.advance(0.1)
    if as_array:
        births = born.bear_many(np.zeros(3), np.arange(3, dtype=np.uint32), 0)
    else:
        births = born.bear_few([(0.0, seed) for seed in range(3)], 0)
    assert records(births)["lifetime"].tolist() == [FOREVER_SECONDS] * 3
    assert len(born.slots.expire(FOREVER - 1)) == 0
    assert born.slots.live_count == 3


def test_the_living_keep_their_slots_when_there_is_no_room() -> None:
    born = population((5.0, 9.0), capacity=7)
    born.clock.advance(0.1)
    first = records(born.bear_few([(0.01 * i, i) for i in range(5)], 0))
    begin = born.clock.now
    born.clock.advance(0.1)
    later = born.bear_many(np.zeros(40), np.arange(40, dtype=np.uint32), begin)
    assert list(later.slots) == [5, 6]
    assert born.bear_few([(0.0, 1)], begin) is None
    assert (born.births, born.dropped, born.slots.live_count) == (46, 39, 7)
    assert born.numbers.tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert first["number"].tolist() == [0, 1, 2, 3, 4]


def test_rows_are_admitted_from_the_first_that_was_not_in_use() -> None:
    born = population(1.0)
    born.clock.advance(0.1)
    assert born.bear_few([(0.0, 0)] * 10, 0).admitted == 0
    assert born.bear_few([(0.0, 0)] * 2, 0).admitted == 1
    assert born.bear_many(np.zeros(100), np.zeros(100, np.uint32), 0).admitted == 1
    assert born.slots.rows == 4
    assert born.bear_few([(0.0, 0)] * 2, 0).admitted == 4


def test_grow_keeps_everybody_and_clear_forgets_them() -> None:
    born = population(1.0, capacity=3)
    born.clock.advance(0.1)
    born.bear_few([(0.0, seed) for seed in range(5)], 0)
    born.grow(10)
    births = born.bear_few([(0.0, 9)], 0)
    assert births.slots == [3]
    assert born.numbers[:4].tolist() == [0, 1, 2, 5]
    born.clear()
    assert (born.births, born.dropped, born.slots.live_count, born.clock.now) == (0, 0, 0, 0)
    assert born.slots.capacity == 10


def test_the_hash_of_one_int_is_the_hash_of_arrays() -> None:
    values = [0, 1, 2, 255, 2**31 - 1, 2**31, 2**32 - 1, *range(10**6, 10**6 + 100)]
    assert [pcg_int(v) for v in values] == pcg(np.array(values, np.uint32)).tolist()


def test_seeds_of_neighbours_differ() -> None:
    seeds = {hash_seed(*values) for values in np.ndindex(30, 30, 30)}
    # As many clashes as chance gives among 27,000 of 2^32: 0.08 expected.
    assert len(seeds) >= 26_998
    assert hash_seed(1, 2) != hash_seed(2, 1)
    assert hash_seed(0) != hash_seed(0, 0)


def test_of_a_seed_64_bits_count_and_any_int_will_do() -> None:
    values = [0, 1, -1, 2**31, 2**32, 2**32 + 1, 2**63, -(2**40)]
    assert len({hash_seed(value) for value in values}) == len(values)
    assert all(0 <= hash_seed(value, 10**30) < 2**32 for value in values)


@given(st.integers(0, 2**31 - 1))
def test_rows_are_powers_of_two_as_wide_as_leaves_sixteen(capacity: int) -> None:
    row = row_slots(capacity)
    assert row & (row - 1) == 0
    assert 32 <= row <= 4096
    assert (row == 4096) == (capacity > 2**24)
    if 1024 <= capacity <= 2**24:
        assert capacity // row >= 16
        assert row == 1024 or capacity // row < 32
