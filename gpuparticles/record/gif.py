"""Films as animated GIFs: one palette for all frames, mixed and put together by Pillow."""

from __future__ import annotations

import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import IO

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from gpuparticles.record.pixels import Pixels

_COLORS = 254
"""How many of a palette's 256 are seen. The two behind them are clear: see `_frames`."""


def write(
    pictures: Iterable[Pixels],
    file: IO[bytes],
    durations: Sequence[int],
    encoded: Callable[[int], None],
) -> None:
    """Write a film to a file.

    A partly transparent pixel is either there or not, and of many as many are as their alpha says.
    In memory are a table of all colours (64 MB) and the pictures, compressed, until all have come
    and the palette is known; then the finished frames, a byte a pixel, until Pillow writes them.

    Args:
        pictures: uint8 arrays (height, width, 3) or (height, width, 4) with straight alpha, all
            of one shape.
        file: Where to.
        durations: How long each frame lasts, in ms, multiples of 10. Of frames alike a single one
            is written, for all their time, so that in sum they may be no more than 655,350.
        encoded: Called with how many frames are finished, after each.
    """
    census = np.zeros(1 << 24, np.float32)
    film: deque[bytes] = deque()
    for picture in pictures:
        shape = picture.shape
        red, green, blue = np.moveaxis(picture[..., :3].astype(np.int32), -1, 0)
        colors, counts = np.unique(red << 16 | green << 8 | blue, return_counts=True)
        census[colors] += counts
        film.append(zlib.compress(picture.tobytes(), 1))
    palette = _palette(census)

    def unpacked() -> Iterator[Pixels]:
        while film:
            yield np.frombuffer(zlib.decompress(film.popleft()), np.uint8).reshape(shape)

    def finished() -> Iterator[Image.Image]:
        for done, frame in enumerate(_frames(unpacked(), palette), 1):
            yield frame
            encoded(done)

    frames = finished()
    first = next(frames)
    first.save(
        file,
        "GIF",
        save_all=True,
        append_images=frames,
        palette=palette.tobytes(),
        optimize=True,  # with a palette of ours: each frame holds only what changes
        disposal=2 if shape[2] == 4 else 1,
        duration=durations,
        loop=0,
    )


def _palette(census: NDArray[np.float32]) -> Pixels:
    """The colours to mix a film from, uint8 (n, 3). The first is the most common, exactly.

    The last two are for the clear indices, and of no matter.

    Args:
        census: How many pixels there are of each colour, 2^16 red + 2^8 green + blue, (2^24,).
    """
    present = np.flatnonzero(census)
    pixels = census[present]
    colors = np.stack((present >> 16, present >> 8 & 255, present & 255))
    ground = colors[:, pixels.argmax()]
    if len(present) >= _COLORS:
        red, green, blue = colors >> 2  # Pillow does not tell finer shades apart
        _, bins = np.unique(red << 12 | green << 6 | blue, return_inverse=True)
        size = np.bincount(bins, pixels)
        means = np.stack([np.bincount(bins, pixels * channel) / size for channel in colors])
        # A colour's square root of pixels: the background must not eat the palette, and the
        # few brightest pixels are what is looked at.
        share = np.sqrt(size)
        copies = np.maximum(1, share * (500_000 / share.sum())).astype(np.intp)
        crowd = np.repeat(means.T.round().astype(np.uint8), copies, axis=0)
        image = Image.fromarray(crowd[None])
        found = image.quantize(_COLORS - 1, Image.Quantize.MEDIANCUT, kmeans=1).getpalette()
        colors = np.array(found).reshape(-1, 3)[: _COLORS - 1].T
    return np.vstack((ground, colors.T, ground, ground)).astype(np.uint8)


def _frames(pictures: Iterable[Pixels], palette: Pixels) -> Iterator[Image.Image]:
    """Each picture in the palette's colours.

    The first frame has a clear index of its own: Pillow crops the others to what is not in it, and
    would break off a transparent film where nothing is left.
    """
    table = Image.new("P", (1, 1))
    table.putpalette(palette.tobytes())
    clear, clear_later = len(palette) - 2, len(palette) - 1
    for picture in pictures:
        image = Image.fromarray(picture)
        frame = np.array(image.convert("RGB").quantize(palette=table))
        # The background is exact, whatever Pillow thinks near enough or a neighbour left over.
        frame[(picture[..., :3] == palette[0]).all(axis=-1)] = 0
        if image.mode == "RGBA":
            frame[~np.asarray(image.getchannel("A").convert("1"))] = clear
        image = Image.fromarray(frame)
        image.putpalette(palette.tobytes())
        image.info["transparency"] = clear
        yield image
        clear = clear_later
