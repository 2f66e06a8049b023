"""Simulates whole effects in NumPy, with the twins of the shaders: the oracle of the tests.

The same Steps go in as on the GPU, and the same arithmetic follows in float32, slot by slot. It is
plain rather than fast, and good for looking into what an effect does where there is no GPU.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from copy import copy
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gpuparticles.effect import random
from gpuparticles.effect.draws import (
    GIVEN_COLOR,
    GIVEN_POSITION,
    GIVEN_SIZE,
    GIVEN_VELOCITY,
    Draw,
    draws,
)
from gpuparticles.effect.effect import Effect, Emitter
from gpuparticles.effect.kinds import KernelField, fields_of
from gpuparticles.effect.modifiers import (
    Collision,
    Constraint,
    Contact,
    Depths,
    Flow,
    Force,
    Limit,
    Modifier,
    Motion,
    Particles,
    Resistance,
    Scaled,
)
from gpuparticles.effect.shapes import Places
from gpuparticles.effect.values import RGBA
from gpuparticles.errors import EffectError
from gpuparticles.playback.clock import Frames
from gpuparticles.playback.frame import Frame
from gpuparticles.playback.given import placed, read
from gpuparticles.playback.marks import Marks, marks_of
from gpuparticles.playback.parameters import Parameters
from gpuparticles.playback.place import (
    IDENTITY,
    Place,
    Quaternion,
    Vec3,
    between,
    composed,
    conjugate,
    offset_of,
    place_of,
    rotate,
    slerp,
)
from gpuparticles.playback.player import Player, Step, split
from gpuparticles.playback.population import REPORTS_TO_BURIAL, STEPS_A_REPORT, Births
from gpuparticles.playback.records import RECORD, set_look
from gpuparticles.playback.sight import Sight
from gpuparticles.playback.slots import EarlySlots

__all__ = ["Reference"]

Floats = NDArray[np.float32]

_DEAD = np.float32(1e30)
_FOREVER = np.float32(1e20)
_TAU = np.float32(2 * np.pi)


class Reference:
    """An effect that plays in NumPy, by the names and rules of a playing one.

    It prewarms where it is made.

    Args:
        effect: What plays.
        seed: What its randomness comes from.
        transform: Where it is: a 4x4 matrix for column vectors, or a position.
        max_step: Longer updates are split, in seconds.

    Attributes:
        players: The emitters' playback, in authored order.

    Raises:
        EffectError: An emitter has a process of the author's own, which only a GPU can run.
    """

    def __init__(
        self,
        effect: Effect,
        *,
        seed: int = 0,
        transform: object = None,
        max_step: float = 1 / 30,
    ) -> None:
        for index, emitter in enumerate(effect.emitters):
            if emitter.process is not None:
                raise EffectError(
                    f"emitters[{index}].process: it is GLSL, which the NumPy reference cannot run"
                )
        self.effect = effect
        self._played = effect
        self._max_step = max_step
        self._place = place_of(transform)
        self._simulated: Place | None = None
        self._anchor = self._place.place
        self.players = [Player(effect, index, seed) for index in range(len(effect.emitters))]
        self._states = [
            _State(e, effect.modifiers_of(e), p, effect.fixed_fps)
            for e, p in zip(effect.emitters, self.players, strict=True)
        ]
        self._frames = None if effect.fixed_fps is None else Frames(effect.fixed_fps)
        if effect.prewarm:
            self.update(effect.prewarm)
            self._simulated = None

    @property
    def parameters(self) -> Parameters:
        """The effect's parameters, by name, to be read and set."""
        return Parameters(self.effect, lambda: self._played, self._play)

    @property
    def transform(self) -> Place:
        """Where the effect is; set it to a 4x4 matrix or a position."""
        return self._place

    @transform.setter
    def transform(self, transform: object) -> None:
        self._place = place_of(transform)

    def set_depth(
        self, depth: ArrayLike | None, view: object = None, projection: object = None
    ) -> None:
        """Give the depth of a scene, as `ParticleSystem.set_depth` takes it.

        Args:
            depth: float32 (height, width), the bottom row first, from 0 to 1; None takes it away.
            view: 4x4 matrix, from the world to the camera.
            projection: 4x4 matrix, from the camera to clip space.
        """
        seen = None
        if depth is not None:
            texels = np.asarray(depth, np.float32)
            height, width = texels.shape
            seen = Sight.of(view, projection, (width, height)), texels
        for state in self._states:
            state.seen = seen

    @property
    def live_count(self) -> int:
        """Living particles."""
        return sum(player.population.slots.live_count for player in self.players)

    def _play(self, effect: Effect) -> None:
        self._played = effect
        for emitter, player, state in zip(effect.emitters, self.players, self._states, strict=True):
            player.describe(emitter)
            state.describe(emitter, effect.modifiers_of(emitter))

    def update(self, dt: float) -> None:
        """Advance by dt seconds, 0 or more."""
        if not dt:
            return
        frames = copy(self._frames)
        count = 0 if frames is None else frames.advance(dt)
        asked = (dt, split(dt, self._max_step)) if frames is None else (count / frames.fps, count)
        for player in self.players:
            player.ask(asked)
        self._frames = frames
        if frames is not None and not count:
            return
        end = self._place
        begin = end if self._simulated is None else self._simulated
        self._simulated = end
        for player, state in zip(self.players, self._states, strict=True):
            path = state.within(begin), state.within(end)
            way = math.dist(path[0].place, path[1].place)
            state.bury()
            if frames is None:
                steps = player.steps(dt, self._max_step, way)
            else:
                steps = player.frames(count, frames.fps, way)
            for number, step in enumerate(steps, 1):
                state.run(step, *path, self._anchor)
                if number % STEPS_A_REPORT == 0:
                    state.report()
                    state.bury()
            state.report()

    def emit(
        self,
        name: str,
        count: int | None = None,
        *,
        positions: Any = None,
        velocities: Any = None,
        colors: Any = None,
        sizes: Any = None,
    ) -> None:
        """Have particles of an emitter born in the next step; see EmitterInstance.emit."""
        names = [emitter.name for emitter in self.effect.emitters]
        self.players[names.index(name)].emit(*read(count, positions, velocities, colors, sizes))

    def set_capacity(self, name: str, capacity: int) -> None:
        """Let an emitter have room for more or fewer; of too many the youngest stay."""
        names = [emitter.name for emitter in self.effect.emitters]
        self._states[names.index(name)].set_capacity(capacity)

    def trails(self, name: str) -> dict[int, Floats]:
        """Where the particles of an emitter with trails were, by birth number.

        Returns:
            For each that has a trail float32 (n, 3), in the particles' frame, or in the world
            where trails of particles that an emitter carries stay there: where it was born,
            then where it was at the marks since, of which the trail's length and one are kept, if
            it had gone far enough by then.
        """
        names = [emitter.name for emitter in self.effect.emitters]
        return self._states[names.index(name)].trails()

    def read(self, name: str) -> NDArray[np.void]:
        """The living particles of an emitter by birth number, of dtype RECORD."""
        names = [emitter.name for emitter in self.effect.emitters]
        state = self._states[names.index(name)]
        return state.read(state.within(self._place), self._anchor)


class _State:
    """One emitter's particles: arrays with an entry a slot."""

    def __init__(
        self,
        emitter: Emitter,
        modifiers: tuple[Modifier, ...],
        player: Player,
        fps: float | None,
    ) -> None:
        self.describe(emitter, modifiers)
        self._population = player.population
        self._poses = player.poses
        self._killed = isinstance(player.population.slots, EarlySlots)
        self.seen: tuple[Sight, Floats] | None = None
        self._reports: deque[tuple[NDArray[np.uint8], int]] = deque()
        n = emitter.capacity
        self._position = np.zeros((n, 3), np.float32)
        self._velocity = np.zeros((n, 3), np.float32)
        self._age = np.full(n, _DEAD)
        self._rotation = np.zeros(n, np.float32)
        self._lifetime = np.zeros(n, np.float32)
        self._seed = np.zeros(n, np.uint32)
        self._size = np.zeros((n, 2), np.float32)
        self._angular_velocity = np.zeros(n, np.float32)
        self._color = np.zeros((n, 4), np.float32)
        self._lingers = np.float32(0.0 if emitter.trail is None else emitter.trail.lingers)
        self._marks: Marks | None = None
        if emitter.trail is not None:
            self._marks = marks_of(emitter.trail, player.population.clock, fps)
            self._birthplace = np.zeros((n, 3), np.float32)
            self._birth_mark = np.zeros(n, np.int64)
            self._birth_tick = np.zeros(n, np.int64)
            self._history = np.zeros((n, self._marks.planes, 3), np.float32)
            self._kept = np.zeros((n, self._marks.planes), np.int64)

    def describe(self, emitter: Emitter, modifiers: tuple[Modifier, ...]) -> None:
        """Go on with other values of what parameters drive."""
        self._emitter = emitter
        self._modifiers = modifiers
        self._offset = offset_of(emitter.offset)

    def set_capacity(self, capacity: int) -> None:
        """Have another number of slots, and everybody where they belong."""
        old = self._population.slots.capacity
        came_from = self._population.set_capacity(capacity)
        if came_from is None:
            came_from = np.arange(old)
        else:
            self._reports.clear()
        slots = np.full(capacity, -1)
        count = min(len(came_from), capacity)
        slots[:count] = came_from[:count]
        for name, values in vars(self).items():
            if isinstance(values, np.ndarray):
                # A place beyond the old ones stands for nobody.
                padded = np.concatenate([values, np.zeros((1, *values.shape[1:]), values.dtype)])
                setattr(self, name, padded[slots])
        self._age[slots < 0] = _DEAD

    def bury(self) -> None:
        """Free the slots of those who were dead so many reports ago."""
        if len(self._reports) == REPORTS_TO_BURIAL:
            self._population.bury(*self._reports.popleft())

    def report(self) -> None:
        """Remember who lives."""
        if self._killed:
            used = self._population.slots.rows * self._population.row
            alive = self._age[:used] < self._lifetime[:used] + self._lingers
            bits = np.packbits(alive, bitorder="little")
            self._reports.append((bits, self._population.births))

    def within(self, place: Place) -> Place:
        """Where the emitter is when the effect is at a place."""
        return place if self._offset is None else composed(place, self._offset)

    def run(self, step: Step, begin: Place, end: Place, anchor: Vec3) -> None:
        """Carry out one step."""
        if step.forget:
            self._age[: step.forget * self._population.row] = _DEAD
        if step.births is not None:
            self._age[step.births.admitted * self._population.row :] = _DEAD
            self._bear(step, step.births, begin, end, anchor)
        before = self._position.copy(), self._age.copy()
        self._advance(step, begin, end, anchor)
        if self._poses is not None:
            self._poses.note(step, begin, end)
        if self._marks is not None:
            self._record(self._marks, step, *before)

    def _record(self, marks: Marks, step: Step, position: Floats, age: Floats) -> None:
        """Write down where everybody was at the marks of a step, given how they were before it."""
        clock = self._population.clock
        end = step.tick + round(step.age * clock.per_second)
        begin = np.maximum(age, 0)
        way = np.minimum(self._age, self._lifetime) - begin
        for number in marks.due(step.tick, end):
            ago = np.float32((end - number * marks.every) * clock.tick)
            weight = np.clip((self._age - ago - begin) / np.where(way > 0, way, 1), 0, 1)
            weight = np.where(way > 0, weight, 1)[:, None]
            place = position + (self._position - position) * weight
            self._keep(marks, number, np.asarray(place, np.float32))

    def _keep(self, marks: Marks, number: int, place: Floats) -> None:
        """Write down where everybody was at a mark, or once more what was kept last."""
        trail, plane, before = (
            self._emitter.trail,
            number % marks.planes,
            (number - 1) % marks.planes,
        )
        assert trail is not None
        fresh = number - self._birth_mark <= 1
        last = np.where(fresh, self._birth_mark, self._kept[:, before])
        point = np.where(fresh[:, None], self._birthplace, self._history[:, before])
        if self._poses is None:
            way = place - point
        else:
            kept = np.where(last > self._birth_mark, last * marks.every, self._birth_tick)
            way = self._placed(place, np.full(len(place), number * marks.every))
            way -= self._placed(point, kept)
        squared = np.sum(way * way, axis=1, dtype=np.float32)
        near = (squared < np.float32(trail.min_distance) ** 2) & (number - last < trail.segments)
        self._history[:, plane] = np.where(near[:, None], point, place)
        self._kept[:, plane] = np.where(near, last, number)

    def _placed(self, own: Floats, ticks: NDArray[np.int64]) -> Floats:
        """Where points lie in the world that were kept at some ticks."""
        assert self._poses is not None
        place, turn = self._poses.at(ticks.astype(np.float64))
        turned = [rotate(tuple(q), tuple(p)) for q, p in zip(turn, own.astype(float), strict=True)]
        return np.asarray(place + np.array(turned).reshape(-1, 3))

    def trails(self) -> dict[int, Floats]:
        """By birth number of everybody who has a trail: where they were at their marks, (n, 3).

        From where they were born on, those beyond the trail's end too that are still kept; each
        once.
        """
        marks, clock = self._marks, self._population.clock
        assert marks is not None
        last = marks.last(clock.now)
        used = self._population.slots.rows * self._population.row
        seen = (self._age >= 0) & (self._age < self._lifetime + self._lingers)
        found = {}
        for slot in np.flatnonzero(seen[:used]):
            first = max(int(self._birth_mark[slot]), last - marks.planes) + 1
            planes = np.arange(first, last + 1) % marks.planes
            kept, once = np.unique(self._kept[slot, planes], return_index=True)
            once = once[kept > self._birth_mark[slot]]
            way = self._history[slot, planes[once]].reshape(-1, 3)
            number = int(self._population.numbers[slot])
            found[number] = np.vstack([self._birthplace[slot], way])
            if self._poses is not None:
                at = marks.every * kept[kept > self._birth_mark[slot]]
                ticks = np.append(self._birth_tick[slot], at)
                found[number] = self._placed(found[number], ticks)
        return found

    def _bear(self, step: Step, births: Births, begin: Place, end: Place, anchor: Vec3) -> None:
        emitter = self._emitter
        slots = np.asarray(births.slots)
        records = np.frombuffer(births.records, np.uint32).reshape(-1, 4)
        seed = records[:, 3].copy()
        moment = records[:, 1].copy().view(np.float32)
        shape = emitter.shape
        places = shape.sample(random.Random(seed, records[:, 0].copy().view(np.float32)))
        scaled = places.position * np.array(shape.scale, np.float32)
        position = scaled + np.array(shape.offset, np.float32)
        drawn = _drawn(emitter, seed, births.fractions)
        if emitter.velocity is None:
            speed = drawn["speed"]
            launch = _launch(emitter.direction, position, places, np.array(shape.scale, np.float32))
        else:
            velocity = np.stack([drawn[f"velocity{axis}"] for axis in range(3)], axis=1)
            speed = np.linalg.norm(velocity, axis=1)
            launch = _unit(velocity)
        spread = np.float32(math.radians(min(emitter.spread + emitter.shape.spread, 180.0)))
        if spread > 0:
            launch = _spread(launch, spread, seed)
        along = np.float32(step.path_begin) + np.float32(step.path_rate) * moment
        scale = [_mix(begin.scale, end.scale, f).reshape(3, 3).T for f in along]
        position = np.array([m @ p for m, p in zip(scale, position, strict=True)], np.float32)
        launch = _unit(np.array([m @ d for m, d in zip(scale, launch, strict=True)], np.float32))
        outward = _unit(position)
        if emitter.space == "world":
            turns = [slerp(begin.turn, end.turn, float(f)) for f in along]
            if not emitter.inherit_orientation:
                turns = [IDENTITY.turn for _ in along]
            ways = [_mix(_minus(begin.place, anchor), _minus(end.place, anchor), f) for f in along]
            position = np.array(
                [q + _turned(t, p) for q, t, p in zip(ways, turns, position, strict=True)],
                np.float32,
            )
            launch = np.array(
                [_turned(t, d) for t, d in zip(turns, launch, strict=True)], np.float32
            )
            outward = np.array(
                [_turned(t, d) for t, d in zip(turns, outward, strict=True)], np.float32
            )
        velocity = speed[:, None].astype(np.float32) * launch
        if "radial_speed" in drawn:
            velocity += drawn["radial_speed"][:, None] * outward
        if "inherit_velocity" in drawn:
            travel = np.array(_minus(end.place, begin.place), np.float32)
            factor = drawn["inherit_velocity"] * np.float32(step.path_rate)
            velocity += factor[:, None] * travel
        self._position[slots] = position
        if self._marks is not None:
            clock = self._population.clock
            ticks = np.floor(np.float32(0.5) - moment * np.float32(clock.per_second)).astype(int)
            last = self._marks.last(step.tick)
            # Who was born before the step is in no mark that was set before it.
            passed = np.maximum(step.tick - ticks - last * self._marks.every, 0)
            self._birth_mark[slots] = last + passed // self._marks.every
            self._birth_tick[slots] = last * self._marks.every + passed
        self._velocity[slots] = velocity
        self._age[slots] = -moment
        self._rotation[slots] = _half(drawn["rotation"])
        self._lifetime[slots] = records[:, 2].copy().view(np.float32)
        self._seed[slots] = seed
        for axis, name in enumerate(("width", "height")):
            self._size[slots, axis] = _half(drawn["size"] * drawn.get(name, np.float32(1)))
        self._angular_velocity[slots] = _half(drawn["angular_velocity"])
        color = (
            np.array(emitter.color, np.float32)
            if isinstance(emitter.color, RGBA)
            else (emitter.color.sample(random.uniform(seed, random.COLOR)))
        )
        self._color[slots] = _half(color if places.color is None else color * places.color)
        if births.given is not None:
            local = emitter.space == "local"
            self._take(slots, drawn, placed(births.given, begin, anchor, local=local))
        if self._marks is not None:
            self._birthplace[slots] = self._position[slots]

    def _take(self, slots: NDArray[np.intp], drawn: dict[str, Floats], given: Floats) -> None:
        """Take what a host has given of births."""
        bits = given[:, 3].astype(int)
        where, how_fast, colored, sized = (
            np.flatnonzero(bits & bit)
            for bit in (GIVEN_POSITION, GIVEN_VELOCITY, GIVEN_COLOR, GIVEN_SIZE)
        )
        self._position[slots[where]] = given[where, :3]
        if self._marks is not None:
            self._birthplace[slots[where]] = given[where, :3]
        self._velocity[slots[how_fast]] = given[how_fast, 4:7]
        self._color[slots[colored]] = _half(given[colored, 8:])
        for axis, name in enumerate(("width", "height")):
            factor = drawn[name][sized] if name in drawn else np.float32(1)
            self._size[slots[sized], axis] = _half(given[sized, 7] * factor)

    def _advance(self, step: Step, begin: Place, end: Place, anchor: Vec3) -> None:
        living = np.flatnonzero(self._age < self._lifetime)
        if self._lingers:
            self._age[self._age >= self._lifetime] += np.float32(step.age)
        if not len(living):
            return
        p, v, age = self._position[living], self._velocity[living], self._age[living]
        lifetime, seed = self._lifetime[living], self._seed[living]
        wait, lived = np.maximum(-age, 0), np.maximum(age, 0)
        h = np.minimum(np.float32(step.time) - wait, lifetime - lived)
        k = np.float32(0.5) * h
        start, departure = p.copy(), v.copy()
        life = np.minimum((lived + k) / lifetime, 1)
        drift = self._emitter.speed_over_life.sample(life) * k
        p += v * drift[:, None]
        particles = Particles(p, v, life, wait + k, lifetime, seed)
        kicks: list[Callable[[Floats], Floats]] = []
        motions: list[Callable[[Floats, Floats], Floats]] = []
        limits: list[Callable[[Floats, Floats], Floats]] = []
        constraints: list[tuple[Constraint, dict[str, Any]]] = []
        for index, modifier in enumerate(self._modifiers):
            ends = isinstance(modifier, Constraint)
            at = particles._replace(time=particles.time + k) if ends else particles
            given = self._given(index, modifier, at, step, begin, end, anchor)
            frame = self._frame(modifier, particles, step, begin, end, anchor)
            seen = particles if frame is None else frame.see(particles)
            match modifier:
                case Resistance():
                    kicks.append(
                        partial(np.multiply, np.exp(-modifier.decay(**given) * k)[:, None])
                    )
                case Force():
                    force = modifier.acceleration(seen, **given)
                    force = force if frame is None else frame.back(force)
                    kicks.append(partial(np.add, force * k[:, None]))
                case Flow():
                    pull = modifier.pull(seen, **given)
                    kicks.append(partial((frame.pull_back(pull) if frame else pull).drawn, t=k))
                case Motion():
                    act = partial(modifier.displacement, h=h, **given)
                    motions.append(partial(_acted, act, frame, particles))
                case Limit():
                    act = partial(modifier.limited, h=k, **given)
                    limits.append(partial(_acted, act, frame, particles))
                case Constraint():
                    constraints.append((modifier, given))
        for limit in reversed(limits):
            v = limit(p, v)
        for kick in kicks:
            v = kick(v)
        for motion in motions:
            p = p + motion(p, v)
        for kick in reversed(kicks):
            v = kick(v)
        for limit in limits:
            v = limit(p, v)
        p += v * drift[:, None]
        none = np.zeros(len(living), np.float32)
        struck = np.zeros(len(living), np.intp)
        force = np.asarray((v - departure) / np.maximum(h, np.float32(1e-30))[:, None], np.float32)
        seconds = np.float32(step.time)
        contact = Contact(none > 0, none, seconds, none, struck, force, none > 0)
        before = particles._replace(position=start, velocity=departure)
        surfaces = [(m, given) for m, given in constraints if isinstance(m, Collision)]
        for number, (modifier, given) in enumerate(
            [*constraints, *(surfaces if len(surfaces) > 1 else ())]
        ):
            now = particles._replace(position=p, velocity=v)
            if isinstance(modifier, Collision):
                radius = self._radius(modifier, living, particles)
                bent = contact.struck > 0
                last = number >= len(constraints)
                contact = contact._replace(radius=radius, bent=bent, last=last)
            p, v, contact = modifier.constrained(now, before, h, contact, **given)
        turning = self._emitter.angular_velocity_over_life.sample(life)
        spin = np.where(contact.resting, 0, self._angular_velocity[living] * turning)
        turned = self._rotation[living] + spin * h
        clock = self._population.clock
        ticks = np.floor(np.minimum(age, 0) * np.float32(clock.per_second) + np.float32(0.5))
        born = ticks * np.float32(clock.tick)
        age = np.maximum(lived + born + np.float32(step.age), 0)
        per_second = np.float32(clock.per_second)
        natural = age.copy()
        age += np.floor(contact.lost * per_second + np.float32(0.5)) * np.float32(clock.tick)
        if self._lingers:
            early = (age >= lifetime) & (natural < lifetime) & (lifetime < _FOREVER)
            age[early] = lifetime[early]
        self._position[living], self._velocity[living] = p, v
        self._rotation[living] = turned - np.trunc(turned)
        self._age[living] = age

    def _radius(
        self, modifier: Collision, living: NDArray[np.intp], particles: Particles
    ) -> Floats:
        """How far from a surface each particle is kept."""
        radius = np.full(len(living), modifier.particle_radius, np.float32)
        if modifier.radius_factor:
            width = self._size[living, 0] * self._emitter.size_over_life.sample(particles.life)
            radius += np.float32(modifier.radius_factor) * width
        return radius

    def _frame(
        self,
        modifier: Modifier,
        particles: Particles,
        step: Step,
        begin: Place,
        end: Place,
        anchor: Vec3,
    ) -> Frame | None:
        """The frame through which a modifier sees the particles, if it is not their own."""
        in_emitter = getattr(modifier, "space", None) == "emitter"
        inside = self._emitter.space == "local"
        if not modifier.framed or in_emitter == inside:
            return None
        along = np.float32(step.path_begin) + np.float32(step.path_rate) * particles.time
        return Frame(begin, end, anchor, along, inside=inside)

    def _given(
        self,
        index: int,
        modifier: Modifier,
        particles: Particles,
        step: Step,
        begin: Place,
        end: Place,
        anchor: Vec3,
    ) -> dict[str, Any]:
        """What a twin takes besides the particles: its strength, points and directions, phase."""
        along = np.float32(step.path_begin) + np.float32(step.path_rate) * particles.time
        fields = fields_of(type(modifier))
        scaled = isinstance(modifier, Scaled)
        given: dict[str, Any] = {
            info.name: self._field(modifier, info, step, begin, end, anchor, along)
            for number, info in enumerate(fields)
            if (scaled and number == 0) or info.role is not None
        }
        if scaled:
            base = given.pop(fields[0].name)
            factor = self._factor(index, modifier, particles)
            given["strength"] = base * (factor[:, None] if base.ndim else factor)
        if modifier.phased:
            in_world = getattr(modifier, "space", "world") == "world"
            origin = anchor if in_world else IDENTITY.place
            given["phase"] = np.array(modifier.phase(step.begin, origin), np.float32)
        if modifier.looks and self.seen is not None:
            sight, texels = self.seen
            frame = IDENTITY._replace(place=anchor)
            if self._emitter.space == "local":
                frame = between(begin, end, step.path_begin + step.path_rate * step.time)
            given["depths"] = Depths(sight.rows(frame), texels)
        return given

    def _factor(self, index: int, modifier: Modifier, particles: Particles) -> Floats:
        """What each particle's strength is multiplied with."""
        seed = particles.seed
        factor = np.ones(len(seed), np.float32)
        if isinstance(modifier, Scaled) and modifier.variation:
            draw = random.signed(seed, random.MODIFIER + index)
            factor *= 1 + np.float32(modifier.variation) * draw
        if isinstance(modifier, Scaled) and modifier.over_life is not None:
            factor *= modifier.over_life.sample(particles.life)
        if getattr(modifier, "handedness", None) == "random":
            factor *= np.where(random.uniform(seed, random.HANDEDNESS) < 0.5, 1, -1)
        return factor

    def _field(
        self,
        modifier: Modifier,
        info: KernelField,
        step: Step,
        begin: Place,
        end: Place,
        anchor: Vec3,
        along: Floats,
    ) -> Floats:
        """A field as the kernel gets it.

        A point or a direction is (n, 3), in the particles' frame, at the moment of each: on the
        line that follows its path and is right in the middle of the step, or at its end for
        constraints.
        """
        index = [field.name for field in fields_of(type(modifier))].index(info.name)
        value = modifier.values()[index]
        if info.role is None or isinstance(value, float):
            return np.array(value, np.float32)
        if modifier.framed:
            x, y, z = value
            in_world = info.role == "point" and getattr(modifier, "space", "") == "world"
            own = _minus((x, y, z), anchor) if in_world else value
            return np.tile(np.array(own, np.float32), (len(along), 1))
        start, length = step.path_begin, step.path_rate * step.time
        middle = start + 0.5 * length
        first, there, last = (
            np.array(self._framed(modifier, info.role, (value[0], value[1], value[2]), at, anchor))
            for at in (between(begin, end, f) for f in (start, middle, start + length))
        )
        delta = (last - first) / length
        if isinstance(modifier, Constraint):
            there, middle = last, start + length
        base: Floats = (there - delta * middle).astype(np.float32)
        return np.asarray(base + delta.astype(np.float32) * along[:, None], np.float32)

    def _framed(
        self, modifier: Modifier, role: str, value: Vec3, place: Place, anchor: Vec3
    ) -> Vec3:
        point = role == "point"
        match (self._emitter.space, getattr(modifier, "space", "world")):
            case ("world", "emitter"):
                turned = rotate(place.turn, value)
                return _plus(turned, _minus(place.place, anchor)) if point else turned
            case ("local", "world"):
                return rotate(conjugate(place.turn), _minus(value, place.place) if point else value)
            case ("world", _):
                return _minus(value, anchor) if point else value
            case _:
                return value

    def read(self, place: Place, anchor: Vec3) -> NDArray[np.void]:
        """The living, by birth number."""
        numbers = self._population.numbers
        # Rows that are not in use may still hold those who died in a hitch, which had no step.
        used = self._population.slots.rows * self._population.row
        age, lifetime = self._age[:used], self._lifetime[:used]
        living = np.flatnonzero((age >= 0) & (age < lifetime))
        living = living[np.argsort(numbers[living], kind="stable")]
        life = self._age[living] / self._lifetime[living]
        records = np.empty(len(living), RECORD)
        position = self._position[living].astype(np.float64)
        velocity = self._velocity[living]
        if self._emitter.space == "local":
            position = np.array([rotate(place.turn, tuple(p)) for p in position]).reshape(-1, 3)
            position = position + place.place
            velocity = np.array([rotate(place.turn, tuple(v)) for v in velocity]).reshape(-1, 3)
        else:
            position = position + anchor
        lifetime = self._lifetime[living]
        records["number"] = numbers[living]
        records["position"] = position
        records["velocity"] = velocity
        records["age"] = self._age[living]
        records["lifetime"] = np.where(lifetime < _FOREVER, lifetime, np.inf)
        records["rotation"] = self._rotation[living] * 360
        set_look(records, self._emitter, life, self._size[living], self._color[living])
        return records


def _acted(
    act: Callable[[Particles], Floats],
    frame: Frame | None,
    particles: Particles,
    position: Floats,
    velocity: Floats,
) -> Floats:
    """What a modifier gives for particles that have got somewhere within the step, (n, 3)."""
    now = particles._replace(position=position, velocity=velocity)
    return act(now) if frame is None else frame.back(act(frame.see(now)))


def _launch(
    direction: tuple[float, float, float] | str, position: Floats, places: Places, scale: Floats
) -> Floats:
    """Where to, in the emitter's frame, for places in it."""
    up = np.array([0, 1, 0], np.float32)
    match direction:
        case "normal":
            normal = up if places.normal is None else places.normal
            mirror = np.float32(-1 if np.prod(scale) < 0 else 1)
            axis = mirror * normal * np.roll(scale, -1) * np.roll(scale, 1)
        case "outward":
            axis = position
        case "inward":
            axis = -position
        case _:
            axis = np.array(direction, np.float64) / np.linalg.norm(direction)
            return np.tile(axis.astype(np.float32), (len(position), 1))
    launch = _unit(np.broadcast_to(axis, position.shape))
    return np.asarray(np.where(launch.any(axis=1, keepdims=True), launch, up), np.float32)


def _drawn(emitter: Emitter, seed: NDArray[np.uint32], loop: Floats | None) -> dict[str, Floats]:
    """What each birth draws, by name, the components of a vector numbered."""

    def values(drawn: Draw) -> Floats:
        if (curve := drawn.curve) is not None:
            assert loop is not None
            value = curve.sample(loop)
        else:
            low, width = map(np.float32, drawn.pair)
            value = np.asarray(low + width * random.uniform(seed, drawn.channel), np.float32)
        if not drawn.handed:
            return value
        hands = np.where(random.uniform(seed, random.HANDEDNESS) < 0.5, 1, -1)
        return np.asarray(value * hands, np.float32)

    return {drawn.key: values(drawn) for drawn in draws(emitter)}


def _half(values: Floats) -> Floats:
    return np.clip(values, -65504, 65504).astype(np.float16).astype(np.float32)


def _unit(vectors: Floats) -> Floats:
    squared = np.sum(vectors * vectors, axis=1, keepdims=True)
    return np.where(squared > 1e-30, vectors / np.sqrt(np.maximum(squared, 1e-30)), 0).astype(
        np.float32
    )


def _spread(axis: Floats, angle: np.float32, seed: NDArray[np.uint32]) -> Floats:
    s = np.sin(np.float32(0.5) * angle)
    down = np.float32(2) * s * s * random.uniform(seed, random.DIRECTION)
    phi = _TAU * random.uniform(seed, random.DIRECTION + 1)
    ring = np.sqrt(np.maximum(down * (2 - down), 0))
    x, y, z = axis.T
    sign = np.where(y >= 0, 1, -1).astype(np.float32)
    a = -1 / (sign + y)
    b = x * z * a
    u = np.stack([1 + sign * x * x * a, -sign * x, sign * b], axis=1)
    w = np.stack([b, -z, sign + z * z * a], axis=1)
    around = np.cos(phi)[:, None] * u + np.sin(phi)[:, None] * w
    return np.asarray((1 - down)[:, None] * axis + ring[:, None] * around, np.float32)


def _turned(turn: Quaternion, v: Floats) -> Floats:
    return np.array(rotate(turn, (float(v[0]), float(v[1]), float(v[2]))), np.float32)


def _mix(a: tuple[float, ...], b: tuple[float, ...], f: np.float32) -> Floats:
    first, last = np.array(a, np.float32), np.array(b, np.float32)
    return first + (last - first) * f


def _minus(a: Vec3, b: Vec3) -> Vec3:
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def _plus(a: Vec3, b: Vec3) -> Vec3:
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])
