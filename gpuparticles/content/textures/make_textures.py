"""Make the sprite sheets of the presets.

    python gpuparticles/content/textures/make_textures.py [NAME ...]

The sheets are drawn from physics in miniature rather than painted: the flame is a small
two-dimensional fluid, hot and torn by its own eddies; the smoke is a volume of billowing
noise, lit from the top left with its own shadow; the spark is a point of light. Smoke and
spark are white with grey shades, the flame is white where it is hot and red where it
cools, so that an effect's colours tint them. Needs nothing beyond NumPy and Pillow, takes
some seconds, and makes the same pictures each time.

The PNGs have straight alpha, and their frames run from the top left, row by row.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import erf, pi, sqrt
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

HERE = Path(__file__).parent
SIDE = 8  # frames along each side of a sheet
FRAMES = SIDE * SIDE
CELL = 128  # pixels along each side of a frame

Floats = NDArray[np.floating]


def main() -> None:
    """Write all sheets beside this file."""
    save("flame.png", flame())
    save("smoke.png", smoke())
    save("spark.png", spark())


def save(name: str, frames: Iterator[tuple[Floats, ...]]) -> None:
    """Write frames as a square sheet.

    Args:
        name: The file's name.
        frames: For each frame its channels, luminance and straight alpha or red, green, blue
            and straight alpha, each (n, n) in 0..1.
    """
    cells = [np.stack(frame, axis=-1) for frame in frames]
    side = round(sqrt(len(cells)))
    rows = [np.concatenate(cells[i : i + side], axis=1) for i in range(0, len(cells), side)]
    sheet = np.clip(np.concatenate(rows) * 255 + 0.5, 0, 255).astype(np.uint8)
    Image.fromarray(sheet).save(HERE / name, optimize=True)
    print(HERE / name)


def smoothstep(low: float, high: float, x: Floats) -> Floats:
    """0 at low, 1 at high, smooth between and at both."""
    f = np.clip((x - low) / (high - low), 0, 1)
    return np.asarray(f * f * (3 - 2 * f))


def cell(image: Floats) -> Floats:
    """An image brought to the size of a frame."""
    return np.asarray(Image.fromarray(image).resize((CELL, CELL), Image.Resampling.LANCZOS))


def noise(rng: np.random.Generator, shape: tuple[int, ...], low: float, high: float) -> Floats:
    """Noise that tiles, with no waves shorter or longer than asked for.

    Args:
        rng: Where the randomness comes from.
        shape: Cells along each axis, all alike.
        low: The longest wave, as a number of waves per tile.
        high: The shortest wave, likewise.

    Returns:
        Values of mean 0 and deviation 1.
    """
    n, axes = shape[0], tuple(range(len(shape)))
    waves = np.meshgrid(*[np.fft.fftfreq(n) * n] * (len(shape) - 1), np.fft.rfftfreq(n) * n,
                        indexing="ij")  # fmt: skip
    number = np.sqrt(sum(wave**2 for wave in waves))
    kept = np.exp(-((number / high) ** 4)) * (number >= low)
    values = np.fft.irfftn(np.fft.rfftn(rng.standard_normal(shape)) * kept, shape, axes)
    return np.asarray(values / values.std(), np.float32)


# -- flame ----------------------------------------------------------------------------------


def flame(
    seed: int = 8,
    grid: int = 192,
    substeps: int = 3,
    seconds: float = 0.79,
) -> Iterator[tuple[Floats, ...]]:
    """One lick of flame: it is born at the bottom, rises, stretches, tears and goes out.

    Heat is carried by a fluid without viscosity (Stam's stable fluids on a periodic grid),
    which is driven by buoyancy, by eddies, and by the draught of the fire around it: a jet
    that grows faster with height, and so draws each lick thin. Heat below zero is cold, so
    cooling eats the lick from its edges.

    Args:
        seed: Another seed is another flame.
        grid: Cells along each side of the fluid.
        substeps: Steps of the fluid in a frame.
        seconds: How long to watch; the flame goes out at about 1.
    """
    rng = np.random.default_rng(seed)
    slow, slower, fine = (noise(rng, (grid, grid), 1, high) for high in (4.5, 4.5, 9.5))

    row, column = np.mgrid[:grid, :grid].astype(np.float32)
    x, y = (column + 0.5) / grid - 0.5, (row + 0.5) / grid  # y up, from the bottom
    kx = 2 * pi * np.fft.rfftfreq(grid)[None, :]
    ky = 2 * pi * np.fft.fftfreq(grid)[:, None]
    k2 = kx**2 + ky**2
    k2[0, 0] = 1

    # The draught rises at 0.22 + 1.1 y, and what it gains in height it draws in sideways.
    width = 0.45
    inwards = [1.1 * width * sqrt(pi) / 2 * erf(value / width) for value in x[0]]
    draught_x = np.broadcast_to(-np.array(inwards, np.float32), x.shape)
    draught_y = (0.22 + 1.1 * y) * np.exp(-((x / width) ** 2))

    def at(field: Floats, column: Floats, row: Floats) -> Floats:
        """A field between its cells, bilinear, wrapped round."""
        left, below = np.floor(column).astype(np.int32), np.floor(row).astype(np.int32)
        fx, fy = (column - left).astype(np.float32), (row - below).astype(np.float32)
        left, below = left % grid, below % grid
        right, above = (left + 1) % grid, (below + 1) % grid
        bottom = field[below, left] * (1 - fx) + field[below, right] * fx
        top = field[above, left] * (1 - fx) + field[above, right] * fx
        return bottom * (1 - fy) + top * fy

    def slope(field: Floats) -> tuple[Floats, Floats]:
        """Derivatives along x and y, per cell side times the grid."""
        along_x = np.roll(field, -1, 1) - np.roll(field, 1, 1)
        along_y = np.roll(field, -1, 0) - np.roll(field, 1, 0)
        return along_x * grid / 2, along_y * grid / 2

    heat, u, v = np.zeros_like(x), np.zeros_like(x), np.zeros_like(x)
    dt = seconds / (FRAMES * substeps)
    reach = dt * grid  # cells per step at a speed of 1
    for step in range(1, FRAMES * substeps + 1):
        t = step * dt

        # The source: a ragged pool that swells, lasts a moment and runs dry.
        strength = np.clip(t / 0.08, 0, 1) * np.clip((0.40 - t) / 0.2, 0, 1)
        distance = np.hypot(x + 0.02 * np.sin(17 * t), (y - 0.2) / 0.75) / 0.23
        source = np.clip(1.25 - distance + 0.16 * fine + 0.12 * slow, 0, 1) * strength
        heat = np.maximum(heat, source)

        # Buoyancy; eddies where it burns; and the curls that a grid would blur, put back.
        v += 3.3 * heat * dt
        eddies = 0.55 * (np.cos(9 * t) * slow + np.sin(9 * t) * slower + 0.35 * fine)
        down, across = slope(eddies)
        burning = 0.3 * dt * np.clip(2 * heat, 0, 1)
        u += burning * across
        v -= burning * down
        curl = slope(v)[0] - slope(u)[1]
        to_x, to_y = slope(np.abs(curl))
        confinement = 0.09 * dt * curl / (np.hypot(to_x, to_y) + 1e-1)
        u += confinement * to_y
        v -= confinement * to_x
        u *= np.exp(-1.2 * dt)
        v *= np.exp(-1.2 * dt)

        # What flows in must flow out, but for the source, where gas is made.
        fu, fv = np.fft.rfft2(u), np.fft.rfft2(v)
        pressure = (1j * (kx * fu + ky * fv) - np.fft.rfft2(1.2 / grid * source)) / -k2
        pressure[0, 0] = 0
        u = np.fft.irfft2(fu - 1j * kx * pressure).astype(np.float32)
        v = np.fft.irfft2(fv - 1j * ky * pressure).astype(np.float32)

        # Carry everything along (midpoint rule), then cool, unevenly and ever faster.
        along, up = u + draught_x, v + draught_y
        middle = column - reach / 2 * along, row - reach / 2 * up
        origin = column - reach * at(along, *middle), row - reach * at(up, *middle)
        heat, u, v = at(heat, *origin), at(u, *origin), at(v, *origin)
        tearing = 0.55 * min(1, 2 * t) * at(fine, column, row - 0.45 * t * grid)
        cooling = 0.95 * (0.3 + 1.7 * t) * np.clip(1 + tearing, 0.1, None)
        heat = np.maximum(heat - cooling * dt, 0)

        if step % substeps == 0:
            image = np.clip(cell(heat[::-1]), 0, 1)
            red, green, blue = 0.55 + 0.45 * image, 0.22 + 0.78 * image, 0.1 + 0.9 * image**1.5
            yield red, green, blue, smoothstep(0, 0.5, image) * frame_mask()


def frame_mask() -> Floats:
    """1 in the frame, 0 in the last pixels before its border, so that nothing is cut."""
    centre = np.abs((np.arange(CELL, dtype=np.float32) + 0.5) / CELL * 2 - 1)
    line = 1 - smoothstep(0.84, 0.96, centre)
    return np.outer(line, line)


# -- smoke ----------------------------------------------------------------------------------


def smoke(seed: int = 5, size: int = 112, layers: int = 44) -> Iterator[tuple[Floats, ...]]:
    """A puff that billows, grows, thins and dissolves, lit from the top left.

    Args:
        seed: Another seed is another puff.
        size: Cells along x and y of the volume.
        layers: Cells along z, away from the eye.
    """
    rng = np.random.default_rng(seed)
    tile = 64
    shape = (tile, tile, tile)
    # |noise| is round on its hills and creased in its valleys, like a cauliflower.
    billows = np.zeros(shape, np.float32)
    for low, high, amount in ((2.0, 3.4, 1.0), (3.6, 6.6, 0.6), (7.0, 13.0, 0.33)):
        billows += amount * np.abs(noise(rng, shape, low, high))
    billows = np.clip((billows - billows.mean()) / billows.std(), -1.7, 1.7)
    warp_x, warp_y = noise(rng, shape, 1, 2.4), noise(rng, shape, 1, 2.4)

    def at(field: Floats, x: Floats, y: Floats, z: Floats) -> Floats:
        """A tile of noise between its cells, trilinear, wrapped round."""
        corner = [np.floor(value).astype(np.int32) for value in (x, y, z)]
        fx, fy, fz = (value - low for value, low in zip((x, y, z), corner, strict=True))
        (x0, x1), (y0, y1), (z0, z1) = ((low % tile, (low + 1) % tile) for low in corner)
        near = [
            field[z, y, x0] * (1 - fx) + field[z, y, x1] * fx for z in (z0, z1) for y in (y0, y1)
        ]
        front = near[0] * (1 - fy) + near[1] * fy
        back = near[2] * (1 - fy) + near[3] * fy
        return np.asarray(front * (1 - fz) + back * fz)

    span = (np.arange(size, dtype=np.float32) + 0.5) / size * 2 - 1
    span_z = ((np.arange(layers, dtype=np.float32) + 0.5) / layers * 2 - 1) * 0.8
    z, y, x = np.meshgrid(span_z, span, span, indexing="ij")  # x right, y down, z away
    inside = np.sqrt(x * x + y * y + z * z) < 0.93  # half of the box never holds smoke
    x, y, z = x[inside], y[inside], z[inside]
    rim = 1 - smoothstep(0.74, 0.93, np.hypot(x, y))

    for frame in range(FRAMES):
        t = (frame + 0.5) / FRAMES
        growth = 1 - np.exp(-2.5 * t)
        radius = 0.50 + 0.17 * growth

        # The noise flows up through the puff, so that it boils while it stays in its frame.
        flow = tile * t
        wide = tile * 0.5
        bent_x = x + 0.07 * radius * at(warp_x, x * wide, y * wide + 0.35 * flow, z * wide)
        bent_y = y + 0.07 * radius * at(warp_y, x * wide + 0.2 * flow, y * wide, z * wide)
        scale = tile * 0.36 / (1 + 0.12 * growth)
        lumps = at(billows, bent_x * scale, bent_y * scale + 0.22 * flow, z * scale + 0.16 * flow)
        surface = radius * (1 + (0.15 + 0.07 * t) * lumps) - 0.1 * t * t
        depth = surface - np.sqrt(bent_x**2 + bent_y**2 + z**2)
        thickness = np.clip(depth / (0.075 + 0.15 * t * t), 0, 1) ** 2 * rim
        density = np.zeros(inside.shape, np.float32)
        density[inside] = 16 * thickness * (1 - t) ** 1.6

        # Light falls through line by line: half a cell to the right and a little to the back.
        passed = np.zeros((layers, size), np.float32)
        shadow = np.empty_like(density)
        for line in range(size):
            shadow[:, line] = passed
            passed = passed + density[:, line] * (2.8 / size)
            passed[:, 1:] = 0.5 * passed[:, 1:] + 0.5 * passed[:, :-1]
            passed[1:] = 0.6 * passed[1:] + 0.4 * passed[:-1]
        # Some of it as from the sun, some as scattered on its way.
        light = 0.2 + 0.8 * (0.6 * np.exp(-1.6 * shadow) + 0.4 * np.exp(-0.4 * shadow))

        # What the eye sees of each layer is what those in front leave of it.
        left = np.exp(-np.cumsum(density, axis=0) * (1.6 / layers))
        before = np.concatenate([np.ones((1, size, size), np.float32), left[:-1]])
        alpha = 1 - left[-1]
        glow = ((before - left) * light).sum(axis=0)
        # Where there is nothing the luminance is that of the puff, so that no filter darkens it.
        luminance = (glow + 0.01 * glow.sum() / (alpha.sum() + 1e-6)) / (alpha + 0.01)
        yield cell(1.15 * luminance), cell(alpha) * frame_mask()


# -- spark ----------------------------------------------------------------------------------


def spark(size: int = 64) -> Iterator[tuple[Floats, ...]]:
    """A round point of light: a hot core in a soft halo. Stretch makes a streak of it."""
    line = (np.arange(size, dtype=np.float32) + 0.5) / size * 2 - 1
    r = np.hypot(line[:, None], line[None, :])
    core = np.exp(-((r / 0.2) ** 2))
    halo = 0.35 * np.exp(-((r / 0.42) ** 2))
    alpha = np.clip(core + halo, 0, 1) * (1 - smoothstep(0.7, 0.95, r))
    yield 0.55 + 0.45 * core, alpha


if __name__ == "__main__":
    main()
