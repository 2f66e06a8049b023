"""Where an effect is seen, and the camera that shows it there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager

import moderngl
import numpy as np
from numpy.typing import NDArray

from gpuparticles.draw.camera import Matrix, fit
from gpuparticles.effect import Effect, Emitter
from gpuparticles.gpu import create_context
from gpuparticles.system import ParticleSystem

Vector = NDArray[np.float64]
Camera = tuple[Matrix, Matrix]
Framing = Callable[[Vector, Vector, float], Camera]

_STRAGGLERS = 0.02
"""The share of what is seen that a fitted camera may miss on each side."""

_SOFT_EDGE = 0.35
"""The part of a sprite's width, from its centre out, that a fitted camera makes sure to show."""


@contextmanager
def given_or_own(ctx: moderngl.Context | None) -> Iterator[moderngl.Context]:
    """The given context, or one of our own that is released at the end."""
    if ctx is not None:
        yield ctx
        return
    own = create_context()
    try:
        yield own
    finally:
        own.release()


def bounds(
    effect: Effect,
    moments: Sequence[float],
    *,
    ctx: moderngl.Context | None = None,
    seed: int = 0,
    background: tuple[float, float, float] | None = None,
) -> tuple[Vector, Vector]:
    """The box in which an effect is seen: where its visible particles are, but for stragglers.

    Of each emitter's particles, weighted by how large they are and how much they stand out, the
    outermost fiftieth on each side is left out.

    Args:
        effect: What to play.
        moments: When to look at it, ascending, in seconds from the effect's beginning.
        ctx: A context to simulate in; by default one of our own.
        seed: Seed of the instance.
        background: What they stand out from: red, green and blue, 0 to 1; None for anything.

    Returns:
        The smallest and the largest x, y, z, float64; the origin twice when nothing is ever seen.
        Where all particles have one z, as in 2D effects, so has the box.
    """
    found: list[tuple[Emitter, list[NDArray[np.float64]]]] = [(e, []) for e in effect.emitters]
    with ExitStack() as stack:
        particles = ParticleSystem(stack.enter_context(given_or_own(ctx)))
        stack.callback(particles.release)
        instance = particles.play(effect, seed=seed)
        now = 0.0
        for moment in moments:
            particles.update(moment - now)
            now = moment
            for emitter, rows in found:
                rows.append(_visible(emitter, instance[emitter.name].read(), background))

    seen = [np.concatenate(rows) for _, rows in found]
    seen = [rows for rows in seen if len(rows)]
    if not seen:
        return np.zeros(3), np.zeros(3)
    depths = np.concatenate([rows[:, 2] for rows in seen])
    flat = np.ptp(depths) <= 1e-9 * np.abs(depths).max()
    reach = np.array((_SOFT_EDGE, _SOFT_EDGE, 0.0 if flat else _SOFT_EDGE))
    lower = [
        _percentile(rows[:, :3] - rows[:, 3:4] * reach, rows[:, 4], _STRAGGLERS) for rows in seen
    ]
    upper = [
        _percentile(rows[:, :3] + rows[:, 3:4] * reach, rows[:, 4], 1 - _STRAGGLERS)
        for rows in seen
    ]
    low, high = np.min(lower, axis=0), np.max(upper, axis=0)
    if flat:
        high[2] = low[2]
    return low, high


def close_up(lower: Vector, upper: Vector, aspect: float) -> Camera:
    """The camera for a box when none is asked for: flat for flat effects."""
    if lower[2] == upper[2]:
        return fit(lower, upper, aspect, fov_y=None, elevation=0)
    return fit(lower, upper, aspect, elevation=5)


def _visible(
    emitter: Emitter, living: NDArray[np.void], background: tuple[float, float, float] | None
) -> NDArray[np.float64]:
    """Rows of x, y, z, width and weight: width times the square of the change to the picture.

    The square, since a fringe that is hardly seen should hardly count.
    """
    size, color = living["size"], living["color"]
    light = np.minimum(color[:, :3], 1) * color[:, 3:]
    look, model = emitter.look, emitter.model
    cover = color[:, 3:] * (1 - look.additive)
    change = np.hstack((light, cover)) if background is None else light - cover * background
    weight = size * (change**2).max(axis=1, initial=0)
    # What is so many pixels wide at any distance has no width in the world.
    reach = size if look.size_unit == "world" else np.zeros_like(size)
    if model is not None:
        corners = model.mesh.vertices.data * np.array(model.scale, np.float32)
        reach = size * (2 * np.linalg.norm(corners, axis=1).max())
    rows = np.column_stack((living["position"], reach, weight)).astype(np.float64)
    return rows[rows[:, 4] > 0]


def _percentile(
    values: NDArray[np.float64], weights: NDArray[np.float64], share: float
) -> NDArray[np.float64]:
    """The value of each column below which a share of the rows' weight lies."""
    order = values.argsort(axis=0)
    running = weights[order].cumsum(axis=0)
    row = (running < share * running[-1]).sum(axis=0)
    found: NDArray[np.float64] = np.take_along_axis(
        values, np.take_along_axis(order, row[None], 0), 0
    )[0]
    return found
