"""The registry: every kind has all that a kind needs, and anyone can add one."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from typing import Annotated, Any, Literal

import jsonschema
import numpy as np
import pytest

import gpuparticles.effect
from gpuparticles.effect import (
    DIRECTION,
    Box,
    Circle,
    Cone,
    Drag,
    Effect,
    Emitter,
    Force,
    Image,
    Kind,
    Modifier,
    Number,
    Point,
    Radial,
    Scaled,
    Shape,
    Sphere,
    Vec3,
    Vortex,
    default,
    fields_of,
    kinds,
    modifier,
    parse,
    schema,
    shape,
)
from gpuparticles.effect.description import explain, fields_in_order
from gpuparticles.effect.values import Scalar
from gpuparticles.errors import DocumentError

KINDS = {kind: cls for family in (Shape, Modifier) for kind, cls in kinds(family).items()}


def effect_with(kind: Kind) -> Effect:
    part = {"shape": kind} if isinstance(kind, Shape) else {"modifiers": [kind]}
    return Effect("effect", [Emitter("emitter", **part)])


@pytest.mark.parametrize("cls", KINDS.values(), ids=KINDS)
def test_every_kind_survives_a_document_with_all_its_fields(
    cls: type[Kind], example: Callable[[type], Any]
):
    effect = effect_with(example(cls))

    assert parse(effect.to_json()) == effect


@pytest.mark.parametrize("cls", KINDS.values(), ids=KINDS)
def test_every_kinds_form_is_allowed_by_the_schema_and_read(
    cls: type[Kind], form: Callable[[type], dict[str, Any]]
):
    part = {"shape": form(cls)} if issubclass(cls, Shape) else {"modifiers": [form(cls)]}
    emitter = {"name": "emitter", **part}
    document = {"format": "gpuparticles/1", "name": "effect", "emitters": [emitter]}

    jsonschema.validate(document, schema())
    parse(json.dumps(document))


@pytest.mark.parametrize("cls", KINDS.values(), ids=KINDS)
def test_every_kind_is_hashable_and_equal_to_its_like(
    cls: type[Kind], example: Callable[[type], Any]
):
    one, other = example(cls), example(cls)

    assert one == other
    assert hash(one) == hash(other)
    assert eval(repr(one), dict(vars(gpuparticles.effect))) == one


@pytest.mark.parametrize("cls", KINDS.values(), ids=KINDS)
def test_every_field_of_every_kind_is_explained(cls: type[Kind]):
    words = explain(cls)

    assert set(words) >= {field.name for field in fields_in_order(cls)}
    assert all(len(words[field.name]) > 5 for field in fields_in_order(cls))


SCALED = {kind: cls for kind, cls in kinds(Modifier).items() if issubclass(cls, Scaled)}


@pytest.mark.parametrize("cls", SCALED.values(), ids=SCALED)
def test_every_modifier_gives_its_formula_and_says_what_space_means(cls: type[Modifier]):
    formula = inspect.getdoc(cls).split("\n\n")[1]

    assert formula.startswith("``position " if cls.role == "motion" else "``velocity ")
    assert cls.kernel_fields[0].name in formula


@pytest.mark.parametrize("cls", KINDS.values(), ids=KINDS)
def test_every_kind_packs_a_value_for_each_argument_of_its_kernel(
    cls: type[Kind], example: Callable[[type], Any]
):
    values = example(cls).values()

    assert len(values) == len(fields_of(cls))
    for info, value in zip(fields_of(cls), values, strict=True):
        count = 1 if info.type == "float" else len(value)
        assert info.type == {1: "float", 2: "vec2", 3: "vec3"}[count]
        assert np.isfinite(np.array(value, np.float32)).all()


def test_kernels_take_the_fields_that_are_numbers():
    assert [(f.name, f.type, f.role) for f in fields_of(Vortex)] == [
        ("strength", "float", None),
        ("axis", "vec3", "direction"),
        ("center", "vec3", "point"),
        ("falloff", "vec2", None),
    ]
    assert [f.name for f in fields_of(Drag)] == ["rate"]
    assert [f.name for f in fields_of(Radial)] == ["strength", "center", "falloff"]
    assert fields_of(Point) == ()
    assert [f.name for f in fields_of(Cone)] == ["radius", "angle", "length", "fill", "end_radius"]
    assert [(f.name, f.type) for f in fields_of(Image)] == [
        ("pixels", "vec2"),
        ("colors", "vec2"),
        ("width", "float"),
    ]
    assert [(f.name, f.role) for f in fields_of(Circle)] == [
        ("radius", None),
        ("normal", "direction"),
        ("inner", None),
    ]


def test_words_and_flags_are_numbers_to_a_kernel():
    assert Box(fill="edges").values() == [(0.5, 0.5, 0.5), 2.0]
    assert Sphere(half=True).values() == [1.0, 1.0, 1.0]


def test_a_direction_is_packed_with_length_1():
    assert Circle(normal=(0, 0, 5)).values()[1] == (0, 0, 1)
    assert Vortex(1, (3, 0, 4)).values()[1] == pytest.approx((0.6, 0, 0.8))
    assert Vortex(1, (3, 0, 4)).axis == (3, 0, 4)


def test_kinds_are_found_by_name():
    assert kinds(Shape)["sphere"] is Sphere
    assert kinds(Modifier)["drag"] is Drag
    with pytest.raises(TypeError):
        kinds(Modifier)["drag"] = Sphere


# Adding a kind


@pytest.mark.usefixtures("fresh_kinds")
def test_a_kind_of_the_users_own_works_like_ours():
    @modifier
    class GentleWind(Force):
        """Blow.

        ``velocity += value * h``

        Args:
            value: In units/s^2.
            gust: How much it swells.
            mode: How it blows.
        """

        value: Annotated[Vec3, DIRECTION] = default((1, 0, 0))
        gust: Annotated[float, Number("a gust", least=0)] = 0.5
        mode: Literal["calm", "wild"] = "calm"

        def acceleration(self, particles: Any, strength: Any) -> Any:
            return strength

    wind = GentleWind((0, 0, 2), mode="wild", variation=0.5)
    effect = effect_with(wind)

    assert GentleWind.kind == "gentle_wind"
    assert [f.name for f in fields_of(GentleWind)] == ["value", "gust"]
    assert wind.values() == [(0.0, 0.0, 2.0), 0.5]
    assert parse(effect.to_json()) == effect
    assert schema()["$defs"]["GentleWind"]["properties"]["gust"] == {
        "type": "number",
        "minimum": 0,
        "default": 0.5,
        "description": "How much it swells.",
    }
    with pytest.raises(DocumentError, match=r"modifiers\[0\]\.gust: -1 is negative; a gust is 0"):
        parse(effect.to_json().replace('"mode"', '"gust": -1, "mode"'))


@pytest.mark.usefixtures("fresh_kinds")
def test_a_shape_of_the_users_own_works_like_ours():
    @shape
    class Stick(Shape):
        """Along X.

        Args:
            length: In units.
        """

        length: float = 1.0

        def sample(self, random: Any) -> Any:
            x = self.length * (random.next() - np.float32(0.5))
            return np.stack([x, 0 * x, 0 * x], axis=1)

    effect = effect_with(Stick(3))

    assert parse(effect.to_json()) == effect
    assert Stick(np.float32(2)).values() == [2.0]
    assert Stick().spread == 0


def test_what_the_test_registered_is_forgotten():
    assert "stick" not in kinds(Shape)
    assert "gentle_wind" not in kinds(Modifier)


@pytest.mark.usefixtures("fresh_kinds")
def test_registering_a_class_again_replaces_it():
    """As when a cell of a notebook runs twice."""

    def define() -> type[Shape]:
        @shape
        class Again(Shape):
            """Again."""

        return Again

    first, second = define(), define()
    assert first is not second
    assert kinds(Shape)["again"] is second


@pytest.mark.usefixtures("fresh_kinds")
def test_what_cannot_be_registered_is_said():
    with pytest.raises(
        TypeError, match=r'the shape "sphere" is gpuparticles\.effect\.shapes\.solids\.Sphere'
    ):
        shape(type("Sphere", (Shape,), {}))
    with pytest.raises(TypeError, match="Lost must be a subclass of Modifier"):
        modifier(type("Lost", (Shape,), {}))
    with pytest.raises(TypeError, match=r"Ranged\.speed has no GLSL form"):
        shape(type("Ranged", (Shape,), {"__annotations__": {"speed": Scalar}}))
    with pytest.raises(TypeError, match=r"Named\.title has no GLSL form"):
        shape(type("Named", (Shape,), {"__annotations__": {"title": str}}))
    with pytest.raises(TypeError, match="a type of a field of Early is not known"):
        shape(type("Early", (Shape,), {"__annotations__": {"later": "Later"}}))
    assert not {"ranged", "named", "early"} & set(kinds(Shape))


def test_a_family_member_of_another_family_is_refused():
    with pytest.raises(ValueError, match=r"modifiers\[0\]: Sphere\(\) is not a modifier"):
        Emitter("a", modifiers=[Sphere()])
    with pytest.raises(ValueError, match=r"shape: Drag\(rate=1\.0\) is not a shape"):
        Emitter("a", shape=Drag(1))
    with pytest.raises(ValueError, match=r"shape: the class Sphere is not a shape"):
        Emitter("a", shape=Sphere)
