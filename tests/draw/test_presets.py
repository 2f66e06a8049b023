"""The effects that come with the package: what they say, and that there is something to see."""

from __future__ import annotations

from pathlib import Path

import moderngl
import numpy as np
import pytest

import gpuparticles as gp
from gpuparticles import record
from gpuparticles.content import path_of

NAMES = gp.presets()


def test_they_are_named_and_in_order() -> None:
    assert "campfire" in NAMES
    assert list(NAMES) == sorted(set(NAMES))


@pytest.mark.parametrize("name", NAMES)
def test_a_preset_says_what_it_is(name: str) -> None:
    effect = gp.preset(name)
    assert effect.name.replace(" ", "_") == name
    assert effect.description
    assert effect.description.endswith(".")
    for emitter in effect.emitters:
        texture = emitter.sprite.texture
        if texture is not None:
            assert isinstance(texture, Path)
            assert texture.parent == path_of(name).parent / "textures"


@pytest.mark.parametrize("name", NAMES)
def test_a_preset_shows_something_and_loses_nobody(ctx: moderngl.Context, name: str) -> None:
    """In three moments of four, and no birth finds its emitter full in two loops."""
    effect = gp.preset(name)
    empty = np.array((10, 11, 16))
    film = record.frames(
        effect,
        ctx=ctx,
        size=(64, 64),
        fps=4 / effect.duration,
        background=(10 / 255, 11 / 255, 16 / 255),
        supersample=1,
    )
    seen = [int((np.abs(frame.astype(int) - empty).max(axis=2) > 12).sum()) for frame in film]
    assert sum(pixels > 20 for pixels in seen) >= 3, seen

    particles = gp.ParticleSystem(ctx)
    try:
        instance = particles.play(effect)
        for _ in range(16):
            particles.update(effect.duration / 8)
        assert instance.births > 0
        assert instance.dropped == 0
    finally:
        particles.release()


def test_an_unknown_preset_is_a_sentence() -> None:
    with pytest.raises(gp.EffectError, match="there is no preset 'campfir'; did you mean"):
        gp.preset("campfir")


def test_a_sheet_holds_a_picture_and_a_name_for_each(ctx: moderngl.Context) -> None:
    def dot(x: float) -> gp.Effect:
        emitter = gp.Emitter("dot", rate=0, bursts=[gp.Burst()], lifetime=9, speed=0, color="#f00")
        return gp.Effect(f"dot {x}", [emitter], duration=1, loop=False)

    effects = {f"dot{x}": dot(x) for x in range(3)}
    progress: list[tuple[str, int, int]] = []
    sheet = record.sheet(
        effects, ctx=ctx, columns=2, size=(60, 40), progress=lambda *done: progress.append(done)
    )
    caption = sheet.shape[0] // 2 - 40
    assert sheet.shape == (2 * (40 + caption), 120, 3)
    assert progress == [("rendering", number, 3) for number in (1, 2, 3)]
    red = sheet[..., 0].astype(int) - sheet[..., 1] > 100
    for row, column in ((0, 0), (0, 1), (1, 0), (1, 1)):
        cell = np.s_[row * (40 + caption) :, column * 60 : column * 60 + 60]
        assert red[cell][:40].any() == ((row, column) != (1, 1))
        assert (sheet[cell][40 : 40 + caption] > 150).any() == ((row, column) != (1, 1))


def test_a_sheet_of_nothing_is_refused() -> None:
    with pytest.raises(gp.EffectError, match="a sheet of no effects"):
        record.sheet({})
    with pytest.raises(gp.EffectError, match="columns: 0"):
        record.sheet({"campfire": gp.preset("campfire")}, columns=0)
