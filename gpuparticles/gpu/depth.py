"""The depth of the host's scene, for shaders to look at."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager

import moderngl

from gpuparticles.errors import ContextError
from gpuparticles.gpu.gl import GL
from gpuparticles.gpu.guard import Guard
from gpuparticles.gpu.programs import UNITS

__all__ = ["DepthCopy", "SceneDepth", "check_depth"]

_UNIT = UNITS["u_scene_depth"]

# Of a texture: internal format, format, type, bytes a texel. By the bits of a framebuffer's depth,
# whether they are a float's, and whether stencil lies beside them: what is copied must agree.
_FORMATS = {
    (16, False, False): (0x81A5, 0x1902, 0x1405, 2),
    (24, False, False): (0x81A6, 0x1902, 0x1405, 4),
    (32, False, False): (0x81A7, 0x1902, 0x1405, 4),
    (32, True, False): (0x8CAC, 0x1902, 0x1406, 4),
    (24, False, True): (0x88F0, 0x84F9, 0x84FA, 4),
    (32, True, True): (0x8CAD, 0x84F9, 0x8DAD, 8),
}
_COLOR = (0x822E, 0x1903, 0x1406, 4)  # R32F


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


class DepthCopy:
    """A copy of the depth of a framebuffer, in a texture of ours; it grows as it has to.

    Methods want to be called inside the guard, where any framebuffers may be bound.

    Args:
        guard: The guard.

    Attributes:
        texture: OpenGL's name of the texture; 0 at first.
        size: Its width and height.
        stencil: Whether its texels have stencil too.
    """

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self._gl = guard.gl
        self.texture = 0
        self.size = (0, 0)
        self.stencil = False
        self._format = _COLOR
        self._framebuffer = 0

    @property
    def nbytes(self) -> int:
        """GPU memory of the texture."""
        return self.size[0] * self.size[1] * self._format[3]

    def reserve(self, framebuffer: int, box: tuple[int, int, int, int]) -> bool:
        """Have a texture that the depth of a framebuffer can be copied to; made while simulating.

        Args:
            framebuffer: The framebuffer.
            box: Left, bottom, right, top of the pixels that matter.

        Returns:
            Whether the framebuffer has a depth.

        Raises:
            ContextError: It has one in a format that is not known.
        """
        gl = self._gl
        gl.BindFramebuffer(gl.DRAW_FRAMEBUFFER, framebuffer)
        form = _format_of(gl, framebuffer)
        if form is not None:
            self._make(form, box)
        return form is not None

    def take(self, framebuffer: int, box: tuple[int, int, int, int]) -> None:
        """Copy pixels of a framebuffer's depth, to where they are there.

        Args:
            framebuffer: The framebuffer.
            box: As for `reserve`, which has been called.
        """
        self._blit(framebuffer, box, self._gl.DEPTH_BUFFER_BIT)

    def take_color(self, texture: int, box: tuple[int, int, int, int]) -> None:
        """Copy pixels of a texture of single floats.

        Args:
            texture: OpenGL's name of it.
            box: As for `reserve`, which need not be called.
        """
        gl = self._gl
        self._make(_COLOR, box)
        name = (ctypes.c_int * 1)()
        gl.GenFramebuffers(1, name)
        gl.BindFramebuffer(gl.READ_FRAMEBUFFER, name[0])
        target = gl.READ_FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D
        gl.FramebufferTexture2D(*target, texture, 0)
        self._blit(name[0], box, gl.COLOR_BUFFER_BIT)
        gl.DeleteFramebuffers(1, name)

    def release(self) -> None:
        """Free the GL objects."""
        if self.texture:
            self._gl.DeleteFramebuffers(1, (ctypes.c_int * 1)(self._framebuffer))
            self._gl.DeleteTextures(1, (ctypes.c_int * 1)(self.texture))
        self.texture = self._framebuffer = 0
        self.size = (0, 0)

    def _make(self, form: tuple[int, int, int, int], box: tuple[int, int, int, int]) -> None:
        width, height = max(box[2], self.size[0]), max(box[3], self.size[1])
        if self.texture and self._format == form and self.size == (width, height):
            return
        self._guard.simulate()
        self.release()
        gl = self._gl
        self.size = (width, height)
        self._format = form
        self.stencil = form[1] == gl.DEPTH_STENCIL
        name = (ctypes.c_int * 1)()
        gl.GenTextures(1, name)
        self.texture = name[0]
        gl.ActiveTexture(gl.TEXTURE0 + _UNIT)
        gl.BindTexture(gl.TEXTURE_2D, self.texture)
        internal, external, kind, _ = form
        gl.TexImage2D(gl.TEXTURE_2D, 0, internal, width, height, 0, external, kind, None)
        gl.TexParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAX_LEVEL, 0)
        gl.GenFramebuffers(1, name)
        self._framebuffer = name[0]
        gl.BindFramebuffer(gl.FRAMEBUFFER, self._framebuffer)
        if form is _COLOR:
            attachment = gl.COLOR_ATTACHMENT0
        else:
            attachment = self.attachment
            gl.DrawBuffers(1, (ctypes.c_int * 1)(gl.NONE))
            gl.ReadBuffer(gl.NONE)
        gl.FramebufferTexture2D(gl.FRAMEBUFFER, attachment, gl.TEXTURE_2D, self.texture, 0)

    @property
    def attachment(self) -> int:
        """What the texture is attached to a framebuffer as."""
        gl = self._gl
        return gl.DEPTH_STENCIL_ATTACHMENT if self.stencil else gl.DEPTH_ATTACHMENT

    def _blit(self, framebuffer: int, box: tuple[int, int, int, int], what: int) -> None:
        gl = self._gl
        gl.BindFramebuffer(gl.READ_FRAMEBUFFER, framebuffer)
        gl.BindFramebuffer(gl.DRAW_FRAMEBUFFER, self._framebuffer)
        gl.BlitFramebuffer(*box, *box, what, gl.NEAREST)


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


def _ask(gl: GL, attachment: int, what: int) -> int:
    """Ask about an attachment of the framebuffer that is bound for drawing."""
    gl.GetFramebufferAttachmentParameteriv(gl.DRAW_FRAMEBUFFER, attachment, what, _answer)
    return _answer[0]


def _attached(gl: GL, attachment: int) -> int:
    """The texture that is attached there; 0 for none."""
    kind = _ask(gl, attachment, gl.FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE)
    return _ask(gl, attachment, gl.FRAMEBUFFER_ATTACHMENT_OBJECT_NAME) if kind == gl.TEXTURE else 0


def _format_of(gl: GL, framebuffer: int) -> tuple[int, int, int, int] | None:
    """The format of the depth of the framebuffer that is bound for drawing, if it has one."""
    depth, stencil = gl.DEPTH_ATTACHMENT, gl.STENCIL_ATTACHMENT
    if not framebuffer:
        depth, stencil = gl.DEPTH, gl.STENCIL
    kind = gl.FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE
    if _ask(gl, depth, kind) == gl.NONE:
        return None
    bits = _ask(gl, depth, gl.FRAMEBUFFER_ATTACHMENT_DEPTH_SIZE)
    is_float = _ask(gl, depth, gl.FRAMEBUFFER_ATTACHMENT_COMPONENT_TYPE) == gl.FLOAT
    both = _ask(gl, stencil, kind) != gl.NONE
    if both and framebuffer:
        name = gl.FRAMEBUFFER_ATTACHMENT_OBJECT_NAME
        both = _ask(gl, depth, name) == _ask(gl, stencil, name)
    elif both:
        both = _ask(gl, stencil, gl.FRAMEBUFFER_ATTACHMENT_STENCIL_SIZE) > 0
    form = _FORMATS.get((bits, is_float, both))
    if form is None:
        raise ContextError(f"the bound framebuffer's depth of {bits} bits cannot be copied")
    return form
