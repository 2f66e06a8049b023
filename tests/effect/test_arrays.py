"""Arrays in descriptions: immutable, hashable, checked once, in documents as lists or files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import jsonschema
import numpy as np
import pytest

from gpuparticles.effect import (
    Array,
    Effect,
    Emitter,
    Rows,
    Shape,
    load,
    parse,
    save,
    schema,
    shape,
)
from gpuparticles.errors import DocumentError, EffectError


@pytest.fixture
def cloud(fresh_kinds: None) -> Callable[..., Any]:
    """A kind that holds arrays; ``weights`` is optional."""

    @shape
    class Cloud(Shape):
        """Points.

        Args:
            places: Where they are.
            weights: How heavy they are.
        """

        places: Annotated[Array, Rows("places", 3)]
        weights: Annotated[Array | None, Rows("weights", 1, low=0, optional=True)] = None

    return Cloud


PLACES = [[0, 1, 2], [0.1, 0.2, -0.3]]


def test_an_array_is_a_value():
    one, other = Array(PLACES), Array(np.array(PLACES))

    assert one == other
    assert hash(one) == hash(other)
    assert one != Array([[0, 1, 2], [0.1, 0.2, 0.3]])
    assert one != Array(np.reshape(PLACES, (3, 2)))
    assert one != PLACES
    assert one.data.dtype == np.float32
    assert np.asarray(one).tolist() == one.data.tolist()
    with pytest.raises(ValueError, match="read-only"):
        one.data[0, 0] = 5
    assert repr(one) == "[[0, 1, 2], [0.1, 0.2, -0.3]]"
    assert repr(Array(np.zeros((100, 3)))) == "Array(100 x 3)"


def test_what_was_given_may_change_afterwards(cloud: Any):
    given = np.zeros((2, 3), np.float32)
    made = cloud(given)
    given[0, 0] = 7

    assert not made.places.data.any()


def test_a_field_takes_lists_arrays_generators_and_its_like(cloud: Any):
    made = cloud(PLACES)

    for same in (np.array(PLACES), tuple(map(tuple, PLACES)), (p for p in PLACES), made.places):
        assert cloud(same) == made
    assert cloud(PLACES, [1, 2]).weights.shape == (2,)


def test_kernels_get_where_rows_of_four_lie(cloud: Any):
    made = cloud(PLACES, [3, 4])
    places, weights = (info.rule for info in cloud.kernel_fields)

    assert made.values() == [(0, 2), (0, 2)]
    assert places.rows(made.places) == pytest.approx(np.array([[0, 1, 2, 0], [0.1, 0.2, -0.3, 0]]))
    assert weights.rows(made.weights).tolist() == [[3, 0, 0, 0], [4, 0, 0, 0]]
    assert weights.rows(None).shape == (0, 4)


def test_a_document_holds_the_shortest_numbers(cloud: Any):
    effect = Effect("a", [Emitter("b", shape=cloud(PLACES))])

    assert "[[0, 1, 2], [0.1, 0.2, -0.3]]" in effect.to_json()
    assert parse(effect.to_json()) == effect


def test_a_document_names_the_file_relative_to_itself(cloud: Any, tmp_path: Path):
    (tmp_path / "data").mkdir()
    np.save(tmp_path / "data" / "cloud.npy", np.array(PLACES))
    effect = Effect("a", [Emitter("b", shape=cloud(tmp_path / "data" / "cloud.npy"))])
    save(effect, tmp_path / "effect.json")

    assert '"data/cloud.npy"' in (tmp_path / "effect.json").read_text()
    again = load(tmp_path / "effect.json")
    assert again == effect
    assert again.emitters[0].shape.places == Array(PLACES)


@pytest.mark.usefixtures("cloud")
def test_the_schema_allows_lists_and_files():
    allows = jsonschema.Draft202012Validator(schema()).is_valid

    def document(**fields: Any) -> dict[str, Any]:
        emitter = {"name": "b", "shape": {"kind": "cloud", **fields}}
        return {"format": "gpuparticles/1", "name": "a", "emitters": [emitter]}

    assert allows(document(places=PLACES))
    assert allows(document(places="a.npy", weights=[1]))
    assert allows(document(places=PLACES, weights=None))
    assert not allows(document(places=[]))
    assert not allows(document(places=[[1, 2]]))
    assert not allows(document(places=PLACES, weights=[-1]))


ALLOWED = "places are 1 or more rows of 3 numbers, or the path of a .npy file"


@pytest.mark.parametrize(
    ("places", "sentence"),
    [
        (5, f"places: 5 is no array; {ALLOWED}"),
        ([], f"places: an empty array is given; {ALLOWED}"),
        (np.zeros((0, 3)), f"places: 0 x 3 is given; {ALLOWED}"),
        (np.zeros((4, 2)), f"places: 4 x 2 is given; {ALLOWED}"),
        ([0, 1, 2], f"places: 3 is given; {ALLOWED}"),
        ([[0, 1, 2], [3, np.nan, 4]], "places[1][1]: NaN is not finite; places are finite numbers"),
        ([[0, 1, -np.inf]], "places[0][2]: -inf is not finite; places are finite numbers"),
        ([[0, 1e39, 0]], "places[0][1]: 1e+39 does not fit in 32 bits; places are finite numbers"),
        ([[0, 1, 2], [3, 4]], f"places[1]: [3, 4] does not fit; {ALLOWED}"),
        ([[0, 1, 2], [3, "4", 5]], f'places[1][1]: "4" is not a number; {ALLOWED}'),
        ([[0, 1, 2], [3, None, 5]], f"places[1][1]: null is not a number; {ALLOWED}"),
        ([[True, False, True]], f"places[0][0]: true is not a number; {ALLOWED}"),
        ("", 'places: "" is no path of a file'),
    ],
)
def test_what_is_no_array_is_refused_where_it_is_not(cloud: Any, places: Any, sentence: str):
    with pytest.raises(EffectError) as error:
        cloud(places)

    assert str(error.value) == f"Cloud: {sentence}"


def test_limits_of_the_numbers_are_said(cloud: Any):
    with pytest.raises(EffectError) as error:
        cloud(PLACES, [0, 1, -2])

    assert str(error.value) == "Cloud: weights[2]: -2 is less than 0; weights are 0 or more"


@pytest.mark.usefixtures("cloud")
def test_files_that_are_none_are_said(tmp_path: Path):
    (tmp_path / "broken.npy").write_bytes(b"\x93NUMPY")
    np.save(tmp_path / "words.npy", np.array(["a"]))

    def sentence(name: str) -> str:
        shape = f'{{"kind": "cloud", "places": "{name}"}}'
        emitter = f'{{"name": "b", "shape": {shape}}}'
        text = f'{{"format": "gpuparticles/1", "name": "a", "emitters": [{emitter}]}}'
        with pytest.raises(DocumentError) as error:
            parse(text, "a.json", tmp_path)
        (found,) = error.value.errors
        return found.removeprefix("a.json: emitters[0].shape.places: ")

    missing = tmp_path / "missing.npy"
    assert sentence("missing.npy") == f"{missing}: cannot be read: No such file or directory"
    broken = f"{tmp_path}/broken.npy: cannot be read: it is no .npy file, or a broken one"
    assert sentence("broken.npy") == broken
    (tmp_path / "broken.npy").write_bytes(b"text")  # of which NumPy says: unpickle it
    assert sentence("broken.npy") == broken
    assert sentence("words.npy") == f"{tmp_path}/words.npy: holds no plain numbers; {ALLOWED}"
    assert sentence("cloud.obj") == f"{tmp_path}/cloud.obj: is no .npy file; {ALLOWED}"
