"""Collisions with surfaces that are given by samples: ground by heights, anything by distances."""

from __future__ import annotations

import math
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
from gpuparticles.effect.mistakes import refused, show
from gpuparticles.effect.modifiers.base import Contact, Particles, Space, modifier
from gpuparticles.effect.modifiers.collisions import Collision
from gpuparticles.effect.modifiers.contact import (
    Bools,
    Flight,
    Planes,
    axes_of,
    collide,
    fall_time,
    length,
    meets,
    skin_at,
    unit,
)
from gpuparticles.effect.modifiers.volumes import HalfSize, Turned, box_span, within
from gpuparticles.effect.rules import Number
from gpuparticles.effect.values import Direction, Floats, Vec3, Vec3Like
from gpuparticles.errors import EffectError

if TYPE_CHECKING:
    from PIL.Image import Image as Picture
else:
    Picture = Any  # Pillow is imported by those who have pictures

__all__ = ["CollideField", "CollideHeight"]

_GROUND_CELLS = 256
_DISTANCE_STEPS = 128
_NOWHERE = np.float32(1e6)


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


@dataclass(frozen=True)
class _Distances(Rows):
    """Distances on a grid of shape (z, y, x), or the path of a .npy file that holds one."""

    def rows(self, value: Any) -> Floats:
        """How many cells there are; then each sample with its neighbours along x, y and both."""
        d = value.data
        z, y, x = d.shape
        padded = np.pad(d, ((0, 0), (0, 1), (0, 1)), "edge")
        corners = [padded[:, :y, :x], padded[:, :y, 1:], padded[:, 1:, :x], padded[:, 1:, 1:]]
        count = np.array([[x - 1, y - 1, z - 1, 0]], np.float32)
        return np.concatenate([count, np.stack(corners, axis=-1).reshape(-1, 4)])


_SIDE = Number("a side", least=1e-6)
HeightsLike: TypeAlias = "ArrayLike | Picture"


@modifier
class CollideHeight(Turned, Collision):
    """Bounce off ground whose height is given over a rectangle, and never be below it.

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
        x0, y0, z0 = _place(cls, center)
        across, along = _counts(cls, samples, 2)
        w, d = float(width), float(depth)
        xs = x0 + w * (np.linspace(0, 1, across) - 0.5)
        zs = z0 + d * (np.linspace(0, 1, along) - 0.5)
        heights = [[_number(cls, height, float(x), float(z)) - y0 for x in xs] for z in zs]
        return cls(heights, width, depth, center=center, **_without_axes(cls, settings))

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
        point = self.center + _from_axes(self.axes, [x, height, z])
        ones = np.ones_like(height)
        down_x, down_z = np.asarray(-slope, np.float32).T
        normal = unit(_from_axes(self.axes, [down_x, ones, down_z]))
        across = np.einsum("ni,ni->n", self.axes[:, 1], normal)
        return Planes(point, normal, self.axes[:, 1] / across[:, None])

    def nearest(self, place: Floats) -> Planes:
        """The planes that touch the ground above or below places."""
        at = self.at(within(self.axes, place - self.center))
        cells = self.cells.astype(np.float32)
        there = np.all((at >= 0) & (at <= cells), axis=1)
        held = np.where(there[:, None], at, 0)
        found = self.touched(np.minimum(held, cells - 1).astype(np.int64), held)
        return _where_there(there, found, place, self.axes[:, 1])

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
        for number in range(_GROUND_CELLS):
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
        return touched | met, _either(touched, near, face)


@modifier
class CollideField(Turned, Collision):
    """Bounce off the surface that samples of the distance to it describe.

    Between the samples the distance is trilinear, and the surface lies where it is 0. A particle on
    the wrong side is put back; beside the box there is nothing. The way of a step is followed as a
    straight line in steps of half a cell or of the distance, 128 at the most: nothing passes
    through what is thicker than half a cell at 64 cells a step.

    Args:
        distances: To the surface in units, negative where particles may not be: an array of shape
            (z, y, x), or the path of a .npy file that holds one. The outermost lie on the faces
            of the box. `of` samples a function.
        half: Half the box' widths along its axes, in units.
        center: The middle of the box, in units.
        right: Direction of its first axis.
        up: Direction of its second axis, as far as it is perpendicular to the first.
        inside: Whether particles are kept where the distance is negative, instead of out of there.
        space: Where the box lies: in the world or in the emitter's space.
    """

    distances: Takes[ArrayLike, Annotated[Array, _Distances("distances", 1, axes=3, least=2)]]
    half: HalfSize = default((1.0, 1.0, 1.0))
    center: Annotated[Vec3, POINT] = default((0.0, 0.0, 0.0))
    right: Annotated[Direction, DIRECTION] = default((1.0, 0.0, 0.0))
    up: Annotated[Direction, DIRECTION] = default((0.0, 1.0, 0.0))
    inside: bool = False
    space: Space = "world"

    @classmethod
    def of(
        cls,
        distance: Callable[[float, float, float], float],
        half: Sequence[float] = (1.0, 1.0, 1.0),
        *,
        samples: Sequence[int] = (32, 32, 32),
        center: Vec3Like = (0.0, 0.0, 0.0),
        **settings: Any,
    ) -> Self:
        """A surface whose distance is a function, which is asked here, once for each sample.

        Args:
            distance: ``distance(x, y, z)``: how far the surface is from a place in the space of the
                field, negative behind it.
            half: Half the widths of the box along x, y and z.
            samples: How many along x, y and z, 2 or more each.
            center: The middle of the box.
            settings: Other fields. Axes are not among them: x, y and z are the function's.

        Raises:
            EffectError: Distances that are no numbers, or not such settings.
        """
        counts = _counts(cls, samples, 3)
        middle, reach = _place(cls, center), _place(cls, half, "half")
        xs, ys, zs = (
            c + h * np.linspace(-1, 1, count)
            for c, h, count in zip(middle, reach, counts, strict=True)
        )
        distances = [
            [[_number(cls, distance, float(x), float(y), float(z)) for x in xs] for y in ys]
            for z in zs
        ]
        return cls(distances, half, center, **_without_axes(cls, settings))

    @classmethod
    def example(cls) -> Self:
        """A boulder in the way of a fountain, from the distances to a ball."""
        return cls.of(
            lambda *place: round(math.hypot(*place) - 0.6, 1),
            (0.8, 0.8, 0.8),
            samples=(3, 3, 3),
        )

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
        """In steps that no surface can hide in, then by halves; at last by the nearest way out."""
        samples = self.distances.data
        cells = np.array(samples.shape[::-1], np.int64) - 1
        half = np.array(self.half, np.float32)
        spacing = np.asarray(np.maximum(2 * half, np.float32(1e-30)) / cells, np.float32)
        side = np.float32(-1 if self.inside else 1)
        axes = axes_of(right, up)
        field = _Field(samples, cells, spacing, half, center, axes, side, contact.radius)
        return collide(self, particles, before, h, contact, field.ahead, field.nearest, walls=4)


class _Field(NamedTuple):
    """Distances as particles meet them: the twin of ``lib/distances.glsl``.

    Args:
        samples: float32 (z, y, x), in units.
        cells: int (3,), how many there are along x, y and z.
        spacing: float32 (3,), units a cell.
        half: float32 (3,), in units.
        center: float32 (n, 3).
        axes: float32 (n, 3, 3).
        side: -1 where particles are kept behind the surface, else 1.
        radius: float32 (n,), how far from it each particle is kept.
    """

    samples: Floats
    cells: NDArray[np.int64]
    spacing: Floats
    half: Floats
    center: Floats
    axes: Floats
    side: np.float32
    radius: Floats

    def at(self, local: Floats) -> tuple[Floats, Floats]:
        """The distance of places in the box, (n,), and where it grows, (n, 3), in its axes."""
        cells = self.cells.astype(np.float32)
        at = np.clip(local / self.spacing + np.float32(0.5) * cells, 0, cells).astype(np.float32)
        cell = np.minimum(np.floor(at), cells - 1)
        f = at - cell
        x, y, z = cell.astype(np.int64).T
        corner = [self.samples[z + k, y + j, x + i] for k in (0, 1) for j in (0, 1) for i in (0, 1)]
        fx, fy, fz = f.T
        layer = [_mix(corner[i], corner[i + 4], fz) for i in range(4)]
        rows = [_mix(layer[0], layer[1], fx), _mix(layer[2], layer[3], fx)]
        columns = [_mix(layer[0], layer[2], fy), _mix(layer[1], layer[3], fy)]
        deeper = [corner[i + 4] - corner[i] for i in range(4)]
        deep = _mix(_mix(deeper[0], deeper[1], fx), _mix(deeper[2], deeper[3], fx), fy)
        slope = np.stack([columns[1] - columns[0], rows[1] - rows[0], deep], axis=1)
        return self.side * _mix(
            rows[0], rows[1], fy
        ) - self.radius, self.side * slope / self.spacing

    def nearest(self, place: Floats) -> Planes:
        """The planes that stand for the surface as seen from places."""
        local = within(self.axes, place - self.center)
        there = np.all(np.abs(local) <= self.half, axis=1)
        distance, slope = self.at(local)
        normal = unit(_from_axes(self.axes, list(slope.T)))
        normal = np.where(np.any(normal, axis=1)[:, None], normal, self.axes[:, 1])
        return _where_there(
            there, Planes(place - normal * distance[:, None], normal), place, self.axes[:, 1]
        )

    def ahead(self, flight: Flight) -> tuple[Bools, Planes]:
        """What is met first on the straight way."""
        near = self.nearest(flight.origin)
        skin = skin_at(flight.origin)
        on = near.over(flight.origin) <= skin
        touched = on & meets(near, flight)
        start = within(self.axes, flight.origin - self.center)
        way = within(self.axes, flight.position - self.center) - start
        enters, leaves, _ = box_span(start, start + way, self.half)
        t, end = np.maximum(enters, 0), np.minimum(leaves, 1)
        slack = np.where(on | flight.last, skin, 0).astype(np.float32)
        least = np.float32(0.5) * self.spacing.min()
        pace = 1 / np.maximum(length(way), np.float32(1e-30))

        def over_at(t: Floats) -> Floats:
            return self.at(start + t[:, None] * way)[0] + slack

        goes = ~touched & (t < end)
        t = np.where(goes, t, 0).astype(np.float32)
        over = over_at(t)
        met = np.zeros_like(touched)
        low, high = t.copy(), t.copy()
        for _ in range(_DISTANCE_STEPS):
            if not np.any(goes):
                break
            after = np.minimum(t + np.maximum(over, least) * pace, end).astype(np.float32)
            after = np.where(goes, after, t)
            then = over_at(after)
            hit = goes & (over >= 0) & (then < 0)
            low[hit], high[hit] = t[hit], after[hit]
            met |= hit
            goes &= ~hit & (after < end)
            t, over = after, then
        for _ in range(12):
            middle = np.float32(0.5) * (low + high)
            behind = over_at(middle) < 0
            high, low = np.where(behind, middle, high), np.where(behind, low, middle)
        face = self.nearest(flight.origin + high[:, None] * (flight.position - flight.origin))
        return touched | met, _either(touched, near, face)


def _bilinear(form: Floats, f: Floats) -> Floats:
    x, z = f.T
    height: Floats = form[:, 0] + form[:, 1] * x + form[:, 2] * z + form[:, 3] * x * z
    return height


def _mix(a: Floats, b: Floats, f: Floats) -> Floats:
    return a * (1 - f) + b * f


def _from_axes(axes: Floats, local: Sequence[Floats]) -> Floats:
    """Vectors that are given along axes."""
    x, y, z = (axes[:, i] * part[:, None] for i, part in enumerate(local))
    return np.asarray(x + y + z, np.float32)


def _where_there(there: Bools, planes: Planes, place: Floats, up: Floats) -> Planes:
    """Planes, and where there is none one that nobody is behind."""
    which = there[:, None]
    point = np.where(which, planes.point, place - _NOWHERE * up)
    way = planes.normal if planes.way is None else planes.way
    return Planes(point, np.where(which, planes.normal, up), np.where(which, way, up))


def _either(which: Bools, these: Planes, those: Planes) -> Planes:
    """Of each particle one of two planes."""
    chosen = which[:, None]
    return Planes(
        np.where(chosen, these.point, those.point), np.where(chosen, these.normal, those.normal)
    )


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


def _number(cls: type, function: Callable[..., Any], *place: float) -> float:
    """What a function says of a place."""
    try:
        number = float(function(*place))
    except (TypeError, ValueError) as error:
        raise EffectError(f"{cls.__name__}.of: the function gives no number: {error}") from error
    if not math.isfinite(number):
        where = ", ".join(f"{part:g}" for part in place)
        raise EffectError(f"{cls.__name__}.of: the function gives {number} at ({where})")
    return number


def _place(cls: type, value: Any, name: str = "center") -> tuple[float, float, float]:
    try:
        x, y, z = map(float, value)
    except (TypeError, ValueError):
        given = f"{cls.__name__}.of: {name}: {show(value)}"
        raise EffectError(f"{given} is not a vector; a vector has 3 components") from None
    return x, y, z


def _counts(cls: type, samples: Any, axes: int) -> tuple[int, ...]:
    try:
        counts = tuple(map(int, samples))
    except (TypeError, ValueError):
        counts = ()
    if len(counts) != axes or min(counts) < 2 or math.prod(counts) > MOST_ROWS:
        given = f"{cls.__name__}.of: samples: {show(samples)}"
        most = f"2 or more each and up to {MOST_ROWS} in all"
        raise EffectError(f"{given} are not {axes} whole numbers, {most}")
    return counts


def _without_axes(cls: type, settings: dict[str, Any]) -> dict[str, Any]:
    for name in ("right", "up"):
        if name in settings:
            raise EffectError(f"{cls.__name__}.of: {name}: x, y and z are those of the function")
    return settings
