"""An effect that plays somewhere."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import partial
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpuparticles.draw.layers import Layer
from gpuparticles.draw.sprites import View
from gpuparticles.effect.effect import Effect
from gpuparticles.effect.mistakes import show, suggestion
from gpuparticles.effect.values import rgba
from gpuparticles.errors import EffectError
from gpuparticles.playback.clock import Frames
from gpuparticles.playback.parameters import Parameters
from gpuparticles.playback.place import Place, Vec3, place_of, plus, position_of, seen_place, shown
from gpuparticles.playback.places import matrix_from
from gpuparticles.playback.player import split
from gpuparticles.playback.saved import UnfitError
from gpuparticles.system.controls import MOST, Controls
from gpuparticles.system.emitters import EmitterInstance, share
from gpuparticles.system.scene import LONGEST_UPDATE, Scene
from gpuparticles.system.snapshots import read_snapshot, take_snapshot
from gpuparticles.system.watch import Plane, Watch

__all__ = ["EffectInstance"]

# A world-space effect that is further than this from its anchor takes a nearer one, on a grid whose
# steps float32 adds without error to most positions.
_ANCHOR_REACH = 2048.0
_ANCHOR_GRID = 1024.0

_WHITE = (1.0, 1.0, 1.0, 1.0)
_pack_tint = struct.Struct("<4f").pack


class EffectInstance(Controls):
    """An effect that plays somewhere: what ``ParticleSystem.play`` returns.

    Once it is released, its figures can still be asked for; everything else is a ContextError.

    Attributes:
        effect: What plays, as its author wrote it.
        seed: What its randomness comes from.
    """

    # Without room for others: a setting that does not exist cannot be set.
    __slots__ = (
        "__weakref__",
        "_amount",
        "_anchor",
        "_draw_order",
        "_drawn",
        "_emitters",
        "_finished",
        "_followed",
        "_frames",
        "_layer",
        "_on_finished",
        "_once",
        "_paused",
        "_place",
        "_played",
        "_released",
        "_scene",
        "_simulated",
        "_soft",
        "_solid",
        "_sorts",
        "_speed",
        "_target",
        "_time",
        "_tint",
        "_tint_bytes",
        "_warmed",
        "_watch",
        "_weighs",
        "effect",
        "seed",
    )

    def __init__(
        self,
        scene: Scene,
        effect: Effect,
        place: Place,
        seed: int,
        *,
        once: bool = False,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        self.effect = effect
        self._played = effect  # with its parameters as they are set
        set_at_first = effect.with_parameters({} if parameters is None else parameters)
        self.seed = seed
        self._on_finished: Callable[[EffectInstance], object] | None = None
        self._target: Callable[[], object] | None = None
        self._scene = scene
        self._place = place
        # None until the first update: a place that is set before it leaves no trace.
        self._simulated: Place | None = None
        self._followed = place
        self._warmed: Place | None = None  # where it has prewarmed, until the first update
        self._anchor = place.place
        self._speed = 1.0
        self._amount = 1.0
        self._paused = False
        self._finished = False
        self._released = False
        self._time = 0.0
        self._frames = None if effect.fixed_fps is None else Frames(effect.fixed_fps)
        self._once = once  # a burst: one loop, and nobody holds it
        self._tint = _WHITE
        self._tint_bytes = _pack_tint(*_WHITE)
        self._draw_order = 0
        self._layer: Layer | None = None
        watched = effect.bounds is not None or effect.lod is not None
        self._watch = Watch(effect, scene.draws) if watched else None
        self._emitters: dict[str, EmitterInstance] = {}
        try:
            for index, emitter in enumerate(effect.emitters):
                instance = EmitterInstance(scene, effect, index, seed)
                self._emitters[emitter.name] = instance
                instance._set_anchor(self._anchor, None)
            self._drawn = sorted(self, key=lambda instance: instance.emitter.draw_order)
            self._sorts = any(instance._sorts for instance in self)
            self._solid = any(instance._sprites.solid for instance in self)
            self._soft = any(instance._sprites.soft for instance in self)
            self._weighs = any(instance._sprites.weighted for instance in self)
            self._play(set_at_first)
            self._rewind()
        except BaseException:
            for instance in self._emitters.values():
                instance._release(free=True)
            raise

    def __repr__(self) -> str:
        state = "released" if self._released else f"{self.live_count} live"
        return f"<EffectInstance {self.effect.name!r}: {state}>"

    def __getitem__(self, name: str) -> EmitterInstance:
        try:
            return self._emitters[name]
        except KeyError:
            raise EffectError(
                f"{self.effect.name}: there is no emitter {show(name)}"
                f"{suggestion(name, self._emitters)}"
            ) from None

    def __iter__(self) -> Iterator[EmitterInstance]:
        return iter(self._emitters.values())

    def __contains__(self, name: object) -> bool:
        return name in self._emitters

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

    @property
    def position(self) -> Vec3:
        """Where the effect is, in units; set, it moves and keeps its turn and scale.

        Raises:
            EffectError: Set to anything but two or three finite numbers.
        """
        return self._place.place

    @position.setter
    def position(self, position: Iterable[float]) -> None:
        self._alive()
        self._place = self._place._replace(place=position_of(position, "position"))

    def teleport(self, transform: object) -> None:
        """Be elsewhere at once: nothing is born on the way.

        Args:
            transform: A 4x4 matrix for column vectors, or a position.
        """
        self._alive()
        self._place = self._simulated = place_of(transform, "teleport")

    def follow(self, target: object) -> None:
        """Be where something else is, from the next update on: a sprite, a body, another effect.

        It is asked once in every update that this effect takes part in, before anything is
        simulated; births lie on the way to it, as for `transform`. Teleport there first to leave
        no trace. The effect holds on to the target until it follows something else, or is released.

        Args:
            target: What has a ``transform`` (a 4x4 matrix for column vectors, or a position), or a
                ``position`` or ``center`` (two or three numbers, which keep the effect's turn and
                scale); or a callable that returns either. None stops following.

        Raises:
            EffectError: It has none of these. In an update: what it gives is no such place; nothing
                has changed then.
        """
        self._alive()
        seen = None if target is None else _seen_of(target, self.effect.name)
        following = self._scene.following
        if self in following:
            following.remove(self)
        if seen is not None:
            following.append(self)
        self._target = seen

    @property
    def amount(self) -> float:
        """The share of births that are kept, 0 to 1: of every emitter, and times its own.

        For levels of detail, and for effects that swell and fade. Which ones are kept is drawn from
        their seeds: a larger amount adds particles to the same ones.

        Raises:
            EffectError: Set to anything but a number from 0 to 1.
        """
        return self._amount

    @amount.setter
    def amount(self, amount: float) -> None:
        self._alive()
        self._amount = share(amount, "amount")
        self._thin()

    def _thin(self) -> None:
        """Let as many births come as amount and distance leave."""
        left = self._amount * (1.0 if self._watch is None else self._watch.share)
        for emitter in self:
            if emitter._player.population.share != left:
                emitter._player.population.share = left

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
        self._tint = rgba(tint, "tint")
        self._tint_bytes = _pack_tint(*self._tint)

    @property
    def parameters(self) -> Parameters:
        """The effect's parameters, by name: ``fire.parameters["wind"] = 3``.

        Nothing is compiled, and the living go on; what is set holds from the next step on.

        Raises:
            EffectError: No such parameter, or not such a value; nothing has changed.
        """
        return Parameters(self.effect, lambda: self._played, self._set_parameters)

    @property
    def on_finished(self) -> Callable[[EffectInstance], object] | None:
        """Called with the instance, once, after the last birth and the last death.

        At the end of the update in which that happened; it may play, burst, start or release.

        Raises:
            EffectError: Set to what is neither callable nor None.
        """
        return self._on_finished

    @on_finished.setter
    def on_finished(self, callback: Callable[[EffectInstance], object] | None) -> None:
        if callback is not None and not callable(callback):
            raise EffectError(f"on_finished: {show(callback)} is neither callable nor None")
        self._on_finished = callback

    @property
    def time(self) -> float:
        """Seconds of its own time since the start: a prewarm lies before it, speed counts."""
        return self._time

    @property
    def live_count(self) -> int:
        """How many particles live, exactly; nothing is waited for.

        Whom a modifier kills is counted for three updates more, and who has left a trail until it
        is over.
        """
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
        """Whether nothing lives and nothing will be born, unless something else is asked for.

        At a fixed frame rate: and whoever lived last is no longer seen.
        """
        return self._finished and self._over

    def stop(self) -> None:
        """No more births; the living finish."""
        self._alive()
        for emitter in self:
            emitter._player.timeline.stop()

    def start(self) -> None:
        """Begin again at t = 0, and leave the living alone."""
        self._alive()
        if self._finished:
            # Nobody has followed it since: what begins now begins where it is now.
            self._simulated = None
        self._finished = False
        self._time = 0.0
        for emitter in self:
            emitter._player.start()

    def retire(self) -> None:
        """Finish the current loop, then stop."""
        self._alive()
        for emitter in self:
            emitter._player.timeline.retire()

    def reset(self) -> None:
        """Forget every particle: what follows equals a fresh run of the same seed.

        It begins with the prewarm, if the effect has one. Settings stay as they are: place, speed,
        tint, amounts, rates, what it follows, and whether it is paused.
        """
        self.seek(0.0)

    def seek(self, time: float) -> None:
        """Be at another time, later or earlier: as a fresh run of the same seed is after it.

        A fresh run where the effect is now, whose only update is so long; its steps are those of
        any update. Settings stay, as for `reset`; what was emitted by hand is forgotten. It works
        while paused too, and on_finished is not called. The cost is that of a long update: no more
        than the longest life is simulated.

        Args:
            time: Seconds of the effect's own time since its start, 0 or more.

        Raises:
            EffectError: Not a finite number of at least 0, or a function gives no rate; nothing has
                changed.
        """
        self._alive()
        if isinstance(time, bool) or not isinstance(time, Real) or not 0.0 <= time <= MOST:
            raise EffectError(f"seek: {show(time)} is not a finite number of seconds of at least 0")
        if not time and not self.effect.prewarm:
            self._rewind()  # no need of OpenGL
            return
        self._ask_for(min(float(time), LONGEST_UPDATE), anew=True)
        with self._scene.guard:
            self._scene.guard.simulate()
            self._rewind()
            if time:
                self._simulate(min(float(time), LONGEST_UPDATE))
                self._finished = self._over

    def snapshot(self) -> bytes:
        """Everything that playing has changed, to go on from later, here or in another run.

        Particles are fetched from the GPU, as by ``read``: for saved games, replays and tests, not
        for every frame. Not in it are what it follows and calls back, functions
        that give rates, and the system's max_step.

        Returns:
            Bytes that `restore` takes, of this and later versions of the format that say so.

        Raises:
            ContextError: The effect has been released.
        """
        self._alive()
        with self._scene.guard:
            self._scene.guard.simulate()
            return take_snapshot(self)

    def restore(self, snapshot: bytes) -> None:
        """Be as the instance was whose snapshot this is: what follows equals what followed there.

        To the bit, under the same updates: place, path, time, speed, tint, drawing order, pause,
        seed, rates, parameters and every particle. Bytes from anywhere may be given: nothing in
        them is executed. If the origin was shifted in between, the place is shifted with it.

        Args:
            snapshot: From the same effect, by value; its textures may differ.

        Raises:
            EffectError: The bytes are damaged, or of another effect or capacity; nothing has
                changed.
            ContextError: The effect has been released.
        """
        self._alive()
        try:
            found = read_snapshot(self, snapshot)
        except UnfitError as error:
            raise EffectError(f"{self.effect.name}: restore: the snapshot {error}") from None
        for name, value in found.attributes.items():
            setattr(self, name, value)
        if self._watch is not None:
            self._watch.distrust()
        self.seed = found.seed
        self.tint = found.tint
        self._anchor = found.anchor
        self._play(found.played)
        with self._scene.guard:
            self._scene.guard.simulate()
            for emitter, player, rows, texels in zip(
                self, found.players, found.rows, found.texels, strict=True
            ):
                emitter._restore(player, rows, texels, found.anchor, self._followed)
            if self._frames is not None:
                self._frames.restore(found.frames)
            self._blend()

    def release(self) -> None:
        """Free everything at once; safe twice."""
        if self._released:
            return
        self.follow(None)
        with self._scene.releasing() as alive:
            self._released = True
            self._scene.playing.remove(self)
            for emitter in self:
                emitter._release(free=alive)

    # What follows is the system's business.

    @property
    def _idle(self) -> bool:
        """Whether an update would do nothing."""
        return self._paused or self._speed == 0.0 or (self._finished and self._over)

    @property
    def _spent(self) -> bool:
        """Whether it was a burst, which is over."""
        return self._once and self._finished

    def _set_parameters(self, effect: Effect) -> None:
        self._alive()
        self._play(effect)

    def _play(self, effect: Effect) -> None:
        """Go on with the effect as its parameters are now."""
        before, self._played = self._played, effect
        for index, instance in enumerate(self):
            same = effect.emitters[index] is before.emitters[index]
            if not same or effect.modifiers is not before.modifiers:
                instance._describe(effect, index, self._anchor)

    def _look(self) -> Place:
        """Where the effect is to be, as what it follows has it."""
        if self._target is None:
            return self._place
        return seen_place(self._target(), self._place, f"{self.effect.name}: follow")

    def _ask(self, dt: float) -> None:
        """Ask the functions that give rates, before an advance by dt."""
        dt = min(dt * self._speed, LONGEST_UPDATE)
        if not self._idle and dt:
            self._ask_for(dt, anew=self._moved)

    def _ask_for(self, dt: float, *, anew: bool) -> None:
        """Ask for dt seconds of its own time, after a rewind or as things are.

        Raises:
            EffectError: One of them gave no rate; nothing has changed.
        """
        driven = [emitter._player for emitter in self if emitter in self._scene.driven]
        if not driven:
            return
        spans = [min(self.effect.prewarm, LONGEST_UPDATE), dt] if anew else [dt]
        frames = copy(self._frames)
        if anew and frames is not None:
            frames.reset()
        max_step = self._scene.max_step
        asked = [
            (span, split(span, max_step))
            if frames is None
            else ((count := frames.advance(span)) / frames.fps, count)
            for span in spans
            if span
        ]
        for player in driven:
            player.ask(*asked, begin=0.0 if anew else None)

    @property
    def _moved(self) -> bool:
        """Whether it has prewarmed elsewhere than it is to begin."""
        return self._warmed is not None and self._warmed is not self._place

    def _shift_origin(self, offset: Vec3) -> None:
        """Count positions from elsewhere."""
        # One object stays one: whether the effect has moved is asked by identity.
        moved = {
            id(place): place._replace(place=plus(place.place, offset))
            for place in (self._place, self._simulated, self._followed, self._warmed)
            if place is not None
        }
        if self._simulated is not None:
            self._simulated = moved[id(self._simulated)]
        if self._warmed is not None:
            self._warmed = moved[id(self._warmed)]
        self._place, self._followed = moved[id(self._place)], moved[id(self._followed)]
        self._anchor = plus(self._anchor, offset)
        if self._watch is not None:
            self._watch.shift(offset)
        for emitter in self:
            emitter._shift_origin(offset, self._anchor)

    def _advance(self, dt: float) -> None:
        """Advance by dt seconds of the host's time."""
        dt = min(dt * self._speed, LONGEST_UPDATE)
        if self._watch is not None and not self._paused and not self._once:
            dt = min(self._watch.attend(dt, self._scene.draws), LONGEST_UPDATE)
            self._thin()
        if self._idle or not dt:
            return
        self._simulate(dt)
        self._finished = self._over
        if self._finished and self._on_finished is not None:
            callback = self._on_finished
            self._scene.finished.append(lambda: callback(self))

    def _rewind(self) -> None:
        """Be where a fresh run is before its first update; inside the guard, if it prewarms."""
        self._finished = False
        if self._watch is not None:
            self._watch.clear()
        self._simulated = self._warmed = None
        self._followed = self._place
        if self._frames is not None:
            self._frames.reset()
        for emitter in self:
            emitter._reset()
            if self._once:
                emitter._player.timeline.retire()
        if self.effect.prewarm:
            self._simulate(min(self.effect.prewarm, LONGEST_UPDATE))
            # Nobody has seen it move yet.
            self._simulated = None
            self._warmed = self._place
        self._time = 0.0

    def _simulate(self, dt: float) -> None:
        """Advance by dt > 0 seconds of its own time."""
        moved, self._warmed = self._moved, None
        if moved:
            # It was moved before the first update: it has run so long there, not here.
            asked = [(emitter._player.asked, emitter._player.given) for emitter in self]
            self._rewind()
            for emitter, (count, given) in zip(self, asked, strict=True):
                emitter._player.emit(count, given)
            self._warmed = None
        self._time += dt
        frames = self._frames
        whole = 0
        if frames is not None:
            whole = frames.advance(dt)
            if not whole:
                self._blend()
                return
        end = self._place
        begin = self._simulated
        if begin is None:
            # Nothing lives, unless it has been here all the time: what begins, begins here.
            begin = end
            if self._anchor != end.place:
                self._set_anchor(end.place)
        elif self._followed is not end:
            self._follow(end.place)
        self._simulated = self._followed = end
        if self._watch is not None:
            self._watch.move(begin, end, dt)
        for emitter in self._emitters.values():
            emitter._advance(dt, begin, end, self._anchor, whole, self.effect.fixed_fps)
        if frames is not None:
            self._blend()

    def _blend(self) -> None:
        """Say what is seen between the last two frames."""
        if self._frames is not None:
            for emitter in self:
                emitter._simulation.blend(self._frames.alpha)

    def _in_view(self, view: View, planes: Sequence[Plane]) -> bool:
        """Whether it may be seen: always, without bounds."""
        return self._watch is None or self._watch.look(view, planes, self._place)

    @property
    def _behind(self) -> float:
        """By how many seconds what is seen lies before what has been simulated."""
        frames = self._frames
        return 0.0 if frames is None else (1.0 - frames.alpha) / frames.fps

    def _draw(self, view: View, *, solid: bool) -> None:
        """Draw of all emitters what covers what is behind, or all else."""
        place, tint, behind = self._place, self._tint_bytes, self._behind
        for emitter, frame in self._framed(view):
            plane = self._plane(emitter, view)
            emitter._draw(view, place, frame, tint, plane, behind, solid=solid)

    def _cast(self, view: View) -> None:
        """Draw the depth of all emitters."""
        place, tint, behind = self._place, self._tint_bytes, self._behind
        for emitter, frame in self._framed(view):
            emitter._cast(view, place, frame, tint, self._plane(emitter, view), behind)

    def _unlinked(self) -> Iterator[Callable[[], None]]:
        """What sorts before even depths can be drawn."""
        for emitter in self:
            yield from emitter._unlinked()

    def _plane(self, emitter: EmitterInstance, view: View) -> bytes:
        """The view from the emitter, packed, where its sprites lie in its plane; else nothing."""
        if emitter.emitter.sprite.facing == "emitter" and not emitter._local:
            return view.carried_by(emitter._within(self._place))
        return b""

    def _unsorted(self, view: View) -> Iterator[Callable[[], None]]:
        """What sorts before it can be drawn."""
        for emitter, frame in self._framed(view):
            yield from emitter._unsorted(frame)

    def _framed(self, view: View) -> Iterator[tuple[EmitterInstance, bytes]]:
        """The emitters in drawing order, and the view from where their particles live, packed."""
        world = view.at(self._anchor)
        carried = b""
        for emitter in self._drawn:
            frame = world
            if emitter._local and emitter._offset is not None:
                frame = view.carried_by(emitter._within(self._place))
            elif emitter._local:
                frame = carried = carried or view.carried_by(self._place)
            yield emitter, frame

    @property
    def _over(self) -> bool:
        if self._frames is not None and self._seen:
            return False
        for emitter in self._emitters.values():  # noqa: SIM110 - each frame asks, a generator is slow
            if not emitter._player.over:
                return False
        return True

    @property
    def _seen(self) -> bool:
        """Whether there is something to draw."""
        return any(emitter._simulation.rows for emitter in self._emitters.values())

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
            emitter._set_anchor(anchor, previous)


def _seen_of(target: object, where: str) -> Callable[[], object]:
    """How to ask a target where it is."""
    for name in ("transform", "position", "center"):
        # A method of that name is something else: text has a center() too.
        if hasattr(target, name) and not callable(getattr(target, name)):
            return partial(getattr, target, name)
    if callable(target):
        return target
    raise EffectError(
        f"{where}: follow: {shown(target)} has no transform, position or center, "
        f"and is no callable that returns a place"
    )
