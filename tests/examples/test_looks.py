"""The example of a look of one's own, and the page about it."""

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
