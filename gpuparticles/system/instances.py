"""An effect that plays somewhere, and its emitters."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from gpuparticles.draw.sprites import Sprites, View
from gpuparticles.effect.effect import MOST_AT_ONCE, Effect, Emitter
from gpuparticles.effect.mistakes import suggestion
from gpuparticles.errors import ContextError, EffectError
from gpuparticles.gpu.simulate import Simulation
from gpuparticles.gpu.state import check_capacity
from gpuparticles.playback.place import IDENTITY, Place, Vec3, place_of
from gpuparticles.playback.player import Player
from gpuparticles.system.read import read_particles
from gpuparticles.system.scene import LONGEST_UPDATE, Scene

__all__ = ["EffectInstance", "EmitterInstance"]

# A world-space effect that is further than this from its anchor takes a nearer one, on a grid whose
# steps float32 adds without error to most positions.
_ANCHOR_REACH = 2048.0
_ANCHOR_GRID = 1024.0

_WHITE = (1.0, 1.0, 1.0, 1.0)
_pack_tint = struct.Struct("<4f").pack


class EmitterInstance:
    """One emitter of a playing effect: ``fire["flames"]``.

    Attributes:
        emitter: What it plays.
    """

    def __init__(self, scene: Scene, effect: Effect, index: int, seed: int) -> None:
        self.emitter: Emitter = effect.emitters[index]
        self._scene = scene
        where = f"{effect.name}: {self.emitter.name}"
        # First of all: what does not fit may not fit into the CPU's memory either.
        check_capacity(scene.ctx, self.emitter.capacity, where)
        self._player = Player(effect, index, seed)
        self._local = self.emitter.space == "local"
        self._path: tuple[Place, Place] | None = None
        self._frame = IDENTITY
        self._released = False
        population = self._player.population
        text = scene.texts(effect, pooled=False)[index]
        simulation = Simulation(
            scene.ctx,
            scene.guard,
            self.emitter,
            effect.modifiers_of(self.emitter),
            text,
            population.clock,
            self.emitter.capacity,
            population.row,
        )
        try:
            self._sprites = Sprites(
                scene.ctx,
                scene.guard.gl,
                simulation,
                self.emitter.sprite,
                text.sprite,
                scene.textures,
                where,
            )
        except BaseException:
            simulation.release()
            raise
        self._simulation = simulation

    def __repr__(self) -> str:
        return f"<EmitterInstance {self.emitter.name!r}: {self.live_count} live>"

    @property
    def name(self) -> str:
        """Its name in the effect."""
        return self.emitter.name

    @property
    def capacity(self) -> int:
        """How many particles can live at once."""
        return self._player.population.slots.capacity

    @property
    def live_count(self) -> int:
        """How many particles live, exactly; nothing is read back."""
        return self._player.population.slots.live_count

    @property
    def births(self) -> int:
        """Births so far, those included that were dropped or over within their step."""
        return self._player.population.births

    @property
    def dropped(self) -> int:
        """Births for which there was no room."""
        return self._player.population.dropped

    @property
    def rate(self) -> float:
        """Births a second; may be set while playing. What is left of a birth is kept.

        Raises:
            EffectError: Set to a negative number, NaN or infinity.
            ContextError: Set after the effect was released.
        """
        return self._player.timeline.rate

    @rate.setter
    def rate(self, rate: float) -> None:
        self._alive()
        self._player.timeline.rate = rate

    def emit(self, count: int) -> None:
        """Have particles born at the beginning of the next step, whatever the timeline does.

        Args:
            count: How many.

        Raises:
            EffectError: Not a whole number from 0 to 2**24.
            ContextError: The effect has been released.
        """
        self._alive()
        whole = isinstance(count, (int, np.integer)) and not isinstance(count, bool)
        if not whole or not 0 <= count <= MOST_AT_ONCE:
            raise EffectError(
                f"{self.name}: emit: {count!r} is not a whole number from 0 to {MOST_AT_ONCE}"
            )
        self._player.emit(int(count))

    def read(self) -> NDArray[np.void]:
        """Fetch the living from the GPU: for tests, debugging and data sets, not for playback.

        Returns:
            Records by birth number, of dtype ``number`` i8, ``position`` 3 f8 (world units),
            ``velocity`` 3 f4 (world, units/s), ``age`` f4 and ``lifetime`` f4 (seconds; infinite
            for ever), ``rotation`` f4 (degrees), ``size`` f4 and ``color`` 4 f4 (straight RGBA),
            the last two as they are drawn.

        Raises:
            ContextError: The effect has been released.
        """
        self._alive()
        with self._scene.guard:
            self._scene.guard.simulate()
            return read_particles(
                self._simulation, self.emitter, self._player.population.numbers, self._frame
            )

    # What follows is the effect instance's business.

    def update(self, dt: float, begin: Place, end: Place, anchor: Vec3) -> None:
        """Advance by dt > 0 seconds while the emitter moves from begin to end."""
        simulation = self._simulation
        path = (begin, end)
        if path != self._path:
            self._path = path
            self._frame = end if self._local else Place(anchor, IDENTITY.turn, IDENTITY.scale)
            simulation.set_path(begin, end, anchor)
        for step in self._player.steps(dt, self._scene.max_step):
            simulation.run(step)
        simulation.rows = self._player.population.slots.rows

    def set_anchor(self, anchor: Vec3, previous: Vec3 | None) -> None:
        """Make positions relative to another anchor."""
        if self._local:
            return
        self._path = None
        self._simulation.set_anchor(anchor)
        if previous is not None:
            self._simulation.shift(
                (previous[0] - anchor[0], previous[1] - anchor[1], previous[2] - anchor[2])
            )

    def draw(self, view: View, world: bytes, carried: bytes, tint: bytes) -> None:
        """Draw what lives."""
        self._sprites.draw(view, carried if self._local else world, tint)

    @property
    def local(self) -> bool:
        """Whether particles move with the emitter."""
        return self._local

    @property
    def player(self) -> Player:
        """Its playback."""
        return self._player

    @property
    def gpu_bytes(self) -> int:
        """GPU memory of textures and buffers, in bytes."""
        return 0 if self._released else self._simulation.nbytes

    def reset(self) -> None:
        """Forget every particle."""
        self._player.reset()
        self._simulation.rows = 0

    def release(self) -> None:
        """Free the GL objects; nobody lives any more."""
        if not self._released:
            self._released = True
            self._player.population.slots.clear()
            self._sprites.release()
            self._simulation.release()

    def _alive(self) -> None:
        if self._released:
            raise ContextError(f"{self.name}: this effect has been released")


class EffectInstance:
    """An effect that plays somewhere: what ``ParticleSystem.play`` returns.

    Once it is released, its figures can still be asked for; everything else is a ContextError.

    Attributes:
        effect: What plays.
        seed: What its randomness comes from.
        on_finished: Called with the instance, once, after the last birth and the last death, at
            the end of the update in which that happened; may be None.
    """

    def __init__(self, scene: Scene, effect: Effect, place: Place, seed: int) -> None:
        self.effect = effect
        self.seed = seed
        self.on_finished: Callable[[EffectInstance], None] | None = None
        self._scene = scene
        self._place = place
        # None until the first update: a place that is set before it leaves no trace.
        self._simulated: Place | None = None
        self._followed = place
        self._anchor = place.place
        self._speed = 1.0
        self._paused = False
        self._finished = False
        self._released = False
        self._tint = _WHITE
        self._tint_bytes = _pack_tint(*_WHITE)
        self._emitters: dict[str, EmitterInstance] = {}
        try:
            for index, emitter in enumerate(effect.emitters):
                instance = EmitterInstance(scene, effect, index, seed)
                self._emitters[emitter.name] = instance
                instance.set_anchor(self._anchor, None)
        except BaseException:
            for instance in self._emitters.values():
                instance.release()
            raise

    def __repr__(self) -> str:
        state = "released" if self._released else f"{self.live_count} live"
        return f"<EffectInstance {self.effect.name!r}: {state}>"

    def __getitem__(self, name: str) -> EmitterInstance:
        try:
            return self._emitters[name]
        except KeyError:
            raise EffectError(
                f"{self.effect.name}: there is no emitter {name!r}"
                f"{suggestion(name, self._emitters)}"
            ) from None

    def __iter__(self) -> Iterator[EmitterInstance]:
        return iter(self._emitters.values())

    def __len__(self) -> int:
        return len(self._emitters)

    @property
    def transform(self) -> NDArray[np.float64]:
        """Where the effect is: a 4x4 matrix for column vectors, or a position.

        Set between two updates, births lie on the path from where the effect was in the first to
        here; the place moves in a line and the turn along the shorter arc.

        Raises:
            EffectError: Set to something else, or to a matrix with its translation in the last row.
        """
        return matrix_from(self._place)

    @transform.setter
    def transform(self, transform: object) -> None:
        self._alive()
        self._place = place_of(transform)

    def teleport(self, transform: object) -> None:
        """Be elsewhere at once: nothing is born on the way.

        Args:
            transform: A 4x4 matrix for column vectors, or a position.
        """
        self._alive()
        self._place = self._simulated = place_of(transform, "teleport")

    @property
    def speed(self) -> float:
        """How fast time passes: 1 is normal, 0 freezes.

        Raises:
            EffectError: Set to a negative number, NaN or infinity.
        """
        return self._speed

    @speed.setter
    def speed(self, speed: float) -> None:
        self._alive()
        if isinstance(speed, bool) or not (0.0 <= speed < math.inf):
            raise EffectError(f"speed: {speed!r} is not a finite number of at least 0")
        self._speed = float(speed)

    @property
    def tint(self) -> tuple[float, float, float, float]:
        """Straight RGBA that every particle's colour is multiplied with.

        Raises:
            EffectError: Set to anything but three or four finite numbers.
        """
        return self._tint

    @tint.setter
    def tint(self, tint: tuple[float, ...]) -> None:
        self._alive()
        self._tint = tint_of(tint)
        self._tint_bytes = _pack_tint(*self._tint)

    @property
    def live_count(self) -> int:
        """How many particles live, exactly; nothing is read back."""
        return sum(emitter.live_count for emitter in self)

    @property
    def births(self) -> int:
        """Births so far."""
        return sum(emitter.births for emitter in self)

    @property
    def dropped(self) -> int:
        """Births for which there was no room."""
        return sum(emitter.dropped for emitter in self)

    @property
    def finished(self) -> bool:
        """Whether nothing lives and nothing will be born, unless something else is asked for."""
        return self._finished and self._over

    @property
    def paused(self) -> bool:
        """Whether pause() holds it."""
        return self._paused

    @property
    def released(self) -> bool:
        """Whether release() has been called."""
        return self._released

    def pause(self) -> None:
        """Hold everything as it is; it is still drawn."""
        self._alive()
        self._paused = True

    def resume(self) -> None:
        """Go on where pause() held it."""
        self._alive()
        self._paused = False

    def stop(self) -> None:
        """No more births; the living finish."""
        self._alive()
        for emitter in self:
            emitter.player.timeline.stop()

    def start(self) -> None:
        """Begin again at t = 0, and leave the living alone."""
        self._alive()
        if self._finished:
            # Nobody has followed it since: what begins now begins where it is now.
            self._simulated = None
        self._finished = False
        for emitter in self:
            emitter.player.timeline.start()

    def retire(self) -> None:
        """Finish the current loop, then stop."""
        self._alive()
        for emitter in self:
            emitter.player.timeline.retire()

    def reset(self) -> None:
        """Forget everything: what follows equals a fresh run of the same seed."""
        self._alive()
        self._finished = False
        self._simulated = None
        for emitter in self:
            emitter.reset()

    def release(self) -> None:
        """Free everything at once; safe twice."""
        if self._released:
            return
        self._released = True
        self._scene.playing.remove(self)
        with self._scene.guard:
            for emitter in self:
                emitter.release()

    # What follows is the system's business.

    @property
    def idle(self) -> bool:
        """Whether an update would do nothing."""
        return self._paused or self._speed == 0.0 or self.finished

    def update(self, dt: float) -> None:
        """Advance by dt seconds of the host's time."""
        dt = min(dt * self._speed, LONGEST_UPDATE)
        if self.idle or not dt:
            return
        end = self._place
        begin = self._simulated
        if begin is None:
            # Nothing lives: what begins, begins here.
            begin = end
            if self._anchor != end.place:
                self._set_anchor(end.place)
        elif self._followed is not end:
            self._follow(end.place)
        self._simulated = self._followed = end
        for emitter in self._emitters.values():
            emitter.update(dt, begin, end, self._anchor)
        self._finished = self._over
        if self._finished and self.on_finished is not None:
            callback = self.on_finished
            self._scene.finished.append(lambda: callback(self))

    def draw(self, view: View) -> None:
        """Draw all emitters in authored order."""
        world = view.at(self._anchor)
        carried = b""
        for emitter in self._emitters.values():
            if emitter.local and not carried:
                carried = view.carried_by(self._place)
            emitter.draw(view, world, carried, self._tint_bytes)

    @property
    def _over(self) -> bool:
        return all(emitter.player.over for emitter in self._emitters.values())

    @property
    def gpu_bytes(self) -> int:
        """GPU memory of textures and buffers, in bytes."""
        return sum(emitter.gpu_bytes for emitter in self)

    def _follow(self, place: Vec3) -> None:
        """Keep the anchor near."""
        anchor = self._anchor
        away = [p - a for p, a in zip(place, anchor, strict=True)]
        if max(map(abs, away)) <= _ANCHOR_REACH:
            return
        x, y, z = (
            a + _ANCHOR_GRID * round(d / _ANCHOR_GRID) for a, d in zip(anchor, away, strict=True)
        )
        self._set_anchor((x, y, z))

    def _set_anchor(self, anchor: Vec3) -> None:
        previous, self._anchor = self._anchor, anchor
        for emitter in self:
            emitter.set_anchor(anchor, previous)

    def _alive(self) -> None:
        if self._released:
            raise ContextError(f"{self.effect.name}: this effect has been released")


def tint_of(tint: Iterable[float]) -> tuple[float, float, float, float]:
    """Read a tint, straight RGB or RGBA.

    Raises:
        EffectError: Anything but three or four finite numbers.
    """
    try:
        values = [float(value) for value in tint]
    except (TypeError, ValueError):
        values = []
    if len(values) not in (3, 4) or not all(map(math.isfinite, values)):
        raise EffectError(f"tint: {tint!r} is not three or four finite numbers")
    r, g, b, a = (*values, 1.0)[:4]
    return r, g, b, a


def matrix_from(place: Place) -> NDArray[np.float64]:
    """The 4x4 matrix for column vectors that a place was taken from."""
    x, y, z, w = place.turn
    turn = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    matrix = np.eye(4)
    matrix[:3, :3] = turn @ np.array(place.scale).reshape(3, 3).T
    matrix[:3, 3] = place.place
    return matrix
