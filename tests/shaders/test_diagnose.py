"""What drivers say about a shader, as one error that names our file and line."""

from __future__ import annotations

from collections.abc import Iterator

import moderngl
import pytest

from gpuparticles.errors import ShaderError
from gpuparticles.gpu.context import create_context
from gpuparticles.gpu.programs import Programs
from gpuparticles.shaders import Source, diagnose
from gpuparticles.shaders.sources import Line

VERTEX = Source((Line("#version 330 core", "v.vert", 0), Line("void main() {}", "v.vert", 1)))
FRAGMENT = Source(
    (
        Line("#version 330 core", "f.frag", 0),
        Line("float twice(float x) {", "lib/a.glsl", 7),
        Line("    return 2.0 * y;", "lib/a.glsl", 8),
        Line("}", "lib/a.glsl", 9),
        Line("out vec4 color;", "f.frag", 2),
        Line("void main() { color = vec4(twice(1.0)); }", "f.frag", 3),
    )
)

MESA = "0:3(15): error: `y' undeclared"
NVIDIA = '0(3) : error C1503: undefined variable "y"'
AMD = "ERROR: 0:3: 'y' : undeclared identifier"


@pytest.mark.parametrize("log", [MESA, NVIDIA, AMD], ids=["mesa", "nvidia", "amd"])
def test_each_vendors_log_leads_to_the_line(log: str) -> None:
    error = diagnose(f"GLSL Compiler failed\n\nfragment_shader\n===\n{log}\n", VERTEX, FRAGMENT)
    assert isinstance(error, ShaderError)
    place, shown = str(error).split("\n")
    assert place.startswith("lib/a.glsl:8: ")
    assert "y" in place
    assert shown == "    return 2.0 * y;"


def test_the_stage_is_the_one_that_the_log_names() -> None:
    error = diagnose("vertex_shader\n=====\n0:2(1): error: no\n", VERTEX, FRAGMENT)
    assert str(error) == "v.vert:1: error: no\n    void main() {}"


def test_several_lines_are_told_in_order_and_each_once() -> None:
    log = "0:3(1): error: one\n0:3(9): error: its consequence\n0:6(1): error: two\n"
    error = diagnose(log, VERTEX, FRAGMENT)
    assert str(error).splitlines() == [
        "lib/a.glsl:8: error: one",
        "    return 2.0 * y;",
        "f.frag:3: error: two",
        "    void main() { color = vec4(twice(1.0)); }",
    ]


def test_warnings_are_no_errors() -> None:
    log = f"0:2(1): warning: `x' unused\n{MESA}\n"
    assert str(diagnose(log, VERTEX, FRAGMENT)).startswith("lib/a.glsl:8: ")


@pytest.mark.parametrize("line", [0, 99])
def test_a_line_that_is_not_there_is_the_nearest(line: int) -> None:
    error = diagnose(f"0:{line}(1): error: odd", VERTEX, FRAGMENT)
    assert str(error).startswith("f.frag:0: " if line == 0 else "f.frag:3: ")


def test_a_log_without_a_place_is_given_whole() -> None:
    error = diagnose("out of memory\n", VERTEX, FRAGMENT)
    assert str(error) == "the driver refused a shader: out of memory"


@pytest.fixture
def own_ctx() -> Iterator[moderngl.Context]:
    """A context for failures: moderngl never deletes the parts of a program that does not link."""
    context = create_context()
    with context:
        yield context
        assert context.error == "GL_NO_ERROR"
        assert len(Programs.of(context)) == 0
    context.release()


def test_this_driver_is_understood(own_ctx: moderngl.Context) -> None:
    """A program with a mistake in an included file: our file, our line, and the line itself."""
    with pytest.raises(ShaderError) as caught:
        Programs.of(own_ctx).acquire((VERTEX, FRAGMENT))
    assert str(caught.value).startswith("lib/a.glsl:8: ")
    assert "return 2.0 * y;" in str(caught.value)


def test_a_mistake_in_the_vertex_stage_too(own_ctx: moderngl.Context) -> None:
    wrong = Source((*VERTEX.lines[:1], Line("void main() { gl_Position = z; }", "v.vert", 1)))
    right = Source(
        (
            *FRAGMENT.lines[:1],
            Line("out vec4 color;", "f.frag", 1),
            Line("void main() { color = vec4(1.0); }", "f.frag", 2),
        )
    )
    with pytest.raises(ShaderError, match=r"^v\.vert:1: .*z"):
        Programs.of(own_ctx).acquire((wrong, right))
