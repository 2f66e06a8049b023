"""Bursts of one effect share a pool; each behaves as if it were alone."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import moderngl
import numpy as np
import pytest
from numpy.typing import NDArray

import gpuparticles as gp
from gpuparticles.gpu.simulate import Simulation
from gpuparticles.playback.place import Place, place_of, rotate
from gpuparticles.system.pool import Bursts

System = Callable[..., gp.ParticleSystem]
One = Callable[..., gp.Effect]
Living = Callable[[Simulation], NDArray[Any]]
Matrix = NDArray[np.float64]

PULL = {
    "bursts": [gp.Burst(0.0, 8), gp.Burst(0.25, 5)],
    "rate": 21.7,
    "lifetime": (0.3, 1.5),
    "shape": gp.Sphere(0.5),
    "speed": (0.5, 2.0),
    "spread": 60,
    "rotation": (-90, 90),
    "angular_velocity": (-90, 90),
    "duration": 0.7,
    "loop": True,
}
TICK = 1.01 * 2.0**-16  # by which moments that are computed otherwise may differ, rounded
CENTER = gp.Radial(-6.0, center=(0.0, 0.2, 0.0))


def pools(particles: gp.ParticleSystem) -> list[Bursts]:
    return [playing for playing in particles._scene.playing if isinstance(playing, Bursts)]


def transforms(rng: np.random.Generator, count: int, reach: float) -> list[Matrix]:
    """Places within reach, turned, scaled and sometimes mirrored."""
    made = []
    for _ in range(count):
        turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        matrix = np.eye(4)
        matrix[:3, :3] = turn @ np.diag(rng.uniform(0.5, 2.0, 3))
        matrix[:3, 3] = rng.uniform(-reach, reach, 3)
        made.append(matrix)
    return made


def to_world(found: NDArray[Any], place: Place, *, local: bool, anchor: Any) -> NDArray[Any]:
    """Positions and velocities in the world, of shape (n, 6)."""
    position, velocity = found["position"].astype(float), found["velocity"].astype(float)
    if not local:
        return np.hstack([position + anchor, velocity])
    turn = np.array([rotate(place.turn, axis) for axis in np.eye(3).tolist()])
    return np.hstack([position @ turn + place.place, velocity @ turn])


@pytest.mark.parametrize("space", ["world", "local"])
@pytest.mark.parametrize("pull", ["emitter", "world"])
def test_a_thousand_bursts_behave_as_if_alone(
    system: System, one: One, living: Living, space: str, pull: str
) -> None:
    """Each at its place, turned and scaled, pulled to its own centre; some looked at closely.

    The particles of a burst are those of the same effect played once with the same seed.
    """
    rng = np.random.default_rng(1000)
    particles, other = system(), system()
    modifiers = [CENTER if pull == "emitter" else gp.Acceleration((0, -9.8, 1))]
    effect = one(space=space, modifiers=modifiers, **PULL)
    places = transforms(rng, 1000, 100.0)
    for seed, matrix in enumerate(places):
        particles.burst(effect, transform=matrix, seed=seed)
    closely = rng.choice(1000, 8, replace=False).tolist()
    once = one(space=space, modifiers=modifiers, **{**PULL, "loop": False})
    alone = {seed: other.play(once, transform=places[seed], seed=seed) for seed in closely}
    (pool,) = pools(particles)
    (simulation,) = pool._simulations
    for frame in range(120):
        # Whole ticks, so that every clock agrees with every other on who is dead.
        dt = rng.integers(200, 3000) / 65536
        particles.update(dt)
        other.update(dt)
        if frame % 9:
            continue
        everybody = living(simulation)
        assert len(everybody) == particles.stats.live
        for seed, single in alone.items():
            found = everybody[everybody["instance"] == seed]
            expected = living(single["it"]._simulation)
            assert np.array_equal(found["seed"], expected["seed"])
            assert np.array_equal(found["lifetime"], expected["lifetime"])
            assert found["age"] == pytest.approx(expected["age"], abs=TICK)
            local, place = space == "local", place_of(places[seed])
            assert to_world(found, place, local=local, anchor=pool._anchor) == pytest.approx(
                to_world(expected, place, local=local, anchor=single._anchor), abs=1e-3
            )
            assert found["rotation"] == pytest.approx(expected["rotation"], abs=1e-5)
    assert particles.stats.live == 0
    assert all(single.finished and single.births == 28 for single in alone.values())


@pytest.mark.parametrize("space", ["world", "local"])
def test_a_thousand_equal_bursts_are_equal_round_their_places(
    system: System, one: One, living: Living, space: str
) -> None:
    """Of one seed, but each elsewhere: round its own centre every one looks like the first."""
    rng = np.random.default_rng(7)
    particles = system()
    effect = one(space=space, modifiers=[CENTER], **PULL)
    places = np.round(rng.uniform(-1000, 1000, (1000, 3)), 2)
    places[0] = 0.0
    for place in places:
        particles.burst(effect, position=place, seed=5)
    (pool,) = pools(particles)
    for _ in range(25):
        particles.update(0.031)
    found = living(pool._simulations[0])
    count = np.sum(found["instance"] == 0)
    assert count > 10
    assert len(found) == 1000 * count
    found = found[np.lexsort((found["seed"], found["instance"]))]
    for name in ("seed", "age", "lifetime", "rotation"):
        assert (found[name].reshape(1000, -1) == found[name][:count]).all()
    position = found["position"].reshape(1000, count, 3)
    if space == "local":
        assert (position == position[0]).all()
    else:
        offset = (places - pool._anchor)[:, None]
        assert position - offset == pytest.approx(
            np.broadcast_to(position[0] - offset[0], position.shape), abs=5e-3
        )


def test_bursts_begun_at_any_time_are_as_if_begun_at_once(
    system: System, one: One, living: Living
) -> None:
    rng = np.random.default_rng(3)
    particles, other = system(), system()
    effect = one(modifiers=[CENTER], **PULL)
    once = one(modifiers=[CENTER], **{**PULL, "loop": False})
    alone: list[gp.EffectInstance] = []
    for frame in range(120):
        if frame % 4 == 0 and frame < 50:
            for _ in range(2):
                place = rng.uniform(-50, 50, 3)
                particles.burst(effect, position=place, seed=len(alone))
                alone.append(other.play(once, transform=place, seed=len(alone)))
        dt = rng.integers(65, 6000) / 65536
        particles.update(dt)
        other.update(dt)
        assert particles.stats.live == other.stats.live
        if not pools(particles):
            continue
        (pool,) = pools(particles)
        everybody = living(pool._simulations[0])
        assert len(everybody) == particles.stats.live
        expected = np.concatenate([living(single["it"]._simulation) for single in alone])
        expected = expected[np.argsort(expected["seed"])]
        assert np.array_equal(everybody["seed"], expected["seed"])
        assert everybody["age"] == pytest.approx(expected["age"], abs=TICK)
    assert other.stats.live == 0
    assert not pools(particles)


def test_a_burst_plays_exactly_one_loop(system: System, one: One) -> None:
    particles = system()
    effect = one(rate=20, bursts=[gp.Burst(0.25, 5)], duration=0.5, lifetime=math.inf, loop=True)
    particles.burst(effect)
    time = 0.0
    for _ in range(40):
        particles.update(0.0501)
        time += 0.0501
        assert particles.stats.live == math.floor(20 * min(time, 0.5)) + 5 * (time > 0.25)


def test_a_burst_has_its_emitters_own_capacity(system: System, one: One, living: Living) -> None:
    particles = system()
    effect = one(capacity=12, bursts=[gp.Burst(0.0, 30)], rate=10, lifetime=(1.0, 2.0))
    for seed in range(10):
        particles.burst(effect, seed=seed)
    particles.update(0.01)
    (pool,) = pools(particles)
    found = living(pool._simulations[0])
    assert np.bincount(found["instance"]).tolist() == [12] * 10
    assert particles.stats.live == 120
    assert particles.stats.dropped == 180
    for _ in range(100):
        particles.update(0.03)
        found = living(pool._simulations[0])
        assert np.bincount(found["instance"], minlength=10).max() <= 12
        assert len(found) == particles.stats.live


def test_a_growing_pool_keeps_everybody(system: System, one: One, living: Living) -> None:
    """Copied into larger textures again and again, they fly on as if nothing had been."""
    particles = system()
    effect = one(
        bursts=[gp.Burst(0.0, 700)],
        lifetime=(3.0, 4.0),
        velocity=((-1, 1), (-1, 1), (-1, 1)),
        rotation=(0, 300),
        color="#4080c0",
    )
    born: dict[int, tuple[float, ...]] = {}
    capacities, sizes = [], []
    for frame in range(9):
        place = (10.0 * frame, 0.0, 0.0)
        particles.burst(effect, position=place, seed=frame)
        particles.update(0.1)
        (pool,) = pools(particles)
        (simulation,) = pool._simulations
        found = living(simulation)
        assert len(found) == 700 * (frame + 1)
        assert len(np.unique(found["slot"])) == len(found)
        start = np.stack([10.0 * found["instance"], *np.zeros((2, len(found)))], axis=1)
        path = start + found["velocity"].astype(float) * found["age"][:, None]
        assert found["position"] == pytest.approx(path, abs=1e-4)
        for seed, *attributes in zip(
            found["seed"].tolist(),
            found["lifetime"].tolist(),
            found["rotation"].tolist(),
            found["slot"].tolist(),
            strict=True,
        ):
            assert born.setdefault(seed, tuple(attributes)) == tuple(attributes)
        capacities.append(simulation.capacity)
        sizes.append(particles.stats.gpu_bytes)
    assert capacities == [1024, 2048, 4096, 4096, 4096, 8192, 8192, 8192, 8192]
    assert sizes == sorted(sizes)
    assert sizes[-1] < 9000 * 100 + 500_000


def test_a_pool_lets_go_when_it_is_empty(
    ctx: moderngl.Context,
    system: System,
    one: One,
    live_objects: Callable[[], dict[str, list[int]]],
) -> None:
    particles = system()
    effect = one(bursts=[gp.Burst(0.0, 3000)], lifetime=(0.5, 1.0), capacity=3000)
    particles.burst(effect)
    particles.update(2.0)  # the programs stay, so that the next burst does not wait for them
    programs, empty = particles.stats.programs, live_objects()
    for _ in range(3):
        assert particles.stats.gpu_bytes == 0
        particles.burst(effect)
        particles.update(0.1)
        assert particles.stats.gpu_bytes > 3000 * 88
        assert particles.stats.live == 3000
        for _ in range(10):
            particles.update(0.1)
        assert particles.stats.live == particles.stats.gpu_bytes == 0
        assert particles.stats.programs == programs
        assert live_objects() == empty
        assert not pools(particles)
    assert ctx.error == "GL_NO_ERROR"


def test_bursts_far_apart_are_as_precise_as_near_ones(
    system: System, one: One, living: Living
) -> None:
    particles = system()
    effect = one(bursts=[gp.Burst(0.0, 20)], velocity=(1, 0, 0), lifetime=5.0)
    for place in ((0, 0, 0), (4000, 0, 0), (1e7, 0, 0), (1e7, 3000, 0), (-1e7, 0, 0)):
        particles.burst(effect, position=place)
    assert len(pools(particles)) == 3
    for _ in range(100):
        particles.update(0.01)
    x = []
    for pool in pools(particles):
        found = living(pool._simulations[0])
        assert np.abs(found["position"]).max() < 4100
        x += sorted({round(v, 2) for v in (found["position"][:, 0] + pool._anchor[0]).tolist()})
    assert x == pytest.approx([1.0, 4001.0, 1e7 + 1, -1e7 + 1], abs=0.02)
    assert particles.stats.live == 100


def test_all_emitters_of_an_effect_burst(system: System, living: Living) -> None:
    particles = system()
    emitters = [
        gp.Emitter("a", rate=0, bursts=[gp.Burst(0.0, 5)], lifetime=1.0),
        gp.Emitter("b", rate=0, bursts=[gp.Burst(0.2, 7)], lifetime=1.0, space="local"),
        gp.Emitter("none", rate=0),
    ]
    effect = gp.Effect("both", emitters, duration=0.5)
    for _ in range(10):
        particles.burst(effect)
    counts = []
    for _ in range(14):
        particles.update(0.1)
        counts.append([len(living(it)) for pool in pools(particles) for it in pool._simulations])
    assert counts[0] == [50, 0, 0]
    assert counts[3] == counts[8] == [50, 70, 0]
    assert counts[10] == [0, 70, 0]
    assert counts[13] == []


def test_rows_of_the_instance_table_are_used_again(system: System, one: One) -> None:
    particles = system()
    effect = one(bursts=[gp.Burst(0.0, 2)], lifetime=0.3)
    for frame in range(400):
        particles.burst(effect, position=(frame, 0, 0))
        particles.update(0.1)
        assert particles.stats.live <= 2 * 4
        assert pools(particles)[0]._rows == 64


def test_bursts_that_find_no_row_open_another_pool(
    system: System, one: One, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Bursts, "limit", 128)
    particles = system()
    effect = one(bursts=[gp.Burst(0.0, 2)], lifetime=9.0)
    for _ in range(300):
        particles.burst(effect)
    particles.update(0.1)
    assert [pool._rows for pool in pools(particles)] == [128, 128, 64]
    assert particles.stats.live == 600


def test_a_hitch_gives_what_small_steps_give(system: System, one: One, living: Living) -> None:
    rng = np.random.default_rng(4)
    hitched, stepped = systems = system(), system()
    effects = [
        one(modifiers=[CENTER], **{**PULL, "duration": 40.0}),
        one(modifiers=[CENTER], **{**PULL, "duration": 40.0, "capacity": 9}),
        one(rate=10, lifetime=math.inf, speed=0.0, duration=4.0),
    ]
    for seed, place in enumerate(rng.uniform(-9, 9, (6, 3))):
        for particles in systems:
            for effect in effects:
                particles.burst(effect, position=place, seed=seed)
            particles.update(0.11)
    hitched.update(33.3)
    for _ in range(999):
        stepped.update(33.3 / 999)
    assert hitched.stats.live == stepped.stats.live
    assert hitched.stats.dropped == stepped.stats.dropped
    for a, b in zip(*map(pools, systems), strict=True):
        found, expected = (living(pool._simulations[0]) for pool in (a, b))
        assert len(expected) > 40
        assert np.array_equal(found["seed"], expected["seed"])
        assert found["position"] == pytest.approx(expected["position"], abs=3e-3)
    for particles in systems:  # all is over but for those who never die
        particles.update(60.0)
        particles.update(0.1)
        assert particles.stats.live == 6 * 40
        assert len(pools(particles)) == 1


def test_a_pool_looks_like_the_same_effects_played(
    system: System, one: One, picture: Callable[[gp.ParticleSystem], NDArray[np.float32]]
) -> None:
    """Light adds up in any order, so the pictures agree but for rounding."""
    rng = np.random.default_rng(6)
    particles, other = system(), system()
    for space in ("world", "local"):
        looks = {
            "space": space,
            "size": (0.5, 1.5),
            "size_over_life": [(0, 1), (1, 0.2)],
            "color_over_life": [(0, "#ff8040"), (1, "#2040ff80")],
            "sprite": gp.Sprite(blend="additive", stretch=0.1),
            **PULL,
        }
        effect, once = one(**looks), one(**{**looks, "loop": False})
        for seed, matrix in enumerate(transforms(rng, 5, 5.0)):
            tint = tuple(rng.uniform(0.2, 1.0, 4))
            particles.burst(effect, transform=matrix, seed=seed, tint=tint)
            other.play(once, transform=matrix, seed=seed).tint = tint
    for frame in range(40):
        for each in (particles, other):
            each.update(2.0**-5)
        if frame % 8 == 7:
            shown = picture(particles)
            assert np.count_nonzero(shown) > 200
            assert shown == pytest.approx(picture(other), abs=5e-3)


def test_bursts_between_updates_wait_for_the_next(system: System, one: One) -> None:
    particles = system()
    effect = one(bursts=[gp.Burst(0.0, 4)], lifetime=2.0)
    particles.burst(effect)
    particles.update(0.0)
    assert particles.stats.live == 0
    particles.update(0.1)
    particles.burst(effect)
    assert particles.stats.live == 4
    with particles.guarded():
        particles.burst(effect)
        particles.update(0.1)
    assert particles.stats.live == 12


def test_an_effect_without_births_bursts_into_nothing(system: System, one: One) -> None:
    particles = system()
    particles.burst(one())
    particles.update(0.1)
    assert particles.stats.live == particles.stats.gpu_bytes == 0
    assert not pools(particles)


def test_a_position_and_a_transform_are_too_much(system: System, one: One) -> None:
    particles = system()
    with pytest.raises(gp.EffectError, match="a position or a transform, not both"):
        particles.burst(one(), position=(0, 0, 0), transform=np.eye(4))
    assert not pools(particles)


def test_releasing_the_system_frees_its_pools(
    ctx: moderngl.Context,
    one: One,
    live_objects: Callable[[], dict[str, list[int]]],
) -> None:
    before = live_objects()
    with gp.ParticleSystem(ctx) as particles:
        effect = one(bursts=[gp.Burst(0.0, 900)], lifetime=9.0)
        for place in ((0, 0, 0), (9000, 0, 0), (1, 0, 0)):
            particles.burst(effect, position=place)
        particles.update(0.1)
        assert particles.stats.live == 2700
    assert live_objects() == before
