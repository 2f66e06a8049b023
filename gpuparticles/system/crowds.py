"""Many players of one effect, which move and are drawn together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gpuparticles.effect.effect import Effect
from gpuparticles.effect.values import rgba
from gpuparticles.errors import EffectError
from gpuparticles.playback.crowd import unforeseen
from gpuparticles.playback.place import Vec3
from gpuparticles.playback.places import Places, apart, matrices_of, matrix_from
from gpuparticles.system.controls import Controls, whole
from gpuparticles.system.pool import Pool
from gpuparticles.system.scene import LONGEST_UPDATE, Scene

__all__ = ["EffectCrowd", "check_crowd"]

Doubles = NDArray[np.float64]

# As of an EffectInstance: how far from their anchor players are, in the middle, before they take a
# nearer one, on a grid whose steps float32 adds without error to most positions.
_ANCHOR_REACH = 2048.0
_ANCHOR_GRID = 1024.0


class EffectCrowd(Controls, Pool):
    """Many players of one effect: what ``ParticleSystem.crowd`` returns.

    Each behaves as if it were played alone, but all of them are one simulation and one draw call an
    emitter, and what they cost on the CPU is NumPy's arithmetic over all of them.

    Attributes:
        effect: What they play, as it is with the parameters that were given.
    """

    __slots__ = (
        "_begun",
        "_matrices",
        "_moved",
        "_paused",
        "_released",
        "_simulated",
        "_speed",
        "_stagger",
        "_tints",
        "_warm",
    )

    def __init__(self, scene: Scene, effect: Effect, stagger: float) -> None:
        super().__init__(scene, effect, (0.0, 0.0, 0.0), loops=True)
        self._stagger = stagger
        self._matrices = np.empty((0, 4, 4))  # where they are to be
        self._simulated = np.empty((0, 4, 4))  # where they were when they were last simulated
        self._begun = 0  # so many have been
        self._tints = np.empty((0, 4))
        self._moved = True
        self._speed = 1.0
        self._paused = False
        self._released = False
        self._warm = not effect.prewarm  # whether its prewarm is over

    def __repr__(self) -> str:
        state = "released" if self._released else f"{self.live_count} live"
        return f"<EffectCrowd of {len(self)} {self.effect.name!r}: {state}>"

    def __len__(self) -> int:
        """How many players there have been; a place in `transforms` each."""
        return len(self._matrices)

    @property
    def transforms(self) -> Doubles:
        """Where the players are: float64 (n, 4, 4), matrices for column vectors.

        May be set to as many matrices or positions, (n, 2) or (n, 3). Between two updates births
        lie on the path from where each player was in the first; its place moves in a line and its
        turn along the shorter arc, while its scale is the new one at once.

        Raises:
            EffectError: Set to something else, to another number of them, or to matrices with their
                translation in the last row.
        """
        return self._matrices.copy()

    @transforms.setter
    def transforms(self, transforms: ArrayLike) -> None:
        self._alive()
        found = matrices_of(transforms, "transforms")
        if len(found) != len(self):
            raise EffectError(f"transforms: {len(found)} are given for {len(self)} players")
        self._matrices = found
        self._moved = True

    def teleport(self, transforms: ArrayLike) -> None:
        """Be elsewhere at once: nothing is born on the way.

        Args:
            transforms: As for `transforms`.
        """
        self.transforms = transforms
        self._simulated = self._matrices.copy()

    @property
    def tints(self) -> Doubles:
        """What the colours of each player's particles are multiplied by: float64 (n, 4), straight.

        May be set to (n, 3) or (n, 4), or to one colour for all.

        Raises:
            EffectError: Set to something else.
        """
        return self._tints.copy()

    @tints.setter
    def tints(self, tints: ArrayLike) -> None:
        self._alive()
        self._tints = _tints_of(tints, len(self))
        self._moved = True

    @property
    def births(self) -> int:
        """Births so far."""
        return sum(crowd.population.births for crowd in self._crowds)

    @property
    def finished(self) -> bool:
        """Whether nothing lives and nothing will be born, unless players are added."""
        return all(crowd.over for crowd in self._crowds)

    def add(
        self,
        transforms: ArrayLike,
        *,
        seeds: Sequence[int],
        tints: ArrayLike = (1.0, 1.0, 1.0, 1.0),
    ) -> range:
        """Have more players, which begin with the next update.

        Args:
            transforms: Where: positions (n, 2) or (n, 3), or matrices (n, 4, 4).
            seeds: What the randomness of each comes from.
            tints: As for `tints`.

        Returns:
            Their places in `transforms`.

        Raises:
            EffectError: Not such transforms, seeds or tints, or more players than a texture has
                rows.
        """
        self._alive()
        found = matrices_of(transforms, "transforms")
        first, count = len(self), len(found)
        limit = int(self._scene.ctx.info["GL_MAX_TEXTURE_SIZE"])
        if first + count > limit:
            raise EffectError(f"transforms: {first + count} players; a crowd has up to {limit}")
        colors = _tints_of(tints, count)
        chosen = [whole(seed, "seeds") for seed in seeds]
        if len(chosen) != count:
            raise EffectError(f"seeds: {len(chosen)} are given for {count} players")
        self._matrices = np.concatenate([self._matrices, found])
        self._simulated = np.concatenate([self._simulated, found])
        self._tints = np.concatenate([self._tints, colors])
        self._moved = True
        places = range(first, first + count)
        late = [self._stagger * ((seed * 0x9E3779B1 & 0xFFFFFFFF) / 2.0**32) for seed in chosen]
        for crowd in self._crowds:
            crowd.add(places, chosen, late)
        return places

    def stop(self, players: Iterable[int] | None = None) -> None:
        """No more births of some players, or of all; the living finish.

        Args:
            players: Their places in `transforms`.

        Raises:
            EffectError: There is no such player.
        """
        self._alive()
        chosen = None
        if players is not None:
            chosen = np.array([whole(player, "stop: players") for player in players], np.int64)
            wrong = chosen[(chosen < 0) | (chosen >= len(self))]
            if len(wrong):
                raise EffectError(f"stop: there is no player {wrong[0]}; there are {len(self)}")
        for crowd in self._crowds:
            crowd.stop(chosen)

    def release(self) -> None:
        """Free everything at once; safe twice."""
        if not self._released:
            self._released = True
            super().release()

    # What follows is the system's business.

    @property
    def _idle(self) -> bool:
        """Whether an update would do nothing."""
        return self._paused or self._speed == 0.0 or self.finished

    @property
    def _spent(self) -> bool:
        """Never: it is the host's to release."""
        return False

    def _advance(self, dt: float) -> None:
        """Advance all players by dt seconds of the host's time."""
        dt = min(dt * self._speed, LONGEST_UPDATE)
        if self._idle or not dt:
            return
        if not self._warm:
            self._warm = True
            self._place()
            super()._advance(min(self.effect.prewarm, LONGEST_UPDATE))
        if self._moved:
            self._place()
        super()._advance(dt)

    def _place(self) -> None:
        """Say where everybody is at the begin and at the end of an update."""
        begun, self._begun = self._begun, len(self)
        self._simulated[begun:] = self._matrices[begun:]  # who begins leaves no trace
        self._approach()
        for offset, table in self._tables.items():
            inner = np.eye(4) if offset is None else matrix_from(offset)
            end = apart(self._matrices @ inner)
            begin = apart(self._simulated @ inner)
            still = (self._simulated == self._matrices).all(axis=(1, 2))
            begin = Places(
                *(np.where(still[:, None], e, b) for b, e in zip(begin, end, strict=True))
            )
            table.put(begin, end, self._anchor, self._tints)
        # Who does not move on is to stand still in the next update.
        self._moved = not np.array_equal(self._simulated, self._matrices)
        self._simulated = self._matrices.copy()

    def _approach(self) -> None:
        """Keep the anchor near the middle of the players."""
        if not len(self):
            return
        away = self._matrices[:, :3, 3].mean(axis=0) - self._anchor
        if not any(crowd.population.births for crowd in self._crowds):
            self._take_anchor(away)
        elif np.abs(away).max() > _ANCHOR_REACH:
            self._take_anchor(_ANCHOR_GRID * np.round(away / _ANCHOR_GRID))

    def _take_anchor(self, by: Doubles) -> None:
        """Count positions from elsewhere, who lives too."""
        x, y, z = (np.asarray(self._anchor) + by).tolist()
        self._anchor = (x, y, z)
        for simulation, emitter in zip(self._simulations, self.effect.emitters, strict=True):
            if emitter.space == "world":
                simulation.shift((-float(by[0]), -float(by[1]), -float(by[2])))
            simulation.set_anchor(self._anchor)

    def _shift_origin(self, offset: Vec3) -> None:
        """Count everything from elsewhere."""
        super()._shift_origin(offset)
        self._matrices[:, :3, 3] += offset
        self._simulated[:, :3, 3] += offset


def check_crowd(effect: Effect) -> None:
    """See that many players of an effect can be played together.

    Raises:
        EffectError: Each of them has something of its own.
    """
    field = unforeseen(effect)
    for index, emitter in enumerate(effect.emitters):
        if field is None and emitter.rate_over_distance:
            field = f"emitters[{index}].rate_over_distance"
    if field is not None:
        raise EffectError(
            f"{effect.name}: {field}: players of a crowd are simulated as one, and this is each "
            f"one's own; play them one by one"
        )


def _tints_of(tints: Any, count: int) -> Doubles:
    """Straight RGBA of so many players."""
    try:
        found = np.asarray(tints, np.float64)
    except (TypeError, ValueError):
        found = np.empty(0)
    if found.ndim == 2 and found.shape[1] in (3, 4):
        if len(found) != count:
            raise EffectError(f"tints: {len(found)} are given for {count} players")
        if not np.isfinite(found).all():
            raise EffectError("tints: every number must be finite")
        return np.hstack([found, np.ones((count, 4 - found.shape[1]))])
    return np.tile(np.array(rgba(tints, "tints")), (count, 1))
