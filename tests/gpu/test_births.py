"""When and where particles are born, as the GPU's own state tells it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gpuparticles as gp
from gpuparticles.gpu.programs import Program
from gpuparticles.gpu.simulate import Simulation
from gpuparticles.gpu.state import State

System = Callable[..., gp.ParticleSystem]
One = Callable[..., gp.Effect]
Contents = Callable[[gp.EmitterInstance], list[bytes]]


def test_births_equal_the_floor_of_the_integral(system: System, one: One) -> None:
    """Rate 7.3/s in random steps; nobody dies, so the living are all who were ever born."""
    particles = system()
    rng = np.random.default_rng(7)
    it = particles.play(one(rate=7.3, lifetime=math.inf, capacity=2000, loop=True))["it"]
    time = 0.0
    for step in range(3000):
        dt = rng.uniform(0.001, 0.05)
        particles.update(dt)
        time += dt
        assert it.births == it.live_count
        assert abs(it.births + 0.5 - 7.3 * time) <= 0.5 + 1e-6
        if step % 300 == 0:
            assert it.read()["number"].tolist() == list(range(it.births))
    assert it.births > 500


@pytest.mark.parametrize("step", [0.003, 1 / 144, 1 / 30, 0.7, 21.0])
def test_births_are_the_same_however_the_span_is_cut(system: System, one: One, step: float) -> None:
    particles = system()
    it = particles.play(one(rate=7.3, lifetime=math.inf, loop=True), seed=1)["it"]
    for _ in range(round(21.0 / step)):
        particles.update(step)
    found = it.read()
    # 7.3/s for 21 s; the last one is due at 20.959 s.
    assert found["number"].tolist() == list(range(153))
    moments = np.arange(1, 154) / 7.3
    assert found["age"] == pytest.approx(21.0 - moments, abs=0.01)


def test_a_rate_below_one_a_second_works(system: System, one: One) -> None:
    particles = system()
    it = particles.play(one(rate=0.5, lifetime=math.inf, loop=True))["it"]
    births = []
    for _ in range(90):
        particles.update(0.1)
        births.append(len(it.read()))
    assert [births.index(count) for count in (1, 2, 3, 4)] == [19, 39, 59, 79]


def test_births_of_one_step_lie_at_their_own_moments(system: System, one: One) -> None:
    """At 100/s and 10 units/s a step of 0.1 s makes ten different x, not ten times 1.0."""
    for max_step in (0.1, 1 / 30):
        particles = system(max_step=max_step)
        it = particles.play(one(rate=100, velocity=(10, 0, 0), lifetime=5.0))["it"]
        particles.update(0.1)
        x = it.read()["position"][:, 0]
        assert x == pytest.approx(np.arange(9, -1, -1) / 10, abs=1e-5)
        assert it.read()["age"] == pytest.approx(np.arange(9, -1, -1) / 100, abs=4e-5)


def test_no_time_changes_nothing(system: System, one: One, contents: Contents) -> None:
    particles = system()
    effect = one(rate=100, bursts=[gp.Burst(0.0, 5)], lifetime=(0.1, 2), angular_velocity=90)
    fire = particles.play(effect)
    for _ in range(100):
        particles.update(0.0)
    assert fire["it"].births == fire.live_count == 0
    particles.update(0.05)
    # The burst at t = 0 was not lost, and fires once.
    assert fire["it"].births == 5 + 5
    before = contents(fire["it"])
    fire.transform = (1, 2, 3)
    fire["it"].emit(3)
    for _ in range(100):
        particles.update(0.0)
    assert contents(fire["it"]) == before
    assert fire["it"].births == 10
    particles.update(0.05)
    assert fire["it"].births == 10 + 5 + 3


@pytest.mark.parametrize("dt", [5e-324, 1e-310, 1e-300, 1e-40, 1e-12])
def test_the_shortest_steps_are_steps(system: System, one: One, dt: float) -> None:
    particles = system()
    effect = one(rate=10, bursts=[gp.Burst(0.0, 4)], lifetime=5.0, velocity=(1, 0, 0))
    fire = particles.play(effect)
    particles.burst(effect)
    for frame in range(5):
        fire.transform = (0, frame, 0)
        particles.update(dt)
        assert fire.live_count == len(fire["it"].read()) == 4
        assert particles.stats.live == 8
    particles.update(0.35)
    assert fire["it"].read()["position"] == pytest.approx(
        np.array([[0.35, 0, 0]] * 4 + [[0.25, 4, 0], [0.15, 4, 0], [0.05, 4, 0]]), abs=1e-5
    )
    fire.speed = 1e-310
    particles.update(1.0)
    assert fire.live_count == 7


@pytest.mark.parametrize("dt", [-1e-9, -1.0, math.nan, math.inf, -math.inf])
def test_impossible_times_are_refused_and_change_nothing(
    system: System, one: One, contents: Contents, dt: float
) -> None:
    particles = system()
    effect = one(rate=100, bursts=[gp.Burst(0.2, 5)], lifetime=(0.1, 2))
    fires = [particles.play(effect, seed=seed) for seed in (1, 1)]
    particles.burst(effect)
    for _ in range(5):
        particles.update(0.03)
    before = [contents(fire["it"]) for fire in fires]
    stats = particles.stats
    with pytest.raises(ValueError, match=r"dt is .*, not a finite number of seconds of at least 0"):
        particles.update(dt)
    assert [contents(fire["it"]) for fire in fires] == before
    assert particles.stats == stats
    # Time goes on as if nobody had asked.
    other = system()
    twin = other.play(effect, seed=1)
    for _ in range(5):
        other.update(0.03)
    for _ in range(5):
        particles.update(0.03)
        other.update(0.03)
    assert contents(twin["it"]) == contents(fires[0]["it"])


def test_a_burst_near_the_end_of_a_loop_fires_in_every_loop(system: System, one: One) -> None:
    """At 0.97 in a loop of 1 s, in steps of 0.08 for 4 s."""
    particles = system(max_step=1.0)
    effect = one(bursts=[gp.Burst(0.97, 3)], lifetime=math.inf, duration=1.0, loop=True)
    it = particles.play(effect)["it"]
    for _ in range(50):
        particles.update(0.08)
    found = it.read()
    assert len(found) == 12
    assert found["age"] == pytest.approx(np.repeat([3.03, 2.03, 1.03, 0.03], 3), abs=0.02)


@pytest.mark.parametrize("max_step", [1 / 30, 10.0])
def test_each_burst_fires_once_per_loop_however_many_loops_a_step_has(
    system: System, one: One, max_step: float
) -> None:
    particles = system(max_step=max_step)
    effect = one(
        bursts=[gp.Burst(0.0, 2), gp.Burst(0.1, 1)],
        velocity=(1, 0, 0),
        lifetime=50.0,
        duration=0.25,
        loop=True,
    )
    it = particles.play(effect)["it"]
    particles.update(1.09)
    found = it.read()
    # Five loops have begun, at 0, 0.25, 0.5, 0.75 and 1; the last burst at 0.1 is at 1.1: not yet.
    moments = [0.0, 0.0, 0.1, 0.25, 0.25, 0.35, 0.5, 0.5, 0.6, 0.75, 0.75, 0.85, 1.0, 1.0]
    assert found["age"] == pytest.approx(1.09 - np.array(moments), abs=1e-3)
    assert found["position"][:, 0] == pytest.approx(1.09 - np.array(moments), abs=1e-3)


def test_a_burst_after_the_end_of_a_one_shot_still_fires(system: System, one: One) -> None:
    particles = system()
    it = particles.play(one(rate=10, bursts=[gp.Burst(2.0, 7)], duration=1.0, lifetime=9.0))["it"]
    for _ in range(31):
        particles.update(0.1)
    assert len(it.read()) == 10 + 7


def test_births_over_within_their_step_take_no_slot(system: System, one: One) -> None:
    """A thousand a second that live for half a millisecond need two slots; none is dropped."""
    particles = system(max_step=0.1)
    it = particles.play(one(rate=1000, lifetime=0.0005, capacity=2, loop=True))["it"]
    for _ in range(10):
        particles.update(0.1)
        assert len(it.read()) == it.live_count <= 1
    assert abs(it.births - 1000) <= 1
    assert it.dropped == 0


def test_emit_brings_births_with_the_next_step(system: System, one: One) -> None:
    particles = system()
    shower = particles.play(one(velocity=(1, 0, 0), lifetime=2.0, capacity=50))
    it = shower["it"]
    it.emit(3)
    it.emit(0)
    it.emit(np.int64(2))
    assert it.live_count == it.births == 0
    particles.update(0.01)
    assert it.live_count == it.births == 5
    # They were born at its beginning, and come once.
    assert it.read()["position"][:, 0] == pytest.approx([0.01] * 5)
    particles.update(0.01)
    assert it.births == 5
    assert len(set(map(bytes, it.read()["velocity"]))) == 1
    it.emit(100)
    particles.update(0.01)
    assert (it.live_count, it.births, it.dropped) == (50, 105, 55)


@pytest.mark.parametrize("count", [-1, 1.5, math.nan, "3", True])
def test_emit_wants_a_whole_number(system: System, one: One, count: Any) -> None:
    it = system().play(one())["it"]
    with pytest.raises(
        gp.EffectError, match=r"^it: emit: .* is not a whole number from 0 to 16777216"
    ):
        it.emit(count)


def test_emit_draws_new_particles_each_time(system: System, one: One) -> None:
    particles = system()
    it = particles.play(one(spread=180, lifetime=9.0))["it"]
    for _ in range(4):
        it.emit(5)
        particles.update(0.01)
    assert len({bytes(v) for v in it.read()["velocity"]}) == 20


def test_a_change_of_rate_keeps_what_is_left_of_a_birth(system: System, one: One) -> None:
    particles = system(max_step=1.0)
    it = particles.play(one(rate=1.0, velocity=(1, 0, 0), lifetime=99.0, loop=True))["it"]
    particles.update(0.9)
    it.rate = 10.0
    assert it.rate == 10.0
    particles.update(0.1)
    # Nine tenths of a birth were there: the rest takes 0.01 s, not 0.1 s.
    assert it.read()["position"][:, 0] == pytest.approx([0.09], abs=1e-4)
    it.rate = 0.0
    particles.update(5.0)
    assert it.births == 1
    it.rate = 1.0
    particles.update(0.2)
    # The step of 0.1 s brought 0.9 of another birth before the rate was 0.
    assert it.births == 2


@pytest.mark.parametrize("rate", [-1.0, math.nan, math.inf])
def test_an_impossible_rate_is_refused_and_the_old_one_stays(
    system: System, one: One, rate: float
) -> None:
    it = system().play(one(rate=3.0))["it"]
    with pytest.raises(gp.EffectError, match=r"rate: .* from 0 to 100000000"):
        it.rate = rate
    assert it.rate == 3.0


HITCHES: dict[str, dict[str, Any]] = {
    "a rate": {"rate": 30.0, "lifetime": (0.5, 2.0)},
    "looping bursts": {
        "bursts": [gp.Burst(0.0101, 20), gp.Burst(0.71, 5)],
        "lifetime": (0.3, 2.5),
    },
    "both": {"rate": 33.3, "bursts": [gp.Burst(0.213, 20)], "lifetime": (0.3, 2.5)},
    "a full emitter": {"rate": 100.0, "lifetime": (0.5, 1.5), "capacity": 20},
    "long lives": {"rate": 10.0, "lifetime": (150.0, 300.0), "capacity": 700},
}
MOTION = {
    "speed": (1, 2),
    "spread": 40,
    "angular_velocity": (-90, 90),
    "modifiers": [gp.Acceleration((0, -1, 0)), gp.Drag(0.5)],
}
IMMORTALS: dict[str, dict[str, Any]] = {
    "immortals": {"rate": 4.0, "lifetime": math.inf, "capacity": 500},
    "full immortals": {
        "rate": 30.0,
        "bursts": [gp.Burst(0.213, 20)],
        "lifetime": math.inf,
        "capacity": 301,
    },
}


def test_a_hitch_gives_what_small_steps_give(system: System) -> None:
    """update(100) against 3000 updates: the same particles, numbers, places and drops."""
    emitters = [gp.Emitter(n, **{"rate": 0, **s}, **MOTION) for n, s in HITCHES.items()]
    emitters += [gp.Emitter(n, **{"rate": 0, **s}, speed=0) for n, s in IMMORTALS.items()]
    effect = gp.Effect("all", emitters, duration=1.0, loop=True)
    systems = hitched, stepped = system(), system()
    a, b = (particles.play(effect, seed=3) for particles in systems)
    for particles in systems:
        for _ in range(40):
            particles.update(0.031)
    for instance in (a, b):
        instance["a rate"].emit(7)
    hitched.update(100.0)
    for _ in range(3000):
        stepped.update(1 / 30)
    for _ in range(2):
        for emitter in effect.emitters:
            name = emitter.name
            found, expected = a[name].read(), b[name].read()
            assert found["number"].tolist() == expected["number"].tolist(), name
            assert len(found) == a[name].live_count == b[name].live_count > 0, name
            assert len(found) <= emitter.capacity, name
            assert (a[name].births, a[name].dropped) == (b[name].births, b[name].dropped), name
            assert np.array_equal(found["lifetime"], expected["lifetime"]), name
            assert found["position"] == pytest.approx(expected["position"], abs=2e-3), name
            assert found["velocity"] == pytest.approx(expected["velocity"], abs=2e-3), name
            if name in HITCHES:
                assert found["age"] == pytest.approx(expected["age"], abs=2e-3), name
        for particles in systems:  # and what comes afterwards
            particles.update(0.4117)


def test_a_hitch_brings_no_flood(system: System, one: One) -> None:
    """Ages after it are spread as ever: 50 births/s that live for 2 s are 100."""
    particles = system()
    it = particles.play(one(rate=50.0, lifetime=2.0, velocity=(1, 0, 0), loop=True))["it"]
    for dt in (100.0, 3600.0, 86_400.0):
        particles.update(dt)
        found = it.read()
        assert len(found) == it.live_count == 100
        assert np.sort(found["age"]) == pytest.approx(np.arange(100) / 50, abs=1e-4)
        assert found["position"][:, 0] == pytest.approx(found["age"], abs=1e-3)
    assert it.births == 50 * 90_100
    assert it.dropped == 0


def test_a_hitch_plays_a_one_shot_to_its_end(system: System, one: One) -> None:
    particles = system()
    shot = particles.play(one(rate=50, bursts=[gp.Burst(3.0, 9)], duration=2.0, lifetime=(1, 2)))
    particles.update(100.0)
    assert shot.finished
    assert shot.live_count == len(shot["it"].read()) == 0
    assert shot["it"].births == 109


def test_particles_that_never_die_move_on_after_a_hitch(system: System, one: One) -> None:
    """They get ten seconds of motion at most, wherever they are in their lives."""
    particles = system()
    effect = one(bursts=[gp.Burst(0.0, 3)], velocity=(1, 0, 0), lifetime=math.inf)
    it = particles.play(effect)["it"]
    particles.update(5.0)
    assert it.read()["position"][:, 0] == pytest.approx([5.0] * 3, abs=1e-4)
    particles.update(1000.0)
    assert it.read()["position"][:, 0] == pytest.approx([15.0] * 3, abs=0.1)
    assert it.read()["age"] == pytest.approx([1005.0] * 3, abs=0.01)


@pytest.mark.parametrize("curved", [False, True])
@pytest.mark.parametrize("capacity", [7, 33, 1009, 70_000])
def test_births_that_are_few_or_scattered_are_those_of_a_mask(
    system: System,
    one: One,
    contents: Contents,
    monkeypatch: pytest.MonkeyPatch,
    capacity: int,
    curved: bool,
) -> None:
    """However it is said where particles are born: to the bit the same ones."""
    burst = gp.Burst(0.1, min(3 * capacity // 4, 50_000))
    effect = one(
        rate=min(6 * capacity, 2000),
        bursts=[burst],
        lifetime=(0.05, 0.9),
        capacity=capacity,
        shape=gp.Sphere(1),
        speed=[(0, 1), (1, 2)] if curved else 1,  # a curve is one texel more for each
    )
    seen: list[tuple[object, int]] = []
    birth_pass = Simulation._birth_pass

    def noted(self: Simulation, state: State, program: Program, vertex: int, *more: Any) -> None:
        seen.append((self, vertex))
        birth_pass(self, state, program, vertex, *more)

    monkeypatch.setattr(Simulation, "_birth_pass", noted)
    free, masked = system(), system()
    ours, theirs = (particles.play(effect, seed=5)["it"] for particles in (free, masked))
    for dt in np.random.default_rng(3).uniform(0.001, 0.04, 120):
        free.update(dt)
        with monkeypatch.context() as patch:
            patch.setattr("gpuparticles.gpu.simulate.FEW", 0)
            patch.setattr("gpuparticles.gpu.simulate._SCATTERED", math.inf)
            masked.update(dt)
        assert contents(ours) == contents(theirs)
    ways, mask = (
        [vertex for simulation, vertex in seen if simulation is each._simulation]
        for each in (ours, theirs)
    )
    assert set(mask) == {0}
    assert (4 in ways) == (capacity > 33)
    assert (len(ways) < len(mask)) == (not curved)
