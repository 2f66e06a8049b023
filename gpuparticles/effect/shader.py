"""GLSL of the author's own: text, where it was written, and the numbers that it is given."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

from gpuparticles.effect.description import Takes, default, description
from gpuparticles.effect.mistakes import Mistake, refused, show, suggestion
from gpuparticles.effect.rules import Filed, Number, Rule, Text, is_list, read_each
from gpuparticles.errors import EffectError

__all__ = ["KEPT", "Authored", "Code", "Process", "Shader", "ShaderFilter", "Uniform"]

#: What a process may keep of each particle, four numbers each; a look sees the first of them.
KEPT = ("custom", "user", "user2", "user3", "user4", "user5", "user6")

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_LOOK = re.compile(r"\bvec4\s+look\s*\(\s*(?:const\s+)?(?:in\s+)?Look\b")
_PROCESS = re.compile(r"\bvoid\s+process\s*\(\s*inout\s+State\s+\w+\s*\)")
_START = re.compile(r"\bvoid\s+start\s*\(\s*inout\s+State\s+\w+\s*,\s*inout\s+vec4\s+\w+\s*\)")
_FILTERED = re.compile(r"\bvec4\s+filtered\s*\(\s*(?:const\s+)?(?:in\s+)?Picture\b")
_NAME = re.compile(r"(?!gl_|[uvo]_)[A-Za-z_]\w*\Z", re.ASCII)
# Words of GLSL 3.30 that a name cannot be, and the names that authors' code is given.
_WORDS = """
attribute bool break bvec2 bvec3 bvec4 case centroid common const continue default discard do double
else enum false filter flat float for goto half if in inline inout input int invariant ivec2 ivec3
ivec4 layout long lowp mat2 mat3 mat4 mediump highp namespace noperspective out output packed
partition precision public return sample sampler1D sampler2D sampler3D samplerCube shared short
smooth static struct superp switch template this true typedef uint uniform union unsigned using
uvec2 uvec3 uvec4 varying vec2 vec3 vec4 void volatile while
Look Picture State encoded filtered layer_at look main masked own_random picture pixel_at plain
process scene_at start texel_at
"""
_TAKEN = frozenset(_WORDS.split())
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

    @property
    def bare(self) -> str:
        """The text without comments."""
        return _COMMENT.sub(" ", self.text)

    def mentions(self, name: str) -> bool:
        """Whether a field of this name is asked for or set."""
        return re.search(rf"\.\s*{name}\b", self.bare) is not None

    def __str__(self) -> str:
        return "the code" if self.file is None else str(self.file)


@dataclass(frozen=True)
class _CodeRule(Filed):
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
        elif self.name in _TAKEN:
            why = "is no name for a uniform: GLSL or the code knows it as something else"
            yield Mistake(("name",), f"{show(self.name)} {why}")

    @property
    def type(self) -> str:
        """Its type in GLSL."""
        return f"vec{len(self.value)}" if isinstance(self.value, tuple) else "float"

    @property
    def values(self) -> tuple[float, ...]:
        """Its components."""
        return self.value if isinstance(self.value, tuple) else (self.value,)


_CodeField = Takes[str | os.PathLike[str], Annotated[Code, _CodeRule()]]
_Uniforms = Takes[Iterable[Uniform], tuple[Uniform, ...]]


class Authored:
    """GLSL of the author's own, and what it knows besides: ``code`` and ``uniforms``.

    Attributes:
        functions: What finds the functions of which the code must have one.
        lacks: What is said of code that has none of them.
    """

    __slots__ = ()
    functions: ClassVar[tuple[re.Pattern[str], ...]]
    lacks: ClassVar[str]
    code: Any
    uniforms: Any

    def mistakes(self) -> Iterator[Mistake]:
        """Code without what it is for, or with what it must not have, and names that are two's."""
        names: list[str] = []
        for index, uniform in enumerate(getattr(self, "uniforms", ())):
            name = getattr(uniform, "name", None)
            if name is not None and name in names:
                there = f"uniforms[{names.index(name)}]"
                yield Mistake(("uniforms", index, "name"), f"{show(name)} is that of {there} too")
            names.append("" if name is None else name)
        code = self.code
        if not any(function.search(code.bare) for function in self.functions):
            yield Mistake(("code",), f"{code} has {self.lacks}")
        if re.search(r"^\s*#\s*version\b", code.bare, re.MULTILINE):
            yield Mistake(("code",), f"{code} has a #version; it is compiled as 330 core")
        if re.search(r"\bvoid\s+main\s*\(", code.bare):
            yield Mistake(("code",), f"{code} has a main(); only functions are wanted")


@description
class Shader(Authored):
    """GLSL of the author's own that gives the pixels of a sprite their colour.

    The code has a function ``vec4 look(Look p)`` that returns a premultiplied colour: ``plain(p)``
    is what is drawn without it. ``p`` knows ``color`` (the particle's, straight, curves and fades
    included), ``texel`` (the texture's, premultiplied; without one the soft disc), ``uv`` ((0, 0)
    at the lower left), ``age`` (seconds), ``life`` (0 to 1), ``velocity`` (units/s, along the axes
    in which particles live), ``seed`` and ``custom`` (what a `Process` keeps). ``texel_at(uv)``
    looks up the texture elsewhere in the frame, ``own_random(p, n)`` draws the n-th number from 0
    to 1 of the particle. Softness, light and the alpha clip come after it. GLSL 3.30; mistakes are
    told with the code's own line numbers when an effect is played or warmed up.

    Args:
        code: The text, or the path of a file that holds it: what has a line break or a brace is
            text. A path in a document is relative to the document.
        uniforms: What the code knows besides.
    """

    functions: ClassVar[tuple[re.Pattern[str], ...]] = (_LOOK,)
    lacks: ClassVar[str] = "no function vec4 look(Look p)"

    code: _CodeField
    uniforms: _Uniforms = default(())


@description
class Process(Authored):
    """GLSL of the author's own that takes part in the simulation.

    The code has ``void start(inout State p, inout vec4 color)``, which runs when a particle is
    born, or ``void process(inout State p)``, which runs at the end of each of its steps, after all
    modifiers; or both. ``p`` has ``position`` (units, in the world or, in local space, from the
    emitter), ``velocity`` (units/s), ``rotation`` (turns), and ``custom``, ``user``, ``user2`` to
    ``user6``, four numbers each that are kept for every particle and are 0 at first: all these may
    be changed. A look sees ``custom``. To read there are ``age`` (seconds), ``life`` (0 to 1),
    ``lifetime``, ``seed``, ``h`` (the seconds of this step that the particle lives through),
    ``hits`` (how often it has met a surface in it) and ``normal`` (of the last one); ``p.alive =
    false`` kills in ``process``. ``own_random(p, n)`` draws the n-th number from 0 to 1 of the
    particle. What is not mentioned costs nothing. Bursts of such an emitter do not share
    textures, and the NumPy reference does not play it.

    Args:
        code: The text, or the path of a file that holds it: what has a line break or a brace is
            text. A path in a document is relative to the document.
        uniforms: What the code knows besides.
    """

    functions: ClassVar[tuple[re.Pattern[str], ...]] = (_PROCESS, _START)
    lacks: ClassVar[str] = (
        "neither void process(inout State p) nor void start(inout State p, inout vec4 color)"
    )

    code: _CodeField
    uniforms: _Uniforms = default(())

    @property
    def starts(self) -> bool:
        """Whether it does something at birth."""
        return _START.search(self.code.bare) is not None

    @property
    def steps(self) -> bool:
        """Whether it does something in each step."""
        return _PROCESS.search(self.code.bare) is not None

    @property
    def kills(self) -> bool:
        """Whether it may end a life early."""
        return self.steps and self.code.mentions("alive")


@description
class ShaderFilter(Authored):
    """GLSL of your own that a layer goes through.

    The code has a function ``vec4 filtered(Picture p)`` that returns a premultiplied colour. ``p``
    knows ``color`` (the layer's here, premultiplied), ``place`` (pixels from the viewport's lower
    left corner), ``size`` (of the viewport in pixels) and ``uv`` (place by size).
    ``layer_at(place)`` looks elsewhere in the layer. ``scene_at(place)`` looks at what lies behind
    it: then what the function returns takes the place of that, and the filter must be the last one.
    GLSL 3.30; mistakes are told with the code's own line numbers when a layer gets the filter.

    Args:
        code: The text, or the path of a file that holds it: what has a line break or a brace is
            text.
        uniforms: What the code knows besides.
    """

    functions: ClassVar[tuple[re.Pattern[str], ...]] = (_FILTERED,)
    lacks: ClassVar[str] = "no function vec4 filtered(Picture p)"

    code: _CodeField
    uniforms: _Uniforms = default(())

    @property
    def sees(self) -> bool:
        """Whether it looks at what lies behind the layer."""
        return re.search(r"\bscene_at\s*\(", self.code.bare) is not None

    def with_uniforms(self, **values: float | Iterable[float]) -> Self:
        """The same with other values of some uniforms: nothing is compiled again.

        Raises:
            EffectError: There is no such uniform, or not such a value.
        """
        names = [uniform.name for uniform in self.uniforms]
        for name in values:
            if name not in names:
                raise EffectError(
                    f"ShaderFilter: there is no uniform {show(name)}{suggestion(name, names)}"
                )
        given = [Uniform(each.name, values.get(each.name, each.value)) for each in self.uniforms]
        for new, old in zip(given, self.uniforms, strict=True):
            if new.type != old.type:
                raise EffectError(f"ShaderFilter: {new.name}: {show(new.value)} is no {old.type}")
        return replace(self, uniforms=given)
