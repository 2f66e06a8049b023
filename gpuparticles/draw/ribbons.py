"""Draws the ribbon that links an emitter's particles."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from functools import partial

import moderngl

from gpuparticles.draw.sprites import View, check_alive
from gpuparticles.draw.textures import Sheet, Textures
from gpuparticles.effect.trail import Ribbon
from gpuparticles.gpu.guard import Guard
from gpuparticles.gpu.order import Order
from gpuparticles.gpu.programs import QUADS, UNITS, Program, Programs
from gpuparticles.gpu.simulate import Simulation
from gpuparticles.playback.clock import Clock
from gpuparticles.shaders import RibbonText
from gpuparticles.shaders.layout import BIRTH

__all__ = ["Ribbons"]

_NAMES = tuple(channel.name for channel in BIRTH)
_pack_float = struct.Struct("<f").pack


class Ribbons:
    """The ribbon of one emitter.

    Methods that touch GL want to be called inside the guard.

    Args:
        ctx: The context.
        guard: Its guard.
        simulation: Whose particles.
        ribbon: How it looks.
        text: What is composed for it: what sorts, and what draws.
        textures: Where textures come from.
        where: Names the emitter in errors.
    """

    def __init__(
        self,
        ctx: moderngl.Context,
        guard: Guard,
        simulation: Simulation,
        ribbon: Ribbon,
        text: RibbonText,
        textures: Textures,
        where: str,
    ) -> None:
        self._simulation = simulation
        self._ribbon = ribbon
        self._textures = textures
        self._where = f"{where}: ribbon.texture"
        self._sheet = Sheet(ribbon.texture, ribbon.filter, ribbon.premultiplied)
        self._look = textures.acquire(self._sheet, self._where)
        self._programs = Programs.of(ctx)
        self._compose_cast = text.cast
        self._cast: Program | None = None
        try:
            self._order = Order(ctx, guard, simulation, text.order, depth=False)
            try:
                self._program = self._programs.acquire(text.draw, quads=True)
            except BaseException:
                self._order.release()
                raise
        except BaseException:
            textures.release(self._sheet)
            raise

    @property
    def nbytes(self) -> int:
        """GPU memory of what sorts."""
        return self._order.nbytes

    def unsorted(self) -> Callable[[], None] | None:
        """What has to be called, while simulating, before it can be drawn, if anything."""
        return partial(self._order.sort, b"") if self._order.stale(b"") else None

    def describe(self, ribbon: Ribbon) -> None:
        """Take the values of what is drawn; any that were composed to the same text."""
        self._ribbon = ribbon

    def draw(
        self,
        view: View,
        from_particles: bytes,
        tint: bytes,
        clock: Clock,
        behind: float,
        *,
        cast: bool = False,
    ) -> None:
        """Draw what links the living; arguments as for Trails.draw.

        Raises:
            ContextError: The host has released the texture.
        """
        program = self._program
        if cast:
            if not self._ribbon.casts:
                return
            if self._cast is None:
                self._cast = self._programs.acquire(self._compose_cast(), quads=True)
            program = self._cast
            program.write("u_cutoff", _pack_float(view.cutoff))
        simulation, ribbon = self._simulation, self._ribbon
        rows, state = simulation.rows, simulation.state
        if not rows or state is None:
            return
        texture = self._look.texture
        if texture is not None:
            check_alive(texture, self._where)
        textured = 0 if texture is None else 1 + self._look.straight
        longest = 1e30 if ribbon.longest is None else min(ribbon.longest, 1e30)
        tiles = 0.0 if ribbon.tile is None else 1.0 / ribbon.tile
        # Whole tiles leave no trace, and float32 would lose the parts after some hours.
        passed = math.fmod((clock.now * clock.tick - behind) * tiles, 1.0)
        write = program.write
        write("u_view", from_particles)
        write("u_projection", view.projection)
        write("u_tint", tint)
        write("u_view_scale", _pack_float(view.scale))
        write("u_pixel", _pack_float(view.pixel))
        write("u_entries", struct.pack("<i", rows * state.width))
        write("u_ribbon", struct.pack("<4f", ribbon.width, longest, tiles, passed))
        write("u_surface", struct.pack("<3f", ribbon.additive, textured, bool(tiles)))
        simulation.bind_uniforms()
        state.bind_seen(_NAMES)
        self._order.bind()
        if texture is not None:
            texture.use(UNITS["u_texture"])
        width = min(state.width, QUADS)
        program.vertex_array.render(
            moderngl.TRIANGLES, 6 * width, instances=rows * (state.width // width)
        )

    def release(self) -> None:
        """Give programs and texture back."""
        self._order.release()
        for program in (self._program, self._cast):
            if program is not None:
                self._programs.release(program)
        self._textures.release(self._sheet)
