"""What particles do between birth and death, against analytic answers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

import gpuparticles as gp

System = Callable[..., gp.ParticleSystem]
One = Callable[..., gp.Effect]
State = Callable[..., tuple[NDArray[np.float32], NDArray[np.float32]]]

RATES = (30, 60, 144)
ONE_SECOND = [(1, 1.0), (10, 0.1), (60, 1 / 60)]
FOUR_FORCES = (
    gp.Acceleration((0, -9.8, 0)),
    gp.Drag(0.5),
    gp.Radial(-6.0, center=(0, 2, 0), falloff=(1, 30)),
    gp.Vortex(4.0, axis=(0, 1, 0.2), center=(0.5, 0, 0)),
)


def matrix(
    place: tuple[float, float, float] = (0, 0, 0),
    *,
    turn: float = 0.0,
    scale: tuple[float, float, float] = (1, 1, 1),
) -> NDArray[np.float64]:
    """Scale, then turn by degrees about Z, then move."""
    c, s = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    made = np.eye(4)
    made[:3, :3] = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ np.diag(scale)
    made[:3, 3] = place
    return made


def play_one(
    particles: gp.ParticleSystem, effect: gp.Effect, transform: Any = (0, 0, 0)
) -> gp.EffectInstance:
    """Play an effect with a seed of its own that is always the same, on a path that begins here."""
    instance = particles.play(effect, seed=11, transform=transform)
    instance.teleport(transform)
    return instance


# Integration


@pytest.mark.parametrize(("count", "dt"), ONE_SECOND)
def test_drag_slows_as_the_exponential_says(
    system: System, one: One, count: int, dt: float
) -> None:
    particles = system()
    effect = one(
        bursts=[gp.Burst()], lifetime=2, velocity=(1, 0, 0), modifiers=[gp.Drag(3)], capacity=4
    )
    instance = play_one(particles, effect)
    for _ in range(count):
        particles.update(dt)
    (it,) = instance["it"].read()
    assert it["velocity"] == pytest.approx([math.exp(-3), 0, 0], abs=1e-6)
    assert it["position"] == pytest.approx([(1 - math.exp(-3)) / 3, 0, 0], abs=5e-4)


@pytest.mark.parametrize("max_step", [1 / 30, 10.0])
@pytest.mark.parametrize(("count", "dt"), ONE_SECOND)
def test_gravity_is_exact_for_any_step(
    system: System, one: One, max_step: float, count: int, dt: float
) -> None:
    particles = system(max_step=max_step)
    effect = one(
        bursts=[gp.Burst()],
        lifetime=2,
        velocity=(0, 10, 0),
        modifiers=[gp.Acceleration((0, -9.8, 0))],
    )
    instance = play_one(particles, effect)
    for _ in range(count):
        particles.update(dt)
    (it,) = instance["it"].read()
    assert it["position"][1] == pytest.approx(5.1, abs=1e-5)
    assert it["velocity"][1] == pytest.approx(0.2, abs=1e-5)


@pytest.mark.parametrize("rate", RATES)
def test_a_ramp_over_life_adds_up_to_its_area(
    system: System, one: One, state: State, rate: int
) -> None:
    """Over a life of 1 s, 10 falling to 0 makes 5.000; the dead keep their last velocity."""
    particles = system()
    ramp = gp.Acceleration((10, 0, 0), over_life=[(0, 1), (1, 0)])
    effect = one(bursts=[gp.Burst()], lifetime=1, speed=0, modifiers=[ramp], capacity=1)
    instance = play_one(particles, effect)
    for _ in range(rate + 1):
        particles.update(1 / rate)
    assert instance.live_count == 0
    _, velocity = state(instance["it"], slots=1)
    assert velocity[0, 0] == pytest.approx(5.0, abs=1e-3)


@pytest.mark.parametrize("rate", RATES)
def test_a_curve_over_life_of_many_segments_adds_up_to_its_area(
    system: System, one: One, state: State, rate: int
) -> None:
    """Held before its first stop, with a hard step, and held after its last."""
    particles = system()
    curve = [(0.2, 1), (0.4, 3), (0.5, 3), (0.5, -1), (0.6, -1), (0.8, 2)]
    push = gp.Acceleration((10, 0, 0), over_life=curve)
    effect = one(bursts=[gp.Burst()], lifetime=1, speed=0, modifiers=[push], capacity=1)
    instance = play_one(particles, effect)
    for _ in range(rate + 1):
        particles.update(1 / rate)
    _, velocity = state(instance["it"], slots=1)
    # 0.2 * 1 + 0.2 * 2 + 0.1 * 3 - 0.1 * 1 + 0.2 * 0.5 + 0.2 * 2
    area = 1.3
    # Within a step the curve counts as its middle: around a corner that is not quite its mean.
    assert velocity[0, 0] == pytest.approx(10 * area, abs=0.5 * (30 / rate) ** 2 / 30)


def test_terminal_speed_under_drag_at_30_steps_a_second(system: System, one: One) -> None:
    particles = system()
    forces = [gp.Acceleration((0, -10, 0)), gp.Drag(5)]
    effect = one(bursts=[gp.Burst()], lifetime=10, speed=0, modifiers=forces)
    instance = play_one(particles, effect)
    particles.update(6.0)
    (it,) = instance["it"].read()
    assert it["velocity"][1] == pytest.approx(-2.0, rel=5e-3)


def four_forces(t: float, y: NDArray[np.float64]) -> NDArray[np.float64]:
    """The equation of motion of FOUR_FORCES, from their documented formulas."""
    p, v = y[:3], y[3:]
    pull = p - (0, 2, 0)
    distance = np.linalg.norm(pull)
    reach = np.clip((30 - distance) / 29, 0, 1)
    around = np.cross((0, 1, 0.2), p - (0.5, 0, 0))
    a = -0.5 * v + (0, -9.8, 0)
    a = a - 6 * reach * pull / distance + 4 * around / np.linalg.norm(around)
    return np.concatenate([v, a])


@pytest.fixture
def end_of_four_forces(system: System, one: One) -> Callable[[int], NDArray[np.float64]]:
    """Where a particle under all four forces is after 2 s, by steps a second."""

    def run(rate: int) -> NDArray[np.float64]:
        particles = system(max_step=1 / rate)
        effect = one(
            bursts=[gp.Burst()], lifetime=5, velocity=(3, 6, 2), modifiers=FOUR_FORCES, capacity=1
        )
        instance = play_one(particles, effect)
        particles.update(2.0)
        (it,) = instance["it"].read()
        return np.array(it["position"])

    return run


def test_four_forces_end_at_the_same_place_at_any_rate(
    end_of_four_forces: Callable[[int], NDArray[np.float64]],
) -> None:
    """Within 0.5 % of how far they went; and that is where the equation of motion ends."""
    truth = solve_ivp(
        four_forces, (0, 2), [0, 0, 0, 3, 6, 2], rtol=1e-10, atol=1e-12, method="DOP853"
    ).y[:3, -1]
    distance = np.linalg.norm(truth)
    ends = {rate: end_of_four_forces(rate) for rate in RATES}
    for rate, end in ends.items():
        assert np.linalg.norm(end - ends[144]) <= 0.005 * distance, rate
        assert np.linalg.norm(end - truth) <= 0.005 * distance, rate


def test_four_forces_are_integrated_to_second_order(
    end_of_four_forces: Callable[[int], NDArray[np.float64]],
) -> None:
    """Half the step, a quarter of the error."""
    truth = solve_ivp(
        four_forces, (0, 2), [0, 0, 0, 3, 6, 2], rtol=1e-10, atol=1e-12, method="DOP853"
    ).y[:3, -1]
    coarse, fine = (np.linalg.norm(end_of_four_forces(rate) - truth) for rate in (15, 30))
    assert 3.3 < coarse / fine < 4.8


def test_a_split_update_is_bytewise_the_same_as_its_parts(
    system: System, one: One, state: State
) -> None:
    effect = one(
        rate=50, lifetime=(0.5, 2), speed=(1, 4), spread=60, modifiers=FOUR_FORCES, loop=True
    )
    particles = system()
    whole, parts = play_one(particles, effect), play_one(particles, effect)
    parts.pause()
    particles.update(1.0)
    parts.resume()
    whole.pause()
    for _ in range(30):
        particles.update(1 / 30)
    assert whole.live_count > 30
    for a, b in zip(state(whole["it"]), state(parts["it"]), strict=True):
        assert a.tobytes() == b.tobytes()


# Life


@pytest.mark.parametrize("rate", [7, 24, 30, 60, 144, 1000])
def test_a_particle_dies_where_its_lifetime_says(
    system: System, one: One, state: State, rate: int
) -> None:
    """1.013 s at 50 units/s end at 50.65, whether or not a step ends there."""
    particles = system(max_step=1.0)
    effect = one(bursts=[gp.Burst()], lifetime=1.013, velocity=(50, 0, 0), capacity=1)
    instance = play_one(particles, effect)
    for _ in range(math.ceil(1.1 * rate)):
        particles.update(1 / rate)
    assert instance.live_count == 0
    position, _ = state(instance["it"], slots=1)
    assert position[0, 0] == pytest.approx(50.65, abs=0.01)


@pytest.mark.parametrize("rate", [7, 30, 144])
def test_births_within_a_step_live_as_long_as_others(
    system: System, one: One, state: State, rate: int
) -> None:
    """Born at moments between the steps, and dying there, all go equally far."""
    particles = system(max_step=1.0)
    effect = one(rate=23, duration=0.9, lifetime=0.777, velocity=(50, 0, 0), capacity=32)
    instance = play_one(particles, effect)
    for _ in range(2 * rate):
        particles.update(1 / rate)
    assert instance.births == 20
    assert instance.live_count == 0
    position, _ = state(instance["it"], slots=min(20, instance["it"].capacity))
    went = position[position[:, 0] > 0, 0]
    assert len(went) >= 17
    assert went == pytest.approx(0.777 * 50, abs=0.01)


def test_a_life_of_300_seconds_is_exact_to_the_tick(system: System, one: One, state: State) -> None:
    """Age after 299 s, and the way gone at death; a tick is 2^-15 s for lives this long."""
    particles = system(max_step=1 / 30)
    effect = one(bursts=[gp.Burst()], lifetime=300, velocity=(0.25, 0, 0), capacity=1)
    instance = play_one(particles, effect)
    for _ in range(13):
        particles.update(23.0)
    (it,) = instance["it"].read()
    assert it["age"] == pytest.approx(299.0, abs=2**-15)
    assert it["position"][0] == pytest.approx(0.25 * 299, rel=1e-4)
    particles.update(0.999)
    assert instance.live_count == len(instance["it"].read()) == 1
    particles.update(0.002)
    assert instance.live_count == len(instance["it"].read()) == 0
    position, _ = state(instance["it"], slots=1)
    assert position[0, 0] == pytest.approx(75.0, rel=1e-4)


def test_immortals_stay_at_the_begin_of_their_life(system: System, one: One) -> None:
    """No curve over life ever moves on, and nothing dies."""
    particles = system()
    push = gp.Acceleration((1, 0, 0), over_life=[(0, 2), (1, 50)])
    effect = one(
        bursts=[gp.Burst(count=5)],
        lifetime=math.inf,
        speed=0,
        modifiers=[push],
        color_over_life=[(0, "#ffffff"), (1, "#00000000")],
    )
    instance = play_one(particles, effect)
    for _ in range(8):
        particles.update(5.0)
    found = instance["it"].read()
    assert instance.live_count == len(found) == 5
    assert np.all(np.isinf(found["lifetime"]))
    assert found["velocity"][:, 0] == pytest.approx(80.0, rel=1e-4)
    assert found["position"][:, 0] == pytest.approx(1600.0, rel=1e-4)
    assert np.array_equal(found["color"], np.ones((5, 4)))


# Forces


def test_an_orbit_keeps_its_radius_over_100_turns(system: System, one: One) -> None:
    """A turn a second at 60 steps a second; looked at all round the orbit."""
    particles = system(max_step=1 / 60)
    speed = 2 * math.pi
    pull = gp.Radial(-(speed**2), center=(0, 0, 0), space="world")
    effect = one(bursts=[gp.Burst()], lifetime=200, velocity=(0, speed, 0), modifiers=[pull])
    instance = play_one(particles, effect, transform=(1, 0, 0))
    radii = []
    for _ in range(96):
        particles.update(63 / 60)
        (it,) = instance["it"].read()
        radii.append(np.linalg.norm(it["position"]))
    assert it["age"] > 100
    assert max(abs(radius - 1) for radius in radii) < 0.01


@pytest.mark.parametrize("space", ["world", "local"])
@pytest.mark.parametrize(
    "force",
    [
        gp.Radial(50),
        gp.Radial(-50, falloff=(0, 3)),
        gp.Radial(-50, falloff=(0, 0)),
        gp.Vortex(50),
        gp.Vortex(-50, axis=(1, 2, 3), falloff=(2, 2)),
    ],
)
def test_at_its_own_centre_a_force_does_nothing(
    system: System, one: One, space: str, force: gp.Radial | gp.Vortex
) -> None:
    particles = system()
    effect = one(bursts=[gp.Burst(count=3)], lifetime=5, speed=0, modifiers=[force], space=space)
    instance = play_one(particles, effect, transform=(3, 4, 5))
    particles.update(1.0)
    found = instance["it"].read()
    assert np.array_equal(found["position"], np.tile([3.0, 4.0, 5.0], (3, 1)))
    assert not found["velocity"].any()


def test_on_its_axis_a_vortex_does_nothing(system: System, one: One) -> None:
    particles = system()
    effect = one(
        bursts=[gp.Burst()],
        lifetime=5,
        velocity=(0, 0, 2),
        modifiers=[gp.Vortex(9, axis=(0, 0, 7))],
    )
    instance = play_one(particles, effect)
    particles.update(1.0)
    (it,) = instance["it"].read()
    assert it["velocity"].tolist() == [0, 0, 2]
    assert it["position"] == pytest.approx([0, 0, 2])


def test_through_the_centre_everything_stays_finite(system: System, one: One) -> None:
    """Forth and back through the centre of a pull and of a vortex, also at step ends exactly."""
    particles = system()
    effect = one(
        bursts=[gp.Burst(count=200)],
        lifetime=60,
        speed=(0, 8),
        spread=180,
        modifiers=[
            gp.Radial(-30, falloff=(0, 1e30)),
            gp.Vortex(5),
            gp.Radial(-1e6, falloff=(0, 0)),
        ],
    )
    instance = play_one(particles, effect)
    for _ in range(10):
        particles.update(1.0)
        found = instance["it"].read()
        assert len(found) == 200
        assert np.all(np.isfinite(found["position"]))
        assert np.all(np.isfinite(found["velocity"]))


@pytest.mark.parametrize(
    ("distance", "factor"), [(0.5, 1.0), (1.0, 1.0), (2.0, 0.75), (4.0, 0.25), (5.0, 0), (9.0, 0)]
)
def test_falloff_is_linear_from_the_inner_to_the_outer_radius(
    system: System, one: One, distance: float, factor: float
) -> None:
    """From 1 to 5 units, for a pull and for a vortex."""
    particles = system(max_step=0.01)
    for force, direction in (
        (gp.Radial(-8, center=(0, 0, 0), falloff=(1, 5), space="world"), (-1, 0, 0)),
        (gp.Vortex(8, center=(0, 0, 0), falloff=(1, 5), space="world"), (0, 0, -1)),
    ):
        effect = one(bursts=[gp.Burst()], lifetime=5, speed=0, modifiers=[force])
        instance = play_one(particles, effect, transform=(distance, 0, 0))
        particles.update(0.01)
        (it,) = instance["it"].read()
        expected = 0.08 * factor * np.array(direction)
        assert it["velocity"] == pytest.approx(expected, abs=1e-6)
        instance.release()


def test_handedness(system: System, one: One) -> None:
    """Left turns against right; random is one or the other, for life and for every vortex."""

    def push(*vortices: gp.Vortex) -> NDArray[np.float32]:
        particles = system(max_step=0.01)
        effect = one(
            bursts=[gp.Burst(count=400)], lifetime=5, speed=0, modifiers=vortices, capacity=400
        )
        instance = play_one(particles, effect)
        particles.update(0.01)
        first = instance["it"].read()["velocity"]
        particles.update(0.01)
        # At so small a way the direction has hardly changed.
        assert instance["it"].read()["velocity"] == pytest.approx(2 * first, rel=1e-3, abs=1e-5)
        return np.asarray(first[:, 2])

    right, left, random = (
        push(gp.Vortex(1, center=(-9, 0, 0), handedness=hand))
        for hand in ("right", "left", "random")
    )
    assert right == pytest.approx(-0.01, abs=1e-7)
    assert left == pytest.approx(0.01, abs=1e-7)
    assert np.abs(random) == pytest.approx(0.01, abs=1e-7)
    assert 160 < np.count_nonzero(random > 0) < 240
    twice = push(
        gp.Vortex(1, center=(-9, 0, 0), handedness="random"),
        gp.Vortex(1, center=(-9, 0, 0), handedness="random"),
    )
    assert twice == pytest.approx(2 * random, abs=1e-7)


def test_variation_spreads_the_strength_evenly(system: System, one: One) -> None:
    """A fixed factor a particle, from 0.6 to 1.4 at 0.4; each modifier draws its own."""
    particles = system()
    effect = one(
        bursts=[gp.Burst(count=5000)],
        capacity=5000,
        lifetime=5,
        speed=0,
        modifiers=[
            gp.Acceleration((1, 0, 0), variation=0.4),
            gp.Acceleration((0, 1, 0), variation=0.4),
        ],
    )
    instance = play_one(particles, effect)
    particles.update(1.0)
    x, y = instance["it"].read()["velocity"][:, :2].T
    for factor in (x, y):
        assert 0.6 <= factor.min() < 0.602
        assert 1.398 < factor.max() <= 1.4 + 1e-5
        assert factor.mean() == pytest.approx(1.0, abs=0.01)
        assert factor.std() == pytest.approx(0.8 / math.sqrt(12), abs=0.005)
    assert abs(np.corrcoef(x, y)[0, 1]) < 0.05


def test_drag_never_drives(system: System, one: One) -> None:
    """A curve that makes the rate negative makes it 0."""
    particles = system()
    effect = one(
        bursts=[gp.Burst()], lifetime=2, velocity=(1, 0, 0), modifiers=[gp.Drag(3, over_life=-1)]
    )
    instance = play_one(particles, effect)
    particles.update(1.0)
    (it,) = instance["it"].read()
    assert it["velocity"].tolist() == [1, 0, 0]


def test_modifiers_keep_their_order(system: System, one: One, state: State) -> None:
    """It is visible in the bytes; an emitter's come before the effect's."""
    drag, push = gp.Drag(2), gp.Acceleration((3, -9.8, 1))

    def bytes_of(first: list[Any], then: list[Any]) -> bytes:
        particles = system()
        effect = one(
            bursts=[gp.Burst(count=20)],
            lifetime=3,
            speed=(1, 5),
            spread=90,
            modifiers=first,
            effect_modifiers=then,
        )
        instance = play_one(particles, effect)
        particles.update(1.0)
        position, velocity = state(instance["it"])
        return position[:20].tobytes() + velocity[:20].tobytes()

    assert bytes_of([drag, push], []) != bytes_of([push, drag], [])
    assert bytes_of([drag], [push]) == bytes_of([drag, push], []) == bytes_of([], [drag, push])
    assert bytes_of([push], [drag]) == bytes_of([push, drag], [])


@pytest.mark.parametrize("rate", RATES)
def test_rotation_turns_at_its_speed(system: System, one: One, rate: int) -> None:
    particles = system()
    effect = one(bursts=[gp.Burst()], lifetime=9, rotation=45, angular_velocity=-90)
    instance = play_one(particles, effect)
    for _ in range(5 * rate):
        particles.update(1 / rate)
    (it,) = instance["it"].read()
    assert (it["rotation"] - (45 - 450)) % 360 == pytest.approx(0, abs=0.01)


def test_rotation_and_its_speed_are_drawn_from_their_ranges(system: System, one: One) -> None:
    particles = system()
    effect = one(
        bursts=[gp.Burst(count=2000)],
        capacity=2000,
        lifetime=9,
        rotation=(-30, 60),
        angular_velocity=(10, 20),
    )
    instance = play_one(particles, effect)
    particles.update(1e-4)
    before = instance["it"].read()["rotation"]
    particles.update(1.0)
    turned = instance["it"].read()["rotation"] - before
    assert -30.1 <= before.min() < -29
    assert 59 < before.max() <= 60.1
    assert 9.99 <= turned.min() < 10.1
    assert 19.9 < turned.max() <= 20.01


# Births on the emitter's path


def test_births_lie_evenly_on_the_path(system: System, one: One) -> None:
    """Ten births while the emitter moves ten units: at 1, 2, ... 10, over a split update too."""
    particles = system()
    instance = play_one(particles, one(rate=100, lifetime=5, speed=0, loop=True))
    instance.transform = (10, 0, -5)
    particles.update(0.1)
    found = instance["it"].read()
    expected = np.outer(np.arange(1, 11), [1, 0, -0.5])
    assert found["position"] == pytest.approx(expected, abs=1e-5)


def test_births_turn_with_the_path(system: System, one: One) -> None:
    """On a quarter turn the launch axis sweeps evenly, along the arc and not along its chord.

    To 1e-4: how exact acos is, on which the arc depends, GLSL leaves to the driver.
    """
    particles = system()
    instance = play_one(particles, one(rate=100, lifetime=5, speed=2, loop=True))
    instance.transform = matrix((10, 0, 0), turn=90)
    particles.update(0.1)
    found = instance["it"].read()
    angle = np.radians(9.0 * np.arange(1, 11))
    velocity = 2 * np.stack([-np.sin(angle), np.cos(angle), np.zeros(10)], axis=1)
    birth = np.outer(np.arange(1, 11), [1, 0, 0])
    assert found["velocity"] == pytest.approx(velocity, abs=1e-4)
    age = 0.01 * np.arange(9, -1, -1)
    assert found["position"] == pytest.approx(birth + velocity * age[:, None], abs=1e-4)


def test_births_take_the_shorter_arc(system: System, one: One) -> None:
    """From 170 to 190 degrees the way leads through 180, whatever the quaternions' signs."""
    particles = system()
    effect = one(rate=100, lifetime=5, speed=1, loop=True)
    instance = play_one(particles, effect, transform=matrix(turn=170))
    instance.transform = matrix(turn=190)
    particles.update(0.1)
    x, y, _ = instance["it"].read()["velocity"].T
    assert np.degrees(np.arctan2(-x, y)) % 360 == pytest.approx(172 + 2.0 * np.arange(10), abs=0.01)


def test_the_scale_grows_along_the_path(system: System, one: One) -> None:
    particles = system()
    effect = one(rate=100, lifetime=5, speed=0, shape=gp.Sphere(1), loop=True)
    still, growing = play_one(particles, effect), play_one(particles, effect)
    growing.transform = matrix(scale=(3, 3, 3))
    particles.update(0.1)
    factor = 1 + 0.2 * np.arange(1, 11)
    expected = still["it"].read()["position"] * factor[:, None]
    assert growing["it"].read()["position"] == pytest.approx(expected, abs=1e-5)


def test_the_path_goes_on_from_update_to_update(system: System, one: One) -> None:
    """A zigzag: births lie on its legs, also when nothing was due on one of them."""
    particles = system()
    instance = play_one(particles, one(rate=10, lifetime=5, speed=0, loop=True))
    for corner in ((1, 0, 0), (1, 1, 0), (1, 1, 1), (0, 1, 1), (0, 0, 1)):
        instance.transform = corner
        particles.update(0.06)
    # Births at 0.1, 0.2, 0.3 s: on the second leg, the fourth, and at the end of the fifth.
    expected = [[1, 2 / 3, 0], [2 / 3, 1, 1], [0, 0, 1]]
    assert instance["it"].read()["position"] == pytest.approx(np.array(expected), abs=1e-4)


def test_the_path_begins_with_the_first_update(system: System, one: One, state: State) -> None:
    """Where the effect was put before it leaves no trace, not even in the bytes."""
    particles = system()
    effect = one(rate=100, lifetime=5, spread=30, loop=True)
    moved = particles.play(effect, seed=1, transform=(3, 0, 0))
    moved.transform = (1e6, 5, 0)
    there = particles.play(effect, seed=1, transform=(1e6, 5, 0))
    particles.update(0.1)
    for a, b in zip(state(moved["it"]), state(there["it"]), strict=True):
        assert a[:10].tobytes() == b[:10].tobytes()


def test_the_first_update_has_no_path_but_the_second_has(system: System, one: One) -> None:
    particles = system()
    instance = particles.play(one(rate=100, lifetime=5, speed=0, loop=True), transform=(3, 0, 0))
    instance.transform = (5, 0, 0)
    particles.update(0.1)
    instance.transform = (6, 0, 0)
    particles.update(0.1)
    x = instance["it"].read()["position"][:, 0]
    assert x[:10] == pytest.approx(5, abs=1e-5)
    assert x[10:] == pytest.approx(5 + 0.1 * np.arange(1, 11), abs=1e-5)


def test_teleport_breaks_the_path(system: System, one: One) -> None:
    particles = system()
    instance = play_one(particles, one(rate=100, lifetime=5, speed=0, loop=True))
    instance.transform = (1, 0, 0)
    particles.update(0.1)
    instance.teleport((500, 0, 0))
    particles.update(0.1)
    instance.transform = (510, 0, 0)
    particles.update(0.1)
    x = instance["it"].read()["position"][:, 0]
    assert x[:10] == pytest.approx(0.1 * np.arange(1, 11), abs=1e-4)
    assert x[10:20] == pytest.approx(500, abs=1e-4)
    assert x[20:] == pytest.approx(500 + np.arange(1, 11), abs=1e-4)


def test_a_burst_is_born_where_the_emitter_was_at_its_moment(system: System, one: One) -> None:
    particles = system()
    effect = one(bursts=[gp.Burst(0, 3), gp.Burst(0.025, 3)], lifetime=5, speed=0)
    instance = play_one(particles, effect, transform=(2, 0, 0))
    instance.transform = (6, 0, 0)
    particles.update(0.1)
    x = instance["it"].read()["position"][:, 0]
    assert x == pytest.approx([2, 2, 2, 3, 3, 3], abs=1e-5)


# Scale and mirror


@pytest.mark.parametrize("space", ["world", "local"])
def test_scale_and_mirror_act_on_places_and_directions_at_birth(
    system: System, one: One, space: str
) -> None:
    """Not on speed, not on size, and not on what happens later."""
    particles = system()
    effect = one(
        bursts=[gp.Burst(count=50)],
        lifetime=5,
        speed=3,
        spread=70,
        size=2,
        shape=gp.Box((1, 2, 3)),
        space=space,
    )
    scales = [
        (3, 3, 3), (-1, 1, 1), (1, -1, 1), (1, 1, -2), (-1, -1, -1), (0.5, 4, 1), (2, 0, 1)
    ]  # fmt: skip
    plain = play_one(particles, effect)
    scaled = [
        play_one(particles, effect, transform=matrix((7, 8, 9), turn=30, scale=scale))
        for scale in scales
    ]
    particles.update(0.5)
    before = plain["it"].read()
    turn = matrix(turn=30)[:3, :3]
    for scale, instance in zip(scales, scaled, strict=True):
        after = instance["it"].read()
        velocity = before["velocity"] * scale
        velocity = 3 * velocity / np.linalg.norm(velocity, axis=1, keepdims=True) @ turn.T
        birth = (before["position"] - 0.5 * before["velocity"]) * scale @ turn.T + (7, 8, 9)
        assert after["velocity"] == pytest.approx(velocity, abs=1e-5)
        assert after["position"] == pytest.approx(birth + 0.5 * velocity, abs=5e-5)
        assert np.array_equal(after["size"], before["size"])


def test_at_scale_0_all_is_born_at_the_place_and_stays(system: System, one: One) -> None:
    particles = system()
    effect = one(bursts=[gp.Burst(count=20)], lifetime=5, speed=3, spread=90, shape=gp.Sphere(2))
    instance = play_one(particles, effect, transform=matrix((1, 2, 3), scale=(0, 0, 0)))
    particles.update(0.5)
    found = instance["it"].read()
    assert np.array_equal(found["position"], np.tile([1.0, 2.0, 3.0], (20, 1)))
    assert not found["velocity"].any()


def test_a_shear_acts_on_places_and_directions(system: System, one: One) -> None:
    particles = system()
    effect = one(bursts=[gp.Burst(count=30)], lifetime=5, speed=2, spread=50, shape=gp.Sphere(1))
    shear = np.eye(4)
    shear[:3, :3] = [[1, 0.7, 0.2], [0, 1, 0], [-0.3, 0, 2]]
    plain, sheared = play_one(particles, effect), play_one(particles, effect, transform=shear)
    particles.update(1e-3)
    before, after = plain["it"].read(), sheared["it"].read()
    velocity = before["velocity"] @ shear[:3, :3].T
    velocity *= 2 / np.linalg.norm(velocity, axis=1, keepdims=True)
    assert after["velocity"] == pytest.approx(velocity, abs=1e-5)
    birth = (before["position"] - 1e-3 * before["velocity"]) @ shear[:3, :3].T
    assert after["position"] == pytest.approx(birth + 1e-3 * velocity, abs=1e-5)


# World and local space


def test_world_space_particles_are_free_once_born(system: System, one: One) -> None:
    particles = system()
    effect = one(bursts=[gp.Burst()], lifetime=5, velocity=(0, 1, 0))
    instance = play_one(particles, effect)
    particles.update(0.5)
    instance.transform = matrix((100, 50, 0), turn=77, scale=(2, 2, 2))
    particles.update(0.5)
    (it,) = instance["it"].read()
    assert it["position"] == pytest.approx([0, 1, 0], abs=1e-5)
    assert it["velocity"].tolist() == [0, 1, 0]


def test_local_space_particles_are_carried_and_turned_but_not_scaled(
    system: System, one: One
) -> None:
    particles = system()
    effect = one(bursts=[gp.Burst()], lifetime=5, velocity=(0, 1, 0), space="local")
    instance = play_one(particles, effect)
    particles.update(0.5)
    instance.transform = matrix((100, 50, 0), turn=90, scale=(2, 2, 2))
    particles.update(0.5)
    (it,) = instance["it"].read()
    assert it["position"] == pytest.approx([99, 50, 0], abs=1e-5)
    assert it["velocity"] == pytest.approx([-1, 0, 0], abs=1e-6)


def spun(particles: gp.ParticleSystem, effect: gp.Effect, spin: float, rate: int) -> np.void:
    """A particle after 1.5 s under an emitter that spins about Z, by so many radians a second."""
    instance = play_one(particles, effect)
    for step in range(1, round(1.5 * rate) + 1):
        instance.transform = matrix(turn=math.degrees(spin * step / rate))
        particles.update(1 / rate)
    (it,) = instance["it"].read()
    return it


def of_a_spin(force: float, spin: float, rate: int) -> float:
    """Twice what a sum over midpoints differs from the integral of a turning force."""
    return 2 * (spin / rate) ** 2 / 24 * abs(2 * force / spin) + 1e-3


SPINS = [(1.0, 30), (2 * math.pi, 30), (2 * math.pi, 144), (-12.0, 60)]


@pytest.mark.parametrize(("spin", "rate"), SPINS)
def test_world_forces_are_turned_into_a_spinning_local_frame(
    system: System, one: One, spin: float, rate: int
) -> None:
    """Gravity in a frame that spins: the frame's equation has a closed solution.

    No force is lost because the frame turns within a step; 30 steps a second are one in 12 degrees.
    """
    effect = one(
        bursts=[gp.Burst()],
        lifetime=5,
        speed=0,
        space="local",
        modifiers=[gp.Acceleration((0, -9.8, 0))],
    )
    it = spun(system(), effect, spin, rate)
    # In the plane as complex numbers: p'' = g exp(-i w t) in the frame, turned into the world.
    g, w, t = -9.8j, spin, 1.5
    back = np.exp(-1j * w * t)
    velocity = g * (back - 1) / (-1j * w)
    position = g / (-1j * w) * ((back - 1) / (-1j * w) - t)
    position, velocity = position / back, velocity / back
    tolerance = of_a_spin(abs(g), spin, rate)
    assert it["position"] == pytest.approx([position.real, position.imag, 0], abs=tolerance)
    assert it["velocity"] == pytest.approx([velocity.real, velocity.imag, 0], abs=tolerance)


@pytest.mark.parametrize(("spin", "rate"), SPINS)
def test_a_spinning_emitters_forces_act_on_free_particles(
    system: System, one: One, spin: float, rate: int
) -> None:
    effect = one(
        bursts=[gp.Burst()],
        lifetime=5,
        speed=0,
        modifiers=[gp.Acceleration((5, 0, 0), space="emitter")],
    )
    it = spun(system(), effect, spin, rate)
    a, w, t = 5.0, spin, 1.5
    turned = np.exp(1j * w * t)
    velocity = a * (turned - 1) / (1j * w)
    position = a / (1j * w) * ((turned - 1) / (1j * w) - t)
    tolerance = of_a_spin(a, spin, rate)
    assert it["velocity"] == pytest.approx([velocity.real, velocity.imag, 0], abs=tolerance)
    assert it["position"] == pytest.approx([position.real, position.imag, 0], abs=tolerance)


def test_a_turn_within_one_long_update_is_followed_step_by_step(system: System, one: One) -> None:
    """A quarter turn in half a second: the force sweeps along the arc, at its full strength."""
    particles = system()
    effect = one(
        bursts=[gp.Burst()],
        lifetime=5,
        speed=0,
        modifiers=[gp.Acceleration((5, 0, 0), space="emitter")],
    )
    instance = play_one(particles, effect)
    instance.transform = matrix(turn=90)
    particles.update(0.5)
    (it,) = instance["it"].read()
    spin = math.pi  # radians a second
    tolerance = of_a_spin(5, spin, 30)
    assert it["velocity"] == pytest.approx([5 / spin, 5 / spin, 0], abs=tolerance)
    assert np.linalg.norm(it["velocity"]) > 5 / spin * math.sqrt(2)  # a chord would be shorter


def test_a_pull_to_the_emitter_follows_it(system: System, one: One) -> None:
    """The emitter runs ahead, so that the pull always points along X."""
    particles = system()
    effect = one(bursts=[gp.Burst()], lifetime=5, speed=0, modifiers=[gp.Radial(-4)])
    instance = play_one(particles, effect)
    for step in range(1, 31):
        instance.transform = (step / 3, 0, 0)
        particles.update(1 / 30)
    (it,) = instance["it"].read()
    assert it["velocity"] == pytest.approx([4, 0, 0], abs=1e-4)
    assert it["position"] == pytest.approx([2, 0, 0], abs=1e-4)


def test_axis_and_centre_turn_with_the_emitter(system: System, one: One) -> None:
    """Turned by 90 degrees about Z, a vortex round +Y at (1, 0, 0) turns round -X at (0, 1, 0)."""
    particles = system(max_step=0.01)
    force = gp.Vortex(5, axis=(0, 1, 0), center=(1, 0, 0))
    effect = one(bursts=[gp.Burst()], lifetime=5, speed=0, modifiers=[force])
    instance = play_one(particles, effect, transform=matrix((9, 9, 9), turn=90))
    particles.update(0.01)
    (it,) = instance["it"].read()
    # (-1, 0, 0) x (0, -1, 0) = (0, 0, 1)
    assert it["velocity"] == pytest.approx([0, 0, 0.05], abs=1e-6)


def test_world_points_stay_where_they_are_for_carried_particles(system: System, one: One) -> None:
    """A local particle, carried along X by a turned emitter, is pulled to a point on X."""
    particles = system()
    pull = gp.Radial(-2, center=(50, 0, 0), space="world")
    effect = one(bursts=[gp.Burst()], lifetime=5, speed=0, space="local", modifiers=[pull])
    instance = play_one(particles, effect, transform=matrix((5, 0, 0), turn=90))
    for step in range(1, 31):
        instance.transform = matrix((5 + step / 30, 0, 0), turn=90)
        particles.update(1 / 30)
    (it,) = instance["it"].read()
    assert it["velocity"] == pytest.approx([2, 0, 0], abs=1e-4)
    assert it["position"] == pytest.approx([5 + 1 + 1, 0, 0], abs=1e-4)


def test_world_points_do_not_move_with_a_free_particles_emitter(system: System, one: One) -> None:
    particles = system()
    pull = gp.Radial(-2, center=(50, 0, 0), space="world")
    effect = one(bursts=[gp.Burst()], lifetime=5, speed=0, modifiers=[pull])
    instance = play_one(particles, effect, transform=(5, 0, 0))
    for step in range(1, 31):
        instance.transform = matrix((5, 10 * step, 0), turn=12 * step)
        particles.update(1 / 30)
    (it,) = instance["it"].read()
    assert it["velocity"] == pytest.approx([2, 0, 0], abs=1e-4)
    assert it["position"] == pytest.approx([6, 0, 0], abs=1e-4)


# Anchors


@pytest.mark.parametrize("space", ["world", "local"])
@pytest.mark.parametrize("modifier_space", ["world", "emitter"])
def test_a_million_units_away_all_moves_as_at_the_origin(
    system: System, one: One, space: str, modifier_space: str
) -> None:
    """By a hundredth of a unit a step, which float32 could not even represent out there."""
    away = np.array([1e6, -1e6, 1e6])
    particles = system()

    def effect(origin: NDArray[np.float64]) -> gp.Effect:
        center = (origin if modifier_space == "world" else 0) + np.array([1.5, 0.5, 0])
        return one(
            rate=60,
            lifetime=(0.5, 1.5),
            shape=gp.Sphere(0.2),
            speed=(0.5, 1),
            spread=30,
            space=space,
            loop=True,
            modifiers=[
                gp.Acceleration((0, -1, 0), space=modifier_space),
                gp.Radial(-2, center=center, space=modifier_space, falloff=(0, 4)),
                gp.Vortex(1, center=center, space=modifier_space),
            ],
        )

    instances = {}
    for name, origin in (("near", np.zeros(3)), ("far", away)):
        instances[name] = play_one(particles, effect(origin), transform=origin)
    for step in range(1, 91):
        for name, origin in (("near", np.zeros(3)), ("far", away)):
            move = matrix(turn=step)
            move[:3, 3] = origin + np.array([0.01 * step, 0, 0])
            instances[name].transform = move
        particles.update(1 / 60)
    near, far = instances["near"]["it"].read(), instances["far"]["it"].read()
    assert len(near) > 30
    assert np.array_equal(near["number"], far["number"])
    assert far["position"] - away == pytest.approx(near["position"], abs=1e-5)
    assert far["velocity"] == pytest.approx(near["velocity"], abs=1e-5)


@pytest.mark.parametrize("max_step", [1 / 30, 1 / 100])
def test_a_travelling_emitter_leaves_its_trail_where_it_was(
    system: System, one: One, max_step: float
) -> None:
    """10,000 units along X, 30 along Y: every birth is on the path, whichever anchor it had.

    Along X to what float32 holds at the distance from the emitter; the others add 300 steps.
    """
    particles = system(max_step=max_step)
    effect = one(rate=40, lifetime=20, velocity=(0, 0, 2), loop=True, capacity=500)
    instance = play_one(particles, effect)
    anchors = set()
    for step in range(1, 301):
        x = 10_000 * step / 300
        instance.transform = (x, 0.003 * x, 0)
        particles.update(1 / 30)
        anchors.add(instance._anchor)
        if step % 10:
            continue
        found = instance["it"].read()
        moment = (found["number"] + 1) / 40
        expected = np.stack([1000 * moment, 3 * moment, 2 * (step / 30 - moment)], axis=1)
        off = np.abs(found["position"] - expected)
        distance = np.abs(x - found["position"][:, 0])
        assert np.all(off[:, 0] <= 5e-4 + 2e-6 * distance)
        assert np.all(off[:, 1:] <= 5e-4)
    assert len(anchors) >= 5
    assert all(coordinate % 1024 == 0 for anchor in anchors for coordinate in anchor)


def test_a_moving_anchor_disturbs_nobody(system: System, one: One) -> None:
    """Particles that stay behind, under forces in the world, move as if their emitter had stayed.

    It leaves for 10,000 units and comes back within 120 steps; each moves a particle twice, and
    10,000 units from the anchor float32 rounds that by up to 1/2048. Typically by a tenth of it.
    """
    particles = system()
    effect = one(
        bursts=[gp.Burst(count=60)],
        lifetime=30,
        speed=(0, 2),
        spread=180,
        shape=gp.Box((3, 3, 3)),
        modifiers=[
            gp.Drag(0.5),
            gp.Radial(-2, center=(0.5, 40, 0), space="world"),
            gp.Vortex(1, center=(0.5, -40, 0), space="world"),
        ],
    )
    stays, leaves = play_one(particles, effect), play_one(particles, effect)
    anchors = set()
    for step in range(1, 121):
        out = 1 - abs(step - 60) / 60
        leaves.transform = (10_000 * out, 0, -5_000 * out)
        particles.update(1 / 60)
        anchors.add(leaves._anchor)
        gap = leaves["it"].read()["position"] - stays["it"].read()["position"]
        assert np.abs(gap).max() < 240 / 2048
        assert np.abs(gap).mean() < 24 / 2048
    assert len(anchors) >= 5


def test_emitter_points_follow_over_a_moving_anchor(system: System, one: One) -> None:
    """A pull to the emitter points at it in the very step in which the anchor moves."""
    particles = system()
    effect = one(bursts=[gp.Burst()], lifetime=90, speed=0, modifiers=[gp.Radial(-4)])
    instance = play_one(particles, effect)
    for step in range(1, 181):
        instance.transform = (30.0 * step, 0, 0)
        particles.update(1 / 60)
        (it,) = instance["it"].read()
        assert it["velocity"] == pytest.approx([4 * step / 60, 0, 0], abs=1e-3)
    assert it["position"][0] == pytest.approx(18.0, abs=5e-3)


def test_a_far_teleport_leaves_the_living_where_they_are(system: System, one: One) -> None:
    particles = system()
    effect = one(bursts=[gp.Burst()], rate=10, lifetime=20, velocity=(1, 0, 0), loop=True)
    instance = play_one(particles, effect)
    particles.update(0.05)
    instance.teleport((50_000, 0, 0))
    particles.update(0.05)
    instance.teleport((0, 0, 0))
    particles.update(0.05)
    x = instance["it"].read()["position"][:, 0]
    assert x[0] == pytest.approx(0.15, abs=0.01)
    assert x[1] == pytest.approx(50_000.05, abs=0.01)


def test_local_particles_travel_without_an_anchor(system: System, one: One, state: State) -> None:
    """They are relative to their emitter: a journey changes no byte of them."""
    particles = system()
    effect = one(
        rate=40, lifetime=(1, 3), speed=(1, 2), spread=40, space="local", loop=True,
        modifiers=[gp.Drag(0.5), gp.Radial(-3, center=(0, 1, 0)), gp.Acceleration((0, -1, 0))],
    )  # fmt: skip
    stays, leaves = play_one(particles, effect), play_one(particles, effect)
    for step in range(1, 91):
        leaves.transform = (200.0 * step, 7.0 * step, 0)
        particles.update(1 / 30)
    for a, b in zip(state(stays["it"]), state(leaves["it"]), strict=True):
        assert a.tobytes() == b.tobytes()
    gap = leaves["it"].read()["position"] - stays["it"].read()["position"]
    assert gap == pytest.approx(np.tile([18_000, 630, 0], (len(gap), 1)), abs=1e-9)
