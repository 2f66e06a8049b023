"""Effect files and the textures that they name: opened, and what is wrong with them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gpuparticles.errors import DocumentError, ParticlesError

if TYPE_CHECKING:
    from gpuparticles.effect import Effect


def load(path: Path, mistakes: list[str]) -> Effect | None:
    """The effect in a file, or None with what is wrong with it added to the mistakes."""
    from gpuparticles import effect

    try:
        return effect.load(path)
    except DocumentError as error:
        mistakes.extend(error.errors)
    except ParticlesError as error:
        mistakes.append(str(error))
    return None


def textures(effect: Effect) -> list[tuple[int, Path]]:
    """The texture files of an effect, each with the index of its emitter."""
    return [
        (index, Path(emitter.sprite.texture))
        for index, emitter in enumerate(effect.emitters)
        if isinstance(emitter.sprite.texture, str | Path)
    ]


def bad_textures(path: Path, effect: Effect) -> list[str]:
    """A sentence for each texture of a file's effect that is no readable image."""
    from PIL import Image

    mistakes = []
    for index, texture in textures(effect):
        try:
            with Image.open(texture) as image:
                image.load()
        except Exception as error:  # Pillow's decoders raise nearly anything on corrupt data
            reason = error.strerror if isinstance(error, OSError) else None
            mistakes.append(
                f"{path}: emitters[{index}].sprite.texture: {texture} cannot be read as an image: "
                f"{reason or error}"
            )
    return mistakes
