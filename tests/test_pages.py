"""docs/kinds says what the classes say now, shows every kind, and its examples are effects."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from pydantic import TypeAdapter

import gpuparticles as gp
from gpuparticles.effect import Kind, Modifier, Shape, kinds, parse, schema

DOCS = Path(__file__).parents[1] / "docs"
sys.path.insert(0, str(DOCS))

import make_pages  # noqa: E402 - found by the line above
import scenes  # noqa: E402

PAGES = make_pages.pages()
VARIANTS = scenes.variants()
KINDS = {
    make_pages.stem(cls): cls for family in (Shape, Modifier) for cls in kinds(family).values()
}


def read(name: str) -> str:
    return (DOCS / "kinds" / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PAGES)
def test_the_page_is_what_the_classes_say(name: str) -> None:
    """Run `make docs` when this fails."""
    assert read(name) == PAGES[name]


def test_there_is_a_page_and_a_picture_for_each_kind_and_no_other() -> None:
    kinds_folder = DOCS / "kinds"

    assert {path.name for path in kinds_folder.glob("*.md")} == set(PAGES)
    assert {path.stem for path in kinds_folder.glob("images/*")} == {*KINDS, *VARIANTS}
    assert {f"{name}.md" for name in KINDS} < set(PAGES)


@pytest.mark.parametrize("name", [*KINDS, *VARIANTS])
def test_the_picture_shows_something(name: str) -> None:
    """Panels side by side, each with something bright in it, and no two alike."""
    count = len((VARIANTS[name][0] if name in VARIANTS else scenes.scene_of(KINDS[name])).panels)
    picture = Image.open(DOCS / "kinds" / "images" / f"{name}.png").convert("RGB")
    panels = np.split(np.asarray(picture, np.float64), count, axis=1)

    assert picture.size == (260 * count, 200)
    for index, panel in enumerate(panels):
        assert panel.max() > 90
        assert all(np.abs(panel - other).max() > 50 for other in panels[:index])


@pytest.mark.parametrize("name", KINDS)
def test_both_examples_are_the_effect_that_is_shown(name: str) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", read(f"{name}.md"), re.S)
    (document,) = re.findall(r"```json\n(.*?)```", read(f"{name}.md"), re.S)
    names: dict[str, Any] = {}
    exec(code, names)
    effect = parse(document)
    held: set[Kind] = {effect.emitters[0].shape, *effect.emitters[0].modifiers}

    assert names["effect"] == effect
    assert KINDS[name].example() in held


@pytest.mark.parametrize("cls", make_pages.parts())
def test_the_example_of_a_part_is_one(cls: type) -> None:
    """Quoted from an effect of examples/, where there is one."""
    for data in re.findall(r"```json\n(.*?)```", read(f"{cls.__name__.lower()}.md"), re.S):
        adapter = TypeAdapter(cls)
        part = adapter.validate_python(json.loads(data), context={"folder": make_pages.EFFECTS})
        assert part in make_pages.examples(cls).values()


def test_every_field_of_a_file_is_on_a_page() -> None:
    """What the schema knows is told, each description on its own page."""
    whole = schema()
    known = whole["$defs"] | {"Effect": whole}
    pages = {cls.__name__: f"{name}.md" for name, cls in KINDS.items()}
    for title, part in known.items():
        page = read(pages.get(title, f"{title.lower()}.md"))
        for field in set(part["properties"]) - {"kind", "$schema", "format"}:
            assert f"\n| `{field}` | " in page, f"{title}.{field}"


def test_the_index_leads_to_every_page() -> None:
    index = read("index.md")

    assert all(f"]({name})" in index for name in PAGES if name != "index.md")


def test_python_of_odd_values_reads_back() -> None:
    """Stops, ranges in vectors, infinity, colours beyond white, texts, nested parts."""
    emitter = gp.Emitter(
        'a "b"',
        lifetime=float("inf"),
        velocity=(1, (2, 3), 0.1),
        color=(2, 1, 1, 0.5),
        size_over_life=[(k / 30, k) for k in range(30)],
        modifiers=[gp.Drag(1, over_life=[(0.5, 1)])],
        sprite=gp.Sprite(flipbook=gp.Flipbook(4, 4)),
    )

    assert eval(make_pages.python(emitter), {"gp": gp}) == emitter
