"""The parameters of something that plays, as its host reads and sets them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from gpuparticles.effect.effect import Effect
from gpuparticles.effect.parameters import Value, shown

__all__ = ["Parameters"]


class Parameters(Mapping[str, Value]):
    """What the parameters of a playing effect are, by name; see `Parameter`.

    Set one by its name, or several at once with `update`. What is refused changes nothing; what is
    set holds from the next step on, and stays after a reset.

    Args:
        authored: The effect as its author wrote it.
        played: Gives the effect as it plays: its defaults are what the parameters are now.
        play: Takes the effect that plays from now on.
    """

    __slots__ = ("_authored", "_play", "_played")

    def __init__(
        self, authored: Effect, played: Callable[[], Effect], play: Callable[[Effect], object]
    ) -> None:
        self._authored = authored
        self._played = played
        self._play = play

    def __getitem__(self, name: str) -> Value:
        for parameter in self._played().parameters:
            if parameter.name == name:
                return parameter.default
        raise KeyError(name)

    def __setitem__(self, name: str, value: Any) -> None:
        self.update({name: value})

    def __iter__(self) -> Iterator[str]:
        return (parameter.name for parameter in self._authored.parameters)

    def __len__(self) -> int:
        return len(self._authored.parameters)

    def __repr__(self) -> str:
        lines = [f"<parameters of {self._authored.name!r}: {len(self)}>"]
        for parameter in self._authored.parameters:
            lines.append(
                f"  {parameter.name} = {shown(self[parameter.name])} ({parameter.summary})"
            )
        return "\n".join(lines)

    def update(self, values: Mapping[str, Any]) -> None:
        """Set several at once; when one is refused, none is set.

        Args:
            values: By name: a number, three numbers, or a colour.

        Raises:
            EffectError: No such parameter, another type, not finite, or out of range.
        """
        self._play(self._played().with_parameters(values))
