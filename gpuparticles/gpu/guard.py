"""The guard: OpenGL as our passes need it inside, as the host left it outside."""

from __future__ import annotations

import ctypes
import struct
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import starmap
from types import TracebackType
from typing import Any, NamedTuple, Self

import moderngl

from gpuparticles.errors import ContextError
from gpuparticles.gpu.gl import DRAW_BUFFERS, GL, TEXTURE_UNITS, UNIFORM_BINDINGS

Call = tuple[Callable[..., Any], tuple[Any, ...]]
Value = tuple[int, ...]

# Modes. Host is the state outside; sprites are drawn with one of three depth tests.
_HOST = "host"
_SIMULATE = "simulate"
_DRAW: dict[str | None, str] = {None: "draw", "<=": "draw <=", ">=": "draw >="}
_MODES = (_SIMULATE, *_DRAW.values())

_PLANS = 256  # remembered at most; a host calls us in a handful of different states


class Guard:
    """Saves the host's OpenGL state on entry and puts it back on exit, also after an exception.

    ::

        with guard:
            guard.simulate()
            guard.target(framebuffer.glo, 256, 64)
            update.render()
            guard.draw("<=")
            sprites.render()

    It nests: only the outermost entry and exit do anything. Inside, ``simulate()`` and ``draw()``
    choose a mode; to choose the mode already chosen costs nothing. Our code inside may bind
    textures on units 0..6, uniform buffers at points 0..2, framebuffers, programs and vertex
    arrays, and may create, write, read and release moderngl objects (framebuffers and textures
    while simulating). It never calls what changes moderngl's memory (``fbo.use``, ``fbo.clear``,
    ``ctx.enable`` and its kin, ``ctx.viewport``, ``ctx.scope``, ``vao.transform``), nor
    ``ctx.copy_buffer``.

    What moderngl's own calls change in OpenGL, and what is saved therefore:

    - ``vao.render``: the program, the vertex array. Setting a uniform: the program.
    - ``ctx.vertex_array``: the vertex array, the array buffer. ``ctx.buffer``, ``buffer.write``
      and ``read``: the array buffer. ``bind_to_uniform_block``: the generic binding too.
    - ``ctx.texture``, a texture's ``write``, ``read`` and filter: the active unit, the texture on
      moderngl's default unit (the last one), both pixel alignments. ``texture.use``: the unit.
    - ``ctx.framebuffer`` and ``fbo.read``: both framebuffers (to the one that moderngl remembers);
      ``fbo.read`` also the clamping of what is read.
    - ``ctx.program`` and every ``release``: nothing.

    What OpenGL cannot give back: an active query counts our work too; conditional rendering may
    skip it; subroutine choices, and a program deleted while in use, are lost. Transform feedback
    must be paused or ended (before OpenGL 4.0 that cannot be seen).

    Args:
        ctx: The moderngl context, which must be current here and at every entry.
        restore: False is cheaper, and puts back only the framebuffers, the viewport, and the masks
            of the host's further draw buffers. Left changed are the states that the mode sets,
            the program, vertex array, array, uniform and pixel buffers, the active unit, our units'
            textures and samplers, our uniform points, pixel storage and read clamping. In a block
            that simulates and then draws, scissor, stencil, colour masks and clip control are as
            simulating needs them, not the host's.

    Attributes:
        gl: The raw OpenGL of the context.
        framebuffer: Inside, the name of the host's draw framebuffer.

    Raises:
        ContextError: The context is not current, or has been released.
    """

    def __init__(self, ctx: moderngl.Context, restore: bool = True) -> None:
        self.gl = gl = GL(ctx)
        self.framebuffer = 0
        self._ctx = ctx
        self._restore = restore
        self._depth = 0
        self._mode = _HOST
        self._remembered: tuple[Any, Any] = (None, None)

        # Saved at entry, and put back at exit whatever happened: code inside may change these.
        self._framebuffers, framebuffers = _integers(2)
        self._bindings, bindings = _integers(9)
        self._uniforms, uniforms = _integers(UNIFORM_BINDINGS)
        self._ranges = (ctypes.c_int64 * (2 * UNIFORM_BINDINGS))()
        self._textures, textures = _integers(TEXTURE_UNITS + 1)
        self._samplers, samplers = _integers(TEXTURE_UNITS)
        self._viewport = (ctypes.c_float * 4)()
        self._framebuffer_reads = [
            (gl.DRAW_FRAMEBUFFER_BINDING, framebuffers[0]),
            (gl.READ_FRAMEBUFFER_BINDING, framebuffers[1]),
        ]
        enums = [
            gl.CURRENT_PROGRAM,
            gl.VERTEX_ARRAY_BINDING,
            gl.ARRAY_BUFFER_BINDING,
            gl.UNIFORM_BUFFER_BINDING,
            gl.RENDERBUFFER_BINDING,
            gl.UNPACK_ALIGNMENT,
            gl.PACK_ALIGNMENT,
            gl.CLAMP_READ_COLOR,
            gl.ACTIVE_TEXTURE,
        ]
        self._binding_reads = [*zip(enums, bindings, strict=True)]
        self._uniform_reads = [
            (gl.UNIFORM_BUFFER_BINDING, point, view) for point, view in enumerate(uniforms)
        ]
        self._range_reads = [
            (enum, point, (ctypes.c_int64 * 1).from_buffer(self._ranges, 16 * point + offset))
            for point in range(UNIFORM_BINDINGS)
            for enum, offset in ((gl.UNIFORM_BUFFER_START, 0), (gl.UNIFORM_BUFFER_SIZE, 8))
        ]
        self._units = [
            (gl.TEXTURE0 + unit, textures[unit], samplers[unit]) for unit in range(TEXTURE_UNITS)
        ]
        # moderngl only creates and fills textures here, so that its sampler does not matter.
        self._default_unit = (gl.TEXTURE0 + ctx.mglo.default_texture_unit, textures[-1])
        self._scratch, (self._integer,) = _integers(1)

        # Saved when a mode that sets them is chosen first: for all modes, for one kind of them.
        states = _states(gl)
        self._both = _Block(
            gl, [s for s in states if s.simulate is not None and s.draw is not None]
        )
        self._simulating = _Block(gl, [s for s in states if s.draw is None])
        self._drawing = _Block(gl, [s for s in states if s.simulate is None])
        self._saved: list[bytes | None] = [None] * 4
        self._plans: dict[tuple[Any, ...], tuple[Call, ...]] = {}

        # Where we draw: our framebuffer's viewport; the host's further draw buffers.
        self._corner = (ctypes.c_float * 4)()
        self._moved = False
        self._draw_buffers, draw_buffers = _integers(7)
        self._draw_buffer_reads = [
            (gl.DRAW_BUFFER0 + 1 + i, view) for i, view in enumerate(draw_buffers)
        ]
        self._no_draw_buffers = bytes(self._draw_buffers)
        self._masked: list[tuple[int, ...]] = []

    def __enter__(self) -> Self:
        if self._depth:
            self._depth += 1
            return self
        gl = self.gl
        get = gl.GetIntegerv
        if gl.version >= 400:
            self._refuse_transform_feedback()
        ctx = self._ctx
        self._remembered = ctx.fbo, ctx.mglo.fbo
        gl.GetFloatv(gl.VIEWPORT, self._viewport)
        _run(starmap(get, self._framebuffer_reads))
        self.framebuffer = self._framebuffers[0]
        if self._restore:
            _run(starmap(get, self._binding_reads))
            _run(starmap(gl.GetIntegeri_v, self._uniform_reads))
            if any(self._uniforms):
                _run(starmap(gl.GetInteger64i_v, self._range_reads))
            activate = gl.ActiveTexture
            texture_binding, sampler_binding = gl.TEXTURE_BINDING_2D, gl.SAMPLER_BINDING
            for unit, texture, sampler in self._units:
                activate(unit)
                get(texture_binding, texture)
                get(sampler_binding, sampler)
            unit, texture = self._default_unit
            activate(unit)
            get(texture_binding, texture)
        self._depth = 1
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._depth -= 1
        if self._depth:
            return
        if self._masked:
            self._unmask()
        if self._restore:
            if self._mode is not _HOST:
                self._follow(_HOST)
                self._saved = [None] * 4
            self._put_back()
        self._mode = _HOST
        self._leave_target()
        ctx = self._ctx
        fbo, remembered = self._remembered
        self._remembered = (None, None)
        if ctx.fbo is not fbo:
            ctx.fbo = fbo
        if ctx.mglo.fbo is not remembered:
            ctx.mglo.fbo = remembered

    def simulate(self) -> None:
        """Make the state right for passes into our own textures, for uploads and for readback.

        Nothing is on that could alter a value or drop a fragment; pixel storage is as it is by
        default. Call ``target()`` next: which framebuffer is bound is left open.
        """
        if self._mode is not _SIMULATE:
            self._switch(_SIMULATE)

    def draw(self, depth: str | None = "<=") -> None:
        """Make the state right for premultiplied sprites into the host's framebuffer.

        The framebuffer, viewport, scissor, stencil test, colour mask, sRGB conversion,
        multisampling and depth range are the host's. Only draw buffer 0 is written.

        Args:
            depth: How sprites are tested against the host's depth buffer, which they never write:
                ``"<="``, ``">="`` (where the host reverses depth), or None for no test.

        Raises:
            ValueError: Another ``depth``.
        """
        try:
            mode = _DRAW[depth]
        except (KeyError, TypeError):
            raise ValueError(f'depth: {depth!r} is not "<=", ">=" or None') from None
        if self._mode is not mode:
            self._switch(mode)
            self._leave_target()
            self._mask()

    def target(self, framebuffer: int, width: int, height: int) -> None:
        """Bind one of our framebuffers, with a viewport from its lower left corner.

        Args:
            framebuffer: Its OpenGL name.
            width: The viewport's width in texels.
            height: The viewport's height in texels.
        """
        gl = self.gl
        gl.BindFramebuffer(gl.FRAMEBUFFER, framebuffer)
        self._moved = True
        if gl.version >= 410:
            # glViewport would set all sixteen viewports of the host.
            corner = self._corner
            corner[2] = width
            corner[3] = height
            gl.ViewportIndexedfv(0, corner)
        else:
            gl.Viewport(0, 0, width, height)

    def _refuse_transform_feedback(self) -> None:
        gl = self.gl
        gl.GetIntegerv(gl.TRANSFORM_FEEDBACK_ACTIVE, self._integer)
        if self._integer[0]:
            gl.GetIntegerv(gl.TRANSFORM_FEEDBACK_PAUSED, self._integer)
            if not self._integer[0]:
                raise ContextError(
                    "transform feedback is active; pause or end it before calling gpuparticles"
                )

    def _switch(self, mode: str) -> None:
        """Go from the present mode to another one of ours."""
        if self._masked:
            self._unmask()
        if self._restore:
            saved = self._saved
            if saved[0] is None:
                saved[0] = bytes(self._samplers)
                saved[1] = self._both.read()
            if mode is _SIMULATE:
                if saved[2] is None:
                    saved[2] = self._simulating.read()
            elif saved[3] is None:
                saved[3] = self._drawing.read()
        self._follow(mode)

    def _follow(self, mode: str) -> None:
        """Make the calls that lead from the present mode to another."""
        key = (self._mode, mode, *self._saved)
        plan = self._plans.get(key)
        if plan is None:
            if len(self._plans) >= _PLANS:
                self._plans.clear()
            plan = self._plans[key] = tuple(self._plan(self._mode, mode))
        self._mode = mode
        for function, arguments in plan:
            function(*arguments)

    def _plan(self, previous: str, mode: str) -> Iterable[Call]:
        """The calls for all states whose values differ between two modes."""
        samplers, *saved = self._saved
        blocks = (self._both, self._simulating, self._drawing)
        for block, data in zip(blocks, saved, strict=True):
            for state in block.states if not self._restore or data is not None else ():
                host = None if data is None else state.decode(data)
                value = state.value(mode, host)
                if value is not None and value != state.value(previous, host):
                    yield from state.set(value)
        if _HOST in (previous, mode):
            for unit in range(TEXTURE_UNITS):
                host_sampler = (
                    None if samplers is None else struct.unpack_from("i", samplers, 4 * unit)[0]
                )
                if host_sampler != 0:
                    yield self.gl.BindSampler, (unit, host_sampler if mode is _HOST else 0)

    def _mask(self) -> None:
        """Shut the host's further draw buffers, to which our shader writes nothing defined."""
        gl = self.gl
        _run(starmap(gl.GetIntegerv, self._draw_buffer_reads))
        if bytes(self._draw_buffers) != self._no_draw_buffers:
            mask = (ctypes.c_ubyte * 4)()
            for i, buffer in enumerate(self._draw_buffers, 1):
                if buffer != gl.NONE:
                    gl.GetBooleani_v(gl.COLOR_WRITEMASK, i, mask)
                    self._masked.append((i, *mask))
                    gl.ColorMaski(i, 0, 0, 0, 0)

    def _unmask(self) -> None:
        for mask in self._masked:
            self.gl.ColorMaski(*mask)
        self._masked.clear()

    def _leave_target(self) -> None:
        """Bind the host's framebuffers again, with the viewport that it had."""
        gl = self.gl
        draw, read = self._framebuffers
        gl.BindFramebuffer(gl.FRAMEBUFFER, draw)
        if read != draw:
            gl.BindFramebuffer(gl.READ_FRAMEBUFFER, read)
        if self._moved:
            self._moved = False
            if gl.version >= 410:
                gl.ViewportIndexedfv(0, self._viewport)
            else:
                gl.Viewport(*map(int, self._viewport))

    def _put_back(self) -> None:
        """Bind what was bound at entry."""
        gl = self.gl
        bind_buffer, activate, bind_texture = gl.BindBuffer, gl.ActiveTexture, gl.BindTexture
        program, vertex_array, array, uniform, renderbuffer, unpack, pack, clamp, active = (
            self._bindings
        )
        gl.UseProgram(program)
        gl.BindVertexArray(vertex_array)
        bind_buffer(gl.ARRAY_BUFFER, array)
        gl.BindRenderbuffer(gl.RENDERBUFFER, renderbuffer)
        gl.PixelStorei(gl.UNPACK_ALIGNMENT, unpack)
        gl.PixelStorei(gl.PACK_ALIGNMENT, pack)
        gl.ClampColor(gl.CLAMP_READ_COLOR, clamp)
        texture_2d = gl.TEXTURE_2D
        textures = self._textures[:]
        for (unit, _, _), texture in zip(self._units, textures, strict=False):
            activate(unit)
            bind_texture(texture_2d, texture)
        activate(self._default_unit[0])
        bind_texture(texture_2d, textures[-1])
        activate(active)
        for point, buffer in enumerate(self._uniforms):
            start, size = self._ranges[2 * point : 2 * point + 2]
            if buffer and size:
                gl.BindBufferRange(gl.UNIFORM_BUFFER, point, buffer, start, size)
            else:
                gl.BindBufferBase(gl.UNIFORM_BUFFER, point, buffer)
        bind_buffer(gl.UNIFORM_BUFFER, uniform)


class _State(NamedTuple):
    """A state that a mode sets: how it is read, its value in our modes, how it is set.

    A mode's value of None is the host's. A buffer is the number of a draw buffer.
    """

    enums: tuple[int, ...]
    simulate: Value | None
    draw: Mapping[str, Value] | None
    set: Callable[[Value], Sequence[Call]]
    buffer: int | None = None
    decode: Callable[[bytes], Value] = lambda _: ()

    def value(self, mode: str, host: Value | None) -> Value | None:
        """The state's value in a mode, given the host's."""
        if mode is _HOST:
            return host
        ours = self.simulate if mode is _SIMULATE else (self.draw or {}).get(mode)
        return host if ours is None else ours


class _Block:
    """States that are saved together, as one run of bytes by which plans are remembered."""

    def __init__(self, gl: GL, states: Iterable[_State]) -> None:
        self._gl = gl
        states = list(states)
        plain = [(s, enum) for s in states if s.buffer is None for enum in s.enums]
        blends = [s.buffer for s in states if s.buffer is not None and s.enums == (gl.BLEND,)]
        masks = [s.buffer for s in states if s.buffer is not None and s.enums != (gl.BLEND,)]
        # The polygon mode is two integers in some drivers, and one in others.
        self._integers, views = _integers(len(plain), 2)
        self._bytes = (ctypes.c_ubyte * (4 * len(masks)))()
        self._reads = [(enum, view) for (_, enum), view in zip(plain, views, strict=True)]
        self._blends = blends
        self._masks = [
            (gl.COLOR_WRITEMASK, index, (ctypes.c_ubyte * 4).from_buffer(self._bytes, 4 * n))
            for n, index in enumerate(masks)
        ]
        self.states: list[_State] = []
        integer = 0
        for state in states:
            if state.buffer is None:
                decode = _decoder(f"{'i4x' * len(state.enums)}", 8 * integer)
                integer += len(state.enums)
            elif state.buffer in blends and state.enums == (gl.BLEND,):
                decode = _decoder("B", 8 * len(plain) + blends.index(state.buffer))
            else:
                offset = 8 * len(plain) + len(blends) + 4 * masks.index(state.buffer)
                decode = _decoder("4B", offset)
            self.states.append(state._replace(decode=decode))

    def read(self) -> bytes:
        """Read all from OpenGL."""
        gl = self._gl
        _run(starmap(gl.GetIntegerv, self._reads))
        data = bytes(self._integers)
        if self._masks:
            _run(starmap(gl.GetBooleani_v, self._masks))
            is_enabled, blend = gl.IsEnabledi, gl.BLEND
            data += bytes([is_enabled(blend, i) for i in self._blends]) + bytes(self._bytes)
        return data


def _states(gl: GL) -> list[_State]:
    """Every state that a mode sets."""
    off, on, fill = (0,), (1,), (gl.FILL,)
    every = dict.fromkeys
    draws = tuple(_DRAW.values())
    tested = {_DRAW["<="]: (gl.LEQUAL,), _DRAW[">="]: (gl.GEQUAL,)}
    first = gl.version >= 400  # glBlendFunc would set the functions of all the host's draw buffers
    premultiplied = (gl.ONE, gl.ONE_MINUS_SRC_ALPHA) * 2

    def capability(enum: int, index: int | None = None) -> Callable[[Value], Sequence[Call]]:
        if index is None:
            return lambda value: [(gl.Enable if value[0] else gl.Disable, (enum,))]
        return lambda value: [(gl.Enablei if value[0] else gl.Disablei, (enum, index))]

    def call(function: Callable[..., Any], *arguments: int) -> Callable[[Value], Sequence[Call]]:
        return lambda value: [(function, (*arguments, *value))]

    result = [
        _State((gl.BLEND,), off, every(draws, on), capability(gl.BLEND, 0)),
        _State(
            (gl.BLEND_SRC_RGB, gl.BLEND_DST_RGB, gl.BLEND_SRC_ALPHA, gl.BLEND_DST_ALPHA),
            None,
            every(draws, premultiplied),
            call(gl.BlendFuncSeparatei, 0) if first else call(gl.BlendFuncSeparate),
        ),
        _State(
            (gl.BLEND_EQUATION_RGB, gl.BLEND_EQUATION_ALPHA),
            None,
            every(draws, (gl.FUNC_ADD, gl.FUNC_ADD)),
            call(gl.BlendEquationSeparatei, 0) if first else call(gl.BlendEquationSeparate),
        ),
        _State(
            (gl.DEPTH_TEST,),
            off,
            {mode: (int(mode in tested),) for mode in draws},
            capability(gl.DEPTH_TEST),
        ),
        _State((gl.DEPTH_FUNC,), None, tested, call(gl.DepthFunc)),
        _State((gl.DEPTH_WRITEMASK,), None, every(draws, off), call(gl.DepthMask)),
        _State((gl.STENCIL_TEST,), off, None, capability(gl.STENCIL_TEST)),
        # Without the index, the host's scissors of all viewports would go.
        _State(
            (gl.SCISSOR_TEST,),
            off,
            None,
            capability(gl.SCISSOR_TEST, 0 if gl.version >= 410 else None),
        ),
        _State(
            (gl.POLYGON_MODE,), fill, every(draws, fill), call(gl.PolygonMode, gl.FRONT_AND_BACK)
        ),
        _State(
            (gl.PIXEL_UNPACK_BUFFER_BINDING,),
            off,
            None,
            call(gl.BindBuffer, gl.PIXEL_UNPACK_BUFFER),
        ),
        _State(
            (gl.PIXEL_PACK_BUFFER_BINDING,), off, None, call(gl.BindBuffer, gl.PIXEL_PACK_BUFFER)
        ),
    ]
    capabilities = [
        gl.CULL_FACE,
        gl.COLOR_LOGIC_OP,
        gl.RASTERIZER_DISCARD,
        gl.PRIMITIVE_RESTART,
        gl.SAMPLE_ALPHA_TO_COVERAGE,
        gl.SAMPLE_ALPHA_TO_ONE,
        gl.SAMPLE_COVERAGE,
        gl.SAMPLE_MASK,
        gl.POLYGON_OFFSET_FILL,
        gl.POLYGON_SMOOTH,
        *(gl.CLIP_DISTANCE0 + i for i in range(8)),
    ]
    if gl.version >= 430:
        capabilities.append(gl.PRIMITIVE_RESTART_FIXED_INDEX)
    if gl.compatibility:
        capabilities += [gl.ALPHA_TEST, gl.POLYGON_STIPPLE]
    result += [_State((cap,), off, every(draws, off), capability(cap)) for cap in capabilities]
    storage = [
        gl.UNPACK_ROW_LENGTH,
        gl.UNPACK_SKIP_ROWS,
        gl.UNPACK_SKIP_PIXELS,
        gl.UNPACK_SWAP_BYTES,
        gl.UNPACK_IMAGE_HEIGHT,
        gl.UNPACK_SKIP_IMAGES,
        gl.PACK_ROW_LENGTH,
        gl.PACK_SKIP_ROWS,
        gl.PACK_SKIP_PIXELS,
        gl.PACK_SWAP_BYTES,
    ]
    result += [_State((enum,), off, None, call(gl.PixelStorei, enum)) for enum in storage]
    if gl.version >= 450:
        # The lower left corner, so that clip space has the rows of a state texture upwards.
        result.append(
            _State(
                (gl.CLIP_ORIGIN, gl.CLIP_DEPTH_MODE),
                (gl.LOWER_LEFT, gl.NEGATIVE_ONE_TO_ONE),
                None,
                call(gl.ClipControl),
            )
        )
    result += [
        _State((gl.BLEND,), off, None, capability(gl.BLEND, i), i) for i in range(1, DRAW_BUFFERS)
    ]
    result += [
        _State((gl.COLOR_WRITEMASK,), (1,) * 4, None, call(gl.ColorMaski, i), i)
        for i in range(DRAW_BUFFERS)
    ]
    return result


def _run(calls: Iterable[object]) -> None:
    """Exhaust an iterator at C speed."""
    deque(calls, maxlen=0)


def _integers(count: int, each: int = 1) -> tuple[ctypes.Array[ctypes.c_int], list[Any]]:
    """One block of memory, and views of its pieces for OpenGL to write into."""
    block = (ctypes.c_int * (count * each))()
    view = ctypes.c_int * each
    return block, [view.from_buffer(block, 4 * each * i) for i in range(count)]


def _decoder(layout: str, offset: int) -> Callable[[bytes], Value]:
    return lambda data: struct.unpack_from(f"={layout}", data, offset)
