"""Where an effect is, and what may be said about it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

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


def test_a_position_moves_an_effect_and_keeps_its_turn(
    system: Callable[..., gp.ParticleSystem], one: Callable[..., gp.Effect]
) -> None:
    """Two numbers lie at z = 0; the rest of the transform stays."""
    quarter = np.array([[0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])
    playing = system().play(one(), transform=quarter)
    playing.position = (3, 4)

    assert playing.position == (3, 4, 0)
    assert np.allclose(playing.transform[:3, :3], quarter[:3, :3])
    for wrong in (5, "here", (1,), (1, 2, np.nan), (10**400, 0), np.eye(4)):
        with pytest.raises(gp.EffectError, match=r"^position: "):
            playing.position = wrong
    assert playing.position == (3, 4, 0)


def test_play_takes_a_position_or_a_transform(
    system: Callable[..., gp.ParticleSystem], one: Callable[..., gp.Effect]
) -> None:
    """Not both."""
    particles = system()

    assert particles.play(one(), position=(1, 2, 3)).position == (1, 2, 3)
    assert particles.play(one()).position == (0, 0, 0)
    with pytest.raises(gp.EffectError, match="a position or a transform, not both"):
        particles.play(one(), position=(1, 2, 3), transform=np.eye(4))
    assert len(particles.effects) == 2


def test_a_setting_that_does_not_exist_cannot_be_set(
    system: Callable[..., gp.ParticleSystem], one: Callable[..., gp.Effect]
) -> None:
    """A misspelt or misplaced name is an error, not a silent nothing."""
    particles = system()
    playing = particles.play(one())

    for owner, name in ((playing, "rate"), (playing["it"], "spread"), (particles, "speed")):
        with pytest.raises(AttributeError):
            setattr(owner, name, 3)
    with pytest.raises(gp.EffectError, match="on_finished: 3 is neither callable nor None"):
        playing.on_finished = 3
    for speed in (None, "fast", -1, np.nan, 10**400):
        with pytest.raises(gp.EffectError, match=r"^speed: .* is not a finite number"):
            playing.speed = speed
    with pytest.raises(gp.EffectError, match=r"parameters: 3 gives no values by name"):
        playing.parameters.update(3)
    assert "it" in playing
    assert "nobody" not in playing


@pytest.mark.parametrize("dt", [None, "1", [1], 1j])
def test_time_that_is_no_number_is_refused(
    system: Callable[..., gp.ParticleSystem], one: Callable[..., gp.Effect], dt: object
) -> None:
    """With the sentence that negative time gets."""
    particles = system()
    particles.play(one())
    with pytest.raises(ValueError, match=r"^update: dt is .*, not a finite number of seconds"):
        particles.update(dt)
