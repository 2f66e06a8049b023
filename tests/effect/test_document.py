"""Effect files: what is written is read back, and every mistake is named with its place."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from gpuparticles.effect import (
    RGBA,
    Acceleration,
    Box,
    Burst,
    Circle,
    Cone,
    Curve,
    Drag,
    Effect,
    Emitter,
    Flipbook,
    Gradient,
    Point,
    Radial,
    Range,
    Shape,
    Sphere,
    Sprite,
    Vortex,
    examine,
    kinds,
    load,
    parse,
    save,
)
from gpuparticles.errors import DocumentError, EffectError, ParticlesError

LEAST = {"format": "gpuparticles/1", "name": "a", "emitters": [{"name": "b"}]}


def errors(document: Any) -> list[str]:
    text = document if isinstance(document, str) else json.dumps(document)
    with pytest.raises(DocumentError) as error:
        parse(text, "campfire.json")
    assert str(error.value).splitlines() == list(error.value.errors)
    return [sentence.removeprefix("campfire.json: ") for sentence in error.value.errors]


def emitter_errors(**fields: Any) -> list[str]:
    found = errors(LEAST | {"emitters": [{"name": "b", **fields}]})
    return [sentence.removeprefix("emitters[0].") for sentence in found]


# What is read and written

EFFECT = Effect(
    name="Funkenflug 火花",
    duration=2.5,
    loop=False,
    modifiers=[Drag(0.1)],
    emitters=[
        Emitter("plain"),
        Emitter(
            "everything",
            capacity=4000,
            rate=7.3,
            bursts=[Burst(0, 300), Burst(1.5)],
            lifetime=(0.5, 1.2),
            shape=Sphere(0.1),
            speed=(2, 6),
            spread=60,
            velocity=(0, (1, 2), 3),
            space="local",
            size=0.05,
            size_over_life=[(0, 1), (0.5, 0.25), (0.5, 2), (1, 0)],
            rotation=(0, 360),
            angular_velocity=-90,
            color=(2.5, 0.1, 0, 0.3),
            color_over_life=[(0, "#fff4c0"), (0.5, (8, 1, 0)), (1, "#40000000")],
            modifiers=[
                Acceleration((0, -9.8, 0), variation=0.5),
                Vortex(
                    3, (1, 0, 0), falloff=(1, 2), handedness="random", over_life=[(0, 1), (1, 0)]
                ),
            ],
            sprite=Sprite("glow.png", Flipbook(4, 4, 15, 2, True), 0.5, (0, 0.1), "nearest", True),
            duration=1,
            loop=False,
        ),
        Emitter("forever", lifetime=math.inf),
    ],
)


def test_what_is_saved_is_loaded(tmp_path: Path):
    save(EFFECT, tmp_path / "effect.json")

    assert load(tmp_path / "effect.json") == EFFECT
    assert load(str(tmp_path / "effect.json")) == EFFECT


def test_the_text_of_an_effect_is_read_as_the_same_effect():
    assert parse(EFFECT.to_json()) == EFFECT


def test_defaults_are_left_out():
    data = json.loads(Effect("a", [Emitter("b", rate=10, lifetime=1)]).to_json())

    assert data == LEAST


def test_values_are_written_as_an_author_would():
    data = json.loads(EFFECT.to_json())
    everything = data["emitters"][1]

    assert list(data) == ["format", "name", "duration", "loop", "modifiers", "emitters"]
    assert data["modifiers"] == [{"kind": "drag", "rate": 0.1}]
    assert data["emitters"][2]["lifetime"] == "inf"
    assert everything["speed"] == [2, 6]
    assert everything["velocity"] == [0, [1, 2], 3]
    assert everything["shape"] == {"kind": "sphere", "radius": 0.1}
    assert everything["bursts"] == [{"count": 300}, {"time": 1.5}]
    assert everything["color"] == [2.5, 0.1, 0, 0.3]
    assert everything["color_over_life"] == [[0, "#fff4c0"], [0.5, [8, 1, 0]], [1, "#40000000"]]
    assert everything["modifiers"][0] == {
        "kind": "acceleration",
        "value": [0, -9.8, 0],
        "variation": 0.5,
    }


def test_a_constant_curve_is_written_as_its_value():
    emitter = Emitter("b", size_over_life=[(0, 2)], color_over_life="#ff0000")
    (data,) = json.loads(Effect("a", [emitter]).to_json())["emitters"]

    assert data == {"name": "b", "size_over_life": 2, "color_over_life": "#ff0000"}


def test_the_text_is_for_people():
    """What fits stands on one line; nothing is escaped that need not be."""
    effect = Effect("Glühwürmchen", [Emitter("glow", modifiers=[Drag(0.5)], lifetime=(2, 3))])

    assert effect.to_json() == (
        "{\n"
        '  "format": "gpuparticles/1",\n'
        '  "name": "Glühwürmchen",\n'
        '  "emitters": [{"name": "glow", "lifetime": [2, 3], '
        '"modifiers": [{"kind": "drag", "rate": 0.5}]}]\n'
        "}\n"
    )
    assert max(len(line) for line in EFFECT.to_json().splitlines()) <= 100


@pytest.mark.parametrize(
    ("color", "written"),
    [
        ("#12ab34", "#12ab34"),
        ("#12ab3456", "#12ab3456"),
        ("#1ab", "#11aabb"),
        ("#1abc", "#11aabbcc"),
        ((1, 1, 1, 0), "#ffffff00"),
        ((0.5, 0, 0), [0.5, 0, 0]),
        ((2, 1, 1), [2, 1, 1]),
        ((2, 1, 1, 0.5), [2, 1, 1, 0.5]),
    ],
)
def test_a_colour_is_written_in_hex_when_that_is_exact(color: Any, written: Any):
    (emitter,) = json.loads(Effect("a", [Emitter("b", color=color)]).to_json())["emitters"]

    assert emitter["color"] == written


positive = st.floats(0, 1e30, allow_subnormal=False)
ranged = positive | st.tuples(positive, positive).map(sorted)
over_loop = ranged | st.lists(positive, min_size=2, max_size=4).map(
    lambda values: [(i / 4, value) for i, value in enumerate(values)]
)
colors = st.tuples(positive, positive, positive, st.floats(0, 1)) | st.integers(0, 2**32 - 1).map(
    lambda bits: f"#{bits:08x}"
)
times = st.lists(st.floats(0, 1), min_size=1, max_size=5).map(sorted)
curves = st.builds(
    lambda ts, vs: [*zip(ts, vs, strict=False)], times, st.lists(positive, min_size=5)
)
gradients = st.builds(lambda ts, c: [(t, c) for t in ts], times, colors)
coordinates = st.floats(-1e30, 1e30)
vectors = st.tuples(coordinates, coordinates, coordinates)
shared = {"variation": st.floats(0, 1), "over_life": st.none() | curves}
shapes = st.one_of(
    st.just(Point()),
    st.builds(Sphere, positive),
    st.builds(Circle, positive, vectors.filter(any)),
    st.builds(Cone, positive, st.floats(0, 180)),
    st.builds(Box, st.tuples(positive, positive, positive)),
)
modifiers = st.one_of(
    st.builds(Acceleration, vectors, **shared),
    st.builds(Drag, positive, **shared),
    st.builds(Radial, coordinates, vectors, st.none() | st.tuples(positive, positive).map(sorted)),
)
bent = st.builds(Curve, curves, st.sampled_from(("linear", "smooth", "step"))) | curves
birth_colors = (
    colors | gradients | st.lists(st.integers(0, 4095).map(lambda b: f"#{b:03x}"), min_size=1)
)
emitters = st.builds(
    Emitter,
    st.text(min_size=1).filter(str.strip).filter(lambda name: name.isprintable()),
    capacity=st.integers(0, 10**6),
    rate=st.floats(0, 1e8),
    bursts=st.lists(st.builds(Burst, st.floats(0, 4.9), st.integers(0, 10**6)), max_size=3),
    lifetime=over_loop | st.just(math.inf),
    shape=shapes,
    size=over_loop,
    velocity=st.none() | vectors,
    direction=st.sampled_from(("normal", "outward", "inward")) | vectors.filter(any),
    color=birth_colors,
    size_over_life=bent,
    color_over_life=st.builds(Gradient, gradients, st.sampled_from(("linear", "smooth", "step"))),
    modifiers=st.lists(modifiers, max_size=3),
    loop=st.none() | st.booleans(),
)


@settings(max_examples=60)
@given(emitters)
def test_any_effect_is_read_back_equal(emitter: Emitter):
    for playback in ({}, {"prewarm": 1.5, "fixed_fps": 24}):
        effect = Effect("a", [emitter], **playback)

        assert parse(effect.to_json()) == effect


def test_a_document_may_name_its_schema_and_begin_with_a_byte_order_mark(tmp_path: Path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"$schema": "effect.schema.json", **LEAST}), encoding="utf-8-sig")

    assert load(path) == Effect("a", [Emitter("b")])


def test_an_infinite_lifetime_may_be_written_both_ways():
    for forever in ('"inf"', "Infinity"):
        text = json.dumps(LEAST).replace('"name": "b"', f'"name": "b", "lifetime": {forever}')

        assert parse(text).emitters[0].lifetime == math.inf


# Textures


def test_a_texture_lies_relative_to_its_document(tmp_path: Path):
    folder = tmp_path / "effects"
    folder.mkdir()
    sprite = {"texture": "../sheets/flame.png"}
    text = json.dumps(LEAST | {"emitters": [{"name": "b", "sprite": sprite}]})
    (folder / "a.json").write_text(text)

    effect = load(folder / "a.json")
    assert effect.emitters[0].sprite.texture == tmp_path / "sheets" / "flame.png"

    save(effect, tmp_path / "b.json")
    written = json.loads((tmp_path / "b.json").read_text())
    assert written["emitters"][0]["sprite"]["texture"] == "sheets/flame.png"
    assert load(tmp_path / "b.json") == effect


def test_a_relative_path_given_in_python_survives_a_save_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "deep").mkdir()
    effect = Effect("a", [Emitter("b", sprite=Sprite("flame.png"))])

    save(effect, "deep/a.json")
    monkeypatch.chdir("/")
    assert load(tmp_path / "deep" / "a.json") == effect


def test_a_picture_in_memory_has_no_place_in_a_document(tmp_path: Path):
    effect = Effect("a", [Emitter("b"), Emitter("c", sprite=Sprite(Image.new("RGB", (1, 1))))])
    sentence = (
        "emitters[1].sprite.texture: an object of type Image has no place in a document; "
        "give the path of a file"
    )

    with pytest.raises(DocumentError) as error:
        effect.to_json()
    assert error.value.errors == (sentence,)

    with pytest.raises(DocumentError) as error:
        save(effect, tmp_path / "a.json")
    assert error.value.errors == (f"{tmp_path / 'a.json'}: {sentence}",)
    assert not list(tmp_path.iterdir())


# Mistakes


def test_all_mistakes_of_a_document_come_at_once():
    document = {
        "format": "gpuparticles/1",
        "name": "campfire",
        "emitters": [
            {
                "name": "flames",
                "modifiers": [
                    {"kind": "drag", "rate": 1},
                    {"kind": "acceleration", "value": [0, 1]},
                    {"kind": "drga", "rate": 1},
                ],
            },
            {"name": "smoke", "lifetime": -2, "sprite": {"blend": "add"}},
            {"nam": "sparks", "shape": {"kind": "ball"}},
        ],
        "duraton": 3,
    }

    assert errors(document) == [
        "emitters[0].modifiers[1].value: [0, 1] is not a vector; a vector has 3 components",
        'emitters[0].modifiers[2].kind: unknown modifier "drga"; did you mean "drag"?',
        'emitters[1].lifetime: -2 is negative; a lifetime is 0 or more seconds, or "inf"',
        'emitters[1].sprite.blend: "add" is no way to blend; blend is "alpha", "additive" or a '
        'number from 0 (alpha) to 1 (additive); did you mean "additive"?',
        "emitters[2].name: nothing is given, and it has no default",
        f'emitters[2].shape.kind: unknown shape "ball"; known shapes: {", ".join(kinds(Shape))}',
        'emitters[2].nam: unknown field "nam"; did you mean "name"?',
        'duraton: unknown field "duraton"; did you mean "duration"?',
    ]


def test_mistakes_between_fields_come_at_once():
    b = {"name": "b", "bursts": [{"time": 1}, {"time": 7}]}

    assert errors(LEAST | {"emitters": [b, {"name": "c"}, {"name": "b", "duration": 1, **b}]}) == [
        "emitters[0].bursts[1].time: 7 is not within the loop of 5 seconds; it would never fire",
        'emitters[2].name: "b" is the name of emitters[0] too; each emitter has its own',
        "emitters[2].bursts[0].time: 1 is not within the loop of 1 seconds; it would never fire",
        "emitters[2].bursts[1].time: 7 is not within the loop of 1 seconds; it would never fire",
    ]


def test_what_is_wrong_by_itself_hides_no_mistake_between_fields():
    stops = [[t / 1024, 1] for t in range(1024)]
    document = LEAST | {
        "duration": 1,
        "emitters": [
            {"name": "a", "speed": "x", "bursts": [{"time": "soon"}, {"time": 9}]},
            {"nam": "b", "bursts": [{"time": 2}, {"time": 8, "count": -1}]},
            {"name": "a", "loop": "yes", "bursts": [{"time": 9}]},  # perhaps it does not loop
            "c",
            {"name": "d", "duration": 10, "bursts": [{"time": 9}, {"time": 10}]},
            {"name": "d", "sprite": {"flipbook": {"frames": 2, "speed": -1}}},
            {"name": "e", "rate": -1, "size_over_life": stops, "color_over_life": [[0, 1]]},
            {"name": "f", "rate": -1, "size_over_life": stops},
        ],
    }

    found = [sentence.split(":")[0] for sentence in errors(document)]

    assert found == [
        "emitters[0].bursts[0].time",
        "emitters[0].speed",
        "emitters[1].name",
        "emitters[1].bursts[1].count",
        "emitters[1].nam",
        "emitters[2].loop",
        "emitters[3]",
        "emitters[5].sprite.flipbook.speed",
        "emitters[5].sprite.flipbook.frames",
        "emitters[6].rate",
        "emitters[6].color_over_life[0][1]",
        "emitters[7].rate",
        "emitters[0].bursts[1].time",
        "emitters[1].bursts[0].time",
        "emitters[1].bursts[1].time",
        "emitters[2].name",
        "emitters[4].bursts[1].time",
        "emitters[5].name",
        "emitters[7]",
    ]


def test_an_unknown_duration_makes_no_burst_late():
    emitters = [{"name": "b", "bursts": [{"time": 9}]}]

    (sentence,) = errors(LEAST | {"duration": "long", "emitters": emitters})
    assert sentence.startswith('duration: "long" is not a number')
    (sentence,) = errors(
        LEAST | {"duration": -1, "emitters": []},
    )[1:]
    assert sentence == "emitters: an empty list; an effect has at least one emitter"


def test_a_constructor_names_the_mistakes_between_fields_too():
    with pytest.raises(EffectError) as error:
        Effect(3, [Emitter("a"), Emitter("a")])
    with pytest.raises(EffectError) as another:
        Effect(3, (Emitter(name) for name in "ab"))

    assert str(another.value) == "Effect: name: 3 is not text; a name is text"
    assert str(error.value).splitlines() == [
        "Effect: name: 3 is not text; a name is text",
        'Effect: emitters[1].name: "a" is the name of emitters[0] too; each emitter has its own',
    ]


def test_a_file_is_examined_as_far_as_it_is_right(tmp_path: Path):
    path = tmp_path / "a.json"
    sprites = [{"texture": "a.png", "blend": "add"}, {"texture": 3}, "b.png"]
    emitters = [{"name": "b", "rate": -1, "sprite": sprite} for sprite in sprites]
    path.write_text(json.dumps(LEAST | {"emitters": emitters}))

    effect, found = examine(path)

    assert effect is not None
    assert effect.name == LEAST["name"]
    assert effect.emitters[0].sprite.texture == tmp_path / "a.png"
    assert not hasattr(effect.emitters[0].sprite, "blend")
    assert effect.emitters[0].capacity == 1000
    assert not hasattr(effect.emitters[1].sprite, "texture")
    assert not hasattr(effect.emitters[2].sprite, "texture")
    assert len(found) == 8  # three rates, three sprites, two names

    path.write_text("{")
    assert examine(path)[0] is None
    path.write_text(json.dumps(LEAST))
    assert examine(path) == (load(path), [])


SPEED = "a speed is a finite number"
LIST = "a list is written [...], even one of a single item"
PAIR = ", a pair (low, high), or a list of stops [t, value]"


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"lifetime": [3, 1]}, "lifetime: low 3 is above high 1; a range is (low, high)"),
        ({"speed": "fast"}, f'speed: "fast" is not a number; {SPEED}{PAIR}'),
        ({"speed": True}, f"speed: true is not a number; {SPEED}{PAIR}"),
        ({"speed": None}, f"speed: null is not a number; {SPEED}{PAIR}"),
        ({"speed": math.nan}, f"speed: NaN is not a number; {SPEED}{PAIR}"),
        ({"speed": -math.inf}, f"speed: -inf is not finite; {SPEED}"),
        ({"speed": [0, 1e300]}, f"speed[1]: 1e+300 does not fit in 32 bits; {SPEED}"),
        (
            {"speed": [[0, 1], [2, 3]]},
            "speed[1][0]: 2 is more than 1; the time of a stop is 0 to 1 of the whole",
        ),
        ({"size": [[0, 1], [1, -3]]}, "size[1][1]: -3 is negative; a size is 0 or more"),
        (
            {"lifetime": [[0, 1], [1, "inf"]]},
            'lifetime[1][1]: "inf" is not a number; a lifetime is 0 or more seconds',
        ),
        (
            {"velocity": [0, [[0, 1], [1, "x"]], 0]},
            'velocity[1][1][1]: "x" is not a number; a component is a finite number',
        ),
        (
            {"direction": "inwards"},
            'direction: "inwards" is not a direction; did you mean "inward"?',
        ),
        (
            {"direction": 3},
            "direction: 3 is not a direction; "
            'a direction is 3 numbers, or "normal", "outward", "inward"',
        ),
        (
            {"direction": [0, 0, 0]},
            "direction: [0, 0, 0] has no direction; a direction may not be zero",
        ),
        (
            {"inherit_velocity": 0.5, "space": "local"},
            "inherit_velocity: 0.5 is given in local space, whose particles move with the emitter; "
            'it is for "world"',
        ),
        (
            {"inherit_orientation": False, "space": "local"},
            "inherit_orientation: false is given in local space, whose particles turn with the "
            'emitter; it is for "world"',
        ),
        (
            {"fade_in": 0.5, "lifetime": "inf"},
            "fade_in: 0.5 of a life without end never passes; a lifetime that fades in is finite",
        ),
        ({"fade_out": 2}, "fade_out: 2 is more than 1; a part is 0 to 1 of the life"),
        ({"speed_range": [3, 1]}, "speed_range: low 3 is above high 1; a range is (low, high)"),
        ({"speed_range": 3}, "speed_range: 3 is not a pair (low, high)"),
        (
            {"size_over_life": {"stops": [[0, 1], [1, -2]]}},
            "size_over_life.stops[1][1]: -2 is negative; a factor of size is 0 or more",
        ),
        (
            {"color_over_life": {"stops": [[0, "#fff"]], "interpolation": "smoth"}},
            'color_over_life.interpolation: "smoth" is not "linear" or "smooth" or "step"; '
            'did you mean "smooth"?',
        ),
        (
            {"speed": {"stops": [[0, 1]], "interpolate": 1}},
            'speed.interpolate: unknown field "interpolate"; did you mean "interpolation"?',
        ),
        (
            {"color": ["#ff0000", "#00"]},
            'color[1]: "#00" is not a colour; '
            'a colour is "#rrggbb", "#rrggbbaa", or 3 or 4 numbers',
        ),
        (
            {"color": [[0, "#ff0000"], [1, 3]]},
            'color[1][1]: 3 is not a colour; a colour is "#rrggbb", "#rrggbbaa", or 3 or 4 numbers',
        ),
        ({"velocity": [1, 2]}, "velocity: [1, 2] is not a vector; a vector has 3 components"),
        ({"modifiers": {}}, f"modifiers: {{}} is not a list; {LIST}"),
        (
            {"bursts": [[0, 10]]},
            "bursts[0]: [0, 10] is not a burst; write Burst(time=0, count=10), or "
            '{"time": 0, "count": 10} in a file',
        ),
        (
            {"modifiers": ["drag"]},
            'modifiers[0]: "drag" is not a modifier; '
            'a modifier is an object such as {"kind": "drag"}',
        ),
        ({"modifiers": [{"kind": "Drag", "rate": 1}]}, None),
        ({"modifiers": [{"kind": 3}]}, None),
        ({"shape": {"radius": 1}}, None),
        (
            {"modifiers": [{"kind": "drag", "rate": 1, "center": [0, 0, 0]}]},
            'modifiers[0].center: unknown field "center"; known fields: rate, variation, over_life',
        ),
        (
            {"size_over_life": [[0, 1], [1, 0], [0.5, 2]]},
            "size_over_life[2][0]: stop 2 at 0.5 lies before stop 1 at 1; stops must ascend",
        ),
        (
            {"color_over_life": [[0, "#ff"]]},
            'color_over_life[0][1]: "#ff" is not a colour; '
            'a colour is "#rrggbb", "#rrggbbaa", or 3 or 4 numbers',
        ),
        (
            {"sprite": {"flipbook": {"columns": 2, "rows": 2, "frames": 5}}},
            "sprite.flipbook.frames: 5 is too many; a sheet of 2 by 2 has 4",
        ),
    ],
)
def test_a_mistake_is_named_with_its_place(fields: dict[str, Any], sentence: str | None):
    found = emitter_errors(**fields)

    assert len(found) == 1
    assert sentence in (None, found[0])


def test_a_kind_is_asked_for_and_suggested_whatever_its_case():
    assert emitter_errors(modifiers=[{"kind": "Drag", "rate": 1}]) == [
        'modifiers[0].kind: unknown modifier "Drag"; did you mean "drag"?'
    ]
    (sentence,) = emitter_errors(shape={"radius": 1})
    assert sentence.startswith("shape.kind: nothing is given; known shapes: point, circle, ")
    (sentence,) = emitter_errors(modifiers=[{"kind": 3}])
    assert sentence.startswith("modifiers[0].kind: unknown modifier 3; known modifiers: accel")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "line 1, column 1: not JSON: Expecting value"),
        ('{\n  "a": 1,\n  b\n}', "line 3, column 3: not JSON: "),
        ("[1, 2]", "[1, 2] is not an effect; an effect is an object {}"),
        ('"fire"', '"fire" is not an effect; an effect is an object {}'),
        ("null", "null is not an effect; an effect is an object {}"),
        ("[" * 100_000, "not an effect: lists are nested too deeply"),
    ],
)
def test_a_text_that_is_no_effect_is_named(text: str, sentence: str):
    (found,) = errors(text)

    assert found.startswith(sentence)


@pytest.mark.parametrize("number", ["1e400", "-1e400", "1" * 400, "1" * 5000, "NaN"])
def test_numbers_beyond_all_bounds_are_refused(number: str):
    (found,) = errors(json.dumps(LEAST).replace('"name": "b"', f'"name": "b", "rate": {number}'))

    assert len(found) < 160


def test_nested_nonsense_is_quoted_briefly():
    limit = "is not a number; a spread is 0 to 180 degrees"
    deep: Any = 1
    for _ in range(300):
        deep = [deep]
    wide = {"a": [[0] * 9] * 9}

    assert emitter_errors(spread=deep) == [f"spread: [[[[...]]]] {limit}"]
    assert emitter_errors(spread=[*range(9)]) == [f"spread: [0, 1, 2, 3, 4, 5, 6, 7, ...] {limit}"]
    (found,) = emitter_errors(spread=wide)
    assert found.startswith('spread: {"a": [[')
    assert len(found) < 130
    (found,) = emitter_errors(spread="x" * 1000)
    assert len(found) < 130


def test_a_key_given_twice_is_refused():
    text = json.dumps(LEAST).replace('"name": "b"', '"name": "b", "rate": 1, "rate": 2')

    assert errors(text) == ["emitters[0].rate: given more than once in the same object"]


@pytest.mark.parametrize(
    ("header", "sentence"),
    [
        ({}, 'format: nothing is given; this version reads "gpuparticles/1"'),
        (
            {"format": "gpuparticles/9"},
            'format: "gpuparticles/9" is unknown; this version reads "gpuparticles/1"',
        ),
        ({"format": 1}, 'format: 1 is unknown; this version reads "gpuparticles/1"'),
    ],
)
def test_the_format_is_checked(header: dict[str, Any], sentence: str):
    assert errors(header | {"name": "a", "emitters": [{"name": "b"}]}) == [sentence]


# Files


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path):
    missing, folder, binary = tmp_path / "no.json", tmp_path, tmp_path / "binary.json"
    binary.write_bytes(b'{"name": "\xff"}')

    for path, sentence in [
        (missing, "cannot be read: No such file or directory"),
        (folder, "cannot be read: Is a directory"),
        (binary, "byte 10 is not UTF-8 text; an effect file is JSON in UTF-8"),
    ]:
        with pytest.raises(DocumentError) as error:
            load(path)
        assert error.value.errors == (f"{path}: {sentence}",)
    with pytest.raises(DocumentError, match="cannot be read: embedded null byte"):
        load("a\0b")
    assert issubclass(DocumentError, ParticlesError)


def test_the_mistakes_of_a_file_begin_with_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    Path("campfire.json").write_text(json.dumps(LEAST | {"duration": -1}))

    with pytest.raises(DocumentError) as error:
        load("campfire.json")
    assert str(error.value) == (
        "campfire.json: duration: -1 is less than 0.001; a duration is 0.001 or more seconds"
    )


def test_a_save_replaces_the_file_whole_and_leaves_nothing_else(tmp_path: Path):
    path = tmp_path / "a.json"
    path.write_text("old")
    save(EFFECT, path)

    assert [file.name for file in tmp_path.iterdir()] == ["a.json"]
    assert path.read_text(encoding="utf-8") == path.read_text(encoding="utf-8").strip() + "\n"
    assert load(path) == EFFECT


def test_a_save_that_fails_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = tmp_path / "a.json"
    path.write_text("old")

    def fail(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(DocumentError, match=r"a\.json: cannot be written: No space left on device"):
        save(EFFECT, path)
    assert [file.name for file in tmp_path.iterdir()] == ["a.json"]
    assert path.read_text() == "old"


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path):
    with pytest.raises(
        DocumentError, match=r"a\.json: cannot be written: No such file or directory"
    ):
        save(EFFECT, tmp_path / "nowhere" / "a.json")
    with pytest.raises(DocumentError, match="cannot be written: 'utf-8' codec can't encode"):
        save(Effect("a", [Emitter("b", sprite=Sprite("\udc80.png"))]), tmp_path / "a.json")
    assert not list(tmp_path.iterdir())


def test_a_save_through_a_link_keeps_the_link(tmp_path: Path):
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    real.write_text("old")
    link.symlink_to(real)
    save(EFFECT, link)

    assert link.is_symlink()
    assert load(real) == load(link) == EFFECT


def test_ranges_and_colours_in_a_document_read_back_as_such():
    fields = {"lifetime": [1, 2], "color": [1, 0.5, 0], "size_over_life": [[0, 1], [1, 0]]}
    emitter = parse(json.dumps(LEAST | {"emitters": [{"name": "b", **fields}]})).emitters[0]

    assert emitter.lifetime == Range(1, 2)
    assert emitter.color == RGBA(1, 0.5, 0, 1)
