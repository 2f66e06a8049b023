"""Layers: effects drawn into a picture of their own, which is then laid over the host's."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Iterable
from functools import cache

import moderngl

from gpuparticles.draw.filters import Filter
from gpuparticles.effect.mistakes import show
from gpuparticles.effect.values import RGBA, rgba
from gpuparticles.errors import ContextError, EffectError
from gpuparticles.gpu.depth import DepthCopy
from gpuparticles.gpu.guard import Guard
from gpuparticles.gpu.programs import Program, Programs
from gpuparticles.gpu.state import render_target
from gpuparticles.shaders import Pass
from gpuparticles.shaders.compose import compose, fullscreen

__all__ = ["Layer"]

_NOTHING = (ctypes.c_float * 4)()


class Layer:
    """A picture of its own for some effects: what ``ParticleSystem.layer`` returns.

    Its effects are drawn where the first of them comes in the drawing order, one after the other,
    into a transparent picture as large as the viewport, in half floats; that goes through the
    filters and is laid over the host's. They are tested against a copy of the host's depth, of
    several samples against one. Without filters it looks as if they were drawn directly.

    Attributes:
        filters: What it goes through, in order; may be set.
    """

    def __init__(
        self,
        ctx: moderngl.Context,
        guard: Guard,
        filters: Iterable[Filter],
        tint: Iterable[float],
        opacity: float,
    ) -> None:
        self._ctx = ctx
        self._guard = guard
        self._programs = Programs.of(ctx)
        self._held: dict[Pass, Program] = {}
        self._depth = DepthCopy(guard)
        self._textures: list[moderngl.Texture] = []
        self._targets: list[moderngl.Framebuffer] = []
        self._attached = 0
        self.released = False
        self.filters = filters
        self.tint = tint
        self.opacity = opacity

    @property
    def filters(self) -> tuple[Filter, ...]:
        """What it goes through, in order.

        Raises:
            EffectError: Set to something else than filters.
        """
        return self._filters

    @filters.setter
    def filters(self, filters: Iterable[Filter]) -> None:
        found = tuple(filters) if isinstance(filters, Iterable) else None
        if found is None or not all(callable(getattr(each, "passes", None)) for each in found):
            raise EffectError(f"layer: filters: {show(filters)} are no filters")
        self._filters = found

    @property
    def tint(self) -> RGBA:
        """What its colours are multiplied by, straight RGBA.

        Raises:
            EffectError: Set to something else.
        """
        return self._tint

    @tint.setter
    def tint(self, tint: Iterable[float]) -> None:
        self._tint = rgba(tint, "layer: tint")

    @property
    def opacity(self) -> float:
        """How much of it is seen, 0 to 1.

        Raises:
            EffectError: Set to something else.
        """
        return self._opacity

    @opacity.setter
    def opacity(self, opacity: float) -> None:
        number = isinstance(opacity, (int, float)) and not isinstance(opacity, bool)
        if not number or not 0.0 <= opacity <= 1.0:
            raise EffectError(f"layer: opacity: {show(opacity)} is not a number from 0 to 1")
        self._opacity = float(opacity)

    @property
    def nbytes(self) -> int:
        """GPU memory."""
        return self._depth.nbytes + sum(8 * t.width * t.height for t in self._textures)

    def release(self) -> None:
        """Free the GL objects; effects that are in it are drawn directly then. Safe twice."""
        self.released = True
        if self._guard.lost:
            return
        with self._guard:
            self._guard.simulate()
            self._free()
            self._depth.release()
            while self._held:
                self._programs.release(self._held.popitem()[1])

    def draw(self, depth: str | None, draw: Callable[[], None]) -> None:
        """Draw its effects and lay them over the picture; inside the guard, while drawing.

        Args:
            depth: How is tested, as for Guard.draw.
            draw: Draws the effects.
        """
        guard, gl = self._guard, self._guard.gl
        box = guard.box
        guard.simulate()
        tested = depth is not None and self._depth.reserve(guard.framebuffer, box)
        self._reserve((max(box[2], 1), max(box[3], 1)), self._depth.texture if tested else 0)
        width, height = self._textures[0].size
        guard.target(self._targets[0].glo, width, height)
        gl.ClearBufferfv(gl.COLOR, 0, _NOTHING)
        if tested:
            self._depth.take(guard.framebuffer, box)
        guard.canvas(self._targets[0].glo)
        try:
            guard.draw(depth if tested else None)
            draw()
        finally:
            guard.canvas(0)
        guard.simulate()
        guard.reach(2)
        current = self._filter(box)
        guard.draw(None)
        program = self._program(_composite())
        r, g, b, a = self._tint
        over = a * self._opacity
        program.write("u_layer_tint", struct.pack("<4f", r * over, g * over, b * over, over))
        self._textures[current].use(0)
        program.vertex_array.render(moderngl.TRIANGLES, 3)
        guard.draw(depth)

    def _filter(self, box: tuple[int, int, int, int]) -> int:
        """Run the filters; returns which texture holds the result."""
        current, kept = 0, -1
        width, height = self._textures[0].size
        for each in self._filters:
            for step in each.passes((box[0], box[1])):
                program = self._program(step.text)
                for name, value in step.uniforms.items():
                    program.write(name, value)
                if step.keeps:
                    kept = current
                target = next(i for i in range(3) if i not in (current, kept))
                self._guard.target(self._targets[target].glo, width, height)
                self._textures[current].use(0)
                if step.takes:
                    self._textures[kept].use(1)
                    kept = -1
                program.vertex_array.render(moderngl.TRIANGLES, 3)
                current = target
        return current

    def _program(self, text: Pass) -> Program:
        program = self._held.get(text)
        if program is None:
            program = self._held[text] = self._programs.acquire(text)
        return program

    def _reserve(self, size: tuple[int, int], depth: int) -> None:
        count = 3 if self._filters else 1  # what is read, what is written, what is wanted again
        if self._textures:
            width, height = self._textures[0].size
            size = max(size[0], width), max(size[1], height)
            fits = self._textures[0].size == size and len(self._textures) >= count
            if fits and self._attached == depth:
                return
        self._free()
        gl = self._guard.gl
        for _ in range(count):
            texture = self._ctx.texture(size, 4, dtype="f2")
            texture.filter = (moderngl.NEAREST, moderngl.NEAREST)
            self._textures.append(texture)
            self._targets.append(render_target(self._ctx, gl, [texture]))
        if depth:
            gl.BindFramebuffer(gl.DRAW_FRAMEBUFFER, self._targets[0].glo)
            place = self._depth.attachment
            gl.FramebufferTexture2D(gl.DRAW_FRAMEBUFFER, place, gl.TEXTURE_2D, depth, 0)
        self._attached = depth

    def _free(self) -> None:
        while self._targets:
            self._targets.pop().release()
            self._textures.pop().release()

    def check(self, ctx: moderngl.Context) -> None:
        """Whether effects of a system may be in it.

        Raises:
            ContextError: It belongs to another context, or has been released.
        """
        if self._ctx is not ctx:
            raise ContextError("layer: it belongs to another context")
        if self.released:
            raise ContextError("layer: it has been released")


@cache
def _composite() -> Pass:
    return fullscreen(), compose("passes/layer.frag", {})
