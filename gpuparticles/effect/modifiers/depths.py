"""Collisions with what the host's depth buffer shows."""

from __future__ import annotations

from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpuparticles.effect.modifiers.base import Contact, Particles, modifier
from gpuparticles.effect.modifiers.collisions import Collision
from gpuparticles.effect.modifiers.contact import (
    Bools,
    Flight,
    Planes,
    across,
    collide,
    meets,
    skin_at,
    unit,
)
from gpuparticles.effect.rules import Number
from gpuparticles.effect.values import Floats

__all__ = ["CollideDepth", "Depths"]

_STEPS = 32
_STRIDE = 4.0
_CLEAR = np.float32(1e30)
_UNSEEN = np.float32(-1e30)


class Depths(NamedTuple):
    """The depth of a scene as particles see it.

    Args:
        rows: float32 (10, 4): the rows of the matrix from the particles' frame to the window (0 to
            3) and back (4 to 7); where the viewer is, a place or with w = 0 a direction (8); 1, and
            the depth of nothing (9).
        texels: float32 (height, width), the bottom row first.
    """

    rows: Floats
    texels: Floats


@modifier
class CollideDepth(Collision):
    """Bounce off what the host's depth buffer shows: off whatever a camera sees.

    ``velocity = (1 - friction) * along - restitution * across``, parts of the velocity along the
    surface and across it, where and when the particle meets it.

    The host gives the depth, and the camera that it was drawn with, by
    `ParticleSystem.set_depth`; without one nothing is met. Each pixel stands for a plane, whose
    normal comes from the closer of its neighbours: the depth should have 24 bits or be of floats.
    Such normals tremble all the same, so a slope of two in a hundred counts as level: what lies
    there rests, without friction too.
    What the camera does not see, particles fly through: what lies outside of the picture, and what
    is hidden behind something by more than `thickness`. The way of a step is followed as a straight
    line, looked at every 4 pixels, or at 32 places where it is longer.

    Args:
        thickness: How thick all that is seen is taken to be along the line of sight, in units: a
            particle deeper behind it than this flies there freely.
    """

    looks: ClassVar[bool] = True
    tremble: ClassVar[float] = 0.02

    thickness: Annotated[float, Number("a thickness", least=0)] = 1.0

    def constrained(
        self,
        particles: Particles,
        before: Particles,
        h: Floats,
        contact: Contact,
        depths: Depths | None = None,
    ) -> tuple[Floats, Floats, Contact]:
        """Where the way goes from in front of the scene to behind it."""
        if depths is None:
            return particles.position, particles.velocity, contact
        scene = _Seen(depths.rows, depths.texels, np.float32(self.thickness), contact.radius)
        return collide(self, particles, before, h, contact, scene.ahead, scene.nearest, walls=2)


class _Seen(NamedTuple):
    """A scene as particles meet it: the twin of ``lib/scene.glsl``."""

    rows: Floats
    texels: Floats
    thickness: np.float32
    radius: Floats

    def window(self, place: Floats) -> Floats:
        """Places in the window, (n, 4), times w."""
        return np.stack([across(place, r[None, :3]) + r[3] for r in self.rows[:4]], axis=1)

    def place(self, pixel: Floats, depth: Floats) -> Floats:
        """Where what has a depth at places in the window lies."""
        seen = np.column_stack([pixel, depth]).astype(np.float32)
        x, y, z, w = (across(seen, r[None, :3]) + r[3] for r in self.rows[4:8])
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.stack([x, y, z], axis=1) / w[:, None], np.float32)

    def viewer(self, place: Floats) -> Floats:
        """Unit vectors towards the viewer."""
        return unit(np.asarray(self.rows[8, :3] - self.rows[8, 3] * place, np.float32))

    def side(
        self, at: NDArray[np.int64], aside: NDArray[np.int64], depth: Floats, point: Floats
    ) -> Floats:
        """From the places of pixels to those of their neighbours, of both the closer one."""
        last = np.array(self.texels.shape[::-1]) - 1
        after, before = np.minimum(at + aside, last), np.maximum(at - aside, 0)
        gaps, there = [], []
        for neighbour in (after, before):
            found = self.texels[neighbour[:, 1], neighbour[:, 0]]
            none = np.all(neighbour == at, axis=1) | (found == self.rows[9, 1])
            gaps.append(np.where(none, _CLEAR, np.abs(found - depth)))
            there.append(self.place(np.asarray(neighbour + 0.5, np.float32), found))
        up, down = gaps
        way = np.where((up <= down)[:, None], there[0] - point, point - there[1])
        return np.where((np.minimum(up, down) == _CLEAR)[:, None], 0, way).astype(np.float32)

    def height(self, place: Floats) -> tuple[Floats, Planes, Floats]:
        """How high places are over what is seen there, its planes, and how far behind it."""
        viewer = self.viewer(place)
        window = self.window(place)
        ahead = window[:, 3] > 0
        pixel = window[:, :2] / np.where(ahead, window[:, 3], 1)[:, None]
        size = np.array(self.texels.shape[::-1], np.float32)
        shown = ahead & np.all((pixel >= 0) & (pixel < size), axis=1)
        pixel = np.where(shown[:, None], pixel, 0).astype(np.float32)
        at = pixel.astype(np.int64)
        depth = self.texels[at[:, 1], at[:, 0]]
        empty = depth == self.rows[9, 1]
        point = self.place(np.asarray(at + 0.5, np.float32), depth)
        across_it, up_it = (
            self.side(at, np.array(aside), depth, point) for aside in ((1, 0), (0, 1))
        )
        with np.errstate(invalid="ignore"):
            normal = unit(np.cross(across_it, up_it))
        normal = np.where(np.any(normal, axis=1)[:, None], normal, viewer)
        normal = np.where((across(normal, viewer) < 0)[:, None], -normal, normal)
        solid = shown & ~empty
        found = solid[:, None]
        plane = Planes(
            np.where(found, point + normal * self.radius[:, None], place - _FAR * viewer),
            np.where(found, normal, viewer),
        )
        height = plane.over(place)
        facing = np.maximum(across(normal, viewer), np.float32(0.05))
        behind = np.where(solid, -height / facing, _CLEAR)
        over = np.where(solid, height, np.where(shown, _CLEAR, _UNSEEN))
        return over.astype(np.float32), plane, behind.astype(np.float32)

    def nearest(self, place: Floats) -> Planes:
        """The planes of what is seen at places, unless it is too far behind."""
        _, plane, behind = self.height(place)
        viewer = self.viewer(place)
        free = (behind > self.thickness)[:, None]
        point = np.where(free, place - _FAR * viewer, plane.point)
        return Planes(point, np.where(free, viewer, plane.normal))

    def ahead(self, flight: Flight) -> tuple[Bools, Planes]:
        """What is met first on the straight way."""
        near = self.nearest(flight.origin)
        skin = skin_at(flight.origin)
        on = near.over(flight.origin) <= skin
        touched = on & meets(near, flight)
        way = flight.position - flight.origin
        a, b = self.window(flight.origin), self.window(flight.position)
        both = (a[:, 3] > 0) & (b[:, 3] > 0)
        safe = [np.where(both, end[:, 3], 1)[:, None] for end in (a, b)]
        pixels = np.linalg.norm(b[:, :2] / safe[1] - a[:, :2] / safe[0], axis=1)
        count = np.where(both, np.clip(np.ceil(pixels / _STRIDE), 1, _STEPS), _STEPS)
        slack = np.where(on | flight.last, skin, 0).astype(np.float32)

        def in_front(t: Floats) -> Bools:
            over, _, _ = self.height(flight.origin + t[:, None] * way)
            return np.asarray(over + slack >= 0)

        front = in_front(np.zeros(len(way), np.float32))
        met = np.zeros_like(touched)
        reached = np.zeros(len(way), np.float32)
        for number in range(1, 1 + int(count.max(initial=0))):
            t = np.asarray(np.minimum(number / count, 1), np.float32)
            after = in_front(t)
            passes = ~touched & ~met & front & ~after & (number <= count)
            front = after
            if not np.any(passes):
                continue
            low, high = np.asarray((number - 1) / count, np.float32), t
            for _ in range(12):
                middle = np.float32(0.5) * (low + high)
                clear = in_front(middle)
                low, high = np.where(clear, middle, low), np.where(clear, high, middle)
            _, _, behind = self.height(flight.origin + high[:, None] * way)
            hit = passes & (behind <= self.thickness)
            reached = np.where(hit, high, reached)
            met |= hit
        _, face, _ = self.height(flight.origin + reached[:, None] * way)
        chosen = touched[:, None]
        return touched | met, Planes(
            np.where(chosen, near.point, face.point), np.where(chosen, near.normal, face.normal)
        )


_FAR = np.float32(1e6)
