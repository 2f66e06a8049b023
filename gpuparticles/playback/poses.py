"""Where a moving emitter has been, for trails that stay in the world while it carries particles.

Points of a trail are kept in the particles' own frame. What stays in the world is turned out of
it by the pose that the emitter had at each point's time: one is kept for each mark, as long as any
point may ask for it. In between it is on the line from mark to mark, or to where the emitter
jumped, and on from where it jumped to.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from gpuparticles.playback.clock import Clock
from gpuparticles.playback.marks import Marks
from gpuparticles.playback.place import FARTHEST, IDENTITY, Place, Quaternion, Vec3, between, plus
from gpuparticles.playback.saved import Limits, Saves

if TYPE_CHECKING:
    from gpuparticles.playback.player import Step

__all__ = ["Poses"]

# A row has three poses of a place, something else and a turn: that at the mark, with the seconds
# after it at which the emitter jumped; those from where, and to where.
_POSE = 8
_JUMP = 3
_PLACES = [0, 1, 2, 8, 9, 10, 16, 17, 18]
_NEVER = 1e30


class Poses(Saves):
    """The poses of an emitter at the last marks.

    Args:
        marks: When they are.
        clock: The emitter's.

    Attributes:
        reference: What `texels` are relative to, in the world: where the emitter was at the last
            mark, so that they are as exact far from the origin.
    """

    SAVED = ("reference", "_rows", "_newest", "_begun")
    LIMITS: ClassVar[Limits] = dict.fromkeys(("reference", "_newest"), (-FARTHEST, FARTHEST))

    def __init__(self, marks: Marks, clock: Clock) -> None:
        self._marks = marks
        self._clock = clock
        # Points repeat others that are as old as a trail, so twice as far back as points are.
        self._rows = np.zeros((2 * marks.planes, 3 * _POSE))
        self.reset()

    def reset(self) -> None:
        """Forget where it has been."""
        self.reference: Vec3 = (0.0, 0.0, 0.0)
        self._rows[:] = _row(IDENTITY)
        self._newest = IDENTITY.place, IDENTITY.turn
        self._begun = False

    def sound(self) -> bool:
        """Whether every row is a pose."""
        turns = np.vstack([self._rows.reshape(-1, _POSE)[:, 4:], self._newest[1]])
        lengths = np.linalg.norm(turns, axis=1)
        return bool((np.abs(self._rows) <= FARTHEST).all() and (np.abs(lengths - 1) < 1e-3).all())

    def __len__(self) -> int:
        return len(self._rows)

    def row(self, tick: int) -> int:
        """The row of the mark at a tick, or of the last one before it."""
        return self._marks.last(tick) % len(self._rows)

    def note(self, step: Step, begin: Place, end: Place) -> bool:
        """Remember where the emitter was in a step; says whether any row has changed.

        Args:
            step: The step.
            begin: Where it was when the update began.
            end: Where it is when the update ends.
        """
        marks, clock, rows = self._marks, self._clock, self._rows
        ticks = round(step.age * clock.per_second)
        last, now = marks.last(step.tick), marks.last(step.tick + ticks)
        length = step.path_rate * step.time
        first = between(begin, end, step.path_begin)
        changed = now > last or not self._begun
        if not self._begun:
            rows[:] = _row(first)
            self._begun = True
        elif self._jumped(first):
            row = rows[last % len(rows)]
            row[_POSE:] = (*_pose(*self._newest), *_pose(first.place, first.turn))
            row[_JUMP] = (step.tick - last * marks.every) * clock.tick
            changed = True
        for number in range(max(last, now - len(rows)) + 1, now + 1):
            along = (number * marks.every - step.tick) / ticks
            rows[number % len(rows)] = _row(between(begin, end, step.path_begin + length * along))
        newest = between(begin, end, step.path_begin + length)
        self._newest = newest.place, newest.turn
        if changed:
            x, y, z = rows[now % len(rows), :3].tolist()
            self.reference = (x, y, z)
        return changed

    def _jumped(self, now: Place) -> bool:
        """Whether it is elsewhere than a step has left it, by more than rounding."""
        place, turn = self._newest
        far = math.dist(now.place, place) > 1e-9 * (1.0 + max(map(abs, place)))
        return far or abs(sum(a * b for a, b in zip(now.turn, turn, strict=True))) < 1.0 - 1e-9

    def shift(self, offset: Vec3) -> None:
        """Count all places from elsewhere."""
        self._rows[:, _PLACES] += 3 * offset
        self.reference = plus(self.reference, offset)
        place, turn = self._newest
        self._newest = plus(place, offset), turn

    def texels(self) -> NDArray[np.float32]:
        """All rows, relative to `reference`: float32 (rows, 6, 4)."""
        rows = self._rows.copy()
        rows[:, _PLACES] -= 3 * self.reference
        return rows.astype(np.float32).reshape(-1, 6, 4)

    def at(self, ticks: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Where it was at some ticks: the twin of ``glsl/lib/poses.glsl``.

        Returns:
            Places in the world (n, 3) and turns, quaternions (n, 4).
        """
        marks, clock, rows = self._marks, self._clock, self._rows
        now = marks.last(clock.now)
        number = np.clip(ticks // marks.every, now - len(rows) + 1, now).astype(np.int64)
        passed = ticks - number * marks.every
        row, newer = rows[number % len(rows)], rows[(number + 1) % len(rows), :_POSE]
        newer = np.where((number == now)[:, None], _pose(*self._newest), newer)
        span = np.where(number == now, clock.now - now * marks.every, marks.every)
        jump = row[:, _JUMP] * clock.per_second
        before, behind = passed < jump, passed >= jump
        jumps = row[:, _JUMP] < _NEVER
        older = np.where(behind[:, None], row[:, 2 * _POSE :], row[:, :_POSE])
        newer = np.where((jumps & before)[:, None], row[:, _POSE : 2 * _POSE], newer)
        span = np.where(jumps, np.where(before, jump, span - jump), span)
        passed = np.where(behind, passed - jump, passed)
        part = np.clip(passed / np.maximum(span, 1e-30), 0.0, 1.0)[:, None]
        a, b = older[:, 4:], newer[:, 4:]
        b = b * np.where(np.sum(a * b, axis=1, keepdims=True) < 0.0, -1.0, 1.0)
        turn = a + (b - a) * part
        place = older[:, :3] + (newer[:, :3] - older[:, :3]) * part
        return place, turn / np.linalg.norm(turn, axis=1, keepdims=True)


def _pose(place: Vec3, turn: Quaternion) -> tuple[float, ...]:
    return (*place, _NEVER, *turn)


def _row(place: Place) -> tuple[float, ...]:
    return 3 * _pose(place.place, place.turn)
