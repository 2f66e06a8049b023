"""What docs/coverage.md says of other systems' features can be said here: each line runs."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import moderngl
import numpy as np
import pytest

import gpuparticles as gp
from gpuparticles import record
from gpuparticles.effect import Shape, parse

PAGE = (Path(__file__).parents[2] / "docs" / "coverage.md").read_text(encoding="utf-8")
THERE, _, LATER = PAGE.partition("\n## Not there yet\n")
ROWS = re.findall(r"^\| (.+) \| .+ \| `([^`]+)` \|$", THERE, re.M)


def names_in(code: str) -> set[str]:
    """The names that a line uses."""
    return {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)}


PLAYING = [code for _, code in ROWS if names_in(code) & {"fire", "particles", "effect"}]
DESCRIBING = [code for _, code in ROWS if code not in PLAYING]


@pytest.mark.parametrize("code", DESCRIBING)
def test_what_a_line_describes_survives_a_file(code: str) -> None:
    """It is an effect, or a part of one."""
    value = eval(code, {"gp": gp})
    for part in value if isinstance(value, tuple) else (value,):
        effect = as_effect(part)
        assert parse(effect.to_json()) == effect


@pytest.mark.parametrize("code", dict.fromkeys(PLAYING))
def test_the_line_runs(
    code: str, ctx: moderngl.Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a system in which an effect plays; what it changed can be played on and drawn."""
    monkeypatch.chdir(tmp_path)
    picture = ctx.renderbuffer((16, 16))
    target = ctx.framebuffer([picture])
    target.use()
    particles = gp.ParticleSystem(ctx)
    effect = gp.Effect("fire", [gp.Emitter("e")])
    names: dict[str, Any] = {
        "gp": gp,
        "np": np,
        "record": record,
        "particles": particles,
        "effect": effect,
        "fire": particles.play(effect),
        "view": gp.look_at((0, 0, 5), (0, 0, 0)),
        "projection": gp.perspective(40, 1, 0.1, 50),
    }
    exec(code, names)
    particles.update(0.1)
    particles.draw(names["view"], names["projection"])
    particles.release()
    target.release()
    picture.release()


def as_effect(part: object) -> gp.Effect:
    """An effect that holds a description."""
    match part:
        case gp.Effect():
            return part
        case gp.Emitter():
            return gp.Effect("row", [part])
        case Shape():
            return gp.Effect("row", [gp.Emitter("e", shape=part)])
    raise AssertionError(f"{part!r} is no part of an effect")


def test_every_row_has_a_line_that_runs() -> None:
    """A row without code would claim what nobody checks."""
    lines = [line for line in THERE.splitlines() if line.startswith("| ")]
    heads = [line for line in lines if line.startswith("| There |")]

    assert len(ROWS) == len(lines) - len(heads) > 80
    assert len(re.findall(r"^## ", THERE, re.M)) == 4


def test_what_is_not_there_is_not_claimed() -> None:
    """It is a list, without tables and without code of ours."""
    assert "|" not in LATER
    assert "gp." not in LATER
    assert not {theirs for theirs, _ in ROWS} & set(re.findall(r"^- (.+)$", LATER, re.M))
