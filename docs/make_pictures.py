"""Renders the pictures of README.md and docs/ with the library itself, into docs/images.

python docs/make_pictures.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

import gpuparticles as gp
from gpuparticles import record

HERE = Path(__file__).parent
EFFECTS = HERE.parent / "examples" / "effects"
IMAGES = HERE / "images"
NIGHT = (0.035, 0.04, 0.06)


def strip(effect: gp.Effect, times: tuple[float, ...], camera: record.Camera) -> Image.Image:
    """One effect at several moments, side by side."""
    pictures = [
        next(
            record.frames(
                effect,
                size=(240, 240),
                start=time,
                duration=1 / 30,
                background=NIGHT,
                camera=camera,
            )
        )
        for time in times
    ]
    return Image.fromarray(np.hstack(pictures))


def main() -> None:
    """Render all."""
    IMAGES.mkdir(exist_ok=True)
    campfire = gp.load(EFFECTS / "campfire.json")
    near = (gp.look_at((0, 1.3, 6), (0, 1.25, 0)), gp.perspective(36, 1, 0.1, 100))
    film = record.frames(
        campfire, size=(300, 300), start=2.5, duration=2.5, fps=16, background=NIGHT, camera=near
    )
    record.write(film, IMAGES / "campfire.webp", fps=16)
    far = (gp.look_at((0, 0, 4), (0, -0.2, 0)), gp.perspective(40, 1, 0.1, 100))
    strip(gp.load(EFFECTS / "sparks.json"), (0.03, 0.12, 0.3, 0.6), far).save(
        IMAGES / "sparks.png", optimize=True
    )


if __name__ == "__main__":
    main()
