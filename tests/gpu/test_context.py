from __future__ import annotations

import moderngl
import pytest

from gpuparticles.errors import ContextError
from gpuparticles.gpu import context
from gpuparticles.gpu.context import check_context, create_context


def test_a_context_passes_and_is_given_back(ctx: moderngl.Context) -> None:
    assert check_context(ctx) is ctx


@pytest.mark.parametrize("thing", [None, 3, "window"])
def test_anything_else_is_named(thing: object) -> None:
    with pytest.raises(ContextError, match=f"got {type(thing).__name__}$"):
        check_context(thing)


def test_a_version_that_nobody_has_says_what_to_install(ctx: moderngl.Context) -> None:
    with pytest.raises(ContextError, match=r"OpenGL 9\.9 .*apt-get install libegl1"):
        create_context(require=990)
    assert context
