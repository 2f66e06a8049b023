"""Slots and live counts on the GPU: nobody more, nobody less, and no trace of the former."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import moderngl
import numpy as np
import pytest
from numpy.typing import NDArray

import gpuparticles as gp
from gpuparticles.effect.random import pcg
from gpuparticles.gpu.simulate import Simulation
from gpuparticles.playback.population import hash_seed
from gpuparticles.playback.timeline import MANUAL
from gpuparticles.system.pool import Bursts

System = Callable[..., gp.ParticleSystem]
One = Callable[..., gp.Effect]
Living = Callable[[Simulation], NDArray[Any]]
Picture = Callable[[gp.ParticleSystem], NDArray[np.float32]]

CAPACITIES = [0, 1, 7, 1009, 1_000_003]


def simulations(particles: gp.ParticleSystem) -> Iterator[tuple[Simulation, int]]:
    """All that is simulated, each with its live count."""
    for playing in particles._scene.playing:
        if isinstance(playing, Bursts):
            for simulation, crowd in zip(playing._simulations, playing._crowds, strict=True):
                yield simulation, crowd.population.slots.live_count
        elif isinstance(playing, gp.EffectInstance):
            for emitter in playing:
                yield emitter._simulation, emitter.live_count


def random_emitter(rng: np.random.Generator, name: str) -> gp.Emitter:
    """An emitter of random rate, bursts, lifetimes, capacity and space."""
    low = rng.choice([0.0, 1e-5, 0.01, 0.3, 2.0])
    lifetime: Any = (low, low + rng.choice([0.0, 0.02, 1.0, 5.0]))
    if rng.random() < 0.15:
        lifetime = math.inf
    return gp.Emitter(
        name,
        capacity=int(rng.choice([0, 1, 7, 64, 1009, 3000])),
        rate=float(rng.choice([0.0, 0.5, 7.3, 60.0, 900.0])),
        bursts=[
            gp.Burst(rng.uniform(0, 1), int(rng.choice([1, 16, 17, 500])))
            for _ in range(rng.integers(3))
        ],
        lifetime=lifetime,
        space=rng.choice(["world", "local"]),
        duration=float(rng.uniform(1.0, 3.0)),
        loop=bool(rng.random() < 0.7),
    )


@pytest.mark.parametrize("seed", range(3))
def test_the_live_count_is_the_number_of_the_living_at_every_step(
    system: System, living: Living, seed: int
) -> None:
    """Random effects and bursts, random steps: compared with the textures themselves."""
    rng = np.random.default_rng(seed)
    particles = system()
    effects = [
        gp.Effect("effect", [random_emitter(rng, str(i)) for i in range(3)]) for _ in range(3)
    ]
    playing = [particles.play(effect) for effect in effects]
    seen = 0
    for _ in range(80):
        if rng.random() < 0.1:
            particles.burst(effects[rng.integers(3)], position=rng.uniform(-9, 9, 3))
        if rng.random() < 0.1:
            playing[rng.integers(3)][str(rng.integers(3))].emit(int(rng.choice([1, 30])))
        dt = rng.choice([rng.uniform(0.0005, 0.03), rng.uniform(0.01, 0.2), rng.uniform(1, 9)],
                        p=[0.6, 0.3, 0.1])  # fmt: skip
        particles.update(dt)
        for simulation, live_count in simulations(particles):
            assert len(living(simulation)) == live_count
            seen += live_count
    assert seen > 1000
    assert particles.stats.live == sum(count for _, count in simulations(particles))


@pytest.mark.parametrize("lifetime", [300.0, (200.0, 300.0), (200.0, 256.0), (200.0, 600.0)])
def test_it_is_exact_at_lives_of_300_seconds(
    system: System, one: One, living: Living, lifetime: Any
) -> None:
    rng = np.random.default_rng(300)
    particles = system(max_step=1.0)
    it = particles.play(one(rate=6.0, lifetime=lifetime, capacity=4000, loop=True))["it"]
    for _ in range(1000):
        particles.update(rng.uniform(0.1, 0.9))
        found = living(it._simulation)
        assert len(found) == it.live_count
    assert it.births - it.live_count > 300
    # Ages are what the births say, to the tick, after hundreds of steps.
    tick = it._player.population.clock.tick
    assert np.all(found["age"] % tick == 0)
    assert found["age"].max() > 190.0


def test_it_is_exact_after_a_simulated_day(system: System, living: Living) -> None:
    particles = system(max_step=1.0)
    effect = gp.Effect(
        "day",
        [
            gp.Emitter("rate", rate=7.3, lifetime=(0.5, 20.0)),
            gp.Emitter("bursts", rate=0, bursts=[gp.Burst(0.7, 40)], lifetime=(0.1, 3.0)),
            gp.Emitter("long", rate=2.0, lifetime=(100.0, 300.0)),
            gp.Emitter("full", rate=60.0, lifetime=(1.0, 2.0), capacity=50),
            gp.Emitter("immortal", rate=0.001, lifetime=math.inf),
        ],
        duration=1.7,
        loop=True,
    )
    playing = particles.play(effect)
    day = 0.0
    rng = np.random.default_rng(24)
    while day < 86_400.0:
        dt = rng.uniform(5000.0, 15_000.0)
        day += dt
        particles.update(dt)
        for simulation, live_count in simulations(particles):
            assert len(living(simulation)) == live_count
    for _ in range(100):
        dt = rng.uniform(0.001, 0.05)
        day += dt
        particles.update(dt)
        for simulation, live_count in simulations(particles):
            assert len(living(simulation)) == live_count
    for name, rate in (("rate", 7.3), ("long", 2.0), ("full", 60.0), ("immortal", 0.001)):
        assert abs(playing[name].births + 0.5 - rate * day) <= 0.5 + 1e-3
    assert playing["bursts"].births == 40 * math.ceil((day - 0.7) / 1.7)
    assert 40 <= playing["full"].live_count <= 50
    assert playing["immortal"].live_count == playing["immortal"].births
    # The youngest ages are as fine as in the beginning.
    ages = playing["rate"].read()["age"]
    assert np.diff(np.sort(ages)[:4]) == pytest.approx([1 / 7.3] * 3, abs=3e-5)


def poison(simulation: Simulation, rng: np.random.Generator) -> None:
    """Fill all that nothing may rely on: the other side, and the rows that are not in use.

    Half of it is not a number, the rest looks alive, large and white.
    """
    state = simulation.state
    if state is None:
        return
    rows = simulation.rows
    with simulation._guard as guard:
        guard.simulate()
        for texture in state._sides[1 - state._current]:
            texture.write(garbage(rng, texture, texture.height))
        if rows < state.height:
            above = (0, rows, state.width, state.height - rows)
            for texture in (*state.current, *state.birth.values()):
                texture.write(garbage(rng, texture, state.height - rows), viewport=above)


def garbage(rng: np.random.Generator, texture: moderngl.Texture, rows: int) -> NDArray[Any]:
    shape = (rows, texture.width, texture.components)
    if texture.dtype == "u4":
        data = np.full(shape, np.float32(100.0).view(np.uint32), np.uint32)
        data[..., -1] = rng.integers(0, 60, shape[:2])
        return data
    floats = rng.uniform(0, 5, shape).astype(texture.dtype)
    floats[rng.random(shape[:2]) < 0.5] = np.nan
    return floats


def test_slots_that_were_used_and_left_within_a_hitch_hold_nothing(
    system: System, one: One, living: Living
) -> None:
    """A burst that only the CPU knew held the low rows until those above were taken."""
    rng = np.random.default_rng(1)
    effect = one(
        rate=20.0, bursts=[gp.Burst(25.8, 600)], lifetime=(8.0, 10.0), capacity=1009, duration=99.0
    )
    particles = system()
    playing = particles.play(effect)
    particles.burst(effect)
    particles.update(0.001)
    for simulation, _ in simulations(particles):
        poison(simulation, rng)
    particles.update(36.0)
    assert playing["it"]._simulation.rows > 20
    for simulation, count in simulations(particles):
        assert len(living(simulation)) == count == pytest.approx(180, abs=10)


@pytest.mark.parametrize("space", ["world", "local"])
def test_nothing_of_former_particles_is_ever_seen(
    system: System, living: Living, picture: Picture, space: str
) -> None:
    """Slots and rows are reused again and again, in steps of any length, over planted garbage."""
    rng = np.random.default_rng(13)
    emitter = gp.Emitter(
        "it",
        capacity=1009,
        rate=60,
        bursts=[gp.Burst(0.1, 700), gp.Burst(0.6, 300)],
        lifetime=(0.02, 0.3),
        speed=(1, 9),
        spread=180,
        angular_velocity=(-90, 90),
        space=space,
        modifiers=[gp.Acceleration((0, -9, 0)), gp.Radial(-3)],
    )
    effect = gp.Effect("test", [emitter], duration=1.0, loop=True)
    clean, dirty = systems = system(), system()
    playing = [particles.play(effect, seed=4) for particles in systems]
    marks = []
    for frame in range(200):
        if frame % 40 == 7:
            for particles in systems:
                particles.burst(effect, position=(frame / 40, 0, 0), seed=frame)
        for simulation, _ in simulations(dirty):
            poison(simulation, rng)
        dt = rng.choice([rng.uniform(0.0005, 0.02), rng.uniform(0.02, 0.09), 0.0])
        for particles in systems:
            particles.update(dt)
        for (a, count), (b, _) in zip(*map(simulations, systems), strict=True):
            found = living(b)
            assert found.tobytes() == living(a).tobytes()
            assert len(found) == count
        marks.append(playing[1]["it"]._simulation.rows)
        if frame % 10 == 0:
            assert picture(dirty).tobytes() == picture(clean).tobytes()
    # Rows were left and admitted again many times.
    assert np.sum(np.diff(marks) > 10) >= 5
    assert np.sum(np.diff(marks) < -5) >= 5
    assert np.isfinite(picture(dirty)).all()


def test_the_picture_is_black_before_any_birth_and_after_the_last_death(
    system: System, one: One, picture: Picture
) -> None:
    rng = np.random.default_rng(0)
    particles = system()
    effect = one(
        bursts=[gp.Burst(0.5, 800)], lifetime=(0.1, 1.0), size=2.0, speed=(1, 5), spread=180
    )
    playing = particles.play(effect)

    def planted() -> NDArray[np.float32]:
        poison(playing["it"]._simulation, rng)
        return picture(particles)

    assert not planted().any()
    particles.update(0.4)
    assert not planted().any()
    particles.burst(effect)
    particles.update(0.2)
    assert planted().any()
    lit = 0
    while playing.live_count:
        particles.update(0.03)
        lit += bool(planted().any())
    assert 28 <= lit <= 34
    assert particles.stats.live > 0  # the burst began later
    particles.update(2.0)
    assert particles.stats.live == 0
    assert not planted().any()
    playing.start()
    particles.update(0.3)
    assert not planted().any()
    particles.update(0.3)
    assert planted().any()
    playing.reset()
    assert not planted().any()


def test_a_full_emitter_drops_births_and_keeps_the_living(system: System, one: One) -> None:
    particles = system()
    effect = one(capacity=40, rate=100.0, lifetime=3.0, velocity=(1, 0, 0), loop=True)
    it = particles.play(effect)["it"]
    particles.update(0.401)
    assert it.live_count == 40
    for _ in range(25):
        particles.update(0.1)
        found = it.read()
        assert found["number"].tolist() == list(range(40))
        assert found["position"][:, 0] == pytest.approx(found["age"], abs=1e-4)
    assert it.births == 290
    assert it.dropped == 250
    particles.update(0.2)  # the first of them have died, and others took their places
    found = it.read()
    assert found["number"].min() > 5
    assert found["number"].max() > 290
    assert it.live_count == len(found) <= 40


@pytest.mark.parametrize("capacity", CAPACITIES)
def test_any_capacity_works(
    system: System, one: One, living: Living, picture: Picture, capacity: int
) -> None:
    particles = system()
    effect = one(capacity=capacity, lifetime=0.5, speed=0, size=20.0, color=(1, 1, 1, 1))
    playing = particles.play(effect, seed=11)
    it = playing["it"]
    assert it.capacity == capacity
    it.emit(capacity + 5)
    particles.update(0.01)
    found = living(it._simulation)
    assert len(found) == it.live_count == capacity
    assert (it.births, it.dropped) == (capacity + 5, 5)
    # Everybody is in a slot of their own, and each is who its birth number says.
    assert np.array_equal(np.sort(found["slot"]), np.arange(capacity))
    base = np.uint32(hash_seed(11, 0, MANUAL))
    expected = pcg(base ^ pcg(it._player.population.numbers.astype(np.uint32)))
    assert np.array_equal(found["seed"], expected[found["slot"]])
    assert np.all(found["lifetime"] == 0.5)
    if capacity < 10_000:  # a million sprites that each cover everything take minutes
        assert picture(particles).any() == (capacity > 0)
    particles.update(0.5)
    assert it.live_count == len(living(it._simulation)) == 0
    assert not picture(particles).any()
    it.emit(1)
    particles.update(0.01)
    assert it.live_count == len(living(it._simulation)) == min(capacity, 1)
    assert len(it.read()) == min(capacity, 1)


def test_a_burst_of_a_million_finds_every_slot(system: System, one: One, living: Living) -> None:
    """More births in a step than one upload takes, into room that others have left."""
    capacity = 1_000_003
    particles = system(max_step=1.0)
    effect = one(
        capacity=capacity,
        bursts=[gp.Burst(0.0, 500_000), gp.Burst(1.0, 1_100_000)],
        lifetime=(0.5, 2.0),
        velocity=(0, 0, 0),
        duration=10.0,
    )
    it = particles.play(effect)["it"]
    particles.update(0.25)
    assert it.live_count == len(living(it._simulation)) == 500_000
    particles.update(0.5)
    survivors = living(it._simulation)
    assert it.live_count == len(survivors) < 450_000
    particles.update(0.3)  # some more die at its end, whose slots are free from the next step on
    found = living(it._simulation)
    assert it.live_count == len(found) > 800_000
    assert len(np.unique(found["slot"])) == len(found)
    # Nobody was lost, nobody counted twice: seeds are 32-bit hashes, of which a few may be equal.
    assert len(np.unique(found["seed"])) > len(found) - 300
    assert it.births == 1_600_000
    assert it.dropped == 1_600_000 - 500_000 - (capacity - len(survivors))
    # The survivors are where they were.
    assert np.isin(found["seed"], survivors["seed"]).sum() >= len(found) - (
        capacity - len(survivors)
    )


@pytest.mark.parametrize("capacity", [4096 * 16384 + 1, 2**31 - 1])
def test_more_than_textures_hold_is_our_error(
    ctx: moderngl.Context,
    system: System,
    one: One,
    live_objects: Callable[[], dict[str, list[int]]],
    capacity: int,
) -> None:
    assert ctx.info["GL_MAX_TEXTURE_SIZE"] <= 16384
    particles = system()
    before = live_objects()
    small = one().emitters[0]
    huge = gp.Emitter("huge", capacity=capacity)
    with pytest.raises(gp.ContextError, match=rf"test: huge: capacity: {capacity} particles do"):
        particles.play(gp.Effect("test", [small, huge]))
    assert live_objects() == before
    assert particles.effects == ()
    assert particles.stats.programs == 0
    assert ctx.error == "GL_NO_ERROR"
    particles.update(0.1)


def test_a_burst_takes_only_what_it_needs_of_a_huge_capacity(system: System, one: One) -> None:
    particles = system()
    particles.burst(one(capacity=2**31 - 1, bursts=[gp.Burst(0.0, 30)]))
    particles.update(0.1)
    assert particles.stats.live == 30
    assert particles.stats.gpu_bytes < 300_000


def test_a_lifetime_of_nothing_is_never_drawn(
    system: System, one: One, living: Living, picture: Picture
) -> None:
    particles = system()
    effect = one(rate=500.0, bursts=[gp.Burst(0.0, 50)], lifetime=0.0, size=9.0, loop=True)
    it = particles.play(effect)["it"]
    for _ in range(40):
        particles.burst(effect)
        particles.update(0.01)
        assert it.live_count == len(living(it._simulation)) == 0
        assert particles.stats.live == 0
        assert not picture(particles).any()
    assert it.births == 250
    assert it.dropped == 0


def test_lives_without_end_last(system: System, one: One, picture: Picture) -> None:
    particles = system()
    effect = one(bursts=[gp.Burst(0.0, 5)], lifetime=math.inf, speed=0.0, size=5.0)
    it = particles.play(effect)["it"]
    particles.update(0.1)
    before = picture(particles)
    assert before.any()
    for dt in (1.0, 3600.0, 1e6):
        particles.update(dt)
        assert it.live_count == len(it.read()) == 5
        assert np.array_equal(picture(particles), before)
    assert np.all(np.isinf(it.read()["lifetime"]))


@pytest.mark.parametrize("lifetime", [-1.0, -1e-9, (-1.0, 2.0), math.nan, (1.0, math.inf)])
def test_impossible_lifetimes_are_refused(one: One, lifetime: Any) -> None:
    with pytest.raises(gp.EffectError, match="lifetime"):
        one(lifetime=lifetime)


def test_two_effects_do_not_disturb_each_other(system: System, living: Living) -> None:
    """Side by side, and with one released midway, each is byte by byte as if alone."""
    rng = np.random.default_rng(2)
    emitters = [
        gp.Emitter("it", rate=90, lifetime=(0.1, 1.0), capacity=64, spread=90, space="local"),
        gp.Emitter("it", bursts=[gp.Burst(0.3, 700)], lifetime=(0.1, 1.0), spread=90),
    ]
    effects = [gp.Effect("test", [emitter], duration=1.0) for emitter in emitters]
    together, *alone = systems = [system() for _ in range(3)]
    pair = [together.play(effect, seed=1) for effect in effects]
    single = [
        particles.play(effect, seed=1) for particles, effect in zip(alone, effects, strict=True)
    ]
    for frame in range(100):
        dt = rng.uniform(0.001, 0.05)
        for particles in systems:
            particles.update(dt)
        if frame == 60:
            pair.pop(0).release()
            single.pop(0)
        for a, b in zip(pair, single, strict=True):
            found = living(a["it"]._simulation)
            assert found.tobytes() == living(b["it"]._simulation).tobytes()
            assert (a.births, a.dropped) == (b.births, b.dropped)
    assert pair[0].births > 2000
