"""Parameters set while an effect plays: nothing is compiled, and it plays as if built so."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import moderngl
import numpy as np
import pytest

import gpuparticles as gp
from gpuparticles.effect import Range
from gpuparticles.effect.parameters import _SETTLED
from gpuparticles.effect.values import RGBA, Curve, Gradient
from gpuparticles.gpu.programs import Program
from gpuparticles.playback.reference import Reference
from tests.gpu.conftest import assert_same_particles

System = Callable[..., gp.ParticleSystem]


def rich(*parameters: gp.Parameter, **settings: Any) -> gp.Effect:
    """An effect with something of each kind of value in it."""
    return gp.Effect(
        "rich",
        [
            gp.Emitter(
                "it",
                capacity=200,
                **{
                    "rate": 60.0,
                    "lifetime": (0.5, 1.0),
                    "shape": gp.Box((0.5, 0.5, 0.5)),
                    "speed": (1, 2),
                    "rotation": 30.0,
                    "modifiers": [
                        gp.Acceleration((0, -2, 0)),
                        gp.Radial(1.0, center=(0, 1, 0)),
                        gp.Vortex(2.0, center=(1, 0, 0), space="world"),
                    ],
                    **settings,
                },
            )
        ],
        modifiers=[gp.Drag(0.5)],
        parameters=parameters,
    )


def paths(owner: Any, here: str) -> Iterator[tuple[str, Any]]:
    """Every path to a constant in an emitter, and what it holds."""
    if isinstance(owner, (Curve, Gradient)) and len(owner.stops) == 1:
        owner = owner.stops[0][1]
    match owner:
        case bool() | int() | str() | None:
            return
        case float() | RGBA():
            yield here, owner
        case (float(), float(), float()):
            yield here, owner
            yield f"{here}.y", owner[1]
        case Range():
            yield f"{here}.low", owner.low
        case tuple():
            for index, item in enumerate(owner):
                yield from paths(item, f"{here}.{index}")
        case _ if is_dataclass(owner):
            for field in fields(owner):
                if field.name not in _SETTLED:
                    yield from paths(getattr(owner, field.name), f"{here}.{field.name}")


LATE = dict(paths(rich().emitters[0], "emitters.it")) | dict(paths(rich().modifiers, "modifiers"))


def another(value: Any) -> Any:
    """A value that is not the one given, and allowed everywhere."""
    match value:
        case float():
            return 0.75 * value + 0.2
        case RGBA():
            return (0.25, 0.5, 0.75, 0.5)
    return tuple(0.75 * component + 0.2 for component in value)


@pytest.mark.parametrize(
    ("path", "space"),
    [
        *((path, ("world", "local")[index % 2]) for index, path in enumerate(LATE)),
        *(
            (path, ("local", "world")[index % 2])
            for index, path in enumerate(LATE)
            if "cent" in path
        ),
    ],
)
def test_whatever_is_set_plays_as_the_reference_does(
    system: System, ctx: moderngl.Context, monkeypatch: pytest.MonkeyPatch, path: str, space: str
) -> None:
    """From the moment of setting, while it moves; and from the start, it is an effect built so."""
    value = LATE[path]
    limits = (0.2, 1.0) if ".lifetime" in path else None
    effect = rich(gp.Parameter("p", value, limits, binds=[path]), space=space)
    particles = system()
    playing = particles.play(effect, seed=1)
    fresh = particles.play(effect, seed=1)
    reference = Reference(effect, seed=1)
    programs = particles.stats.programs
    monkeypatch.setattr(Program, "__init__", _never)
    fresh.parameters["p"] = another(value)
    for step in range(30):
        if step == 15:
            playing.parameters["p"] = reference.parameters["p"] = another(value)
        place = (0.05 * step, 0, 0)
        playing.transform = reference.transform = fresh.transform = place
        particles.update(1 / 30)
        reference.update(1 / 30)
    assert particles.stats.programs == programs
    assert len(playing["it"].read()) > 10
    assert_same_particles(playing["it"].read(), reference.read("it"))
    monkeypatch.undo()
    built = Reference(effect.with_parameters({"p": another(value)}), seed=1)
    for step in range(30):
        built.transform = (0.05 * step, 0, 0)
        built.update(1 / 30)
    assert_same_particles(fresh["it"].read(), built.read("it"))


def _never(*_: object) -> None:
    raise AssertionError("a program is compiled")


def test_a_value_that_was_none_is_in_use(system: System) -> None:
    """What is 0 at first, or not there at all, is composed as if it were in use."""
    effect = rich(
        gp.Parameter("spin", 0, binds=["emitters.it.angular_velocity"]),
        gp.Parameter("vary", 0, (0, 1), binds=["emitters.it.modifiers.0.variation"]),
        gp.Parameter("fade", 1, binds=["emitters.it.modifiers.1.over_life"]),
        gp.Parameter("launch", (0, 0, 0), binds=["emitters.it.velocity"]),
    )
    particles = system()
    playing, reference = particles.play(effect, seed=2), Reference(effect, seed=2)
    programs = particles.stats.programs
    values = {"spin": 90, "vary": 0.5, "fade": 2, "launch": (1, 2, 3)}
    for step in range(40):
        if step == 10:
            playing.parameters.update(values)
            reference.parameters.update(values)
        if step == 30:
            playing.parameters.update({"spin": 0, "vary": 0})
            reference.parameters.update({"spin": 0, "vary": 0})
        particles.update(1 / 50)
        reference.update(1 / 50)
        if step % 10 == 9:
            assert_same_particles(playing["it"].read(), reference.read("it"))
    assert particles.stats.programs == programs


def test_they_are_a_mapping_that_says_what_it_holds(system: System) -> None:
    effect = rich(
        gp.Parameter("wind", 2, (0, 10), "How hard it blows", ["emitters.it.modifiers.1.strength"]),
        gp.Parameter("tint", "#ff8000", binds=["emitters.it.color"]),
    )
    parameters = system().play(effect).parameters
    parameters["wind"] = np.float32(3)
    assert dict(parameters) == {"wind": 3.0, "tint": RGBA(1, 128 / 255, 0, 1)}
    assert parameters.get("rain") is None
    assert "wind" in parameters
    assert repr(parameters).splitlines() == [
        "<parameters of 'rich': 2>",
        "  wind = 3 (number from 0 to 10, by default 2: How hard it blows)",
        '  tint = "#ff8000" (color, by default "#ff8000")',
    ]


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"wnd": 3}, 'rich: there is no parameter "wnd"; did you mean "wind"?'),
        ({"wind": float("nan")}, "rich: parameters.wind: NaN is not a number; wind is 0 to 10"),
        ({"tint": "#00ff00", "wind": 11}, "rich: parameters.wind: 11 is more than 10"),
    ],
)
def test_what_is_refused_changes_nothing(
    system: System, values: dict[str, Any], sentence: str
) -> None:
    effect = rich(
        gp.Parameter("wind", 2, (0, 10), binds=["emitters.it.modifiers.1.strength"]),
        gp.Parameter("tint", "#ff8000", binds=["emitters.it.color"]),
    )
    particles = system()
    playing = particles.play(effect)
    before = dict(playing.parameters)
    data = bytes(playing["it"]._simulation._data)
    with pytest.raises(gp.EffectError) as error:
        playing.parameters.update(values)
    assert str(error.value).startswith(sentence)
    assert dict(playing.parameters) == before
    assert bytes(playing["it"]._simulation._data) == data
    playing.release()
    with pytest.raises(gp.ContextError, match="released"):
        playing.parameters["wind"] = 3


def test_they_stay_after_a_reset_and_leave_a_rate_that_was_set_by_hand(system: System) -> None:
    effect = rich(
        gp.Parameter("rate", 60, binds=["emitters.it.rate"]),
        gp.Parameter("speed", 1, binds=["emitters.it.speed"]),
        speed=1,
    )
    particles = system()
    playing = particles.play(effect, parameters={"rate": 100})
    assert playing.effect is effect
    playing.reset()
    particles.update(0.5)
    assert (playing.births, playing.parameters["rate"]) == (50, 100.0)
    playing["it"].rate = 0
    playing.parameters["speed"] = 5
    particles.update(0.4)
    assert playing.births == 50


def test_a_snapshot_holds_them(system: System) -> None:
    """What goes on from it goes on with the values that were set."""
    effect = rich(gp.Parameter("pull", 0, (-9, 9), binds=["emitters.it.modifiers.0.value.y"]))
    particles = system()
    playing, other = particles.play(effect, seed=3), particles.play(effect, seed=3)
    playing.parameters["pull"] = -5
    particles.update(0.3)
    other.restore(playing.snapshot())
    assert other.parameters["pull"] == -5
    particles.update(0.3)
    assert np.array_equal(other["it"].read(), playing["it"].read())


def test_a_paused_effect_shows_its_new_colour(
    system: System, picture: Callable[[gp.ParticleSystem], Any]
) -> None:
    """Where nothing steps, drawing sees to it."""
    tint = gp.Parameter("tint", "#ff0000", binds=["emitters.it.color_over_life"])
    particles = system()
    playing = particles.play(rich(tint, size=8))
    particles.update(0.3)
    playing.pause()
    assert picture(particles)[..., :3].max(axis=(0, 1)) == pytest.approx((1, 0, 0), abs=0.01)
    playing.parameters["tint"] = "#0000ff"
    assert picture(particles)[..., :3].max(axis=(0, 1)) == pytest.approx((0, 0, 1), abs=0.01)


def test_bursts_with_values_of_their_own_share_programs(
    system: System, picture: Callable[[gp.ParticleSystem], Any]
) -> None:
    tint = gp.Parameter("tint", "#ff0000", binds=["emitters.it.color"])
    effect = rich(tint, size=4, speed=0)
    particles = system()
    particles.burst(effect, position=(-5, 0, 0))
    programs = particles.stats.programs
    particles.burst(effect, position=(5, 0, 0), parameters={"tint": "#0000ff"})
    assert particles.stats.programs == programs
    particles.update(0.3)
    image = picture(particles)
    assert image[:, :32, :3].max(axis=(0, 1)) == pytest.approx((1, 0, 0), abs=0.01)
    assert image[:, 32:, :3].max(axis=(0, 1)) == pytest.approx((0, 0, 1), abs=0.01)
    with pytest.raises(gp.EffectError, match="there is no parameter"):
        particles.burst(effect, parameters={"tin": 3})
    for values in ([], 3, np.zeros(3)):
        for begin in (particles.play, particles.burst):
            with pytest.raises(gp.EffectError, match="gives no values by name"):
                begin(effect, parameters=values)
