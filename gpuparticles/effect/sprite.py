"""How a particle looks: its texture, its frames, its blending."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Protocol, TypeAlias

from gpuparticles.effect.description import Takes, default, description
from gpuparticles.effect.mistakes import Mistake, refused, show, suggestion
from gpuparticles.effect.rules import Filed, Flag, Number, Rule, is_list, read_each
from gpuparticles.effect.shader import Shader
from gpuparticles.effect.values import (
    Curve,
    Direction,
    LoopLike,
    OverLoop,
    Pair,
    Range,
    Vec3,
)

if TYPE_CHECKING:
    from PIL.Image import Image
else:
    Image = Any  # Pillow is imported by those who have pictures

__all__ = [
    "DISTANCE",
    "BlendRule",
    "Blended",
    "Flipbook",
    "GLTexture",
    "Lit",
    "Sprite",
    "TextureRule",
]


class GLTexture(Protocol):
    """A texture of a GL context, such as a ``moderngl.Texture``."""

    @property
    def glo(self) -> int:
        """GL's name of it."""

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in texels."""


@dataclass(frozen=True)
class _Loop(Rule):
    """True, false or ``"ping_pong"``."""

    def read(self, value: Any) -> bool | Literal["ping_pong"]:
        if value == "ping_pong" and isinstance(value, str):
            return "ping_pong"
        if isinstance(value, str):
            known = suggestion(value, ["ping_pong"])
            raise refused(
                f'{show(value)} is no way to loop; it is true, false or "ping_pong"{known}'
            )
        return Flag().read(value)

    def schema(self) -> dict[str, Any]:
        return {"anyOf": [Flag().schema(), {"enum": ["ping_pong"]}]}


@description
class Flipbook:
    """A sheet of frames that a particle runs through in its life.

    Frames follow each other in rows from the top left; a strip is one row. The last frame is shown
    until death.

    Args:
        columns: Frames side by side, 1 or more.
        rows: Rows of frames, 1 or more.
        frames: How many frames the sheet has, if it is not full.
        speed: How many times the frames are run through in a life, 0 or more.
        loop: What comes after the last frame: it stays (false), the first one again (true), or the
            way back to the first (``"ping_pong"``; neither end is shown twice in a row).
        start: ``"first"``, or ``"random"``: each particle begins with a frame of its own. With a
            `speed` of 0 it keeps that one, so that a sheet holds several pictures of one thing.
        fps: Frames a second, however long a particle lives; instead of `speed`.
        blend: Whether each frame turns into the next one, instead of giving way to it at once.
    """

    columns: Annotated[int, Number("a number of columns", least=1, most=4096, whole=True)] = 1
    rows: Annotated[int, Number("a number of rows", least=1, most=4096, whole=True)] = 1
    frames: Annotated[int, Number("a number of frames", least=1, whole=True)] | None = None
    speed: Annotated[float, Number("a speed", "times through a life", least=0)] = 1.0
    loop: Annotated[bool | Literal["ping_pong"], _Loop()] = False
    start: Literal["first", "random"] = "first"
    fps: Annotated[float, Number("a rate", "frames a second", least=0)] | None = None
    blend: bool = False

    @property
    def frame_count(self) -> int:
        """How many frames there are."""
        return self.columns * self.rows if self.frames is None else self.frames

    def mistakes(self) -> Iterator[Mistake]:
        """More frames than the sheet has places for, and two speeds."""
        if self.fps is not None and self.speed != 1.0:
            yield Mistake(
                ("fps",), f"speed is {show(self.speed)} already; only one of both is given"
            )
        places = self.columns * self.rows
        if self.frame_count > places:
            sheet = f"a sheet of {self.columns} by {self.rows} has {places}"
            yield Mistake(("frames",), f"{self.frame_count} is too many; {sheet}")


@dataclass(frozen=True)
class BlendRule(Rule):
    """A word or a number between what the words mean.

    Args:
        words: Those that are known.
    """

    words: tuple[str, ...] = ("alpha", "additive")

    def read(self, value: Any) -> Any:
        """The word, or the number."""
        if not isinstance(value, str):
            return _ADDITIVE.read(value)
        if value not in self.words:
            known = suggestion(value, self.words)
            raise refused(f"{show(value)} is no way to blend; {self}{known}")
        return value

    def schema(self) -> dict[str, Any]:
        """One of the words, or a number."""
        return {"anyOf": [{"enum": list(self.words)}, _ADDITIVE.schema()]}

    def __str__(self) -> str:
        words = ", ".join(f'"{word}"' for word in self.words)
        return f"blend is {words} or a number from 0 (alpha) to 1 (additive)"


class Blended:
    """What covers what is behind it, or adds light to it, as its ``blend`` says.

    What only adds light casts no shadow, unless its ``casts_shadow`` says so.
    """

    __slots__ = ()
    blend: Any
    casts_shadow: Any

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

    @property
    def casts(self) -> bool:
        """Whether it is drawn into shadow maps."""
        return self.additive < 1.0 if self.casts_shadow is None else bool(self.casts_shadow)


@dataclass(frozen=True)
class TextureRule(Filed):
    """Nothing, the path of a picture, a picture, or a texture."""

    def read(self, value: Any, folder: Path | None = None) -> Any:
        """A path becomes absolute, from the document's folder or the working directory."""
        if isinstance(value, os.PathLike) or _is_path(value):
            return Path(os.path.abspath(Path(folder or ".", value)))
        if value is None or _is_picture(value):
            return value
        raise refused(f"{show(value)} is no texture; {self}")

    def schema(self) -> dict[str, Any]:
        """The path of a picture, or nothing."""
        return {"anyOf": [{"type": "string", "pattern": r"\S"}, {"type": "null"}]}

    def __str__(self) -> str:
        return "a texture is the path of a picture, a PIL image, a GL texture, or nothing"


@dataclass(frozen=True)
class _Normals(TextureRule):
    """A word, or a texture."""

    def read(self, value: Any, folder: Path | None = None) -> Any:
        """A word stays one; anything else is a texture."""
        return value if value in ("round", "flat") else super().read(value, folder)

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "pattern": r"\S"}

    def __str__(self) -> str:
        words = '"round", "flat" or a texture'
        return f"normals are {words}: the path of a picture, a PIL image or a GL texture"


@description
class Lit:
    """How what is lit takes the light; see `Light`, which is given when it is drawn.

    A surface whose normal has the cosine c with the way to the light gets ``ambient + color *
    (max(wrap + c, 0) + transmission * max(wrap - c, 0)) / (1 + wrap)``: Lambert's law, where both
    are 0.

    Args:
        normals: Where a sprite's surface looks: ``"round"``, as a ball's that fills it, half of
            which is seen; ``"flat"``, all one way; or a tangent-space normal map, red to the
            sprite's right, green up and blue towards who looks, in the same cells as the texture.
            They turn with the sprite. A model has the normals of its mesh instead.
        wrap: How far round light reaches, 0 to 1: soft, as on smoke.
        transmission: How much of what falls on the other side comes through, 0 to 1: leaves, thin
            smoke before the sun.
    """

    normals: Takes[
        str | os.PathLike[str] | Image | GLTexture,
        Annotated[Literal["round", "flat"] | Path | Image | GLTexture, _Normals()],
    ] = default("round")
    wrap: Annotated[float, Number("a wrap", least=0, most=1)] = 0.0
    transmission: Annotated[float, Number("a part of the light", least=0, most=1)] = 0.0

    @property
    def mapped(self) -> bool:
        """Whether the normals come from a texture."""
        return self.normals not in ("round", "flat")


@dataclass(frozen=True)
class _Pivot(Rule):
    """A point of the sprite (x, y), from its middle."""

    def read(self, value: Any) -> tuple[float, float]:
        """A tuple of two."""
        if not is_list(value) or len(items := list(value)) != 2:
            raise refused(f"{show(value)} is not a pivot; a pivot is (x, y), each from -0.5 to 0.5")
        x, y = read_each([_PART] * 2, items)
        return x, y

    def schema(self) -> dict[str, Any]:
        """An array of two."""
        return {"type": "array", "items": _PART.schema(), "minItems": 2, "maxItems": 2}


_PART = Number("a part of the sprite", least=-0.5, most=0.5)
DISTANCE = Number("a distance", "units", least=0)
_ADDITIVE = Number("blend", least=0, most=1)
_TextureLike: TypeAlias = "str | os.PathLike[str] | Image | GLTexture | None"


@description
class Sprite(Blended):
    """A rectangle `Emitter.size` wide, by default a square that faces the camera.

    Args:
        texture: The path of a picture, a PIL image, a GL texture, or None for a soft round disc.
            A path in a document is relative to the document, elsewhere to the working directory;
            it reads back absolute.
        flipbook: How the texture is divided into frames; None for a single frame.
        blend: ``"alpha"`` covers what is behind, ``"additive"`` adds light to it; a number from
            0 to 1 lies between.
        stretch: Lengthen the sprite along its motion by its speed times this many seconds, as a
            shutter would that is open so long; 0 or more. What is lengthened lies along its motion,
            whatever its rotation; of the motion counts what lies in the sprite's plane.
        filter: ``"linear"`` or ``"nearest"`` when the texture is magnified.
        premultiplied: Whether the texture's colours are multiplied by its alpha. None means the
            usual: pictures are not, GL textures are.
        order: Which of the emitter's particles is drawn first, and so lies behind the others:
            the ``"oldest"`` or ``"youngest"`` by age, or by ``"depth"`` what is farthest along
            the view. ``"none"`` sorts nothing and costs nothing. ``"weighted"`` sorts nothing
            either and looks the same in any order: a mean of all colours, in which the nearer weigh
            more, covers as much as all of them together. Emitters that are drawn one after the
            other mix. It suits smoke and fog, not what is opaque. Where the blend is additive,
            order cannot be seen, and nothing is sorted or weighed.
        facing: How it is turned. ``"camera"``: parallel to the picture. ``"position"``: to where
            the camera is, so that nothing is skewed at the picture's edges. ``"emitter"``: flat,
            perpendicular to the emitter's +Y, its top towards the emitter's -Z. ``"velocity"`` and
            ``"axis"``: its height lies along the motion or along `axis`, and its width turns to the
            camera. ``"point"``: to `look_at`. `Emitter.rotation` turns it within its plane. Both
            sides are seen.
        axis: What the sprite's height lies along where `facing` is ``"axis"``, in the world.
        look_at: What it faces where `facing` is ``"point"``, a point in the world; its top is as
            far up, along the world's +Y, as that allows.
        pivot: The point of the sprite (x, y) that is at the particle and about which it turns, as
            parts of its width and height from its middle, -0.5 to 0.5: (0, -0.5) lets it stand on
            the particle.
        size_unit: Whether sizes are in ``"world"`` units, or in ``"pixels"`` of the screen at any
            distance; what is behind the camera is not drawn.
        shortest: Least length along the motion, with what `stretch` adds: of the sprite's height,
            in the unit of its size.
        longest: Greatest such length; None for no limit.
        near_fade: (begin, end) distances in front of the camera: nothing is seen of what is closer
            than begin, all beyond end. Keeps what flies past from filling the picture.
        far_fade: (begin, end) distances in front of the camera: all is seen up to begin, nothing
            from end on.
        softness: Distance in front of the scene, in units, over which the sprite fades, so that it
            does not cut what it floats into: it is faint where it comes close and gone where it
            touches. 0 is off. It takes the depth of the scene, see `ParticleSystem.draw`.
        alpha_clip: Cut the sprite out: where its alpha is below this, from 0 to 1, it is left out,
            elsewhere it covers fully. None blends.
        depth_write: Write the depth buffer, wherever the sprite is not cut out, if it is tested:
            what is drawn later is hidden behind. Made for `alpha_clip`.
        lit: How it takes the light that it is drawn in; None shines by itself.
        casts_shadow: Whether `ParticleSystem.draw_depth` draws it. None: unless it only adds light.
        shader: GLSL of your own that gives its pixels their colour.
    """

    texture: Takes[_TextureLike, Annotated[Path | Image | GLTexture | None, TextureRule()]] = (
        default(None)
    )
    flipbook: Flipbook | None = None
    blend: Annotated[Literal["alpha", "additive"] | float, BlendRule()] = "alpha"
    stretch: Takes[
        LoopLike,
        Annotated[float | Range | Curve, OverLoop(Number("a stretch", "seconds", least=0))],
    ] = default(0.0)
    filter: Literal["linear", "nearest"] = "linear"
    premultiplied: Annotated[bool, Flag()] | None = None
    order: Literal["none", "oldest", "youngest", "depth", "weighted"] = "none"
    facing: Literal["camera", "position", "emitter", "velocity", "axis", "point"] = "camera"
    axis: Direction = default((0.0, 1.0, 0.0))
    look_at: Vec3 = default((0.0, 0.0, 0.0))
    pivot: Takes[Iterable[float], Annotated[tuple[float, float], _Pivot()]] = default((0.0, 0.0))
    size_unit: Literal["world", "pixels"] = "world"
    shortest: Annotated[float, Number("a length", least=0)] = 0.0
    longest: Annotated[float, Number("a length", least=0)] | None = None
    near_fade: Takes[Range | Iterable[float] | None, Annotated[Range, Pair(DISTANCE)] | None] = (
        default(None)
    )
    far_fade: Takes[Range | Iterable[float] | None, Annotated[Range, Pair(DISTANCE)] | None] = (
        default(None)
    )
    softness: Annotated[float, DISTANCE] = 0.0
    alpha_clip: Annotated[float, Number("an alpha", least=0, most=1)] | None = None
    depth_write: bool = False
    lit: Lit | None = None
    casts_shadow: Annotated[bool, Flag()] | None = None
    shader: Shader | None = None

    def mistakes(self) -> Iterator[Mistake]:
        """Limits of the length of which none can hold; depth of what has no order."""
        if self.order == "weighted" and self.depth_write:
            yield Mistake(
                ("depth_write",), 'what has the order "weighted" cannot hide what is drawn later'
            )
        if self.longest is not None and self.shortest > self.longest:
            yield Mistake(
                ("shortest",), f"{show(self.shortest)} is more than longest, {show(self.longest)}"
            )


def _is_path(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip()) and "\0" not in value


def _is_picture(value: object) -> bool:
    pillow: Any = sys.modules.get("PIL.Image")  # whoever has an image has imported it
    if pillow and isinstance(value, pillow.Image):
        return True
    return hasattr(value, "glo") and hasattr(value, "size")
