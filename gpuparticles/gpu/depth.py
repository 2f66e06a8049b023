"""The depth of the host's scene, for shaders to look at."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager

import moderngl

from gpuparticles.errors import ContextError
from gpuparticles.gpu.copies import DepthCopy, ask
from gpuparticles.gpu.gl import GL
from gpuparticles.gpu.guard import Guard
from gpuparticles.gpu.programs import UNITS

__all__ = ["SceneDepth", "check_depth"]

_UNIT = UNITS["u_scene_depth"]


def check_depth(ctx: moderngl.Context, depth: object) -> None:
    """Refuse what is no picture of depths.

    Args:
        ctx: The context that it is to be used in.
        depth: A depth texture, or one of a single 32-bit float.

    Raises:
        ContextError: It has been released, or belongs to another context.
        ValueError: It is something else.
    """
    if isinstance(getattr(depth, "mglo", None), moderngl.InvalidObject):
        raise ContextError("depth: the texture has been released")
    kinds = moderngl.Texture
    if (
        not isinstance(depth, kinds)
        or depth.samples
        or not (depth.depth or (depth.components == 1 and depth.dtype == "f4"))
    ):
        raise ValueError(
            f"depth: {depth!r} is not a depth texture, nor one of a single 32-bit float a pixel"
        )
    if depth.ctx is not ctx:
        raise ContextError("depth: the texture belongs to another OpenGL context")


class SceneDepth:
    """The depth of what has been drawn, as the host gives it to a draw.

    Args:
        ctx: The context.
        guard: Its guard.
    """

    def __init__(self, ctx: moderngl.Context, guard: Guard) -> None:
        self._ctx = ctx
        self._guard = guard
        self._copy = DepthCopy(guard)
        self._sampler: moderngl.Sampler | None = None

    @property
    def nbytes(self) -> int:
        """GPU memory of the copy, if there is one."""
        return self._copy.nbytes

    def take(self, depth: moderngl.Texture | bool) -> int:
        """Make sure that shaders can look at it; inside the guard, before the mode is chosen.

        Args:
            depth: The host's texture, which has passed `check_depth`; or True for the depth of the
                bound framebuffer. What is attached to that is copied: OpenGL does not let shaders
                look at what they draw on.

        Returns:
            OpenGL's name of the texture to look at.

        Raises:
            ContextError: The bound framebuffer has no depth that can be copied.
            ValueError: The texture is smaller than the viewport.
        """
        guard, gl = self._guard, self._guard.gl
        box = guard.box
        bound = guard.framebuffer
        gl.BindFramebuffer(gl.DRAW_FRAMEBUFFER, bound)
        if isinstance(depth, bool):
            if not bound:
                raise ContextError(
                    "depth: the default framebuffer's cannot be taken; give a texture, or draw "
                    "into a framebuffer of your own"
                )
            gl.GetIntegerv(gl.SAMPLES, _answer)
            if _answer[0]:
                raise ContextError(
                    "depth: a multisampled framebuffer's cannot be taken; resolve it to a texture "
                    "and give that"
                )
            guard.simulate()
            if not self._copy.reserve(bound, box):
                raise ContextError("depth: the bound framebuffer has none to take")
            self._copy.take(bound, box)
            return self._copy.texture
        if box[2] > depth.width or box[3] > depth.height:
            raise ValueError(
                f"depth: the texture is {depth.width} by {depth.height} pixels, but the viewport "
                f"reaches to {box[2]} by {box[3]}"
            )
        name = int(depth.glo)
        places = [gl.DEPTH_ATTACHMENT, *(gl.COLOR_ATTACHMENT0 + n for n in range(8))]
        if not bound or all(_attached(gl, place) != name for place in places):
            return name
        guard.simulate()
        if depth.depth and self._copy.reserve(bound, box):
            self._copy.take(bound, box)
        else:
            self._copy.take_color(name, box)
        return self._copy.texture

    @contextmanager
    def bound(self, texture: int) -> Iterator[None]:
        """Let shaders look at a texture, whatever filter or comparison the host has set for it."""
        gl = self._guard.gl
        if self._sampler is None:
            nearest = (moderngl.NEAREST, moderngl.NEAREST)
            self._sampler = self._ctx.sampler(repeat_x=False, repeat_y=False, filter=nearest)
        gl.ActiveTexture(gl.TEXTURE0 + _UNIT)
        gl.BindTexture(gl.TEXTURE_2D, texture)
        self._sampler.use(_UNIT)
        try:
            yield
        finally:
            gl.BindSampler(_UNIT, 0)

    def release(self) -> None:
        """Free the GL objects."""
        self._copy.release()
        if self._sampler is not None:
            self._sampler.release()
            self._sampler = None


_answer = (ctypes.c_int * 1)()


def _attached(gl: GL, attachment: int) -> int:
    """The texture that is attached there; 0 for none."""
    kind = ask(gl, attachment, gl.FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE)
    return ask(gl, attachment, gl.FRAMEBUFFER_ATTACHMENT_OBJECT_NAME) if kind == gl.TEXTURE else 0
