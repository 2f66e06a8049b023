"""Compiled programs, shared by everything in a context whose finished text agrees, and counted."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import ClassVar
from weakref import WeakKeyDictionary, ref

import moderngl
import numpy as np

from gpuparticles.gpu.gl import GL, MOST_UNITS, TEXTURE_UNITS
from gpuparticles.shaders import Pass, Source, diagnose
from gpuparticles.shaders.layout import BIRTH, INSTANCE, OWN, STATE

__all__ = ["QUADS", "STEP_UNITS", "UNITS", "Held", "Program", "Programs"]

#: Quads in the index buffer of a program that draws quads: as many as 16-bit indices allow within
#: a round number.
QUADS = 1024

#: The texture unit of each sampler. A birth pass reads no state, so it uses the same units.
UNITS = {
    **{f"u_{c.name}": unit for unit, c in enumerate((*STATE, *BIRTH, INSTANCE))},
    "u_births": 0,
    "u_source": 0,
    # Of trails, which pools do not have and nothing sorts.
    "u_origin": len(STATE) + len(BIRTH),
    "u_history": 6,
    # Of what the author's own code keeps, which pools do not have, nor is it looked at in passes
    # that look at an order, trails or an instance.
    "u_custom": 6,
    "u_user": len(STATE) + len(BIRTH),
    **{f"u_{c.name}": TEXTURE_UNITS + number for number, c in enumerate(OWN[2:])},
    "u_entries": 0,
    "u_slots": 2,
    "u_layer": 0,
    "u_under": 1,
    "u_scene": 2,
    "u_mask": 3,
    "u_weighed": 0,
    "u_cover": 1,
    "u_cuts": 1,
    "u_came_from": 1,
    # Of a sprite pass that is sorted: the order tells in a pool whose a particle is.
    "u_order": len(STATE) + len(BIRTH),
    "u_instances": 6,
    "u_texture": 7,
    # Of what writes a history down, which draws nothing.
    "u_kept": 7,
    # The depth of what the host has drawn.
    "u_scene_depth": 8,
    "u_normals": 9,
    # Of trails, on which no light falls.
    "u_poses": 9,
    # Of birth and update, which draw nothing.
    "u_tables": 7,
    # Of what is blended, which looks at nothing of birth but lifetimes.
    **{f"u_before_{c.name}": 3 + unit for unit, c in enumerate(STATE)},
}
assert max(UNITS.values()) < MOST_UNITS

#: The first texture units, which are all that most steps need: state, lifetimes, sizes.
STEP_UNITS = UNITS["u_attributes"] + 1


_LOG = 1 << 14  # bytes of a driver's log that are read


class Program:
    """One compiled program and the vertex array that runs it.

    Attributes:
        program: The moderngl program.
        vertex_array: Without attributes: vertices are pulled by number.
        units: Texture units that it looks at, counted from the first.
        nbytes: GPU memory of its index buffer.
    """

    def __init__(
        self, ctx: moderngl.Context, vertex: Source, fragment: Source, *, quads: bool
    ) -> None:
        if any(line.own for line in fragment.lines):
            _try(ctx, vertex, fragment)
        try:
            self.program = ctx.program(vertex_shader=vertex.text, fragment_shader=fragment.text)
        except moderngl.Error as error:
            raise diagnose(str(error), vertex, fragment) from error
        self.units = 0
        for name, unit in UNITS.items():
            if name in self.program:
                self.program[name] = unit
                self.units = max(self.units, unit + 1)
        if "Emitter" in self.program:
            block = self.program["Emitter"]
            assert isinstance(block, moderngl.UniformBlock)
            block.binding = 0
        self._indices = ctx.buffer(_quad_indices()) if quads else None
        self.nbytes = self._indices.size if self._indices is not None else 0
        self.vertex_array = ctx.vertex_array(
            self.program, [], index_buffer=self._indices, index_element_size=2 if quads else 4
        )
        self.users = 0
        self._uniforms: dict[str, moderngl.Uniform | None] = {}
        self._written: dict[str, bytes] = {}

    def write(self, name: str, value: bytes) -> None:
        """Set a uniform, unless it has that value already.

        Drivers leave out what a text does not use: an author's own look may ignore the tint.
        """
        if self._written.get(name) == value:
            return
        if name not in self._uniforms:
            member = self.program.get(name, None)
            assert member is None or isinstance(member, moderngl.Uniform)
            self._uniforms[name] = member
        uniform = self._uniforms[name]
        if uniform is not None:
            uniform.write(value)
        self._written[name] = value

    def release(self) -> None:
        """Free the GL objects."""
        self.vertex_array.release()
        if self._indices is not None:
            self._indices.release()
        self.program.release()


class Programs:
    """The programs of one context, keyed by finished text; ``of(ctx)`` finds them."""

    _of: ClassVar[WeakKeyDictionary[moderngl.Context, Programs]] = WeakKeyDictionary()

    def __init__(self, ctx: moderngl.Context) -> None:
        # Weakly: while a program lives it holds its context; without any the context may go.
        self._ctx = ref(ctx)
        self._programs: dict[tuple[str, str], Program] = {}

    @classmethod
    def of(cls, ctx: moderngl.Context) -> Programs:
        """The programs of a context, the same object for everybody."""
        found = cls._of.get(ctx)
        if found is None:
            found = cls._of[ctx] = cls(ctx)
        return found

    def __len__(self) -> int:
        return len(self._programs)

    def acquire(self, text: Pass, *, quads: bool = False) -> Program:
        """The program of a vertex and a fragment text, compiled at first use.

        Every acquire wants one release.

        Raises:
            ShaderError: The driver refuses it.
        """
        vertex, fragment = text
        key = (vertex.text, fragment.text)
        program = self._programs.get(key)
        if program is None:
            ctx = self._ctx()
            assert ctx is not None
            program = self._programs[key] = Program(ctx, vertex, fragment, quads=quads)
        program.users += 1
        return program

    def release(self, program: Program) -> None:
        """Give a program back; the last release deletes it."""
        program.users -= 1
        if program.users:
            return
        key = next(key for key, value in self._programs.items() if value is program)
        del self._programs[key]
        program.release()


class Held:
    """Programs of one owner, which are given back together."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self._of = Programs.of(ctx)
        self._programs: list[Program] = []

    def __iter__(self) -> Iterator[Program]:
        return iter(self._programs)

    def acquire(self, text: Pass) -> Program:
        """The program of a text, as of `Programs`."""
        program = self._of.acquire(text)
        self._programs.append(program)
        return program

    def release(self) -> None:
        """Give all of them back."""
        while self._programs:
            self._of.release(self._programs.pop())


def _try(ctx: moderngl.Context, vertex: Source, fragment: Source) -> None:
    """Compile an author's text, and leave nothing behind if it is wrong, as moderngl would.

    Raises:
        ShaderError: The driver refuses it.
    """
    gl = GL(ctx)
    text = fragment.text.encode()
    shader = gl.CreateShader(gl.FRAGMENT_SHADER)
    try:
        strings = (ctypes.c_char_p * 1)(text)
        gl.ShaderSource(shader, 1, strings, (ctypes.c_int * 1)(len(text)))
        gl.CompileShader(shader)
        answer = (ctypes.c_int * 1)()
        gl.GetShaderiv(shader, gl.COMPILE_STATUS, answer)
        if not answer[0]:
            log = ctypes.create_string_buffer(_LOG)
            gl.GetShaderInfoLog(shader, _LOG, answer, log)
            raise diagnose(log.value.decode(errors="replace"), vertex, fragment)
    finally:
        gl.DeleteShader(shader)


def _quad_indices() -> bytes:
    corners = np.array([0, 1, 2, 2, 1, 3], np.uint16)
    first = np.arange(0, 4 * QUADS, 4, dtype=np.uint16)
    return (first[:, None] + corners).tobytes()
