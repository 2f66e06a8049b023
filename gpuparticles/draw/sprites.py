"""Draws an emitter's particles as sprites, pulled straight from its state textures."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import moderngl
import numpy as np

from gpuparticles.draw.textures import Look, Sheet, Textures
from gpuparticles.effect.light import Light
from gpuparticles.effect.sprite import Sprite
from gpuparticles.errors import ContextError
from gpuparticles.gpu.guard import Guard, Window
from gpuparticles.gpu.order import Order
from gpuparticles.gpu.programs import QUADS, UNITS, Program, Programs
from gpuparticles.gpu.simulate import Simulation
from gpuparticles.gpu.state import State
from gpuparticles.playback.place import Place, Vec3, matrix_of, plus
from gpuparticles.shaders import EmitterText
from gpuparticles.shaders.layout import BIRTH, CUSTOM, INSTANCE

__all__ = ["Sprites", "View", "check_alive"]

_pack_matrix = struct.Struct("<16f").pack
_pack_vector = struct.Struct("<3f").pack
_NAMES = tuple(channel.name for channel in BIRTH)
_POOLED_NAMES = (*_NAMES, INSTANCE.name)
# Where in a packed matrix the third row begins, column by column, but for the translation.
_DEPTH = (8, 24, 40)


_LIGHT = Light()


class View(NamedTuple):
    """A camera, read once for all emitters.

    Args:
        rows: The view matrix, row by row, in double precision.
        projection: The projection matrix, packed for the shader.
        scale: By how much the view scales the plane of the picture: sprites, built in view space,
            scale alike.
        zoom: How much of the picture's half height a unit in view space takes, at depth 1.
        pixel: Units in view space a pixel, at depth 1.
        lens: The projection matrix, row by row, in double precision.
        depth: How sprites are tested against the depth buffer; see Guard.draw.
        cutoff: Where depth alone is drawn: of the alpha that counts as covered.
        unprojection: Packed for the shader: from a place in the window and the depth there to how
            far ahead it lies, in world units; see `before`.
        seen: Whether shaders have the depth of the scene to look at.
        light: What falls on those that are lit.
        nearest: How far ahead the near plane lies, in world units.
        weighs: From where distances count in weighing, and the distance that weighs 1.
    """

    rows: list[list[float]]
    projection: bytes
    scale: float
    zoom: float
    pixel: float = 0.0
    lens: list[list[float]] = []  # noqa: RUF012 - a NamedTuple's default is never changed
    depth: str | None = "<="
    cutoff: float = 0.5
    unprojection: bytes = bytes(32)
    seen: bool = False
    light: Light = _LIGHT
    nearest: float = 0.0
    weighs: tuple[float, float] = (0.0, 1.0)

    @classmethod
    def of(cls, view: object, projection: object, depth: str | None = "<=") -> View:
        """Read the user's matrices.

        Args:
            view: 4x4, for column vectors.
            projection: 4x4, for column vectors.
            depth: How sprites are tested.

        Raises:
            EffectError: Not such matrices; or a view that has its translation in the last row.
        """
        v = matrix_of(view, "view", affine=True)
        p = matrix_of(projection, "projection")
        across, up = math.hypot(*v[0][:3]), math.hypot(*v[1][:3])
        scale, zoom = math.sqrt(across * up), math.hypot(*p[1][:3])
        return cls(v, _columns(p), scale, zoom, depth=depth, lens=p)

    def planes(self, *, clamped: bool = False) -> list[tuple[float, float, float, float]]:
        """The sides of what is seen of the world: ``a x + b y + c z + d`` is negative beyond one.

        A fiftieth wider than the picture: what is drawn at least a pixel wide may reach as far.
        Not so along the line of sight, where far away a fiftieth would be all that there is.

        Args:
            clamped: OpenGL draws what is nearer than the near plane, and farther than the far one.
        """
        clip = [
            [sum(row[k] * self.rows[k][j] for k in range(4)) for j in range(4)] for row in self.lens
        ]
        found = []
        for row, margin in zip(clip[: 2 if clamped else 3], (1.02, 1.02, 1.000001), strict=False):
            for sign in (1.0, -1.0):
                a, b, c, d = (
                    margin * w + sign * part for w, part in zip(clip[3], row, strict=True)
                )
                found.append((a, b, c, d))
        return found

    def distance(self, place: Vec3) -> float:
        """How far a place in the world is from the camera, in units of the world."""
        x, y, z = place
        seen = (a * x + b * y + c * z + d for a, b, c, d in self.rows[:3])
        return math.hypot(*seen) / max(self.scale, 1e-300)

    def before(self, window: Window, *, seen: bool) -> View:
        """The camera that knows how far ahead lies what has a depth.

        ``a, w = unprojection @ (x, y, depth, 1)`` of a place in the window is ``a / w`` world units
        ahead: two rows of the inverse of all that leads from the view to the window. So it holds
        for every projection, reversed or not, and whatever range the depth has.

        Args:
            window: Where clip space is shown.
            seen: Whether shaders have the depth of the scene to look at. A projection that has
                no depth, as for flat games, leaves nothing to be seen.
        """
        projection = np.array(struct.unpack("<16f", self.projection)).reshape(4, 4).T
        x, y, width, height, near, far, upwards, from_zero = window
        up = 1.0 if upwards else -1.0
        lowest = 0.0 if from_zero else -1.0
        try:
            deep = (1.0 - lowest) / (far - near)
            clip = np.diag((2.0 / width, up * 2.0 / height, deep, 1.0))
            back = np.linalg.inv(projection)
        except (ZeroDivisionError, np.linalg.LinAlgError):
            return self._replace(seen=False)
        clip[:3, 3] = -2.0 * x / width - 1.0, -up * (2.0 * y / height + 1.0), lowest - near * deep
        rows = (back @ clip)[2:]
        ahead = math.copysign(1.0, projection[3, 2]) if projection[3, 2] else -1.0
        rows[0] *= ahead / max(self.scale, 1e-300)
        middle = np.array([(x + width / 2, y + height / 2, depth, 1.0) for depth in (near, far)]).T
        distances = [a / w for a, w in (rows @ middle).T.tolist() if abs(w) > 1e-30]
        unprojection = rows.T.astype("<f4").tobytes()
        return self._replace(unprojection=unprojection, seen=seen, nearest=min(distances))

    def weighing(self, place: Vec3) -> View:
        """The camera for what is blended by weight about a place.

        Under perspective distances count from the eye, else from the near plane. What is at the
        eye, and all round it, is weighed as if it were a few times as far as the near plane.
        """
        row = self.rows[2]
        deep = row[0] * place[0] + row[1] * place[1] + row[2] * place[2] + row[3]
        towards = struct.unpack_from("<f", self.projection, 4 * 11)[0]
        ahead = deep * (math.copysign(1.0, towards) if towards else -1.0) / max(self.scale, 1e-300)
        start = 0.0 if towards else self.nearest
        least = 8.0 * self.nearest if towards else 1e-9
        return self._replace(weighs=(start, max(ahead - start, least, 1e-9)))

    def into(self, height: float) -> View:
        """The camera for a picture so many pixels high."""
        return self._replace(pixel=2.0 / max(height * self.zoom, 1e-30))

    def at(self, place: Vec3) -> bytes:
        """The view of particles whose positions are relative to a place, packed.

        Multiplied in double precision: what is far from the origin and near the camera is near.
        """
        x, y, z = place
        (a, b, c, s), (d, e, f, t), (g, h, i, u), _ = self.rows
        return _pack_matrix(
            a, d, g, 0.0,
            b, e, h, 0.0,
            c, f, i, 0.0,
            a * x + b * y + c * z + s, d * x + e * y + f * z + t, g * x + h * y + i * z + u, 1.0,
        )  # fmt: skip

    def turned(self, direction: Vec3) -> bytes:
        """A direction of the world in the view, a unit vector, packed."""
        x, y, z = direction
        seen = [a * x + b * y + c * z for a, b, c, _ in self.rows[:3]]
        length = max(math.hypot(*seen), 1e-300)
        return _pack_vector(*(component / length for component in seen))

    def lighting(self) -> bytes:
        """The light in the view, the three columns of ``u_light``, packed."""
        x, y, z = self.light.direction
        towards = self.turned((-x, -y, -z))
        return towards + _pack_vector(*self.light.color[:3]) + _pack_vector(*self.light.ambient[:3])

    def carried_by(self, place: Place) -> bytes:
        """The view of particles that move with an emitter: its turn and its place."""
        qx, qy, qz, qw = place.turn
        xx, yy, zz = 2 * qx * qx, 2 * qy * qy, 2 * qz * qz
        xy, xz, yz = 2 * qx * qy, 2 * qx * qz, 2 * qy * qz
        wx, wy, wz = 2 * qw * qx, 2 * qw * qy, 2 * qw * qz
        x, y, z = place.place
        columns = (
            (1 - yy - zz, xy + wz, xz - wy),
            (xy - wz, 1 - xx - zz, yz + wx),
            (xz + wy, yz - wx, 1 - xx - yy),
        )
        flat: list[float] = []
        rows = self.rows[:3]
        for u, v, w in columns:
            flat += [r[0] * u + r[1] * v + r[2] * w for r in rows]
            flat.append(0.0)
        flat += [r[0] * x + r[1] * y + r[2] * z + r[3] for r in rows]
        flat.append(1.0)
        return _pack_matrix(*flat)


class Sprites:
    """The sprites of one emitter.

    Methods that touch GL want to be called inside the guard.

    Args:
        ctx: The context.
        guard: Its guard.
        simulation: Whose particles.
        sprite: How they look.
        text: What is composed for the emitter.
        textures: Where textures come from.
        where: Names the emitter in errors.
        quads: Whether each particle is a quad.
        field: What `sprite` is made from: errors name it.

    Attributes:
        solid: Whether they cover what lies behind, and so are drawn before what blends.
        order: Sorts them; None where nothing is sorted.
        soft: Whether they may fade in front of the scene.
        weighted: Whether they are blended by weight; see `Weighted`.
    """

    def __init__(
        self,
        ctx: moderngl.Context,
        guard: Guard,
        simulation: Simulation,
        sprite: Sprite,
        text: EmitterText,
        textures: Textures,
        where: str,
        *,
        quads: bool = True,
        field: str = "sprite",
    ) -> None:
        self.solid = False
        self._quads = quads
        self._field = field
        self._guard = guard
        self._simulation = simulation
        self._sprite = sprite
        self._textures = textures
        self._where = where
        pooled = simulation.instances is not None
        self._compose_cast = text.cast
        self._cast: Program | None = None
        # In a pool the order tells whose a particle is.
        self._cast_names = _POOLED_NAMES if pooled else _NAMES
        self._names = _NAMES if text.order is not None else self._cast_names
        if sprite.shader is not None and sprite.shader.code.mentions("custom"):
            self._cast_names += (CUSTOM.name,)
            self._names += (CUSTOM.name,)
        self.order: Order | None = None
        self.soft = "u_softness" in text.block.offsets
        self.weighted = text.composite is not None
        look, self._normals = self._look_up()
        self._texture = look.texture
        self._programs = Programs.of(ctx)
        try:
            if text.order is not None:
                depth = sprite.order == "depth"
                self.order = Order(ctx, guard, simulation, text.order, depth=depth)
            self._program = self._programs.acquire(text.drawn, quads=quads)
        except BaseException:
            if self.order is not None:
                self.order.release()
            self._give_back()
            raise
        simulation.set_look(straight=look.straight, mip_limit=look.mip_limit)

    def _look_up(self) -> tuple[Look, Look]:
        """Acquire the texture, and the one of normals."""
        colors, normals = self._sheets()
        named = f"{self._where}: {self._field}"
        look = self._textures.acquire(colors, f"{named}.texture")
        try:
            return look, self._textures.acquire(normals, f"{named}.lit.normals")
        except BaseException:
            self._textures.release(colors)
            raise

    def _sheets(self) -> tuple[Sheet, Sheet]:
        """The pictures of colours and of normals."""
        sprite, cells = self._sprite, (1, 1)
        if sprite.flipbook is not None:
            cells = sprite.flipbook.columns, sprite.flipbook.rows
        lit = sprite.lit
        normals = lit.normals if lit is not None and lit.mapped else None
        return (
            Sheet(sprite.texture, sprite.filter, sprite.premultiplied, *cells),
            Sheet(normals, sprite.filter, True, *cells),
        )

    def _give_back(self) -> None:
        for sheet in self._sheets():
            self._textures.release(sheet)

    @property
    def nbytes(self) -> int:
        """GPU memory of what sorts them."""
        return 0 if self.order is None else self.order.nbytes

    def unsorted(self, from_particles: bytes) -> Callable[[], None] | None:
        """What has to be called, while simulating, before they can be drawn; nothing for most.

        Args:
            from_particles: As for draw. Only its turn matters: whatever moves along with the
                camera, or the camera past it, stays in order.
        """
        order = self.order
        if order is None:
            return None
        axis = b"".join(from_particles[begin : begin + 4] for begin in _DEPTH)
        return partial(order.sort, axis) if order.stale(axis) else None

    def describe(self, sprite: Sprite) -> None:
        """Take the values of what is drawn; any that were composed to the same text."""
        self._sprite = sprite

    def draw(self, view: View, from_particles: bytes, tint: bytes, plane: bytes = b"") -> None:
        """Draw what lives.

        Args:
            view: The camera.
            from_particles: Packed matrix from where positions are to the view.
            tint: Packed straight RGBA.
            plane: Packed matrix from the emitter to the view: for particles of the world that face
                as their emitter does.

        Raises:
            ContextError: The host has released the texture.
        """
        simulation = self._simulation
        rows = simulation.rows
        state = simulation.state
        if not rows or state is None:
            return
        self._bind(self._program, state, self._names, view, from_particles, tint, plane)
        if self.soft or self.weighted:
            self._program.write("u_unprojection", view.unprojection)
        if self.soft:
            self._program.write("u_scene_seen", struct.pack("<f", view.seen))
        if self._sprite.lit is not None:
            self._program.write("u_light", view.lighting())
            if self._normals.texture is not None:
                check_alive(self._normals.texture, f"{self._where}: sprite.lit.normals")
                limit = struct.pack("<f", self._normals.mip_limit)
                self._program.write("u_normals_limit", limit)
                self._normals.texture.use(UNITS["u_normals"])
        if self.weighted:
            self._program.write("u_weighing", struct.pack("<2f", *view.weighs))
        if self.order is not None:
            self.order.bind()
        sprite = self._sprite
        if sprite.depth_write:
            self._guard.draw(view.depth, write=True)
        self._render(self._program, state, rows)
        if sprite.depth_write:
            self._guard.draw(view.depth)

    def cast(self, view: View, from_particles: bytes, tint: bytes, plane: bytes = b"") -> None:
        """Draw the depth of what lives and covers: arguments as for draw.

        Raises:
            ContextError: The host has released the texture.
        """
        simulation = self._simulation
        rows, state = simulation.rows, simulation.state
        if not rows or state is None or not self._sprite.casts:
            return
        if self._cast is None:
            self._cast = self._programs.acquire(self._compose_cast(), quads=self._quads)
        program = self._cast
        program.write("u_cutoff", struct.pack("<f", view.cutoff))
        self._bind(program, state, self._cast_names, view, from_particles, tint, plane)
        self._render(program, state, rows)

    def _bind(
        self,
        program: Program,
        state: State,
        names: tuple[str, ...],
        view: View,
        from_particles: bytes,
        tint: bytes,
        plane: bytes,
    ) -> None:
        """Give a program all that it looks at."""
        if self._texture is not None:
            check_alive(self._texture, f"{self._where}: {self._field}.texture")
        simulation = self._simulation
        write = program.write
        write("u_view", from_particles)
        write("u_projection", view.projection)
        write("u_tint", tint)
        self._aim(program, view, plane)
        simulation.bind_uniforms()
        state.bind_seen(names)
        if simulation.instances is not None:
            simulation.instances.use(UNITS["u_instances"])
        if self._texture is not None:
            self._texture.use(UNITS["u_texture"])

    def _aim(self, program: Program, view: View, plane: bytes) -> None:
        """Tell a program what quads face, and how large they are seen."""
        simulation, sprite, write = self._simulation, self._sprite, program.write
        write("u_view_scale", struct.pack("<f", view.scale))
        write("u_pixel", struct.pack("<f", view.pixel))
        match sprite.facing:
            case "axis":
                write("u_axis", view.turned(sprite.axis))
            case "point":
                write("u_frame", view.at(plus(sprite.look_at, simulation.origin)))
            case "emitter" if plane:
                write("u_frame", plane)

    def _render(self, program: Program, state: State, rows: int) -> None:
        """Draw a quad for each slot of so many rows."""
        width = min(state.width, QUADS)
        program.vertex_array.render(
            moderngl.TRIANGLES, 6 * width, instances=rows * (state.width // width)
        )

    def release(self) -> None:
        """Give program and texture back."""
        if self.order is not None:
            self.order.release()
        for program in (self._program, self._cast):
            if program is not None:
                self._programs.release(program)
        self._give_back()


def check_alive(texture: moderngl.Texture, where: str) -> None:
    """See that the host has not released a texture of its own.

    Raises:
        ContextError: It has.
    """
    if isinstance(texture.mglo, moderngl.InvalidObject):
        raise ContextError(f"{where} has been released; keep it while the effect plays")


def _columns(rows: list[list[float]]) -> bytes:
    return _pack_matrix(*(rows[i][j] for j in range(4) for i in range(4)))
