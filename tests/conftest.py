"""Fixtures for all tests. A missing OpenGL driver fails them; it never skips them."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from ctypes import c_int
from itertools import compress
from typing import Any, NoReturn

import hypothesis
import moderngl
import numpy as np
import pytest

from gpuparticles.gpu.context import create_context
from gpuparticles.gpu.gl import GL

hypothesis.settings.register_profile("deterministic", derandomize=True, deadline=None)
hypothesis.settings.load_profile("deterministic")

_KINDS = {
    "Texture": "Textures",
    "Buffer": "Buffers",
    "Framebuffer": "Framebuffers",
    "Renderbuffer": "Renderbuffers",
    "VertexArray": "VertexArrays",
    "Sampler": "Samplers",
    "Query": "Queries",
    "Program": "",
    "Shader": "",
}


class LiveObjects:
    """Asks OpenGL itself which of its objects are alive, so that nothing escapes the count."""

    def __init__(self, gl: GL) -> None:
        self._gl = gl
        self._probes = {kind: gl.function(f"Is{kind}", "i>b") for kind in _KINDS}
        self._makers = {
            kind: (gl.function(f"Gen{kinds}", "ip"), gl.function(f"Delete{kinds}", "ip"))
            for kind, kinds in _KINDS.items()
            if kinds
        }
        self._create_program = gl.function("CreateProgram", ">i")
        self._delete_program = gl.function("DeleteProgram", "i")
        self._highest = dict.fromkeys(_KINDS, 0)

    def __call__(self) -> dict[str, list[int]]:
        """The names alive, by kind; kinds without any are left out."""
        alive = {}
        for kind, probe in self._probes.items():
            # Drivers hand out either the lowest free name or the one after the highest ever.
            self._highest[kind] = max(self._highest[kind], self._new_name(kind))
            names = range(1, self._highest[kind] + 64)
            living = [*compress(names, map(probe, names))]
            if living:
                alive[kind] = living
                self._highest[kind] = max(self._highest[kind], living[-1])
        return alive

    def _new_name(self, kind: str) -> int:
        if kind not in self._makers:  # shaders and programs share their names
            program: int = self._create_program()
            self._delete_program(program)
            return program
        name = (c_int * 1)()
        generate, delete = self._makers[kind]
        generate(1, name)
        delete(1, name)
        return name[0]


@pytest.fixture(scope="session")
def session_ctx() -> Iterator[moderngl.Context]:
    """One headless context for the whole run; tests use ``ctx``."""
    context = create_context()
    # None: an object that is not released stays alive and is counted, never collected by chance.
    context.gc_mode = None
    yield context
    context.release()


@pytest.fixture(scope="session")
def live_objects(session_ctx: moderngl.Context) -> LiveObjects:
    """Call it for the OpenGL objects that are alive now."""
    return LiveObjects(GL(session_ctx))


@pytest.fixture
def ctx(session_ctx: moderngl.Context, live_objects: LiveObjects) -> Iterator[moderngl.Context]:
    """A context without errors; the test must leave none, and no OpenGL object either."""
    screen = session_ctx.mglo.fbo
    with session_ctx:  # another test may have made another context current
        assert session_ctx.error == "GL_NO_ERROR", "an error was pending before the test"
        before = live_objects()
        yield session_ctx
        assert session_ctx.error == "GL_NO_ERROR", "the test left an OpenGL error"
        # What is bound by the test must not live on, nor be used by the next one.
        session_ctx.fbo, session_ctx.mglo.fbo = None, screen
        session_ctx.enable_only(moderngl.NOTHING)
        gl = GL(session_ctx)
        gl.BindFramebuffer(gl.FRAMEBUFFER, 0)
        gl.UseProgram(0)
        gl.BindVertexArray(0)
        gl.DepthMask(1)  # moderngl clears it for a framebuffer without depth
        if live_objects() != before:
            gc.collect()  # a tenth of a second, so only where something may wait for it
        assert live_objects() == before, "the test left OpenGL objects alive"


@pytest.fixture
def no_readback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every way to read from the GPU raises."""

    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise AssertionError("something was read back from the GPU")

    for cls in (
        moderngl.Texture,
        moderngl.TextureArray,
        moderngl.Texture3D,
        moderngl.TextureCube,
        moderngl.Framebuffer,
        moderngl.Buffer,
    ):
        for method in ("read", "read_into", "read_chunks", "read_chunks_into", "bind_to_memory"):
            if hasattr(cls, method):
                monkeypatch.setattr(cls, method, refuse)

    load = GL.function

    def function(self: GL, name: str, signature: str) -> Callable[..., Any]:
        raw = name.startswith(
            ("ReadPixels", "ReadnPixels", "GetTexImage", "MapBuffer", "GetBuffer")
        )
        return refuse if raw else load(self, name, signature)

    monkeypatch.setattr(GL, "function", function)


@pytest.fixture
def rng() -> np.random.Generator:
    """A generator with a fixed seed."""
    return np.random.default_rng(20240229)
