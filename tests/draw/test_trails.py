"""Trails on a small canvas: which pixels they cover, and that they touch nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gpuparticles as gp
from gpuparticles.draw.camera import look_at, orthographic, perspective
from tests.draw.conftest import SQUARE, Scene, box, picture

PLAIN: dict[str, Any] = {
    "lifetime": 0.5,
    "width_over_trail": 1,
    "color_over_trail": "#fff",
    "texture": SQUARE,
    "only": True,
}


def plain(**settings: Any) -> gp.Trail:
    """Sharp edges, one width, one colour, no sprite."""
    return gp.Trail(**{**PLAIN, **settings})


#: With all points, and only with those that are some units apart.
APART = pytest.mark.parametrize("apart", [0.0, 2.5])


def to_the_right(speed: float, **emitter: Any) -> dict[str, Any]:
    return {"velocity": (speed, 0, 0), "size": 4, "trail": plain(), **emitter}


@APART
@pytest.mark.parametrize("fps", [13, 60, 200])
def test_a_straight_flight_covers_exactly_its_rectangle(
    scene: Scene, fps: int, apart: float
) -> None:
    scene.add((2, 8, 0), **to_the_right(16, trail=plain(min_distance=apart)))
    steps = round(0.5 * fps)
    for _ in range(steps):
        scene.update(0.5 / steps)
    pixels = scene.draw()
    assert box(pixels) == (2, 6, 10, 10)
    assert (pixels[6:10, 2:10] == 255).all()


@pytest.mark.parametrize("kept", [{"segments": 2}, {"min_distance": 2.5}, {"min_distance": 99}])
def test_it_is_cut_at_its_lifetime_not_by_pieces(scene: Scene, kept: dict[str, Any]) -> None:
    canvas = scene.make_canvas((64, 16))
    # Eight units long at any time, in pieces of four, or of whatever is kept.
    scene.add((0, 8, 0), **to_the_right(16, trail=plain(**kept)))
    scene.update(0.5)
    for left in range(1, 50):
        scene.update(1 / 16)
        assert box(scene.draw(canvas)) == (left, 6, left + 8, 10)


def test_a_dead_one_s_trail_shortens_where_it_is(scene: Scene) -> None:
    scene.add((2, 8, 0), **to_the_right(16, lifetime=0.5))
    for _ in range(2):  # who dies in the step of the birth is never there
        scene.update(0.25)
    for gone in range(1, 8):
        scene.update(1 / 16)
        assert box(scene.draw()) == (2 + gone, 6, 10, 10)
    scene.update(1 / 16)
    assert not scene.draw().any()


@pytest.mark.parametrize("outlives", [False, True])
def test_it_dies_with_the_particle_or_outlives_it(scene: Scene, outlives: bool) -> None:
    scene.add((2, 8, 0), **to_the_right(16, lifetime=0.25, trail=plain(outlives=outlives)))
    for _ in range(3):
        scene.update(0.1)
    assert scene.draw().any() == outlives


def test_the_killed_leave_their_trails(scene: Scene) -> None:
    kill = gp.KillPlane(point=(8, 0, 0), normal=(-1, 0, 0), space="world")
    fading = [(0, "#fff"), (0.5, "#fff"), (0.5, "#0000")]
    how = to_the_right(16, lifetime=9, modifiers=[kill], color_over_life=fading)
    scene.add((2, 8, 0), **how)
    for _ in range(20):
        scene.update(1 / 32)
    # It was killed early in its life, and looks so.
    left, bottom, right, top = box(scene.draw())
    assert (bottom, top) == (6, 10)
    assert 3 <= left < right <= 10


@APART
def test_the_corner_of_a_path_has_no_gap_and_its_full_width(scene: Scene, apart: float) -> None:
    canvas = scene.make_canvas((32, 32))
    bounce = gp.CollidePlane(point=(0, 4, 0), restitution=1, friction=0, space="world")
    scene.add(
        (4, 16, 0),
        velocity=(24, -24, 0),
        size=4,
        modifiers=[bounce],
        trail=plain(lifetime=1, min_distance=apart),
    )
    for _ in range(64):
        scene.update(1 / 64)
    shown = scene.draw(canvas)[:, :, 3] > 0
    # Down to (16, 4), up to (28, 16): along both ways everything within 2 units is covered.
    y, x = np.mgrid[0:32, 0:32] + 0.5
    distance = np.abs(np.abs(x - 16) - (y - 4)) / np.sqrt(2)
    # A point that is not kept may cut the corner.
    inside = (distance < 1.3) & (y < 15) & (y > 4 + apart / 2)
    assert shown[inside].all()
    assert not shown[distance > 2 * np.sqrt(2) + 0.7].any()


def test_a_new_trail_begins_where_the_particle_was_born(scene: Scene) -> None:
    scene.add((12, 8, 0), **to_the_right(8, bursts=[gp.Burst(0.3)]))
    scene.update(0.29)
    assert not scene.draw().any()
    scene.update(0.26)
    assert box(scene.draw()) == (12, 6, 14, 10)


def test_slots_that_are_used_again_are_not_connected(scene: Scene) -> None:
    # One is born at the left, and lives half a second; the next one at the right, in its slot.
    effect = scene.add(
        (2, 8, 0), **to_the_right(4, lifetime=0.5, trail=plain(outlives=False)), bursts=()
    )
    effect["one"].emit(1)
    scene.update(0.5)
    effect.teleport((10, 8, 0))
    effect["one"].emit(1)
    scene.update(0.5 - 1 / 64)
    left, _, right, _ = box(scene.draw())
    assert (left, right) == (10, 12)


def test_a_birth_that_rounds_to_a_mark_after_the_step_leads_to_nobody_s_way(scene: Scene) -> None:
    late = 0.25 - 2.0**-18
    born = {"bursts": [gp.Burst(0), gp.Burst(late - 1e-9)], "lifetime": 0.2}
    scene.add((2, 8, 0), **to_the_right(16, trail=plain(outlives=False)), **born)
    for _ in range(8):
        scene.update(0.025)
    assert not scene.draw().any()
    scene.update(late - 0.2)
    assert not scene.draw().any()
    scene.update(0.125)
    assert box(scene.draw()) == (2, 6, 4, 10)


def test_it_moves_along_with_local_particles_and_stays_behind_in_the_world(scene: Scene) -> None:
    local = scene.add((2, 4, 0), **to_the_right(4, space="local", size=2))
    world = scene.add((2, 12, 0), **to_the_right(4, size=2))
    scene.update(0.5)
    for each, y in ((local, 4), (world, 12)):
        each.transform = (10, y, 0)
    shown = scene.draw()
    assert box(shown[:8]) == (10, 3, 12, 5)
    assert box(shown[8:]) == (2, 3, 4, 5)


@APART
def test_a_particle_at_rest_has_no_trail(scene: Scene, apart: float) -> None:
    scene.add((8, 8, 0), **to_the_right(0, trail=plain(min_distance=apart)))
    for _ in range(8):
        scene.update(0.3)
        assert not scene.draw().any()


def test_the_piece_that_is_left_of_who_rests_is_over_after_two_lifetimes(scene: Scene) -> None:
    stop = [(0, 1), (0.15, 1), (0.15, 0), (1, 0)]
    trail = plain(min_distance=6)
    scene.add((2, 8, 0), **to_the_right(8, lifetime=8, speed_over_life=stop, trail=trail))
    seen = []
    for _ in range(40):
        scene.update(1 / 16)
        pixels = scene.draw()
        seen.append(box(pixels)[2] - box(pixels)[0] if pixels.any() else 0)
    # It goes 9.6 units in 1.2 s, and is seen in full until then; then it shortens, and ends.
    assert max(seen) == 4
    assert seen[18:] == sorted(seen[18:], reverse=True)
    assert (seen[24] > 0, seen[36:]) == (True, [0] * 4)


def test_points_that_were_not_kept_join_no_pieces(scene: Scene) -> None:
    """Of a right angle between two long pieces, each of many marks, the corner is filled."""
    canvas = scene.make_canvas((32, 32))
    bounce = gp.CollidePlane(
        point=(20, 4, 0), normal=(-1, 1, 0), restitution=1, friction=0, space="world"
    )
    trail = plain(lifetime=4, segments=64, min_distance=7.75)
    scene.add((4, 4, 0), **to_the_right(8, lifetime=4, trail=trail, modifiers=[bounce]))
    for _ in range(63):
        scene.update(1 / 16)
    shown = scene.draw(canvas)[:, :, 3] > 0
    assert shown[2:6, 4:20].all()
    assert shown[6:19, 18:22].all()
    assert shown[2:4, 20:22].sum() >= 3, "a mitre, within its limit"


def carried(**settings: Any) -> dict[str, Any]:
    """A particle that its emitter carries, whose trail stays in the world."""
    trail = plain(space="world", **settings)
    return {"speed": 0, "size": 4, "space": "local", "trail": trail}


@APART
@pytest.mark.parametrize("fps", [13, 60, 200])
def test_the_trail_of_who_is_carried_stays_in_the_world(
    scene: Scene, fps: int, apart: float
) -> None:
    effect = scene.add((2, 8, 0), **carried(min_distance=apart))
    steps = round(0.5 * fps)
    scene.update(2**-16)
    for step in range(1, steps + 1):
        effect.transform = (2 + 8 * step / steps, 8, 0)
        scene.update(0.5 / steps)
    pixels = scene.draw()
    assert box(pixels) == (2, 6, 10, 10)
    assert (pixels[6:10, 2:10] == 255).all()
    # It hangs on to the particle before the next update too, and is left behind.
    effect.transform = (13, 8, 0)
    assert box(scene.draw()) == (2, 6, 13, 10)
    scene.update(0.25)
    assert box(scene.draw()) == (6, 6, 13, 10)


@pytest.mark.parametrize("offset", [0.0, 1e7])
def test_a_carried_one_that_dies_leaves_its_trail_where_that_was(
    scene: Scene, offset: float
) -> None:
    look = np.eye(4)
    look[0, 3] = -offset
    effect = scene.add((offset + 2, 8, 0), **carried(), lifetime=0.25)
    scene.update(2**-16)
    for step in range(1, 5):
        effect.transform = (offset + 2 + step, 8, 0)
        scene.update(1 / 16)
    for gone in range(4):
        assert box(scene.draw(view=look)) == (2, 6, 6, 10)
        effect.transform = (offset + 7 + 2 * gone, 3 * gone, 0)
        scene.update(1 / 16)
    scene.particles.shift_origin((100, 0, 0))
    look[0, 3] -= 100
    for gone in range(4):
        assert box(scene.draw(view=look)) == (2 + gone, 6, 6, 10)
        scene.update(1 / 16)
    assert not scene.draw(view=look).any()


def test_an_emitter_that_turns_leaves_arcs(scene: Scene) -> None:
    canvas = scene.make_canvas((32, 32))
    effect = scene.add(
        (16, 16, 0), **carried(lifetime=1, segments=32), shape=gp.Point(offset=(10, 0, 0))
    )
    for step in range(33):
        c, s = np.cos(np.pi * step / 32), np.sin(np.pi * step / 32)
        effect.transform = [[c, -s, 0, 16], [s, c, 0, 16], [0, 0, 1, 0], [0, 0, 0, 1]]
        scene.update(1 / 32)
    y, x = np.mgrid[0:32, 0:32] + 0.5 - 16
    shown, radius = scene.draw(canvas)[:, :, 3] > 0, np.hypot(x, y)
    assert shown[(abs(radius - 10) < 1.2) & (y > 1)].all()
    assert not shown[(abs(radius - 10) > 2.8) | (y < -1)].any()


def test_where_a_carrier_jumps_nothing_is_drawn_that_was_not_there(scene: Scene) -> None:
    """Who died before stays there, and who is born behind the jump begins behind it."""
    effect = scene.add((3, 4, 0), **{**carried(segments=2), "lifetime": 0.125}, capacity=9)
    for step in range(1, 10):
        effect.transform = (3 + step / 4, 4, 0)
        scene.update(1 / 64)
    effect.teleport((3, 12, 0))
    effect["one"].emit(1)
    for step in range(1, 9):
        effect.transform = (3 + step / 4, 12, 0)
        scene.update(1 / 64)
    shown = scene.draw()
    assert box(shown)[1] == 2
    assert not shown[6:10].any(), "no bridge"
    assert box(shown[:8])[2] <= 6
    assert box(shown[8:]) == (3, 2, 5, 6)


def test_under_one_who_stands_still_both_spaces_are_the_same(scene: Scene) -> None:
    matrix = np.array([[0, -1, 0, 14], [1, 0, 0, 1], [0, 0, 1, 0], [0, 0, 0, 1]])
    flies = to_the_right(20, modifiers=[gp.Acceleration((0, 14, 0), space="emitter")])
    shown = []
    for space in ("world", "local"):
        effect = scene.add(matrix, **{**flies, "space": space, "trail": plain(space="world")})
        for _ in range(20):
            scene.update(1 / 32)
        shown.append(scene.draw())
        effect.release()
    assert shown[0].any()
    assert (shown[0] == shown[1]).all()


def test_a_snapshot_knows_where_a_carrier_was(scene: Scene) -> None:
    def wander(effect: gp.EffectInstance, first: int, last: int) -> None:
        for step in range(first, last):
            effect.transform = (2 + step, 8 + 4 * np.sin(step), 0)
            scene.update(1 / 20)

    effect = scene.add((2, 8, 0), **carried())
    wander(effect, 0, 6)
    saved = effect.snapshot()
    wander(effect, 6, 9)
    expected = scene.draw()
    effect.reset()
    wander(effect, 3, 8)
    scene.particles.shift_origin((0, 5, 0))
    effect.restore(saved)
    scene.particles.shift_origin((0, -5, 0))
    wander(effect, 6, 9)
    assert expected.any()
    assert (scene.draw() == expected).all()


def test_between_frames_a_carried_one_s_trail_is_where_its_sprite_is(scene: Scene) -> None:
    emitter = gp.Emitter(
        "one", capacity=1, rate=0, bursts=[gp.Burst()], lifetime=9, **carried(segments=64)
    )
    effect = scene.particles.play(gp.Effect("one", [emitter], loop=False, fixed_fps=8))
    for step in range(25):
        effect.transform = (2 + step / 4, 8, 0)
        scene.update(1 / 32)
    # Simulated up to (8, 8), after 0.75 s; drawn where the emitter is, from 0.5 s before the frame.
    left, _, right, _ = box(scene.draw())
    assert right == 8
    assert 3 <= left <= 4


def test_trails_of_the_world_have_no_other_space() -> None:
    with pytest.raises(gp.EffectError, match=r'trail.space: "local" is given'):
        gp.Emitter("one", trail=gp.Trail(space="local"))


def test_a_particle_that_has_come_to_rest_loses_its_trail(scene: Scene) -> None:
    stop = [(0, 1), (0.5, 1), (0.5, 0), (1, 0)]
    scene.add((2, 8, 0), **to_the_right(8, lifetime=2, speed_over_life=stop))
    scene.update(0.5)
    scene.update(0.5)
    for rested in range(4):
        assert box(scene.draw()) == (6 + rested, 6, 10, 10)
        scene.update(1 / 8)
    assert not scene.draw().any()


def test_a_way_towards_the_camera_is_thin_and_finite(scene: Scene) -> None:
    scene.add((0, 0, 0), velocity=(0, 0, 4), size=1, trail=plain())
    scene.add((0, 0, 0), velocity=(0, 0, 40), size=1, trail=plain())  # through the camera
    for _ in range(20):
        scene.update(1 / 32)
    view, projection = look_at((0, 0, 10), (0, 0, 0)), perspective(60, 1, 0.1, 100)
    scene.draw(view=view, projection=projection)
    aside = look_at((3, 2, 10), (0, 0, 0))
    assert scene.draw(view=aside, projection=projection).any()


@APART
def test_width_and_colour_follow_the_curves_over_the_trail(scene: Scene, apart: float) -> None:
    canvas = scene.make_canvas((32, 16), dtype="f4")
    trail = plain(
        width=0.5,
        width_over_trail=[(0, 2), (1, 0)],
        color_over_trail=[(0, "#ff0000"), (1, "#0000ff")],
        min_distance=apart,
    )
    scene.add((4, 8, 0), **to_the_right(32, size=8, trail=trail))
    for _ in range(16):
        scene.update(1 / 32)
    shown = scene.draw(canvas)
    t = (20 - (np.arange(4, 20) + 0.5)) / 16
    heights = (shown[:, 4:20, 3] > 0).sum(axis=0)
    # Its tip is drawn a pixel wide, and fainter: the longer its last piece, the more of it.
    assert heights == pytest.approx(8 * (1 - t), abs=2 if apart else 1)
    assert shown[8, 8:20, 0] == pytest.approx(1 - t[4:], abs=0.02)
    assert shown[8, 8:20, 2] == pytest.approx(t[4:], abs=0.02)


def test_each_place_has_the_look_that_the_particle_had_there(scene: Scene) -> None:
    canvas = scene.make_canvas((32, 16), dtype="f4")
    look = {"color_over_life": [(0, "#ff0000"), (1, "#00ff00")], "size_over_life": [(0, 0), (1, 1)]}
    scene.add((4, 8, 0), **to_the_right(32, size=8, lifetime=1, **look))
    for _ in range(16):
        scene.update(1 / 32)
    shown = scene.draw(canvas)
    life = (np.arange(4, 20) + 0.5 - 4) / 32
    assert shown[8, 9:20, 1] == pytest.approx(life[5:], abs=0.02)
    assert (shown[:, 4:20, 3] > 0.99).sum(axis=0) == pytest.approx(8 * life, abs=1)


#: Left half red, right half green: the left edge is at the particle.
HALVES = picture([[(255, 0, 0, 255), (0, 255, 0, 255)]])


def test_a_texture_is_stretched_from_the_particle_to_the_end(scene: Scene) -> None:
    trail = plain(texture=HALVES, filter="nearest")
    scene.add((2, 8, 0), **to_the_right(16, trail=trail))
    for _ in range(8):
        scene.update(1 / 16)
    row = scene.draw()[8, 2:10]
    assert (row[:4] == (0, 255, 0, 255)).all()
    assert (row[4:] == (255, 0, 0, 255)).all()


@APART
def test_a_texture_is_tiled_by_length(scene: Scene, apart: float) -> None:
    trail = plain(texture=HALVES, filter="nearest", tile=4, min_distance=apart)
    scene.add((2, 8, 0), **to_the_right(16, trail=trail))
    for _ in range(8):
        scene.update(1 / 16)
    row = scene.draw()[8, 2:10]
    assert row[:, 0].tolist() == [0, 0, 255, 255, 0, 0, 255, 255]


def test_a_jump_is_left_out(scene: Scene) -> None:
    wrap = gp.Wrap(center=(8, 8, 0), half=(4, 4, 4), space="world")
    how = to_the_right(16, size=2, modifiers=[wrap], trail=plain(longest=4))
    scene.add((6, 8, 0), **how)
    for _ in range(30):
        scene.update(1 / 60)
    row = scene.draw()[8, :, 3] > 0
    # It came to the right edge at 12, and went on from 4: the ways at both ends are shown.
    assert row[7:11].all()
    assert not row[12:].any()
    assert row.sum() < 9


def test_it_blends_as_it_is_told(scene: Scene) -> None:
    canvas = scene.make_canvas(dtype="f4")
    trail = plain(color_over_trail="#ffffff80", blend="additive")
    scene.add((2, 8, 0), **to_the_right(16, trail=trail))
    scene.update(0.5)
    pixel = scene.draw(canvas)[8, 5]
    assert pixel[:3] == pytest.approx(128 / 255, abs=0.01)
    assert pixel[3] == 0


def test_the_sprite_lies_over_the_trail(scene: Scene) -> None:
    trail = plain(only=False, color_over_trail="#ff0000")
    scene.add((2, 8, 0), **to_the_right(16, trail=trail, color="#00ff00"))
    scene.update(0.25)
    shown = scene.draw()
    assert box(shown) == (2, 6, 8, 10)
    # The trail has the colour of the particle times its own: none is left.
    assert (shown[8, 2:4] == (0, 0, 0, 255)).all()
    assert (shown[8, 4:8] == (0, 255, 0, 255)).all()


def test_between_frames_it_ends_at_the_particle_that_is_seen(scene: Scene) -> None:
    emitter = gp.Emitter(
        "one",
        capacity=1,
        rate=0,
        bursts=[gp.Burst()],
        lifetime=9,
        **to_the_right(16, trail=plain(segments=64)),
    )
    scene.particles.play(gp.Effect("one", [emitter], loop=False, fixed_fps=4), transform=(2, 8, 0))
    for _ in range(11):
        scene.update(1 / 16)
    # Seen is what was a frame of a quarter of a second ago, a trail of 8 units to there.
    assert box(scene.draw()) == (2, 6, 9, 10)
    scene.update(1 / 8)
    assert box(scene.draw()) == (3, 6, 11, 10)


def test_a_parameter_drives_its_width_and_colour(scene: Scene) -> None:
    emitter = gp.Emitter(
        "one", capacity=1, rate=0, bursts=[gp.Burst()], lifetime=9, **to_the_right(16)
    )
    binds = ["emitters.one.trail.width"]
    tinted = ["emitters.one.trail.color_over_trail"]
    effect = gp.Effect(
        "one",
        [emitter],
        loop=False,
        parameters=[
            gp.Parameter("width", 1, (0, 4), binds=binds),
            gp.Parameter("color", "#fff", binds=tinted),
        ],
    )
    playing = scene.particles.play(effect, transform=(2, 8, 0))
    scene.update(0.25)
    assert box(scene.draw()) == (2, 6, 6, 10)
    playing.parameters["width"] = 2
    playing.parameters["color"] = "#ff0000"
    shown = scene.draw()
    assert box(shown) == (2, 4, 6, 12)
    assert (shown[8, 3] == (255, 0, 0, 255)).all()


def test_a_texture_that_cannot_be_read_is_said(scene: Scene, tmp_path: Any) -> None:
    missing = tmp_path / "missing.png"
    with pytest.raises(gp.EffectError, match=r"one: one: trail.texture: there is no file"):
        scene.add(trail=gp.Trail(texture=missing))
    borrowed = scene.ctx.texture((2, 2), 4)
    scene.add((2, 8, 0), **to_the_right(16, trail=plain(texture=borrowed)))
    scene.update(0.2)
    borrowed.release()
    with pytest.raises(gp.ContextError, match=r"one: one: trail.texture has been released"):
        scene.draw()


ARCHED = {
    "velocity": (14.3, 9.1, 0),
    "size": 3,
    "modifiers": [gp.Acceleration((0, -37, 0), space="emitter")],
}
MIRROR = np.array([[-1.0, 0, 0, 16], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])


def linked() -> dict[str, Any]:
    """Particles on an arch, with a ribbon through all of them, and trails behind each."""
    born = {"capacity": 9, "rate": 16, "bursts": [], "lifetime": 0.5, "trail": plain(lifetime=0.1)}
    return {**ARCHED, **born, "ribbon": gp.Ribbon(texture=SQUARE, width=0.5)}


@pytest.mark.parametrize("look", [{**ARCHED, "trail": plain()}, linked()], ids=["trail", "ribbon"])
def test_in_mirrors_the_same_pixels_are_covered(scene: Scene, look: dict[str, Any]) -> None:
    matrix = np.eye(4)
    matrix[:3, 3] = (2.2, 5.3, 0)
    shown = []
    for transform in (matrix, MIRROR @ matrix):
        effect = scene.add(transform, **look)
        for _ in range(24):
            scene.update(1 / 48)
        shown.append(scene.draw())
        if transform is matrix:
            shown.append(scene.draw(view=MIRROR))
            shown.append(scene.draw(projection=np.asarray(scene.canvas.projection) @ MIRROR))
        effect.release()
    assert shown[0].any()
    for mirrored in shown[1:]:
        # A pixel whose middle lies on an edge belongs to one side of it.
        assert (mirrored[:, ::-1] != shown[0]).any(axis=2).sum() <= 2


@pytest.mark.parametrize("look", [{"trail": plain()}, linked()], ids=["trail", "ribbon"])
def test_each_eye_sees_the_full_width(scene: Scene, look: dict[str, Any]) -> None:
    """From the front, from above and aslant, one after the other, with no update in between."""
    given = {**look, "velocity": (16, 0, 0), "size": 4, "modifiers": []}
    if "ribbon" in given:
        given |= {"rate": 4, "bursts": [], "ribbon": gp.Ribbon(texture=SQUARE), "trail": None}
    scene.add((-6, 0, 0), **given)
    for _ in range(8):
        scene.update(1 / 16)
    projection = orthographic(-8, 8, -8, 8, 1, 100)
    eyes = {
        "front": look_at((0, 0, 50), (0, 0, 0)),
        "above": look_at((0, 50, 0), (0, 0, 0), up=(0, 0, -1)),
        "aslant": look_at((0, 30, 40), (0, 0, 0)),
    }
    right = 10 if "trail" in look and "ribbon" not in look else 6
    for name in ("front", "above", "aslant", "front", "above"):
        shown = scene.draw(view=eyes[name], projection=projection)
        assert box(shown) == (2, 6, right, 10), name
