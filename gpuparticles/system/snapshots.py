"""The whole present of a playing effect as bytes, and back."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from gpuparticles.effect.fingerprint import fingerprint
from gpuparticles.effect.mistakes import show
from gpuparticles.effect.values import rgba
from gpuparticles.errors import EffectError
from gpuparticles.playback.clock import Frames
from gpuparticles.playback.place import FARTHEST, Place, Vec3, plus
from gpuparticles.playback.player import Player
from gpuparticles.playback.saved import Saved, UnfitError, pack, unpack
from gpuparticles.system.emitters import share

if TYPE_CHECKING:
    from gpuparticles.effect.effect import Effect
    from gpuparticles.gpu.state import Texels
    from gpuparticles.system.effects import EffectInstance

__all__ = ["FLAGS", "NUMBERS", "PLACES", "Snapshot", "read_snapshot", "take_snapshot"]

#: The attributes of an instance that are places, or None; numbers of 0 or more; true or false.
#: With its seed, tint, drawing order, anchor and emitters they are all that changes while it plays.
PLACES = ("_place", "_simulated", "_followed", "_warmed")
NUMBERS = ("_speed", "_amount", "_time")
FLAGS = ("_paused", "_finished")


class Snapshot(NamedTuple):
    """A snapshot that has been read and fits.

    Args:
        played: The effect with its parameters as they were set.
        seed: The instance's.
        tint: Straight RGBA.
        anchor: What positions are relative to.
        attributes: The other attributes of the instance, by name.
        frames: Of the fixed frame rate, if there is one.
        players: Of all emitters, in order.
        rows: Rows in use, of each emitter.
        texels: What the GPU is to hold, of each emitter.
    """

    played: Effect
    seed: int
    tint: tuple[float, float, float, float]
    anchor: Vec3
    attributes: dict[str, Any]
    frames: Saved
    players: list[Player]
    rows: list[int]
    texels: list[Texels]


def take_snapshot(instance: EffectInstance) -> bytes:
    """Everything of an instance that playing changes; inside the guard."""
    places = {name: getattr(instance, name) for name in PLACES}
    return pack(
        {
            "effect": fingerprint(instance.effect),
            "name": instance.effect.name,
            "parameters": dict(instance.parameters),
            "origin": instance._scene.origin,
            "seed": instance.seed,
            "tint": instance._tint,
            "draw_order": instance._draw_order,
            "anchor": instance._anchor,
            **places,
            **{name: getattr(instance, name) for name in (*NUMBERS, *FLAGS)},
            "frames": instance._frames and instance._frames.state(),
            "players": [emitter._player.state() for emitter in instance],
            "rows": [emitter._simulation.rows for emitter in instance],
            "texels": [emitter._simulation.read() for emitter in instance],
        }
    )


def read_snapshot(instance: EffectInstance, data: object) -> Snapshot:
    """Read bytes for an instance, which is left as it is.

    Raises:
        UnfitError: They are damaged, or of something else.
    """
    tree = unpack(data)
    if tree.get("effect") != fingerprint(instance.effect):
        raise UnfitError(f"is of another effect, {show(tree.get('name'))}")
    try:
        return _read(instance, tree)
    except UnfitError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError, EffectError):
        # Only bytes that were made up get here.
        raise UnfitError("is damaged") from None


def _read(instance: EffectInstance, tree: Saved) -> Snapshot:
    seed = _typed(int, tree["seed"])
    played = instance.effect.with_parameters(tree["parameters"])
    players = []
    for index, (emitter, state) in enumerate(zip(instance, tree["players"], strict=True)):
        slots = _typed(int, state["population"]["slots"]["capacity"])
        if slots != emitter.capacity:
            raise UnfitError(
                f"has a capacity of {show(slots)} for {emitter.name!r}, not {emitter.capacity}"
            )
        player = Player(played, index, seed)
        if slots != player.emitter.capacity:
            player.population.set_capacity(slots)
        player.restore(state)
        players.append(player)
    parts = zip(instance, players, tree["rows"], tree["texels"], strict=True)
    for emitter, player, rows, texels in parts:
        if not emitter._simulation.fits(_typed(int, rows), texels):
            raise UnfitError(f"has other particles of {emitter.name!r}")
        if rows < player.population.slots.rows:
            raise UnfitError("is damaged")
    if instance.effect.fixed_fps is not None:
        Frames(instance.effect.fixed_fps).restore(tree["frames"])
    # The world may have been counted from elsewhere when it was taken.
    x, y, z = _numbers(tree["origin"], 3)
    moved = plus(instance._scene.origin, (-x, -y, -z))
    for player in players:
        player.shift(moved)
    attributes: dict[str, Any] = {name: _typed(bool, tree[name]) for name in FLAGS}
    attributes["_draw_order"] = _typed(int, tree["draw_order"])
    for name in NUMBERS:
        (attributes[name],) = _numbers([tree[name]], 1, least=0.0, most=sys.float_info.max)
    share(attributes["_amount"], "_amount")
    for name in PLACES:
        saved = tree[name]
        attributes[name] = None if saved is None and name != "_place" else _place(saved, moved)
    if attributes["_warmed"] == attributes["_place"]:
        # One object stays one: whether it has been moved since is asked by identity.
        attributes["_warmed"] = attributes["_place"]
    return Snapshot(
        played,
        seed,
        rgba(_numbers(tree["tint"], 4), "tint"),
        plus(_numbers(tree["anchor"], 3), moved),
        attributes,
        tree["frames"],
        players,
        tree["rows"],
        tree["texels"],
    )


def _place(saved: Any, moved: Vec3) -> Place:
    place, turn, scale = saved
    found = Place(plus(_numbers(place, 3), moved), _numbers(turn, 4), _numbers(scale, 9))
    if abs(math.hypot(*found.turn) - 1.0) > 1e-3:
        raise UnfitError("is damaged")
    return found


def _numbers(saved: Any, count: int, least: float = -FARTHEST, most: float = FARTHEST) -> Any:
    """A tuple of so many floats within bounds."""
    if not isinstance(saved, list) or len(saved) != count:
        raise UnfitError("is damaged")
    if not all(least <= _typed(float, x) <= most for x in saved):
        raise UnfitError("is damaged")
    return tuple(saved)


def _typed(kind: type, saved: Any) -> Any:
    if type(saved) is not kind:
        raise UnfitError("is damaged")
    return saved
