"""How a command answers: words or JSON on stdout, mistakes on stderr with an exit code."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NoReturn

import typer

from gpuparticles.errors import DocumentError, ParticlesError


@contextmanager
def foreseen() -> Iterator[None]:
    """Turn what can go wrong outside this program into a sentence and an exit code."""
    try:
        yield
    except DocumentError as error:
        fail(error.errors)
    except ParticlesError as error:
        fail([str(error)])
    except BrokenPipeError:
        raise  # whoever read our output has seen enough: typer ends quietly
    except OSError as error:
        place = f"{error.filename}: " if error.filename is not None else ""
        fail([f"{place}{error.strerror or error}"])
    except MemoryError:
        fail(["there is not enough memory for this"])
    except KeyboardInterrupt:
        raise typer.Exit(130) from None


def fail(mistakes: Sequence[str]) -> NoReturn:
    """End with exit code 1 and a line on stderr for each mistake."""
    for mistake in mistakes:
        typer.echo(mistake, err=True)
    raise typer.Exit(1)


def print_json(answer: object) -> None:
    """Print an answer for programs."""
    typer.echo(json.dumps(answer, indent=2, ensure_ascii=False))


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Rows under their heads, each column as wide as its widest cell."""
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    lines = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in (heads, *rows)
    )
    return "\n".join(lines)
