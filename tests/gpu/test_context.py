from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any, NoReturn
from weakref import WeakSet

import moderngl
import numpy as np
import pytest

import gpuparticles as gp
from gpuparticles.errors import ContextError
from gpuparticles.gpu import context
from gpuparticles.gpu.context import check_context, create_context
from gpuparticles.gpu.gl import GL, NOT_CURRENT

# pytest's importlib mode puts no folder of tests on the path.
_spec = importlib.util.spec_from_file_location(
    "host_state", Path(__file__).with_name("host_state.py")
)
assert _spec is not None
assert _spec.loader is not None
host_state = sys.modules["host_state"] = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(host_state)


@pytest.fixture
def unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context, "_checked", WeakSet())


def test_a_created_context_is_current_and_can_hold_particles(ctx: moderngl.Context) -> None:
    created = create_context()
    try:
        assert created is not ctx
        assert created.version_code >= 330
        assert check_context(created) is created
        assert created.error == "GL_NO_ERROR"
    finally:
        created.release()
        ctx.__enter__()


def test_no_driver_is_one_sentence_that_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried = []

    def fail(require: int, backend: str = "default") -> NoReturn:
        tried.append(backend)
        raise RuntimeError(f"{backend} is not there")

    monkeypatch.setattr(moderngl, "create_standalone_context", fail)
    monkeypatch.setattr(sys, "platform", "linux")
    with pytest.raises(ContextError) as caught:
        create_context()
    assert tried == ["egl", "default"]
    assert str(caught.value) == (
        "no OpenGL 3.3 context could be created (egl: egl is not there; default: default is not "
        f"there); install a driver: {context._INSTALL}"
    )
    assert "apt-get install libegl1 " in context._INSTALL


def test_a_version_that_no_driver_has(ctx: moderngl.Context) -> None:
    with pytest.raises(ContextError, match=r"^no OpenGL 9\.9 context could be created"):
        create_context(require=990)


@pytest.mark.parametrize("thing", [None, 3, "window"])
def test_what_is_not_a_context_is_named(thing: object) -> None:
    with pytest.raises(ContextError, match=rf"^ctx: .* got {type(thing).__name__}$"):
        check_context(thing)


@pytest.mark.usefixtures("unchecked")
def test_checking_leaves_the_host_as_it_was(ctx: moderngl.Context) -> None:
    host = host_state.Host(ctx)
    with host.awkward(*host.states) as values:
        assert check_context(ctx) is ctx
        assert host_state.changes(values, host.values()) == {}
    host.release()


@pytest.mark.usefixtures("unchecked")
def test_a_context_is_checked_once(ctx: moderngl.Context, monkeypatch: pytest.MonkeyPatch) -> None:
    checks = []
    monkeypatch.setattr(context, "_check_targets", checks.append)
    for _ in range(3):
        check_context(ctx)
    assert checks == [ctx]


@pytest.mark.usefixtures("unchecked")
def test_an_old_context_is_refused(ctx: moderngl.Context, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctx, "version_code", 320)
    with pytest.raises(ContextError, match=r"OpenGL 3\.2 is too old; gpuparticles needs 3\.3"):
        check_context(ctx)


@pytest.mark.usefixtures("unchecked")
def test_a_driver_without_float_targets_is_refused_and_nothing_is_left(
    ctx: moderngl.Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(attachments: object) -> NoReturn:
        raise moderngl.Error("the framebuffer is not complete (UNSUPPORTED)")

    monkeypatch.setattr(ctx, "framebuffer", fail)
    with pytest.raises(ContextError, match=r"^ctx: the driver cannot render to RGBA32F, RG32UI"):
        check_context(ctx)


def test_a_released_context_is_refused(ctx: moderngl.Context) -> None:
    created = create_context()
    created.release()
    ctx.__enter__()
    with pytest.raises(ContextError, match="has been released"):
        check_context(created)


def test_a_function_that_the_driver_lacks_is_named(ctx: moderngl.Context) -> None:
    gl = GL(ctx)
    gl._load = lambda name: 0
    with pytest.raises(ContextError, match="no glBindTexture; install"):
        gl.function("BindTexture", "ii")


def test_live_objects_are_counted(
    ctx: moderngl.Context, live_objects: Callable[[], dict[str, list[int]]]
) -> None:
    before = live_objects()
    texture, buffer = ctx.texture((1, 1), 1), ctx.buffer(b"1234")
    framebuffer = ctx.framebuffer([texture])
    after = live_objects()
    assert after["Texture"] == [*before.get("Texture", []), texture.glo]
    assert after["Buffer"] == [*before.get("Buffer", []), buffer.glo]
    assert after["Framebuffer"] == [*before.get("Framebuffer", []), framebuffer.glo]
    for thing in (framebuffer, buffer, texture):
        thing.release()
    assert live_objects() == before


@pytest.mark.usefixtures("no_readback")
def test_no_readback_forbids_every_way(ctx: moderngl.Context) -> None:
    texture, buffer = ctx.texture((1, 1), 1), ctx.buffer(b"1234")
    framebuffer = ctx.framebuffer([texture])
    ways: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
        (texture.read, ()),
        (texture.read_into, (bytearray(4),)),
        (framebuffer.read, ()),
        (framebuffer.read_into, (bytearray(4),)),
        (buffer.read, ()),
        (buffer.read_into, (bytearray(4),)),
        (buffer.read_chunks, (1, 0, 1, 4)),
        (GL(ctx).function("ReadPixels", "iiiiiip"), ()),
        (GL(ctx).function("GetTexImage", "iiiip"), ()),
        (GL(ctx).function("MapBufferRange", "illi>p"), ()),
    ]
    for way, arguments in ways:
        with pytest.raises(AssertionError, match="read back"):
            way(*arguments)
    for thing in (framebuffer, buffer, texture):
        thing.release()


def test_another_context_that_is_current_is_told_before_anything_happens(
    ctx: moderngl.Context,
) -> None:
    """Or none: calls would go to the wrong context, or nowhere, and say nothing."""
    particles = gp.ParticleSystem(ctx)
    effect = gp.Effect("e", [gp.Emitter("it", rate=100, speed=1)])
    playing = particles.play(effect, seed=1)
    never = particles.play(effect, seed=1)
    particles.update(0.1)
    before = playing.snapshot()
    view = np.eye(4)
    calls: list[Callable[[], object]] = [
        lambda: particles.update(0.1),
        lambda: particles.draw(view, view),
        lambda: particles.play(effect),
        lambda: particles.warm_up(effect),
        lambda: playing["it"].read(),
        lambda: playing.snapshot(),
        lambda: playing.seek(1.0),
        lambda: playing.release(),
    ]
    other = create_context()
    try:
        for call in calls:
            with pytest.raises(ContextError, match=r"^another OpenGL context is current on"):
                call()
    finally:
        with ctx:
            other.release()
        ctx.__enter__()
    assert playing.snapshot() == before
    for _ in range(3):
        particles.update(0.1)
    assert np.array_equal(playing["it"].read(), never["it"].read())
    errors: list[str] = []

    def elsewhere() -> None:
        for call in calls[:6]:
            try:
                call()
            except ContextError as error:
                errors.append(str(error))

    thread = Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert errors == [NOT_CURRENT] * 6
    particles.release()


def test_a_system_is_released_while_another_context_is_current(ctx: moderngl.Context) -> None:
    """A window that closes has switched to another one: no exception may come of it."""
    mine = create_context()
    effect = gp.Effect("e", [gp.Emitter("it", rate=100, speed=1)])
    particles = gp.ParticleSystem(mine)
    playing = particles.play(effect)
    particles.update(0.1)
    ctx.__enter__()
    texture = ctx.texture((2, 2), 4, bytes(range(16)))
    with pytest.warns(ResourceWarning, match="freed with it"):
        particles.release()
    particles.release()
    with pytest.raises(ContextError, match="released"):
        playing.stop()
    assert texture.read() == bytes(range(16)), "nothing of the other context is freed"
    texture.release()
    mine.__enter__()
    mine.release()
    ctx.__enter__()
