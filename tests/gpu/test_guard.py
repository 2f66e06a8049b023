"""The guard against every state that a host can have."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import moderngl
import numpy as np
import pytest

from gpuparticles.errors import ContextError
from gpuparticles.gpu.gl import GL
from gpuparticles.gpu.guard import Guard

# pytest's importlib mode puts no folder of tests on the path.
_spec = importlib.util.spec_from_file_location(
    "host_state", Path(__file__).with_name("host_state.py")
)
assert _spec is not None
assert _spec.loader is not None
host_state = sys.modules["host_state"] = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(host_state)

UPDATE = """
#version 330
uniform sampler2D a;
uniform sampler2D b;
uniform usampler2D c;
uniform sampler2D d;
uniform sampler2D e;
layout(std140) uniform Step { vec4 factor; };
layout(location = 0) out vec4 first;
layout(location = 1) out vec4 second;
layout(location = 2) out uvec2 third;
layout(location = 3) out vec4 fourth;
layout(location = 4) out vec4 fifth;
void main() {
    ivec2 p = ivec2(gl_FragCoord.xy);
    first = texelFetch(a, p, 0) * factor + vec4(p, -3.5, 1e6);
    second = texelFetch(b, p, 0).yzwx + first;
    third = texelFetch(c, p, 0).rg * 3u + uvec2(p);
    fourth = texelFetch(d, p, 0).wzyx * 0.5 - 1.25;
    fifth = -texelFetch(e, p, 0);
}
"""
ROWS_UP_TO = """
#version 330
uniform float top;
void main() {
    gl_Position = vec4(gl_VertexID % 2 * 2 - 1, gl_VertexID / 2 == 0 ? -1.0 : top, 0.0, 1.0);
}
"""
QUADS = """
#version 330
uniform sampler2D a;
flat out vec4 tint;
void main() {
    int corner = gl_VertexID % 4, quad = gl_VertexID / 4;
    vec2 at = vec2(corner % 2, corner / 2) * vec2(0.8, 1.6) + vec2(quad - 1, -0.8);
    gl_Position = vec4(at, quad == 0 ? -0.5 : 0.5, 1.0);
    tint = vec4(0.5, 0.25, texelFetch(a, ivec2(quad, 0), 0).x * 0.0 + 0.125, 0.5);
}
"""
SPRITE = """
#version 330
flat in vec4 tint;
layout(location = 0) out vec4 color;
void main() { color = tint; }
"""
WIDTH, ROWS = 16, 4


class Engine:
    """What gpuparticles does with OpenGL, in small: upload, two passes, sprites."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self.ctx = ctx
        rng = np.random.default_rng(5)
        self.state = [
            rng.normal(0, 100, (ROWS, WIDTH, 4)).astype("f4"),
            rng.normal(0, 1e-3, (ROWS, WIDTH, 4)).astype("f4"),
            rng.integers(0, 2**32, (ROWS, WIDTH, 2), dtype=np.uint32),
            rng.normal(0, 4, (ROWS, WIDTH, 4)).astype("f2"),
            rng.normal(0, 4, (ROWS, WIDTH, 4)).astype("f2"),
        ]
        self.sides = []
        for _ in range(2):
            textures = [
                ctx.texture((WIDTH, ROWS), data.shape[2], dtype=dtype)
                for data, dtype in zip(self.state, ("f4", "f4", "u4", "f2", "f2"), strict=True)
            ]
            for texture in textures:
                texture.filter = (moderngl.NEAREST, moderngl.NEAREST)
            self.sides.append((textures, ctx.framebuffer(textures)))
        self.factors = ctx.buffer(np.array([2, -1, 0.5, 1], "f4"))
        self.update = ctx.program(vertex_shader=ROWS_UP_TO, fragment_shader=UPDATE)
        for unit, name in enumerate("abcde"):
            self.update[name] = unit
        self.full = ctx.vertex_array(self.update, [])
        self.sprite = ctx.program(vertex_shader=QUADS, fragment_shader=SPRITE)
        # The winding differs from quad to quad, so that culling either side would be seen.
        self.indices = ctx.buffer(np.array([0, 1, 2, 2, 1, 3, 4, 6, 5, 5, 6, 7], "u2"))
        self.quads = ctx.vertex_array(self.sprite, [], self.indices, 2)

    def draw_buffers(self, gl: GL) -> None:
        gl.DrawBuffers(5, (ctypes.c_int * 5)(*(gl.COLOR_ATTACHMENT0 + n for n in range(5))))

    def step(self, gl: GL, target: Callable[[int, int, int], object]) -> list[bytes]:
        """Upload side A, pass to B, pass the lower rows back to A; all that is on both sides."""
        (sources, _), (targets, _) = self.sides
        for texture, data in zip(targets, self.state, strict=True):
            texture.write(bytes(data.nbytes))  # else a masked pass would leave what is right
        for texture, data in zip(sources, self.state, strict=True):
            texture.write(data.tobytes())
        # A part of a row and a part of a buffer, too.
        sources[2].write(self.state[2][2, 1:4].tobytes(), (3, 1, 3, 1))
        self.factors.write(np.array([3, -2], "f4"), offset=4)
        self.factors.bind_to_uniform_block(0)
        for (textures, _), (_, framebuffer), width, top in (
            (self.sides[0], self.sides[1], WIDTH, 1.0),
            (self.sides[1], self.sides[0], WIDTH - 2, 0.0),
        ):
            for unit, texture in enumerate(textures):
                texture.use(unit)
            target(framebuffer.glo, width, ROWS)
            self.draw_buffers(gl)
            self.update["top"] = top
            self.full.render(moderngl.TRIANGLE_STRIP, vertices=4)
        both = [texture.read() for textures, _ in self.sides for texture in textures]
        return [*both, self.sides[0][1].read(components=4, attachment=1, dtype="f4")]

    def sprites(self) -> None:
        self.sides[1][0][0].use(0)
        self.quads.render(moderngl.TRIANGLES)

    def release(self) -> None:
        for textures, framebuffer in self.sides:
            framebuffer.release()
            for texture in textures:
                texture.release()
        for thing in (self.quads, self.full, self.indices, self.factors, self.sprite, self.update):
            thing.release()


class Bench:
    """An engine, a host, and what the engine's passes give in a context that nobody touched."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self.ctx = ctx
        self.engine = Engine(ctx)
        self.gl = gl = GL(ctx)

        def target(framebuffer: int, width: int, height: int) -> None:
            gl.BindFramebuffer(gl.FRAMEBUFFER, framebuffer)
            gl.Viewport(0, 0, width, height)

        self.expected = self.engine.step(gl, target)
        self.host = host_state.Host(ctx)

    def blank(self) -> list[bytes]:
        """What the host's targets hold before anything is drawn."""
        self.host.blank()
        pixels: list[bytes] = self.host.pixels(self.host.snapshot())
        return pixels

    def draw_by_hand(self, test: int | None, *, write: bool = False) -> None:
        """The sprites, with the state that drawing needs written out once more."""
        gl, raw = self.gl, self.host.raw
        raw.ColorMaski(1, 0, 0, 0, 0)
        for enum in (
            *(0x0B44, 0x0BF2, 0x8C89, 0x8F9D, 0x809E, 0x809F, 0x80A0, 0x8E51, 0x8037, 0x0B41),
            *range(0x3000, 0x3008),
        ):
            gl.Disable(enum)
        if raw.version >= 430:
            gl.Disable(0x8D69)
        if raw.compatibility:
            gl.Disable(0x0BC0)
            gl.Disable(0x0B42)
        gl.PolygonMode(gl.FRONT_AND_BACK, gl.FILL)
        gl.Enable(gl.BLEND)
        raw.BlendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA)
        raw.BlendEquation(gl.FUNC_ADD)
        raw.DepthMask(int(write))
        (gl.Disable if test is None else gl.Enable)(gl.DEPTH_TEST)
        if test is not None:
            gl.DepthFunc(test)
        for unit in range(10):
            gl.BindSampler(unit, 0)
        self.engine.sprites()


@pytest.fixture
def bench(ctx: moderngl.Context) -> Iterator[Bench]:
    result = Bench(ctx)
    usual = result.host.values()
    yield result
    result.host.write(usual)
    result.host.release()
    result.engine.release()


def check(bench: Bench, *states: str, depth: str | None = "<=", write: bool = False) -> list[bytes]:
    """Simulate and draw in a host with these states; returns what the host's targets then hold."""
    host, engine = bench.host, bench.engine
    guard = Guard(bench.ctx)
    with host.awkward(*states) as values:
        host.blank()
        host.draw()
        before = host.snapshot()
        host.blank()
        with guard:
            guard.simulate()
            result = engine.step(guard.gl, guard.target)
            guard.draw(depth, write=write)
            assert guard.framebuffer == values["DRAW_FRAMEBUFFER"]
            engine.sprites()
        drawn = host.snapshot()
        left = host_state.changes(values, host.values())
        assert not left, f"left changed: {left}"
        host.blank()
        host.draw()
        after = host.snapshot()
        host.blank()
        bench.draw_by_hand({"<=": GL.LEQUAL, ">=": GL.GEQUAL, None: None}[depth], write=write)
        by_hand = host.snapshot()
        host.write(values)
    assert result == bench.expected, "the passes gave other values"
    assert host.pixels(before) == host.pixels(after), "the host's next draw came out differently"
    pixels: list[bytes] = host.pixels(drawn)
    assert pixels == host.pixels(by_hand), "the sprites are not as the host's state has them"
    return pixels


# What of the host's state changes our sprites, all by itself: where, how and on what they land.
HONOURED = {
    "CLIP_CONTROL",
    "COLOR_WRITEMASK[0]",
    "DEPTH_RANGE",
    "DRAW_BUFFERS",
    "DRAW_FRAMEBUFFER",
    "FRAMEBUFFER_SRGB",
    "VIEWPORT[0]",
}
# What spoils a pass that does not simulate(), apart from the usual host's blending.
HARMFUL = [
    ("PIXEL_UNPACK_BUFFER",),
    ("UNPACK_ROW_LENGTH",),
    ("UNPACK_SKIP_ROWS",),
    ("UNPACK_SKIP_PIXELS",),
    ("UNPACK_SWAP_BYTES",),
    ("PACK_SWAP_BYTES",),
    ("RASTERIZER_DISCARD",),
    ("POLYGON_MODE",),
    ("COLOR_WRITEMASK[0]",),
    ("COLOR_WRITEMASK[1]",),
    ("COLOR_WRITEMASK[2]",),
    ("COLOR_WRITEMASK[3]",),
    ("COLOR_WRITEMASK[4]",),
    ("BLEND[1]",),
    ("BLEND[3]",),
    ("BLEND[4]",),
    ("SAMPLER[2]",),
    ("CLIP_CONTROL",),
    ("CULL_FACE", "CULL_FACE_MODE"),
    ("COLOR_LOGIC_OP", "LOGIC_OP_MODE"),
    ("SCISSOR_TEST[0]", "SCISSOR_BOX[0]"),
]


def test_every_state_alone(bench: Bench) -> None:
    usual = check(bench)
    wrong, honoured = {}, set()
    for name in bench.host.states:
        try:
            if check(bench, name) != usual:
                honoured.add(name)
        except AssertionError as error:
            wrong[name] = str(error).partition("\n")[0]
    assert not wrong
    assert honoured == HONOURED & set(bench.host.states)


@pytest.mark.parametrize("depth", ["<=", ">=", None])
def test_states_that_act_together(bench: Bench, depth: str | None) -> None:
    for states in host_state.TOGETHER:
        check(bench, *(state for state in states if state in bench.host.states), depth=depth)


@pytest.mark.parametrize("write", [False, True])
@pytest.mark.parametrize("depth", ["<=", ">=", None])
def test_all_states_at_once(bench: Bench, depth: str | None, write: bool) -> None:
    check(bench, *bench.host.states, depth=depth, write=write)


@pytest.mark.parametrize(("depth", "written"), [("<=", True), (">=", True), (None, False)])
def test_depth_is_written_where_it_is_asked_for(
    bench: Bench, depth: str | None, written: bool
) -> None:
    before = bench.blank()[3]
    assert (check(bench, depth=depth, write=True)[3] != before) is written


@pytest.mark.parametrize("depth", ["<=", ">="])
def test_casting_writes_the_depth_alone(bench: Bench, depth: str) -> None:
    """In a host of which some, many and all states are awkward; the last one draws nowhere."""
    host, guard = bench.host, Guard(bench.ctx)
    for states in ([], ["DRAW_BUFFERS"], list(bench.host.states)):
        with host.awkward(*states) as values:
            host.blank()
            host.draw()
            before = host.snapshot()
            host.blank()
            with guard:
                guard.cast(depth)
                bench.engine.sprites()
            cast = host.snapshot()
            left = host_state.changes(values, host.values())
            assert not left, f"left changed: {left}"
            host.blank()
            host.draw()
            after = host.snapshot()
            host.blank()
            bench.draw_by_hand({"<=": GL.LEQUAL, ">=": GL.GEQUAL}[depth], write=True)
            by_hand = host.snapshot()
            host.write(values)
        assert host.pixels(before) == host.pixels(after)
        pixels, blank = host.pixels(cast), bench.blank()
        assert pixels[:3] == blank[:3], "no colour has changed"
        assert pixels[3] == host.pixels(by_hand)[3]
        assert states or pixels[3] != blank[3], "something is drawn"


def test_all_states_at_once_that_let_something_be_seen(bench: Bench) -> None:
    hiding = {"RASTERIZER_DISCARD", "DRAW_BUFFERS", "DEPTH_FUNC", "CULL_FACE", "SAMPLE_COVERAGE"}
    hiding |= {"SAMPLE_MASK", "VERTEX_ARRAY", "CURRENT_PROGRAM", "ELEMENT_ARRAY_BUFFER"}
    pixels = check(bench, *(name for name in bench.host.states if name not in hiding))
    assert pixels != bench.blank()


def test_the_passes_do_notice_what_is_not_guarded(bench: Bench) -> None:
    guard = Guard(bench.ctx)
    with guard:
        assert bench.engine.step(guard.gl, guard.target) != bench.expected, "blending"
    bench.gl.Disablei(bench.gl.BLEND, 0)
    with guard:
        assert bench.engine.step(guard.gl, guard.target) == bench.expected
    for states in HARMFUL:
        if not bench.host.states.keys() >= set(states):
            continue  # this version of OpenGL does not have it
        with bench.host.awkward(*states), guard:
            result = bench.engine.step(guard.gl, guard.target)
        bench.ctx.error  # noqa: B018 - reading from an unpack buffer that is too small is an error
        assert result != bench.expected, states


@pytest.mark.parametrize(("depth", "left", "right"), [("<=", 1, 0), (">=", 0, 1), (None, 1, 1)])
def test_sprites_are_premultiplied_and_tested_against_depth(
    bench: Bench, depth: str | None, left: int, right: int
) -> None:
    blank = bench.blank()
    color, other, _, depths = check(bench, depth=depth)
    image = np.frombuffer(color, "u1").reshape(16, 16, 4).astype(int)
    # (0.25, 0.5, 0.75, 0.5) below, (0.5, 0.25, 0.125, 0.5) premultiplied above.
    below = np.frombuffer(blank[0], "u1").reshape(16, 16, 4)[0, 0].astype(int)
    above = np.array([0.5, 0.25, 0.125, 0.5]) * 255 + below * 0.5
    for x, drawn in ((4, left), (12, right)):
        np.testing.assert_allclose(image[8, x], above if drawn else below, atol=1.5)
    assert (other, depths) == (blank[1], blank[3]), "more than the first colour was written"


def test_multisampled_targets_are_filled_whole(bench: Bench) -> None:
    ctx, host = bench.ctx, bench.host
    values = host.values()
    color = ctx.renderbuffer((16, 16), 4, samples=4)
    resolved = ctx.texture((16, 16), 4)
    samples, single = ctx.framebuffer([color]), ctx.framebuffer([resolved])
    host.write(values)
    gl, guard = bench.gl, Guard(ctx)

    def image(*states: str) -> bytes:
        with host.awkward(*states) as values:
            gl.BindFramebuffer(gl.FRAMEBUFFER, samples.glo)
            gl.ClearBufferfv(gl.COLOR, 0, (ctypes.c_float * 4)())
            with guard:
                guard.draw(None)
                bench.engine.sprites()
            host.write(values)
        gl.BindFramebuffer(gl.READ_FRAMEBUFFER, samples.glo)
        gl.BindFramebuffer(gl.DRAW_FRAMEBUFFER, single.glo)
        gl.BlitFramebuffer(0, 0, 16, 16, 0, 0, 16, 16, gl.COLOR_BUFFER_BIT, gl.NEAREST)
        gl.BindFramebuffer(gl.FRAMEBUFFER, host.framebuffer)
        with guard:
            guard.simulate()
            return bytes(resolved.read())

    usual = image()
    assert np.frombuffer(usual, "u1").reshape(16, 16, 4)[8, 4].tolist() == [128, 64, 32, 128]
    for states in (
        ("SAMPLE_ALPHA_TO_COVERAGE",),
        ("SAMPLE_ALPHA_TO_ONE",),
        ("SAMPLE_COVERAGE", "SAMPLE_COVERAGE_VALUE"),
        ("SAMPLE_MASK", "SAMPLE_MASK_VALUE[0]"),
    ):
        assert image(*states) == usual, states
    for thing in (samples, single, color, resolved):
        thing.release()


def test_modes_alternate_in_one_block(bench: Bench) -> None:
    host, engine, guard = bench.host, bench.engine, Guard(bench.ctx)
    seen = []
    states = [n for n in host.states if n not in {"DRAW_BUFFERS", "RASTERIZER_DISCARD"}]
    with host.awkward(*states) as values:
        for first in ("<=", ">=", None):
            with guard:
                for depth in (first, None, ">=", "<="):
                    host.blank()
                    guard.draw(depth)
                    engine.sprites()
                    seen.append((depth, host.snapshot()))
                    guard.simulate()
                    assert engine.step(guard.gl, guard.target) == bench.expected
            assert not host_state.changes(values, host.values())
            while len(seen) > 4:
                seen.pop(0)
    by_depth = {}
    for depth, snapshot in seen:
        assert by_depth.setdefault(depth, host.pixels(snapshot)) == host.pixels(snapshot)


def test_an_exception_restores_too(bench: Bench) -> None:
    guard = Guard(bench.ctx)

    def fail() -> None:
        with guard:
            guard.simulate()
            bench.engine.step(guard.gl, guard.target)
            with guard:
                guard.draw()
                raise KeyError("inside")

    with bench.host.awkward(*bench.host.states) as values:
        with pytest.raises(KeyError, match="inside"):
            fail()
        assert not host_state.changes(values, bench.host.values())
    with guard:  # and it is of use again
        guard.simulate()
        assert bench.engine.step(guard.gl, guard.target) == bench.expected


def test_an_inner_guard_and_a_mode_already_set_make_no_call(bench: Bench) -> None:
    guard = Guard(bench.ctx)
    calls: Counter[str] = Counter()

    def counted(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            calls[name] += 1
            return function(*arguments)

        return call

    with guard:
        for choose in (guard.simulate, guard.draw, lambda: guard.draw(None)):
            choose()
            functions = {n: f for n, f in vars(guard.gl).items() if n[0].isupper()}
            vars(guard.gl).update({n: counted(n, f) for n, f in functions.items()})
            with guard as inner:
                assert inner is guard
                choose()
            assert not calls
            vars(guard.gl).update(functions)


def test_two_guards_of_one_context_nest(bench: Bench) -> None:
    outer, inner = Guard(bench.ctx), Guard(bench.ctx)
    with bench.host.awkward(*bench.host.states) as values:
        with outer:
            outer.simulate()
            outer.target(bench.engine.sides[0][1].glo, 3, 2)
            ours = bench.host.values()
            with inner:
                inner.draw(">=")
                inner.simulate()
                assert bench.engine.step(inner.gl, inner.target) == bench.expected
            assert not host_state.changes(ours, bench.host.values())
        assert not host_state.changes(values, bench.host.values())


def test_draw_refuses_other_depth_tests(ctx: moderngl.Context) -> None:
    guard = Guard(ctx)
    with guard, pytest.raises(ValueError, match=r'^depth: "<" is not '):
        guard.draw("<")


def test_moderngl_remembers_what_the_host_told_it(bench: Bench) -> None:
    ctx, engine, guard = bench.ctx, bench.engine, Guard(bench.ctx)
    texture = ctx.texture((4, 4), 4)
    fbo = ctx.framebuffer([texture])
    fbo.use()
    with ctx.scope(fbo, moderngl.BLEND | moderngl.CULL_FACE):
        outside = fbo.viewport, fbo.scissor, fbo.color_mask, fbo.depth_mask, ctx.fbo, ctx.mglo.fbo
        with guard:
            guard.simulate()
            engine.step(guard.gl, guard.target)
            passing = ctx.texture((2, 2), 4)
            ctx.framebuffer([passing]).release()
            passing.release()
            guard.draw(None)
            engine.sprites()
        inside = fbo.viewport, fbo.scissor, fbo.color_mask, fbo.depth_mask, ctx.fbo, ctx.mglo.fbo
        assert inside == outside
        assert ctx.fbo is fbo
        assert bench.host.raw.IsEnabled(bench.gl.CULL_FACE)
    assert not bench.host.raw.IsEnabled(bench.gl.CULL_FACE)  # the scope's end still works
    with guard:
        guard.simulate()
        engine.step(guard.gl, guard.target)
    ctx.clear(1.0, 0.5, 0.25, 1.0)
    assert fbo.read(components=4) == bytes([255, 128, 64, 255]) * 16
    assert [t.read() for t in engine.sides[0][0]] == bench.expected[:5]
    fbo.release()
    texture.release()


def test_a_guard_that_moderngl_is_lied_to_inside_puts_the_memory_back(bench: Bench) -> None:
    ctx = bench.ctx
    texture = ctx.texture((4, 4), 4)
    fbo, other = ctx.framebuffer([texture]), bench.engine.sides[0][1]
    ctx.fbo, ctx.mglo.fbo = fbo, fbo.mglo
    with Guard(ctx):
        other.use()
    assert ctx.fbo is fbo
    assert ctx.mglo.fbo is fbo.mglo
    assert bench.gl is not None
    fbo.release()
    texture.release()


def test_without_restoring_the_target_alone_is_put_back(bench: Bench) -> None:
    host, engine, guard = bench.host, bench.engine, Guard(bench.ctx, restore=False)
    usual = check(bench)
    kept = {"DRAW_FRAMEBUFFER", "READ_FRAMEBUFFER", "VIEWPORT[0]", "VIEWPORT[1]", "DRAW_BUFFERS"}
    kept |= {"COLOR_WRITEMASK[6]", "STENCIL_FUNC_FRONT", "DEPTH_RANGE", "BLEND_FUNC[1]"}
    with host.awkward(*host.states) as values:
        with guard:
            guard.simulate()
            assert engine.step(guard.gl, guard.target) == bench.expected
            guard.draw(">=")
            engine.sprites()
        changed = host_state.changes(values, host.values())
        assert not kept & set(changed)
        assert changed["POLYGON_MODE"][1] in (GL.FILL, (GL.FILL, GL.FILL))
        host.write(values)
    values = host.values()
    host.blank()
    with guard:
        guard.simulate()
        assert engine.step(guard.gl, guard.target) == bench.expected
        guard.draw()
        engine.sprites()
    drawn = host.snapshot()
    host.write(values)
    assert host.pixels(drawn) == usual


def test_a_program_deleted_while_in_use_is_no_error(bench: Bench) -> None:
    gl, guard = bench.gl, Guard(bench.ctx)
    program = bench.ctx.program(
        vertex_shader="#version 330\nvoid main() { gl_Position = vec4(0.0); }"
    )
    gl.UseProgram(program.glo)
    program.release()
    with guard:
        guard.simulate()
    assert bench.host.values()["CURRENT_PROGRAM"] == program.glo  # nothing of ours was used
    with guard:
        guard.simulate()
        assert bench.engine.step(guard.gl, guard.target) == bench.expected
    assert bench.host.values()["CURRENT_PROGRAM"] == 0
    assert bench.ctx.error == "GL_NO_ERROR"


def test_the_hosts_error_stays_the_hosts(bench: Bench) -> None:
    guard = Guard(bench.ctx)
    bench.gl.Enable(0xDEAD)
    with guard:
        guard.simulate()
        assert bench.engine.step(guard.gl, guard.target) == bench.expected
        guard.draw()
        bench.engine.sprites()
    assert bench.ctx.error == "GL_INVALID_ENUM"
    assert bench.ctx.error == "GL_NO_ERROR"


def test_active_transform_feedback_is_refused_and_paused_is_not(bench: Bench) -> None:
    ctx, raw, guard = bench.ctx, bench.host.raw, Guard(bench.ctx)
    if raw.version < 400:
        return  # OpenGL cannot tell
    program = ctx.program(
        vertex_shader="#version 330\nout float x; void main() { x = 1.0; }", varyings=["x"]
    )
    output = ctx.buffer(reserve=64)
    usual = bench.host.values()
    raw.UseProgram(program.glo)
    raw.BindBufferBase(0x8C8E, 0, output.glo)
    raw.BeginTransformFeedback(0)
    values = bench.host.values()
    with pytest.raises(ContextError, match=r"^transform feedback is active; pause "), guard:
        raise AssertionError("unreachable")
    assert not host_state.changes(values, bench.host.values())
    raw.PauseTransformFeedback()
    with guard:
        guard.simulate()
        assert bench.engine.step(guard.gl, guard.target) == bench.expected
        guard.draw()
        bench.engine.sprites()
    raw.ResumeTransformFeedback()
    raw.DrawArrays(0, 0, 3)
    raw.EndTransformFeedback()
    bench.host.write(usual)
    assert np.frombuffer(output.read(), "f4")[:4].tolist() == [1, 1, 1, 0]
    bench.host.write(usual)
    output.release()
    program.release()


def test_a_context_that_is_not_current_is_refused(ctx: moderngl.Context) -> None:
    errors = []

    def elsewhere() -> None:
        try:
            Guard(ctx)
        except ContextError as error:
            errors.append(str(error))

    thread = Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert errors == ["the OpenGL context is not current on this thread; make it current first"]


def test_the_plans_remembered_are_bounded(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpuparticles.gpu.guard._PLANS", 4)
    guard = Guard(bench.ctx)
    with bench.host.awkward("SCISSOR_BOX[0]"):
        for name in ("CULL_FACE", "DEPTH_TEST", "SAMPLE_MASK", "DITHER", "STENCIL_TEST"):
            with bench.host.awkward(name), guard:
                guard.simulate()
                guard.draw()
                assert len(guard._plans) <= 4


def test_the_version_is_the_one_asked_for(ctx: moderngl.Context) -> None:
    # Mesa alone knows this variable; see the test below.
    wanted = os.environ.get("MESA_GL_VERSION_OVERRIDE", "")
    if wanted:
        assert ctx.version_code == int(wanted[:3].replace(".", "")) * 10
        assert GL(ctx).compatibility == wanted.endswith("COMPAT")


@pytest.mark.parametrize("version", ["3.3", "4.5COMPAT"])
def test_other_versions_and_profiles(version: str) -> None:
    if "MESA_GL_VERSION_OVERRIDE" in os.environ:
        return  # this is the run that is started below
    arguments = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__]
    arguments += ["-k", "state or version or multisampled or restoring"]
    environment = os.environ | {"MESA_GL_VERSION_OVERRIDE": version}
    run = subprocess.run(
        arguments, capture_output=True, text=True, env=environment, timeout=300, check=False
    )
    assert run.returncode == 0, run.stdout
