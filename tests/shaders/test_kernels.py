"""Every kind has one kernel file, and its function takes what its class gives."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from gpuparticles.effect import (
    Drag,
    Kind,
    Modifier,
    Scaled,
    Shape,
    Sphere,
    fields_of,
    kinds,
    random,
)
from gpuparticles.shaders.sources import glsl_folder
from tests.shaders.conftest import example

FAMILIES: dict[str, type[Kind]] = {"shapes": Shape, "modifiers": Modifier}
KINDS = {
    f"{folder}/{kind}": cls
    for folder, family in FAMILIES.items()
    for kind, cls in kinds(family).items()
}

# Names that GLSL keeps for itself, of which a field may be one: its parameter says more then.
RESERVED = {"half", "filter", "active", "common", "input", "output", "partition", "sample"}


def kernel(name: str) -> str:
    return (glsl_folder() / f"{name}.glsl").read_text(encoding="utf-8")


def shader_files() -> list[Path]:
    """Everything in the tree that is compiled."""
    return [path for path in glsl_folder().rglob("*") if path.suffix in (".glsl", ".vert", ".frag")]


def code(text: str) -> str:
    """GLSL without its comments."""
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)


def functions(text: str) -> list[tuple[str, str, list[tuple[str, str]]]]:
    """All functions that a GLSL text defines: (result, name, [(type, parameter)])."""
    found = re.findall(r"^(\w+) (\w+)\(([^)]*)\) \{", code(text), re.MULTILINE)
    return [
        (
            result,
            name,
            [tuple(p.rsplit(maxsplit=1)) for p in re.split(r",\s*", parameters.strip()) if p],
        )
        for result, name, parameters in found
    ]


@pytest.mark.parametrize("folder", FAMILIES)
def test_files_and_classes_correspond_one_to_one(folder: str) -> None:
    files = {path.stem for path in (glsl_folder() / folder).iterdir()}
    assert files == set(kinds(FAMILIES[folder]))
    assert {path.suffix for path in (glsl_folder() / folder).iterdir()} == {".glsl"}


@pytest.mark.parametrize("name", KINDS)
def test_a_kernel_takes_the_fields_of_its_class_in_order(name: str) -> None:
    """Same types, same names; the only other function-like thing in a file is that function."""
    cls = KINDS[name]
    ((result, function, parameters),) = functions(kernel(name))
    if issubclass(cls, Shape):
        head, expected = [("inout Birth", "birth")], ("void", "emit")
    else:
        head = [("Particle", "p")]
        head += [("float", "h")] if cls.role in ("motion", "limit") else []
        if cls.role == "constraint":
            head = [("inout Particle", "p"), ("Particle", "before")]
            head += [("float", "h"), ("inout Contact", "contact")]
        results = {"drag": "float", "flow": "Pull", "constraint": "void"}
        expected = (results.get(cls.role, "vec3"), "modify")
        if example(cls).phased:
            assert parameters.pop() == ("vec4", "phase")
    assert (result, function) == (expected[0], f"{expected[1]}_{cls.kind}")
    assert parameters[: len(head)] == head
    fields = fields_of(cls)
    assert [type_ for type_, _ in parameters[len(head) :]] == [field.type for field in fields]
    for (_, parameter), field in zip(parameters[len(head) :], fields, strict=True):
        assert parameter not in RESERVED
        if field.name in RESERVED:
            assert parameter.startswith(f"{field.name}_")
        else:
            assert parameter == field.name


@pytest.mark.parametrize("name", KINDS)
def test_a_kernel_says_what_it_does(name: str) -> None:
    assert kernel(name).startswith("// ")


@pytest.mark.parametrize("kind", kinds(Shape))
def test_a_shape_draws_as_often_as_its_twin(kind: str) -> None:
    """One random_next in the kernel for each next() in Python, in whatever order they are read."""
    cls = kinds(Shape)[kind]
    numbers = random.Random(np.arange(4))
    drawn = 0
    draw = numbers.next

    def count() -> np.ndarray:
        nonlocal drawn
        drawn += 1
        return draw()

    numbers.next = count
    example(cls).sample(numbers)
    text = code(kernel(f"shapes/{kind}"))
    assert text.count("random_next(birth)") + text.count("arc_next(birth)") == drawn


def test_a_forces_strength_comes_first() -> None:
    """The engine scales the first field of a modifier, so it is one that can be scaled."""
    for cls in kinds(Modifier).values():
        if not issubclass(cls, Scaled):
            continue
        assert fields_of(cls)[0].type in ("float", "vec3")
        assert fields_of(cls)[0].role != "point"


def test_python_and_glsl_agree_on_the_random_channels() -> None:
    text = (glsl_folder() / "lib/random.glsl").read_text(encoding="utf-8")
    channels = dict(re.findall(r"const uint CHANNEL_(\w+) = (\d+)u;", text))
    assert {"SHAPE", "MODIFIER", "DIRECTION", "VELOCITY"} <= channels.keys()
    for name, number in channels.items():
        assert getattr(random, name) == int(number), name


def test_glsl_says_nothing_of_what_the_line_map_replaces() -> None:
    """No #version, which the composer writes, and no #line, which drivers get wrong."""
    for path in shader_files():
        assert not re.search(r"#\s*(version|line)", path.read_text(encoding="utf-8")), path


def test_shaders_are_ascii() -> None:
    """GLSL 3.30 knows nothing else, comments included."""
    for path in shader_files():
        assert path.read_bytes().isascii(), path


def test_signatures_are_parsed_as_they_stand() -> None:
    """The parser of this file, on what it has to tell apart."""
    text = "// vec3 not(int a) {\nvoid emit_x(inout Birth birth,\n    float r) {\n}\n"
    assert functions(text) == [("void", "emit_x", [("inout Birth", "birth"), ("float", "r")])]
    assert [f.name for f in fields_of(Sphere)] == ["radius", "thickness", "half"]
    assert [f.name for f in fields_of(Drag)] == ["rate"]
