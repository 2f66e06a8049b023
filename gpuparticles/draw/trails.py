"""Draws an emitter's trails, pulled straight from its state and its history."""

from __future__ import annotations

import math
import struct

import moderngl

from gpuparticles.draw.sprites import View, check_alive
from gpuparticles.draw.textures import Sheet, Textures
from gpuparticles.effect.trail import Trail
from gpuparticles.gpu.programs import QUADS, UNITS, Program, Programs
from gpuparticles.gpu.simulate import Simulation
from gpuparticles.playback.clock import Clock
from gpuparticles.playback.marks import COUNTED
from gpuparticles.playback.place import Place
from gpuparticles.playback.poses import Poses
from gpuparticles.shaders import TrailText
from gpuparticles.shaders.layout import BIRTH, ORIGIN

__all__ = ["Trails"]

_NAMES = (*(channel.name for channel in BIRTH), ORIGIN.name)
_pack_floats = {count: struct.Struct(f"<{count}f").pack for count in (1, 3, 4)}
_pack_quads = struct.Struct("<3i").pack
_pack_marks = struct.Struct("<I3i").pack


class Trails:
    """The trails of one emitter.

    Methods that touch GL want to be called inside the guard.

    Args:
        ctx: The context.
        simulation: Whose particles; it has a history.
        trail: How they look.
        text: What is composed for them.
        textures: Where textures come from.
        where: Names the emitter in errors.
    """

    def __init__(
        self,
        ctx: moderngl.Context,
        simulation: Simulation,
        trail: Trail,
        text: TrailText,
        textures: Textures,
        where: str,
    ) -> None:
        self._simulation = simulation
        self._trail = trail
        self._textures = textures
        self._where = f"{where}: trail.texture"
        self._sheet = Sheet(trail.texture, trail.filter, trail.premultiplied)
        self._look = textures.acquire(self._sheet, self._where)
        self._programs = Programs.of(ctx)
        self._compose_cast = text.cast
        self._cast: Program | None = None
        try:
            self._program = self._programs.acquire(text.draw, quads=True)
        except BaseException:
            textures.release(self._sheet)
            raise

    def describe(self, trail: Trail) -> None:
        """Take the values of what is drawn; any that were composed to the same text."""
        self._trail = trail

    def draw(
        self,
        view: View,
        from_particles: bytes,
        tint: bytes,
        clock: Clock,
        behind: float,
        place: Place,
        *,
        cast: bool = False,
    ) -> None:
        """Draw what there is of trails.

        Args:
            view: The camera.
            from_particles: Packed matrix from where positions are to the view.
            tint: Packed straight RGBA.
            clock: The emitter's, after its last step.
            behind: By how many seconds what is seen lies before that.
            place: Where the emitter is now.
            cast: Draw the depth of what covers, and nothing else.

        Raises:
            ContextError: The host has released the texture.
        """
        program = self._program
        if cast:
            if not self._trail.casts:
                return
            if self._cast is None:
                self._cast = self._programs.acquire(self._compose_cast(), quads=True)
            program = self._cast
            program.write("u_cutoff", _pack_floats[1](view.cutoff))
        simulation, trail = self._simulation, self._trail
        state, history = simulation.state, simulation.history
        if not simulation.rows or state is None or history is None:
            return
        texture = self._look.texture
        if texture is not None:
            check_alive(texture, self._where)
        marks = history.marks
        last = marks.last(clock.now)
        since = (clock.now - last * marks.every) * clock.tick - behind
        slots = simulation.rows * state.width
        pieces = trail.segments + 1
        each = QUADS // pieces
        textured = 0 if texture is None else 1 + self._look.straight
        write = program.write
        if simulation.poses is not None:
            from_particles = self._place(program, simulation.poses, view, clock, behind, place)
            history.bind_poses()
        write("u_view", from_particles)
        write("u_projection", view.projection)
        write("u_tint", tint)
        write("u_view_scale", _pack_floats[1](view.scale))
        write("u_pixel", _pack_floats[1](view.pixel))
        plane = last % marks.planes
        write("u_marks", _pack_marks(last & COUNTED, plane, marks.planes, marks.every))
        write("u_quads", _pack_quads(pieces, each, slots))
        spaced = marks.every * clock.tick
        write("u_times", _pack_floats[4](since, spaced, trail.lifetime, trail.lingers))
        longest = math.inf if trail.longest is None else trail.longest
        tiles = 0.0 if trail.tile is None else 1.0 / trail.tile
        write("u_ribbon", _pack_floats[3](trail.width, min(longest, 1e30), tiles))
        write("u_surface", _pack_floats[3](trail.additive, textured, bool(tiles)))
        simulation.bind_uniforms()
        state.bind_seen(_NAMES)
        history.bind()
        if texture is not None:
            texture.use(UNITS["u_texture"])
        program.vertex_array.render(
            moderngl.TRIANGLES, 6 * each * pieces, instances=-(-slots // each)
        )

    def _place(
        self,
        program: Program,
        poses: Poses,
        view: View,
        clock: Clock,
        behind: float,
        place: Place,
    ) -> bytes:
        """Say where the emitter was, and is; gives the view from what points are relative to."""
        history, write = self._simulation.history, program.write
        assert history is not None
        marks = history.marks
        passed = (clock.now - marks.last(clock.now) * marks.every) * clock.tick
        times = passed - behind, marks.every * clock.tick, passed
        here = (now - then for now, then in zip(place.place, poses.reference, strict=True))
        write("u_pose", struct.pack("<i", poses.row(clock.now)))
        write("u_pose_times", _pack_floats[3](*times))
        write("u_now_place", _pack_floats[3](*here))
        write("u_now_turn", _pack_floats[4](*place.turn))
        return view.at(poses.reference)

    def release(self) -> None:
        """Give program and texture back."""
        for program in (self._program, self._cast):
            if program is not None:
                self._programs.release(program)
        self._textures.release(self._sheet)
