"""Order-independent blending: particles are weighed and added up, then laid over the picture."""

from __future__ import annotations

import ctypes

import moderngl

from gpuparticles.draw.sprites import View
from gpuparticles.gpu.copies import DepthCopy
from gpuparticles.gpu.guard import Guard
from gpuparticles.gpu.programs import UNITS, Program, Programs
from gpuparticles.gpu.state import render_target
from gpuparticles.playback.place import Vec3
from gpuparticles.shaders import composite

__all__ = ["Weighted"]


class Weighted:
    """Two targets as large as the picture, in which what is weighed adds up.

    Weighted blended order-independent transparency by McGuire and Bavoil (2013). Emitters that
    follow each other share the targets. They are tested against a copy of
    the depth of the host's framebuffer, since what is attached to the default one, or has several
    samples, cannot be attached to ours; of several samples one counts.

    Methods want to be called inside the guard.

    Args:
        ctx: The context.
        guard: Its guard.
    """

    def __init__(self, ctx: moderngl.Context, guard: Guard) -> None:
        self._ctx = ctx
        self._guard = guard
        self._depth = DepthCopy(guard)
        self._tested = False
        self._view: View | None = None  # while weighing
        self._targets: list[moderngl.Texture] = []
        self._framebuffer: moderngl.Framebuffer | None = None
        self._attached = 0  # the depth, by name
        self._programs = Programs.of(ctx)
        self._composite: Program | None = None

    @property
    def nbytes(self) -> int:
        """GPU memory of the targets and the depth."""
        return self._depth.nbytes + sum(
            2 * t.components * t.width * t.height for t in self._targets
        )

    def reserve(self, *, tested: bool) -> None:
        """Have targets for the host's viewport, before the mode of drawing is chosen.

        Args:
            tested: Whether particles are tested against the host's depth.

        Raises:
            ContextError: That has a format that is not known.
        """
        guard, gl = self._guard, self._guard.gl
        box = guard.box
        self._view = None
        self._tested = tested and self._depth.reserve(guard.framebuffer, box)
        if self._composite is None:
            self._composite = self._programs.acquire(composite())
        size = max(box[2], 1), max(box[3], 1)
        if self._targets:
            width, height = self._targets[0].size
            size = max(size[0], width), max(size[1], height)
        depth = self._depth.texture if self._tested else 0
        if self._targets and self._targets[0].size == size and self._attached == depth:
            return
        guard.simulate()
        self._free()
        for components in (4, 1):
            texture = self._ctx.texture(size, components, dtype="f2")
            texture.filter = (moderngl.NEAREST, moderngl.NEAREST)
            self._targets.append(texture)
        self._framebuffer = render_target(self._ctx, gl, self._targets)
        if depth:
            place = self._depth.attachment
            gl.FramebufferTexture2D(gl.DRAW_FRAMEBUFFER, place, gl.TEXTURE_2D, depth, 0)
        self._attached = depth

    def choose(self, view: View, place: Vec3, weighed: bool) -> View:
        """Weigh what is drawn next, or do not: to choose what is chosen already costs nothing.

        Args:
            view: The camera.
            place: Where the particles are, about: at this distance the weight is 1.
            weighed: Whether they are weighed.

        Returns:
            The camera to draw them with.
        """
        if not weighed:
            self.end()
            return view
        if self._view is None:
            guard, gl = self._guard, self._guard.gl
            assert self._framebuffer is not None
            guard.weigh(view.depth if self._tested else None)
            if self._tested:
                self._depth.take(guard.framebuffer, guard.box)
            gl.BindFramebuffer(gl.FRAMEBUFFER, self._framebuffer.glo)
            for number in range(2):
                gl.ClearBufferfv(gl.COLOR, number, _NOTHING)
            self._view = view.weighing(place)
        return self._view

    def end(self) -> None:
        """Lay what has been weighed over the picture, and draw on as before."""
        view, self._view = self._view, None
        if view is None:
            return
        assert self._composite is not None
        self._guard.draw(None)
        for name, texture in zip(("u_weighed", "u_cover"), self._targets, strict=True):
            texture.use(UNITS[name])
        self._composite.vertex_array.render(moderngl.TRIANGLES, 3)
        self._guard.draw(view.depth)

    def release(self) -> None:
        """Free the GL objects and give the program back."""
        self._free()
        self._depth.release()
        if self._composite is not None:
            self._programs.release(self._composite)
            self._composite = None

    def _free(self) -> None:
        if self._framebuffer is not None:
            self._framebuffer.release()
            self._framebuffer = None
        while self._targets:
            self._targets.pop().release()


_NOTHING = (ctypes.c_float * 4)()
