"""Numbers, ranges, vectors, colours and curves: what they accept and what they hold."""

from __future__ import annotations

import copy
import dataclasses
import math
import pickle
from fractions import Fraction
from typing import Annotated, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyglm import glm

from gpuparticles.effect import (
    RGBA,
    Color,
    ColorOverLife,
    Curve,
    Direction,
    Gradient,
    OverLife,
    Range,
    Scalar,
    Vec3,
    Vector,
    description,
    rgba,
    span,
)
from gpuparticles.effect.rules import Number
from gpuparticles.effect.values import BirthColor, Lifetime, OptionalOverLife, OptionalVelocity
from gpuparticles.errors import EffectError

VALUE = "a value is a finite number"
PAIR = ", or a pair (low, high)"
COMPONENT = "a component is a finite number"
LIFETIME = 'a lifetime is 0 or more seconds, or "inf"'
LOOP = ", a pair (low, high), or a list of stops [t, value]"
VECTOR = "a vector has 3 components"
COLOUR = 'a colour is "#rrggbb", "#rrggbbaa", or 3 or 4 numbers'
TIME = "the time of a stop is 0 to 1 of the whole"


@description
class Holder:
    """One field of every type."""

    number: float = 0.0
    count: int = 0
    flag: bool = False
    text: str = "x"
    scalar: Scalar = 0.0
    lifetime: Lifetime = 1.0
    vec3: Vec3 = (0.0, 0.0, 0.0)
    direction: Direction = (0.0, 1.0, 0.0)
    vector: Vector = (0.0, 0.0, 0.0)
    maybe_vector: OptionalVelocity = None
    color: Color = "#ffffff"
    over_life: OverLife = 1.0
    maybe_over_life: OptionalOverLife = None
    color_over_life: ColorOverLife = "#ffffff"


def held(field: str, value: Any) -> Any:
    return getattr(Holder(**{field: value}), field)


def refusal(field: str, value: Any) -> str:
    with pytest.raises(EffectError) as error:
        Holder(**{field: value})
    return str(error.value).removeprefix("Holder: ")


# Numbers


@pytest.mark.parametrize(
    "given_number",
    [3, 3.0, np.float32(3), np.float64(3), np.int64(3), np.uint8(3), np.array(3.0), Fraction(3)],
    ids=lambda value: type(value).__name__,
)
def test_every_kind_of_number_is_held_as_a_float(given_number: Any):
    value = held("number", given_number)

    assert type(value) is float
    assert value == 3.0


@pytest.mark.parametrize("given_number", [7, 7.0, np.int32(7), np.float32(7)])
def test_a_whole_number_is_held_as_an_int(given_number: Any):
    """3.0 is whole: JSON does not tell it from 3."""
    value = held("count", given_number)

    assert type(value) is int
    assert value == 7


@pytest.mark.parametrize(
    ("field", "value", "place", "sentence"),
    [
        ("number", True, "", f"true is not a number; {VALUE}"),
        ("number", np.True_, "", f"true is not a number; {VALUE}"),
        ("number", "3", "", f'"3" is not a number; {VALUE}'),
        ("number", None, "", f"null is not a number; {VALUE}"),
        ("number", [1], "", f"[1] is not a number; {VALUE}"),
        ("number", 1j, "", f"an object of type complex is not a number; {VALUE}"),
        ("number", float, "", f"the class float is not a number; {VALUE}"),
        ("number", math.nan, "", f"NaN is not a number; {VALUE}"),
        ("number", math.inf, "", f"inf is not finite; {VALUE}"),
        ("number", -math.inf, "", f"-inf is not finite; {VALUE}"),
        ("number", 1e39, "", f"1e+39 does not fit in 32 bits; {VALUE}"),
        ("number", 10**400, "", f"a huge number does not fit in 32 bits; {VALUE}"),
        ("number", -(10**400), "", f"a huge number does not fit in 32 bits; {VALUE}"),
        ("count", 1.5, "", "1.5 is not a whole number; a value is a whole number"),
        ("count", True, "", "true is not a number; a value is a whole number"),
        ("flag", 1, "", "1 is not true or false"),
        ("flag", "yes", "", '"yes" is not true or false'),
        ("text", 3, "", "3 is not text; a text is text"),
        ("text", "  ", "", '"  " is empty; a text has at least one character'),
        ("lifetime", -2, "", f"-2 is negative; {LIFETIME}"),
        ("lifetime", -math.inf, "", f"-inf is not finite; {LIFETIME}"),
        ("lifetime", "infinite", "", f'"infinite" is not a number; {LIFETIME}{LOOP}'),
        ("lifetime", (1, math.inf), "[1]", "inf is not finite; a lifetime is 0 or more seconds"),
        ("lifetime", (1, "inf"), "[1]", '"inf" is not a number; a lifetime is 0 or more seconds'),
        ("scalar", (2, 1), "", "low 2 is above high 1; a range is (low, high)"),
        ("scalar", (1, 2, 3), "", f"[1, 2, 3] is not a number or a pair (low, high); {VALUE}"),
        ("scalar", "3", "", f'"3" is not a number; {VALUE}{PAIR}'),
        ("scalar", {1, 2}, "", f"an object of type set is not a number; {VALUE}{PAIR}"),
        ("vec3", (1, 2), "", f"[1, 2] is not a vector; {VECTOR}"),
        ("vec3", 3, "", f"3 is not a vector; {VECTOR}"),
        ("vec3", "xyz", "", f'"xyz" is not a vector; {VECTOR}'),
        ("vec3", (1, 2, (3, 4)), "[2]", f"[3, 4] is not a number; {COMPONENT}"),
        ("vec3", np.array([0, np.nan, 0]), "[1]", f"NaN is not a number; {COMPONENT}"),
        ("direction", (0, 0, 0), "", "[0, 0, 0] has no direction; a direction may not be zero"),
        ("vector", (1, 2, (3, 1)), "[2]", "low 3 is above high 1; a range is (low, high)"),
        ("color", "#ff", "", f'"#ff" is not a colour; {COLOUR}'),
        ("color", "#fffff", "", f'"#fffff" is not a colour; {COLOUR}'),
        ("color", "red", "", f'"red" is not a colour; {COLOUR}'),
        ("color", "#gggggg", "", f'"#gggggg" is not a colour; {COLOUR}'),
        ("color", "#ffffff\n", "", f'"#ffffff\\n" is not a colour; {COLOUR}'),
        ("color", (1, 1), "", f"[1, 1] is not a colour; {COLOUR}"),
        ("color", (1, -1, 1), "[1]", "-1 is negative; a colour channel is 0 or more"),
        ("color", (1, 1, 1, 1.5), "[3]", "1.5 is more than 1; an alpha is 0 to 1"),
        ("over_life", [], "", "an empty list has no stops; at least one stop [t, value] is needed"),
        ("over_life", "x", "", f'"x" is not a number; {VALUE}'),
        ("over_life", [(0, 1, 2)], "[0]", "[0, 1, 2] is not a stop; a stop is [t, value]"),
        ("over_life", [(0, 1), (1.5, 2)], "[1][0]", f"1.5 is more than 1; {TIME}"),
        ("over_life", [(-0.5, 1)], "[0][0]", f"-0.5 is negative; {TIME}"),
        (
            "over_life",
            [(0, 1), (0.6, 2), (0.4, 3)],
            "[2][0]",
            "stop 2 at 0.4 lies before stop 1 at 0.6; stops must ascend",
        ),
        ("over_life", [(0, math.nan)], "[0][1]", f"NaN is not a number; {VALUE}"),
        (
            "color_over_life",
            [],
            "",
            "an empty list has no stops; at least one stop [t, colour] is needed",
        ),
        ("color_over_life", [(0, "#ff")], "[0][1]", f'"#ff" is not a colour; {COLOUR}'),
        (
            "color_over_life",
            [(0, (1, 1, 1, 2))],
            "[0][1][3]",
            "2 is more than 1; an alpha is 0 to 1",
        ),
        (
            "color_over_life",
            [(1, "#000000"), (0, "#000000")],
            "[1][0]",
            "stop 1 at 0 lies before stop 0 at 1; stops must ascend",
        ),
    ],
)
def test_what_is_refused_is_said_in_one_sentence(field: str, value: Any, place: str, sentence: str):
    assert refusal(field, value) == f"{field}{place}: {sentence}"


def test_all_that_a_value_has_wrong_is_said_at_once():
    assert refusal("scalar", (True, "x")).split("\nHolder: ") == [
        f"scalar[0]: true is not a number; {VALUE}",
        f'scalar[1]: "x" is not a number; {VALUE}',
    ]
    assert refusal("over_life", [0, (2, "x")]).split("\nHolder: ") == [
        "over_life[0]: 0 is not a stop; a stop is [t, value]",
        f"over_life[1][0]: 2 is more than 1; {TIME}",
        f'over_life[1][1]: "x" is not a number; {VALUE}',
    ]


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        (Number(), "a value is a finite number"),
        (Number("a rate", "1/s", least=0), "a rate is 0 or more 1/s"),
        (Number("an angle", "degrees", least=-90, most=90), "an angle is -90 to 90 degrees"),
        (Number("a debt", most=-1), "a debt is a finite number up to -1"),
        (Number("a count", whole=True), "a count is a whole number"),
        (Number("a count", whole=True, least=2), "a count is a whole number, 2 or more"),
        (Number("a count", whole=True, least=2, most=9), "a count is a whole number from 2 to 9"),
    ],
)
def test_a_number_says_what_it_allows(rule: Number, sentence: str):
    assert str(rule) == sentence


def test_limits_hold_on_the_negative_side():
    rule = Number(most=-1)

    assert rule.read(-5) == -5.0
    with pytest.raises(ValueError, match="0 is more than -1"):
        rule.read(0)


# Ranges


@pytest.mark.parametrize(
    "pair", [(2, 6), [2, 6], np.array([2, 6]), Range(2, 6), glm.vec2(2, 6)], ids=repr
)
def test_a_pair_reads_back_as_a_range(pair: Any):
    assert held("scalar", pair) == Range(2.0, 6.0)


def test_a_range_is_its_two_ends():
    assert tuple(Range(1, 2)) == (1.0, 2.0)
    assert span(Range(1, 2)) == (1.0, 2.0)
    assert span(3.0) == (3.0, 3.0)
    assert Range(1, 1) == Range(1.0, 1.0)
    assert repr(Range(1, 2)) == "Range(low=1.0, high=2.0)"


@pytest.mark.parametrize(
    ("low", "high", "sentence"),
    [
        (2, 1, "Range: low 2 is above high 1; a range is (low, high)"),
        (math.nan, 1, "Range: low: NaN is not a number; a value is a finite number"),
        (0, math.inf, "Range: high: inf is not finite; a value is a finite number"),
    ],
)
def test_a_range_refuses_what_is_none(low: float, high: float, sentence: str):
    with pytest.raises(EffectError) as error:
        Range(low, high)

    assert str(error.value) == sentence


@pytest.mark.parametrize("forever", [math.inf, "inf", np.float32(np.inf)])
def test_a_lifetime_may_be_infinite(forever: Any):
    assert held("lifetime", forever) == math.inf


# Vectors


@pytest.mark.parametrize(
    "vector",
    [(1, 2, 3), [1, 2, 3], np.array([1, 2, 3], np.float32), glm.vec3(1, 2, 3), range(1, 4)],
    ids=lambda value: type(value).__name__,
)
def test_whatever_iterates_over_three_numbers_is_a_vector(vector: Any):
    assert held("vec3", vector) == (1.0, 2.0, 3.0)
    assert held("direction", vector) == (1.0, 2.0, 3.0)


def test_a_vector_takes_a_range_in_any_component():
    assert held("vector", (1, (2, 3), Range(-1, 1))) == (1.0, Range(2, 3), Range(-1, 1))
    assert held("maybe_vector", (1, 2, 3)) == (1.0, 2.0, 3.0)
    assert held("maybe_vector", None) is None


# Colours


@pytest.mark.parametrize(
    ("color", "channels"),
    [
        ("#ff8000", (1, 128 / 255, 0, 1)),
        ("#FF800040", (1, 128 / 255, 0, 64 / 255)),
        ("#f80", (1, 136 / 255, 0, 1)),
        ("#F804", (1, 136 / 255, 0, 68 / 255)),
        ((0.25, 0.5, 1), (0.25, 0.5, 1, 1)),
        ([8, 0, 0, 0.5], (8, 0, 0, 0.5)),
        (np.array([1.0, 0.5, 0.25, 0.0]), (1, 0.5, 0.25, 0)),
        (RGBA(1, 2, 3, 1), (1, 2, 3, 1)),
    ],
    ids=repr,
)
def test_a_colour_reads_back_as_four_straight_channels(color: Any, channels: tuple[float, ...]):
    value = held("color", color)

    assert type(value) is RGBA
    assert value == channels


def test_a_colour_outside_of_a_description_is_read_as_in_one():
    assert rgba("#f80", "tint") == (1, 136 / 255, 0, 1)
    assert rgba((2, 0.5, 0), "tint") == RGBA(2, 0.5, 0, 1)
    assert rgba(np.array([0, 1, 0, 0.5], np.float32), "tint") == (0, 1, 0, 0.5)

    with pytest.raises(EffectError) as error:
        rgba("red", "tint")
    assert str(error.value) == f'tint: "red" is not a colour; {COLOUR}'
    with pytest.raises(EffectError) as error:
        rgba((1, -1, 1, 2), "tint")
    assert str(error.value).splitlines() == [
        "tint[1]: -1 is negative; a colour channel is 0 or more",
        "tint[3]: 2 is more than 1; an alpha is 0 to 1",
    ]


# Curves


def curve(*stops: tuple[float, float]) -> Curve:
    return Curve(stops)


def at(curve: Curve | Gradient, *t: float) -> list[Any]:
    return curve.sample(np.array(t, np.float32)).tolist()


def test_a_number_is_a_curve_that_never_changes():
    assert held("over_life", 2) == curve((0, 2))
    assert at(held("over_life", 2), 0, 0.5, 1) == [2, 2, 2]


def test_a_curve_or_its_stops_may_be_given():
    stops = [(0, 1), (1, 0)]

    assert held("over_life", stops) == held("over_life", Curve(stops)) == Curve(stops)
    assert held("over_life", np.array(stops)) == Curve(stops)
    assert held("maybe_over_life", stops) == Curve(stops)
    assert held("maybe_over_life", None) is None


def test_a_curve_is_linear_between_stops_and_holds_outside():
    ramp = curve((0.25, 1), (0.75, 3))

    assert at(ramp, 0, 0.25, 0.375, 0.5, 0.75, 1) == [1, 1, 1.5, 2, 3, 3]


def test_one_stop_is_constant():
    assert at(curve((0.5, 7)), 0, 0.5, 1) == [7, 7, 7]
    assert curve((0.5, 7)).segments().tolist() == [[0.5, 0, 7, 7]]


def test_two_stops_at_one_time_are_a_step_at_which_the_later_holds():
    step = curve((0, 1), (0.5, 1), (0.5, 5), (1, 5))
    before = np.nextafter(np.float32(0.5), np.float32(0))

    assert at(step, 0, float(before), 0.5, 1) == [1, 1, 5, 5]
    assert step.segments().tolist() == [[0, 2, 1, 1], [0.5, 2, 5, 5]]


def test_a_step_at_the_last_stop_is_reached():
    step = curve((0, 1), (1, 2), (1, 9))

    assert at(step, 0.5, 1) == [1.5, 9]
    assert step.segments().tolist() == [[0, 1, 1, 2], [1, 0, 9, 9]]


def test_a_step_at_the_first_stop_holds_the_first_value_before_it():
    step = curve((0.5, 3), (0.5, 1), (1, 2))

    assert at(step, 0, 0.25, 0.5, 0.75) == [3, 3, 1, 1.5]
    assert step.segments().tolist() == [[0, 0, 3, 3], [0.5, 2, 1, 2]]


def test_a_step_alone_is_a_step():
    step = curve((0.5, 3), (0.5, 4), (0.5, 1))

    assert at(step, 0, 0.5, 1) == [3, 1, 1]
    assert at(curve((0, 3), (0, 1)), 0, 1) == [1, 1]


def test_stops_closer_than_a_float_can_tell_are_a_step():
    step = curve((0, 1), (0.5, 1), (0.5 + 1e-12, 5), (1, 5))

    assert np.isfinite(step.segments()).all()
    assert at(step, 0.5) == [5]
    assert np.isfinite(curve((0, 1), (1e-45, 2), (1, 3)).segments()).all()


def test_the_value_at_a_quarter_of_a_ramp_is_a_quarter():
    (value,) = at(curve((0, 0), (1, 1)), 0.25)

    assert value == pytest.approx(0.25, abs=1 / 512)


times = st.lists(st.integers(0, 1000), min_size=1, max_size=8).map(sorted)


@given(times, st.data())
def test_a_curve_is_exact_at_its_stops_and_linear_between(ticks: list[int], data: st.DataObject):
    values = data.draw(
        st.lists(st.floats(-1e6, 1e6, width=32), min_size=len(ticks), max_size=len(ticks))
    )
    stops = [(tick / 1000, value) for tick, value in zip(ticks, values, strict=True)]
    made = Curve(stops)
    last_at = dict(stops)  # of several stops at one time the last holds

    assert at(made, *last_at) == list(last_at.values())
    assert at(made, 0, 1) == [last_at.get(0.0, values[0]), values[-1]]
    between = [tick / 1000 + 0.0005 for tick in range(0, 1000, 7)]
    scale = max(abs(value) for value in values)
    assert at(made, *between) == pytest.approx(
        [by_hand(stops, t) for t in between], rel=0, abs=2e-4 * scale
    )


def by_hand(stops: list[tuple[float, float]], t: float) -> float:
    """The value of a curve, from its definition."""
    after = next((index for index, stop in enumerate(stops) if stop[0] > t), len(stops))
    if after in (0, len(stops)):
        return stops[0 if after == 0 else -1][1]
    (t0, v0), (t1, v1) = stops[after - 1], stops[after]
    return v0 + (v1 - v0) * (t - t0) / (t1 - t0)


@given(times, st.data())
def test_segments_ascend_and_evaluate_to_the_same(ticks: list[int], data: st.DataObject):
    """The documented way to read the rows, in plain Python, gives what `sample` gives."""
    stops = [(tick / 1000, data.draw(st.integers(-9, 9))) for tick in ticks]
    made = Curve(stops)
    rows = made.segments()

    assert rows.dtype == np.float32
    assert (np.diff(rows[:, 0]) > 0).all()
    for t in np.float32([0, 0.1, 0.123, 0.5, 0.77, 0.999, 1]):
        t0, inverse, v0, v1 = (
            [row for row in rows if row[0] <= t][-1] if t >= rows[0, 0] else rows[0]
        )
        f = min(max((t - t0) * inverse, np.float32(0)), np.float32(1))
        assert at(made, float(t)) == [v0 * (1 - f) + v1 * f]


@given(st.integers(0, 999), st.integers(1, 1000))
def test_a_segment_ends_exactly(start: int, length: int):
    """At its last instant the factor of a segment is 1, not a little less."""
    end = min(start + length, 1000)
    t0, inverse, _, _ = curve((start / 1000, 0), (end / 1000, 1)).segments()[0]

    assert (np.float32(end / 1000) - t0) * inverse >= 1


def test_sampling_keeps_the_shape():
    assert curve((0, 1)).sample(np.zeros((2, 3), np.float32)).shape == (2, 3)
    assert curve((0, 1), (1, 0)).sample(np.zeros(0, np.float32)).shape == (0,)


# Gradients


def test_a_colour_is_a_gradient_that_never_changes():
    red = Gradient([(0, "#ff0000")])

    assert held("color_over_life", "#ff0000") == red
    assert held("color_over_life", (1, 0, 0)) == red
    assert held("color_over_life", np.array([1, 0, 0, 1])) == red
    assert held("color_over_life", red) == red
    assert at(red, 0, 1) == [[1, 0, 0, 1], [1, 0, 0, 1]]


def test_a_gradient_is_linear_in_each_straight_channel():
    gradient = Gradient([(0, (8, 0, 0, 1)), (0.5, (0, 1, 0, 1)), (1, (0, 0, 0, 0))])

    assert at(gradient, 0, 0.25, 0.5, 0.75, 1) == [
        [8, 0, 0, 1],
        [4, 0.5, 0, 1],
        [0, 1, 0, 1],
        [0, 0.5, 0, 0.5],
        [0, 0, 0, 0],
    ]


def test_a_gradients_segments_have_three_rows_each():
    gradient = Gradient([(0, "#ff0000"), (0.5, "#00ff00"), (0.5, "#0000ff")])

    assert gradient.segments().dtype == np.float32
    assert gradient.segments().tolist() == [
        [0, 2, 0, 0],
        [1, 0, 0, 1],
        [0, 1, 0, 1],
        [0.5, 0, 0, 0],
        [0, 0, 1, 1],
        [0, 0, 1, 1],
    ]
    assert at(gradient, 0.5) == [[0, 0, 1, 1]]


# Descriptions


def test_a_description_is_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Range(1, 2).low = 3


def test_equal_descriptions_are_equal_hash_alike_and_survive_copies():
    one, other = Curve([(0, 1), (1, 0)]), Curve(np.array([[0, 1], [1, 0]]))

    assert one == other
    assert hash(one) == hash(other)
    assert one != Curve([(0, 1)])
    assert pickle.loads(pickle.dumps(one)) == copy.deepcopy(one) == one
    assert dataclasses.replace(Range(1, 2), high=3) == Range(1, 3)
    with pytest.raises(EffectError, match="low 5 is above high 2"):
        dataclasses.replace(Range(1, 2), low=5)


def test_a_repr_shows_what_is_not_at_its_default():
    assert repr(Holder()) == "Holder()"
    assert (
        repr(Holder(count=3, scalar=(1, 2))) == "Holder(count=3, scalar=Range(low=1.0, high=2.0))"
    )
    assert eval(repr(Range(1, 2))) == Range(1, 2)


def test_defaults_are_read_like_anything_else():
    assert Holder().color == RGBA(1, 1, 1, 1)
    assert Holder().over_life == Curve([(0, 1)])


@pytest.mark.parametrize(
    ("call", "sentences"),
    [
        (lambda: Range(1), ["high: nothing is given, and it has no default"]),
        (
            lambda: Range(1, 2, 3),
            ["3 values are given by position; it takes at most 2 (low, high)"],
        ),
        (lambda: Range(1, low=2), ["low: given by position and by name"]),
        (
            lambda: Range(1, hihg=2),
            [
                "high: nothing is given, and it has no default",
                'hihg: unknown field "hihg"; did you mean "high"?',
            ],
        ),
        (lambda: Range(1, 2, zzz=2), ['zzz: unknown field "zzz"; known fields: low, high']),
        (
            lambda: Range("a", "b"),
            [f'low: "a" is not a number; {VALUE}', f'high: "b" is not a number; {VALUE}'],
        ),
    ],
)
def test_a_constructor_names_the_field_of_every_mistake(call: Any, sentences: list[str]):
    with pytest.raises(EffectError) as error:
        call()

    assert str(error.value).splitlines() == [f"Range: {sentence}" for sentence in sentences]


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: Curve(3), "Curve: stops: 3 is not a list of stops; a stop is [t, value]"),
        (
            lambda: Curve([(0, 1), (0.5, "x")]),
            'Curve: stops[1][1]: "x" is not a number; a value is a finite number',
        ),
        (
            lambda: Gradient("#ffffff"),
            'Gradient: stops: "#ffffff" is not a list of stops; a stop is [t, colour]',
        ),
    ],
)
def test_curves_and_gradients_name_the_stop_of_a_mistake(call: Any, sentence: str):
    with pytest.raises(EffectError) as error:
        call()

    assert str(error.value) == sentence


@pytest.mark.parametrize(
    ("annotation", "limit"),
    [
        (float, "a value is a finite number"),
        ("float", "a value is a finite number"),
        (Annotated[float, Number("a depth", least=0)], "a depth is 0 or more"),
        ('Annotated[float, Number("a depth", least=0)]', "a depth is 0 or more"),
    ],
)
def test_a_field_has_its_own_rule_or_that_of_a_plain_number(annotation: Any, limit: str):
    members = {"__annotations__": {"x": annotation}, "x": 0.0, "__module__": __name__}
    made = description(type("Made", (), members))

    assert made(np.float32(2)).x == 2.0
    with pytest.raises(EffectError, match=f"Made: x: true is not a number; {limit}"):
        made(x=True)


# Interpolation


def test_a_smooth_curve_is_level_at_its_stops_and_exact_there():
    curve = Curve([(0, 1), (0.5, 3), (1, 0)], "smooth")
    t = np.array([0, 0.125, 0.25, 0.5, 0.75, 1], np.float32)

    assert curve.sample(t).tolist() == [1, 1 + 2 * 0.15625, 2, 3, 1.5, 0]
    assert np.abs(curve.sample(np.float32([1e-3, 0.499])) - [1, 3]).max() < 1e-4


def test_a_step_holds_until_the_next_stop():
    curve = Curve([(0.25, 1), (0.5, 0.1), (0.5, 7), (1, 2)], "step")
    t = np.array([0, 0.25, 0.4999, 0.5, 0.9999, 1], np.float32)

    assert curve.sample(t).tolist() == [1, 1, 1, 7, 7, 2]


@pytest.mark.parametrize("interpolation", ["linear", "smooth", "step"])
def test_the_mean_of_a_curve_is_that_of_its_values(interpolation: Any):
    curve = Curve([(0.125, 1), (0.5, 3), (0.5, 7), (0.75, 0)], interpolation)
    t = np.float32((np.arange(8192) + 0.5) / 8192)

    assert curve.mean == pytest.approx(float(curve.sample(t).mean()), abs=1e-5)


def test_interpolation_is_kept_by_fields_and_by_factors():
    smooth = held("over_life", Curve([(0, 1), (1, 2)], "smooth"))

    assert smooth.interpolation == smooth.times(3).interpolation == "smooth"
    assert smooth.times(3).stops == ((0, 3), (1, 6))
    as_written = {"stops": [[0, 1], [1, 2]], "interpolation": "smooth"}
    assert held("over_life", as_written) == smooth
    assert held("color_over_life", {"stops": [(0, "#fff")]}) == Gradient([(0, "#fff")])


# Values of a birth


@description
class Born:
    """What only a birth has."""

    color: BirthColor = "#ffffff"
    lifetime: Lifetime = 1.0


def test_a_curve_over_the_loop_is_one_unless_it_is_a_constant():
    assert Born(lifetime=[(0, 1), (1, 2)]).lifetime == Curve([(0, 1), (1, 2)])
    assert Born(lifetime=[(0.3, 2)]).lifetime == 2.0
    assert Born(lifetime=[1, 2]).lifetime == Range(1, 2)
    assert span(Born(lifetime=[(0, 1), (0.5, 5), (1, 2)]).lifetime) == (1, 5)


def test_a_colour_at_birth_is_one_or_a_gradient_or_one_of_several():
    red, green = RGBA(1, 0, 0, 1), RGBA(0, 1, 0, 1)

    for one in ("#f00", (1, 0, 0), ["#f00"], [(1, 0, 0)], [(0.5, "#f00")]):
        assert Born(color=one).color == red
    for either in (["#f00", "#0f0"], [(1, 0, 0), (0, 1, 0, 1)], ["#f00", (0, 1, 0)]):
        assert Born(color=either).color == Gradient([(0, red), (0.5, green)], "step")
    for ramp in ([(0, "#f00"), (1, "#0f0")], {"stops": [[0, "#f00"], [1, "#0f0"]]}):
        assert Born(color=ramp).color == Gradient([(0, red), (1, green)])
    bent = Gradient([(0, red), (1, green)], "smooth")
    assert Born(color=bent).color == bent
