"""Parameters: what they may be, where they lead, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import pytest

import gpuparticles as gp
from gpuparticles.effect import RGBA
from gpuparticles.effect.document import parse, schema
from gpuparticles.effect.parameters import found, keys_of


def effect(*parameters: gp.Parameter) -> gp.Effect:
    """Smoke, which blows, and sparks of a name with a dot, in a vortex."""
    return gp.Effect(
        "fire",
        [
            gp.Emitter(
                "smoke",
                lifetime=(1, 2),
                velocity=(1, (1, 2), 3),
                color="#ff0000",
                size_over_life=[(0, 1), (1, 0)],
                modifiers=[gp.Acceleration((0, 1, 0)), gp.Drag(0.1)],
            ),
            gp.Emitter("a.b"),
        ],
        modifiers=[gp.Vortex(3)],
        parameters=parameters,
    )


def driven(path: str, default: Any) -> Any:
    """What lies at a path that a parameter drives."""
    made = effect(gp.Parameter("p", default, binds=[path]))
    return found(made, keys_of(made, path))


@pytest.mark.parametrize(
    ("path", "value", "held"),
    [
        ("emitters.smoke.rate", 3, 3.0),
        ("emitters.a.b.rate", 3, 3.0),
        ("emitters.smoke.modifiers.1.rate", 3, 3.0),
        ("emitters.smoke.modifiers.0.value", (1, 2, 3), (1.0, 2.0, 3.0)),
        ("emitters.smoke.modifiers.0.value.x", 3, 3.0),
        ("emitters.smoke.velocity.x", 3, 3.0),
        ("emitters.smoke.velocity.y.high", 3, 3.0),
        ("emitters.smoke.color", "#00ff00", RGBA(0, 1, 0, 1)),
        ("emitters.smoke.color", (0, 1, 0), RGBA(0, 1, 0, 1)),
        ("emitters.smoke.color.g", 3, 3.0),
        ("emitters.smoke.color_over_life", "#00ff00", RGBA(0, 1, 0, 1)),
        ("emitters.smoke.color_over_life.a", 0.5, 0.5),
        ("emitters.a.b.size_over_life", 3, 3.0),
        ("emitters.smoke.offset.position.y", 3, 3.0),
        ("emitters.smoke.offset.scale", 3, (3.0, 3.0, 3.0)),
        ("emitters.smoke.sprite.stretch", 3, 3.0),
        ("emitters.smoke.shape.scale.z", 3, 3.0),
        ("modifiers.0.strength", 3, 3.0),
        ("modifiers.0.over_life", 3, 3.0),
        ("modifiers.0.axis", (0, 0, 1), (0.0, 0.0, 1.0)),
    ],
)
def test_what_a_parameter_drives_holds_its_default(path: str, value: Any, held: Any) -> None:
    assert driven(path, value) == held


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        ("emiters.smoke.rate", 1, 'no "emiters" can be bound; did you mean "emitters"?'),
        ("duration", 1, "a path begins with emitters or modifiers"),
        ("emitters.smok.rate", 1, 'emitters has no "smok"; did you mean "smoke"?'),
        ("emitters.smoke.rat", 1, 'emitters.smoke has no "rat"; did you mean "rate"?'),
        ("emitters.smoke.modifiers.5.value", 1, "smoke.modifiers has 2 items, counted from 0"),
        ("emitters.smoke.color.q", 1, 'color has no "q"; known names: r, g, b, a'),
        ("modifiers.0.strength.x", 1, "modifiers.0.strength is 3; the path ends there"),
        ("emitters.smoke.capacity", 1, "is settled when the effect begins; it cannot be bound"),
        ("emitters.smoke.bursts.0.time", 1, '"emitters.smoke.bursts" is settled when the effect'),
        ("emitters.smoke.space", 1, "is no number, vector or colour; nothing else can be bound"),
        ("emitters.smoke", 1, '"emitters.smoke" is no number, vector or colour'),
        ("emitters.smoke.lifetime", 1, 'is a range; bind "emitters.smoke.lifetime.low" or "'),
        ("emitters.smoke.velocity", (1, 2, 3), "holds ranges; bind its components"),
        ("emitters.smoke.size_over_life", 1, "changes over time; only a constant can be bound"),
        ("emitters.smoke.spread", -2, "does not take the default -2: -2 is negative; a spread is"),
        ("emitters.smoke.color", 1, "does not take the default 1: 1 is not a colour"),
        ("emitters.smoke.rate", (1, 2, 3), "does not take the default [1, 2, 3]: [1, 2, 3] is not"),
        ("emitters.smoke.sprite.flipbook", 1, "does not take the default 1: 1 is not an object"),
        ("emitters.a.b.lifetime", 1, "needs a range: ages are counted by the longest life"),
    ],
)
def test_what_cannot_be_driven_is_said_when_the_effect_is_built(
    path: str, value: Any, sentence: str
) -> None:
    with pytest.raises(gp.EffectError) as error:
        effect(gp.Parameter("p", value, binds=[path]))
    assert str(error.value).startswith("Effect: parameters[0].binds[0]: ")
    assert sentence in str(error.value)


def test_the_fields_must_take_the_whole_range() -> None:
    with pytest.raises(gp.EffectError, match=r"variation.* does not take high 2: 2 is more than 1"):
        effect(gp.Parameter("p", 0.5, (0, 2), binds=["modifiers.0.variation"]))
    with pytest.raises(gp.EffectError, match="does not take low 0: low 1 is above high 0"):
        effect(gp.Parameter("p", 1, (0, 2), binds=["emitters.smoke.lifetime.high"]))


def test_names_and_fields_belong_to_one_parameter() -> None:
    with pytest.raises(gp.EffectError) as error:
        effect(
            gp.Parameter("p", (1, 2, 3), binds=["emitters.smoke.modifiers.0.value"]),
            gp.Parameter("p", 1, binds=["emitters.smoke.modifiers.0.value.x"]),
        )
    assert str(error.value).splitlines() == [
        'Effect: parameters[1].name: "p" is the name of parameters[0] too; each parameter has its '
        "own",
        'Effect: parameters[1].binds[0]: "emitters.smoke.modifiers.0.value.x" is bound by '
        "parameters[0] already",
    ]


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"default": 3, "range": (5, 6)}, "default: 3 is less than 5; p is 5 to 6"),
        ({"default": (1, 9, 3), "range": (0, 6)}, "default[1]: 9 is more than 6; p is 0 to 6"),
        ({"default": "#fff", "range": (0, 1)}, "range: a colour has no range"),
        ({"default": True}, "default: true is not a number"),
        ({"default": math.nan}, "default: NaN is not a number"),
        ({"default": (1, 2)}, "default: [1, 2] is not a vector"),
        ({"default": 1, "range": (3, 2)}, "range: low 3 is above high 2"),
        ({"default": 1, "binds": "a.b"}, 'binds: "a.b" is not a list'),
    ],
)
def test_a_parameter_by_itself_is_checked(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(gp.EffectError) as error:
        gp.Parameter("p", **settings)
    assert sentence in str(error.value)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"wnd": 3}, 'fire: there is no parameter "wnd"; did you mean "wind"?'),
        ({"wind": 30}, "fire: parameters.wind: 30 is more than 10; wind is 0 to 10"),
        ({"wind": math.nan}, "fire: parameters.wind: NaN is not a number; wind is 0 to 10"),
        ({"wind": "3"}, 'fire: parameters.wind: "3" is not a number; wind is 0 to 10'),
        ({"tint": 3}, "fire: parameters.tint: 3 is not a colour"),
        ({"free": 2}, "fire: parameters.free: 2 is more than 1; a variation is 0 to 1"),
    ],
)
def test_other_values_hold_to_the_limits(values: dict[str, Any], sentence: str) -> None:
    made = effect(
        gp.Parameter("wind", 2, (0, 10), binds=["modifiers.0.strength"]),
        gp.Parameter("tint", "#fff", binds=["emitters.smoke.color"]),
        gp.Parameter("free", 0.5, binds=["modifiers.0.variation"]),
    )
    with pytest.raises(gp.EffectError) as error:
        made.with_parameters(values)
    assert str(error.value).startswith(sentence)


def test_an_effect_with_other_values_is_one_built_with_them() -> None:
    def made(wind: float, tint: str) -> gp.Effect:
        return effect(
            gp.Parameter("wind", wind, (0, 10), "blows", ["modifiers.0.strength"]),
            gp.Parameter("tint", tint, binds=["emitters.smoke.color", "emitters.a.b.color"]),
        )

    changed = made(2, "#ffffff").with_parameters({"tint": "#ff8000", "wind": 3})
    assert changed == made(3, "#ff8000")
    assert changed.in_use() != changed
    assert changed.in_use().emitters == made(2, "#ffffff").in_use().emitters
    assert changed.with_parameters({}) is changed


def test_a_document_gives_them_back() -> None:
    made = effect(
        gp.Parameter("wind", 2, (0, 10), "How hard it blows", ["modifiers.0.strength"]),
        gp.Parameter("pull", (0, -1, 0), binds=["emitters.smoke.modifiers.0.value"]),
        gp.Parameter("glow", (3, 2, 1, 1), binds=["emitters.smoke.color"]),
        gp.Parameter("tint", "#ff8000", binds=["emitters.a.b.color"]),
    )
    assert parse(made.to_json()) == made
    assert [parameter.type for parameter in made.parameters] == [
        "number",
        "vector",
        "color",
        "color",
    ]
    fields = schema()["$defs"]["Parameter"]["properties"]
    assert fields["binds"]["items"] == {"type": "string", "pattern": r"\S"}


def test_the_longest_life_is_that_of_the_range() -> None:
    made = effect(gp.Parameter("life", 3, (1, 500), binds=["emitters.smoke.lifetime.high"]))
    assert [made.longest_life(emitter) for emitter in made.emitters] == [500.0, 1.0]
