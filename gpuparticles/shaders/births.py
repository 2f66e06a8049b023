"""The text of the birth pass, which writes newborn particles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gpuparticles.effect.draws import (
    GIVEN_COLOR,
    GIVEN_POSITION,
    GIVEN_SIZE,
    GIVEN_VELOCITY,
    Draw,
    draws,
    over_loop,
)
from gpuparticles.effect.effect import Emitter
from gpuparticles.effect.modifiers import Modifier
from gpuparticles.effect.values import Curve, Gradient
from gpuparticles.shaders.compose import compose, dead_state, outputs, smooth, store_state
from gpuparticles.shaders.layout import (
    STATE,
    aims,
    birth_block,
    birth_curves,
    birth_outputs,
    kept,
    shape_places,
)
from gpuparticles.shaders.own import begin_own, end_own, own_code
from gpuparticles.shaders.sources import Line, Source

__all__ = ["birth"]


def birth(
    emitter: Emitter,
    modifiers: Sequence[Modifier] = (),
    *,
    pooled: bool = False,
    given: bool = False,
    rest: bool = False,
) -> tuple[Source, Source]:
    """Vertex and fragment text of the pass that writes newborn particles.

    Args:
        emitter: Its shape, its space and what of a birth is in use decide the text.
        modifiers: The emitter's, then the effect's; a birth knows them by the room they leave.
        pooled: Births carry the instance they belong to.
        given: Births carry what a host gives of them.
        rest: It writes what does not fit into one pass.
    """
    block = birth_block(emitter, modifiers)
    looked_up = birth_curves(emitter)
    drawn = {drawn.key: _drawn(drawn) for drawn in draws(emitter)}
    trailed = emitter.trail is not None
    every = birth_outputs(kept(emitter), pooled=pooled, trailed=trailed)
    process = emitter.process if emitter.process is not None and emitter.process.starts else None
    openings: dict[str, Sequence[str | Line]] = {
        "block": block.text(),
        "outputs": [
            *outputs(every, rest=rest),
            "void store_dead() {",
            *(f"    o_{c.name} = {c.glsl}(0);" for c in every[len(STATE) :]),
            *dead_state(),
            "}",
            *store_state(),
            "void store_birth(Particle p, vec4 attributes, vec4 color) {",
            "    o_lifetime_seed = uvec2(floatBitsToUint(p.lifetime), p.seed);",
            "    o_attributes = attributes;",
            "    o_color = color;",
            "}",
        ],
        "uniforms": [
            *(["uniform sampler2D u_instances;"] if pooled else []),
            *(["uniform ivec3 u_marks;"] if trailed and not rest else []),
        ],
        "record": _record(pooled=pooled, timed=over_loop(emitter), given=given),
        "shape": [f"    {_shape_call(emitter)};"],
        "launch": _launch(emitter, drawn),
        "place": [*_place(emitter, drawn, pooled=pooled), *(_GIVEN_MOTION if given else ())],
        "own": [] if process is None else own_code(process, f"{emitter.name}: process"),
        "attributes": [
            *_attributes(emitter, drawn, given=given),
            *(_start(emitter) if process is not None else []),
            *(
                f"    o_{c.name} = {'vec4(0.0)' if process is None else f'state.{c.name}'};"
                for c in kept(emitter)
            ),
            *(_ORIGIN if trailed and not rest else []),
        ],
        "smooth": smooth(curve for _, _, curve in looked_up),
    }
    kernels = [f"shapes/{emitter.shape.kind}.glsl"]
    if pooled:
        kernels.insert(0, "lib/instance.glsl")
    if looked_up:
        kernels.insert(0, "lib/curve.glsl")
    if isinstance(emitter.direction, str):
        kernels.insert(0, "lib/launch.glsl")
    if process is not None:
        kernels.append("lib/process.glsl")
    vertex = compose("passes/birth.vert", {"block": block.text()})
    return vertex, compose("passes/birth.frag", openings, kernels)


def _start(emitter: Emitter) -> list[str]:
    """The author's own code at a birth, after all that was drawn or given."""
    lines = [
        *begin_own(emitter, born=True),
        "start(state, color);",
        "color = to_half(color);",
        *end_own(emitter),
    ]
    return [f"    {line}" for line in lines]


# What a trail begins with. u_marks: the last mark before the step, ticks from there to its begin,
# and from one mark to the next. Who was born before the step is in none that was set before it.
_ORIGIN = [
    "    int ticks = -int(floor(0.5 - moment * u_ticks));",
    "    int mark = u_marks.x + max(ticks + u_marks.y, 0) / u_marks.z;",
    "    o_origin = uvec4(floatBitsToUint(p.position), uint(mark));",
]


# What a host has given of a birth, three texels behind its record; see playback/given.py.
_GIVEN = (
    "    vec4 given_place = uintBitsToFloat(births_texel(at + TEXELS));",
    "    vec4 given_motion = uintBitsToFloat(births_texel(at + TEXELS + 1));",
    "    vec4 given_color = uintBitsToFloat(births_texel(at + TEXELS + 2));",
    "    int given = int(given_place.w);",
)
_GIVEN_MOTION = (
    f"    p.position = (given & {GIVEN_POSITION}) != 0 ? given_place.xyz : p.position;",
    f"    p.velocity = (given & {GIVEN_VELOCITY}) != 0 ? given_motion.xyz : p.velocity;",
)


def _record(*, pooled: bool, timed: bool, given: bool) -> list[str]:
    if given:
        texels = 2 if timed else 1
        lines = [
            f"    int at = v_records + {texels + 3} * rank;",
            "    uvec4 record = births_texel(at);",
            *(line.replace("TEXELS", str(texels)) for line in _GIVEN),
        ]
        more = ["    float loop = uintBitsToFloat(births_texel(at + 1).y);"]
        return lines + more if timed else lines
    if not pooled and not timed:
        return [
            "    uvec4 record = v_records < 0 ? v_record : births_texel(v_records + rank);",
        ]
    lines = [
        "    uvec4 record = births_texel(v_records + 2 * rank);",
        "    uvec4 more = births_texel(v_records + 2 * rank + 1);",
    ]
    if pooled:
        lines += ["    uint instance = more.x;", "    o_instance = instance;"]
    if timed:
        lines += ["    float loop = uintBitsToFloat(more.y); // how far it has come, 0..1"]
    return lines


def _drawn(drawn: Draw) -> str:
    """The value of one birth."""
    member = f"u_{drawn.name}"
    channel = f"CHANNEL_{drawn.name.upper()}"
    if drawn.axis is not None:
        member += f"[{drawn.axis}]"
        channel += f" + {drawn.axis}u"
    curved = isinstance(drawn.value, Curve)
    value = f"curve_at({member}, loop)" if curved else f"draw({member}, seed, {channel})"
    return f"random_handedness(seed) * {value}" if drawn.handed else value


def _launch(emitter: Emitter, drawn: Mapping[str, str]) -> list[str]:
    """Where to, and how fast, in the emitter's frame and before the spread."""
    if "speed" in drawn:
        match emitter.direction:
            case "normal":
                axis = "unit_or_up(scaled_normal(birth.normal, u_shape_scale))"
            case "outward":
                axis = "unit_or_up(p.position)"
            case "inward":
                axis = "unit_or_up(-p.position)"
            case _:
                axis = "u_direction" if aims(emitter) else "vec3(0.0, 1.0, 0.0)"
        return [f"    vec3 launch = {axis};", f"    float speed = {drawn['speed']};"]
    return [
        "    vec3 velocity = vec3(",
        f"        {drawn['velocity0']},",
        f"        {drawn['velocity1']},",
        f"        {drawn['velocity2']});",
        "    vec3 launch = unit(velocity);",
        "    float speed = length(velocity);",
    ]


def _attributes(emitter: Emitter, drawn: Mapping[str, str], *, given: bool) -> list[str]:
    """What never changes after birth, and the colour."""
    width = f"size * {drawn['width']}" if "width" in drawn else "size"
    height = f"size * {drawn['height']}" if "height" in drawn else "size"
    color = "u_birth_color"
    if isinstance(emitter.color, Gradient):
        color = "gradient_at(u_birth_color.xy, random_uniform(seed, CHANNEL_COLOR))"
    size = drawn["size"]
    color = f"{color} * birth.color"
    if given:
        size = f"(given & {GIVEN_SIZE}) != 0 ? given_motion.w : {size}"
        color = f"(given & {GIVEN_COLOR}) != 0 ? given_color : {color}"
    return [
        f"    p.rotation = to_half({drawn['rotation']});",
        f"    float size = {size};",
        f"    float stretch = {drawn['stretch']};",
        f"    float turning = {drawn['angular_velocity']};",
        f"    vec4 attributes = to_half(vec4({width}, stretch, {height}, turning));",
        f"    vec4 color = to_half({color});",
    ]


def _place(emitter: Emitter, drawn: Mapping[str, str], *, pooled: bool) -> list[str]:
    """From the emitter's frame to where particles live, at the birth's own moment.

    The scale and the mirror always apply, the rest of the transform in world space; what is added
    to the velocity comes last.
    """
    radial = "radial_speed" in drawn
    if pooled:
        lines = [
            "    Instance frame = load_instance(u_instances, instance);",
            "    vec3 place = place_along(frame, along);",
            "    vec4 around = turn_along(frame, along);",
            "    mat3 scale = frame.scale;",
        ]
    else:
        lines = [
            "    vec3 place = u_place_begin + (u_place_end - u_place_begin) * along;",
            "    vec4 around = slerp(u_turn_begin, u_turn_end, u_turn_arc, along);",
            "    mat3 scale = u_scale_begin + (u_scale_end - u_scale_begin) * along;",
        ]
    lines.insert(0, "    float along = u_path_begin + u_path_rate * moment;")
    lines += ["    p.position = scale * p.position;", "    launch = unit(scale * launch);"]
    if radial:
        lines.append("    vec3 outward = unit(p.position);")
    if emitter.space == "world" and emitter.inherit_orientation:
        lines += [
            "    p.position = place + turn(around, p.position);",
            "    launch = turn(around, launch);",
            *(["    outward = turn(around, outward);"] if radial else []),
        ]
    elif emitter.space == "world":
        lines.append("    p.position = place + p.position;")
    lines.append("    p.velocity = speed * launch;")
    if radial:
        lines.append(f"    p.velocity += {drawn['radial_speed']} * outward;")
    if "inherit_velocity" in drawn:
        travel = "(frame.place - frame.place_begin)" if pooled else "u_travel"
        lines.append(f"    p.velocity += {drawn['inherit_velocity']} * u_path_rate * {travel};")
    return lines


def _shape_call(emitter: Emitter) -> str:
    arguments = ["birth"]
    for info, row, column in shape_places(type(emitter.shape)):
        width = 1 if info.type == "float" else int(info.type[-1])
        arguments.append(f"u_shape[{row}].{'xyzw'[column : column + width]}")
    return f"emit_{emitter.shape.kind}({', '.join(arguments)})"
