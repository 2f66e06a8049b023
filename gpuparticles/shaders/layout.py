"""What lies where: the emitter's uniform block and the channels of a particle's state.

Declared once, here. The GLSL declarations, loads and stores are generated from it, and the GPU
layer creates textures and packs buffers from it.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple, TypeAlias

from gpuparticles.effect.draws import draws
from gpuparticles.effect.effect import Emitter
from gpuparticles.effect.kinds import KernelField, fields_of
from gpuparticles.effect.model import Model
from gpuparticles.effect.modifiers import Collision, Modifier, Scaled
from gpuparticles.effect.rules import Table
from gpuparticles.effect.shader import KEPT, Authored, Process
from gpuparticles.effect.shapes import Shape
from gpuparticles.effect.sprite import Sprite
from gpuparticles.effect.values import Curve, Floats, Gradient

__all__ = [
    "ATTRIBUTES",
    "BIRTH",
    "COLOR",
    "CUSTOM",
    "FEW",
    "FOREVER",
    "HEAD",
    "INSTANCE",
    "LIFETIME_SEED",
    "ORIGIN",
    "OUTPUTS",
    "SHAPE_ROWS",
    "STATE",
    "Block",
    "Channel",
    "Member",
    "aims",
    "birth_block",
    "birth_curves",
    "birth_outputs",
    "by_speed",
    "channels",
    "curves",
    "emitter_block",
    "fades",
    "head_block",
    "kept",
    "lingers",
    "look_block",
    "look_curves",
    "measures",
    "modifier_members",
    "motion_curves",
    "moving",
    "over_life",
    "own_members",
    "shape_places",
    "spins",
    "sprite_members",
    "stop_rows",
    "streaks",
    "tables",
    "trail_curves",
]

#: The lifetime, in seconds, of a particle that never dies: finite, and below DEAD in particle.glsl.
FOREVER = 1e20

#: So many births of a step travel in the uniform block, without a mask.
FEW = 8

#: Rows of four floats that a shape's fields may take.
SHAPE_ROWS = 4

# Rows that a block may have: 16 KB, which every driver grants; an Effect does not ask for more.
_MOST_ROWS = 1024


class Channel(NamedTuple):
    """One texture of a particle's state, a texel a slot.

    Args:
        name: Stem of the sampler ``u_<name>`` and of the output ``o_<name>``.
        dtype: ``f4``, ``f2`` or ``u4``, as moderngl names them.
        components: Numbers a texel.
        fields: What the texel holds, as (field of the particle, swizzle).
    """

    name: str
    dtype: str
    components: int
    fields: tuple[tuple[str, str], ...]

    @property
    def nbytes(self) -> int:
        """Bytes a slot."""
        return int(self.dtype[1]) * self.components

    @property
    def glsl(self) -> str:
        """The GLSL type of a texel."""
        scalar, vector = ("uint", "uvec") if self.dtype[0] == "u" else ("float", "vec")
        return scalar if self.components == 1 else f"{vector}{self.components}"


POSITION_AGE = Channel("position_age", "f4", 4, (("position", "xyz"), ("age", "w")))
#: Changes with every step; held twice.
STATE = (
    POSITION_AGE,
    Channel("velocity_rotation", "f4", 4, (("velocity", "xyz"), ("rotation", "w"))),
)
#: Written at birth; held once.
LIFETIME_SEED = Channel("lifetime_seed", "u4", 2, (("lifetime", "x"), ("seed", "y")))
ATTRIBUTES = Channel(
    "attributes",
    "f2",
    4,
    (("width", "x"), ("stretch", "y"), ("height", "z"), ("angular_velocity", "w")),
)
COLOR = Channel("color", "f2", 4, (("color", "xyzw"),))
BIRTH = (LIFETIME_SEED, ATTRIBUTES, COLOR)
#: Whose a particle is, where many instances share textures.
INSTANCE = Channel("instance", "u4", 1, (("instance", "x"),))


#: Where a particle was born, and after which mark, where it has a trail; the numbers' bits.
ORIGIN = Channel("origin", "u4", 4, (("origin", "xyz"), ("mark", "w")))

#: What the author's own code keeps of a particle, four numbers each; changes with every step.
OWN = tuple(Channel(name, "f4", 4, ((name, "xyzw"),)) for name in KEPT)
CUSTOM = OWN[0]

#: Channels that one pass can write: colour attachments that every driver grants. What there is
#: beyond is written by another pass of the same text.
OUTPUTS = 8


def kept(emitter: Emitter) -> tuple[Channel, ...]:
    """What of the author's own is kept of an emitter's particles, besides STATE."""
    return tuple(channel for channel in OWN if channel.name in emitter.keeps)


def birth_outputs(
    keeps: Sequence[Channel], *, pooled: bool, trailed: bool = False
) -> tuple[Channel, ...]:
    """What a birth writes, in order; only of what is kept anything may lie beyond OUTPUTS."""
    return (*STATE, *channels(pooled=pooled, trailed=trailed), *keeps)


def channels(*, pooled: bool, trailed: bool = False) -> tuple[Channel, ...]:
    """The birth data of an emitter.

    Args:
        pooled: Particles know the instance that they belong to.
        trailed: They know where they were born.
    """
    return (*BIRTH, *((INSTANCE,) if pooled else ()), *((ORIGIN,) if trailed else ()))


class Member(NamedTuple):
    """One member of a uniform block; ``length`` above 0 makes it an array."""

    type: str
    name: str
    length: int = 0


# std140: alignment and size in bytes (OpenGL 3.3 core, section 2.11.4).
_STD140 = {
    "float": (4, 4),
    "vec2": (8, 8),
    "vec3": (16, 12),
    "vec4": (16, 16),
    "mat3": (16, 48),
}

# Everything that has a fixed place, so that one sprite program can serve every emitter.
HEAD = (
    # Written anew for every step.
    Member("float", "u_step_time"),  # seconds of motion
    Member("float", "u_step_age"),  # seconds of ageing, in whole ticks
    Member("float", "u_path_begin"),  # where on the emitter's path the step begins, 0..1
    Member("float", "u_path_rate"),  # and how much of the path a second covers
    Member("uvec4", "u_few_slots", -(-FEW // 4)),  # where few are born, and their records
    Member("uvec4", "u_few_records", FEW),
    Member("vec3", "u_shift"),  # from an old anchor to a new one
    Member("float", "u_tick"),  # seconds a tick
    # Written anew when the emitter moves.
    Member("vec3", "u_place_begin"),
    Member("float", "u_ticks"),  # ticks a second
    Member("vec3", "u_place_end"),
    Member("float", "u_rows"),  # rows of the state textures
    Member("float", "u_columns"),  # and slots a row
    Member("vec4", "u_turn_begin"),
    Member("vec4", "u_turn_end"),
    Member("vec2", "u_turn_arc"),  # its angle, and 1 / sin(angle); 0 where the ends are close
    Member("mat3", "u_scale_begin"),
    Member("mat3", "u_scale_end"),
    # Birth: (low, high - low) pairs, or spans of u_stops where a curve over the loop is given.
    Member("vec2", "u_speed"),
    Member("vec2", "u_size"),
    Member("vec2", "u_rotation"),  # turns
    Member("vec2", "u_angular_velocity"),  # turns/s
    Member("vec2", "u_stretch"),  # seconds
    Member("float", "u_spread"),  # radians
    Member("vec4", "u_birth_color"),  # or a span of u_stops where it is a gradient
    Member("vec4", "u_shape", SHAPE_ROWS),
    Member("vec2", "u_shape_arc"),  # turns; 1 where births follow each other along it
    Member("vec3", "u_shape_offset"),
    Member("vec3", "u_shape_scale"),
    # Look.
    Member("vec2", "u_size_over_life"),  # spans of u_stops
    Member("vec2", "u_color_over_life"),
    Member("vec4", "u_flipbook"),  # columns, rows, frames, speed
    Member("float", "u_flipbook_loop"),
    Member("float", "u_flipbook_random"),  # how many of the frames may be the first
    Member("float", "u_additive"),
    Member("float", "u_straight"),  # 1: the texture has straight alpha
    Member("float", "u_mip_limit"),  # the last mip level whose texels lie in one frame each
    Member("float", "u_row_slots"),  # slots a row of quads
)


class Block:
    """A std140 uniform block: its GLSL declaration and where its members lie.

    Args:
        members: In order.

    Attributes:
        size: Bytes, a multiple of 16.
        offsets: Bytes from the start, by name.
    """

    def __init__(self, members: Iterable[Member]) -> None:
        self.members = tuple(members)
        self.offsets: dict[str, int] = {}
        end = 0
        for member in self.members:
            alignment, size = (16, 16 * member.length) if member.length else _STD140[member.type]
            start = -(-end // alignment) * alignment
            self.offsets[member.name] = start
            end = start + size
        self.size = -(-end // 16) * 16

    def text(self) -> list[str]:
        """The GLSL declaration, a line a member."""
        return [
            "layout(std140) uniform Emitter {",
            *(
                f"    {member.type} {member.name}{f'[{member.length}]' if member.length else ''};"
                for member in self.members
            ),
            "};",
        ]

    def pack(self, data: bytearray, name: str, values: Sequence[float], row: int = 0) -> None:
        """Write floats at a member, or at a row of an array, of a packed block."""
        struct.pack_into(f"{len(values)}f", data, self.offsets[name] + 16 * row, *values)


def shape_places(shape: type[Shape]) -> list[tuple[KernelField, int, int]]:
    """Where a shape's fields lie in u_shape, as (field, row, column).

    One after the other, none across the end of a row.
    """
    places = []
    cursor = 0
    for info in fields_of(shape):
        width = _STD140[info.type][1] // 4
        if cursor % 4 + width > 4:
            cursor += 4 - cursor % 4
        places.append((info, cursor // 4, cursor % 4))
        cursor += width
    return places


def stop_rows(emitter: Emitter, modifiers: Sequence[Modifier]) -> int:
    """How many rows of u_stops an emitter's curves get.

    A power of two, so that emitters whose curves differ a little in length share programs; or what
    the block has room for, if that is less.
    """
    rows = sum(len(curve.segments()) for _, _, curve in curves(emitter))
    rows += sum(len(curve.segments()) for curve in map(over_life, modifiers) if curve is not None)
    members = [
        *look_members(emitter),
        *birth_members(emitter),
        *(
            member
            for index, modifier in enumerate(modifiers)
            for member in modifier_members(index, modifier, emitter, pooled=False)
        ),
        *scene_members(modifiers),
    ]
    room = _MOST_ROWS - Block(HEAD).size // 16 - Block(members).size // 16
    return max(8, min(1 << (rows - 1).bit_length(), room))


Spans: TypeAlias = list[tuple[str, int, Curve | Gradient]]
"""Curves, each with the member that holds its span: the name and the row."""

_ONE = Curve(((0.0, 1.0),))
_WHITE = Gradient(((0.0, (1.0, 1.0, 1.0, 1.0)),))


def curves(emitter: Emitter, block: Block | None = None) -> Spans:
    """Every curve of an emitter that is in use, or for which a block has a member."""
    found = [*birth_curves(emitter), *motion_curves(emitter), *look_curves(emitter)]
    found += trail_curves(emitter)
    if block is None:
        return found
    # What a parameter drives has been composed as if it were in use, and may not be for now.
    known = {name for name, _, _ in found}
    more = [each for each in _optional(emitter) if each[0] in block.offsets.keys() - known]
    return [*found, *more]


def birth_curves(emitter: Emitter) -> Spans:
    """Those that a birth looks up."""
    found: Spans = [
        (f"u_{drawn.name}", drawn.axis or 0, curve)
        for drawn in draws(emitter)
        if (curve := drawn.curve) is not None
    ]
    if isinstance(emitter.color, Gradient):
        found.append(("u_birth_color", 0, emitter.color))
    return found


def motion_curves(emitter: Emitter) -> Spans:
    """Those that a step looks up, besides the modifiers'; the motion's is seen as well."""
    names = {"u_speed_over_life", *(["u_angular_velocity_over_life"] if spins(emitter) else [])}
    return [each for each in _in_use(emitter) if each[0] in names]


def look_curves(emitter: Emitter) -> Spans:
    """Those that only drawing looks up."""
    motion = {"u_speed_over_life", "u_angular_velocity_over_life"}
    return [
        ("u_size_over_life", 0, emitter.size_over_life),
        ("u_color_over_life", 0, emitter.color_over_life),
        *(each for each in _in_use(emitter) if each[0] not in motion),
    ]


def trail_curves(emitter: Emitter) -> Spans:
    """Those of a trail."""
    trail = emitter.trail
    if trail is None:
        return []
    return [
        ("u_width_over_trail", 0, trail.width_over_trail),
        ("u_color_over_trail", 0, trail.color_over_trail),
    ]


def _in_use(emitter: Emitter) -> Spans:
    return [each for each in _optional(emitter) if each[2] not in (_ONE, _WHITE)]


def _optional(emitter: Emitter) -> Spans:
    return [
        ("u_angular_velocity_over_life", 0, emitter.angular_velocity_over_life),
        ("u_speed_over_life", 0, emitter.speed_over_life),
        ("u_width_over_life", 0, emitter.width_over_life),
        ("u_height_over_life", 0, emitter.height_over_life),
        ("u_size_by_speed", 0, emitter.size_by_speed),
        ("u_color_by_speed", 0, emitter.color_by_speed),
    ]


def look_members(emitter: Emitter) -> tuple[Member, ...]:
    """What only some looks need; the sprite pass sees it."""
    fixed = {member.name for member in HEAD}
    spans = [*motion_curves(emitter), *look_curves(emitter), *trail_curves(emitter)]
    found = [Member("vec2", name) for name, _, _ in spans if name not in fixed]
    found += [Member("float", f"u_{name}") for name in fades(emitter)]
    found += [Member("vec2", "u_speed_range")] if by_speed(emitter) else []
    return (*found, *sprite_members(emitter.look), *model_members(emitter.model))


def sprite_members(sprite: Sprite) -> list[Member]:
    """What only some sprites need."""
    found = {
        "u_pivot": sprite.pivot != (0.0, 0.0),
        "u_length": sprite.shortest > 0.0 or sprite.longest is not None,
        "u_near_fade": sprite.near_fade is not None,
        "u_far_fade": sprite.far_fade is not None,
        "u_softness": sprite.softness > 0.0,
        "u_alpha_clip": sprite.alpha_clip is not None,
        "u_lit": sprite.lit is not None,
    }
    types = {"u_softness": "float", "u_alpha_clip": "float"}
    members = [Member(types.get(name, "vec2"), name) for name, used in found.items() if used]
    return [*members, *own_members(sprite.shader)]


def own_members(code: Authored | None) -> list[Member]:
    """The author's own uniforms."""
    stem = "u_process" if isinstance(code, Process) else "u_own"
    uniforms = () if code is None else code.uniforms
    return [Member(uniform.type, f"{stem}_{uniform.name}") for uniform in uniforms]


def model_members(model: Model | None) -> list[Member]:
    """What only models need."""
    if model is None:
        return []
    axis = [] if model.axis == "random" else [Member("vec3", "u_model_axis")]
    return [Member("vec3", "u_model_scale"), *axis]


def birth_members(emitter: Emitter) -> list[Member]:
    """What only some births need, and what the author's own code knows there and in steps."""
    fixed = {member.name for member in HEAD}
    names = dict.fromkeys(f"u_{drawn.name}" for drawn in draws(emitter))
    found = [
        Member("vec2", name, 3 if name == "u_velocity" else 0)
        for name in names
        if name not in fixed
    ]
    if "u_inherit_velocity" in names:
        found.append(Member("vec3", "u_travel"))  # the emitter's, within the update
    if aims(emitter):
        found.append(Member("vec3", "u_direction"))
    if emitter.process is not None:
        # From where positions count from to the origin of the world as it was authored.
        found += [Member("vec3", "u_authored")] if emitter.space == "world" else []
        found += own_members(emitter.process)
    return found


def aims(emitter: Emitter) -> bool:
    """Whether births set out along a vector of the author's."""
    given = isinstance(emitter.direction, tuple) and emitter.velocity is None
    return given and emitter.direction != (0.0, 1.0, 0.0)


def fades(emitter: Emitter) -> list[str]:
    """The fades in use."""
    return [name for name in ("fade_in", "fade_out") if getattr(emitter, name) > 0.0]


def by_speed(emitter: Emitter) -> bool:
    """Whether the look depends on the speed."""
    return emitter.size_by_speed != _ONE or emitter.color_by_speed != _WHITE


def sorts(emitter: Emitter) -> bool:
    """Whether it can be seen which of an emitter's particles is drawn first, and is asked for."""
    look = emitter.look
    return look.order not in ("none", "weighted") and look.additive < 1.0


def lingers(emitter: Emitter) -> bool:
    """Whether something is seen of an emitter's particles when they are dead."""
    return emitter.trail is not None and emitter.trail.outlives


def weighs(emitter: Emitter) -> bool:
    """Whether an emitter's particles are blended by weight, and not in an order."""
    return emitter.look.order == "weighted" and emitter.look.additive < 1.0


def spins(emitter: Emitter) -> bool:
    """Whether any of an emitter's particles turns."""
    return emitter.angular_velocity != 0.0


def streaks(sprite: Sprite) -> bool:
    """Whether sprites are drawn out along their motion."""
    return sprite.stretch != 0.0


def measures(modifier: Modifier) -> bool:
    """Whether a modifier wants to know how large a particle is."""
    return isinstance(modifier, Collision) and modifier.radius_factor > 0


def over_life(modifier: Modifier) -> Curve | None:
    """The curve that a modifier's strength is multiplied with, if it has one."""
    return modifier.over_life if isinstance(modifier, Scaled) else None


def tables(emitter: Emitter, modifiers: Sequence[Modifier]) -> list[Floats]:
    """The rows that an emitter's shape and modifiers bring along, in the order of their fields.

    Returns:
        float32 (n, 4) each; one after the other they fill the texture u_tables.
    """
    return [
        info.rule.rows(getattr(owner, info.name))
        for owner in (emitter.shape, *modifiers)
        for info in fields_of(type(owner))
        if isinstance(info.rule, Table)
    ]


def moving(modifier: Modifier, emitter: Emitter) -> bool:
    """Whether a modifier's points and directions lie in another frame than the particles.

    That frame may move or turn while the step goes on.
    """
    space = getattr(modifier, "space", None)
    return space is not None and (space == "emitter") != (emitter.space == "local")


def modifier_members(
    index: int, modifier: Modifier, emitter: Emitter, *, pooled: bool
) -> list[Member]:
    """The block members of one modifier: its kernel's fields, then its variation and curve.

    A point or direction of another frame also has a delta: how it changes along the emitter's path
    in this update. In a pool each particle has a frame of its own, which the shader looks up.
    """
    stem = f"u_{modifier.kind}{index}"
    members = []
    carried = moving(modifier, emitter) and not modifier.framed and not pooled
    for info in fields_of(type(modifier)):
        if info.role is not None and carried:
            members.append(Member(info.type, f"{stem}_{info.name}_delta"))
        members.append(Member(info.type, f"{stem}_{info.name}"))
    if isinstance(modifier, Scaled) and modifier.variation:
        members.append(Member("float", f"{stem}_variation"))
    if over_life(modifier) is not None:
        members.append(Member("vec2", f"{stem}_over_life"))
    if isinstance(modifier, Collision):
        # Restitution, friction, lifetime loss, radius.
        members.append(Member("vec4", f"{stem}_surface"))
        if measures(modifier):
            members.append(Member("float", f"{stem}_radius_factor"))
    if modifier.phased:
        members.append(Member("vec4", f"{stem}_phase"))
    return members


@cache
def head_block(rows: int, more: tuple[Member, ...] = ()) -> Block:
    """The part of the block that all emitters with such a look and as many rows of stops share."""
    return Block((*HEAD, *more, Member("vec4", "u_stops", rows)))


def look_block(emitter: Emitter, modifiers: Sequence[Modifier]) -> Block:
    """As much of an emitter's block as drawing needs."""
    return head_block(stop_rows(emitter, modifiers), look_members(emitter))


def birth_block(emitter: Emitter, modifiers: Sequence[Modifier]) -> Block:
    """As much of an emitter's block as its births need: most of them nothing but the head."""
    more = birth_members(emitter)
    if not more and not birth_curves(emitter):
        return Block(HEAD)
    return Block((*look_block(emitter, modifiers).members, *more))


def emitter_block(emitter: Emitter, modifiers: Sequence[Modifier], *, pooled: bool) -> Block:
    """The whole block of an emitter: head, stops, births, and its modifiers' fields in order."""
    members = [*look_block(emitter, modifiers).members, *birth_members(emitter)]
    for index, modifier in enumerate(modifiers):
        members += modifier_members(index, modifier, emitter, pooled=pooled)
    return Block([*members, *scene_members(modifiers)])


def scene_members(modifiers: Sequence[Modifier]) -> list[Member]:
    """What says how the host's scene is seen, where a modifier looks at it; see `Depths.rows`."""
    looks = any(modifier.looks for modifier in modifiers)
    return [Member("vec4", "u_depth", 10)] if looks else []
