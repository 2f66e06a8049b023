"""The birth mask: which slots of which rows are born, and how many births came before."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["pack_mask"]


def pack_mask(
    slots: Sequence[int] | NDArray[np.int64], row: int, admitted: int, skip: int = -1
) -> tuple[int, bytes | NDArray[np.uint32]]:
    """Pack the rows that hold births, one after the other.

    Args:
        slots: Ascending.
        row: Slots a row; a multiple of 32.
        admitted: Rows from here on come back into use.
        skip: A row that an earlier part of the same births has admitted already.

    Returns:
        How many rows, and uint32 of shape (rows, row / 32 + 1, 2), or the bytes of it: for each
        32-bit word of a row its bits and the number of births before it; behind them the row's
        number, and 1 where its other slots are to be marked dead.
    """
    if isinstance(slots, np.ndarray):
        return _pack_many(slots, row, admitted, skip)
    words = row // 32
    packed: list[int] = []
    begin, last = 0, -1
    for rank, slot in enumerate(slots):
        y, x = divmod(slot, row)
        if y != last:
            begin, last = len(packed), y
            packed += [0] * (2 * words)
            packed += (y, int(y >= admitted and y != skip))
        word = begin + 2 * (x >> 5)
        if not packed[word]:
            packed[word + 1] = rank
        packed[word] |= 1 << (x & 31)
    return len(packed) // (2 * words + 2), struct.pack(f"{len(packed)}I", *packed)


def _pack_many(
    slots: NDArray[np.int64], row: int, admitted: int, skip: int
) -> tuple[int, NDArray[np.uint32]]:
    words = row // 32
    # Ascending slots: a word, and a row, begins wherever the number changes, and the place where a
    # word begins is at once the number of births before it.
    word = slots >> 5
    starts = np.flatnonzero(_begins(word))
    bits = np.bitwise_or.reduceat(np.uint32(1) << (slots & 31).astype(np.uint32), starts)
    word = word[starts]
    y = word // words
    begins = _begins(y)
    rows = y[begins]
    packed = np.zeros((len(rows), words + 1, 2), np.uint32)
    place = (np.cumsum(begins) - 1, word % words)
    packed[(*place, 0)] = bits
    packed[(*place, 1)] = starts
    packed[:, words, 0] = rows
    packed[:, words, 1] = (rows >= admitted) & (rows != skip)
    return len(rows), packed


def _begins(numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Where a number differs from the one before."""
    begins = np.empty(len(numbers), np.bool_)
    begins[0] = True
    np.not_equal(numbers[1:], numbers[:-1], out=begins[1:])
    return begins
