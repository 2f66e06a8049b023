"""The JSON Schema of effect files says what `load` accepts."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from gpuparticles.effect import Modifier, Shape, kinds, parse, schema
from gpuparticles.errors import DocumentError

LEAST = {"format": "gpuparticles/1", "name": "a", "emitters": [{"name": "b"}]}


def emitter(**fields: Any) -> dict[str, Any]:
    return LEAST | {"emitters": [{"name": "b", **fields}]}


def modifier(**fields: Any) -> dict[str, Any]:
    return emitter(modifiers=[fields])


def sprite(**fields: Any) -> dict[str, Any]:
    return emitter(sprite=fields)


def allows(document: Any) -> bool:
    return jsonschema.Draft202012Validator(schema()).is_valid(document)


def reads(document: Any) -> bool:
    try:
        parse(json.dumps(document))
    except DocumentError:
        return False
    return True


def test_it_is_a_json_schema():
    found = schema()

    jsonschema.Draft202012Validator.check_schema(found)
    assert found["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert json.loads(json.dumps(found)) == found


GOOD = [
    LEAST,
    LEAST | {"$schema": "x.json", "duration": 2, "loop": False, "modifiers": []},
    LEAST | {"prewarm": 2.5},
    LEAST | {"fixed_fps": 30},
    LEAST | {"fixed_fps": None},
    emitter(lifetime="inf", speed=[1, 2], size=0.5, velocity=[0, [1, 2], 3]),
    emitter(capacity=3.0, bursts=[{}, {"time": 1, "count": 3}]),
    emitter(bursts=[{"count": [2, 5], "cycles": 3, "interval": 0.5, "probability": 0.25}]),
    emitter(rate=[1, 2], rate_over_distance=3, delay=1, limit=5),
    emitter(rate=[[0, 1], [0.5, 2]], limit=None),
    emitter(pulse={"cycle": 2, "active": 1, "interval": 0.25, "count": 5}),
    emitter(pulse=None),
    emitter(color="#fff", color_over_life=[[0, "#fff8"]]),
    emitter(size_over_life=2, color_over_life="#ff0000"),
    emitter(size_over_life=[[0, 1], [0.5, 2]], color_over_life=[[0, "#ff000080"], [1, [8, 0, 0]]]),
    emitter(color=[1, 2, 3, 0.5], duration=None, loop=None),
    emitter(shape={"kind": "box", "half": [1, 2, 3]}, space="local"),
    modifier(kind="drag", rate=1, variation=0.5, over_life=[[0, 1]]),
    modifier(kind="vortex", strength=1, falloff=[1, 2], handedness="random"),
    sprite(texture="a.png", blend=0.5, flipbook={"columns": 2, "frames": 2}),
    sprite(texture=None, blend="additive", premultiplied=None, flipbook=None),
]

BAD = [
    [],
    {},
    LEAST | {"format": "gpuparticles/2"},
    LEAST | {"emitters": []},
    LEAST | {"duraton": 1},
    LEAST | {"duration": 0},
    LEAST | {"loop": 1},
    LEAST | {"prewarm": -1},
    LEAST | {"fixed_fps": 0},
    LEAST | {"fixed_fps": "30"},
    LEAST | {"name": " "},
    emitter(rate=-1),
    emitter(rate="1"),
    emitter(rate=True),
    emitter(rate=[1]),
    emitter(rate=[[0, -1]]),
    emitter(rate=[-1, 1]),
    emitter(rate_over_distance=-1),
    emitter(delay=-1),
    emitter(limit=1.5),
    emitter(pulse={"interval": 0}),
    emitter(pulse=3),
    emitter(bursts=[{"count": [1, 2.5]}]),
    emitter(bursts=[{"cycles": 0}]),
    emitter(bursts=[{"probability": 1.5}]),
    emitter(capacity=1.5),
    emitter(lifetime="infinite"),
    emitter(lifetime=[1, 2, 3]),
    emitter(lifetime=[1, "inf"]),
    emitter(spread=181),
    emitter(space="wrld"),
    emitter(velocity=[1, 2]),
    emitter(bursts=[{"time": -1}]),
    emitter(color="#fffff"),
    emitter(color=[1, 1, 1, 2]),
    emitter(color=[1, 1, 1, 1, 1]),
    emitter(size_over_life=[]),
    emitter(size_over_life=[[0, -1]]),
    emitter(size_over_life=[[2, 1]]),
    emitter(color_over_life=[[0]]),
    emitter(shape={"kind": "ball"}),
    emitter(shape={"radius": 1}),
    emitter(shape={"kind": "drag", "rate": 1}),
    emitter(shape="sphere"),
    modifier(kind="drag"),
    modifier(kind="drag", rate=1, strength=1),
    modifier(kind="drag", rate=1, variation=2),
    modifier(kind="vortex", strength=1, falloff=[1]),
    sprite(blend="add"),
    sprite(texture=""),
    sprite(flipbook={"columns": 0}),
]


@pytest.mark.parametrize("document", GOOD, ids=json.dumps)
def test_it_allows_what_is_read(document: Any):
    assert reads(document)
    assert allows(document)


@pytest.mark.parametrize("document", BAD, ids=json.dumps)
def test_it_refuses_what_is_not_read(document: Any):
    assert not reads(document)
    assert not allows(document)


@pytest.mark.parametrize("family", [Shape, Modifier])
def test_every_kind_is_a_definition_with_a_name_and_a_sentence(family: type):
    definitions = schema()["$defs"]

    for kind, cls in kinds(family).items():
        definition = definitions[cls.__name__]
        assert definition["properties"]["kind"] == {"const": kind}
        assert definition["required"][0] == "kind"
        assert definition["additionalProperties"] is False
        assert definition["description"].split("\n")[0].endswith(".")
        assert "Args:" not in definition["description"]


def test_every_field_has_a_description_and_what_is_optional_a_default():
    found = schema()

    for definition in (*found["$defs"].values(), found):
        for name, field in definition.get("properties", {}).items():
            if name in ("kind", "format", "$schema"):
                continue
            assert len(field["description"]) > 5, name
            assert ("default" in field) != (name in definition.get("required", ())), name


def test_defaults_are_written_as_in_a_document():
    properties = schema()["$defs"]["Emitter"]["properties"]

    assert properties["lifetime"]["default"] == 1
    assert properties["shape"]["default"] == {"kind": "point"}
    assert properties["color"]["default"] == "#ffffff"
    assert properties["size_over_life"]["default"] == 1
    assert properties["modifiers"]["default"] == []
    assert properties["duration"]["default"] is None
    assert schema()["$defs"]["Circle"]["properties"]["normal"]["default"] == [0, 1, 0]


def test_limits_are_in_the_schema():
    properties = schema()["$defs"]["Emitter"]["properties"]

    assert properties["spread"]["minimum"] == 0
    assert properties["spread"]["maximum"] == 180
    assert properties["capacity"]["type"] == "integer"
    assert schema()["properties"]["emitters"]["minItems"] == 1
