"""What is drawn follows what lives, not for how many there is room."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import moderngl
import pytest

import gpuparticles as gp
from tests.draw.conftest import SQUARE, Scene, particle

MANY, FEW = 5000, 300
ROOM = 300_000

QUAD = gp.Geometry([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [(0, 1, 2), (0, 2, 3)])
WAYS: dict[str, dict[str, Any]] = {
    "plain": {},
    "sorted": {"sprite": gp.Sprite(texture=SQUARE, order="depth")},
    "weighted": {"sprite": gp.Sprite(texture=SQUARE, order="weighted")},
    "model": {"model": gp.Model(QUAD)},
    "trail": {"trail": gp.Trail(0.1, segments=4, only=True)},
    "ribbon": {"ribbon": gp.Ribbon()},
}


@pytest.fixture
def vertices(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Called: how many vertices have been drawn since, of all instances."""
    count = [0]
    render = moderngl.VertexArray.render

    def counted(
        self: moderngl.VertexArray, mode: Any = None, vertices: int = -1, **how: Any
    ) -> None:
        each = self.vertices if vertices < 0 else vertices
        count[0] += each * max(how.get("instances", 1), 1)
        render(self, mode, vertices, **how)

    monkeypatch.setattr(moderngl.VertexArray, "render", counted)

    def since() -> int:
        found, count[0] = count[0], 0
        return found

    return since


@pytest.mark.parametrize("pooled", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_as_much_is_drawn_whatever_there_is_room_for(
    scene: Scene, vertices: Callable[[], int], way: str, pooled: bool
) -> None:
    """Five rows of slots for five thousand, one for the few that live when those have died."""
    canvas = scene.make_canvas(depth=True)

    def drawn(capacity: int) -> list[int]:
        bursts = [gp.Burst(0, MANY), gp.Burst(1, FEW)]
        effect = particle(
            capacity=capacity, bursts=bursts, lifetime=0.5, size=0.1, speed=1, **WAYS[way]
        )
        play: Any = scene.particles.burst if pooled else scene.particles.play
        play(effect, position=(8, 8, 0))
        found, alive = [], []
        for _ in range(3):
            scene.update(0.375)
            alive.append(scene.particles.stats.live)
            for draw in (scene.particles.draw, scene.particles.draw_depth):
                canvas.clear()
                vertices()
                draw(canvas.view, canvas.projection)
                found.append(vertices())
        assert alive == [MANY, 0, FEW]
        scene.update(1)
        for playing in scene.particles.effects:
            playing.release()
        return found

    large = drawn(ROOM)
    assert large == drawn(ROOM // 15)
    most, _, none, _, few, _ = large
    assert none == 0
    assert 5 * 1024 * 6 <= most <= 5.2 * few
    assert few >= 1024 * 6
