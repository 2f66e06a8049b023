"""Many players of one effect: each as if it were played alone, all of them in few calls."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import moderngl
import numpy as np
import pytest
from numpy.typing import NDArray

import gpuparticles as gp
from gpuparticles.gpu.simulate import Simulation
from gpuparticles.playback.place import place_of
from gpuparticles.playback.places import apart, matrices_of
from tests.gpu.test_bursts import CENTER, PULL, TICK, to_world, transforms

System = Callable[..., gp.ParticleSystem]
One = Callable[..., gp.Effect]
Living = Callable[[Simulation], NDArray[Any]]

FLAME: dict[str, Any] = {**PULL, "capacity": 60, "bursts": [gp.Burst(0.0, 3), gp.Burst(0.25, 5)]}


@pytest.mark.parametrize("space", ["world", "local"])
@pytest.mark.parametrize("pull", ["emitter", "world", "collide"])
@pytest.mark.parametrize("loop", [True, False])
def test_each_behaves_as_if_it_were_alone(
    system: System, one: One, living: Living, space: str, pull: str, loop: bool
) -> None:
    """Turned, stretched, mirrored, and on the move; what each bears is what it would bear alone."""
    rng = np.random.default_rng(1)
    modifiers: list[Any] = {
        "emitter": [CENTER],
        "world": [gp.Acceleration((0, -9.8, 1))],
        "collide": [gp.CollidePlane(point=(0, -0.3, 0), space="emitter")],
    }[pull]
    inherit = {"inherit_velocity": 0.5} if space == "world" else {}
    effect = one(space=space, modifiers=modifiers, **{**FLAME, "loop": loop, **inherit})
    many, alone = system(), system()
    places = transforms(rng, 20, 50.0)
    crowd = many.crowd(effect, places, seeds=range(20))
    singles = [alone.play(effect, transform=place, seed=k) for k, place in enumerate(places)]
    velocity = rng.uniform(-3, 3, (20, 3))
    axis = rng.normal(size=3)
    for frame in range(90):
        # Whole ticks, so that every clock agrees with every other on who is dead.
        dt = rng.integers(200, 3000) / 65536
        if frame % 3:
            for place, v in zip(places, velocity, strict=True):
                place[:3, :3] = rotation(axis, 0.02) @ place[:3, :3]
                place[:3, 3] += v * dt
            crowd.transforms = np.array(places)
            for single, place in zip(singles, places, strict=True):
                single.transform = place
        many.update(dt)
        alone.update(dt)
        if frame % 15 != 14:
            continue
        everybody = living(crowd._simulations[0])
        assert len(everybody) == crowd.live_count == alone.stats.live
        for k, single in enumerate(singles):
            found = everybody[everybody["instance"] == k]
            expected = living(single["it"]._simulation)
            assert np.array_equal(found["seed"], expected["seed"])
            assert np.array_equal(found["lifetime"], expected["lifetime"])
            assert found["age"] == pytest.approx(expected["age"], abs=TICK)
            local, place = space == "local", place_of(places[k])
            here = to_world(found, place, local=local, anchor=crowd._anchor)
            there = to_world(expected, place, local=local, anchor=single._anchor)
            assert here == pytest.approx(there, abs=2e-3)
    assert crowd.births == alone_births(singles)
    assert crowd.dropped == sum(single.dropped for single in singles)
    assert crowd.finished is not loop


def alone_births(singles: list[gp.EffectInstance]) -> int:
    return sum(single.births for single in singles)


def rotation(axis: NDArray[Any], angle: float) -> NDArray[np.float64]:
    x, y, z = axis / np.linalg.norm(axis)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * cross + (1 - math.cos(angle)) * cross @ cross


def test_a_prewarm_passes_in_the_first_update(system: System, one: One, living: Living) -> None:
    effect = gp.Effect("test", list(one(**FLAME).emitters), duration=0.7, prewarm=2.1)
    many, alone = system(), system()
    places = np.array([(0, 0, 0), (9, 0, 0)], float)
    crowd = many.crowd(effect, places + 5, seeds=[1, 2])
    crowd.transforms = places
    singles = [alone.play(effect, position=place, seed=k) for k, place in enumerate(places, 1)]
    assert crowd.births == 0
    for _ in range(3):
        many.update(1 / 64)
        alone.update(1 / 64)
    everybody = living(crowd._simulations[0])
    for k, single in enumerate(singles):
        found = everybody[everybody["instance"] == k]
        expected = living(single["it"]._simulation)
        assert np.array_equal(found["seed"], expected["seed"])
        assert found["age"] == pytest.approx(expected["age"], abs=TICK)
        here = found["position"] + np.array(crowd._anchor)
        assert here == pytest.approx(expected["position"] + np.array(single._anchor), abs=1e-4)
    assert crowd.births == alone_births(singles)


def test_full_players_drop_their_own_births_only(system: System, one: One) -> None:
    effect = one(**{**FLAME, "capacity": 9})
    many, alone = system(), system()
    crowd = many.crowd(effect, [(0, 0), (9, 0)], seeds=[1, 2])
    for seed in (1, 2):
        alone.play(effect, seed=seed)
    for _ in range(100):
        many.update(1 / 64)
        alone.update(1 / 64)
        assert crowd.live_count == alone.stats.live <= 18
    assert crowd.dropped == alone.stats.dropped > 0


def test_it_takes_few_calls(
    system: System, target: moderngl.Framebuffer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As many for a thousand as for one."""
    calls: list[Any] = []
    render = moderngl.VertexArray.render

    def counted(self: moderngl.VertexArray, *given: Any, **named: Any) -> None:
        calls.append(self)
        render(self, *given, **named)

    monkeypatch.setattr(moderngl.VertexArray, "render", counted)
    counts = []
    for number in (1, 1000):
        particles = system()
        places = np.random.default_rng(3).uniform(-9, 9, (number, 3))
        crowd = particles.crowd(TWO, places)
        target.use()
        for _ in range(40):
            particles.update(1 / 32)
        calls.clear()
        crowd.transforms = places + 0.1
        particles.update(1 / 64)
        particles.draw(np.eye(4), gp.orthographic(-9, 9, -9, 9, -20, 20))
        counts.append(len(calls))
    assert counts[0] == counts[1] <= 6  # of two emitters: births, an update and a draw each


TWO = gp.Effect(
    "two",
    [gp.Emitter("a", rate=64, lifetime=1), gp.Emitter("b", rate=64, lifetime=1, space="local")],
)


def test_players_come_and_go(system: System, one: One, living: Living) -> None:
    effect = one(rate=32, lifetime=0.5, speed=0, loop=True)
    particles = system()
    crowd = particles.crowd(effect, [(0, 0), (10, 0)], seeds=[1, 2])
    particles.update(1)
    assert list(crowd.add([(20, 0)], seeds=[3])) == [2]
    crowd.stop([0])
    particles.update(1)
    owners = living(crowd._simulations[0])["instance"]
    assert set(owners.tolist()) == {1, 2}
    assert len(crowd) == 3
    assert (owners == 1).sum() == (owners == 2).sum() == 16
    crowd.stop()
    assert not crowd.finished
    particles.update(0.6)
    assert crowd.finished
    assert crowd.live_count == 0
    assert crowd.births == 32 + 64 + 32


def test_teleporting_leaves_no_trace(system: System, one: One, living: Living) -> None:
    effect = one(rate=64, lifetime=9, speed=0, loop=True)
    particles = system()
    crowd = particles.crowd(effect, [(0, 0)])
    particles.update(0.5)
    crowd.teleport([(8, 0)])
    particles.update(0.5)
    crowd.transforms = [(8, 4)]
    particles.update(0.5)
    particles.update(0.5)
    places = living(crowd._simulations[0])["position"] + np.array(crowd._anchor)
    assert set(places[:, 0].tolist()) == {0.0, 8.0}
    moving = places[(places[:, 1] > 0) & (places[:, 1] < 4)]
    assert len(moving) == 31, "births fill the way"
    assert (places[:, 1] == 4).sum() == 33


def test_they_beat_together_unless_they_are_staggered(system: System, one: One) -> None:
    effect = one(bursts=[gp.Burst(0, 1)], lifetime=0.25, duration=1, loop=True)
    for stagger, least in ((0.0, 0), (1.0, 10)):
        particles = system()
        crowd = particles.crowd(effect, np.zeros((100, 2)), stagger=stagger)
        particles.update(1.0)
        seen = []
        for _ in range(16):
            particles.update(1 / 16)
            seen.append(crowd.live_count)
        assert min(seen) >= least
        assert max(seen) == 100 if not stagger else max(seen) < 50


def test_far_away_they_are_as_exact(system: System, one: One, living: Living) -> None:
    """A million units out, and on the way there; whoever lives stays where it is."""
    effect = one(rate=32, lifetime=99, speed=0, shape=gp.Box((0.5, 0.5, 0.5)), loop=True)
    particles = system()
    near = np.array([(0, 0, 0), (30, 0, 0)], float)
    crowd = particles.crowd(effect, near, seeds=[1, 2])
    particles.update(0.5)

    def places() -> NDArray[np.float64]:
        found = living(crowd._simulations[0])["position"]
        return found.astype(float) + np.array(crowd._anchor)

    first = places()
    crowd.teleport(near + np.array((1e6, 0, 5e5)))
    particles.update(0.5)
    everybody = places()
    assert len(everybody) == 2 * len(first)
    out = everybody[everybody[:, 0] > 1e5]
    off = out - (1e6, 0, 5e5)
    assert np.abs(off[:, 1:]).max() <= 0.5
    assert len(np.unique(off[:, 1])) == len(off), "no grid"
    spread = np.abs(everybody[everybody[:, 0] < 1e5] - first).max()
    assert spread <= 0.1, "float32, a million away from the anchor"
    particles.shift_origin((-1e6, 0, -5e5))
    assert crowd.transforms[:, :3, 3] == pytest.approx(near)
    assert places()[:, 0].max() == pytest.approx(off[:, 0].max(), abs=1e-3)


@pytest.fixture
def target(ctx: moderngl.Context) -> Iterator[moderngl.Framebuffer]:
    texture = ctx.texture((32, 16), 4)
    framebuffer = ctx.framebuffer([texture])
    framebuffer.use()
    yield framebuffer
    framebuffer.release()
    texture.release()


def pixels(particles: gp.ParticleSystem, target: moderngl.Framebuffer) -> NDArray[Any]:
    target.clear()
    particles.draw(np.eye(4), gp.orthographic(0, 32, 0, 16, -20, 20))
    return np.frombuffer(target.read(components=4), np.uint8).reshape(16, 32, 4)


def test_tints_layers_and_order_hold(
    system: System, one: One, target: moderngl.Framebuffer
) -> None:
    dot = gp.Sprite(alpha_clip=0.01)
    effect = one(bursts=[gp.Burst()], lifetime=99, speed=0, size=10, sprite=dot)
    particles = system()
    crowd = particles.crowd(effect, [(8, 8), (24, 8)], tints=[(1, 0, 0), (0, 1, 0)])
    particles.update(0.1)
    seen = pixels(particles, target)
    assert seen[8, 8].tolist() == [255, 0, 0, 255]
    assert seen[8, 24].tolist() == [0, 255, 0, 255]
    crowd.tints = (0, 0, 1, 1)
    particles.update(0.1)
    assert pixels(particles, target)[8, 8].tolist() == [0, 0, 255, 255]
    crowd.layer = particles.layer(opacity=0.5)
    assert abs(int(pixels(particles, target)[8, 8, 2]) - 128) <= 1
    crowd.layer = None
    over = particles.play(effect, transform=(8, 8, 0))
    particles.update(0.1)
    over.draw_order = -1
    assert pixels(particles, target)[8, 8].tolist() == [0, 0, 255, 255]
    crowd.draw_order = -2
    assert pixels(particles, target)[8, 8].tolist() == [255, 255, 255, 255]


def test_time_may_stand_still_for_them(system: System, one: One) -> None:
    particles = system()
    crowd = particles.crowd(one(rate=32, lifetime=9, loop=True), [(0, 0)])
    particles.update(0.5)
    crowd.pause()
    particles.update(0.5)
    assert crowd.births == 16
    crowd.resume()
    crowd.speed = 2
    particles.update(0.5)
    assert crowd.births == 48
    assert particles.stats.live == 48


def test_they_are_released(system: System, one: One) -> None:
    particles = system()
    before = particles.stats
    crowd = particles.crowd(one(rate=32, loop=True), [(0, 0)])
    particles.update(0.5)
    crowd.release()
    crowd.release()
    assert particles.stats == before
    assert crowd.released
    with pytest.raises(gp.ContextError, match="test: this effect has been released"):
        crowd.transforms = [(1, 1)]


def test_a_day_later_it_is_as_in_the_first_loop(system: System, one: One) -> None:
    """Of bursts and of the rate, in a loop of a length that no float has."""
    effect = one(bursts=[gp.Burst(0.05, 2)], rate=7.3, lifetime=0.2, duration=0.7, loop=True)
    particles = system()
    crowd = particles.crowd(effect, [(0, 0)] * 3)
    for _ in range(24):
        particles.update(3600)
    assert crowd.births == pytest.approx(3 * (86400 * 7.3 + 2 * 86400 / 0.7), abs=9)
    before = crowd.births
    for _ in range(70):
        particles.update(0.01)
    assert crowd.births - before == pytest.approx(3 * (0.7 * 7.3 + 2), abs=4)


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"trail": gp.Trail(0.5)}, "emitters[0].trail"),
    ({"rate": (1, 2)}, "emitters[0].rate"),
    ({"rate_over_distance": 2}, "emitters[0].rate_over_distance"),
    ({"delay": 1}, "emitters[0].delay"),
    ({"bursts": [gp.Burst(0, 3, probability=0.5)]}, "emitters[0].bursts[0]"),
    ({"modifiers": [gp.KillPlane()]}, "emitters[0].modifiers"),
]


@pytest.mark.parametrize(("settings", "field"), REFUSED)
def test_what_is_each_one_s_own_is_refused(
    system: System, one: One, settings: dict[str, Any], field: str
) -> None:
    particles = system()
    with pytest.raises(gp.EffectError) as caught:
        particles.crowd(one(**settings), [(0, 0)])
    assert str(caught.value).startswith(f"test: {field}: players of a crowd are simulated as one")
    assert not particles._scene.playing


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"transforms": "here"}, "transforms: 'here' are neither positions, (n, 2) or (n, 3), nor"),
        ({"transforms": [(1, 2, 3, 4)]}, "are neither positions"),
        ({"transforms": [(0, math.nan)]}, "transforms[0]: every number must lie from -1e30 to"),
        ({"transforms": [np.eye(4), 2 * np.eye(4)]}, "transforms[1]: the last row is"),
        ({"transforms": [(0, 0)], "seeds": [1, 2]}, "seeds: 2 are given for 1 players"),
        ({"transforms": [(0, 0)], "seeds": ["a"]}, 'seeds: "a" is not a whole number'),
        ({"transforms": [(0, 0)], "tints": [(1, 1, 1)] * 2}, "tints: 2 are given for 1 players"),
        ({"transforms": [(0, 0)], "tints": "loud"}, "tints"),
        ({"transforms": np.zeros((99999, 2))}, "99999 players; a crowd has up to"),
        ({"stagger": -1}, "stagger: -1 is not a finite number of at least 0"),
    ],
)
def test_bad_input_is_one_sentence(
    system: System, one: One, given: dict[str, Any], sentence: str
) -> None:
    particles = system()
    before = particles.stats
    with pytest.raises(gp.EffectError) as caught:
        particles.crowd(one(rate=1, loop=True), **given)
    assert sentence in str(caught.value)
    assert particles.stats == before
    crowd = particles.crowd(one(rate=1, loop=True), [(0, 0)])
    for wrong, why in (
        (lambda: setattr(crowd, "transforms", [(0, 0)] * 2), "2 are given for 1 players"),
        (lambda: crowd.stop([1]), "stop: there is no player 1; there are 1"),
        (lambda: setattr(crowd, "speed", -1), "speed: -1 is not a finite number"),
    ):
        with pytest.raises(gp.EffectError, match=why):
            wrong()
    with pytest.raises(AttributeError):
        crowd.transform = (1, 2)


def test_matrices_are_taken_apart_as_one_is() -> None:
    rng = np.random.default_rng(2)
    matrices = transforms(rng, 60, 9.0)
    for matrix in matrices[:20]:
        matrix[:3, 0] *= -1
    for matrix in matrices[20:30]:
        matrix[:3, :3] = matrix[:3, :3] @ rng.normal(size=(3, 3))
    matrices[30][:3, 1] = 0.0
    matrices[31] = np.diag((-1.0, -1.0, 1.0, 1.0))
    found = apart(matrices_of(matrices, "transforms"))
    for index, matrix in enumerate(matrices):
        expected = place_of(matrix)
        assert found.place[index] == pytest.approx(expected.place)
        assert found.scale[index] == pytest.approx(expected.scale, abs=1e-9)
        assert abs(np.dot(found.turn[index], expected.turn)) == pytest.approx(1)
