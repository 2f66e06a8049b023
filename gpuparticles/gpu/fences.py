"""Waiting for what the GPU has been asked."""

from __future__ import annotations

from gpuparticles.gpu.gl import GL

__all__ = ["wait"]

_SECOND = 1_000_000_000  # ns


def wait(gl: GL, fence: int) -> None:
    """Wait until a fence has passed, and delete it; 0 is none."""
    if not fence:
        return
    # A lost context signals everything, so this comes to an end.
    while gl.ClientWaitSync(fence, gl.SYNC_FLUSH_COMMANDS_BIT, _SECOND) == gl.TIMEOUT_EXPIRED:
        pass
    gl.DeleteSync(fence)
