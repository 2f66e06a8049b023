"""Copies of what the host's framebuffer holds, for shaders, which cannot look at that itself."""

from __future__ import annotations

import ctypes
from typing import NamedTuple

from gpuparticles.errors import ContextError
from gpuparticles.gpu.gl import GL
from gpuparticles.gpu.guard import Guard
from gpuparticles.gpu.programs import UNITS

__all__ = ["ColorCopy", "DepthCopy", "ask"]


class _Form(NamedTuple):
    """How OpenGL makes a texture.

    Args:
        internal: Its format.
        external: The format in which texels would be given.
        kind: And their type.
        nbytes: Bytes a texel.
    """

    internal: int
    external: int
    kind: int
    nbytes: int


# By the bits of a framebuffer's depth, whether they are a float's, and whether stencil lies beside
# them: what is copied must agree.
_DEPTHS = {
    (16, False, False): _Form(0x81A5, GL.DEPTH_COMPONENT, GL.UNSIGNED_INT, 2),
    (24, False, False): _Form(0x81A6, GL.DEPTH_COMPONENT, GL.UNSIGNED_INT, 4),
    (32, False, False): _Form(0x81A7, GL.DEPTH_COMPONENT, GL.UNSIGNED_INT, 4),
    (32, True, False): _Form(0x8CAC, GL.DEPTH_COMPONENT, GL.FLOAT, 4),
    (24, False, True): _Form(0x88F0, GL.DEPTH_STENCIL, 0x84FA, 4),
    (32, True, True): _Form(0x8CAD, GL.DEPTH_STENCIL, 0x8DAD, 8),
}
_SINGLE = _Form(0x822E, GL.RED, GL.FLOAT, 4)  # R32F

_SRGB8 = _Form(0x8C43, GL.RGBA, GL.UNSIGNED_BYTE, 4)
_UNORM8 = _Form(0x8058, GL.RGBA, GL.UNSIGNED_BYTE, 4)
_UNORM16 = _Form(0x805B, GL.RGBA, GL.FLOAT, 8)
_FLOAT16 = _Form(0x881A, GL.RGBA, GL.FLOAT, 8)
_FLOAT32 = _Form(0x8814, GL.RGBA, GL.FLOAT, 16)


class _Copy:
    """A texture of ours that pixels are copied to, to where they are there; it grows as it has to.

    Methods want to be called inside the guard, where any framebuffers may be bound.

    Args:
        guard: The guard.
        unit: The texture unit on which it is made.

    Attributes:
        texture: OpenGL's name of the texture; 0 at first.
        size: Its width and height.
    """

    def __init__(self, guard: Guard, unit: int) -> None:
        self._guard = guard
        self._gl = guard.gl
        self._unit = unit
        self.texture = 0
        self.size = (0, 0)
        self._form = _SINGLE
        self._framebuffer = 0

    @property
    def nbytes(self) -> int:
        """GPU memory of the texture."""
        return self.size[0] * self.size[1] * self._form.nbytes

    def release(self) -> None:
        """Free the GL objects."""
        if self.texture:
            self._gl.DeleteFramebuffers(1, (ctypes.c_int * 1)(self._framebuffer))
            self._gl.DeleteTextures(1, (ctypes.c_int * 1)(self.texture))
        self.texture = self._framebuffer = 0
        self.size = (0, 0)

    def _make(self, form: _Form, box: tuple[int, int, int, int], attachment: int) -> None:
        width, height = max(box[2], self.size[0]), max(box[3], self.size[1])
        if self.texture and self._form == form and self.size == (width, height):
            return
        self._guard.simulate()
        self.release()
        gl = self._gl
        self.size = (width, height)
        self._form = form
        name = (ctypes.c_int * 1)()
        gl.GenTextures(1, name)
        self.texture = name[0]
        gl.ActiveTexture(gl.TEXTURE0 + self._unit)
        gl.BindTexture(gl.TEXTURE_2D, self.texture)
        gl.TexImage2D(
            gl.TEXTURE_2D, 0, form.internal, width, height, 0, form.external, form.kind, None
        )
        gl.TexParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAX_LEVEL, 0)
        gl.GenFramebuffers(1, name)
        self._framebuffer = name[0]
        gl.BindFramebuffer(gl.FRAMEBUFFER, self._framebuffer)
        if attachment != gl.COLOR_ATTACHMENT0:
            gl.DrawBuffers(1, (ctypes.c_int * 1)(gl.NONE))
            gl.ReadBuffer(gl.NONE)
        gl.FramebufferTexture2D(gl.FRAMEBUFFER, attachment, gl.TEXTURE_2D, self.texture, 0)

    def _blit(self, framebuffer: int, box: tuple[int, int, int, int], what: int) -> None:
        gl = self._gl
        gl.BindFramebuffer(gl.READ_FRAMEBUFFER, framebuffer)
        gl.BindFramebuffer(gl.DRAW_FRAMEBUFFER, self._framebuffer)
        gl.BlitFramebuffer(*box, *box, what, gl.NEAREST)


class DepthCopy(_Copy):
    """A copy of the depth of a framebuffer.

    Args:
        guard: The guard.
    """

    def __init__(self, guard: Guard) -> None:
        super().__init__(guard, UNITS["u_scene_depth"])

    @property
    def attachment(self) -> int:
        """What the texture is attached to a framebuffer as."""
        gl = self._gl
        stencil = self._form.external == gl.DEPTH_STENCIL
        return gl.DEPTH_STENCIL_ATTACHMENT if stencil else gl.DEPTH_ATTACHMENT

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
        form = _depth_of(gl, framebuffer)
        if form is not None:
            stencil = form.external == gl.DEPTH_STENCIL
            self._make(form, box, gl.DEPTH_STENCIL_ATTACHMENT if stencil else gl.DEPTH_ATTACHMENT)
        return form is not None

    def take(self, framebuffer: int, box: tuple[int, int, int, int]) -> None:
        """Copy pixels of a framebuffer's depth.

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
        self._make(_SINGLE, box, gl.COLOR_ATTACHMENT0)
        name = (ctypes.c_int * 1)()
        gl.GenFramebuffers(1, name)
        gl.BindFramebuffer(gl.READ_FRAMEBUFFER, name[0])
        target = gl.READ_FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D
        gl.FramebufferTexture2D(*target, texture, 0)
        self._blit(name[0], box, gl.COLOR_BUFFER_BIT)
        gl.DeleteFramebuffers(1, name)


class ColorCopy(_Copy):
    """A copy of the colours of a framebuffer's first draw buffer; of several samples their mean.

    Args:
        guard: The guard.

    Attributes:
        encode: Whether shaders that look at it get linear colours, while what they write is taken
            for sRGB as it is.
    """

    def __init__(self, guard: Guard) -> None:
        super().__init__(guard, UNITS["u_scene"])
        self.encode = False

    def take(self, framebuffer: int, box: tuple[int, int, int, int]) -> bool:
        """Copy pixels; while simulating.

        Args:
            framebuffer: The framebuffer.
            box: Left, bottom, right, top of the pixels that matter.

        Returns:
            Whether there are colours.

        Raises:
            ContextError: They are integers.
        """
        gl = self._gl
        gl.BindFramebuffer(gl.DRAW_FRAMEBUFFER, framebuffer)
        gl.GetIntegerv(gl.DRAW_BUFFER0, _answer)
        source = _answer[0]
        form = None if source == gl.NONE else _color_of(gl, source)
        if form is None:
            return False
        self._make(form, box, gl.COLOR_ATTACHMENT0)
        # What a framebuffer is read from belongs to it, and so to the host.
        gl.BindFramebuffer(gl.READ_FRAMEBUFFER, framebuffer)
        gl.GetIntegerv(gl.READ_BUFFER, _answer)
        usual = _answer[0]
        gl.ReadBuffer(source)
        # From sRGB to sRGB it is certain what is copied only while both are taken for that.
        gl.GetIntegerv(gl.FRAMEBUFFER_SRGB, _answer)
        self.encode = form is _SRGB8 and not _answer[0]
        if self.encode:
            gl.Enable(gl.FRAMEBUFFER_SRGB)
        self._blit(framebuffer, box, gl.COLOR_BUFFER_BIT)
        if self.encode:
            gl.Disable(gl.FRAMEBUFFER_SRGB)
        gl.ReadBuffer(usual)
        return True


_answer = (ctypes.c_int * 1)()


def ask(gl: GL, attachment: int, what: int) -> int:
    """Ask about an attachment of the framebuffer that is bound for drawing."""
    gl.GetFramebufferAttachmentParameteriv(gl.DRAW_FRAMEBUFFER, attachment, what, _answer)
    return _answer[0]


def _depth_of(gl: GL, framebuffer: int) -> _Form | None:
    """The format of the depth of the framebuffer that is bound for drawing, if it has one."""
    depth, stencil = gl.DEPTH_ATTACHMENT, gl.STENCIL_ATTACHMENT
    if not framebuffer:
        depth, stencil = gl.DEPTH, gl.STENCIL
    kind = gl.FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE
    if ask(gl, depth, kind) == gl.NONE:
        return None
    bits = ask(gl, depth, gl.FRAMEBUFFER_ATTACHMENT_DEPTH_SIZE)
    is_float = ask(gl, depth, gl.FRAMEBUFFER_ATTACHMENT_COMPONENT_TYPE) == gl.FLOAT
    both = ask(gl, stencil, kind) != gl.NONE
    if both and framebuffer:
        name = gl.FRAMEBUFFER_ATTACHMENT_OBJECT_NAME
        both = ask(gl, depth, name) == ask(gl, stencil, name)
    elif both:
        both = ask(gl, stencil, gl.FRAMEBUFFER_ATTACHMENT_STENCIL_SIZE) > 0
    form = _DEPTHS.get((bits, is_float, both))
    if form is None:
        raise ContextError(f"the bound framebuffer's depth of {bits} bits cannot be copied")
    return form


def _color_of(gl: GL, source: int) -> _Form | None:
    """What holds the colours of a draw buffer of the bound framebuffer, if it has any."""
    attachment = gl.BACK_LEFT if source == gl.BACK else source
    if ask(gl, attachment, gl.FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE) == gl.NONE:
        return None
    kind = ask(gl, attachment, gl.FRAMEBUFFER_ATTACHMENT_COMPONENT_TYPE)
    if kind in (gl.INT, gl.UNSIGNED_INT):
        raise ContextError("the bound framebuffer has colours of integers, which cannot be copied")
    bits = ask(gl, attachment, gl.FRAMEBUFFER_ATTACHMENT_RED_SIZE)
    if kind == gl.FLOAT:
        return _FLOAT32 if bits > 16 else _FLOAT16
    if ask(gl, attachment, gl.FRAMEBUFFER_ATTACHMENT_COLOR_ENCODING) == gl.SRGB:
        return _SRGB8
    return _UNORM16 if bits > 8 else _UNORM8
