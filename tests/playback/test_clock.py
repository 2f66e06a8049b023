"""Clock against exact fractions: what float32 ages and the CPU's live count rest upon."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuparticles.playback.clock import Clock


@pytest.mark.parametrize(
    ("longest", "per_second"),
    [
        (0.0, 2**16),
        (1e-9, 2**16),
        (1.0, 2**16),
        (256.0, 2**16),
        (256.1, 2**15),
        (300.0, 2**15),
        (512.0, 2**15),
        (513.0, 2**14),
        (86_400.0, 2**7),
        (1e9, 2**-6),
        (math.inf, 2**8),
    ],
)
def test_a_tick_is_a_65536th_of_a_second_and_coarser_for_lives_over_256_s(
    longest: float, per_second: float
) -> None:
    clock = Clock(longest)
    assert clock.per_second == per_second
    assert clock.tick * clock.per_second == 1.0


@given(st.floats(0.0, 1e15))
def test_every_age_up_to_the_longest_life_is_exact_in_float32(longest: float) -> None:
    clock = Clock(longest)
    ticks = math.floor(longest * clock.per_second + 0.5)
    for count in (ticks, ticks - 1, ticks // 2):
        age = count * clock.tick
        assert float(np.float32(age)) == age
    # And no finer tick would do: 2^24 of them are all that a float32 counts.
    assert longest * clock.per_second <= 2**24
    assert clock.per_second == 2**16 or longest * clock.per_second > 2**23


@given(
    st.sampled_from([1.0, 300.0, 1e6, math.inf]),
    st.lists(st.floats(1e-9, 100.0), min_size=1, max_size=200),
)
def test_only_whole_ticks_pass_and_the_rest_is_carried(longest: float, steps: list[float]) -> None:
    clock = Clock(longest)
    exact = Fraction(0)
    now = 0
    for dt in steps:
        passed = clock.advance(dt)
        assert type(passed) is int
        now += passed
        exact += Fraction(dt) * Fraction(clock.per_second)
        assert clock.now == now
        assert -1e-9 < exact - now < 1 + 1e-9


@pytest.mark.parametrize("dt", [1 / 60, 1 / 7, 0.001])
def test_nothing_drifts_in_600_000_steps(dt: float) -> None:
    clock = Clock(1.0)
    for _ in range(600_000):
        clock.advance(dt)
    exact = 600_000 * Fraction(dt) * 2**16
    assert abs(clock.now - exact) <= 1


def test_a_step_shorter_than_a_tick_is_not_lost() -> None:
    clock = Clock(1.0)
    assert [clock.advance(2.0**-18) for _ in range(8)] == [0, 0, 0, 1, 0, 0, 0, 1]


def test_reset_forgets_what_was_carried() -> None:
    clock = Clock(1.0)
    clock.advance(1.75 * 2**-16)
    assert clock.now == 1
    clock.reset()
    assert clock.now == 0
    assert clock.advance(0.5 * 2**-16) == 0
    assert clock.advance(0.5 * 2**-16) == 1
