"""Writes docs/kinds: a page for every kind of shape and modifier, and for what else a file holds.

python docs/make_pages.py

All that the pages say comes from the classes: docstrings, annotations, rules and defaults. So a
new kind has its page, and its picture by make_pictures.py, without a line here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import MISSING, is_dataclass
from dataclasses import fields as dataclass_fields
from inspect import cleandoc
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from scenes import Scene, scene_of, variants

import gpuparticles as gp
from gpuparticles.effect import RGBA, Kind, Modifier, Number, Rule, Shape, kinds
from gpuparticles.effect.description import explain, fields_in_order, settings
from gpuparticles.effect.mistakes import a
from gpuparticles.effect.plain import json_text, plain

KINDS = Path(__file__).parent / "kinds"
EFFECTS = Path(__file__).parents[1] / "examples" / "effects"
FAMILIES: tuple[type[Kind], ...] = (Shape, Modifier)
ROLES = {"force": "Forces", "drag": "Resistances", "flow": "Flows"}
_WIDTH = 88


def pages() -> dict[str, str]:
    """The text of every page by its file name."""
    found = {"index.md": _index(), "values.md": _values()}
    found |= {f"{cls.__name__.lower()}.md": _part_page(cls) for cls in parts()}
    found |= {f"{stem(cls)}.md": _kind_page(cls) for cls in every_kind()}
    return found


def every_kind() -> list[type[Kind]]:
    """Shapes, then modifiers, each in order of registration."""
    return [cls for family in FAMILIES for cls in kinds(family).values()]


def stem(cls: type[Kind]) -> str:
    """The name of the page and of the picture of a kind."""
    return f"{cls.family}_{cls.kind}"


def parts() -> list[type]:
    """The descriptions that an effect is made of, but for its kinds and the values of fields."""
    found: list[type] = []
    waiting: list[type] = [gp.Effect]
    while waiting:
        cls = waiting.pop(0)
        if cls not in found and _home(cls) != _home(gp.Range):
            found.append(cls)
            waiting += [part for name in _names(cls) for part in _parts_in(_annotation(cls, name))]
    return found


def python(value: Any, indent: str = "") -> str:
    """A description as the Python that makes it, or a field's value as one writes it there."""
    if _is_part(value):
        name = f"gp.{type(value).__name__}"
        given = list(settings(value))
        line = f"{name}({', '.join(f'{field}={python(held)}' for field, held in given)})"
        if _fits(line, indent):
            return line
        deeper = f"{indent}    "
        lines = "".join(f"{deeper}{field}={python(held, deeper)},\n" for field, held in given)
        return f"{name}(\n{lines}{indent})"
    if isinstance(value, tuple) and any(map(_is_part, value)):
        deeper = f"{indent}    "
        items = [python(item, deeper) for item in value]
        line = f"[{', '.join(items)}]"
        if _fits(line, indent):
            return line
        return "[\n" + "".join(f"{deeper}{item},\n" for item in items) + f"{indent}]"
    return _laid_out(plain(value), indent)


def _laid_out(data: Any, indent: str) -> str:
    """Plain data as Python, an item a line where it is long, as ruff has it."""
    line = _literal(data)
    if _fits(line, indent) or not isinstance(data, (list, dict)):
        return line
    deeper = f"{indent}    "
    if isinstance(data, dict):
        items = [f'"{key}": {_laid_out(item, deeper)}' for key, item in data.items()]
    else:
        items = [_laid_out(item, deeper) for item in data]
    opening, closing = "{}" if isinstance(data, dict) else "[]"
    return f"{opening}\n" + "".join(f"{deeper}{item},\n" for item in items) + f"{indent}{closing}"


def _fits(line: str, indent: str) -> bool:
    return "\n" not in line and len(indent) + len(line) <= _WIDTH


def _is_part(value: Any) -> bool:
    """Whether a value is a description, and not written as numbers and lists as a curve is."""
    return hasattr(type(value), "__pydantic_fields__") and _home(type(value)) != _home(gp.Range)


def _home(cls: type) -> str:
    return cls.__module__


def _literal(data: Any) -> str:
    """Plain data as Python: what holds lists is a list, other lists are tuples."""
    if isinstance(data, list):
        items = ", ".join(map(_literal, data))
        many = len(data) > 1 and not any(isinstance(item, list) for item in data)
        return f"({items})" if many else f"[{items}]"
    if isinstance(data, dict):
        return (
            f"{{{', '.join(f'{json.dumps(key)}: {_literal(item)}' for key, item in data.items())}}}"
        )
    if data == "inf":
        return 'float("inf")'
    return json.dumps(data) if isinstance(data, str) else repr(data)


# Pages


def _kind_page(cls: type[Kind]) -> str:
    scene = scene_of(cls)
    sentence, *more = _paragraphs(cls)
    role = ROLES.get(getattr(cls, "role", ""), "").lower().removesuffix("s")
    what = f"{a(cls.family)}, one of the [{role}s](index.md#{role}s)" if role else a(cls.family)
    return _page(
        cls.__name__,
        sentence,
        f"![{cls.__name__}](images/{stem(cls)}.png)",
        f"*{scene.caption}*",
        *more,
        f'In Python `gp.{cls.__name__}`, in a file `"kind": "{cls.kind}"`: {what}. '
        "[All kinds](index.md).",
        "## Fields",
        _table(cls) or "None.",
        *_examples(scene),
    )


def _examples(scene: Scene) -> Iterator[str]:
    yield "## Example"
    yield "What the picture shows, in Python:"
    yield f"```python\nimport gpuparticles as gp\n\neffect = {python(scene.effect)}\n```"
    yield "and as a file:"
    yield f"```json\n{scene.effect.to_json()}```"


def _part_page(cls: type) -> str:
    sentence, *more = _paragraphs(cls)
    return _page(
        cls.__name__,
        sentence,
        *more,
        f"In Python `gp.{cls.__name__}`. [What there is](index.md).",
        "## Fields",
        _table(cls),
        *_pictured(cls),
        *_quoted(cls),
    )


def _pictured(cls: type) -> Iterator[str]:
    """Fields that pictures explain, each under several values."""
    own = f"{cls.__name__.lower()}_"
    found = {name: given for name, (_, given) in variants().items() if name.startswith(own)}
    if found:
        yield "## In pictures"
    for name, given in found.items():
        field = name.removeprefix(own)
        values = [f"`{json.dumps(plain(value))}`" for value in given]
        yield f"`{field}`, from left to right: {', '.join(values)}."
        yield f"![{field}](images/{name}.png)"


def _quoted(cls: type) -> Iterator[str]:
    for path, part in examples(cls).items():
        yield "## Example"
        yield f"From [{path.name}](../../examples/effects/{path.name}):"
        yield f"```json\n{json_text(plain(part, path.parent))}\n```"


def examples(cls: type) -> dict[Path, Any]:
    """The first of its class that there is in the effects of examples/, by its file; or nothing."""
    for path in sorted(EFFECTS.glob("*.json")):
        for part in _within(gp.load(path)):
            if type(part) is cls:
                return {path: part}
    return {}


def _within(value: Any) -> Iterator[Any]:
    """A part and the parts that it holds."""
    yield value
    for _, held in settings(value):
        for item in held if isinstance(held, tuple) else [held]:
            if _is_part(item):
                yield from _within(item)


def _index() -> str:
    chapters = ["Every page here is made from the classes themselves: `make docs`."]
    chapters += ["## What an effect is made of", _list()]
    chapters += [
        "[Values](values.md): how numbers, ranges, vectors, colours and curves are written."
    ]
    chapters += ["## Shapes", "Where particles are born.", _gallery(kinds(Shape).values())]
    chapters += ["## Modifiers", "What acts on particles while they live, in authored order."]
    roles: dict[str, list[type[Kind]]] = {}
    for cls in kinds(Modifier).values():
        roles.setdefault(cls.role, []).append(cls)
    for role, members in roles.items():
        chapters += [f"### {ROLES.get(role, f'{role.capitalize()}s')}", _gallery(members)]
    return _page("Everything an effect can say", *chapters)


def _list() -> str:
    return "\n".join(
        f"- [{cls.__name__}]({cls.__name__.lower()}.md): {_paragraphs(cls)[0]}" for cls in parts()
    )


def _gallery(members: Any) -> str:
    rows = [
        f"| [![{cls.__name__}](images/{stem(cls)}.png)]({stem(cls)}.md) "
        f"| **[{cls.__name__}]({stem(cls)}.md)** {_cell(_paragraphs(cls)[0])} |"
        for cls in members
    ]
    return "\n".join(["| | |", "|---|---|", *rows])


def _values() -> str:
    used: dict[tuple[str, str], list[str]] = {}
    for cls in (*parts(), *every_kind()):
        for name in _own_names(cls):
            for rule in _rules_in(cls, name):
                if not isinstance(rule, Number):
                    written = _rule_words(rule), _form(rule.schema())
                    used.setdefault(written, []).append(f"`{cls.__name__}.{name}`")
    rows = [
        f"| {_cell(words)} | `{_cell(form)}` | {', '.join(dict.fromkeys(fields))} |"
        for (words, form), fields in sorted(used.items())
    ]
    chapters = [
        "What fields take. In a file a value has the form of the middle column; Python takes the "
        "same, and any sequence for a list (tuples, arrays, vectors of PyGLM).",
        "\n".join(["| Value | In a file | Taken by |", "|---|---|---|", *rows]),
    ]
    for value in (gp.Range, gp.Curve, gp.Gradient, RGBA):
        sentence, *more = _paragraphs(value)
        lines = [f"- `{name}`: {_markdown(text)}" for name, text in explain(value).items()]
        chapters += [f"## {value.__name__}", sentence, *more, "\n".join(lines)]
    return _page("Values", *chapters, "[What there is](index.md).")


def _page(title: str, *chapters: str) -> str:
    return "\n\n".join([f"# {title}", *(chapter for chapter in chapters if chapter)]) + "\n"


def _table(cls: type) -> str:
    words = explain(cls)
    rows = []
    for field in fields_in_order(cls):
        held = _default(cls, field)
        rows.append(
            f"| `{field.name}` | {_cell(_type_words(*_annotation(cls, field.name)))} "
            f"| {'required' if held is None else f'`{_cell(held)}`'} "
            f"| {_cell(_limits(cls, field.name))} | {_cell(_markdown(words[field.name]))} |"
        )
    head = ["| Field | Takes | Default | Limits | What it does |", "|---|---|---|---|---|"]
    return "\n".join([*head, *rows]) if rows else ""


# Words


def _paragraphs(cls: type) -> list[str]:
    """The docstring up to its arguments; a formula stands out."""
    text = cleandoc(cls.__doc__ or "").partition("\n\nArgs:\n")[0]
    found = [_markdown(" ".join(part.split())) for part in text.split("\n\n")]
    return [found[0], *(f"Formula: {p}" if p.startswith("`") else p for p in found[1:])]


def _markdown(text: str) -> str:
    return text.replace("``", "`")


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _type_words(annotation: Any, rule: Rule | None = None) -> str:
    if rule:
        return _rule_words(rule)
    origin, choices = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _type_words(choices[0], next((r for r in choices[1:] if isinstance(r, Rule)), None))
    if origin in (Union, UnionType):
        return ", or ".join(map(_type_words, choices))
    if origin is Literal:
        return ", ".join(f"`{json.dumps(choice)}`" for choice in choices)
    if origin is tuple:
        return f"list of {_type_words(choices[0])}"
    if annotation is NoneType:
        return "none"
    if annotation in FAMILIES:
        return f"[{annotation.family}](index.md#{annotation.family}s)"
    if annotation in (float, int):
        return "number"
    if is_dataclass(annotation):
        return f"[{annotation.__name__}]({annotation.__name__.lower()}.md)"
    return str(getattr(annotation, "__name__", annotation))


def _rule_words(rule: Rule) -> str:
    """What its class says of it, for most; a number is known to all."""
    if isinstance(rule, Number):
        return "whole number" if rule.whole else "number"
    first = re.split(r"\. |\n\n|;|, and", cleandoc(type(rule).__doc__ or ""))[0]
    words = _markdown(" ".join(first.split()).rstrip("."))
    return words[0].lower() + words[1:]


def _limits(cls: type, name: str) -> str:
    found = [str(number).partition(" is ")[2] for number in _numbers_in(cls, name)]
    told = [re.sub("^a (finite|whole) number,?( from)?", "", words).strip() for words in found]
    short = [re.sub(r"\b1(0{6,})\b", lambda m: f"1e{len(m[1])}", words) for words in told]
    return "; ".join(dict.fromkeys(words for words in short if words))


def _numbers_in(cls: type, name: str) -> list[Number]:
    """The rules of numbers that decide about a field, also those of components and stops."""
    waiting: list[Any] = list(_rules_in(cls, name))
    found = []
    while waiting:
        rule = waiting.pop(0)
        if isinstance(rule, Number):
            found.append(rule)
        elif is_dataclass(rule):
            waiting += [getattr(rule, field.name) for field in dataclass_fields(rule)]
    return found


def _rules_in(cls: type, name: str) -> Iterator[Rule]:
    annotation, rule = _annotation(cls, name)
    waiting: list[Any] = [rule or annotation]
    while waiting:
        item = waiting.pop(0)
        if isinstance(item, Rule):
            yield item
        elif get_origin(item) is Annotated:
            waiting += [part for part in get_args(item)[1:] if isinstance(part, Rule)]
        elif get_origin(item) in (Union, UnionType, tuple):
            waiting += get_args(item)


def _form(schema: dict[str, Any]) -> str:
    """What a JSON Schema of a rule allows, in short."""
    match schema:
        case {"anyOf": choices}:
            return " or ".join(dict.fromkeys(map(_form, choices)))
        case {"enum": words}:
            return " or ".join(map(json.dumps, words))
        case {"const": word}:
            return json.dumps(word)
        case {"type": "array", "prefixItems": items, **rest}:
            least = rest.get("minItems", len(items))
            forms = [_form(item) + ("" if i < least else "?") for i, item in enumerate(items)]
            return f"[{', '.join(forms)}]"
        case {"type": "array", "items": item, "minItems": n, "maxItems": m} if n == m:
            return f"[{', '.join([_form(item)] * n)}]"
        case {"type": "array", "items": item}:
            return f"[{_form(item)}, ...]"
        case {"type": "string", "pattern": pattern} if pattern.startswith("^#"):
            return '"#rrggbb"'
        case {"type": "string", "pattern": pattern} if pattern.endswith("npy$"):
            return '"file.npy"'
        case {"type": "string"}:
            return '"text"'
        case {"type": "boolean"}:
            return "true or false"
        case {"type": "object"}:
            return "{...}"
        case {"type": kind}:
            return str(kind)
    return "..."


# Classes and values


def _names(cls: type) -> list[str]:
    return [field.name for field in fields_in_order(cls)]


def _own_names(cls: type) -> list[str]:
    """Names of the fields that the class does not share with its bases."""
    shared = {name for base in cls.__mro__[1:] if is_dataclass(base) for name in _names(base)}
    return [name for name in _names(cls) if name not in shared]


def _annotation(cls: type, name: str) -> tuple[Any, Rule | None]:
    info = vars(cls)["__pydantic_fields__"][name]
    return info.annotation, next((item for item in info.metadata if isinstance(item, Rule)), None)


def _parts_in(annotation: Any) -> Iterator[type]:
    """The descriptions that a type is made of, kinds left out."""
    if isinstance(annotation, tuple):
        annotation = annotation[0]
    if hasattr(annotation, "__pydantic_fields__") and not issubclass(annotation, Kind):
        yield annotation
    for choice in get_args(annotation):
        yield from _parts_in(choice) if not isinstance(choice, Rule) else ()


def _default(cls: type, field: Any) -> str | None:
    if field.default is MISSING:
        return None
    rule = _annotation(cls, field.name)[1]
    held = rule.read(field.default) if rule else field.default
    if held is None:
        return "none"
    if _is_part(held):
        return python(held).removeprefix("gp.")
    return json.dumps(plain(held))


def main() -> None:
    """Write all, and remove the page of what is no more."""
    KINDS.mkdir(exist_ok=True)
    found = pages()
    for page in KINDS.glob("*.md"):
        if page.name not in found:
            page.unlink()
    for name, text in found.items():
        KINDS.joinpath(name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
