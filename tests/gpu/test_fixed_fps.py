"""Effects that are simulated in whole frames, and drawn between them."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import gpuparticles as gp
from gpuparticles.playback.reference import Reference
from tests.gpu.conftest import assert_same_particles

System = Callable[..., gp.ParticleSystem]
Floats = NDArray[np.float32]
FPS = 10


def effect(
    *, fps: float | None = FPS, duration: float = 2, loop: bool = True, **emitter: Any
) -> gp.Effect:
    settings: dict[str, Any] = {
        "capacity": 300,
        "rate": 37,
        "lifetime": 0.63,
        "speed": 2,
        **emitter,
    }
    return gp.Effect(
        "test", [gp.Emitter("it", **settings)], duration=duration, loop=loop, fixed_fps=fps
    )


def sides(emitter: gp.EmitterInstance) -> tuple[list[Floats], list[Floats], list[Floats]]:
    """The side before the last step, the present one, and what is seen; of the rows drawn."""
    simulation = emitter._simulation
    state = simulation.state
    assert state is not None
    with emitter._scene.guard as guard:
        guard.simulate()
        before, present, seen = (
            [
                np.frombuffer(texture.read(), np.float32).reshape(-1, 4)[
                    : simulation.rows * state.width
                ]
                for texture in side
            ]
            for side in (state._before, state.current, state._seen)
        )
    return before, present, seen


def lifetimes(emitter: gp.EmitterInstance) -> Floats:
    state = emitter._simulation.state
    assert state is not None
    with emitter._scene.guard as guard:
        guard.simulate()
        data = np.frombuffer(state.birth["lifetime_seed"].read(), np.uint32)
    return data.reshape(-1, 2)[:, 0].copy().view(np.float32)


def visible(emitter: gp.EmitterInstance) -> Floats:
    """Position and age of those who are drawn, the youngest first."""
    if not emitter._simulation.rows:
        return np.empty((0, 4), np.float32)
    _, _, (position_age, _) = sides(emitter)
    age, lifetime = position_age[:, 3], lifetimes(emitter)[: len(position_age)]
    shown = position_age[(age >= 0) & (age < lifetime)]
    return shown[np.argsort(shown[:, 3])]


def test_steps_are_whole_frames_however_time_is_cut(system: System) -> None:
    """The same bits after the same frames, as in the reference; what is left over is kept."""
    settings: dict[str, Any] = {
        "lifetime": (0.2, 1.5),
        "spread": 60,
        "modifiers": [gp.Vortex(4, (0, 1, 0)), gp.Drag(0.4), gp.Acceleration((0, -3, 0))],
        "bursts": [gp.Burst(0.25, 40)],
    }
    cuts = {
        "frames": [0.1] * 30,
        "uneven": np.diff([0, *np.sort(np.random.default_rng(3).uniform(0, 3, 70)), 3]).tolist(),
        "sixtieths": [1 / 60] * 180,
        "long": [1.7, 0.05, 1.25],
    }
    reference = Reference(effect(**settings), seed=2)
    reference.update(1.03)
    reference.update(1.97)
    found = {}
    for name, steps in cuts.items():
        particles = system(max_step=0.02)  # which does not count
        playing = particles.play(effect(**settings), seed=2)
        for dt in steps:
            particles.update(dt)
        found[name] = (playing.births, playing.live_count, playing["it"].read().tobytes())
        assert_same_particles(playing["it"].read(), reference.read("it"))
    assert len(set(found.values())) == 1
    assert reference.players[0].population.births == found["frames"][0] == 37 * 3 + 80


def test_what_is_left_over_neither_steps_nor_is_lost(system: System) -> None:
    particles = system()
    playing = particles.play(effect(rate=1000, lifetime=9))
    births = []
    for _ in range(8):
        particles.update(0.04)
        births.append(playing.births)
    assert births == [0, 0, 100, 100, 200, 200, 200, 300]
    assert playing.time == pytest.approx(0.32)


def test_everybody_is_seen_at_their_moment(system: System) -> None:
    """A frame behind: the age of everybody, and where motion without forces has got them.

    Who was born within a frame is seen from that moment on, who dies in one until then, whichever
    rows they live in.
    """
    particles = system()
    playing = particles.play(effect(rate=137, lifetime=0.333, duration=0.7, loop=False))
    time = 0.0
    most = 0
    for dt in [0.013, 0.041, 0.002, 0.097] * 14:
        particles.update(dt)
        time += dt
        now = time - 1 / FPS
        if math.floor(time * FPS + 1e-6) == 0:
            continue
        births = np.arange(1, int(0.7 * 137) + 1) / 137
        ages = np.sort(now - births[(births <= now) & (now < births + 0.333)])
        shown = visible(playing["it"])
        # Both count in ticks: at an end, one may be seen a tick before or after.
        assert abs(len(shown) - len(ages)) <= 1
        if len(shown) == len(ages):
            assert shown[:, 3] == pytest.approx(ages, abs=5e-5)
        assert shown[:, 1] == pytest.approx(2 * shown[:, 3], abs=5e-5)
        most = max(most, len(shown))
    assert most > 40
    assert playing.finished
    assert playing["it"]._simulation.rows == 0


def test_what_is_seen_is_the_formula(system: System) -> None:
    """In position, velocity and turn, with forces, at any part of a frame."""
    particles = system()
    playing = particles.play(
        effect(
            lifetime=(0.05, 0.9),
            spread=120,
            angular_velocity=(-1500, 1500),
            modifiers=[gp.Acceleration((3, -9, 0)), gp.Radial(-4)],
        )
    )
    particles.update(1.0)
    part = 0.0
    for dt in (0.013, 0.05, 0.009, 0.11, 0.0999):
        particles.update(dt)
        part = (part + dt * FPS) % 1
        alpha = np.float32(part)
        (first, first_motion), (last, last_motion), (seen, seen_motion) = sides(playing["it"])
        lifetime = lifetimes(playing["it"])[: len(seen)]
        a = first[:, 3] + (last[:, 3] - first[:, 3]) * alpha
        begin = np.maximum(first[:, 3], 0)
        shown = (a >= 0) & (a < lifetime)
        assert shown.sum() > 10
        way = np.minimum(last[:, 3], lifetime) - begin
        weight = (a - begin)[shown] / way[shown]
        assert seen[shown, 3] == pytest.approx(a[shown], abs=1e-5)
        hidden = seen[~shown, 3]
        assert ((hidden < 0) | (hidden >= lifetime[~shown])).all()
        for index in range(3):
            for x, y, z in ((first, last, seen), (first_motion, last_motion, seen_motion)):
                expected = x[shown, index] + (y - x)[shown, index] * weight
                assert z[shown, index] == pytest.approx(expected, abs=1e-4)
        turned = (last_motion - first_motion)[shown, 3]
        turned = (turned + 0.5) % 1 - 0.5
        expected = first_motion[shown, 3] + turned * weight
        assert seen_motion[shown, 3] == pytest.approx(expected, abs=1e-4)


def test_the_last_particle_is_drawn_until_it_dies_and_then_all_is_over(
    system: System, picture: Callable[..., Any]
) -> None:
    """Dead in the simulation since 0.4 s, it is seen until 0.433 s, a frame after its 0.333 s."""
    particles = system()
    ended: list[Any] = []
    shot = particles.play(
        effect(rate=0, bursts=[gp.Burst()], lifetime=0.333, speed=10, size=2, loop=False)
    )
    shot.on_finished = ended.append
    time, pictures = 0.0, {}
    while time < 0.6:
        particles.update(0.01)
        time += 0.01
        pictures[round(time, 2)] = picture(particles)
    shown = [at for at, pixels in pictures.items() if pixels.any()]
    assert (shown[0], shown[-1]) == (0.1, 0.43)
    assert len(shown) == 34
    assert shot.live_count == 0
    assert shot.finished
    assert ended == [shot]
    # A step shows 10 units a second: no two pictures are alike.
    assert all(not np.array_equal(pictures[a], pictures[b]) for a, b in pairwise(shown))


def test_pause_and_a_speed_of_0_hold_what_is_seen(
    system: System, picture: Callable[..., Any]
) -> None:
    particles, straight = system(), system()
    held, never = (each.play(effect(size=0.5), seed=1) for each in (particles, straight))
    for each in (particles, straight):
        each.update(0.77)
    shown = picture(particles)
    held.pause()
    particles.update(0.06)
    assert np.array_equal(picture(particles), shown)
    held.resume()
    held.speed = 0
    particles.update(0.06)
    assert np.array_equal(picture(particles), shown)
    held.speed = 0.5
    particles.update(0.04)
    straight.update(0.02)
    moved = picture(particles)
    assert not np.array_equal(moved, shown)
    assert np.array_equal(moved, picture(straight))
    assert held.time == pytest.approx(never.time)


def test_reading_gives_the_simulation_not_the_picture(system: System) -> None:
    particles = system()
    playing = particles.play(effect(rate=0, bursts=[gp.Burst(0, 5)]))
    particles.update(0.27)
    assert playing["it"].read()["age"] == pytest.approx([0.2] * 5, abs=2e-5)
    assert visible(playing["it"])[:, 3] == pytest.approx([0.17] * 5, abs=2e-5)


def test_a_long_way_is_seen_without_a_jump(system: System) -> None:
    """The two sides agree about the anchor, also when it has just changed."""
    particles = system()
    playing = particles.play(effect(lifetime=9, speed=0, rate=30))
    places: dict[float, Floats] = {}
    for number in range(150):
        playing.position = (25.0 * number, 0, 0)
        particles.update(0.034)
        shown = visible(playing["it"])
        anchor = playing._anchor[0]
        now = number * 0.034
        for x, _, _, age in shown.tolist():
            birth = round((now - age) * 30)
            assert x + anchor == pytest.approx(places.setdefault(birth, x + anchor), abs=2e-3)
    assert playing._anchor[0] > 1000
    assert len(places) > 100


def test_local_particles_are_carried_between_frames(
    system: System, picture: Callable[..., Any]
) -> None:
    particles = system()
    playing = particles.play(effect(space="local", size=3, speed=0, lifetime=5))
    particles.update(0.35)
    first = picture(particles)
    playing.position = (5, 0, 0)
    assert np.allclose(picture(particles)[:, 16:], first[:, :-16], atol=1e-3)


def test_a_burst_with_a_frame_rate_is_as_if_played(system: System) -> None:
    particles = system()
    particles.burst(effect(), position=(1, 0, 0), seed=4)
    alone = particles.play(effect(), position=(1, 0, 0), seed=4)
    alone.retire()
    burst = particles._scene.playing[0]
    assert isinstance(burst, gp.EffectInstance)
    for _ in range(20):
        particles.update(0.07)
        assert np.array_equal(visible(burst["it"]), visible(alone["it"]))
    for _ in range(20):
        particles.update(0.07)
    assert particles._scene.playing == [alone]


def test_nothing_is_read_back(system: System, no_readback: None) -> None:
    particles = system()
    playing = particles.play(effect(lifetime=(0.1, 2)))
    for _ in range(20):
        playing.position = (900 * playing.time, 0, 0)
        particles.update(0.03)
    assert playing.live_count > 0


def test_a_growing_state_keeps_what_is_seen(system: System) -> None:
    particles = system()
    playing = particles.play(effect())
    particles.update(0.74)
    shown = visible(playing["it"])
    with playing["it"]._scene.guard as guard:
        guard.simulate()
        playing["it"]._simulation.set_capacity(2000)
    assert np.array_equal(visible(playing["it"]), shown)
    particles.update(0.01)  # between the same two frames
    ages, before = visible(playing["it"])[:, 3], shown[:, 3]
    before = before[before + 0.01 < 0.63]
    assert ages[ages > 0.01] == pytest.approx(before + 0.01, abs=1e-5)


def test_only_a_frame_rate_costs_a_third_side(system: System) -> None:
    particles, other = system(), system()
    particles.play(effect(fps=None))
    other.play(effect())
    state = other.effects[0]["it"]._simulation.state
    assert state is not None
    more = other.stats.gpu_bytes - particles.stats.gpu_bytes
    assert more == 32 * state.width * state.height
