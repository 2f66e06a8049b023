"""Effect files: reading, writing, and the schema that says what may stand in them.

::

    {"format": "gpuparticles/1", "name": "sparks", "emitters": [{"name": "sparks", "rate": 50}]}
"""

from __future__ import annotations

import contextlib
import inspect
import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from gpuparticles.effect.description import explain, right_part
from gpuparticles.effect.effect import Effect
from gpuparticles.effect.kinds import Kind, kinds
from gpuparticles.effect.mistakes import Mistake, mistakes_in, show
from gpuparticles.effect.plain import FORMAT, document_text, plain
from gpuparticles.errors import DocumentError

__all__ = ["examine", "load", "parse", "save", "schema"]


def load(path: str | os.PathLike[str]) -> Effect:
    """Read an effect file.

    Args:
        path: A JSON document. Paths in it are relative to its folder.

    Raises:
        DocumentError: The file cannot be read, or something in it is wrong; all that is wrong is
            in ``errors``, each with its place.
    """
    return _whole(*_read(path))


def examine(path: str | os.PathLike[str]) -> tuple[Effect | None, list[str]]:
    """Read an effect file as far as it is right.

    Returns:
        The effect, of which what is wrong is missing (see `description`), or None when the file
        holds nothing like one; and a sentence for each mistake.
    """
    try:
        return _read(path)
    except DocumentError as error:
        return None, list(error.errors)


def _read(path: str | os.PathLike[str]) -> tuple[Effect, list[str]]:
    where = os.fspath(path)
    try:
        raw = Path(path).read_bytes()
    except (OSError, ValueError) as error:  # a ValueError for a name with a NUL in it
        why = getattr(error, "strerror", None) or error
        raise DocumentError(f"{where}: cannot be read: {why}") from None
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DocumentError(
            f"{where}: byte {error.start} is not UTF-8 text; an effect file is JSON in UTF-8"
        ) from None
    return _parse(text, where, folder=Path(os.path.abspath(path)).parent)


def parse(text: str, where: str = "document", folder: Path | None = None) -> Effect:
    """Read an effect from the text of a document.

    Args:
        text: JSON.
        where: What errors call the document.
        folder: To which the document's paths are relative; the working directory by default.

    Raises:
        DocumentError: Something is wrong; all that is wrong is in ``errors``.
    """
    return _whole(*_parse(text, where, folder))


def _whole(effect: Effect, errors: list[str]) -> Effect:
    if errors:
        raise DocumentError(*errors)
    return effect


def _parse(text: str, where: str, folder: Path | None) -> tuple[Effect, list[str]]:
    data = _decode(text, where)
    context = {"folder": folder}
    mistakes = [*_repeated(data), *_header(data)]
    fields = {key: value for key, value in data.items() if key not in ("format", "$schema")}
    try:
        effect = TypeAdapter(Effect).validate_python(fields, context=context)
    except ValidationError as error:
        mistakes += mistakes_in(error)
        effect = right_part(Effect, fields, context)
    return effect, [f"{where}: {mistake}" for mistake in mistakes]


def save(effect: Effect, path: str | os.PathLike[str]) -> None:
    """Write an effect file, whole or not at all; `load` gives an equal effect.

    Args:
        effect: What to write. Paths in it are written relative to the file where they can be.
        path: The file; one that exists is replaced.

    Raises:
        DocumentError: The file cannot be written, or the effect holds what a document cannot.
    """
    where = os.fspath(path)
    text = document_text(effect, Path(os.path.abspath(path)).parent, where)
    target = Path(os.path.realpath(path))  # a link stays one
    draft = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        draft.write_text(text, encoding="utf-8", newline="\n")
        draft.replace(target)
    except (OSError, ValueError) as error:
        with contextlib.suppress(OSError):
            draft.unlink()
        why = getattr(error, "strerror", None) or error
        raise DocumentError(f"{where}: cannot be written: {why}") from None


def schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of an effect file, with every kind registered so far."""
    found = TypeAdapter(Effect).json_schema(schema_generator=_Schema)
    header = {
        "$schema": {"type": "string", "description": "Where editors find this schema."},
        "format": {"const": FORMAT, "description": "What the document is."},
    }
    found["properties"] = header | found["properties"]
    found["required"] = ["format", *found["required"]]
    return {"$schema": GenerateJsonSchema.schema_dialect, **found}


_DEEPEST = 32  # nothing that an effect means lies deeper


class _Schema(GenerateJsonSchema):
    """pydantic's schema, with our docstrings, our defaults and the kinds in place of families."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def function_plain_schema(self, schema: Any) -> JsonSchemaValue:
        family = schema.get("metadata", {}).get("kinds_of")
        if family is None:
            return super().function_plain_schema(schema)
        members = [cls for cls in kinds(family).values() if issubclass(cls, family)]
        return {"oneOf": [self.generate_inner(cls.__pydantic_core_schema__) for cls in members]}

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> JsonSchemaValue:
        found, cls = super().dataclass_schema(schema), schema["cls"]
        words, properties = explain(cls), found["properties"]
        found["description"] = inspect.cleandoc(cls.__doc__ or "").partition("\n\nArgs:\n")[0]
        for name in properties:
            properties[name] = properties[name] | {"description": words.get(name, "")}
        if issubclass(cls, Kind):
            found["properties"] = {"kind": {"const": cls.kind}} | properties
            found["required"] = ["kind", *found.get("required", ())]
        return found

    def encode_default(self, dft: Any) -> Any:
        return plain(dft)


class _Object(dict[str, Any]):
    """A JSON object that remembers which keys it was given more than once."""

    repeated: list[str]

    @classmethod
    def of(cls, pairs: list[tuple[str, Any]]) -> _Object:
        """The object of these keys and values."""
        made = cls(pairs)
        times = Counter(key for key, _ in pairs)
        made.repeated = [key for key in made if times[key] > 1]
        return made


def _decode(text: str, where: str) -> _Object:
    """The object that a document is."""
    try:
        data = json.loads(text, object_pairs_hook=_Object.of)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise DocumentError(f"{where}: {place}: not JSON: {error.msg}") from None
    except RecursionError:
        raise DocumentError(f"{where}: not an effect: lists are nested too deeply") from None
    except ValueError as error:  # an integer of thousands of digits
        raise DocumentError(f"{where}: not an effect: {error}") from None
    if not isinstance(data, _Object):
        raise DocumentError(f"{where}: {show(data)} is not an effect; an effect is an object {{}}")
    return data


def _repeated(data: Any, *path: str | int) -> Iterator[Mistake]:
    """Keys that an object has twice: JSON allows it, and the author loses one of the values."""
    if isinstance(data, _Object):
        for key in data.repeated:
            yield Mistake((*path, key), "given more than once in the same object")
    if len(path) < _DEEPEST:
        items = data.items() if isinstance(data, dict) else enumerate(data)
        for step, value in items:
            if isinstance(value, (dict, list)):
                yield from _repeated(value, *path, step)


def _header(data: dict[str, Any]) -> Iterator[Mistake]:
    """A document of no format, or of another than ours."""
    if "format" not in data:
        yield Mistake(("format",), f'nothing is given; this version reads "{FORMAT}"')
    elif data["format"] != FORMAT:
        yield Mistake(
            ("format",), f'{show(data["format"])} is unknown; this version reads "{FORMAT}"'
        )
