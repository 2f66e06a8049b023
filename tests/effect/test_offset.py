"""Where an emitter sits in its effect: what may be said of it."""

from __future__ import annotations

from typing import Any

import pytest

import gpuparticles as gp
from gpuparticles.effect.document import parse


def test_one_factor_is_three() -> None:
    assert gp.Offset(scale=2) == gp.Offset(scale=(2, 2, 2))
    assert gp.Offset(scale=1) == gp.Offset()


def test_a_document_holds_it_and_leaves_it_out_where_it_says_nothing() -> None:
    moved = gp.Emitter("a", offset=gp.Offset((1, 2, 3), (0, 90, 0), scale=(-1, 1, 1)))
    effect = gp.Effect("e", [moved, gp.Emitter("b", offset=gp.Offset((0, 0, 0)))])
    text = effect.to_json()
    assert '"offset": {"position": [1, 2, 3], "rotation": [0, 90, 0], "scale": [-1, 1, 1]}' in text
    assert text.count("offset") == 1
    assert parse(text) == effect


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"position": (1, 2)}, "Offset: position: [1, 2] is not a position; a position has 3"),
        ({"position": (0, 2e8, 0)}, "position[1]: 200000000 is more than 100000000"),
        ({"rotation": 90}, "Offset: rotation: 90 is not a rotation; a rotation has 3 components"),
        ({"scale": "2"}, 'Offset: scale: "2" is not a number; a factor is -100000000 to 100000000'),
        ({"scale": (1, float("nan"), 1)}, "scale[1]: NaN is not a number"),
    ],
)
def test_mistakes_name_their_place(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(gp.EffectError) as error:
        gp.Offset(**settings)
    assert sentence in str(error.value)
