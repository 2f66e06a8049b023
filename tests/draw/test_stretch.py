"""Sprites that are drawn out along their motion."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gpuparticles as gp
from gpuparticles.draw.camera import look_at, perspective
from tests.draw.conftest import SQUARE, Pixels, Scene, box, particle, picture


def streak(stretch: Any = 0.5) -> gp.Sprite:
    return gp.Sprite(texture=SQUARE, stretch=stretch)


def extent(pixels: Pixels) -> tuple[int, int]:
    left, bottom, right, top = box(pixels)
    return (right - left, top - bottom)


def moving(scene: Scene, velocity: tuple[float, float, float], **emitter: Any) -> gp.EffectInstance:
    """A particle of size 2 that has moved for 1/1024 s, which is less than a pixel."""
    instance = scene.add(velocity=velocity, **{"size": 2, "sprite": streak(), **emitter})
    scene.update(2.0**-10)
    return instance


def test_length_is_size_plus_speed_times_the_shutter_s_time(scene: Scene) -> None:
    """At 16 units/s and 1/2 s: 8 units longer, half before and half behind; no wider."""
    for velocity, expected in (((16, 0, 0), (10, 2)), ((0, -16, 0), (2, 10))):
        instance = moving(scene, velocity)

        assert extent(scene.draw()) == expected
        instance.release()
    moving(scene, (16, 0, 0))
    assert box(scene.draw()) == (3, 7, 13, 9)


def test_length_grows_with_speed(scene: Scene) -> None:
    canvas = scene.make_canvas((64, 16))
    for speed in (0, 4, 8, 32, 64):
        instance = scene.add((32, 8), velocity=(speed, 0, 0), size=2, sprite=streak())
        scene.update(2.0**-12)

        assert extent(scene.draw(canvas)) == (2 + speed // 2, 2)
        instance.release()


def test_without_stretch_speed_changes_nothing(scene: Scene) -> None:
    moving(scene, (16, 0, 0), sprite=gp.Sprite(texture=SQUARE))

    assert extent(scene.draw()) == (2, 2)


def test_a_particle_at_rest_is_as_wide_as_long_and_keeps_its_rotation(scene: Scene) -> None:
    top_left = picture([[(255, 0, 0, 255), (0,) * 4], [(0,) * 4, (0,) * 4]])
    scene.add(rotation=90, sprite=gp.Sprite(texture=top_left, filter="nearest", stretch=1))
    scene.update()

    assert box(scene.draw()) == (4, 4, 8, 8)


def test_the_top_of_the_texture_leads(scene: Scene) -> None:
    red, blue = (255, 0, 0, 255), (0, 0, 255, 255)
    sprite = gp.Sprite(texture=picture([[red], [blue]]), filter="nearest", stretch=0.5)
    moving(scene, (16, 0, 0), sprite=sprite, rotation=33)

    pixels = scene.draw()
    assert (pixels[7:9, 8:13] == red).all(), "ahead, whatever its rotation"
    assert (pixels[7:9, 3:8] == blue).all()


def test_the_streak_lies_along_the_motion(scene: Scene) -> None:
    canvas = scene.make_canvas((64, 64))
    direction = np.array((3, -2)) / 13**0.5
    scene.add((32, 32), velocity=(*(40 * direction), 0), size=4, sprite=streak(1.0))
    scene.update(2.0**-12)

    y, x = np.nonzero(scene.draw(canvas)[..., 3])
    along = (x + 0.5 - 32) * direction[0] + (y + 0.5 - 32) * direction[1]
    across = (x + 0.5 - 32) * direction[1] - (y + 0.5 - 32) * direction[0]
    assert np.ptp(along) == pytest.approx(44, abs=1.5)
    assert np.ptp(across) == pytest.approx(4, abs=1.5)


def test_motion_towards_the_camera_stays_round(scene: Scene) -> None:
    for velocity in ((0, 0, 16), (0, 0, -16)):
        instance = moving(scene, velocity)

        assert extent(scene.draw()) == (2, 2)
        instance.release()


def test_only_motion_across_the_picture_counts(scene: Scene) -> None:
    moving(scene, (16, 0, 100))

    assert extent(scene.draw()) == (10, 2)


def test_motion_along_the_line_of_sight_stays_round_away_from_the_middle_too(scene: Scene) -> None:
    """Under perspective, what flies towards the eye stands still in the picture."""
    canvas = scene.make_canvas((64, 64))
    eye, place = np.array((0.0, 0.0, 5.0)), np.array((1.5, 0.75, 0.0))
    view, projection = look_at(eye, (0, 0, 0)), perspective(50, 1, 0.1, 100)
    towards = (eye - place) / np.linalg.norm(eye - place)
    still = scene.add(place, velocity=(0, 0, 0), size=0.5, sprite=streak(1.0))
    scene.update(2.0**-14)
    round_one = extent(scene.draw(canvas, view=view, projection=projection))
    still.release()
    for sign in (1, -1):
        instance = scene.add(place, velocity=tuple(sign * 8 * towards), size=0.5, sprite=streak(1))
        scene.update(2.0**-14)
        width, height = extent(scene.draw(canvas, view=view, projection=projection))
        assert width == pytest.approx(round_one[0], abs=1)
        assert height == pytest.approx(round_one[1], abs=1)
        instance.release()


def test_the_streak_is_the_path_of_an_open_shutter(scene: Scene) -> None:
    """Under perspective its ends are where the particle is half the time before and after."""
    canvas = scene.make_canvas((128, 128))
    view, projection = look_at((0, 0, 5), (0, 0, 0)), perspective(50, 1, 0.1, 100)
    velocity = np.array((2.0, 1.0, 0.0))
    scene.add((0.5, -0.25, 0), velocity=tuple(velocity), size=0.01, sprite=streak(0.5))
    scene.update(2.0**-14)

    y, x = np.nonzero(scene.draw(canvas, view=view, projection=projection)[..., 3])
    for time, found in ((-0.25, (x.min(), y.min())), (0.25, (x.max(), y.max()))):
        point = projection @ view @ (*((0.5, -0.25, 0) + velocity * time), 1)
        expected = (point[:2] / point[3] + 1) * 64
        assert np.array(found) + 0.5 == pytest.approx(expected, abs=1.5)


@pytest.mark.parametrize("velocity", [(0.5, 1.0, 6.0), (-1.0, 0.25, -7.0), (0, 0, 8.0)])
def test_the_streak_is_that_path_also_for_motion_in_depth(
    scene: Scene, velocity: tuple[float, float, float]
) -> None:
    """Towards the eye the picture of a path is longer ahead of the particle than behind it."""
    canvas = scene.make_canvas((256, 256))
    view, projection = look_at((0, 0, 5), (0, 0, 0)), perspective(60, 1, 0.1, 100)
    place = np.array((0.5, -0.25, 0))
    scene.add(tuple(place), velocity=velocity, size=0.01, sprite=streak(0.5))
    scene.update(2.0**-14)

    y, x = np.nonzero(scene.draw(canvas, view=view, projection=projection)[..., 3])
    found = np.column_stack((x, y)) + 0.5
    ends = []
    for time in (-0.25, 0.25):
        point = projection @ view @ (*(place + np.array(velocity) * time), 1)
        ends.append((point[:2] / point[3] + 1) * 128)
    along = (ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0])
    assert (found @ along).min() == pytest.approx(ends[0] @ along, abs=2)
    assert (found @ along).max() == pytest.approx(ends[1] @ along, abs=2)
    across = (found - ends[0]) @ (-along[1], along[0])
    assert np.abs(across).max() < 2, "and straight"


def test_a_streak_never_crosses_to_the_other_side_of_the_eye(scene: Scene) -> None:
    """A particle that flies past, so close that it is behind the eye before the shutter closes."""
    canvas = scene.make_canvas((64, 64))
    projection = perspective(90, 1, 0.01, 100)
    scene.add((0.2, 0.1, -0.3), velocity=(0, 0, 20), size=0.01, sprite=streak(1.0))
    scene.update(2.0**-16)

    pixels = scene.draw(canvas, view=np.eye(4), projection=projection)
    y, x = np.nonzero(pixels[..., 3])
    assert len(x)
    assert x.min() >= 32
    assert y.min() >= 32


def test_each_particle_draws_its_own_stretch_from_the_range(scene: Scene) -> None:
    canvas = scene.make_canvas((64, 64))
    lengths = []
    for seed in range(12):
        effect = particle(velocity=(32, 0, 0), size=2, sprite=streak((0.25, 1.0)))
        instance = scene.particles.play(effect, transform=(32, 32, 0), seed=seed)
        scene.update(2.0**-12)
        lengths.append(extent(scene.draw(canvas))[0])
        instance.release()

    assert all(2 + 8 <= length <= 2 + 32 + 1 for length in lengths)
    assert len(set(lengths)) > 6


def test_the_view_s_scale_scales_the_whole_streak(scene: Scene) -> None:
    canvas = scene.make_canvas((32, 32))
    moving(scene, (8, 0, 0))

    view = np.diag((2.0, 2.0, 2.0, 1.0))
    assert extent(scene.draw(canvas, view=view)) == (2 * 6, 2 * 2)


def test_a_local_streak_turns_with_its_emitter(scene: Scene) -> None:
    quarter = np.eye(4)
    quarter[:2, :2] = [[0, -1], [1, 0]]
    quarter[:2, 3] = (8, 8)
    instance = moving(scene, (16, 0, 0), space="local")

    assert extent(scene.draw()) == (10, 2)
    instance.transform = quarter
    assert extent(scene.draw()) == (2, 10)


def test_a_particle_in_the_camera_s_own_plane_does_no_harm(scene: Scene) -> None:
    """Its motion across the picture is infinite there; it is clipped all the same."""
    canvas = scene.make_canvas((16, 16))
    view, projection = np.eye(4), perspective(50, 1, 0.1, 100)
    for z in (0.0, 1e-7, -1e-7, 5.0):
        instance = scene.add((0.1, 0, z), velocity=(1, 2, 50), sprite=streak(1.0))
        scene.update(2.0**-16)
        assert not scene.draw(canvas, view=view, projection=projection).any()
        instance.release()
