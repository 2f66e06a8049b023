"""Effect files and the textures that they name: opened, and what is wrong with them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpuparticles.effect import Effect


_TEXTURES = (
    "sprite.texture",
    "sprite.lit.normals",
    "model.texture",
    "trail.texture",
    "ribbon.texture",
)


def load(path: Path, mistakes: list[str]) -> Effect | None:
    """The effect in a file, or else of a preset; or None, with its mistakes added to the others."""
    from gpuparticles import effect
    from gpuparticles.content import path_of, presets

    if not path.exists() and str(path) in presets():
        path = path_of(str(path))
    found, errors = effect.examine(path)
    if found is not None:
        errors += _bad_textures(path, found)
    mistakes += errors
    return None if errors else found


def textures(effect: Effect) -> list[tuple[str, Path]]:
    """The texture files of an effect, each with the path of its field.

    The effect may be one of which what is wrong is missing.
    """
    found = []
    for index, emitter in enumerate(getattr(effect, "emitters", ())):
        for field in _TEXTURES:
            texture = emitter
            for name in field.split("."):
                texture = getattr(texture, name, None)
            if isinstance(texture, Path):
                found.append((f"emitters[{index}].{field}", texture))
    return found


def _bad_textures(path: Path, effect: Effect) -> list[str]:
    """A sentence for each texture of a file's effect that is no readable image."""
    from PIL import Image

    mistakes = []
    for field, texture in textures(effect):
        try:
            with Image.open(texture) as image:
                image.load()
        except Exception as error:  # Pillow's decoders raise nearly anything on corrupt data
            reason = error.strerror if isinstance(error, OSError) else None
            mistakes.append(
                f"{path}: {field}: {texture} cannot be read as an image: {reason or error}"
            )
    return mistakes
