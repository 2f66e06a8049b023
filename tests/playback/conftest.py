"""What the tests of playback share."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from gpuparticles.playback.crowd import Crowd
from gpuparticles.playback.player import Player


class Living:
    """Who lives, found from the Steps alone, as the GPU has to; in whole ticks.

    Attributes:
        peak: The most births that came in one step.
    """

    def __init__(self, player: Player | Crowd) -> None:
        self._player = player
        self._in_slot: dict[int, tuple[int, int, int, float]] = {}
        self.peak = 0

    def update(self, dt: float, max_step: float = 1 / 30) -> None:
        """Advance; no slot is given away while somebody lives in it, or above the rows in use."""
        clock = self._player.population.clock
        row = self._player.population.row
        for step in self._player.steps(dt, max_step):
            if step.forget:
                # Above those rows the dead are left: such rows are not in use.
                kept = {
                    slot: who
                    for slot, who in self._in_slot.items()
                    if slot >= step.forget * row and who[3] > clock.now
                }
                self._in_slot = kept
            births = step.births
            if births is not None:
                slots = [int(slot) for slot in births.slots]
                assert not self._in_slot.keys() & set(slots)
                assert slots == sorted(slots)
                owners = [0] * len(slots) if births.instances is None else births.instances
                for slot, owner, record in zip(
                    slots, owners, struct.iter_unpack("<IffI", births.records), strict=True
                ):
                    number, moment, lifetime, seed = record
                    birth = clock.now + min(round((moment - step.age) / clock.tick), 0)
                    death = birth + lifetime / clock.tick
                    self._in_slot[slot] = int(owner), number, seed, death
                self.peak = max(self.peak, len(slots))
            assert max(self._in_slot, default=0) < step.rows * row
            self._bury(clock.now)
        # Without steps nobody lives: rows that are not in use are neither advanced nor drawn.
        self._bury(clock.now)

    def _bury(self, now: int) -> None:
        for slot in [slot for slot, who in self._in_slot.items() if who[3] <= now]:
            del self._in_slot[slot]

    @property
    def numbers(self) -> list[int]:
        """Their birth numbers."""
        return sorted(number for _, number, _, _ in self._in_slot.values())

    @property
    def seeds(self) -> list[int]:
        """Their seeds."""
        return sorted(seed for _, _, seed, _ in self._in_slot.values())

    def seeds_of(self, instance: int) -> list[int]:
        """The seeds of those that belong to one instance of a crowd."""
        return sorted(seed for owner, _, seed, _ in self._in_slot.values() if owner == instance)


@pytest.fixture(scope="session")
def living() -> Any:
    """``living(player)``: follows a Player or a Crowd through ``update(dt)``."""
    return Living
