"""Make the pictures of the presets that have an outline: leaves, coins, runes and the like.

    python gpuparticles/content/textures/make_outlines.py [NAME ...]

Each is drawn from distances to its edges, on a grid finer than the picture. Most are white with
grey shades, so that an effect's colours tint them. Needs nothing beyond NumPy and Pillow, and makes
the same pictures each time. The PNGs have straight alpha; frames run from the top left, row by row.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from math import ceil, cos, pi, sin, sqrt, tau
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

HERE = Path(__file__).parent
FINE = 3  # samples along each side of a pixel

Floats = NDArray[np.float64]
Frame = tuple[Floats, Floats]
"""Grey shades or colour (n, n[, 3]) and alpha (n, n), each 0..1."""


def main(names: list[str]) -> None:
    """Write the pictures of these names, or all, beside this file."""
    for name, (cell, make) in PICTURES.items():
        if names and name not in names:
            continue
        frames = list(make(*grid(cell)))
        columns = ceil(sqrt(len(frames)))
        cells = [small(*frame) for frame in frames]
        blank = np.zeros_like(cells[0])
        cells += [blank] * (-len(cells) % columns)
        rows = [
            np.concatenate(cells[i : i + columns], axis=1) for i in range(0, len(cells), columns)
        ]
        Image.fromarray(np.concatenate(rows)).save(HERE / f"{name}.png", optimize=True)
        print(HERE / f"{name}.png")


def grid(cell: int) -> tuple[Floats, Floats]:
    """X to the right and y up, -1..1 over a frame of so many pixels."""
    line = (np.arange(cell * FINE) + 0.5) / (cell * FINE) * 2 - 1
    x, y = np.meshgrid(line, -line)
    return x, y


def small(shade: Floats, alpha: Floats) -> NDArray[np.uint8]:
    """A finished frame, colour weighted with alpha while it is made smaller."""
    if shade.ndim == 2:
        shade = np.repeat(shade[..., None], 3, axis=2)
    n = len(alpha) // FINE
    whole = np.concatenate([shade * (alpha[..., None] + 1e-6), alpha[..., None] + 1e-6], axis=2)
    mean = whole.reshape(n, FINE, n, FINE, 4).mean(axis=(1, 3))
    color = mean[..., :3] / mean[..., 3:]
    out = np.concatenate([color, mean[..., 3:]], axis=2)
    levels: NDArray[np.uint8] = (np.clip(out, 0, 1) * 255 + 0.5).astype(np.uint8)
    return levels


def step(low: float, high: float, value: Floats) -> Floats:
    """0 at low, 1 at high, smooth between; high may be the lesser."""
    f = np.clip((value - low) / (high - low), 0, 1)
    return np.asarray(f * f * (3 - 2 * f))


def inside(distance: Floats, blur: float = 0.02) -> Floats:
    """1 where a distance to an edge is negative, with an edge so wide."""
    return step(blur / 2, -blur / 2, distance)


def turned(x: Floats, y: Floats, degrees: float) -> tuple[Floats, Floats]:
    """Coordinates in which a thing appears turned counter-clockwise."""
    c, s = cos(degrees * pi / 180), sin(degrees * pi / 180)
    return x * c + y * s, y * c - x * s


def segment(x: Floats, y: Floats, ax: float, ay: float, bx: float, by: float) -> Floats:
    """Distance to a line from a to b."""
    dx, dy = bx - ax, by - ay
    along = np.clip(((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy + 1e-12), 0, 1)
    return np.asarray(np.hypot(x - ax - along * dx, y - ay - along * dy))


def margin(x: Floats, y: Floats) -> Floats:
    """1, and 0 towards the border, so that nothing is cut off."""
    return step(0.99, 0.88, np.maximum(np.abs(x), np.abs(y)))


def star(x: Floats, y: Floats) -> Iterator[Frame]:
    """A glint with four points."""
    r = np.hypot(x, y)
    rays = sum(np.exp(-np.abs(a) * 5.0 - (np.abs(b) * 34.0) ** 1.0) for a, b in ((x, y), (y, x)))
    d, e = turned(x, y, 45)
    rays = rays + 0.35 * sum(np.exp(-np.abs(a) * 9 - np.abs(b) * 40) for a, b in ((d, e), (e, d)))
    glow = 0.9 * np.exp(-((r / 0.13) ** 2)) + 0.25 * np.exp(-((r / 0.34) ** 2))
    yield np.ones_like(x), np.clip(rays + glow, 0, 1) * margin(x, y)


def ring(x: Floats, y: Floats) -> Iterator[Frame]:
    """A thin ring of light, softer to the inside."""
    r = np.hypot(x, y)
    edge = np.exp(-(((r - 0.86) / 0.035) ** 2))
    inner = 0.45 * np.exp(-np.maximum(0.86 - r, 0) / 0.16) * (r < 0.86)
    yield np.ones_like(x), np.clip(np.maximum(edge, inner), 0, 1) * step(0.99, 0.93, r)


def streak(x: Floats, y: Floats) -> Iterator[Frame]:
    """A soft upright streak."""
    alpha = np.exp(-((x / 0.16) ** 2)) * (np.clip(1 - np.abs(y) ** 1.5, 0, 1)) ** 1.5
    yield np.ones_like(x), alpha * margin(x, y)


def leaf(x: Floats, y: Floats) -> Iterator[Frame]:
    """Four leaves, each of another form, with their veins."""
    for number, (width, lobes, bend) in enumerate(
        ((0.42, 0.0, 0.1), (0.52, 0.05, -0.12), (0.34, 0.0, 0.2), (0.48, 0.1, 0.05))
    ):
        bx = x - bend * (1 - y * y)
        t = np.clip((y + 0.72) / 1.5, 0, 1)
        form = width * np.sin(pi * t**0.8) ** 0.85 * (1 + lobes * np.sin(9 * pi * t + number))
        blade = inside(np.abs(bx) - form, 0.03) * (t > 0) * (t < 1)
        stem = inside(segment(bx, y, 0, -0.95, 0, -0.6) - 0.025)
        veins = np.zeros_like(x)
        for k in range(7):
            base = -0.6 + 0.19 * k
            slope = np.abs(segment(np.abs(bx), y, 0, base, 0.5, base + 0.34))
            veins = np.maximum(veins, step(0.022, 0.004, slope))
        veins = np.maximum(veins, step(0.03, 0.008, np.abs(bx)))
        shade = (
            0.84
            - 0.16 * step(0, 0.4, bx)
            + 0.14 * veins
            - 0.12 * step(0.5, 1, np.abs(bx) / (form + 1e-6))
        )
        yield np.clip(shade, 0, 1), np.maximum(blade, stem)


def snowflake(x: Floats, y: Floats) -> Iterator[Frame]:
    """Four crystals of six arms."""
    rng = np.random.default_rng(11)
    for _ in range(4):
        branches = [(p, rng.uniform(0.14, 0.34)) for p in np.sort(rng.uniform(0.24, 0.78, 3))]
        plate = rng.uniform(0.1, 0.24)
        angle = np.arctan2(y, x) % (tau / 6) - tau / 12
        r = np.hypot(x, y)
        u, v = r * np.cos(angle), np.abs(r * np.sin(angle))
        u, v = r * np.cos(np.abs(angle)), v
        d = segment(u, v, 0, 0, 0.9, 0) - 0.028
        for place, length in branches:
            reach = length * (1.1 - place)
            d = np.minimum(d, segment(u, v, place, 0, place + 0.6 * reach + 0.05, reach) - 0.022)
        hexagon = np.maximum(u, u * 0.5 + v * sqrt(3) / 2) - plate
        d = np.minimum(d, np.abs(hexagon) - 0.02)
        halo = 0.16 * np.exp(-((r / 0.55) ** 2))
        yield np.ones_like(x), np.maximum(inside(d, 0.035), halo) * margin(x, y)


def paper(x: Floats, y: Floats) -> Iterator[Frame]:
    """A slip of paper that turns over: sixteen moments of one turn about its long side."""
    for k in range(16):
        facing = cos(tau * k / 16 + 0.2)
        wide = max(abs(facing), 0.08)
        skew = 0.18 * sin(tau * k / 16)
        d = np.maximum(np.abs(x) / (0.5 * wide) - 1, np.abs(y + skew * x) / 0.72 - 1)
        light = 0.62 + 0.38 * facing if facing > 0 else 0.42 - 0.25 * facing
        shade = np.clip(light + 0.08 * y, 0, 1)
        yield np.broadcast_to(shade, x.shape), inside(d, 0.06 / wide)


def coin(x: Floats, y: Floats) -> Iterator[Frame]:
    """A gold coin that spins: sixteen moments of half a turn."""
    gold, dark, bright = (
        np.array((1.0, 0.74, 0.2)),
        np.array((0.55, 0.3, 0.05)),
        np.array((1, 0.96, 0.72)),
    )
    for k in range(16):
        angle = pi * k / 16
        wide, edge = max(abs(cos(angle)), 0.02), 0.14 * abs(sin(angle))
        side = 1 if cos(angle) >= 0 else -1
        face_x = (x - side * edge / 2) / wide
        r = np.hypot(face_x, y) / 0.82
        back = np.hypot((x + side * edge / 2) / wide, y) / 0.82
        between = (np.abs(y) < 0.82) & (
            np.abs(x) < edge / 2 + wide * np.sqrt(np.clip(0.82**2 - y * y, 0, None))
        )
        alpha = np.maximum(
            np.maximum(inside(r - 1, 0.03 / wide), inside(back - 1, 0.03 / wide)), between * 1.0
        )
        rim = step(0.78, 0.82, r) * step(1.0, 0.97, r)
        a, b = np.abs(face_x) / 0.82, np.abs(y) / 0.82
        mark = inside(np.maximum(a * 1.6 + b * 0.9, b * 1.2) - 0.5, 0.05)
        glint = np.exp(-(((face_x + y) / 0.82 + 1.6 - 3.2 * k / 15) ** 2) * 14)
        value = np.clip(0.35 + 0.28 * rim + 0.22 * mark + 0.12 * y, 0, 1)
        ridges = 0.22 + 0.14 * np.sin(y * 60)
        on_face = inside(r - 1, 0.02)
        value = value * on_face + ridges * (1 - on_face)
        color = dark + (gold - dark) * np.clip(value * 1.9, 0, 1)[..., None]
        color = (
            color
            + (bright - color)
            * np.clip(0.75 * glint + 0.5 * mark * value, 0, 1)[..., None]
            * on_face[..., None]
        )
        yield np.clip(color, 0, 1), np.clip(alpha, 0, 1)


def bubble(x: Floats, y: Floats) -> Iterator[Frame]:
    """A soap bubble: a bright rim, a window's reflection, hardly anything between."""
    r = np.hypot(x, y) / 0.9
    rim = np.clip(r, 0, 1) ** 7
    hue = np.stack(
        [0.75 + 0.25 * np.sin(5 * y + 4 * r + shift) for shift in (0.0, 2.1, 4.2)], axis=2
    )
    window = inside(np.hypot((x + 0.36) / 0.2, (y - 0.42) / 0.13) - 1, 0.5)
    glint = 0.5 * inside(np.hypot((x - 0.38) / 0.1, (y + 0.46) / 0.06) - 1, 0.6)
    light = np.maximum(window, glint)
    color = hue + (1 - hue) * light[..., None]
    alpha = np.clip(0.04 + 0.62 * rim + 0.85 * light, 0, 1) * inside(r - 1, 0.03)
    yield color, alpha


def rune(x: Floats, y: Floats) -> Iterator[Frame]:
    """A magic circle: rings, ticks, two triangles, and letters that nobody can read."""
    rng = np.random.default_rng(3)
    r, angle = np.hypot(x, y), np.arctan2(y, x)
    d = np.full_like(x, 9.0)
    for radius, width in ((0.93, 0.012), (0.9, 0.005), (0.7, 0.009), (0.34, 0.008), (0.3, 0.004)):
        d = np.minimum(d, np.abs(r - radius) - width)
    tick = np.abs((angle / tau * 72) % 1 - 0.5) / 72 * tau * r
    d = np.minimum(d, np.maximum(tick - 0.004, np.abs(r - 0.725) - 0.018))
    for turn in (90, 270):
        corners = [
            (0.7 * cos(pi * (turn + 120 * k) / 180), 0.7 * sin(pi * (turn + 120 * k) / 180))
            for k in range(3)
        ]
        for (ax, ay), (bx, by) in zip(corners, corners[1:] + corners[:1], strict=True):
            d = np.minimum(d, segment(x, y, ax, ay, bx, by) - 0.008)
    for k in range(6):
        a = tau * k / 6 + tau / 12
        px, py = 0.52 * cos(a), 0.52 * sin(a)
        d = np.minimum(d, np.abs(np.hypot(x - px, y - py) - 0.075) - 0.006)
        d = np.minimum(d, np.hypot(x - px, y - py) - 0.02)
    for k in range(24):
        u, v = turned(x, y, 360 * k / 24)
        points = rng.uniform(-1, 1, (4, 2)) * (0.032, 0.05)
        for (ax, ay), (bx, by) in itertools.pairwise(points):
            d = np.minimum(d, segment(u, v - 0.815, ax, ay, bx, by) - 0.007)
    glow = 0.35 * np.exp(-np.maximum(d, 0) / 0.03)
    yield np.ones_like(x), np.maximum(inside(d, 0.012), glow) * step(0.995, 0.97, r)


def plus(x: Floats, y: Floats) -> Iterator[Frame]:
    """A rounded cross with a glow."""
    a, b = np.abs(x), np.abs(y)
    arm = np.minimum(np.maximum(a - 0.5, b - 0.14), np.maximum(a - 0.14, b - 0.5)) - 0.06
    glow = 0.5 * np.exp(-np.maximum(arm, 0) / 0.12)
    yield np.ones_like(x), np.maximum(inside(arm, 0.05), glow) * margin(x, y)


def bolt(x: Floats, y: Floats) -> Iterator[Frame]:
    """Sixteen arcs of lightning from bottom to top, each another."""
    rng = np.random.default_rng(21)

    def path(
        ax: float, ay: float, bx: float, by: float, depth: int, rough: float
    ) -> list[tuple[float, float]]:
        if depth == 0:
            return [(bx, by)]
        length = float(np.hypot(bx - ax, by - ay))
        off = rng.normal(0, rough * length)
        mx, my = (ax + bx) / 2 - off * (by - ay) / length, (ay + by) / 2 + off * (bx - ax) / length
        return path(ax, ay, mx, my, depth - 1, rough) + path(mx, my, bx, by, depth - 1, rough)

    for _ in range(16):
        main = [(0.0, -0.86), *path(0, -0.86, 0, 0.86, 5, 0.16)]
        lines = [(main, 1.0)]
        for _ in range(3):
            px, py = main[int(rng.integers(6, 26))]
            qx, qy = px + rng.uniform(-0.6, 0.6), py + rng.uniform(0.1, 0.5)
            lines.append(([(px, py), *path(px, py, qx, qy, 3, 0.18)], 0.5))
        light = np.zeros_like(x)
        for points, strength in lines:
            near = np.full_like(x, 9.0)
            for (ax, ay), (bx, by) in itertools.pairwise(points):
                near = np.minimum(near, segment(x, y, ax, ay, bx, by))
            core = strength * np.exp(-((near / (0.018 * strength + 0.006)) ** 2))
            light = np.maximum(light, np.maximum(core, 0.4 * strength * np.exp(-near / 0.06)))
        yield np.ones_like(x), np.clip(light, 0, 1) * margin(0.9 * x, y)


def hexagon(x: Floats, y: Floats) -> Iterator[Frame]:
    """A cell of a shield: a bright edge, a faint inside."""
    a, b = np.abs(x), np.abs(y)
    d = np.maximum(a * sqrt(3) / 2 + b / 2, b) - 0.8
    edge = np.exp(-((d + 0.03) ** 2) / 0.0016)
    inner = (0.12 + 0.3 * np.exp(d / 0.12)) * (d < 0)
    yield np.ones_like(x), np.clip(np.maximum(edge, inner), 0, 1)


def splat(x: Floats, y: Floats) -> Iterator[Frame]:
    """Four blots of paint: a body, arms that thin out and end in drops, and drops torn off."""
    rng = np.random.default_rng(8)

    def joined(a: Floats, b: Floats, soft: float) -> Floats:
        # The lesser of two distances, with a fillet where they are alike: paint has no corners.
        f = np.clip(0.5 + 0.5 * (b - a) / soft, 0, 1)
        return np.asarray(b + (a - b) * f - soft * f * (1 - f))

    for _ in range(4):
        d = np.hypot(x, y) - 0.36
        for _ in range(4):
            a, far = rng.uniform(0, tau), rng.uniform(0.12, 0.22)
            lobe = np.hypot(x - far * cos(a), y - far * sin(a)) - rng.uniform(0.2, 0.27)
            d = joined(d, lobe, 0.08)
        arms = 13
        for k in range(arms):
            a = tau * (k + rng.uniform(-0.35, 0.35)) / arms
            far, thick = rng.uniform(0.46, 0.82), rng.uniform(0.012, 0.03)
            along = np.clip((x * cos(a) + y * sin(a)) / far, 0, 1)
            arm = np.hypot(x - along * far * cos(a), y - along * far * sin(a))
            d = joined(d, arm - thick - 0.07 * (1 - along) ** 2, 0.07)
            tip = np.hypot(x - far * cos(a), y - far * sin(a)) - rng.uniform(1.2, 2.4) * thick
            d = joined(d, tip, 0.04)
        for _ in range(12):
            a, far = rng.uniform(0, tau), rng.uniform(0.62, 0.9)
            size = rng.uniform(0.01, 0.04)
            d = np.minimum(d, np.hypot(x - far * cos(a), y - far * sin(a)) - size)
        yield glossy(x, y, d), inside(d, 0.025) * margin(x, y)


def blob(x: Floats, y: Floats) -> Iterator[Frame]:
    """A drop of paint, opaque."""
    d = np.hypot(x, y) - 0.72
    yield glossy(x / 1.8, y / 1.8, d / 2.5), inside(d, 0.06)


def glossy(x: Floats, y: Floats, distance: Floats) -> Floats:
    """Shades of wet paint: darker at its edge, with the light of a window."""
    thick = step(0, -0.1, distance)
    gloss = 0.3 * np.exp(-(((x + 0.14) / 0.2) ** 2 + ((y - 0.16) / 0.1) ** 2))
    return np.clip(0.66 + 0.18 * thick + gloss, 0, 1)


def flash(x: Floats, y: Floats) -> Iterator[Frame]:
    """Four flashes of a muzzle: ragged stars with a white core."""
    rng = np.random.default_rng(5)
    for _ in range(4):
        angle, r = np.arctan2(y, x), np.hypot(x, y)
        reach = np.full_like(x, 0.22)
        for _ in range(9):
            a, width, length = rng.uniform(0, tau), rng.uniform(0.1, 0.3), rng.uniform(0.3, 0.72)
            away = np.abs((angle - a + pi) % tau - pi)
            reach = np.maximum(reach, 0.22 + length * np.exp(-((away / width) ** 1.5)))
        f = r / reach
        alpha = np.clip(1.25 - f, 0, 1) ** 1.4
        heat = np.clip(1.15 - f, 0, 1)[..., None]
        yield (
            np.clip(np.array((1, 0.62, 0.22)) + heat * np.array((0, 0.38, 0.78)), 0, 1),
            alpha * margin(x, y),
        )


def fog(x: Floats, y: Floats) -> Iterator[Frame]:
    """Four wide soft puffs of mist."""
    rng = np.random.default_rng(17)
    n = len(x)
    for _ in range(4):
        waves = np.hypot(*np.meshgrid(np.fft.fftfreq(n) * n, np.fft.rfftfreq(n) * n, indexing="ij"))
        spectrum = np.fft.rfft2(rng.standard_normal((n, n))) / (1 + waves) ** 1.9 * (waves < 24)
        cloud = np.fft.irfft2(spectrum, (n, n))
        cloud = (cloud - cloud.mean()) / cloud.std()
        body = step(1.0, 0.1, np.hypot(x, y))
        alpha = body * np.clip(0.5 + 0.3 * cloud, 0, 1)
        yield np.clip(0.86 + 0.08 * cloud, 0, 1), alpha


def feather(x: Floats, y: Floats) -> Iterator[Frame]:
    """A ribbon of light that fades to both ends: what an aurora is hung with."""
    alpha = np.exp(-((x / 0.3) ** 2)) * step(-0.98, -0.5, y) * step(0.98, -0.4, y)
    rays = 0.75 + 0.25 * np.sin(23 * x + 3 * np.sin(9 * x))
    yield np.ones_like(x), np.clip(alpha * rays, 0, 1) * step(0.98, 0.8, np.abs(x))


def text(x: Floats, y: Floats) -> Iterator[Frame]:
    """The project's name in two lines, from amber to violet: a picture to be born in."""
    n = len(x)
    whole = Image.new("L", (n, n))
    draw = ImageDraw.Draw(whole)
    for line, height, place in (("GPU", 0.48, 0.31), ("particles", 0.255, 0.72)):
        font = ImageFont.load_default(height * n)
        draw.text((n / 2, place * n), line, 255, font, "mm", stroke_width=0.007 * n)
    amber, rose, violet = np.array(((1, 0.66, 0.2), (1, 0.26, 0.5), (0.4, 0.4, 1)))
    t = np.clip((x - 0.5 * y + 1) / 2, 0, 1)[..., None]
    early, late = np.clip(2 * t, 0, 1), np.clip(2 * t - 1, 0, 1)
    color = amber + (rose - amber) * early + (violet - rose) * late
    yield color, np.asarray(whole, np.float64) / 255


PICTURES: dict[str, tuple[int, Callable[[Floats, Floats], Iterator[Frame]]]] = {
    "star": (128, star),
    "ring": (256, ring),
    "streak": (64, streak),
    "leaf": (96, leaf),
    "snowflake": (96, snowflake),
    "paper": (48, paper),
    "coin": (64, coin),
    "bubble": (128, bubble),
    "rune": (512, rune),
    "plus": (64, plus),
    "bolt": (128, bolt),
    "hexagon": (96, hexagon),
    "splat": (192, splat),
    "blob": (64, blob),
    "flash": (128, flash),
    "fog": (128, fog),
    "feather": (128, feather),
    "text": (192, text),
}
"""Pixels along each side of a frame, and what draws the frames; a square sheet of them."""


if __name__ == "__main__":
    main(sys.argv[1:])
