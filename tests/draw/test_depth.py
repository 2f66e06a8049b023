"""Sprites and the host's depth buffer: tested against, never written."""

from __future__ import annotations

import numpy as np
import pytest

from gpuparticles.gpu.gl import GL
from tests.draw.conftest import Canvas, Scene

NEAR, MIDDLE, FAR = 50.0, 0.0, -50.0
"""Places along the line of sight; their depths are 0.25, 0.5 and 0.75."""


@pytest.fixture
def canvas(scene: Scene) -> Canvas:
    return scene.make_canvas(depth=True)


def visible(scene: Scene, canvas: Canvas, **how: object) -> bool:
    pixels = scene.draw(canvas, **how)
    assert (pixels[4:12, 4:12] == pixels[8, 8]).all()
    return bool(pixels[8, 8].any())


@pytest.mark.parametrize(
    ("z", "depth", "expected"),
    [
        (NEAR, "<=", True),
        (FAR, "<=", False),
        (NEAR, ">=", False),
        (FAR, ">=", True),
        (NEAR, None, True),
        (FAR, None, True),
    ],
)
def test_sprites_are_tested_against_what_is_there(
    scene: Scene, canvas: Canvas, z: float, depth: str | None, expected: bool
) -> None:
    """In front of a wall at half the depth, and behind it."""
    scene.add((8, 8, z))
    scene.update()

    assert visible(scene, canvas, depth_test=depth, cleared_depth=0.5) is expected


def test_a_sprite_passes_in_front_of_an_empty_background(scene: Scene, canvas: Canvas) -> None:
    scene.add((8, 8, FAR))
    scene.update()

    assert visible(scene, canvas, depth_test="<=", cleared_depth=1.0)
    assert not visible(scene, canvas, depth_test=">=", cleared_depth=1.0)
    assert visible(scene, canvas, depth_test=">=", cleared_depth=0.0), "reversed depth"


@pytest.mark.parametrize("depth", ["<=", ">=", None])
def test_depth_is_never_written(scene: Scene, canvas: Canvas, depth: str | None) -> None:
    scene.add((8, 8, NEAR if depth == "<=" else FAR))
    scene.update()

    assert visible(scene, canvas, depth_test=depth, cleared_depth=0.5)
    depths = canvas.depths()
    assert (depths == depths[0, 0]).all()
    assert depths[0, 0] == pytest.approx(0.5, abs=1e-6)


def test_sprites_do_not_hide_each_other(scene: Scene, canvas: Canvas) -> None:
    """The nearer one is drawn first, the farther one still goes over it."""
    scene.add((8, 8, NEAR), color=(1, 0, 0, 0.5))
    scene.add((8, 8, FAR), color=(0, 0, 1, 0.5))
    scene.update()

    assert scene.draw(canvas)[8, 8].tolist() == pytest.approx([64, 0, 128, 192], abs=1)


def test_at_the_same_depth_a_sprite_is_seen(scene: Scene, canvas: Canvas) -> None:
    """Both tests let equal depths pass, so that a sprite on a surface is not lost."""
    scene.add((8, 8, MIDDLE))
    scene.update()
    canvas.clear(depth=1.0)
    exact = _depth_of(canvas)
    for depth in ("<=", ">="):
        assert visible(scene, canvas, depth_test=depth, cleared_depth=exact)


def _depth_of(canvas: Canvas) -> float:
    """What a fragment in the middle of the range leaves in the depth buffer."""
    ctx = canvas.ctx
    program = ctx.program(
        vertex_shader="""
            #version 330
            void main() {
                gl_Position = vec4(4.0 * vec2(gl_VertexID & 1, gl_VertexID >> 1) - 1.0, 0.0, 1.0);
            }
        """,
        fragment_shader="#version 330\nvoid main() {}",
    )
    vertex_array = ctx.vertex_array(program, [])
    with ctx.scope(canvas.framebuffer, enable=ctx.DEPTH_TEST):
        vertex_array.render(vertices=3)
    GL(ctx).UseProgram(0)  # OpenGL keeps a program that is deleted while in use
    vertex_array.release()
    program.release()
    return float(canvas.depths()[0, 0])


@pytest.mark.parametrize("depth", ["<=", ">=", None])
def test_a_target_without_depth_shows_everything(scene: Scene, depth: str | None) -> None:
    scene.add((8, 8, FAR))
    scene.update()

    assert scene.draw(depth_test=depth)[8, 8].tolist() == [255] * 4


def test_the_host_s_depth_mask_and_test_come_back(scene: Scene, canvas: Canvas) -> None:
    gl = GL(scene.ctx)
    scene.add((8, 8, FAR))
    scene.update()
    scene.draw(canvas, depth_test=None)

    assert not gl.function("IsEnabled", "i>b")(gl.DEPTH_TEST)
    canvas.framebuffer.clear(depth=0.25)
    assert canvas.depths()[0, 0] == pytest.approx(0.25, abs=1e-6), "a clear writes depth again"


def test_modes_may_change_from_draw_to_draw(scene: Scene, canvas: Canvas) -> None:
    scene.add((8, 8, FAR))
    scene.update()

    for _ in range(2):
        assert not visible(scene, canvas, depth_test="<=", cleared_depth=0.5)
        assert visible(scene, canvas, depth_test=None, cleared_depth=0.5)
        assert visible(scene, canvas, depth_test=">=", cleared_depth=0.5)


@pytest.mark.parametrize("depth", ["<", "", 0, True])
def test_another_depth_is_refused(scene: Scene, depth: object) -> None:
    """Also while nothing lives, so that the mistake shows at once."""
    with pytest.raises(ValueError, match=r"depth_test: .*\"<=\", \">=\" or None"):
        scene.draw(depth_test=depth)
    scene.add()
    scene.update()
    with pytest.raises(ValueError, match=r"depth_test: .*\"<=\", \">=\" or None"):
        scene.draw(depth_test=depth)
    assert scene.draw()[8, 8].tolist() == [255] * 4, "and drawing goes on"


def test_a_quad_has_the_depth_of_its_centre(scene: Scene, canvas: Canvas) -> None:
    """A large sprite seen at an angle cuts a wall nowhere: it stands parallel to the picture."""
    view = np.eye(4)
    view[:3, :3] = [[0.6, 0, -0.8], [0, 1, 0], [0.8, 0, 0.6]]
    view[:3, 3] = (8, 8, 0)
    scene.add((0, 0), size=16)
    scene.update()

    in_front = scene.draw(canvas, view=view, cleared_depth=0.501)
    assert (in_front == 255).all()
    assert not scene.draw(canvas, view=view, cleared_depth=0.499).any()
