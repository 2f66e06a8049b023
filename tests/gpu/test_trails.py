"""What is kept of the ways of particles: marks by time, and whose they are."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gpuparticles as gp
from gpuparticles.gpu.gl import TEXTURE_UNITS
from gpuparticles.playback.clock import Clock
from gpuparticles.playback.marks import marks_of
from gpuparticles.playback.reference import Reference
from tests.gpu.conftest import Ways, ways

System = Callable[..., gp.ParticleSystem]


def effect(fixed_fps: float | None = None, **settings: Any) -> gp.Effect:
    """Particles with trails that turn, fall and are born in each other's slots."""
    given = {
        "capacity": 40,
        "rate": 45,
        "lifetime": (0.1, 0.6),
        "speed": (1, 4),
        "spread": 40,
        "modifiers": [gp.Acceleration((0, -5, 0)), gp.Vortex(3)],
        "trail": gp.Trail(0.25, segments=7),
    }
    return gp.Effect("test", [gp.Emitter("it", **{**given, **settings})], fixed_fps=fixed_fps)


def assert_same_ways(found: Ways, expected: Ways) -> None:
    assert found.keys() == expected.keys()
    for number, way in expected.items():
        assert found[number] == pytest.approx(way, abs=1e-4), number


def lengths(count: int) -> list[float]:
    return np.random.default_rng(5).uniform(0.002, 0.05, count).tolist()


KILLS = (gp.Acceleration((0, -5, 0)), gp.CollidePlane(point=(0, -0.2, 0), on_hit="die"))
CARRIED: dict[str, Any] = {"space": "local", "offset": gp.Offset((1, 0, 0), (0, 0, 40))}
COSTS = (gp.Acceleration((0, -9, 0)), gp.CollidePlane(lifetime_loss=0.3))


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"space": "local"},
        {"trail": gp.Trail(0.25, segments=7, outlives=False)},
        {"trail": gp.Trail(0.02, segments=5)},
        {"trail": gp.Trail(0.3, segments=1)},
        {"trail": gp.Trail(0.25, segments=12, min_distance=0.11)},
        {"trail": gp.Trail(0.25, segments=12, min_distance=0.3), "fixed_fps": 20},
        {"trail": gp.Trail(0.3, segments=20, min_distance=0.2), "modifiers": KILLS},
        {"trail": gp.Trail(0.25, segments=7, space="world"), **CARRIED},
        {"trail": gp.Trail(0.3, segments=9, space="world"), **CARRIED, "fixed_fps": 20},
        {
            "trail": gp.Trail(0.25, segments=20, space="world", min_distance=0.15),
            **CARRIED,
            "modifiers": KILLS,
            "lifetime": (0.3, 2),
        },
        {"modifiers": KILLS, "lifetime": (0.3, 2)},
        {"modifiers": COSTS, "lifetime": (0.3, 2)},
        {"modifiers": KILLS, "lifetime": float("inf"), "limit": 30},
        {"fixed_fps": 20},
    ],
    ids=str,
)
def test_the_gpu_keeps_what_the_reference_keeps(system: System, settings: dict[str, Any]) -> None:
    particles = system()
    what = effect(**settings)
    there = (3, 1, -2)
    playing = particles.play(what, position=there, seed=4)
    expected = Reference(what, seed=4, transform=there)
    longest = 0
    for number, dt in enumerate(lengths(90)):
        if number % 7 == 3:
            c, s = np.cos(0.02 * number), np.sin(0.02 * number)
            matrix = np.array([[c, -s, 0, 3], [s, c, 0, 1], [0, 0, 1, -2], [0, 0, 0, 1]])
            matrix[0, 3] += 0.05 * number
            playing.transform = expected.transform = matrix
        if number == 40:
            playing["it"].capacity = 25
            expected.set_capacity("it", 25)
        if number == 60:
            playing["it"].capacity = 600
            expected.set_capacity("it", 600)
        particles.update(dt)
        expected.update(dt)
        assert playing["it"].live_count == expected.live_count
        if number % 10 == 9:
            found = ways(playing["it"])
            assert_same_ways(found, expected.trails("it"))
            longest = max([longest, *map(len, found.values())])
    assert longest > 2


@pytest.mark.parametrize("fps", [15, 30, 60, 144, 1000])
def test_points_lie_at_their_times_at_any_step_rate(system: System, fps: int) -> None:
    what = effect(
        rate=0, bursts=[gp.Burst(0.1)], lifetime=9, speed=2, spread=0, modifiers=[], loop=False
    )
    particles = system(max_step=1)
    playing = particles.play(what)
    for _ in range(round(0.6 * fps)):
        particles.update(1 / fps)
    clock = playing["it"]._player.population.clock
    marks = playing["it"]._simulation.history.marks
    (way,) = ways(playing["it"]).values()
    assert len(way) == 1 + marks.planes
    assert way[0] == pytest.approx([0, 0, 0])
    last = marks.last(clock.now)
    for number, place in zip(range(last - marks.planes + 1, last + 1), way[1:], strict=True):
        height = 2 * (number * marks.every * clock.tick - 0.1)
        assert place == pytest.approx([0, height, 0], abs=1e-4)


@pytest.mark.parametrize("fps", [20, 60, 144])
def test_points_are_kept_where_a_particle_has_gone_far_enough(system: System, fps: int) -> None:
    """A mark each 1/32 s, 1/16 of a unit apart: of these each third is far enough."""
    trail = gp.Trail(1, segments=32, min_distance=0.17)
    once: dict[str, Any] = {"rate": 0, "bursts": [gp.Burst()], "lifetime": 9, "loop": False}
    what = effect(**once, speed=2, spread=0, modifiers=[], trail=trail)
    particles = system(max_step=1)
    playing, expected = particles.play(what), Reference(what, max_step=1)
    for _ in range(round(0.95 * fps)):
        particles.update(1 / fps)
        expected.update(1 / fps)
    (way,) = ways(playing["it"]).values()
    assert way[:, 1] == pytest.approx(np.arange(0, 1.89, 0.1875), abs=1e-4)
    assert_same_ways({0: way}, expected.trails("it"))


def test_who_rests_or_trembles_leaves_no_points(system: System) -> None:
    """But for one each lifetime, from which on the trail shortens."""
    trail = gp.Trail(0.5, segments=16, min_distance=0.5)
    once: dict[str, Any] = {"rate": 0, "bursts": [gp.Burst(0, 3)], "lifetime": 9, "loop": False}
    noise = gp.Turbulence(40, frequency=9)
    for modifiers, reach in (((), 0.0), ((noise, gp.Drag(20), gp.SpeedLimit(2)), 0.5)):
        what = effect(**once, speed=0, modifiers=modifiers, trail=trail)
        particles = system()
        playing = particles.play(what)
        for _ in range(30):
            particles.update(1 / 64)
        for way in ways(playing["it"]).values():
            assert len(way) == 1
        for _ in range(30):
            particles.update(1 / 64)
        for way in ways(playing["it"]).values():
            assert len(way) == 2
            assert np.ptp(way, axis=0).max() <= reach


def test_a_hitch_leaves_no_point_of_before(system: System) -> None:
    trail = gp.Trail(0.5, segments=16, min_distance=0.5)
    endless: dict[str, Any] = {"rate": 0, "bursts": [gp.Burst()], "lifetime": float("inf")}
    what = effect(**endless, speed=1, spread=0, modifiers=[], trail=trail, loop=False)
    particles = system()
    playing, expected = particles.play(what), Reference(what)
    for dt in (0.7, 1000.0, 0.3, 400.0, 1.0):
        particles.update(dt)
        expected.update(dt)
        assert_same_ways(ways(playing["it"]), expected.trails("it"))
    (way,) = ways(playing["it"]).values()
    assert np.ptp(way[1:], axis=0).max() < 1


def test_marks_are_apart_by_the_share_of_the_lifetime() -> None:
    clock = Clock(3)
    marks = marks_of(gp.Trail(0.5, segments=16), clock)
    assert marks.every == 0.5 / 16 * clock.per_second
    assert marks.planes == 17
    assert list(marks.due(0, marks.every)) == [1]
    assert list(marks.due(marks.every, 2 * marks.every - 1)) == []
    # Of a step that is longer than all that is kept only the end counts.
    assert list(marks.due(0, 100 * marks.every)) == list(range(84, 101))


def test_nobody_has_a_point_of_who_was_in_the_slot_before(system: System) -> None:
    # Everybody stays where they were born, each elsewhere: what a trail knows is one place.
    what = effect(speed=0, modifiers=[], shape=gp.Box((5, 5, 5)), lifetime=0.13)
    particles = system()
    playing = particles.play(what)
    numbers: set[int] = set()
    for dt in lengths(80):
        particles.update(dt)
        for number, way in ways(playing["it"]).items():
            assert (way == way[0]).all()
            numbers.add(number)
    assert len(numbers) > 2 * 40  # slots have been used again


def assert_equal_ways(found: Ways, expected: Ways) -> None:
    assert found.keys() == expected.keys()
    assert all(np.array_equal(found[number], way) for number, way in expected.items())


TRAILS = (gp.Trail(0.25, segments=7), gp.Trail(0.25, segments=20, min_distance=0.15))


@pytest.mark.parametrize("trail", TRAILS)
def test_a_reset_a_seek_and_a_prewarm_leave_nothing_of_before(
    system: System, trail: gp.Trail
) -> None:
    particles = system()
    playing = particles.play(effect(trail=trail), seed=3)
    particles.update(1.7)
    playing.seek(0.9)
    other = system()
    fresh = other.play(effect(trail=trail), seed=3)
    other.update(0.9)
    assert_equal_ways(ways(playing["it"]), ways(fresh["it"]))
    playing.reset()
    assert ways(playing["it"]) == {}
    particles.update(0.9)
    assert_equal_ways(ways(playing["it"]), ways(fresh["it"]))


def test_a_hitch_is_survived(system: System) -> None:
    particles = system()
    playing = particles.play(effect(), seed=3)
    particles.update(0.4)
    particles.update(10_000)
    found = ways(playing["it"])
    assert found
    assert all(np.abs(way).max() < 5 for way in found.values())


@pytest.mark.parametrize("trail", TRAILS)
def test_a_snapshot_holds_the_ways(system: System, trail: gp.Trail) -> None:
    particles = system()
    playing = particles.play(effect(trail=trail), seed=3)
    particles.update(0.7)
    saved = playing.snapshot()
    before = ways(playing["it"])
    particles.update(0.5)
    after = ways(playing["it"])
    twin = system().play(effect(trail=trail), seed=99)
    twin.restore(saved)
    assert_equal_ways(ways(twin["it"]), before)
    playing.restore(saved)
    particles.update(0.5)
    assert_equal_ways(ways(playing["it"]), after)


def test_another_anchor_and_another_origin_move_no_point(system: System) -> None:
    particles = system()
    playing = particles.play(effect(lifetime=9, trail=gp.Trail(3, segments=9)), seed=3)
    particles.update(0.4)

    def in_the_world() -> Ways:
        anchor = np.array(playing._anchor)
        return {number: way + anchor for number, way in ways(playing["it"]).items()}

    before = in_the_world()
    anchor = playing._anchor
    playing.teleport((5000, 0, 0))
    particles.update(1e-6)
    after = in_the_world()
    assert playing._anchor != anchor
    for number, way in before.items():
        assert after[number][: len(way)] == pytest.approx(way, abs=1e-3)
    offset = np.array((-4000.0, 0.0, 7.0))
    particles.shift_origin(offset)
    shifted = in_the_world()
    for number, way in after.items():
        assert shifted[number] == pytest.approx(way + offset, abs=1e-3)


def test_the_dead_keep_their_place_until_their_trail_is_over(system: System) -> None:
    once = {"rate": 0, "bursts": [gp.Burst(0, 5)], "lifetime": 0.25, "loop": False, "capacity": 5}
    particles = system()
    playing = particles.play(effect(**once, trail=gp.Trail(0.5)))
    particles.update(0.3)
    emitter = playing["it"]
    assert len(emitter.read()) == 0
    assert (emitter.live_count, playing.finished) == (5, False)
    emitter.emit(1)
    particles.update(0.125)
    assert emitter.dropped == 1
    particles.update(0.325)
    assert (emitter.live_count, playing.finished) == (0, True)
    short = particles.play(effect(**once, trail=gp.Trail(0.5, outlives=False)))
    particles.update(0.3)
    assert (short.live_count, short.finished) == (0, True)


@pytest.mark.parametrize("outlives", [False, True])
def test_the_killed_leave_their_slots_when_their_trails_are_over(
    system: System, *, outlives: bool
) -> None:
    particles = system()
    what = effect(
        rate=0,
        bursts=[gp.Burst(0, 5)],
        lifetime=60,
        loop=False,
        speed=0,
        modifiers=[gp.Acceleration((0, -1, 0)), gp.KillPlane(point=(0, -0.02, 0))],
        trail=gp.Trail(0.5, outlives=outlives),
    )
    playing = particles.play(what)
    for _ in range(30):
        particles.update(0.02)
    assert playing.live_count == (5 if outlives else 0)
    assert (len(ways(playing["it"])) == 5) == outlives
    for _ in range(20):
        particles.update(0.02)
    assert playing.live_count == 0
    assert playing.finished


def test_bursts_have_trails(system: System) -> None:
    particles = system()
    what = effect(rate=0, bursts=[gp.Burst(0, 5)], loop=False)
    for place in range(3):
        particles.burst(what, position=(place, 0, 0))
    particles.update(0.05)
    assert particles.stats.live == 15
    for _ in range(30):
        particles.update(0.05)
    assert particles.stats.live == 0
    assert not particles._scene.playing


def test_only_trails_cost(system: System) -> None:
    particles = system()
    plain = particles.play(effect(trail=None))
    playing = particles.play(effect())
    emitter = playing["it"]
    slots = emitter._simulation.capacity
    index = emitter._trails._program.nbytes
    assert index == plain["it"]._sprites._program.nbytes
    more = emitter.gpu_bytes - plain["it"].gpu_bytes
    block = emitter._simulation.block.size - plain["it"]._simulation.block.size
    assert more == slots * 16 * (7 + 2) + block
    apart = particles.play(effect(trail=gp.Trail(0.25, segments=7, min_distance=1)))["it"]
    assert apart.gpu_bytes - emitter.gpu_bytes == slots * 16
    assert plain["it"]._simulation.history is None


def test_nothing_is_read_back(system: System, no_readback: None) -> None:
    particles = system()
    particles.play(effect())
    particles.play(effect(fixed_fps=30))
    framebuffer = particles.ctx.simple_framebuffer((4, 4))
    framebuffer.use()
    for dt in lengths(20):
        particles.update(dt)
        particles.draw(np.eye(4), np.eye(4))
    for thing in (*framebuffer.color_attachments, framebuffer.depth_attachment, framebuffer):
        thing.release()


def test_what_does_not_fit_is_said(system: System) -> None:
    particles = system()
    most = particles.ctx.info["GL_MAX_TEXTURE_SIZE"]
    with pytest.raises(gp.ContextError, match=r"test: it: trail.segments: 256 points"):
        particles.play(effect(capacity=most * 32, trail=gp.Trail(segments=255)))
    playing = particles.play(effect(trail=gp.Trail(segments=255)))
    with pytest.raises(gp.ContextError, match=r"trail.segments"):
        playing["it"].capacity = most * 32


def test_the_host_s_textures_stay_bound_when_marks_are_set(system: System) -> None:
    particles = system()
    particles.play(effect(modifiers=[]))
    particles.update(0.1)
    gl = particles._scene.guard.gl
    texture = particles.ctx.texture((2, 2), 4)
    for unit in range(TEXTURE_UNITS):
        texture.use(unit)
    particles.update(0.1)
    bound = (ctypes.c_int * 1)()
    for unit in range(TEXTURE_UNITS):
        gl.ActiveTexture(gl.TEXTURE0 + unit)
        gl.GetIntegerv(gl.TEXTURE_BINDING_2D, bound)
        assert bound[0] == texture.glo, unit
    texture.release()


def test_a_trail_begins_where_a_host_has_somebody_born(system: System) -> None:
    particles = system()
    playing = particles.play(effect(rate=0, modifiers=[]))
    playing["it"].emit(positions=[(5, 0, 0), (-5, 1, 0)], velocities=[(0, 1, 0), (0, 2, 0)])
    for _ in range(5):
        particles.update(0.02)
    found = ways(playing["it"])
    assert [way[0].tolist() for way in found.values()] == [[5, 0, 0], [-5, 1, 0]]
    assert all(len(way) > 2 and (way[:, 0] == way[0, 0]).all() for way in found.values())
