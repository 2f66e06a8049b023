"""What docs/contributing.md walks through works: its code is run as it stands there."""

from __future__ import annotations

import math
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import gpuparticles as gp
from gpuparticles.effect import Modifier, Shape, kinds
from gpuparticles.effect.kinds import _registry
from gpuparticles.playback.reference import Reference
from gpuparticles.shaders import sources

GUIDE = Path(__file__).parents[2] / "docs" / "contributing.md"


@pytest.fixture
def guide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """The classes of the guide, registered, with their kernels in a copy of the shader tree."""
    text = GUIDE.read_text(encoding="utf-8")
    tree = tmp_path / "glsl"
    shutil.copytree(sources.glsl_folder(), tree)
    for name, kernel in re.findall(
        r"^`glsl/(\S+\.glsl)`[^\n]*\n\n```glsl\n(.*?)```", text, re.S | re.M
    ):
        (tree / name).write_text(kernel, encoding="utf-8")
    before = {family: dict(known) for family, known in _registry.items()}
    classes: dict[str, Any] = {}
    for home, code in re.findall(
        r"^`gpuparticles/effect/(\w+/\w+)\.py`[^\n]*\n\n```python\n(.*?)```", text, re.S | re.M
    ):
        # Where a class of that file finds its names, under another name.
        there = import_module(f"gpuparticles.effect.{home.replace('/', '.')}")
        module = ModuleType(f"guide_{home}")
        vars(module).update(vars(there))
        module.__name__ = f"guide_{home}"
        monkeypatch.setitem(sys.modules, module.__name__, module)
        space = vars(module)
        exec("from __future__ import annotations\n" + code, space)
        classes |= {name: space[name] for name in re.findall(r"^class (\w+)", code, re.M)}
    monkeypatch.setattr(sources, "glsl_folder", lambda: tree)
    sources.read.cache_clear()
    yield classes
    sources.read.cache_clear()
    for family, known in before.items():
        _registry[family].clear()
        _registry[family].update(known)


def test_the_guide_s_kinds_are_known_and_gone_after(guide: dict[str, Any]) -> None:
    """Registering is all there is to do."""
    assert kinds(Modifier)["spring"] is guide["Spring"]
    assert kinds(Shape)["cloud"] is guide["Cloud"]
    effect = gp.Effect("e", [gp.Emitter("e", modifiers=[guide["Spring"](3)])])
    assert '"kind": "spring"' in effect.to_json()


def test_kernels_equal_their_twins(
    guide: dict[str, Any], system: Callable[..., gp.ParticleSystem]
) -> None:
    """The spring and the cloud, per particle after 100 steps."""
    effect = gp.Effect(
        "guide",
        [
            gp.Emitter(
                "it",
                capacity=500,
                rate=300,
                shape=guide["Cloud"](0.5),
                modifiers=[guide["Spring"](8, center=(0, 1, 0), variation=0.3)],
            )
        ],
    )
    particles = system()
    playing = particles.play(effect, seed=3)
    reference = Reference(effect, seed=3)
    for _ in range(100):
        particles.update(1 / 60)
        reference.update(1 / 60)
    ours, twin = playing["it"].read(), reference.read("it")

    assert len(ours) == len(twin) > 250
    assert np.array_equal(ours["number"], twin["number"])
    assert np.allclose(ours["position"], twin["position"], atol=2e-5)


def test_a_spring_swings_in_its_period(
    guide: dict[str, Any], system: Callable[..., gp.ParticleSystem]
) -> None:
    """At distance 1 a particle is back after 2 pi / sqrt(stiffness) seconds."""
    effect = gp.Effect(
        "spring",
        [
            gp.Emitter(
                "it",
                rate=0,
                bursts=[gp.Burst(0, 1)],
                lifetime=math.inf,
                speed=0,
                modifiers=[guide["Spring"](4, center=(1, 0, 0))],
            )
        ],
        loop=False,
    )
    particles = system()
    playing = particles.play(effect)
    period = math.pi
    for _ in range(200):
        particles.update(period / 200)

    assert np.allclose(playing["it"].read()["position"], 0, atol=2e-3)


def test_a_cloud_is_normal(guide: dict[str, Any], system: Callable[..., gp.ParticleSystem]) -> None:
    """Mean 0 and the deviation along each axis, over 1e5 particles."""
    burst = [gp.Burst(0, 100_000)]
    emitter = gp.Emitter(
        "it", capacity=100_000, rate=0, bursts=burst, speed=0, shape=guide["Cloud"](2)
    )
    particles = system()
    playing = particles.play(gp.Effect("cloud", [emitter], loop=False))
    particles.update(1 / 60)
    places = playing["it"].read()["position"]

    assert np.allclose(places.mean(axis=0), 0, atol=0.03)
    assert np.allclose(places.std(axis=0), 2, atol=0.03)
