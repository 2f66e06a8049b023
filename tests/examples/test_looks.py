"""The examples of looks and processes of one's own, and the pages about them."""

from __future__ import annotations

import re
from pathlib import Path

import moderngl
import numpy as np

import gpuparticles as gp
from gpuparticles import record

ROOT = Path(__file__).parents[2]


def test_the_orbs_shine_and_their_arms_turn(ctx: moderngl.Context) -> None:
    effect = gp.load(ROOT / "examples/effects/orbs.json")
    frames = [*record.frames(effect, ctx=ctx, size=(120, 120), duration=0.3, fps=10)]
    for frame in frames:
        assert (frame.max(axis=2) > 200).sum() > 50, "bright cores"
        assert 200 < (frame.max(axis=2) > 20).sum() < 9000, "on a dark ground"
    still = effect.with_parameters({"speed": 0.0})
    frozen = [*record.frames(still, ctx=ctx, size=(120, 120), duration=0.3, fps=10)]
    assert not np.array_equal(frozen[-1], frames[-1]), "the parameter is seen"


def test_what_the_page_shows_works(ctx: moderngl.Context) -> None:
    page = (ROOT / "docs/looks.md").read_text()
    code = re.search(
        r"^    import gpuparticles.*?^    sprite = [^\n]*$", page, re.DOTALL | re.MULTILINE
    )
    assert code is not None
    names: dict[str, object] = {}
    exec("\n".join(line[4:] for line in code[0].splitlines()), names)
    sprite = names["sprite"]
    assert isinstance(sprite, gp.Sprite)
    emitter = gp.Emitter("ring", rate=0, bursts=[gp.Burst()], lifetime=1, speed=0, sprite=sprite)
    effect = gp.Effect("ring", [emitter], duration=1, loop=False)
    late = [*record.frames(effect, ctx=ctx, size=(64, 64), fps=4)][2]
    assert (late.max(axis=2) > 60).sum() > 50
    assert late[32, 32].max() < 20, "hollow"
    for name in ("plain", "texel_at", "own_random"):
        assert f"`{name}(" in page


def test_the_portal_takes_what_falls_in(ctx: moderngl.Context) -> None:
    """A dark hole, a hot ring round it, and cold motes farther out."""
    effect = gp.load(ROOT / "examples/effects/portal.json")
    (frame, *_) = record.frames(effect, ctx=ctx, size=(120, 120), duration=0.2, fps=5)
    y, x = np.mgrid[:120, :120] - 59.5
    r = np.hypot(x, y)
    red, _, blue = (frame[..., channel].astype(float) for channel in range(3))
    assert frame[r < 18].max() == 0
    ring, far = (r > 24) & (r < 34), r > 50
    assert red[ring].mean() > 60
    assert red[ring].mean() > blue[ring].mean()
    assert blue[far].mean() > 2 * red[far].mean() > 0

    particles = gp.ParticleSystem(ctx)
    playing = particles.play(effect)
    particles.update(1)
    places = playing["motes"].read()["position"]
    assert np.hypot(places[:, 0], places[:, 1]).min() > 0.95
    assert 0 < playing.live_count < playing.births
    particles.release()


def test_the_fireflies_blink_and_stay(ctx: moderngl.Context) -> None:
    effect = gp.load(ROOT / "examples/effects/fireflies.json")
    frames = [*record.frames(effect, ctx=ctx, size=(120, 120), duration=1.5, fps=2)]
    lights = np.array([frame.max(axis=2) > 40 for frame in frames])
    assert (lights.sum(axis=(1, 2)) > 30).all()
    assert (lights[0] & lights[1]).sum() < 0.7 * lights[0].sum(), "others glow half a second later"
    particles = gp.ParticleSystem(ctx)
    playing = particles.play(effect)
    particles.update(9)
    assert np.linalg.norm(playing["fireflies"].read()["position"], axis=1).max() < 5
    particles.release()


def test_what_the_page_of_processes_shows_works(ctx: moderngl.Context) -> None:
    page = (ROOT / "docs/processes.md").read_text()
    code = re.search(
        r"^    import gpuparticles.*?^    emitter = [^\n]*$", page, re.DOTALL | re.MULTILINE
    )
    assert code is not None
    names: dict[str, object] = {}
    exec("\n".join(line[4:] for line in code[0].splitlines()), names)
    emitter = names["emitter"]
    assert isinstance(emitter, gp.Emitter)
    particles = gp.ParticleSystem(ctx)
    playing = particles.play(gp.Effect("swarm", [emitter]))
    particles.update(4)
    records = playing["swarm"].read()
    assert len(records) > 20
    assert 0 < np.abs(records["position"]).max() < 9
    assert len(np.unique(records["color"][:, 0])) > 20
    particles.release()
