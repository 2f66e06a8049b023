"""The GPU against the NumPy reference, particle by particle."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import moderngl
import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import gpuparticles as gp
from gpuparticles.effect import Constraint, Modifier, Shape, kinds
from gpuparticles.playback.reference import Reference
from gpuparticles.shaders.layout import by_speed
from tests.gpu.conftest import WAYS, Rounded, assert_same_particles, instances, numbers

# At a surface the last bit of a place decides what comes next: constraints are compared over fewer
# steps, in test_kinds.
SMOOTH = [cls for cls in kinds(Modifier).values() if not issubclass(cls, Constraint)]

STEPS = 300
CAPACITY = 150


def step_lengths(seed: int) -> list[float]:
    """Step lengths from a three-hundredth to a twentieth of a second; the long ones are split."""
    return np.random.default_rng(seed).uniform(0.003, 0.05, STEPS).tolist()


Journey = Callable[[float], NDArray[np.float64]]


@st.composite
def journeys(draw: st.DrawFn) -> Journey:
    """How an emitter moves, turns, grows, is mirrored and sheared in the course of time."""

    def vector(low: float, high: float) -> NDArray[np.float64]:
        return np.array(draw(st.tuples(*[numbers(low, high)] * 3)))

    def perhaps(value: st.SearchStrategy[Any]) -> Any:
        return draw(st.just(0.0) | value)

    start, drift, swing = vector(-5, 5), vector(-1, 1) * perhaps(st.just(1)), vector(-1, 1)
    swing = swing * perhaps(st.just(1))
    axis = vector(-1, 1)
    x, y, z = axis / np.linalg.norm(axis)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    tilt, spin = perhaps(numbers(-3, 3)), perhaps(numbers(-2, 2))
    size = np.array([draw(st.sampled_from((1, 1, 1, -1, 0))) for _ in range(3)]) * vector(0.3, 2)
    growth, shear = perhaps(numbers(-0.8, 0.8)), perhaps(numbers(-0.5, 0.5))

    def journey(t: float) -> NDArray[np.float64]:
        made = np.eye(4)
        angle = tilt + spin * t
        turn = np.eye(3) + math.sin(angle) * cross + (1 - math.cos(angle)) * cross @ cross
        scale = np.diag(size * (1 + growth * math.sin(t)))
        scale[0, 1] = shear
        made[:3, :3] = turn @ scale
        made[:3, 3] = start + drift * t + swing * math.sin(3 * t)
        return made

    return journey


def ranges(low: float, high: float) -> st.SearchStrategy[Any]:
    """A constant or a range."""
    both = st.tuples(numbers(low, high), numbers(low, high)).map(lambda pair: tuple(sorted(pair)))
    return numbers(low, high) | both


def scalars(low: float, high: float) -> st.SearchStrategy[Any]:
    """A constant, a range, or a curve over the loop with a step in it."""
    value = numbers(low, high)
    curve = st.tuples(value, value, numbers(0, 1), value, value).map(
        lambda v: [(0, v[0]), (v[2], v[1]), (v[2], v[3]), (1, v[4])]
    )
    return ranges(low, high) | curve


@st.composite
def curves(draw: st.DrawFn, low: float, high: float, *, steps: bool = True) -> Any:
    """1, or a curve of any interpolation; with steps, or without where rounding decides."""
    if draw(st.booleans()):
        return 1
    a, b, c, t = draw(st.tuples(*[numbers(low, high)] * 3, numbers(0.1, 0.9)))
    kinds = ("linear", "smooth", "step") if steps else ("linear", "smooth")
    stops = [(0, a), (t, b), (t, c), (1, a)] if steps else [(0, a), (t, b), (1, c)]
    return gp.Curve(stops, draw(st.sampled_from(kinds)))


def directions() -> st.SearchStrategy[Any]:
    """Up, any vector, or a word."""
    vectors = st.tuples(*[numbers(-1, 1)] * 3)
    return st.sampled_from(((0, 1, 0), "normal", "outward", "inward")) | vectors


COLORS = (
    ["#ff0000", "#00ff0080", (1, 2, 3)],
    [(0, "#ff0000"), (0.3, "#00ff00"), (1, "#0000ff40")],
    gp.Gradient([(0.1, "#ff0000"), (0.8, "#ffffff")], "smooth"),
)


def offsets() -> st.SearchStrategy[gp.Offset]:
    """Where an emitter sits in its effect: turned, stretched and mirrored."""
    positions, turns = (st.tuples(*[numbers(-reach, reach)] * 3) for reach in (3, 180))
    scales = numbers(0.3, 2) | st.tuples(*[numbers(-2, 2)] * 3)
    return st.builds(gp.Offset, positions, turns, scales)


@st.composite
def effects(draw: st.DrawFn) -> gp.Effect:
    """Effects of one emitter that use anything there is, forces of both frames among it."""
    space = draw(st.sampled_from(("world", "local")))
    lifetime = draw(st.just(math.inf) | scalars(0.5, 4))
    modifiers = st.lists(st.one_of(*map(instances, SMOOTH)), max_size=3)
    emitter = gp.Emitter(
        "it",
        capacity=CAPACITY,
        rate=draw(numbers(10, 60)),
        bursts=draw(st.lists(st.builds(gp.Burst, numbers(0, 2), st.integers(0, 40)), max_size=2)),
        lifetime=lifetime,
        shape=draw(st.one_of(*map(instances, kinds(Shape).values()))),
        speed=draw(scalars(-3, 3)),
        spread=draw(st.sampled_from((0, 180)) | numbers(0, 180)),
        direction=draw(directions()),
        velocity=draw(st.none() | st.tuples(*[scalars(-3, 3)] * 3)),
        radial_speed=draw(st.just(0) | scalars(-2, 2)),
        inherit_velocity=draw(st.just(0) | scalars(-1, 1)) if space == "world" else 0,
        inherit_orientation=space == "local" or draw(st.booleans()),
        space=space,
        offset=draw(st.just(gp.Offset()) | offsets()),
        size=draw(scalars(0, 2)),
        width=draw(st.just(1) | scalars(0, 2)),
        height=draw(st.just(1) | scalars(0, 2)),
        size_over_life=draw(curves(0, 2)),
        width_over_life=draw(curves(0, 2)),
        height_over_life=draw(curves(0, 2)),
        rotation=draw(scalars(-360, 360)),
        angular_velocity=draw(st.just(0) | scalars(-360, 360)),
        angular_velocity_over_life=draw(curves(-1, 2)),
        handedness=draw(st.sampled_from(("right", "left", "random"))),
        color=draw(st.tuples(*[numbers(0, 4)] * 3, numbers(0, 1)) | st.sampled_from(COLORS)),
        color_over_life=draw(st.sampled_from(("#ffffff", [(0.2, "#ff8000"), (1, "#00408000")]))),
        fade_in=0 if lifetime == math.inf else draw(st.just(0) | numbers(0, 1)),
        fade_out=draw(st.just(0) | numbers(0, 1)),
        speed_over_life=draw(curves(0, 2)),
        speed_range=draw(st.tuples(numbers(0, 1), numbers(2, 4))),
        size_by_speed=draw(curves(0, 2, steps=False)),
        color_by_speed=draw(st.just("#ffffff") | st.just([(0, "#ff8000"), (1, "#00408000")])),
        modifiers=draw(modifiers),
    )
    return gp.Effect("random", [emitter], duration=2.5, modifiers=draw(modifiers))


def rounded(effect: gp.Effect, seed: int, journey: Journey, steps: int) -> list[NDArray[np.void]]:
    """The particles after so many steps of references that round otherwise."""
    found = []
    for ways in WAYS:
        reference = Rounded(effect, ways, seed=seed, transform=journey(0))
        t = 0.0
        for dt in step_lengths(seed)[:steps]:
            t += dt
            reference.transform = journey(t)
            reference.update(dt)
        found.append(reference.read("it"))
    return found


@settings(
    max_examples=25,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(effect=effects(), journey=journeys(), seed=st.integers(0, 2**32))
def test_gpu_and_reference_agree_after_300_steps(
    ctx: moderngl.Context, effect: gp.Effect, journey: Journey, seed: int
) -> None:
    particles = gp.ParticleSystem(ctx)
    try:
        instance = particles.play(effect, seed=seed, transform=journey(0))
        reference = Reference(effect, seed=seed, transform=journey(0))
        t = 0.0
        for number, dt in enumerate(step_lengths(seed), 1):
            t += dt
            instance.transform = reference.transform = journey(t)
            particles.update(dt)
            reference.update(dt)
            assert instance.live_count == reference.live_count
            if number % 100 == 0:
                look = 2e-2 if by_speed(effect.emitters[0]) else 1e-6
                others = partial(rounded, effect, seed, journey, number)
                found, expected = instance["it"].read(), reference.read("it")
                assert_same_particles(found, expected, look, rounded=others)
        assert instance.births > 0
    finally:
        particles.release()
