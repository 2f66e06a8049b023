"""Effects that come with the package: `preset` loads one by its name, `presets` names them all.

They are documents like any other, `<name>.json` in this folder, with the pictures in `textures/`
that a script there draws. To make one's own of one, save it elsewhere and edit it.
"""

from __future__ import annotations

from pathlib import Path

from gpuparticles.effect.document import load
from gpuparticles.effect.effect import Effect
from gpuparticles.effect.mistakes import show, suggestion
from gpuparticles.errors import EffectError

__all__ = ["path_of", "preset", "presets"]

_FOLDER = Path(__file__).parent


def presets() -> tuple[str, ...]:
    """The names of all presets, in alphabetical order."""
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.json")))


def path_of(name: str) -> Path:
    """The document of a preset.

    Args:
        name: Its name: ``"campfire"``.

    Raises:
        EffectError: There is none of this name.
    """
    names = presets()
    if name not in names:
        raise EffectError(f"there is no preset {show(name)}{suggestion(name, names)}")
    return _FOLDER / f"{name}.json"


def preset(name: str) -> Effect:
    """An effect that comes with the package.

    Args:
        name: One of `presets`.

    Raises:
        EffectError: There is none of this name.
    """
    return load(path_of(name))
