"""Fetches particles from the GPU as NumPy records: for tests, debugging and data sets."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpuparticles.effect.effect import Emitter
from gpuparticles.gpu.simulate import Simulation
from gpuparticles.playback.place import Place, rotate
from gpuparticles.playback.records import RECORD, set_look
from gpuparticles.shaders.layout import FOREVER

__all__ = ["read_particles"]


def read_particles(
    simulation: Simulation, emitter: Emitter, numbers: NDArray[np.int64], frame: Place
) -> NDArray[np.void]:
    """The living, by birth number.

    Args:
        simulation: Whose particles; inside the guard, with pixel storage at its defaults.
        emitter: Gives the curves of the look.
        numbers: The birth number of each slot.
        frame: What positions are relative to.
    """
    state = simulation.state
    if state is None or not simulation.rows:
        return np.empty(0, RECORD)
    count = min(simulation.rows * state.width, len(numbers))
    position_age, velocity_rotation = (
        np.frombuffer(texture.read(), np.float32).reshape(-1, 4)[:count]
        for texture in state.current[:2]
    )
    lifetime_seed = np.frombuffer(state.birth["lifetime_seed"].read(), np.uint32)
    lifetime = lifetime_seed.reshape(-1, 2)[:count, 0].copy().view(np.float32)
    age = position_age[:, 3]
    living = np.flatnonzero((age >= 0.0) & (age < lifetime))
    living = living[np.argsort(numbers[living], kind="stable")]
    attributes, color = (
        np.frombuffer(state.birth[name].read(), np.float16).reshape(-1, 4)[living].astype("f4")
        for name in ("attributes", "color")
    )
    records = np.empty(len(living), RECORD)
    life = age[living] / lifetime[living]
    turn = np.array([rotate(frame.turn, axis) for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1))])
    records["number"] = numbers[living]
    records["position"] = position_age[living, :3].astype(np.float64) @ turn + frame.place
    records["velocity"] = velocity_rotation[living, :3] @ turn
    records["age"] = age[living]
    records["lifetime"] = np.where(lifetime[living] < FOREVER, lifetime[living], np.inf)
    records["rotation"] = velocity_rotation[living, 3] * 360.0
    set_look(records, emitter, life, attributes[:, 0:3:2], color)
    return records
