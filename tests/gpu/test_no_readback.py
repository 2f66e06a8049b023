"""Playback reads nothing back from the GPU: every way to do so raises while these run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import moderngl
import numpy as np
import pytest
from PIL import Image

import gpuparticles as gp

VIEW = PROJECTION = np.eye(4)
EFFECT = gp.Effect(
    "all",
    [
        gp.Emitter(
            "smoke",
            capacity=64,
            rate=300,
            bursts=[gp.Burst(0, 10), gp.Burst(0.2, 30)],
            lifetime=(0.1, 0.7),
            shape=gp.Circle(0.5),
            spread=40,
            angular_velocity=(-90, 90),
            size_over_life=[(0, 0), (0.2, 1), (1, 0)],
            modifiers=[
                gp.Acceleration((0, -9.8, 0), variation=0.3),
                gp.Drag(0.5, over_life=[(0, 0), (1, 1)]),
                gp.Radial(-2, center=(0, 1, 0), falloff=(0, 3)),
                gp.Vortex(3, handedness="random", space="world"),
            ],
            sprite=gp.Sprite(
                texture=Image.new("RGBA", (8, 8)), flipbook=gp.Flipbook(2, 2), order="depth"
            ),
        ),
        gp.Emitter("sparks", capacity=30, rate=90, space="local", sprite=gp.Sprite(stretch=0.1)),
    ],
    duration=0.5,
    loop=False,
    modifiers=[gp.Drag(0.1)],
)


@pytest.fixture
def particles(ctx: moderngl.Context, no_readback: None) -> Iterator[gp.ParticleSystem]:
    """A system that draws into something, made and released while reading back raises."""
    color = ctx.texture((8, 8), 4)
    framebuffer = ctx.framebuffer([color])
    framebuffer.use()
    particles = gp.ParticleSystem(ctx)
    yield particles
    particles.release()
    framebuffer.release()
    color.release()


def test_reading_does_raise(particles: gp.ParticleSystem, ctx: moderngl.Context) -> None:
    """The fixture forbids what read() does, and what a host would do."""
    fire = particles.play(EFFECT)
    particles.update(0.1)
    with pytest.raises(AssertionError, match="read back"):
        fire["smoke"].read()
    with pytest.raises(AssertionError, match="read back"):
        ctx.fbo.read()
    particles.update(0.1)


def test_an_effect_plays_from_its_first_birth_to_its_end(particles: gp.ParticleSystem) -> None:
    """And tells, all the while, how many live and that it is finished."""
    told: list[gp.EffectInstance] = []
    fire = particles.play(EFFECT)
    fire.on_finished = told.append
    most = 0
    for _ in range(60):
        particles.update(1 / 30)
        particles.draw(VIEW, PROJECTION)
        most = max(most, fire.live_count)
        assert particles.stats.live == fire.live_count

    assert most > 40
    assert fire.dropped > 0, "it was full for a while"
    assert fire.live_count == 0
    assert fire.finished
    assert told == [fire]


def test_everything_that_playback_offers(particles: gp.ParticleSystem) -> None:
    """Every call but read()."""
    particles.warm_up(EFFECT)
    particles.library["all"] = EFFECT
    fire = particles.play("all", seed=3)
    calls: list[Callable[[], Any]] = [
        lambda: setattr(fire, "transform", (3000, 0, 0)),
        lambda: fire.teleport((0, 0, 0)),
        lambda: setattr(fire, "speed", 0.5),
        lambda: setattr(fire, "tint", (1, 0, 0, 0.5)),
        lambda: setattr(fire["smoke"], "rate", 1000),
        lambda: fire["sparks"].emit(10),
        lambda: fire["sparks"].emit(positions=[(1, 2, 3)] * 9, colors="#fff"),
        fire.pause,
        fire.resume,
        fire.stop,
        fire.start,
        fire.retire,
        fire.reset,
        lambda: particles.update(100),
        lambda: particles.burst("all", position=(0, 1, 0), tint=(0, 1, 0, 1)),
    ]
    for call in calls:
        call()
        with particles.guarded():
            particles.update(0.05)
            for depth in ("<=", ">=", None):
                particles.draw(VIEW, PROJECTION, depth_test=depth)
    fire.release()
    assert particles.stats.live > 0, "the burst goes on"


def test_bursts_from_their_first_birth_to_the_end_of_their_pool(
    particles: gp.ParticleSystem,
) -> None:
    """Many of them, so that the pool grows, which copies on the GPU."""
    for number in range(60):
        particles.burst(EFFECT, position=(number, 0, 0))
        particles.update(1 / 60)
        particles.draw(VIEW, PROJECTION)
    assert particles.stats.live > 1024, "it has grown"
    for _ in range(50):
        particles.update(1 / 30)
        particles.draw(VIEW, PROJECTION)

    assert particles.stats.live == 0
    assert particles.stats.gpu_bytes == 0


def test_the_live_count_needs_no_look_at_the_gpu(
    particles: gp.ParticleSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counted by the CPU all the time, it is what the GPU has when asked at last."""
    fire = particles.play(EFFECT, seed=5)
    for step in range(37):
        particles.update(0.003 + 0.0007 * step)
    counted = {emitter.name: emitter.live_count for emitter in fire}
    assert all(counted.values())

    monkeypatch.undo()
    assert {emitter.name: len(emitter.read()) for emitter in fire} == counted
