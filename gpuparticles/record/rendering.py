"""Frames of an effect, as arrays or into files."""

from __future__ import annotations

import ctypes
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from math import inf
from os import PathLike
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import moderngl
import numpy as np

from gpuparticles.effect import Effect
from gpuparticles.errors import ContextError, EffectError
from gpuparticles.gpu.gl import GL
from gpuparticles.gpu.guard import Guard
from gpuparticles.record.destinations import destination
from gpuparticles.record.framing import Camera, Framing, bounds, close_up, given_or_own
from gpuparticles.record.pixels import Pixels, finish
from gpuparticles.record.writing import Progress, write
from gpuparticles.system import ParticleSystem

_SAMPLES = 12
"""How many moments of a film the fitted camera looks at."""

_MOST_FRAMES = 1_000_000

_WEBP_LARGEST = 16383


@dataclass(frozen=True, slots=True)
class Summary:
    """What a rendering came to.

    Args:
        path: The file written; for a sequence with the number's pattern.
        frames: Frames rendered.
        births: Particles born from the effect's beginning to the last frame.
        peak_live: The most that lived at once, as seen at the frames.
        dropped: Births that found their emitter full.
        seconds: Wall-clock time from the first frame to the finished file.
        drawn: Living particles, summed over the frames.
    """

    path: Path
    frames: int
    births: int
    peak_live: int
    dropped: int
    seconds: float
    drawn: int

    @property
    def frames_per_second(self) -> float:
        """Frames simulated, drawn and written a second."""
        return self.frames / self.seconds

    @property
    def particles_per_second(self) -> float:
        """Particles simulated, drawn and written a second."""
        return self.drawn / self.seconds


class _Take(NamedTuple):
    """One frame, and the effect's counts at it."""

    pixels: Pixels
    live: int
    births: int
    dropped: int


def frames(
    effect: Effect,
    *,
    ctx: moderngl.Context | None = None,
    size: tuple[int, int] = (480, 480),
    start: float = 0.0,
    duration: float | None = None,
    fps: float = 30.0,
    seed: int = 0,
    background: tuple[float, float, float] | None = (0.0, 0.0, 0.0),
    camera: Camera | Framing | None = None,
    supersample: int = 2,
) -> Iterator[Pixels]:
    """Render a film of an effect, frame by frame, as it is asked for.

    Frame k shows the effect ``start + (k + 1) / fps`` seconds after its beginning: like a game,
    each frame first updates and then draws, so that a burst at 0 is in the first frame.

    Args:
        effect: What to play.
        ctx: A context to render in, left as it was between frames; by default one of our own,
            which is then the current one of this thread.
        size: Width and height in pixels.
        start: Seconds of the effect that pass before the film begins.
        duration: Seconds of film; by default the effect's own duration.
        fps: Frames a second.
        seed: Seed of the instance.
        background: Red, green and blue, 0 to 1; None for transparent.
        camera: View and projection, 4x4 for column vectors; or a function that makes them for the
            effect's box (lower, upper) and the picture's aspect; by default the closest that
            shows the box from the front.
        supersample: Samples across a pixel each way.

    Returns:
        An iterator of uint8 arrays (height, width, 3), top row first; (height, width, 4) with
        straight alpha on a transparent background.

    Raises:
        EffectError: A number outside its range.
        ContextError: No OpenGL, or a size beyond its limits.
    """
    moments = _moments(start, effect.duration if duration is None else duration, fps)
    shot = _Shot(effect, ctx, size, seed, background, camera, supersample)
    takes = shot.takes(moments)
    return (take.pixels for take in takes)


def render(
    effect: Effect,
    out: str | PathLike[str],
    *,
    ctx: moderngl.Context | None = None,
    size: tuple[int, int] = (480, 480),
    time: float | None = None,
    start: float = 0.0,
    duration: float | None = None,
    fps: float = 30.0,
    seed: int = 0,
    background: tuple[float, float, float] | None = (0.0, 0.0, 0.0),
    camera: Camera | Framing | None = None,
    supersample: int = 2,
    progress: Progress | None = None,
) -> Summary:
    """Render an effect into a file or a sequence of files.

    Args:
        effect: What to play.
        out: See `destination`.
        ctx: As for `frames`, like the arguments not mentioned here.
        size: Width and height in pixels.
        time: For a single picture, the moment that it shows, in seconds from the effect's
            beginning. A lone PNG shows the middle of the effect's duration by default.
        start: Seconds that pass before a film begins.
        duration: Seconds of film.
        fps: Frames a second; for a GIF at most 50.
        seed: Seed of the instance.
        background: Red, green and blue, 0 to 1; None for transparent.
        camera: View and projection.
        supersample: Samples across a pixel each way.
        progress: Called with what is being done, how many frames of it are done, and of how many.

    Raises:
        ParticlesError: A bad argument, or an output that cannot be written. The output is tried
            before the first frame is rendered, and is not touched until the last one is.
    """
    target = destination(out)
    if time is None and target.still:
        time = effect.duration / 2
    if time is not None and target.pattern is not None:
        raise EffectError(f"{out} is a sequence of pictures, but time asks for a single one")
    if time is None:
        moments = _moments(start, effect.duration if duration is None else duration, fps)
    elif 0 <= time < inf:
        moments = [time]
    else:
        raise EffectError(f"time: {time} seconds, but it must be finite and at least 0")

    if target.format == "webp" and max(size) > _WEBP_LARGEST:
        raise EffectError(
            f"size: {size[0]}x{size[1]} pixels, but a WebP has at most {_WEBP_LARGEST} a side"
        )

    last = _Take(np.empty((0, 0, 3), np.uint8), 0, 0, 0)
    live: list[int] = []
    shot = _Shot(effect, ctx, size, seed, background, camera, supersample)
    takes = shot.takes(moments)

    def pixels() -> Iterator[Pixels]:
        nonlocal last
        for last in takes:
            live.append(last.live)
            yield last.pixels

    began = perf_counter()
    with closing(takes):
        write(pixels(), out, fps=fps, count=len(moments), progress=progress)
    seconds = perf_counter() - began
    return Summary(
        path=target.path / (target.pattern or ""),
        frames=len(live),
        births=last.births,
        peak_live=max(live),
        dropped=last.dropped,
        seconds=seconds,
        drawn=sum(live),
    )


def _moments(start: float, duration: float, fps: float) -> list[float]:
    """When each frame of a film is, in seconds from the effect's beginning."""
    if not 0 <= start < inf:
        raise EffectError(f"start: {start} seconds, but it must be finite and at least 0")
    if not 0 < duration < inf:
        raise EffectError(f"duration: {duration} seconds, but it must be finite and above 0")
    if not 0 < fps < inf:
        raise EffectError(f"fps: {fps} frames a second, but it must be finite and above 0")
    count = max(1, round(min(duration * fps, 1e18)))
    if count > _MOST_FRAMES:
        raise EffectError(
            f"duration: {duration:g} seconds at {fps:g} frames a second are {count} frames, "
            f"but at most {_MOST_FRAMES} are rendered"
        )
    return [start + k / fps for k in range(1, count + 1)]


class _Shot(NamedTuple):
    """What is filmed and how; the fields are the arguments of `frames`."""

    effect: Effect
    ctx: moderngl.Context | None
    size: tuple[int, int]
    seed: int
    background: tuple[float, float, float] | None
    camera: Camera | Framing | None
    supersample: int

    def takes(self, moments: Sequence[float]) -> Generator[_Take, None, None]:
        """The effect at ascending moments. What is bad is refused here and now, not at a frame."""
        size, background = self.size, self.background
        if not all(side >= 1 for side in size):
            raise EffectError(f"size: {size[0]}x{size[1]} pixels, but both must be at least 1")
        if not 1 <= self.supersample <= 8:
            raise EffectError(f"supersample: {self.supersample}, but it must lie in 1..8")
        if background is not None and not all(0 <= channel <= 1 for channel in background):
            raise EffectError(f"background: {background}, but each channel must lie in 0..1")
        return _roll(self, moments)


def _roll(shot: _Shot, moments: Sequence[float]) -> Generator[_Take, None, None]:
    effect, ctx, size, seed, background, camera, supersample = shot
    with ExitStack() as stack:
        context = stack.enter_context(given_or_own(ctx))
        limit = min(context.info["GL_MAX_TEXTURE_SIZE"], *context.info["GL_MAX_VIEWPORT_DIMS"])
        if max(size) > limit:
            raise EffectError(
                f"size: {size[0]}x{size[1]} pixels, but this OpenGL draws at most {limit}x{limit}"
            )
        samples = min(supersample, limit // max(size))
        if camera is None or callable(camera):
            chosen = np.linspace(0, len(moments) - 1, min(len(moments), _SAMPLES)).round()
            seen = [moments[int(k)] for k in chosen]
            box = bounds(effect, seen, ctx=context, seed=seed, background=background)
            camera = (camera or close_up)(*box, size[0] / size[1])

        particles = ParticleSystem(context)
        stack.callback(particles.release)
        instance = particles.play(effect, seed=seed)
        guard = Guard(context)
        extent = (size[0] * samples, size[1] * samples)
        with guard:
            guard.simulate()
            try:
                texture = context.texture(extent, 4, dtype="f2")
                stack.callback(texture.release)
                solid = any(emitter.look.depth_write for emitter in effect.emitters)
                depth = context.depth_texture(extent) if solid else None
                if depth is not None:
                    stack.callback(depth.release)
                target = context.framebuffer([texture], depth)
                stack.callback(target.release)
            except moderngl.Error as error:
                raise ContextError(
                    f"size: {extent[0]}x{extent[1]} samples are too much for this OpenGL ({error})"
                ) from error
        clear = (ctypes.c_float * 4)(*((0, 0, 0, 0) if background is None else (*background, 1)))

        now = 0.0
        for moment in moments:
            particles.update(moment - now)
            now = moment
            with guard:
                guard.simulate()
                guard.target(target.glo, *extent)
                guard.gl.ClearBufferfv(guard.gl.COLOR, 0, clear)
                if depth is not None:
                    _clear_depth(guard.gl)
                particles.draw(*camera)
                data = target.read(components=4, dtype="f2", alignment=1)
            drawn = np.frombuffer(data, np.float16).reshape(*extent[::-1], 4)
            yield _Take(
                finish(drawn[::-1], samples, transparent=background is None),
                instance.live_count,
                instance.births - instance.dropped,
                instance.dropped,
            )


def _clear_depth(gl: GL) -> None:
    """Nothing is in front of anything; the host may have shut the depth buffer."""
    mask = (ctypes.c_int * 1)()
    gl.GetIntegerv(gl.DEPTH_WRITEMASK, mask)
    gl.DepthMask(1)
    gl.ClearBufferfv(gl.DEPTH, 0, (ctypes.c_float * 1)(1.0))
    gl.DepthMask(mask[0])
