"""What particles draw behind them, and between them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeAlias

from gpuparticles.effect.description import Takes, default, description
from gpuparticles.effect.rules import Flag, Number
from gpuparticles.effect.sprite import Blended, BlendRule, GLTexture, TextureRule
from gpuparticles.effect.values import ColorOverLife, SizeOverLife

if TYPE_CHECKING:
    from PIL.Image import Image
else:
    Image = Any  # Pillow is imported by those who have pictures

__all__ = ["Ribbon", "Trail"]

_TextureLike: TypeAlias = "str | os.PathLike[str] | Image | GLTexture | None"


@description
class Trail(Blended):
    """A ribbon along the way that a particle has come, as far back as its lifetime.

    It begins at the particle, and ends where the particle was so many seconds ago, or where it was
    born; it turns its width to the camera. At each place it has the size and the colour that the
    particle had there, curves over life and fades included (what is by speed is not), times the
    trail's own. A particle that was where it is now has no trail.

    The way is kept in points, `segments` of them for the lifetime, whatever the frame rate; each
    costs 16 bytes for every particle that there is room for, as do two more, and a third with a
    `min_distance`. Bursts of effects with trails have textures of their own.

    Args:
        lifetime: Seconds until what was drawn at a place is gone; at most 60.
        width: Factor of the particle's width.
        width_over_trail: Factor of the width from the particle, at 0, to the end, at 1, by time.
        color_over_trail: Factor of the colour from the particle, at 0, to the end, at 1, by time.
        segments: How many straight pieces the way of a lifetime is drawn in, 1 to 255.
        min_distance: A point is kept only where the particle is at least so many units from the
            last one that was, or that one is as old as the trail: what is slow, or trembles, leaves
            fewer. 0 keeps all.
        space: Where it stays: in the ``"world"``, or in ``"local"`` space, which moves along with
            the emitter. None: where the particles live; those of the world can have no other. Where
            an emitter that carries its particles jumps, so does the way: see `longest`.
        outlives: Whether the trail stays when the particle dies, and ends as if it rested there.
            Until it is over the particle keeps its place among those that there is room for, and
            counts as living; one that a modifier kills in an endless life takes its trail along.
        only: Whether nothing but the trail is drawn: no sprite.
        texture: The path of a picture, a PIL image, a GL texture, or None for soft edges. Its left
            edge is at the particle, its height lies across.
        tile: Units of the way after which the texture begins again, from the particle; None
            stretches it over the whole trail.
        blend: As of a `Sprite`.
        filter: ``"linear"`` or ``"nearest"`` when the texture is magnified.
        premultiplied: Whether the texture's colours are multiplied by its alpha, as of a `Sprite`.
        longest: A piece longer than this, in units, is left out: for particles that jump, as `Wrap`
            lets them. None draws all.
        casts_shadow: Whether `ParticleSystem.draw_depth` draws it. None: unless it only adds light.
    """

    settled: ClassVar[frozenset[str]] = frozenset({"lifetime"})

    lifetime: Annotated[float, Number("a lifetime", "seconds", least=0.001, most=60)] = 0.5
    width: Annotated[float, Number("a factor of width", least=0)] = 1.0
    width_over_trail: SizeOverLife = default(((0.0, 1.0), (1.0, 0.0)))
    color_over_trail: ColorOverLife = default(((0.0, "#ffffff"), (1.0, "#ffffff00")))
    segments: Annotated[int, Number("a number of segments", least=1, most=255, whole=True)] = 16
    min_distance: Annotated[float, Number("a distance", "units", least=0)] = 0.0
    space: Literal["world", "local"] | None = None
    outlives: Annotated[bool, Flag()] = True
    only: Annotated[bool, Flag()] = False
    texture: Takes[_TextureLike, Annotated[Path | Image | GLTexture | None, TextureRule()]] = (
        default(None)
    )
    tile: Annotated[float, Number("a length", "units", least=1e-6)] | None = None
    blend: Annotated[Literal["alpha", "additive"] | float, BlendRule()] = "alpha"
    filter: Literal["linear", "nearest"] = "linear"
    premultiplied: Annotated[bool, Flag()] | None = None
    longest: Annotated[float, Number("a length", "units", least=0)] | None = None
    casts_shadow: Annotated[bool, Flag()] | None = None

    @property
    def lingers(self) -> float:
        """Seconds for which it is seen after the particle's death."""
        return self.lifetime if self.outlives else 0.0


@description
class Ribbon(Blended):
    """A ribbon that links an emitter's living particles in the order of their births.

    It runs from the oldest particle to the youngest and turns its width to the camera; the dead are
    left out. At each particle it has that one's width and colour, so it narrows and fades as they
    do over life (what is by speed does not count). Those born at one moment are in no certain
    order. Particles are sorted by age on the GPU, once an update. Bursts of effects with ribbons
    have textures of their own.

    Args:
        width: Factor of the particles' width.
        only: Whether nothing but the ribbon is drawn: no sprites.
        texture: The path of a picture, a PIL image, a GL texture, or None for soft edges. Its
            height lies across, its left edge at a birth.
        tile: Seconds of births after which the texture begins again; it keeps its place between the
            particles. None stretches it over a life.
        blend: As of a `Sprite`.
        filter: ``"linear"`` or ``"nearest"`` when the texture is magnified.
        premultiplied: Whether the texture's colours are multiplied by its alpha, as of a `Sprite`.
        longest: Two particles farther apart than this, in units, are not linked: where an emitter
            has been elsewhere between them. None links all.
        casts_shadow: As of a `Trail`.
    """

    width: Annotated[float, Number("a factor of width", least=0)] = 1.0
    only: Annotated[bool, Flag()] = True
    texture: Takes[_TextureLike, Annotated[Path | Image | GLTexture | None, TextureRule()]] = (
        default(None)
    )
    tile: Annotated[float, Number("a time", "seconds", least=1e-3)] | None = None
    blend: Annotated[Literal["alpha", "additive"] | float, BlendRule()] = "alpha"
    filter: Literal["linear", "nearest"] = "linear"
    premultiplied: Annotated[bool, Flag()] | None = None
    longest: Annotated[float, Number("a length", "units", least=0)] | None = None
    casts_shadow: Annotated[bool, Flag()] | None = None
