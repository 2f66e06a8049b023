"""``gpuparticles render``."""

from __future__ import annotations

from typing import Annotated

import typer

from gpuparticles.cli import options
from gpuparticles.cli.answers import fail, foreseen, print_json
from gpuparticles.cli.camera import camera
from gpuparticles.cli.files import load, textures
from gpuparticles.cli.options import AsJson, File, Place, Size
from gpuparticles.cli.progress import progress_bar
from gpuparticles.cli.signals import interruptible
from gpuparticles.errors import ParticlesError

_SIZE = Size(480, 480)


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
            parser=options.not_negative,
            metavar="SECONDS",
            help="Render a single picture of this moment. For a .png the middle of the effect "
            "by default.",
        ),
    ] = None,
    duration: Annotated[
        float | None,
        typer.Option(
            parser=options.positive,
            metavar="SECONDS",
            help="Length of the film; by default the effect's duration.",
        ),
    ] = None,
    start: Annotated[
        float | None,
        typer.Option(
            parser=options.not_negative,
            metavar="SECONDS",
            help="Skip this much of the effect before the film begins.",
        ),
    ] = None,
    fps: Annotated[
        float, typer.Option(parser=options.positive, metavar="NUMBER", help="Frames a second.")
    ] = 30.0,
    size: Annotated[
        Size,
        typer.Option(parser=options.size, metavar="WxH", show_default="480x480", help="Pixels."),
    ] = _SIZE,
    seed: Annotated[int, typer.Option(metavar="NUMBER", help="Another seed, other particles.")] = 0,
    background: Annotated[
        str, typer.Option(metavar="COLOR", help='#rrggbb or "transparent".')
    ] = "#000000",
    eye: Annotated[
        Place | None,
        typer.Option(
            parser=options.place, metavar="X,Y,Z", help="Place of the camera; by default fitted."
        ),
    ] = None,
    target: Annotated[
        Place | None,
        typer.Option(
            parser=options.place,
            metavar="X,Y,Z",
            help="What it looks at; by default the effect's middle.",
        ),
    ] = None,
    fov: Annotated[
        float | None,
        typer.Option(
            parser=options.angle, metavar="DEGREES", help="Vertical field of view; 40 by default."
        ),
    ] = None,
    ortho: Annotated[
        float | None,
        typer.Option(
            parser=options.height,
            metavar="HEIGHT",
            help="No perspective: the picture is this many units high.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Render an effect to a film, a picture or a sequence of pictures.

    Frame K of a film shows the effect (K + 1) / FPS seconds after its start.
    """
    behind = options.background(background)
    if time is not None and (duration is not None or start is not None):
        options.misuse("a single picture has neither duration nor start", "--time")
    if fov is not None and ortho is not None:
        options.misuse("a camera without perspective has no field of view", "--ortho")
    if target is not None and eye is None and ortho is None:
        options.misuse("a target needs an --eye to be seen from, or --ortho", "--target")
    if eye is not None and eye == target:
        options.misuse("the camera is where it looks", "--eye")

    with foreseen():
        from gpuparticles import record

        mistakes: list[str] = []
        loaded = load(effect, mistakes)
        try:
            out = record.destination(output)
        except ParticlesError as error:
            mistakes.append(str(error))
        else:
            sources = [("file", effect)]
            if loaded is not None:
                sources += [("texture", texture) for _, texture in textures(loaded)]
            mistakes += [
                f"{output} cannot be written: it would replace the effect's {role} {source}"
                for role, source in dict.fromkeys(sources)
                if out.replaces(source)
            ]
        if loaded is None or mistakes:
            fail(mistakes)
        if out.still and (duration is not None or start is not None):
            given = "--duration" if duration is not None else "--start"
            numbered = out.path.with_name(f"{out.path.stem}_%04d.png")
            options.misuse(
                f"a .png is one picture: leave out {given}, or give a numbered name such as "
                f"{numbered.name}",
                "--output",
            )
        if out.pattern is not None and time is not None:
            options.misuse("a single picture is not a sequence", "--time")

        with progress_bar() as show, interruptible() as check_signals:

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
                camera=camera(eye, target, fov, ortho),
                progress=progress,
            )
    if not summary.peak_live:
        if time is not None or out.still:
            moment = loaded.duration / 2 if time is None else time
            hint = f"nothing lives at {moment:g} s; another --time may show more"
        else:
            hint = "nothing lives in any frame; another --start may show more"
        typer.echo(hint, err=True)
    if as_json:
        print_json(
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
