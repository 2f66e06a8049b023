"""Which way round corners go: nothing vanishes by it, whatever the host culls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gpuparticles as gp
from gpuparticles.gpu.gl import GL
from tests.draw.conftest import SQUARE, Pixels, Scene, particle
from tests.gpu.host_state import Raw

MIRROR = np.diag((-1.0, 1.0, 1.0, 1.0))
MIRROR[0, 3] = 16
BEHIND = np.diag((-1.0, 1.0, -1.0, 1.0))
BEHIND[0, 3] = 16
_CW, _CCW = 0x0900, 0x0901
CULLED = [(front, side) for front in (_CW, _CCW) for side in (GL.FRONT, GL.BACK, GL.FRONT_AND_BACK)]

#: Facing +Z, and not its own mirror image.
CORNER = gp.Geometry([(-0.5, -0.5, 0), (0.5, -0.5, 0), (0.5, 0.5, 0)], [(0, 1, 2)])
BAND: dict[str, Any] = {"width_over_trail": 1, "color_over_trail": "#fff", "texture": SQUARE}


def facing(kind: str, **how: Any) -> dict[str, Any]:
    """A square of 6 units that looks along Z: an emitter's plane is turned there from its floor."""
    sprite = gp.Sprite(texture=SQUARE, facing=kind, look_at=(8, 8, 50), **how)
    offset = gp.Offset(rotation=(90, 0, 0))
    return {"sprite": sprite, "size": 6, "velocity": (0, 0, -1), "offset": offset}


def as_model(**how: Any) -> dict[str, Any]:
    return {"model": gp.Model(CORNER, orientation="fixed", lit=None, **how)}


FACINGS = ("camera", "position", "emitter", "velocity", "axis", "point")
STILL: dict[str, Callable[[], dict[str, Any]]] = {
    **{kind: lambda kind=kind: facing(kind) for kind in FACINGS},
    "weighted": lambda: facing("camera", order="weighted"),
    "sorted": lambda: facing("camera", order="depth"),
    "stretched": lambda: facing("camera", stretch=0.1),
    "model": as_model,
    "blended model": lambda: as_model(blend="alpha"),
}
MOVING: dict[str, Callable[[], dict[str, Any]]] = {
    "trail": lambda: {"velocity": (16, 8, 0), "trail": gp.Trail(0.5, only=True, **BAND)},
    "ribbon": lambda: {
        "velocity": (16, 8, 0),
        "capacity": 2,
        "bursts": [gp.Burst(), gp.Burst(0.125)],
        "ribbon": gp.Ribbon(texture=SQUARE),
    },
}


def play(scene: Scene, kind: str, space: str = "world", *, mirror: bool = False) -> Any:
    """In the middle; what moves to the right, from beside it; or all that mirrored."""
    place = np.eye(4)
    place[:3, 3] = (5 if kind in MOVING else 8), 8, 0
    effect = particle(space=space, **{**STILL, **MOVING}[kind]())
    instance = scene.particles.play(effect, transform=MIRROR @ place if mirror else place, seed=1)
    if kind not in MOVING:
        scene.update(2.0**-16)
    for _ in range(4 if kind in MOVING else 0):
        scene.update(0.0625)
    return instance


@pytest.mark.parametrize("kind", [*STILL, *MOVING])
def test_it_is_drawn_whatever_the_host_culls_and_from_both_sides(scene: Scene, kind: str) -> None:
    raw = Raw(scene.ctx)
    depth = scene.make_canvas(depth=True)
    play(scene, kind)
    cull_face, front_face = raw.integers(0x0B45)[0], raw.integers(0x0B46)[0]

    def shown() -> list[Pixels]:
        pictures = [scene.draw(depth, view=view).copy() for view in (np.eye(4), MIRROR, BEHIND)]
        depth.clear()
        scene.particles.draw_depth(depth.view, depth.projection)
        return [*pictures, depth.depths().copy()]

    expected = shown()
    seen = [picture.any(axis=2).sum() for picture in expected[:3]]
    assert min(seen) >= 16
    assert max(seen) <= 1.3 * min(seen), "as much from each side, but for edges through pixels"
    assert (expected[3] < 1).any()
    raw.Enable(GL.CULL_FACE)
    try:
        for front, side in CULLED:
            raw.FrontFace(front)
            raw.CullFace(side)
            for found, kept in zip(shown(), expected, strict=True):
                np.testing.assert_array_equal(found, kept)
    finally:
        raw.Disable(GL.CULL_FACE)
        raw.FrontFace(front_face)
        raw.CullFace(cull_face)


@pytest.mark.parametrize("space", ["world", "local"])
@pytest.mark.parametrize("kind", [*STILL, *MOVING])
def test_a_mirrored_transform_covers_the_same_pixels(scene: Scene, kind: str, space: str) -> None:
    """What stands still covers the same ones; what is drawn along a way those of the mirrored way.

    Particles lie mirrored and fly so; pictures and meshes are as they were.
    """
    covered = []
    for mirror in (False, True):
        instance = play(scene, kind, space, mirror=mirror)
        covered.append(scene.draw().any(axis=2))
        instance.release()
    plain, mirrored = covered
    assert plain.sum() >= 16
    np.testing.assert_array_equal(mirrored, plain[:, ::-1] if kind in MOVING else plain)
