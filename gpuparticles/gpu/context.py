"""Creating an OpenGL context without a window, and checking one that we are given."""

from __future__ import annotations

import sys
from typing import Any
from weakref import WeakSet

import moderngl

from gpuparticles.errors import ContextError
from gpuparticles.gpu.guard import Guard

_INSTALL = (
    "on Debian or Ubuntu `apt-get install libegl1 libgl1 libgl1-mesa-dri`, "
    "elsewhere a GPU driver with OpenGL 3.3"
)
_checked: WeakSet[moderngl.Context] = WeakSet()


def create_context(*, require: int = 330) -> moderngl.Context:
    """Create an OpenGL context that needs no window, and make it current.

    Args:
        require: The least OpenGL version, as moderngl writes it (330 is 3.3).

    Raises:
        ContextError: No driver offers one.
    """
    # On Linux EGL needs no display server; the platform's own way is what remains.
    backends = ["egl", None] if sys.platform.startswith("linux") else [None]
    reasons = []
    for backend in backends:
        settings: dict[str, Any] = {} if backend is None else {"backend": backend}
        try:
            return moderngl.create_standalone_context(require=require, **settings)
        except Exception as error:
            reasons.append(f"{backend or 'default'}: {str(error).strip()}")
    version = f"{require // 100}.{require // 10 % 10}"
    raise ContextError(
        f"no OpenGL {version} context could be created ({'; '.join(reasons)}); install a driver: "
        f"{_INSTALL}"
    )


def check_context(ctx: object) -> moderngl.Context:
    """Check that a context can hold and update particles; the host's state stays as it is.

    The first check of a context costs a few small objects, later ones nothing.

    Args:
        ctx: A moderngl context, which must be current.

    Returns:
        The same context.

    Raises:
        ContextError: It is not a moderngl context, not current, older than OpenGL 3.3, or cannot
            render to float and integer textures together.
    """
    if not isinstance(ctx, moderngl.Context):
        raise ContextError(f"ctx: expected a moderngl.Context, got {type(ctx).__name__}")
    if ctx in _checked:
        return ctx
    if ctx.version_code < 330:
        raise ContextError(
            f"ctx: OpenGL {ctx.version_code // 100}.{ctx.version_code // 10 % 10} is too old; "
            f"gpuparticles needs 3.3: {_INSTALL}"
        )
    with Guard(ctx) as guard:
        guard.simulate()
        _check_targets(ctx)
    _checked.add(ctx)
    return ctx


def _check_targets(ctx: moderngl.Context) -> None:
    textures: list[moderngl.Texture] = []
    try:
        for components, dtype in ((4, "f4"), (2, "u4"), (4, "f2")):
            textures.append(ctx.texture((1, 1), components, dtype=dtype))
        ctx.framebuffer(textures).release()
    except moderngl.Error as error:
        raise ContextError(
            f"ctx: the driver cannot render to RGBA32F, RG32UI and RGBA16F textures together "
            f"({error}); install another: {_INSTALL}"
        ) from error
    finally:
        for texture in textures:
            texture.release()
