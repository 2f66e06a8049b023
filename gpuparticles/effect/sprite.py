"""How a particle looks: its texture, its frames, its blending."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Protocol, TypeAlias

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from gpuparticles.effect.description import Takes, default, description
from gpuparticles.effect.mistakes import Mistake, refused, show, suggestion
from gpuparticles.effect.rules import Flag, Number, Rule
from gpuparticles.effect.values import Curve, LoopLike, OverLoop, Range

if TYPE_CHECKING:
    from PIL.Image import Image
else:
    Image = Any  # Pillow is imported by those who have pictures

__all__ = ["Flipbook", "GLTexture", "Sprite"]


class GLTexture(Protocol):
    """A texture of a GL context, such as a ``moderngl.Texture``."""

    @property
    def glo(self) -> int:
        """GL's name of it."""

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in texels."""


@description
class Flipbook:
    """A sheet of frames that a particle runs through in its life.

    Frames follow each other in rows from the top left. The last frame is shown until death.

    Args:
        columns: Frames side by side, 1 or more.
        rows: Rows of frames, 1 or more.
        frames: How many frames the sheet has, if it is not full.
        speed: How many times the frames are run through in a life, 0 or more.
        loop: Begin again after the last frame, instead of holding it.
        start: ``"first"``, or ``"random"``: each particle begins with a frame of its own. With a
            `speed` of 0 it keeps that one, so that a sheet holds several pictures of one thing.
    """

    columns: Annotated[int, Number("a number of columns", least=1, most=4096, whole=True)] = 1
    rows: Annotated[int, Number("a number of rows", least=1, most=4096, whole=True)] = 1
    frames: Annotated[int, Number("a number of frames", least=1, whole=True)] | None = None
    speed: Annotated[float, Number("a speed", "times through a life", least=0)] = 1.0
    loop: bool = False
    start: Literal["first", "random"] = "first"

    @property
    def frame_count(self) -> int:
        """How many frames there are."""
        return self.columns * self.rows if self.frames is None else self.frames

    def mistakes(self) -> Iterator[Mistake]:
        """More frames than the sheet has places for."""
        places = self.columns * self.rows
        if self.frame_count > places:
            sheet = f"a sheet of {self.columns} by {self.rows} has {places}"
            yield Mistake(("frames",), f"{self.frame_count} is too many; {sheet}")


@dataclass(frozen=True)
class _Blend(Rule):
    """A word or a number between what the words mean."""

    def read(self, value: Any) -> Literal["alpha", "additive"] | float:
        if not isinstance(value, str):
            return _ADDITIVE.read(value)
        if value not in ("alpha", "additive"):
            words = ["alpha", "additive"]
            raise refused(f"{show(value)} is no way to blend; {self}{suggestion(value, words)}")
        return value  # type: ignore[return-value]  # `in` does not narrow a str to the words

    def schema(self) -> dict[str, Any]:
        return {"anyOf": [{"enum": ["alpha", "additive"]}, _ADDITIVE.schema()]}

    def __str__(self) -> str:
        return 'blend is "alpha", "additive" or a number from 0 (alpha) to 1 (additive)'


@dataclass(frozen=True)
class _Texture(Rule):
    """Nothing, the path of a picture, a picture, or a texture."""

    def read(self, value: Any, folder: Path | None = None) -> Any:
        """A path becomes absolute, from the document's folder or the working directory."""
        if isinstance(value, os.PathLike) or _is_path(value):
            return Path(os.path.abspath(Path(folder or ".", value)))
        if value is None or _is_picture(value):
            return value
        raise refused(f"{show(value)} is no texture; {self}")

    def schema(self) -> dict[str, Any]:
        return {"anyOf": [{"type": "string", "pattern": r"\S"}, {"type": "null"}]}

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.with_info_plain_validator_function(
            lambda value, info: self.read(value, (info.context or {}).get("folder"))
        )

    def __str__(self) -> str:
        return "a texture is the path of a picture, a PIL image, a GL texture, or nothing"


_ADDITIVE = Number("blend", least=0, most=1)
_TextureLike: TypeAlias = "str | os.PathLike[str] | Image | GLTexture | None"


@description
class Sprite:
    """A square that faces the camera, `Emitter.size` wide.

    Args:
        texture: The path of a picture, a PIL image, a GL texture, or None for a soft round disc.
            A path in a document is relative to the document, elsewhere to the working directory;
            it reads back absolute.
        flipbook: How the texture is divided into frames; None for a single frame.
        blend: ``"alpha"`` covers what is behind, ``"additive"`` adds light to it; a number from
            0 to 1 lies between.
        stretch: Lengthen the sprite along its motion by its speed times this many seconds, as a
            shutter would that is open so long; 0 or more.
        filter: ``"linear"`` or ``"nearest"`` when the texture is magnified.
        premultiplied: Whether the texture's colours are multiplied by its alpha. None means the
            usual: pictures are not, GL textures are.
        order: Which of the emitter's particles is drawn first, and so lies behind the others:
            the ``"oldest"`` or ``"youngest"`` by age, or by ``"depth"`` what is farthest along
            the view. ``"none"`` sorts nothing and costs nothing. Where the blend is additive,
            order cannot be seen, and nothing is sorted either.
    """

    texture: Takes[_TextureLike, Annotated[Path | Image | GLTexture | None, _Texture()]] = default(
        None
    )
    flipbook: Flipbook | None = None
    blend: Annotated[Literal["alpha", "additive"] | float, _Blend()] = "alpha"
    stretch: Takes[
        LoopLike,
        Annotated[float | Range | Curve, OverLoop(Number("a stretch", "seconds", least=0))],
    ] = default(0.0)
    filter: Literal["linear", "nearest"] = "linear"
    premultiplied: Annotated[bool, Flag()] | None = None
    order: Literal["none", "oldest", "youngest", "depth"] = "none"

    @property
    def additive(self) -> float:
        """The blend as a number: 0 for alpha, 1 for additive."""
        match self.blend:
            case "alpha":
                return 0.0
            case "additive":
                return 1.0
            case number:
                return float(number)


def _is_path(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip()) and "\0" not in value


def _is_picture(value: object) -> bool:
    pillow: Any = sys.modules.get("PIL.Image")  # whoever has an image has imported it
    if pillow and isinstance(value, pillow.Image):
        return True
    return hasattr(value, "glo") and hasattr(value, "size")
