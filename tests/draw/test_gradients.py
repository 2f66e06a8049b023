"""Colour over life, as it arrives in a framebuffer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gpuparticles as gp
from tests.draw.conftest import Canvas, Scene

RED, BLUE = (1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 1.0)


@pytest.fixture
def canvas(scene: Scene) -> Canvas:
    """A target that takes any number as it is."""
    return scene.make_canvas((4, 4), dtype="f4")


class Strip:
    """A particle of a life of 1 s, and its colour (premultiplied, float) at ascending ages."""

    def __init__(self, scene: Scene, canvas: Canvas, stops: Any, **emitter: Any) -> None:
        self._scene = scene
        self._canvas = canvas
        self._age = 0.0
        # Born by the rate, so that its first step can end at its birth, at age 0.
        scene.add(
            (2, 2),
            bursts=[],
            rate=64,
            duration=1 / 64,
            lifetime=1,
            color_over_life=stops,
            **emitter,
        )
        scene.update(1 / 64)

    def at(self, age: float) -> list[float]:
        if age > self._age:
            self._scene.update(age - self._age)
            self._age = age
        pixels = self._scene.draw(self._canvas)
        assert (pixels == pixels[0, 0]).all()
        color: list[float] = pixels[0, 0].tolist()
        return color


def test_one_stop_is_a_constant(scene: Scene, canvas: Canvas) -> None:
    strip = Strip(scene, canvas, [(0.5, (0.25, 0.5, 0.75, 1))])

    for age in (0, 0.25, 0.5, 0.75, 0.96875):
        assert strip.at(age) == [0.25, 0.5, 0.75, 1]


def test_a_plain_colour_is_a_constant(scene: Scene, canvas: Canvas) -> None:
    strip = Strip(scene, canvas, (0.25, 0.5, 0.75))

    for age in (0, 0.5, 0.96875):
        assert strip.at(age) == [0.25, 0.5, 0.75, 1]


def test_a_ramp_is_linear_and_exact_at_its_ends(scene: Scene, canvas: Canvas) -> None:
    """From 0 at a life of 0.25 to 1 at 0.75; held before and after."""
    strip = Strip(scene, canvas, [(0.25, (0, 0, 0, 1)), (0.75, (1, 1, 1, 1))])

    for age in (0, 0.125, 0.25):
        assert strip.at(age) == [0, 0, 0, 1]
    for age in (0.375, 0.5, 0.625):
        value = strip.at(age)[0]
        assert value == pytest.approx((age - 0.25) / 0.5, abs=1 / 512)
    for age in (0.75, 0.875, 0.96875):
        assert strip.at(age) == [1, 1, 1, 1]


def test_a_quarter_of_the_way_up_a_ramp_over_all_of_life_is_a_quarter(
    scene: Scene, canvas: Canvas
) -> None:
    strip = Strip(scene, canvas, [(0, (0, 0, 0, 1)), (1, (1, 1, 1, 1))])

    assert strip.at(0) == [0, 0, 0, 1], "exact at birth"
    assert strip.at(0.25)[0] == pytest.approx(0.25, abs=1 / 512)
    assert strip.at(1 - 2**-16)[0] == pytest.approx(1, abs=2**-15)


def test_a_ramp_ends_exactly_on_colours_that_are_no_binary_fractions(
    scene: Scene, canvas: Canvas
) -> None:
    """Interpolation such as a + (b - a) * 1 would miss b by a bit."""
    first, last = (0.1, 0.7, 0.3, 1.0), (0.9, 0.123, 0.456, 1.0)
    strip = Strip(scene, canvas, [(0.25, first), (0.5, last)])

    assert strip.at(0.25) == np.array(first, np.float32).tolist()
    assert strip.at(0.5) == np.array(last, np.float32).tolist()


def test_two_stops_at_one_place_are_a_hard_step(scene: Scene, canvas: Canvas) -> None:
    """A tick before it the first colour, at it already the second one."""
    strip = Strip(scene, canvas, [(0, RED), (0.5, RED), (0.5, BLUE), (1, BLUE)])

    assert strip.at(0.5 - 2**-16) == [1, 0, 0, 1]
    assert strip.at(0.5) == [0, 0, 1, 1]
    assert strip.at(0.75) == [0, 0, 1, 1]


def test_a_step_at_birth_shows_only_the_later_colour(scene: Scene, canvas: Canvas) -> None:
    strip = Strip(scene, canvas, [(0, RED), (0, BLUE)])

    assert strip.at(0) == [0, 0, 1, 1]
    assert strip.at(0.5) == [0, 0, 1, 1]


def test_hdr_colours_survive(scene: Scene, canvas: Canvas) -> None:
    strip = Strip(scene, canvas, [(0, (8, 0, 0, 1)), (1, (8, 2, 0, 1))])

    assert strip.at(0) == [8, 0, 0, 1]
    assert strip.at(0.5) == [8, 1, 0, 1]


def test_alpha_over_life_is_straight_in_the_data_and_premultiplied_in_the_target(
    scene: Scene, canvas: Canvas
) -> None:
    strip = Strip(scene, canvas, [(0, (1, 0.5, 0, 1)), (1, (1, 0.5, 0, 0))])

    assert strip.at(0) == [1, 0.5, 0, 1]
    assert strip.at(0.5) == [0.5, 0.25, 0, 0.5]
    assert strip.at(0.75) == [0.25, 0.125, 0, 0.25]


def test_colours_are_interpolated_straight(scene: Scene, canvas: Canvas) -> None:
    """Halfway from opaque red to clear blue is purple at half opacity."""
    strip = Strip(scene, canvas, [(0, (1, 0, 0, 1)), (1, (0, 0, 1, 0))])

    assert strip.at(0.5) == [0.25, 0, 0.25, 0.5]


def test_the_birth_colour_is_multiplied_with_it(scene: Scene, canvas: Canvas) -> None:
    strip = Strip(scene, canvas, [(0, (1, 0.5, 1, 0.5))], color=(0.5, 0.5, 4, 0.5))

    assert strip.at(0) == [0.125, 0.0625, 1, 0.25]


def test_hex_colours_are_bytes_and_alpha_comes_last(scene: Scene, canvas: Canvas) -> None:
    strip = Strip(scene, canvas, [(0, "#ff8000"), (0.5, "#ff800080")])

    assert strip.at(0) == pytest.approx([1, 128 / 255, 0, 1], abs=1e-6)
    alpha = 128 / 255
    assert strip.at(0.5) == pytest.approx([alpha, alpha * alpha, 0, alpha], abs=1e-6)


def test_many_stops_arrive_in_the_places_they_have(scene: Scene, canvas: Canvas) -> None:
    """As many as a palette may have: each stop's own colour at its own age."""
    reds = np.random.default_rng(3).uniform(0, 1, 65).astype(np.float32)
    strip = Strip(scene, canvas, [(n / 64, (float(red), 0, 0, 1)) for n, red in enumerate(reds)])

    for n in range(64):
        assert strip.at(n / 64)[0] == pytest.approx(reds[n], abs=1e-6)


def test_two_emitters_that_share_a_program_keep_their_own_colours(
    scene: Scene, canvas: Canvas
) -> None:
    left = scene.add((1, 2), size=2, color_over_life=[(0, RED), (1, RED)])
    right = scene.add((3, 2), size=2, color_over_life=[(0, BLUE), (0.5, BLUE), (1, BLUE)])
    scene.update()

    pixels = scene.draw(canvas)
    assert pixels[2, 1].tolist() == [1, 0, 0, 1]
    assert pixels[2, 3].tolist() == [0, 0, 1, 1]
    assert left.live_count == right.live_count == 1


def test_stops_out_of_order_are_refused_by_name() -> None:
    with pytest.raises(gp.EffectError, match=r"color_over_life.*0\.5"):
        gp.Emitter("smoke", color_over_life=[(0, RED), (0.75, BLUE), (0.5, RED)])
    with pytest.raises(gp.EffectError, match=r"size_over_life.*0\.5"):
        gp.Emitter("smoke", size_over_life=[(0, 1), (0.75, 1), (0.5, 1)])
