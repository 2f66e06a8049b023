"""Places that are given one by one: grids, points, the pixels of a picture."""

from __future__ import annotations

import contextlib
import math
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from gpuparticles.effect.arrays import MOST_ROWS, Array, ArrayLike, Rows, file_at
from gpuparticles.effect.description import Takes, default
from gpuparticles.effect.kinds import KernelField
from gpuparticles.effect.mistakes import Mistake, refused, show
from gpuparticles.effect.random import Random
from gpuparticles.effect.rules import Choice, Components, Number, Table
from gpuparticles.effect.shapes.base import Moments, Places, Shape, shape
from gpuparticles.effect.shapes.rings import unit
from gpuparticles.effect.shapes.tables import any_of, find, starts, table
from gpuparticles.effect.values import Floats, Vec3, Vec3Like

if TYPE_CHECKING:
    from PIL.Image import Image as Picture
else:
    Picture = Any  # Pillow is imported by those who have pictures

__all__ = ["COLORS", "Colors", "Directions", "Grid", "Image", "Points"]

Order = Literal["random", "sequence"]
_ORDER = Choice(get_args(Order))
_MOST_PLACES = 1 << 24  # whole numbers that float32 counts


@dataclass(frozen=True)
class Directions(Rows):
    """Rows of three numbers of which only the direction matters; a row of zeros is +Y."""

    def rows(self, value: Any) -> Floats:
        """float32 (n, 4): unit vectors."""
        return table(unit_or_up(super().rows(value)[:, :3]))


@dataclass(frozen=True)
class Colors(Rows):
    """Rows of four numbers, straight RGBA; opaque where only three are given."""

    def read(self, value: Any, folder: Path | None = None) -> Array | None:
        """An Array (n, 4)."""
        if not isinstance(value, (str, os.PathLike, Array)):
            with contextlib.suppress(ValueError, TypeError):
                given = np.array(value)
                if given.dtype.kind in "fiu" and given.ndim > 1 and given.shape[-1] == 3:
                    value = _opaque(given)
        return super().read(value, folder)

    def schema(self) -> dict[str, Any]:
        """As for other rows, but with three numbers allowed."""
        found = super().schema()
        row = found["anyOf"][0]
        while row["items"]["type"] == "array":
            row = row["items"]
        row["minItems"] = 3
        return found


COLORS = Colors("colors", 4, low=0, alpha=True, optional=True)


@shape
class Grid(Shape):
    """The points of a grid round the origin.

    ``(cell - (counts - 1) / 2) * spacing``; the cell is drawn, or counted: X first, then Y, then Z.

    Args:
        counts: How many points along X, Y and Z, each 1 or more.
        spacing: Between neighbours along X, Y and Z, in world units.
        order: ``"random"``: a birth is at any of them. ``"sequence"``: births of one burst, or by
            rate, are at one after the other.
    """

    counts: Takes[
        Vec3Like,
        Annotated[
            tuple[int, int, int],
            Components("counts", Number("a count", least=1, most=_MOST_PLACES, whole=True)),
        ],
    ] = default((10, 1, 10))
    spacing: Vec3 = default((0.2, 0.2, 0.2))
    order: Annotated[Order, _ORDER] = "random"

    @property
    def phased(self) -> bool:
        """Whether births are counted."""
        return self.order == "sequence"

    def phases(self, births: Moments) -> NDArray[np.float64]:
        """The numbers of the cells."""
        return (births.number % math.prod(self.counts)).astype(np.float64)

    def mistakes(self) -> Iterator[Mistake]:
        """More points than can be counted."""
        if math.prod(self.counts) > _MOST_PLACES:
            given = f"{show(math.prod(self.counts))} points are too many"
            yield Mistake(("counts",), f"{given}; a grid has up to {_MOST_PLACES}")

    def sample(self, random: Random) -> Places:
        """Draws X, then Y, then Z."""
        drawn = np.stack([random.next(), random.next(), random.next()], axis=1)
        counts = np.array(self.counts, np.float32)
        cell = np.minimum(np.floor(drawn * counts), counts - 1)
        if self.phased:
            nx, ny, _ = self.counts
            i = random.phase.astype(np.int64)
            cell = np.stack([i % nx, i // nx % ny, i // (nx * ny)], axis=1).astype(np.float32)
        spacing = np.array(self.spacing, np.float32)
        return Places(np.asarray((cell - (counts - 1) / 2) * spacing, np.float32))


@shape
class Points(Shape):
    """Places that are given one by one.

    Args:
        positions: float32 (n, 3), in world units.
        normals: float32 (n, 3), the directions away from the shape; +Y by default.
        colors: float32 (n, 4) or (n, 3), straight RGBA with which the colour of the birth is
            multiplied; white by default.
        order: ``"random"``: a birth is at any of them. ``"sequence"``: births of one burst, or by
            rate, are at one after the other.
    """

    positions: Takes[ArrayLike, Annotated[Array, Rows("positions", 3)]]
    normals: Takes[
        ArrayLike | None, Annotated[Array | None, Directions("normals", 3, optional=True)]
    ] = default(None)
    colors: Takes[ArrayLike | None, Annotated[Array | None, COLORS]] = default(None)
    order: Annotated[Order, _ORDER] = "random"

    @property
    def phased(self) -> bool:
        """Whether births are counted."""
        return self.order == "sequence"

    def phases(self, births: Moments) -> NDArray[np.float64]:
        """The numbers of the points."""
        return (births.number % len(self.positions)).astype(np.float64)

    @classmethod
    def example(cls) -> Self:
        """A spiral."""
        turns = [0.7 * k for k in range(12)]
        return cls(
            [
                (round(0.09 * k * math.cos(t), 3), 0, round(0.09 * k * math.sin(t), 3))
                for k, t in enumerate(turns)
            ]
        )

    def mistakes(self) -> Iterator[Mistake]:
        """Normals or colours of another number."""
        for name in ("normals", "colors"):
            given = getattr(self, name)
            if given is not None and len(given) != len(self.positions):
                counts = f"{len(given)} rows are given for {len(self.positions)} positions"
                yield Mistake((name,), f"{counts}; each has its own")

    def sample(self, random: Random) -> Places:
        """Draws the point."""
        i = any_of(len(self.positions), random.next())
        if self.phased:
            i = random.phase.astype(np.int64)
        normals = Directions("normals", 3).rows(self.normals)
        return Places(
            self.positions.data[i],
            normals[i, :3] if len(normals) else None,
            None if self.colors is None else self.colors.data[i],
        )


@dataclass(frozen=True)
class _Pixels(Rows):
    """A picture: its path, a PIL image, or an array of pixels."""

    def read(self, value: Any, folder: Path | None = None) -> Array | None:
        """An Array (height, width, 4), straight RGBA from 0 to 1, the top row first."""
        pillow: Any = sys.modules.get("PIL.Image")  # whoever has an image has imported it
        if isinstance(value, (str, os.PathLike)):
            file = file_at(value, folder)
            value = Array(_opened(file), file)
        elif pillow and isinstance(value, pillow.Image):
            value = _levels(value)
        elif isinstance(value, np.ndarray):
            value = value / np.float32(255) if value.dtype == np.uint8 else value
            if value.ndim == 2:
                value = np.stack([np.ones_like(value)] * 3 + [value], axis=-1)
            elif value.ndim == 3 and value.shape[2] == 3:
                value = _opaque(value)
        held = super().read(value, folder)
        if held is not None and not held.data[..., 3].any():
            raise refused("every pixel is transparent; particles are born where alpha is above 0")
        return held

    def schema(self) -> dict[str, Any]:
        """Rows of pixels, or the path of a picture."""
        pixels, _ = super().schema()["anyOf"]
        return {"anyOf": [pixels, {"type": "string", "pattern": r"\S"}]}

    def __str__(self) -> str:
        return "a picture is the path of one, a PIL image, or an array of pixels (height, width, 4)"


_PictureLike: TypeAlias = "str | os.PathLike[str] | Picture | ArrayLike"


@shape
class Image(Shape):
    """A picture in the XY plane round the origin, which faces +Z: particles are its pixels.

    A pixel is as likely as it is opaque, and the place within it is uniform.

    Args:
        picture: The path of a picture, a PIL image, or an array of pixels: (height, width, 4) or
            (height, width, 3), straight RGBA from 0 to 1 (of dtype uint8: to 255), or
            (height, width), the alpha of a white one; the top row first. A path in a document is
            relative to the document.
        width: In world units, 0 or more; the height follows from it.
        colored: The colour of a birth is multiplied with that of its pixel.
    """

    picture: Takes[_PictureLike, Annotated[Array, _Pixels("pixels", 4, axes=2, low=0, alpha=True)]]
    width: Annotated[float, Number("a width", least=0)] = 1.0
    colored: bool = True

    @classmethod
    def example(cls) -> Self:
        """A ring of four by four pixels."""
        rows = ("0110", "1001", "1001", "0110")
        return cls([[(0, 1, 1, int(bit)) for bit in row] for row in rows], 2)

    @property
    def pixels(self) -> Floats:
        """Of each that is not transparent the lower left corner, the width, and its share."""
        height, width, _ = self.picture.shape
        alpha = self.picture.data[..., 3]
        y, x = np.nonzero(alpha)
        return table(
            x / width - 0.5,
            (height / 2 - y - 1) / width,
            np.full(len(x), 1 / width),
            starts(alpha[y, x].astype(np.float64)),
        )

    @property
    def colors(self) -> Floats:
        """Of each that is not transparent the colour; alpha is in how likely it is."""
        if not self.colored:
            return np.zeros((0, 4), np.float32)
        data = self.picture.data
        colors = data[np.nonzero(data[..., 3])]
        return table(colors[:, :3], np.ones(len(colors)))

    def sample(self, random: Random) -> Places:
        """Draws the pixel, then X and Y within it."""
        pixels, colors = self.pixels, self.colors
        i = find(pixels[:, 3], random.next())
        x, y = random.next(), random.next()
        left, bottom, size, _ = pixels[i].T
        width = np.float32(self.width)
        position = np.stack(
            [width * (left + size * x), width * (bottom + size * y), np.zeros_like(x)], axis=1
        )
        normal = np.tile(np.array([0, 0, 1], np.float32), (len(x), 1))
        return Places(position, normal, colors[i] if len(colors) else None)

    kernel_fields = (
        KernelField("pixels", "vec2", None, Table()),
        KernelField("colors", "vec2", None, Table()),
        KernelField("width", "float", None, Number("a width", least=0)),
    )


def unit_or_up(vectors: NDArray[Any]) -> Floats:
    """Unit vectors (n, 3); +Y where there is no direction."""
    units = unit(vectors)
    units[~units.any(axis=1)] = (0, 1, 0)
    return units


def _opaque(colors: NDArray[Any]) -> NDArray[Any]:
    """Colours with an alpha of 1."""
    return np.concatenate([colors, np.ones_like(colors[..., :1])], axis=-1)


def _levels(picture: Picture) -> Floats:
    return np.asarray(picture.convert("RGBA"), np.float32) / np.float32(255)


def _opened(file: Path) -> Floats:
    """The pixels of a picture file."""
    from PIL import Image as pillow  # noqa: N813 - a module; only who opens one needs it

    try:
        with pillow.open(file) as picture:
            width, height = picture.size
            pixels = _levels(picture) if width * height <= MOST_ROWS else None
    except (OSError, ValueError, SyntaxError) as error:  # Pillow raises each for broken files
        why = getattr(error, "strerror", None) or "it is no picture, or a broken one"
        raise refused(f"{file}: cannot be read: {why}") from None
    if pixels is None:
        size = f"{width} x {height} pixels"
        raise refused(f"{file}: {size} are too many; a picture has up to {MOST_ROWS}")
    return pixels
