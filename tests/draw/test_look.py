"""Width, height, fades and what depends on the speed, in pixels."""

from __future__ import annotations

import pytest

import gpuparticles as gp
from tests.draw.conftest import SQUARE, Scene, box


def test_width_and_height_are_factors_of_the_size(scene: Scene) -> None:
    scene.add(size=4, width=2, height=0.5)
    scene.update()
    assert box(scene.draw()) == (4, 7, 12, 9)


def test_width_and_height_change_over_life(scene: Scene) -> None:
    """Half the life on: 8 wide and 4 high."""
    instance = scene.add(
        lifetime=2.0,
        size=4,
        width_over_life=[(0, 1), (0.5, 2), (1, 2)],
        height_over_life=[(0, 3), (0.5, 1), (1, 1)],
    )
    scene.update(1.0)
    assert box(scene.draw()) == (4, 6, 12, 10)
    (found,) = instance["one"].read()
    assert (found["width"], found["height"], found["size"]) == (8, 4, 8)


def test_a_wide_sprite_turns(scene: Scene) -> None:
    scene.add(size=4, width=2, height=0.5, rotation=90)
    scene.update()
    assert box(scene.draw()) == (7, 4, 9, 12)


def test_a_streak_is_as_wide_as_the_sprite_and_longer_than_it_is_high(scene: Scene) -> None:
    """Along X: the height lies along the motion, to which 4 units are added."""
    sprite = gp.Sprite(texture=SQUARE, stretch=0.25)
    scene.add(size=2, width=3, height=2, velocity=(16, 0, 0), sprite=sprite)
    scene.update(2.0**-10)
    assert box(scene.draw()) == (4, 5, 12, 11)


def test_a_streak_is_as_long_as_the_motion_that_is_seen(scene: Scene) -> None:
    sprite = gp.Sprite(texture=SQUARE, stretch=0.5)
    scene.add(size=2, velocity=(16, 0, 0), sprite=sprite, speed_over_life=0.5)
    scene.update(2.0**-10)
    assert box(scene.draw()) == (5, 7, 11, 9)


def test_what_is_thinner_than_a_pixel_is_a_pixel_wide_and_fainter(scene: Scene) -> None:
    scene.add((8, 8.5, 0), size=8, height=1 / 32)
    scene.update()
    pixels = scene.draw()
    assert box(pixels) == (4, 8, 12, 9)
    assert pixels[8, 8, 3] == pytest.approx(255 / 4, abs=1.5)


@pytest.mark.parametrize(("age", "alpha"), [(0.25, 0.5), (0.5, 1), (1.5, 1), (1.75, 0.5)])
def test_alpha_fades_in_and_out(scene: Scene, age: float, alpha: float) -> None:
    """Over a quarter of 2 s each."""
    instance = scene.add(lifetime=2.0, fade_in=0.25, fade_out=0.25)
    scene.update(age)
    assert scene.draw()[8, 8, 3] == pytest.approx(255 * alpha, abs=1)
    assert instance["one"].read()["color"][0, 3] == pytest.approx(alpha, abs=1e-4)


@pytest.mark.parametrize(("speed", "size", "red"), [(0, 2, 0), (3, 5, 0.5), (9, 8, 1)])
def test_size_and_colour_follow_the_speed(
    scene: Scene, speed: float, size: float, red: float
) -> None:
    """From 1 to 5 units/s: below and above, the ends hold."""
    instance = scene.add(
        (8.5, 8.5, 0),
        size=2,
        velocity=(0, 0, speed),
        speed_range=(1, 5),
        size_by_speed=[(0, 1), (1, 4)],
        color_by_speed=[(0, "#00ff00"), (1, "#ff0000")],
    )
    scene.update()
    (found,) = instance["one"].read()
    assert found["size"] == pytest.approx(size, abs=1e-4)
    assert scene.draw()[8, 8, :3] == pytest.approx((255 * red, 255 * (1 - red), 0), abs=1)
    left, bottom, right, top = box(scene.draw())
    assert right - left == top - bottom
    assert abs(right - left - size) <= 1


@pytest.mark.parametrize(
    ("interpolation", "quarter"), [("linear", 0.25), ("smooth", 0.15625), ("step", 0)]
)
def test_gradients_run_as_their_interpolation_says(
    scene: Scene, interpolation: str, quarter: float
) -> None:
    gradient = gp.Gradient([(0, "#000000"), (1, "#ffffff")], interpolation)
    size = gp.Curve([(0, 4), (1, 8)], interpolation)
    instance = scene.add(lifetime=2.0, size=1, size_over_life=size, color_over_life=gradient)
    scene.update(0.5)
    assert scene.draw()[8, 8, 0] == pytest.approx(255 * quarter, abs=1)
    (found,) = instance["one"].read()
    assert found["size"] == pytest.approx(4 + 4 * quarter, abs=1e-4)
