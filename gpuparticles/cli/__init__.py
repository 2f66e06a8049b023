"""The command line: ``gpuparticles render | check | info | schema | presets``.

Commands turn words into calls and results into words. Exit codes: 0 for success, 1 for bad input
(one sentence per mistake on stderr, nothing written), 2 for a command line that makes no sense,
130 when interrupted. Everything heavy is imported inside the commands, so that ``--help`` is
quick and needs no OpenGL.
"""

from __future__ import annotations

from typing import Annotated

import typer

from gpuparticles.cli import inspect, presets, render

__all__ = ["app", "main"]

app = typer.Typer(
    name="gpuparticles",
    help="GPU particle effects: render, check and inspect effect files.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def _program(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        from gpuparticles import __version__

        typer.echo(f"gpuparticles {__version__}")
        raise typer.Exit


app.command()(render.render)
app.command()(inspect.check)
app.command()(inspect.info)
app.command()(inspect.schema)
app.command()(presets.presets)


def main() -> None:
    """Run the command line of this process."""
    app(prog_name="gpuparticles")
