"""What docs/contexts.md says of windows that are made anew."""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import moderngl
import numpy as np
import pytest

import gpuparticles as gp

PAGE = (Path(__file__).parents[2] / "docs" / "contexts.md").read_text(encoding="utf-8")
TAKE_ALONG, PLAY_AGAIN = re.findall(r"```python\n(.*?)```", PAGE, re.S)

OWN = gp.Process("void process(inout State p) { p.custom.x += p.h; p.velocity.z = p.custom.x; }")
EFFECT = gp.Effect(
    "e",
    [
        gp.Emitter("trails", rate=50, lifetime=(0.3, 1), speed=(1, 2), trail=gp.Trail(0.3)),
        gp.Emitter("own", rate=30, bursts=[gp.Burst(0.6, 9)], process=OWN, space="local"),
        gp.Emitter("killed", rate=40, modifiers=[gp.KillSphere((0, 1, 0), 0.5)], spread=60),
    ],
    duration=1,
    parameters=[gp.Parameter("rate", 50, (0, 90), binds=["emitters.trails.rate"])],
)


@pytest.fixture
def windows(ctx: moderngl.Context) -> Iterator[list[moderngl.Context]]:
    """What ``new_window`` makes; the tests' own context is current again at the end."""
    made: list[moderngl.Context] = []
    yield made
    for context in made:
        context.release()
    ctx.__enter__()


def begin(ctx: moderngl.Context) -> gp.ParticleSystem:
    particles = gp.ParticleSystem(ctx)
    particles.play(EFFECT, seed=5, parameters={"rate": 60})
    particles.play(EFFECT, seed=6, position=(3, 0, 0))
    return particles


def go_on(particles: gp.ParticleSystem, frames: range) -> None:
    for frame in frames:
        particles.effects[0].position = (30 * frame, frame, 0)
        particles.update(0.011 + 0.003 * (frame % 5))


def everything(particles: gp.ParticleSystem) -> list[Any]:
    return [
        (emitter.read().tobytes(), emitter.births, emitter.dropped, emitter.live_count)
        for playing in particles.effects
        for emitter in playing
    ]


@pytest.mark.parametrize("warned", [True, False], ids=["released", "gone"])
def test_what_is_taken_along_goes_on_to_the_bit(
    ctx: moderngl.Context, windows: list[moderngl.Context], warned: bool
) -> None:
    """As if nothing had been; also where the old context went before its system."""

    def new_window() -> moderngl.Context:
        if not warned:
            first.release()
        windows.append(gp.create_context())
        return windows[-1]

    with begin(ctx) as never:
        go_on(never, range(90))
        expected = everything(never)
    first = gp.create_context()
    particles = old = begin(first)
    go_on(particles, range(40))
    code = TAKE_ALONG if warned else TAKE_ALONG.replace("particles.release()", "")
    names: dict[str, Any] = {"gp": gp, "particles": particles, "new_window": new_window}
    exec(code, names)
    particles = names["particles"]
    assert particles is not old
    # Nothing of it is freed here, where its names are those of others by now.
    old.release()
    del old, names
    gc.collect()
    go_on(particles, range(40, 90))
    assert everything(particles) == expected
    assert windows[-1].error == "GL_NO_ERROR"
    particles.release()
    if warned:
        windows.append(first)


def test_without_a_warning_the_same_particles_come_again(
    ctx: moderngl.Context, windows: list[moderngl.Context]
) -> None:
    first = gp.create_context()
    lost = begin(first)
    for _ in range(50):
        lost.update(1 / 60)
    expected = [emitter.read() for playing in lost.effects for emitter in playing]
    first.release()
    with pytest.raises(gp.ContextError, match="has been released"):
        lost.update(1 / 60)
    windows.append(gp.create_context())
    particles = gp.ParticleSystem(windows[0])
    exec(PLAY_AGAIN, {"lost": lost, "particles": particles})
    found = [emitter.read() for playing in particles.effects for emitter in playing]
    assert sum(map(len, found)) > 100
    for one, other in zip(found, expected, strict=True):
        for name in ("number", "lifetime", "color", "size"):
            np.testing.assert_array_equal(one[name], other[name])
        np.testing.assert_allclose(one["age"], other["age"], atol=1e-3)
        np.testing.assert_allclose(one["position"], other["position"], atol=1e-2)
    particles.release()
    lost.release()
