"""Effects and emitters: their defaults, what follows from them, what they refuse together."""

from __future__ import annotations

import dataclasses
import math
import pickle

import pytest

from gpuparticles.effect import (
    RGBA,
    Acceleration,
    Burst,
    Curve,
    Drag,
    Effect,
    Emitter,
    Flipbook,
    Gradient,
    Offset,
    Point,
    Radial,
    Range,
    Sphere,
    Sprite,
)
from gpuparticles.errors import EffectError, ParticlesError

COUNT = "a whole number from 0 to 2147483647"


def test_an_emitter_needs_only_a_name():
    emitter = Emitter("sparks")

    held = {field.name: getattr(emitter, field.name) for field in dataclasses.fields(emitter)}
    assert held == {
        "name": "sparks",
        "capacity": 1000,
        "rate": 10.0,
        "rate_over_distance": 0.0,
        "bursts": (),
        "pulse": None,
        "delay": 0.0,
        "limit": None,
        "lifetime": 1.0,
        "shape": Point(),
        "speed": 1.0,
        "spread": 0.0,
        "direction": (0.0, 1.0, 0.0),
        "velocity": None,
        "radial_speed": 0.0,
        "inherit_velocity": 0.0,
        "inherit_orientation": True,
        "space": "world",
        "offset": Offset(),
        "size": 1.0,
        "width": 1.0,
        "height": 1.0,
        "size_over_life": Curve([(0, 1)]),
        "width_over_life": Curve([(0, 1)]),
        "height_over_life": Curve([(0, 1)]),
        "rotation": 0.0,
        "angular_velocity": 0.0,
        "angular_velocity_over_life": Curve([(0, 1)]),
        "handedness": "right",
        "color": RGBA(1, 1, 1, 1),
        "color_over_life": Gradient([(0, (1, 1, 1, 1))]),
        "fade_in": 0.0,
        "fade_out": 0.0,
        "speed_over_life": Curve([(0, 1)]),
        "speed_range": Range(0, 1),
        "size_by_speed": Curve([(0, 1)]),
        "color_by_speed": Gradient([(0, (1, 1, 1, 1))]),
        "modifiers": (),
        "sprite": Sprite(),
        "model": None,
        "trail": None,
        "ribbon": None,
        "duration": None,
        "loop": None,
        "process": None,
        "draw_order": 0,
    }


def test_what_an_author_writes_is_held_in_one_form():
    emitter = Emitter(
        name="sparks",
        bursts=[Burst(0, 300)],
        lifetime=(0.5, 1.2),
        velocity=(0, (1, 2), 0),
        size_over_life=[(0, 1), (1, 0)],
        color="#ff0000",
        color_over_life=[(0, "#fff4c0"), (1, "#40000000")],
        modifiers=(modifier for modifier in [Acceleration((0, -9.8, 0)), Drag(0.5)]),
        sprite=Sprite(blend="additive"),
    )

    assert emitter.bursts == (Burst(time=0.0, count=300),)
    assert emitter.lifetime == Range(0.5, 1.2)
    assert emitter.velocity == (0.0, Range(1, 2), 0.0)
    assert emitter.size_over_life == Curve([(0, 1), (1, 0)])
    assert emitter.color == RGBA(1, 0, 0, 1)
    assert emitter.color_over_life.stops[1] == (1.0, RGBA(64 / 255, 0, 0, 0))
    assert emitter.modifiers == (Acceleration((0, -9.8, 0)), Drag(0.5))


def test_parts_may_be_given_as_in_a_document():
    emitter = Emitter(
        "a",
        shape={"kind": "sphere", "radius": 2},
        modifiers=[{"kind": "drag", "rate": 1}],
        bursts=[{"count": 3}],
        sprite={"blend": "additive", "flipbook": {"columns": 2}},
    )

    assert emitter.shape == Sphere(2)
    assert emitter.modifiers == (Drag(1),)
    assert emitter.bursts == (Burst(count=3),)
    assert emitter.sprite == Sprite(blend="additive", flipbook=Flipbook(2))


def test_an_effect_is_hashable_frozen_and_survives_pickling():
    effect = Effect("a", [Emitter("b", shape=Sphere(2))], modifiers=[Drag(1)])

    assert hash(effect) == hash(pickle.loads(pickle.dumps(effect)))
    assert pickle.loads(pickle.dumps(effect)) == effect
    with pytest.raises(dataclasses.FrozenInstanceError):
        effect.name = "c"


def test_a_changed_copy_is_checked_too():
    emitter = dataclasses.replace(Emitter("a"), rate=5)

    assert emitter.rate == 5.0
    with pytest.raises(EffectError, match="Emitter: rate: -5 is negative"):
        dataclasses.replace(emitter, rate=-5)


def test_an_emitter_has_its_effects_duration_and_loop_unless_it_has_its_own():
    inherits, own = Emitter("a"), Emitter("b", duration=2, loop=False)
    effect = Effect("e", [inherits, own], duration=7)

    assert (effect.duration_of(inherits), effect.loop_of(inherits)) == (7.0, True)
    assert (effect.duration_of(own), effect.loop_of(own)) == (2.0, False)
    assert Effect("e", [inherits]).duration == 5.0


def test_an_emitters_modifiers_come_before_its_effects():
    emitter = Emitter("a", modifiers=[Drag(1), Drag(2)])
    effect = Effect("e", [emitter], modifiers=[Radial(3)])

    assert effect.modifiers_of(emitter) == (Drag(1), Drag(2), Radial(3))


def test_the_repr_shows_what_was_said():
    effect = Effect("e", [Emitter("a", rate=5)], loop=False)

    assert repr(effect) == "Effect(name='e', emitters=(Emitter(name='a', rate=5.0),), loop=False)"


LIST = "a list is written [...], even one of a single item"


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: Emitter(), "name: nothing is given, and it has no default"),
        (lambda: Emitter(""), 'name: "" is empty; a name has at least one character'),
        (lambda: Emitter(3), "name: 3 is not text; a name is text"),
        (
            lambda: Emitter("a\ud800"),
            'name: "a\\ud800" has half a surrogate pair; a name is Unicode text',
        ),
        (
            lambda: Emitter("a", capacity=1.5),
            f"capacity: 1.5 is not a whole number; a capacity is {COUNT}",
        ),
        (lambda: Emitter("a", capacity=-1), f"capacity: -1 is negative; a capacity is {COUNT}"),
        (
            lambda: Emitter("a", capacity=2**31),
            f"capacity: 2147483648 is more than 2147483647; a capacity is {COUNT}",
        ),
        (
            lambda: Emitter("a", rate=-1),
            "rate: -1 is negative; a rate is 0 to 100000000 births a second",
        ),
        (
            lambda: Emitter("a", rate=math.inf),
            "rate: inf is not finite; a rate is 0 to 100000000 births a second",
        ),
        (
            lambda: Emitter("a", lifetime=-2),
            'lifetime: -2 is negative; a lifetime is 0 or more seconds, or "inf"',
        ),
        (
            lambda: Emitter("a", spread=181),
            "spread: 181 is more than 180; a spread is 0 to 180 degrees",
        ),
        (lambda: Emitter("a", size=-1), "size: -1 is negative; a size is 0 or more"),
        (lambda: Emitter("a", size=(-1, 1)), "size[0]: -1 is negative; a size is 0 or more"),
        (
            lambda: Emitter("a", size_over_life=[(0, 1), (1, -1)]),
            "size_over_life[1][1]: -1 is negative; a factor of size is 0 or more",
        ),
        (
            lambda: Emitter("a", size_over_life=Curve([(0, 1), (1, -1)])),
            "size_over_life[1][1]: -1 is negative; a factor of size is 0 or more",
        ),
        (
            lambda: Emitter("a", duration=0),
            "duration: 0 is less than 0.001; a duration is 0.001 or more seconds",
        ),
        (lambda: Emitter("a", loop=1), "loop: 1 is not true or false"),
        (
            lambda: Emitter("a", space="locale"),
            'space: "locale" is not "world" or "local"; did you mean "local"?',
        ),
        (
            lambda: Emitter("a", modifiers=Drag(1)),
            f"modifiers: Drag(rate=1.0) is not a list; {LIST}",
        ),
        (lambda: Emitter("a", bursts="now"), f'bursts: "now" is not a list; {LIST}'),
        (
            lambda: Emitter("a", bursts=[(0, 10)]),
            "bursts[0]: [0, 10] is not a burst; write Burst(time=0, count=10), or "
            '{"time": 0, "count": 10} in a file',
        ),
        (
            lambda: Emitter("a", bursts=[(0, -10)]),
            "bursts[0]: [0, -10] is not an object with the fields "
            "time, count, cycles, interval, probability",
        ),
        (
            lambda: Emitter("a", sprite="x.png"),
            'sprite: "x.png" is not a sprite; write Sprite(texture="x.png"), or '
            '{"texture": "x.png"} in a file',
        ),
        (
            lambda: Emitter("a", sprite=Sprite),
            "sprite: the class Sprite is not a sprite; write Sprite()",
        ),
        (
            lambda: Emitter("a", shape=Sphere),
            "shape: the class Sphere is not a shape; write Sphere()",
        ),
        (
            lambda: Emitter("a", modifiers=[Drag]),
            "modifiers[0]: the class Drag is not a modifier; write Drag(...)",
        ),
        (
            lambda: Emitter("a", shape=Drag),
            'shape: the class Drag is not a shape; a shape is an object such as {"kind": "point"}',
        ),
        (
            lambda: Emitter("a", angular_velocity="x"),
            'angular_velocity: "x" is not a number; '
            "an angular velocity is a finite number, a pair (low, high), or a list of stops "
            "[t, value]",
        ),
        (
            lambda: Emitter("a", bursts=[3]),
            "bursts[0]: 3 is not an object with the fields "
            "time, count, cycles, interval, probability",
        ),
        (
            lambda: Emitter("a", bursts=[Burst(), {"count": -1}]),
            "bursts[1].count: -1 is negative; a count is a whole number from 0 to 16777216",
        ),
        (
            lambda: Emitter("a", shape="sphere"),
            'shape: "sphere" is not a shape; a shape is an object such as {"kind": "sphere"}',
        ),
        (
            lambda: Emitter("a", colour="#ff0000"),
            'colour: unknown field "colour"; did you mean "color"?',
        ),
        (
            lambda: Emitter("a", offset=3),
            "offset: 3 is not an object with the fields position, rotation, scale",
        ),
    ],
)
def test_what_an_emitter_refuses(call, sentence: str):
    with pytest.raises(EffectError) as error:
        call()

    assert str(error.value) == f"Emitter: {sentence}"


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: Effect("a"), "emitters: nothing is given, and it has no default"),
        (lambda: Effect("a", []), "emitters: an empty list; an effect has at least one emitter"),
        (lambda: Effect("a", Emitter("b")), f"emitters: Emitter(name='b') is not a list; {LIST}"),
        (
            lambda: Effect("a", [Emitter("b")], duration=math.inf),
            "duration: inf is not finite; a duration is 0.001 or more seconds",
        ),
        (
            lambda: Effect("a", [Emitter("b")], prewarm=-1),
            "prewarm: -1 is negative; a prewarm is 0 or more seconds",
        ),
        (
            lambda: Effect("a", [Emitter("b")], fixed_fps=0),
            "fixed_fps: 0 is less than 0.001; a frame rate is 0.001 to 1000 frames a second",
        ),
        (
            lambda: Effect("a", [Emitter("b"), Emitter("c"), Emitter("b")]),
            'emitters[2].name: "b" is the name of emitters[0] too; each emitter has its own',
        ),
        (
            lambda: Effect("a", [Emitter("b", bursts=[Burst(0), Burst(5)])]),
            "emitters[0].bursts[1].time: 5 is not within the loop of 5 seconds; "
            "it would never fire",
        ),
        (
            lambda: Effect(
                "a", [Emitter("b", bursts=[Burst(3)], duration=2, loop=True)], loop=False
            ),
            "emitters[0].bursts[0].time: 3 is not within the loop of 2 seconds; "
            "it would never fire",
        ),
    ],
)
def test_what_an_effect_refuses(call, sentence: str):
    with pytest.raises(EffectError) as error:
        call()

    assert str(error.value) == f"Effect: {sentence}"


def test_a_late_burst_of_a_one_shot_is_fine():
    assert Effect("a", [Emitter("b", bursts=[Burst(9)])], loop=False).emitters[0].bursts
    assert Effect("a", [Emitter("b", bursts=[Burst(9)], loop=False)])
    assert Effect("a", [Emitter("b", bursts=[Burst(9)], duration=10)])


def test_curves_must_fit_into_a_uniform_block():
    """16 KB are 1024 rows: 64 for the emitter, 10 a modifier, 1 a segment, 3 a colour segment."""

    def effect(segments: int, *modifiers: Drag) -> Effect:
        stops = [(i / segments, 1) for i in range(segments + 1)]
        return Effect("a", [Emitter("full", size_over_life=stops)], modifiers=modifiers)

    assert effect(1024 - 64 - 3)
    assert effect(1024 - 64 - 3 - 10 - 1, Drag(1, over_life=[(0, 1), (1, 0)]))
    for refused in (lambda: effect(1024 - 64 - 3 + 1), lambda: effect(1024 - 64 - 3, Drag(1))):
        with pytest.raises(EffectError, match=r'emitters\[0\]: the stops and modifiers of "full"'):
            refused()


def test_the_mistakes_of_an_effect_are_errors_of_the_library_and_of_values():
    with pytest.raises(ParticlesError):
        Effect("", [])
    with pytest.raises(ValueError, match="Effect: name:"):
        Effect("", [])
