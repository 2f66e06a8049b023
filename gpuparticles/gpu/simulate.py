"""Carries out Steps on the GPU: the birth pass, the update pass, the swap."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Sequence

import moderngl
import numpy as np
from numpy.typing import NDArray

from gpuparticles.effect.draws import draws
from gpuparticles.effect.effect import Emitter
from gpuparticles.effect.kinds import fields_of
from gpuparticles.effect.modifiers import Collision, Constraint, Modifier, Scaled
from gpuparticles.effect.rules import Table
from gpuparticles.effect.shapes import Arced
from gpuparticles.effect.sprite import Sprite
from gpuparticles.effect.values import Curve, Gradient
from gpuparticles.gpu.deaths import Deaths
from gpuparticles.gpu.gl import DRAW_BUFFERS, TEXTURE_UNITS
from gpuparticles.gpu.guard import Guard
from gpuparticles.gpu.history import History
from gpuparticles.gpu.programs import QUADS, STEP_UNITS, UNITS, Held, Program, Programs
from gpuparticles.gpu.state import State, Texels
from gpuparticles.playback.clock import Clock
from gpuparticles.playback.given import placed
from gpuparticles.playback.marks import marks_of
from gpuparticles.playback.mask import pack_mask
from gpuparticles.playback.place import (
    IDENTITY,
    Place,
    arc_between,
    between,
    conjugate,
    plus,
    rotate,
)
from gpuparticles.playback.player import Step
from gpuparticles.playback.population import Births
from gpuparticles.playback.poses import Poses
from gpuparticles.playback.sight import Sight
from gpuparticles.shaders import EmitterText, Pass, move
from gpuparticles.shaders.layout import (
    FEW,
    HEAD,
    Block,
    birth_outputs,
    curves,
    kept,
    moving,
    over_life,
    own_members,
    shape_places,
    spins,
    tables,
)
from gpuparticles.shaders.trails import HISTORY

__all__ = ["Simulation"]

Vec3 = tuple[float, float, float]

_pack_step = struct.Struct("<4f").pack_into
_pack_slots = [struct.Struct(f"<{count}I").pack_into for count in range(FEW + 1)]
_FEW_SLOTS = Block(HEAD).offsets["u_few_slots"]
_FEW_RECORDS = Block(HEAD).offsets["u_few_records"]
_pack_header = struct.Struct("<4I").pack

_BIRTHS_UNIT = UNITS["u_births"]
_INSTANCES_UNIT = UNITS["u_instances"]
_TABLES_UNIT = UNITS["u_tables"]
_TABLES_WIDTH = 1024  # as lib/tables.glsl has it

# Births a pass: what a burst into a large emitter needs is bounded, and small against its state.
_LEAST_CHUNK = 48
_LARGEST_CHUNK = 65536

# Births are scattered where there are so many slots for each: a quad for each is then quicker than
# a look at all the slots between (measured on llvmpipe: from 10 on).
_SCATTERED = 12

_LARGEST = 1e30  # instead of 1/0


class Simulation:
    """One emitter's particles on the GPU.

    All methods that touch GL want to be called inside the guard.

    Args:
        ctx: The context.
        guard: Its guard.
        emitter: What is simulated.
        modifiers: The emitter's, then the effect's.
        text: What is composed for it.
        clock: Gives the length of a tick.
        capacity: Slots.
        row: Slots a texture row.
        instances: The instance table of a pool; without it, particles belong to one instance.
        fps: Frames a second of what is simulated in frames.

    Attributes:
        rows: Rows of slots in which a particle may live; the sprite pass draws them.
        block: Layout of the uniform buffer.
        buffer: The uniform buffer.
        state: The textures; None while the capacity is 0.
        deaths: Reports who was killed; None where nobody dies before their time.
        history: Where particles have been; None where they have no trail.
        origin: Where the origin of what was authored in world coordinates is now.
        changes: Counts what has changed who lives in which slot, and where.
        poses: Where the emitter was, where its trails stay in the world while it carries their
            particles; as of the Player.
        sight: How the depth that is bound shows the host's scene, if there is one.
    """

    def __init__(
        self,
        ctx: moderngl.Context,
        guard: Guard,
        emitter: Emitter,
        modifiers: Sequence[Modifier],
        text: EmitterText,
        clock: Clock,
        capacity: int,
        row: int,
        *,
        instances: moderngl.Texture | None = None,
        fps: float | None = None,
    ) -> None:
        self._guard = guard
        self._ctx = ctx
        self._row = row
        self._clock = clock
        self._pooled = instances is not None
        self.instances = instances
        self.rows = 0
        self.origin: Vec3 = (0.0, 0.0, 0.0)
        self.changes = 0
        self.sight: Sight | None = None
        self.poses: Poses | None = None
        self._looked: tuple[Sight | None, Place] = (None, IDENTITY)
        self._anchor: Vec3 = (0.0, 0.0, 0.0)
        self._needs: tuple[str, ...] = ("lifetime_seed",)
        measured = any(name.endswith("_radius_factor") for name in text.block.offsets)
        if spins(text.emitter) or measured:
            self._needs += ("attributes",)
        if self._pooled:
            self._needs += ("instance",)
        self._keeps = kept(text.emitter)
        self._kept_names = tuple(channel.name for channel in self._keeps)
        # Of what does not fit into one pass: what is to run after a program. Nearly always empty.
        self._rest: dict[Program, Program] = {}
        self._needs += self._kept_names
        # Where the place (0, 0, 0) of the particles lies in the world as it was authored.
        self._authored: Vec3 = (0.0, 0.0, 0.0)
        self._travels = False
        self._inherits = "u_travel" in text.block.offsets and not self._pooled
        self._turns = False
        self._path = (IDENTITY, IDENTITY, IDENTITY.place)
        self.block = text.block
        self._data = bytearray(self.block.size)
        self.state: State | None = None
        self._births: moderngl.Texture | None = None
        self._chunk = 0
        self._tables: moderngl.Texture | None = None
        self.deaths: Deaths | None = None
        self.history: History | None = None
        self._stale = False
        self.describe(emitter, modifiers)
        self._programs = Programs.of(ctx)
        self._held = Held(ctx)
        try:
            self._birth = self._held.acquire(text.birth)
            self._birth_given: Program | None = None
            self._compose_given = text.birth_given
            self._update = self._held.acquire(text.update)
            self._travelling = self._held.acquire(text.travelling or text.update)
            self._shift = None if text.shift is None else self._held.acquire(text.shift)
            self._blend = None if text.blend is None else self._held.acquire(text.blend)
            if text.rest is not None:
                self._complete(self._birth, text.rest.birth)
                self._complete(self._update, text.rest.update)
                self._complete(self._travelling, text.rest.travelling)
                self._complete(self._shift, text.rest.shift)
                self._compose_given_rest = text.rest.birth_given
            if text.alive is not None:
                lingers = 0.0 if emitter.trail is None else emitter.trail.lingers
                self.deaths = Deaths(ctx, guard, self._held.acquire(text.alive), lingers)
            if text.trail is not None and emitter.trail is not None:
                marks = marks_of(emitter.trail, clock, fps)
                self.history = History(ctx, guard, emitter.trail, text.trail, marks)
            self.buffer = ctx.buffer(self._data, dynamic=True)
            self._tables = _table_texture(ctx, tables(emitter, self._modifiers))
            # Whether a step binds more than the first texture units.
            bound = (self.history, self._tables, self.instances)
            units = max(program.units for program in self._held)
            written = birth_outputs(
                self._keeps, pooled=self._pooled, trailed=text.trail is not None
            )
            self._spread = len(written) > DRAW_BUFFERS
            self._wide = units > STEP_UNITS or any(each is not None for each in bound)
            self._units = max(units, TEXTURE_UNITS)
            if capacity:
                self._set_state(self._new_state(capacity))
        except BaseException:
            self.release()
            raise

    @property
    def nbytes(self) -> int:
        """GPU memory: textures and buffers."""
        total = self.block.size + (self.state.nbytes if self.state is not None else 0)
        if self.deaths is not None:
            total += self.deaths.nbytes
        if self.history is not None:
            total += self.history.nbytes
        for texture in (self._births, self._tables):
            if texture is not None:
                total += 16 * texture.width * texture.height
        return total

    @property
    def capacity(self) -> int:
        """Slots, whole rows."""
        return 0 if self.state is None else self.state.width * self.state.height

    def set_capacity(self, capacity: int) -> None:
        """Grow; everything stays in its slot."""
        if self.state is None:
            self._set_state(self._new_state(capacity))
        else:
            self._set_state(self.state.grow(capacity))

    def describe(self, emitter: Emitter, modifiers: Sequence[Modifier]) -> None:
        """Take the values of what is simulated; any that were composed to the same text.

        The anchor and the path are to be said anew.
        """
        self._emitter = emitter
        self._modifiers = tuple(modifiers)
        # Fields of another frame than the particles': block member, value, point or direction.
        self._carried = [] if self._pooled else list(_carried(emitter, self._modifiers))
        # Points in the world that are relative to the anchor: block member and value.
        self._anchored = list(_anchored(emitter, self._modifiers, pooled=self._pooled))
        # Modifiers that something drives which goes on in time: their block member, and whether
        # what they fill is the world.
        self._phased = [
            (f"u_{m.kind}{i}_phase", m, getattr(m, "space", "world") == "world")
            for i, m in enumerate(self._modifiers)
            if m.phased
        ]
        self._pack_constants(self._clock)
        self._stale = True
        if self.history is not None and emitter.trail is not None:
            self.history.describe(emitter.trail)

    def move(self, capacity: int, row: int, came_from: NDArray[np.int64]) -> None:
        """Have another number of slots, and everybody where they belong.

        Args:
            capacity: Slots.
            row: Slots a texture row.
            came_from: As Population.set_capacity gives it.
        """
        old, self.state = self.state, None
        if self.deaths is not None:
            self.deaths.forget()  # slots are others now
        self._row = row
        self.rows = len(came_from) // row
        self.changes += 1
        if self._births is not None:  # as wide as rows want it
            self._births.release()
            self._births = None
        if capacity:
            self._set_state(self._new_state(capacity), came_from)
        elif self.history is not None:
            self.history.free()
        if old is not None:
            if self.rows and self.state is not None:
                self._fetch(old, self.state, came_from)
            old.release()

    def _fetch(self, old: State, new: State, came_from: NDArray[np.int64]) -> None:
        table = (came_from + 1).astype(np.uint32)
        moved = self._ctx.texture((new.width, self.rows), 1, table, dtype="u4")
        moved.filter = (moderngl.NEAREST, moderngl.NEAREST)
        moved.use(UNITS["u_came_from"])
        for channel, source, target in new.pairs(old):
            program = self._programs.acquire(move(channel))
            source.use(UNITS["u_source"])
            self._guard.target(target.glo, new.width, self.rows)
            program.vertex_array.render(moderngl.TRIANGLES, 3)
            self._programs.release(program)
            target.release()
        moved.release()

    def set_path(self, begin: Place, end: Place, anchor: Vec3) -> None:
        """Say where the emitter is at the begin and at the end of the update.

        Args:
            begin: Where it was last simulated.
            end: Where it is now.
            anchor: What positions of world-space particles are relative to.
        """
        pack = self.block.pack
        data = self._data
        self._travels = begin != end
        for suffix, place in (("begin", begin), ("end", end)):
            pack(data, f"u_place_{suffix}", _minus(place.place, anchor))
            pack(data, f"u_turn_{suffix}", place.turn)
            for column in range(3):
                pack(data, f"u_scale_{suffix}", place.scale[3 * column : 3 * column + 3], column)
        last, arc = arc_between(begin.turn, end.turn)
        pack(data, "u_turn_end", last)
        pack(data, "u_turn_arc", arc)
        if self._inherits:
            pack(data, "u_travel", _minus(end.place, begin.place))
        self.set_anchor(anchor)
        self._path = (begin, end, anchor)
        self._turns = bool(self._carried) and begin.turn != end.turn
        if not self._turns:
            for name, value, role, _ in self._carried:
                first = self._framed(value, role, begin, anchor)
                pack(data, name, first)
                pack(data, f"{name}_delta", _minus(self._framed(value, role, end, anchor), first))

    def set_anchor(self, anchor: Vec3) -> None:
        """Say what positions are relative to, for fields that lie in the world.

        Args:
            anchor: What positions of world-space particles, and the places of a pool's instances,
                are relative to.
        """
        self._anchor = anchor
        authored = self._authored = _minus(anchor, self.origin)
        for name, point in self._anchored:
            self.block.pack(self._data, name, _minus(point, authored))
        if "u_authored" in self.block.offsets:
            self.block.pack(self._data, "u_authored", authored)

    def set_look(self, *, straight: bool, mip_limit: float) -> None:
        """Say whether the texture of sprites has straight alpha, and its last mip level."""
        self.block.pack(self._data, "u_straight", (float(straight),))
        self.block.pack(self._data, "u_mip_limit", (mip_limit,))

    def shift(self, offset: Vec3) -> None:
        """Add an offset to every position."""
        state = self.state
        if state is None or not self.rows:
            return
        self.block.pack(self._data, "u_shift", offset)
        self._write_uniforms()
        if self._keeps:
            self._guard.reach(self._units)
        if self._spread:
            self._guard.widen()
        self._guard.target(state.update_target, state.width, self.rows)
        state.bind(self._kept_names)
        assert self._shift is not None
        self._shift.vertex_array.render(moderngl.TRIANGLES, 3)
        if self._shift in self._rest:
            self._guard.target(state.update_rest, state.width, self.rows)
            self._rest[self._shift].vertex_array.render(moderngl.TRIANGLES, 3)
        state.swap()
        if self.history is not None:
            self.history.shift(state, self.rows, offset)

    def read(self) -> Texels:
        """Fetch everything that the GPU holds of the rows in use."""
        if self.state is None or not self.rows:
            return {}
        texels = self.state.read(self.rows)
        if self.history is not None:
            texels[HISTORY.name] = self.history.read(self.rows)
        return texels

    def fits(self, rows: int, texels: Texels) -> bool:
        """Whether `write` may have these."""
        if not rows or self.state is None:
            return not rows and not texels
        if self.history is None:
            return self.state.fits(rows, texels)
        kept = texels.get(HISTORY.name)
        others = {name: each for name, each in texels.items() if name != HISTORY.name}
        return self.state.fits(rows, others) and self.history.fits(rows, kept)

    def write(self, rows: int, texels: Texels) -> None:
        """Hold what `read` has fetched, of so many rows in use."""
        self.rows = rows
        self.changes += 1
        if self.deaths is not None:
            self.deaths.forget()
        if self.state is not None and rows:
            self.state.write(rows, texels)
            if self.history is not None:
                self.history.write(rows, texels[HISTORY.name])
        if self.history is not None and self.poses is not None:
            self.history.place(self.poses)

    def blend(self, alpha: float) -> None:
        """Say what is seen: so much of the last step has passed, 0 to 1."""
        state = self.state
        if state is None or not self.rows or self._blend is None:
            return
        self.changes += 1
        self._blend.write("u_blend", struct.pack("<f", alpha))
        self._guard.reach(TEXTURE_UNITS)
        self._guard.target(state.blend_target, state.width, self.rows)
        state.bind_both()
        self._blend.vertex_array.render(moderngl.TRIANGLES, 3)

    def run(self, step: Step) -> None:
        """Carry out one step."""
        self.changes += 1
        data = self._data
        _pack_step(data, 0, step.time, step.age, step.path_begin, step.path_rate)
        if self._turns:
            self._carry(step.path_begin, step.path_rate * step.time)
        for name, modifier, in_world in self._phased:
            origin = self._authored if in_world else IDENTITY.place
            self.block.pack(data, name, modifier.phase(step.begin, origin))
        if "u_depth" in self.block.offsets:
            self._look(step)
        births = step.births
        few = 0
        if births is not None:
            slots, records, admitted, instances, fractions, _ = births
            few = len(slots)
            # Rows that come back into use have slots to be marked dead.
            if (
                few <= FEW
                and isinstance(records, bytes)
                and slots[-1] < admitted * self._row
                and instances is None
                and fractions is None
                and not step.forget
            ):
                _pack_slots[few](data, _FEW_SLOTS, *slots)
                data[_FEW_RECORDS : _FEW_RECORDS + 16 * few] = records
            else:
                few = 0
        self._write_uniforms()
        state = self.state
        assert state is not None
        if self._wide:
            self._guard.reach(self._units)
        if self._spread:
            self._guard.widen()
        if self._tables is not None:
            self._tables.use(_TABLES_UNIT)
        if step.forget:
            self._forget(state, step.forget)
        if births is not None and self.history is not None:
            given = births.given is not None
            self.history.begin(self.take_given() if given else self._birth, step)
        if few:
            self._guard.target(state.birth_target, state.width, state.height)
            # As vertices from 8 on: see birth.vert.
            self._birth.vertex_array.render(moderngl.TRIANGLE_STRIP, 4, first=8, instances=few)
            if self._rest:
                self._bear_rest(state, self._birth, 8, few)
        elif births is not None:
            self._bear(state, births)
        self._guard.target(state.update_target, state.width, step.rows)
        state.bind(self._needs)
        if self.instances is not None:
            self.instances.use(_INSTANCES_UNIT)
        update = self._travelling if self._travels else self._update
        update.vertex_array.render(moderngl.TRIANGLES, 3)
        if update in self._rest:
            self._guard.target(state.update_rest, state.width, step.rows)
            self._rest[update].vertex_array.render(moderngl.TRIANGLES, 3)
        state.swap()
        if self.history is not None:
            if self.poses is not None and self.poses.note(step, *self._path[:2]):
                self.history.place(self.poses)
            self.history.record(state, step, self._clock, self.poses)

    def _look(self, step: Step) -> None:
        """Pack how the scene is seen from where the particles are at the end of a step."""
        frame = IDENTITY._replace(place=self._anchor)
        if self._emitter.space == "local":
            begin, end, _ = self._path
            frame = between(begin, end, step.path_begin + step.path_rate * step.time)
        sight, place = self._looked
        if sight is self.sight and place == frame:
            return
        self._looked = self.sight, frame
        rows = bytes(160) if self.sight is None else self.sight.rows(frame).tobytes()
        first = self.block.offsets["u_depth"]
        self._data[first : first + 160] = rows

    def release(self) -> None:
        """Free all GL objects and give the programs back."""
        for name in ("state", "_births", "_tables", "buffer", "deaths", "history"):
            resource = getattr(self, name, None)
            if resource is not None:
                resource.release()
        self._held.release()

    def _complete(self, program: Program | None, rest: Pass | None) -> None:
        """Have another program run after one whose outputs do not suffice."""
        if program is not None and rest is not None:
            self._rest[program] = self._held.acquire(rest)

    def bind_uniforms(self) -> None:
        """Bind the uniform buffer as it is after the last step, with the newest values."""
        if self._stale:
            self._write_uniforms()
        else:
            gl = self._guard.gl
            gl.BindBufferBase(gl.UNIFORM_BUFFER, 0, self.buffer.glo)

    def _write_uniforms(self) -> None:
        gl = self._guard.gl
        self.buffer.mglo.write(self._data, 0)
        self._stale = False
        gl.BindBufferBase(gl.UNIFORM_BUFFER, 0, self.buffer.glo)

    def _new_state(self, capacity: int) -> State:
        gl, blended = self._guard.gl, self._blend is not None
        return State(
            self._ctx,
            gl,
            capacity,
            self._row,
            pooled=self._pooled,
            blended=blended,
            trailed=self.history is not None,
            keeps=self._keeps,
        )

    def _set_state(self, state: State, came_from: NDArray[np.int64] | None = None) -> None:
        self.state = state
        if self.history is not None:
            self.history.fit(state, came_from)
        self.block.pack(self._data, "u_rows", (float(state.height),))
        self.block.pack(self._data, "u_columns", (float(state.width),))
        self.block.pack(self._data, "u_row_slots", (float(min(state.width, QUADS)),))
        # Births a pass: a sixteenth of the slots at the most, as three quarters of a power of two,
        # since the mask and the records together fill a texture whose height is one.
        sixteenth = 1 << max(0, (state.width * state.height >> 4).bit_length() - 1)
        self._chunk = min(_LARGEST_CHUNK, max(_LEAST_CHUNK, sixteenth * 3 // 4))

    def _bear(self, state: State, births: Births) -> None:
        slots, records, admitted, instances, fractions, given = births
        program = self._birth
        texels = 1
        if instances is not None or fractions is not None:
            texels = 2
            records = _with_more(records, len(slots), instances, fractions)
        if given is not None:
            program = self.take_given()
            begin, _, anchor = self._path
            local = self._emitter.space == "local"
            rows_given = placed(given, begin, anchor, local=local).view(np.uint32)
            both = np.hstack([np.asarray(records).reshape(len(slots), -1), rows_given])
            texels += rows_given.shape[1] // 4
            records = both.reshape(-1, 4)
        count, chunk = len(slots), self._chunk
        part, data, admit_once = slots, records, -1
        for first in range(0, count, chunk):
            if count > chunk:
                assert not isinstance(records, bytes)
                part = slots[first : first + chunk]
                data = records[texels * first : texels * (first + len(part))]
            in_use = part[-1] < admitted * self._row  # else slots are to be marked dead
            if in_use and part[-1] - part[0] > _SCATTERED * len(part):
                self._birth_pass(state, program, 4, len(part), 0, _packed(part), data)
            else:
                rows, packed = pack_mask(part, self._row, admitted, admit_once)
                self._birth_pass(state, program, 0, rows, self._row // 32 + 1, packed, data)
                admit_once = int(part[-1]) // self._row

    def _forget(self, state: State, rows: int) -> None:
        """Mark every slot of the first rows dead: a mask without births that admits them all."""
        words = self._row // 32
        packed = np.zeros((rows, words + 1, 2), np.uint32)
        packed[:, words, 0] = np.arange(rows)
        packed[:, words, 1] = 1
        self._birth_pass(state, self._birth, 0, rows, words + 1, packed, b"")

    @property
    def takes_given(self) -> bool:
        """Whether `take_given` has compiled it."""
        return self._birth_given is not None

    def take_given(self) -> Program:
        """What writes newborns of whom a host gives something: compiled at the first use."""
        if self._birth_given is None:
            given = self._held.acquire(self._compose_given())
            if self._rest:
                self._complete(given, self._compose_given_rest())
            self._birth_given = given
        return self._birth_given

    def _birth_pass(
        self,
        state: State,
        program: Program,
        vertex: int,
        quads: int,
        entries: int,
        packed: bytes | NDArray[np.uint32],
        records: bytes | NDArray[np.uint32],
    ) -> None:
        """Upload where births are and their records, and write what they say; see birth.vert.

        Args:
            state: Where to.
            program: What writes them.
            vertex: The first vertex: which way it is said where they are.
            quads: How many rows, or slots.
            entries: Entries of a row of the mask.
            packed: The mask or the slots.
            records: Texels for each birth.
        """
        places, data = _raw(packed), _raw(records)
        padding = -len(places) % 16
        first = 1 + (len(places) + padding) // 16
        count = first + len(data) // 16
        width = 64 if self._row < 1024 else 1024
        height = -(-count // width)
        parts = [_pack_header(first, entries, 0, 0), places, bytes(padding), data]
        if height > 1:
            parts.append(bytes(16 * (height * width - count)))
        texture = self._births
        if texture is None or texture.height < height:
            texture = self._births = _scratch(self._ctx, texture, width, height)
        # Straight to the extension: a game has hundreds of small emitters.
        texture.mglo.write(b"".join(parts), (0, 0, min(count, width), height), 0, 1)
        self._guard.target(state.birth_target, state.width, state.height)
        texture.mglo.use(_BIRTHS_UNIT)
        if self.instances is not None:
            self.instances.use(_INSTANCES_UNIT)
        strip = moderngl.TRIANGLE_STRIP
        program.vertex_array.render(strip, 4, first=vertex, instances=quads)
        if self._rest:
            self._bear_rest(state, program, vertex, quads)

    def _bear_rest(self, state: State, program: Program, vertex: int, quads: int) -> None:
        """Write of newborns what did not fit into the pass before."""
        self._guard.target(state.birth_rest, state.width, state.height)
        strip = moderngl.TRIANGLE_STRIP
        self._rest[program].vertex_array.render(strip, 4, first=vertex, instances=quads)

    def _pack_constants(self, clock: Clock) -> None:
        emitter = self._emitter
        pack, data = self.block.pack, self._data
        pack(data, "u_tick", (clock.tick,))
        pack(data, "u_ticks", (clock.per_second,))
        # What a parameter drives is in the text, and has a value, even where it is not in use.
        known = self.block.offsets
        for drawn in draws(emitter, every=True):
            if not isinstance(drawn.value, Curve) and f"u_{drawn.name}" in known:
                pack(data, f"u_{drawn.name}", drawn.pair, drawn.axis or 0)
        spread = min(emitter.spread + emitter.shape.spread, 180.0)
        pack(data, "u_spread", (math.radians(spread),))
        if not isinstance(emitter.color, Gradient):
            pack(data, "u_birth_color", emitter.color)
        if "u_direction" in known:
            pack(data, "u_direction", _unit(emitter.direction))
        for name in ("fade_in", "fade_out"):
            if f"u_{name}" in known:
                pack(data, f"u_{name}", (1.0 / max(getattr(emitter, name), 1.0 / _LARGEST),))
        if "u_speed_range" in known:
            low, high = emitter.speed_range
            pack(data, "u_speed_range", (low, 1.0 / max(high - low, 1.0 / _LARGEST)))
        pack(data, "u_shape_offset", emitter.shape.offset)
        pack(data, "u_shape_scale", emitter.shape.scale)
        if isinstance(emitter.shape, Arced):
            pack(data, "u_shape_arc", (emitter.shape.arc / 360.0, float(emitter.shape.phased)))
        places = shape_places(type(emitter.shape))
        rows = 0
        for (info, row, column), value in zip(places, emitter.shape.values(), strict=True):
            values = value if isinstance(value, tuple) else (value,)
            if isinstance(info.rule, Table):
                values = (float(rows), values[1])
                rows += int(values[1])
            offset = self.block.offsets["u_shape"] + 16 * row + 4 * column
            struct.pack_into(f"<{len(values)}f", data, offset, *values)
        self._pack_sprite(emitter.look)
        for member, uniform in zip(
            own_members(emitter.process),
            () if emitter.process is None else emitter.process.uniforms,
            strict=True,
        ):
            pack(data, member.name, uniform.values)
        if emitter.model is not None:
            pack(data, "u_model_scale", emitter.model.scale)
            if not isinstance(emitter.model.axis, str):
                pack(data, "u_model_axis", _unit(emitter.model.axis))
        stops = _Stops(self.block.offsets["u_stops"], data)
        for name, row, curve in curves(emitter, self.block):
            pack(data, name, stops.add(curve), row)
        for index, modifier in enumerate(self._modifiers):
            rows = self._pack_modifier(index, modifier, stops, rows)

    def _pack_sprite(self, sprite: Sprite) -> None:
        pack, data, flipbook = self.block.pack, self._data, sprite.flipbook
        pack(data, "u_additive", (sprite.additive,))
        if flipbook is None:
            pack(data, "u_flipbook", (1, 1, 1, 1.0))
        else:
            rate = flipbook.speed if flipbook.fps is None else flipbook.fps
            count = flipbook.frame_count
            pack(data, "u_flipbook", (flipbook.columns, flipbook.rows, count, rate))
            pack(data, "u_flipbook_loop", (float(flipbook.loop is True),))
            pack(data, "u_flipbook_random", (count if flipbook.start == "random" else 0.0,))
        values: dict[str, tuple[float, ...]] = {
            "u_pivot": sprite.pivot,
            "u_length": (sprite.shortest, _LARGEST if sprite.longest is None else sprite.longest),
            "u_softness": (sprite.softness,),
        }
        if sprite.near_fade is not None:
            begin, end = sprite.near_fade
            values["u_near_fade"] = (begin, 1.0 / max(end - begin, 1.0 / _LARGEST))
        if sprite.far_fade is not None:
            begin, end = sprite.far_fade
            values["u_far_fade"] = (end, 1.0 / max(end - begin, 1.0 / _LARGEST))
        if sprite.alpha_clip is not None:
            values["u_alpha_clip"] = (sprite.alpha_clip,)
        for uniform in () if sprite.shader is None else sprite.shader.uniforms:
            values[f"u_own_{uniform.name}"] = uniform.values
        if sprite.lit is not None:
            values["u_lit"] = (sprite.lit.wrap, sprite.lit.transmission)
        for name, value in values.items():
            if name in self.block.offsets:
                pack(data, name, value)

    def _pack_modifier(self, index: int, modifier: Modifier, stops: _Stops, rows: int) -> int:
        """Pack a modifier's fields, given the rows of tables before it; returns those after it."""
        pack, data = self.block.pack, self._data
        stem = f"u_{modifier.kind}{index}"
        for info, value in zip(fields_of(type(modifier)), modifier.values(), strict=True):
            values = value if isinstance(value, tuple) else (value,)
            if isinstance(info.rule, Table):
                values = (float(rows), values[1])
                rows += int(values[1])
            pack(data, f"{stem}_{info.name}", values)
        # A variation that a parameter drives may be 0 for now.
        if isinstance(modifier, Scaled) and f"{stem}_variation" in self.block.offsets:
            pack(data, f"{stem}_variation", (modifier.variation,))
        if isinstance(modifier, Collision):
            surface = (modifier.restitution, modifier.friction, modifier.lifetime_loss)
            pack(data, f"{stem}_surface", (*surface, modifier.particle_radius))
            if f"{stem}_radius_factor" in self.block.offsets:
                pack(data, f"{stem}_radius_factor", (modifier.radius_factor,))
        curve = over_life(modifier)
        if curve is not None:
            pack(data, f"{stem}_over_life", stops.add(curve))
        return rows

    def _carry(self, first: float, length: float) -> None:
        """Pack what lies in another frame, which turns, for a part of the emitter's path.

        It runs along arcs. The lines that stand for them are right in the middle, where a step's
        forces act, or at the end, where its constraints do; from end to end they would cut the
        corner, and so shorten directions.
        """
        begin, end, anchor = self._path
        middle = first + 0.5 * length
        places = [between(begin, end, f) for f in (first, middle, first + length)]
        pack, data = self.block.pack, self._data
        for name, value, role, at_end in self._carried:
            (ax, ay, az), (x, y, z), (bx, by, bz) = (
                self._framed(value, role, place, anchor) for place in places
            )
            dx, dy, dz = (bx - ax) / length, (by - ay) / length, (bz - az) / length
            at = middle
            if at_end:
                x, y, z, at = bx, by, bz, first + length
            pack(data, name, (x - dx * at, y - dy * at, z - dz * at))
            pack(data, f"{name}_delta", (dx, dy, dz))

    def _framed(self, value: Vec3, role: str, place: Place, anchor: Vec3) -> Vec3:
        """A point or direction of another frame, where the particles are."""
        point = role == "point"
        if self._emitter.space == "world":
            turned = rotate(place.turn, value)
            return plus(turned, _minus(place.place, anchor)) if point else turned
        away = _minus(value, _minus(place.place, self.origin)) if point else value
        return rotate(conjugate(place.turn), away)


def _carried(
    emitter: Emitter, modifiers: Sequence[Modifier]
) -> Iterator[tuple[str, Vec3, str, bool]]:
    for index, modifier in enumerate(modifiers):
        if moving(modifier, emitter) and not modifier.framed:
            for info, value in zip(fields_of(type(modifier)), modifier.values(), strict=True):
                if info.role is not None:
                    assert isinstance(value, tuple)
                    x, y, z = value
                    at_end = isinstance(modifier, Constraint)
                    yield f"u_{modifier.kind}{index}_{info.name}", (x, y, z), info.role, at_end


def _anchored(
    emitter: Emitter, modifiers: Sequence[Modifier], *, pooled: bool
) -> Iterator[tuple[str, Vec3]]:
    for index, modifier in enumerate(modifiers):
        carried = moving(modifier, emitter) and not modifier.framed and not pooled
        if getattr(modifier, "space", None) == "world" and not carried:
            for info in fields_of(type(modifier)):
                if info.role == "point":
                    yield f"u_{modifier.kind}{index}_{info.name}", getattr(modifier, info.name)


class _Stops:
    """Packs curves one after the other into the rows of u_stops."""

    def __init__(self, offset: int, data: bytearray) -> None:
        self._offset = offset
        self._data = data
        self._row = 0

    def add(self, curve: Curve | Gradient) -> tuple[float, float]:
        """Pack one curve; returns its span: first row and number of segments."""
        segments = curve.segments()
        rows_each = 3 if isinstance(curve, Gradient) else 1
        first = self._row
        raw = segments.astype("<f4").tobytes()
        begin = self._offset + 16 * first
        self._data[begin : begin + len(raw)] = raw
        self._row += len(segments)
        count = len(segments) // rows_each
        return float(first), count + (0.5 if curve.interpolation == "smooth" else 0.0)


def _table_texture(
    ctx: moderngl.Context, rows: list[NDArray[np.float32]]
) -> moderngl.Texture | None:
    count = sum(map(len, rows))
    if not count:
        return None
    height = -(-count // _TABLES_WIDTH)
    data = np.zeros((height * _TABLES_WIDTH, 4), np.float32)
    np.concatenate(rows, out=data[:count])
    texture = ctx.texture((_TABLES_WIDTH, height), 4, data, dtype="f4")
    texture.filter = (moderngl.NEAREST, moderngl.NEAREST)
    return texture


def _raw(data: bytes | NDArray[np.uint32]) -> bytes | memoryview:
    return data if isinstance(data, bytes) else data.data.cast("B")


def _packed(slots: list[int] | NDArray[np.int64]) -> bytes | NDArray[np.uint32]:
    if isinstance(slots, list):
        return struct.pack(f"{len(slots)}I", *slots)
    return slots.astype(np.uint32)


def _scratch(
    ctx: moderngl.Context, old: moderngl.Texture | None, width: int, rows: int
) -> moderngl.Texture:
    """A larger texture for uploads, by doubling."""
    height = 1 << (rows - 1).bit_length()
    if old is not None:
        old.release()
    texture = ctx.texture((width, height), 4, dtype="u4")
    texture.filter = (moderngl.NEAREST, moderngl.NEAREST)
    return texture


def _with_more(
    records: bytes | NDArray[np.uint32],
    count: int,
    instances: NDArray[np.uint32] | None,
    fractions: NDArray[np.float32] | None,
) -> NDArray[np.uint32]:
    """Two texels a birth: its record; and whose it is, and how far the loop has come."""
    array = (
        np.frombuffer(records, np.uint32).reshape(-1, 4) if isinstance(records, bytes) else records
    )
    both = np.zeros((2 * count, 4), np.uint32)
    both[0::2] = array
    if instances is not None:
        both[1::2, 0] = instances
    if fractions is not None:
        both[1::2, 1] = fractions.view(np.uint32)
    return both


def _unit(vector: tuple[float, ...] | str) -> list[float]:
    assert not isinstance(vector, str)
    length = math.hypot(*vector)
    return [component / length for component in vector]


def _minus(a: Vec3, b: Vec3) -> Vec3:
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])
