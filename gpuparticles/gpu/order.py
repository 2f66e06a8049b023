"""Sorts an emitter's particles on the GPU, for drawing."""

from __future__ import annotations

import struct

import moderngl

from gpuparticles.gpu.guard import Guard
from gpuparticles.gpu.programs import UNITS, Held
from gpuparticles.gpu.simulate import Simulation
from gpuparticles.gpu.state import State, render_target, state_texture
from gpuparticles.shaders import OrderText
from gpuparticles.shaders.layout import INSTANCE, LIFETIME_SEED, Channel

__all__ = ["Order"]

_pack_runs = struct.Struct("<4i").pack

# What runs.frag sorts at first, and the distance of the cuts in entries.glsl.
_FIRST_RUN = 8
_CUT = 16

_ENTRY = Channel("entry", "u4", 2, (("key", "x"), ("slot", "y")))
_CUTS = Channel("cut", "u4", 1, (("low", "x"),))


class Order:
    """In which order an emitter's particles are drawn.

    A merge sort of the slots in use. An entry, a key and a slot, is a texel; each pass merges runs
    that are sorted already two by two, and a pass over a sixteenth of the texels before it finds
    where it cuts them: log2(n / 8) times both. (A bitonic network has a quarter of log2(n)^2
    passes even where it takes three comparisons in one.) Keys are whole numbers, so whatever the
    floats are, each slot comes out once; of equal keys the lower slot comes first.

    Args:
        ctx: The context.
        guard: Its guard.
        simulation: Whose particles.
        text: What is composed for it.
        depth: They are sorted along the view, not by age.

    Attributes:
        depth: Whether it is so.
    """

    def __init__(
        self,
        ctx: moderngl.Context,
        guard: Guard,
        simulation: Simulation,
        text: OrderText,
        *,
        depth: bool,
    ) -> None:
        self.depth = depth
        self._ctx = ctx
        self._guard = guard
        self._simulation = simulation
        self._names = [LIFETIME_SEED.name]
        if simulation.instances is not None:
            self._names.append(INSTANCE.name)
        self._sorted: tuple[int, int, bytes] | None = None
        self._textures: list[moderngl.Texture] = []
        self._targets: list[moderngl.Framebuffer] = []
        held = self._held = Held(ctx)
        try:
            self._key, self._runs, self._cut, self._merge, self._last = map(held.acquire, text)
        except BaseException:
            self.release()
            raise

    @property
    def nbytes(self) -> int:
        """GPU memory of the textures."""
        return sum(4 * t.components * t.width * t.height for t in self._textures)

    def stale(self, axis: bytes) -> bool:
        """Whether it is to be sorted before it is drawn again.

        Args:
            axis: Packed direction towards the eye, where particles live. By age it does not matter.
        """
        return bool(self._simulation.rows) and self._sorted != self._state(axis)

    def sort(self, axis: bytes) -> None:
        """Sort, inside the guard and while simulating.

        Args:
            axis: As for `stale`.
        """
        simulation, guard = self._simulation, self._guard
        state, rows = simulation.state, simulation.rows
        assert state is not None
        width = state.width
        self._reserve(state, rows)
        *entries, cuts = self._textures
        *targets, cut_target = (target.glo for target in self._targets)
        state.bind_seen(tuple(self._names))
        if simulation.instances is not None:
            simulation.instances.use(UNITS["u_instances"])
        if self.depth:
            self._key.write("u_axis", axis)
        guard.target(targets[0], width, rows)
        self._key.vertex_array.render(moderngl.TRIANGLES, 3)
        entries[0].use(UNITS["u_entries"])
        guard.target(targets[1], width, rows)
        self._runs.vertex_array.render(moderngl.TRIANGLES, 3)
        side, run, count = 1, _FIRST_RUN, rows * width
        while run < count:
            runs = _pack_runs(run, count, width - 1, width.bit_length() - 1)
            merge = self._merge if 2 * run < count else self._last
            entries[side].use(UNITS["u_entries"])
            guard.target(cut_target, width // _CUT, rows)
            self._cut.write("u_runs", runs)
            self._cut.vertex_array.render(moderngl.TRIANGLES, 3)
            cuts.use(UNITS["u_cuts"])
            side = 1 - side
            guard.target(targets[side], width, rows)
            merge.write("u_runs", runs)
            merge.vertex_array.render(moderngl.TRIANGLES, 3)
            run *= 2
        self._side = side
        self._sorted = self._state(axis)

    def bind(self) -> None:
        """Bind what was sorted last to its texture unit."""
        self._textures[self._side].use(UNITS["u_order"])

    def release(self) -> None:
        """Free the GL objects and give the programs back."""
        self._free()
        self._held.release()

    def _state(self, axis: bytes) -> tuple[int, int, bytes]:
        """All that the order depends on."""
        simulation = self._simulation
        return simulation.changes, simulation.rows, axis if self.depth else b""

    def _reserve(self, state: State, rows: int) -> None:
        """Have textures for so many rows, by doubling: they follow what lives, not the capacity."""
        width = state.width
        if self._textures:
            texture = self._textures[0]
            if texture.width == width and texture.height >= rows:
                return
            self._free()
        height = min(1 << (rows - 1).bit_length(), state.height)
        ctx, gl = self._ctx, self._guard.gl
        for size, channel in (
            ((width, height), _ENTRY),
            ((width, height), _ENTRY),
            ((width // _CUT, height), _CUTS),
        ):
            self._textures.append(state_texture(ctx, size, channel))
            self._targets.append(render_target(ctx, gl, self._textures[-1:]))

    def _free(self) -> None:
        while self._targets:
            self._targets.pop().release()
        while self._textures:
            self._textures.pop().release()
