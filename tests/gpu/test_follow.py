"""Effects that are where something else is."""

from __future__ import annotations

import gc
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any
from weakref import ref

import numpy as np
import pytest

import gpuparticles as gp

System = Callable[..., gp.ParticleSystem]
One = Callable[..., gp.Effect]

QUARTER = np.array([[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1.0]])


@pytest.mark.parametrize(
    ("target", "place"),
    [
        (SimpleNamespace(position=(1, 2, 3)), (1, 2, 3)),
        (SimpleNamespace(position=np.array([1.0, 2.0])), (1, 2, 0)),
        (SimpleNamespace(center=(4, 5)), (4, 5, 0)),
        (SimpleNamespace(transform=QUARTER, position=(9, 9, 9)), (1, 2, 3)),
        (lambda: (1, 2, 3), (1, 2, 3)),
        (lambda: QUARTER, (1, 2, 3)),
    ],
)
def test_what_has_a_place_can_be_followed(
    system: System, one: One, target: Any, place: tuple[float, ...]
) -> None:
    particles = system()
    playing = particles.play(one(rate=10, loop=True))
    playing.follow(target)
    particles.update(0.1)
    assert playing.position == place


def test_a_position_keeps_the_turn_and_a_matrix_brings_its_own(system: System, one: One) -> None:
    particles = system()
    target = SimpleNamespace(position=(7, 0, 0))
    playing = particles.play(one(rate=10, loop=True), transform=QUARTER)
    playing.follow(target)
    particles.update(0.1)
    expected = QUARTER.copy()
    expected[:3, 3] = (7, 0, 0)
    assert np.allclose(playing.transform, expected)
    playing.follow(lambda: np.eye(4))
    particles.update(0.1)
    assert np.allclose(playing.transform, np.eye(4))


def test_births_lie_on_the_way_as_if_the_transform_had_been_set(system: System, one: One) -> None:
    effect = one(rate=100, lifetime=10, speed=(1, 2), spread=40, loop=True)
    particles = system()
    target = SimpleNamespace(position=(0, 0, 0))
    follows, is_set = (particles.play(effect, seed=4) for _ in range(2))
    follows.follow(target)
    for x in (0, 1, 5, 5, 3):
        target.position = (x, x / 2, 0)
        is_set.transform = target.position
        particles.update(0.1)
    assert follows["it"].read().tobytes() == is_set["it"].read().tobytes()


def test_a_target_is_asked_once_an_update_and_not_while_the_effect_rests(
    system: System, one: One
) -> None:
    particles = system(max_step=0.01)
    asked: list[int] = []

    def where() -> tuple[int, int]:
        asked.append(playing.births)
        return (len(asked), 0)

    playing = particles.play(one(rate=100, lifetime=1, loop=True))
    playing.follow(where)
    particles.update(0.1)
    particles.update(0.1)
    assert asked == [0, 10]  # before anything is simulated
    particles.update(0.0)
    playing.pause()
    particles.update(0.1)
    playing.resume()
    playing.speed = 0
    particles.update(0.1)
    assert len(asked) == 2
    playing.speed = 1
    playing.follow(None)
    particles.update(0.1)
    assert len(asked) == 2
    assert playing.position == (2, 0, 0)


def test_an_effect_that_follows_a_follower_is_where_that_one_is(system: System, one: One) -> None:
    particles = system()
    second, first = (particles.play(one(rate=10, loop=True)) for _ in range(2))
    body = SimpleNamespace(position=(0, 0, 0))
    first.follow(body)
    second.follow(first)
    body.position = (3, 4, 5)
    particles.update(0.1)
    assert second.position == first.position == (3, 4, 5)


@pytest.mark.parametrize("target", [5, "here", (1, 2, 3), object(), {"position": (1, 2)}])
def test_a_target_without_a_place_is_refused_at_once(system: System, one: One, target: Any) -> None:
    particles = system()
    playing = particles.play(one(rate=10, loop=True))
    body = SimpleNamespace(position=(1, 0, 0))
    playing.follow(body)
    with pytest.raises(gp.EffectError, match=r"^test: follow: .* has no transform, position or"):
        playing.follow(target)
    particles.update(0.1)
    assert playing.position == (1, 0, 0)  # it still follows what it followed


@pytest.mark.parametrize(
    "given", [None, "here", 5, (1,), (1, 2, 3, 4), (1, 2, np.nan), QUARTER.T, np.zeros((3, 3))]
)
def test_a_wrong_place_is_one_sentence_and_changes_nothing(
    system: System, one: One, given: Any
) -> None:
    particles = system()
    good, bad = (particles.play(one(rate=10, lifetime=5, loop=True)) for _ in range(2))
    moves, body = SimpleNamespace(position=(0, 0)), SimpleNamespace(position=(0, 0))
    good.follow(moves)
    bad.follow(body)
    particles.update(0.1)
    moves.position, body.position = (1, 1), given
    before = good["it"].read().tobytes(), good.births, good.position
    with pytest.raises(gp.EffectError, match=r"^test: follow: ") as caught:
        particles.update(0.1)
    assert len(str(caught.value).splitlines()) == 1
    assert (good["it"].read().tobytes(), good.births, good.position) == before
    body.position = (2, 2)
    particles.update(0.1)
    assert (good.position, bad.position) == ((1, 1, 0), (2, 2, 0))


def test_a_target_is_held_until_it_is_followed_no_more(system: System, one: One) -> None:
    class Body:
        position = (1, 2, 3)

    particles = system()
    playing = particles.play(one(rate=10, loop=True))
    body = Body()
    held = ref(body)
    playing.follow(body)
    del body
    gc.collect()
    assert held() is not None
    particles.update(0.1)
    assert playing.position == (1, 2, 3)
    playing.release()
    gc.collect()
    assert held() is None
    with pytest.raises(gp.ContextError, match="has been released"):
        playing.follow(None)
