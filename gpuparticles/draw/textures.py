"""Sprite textures: loaded once per system, or borrowed from the host."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import moderngl
import numpy as np
from PIL import Image

from gpuparticles.effect.mistakes import show
from gpuparticles.errors import ContextError, EffectError

__all__ = ["Look", "Sheet", "Textures", "premultiplied", "whole_levels"]


class Sheet(NamedTuple):
    """A picture that is asked for.

    Args:
        source: Its path, a PIL image, a texture of the host, or None.
        filter: ``"linear"`` or ``"nearest"``.
        premultiplied: Whether its colours are multiplied by its alpha already; None for the usual.
            What is no colour counts as if it were.
        columns: Frames side by side.
        rows: Rows of frames.
    """

    source: object
    filter: str = "linear"
    premultiplied: bool | None = None
    columns: int = 1
    rows: int = 1


class Look(NamedTuple):
    """What a sprite pass needs to know of a texture.

    Args:
        texture: The texture; None for the procedural disc.
        mip_limit: Its last usable mip level.
        straight: Whether its colours are yet to be multiplied by its alpha.
    """

    texture: moderngl.Texture | None
    mip_limit: float
    straight: bool = False


class _Held:
    """A texture of ours, and how many sprites use it."""

    def __init__(self, texture: moderngl.Texture, mipmaps: bool) -> None:
        self.texture = texture
        self.mipmaps = mipmaps
        self.users = 0


class Textures:
    """The sprite textures of one system.

    Files and PIL images are premultiplied, turned bottom row first and uploaded once however many
    sprites show them; the last release frees them. The host's textures are used as they are.

    Args:
        ctx: The context.
    """

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self._held: dict[Any, _Held] = {}

    @property
    def nbytes(self) -> int:
        """GPU memory of the textures that are ours, mip levels included."""
        return sum(
            4 * held.texture.width * held.texture.height * (4 if held.mipmaps else 3) // 3
            for held in self._held.values()
        )

    def acquire(self, sheet: Sheet, where: str) -> Look:
        """The texture of a picture. Every acquire wants one release.

        Args:
            sheet: Which.
            where: Names emitter and field in errors.

        Raises:
            EffectError: A file that is missing or no image; a texture that no sprite can show.
            ContextError: A texture of another context, or one that has been released; an image
                larger than textures can be.
        """
        source, columns, rows = sheet.source, sheet.columns, sheet.rows
        if source is None:
            return Look(None, 0.0)
        if not isinstance(source, (str, Path, Image.Image)):
            texture = self._borrowed(source, where)
            straight = sheet.premultiplied is False
            return Look(texture, whole_levels(texture.size, columns, rows), straight)
        key = self._key(sheet)
        held = self._held.get(key)
        if held is None:
            held = self._held[key] = self._upload(_open(source, where), sheet, where)
        held.users += 1
        levels = whole_levels(held.texture.size, columns, rows) if held.mipmaps else 0.0
        return Look(held.texture, levels)

    def release(self, sheet: Sheet) -> None:
        """Give the texture of a picture back."""
        key = self._key(sheet)
        held = self._held.get(key)
        if held is not None:
            held.users -= 1
            if not held.users:
                held.texture.release()
                del self._held[key]

    def _key(self, sheet: Sheet) -> Any:
        source = sheet.source
        path = str(source) if isinstance(source, (str, Path)) else id(source)
        return path, sheet.filter, sheet.premultiplied

    def _borrowed(self, source: object, where: str) -> moderngl.Texture:
        if isinstance(getattr(source, "mglo", None), moderngl.InvalidObject):
            raise ContextError(f"{where}: the texture has been released")
        if not isinstance(source, moderngl.Texture) or source.samples or source.dtype[0] in "iu":
            raise EffectError(f"{where}: {show(source)} is not a 2D texture of colours")
        if source.ctx is not self._ctx:
            raise ContextError(f"{where}: it belongs to another OpenGL context")
        return source

    def _upload(self, image: Image.Image, sheet: Sheet, where: str) -> _Held:
        limit = self._ctx.info["GL_MAX_TEXTURE_SIZE"]
        if min(image.size) == 0:
            raise EffectError(f"{where}: the image is {_by(image.size)} pixels")
        if max(image.size) > limit:
            raise ContextError(
                f"{where}: the image is {_by(image.size)} pixels, but this "
                f"context's textures hold {limit} a side at the most"
            )
        pixels = _pixels(image, _name(sheet.source), where)
        if not sheet.premultiplied:
            pixels = premultiplied(pixels)
        texture = self._ctx.texture(image.size, 4, pixels[::-1].tobytes())
        texture.repeat_x = texture.repeat_y = False
        mipmaps = sheet.filter == "linear"
        if mipmaps:
            texture.build_mipmaps()
            texture.filter = (moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR)
        else:
            texture.filter = (moderngl.NEAREST, moderngl.NEAREST)
        return _Held(texture, mipmaps)


def premultiplied(
    pixels: np.ndarray[Any, np.dtype[np.uint8]],
) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Straight RGBA to premultiplied, rounded.

    Args:
        pixels: uint8 of shape (..., 4).
    """
    wide = pixels.astype(np.uint16)
    alpha = wide[..., 3:]
    wide[..., :3] = (wide[..., :3] * alpha + 127) // 255
    return wide.astype(np.uint8)


def whole_levels(size: tuple[int, int], columns: int, rows: int) -> float:
    """The last mip level on which no texel straddles two frames of a sheet.

    A level halves both sides, so a frame's sides must be even as often. A single frame has no
    neighbours, and all levels.
    """
    if columns == rows == 1:
        return 1000.0
    cell = [
        pixels // count if pixels % count == 0 else 1
        for pixels, count in zip(size, (columns, rows), strict=True)
    ]
    return float(min((side & -side).bit_length() - 1 for side in cell))


def _by(size: tuple[int, int]) -> str:
    return f"{size[0]} by {size[1]}"


def _open(source: object, where: str) -> Image.Image:
    try:
        if isinstance(source, Image.Image):
            source.load()
            return source
        assert isinstance(source, (str, Path))
        with Image.open(source) as image:
            image.load()
            return image
    except FileNotFoundError as error:
        raise EffectError(f"{where}: there is no file {_name(source)}") from error
    except Exception as error:  # a decoder's slip in a broken file can be any
        raise _unreadable(_name(source), where, error) from error


def _pixels(image: Image.Image, name: str, where: str) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Straight RGBA of 8 bits; Pillow would cut deeper greys off at 255."""
    try:
        if image.mode == "F":
            image = _grey(np.nan_to_num(np.asarray(image)))
        elif image.mode == "I" or image.mode.startswith("I;16"):
            values = np.asarray(image)
            # Pillow reads pictures of 16 bits into 32, too.
            white = 65535 if image.mode != "I" or values.max() <= 65535 else 2**31 - 1
            image = _grey(values / white)
        return np.asarray(image.convert("RGBA"))
    except Exception as error:
        raise _unreadable(name, where, error) from error


def _grey(values: np.ndarray[Any, Any]) -> Image.Image:
    return Image.fromarray((np.clip(values, 0, 1) * 255 + 0.5).astype(np.uint8))


def _name(source: object) -> str:
    if isinstance(source, Image.Image):
        return str(getattr(source, "filename", "") or "the picture")
    return str(source)


def _unreadable(name: str, where: str, error: Exception) -> EffectError:
    reason = str(error) or type(error).__name__
    return EffectError(f"{where}: {name} is not an image that can be read ({reason})")
