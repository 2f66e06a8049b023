"""Arrays of numbers in descriptions: points, meshes, fields."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from gpuparticles.effect.mistakes import refused, show
from gpuparticles.effect.rules import Filed, Table, is_list

__all__ = ["MOST_ROWS", "Array", "ArrayLike", "Rows", "file_at"]

Floats: TypeAlias = npt.NDArray[np.float32]

MOST_ROWS = 1 << 22
"""Rows of one array at the most: 64 MB, and a texture of them that every driver can hold."""

_SHOWN = 48  # numbers that a repr writes out


class Array:
    """An array of numbers that never changes: equal to its like, and hashable.

    Args:
        values: Any numbers, of any shape; they are copied.
        file: The .npy file from which they come, which a document then names.

    Attributes:
        data: float32, read only, in C order.
        file: The .npy file from which it comes, or None.
    """

    __slots__ = ("_hash", "data", "file")

    def __init__(self, values: npt.ArrayLike, file: Path | None = None) -> None:
        data = np.array(values, np.float32, order="C") + np.float32(0)  # 0 and -0 become equal
        data.flags.writeable = False
        self.data: Floats = data
        self.file = file
        self._hash = hash((data.shape, data.tobytes()))

    @property
    def shape(self) -> tuple[int, ...]:
        """Its extent along each axis."""
        return self.data.shape

    def __len__(self) -> int:
        return len(self.data)

    def __array__(
        self, dtype: npt.DTypeLike | None = None, copy: bool | None = None
    ) -> npt.NDArray[Any]:
        return np.array(self.data, dtype, copy=bool(copy) or None)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Array):
            return NotImplemented
        same = self._hash == other._hash and self.shape == other.shape
        return same and self.data.tobytes() == other.data.tobytes()

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        if self.data.size <= _SHOWN:
            return repr(self.plain())
        return f"Array({' x '.join(map(str, self.shape))})"

    def plain(self) -> Any:
        """Nested lists of whole numbers, and of the shortest decimals for the others."""
        return _plain(self.data.astype(np.str_).astype(np.float64).tolist())


ArrayLike: TypeAlias = Array | npt.ArrayLike | Sequence[Any] | str | os.PathLike[str]
"""What a field of `Rows` takes: numbers, or the path of a .npy file."""


@dataclass(frozen=True)
class Rows(Filed, Table):
    """An array whose last axis is a row of the table: numbers, or the path of a .npy file.

    Args:
        noun: What the array is, for sentences: ``"positions"``, a plural.
        columns: Numbers of a row, 1 to 4; 1 is a row of one number, without an axis of its own.
        axes: Axes before the row's; several are numbered as C does.
        least: The least extent along each of these axes.
        low: The least number allowed.
        alpha: The fourth number of a row is an alpha, at most 1.
        optional: None is allowed too, and is no rows.
    """

    noun: str
    columns: int
    _: KW_ONLY
    axes: int = 1
    least: int = 1
    low: float = -math.inf
    alpha: bool = False
    optional: bool = False

    def read(self, value: Any, folder: Path | None = None) -> Array | None:
        """An Array; a path becomes absolute, from the document's folder or the working one."""
        if value is None and self.optional:
            return None
        file = None
        if isinstance(value, (str, os.PathLike)):
            file = file_at(value, folder)
            given = self._load(file)
        elif isinstance(value, Array):
            file, given = value.file, value.data
        elif is_list(value):
            given = self._numbers(value if isinstance(value, np.ndarray) else list(value))
        else:
            raise refused(f"{show(value)} is no array; {self}")
        self._check(given)
        if isinstance(value, Array):
            return value
        return Array(given, file)

    def rows(self, value: Any) -> Floats:
        """float32 (n, 4); the columns that the array lacks are 0."""
        data = np.zeros((0, 1), np.float32) if value is None else value.data
        data = data.reshape(-1, self.columns)
        table = np.zeros((len(data), 4), np.float32)
        table[:, : data.shape[1]] = data
        return table

    def schema(self) -> dict[str, Any]:
        """Nested arrays of numbers, or a string."""
        found: dict[str, Any] = {"type": "number"}
        if math.isfinite(self.low):
            found["minimum"] = self.low
        if self.columns > 1:
            count = self.columns
            found = {"type": "array", "items": found, "minItems": count, "maxItems": count}
        for _ in range(self.axes):
            found = {"type": "array", "items": found, "minItems": self.least}
        file = {"type": "string", "pattern": r"\.npy$"}
        return {"anyOf": [found, file, *([{"type": "null"}] if self.optional else [])]}

    def __str__(self) -> str:
        """``positions are 1 or more rows of 3 numbers, or the path of a .npy file``."""
        row = "numbers" if self.columns == 1 else f"rows of {self.columns} numbers"
        count = " by ".join([f"{self.least} or more"] * self.axes)
        return f"{self.noun} are {count} {row}, or the path of a .npy file"

    def _load(self, file: Path) -> npt.NDArray[Any]:
        if file.suffix != ".npy":
            raise refused(f"{file}: is no .npy file; {self}")
        try:
            given = np.load(file, allow_pickle=False)
        except OSError as error:
            raise refused(f"{file}: cannot be read: {error.strerror or error}") from None
        except (ValueError, EOFError):
            # What NumPy says of it advises to unpickle it.
            raise refused(f"{file}: cannot be read: it is no .npy file, or a broken one") from None
        if not isinstance(given, np.ndarray) or given.dtype.kind not in "fiu":
            raise refused(f"{file}: holds no plain numbers; {self}")
        return given

    def _numbers(self, value: Any) -> npt.NDArray[Any]:
        """As an array of numbers; else the first place that is none is refused."""
        try:
            given = np.array(value)
        except (TypeError, ValueError, OverflowError):
            given = np.array(None)
        if given.dtype.kind in "fiu":
            return given
        if given.size == 0:
            return np.zeros(0)
        raise self._odd(value, self.axes + (self.columns > 1), ())

    def _odd(self, value: Any, depth: int, path: tuple[int, ...]) -> Exception:
        """The refusal of the first part of nested lists that does not fit."""
        if not depth:
            return refused(f"{show(value)} is not a number; {self}", *path)
        items = list(value) if is_list(value) else []
        if not items or (depth == 1 and self.columns > 1 and len(items) != self.columns):
            what = f"{show(value)} does not fit"
            return refused(f"{what}; {self}", *path)
        for place, item in enumerate(items):
            if not _is_shaped(item, depth - 1, self.columns):
                return self._odd(item, depth - 1, (*path, place))
        return refused(f"its lists differ in length; {self}", *path)

    def _check(self, given: npt.NDArray[Any]) -> None:
        shape = given.shape[: self.axes]
        fits = given.ndim == self.axes + (self.columns > 1)
        fits = fits and (self.columns == 1 or given.shape[-1] == self.columns)
        if not fits or any(count < self.least for count in shape):
            extent = " x ".join(map(str, given.shape)) or "a single number"
            if given.shape == (0,):
                extent = "an empty array"
            raise refused(f"{extent} is given; {self}")
        if math.prod(shape) > MOST_ROWS:
            raise refused(f"{math.prod(shape)} rows are too many; {MOST_ROWS} fit in a texture")
        with np.errstate(over="ignore"):
            bad = np.argwhere(~np.isfinite(given.astype(np.float32)))
        low = np.argwhere(given < self.low) if math.isfinite(self.low) else bad[:0]
        for places, problem in ((bad, "is not finite"), (low, f"is less than {show(self.low)}")):
            if len(places):
                place = tuple(int(i) for i in places[0])
                number = float(given[place])
                if problem == "is not finite" and math.isfinite(number):
                    problem = "does not fit in 32 bits"
                allowed = "finite numbers" if places is bad else f"{show(self.low)} or more"
                raise refused(f"{show(number)} {problem}; {self.noun} are {allowed}", *place)
        if self.alpha and len(high := np.argwhere(given[..., 3] > 1)):
            place = (*(int(i) for i in high[0]), 3)
            number = float(given[place])
            raise refused(f"{show(number)} is more than 1; an alpha is 0 to 1", *place)


def file_at(path: str | os.PathLike[str], folder: Path | None) -> Path:
    """A path that an author gave, absolute: from the document's folder or the working one."""
    text = os.fspath(path)
    if not isinstance(text, str) or not text.strip() or "\0" in text:
        raise refused(f"{show(text)} is no path of a file")
    return Path(os.path.abspath(Path(folder or ".", text)))


def _plain(numbers: Any) -> Any:
    if isinstance(numbers, list):
        return [_plain(item) for item in numbers]
    return int(numbers) if numbers.is_integer() and abs(numbers) < 1e15 else numbers


def _is_shaped(value: Any, depth: int, columns: int) -> bool:
    try:
        given = np.array(value)
    except (TypeError, ValueError, OverflowError):
        return False
    if given.ndim != depth or given.dtype.kind not in "fiu":
        return False
    return columns == 1 or not depth or given.shape[-1] == columns
