"""Prewarming, and going to another time."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gpuparticles as gp
from gpuparticles.playback.reference import Reference
from tests.gpu.conftest import assert_same_particles

System = Callable[..., gp.ParticleSystem]
State = Callable[..., Any]

EMITTERS = [
    gp.Emitter(
        "stream",
        capacity=70,
        rate=60,
        bursts=[gp.Burst(0.7, 20)],
        lifetime=(0.2, 1.5),
        shape=gp.Sphere(0.5),
        speed=(1, 2),
        spread=30,
        angular_velocity=(-90, 90),
        modifiers=[gp.Acceleration((0, -9.8, 0)), gp.Drag(0.3)],
    ),
    gp.Emitter("local", capacity=40, rate=17, lifetime=1.1, spread=180, space="local"),
]


def effect(*, prewarm: float = 0.0, loop: bool = True, **settings: Any) -> gp.Effect:
    return gp.Effect("test", EMITTERS, duration=1, loop=loop, prewarm=prewarm, **settings)


@pytest.fixture
def everything(state: State) -> Callable[[gp.EffectInstance], list[Any]]:
    """Counts, and the raw state of everybody who lives, of all emitters."""

    def read(playing: gp.EffectInstance) -> list[Any]:
        found: list[Any] = [playing.live_count, playing.births, playing.dropped, playing.finished]
        for emitter in playing:
            position_age, velocity_rotation = state(emitter)
            records = emitter.read()
            living = np.flatnonzero(np.isin(position_age[:, 3], records["age"]))
            found += [position_age[living].tobytes(), velocity_rotation[living].tobytes()]
            found += [records.tobytes()]
        return found

    return read


Everything = Callable[[gp.EffectInstance], list[Any]]


@pytest.mark.parametrize("prewarm", [0.03, 1.7, 300.0])
def test_a_prewarmed_effect_has_run_so_long(
    system: System, everything: Everything, prewarm: float
) -> None:
    particles = system()
    warm = particles.play(effect(prewarm=prewarm), position=(1, 2, 3), seed=5)
    assert warm.live_count == sum(len(emitter.read()) for emitter in warm)
    assert warm.time == 0
    other = system()
    fresh = other.play(effect(), position=(1, 2, 3), seed=5)
    other.update(prewarm)
    assert everything(warm) == everything(fresh)
    assert warm.live_count > 0
    for _ in range(5):
        particles.update(0.04)
        other.update(0.04)
    assert everything(warm) == everything(fresh)
    assert warm.time == pytest.approx(0.2)
    warm.reset()
    assert warm.time == 0
    fresh.reset()
    other.update(prewarm)
    assert everything(warm) == everything(fresh)


def test_a_prewarm_is_drawn_before_the_first_update(
    system: System, picture: Callable[..., Any]
) -> None:
    particles = system()
    particles.play(effect(prewarm=1))
    assert picture(particles).any()


@pytest.mark.parametrize("place", [(7, 0, 0), (1e6, 0, 0)])
def test_a_place_before_the_first_update_is_where_it_has_prewarmed(
    system: System, everything: Everything, place: Any
) -> None:
    particles = system()
    moved = particles.play(effect(prewarm=1), seed=5)
    moved.position = place
    moved["stream"].emit(3)
    there = particles.play(effect(prewarm=1), position=place, seed=5)
    there["stream"].emit(3)
    for _ in range(3):
        particles.update(0.1)
        assert everything(moved) == everything(there)
    births = moved.births
    moved.stop()
    particles.update(5)
    assert moved.finished
    moved.position = (0, 0, 0)
    moved.start()
    particles.update(0.1)
    assert moved.births > births  # it goes on, and does not prewarm again


def test_the_reference_prewarms(system: System) -> None:
    particles = system()
    warm = particles.play(effect(prewarm=1.3), transform=(1, 0, 0), seed=9)
    reference = Reference(effect(prewarm=1.3), transform=(1, 0, 0), seed=9)
    for x in (1, 2, 3):
        for name in ("stream", "local"):
            assert_same_particles(warm[name].read(), reference.read(name))
        warm.transform = reference.transform = (x, 0, 0)
        particles.update(0.05)
        reference.update(0.05)


def test_a_one_shot_that_has_prewarmed_to_its_end_says_so_once(system: System) -> None:
    particles = system()
    ended: list[gp.EffectInstance] = []
    shot = particles.play(effect(prewarm=9, loop=False))
    shot.on_finished = ended.append
    assert shot.live_count == 0
    assert not shot.finished
    particles.update(0.1)
    particles.update(0.1)
    assert shot.finished
    assert ended == [shot]


def test_a_prewarmed_burst_plays_one_loop_and_is_gone(system: System, everything: Any) -> None:
    particles = system()
    looped = effect(prewarm=0.5)
    particles.warm_up(looped)
    programs = particles.stats.programs
    particles.burst(looped, position=(2, 0, 0), seed=3, tint=(1, 0, 0))
    assert particles.stats.programs == programs
    assert particles.effects == ()
    alone = particles.play(looped, position=(2, 0, 0), seed=3)
    alone.retire()
    burst = particles._scene.playing[0]
    assert isinstance(burst, gp.EffectInstance)
    assert burst.tint == (1, 0, 0, 1)
    while not alone.finished:
        assert particles.stats.live == 2 * alone.live_count
        assert everything(burst) == everything(alone)
        particles.update(0.1)
    assert particles._scene.playing == [alone]
    assert alone.births == 20 + 60 + 17


@pytest.mark.parametrize(("prewarm", "fps"), [(0, None), (0.8, None), (0.83, 20)])
@pytest.mark.parametrize("time", [0.0, 0.01, 0.35, 2.5, 40.0, 1e6])
def test_a_sought_time_is_that_of_a_fresh_run(
    system: System, everything: Everything, prewarm: float, fps: float | None, time: float
) -> None:
    described = effect(prewarm=prewarm, fixed_fps=fps)
    particles, other = system(), system()
    sought = particles.play(described, seed=8)
    for number in range(12):
        sought.position = (number, 0, 0)
        particles.update(0.1)
    sought["stream"].emit(7)
    sought.speed = 0.25
    sought.pause()
    sought.seek(time)
    fresh = other.play(described, position=(11, 0, 0), seed=8)
    if time:
        other.update(time)
    assert everything(sought) == everything(fresh)
    assert sought.time == fresh.time == time
    assert (sought.speed, sought.paused) == (0.25, True)
    sought.resume()
    sought.speed = 1
    for number in range(5):
        sought.position = fresh.position = (11, number, 0)
        particles.update(0.07)
        other.update(0.07)
    assert everything(sought) == everything(fresh)


def test_seeking_calls_nobody_and_says_whether_it_is_over(system: System) -> None:
    particles = system()
    shot = particles.play(effect(loop=False))
    ended: list[gp.EffectInstance] = []
    shot.on_finished = ended.append
    shot.seek(10)
    assert shot.finished
    particles.update(0.1)
    shot.seek(0.5)
    assert not shot.finished
    assert ended == []
    for _ in range(30):
        particles.update(0.1)
    assert shot.finished
    assert ended == [shot]
    shot.seek(0)
    assert not shot.finished
    assert shot.live_count == shot.births == 0


def test_time_is_the_effects_own(system: System) -> None:
    particles = system()
    playing = particles.play(effect())
    particles.update(0.5)
    playing.speed = 2
    particles.update(0.25)
    playing.pause()
    particles.update(1)
    playing.resume()
    assert playing.time == pytest.approx(1.0)
    playing.start()
    assert playing.time == 0
    particles.update(0.25)
    assert playing.time == pytest.approx(0.5)


@pytest.mark.parametrize("time", [-1, math.nan, math.inf, 10**400, "1", None, True, [1]])
def test_an_impossible_time_is_refused_and_changes_nothing(
    system: System, everything: Everything, time: Any
) -> None:
    particles = system()
    playing = particles.play(effect())
    particles.update(0.5)
    before = everything(playing)
    with pytest.raises(gp.EffectError, match=r"^seek: .* is not a finite number of seconds"):
        playing.seek(time)
    assert everything(playing) == before
    playing.release()
    with pytest.raises(gp.ContextError, match="has been released"):
        playing.seek(1)
