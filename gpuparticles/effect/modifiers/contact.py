"""What happens where particles meet surfaces: the twin of ``glsl/lib/contact.glsl``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpuparticles.effect.modifiers.base import FATAL, Contact, Particles
from gpuparticles.effect.values import Floats

if TYPE_CHECKING:
    from gpuparticles.effect.modifiers.collisions import Collision

__all__ = [
    "Bools",
    "Flight",
    "Planes",
    "across",
    "axes_of",
    "collide",
    "fall_time",
    "length",
    "meets",
    "skin_at",
    "unit",
]

Bools = NDArray[np.bool_]

_STRIKES = 4
_HALF = np.float32(0.5)
_ENDLESS = np.float32(1e30)


class Planes(NamedTuple):
    """A plane for each particle; outside is on the side of the normal.

    Args:
        point: float32 (n, 3), a place on it.
        normal: float32 (n, 3), of length 1.
        way: float32 (n, 3), the way by which what is one unit behind it is put onto it; None is
            along the normal.
    """

    point: Floats
    normal: Floats
    way: Floats | None = None

    def over(self, place: Floats) -> Floats:
        """How high places are over them; (n, 3) to (n,)."""
        return across(self.normal, place - self.point)

    def only(self, which: NDArray[np.intp]) -> Planes:
        """Some of them."""
        way = None if self.way is None else self.way[which]
        return Planes(self.point[which], self.normal[which], way)


@dataclass(slots=True)
class Flight:
    """The way of each particle, of which strikes leave a shorter and shorter end.

    Args:
        position: float32 (n, 3), at the end.
        velocity: float32 (n, 3), at the end.
        origin: float32 (n, 3), where it begins.
        departure: float32 (n, 3), the velocity with which it begins.
        h: float32 (n,), the seconds that it takes.
        resting: bool (n,), who has come to lie.
        lost: float32 (n,), seconds of life lost.
        struck: int (n,), surfaces met.
        stuck: bool (n,), who has stuck, if the surface is one that things stick to.
        last: Whether the way ends at the first surface.
    """

    position: Floats
    velocity: Floats
    origin: Floats
    departure: Floats
    h: Floats
    resting: Bools
    lost: Floats
    struck: NDArray[np.intp]
    stuck: Bools
    last: bool


Ahead = Callable[[Flight], tuple[Bools, Planes]]
"""Who meets something on the way, and the plane that each meets first."""


def collide(
    surface: Collision,
    particles: Particles,
    before: Particles,
    h: Floats,
    contact: Contact,
    ahead: Ahead,
    nearest: Callable[[Floats], Planes] | None,
    *,
    walls: int = 1,
) -> tuple[Floats, Floats, Contact]:
    """Meet surfaces until the step is over.

    Args:
        surface: What they are like.
        particles: At the end of the step.
        before: At its begin.
        h: float32 (n,), the seconds between.
        contact: What has happened before.
        ahead: Finds what is met.
        nearest: Finds the plane at the nearest place of the surface, behind which nobody stays;
            None where one may be behind it.
        walls: How often who is behind is put back: of several surfaces one may be behind each, and
            a bent one is come up to step by step.
    """
    still = ~np.any(before.velocity, axis=1) & (surface.on_hit == "stick")
    flight = Flight(
        particles.position.copy(),
        particles.velocity.copy(),
        before.position.copy(),
        before.velocity.copy(),
        h.copy(),
        contact.resting.copy(),
        contact.lost.copy(),
        contact.struck.copy(),
        still,
        contact.last,
    )
    going = h > 0
    if contact.last:
        going &= contact.struck > 0
    for _ in range(_STRIKES):
        met, planes = ahead(flight)
        who = np.flatnonzero(going & met)
        going[:] = False
        if not len(who):
            break
        going[who] = _strike(surface, flight, who, planes.only(who), contact, particles.lifetime)
    for _ in range(0 if nearest is None else walls):
        assert nearest is not None
        _keep_out(surface, flight, nearest(flight.position))
    made = contact._replace(resting=flight.resting, lost=flight.lost, struck=flight.struck)
    return flight.position, flight.velocity, made


def meets(planes: Planes, flight: Flight) -> Bools:
    """Whether planes are met on the way."""
    on = planes.over(flight.origin) <= skin_at(flight.origin)
    deep = -skin_at(flight.position) if flight.last else np.float32(0)
    return (planes.over(flight.position) < deep) | (flight.stuck & on)


def _strike(
    surface: Collision,
    flight: Flight,
    who: NDArray[np.intp],
    planes: Planes,
    contact: Contact,
    lifetime: Floats,
) -> Bools:
    n = planes.normal
    origin, departure, h = flight.origin[who], flight.departure[who], flight.h[who]
    position, velocity = flight.position[who], flight.velocity[who]
    above = planes.over(origin)
    on = above <= skin_at(origin)
    held = on & flight.stuck[who]
    flight.struck[who] += 1

    force = (velocity - departure) / h[:, None]
    touching = on & (np.abs(across(n, departure)) <= np.float32(1e-4) * length(departure))
    bent = (contact.bent[who] & ~touching)[:, None]
    force = np.where(bent, force + n * across(n, contact.force[who] - force)[:, None], force)
    back = across(n, velocity - h[:, None] * force - departure)
    departure = np.where(bent, departure + n * back[:, None], departure)
    drift = (position - origin) / h[:, None] - _HALF * (velocity + departure)
    lift = across(n, force)
    speed = across(n, departure + drift)
    t = np.where(touching, 0, np.clip(fall_time(np.maximum(above, 0), speed, lift), 0, h))
    t = t.astype(np.float32)[:, None]
    place = origin + t * (departure + drift + _HALF * t * force)
    place = place - n * planes.over(place)[:, None]
    place = np.where(touching[:, None], origin, place)
    hit = np.where(touching[:, None], departure, departure + t * force)

    if surface.on_hit != "bounce":
        stick = surface.on_hit == "stick"
        flight.position[who] = np.where(held[:, None], origin, place)
        flight.velocity[who] = np.zeros_like(hit) if stick else hit
        flight.resting[who] = True
        if not stick:
            flight.lost[who] = FATAL
        return np.zeros(len(who), np.bool_)

    friction = np.float32(surface.friction)
    speed = np.maximum(-across(n, hit), 0)
    weak = np.maximum(-lift, 0) * contact.step
    along = hit - n * across(n, hit)[:, None]
    graze = np.float32(1e-4) * length(hit)
    hard = ~touching & (speed > np.maximum(weak, graze)) & (not contact.last)
    coulomb = friction / np.maximum(1 - friction, np.float32(1e-20))
    grip = coulomb * (1 + np.float32(surface.restitution)) * speed
    taken = np.minimum(friction, grip / np.maximum(length(along), np.float32(1e-30)))
    along = np.where(hard[:, None], along * (1 - taken)[:, None], along)
    flight.lost[who] += np.where(hard, np.float32(surface.lifetime_loss) * lifetime[who], 0)
    tremble = np.float32(surface.tremble)
    least = np.maximum(np.float32(1e-5) * weak, tremble * (weak + length(hit)))
    along = np.where((length(along) <= least)[:, None], 0, along)
    bounce = np.float32(surface.restitution) * speed
    bounce = np.where(touching | (bounce <= weak), 0, bounce).astype(np.float32)
    bounce = np.where(touching, bounce, np.maximum(bounce, across(n, hit)))
    rest = (h - t[:, 0])[:, None]
    drift = drift - n * across(n, drift)[:, None]

    # Off again.
    off = along + n * bounce[:, None]
    if contact.last:
        flight.position[who] = place
        flight.velocity[who] = off
        return np.zeros(len(who), np.bool_)
    flown = off + rest * force
    there = place + rest * (off + drift + _HALF * rest * force)
    # On along the surface, or nowhere.
    flies = (bounce > 0) | (lift > 0)
    pull = force - n * lift[:, None]
    hold = -lift * coulomb if friction < 1 else np.full_like(lift, _ENDLESS)
    still = np.maximum(hold, -lift * tremble)
    lies = ~flies & ~np.any(along, axis=1) & (length(pull) <= still - np.float32(1e-5) * lift)
    pushed = along + rest * pull
    fast = length(pushed)
    brake = hold * rest[:, 0]
    stops = fast <= brake
    left = 1 - brake / np.where(stops, 1, fast)
    slid = np.where(stops[:, None], 0, pushed * left[:, None])
    moving = np.where(brake > fast, fast / np.where(brake > fast, brake, 1), 1)[:, None]
    along_there = place + rest * (_HALF * moving * (along + slid) + drift)

    there = np.where(flies[:, None], there, along_there)
    there = there - n * np.minimum(planes.over(there), 0)[:, None]
    flight.position[who] = np.where(lies[:, None], place, there)
    flight.velocity[who] = np.where(lies[:, None], 0, np.where(flies[:, None], flown, slid))
    flight.resting[who] |= lies | (~flies & stops)
    flight.origin[who] = place
    flight.departure[who] = np.where(flies[:, None], off, along)
    flight.h[who] = rest[:, 0]
    going: Bools = ~lies & (rest[:, 0] > np.float32(1e-6))
    return going


def _keep_out(surface: Collision, flight: Flight, planes: Planes) -> None:
    above = planes.over(flight.position)
    behind = above < 0
    if surface.on_hit == "die":
        deep = behind & (above < -skin_at(flight.position))
        flight.lost[deep] = FATAL
        behind &= ~deep
    who = np.flatnonzero(behind)
    if not len(who):
        return
    planes = planes.only(who)
    n = planes.normal
    way = n if planes.way is None else planes.way
    position, velocity = flight.position[who], flight.velocity[who]
    position = position - way * above[who][:, None]
    position = position - np.float32(2) * way * np.minimum(planes.over(position), 0)[:, None]
    flight.position[who] = position
    velocity = velocity - n * np.minimum(across(n, velocity), 0)[:, None]
    flight.velocity[who] = np.zeros_like(velocity) if surface.on_hit == "stick" else velocity


def fall_time(a: Floats, b: Floats, c: Floats) -> Floats:
    """When heights a, whose speed is b and whose acceleration c, come down to zero."""
    root = np.sqrt(np.maximum(b * b - np.float32(2) * c * a, 0))
    falling = b < 0
    down = np.float32(2) * a / np.where(falling, root - b, 1)
    back = c < 0
    up = np.where(back, (b + root) / np.where(back, -c, 1), _ENDLESS)
    return np.where(falling, down, up).astype(np.float32)


def skin_at(place: Floats) -> Floats:
    """How far from a surface is still on it."""
    return np.asarray(np.float32(4e-6) * (1 + np.abs(place).sum(axis=1)), np.float32)


def across(a: Floats, b: Floats) -> Floats:
    """The dot product of each pair; (n, 3) to (n,)."""
    total: Floats = a[:, 0] * b[:, 0] + a[:, 1] * b[:, 1] + a[:, 2] * b[:, 2]
    return total


def length(vectors: Floats) -> Floats:
    """The length of each vector; (n, 3) to (n,)."""
    return np.sqrt(across(vectors, vectors))


def unit(vectors: Floats) -> Floats:
    """The direction of each vector, and zero where it has none; (n, 3)."""
    squared = across(vectors, vectors)
    directed = squared > 1e-30
    scale = np.where(directed, 1 / np.sqrt(np.where(directed, squared, 1)), 0)
    return vectors * scale.astype(np.float32)[:, None]


def axes_of(right: Floats, up: Floats) -> Floats:
    """The axes of boxes: right, up made perpendicular, and what completes them.

    Returns:
        float32 (n, 3, 3), whose rows they are.
    """
    x = unit(right)
    z = unit(np.cross(x, up))
    return np.stack([x, np.cross(z, x), z], axis=1)
