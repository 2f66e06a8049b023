"""Many instances of one effect that share one set of textures per emitter; bursts among them."""

from __future__ import annotations

import heapq
import math
import struct
from collections.abc import Callable, Iterator, Sequence

import moderngl
import numpy as np
from numpy.typing import NDArray

from gpuparticles.draw.layers import Layer
from gpuparticles.draw.models import drawn
from gpuparticles.draw.sprites import Sprites, View
from gpuparticles.effect.effect import Effect
from gpuparticles.gpu.simulate import Simulation
from gpuparticles.gpu.state import most_slots
from gpuparticles.playback.crowd import CROWD_ROW, Crowd
from gpuparticles.playback.place import Place, Vec3, composed, offset_of, plus
from gpuparticles.playback.places import Places, arcs
from gpuparticles.system.scene import Scene
from gpuparticles.system.watch import Plane, Watch

__all__ = ["POOL_REACH", "Bursts", "Pool"]

#: Units from its anchor up to which a pool takes bursts.
POOL_REACH = 4096.0

# Texels a row of the instance table: place, turn, three columns of scale, tint, and place and turn
# at the begin of the update; the arc between the turns lies beside the places.
_TEXELS = 8
_FIRST_ROWS = 64
_WHITE = struct.pack("<4f", 1.0, 1.0, 1.0, 1.0)


class Pool:
    """Instances of one effect that are simulated and drawn together.

    Args:
        scene: What it plays in.
        effect: What plays.
        anchor: What positions are relative to.
        draw_order: Where it is drawn among what plays.
        loops: Instances play as authored, and not one loop in any case.
    """

    __slots__ = (
        "__weakref__",
        "_anchor",
        "_crowds",
        "_draw_order",
        "_drawn",
        "_layer",
        "_scene",
        "_simulations",
        "_soft",
        "_solid",
        "_sorts",
        "_sprites",
        "_tables",
        "_watch",
        "_weighs",
        "effect",
    )

    def __init__(
        self,
        scene: Scene,
        effect: Effect,
        anchor: Vec3,
        draw_order: int = 0,
        *,
        loops: bool = False,
    ) -> None:
        self.effect = effect
        self._draw_order = draw_order
        self._anchor = anchor
        self._scene = scene
        # Emitters of one offset share a table: nearly always there is one.
        self._tables: dict[Place | None, _Table] = {}
        self._crowds: list[Crowd] = []
        self._simulations: list[Simulation] = []
        self._sprites: list[Sprites] = []
        try:
            for index in range(len(effect.emitters)):
                self._add_emitter(index, loops)
        except BaseException:
            self._free_all()
            raise
        emitters = range(len(effect.emitters))
        by_order = sorted(emitters, key=lambda index: effect.emitters[index].draw_order)
        self._drawn = [self._sprites[index] for index in by_order]
        self._sorts = any(sprites.order is not None for sprites in self._sprites)
        self._solid = any(sprites.solid for sprites in self._sprites)
        self._layer: Layer | None = None
        self._watch: Watch | None = None  # its instances may be anywhere
        self._soft = any(sprites.soft for sprites in self._sprites)
        self._weighs = any(sprites.weighted for sprites in self._sprites)

    def _in_view(self, view: View, planes: Sequence[Plane]) -> bool:
        """Nobody asks: see `_watch`."""
        return True

    @property
    def _seen(self) -> bool:
        """Whether there is something to draw."""
        return any(simulation.rows for simulation in self._simulations)

    @property
    def _spent(self) -> bool:
        """Whether nothing lives and nothing will be born."""
        return all(crowd.over for crowd in self._crowds)

    @property
    def _idle(self) -> bool:
        """Whether an update would do nothing."""
        return False

    def _advance(self, dt: float) -> None:
        """Advance every instance by dt seconds."""
        for table in self._tables.values():
            table.upload()
        for crowd, simulation in zip(self._crowds, self._simulations, strict=True):
            simulation.sight = self._scene.sight
            for step in crowd.steps(dt, self._scene.max_step):
                if crowd.population.slots.capacity > simulation.capacity:
                    simulation.set_capacity(crowd.population.slots.capacity)
                simulation.run(step)
            simulation.rows = crowd.population.slots.rows

    def _shift_origin(self, offset: Vec3) -> None:
        """Count everything from elsewhere: instances lie relative to the anchor."""
        self._anchor = plus(self._anchor, offset)
        for simulation in self._simulations:
            simulation.origin = self._scene.origin
            simulation.set_anchor(self._anchor)

    def _draw(self, view: View, *, solid: bool) -> None:
        """Draw what lives, emitter by emitter: what covers what is behind, or all else."""
        world = view.at(self._anchor)
        for sprites in self._drawn:
            if sprites.solid is not solid:
                continue
            view = self._scene.weighted.choose(view, self._anchor, sprites.weighted)
            sprites.draw(view, world, _WHITE)

    def _cast(self, view: View) -> None:
        """Draw the depth of what lives."""
        world = view.at(self._anchor)
        for sprites in self._drawn:
            sprites.cast(view, world, _WHITE)

    def _unlinked(self) -> Iterator[Callable[[], None]]:
        """Nothing: what links particles is of one effect."""
        return iter(())

    def _unsorted(self, view: View) -> Iterator[Callable[[], None]]:
        """What sorts before it can be drawn."""
        world = view.at(self._anchor)
        for sprites in self._sprites:
            sort = sprites.unsorted(world)
            if sort is not None:
                yield sort

    @property
    def live_count(self) -> int:
        """Living particles of all instances, exactly; nothing is waited for."""
        return sum(crowd.population.slots.live_count for crowd in self._crowds)

    @property
    def dropped(self) -> int:
        """Births for which there was no room."""
        return sum(crowd.population.dropped for crowd in self._crowds)

    @property
    def gpu_bytes(self) -> int:
        """GPU memory of textures and buffers, in bytes."""
        tables = sum(table.nbytes for table in self._tables.values())
        orders = sum(sprites.nbytes for sprites in self._sprites)
        return tables + orders + sum(simulation.nbytes for simulation in self._simulations)

    def release(self) -> None:
        """Free everything."""
        with self._scene.releasing() as alive:
            self._scene.playing.remove(self)
            if alive:
                self._free_all()

    def _add_emitter(self, index: int, loops: bool) -> None:
        effect, scene = self.effect, self._scene
        emitter = effect.emitters[index]
        crowd = Crowd(effect, index, most_slots(scene.ctx, CROWD_ROW), loops=loops)
        text = scene.texts(effect, pooled=True)[index]
        offset = offset_of(emitter.offset)
        table = self._tables.get(offset)
        if table is None:
            table = self._tables[offset] = _Table(scene.ctx, _FIRST_ROWS)
        simulation = Simulation(
            scene.ctx,
            scene.guard,
            emitter,
            effect.modifiers_of(emitter),
            text,
            crowd.population.clock,
            0,
            CROWD_ROW,
            instances=table.texture,
        )
        self._simulations.append(simulation)
        table.readers.append(simulation)
        self._crowds.append(crowd)
        simulation.origin = scene.origin
        simulation.set_anchor(self._anchor)
        where = f"{effect.name}: {emitter.name}"
        self._sprites.append(
            drawn(
                scene.ctx,
                scene.guard,
                simulation,
                emitter,
                text,
                scene.textures,
                scene.meshes,
                where,
            )
        )

    def _free_all(self) -> None:
        for sprites in self._sprites:
            sprites.release()
        for simulation in self._simulations:
            simulation.release()
        for table in self._tables.values():
            table.texture.release()


class Bursts(Pool):
    """Every burst of one effect near one place.

    Args:
        scene: What it plays in.
        effect: What plays.
        anchor: What positions are relative to.
        draw_order: Where it is drawn among what plays.
    """

    __slots__ = ("_ends", "_free", "_now", "_rows")

    def __init__(self, scene: Scene, effect: Effect, anchor: Vec3, draw_order: int = 0) -> None:
        super().__init__(scene, effect, anchor, draw_order)
        self._free = list(range(_FIRST_ROWS))
        self._ends: list[tuple[float, int]] = []
        self._now = 0.0
        self._rows = _FIRST_ROWS

    @property
    def limit(self) -> int:
        """How many bursts can live at once."""
        return int(self._scene.ctx.info["GL_MAX_TEXTURE_SIZE"])

    def takes(self, effect: Effect, place: Vec3, draw_order: int) -> bool:
        """Whether a burst belongs here."""
        same = effect is self.effect or effect == self.effect
        near = all(abs(p - a) <= POOL_REACH for p, a in zip(place, self._anchor, strict=True))
        room = bool(self._free) or self._rows < self.limit
        return same and near and room and draw_order == self._draw_order

    def add(self, place: Place, seed: int, tint: tuple[float, float, float, float]) -> None:
        """Begin a burst with the next update."""
        if not self._free:
            self._free = list(range(self._rows, 2 * self._rows))
            self._rows *= 2
        row = heapq.heappop(self._free)
        for offset, table in self._tables.items():
            where = place if offset is None else composed(place, offset)
            table.add(row, where, self._anchor, tint)
        life = 0.0
        for crowd in self._crowds:
            crowd.add([row], [seed], [0.0])
            life = max(life, crowd.life)
        if math.isfinite(life):
            heapq.heappush(self._ends, (self._now + life + 1.0, row))

    def _advance(self, dt: float) -> None:
        """Advance every burst by dt seconds."""
        super()._advance(dt)
        self._now += dt
        while self._ends and self._ends[0][0] <= self._now:
            heapq.heappush(self._free, heapq.heappop(self._ends)[1])


class _Table:
    """A row an instance: where it is, and its tint.

    Args:
        ctx: The context.
        rows: How many there are at first.

    Attributes:
        texture: What the shaders look it up in.
        readers: The simulations that do.
    """

    def __init__(self, ctx: moderngl.Context, rows: int) -> None:
        self._ctx = ctx
        self._values = np.zeros((rows, _TEXELS, 4), np.float32)
        self._changed: list[int] = []
        self.texture = _table_texture(ctx, rows)
        self.readers: list[Simulation] = []

    @property
    def nbytes(self) -> int:
        """GPU memory."""
        return self.texture.width * self.texture.height * 16

    def add(self, row: int, place: Place, anchor: Vec3, tint: tuple[float, ...]) -> None:
        """Set a row, which the next upload writes."""
        self._reserve(row + 1)
        entry = self._values[row]
        entry[0, :3] = entry[6, :3] = np.subtract(place.place, anchor)
        entry[0, 3] = entry[6, 3] = 0.0
        entry[1] = entry[7] = place.turn
        entry[2:5, :3] = np.reshape(place.scale, (3, 3))
        entry[5] = tint
        self._changed.append(row)

    def put(self, begin: Places, end: Places, anchor: Vec3, tints: NDArray[np.float64]) -> None:
        """Set the first rows, which the next upload writes.

        Args:
            begin: Where they were at the begin of the update.
            end: Where they are at its end.
            anchor: What they are relative to.
            tints: (n, 4).
        """
        count = len(tints)
        self._reserve(count)
        entries = self._values[:count]
        turn, arc = arcs(begin.turn, end.turn)
        entries[:, 0, :3] = end.place - anchor
        entries[:, 0, 3] = arc[:, 1]
        entries[:, 1] = turn
        entries[:, 2:5, :3] = end.scale.reshape(count, 3, 3)
        entries[:, 5] = tints
        entries[:, 6, :3] = begin.place - anchor
        entries[:, 6, 3] = arc[:, 0]
        entries[:, 7] = begin.turn
        self._changed += [0, count - 1]

    def _reserve(self, rows: int) -> None:
        while rows > len(self._values):
            self._values = np.concatenate([self._values, np.zeros_like(self._values)])

    def upload(self) -> None:
        """Write the rows that have been set since the last update."""
        if not self._changed:
            return
        rows = len(self._values)
        if self.texture.height < rows:
            self.texture.release()
            self.texture = _table_texture(self._ctx, rows)
            for simulation in self.readers:
                simulation.instances = self.texture
            self.texture.write(self._values)
        else:
            first, last = min(self._changed), max(self._changed)
            part = np.ascontiguousarray(self._values[first : last + 1])
            self.texture.write(part, viewport=(0, first, _TEXELS, last + 1 - first))
        self._changed.clear()


def _table_texture(ctx: moderngl.Context, rows: int) -> moderngl.Texture:
    texture = ctx.texture((_TEXELS, rows), 4, dtype="f4")
    texture.filter = (moderngl.NEAREST, moderngl.NEAREST)
    return texture
