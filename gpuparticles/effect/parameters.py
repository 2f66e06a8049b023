"""Parameters: the values of an effect that its host sets while it plays.

A parameter names fields by paths such as ``emitters.smoke.modifiers.0.value.x``. What a path leads
to is found here, and changed by making the descriptions on the way anew, so that every limit holds.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import ValidationError

from gpuparticles.effect.description import Takes, description, replaced, settings
from gpuparticles.effect.description import default as at_first
from gpuparticles.effect.mistakes import (
    Mistake,
    known_names,
    mistakes_in,
    refused,
    show,
    suggestion,
)
from gpuparticles.effect.plain import plain
from gpuparticles.effect.rules import Components, Number, Rule, Text, is_list, read_each
from gpuparticles.effect.values import COLOR, RGBA, Curve, Gradient, Range

__all__ = ["Keys", "Parameter", "Value", "found", "keys_of", "mistakes_of", "put", "shown"]

Value: TypeAlias = float | tuple[float, float, float] | RGBA
"""What a parameter holds: a number, a vector or a colour."""

Keys: TypeAlias = tuple[str | int, ...]
"""A path, step by step: names of fields and places in lists."""

# What is settled when an emitter begins to play.
_SETTLED = frozenset({"name", "capacity", "bursts", "pulse", "delay", "limit", "duration", "loop"})
_COMPONENTS = ("x", "y", "z")


@dataclass(frozen=True)
class _Default(Rule):
    """A number, three numbers, or a colour."""

    def read(self, value: Any) -> Value:
        """A float, a tuple of three, or an RGBA."""
        if isinstance(value, str):
            return COLOR.read(value)
        if is_list(value):
            items = list(value)
            return COLOR.read(items) if len(items) == 4 else _VECTOR.read(items)
        return _NUMBER.read(value, ", three numbers, or a colour")

    def schema(self) -> dict[str, Any]:
        """Any of the three."""
        return {"anyOf": [_NUMBER.schema(), _VECTOR.schema(), COLOR.schema()]}


@dataclass(frozen=True)
class _Pair(Rule):
    """None, or (low, high)."""

    def read(self, value: Any) -> tuple[float, float] | None:
        """A tuple of two, ascending."""
        if value is None:
            return None
        if not is_list(value) or len(pair := list(value)) != 2:
            raise refused(f"{show(value)} is not a range; a range is a pair (low, high)")
        low, high = read_each([Number("an end of a range")] * 2, pair)
        if low > high:
            raise refused(f"low {show(low)} is above high {show(high)}; a range is (low, high)")
        return low, high

    def schema(self) -> dict[str, Any]:
        """Null, or an array of two."""
        end = {"type": "number"}
        pair = {"type": "array", "items": end, "minItems": 2, "maxItems": 2}
        return {"anyOf": [pair, {"type": "null"}]}


_NUMBER = Number("a default")
_VECTOR = Components("a vector", Number("a component"))


@description
class Parameter:
    """A value that drives fields of an effect, and that its host sets while the effect plays.

    Its type follows from the default. The fields that it drives hold the default, whatever else
    the effect says of them.

    Args:
        name: By which a playing effect finds it; no other parameter of the effect has it.
        default: What it is at first: a number, a vector of three numbers, or a colour (text, or
            four numbers).
        range: The least and the greatest that it may be, for a vector in each component; None for
            whatever the fields allow. A colour has none.
        description: What it does, for whoever sets it.
        binds: Paths of the fields that it drives: ``emitters.smoke.rate``,
            ``emitters.smoke.modifiers.0.value.y``, ``modifiers.1.strength``. Emitters go by their
            names, items of a list by their places from 0, components by x, y, z or r, g, b, a, the
            ends of a range by low and high.
    """

    name: Annotated[str, Text("a name")]
    default: Takes[float | str | Iterable[float], Annotated[Value, _Default()]]
    range: Takes[Iterable[float] | None, Annotated[tuple[float, float] | None, _Pair()]] = at_first(
        None
    )
    description: Annotated[str, Text("a description")] | None = None
    binds: Takes[Iterable[str], tuple[Annotated[str, Text("a path")], ...]] = at_first(())

    @property
    def type(self) -> Literal["number", "vector", "color"]:
        """What it holds."""
        match self.default:
            case RGBA():
                return "color"
            case tuple():
                return "vector"
            case _:
                return "number"

    @property
    def summary(self) -> str:
        """``number from 0 to 10, by default 1: how hard it blows``."""
        words: list[str] = [self.type]
        if self.range is not None:
            words.append(f" from {show(self.range[0])} to {show(self.range[1])}")
        words.append(f", by default {shown(self.default)}")
        words.append(f": {self.description}" if self.description else "")
        return "".join(words)

    def read(self, value: Any) -> Value:
        """What the parameter holds when `value` is given.

        Raises:
            ValidationError: It is of another type, or out of range.
        """
        low, high = self.range or (-math.inf, math.inf)
        number = Number(self.name, least=low, most=high)
        match self.type:
            case "color":
                return COLOR.read(value)
            case "vector":
                x, y, z = Components("a vector", number).read(value)
                return x, y, z
            case _:
                return number.read(value)

    def extremes(self) -> Iterator[tuple[str, Value]]:
        """The values that the fields must take, and what they are called."""
        yield "the default", self.default
        if self.range is not None:
            for word, end in zip(("low", "high"), self.range, strict=True):
                yield word, (end, end, end) if self.type == "vector" else end

    def examples(self) -> Iterator[Value]:
        """Values at which whatever the parameter drives is in use: neither 0, nor 1, nor usual.

        Not all of them are allowed everywhere, and they do not depend on the default but the last.
        """
        low, high = self.range or (0.0, 1.0)
        for share in (0.37, 37.0, -0.37) if self.range is None else (0.37, 0.73, 1.0):
            a, b, c, d = (low + (high - low) * share * k for k in (1.0, 0.93, 0.89, 0.83))
            match self.type:
                case "color":
                    yield RGBA(a, b, c, d)
                case "vector":
                    yield a, b, c
                case _:
                    yield a
        yield self.default

    def mistakes(self) -> Iterator[Mistake]:
        """A default out of range, and a colour with a range."""
        if self.range is not None and self.type == "color":
            yield Mistake(("range",), "a colour has no range; bind its components")
            return
        try:
            self.read(self.default)
        except ValidationError as error:
            for path, sentence in mistakes_in(error):
                yield Mistake(("default", *path), sentence)

    def written(self) -> Iterator[tuple[str, Any]]:
        """As `settings`, so that a document gives it back: three numbers would be a vector."""
        for name, held in settings(self):
            as_list = name == "default" and isinstance(held, RGBA) and max(held) > 1
            yield name, tuple(held) if as_list else held


def shown(value: Value) -> str:
    """A value as an author would write it."""
    return show(plain(value))


def keys_of(effect: Any, path: str) -> Keys:
    """The steps of a path.

    Raises:
        ValidationError: It leads nowhere, or to what cannot be set while an effect plays.
    """
    keys: list[str | int] = []
    here, rest, owner = "", path, effect
    while rest:
        choices = _choices(owner)
        # An emitter's name may hold dots: the longest name that fits is meant.
        step = max((n for n in choices if f"{rest}.".startswith(f"{n}.")), key=len, default=None)
        if step is None:
            given = rest.split(".")[0]
            raise refused(f"{show(path)}: {_nothing_there(owner, here, given, list(choices))}")
        here = f"{here}.{step}" if here else step
        rest = rest[len(step) + 1 :]
        if is_dataclass(owner) and (step in _SETTLED or step in getattr(owner, "settled", ())):
            raise refused(f"{show(here)} is settled when the effect begins; it cannot be bound")
        keys.append(choices[step])
        owner = _constant(_at(owner, choices[step]))
    if why := _refusal(path, owner):
        raise refused(why)
    return tuple(keys)


def found(owner: Any, keys: Keys) -> Any:
    """What lies at the end of a path; the value of a curve that never changes."""
    for key in keys:
        owner = _constant(_at(owner, key))
    return owner


def put(owner: Any, keys: Keys, value: Value) -> Any:
    """`owner` with another value at the end of a path; nothing else is checked again.

    Raises:
        ValidationError: A description on the way does not allow it.
    """
    if not keys:
        return value
    key, rest = keys[0], keys[1:]
    owner = _constant(owner)
    if isinstance(key, str):
        return replaced(owner, key, put(getattr(owner, key), rest, value))
    items = list(owner)
    items[key] = put(items[key], rest, value)
    return RGBA(*items) if isinstance(owner, RGBA) else tuple(items)


def mistakes_of(effect: Any) -> Iterator[Mistake]:
    """What is wrong with the parameters of an effect, all else of which is right."""
    names: list[str] = []
    bound: list[tuple[Keys, int]] = []
    for index, parameter in enumerate(effect.parameters):
        here = ("parameters", index)
        if parameter.name in names:
            taken = f"{show(parameter.name)} is the name of parameters"
            taken += f"[{names.index(parameter.name)}] too"
            yield Mistake((*here, "name"), f"{taken}; each parameter has its own")
        names.append(parameter.name)
        for number, path in enumerate(parameter.binds):
            there = (*here, "binds", number)
            try:
                keys = keys_of(effect, path)
            except ValidationError as error:
                yield Mistake(there, mistakes_in(error)[0].sentence)
                continue
            for others, other in bound:
                if keys[: len(others)] == others or others[: len(keys)] == keys:
                    yield Mistake(there, f"{show(path)} is bound by parameters[{other}] already")
            bound.append((keys, index))
            yield from (Mistake(there, why) for why in _refusals(effect, parameter, path, keys))


def _refusals(effect: Any, parameter: Parameter, path: str, keys: Keys) -> Iterator[str]:
    """Why a field does not take a parameter."""
    if keys[0] == "emitters" and keys[2:3] == ("lifetime",) and parameter.range is None:
        yield f"{show(path)} needs a range: ages are counted by the longest life there can be"
        return
    root, place = getattr(effect, str(keys[0])), keys[1]
    for word, value in parameter.extremes():
        try:
            made = put(root[place], keys[2:], value)
        except ValidationError as error:
            yield f"{show(path)} does not take {word} {show(value)}: {_first(error)}"
            return
        held = found(made, keys[2:])
        if why := _refusal(path, held):
            yield why
            return


def _first(error: ValidationError) -> str:
    return mistakes_in(error)[0].sentence


def _choices(owner: Any) -> dict[str, str | int]:
    """Where a path may go on from here: how each step is written, and its key."""
    match owner:
        case RGBA():
            return {name: place for place, name in enumerate(owner._fields)}
        case tuple() if owner and hasattr(owner[0], "name"):
            return {item.name: place for place, item in enumerate(owner)}
        case tuple() if len(owner) == 3 and not is_dataclass(owner[0]):
            return {name: place for place, name in enumerate(_COMPONENTS)}
        case tuple():
            return {str(place): place for place in range(len(owner))}
        case _ if hasattr(owner, "emitters"):
            return {"emitters": "emitters", "modifiers": "modifiers"}
        case _ if is_dataclass(owner):
            return {field.name: field.name for field in fields(owner)}
    return {}


def _nothing_there(owner: Any, here: str, given: str, choices: Sequence[str]) -> str:
    """Why a path ends before its time."""
    where = f"{here} has" if here else "an effect has"
    if not choices:
        return f"{here} is {show(owner)}; the path ends there"
    if isinstance(owner, tuple) and choices[0] == "0" and given.isdigit():
        return f"{where} {len(choices)} items, counted from 0"
    if hasattr(owner, "emitters"):
        near = suggestion(given, choices) or "; a path begins with emitters or modifiers"
        return f"no {show(given)} can be bound{near}"
    return f"{where} no {show(given)}{known_names(given, choices, 'names')}"


def _at(owner: Any, key: str | int) -> Any:
    return getattr(owner, key) if isinstance(key, str) else owner[key]


def _constant(value: Any) -> Any:
    """The value of a curve or gradient that never changes; anything else as it is."""
    match value:
        case Curve(stops=((_, constant),)) | Gradient(stops=((_, constant),)):
            return constant
    return value


def _refusal(path: str, held: Any) -> str | None:
    """Why a field cannot be driven, given what it holds: not yet anything is fine."""
    match held:
        case bool() | int():
            return f"{show(path)} is settled when the effect begins; it cannot be bound"
        case None | float() | RGBA() | (float(), float(), float()):
            return None
        case Range():
            return f"{show(path)} is a range; bind {show(f'{path}.low')} or {show(f'{path}.high')}"
        case Curve() | Gradient():
            return f"{show(path)} changes over time; only a constant can be bound"
        case (_, _, _) if not is_dataclass(held[0]) or isinstance(held[0], Range):
            return f"{show(path)} holds ranges; bind its components"
    return f"{show(path)} is no number, vector or colour; nothing else can be bound"
