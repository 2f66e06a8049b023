"""What shapes made of many parts share: which part a share of the whole belongs to."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpuparticles.effect.values import Floats

__all__ = ["any_of", "find", "starts", "table"]


def starts(weights: NDArray[np.float64]) -> Floats:
    """Where each part's share of the whole begins, 0 to 1; of none has a weight, all are alike."""
    ends = np.cumsum(weights, dtype=np.float64)
    if not ends[-1] > 0:
        ends = np.arange(1.0, len(weights) + 1.0)
    return np.concatenate([[0.0], ends[:-1] / ends[-1]]).astype(np.float32)


def find(begins: Floats, share: Floats) -> NDArray[np.int64]:
    """The last part that begins at a share or before it; the twin of ``table_find``."""
    return np.asarray(np.searchsorted(begins, share, side="right") - 1)


def any_of(count: int, share: Floats) -> NDArray[np.int64]:
    """Any of `count` things, all as likely; the twin of ``any_of``."""
    picked = np.floor(share * np.float32(count)).astype(np.int64)
    return np.asarray(np.minimum(picked, count - 1))


def table(*columns: NDArray[np.floating | np.integer]) -> Floats:
    """Columns (n,) or (n, k) side by side as rows of a table, float32 (n, 4)."""
    found = np.zeros((len(columns[0]), 4), np.float32)
    at = 0
    for column in columns:
        wide = column if column.ndim > 1 else column[:, None]
        found[:, at : at + wide.shape[1]] = wide
        at += wide.shape[1]
    return found
