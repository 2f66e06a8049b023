"""Deaths that the GPU brings about, and what becomes of the slots."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import moderngl
import numpy as np
import pytest

import gpuparticles as gp
from gpuparticles.gpu.gl import GL
from gpuparticles.playback.reference import Reference
from tests.gpu.conftest import assert_same_particles

System = Callable[..., gp.ParticleSystem]
One = Callable[..., gp.Effect]


def rain(one: One, **settings: Any) -> gp.Effect:
    """Ten a second, each of which a plane kills after a second, with room for twenty."""
    given: dict[str, Any] = {
        "capacity": 20,
        "rate": 10,
        "lifetime": 100,
        "velocity": (0, -1, 0),
        "modifiers": [gp.KillPlane(point=(0, -1, 0))],
        "loop": True,
    }
    return one(**given | settings)


@pytest.mark.parametrize("lifetime", [100, math.inf])
def test_who_is_killed_makes_room(system: System, one: One, lifetime: float) -> None:
    """Births never stall."""
    particles = system()
    instance = particles.play(rain(one, lifetime=lifetime))
    for _ in range(600):
        particles.update(1 / 60)

    assert instance.births == pytest.approx(100, abs=1)
    assert instance.dropped == 0
    assert instance.live_count == pytest.approx(10, abs=2)


def test_slots_are_free_exactly_three_updates_later(system: System, one: One) -> None:
    """However long updates are, and however many steps they have; of no time is none."""
    effect = rain(one, rate=0, bursts=[gp.Burst(count=20)], velocity=(0, (-1.1, -1), 0))
    particles = system(max_step=0.1)
    instance = particles.play(effect)
    for dt in (0.5, 0.2, 0.1, 0.05):
        particles.update(dt)
    assert instance.live_count == len(instance["it"].read()) == 20
    particles.update(0.2)  # all die in it
    for dt in (0.01, 0, 0.3):
        particles.update(dt)
        assert instance.live_count == 20
        assert len(instance["it"].read()) == 0
    particles.update(1 / 60)
    assert instance.live_count == 0


def test_the_gpu_and_the_reference_bury_alike(system: System, one: One) -> None:
    """Same numbers in the same slots, while slots are scarce and some die by themselves."""
    effect = rain(
        one,
        capacity=40,
        rate=60,
        lifetime=(0.3, 2),
        velocity=((-0.5, 0.5), (-3, -0.6), 0),
        modifiers=[gp.KillPlane(point=(0, -1, 0)), gp.KillSphere((0.3, -0.4, 0), 0.1)],
    )
    particles = system()
    instance = particles.play(effect, seed=4)
    reference = Reference(effect, seed=4)
    for step in range(240):
        dt = 0.006 + 0.0005 * (step % 60)
        particles.update(dt)
        reference.update(dt)
        assert instance.live_count == reference.live_count
        ours, theirs = instance["it"]._player.population, reference.players[0].population
        assert np.array_equal(ours.slots.taken(), theirs.slots.taken())
        assert np.array_equal(ours.numbers, theirs.numbers)
    assert_same_particles(instance["it"].read(), reference.read("it"))
    assert instance.dropped == reference.players[0].population.dropped > 0


def test_who_is_born_in_the_slot_since_is_left_alone(system: System, one: One) -> None:
    """A particle that dies of age and on the plane at once, and another in its slot."""
    effect = rain(one, capacity=1, rate=0, lifetime=0.5, velocity=(0, -2, 0))
    particles = system()
    instance = particles.play(effect)
    for _ in range(8):
        instance["it"].emit(1)
        for _ in range(31):
            particles.update(1 / 60)
    assert instance.births == 8
    assert instance.dropped == 0
    instance["it"].emit(1)
    particles.update(1 / 60)
    assert instance.live_count == 1


def test_a_reset_and_a_seek_equal_a_fresh_run(system: System, one: One) -> None:
    """Reports of before are of others."""
    effect = rain(one)
    particles = system()
    once, again = particles.play(effect, seed=1), particles.play(effect, seed=1)
    for _ in range(100):
        particles.update(1 / 40)
    again.reset()
    once.reset()
    particles.update(1 / 40)
    for _ in range(100):
        particles.update(1 / 40)
    fresh = particles.play(effect, seed=1)
    again.reset()
    for _ in range(101):
        particles.update(1 / 40)
    assert np.array_equal(again["it"].read(), fresh["it"].read())
    assert again.live_count == fresh.live_count
    again.seek(30)
    assert again.births == 300
    assert again.dropped == 0
    assert len(again["it"].read()) == pytest.approx(10, abs=1)


def test_a_hitch_is_survived(system: System, one: One) -> None:
    """Longer than any life: what is booked does not die on the plane, and all goes on after."""
    particles = system()
    instance = particles.play(rain(one, lifetime=2))
    for dt in (*[1 / 60] * 90, 30.0, *[1 / 60] * 120):
        particles.update(dt)
    assert instance.live_count == pytest.approx(10, abs=3)
    assert len(instance["it"].read()) == pytest.approx(10, abs=2)


def test_a_burst_whose_particles_are_killed_ends(system: System, one: One) -> None:
    """It has textures of its own, and gives them back."""
    particles = system()
    particles.burst(rain(one, rate=0, bursts=[gp.Burst(count=5)], loop=False))
    for _ in range(80):
        particles.update(1 / 60)
    assert particles.stats.live == 0
    assert particles.stats.gpu_bytes == 0


def test_capacity_may_change_meanwhile(system: System, one: One) -> None:
    particles = system()
    instance = particles.play(rain(one, rate=40, capacity=100))
    for step in range(300):
        if step % 50 == 20:
            instance["it"].capacity = (30, 2000, 60)[step // 50 % 3]
        particles.update(1 / 60)
    assert instance.live_count == pytest.approx(40, abs=5)


def test_a_report_is_only_read_behind_its_fence(
    system: System, one: One, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One small copy an update, of what was asked for three updates ago, and no other reading."""
    particles = system()
    calls: list[tuple[str, Any]] = []
    gl = particles._scene.guard.gl
    for name in ("FenceSync", "ClientWaitSync", "ReadPixels", "GetBufferSubData", "DeleteSync"):
        real = getattr(gl, name)

        def call(*args: Any, name: str = name, real: Any = real) -> Any:
            result = real(*args)
            calls.append((name, result if name == "FenceSync" else args[0]))
            return result

        monkeypatch.setattr(gl, name, call)
    particles.play(rain(one))
    for _ in range(30):
        particles.update(1 / 10)
    fences = [fence for name, fence in calls if name == "FenceSync"]
    for number, (name, _) in enumerate(calls):
        if name == "GetBufferSubData":
            assert [each for each, _ in calls[number - 2 : number]] == [
                "ClientWaitSync",
                "DeleteSync",
            ]
    waited = [fence for name, fence in calls if name == "ClientWaitSync"]
    assert waited == fences[: len(waited)]
    assert len(fences) - len(waited) == 3
    assert all(args == 0 for name, args in calls if name == "ReadPixels")


def test_an_emitter_that_cannot_kill_reads_nothing(
    ctx: moderngl.Context, one: One, no_readback: None
) -> None:
    """Though it collides; while one that can does."""
    assert GL(ctx).ReadPixels is not None
    particles = gp.ParticleSystem(ctx)
    try:
        particles.play(rain(one, modifiers=[gp.CollidePlane(point=(0, -1, 0))]))
        for _ in range(10):
            particles.update(0.1)
        particles.play(rain(one))
        with pytest.raises(AssertionError, match="read back"):
            particles.update(0.1)
    finally:
        particles.release()
