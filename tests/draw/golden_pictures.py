"""What is compared with kept pictures: each preset, and each way of drawing, at three moments.

Run as a script it draws them anew into tests/draw/golden, to be looked at before they are kept.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import moderngl
import numpy as np
from numpy.typing import NDArray
from PIL import Image

import gpuparticles as gp
from gpuparticles import record
from gpuparticles.content import path_of
from gpuparticles.draw.camera import look_at, perspective

FOLDER = Path(__file__).parent / "golden"
DRIVER = FOLDER / "driver.json"
SIZE = (96, 96)
MOMENTS = 3

Pixels = NDArray[np.uint8]

BACKGROUND = (0.05, 0.055, 0.08)

FLOOR = """
#version 330 core
uniform mat4 camera;
out vec2 place;
void main() {
    place = 4.0 * (vec2(gl_VertexID & 1, gl_VertexID >> 1) - 0.5);
    gl_Position = camera * vec4(place.x, -0.35, place.y, 1.0);
}
"""
SHADE = """
#version 330 core
in vec2 place;
out vec4 color;
void main() {
    float checks = mod(floor(2.0 * place.x) + floor(2.0 * place.y), 2.0);
    color = vec4(vec3(0.10, 0.11, 0.15) + 0.05 * checks, 1.0);
}
"""

# From the front and a little above, 6 units away, so that what is drawn differs in distance.
CAMERA = (look_at((0, 1.4, 6), (0, 0.6, 0)), perspective(24, 1.0, 0.1, 50))

# Where the players of a crowd are, and their tints.
CROWD = [(x, -0.35, z) for z in (-1.5, 0, 1.5) for x in (-0.9, -0.3, 0.3, 0.9)]
TINTS = [(1, 0.5 + 0.04 * number, 1 - 0.07 * number) for number in range(len(CROWD))]

OUTLINE = """
vec4 filtered(Picture p) {
    float around = 0.0;
    for (int i = 0; i < 8; ++i) {
        float turn = 0.785398 * float(i);
        around = max(around, layer_at(p.place + width * vec2(cos(turn), sin(turn))).a);
    }
    return p.color + vec4(0.2, 0.9, 1.0, 1.0) * smoothstep(0.2, 0.6, around) * (1.0 - p.color.a);
}
"""

#: The layer of a flow by its name: what ``ParticleSystem.layer`` is given, or None without one.
LAYERS: Mapping[str, Callable[[moderngl.Context], dict[str, Any] | None]] = {
    "flow": lambda _: None,
    "crowd": lambda _: None,
    "layer_bloom": lambda _: {"filters": [gp.Bloom(0.3, intensity=1.5, radius=16)]},
    "layer_blur": lambda _: {"filters": [gp.Blur(6)], "tint": (1, 0.8, 0.6), "opacity": 0.8},
    "layer_distortion": lambda _: {"filters": [gp.Distortion(10)]},
    "layer_hue_in_pixels": lambda _: {"filters": [gp.ColorMatrix.hue(120), gp.Pixelate(4)]},
    "layer_mask": lambda ctx: {"mask": lambda: ctx.fbo.clear(alpha=1, viewport=(0, 0, 48, 96))},
    "layer_outline": lambda _: {"filters": [gp.ShaderFilter(OUTLINE, [gp.Uniform("width", 2.0)])]},
}


def picture(effect: gp.Effect, ctx: moderngl.Context) -> Pixels:
    """Three moments of an effect side by side: uint8 (height, 3 * width, 3), top row first."""
    if effect.name in LAYERS:
        return _on_a_floor(effect, ctx)
    film = record.frames(
        effect,
        ctx=ctx,
        size=SIZE,
        duration=effect.duration,
        fps=2 * MOMENTS / effect.duration,
        background=BACKGROUND,
        supersample=1,
    )
    return np.hstack([*film][::2])


def _on_a_floor(effect: gp.Effect, ctx: moderngl.Context) -> Pixels:
    """As `picture`, under one camera and in a scene with a floor, of which the depth is given."""
    color, depth = ctx.texture(SIZE, 4), ctx.depth_texture(SIZE)
    framebuffer = ctx.framebuffer([color], depth)
    floor = ctx.program(vertex_shader=FLOOR, fragment_shader=SHADE)
    view, projection = CAMERA
    floor["camera"].write((projection @ view).T.astype("f4").tobytes())
    quad = ctx.vertex_array(floor, [])
    found = []
    with gp.ParticleSystem(ctx) as particles:
        settings = LAYERS[effect.name](ctx)
        if effect.name == "crowd":
            particles.crowd(effect, CROWD, seeds=range(len(CROWD)), tints=TINTS)
        else:
            layer = None if settings is None else particles.layer(**settings)
            playing = particles.play(effect, seed=1, layer=layer)
        time = 0.0
        for moment in range(MOMENTS):
            for _ in range(10 if moment else 5):
                if effect.emitters[0].trail_stays:  # of nothing else it is to be seen
                    playing.transform = (np.cos(3 * time), 0.3 * np.sin(5 * time), np.sin(3 * time))
                time += effect.duration / (10 * MOMENTS)
                particles.update(effect.duration / (10 * MOMENTS))
            framebuffer.use()
            framebuffer.clear(*BACKGROUND, 1.0)
            with ctx.scope(framebuffer, moderngl.DEPTH_TEST):
                quad.render(moderngl.TRIANGLE_STRIP, 4)
                particles.draw(view, projection, depth=depth)
            pixels = np.frombuffer(framebuffer.read(components=3), np.uint8)
            found.append(pixels.reshape(*SIZE[::-1], 3)[::-1])
    for thing in (quad, floor, framebuffer, color, depth):
        thing.release()
    return np.hstack(found)


def _flow(sprite: gp.Sprite, **fields: Any) -> gp.Effect:
    """A fountain of large sprites that overlap, in front of each other and behind."""
    given: dict[str, Any] = {
        "capacity": 200,
        "rate": 40,
        "lifetime": (0.8, 1.6),
        "shape": gp.Sphere(0.3),
        "speed": (1, 2),
        "spread": 35,
        "size": (0.3, 0.7),
        "rotation": (0, 360),
        "angular_velocity": (-90, 90),
        "color": [(0, "#ffd27f"), (0.5, "#e0457b"), (1, "#4a6cff")],
        "fade_out": 0.4,
        "modifiers": [gp.Acceleration((0, -1.5, 0))],
    }
    return gp.Effect("flow", [gp.Emitter("flow", **{**given, "sprite": sprite, **fields})])


# An octahedron, of which each corner is on an axis.
ROCK = (
    [(0.5, 0, 0), (-0.5, 0, 0), (0, 0.5, 0), (0, -0.5, 0), (0, 0, 0.5), (0, 0, -0.5)],
    [(2, 4, 0), (2, 1, 4), (2, 5, 1), (2, 0, 5), (3, 0, 4), (3, 4, 1), (3, 1, 5), (3, 5, 0)],
)


def modes() -> dict[str, gp.Effect]:
    """An effect for each way of drawing."""
    textures = path_of("campfire").parent / "textures"
    leaf, flame = textures / "leaf.png", textures / "flame.png"
    plain = gp.Sprite(texture=leaf)
    sheet = gp.Flipbook(4, 4)
    looks: dict[str, gp.Sprite] = {
        "disc": gp.Sprite(),
        "textured": plain,
        "half_additive": replace(plain, blend=0.5),
        "additive": replace(plain, blend="additive"),
        "stretch": gp.Sprite(stretch=0.2),
        "stretch_within_limits": gp.Sprite(stretch=0.4, shortest=0.3, longest=0.5),
        "pivot": replace(plain, pivot=(0.5, -0.5)),
        "pixels": gp.Sprite(size_unit="pixels"),
        "near_fade": gp.Sprite(near_fade=(5.4, 6.2)),
        "far_fade": gp.Sprite(far_fade=(5.7, 6.5)),
        "alpha_clip": replace(plain, alpha_clip=0.35),
        "depth_write": replace(plain, alpha_clip=0.35, depth_write=True),
        "flipbook": gp.Sprite(texture=flame, flipbook=sheet),
        "flipbook_ping_pong": gp.Sprite(
            texture=flame, flipbook=replace(sheet, loop="ping_pong", fps=20)
        ),
        "flipbook_blend": gp.Sprite(texture=flame, flipbook=replace(sheet, blend=True)),
        "flipbook_random": gp.Sprite(
            texture=flame, flipbook=replace(sheet, loop=True, fps=6, start="random")
        ),
    }
    for facing in ("position", "emitter", "velocity", "axis", "point"):
        looks[f"facing_{facing}"] = replace(plain, facing=facing)
    for order in ("oldest", "youngest", "depth", "weighted"):
        looks[f"order_{order}"] = gp.Sprite(order=order)
    looks |= {
        "softness": gp.Sprite(softness=1.0),
        "lit_round": gp.Sprite(lit=gp.Lit()),
        "lit_flat": gp.Sprite(texture=leaf, lit=gp.Lit("flat", wrap=0.5), facing="velocity"),
    }
    found = {name: _flow(look) for name, look in looks.items()}
    rock = gp.Geometry(ROCK[0], faces=ROCK[1])
    found |= {
        "model": _flow(gp.Sprite(), model=gp.Model(rock), size=(0.15, 0.3)),
        "model_along_velocity": _flow(
            gp.Sprite(),
            model=gp.Model(rock, scale=(0.4, 1.6, 0.4), orientation="velocity", blend="alpha"),
            size=(0.15, 0.3),
        ),
        "model_soft": _flow(
            gp.Sprite(),
            model=gp.Model(rock, blend="alpha", softness=0.5, near_fade=(5.2, 5.8)),
            size=(0.4, 0.8),
        ),
        "trail": _flow(gp.Sprite(), trail=gp.Trail(0.5), size=(0.05, 0.15)),
        "trail_only_tiled": _flow(
            gp.Sprite(),
            trail=gp.Trail(0.8, only=True, texture=leaf, tile=0.2, blend=0.5),
            size=(0.1, 0.2),
            rate=12,
        ),
        "trail_of_points_apart": _flow(
            gp.Sprite(),
            trail=gp.Trail(0.8, segments=32, min_distance=0.2),
            size=(0.1, 0.2),
            rate=12,
            modifiers=[gp.Turbulence(60, frequency=4), gp.Drag(4)],
        ),
        "trail_of_a_carried_one": _flow(
            gp.Sprite(),
            space="local",
            trail=gp.Trail(1, space="world"),
            size=(0.05, 0.15),
            rate=12,
        ),
        "ribbon": _flow(
            gp.Sprite(),
            ribbon=gp.Ribbon(),
            shape=gp.Point(),
            speed=1.5,
            spread=0,
            size=0.2,
            lifetime=1.2,
            modifiers=[gp.Turbulence(4, frequency=0.8)],
        ),
    }
    found["pixels"] = _flow(looks["pixels"], size=(4, 12))
    found["local"] = _flow(plain, space="local")
    found["width_and_height"] = _flow(
        plain, width=0.5, height_over_life=[(0, 1), (1, 3)], angular_velocity=0, rotation=0
    )
    found["by_speed"] = _flow(
        gp.Sprite(),
        speed_range=(0, 2),
        size_by_speed=[(0, 0.3), (1, 1.5)],
        color_by_speed=[(0, "#4060ff"), (1, "#ffffff")],
    )
    thick = {"alpha_clip": 0.3}
    for name in LAYERS:
        if name.startswith("layer_"):
            look = gp.Sprite(**thick) if name == "layer_outline" else plain
            found[name] = replace(_flow(look), name=name)
    found["crowd"] = replace(
        _flow(
            plain,
            capacity=40,
            rate=20,
            shape=gp.Sphere(0.1),
            size=(0.06, 0.14),
            modifiers=[gp.Radial(-3, center=(0, 0.5, 0), space="emitter")],
        ),
        name="crowd",
    )
    found["layer_distortion"] = replace(
        _flow(gp.Sprite(), color=[(1, 0.5, 0), (0, 0.5, 0), (0.5, 1, 0), (0.5, 0, 0)]),
        name="layer_distortion",
    )
    found["frames_of_a_fixed_rate"] = replace(_flow(plain), fixed_fps=7.0)
    return found


def pictures() -> Mapping[str, Callable[[], gp.Effect]]:
    """The name of each kept picture, and what it shows."""
    found: dict[str, Callable[[], gp.Effect]] = {
        f"preset_{name}": lambda name=name: gp.preset(name) for name in gp.presets()
    }
    every = modes()
    found |= {f"mode_{name}": lambda name=name: every[name] for name in every}
    return found


def path(name: str) -> Path:
    """Where a picture is kept."""
    return FOLDER / f"{name}.png"


def load(name: str) -> Pixels:
    """A kept picture."""
    return np.asarray(Image.open(path(name)).convert("RGB"))


def driver(ctx: moderngl.Context) -> str:
    """What draws."""
    return str(ctx.info["GL_RENDERER"])


def main() -> None:
    """Draw all, or those whose names contain an argument."""
    ctx = gp.create_context()
    if "llvmpipe" not in driver(ctx):
        raise SystemExit(f"kept pictures are drawn by the software driver, not by {driver(ctx)}")
    wanted = sys.argv[1:]
    every = pictures()
    for name, effect in every.items():
        if not wanted or any(part in name for part in wanted):
            Image.fromarray(picture(effect(), ctx)).save(path(name), optimize=True)
            print(name)
    for kept in FOLDER.glob("*.png"):
        if kept.stem not in every:
            kept.unlink()
    DRIVER.write_text(json.dumps({"driver": driver(ctx)}) + "\n")


if __name__ == "__main__":
    main()
