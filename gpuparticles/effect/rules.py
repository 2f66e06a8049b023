"""What a field accepts: numbers with limits, flags and text.

A rule is attached to a field's type, ``Annotated[float, Number("a rate", least=0)]``. It turns
what the author gave into what the field holds or refuses it with a sentence, says the same as a
JSON Schema, and knows how a shader receives the value.
"""

from __future__ import annotations

import math
import numbers
import sys
from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, core_schema

from gpuparticles.effect.mistakes import gather, refused, show, suggestion

__all__ = [
    "Choice",
    "Components",
    "Filed",
    "Flag",
    "Number",
    "Rule",
    "Table",
    "Text",
    "UnitVector",
    "is_list",
    "read_each",
]

_LARGEST = float(np.finfo(np.float32).max)


class Rule:
    """What a field accepts, and what it holds then."""

    glsl: ClassVar[str | None] = None
    """The type in which a shader receives the value; None when no shader does."""

    def read(self, value: Any) -> Any:
        """What the field holds when `value` is given; raises `refused(...)`."""
        raise NotImplementedError

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of what is accepted in a document."""
        raise NotImplementedError

    def pack(self, value: Any) -> float | tuple[float, ...]:
        """A held value as a shader receives it: a float, or the components of a vector."""
        raise NotImplementedError

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self.read)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return self.schema()


class Filed(Rule):
    """The rule of what may lie in a file of its own, whose path is relative to the document's."""

    if TYPE_CHECKING:  # it is for each rule to say

        def read(self, value: Any, folder: Path | None = None) -> Any:
            """As of any rule; `folder` is the document's, None for the current one."""

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.with_info_plain_validator_function(
            lambda value, info: self.read(value, (info.context or {}).get("folder"))
        )


class Table(Rule):
    """The rule of what reaches its kernel as rows of a texture.

    The kernel gets where they lie: ``vec2 table``, the first row and how many there are. By itself
    it is the rule of rows that a property of a kind makes of its fields.
    """

    glsl: ClassVar[str | None] = "vec2"

    def rows(self, value: Any) -> NDArray[np.float32]:
        """A held value as rows, float32 (n, 4); it may be empty."""
        return np.asarray(value, np.float32)


@dataclass(frozen=True)
class Number(Rule):
    """A number between limits, finite as a 32-bit float.

    Booleans and text are refused. NumPy's numbers are accepted.

    Args:
        noun: What the number is, for sentences: ``"a lifetime"``.
        unit: Its unit, for sentences: ``"seconds"``.
        least: The least number allowed.
        most: The greatest number allowed.
        whole: Only whole numbers; the field then holds an int. 3.0 counts as whole.
        endless: Infinity is allowed too; a document writes it as ``"inf"``.
    """

    noun: str = "a value"
    unit: str = ""
    _: KW_ONLY
    least: float = -math.inf
    most: float = math.inf
    whole: bool = False
    endless: bool = False

    glsl: ClassVar[str | None] = "float"

    def read(self, value: Any, otherwise: str = "") -> float:
        """The number as a float, or as an int when it is whole.

        Args:
            value: What is given.
            otherwise: What is accepted besides a number, for the sentence that refuses.
        """
        endless = self.endless and isinstance(value, str) and value == "inf"
        number = _real(math.inf if endless else value)
        if number is None or math.isnan(number):
            raise refused(f"{show(value)} is not a number; {self}{otherwise}")
        if math.isinf(number) and not (self.endless and number > 0):
            problem = "is not finite"
        elif number < self.least:
            problem = "is negative" if self.least == 0 else f"is less than {show(self.least)}"
        elif number > self.most:
            problem = f"is more than {show(self.most)}"
        elif math.isfinite(number) and abs(number) > _LARGEST:
            problem = "does not fit in 32 bits"
        elif self.whole and number != math.floor(number):
            problem = "is not a whole number"
        else:
            return int(value) if self.whole else number
        raise refused(f"{show(value)} {problem}; {self}")

    def schema(self) -> dict[str, Any]:
        """``number`` or ``integer`` with its limits."""
        found: dict[str, Any] = {"type": "integer" if self.whole else "number"}
        if math.isfinite(self.least):
            found["minimum"] = self.least
        if math.isfinite(self.most):
            found["maximum"] = self.most
        return {"anyOf": [found, {"const": "inf"}]} if self.endless else found

    def pack(self, value: float) -> float:
        """The number itself."""
        return value

    def __str__(self) -> str:
        """``a lifetime is 0 or more seconds``."""
        least, most = show(self.least), show(self.most)
        words = [self.noun, "is"]
        if math.isinf(self.least):
            words += ["a whole number" if self.whole else "a finite number"]
            words += [f"up to {most}"] if math.isfinite(self.most) else []
        elif math.isfinite(self.most):
            words += ["a whole number from"] if self.whole else []
            words += [f"{least} to {most}"]
        else:
            words += ["a whole number,"] if self.whole else []
            words += [f"{least} or more"]
        words += [self.unit] if self.unit else []
        return " ".join(words) + (', or "inf"' if self.endless else "")


@dataclass(frozen=True)
class Components(Rule):
    """Three components; anything that can be iterated over is accepted (tuples, arrays, glm).

    Args:
        noun: What the vector is, for sentences: ``"an axis"``.
        each: The rule of every component.
    """

    noun: str
    each: Rule

    glsl: ClassVar[str | None] = "vec3"

    def read(self, value: Any) -> tuple[Any, ...]:
        """A tuple of three."""
        if not is_list(value) or len(items := list(value)) != 3:
            raise refused(f"{show(value)} is not {self.noun}; {self.noun} has 3 components")
        return read_each([self.each] * 3, items)

    def schema(self) -> dict[str, Any]:
        """An array of three."""
        return {"type": "array", "items": self.each.schema(), "minItems": 3, "maxItems": 3}

    def pack(self, value: tuple[float, ...]) -> tuple[float, ...]:
        """The components themselves."""
        return value


@dataclass(frozen=True)
class UnitVector(Components):
    """Three components of which only the direction matters; not all may be 0."""

    def read(self, value: Any) -> tuple[Any, ...]:
        """The vector as it was given."""
        held = super().read(value)
        if not any(held):
            raise refused(f"{show(held)} has no direction; {self.noun} may not be zero")
        return held

    def pack(self, value: tuple[float, ...]) -> tuple[float, ...]:
        """The vector of length 1."""
        length = math.hypot(*value)
        return tuple(component / length for component in value)


@dataclass(frozen=True)
class Flag(Rule):
    """True or false, and nothing that merely resembles it; 1.0 or 0.0 in a shader."""

    glsl: ClassVar[str | None] = "float"

    def read(self, value: Any) -> bool:
        """A bool."""
        if isinstance(value, (bool, np.bool_)):
            return bool(value)
        raise refused(f"{show(value)} is not true or false")

    def schema(self) -> dict[str, Any]:
        """``boolean``."""
        return {"type": "boolean"}

    def pack(self, value: bool) -> float:
        """1.0 or 0.0."""
        return float(value)


@dataclass(frozen=True)
class Choice(Rule):
    """One of a few words; a shader receives its place among them, counted from 0.

    Args:
        words: Those that are allowed.
    """

    words: tuple[str, ...]

    glsl: ClassVar[str | None] = "float"

    def read(self, value: Any) -> str:
        """The word."""
        if not isinstance(value, str) or value not in self.words:
            allowed = " or ".join(f'"{word}"' for word in self.words)
            raise refused(f"{show(value)} is not {allowed}{suggestion(value, self.words)}")
        return value

    def schema(self) -> dict[str, Any]:
        """``enum``."""
        return {"enum": list(self.words)}

    def pack(self, value: str) -> float:
        """Its place among the words."""
        return float(self.words.index(value))


@dataclass(frozen=True)
class Text(Rule):
    """Text that is not empty.

    Args:
        noun: What the text is, for sentences: ``"a name"``.
    """

    noun: str = "a text"

    def read(self, value: Any) -> str:
        """A str."""
        if not isinstance(value, str):
            raise refused(f"{show(value)} is not text; {self.noun} is text")
        if not value.strip():
            raise refused(f"{show(value)} is empty; {self.noun} has at least one character")
        if any("\ud800" <= character <= "\udfff" for character in value):
            raise refused(f"{show(value)} has half a surrogate pair; {self.noun} is Unicode text")
        return value

    def schema(self) -> dict[str, Any]:
        """``string``."""
        return {"type": "string", "pattern": r"\S"}


def read_each(rules: Sequence[Rule], values: Sequence[Any]) -> tuple[Any, ...]:
    """Read each value by the rule at its place; what is refused is refused all at once."""
    pairs = enumerate(zip(rules, values, strict=True))
    return tuple(gather(lambda pair: pair[0].read(pair[1]), pairs).values())


def is_list(value: object) -> bool:
    """Whether `value` holds items in an order, as a list, a tuple, an array or a vector does."""
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return isinstance(value, Iterable) and not isinstance(value, (str, bytes, dict, set, frozenset))


def _real(value: object) -> float | None:
    """`value` as a float, or None when it is no number."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return None
    try:
        return float(value)
    except OverflowError:  # an int of more than 308 digits: too large, but not infinite
        return sys.float_info.max if value == abs(value) else -sys.float_info.max
