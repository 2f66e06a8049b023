"""Tells effects apart that play differently, in a few bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import is_dataclass
from typing import Any

from gpuparticles.effect.arrays import Array
from gpuparticles.effect.description import fields_in_order
from gpuparticles.effect.effect import Effect
from gpuparticles.effect.model import Model
from gpuparticles.effect.sprite import Lit, Sprite
from gpuparticles.effect.trail import Ribbon, Trail

__all__ = ["fingerprint"]

_SEEN: dict[type, tuple[str, ...]] = {
    Sprite: ("texture",),
    Lit: ("normals",),
    Model: ("mesh", "texture"),
    Ribbon: ("texture",),
    Trail: ("texture",),
}


def fingerprint(effect: Effect) -> str:
    """64 hex digits that differ between effects unless their particles play alike.

    Textures and models' meshes do not count: how a file is found may differ between machines, and
    nothing moves by it.
    """
    digest = hashlib.sha256()
    for part in _parts(effect):
        digest.update(part)
    return digest.hexdigest()


def _parts(value: Any) -> Iterator[bytes]:
    """A held value as bytes, each part marked by its kind so that no two values read alike."""
    if is_dataclass(value):
        yield f"<{type(value).__name__}".encode()
        for field in fields_in_order(type(value)):
            if field.name not in _SEEN.get(type(value), ()):
                yield f".{field.name}=".encode()
                yield from _parts(getattr(value, field.name))
        yield b">"
    elif isinstance(value, (tuple, list)):
        yield f"({len(value)}".encode()
        for item in value:
            yield from _parts(item)
        yield b")"
    elif isinstance(value, Array):
        yield f"{value.data.dtype.str}{value.shape}".encode()
        yield value.data.tobytes()
    elif hasattr(value, "tobytes") and hasattr(value, "mode"):  # a Pillow image
        yield f"{value.mode}{value.size}".encode()
        yield value.tobytes()
    else:
        yield f"{value!r};".encode()
