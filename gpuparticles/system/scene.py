"""What the effects of one system share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

import moderngl

from gpuparticles.draw.layers import Layer
from gpuparticles.draw.models import Meshes
from gpuparticles.draw.sprites import View
from gpuparticles.draw.textures import Textures
from gpuparticles.draw.weighted import Weighted
from gpuparticles.effect.effect import Effect
from gpuparticles.gpu.depth import SceneDepth
from gpuparticles.gpu.guard import Guard
from gpuparticles.playback.place import Vec3
from gpuparticles.playback.sight import Sight
from gpuparticles.shaders import EmitterText, emitter_text
from gpuparticles.system.watch import Plane, Watch

if TYPE_CHECKING:
    from gpuparticles.system.effects import EffectInstance
    from gpuparticles.system.emitters import EmitterInstance

__all__ = ["LONGEST_UPDATE", "Playing", "Scene"]


LONGEST_UPDATE = 1e12
"""Seconds; longer updates count as so long. Beyond, whole ticks no longer fit a double."""

_REMEMBERED = 64


class Scene:
    """The context, its guard, textures and meshes, handed to everything that plays.

    Args:
        ctx: The context.
        restore: Whether the host's state is put back.
        max_step: The longest step, in seconds.

    Attributes:
        playing: Everything that plays, in order of play.
        following: The effects that follow something, in the order in which they began to.
        driven: The emitters whose rate a function gives.
        finished: Callbacks that wait for the end of the update.
        seen: The depth of the host's scene, for what collides with it.
        sight: How it was seen.
        origin: Where the origin of what was authored in world coordinates is now: the sum of all
            shifts.
    """

    def __init__(self, ctx: moderngl.Context, *, restore: bool, max_step: float) -> None:
        self.ctx = ctx
        self.guard = Guard(ctx, restore)
        self.textures = Textures(ctx)
        self.meshes = Meshes(ctx)
        self.depth = SceneDepth(ctx, self.guard)
        self.weighted = Weighted(ctx, self.guard)
        self.max_step = max_step
        self.playing: list[Playing] = []
        self.layers: list[Layer] = []
        self.following: list[EffectInstance] = []
        self.driven: set[EmitterInstance] = set()
        self.finished: list[Callable[[], object]] = []
        self.draws = 0
        self.updates = 0
        self.listening: list[EmitterInstance] = []
        self.seen: moderngl.Texture | None = None
        self.sight: Sight | None = None
        self.origin: Vec3 = (0.0, 0.0, 0.0)
        self.abandoned = False  # what is left in OpenGL goes with the context
        self._texts: dict[tuple[int, bool], tuple[Effect, tuple[EmitterText, ...]]] = {}

    @contextmanager
    def releasing(self) -> Iterator[bool]:
        """The guard, unless the context has been released, and everything in it with it.

        Yields:
            Whether there is something left to free.
        """
        if self.abandoned or self.guard.lost:
            yield False
        else:
            with self.guard:
                yield True

    def texts(self, effect: Effect, *, pooled: bool) -> tuple[EmitterText, ...]:
        """What is composed for an effect, an entry an emitter.

        Of the effects that were played last it is remembered: composing takes milliseconds.
        """
        key = (id(effect), pooled)
        found = self._texts.get(key)
        if found is None:
            if len(self._texts) >= _REMEMBERED:
                del self._texts[next(iter(self._texts))]
            emitters = range(len(effect.emitters))
            texts = tuple(emitter_text(effect, index, pooled=pooled) for index in emitters)
            # With the effect, so that its identity cannot be another's.
            found = self._texts[key] = (effect, texts)
        return found[1]


class Playing(Protocol):
    """Anything that a system updates and draws, in order."""

    _draw_order: int
    _sorts: bool  # whether any of its particles are ever sorted
    _solid: bool  # whether some of them cover what is behind: these are drawn before all others
    _watch: Watch | None  # who looks at it, where that matters
    _layer: Layer | None  # the picture of its own that it is drawn into
    _weighs: bool  # whether any of them are blended by weight
    _soft: bool  # whether any of them may fade in front of the scene

    def _advance(self, dt: float) -> None:
        """Advance, inside the guard."""

    def _in_view(self, view: View, planes: Sequence[Plane]) -> bool:
        """Whether a camera may see it."""

    def _draw(self, view: View, *, solid: bool) -> None:
        """Draw what covers what is behind it, or all else, inside the guard."""

    def _cast(self, view: View) -> None:
        """Draw the depth of what covers, inside the guard."""

    def _unsorted(self, view: View) -> Iterator[Callable[[], None]]:
        """What is to be called, while simulating, before it is drawn."""

    def _unlinked(self) -> Iterator[Callable[[], None]]:
        """What is to be called, while simulating, before even its depth is drawn."""

    def _shift_origin(self, offset: Vec3) -> None:
        """Count positions from elsewhere."""

    @property
    def _idle(self) -> bool:
        """Whether an update would do nothing."""

    @property
    def _seen(self) -> bool:
        """Whether there is something to draw."""

    @property
    def _spent(self) -> bool:
        """Whether it is to be released: nobody holds it, and it has nothing left to play."""

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
