"""Emitters that sit somewhere in their effect and ride along."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import gpuparticles as gp
from gpuparticles.gpu.simulate import Simulation
from gpuparticles.system.pool import Bursts

System = Callable[..., gp.ParticleSystem]
One = Callable[..., gp.Effect]
Matrix = NDArray[np.float64]

OFFSET = gp.Offset((2.0, 0.5, -1.0), (20.0, -50.0, 70.0), (-1.5, 0.5, 2.0))
BUSY: dict[str, Any] = {
    "rate": 40.0,
    "lifetime": 2.0,
    "shape": gp.Box((0.2, 0.4, 0.6)),
    "speed": (1, 2),
    "spread": 30,
    "modifiers": [gp.Vortex(3.0, (1, 2, 0), (0.5, 0, 0)), gp.Acceleration((0, -3, 0))],
    "loop": True,
}


def about(axis: int, degrees: float) -> Matrix:
    """The matrix of a turn about X, Y or Z."""
    made = np.eye(4)
    a, b = (axis + 1) % 3, (axis + 2) % 3
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    made[a, a], made[a, b], made[b, a], made[b, b] = c, -s, s, c
    return made


def matrix_of(offset: gp.Offset) -> Matrix:
    """About X first, then Y, then Z, after the scale."""
    x, y, z = offset.rotation
    made = about(2, z) @ about(1, y) @ about(0, x) @ np.diag([*offset.scale, 1.0])
    made[:3, 3] = offset.position
    return made


@pytest.mark.parametrize("stretched", [False, True], ids=["plain", "stretched"])
@pytest.mark.parametrize("space", ["world", "local"])
def test_it_acts_as_the_product_of_the_transforms(
    system: System, one: One, space: str, stretched: bool
) -> None:
    """Also while the effect moves and turns, and when it has a scale of its own."""
    particles = system()
    size = np.diag([2.0, -1.0, 0.5, 1.0]) if stretched else np.eye(4)
    inner = particles.play(one(space=space, offset=OFFSET, **BUSY), seed=3)
    outer = particles.play(one(space=space, **BUSY), seed=3)
    for frame in range(40):
        effect = about(1, 3.0 * frame) @ about(0, 40.0)
        effect[:3, 3] = (0.05 * frame, 0, 3)
        inner.transform = effect @ size
        outer.transform = effect @ size @ matrix_of(OFFSET)
        particles.update(1 / 60)
    found, expected = inner["it"].read(), outer["it"].read()
    assert len(found) > 20
    assert found["number"].tolist() == expected["number"].tolist()
    assert found["position"] == pytest.approx(expected["position"], abs=1e-4)
    assert found["velocity"] == pytest.approx(expected["velocity"], abs=1e-4)


def test_births_lie_on_the_emitters_own_line_while_the_effect_turns(
    system: System, one: One
) -> None:
    """A quarter turn in one update takes an emitter at +X to -Z, on a straight line."""
    particles = system()
    playing = particles.play(
        one(rate=10, lifetime=9, speed=1, offset=gp.Offset((4, 0, 0), (0, 0, -90)))
    )
    particles.update(0.1)
    playing.transform = about(1, 90)
    particles.update(1.0)
    found = playing["it"].read()[1:]
    share = np.linspace(0.1, 1.0, 10)
    angle = share * math.pi / 2
    born = np.stack([4 - 4 * share, 0 * share, -4 * share], axis=1)
    launch = np.stack([np.cos(angle), 0 * angle, -np.sin(angle)], axis=1)
    aged = found["age"][:, None].astype(float)
    assert found["velocity"] == pytest.approx(launch, abs=1e-5)
    assert found["position"] == pytest.approx(born + launch * aged, abs=1e-4)


def test_teleport_leaves_no_trace_between_the_emitters_places(system: System, one: One) -> None:
    particles = system()
    playing = particles.play(one(rate=100, lifetime=9, speed=0, offset=gp.Offset((0, 2, 0))))
    particles.update(0.1)
    playing.teleport((5, 0, 0))
    particles.update(0.1)
    assert set(np.round(playing["it"].read()["position"][:, 0], 4)) == {0.0, 5.0}
    assert playing["it"].read()["position"][:, 1] == pytest.approx(2.0)


def test_a_far_effect_takes_its_emitters_with_its_anchor(system: System, one: One) -> None:
    """The anchor moves, and places stay exact a million units away."""
    particles = system()
    playing = particles.play(one(rate=10, lifetime=99, speed=0, offset=gp.Offset((0.25, 0, 0))))
    particles.update(0.1)
    playing.teleport((1_000_000.5, 0, 0))
    particles.update(0.1)
    far = playing["it"].read()["position"][:, 0].max()
    assert far == pytest.approx(1_000_000.75, abs=1e-4)


def test_a_local_emitter_is_drawn_where_it_sits(
    system: System, one: One, picture: Callable[[gp.ParticleSystem], Any]
) -> None:
    """With the newest transform, drawn without another update."""
    particles = system()
    offset = gp.Offset((4, 0, 0))
    playing = particles.play(
        one(bursts=[gp.Burst(0, 1)], space="local", lifetime=9, speed=0, size=2, offset=offset)
    )
    particles.update(0.1)
    playing.transform = about(2, 90)
    rows, columns = np.nonzero(picture(particles)[..., 3] > 0.5)
    x, y = (20 * (np.mean(places) + 0.5) / 64 - 10 for places in (columns, rows))
    assert (x, y) == pytest.approx((0, 4), abs=0.2)


@pytest.mark.parametrize("space", ["world", "local"])
def test_a_burst_has_what_playing_has(
    system: System, living: Callable[[Simulation], NDArray[Any]], space: str
) -> None:
    """Two emitters at offsets of their own and one without, in many bursts at once."""
    settings: dict[str, Any] = {**BUSY, "space": space}
    del settings["loop"]
    effect = gp.Effect(
        "e",
        [
            gp.Emitter("here", **settings),
            gp.Emitter("there", offset=OFFSET, **settings),
            gp.Emitter("too", offset=OFFSET, **settings),
            gp.Emitter("up", offset=gp.Offset((0, 3, 0)), **settings),
        ],
        duration=1.0,
        loop=False,
    )
    particles, other = system(), system()
    for number in range(70):  # more than the table holds at first
        particles.burst(effect, position=(number, 0, 0), seed=number)
    place = about(0, 30) @ np.diag([1.0, 2.0, 1.0, 1.0])
    particles.burst(effect, transform=place, seed=70)
    alone = other.play(effect, transform=place, seed=70)
    for _ in range(30):
        particles.update(1 / 64)
        other.update(1 / 64)
    (pool,) = (each for each in particles._scene.playing if isinstance(each, Bursts))
    assert len(pool._tables) == 3
    for simulation, emitter in zip(pool._simulations, alone, strict=True):
        found = living(simulation)
        found = found[found["instance"] == 70]
        expected = living(emitter._simulation)
        assert len(found) == len(expected) > 10
        # Local particles are in the emitter's frame, whatever it is; the world's share an anchor.
        assert found["position"] == pytest.approx(expected["position"], abs=1e-4)
        assert found["velocity"] == pytest.approx(expected["velocity"], abs=1e-4)
