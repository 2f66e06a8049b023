"""Everything that is composed for one emitter, ready to be compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from gpuparticles.effect.effect import Effect, Emitter
from gpuparticles.effect.modifiers import Modifier
from gpuparticles.shaders.births import birth
from gpuparticles.shaders.layout import (
    ORIGIN,
    OUTPUTS,
    STATE,
    Block,
    birth_outputs,
    emitter_block,
    kept,
    lingers,
    moving,
    sorts,
    weighs,
)
from gpuparticles.shaders.models import model
from gpuparticles.shaders.sorts import cut, key, merge, runs
from gpuparticles.shaders.sources import Source
from gpuparticles.shaders.sprites import composite, sprite
from gpuparticles.shaders.trails import (
    HISTORY,
    last_points,
    move_history,
    record,
    ribbon,
    shift_places,
    trail,
)
from gpuparticles.shaders.updates import update
from gpuparticles.shaders.upkeep import alive, blend, shift

__all__ = [
    "EmitterText",
    "OrderText",
    "Pass",
    "RestText",
    "RibbonText",
    "TrailText",
    "emitter_text",
]

Pass = tuple[Source, Source]
"""The vertex and the fragment text of one pass."""


class OrderText(NamedTuple):
    """What sorts an emitter's particles.

    Args:
        key: Says by what.
        runs: Sorts a few entries each.
        cut: Prepares a merge.
        merge: Merges sorted runs two by two.
        last: The last merge.
    """

    key: Pass
    runs: Pass
    cut: Pass
    merge: Pass
    last: Pass


class TrailText(NamedTuple):
    """What keeps and draws the trails of an emitter's particles.

    Args:
        record: Writes down where particles were.
        last_points: Fetches what was written down last; None where nobody asks.
        move: Gives what was written down other slots.
        shift: Makes it relative to another anchor.
        shift_origin: Makes the places of births so.
        draw: Draws.
        cast: Composes what draws the depth alone.
    """

    record: Pass
    last_points: Pass | None
    move: Pass
    shift: Pass
    shift_origin: Pass
    draw: Pass
    cast: Callable[[], Pass]


class RibbonText(NamedTuple):
    """What links an emitter's particles.

    Args:
        order: Sorts.
        draw: Draws.
        cast: Composes what draws the depth alone.
    """

    order: OrderText
    draw: Pass
    cast: Callable[[], Pass]


class RestText(NamedTuple):
    """What writes of an emitter's particles what does not fit into one pass.

    Each pass runs after the one that it completes, and writes further textures.

    Args:
        birth: Completes that of births.
        birth_given: Composes what completes that of births of whom a host gives something.
        update: Completes that of steps; None where nothing is missing.
        travelling: The same of an emitter that moves and carries something.
        shift: Completes that which takes another anchor.
    """

    birth: Pass
    birth_given: Callable[[], Pass]
    update: Pass | None
    travelling: Pass | None
    shift: Pass | None


class EmitterText(NamedTuple):
    """What one emitter's GPU side is made from.

    Args:
        emitter: What it is composed for: the emitter with all in use that parameters drive.
        block: Layout of its uniform buffer.
        birth: Writes newborn particles.
        update: Advances particles of an emitter that stands still.
        travelling: The same while it moves, with what it carries; None where it carries nothing.
            A text of its own, because most emitters stand still most of the time.
        shift: Takes another anchor; None where particles have none of their own.
        blend: Makes what is seen between whole steps; None where steps follow the updates.
        alive: Packs who lives; None where nobody dies before their time.
        order: Sorts; None where nothing is sorted.
        drawn: Draws the sprite, or the model.
        cast: Composes what draws the depth alone, as few hosts ask for.
        trail: Keeps and draws trails; None where there are none.
        ribbon: Sorts, and draws what links particles; None where nothing does.
        birth_given: Composes what writes newborns of whom a host gives something.
        composite: Lays what has been weighed over the picture; None where nothing is weighed.
        rest: Writes what does not fit into one pass; None where everything does.
    """

    emitter: Emitter
    block: Block
    birth: Pass
    update: Pass
    travelling: Pass | None
    shift: Pass | None
    blend: Pass | None
    alive: Pass | None
    order: OrderText | None
    drawn: Pass
    cast: Callable[[], Pass]
    trail: TrailText | None
    ribbon: RibbonText | None
    birth_given: Callable[[], Pass]
    composite: Pass | None = None
    rest: RestText | None = None

    def passes(self, *, depth: bool = False, given: bool = False) -> Iterator[tuple[Pass, bool]]:
        """Every pass, and whether it draws quads.

        Args:
            depth: What draws the depth alone, too.
            given: What writes newborns of whom a host gives something, too.
        """
        order = self.order or ()
        steps = (self.birth, self.update, self.travelling, self.shift, self.blend, self.alive)
        for each in (*steps, *order):
            if each is not None:
                yield each, False
        quads = self.emitter.model is None
        if self.composite is not None:
            yield self.composite, False
        yield self.drawn, quads
        if depth:
            yield self.cast(), quads
        if self.trail is not None:
            *keeping, drawn, cast = self.trail
            yield from ((each, False) for each in keeping if each is not None)
            yield drawn, True
            if depth:
                yield cast(), True
        if self.ribbon is not None:
            sorting, drawn, cast = self.ribbon
            yield from ((each, False) for each in sorting)
            yield drawn, True
            if depth:
                yield cast(), True
        if given:
            yield self.birth_given(), False
        if self.rest is not None:
            for each in (self.rest.birth, self.rest.update, self.rest.travelling, self.rest.shift):
                if each is not None:
                    yield each, False
            if given:
                yield self.rest.birth_given(), False


def emitter_text(effect: Effect, index: int, *, pooled: bool) -> EmitterText:
    """Compose everything for one emitter of an effect.

    Args:
        effect: The effect.
        index: Which of its emitters.
        pooled: Many instances share its textures.
    """
    effect = effect.in_use()
    emitter = effect.emitters[index]
    modifiers = effect.modifiers_of(emitter)
    local = emitter.space == "local"
    carries = not pooled and any(moving(modifier, emitter) for modifier in modifiers)
    draws = sprite if emitter.model is None else model
    return EmitterText(
        emitter=emitter,
        block=emitter_block(emitter, modifiers, pooled=pooled),
        birth=birth(emitter, modifiers, pooled=pooled),
        update=update(emitter, modifiers, pooled=pooled),
        travelling=update(emitter, modifiers, travels=True) if carries else None,
        shift=None if local else shift(kept(emitter)),
        blend=None if pooled or effect.fixed_fps is None else blend(lingers=lingers(emitter)),
        alive=alive(lingers=lingers(emitter)) if effect.kills(index) else None,
        order=_order(emitter, pooled=pooled) if sorts(emitter) else None,
        trail=_trail(emitter, modifiers),
        ribbon=None if emitter.ribbon is None else _ribbon(emitter, modifiers),
        birth_given=partial(birth, emitter, modifiers, pooled=pooled, given=True),
        drawn=draws(emitter, modifiers, pooled=pooled),
        cast=partial(draws, emitter, modifiers, pooled=pooled, cast=True),
        composite=composite() if weighs(emitter) else None,
        rest=None if pooled else _rest(emitter, modifiers, carries=carries),
    )


def _rest(emitter: Emitter, modifiers: Sequence[Modifier], *, carries: bool) -> RestText | None:
    keeps = kept(emitter)
    if len(birth_outputs(keeps, pooled=False, trailed=emitter.trail is not None)) <= OUTPUTS:
        return None
    steps = len(STATE) + len(keeps) > OUTPUTS
    advance = partial(update, emitter, modifiers, rest=True)
    return RestText(
        birth=birth(emitter, modifiers, rest=True),
        birth_given=partial(birth, emitter, modifiers, given=True, rest=True),
        update=advance() if steps else None,
        travelling=advance(travels=True) if steps and carries else None,
        shift=shift(keeps, rest=True) if steps and emitter.space == "world" else None,
    )


def _trail(emitter: Emitter, modifiers: Sequence[Modifier]) -> TrailText | None:
    if emitter.trail is None:
        return None
    last = last_points() if emitter.trail.min_distance > 0.0 else None
    shifts = shift_places(HISTORY), shift_places(ORIGIN)
    keeping = record(emitter), last, move_history(), *shifts
    cast = partial(trail, emitter, modifiers, cast=True)
    return TrailText(*keeping, trail(emitter, modifiers), cast)


def _ribbon(emitter: Emitter, modifiers: Sequence[Modifier]) -> RibbonText:
    by_age = OrderText(key(emitter, order="oldest"), runs(), cut(), merge(), merge())
    cast = partial(ribbon, emitter, modifiers, cast=True)
    return RibbonText(by_age, ribbon(emitter, modifiers), cast)


def _order(emitter: Emitter, *, pooled: bool) -> OrderText:
    last = merge(instanced=pooled)
    return OrderText(key(emitter, pooled=pooled), runs(), cut(), merge(), last)
