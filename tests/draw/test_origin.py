"""A world whose origin is moved looks the same under a camera that is moved alike."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gpuparticles as gp
from tests.draw.conftest import Scene

OFFSETS = [(1e6, -1e6, 3e5), (1e6 + 0.3, 12.7, -99.1)]


def shifted(scene: Scene, total: Any) -> Any:
    """The picture under the camera that was shifted by so much."""
    view = np.eye(4)
    view[:3, 3] = -np.asarray(total)
    return scene.draw(view=view).copy()


def cloud(space: str, **settings: Any) -> gp.Effect:
    fields = [
        gp.Radial(-30, (8, 8, 0), space="world"),
        gp.Vortex(4, (0, 0, 1), (2, 3, 0), space="emitter"),
        gp.Acceleration((0, -2, 0)),
    ]
    emitter = gp.Emitter(
        "cloud",
        capacity=300,
        rate=100,
        lifetime=(0.5, 2),
        shape=gp.Sphere(2),
        speed=(1, 4),
        spread=180,
        space=space,
        size=1.5,
        color="#ff804080",
        modifiers=fields,
        **settings,
    )
    return gp.Effect("cloud", [emitter], duration=1)


@pytest.mark.parametrize("space", ["world", "local"])
@pytest.mark.parametrize("offset", OFFSETS)
def test_nothing_is_seen_of_a_shift(scene: Scene, space: str, offset: Any) -> None:
    """Of effects and bursts, in the picture at once and after both have gone on in their ways."""
    other = Scene(scene.ctx)
    try:
        for each in (scene, other):
            each.particles.play(cloud(space), transform=(6, 7, 0), seed=3)
            each.particles.burst(cloud(space), position=(11, 9, 0), seed=5)
            for _ in range(20):
                each.particles.update(0.03)
        other.particles.shift_origin(offset)
        assert np.array_equal(shifted(other, offset), scene.draw())
        for number in range(15):
            for each, base in ((scene, (0, 0, 0)), (other, offset)):
                place = np.add((6 + 0.3 * number, 7, 0), base)
                each.particles.effects[0].position = place
                each.particles.update(0.03)
        expected = scene.draw()
        assert expected.any()
        # A place so far out is a double of fewer digits: a pixel may round another way.
        found = shifted(other, offset)
        assert np.abs(found.astype(int) - expected).max() <= 2
    finally:
        other.release()


def test_a_shift_touches_no_bit_on_the_gpu(scene: Scene) -> None:
    """An offset of whole units is exact, so that even what follows is the same to the bit."""
    other = Scene(scene.ctx)
    try:
        playing = [e.particles.play(cloud("world"), seed=3) for e in (scene, other)]
        for _ in range(20):
            for each in (scene, other):
                each.particles.update(0.03)
            other.particles.shift_origin((2.0**20, -(2.0**18), 64))
        for each in (scene, other):
            each.particles.update(0.03)
        total = np.array((2.0**20, -(2.0**18), 64)) * 20
        still, moved = (each["cloud"].read() for each in playing)
        assert np.array_equal(moved["position"] - total, still["position"])
        assert np.array_equal(moved["velocity"], still["velocity"])
        assert playing[1].position == tuple(total)
    finally:
        other.release()


def test_what_is_played_later_has_its_fields_where_they_went(scene: Scene) -> None:
    """World coordinates in an effect are those of the world as it was at first."""
    other = Scene(scene.ctx)
    offset = np.array((2.0**20, 0, 0))
    try:
        other.particles.shift_origin(offset)
        for each, base in ((scene, (0, 0, 0)), (other, offset)):
            for space in ("world", "local"):
                place = np.add((3, 4, 0), base)
                each.particles.play(cloud(space), transform=place, seed=1)
                each.particles.burst(cloud(space), position=place, seed=2)
            for _ in range(20):
                each.particles.update(0.03)
        assert np.array_equal(shifted(other, offset), scene.draw())
    finally:
        other.release()


def test_a_burst_far_from_the_origin_finds_a_field_in_the_world(scene: Scene) -> None:
    """A pool counts from its first burst; what it shares with the world does not."""
    other = Scene(scene.ctx)
    far = np.array((2048.0, 0, 0))
    try:
        for each, base in ((scene, (0, 0, 0)), (other, far)):
            pull = gp.Radial(-30, tuple(np.add((8, 8, 0), base)), space="world")
            emitter = gp.Emitter(
                "a", rate=0, bursts=[gp.Burst(0, 9)], space="local", modifiers=[pull], speed=3
            )
            effect = gp.Effect("a", [emitter], loop=False)
            each.particles.burst(effect, position=np.add((3, 4, 0), base), seed=2)
            for _ in range(12):
                each.particles.update(0.03)
        assert np.array_equal(shifted(other, far), scene.draw())
    finally:
        other.release()


def test_a_followed_thing_and_a_paused_effect_shift_alike(scene: Scene) -> None:
    body = SimpleNamespace(position=(1, 2, 3))
    playing = scene.add(at=(8, 8, 0))
    scene.update()
    playing.pause()
    scene.particles.shift_origin((10, 20))
    assert playing.position == (18, 28, 0)
    assert np.allclose(playing["one"].read()["position"], (18, 28, 0))
    playing.resume()
    playing.follow(body)
    scene.update()
    assert playing.position == (1, 2, 3)


@pytest.mark.parametrize("offset", [5, "far", (1,), (1, 2, 3, 4), (0, np.inf, 0), None])
def test_what_is_no_offset_is_refused(scene: Scene, offset: Any) -> None:
    playing = scene.add(at=(8, 8, 0))
    with pytest.raises(gp.EffectError, match=r"^shift_origin: "):
        scene.particles.shift_origin(offset)
    assert playing.position == (8, 8, 0)
