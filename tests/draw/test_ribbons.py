"""Ribbons on a small canvas: which particles they link, and how."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gpuparticles as gp
from tests.draw.conftest import SQUARE, Scene, box, picture


def line(**settings: Any) -> dict[str, Any]:
    """Particles that fly to the right at 8 units/s, one every quarter of a second."""
    given = {
        "capacity": 40,
        "rate": 4,
        "bursts": [],
        "lifetime": 9,
        "velocity": (8, 0, 0),
        "size": 4,
        "ribbon": gp.Ribbon(texture=SQUARE),
    }
    return {**given, **settings}


def test_it_runs_from_the_oldest_to_the_youngest(scene: Scene) -> None:
    scene.add((2, 8, 0), **line())
    for _ in range(5):  # born at 0.25, 0.5, 0.75, 1
        scene.update(0.25)
    pixels = scene.draw()
    assert box(pixels) == (2, 6, 10, 10)
    assert (pixels[6:10, 2:10] == 255).all()


def test_one_alone_is_linked_to_nobody(scene: Scene) -> None:
    scene.add((2, 8, 0), **line(rate=1))
    scene.update(1.5)
    assert not scene.draw().any()


def test_the_dead_are_left_out_and_their_slots_used_again(scene: Scene) -> None:
    canvas = scene.make_canvas((64, 16))
    scene.add((2, 8, 0), **line(lifetime=0.99, capacity=5))
    for number in range(19):
        scene.update(0.25)
        if number > 8:
            # Always four of them live, the youngest just born, the oldest three quarters old.
            pixels = scene.draw(canvas)
            assert box(pixels) == (2, 6, 8, 10)
            assert (pixels[6:10, 2:8] == 255).all()


def test_it_keeps_the_order_of_births_whatever_slots_they_are_in(scene: Scene) -> None:
    # Lives of many lengths leave slots in any order; who is older is always higher.
    how = line(lifetime=(0.3, 2), rate=40, velocity=(0, 8, 0), size=0.01, capacity=80)
    scene.add((8, 0, 0), **how)
    for _ in range(90):
        scene.update(1 / 40)
    shown = scene.draw()[:, :, 3] > 0
    # A ribbon that went to and fro would not show where it is only a pixel wide: it has one column.
    assert shown.any(axis=0).sum() <= 2
    assert shown[:14].any(axis=1).all()


def test_each_particle_gives_its_width_and_colour(scene: Scene) -> None:
    canvas = scene.make_canvas((32, 16), dtype="f4")
    look = {"size_over_life": [(0, 0), (1, 2)], "color_over_life": [(0, "#ff0000"), (1, "#0000ff")]}
    scene.add((0, 8, 0), **line(lifetime=4, rate=16, capacity=80, **look))
    for _ in range(64):
        scene.update(1 / 16)
    shown = scene.draw(canvas)
    life = (np.arange(0, 30) + 0.5) / 32
    heights = (shown[:, :30, 3] > 0.99).sum(axis=0)
    assert heights == pytest.approx(8 * life, abs=1.1)
    assert shown[8, 6:30, 2] == pytest.approx(life[6:], abs=0.03)


def test_particles_too_far_apart_are_not_linked(scene: Scene) -> None:
    ribbon = gp.Ribbon(texture=SQUARE, longest=3)
    effect = scene.add((0, 4, 0), **line(ribbon=ribbon))
    for _ in range(3):
        scene.update(0.25)
    effect.teleport((0, 12, 0))
    for _ in range(3):
        scene.update(0.25)
    shown = scene.draw()[:, :, 3] > 0
    assert shown[2:6].any()
    assert shown[10:14].any()
    assert not shown[6:10].any()


HALVES = picture([[(255, 0, 0, 255), (0, 255, 0, 255)]])


def test_a_texture_keeps_its_place_between_particles(scene: Scene) -> None:
    ribbon = gp.Ribbon(texture=HALVES, filter="nearest", tile=0.5)
    scene.add((0, 8, 0), **line(ribbon=ribbon))
    for _ in range(6):
        scene.update(0.25)
    before = scene.draw()[8, 0:10]
    scene.update(0.25)
    after = scene.draw()[8, 2:12]
    assert (before == after).all()
    assert before[:, 0].tolist() in (
        [0, 0, 255, 255, 0, 0, 255, 255, 0, 0],
        [
            255,
            255,
            0,
            0,
            255,
            255,
            0,
            0,
            255,
            255,
        ],
    )


def test_sprites_are_drawn_besides_if_asked_for(scene: Scene) -> None:
    how = line(ribbon=gp.Ribbon(only=False, texture=SQUARE, width=0.5))
    scene.add((4, 8, 0), **how, sprite=gp.Sprite(texture=SQUARE))
    for _ in range(3):
        scene.update(0.25)
    shown = scene.draw()[:, :, 3] > 0
    assert box(scene.draw())[1::2] == (6, 10)
    assert shown[7:9, 4:6].all()


def test_it_is_sorted_once_for_what_has_not_changed(scene: Scene) -> None:
    effect = scene.add((2, 8, 0), **line())
    for _ in range(4):
        scene.update(0.25)
    scene.draw()
    assert list(effect._unsorted(_view())) == []
    scene.update(0.25)
    assert len(list(effect._unsorted(_view()))) == 1
    assert effect.gpu_bytes > 0


def test_bursts_have_ribbons(scene: Scene) -> None:
    emitter = gp.Emitter("one", **line(rate=0, bursts=[gp.Burst(0, 5)], spread=40))
    scene.particles.burst(gp.Effect("burst", [emitter], loop=False), position=(2, 8, 0))
    scene.update(0.5)
    assert scene.draw().any()


def _view() -> Any:
    from gpuparticles.draw.sprites import View

    return View.of(np.eye(4), np.eye(4))
