"""The guard: OpenGL as our passes need it inside, as the host left it outside."""

from __future__ import annotations

import ctypes
import math
import struct
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import starmap
from types import TracebackType
from typing import Any, NamedTuple, Self

import moderngl

from gpuparticles.effect.mistakes import show
from gpuparticles.errors import ContextError
from gpuparticles.gpu.gl import (
    DRAW_BUFFERS,
    GL,
    MOST_DRAW_BUFFERS,
    MOST_UNITS,
    NOT_CURRENT,
    OTHER_CURRENT,
    TEXTURE_UNITS,
    UNIFORM_BINDINGS,
)

Call = tuple[Callable[..., Any], tuple[Any, ...]]
Value = tuple[int, ...]

# Modes. Host is the state outside; sprites are drawn with one of three depth tests, and may write
# the depth where they are tested, or only that.
_HOST = "host"
_SIMULATE = "simulate"
_DRAW: dict[tuple[str | None, bool], str] = {
    (None, False): "draw",
    (None, True): "draw",
    ("<=", False): "draw <=",
    ("<=", True): "draw and write <=",
    (">=", False): "draw >=",
    (">=", True): "draw and write >=",
}
_CAST = {"<=": "cast <=", ">=": "cast >="}
_WEIGH: dict[str | None, str] = {None: "weigh", "<=": "weigh <=", ">=": "weigh >="}

# Where uniform points and texture units lie in what is read at entry.
_POINTS = slice(7, 7 + UNIFORM_BINDINGS)

_PLANS = 256  # remembered at most; a host calls us in a handful of different states
_run = deque[object](maxlen=0).extend  # exhausts an iterator at C speed


class Window(NamedTuple):
    """How OpenGL makes places in a window from clip space.

    Args:
        x: Left edge of the viewport, in pixels.
        y: Its bottom edge.
        width: Its width.
        height: Its height.
        near: The depth of the near plane.
        far: The depth of the far plane.
        upwards: Whether clip space goes up where the window does.
        from_zero: Whether clip space begins at 0 along the line of sight, not at -1.
    """

    x: float
    y: float
    width: float
    height: float
    near: float
    far: float
    upwards: bool
    from_zero: bool


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
    textures on the units that it has reached, a uniform buffer at point 0, framebuffers, programs
    and vertex arrays, and may create, write, read and release buffers, vertex arrays and programs,
    and, while simulating, framebuffers and 2D textures. It never calls what changes moderngl's
    memory (``fbo.use``, ``fbo.clear``, ``ctx.enable`` and its kin, ``ctx.viewport``,
    ``ctx.scope``), nor ``vao.transform``, ``ctx.copy_buffer``, ``ctx.renderbuffer``: we have no use
    for them.

    What moderngl's calls change in OpenGL, and what is saved therefore:

    - ``vao.render``: the program, the vertex array. Setting a uniform: the program.
    - ``ctx.vertex_array``: the vertex array, the array buffer. ``ctx.buffer``, ``buffer.write``
      and ``read``: the array buffer. ``bind_to_uniform_block``: the generic binding too.
    - ``ctx.texture``, a texture's ``write``, ``read`` and filter: the active unit, the texture on
      moderngl's default unit (the last one), both pixel alignments. ``texture.use``: the unit.
    - ``ctx.framebuffer`` and ``fbo.read``: both framebuffers (to the one that moderngl remembers);
      ``fbo.read`` also the clamping of what is read.
    - ``ctx.program`` and every ``release``: nothing.

    What OpenGL cannot give back: an active query counts our work too; conditional rendering may
    skip it; subroutine choices are lost, and so is a program that was deleted while in use (none
    is in use then). Transform feedback must be paused or ended (before OpenGL 4.0 that cannot be
    seen).

    Args:
        ctx: The moderngl context, which must be current here and at every entry.
        restore: False is cheaper, and puts back only the framebuffers, the viewport, and what is
            set for the host's further draw buffers. Left changed are the states that the modes set
            (all are in ``_states``), the program, vertex array, array and uniform buffers, the
            active unit, our units' textures and samplers, and our uniform points. In a block that
            simulates and then draws, as a draw that has to sort does, scissor, stencil, colour
            masks and clip control are as simulating needs them, not the host's.

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
        self._host: Value = ()

        # Saved at entry and put back at exit, since code inside changes these freely.
        enums = (
            gl.DRAW_FRAMEBUFFER_BINDING,
            gl.READ_FRAMEBUFFER_BINDING,
            gl.CURRENT_PROGRAM,
            gl.VERTEX_ARRAY_BINDING,
            gl.ARRAY_BUFFER_BINDING,
            gl.UNIFORM_BUFFER_BINDING,
            gl.ACTIVE_TEXTURE,
        )
        # And moderngl's default unit: there it only creates and fills textures, whatever the
        # sampler.
        self._default_unit = 0
        self._names, views = _integers(len(enums) + UNIFORM_BINDINGS + 1)
        self._unpack_names = struct.Struct(f"={len(views)}i").unpack
        self._binding_reads = [*zip(enums, views, strict=False)]
        if not restore:
            del self._binding_reads[2:]
        del views[: len(enums)]
        self._uniform_reads = [
            (gl.UNIFORM_BUFFER_BINDING, point, view)
            for point, view in enumerate(views[:UNIFORM_BINDINGS])
        ]
        self._default_view = views[UNIFORM_BINDINGS]
        # Saved when they are first needed: what is bound on the first units.
        self._reached = 0
        self._textures, texture_views = _integers(MOST_UNITS)
        self._samplers, sampler_views = _integers(MOST_UNITS)
        self._unit_reads = [*zip(texture_views, sampler_views, strict=True)]
        self._viewport = (ctypes.c_float * 4)()
        self._ranges = (ctypes.c_int64 * (2 * UNIFORM_BINDINGS))()
        self._range_reads = [
            (enum, point, (ctypes.c_int64 * 1).from_buffer(self._ranges, 16 * point + offset))
            for point in range(UNIFORM_BINDINGS)
            for enum, offset in ((gl.UNIFORM_BUFFER_START, 0), (gl.UNIFORM_BUFFER_SIZE, 8))
        ]

        # Saved when a mode that sets them is first chosen: set by all modes, or by some; and of the
        # last draw buffers, which few need, when these are asked for.
        states = _states(gl)
        last = [s for s in states if s.buffer is not None and s.buffer >= DRAW_BUFFERS]
        states = [s for s in states if s not in last]
        self._blocks = (
            _Block(gl, (s for s in states if s.simulate is not None and s.draw is not None)),
            _Block(gl, (s for s in states if s.draw is None)),
            _Block(gl, (s for s in states if s.simulate is None)),
            _Block(gl, last),
        )
        self._widened = False
        self._saved: list[bytes | None] = [None] * len(self._blocks)
        self._plans: dict[tuple[Any, ...], tuple[Call, ...]] = {}

        # Where we draw: our framebuffer's viewport; the host's further draw buffers.
        self._corner = (ctypes.c_float * 4)()
        self._moved = False
        self._draw_buffers, views = _integers(8)
        self._draw_buffer_reads = [
            (gl.DRAW_BUFFER0 + number, view) for number, view in enumerate(views)
        ]
        self._canvas = self._drawn_into = 0  # what is drawn into in place of the host's
        self._undone: list[Call] = []  # what puts back what a mode has set besides its states

    @property
    def lost(self) -> bool:
        """Whether the context has been released, and every object in it with it.

        Or none is current any more, as after a window has been closed.
        """
        gone = isinstance(self._ctx.mglo, moderngl.InvalidObject)
        return gone or (self.gl.current is not None and not self.gl.current())

    @property
    def elsewhere(self) -> bool:
        """Whether another context is current, in which names mean other objects."""
        gl = self.gl
        return gl.current is not None and bool(gl.current()) and gl.current() != gl.own

    @property
    def height(self) -> float:
        """Inside: the height of the host's viewport in pixels."""
        return self._viewport[3]

    @property
    def box(self) -> tuple[int, int, int, int]:
        """Inside: left, bottom, right, top of the pixels in the host's viewport."""
        x, y, width, height = self._viewport
        left, bottom = max(math.floor(x), 0), max(math.floor(y), 0)
        return left, bottom, max(math.ceil(x + width), left), max(math.ceil(y + height), bottom)

    @property
    def window(self) -> Window:
        """Inside, while drawing: how clip space becomes places in the host's window."""
        gl = self.gl
        near_far = (ctypes.c_float * 32)()  # as many as there may be viewports
        gl.GetFloatv(gl.DEPTH_RANGE, near_far)
        upwards, from_zero = True, False
        if gl.version >= 450:
            gl.GetIntegerv(gl.CLIP_ORIGIN, _answer)
            upwards = _answer[0] == gl.LOWER_LEFT
            gl.GetIntegerv(gl.CLIP_DEPTH_MODE, _answer)
            from_zero = _answer[0] == gl.ZERO_TO_ONE
        x, y, width, height = self._viewport
        near, far = near_far[:2]
        return Window(x, y, width, height, near, far, upwards, from_zero)

    def __enter__(self) -> Self:
        if self._depth:
            self._depth += 1
            return self
        if isinstance(self._ctx.mglo, moderngl.InvalidObject):
            raise ContextError("the OpenGL context has been released")
        gl = self.gl
        if gl.current is not None and (current := gl.current()) != gl.own:
            raise ContextError(OTHER_CURRENT if current else NOT_CURRENT)
        get = gl.GetIntegerv
        if gl.version >= 400:
            _refuse_transform_feedback(gl)
        ctx = self._ctx
        self._remembered = ctx.fbo, ctx.mglo.fbo
        gl.GetFloatv(gl.VIEWPORT, self._viewport)
        _run(starmap(get, self._binding_reads))
        if self._restore:
            _run(starmap(gl.GetIntegeri_v, self._uniform_reads))
            unit = self._default_unit = gl.TEXTURE0 + ctx.mglo.default_texture_unit
            gl.ActiveTexture(unit)
            get(gl.TEXTURE_BINDING_2D, self._default_view)
        names = self._host = self._unpack_names(self._names)
        self.framebuffer = names[0]
        if any(names[_POINTS]):
            _run(starmap(gl.GetInteger64i_v, self._range_reads))
        self._depth = 1
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not self._depth:
            return  # lent, and could not be taken back
        self._depth -= 1
        if self._depth:
            return
        if self._undone:
            self._undo()
        if self._restore:
            if self._mode is not _HOST:
                self._follow(_HOST)
                self._saved = [None] * len(self._saved)
            self._put_bindings_back()
        self._mode = _HOST
        self._widened = False
        self._reached = self._canvas = self._drawn_into = 0
        self._put_target_back()
        ctx = self._ctx
        fbo, remembered = self._remembered
        self._remembered = (None, None)
        if ctx.fbo is not fbo:
            ctx.fbo = fbo
        if ctx.mglo.fbo is not remembered:
            ctx.mglo.fbo = remembered

    @contextmanager
    def lent(self, framebuffer: moderngl.Framebuffer) -> Iterator[None]:
        """Inside: give OpenGL back to the host as it left it, but for what it draws into.

        What it does then is its own. Afterwards its framebuffers, viewport and first colour mask
        are as they were, and all is ours again, in no mode.

        Args:
            framebuffer: What it draws into, all of whose channels are written.
        """
        depth, self._depth = self._depth, 1
        self.__exit__(None, None, None)
        gl, ctx = self.gl, self._ctx
        remembered = ctx.fbo, ctx.mglo.fbo
        mask = (ctypes.c_ubyte * 4)()
        gl.GetBooleani_v(gl.COLOR_WRITEMASK, 0, mask)
        gl.BindFramebuffer(gl.FRAMEBUFFER, framebuffer.glo)
        gl.ColorMaski(0, 1, 1, 1, 1)
        ctx.fbo, ctx.mglo.fbo = framebuffer, framebuffer.mglo
        try:
            yield
        finally:
            ctx.fbo, ctx.mglo.fbo = remembered
            gl.ColorMaski(0, *mask)
            self._moved = True
            self._put_target_back()
            self.__enter__()
            self._depth = depth

    def simulate(self, units: int = TEXTURE_UNITS) -> None:
        """Make the state right for passes into our own textures, for uploads and for readback.

        Nothing is on that could alter a value or drop a fragment; pixel storage is as it is by
        default. Call ``target()`` next: which framebuffer is bound is left open.

        Args:
            units: So many texture units are used at first; see ``reach``.
        """
        if self._mode is not _SIMULATE:
            self._switch(_SIMULATE)
        if units > self._reached:
            self.reach(units)

    def reach(self, units: int) -> None:
        """Have at least the first units for our textures, without samplers.

        To save all of them costs a fifth of a call; most updates need three.
        """
        gl = self.gl
        for unit in range(self._reached, units):
            sampler = 0
            if self._restore:
                gl.ActiveTexture(gl.TEXTURE0 + unit)
                texture_view, sampler_view = self._unit_reads[unit]
                gl.GetIntegerv(gl.TEXTURE_BINDING_2D, texture_view)
                gl.GetIntegerv(gl.SAMPLER_BINDING, sampler_view)
                sampler = self._samplers[unit]
            if sampler or not self._restore:
                gl.BindSampler(unit, 0)
        self._reached = max(self._reached, units)

    def widen(self) -> None:
        """While simulating: have as many draw buffers as any framebuffer of ours has.

        To save those that few need costs a tenth of a call.
        """
        if self._widened:
            return
        self._widened = True
        block = self._blocks[3]
        if self._restore:
            self._saved[3] = block.read()
        for state in block.states:
            assert state.simulate is not None
            for function, arguments in state.set(state.simulate):
                function(*arguments)

    def draw(self, depth: str | None = "<=", *, write: bool = False) -> None:
        """Make the state right for premultiplied sprites into the host's framebuffer.

        The framebuffer, viewport, scissor, stencil test, colour mask, sRGB conversion,
        multisampling and depth range are the host's. Only draw buffer 0 is written.

        Args:
            depth: How sprites are tested against the host's depth buffer: ``"<="``, ``">="``
                (where the host reverses depth), or None for no test.
            write: Whether they write it; without a test none does.

        Raises:
            ValueError: Another ``depth``.
        """
        mode = _DRAW.get((depth, write))
        if mode is None:
            raise ValueError(f'depth: {show(depth)} is not "<=", ">=" or None')
        if self._mode is not mode or self._drawn_into != self._canvas:
            self._switch(mode)
            self.reach(TEXTURE_UNITS)
            self._put_target_back()
            self._drawn_into = self._canvas
            if self._canvas:
                self.gl.BindFramebuffer(self.gl.FRAMEBUFFER, self._canvas)
                self._open(1)
            else:
                self._mask(1)

    def canvas(self, framebuffer: int) -> None:
        """Have `draw` go into a framebuffer of ours, as large as the host's viewport reaches.

        As into the host's, but without its stencil test and colour mask.

        Args:
            framebuffer: Its OpenGL name, with one draw buffer; 0 for the host's again.
        """
        self._canvas = framebuffer

    def cast(self, depth: str) -> None:
        """Make the state right for drawing into the depth of the host's framebuffer alone.

        As `draw` does that writes it, but no draw buffer is written; there may be none.

        Args:
            depth: How is tested: ``"<="`` or ``">="``.
        """
        mode = _CAST[depth]
        if self._mode is not mode:
            self._switch(mode)
            self.reach(TEXTURE_UNITS)
            self._put_target_back()
            self._mask(0)

    def weigh(self, depth: str | None) -> None:
        """Make the state right for adding up in two draw buffers of ours.

        As `draw` does, with the host's viewport, scissor and depth range, but not its stencil test
        and colour mask. Bind the framebuffer next.

        Args:
            depth: How is tested, as for `draw`.
        """
        mode = _WEIGH[depth]
        if self._mode is not mode:
            self._switch(mode)
            self.reach(TEXTURE_UNITS)
            self._put_target_back()
            self._open(2)
            self._add_up()

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

    def _switch(self, mode: str) -> None:
        """Go from the present mode to another one of ours."""
        if self._undone:
            self._undo()
        if self._restore:
            saved = self._saved
            wanted: tuple[int, ...] = (0, 2)
            if mode is _SIMULATE:
                wanted = (0, 1, 3) if self._widened else (0, 1)
            for some in wanted:
                if saved[some] is None:
                    saved[some] = self._blocks[some].read()
        self._follow(mode)

    def _follow(self, mode: str) -> None:
        """Make the calls that lead from the present mode to another."""
        key = (self._mode, mode, self._widened, *self._saved)
        plan = self._plans.get(key)
        if plan is None:
            if len(self._plans) >= _PLANS:
                self._plans.clear()
            plan = self._plans[key] = tuple(self._plan(mode))
        self._mode = mode
        for function, arguments in plan:
            function(*arguments)

    def _plan(self, mode: str) -> Iterator[Call]:
        """The calls for all states whose values differ between the present mode and another."""
        for number, (block, data) in enumerate(zip(self._blocks, self._saved, strict=True)):
            unsaved = not self._restore and (number < 3 or self._widened)
            for state in block.states if data is not None or unsaved else ():
                host = None if data is None else state.decode(data)
                value = state.value(mode, host)
                if value is not None and (
                    value != state.value(self._mode, host)
                    or (state.volatile and self._mode is _SIMULATE)
                ):
                    yield from state.set(value)

    def _mask(self, first: int) -> None:
        """Shut the host's draw buffers to which our shader writes nothing defined.

        Args:
            first: Which is the first of them.
        """
        gl = self.gl
        _run(starmap(gl.GetIntegerv, self._draw_buffer_reads[first:]))
        if any(self._draw_buffers[first:]):
            mask = (ctypes.c_ubyte * 4)()
            for number, buffer in enumerate(self._draw_buffers[first:], first):
                if buffer != gl.NONE:
                    gl.GetBooleani_v(gl.COLOR_WRITEMASK, number, mask)
                    self._undone.append((gl.ColorMaski, (number, *mask)))
                    gl.ColorMaski(number, 0, 0, 0, 0)

    def _open(self, count: int) -> None:
        """Let draw buffers of ours take all that comes, whatever the host's have to do.

        Few draws go there, so what only they set is not among the states.

        Args:
            count: How many.
        """
        gl, undone = self.gl, self._undone
        gl.GetIntegerv(gl.STENCIL_TEST, _answer)
        if _answer[0]:
            undone.append((gl.Enable, (gl.STENCIL_TEST,)))
            gl.Disable(gl.STENCIL_TEST)
        mask = (ctypes.c_ubyte * 4)()
        for number in range(count):
            gl.GetBooleani_v(gl.COLOR_WRITEMASK, number, mask)
            undone.append((gl.ColorMaski, (number, *mask)))
            gl.ColorMaski(number, 1, 1, 1, 1)

    def _add_up(self) -> None:
        """Let the second draw buffer add up as the first one does."""
        gl, undone = self.gl, self._undone
        if not gl.IsEnabledi(gl.BLEND, 1):
            undone.append((gl.Disablei, (gl.BLEND, 1)))
            gl.Enablei(gl.BLEND, 1)
        if gl.version >= 400:  # else what holds for the first holds for all
            blend = gl.BLEND_SRC_RGB, gl.BLEND_DST_RGB, gl.BLEND_SRC_ALPHA, gl.BLEND_DST_ALPHA
            equation = gl.BLEND_EQUATION_RGB, gl.BLEND_EQUATION_ALPHA
            for function, enums, value in (
                (gl.BlendFuncSeparatei, blend, gl.ONE),
                (gl.BlendEquationSeparatei, equation, gl.FUNC_ADD),
            ):
                host = []
                for enum in enums:
                    gl.GetIntegeri_v(enum, 1, _answer)
                    host.append(_answer[0])
                undone.append((function, (1, *host)))
                function(1, *[value] * len(enums))

    def _undo(self) -> None:
        for function, arguments in self._undone:
            function(*arguments)
        self._undone.clear()

    def _put_target_back(self) -> None:
        """Bind the host's framebuffers again, with the viewport that it had."""
        gl = self.gl
        draw, read = self._host[:2]
        gl.BindFramebuffer(gl.FRAMEBUFFER, draw)
        if read != draw:
            gl.BindFramebuffer(gl.READ_FRAMEBUFFER, read)
        if self._moved:
            self._moved = False
            if gl.version >= 410:
                gl.ViewportIndexedfv(0, self._viewport)
            else:
                gl.Viewport(*map(int, self._viewport))

    def _put_bindings_back(self) -> None:
        """Bind what was bound at entry, but for the framebuffers."""
        gl = self.gl
        names = self._host
        _, _, program, vertex_array, array, uniform, active = names[:7]
        default = names[-1]
        # What was deleted meanwhile went with its use: a host may have had an object of ours bound.
        gl.UseProgram(program if program and gl.IsProgram(program) else 0)
        gl.BindVertexArray(vertex_array if vertex_array and gl.IsVertexArray(vertex_array) else 0)
        gl.BindBuffer(gl.ARRAY_BUFFER, array if array and gl.IsBuffer(array) else 0)
        activate, bind, texture_2d = gl.ActiveTexture, gl.BindTexture, gl.TEXTURE_2D
        for unit in range(self._reached):
            texture, sampler = self._textures[unit], self._samplers[unit]
            activate(gl.TEXTURE0 + unit)
            bind(texture_2d, texture if texture and gl.IsTexture(texture) else 0)
            if sampler:
                gl.BindSampler(unit, sampler)
        # Later, since it may be one of them, and was saved before.
        activate(self._default_unit)
        bind(texture_2d, default if default and gl.IsTexture(default) else 0)
        activate(active)
        target = gl.UNIFORM_BUFFER
        points = [name if name and gl.IsBuffer(name) else 0 for name in names[_POINTS]]
        for point, buffer in enumerate(points):
            gl.BindBufferBase(target, point, buffer)
        if any(points):
            self._put_ranges_back(points)
        # Last, since the points change it too.
        gl.BindBuffer(target, uniform if uniform and gl.IsBuffer(uniform) else 0)

    def _put_ranges_back(self, points: Sequence[int]) -> None:
        gl = self.gl
        ranges = self._ranges[:]
        for point, buffer in enumerate(points):
            start, size = ranges[2 * point : 2 * point + 2]
            if buffer and size:  # a size of zero means the whole buffer
                gl.BindBufferRange(gl.UNIFORM_BUFFER, point, buffer, start, size)


@dataclass(frozen=True, slots=True)
class _State:
    """A state that modes set: how it is read, its value in our modes, how it is set.

    Args:
        enums: What glGet is asked for, one integer each.
        simulate: Its value while simulating; None is the host's.
        draw: Its value for each mode of drawing; a mode that is missing leaves the host's, and
            None is none at all.
        set: The calls that give it a value.
        buffer: The draw buffer whose state it is, where glGet needs that.
        volatile: moderngl changes it while we simulate, so that it is always put back.
        layout: Its value in what its block read, as ``struct`` writes it; by default glGet's
            first integer of each.
        decode: Its value in what its block read.
    """

    enums: tuple[int, ...]
    simulate: Value | None
    draw: Mapping[str, Value] | None
    set: Callable[[Value], Sequence[Call]]
    buffer: int | None = None
    volatile: bool = False
    layout: str = ""
    decode: Callable[[bytes], Value] = lambda _: ()

    def value(self, mode: str, host: Value | None) -> Value | None:
        """Its value in a mode, given the host's."""
        if mode is _HOST:
            return host
        ours = self.simulate if mode is _SIMULATE else (self.draw or {}).get(mode)
        return host if ours is None else ours


class _Block:
    """States that are saved together, as one run of bytes by which plans are remembered."""

    def __init__(self, gl: GL, states: Iterable[_State]) -> None:
        plain, blends, masks = [], [], []
        for state in states:
            if state.buffer is None:
                plain.append(state)
            elif state.enums == (gl.BLEND,):
                blends.append(state)
            else:
                masks.append(state)
        enums = [enum for state in plain for enum in state.enums]
        # Two integers each: for the polygon mode many drivers write two.
        self._integers, views = _integers(len(enums), 2)
        self._integer_reads = [*zip(enums, views, strict=True)]
        self._flag_reads = [(gl.BLEND, state.buffer) for state in blends]
        self._booleans = (ctypes.c_ubyte * (4 * len(masks)))()
        self._boolean_reads = [
            (*state.enums, state.buffer, (ctypes.c_ubyte * 4).from_buffer(self._booleans, 4 * n))
            for n, state in enumerate(masks)
        ]
        self._gl = gl
        self.states: list[_State] = []
        offset = 0
        for state in (*plain, *blends, *masks):  # in the order of read()
            layout = "=" + (state.layout or "i4x" * len(state.enums))
            self.states.append(replace(state, decode=_decoder(layout, offset)))
            offset += struct.calcsize(layout)

    def read(self) -> bytes:
        """Read all of them from OpenGL."""
        gl = self._gl
        _run(starmap(gl.GetIntegerv, self._integer_reads))
        if not self._boolean_reads:
            return bytes(self._integers)
        _run(starmap(gl.GetBooleani_v, self._boolean_reads))
        flags = bytes(starmap(gl.IsEnabledi, self._flag_reads))
        return b"".join((self._integers, flags, self._booleans))


def _states(gl: GL) -> list[_State]:
    """Every state that a mode sets."""
    off, on, fill = (0,), (1,), (gl.FILL,)
    tests = {"<=": (gl.LEQUAL,), ">=": (gl.GEQUAL,)}
    tested = {mode: tests[depth] for (depth, _), mode in _DRAW.items() if depth is not None}
    tested |= {mode: tests[depth] for depth, mode in _CAST.items()}
    tested |= {mode: tests[depth] for depth, mode in _WEIGH.items() if depth is not None}
    written = {mode: on for (depth, write), mode in _DRAW.items() if write and depth is not None}
    written |= dict.fromkeys(_CAST.values(), on)
    per_buffer = gl.version >= 400  # else functions and equations are the same for all

    def drawn(value: Value) -> dict[str, Value]:
        return dict.fromkeys((*_DRAW.values(), *_CAST.values(), *_WEIGH.values()), value)

    def switch(enum: int, index: int | None = None) -> Callable[[Value], Sequence[Call]]:
        if index is None:
            return lambda value: [(gl.Enable if value[0] else gl.Disable, (enum,))]
        return lambda value: [(gl.Enablei if value[0] else gl.Disablei, (enum, index))]

    def setter(function: Callable[..., Any], *first: int) -> Callable[[Value], Sequence[Call]]:
        return lambda value: [(function, (*first, *value))]

    def polygon_modes(value: Value) -> Sequence[Call]:
        front, back = value
        return [(gl.PolygonMode, (gl.FRONT, front)), (gl.PolygonMode, (gl.BACK, back))]

    both = [
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
        *(gl.CLIP_DISTANCE0 + number for number in range(8)),
    ]
    if gl.version >= 430:
        both.append(gl.PRIMITIVE_RESTART_FIXED_INDEX)
    if gl.compatibility:
        both += [gl.ALPHA_TEST, gl.POLYGON_STIPPLE]
    states = [_State((enum,), off, drawn(off), switch(enum)) for enum in both]

    if gl.compatibility:
        states.append(
            _State((gl.POLYGON_MODE,), fill * 2, drawn(fill * 2), polygon_modes, layout="2i")
        )
    else:
        polygon_mode = setter(gl.PolygonMode, gl.FRONT_AND_BACK)
        states.append(_State((gl.POLYGON_MODE,), fill, drawn(fill), polygon_mode))
    states += [
        _State((gl.BLEND,), off, drawn(on), switch(gl.BLEND, 0)),
        _State(
            (gl.BLEND_SRC_RGB, gl.BLEND_DST_RGB, gl.BLEND_SRC_ALPHA, gl.BLEND_DST_ALPHA),
            None,
            {
                **drawn((gl.ONE, gl.ONE_MINUS_SRC_ALPHA) * 2),
                **dict.fromkeys(_WEIGH.values(), (gl.ONE,) * 4),
            },
            setter(gl.BlendFuncSeparatei, 0) if per_buffer else setter(gl.BlendFuncSeparate),
        ),
        _State(
            (gl.BLEND_EQUATION_RGB, gl.BLEND_EQUATION_ALPHA),
            None,
            drawn((gl.FUNC_ADD, gl.FUNC_ADD)),
            setter(gl.BlendEquationSeparatei, 0)
            if per_buffer
            else setter(gl.BlendEquationSeparate),
        ),
        _State(
            (gl.DEPTH_TEST,),
            off,
            {**drawn(off), **dict.fromkeys(tested, on)},
            switch(gl.DEPTH_TEST),
        ),
        _State((gl.DEPTH_FUNC,), None, tested, setter(gl.DepthFunc)),
        _State((gl.DEPTH_WRITEMASK,), None, {**drawn(off), **written}, setter(gl.DepthMask)),
        _State((gl.STENCIL_TEST,), off, None, switch(gl.STENCIL_TEST)),
        # Without an index the scissors of all the host's viewports would go.
        _State(
            (gl.SCISSOR_TEST,), off, None, switch(gl.SCISSOR_TEST, 0 if gl.version >= 410 else None)
        ),
    ]
    if gl.version >= 450:
        # The lower left corner: clip space has a texture's rows upwards.
        clip = (gl.LOWER_LEFT, gl.NEGATIVE_ONE_TO_ONE)
        states.append(
            _State((gl.CLIP_ORIGIN, gl.CLIP_DEPTH_MODE), clip, None, setter(gl.ClipControl))
        )
    for buffer in range(1, MOST_DRAW_BUFFERS):
        states.append(_State((gl.BLEND,), off, None, switch(gl.BLEND, buffer), buffer, layout="B"))
    for buffer in range(MOST_DRAW_BUFFERS):
        mask = setter(gl.ColorMaski, buffer)
        states.append(_State((gl.COLOR_WRITEMASK,), (1, 1, 1, 1), None, mask, buffer, layout="4B"))

    clamps = [gl.CLAMP_READ_COLOR]
    if gl.compatibility:
        clamps.append(gl.CLAMP_FRAGMENT_COLOR)
    for enum in clamps:
        states.append(_State((enum,), (gl.FIXED_ONLY,), None, setter(gl.ClampColor, enum)))
    for enum, target in (
        (gl.PIXEL_UNPACK_BUFFER_BINDING, gl.PIXEL_UNPACK_BUFFER),
        (gl.PIXEL_PACK_BUFFER_BINDING, gl.PIXEL_PACK_BUFFER),
    ):
        states.append(_State((enum,), off, None, setter(gl.BindBuffer, target)))
    for enum in (gl.UNPACK_ALIGNMENT, gl.PACK_ALIGNMENT):
        states.append(_State((enum,), on, None, setter(gl.PixelStorei, enum), volatile=True))
    # The others concern bitmaps and volumes, which we have none of.
    for enum in (
        gl.UNPACK_ROW_LENGTH,
        gl.UNPACK_SKIP_ROWS,
        gl.UNPACK_SKIP_PIXELS,
        gl.UNPACK_SWAP_BYTES,
        gl.PACK_ROW_LENGTH,
        gl.PACK_SKIP_ROWS,
        gl.PACK_SKIP_PIXELS,
        gl.PACK_SWAP_BYTES,
    ):
        states.append(_State((enum,), off, None, setter(gl.PixelStorei, enum)))
    return states


def _refuse_transform_feedback(gl: GL) -> None:
    gl.GetIntegerv(gl.TRANSFORM_FEEDBACK_ACTIVE, _answer)
    if _answer[0]:
        gl.GetIntegerv(gl.TRANSFORM_FEEDBACK_PAUSED, _answer)
        if not _answer[0]:
            raise ContextError(
                "transform feedback is active; pause or end it before calling gpuparticles"
            )


_answer = (ctypes.c_int * 1)()


def _integers(count: int, each: int = 1) -> tuple[ctypes.Array[ctypes.c_int], list[Any]]:
    """One block of memory, and views of its pieces for OpenGL to write into."""
    block = (ctypes.c_int * (count * each))()
    view = ctypes.c_int * each
    return block, [view.from_buffer(block, 4 * each * number) for number in range(count)]


def _decoder(layout: str, offset: int) -> Callable[[bytes], Value]:
    return lambda data: struct.unpack_from(layout, data, offset)
