"""The page about layers, and its example of hot air."""

from __future__ import annotations

import re
from pathlib import Path

import moderngl
import numpy as np
from PIL import Image

import gpuparticles as gp

ROOT = Path(__file__).parents[2]


def test_what_the_page_shows_works(ctx: moderngl.Context) -> None:
    """The outline round a square of its own colour, and hot air that bends and shows nothing."""
    page = (ROOT / "docs/layers.md").read_text()
    code = re.search(r"^    outline = gp.*?^    \)$", page, re.DOTALL | re.MULTILINE)
    assert code is not None
    names: dict[str, object] = {"gp": gp}
    exec("\n".join(line[4:] for line in code[0].splitlines()), names)
    outline = names["outline"]
    assert isinstance(outline, gp.ShaderFilter)

    texture = ctx.texture((64, 64), 4)
    target = ctx.framebuffer([texture])
    with gp.ParticleSystem(ctx) as particles:
        layer = particles.layer(filters=[outline.with_uniforms(width=3)])
        dot = gp.Emitter(
            "dot",
            rate=0,
            bursts=[gp.Burst()],
            lifetime=9,
            speed=0,
            size=20,
            color="#f00",
            sprite=gp.Sprite(alpha_clip=0.5),
        )
        particles.play(gp.Effect("dot", [dot], loop=False), layer=layer)
        particles.update(0.1)
        target.use()
        target.clear()
        particles.draw(np.eye(4), gp.orthographic(-32, 32, -32, 32))
    pixels = np.frombuffer(target.read(components=3), np.uint8).reshape(64, 64, 3).astype(int)
    target.release()
    texture.release()
    assert pixels[32, 32].tolist() == [255, 0, 0]
    row = pixels[32]
    edge = int((row[:, 0] > 200).nonzero()[0].min())
    assert np.abs(row[edge - 2] - [51, 230, 255]).max() <= 1
    assert not row[edge - 6].any()


def test_hot_air_bends_and_shows_nothing(ctx: moderngl.Context) -> None:
    effect = gp.load(ROOT / "examples/effects/heat_haze.json")
    stripes = np.zeros((120, 120, 4), np.uint8)
    stripes[:, ::12] = stripes[:, 1::12] = 200
    texture = ctx.texture((120, 120), 4, stripes.tobytes())
    target = ctx.framebuffer([texture])
    with gp.ParticleSystem(ctx) as particles:
        layer = particles.layer(filters=[gp.Blur(5), gp.Distortion(11)])
        particles.play(effect, seed=1, layer=layer)
        particles.update(1 / 60)
        target.use()
        view, projection = gp.look_at((0, 0.8, 5), (0, 0.8, 0)), gp.perspective(36, 1, 0.1, 100)
        particles.draw(view, projection)
    found = np.frombuffer(texture.read(), np.uint8).reshape(120, 120, 4)
    target.release()
    texture.release()
    changed = (found != stripes).any(axis=2)
    assert 0.02 < changed.mean() < 0.4
    assert not changed[:, :20].any()
    assert found.max() <= 200
    assert abs(found.mean() - stripes.mean()) < 1


def test_the_picture_of_hot_air_shows_a_fire_before_a_wall_and_bends_it() -> None:
    picture = np.asarray(Image.open(ROOT / "docs/images/haze.png").convert("RGB")).astype(int)
    plain, bent = np.split(picture, 2, axis=1)
    assert (plain[150:, :, 0] > 230).sum() > 500, "a fire"
    changed = np.abs(plain - bent).max(axis=2) > 20
    assert 200 < changed.sum() < 0.1 * changed.size
    assert not changed[:, :80].any()
