"""Effects, emitters and bursts: the description of what is played."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field, ValidationError

from gpuparticles.effect.description import Takes, default, description, replaced
from gpuparticles.effect.draws import draws
from gpuparticles.effect.mistakes import Mistake, if_right, known_names, mistakes_in, refused, show
from gpuparticles.effect.model import Model
from gpuparticles.effect.modifiers import Modifier, Scaled
from gpuparticles.effect.offset import Offset
from gpuparticles.effect.parameters import Parameter, Value, keys_of, mistakes_of, put
from gpuparticles.effect.plain import document_text
from gpuparticles.effect.rules import Flag, Number, Rule, Text, is_list, read_each
from gpuparticles.effect.shader import KEPT, Process
from gpuparticles.effect.shapes import Point, Shape
from gpuparticles.effect.sprite import Sprite
from gpuparticles.effect.trail import Ribbon, Trail
from gpuparticles.effect.values import (
    BirthColor,
    ColorOverLife,
    Components,
    Curve,
    Fraction,
    Gradient,
    LaunchDirection,
    Lifetime,
    LoopLike,
    OptionalVelocity,
    OverLife,
    OverLoop,
    Pair,
    Range,
    Ranged,
    SizeOverLife,
    span,
)
from gpuparticles.errors import EffectError

__all__ = ["MOST_AT_ONCE", "MOST_A_SECOND", "Burst", "Effect", "Emitter", "Pulse"]

_MOST = 2**31 - 1  # particles are counted in 32 bits
MOST_AT_ONCE = 2**24
"""Births of one burst at the most: every birth is looked at, even those that find no room."""
MOST_A_SECOND = 1e8
"""Births a second at the most, for the same reason."""
_MOST_CYCLES = 4096  # firings of a burst are kept in a list
_SHORTEST = 0.001  # seconds of a loop, and between firings
_BLOCK_ROWS = 1024  # 16 KB, the size of a uniform block that every driver has
_EMITTER_ROWS = 64
_MODIFIER_ROWS = 10


@description
class Burst:
    """Particles born all at once, once or several times in each loop.

    Args:
        time: Seconds after the start of the loop, 0 or more.
        count: How many, 0 or more; a range (low, high) from which each firing draws its own whole
            number, both ends included.
        cycles: How often it fires in a loop, 1 to 4096.
        interval: Seconds from one firing to the next; above 0 where there are several.
        probability: How likely each firing is to happen, 0 to 1.
    """

    time: Annotated[float, Number("a time", "seconds", least=0)] = 0.0
    count: Takes[
        int | Range | Iterable[int],
        Annotated[int | Range, Ranged(Number("a count", least=0, most=MOST_AT_ONCE, whole=True))],
    ] = default(1)
    cycles: Annotated[int, Number("the cycles", least=1, most=_MOST_CYCLES, whole=True)] = 1
    interval: Annotated[float, Number("an interval", "seconds", least=0)] = 0.0
    probability: Annotated[float, Number("a probability", least=0, most=1)] = 1.0

    @property
    def last(self) -> float:
        """When it fires last in a loop, in seconds after its start."""
        return self.time + (self.cycles - 1) * self.interval

    def mistakes(self) -> Iterator[Mistake]:
        """Firings that are not apart."""
        if self.cycles > 1 and self.interval < _SHORTEST:
            yield Mistake(
                ("interval",),
                f"{show(self.interval)} is less than {show(_SHORTEST)}; "
                f"a burst of {self.cycles} cycles needs time between them",
            )


@description
class Pulse:
    """Births at regular moments: for the active part of each cycle, so many at every interval.

    ``Pulse(cycle=2, active=1, interval=0.25, count=5)`` brings 5 particles at 0, 0.25, 0.5 and
    0.75 s of every 2 s. Cycles are counted from the start of the emitter's loop, and end with it.

    Args:
        cycle: Seconds of a cycle.
        active: Seconds of it, from its beginning, in which there are births; its end is not one
            of the moments.
        interval: Seconds from one moment to the next.
        count: Births each time, 0 or more.
    """

    cycle: Annotated[float, Number("a cycle", "seconds", least=_SHORTEST)] = 1.0
    active: Annotated[float, Number("an active part", "seconds", least=_SHORTEST)] = 0.5
    interval: Annotated[float, Number("an interval", "seconds", least=_SHORTEST)] = 0.1
    count: Annotated[int, Number("a count", least=0, most=MOST_AT_ONCE, whole=True)] = 1

    def mistakes(self) -> Iterator[Mistake]:
        """More than a cycle holds, or than a second may."""
        if self.active > self.cycle:
            late = f"{show(self.active)} is more than the cycle of {show(self.cycle)} seconds"
            yield Mistake(("active",), f"{late}; the active part lies within it")
        if self.count / self.interval > MOST_A_SECOND:
            yield Mistake(
                ("count",),
                f"{show(self.count)} every {show(self.interval)} seconds is too many; "
                f"at most {show(MOST_A_SECOND)} births a second are allowed",
            )


@description
class Emitter:
    """A source of particles of one look and behaviour.

    A number of a birth may be a constant; a range (low, high) from which each particle draws its
    own; or a curve over the emitter's loop, a list of stops [(t, value), ...] with t from 0 at its
    begin to 1 at its end, of which each particle gets what holds at its own moment.
    Angles are in degrees, times in seconds, lengths in world units.

    Args:
        name: By which a playing effect finds it; no other emitter of the effect has it.
        capacity: How many particles live at most. Births beyond it are dropped and counted.
        rate: Births per second, 0 or more; the first comes 1/rate seconds after the start. A range
            (low, high): each loop draws its own. A list of stops [(t, rate), ...]: a curve over
            the loop, t from 0 at its start to 1 at its end.
        rate_over_distance: Births per unit that the emitter travels, 0 or more, spread evenly
            along the way.
        bursts: Births all at once, at their times in every loop.
        pulse: Births at regular moments of every loop.
        delay: Seconds before the first loop begins, 0 or more.
        limit: No more births after so many, whatever brings them; they are counted from the start.
            None for no limit.
        lifetime: Seconds a particle lives, 0 or more; ``math.inf`` (``"inf"`` in a document)
            for ever.
        shape: Where particles are born.
        speed: At birth, in units/s, along the direction turned by the spread.
        spread: Half-angle in degrees, 0 to 180, of the cone round the direction; uniform over its
            solid angle. A shape may add to it.
        direction: Where to: a vector in the emitter's space; ``"normal"``, away from the shape's
            surface; ``"outward"`` or ``"inward"``, away from the emitter's origin or towards it.
            Where that has no meaning it is +Y.
        velocity: At birth, in units/s, instead of `speed` along `direction`; three numbers,
            each a constant, a range or a curve. The spread turns it too.
        radial_speed: At birth, in units/s, away from the emitter's origin; it is added.
        inherit_velocity: Factor of the emitter's own velocity that is added at birth; in world
            space only, since particles of local space move with the emitter.
        inherit_orientation: Whether places and directions of births turn with the emitter. If
            not, it only moves and scales them; in world space only.
        space: ``"world"``: born where the emitter is, then free. ``"local"``: carried along when
            the emitter moves and turns.
        offset: Where the emitter sits within the effect.
        size: Full width of the sprite in units, 0 or more.
        width: Factor of the size across the sprite, 0 or more.
        height: Factor of the size along the sprite, 0 or more.
        size_over_life: Factor of the size over life, 0 or more.
        width_over_life: Factor of the width over life, 0 or more.
        height_over_life: Factor of the height over life, 0 or more.
        rotation: Angle of the sprite at birth, in degrees, counter-clockwise.
        angular_velocity: Turning of the sprite, in degrees/s.
        angular_velocity_over_life: Factor of the turning over life.
        handedness: ``"left"`` changes the signs of rotation and angular velocity, ``"random"``
            those of every other particle.
        color: Colour at birth, straight alpha. A gradient [(t, colour), ...], in which each
            particle draws its place; or a list of colours, of which each draws one.
        color_over_life: Factor of the colour over life.
        fade_in: Part of the life, 0 to 1, in which alpha rises from 0.
        fade_out: Part of the life, 0 to 1, in which alpha falls to 0 at its end.
        speed_over_life: Factor of the motion along the velocity over life; the velocity itself
            stays as it is.
        speed_range: (low, high) in units/s: the ends of what is by speed.
        size_by_speed: Factor of the size over the speed of the motion, from low to high.
        color_by_speed: Factor of the colour over the speed of the motion, from low to high.
        modifiers: What acts on the particles, in order; before those of the effect.
        process: GLSL of your own that moves particles, after the modifiers.
        sprite: How a particle looks, unless it is drawn as a model.
        model: The mesh that each particle is drawn as, instead of the sprite.
        trail: What it draws behind it, along the way that it has come.
        ribbon: What links the particles, in the order of their births.
        draw_order: Emitters of an effect are drawn from the lowest number to the highest, those of
            one number as they are written.
        duration: Seconds that emission lasts, or that a loop does; None for the effect's.
        loop: Whether emission begins again after `duration`; None for the effect's.
    """

    name: Annotated[str, Text("a name")]
    capacity: Annotated[int, Number("a capacity", least=0, most=_MOST, whole=True)] = 1000
    rate: Takes[
        LoopLike,
        Annotated[
            float | Range | Curve,
            OverLoop(Number("a rate", "births a second", least=0, most=MOST_A_SECOND)),
        ],
    ] = default(10.0)
    rate_over_distance: Annotated[
        float, Number("a rate", "births a unit", least=0, most=MOST_A_SECOND)
    ] = 0.0
    bursts: Takes[Iterable[Burst], tuple[Burst, ...]] = default(())
    pulse: Pulse | None = None
    delay: Annotated[float, Number("a delay", "seconds", least=0)] = 0.0
    limit: Annotated[int, Number("a limit", "births", least=0, most=_MOST, whole=True)] | None = (
        None
    )
    lifetime: Lifetime = default(1.0)
    shape: Shape = Point()
    speed: Takes[LoopLike, Annotated[float | Range | Curve, OverLoop(Number("a speed"))]] = default(
        1.0
    )
    spread: Annotated[float, Number("a spread", "degrees", least=0, most=180)] = 0.0
    direction: LaunchDirection = default((0.0, 1.0, 0.0))
    velocity: OptionalVelocity = default(None)
    radial_speed: Takes[LoopLike, Annotated[float | Range | Curve, OverLoop(Number("a speed"))]] = (
        default(0.0)
    )
    inherit_velocity: Takes[
        LoopLike, Annotated[float | Range | Curve, OverLoop(Number("a factor"))]
    ] = default(0.0)
    inherit_orientation: bool = True
    space: Literal["world", "local"] = "world"
    offset: Offset = Offset()
    size: Takes[LoopLike, Annotated[float | Range | Curve, OverLoop(Number("a size", least=0))]] = (
        default(1.0)
    )
    width: Takes[
        LoopLike, Annotated[float | Range | Curve, OverLoop(Number("a factor of size", least=0))]
    ] = default(1.0)
    height: Takes[
        LoopLike, Annotated[float | Range | Curve, OverLoop(Number("a factor of size", least=0))]
    ] = default(1.0)
    size_over_life: SizeOverLife = default(1.0)
    width_over_life: SizeOverLife = default(1.0)
    height_over_life: SizeOverLife = default(1.0)
    rotation: Takes[LoopLike, Annotated[float | Range | Curve, OverLoop(Number("a rotation"))]] = (
        default(0.0)
    )
    angular_velocity: Takes[
        LoopLike, Annotated[float | Range | Curve, OverLoop(Number("an angular velocity"))]
    ] = default(0.0)
    angular_velocity_over_life: OverLife = default(1.0)
    handedness: Literal["right", "left", "random"] = "right"
    color: BirthColor = default("#ffffff")
    color_over_life: ColorOverLife = default("#ffffff")
    fade_in: Fraction = 0.0
    fade_out: Fraction = 0.0
    speed_over_life: OverLife = default(1.0)
    speed_range: Takes[
        Range | Iterable[float], Annotated[Range, Pair(Number("a speed", least=0))]
    ] = default((0.0, 1.0))
    size_by_speed: SizeOverLife = default(1.0)
    color_by_speed: ColorOverLife = default("#ffffff")
    modifiers: Takes[Iterable[Modifier], tuple[Modifier, ...]] = default(())
    process: Process | None = None
    sprite: Sprite = Sprite()
    model: Model | None = None
    trail: Trail | None = None
    ribbon: Ribbon | None = None
    draw_order: Annotated[int, Number("a draw order", whole=True)] = 0
    duration: Annotated[float, Number("a duration", "seconds", least=_SHORTEST)] | None = None
    loop: Annotated[bool, Flag()] | None = None

    @property
    def bare(self) -> bool:
        """Whether no sprites are drawn."""
        return any(part is not None and part.only for part in (self.trail, self.ribbon))

    @property
    def trail_stays(self) -> bool:
        """Whether trails stay in the world while the emitter carries their particles along."""
        trail = self.trail
        return self.space == "local" and trail is not None and trail.space == "world"

    @property
    def look(self) -> Sprite:
        """The sprite; or what a model that takes its place has in common with one."""
        return self.sprite if self.model is None else self.model.look

    @property
    def keeps(self) -> tuple[str, ...]:
        """What is kept of each particle for the author's own code: the names of KEPT in use."""
        if self.process is None:
            return ()
        codes = [self.process.code]
        codes += [] if self.sprite.shader is None else [self.sprite.shader.code]
        return tuple(name for name in KEPT if any(c.mentions(name) for c in codes))

    def mistakes(self) -> Iterator[Mistake]:
        """What some fields say that others leave no room for."""
        shader = getattr(getattr(self, "sprite", None), "shader", None)
        bare = getattr(self, "process", self) is None
        if bare and shader is not None and shader.code.mentions("custom"):
            unkept = f"{shader.code} asks for custom, which only a process keeps"
            yield Mistake(("sprite", "shader", "code"), unkept)
        fades = getattr(self, "fade_in", 0.0) > 0.0
        if fades and if_right(_endless, self):
            never = f"{show(self.fade_in)} of a life without end never passes"
            yield Mistake(("fade_in",), f"{never}; a lifetime that fades in is finite")
        if getattr(self, "space", "world") != "local":
            trail = getattr(self, "trail", None)
            if trail is not None and getattr(trail, "space", None) == "local":
                free = "the trails of particles that live in the world stay there"
                yield Mistake(("trail", "space"), f'"local" is given; {free}')
            return
        if getattr(self, "inherit_velocity", 0.0) != 0.0:
            yield Mistake(
                ("inherit_velocity",),
                f"{show(self.inherit_velocity)} is given in local space, whose particles move with "
                'the emitter; it is for "world"',
            )
        if not getattr(self, "inherit_orientation", True):
            yield Mistake(
                ("inherit_orientation",),
                "false is given in local space, whose particles turn with the emitter; "
                'it is for "world"',
            )


def _endless(emitter: Emitter) -> bool:
    return math.isinf(span(emitter.lifetime)[1])


_Corner: TypeAlias = tuple[float, float, float]


@dataclass(frozen=True)
class BoundsRule(Rule):
    """A box: its lowest corner and its highest."""

    def read(self, value: Any) -> tuple[_Corner, _Corner]:
        """Two tuples of three."""
        corner = Components("a corner", Number("a component"))
        if not is_list(value) or len(both := list(value)) != 2:
            raise refused(f"{show(value)} is no box; a box is (lower, upper), each (x, y, z)")
        lower, upper = read_each([corner, corner], both)
        if any(a > b for a, b in zip(lower, upper, strict=True)):
            raise refused(f"{show(value)} is no box; its lower corner exceeds its upper one")
        return lower, upper

    def schema(self) -> dict[str, Any]:
        """An array of two corners."""
        corner = Components("a corner", Number("a component")).schema()
        return {"type": "array", "items": corner, "minItems": 2, "maxItems": 2}


@description
class Effect:
    """Emitters that play together, and what acts on the particles of all of them.

    Args:
        name: What it is called.
        emitters: At least one; each has a name of its own.
        duration: Seconds that emission lasts, or that a loop does.
        loop: Whether emission begins again after `duration`, for ever.
        modifiers: What acts on the particles of every emitter, in order, after its own.
        prewarm: Seconds, 0 or more, for which it has already run when it is first seen: smoke
            that hangs in the air, not smoke that begins to rise.
        fixed_fps: Frames a second, 0.001 to 1000: it is simulated in whole steps of such a frame,
            however long updates are, and what is drawn lies between the last two. None steps with
            the updates.
        description: A sentence for those who choose among effects.
        parameters: What its host may set while it plays; the fields that they drive hold their
            defaults.
        bounds: The box (lower, upper) in the effect's own space that holds all that is ever seen of
            it while it stands still, sizes included; `measure_bounds` finds it. What lies outside
            the camera's view is then not drawn. None draws always, and so are bursts drawn that
            share textures: it is one draw for all of them, wherever they are.
        when_unseen: What time does while no camera sees the bounds: it goes on (``"play"``), stops
            (``"pause"``), or is made up for in one update when it is seen again (``"catch_up"``).
            While nothing is drawn at all, every effect counts as seen. The time of bursts always
            goes on, since nobody would end them.
        lod: (near, far) distances from the camera to the effect: up to near all births come, from
            there fewer and fewer, from far on none, as if `EffectInstance.amount` fell. The
            nearest camera since the last update counts. Bursts bring all their births: leave out
            those that are too far away. None changes nothing.
    """

    name: Annotated[str, Text("a name")]
    emitters: Takes[
        Iterable[Emitter], Annotated[tuple[Emitter, ...], Field(json_schema_extra={"minItems": 1})]
    ]
    duration: Annotated[float, Number("a duration", "seconds", least=_SHORTEST)] = 5.0
    loop: bool = True
    modifiers: Takes[Iterable[Modifier], tuple[Modifier, ...]] = default(())
    prewarm: Annotated[float, Number("a prewarm", "seconds", least=0)] = 0.0
    fixed_fps: (
        Annotated[float, Number("a frame rate", "frames a second", least=0.001, most=1000)] | None
    ) = None
    description: Annotated[str, Text("a description")] | None = None
    parameters: Takes[Iterable[Parameter], tuple[Parameter, ...]] = default(())
    bounds: Takes[
        Iterable[Iterable[float]] | None,
        Annotated[tuple[_Corner, _Corner], BoundsRule()] | None,
    ] = default(None)
    when_unseen: Literal["play", "pause", "catch_up"] = "play"
    lod: Takes[
        Range | Iterable[float] | None,
        Annotated[Range, Pair(Number("a distance", "units", least=0))] | None,
    ] = default(None)

    def __post_init__(self) -> None:
        for parameter in self.parameters:
            with contextlib.suppress(ValidationError, AttributeError):  # `mistakes` says which
                self._drive(parameter, parameter.default)

    def duration_of(self, emitter: Emitter) -> float:
        """Seconds that a loop of `emitter` lasts: its own duration or else the effect's."""
        return self.duration if emitter.duration is None else emitter.duration

    def loop_of(self, emitter: Emitter) -> bool:
        """Whether `emitter` loops: its own word or else the effect's."""
        return self.loop if emitter.loop is None else emitter.loop

    def modifiers_of(self, emitter: Emitter) -> tuple[Modifier, ...]:
        """All that acts on the particles of `emitter`, in order: its own, then the effect's."""
        return emitter.modifiers + self.modifiers

    def longest_life(self, emitter: Emitter) -> float:
        """Seconds that a particle of `emitter` lives at most, however the parameters are set."""
        ends = [span(emitter.lifetime)[1]]
        for parameter in self.parameters:
            for keys in (keys_of(self, path) for path in parameter.binds):
                if keys[0] == "emitters" and keys[2] == "lifetime" and parameter.range:
                    driven = self.emitters[int(keys[1])]
                    ends += [parameter.range[1]] if driven.name == emitter.name else []
        return max(ends)

    def with_parameters(self, values: Mapping[str, Any]) -> Effect:
        """The effect with other defaults of its parameters, and so other values where they lead.

        Args:
            values: By the names of parameters; the others stay as they are.

        Raises:
            EffectError: There is no such parameter, or it may not have that value.
        """
        if not isinstance(values, Mapping):
            raise EffectError(f"{self.name}: parameters: {show(values)} gives no values by name")
        made = self
        known = [parameter.name for parameter in self.parameters]
        for name, value in values.items():
            if name not in known:
                near = known_names(name, known, "parameters") if known else "; it has none"
                raise EffectError(f"{self.name}: there is no parameter {show(name)}{near}")
            index = known.index(name)
            parameter = made.parameters[index]
            try:
                held = parameter.read(value)
                if held == parameter.default:
                    continue  # hosts may set the same value every frame
                made = made._copy() if made is self else made
                made._drive(parameter, held)
                changed = replaced(parameter, "default", held)
            except ValidationError as error:
                found = (f"{self.name}: parameters.{name}: {why}" for _, why in mistakes_in(error))
                raise EffectError("\n".join(found)) from None
            parameters = (*made.parameters[:index], changed, *made.parameters[index + 1 :])
            object.__setattr__(made, "parameters", parameters)
        return made

    def in_use(self) -> Effect:
        """The effect with whatever its parameters drive in use, as shaders are composed for it.

        It is the same however the parameters are set: no setting needs another shader.
        """
        if not self.parameters:
            return self
        made = self._copy()
        for parameter in self.parameters:
            for example in parameter.examples():
                with contextlib.suppress(ValidationError):
                    made._drive(parameter, example)
                    break
        return made

    def kills(self, index: int) -> bool:
        """Whether something, however parameters are set, may end lives of an emitter early."""
        used = self.in_use()
        emitter = used.emitters[index]
        own = emitter.process is not None and emitter.process.kills
        return own or any(modifier.kills for modifier in used.modifiers_of(emitter))

    def to_json(self) -> str:
        """The effect as the text of a document, without what is at its default.

        Raises:
            DocumentError: It holds what a document cannot, such as a texture in memory.
        """
        return document_text(self)

    def mistakes(self) -> Iterator[Mistake]:
        """What its emitters do together that they may not."""
        if getattr(self, "emitters", None) == ():
            yield Mistake(("emitters",), "an empty list; an effect has at least one emitter")
        if getattr(self, "when_unseen", "play") != "play" and self.bounds is None:
            given = show(self.when_unseen)
            yield Mistake(("when_unseen",), f"{given} needs bounds; without them it is always seen")
        names: list[str | None] = []
        for index, emitter in enumerate(getattr(self, "emitters", ())):
            here = ("emitters", index)
            name = getattr(emitter, "name", None)
            if name is not None and name in names:
                taken = f"{show(name)} is the name of emitters[{names.index(name)}] too"
                yield Mistake((*here, "name"), f"{taken}; each emitter has its own")
            names.append(name)
            end = if_right(self._end_of, emitter)
            for number, burst in enumerate(getattr(emitter, "bursts", ())):
                time = getattr(burst, "time", None)
                last = if_right(_last_of, burst)
                there = (*here, "bursts", number)
                if time is not None and end is not None and time >= end:
                    late = f"{show(time)} is not within the loop of {show(end)} seconds"
                    yield Mistake((*there, "time"), f"{late}; it would never fire")
                elif last is not None and end is not None and last >= end:
                    late = f"the last of {burst.cycles} cycles would fire at {show(last)} seconds"
                    beyond = f"the loop of {show(end)} seconds is over then"
                    yield Mistake((*there, "cycles"), f"{late}; {beyond}")
            rows = if_right(self._rows_of, emitter)
            if rows is not None and rows > _BLOCK_ROWS:
                yield Mistake(
                    here,
                    f"the stops and modifiers of {show(name)} take {rows} rows of a "
                    f"shader's {_BLOCK_ROWS}; use fewer stops",
                )
        yield from mistakes_of(self)

    def _copy(self) -> Effect:
        made = object.__new__(Effect)
        for field in fields(self):
            object.__setattr__(made, field.name, getattr(self, field.name))
        return made

    def _drive(self, parameter: Parameter, value: Value) -> None:
        """Put a value where a parameter leads: all of it or, when something refuses, nothing."""
        driven = {name: getattr(self, name) for name in ("emitters", "modifiers")}
        for path in parameter.binds:
            root, *keys = keys_of(self, path)
            driven[str(root)] = put(driven[str(root)], tuple(keys), value)
        for name, held in driven.items():
            object.__setattr__(self, name, held)

    def _end_of(self, emitter: Emitter) -> float:
        """When the loop of `emitter` ends, before which its bursts are; never if it has none."""
        return self.duration_of(emitter) if self.loop_of(emitter) else math.inf

    def _rows_of(self, emitter: Emitter) -> int:
        """At most so many rows of four floats hold the values of `emitter` in a shader."""
        modifiers = self.modifiers_of(emitter)
        curves: list[Curve | Gradient] = [
            emitter.width_over_life,
            emitter.height_over_life,
            emitter.angular_velocity_over_life,
            emitter.speed_over_life,
            emitter.size_by_speed,
            emitter.color_by_speed,
        ]
        # Most are constants, for which there is room among the emitter's rows.
        curves = [curve for curve in curves if len(curve.stops) > 1]
        curves += [emitter.size_over_life, emitter.color_over_life]
        if emitter.trail is not None:
            curves += [emitter.trail.width_over_trail, emitter.trail.color_over_trail]
        curves += [drawn.value for drawn in draws(emitter) if isinstance(drawn.value, Curve)]
        curves += [emitter.color] if isinstance(emitter.color, Gradient) else []
        curves += [m.over_life for m in modifiers if isinstance(m, Scaled) and m.over_life]
        stops = sum(len(curve.segments()) for curve in curves)
        own = [each for each in (emitter.process, emitter.sprite.shader) if each is not None]
        uniforms = sum(len(each.uniforms) for each in own)
        return _EMITTER_ROWS + _MODIFIER_ROWS * len(modifiers) + stops + uniforms


def _last_of(burst: Burst) -> float:
    return burst.last
