"""What is drawn at random: from the seed alone, and evenly."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import moderngl
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import gpuparticles as gp
from gpuparticles.draw.camera import look_at, perspective

System = Callable[..., gp.ParticleSystem]
One = Callable[..., gp.Effect]
State = Callable[..., tuple[NDArray[np.float32], NDArray[np.float32]]]

MANY = 100_000
SIGNIFICANCE = 0.001  # of a chi-square: seeds are fixed, so that a test passes always or never


def lively(one: One, **settings: Any) -> gp.Effect:
    """An effect in which everything random is used."""
    return one(
        **{
            "rate": 100,
            "bursts": [gp.Burst(0.2037, 10), gp.Burst(0.7051, 5)],  # when nothing else is born
            "duration": 1,
            "loop": True,
            "lifetime": (0.5, 3),
            "shape": gp.Sphere(1),
            "speed": (1, 5),
            "spread": 50,
            "size": (0.5, 1.5),
            "rotation": (0, 360),
            "angular_velocity": (-90, 90),
            "modifiers": [
                gp.Drag(0.5, variation=0.5),
                gp.Vortex(3, handedness="random", variation=0.2, falloff=(0, 20)),
                gp.Acceleration((0, -2, 0), variation=1.0),
            ],
            **settings,
        }
    )


# From the seed alone


def test_the_same_seed_gives_the_same_bytes(system: System, one: One, state: State) -> None:
    """In another system, at another time, beside other effects; another seed does not."""

    def run(seed: int, *, company: bool = False) -> list[bytes]:
        particles = system()
        if company:
            particles.play(lively(one), seed=99)
            particles.update(0.3)
        instance = particles.play(lively(one), seed=seed)
        for step in range(90):
            instance.transform = (0.01 * step, 0, 0)
            particles.update(0.01 + 0.0005 * (step % 7))
        return [side.tobytes() for side in state(instance["it"])]

    first = run(5)
    assert first == run(5)
    assert first == run(5, company=True)
    assert first != run(6)


def test_reset_equals_a_fresh_run(system: System, one: One, state: State) -> None:
    """Of the living; where nobody lives, the two sides may differ."""

    def living(instance: gp.EffectInstance) -> list[bytes]:
        position, velocity = state(instance["it"])
        alive = position[:, 3] < 1e29
        return [position[alive].tobytes(), velocity[alive].tobytes()]

    particles = system()
    fresh, used = (particles.play(lively(one, lifetime=9), seed=5) for _ in range(2))
    fresh.pause()
    particles.update(0.777)
    fresh.resume()
    used.reset()
    for _ in range(40):
        particles.update(0.02)
    assert fresh.live_count == used.live_count > 80
    assert living(fresh) == living(used)
    assert np.array_equal(fresh["it"].read(), used["it"].read())


def test_seeds_of_their_own_come_from_the_systems(system: System, one: One) -> None:
    """Effects that are played without a seed differ from each other, the same in each run."""

    def positions(seed: int) -> list[bytes]:
        particles = system(seed=seed)
        instances = [particles.play(lively(one)) for _ in range(2)]
        particles.update(0.5)
        return [instance["it"].read()["position"].tobytes() for instance in instances]

    assert positions(1) == positions(1)
    assert positions(1) != positions(2)
    assert positions(1)[0] != positions(1)[1]


def test_emitters_of_one_effect_draw_different_numbers(system: System) -> None:
    particles = system()
    twins = [
        gp.Emitter(name, rate=0, bursts=[gp.Burst(count=50)], shape=gp.Sphere(1))
        for name in ("a", "b")
    ]
    instance = particles.play(gp.Effect("twins", twins, loop=False), seed=1)
    particles.update(0.01)
    a, b = (instance[name].read()["position"] for name in ("a", "b"))
    assert not np.isin(a, b).any()


def at_birth(particles: gp.ParticleSystem, effect: gp.Effect, rate: int) -> NDArray[np.void]:
    """Particles after 2 s at some steps a second; they keep what they were born with."""
    instance = particles.play(effect, seed=3)
    for _ in range(2 * rate):
        particles.update(1 / rate)
    found = instance["it"].read()
    instance.release()
    return found


def test_birth_k_is_the_same_at_any_rate_and_capacity(system: System, one: One) -> None:
    """Number, lifetime, size, colour, velocity and place of birth, as far as both were born.

    Velocity and place to rounding: they are read a while after birth, in steps of another length.
    """
    runs = {}
    for capacity in (100, 1000):
        effect = lively(one, modifiers=[], lifetime=(1.5, 3), angular_velocity=0, capacity=capacity)
        for rate in (30, 60, 144):
            runs[capacity, rate] = at_birth(system(), effect, rate)
    whole = runs[1000, 60]
    assert len(whole) > 190
    for (capacity, _), found in runs.items():
        if capacity == 1000:
            assert len(found) == len(whole)
        else:
            assert 80 < len(found) <= 100
        _, mine, other = np.intersect1d(found["number"], whole["number"], return_indices=True)
        assert len(mine) >= 0.9 * len(found)
        a, b = found[mine], whole[other]
        for name in ("lifetime", "size", "color", "rotation"):
            assert np.array_equal(a[name], b[name]), name
        assert a["velocity"] == pytest.approx(b["velocity"], abs=1e-6)
        birth = [x["position"] - x["velocity"] * x["age"][:, None] for x in (a, b)]
        assert birth[0] == pytest.approx(birth[1], abs=1e-4)


def test_drawing_changes_nothing(
    ctx: moderngl.Context, system: System, one: One, state: State
) -> None:
    view = look_at((0, 3, 12), (0, 1, 0))
    projection = perspective(50, 1.0, 0.1, 100)
    picture = ctx.texture((64, 64), 4)
    target = ctx.framebuffer(picture)

    def run(draws: int) -> list[bytes]:
        particles = system()
        instance = particles.play(lively(one), seed=5)
        for _ in range(60):
            particles.update(1 / 60)
            for _ in range(draws):
                particles.draw(view, projection)
        return [side.tobytes() for side in state(instance["it"])]

    target.use()
    target.clear()
    never = run(0)
    assert not any(target.read())
    assert run(1) == never
    assert any(target.read())
    assert run(4) == never
    target.release()
    picture.release()


def by_seed(
    emitter: gp.EmitterInstance, position: NDArray[np.float32], velocity: NDArray[np.float32]
) -> dict[int, bytes]:
    """The bytes of each living particle's state, by its seed, which never changes."""
    simulation = emitter._simulation
    assert simulation.state is not None
    with emitter._scene.guard as guard:
        guard.simulate()
        data = simulation.state.birth["lifetime_seed"].read()
    lifetime_seed = np.frombuffer(data, np.uint32).reshape(-1, 2)[: len(position)]
    lifetime = lifetime_seed[:, 0].copy().view(np.float32)
    living = np.flatnonzero((position[:, 3] >= 0) & (position[:, 3] < lifetime))
    return {
        int(lifetime_seed[slot, 1]): position[slot].tobytes() + velocity[slot].tobytes()
        for slot in living
    }


def test_more_births_change_nobody_else(system: System, one: One, state: State) -> None:
    """Born by hand or by one more burst, they leave every other particle as it is, to the byte."""
    effect = lively(one, capacity=1000)
    (emitter,) = effect.emitters
    more = lively(one, capacity=1000, bursts=[*emitter.bursts, gp.Burst(0.1, 7)])

    def run(played: gp.Effect, by_hand: int = 0) -> dict[int, bytes]:
        particles = system()
        instance = particles.play(played, seed=5)
        for step in range(90):
            if step in (3, 50):
                instance["it"].emit(by_hand)
            particles.update(1 / 60)
        return by_seed(instance["it"], *state(instance["it"]))

    plain, emitted, burst = run(effect), run(effect, by_hand=20), run(more)
    assert len(plain) > 100
    assert len(emitted) > len(plain) + 10
    assert len(burst) > len(plain) + 4
    assert plain.items() <= emitted.items()
    assert plain.items() <= burst.items()


# Evenly


@pytest.fixture
def born(system: System, one: One) -> Callable[..., NDArray[np.void]]:
    """``born(shape=...)``: a hundred thousand particles, read right after one burst."""

    def make(seed: int = 1, transform: object = None, **settings: Any) -> NDArray[np.void]:
        particles = system()
        settings = {"lifetime": 10, "bursts": [gp.Burst(count=MANY)], "capacity": MANY, **settings}
        instance = particles.play(one(**settings), seed=seed, transform=transform)
        particles.update(1e-4)
        found = instance["it"].read()
        assert len(found) == settings["bursts"][0].count
        assert np.all(np.isfinite(found["position"]))
        assert np.all(np.isfinite(found["velocity"]))
        return found

    return make


def assert_uniform(values: NDArray[Any], low: float, high: float) -> None:
    """By chi-square over 100 bins, and by nothing being outside."""
    assert values.min() >= low - 1e-5
    assert values.max() <= high + 1e-5
    counts, _ = np.histogram(values, 100, (low, high))
    assert stats.chisquare(counts).pvalue > SIGNIFICANCE


def assert_even_directions(unit: NDArray[Any]) -> None:
    """Evenly over the whole sphere: any projection is uniform, any azimuth too."""
    assert np.linalg.norm(unit, axis=1) == pytest.approx(1, abs=1e-5)
    assert np.abs(unit.mean(axis=0)).max() < 0.01
    for axis in range(3):
        assert_uniform(unit[:, axis], -1, 1)
    assert_uniform(np.arctan2(unit[:, 0], unit[:, 2]), -math.pi, math.pi)


def test_a_ball_is_filled_evenly(born: Callable[..., NDArray[np.void]]) -> None:
    """The mean of r/R is 3/4, r^3 is uniform, and so are the directions."""
    p = born(shape=gp.Sphere(2), speed=0)["position"]
    r = np.linalg.norm(p, axis=1) / 2
    assert r.mean() == pytest.approx(0.75, abs=0.005)
    assert_uniform(r**3, 0, 1)
    assert_even_directions(p / np.linalg.norm(p, axis=1, keepdims=True))


@pytest.mark.parametrize("normal", [(0, 1, 0), (0, -1, 0), (1, 0, 0), (2, -3, 1)])
def test_a_disc_is_filled_evenly(
    born: Callable[..., NDArray[np.void]], normal: tuple[float, float, float]
) -> None:
    """(r/R)^2 and the angle are uniform, independently; all lies in the plane of the normal."""
    p = born(shape=gp.Circle(3, normal=normal), speed=0)["position"]
    n = np.array(normal) / np.linalg.norm(normal)
    assert p @ n == pytest.approx(0, abs=1e-5)
    u = np.cross(n, (1, 0, 0) if abs(n[0]) < 0.9 else (0, 1, 0))
    u /= np.linalg.norm(u)
    x, y = p @ u, p @ np.cross(n, u)
    area = (x**2 + y**2) / 9
    angle = np.arctan2(y, x)
    assert_uniform(area, 0, 1)
    assert_uniform(angle, -math.pi, math.pi)
    cells, _, _ = np.histogram2d(area, angle, 10, ((0, 1), (-math.pi, math.pi)))
    assert stats.chi2_contingency(cells).pvalue > SIGNIFICANCE


def test_a_box_is_filled_evenly(born: Callable[..., NDArray[np.void]]) -> None:
    """Each component is uniform; a thousand cells hold the same."""
    half = (1, 2, 0.5)
    p = born(shape=gp.Box(half), speed=0)["position"]
    for axis, extent in enumerate(half):
        assert_uniform(p[:, axis], -extent, extent)
    cells, _ = np.histogramdd(p, 10, [(-extent, extent) for extent in half])
    assert stats.chisquare(cells.ravel()).pvalue > SIGNIFICANCE


@pytest.mark.parametrize(
    ("shape", "spread"),
    [(gp.Cone(0, 30), 0), (gp.Cone(1, 20), 10), (gp.Point(), 30), (gp.Sphere(1), 30)],
)
def test_a_cone_of_30_degrees(
    born: Callable[..., NDArray[np.void]], shape: Any, spread: float
) -> None:
    """Evenly over its solid angle: the mean cosine is (1 + cos 30)/2, and none lies beyond.

    However the angle comes about: of a cone, of a spread, or of both, which add.
    """
    found = born(shape=shape, spread=spread, speed=2)
    cosine = found["velocity"][:, 1] / 2
    assert cosine.mean() == pytest.approx(0.9330, abs=0.003)
    assert_uniform(cosine, math.cos(math.radians(30)), 1)
    v = found["velocity"]
    assert_uniform(np.arctan2(v[:, 0], v[:, 2]), -math.pi, math.pi)
    assert np.linalg.norm(v, axis=1) == pytest.approx(2, abs=1e-5)


def test_the_base_of_a_cone_is_a_disc(born: Callable[..., NDArray[np.void]]) -> None:
    found = born(shape=gp.Cone(2, 30), speed=0)
    x, y, z = found["position"].T
    assert not y.any()
    assert_uniform((x**2 + z**2) / 4, 0, 1)
    assert_uniform(np.arctan2(x, z), -math.pi, math.pi)


def test_spread_0_is_the_axis_and_180_is_everywhere(born: Callable[..., NDArray[np.void]]) -> None:
    straight = born(speed=3, spread=0)["velocity"]
    assert np.array_equal(straight, np.tile(np.float32([0, 3, 0]), (MANY, 1)))
    assert_even_directions(born(speed=1, spread=180)["velocity"])


@pytest.mark.parametrize(
    "velocity", [(0, 2, 0), (0, -2, 0), (2, 0, 0), (-1, -1e-7, 1e-7), (1e-12, 0, 0), (3, -4, 12)]
)
def test_spread_turns_about_any_velocity(
    born: Callable[..., NDArray[np.void]], velocity: tuple[float, float, float]
) -> None:
    """Within its half-angle of the velocity, evenly, at its speed; also straight down."""
    v = born(velocity=velocity, spread=40)["velocity"].astype(np.float64)
    speed = np.linalg.norm(velocity)
    assert np.linalg.norm(v, axis=1) == pytest.approx(speed, rel=1e-5)
    assert_uniform(v @ np.array(velocity) / speed**2, math.cos(math.radians(40)), 1)


def test_degenerate_directions_give_no_nan(born: Callable[..., NDArray[np.void]]) -> None:
    """No velocity at all, and a scale that flattens the axis away: at rest, where it was born."""
    few = {"bursts": [gp.Burst(count=100)], "capacity": 100}
    for spread in (0, 90, 180):
        assert not born(velocity=(0, 0, 0), spread=spread, **few)["velocity"].any()
    flat = np.diag([1.0, 0.0, 1.0, 1.0])
    found = born(speed=5, transform=flat, **few)
    assert not found["velocity"].any()
    assert not found["position"].any()


def test_ranges_are_drawn_evenly_and_independently(born: Callable[..., NDArray[np.void]]) -> None:
    """Lifetime, size, rotation and speed of one particle have nothing to do with each other.

    Sizes and rotations are half floats, of which fewer than 2^11 lie in a range.
    """
    found = born(lifetime=(1, 3), size=(1, 2), rotation=(0, 180), speed=(2, 6))
    drawn = {
        "lifetime": (found["lifetime"], 1, 3),
        "speed": (found["velocity"][:, 1], 2, 6),
        "size": (found["size"] + 0.5 / 1024, 1, 2.001),
        "rotation": (found["rotation"], 0, 180),
    }
    for name in ("lifetime", "speed"):
        assert_uniform(*drawn[name])
    for values, low, high in drawn.values():
        assert values.mean() == pytest.approx((low + high) / 2, abs=0.01 * (high - low))
        assert values.std() == pytest.approx((high - low) / math.sqrt(12), rel=0.01)
    correlation = np.corrcoef([values for values, _, _ in drawn.values()])
    assert np.abs(correlation - np.eye(4)).max() < 0.015


def test_a_vector_draws_each_component(born: Callable[..., NDArray[np.void]]) -> None:
    v = born(velocity=((-1, 1), 5, (2, 3)))["velocity"]
    assert_uniform(v[:, 0], -1, 1)
    assert np.abs(v[:, 1] - 5).max() < 1e-5
    assert_uniform(v[:, 2], 2, 3)
    assert abs(np.corrcoef(v[:, 0], v[:, 2])[0, 1]) < 0.015


def test_every_seed_gives_other_particles(born: Callable[..., NDArray[np.void]]) -> None:
    """Large, negative and equal-looking seeds too."""
    few = {"bursts": [gp.Burst(count=100)], "capacity": 100, "shape": gp.Sphere(1)}
    seeds = (0, 1, -1, 2**31, 2**32, 2**32 + 1, 2**63, 12345678901234567890)
    places = {born(seed=seed, **few)["position"].tobytes() for seed in seeds}
    assert len(places) == len(seeds)
