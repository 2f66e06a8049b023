"""What the effects of one system share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import moderngl

from gpuparticles.draw.sprites import View
from gpuparticles.draw.textures import Textures
from gpuparticles.gpu.guard import Guard

__all__ = ["Playing", "Scene"]


class Scene:
    """The context, its guard and the textures, handed to everything that plays.

    Args:
        ctx: The context.
        restore: Whether the host's state is put back.
        max_step: The longest step, in seconds.
    """

    def __init__(self, ctx: moderngl.Context, *, restore: bool, max_step: float) -> None:
        self.ctx = ctx
        self.guard = Guard(ctx, restore)
        self.textures = Textures(ctx)
        self.max_step = max_step
        self.playing: list[Playing] = []
        self.finished: list[Callable[[], None]] = []


class Playing(Protocol):
    """Anything that a system updates and draws, in order."""

    def update(self, dt: float) -> None:
        """Advance, inside the guard."""

    def draw(self, view: View) -> None:
        """Draw, inside the guard."""

    @property
    def idle(self) -> bool:
        """Whether an update would do nothing."""

    @property
    def live_count(self) -> int:
        """Living particles."""

    @property
    def dropped(self) -> int:
        """Births for which there was no room."""

    @property
    def gpu_bytes(self) -> int:
        """GPU memory."""

    def release(self) -> None:
        """Free everything."""
