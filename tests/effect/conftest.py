"""Examples of every kind, made from what the schema says, so that no test lists the kinds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pydantic import TypeAdapter

from gpuparticles.effect import Modifier, Shape, schema
from gpuparticles.effect.kinds import _registry


def _given(rule: dict[str, Any], whole: dict[str, Any]) -> Any:
    """A value that a JSON Schema allows and that is not likely to be a default."""
    match rule:
        case {"$ref": ref}:
            return _given(whole["$defs"][ref.removeprefix("#/$defs/")], whole)
        case {"const": value}:
            return value
        case {"examples": [value, *_]}:
            return value
        case {"enum": [*_, last]}:
            return last
        case {"anyOf": [first, *_]} | {"oneOf": [first, *_]}:
            return _given(first, whole)
        case {"type": "object", "properties": properties}:
            given = {name: _given(part, whole) for name, part in properties.items()}
            if "fps" in given:  # instead of the speed
                del given["speed"]
            # The axes of a box are not parallel.
            return given | ({"up": [0, 1.5, 0]} if "up" in given else {})
        case {"type": "array", "prefixItems": parts}:
            return [_given(part, whole) for part in parts]
        case {"type": "array", "items": item}:
            return [_given(item, whole)] * rule.get("minItems", 1)
        case {"type": "boolean"}:
            return True
        case {"type": "string"}:
            return "text"
        case {"type": "integer"}:
            return rule.get("minimum", 0) + 3
        case {"type": "number", "minimum": least, "maximum": most}:
            return least + 0.25 * (most - least)
        case {"type": "number"}:
            return rule.get("minimum", 0) + 0.75
    raise AssertionError(f"no example of {rule}")


@pytest.fixture
def form() -> Callable[[type], dict[str, Any]]:
    """Gives the document form of a description, every field of it given."""

    def form_of(cls: type) -> dict[str, Any]:
        whole = schema()
        return _given(whole["$defs"][cls.__name__], whole)

    return form_of


@pytest.fixture
def example(form: Callable[[type], dict[str, Any]]) -> Callable[[type], Any]:
    """Gives a description, every field of it given."""

    def example_of(cls: type) -> Any:
        fields = form(cls)
        fields.pop("kind", None)
        return TypeAdapter(cls).validate_python(fields)

    return example_of


@pytest.fixture
def fresh_kinds() -> Iterator[None]:
    """What the test registers is forgotten after it."""
    known = {family: dict(_registry[family]) for family in (Shape, Modifier)}
    yield
    for family, members in known.items():
        _registry[family].clear()
        _registry[family].update(members)
