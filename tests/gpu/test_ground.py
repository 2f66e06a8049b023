"""Surfaces given by samples: ground by its heights, anything by the distance to it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

import gpuparticles as gp
from gpuparticles.effect import parse
from gpuparticles.playback.reference import Reference

System = Callable[..., gp.ParticleSystem]
One = Callable[..., gp.Effect]
GRAVITY = gp.Acceleration((0, -9.8, 0))


def hills(x: float, z: float) -> float:
    return 0.4 * math.sin(2 * x) + 0.3 * math.cos(3 * z) - 0.1 * x


def ball(x: float, y: float, z: float) -> float:
    return math.hypot(x, y, z) - 1


def wedge(x: float, y: float, z: float) -> float:
    """A plane that rises towards -X, by 30 degrees."""
    return 0.5 * x + math.sqrt(0.75) * y


def thrown(one: One, *modifiers: Any, **settings: Any) -> gp.Effect:
    """Sixty particles that fly about over the origin."""
    given: dict[str, Any] = {
        "bursts": [gp.Burst(count=60)],
        "lifetime": 100,
        "shape": gp.Box((1, 0.2, 1), offset=(0, 2, 0)),
        "speed": (0, 3),
        "spread": 180,
        "modifiers": [GRAVITY, *modifiers],
    }
    return one(**given | settings)


def played(
    particles: gp.ParticleSystem, effect: gp.Effect, seconds: float, rate: int = 60
) -> NDArray[np.void]:
    instance = particles.play(effect, seed=3)
    for _ in range(round(seconds * rate)):
        particles.update(1 / rate)
    return instance["it"].read()


def over(surface: Any, place: NDArray[Any]) -> NDArray[np.float64]:
    """How high places are over ground, as its samples have it."""
    heights = surface.heights.data.astype(np.float64) * surface.scale
    z, x = heights.shape
    away = place - np.array(surface.center)
    u = (away[:, 0] / surface.width + 0.5) * (x - 1)
    v = (away[:, 2] / surface.depth + 0.5) * (z - 1)
    i, j = (np.clip(np.floor(a), 0, n - 2).astype(int) for a, n in ((u, x), (v, z)))
    f, g = u - i, v - j
    near = heights[j, i] * (1 - f) + heights[j, i + 1] * f
    far = heights[j + 1, i] * (1 - f) + heights[j + 1, i + 1] * f
    there = (np.abs(away[:, 0]) <= surface.width / 2) & (np.abs(away[:, 2]) <= surface.depth / 2)
    return np.where(there, away[:, 1] - near * (1 - g) - far * g, np.inf)


@pytest.mark.parametrize("friction", [0, 0.4])
@pytest.mark.parametrize("slope", [0.0, 0.4])
def test_even_ground_is_a_plane(system: System, one: One, slope: float, friction: float) -> None:
    """Level or not, with a radius or none, however many cells it has."""
    look = {"friction": friction, "restitution": 0.4, "particle_radius": 0.1}
    plane = gp.CollidePlane((-slope, 1, 0), **look)
    heights = [[slope * x for x in range(-15, 16)]] * 5
    ground = gp.CollideHeight(heights, 30, 30, **look)
    found, expected = (played(system(), thrown(one, it), 2) for it in (ground, plane))

    assert np.abs(expected["position"][:, 0]).max() < 15
    assert found["position"] == pytest.approx(expected["position"], abs=2e-3)
    assert found["velocity"] == pytest.approx(expected["velocity"], abs=2e-2)


@pytest.mark.parametrize(
    "surface",
    [
        gp.CollideHeight(np.zeros((3, 3)), restitution=0.5),
        gp.CollideField.of(lambda x, y, z: y, (2, 3, 2), samples=(4, 6, 4), restitution=0.5),
    ],
    ids=lambda surface: surface.kind,
)
@pytest.mark.parametrize("rate", [30, 144])
def test_a_bounce_reaches_the_square_of_its_restitution(
    system: System, one: One, surface: Any, rate: int
) -> None:
    effect = thrown(one, surface, speed=0, shape=gp.Point(offset=(0.1, 2, 0.2)))
    particles = system()
    instance = particles.play(effect)
    heights = []
    for _ in range(round(1.2 * rate)):
        particles.update(1 / rate)
        heights.append(instance["it"].read()["position"][0, 1])
    fall = math.sqrt(2 * 2 / 9.8)

    assert max(heights[math.ceil(fall * rate) :]) == pytest.approx(0.5, abs=0.01)
    assert min(heights) >= -1e-6


def test_distances_of_a_ball_are_a_sphere(system: System, one: One) -> None:
    """As far as cells of a twentieth of a unit are: one bounce to the side."""
    field = gp.CollideField.of(ball, (1.2, 1.2, 1.2), samples=(49, 49, 49))
    found, expected = (
        played(system(), thrown(one, it, speed=0), 0.55) for it in (field, gp.CollideSphere())
    )

    assert np.abs(expected["velocity"][:, 0]).max() > 2
    assert found["position"] == pytest.approx(expected["position"], abs=0.03)


@pytest.mark.parametrize("rate", [30, 144])
def test_nobody_is_ever_below_the_ground(system: System, one: One, rate: int) -> None:
    """At 100 units/s, over hills and down to their sharpest corners."""
    hill = gp.CollideHeight.of(hills, 30, 30, samples=(80, 60), restitution=0.6)
    rough = np.random.default_rng(3).uniform(-1, 1, (40, 30))
    for ground in (hill, gp.CollideHeight(rough, 30, 30, friction=0.3)):
        effect = thrown(one, ground, speed=(10, 100), bursts=[gp.Burst(count=300)])
        particles = system()
        instance = particles.play(effect)
        for _ in range(rate // 2):
            particles.update(1 / rate)
            place = instance["it"].read()["position"]
            skin = 4e-6 * (1 + np.abs(place).sum(axis=1))
            # Beside the rectangle whoever has flown off it falls.
            edge = np.abs(place[:, ::2]).max(axis=1) > 14.99
            assert np.all((over(ground, place) >= -skin) | edge)


def test_a_ridge_is_met_in_flight(system: System, one: One) -> None:
    """A wall a cell thick, at 3.3 units a step: what flies level against it is thrown back."""
    heights = np.zeros((3, 201))
    heights[:, 100:102] = 3
    ground = gp.CollideHeight(heights, 20, 4, restitution=1)
    effect = thrown(
        one,
        shape=gp.Box((0, 0.5, 0.5), offset=(-5.04, 1.5, 0)),
        velocity=((90, 100), 0, 0),
        spread=0,
        modifiers=[ground],
    )
    found = played(system(), effect, 0.1, 30)

    assert np.all(found["position"][:, 0] < 0)
    assert np.all(found["velocity"][:, 0] < 0)


@pytest.mark.parametrize("speed", [3, 100])
def test_nothing_gets_through_a_plate_of_distances(system: System, one: One, speed: float) -> None:
    """A little thicker than its cells, at 3.3 units a step."""
    plate = gp.CollideField.of(
        lambda x, y, z: abs(y) - 0.06, (1, 1, 1), samples=(3, 21, 3), center=(0, 0.013, 0)
    )
    effect = thrown(
        one,
        shape=gp.Point(offset=(0.1, 1.234, 0.2)),
        velocity=(0, (-speed, -0.9 * speed), 0),
        spread=0,
        modifiers=[plate],
    )
    particles = system()
    instance = particles.play(effect)
    for _ in range(30):
        particles.update(1 / 30)
        assert instance["it"].read()["position"][:, 1].min() > 0.03
    assert np.all(instance["it"].read()["velocity"][:, 1] > 0)


SLOPES = [
    gp.CollideHeight([[-4, 4], [-4, 4], [-4, 4]], 16, 16),
    gp.CollideField.of(wedge, (3, 3, 3), samples=(7, 7, 7)),
]


@pytest.mark.parametrize("slope", SLOPES, ids=lambda slope: slope.kind)
def test_friction_holds_what_lies_on_a_slope(system: System, one: One, slope: Any) -> None:
    """To the bit; also on the bent ground of hills, where it has come to lie."""
    held = replace(slope, restitution=0.3, friction=0.6)
    bent = gp.CollideHeight.of(hills, 12, 12, restitution=0.3, friction=0.7)
    for surface in (held, bent):
        effect = thrown(one, surface, speed=0, angular_velocity=90)
        particles = system()
        instance = particles.play(effect)
        for _ in range(240):
            particles.update(1 / 60)
        before = instance["it"].read()
        for _ in range(60):
            particles.update(1 / 30)
        after = instance["it"].read()

        assert np.abs(after["position"]).max() < 4
        assert np.array_equal(before["position"], after["position"])
        assert np.array_equal(before["rotation"], after["rotation"])
        assert not after["velocity"].any()


def test_without_friction_a_slope_is_slid_down(system: System, one: One) -> None:
    """With the acceleration g sin(angle) along it, whatever says where it is."""
    ground = gp.CollideHeight([[2, -2]] * 2, 8, 8, restitution=0)
    field = gp.CollideField.of(
        lambda x, y, z: (0.5 * x + y) / math.sqrt(1.25), (4, 4, 4), samples=(5, 5, 5)
    )
    for surface in (ground, replace(field, restitution=0.0)):
        effect = thrown(one, surface, speed=0, shape=gp.Point())
        found = played(system(), effect, 0.8, 30)
        speed = 0.8 * 9.8 / math.sqrt(5)
        assert np.linalg.norm(found["velocity"], axis=1) == pytest.approx(speed, rel=1e-3)
        assert found["position"][:, 1] == pytest.approx(-0.5 * found["position"][:, 0], abs=1e-4)


def test_beside_the_rectangle_and_the_box_there_is_nothing(system: System, one: One) -> None:
    for surface in (
        gp.CollideHeight([[0, 0], [0, 0]], 1, 1, center=(5, 0, 0)),
        gp.CollideField.of(lambda x, y, z: y, center=(5, 0, 0)),
    ):
        found = played(system(), thrown(one, surface, speed=0), 1.0)
        assert found["position"][:, 1] == pytest.approx(2 - 4.9, abs=0.3)


def test_a_hollow_of_distances_keeps_in(system: System, one: One) -> None:
    """As a sphere from inside; who begins outside is put into it."""
    hollow = gp.CollideField.of(ball, (2, 2, 2), inside=True, friction=0.2)
    found = played(system(), thrown(one, hollow, shape=gp.Sphere(1.4), speed=(0, 30)), 2.0, 30)

    assert np.linalg.norm(found["position"], axis=1).max() < 1.02


@pytest.mark.parametrize("answer", ["stick", "die"])
def test_what_hits_sticks_or_dies(system: System, one: One, answer: Any) -> None:
    for surface in (
        gp.CollideHeight.of(hills, on_hit=answer),
        gp.CollideField.of(ball, (1.5, 1.5, 1.5), on_hit=answer),
    ):
        effect = thrown(one, surface, speed=0, shape=gp.Point(offset=(0.2, 2, 0.1)))
        particles = system()
        instance = particles.play(effect)
        particles.update(1.0)
        before = instance["it"].read()
        particles.update(1.0)
        after = instance["it"].read()
        if answer == "die":
            assert len(before) == 0
        else:
            assert np.array_equal(before["position"], after["position"])
            assert not after["velocity"].any()


def test_a_landscape_of_both_is_the_reference_s(system: System, one: One) -> None:
    """Balls on hills: who bounces, slides and lies where."""
    ground = gp.CollideHeight.of(hills, friction=0.3, particle_radius=0.05)
    field = gp.CollideField.of(ball, (1.5, 1.5, 1.5), samples=(9, 9, 9), friction=0.2)
    effect = thrown(one, ground, field)
    particles = system()
    instance = particles.play(effect, seed=2)
    reference = Reference(effect, seed=2)
    for _ in range(45):
        particles.update(1 / 30)
        reference.update(1 / 30)

    off = np.abs(instance["it"].read()["position"] - reference.read("it")["position"]).max(axis=1)
    # From hit to hit on what is round a difference grows.
    assert np.quantile(off, 0.9) <= 1e-4
    assert off.max() <= 0.1


def test_a_million_units_away_nothing_changes(system: System, one: One) -> None:
    far = np.array((1e6, -1e6, 5e5))
    grounds = [gp.CollideHeight.of(hills, friction=0.2)]
    grounds.append(replace(grounds[0], center=tuple(far)))
    ends = []
    for ground, place in zip(grounds, ((0, 0, 0), far), strict=True):
        particles = system()
        instance = particles.play(thrown(one, ground), transform=tuple(place), seed=3)
        for _ in range(60):
            particles.update(1 / 30)
        ends.append(instance["it"].read()["position"] - place)

    assert ends[1] == pytest.approx(ends[0], abs=1e-4)


# What it takes


def test_a_picture_gives_heights(tmp_path: Path) -> None:
    """Black is 0 and white is 1, of 8 or 16 bits; the top row first; a document names the file."""
    levels = np.array([[0, 51, 255], [102, 0, 0]], np.uint8)
    Image.fromarray(levels).save(tmp_path / "plain.png")
    deep = (levels.astype(np.uint16) * 257).astype(np.uint16)
    Image.fromarray(deep).save(tmp_path / "deep.png")
    expected = gp.CollideHeight([[0, 0.2, 1], [0.4, 0, 0]])
    for given in (tmp_path / "plain.png", tmp_path / "deep.png", Image.fromarray(levels)):
        found = gp.CollideHeight(given)
        assert found.heights.data == pytest.approx(expected.heights.data, abs=1e-6)

    effect = gp.Effect("e", [gp.Emitter("e", modifiers=[gp.CollideHeight(tmp_path / "deep.png")])])
    gp.save(effect, tmp_path / "e.json")
    assert '"deep.png"' in (tmp_path / "e.json").read_text()
    assert gp.load(tmp_path / "e.json") == effect
    inline = gp.Effect("e", [gp.Emitter("e")], modifiers=[expected])
    assert parse(inline.to_json()) == inline


def test_a_function_is_sampled_where_its_ground_lies() -> None:
    ground = gp.CollideHeight.of(
        lambda x, z: 10 * x + z, 4, 2, samples=(3, 2), center=(100, 7, 50), friction=0.5
    )
    assert ground == gp.CollideHeight(
        [[1022, 1042, 1062], [1024, 1044, 1064]], 4, 2, center=(100, 7, 50), friction=0.5
    )
    field = gp.CollideField.of(
        lambda x, y, z: x + 10 * y + 100 * z, (1, 2, 3), samples=(2, 2, 2), center=(1, 0, 0)
    )
    assert field.distances.data[1, 0, 1] == 2 - 20 + 300


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda folder: gp.CollideHeight([[0, 1]]),
            "CollideHeight: heights: 1 x 2 is given; heights are 2 or more by 2 or more numbers, "
            "rows along x; a picture; or the path of a .npy file or a picture",
        ),
        (
            lambda folder: gp.CollideHeight([[0, 1], [math.nan, 0]]),
            "CollideHeight: heights[1][0]: NaN is not finite; heights are finite numbers",
        ),
        (
            lambda folder: gp.CollideHeight(folder / "none.png"),
            "CollideHeight: heights: {folder}/none.png: cannot be read: No such file or directory",
        ),
        (
            lambda folder: gp.CollideHeight(Image.new("L", (0, 0))),
            "CollideHeight: heights: 0 x 0 is given; heights are 2 or more by 2 or more numbers, "
            "rows along x; a picture; or the path of a .npy file or a picture",
        ),
        (
            lambda folder: gp.CollideHeight([[0, 1], [0, 1]], width=0),
            "CollideHeight: width: 0 is less than 1e-06; a side is 1e-06 or more",
        ),
        (
            lambda folder: gp.CollideHeight.of(lambda x, z: math.inf),
            "CollideHeight.of: the function gives inf at (-5, -5)",
        ),
        (
            lambda folder: gp.CollideHeight.of(hills, samples=(1, 4)),
            "CollideHeight.of: samples: [1, 4] are not 2 whole numbers, 2 or more each and up to "
            "4194304 in all",
        ),
        (
            lambda folder: gp.CollideField.of(ball, up=(0, 0, 1)),
            "CollideField.of: up: x, y and z are those of the function",
        ),
        (
            lambda folder: gp.CollideField(np.zeros((3, 3))),
            "CollideField: distances: 3 x 3 is given; distances are 2 or more by 2 or more by "
            "2 or more numbers, or the path of a .npy file",
        ),
    ],
)
def test_what_is_refused(call: Callable[[Path], object], sentence: str, tmp_path: Path) -> None:
    with pytest.raises(gp.EffectError) as error:
        call(tmp_path)
    assert str(error.value) == sentence.format(folder=tmp_path)
