"""Tells the CPU who has died on the GPU, without ever waiting for the frame at hand."""

from __future__ import annotations

import ctypes
import struct
from collections import deque
from typing import NamedTuple

import moderngl
import numpy as np
from numpy.typing import NDArray

from gpuparticles.gpu.fences import wait
from gpuparticles.gpu.guard import Guard
from gpuparticles.gpu.programs import Program
from gpuparticles.gpu.state import State
from gpuparticles.playback.population import REPORTS_TO_BURIAL, Population

__all__ = ["Deaths"]


_NOBODY = np.empty(0, np.int64)


class _Report(NamedTuple):
    """Who lived after an update.

    Args:
        births: The births until then: who was born later is not in it.
        size: Bytes, a bit a slot.
        buffer: Where the GPU writes them.
        fence: Passed once it has; 0 if there is nothing to write.
    """

    births: int
    size: int
    buffer: moderngl.Buffer | None
    fence: int


class Deaths:
    """The reports of one emitter whose particles may die before their time.

    After an update, and within a long one after each so many steps, a pass packs who lives, a bit
    a slot, and has it copied into a pixel buffer; so many reports later it is there, behind a
    fence, and those who are dead are taken out of their slots. It is always the same number of
    reports, so that slots are the same on every machine.

    All methods want to be called inside the guard, but for `forget`.

    Args:
        ctx: The context.
        guard: Its guard.
        program: Packs who lives.
        lingers: Seconds after a death for which the slot stays taken.
    """

    def __init__(
        self, ctx: moderngl.Context, guard: Guard, program: Program, lingers: float = 0.0
    ) -> None:
        self._ctx = ctx
        self._gl = guard.gl
        self._guard = guard
        self._program = program
        self._lingers = lingers
        self._texture: moderngl.Texture | None = None
        self._target: moderngl.Framebuffer | None = None
        self._buffers: list[moderngl.Buffer] = []
        self._free: list[moderngl.Buffer] = []
        self._reports: deque[_Report] = deque()
        self._old: list[_Report] = []

    @property
    def nbytes(self) -> int:
        """GPU memory."""
        size = 0 if self._texture is None else 4 * self._texture.width * self._texture.height
        return size + sum(buffer.size for buffer in self._buffers)

    def bury(self, population: Population) -> NDArray[np.int64]:
        """Take out those who were dead after the update before the last ones; call it each update.

        If the GPU is so far behind, it waits for it.

        Returns:
            The slots in which they were.
        """
        if len(self._reports) < REPORTS_TO_BURIAL:
            return _NOBODY
        report = self._reports.popleft()
        if report.buffer is None:
            return _NOBODY
        gl = self._gl
        wait(self._gl, report.fence)
        words = np.empty(report.size, np.uint8)
        gl.BindBuffer(gl.PIXEL_PACK_BUFFER, report.buffer.glo)
        gl.GetBufferSubData(gl.PIXEL_PACK_BUFFER, 0, report.size, words.ctypes.data)
        gl.BindBuffer(gl.PIXEL_PACK_BUFFER, 0)
        self._free.append(report.buffer)
        return population.bury(words, report.births)

    def report(self, state: State | None, population: Population) -> None:
        """Have it reported who lives after an update."""
        while self._old:
            report = self._old.pop()
            wait(self._gl, report.fence)
            if report.buffer is not None:
                self._free.append(report.buffer)
        rows = population.slots.rows
        if state is None or not rows:
            self._reports.append(_Report(population.births, 0, None, 0))
            return
        gl = self._gl
        width, size = state.width // 32, state.width * rows // 8
        target = self._bits(width, state.height)
        self._guard.target(target.glo, width, rows)
        state.bind(("lifetime_seed",))
        if self._lingers:
            self._program.write("u_lingers", struct.pack("<f", self._lingers))
        self._program.vertex_array.render(moderngl.TRIANGLES, 3)
        buffer = self._buffer(size, state.width * state.height // 8)
        gl.BindBuffer(gl.PIXEL_PACK_BUFFER, buffer.glo)
        gl.ReadPixels(0, 0, width, rows, gl.RED_INTEGER, gl.UNSIGNED_INT, None)
        gl.BindBuffer(gl.PIXEL_PACK_BUFFER, 0)
        fence = gl.FenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0)
        self._reports.append(_Report(population.births, size, buffer, fence))

    def forget(self) -> None:
        """What has been reported so far is of others; no OpenGL is called."""
        self._old += self._reports
        self._reports.clear()

    def release(self) -> None:
        """Free the GL objects."""
        self.forget()
        for report in self._old:
            if report.fence:
                self._gl.DeleteSync(report.fence)
        for buffer in self._buffers:
            buffer.release()
        if self._target is not None:
            self._target.release()
        if self._texture is not None:
            self._texture.release()

    def _bits(self, width: int, height: int) -> moderngl.Framebuffer:
        """What the pass renders into, as large as the state wants it."""
        if self._texture is None or self._target is None or self._texture.size != (width, height):
            if self._texture is not None and self._target is not None:
                self._target.release()
                self._texture.release()
            self._texture = self._ctx.texture((width, height), 1, dtype="u4")
            self._texture.filter = (moderngl.NEAREST, moderngl.NEAREST)
            self._target = self._ctx.framebuffer([self._texture])
            gl = self._gl
            gl.BindFramebuffer(gl.DRAW_FRAMEBUFFER, self._target.glo)
            gl.DrawBuffers(1, (ctypes.c_int * 1)(gl.COLOR_ATTACHMENT0))
        return self._target

    def _buffer(self, size: int, most: int) -> moderngl.Buffer:
        while self._free:
            buffer = self._free.pop()
            if buffer.size >= size:
                return buffer
            buffer.release()
            self._buffers.remove(buffer)
        self._buffers.append(self._ctx.buffer(reserve=most, dynamic=True))
        return self._buffers[-1]
