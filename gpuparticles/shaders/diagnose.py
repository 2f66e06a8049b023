"""Turns a driver's log into one error that names our file and line and shows it."""

from __future__ import annotations

import re

from gpuparticles.errors import ShaderError
from gpuparticles.shaders.sources import Line, Source

__all__ = ["diagnose"]

# Mesa says `0:3(5): error: ...`, NVIDIA `0(3) : error ...`, AMD, Intel and Apple `ERROR: 0:3: ...`.
_PLACES = (
    re.compile(r"^\s*\d+:(\d+)\(\d+\):\s*(.*)$"),
    re.compile(r"^\s*\d+\((\d+)\)\s*:\s*(.*)$"),
    re.compile(r"^\s*ERROR:\s*\d+:(\d+):\s*(.*)$"),
)
_STAGES = ("vertex_shader", "fragment_shader")


def diagnose(log: str, vertex: Source, fragment: Source) -> ShaderError:
    """Explain why a driver refused a program.

    Args:
        log: The driver's text, or the message of the exception that carried it.
        vertex: Text of the vertex stage.
        fragment: Text of the fragment stage.

    Returns:
        An error with one ``file:line: what the driver said`` per message that has a place, each
        followed by the line itself, or the whole log where none has.
    """
    source = vertex if _STAGES[0] in log and _STAGES[1] not in log else fragment
    found: dict[Line, str] = {}
    for text in log.splitlines():
        match = next((match for place in _PLACES if (match := place.match(text))), None)
        if match and "warning" not in match[2]:
            # What follows for the same line are candidates and consequences.
            found.setdefault(_line(source, int(match[1])), match[2])
    if not found:
        return ShaderError(f"the driver refused a shader: {log.strip()}")
    return ShaderError(
        "\n".join(
            f"{line.file}:{line.number}: {said}\n    {line.text.strip()}"
            for line, said in found.items()
        )
    )


def _line(source: Source, number: int) -> Line:
    return source.lines[min(max(number, 1), len(source.lines)) - 1]
