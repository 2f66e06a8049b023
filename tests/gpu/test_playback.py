"""ParticleSystem and what it plays: pausing, ending, beginning again, being released."""

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

System = Callable[..., gp.ParticleSystem]
One = Callable[..., gp.Effect]
Contents = Callable[[gp.EmitterInstance], list[bytes]]
Living = Callable[[Simulation], NDArray[Any]]

STREAM = {
    "rate": 60,
    "lifetime": (0.2, 1.0),
    "capacity": 40,
    "speed": (1, 2),
    "spread": 30,
    "angular_velocity": 90,
    "modifiers": [gp.Acceleration((0, -9.8, 0)), gp.Drag(0.3)],
    "loop": True,
}


def run(particles: gp.ParticleSystem, steps: int, dt: float = 0.05) -> None:
    for _ in range(steps):
        particles.update(dt)


def test_pause_holds_everything_and_resume_goes_on(
    system: System, one: One, contents: Contents
) -> None:
    particles, straight = systems = system(), system()
    held, never = (each.play(one(**STREAM), seed=2) for each in systems)
    run(particles, 10)
    run(straight, 10)
    before = contents(held["it"])
    held.pause()
    assert held.paused
    run(particles, 10)
    assert contents(held["it"]) == before
    assert held.births == 30
    held.resume()
    assert not held.paused
    run(particles, 10)
    run(straight, 10)
    assert contents(held["it"]) == contents(never["it"])


def test_what_pauses_is_one_effect_and_it_is_still_drawn(
    system: System, one: One, picture: Callable[..., Any]
) -> None:
    particles = system()
    held, free = (particles.play(one(**STREAM)) for _ in range(2))
    run(particles, 3)
    free.release()
    held.pause()
    shown = picture(particles)
    assert shown.any()
    other = particles.play(one(**STREAM))
    run(particles, 3)
    assert (held.births, other.births) == (9, 9)
    other.release()
    assert np.array_equal(picture(particles), shown)


def test_stop_ends_births_and_the_living_finish(system: System, one: One) -> None:
    particles = system()
    stream = particles.play(one(**STREAM))
    run(particles, 20)
    births, live = stream.births, stream.live_count
    stream.stop()
    run(particles, 4)
    assert stream.births == births
    assert 0 < stream.live_count == len(stream["it"].read()) < live
    assert not stream.finished
    run(particles, 17)
    assert stream.live_count == 0
    assert stream.finished


def test_start_begins_at_time_0_and_leaves_the_living(system: System, one: One) -> None:
    particles = system()
    effect = one(bursts=[gp.Burst(0.5, 10)], lifetime=5.0, velocity=(1, 0, 0), duration=1.0)
    shot = particles.play(effect)
    run(particles, 12, 0.1)
    first = shot["it"].read()
    assert len(first) == 10
    shot.start()
    run(particles, 5, 0.1)
    assert shot.births == 10
    run(particles, 2, 0.1)
    found = shot["it"].read()
    assert found["number"].tolist() == list(range(20))
    assert np.array_equal(found["lifetime"][:10], first["lifetime"])
    assert found["age"] == pytest.approx([1.4] * 10 + [0.2] * 10, abs=1e-4)
    assert found["position"][:, 0] == pytest.approx(found["age"], abs=1e-4)


def test_start_goes_on_after_stop_and_after_the_end(system: System, one: One) -> None:
    particles = system()
    shot = particles.play(one(rate=10, duration=1.0, lifetime=0.5))
    run(particles, 40)
    assert shot.finished
    shot.start()
    assert not shot.finished
    run(particles, 15)
    assert shot.births == 17
    shot.stop()
    run(particles, 20)
    assert shot.finished
    shot.start()
    run(particles, 40)
    assert shot.births == 27


def test_retire_finishes_the_current_loop(system: System, one: One) -> None:
    particles = system()
    effect = one(rate=20, bursts=[gp.Burst(0.9, 5)], duration=1.0, lifetime=0.3, loop=True)
    looped = particles.play(effect)
    run(particles, 25)
    assert looped.births == 25 + 5
    looped.retire()
    run(particles, 10)
    # The burst of the second loop is still to come, and half of its rate.
    assert looped.births == 35 + 5
    run(particles, 4)
    assert looped.births == 39 + 10
    run(particles, 40)
    assert looped.births == 40 + 10
    assert looped.finished
    looped.start()
    run(particles, 60)
    assert looped.births == 50 + 60 + 15  # it loops again


def test_reset_equals_a_fresh_run_byte_for_byte(
    system: System, one: One, living: Living, state: Callable[..., Any]
) -> None:
    particles, other = system(), system()
    effect = one(bursts=[gp.Burst(0.3, 30)], duration=0.7, **{**STREAM, "capacity": 200})
    used = particles.play(effect, seed=5)
    run(particles, 37, 0.041)
    used["it"].emit(9)
    used.reset()
    assert (used.live_count, used.births, used.dropped) == (0, 0, 0)
    assert len(used["it"].read()) == 0
    fresh = other.play(effect, seed=5)
    rng = np.random.default_rng(1)
    for _ in range(60):
        dt = rng.uniform(0.001, 0.09)
        particles.update(dt)
        other.update(dt)
        a, b = (living(each["it"]._simulation) for each in (used, fresh))
        assert a.tobytes() == b.tobytes()
        assert used["it"].read().tobytes() == fresh["it"].read().tobytes()
        assert (used.births, used.dropped) == (fresh.births, fresh.dropped)
        # The dead in the rows in use too.
        assert [part.tobytes() for part in state(used["it"])] == [
            part.tobytes() for part in state(fresh["it"])
        ]
    assert fresh.births > 150


def test_reset_of_a_finished_effect_plays_it_again(system: System, one: One) -> None:
    particles = system()
    shot = particles.play(
        one(bursts=[gp.Burst(0.0, 10)], duration=0.1, lifetime=(0.2, 0.5)), seed=3
    )
    calls: list[gp.EffectInstance] = []
    shot.on_finished = calls.append
    run(particles, 2)
    first = shot["it"].read()
    run(particles, 20)
    assert calls == [shot]
    shot.reset()
    assert not shot.finished
    run(particles, 2)
    assert shot["it"].read().tobytes() == first.tobytes()
    run(particles, 20)
    assert calls == [shot, shot]


def test_reset_keeps_where_it_is_and_how_fast(system: System, one: One) -> None:
    particles = system()
    stream = particles.play(one(rate=10, velocity=(0, 0, 0), lifetime=9.0, loop=True))
    stream.transform = (3, 0, 0)
    stream.speed = 2.0
    stream["it"].rate = 20.0
    run(particles, 5)
    stream.reset()
    stream.transform = (5, 0, 0)
    run(particles, 2)
    # No path leads to it from where it was; 0.2 s at 20/s are four births.
    assert stream["it"].read()["position"][:, 0] == pytest.approx([5.0] * 4)


@pytest.mark.parametrize("speed", [0.25, 0.5, 2.0, 7.0])
def test_speed_scales_time(system: System, one: One, speed: float) -> None:
    particles, other = system(), system()
    fast, normal = (each.play(one(**STREAM), seed=1) for each in (particles, other))
    fast.speed = speed
    for _ in range(30):
        particles.update(0.03125 / speed)
        other.update(0.03125)
    assert fast["it"].read().tobytes() == normal["it"].read().tobytes()
    assert fast.speed == speed


def test_speed_0_freezes(system: System, one: One, contents: Contents) -> None:
    particles = system()
    stream = particles.play(one(**STREAM))
    run(particles, 5)
    before = contents(stream["it"])
    stream.speed = 0.0
    run(particles, 5)
    assert contents(stream["it"]) == before
    stream.speed = 1.0
    run(particles, 5)
    assert stream.births == 30


@pytest.mark.parametrize("speed", [-1.0, math.nan, math.inf, True])
def test_an_impossible_speed_is_refused(system: System, one: One, speed: float) -> None:
    stream = system().play(one())
    with pytest.raises(gp.EffectError, match=r"speed: .* is not a finite number of at least 0"):
        stream.speed = speed
    assert stream.speed == 1.0


def test_finished_comes_once_after_the_last_birth_and_the_last_death(
    system: System, one: One
) -> None:
    particles = system()
    calls: list[tuple[gp.EffectInstance, int]] = []
    shot = particles.play(one(rate=10, bursts=[gp.Burst(1.55, 3)], duration=1.0, lifetime=0.5))
    finished: list[bool] = []
    shot.on_finished = lambda instance: calls.append((instance, len(finished)))
    for _ in range(60):
        particles.update(0.05)
        finished.append(shot.finished)
        assert bool(calls) == shot.finished
    # The last particle of the rate dies at 1.5, when the burst is still to come; that dies at 2.05.
    assert finished.index(True) in (40, 41)
    assert calls == [(shot, finished.index(True))]
    assert shot.births == 13


def test_a_looping_effect_never_finishes(system: System, one: One) -> None:
    particles = system()
    idle = particles.play(one(rate=0.0, duration=0.1, loop=True))
    run(particles, 30)
    assert not idle.finished


def test_an_effect_is_finished_when_all_its_emitters_are(system: System) -> None:
    particles = system()
    emitters = [
        gp.Emitter("brief", rate=10, lifetime=0.1, duration=0.2),
        gp.Emitter("long", rate=10, lifetime=0.1, duration=1.0),
    ]
    both = particles.play(gp.Effect("test", emitters, loop=False))
    run(particles, 10)
    assert both["brief"].live_count == 0
    assert not both.finished
    run(particles, 15)
    assert both.finished


def test_a_finished_effect_that_emits_is_not_finished(system: System, one: One) -> None:
    particles = system()
    calls: list[gp.EffectInstance] = []
    shot = particles.play(one(bursts=[gp.Burst(0.0, 5)], duration=0.1, lifetime=0.2))
    shot.on_finished = calls.append
    run(particles, 8)
    assert shot.finished
    shot["it"].emit(7)
    assert not shot.finished
    run(particles, 1)
    assert shot.live_count == len(shot["it"].read()) == 7
    run(particles, 8)
    assert shot.finished
    assert calls == [shot, shot]
    assert shot.births == 12


def test_on_finished_may_release_play_and_burst(system: System, one: One) -> None:
    particles = system()
    shot = one(bursts=[gp.Burst(0.0, 5)], duration=0.1, lifetime=0.2)
    log: list[str] = []

    def release(instance: gp.EffectInstance) -> None:
        log.append("release")
        instance.release()

    def play(instance: gp.EffectInstance) -> None:
        log.append("play")
        instance.release()
        particles.play(shot).on_finished = burst

    def burst(instance: gp.EffectInstance) -> None:
        log.append("burst")
        particles.burst(shot)
        instance.start()
        instance.on_finished = release

    for callback in (release, play, burst):
        particles.play(shot).on_finished = callback
    run(particles, 6)
    # One was released, one plays anew, one was started again beside its burst.
    assert log == ["release", "play", "burst"]
    assert len(particles.effects) == 2
    run(particles, 1)
    assert particles.stats.live == 15
    run(particles, 30)
    # Both that go on have finished: one bursts and starts again, the other is released.
    assert sorted(log[3:]) == ["burst", "release", "release"]
    assert particles.effects == ()
    assert particles.stats.live == 0


def test_a_callback_may_release_another_effect(system: System, one: One) -> None:
    particles = system()
    shot = one(bursts=[gp.Burst(0.0, 5)], duration=0.1, lifetime=0.2)
    first, second = particles.play(shot), particles.play(one(**STREAM))
    first.on_finished = lambda _: second.release()
    run(particles, 10)
    assert second.released
    assert particles.effects == (first,)


def test_a_callback_may_release_the_system(system: System, one: One) -> None:
    particles = system()
    shot = one(bursts=[gp.Burst(0.0, 5)], duration=0.1, lifetime=0.2)
    playing = [particles.play(shot) for _ in range(2)]
    for each in playing:
        each.on_finished = lambda _: particles.release()
    for _ in range(10):
        if not playing[0].released:
            particles.update(0.05)
    assert all(each.released for each in playing)


def test_a_callback_that_fails_takes_no_other_along(system: System, one: One) -> None:
    particles = system()
    shot = one(bursts=[gp.Burst(0.0, 5)], duration=0.1, lifetime=0.2)
    calls: list[gp.EffectInstance] = []

    def fail(instance: gp.EffectInstance) -> None:
        raise RuntimeError("no")

    bad, good = particles.play(shot), particles.play(shot)
    particles.play(one(**STREAM))
    bad.on_finished, good.on_finished = fail, calls.append
    with pytest.raises(RuntimeError, match="no"):
        run(particles, 10)
    run(particles, 10)
    assert calls == [good]
    assert bad.finished


def test_release_frees_everything_at_once_and_is_safe_twice(
    ctx: moderngl.Context,
    system: System,
    one: One,
    live_objects: Callable[[], dict[str, list[int]]],
) -> None:
    particles = system()
    before = live_objects()
    stream = particles.play(one(**STREAM))
    run(particles, 3)
    assert live_objects() != before
    stream.release()
    assert live_objects() == before
    assert particles.effects == ()
    assert particles.stats == type(particles.stats)(live=0, dropped=0, programs=0, gpu_bytes=0)
    stream.release()
    run(particles, 3)
    assert ctx.error == "GL_NO_ERROR"


def test_a_released_effect_is_a_clear_error(system: System, one: One) -> None:
    particles = system()
    stream = particles.play(one(**STREAM))
    emitter = stream["it"]
    run(particles, 3)
    stream.release()
    uses: list[Callable[[], Any]] = [
        stream.pause,
        stream.resume,
        stream.stop,
        stream.start,
        stream.retire,
        stream.reset,
        lambda: stream.teleport((0, 0, 0)),
        lambda: setattr(stream, "transform", (0, 0, 0)),
        lambda: setattr(stream, "speed", 2.0),
        lambda: setattr(stream, "tint", (1, 0, 0)),
        lambda: setattr(emitter, "rate", 2.0),
        lambda: emitter.emit(1),
        emitter.read,
    ]
    for use in uses:
        with pytest.raises(gp.ContextError, match=r"(test|it): this effect has been released"):
            use()
    assert stream.released
    assert stream.live_count == emitter.live_count == 0
    assert "released" in repr(stream)


def test_a_released_system_is_a_clear_error_and_releases_all_it_plays(
    ctx: moderngl.Context,
    one: One,
    live_objects: Callable[[], dict[str, list[int]]],
) -> None:
    before = live_objects()
    effect = one(**STREAM)
    with gp.ParticleSystem(ctx) as particles:
        stream = particles.play(effect)
        particles.burst(effect)
        particles.warm_up(effect)
        run(particles, 3)
    assert live_objects() == before
    assert stream.released
    particles.release()
    uses: list[Callable[[], Any]] = [
        lambda: particles.play(effect),
        lambda: particles.burst(effect),
        lambda: particles.update(0.1),
        lambda: particles.update(0.0),
        lambda: particles.draw(np.eye(4), np.eye(4)),
        lambda: particles.warm_up(effect),
        lambda: particles.guarded().__enter__(),
        stream.reset,
    ]
    for use in uses:
        with pytest.raises(gp.ContextError, match="has been released"):
            use()
    stream.release()
    assert particles.stats.gpu_bytes == particles.stats.programs == 0


def test_one_emitter_is_asked_for_by_name(system: System) -> None:
    effect = gp.Effect("fire", [gp.Emitter("flames"), gp.Emitter("smoke")])
    fire = system().play(effect)
    assert fire["smoke"].name == "smoke"
    assert fire["smoke"].emitter is effect.emitters[1]
    assert [emitter.name for emitter in fire] == ["flames", "smoke"]
    assert len(fire) == 2
    with pytest.raises(gp.EffectError, match=r'no emitter .flame.; did you mean "flames"'):
        fire["flame"]


def test_the_library_finds_effects_by_name_and_suggests(system: System, one: One) -> None:
    particles = system()
    particles.library["sparks"] = one(bursts=[gp.Burst(0.0, 3)], lifetime=9.0)
    particles.library["smoke"] = one(rate=100)
    stream = particles.play("smoke")
    assert stream.effect is particles.library["smoke"]
    particles.burst("sparks", position=(0, 0, 0))
    particles.update(0.01)
    assert particles.stats.live == 4
    for call in (particles.play, particles.burst, particles.warm_up):
        with pytest.raises(gp.EffectError, match=r'no effect .sparcs.; did you mean "sparks"'):
            call("sparcs")
        with pytest.raises(gp.EffectError, match="5 is neither an Effect nor the name"):
            call(5)
    del particles.library["smoke"]
    with pytest.raises(gp.EffectError, match='no effect "smoke"'):
        particles.play("smoke")
    with pytest.raises(gp.EffectError, match="is not an Effect"):
        particles.library["x"] = "sparks.json"
    with pytest.raises(gp.EffectError, match="5 is not a name"):
        particles.library[5] = one()
    assert list(particles.library) == ["sparks"]
    # Whoever plays on still plays.
    particles.update(0.1)
    assert stream.births == 11


@pytest.mark.parametrize("where", [5, "here", np.eye(3), (1, math.nan, 0), np.zeros((4, 4))])
def test_an_impossible_place_is_refused_and_leaves_nothing(
    ctx: moderngl.Context,
    system: System,
    one: One,
    live_objects: Callable[[], dict[str, list[int]]],
    where: Any,
) -> None:
    particles = system()
    stream = particles.play(one())
    before = live_objects()
    uses: list[tuple[str, Callable[[], Any]]] = [
        ("transform", lambda: particles.play(one(), transform=where)),
        ("position", lambda: particles.burst(one(), position=where)),
        ("transform", lambda: particles.burst(one(), transform=where)),
        ("transform", lambda: setattr(stream, "transform", where)),
        ("teleport", lambda: stream.teleport(where)),
    ]
    for name, use in uses:
        with pytest.raises(gp.EffectError, match=f"^{name}: "):
            use()
    assert live_objects() == before
    assert np.array_equal(stream.transform, np.eye(4))
    assert particles.effects == (stream,)


@pytest.mark.parametrize("seed", [1.5, "seven", True])
def test_an_impossible_seed_is_refused(system: System, one: One, seed: Any) -> None:
    particles = system()
    for call in (particles.play, particles.burst):
        with pytest.raises(gp.EffectError, match=r"seed: .* is not a whole number"):
            call(one(), seed=seed)
    assert particles.stats.gpu_bytes == 0


def test_numpy_integers_are_seeds(system: System, one: One, living: Living) -> None:
    particles = system()
    same = [particles.play(one(**STREAM), seed=seed) for seed in (7, np.int64(7), np.uint8(7))]
    run(particles, 4)
    assert len({living(each["it"]._simulation).tobytes() for each in same}) == 1


IMPOSSIBLE_TINT = (
    r"^tint(: .* is not a colour; a colour is|\[3\]: NaN is not a number; an alpha is)"
)


@pytest.mark.parametrize("tint", [5, "red", (1, 2), (1, 1, 1, math.nan), (1, 1, 1, 1, 1), None])
def test_an_impossible_tint_is_refused(system: System, one: One, tint: Any) -> None:
    particles = system()
    with pytest.raises(gp.EffectError, match=IMPOSSIBLE_TINT):
        particles.burst(one(), tint=tint)
    assert particles.stats.gpu_bytes == 0
    stream = particles.play(one())
    with pytest.raises(gp.EffectError, match=IMPOSSIBLE_TINT):
        stream.tint = tint
    assert stream.tint == (1.0, 1.0, 1.0, 1.0)


@pytest.mark.parametrize("max_step", [0.0, -1.0, math.nan, math.inf])
def test_an_impossible_max_step_is_refused(ctx: moderngl.Context, max_step: float) -> None:
    with pytest.raises(gp.EffectError, match=r"max_step: .* is not a finite number above 0"):
        gp.ParticleSystem(ctx, max_step=max_step)


def test_seeds_decide_and_the_system_gives_each_effect_its_own(
    system: System, one: One, living: Living
) -> None:
    runs = []
    for seed in (0, 0, 1):
        particles = system(seed=seed)
        playing = [particles.play(one(**STREAM)) for _ in range(2)]
        run(particles, 10)
        runs.append([living(each["it"]._simulation).tobytes() for each in playing])
    assert runs[0] == runs[1]
    assert len({*runs[0], *runs[2]}) == 4
    particles = system()
    same = [particles.play(one(**STREAM), seed=6) for _ in range(2)]
    run(particles, 10)
    a, b = (living(each["it"]._simulation).tobytes() for each in same)
    assert a == b


def test_update_is_any_clocks_callback(system: System, one: One) -> None:
    """A clock passes its delta, as an int, a NumPy float or whatever it has."""
    particles = system()
    stream = particles.play(one(rate=1.0, lifetime=99.0, loop=True))
    clock: list[Callable[[Any], object]] = [particles.update]
    for dt in (1, np.float32(1.0), np.float64(1.0), 1.0):
        for callback in clock:
            callback(dt)
    assert stream.births == 4
