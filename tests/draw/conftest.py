"""A few particles in front of a small canvas whose pixels are world units."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import moderngl
import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray
from PIL import Image

import gpuparticles as gp
from gpuparticles.draw.camera import orthographic

Pixels = NDArray[Any]


class Canvas:
    """A framebuffer, and the camera under which world units are its pixels.

    The camera looks down -Z, and shows z from -100 (far) to 100 (near).
    """

    def __init__(
        self,
        ctx: moderngl.Context,
        size: tuple[int, int] = (16, 16),
        *,
        dtype: str = "f1",
        internal_format: int | None = None,
        colors: int = 1,
        depth: bool = False,
        samples: int = 0,
    ) -> None:
        self.ctx = ctx
        self.size = size
        self.dtype = dtype
        self.colors = [
            ctx.texture(size, 4, dtype=dtype, internal_format=internal_format, samples=samples)
            for _ in range(colors)
        ]
        self.depth = ctx.depth_texture(size, samples=samples) if depth else None
        self.framebuffer = ctx.framebuffer(self.colors, self.depth)
        self.view: ArrayLike = np.eye(4)
        self.projection: ArrayLike = orthographic(0, size[0], 0, size[1], -100, 100)

    def clear(self, color: Sequence[float] = (0, 0, 0, 0), depth: float = 1.0) -> None:
        """Fill everything, and bind it."""
        self.framebuffer.use()
        self.framebuffer.clear(*color, depth=depth)

    def pixels(self, attachment: int = 0) -> Pixels:
        """Shape (height, width, 4), the first row at the bottom: uint8, or float32."""
        kind = np.uint8 if self.dtype == "f1" else np.float32
        dtype = "f1" if kind is np.uint8 else "f4"
        data = self.framebuffer.read(components=4, attachment=attachment, dtype=dtype)
        return np.frombuffer(data, kind).reshape(self.size[1], self.size[0], 4)

    def depths(self) -> Pixels:
        """Shape (height, width), float32."""
        assert self.depth is not None
        return np.frombuffer(self.depth.read(), np.float32).reshape(self.size[::-1])

    def release(self) -> None:
        self.framebuffer.release()
        for texture in (*self.colors, *([self.depth] if self.depth else [])):
            texture.release()


class Scene:
    """Single particles that stay where they are, unless told otherwise, and what they look like.

    Attributes:
        particles: The system; its steps are not split.
        canvas: 16 x 16 pixels of RGBA8.
    """

    def __init__(self, ctx: moderngl.Context) -> None:
        self.ctx = ctx
        self._owned: list[Any] = []
        self.particles = gp.ParticleSystem(ctx, max_step=1e6)
        self.canvas = self.make_canvas()

    def make_canvas(self, *args: Any, **kwargs: Any) -> Canvas:
        """A canvas that is released after the test."""
        canvas = Canvas(self.ctx, *args, **kwargs)
        self._owned.append(canvas)
        return canvas

    def make_texture(self, *args: Any, **kwargs: Any) -> moderngl.Texture:
        """A texture of the host, released after the test."""
        texture = self.ctx.texture(*args, **kwargs)
        self._owned.append(texture)
        return texture

    def own(self, made: Any) -> Any:
        """Something of the host's, released after the test."""
        self._owned.append(made)
        return made

    def add(self, at: Any = (8, 8, 0), seed: int = 1, **emitter: Any) -> gp.EffectInstance:
        """Play one particle, which is born with the next update.

        It is white, 8 units wide, has sharp edges and never dies, unless told otherwise.
        """
        return self.particles.play(particle(**emitter), transform=at, seed=seed)

    def update(self, seconds: float = 2.0**-10) -> None:
        self.particles.update(seconds)

    def draw(
        self,
        canvas: Canvas | None = None,
        *,
        view: Any = None,
        projection: Any = None,
        background: Sequence[float] = (0, 0, 0, 0),
        depth: Any = None,
        depth_test: str | None = "<=",
        cleared_depth: float = 1.0,
    ) -> Pixels:
        """Draw onto a canvas that has just been cleared; shape (height, width, 4), bottom first."""
        canvas = canvas or self.canvas
        canvas.clear(background, cleared_depth)
        self.particles.draw(
            canvas.view if view is None else view,
            canvas.projection if projection is None else projection,
            depth=depth,
            depth_test=depth_test,
        )
        return canvas.pixels()

    def release(self) -> None:
        self.particles.release()
        for owned in self._owned:
            owned.release()


def particle(**emitter: Any) -> gp.Effect:
    """An effect of one particle, born at once."""
    still: dict[str, Any] = {
        "capacity": 1,
        "rate": 0,
        "bursts": [gp.Burst()],
        "lifetime": float("inf"),
        "speed": 0,
        "size": 8,
        "sprite": gp.Sprite(texture=SQUARE),
    }
    return gp.Effect("one", [gp.Emitter("one", **{**still, **emitter})], loop=False)


def picture(rows: Sequence[Sequence[Sequence[int]]]) -> Image.Image:
    """A picture from rows of straight RGBA bytes, the top row first."""
    return Image.fromarray(np.array(rows, np.uint8))


def box(pixels: Pixels) -> tuple[int, int, int, int]:
    """Left, bottom, right, top of the pixels that are not empty; right and top are outside."""
    rows, columns = np.nonzero(pixels.any(axis=2))
    assert len(rows), "nothing was drawn"
    return (
        int(columns.min()),
        int(rows.min()),
        int(columns.max()) + 1,
        int(rows.max()) + 1,
    )


#: One opaque white texel: a sprite with it is a square with sharp edges.
SQUARE = picture([[(255, 255, 255, 255)]])


@pytest.fixture
def scene(ctx: moderngl.Context) -> Iterator[Scene]:
    """A scene, released after the test."""
    scene = Scene(ctx)
    yield scene
    scene.release()
