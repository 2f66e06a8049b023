"""Builders that the tests of the simulation share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import moderngl
import numpy as np
import pytest
from numpy.typing import NDArray

import gpuparticles as gp

Floats = NDArray[np.float32]


@pytest.fixture
def system(ctx: moderngl.Context) -> Iterator[Callable[..., gp.ParticleSystem]]:
    """``system(max_step=..., seed=...)``: a particle system that is released after the test."""
    made: list[gp.ParticleSystem] = []

    def make(**settings: Any) -> gp.ParticleSystem:
        made.append(gp.ParticleSystem(ctx, **settings))
        return made[-1]

    yield make
    for particles in made:
        particles.release()


@pytest.fixture
def one() -> Callable[..., gp.Effect]:
    """``one(capacity=..., ...)``: an effect whose only emitter, "it", has these settings.

    Unless given, the rate is 0 and the effect does not loop.
    """

    def make(*, loop: bool = False, duration: float = 5.0, **settings: Any) -> gp.Effect:
        effect_modifiers = settings.pop("effect_modifiers", ())
        emitter = gp.Emitter("it", **{"rate": 0.0, **settings})
        return gp.Effect(
            "test", [emitter], duration=duration, loop=loop, modifiers=effect_modifiers
        )

    return make


@pytest.fixture
def state() -> Callable[..., tuple[Floats, Floats]]:
    """``state(emitter)``: position and age, velocity and rotation (in turns), each (slots, 4).

    Of every slot in the rows in use, or of the first ``slots``; the dead keep their last state.
    """

    def read(emitter: gp.EmitterInstance, slots: int | None = None) -> tuple[Floats, Floats]:
        simulation = emitter._simulation
        if simulation.state is None:
            return np.empty((0, 4), np.float32), np.empty((0, 4), np.float32)
        if slots is None:
            slots = simulation.rows * simulation.state.width
        guard = emitter._scene.guard
        with guard:
            guard.simulate()
            position_age, velocity_rotation = (
                np.frombuffer(texture.read(), np.float32).reshape(-1, 4)[:slots]
                for texture in simulation.state.current
            )
        return position_age, velocity_rotation

    return read
