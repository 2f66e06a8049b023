"""Looks that an author writes: GLSL that colours a sprite's pixels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gpuparticles as gp
from tests.draw.conftest import SQUARE, Scene, picture

RED = (255, 0, 0, 255)
BLUE = (0, 0, 255, 255)


def look(body: str, *uniforms: gp.Uniform, **sprite: Any) -> gp.Sprite:
    return gp.Sprite(shader=gp.Shader(f"vec4 look(Look p) {{ {body} }}", uniforms), **sprite)


def at(scene: Scene, x: int, y: int) -> list[int]:
    scene.update()
    return [int(level) for level in scene.draw()[y, x]]


def test_a_look_colours_each_pixel_by_its_place(scene: Scene) -> None:
    scene.add(sprite=look("return vec4(p.uv, 0.0, 1.0);"))
    scene.update()
    pixels = scene.draw()[4:12, 4:12].astype(int)
    middles = np.round(255 * (np.arange(8) + 0.5) / 8)
    assert np.abs(pixels[..., 0] - middles).max() <= 1
    assert np.abs(pixels[..., 1] - middles[:, None]).max() <= 1
    assert (pixels[..., 2:] == (0, 255)).all()


@pytest.mark.parametrize("sprite", [{"texture": SQUARE}, {}, {"blend": 0.5}])
def test_plain_is_what_is_drawn_without_a_look(scene: Scene, sprite: dict[str, Any]) -> None:
    scene.add((8, 8), color=(1, 0.5, 0.25, 0.75), sprite=gp.Sprite(**sprite))
    scene.update()
    expected = scene.draw().copy()
    scene.particles.release()
    scene.particles = gp.ParticleSystem(scene.ctx, max_step=1e6)
    scene.add((8, 8), color=(1, 0.5, 0.25, 0.75), sprite=look("return plain(p);", **sprite))
    scene.update()
    assert np.abs(scene.draw().astype(int) - expected).max() <= 1
    assert expected.any()


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("p.age / 4.0", 0.25),
        ("p.life", 0.5),
        ("p.velocity.x / 8.0", 0.5),
        ("p.color.g", 0.5),
        ("p.texel.r", 1.0),
    ],
)
def test_what_a_look_is_told(scene: Scene, value: str, expected: float) -> None:
    sprite = look(f"return vec4(vec3({value}), 1.0);", texture=SQUARE)
    scene.add((4, 8), lifetime=2.0, velocity=(4, 0, 0), color=(1, 0.5, 0, 1), sprite=sprite)
    scene.update(1.0)
    level = int(scene.draw()[8, 8, 0])
    assert abs(level - 255 * expected) <= 1


def test_each_particle_draws_numbers_of_its_own(scene: Scene) -> None:
    sprite = look("return vec4(own_random(p, 0), own_random(p, 1), 0.0, 1.0);", texture=SQUARE)
    for seed, x in ((1, 4), (2, 12)):
        scene.add((x, 8), seed=seed, sprite=sprite)
    scene.update()
    pixels = scene.draw()
    left, right = pixels[8, 4], pixels[8, 12]
    assert len({*map(int, (left[0], left[1], right[0], right[1]))}) == 4
    assert (pixels[5:11, 2:6] == left).all(), "one for the whole sprite"


def test_the_texture_can_be_looked_up_elsewhere(scene: Scene) -> None:
    mirrored = look(
        "return texel_at(vec2(1.0 - p.uv.x, p.uv.y));",
        texture=picture([[RED, BLUE]]),
        filter="nearest",
    )
    scene.add(sprite=mirrored)
    assert at(scene, 5, 8) == list(BLUE)
    assert at(scene, 10, 8) == list(RED)


def test_uniforms_are_values(scene: Scene) -> None:
    """Another value is no other program, and a parameter sets it live."""
    sprite = look(
        "return vec4(tint * level, 1.0);",
        gp.Uniform("level", 0.5),
        gp.Uniform("tint", (1, 0.5, 0)),
    )
    emitter = gp.Emitter(
        "one",
        rate=0,
        bursts=[gp.Burst()],
        lifetime=9,
        speed=0,
        size=8,
        sprite=sprite,
    )
    path = "emitters.one.sprite.shader.uniforms.level.value"
    effect = gp.Effect(
        "one", [emitter], loop=False, parameters=[gp.Parameter("level", 0.5, (0, 2), binds=[path])]
    )
    playing = scene.particles.play(effect, transform=(8, 8, 0))
    assert at(scene, 8, 8) == [128, 64, 0, 255]
    programs = scene.particles.stats.programs
    playing.parameters["level"] = 1.0
    assert at(scene, 8, 8) == [255, 128, 0, 255]
    assert scene.particles.stats.programs == programs


def test_softness_light_and_the_alpha_clip_come_after_it(scene: Scene) -> None:
    half = "return vec4(vec3(0.5), 0.5);"
    scene.add((4, 8), sprite=look(half, alpha_clip=0.4))
    scene.add((12, 8), sprite=look(half, alpha_clip=0.6))
    assert at(scene, 4, 8) == [255, 255, 255, 255]
    assert at(scene, 12, 8) == [0, 0, 0, 0]


def test_bursts_have_it_too(scene: Scene) -> None:
    sprite = look("return vec4(p.uv.x, 0.0, 0.0, 1.0);")
    emitter = gp.Emitter(
        "one", rate=0, bursts=[gp.Burst()], lifetime=9, speed=0, size=8, sprite=sprite
    )
    scene.particles.burst(gp.Effect("one", [emitter], loop=False), position=(8, 8, 0))
    assert at(scene, 4, 8) == [16, 0, 0, 255]


def test_mistakes_are_told_with_the_author_s_lines(scene: Scene, tmp_path: Path) -> None:
    wrong = "// a glow\nvec4 look(Look p) {\n    return p.texel * heat;\n}\n"
    file = tmp_path / "glow.glsl"
    file.write_text(wrong)
    for code, name in ((wrong, "one: sprite.shader"), (file, str(file))):
        effect = gp.Effect("e", [gp.Emitter("one", sprite=gp.Sprite(shader=gp.Shader(code)))])
        with pytest.raises(gp.ShaderError) as caught:
            scene.particles.play(effect)
        first, second = str(caught.value).splitlines()[:2]
        assert first.startswith(f"{name}:3: ")
        assert "heat" in first
        assert second.strip() == "return p.texel * heat;"
    assert scene.particles.stats.live == 0
    scene.add(sprite=look("return vec4(1.0);"))
    assert at(scene, 8, 8) == [255, 255, 255, 255], "what follows works"


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("float f() { return 1.0; }", "code: the code has no function vec4 look(Look p)"),
        ("// vec4 look(Look p)\nvoid f() {}", "no function vec4 look(Look p)"),
        ("#version 330\nvec4 look(Look p) { return p.texel; }", "has a #version"),
        ("vec4 look(Look p) { return p.texel; }\nvoid main() {}", "has a main()"),
        ("missing.glsl", 'code: "missing.glsl" cannot be read: No such file'),
        ("", "is empty"),
        (3, "code: 3 is no GLSL; it is the text of a function, or the path of a file"),
    ],
)
def test_code_that_cannot_be_a_look_is_refused(code: Any, sentence: str) -> None:
    with pytest.raises(gp.EffectError) as caught:
        gp.Shader(code)
    assert sentence in str(caught.value)


def test_uniforms_that_cannot_be_are_refused() -> None:
    for name in ("u_heat", "gl_x", "two words", "1st", ""):
        with pytest.raises(gp.EffectError, match="name"):
            gp.Uniform(name, 1)
    for value in ("red", (1,), (1, 2, 3, 4, 5), float("nan"), True):
        with pytest.raises(gp.EffectError, match="value"):
            gp.Uniform("heat", value)
    twice = [gp.Uniform("heat", 1), gp.Uniform("heat", 2)]
    with pytest.raises(gp.EffectError, match=r'"heat" is that of uniforms\[0\] too'):
        gp.Shader("vec4 look(Look p) { return p.texel; }", twice)


def test_a_document_holds_text_or_a_path(tmp_path: Path) -> None:
    file = tmp_path / "glow.glsl"
    file.write_text("vec4 look(Look p) { return p.texel; }")
    for code in (file, file.read_text()):
        shader = gp.Shader(code, [gp.Uniform("heat", 2), gp.Uniform("tint", (1, 0, 0))])
        effect = gp.Effect("e", [gp.Emitter("a", sprite=gp.Sprite(shader=shader))])
        gp.save(effect, tmp_path / "e.json")
        assert gp.load(tmp_path / "e.json") == effect
    gp.save(effect, tmp_path / "e.json")
    document = json.loads((tmp_path / "e.json").read_text())
    assert document["emitters"][0]["sprite"]["shader"]["code"].startswith("vec4 look")
    with_path = gp.Effect("e", [gp.Emitter("a", sprite=gp.Sprite(shader=gp.Shader(file)))])
    gp.save(with_path, tmp_path / "e.json")
    document = json.loads((tmp_path / "e.json").read_text())
    assert document["emitters"][0]["sprite"]["shader"]["code"] == "glow.glsl"


def test_shadows_are_cast_by_what_the_look_leaves(scene: Scene) -> None:
    sprite = look("return vec4(p.uv.x < 0.5 ? 1.0 : 0.0);")
    scene.add(sprite=sprite)
    scene.update()
    canvas = scene.make_canvas(depth=True)
    canvas.clear()
    scene.particles.draw_depth(canvas.view, canvas.projection)
    covered = canvas.depths() < 1.0
    assert covered[4:12, 4:8].all()
    assert covered.sum() == 32


def test_a_look_sees_what_a_process_keeps(scene: Scene) -> None:
    own = gp.Process("void process(inout State p) { p.custom = vec4(p.age / 2.0, 0.5, 0.0, 1.0); }")
    for order in ("none", "oldest"):
        scene.add(process=own, sprite=look("return p.custom;", order=order))
    scene.update(1.0)
    pixel = scene.draw()[8, 8].astype(int)
    assert np.abs(pixel - (128, 128, 0, 255)).max() <= 1


@pytest.mark.parametrize("name", ["color", "age", "texel", "velocity"])
def test_a_uniform_may_be_called_as_a_field_is(scene: Scene, name: str) -> None:
    uniform = gp.Uniform(name, 0.5)
    scene.add(sprite=look(f"return vec4({name}, p.color.g, p.life + p.age * 0.0, 1.0);", uniform))
    assert at(scene, 8, 8) == [128, 255, 0, 255]


@pytest.mark.parametrize("name", ["vec3", "sampler2D", "look", "plain", "discard"])
def test_a_uniform_is_not_called_as_glsl_has_it(name: str) -> None:
    with pytest.raises(gp.EffectError, match="is no name for a uniform: GLSL or the code"):
        gp.Uniform(name, 1)
