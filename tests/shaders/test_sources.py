"""Where shader text comes from."""

from __future__ import annotations

from pathlib import Path

import pytest

import gpuparticles
from gpuparticles.errors import ShaderError
from gpuparticles.shaders import Source
from gpuparticles.shaders.sources import Line, glsl_folder, read


def test_the_tree_is_in_the_package_or_beside_it() -> None:
    package = Path(gpuparticles.__file__).resolve().parent
    assert glsl_folder() in (package / "glsl", package.parent / "glsl")
    assert (glsl_folder() / "passes/update.frag").is_file()


def test_a_file_is_read_line_by_line() -> None:
    lines = read("passes/update.frag")
    text = (glsl_folder() / "passes/update.frag").read_text(encoding="utf-8")
    assert [line.text for line in lines] == text.splitlines()
    assert [line.number for line in lines] == list(range(1, len(lines) + 1))
    assert {line.file for line in lines} == {"passes/update.frag"}


def test_a_missing_file_is_named() -> None:
    with pytest.raises(ShaderError, match=r"^modifiers/gone\.glsl: the shader file cannot be read"):
        read("modifiers/gone.glsl")


def test_a_missing_tree_names_both_places(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpuparticles.shaders.sources._MARK", "lib/nothing.glsl")
    with pytest.raises(ShaderError, match=r"missing: neither .*glsl nor .*glsl holds lib/nothing"):
        glsl_folder.__wrapped__()


def test_sources_are_equal_when_their_text_is() -> None:
    """Where a line comes from does not keep programs from being shared."""
    a = Source((Line("x", "a.glsl", 1), Line("y", "a.glsl", 2)))
    b = Source((Line("x", "b.glsl", 8), Line("y", "c.glsl", 9)))
    other = Source((Line("x", "a.glsl", 1), Line("z", "a.glsl", 2)))
    assert a == b
    assert hash(a) == hash(b)
    assert a != other
    assert a.text == "x\ny\n"
