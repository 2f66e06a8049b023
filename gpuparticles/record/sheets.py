"""Contact sheets: many effects in one picture, each at its best moment."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil

import moderngl
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from gpuparticles.effect import Effect
from gpuparticles.errors import EffectError
from gpuparticles.record.framing import given_or_own
from gpuparticles.record.pixels import Pixels
from gpuparticles.record.rendering import frames
from gpuparticles.record.writing import Progress

__all__ = ["sheet"]

_CAPTION = 22
_MOMENTS = 8
"""How many moments of an effect are looked at."""


def sheet(
    effects: Mapping[str, Effect],
    *,
    ctx: moderngl.Context | None = None,
    columns: int = 6,
    size: tuple[int, int] = (200, 200),
    background: tuple[float, float, float] = (0.05, 0.055, 0.08),
    progress: Progress | None = None,
) -> Pixels:
    """Many effects in one picture, each with its name below it.

    Of each is shown, of several moments spread over its duration, the one with the most to see.

    Args:
        effects: What to show, by the captions.
        ctx: A context to render in; by default one of our own.
        columns: Pictures side by side, 1 or more.
        size: Width and height of each, in pixels.
        background: Red, green and blue, 0 to 1.
        progress: As for `render`, with a picture counted as a frame.

    Returns:
        uint8 (height, width, 3), top row first.

    Raises:
        EffectError: No effects, or a number outside its range.
        ContextError: No OpenGL, or a size beyond its limits.
    """
    if not effects:
        raise EffectError("a sheet of no effects has nothing to show")
    if columns < 1:
        raise EffectError(f"columns: {columns}, but there must be at least 1")
    columns = min(columns, len(effects))
    width, height = size
    level = tuple(round(255 * channel) for channel in background)
    whole = Image.new(
        "RGB", (columns * width, ceil(len(effects) / columns) * (height + _CAPTION)), level
    )
    draw = ImageDraw.Draw(whole)
    font = ImageFont.load_default(13)
    with given_or_own(ctx) as context:
        for index, (caption, effect) in enumerate(effects.items()):
            x, y = index % columns * width, index // columns * (height + _CAPTION)
            whole.paste(Image.fromarray(_best(effect, context, size, background)), (x, y))
            place = (x + width / 2, y + height + _CAPTION / 2)
            draw.text(place, caption, (200, 204, 214), font, anchor="mm")
            if progress is not None:
                progress("rendering", index + 1, len(effects))
    return np.asarray(whole)


def _best(
    effect: Effect,
    ctx: moderngl.Context,
    size: tuple[int, int],
    background: tuple[float, float, float],
) -> Pixels:
    """The moment that differs the most from the empty picture."""
    film = frames(
        effect,
        ctx=ctx,
        size=size,
        duration=effect.duration,
        fps=_MOMENTS / effect.duration,
        background=background,
    )
    empty = 255 * np.array(background)

    def shown(picture: Pixels) -> float:
        # The root, so that a picture full of faint things beats one bright spot.
        return float(np.sqrt(np.abs(picture - empty)).sum())

    return max(film, key=shown)
