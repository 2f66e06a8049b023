"""What is wrong with a description: where, and in one sentence.

A check raises `refused(sentence, *path)`. pydantic collects what the fields of an object raise
and puts each one's place in front, so that a whole document's mistakes arrive together.
"""

from __future__ import annotations

import difflib
import itertools
import json
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import is_dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np
from pydantic import ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

__all__ = [
    "Mistake",
    "a",
    "gather",
    "if_right",
    "known_names",
    "mistakes_in",
    "refusal",
    "refused",
    "show",
    "suggestion",
]

Key = TypeVar("Key", bound=Hashable)
Result = TypeVar("Result")

_LONGEST = 60  # characters of a given value that a sentence quotes
_MOST = 8  # items of a given list


class Mistake(NamedTuple):
    """One thing that is wrong.

    Args:
        path: Field names and list positions that lead to it, outermost first.
        sentence: What was given and what is allowed.
    """

    path: tuple[str | int, ...]
    sentence: str

    def __str__(self) -> str:
        steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in self.path)
        path = "".join(steps).removeprefix(".")
        return f"{path}: {self.sentence}" if path else self.sentence


def refusal(mistakes: Iterable[Mistake]) -> ValidationError:
    """The exception that carries `mistakes` through pydantic."""
    return ValidationError.from_exception_data(
        "description",
        [
            InitErrorDetails(
                type=PydanticCustomError("mistake", "{sentence}", {"sentence": sentence}),
                loc=path,
                input=None,
            )
            for path, sentence in mistakes
        ],
    )


def refused(sentence: str, *path: str | int) -> ValidationError:
    """The exception that says one `sentence` of what lies at `path`."""
    return refusal([Mistake(path, sentence)])


def mistakes_in(error: ValidationError, known: Iterable[str] = ()) -> list[Mistake]:
    """All that `error` found.

    Args:
        error: What pydantic raised.
        known: The names of the fields of the object that raised it, for suggestions.
    """
    return [
        Mistake(detail["loc"], _sentence(detail, list(known)))
        for detail in error.errors(include_url=False)
    ]


def gather(read: Callable[[Any], Result], items: Iterable[tuple[Key, Any]]) -> dict[Key, Result]:
    """Apply `read` to each value, keeping its key; what it refuses is refused all at once."""
    results: dict[Key, Result] = {}
    mistakes: list[Mistake] = []
    for key, value in items:
        try:
            results[key] = read(value)
        except ValidationError as error:
            step = key if isinstance(key, int) else str(key)
            mistakes += [Mistake((step, *path), why) for path, why in mistakes_in(error)]
    if mistakes:
        raise refusal(mistakes)
    return results


def if_right(read: Callable[[Key], Result], value: Key) -> Result | None:
    """What `read` gives, or None when it asks for a field that is wrong: see `description`."""
    try:
        return read(value)
    except AttributeError:
        return None


def show(value: object, depth: int = 3) -> str:
    """`value` as a sentence quotes it: as JSON writes it where it can, and never long."""
    match value:
        case float() | np.floating():
            text = f"{float(value):.15g}".replace("nan", "NaN")
        case np.bool_() | np.integer():
            text = show(value.item())
        case int() if abs(value) >= 10**_LONGEST:
            text = "a huge number"
        case bool() | int() | None | str():
            text = json.dumps(value, ensure_ascii=False)
            text = text.encode("utf-8", "backslashreplace").decode()  # it can always be printed
        case list() | tuple():
            text = f"[{_show_each(value, lambda item: show(item, depth - 1), depth)}]"
        case dict():

            def pair(item: tuple[object, object]) -> str:
                return f"{show(item[0])}: {show(item[1], depth - 1)}"

            text = f"{{{_show_each(value.items(), pair, depth)}}}"
        case np.ndarray():
            text = show(value.tolist(), depth)
        case type():
            text = f"the class {value.__name__}"
        case _ if is_dataclass(value):
            text = repr(value)
        case _:
            text = f"an object of type {type(value).__name__}"
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def _show_each(items: Iterable[Any], show_one: Callable[[Any], str], depth: int) -> str:
    """The first few of a list's items, if it does not lie too deep."""
    if depth == 0:
        return "..."
    shown = [show_one(item) for item in itertools.islice(items, _MOST + 1)]
    return ", ".join(shown if len(shown) <= _MOST else [*shown[:_MOST], "..."])


def a(noun: str) -> str:
    """The noun with its article."""
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def suggestion(given: object, known: Iterable[str]) -> str:
    """``; did you mean "drag"?`` when a known name is close to what was given, else nothing."""
    if not isinstance(given, str) or not given:
        return ""
    names = list(known)
    word = given.lower()
    close = difflib.get_close_matches(word, names, n=1)
    close = close or [name for name in names if len(word) > 1 and name.startswith(word)]
    return f'; did you mean "{close[0]}"?' if close else ""


def known_names(given: object, known: Iterable[str], what: str) -> str:
    """A suggestion when there is a close one, else all the names that there are."""
    names = list(known)
    return suggestion(given, names) or f"; known {what}: {', '.join(names)}"


def _few(names: Sequence[str]) -> str:
    """The names, or the first few of many."""
    listed = ", ".join(names[:_MOST])
    return listed if len(names) <= _MOST else f"{listed} and {len(names) - _MOST} more"


def _sentence(detail: Mapping[str, Any], known: list[str]) -> str:
    """Our sentence for one of pydantic's findings."""
    given, context = detail["input"], detail.get("ctx", {})
    match detail["type"]:
        case "mistake":
            return str(context["sentence"])
        case "missing":
            return "nothing is given, and it has no default"
        case "unexpected_keyword_argument":
            name = detail["loc"][-1]
            return f"unknown field {show(name)}" + (
                suggestion(name, known) or f"; known fields: {_few(known)}"
            )
        case "dataclass_type":
            return f"{show(given)} is not an object with the fields {_few(known)}"
        case "literal_error":
            words = re.findall(r"'([^']*)'", context["expected"])
            allowed = " or ".join(f'"{word}"' for word in words)
            return f"{show(given)} is not {allowed}{suggestion(given, words)}"
        case "tuple_type":
            return (
                f"{show(given)} is not a list; a list is written [...], even one of a single item"
            )
        case _:
            return f"{show(given)} is refused: {detail['msg']}"
