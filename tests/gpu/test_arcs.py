"""Births that follow each other through a shape: the same at any frame rate, in pools too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gpuparticles as gp
from gpuparticles.playback.reference import Reference
from gpuparticles.system.pool import Bursts
from tests.gpu.conftest import assert_same_particles

System = Callable[..., gp.ParticleSystem]
One = Callable[..., gp.Effect]

SHAPES = [
    gp.Circle(2, inner=2, arc=90, arc_mode="loop", arc_speed=0.7),
    gp.Cylinder(2, 0, 2, arc_mode="ping_pong", arc_speed=-1.5),
    gp.Torus(2, 0, arc=180, arc_mode="spread"),
    gp.Grid((3, 2, 2), (1, 2, 3), "sequence"),
    gp.Points([(k, k * k, 0) for k in range(7)], order="sequence"),
]


def effect(one: One, shape: Any) -> gp.Effect:
    bursts = [gp.Burst(0, 5), gp.Burst(0.3, 20)]
    return one(rate=40, bursts=bursts, lifetime=5, shape=shape, speed=0, capacity=200)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: str(shape.kind))
def test_places_follow_the_births_own_moments_at_any_frame_rate(
    system: System, one: One, shape: Any
) -> None:
    found = []
    for fps in (20, 120):
        particles = system(max_step=1)
        playing = particles.play(effect(one, shape), seed=3)
        reference = Reference(effect(one, shape), seed=3, max_step=1)
        for _ in range(fps):
            particles.update(1 / fps)
            reference.update(1 / fps)
        found.append(playing["it"].read())
        assert_same_particles(found[-1], reference.read("it"))
    assert len(found[0]) == 65
    # Births are numbered as they come, and so are those of the rate within a burst's step.
    places = [sorted(map(tuple, np.round(each["position"], 4))) for each in found]
    assert np.array(places[0]) == pytest.approx(np.array(places[1]), abs=2e-3)


def test_a_loop_is_where_its_speed_has_brought_it(system: System, one: One) -> None:
    """Birth #k of 40 a second comes at k/40 s, when a quarter turn a second has come to k/160."""
    shape = gp.Circle(1, inner=1, arc_mode="loop", arc_speed=0.25)
    particles = system()
    playing = particles.play(one(rate=40, lifetime=9, shape=shape, speed=0))
    for _ in range(60):
        particles.update(1 / 60)

    turn = 2 * np.pi * np.arange(1, 41) / 160
    expected = np.stack([np.cos(turn), 0 * turn, np.sin(turn)], axis=1)
    assert playing["it"].read()["position"] == pytest.approx(expected, abs=1e-5)


def test_a_burst_by_hand_is_spread_too(system: System, one: One) -> None:
    shape = gp.Circle(1, inner=1, arc_mode="spread")
    particles = system()
    playing = particles.play(one(lifetime=9, shape=shape, speed=0))
    playing["it"].emit(4)
    particles.update(1 / 60)

    expected = [[1, 0, 0], [0, 0, 1], [-1, 0, 0], [0, 0, -1]]
    assert playing["it"].read()["position"] == pytest.approx(np.array(expected), abs=1e-6)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: str(shape.kind))
def test_a_pools_instances_have_phases_of_their_own(
    system: System, one: One, living: Callable[..., Any], shape: Any
) -> None:
    """A burst that begins later is where one that is played is, that many seconds before."""
    particles = system()
    pooled = one(bursts=[gp.Burst(0.1, 5)], rate=30, lifetime=9, shape=shape, speed=0, duration=1)
    alone = system()
    playing = alone.play(pooled, seed=8)
    particles.burst(pooled, seed=4)
    for _ in range(15):
        particles.update(1 / 60)
    particles.burst(pooled, seed=8)
    for _ in range(40):
        particles.update(1 / 60)
        alone.update(1 / 60)

    (pool,) = [each for each in particles._scene.playing if isinstance(each, Bursts)]
    everyone = living(pool._simulations[0])
    expected = living(playing["it"]._simulation)
    found = everyone[np.isin(everyone["seed"], expected["seed"])]
    assert len(found) == len(expected) == 25
    assert found["position"] == pytest.approx(expected["position"], abs=1e-4)
