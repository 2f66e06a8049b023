"""The light that falls on particles which are lit."""

from __future__ import annotations

from gpuparticles.effect.description import default, description
from gpuparticles.effect.values import Color, Direction

__all__ = ["Light"]


@description
class Light:
    """A sun and a sky: light from one direction, and light from everywhere.

    It is no part of an effect: whoever draws says what light there is. Colours are multiplied with
    those of particles as they are, without gamma; above 1 is brighter. Their alpha does not count.

    Args:
        direction: Where the light goes, in the world, of any length.
        color: What a surface that is turned to the light gets of it.
        ambient: What every surface gets.
    """

    direction: Direction = default((-0.5, -1.0, -0.7))
    color: Color = default((0.75, 0.75, 0.75))
    ambient: Color = default((0.25, 0.25, 0.25))
