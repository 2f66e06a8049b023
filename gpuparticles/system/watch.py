"""Where an effect may be seen, whether it is, and from how far."""

from __future__ import annotations

import math
from collections.abc import Sequence

from gpuparticles.draw.sprites import View
from gpuparticles.effect.effect import Effect
from gpuparticles.playback.place import Place, Vec3, plus, rotate

__all__ = ["Watch"]

Box = tuple[Vec3, Vec3]
Plane = tuple[float, float, float, float]


class Watch:
    """What an effect with bounds or a level of detail knows of those who look at it.

    Particles of the world stay where they were born when the effect moves on: their box is that of
    all places in the last lifetime, kept in two parts, each of which covers one.

    Args:
        effect: Gives the bounds, the level of detail and what happens out of view.
        draws: How often was drawn before.

    Attributes:
        share: The level of detail, 0 to 1.
    """

    def __init__(self, effect: Effect, draws: int) -> None:
        self._effect = effect
        self._life = max(
            effect.longest_life(emitter) + (emitter.trail.lingers if emitter.trail else 0.0)
            for emitter in effect.emitters
        )
        self._leaves = any(emitter.inherit_velocity != 0.0 for emitter in effect.emitters)
        # Local particles are all where the effect is.
        self._carried = all(emitter.space == "local" for emitter in effect.emitters)
        # What is so many pixels wide at any distance has no width in the world.
        boundless = any(emitter.look.size_unit == "pixels" for emitter in effect.emitters)
        self._bounds = None if boundless else effect.bounds
        self.share = 1.0
        self._draws = draws
        self._seen = False
        self._nearest = math.inf
        self._missed = 0.0
        self.clear()

    def clear(self) -> None:
        """Nobody lives."""
        self._last: Place | None = None
        self._boxes: list[Box] = []  # of this lifetime, and of the one before
        self._passed = 0.0
        self._unknown = 0.0

    def distrust(self) -> None:
        """Those who live may be anywhere."""
        self.clear()
        self._unknown = self._life

    def move(self, begin: Place, end: Place, dt: float) -> None:
        """Note where the effect has been while dt passed."""
        self._unknown = max(self._unknown - dt, 0.0)
        if self._leaves and begin != end:
            self._unknown = self._life
        if self._bounds is None or self._carried:
            return
        if end is not self._last or not self._boxes:
            self._last = end
            at = self._at if begin.turn == end.turn else self._around
            grown = union([*self._boxes[:1], at(begin), at(end)])
            self._boxes[:1] = [grown]
        self._passed += dt
        if self._passed >= self._life:
            self._passed = 0.0
            self._boxes = [self._at(end), self._boxes[0]]

    def shift(self, offset: Vec3) -> None:
        """Count places from elsewhere."""
        self._boxes = [(plus(low, offset), plus(high, offset)) for low, high in self._boxes]

    def look(self, view: View, planes: Sequence[Plane], place: Place) -> bool:
        """Whether the effect may be seen by a camera, which is remembered until the update.

        Args:
            view: The camera.
            planes: The sides of what it sees; see `View.planes`.
            place: Where the effect is now.
        """
        if self._effect.lod is not None:
            self._nearest = min(self._nearest, view.distance(place.place))
        box = None
        if self._bounds is not None and not self._unknown:
            box = union([*self._boxes, self._at(place)])
        if box is not None and any(_beyond(plane, box) for plane in planes):
            return False
        self._seen = True
        return True

    def attend(self, dt: float, draws: int) -> float:
        """How much time is to pass for the effect, of dt, given how often was drawn so far.

        Without a draw since the last update it counts as seen.
        """
        drawn, self._draws = draws != self._draws, draws
        seen, self._seen = self._seen or not drawn, False
        lod = self._effect.lod
        if lod is not None and drawn:
            far = (lod.high - self._nearest) / max(lod.high - lod.low, 1e-300)
            self.share = min(max(far, 0.0), 1.0)
        self._nearest = math.inf
        if seen or self._effect.when_unseen == "play":
            dt, self._missed = dt + self._missed, 0.0
            return dt
        if self._effect.when_unseen == "catch_up":
            self._missed += dt
        return 0.0

    def _at(self, place: Place) -> Box:
        """The box of the bounds when the effect is at a place."""
        assert self._bounds is not None
        lower, upper = self._bounds
        middle = [0.5 * (a + b) for a, b in zip(lower, upper, strict=True)]
        half = [0.5 * (b - a) for a, b in zip(lower, upper, strict=True)]
        s = place.scale
        # The columns of the transform; half a box reaches as far as their parts add up to.
        columns = [rotate(place.turn, (s[3 * i], s[3 * i + 1], s[3 * i + 2])) for i in range(3)]
        center = [
            sum(columns[i][k] * middle[i] for i in range(3)) + place.place[k] for k in range(3)
        ]
        reach = [sum(abs(columns[i][k]) * half[i] for i in range(3)) for k in range(3)]
        low = (center[0] - reach[0], center[1] - reach[1], center[2] - reach[2])
        high = (center[0] + reach[0], center[1] + reach[1], center[2] + reach[2])
        return low, high

    def _around(self, place: Place) -> Box:
        """A box that holds the bounds however the effect turns about a place."""
        assert self._bounds is not None
        lower, upper = self._bounds
        farthest = math.hypot(*(max(abs(a), abs(b)) for a, b in zip(lower, upper, strict=True)))
        r = farthest * math.hypot(*place.scale)
        x, y, z = place.place
        return (x - r, y - r, z - r), (x + r, y + r, z + r)


def union(boxes: Sequence[Box]) -> Box:
    """The smallest box that holds some."""
    lows, highs = zip(*boxes, strict=True)
    ax, ay, az = map(min, zip(*lows, strict=True))
    bx, by, bz = map(max, zip(*highs, strict=True))
    return (ax, ay, az), (bx, by, bz)


def _beyond(plane: Plane, box: Box) -> bool:
    """Whether all of a box lies on the outer side."""
    (ax, ay, az), (bx, by, bz) = box
    a, b, c, d = plane
    nearest = a * (bx if a > 0.0 else ax) + b * (by if b > 0.0 else ay)
    return nearest + c * (bz if c > 0.0 else az) + d < 0.0
