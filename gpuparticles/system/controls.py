"""What a host can set of anything that it plays."""

from __future__ import annotations

import sys
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuparticles.draw.layers import Layer
from gpuparticles.effect.effect import Effect
from gpuparticles.effect.mistakes import show
from gpuparticles.errors import ContextError, EffectError
from gpuparticles.system.scene import Scene

__all__ = ["MOST", "Controls", "whole"]

MOST = sys.float_info.max  # a whole number beyond it is finite, and no float


class Controls:
    """How fast time passes, whether it does, and where and when what is seen is drawn.

    Those who have them hold them in slots of their own.
    """

    if not TYPE_CHECKING:  # a checker takes it that nobody has any then
        __slots__ = ()
    effect: Effect
    _scene: Scene
    _speed: float
    _paused: bool
    _released: bool
    _layer: Layer | None
    _draw_order: int

    @property
    def speed(self) -> float:
        """How fast time passes: 1 is normal, 0 freezes.

        Raises:
            EffectError: Set to a negative number, NaN or infinity.
        """
        return self._speed

    @speed.setter
    def speed(self, speed: float) -> None:
        self._alive()
        if isinstance(speed, bool) or not isinstance(speed, Real) or not 0.0 <= speed <= MOST:
            raise EffectError(f"speed: {show(speed)} is not a finite number of at least 0")
        self._speed = float(speed)

    @property
    def layer(self) -> Layer | None:
        """The layer that it is drawn into; None for the host's picture itself. May be set.

        Raises:
            EffectError: Set to something else.
            ContextError: Set to a layer of another context, or one that has been released.
        """
        return self._layer

    @layer.setter
    def layer(self, layer: Layer | None) -> None:
        self._alive()
        if layer is not None:
            if not isinstance(layer, Layer):
                raise EffectError(f"{self.effect.name}: layer: {show(layer)} is no Layer")
            layer.check(self._scene.ctx)
        self._layer = layer

    @property
    def draw_order(self) -> int:
        """Effects are drawn from the lowest number to the highest, 0 at first.

        Those of one number are drawn in order of play; so are bursts and crowds, among them.

        Raises:
            EffectError: Set to anything but a whole number.
        """
        return self._draw_order

    @draw_order.setter
    def draw_order(self, draw_order: int) -> None:
        self._alive()
        self._draw_order = whole(draw_order, "draw_order")

    @property
    def paused(self) -> bool:
        """Whether pause() holds it."""
        return self._paused

    @property
    def released(self) -> bool:
        """Whether release() has been called."""
        return self._released

    def pause(self) -> None:
        """Hold everything as it is; it is still drawn."""
        self._alive()
        self._paused = True

    def resume(self) -> None:
        """Go on where pause() held it."""
        self._alive()
        self._paused = False

    def _alive(self) -> None:
        if self._released:
            raise ContextError(f"{self.effect.name}: this effect has been released")


def whole(number: Any, where: str) -> int:
    """A whole number.

    Raises:
        EffectError: It is not one.
    """
    if not isinstance(number, (int, np.integer)) or isinstance(number, bool):
        raise EffectError(f"{where}: {show(number)} is not a whole number")
    return int(number)
