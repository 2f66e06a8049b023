"""Bounds: measured, culled by, and what time and births do out of view and far away."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import gpuparticles as gp
from gpuparticles.draw.camera import look_at, orthographic, perspective
from gpuparticles.gpu.gl import GL
from tests.draw.conftest import Scene
from tests.gpu.host_state import Raw

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


INFINITE = perspective(40, 1, 0.1, 100)
INFINITE[2, 2:] = 1, 0.2
REVERSED = {
    "reversed": np.diag((1.0, 1.0, -1.0, 1.0)) @ LENS,
    "reversed, without end": INFINITE,
    "reversed, flat": np.diag((1.0, 1.0, -1.0, 1.0)) @ orthographic(-4, 4, -4, 4, 0.1, 100),
}


@pytest.mark.parametrize("name", REVERSED)
def test_depth_that_is_reversed_culls_as_depth_that_is_not(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """OpenGL 3.3 has no other clip volume: the projection reverses it, and the test is >=."""
    lens = REVERSED[name]
    assert (lens @ (0, 0, -0.1, 1))[2] == pytest.approx((lens @ (0, 0, -0.1, 1))[3]), "near is 1"
    scene.particles.play(puff(), seed=3)
    scene.update(0.3)
    drawn = draws(scene.particles, monkeypatch)
    canvas = scene.make_canvas((32, 32), depth=True)
    how: dict[str, Any] = {"projection": lens, "depth_test": ">=", "cleared_depth": 0.0}
    for eye, target, seen in (
        ((0, 0, 10), (0, 0, 0), True),
        ((9, -3, 4), (0.5, 0, 0), True),
        ((0, 0, 20), (0, 0, 0), True),
        ((0, 0, 10), (0, 0, 20), False),  # behind
        ((0, 0, 10), (30, 0, 0), False),  # beside
        ((0, 0, -200), (0, 0, 0), name == "reversed, without end"),  # beyond the far plane
    ):
        drawn.clear()
        pixels = scene.draw(canvas, view=look_at(eye, target), **how)
        assert bool(drawn) == seen, (eye, target)
        if seen and eye[2] > 0:
            assert pixels.any()
    hidden = scene.draw(canvas, view=FRONT, **{**how, "cleared_depth": 1.0})
    assert not hidden.any(), "a wall at the near plane is in front of all of it"


def test_what_is_clamped_to_near_and_far_plane_is_not_culled_by_them(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As hosts do for shadow maps: what stands between the light and its near plane casts too."""
    scene.particles.play(puff(), seed=3)
    scene.update(0.3)
    drawn = draws(scene.particles, monkeypatch)
    canvas = scene.make_canvas((32, 32), depth=True)
    raw = Raw(scene.ctx)
    for near, far in ((20, 40), (1, 5)):  # it is 10 units ahead
        lens = orthographic(-2, 2, -2, 2, near, far)
        for clamped in (False, True):
            (raw.Enable if clamped else raw.Disable)(GL.DEPTH_CLAMP)
            drawn.clear()
            pixels = scene.draw(canvas, view=FRONT, projection=lens)
            canvas.clear()
            scene.particles.draw_depth(FRONT, lens, cutoff=0.1)
            raw.Disable(GL.DEPTH_CLAMP)
            assert bool(pixels.any()) == bool(drawn) == clamped
            assert bool((canvas.depths() < 1).any()) == (clamped and near == 20)


def test_time_does_not_wait_for_a_draw_after_play(scene: Scene) -> None:
    """Though others have been drawn before; only who was looked for and not seen is out of view."""
    scene.add()
    scene.update()
    scene.draw()
    playing = scene.particles.play(puff(when_unseen="pause"))
    scene.update(0.5)
    assert playing.time == 0.5


@pytest.mark.parametrize("space", ["world", "local"])
def test_an_effect_that_follows_is_culled_by_where_it_is_now(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, space: str
) -> None:
    """Not by where it began, nor by where it is followed to only with the next update."""

    class Body:
        position = (0.0, 0.0, 0.0)

    body = Body()
    playing = scene.particles.play(puff(space), seed=3)
    playing.follow(body)
    free = gp.ParticleSystem(scene.ctx, max_step=1e6)
    same = free.play(puff(space, bounds=None), seed=3)
    same.follow(body)
    canvas = scene.make_canvas((32, 32))

    def shown(x: float) -> bool:
        """Whether anything is drawn for a camera before a place; what is culled is not seen."""
        view = look_at((x, 0, 10), (x, 0, 0))
        drawn.clear()
        pixels = scene.draw(canvas, view=view, projection=LENS).copy()
        found = bool(drawn)
        canvas.clear()
        free.draw(view, LENS)
        np.testing.assert_array_equal(pixels, canvas.pixels())
        return found

    for particles in (scene.particles, free):
        particles.update(0.3)
    drawn = draws(scene.particles, monkeypatch)
    assert shown(0)
    assert not shown(30)
    for step in range(1, 31):
        body.position = (float(step), 0.0, 0.0)
        if step == 30:
            assert shown(29), "nobody has asked the body yet"
        for particles in (scene.particles, free):
            particles.update(0.1)
        assert shown(step)
    # After two longest lives, of a second each, nothing is left; what is carried has gone at once.
    assert shown(30)
    assert shown(24) == (space == "world")
    assert not shown(0)
    playing.follow(None)
    same.follow(None)
    body.position = (90.0, 0.0, 0.0)
    for particles in (scene.particles, free):
        particles.update(0.1)
    assert shown(30)
    assert not shown(90)
    free.release()


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


@pytest.mark.parametrize("pooled", [True, False])
def test_bursts_end_unseen_and_bring_all_their_births(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, pooled: bool
) -> None:
    """Whether they share textures or cannot; those that share them are drawn always."""
    how: dict[str, Any] = {"when_unseen": "pause", "lod": (1, 2), "loop": False}
    made = puff(**how, prewarm=0.0 if pooled else 0.01)
    expected = scene.particles.play(puff(bounds=None, loop=False, prewarm=made.prewarm), seed=1)
    scene.particles.burst(made, seed=1)
    drawn = draws(scene.particles, monkeypatch)
    canvas = scene.make_canvas((8, 8))
    for _ in range(8):
        scene.particles.update(0.1)
        assert scene.particles.stats.live == 2 * expected.live_count
        drawn.clear()
        scene.draw(canvas, view=AWAY, projection=LENS)
        assert len(drawn) == (2 if pooled else 1)
    assert expected.births > 50
    for _ in range(20):
        scene.particles.update(0.1)
        scene.draw(canvas, view=AWAY, projection=LENS)
    assert scene.particles._scene.playing == [expected], "it is over"


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
