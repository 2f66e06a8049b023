"""Every registered shape and modifier on the GPU, against its twin in NumPy.

The registry is walked: a new kind is tested as soon as it is registered.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import moderngl
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import gpuparticles as gp
from gpuparticles.effect import (
    Collision,
    Force,
    Modifier,
    Moments,
    Places,
    Random,
    Shape,
    fields_of,
    kinds,
)
from gpuparticles.playback.population import hash_seed, pcg_int
from gpuparticles.playback.reference import Reference
from gpuparticles.shaders import compose, sources
from gpuparticles.shaders.sources import Line
from tests.gpu.conftest import WAYS, Rounded, assert_same_particles, instances

System = Callable[..., gp.ParticleSystem]
One = Callable[..., gp.Effect]

FORCES = [kind for kind, cls in kinds(Modifier).items() if issubclass(cls, Force)]

few = settings(max_examples=4, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.parametrize("kind", kinds(Shape))
@few
@given(data=st.data())
def test_a_shapes_kernel_is_its_twin(ctx: moderngl.Context, kind: str, data: st.DataObject) -> None:
    """The same thousand places and colours from the same seeds, to rounding."""
    shape = data.draw(instances(kinds(Shape)[kind]))
    emitter = gp.Emitter("it", rate=0, bursts=[gp.Burst(count=1000)], shape=shape, speed=0)
    particles = gp.ParticleSystem(ctx)
    try:
        instance = particles.play(gp.Effect("test", [emitter], loop=False), seed=5)
        particles.update(1e-3)
        found = instance["it"].read()
    finally:
        particles.release()
    places = births_of(shape)
    expected = places.position * np.array(shape.scale) + np.array(shape.offset)
    assert found["position"] == pytest.approx(expected, rel=1e-5, abs=1e-5)
    color = np.ones((1000, 4)) if places.color is None else places.color
    assert found["color"] == pytest.approx(color, rel=1e-3, abs=1e-3)  # halves


@pytest.mark.parametrize("kind", kinds(Shape))
@few
@given(data=st.data())
def test_a_shapes_normals_are_its_twins(
    ctx: moderngl.Context, kind: str, data: st.DataObject
) -> None:
    """Seen where the places would be, through a birth pass that writes them there."""
    shape = data.draw(instances(kinds(Shape)[kind]))
    burst = gp.Burst(count=1000)
    emitter = gp.Emitter("it", rate=0, bursts=[burst], shape=shape, speed=0, space="local")
    place = "birth.position * u_shape_scale + u_shape_offset"

    def read(file: str) -> list[Line]:
        lines = sources.read(file)
        return [line._replace(text=line.text.replace(place, "birth.normal")) for line in lines]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compose, "read", read)
        particles = gp.ParticleSystem(ctx)
        try:
            instance = particles.play(gp.Effect("test", [emitter], loop=False), seed=5)
            particles.update(1e-3)
            found = instance["it"].read()["position"]
        finally:
            particles.release()
    expected = births_of(shape).normal
    if expected is None:
        expected = np.tile(np.array([0, 1, 0], np.float32), (1000, 1))
    assert found == pytest.approx(expected, abs=2e-5)


def births_of(shape: Shape) -> Places:
    """What the twin says of a burst of a thousand."""
    # A seed is a hash of the instance's, the emitter, the source and the index in the source.
    seeds = np.array([seed_of(5, 0, 0, index) for index in range(1000)], np.uint32)
    numbers = np.arange(1000)
    phase = None
    if shape.phased:
        births = Moments(np.zeros(1000), numbers, numbers, np.full(1000, 1000))
        phase = shape.phases(births).astype(np.float32)
    return shape.sample(Random(seeds, phase))


def seed_of(instance: int, emitter: int, source: int, index: int) -> int:
    """The seed of one particle."""
    return pcg_int(hash_seed(instance, emitter, source) ^ pcg_int(index))


@pytest.mark.parametrize("space", ["world", "local"])
@pytest.mark.parametrize("kind", kinds(Modifier))
@few
@given(data=st.data())
def test_a_modifiers_kernel_is_its_twin(
    ctx: moderngl.Context, kind: str, space: str, data: st.DataObject
) -> None:
    """In each frame that it may lie in, alone and followed by its like, while the emitter moves."""
    cls = kinds(Modifier)[kind]
    # Any two surfaces leave a particle no place, and rounding decides which of them has it.
    several = 1 if issubclass(cls, Collision) else 2
    drawn = data.draw(st.lists(instances(cls), min_size=1, max_size=several))
    spaces = ("world", "emitter") if "space" in cls.__pydantic_fields__ else (None,)
    for its in spaces:
        modifiers = [m if its is None else replace(m, space=its) for m in drawn]
        emitter = gp.Emitter(
            "it",
            capacity=50,
            rate=20,
            bursts=[gp.Burst(count=20)],
            lifetime=(0.5, 3),
            shape=gp.Box((1, 1, 1)),
            speed=(1, 2),
            spread=90,
            space=space,
            modifiers=modifiers,
        )
        effect = gp.Effect("test", [emitter])
        moves = [
            turned(0.02 * step, (0.3 * step, math.sin(0.1 * step), -step / 30))
            for step in range(60)
        ]
        particles = gp.ParticleSystem(ctx)
        try:
            instance = particles.play(effect, seed=3)
            for move in moves:
                instance.transform = move
                particles.update(1 / 40)
            reference = moved(Reference(effect, seed=3), moves)
            others = partial(rounded, effect, moves)
            found, expected = instance["it"].read(), reference.read("it")
            assert_same_particles(found, expected, rounded=others)
            assert instance.live_count == reference.live_count
            assert instance.births > 20
        finally:
            particles.release()


def moved(reference: Reference, moves: list[NDArray[np.float64]]) -> Reference:
    """A reference after as many steps as there are moves."""
    for move in moves:
        reference.transform = move
        reference.update(1 / 40)
    return reference


def rounded(effect: gp.Effect, moves: list[NDArray[np.float64]]) -> list[NDArray[np.void]]:
    """The particles of references that round otherwise."""
    every = (Rounded(effect, ways, seed=3) for ways in WAYS)
    return [moved(reference, moves).read("it") for reference in every]


def turned(angle: float, place: tuple[float, float, float]) -> NDArray[np.float64]:
    """A turn about an oblique axis, then a move."""
    x, y, z = np.array((1, 2, -1)) / math.sqrt(6)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    made = np.eye(4)
    made[:3, :3] += math.sin(angle) * cross + (1 - math.cos(angle)) * cross @ cross
    made[:3, 3] = place
    return made


@pytest.mark.parametrize(
    "kind", [k for k, cls in kinds(Modifier).items() if issubclass(cls, Force)]
)
@few
@given(data=st.data())
def test_a_force_is_finite_wherever_its_points_are(
    ctx: moderngl.Context, kind: str, data: st.DataObject
) -> None:
    """Particles begin at rest in the very place at which every point of the force lies."""
    cls = kinds(Modifier)[kind]
    force = data.draw(instances(cls))
    points = {info.name: (0.0, 0.0, 0.0) for info in fields_of(cls) if info.role == "point"}
    force = replace(force, **points)
    emitter = gp.Emitter(
        "it", rate=0, bursts=[gp.Burst(count=9)], lifetime=9, speed=(0, 1), modifiers=[force]
    )
    particles = gp.ParticleSystem(ctx)
    try:
        instance = particles.play(gp.Effect("test", [emitter], loop=False), seed=1)
        particles.update(2.0)
        found = instance["it"].read()
    finally:
        particles.release()
    assert len(found) == 9
    assert np.all(np.isfinite(found["position"]))
    assert np.all(np.isfinite(found["velocity"]))


@pytest.mark.parametrize("length", [1e-30, 1e-12, 1.0, 1e12, 1e30])
def test_the_length_of_a_direction_does_not_matter(system: System, one: One, length: float) -> None:
    """Of a disc's normal and a vortex' axis, not even when its square is beyond float32."""

    def run(scale: float) -> NDArray[np.void]:
        particles = system()
        normal: Any = [scale * x for x in (1.0, -2.0, 0.5)]
        effect = one(
            bursts=[gp.Burst(count=20)],
            lifetime=9,
            shape=gp.Circle(1, normal=normal),
            modifiers=[gp.Vortex(3, axis=normal), gp.Vortex(1, axis=normal, space="world")],
        )
        instance = particles.play(effect, seed=1)
        particles.update(0.5)
        return instance["it"].read()

    plain, scaled = run(1.0), run(length)
    assert np.abs(plain["position"]).max() > 0.5
    for name in ("position", "velocity"):
        assert scaled[name] == pytest.approx(plain[name], abs=1e-5)
