"""Crowd: each of many instances against a Player that plays it alone."""

from __future__ import annotations

import math
import random
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpuparticles as gp
from gpuparticles.playback.crowd import CROWD_ROW, Crowd
from gpuparticles.playback.player import Player

KINDS = {
    "a burst": {"bursts": [gp.Burst(0.0, 30)], "lifetime": (0.5, 2.0)},
    "several bursts": {
        "bursts": [gp.Burst(0.31, 20), gp.Burst(0.0, 5), gp.Burst(0.7, 9)],
        "lifetime": (0.5, 2.0),
    },
    "a rate": {"rate": 44.4, "lifetime": (0.2, 3.0)},
    "a rate on the boundaries": {"rate": 32.0, "lifetime": (0.2, 3.0)},
    "both": {"rate": 70.0, "bursts": [gp.Burst(0.21, 20)], "lifetime": (0.3, 2.5)},
    "a full emitter": {"rate": 70.0, "bursts": [gp.Burst(0.213, 20)], "capacity": 25},
    "a full emitter of short lives": {"rate": 900.0, "lifetime": (0.0, 0.05), "capacity": 3},
    "no room": {"rate": 100.0, "capacity": 0},
    "lives of nothing": {"rate": 100.0, "lifetime": 0.0},
    "no births": {"rate": 0.0},
    "immortals": {"rate": 20.0, "bursts": [gp.Burst(0.4, 3)], "lifetime": math.inf},
    "full immortals": {"rate": 20.0, "lifetime": math.inf, "capacity": 7},
}


def effect(*, loop: bool, **settings: Any) -> gp.Effect:
    """An effect of one second whose only emitter, "it", has these settings."""
    emitter = gp.Emitter("it", **{"rate": 0.0, "capacity": 1000, **settings})
    return gp.Effect("test", [emitter], duration=1.0, loop=loop)


@pytest.mark.parametrize("name", KINDS)
def test_each_instance_is_as_if_alone(living: Callable[..., Any], name: str) -> None:
    """A burst plays one loop; begun at any time, its particles are those of a Player."""
    rng = random.Random(name)
    crowd = Crowd(effect(loop=True, **KINDS[name]), 0)
    together = living(crowd)
    alone: dict[int, tuple[Player, Any]] = {}
    for frame in range(150):
        if frame < 60 and frame % 3 == 0:
            for _ in range(2):
                instance, seed = len(alone), rng.randrange(1 << 32)
                crowd.add([instance], [seed], [0.0])
                player = Player(effect(loop=False, **KINDS[name]), 0, seed)
                alone[instance] = player, living(player)
        # Whole ticks: all instances share one clock, whose ticks are not those of a clock that
        # was started later, and at the end of a step a tick can decide who lives.
        dt = 1 / 32 if "boundaries" in name else rng.randint(65, 4500) / 65536
        together.update(dt)
        for instance, (_, one) in alone.items():
            one.update(dt)
            assert together.seeds_of(instance) == one.seeds
        population = crowd.population
        assert population.slots.live_count == len(together.seeds)
        assert population.births == sum(player.population.births for player, _ in alone.values())
        assert population.dropped == sum(player.population.dropped for player, _ in alone.values())
    assert crowd.over == (not population.mortal or all(p.over for p, _ in alone.values())) or (
        "immortals" in name
    )


@pytest.mark.parametrize("dt", [3.0, 100.0, 5000.0])
@pytest.mark.parametrize("name", KINDS)
def test_after_a_hitch_lives_who_lives_after_small_steps(
    living: Callable[..., Any], name: str, dt: float
) -> None:
    crowds = [Crowd(effect(loop=True, **KINDS[name]), 0) for _ in range(2)]
    hitched, stepped = both = [living(crowd) for crowd in crowds]
    for instance in range(5):
        for crowd, one in zip(crowds, both, strict=True):
            crowd.add([instance], [instance], [0.0])
            one.update(0.0917)
    hitched.update(dt)
    for _ in range(round(min(dt, 30.0) * 30)):
        stepped.update(1 / 30)
    for _ in range(5):
        assert hitched.seeds == stepped.seeds
        assert crowds[0].over == crowds[1].over
        for figure in ("births", "dropped"):
            assert len({getattr(crowd.population, figure) for crowd in crowds}) == 1
        for crowd, one in zip(crowds, both, strict=True):
            assert crowd.population.slots.live_count == len(one.seeds)
            one.update(0.0917)
    # And bursts go on as if nothing had been.
    seen = []
    for crowd in crowds:
        crowd.add([5], [99], [0.0])
    for _ in range(20):
        for one in both:
            one.update(0.0317)
        assert hitched.seeds_of(5) == stepped.seeds_of(5)
        seen += hitched.seeds_of(5)
    assert bool(seen) == (name not in ("no births", "no room", "lives of nothing"))


def test_a_hitch_brings_no_flood(living: Callable[..., Any]) -> None:
    crowd = Crowd(gp.Effect("test", [gp.Emitter("it", rate=90.0)], duration=100.0), 0)
    one = living(crowd)
    crowd.add([0], [1], [0.0])
    one.update(50.0)
    assert one.peak <= 4
    assert 89 <= len(one.seeds) <= 91


@pytest.mark.parametrize("duration", [1e6, 1e9, 1e38])
def test_memory_does_not_follow_the_duration(living: Callable[..., Any], duration: float) -> None:
    """What is born in the first second is the same however long the loop."""
    described = gp.Effect(
        "test",
        [gp.Emitter("it", rate=100.0, bursts=[gp.Burst(0.213, 20)], lifetime=(0.1, 1.0))],
        duration=duration,
        loop=False,
    )
    tracemalloc.start()
    crowd, player = Crowd(described, 0), Player(described, 0, 7)
    together, alone = living(crowd), living(player)
    crowd.add([0], [7], [0.0])
    for _ in range(80):
        for one in (together, alone):
            one.update(0.03125)
        assert together.seeds == alone.seeds
    crowd.add([1], [8], [0.0])
    together.update(20.0)
    assert tracemalloc.get_traced_memory()[1] < 10e6
    tracemalloc.stop()
    assert crowd.population.births == 250 + 20 + 2000 + 20 + 2000
    assert crowd.life >= min(duration, 1e16)


def test_immortals_of_a_hitch_are_built_only_where_there_is_room(
    living: Callable[..., Any],
) -> None:
    described = gp.Effect(
        "test",
        [gp.Emitter("it", rate=1e4, bursts=[gp.Burst(0.5, 5)], lifetime=math.inf, capacity=7)],
        duration=1e6,
    )
    crowd, player = Crowd(described, 0), Player(described, 0, 3)
    together, alone = living(crowd), living(player)
    crowd.add([0], [3], [0.0])
    tracemalloc.start()
    together.update(1e5)
    assert tracemalloc.get_traced_memory()[1] < 10e6
    tracemalloc.stop()
    alone.update(1.0)
    assert together.seeds == alone.seeds
    assert crowd.population.births == 10**9 + 5
    assert crowd.population.dropped == 10**9 + 5 - 7


def test_it_grows_by_doubling_and_never_beyond_the_most(living: Callable[..., Any]) -> None:
    crowd = Crowd(
        effect(loop=True, bursts=[gp.Burst(0.0, 1000)], lifetime=5.0), 0, most=5 * CROWD_ROW
    )
    one = living(crowd)
    capacities = []
    for instance in range(7):
        crowd.add([instance], [instance], [0.0])
        one.update(0.01)
        capacities.append(crowd.population.slots.capacity // CROWD_ROW)
        assert crowd.population.slots.live_count == len(one.seeds)
    assert capacities == [1, 2, 4, 4, 5, 5, 5]
    assert len(one.seeds) == 5 * CROWD_ROW
    assert crowd.population.dropped == 7000 - 5 * CROWD_ROW


@settings(max_examples=30)
@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.floats(1e-4, 0.3)),
        max_size=40,
    ),
    st.floats(0.0, 300.0),
    st.integers(1, 60),
    st.sampled_from([0.05, (0.0, 0.2), (0.1, 3.0)]),
)
def test_live_count_and_capacity_hold(
    living: Any, steps: list[tuple[int, float]], rate: float, capacity: int, lifetime: Any
) -> None:
    crowd = Crowd(effect(loop=True, rate=rate, capacity=capacity, lifetime=lifetime), 0)
    one = living(crowd)
    count = 0
    for more, dt in steps:
        for _ in range(more):
            crowd.add([count], [count], [0.0])
            count += 1
        one.update(dt)
        assert crowd.population.slots.live_count == len(one.seeds)
        assert all(len(one.seeds_of(instance)) <= capacity for instance in range(count))


def test_a_thousand_instances_share_one_population(living: Callable[..., Any]) -> None:
    crowd = Crowd(effect(loop=True, bursts=[gp.Burst(0.0, 20)], lifetime=1.0), 0)
    one = living(crowd)
    for instance in range(1000):
        crowd.add([instance], [instance], [0.0])
    one.update(1 / 60)
    assert crowd.population.slots.live_count == 20_000
    assert len(set(one.seeds)) >= 19_998
    assert np.all([len(one.seeds_of(instance)) == 20 for instance in range(0, 1000, 97)])
    assert not crowd.over
    one.update(1.0)
    assert crowd.population.slots.live_count == 0
    assert crowd.over
