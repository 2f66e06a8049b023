"""The command line: ``gpuparticles render | check | info | schema``.

Commands turn words into calls and results into words. Exit codes: 0 for success, 1 for bad input
(one sentence per mistake on stderr, nothing written), 2 for a command line that makes no sense,
130 when interrupted. Everything heavy is imported inside the commands, so that ``--help`` is
quick and needs no OpenGL.
"""

from __future__ import annotations

import json
import math
import re
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, NoReturn

import typer

from gpuparticles.errors import ContextError, DocumentError, ParticlesError

if TYPE_CHECKING:
    from gpuparticles.effect import Effect, Emitter
    from gpuparticles.record import Camera, Framing, Progress
    from gpuparticles.record.framing import Vector

__all__ = ["main"]

app = typer.Typer(
    name="gpuparticles",
    help="GPU particle effects: render, check and inspect effect files.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def main() -> None:
    """Run the command line of this process."""
    app(prog_name="gpuparticles")


# What an option's text means


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise typer.BadParameter(f"{text!r} is not a number")
    return value


def _not_negative(text: str) -> float:
    value = _number(text)
    if value < 0:
        raise typer.BadParameter(f"{text} is below 0")
    return value


def _positive(text: str) -> float:
    value = _number(text)
    if value <= 0:
        raise typer.BadParameter(f"{text} is not above 0")
    return value


def _angle(text: str) -> float:
    value = _number(text)
    if not 0 < value < 180:
        raise typer.BadParameter(f"{text} degrees is not between 0 and 180")
    return value


class Size(NamedTuple):
    """Width and height in pixels."""

    width: int
    height: int

    def __str__(self) -> str:
        return f"{self.width}x{self.height}"


_SIZE = Size(480, 480)


def _size(text: str | Size) -> Size:
    width, cross, height = str(text).lower().partition("x")
    if not (cross and width.isdecimal() and height.isdecimal() and int(width) and int(height)):
        raise typer.BadParameter(f"{text!r} is not WIDTHxHEIGHT in pixels, such as 640x480")
    return Size(int(width), int(height))


class Place(NamedTuple):
    """A point in the world."""

    x: float
    y: float
    z: float


def _place(text: str) -> Place:
    parts = text.split(",")
    if len(parts) != 3:
        raise typer.BadParameter(f"{text!r} is not X,Y,Z, such as 0,1.5,6")
    return Place(*map(_number, parts))


def _background(text: str) -> tuple[float, float, float] | None:
    if text == "transparent":
        return None
    if not re.fullmatch("#[0-9a-fA-F]{6}", text):
        _misuse(f'{text!r} is neither #rrggbb nor "transparent"', "--background")
    red, green, blue = bytes.fromhex(text[1:])
    return red / 255, green / 255, blue / 255


File = Annotated[Path, typer.Argument(metavar="EFFECT", help="An effect file (JSON).")]
Files = Annotated[list[Path], typer.Argument(metavar="EFFECT...", help="Effect files (JSON).")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")]


@app.callback(invoke_without_command=True)
def _program(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        from gpuparticles import __version__

        typer.echo(f"gpuparticles {__version__}")
        raise typer.Exit


# Commands


@app.command()
def render(
    effect: File,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="OUT",
            help="A .gif or .webp film, a .png picture, a sequence such as frame_%04d.png, "
            "or a folder (its name ending in /) for a sequence of PNGs.",
        ),
    ],
    time: Annotated[
        float | None,
        typer.Option(
            parser=_not_negative,
            metavar="SECONDS",
            help="Render a single picture of this moment. For a .png the middle of the effect "
            "by default.",
        ),
    ] = None,
    duration: Annotated[
        float | None,
        typer.Option(
            parser=_positive,
            metavar="SECONDS",
            help="Length of the film; by default the effect's duration.",
        ),
    ] = None,
    start: Annotated[
        float | None,
        typer.Option(
            parser=_not_negative,
            metavar="SECONDS",
            help="Skip this much of the effect before the film begins.",
        ),
    ] = None,
    fps: Annotated[
        float, typer.Option(parser=_positive, metavar="NUMBER", help="Frames a second.")
    ] = 30.0,
    size: Annotated[
        Size, typer.Option(parser=_size, metavar="WxH", show_default="480x480", help="Pixels.")
    ] = _SIZE,
    seed: Annotated[int, typer.Option(metavar="NUMBER", help="Another seed, other particles.")] = 0,
    background: Annotated[
        str, typer.Option(metavar="COLOR", help='#rrggbb or "transparent".')
    ] = "#000000",
    eye: Annotated[
        Place | None,
        typer.Option(
            parser=_place, metavar="X,Y,Z", help="Place of the camera; by default fitted."
        ),
    ] = None,
    target: Annotated[
        Place | None,
        typer.Option(
            parser=_place, metavar="X,Y,Z", help="What it looks at; by default the effect's middle."
        ),
    ] = None,
    fov: Annotated[
        float | None,
        typer.Option(
            parser=_angle, metavar="DEGREES", help="Vertical field of view; 40 by default."
        ),
    ] = None,
    ortho: Annotated[
        float | None,
        typer.Option(
            parser=_positive,
            metavar="HEIGHT",
            help="No perspective: the picture is this many units high.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Render an effect to a film, a picture or a sequence of pictures.

    Frame K of a film shows the effect (K + 1) / FPS seconds after its start.
    """
    behind = _background(background)
    if time is not None and (duration is not None or start is not None):
        _misuse("a single picture has neither duration nor start", "--time")
    if fov is not None and ortho is not None:
        _misuse("a camera without perspective has no field of view", "--ortho")
    if target is not None and eye is None and ortho is None:
        _misuse("a target needs an --eye to be seen from, or --ortho", "--target")
    if eye is not None and eye == target:
        _misuse("the camera is where it looks", "--eye")

    with _foreseen():
        from gpuparticles import record

        mistakes: list[str] = []
        loaded = _load(effect, mistakes)
        if loaded is not None:
            mistakes.extend(_bad_textures(effect, loaded))
        try:
            out = record.destination(output)
        except ParticlesError as error:
            mistakes.append(str(error))
        if loaded is None or mistakes:
            _fail(mistakes)
        if out.still and (duration is not None or start is not None):
            _misuse("a .png is a single picture: give it a --time", "--output")
        if out.pattern is not None and time is not None:
            _misuse("a single picture is not a sequence", "--time")

        with _progress_bar() as show, _interruptible() as check_signals:

            def progress(doing: str, done: int, total: int) -> None:
                check_signals()
                show(doing, done, total)

            summary = record.render(
                loaded,
                output,
                size=size,
                time=time,
                start=start or 0.0,
                duration=duration,
                fps=fps,
                seed=seed,
                background=behind,
                camera=_camera(eye, target, fov, ortho),
                progress=progress,
            )
    if as_json:
        _print_json(
            {
                "path": str(summary.path),
                "frames": summary.frames,
                "births": summary.births,
                "peak_live": summary.peak_live,
                "dropped": summary.dropped,
                "seconds": round(summary.seconds, 3),
                "frames_per_second": round(summary.frames_per_second, 3),
                "particles_per_second": round(summary.particles_per_second, 1),
            }
        )
        return
    pictures = "picture" if summary.frames == 1 else "frames"
    typer.echo(f"{summary.path}: {summary.frames} {pictures} of {size}")
    typer.echo(
        f"{summary.births:,} particles lived, at most {summary.peak_live:,} at once"
        + (f"; {summary.dropped:,} births found no room" if summary.dropped else "")
    )
    typer.echo(
        f"{summary.frames_per_second:.1f} frames/s, {summary.particles_per_second:,.0f} particles/s"
    )


@app.command()
def check(effects: Files, as_json: AsJson = False) -> None:
    """Validate effect files and open their textures."""
    findings: dict[str, list[str]] = {}
    with _foreseen():
        for path in effects:
            mistakes = findings.setdefault(str(path), [])
            effect = _load(path, mistakes)
            if effect is not None:
                mistakes.extend(_bad_textures(path, effect))
            if not as_json:
                for mistake in mistakes:
                    typer.echo(mistake, err=True)
                if not mistakes:
                    typer.echo(f"{path}: ok")
    if as_json:
        _print_json(
            [
                {"file": file, "ok": not mistakes, "errors": mistakes}
                for file, mistakes in findings.items()
            ]
        )
    if any(findings.values()):
        raise typer.Exit(1)


@app.command()
def info(effect: File, as_json: AsJson = False) -> None:
    """Show what an effect consists of and what it takes to play it."""
    with _foreseen():
        mistakes: list[str] = []
        loaded = _load(effect, mistakes)
        if loaded is None:
            _fail(mistakes)
        mistakes = _bad_textures(effect, loaded)
        if mistakes:
            _fail(mistakes)
        programs: int | None = None
        gpu_bytes: int | None = None
        refusal: str | None = None
        try:
            programs, gpu_bytes = _cost(loaded)
        except ContextError as error:
            refusal = str(error)
        emitters = [_describe(loaded, emitter) for emitter in loaded.emitters]
        textures = sorted({str(texture) for _, texture in _textures(loaded)})
    if as_json:
        _print_json(
            {
                "name": loaded.name,
                "duration": loaded.duration,
                "loop": loaded.loop,
                "emitters": emitters,
                "textures": textures,
                "programs": programs,
                "gpu_bytes": gpu_bytes,
            }
        )
    else:
        pace = f"loops every {loaded.duration:g} s" if loaded.loop else f"{loaded.duration:g} s"
        typer.echo(f"{loaded.name}: {pace}")
        columns = ("emitter", "capacity", "live", "space", "shape", "modifiers", "sprite")
        typer.echo(
            _table(
                columns,
                [
                    (
                        emitter["name"],
                        f"{emitter['capacity']:,}",
                        f"~{emitter['expected_live']:,.0f}",
                        emitter["space"],
                        emitter["shape"],
                        ", ".join(emitter["modifiers"]) or "-",
                        Path(emitter["texture"]).name if emitter["texture"] else "soft disc",
                    )
                    for emitter in emitters
                ],
            )
        )
        for texture in textures:
            typer.echo(f"texture {texture}")
        if gpu_bytes is not None:
            typer.echo(f"{programs} GPU programs, {gpu_bytes / 1e6:.2f} MB of GPU memory")
    if refusal is not None:
        typer.echo(refusal, err=True)


@app.command()
def schema() -> None:
    """Print the JSON Schema of effect files."""
    from gpuparticles.effect import schema as document_schema

    _print_json(document_schema())


# What the commands share


@contextmanager
def _foreseen() -> Iterator[None]:
    """Turn what can go wrong outside this program into a sentence and an exit code."""
    try:
        yield
    except DocumentError as error:
        _fail(error.errors)
    except ParticlesError as error:
        _fail([str(error)])
    except BrokenPipeError:
        raise  # whoever read our output has seen enough: typer ends quietly
    except OSError as error:
        place = f"{error.filename}: " if error.filename is not None else ""
        _fail([f"{place}{error.strerror or error}"])
    except MemoryError:
        _fail(["there is not enough memory for this"])
    except KeyboardInterrupt:
        raise typer.Exit(130) from None


def _fail(mistakes: Sequence[str]) -> NoReturn:
    for mistake in mistakes:
        typer.echo(mistake, err=True)
    raise typer.Exit(1)


def _misuse(sentence: str, option: str) -> NoReturn:
    raise typer.BadParameter(sentence, param_hint=option)


def _print_json(answer: object) -> None:
    typer.echo(json.dumps(answer, indent=2, ensure_ascii=False))


def _load(path: Path, mistakes: list[str]) -> Effect | None:
    from gpuparticles.effect import load

    try:
        return load(path)
    except DocumentError as error:
        mistakes.extend(error.errors)
    except ParticlesError as error:
        mistakes.append(str(error))
    return None


def _textures(effect: Effect) -> list[tuple[int, Path]]:
    """The texture files of an effect, each with the index of its emitter."""
    return [
        (index, Path(emitter.sprite.texture))
        for index, emitter in enumerate(effect.emitters)
        if isinstance(emitter.sprite.texture, str | Path)
    ]


def _bad_textures(path: Path, effect: Effect) -> list[str]:
    from PIL import Image

    mistakes = []
    for index, texture in _textures(effect):
        try:
            with Image.open(texture) as image:
                image.load()
        except Exception as error:  # Pillow's decoders raise nearly anything on corrupt data
            reason = error.strerror if isinstance(error, OSError) else None
            mistakes.append(
                f"{path}: emitters[{index}].sprite.texture: {texture} cannot be read as an image: "
                f"{reason or error}"
            )
    return mistakes


def _camera(
    eye: Place | None,
    target: Place | None,
    fov: float | None,
    ortho: float | None,
) -> Framing | None:
    """The camera that the options ask for; what they leave open is fitted to the effect."""
    if eye is None and target is None and fov is None and ortho is None:
        return None

    def frame(lower: Vector, upper: Vector, aspect: float) -> Camera:
        import numpy as np

        from gpuparticles.draw.camera import fit, look_at, orthographic, perspective

        if eye is None and ortho is None:
            return fit(lower, upper, aspect, fov_y=fov, elevation=5)
        middle = (lower + upper) / 2 if target is None else np.array(target)
        start = middle + np.array((0, 0, 1)) if eye is None else np.array(eye)
        view = look_at(start, middle)
        distance = float(np.linalg.norm(start - middle))
        if ortho is None:
            return view, perspective(fov or 40, aspect, distance / 100, distance * 1000)
        up, across, deep = ortho / 2, ortho / 2 * aspect, 1000 * ortho + distance
        return view, orthographic(-across, across, -up, up, -deep, deep)

    return frame


def _cost(effect: Effect) -> tuple[int, int]:
    """How many GPU programs and how many bytes of GPU memory an effect takes when it plays."""
    from gpuparticles.gpu import create_context
    from gpuparticles.system import ParticleSystem

    ctx = create_context()
    try:
        particles = ParticleSystem(ctx)
        particles.play(effect)
        stats = particles.stats
        particles.release()
    finally:
        ctx.release()
    return stats.programs, stats.gpu_bytes


def _describe(effect: Effect, emitter: Emitter) -> dict[str, Any]:
    texture = emitter.sprite.texture
    return {
        "name": emitter.name,
        "capacity": emitter.capacity,
        "expected_live": round(_expected_live(effect, emitter), 1),
        "duration": effect.duration_of(emitter),
        "loop": effect.loop_of(emitter),
        "space": emitter.space,
        "shape": emitter.shape.kind,
        "modifiers": [modifier.kind for modifier in effect.modifiers_of(emitter)],
        "texture": str(texture) if isinstance(texture, str | Path) else None,
    }


def _expected_live(effect: Effect, emitter: Emitter) -> float:
    """How many particles live on average while a loop runs, or at the height of a single run."""
    from gpuparticles.effect import span

    low, high = span(emitter.lifetime)
    duration = effect.duration_of(emitter)
    births = emitter.rate * duration + sum(burst.count for burst in emitter.bursts)
    if not births:
        return 0.0
    if effect.loop_of(emitter):
        live = births / duration * (low + high) / 2
        return min(live, emitter.capacity)

    def lived(age: float) -> float:
        """Seconds that a particle has lived on average when it would be this old."""
        if age <= low:
            return max(age, 0.0)
        end = min(age, high)
        return end - (end - low) ** 2 / (2 * (high - low)) if high > low else low

    def alive(age: float) -> float:
        """The share of particles still alive at an age."""
        if age < 0 or high == low:
            return float(0 <= age < high)
        return min(max((high - age) / (high - low), 0.0), 1.0)

    ends = [duration, *(burst.time for burst in emitter.bursts)]
    live = max(
        emitter.rate * (lived(now) - lived(now - duration))
        + sum(burst.count * alive(now - burst.time) for burst in emitter.bursts)
        for now in ends
    )
    return min(live, emitter.capacity)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    lines = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in (heads, *rows)
    )
    return "\n".join(lines)


@contextmanager
def _interruptible() -> Iterator[Callable[[], None]]:
    """Let signals wait until the function that this gives is called, which then ends the command.

    moderngl crashes where an exception comes out of Python that it calls, and a signal may come
    just there. A second signal does not wait.
    """
    received: list[int] = []

    def end() -> None:
        if received:
            raise typer.Exit(128 + received[0])

    def receive(number: int, _: object) -> None:
        end()
        received.append(number)

    before = {each: signal.signal(each, receive) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield end
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


@contextmanager
def _progress_bar() -> Iterator[Progress]:
    """A progress bar on stderr if that is a terminal, otherwise nothing."""
    if not sys.stderr.isatty():
        yield lambda *_: None
        return
    from rich import progress
    from rich.console import Console

    with progress.Progress(
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    ) as bar:
        task = bar.add_task("preparing", total=None)

        def show(doing: str, done: int, total: int) -> None:
            bar.update(task, description=doing, completed=done, total=total)

        yield show
