"""The hash is the shader's to the bit, and its numbers are as good as random."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from gpuparticles.effect import random
from gpuparticles.effect.random import Random, pcg, signed, uniform

SEEDS = np.arange(100_000, dtype=np.uint32)


def in_python(value: int) -> int:
    """The hash again, in integers of any size."""
    state = (value * 747796405 + 2891336453) % 2**32
    word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737 % 2**32
    return (word >> 22) ^ word


@pytest.mark.parametrize(
    ("value", "hashed"),
    [
        (0, 129708002),
        (1, 2831084092),
        (2, 2055130248),
        (12345, 4099845390),
        (2**31, 566699590),
        (2**32 - 1, 3861530882),
    ],
)
def test_pcg_gives_its_known_values(value: int, hashed: int):
    assert int(pcg(value)) == hashed


def test_pcg_equals_arithmetic_in_python_integers(rng: np.random.Generator):
    values = rng.integers(0, 2**32, 2000, dtype=np.uint32)

    assert pcg(values).tolist() == [in_python(int(value)) for value in values]


def test_pcg_keeps_different_values_different():
    assert len(np.unique(pcg(SEEDS))) == len(SEEDS)


def test_pcg_keeps_shape_and_type():
    assert pcg(np.zeros((3, 2), np.uint32)).shape == (3, 2)
    assert pcg(5).dtype == np.uint32


@pytest.mark.parametrize(
    ("seed", "channel", "bits"),
    [(0, 0, 3194371), (1, 0, 6185729), (7, 3, 15440002), (2**32 - 1, 16, 3156481)],
)
def test_uniform_gives_its_known_values(seed: int, channel: int, bits: int):
    assert float(uniform(seed, channel)) == bits / 2**24


def test_uniform_is_uniform_in_every_channel():
    for channel in (*range(20), 32, 40):
        drawn = uniform(SEEDS, channel)

        assert drawn.dtype == np.float32
        assert drawn.min() >= 0
        assert drawn.max() < 1
        assert stats.kstest(drawn, "uniform").pvalue > 1e-4


def test_channels_are_independent():
    drawn = np.stack([uniform(SEEDS, channel) for channel in range(16)])

    off_diagonal = np.corrcoef(drawn)[~np.eye(16, dtype=bool)]
    assert np.abs(off_diagonal).max() < 0.02


def test_a_seed_draws_the_same_wherever_it_stands():
    assert uniform(SEEDS, 3)[777] == uniform(777, 3)


def test_signed_spans_minus_one_to_one():
    drawn = signed(SEEDS, 1)

    assert drawn.dtype == np.float32
    assert np.array_equal(drawn, 2 * uniform(SEEDS, 1) - 1)
    assert -1 <= drawn.min() < -0.999
    assert 0.999 < drawn.max() < 1


def test_random_draws_the_channels_of_shapes_in_order():
    source = Random(SEEDS[:5])

    for offset in range(3):
        assert np.array_equal(source.next(), uniform(SEEDS[:5], random.SHAPE + offset))


def test_channels_do_not_overlap():
    """What takes several channels ends before the next purpose begins."""
    assert random.DIRECTION + 2 == random.HANDEDNESS
    assert random.VELOCITY + 3 == random.COLOR
    assert random.COLOR + 4 == random.SHAPE
    assert random.SHAPE < random.MODIFIER
