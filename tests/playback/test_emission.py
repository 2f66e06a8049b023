"""Rates that change, bursts that repeat or depend on chance, pulses, delays, limits, distances."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpuparticles as gp
from gpuparticles.cli.forecast import expected_live, expected_peak
from gpuparticles.errors import EffectError
from gpuparticles.playback.crowd import foreseen
from gpuparticles.playback.player import Player
from gpuparticles.playback.timeline import DISTANCE, PULSE, RATE, Timeline

Birth = tuple[int, int, float]  # source, number in its source, seconds since the first step
CURVE = gp.Curve([(0.1, 2.0), (0.4, 30.0), (0.4, 7.0), (0.5, 0.0), (0.6, 0.0), (0.9, 11.0)])


def timeline(**settings: Any) -> Timeline:
    return Timeline(
        **{"rate": 0.0, "bursts": [], "duration": 2.0, "loop": True, "seed": 7, **settings}
    )


def play(timeline: Timeline, steps: Iterable[float], speed: float = 0.0) -> list[Birth]:
    """Every birth; it travels at a speed."""
    births = []
    begin = Fraction(0)
    for dt in steps:
        runs = timeline.advance(dt, speed * dt)
        assert [run[:2] for run in runs] == sorted(run[:2] for run in runs)
        for source, first, moments in runs:
            assert isinstance(moments, list) == (len(moments) <= 16)
            assert list(moments) == sorted(moments)
            assert not len(moments) or 0.0 <= moments[0] <= moments[-1] <= dt
            births += [
                (source, number, float(begin + Fraction(float(moment))))
                for number, moment in enumerate(moments, first)
            ]
        begin += Fraction(dt)
    return births


def effect(*, duration: float = 2.0, loop: bool = True, **settings: Any) -> gp.Effect:
    settings = {"rate": 0.0, "lifetime": 0.5, **settings}
    return gp.Effect("test", [gp.Emitter("it", **settings)], duration=duration, loop=loop)


# However time is cut

KINDS: dict[str, dict[str, Any]] = {
    "a curve": {"rate": CURVE},
    "a ramp": {"rate": gp.Curve([(0, 0), (1, 40)])},
    "a spike": {"rate": gp.Curve([(0.5, 0), (0.5, 4000), (0.51, 4000), (0.51, 0)])},
    "a range": {"rate": gp.Range(1.0, 60.0)},
    "cycles": {"bursts": [gp.Burst(0.1, 3, cycles=5, interval=0.3), gp.Burst(0.2, 2)]},
    "chance": {
        "bursts": [
            gp.Burst(0.0, (0, 40), cycles=4, interval=0.4, probability=0.6),
            gp.Burst(0.4, 1),
        ]
    },
    "a pulse": {"pulse": gp.Pulse(0.7, 0.4, 0.1, 3)},
    "everything": {
        "rate": CURVE,
        "bursts": [gp.Burst(0.0, (1, 3), cycles=2, interval=0.9, probability=0.5)],
        "pulse": gp.Pulse(2, 1, 0.25, 5),
        "delay": 0.77,
        "rate_over_distance": 3.0,
    },
}


@pytest.mark.parametrize("name", KINDS)
@given(
    steps=st.lists(st.floats(1e-4, 3.0), min_size=1, max_size=10),
    loop=st.booleans(),
    retire=st.booleans(),
)
@settings(max_examples=25)
def test_any_cut_brings_the_same_births(
    name: str, steps: list[float], loop: bool, retire: bool
) -> None:
    cut, whole, counted = (timeline(loop=loop, **KINDS[name]) for _ in range(3))
    if retire:
        for each in (cut, whole, counted):
            each.retire()
    span = math.fsum(steps)
    found = {birth[:2]: birth[2] for birth in play(cut, steps, speed=1.5)}
    expected = {birth[:2]: birth[2] for birth in play(whole, [span], speed=1.5)}
    assert abs(counted.skip(span, 1.5 * span) - len(expected)) <= len(KINDS[name])
    last_loop = 2.0 + KINDS[name].get("delay", 0.0)
    for key in found.keys() | expected.keys():
        if key in found and key in expected:
            assert found[key] == pytest.approx(expected[key], abs=1e-7)
        else:  # only on the very end, of the span or of emission
            moment = found.get(key, expected.get(key, 0.0))
            assert min(abs(moment - span), abs(moment - last_loop)) < 1e-7
    assert cut.exhausted == whole.exhausted or not loop or retire


@pytest.mark.parametrize("name", KINDS)
def test_skip_counts_what_advance_brings(name: str) -> None:
    rng = random.Random(name)
    stepped, skipped = timeline(**KINDS[name]), timeline(**KINDS[name])
    for _ in range(60):
        dt = rng.uniform(0.01, 5.0)
        births = play(stepped, [dt], speed=0.3)
        if rng.random() < 0.5:
            assert skipped.skip(dt, 0.3 * dt) == len(births)
        else:
            again = play(skipped, [dt], speed=0.3)
            assert [b[:2] for b in again] == [b[:2] for b in births]
            assert [b[2] for b in again] == pytest.approx([b[2] for b in births], abs=1e-9)


@pytest.mark.parametrize("name", KINDS)
def test_after_a_day_everything_is_as_in_the_first_second(name: str) -> None:
    """Chance goes on, and with it only what it decides may differ."""
    settings = {**KINDS[name], "duration": 3.0}  # a day is a whole number of loops
    fresh, old = timeline(**settings), timeline(**settings)
    delay = settings.get("delay", 0.0)
    for each, days in ((fresh, 0), (old, 1)):
        for dt in (delay, *[3600.0] * 24 * days):
            if dt:
                each.skip(dt, 1.5 * dt)
    assert old.time == pytest.approx(86400.0 + delay)
    first, later = (play(each, [1 / 60] * 179, speed=1.5) for each in (fresh, old))
    if "chance" in name or "range" in name or "everything" in name:
        chosen = [PULSE, DISTANCE]
        first, later = ([b for b in births if b[0] in chosen] for births in (first, later))
    # A whole number of births lies between, but where the rate's integral is none: then a part.
    sources = {source for source, _, _ in first}
    for source in sources:
        a, b = ([t for s, _, t in births if s == source] for births in (first, later))
        if source == RATE:
            assert abs(len(a) - len(b)) <= 1
        else:
            assert b == pytest.approx(a, abs=1e-6)


# Rates


def integral(stops: list[tuple[float, float]], t: float) -> float:
    """Of a curve over one loop of 1 s, by the trapezium rule on a fine grid cut at the stops."""
    times = np.unique(np.concatenate([[0.0, t], [x for x, _ in stops if x < t]]))
    total = 0.0
    for a, b in itertools.pairwise(times):
        inside = [a + (b - a) * f for f in (0.25, 0.75)]
        total += (b - a) * 0.5 * sum(value(stops, x) for x in inside)
    return total


def value(stops: list[tuple[float, float]], t: float) -> float:
    for (t0, v0), (t1, v1) in itertools.pairwise(stops):
        if t0 <= t < t1:
            return v0 + (v1 - v0) * (t - t0) / (t1 - t0)
    return stops[0][1] if t < stops[0][0] else stops[-1][1]


@given(
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 200)), min_size=2, max_size=6).map(sorted),
    st.lists(st.floats(1e-3, 0.7), min_size=1, max_size=8),
)
def test_births_are_the_floor_of_the_integral_and_lie_where_it_reaches_them(
    stops: list[tuple[float, float]], steps: list[float]
) -> None:
    emitting = timeline(rate=gp.Curve(stops), duration=1.0)
    births = play(emitting, steps)
    span = math.fsum(steps)
    loops, rest = divmod(span, 1.0)
    total = loops * integral(stops, 1.0) + integral(stops, rest)
    boundary = abs(total - round(total)) < 1e-6
    assert abs(len(births) - math.floor(total)) <= boundary
    for k, (_, number, moment) in enumerate(births, 1):
        assert number == k - 1
        loop, t = divmod(moment, 1.0)
        reached = loop * integral(stops, 1.0) + integral(stops, t)
        assert reached == pytest.approx(k, abs=1e-5)


def test_a_ramp_brings_births_at_square_roots() -> None:
    births = play(timeline(rate=gp.Curve([(0, 0), (1, 8)]), duration=2.0), [0.125] * 16)
    # 8 t / 2 births a second: their integral 2 t^2 reaches k at sqrt(k / 2).
    assert [b[2] for b in births] == pytest.approx([math.sqrt(k / 2) for k in range(1, 9)])


def test_a_flat_curve_is_a_constant() -> None:
    flat = play(timeline(rate=gp.Curve([(0, 7.3), (1, 7.3)])), [0.013] * 500)
    constant = play(timeline(rate=7.3), [0.013] * 500)
    assert [b[:2] for b in flat] == [b[:2] for b in constant]
    assert [b[2] for b in flat] == pytest.approx([b[2] for b in constant], abs=1e-9)


def test_each_loop_draws_its_own_rate_and_a_one_shot_draws_once() -> None:
    seen = set()
    for seed in range(60):
        looping = timeline(rate=gp.Range(10, 1000), duration=1.0, seed=seed)
        counts = [len(play(looping, [0.25] * 4)) for _ in range(8)]
        assert len(set(counts)) > 5
        assert all(9 <= count <= 1001 for count in counts)
        once = timeline(rate=gp.Range(10, 1000), duration=1.0, loop=False, seed=seed)
        assert abs(len(play(once, [0.5] * 8)) - counts[0]) <= 1
        seen.update(counts)
        looping.reset()
        assert abs(looping.skip(8.0) - sum(counts)) <= 1
    assert abs(np.mean(sorted(seen)) - 505) < 30


def test_a_rate_now_can_be_asked_for_and_set_for_good() -> None:
    emitting = timeline(rate=gp.Curve([(0, 0), (1, 8)]))
    assert emitting.rate == 0.0
    play(emitting, [0.25, 0.25])  # 0.5 births so far
    assert emitting.rate == 2.0
    emitting.rate = 1.0
    assert play(emitting, [1.0]) == [(RATE, 0, 0.5)]
    emitting.reset()
    assert emitting.rate == 1.0


def test_another_rate_of_the_effect_keeps_what_is_left_of_a_birth() -> None:
    emitting = timeline(rate=1.0)
    play(emitting, [0.75])
    emitting.describe(gp.Curve([(0, 0), (1, 8)]))  # 4 t: from 0.75 s on, 2 t^2 - 1.125
    moments = [b[2] for b in play(emitting, [0.25, 0.25])]
    assert moments == pytest.approx([math.sqrt((k + 0.375) / 2) - 0.75 for k in (1, 2)])
    emitting.describe(2.0)  # 2.75 births so far
    assert [b[2] for b in play(emitting, [0.5])] == pytest.approx([0.125])


def test_a_function_of_the_time_gives_the_rate_of_every_step() -> None:
    asked: list[float] = []

    def rate(time: float) -> float:
        asked.append(time)
        return 8.0 if time < 1.0 else 0.0

    player = Player(effect(), 0, 0)
    player.timeline.rate = rate
    for _ in range(16):
        assert len(list(player.steps(0.125, 1.0))) <= 1
    assert asked == [k / 8 for k in range(16)]
    assert player.population.births == 8


@pytest.mark.parametrize("bad", [-1.0, math.nan, math.inf, "many", None, True])
def test_a_function_that_gives_no_rate_changes_nothing(bad: Any) -> None:
    player = Player(effect(rate=4.0), 0, 0)

    def rate(time: float) -> Any:
        return 4.0 if time < 0.5 else bad

    player.timeline.rate = rate
    list(player.steps(0.5, 1.0))
    before = (player.timeline.time, player.population.clock.now, player.population.births)
    for _ in range(2):
        with pytest.raises(EffectError, match=r"^it: rate: .* given by .*rate; from 0 to 100"):
            list(player.steps(0.25, 1.0))
        assert before == (
            player.timeline.time,
            player.population.clock.now,
            player.population.births,
        )
    assert player.timeline.rate == 4.0
    player.timeline.rate = 4.0
    list(player.steps(0.25, 1.0))
    assert player.population.births == 3


# Pulses


def test_a_pulse_fires_at_every_interval_of_the_active_part_of_every_cycle() -> None:
    for dt in (1 / 60, 0.1, 0.25, 1 / 3, 0.7, 6.0):
        births = play(timeline(pulse=gp.Pulse(2, 1, 0.25, 5), duration=8.0), [dt] * round(6 / dt))
        moments = [b[2] for b in births if b[2] < 5.99]
        expected = [c + k for c in (0, 2, 4) for k in (0, 0.25, 0.5, 0.75) for _ in range(5)]
        assert moments == pytest.approx(expected, abs=1e-9)
        assert [b[:2] for b in births[:60]] == [(PULSE, k) for k in range(60)]


@given(
    st.integers(1, 400), st.integers(1, 400), st.integers(1, 400), st.integers(1, 2000), st.data()
)
def test_pulses_are_exact_despite_floats(
    cycle: int, active: int, interval: int, duration: int, data: st.DataObject
) -> None:
    """Against whole hundredths: no moment at the end of the active part or of the loop."""
    active = min(active, cycle)
    pulse = gp.Pulse(cycle / 100, active / 100, interval / 100, 1)
    steps = data.draw(st.lists(st.floats(0.01, 9.0), max_size=5))
    births = play(timeline(pulse=pulse, duration=duration / 100, loop=False), [*steps, 30.0])
    expected = [
        c + k
        for c in range(0, duration, cycle)
        for k in range(0, active, interval)
        if c + k < duration
    ]
    assert [b[2] for b in births] == pytest.approx([x / 100 for x in expected], abs=1e-9)


def test_pulses_begin_anew_with_every_loop() -> None:
    births = play(timeline(pulse=gp.Pulse(1, 0.5, 0.25, 1), duration=1.5), [0.4] * 12)
    expected = [loop * 1.5 + t for loop in range(3) for t in (0, 0.25, 1, 1.25)] + [4.5, 4.75]
    assert [b[2] for b in births] == pytest.approx(expected)


# Bursts


def test_cycles_repeat_a_burst() -> None:
    bursts = [gp.Burst(0.5, 2, cycles=3, interval=0.25)]
    births = play(timeline(bursts=bursts), [0.3] * 13)
    expected = [loop + t for loop in (0, 2) for t in (0.5, 0.75, 1.0) for _ in (0, 1)]
    assert [b[2] for b in births] == pytest.approx(expected)
    assert [b[:2] for b in births] == [(0, k) for k in range(12)]
    late = [gp.Burst(1.5, 1, cycles=4, interval=1.0)]
    once = timeline(bursts=late, loop=False)
    assert [b[2] for b in play(once, [0.3] * 10)] == pytest.approx([1.5, 2.5])
    assert not once.exhausted
    assert [b[1] for b in play(once, [0.3] * 10)] == [2, 3]
    assert once.exhausted


def test_chance_has_the_statistics_that_were_asked_for() -> None:
    bursts = [gp.Burst(0.0, (3, 7), cycles=100, interval=0.01, probability=0.3)]
    counts = np.zeros(8, int)
    for seed in range(40):
        births = play(timeline(bursts=bursts, seed=seed), [0.005, *[0.01] * 198])
        moments = np.round([b[2] for b in births], 9)
        fired = np.unique(moments, return_counts=True)[1]
        counts += np.bincount(fired, minlength=8)
        counts[0] += 100 - len(fired)
    assert counts.sum() == 4000
    assert not counts[1:3].any()
    assert abs(counts[3:].sum() / 4000 - 0.3) < 4 * math.sqrt(0.3 * 0.7 / 4000)
    assert np.all(np.abs(counts[3:] / counts[3:].sum() - 0.2) < 0.05)


def test_chance_follows_seed_burst_and_firing_and_nothing_else() -> None:
    one = gp.Burst(0.0, (0, 9), cycles=10, interval=0.1, probability=0.5)

    def fired(seed: int, step: float, bursts: list[gp.Burst]) -> list[tuple[int, int]]:
        emitting = timeline(bursts=bursts, seed=seed)
        births = play(emitting, [step] * round(6.0 / step))
        return [(b[0], round(b[2] * 10)) for b in births if b[2] < 5.95]

    first = fired(1, 1 / 30, [one, one])
    assert sorted(first) == sorted(fired(1, 1 / 144, [one, one])) == sorted(fired(1, 6, [one, one]))
    assert first != fired(2, 1 / 30, [one, one])
    ours, theirs = ([t for s, t in first if s == source] for source in (0, 1))
    assert ours != theirs
    assert [t for t in ours if t < 20] != [t - 20 for t in ours if 20 <= t < 40]
    sure, never = (gp.Burst(0.0, 3, cycles=2, interval=1, probability=p) for p in (1, 0))
    assert len(fired(1, 1.0, [sure])) == 3 * 2 * 3
    assert not fired(1, 1.0, [never])


# Delay, limit, distance


def test_a_delay_comes_before_the_first_loop_alone() -> None:
    bursts = [gp.Burst(0.0, 1)]
    emitting = timeline(rate=1.0, bursts=bursts, delay=0.6, duration=1.0, rate_over_distance=2.0)
    expected = [(0, 0, 0.6), (DISTANCE, 0, 1.1), (DISTANCE, 1, 1.6), (RATE, 0, 1.6), (0, 1, 1.6)]
    births = play(emitting, [0.25] * 7, speed=1.0)
    assert sorted(b[:2] for b in births) == sorted(b[:2] for b in expected)
    assert {b[:2]: b[2] for b in births} == pytest.approx({b[:2]: b[2] for b in expected})
    assert emitting.time == pytest.approx(1.75)
    assert emitting.fraction == pytest.approx(0.15)
    emitting.start()
    assert emitting.time == emitting.fraction == 0.0
    assert [b[2] for b in play(emitting, [0.25] * 3)] == pytest.approx([0.6])
    once = timeline(loop=False, delay=5.0, bursts=bursts, duration=1.0)
    assert not once.exhausted
    assert once.skip(10.0) == 1
    assert once.exhausted


@pytest.mark.parametrize("step", [0.01, 0.1, 0.37, 50.0])
@pytest.mark.parametrize("lifetime", [0.2, math.inf])
def test_a_limit_ends_births_of_every_source(step: float, lifetime: float) -> None:
    described = effect(
        rate=5.0,
        bursts=[gp.Burst(0.35, 4)],
        pulse=gp.Pulse(1, 0.5, 0.25, 3),
        limit=23,
        lifetime=lifetime,
        capacity=100,
    )
    player = Player(described, 0, 0)
    player.emit(6)
    for _ in range(round(max(5.0, step) / step)):
        list(player.steps(step, 1 / 30))
    assert player.population.births == 23
    assert player.timeline.exhausted
    assert player.over == math.isfinite(lifetime)
    if not player.over:
        assert player.population.slots.live_count == 23
    player.emit(5)
    list(player.steps(0.01, 1 / 30))
    assert player.population.births == 23
    player.start()  # counts from there
    assert not player.over
    list(player.steps(100.0, 1 / 30))
    assert player.population.births == 46
    player.reset()
    list(player.steps(100.0, 1 / 30))
    assert player.population.births == 23


def test_a_limit_keeps_the_earliest_births_of_a_step() -> None:
    described = effect(rate=10.0, bursts=[gp.Burst(0.25, 5)], limit=4, lifetime=math.inf)
    player = Player(described, 0, 0)
    (step,) = player.steps(0.5, 1.0)
    assert step.births is not None
    moments = np.frombuffer(bytes(step.births.records), np.float32).reshape(-1, 4)[:, 1]
    assert moments == pytest.approx([0.1, 0.2, 0.25, 0.25])


@given(
    st.floats(0.0, 40.0),
    st.lists(st.tuples(st.floats(1e-3, 0.5), st.floats(0.0, 9.0)), min_size=1, max_size=12),
)
def test_the_way_brings_births_in_proportion_and_keeps_what_is_left(
    density: float, updates: list[tuple[float, float]]
) -> None:
    emitting = timeline(rate_over_distance=density, duration=100.0)
    born, way = 0, 0.0
    for dt, distance in updates:
        for source, first, moments in emitting.advance(dt, distance):
            assert source == DISTANCE
            assert first == born
            for moment in moments:
                born += 1
                assert density * (way + distance * moment / dt) == pytest.approx(born, abs=1e-6)
        way += distance
    total = density * way
    assert abs(born - math.floor(total)) <= (abs(total - round(total)) < 1e-6)


@pytest.mark.parametrize("cut", [1, 7, 30])
def test_the_steps_of_an_update_share_its_way(cut: int) -> None:
    player = Player(effect(rate_over_distance=3.0, lifetime=10.0), 0, 0)
    moments = []
    for step in player.steps(0.75, 0.75 / cut, 5.0):
        if step.births is not None:
            records = np.frombuffer(bytes(step.births.records), np.float32).reshape(-1, 4)
            moments += (step.path_begin + step.path_rate * records[:, 1]).tolist()
    assert moments == pytest.approx([k / 15 for k in range(1, 16)], abs=1e-6)


def test_a_jump_that_nobody_called_one_has_an_end() -> None:
    emitting = timeline(rate_over_distance=1e8)
    assert emitting.skip(0.01, 1e30) == 2**24


# Amounts


@pytest.mark.parametrize("lifetime", [3.0, math.inf])
def test_a_larger_amount_adds_births_to_the_same_ones(lifetime: float) -> None:
    def born(amount: float, dt: float) -> dict[int, int]:
        """Seeds by number."""
        described = effect(
            rate=CURVE,
            bursts=[gp.Burst(0.1, (5, 40), cycles=3, interval=0.4, probability=0.7)],
            pulse=gp.Pulse(0.5, 0.5, 0.1, 2),
            lifetime=lifetime,
            capacity=5000,
        )
        player = Player(described, 0, 5)
        player.population.amount = amount
        player.emit(100)
        seeds = {}
        for _ in range(round(4 / dt)):
            for step in player.steps(dt, 1.0):
                if step.births is not None:
                    records = np.frombuffer(bytes(step.births.records), np.uint32).reshape(-1, 4)
                    seeds.update(zip(records[:, 0].tolist(), records[:, 3].tolist(), strict=True))
        return seeds

    steps = (0.01, 1.0)
    everybody = [born(1.0, dt) for dt in steps]
    assert len(everybody[1]) > 200
    before: list[dict[int, int]] = [{}, {}]
    for amount in (0.0, 0.1, 0.5, 0.9, 1.0):
        now = [born(amount, dt) for dt in steps]
        for small, large, all_of_them in zip(before, now, everybody, strict=True):
            assert small.items() <= large.items() <= all_of_them.items()
            assert abs(len(large) / len(all_of_them) - amount) < 0.1
        assert set(now[0].values()) == set(now[1].values())
        before = now
    assert not born(0.0, 0.1)


def test_immortals_of_a_hitch_are_thinned_too() -> None:
    player = Player(effect(rate=1000.0, lifetime=math.inf, capacity=300), 0, 3)
    player.population.amount = 0.01
    list(player.steps(20.0, 1 / 30))
    assert 150 < player.population.slots.live_count < 250
    assert player.population.births == 20_000
    assert player.population.dropped == 0
    player.population.amount = 0.0
    list(player.steps(1e9, 1 / 30))
    assert 150 < player.population.slots.live_count < 250


# Capacity


@given(
    st.integers(0, 3000),
    st.lists(st.integers(0, 3000), min_size=1, max_size=4),
    st.randoms(use_true_random=False),
)
@settings(max_examples=30)
def test_a_new_capacity_keeps_the_youngest_that_fit(
    first: int, later: list[int], rng: random.Random
) -> None:
    described = effect(rate=900.0, lifetime=(0.1, 3.0), capacity=first)
    player = Player(described, 0, rng.randrange(1 << 30))
    population = player.population
    in_slot: dict[int, int] = {}

    def follow(dt: float) -> None:
        for step in player.steps(dt, 1 / 30):
            if step.births is not None:
                records = np.frombuffer(bytes(step.births.records), np.uint32).reshape(-1, 4)
                for slot, number in zip(step.births.slots, records[:, 0].tolist(), strict=True):
                    in_slot[int(slot)] = number
            assert step.rows * population.row > max(population.slots.taken(), default=-1)
        taken = set(population.slots.taken().tolist())
        for slot in in_slot.keys() - taken:
            del in_slot[slot]
        assert in_slot.keys() == taken
        assert population.slots.live_count == len(taken) <= population.slots.capacity
        assert all(population.numbers[slot] == number for slot, number in in_slot.items())

    follow(rng.uniform(0.1, 4.0))
    for capacity in later:
        before = sorted(in_slot.values())
        came_from = population.set_capacity(capacity)
        if came_from is not None:
            there = {new: old for new, old in enumerate(came_from.tolist()) if old >= 0}
            moved = {new: in_slot[old] for new, old in there.items()}
            in_slot.clear()
            in_slot.update(moved)
        assert sorted(in_slot.values()) == before[max(len(before) - capacity, 0) :]
        assert population.slots.capacity == capacity
        assert set(population.slots.taken().tolist()) == in_slot.keys()
        assert all(slot < capacity for slot in in_slot)
        for _ in range(5):
            follow(rng.uniform(0.01, 0.5))
    player.timeline.stop()
    follow(10.0)
    assert not in_slot


# Pools


def test_what_a_pool_foresees() -> None:
    assert foreseen(effect(rate=4.0, bursts=[gp.Burst(0.5, 3)], rate_over_distance=2.0))
    unforeseen: list[dict[str, Any]] = [
        {"rate": (1, 2)},
        {"rate": [(0, 1), (1, 2)]},
        {"bursts": [gp.Burst(0, (1, 2))]},
        {"bursts": [gp.Burst(0, 1, probability=0.5)]},
        {"bursts": [gp.Burst(0, 1, cycles=2, interval=0.5)]},
        {"pulse": gp.Pulse()},
        {"delay": 1.0},
        {"limit": 3},
    ]
    for each in unforeseen:
        assert not foreseen(effect(**each))


def test_figures_before_playing() -> None:
    for kind in KINDS.values():
        described = effect(lifetime=2.0, **{**kind, "delay": 0.0})
        player = Player(described, 0, 1)
        counts = []
        for _ in range(600):
            list(player.steps(0.1, 0.1))
            counts.append(player.population.slots.live_count)
        emitter = described.emitters[0]
        assert expected_live(described, emitter) == pytest.approx(np.mean(counts[100:]), rel=0.3)
        assert expected_peak(described, emitter) > 0.5 * max(counts)
