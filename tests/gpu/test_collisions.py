"""Constraints: what particles bounce off, lie on, stick to, wrap round in and die of."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import gpuparticles as gp
from gpuparticles.playback.reference import Reference
from tests.gpu.conftest import assert_same_particles

System = Callable[..., gp.ParticleSystem]
One = Callable[..., gp.Effect]
GRAVITY = gp.Acceleration((0, -9.8, 0))


def dropped(one: One, *modifiers: Any, height: float = 2.0, **settings: Any) -> gp.Effect:
    """One particle that falls from a height."""
    given: dict[str, Any] = {
        "bursts": [gp.Burst()],
        "lifetime": 100,
        "speed": 0,
        "shape": gp.Point(offset=(0, height, 0)),
        "modifiers": [GRAVITY, *modifiers],
    }
    return one(**given | settings)


def heights(particles: gp.ParticleSystem, effect: gp.Effect, dt: float, seconds: float) -> Any:
    """How high the particle is after each step."""
    instance = particles.play(effect)
    found = []
    for _ in range(round(seconds / dt)):
        particles.update(dt)
        found.append(instance["it"].read()["position"][0, 1])
    return np.array(found)


@pytest.mark.parametrize("rate", [30, 60, 144])
def test_a_bounce_reaches_the_square_of_its_restitution(
    system: System, one: One, rate: int
) -> None:
    """A quarter of the height at one half, at any step length, and never below the floor."""
    effect = dropped(one, gp.CollidePlane(restitution=0.5))
    y = heights(system(), effect, 1 / rate, 1.6)

    fall = math.sqrt(2 * 2 / 9.8)
    times = np.arange(1, len(y) + 1) / rate
    after = y[(times > fall) & (times < 2 * fall)]
    # Between two steps the apex may be missed by g dt^2 / 8.
    assert after.max() == pytest.approx(0.5, abs=0.01)
    assert after.max() <= 0.5 + 1e-4
    assert y.min() >= 0.0


def test_a_bounce_is_exact_within_its_step(system: System, one: One) -> None:
    """The velocity is that of the moment of the hit, and the rest of the step is flown."""
    effect = dropped(one, gp.CollidePlane(restitution=0.8, friction=0.25), height=1.0)
    particles = system(max_step=0.2)
    instance = particles.play(effect)
    particles.update(0.6)
    (found,) = instance["it"].read()

    hit = math.sqrt(2 / 9.8)
    up = 0.8 * 9.8 * hit
    rest = 0.6 - hit
    assert found["position"][1] == pytest.approx(up * rest - 4.9 * rest**2, abs=1e-5)
    assert found["velocity"][1] == pytest.approx(up - 9.8 * rest, abs=1e-5)


@pytest.mark.parametrize("normal", [(0, 1, 0), (0.3, 1, -0.2)])
@pytest.mark.parametrize("rate", [30, 144])
def test_what_lies_does_not_move_at_all(
    system: System, one: One, normal: tuple[float, float, float], rate: int
) -> None:
    """Neither place, nor velocity, nor turn, to the bit; on a slope by friction."""
    floor = gp.CollidePlane(normal, restitution=0.4, friction=0.6)
    effect = dropped(one, floor, velocity=(0.7, -1, 0.2), angular_velocity=90, height=0.5)
    particles = system()
    instance = particles.play(effect)
    for _ in range(4 * rate):
        particles.update(1 / rate)
    before = instance["it"].read()
    for _ in range(10 * 30):
        particles.update(1 / 30)
    after = instance["it"].read()

    assert np.array_equal(before["position"], after["position"])
    assert np.array_equal(before["rotation"], after["rotation"])
    assert not after["velocity"].any()
    assert after["position"][0] @ np.array(normal) >= -1e-6


def test_without_friction_a_slope_is_slid_down(system: System, one: One) -> None:
    """With the acceleration g sin(angle) along it; with friction less by its coefficient."""
    slope = (math.sin(math.radians(30)), math.cos(math.radians(30)), 0)
    for friction in (0.0, 0.2):
        floor = gp.CollidePlane(slope, restitution=0, friction=friction)
        particles = system()
        instance = particles.play(dropped(one, floor, height=0))
        particles.update(1.0)
        (found,) = instance["it"].read()
        brake = friction / (1 - friction) * slope[1]
        speed = 9.8 * (slope[0] - brake)
        assert np.linalg.norm(found["velocity"]) == pytest.approx(speed, rel=1e-3)
        assert np.linalg.norm(found["position"]) == pytest.approx(speed / 2, rel=1e-2)


@pytest.mark.parametrize(("friction", "kept"), [(0, 1), (0.25, 0.75), (1, 0)])
def test_a_hit_takes_its_part_of_the_speed_along(
    system: System, one: One, friction: float, kept: float
) -> None:
    floor = gp.CollidePlane(restitution=1, friction=friction)
    effect = dropped(one, floor, velocity=(3, 0, 0), height=1)
    particles = system()
    instance = particles.play(effect)
    particles.update(0.6)

    assert instance["it"].read()["velocity"][0, 0] == pytest.approx(3 * kept, abs=1e-5)


def test_the_radius_keeps_a_distance(system: System, one: One) -> None:
    """As units, and as a factor of the size at this age."""
    floor = gp.CollidePlane(restitution=0, particle_radius=0.1, radius_factor=0.5)
    effect = dropped(one, floor, size=0.25, size_over_life=3.2, height=1)
    y = heights(system(), effect, 1 / 30, 2)

    assert y[-1] == pytest.approx(0.5, abs=1e-6)
    assert y.min() >= 0.5 - 1e-6


def test_what_sticks_stays_for_good(system: System, one: One) -> None:
    """On a ceiling too, from which it is pulled."""
    ceiling = gp.CollidePlane((0, -1, 0), (0, 3, 0), on_hit="stick")
    effect = dropped(one, ceiling, velocity=(1, 8, 0), angular_velocity=90)
    particles = system()
    instance = particles.play(effect)
    particles.update(1.0)
    before = instance["it"].read()
    for _ in range(100):
        particles.update(1 / 60)
    after = instance["it"].read()

    assert before["position"][0, 1] == pytest.approx(3, abs=1e-6)
    assert np.array_equal(before["position"], after["position"])
    assert np.array_equal(before["rotation"], after["rotation"])
    assert not after["velocity"].any()


def test_particles_settle_in_a_corner(system: System, one: One) -> None:
    """Of a floor and two walls, into which they are pressed."""
    corner = [gp.CollidePlane(n, restitution=0.5) for n in ((0, 1, 0), (1, 0, 0), (0, 0, 1))]
    effect = one(
        bursts=[gp.Burst(count=50)],
        lifetime=100,
        shape=gp.Box(half=(0.5, 0.5, 0.5), offset=(1, 1, 1)),
        speed=(0, 3),
        spread=180,
        modifiers=[gp.Acceleration((-3, -9.8, -2)), *corner],
    )
    particles = system()
    instance = particles.play(effect)
    for _ in range(10 * 60):
        particles.update(1 / 60)
    before = instance["it"].read()
    for _ in range(60):
        particles.update(1 / 60)
    after = instance["it"].read()

    assert len(after) == 50
    assert np.array_equal(before["position"], after["position"])
    assert np.abs(after["position"]).max() < 1e-5
    assert after["position"].min() >= 0


def test_nothing_is_lost_behind_planes_that_press_from_both_sides(system: System, one: One) -> None:
    """A gap of 0.1 at 100 units/s: thirty hits a step."""
    walls = [gp.CollidePlane((s, 0, 0), (-0.05 * s, 0, 0), restitution=1) for s in (1, -1)]
    effect = one(bursts=[gp.Burst(count=20)], lifetime=9, velocity=((-100, 100), 0, 0))
    effect = gp.Effect("gap", effect.emitters, loop=False, modifiers=walls)
    particles = system()
    instance = particles.play(effect)
    for _ in range(60):
        particles.update(1 / 30)
        assert np.abs(instance["it"].read()["position"][:, 0]).max() <= 0.05 + 1e-6


# Spheres and boxes

SOLIDS = [
    gp.CollideSphere((0, 5, 0), 0.025),
    gp.CollideBox((0, 5, 0), (1, 0.025, 1)),
    gp.CollideBox((0, 5, 0), (1, 0.025, 1), faces="top"),
    gp.CollidePlane((0, 1, 0), (0, 5, 0)),
]


@pytest.mark.parametrize("solid", SOLIDS, ids=lambda solid: solid.kind)
@pytest.mark.parametrize("speed", [3, 100, 1000])
def test_nothing_gets_through_a_thin_plate(
    system: System, one: One, solid: Any, speed: float
) -> None:
    """Of 0.05, at 33 units a step: what comes down on it is thrown up again."""
    effect = one(
        bursts=[gp.Burst(count=20)],
        lifetime=9,
        shape=gp.Point(offset=(0, 6.234, 0)),
        velocity=(0, (-speed, -0.9 * speed), 0),
        modifiers=[solid],
    )
    particles = system()
    instance = particles.play(effect)
    for _ in range(30):
        particles.update(1 / 30)
        found = instance["it"].read()
        assert found["position"][:, 1].min() >= 5
    assert np.all(found["velocity"][:, 1] > 0.4 * speed)


def test_a_top_lets_through_what_comes_from_below(system: System, one: One) -> None:
    """And from the side; then it carries it."""
    plate = gp.CollideBox((0, 1, 0), (1, 0.1, 1), faces="top", restitution=0)
    effect = dropped(one, plate, velocity=(0, 6, 0), height=0)
    y = heights(system(), effect, 1 / 30, 3)

    assert y.max() > 1.5
    assert y[-1] == pytest.approx(1.1, abs=1e-6)


HOLLOWS = [
    gp.CollideSphere((1, 2, 3), 0.5, inside=True),
    gp.CollideBox((1, 2, 3), (0.5, 0.4, 0.3), faces="inside"),
]


@pytest.mark.parametrize("hollow", HOLLOWS, ids=lambda hollow: hollow.kind)
@pytest.mark.parametrize("restitution", [1, 0.5])
def test_nothing_leaves_a_hollow(system: System, one: One, hollow: Any, restitution: float) -> None:
    """At many hits a step; and at last all lie at the bottom, without any motion."""
    hollow = replace(hollow, restitution=restitution, friction=0.5)
    effect = one(
        bursts=[gp.Burst(count=100)],
        lifetime=100,
        shape=gp.Point(offset=(1, 2, 3)),
        speed=(0, 60),
        spread=180,
        modifiers=[GRAVITY, hollow],
    )
    particles = system()
    instance = particles.play(effect)
    for _ in range(100):
        particles.update(1 / 30)
        away = instance["it"].read()["position"] - (1, 2, 3)
        if isinstance(hollow, gp.CollideSphere):
            assert np.linalg.norm(away, axis=1).max() <= 0.5 + 1e-5
        else:
            assert np.all(np.abs(away) <= np.array((0.5, 0.4, 0.3)) + 1e-6)
    if restitution == 0.5:
        for _ in range(300):
            particles.update(1 / 30)
        before = instance["it"].read()
        particles.update(1.0)
        after = instance["it"].read()
        assert not after["velocity"].any()
        assert np.array_equal(before["position"], after["position"])
        assert after["position"][:, 1].max() < 2


def test_a_ball_throws_back_along_its_normal(system: System, one: One) -> None:
    """Hit 45 degrees beside its top, from above: what falls goes on level."""
    ball = gp.CollideSphere((0, 0, 0), 1, restitution=1)
    half = math.sqrt(0.5)
    place = gp.Point(offset=(half, half + 1, 0))
    effect = dropped(one, velocity=(0, -5, 0), shape=place, modifiers=[ball])
    particles = system()
    instance = particles.play(effect)
    particles.update(0.5)
    (found,) = instance["it"].read()

    assert found["velocity"] == pytest.approx((5, 0, 0), abs=1e-3)
    assert found["position"] == pytest.approx((half + 1.5, half, 0), abs=1e-3)


def test_a_scene_of_several_surfaces_is_the_reference_s(system: System, one: One) -> None:
    """A ball and a box on a floor, within walls: who bounces, slides and lies where."""
    scene = [
        gp.CollidePlane(friction=0.3, restitution=0.4),
        gp.CollideSphere((0.6, 0.5, 0), 0.5, friction=0.2, restitution=0.3),
        gp.CollideBox((-0.7, 0.3, 0), (0.3, 0.3, 0.3), right=(1, 0, 1), friction=0.4),
        gp.CollideBox((0, 1, 0), (1.5, 2, 1.5), faces="inside", restitution=0.6),
    ]
    effect = one(
        bursts=[gp.Burst(count=60)],
        lifetime=9,
        shape=gp.Point(offset=(0, 1.6, 0)),
        speed=(0, 3),
        spread=180,
        modifiers=[GRAVITY, *scene],
    )
    particles = system()
    instance = particles.play(effect, seed=2)
    reference = Reference(effect, seed=2)
    for _ in range(60):
        particles.update(1 / 60)
        reference.update(1 / 60)
    found, expected = instance["it"].read(), reference.read("it")
    off = np.abs(found["position"] - expected["position"]).max(axis=1)
    # From hit to hit on what is round a difference grows.
    assert np.quantile(off, 0.9) <= 1e-4
    assert off.max() <= 0.05
    assert np.all(found["position"][:, 1] >= 0)


def test_what_begins_in_a_solid_is_put_onto_it(system: System, one: One) -> None:
    for solid in (gp.CollideSphere(radius=1), gp.CollideBox()):
        effect = one(
            bursts=[gp.Burst(count=50)],
            lifetime=9,
            shape=gp.Box(half=(0.5, 0.5, 0.5)),
            speed=0,
            modifiers=[solid],
        )
        particles = system()
        instance = particles.play(effect)
        particles.update(0.01)
        place = instance["it"].read()["position"]
        size = np.linalg.norm(place, axis=1) if solid.kind == "collide_sphere" else None
        size = np.abs(place).max(axis=1) if size is None else size
        assert size == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: gp.CollidePlane(restitution=1.5),
            "CollidePlane: restitution: 1.5 is more than 1; a restitution is 0 to 1",
        ),
        (
            lambda: gp.CollideBox(faces="bottom"),
            'CollideBox: faces: "bottom" is not "outside" or "inside" or "top"',
        ),
        (
            lambda: gp.Wrap(right=(1, 0, 0), up=(2, 0, 0)),
            "Wrap: up: [2, 0, 0] lies along right, [1, 0, 0]; the axes of a box are perpendicular",
        ),
        (
            lambda: gp.CollidePlane(on_hit="stuck"),
            'CollidePlane: on_hit: "stuck" is not "bounce" or "stick" or "die"; '
            'did you mean "stick"?',
        ),
        (
            lambda: gp.KillBox(half=(1, -1, 1)),
            "KillBox: half[1]: -1 is negative; half a width is 0 or more",
        ),
    ],
)
def test_what_constraints_refuse(call: Callable[[], object], sentence: str) -> None:
    with pytest.raises(gp.EffectError) as error:
        call()
    assert str(error.value) == sentence


# Volumes


def test_wrapped_particles_stay_in_their_box_and_keep_their_number(
    system: System, one: One
) -> None:
    """Round an emitter that moves and turns, at any speed."""
    wrap = gp.Wrap(half=(2, 3, 0.5))
    effect = one(
        bursts=[gp.Burst(count=200)],
        lifetime=100,
        shape=gp.Box(half=(2, 3, 0.5)),
        velocity=((-500, 500), (-300, -1), (-2, 2)),
        modifiers=[wrap],
    )
    particles = system()
    instance = particles.play(effect)
    reference = Reference(effect, seed=instance.seed)
    for step in range(40):
        move = np.eye(4)
        move[:3, 3] = (step, 0.3 * step, 50 * math.sin(step))
        instance.transform = reference.transform = move
        particles.update(1 / 30)
        reference.update(1 / 30)
        found = instance["it"].read()
        away = np.abs(found["position"] - move[:3, 3])
        assert len(found) == 200
        assert np.all(away <= np.array((2, 3, 0.5)) + 1e-5)
        assert np.ptp(found["position"], axis=0) == pytest.approx((4, 6, 1), rel=0.1)


@pytest.mark.parametrize(
    "killer",
    [
        gp.KillPlane((0, -1, 0), (0, 5, 0)),
        gp.KillSphere((0, 5, 0), 0.05),
        gp.KillBox((0, 5, 0), (1, 0.025, 1)),
        gp.KillSphere(radius=5, outside=True),
        gp.KillBox(half=(1, 5, 9), outside=True),
    ],
)
def test_nobody_flies_through_a_volume_that_kills(
    system: System, one: One, killer: gp.modifier
) -> None:
    """Too thin for the 3.3 units of a step; and nobody dies before."""
    effect = one(bursts=[gp.Burst(count=9)], lifetime=9, speed=100, loop=False, modifiers=[killer])
    particles = system()
    instance = particles.play(effect)
    particles.update(1 / 30)
    assert len(instance["it"].read()) == 9
    particles.update(1 / 30)
    assert len(instance["it"].read()) == 0


def test_hits_cost_life(system: System, one: One) -> None:
    """A quarter of it each: nobody has a fourth bounce."""
    floor = gp.CollidePlane(restitution=1, lifetime_loss=0.25)
    effect = dropped(one, floor, height=0.2)
    particles = system()
    instance = particles.play(effect)
    reference = Reference(effect, seed=instance.seed)
    ages = []
    for _ in range(41):
        particles.update(1 / 30)
        reference.update(1 / 30)
        ages.append(instance["it"].read()["age"][0])
    # It falls for 0.2 s: hits after 0.2 s, 0.6 s, 1 s, 1.4 s.
    assert ages[4::12] == pytest.approx([0.1667, 25.57, 50.97, 76.37], abs=0.05)
    assert_same_particles(instance["it"].read(), reference.read("it"))
    particles.update(0.5)
    assert len(instance["it"].read()) == 0


def test_who_dies_of_a_hit_is_gone_at_once(system: System, one: One) -> None:
    particles = system()
    instance = particles.play(dropped(one, gp.CollidePlane(on_hit="die"), height=0.2))
    particles.update(0.19)
    assert len(instance["it"].read()) == 1
    particles.update(0.05)
    assert len(instance["it"].read()) == 0
