"""Particles that bounce off what the host's depth buffer shows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import moderngl
import numpy as np
import pytest
from numpy.typing import NDArray

import gpuparticles as gp
from gpuparticles.draw.camera import look_at, orthographic, perspective
from gpuparticles.playback.reference import Reference
from tests.gpu.conftest import assert_same_particles
from tests.gpu.host_state import TOGETHER, Host, changes

System = Callable[..., gp.ParticleSystem]
One = Callable[..., gp.Effect]
Matrix = NDArray[np.float64]
GRAVITY = gp.Acceleration((0, -9.8, 0))
SIZE = (160, 120)
REVERSED = np.diag((1.0, 1.0, -1.0, 1.0))
PROJECTIONS: dict[str, Matrix] = {
    "perspective": perspective(60, 4 / 3, 0.5, 60),
    "reversed": REVERSED @ perspective(60, 4 / 3, 0.5, 60),
    "orthographic": orthographic(-8, 8, -6, 6, 0.1, 40),
    "orthographic reversed": REVERSED @ orthographic(-8, 8, -6, 6, 0.1, 40),
}
VIEW = look_at((1, 7, 8), (0, 0, 0))
SLOPE = np.array((-0.3, 1.0, 0.2))  # a normal

VERTEX = """
#version 330 core
uniform mat4 u_whole;
in vec3 in_place;
void main() { gl_Position = u_whole * vec4(in_place, 1.0); }
"""
FRAGMENT = """
#version 330 core
void main() {}
"""


class Picture:
    """A depth buffer into which triangles are drawn by a real pass."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self.ctx = ctx
        self.depth = ctx.depth_texture(SIZE)  # which compares by default
        self.target = ctx.framebuffer(depth_attachment=self.depth)
        self.program = ctx.program(vertex_shader=VERTEX, fragment_shader=FRAGMENT)

    def draw(self, triangles: Any, projection: Matrix, view: Matrix = VIEW) -> moderngl.Texture:
        """Draw, in double precision up to clip space's matrix."""
        far = 0.0 if projection[2, 2] > 0 else 1.0
        places = np.asarray(triangles, np.float32)
        buffer = self.ctx.buffer(places.tobytes())
        array = self.ctx.vertex_array(self.program, [(buffer, "3f", "in_place")])
        whole = self.program["u_whole"]
        assert isinstance(whole, moderngl.Uniform)
        whole.write((projection @ view).T.astype("f4").tobytes())
        self.target.use()
        self.target.clear(depth=far)
        self.ctx.enable_only(moderngl.DEPTH_TEST)
        self.ctx.depth_func = "<=" if far else ">="
        array.render(moderngl.TRIANGLES)
        self.ctx.enable_only(moderngl.NOTHING)
        self.ctx.depth_func = "<="
        array.release()
        buffer.release()
        return self.depth

    def texels(self) -> NDArray[np.float32]:
        """What it holds."""
        return np.frombuffer(self.depth.read(), np.float32).reshape(SIZE[::-1])

    def release(self) -> None:
        """Free everything."""
        for each in (self.target, self.depth, self.program):
            each.release()


@pytest.fixture
def picture(ctx: moderngl.Context) -> Iterator[Picture]:
    made = Picture(ctx)
    yield made
    made.release()


def sheet(normal: Any = SLOPE, size: float = 30, at: Any = (0, 0, 0)) -> NDArray[np.float64]:
    """Two triangles on a plane."""
    across = np.cross(normal, (0, 0, 1.0))
    across /= np.linalg.norm(across)
    along = np.cross(across, normal) / np.linalg.norm(normal)
    corners = [np.array(at) + size * (x * across + z * along) for x, z in _CORNERS]
    return np.array(corners)


_CORNERS = ((-1, -1), (1, -1), (1, 1), (-1, -1), (1, 1), (-1, 1))


def fallen(one: One, *modifiers: Any, **settings: Any) -> gp.Effect:
    """Forty particles that fall onto the origin."""
    given: dict[str, Any] = {
        "bursts": [gp.Burst(count=40)],
        "lifetime": 100,
        "shape": gp.Box((1, 0.3, 1), offset=(0, 1.5, 0)),
        "speed": (0, 1.5),
        "spread": 180,
        "modifiers": [GRAVITY, *modifiers],
    }
    return one(**given | settings)


def played(
    particles: gp.ParticleSystem, effect: gp.Effect, seconds: float, rate: int = 60, **where: Any
) -> NDArray[np.void]:
    instance = particles.play(effect, seed=3, **where)
    for _ in range(round(seconds * rate)):
        particles.update(1 / rate)
    return instance["it"].read()


@pytest.mark.parametrize("name", PROJECTIONS)
def test_a_plane_that_is_seen_is_a_plane(
    system: System, one: One, picture: Picture, name: str
) -> None:
    """In perspective or not, with reversed depth or not, from a texture that compares."""
    projection = PROJECTIONS[name]
    particles = system()
    particles.set_depth(picture.draw(sheet(), projection), VIEW, projection)
    look = {"restitution": 0.5, "friction": 0.2, "particle_radius": 0.1}
    found = played(particles, fallen(one, gp.CollideDepth(**look)), 0.9)
    plane = gp.CollidePlane(tuple(SLOPE), **look)
    expected = played(system(), fallen(one, plane), 0.9)

    assert np.linalg.norm(expected["velocity"] - (0, -9.8 * 0.9, 0), axis=1).min() > 2
    assert found["position"] == pytest.approx(expected["position"], abs=0.02)


def test_depths_in_a_float_texture_do_too(
    system: System, one: One, picture: Picture, ctx: moderngl.Context
) -> None:
    projection = PROJECTIONS["perspective"]
    picture.draw(sheet(), projection)
    copy = ctx.texture(SIZE, 1, picture.texels().tobytes(), dtype="f4")
    effect = fallen(one, gp.CollideDepth())
    ends = []
    for texture in (picture.depth, copy):
        particles = system()
        particles.set_depth(texture, VIEW, projection)
        ends.append(played(particles, effect, 0.8)["position"])
    copy.release()

    assert ends[1] == pytest.approx(ends[0], abs=1e-3)


@pytest.mark.parametrize("space", ["world", "local"])
@pytest.mark.parametrize("name", ["perspective", "orthographic"])
def test_a_scene_is_met_as_in_the_reference(
    system: System, one: One, picture: Picture, name: str, space: str
) -> None:
    """A block on a floor, with edges behind which there is room, while the emitter moves."""
    projection = PROJECTIONS[name]
    block = [sheet((0, 1, 0), 30), sheet((0, 1, 0), 0.6, (0.2, 0.7, 0))]
    depth = picture.draw(np.concatenate(block), projection)
    effect = fallen(one, gp.CollideDepth(0.4, friction=0.2, on_hit="bounce"), space=space)
    particles, reference = system(), Reference(effect, seed=5)
    particles.set_depth(depth, VIEW, projection)
    reference.set_depth(picture.texels(), VIEW, projection)
    instance = particles.play(effect, seed=5)
    for step in range(30):
        move = np.eye(4)
        move[:3, :3] = look_at((math.sin(0.03 * step), 0.2, 1), (0, 0, 0))[:3, :3]
        move[:3, 3] = 0.02 * step, 0.01 * step, 0
        instance.transform = reference.transform = move
        particles.update(1 / 40)
        reference.update(1 / 40)
    found, expected = instance["it"].read(), reference.read("it")

    assert np.abs(found["velocity"][:, 1] + 9.8 * 0.75).max() > 1
    off = np.abs(found["position"] - expected["position"]).max(axis=1)
    # Which pixel's plane is hit at an edge is up to rounding.
    assert np.quantile(off, 0.9) <= 1e-3
    assert np.array_equal(found["number"], expected["number"])


def test_bursts_that_share_textures_meet_it_too(system: System, one: One, picture: Picture) -> None:
    projection = PROJECTIONS["perspective"]
    depth = picture.draw(sheet((0, 1, 0)), projection)
    effect = fallen(one, gp.CollideDepth(restitution=0, friction=1), speed=0)
    for space in ("world", "local"):
        its = gp.Effect("it", [replace(effect.emitters[0], space=space)], loop=False)
        particles = system()
        particles.set_depth(depth, VIEW, projection)
        for place in ((0, 0, 0), (1, 0.5, 0)):
            particles.burst(its, position=place)
        for _ in range(60):
            particles.update(1 / 60)
        heights = []
        for playing in particles._scene.playing:
            for simulation in getattr(playing, "_simulations", ()):
                texels = simulation.read()["position_age"]
                heights.append(np.frombuffer(texels, np.float32).reshape(-1, 4)[:80, 1])
        if space == "world":
            assert np.abs(np.concatenate(heights)).max() < 2e-3
        else:
            assert not heights  # each has a frame of its own, and so textures


@pytest.mark.parametrize("speed", [5, 100])
def test_nothing_gets_through_at_any_speed(
    system: System, one: One, picture: Picture, speed: float
) -> None:
    """At 3.3 units a step, and a thickness far below."""
    projection = PROJECTIONS["perspective"]
    particles = system()
    particles.set_depth(picture.draw(sheet((0, 1, 0)), projection), VIEW, projection)
    effect = fallen(
        one,
        shape=gp.Box((1, 0, 1), offset=(0, 2, 0)),
        velocity=((-0.2 * speed, 0.2 * speed), -speed, 0),
        spread=0,
        modifiers=[gp.CollideDepth(0.05)],
    )
    instance = particles.play(effect)
    for _ in range(max(2, round(30 * 3 / speed))):
        particles.update(1 / 30)
        assert instance["it"].read()["position"][:, 1].min() > -1e-3
    assert np.all(instance["it"].read()["velocity"][:, 1] > 0)


def test_what_lies_on_a_slope_stays_there(system: System, one: One, picture: Picture) -> None:
    """Held by friction; without it, it slides."""
    projection = PROJECTIONS["perspective"]
    particles = system()
    particles.set_depth(picture.draw(sheet(), projection), VIEW, projection)
    ends = []
    for friction in (0.7, 0.0):
        modifier = gp.CollideDepth(restitution=0.2, friction=friction)
        instance = particles.play(fallen(one, modifier, speed=0, shape=gp.Box((1, 0, 1))))
        for _ in range(45):
            particles.update(1 / 60)
        before = instance["it"].read()["position"]
        for _ in range(15):
            particles.update(1 / 60)
        after = instance["it"].read()["position"]
        ends.append(np.linalg.norm(after - before, axis=1))

    assert ends[0].max() < 1e-4
    assert ends[1].min() > 0.3


def test_on_level_ground_it_rests_without_friction(
    system: System, one: One, picture: Picture
) -> None:
    """However its normals tremble: nothing creeps, and nothing spins."""
    projection = PROJECTIONS["perspective"]
    particles = system()
    particles.set_depth(picture.draw(sheet((0, 1, 0)), projection), VIEW, projection)
    effect = fallen(one, gp.CollideDepth(), speed=0, angular_velocity=90)
    instance = particles.play(effect)
    for _ in range(300):
        particles.update(1 / 30)
    before = instance["it"].read()
    particles.update(1)
    after = instance["it"].read()
    assert len(after) == 40
    assert np.array_equal(before["position"], after["position"])
    assert np.array_equal(before["rotation"], after["rotation"])
    assert not after["velocity"].any()


def test_what_is_hidden_is_flown_through(system: System, one: One, picture: Picture) -> None:
    """Deeper than the thickness behind a roof, and beside the picture; nothing is put in front."""
    projection = PROJECTIONS["orthographic"]
    depth = picture.draw(
        sheet((0, 1, 0), 2, (0, 3, 0)), projection, look_at((0, 9, 0.01), (0,) * 3)
    )
    view = look_at((0, 9, 0.01), (0, 0, 0))
    still: dict[str, Any] = {"speed": 0, "shape": gp.Box((0.5, 0.2, 0.5), offset=(0, 1.5, 0))}
    free = played(system(), fallen(one, **still), 0.5)["position"]
    for thickness, position in ((1.0, (0, 0, 0)), (9.0, (30, 0, 0)), (3.0, (0, 0, 0))):
        particles = system()
        particles.set_depth(depth, view, projection)
        effect = fallen(one, gp.CollideDepth(thickness), **still)
        found = played(particles, effect, 0.5, position=position)["position"] - position
        if thickness == 3.0:
            assert found[:, 1] == pytest.approx(3, abs=0.01)
        else:
            assert found == pytest.approx(free, abs=1e-5)


def test_without_a_depth_nothing_is_met(system: System, one: One, picture: Picture) -> None:
    """Before one is set, and when it has been taken away."""
    projection = PROJECTIONS["perspective"]
    depth = picture.draw(sheet(), projection)
    effect = fallen(one, gp.CollideDepth(), speed=0)
    free = played(system(), fallen(one, speed=0), 0.8)["position"]
    particles = system()
    assert np.array_equal(played(particles, effect, 0.8)["position"], free)
    particles.set_depth(depth, VIEW, projection)
    assert not np.array_equal(played(particles, effect, 0.8)["position"], free)
    particles.set_depth(None)
    assert np.array_equal(played(particles, effect, 0.8)["position"], free)


def test_far_from_the_origin_and_over_a_shift(system: System, one: One, picture: Picture) -> None:
    """A million units away, where float32 counts sixteenths of a unit."""
    projection = PROJECTIONS["perspective"]
    depth = picture.draw(sheet(), projection)
    effect = fallen(one, gp.CollideDepth(friction=0.2))
    near = system()
    near.set_depth(depth, VIEW, projection)
    expected = played(near, effect, 0.9)["position"]
    away, by = np.array((1e6, -1e6, 5e5)), np.array((-999_000, 12.5, 3.0))
    back = np.eye(4)
    back[:3, 3] = -away
    far = system()
    far.set_depth(depth, VIEW @ back, projection)
    instance = far.play(effect, seed=3, transform=tuple(away))
    for step in range(54):
        if step == 20:
            far.shift_origin(tuple(by))
        far.update(1 / 60)
    found = instance["it"].read()["position"] - away - by

    assert found == pytest.approx(expected, abs=1e-3)


def test_the_host_sees_nothing_of_it(one: One, ctx: moderngl.Context) -> None:
    """Whatever it has set; its texture compares as before, attached to what is bound."""
    picture = Picture(ctx)
    projection = PROJECTIONS["perspective"]
    depth = picture.draw(sheet(), projection)
    host = Host(ctx)
    particles = gp.ParticleSystem(ctx)
    particles.play(fallen(one, gp.CollideDepth()))
    particles.update(1 / 60)
    try:
        groups = [[name for name in group if name in host.states] for group in TOGETHER]
        for states in [*groups, [*host.states], *([name] for name in host.states)]:
            with host.awkward(*states) as before:
                particles.set_depth(depth, VIEW, projection)
                particles.update(1e-3)
                left = changes(before, host.values())
            assert not left, states
        picture.target.use()
        before = host.values()
        particles.update(1 / 60)
        assert not changes(before, host.values())
        assert depth.compare_func == "<="
    finally:
        particles.release()
        picture.release()
        host.release()


def test_what_is_refused(system: System, one: One, ctx: moderngl.Context) -> None:
    particles = system()
    lens = PROJECTIONS["perspective"]
    multisampled = ctx.depth_texture((4, 4), samples=4)
    colors = ctx.texture((4, 4), 4)
    gone = ctx.depth_texture((4, 4))
    gone.release()
    good = ctx.depth_texture((4, 4))
    kind = "is not a depth texture, nor one of a single 32-bit float a pixel"
    cases: list[tuple[Any, Any, Any, type[Exception], str]] = [
        (multisampled, VIEW, lens, ValueError, kind),
        (colors, VIEW, lens, ValueError, kind),
        ("depth", VIEW, lens, ValueError, kind),
        (gone, VIEW, lens, gp.ContextError, "depth: the texture has been released"),
        (good, VIEW.T, lens, gp.EffectError, "set_depth: view: the last row is"),
        (good, None, lens, gp.EffectError, "set_depth: view: None is not a 4x4 matrix"),
        (
            good,
            VIEW,
            np.diag((1.0, 1, 0, 1)),
            gp.EffectError,
            "set_depth: view and projection do not lead back from a depth to a place",
        ),
    ]
    for depth, view, projection, error, sentence in cases:
        with pytest.raises(error) as found:
            particles.set_depth(depth, view, projection)
        assert sentence in str(found.value)
    particles.play(fallen(one, gp.CollideDepth()))
    particles.set_depth(good, VIEW, lens)
    particles.update(0.01)
    good.release()
    with pytest.raises(gp.ContextError, match="given to set_depth has been released"):
        particles.update(0.01)
    particles.set_depth(None)
    particles.update(0.01)
    for each in (multisampled, colors):
        each.release()


def test_a_life_lost_by_what_is_seen_is_lost_in_the_reference(
    system: System, one: One, picture: Picture
) -> None:
    projection = PROJECTIONS["perspective"]
    depth = picture.draw(sheet((0, 1, 0)), projection)
    effect = fallen(one, gp.CollideDepth(on_hit="die"), speed=0)
    particles, reference = system(), Reference(effect, seed=5)
    particles.set_depth(depth, VIEW, projection)
    reference.set_depth(picture.texels(), VIEW, projection)
    instance = particles.play(effect, seed=5)
    for _ in range(33):
        particles.update(1 / 60)
        reference.update(1 / 60)

    assert 0 < len(instance["it"].read()) < 40
    assert_same_particles(instance["it"].read(), reference.read("it"))
