"""Bounds: measured, culled by, and what time and births do out of view and far away."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import gpuparticles as gp
from gpuparticles.draw.camera import look_at, orthographic, perspective
from tests.draw.conftest import Scene

FRONT = look_at((0, 0, 10), (0, 0, 0))
AWAY = look_at((0, 0, 10), (0, 0, 20))
LENS = perspective(40, 1, 0.1, 100)
UNIT = ((-1, -1, -1), (1, 1, 1))


def puff(space: str = "world", **fields: Any) -> gp.Effect:
    emitter = gp.Emitter(
        "it",
        capacity=200,
        rate=100,
        lifetime=(0.5, 1),
        shape=gp.Sphere(0.4),
        speed=(0, 0.3),
        spread=180,
        size=0.1,
        space=space,
    )
    given: dict[str, Any] = {"bounds": UNIT, "duration": 1.0}
    return gp.Effect("puff", [emitter], **{**given, **fields})


def draws(particles: gp.ParticleSystem, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A list that grows by one for each emitter that is drawn."""
    found: list[int] = []
    kind = type(next(iter(particles._scene.playing[0]))._sprites)
    draw = kind.draw
    monkeypatch.setattr(kind, "draw", lambda self, *given: found.append(1) or draw(self, *given))
    return found


@pytest.mark.parametrize("space", ["world", "local"])
def test_nothing_that_is_seen_is_culled(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, space: str
) -> None:
    """Under many cameras, while the effect flies and turns: the same bytes, and fewer draws."""
    canvas = scene.make_canvas((48, 48))
    bounded, free = gp.ParticleSystem(scene.ctx), gp.ParticleSystem(scene.ctx)
    pair = [
        particles.play(effect, seed=3)
        for particles, effect in ((bounded, puff(space)), (free, puff(space, bounds=None)))
    ]
    drawn = draws(bounded, monkeypatch)
    rng = np.random.default_rng(5)
    culled = seen = 0
    for step in range(60):
        place = np.eye(4)
        angle = 0.3 * step
        place[:3, :3] = [
            [math.cos(angle), -math.sin(angle), 0],
            [math.sin(angle), math.cos(angle), 0],
            [0, 0, -1.5 if step % 2 else 1],
        ]
        place[:3, 3] = (3 * math.sin(0.2 * step), 0.1 * step, 0)
        for playing, particles in zip(pair, (bounded, free), strict=True):
            playing.transform = place
            particles.update(1 / 20)
        for _ in range(4):
            view = look_at(rng.uniform(-9, 9, 3), rng.uniform(-9, 9, 3))
            lens = LENS if rng.random() < 0.6 else orthographic(-2, 2, -2, 2, 0.1, 30)
            pictures = []
            for particles in (bounded, free):
                canvas.clear()
                before = len(drawn)
                particles.draw(view, lens)
                pictures.append(canvas.pixels().copy())
                if particles is bounded:
                    skipped = len(drawn) == before
            assert np.array_equal(*pictures)
            culled += skipped
            seen += bool(pictures[0].any())
    assert culled > (80 if space == "local" else 20)
    assert seen > 20
    for particles in (bounded, free):
        particles.release()


def test_particles_that_were_left_behind_are_drawn(scene: Scene) -> None:
    """World space: the effect is out of view already, what it bore is not."""
    particles = scene.particles
    playing = particles.play(puff())
    particles.update(0.3)
    playing.transform = (50, 0, 0)
    particles.update(0.01)
    canvas = scene.make_canvas((32, 32))
    canvas.clear()
    particles.draw(FRONT, LENS)
    assert canvas.pixels().any()


def test_far_from_the_origin_and_after_a_shift(scene: Scene) -> None:
    far = 1e7
    playing = scene.particles.play(puff(), transform=(far, 0, 0))
    canvas = scene.make_canvas((32, 32))

    def shown(eye: float, target: float) -> bool:
        canvas.clear()
        view = look_at((eye, 0, 10), (target, 0, 0))
        scene.particles.draw(view, LENS)
        return bool(canvas.pixels().any())

    scene.particles.update(0.5)
    assert shown(far, far)
    assert not shown(0, 0)
    scene.particles.shift_origin((-far, 0, 0))
    assert shown(0, 0)
    snapshot = playing.snapshot()
    playing.restore(snapshot)
    assert shown(0, 0)


def test_measured_bounds_hold_all_that_is_seen(scene: Scene) -> None:
    effect = puff(bounds=None)
    lower, upper = gp.measure_bounds(effect, ctx=scene.ctx)
    reach = 0.4 + 0.3 + 0.1
    assert all(-1.3 * reach < a < -0.4 for a in lower)
    assert all(0.4 < b < 1.3 * reach for b in upper)
    bounded = replace(effect, bounds=(lower, upper))
    playing = scene.particles.play(bounded, seed=77)
    for _ in range(40):
        scene.particles.update(0.05)
        position = playing["it"].read()["position"]
        assert (position - 0.05 >= lower).all()
        assert (position + 0.05 <= upper).all()


@pytest.mark.parametrize(("when", "time"), [("play", 0.9), ("pause", 0.4), ("catch_up", 0.4)])
def test_time_out_of_view(scene: Scene, when: str, time: float) -> None:
    playing = scene.particles.play(puff(when_unseen=when))
    canvas = scene.make_canvas((8, 8))
    canvas.clear()
    for step in range(9):
        scene.particles.update(0.1)
        scene.particles.draw(FRONT if step < 3 else AWAY, LENS)
    assert playing.time == pytest.approx(time)
    scene.particles.draw(FRONT, LENS)
    scene.particles.update(0.1)
    assert playing.time == pytest.approx(0.5 if when == "pause" else 1.0)
    always = scene.particles.play(puff(bounds=None))
    scene.particles.update(0.5)
    assert always.births > 0


def test_without_any_draw_everything_counts_as_seen(scene: Scene) -> None:
    playing = scene.particles.play(puff(when_unseen="pause"))
    for _ in range(10):
        scene.particles.update(0.1)
    assert playing.time == pytest.approx(1.0)


def test_one_of_two_views_is_enough(scene: Scene) -> None:
    playing = scene.particles.play(puff(when_unseen="pause"))
    canvas = scene.make_canvas((8, 8))
    canvas.clear()
    for _ in range(10):
        scene.particles.update(0.1)
        scene.particles.draw(AWAY, LENS)
        scene.particles.draw(FRONT, LENS)
        scene.particles.draw(AWAY, LENS)
    assert playing.time == pytest.approx(1.0)


@pytest.mark.parametrize(("distance", "share"), [(5, 1.0), (20, 0.5), (40, 0.0)])
def test_births_thin_out_with_the_distance(scene: Scene, distance: float, share: float) -> None:
    """Times the amount that the host has set, which stays its own."""
    playing = scene.particles.play(puff(bounds=None, lod=(10, 30)), seed=1)
    never = scene.particles.play(puff(bounds=None), seed=1)
    playing.amount = never.amount = 0.8
    canvas = scene.make_canvas((8, 8))
    canvas.clear()
    scene.particles.draw(look_at((0, 0, distance), (0, 0, 0)), LENS)
    for _ in range(20):
        scene.particles.update(0.1)
        scene.particles.draw(look_at((0, 0, distance), (0, 0, 0)), LENS)
    numbers, every = (set(each["it"].read()["number"].tolist()) for each in (playing, never))
    assert numbers <= every
    assert len(numbers) == pytest.approx(share * len(every), abs=12)
    assert playing.amount == 0.8


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("bounds", [(0, 0, 0)], "is no box; a box is (lower, upper)"),
        ("bounds", [(1, 0, 0), (0, 0, 0)], "its lower corner exceeds its upper one"),
        ("bounds", [(0, 0, math.nan), (1, 1, 1)], "bounds"),
        ("bounds", 3, "3 is no box"),
        ("when_unseen", "pause", '"pause" needs bounds; without them it is always seen'),
        ("when_unseen", "sleep", "when_unseen"),
        ("lod", (5, 1), "lod"),
        ("lod", (-1, 1), "lod"),
    ],
)
def test_what_cannot_be_is_refused(field: str, value: Any, sentence: str) -> None:
    with pytest.raises(gp.EffectError) as caught:
        gp.Effect("e", [gp.Emitter("it")], **{field: value})
    assert sentence in str(caught.value)
