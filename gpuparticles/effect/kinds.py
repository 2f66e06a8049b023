"""Families of kinds: shapes and modifiers, found by the name that a document gives them.

A kind is one class and one .glsl file of the same stem: ``Drag``, ``glsl/modifiers/drag.glsl``
and ``{"kind": "drag"}``. Registering the class is all that makes it known: to documents, to their
schema, to shaders and to the tests, which walk `kinds`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import MISSING
from types import MappingProxyType
from typing import Any, ClassVar, Final, Literal, NamedTuple, Self, TypeVar, get_origin

from pydantic import GetCoreSchemaHandler, TypeAdapter
from pydantic_core import ArgsKwargs, CoreSchema, core_schema

from gpuparticles.effect.description import (
    call_of,
    checked,
    description,
    fields_in_order,
    rule_of,
)
from gpuparticles.effect.mistakes import a, known_names, refused, show
from gpuparticles.effect.rules import Components, Number, Rule, Table

__all__ = ["DIRECTION", "PHASE", "POINT", "KernelField", "Kind", "fields_of", "kinds", "register"]

K = TypeVar("K", bound="Kind")

POINT: Final = "point"
"""Marks a vector that is a place: ``Annotated[Vec3, POINT]`` turns and moves with its space."""

DIRECTION: Final = "direction"
"""Marks a vector that is a direction: ``Annotated[Vec3, DIRECTION]`` turns with its space."""

PHASE: Final = "phase"
"""Marks a field for which the phase of its modifier stands: it is no argument of the kernel."""


class Kind:
    """A member of a family. The family is a direct subclass, a description without a kernel."""

    __slots__ = ()

    family: ClassVar[str]
    """What a member is called in sentences: ``"modifier"``."""

    kind: ClassVar[str]
    """The name in documents; the stem of the .glsl file."""

    kernel_fields: ClassVar[tuple[KernelField, ...]]
    """What its kernel takes; see `fields_of`.

    A kind whose kernel takes what properties make of the fields (a `Table` of several) says so
    itself.
    """

    def values(self) -> list[float | tuple[float, ...]]:
        """The arguments of the kernel, one for each of `fields_of`, as a shader receives them.

        Of a table it is (0, number of rows); where its rows begin is known to who gathers them.
        """
        return [_packed(info.rule, getattr(self, info.name)) for info in fields_of(type(self))]

    @classmethod
    def example(cls) -> Self:
        """One that shows what the kind does: its page and its picture in docs/ are of it.

        By default what is not required is at its default. A kind that shows itself better with
        other values, or has required fields that are no numbers, overrides it.
        """
        fields = fields_in_order(cls)
        names = [field.name for field in fields if field.default is MISSING]
        return cls(**{name: _shown(rule_of(cls, name)) for name in names})

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        if "kind" in vars(cls):
            return checked(cls, source, handler)
        # Which kinds there are is asked when a value is read: more may be registered by then.
        return core_schema.with_info_plain_validator_function(
            lambda value, info: _read(cls, value, info.context), metadata={"kinds_of": cls}
        )


class KernelField(NamedTuple):
    """A field of a kind that its kernel takes as an argument.

    Args:
        name: Its name, in Python and in GLSL.
        type: Its GLSL type: ``float``, ``vec2`` or ``vec3``.
        role: ``"point"`` or ``"direction"`` when a change of space concerns it.
        rule: What the field accepts; ``rule.pack(value)`` gives the components for the shader. A
            `Table` gives rows instead, and the kernel gets where they lie, a ``vec2``.
    """

    name: str
    type: str
    role: Literal["point", "direction"] | None
    rule: Rule


def _packed(rule: Rule, value: Any) -> float | tuple[float, ...]:
    return (0.0, float(len(rule.rows(value)))) if isinstance(rule, Table) else rule.pack(value)


def register(family: type[Kind], cls: type[K]) -> type[K]:
    """Make `cls` a description and a known kind of `family`, under its name in snake case.

    Raises:
        TypeError: `cls` is not of that family, its name is taken by another class, or a field
            has a type that is unknown or has no GLSL form.
    """
    if not issubclass(cls, family):
        raise TypeError(f"{cls.__name__} must be a subclass of {family.__name__}")
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls.__name__).lower()
    known = _registry.setdefault(family, {})
    taken = known.get(name)
    if taken and (taken.__module__, taken.__qualname__) != (cls.__module__, cls.__qualname__):
        raise TypeError(f'the {family.family} "{name}" is {taken.__module__}.{taken.__qualname__}')
    cls.kind = name
    made = description(cls)
    if not getattr(made, "__pydantic_complete__", True):
        raise TypeError(f"a type of a field of {cls.__name__} is not known when it is registered")
    if "kernel_fields" not in vars(made):
        made.kernel_fields = _kernel_fields(family, made)
    known[name] = made
    return made


def kinds(family: type[K]) -> Mapping[str, type[K]]:
    """Every registered kind of a family by its name, in order of registration."""
    return MappingProxyType(_registry.get(family, {}))


def fields_of(cls: type[Kind]) -> tuple[KernelField, ...]:
    """The arguments of the kernel of a registered kind, in the order in which it declares them.

    Fields of the family itself, fields that are words (a ``Literal`` without a `Choice`), and those
    marked `PHASE` are settled elsewhere and are no arguments.
    """
    return cls.kernel_fields


_registry: dict[type[Kind], dict[str, type[Any]]] = {}


def _kernel_fields(family: type[Kind], cls: type[Any]) -> tuple[KernelField, ...]:
    # What bases say is for every kind of theirs: the composer sees to it, no kernel.
    shared = {
        field.name
        for base in cls.__mro__[1:]
        if issubclass(base, family) and "kind" not in vars(base)
        for field in fields_in_order(base)
    }
    found = []
    for field in fields_in_order(cls):
        info = cls.__pydantic_fields__[field.name]
        rule = rule_of(cls, field.name)
        if field.name in shared or (rule is None and get_origin(info.annotation) is Literal):
            continue
        if PHASE in info.metadata:
            continue
        if rule is None or rule.glsl is None:
            raise TypeError(f"{cls.__name__}.{field.name} has no GLSL form: {field.type}")
        role = next((item for item in info.metadata if item in (POINT, DIRECTION)), None)
        found.append(KernelField(field.name, rule.glsl, role, rule))
    return tuple(found)


def _shown(rule: Rule | None) -> Any:
    """A value of a required field that does something visible."""
    match rule:
        case Number():
            return min(max(3.0, rule.least), rule.most)
        case Components():
            return 0.0, -3.0, 0.0
    raise TypeError("a required field has no value of its own to show; override `example`")


def _family_of(cls: type[Kind]) -> type[Kind]:
    return next(base for base in cls.__mro__ if "family" in vars(base))


def _read(base: type[Kind], value: Any, context: Any) -> Any:
    """A member of `base` from itself or from its form in a document."""
    if isinstance(value, base):
        return value
    family = base.family
    names = [name for name, cls in kinds(_family_of(base)).items() if issubclass(cls, base)]
    if isinstance(value, ArgsKwargs):
        raise refused(f"a {family} is one of its kinds: {', '.join(names)}")
    if isinstance(value, type) and issubclass(value, base) and "kind" in vars(value):
        raise refused(f"{show(value)} is not {a(family)}; write {call_of(value)}")
    if not isinstance(value, Mapping):
        example = value if value in names else names[0]
        what = f'a {family} is an object such as {{"kind": "{example}"}}'
        raise refused(f"{show(value)} is not a {family}; {what}")
    if "kind" not in value:
        raise refused(f"nothing is given{known_names(None, names, f'{family}s')}", "kind")
    settings = dict(value)
    name = settings.pop("kind")
    if not isinstance(name, str) or name not in names:
        raise refused(
            f"unknown {family} {show(name)}{known_names(name, names, f'{family}s')}", "kind"
        )
    return TypeAdapter(kinds(_family_of(base))[name]).validate_python(settings, context=context)
