"""The effects that come with the package: what they say, and that there is something to see."""

from __future__ import annotations

from pathlib import Path

import moderngl
import numpy as np
import pytest

import gpuparticles as gp
from gpuparticles import record
from gpuparticles.content import path_of
from gpuparticles.draw.camera import fit
from tests.draw.conftest import Scene

NAMES = gp.presets()
NIGHT = (10 / 255, 11 / 255, 16 / 255)


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
def test_a_preset_shows_something_and_loses_nobody(scene: Scene, name: str) -> None:
    """No birth finds its emitter full in two loops; three moments of four show it to a camera."""
    effect = gp.preset(name)
    # Coarse steps, which are quick, and in which more particles wait for a free place.
    particles = gp.ParticleSystem(scene.ctx, max_step=0.1)
    try:
        instance = particles.play(effect)
        particles.update(0)
        beginning = instance.snapshot()
        places = []
        for _ in range(16):
            particles.update(effect.duration / 8)
            places += [instance[emitter.name].read()["position"] for emitter in effect.emitters]
        assert instance.births > 0
        assert instance.dropped == 0

        camera = fit(*np.percentile(np.concatenate(places), (2, 98), axis=0), 1.0)
        canvas = scene.make_canvas((64, 64))
        instance.restore(beginning)
        seen = []
        for _ in range(4):
            particles.update(effect.duration / 4)
            canvas.clear(NIGHT)
            particles.draw(*camera)
            changed = np.abs(canvas.pixels()[..., :3] - 255 * np.array(NIGHT)).max(axis=2)
            seen.append(int((changed > 12).sum()))
        assert sum(pixels > 20 for pixels in seen) >= 3, seen
    finally:
        particles.release()


def test_an_unknown_preset_is_a_sentence() -> None:
    with pytest.raises(gp.EffectError, match='there is no preset "campfir"; did you mean'):
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
