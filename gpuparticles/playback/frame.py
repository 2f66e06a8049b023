"""The emitter's frame as each particle meets it: the twin of ``glsl/lib/frame.glsl``."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpuparticles.effect.modifiers import Particles, Pull
from gpuparticles.playback.place import Place, Vec3, slerp

__all__ = ["Frame"]

Floats = NDArray[np.float32]


class Frame:
    """Where the emitter is for each particle, for what sees all of them in the emitter's frame.

    Args:
        begin: Where the emitter is at the begin of its path.
        end: Where it is at the end.
        anchor: What places are relative to.
        along: How much of the path has passed for each particle, float32 (n,).
        inside: The particles are in that frame, and are seen from outside of it; otherwise they
            are outside, and are seen from within.
    """

    def __init__(
        self, begin: Place, end: Place, anchor: Vec3, along: Floats, *, inside: bool
    ) -> None:
        first = np.subtract(begin.place, anchor).astype(np.float32)
        last = np.subtract(end.place, anchor).astype(np.float32)
        self._place = first + (last - first) * along[:, None]
        turns = [slerp(begin.turn, end.turn, float(f)) for f in along]
        self._turn = np.array(turns, np.float32).reshape(-1, 4)
        self._inside = inside

    def see(self, particles: Particles) -> Particles:
        """The particles as they are seen from the other frame."""
        p, v = particles.position, particles.velocity
        if self._inside:
            return particles._replace(position=self._place + self._out(p), velocity=self._out(v))
        return particles._replace(position=self._in(p - self._place), velocity=self._in(v))

    def back(self, vectors: Floats) -> Floats:
        """Vectors of the other frame, (n, 3), in that of the particles."""
        return self._in(vectors) if self._inside else self._out(vectors)

    def pull_back(self, pull: Pull) -> Pull:
        """A pull of the other frame in that of the particles."""
        along = None if pull.along is None else self.back(pull.along)
        return Pull(self.back(pull.target), pull.rate, along)

    def _out(self, v: Floats) -> Floats:
        return _turned(self._turn, v)

    def _in(self, v: Floats) -> Floats:
        return _turned(self._turn * np.array([-1, -1, -1, 1], np.float32), v)


def _turned(turn: Floats, v: Floats) -> Floats:
    twice = 2 * np.cross(turn[:, :3], v)
    return np.asarray(v + turn[:, 3:] * twice + np.cross(turn[:, :3], twice), np.float32)
