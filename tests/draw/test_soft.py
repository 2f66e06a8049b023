"""Sprites that fade where they come close to the scene."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import moderngl
import numpy as np
import pytest
from numpy.typing import NDArray

import gpuparticles as gp
from gpuparticles.draw.camera import orthographic, perspective
from gpuparticles.gpu.gl import GL
from tests.draw.conftest import SQUARE, Canvas, Scene
from tests.gpu.host_state import TOGETHER, Host, changes

Floats = NDArray[np.float64]

REVERSED = np.diag((1.0, 1.0, -1.0, 1.0))
OBLIQUE = perspective(60, 1, 0.5, 50)
OBLIQUE[2, :2] = 0.05, -0.08  # a near plane that is tilted, as a mirror's is
PROJECTIONS = {
    "perspective": perspective(60, 1, 0.5, 50),
    "reversed": REVERSED @ perspective(60, 1, 0.5, 50),
    "orthographic": orthographic(-2, 2, -2, 2, 0.1, 30),
    "orthographic reversed": REVERSED @ orthographic(-2, 2, -2, 2, -30, 30),
    "off centre": np.add(
        perspective(60, 1, 0.5, 50), [[0, 0, 0.3, 0], [0, 0, -0.2, 0], [0] * 4, [0] * 4]
    ),
    "oblique": OBLIQUE,
}
WALL = 10.0
"""How far ahead the scene is."""


def depth_at(projection: Floats, distance: float) -> float:
    """What the depth buffer holds in the middle of the picture."""
    middle = np.linalg.solve(projection, (0, 0, 0, 1))
    sideways = middle[:2] / middle[2] if projection[3, 2] else np.zeros(2)
    _, _, z, w = projection @ (*(-distance * sideways), -distance, 1)
    return float(z / w + 1) / 2


def depths_of(projection: Floats, distance: float, size: int = 16) -> NDArray[np.float32]:
    """What the depth buffer holds of a wall parallel to the picture, bottom row first."""
    across = (np.arange(size) + 0.5) * 2 / size - 1
    ndc = np.stack([*np.meshgrid(across, across), np.zeros((size, size)), np.ones((size, size))])
    far = ndc + np.array((0, 0, 0.5, 0))[:, None, None]
    one, other = (
        (found := np.einsum("ij,jyx->iyx", np.linalg.inv(projection), each))[:3] / found[3]
        for each in (ndc, far)
    )
    places = one + (other - one) * ((-distance - one[2]) / (other[2] - one[2]))
    clip = np.einsum("ij,jyx->iyx", projection, np.concatenate([places, ndc[3:]]))
    return np.asarray((clip[2] / clip[3] + 1) / 2, np.float32)


def soft(scene: Scene, distance: float, softness: float = 2.0, **emitter: Any) -> gp.EffectInstance:
    """A square so far ahead that fills the picture."""
    sprite = gp.Sprite(texture=SQUARE, softness=softness, **emitter.pop("sprite", {}))
    effect = scene.add((0, 0, -distance), size=100, sprite=sprite, **emitter)
    scene.update()
    return effect


def picture_of(scene: Scene, depths: NDArray[np.float32]) -> moderngl.Texture:
    """A texture of floats; the last row is the top."""
    return scene.make_texture(depths.shape[::-1], 1, depths.tobytes(), dtype="f4")


def plain(scene: Scene) -> Canvas:
    canvas = scene.make_canvas(dtype="f4")
    canvas.view = np.eye(4)
    canvas.projection = PROJECTIONS["perspective"]
    return canvas


@pytest.mark.parametrize("gap", [0.0, 0.25, 1.0, 1.75, 2.0, 5.0])
@pytest.mark.parametrize("name", PROJECTIONS)
def test_it_fades_linearly_in_world_units(scene: Scene, name: str, gap: float) -> None:
    projection = PROJECTIONS[name]
    depth = picture_of(scene, depths_of(projection, WALL))
    soft(scene, WALL - gap)
    found = scene.draw(plain(scene), projection=projection, depth=depth)
    np.testing.assert_allclose(found, min(gap / 2, 1), atol=2e-3)


def test_what_lies_behind_the_scene_is_gone_even_if_it_is_not_tested(scene: Scene) -> None:
    canvas = plain(scene)
    soft(scene, WALL + 1)
    depth = picture_of(scene, depths_of(PROJECTIONS["perspective"], WALL))
    assert not scene.draw(canvas, depth=depth, depth_test=None).any()


@pytest.mark.parametrize("scale", [0.25, 4.0])
def test_a_view_that_scales_scales_the_distance_too(scene: Scene, scale: float) -> None:
    """The world is shown smaller or larger: the wall and the sprite are at other depths."""
    projection = PROJECTIONS["perspective"]
    depth = picture_of(scene, depths_of(projection, WALL * scale))
    soft(scene, WALL - 0.5)
    view = np.diag((scale, scale, scale, 1))
    found = scene.draw(plain(scene), view=view, depth=depth)
    np.testing.assert_allclose(found, 0.25, atol=3e-3)


def test_it_fades_pixel_by_pixel(scene: Scene) -> None:
    """A scene that is nearer at each column, and a sprite that is flat before it."""
    projection = orthographic(-2, 2, -2, 2, 0, 20)
    ahead = np.broadcast_to(np.linspace(12, 8, 16), (16, 16))
    depth = picture_of(scene, np.asarray(ahead / 20, np.float32))
    soft(scene, 9, softness=2)
    found = scene.draw(plain(scene), projection=projection, depth=depth)
    expected = np.clip((ahead - 9) / 2, 0, 1)
    np.testing.assert_allclose(found, np.repeat(expected[..., None], 4, axis=2), atol=1e-4)


def test_a_tilted_sprite_fades_by_its_own_depth_at_each_pixel(scene: Scene) -> None:
    projection = orthographic(-2, 2, -2, 2, 0, 20)
    depth = picture_of(scene, np.full((16, 16), 0.5, np.float32))
    soft(
        scene, 9, sprite={"facing": "point", "look_at": (1.0, 0.0, -8.0)}
    )  # towards +X and +Z, at 45 degrees
    found = scene.draw(plain(scene), projection=projection, depth=depth)
    x = (np.arange(16) + 0.5) / 4 - 2
    expected = np.clip((10 - (9 + x)) / 2, 0, 1)
    np.testing.assert_allclose(found[:, :, 3], np.tile(expected, (16, 1)), atol=1e-3)


@pytest.mark.parametrize("blend", ["alpha", "additive", 0.5])
@pytest.mark.parametrize("pooled", [False, True])
def test_it_darkens_nothing(scene: Scene, blend: Any, pooled: bool) -> None:
    """Light and cover fade alike: all four channels of what is premultiplied."""
    canvas = plain(scene)
    emitter = gp.Emitter(
        "it", capacity=1, rate=0, bursts=[gp.Burst()], lifetime=9, speed=0, size=100,
        color=(3, 0.5, 0.25, 0.8), sprite=gp.Sprite(texture=SQUARE, softness=4, blend=blend),
    )  # fmt: skip
    play: Any = scene.particles.burst if pooled else scene.particles.play
    play(gp.Effect("it", [emitter], loop=False), position=(0, 0, 1 - WALL))
    scene.update()
    hard = scene.draw(canvas)
    assert hard[8, 8, 0] == pytest.approx(2.4, rel=1e-3)
    depth = picture_of(scene, depths_of(PROJECTIONS["perspective"], WALL))
    np.testing.assert_allclose(scene.draw(canvas, depth=depth), hard * 0.25, atol=2e-3)


@pytest.mark.parametrize("how", ["borrowed", "attached", "taken"])
def test_wherever_the_depth_comes_from_the_picture_is_the_same(scene: Scene, how: str) -> None:
    """It may be what the bound framebuffer tests against: then it is looked at in a copy."""
    canvas = scene.make_canvas(depth=True)
    other = scene.make_canvas(depth=True)
    canvas.view, canvas.projection = np.eye(4), PROJECTIONS["perspective"]
    wall = depth_at(PROJECTIONS["perspective"], WALL)
    other.clear(depth=wall)
    soft(scene, WALL - 1)
    gl = scene.particles._scene.guard.gl
    copies, blit = [], gl.BlitFramebuffer
    gl.BlitFramebuffer = lambda *arguments: (copies.append(arguments), blit(*arguments))
    soft(scene, WALL - 1)
    given = {"borrowed": other.depth, "attached": canvas.depth, "taken": True}[how]
    found = scene.draw(canvas, depth=given, cleared_depth=wall)
    assert np.abs(found.astype(int) - 191).max() <= 1, "half over half"
    assert len(copies) == (how != "borrowed"), "once a draw, not once an emitter"
    assert scene.ctx.error == "GL_NO_ERROR"
    bytes_ = scene.particles.stats.gpu_bytes
    scene.draw(canvas, depth=given, cleared_depth=wall)
    assert scene.particles.stats.gpu_bytes == bytes_
    np.testing.assert_allclose(canvas.depths(), wall, atol=1e-6)


def test_a_colour_of_the_bound_framebuffer_may_hold_the_depth(scene: Scene) -> None:
    canvas = plain(scene)
    depth = picture_of(scene, depths_of(PROJECTIONS["perspective"], WALL))
    framebuffer = scene.ctx.framebuffer([canvas.colors[0], depth])
    soft(scene, WALL - 1)
    framebuffer.use()
    scene.ctx.fbo.color_mask = ((True,) * 4, (False,) * 4)  # the depth is to stay
    canvas.framebuffer.clear()
    framebuffer.use()
    scene.particles.draw(canvas.view, canvas.projection, depth=depth)
    np.testing.assert_allclose(canvas.pixels(), 0.5, atol=2e-3)
    found = np.frombuffer(depth.read(), np.float32)
    np.testing.assert_array_equal(found, depths_of(PROJECTIONS["perspective"], WALL).ravel())
    framebuffer.release()


@pytest.mark.parametrize("internal", [0x81A5, 0x81A6, 0x8CAC, 0x88F0, 0x8CAD])
@pytest.mark.parametrize("kind", ["Texture", "Renderbuffer"])
def test_every_format_of_depth_can_be_taken(scene: Scene, kind: str, internal: int) -> None:
    """16, 24 and 32 bits, whole numbers and floats, with stencil and without."""
    canvas = scene.make_canvas()
    gl = GL(scene.ctx)
    framebuffer, name = canvas.framebuffer.glo, (ctypes.c_int * 1)()
    gl.function(f"Gen{kind}s", "ip")(1, name)
    stencil = internal in (0x88F0, 0x8CAD)
    place = gl.DEPTH_STENCIL_ATTACHMENT if stencil else gl.DEPTH_ATTACHMENT
    gl.BindFramebuffer(gl.FRAMEBUFFER, framebuffer)
    if kind == "Texture":
        gl.BindTexture(gl.TEXTURE_2D, name[0])
        kinds = {0x88F0: 0x84FA, 0x8CAD: 0x8DAD}
        form = (0x84F9, kinds[internal]) if stencil else (0x1902, gl.FLOAT)
        gl.TexImage2D(gl.TEXTURE_2D, 0, internal, 16, 16, 0, *form, None)
        gl.FramebufferTexture2D(gl.FRAMEBUFFER, place, gl.TEXTURE_2D, name[0], 0)
    else:
        gl.function("BindRenderbuffer", "ii")(0x8D41, name[0])
        gl.function("RenderbufferStorage", "iiii")(0x8D41, internal, 16, 16)
        gl.function("FramebufferRenderbuffer", "iiii")(gl.FRAMEBUFFER, place, 0x8D41, name[0])
    gl.DepthMask(1)
    wall = depth_at(PROJECTIONS["perspective"], WALL)
    gl.ClearBufferfv(0x1801, 0, (ctypes.c_float * 1)(wall))
    gl.ClearBufferfv(gl.COLOR, 0, (ctypes.c_float * 4)())
    soft(scene, WALL - 1)
    scene.particles.draw(np.eye(4), PROJECTIONS["perspective"], depth=True)
    found = canvas.pixels().astype(int)
    gl.function(f"Delete{kind}s", "ip")(1, name)
    assert np.abs(found - 128).max() <= (2 if internal == 0x81A5 else 1)


def test_without_a_depth_it_is_drawn_hard(scene: Scene) -> None:
    """None is given; or the projection has none, as for flat games."""
    canvas = scene.make_canvas()
    soft(scene, 0.0)
    assert (scene.draw(canvas) == 255).all()
    depth = picture_of(scene, np.zeros((16, 16), np.float32))
    flat = np.diag((0.1, 0.1, 0, 1))
    assert (scene.draw(canvas, projection=flat, depth=depth) == 255).all()
    assert (scene.draw(canvas, depth=False) == 255).all()


def test_comparison_and_filter_of_the_host_s_texture_do_not_matter(scene: Scene) -> None:
    canvas = scene.make_canvas()
    other = scene.make_canvas(depth=True)
    canvas.view, canvas.projection = np.eye(4), PROJECTIONS["perspective"]
    other.clear(depth=depth_at(PROJECTIONS["perspective"], WALL))
    depth = other.depth
    assert depth is not None
    soft(scene, WALL - 1)
    for compare in ("<=", ">", ""):
        depth.compare_func = compare
        depth.filter = (moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR)
        before = depth.compare_func
        found = scene.draw(canvas, depth=depth).astype(int)
        assert np.abs(found - 128).max() <= 1
        assert depth.compare_func == before


def test_the_host_s_depth_range_and_clip_volume_count(scene: Scene) -> None:
    """Reversed and infinitely far, from 0 to 1: what engines use that see far."""
    gl = GL(scene.ctx)
    clip = gl.function("ClipControl", "ii")
    canvas = plain(scene)
    infinite = perspective(60, 1, 0.5, 50)
    infinite[2, 2:] = 0, 0.5
    soft(scene, WALL - 1)
    near, far = ctypes.c_double(0.25), ctypes.c_double(0.75)
    ranged = ctypes.PYFUNCTYPE(None)(gl._load("glDepthRange"))
    try:
        clip(gl.LOWER_LEFT, gl.ZERO_TO_ONE)
        for ahead, expected in ((WALL, 0.5), (WALL - 0.5, 0.25), (np.inf, 1.0)):
            depth = picture_of(scene, np.full((16, 16), 0.5 / ahead, np.float32))
            found = scene.draw(canvas, projection=infinite, depth=depth, depth_test=">=")
            np.testing.assert_allclose(found, expected, atol=1e-3)
        clip(gl.LOWER_LEFT, gl.NEGATIVE_ONE_TO_ONE)
        ranged(near, far)
        projection = PROJECTIONS["perspective"]
        depth = picture_of(scene, 0.25 + 0.5 * depths_of(projection, WALL))
        np.testing.assert_allclose(scene.draw(canvas, depth=depth), 0.5, atol=2e-3)
        clip(gl.UPPER_LEFT, gl.NEGATIVE_ONE_TO_ONE)
        ranged(ctypes.c_double(0), ctypes.c_double(1))
        depth = picture_of(scene, depths_of(OBLIQUE, WALL)[::-1])
        found = scene.draw(canvas, projection=OBLIQUE, depth=depth)
        np.testing.assert_allclose(found, 0.5, atol=2e-3)
    finally:
        clip(gl.LOWER_LEFT, gl.NEGATIVE_ONE_TO_ONE)
        ranged(ctypes.c_double(0), ctypes.c_double(1))


def test_in_a_part_of_the_picture(scene: Scene) -> None:
    """As two players share a window: the depth is that of the whole of it."""
    projection = PROJECTIONS["oblique"]
    depths = np.zeros((16, 16), np.float32)
    depths[3:11, 8:] = depths_of(projection, WALL, 8)
    canvas = plain(scene)
    soft(scene, WALL - 1)
    canvas.clear()
    scene.ctx.viewport = (8, 3, 8, 8)
    scene.particles.draw(canvas.view, projection, depth=picture_of(scene, depths))
    found = canvas.pixels()
    np.testing.assert_allclose(found[3:11, 8:], 0.5, atol=2e-3)
    found = found.copy()
    found[3:11, 8:] = 0
    assert not found.any()


def test_a_parameter_may_drive_it_to_nothing(scene: Scene) -> None:
    emitter = gp.Emitter(
        "it", capacity=1, rate=0, bursts=[gp.Burst()], speed=0, size=100, lifetime=9,
        sprite=gp.Sprite(texture=SQUARE),
    )  # fmt: skip
    softness = gp.Parameter("softness", 0, (0, 10), binds=["emitters.it.sprite.softness"])
    effect = gp.Effect("it", [emitter], loop=False, parameters=[softness])
    playing = scene.particles.play(effect, position=(0, 0, 1 - WALL))
    scene.update()
    programs = scene.particles.stats.programs
    canvas = plain(scene)
    depth = picture_of(scene, depths_of(PROJECTIONS["perspective"], WALL))
    for value, expected in ((0, 1), (4, 0.25), (2, 0.5), (0, 1)):
        playing.parameters["softness"] = value
        scene.update()
        np.testing.assert_allclose(scene.draw(canvas, depth=depth), expected, atol=2e-3)
    assert scene.particles.stats.programs == programs


@pytest.mark.parametrize(
    ("make", "error", "sentence"),
    [
        (lambda scene: "<=", ValueError, "depth: '<=' is not a depth texture, nor one of a single"),
        (lambda scene: scene.canvas.colors[0], ValueError, "depth: .* is not a depth texture"),
        (
            lambda scene: scene.make_texture((16, 15), 1, dtype="f4"),
            ValueError,
            "depth: the texture is 16 by 15 pixels, but the viewport reaches to 16 by 16",
        ),
        (lambda scene: released(scene), gp.ContextError, "depth: the texture has been released"),
        (lambda scene: True, gp.ContextError, "depth: the bound framebuffer has none to take"),
    ],
)
def test_what_is_no_depth_is_refused(
    scene: Scene, make: Callable[[Scene], Any], error: type[Exception], sentence: str
) -> None:
    soft(scene, 0)
    depth = make(scene)
    with pytest.raises(error, match=sentence):
        scene.draw(depth=depth)
    assert not scene.canvas.pixels().any(), "nothing is drawn"
    assert (scene.draw() == 255).all(), "and drawing goes on"


def released(scene: Scene) -> moderngl.Texture:
    texture = scene.ctx.depth_texture((16, 16))
    texture.release()
    return texture


def test_no_depth_can_be_taken_of_a_multisampled_or_the_default_framebuffer(scene: Scene) -> None:
    """Also where nothing is soft, so that the mistake shows at once."""
    many = scene.make_canvas(depth=True, samples=4)
    gl = GL(scene.ctx)
    scene.add()
    scene.update()
    many.framebuffer.use()
    with pytest.raises(gp.ContextError, match="depth: a multisampled framebuffer's cannot be take"):
        scene.particles.draw(many.view, many.projection, depth=True)
    # Not by draw: a context without a window has no default framebuffer to draw into.
    gl.BindFramebuffer(gl.FRAMEBUFFER, 0)
    of_system = scene.particles._scene
    expected = "depth: the default framebuffer's cannot be taken"
    with of_system.guard, pytest.raises(gp.ContextError, match=expected):
        of_system.depth.take(True)


def test_onto_many_samples_with_a_resolved_depth(scene: Scene) -> None:
    many = scene.make_canvas(depth=True, samples=4)
    shown = scene.make_canvas()
    soft(scene, WALL - 1)
    depth = picture_of(scene, depths_of(PROJECTIONS["perspective"], WALL))
    many.clear()
    scene.particles.draw(np.eye(4), PROJECTIONS["perspective"], depth=depth)
    scene.ctx.copy_framebuffer(shown.framebuffer, many.framebuffer)
    assert np.abs(shown.pixels().astype(int) - 128).max() <= 1


def test_no_state_of_the_host_changes(ctx: moderngl.Context) -> None:
    """Whatever it is, and though its depth is copied: by turns and all at once."""
    host = Host(ctx)
    usual = host.values()
    particles = gp.ParticleSystem(ctx)
    orders: Any = ("depth", "weighted")
    emitters = [
        gp.Emitter(
            order, capacity=9, rate=0, bursts=[gp.Burst(0, 9)], lifetime=9, size=9, speed=0.01,
            sprite=gp.Sprite(softness=2, order=order),
        )
        for order in orders
    ]  # fmt: skip
    particles.play(gp.Effect("it", emitters), position=(0, 0, -5))
    particles.update(0.1)
    projection = perspective(60, 1, 0.5, 50)
    particles.draw(np.eye(4), projection, depth=True)
    unbound = {"DRAW_FRAMEBUFFER", "READ_FRAMEBUFFER"}
    groups = [[name for name in group if name in host.states] for group in TOGETHER]
    everything = [[name for name in host.states if name not in unbound]]
    everything += [[*everything[0], "READ_FRAMEBUFFER"], *([name] for name in everything[0])]
    for states in [*groups, *everything]:
        with host.awkward(*states) as before:
            particles.update(1e-3)
            particles.draw(np.eye(4), projection, depth=True)
            left = changes(before, host.values())
        assert not left, states
    host.write(usual)
    particles.release()
    host.release()
