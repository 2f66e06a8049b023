"""Where an effect is seen, and the camera that shows it there."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager

import moderngl
import numpy as np
from numpy.typing import NDArray

from gpuparticles.draw.camera import Matrix, fit
from gpuparticles.effect import Effect, Emitter, Model
from gpuparticles.effect.values import span
from gpuparticles.gpu import create_context
from gpuparticles.system import ParticleSystem

Vector = NDArray[np.float64]
Camera = tuple[Matrix, Matrix]
Box = tuple[tuple[float, float, float], tuple[float, float, float]]
Framing = Callable[[Vector, Vector, float], Camera]

_STRAGGLERS = 0.02
"""The share of what is seen that a fitted camera may miss on each side."""

_LONGEST = 60.0
"""Seconds of an effect that are looked at to measure it."""

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


def measure_bounds(
    effect: Effect,
    *,
    ctx: moderngl.Context | None = None,
    seeds: int = 3,
    fps: float = 20.0,
    margin: float = 0.1,
) -> Box:
    """The box in which all of an effect is seen, for `Effect.bounds`: a tool, not for playback.

    It is played and looked at in every frame, for as long as it emits (two loops, if it loops) and
    its longest life, or a minute at the most. What chance brings beyond is left to the margin.

    Args:
        effect: What to play, where its own space is the world.
        ctx: A context to simulate in; by default one of our own.
        seeds: How many instances are looked at.
        fps: How often, a second.
        margin: How much wider the box becomes on each side, as a part of its size.

    Returns:
        Its lowest and its highest corner; the origin twice when nothing is ever seen.
    """
    longest = max(map(effect.longest_life, effect.emitters))
    emits = max(
        emitter.delay + effect.duration_of(emitter) * (2 if effect.loop_of(emitter) else 1)
        for emitter in effect.emitters
    )
    frames = math.ceil(min(emits + longest, _LONGEST) * fps)
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    with ExitStack() as stack:
        particles = ParticleSystem(stack.enter_context(given_or_own(ctx)))
        stack.callback(particles.release)
        for seed in range(seeds):
            instance = particles.play(effect, seed=seed)
            for _ in range(frames):
                particles.update(1.0 / fps)
                for emitter in effect.emitters:
                    living = instance[emitter.name].read()
                    if len(living):
                        reach = _reach(emitter, living)
                        low = np.minimum(low, (living["position"] - reach).min(axis=0))
                        high = np.maximum(high, (living["position"] + reach).max(axis=0))
            instance.release()
    if not (low <= high).all():
        low = high = np.zeros(3)
    wider = margin * (high - low)
    (ax, ay, az), (bx, by, bz) = (low - wider).tolist(), (high + wider).tolist()
    return (ax, ay, az), (bx, by, bz)


def _reach(emitter: Emitter, living: NDArray[np.void]) -> NDArray[np.float64]:
    """How far from their places particles may be seen, a column."""
    look, model = emitter.look, emitter.model
    size = np.hypot(living["width"], living["height"])
    if model is not None:
        size = living["size"] * _farthest(model)
    else:
        size *= 0.5 + max(map(abs, look.pivot))
        speed = np.linalg.norm(living["velocity"], axis=1)
        size += 0.5 * span(look.stretch)[1] * speed
    return np.asarray(size, np.float64)[:, None]


def _farthest(model: Model) -> float:
    """How far a mesh reaches from its origin, at size 1."""
    corners = model.mesh.vertices.data * np.array(model.scale, np.float32)
    return float(np.linalg.norm(corners, axis=1).max())


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
        reach = size * (2 * _farthest(model))
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
