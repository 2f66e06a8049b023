"""What the host has bound to be drawn into, and what of that cannot be."""

from __future__ import annotations

import ctypes

from gpuparticles.errors import ContextError
from gpuparticles.gpu.copies import ask
from gpuparticles.gpu.gl import GL

__all__ = ["check_target"]

_FAULTS = {
    0x8CD6: "an attachment has no size, or cannot be drawn into",
    0x8CD7: "nothing is attached to it",
    0x8CDB: "one of its draw buffers has no attachment",
    0x8CDC: "its read buffer has no attachment",
    0x8CDD: "the driver does not take these formats together",
    0x8D56: "its attachments differ in samples",
    0x8DA8: "only some of its attachments are layered",
}
_UNDEFINED = 0x8219


def check_target(gl: GL, framebuffer: int, call: str, *, color: bool) -> None:
    """See that what is to be drawn into can be, before anything is done. Binds it for drawing.

    OpenGL would draw nothing and leave an error of which nobody hears, or, into integers, draw
    anything.

    Args:
        gl: OpenGL.
        framebuffer: The name of the host's.
        call: Names the call in errors.
        color: Whether its colours are wanted, or its depth.

    Raises:
        ContextError: It is incomplete; its first draw buffer is none, or of integers; or it has no
            depth, where that is wanted.
    """
    gl.BindFramebuffer(gl.DRAW_FRAMEBUFFER, framebuffer)
    status = gl.CheckFramebufferStatus(gl.DRAW_FRAMEBUFFER)
    if status == _UNDEFINED:
        raise ContextError(f"{call}: this context has no default framebuffer; bind one of your own")
    if status != gl.FRAMEBUFFER_COMPLETE:
        why = _FAULTS.get(status, f"OpenGL's status is 0x{status:04X}")
        raise ContextError(f"{call}: the bound framebuffer is incomplete: {why}")
    kind = gl.FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE
    if not color:
        if ask(gl, gl.DEPTH_ATTACHMENT if framebuffer else gl.DEPTH, kind) == gl.NONE:
            raise ContextError(f"{call}: the bound framebuffer has no depth to draw into")
        return
    gl.GetIntegerv(gl.DRAW_BUFFER0, _answer)
    first = _answer[0]
    if first == gl.NONE or (framebuffer and ask(gl, first, kind) == gl.NONE):
        raise ContextError(
            f"{call}: the first draw buffer of the bound framebuffer is none; choose a colour, or "
            f"draw its depth alone with draw_depth"
        )
    numbers = gl.FRAMEBUFFER_ATTACHMENT_COMPONENT_TYPE
    if framebuffer and ask(gl, first, numbers) in (gl.INT, gl.UNSIGNED_INT):
        raise ContextError(
            f"{call}: the first draw buffer of the bound framebuffer holds integers, into which "
            f"nothing can be blended"
        )


_answer = (ctypes.c_int * 1)()
