"""Fields that fill the world keep their phase: far away, over moving anchors, and for days."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import gpuparticles as gp
from gpuparticles.playback.place import place_of
from tests.gpu.test_bursts import pools, to_world, transforms

System = Callable[..., gp.ParticleSystem]

# Noise repeats after 256 cells: at this frequency after 512 units, and gusts after 512 seconds.
FREQUENCY = 0.5
REPEATS = 512.0

FIELDS = {
    "turbulence": gp.Turbulence(5, FREQUENCY, octaves=3, scroll=(0, -1, 0)),
    "wind": gp.Wind((2, 0, 0), rate=2, gusts=0.9, gust_frequency=0.5),
    "vector_field": gp.VectorField(
        3,
        np.random.default_rng(1).uniform(-1, 1, (4, 4, 4, 3)),
        half=(4, 4, 4),
        tile=True,
        space="world",
    ),
}


def cloud(*modifiers: Any, **settings: Any) -> gp.Effect:
    """Forty particles from a box, at once."""
    given = {"lifetime": 9, "shape": gp.Box((3, 3, 3)), "speed": 0} | settings
    emitter = gp.Emitter("it", rate=0, bursts=[gp.Burst(0, 40)], modifiers=modifiers, **given)
    return gp.Effect("cloud", [emitter], loop=False, duration=9)


def played(
    particles: gp.ParticleSystem, effect: gp.Effect, place: tuple[float, float, float]
) -> NDArray[np.void]:
    """A second and a half of it."""
    instance = particles.play(effect, transform=place, seed=4)
    for _ in range(45):
        particles.update(1 / 30)
    return instance["it"].read()


@pytest.mark.parametrize("space", ["world", "local"])
@pytest.mark.parametrize("name", FIELDS)
def test_a_field_is_as_exact_a_million_units_away(system: System, name: str, space: str) -> None:
    """Where it repeats, the same happens."""
    far = (2000 * REPEATS, -1953 * REPEATS, 3 * REPEATS)
    effect = cloud(FIELDS[name], space=space)
    near, there = (played(system(), effect, place) for place in ((0, 0, 0), far))
    still = played(system(), cloud(space=space), (0, 0, 0))

    assert there["position"] - far == pytest.approx(near["position"], abs=1e-3)
    assert there["velocity"] == pytest.approx(near["velocity"], abs=1e-3)
    assert np.abs(near["position"] - still["position"]).max() > 0.5


@pytest.mark.parametrize("name", FIELDS)
def test_a_field_does_not_jump_where_it_does_not_repeat(system: System, name: str) -> None:
    """Nearby places a million units away lie in the same field, whatever they are born from."""
    far = np.array((1e6, -1e6, 333_333.0))
    fixed = gp.Box((0, 0, 0), offset=(0.75, 0.5, -0.25))
    here, beside = (
        played(system(), cloud(FIELDS[name], shape=shape), tuple(place))
        for shape, place in (
            (fixed, far),
            (gp.Point(offset=(-39.25, 0.5, 63.75)), far + np.array((40, 0, -64))),
        )
    )

    assert beside["position"] == pytest.approx(here["position"], abs=1e-3)


@pytest.mark.parametrize("name", FIELDS)
def test_a_field_stays_when_anchor_or_origin_move(system: System, name: str) -> None:
    """The particles of a burst go the same way while the emitter leaves and the origin shifts."""
    effect = cloud(FIELDS[name])
    at_rest = played(system(), effect, (0, 0, 0))
    particles = system()
    instance = particles.play(effect, seed=4)
    anchors, shifted = set(), np.zeros(3)
    for step in range(45):
        if step == 20:
            shifted = np.array((-1234.5, 77.25, 5000.0))
            particles.shift_origin(tuple(shifted))
        instance.transform = tuple(np.array((140.0 * step, 0, 0)) + shifted)
        particles.update(1 / 30)
        anchors.add(instance._anchor)
    found = instance["it"].read()

    assert len(anchors) >= 4
    # 7,000 units from its anchor float32 rounds a place by up to 1/4096 each step.
    assert found["position"] - shifted == pytest.approx(at_rest["position"], abs=5e-3)


@pytest.mark.parametrize("name", ["turbulence", "wind"])
def test_a_day_later_a_field_moves_as_in_the_first_second(system: System, name: str) -> None:
    """Both loops begin where time repeats: 170 times 512 seconds are a day and ten minutes."""
    day = 170 * REPEATS
    emitters = [
        gp.Emitter(
            f"e{i}",
            rate=0,
            bursts=[gp.Burst(0, 1)],
            lifetime=5,
            speed=0,
            offset=gp.Offset((i * 1.7, 0.4 * i, 0)),
            modifiers=[FIELDS[name]],
        )
        for i in range(4)
    ]
    particles = system()
    instance = particles.play(gp.Effect("day", emitters, duration=day), seed=1)
    ends = []
    for rest in (day - 1.5, 0):
        for _ in range(45):
            particles.update(1 / 30)
        ends.append(np.array([instance[e.name].read()[0]["position"] for e in emitters]))
        if rest:
            particles.update(rest)

    first, later = ends
    assert later == pytest.approx(first, abs=2e-3)
    assert np.abs(first - [e.offset.position for e in emitters]).max() > 0.3


@pytest.mark.parametrize("space", ["world", "local"])
@pytest.mark.parametrize("field_space", ["world", "emitter"])
@pytest.mark.parametrize("name", FIELDS)
def test_bursts_that_share_textures_lie_in_the_field_as_one_alone(
    system: System, living: Callable[[Any], NDArray[Any]], name: str, field_space: str, space: str
) -> None:
    """Each turned and at its own place: what is their space is turned back for each of them."""
    effect = cloud(replace(FIELDS[name], space=field_space), space=space)
    together, alone = system(), system()
    matrices = transforms(np.random.default_rng(8), 3, 50.0)
    for seed, matrix in enumerate(matrices):
        together.burst(effect, transform=matrix, seed=seed)
    singles = [alone.play(effect, transform=m, seed=seed) for seed, m in enumerate(matrices)]
    for _ in range(30):
        together.update(1 / 32)
        alone.update(1 / 32)
    (pool,) = pools(together)
    everybody = living(pool._simulations[0])
    assert len(everybody) == 120
    for seed, single in enumerate(singles):
        found = everybody[everybody["instance"] == seed]
        expected = living(single["it"]._simulation)
        place, local = place_of(matrices[seed]), space == "local"
        assert to_world(found, place, local=local, anchor=pool._anchor) == pytest.approx(
            to_world(expected, place, local=local, anchor=single._anchor), abs=1e-3
        )
