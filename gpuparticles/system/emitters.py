"""One emitter of an effect that plays."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpuparticles.draw.models import drawn
from gpuparticles.draw.ribbons import Ribbons
from gpuparticles.draw.sprites import View
from gpuparticles.draw.trails import Trails
from gpuparticles.effect.effect import MOST_AT_ONCE, Effect, Emitter
from gpuparticles.effect.mistakes import show
from gpuparticles.errors import ContextError, EffectError
from gpuparticles.gpu.gather import Gather
from gpuparticles.gpu.history import check_history
from gpuparticles.gpu.simulate import Simulation
from gpuparticles.gpu.state import Texels, check_capacity
from gpuparticles.playback.given import read as read_given
from gpuparticles.playback.marks import Marks, marks_of
from gpuparticles.playback.place import IDENTITY, Place, Vec3, composed, offset_of, plus, rotate
from gpuparticles.playback.player import Player
from gpuparticles.playback.population import REPORTS_TO_BURIAL, STEPS_A_REPORT, row_slots
from gpuparticles.system.read import read_particles
from gpuparticles.system.scene import Scene

__all__ = ["EmitterInstance", "share"]


#: What is told of a particle that has died; see `EmitterInstance.on_death`.
DEATH = np.dtype([("number", "i8"), ("position", "f8", 3), ("velocity", "f4", 3)])


class _Dead(NamedTuple):
    """Who has died, while it is being asked where.

    Args:
        numbers: Birth numbers.
        frame: What their positions are relative to.
        origin: Where the authored origin was.
    """

    numbers: NDArray[np.int64]
    frame: Place
    origin: Vec3


class EmitterInstance:
    """One emitter of a playing effect: ``fire["flames"]``.

    Attributes:
        emitter: What it plays.
    """

    # Without room for others: a setting that does not exist cannot be set.
    __slots__ = (
        "__weakref__",
        "_frame",
        "_gather",
        "_local",
        "_offset",
        "_on_death",
        "_path",
        "_player",
        "_released",
        "_ribbon",
        "_scene",
        "_simulation",
        "_sprites",
        "_trails",
        "_where",
        "emitter",
    )

    def __init__(self, scene: Scene, effect: Effect, index: int, seed: int) -> None:
        self.emitter: Emitter = effect.emitters[index]
        self._scene = scene
        self._where = where = f"{effect.name}: {self.emitter.name}"
        # First of all: what does not fit may not fit into the CPU's memory either.
        check_capacity(scene.ctx, self.emitter.capacity, where)
        self._player = Player(effect, index, seed)
        self._local = self.emitter.space == "local"
        self._offset = offset_of(self.emitter.offset)
        self._path: tuple[Place, Place] | None = None
        self._frame = IDENTITY
        self._gather: Gather[_Dead] | None = None
        self._on_death: Callable[[NDArray[np.void]], object] | None = None
        self._released = False
        population = self._player.population
        trail = self.emitter.trail
        if trail is not None:
            self._fits(self.emitter.capacity, marks_of(trail, population.clock, effect.fixed_fps))
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
            fps=effect.fixed_fps,
        )
        self._trails: Trails | None = None
        self._ribbon: Ribbons | None = None
        try:
            self._sprites = drawn(
                scene.ctx,
                scene.guard,
                simulation,
                self.emitter,
                text,
                scene.textures,
                scene.meshes,
                where,
            )
            if trail is not None and text.trail is not None:
                self._trails = Trails(
                    scene.ctx, simulation, trail, text.trail, scene.textures, where
                )
            ribbon = self.emitter.ribbon
            if ribbon is not None and text.ribbon is not None:
                self._ribbon = Ribbons(
                    scene.ctx, scene.guard, simulation, ribbon, text.ribbon, scene.textures, where
                )
        except BaseException:
            if hasattr(self, "_sprites"):
                self._sprites.release()
            if self._trails is not None:
                self._trails.release()
            simulation.release()
            raise
        self._simulation = simulation
        simulation.origin = scene.origin
        simulation.poses = self._player.poses

    def __repr__(self) -> str:
        return f"<EmitterInstance {self.emitter.name!r}: {self.live_count} live>"

    @property
    def name(self) -> str:
        """Its name in the effect."""
        return self.emitter.name

    @property
    def capacity(self) -> int:
        """How many particles can live at once; may be set while playing.

        All particles stay as they are; where there is no room for all of them any more, the
        youngest do. It is made for once in a while, not for every frame: textures are replaced.

        Raises:
            EffectError: Set to anything but a whole number of at least 0.
            ContextError: No texture can hold so many; or the effect has been released.
        """
        return self._player.population.slots.capacity

    @capacity.setter
    def capacity(self, capacity: int) -> None:
        self._alive()
        if (
            not isinstance(capacity, (int, np.integer))
            or isinstance(capacity, bool)
            or capacity < 0
        ):
            raise EffectError(
                f"{self.name}: capacity: {show(capacity)} is not a whole number, 0 or more"
            )
        capacity = int(capacity)
        scene, population = self._scene, self._player.population
        check_capacity(scene.ctx, capacity, self._where)
        if self._simulation.history is not None:
            self._fits(capacity, self._simulation.history.marks)
        if capacity == population.slots.capacity:
            return
        with scene.guard:
            scene.guard.simulate()
            came_from = population.set_capacity(capacity)
            self._player.seen_rows = population.slots.rows
            if came_from is None:
                self._simulation.set_capacity(capacity)
            else:
                self._simulation.move(capacity, population.row, came_from)

    @property
    def amount(self) -> float:
        """The share of births that are kept, 0 to 1, times the effect's: whatever brings them.

        Which ones is drawn from their seeds: a larger amount adds particles to the same ones.

        Raises:
            EffectError: Set to anything but a number from 0 to 1.
            ContextError: Set after the effect was released.
        """
        return self._player.population.amount

    @amount.setter
    def amount(self, amount: float) -> None:
        self._alive()
        self._player.population.amount = share(amount, f"{self.name}: amount")

    @property
    def live_count(self) -> int:
        """How many particles live, exactly; nothing is waited for.

        Whom a modifier kills is counted for three updates more, and who has left a trail until it
        is over.
        """
        return self._player.population.slots.live_count

    @property
    def births(self) -> int:
        """Births so far.

        Those included that were dropped, left out for the amount, or over within their step.
        """
        return self._player.population.births

    @property
    def dropped(self) -> int:
        """Births for which there was no room."""
        return self._player.population.dropped

    @property
    def rate(self) -> float:
        """Births a second now; may be set while playing. What is left of a birth is kept.

        Set to a number it stays there, whatever the effect says; set to a function of the emitter's
        time in seconds since its start, that is asked for the beginning of each step. All functions
        are asked for all steps of an update before anything is simulated.

        Raises:
            EffectError: Set to a negative number, NaN or infinity. In an update: the function gives
                one; nothing at all has changed then.
            ContextError: Set after the effect was released.
        """
        return self._player.timeline.rate

    @rate.setter
    def rate(self, rate: float | Callable[[float], float]) -> None:
        self._alive()
        try:
            self._player.timeline.rate = rate
        except EffectError as error:
            raise EffectError(f"{self.name}: {error}") from None
        self._scene.driven.discard(self)
        if callable(rate):
            self._scene.driven.add(self)

    def emit(
        self,
        count: int | None = None,
        *,
        positions: Any = None,
        velocities: Any = None,
        colors: Any = None,
        sizes: Any = None,
    ) -> None:
        """Have particles born at the beginning of the next step, whatever the timeline does.

        What is not given of them is drawn as for any birth; what is given takes the place of that,
        and all others are as they were. Their lifetimes are the emitter's, its limit, capacity and
        amount hold for them too. At the first call with anything given a program is compiled,
        unless ``ParticleSystem.warm_up(effect, emit=True)`` has done so.

        ::

            fire["sparks"].emit(20)
            fire["sparks"].emit(positions=hits, velocities=normals * 3.0, colors="#ffc040")

        Args:
            count: How many; without it, as many as are given.
            positions: Where in the world, in units: (n, 2) or (n, 3), or one for all. Of any
                dtype; double precision is kept up to the anchor.
            velocities: In the world, in units/s, likewise.
            colors: In the place of the emitter's, and of its shape's: n colours, or one for all,
                each of 3 or 4 numbers (straight alpha), or in hex. Curves and the tint multiply it.
            sizes: In the place of the emitter's ``size``, in its unit: n numbers, or one for all.

        Raises:
            EffectError: Not a whole number from 0 to 2**24, or not such numbers, or not of as many
                births; or more than 2**24 births wait. Nothing has changed.
            ContextError: The effect has been released.
        """
        self._alive()
        player = self._player
        try:
            number, given = read_given(count, positions, velocities, colors, sizes)
            if player.asked + number > MOST_AT_ONCE:
                raise EffectError(f"more than {MOST_AT_ONCE} births would wait for the next step")
        except EffectError as error:
            raise EffectError(f"{self.name}: emit: {error}") from None
        if given is not None and not self._simulation.takes_given:
            with self._scene.guard:
                self._scene.guard.simulate()
                self._simulation.take_given()
        player.emit(number, given)

    @property
    def on_death(self) -> Callable[[NDArray[np.void]], object] | None:
        """Called for those who have died; None, or a callable of their records. May be set.

        Records by birth number, of dtype ``number`` i8, ``position`` 3 f8 and ``velocity`` 3 f4, in
        the world, where each was when it died. They are fetched without waiting: the callback comes
        at the end of the third update after the deaths, the same on every machine (of those whom a
        modifier killed, three later again). It may emit, here or elsewhere, as for sparks that
        leave smoke where they end. Deaths in a hitch that nobody saw are not told, nor are those
        of particles that outlive themselves by a trail before that is over. Without a listener it
        costs nothing.

        Raises:
            EffectError: Set to something that is not callable.
            ContextError: Set after the effect was released.
        """
        return self._on_death

    @on_death.setter
    def on_death(self, callback: Callable[[NDArray[np.void]], object] | None) -> None:
        self._alive()
        if callback is not None and not callable(callback):
            raise EffectError(
                f"{self.name}: on_death: {show(callback)} is neither callable nor None"
            )
        scene = self._scene
        if (callback is None) != (self._gather is None):
            with scene.guard:
                scene.guard.simulate()
                if self._gather is not None:
                    self._gather.release()
                    self._gather = None
                    scene.listening.remove(self)
                else:
                    self._gather = Gather(scene.ctx, scene.guard)
                    scene.listening.append(self)
        self._on_death = callback
        self._player.listens = callback is not None

    def read(self) -> NDArray[np.void]:
        """Fetch the living from the GPU: for tests, debugging and data sets, not for playback.

        Returns:
            Records by birth number, of dtype ``number`` i8, ``position`` 3 f8 (world units),
            ``velocity`` 3 f4 (world, units/s), ``age`` f4 and ``lifetime`` f4 (seconds; infinite
            for ever), ``rotation`` f4 (degrees), ``size`` f4 (the larger of both sides),
            ``color`` 4 f4 (straight RGBA), ``width`` f4 and ``height`` f4, size and colour as they
            are drawn.

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

    def _advance(
        self, dt: float, begin: Place, end: Place, anchor: Vec3, frames: int, fps: float | None
    ) -> None:
        """Advance while the effect moves from begin to end.

        By dt > 0 seconds, or by so many whole frames, if there is a frame rate.
        """
        simulation = self._simulation
        path = (begin, end)
        distance = 0.0
        if self.emitter.rate_over_distance and begin is not end:
            distance = math.dist(self._within(begin).place, self._within(end).place)
        if path != self._path:
            self._path = path
            begin, end = self._within(begin), self._within(end)
            self._frame = end if self._local else Place(anchor, IDENTITY.turn, IDENTITY.scale)
            simulation.set_path(begin, end, anchor)
        player = self._player
        deaths = simulation.deaths
        if deaths is not None:
            self._mourn(deaths.bury(player.population))
        if fps is None:
            steps = player.steps(dt, self._scene.max_step, distance)
        else:
            steps = player.frames(frames, fps, distance)
        simulation.sight = self._scene.sight
        for number, step in enumerate(steps, 1):
            simulation.run(step)
            if step.died is not None:
                self._mourn(step.died)
            if deaths is not None and number % STEPS_A_REPORT == 0:
                deaths.report(simulation.state, player.population)
                self._mourn(deaths.bury(player.population))
        # With frames, who died in the last one is still on its way to there.
        simulation.rows = player.population.slots.rows if fps is None else player.seen_rows
        if deaths is not None:
            deaths.report(simulation.state, player.population)

    def _mourn(self, slots: NDArray[np.int64]) -> None:
        """Ask where those were whose slots have become free, before others get them."""
        if self._gather is None or not len(slots):
            return
        assert self._simulation.state is not None
        numbers = self._player.population.numbers[slots]
        about = _Dead(numbers, self._frame, self._scene.origin)
        self._gather.ask(self._simulation.state, slots, self._scene.updates, about)

    def _tell(self) -> None:
        """Have the listener called for those who died some updates ago."""
        if self._gather is None or self._on_death is None:
            return
        for dead, found in self._gather.answers(self._scene.updates - REPORTS_TO_BURIAL):
            turn = np.array(
                [rotate(dead.frame.turn, axis) for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1))]
            )
            records = np.empty(len(found), DEATH)
            records["number"] = dead.numbers
            moved = np.subtract(self._scene.origin, dead.origin)
            places = found[:, :3].astype(np.float64) @ turn
            records["position"] = places + dead.frame.place + moved
            records["velocity"] = found[:, 4:7] @ turn
            records.sort(order="number")
            self._scene.finished.append(partial(self._on_death, records))

    def _describe(self, effect: Effect, index: int, anchor: Vec3) -> None:
        """Go on with other values of what parameters drive, from the next step on."""
        emitter = self.emitter = effect.emitters[index]
        self._offset = offset_of(emitter.offset)
        self._player.describe(emitter)
        if self._player.timeline.driver is None:
            self._scene.driven.discard(self)
        self._simulation.describe(emitter, effect.modifiers_of(emitter))
        self._sprites.describe(emitter.look)
        if self._trails is not None and emitter.trail is not None:
            self._trails.describe(emitter.trail)
        if self._ribbon is not None and emitter.ribbon is not None:
            self._ribbon.describe(emitter.ribbon)
        self._path = None
        if not self._local:
            self._simulation.set_anchor(anchor)

    def _fits(self, capacity: int, marks: Marks) -> None:
        """See that a texture holds the marks of so many particles."""
        rows = -(-capacity // row_slots(capacity))
        check_history(self._scene.ctx, max(rows, 1), marks.planes, self._where)

    def _draw(
        self,
        view: View,
        place: Place,
        from_particles: bytes,
        tint: bytes,
        plane: bytes,
        behind: float,
        *,
        solid: bool,
    ) -> None:
        """Draw the living, before them the trails, and before those what links them.

        Args:
            view: The camera.
            place: Where the effect is.
            from_particles: As for Sprites.draw, as are `tint` and `plane`.
            tint: Packed.
            plane: Packed.
            behind: By how many seconds what is seen lies before the last step's end.
            solid: Draw only what covers what is behind it; else all but that.
        """
        clock = self._player.population.clock
        weighted = self._scene.weighted
        if not solid and (self._ribbon is not None or self._trails is not None):
            weighted.end()
        if self._ribbon is not None and not solid:
            self._ribbon.draw(view, from_particles, tint, clock, behind)
        if self._trails is not None and not solid:
            here = self._within(place)
            self._trails.draw(view, from_particles, tint, clock, behind, here)
        if self._sprites.solid is solid and not self.emitter.bare:
            view = weighted.choose(view, place.place, self._sprites.weighted)
            self._sprites.draw(view, from_particles, tint, plane)

    def _cast(
        self,
        view: View,
        place: Place,
        from_particles: bytes,
        tint: bytes,
        plane: bytes,
        behind: float,
    ) -> None:
        """Draw the depth of what covers; arguments as for `_draw`."""
        clock = self._player.population.clock
        if self._ribbon is not None:
            self._ribbon.draw(view, from_particles, tint, clock, behind, cast=True)
        if self._trails is not None:
            here = self._within(place)
            self._trails.draw(view, from_particles, tint, clock, behind, here, cast=True)
        if not self.emitter.bare:
            self._sprites.cast(view, from_particles, tint, plane)

    @property
    def _sorts(self) -> bool:
        """Whether any of its particles are ever sorted."""
        return self._ribbon is not None or self._sprites.order is not None

    def _unsorted(self, from_particles: bytes) -> Iterator[Callable[[], None]]:
        """What is to be called, while simulating, before it can be drawn."""
        if not self.emitter.bare and (sort := self._sprites.unsorted(from_particles)):
            yield sort
        yield from self._unlinked()

    def _unlinked(self) -> Iterator[Callable[[], None]]:
        """What is to be called, while simulating, before even its depth can be drawn."""
        if self._ribbon is not None and (sort := self._ribbon.unsorted()):
            yield sort

    def _within(self, place: Place) -> Place:
        """Where the emitter is when the effect is at a place."""
        return place if self._offset is None else composed(place, self._offset)

    def _set_anchor(self, anchor: Vec3, previous: Vec3 | None) -> None:
        """Make positions relative to another anchor."""
        if self._local:
            return
        self._path = None
        self._simulation.set_anchor(anchor)
        if previous is not None:
            self._simulation.shift(
                (previous[0] - anchor[0], previous[1] - anchor[1], previous[2] - anchor[2])
            )

    def _shift_origin(self, offset: Vec3, anchor: Vec3) -> None:
        """Count everything from elsewhere; the GPU holds nothing that would notice."""
        self._path = None
        self._player.shift(offset)
        self._frame = self._frame._replace(place=plus(self._frame.place, offset))
        self._simulation.origin = self._scene.origin
        if not self._local:
            self._simulation.set_anchor(anchor)

    @property
    def gpu_bytes(self) -> int:
        """GPU memory of textures and buffers, in bytes."""
        if self._released:
            return 0
        sorting = 0 if self._ribbon is None else self._ribbon.nbytes
        asking = 0 if self._gather is None else self._gather.nbytes
        return self._simulation.nbytes + self._sprites.nbytes + sorting + asking

    def _restore(
        self, player: Player, rows: int, texels: Texels, anchor: Vec3, followed: Place
    ) -> None:
        """Go on as another did; inside the guard."""
        player.timeline.driver = self._player.timeline.driver
        player.listens = self._player.listens
        self._player = player
        self._forget_deaths()
        self._simulation.poses = player.poses
        self._simulation.write(rows, texels)
        self._path = None
        self._frame = Place(anchor, IDENTITY.turn, IDENTITY.scale)
        if self._local:
            self._frame = self._within(followed)
        else:
            self._simulation.set_anchor(anchor)

    def _reset(self) -> None:
        """Forget every particle."""
        self._player.reset()
        self._forget_deaths()
        self._simulation.rows = 0
        if self._simulation.deaths is not None:
            self._simulation.deaths.forget()

    def _forget_deaths(self) -> None:
        """Nobody asks any more for those who have died until now."""
        if self._gather is not None:
            self._gather.forget()

    def _release(self, *, free: bool) -> None:
        """Nobody lives any more; free the GL objects, if they still exist."""
        if self._released:
            return
        self._released = True
        self._scene.driven.discard(self)
        if self in self._scene.listening:
            self._scene.listening.remove(self)
        self._player.population.slots.clear()
        if free:
            if self._gather is not None:
                self._gather.release()
            self._sprites.release()
            if self._trails is not None:
                self._trails.release()
            if self._ribbon is not None:
                self._ribbon.release()
            self._simulation.release()

    def _alive(self) -> None:
        if self._released:
            raise ContextError(f"{self.name}: this effect has been released")


def share(amount: float, where: str) -> float:
    """A number from 0 to 1.

    Raises:
        EffectError: It is not one.
    """
    if not isinstance(amount, Real) or isinstance(amount, bool) or not 0.0 <= amount <= 1.0:
        raise EffectError(f"{where}: {show(amount)} is not a number from 0 to 1")
    return float(amount)
