"""Effects by a stable name, for code that says ``particles.burst("sparks")``."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping

from gpuparticles.effect.effect import Effect
from gpuparticles.effect.mistakes import show, suggestion
from gpuparticles.errors import EffectError

__all__ = ["Library"]


class Library(MutableMapping[str, Effect]):
    """A dict of effects that checks what goes in and suggests names for what is not there."""

    def __init__(self) -> None:
        self._effects: dict[str, Effect] = {}

    def __getitem__(self, name: str) -> Effect:
        return self._effects[name]

    def __setitem__(self, name: str, effect: Effect) -> None:
        if not isinstance(name, str):
            raise EffectError(f"library: {show(name)} is not a name")
        if not isinstance(effect, Effect):
            raise EffectError(f"library[{show(name)}]: {show(effect)} is not an Effect")
        self._effects[name] = effect

    def __delitem__(self, name: str) -> None:
        del self._effects[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._effects)

    def __len__(self) -> int:
        return len(self._effects)

    def __repr__(self) -> str:
        return f"Library({', '.join(self._effects)})"

    def find(self, effect: Effect | str) -> Effect:
        """An effect, or the one of that name.

        Raises:
            EffectError: Neither.
        """
        if isinstance(effect, Effect):
            return effect
        if isinstance(effect, str):
            found = self._effects.get(effect)
            if found is not None:
                return found
            raise EffectError(
                f"library: there is no effect {show(effect)}{suggestion(effect, self._effects)}"
            )
        raise EffectError(f"{show(effect)} is neither an Effect nor the name of one in the library")
