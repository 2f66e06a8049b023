"""A host application in raw OpenGL, and a table of every OpenGL state it can have.

For each state there is how to read it, how to write it, and a value that would hurt a particle
system which forgot about it. Tests set one, or all, run the code in question, and compare.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle
from typing import Any

import moderngl
import numpy as np

from gpuparticles.gpu.gl import GL

SIZE = 16
_COLOR = 0x8C43  # GL_SRGB8_ALPHA8
_DEPTH = 0x88F0  # GL_DEPTH24_STENCIL8


class Raw:
    """Every OpenGL function by its name, with arguments passed by their ctypes type."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self._gl = GL(ctx)
        self.version = ctx.version_code
        self.compatibility = self._gl.compatibility

    def __getattr__(self, name: str) -> Callable[..., Any]:
        # Without a signature ctypes passes c_float and its like as what they are.
        function = self._gl.function(name, ">b" if name.startswith("Is") else ">i")
        setattr(self, name, function)
        return function

    def integers(self, enum: int, count: int = 1) -> tuple[int, ...]:
        data = (ctypes.c_int * max(count, 4))()
        self.GetIntegerv(enum, data)
        return tuple(data[:count])

    def floats(self, enum: int, count: int = 1) -> tuple[float, ...]:
        data = (ctypes.c_float * max(count, 4))()
        self.GetFloatv(enum, data)
        return tuple(data[:count])

    def name(self, kind: str) -> int:
        """A new object, made by ``glGen<kind>``."""
        name = (ctypes.c_int * 1)()
        getattr(self, f"Gen{kind}")(1, name)
        return name[0]

    def delete(self, kind: str, *names: int) -> None:
        getattr(self, f"Delete{kind}")(len(names), (ctypes.c_int * len(names))(*names))


@dataclass(frozen=True)
class State:
    """One state: its value now, a way to set it, and a value to be afraid of."""

    name: str
    read: Callable[[], Any]
    write: Callable[[Any], object]
    awkward: Any

    def __str__(self) -> str:
        return self.name


# States that do their harm only together.
TOGETHER = (
    ("BLEND_FUNC[0]", "BLEND_EQUATION[0]", "BLEND_COLOR"),
    ("BLEND[1]", "BLEND[2]", "BLEND[3]", "BLEND_FUNC[0]", "BLEND_FUNC[1]", "BLEND_FUNC[2]"),
    ("CULL_FACE", "CULL_FACE_MODE"),
    ("CULL_FACE", "FRONT_FACE"),
    ("DEPTH_FUNC", "DEPTH_RANGE"),
    ("DEPTH_WRITEMASK", "DEPTH_FUNC"),
    ("STENCIL_TEST", "STENCIL_FUNC_FRONT", "STENCIL_FUNC_BACK"),
    ("STENCIL_TEST", "STENCIL_FUNC_BACK", "FRONT_FACE"),
    ("STENCIL_TEST", "STENCIL_OP_FRONT", "STENCIL_OP_BACK", "STENCIL_WRITEMASK_BACK"),
    ("SCISSOR_TEST[0]", "SCISSOR_BOX[0]"),
    ("SCISSOR_TEST[1]", "SCISSOR_BOX[1]", "VIEWPORT[1]"),
    ("COLOR_LOGIC_OP", "LOGIC_OP_MODE"),
    ("SAMPLE_COVERAGE", "SAMPLE_COVERAGE_VALUE"),
    ("SAMPLE_MASK", "SAMPLE_MASK_VALUE[0]"),
    ("PRIMITIVE_RESTART_INDEX",),  # the usual host has switched it on, as moderngl does
    ("PRIMITIVE_RESTART_FIXED_INDEX", "PRIMITIVE_RESTART_INDEX"),
    ("POLYGON_OFFSET_FILL", "POLYGON_OFFSET"),
    ("ALPHA_TEST", "ALPHA_FUNC"),
    ("UNPACK_ROW_LENGTH", "UNPACK_SKIP_ROWS", "UNPACK_SKIP_PIXELS"),
    ("PACK_ROW_LENGTH", "PACK_SKIP_ROWS", "PACK_SKIP_PIXELS"),
    ("PIXEL_PACK_BUFFER", "PIXEL_UNPACK_BUFFER"),
    ("DRAW_FRAMEBUFFER", "READ_FRAMEBUFFER"),
    ("DRAW_FRAMEBUFFER", "DRAW_BUFFERS"),
    tuple(f"COLOR_WRITEMASK[{buffer}]" for buffer in range(8)),
    tuple(f"SAMPLER[{unit}]" for unit in range(10)),
)

_VERTEX = """
#version 330
layout(location = 0) in vec3 position;
void main() { gl_Position = vec4(position, 1.0); }
"""
_FRAGMENT = """
#version 330
uniform sampler2D image;
layout(std140) uniform Tint { vec4 tint; };
layout(location = 0) out vec4 color;
layout(location = 1) out vec4 other;
void main() {
    color = texture(image, gl_FragCoord.xy / 16.0) * tint;
    other = vec4(gl_FragCoord.xy / 16.0, gl_FrontFacing ? 1.0 : 0.25, 0.5);
}
"""


def changes(before: dict[str, Any], after: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """The states that differ, with both values."""
    return {n: (before[n], after[n]) for n in before if before[n] != after[n]}


class Host:
    """A host with a scene of its own: two colour targets, depth and stencil, one textured mesh.

    Its state is the usual: blending and depth test on.
    """

    def __init__(self, ctx: moderngl.Context) -> None:
        self.ctx = ctx
        self.raw = raw = Raw(ctx)
        self._objects: list[Any] = []
        self._names: list[tuple[str, int]] = []
        # The last unit is moderngl's, and holds whatever moderngl put there last.
        image = np.arange(SIZE * SIZE * 4, dtype=np.uint32) * 7919 % 256
        self.images = [
            self._keep(ctx.texture((SIZE, SIZE), 4, np.roll(image, n).astype("u1").tobytes()))
            for n in range(3)
        ]
        for texture in self.images:
            texture.filter = (moderngl.NEAREST, moderngl.NEAREST)
        self.volume = self._keep(ctx.texture3d((2, 2, 2), 1))
        self.sampler = raw.name("Samplers")  # linear, with which integer textures fetch zero
        self._names.append(("Samplers", self.sampler))
        self.colors = [self._target(_COLOR) for _ in range(2)]
        self.other_color = self._target(_COLOR)
        self.depth = self._target(_DEPTH)
        self._blank_color, self._blank_depth = self._target(_COLOR), self._target(_DEPTH)
        slots = [
            [*(self._target(_COLOR) for _ in range(3)), self._target(_DEPTH)] for _ in range(8)
        ]
        self._snapshots = cycle(slots)
        self.framebuffer = self._framebuffer(self.colors, self.depth)
        self.other_framebuffer = self._framebuffer([self.other_color, self.colors[1]], self.depth)
        self._fill_blanks()
        self.program = self._keep(ctx.program(vertex_shader=_VERTEX, fragment_shader=_FRAGMENT))
        self.program["image"] = 3
        self.program["Tint"].binding = 1
        self.other_program = self._keep(
            ctx.program(
                vertex_shader="#version 330\nvoid main() { gl_Position = vec4(0.0); }",
                fragment_shader="#version 330\nout vec4 c; void main() { c = vec4(1.0); }",
            )
        )
        corners = [(-0.9, -0.9, 0.2), (0.9, -0.7, 0.2), (0.9, 0.9, 0.4), (-0.9, 0.9, -0.4)]
        vertices = self._keep(ctx.buffer(np.array(corners, "f4")))
        indices = self._keep(ctx.buffer(np.array([0, 1, 2, 0, 2, 3], "u2")))
        self.mesh = self._keep(
            ctx.vertex_array(self.program, [(vertices, "3f", "position")], indices, 2)
        )
        self.other_mesh = self._keep(ctx.vertex_array(self.other_program, [], indices, 2))
        self.uniforms = self._keep(ctx.buffer(np.tile(np.array([1, 0.8, 0.6, 0.7], "f4"), 256)))
        self.buffers = [self._keep(ctx.buffer(reserve=4096)) for _ in range(3)]
        self.renderbuffer = raw.name("Renderbuffers")
        self._names.append(("Renderbuffers", self.renderbuffer))
        if raw.version >= 410:
            self.feedback = raw.name("TransformFeedbacks")
            self._names.append(("TransformFeedbacks", self.feedback))
        self._usual()
        self.states = {state.name: state for state in _table(self)}

    def _keep(self, thing: Any) -> Any:
        self._objects.append(thing)
        return thing

    def _target(self, internal_format: int) -> int:
        raw = self.raw
        texture = raw.name("Textures")
        self._names.append(("Textures", texture))
        depth = internal_format == _DEPTH
        raw.BindTexture(GL.TEXTURE_2D, texture)
        form, kind = (0x84F9, 0x84FA) if depth else (0x1908, 0x1401)
        raw.TexImage2D(GL.TEXTURE_2D, 0, internal_format, SIZE, SIZE, 0, form, kind, None)
        for parameter in (0x2801, 0x2800):
            raw.TexParameteri(GL.TEXTURE_2D, parameter, GL.NEAREST)
        raw.TexParameteri(GL.TEXTURE_2D, 0x813D, 0)  # no mipmaps, so that it can be copied
        raw.BindTexture(GL.TEXTURE_2D, 0)
        return texture

    def _framebuffer(self, colors: list[int], depth: int | None) -> int:
        raw = self.raw
        name = raw.name("Framebuffers")
        self._names.append(("Framebuffers", name))
        raw.BindFramebuffer(GL.FRAMEBUFFER, name)
        for n, color in enumerate(colors):
            raw.FramebufferTexture2D(
                GL.FRAMEBUFFER, GL.COLOR_ATTACHMENT0 + n, GL.TEXTURE_2D, color, 0
            )
        if depth is not None:
            raw.FramebufferTexture2D(GL.FRAMEBUFFER, 0x821A, GL.TEXTURE_2D, depth, 0)
        attachments = [GL.COLOR_ATTACHMENT0 + n for n in range(len(colors))]
        raw.DrawBuffers(len(colors), (ctypes.c_int * len(colors))(*attachments))
        assert raw.CheckFramebufferStatus(GL.FRAMEBUFFER) == GL.FRAMEBUFFER_COMPLETE
        raw.BindFramebuffer(GL.FRAMEBUFFER, 0)
        return name

    def _fill_blanks(self) -> None:
        raw = self.raw
        blank = self._framebuffer([self._blank_color], self._blank_depth)
        raw.BindFramebuffer(GL.FRAMEBUFFER, blank)
        raw.ClearBufferfv(GL.COLOR, 0, (ctypes.c_float * 4)(0.25, 0.5, 0.75, 0.5))
        raw.ClearBufferfi(0x84F9, 0, ctypes.c_float(0.5), 1)

    def _usual(self) -> None:
        raw = self.raw
        raw.BindFramebuffer(GL.FRAMEBUFFER, self.framebuffer)
        raw.Viewport(0, 0, SIZE, SIZE)
        raw.Scissor(0, 0, SIZE, SIZE)
        raw.Enablei(GL.BLEND, 0)
        raw.Enable(GL.DEPTH_TEST)
        raw.UseProgram(self.program.glo)
        raw.BindVertexArray(self.mesh.glo)
        raw.ActiveTexture(GL.TEXTURE0 + self.ctx.mglo.default_texture_unit)
        raw.BindTexture(0x806F, 0)
        raw.ActiveTexture(GL.TEXTURE0 + 3)
        raw.BindTexture(GL.TEXTURE_2D, self.images[0].glo)
        raw.BindBufferRange(
            GL.UNIFORM_BUFFER, 1, self.uniforms.glo, ctypes.c_ssize_t(256), ctypes.c_ssize_t(64)
        )

    def _copy(self, source: int, target: int) -> None:
        # Depends on no state, and changes none.
        raw, kind = self.raw, GL.TEXTURE_2D
        raw.CopyImageSubData(source, kind, 0, 0, 0, 0, target, kind, 0, 0, 0, 0, SIZE, SIZE, 1)

    def blank(self) -> None:
        """Make all targets as they were in the beginning, whatever the state."""
        for color in (*self.colors, self.other_color):
            self._copy(self._blank_color, color)
        self._copy(self._blank_depth, self.depth)

    def draw(self) -> None:
        """The host's next draw: it relies on all that it bound before."""
        self.raw.DrawElements(GL.TRIANGLES, 6, 0x1403, None)

    def snapshot(self) -> list[int]:
        """Copies of all targets, whatever the state; for ``pixels``, and good for eight more."""
        copies = next(self._snapshots)
        targets = (*self.colors, self.other_color, self.depth)
        for target, copy in zip(targets, copies, strict=True):
            self._copy(target, copy)
        return copies

    def pixels(self, snapshot: list[int]) -> list[bytes]:
        """Both colours, the other framebuffer's, depth and stencil; call it in the usual state."""
        raw, result = self.raw, []
        bound = raw.integers(GL.TEXTURE_BINDING_2D)[0]
        for copy in snapshot:
            raw.BindTexture(GL.TEXTURE_2D, copy)
            data = (ctypes.c_ubyte * (SIZE * SIZE * 4))()
            form, kind = (0x84F9, 0x84FA) if copy == snapshot[-1] else (0x1908, 0x1401)
            raw.GetTexImage(GL.TEXTURE_2D, 0, form, kind, data)
            result.append(bytes(data))
        raw.BindTexture(GL.TEXTURE_2D, bound)
        return result

    def values(self) -> dict[str, Any]:
        """All states as they are now."""
        return {name: state.read() for name, state in self.states.items()}

    def write(self, values: dict[str, Any]) -> None:
        """Set states, in the order of the table, and make sure of them."""
        for name, state in self.states.items():
            if name in values:
                state.write(values[name])
        wrong = changes(values, {name: self.states[name].read() for name in values})
        assert not wrong, wrong

    @contextmanager
    def awkward(self, *names: str) -> Iterator[dict[str, Any]]:
        """Within, these states have their awkward values; yields the values of all states."""
        usual = self.values()
        awkward = {name: self.states[name].awkward for name in names}
        for name in names:
            assert awkward[name] != usual[name], f"{name} is awkward already"
        try:
            self.write(awkward)
            yield self.values()
        finally:
            self.write(usual)

    def release(self) -> None:
        raw = self.raw
        raw.UseProgram(0)  # else it would live on, though deleted
        raw.BindFramebuffer(GL.FRAMEBUFFER, 0)
        raw.Disable(GL.BLEND)
        raw.Disable(GL.DEPTH_TEST)
        for thing in reversed(self._objects):
            thing.release()
        for kind, name in reversed(self._names):
            raw.delete(kind, name)


def _table(host: Host) -> Iterator[State]:
    """All states, in an order in which they can be written one after the other."""
    raw = host.raw
    version, compatibility = raw.version, raw.compatibility
    images = [texture.glo for texture in host.images]
    buffers = [buffer.glo for buffer in host.buffers]

    def capability(name: str, enum: int) -> State:
        def write(value: int) -> None:
            (raw.Enable if value else raw.Disable)(enum)

        return State(name, lambda: raw.IsEnabled(enum), write, 1 - raw.IsEnabled(enum))

    def indexed_capability(name: str, enum: int, index: int) -> State:
        def write(value: int) -> None:
            (raw.Enablei if value else raw.Disablei)(enum, index)

        usual = raw.IsEnabledi(enum, index)
        return State(f"{name}[{index}]", lambda: raw.IsEnabledi(enum, index), write, 1 - usual)

    def integers(
        name: str, enums: int | tuple[int, ...], write: str, awkward: Any, *first: int
    ) -> State:
        """``write`` takes the arguments in ``first``, then the values."""
        enums = (enums,) if isinstance(enums, int) else enums
        single = not isinstance(awkward, tuple)

        def read() -> Any:
            values = tuple(raw.integers(enum)[0] for enum in enums)
            return values[0] if single else values

        def set_value(value: Any) -> None:
            getattr(raw, write)(*first, *((value,) if single else value))

        return State(name, read, set_value, awkward)

    def indexed(name: str, index: int, enums: tuple[int, ...], write: str, awkward: Any) -> State:
        def read() -> tuple[int, ...]:
            data = (ctypes.c_int64 * 1)()
            values = []
            for enum in enums:
                raw.GetInteger64i_v(enum, index, data)
                values.append(data[0])
            return tuple(values)

        return State(
            f"{name}[{index}]", read, lambda value: getattr(raw, write)(index, *value), awkward
        )

    def floats(
        name: str, enum: int, write: Callable[[tuple[float, ...]], Any], *awkward: float
    ) -> State:
        return State(name, lambda: raw.floats(enum, len(awkward)), write, awkward)

    def as_floats(values: tuple[float, ...]) -> list[ctypes.c_float]:
        return [ctypes.c_float(value) for value in values]

    # What is switched on and off.
    capabilities = {
        "BLEND": 0x0BE2,
        "DEPTH_TEST": 0x0B71,
        "DEPTH_CLAMP": 0x864F,
        "STENCIL_TEST": 0x0B90,
        "CULL_FACE": 0x0B44,
        "COLOR_LOGIC_OP": 0x0BF2,
        "RASTERIZER_DISCARD": 0x8C89,
        "PRIMITIVE_RESTART": 0x8F9D,
        "MULTISAMPLE": 0x809D,
        "SAMPLE_ALPHA_TO_COVERAGE": 0x809E,
        "SAMPLE_ALPHA_TO_ONE": 0x809F,
        "SAMPLE_COVERAGE": 0x80A0,
        "SAMPLE_MASK": 0x8E51,
        "POLYGON_OFFSET_FILL": 0x8037,
        "POLYGON_OFFSET_LINE": 0x2A02,
        "POLYGON_OFFSET_POINT": 0x2A01,
        "POLYGON_SMOOTH": 0x0B41,
        "LINE_SMOOTH": 0x0B20,
        "DITHER": 0x0BD0,
        "FRAMEBUFFER_SRGB": 0x8DB9,
        "PROGRAM_POINT_SIZE": 0x8642,
        "TEXTURE_CUBE_MAP_SEAMLESS": 0x884F,
        **{f"CLIP_DISTANCE{number}": 0x3000 + number for number in range(8)},
    }
    if version >= 400:
        capabilities["SAMPLE_SHADING"] = 0x8C36
    if version >= 430:
        capabilities["PRIMITIVE_RESTART_FIXED_INDEX"] = 0x8D69
    if compatibility:
        capabilities |= {"ALPHA_TEST": 0x0BC0, "POLYGON_STIPPLE": 0x0B42}
    for name, enum in capabilities.items():
        yield capability(name, enum)
    # Without an index it is the first one's.
    for buffer in range(1, 8):
        yield indexed_capability("BLEND", 0x0BE2, buffer)
    if version >= 410:
        for viewport in range(2):
            yield indexed_capability("SCISSOR_TEST", 0x0C11, viewport)
    else:
        yield capability("SCISSOR_TEST[0]", 0x0C11)

    # Fragments.
    functions, equations = (0x80C9, 0x80C8, 0x80CB, 0x80CA), (0x8009, 0x883D)
    awkward_function, awkward_equation = (0x0306, 1, 0, 0x0302), (0x800B, 0x8008)
    if version >= 400:
        for buffer in range(8):
            yield indexed("BLEND_FUNC", buffer, functions, "BlendFuncSeparatei", awkward_function)
            yield indexed(
                "BLEND_EQUATION", buffer, equations, "BlendEquationSeparatei", awkward_equation
            )
        yield floats(
            "MIN_SAMPLE_SHADING", 0x8C37, lambda v: raw.MinSampleShading(*as_floats(v)), 0.5
        )
    else:
        yield integers("BLEND_FUNC[0]", functions, "BlendFuncSeparate", awkward_function)
        yield integers("BLEND_EQUATION[0]", equations, "BlendEquationSeparate", awkward_equation)
    yield floats("BLEND_COLOR", 0x8005, lambda v: raw.BlendColor(*as_floats(v)), 0.5, 0.25, 1, 0)
    yield integers("LOGIC_OP_MODE", 0x0BF0, "LogicOp", 0x1506)
    yield integers("DEPTH_FUNC", 0x0B74, "DepthFunc", 0x0200)
    yield integers("DEPTH_WRITEMASK", 0x0B72, "DepthMask", 0)
    # The stencil is 1: front faces pass, back faces fail. A reference other than 0 would read as 0
    # where the framebuffer has no stencil.
    for side, face, func, op, mask, test in (
        ("FRONT", 0x0404, (0x0B92, 0x0B97, 0x0B93), (0x0B94, 0x0B95, 0x0B96), 0x0B98, 0x0205),
        ("BACK", 0x0405, (0x8800, 0x8CA3, 0x8CA4), (0x8801, 0x8802, 0x8803), 0x8CA5, 0x0202),
    ):
        yield integers(f"STENCIL_FUNC_{side}", func, "StencilFuncSeparate", (test, 0, 3), face)
        yield integers(
            f"STENCIL_OP_{side}", op, "StencilOpSeparate", (0x1E01, 0x150A, 0x8507), face
        )
        yield integers(f"STENCIL_WRITEMASK_{side}", mask, "StencilMaskSeparate", 6, face)
    yield State(
        "SAMPLE_COVERAGE_VALUE",
        lambda: (*raw.floats(0x80AA), *raw.integers(0x80AB)),
        lambda value: raw.SampleCoverage(ctypes.c_float(value[0]), int(value[1])),
        (0.0, 0),
    )
    yield indexed("SAMPLE_MASK_VALUE", 0, (0x8E52,), "SampleMaski", (0,))
    for buffer in range(8):

        def read_mask(buffer: int = buffer) -> tuple[int, ...]:
            data = (ctypes.c_ubyte * 4)()
            raw.GetBooleani_v(0x0C23, buffer, data)
            return tuple(data)

        yield State(
            f"COLOR_WRITEMASK[{buffer}]",
            read_mask,
            lambda value, buffer=buffer: raw.ColorMaski(buffer, *value),
            (0, 1, 0, 1) if buffer % 2 else (1, 0, 1, 0),
        )

    # Triangles, and where they go.
    yield integers("CULL_FACE_MODE", 0x0B45, "CullFace", 0x0408)
    yield integers("FRONT_FACE", 0x0B46, "FrontFace", 0x0900)
    if compatibility:

        def write_modes(value: tuple[int, ...]) -> None:
            raw.PolygonMode(0x0404, value[0])
            raw.PolygonMode(0x0405, value[1])

        yield State("POLYGON_MODE", lambda: raw.integers(0x0B40, 2), write_modes, (0x1B01, 0x1B00))
    else:
        yield integers("POLYGON_MODE", 0x0B40, "PolygonMode", 0x1B01, 0x0408)
    yield State(
        "POLYGON_OFFSET",
        lambda: (*raw.floats(0x8038), *raw.floats(0x2A00)),
        lambda value: raw.PolygonOffset(*as_floats(value)),
        (-64.0, -4e6),
    )
    yield integers("PRIMITIVE_RESTART_INDEX", 0x8F9E, "PrimitiveRestartIndex", 1)
    yield integers("PROVOKING_VERTEX", 0x8E4F, "ProvokingVertex", 0x8E4D)
    yield floats("LINE_WIDTH", 0x0B21, lambda v: raw.LineWidth(*as_floats(v)), 0.5)
    yield floats("POINT_SIZE", 0x0B11, lambda v: raw.PointSize(*as_floats(v)), 3)
    yield State(
        "DEPTH_RANGE",
        lambda: raw.floats(0x0B70, 2),
        lambda value: raw.DepthRange(*map(ctypes.c_double, value)),
        (0.75, 0.25),
    )
    for number in range(2 if version >= 410 else 1):

        def read_viewport(number: int = number) -> tuple[float, ...]:
            data = (ctypes.c_float * 4)()
            if version >= 410:
                raw.GetFloati_v(0x0BA2, number, data)
            else:
                raw.GetFloatv(0x0BA2, data)
            return tuple(data)

        def write_viewport(value: tuple[float, ...], number: int = number) -> None:
            if version >= 410:
                raw.ViewportIndexedf(number, *as_floats(value))
            else:
                raw.Viewport(*map(int, value))

        fraction = 0.5 if version >= 410 else 0.0
        yield State(
            f"VIEWPORT[{number}]", read_viewport, write_viewport, (2.0 + fraction, 1.0, 11.0, 13.0)
        )

        def read_scissor(number: int = number) -> tuple[int, ...]:
            data = (ctypes.c_int * 4)()
            if version >= 410:
                raw.GetIntegeri_v(0x0C10, number, data)
            else:
                raw.GetIntegerv(0x0C10, data)
            return tuple(data)

        def write_scissor(value: tuple[int, ...], number: int = number) -> None:
            if version >= 410:
                raw.ScissorIndexed(number, *value)
            else:
                raw.Scissor(*value)

        yield State(f"SCISSOR_BOX[{number}]", read_scissor, write_scissor, (3, 1, 7, 2))
    if version >= 400:
        yield integers("PATCH_VERTICES", 0x8E72, "PatchParameteri", 5, 0x8E72)
    if version >= 450:
        yield integers("CLIP_CONTROL", (0x935C, 0x935D), "ClipControl", (0x8CA2, 0x935F))

    # Clearing, hints, clamping, pixel storage.
    yield floats("COLOR_CLEAR_VALUE", 0x0C22, lambda v: raw.ClearColor(*as_floats(v)), 1, 0.5, 0, 1)
    yield State(
        "DEPTH_CLEAR_VALUE",
        lambda: raw.floats(0x0B73),
        lambda value: raw.ClearDepth(ctypes.c_double(value[0])),
        (0.25,),
    )
    yield integers("STENCIL_CLEAR_VALUE", 0x0B91, "ClearStencil", 7)
    for name, enum in {
        "LINE_SMOOTH_HINT": 0x0C52,
        "POLYGON_SMOOTH_HINT": 0x0C53,
        "TEXTURE_COMPRESSION_HINT": 0x84EF,
        "FRAGMENT_SHADER_DERIVATIVE_HINT": 0x8B8B,
    }.items():
        yield integers(name, enum, "Hint", 0x1102, enum)
    yield integers("CLAMP_READ_COLOR", 0x891C, "ClampColor", 1, 0x891C)
    if compatibility:
        yield integers("CLAMP_FRAGMENT_COLOR", 0x891B, "ClampColor", 1, 0x891B)
        yield State(
            "ALPHA_FUNC",
            lambda: (*raw.integers(0x0BC1), *raw.floats(0x0BC2)),
            lambda value: raw.AlphaFunc(value[0], ctypes.c_float(value[1])),
            (0x0200, 0.5),
        )
    storage = {
        "UNPACK_SWAP_BYTES": (0x0CF0, 1),
        "UNPACK_LSB_FIRST": (0x0CF1, 1),
        "UNPACK_ROW_LENGTH": (0x0CF2, 5),
        "UNPACK_SKIP_ROWS": (0x0CF3, 1),
        "UNPACK_SKIP_PIXELS": (0x0CF4, 2),
        "UNPACK_ALIGNMENT": (0x0CF5, 8),
        "UNPACK_SKIP_IMAGES": (0x806D, 1),
        "UNPACK_IMAGE_HEIGHT": (0x806E, 7),
        "PACK_SWAP_BYTES": (0x0D00, 1),
        "PACK_LSB_FIRST": (0x0D01, 1),
        "PACK_ROW_LENGTH": (0x0D02, 17),
        "PACK_SKIP_ROWS": (0x0D03, 1),
        "PACK_SKIP_PIXELS": (0x0D04, 1),
        "PACK_ALIGNMENT": (0x0D05, 8),
        "PACK_SKIP_IMAGES": (0x806B, 1),
        "PACK_IMAGE_HEIGHT": (0x806C, 17),
    }
    if version >= 420:
        storage |= {
            "UNPACK_COMPRESSED_BLOCK_WIDTH": (0x9127, 4),
            "PACK_COMPRESSED_BLOCK_SIZE": (0x912E, 16),
        }
    for name, (enum, awkward) in storage.items():
        yield integers(name, enum, "PixelStorei", awkward, enum)

    # Bindings. A vertex array has its element buffer, a framebuffer its draw and read buffers.
    other = host.other_framebuffer
    yield integers("DRAW_FRAMEBUFFER", 0x8CA6, "BindFramebuffer", other, 0x8CA9)
    yield integers("READ_FRAMEBUFFER", 0x8CAA, "BindFramebuffer", other, 0x8CA8)
    yield State(
        "DRAW_BUFFERS",
        lambda: tuple(raw.integers(0x8825 + number)[0] for number in range(2)),
        lambda value: raw.DrawBuffers(2, (ctypes.c_int * 2)(*value)),
        (0x8CE1, 0),
    )
    yield integers("READ_BUFFER", 0x0C02, "ReadBuffer", 0)
    yield integers("RENDERBUFFER", 0x8CA7, "BindRenderbuffer", host.renderbuffer, 0x8D41)
    yield integers("CURRENT_PROGRAM", 0x8B8D, "UseProgram", host.other_program.glo)
    yield integers("VERTEX_ARRAY", 0x85B5, "BindVertexArray", host.other_mesh.glo)
    yield integers("ELEMENT_ARRAY_BUFFER", 0x8895, "BindBuffer", buffers[1], 0x8893)
    targets = {
        "ARRAY_BUFFER": (0x8892, 0x8894, 330),
        "PIXEL_PACK_BUFFER": (0x88EB, 0x88ED, 330),
        "PIXEL_UNPACK_BUFFER": (0x88EC, 0x88EF, 330),
        "TEXTURE_BUFFER": (0x8C2A, 0x8C2A, 330),
        "COPY_READ_BUFFER": (0x8F36, 0x8F36, 420),
        "COPY_WRITE_BUFFER": (0x8F37, 0x8F37, 420),
        "DRAW_INDIRECT_BUFFER": (0x8F3F, 0x8F43, 400),
        "ATOMIC_COUNTER_BUFFER": (0x92C0, 0x92C1, 420),
        "DISPATCH_INDIRECT_BUFFER": (0x90EE, 0x90EF, 430),
        "SHADER_STORAGE_BUFFER": (0x90D2, 0x90D3, 430),
        "QUERY_BUFFER": (0x9192, 0x9193, 440),
    }
    for name, (target, enum, since) in targets.items():
        if version >= since:
            yield integers(name, enum, "BindBuffer", buffers[len(name) % 3], target)

    def points(
        name: str, enums: tuple[int, int, int], target: int, index: int, awkward: Any
    ) -> State:
        state = indexed(name, index, enums, "", awkward)

        def write(value: tuple[int, int, int]) -> None:
            buffer, start, size = value
            if size:
                raw.BindBufferRange(
                    target, index, buffer, ctypes.c_ssize_t(start), ctypes.c_ssize_t(size)
                )
            else:
                raw.BindBufferBase(target, index, buffer)

        return State(state.name, state.read, write, awkward)

    uniform = (0x8A28, 0x8A29, 0x8A2A)
    for index in range(4):
        range_ = (buffers[index % 3], 256 * index, 512) if index % 2 else (buffers[index], 0, 0)
        yield points("UNIFORM_BUFFER", uniform, 0x8A11, index, range_)
    yield integers("UNIFORM_BUFFER", 0x8A28, "BindBuffer", buffers[1], 0x8A11)
    if version >= 410:
        yield integers("TRANSFORM_FEEDBACK", 0x8E25, "BindTransformFeedback", host.feedback, 0x8E22)
    feedback = (0x8C8F, 0x8C84, 0x8C85)
    yield points("TRANSFORM_FEEDBACK_BUFFER", feedback, 0x8C8E, 0, (buffers[2], 256, 1024))
    yield integers("TRANSFORM_FEEDBACK_BUFFER", 0x8C8F, "BindBuffer", buffers[0], 0x8C8E)

    # Texture units; moderngl's own is the last one.
    default = host.ctx.mglo.default_texture_unit
    for unit in (*range(10), default):

        def on_unit(function: Callable[..., Any], *arguments: Any, unit: int = unit) -> Any:
            active = raw.integers(0x84E0)[0]
            raw.ActiveTexture(0x84C0 + unit)
            result = function(*arguments)
            raw.ActiveTexture(active)
            return result

        for name, target, enum, awkward in (
            ("TEXTURE_2D", 0x0DE1, 0x8069, images[1 + unit % 2]),
            ("TEXTURE_3D", 0x806F, 0x806A, host.volume.glo),
        ):
            if name == "TEXTURE_2D" or unit in (0, default):
                yield State(
                    f"{name}[{unit}]",
                    lambda enum=enum, on_unit=on_unit: on_unit(raw.integers, enum)[0],
                    lambda value, target=target, on_unit=on_unit: on_unit(
                        raw.BindTexture, target, value
                    ),
                    awkward,
                )
        yield State(
            f"SAMPLER[{unit}]",
            lambda on_unit=on_unit: on_unit(raw.integers, 0x8919)[0],
            lambda value, unit=unit: raw.BindSampler(unit, value),
            host.sampler,
        )
    yield integers("ACTIVE_TEXTURE", 0x84E0, "ActiveTexture", 0x84C5)

    def read_attribute() -> tuple[float, ...]:
        data = (ctypes.c_float * 4)()
        raw.GetVertexAttribfv(5, 0x8626, data)
        return tuple(data)

    yield State(
        "CURRENT_VERTEX_ATTRIB[5]",
        read_attribute,
        lambda value: raw.VertexAttrib4fv(5, (ctypes.c_float * 4)(*value)),
        (0.5, 0.25, 2.0, 3.0),
    )
