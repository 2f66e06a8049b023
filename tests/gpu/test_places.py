"""Where an effect is when nothing has been simulated yet."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import gpuparticles as gp


def test_a_place_set_before_the_first_update_leaves_no_trace(
    system: Callable[..., gp.ParticleSystem], one: Callable[..., gp.Effect]
) -> None:
    """All are born where the effect is, none on a way from the origin; then the path counts."""
    particles = system()
    playing = particles.play(one(rate=100, lifetime=10, speed=0))
    playing.transform = (5, 0, 0)
    particles.update(0.1)
    first = playing["it"].read()["position"][:, 0]
    playing.transform = (6, 0, 0)
    particles.update(0.1)
    then = playing["it"].read()["position"][:, 0]

    assert np.allclose(first, 5, atol=1e-6)
    assert np.allclose(then[10:], 5 + np.arange(1, 11) / 10, atol=1e-5)


def test_what_starts_again_elsewhere_starts_there(
    system: Callable[..., gp.ParticleSystem], one: Callable[..., gp.Effect]
) -> None:
    """An effect that has finished, moved and started does not smear over the way between."""
    particles = system()
    playing = particles.play(one(rate=100, duration=0.1, lifetime=0.2, speed=0))
    for _ in range(20):
        particles.update(0.05)
    assert playing.finished
    playing.transform = (7, 0, 0)
    playing.start()
    particles.update(0.05)

    assert playing.live_count == 5
    assert np.allclose(playing["it"].read()["position"][:, 0], 7, atol=1e-6)


def test_reset_begins_where_the_effect_is(
    system: Callable[..., gp.ParticleSystem], one: Callable[..., gp.Effect]
) -> None:
    """After a reset there is no way behind it."""
    particles = system()
    playing = particles.play(one(rate=100, lifetime=10, speed=0, loop=True))
    particles.update(0.1)
    playing.transform = (3, 0, 0)
    playing.reset()
    particles.update(0.1)

    assert np.allclose(playing["it"].read()["position"][:, 0], 3, atol=1e-6)
