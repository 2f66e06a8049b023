"""Examples of every kind, made from what its fields say, so that no test lists the kinds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, get_args, get_origin

from gpuparticles.effect import Choice, Collision, Kind, Scaled, Table, fields_of
from gpuparticles.effect.rules import Flag

_VALUES = {"float": 1.0, "vec2": (1.0, 2.0), "vec3": (1.0, 2.0, 3.0)}


def example(cls: type[Kind], *, full: bool = False) -> Any:
    """A shape or modifier of a kind; ``full`` with all the parts that may be left out."""
    # Two axes of a box may not be the same.
    given: dict[str, Any] = {
        info.name: bool(_VALUES[info.type]) if isinstance(info.rule, Flag) else _VALUES[info.type]
        for info in fields_of(cls)
        if info.name not in ("right", "up")
        if info.name in cls.__pydantic_fields__ and not isinstance(info.rule, (Choice, Table))
    }
    if issubclass(cls, Scaled):
        given |= {"variation": 0.0, "over_life": None}
    if full:
        for name, info in cls.__pydantic_fields__.items():
            if get_origin(info.annotation) is Literal:
                given[name] = get_args(info.annotation)[-1]
        if issubclass(cls, Collision):
            given |= {"radius_factor": 0.5}
        if issubclass(cls, Scaled):
            given |= {"variation": 0.5, "over_life": [(0, 1), (1, 0)]}
    return replace(cls.example(), **given)
