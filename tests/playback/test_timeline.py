"""Timeline against births listed one by one in exact arithmetic, and against known answers."""

from __future__ import annotations

import copy
import math
import random
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuparticles.effect import Range
from gpuparticles.errors import EffectError
from gpuparticles.playback.timeline import MANUAL, RATE, Run, Timeline


class Burst(NamedTuple):
    """What a timeline asks of a burst."""

    time: float
    count: int | Range
    cycles: int = 1
    interval: float = 0.0
    probability: float = 1.0


class Birth(NamedTuple):
    source: int
    index: int
    moment: float | Fraction


def births_of(runs: Iterable[Run]) -> list[Birth]:
    """Each birth of a step, its moment counted from the step's begin."""
    return [
        Birth(source, index, float(moment))
        for source, first, moments in runs
        for index, moment in enumerate(moments, first)
    ]


def play(timeline: Timeline, steps: Iterable[float]) -> list[Birth]:
    """Every birth of a sequence of steps, its moment counted exactly from the first step."""
    begin = Fraction(0)
    births = []
    for dt in steps:
        births += [
            Birth(source, index, begin + Fraction(moment))
            for source, index, moment in births_of(timeline.advance(dt))
        ]
        begin += Fraction(dt)
    return births


def count(runs: Iterable[Run]) -> int:
    return sum(len(run.moments) for run in runs)


class Model:
    """A timeline that goes through every loop and every birth since the start, in fractions."""

    def __init__(self, rate: float, bursts: Sequence[Burst], duration: float, loop: bool) -> None:
        self.rate = Fraction(rate)
        self.bursts = bursts
        self.duration = Fraction(duration)
        self.loop = loop
        self.reset()

    def reset(self) -> None:
        self.born: dict[int, int] = {}
        self.start()

    def start(self) -> None:
        self.time = Fraction(0)
        self.integral = Fraction(0)
        self.end = None if self.loop else self.duration  # of the last loop
        self.stopped = False

    def retire(self) -> None:
        if self.end is None:
            self.end = (self.time // self.duration + 1) * self.duration

    def advance(self, dt: float) -> list[Birth]:
        begin = self.time
        self.time = end = begin + Fraction(dt)
        if self.stopped:
            return []
        moments: dict[int, list[Fraction]] = {}
        for source, burst in enumerate(self.bursts):
            loops = 1 + (int(end // self.duration) if self.loop else 0)
            for loop in range(loops):
                moment = loop * self.duration + Fraction(burst.time)
                over = self.loop and self.end is not None and moment >= self.end
                if begin <= moment < end and not over:
                    moments.setdefault(source, []).extend([moment - begin] * burst.count)
        emitting = Fraction(dt)
        if self.end is not None:
            emitting = max(min(end, self.end) - begin, Fraction(0))
        before = self.integral
        self.integral += self.rate * emitting
        for k in range(int(before) + 1, int(self.integral) + 1):
            moments.setdefault(RATE, []).append((k - before) / self.rate)
        births = []
        for source, run in sorted(moments.items()):
            for moment in run:
                births.append(Birth(source, self.born.get(source, 0), moment))
                self.born[source] = births[-1].index + 1
        return births

    @property
    def exhausted(self) -> bool:
        if self.stopped:
            return True
        if self.end is None:
            return False
        last = max((burst.time for burst in self.bursts), default=0.0)
        return not copy.deepcopy(self).advance(float(self.duration) + last + 1.0)


# Numbers whose sums and products float64 holds exactly, so that what lies exactly at the end of a
# step, of a loop or of a life is there for both.
def eighths(low: int, high: int) -> st.SearchStrategy[float]:
    return st.integers(low, high).map(lambda n: n / 8)


STEPS = st.integers(1, 4096).map(lambda n: n / 1024) | st.sampled_from([0.125, 0.25, 0.5, 1.0, 8.0])
COUNTS = st.sampled_from([0, 1, 2, 15, 16, 17, 40])
SOURCES = st.builds(
    lambda duration, times, counts, loop: (
        [
            Burst(min(time, duration - 0.0625) if loop else time, n)
            for time, n in zip(times, counts, strict=False)
        ],
        duration,
        loop,
    ),
    eighths(1, 24),
    st.lists(eighths(0, 30), max_size=5),
    st.lists(COUNTS, min_size=5, max_size=5),
    st.booleans(),
)
RATES = eighths(0, 40) | st.sampled_from([0.0, 0.5, 64.0, 200.0])
ACTIONS = st.one_of(
    st.tuples(st.just("advance"), STEPS),
    st.tuples(st.just("advance"), STEPS),
    st.tuples(st.just("skip"), STEPS),
    st.tuples(st.just("rate"), RATES),
    st.tuples(st.sampled_from(["stop", "start", "retire", "reset"]), st.just(0.0)),
)


@given(SOURCES, RATES, st.lists(ACTIONS, max_size=30))
def test_every_step_brings_what_the_model_lists(
    sources: tuple[list[Burst], float, bool], rate: float, actions: list[tuple[str, float]]
) -> None:
    bursts, duration, loop = sources
    timeline = Timeline(rate=rate, bursts=bursts, duration=duration, loop=loop)
    model = Model(rate, bursts, duration, loop)
    for action, value in actions:
        match action:
            case "advance":
                runs = timeline.advance(value)
                births = births_of(runs)
                expected = model.advance(value)
                assert [b[:2] for b in births] == [b[:2] for b in expected]
                for birth, exact in zip(births, expected, strict=True):
                    assert birth.moment == pytest.approx(float(exact.moment), abs=1e-12)
                    assert 0.0 <= birth.moment <= value
                for run in runs:
                    assert all(a <= b for a, b in pairwise(run.moments))
                    assert isinstance(run.moments, list) == (len(run.moments) <= 16)
            case "skip":
                assert timeline.skip(value) == len(model.advance(value))
            case "rate":
                timeline.rate = value
                model.rate = Fraction(value)
            case "stop":
                timeline.stop()
                model.stopped = True
            case _:
                getattr(timeline, action)()
                getattr(model, action)()
        assert timeline.time == float(model.time)
        assert timeline.exhausted == model.exhausted


@given(
    st.floats(0.0, 150.0),
    st.lists(st.tuples(st.floats(0.0, 2.0), COUNTS), max_size=4),
    st.floats(0.05, 3.0),
    st.booleans(),
    st.lists(st.floats(1e-5, 1.5), min_size=1, max_size=12),
)
def test_any_cut_brings_the_same_births(
    rate: float,
    pairs: list[tuple[float, int]],
    duration: float,
    loop: bool,
    steps: list[float],
) -> None:
    bursts = [Burst(math.fmod(time, duration) if loop else time, n) for time, n in pairs]
    cut = play(Timeline(rate=rate, bursts=bursts, duration=duration, loop=loop), steps)
    whole = math.fsum(steps)
    once = play(Timeline(rate=rate, bursts=bursts, duration=duration, loop=loop), [whole])
    model = Model(rate, bursts, duration, loop).advance(whole)
    end = Fraction(whole)
    for births in (cut, once):
        assert len(births) == len(set(b[:2] for b in births))
        moments = {b[:2]: b.moment for b in births}
        expected = {b[:2]: b.moment for b in model}
        for key in moments.keys() | expected.keys():
            if key in moments and key in expected:
                assert abs(moments[key] - expected[key]) < Fraction(1, 10**9)
            else:
                # Only on the very end, that of the span or of a one-shot's emission.
                moment = moments.get(key, expected.get(key))
                edges = [end, Fraction(duration)]
                assert min(abs(moment - edge) for edge in edges) < Fraction(1, 10**9)


def test_a_rate_brings_the_floor_of_its_integral() -> None:
    rng = random.Random(7)
    steps = [rng.uniform(0.001, 0.05) for _ in range(200_000)]
    ends = np.cumsum(np.array(steps, np.longdouble))
    timeline = Timeline(rate=7.3, bursts=[], duration=5.0, loop=True)
    born = np.cumsum([count(timeline.advance(dt)) for dt in steps])
    integral = 7.3 * ends
    off = born - np.floor(integral)
    on_a_boundary = np.abs(integral - np.round(integral)) < 1e-6
    assert not off[~on_a_boundary].any()
    assert np.abs(off).max() <= 1
    assert born[-1] > 37_000

    coarse = Timeline(rate=7.3, bursts=[], duration=5.0, loop=True)
    pieces = [math.fsum(steps[i : i + 2500]) for i in range(0, len(steps), 2500)]
    assert sum(count(coarse.advance(dt)) for dt in pieces) == born[-1]
    once = Timeline(rate=7.3, bursts=[], duration=5.0, loop=True)
    assert once.skip(math.fsum(steps)) == born[-1]


def test_a_rate_below_one_a_second() -> None:
    births = play(Timeline(rate=0.5, bursts=[], duration=1.0, loop=True), [1 / 60] * 601)
    assert [birth[:2] for birth in births] == [(RATE, k) for k in range(5)]
    assert [float(birth.moment) for birth in births] == pytest.approx([2, 4, 6, 8, 10], abs=1e-9)


def test_births_lie_at_their_moments() -> None:
    timeline = Timeline(rate=100.0, bursts=[], duration=5.0, loop=True)
    (run,) = timeline.advance(0.1)
    assert run.source == RATE
    assert run.first == 0
    assert run.moments == pytest.approx([k / 100 for k in range(1, 11)], abs=1e-15)


def test_a_birth_at_the_end_of_a_step_belongs_to_that_step_alone() -> None:
    timeline = Timeline(rate=4.0, bursts=[], duration=5.0, loop=True)
    assert timeline.advance(0.25) == [Run(RATE, 0, [0.25])]
    assert timeline.advance(0.125) == []
    assert timeline.advance(0.125) == [Run(RATE, 1, [0.125])]
    assert timeline.advance(0.25) == [Run(RATE, 2, [0.25])]


def test_a_burst_at_the_end_of_a_step_belongs_to_the_next_step_alone() -> None:
    timeline = Timeline(rate=0.0, bursts=[Burst(0.5, 2)], duration=1.0, loop=True)
    assert timeline.advance(0.5) == []
    assert timeline.advance(0.5) == [Run(0, 0, [0.0, 0.0])]
    assert timeline.advance(0.5) == []


@pytest.mark.parametrize("frames", [24, 30, 50, 60, 90, 120, 144, 240])
def test_rounding_takes_no_birth_from_a_one_shot(frames: int) -> None:
    timeline = Timeline(rate=10.0, bursts=[], duration=1.0, loop=False)
    births = play(timeline, [1 / frames] * frames)
    assert [birth.index for birth in births] == list(range(10))
    assert timeline.advance(1.0) == []


def test_a_burst_near_the_end_of_a_loop_fires_in_every_loop() -> None:
    timeline = Timeline(rate=0.0, bursts=[Burst(0.97, 3)], duration=1.0, loop=True)
    births = play(timeline, [0.08] * 50)
    assert [birth.index for birth in births] == list(range(12))
    expected = [loop + 0.97 for loop in range(4) for _ in range(3)]
    assert [float(birth.moment) for birth in births] == pytest.approx(expected, abs=1e-9)


def test_loops_inside_one_step_each_fire() -> None:
    bursts = [Burst(0.0, 1), Burst(0.25, 2), Burst(0.0, 20)]
    timeline = Timeline(rate=2.0, bursts=bursts, duration=0.5, loop=True)
    assert births_of(timeline.advance(0.125)) == [
        Birth(0, 0, 0.0),
        *(Birth(2, k, 0.0) for k in range(20)),
    ]
    first, second, third, rate = timeline.advance(1.25)  # from 0.125 to 1.375
    assert first == Run(0, 1, [0.375, 0.875])
    assert second == Run(1, 0, [0.125, 0.125, 0.625, 0.625, 1.125, 1.125])
    assert third[:2] == (2, 20)
    assert list(third.moments) == [0.375] * 20 + [0.875] * 20
    assert rate == Run(RATE, 0, [0.375, 0.875])


def test_bursts_at_one_time_come_in_authored_order() -> None:
    timeline = Timeline(rate=0.0, bursts=[Burst(0.25, 1), Burst(0.25, 1)], duration=1.0, loop=True)
    assert timeline.advance(4.0) == [
        Run(0, 0, [0.25, 1.25, 2.25, 3.25]),
        Run(1, 0, [0.25, 1.25, 2.25, 3.25]),
    ]


def test_a_one_shot_fires_bursts_after_its_duration_and_ends_its_rate_at_it() -> None:
    bursts = [Burst(1.0, 1), Burst(3.0, 2)]
    timeline = Timeline(rate=4.0, bursts=bursts, duration=1.0, loop=False)
    births = play(timeline, [0.75] * 3)
    assert [b.moment for b in births if b.source == RATE] == [0.25, 0.5, 0.75, 1.0]
    assert [b.moment for b in births if b.source == 0] == [1.0]
    assert not timeline.exhausted
    assert timeline.advance(1.0) == [Run(1, 0, [0.75, 0.75])]
    assert timeline.exhausted
    assert timeline.advance(1000.0) == []


def test_retire_finishes_the_loop() -> None:
    timeline = Timeline(rate=4.0, bursts=[Burst(0.0, 1), Burst(0.75, 1)], duration=1.0, loop=True)
    timeline.advance(2.5)
    timeline.retire()
    assert not timeline.exhausted
    assert timeline.advance(10.0) == [Run(1, 2, [0.25]), Run(RATE, 10, [0.25, 0.5])]
    assert timeline.exhausted
    assert timeline.time == 12.5
    timeline.start()
    assert not timeline.exhausted
    assert timeline.advance(1.25)[:2] == [Run(0, 3, [0.0, 1.0]), Run(1, 3, [0.75])]


def test_stop_ends_births_at_once_and_start_begins_at_zero() -> None:
    timeline = Timeline(rate=4.0, bursts=[Burst(0.125, 1)], duration=1.0, loop=True)
    timeline.advance(0.375)
    timeline.stop()
    assert timeline.exhausted
    assert timeline.advance(10.0) == []
    assert timeline.skip(10.0) == 0
    assert timeline.time == 20.375
    timeline.start()
    assert timeline.time == 0.0
    # From zero: the half birth that had accumulated is gone; the numbers go on.
    assert timeline.advance(0.25) == [Run(0, 1, [0.125]), Run(RATE, 1, [0.25])]


def test_reset_is_a_fresh_timeline() -> None:
    def make() -> Timeline:
        return Timeline(rate=7.3, bursts=[Burst(0.1, 2), Burst(0.4, 1)], duration=0.7, loop=True)

    used = make()
    play(used, [0.3, 1.7, 0.01])
    used.stop()
    used.reset()
    assert play(used, [0.13] * 20) == play(make(), [0.13] * 20)


def test_a_change_of_rate_keeps_what_has_accumulated() -> None:
    timeline = Timeline(rate=1.0, bursts=[], duration=5.0, loop=True)
    assert timeline.advance(0.75) == []
    timeline.rate = 0.0
    assert timeline.advance(100.0) == []
    timeline.rate = 2.0
    assert timeline.advance(0.25) == [Run(RATE, 0, [0.125])]
    timeline.rate = 4
    assert timeline.advance(0.25) == [Run(RATE, 1, [0.1875])]


@pytest.mark.parametrize("rate", [-1.0, -1e-300, math.nan, math.inf, -math.inf])
def test_a_rate_that_makes_no_sense_is_refused(rate: float) -> None:
    timeline = Timeline(rate=3.0, bursts=[], duration=5.0, loop=True)
    with pytest.raises(EffectError, match=r"^rate: .* given; from 0 to 100000000 is allowed"):
        timeline.rate = rate
    assert timeline.rate == 3.0
    with pytest.raises(ValueError, match="rate"):
        Timeline(rate=rate, bursts=[], duration=5.0, loop=True)


@pytest.mark.parametrize(("duration", "time"), [(0.0, 0.0), (1.0, 1.0), (1.0, 2.0), (-1.0, 0.0)])
def test_a_loop_that_cannot_hold_its_bursts_is_refused(duration: float, time: float) -> None:
    with pytest.raises(EffectError, match=r"^duration: .* above the time of every burst"):
        Timeline(rate=1.0, bursts=[Burst(time, 1)], duration=duration, loop=True)


def test_exhausted_is_said_exactly_when_nothing_can_come() -> None:
    def exhausted(rate: float, bursts: list[Burst], loop: bool, played: float = 0.0) -> bool:
        timeline = Timeline(rate=rate, bursts=bursts, duration=1.0, loop=loop)
        if played:
            timeline.advance(played)
        return timeline.exhausted

    assert exhausted(0.0, [], loop=False)
    assert exhausted(0.0, [Burst(0.0, 0)], loop=False)
    assert not exhausted(0.0, [Burst(0.5, 1)], loop=False, played=0.5)
    assert exhausted(0.0, [Burst(0.5, 1)], loop=False, played=0.75)
    assert not exhausted(4.0, [], loop=False, played=0.75)
    assert exhausted(4.0, [], loop=False, played=1.0)
    assert exhausted(1.25, [], loop=False, played=0.875)  # the next would come at 1.6
    assert exhausted(0.5, [], loop=False)  # the first would come at 2
    assert not exhausted(0.0, [], loop=True, played=50.0)  # its rate can be changed
    timeline = Timeline(rate=0.0, bursts=[], duration=1.0, loop=False)
    timeline.rate = 8.0
    assert not timeline.exhausted


@given(
    st.floats(0.0, 1e4),
    st.lists(st.tuples(st.floats(0.0, 0.9), COUNTS), max_size=3),
    st.lists(st.tuples(st.booleans(), st.floats(1e-4, 4.0)), max_size=10),
    st.booleans(),
)
def test_skip_is_advance_without_the_moments(
    rate: float, pairs: list[tuple[float, int]], steps: list[tuple[bool, float]], loop: bool
) -> None:
    bursts = [Burst(*pair) for pair in pairs]
    stepped = Timeline(rate=rate, bursts=bursts, duration=0.95, loop=loop)
    skipped = Timeline(rate=rate, bursts=bursts, duration=0.95, loop=loop)
    for skip, dt in steps:
        births = births_of(stepped.advance(dt))
        if skip:
            assert skipped.skip(dt) == len(births)
        else:
            assert births_of(skipped.advance(dt)) == births
        assert skipped.time == stepped.time
        assert skipped.exhausted == stepped.exhausted


def test_skip_of_ten_thousand_million_births() -> None:
    timeline = Timeline(rate=1e5, bursts=[Burst(0.5, 1000)], duration=1.0, loop=True)
    assert timeline.skip(1e5) == 10**10 + 10**8
    burst, rate = timeline.advance(0.75)
    assert burst.first == 10**8
    assert rate.first == 10**10
    assert timeline.time == 1e5 + 0.75


def test_after_a_day_everything_is_as_in_the_first_second() -> None:
    def make() -> Timeline:
        return Timeline(rate=7.3, bursts=[Burst(0.03, 1), Burst(0.97, 3)], duration=1.0, loop=True)

    second = [1 / 60] * 59
    first = play(make(), second)
    assert len(first) == 11
    by_skip, by_steps = make(), make()
    assert by_skip.skip(86400.0) == 86400 * 4 + 630_720
    assert sum(count(by_steps.advance(0.5)) for _ in range(2 * 86400)) == 86400 * 4 + 630_720
    for timeline in (by_skip, by_steps):
        assert timeline.time == 86400.0
        later = play(timeline, second)
        assert [b.source for b in later] == [b.source for b in first]
        for old, new in zip(first, later, strict=True):
            assert float(new.moment) == pytest.approx(float(old.moment), abs=1e-9)


def test_a_loop_has_come_so_far() -> None:
    loop = Timeline(rate=0.0, bursts=[], duration=2.0, loop=True)
    once = Timeline(rate=0.0, bursts=[], duration=2.0, loop=False)
    for timeline, later in ((loop, 0.25), (once, 1.0)):
        assert timeline.duration == 2.0
        assert timeline.fraction == 0.0
        timeline.advance(1.5)
        assert timeline.fraction == 0.75
        timeline.advance(1.0)
        assert timeline.fraction == later


def test_sources_keep_apart() -> None:
    assert RATE == 1 << 16
    assert MANUAL == RATE + 1
