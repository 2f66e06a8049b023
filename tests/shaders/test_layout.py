"""What lies where: uniform blocks by std140, and the channels of the state."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Sequence

import moderngl
import pytest

import gpuparticles as gp
from gpuparticles.effect import Collision, Modifier, Scaled, Shape, fields_of, kinds
from gpuparticles.effect.effect import _MODIFIER_ROWS
from gpuparticles.gpu.gl import GL
from gpuparticles.gpu.programs import Programs
from gpuparticles.playback import population
from gpuparticles.shaders import Block, birth, channels, emitter_block, sprite, update
from gpuparticles.shaders.layout import (
    FOREVER,
    HEAD,
    SHAPE_ROWS,
    STATE,
    Member,
    birth_block,
    head_block,
    look_block,
    modifier_members,
    moving,
    shape_places,
    stop_rows,
)
from tests.shaders.conftest import example

FULL = tuple(example(cls, full=True) for cls in kinds(Modifier).values())
PLAIN = tuple(example(cls) for cls in kinds(Modifier).values())
EVERYTHING = (*FULL, *PLAIN, *FULL)

# Blocks


def test_members_lie_by_the_rules_of_std140() -> None:
    """A float fits behind a vec3, a vec2 does not; arrays and matrices take whole rows."""
    block = Block(
        [
            Member("float", "a"),
            Member("vec3", "b"),
            Member("float", "c"),
            Member("vec2", "d"),
            Member("vec2", "e"),
            Member("vec3", "f"),
            Member("vec2", "g"),
            Member("mat3", "h"),
            Member("float", "i"),
            Member("vec4", "j", 3),
            Member("float", "k"),
        ]
    )
    assert block.offsets == {
        "a": 0, "b": 16, "c": 28, "d": 32, "e": 40, "f": 48, "g": 64, "h": 80, "i": 128,
        "j": 144, "k": 192,
    }  # fmt: skip
    assert block.size == 208


def test_values_are_packed_where_members_lie() -> None:
    block = Block([Member("float", "a"), Member("vec3", "b"), Member("vec4", "c", 2)])
    data = bytearray(block.size)
    block.pack(data, "a", (1.5,))
    block.pack(data, "b", (2, 3, 4))
    block.pack(data, "c", (5, 6, 7, 8), 1)
    assert struct.unpack("16f", data) == (1.5, 0, 0, 0, 2, 3, 4, 0, 0, 0, 0, 0, 5, 6, 7, 8)


def test_a_declaration_names_every_member_once() -> None:
    block = Block([Member("float", "a"), Member("vec4", "b", 3)])
    assert block.text() == [
        "layout(std140) uniform Emitter {",
        "    float a;",
        "    vec4 b[3];",
        "};",
    ]


def offsets_in(gl: GL, program: int, names: Sequence[str]) -> list[int]:
    """Where the driver puts members of a block."""
    count = len(names)
    indices, offsets = (ctypes.c_int * count)(), (ctypes.c_int * count)()
    texts = (ctypes.c_char_p * count)(*(name.encode() for name in names))
    gl.function("GetUniformIndices", "iipp")(program, count, texts, indices)
    assert -1 not in list(indices), "not a member of the block"
    gl.function("GetActiveUniformsiv", "iipip")(program, count, indices, 0x8A3B, offsets)
    return list(offsets)


@pytest.mark.parametrize("space", ["world", "local"])
@pytest.mark.parametrize("pooled", [False, True], ids=["alone", "pooled"])
def test_the_driver_lays_out_the_block_as_we_do(
    ctx: moderngl.Context, space: str, pooled: bool
) -> None:
    """Offset of every member and size of the block, in all passes of an effect of everything."""
    ramp = [(0, 1), (1, 2)]
    emitter = gp.Emitter(
        "a",
        space=space,
        shape=gp.Circle(),
        angular_velocity=90,
        velocity=(0, ramp, 0),
        inherit_velocity=1 if space == "world" else 0,
        width=2,
        fade_in=0.1,
        speed_over_life=ramp,
        color_by_speed="#ff0000",
    )
    block = emitter_block(emitter, EVERYTHING, pooled=pooled)
    passes = [
        (update(emitter, EVERYTHING, pooled=pooled), block),
        (birth(emitter, EVERYTHING, pooled=pooled), birth_block(emitter, EVERYTHING)),
        (birth(gp.Emitter("b"), pooled=pooled), Block(HEAD)),
        (sprite(emitter, EVERYTHING, pooled=pooled), look_block(emitter, EVERYTHING)),
    ]
    if not pooled:
        passes.append((update(emitter, EVERYTHING, travels=True), block))
    programs, gl = Programs.of(ctx), GL(ctx)
    for sources, expected in passes:
        program = programs.acquire(sources)
        try:
            found = offsets_in(gl, program.program.glo, list(expected.offsets))
            assert dict(zip(expected.offsets, found, strict=True)) == expected.offsets
            uniform = program.program["Emitter"]
            assert isinstance(uniform, moderngl.UniformBlock)
            assert uniform.size == expected.size
        finally:
            programs.release(program)


def test_every_block_begins_with_the_head() -> None:
    """So that one buffer serves an emitter's own passes and the sprite pass that all share."""
    for space in ("world", "local"):
        for pooled in (False, True):
            emitter = gp.Emitter("a", space=space)
            whole = emitter_block(emitter, EVERYTHING, pooled=pooled)
            head = head_block(stop_rows(emitter, EVERYTHING))
            assert head.offsets.items() <= whole.offsets.items()
            assert Block(HEAD).offsets.items() <= head.offsets.items()


def test_what_every_step_writes_comes_first() -> None:
    """The engine packs it with one call."""
    names = ("u_step_time", "u_step_age", "u_path_begin", "u_path_rate")
    assert [Block(HEAD).offsets[name] for name in names] == [0, 4, 8, 12]


@pytest.mark.parametrize(
    ("sizes", "colors", "modifiers", "curve"),
    [
        (957, 1, 0, None),
        (1, 320, 0, None),
        (257, 1, 69, None),
        (130, 70, 20, 9),
        (1, 1, 95, None),
        (1, 1, 86, 2),
    ],
)
def test_the_fullest_effects_that_are_accepted_fit_into_16_kb(
    sizes: int, colors: int, modifiers: int, curve: int | None
) -> None:
    """Whatever takes the room: stops of curves and gradients, or modifiers."""

    def ramp(stops: int) -> list[tuple[float, float]]:
        return [(i / max(stops - 1, 1), 1.0) for i in range(stops)]

    over_life = None if curve is None else ramp(curve)
    for space in ("world", "emitter"):
        vortex = gp.Vortex(1, variation=0.5, space=space, over_life=over_life)
        emitter = gp.Emitter(
            "a",
            size_over_life=ramp(sizes),
            color_over_life=[(t, "#ffffff") for t, _ in ramp(colors)],
            modifiers=[vortex] * modifiers,
        )
        (accepted,) = gp.Effect("e", [emitter]).emitters
        for pooled in (False, True):
            assert emitter_block(accepted, accepted.modifiers, pooled=pooled).size <= 16384


@pytest.mark.parametrize("modifier", FULL, ids=kinds(Modifier))
def test_a_modifier_takes_no_more_rows_than_an_effect_counts_for_it(modifier: Modifier) -> None:
    for space in ("world", "local"):
        members = modifier_members(0, modifier, gp.Emitter("a", space=space), pooled=False)
        assert 0 < Block(members).size <= 16 * _MODIFIER_ROWS


def test_stops_have_room() -> None:
    """Rows for all segments of all curves; curves of similar length share a program."""
    for stops in (1, 2, 5, 9, 40, 300, 700):
        curve = [(i / stops, 1.0) for i in range(stops)]
        emitter = gp.Emitter("a", size_over_life=curve)
        drag = gp.Drag(1, over_life=[(0, 1), (1, 0)])
        needed = len(emitter.size_over_life.segments()) + 3 + 1
        assert stop_rows(emitter, (drag,)) >= needed
    few, more = (gp.Emitter("a", size_over_life=[(0, 1), (t, 2), (1, 0)]) for t in (0.5, 1))
    assert stop_rows(few, ()) == stop_rows(more, ()) == 8


# Fields of kinds


@pytest.mark.parametrize("kind", kinds(Shape))
def test_a_shapes_fields_fit_and_none_crosses_a_row(kind: str) -> None:
    taken: set[tuple[int, int]] = set()
    width = {"float": 1, "vec2": 2, "vec3": 3}
    places = shape_places(kinds(Shape)[kind])
    assert [info for info, _, _ in places] == list(fields_of(kinds(Shape)[kind]))
    for info, row, column in places:
        assert row < SHAPE_ROWS
        assert column + width[info.type] <= 4
        cells = {(row, column + i) for i in range(width[info.type])}
        assert not cells & taken
        taken |= cells


@pytest.mark.parametrize(
    ("emitter_space", "modifier_space", "moves"),
    [
        ("world", "emitter", True),
        ("local", "world", True),
        ("world", "world", False),
        ("local", "emitter", False),
    ],
)
def test_only_what_lies_in_another_frame_moves(
    emitter_space: str, modifier_space: str, moves: bool
) -> None:
    emitter = gp.Emitter("a", space=emitter_space)
    assert moving(gp.Radial(1, space=modifier_space), emitter) is moves
    assert not moving(gp.Drag(1), emitter)


@pytest.mark.parametrize("index", range(len(kinds(Modifier))))
def test_a_modifiers_fields_are_members(index: int) -> None:
    """By kind, place in the list and field; variation and curve only where there are any."""
    kind = FULL[index].kind
    full = emitter_block(gp.Emitter("a"), FULL, pooled=True).offsets
    plain = emitter_block(gp.Emitter("a"), PLAIN, pooled=True).offsets
    fields = {f"u_{kind}{index}_{info.name}" for info in fields_of(type(FULL[index]))}
    if FULL[index].phased:
        fields.add(f"u_{kind}{index}_phase")
    parts = set()
    if isinstance(FULL[index], Scaled):
        parts = {f"u_{kind}{index}_variation", f"u_{kind}{index}_over_life"}
    if isinstance(FULL[index], Collision):
        fields |= {f"u_{kind}{index}_surface"}
        parts = {f"u_{kind}{index}_radius_factor"}
    assert {name for name in full if name.startswith(f"u_{kind}{index}_")} == fields | parts
    assert {name for name in plain if name.startswith(f"u_{kind}{index}_")} == fields


# Channels


def test_a_slot_takes_88_bytes() -> None:
    """Two sides of state and one set of birth data; in a pool, whose a particle is besides."""
    state = 2 * sum(channel.nbytes for channel in STATE)
    assert state + sum(channel.nbytes for channel in channels(pooled=False)) == 88
    assert state + sum(channel.nbytes for channel in channels(pooled=True)) == 92


def test_no_framebuffer_has_more_than_eight_attachments() -> None:
    """That many are guaranteed."""
    assert len(STATE) + len(channels(pooled=True)) <= 8


def test_forever_is_the_same_on_both_sides() -> None:
    """Finite in float32, longer than any lifetime, and shorter than the age of the dead."""
    assert population._FOREVER_SECONDS == FOREVER
    assert 1e19 < FOREVER < 1e30
