"""The birth mask, unpacked again as the birth pass does it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gpuparticles.playback.mask import pack_mask

ROWS = st.sampled_from([32, 64, 1024, 4096])
SLOTS = st.one_of(
    st.sets(st.integers(0, 300), min_size=1, max_size=40),
    st.sets(st.integers(0, 100_000), min_size=1, max_size=40),
    st.builds(
        lambda first, count: set(range(first, first + count)),
        st.integers(0, 70_000),
        st.integers(1, 3000),
    ),
).map(sorted)


def unpack(count: int, packed: bytes | NDArray[np.uint32], row: int) -> dict[int, int]:
    """The rank of every born slot, found as a fragment of the birth pass finds its own."""
    words = row // 32
    rows = np.frombuffer(packed, np.uint32).reshape(count, words + 1, 2).tolist()
    ranks = {}
    for *texels, (y, _) in rows:
        for x, (bits, before) in enumerate(texels):
            for bit in range(32):
                if bits >> bit & 1:
                    below = bits & ((1 << bit) - 1)
                    ranks[y * row + 32 * x + bit] = before + below.bit_count()
    return ranks


def marks(count: int, packed: bytes | NDArray[np.uint32], row: int) -> dict[int, int]:
    """For every row that is packed, whether its other slots are to be marked dead."""
    texels = np.frombuffer(packed, np.uint32).reshape(count, row // 32 + 1, 2)
    return dict(texels[:, -1].tolist())


@given(SLOTS, ROWS, st.integers(0, 3000), st.integers(-1, 3000))
def test_each_slot_gets_its_rank_and_each_row_its_mark(
    slots: list[int], row: int, admitted: int, skip: int
) -> None:
    for given_slots in (slots, np.array(slots, np.int64)):
        count, packed = pack_mask(given_slots, row, admitted, skip)
        assert unpack(count, packed, row) == {slot: rank for rank, slot in enumerate(slots)}
        rows = {slot // row for slot in slots}
        assert count == len(rows)
        assert marks(count, packed, row) == {y: int(y >= admitted and y != skip) for y in rows}


@given(SLOTS, ROWS, st.integers(0, 3000), st.integers(-1, 3000))
def test_a_list_and_an_array_give_the_same_bytes(
    slots: list[int], row: int, admitted: int, skip: int
) -> None:
    few = pack_mask(slots, row, admitted, skip)
    many = pack_mask(np.array(slots, np.int64), row, admitted, skip)
    assert few[0] == many[0]
    assert bytes(few[1]) == bytes(many[1])


@pytest.mark.parametrize("as_array", [False, True])
def test_a_whole_row(as_array: bool) -> None:
    slots = range(1024, 2048)
    count, packed = pack_mask(np.array(slots) if as_array else list(slots), 1024, 1)
    texels = np.frombuffer(packed, np.uint32).reshape(33, 2)
    assert count == 1
    assert np.all(texels[:32, 0] == 0xFFFFFFFF)
    assert texels[:32, 1].tolist() == list(range(0, 1024, 32))
    assert texels[32].tolist() == [1, 1]


@pytest.mark.parametrize("as_array", [False, True])
def test_only_rows_with_a_birth_are_packed(as_array: bool) -> None:
    slots = [3, 900 * 64 + 63]
    count, packed = pack_mask(np.array(slots) if as_array else slots, 64, 900)
    texels = np.frombuffer(packed, np.uint32).reshape(2, 3, 2)
    assert count == 2
    assert texels[0].tolist() == [[8, 0], [0, 0], [0, 0]]
    assert texels[1].tolist() == [[0, 0], [1 << 31, 1], [900, 1]]
