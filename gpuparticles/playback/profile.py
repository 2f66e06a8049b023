"""A rate that changes in the course of a loop: its integral, and the way back."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise
from math import sqrt

import numpy as np
from numpy.typing import NDArray

__all__ = ["SMALL", "Moments", "Profile"]

SMALL = 16
"""Up to so many moments a run, a list is faster than an array."""

Moments = list[float] | NDArray[np.float64]
"""Ascending: a list of up to `SMALL`, else a float64 array."""


class Profile:
    """A rate over the course of a loop, linear between stops: its integral, and the way back.

    Args:
        stops: (t, value) each, t from 0 to 1 of the loop.
        duration: Seconds of the loop.

    Attributes:
        total: The integral over a loop.
        highest: The highest value.
    """

    def __init__(self, stops: Sequence[tuple[float, float]], duration: float) -> None:
        (first, begin), (last, end) = stops[0], stops[-1]
        held = [(0.0, begin)] * (first > 0.0) + [*stops] + [(1.0, end)] * (last < 1.0)
        self.highest = max(value for _, value in stops)
        self._starts: list[float] = []
        self._values: list[float] = []
        self._slopes: list[float] = []
        self._lengths: list[float] = []
        self._before = [0.0]  # the integral until each part, and until the end
        for (t0, v0), (t1, v1) in pairwise(held):
            length = (t1 - t0) * duration
            if length > 0.0:
                self._starts.append(t0 * duration)
                self._values.append(v0)
                self._slopes.append((v1 - v0) / length)
                self._lengths.append(length)
                self._before.append(self._before[-1] + 0.5 * (v0 + v1) * length)
        self.total = self._before[-1]
        self._arrays = [np.array(x) for x in (self._starts, self._values, self._slopes)]

    def rate(self, t: float) -> float:
        """The value t seconds after the loop's begin; at a step the later one."""
        i, x = self._part(t)
        return self._values[i] + self._slopes[i] * x

    def integral(self, t: float) -> float:
        """The integral from the loop's begin to t seconds after it."""
        i, x = self._part(t)
        if x >= self._lengths[i]:
            return self._before[i + 1]
        return self._before[i] + x * (self._values[i] + 0.5 * self._slopes[i] * x)

    def moments(
        self, done: int, until: int, phase: float, scale: float, offset: float, dt: float
    ) -> Moments:
        """When ``phase + scale * integral`` reaches each number above `done`, up to `until`.

        Args:
            done: A number that has been reached.
            until: The last one to be.
            phase: What the integral begins with.
            scale: Factor of it.
            offset: Added to each moment.
            dt: No moment is later; none is below 0.
        """
        ends = self._before
        scale = max(scale, 1e-300)
        if until - done <= SMALL:
            moments = []
            for k in range(done + 1, until + 1):
                target = (k - phase) / scale
                i = min(max(bisect_left(ends, target) - 1, 0), len(self._starts) - 1)
                more, value = max(target - ends[i], 0.0), self._values[i]
                root = value + sqrt(max(value * value + 2.0 * self._slopes[i] * more, 0.0))
                x = 2.0 * more / root if root > 0.0 else 0.0
                moment = self._starts[i] + min(x, self._lengths[i]) + offset
                moments.append(min(max(moment, 0.0), dt))
            return moments
        starts, values, slopes = self._arrays
        targets = (np.arange(done + 1, until + 1) - phase) / scale
        part = np.clip(np.searchsorted(ends, targets) - 1, 0, len(starts) - 1)
        behind, begin = np.maximum(targets - np.array(ends)[part], 0.0), values[part]
        roots = begin + np.sqrt(np.maximum(begin * begin + 2.0 * slopes[part] * behind, 0.0))
        after = np.divide(2.0 * behind, roots, out=np.zeros_like(behind), where=roots > 0.0)
        many = starts[part] + np.minimum(after, np.array(self._lengths)[part]) + offset
        clipped: NDArray[np.float64] = np.clip(many, 0.0, dt)
        return clipped

    def _part(self, t: float) -> tuple[int, float]:
        i = bisect_right(self._starts, t) - 1
        return i, t - self._starts[i]
