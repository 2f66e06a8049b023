"""Sentences: how a value is quoted, a name suggested, a place written."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from gpuparticles.effect import Drag
from gpuparticles.effect.document import load
from gpuparticles.effect.mistakes import (
    Mistake,
    gather,
    known_names,
    mistakes_in,
    refused,
    show,
    suggestion,
)
from gpuparticles.errors import DocumentError


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "true"),
        (np.False_, "false"),
        (None, "null"),
        (3, "3"),
        (-2.0, "-2"),
        (0.1, "0.1"),
        (np.float32(0.5), "0.5"),
        (np.int64(-(2**63)), "-9223372036854775808"),
        (math.nan, "NaN"),
        (-math.inf, "-inf"),
        (10**100, "a huge number"),
        ('say "hi"\n', r'"say \"hi\"\n"'),
        ("\ud800", r'"\ud800"'),
        ((1, [2.0, "x"]), '[1, [2, "x"]]'),
        ({"a": 1}, '{"a": 1}'),
        (np.array([[1, 2]]), "[[1, 2]]"),
        (list(range(20)), "[0, 1, 2, 3, 4, 5, 6, 7, ...]"),
        (Drag(1), "Drag(rate=1.0)"),
        (Drag, "the class Drag"),
        pytest.param(object(), "an object of type object", id="object"),
    ],
    ids=repr,
)
def test_a_value_is_quoted_as_json_writes_it(value: Any, text: str):
    assert show(value) == text


def test_a_quotation_is_short():
    assert len(show("x" * 1000)) == 60
    assert show("x" * 1000).endswith("...")
    assert len(show([["x" * 100] * 100] * 100)) == 60


@pytest.mark.parametrize(
    ("given", "close"),
    [("drga", "drag"), ("Drag", "drag"), ("vort", "vortex"), ("add", "additive")],
)
def test_a_close_name_is_suggested(given: str, close: str):
    assert suggestion(given, ["drag", "vortex", "additive"]) == f'; did you mean "{close}"?'


@pytest.mark.parametrize("given", ["", "x", "quaternion", 3, None, []])
def test_what_is_close_to_nothing_gets_all_names(given: Any):
    assert suggestion(given, ["drag", "vortex"]) == ""
    assert known_names(given, ["drag", "vortex"], "kinds") == "; known kinds: drag, vortex"


def test_a_place_is_written_as_in_python():
    assert str(Mistake((), "wrong")) == "wrong"
    assert str(Mistake(("a", 0, "b", 1, 2), "wrong")) == "a[0].b[1][2]: wrong"


def test_gather_keeps_what_is_right_and_collects_what_is_wrong():
    def read(value: int) -> int:
        if value < 0:
            raise refused("is negative", "deep")
        return 2 * value

    assert gather(read, [("a", 1), ("b", 2)]) == {"a": 2, "b": 4}
    with pytest.raises(ValidationError) as error:
        gather(read, enumerate([1, -1, 2, -2]))
    assert mistakes_in(error.value) == [
        Mistake((1, "deep"), "is negative"),
        Mistake((3, "deep"), "is negative"),
    ]


@pytest.mark.parametrize(
    ("emitter", "place"),
    [
        ({"modifiers": [{"kind": "kill_box", "right": [[1]]}]}, "modifiers[0].right"),
        ({"modifiers": [{"kind": "collide_box", "up": [1]}]}, "modifiers[0].up"),
        ({"shape": {"kind": "grid", "counts": [[1], 2, 3]}}, "shape.counts"),
        ({"size_over_life": {"stops": [1, [0.5]]}}, "size_over_life.stops[0]"),
        ({"color": {"stops": [[0, 1], [1, "#fff"]]}}, "color.stops[0]"),
    ],
)
def test_what_is_left_of_a_wrong_list_of_numbers_is_not_asked_further(
    emitter: dict[str, Any], place: str, tmp_path: Path
) -> None:
    """Checks of what fields say together do not meet a vector that lacks a number."""
    file = tmp_path / "it.json"
    whole = {"format": "gpuparticles/1", "name": "it", "emitters": [{"name": "a", **emitter}]}
    file.write_text(json.dumps(whole), encoding="utf-8")
    with pytest.raises(DocumentError) as error:
        load(file)
    assert all(f"emitters[0].{place.split('[0]')[0]}" in each for each in error.value.errors)
    assert "dimension" not in str(error.value)
