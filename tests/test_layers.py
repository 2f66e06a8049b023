"""Imports run downhill: who may import whom, read from the source and from fresh processes."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import gpuparticles

PACKAGE = Path(gpuparticles.__file__).parent

# Names on one line are level with each other and never import each other.
LAYERS = [
    ("errors",),
    ("effect",),
    ("playback", "shaders", "importers", "content"),
    ("gpu",),
    ("draw",),
    ("system",),
    ("record",),
    ("viewer",),
    ("cli",),
]
HEIGHT = {name: height for height, names in enumerate(LAYERS) for name in names}
GL = {"moderngl", "glcontext"}
# What starts a layer from outside of it, and so may name any of them.
DOORS = {"__init__", "__main__"}


def layer_of(path: Path) -> str:
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def imports_of(tree: ast.Module) -> list[tuple[int, str]]:
    """All imports of a module, wherever in it they stand: (line, absolute dotted name)."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            found += [(node.lineno, f"{module}.{alias.name}") for alias in node.names]
    return found


def violations(layer: str, imports: list[tuple[int, str]]) -> list[str]:
    """What a module of this layer imports against the rule, as 'line: sentence'."""
    wrong = []
    for line, name in imports:
        top, *rest = name.split(".")
        if not top:
            wrong.append(f"{line}: a relative import")
        elif top in GL and HEIGHT[layer] < HEIGHT["gpu"]:
            wrong.append(f"{line}: {layer} imports {top}")
        elif top == "gpuparticles" and rest[0] in HEIGHT and rest[0] != layer:
            if HEIGHT[rest[0]] >= HEIGHT[layer]:
                wrong.append(f"{line}: {layer} imports {rest[0]}")
        elif top == "gpuparticles" and rest[0] not in HEIGHT and rest[0] != "__version__":
            # Through the front door everything is in reach, and the layer out of sight.
            wrong.append(f"{line}: {layer} imports {rest[0]} from gpuparticles itself")
    return wrong


def test_every_module_belongs_to_a_layer() -> None:
    """A new module or folder must be placed in LAYERS."""
    layers = {layer_of(path) for path in PACKAGE.rglob("*.py") if "glsl" not in path.parts}

    assert layers - DOORS <= HEIGHT.keys()


def test_imports_run_downhill() -> None:
    wrong = [
        f"{path.relative_to(PACKAGE)}:{sentence}"
        for path in sorted(PACKAGE.rglob("*.py"))
        if layer_of(path) not in DOORS
        for sentence in violations(layer_of(path), imports_of(ast.parse(path.read_bytes())))
    ]

    assert wrong == []


@pytest.mark.parametrize(
    ("layer", "source", "expected"),
    [
        ("gpu", "import moderngl", []),
        ("playback", "from gpuparticles.effect.values import Range", []),
        ("draw", "def f():\n    from gpuparticles import __version__", []),
        ("effect", "import numpy\nimport moderngl", ["2: effect imports moderngl"]),
        ("effect", "from .values import Range", ["1: a relative import"]),
        ("playback", "import gpuparticles.shaders", ["1: playback imports shaders"]),
        ("gpu", "def f():\n    from gpuparticles import draw", ["2: gpu imports draw"]),
        (
            "draw",
            "from gpuparticles import Effect",
            ["1: draw imports Effect from gpuparticles itself"],
        ),
    ],
)
def test_the_reader_sees_what_is_wrong(layer: str, source: str, expected: list[str]) -> None:
    assert expected == violations(layer, imports_of(ast.parse(source)))


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        ("import gpuparticles", {"moderngl", "numpy", "pydantic", "PIL"}),
        ("import gpuparticles.effect, gpuparticles.playback, gpuparticles.shaders", GL),
    ],
)
def test_importing_leaves_out_what_is_not_needed(statement: str, absent: set[str]) -> None:
    """Asked in a fresh process, since this one has imported everything already."""
    code = f"import sys\n{statement}\nprint(*sorted({absent!r} & sys.modules.keys()))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout.split()

    assert loaded == []
