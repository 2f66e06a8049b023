"""How the passes' text is composed: strings in, strings out."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Any

import moderngl
import pytest

import gpuparticles as gp
from gpuparticles.effect import Modifier, Shape, kinds
from gpuparticles.errors import ShaderError
from gpuparticles.gpu.programs import UNITS, Programs
from gpuparticles.shaders import Source, birth, blend, compose, shift, sprite, update
from gpuparticles.shaders.sources import Line, read
from tests.shaders.conftest import example

FULL = tuple(example(cls, full=True) for cls in kinds(Modifier).values())
FORCES = (gp.Acceleration((0, -1, 0)), gp.Drag(1), gp.Radial(1), gp.Vortex(1))
RAMP = [(0, 1), (1, 0)]
BARE = gp.Emitter("bare")


def passes(emitter: gp.Emitter, modifiers: tuple[Modifier, ...]) -> Iterator[tuple[Source, Source]]:
    """All programs that an emitter may need, alone and in a pool."""
    yield shift()
    yield blend()
    for pooled in (False, True):
        yield birth(emitter, pooled=pooled)
        yield update(emitter, modifiers, pooled=pooled)
        yield sprite(emitter, modifiers, pooled=pooled)
    yield update(emitter, modifiers, travels=True)


def every_source() -> list[Source]:
    found = []
    for shape, space in itertools.product(kinds(Shape).values(), ("world", "local")):
        emitter = gp.Emitter("a", shape=example(shape), space=space, angular_velocity=5)
        for pair in passes(emitter, FULL):
            found += pair
    return list({source.text: source for source in found}.values())


SOURCES = every_source()


# Text


def test_every_line_is_where_the_map_says() -> None:
    """Read from that line of that file, or filling an opening that stands there."""
    for source in SOURCES:
        assert source.lines[0].text == "#version 330 core"
        for line in source.lines[1:]:
            written = read(line.file)[line.number - 1].text
            assert line.text == written or written.startswith("#pragma gpuparticles ")


def test_text_and_map_have_the_same_lines() -> None:
    for source in SOURCES:
        assert source.text.splitlines() == [line.text for line in source.lines]


def test_all_openings_are_filled() -> None:
    for source in SOURCES:
        assert "#pragma" not in source.text
        assert source.text.count("#version") == 1


def test_a_file_is_included_once() -> None:
    """However many include it: no function is there twice."""
    for source in SOURCES:
        defined = re.findall(r"^\w+ (\w+)\(([^)]*)\) \{", source.text, re.MULTILINE)
        assert len(defined) == len(set(defined)) > 0


def test_every_sampler_has_a_texture_unit() -> None:
    """And no two samplers of one program share one."""
    for source in SOURCES:
        samplers = re.findall(r"^uniform u?sampler2D (\w+);", source.text, re.MULTILINE)
        units = [UNITS[name] for name in samplers]
        assert len(set(units)) == len(units)


def test_an_opening_that_nothing_fills_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def other(name: str) -> tuple[Line, ...]:
        return (*read(name), Line("#pragma gpuparticles nonsense", name, 99))

    monkeypatch.setattr(compose, "read", other)
    with pytest.raises(
        ShaderError, match=r"^passes/fullscreen\.vert:99: nothing fills the opening 'nonsense'$"
    ):
        update(BARE, ())


def test_a_kind_without_a_kernel_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gp.Drag, "kind", "syrup")
    with pytest.raises(ShaderError, match=r"^modifiers/syrup\.glsl: the shader file cannot be"):
        update(BARE, (gp.Drag(1),))


# What decides the text


def test_values_do_not() -> None:
    """Emitters of the same kinds share their programs, whatever their numbers."""
    a = gp.Emitter("a", shape=gp.Circle(1), speed=1, rate=5, lifetime=9, size_over_life=RAMP)
    b = gp.Emitter("b", shape=gp.Circle(2), speed=(2, 3), capacity=9, color=(1, 0, 0), spread=9)
    assert birth(a) == birth(b)
    first = (gp.Drag(1, variation=0.1), gp.Radial(1, center=(1, 2, 3), over_life=RAMP))
    second = (gp.Drag(9, variation=0.9), gp.Radial(-5, falloff=(1, 2), over_life=0.5))
    assert update(a, first) == update(b, second)
    assert sprite(a) == sprite(b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((gp.Drag(1), FORCES[0]), (FORCES[0], gp.Drag(1))),
        ((gp.Drag(1),), (gp.Drag(1), gp.Drag(1))),
        ((gp.Drag(1),), (gp.Drag(1, variation=0.5),)),
        ((gp.Drag(1),), (gp.Drag(1, over_life=RAMP),)),
        ((gp.Vortex(1),), (gp.Vortex(1, handedness="random"),)),
        ((gp.Radial(1),), (gp.Radial(1, space="world"),)),
        ((), (gp.Drag(1),)),
    ],
)
def test_kinds_order_and_parts_in_use_do(a: tuple[Modifier, ...], b: tuple[Modifier, ...]) -> None:
    assert update(BARE, a, travels=True)[1] != update(BARE, b, travels=True)[1]


def test_shapes_and_spaces_do() -> None:
    texts = {
        birth(gp.Emitter("a", shape=example(shape), space=space))[1].text
        for shape in kinds(Shape).values()
        for space in ("world", "local")
    }
    assert len(texts) == 2 * len(kinds(Shape))


def test_a_curve_over_the_loop_does_and_what_is_none_stays_cheap() -> None:
    """Only the scalar that is a curve is looked up, and only then is the fraction read."""
    plain, curved, other = (
        birth(gp.Emitter("a", speed=speed))[1].text
        for speed in (1, [(0, 1), (1, 2)], [(0, 1), (0.5, 7), (1, 0)])
    )
    assert curved == other
    assert "curve_at(u_speed, loop)" in curved
    assert "draw(u_size, seed, CHANNEL_SIZE)" in curved
    for word in ("curve_at", "loop", "u_stops", "more"):
        assert not re.search(rf"\b{word}\b", plain)


@pytest.mark.parametrize(
    ("settings", "in_birth", "in_update", "in_sprite"),
    [
        ({"direction": (1, 0, 0)}, "u_direction", "", ""),
        ({"direction": "normal"}, "scaled_normal(birth.normal", "", ""),
        ({"direction": "inward"}, "unit_or_up(-p.position)", "", ""),
        ({"radial_speed": 1}, "u_radial_speed", "", ""),
        ({"inherit_velocity": 1}, "u_travel", "", ""),
        ({"width": 2}, "size * draw(u_width", "", ""),
        ({"height": (1, 2)}, "size * draw(u_height", "", ""),
        ({"color": ["#f00", "#0f0"]}, "CHANNEL_COLOR)", "", ""),
        ({"handedness": "random"}, "= random_handedness(seed) *", "", ""),
        ({"width_over_life": 2}, "", "", "curve_at(u_width_over_life"),
        ({"height_over_life": RAMP}, "", "", "curve_at(u_height_over_life"),
        ({"fade_in": 0.1}, "", "", "life * u_fade_in"),
        ({"fade_out": 0.1}, "", "", "life) * u_fade_out"),
        ({"size_by_speed": RAMP}, "", "", "curve_at(u_size_by_speed"),
        ({"color_by_speed": "#f00"}, "", "", "gradient_at(u_color_by_speed"),
        ({"speed_over_life": RAMP}, "", "(pace * k)", "curve_at(u_speed_over_life"),
        (
            {"angular_velocity_over_life": RAMP, "angular_velocity": 1},
            "",
            "curve_at(u_angular_velocity_over_life",
            "",
        ),
        ({"size_over_life": gp.Curve(RAMP, "smooth")}, "", "", "fract(span.y)"),
        ({"size": gp.Curve(RAMP, "smooth")}, "fract(span.y)", "", ""),
    ],
)
def test_what_is_in_use_is_in_the_passes_that_use_it(
    settings: dict[str, Any], in_birth: str, in_update: str, in_sprite: str
) -> None:
    """And nowhere else: statements of the other passes are those of a bare emitter."""
    emitter = gp.Emitter("a", **settings)
    plain = gp.Emitter("b", angular_velocity=1) if "angular_velocity" in settings else BARE
    texts = zip(
        (birth, lambda e: update(e, ()), sprite), (in_birth, in_update, in_sprite), strict=True
    )
    for make, expected in texts:
        with_it, without = (
            re.sub(r"layout\(std140\).*?};", "", "\n".join(s.text for s in make(e)), flags=re.S)
            for e in (emitter, plain)
        )
        assert (expected in with_it) is True
        if expected:
            assert expected not in without
        else:
            assert with_it == without


def test_left_and_right_share_a_program() -> None:
    """A hand is the strength's sign; only the random one is drawn in the shader."""
    right, left = gp.Vortex(1), gp.Vortex(1, handedness="left")
    assert update(BARE, (right,)) == update(BARE, (left,))


def test_a_still_emitter_shares_more() -> None:
    """While it stands still, nothing of it is interpolated."""
    assert "_delta * along" not in update(BARE, FORCES)[1].text
    assert "_delta * along" in update(BARE, FORCES, travels=True)[1].text


FACINGS = ("camera", "position", "emitter", "velocity", "axis", "point")
LOOKS = (
    gp.Sprite(pivot=(0, 0.5)),
    gp.Sprite(size_unit="pixels", shortest=1),
    gp.Sprite(near_fade=(1, 2), far_fade=(8, 9)),
    gp.Sprite(softness=0.5),
    gp.Sprite(alpha_clip=0.5, depth_write=True),
    gp.Sprite(flipbook=gp.Flipbook(2, 2, fps=9, loop="ping_pong", blend=True)),
)


def seen(sprite_: gp.Sprite, space: str = "world", *, pooled: bool = False) -> str:
    emitter = gp.Emitter("a", space=space, sprite=sprite_)
    vertex, fragment = sprite(emitter, pooled=pooled)
    return vertex.text + fragment.text


def test_a_sprite_pays_for_what_it_uses() -> None:
    plain = seen(gp.Sprite())
    words = "u_pivot u_length _fade soft discard v_next u_frame u_axis eye("
    for word in words.split():
        assert word not in plain
    assert len({plain, *map(seen, LOOKS)}) == 1 + len(LOOKS)
    assert len({seen(gp.Sprite(facing=facing)) for facing in FACINGS}) == len(FACINGS)


def test_values_of_a_sprite_do_not_decide() -> None:
    pairs = (
        (gp.Sprite(pivot=(0.1, 0)), gp.Sprite(pivot=(0, -0.5))),
        (gp.Sprite(shortest=1), gp.Sprite(longest=9)),
        (gp.Sprite(near_fade=(1, 2)), gp.Sprite(near_fade=(0, 0))),
        (gp.Sprite(alpha_clip=0), gp.Sprite(alpha_clip=1, depth_write=True)),
        (gp.Sprite(softness=1), gp.Sprite(softness=9)),
        (gp.Sprite(facing="axis"), gp.Sprite(facing="axis", axis=(1, 0, 0), look_at=(1, 1, 1))),
        (gp.Sprite(facing="point"), gp.Sprite(facing="point", look_at=(1, 2, 3))),
        (
            gp.Sprite(flipbook=gp.Flipbook(3, fps=9)),
            gp.Sprite(flipbook=gp.Flipbook(4, 2, fps=1, loop=True, start="random")),
        ),
    )
    for a, b in pairs:
        assert seen(a) == seen(b)


def test_every_sprite_compiles(ctx: moderngl.Context) -> None:
    programs = Programs.of(ctx)
    sprites = [*LOOKS, *(gp.Sprite(facing=facing) for facing in FACINGS)]
    for each, space, pooled in itertools.product(sprites, ("world", "local"), (False, True)):
        emitter = gp.Emitter(
            "a", space=space, sprite=each, color_by_speed=[(0, "#f00"), (1, "#0f0")]
        )
        programs.release(programs.acquire(sprite(emitter, pooled=pooled), quads=True))
    assert len(programs) == 0


# The step


def body(source: Source) -> list[str]:
    """The statements of main, in order."""
    lines = [line.text.strip() for line in source.lines]
    return lines[lines.index("void main() {") :]


def test_kernels_run_once_and_their_halves_in_order_and_back() -> None:
    """Half the path, the kernels, both halves of their effects, the other half of the path."""
    lines = body(update(BARE, (gp.Drag(1), FORCES[0], gp.Radial(1)))[1])
    steps = [
        match[0]
        for line in lines
        if (match := re.match(r"p\.(position|velocity) [*+]= [^;]*;|\w+ (keep|force)\d =", line))
    ]
    drift = "p.position += p.velocity * k;"
    drag, push, pull = (
        "p.velocity *= keep0;",
        "p.velocity += force1 * k;",
        "p.velocity += force2 * k;",
    )
    kernels = ["float keep0 =", "vec3 force1 =", "vec3 force2 ="]
    assert steps == [drift, *kernels, drag, push, pull, pull, push, drag, drift]


def test_a_kernel_is_there_once_for_several_of_its_kind() -> None:
    text = update(BARE, (gp.Radial(1), gp.Radial(2), gp.Radial(3)))[1].text
    assert text.count("vec3 modify_radial(") == 1
    assert text.count("= modify_radial(p, ") == 3


def test_what_is_not_in_use_costs_nothing() -> None:
    text = update(BARE, ())[1].text
    for word in ("curve_at(u_", "random_signed(p.", "u_attributes", "u_instances", "along"):
        assert word not in text


# Compiled


def test_all_passes_compile_empty(ctx: moderngl.Context) -> None:
    """Without modifiers, for every shape and space, alone and in a pool."""
    programs = Programs.of(ctx)
    for shape, space in itertools.product(kinds(Shape).values(), ("world", "local")):
        emitter = gp.Emitter("a", shape=example(shape), space=space)
        held = [programs.acquire(sources) for sources in passes(emitter, ())]
        assert 0 < len(programs) <= len(held)
        for program in held:
            programs.release(program)
    assert len(programs) == 0


@pytest.mark.parametrize("kind", kinds(Modifier))
def test_every_modifier_compiles_with_all_its_parts(ctx: moderngl.Context, kind: str) -> None:
    """Beside one without them, in its other frame and in the particles' own."""
    programs = Programs.of(ctx)
    cls = kinds(Modifier)[kind]
    for space in ("world", "local"):
        emitter = gp.Emitter("a", space=space, angular_velocity=1)
        for pair in passes(emitter, (example(cls), example(cls, full=True))):
            programs.release(programs.acquire(pair))
    assert len(programs) == 0
