"""Examples of every kind, made from what its fields say, so that no test lists the kinds."""

from __future__ import annotations

from typing import Any, Literal, get_args, get_origin

from gpuparticles.effect import Kind, Modifier, fields_of

_VALUES = {"float": 1.0, "vec2": (1.0, 2.0), "vec3": (1.0, 2.0, 3.0)}


def example(cls: type[Kind], *, full: bool = False) -> Any:
    """A shape or modifier of a kind; ``full`` with all the parts that may be left out."""
    given: dict[str, Any] = {info.name: _VALUES[info.type] for info in fields_of(cls)}
    if full:
        for name, info in cls.__pydantic_fields__.items():
            if get_origin(info.annotation) is Literal:
                given[name] = get_args(info.annotation)[-1]
        if issubclass(cls, Modifier):
            given |= {"variation": 0.5, "over_life": [(0, 1), (1, 0)]}
    return cls(**given)
