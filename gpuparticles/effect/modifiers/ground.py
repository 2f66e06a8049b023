"""Collisions with ground that is given by its heights."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gpuparticles.effect.arrays import MOST_ROWS, Array, ArrayLike, Rows, file_at
from gpuparticles.effect.description import Takes, default
from gpuparticles.effect.kinds import DIRECTION, POINT
from gpuparticles.effect.mistakes import refused
from gpuparticles.effect.modifiers.base import Contact, Particles, Space, modifier
from gpuparticles.effect.modifiers.collisions import Collision
from gpuparticles.effect.modifiers.contact import (
    Bools,
    Flight,
    Planes,
    axes_of,
    collide,
    fall_time,
    meets,
    skin_at,
    unit,
)
from gpuparticles.effect.modifiers.sampled import (
    counts_of,
    either,
    from_axes,
    number_at,
    place_of,
    where_there,
    without_axes,
)
from gpuparticles.effect.modifiers.volumes import Turned, within
from gpuparticles.effect.rules import Number
from gpuparticles.effect.values import Direction, Floats, Vec3, Vec3Like

if TYPE_CHECKING:
    from PIL.Image import Image as Picture
else:
    Picture = Any  # Pillow is imported by those who have pictures

__all__ = ["CollideHeight"]

_CELLS = 256
_SIDE = Number("a side", least=1e-6)

HeightsLike: TypeAlias = "ArrayLike | Picture"


@dataclass(frozen=True)
class _Heights(Rows):
    """Heights on a grid of shape (z, x), a picture of them, or the path of either."""

    def read(self, value: Any, folder: Path | None = None) -> Array | None:
        """An Array; the brightness of a picture is 0 to 1."""
        pillow: Any = sys.modules.get("PIL.Image")  # whoever has an image has imported it
        if pillow and isinstance(value, pillow.Image):
            value = _brightness(value)
        elif isinstance(value, (str, os.PathLike)):
            file = file_at(value, folder)
            if file.suffix != ".npy":
                value = Array(_opened(file), file)
        return super().read(value, folder)

    def rows(self, value: Any) -> Floats:
        """How many cells there are; then each with the heights of its corners."""
        h = value.data
        corners = [h[:-1, :-1], h[:-1, 1:], h[1:, :-1], h[1:, 1:]]
        cells = np.stack(corners, axis=-1).reshape(-1, 4)
        count = np.array([[h.shape[1] - 1, h.shape[0] - 1, 0, 0]], np.float32)
        return np.concatenate([count, cells])

    def schema(self) -> dict[str, Any]:
        """Nested arrays of numbers, or a string."""
        numbers, _ = super().schema()["anyOf"]
        return {"anyOf": [numbers, {"type": "string", "pattern": r"\S"}]}

    def __str__(self) -> str:
        return (
            "heights are 2 or more by 2 or more numbers, rows along x; a picture; "
            "or the path of a .npy file or a picture"
        )


@modifier
class CollideHeight(Turned, Collision):
    """Bounce off ground whose height is given over a rectangle, and never be below it.

    ``velocity = (1 - friction) * along - restitution * across``, parts of the velocity along the
    surface and across it, where and when the particle meets it.

    Between the samples the height is bilinear. A particle below the ground is put onto it, straight
    up, however it came there; beside the rectangle there is no ground. The way of a step is
    followed as a straight line through up to 256 cells; of a longer one only the end is looked at.

    Args:
        heights: In units: an array of shape (z, x), whose first row is the one at the lowest z; the
            path of a .npy file that holds one; or a picture or its path, whose brightness from 0
            to 1 is the height and whose top row comes first. The outermost samples lie on the
            sides of the rectangle. `of` samples a function.
        width: Of the rectangle along `right`, in units, above 0.
        depth: Of the rectangle across it, in units, above 0.
        scale: Factor of the heights: of a picture how much higher white is than black.
        center: The middle of the rectangle at height 0, in units.
        right: Direction of the rows.
        up: Where up is, as far as it is perpendicular to `right`.
        space: Where the ground lies: in the world or in the emitter's space.
    """

    heights: Takes[HeightsLike, Annotated[Array, _Heights("heights", 1, axes=2, least=2)]]
    width: Annotated[float, _SIDE] = 10.0
    depth: Annotated[float, _SIDE] = 10.0
    scale: Annotated[float, Number("a factor")] = 1.0
    center: Annotated[Vec3, POINT] = default((0.0, 0.0, 0.0))
    right: Annotated[Direction, DIRECTION] = default((1.0, 0.0, 0.0))
    up: Annotated[Direction, DIRECTION] = default((0.0, 1.0, 0.0))
    space: Space = "world"

    @classmethod
    def of(
        cls,
        height: Callable[[float, float], float],
        width: float = 10.0,
        depth: float = 10.0,
        *,
        samples: Sequence[int] = (64, 64),
        center: Vec3Like = (0.0, 0.0, 0.0),
        **settings: Any,
    ) -> Self:
        """Ground whose height is a function, which is asked here, once for each sample.

        Args:
            height: ``height(x, z)``: the height there, all three in the space of the ground.
            width: Along x.
            depth: Along z.
            samples: How many along x and along z, 2 or more each.
            center: The middle of the rectangle; what the function says of it does not depend on
                its y.
            settings: Other fields. Axes are not among them: x and z are the function's.

        Raises:
            EffectError: Heights that are no numbers, or not such settings.
        """
        x0, y0, z0 = place_of(cls, center)
        across, along = counts_of(cls, samples, 2)
        w, d = float(width), float(depth)
        xs = x0 + w * (np.linspace(0, 1, across) - 0.5)
        zs = z0 + d * (np.linspace(0, 1, along) - 0.5)
        heights = [[number_at(cls, height, float(x), float(z)) - y0 for x in xs] for z in zs]
        return cls(heights, width, depth, center=center, **without_axes(cls, settings))

    @classmethod
    def example(cls) -> Self:
        """A valley in the way of a fountain."""
        heights = [[1.2, 0.3, 0, 0.5, 1], [1.0, 0.1, 0.1, 0.3, 0.8], [0.9, 0.4, 0, 0.2, 1.1]]
        return cls(heights, 4, 2, center=(0, -0.6, 0))

    def constrained(
        self,
        particles: Particles,
        before: Particles,
        h: Floats,
        contact: Contact,
        center: Floats,
        right: Floats,
        up: Floats,
    ) -> tuple[Floats, Floats, Contact]:
        """Cell by cell along the way; at last straight up, where the height is exact."""
        heights = np.float32(self.scale) * self.heights.data
        cells = np.array((heights.shape[1] - 1, heights.shape[0] - 1), np.int64)
        size = np.array((self.width, self.depth), np.float32)
        spacing = np.asarray(size / cells, np.float32)
        ground = _Ground(heights, cells, spacing, center, axes_of(right, up), contact.radius)
        return collide(self, particles, before, h, contact, ground.ahead, ground.nearest)


class _Ground(NamedTuple):
    """Ground as particles meet it: the twin of ``lib/ground.glsl``.

    Args:
        heights: float32 (z, x), in units.
        cells: int (2,), how many there are along x and z.
        spacing: float32 (2,), units a cell.
        center: float32 (n, 3).
        axes: float32 (n, 3, 3).
        radius: float32 (n,), how far from it each particle is kept.
    """

    heights: Floats
    cells: NDArray[np.int64]
    spacing: Floats
    center: Floats
    axes: Floats
    radius: Floats

    def at(self, local: Floats) -> Floats:
        """Where places lie, in cells from the first corner, (n, 2)."""
        middle = np.float32(0.5) * self.cells.astype(np.float32)
        return np.asarray(local[:, ::2] / self.spacing + middle, np.float32)

    def form(self, cell: NDArray[np.int64]) -> Floats:
        """The height over cells, a + b x + c z + d x z, as (n, 4)."""
        x, z = cell.T
        a, b, c, d = (self.heights[z + j, x + i] for j in (0, 1) for i in (0, 1))
        form = np.stack([a, b - a, c - a, a - b - c + d], axis=1)
        slope = (form[:, 1:3] + np.float32(0.5) * form[:, 3:]) / self.spacing
        form[:, 0] += self.radius * np.sqrt(1 + np.sum(slope * slope, axis=1))
        return form

    def touched(self, cell: NDArray[np.int64], at: Floats) -> Planes:
        """The planes that touch cells in places."""
        form = self.form(cell)
        f = at - cell.astype(np.float32)
        slope = (form[:, 1:3] + form[:, 3:] * f[:, ::-1]) / self.spacing
        height = _bilinear(form, f)
        middle = np.float32(0.5) * self.cells.astype(np.float32)
        x, z = np.asarray((at - middle) * self.spacing, np.float32).T
        point = self.center + from_axes(self.axes, [x, height, z])
        ones = np.ones_like(height)
        down_x, down_z = np.asarray(-slope, np.float32).T
        normal = unit(from_axes(self.axes, [down_x, ones, down_z]))
        across = np.einsum("ni,ni->n", self.axes[:, 1], normal)
        return Planes(point, normal, self.axes[:, 1] / across[:, None])

    def nearest(self, place: Floats) -> Planes:
        """The planes that touch the ground above or below places."""
        at = self.at(within(self.axes, place - self.center))
        cells = self.cells.astype(np.float32)
        there = np.all((at >= 0) & (at <= cells), axis=1)
        held = np.where(there[:, None], at, 0)
        found = self.touched(np.minimum(held, cells - 1).astype(np.int64), held)
        return where_there(there, found, place, self.axes[:, 1])

    def ahead(self, flight: Flight) -> tuple[Bools, Planes]:
        """What is met first on the straight way, cell by cell."""
        near = self.nearest(flight.origin)
        skin = skin_at(flight.origin)
        on = near.over(flight.origin) <= skin
        touched = on & meets(near, flight)
        start = within(self.axes, flight.origin - self.center)
        stop = within(self.axes, flight.position - self.center)
        begin = self.at(start)
        way = self.at(stop) - begin
        cells = self.cells.astype(np.float32)
        moves = np.abs(way) >= np.float32(1e-30)
        safe = np.where(moves, way, 1).astype(np.float32)
        t = np.zeros(len(way), np.float32)
        end = np.ones(len(way), np.float32)
        for k in range(2):
            first, last = -begin[:, k] / safe[:, k], (cells[k] - begin[:, k]) / safe[:, k]
            beside = (begin[:, k] < 0) | (begin[:, k] > cells[k])
            t = np.where(moves[:, k], np.maximum(t, np.minimum(first, last)), t)
            still = np.where(beside, -1, end)
            end = np.where(moves[:, k], np.minimum(end, np.maximum(first, last)), still)
        slack = np.where(on | flight.last, skin, 0).astype(np.float32)
        goes = ~touched & (t <= end)
        entry = np.where(goes[:, None], begin + t[:, None] * way, 0)
        cell = np.clip(np.floor(entry), 0, cells - 1).astype(np.int64)
        met = np.zeros_like(touched)
        place, where = entry.copy(), cell.copy()
        rise = stop[:, 1] - start[:, 1]
        for number in range(_CELLS):
            if not np.any(goes):
                break
            ahead = (cell + (way > 0) - begin) / safe
            after = np.where(moves, ahead, 2).astype(np.float32)
            last = np.maximum(t, np.minimum(after.min(axis=1), end))
            form = self.form(cell)
            f = begin - cell.astype(np.float32)
            c = start[:, 1] + slack - _bilinear(form, f)
            twist = form[:, 3] * (f[:, 0] * way[:, 1] + f[:, 1] * way[:, 0])
            b = rise - (form[:, 1] * way[:, 0] + form[:, 2] * way[:, 1] + twist)
            a = -form[:, 3] * way[:, 0] * way[:, 1]
            reaches = b * b >= 4 * a * c
            down = np.where(reaches, fall_time(c, b, 2 * a), np.float32(2))
            crosses = (down >= t) & (down <= last)
            sinks = ((number > 0) | (c + t * (b + t * a) >= 0)) & (c + last * (b + last * a) < 0)
            hit = goes & (crosses | sinks)
            met |= hit
            where[hit] = cell[hit]
            place[hit] = (begin + np.clip(down, t, last)[:, None] * way)[hit]
            goes &= ~hit & (last < end)
            axis = np.where(after[:, 0] < after[:, 1], 0, 1)
            each = np.arange(len(cell))
            step = np.where(way[each, axis] > 0, 1, -1)
            cell[each, axis] += np.where(goes, step, 0)
            goes &= np.all((cell >= 0) & (cell < self.cells), axis=1)
            cell = np.clip(cell, 0, self.cells - 1)
            t = last
        face = self.touched(where, place)
        return touched | met, either(touched, near, face)


def _bilinear(form: Floats, f: Floats) -> Floats:
    x, z = f.T
    height: Floats = form[:, 0] + form[:, 1] * x + form[:, 2] * z + form[:, 3] * x * z
    return height


def _brightness(picture: Picture) -> Floats:
    """The brightness of pixels, 0 to 1; of 16 bits all of them."""
    if picture.mode == "F":
        return np.asarray(picture, np.float32)
    if picture.mode.startswith("I"):
        return np.asarray(picture, np.float32) / np.float32(65535)
    return np.asarray(picture.convert("L"), np.float32) / np.float32(255)


def _opened(file: Path) -> Floats:
    """The brightness of a picture file."""
    from PIL import Image as pillow  # noqa: N813 - a module; only who opens one needs it

    try:
        with pillow.open(file) as picture:
            width, height = picture.size
            if width * height <= MOST_ROWS:
                return _brightness(picture)
    except (OSError, ValueError, SyntaxError) as error:  # Pillow raises each for broken files
        why = getattr(error, "strerror", None) or "it is no picture, or a broken one"
        raise refused(f"{file}: cannot be read: {why}") from None
    size = f"{width} x {height} pixels"
    raise refused(f"{file}: {size} are too many; a picture has up to {MOST_ROWS}")
