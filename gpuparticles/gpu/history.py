"""Where an emitter's particles have been, for their trails."""

from __future__ import annotations

import struct

import moderngl
import numpy as np
from numpy.typing import NDArray

from gpuparticles.effect.trail import Trail
from gpuparticles.errors import ContextError
from gpuparticles.gpu.guard import Guard
from gpuparticles.gpu.programs import UNITS, Held, Program
from gpuparticles.gpu.state import State, render_target, state_texture
from gpuparticles.playback.clock import Clock
from gpuparticles.playback.marks import COUNTED, Marks
from gpuparticles.playback.player import Step
from gpuparticles.playback.poses import Poses
from gpuparticles.shaders import TrailText
from gpuparticles.shaders.layout import ORIGIN
from gpuparticles.shaders.trails import HISTORY

__all__ = ["History", "check_history"]

_pack_lines = struct.Struct("<3i").pack
_pack_marks = struct.Struct("<I2i").pack
_pack_plane = struct.Struct("<2i").pack
_pack_mark = struct.Struct("<Ii").pack
_pack_int = struct.Struct("<i").pack
_pack_times = struct.Struct("<3f").pack
_pack_float = struct.Struct("<f").pack


def check_history(ctx: moderngl.Context, height: int, planes: int, where: str) -> None:
    """See that the marks of so many rows of slots fit into a texture; moderngl would not say.

    Raises:
        ContextError: They do not.
    """
    limit = int(ctx.info["GL_MAX_TEXTURE_SIZE"])
    if height * planes > limit:
        raise ContextError(
            f"{where}: trail.segments: {planes} points for each of so many particles do not fit; "
            f"this context's textures hold {limit // height} at the most for this capacity"
        )


class History:
    """Where an emitter's particles were at the last marks.

    One texture, RGBA32F: the marks of a row of slots are lines one above the other, so that rows in
    use come first and the texture grows upwards. Which of them are a particle's own follows from
    the channel ORIGIN; nothing else in it is ever looked at.

    All methods want to be called inside the guard.

    Args:
        ctx: The context.
        guard: Its guard.
        trail: What it is for.
        text: What is composed for trails.
        marks: When there is a mark.

    Attributes:
        marks: The same.
    """

    def __init__(
        self, ctx: moderngl.Context, guard: Guard, trail: Trail, text: TrailText, marks: Marks
    ) -> None:
        self.marks = marks
        self._trail = trail
        self._ctx = ctx
        self._guard = guard
        self._texture: moderngl.Texture | None = None
        self._target: moderngl.Framebuffer | None = None
        # What was written at the last mark, where it is looked at: no pass reads what it writes.
        self._kept: moderngl.Texture | None = None
        self._kept_target: moderngl.Framebuffer | None = None
        self._last_points: Program | None = None
        self._poses: moderngl.Texture | None = None
        self._held = Held(ctx)
        try:
            self._record = self._held.acquire(text.record)
            if text.last_points is not None:
                self._last_points = self._held.acquire(text.last_points)
            self._move = self._held.acquire(text.move)
            self._shift = self._held.acquire(text.shift)
            self._shift_origin = self._held.acquire(text.shift_origin)
        except BaseException:
            self.release()
            raise

    @property
    def nbytes(self) -> int:
        """GPU memory."""
        every = (self._texture, self._kept, self._poses)
        textures = [each for each in every if each is not None]
        return sum(HISTORY.nbytes * each.width * each.height for each in textures)

    def describe(self, trail: Trail) -> None:
        """Go on with other values of what parameters may drive."""
        self._trail = trail

    def begin(self, birth: Program, step: Step) -> None:
        """Tell the birth pass where its step lies between the marks."""
        marks = self.marks
        last = marks.last(step.tick)
        passed = step.tick - last * marks.every
        birth.write("u_marks", _pack_marks(last & COUNTED, passed, marks.every))

    def place(self, poses: Poses) -> None:
        """Hold where the emitter was."""
        if self._poses is None:
            self._poses = state_texture(self._ctx, (6, len(poses)), HISTORY)
        self._poses.write(poses.texels())

    def bind_poses(self) -> None:
        """Bind where the emitter was to its texture unit."""
        assert self._poses is not None
        self._poses.use(UNITS["u_poses"])

    def record(self, state: State, step: Step, clock: Clock, poses: Poses | None) -> None:
        """Write down where particles were at the marks of a step that has been carried out.

        Args:
            state: After the step.
            step: The step.
            clock: The emitter's.
            poses: Where the emitter was, if it matters; `place` has had them.
        """
        marks = self.marks
        end = step.tick + round(step.age * clock.per_second)
        due = marks.due(step.tick, end)
        if not due:
            return
        texture, target = self._texture, self._target
        assert texture is not None
        assert target is not None
        state.bind_both()
        program = self._record
        for number in due:
            plane = number % marks.planes
            if self._last_points is not None:
                self._look_back(self._last_points, state, number, step.rows)
                if poses is not None:
                    program.write("u_pose", _pack_int(poses.row(number * marks.every)))
                    spaced = marks.every * clock.tick
                    program.write("u_pose_times", _pack_times(0.0, spaced, 0.0))
                    self.bind_poses()
            self._guard.target(target.glo, texture.width, texture.height)
            program.write("u_lines", _pack_lines(plane, marks.planes, texture.height))
            program.write("u_ago", _pack_float((end - number * marks.every) * clock.tick))
            program.vertex_array.render(moderngl.TRIANGLE_STRIP, 4, instances=step.rows)

    def _look_back(self, program: Program, state: State, number: int, rows: int) -> None:
        """Have the pass that is next know what was written at the mark before its own."""
        assert self._kept is not None
        assert self._kept_target is not None
        planes = self.marks.planes
        program.write("u_plane", _pack_plane((number - 1) % planes, planes))
        self.bind()
        self._guard.target(self._kept_target.glo, state.width, rows)
        program.vertex_array.render(moderngl.TRIANGLES, 3)
        trail, record = self._trail, self._record
        record.write("u_mark", _pack_mark(number & COUNTED, trail.segments))
        record.write("u_min_distance", _pack_float(trail.min_distance))
        state.bind((ORIGIN.name,))
        self._kept.use(UNITS["u_kept"])

    def fit(self, state: State, came_from: NDArray[np.int64] | None = None) -> None:
        """Have room for what the state has; what is kept stays with its particles.

        Args:
            state: The state as it is now.
            came_from: Where everybody was, as Population.set_capacity gives it; None where they
                have stayed in place.
        """
        old, target = self._texture, self._target
        size = (state.width, state.height * self.marks.planes)
        self._texture = state_texture(self._ctx, size, HISTORY)
        self._target = render_target(self._ctx, self._guard.gl, [self._texture])
        if self._last_points is not None:
            for resource in (self._kept_target, self._kept):
                if resource is not None:
                    resource.release()
            self._kept = state_texture(self._ctx, (state.width, state.height), HISTORY)
            self._kept_target = render_target(self._ctx, self._guard.gl, [self._kept])
        if old is None or target is None:
            return
        if came_from is None:
            self._copy(target.glo, self._target.glo, old.width, min(old.height, size[1]))
        elif len(came_from):
            self._gather(old, state.width, came_from)
        target.release()
        old.release()

    def _gather(self, old: moderngl.Texture, width: int, came_from: NDArray[np.int64]) -> None:
        assert self._target is not None
        rows = len(came_from) // width
        table = (came_from + 1).astype(np.uint32)
        moved = self._ctx.texture((width, rows), 1, table, dtype="u4")
        moved.filter = (moderngl.NEAREST, moderngl.NEAREST)
        moved.use(UNITS["u_came_from"])
        old.use(UNITS["u_source"])
        self._move.write("u_planes", struct.pack("<i", self.marks.planes))
        self._guard.target(self._target.glo, width, rows * self.marks.planes)
        self._move.vertex_array.render(moderngl.TRIANGLES, 3)
        moved.release()

    def shift(self, state: State, rows: int, offset: tuple[float, float, float]) -> None:
        """Add an offset to every place; as rare as it is, through a copy."""
        assert self._texture is not None
        moves = (
            (self._shift, self._texture, HISTORY, rows * self.marks.planes),
            (self._shift_origin, state.birth[ORIGIN.name], ORIGIN, rows),
        )
        for program, texture, channel, height in moves:
            copy = state_texture(self._ctx, (texture.width, height), channel)
            target = render_target(self._ctx, self._guard.gl, [copy])
            back = render_target(self._ctx, self._guard.gl, [texture])
            texture.use(UNITS["u_source"])
            program.write("u_offset", struct.pack("<3f", *offset))
            self._guard.target(target.glo, texture.width, height)
            program.vertex_array.render(moderngl.TRIANGLES, 3)
            self._copy(target.glo, back.glo, texture.width, height)
            for thing in (back, target, copy):
                thing.release()

    def _copy(self, source: int, target: int, width: int, height: int) -> None:
        gl = self._guard.gl
        gl.BindFramebuffer(gl.READ_FRAMEBUFFER, source)
        gl.BindFramebuffer(gl.DRAW_FRAMEBUFFER, target)
        box = (0, 0, width, height)
        gl.BlitFramebuffer(*box, *box, gl.COLOR_BUFFER_BIT, gl.NEAREST)

    def read(self, rows: int) -> NDArray[np.uint8]:
        """Fetch what is kept of the first rows."""
        assert self._texture is not None
        return np.frombuffer(self._texture.read(), np.uint8, self._size(rows))

    def fits(self, rows: int, kept: object) -> bool:
        """Whether `write` may have it."""
        return (
            isinstance(kept, np.ndarray)
            and kept.dtype == np.uint8
            and kept.shape == (self._size(rows),)
        )

    def write(self, rows: int, kept: NDArray[np.uint8]) -> None:
        """Put in place what `read` has fetched."""
        assert self._texture is not None
        box = (0, 0, self._texture.width, rows * self.marks.planes)
        self._texture.write(kept.tobytes(), viewport=box)

    def _size(self, rows: int) -> int:
        assert self._texture is not None
        return rows * self.marks.planes * self._texture.width * HISTORY.nbytes

    def bind(self) -> None:
        """Bind it to its texture unit."""
        assert self._texture is not None
        self._texture.use(UNITS["u_history"])

    def free(self) -> None:
        """There are no slots any more."""
        for resource in (self._target, self._texture, self._kept_target, self._kept):
            if resource is not None:
                resource.release()
        self._target = self._texture = self._kept_target = self._kept = None

    def release(self) -> None:
        """Free the GL objects and give the programs back."""
        self.free()
        if self._poses is not None:
            self._poses.release()
        self._held.release()
