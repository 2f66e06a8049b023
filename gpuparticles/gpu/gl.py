"""The few raw OpenGL entry points and enums that moderngl does not offer.

moderngl creates the objects and draws; saving, setting and restoring state needs OpenGL itself.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import moderngl

from gpuparticles.errors import ContextError

TEXTURE_UNITS = 10
"""The engine binds GL_TEXTURE_2D on units 0..9."""

MOST_UNITS = 15
"""And up to 14 for the few emitters whose process keeps so much; every driver has 16."""

UNIFORM_BINDINGS = 1
"""The engine binds uniform buffers at point 0 alone."""

DRAW_BUFFERS = 6
"""Most of the engine's framebuffers have at most so many colour attachments."""

MOST_DRAW_BUFFERS = 8
"""And those of the few emitters whose process keeps so much; every driver has them."""

# Name -> arguments > result. i: any 32-bit integer, enum, name or boolean; p: a ctypes array;
# l: a pointer-sized offset, size or object; q: a 64-bit integer; b: a boolean result.
_CORE = {
    "ActiveTexture": "i",
    "BindBuffer": "ii",
    "BindBufferBase": "iii",
    "BindBufferRange": "iiill",
    "BindFramebuffer": "ii",
    "BindSampler": "ii",
    "BindTexture": "ii",
    "BindVertexArray": "i",
    "BlendEquationSeparate": "ii",
    "BlendFuncSeparate": "iiii",
    "BlitFramebuffer": "iiiiiiiiii",
    "CheckFramebufferStatus": "i>i",
    "ClampColor": "ii",
    "ClearBufferfv": "iip",
    "ClientWaitSync": "liq>i",
    "ColorMaski": "iiiii",
    "CompileShader": "i",
    "CreateShader": "i>i",
    "DepthFunc": "i",
    "DeleteFramebuffers": "ip",
    "DeleteShader": "i",
    "DeleteSync": "l",
    "DeleteTextures": "ip",
    "DepthMask": "i",
    "Disable": "i",
    "Disablei": "ii",
    "DrawBuffers": "ip",
    "Enable": "i",
    "Enablei": "ii",
    "FenceSync": "ii>l",
    "FramebufferTexture2D": "iiiii",
    "GenFramebuffers": "ip",
    "GenTextures": "ip",
    "GetBooleani_v": "iip",
    "GetBufferSubData": "illp",
    "GetFloatv": "ip",
    "GetFramebufferAttachmentParameteriv": "iiip",
    "GetInteger64i_v": "iip",
    "GetIntegeri_v": "iip",
    "GetIntegerv": "ip",
    "GetShaderInfoLog": "iipp",
    "GetShaderiv": "iip",
    "IsEnabled": "i>b",
    "IsEnabledi": "ii>b",
    "IsBuffer": "i>b",
    "IsProgram": "i>b",
    "IsTexture": "i>b",
    "IsVertexArray": "i>b",
    "PixelStorei": "ii",
    "PolygonMode": "ii",
    "ReadBuffer": "i",
    "ReadPixels": "iiiiiip",
    "ShaderSource": "iipp",
    "TexImage2D": "iiiiiiiip",
    "TexParameteri": "iii",
    "UseProgram": "i",
    "Viewport": "iiii",
}
# Name -> arguments, and the OpenGL version that brought it.
_LATER = {
    "BlendEquationSeparatei": ("iii", 400),
    "BlendFuncSeparatei": ("iiiii", 400),
    "ViewportIndexedfv": ("ip", 410),
    "ClipControl": ("ii", 450),
}
_TYPES: dict[str, Any] = {
    "": None,
    "b": ctypes.c_ubyte,
    "i": ctypes.c_int,
    "l": ctypes.c_ssize_t,
    "q": ctypes.c_uint64,
    "p": ctypes.c_void_p,
}


NOT_CURRENT = "the OpenGL context is not current on this thread; make it current first"
OTHER_CURRENT = "another OpenGL context is current on this thread; make the particles' own current"


def _query() -> Callable[[], int | None] | None:
    """What tells which context is current, None for none; of the platform's ways the one in use.

    A call takes a tenth of a microsecond. Without one that knows of a context nothing is checked.
    """
    for library, function in _QUERIES.get(sys.platform, ()):
        try:
            query = getattr(ctypes.CDLL(library), function)
        except (OSError, AttributeError):
            continue
        address = ctypes.cast(query, ctypes.c_void_p).value
        found: Callable[[], int | None] = ctypes.PYFUNCTYPE(ctypes.c_void_p)(address or 0)
        if found():
            return found
    return None


_COCOA = "/System/Library/Frameworks/OpenGL.framework/OpenGL"
_QUERIES = {
    "linux": (
        ("libEGL.so.1", "eglGetCurrentContext"),
        ("libGL.so.1", "glXGetCurrentContext"),
        ("libGLX.so.0", "glXGetCurrentContext"),
    ),
    "win32": (("opengl32", "wglGetCurrentContext"),),
    "darwin": ((_COCOA, "CGLGetCurrentContext"),),
}


class GL:
    """Raw OpenGL of one context: ``gl.BindFramebuffer(gl.FRAMEBUFFER, name)``.

    The functions take plain integers, and ctypes arrays where OpenGL takes a pointer. They report
    no errors: OpenGL's error flag belongs to the host.

    Args:
        ctx: A moderngl context, which must be current.

    Attributes:
        current: Tells which context is current, if the platform can be asked.
        own: What it tells while this one is: what it told when this was made.

    Raises:
        ContextError: The context is not current, has been released, or lacks a function that
            OpenGL 3.3 has.
    """

    NONE = 0
    TRIANGLES = 0x0004
    FRONT = 0x0404
    BACK = 0x0405
    BACK_LEFT = 0x0402
    FRONT_AND_BACK = 0x0408
    ONE = 1
    ONE_MINUS_SRC_ALPHA = 0x0303
    LEQUAL = 0x0203
    GEQUAL = 0x0206
    FUNC_ADD = 0x8006
    FILL = 0x1B02
    LOWER_LEFT = 0x8CA1
    UPPER_LEFT = 0x8CA2
    NEGATIVE_ONE_TO_ONE = 0x935E
    ZERO_TO_ONE = 0x935F
    FIXED_ONLY = 0x891D
    COLOR = 0x1800
    COLOR_BUFFER_BIT = 0x4000
    DEPTH_BUFFER_BIT = 0x0100
    NEAREST = 0x2600

    # Capabilities.
    BLEND = 0x0BE2
    DEPTH_TEST = 0x0B71
    DEPTH_CLAMP = 0x864F
    STENCIL_TEST = 0x0B90
    CULL_FACE = 0x0B44
    SCISSOR_TEST = 0x0C11
    COLOR_LOGIC_OP = 0x0BF2
    RASTERIZER_DISCARD = 0x8C89
    PRIMITIVE_RESTART = 0x8F9D
    PRIMITIVE_RESTART_FIXED_INDEX = 0x8D69
    SAMPLE_ALPHA_TO_COVERAGE = 0x809E
    SAMPLE_ALPHA_TO_ONE = 0x809F
    SAMPLE_COVERAGE = 0x80A0
    SAMPLE_MASK = 0x8E51
    POLYGON_OFFSET_FILL = 0x8037
    POLYGON_SMOOTH = 0x0B41
    CLIP_DISTANCE0 = 0x3000
    ALPHA_TEST = 0x0BC0
    POLYGON_STIPPLE = 0x0B42

    # Other state.
    BLEND_SRC_RGB = 0x80C9
    BLEND_DST_RGB = 0x80C8
    BLEND_SRC_ALPHA = 0x80CB
    BLEND_DST_ALPHA = 0x80CA
    BLEND_EQUATION_RGB = 0x8009
    BLEND_EQUATION_ALPHA = 0x883D
    CLAMP_FRAGMENT_COLOR = 0x891B
    CLAMP_READ_COLOR = 0x891C
    CLIP_DEPTH_MODE = 0x935D
    CLIP_ORIGIN = 0x935C
    COLOR_WRITEMASK = 0x0C23
    CONTEXT_COMPATIBILITY_PROFILE_BIT = 2
    CONTEXT_PROFILE_MASK = 0x9126
    DEPTH_FUNC = 0x0B74
    DEPTH_RANGE = 0x0B70
    DEPTH_WRITEMASK = 0x0B72
    DRAW_BUFFER0 = 0x8825
    FRAMEBUFFER_SRGB = 0x8DB9
    MAJOR_VERSION = 0x821B
    POLYGON_MODE = 0x0B40
    READ_BUFFER = 0x0C02
    SAMPLES = 0x80A9
    TRANSFORM_FEEDBACK_ACTIVE = 0x8E24
    TRANSFORM_FEEDBACK_PAUSED = 0x8E23
    VIEWPORT = 0x0BA2

    # Bindings.
    ACTIVE_TEXTURE = 0x84E0
    ARRAY_BUFFER = 0x8892
    ARRAY_BUFFER_BINDING = 0x8894
    COLOR_ATTACHMENT0 = 0x8CE0
    DEPTH_ATTACHMENT = 0x8D00
    STENCIL_ATTACHMENT = 0x8D20
    DEPTH_STENCIL_ATTACHMENT = 0x821A
    CURRENT_PROGRAM = 0x8B8D
    DRAW_FRAMEBUFFER = 0x8CA9
    DRAW_FRAMEBUFFER_BINDING = 0x8CA6
    FRAMEBUFFER = 0x8D40
    FRAMEBUFFER_COMPLETE = 0x8CD5
    FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE = 0x8CD0
    FRAMEBUFFER_ATTACHMENT_OBJECT_NAME = 0x8CD1
    FRAMEBUFFER_ATTACHMENT_COLOR_ENCODING = 0x8210
    FRAMEBUFFER_ATTACHMENT_COMPONENT_TYPE = 0x8211
    FRAMEBUFFER_ATTACHMENT_RED_SIZE = 0x8212
    FRAMEBUFFER_ATTACHMENT_DEPTH_SIZE = 0x8216
    FRAMEBUFFER_ATTACHMENT_STENCIL_SIZE = 0x8217
    PIXEL_PACK_BUFFER = 0x88EB
    PIXEL_PACK_BUFFER_BINDING = 0x88ED
    PIXEL_UNPACK_BUFFER = 0x88EC
    PIXEL_UNPACK_BUFFER_BINDING = 0x88EF
    READ_FRAMEBUFFER = 0x8CA8
    READ_FRAMEBUFFER_BINDING = 0x8CAA
    SAMPLER_BINDING = 0x8919
    TEXTURE = 0x1702
    TEXTURE0 = 0x84C0
    TEXTURE_2D = 0x0DE1
    TEXTURE_BINDING_2D = 0x8069
    TEXTURE_MAX_LEVEL = 0x813D
    UNIFORM_BUFFER = 0x8A11
    UNIFORM_BUFFER_BINDING = 0x8A28
    UNIFORM_BUFFER_SIZE = 0x8A2A
    UNIFORM_BUFFER_START = 0x8A29
    VERTEX_ARRAY_BINDING = 0x85B5

    # Shaders.
    COMPILE_STATUS = 0x8B81
    FRAGMENT_SHADER = 0x8B30

    # Fences.
    SYNC_GPU_COMMANDS_COMPLETE = 0x9117
    SYNC_FLUSH_COMMANDS_BIT = 0x0001
    TIMEOUT_EXPIRED = 0x911B

    # Pixel transfer.
    RED_INTEGER = 0x8D94
    INT = 0x1404
    SRGB = 0x8C40
    UNSIGNED_BYTE = 0x1401
    UNSIGNED_INT = 0x1405
    FLOAT = 0x1406
    RED = 0x1903
    RGBA = 0x1908
    DEPTH = 0x1801
    STENCIL = 0x1802
    DEPTH_COMPONENT = 0x1902
    DEPTH_STENCIL = 0x84F9
    UNPACK_SWAP_BYTES = 0x0CF0
    UNPACK_ROW_LENGTH = 0x0CF2
    UNPACK_SKIP_ROWS = 0x0CF3
    UNPACK_SKIP_PIXELS = 0x0CF4
    UNPACK_ALIGNMENT = 0x0CF5
    PACK_SWAP_BYTES = 0x0D00
    PACK_ROW_LENGTH = 0x0D02
    PACK_SKIP_ROWS = 0x0D03
    PACK_SKIP_PIXELS = 0x0D04
    PACK_ALIGNMENT = 0x0D05

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Callable[..., Any]: ...

    def __init__(self, ctx: moderngl.Context) -> None:
        if isinstance(ctx.mglo, moderngl.InvalidObject):
            raise ContextError("the OpenGL context has been released")
        # The loader through which moderngl found its own functions.
        loader = ctx.mglo._context
        self._load: Callable[[str], int] = (
            loader.load_opengl_function if hasattr(loader, "load_opengl_function") else loader.load
        )
        self.version: int = ctx.version_code
        for name, signature in _CORE.items():
            setattr(self, name, self.function(name, signature))
        for name, (signature, version) in _LATER.items():
            if self.version >= version:
                setattr(self, name, self.function(name, signature))
        if not self._is_current():
            raise ContextError(NOT_CURRENT)
        self.current = _query()
        self.own = self.current() if self.current is not None else None
        profile = (ctypes.c_int * 1)()
        self.GetIntegerv(self.CONTEXT_PROFILE_MASK, profile)
        self.compatibility = bool(profile[0] & self.CONTEXT_COMPATIBILITY_PROFILE_BIT)

    def _is_current(self) -> bool:
        if sys.platform == "darwin":
            # There a call without a context crashes.
            library = ctypes.CDLL(_COCOA)
            library.CGLGetCurrentContext.restype = ctypes.c_void_p
            return bool(library.CGLGetCurrentContext())
        # Elsewhere it does nothing, so that the answer stays 0.
        version = (ctypes.c_int * 1)()
        self.GetIntegerv(self.MAJOR_VERSION, version)
        return version[0] > 0

    def function(self, name: str, signature: str) -> Callable[..., Any]:
        """Load one more entry point.

        Args:
            name: The name without its ``gl``.
            signature: Argument letters, then ``>`` and the result's letter if there is a result;
                i is a 32-bit integer, p a ctypes array or an address, l a pointer-sized integer,
                q a 64-bit one, b a boolean.

        Raises:
            ContextError: The driver does not have it.
        """
        address = self._load("gl" + name)
        if not address:
            raise ContextError(f"the OpenGL driver has no gl{name}; install one with OpenGL 3.3")
        arguments, _, result = signature.partition(">")
        # Undeclared arguments are half as expensive to pass. Integers then go as 32 bits and
        # arrays as pointers, which is right for all but pointer-sized integers.
        types = [_TYPES[letter] for letter in arguments] if "l" in arguments else []
        prototype = ctypes.PYFUNCTYPE(_TYPES[result], *types)
        return prototype(address)
