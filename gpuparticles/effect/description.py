"""`description`: what makes a class a frozen, checked part of an effect.

A description is a frozen, slotted dataclass that pydantic checks. Built by hand, it raises an
EffectError that lists everything that is wrong; inside a document or another description, its
mistakes join the others with their path in front.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Generic,
    TypeVar,
    cast,
    dataclass_transform,
    get_args,
    get_origin,
    overload,
)

from pydantic import ConfigDict, GetCoreSchemaHandler, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass
from pydantic_core import ArgsKwargs, CoreSchema, core_schema

from gpuparticles.effect.mistakes import Mistake, a, mistakes_in, refusal, refused, show
from gpuparticles.effect.rules import Flag, Number, Rule, Text, is_list
from gpuparticles.errors import EffectError

__all__ = [
    "Takes",
    "call_of",
    "checked",
    "default",
    "description",
    "explain",
    "fields_in_order",
    "replaced",
    "right_part",
    "rule_of",
    "settings",
]

T = TypeVar("T")
Given = TypeVar("Given")
Held = TypeVar("Held")

_CONFIG = ConfigDict(extra="forbid", validate_default=True, arbitrary_types_allowed=True)
_PLAIN: dict[object, object] = {
    "float": Annotated[float, Number()],
    "int": Annotated[int, Number(whole=True)],
    "bool": Annotated[bool, Flag()],
    "str": Annotated[str, Text()],
}
"""What a plain annotation stands for; pydantic alone would read "1" and True as numbers."""

if TYPE_CHECKING:

    class Takes(Generic[Given, Held]):
        """A field that takes `Given` from its author and reads back as `Held`.

        To a type checker it is a descriptor, whose ``__set__`` gives the type of the argument of
        ``__init__``. At run time ``Takes[Given, Held]`` is simply ``Held``.
        """

        @overload
        def __get__(self, instance: None, owner: type) -> Takes[Given, Held]: ...
        @overload
        def __get__(self, instance: object, owner: type) -> Held: ...
        def __get__(self, instance: object | None, owner: type) -> Any: ...
        def __set__(self, instance: object, value: Given) -> None: ...

else:

    class Takes:
        """A field that takes one type from its author and reads back as another."""

        def __class_getitem__(cls, given_and_held):
            """The type that the field holds."""
            return given_and_held[1]


def default(value: Any) -> Any:
    """`value` itself, typed so that it can be the default of a field that `Takes` something."""
    return value


@overload
@dataclass_transform(frozen_default=True)
def description(cls: type[T]) -> type[T]: ...
@overload
@dataclass_transform(frozen_default=True)
def description(*, kw_only: bool) -> Callable[[type[T]], type[T]]: ...
def description(cls: type[T] | None = None, *, kw_only: bool = False) -> Any:
    """Make `cls` a frozen, slotted, checked dataclass.

    Plain ``float``, ``int``, ``bool`` and ``str`` annotations refuse everything else. A method
    ``mistakes(self) -> Iterator[Mistake]`` may check what several fields say together. A field
    that is wrong by itself is not there then, and asking for it ends the check; `if_right` lets
    the rest of the check go on.

    Args:
        cls: A class with annotated fields.
        kw_only: Its fields are given by name only.

    Raises:
        EffectError: From the constructor, when a value is missing, unknown or wrong.
    """
    if cls is None:
        return functools.partial(description, kw_only=kw_only)
    cls.__annotations__ = {
        name: _PLAIN.get(annotation.__name__ if isinstance(annotation, type) else str(annotation))
        or annotation
        for name, annotation in inspect.get_annotations(cls).items()
    }
    if not hasattr(cls, "__get_pydantic_core_schema__"):
        # pydantic looks this method up by name; a type checker cannot know that it may be set.
        cls.__get_pydantic_core_schema__ = classmethod(checked)  # type: ignore[attr-defined]
    make = dataclass(frozen=True, slots=True, repr=False, kw_only=kw_only, config=_CONFIG)
    made: Any = make(cls)
    if "__repr__" not in vars(cls):
        made.__repr__ = _repr
    _say_what_is_wrong(made)
    return made


def checked(cls: type, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
    """The pydantic schema of a description, with our sentences for what it refuses."""
    inner: CoreSchema = handler(source)
    finished: CoreSchema | None = vars(cls).get("__pydantic_core_schema__")
    if inner is finished:
        return inner  # the finished class used as a field: it has been through here

    def check(
        value: Any,
        validate: core_schema.ValidatorFunctionWrapHandler,
        info: core_schema.ValidationInfo[Any],
    ) -> Any:
        found: list[Mistake] = []
        together = hasattr(cls, "mistakes")
        try:
            made = validate(value)
        except ValidationError as error:
            if sentence := _instead(cls, value):
                raise refused(sentence) from None
            found += mistakes_in(error, [field.name for field in fields_in_order(cls)])
            made = right_part(cls, value, info.context) if together else None
        if together:
            with contextlib.suppress(*[AttributeError] if found else []):
                found.extend(made.mistakes())
        if found:
            raise refusal(found)
        return made

    return core_schema.with_info_wrap_validator_function(check, inner)


def call_of(cls: type) -> str:
    """How an author makes an object of a description: ``Sphere()``, or ``Drag(...)`` with more."""
    required = any(field.default is MISSING for field in fields(cls))
    return f"{cls.__name__}({'...' if required else ''})"


def _instead(cls: type, value: Any) -> str | None:
    """What to write instead of `value`, when it is the class itself or holds its first fields."""
    refusal = f"{show(value)} is not {a(cls.__name__.lower())}; write "
    if value is cls:
        return refusal + call_of(cls)
    items = [value] if isinstance(value, str) else value
    if not (isinstance(items, (list, tuple)) and items):
        return None
    if not all(isinstance(item, (str, int, float)) for item in items):
        return None
    try:
        cls(*items)
    except EffectError:
        return None
    named = dict(zip((field.name for field in fields_in_order(cls)), items, strict=False))
    given = ", ".join(f"{name}={show(item)}" for name, item in named.items())
    return f"{refusal}{cls.__name__}({given}), or {show(named)} in a file"


def right_part(cls: type, value: Any, context: Any = None) -> Any:
    """What is right of a description that is wrong: its fields that are wrong are not there.

    Where something in a list is wrong, it is an object without any field or with those that are
    right.

    Args:
        cls: What `value` should have been.
        value: What was given.
        context: As pydantic has it.
    """
    part: Any = object.__new__(cls)
    given = value.kwargs if isinstance(value, ArgsKwargs) else value
    if isinstance(given, Mapping):
        held = _defaults(cls)
        for name, info in vars(cls)["__pydantic_fields__"].items():
            if name in given:
                held[name] = _right(_adapter(cls, name), info.annotation, given[name], context)
        for name, right in held.items():
            if right is not _WRONG:
                object.__setattr__(part, name, right)
    return part


_WRONG = object()


@functools.cache
def _adapter(cls: type, name: str) -> TypeAdapter[Any]:
    return TypeAdapter(vars(cls)["__pydantic_fields__"][name].rebuild_annotation())


def _right(adapter: TypeAdapter[Any], annotation: Any, value: Any, context: Any) -> Any:
    """`value` as the adapter of a type reads it, or what is right of it, or _WRONG."""
    if isinstance(value, Iterator):
        return _WRONG  # it has been read to its end by now
    with contextlib.suppress(ValidationError):
        return adapter.validate_python(value, context=context)
    choices = get_args(annotation)
    if get_origin(annotation) is tuple:
        each, items = choices[0], value if is_list(value) else ()
        if not is_dataclass(each):
            return _WRONG  # of numbers and stops nothing is left that could be asked further
        return tuple(_right(TypeAdapter(each), each, item, context) for item in items) or _WRONG
    for cls in (annotation, *choices):
        if isinstance(cls, type) and is_dataclass(cls):
            return right_part(cls, value, context)
    return _WRONG


def replaced(owner: T, name: str, value: Any) -> T:
    """A description with another value in one field, checked as if it had been built with it.

    The other fields are taken over as they are: they have been checked.

    Raises:
        ValidationError: The field, or what fields say together, does not allow it.
    """
    cls: Any = type(owner)
    try:
        held = _adapter(cls, name).validate_python(value)
    except ValidationError as error:
        raise refusal(Mistake((name, *path), why) for path, why in mistakes_in(error)) from None
    made: Any = object.__new__(cls)
    for field in fields(cls):
        object.__setattr__(made, field.name, getattr(owner, field.name))
    object.__setattr__(made, name, held)
    if found := list(made.mistakes() if hasattr(cls, "mistakes") else ()):
        raise refusal(found)
    return cast(T, made)


def fields_in_order(cls: type) -> list[Field[Any]]:
    """The fields of a description as its author gives them: positional first, then by name."""
    return sorted(fields(cls), key=lambda field: bool(field.kw_only))


def settings(value: Any) -> Iterator[tuple[str, Any]]:
    """Name and value of the fields of a description that are not at their default."""
    defaults = _defaults(type(value))
    for field in fields_in_order(type(value)):
        held = getattr(value, field.name)
        if field.name not in defaults or held != defaults[field.name]:
            yield field.name, held


def rule_of(cls: type, name: str) -> Rule | None:
    """The rule that a field of a description is annotated with, if it is with one."""
    metadata = vars(cls)["__pydantic_fields__"][name].metadata
    return next((item for item in metadata if isinstance(item, Rule)), None)


def explain(cls: type) -> dict[str, str]:
    """What the docstrings of a description and of its bases say of each field, under ``Args:``."""
    found: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        _, _, arguments = inspect.cleandoc(vars(base).get("__doc__") or "").partition("\nArgs:\n")
        section = re.split(r"\n(?=\S)", arguments)[0]
        for entry in re.split(r"\n(?= {4}\S)", f"\n{section}"):
            name, colon, text = entry.strip().partition(":")
            if colon:
                found[name] = " ".join(text.split())
    return found


def _defaults(cls: type) -> dict[str, Any]:
    """What the fields of a description hold by default, in the form in which they hold it."""
    held = {field.name: field.default for field in fields(cls) if field.default is not MISSING}
    for name, value in held.items():
        if rule := rule_of(cls, name):
            held[name] = rule.read(value)
    return held


def _repr(self: object) -> str:
    given = ", ".join(f"{name}={value!r}" for name, value in settings(self))
    return f"{type(self).__name__}({given})"


def _say_what_is_wrong(cls: Any) -> None:
    """Let the constructor of `cls` raise EffectError, and name the arguments given by position."""
    construct = cls.__init__
    names = [field.name for field in fields_in_order(cls) if not field.kw_only]

    @functools.wraps(construct)
    def __init__(self: Any, *values: Any, **named: Any) -> None:  # noqa: N807 - it is one
        given = dict(zip(names, values, strict=False))
        try:
            if twice := given.keys() & named.keys():
                raise refusal(Mistake((name,), "given by position and by name") for name in twice)
            if len(values) > len(given):
                takes = f"at most {len(names)} ({', '.join(names)})" if names else "none"
                raise refused(f"{len(values)} values are given by position; it takes {takes}")
            construct(self, **given, **named)
        except ValidationError as error:
            found = (f"{cls.__name__}: {mistake}" for mistake in mistakes_in(error))
            raise EffectError("\n".join(found)) from None

    cls.__init__ = __init__
