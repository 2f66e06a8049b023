"""Pictures and films of an effect, rendered offscreen and written to files.

Frames are rendered on a fixed clock into a half-float target: colours add up beyond 1 and are
clamped only at the end, and nothing faint is lost in between. `frames` gives them as arrays,
`write` puts arrays into a PNG, a numbered PNG sequence, an animated GIF or an animated WebP, and
`render` does both. Files appear whole or not at all.
"""

from __future__ import annotations

import ctypes
import re
import struct
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from io import BytesIO
from itertools import pairwise
from math import inf
from os import W_OK, X_OK, PathLike, access, fspath, replace, sep
from pathlib import Path
from secrets import token_hex
from shutil import copymode, rmtree
from time import perf_counter
from typing import IO, Literal, NamedTuple

import moderngl
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from gpuparticles.draw.camera import Matrix, fit
from gpuparticles.effect import Effect, Emitter
from gpuparticles.errors import ContextError, EffectError, ParticlesError
from gpuparticles.gpu import create_context
from gpuparticles.gpu.guard import Guard
from gpuparticles.system import ParticleSystem

__all__ = [
    "Camera",
    "Destination",
    "Framing",
    "Progress",
    "Summary",
    "bounds",
    "destination",
    "finish",
    "frames",
    "render",
    "write",
]

Pixels = NDArray[np.uint8]
Vector = NDArray[np.float64]
Camera = tuple[Matrix, Matrix]
Format = Literal["png", "gif", "webp"]
Framing = Callable[[Vector, Vector, float], Camera]
Progress = Callable[[str, int, int], None]

_SAMPLES = 12
"""How many moments of a film the fitted camera looks at."""

_STRAGGLERS = 0.02
"""The share of what is seen that a fitted camera may miss on each side."""

_SOFT_EDGE = 0.35
"""The part of a sprite's width, from its centre out, that a fitted camera makes sure to show."""

_BAYER = np.array(((0, 8, 2, 10), (12, 4, 14, 6), (3, 11, 1, 9), (15, 7, 13, 5)), dtype=np.uint8)
"""The order in which a growing share of a 4x4 cell's pixels turns on, evenly spread."""

_MOST_FRAMES = 1_000_000

_WEBP_LARGEST = 16383

_NUMBER = re.compile(r"%0?\d*d")

_FORMATS: dict[str, Format] = {".png": "png", ".gif": "gif", ".webp": "webp"}

_CLEAR = 255
"""The palette index of a GIF that shows what is behind it."""

_SIX_BITS = (63 * (np.arange(256) / 255) ** 0.7).round().astype(np.int32)
"""What remains of 8 bits: more of the dark shades, where steps are seen."""

_GIF_SLOWEST = 0.002
"""A GIF frame lasts at most 2^16 hundredths of a second."""

_GIF_FASTEST = 50
"""Browsers play a GIF frame shorter than 1/50 s as 1/10 s."""


class Destination(NamedTuple):
    """Where frames go: one file, or for a sequence a folder and a name with a number in it.

    Args:
        format: How each file is encoded.
        path: The file; for a sequence the folder.
        pattern: For a sequence the name of its files, with a ``%04d`` in it; otherwise None.
    """

    format: Format
    path: Path
    pattern: str | None

    @property
    def still(self) -> bool:
        """Whether only one frame fits."""
        return self.format == "png" and self.pattern is None


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


# Rendering


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
    takes = _shoot(effect, moments, ctx, size, seed, background, camera, supersample)
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
    takes = _shoot(effect, moments, ctx, size, seed, background, camera, supersample)

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


def _shoot(
    effect: Effect,
    moments: Sequence[float],
    ctx: moderngl.Context | None,
    size: tuple[int, int],
    seed: int,
    background: tuple[float, float, float] | None,
    camera: Camera | Framing | None,
    supersample: int,
) -> Generator[_Take, None, None]:
    """The effect at ascending moments. Bad arguments are refused here and now, not at a frame."""
    if not all(side >= 1 for side in size):
        raise EffectError(f"size: {size[0]}x{size[1]} pixels, but both must be at least 1")
    if not 1 <= supersample <= 8:
        raise EffectError(f"supersample: {supersample}, but it must lie in 1..8")
    if background is not None and not all(0 <= channel <= 1 for channel in background):
        raise EffectError(f"background: {background}, but each channel must lie in 0..1")
    return _roll(effect, moments, ctx, size, seed, background, camera, supersample)


def _roll(
    effect: Effect,
    moments: Sequence[float],
    ctx: moderngl.Context | None,
    size: tuple[int, int],
    seed: int,
    background: tuple[float, float, float] | None,
    camera: Camera | Framing | None,
    supersample: int,
) -> Generator[_Take, None, None]:
    with ExitStack() as stack:
        context = stack.enter_context(_context(ctx))
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
            camera = (camera or _frame)(*box, size[0] / size[1])

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
                target = context.framebuffer([texture])
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
                particles.draw(*camera)
                data = target.read(components=4, dtype="f2", alignment=1)
            drawn = np.frombuffer(data, np.float16).reshape(*extent[::-1], 4)
            yield _Take(
                finish(drawn[::-1], samples, transparent=background is None),
                instance.live_count,
                instance.births - instance.dropped,
                instance.dropped,
            )


def finish(drawn: NDArray[np.floating], samples: int = 1, *, transparent: bool) -> Pixels:
    """Turn what was drawn into a picture.

    Each sample is clamped to 0..1, then a pixel is the mean of its samples. On a transparent
    background colours are un-premultiplied with ``alpha = max(a, r, g, b)``, so that light added
    without covering anything (alpha 0) is still there in the picture.

    Args:
        drawn: Premultiplied red, green, blue and alpha, (height * samples, width * samples, 4).
        samples: Samples across a pixel each way.
        transparent: Whether alpha is kept.

    Returns:
        uint8 (height, width, 4) with straight alpha if transparent, else (height, width, 3).
    """
    light = (drawn if transparent else drawn[..., :3]).astype(np.float32)
    # Light beyond what half floats hold is infinite, and not a number once something covers it.
    light = np.fmax(np.fmin(light, 1, out=light), 0, out=light)
    light = np.add.reduce([light[k::samples] for k in range(samples)])
    light = np.add.reduce([light[:, k::samples] for k in range(samples)]) / samples**2
    if transparent:
        alpha = light.max(axis=-1, keepdims=True)
        light[..., :3] /= np.where(alpha > 0, alpha, 1)
        light[..., 3:] = alpha
    picture: Pixels = (light * 255 + 0.5).astype(np.uint8)
    return picture


@contextmanager
def _context(ctx: moderngl.Context | None) -> Iterator[moderngl.Context]:
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
        particles = ParticleSystem(stack.enter_context(_context(ctx)))
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


def _frame(lower: Vector, upper: Vector, aspect: float) -> Camera:
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
    cover = color[:, 3:] * (1 - emitter.sprite.additive)
    change = np.hstack((light, cover)) if background is None else light - cover * background
    weight = size * (change**2).max(axis=1, initial=0)
    rows = np.column_stack((living["position"], size, weight)).astype(np.float64)
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


# Writing


def destination(out: str | PathLike[str]) -> Destination:
    """What `out` asks for, as far as can be told without writing.

    ``NAME.png``, ``NAME.gif`` and ``NAME.webp`` are one file; ``NAME_%04d.png`` (or .webp) is a
    sequence numbered from 0 in at least four digits; a folder (an existing one, or a name ending
    in a slash) is a sequence of PNGs in it.

    Raises:
        ParticlesError: An unknown ending, a folder that is missing or closed to us, a file where
            a folder should be or the other way round.
    """
    path = Path(out)
    kind = _FORMATS.get(path.suffix.lower())
    with _refusing(out):
        if fspath(out).endswith(("/", sep)) or (kind is None and path.is_dir()):
            _check_folder(path if path.exists() else path.absolute().parent)
            return Destination("png", path, "frame_%04d.png")
        if kind is None:
            raise OSError(
                f'its ending is "{path.suffix}", but .png, .gif and .webp are known, and a name '
                "that ends in / is a folder of PNG files"
            )
        if path.is_dir():
            raise OSError("it is a folder")
        _check_folder(path.absolute().parent)
        numbers = _NUMBER.findall(path.name)
        if not numbers:
            if path.exists() and not access(path, W_OK):
                raise OSError("the file is read-only")
            return Destination(kind, path, None)
        if len(numbers) > 1:
            raise OSError(f"its name has {len(numbers)} numbers, but only one is counted up")
        if kind == "gif":
            raise OSError("a sequence is of .png or .webp files")
        return Destination(kind, path.parent, path.name)


@contextmanager
def _refusing(out: object) -> Iterator[None]:
    """Say of every OSError which output it is about."""
    try:
        yield
    except OSError as error:
        raise ParticlesError(f"{out} cannot be written: {error.strerror or error}") from error


def _check_folder(folder: Path) -> None:
    if not folder.exists():
        raise OSError(f"the folder {folder} does not exist")
    if not folder.is_dir():
        raise OSError(f"{folder} is not a folder")
    if not access(folder, W_OK | X_OK):
        raise OSError(f"there is no permission to write in {folder}")


def write(
    pictures: Iterable[Pixels],
    out: str | PathLike[str],
    *,
    fps: float = 30.0,
    count: int | None = None,
    progress: Progress | None = None,
) -> None:
    """Write pictures to a file or a sequence of files, whole or not at all.

    The output is opened before the first picture is asked for. Files already there are replaced
    after the last.

    Args:
        pictures: uint8 arrays (height, width, 3) or (height, width, 4) with straight alpha, all
            of one shape, top row first.
        out: See `destination`.
        fps: Frames a second; for a GIF at most 50.
        count: How many pictures there are; when not given they are all held in memory.
        progress: Called with what is being done, how many frames of it are done, and of how many.

    Raises:
        ParticlesError: No pictures, several for a single PNG, or an output that cannot be written.
    """
    target = destination(out)
    if target.format == "gif" and not _GIF_SLOWEST <= fps <= _GIF_FASTEST:
        raise EffectError(
            f"fps: {fps:g} frames a second, but a GIF plays {_GIF_SLOWEST} to {_GIF_FASTEST} right"
        )
    if count is None:
        pictures = list(pictures)
        count = len(pictures)
    if count < 1:
        raise ParticlesError(f"{out} cannot be written: there is no picture")
    if count > 1 and target.still:
        raise ParticlesError(f"{out} cannot be written: it holds one picture, not {count}")
    report = progress or (lambda *_: None)

    def images() -> Iterator[Image.Image]:
        for done, picture in enumerate(pictures, 1):
            report("rendering", done, count)
            yield Image.fromarray(picture)

    with _refusing(out):
        if target.pattern is not None:
            _write_sequence(images(), target.path, target.pattern, target.format)
            return
        with _appearing(target.path) as file:
            if target.format == "gif":
                _write_gif(images(), file, _ticks(count, fps, 100), report)
            elif target.format == "webp":
                _write_webp(images(), file, _ticks(count, fps, 1000))
            else:
                next(images()).save(file, "PNG")


@contextmanager
def _appearing(path: Path) -> Iterator[IO[bytes]]:
    """A file that takes its place only once it is complete, and otherwise leaves nothing."""
    place = path.resolve()  # a link stays a link
    beside = place.with_name(f".{token_hex(8)}.tmp")
    try:
        with open(beside, "xb") as file:
            yield file
        if place.exists():
            copymode(place, beside)
        replace(beside, place)
    finally:
        beside.unlink(missing_ok=True)


def _write_sequence(
    images: Iterator[Image.Image], folder: Path, pattern: str, kind: Format
) -> None:
    """Number the images into a folder, which is made at the end if it is not there."""
    beside = (folder if folder.exists() else folder.absolute().parent) / f".{token_hex(8)}.tmp"
    beside.mkdir()
    try:
        for index, image in enumerate(images):
            image.save(beside / _numbered(pattern, index), kind, lossless=True)
        folder.mkdir(exist_ok=True)
        for complete in sorted(beside.iterdir()):
            replace(complete, folder / complete.name)
    finally:
        rmtree(beside, ignore_errors=True)


def _numbered(pattern: str, index: int) -> str:
    return _NUMBER.sub(lambda number: number[0] % index, pattern)


def _ticks(count: int, fps: float, unit: int) -> list[int]:
    """How long each frame lasts, in 1/unit s, so that what is rounded off never adds up."""
    ends = [round(unit * k / fps) for k in range(count + 1)]
    return [end - begin for begin, end in pairwise(ends)]


class _Film(Image.Image):
    """An image with frames, of which only one at a time is in memory.

    Pillow's WebP writer takes a list of images and keeps it; but of an image with several frames
    it seeks them one after the other.
    """

    def __init__(self, images: Iterator[Image.Image], count: int) -> None:
        super().__init__()
        self.__dict__.update(next(images).__dict__)
        self.n_frames = count
        self._rest = images
        self._frame = 0

    def tell(self) -> int:
        """The frame that is in memory."""
        return self._frame

    def seek(self, frame: int) -> None:
        """Go on to a frame; going back does nothing, as nothing reads a frame twice."""
        while self._frame < frame:
            self.im = next(self._rest).im
            self._frame += 1


def _write_webp(images: Iterator[Image.Image], file: IO[bytes], durations: list[int]) -> None:
    film = _Film(images, len(durations))
    film.save(
        file, "WEBP", save_all=True, lossless=True, quality=40, method=2, duration=durations, loop=0
    )


def _write_gif(
    images: Iterator[Image.Image], file: IO[bytes], durations: list[int], report: Progress
) -> None:
    """One palette for all frames, a dither that stands still, and only what changes in each frame.

    Where a pixel is partly transparent it is either there or not, in a fixed pattern with as many
    pixels there as its alpha says.
    """
    census = _Census()
    film: list[bytes] = []
    for image in images:
        picture = np.asarray(image)
        census.count(picture)
        film.append(zlib.compress(picture.tobytes(), 1))
        shape = picture.shape
    palette, shades = census.palette(_CLEAR)

    height, width, channels = shape
    file.write(b"GIF89a" + struct.pack("<HHBBB", width, height, 0xF7, _CLEAR, 0))
    file.write(np.resize(np.append(palette, np.zeros_like(palette)), (256, 3)).tobytes())
    if len(film) > 1:
        file.write(b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00")
    rows, columns = np.mgrid[:height, :width]
    order = _BAYER[rows % 4, columns % 4]
    # For alpha another pattern (interleaved gradient noise), since with the same one the pixels
    # that are there would always be those that get the darker shade.
    noise = (52.9829189 * ((0.06711056 * columns + 0.00583715 * rows) % 1)) % 1
    before: NDArray[np.uint8] | None = None
    for done, (frame, duration) in enumerate(zip(film, durations, strict=True), 1):
        picture = np.frombuffer(zlib.decompress(frame), np.uint8).reshape(shape)
        indices = shades[_bins(picture), order]
        if channels == 4:
            indices[picture[..., 3] <= noise * 255] = _CLEAR
            changed, disposal = indices != _CLEAR, 2
        elif before is None:
            changed, disposal = np.ones((height, width), bool), 1
        else:
            changed, disposal = indices != before, 1
        before = indices
        shown = np.where(changed, indices, np.uint8(_CLEAR))
        across, down = np.flatnonzero(changed.any(axis=0)), np.flatnonzero(changed.any(axis=1))
        left, right = (across[0], across[-1] + 1) if len(across) else (0, 1)
        top, bottom = (down[0], down[-1] + 1) if len(down) else (0, 1)
        file.write(b"\x21\xf9\x04" + struct.pack("<BHBB", disposal << 2 | 1, duration, _CLEAR, 0))
        file.write(b"\x2c" + struct.pack("<HHHHB", left, top, right - left, bottom - top, 0))
        file.write(_lzw(shown[top:bottom, left:right]))
        report("encoding", done, len(film))
    file.write(b"\x3b")


def _lzw(indices: NDArray[np.uint8]) -> bytes:
    """The compressed pixels of a GIF frame, cut out of a whole GIF by Pillow."""
    whole = BytesIO()
    Image.fromarray(indices).save(whole, "GIF", optimize=False, interlace=False)
    data = whole.getvalue()
    at = 13 + (3 << (data[10] & 7) + 1)  # past the header and its palette
    while data[at] != 0x2C:  # past extension blocks: two bytes, then pieces up to an empty one
        at += 2
        while data[at]:
            at += data[at] + 1
        at += 1
    return data[at + 10 : -1]


def _bins(picture: Pixels) -> NDArray[np.int32]:
    """The bin of each pixel's colour: 6 bits each of red, green and blue."""
    red, green, blue = (_SIX_BITS[picture[..., k]] for k in range(3))
    return red << 12 | green << 6 | blue


class _Census:
    """The colours of a film."""

    def __init__(self) -> None:
        self._sums = np.zeros((4, 1 << 18))

    def count(self, picture: Pixels) -> None:
        """Add a frame."""
        colors = picture.reshape(-1, picture.shape[2])
        if picture.shape[2] == 4:
            colors = colors[colors[:, 3] > 0]
        bins = _bins(colors)
        for row, weight in zip(self._sums, (None, *colors.T[:3]), strict=True):
            row += np.bincount(bins, weight, minlength=row.size)

    def palette(self, size: int) -> tuple[Pixels, Pixels]:
        """At most `size` colours, and how to mix every colour of the film from them.

        Returns:
            The palette, uint8 (n, 3), and for each bin 16 indices into it, (2^18, 16), from dark
            to bright, whose mean is the bin's colour: pick one by the pixel's place.
        """
        present = np.flatnonzero(self._sums[0])
        if not len(present):
            return np.zeros((1, 3), np.uint8), np.zeros((1 << 18, 16), np.uint8)
        count = self._sums[0, present]
        colors = (self._sums[1:, present] / np.maximum(count, 1)).T.astype(np.float32)
        if len(present) <= size:
            palette = colors.round().astype(np.uint8)
        else:
            # A colour's square root of pixels: the background must not eat the palette, and the
            # few brightest pixels are what is looked at.
            share = np.sqrt(count)
            copies = np.maximum(1, share * (500_000 / share.sum())).astype(np.intp)
            crowd = np.repeat(colors.round().astype(np.uint8), copies, axis=0)[None]
            found = Image.fromarray(crowd).quantize(size - 1, Image.Quantize.MEDIANCUT, kmeans=1)
            palette = np.array(found.getpalette(), np.uint8).reshape(-1, 3)[: size - 1]
            palette = np.vstack((palette, crowd[0, copies[: count.argmax()].sum()]))

        # Each further shade makes up for what the ones before it got wrong.
        places = palette.astype(np.float32)
        squares = (places**2).sum(axis=1)
        owed = colors.copy()
        mix = np.empty((len(colors), 16), np.intp)
        for column in mix.T:
            column[:] = (squares - 2 * owed @ places.T).argmin(axis=1)
            owed += colors - places[column]
        brightness = places @ (0.299, 0.587, 0.114)
        mix = np.take_along_axis(mix, brightness[mix].argsort(axis=1), axis=1)
        shades = np.zeros((1 << 18, 16), np.uint8)
        shades[present] = mix
        return palette, shades
