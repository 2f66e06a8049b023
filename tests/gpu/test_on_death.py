"""Who listens is told of deaths: of whom, where, and when."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gpuparticles as gp

System = Callable[..., gp.ParticleSystem]
One = Callable[..., gp.Effect]


def listen(playing: gp.EffectInstance) -> list[Any]:
    told: list[Any] = []
    playing["it"].on_death = told.append
    return told


def test_each_death_is_told_once_where_it_was(system: System, one: One) -> None:
    """Straight flight: a particle of life t, born on its way, ends t * v farther on."""
    particles = system()
    effect = one(rate=60, lifetime=(0.2, 0.7), velocity=(3, 1, 0), loop=True, capacity=100)
    playing = particles.play(effect, position=(5, 0, 0), seed=2)
    told = listen(playing)
    lives: dict[int, float] = {}
    for _ in range(60):
        particles.update(1 / 30)
        living = playing["it"].read()
        lives |= dict(zip(living["number"].tolist(), living["lifetime"].tolist(), strict=True))
    playing.stop()
    for _ in range(40):
        particles.update(1 / 30)
    every = np.concatenate(told)
    assert sorted(every["number"].tolist()) == list(range(playing.births))
    for number, position, velocity in every.tolist():
        if number in lives:
            assert np.subtract(position, (5, 0, 0)) == pytest.approx(
                lives[number] * np.array((3, 1, 0)), abs=1e-3
            )
        assert velocity == pytest.approx((3, 1, 0))


def test_it_comes_three_updates_later_also_when_all_is_over(system: System, one: One) -> None:
    particles = system(max_step=1)
    playing = particles.play(one(bursts=[gp.Burst(0, 5)], lifetime=0.45, speed=1))
    told = listen(playing)
    counts = []
    for _ in range(10):
        particles.update(0.1)
        counts.append(sum(map(len, told)))
    assert counts == [0, 0, 0, 0, 0, 0, 0, 5, 5, 5]
    assert playing.finished


def test_slots_are_asked_before_others_get_them(system: System, one: One) -> None:
    """A full emitter in updates of many steps: each slot is used again at once."""
    particles = system(max_step=1 / 30)
    playing = particles.play(one(rate=30, lifetime=0.1, capacity=4, velocity=(10, 0, 0), loop=True))
    told = listen(playing)
    for _ in range(24):
        particles.update(0.09)
    every = np.concatenate(told)
    assert len(every) > 40
    assert every["position"][:, 0] == pytest.approx(1.0, abs=1e-3)


def test_who_lived_and_died_in_a_hitch_is_not_told(system: System, one: One) -> None:
    particles = system(max_step=1 / 30)
    playing = particles.play(one(rate=30, lifetime=0.1, velocity=(10, 0, 0), loop=True))
    told = listen(playing)
    for dt in (2.0, *[0.1] * 6):
        particles.update(dt)
    every = np.concatenate(told)
    assert 8 < len(every) < 30
    assert every["position"][:, 0] == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("space", ["world", "local"])
def test_places_are_the_world_s(system: System, one: One, space: str) -> None:
    """Of a turned, distant effect; a shift of the origin meanwhile counts."""
    particles = system()
    turn = np.array([[0, -1, 0, 1e6], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])
    effect = one(bursts=[gp.Burst(0, 1)], lifetime=0.2, velocity=(1, 0, 0), space=space)
    told = listen(particles.play(effect, transform=turn))
    particles.update(0.25)
    particles.shift_origin((-1e6, 0, 0))
    for _ in range(4):
        particles.update(0.1)
    (records,) = told
    assert records["position"][0] == pytest.approx((0, 0.2, 0), abs=1e-3)
    assert records["velocity"][0] == pytest.approx((0, 1, 0), abs=1e-6)


def test_who_is_killed_is_told_too(system: System, one: One) -> None:
    particles = system()
    floor = gp.KillPlane(point=(0, 0, 0), normal=(0, 1, 0))
    effect = one(
        bursts=[gp.Burst(0, 20)],
        lifetime=9,
        shape=gp.Box((1, 0.5, 1), offset=(0, 2, 0)),
        velocity=(0, -4, 0),
        modifiers=[floor],
    )
    told = listen(particles.play(effect))
    for _ in range(60):
        particles.update(1 / 30)
    every = np.concatenate(told)
    assert sorted(every["number"].tolist()) == list(range(20))
    assert (np.abs(every["position"][:, 1]) < 4 / 30 + 1e-3).all()


def test_sparks_leave_smoke_where_they_end(system: System, one: One) -> None:
    particles = system()
    sparks = particles.play(
        one(bursts=[gp.Burst(0, 8)], lifetime=(0.2, 0.4), speed=(2, 4), spread=90)
    )
    smoke = particles.play(one(lifetime=9.0, speed=0), position=(3, 3, 3))
    ends: list[Any] = []

    def puff(dead: Any) -> None:
        ends.append(dead["position"])
        smoke["it"].emit(positions=dead["position"], velocities=(0, 0.1, 0))

    sparks["it"].on_death = puff
    for _ in range(30):
        particles.update(1 / 30)
    assert smoke.live_count == 8
    born = smoke["it"].read()["position"]
    expected = np.concatenate(ends)
    assert np.abs(born - expected)[:, [0, 2]].max() < 1e-4


def test_without_a_listener_nothing_is_asked_and_listening_changes_nothing(
    system: System, one: One
) -> None:
    effect = one(rate=100, lifetime=(0.1, 0.3), loop=True, spread=90)
    quiet, heard = system(), system()
    a, b = (particles.play(effect, seed=4) for particles in (quiet, heard))
    told = listen(b)
    for _ in range(20):
        quiet.update(0.05)
        heard.update(0.05)
    assert a.snapshot() == b.snapshot()
    assert told
    assert heard.stats.gpu_bytes > quiet.stats.gpu_bytes
    b["it"].on_death = None
    assert heard.stats.gpu_bytes == quiet.stats.gpu_bytes
    count = len(told)
    for _ in range(10):
        heard.update(0.05)
    assert len(told) == count


def test_a_reset_forgets_and_a_release_is_clean(system: System, one: One) -> None:
    particles = system()
    playing = particles.play(one(bursts=[gp.Burst(0, 5)], lifetime=0.1))
    told = listen(playing)
    particles.update(0.2)
    playing.reset()
    for _ in range(4):
        particles.update(0.01)
    assert not told
    particles.update(0.2)
    playing.release()
    for _ in range(5):
        particles.update(0.1)
    assert not told
    with pytest.raises(gp.ContextError, match="released"):
        playing["it"].on_death = print


def test_a_listener_is_callable(system: System, one: One) -> None:
    it = system().play(one())["it"]
    with pytest.raises(gp.EffectError, match="it: on_death: 3 is neither callable nor None"):
        it.on_death = 3
