"""GLSL of the author's own: text, where it was written, and the numbers that it is given."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from gpuparticles.effect.description import Takes, default, description
from gpuparticles.effect.mistakes import Mistake, refused, show
from gpuparticles.effect.rules import Number, Rule, Text, is_list, read_each

__all__ = ["Code", "Shader", "Uniform"]

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_LOOK = re.compile(r"\bvec4\s+look\s*\(\s*(?:const\s+)?(?:in\s+)?Look\b")
_NAME = re.compile(r"(?!gl_|[uvo]_)[A-Za-z_]\w*\Z", re.ASCII)
_LONGEST = 1 << 16


@dataclass(frozen=True)
class Code:
    """GLSL text.

    Args:
        text: What is compiled.
        file: Where it was read; None for text that was given itself.
    """

    text: str
    file: Path | None = None

    def __str__(self) -> str:
        return "the code" if self.file is None else str(self.file)


@dataclass(frozen=True)
class _CodeRule(Rule):
    """The text of a function, or the path of a file that holds it."""

    def read(self, value: Any, folder: Path | None = None) -> Code:
        """What has a line break or a brace is text; all else is a path, and is read."""
        if isinstance(value, Code):
            return value
        path = isinstance(value, os.PathLike)
        if not path and not isinstance(value, str):
            raise refused(f"{show(value)} is no GLSL; {self}")
        if not path and re.search(r"[\n{]", value):
            return Code(Text("code").read(value))
        if not path:
            Text("a path").read(value)
        file = Path(os.path.abspath(Path(folder or ".", value)))
        try:
            data = file.read_bytes()
            if len(data) > _LONGEST:
                raise refused(f"{show(str(value))} is longer than {_LONGEST} bytes")
            return Code(data.decode("utf-8-sig"), file)
        except UnicodeDecodeError:
            raise refused(f"{show(str(value))} is not UTF-8 text") from None
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise refused(f"{show(str(value))} cannot be read: {why}") from None

    def schema(self) -> dict[str, Any]:
        """Text, or a path."""
        return {"type": "string", "pattern": r"\S"}

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.with_info_plain_validator_function(
            lambda value, info: self.read(value, (info.context or {}).get("folder"))
        )

    def __str__(self) -> str:
        return "it is the text of a function, or the path of a file"


_NUMBER = Number("a number")


@dataclass(frozen=True)
class _ValueRule(Rule):
    """A number, or two to four."""

    def read(self, value: Any) -> Any:
        """A float, or a tuple of floats."""
        if not is_list(value):
            return _NUMBER.read(value)
        items = list(value)
        if not 2 <= len(items) <= 4:
            raise refused(f"{show(value)} is no value; {self}")
        return read_each([_NUMBER] * len(items), items)

    def schema(self) -> dict[str, Any]:
        """A number, or an array of two to four."""
        each = _NUMBER.schema()
        return {"anyOf": [each, {"type": "array", "items": each, "minItems": 2, "maxItems": 4}]}

    def __str__(self) -> str:
        return "a value is a number, or two, three or four of them"


@description
class Uniform:
    """A number or a vector that the code of a `Shader` knows by name.

    Args:
        name: As the code has it: a name of GLSL that does not begin with ``gl_``, ``u_``, ``v_`` or
            ``o_``.
        value: A number (float), or two, three or four (vec2, vec3, vec4). A `Parameter` may drive a
            number or three.
    """

    name: str
    value: Takes[
        float | Iterable[float],
        Annotated[
            float
            | tuple[float, float]
            | tuple[float, float, float]
            | tuple[float, float, float, float],
            _ValueRule(),
        ],
    ]

    def mistakes(self) -> Iterator[Mistake]:
        """A name that GLSL would not take."""
        if not _NAME.match(self.name):
            why = "is no name for a uniform: letters, digits and _, and none of ours in front"
            yield Mistake(("name",), f"{show(self.name)} {why} (gl_, u_, v_, o_)")

    @property
    def type(self) -> str:
        """Its type in GLSL."""
        return f"vec{len(self.value)}" if isinstance(self.value, tuple) else "float"

    @property
    def values(self) -> tuple[float, ...]:
        """Its components."""
        return self.value if isinstance(self.value, tuple) else (self.value,)


@description
class Shader:
    """GLSL of the author's own that gives the pixels of a sprite their colour.

    The code has a function ``vec4 look(Look p)`` that returns a premultiplied colour: ``plain(p)``
    is what is drawn without it. ``p`` knows ``color`` (the particle's, straight, curves and fades
    included), ``texel`` (the texture's, premultiplied; without one the soft disc), ``uv`` ((0, 0)
    at the lower left), ``age`` (seconds), ``life`` (0 to 1), ``velocity`` (units/s, along the axes
    in which particles live) and ``seed``. ``texel_at(uv)`` looks up the texture elsewhere in the
    frame, ``own_random(p, n)`` draws the n-th number from 0 to 1 of the particle. Softness, light
    and the alpha clip come after it. GLSL 3.30; mistakes are told with the code's own line numbers
    when an effect is played or warmed up.

    Args:
        code: The text, or the path of a file that holds it: what has a line break or a brace is
            text. A path in a document is relative to the document.
        uniforms: What the code knows besides.
    """

    code: Takes[str | os.PathLike[str], Annotated[Code, _CodeRule()]]
    uniforms: Takes[Iterable[Uniform], tuple[Uniform, ...]] = default(())

    def mistakes(self) -> Iterator[Mistake]:
        """Code without the function, and two uniforms of one name."""
        names = [uniform.name for uniform in getattr(self, "uniforms", ())]
        for index, name in enumerate(names):
            if name in names[:index]:
                there = f"uniforms[{names.index(name)}]"
                yield Mistake(("uniforms", index, "name"), f"{show(name)} is that of {there} too")
        text = _COMMENT.sub(" ", self.code.text)
        if not _LOOK.search(text):
            yield Mistake(("code",), f"{self.code} has no function vec4 look(Look p)")
        if re.search(r"^\s*#\s*version\b", text, re.MULTILINE):
            yield Mistake(("code",), f"{self.code} has a #version; it is compiled as 330 core")
        if re.search(r"\bvoid\s+main\s*\(", text):
            yield Mistake(("code",), f"{self.code} has a main(); only functions are wanted")
