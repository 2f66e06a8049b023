"""Snapshots: what follows a restore is what followed the snapshot, to the bit."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import moderngl
import numpy as np
import pytest

import gpuparticles as gp
from gpuparticles.playback.saved import pack, unpack
from gpuparticles.system.snapshots import FLAGS, NUMBERS, PLACES

System = Callable[..., gp.ParticleSystem]


def effect(**settings: Any) -> gp.Effect:
    world = gp.Emitter(
        "world",
        capacity=80,
        rate=70,
        bursts=[gp.Burst(0.4, 25)],
        lifetime=(0.2, 1.5),
        shape=gp.Sphere(0.5),
        speed=(1, 2),
        spread=30,
        angular_velocity=(-90, 90),
        color="#ff8040c0",
        modifiers=[gp.Vortex(3, (0, 1, 0), (1, 0, 0)), gp.Radial(-2, (5, 0, 0), space="world")],
    )
    local = gp.Emitter(
        "local",
        capacity=40,
        rate=17,
        lifetime=1.1,
        spread=180,
        space="local",
        offset=gp.Offset((1, 2, 3), (0, 0, 90)),
    )
    forever = gp.Emitter("forever", capacity=30, rate=8, lifetime=float("inf"), speed=(0, 1))
    settings = {"emitters": [world, local, forever], "duration": 1, **settings}
    return gp.Effect("test", **settings)


def everything(playing: gp.EffectInstance) -> list[Any]:
    found: list[Any] = [emitter.read().tobytes() for emitter in playing]
    found += [(e.live_count, e.births, e.dropped, e.rate, e._simulation.rows) for e in playing]
    found += [seen(emitter) for emitter in playing]
    found += [getattr(playing, name) for name in (*NUMBERS, *FLAGS, "tint", "position", "seed")]
    return found


def seen(emitter: gp.EmitterInstance) -> list[bytes]:
    """What is drawn, where that is neither side of the step."""
    simulation = emitter._simulation
    if simulation.state is None or not simulation.rows:
        return []
    size = 16 * simulation.rows * simulation.state.width
    with emitter._scene.guard as guard:
        guard.simulate()
        return [texture.read()[:size] for texture in simulation.state._seen]


def wander(particles: gp.ParticleSystem, playing: gp.EffectInstance, numbers: range) -> None:
    for number in numbers:
        angle = 0.1 * number
        matrix = np.eye(4)
        matrix[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        matrix[:3, 3] = (40 * number, number, 0)
        playing.transform = matrix
        particles.update(0.013 + 0.004 * (number % 9))


@pytest.mark.parametrize("settings", [{}, {"prewarm": 0.7}, {"fixed_fps": 24}])
def test_what_follows_a_restore_is_what_followed_the_snapshot(
    system: System, settings: dict[str, Any]
) -> None:
    """In another system, over another life, after steps of every length and a re-anchoring."""
    particles, other = system(), system()
    played = particles.play(effect(**settings), seed=11)
    wander(particles, played, range(40))
    played["world"].emit(5)
    played["local"].rate = 23
    played.tint = (1, 0.5, 0.25)
    played.speed = 1.25
    data = played.snapshot()
    before = everything(played)
    restored = other.play(effect(**settings), seed=3)
    wander(other, restored, range(7))
    restored.restore(data)
    assert everything(restored) == everything(played) == before
    for last in (45, 60, 100):
        first = {45: 40, 60: 45, 100: 60}[last]
        for each, instance in ((particles, played), (other, restored)):
            wander(each, instance, range(first, last))
        assert everything(restored) == everything(played)
    assert played.position[0] > 2048
    # And back again, over its own future.
    played.restore(data)
    assert everything(played) == before
    assert played.snapshot() == data


def test_a_snapshot_before_the_first_update_knows_that_nothing_moved(system: System) -> None:
    particles = system()
    for prewarm in (0.0, 0.7):
        played = particles.play(effect(prewarm=prewarm), seed=1)
        restored = particles.play(effect(prewarm=prewarm), seed=2)
        restored.restore(played.snapshot())
        played.position = restored.position = (9, 0, 0)
        particles.update(0.3)
        assert everything(restored) == everything(played)


def test_pause_stop_and_the_end_are_in_it(system: System) -> None:
    particles = system()
    played = particles.play(effect(loop=False, emitters=effect().emitters[:2]), seed=1)
    restored = particles.play(effect(loop=False, emitters=effect().emitters[:2]), seed=2)
    particles.update(0.5)
    played.stop()
    played.pause()
    restored.restore(played.snapshot())
    assert restored.paused
    for each in (played, restored):
        each.resume()
        particles.update(0.4)
    births = played.births
    ended: list[Any] = []
    for each in (played, restored):
        each.on_finished = ended.append
    for _ in range(30):
        particles.update(0.1)
    assert (played.births, restored.births) == (births, births)
    assert ended == [played, restored]
    played.start()
    particles.update(0.2)
    played.restore(restored.snapshot())
    assert played.finished
    assert played.live_count == 0
    played.start()
    particles.update(0.2)
    assert played.births > births


def test_what_it_follows_and_calls_stays(system: System) -> None:
    particles = system()
    playing = particles.play(effect())
    body = SimpleNamespace(position=(0, 0, 0))
    playing.follow(body)
    particles.update(0.1)
    data = playing.snapshot()
    body.position = (5, 5, 5)
    playing.restore(data)
    particles.update(0.1)
    assert playing.position == (5, 5, 5)


def test_a_snapshot_from_before_a_shift_is_shifted(system: System) -> None:
    particles, other = system(), system()
    shifted = particles.play(effect(), position=(1, 2, 3), seed=4)
    still = other.play(effect(), position=(1, 2, 3), seed=4)
    particles.update(0.5)
    other.update(0.5)
    data = shifted.snapshot()
    offset = np.array((4096.0, -512, 64))
    particles.shift_origin(offset)
    particles.update(0.2)
    shifted.restore(data)
    assert shifted.position == (4097, -510, 67)
    for _ in range(5):
        particles.update(0.1)
        other.update(0.1)
    for emitter, expected in zip(shifted, still, strict=True):
        found = emitter.read()
        assert np.array_equal(found["position"] - offset, expected.read()["position"])
        assert np.array_equal(found["velocity"], expected.read()["velocity"])


def refused(playing: gp.EffectInstance, data: Any, why: str) -> None:
    before = everything(playing)
    with pytest.raises(gp.EffectError, match=rf"^test: restore: the snapshot {why}") as caught:
        playing.restore(data)
    assert len(str(caught.value).splitlines()) == 1
    assert everything(playing) == before


def test_what_does_not_fit_is_one_sentence_and_changes_nothing(system: System) -> None:
    particles = system()
    playing = particles.play(effect())
    particles.update(0.4)
    data = playing.snapshot()
    refused(playing, b"", "is none: these are not the bytes of")
    refused(playing, None, "is not bytes")
    refused(playing, data[:-1], "is damaged")
    refused(playing, bytes([*data[:2000], data[2000] ^ 1, *data[2001:]]), "is damaged")
    emitters = effect().emitters
    for other in (
        effect(duration=2),
        effect(emitters=emitters[:2]),
        effect(emitters=[gp.Emitter("world", capacity=81), *emitters[1:]]),
    ):
        refused(playing, particles.play(other).snapshot(), 'is of another effect, "test"')
    for change in (
        {"seed": 1.5},
        {"_speed": -1.0},
        {"_time": float("nan")},
        {"_place": None},
        {"_place": [[0, 0, 0], [0, 0, 0, 1], [0] * 9]},
        {"_paused": 1},
        {"players": []},
        {"players": [{}, {}, {}]},
        {"rows": [1, 1, 10**9]},
        {"rows": [-1, 1, 1]},
        {"texels": [{}, {}, {}]},
        {"tint": [1.0] * 5},
        {"origin": "here"},
    ):
        refused(playing, pack(unpack(data) | change), "(is damaged|has other particles of)")
    refused(playing, pack({k: v for k, v in unpack(data).items() if k != "seed"}), "is damaged")
    playing.restore(data)
    playing.release()
    for call in (playing.snapshot, lambda: playing.restore(data)):
        with pytest.raises(gp.ContextError, match="has been released"):
            call()


def test_another_texture_is_the_same_effect(ctx: moderngl.Context, system: System) -> None:
    particles = system()
    texture = ctx.texture((2, 2), 4, bytes(16))
    plain, textured = (
        particles.play(
            gp.Effect("test", [gp.Emitter("a", sprite=gp.Sprite(texture=each))]), seed=seed
        )
        for seed, each in enumerate((None, texture))
    )
    particles.update(0.5)
    textured.restore(plain.snapshot())
    assert everything(textured) == everything(plain)
    particles.release()
    texture.release()


def test_an_emitter_without_room_has_a_snapshot_too(system: System) -> None:
    particles = system()
    described = effect(emitters=[gp.Emitter("a", capacity=0)])
    played, restored = (particles.play(described) for _ in range(2))
    particles.update(1)
    data = played.snapshot()
    particles.update(1)
    restored.restore(data)
    assert restored.births == 10


def test_no_attribute_of_an_instance_is_forgotten() -> None:
    """A new slot is saved, or named here because it is made anew or is the host's."""
    saved = {"seed", "_tint", "_anchor", "_emitters", "_frames", *PLACES, *NUMBERS, *FLAGS}
    others = {"__weakref__", "effect", "_scene", "_released", "_once", "_tint_bytes"}
    others.add("_played")  # the effect with the parameters, which are saved
    saved.add("_draw_order")
    others |= {"_drawn", "_soft", "_solid", "_sorts", "_weighs"}  # follow from the effect
    others |= {"_layer", "_watch"}  # where it is drawn, and who looks
    hosts = {"_target", "_on_finished"}
    assert set(gp.EffectInstance.__slots__) == saved | others | hosts
    made = {"__weakref__", "emitter", "_local", "_offset", "_released", "_scene", "_sprites"}
    made |= {"_where", "_trails", "_ribbon", "_gather", "_on_death"}
    saved = {"_player", "_simulation", "_frame", "_path"}
    assert set(gp.EmitterInstance.__slots__) == saved | made


def leaves(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all parts of a tree."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree)
    for key, value in items:
        yield (*path, key)
        if isinstance(value, (dict, list)):
            yield from leaves(value, (*path, key))


def changed(tree: Any, path: tuple[Any, ...], value: Any) -> Any:
    """The tree with another value at a path."""
    if not path:
        return value
    copy = tree.copy()
    copy[path[0]] = changed(tree[path[0]], path[1:], value)
    return copy


STRANGE: list[Any] = [
    *(None, True, "text", [], {}, [None], 0, 1, -1, 7, 2**40, 2**62, 2**70, -(2**63), 10**400),
    *(0.0, -0.5, 0.7, 3.0, 1e9, 1e30, 1e300, -1e300, math.nan, math.inf, -math.inf),
    *(np.zeros(0), np.full((3, 12), math.nan), np.arange(-2, 2), np.zeros((2, 2), np.uint8)),
]


def test_made_up_bytes_are_refused_or_play_on(system: System) -> None:
    """Any part of a snapshot may be anything, and the digest still be right."""
    odd = gp.Emitter(
        "odd",
        capacity=50,
        rate=(20, 60),
        bursts=[gp.Burst(0.1, (0, 9), cycles=3, interval=0.2, probability=0.6)],
        pulse=gp.Pulse(0.4, 0.3, 0.1, 2),
        delay=0.2,
        limit=500,
        rate_over_distance=3,
        lifetime=(0.2, 1),
        modifiers=[gp.KillPlane((0, -1, 0))],
    )
    curved = gp.Emitter(
        "curved", capacity=50, rate=[(0, 10), (1, 50)], lifetime=math.inf, space="local"
    )
    described = gp.Effect("odd", [odd, curved], duration=0.9, fixed_fps=30)
    particles = system()
    playing = particles.play(described, seed=3)
    for step in range(40):
        playing.transform = (0.1 * step, 0, 0)
        particles.update(0.031)
    playing["odd"].emit(2)
    playing["odd"].emit(positions=(1, 2, 3))
    data = playing.snapshot()
    tree = unpack(data)
    paths = [path for path in leaves(tree) if path[0] not in ("effect", "name")]
    rng = random.Random(5)
    made = [(path, value) for path in paths for value in rng.sample(STRANGE, 2)]
    refusals = 0
    for path, value in made:
        words = ""
        try:
            playing.restore(pack(changed(tree, path, value)))
        except gp.EffectError as error:
            words = str(error)
        if words:
            assert words.startswith("odd: restore: the snapshot "), (path, value)
            assert len(words) < 200
            assert playing.time == pytest.approx(40 * 0.031), "nothing has changed"
            refusals += 1
            continue
        try:
            particles.update(0.03)
            playing.transform = (5, 0, 0)
            particles.update(0.4)
            playing.snapshot()
        except Exception as error:
            raise AssertionError((path, value)) from error
        playing.restore(data)
    assert refusals > len(made) / 2
    assert playing.snapshot() == data
