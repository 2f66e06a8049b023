"""What an author says about emission: in which forms, how it is held, and what is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gpuparticles.effect import Burst, Curve, Effect, Emitter, Pulse, Range, parse
from gpuparticles.errors import DocumentError, EffectError

EVERYTHING = Effect(
    "e",
    [
        Emitter(
            "a",
            rate=[(0, 1), (0.5, 20), (1, 0)],
            rate_over_distance=2.5,
            bursts=[Burst(1, (2, 5), cycles=3, interval=0.5, probability=0.25), Burst(2, 7)],
            pulse=Pulse(2, 1, 0.25, 5),
            delay=1.5,
            limit=100,
        ),
        Emitter("b", rate=(2, 6)),
        Emitter("c", rate=3),
    ],
)


def test_every_form_of_a_rate_reads_back_as_one_type() -> None:
    assert Emitter("a", rate=3).rate == 3.0
    assert Emitter("a", rate=(2, 6)).rate == Range(2, 6)
    assert Emitter("a", rate=Range(2, 6)).rate == Range(2, 6)
    curve = Curve([(0, 1), (1, 5)])
    assert Emitter("a", rate=[(0, 1), (1, 5)]).rate == curve
    assert Emitter("a", rate=curve).rate == curve
    # A curve of one stop is a constant, and costs no more than one.
    assert Emitter("a", rate=[(0.3, 4)]).rate == 4.0
    assert Burst(0, (2, 5)).count == Range(2, 5)
    assert Burst(1, 2, cycles=3, interval=0.5).last == 2.0


def test_emission_survives_a_document() -> None:
    text = EVERYTHING.to_json()
    assert parse(text) == EVERYTHING
    first = json.loads(text)["emitters"][0]
    assert first["rate"] == [[0, 1], [0.5, 20], [1, 0]]
    assert first["bursts"][0] == {
        "time": 1,
        "count": [2, 5],
        "cycles": 3,
        "interval": 0.5,
        "probability": 0.25,
    }
    assert first["pulse"] == {"cycle": 2, "active": 1, "interval": 0.25, "count": 5}
    assert json.loads(text)["emitters"][1]["rate"] == [2, 6]


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        (
            {"rate": -1},
            "rate: -1 is negative; a rate is 0 to 100000000 births a second",
        ),
        (
            {"rate": "fast"},
            'rate: "fast" is not a number; a rate is 0 to 100000000 births a second, '
            "a pair (low, high), or a list of stops [t, value]",
        ),
        (
            {"rate": [1, 2, 3]},
            "rate: [1, 2, 3] is not a number or a pair (low, high); "
            "a rate is 0 to 100000000 births a second",
        ),
        ({"rate": [5, 2]}, "rate: low 5 is above high 2; a range is (low, high)"),
        (
            {"rate": [[0, 1], [1, -2]]},
            "rate[1][1]: -2 is negative; a rate is 0 to 100000000 births a second",
        ),
        (
            {"rate": [[0.5, 1], [0.2, 2]]},
            "rate[1][0]: stop 1 at 0.2 lies before stop 0 at 0.5; stops must ascend",
        ),
        (
            {"bursts": [{"count": [1, 2.5]}]},
            "bursts[0].count[1]: 2.5 is not a whole number; "
            "a count is a whole number from 0 to 16777216",
        ),
        (
            {"bursts": [{"cycles": 2}]},
            "bursts[0].interval: 0 is less than 0.001; a burst of 2 cycles needs time between them",
        ),
        (
            {"bursts": [{"cycles": 0}]},
            "bursts[0].cycles: 0 is less than 1; the cycles is a whole number from 1 to 4096",
        ),
        (
            {"bursts": [{"probability": 2}]},
            "bursts[0].probability: 2 is more than 1; a probability is 0 to 1",
        ),
        (
            {"pulse": {"cycle": 1, "active": 2}},
            "pulse.active: 2 is more than the cycle of 1 seconds; the active part lies within it",
        ),
        (
            {"pulse": {"interval": 0.001, "count": 10**6}},
            "pulse.count: 1000000 every 0.001 seconds is too many; "
            "at most 100000000 births a second are allowed",
        ),
        ({"delay": -1}, "delay: -1 is negative; a delay is 0 or more seconds"),
        (
            {"limit": 1.5},
            "limit: 1.5 is not a whole number; "
            "a limit is a whole number from 0 to 2147483647 births",
        ),
        (
            {"rate_over_distance": -1},
            "rate_over_distance: -1 is negative; a rate is 0 to 100000000 births a unit",
        ),
    ],
)
def test_what_is_refused(fields: dict[str, Any], sentence: str) -> None:
    document = {"format": "gpuparticles/1", "name": "a", "emitters": [{"name": "b", **fields}]}
    with pytest.raises(DocumentError) as error:
        parse(json.dumps(document), "x.json")
    assert str(error.value) == f"x.json: emitters[0].{sentence}"


def test_the_last_cycle_lies_within_the_loop() -> None:
    def effect(*, loop: bool, cycles: int) -> Effect:
        burst = Burst(0.5, 3, cycles=cycles, interval=0.25)
        return Effect("e", [Emitter("a", bursts=[Burst(), burst])], duration=1.25, loop=loop)

    effect(loop=True, cycles=3)
    effect(loop=False, cycles=9)
    with pytest.raises(EffectError) as error:
        effect(loop=True, cycles=4)
    assert str(error.value) == (
        "Effect: emitters[0].bursts[1].cycles: the last of 4 cycles would fire at 1.25 seconds; "
        "the loop of 1.25 seconds is over then"
    )
