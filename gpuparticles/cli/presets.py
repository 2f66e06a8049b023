"""``gpuparticles presets``: the effects that come with the package, as words and as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gpuparticles.cli.answers import fail, foreseen, print_json, table
from gpuparticles.cli.options import AsJson
from gpuparticles.cli.progress import progress_bar
from gpuparticles.cli.signals import interruptible


def presets(
    sheet: Annotated[
        Path | None,
        typer.Option(
            "--sheet", metavar="OUT.png", help="Render all of them into one picture as well."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the effects that come with the package.

    Each name is an EFFECT for the other commands: ``gpuparticles render fire -o fire.gif``.
    """
    with foreseen():
        from gpuparticles import content, record

        if sheet is not None and (record.destination(sheet).format, sheet.suffix) != (
            "png",
            ".png",
        ):
            fail([f"{sheet}: a sheet is one picture; give it a name that ends in .png"])
        effects = {name: content.preset(name) for name in content.presets()}
        if sheet is not None:
            with progress_bar() as show, interruptible() as check_signals:

                def progress(doing: str, done: int, total: int) -> None:
                    check_signals()
                    show(doing, done, total)

                picture = record.sheet(effects, progress=progress)
                record.write([picture], sheet, count=1)
    if as_json:
        print_json(
            [
                {
                    "name": name,
                    "description": effect.description,
                    "path": str(content.path_of(name)),
                }
                for name, effect in effects.items()
            ]
        )
        return
    typer.echo(
        table(
            ("preset", "emitters", "what it is"),
            [
                (name, str(len(effect.emitters)), effect.description or "")
                for name, effect in effects.items()
            ],
        )
    )
    if sheet is not None:
        typer.echo(f"{sheet}: {len(effects)} effects")
