"""Draws an emitter's particles as instances of a mesh."""

from __future__ import annotations

import struct
from typing import Any

import moderngl

from gpuparticles.draw.sprites import Sprites, View
from gpuparticles.draw.textures import Textures
from gpuparticles.effect.effect import Emitter
from gpuparticles.effect.geometry import Geometry
from gpuparticles.gpu.guard import Guard
from gpuparticles.gpu.programs import Program
from gpuparticles.gpu.simulate import Simulation
from gpuparticles.gpu.state import State
from gpuparticles.shaders import EmitterText

__all__ = ["Meshes", "Models", "drawn"]

# Floats of a vertex, by the attribute that they are.
_ATTRIBUTES = {"in_position": 3, "in_normal": 3, "in_uv": 2, "in_color": 4}


class _Held:
    """A mesh on the GPU, and how many emitters are drawn as it."""

    def __init__(self, ctx: moderngl.Context, mesh: Geometry) -> None:
        vertices, indices = mesh.triangles()
        self.vertices = ctx.buffer(vertices)
        self.indices = ctx.buffer(indices)
        self.users = 0


class Meshes:
    """The meshes of one system, uploaded once however many emitters are drawn as them.

    Args:
        ctx: The context.
    """

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self._held: dict[Geometry, _Held] = {}

    @property
    def nbytes(self) -> int:
        """GPU memory."""
        return sum(held.vertices.size + held.indices.size for held in self._held.values())

    def acquire(self, mesh: Geometry) -> _Held:
        """A mesh; every acquire wants one release."""
        held = self._held.get(mesh)
        if held is None:
            held = self._held[mesh] = _Held(self._ctx, mesh)
        held.users += 1
        return held

    def release(self, mesh: Geometry) -> None:
        """Give a mesh back; the last release frees it."""
        held = self._held[mesh]
        held.users -= 1
        if not held.users:
            held.vertices.release()
            held.indices.release()
            del self._held[mesh]


class Models(Sprites):
    """The models of one emitter: as its sprites, but for what is drawn of each.

    Args:
        ctx: The context.
        guard: Its guard.
        simulation: Whose particles.
        emitter: Has a model.
        text: What is composed for the emitter.
        textures: Where textures come from.
        meshes: Where meshes come from.
        where: Names the emitter in errors.
    """

    def __init__(
        self,
        ctx: moderngl.Context,
        guard: Guard,
        simulation: Simulation,
        emitter: Emitter,
        text: EmitterText,
        textures: Textures,
        meshes: Meshes,
        where: str,
    ) -> None:
        assert emitter.model is not None
        self._ctx = ctx
        self._meshes = meshes
        self._geometry = emitter.model.mesh
        self._arrays: dict[Program, moderngl.VertexArray] = {}
        super().__init__(
            ctx, guard, simulation, emitter.look, text, textures, where, quads=False, field="model"
        )
        self.solid = emitter.model.opaque
        self._mesh = meshes.acquire(self._geometry)

    def _aim(self, program: Program, view: View, plane: bytes) -> None:
        """Say how the view scales distances: a mesh is turned by the particle alone."""
        program.write("u_view_scale", struct.pack("<f", view.scale))

    def _render(self, program: Program, state: State, rows: int) -> None:
        """Draw a mesh for each slot of so many rows."""
        array = self._arrays.get(program)
        if array is None:
            array = self._arrays[program] = self._array(program)
        array.render(moderngl.TRIANGLES, instances=rows * state.width)

    def _array(self, program: Program) -> moderngl.VertexArray:
        """What feeds the mesh to a program, which may not look at all of it."""
        layout, names = [], []
        for name, count in _ATTRIBUTES.items():
            known = name in program.program
            layout.append(f"{count}f" if known else f"{4 * count}x")
            names += [name] if known else []
        content: list[Any] = [(self._mesh.vertices, " ".join(layout), *names)]
        return self._ctx.vertex_array(
            program.program, content, index_buffer=self._mesh.indices, index_element_size=4
        )

    def release(self) -> None:
        """Give program, texture and mesh back."""
        for array in self._arrays.values():
            array.release()
        self._meshes.release(self._geometry)
        super().release()


def drawn(
    ctx: moderngl.Context,
    guard: Guard,
    simulation: Simulation,
    emitter: Emitter,
    text: EmitterText,
    textures: Textures,
    meshes: Meshes,
    where: str,
) -> Sprites:
    """What draws an emitter: its model, if it has one, or else its sprite."""
    if emitter.model is not None:
        return Models(ctx, guard, simulation, emitter, text, textures, meshes, where)
    return Sprites(ctx, guard, simulation, emitter.sprite, text, textures, where)
