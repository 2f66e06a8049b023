"""What playing changes, written down as bytes and taken up again.

Nothing is executed on the way back, so bytes from anywhere may be read: a tree of plain values as
JSON, arrays behind it, and a digest in front.
"""

from __future__ import annotations

import hashlib
import json
import math
import struct
from typing import Any, ClassVar

import numpy as np

__all__ = ["Limits", "Saved", "Saves", "UnfitError", "pack", "unpack"]

Saved = dict[str, Any]
"""A tree of dicts, lists, numbers, text, None and arrays."""

Limits = dict[str, tuple[float, float]]
"""The least and the most that an attribute can be, by name."""

_VERSION = 1
_MAGIC = b"gpuparticles snapshot "
_HEAD = struct.Struct("<22sI32sQ")  # magic, version, digest of what follows, length of the JSON
_DTYPES = ("|b1", "|u1", "<u4", "<i8", "<f4", "<f8")
_ARRAY = "array"
_MOST = 2**62


class UnfitError(ValueError):
    """What was saved does not fit; says why, to follow on 'the snapshot'."""


class Saves:
    """Something that plays, whose present can be saved and restored.

    Attributes:
        SAVED: The attributes that playing changes: numbers, None, lists and tuples of them, arrays
            of one shape, and whatever `Saves`, or lists of that. All others are as they were made.
        LIMITS: The least and the most that a number of these, or each in a list, can be; none is
            beyond 2**62 in any case.
    """

    SAVED: ClassVar[tuple[str, ...]] = ()
    LIMITS: ClassVar[Limits] = {}

    def state(self) -> Saved:
        """The present."""
        return {name: _plain(getattr(self, name)) for name in self.SAVED}

    def restore(self, state: Saved) -> None:
        """Be in a state that an object made alike was in.

        Raises:
            UnfitError: It is no such state; some of it may have been taken over.
        """
        if not isinstance(state, dict) or state.keys() != self.state().keys():
            raise UnfitError(f"has other parts of a {type(self).__name__}")
        for name in self.SAVED:
            where = f"{type(self).__name__}.{name}"
            limits = self.LIMITS.get(name, (-_MOST, _MOST))
            setattr(self, name, _fitted(getattr(self, name), state[name], where, limits))
        if not self.sound():
            raise UnfitError(f"has no fitting {type(self).__name__}")

    def sound(self) -> bool:
        """Whether what has been restored fits together: bytes that were made up may not."""
        return True


def _plain(value: Any) -> Any:
    if isinstance(value, Saves):
        return value.state()
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value.item() if isinstance(value, np.generic) else value


def _fitted(now: Any, saved: Any, where: str, limits: tuple[float, float]) -> Any:
    """A saved value in the place of the present one, which tells what it has to be like."""
    if isinstance(now, Saves):
        now.restore(saved)
        return now
    if isinstance(now, np.ndarray):
        fits = isinstance(saved, np.ndarray)
        if fits and saved.dtype == now.dtype and saved.shape == now.shape:
            return saved.copy()
    elif isinstance(now, (list, tuple)):
        if isinstance(saved, list) and len(saved) == len(now):
            pairs = zip(now, saved, strict=True)
            return type(now)(_fitted(a, b, where, limits) for a, b in pairs)
    elif type(saved) is type(now) and (
        saved is None or isinstance(saved, (bool, str)) or limits[0] <= saved <= limits[1]
    ):
        return saved
    raise UnfitError(f"has no fitting {where}")


def pack(tree: Saved) -> bytes:
    """A tree as bytes."""
    arrays: list[bytes] = []

    def place(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: place(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [place(item) for item in value]
        if isinstance(value, np.ndarray):
            arrays.append(value.tobytes())
            return {_ARRAY: [value.dtype.str, *value.shape]}
        return value

    text = json.dumps(place(tree)).encode()
    body = b"".join((text, *arrays))
    digest = hashlib.sha256(body).digest()
    return _HEAD.pack(_MAGIC, _VERSION, digest, len(text)) + body


def unpack(data: object) -> Saved:
    """The tree that `pack` made bytes of; the arrays are not to be written to.

    Raises:
        UnfitError: These are no such bytes, or they are damaged.
    """
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise UnfitError("is not bytes")
    data = bytes(data)
    if len(data) < _HEAD.size or not data.startswith(_MAGIC):
        raise UnfitError("is none: these are not the bytes of snapshot()")
    _, version, digest, length = _HEAD.unpack_from(data)
    if version != _VERSION:
        raise UnfitError(f"has version {version}; version {_VERSION} is read here")
    body = memoryview(data)[_HEAD.size :]
    if hashlib.sha256(body).digest() != digest:
        raise UnfitError("is damaged")
    cursor = length

    def find(value: Any) -> Any:
        nonlocal cursor
        if isinstance(value, list):
            return [find(item) for item in value]
        if not isinstance(value, dict):
            return value
        if value.keys() != {_ARRAY}:
            return {key: find(item) for key, item in value.items()}
        dtype, *shape = value[_ARRAY]
        if dtype not in _DTYPES or not all(type(n) is int and n >= 0 for n in shape):
            raise UnfitError("is damaged")
        count = math.prod(shape)
        size = count * np.dtype(dtype).itemsize
        if cursor + size > len(body):
            raise UnfitError("is damaged")
        found = np.frombuffer(body, dtype, count, cursor).reshape(shape) if count else None
        cursor += size
        return np.empty(shape, dtype) if found is None else found

    # Whoever makes up the digest too may still write anything: it ends here, as damage.
    try:
        tree = find(json.loads(bytes(body[:length])))
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        if isinstance(error, UnfitError):
            raise
        raise UnfitError("is damaged") from None
    if not isinstance(tree, dict):
        raise UnfitError("is damaged")
    return tree
