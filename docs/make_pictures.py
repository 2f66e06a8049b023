"""Renders the pictures of README.md and docs/ with the library itself.

python docs/make_pictures.py [NAME ...]

Without names all pictures are made; a name is that of the picture's file: ``shape_sphere``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from make_pages import KINDS, every_kind, stem
from numpy.typing import NDArray
from PIL import Image, ImageDraw
from scenes import Panel, scene_of, variants

import gpuparticles as gp
from gpuparticles import record
from gpuparticles.effect import Kind

HERE = Path(__file__).parent
EFFECTS = HERE.parent / "examples" / "effects"
IMAGES = HERE / "images"
NIGHT = (0.035, 0.04, 0.06)
PANEL = (260, 200)
"""Width and height of each picture in the strip of a kind."""

Light = NDArray[np.float64]


def strip(pictures: Iterable[NDArray[np.uint8]]) -> Image.Image:
    """Pictures side by side."""
    return Image.fromarray(np.hstack(list(pictures)))


# README.md


def campfire(path: Path) -> None:
    """A film of the campfire."""
    near = (gp.look_at((0, 1.3, 6), (0, 1.25, 0)), gp.perspective(36, 1, 0.1, 100))
    film = record.frames(
        gp.load(EFFECTS / "campfire.json"),
        size=(300, 300),
        start=2.5,
        duration=2.5,
        fps=16,
        background=NIGHT,
        camera=near,
    )
    record.write(film, path, fps=16)


def layers(path: Path) -> None:
    """The campfire as it is, and through filters."""
    filters = [
        [],
        [gp.Blur(8)],
        [gp.Bloom(0.4, intensity=1.2, radius=40)],
        [gp.ColorMatrix.hue(140)],
        [gp.Pixelate(6)],
    ]
    ctx = gp.create_context()
    target = ctx.simple_framebuffer((240, 240))
    pictures = []
    for each in filters:
        with gp.ParticleSystem(ctx) as particles:
            layer = particles.layer(filters=each)
            particles.play(gp.load(EFFECTS / "campfire.json"), seed=1, layer=layer)
            for _ in range(90):
                particles.update(1 / 30)
            target.use()
            target.clear(*NIGHT, 1)
            particles.draw(gp.look_at((0, 1.3, 6), (0, 1.25, 0)), gp.perspective(36, 1, 0.1, 100))
        pixels = np.frombuffer(target.read(components=3), np.uint8)
        pictures.append(pixels.reshape(240, 240, 3)[::-1])
    ctx.release()
    strip(pictures).save(path, optimize=True)


_BRICKS = """
#version 330 core
out vec4 color;
void main() {
    vec2 place = gl_FragCoord.xy / vec2(40.0, 20.0);
    place.x += 0.5 * mod(floor(place.y), 2.0);
    vec2 seam = step(vec2(0.05, 0.1), fract(place));
    float shade = fract(43758.5453 * sin(dot(floor(place), vec2(12.9898, 78.233))));
    vec3 brick = vec3(0.30, 0.19, 0.16) * (0.75 + 0.4 * shade);
    color = vec4(mix(vec3(0.10, 0.10, 0.115), brick, seam.x * seam.y), 1.0);
}
"""
_EVERYWHERE = """
#version 330 core
void main() {
    gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0);
}
"""


def haze(path: Path) -> None:
    """A campfire before a wall, and the same with hot air over it."""
    ctx = gp.create_context()
    target = ctx.simple_framebuffer((360, 300))
    wall = ctx.vertex_array(ctx.program(vertex_shader=_EVERYWHERE, fragment_shader=_BRICKS), [])
    view, projection = gp.look_at((0, 1.3, 6), (0, 1.3, 0)), gp.perspective(36, 1.2, 0.1, 100)
    pictures = []
    for strength in (0, 11):
        with gp.ParticleSystem(ctx) as particles:
            particles.play(gp.load(EFFECTS / "campfire.json"), seed=1)
            layer = particles.layer(filters=[gp.Blur(5), gp.Distortion(strength)])
            hot = gp.load(EFFECTS / "heat_haze.json")
            particles.play(hot, seed=2, position=(0, 0.9, 0.1), layer=layer)
            for _ in range(90):
                particles.update(1 / 30)
            target.use()
            target.clear()
            wall.render(vertices=3)
            particles.draw(view, projection)
        pixels = np.frombuffer(target.read(components=3), np.uint8)
        pictures.append(pixels.reshape(300, 360, 3)[::-1])
    ctx.release()
    strip(pictures).save(path, optimize=True)


def sparks(path: Path) -> None:
    """Four moments of a burst."""
    far = (gp.look_at((0, 0, 4), (0, -0.2, 0)), gp.perspective(40, 1, 0.1, 100))
    shoot = partial(record.frames, size=(240, 240), duration=1 / 30, background=NIGHT, camera=far)
    effect = gp.load(EFFECTS / "sparks.json")
    strip(next(shoot(effect, start=time)) for time in (0.03, 0.12, 0.3, 0.6)).save(
        path, optimize=True
    )


def presets(path: Path) -> None:
    """Every effect that comes with the package."""
    effects = {name: gp.preset(name) for name in gp.presets()}
    sheet = record.sheet(effects, columns=8, size=(150, 150), background=NIGHT)
    Image.fromarray(sheet).save(path, quality=88, method=6)


# docs/kinds


def kind(cls: type[Kind], path: Path) -> None:
    """The strip of a kind's scene."""
    land(scene_of(cls).panels, path)


def land(panels: Sequence[Panel], path: Path) -> None:
    """A strip seen by one camera, over a floor that shows the lie of the land."""
    boxes = np.array([_seen(panel) for panel in panels])
    low = np.minimum(boxes[:, 0].min(axis=0), -0.25)
    high = np.maximum(boxes[:, 1].max(axis=0), 0.25)
    high[1] += 0.12 * (high[1] - low[1])  # what fades at the top is hardly counted
    camera = _three_quarters(low, high)
    floor = _floor(camera, low, high)
    lights = [_exposed(panel, camera) for panel in panels]
    shown = [(255 * (1 - (1 - floor) * (1 - light)) + 0.5).astype(np.uint8) for light in lights]
    strip(shown).quantize(224, dither=Image.Dither.NONE).save(path, optimize=True)


def _three_quarters(low: Light, high: Light) -> record.Camera:
    """Close to what fills a box as a ball would: corners may leave the picture."""
    fov, aspect = 30.0, PANEL[0] / PANEL[1]
    turn, rise = np.radians((28, 20))
    back = np.array([np.sin(turn) * np.cos(rise), np.sin(rise), np.cos(turn) * np.cos(rise)])
    axes = gp.look_at(back, (0, 0, 0))[:3, :3]
    right, up, deep = np.linalg.norm(axes * (high - low) / 2, axis=1)
    centre = (low + high) / 2
    far = 1.32 * max(up, right / aspect) / np.tan(np.radians(fov / 2)) + deep / 2
    return gp.look_at(centre + far * back, centre), gp.perspective(fov, aspect, far / 50, far * 50)


def _seen(panel: Panel) -> tuple[Light, Light]:
    moments = np.linspace(panel.moment - panel.exposure, panel.moment, 4)
    return record.bounds(panel.effect, sorted(set(moments.tolist())), background=(0, 0, 0))


def _exposed(panel: Panel, camera: record.Camera) -> Light:
    """Light of a panel from 0 to 1; while it is exposed, what went before fades."""
    fps = 60.0
    count = 1 + round(panel.exposure * fps)
    if panel.seen:
        film = _before_a_ball(panel, camera, fps, count)
    else:
        film = record.frames(
            panel.effect,
            size=PANEL,
            start=panel.moment - count / fps,
            duration=count / fps,
            fps=fps,
            background=(0, 0, 0),
            camera=camera,
        )
    light: Light = np.zeros((PANEL[1], PANEL[0], 3))
    for index, frame in enumerate(film):
        last = index == count - 1
        light = np.maximum(light, frame / 255 * (1.0 if last else 0.75 * (index + 1) / count))
    return light


def _before_a_ball(panel: Panel, camera: record.Camera, fps: float, count: int) -> Iterator[Light]:
    """The last frames of a panel whose particles see the depth of a ball."""
    fine = 2
    size = PANEL[0] * fine, PANEL[1] * fine
    with gp.create_context() as ctx, gp.ParticleSystem(ctx) as particles:
        depth = ctx.texture(size, 1, _ball(camera, size).astype("f4").tobytes(), dtype="f4")
        target = ctx.simple_framebuffer(size)
        target.use()
        particles.set_depth(depth, *camera)
        particles.play(panel.effect, seed=0)
        for frame in range(round(panel.moment * fps), 0, -1):
            particles.update(1 / fps)
            if frame <= count:
                target.clear()
                particles.draw(*camera)
                shown = np.frombuffer(target.read(), np.uint8)
                shown = shown.reshape(PANEL[1], fine, PANEL[0], fine, 3)
                yield shown.mean(axis=(1, 3))[::-1]


def _ball(camera: record.Camera, size: tuple[int, int]) -> Light:
    """What the depth buffer holds of a ball at the origin; the bottom row first."""
    view, projection = camera
    x, y = ((np.arange(count) + 0.5) * 2 / count - 1 for count in size)
    clip = np.stack([*np.meshgrid(x, y), *np.broadcast_to([[[-1]], [[1]]], (2, size[1], size[0]))])
    near = np.einsum("ij,jyx->yxi", np.linalg.inv(projection @ view), clip)
    eye = np.linalg.inv(view)[:3, 3]
    way = near[..., :3] / near[..., 3:] - eye
    a, b = (way * way).sum(axis=2), way @ eye
    root = b * b - a * (eye @ eye - 0.7**2)
    place = eye + way * ((-b - np.sqrt(np.maximum(root, 0))) / a)[..., None]
    z, w = ((place @ row[:3]) + row[3] for row in (projection @ view)[2:])
    return np.where(root > 0, (z / w + 1) / 2, 1.0)


def _floor(camera: record.Camera, low: Light, high: Light) -> Light:
    """Night, and a grid under the box that is seen."""
    fine = 3
    width, height = PANEL[0] * fine, PANEL[1] * fine
    shade = np.linspace(1.5, 0.6, height)[:, None, None] * np.array(NIGHT) * 255
    picture = Image.fromarray(np.broadcast_to(shade, (height, width, 3)).astype(np.uint8))
    draw = ImageDraw.Draw(picture)
    whole = camera[1] @ camera[0]
    reach = max(high[0] - low[0], high[2] - low[2], (high[1] - low[1]) / 2)
    step = min((0.1, 0.2, 0.5, 1, 2, 5, 10), key=lambda step: abs(reach / step - 5))
    lines = np.arange(-np.ceil(reach / step), np.ceil(reach / step) + 1) * step
    for at in lines:
        for ends in (((at, lines[0]), (at, lines[-1])), ((lines[0], at), (lines[-1], at))):
            places = np.array([(x, low[1], z, 1.0) for x, z in ends]) @ whole.T
            if (places[:, 3] <= 0.01).any():
                continue
            x = (places[:, 0] / places[:, 3] + 1) / 2 * width
            y = (1 - places[:, 1] / places[:, 3]) / 2 * height
            draw.line([(x[0], y[0]), (x[1], y[1])], fill=(38, 43, 60), width=fine)
    return np.asarray(picture.resize(PANEL, Image.Resampling.LANCZOS), np.float64) / 255


def main(names: list[str]) -> None:
    """Render the pictures of these names, or all."""
    images = KINDS / "images"
    makers = {IMAGES / "campfire.webp": campfire, IMAGES / "sparks.png": sparks}
    makers |= {IMAGES / "presets.webp": presets, IMAGES / "layers.png": layers}
    makers[IMAGES / "haze.png"] = haze
    makers |= {images / f"{stem(cls)}.png": partial(kind, cls) for cls in every_kind()}
    makers |= {
        images / f"{name}.png": partial(land, scene.panels)
        for name, (scene, _) in variants().items()
    }
    for folder in (IMAGES, images):
        folder.mkdir(exist_ok=True)
    for path in images.glob("*.png"):
        if path not in makers:
            path.unlink()
    for path, make in makers.items():
        if not names or path.stem in names:
            make(path)


if __name__ == "__main__":
    main(sys.argv[1:])
