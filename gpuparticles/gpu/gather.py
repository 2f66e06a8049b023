"""Fetches where a few particles are, without ever waiting for the frame at hand."""

from __future__ import annotations

import ctypes
from collections import deque
from collections.abc import Iterator
from typing import Generic, NamedTuple, TypeVar

import moderngl
import numpy as np
from numpy.typing import NDArray

from gpuparticles.gpu.fences import wait
from gpuparticles.gpu.guard import Guard
from gpuparticles.gpu.programs import UNITS, Program, Programs
from gpuparticles.gpu.state import State, render_target
from gpuparticles.shaders import gather

__all__ = ["Gather"]

T = TypeVar("T")

_WIDTH = 256
_TEXEL = 16  # bytes of four floats


class _Question(NamedTuple, Generic[T]):
    """What has been asked and is on its way.

    Args:
        update: In which update it was asked.
        slots: How many.
        rows: Rows of the answer.
        buffer: Where it arrives: two pictures, one after the other.
        fence: Passed once it has.
        about: What the asker wants to know again.
    """

    update: int
    slots: int
    rows: int
    buffer: moderngl.Buffer
    fence: int
    about: T


class Gather(Generic[T]):
    """Answers, some updates later, where the particles of some slots were.

    Methods want to be called inside the guard, but for `forget`.

    Args:
        ctx: The context.
        guard: Its guard.
    """

    def __init__(self, ctx: moderngl.Context, guard: Guard) -> None:
        self._ctx = ctx
        self._guard = guard
        self._programs = Programs.of(ctx)
        self._program: Program | None = self._programs.acquire(gather())
        self._slots: moderngl.Texture | None = None
        self._places: list[moderngl.Texture] = []
        self._target: moderngl.Framebuffer | None = None
        self._free: list[moderngl.Buffer] = []
        self._asked: deque[_Question[T]] = deque()
        self._old: list[_Question[T]] = []

    @property
    def nbytes(self) -> int:
        """GPU memory."""
        rows = 0 if self._slots is None else self._slots.height
        asked = (*self._asked, *self._old)
        buffers = [*self._free, *(question.buffer for question in asked)]
        return rows * _WIDTH * (4 + 2 * _TEXEL) + sum(buffer.size for buffer in buffers)

    def ask(self, state: State, slots: NDArray[np.int64], update: int, about: T) -> None:
        """Have it fetched where the particles of slots are now.

        Args:
            state: Where they are.
            slots: One or more.
            update: The number of this update.
            about: Comes back with the answer.
        """
        assert self._program is not None
        gl, guard = self._guard.gl, self._guard
        rows = -(-len(slots) // _WIDTH)
        texture, target = self._reserve(rows)
        padded = np.zeros(rows * _WIDTH, np.uint32)
        padded[: len(slots)] = slots
        texture.write(padded, viewport=(0, 0, _WIDTH, rows))
        guard.target(target.glo, _WIDTH, rows)
        state.bind(())
        texture.use(UNITS["u_slots"])
        self._program.vertex_array.render(moderngl.TRIANGLES, 3)
        size = rows * _WIDTH * _TEXEL
        buffer = self._buffer(2 * size)
        gl.BindBuffer(gl.PIXEL_PACK_BUFFER, buffer.glo)
        for number in range(2):
            gl.ReadBuffer(gl.COLOR_ATTACHMENT0 + number)
            at = ctypes.c_void_p(number * size)
            gl.ReadPixels(0, 0, _WIDTH, rows, gl.RGBA, gl.FLOAT, at)
        gl.BindBuffer(gl.PIXEL_PACK_BUFFER, 0)
        fence = gl.FenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0)
        self._asked.append(_Question(update, len(slots), rows, buffer, fence, about))

    def answers(self, until: int) -> Iterator[tuple[T, NDArray[np.float32]]]:
        """What was asked up to an update, oldest first; waits for a GPU that is so far behind.

        Yields:
            What it was about, and (n, 8) float32: place and age, velocity and rotation.
        """
        gl = self._guard.gl
        while self._old:
            question = self._old.pop()
            wait(gl, question.fence)
            self._free.append(question.buffer)
        while self._asked and self._asked[0].update <= until:
            question = self._asked.popleft()
            wait(gl, question.fence)
            texels = question.rows * _WIDTH
            both = np.empty((2, texels, 4), np.float32)
            gl.BindBuffer(gl.PIXEL_PACK_BUFFER, question.buffer.glo)
            gl.GetBufferSubData(gl.PIXEL_PACK_BUFFER, 0, both.nbytes, both.ctypes.data)
            gl.BindBuffer(gl.PIXEL_PACK_BUFFER, 0)
            self._free.append(question.buffer)
            place, motion = both[:, : question.slots]
            yield question.about, np.hstack((place, motion))

    def forget(self) -> None:
        """Give no answers to what has been asked so far; no OpenGL is called."""
        self._old += self._asked
        self._asked.clear()

    def release(self) -> None:
        """Free the GL objects and give the program back; safe twice."""
        gl = self._guard.gl
        self.forget()
        while self._old:
            question = self._old.pop()
            gl.DeleteSync(question.fence)
            self._free.append(question.buffer)
        while self._free:
            self._free.pop().release()
        self._let_go()
        if self._program is not None:
            self._programs.release(self._program)
            self._program = None

    def _reserve(self, rows: int) -> tuple[moderngl.Texture, moderngl.Framebuffer]:
        if self._slots is None or self._target is None or self._slots.height < rows:
            self._let_go()
            size = _WIDTH, 1 << (rows - 1).bit_length()
            self._slots = self._ctx.texture(size, 1, dtype="u4")
            self._places = [self._ctx.texture(size, 4, dtype="f4") for _ in range(2)]
            for texture in (self._slots, *self._places):
                texture.filter = (moderngl.NEAREST, moderngl.NEAREST)
            self._target = render_target(self._ctx, self._guard.gl, self._places)
        return self._slots, self._target

    def _buffer(self, size: int) -> moderngl.Buffer:
        for index, buffer in enumerate(self._free):
            if buffer.size >= size:
                return self._free.pop(index)
        return self._ctx.buffer(reserve=1 << (size - 1).bit_length(), dynamic=True)

    def _let_go(self) -> None:
        if self._target is not None:
            self._target.release()
            self._target = None
        for texture in (*self._places, self._slots):
            if texture is not None:
                texture.release()
        self._places, self._slots = [], None
