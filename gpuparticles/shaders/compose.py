"""Composes the text of the passes from the GLSL tree, an emitter and the declared layout.

A pass file marks its openings with ``#pragma gpuparticles NAME``, which any GLSL editor accepts.
Emitters whose ordered kinds, and the optional parts of them that are in use, agree get the same
text, whatever their values: values are uniforms.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gpuparticles.effect.draws import Draw, draws, over_loop
from gpuparticles.effect.effect import Emitter
from gpuparticles.effect.kinds import fields_of
from gpuparticles.effect.modifiers import Collision, Constraint, Modifier, Scaled
from gpuparticles.effect.sprite import Sprite
from gpuparticles.effect.values import Curve, Gradient
from gpuparticles.errors import ShaderError
from gpuparticles.shaders.layout import (
    ATTRIBUTES,
    HEAD,
    INSTANCE,
    LIFETIME_SEED,
    POSITION_AGE,
    STATE,
    Block,
    Channel,
    aims,
    birth_block,
    birth_curves,
    by_speed,
    channels,
    emitter_block,
    fades,
    look_block,
    look_curves,
    measures,
    motion_curves,
    moving,
    over_life,
    shape_places,
    sorts,
    spins,
    sprite_members,
)
from gpuparticles.shaders.sources import Line, Source, read

__all__ = [
    "alive",
    "birth",
    "blend",
    "cut",
    "fullscreen",
    "key",
    "merge",
    "move",
    "runs",
    "shift",
    "sprite",
    "update",
]

_PRAGMA = "#pragma gpuparticles "


def birth(
    emitter: Emitter, modifiers: Sequence[Modifier] = (), *, pooled: bool = False
) -> tuple[Source, Source]:
    """Vertex and fragment text of the pass that writes newborn particles.

    Args:
        emitter: Its shape, its space and what of a birth is in use decide the text.
        modifiers: The emitter's, then the effect's; a birth knows them by the room they leave.
        pooled: Births carry the instance they belong to.
    """
    block = birth_block(emitter, modifiers)
    looked_up = birth_curves(emitter)
    drawn = {drawn.key: _drawn(drawn) for drawn in draws(emitter)}
    every = (*STATE, *channels(pooled=pooled))
    openings = {
        "block": block.text(),
        "outputs": [
            *_outputs(every),
            "void store_dead() {",
            *(f"    o_{c.name} = {c.glsl}(0);" for c in every[len(STATE) :]),
            *_dead(),
            "}",
            *_store_state(),
            "void store_birth(Particle p, vec4 attributes, vec4 color) {",
            "    o_lifetime_seed = uvec2(floatBitsToUint(p.lifetime), p.seed);",
            "    o_attributes = attributes;",
            "    o_color = color;",
            "}",
        ],
        "uniforms": ["uniform sampler2D u_instances;"] if pooled else [],
        "record": _record(pooled=pooled, timed=over_loop(emitter)),
        "shape": [f"    {_shape_call(emitter)};"],
        "launch": _launch(emitter, drawn),
        "place": _place(emitter, drawn, pooled=pooled),
        "attributes": _attributes(emitter, drawn),
        "smooth": _smooth(curve for _, _, curve in looked_up),
    }
    kernels = [f"shapes/{emitter.shape.kind}.glsl"]
    if pooled:
        kernels.insert(0, "lib/instance.glsl")
    if looked_up:
        kernels.insert(0, "lib/curve.glsl")
    if isinstance(emitter.direction, str):
        kernels.insert(0, "lib/launch.glsl")
    vertex = _compose("passes/birth.vert", {"block": block.text()})
    return vertex, _compose("passes/birth.frag", openings, kernels)


def update(
    emitter: Emitter,
    modifiers: Sequence[Modifier],
    *,
    pooled: bool = False,
    travels: bool = False,
) -> tuple[Source, Source]:
    """Vertex and fragment text of the pass that advances every particle by one step.

    Args:
        emitter: Its space decides which fields need another frame.
        modifiers: The emitter's, then the effect's, in the order in which they apply.
        pooled: Particles look up the frame of the instance that they belong to.
        travels: The emitter moves or turns in this step, and what lies in another frame with it.
    """
    turns = spins(emitter)
    attributes = turns or any(map(measures, modifiers))
    constrained = any(isinstance(modifier, Constraint) for modifier in modifiers)
    own = motion_curves(emitter)
    in_use = {name for name, _, _ in own}
    turning = "texelFetch(u_attributes, slot, 0).w"
    if "u_angular_velocity_over_life" in in_use:
        turning += " * curve_at(u_angular_velocity_over_life, p.life)"
    pace, drift = [], "        p.position += p.velocity * k;"
    if "u_speed_over_life" in in_use:
        pace = ["        float pace = curve_at(u_speed_over_life, p.life);"]
        drift = "        p.position += p.velocity * (pace * k);"
    over_lives = [curve for curve in map(over_life, modifiers) if curve is not None]
    if any(map(measures, modifiers)):
        over_lives.append(emitter.size_over_life)
    inputs = [*STATE, *(c for c in channels(pooled=pooled) if c.name == "lifetime_seed")]
    needs_frame = pooled and any(moving(m, emitter) for m in modifiers)
    framed = any(m.framed and moving(m, emitter) for m in modifiers)
    openings = {
        "block": emitter_block(emitter, modifiers, pooled=pooled).text(),
        "outputs": [*_outputs(STATE), *_store_state()],
        "inputs": [
            *(_sampler(c) for c in inputs),
            *([_sampler(ATTRIBUTES)] if attributes else []),
            *([_sampler(INSTANCE), "uniform sampler2D u_instances;"] if needs_frame else []),
            *_load(inputs),
        ],
        "smooth": _smooth([*(curve for _, _, curve in own), *over_lives]),
        "pace": pace,
        "drift": [drift],
        "modify": [
            *(_INSTANCE_FRAME if needs_frame else []),
            *(_ALONG if travels else []),
            *(_frame(pooled=pooled, travels=travels) if framed else []),
            *_modify(emitter, modifiers, pooled=pooled, travels=travels),
        ],
        "before": ["        Particle before = p;"] if constrained else [],
        "constrain": _constrain(emitter, modifiers, pooled=pooled, travels=travels),
        # Whole ticks, as every age.
        "lose": ["        p.age += floor(contact.lost * u_ticks + 0.5) * u_tick;"]
        if constrained
        else [],
        # Only the part of a turn is kept: a sprite that turns for a day turns as smoothly as one
        # that has just begun.
        "spin": [
            f"        float spin = {turning};",
            *(["        spin = contact.resting ? 0.0 : spin;"] if constrained else []),
            "        float turned = p.rotation + spin * h;",
            "        p.rotation = turned - trunc(turned);",
        ]
        if turns
        else [],
    }
    kernels = list(dict.fromkeys(f"modifiers/{m.kind}.glsl" for m in modifiers))
    if constrained:
        kernels.insert(0, "lib/contact.glsl")
    if any(m.role == "flow" for m in modifiers):
        kernels.insert(0, "lib/flow.glsl")
    if framed:
        kernels.insert(0, "lib/frame.glsl")
    if needs_frame:
        kernels.insert(0, "lib/instance.glsl")
    return fullscreen(), _compose("passes/update.frag", openings, kernels)


def shift() -> tuple[Source, Source]:
    """Vertex and fragment text of the pass that makes positions relative to another anchor."""
    openings = {
        "block": Block(HEAD).text(),
        "outputs": _outputs(STATE),
        "inputs": [_sampler(c) for c in STATE],
    }
    return fullscreen(), _compose("passes/shift.frag", openings)


def blend() -> tuple[Source, Source]:
    """Vertex and fragment text of the pass that makes what is seen between two steps."""
    openings = {
        "outputs": _outputs(STATE),
        "inputs": [
            *(f"uniform sampler2D u_before_{c.name};" for c in STATE),
            *(_sampler(c) for c in (*STATE, LIFETIME_SEED)),
        ],
    }
    return fullscreen(), _compose("passes/blend.frag", openings)


def alive() -> tuple[Source, Source]:
    """Vertex and fragment text of the pass that packs who lives."""
    inputs = [STATE[0], LIFETIME_SEED]
    openings = {"inputs": [*(_sampler(c) for c in inputs), *_load(inputs)]}
    return fullscreen(), _compose("passes/alive.frag", openings)


def move(channel: Channel) -> tuple[Source, Source]:
    """Vertex and fragment text of the pass that gives particles other slots, texture by texture.

    Args:
        channel: What the texture holds: whole numbers or others, and whether an age.
    """
    scalar = "uvec4" if channel.dtype[0] == "u" else "vec4"
    age = "DEAD" if ("age", "w") in channel.fields else "0"
    openings = {
        "texel": [
            f"uniform {'u' if scalar == 'uvec4' else ''}sampler2D u_source;",
            f"layout(location = 0) out {scalar} o_texel;",
            f"const {scalar} NOBODY = {scalar}(0, 0, 0, {age});",
        ]
    }
    return fullscreen(), _compose("passes/move.frag", openings)


def key(emitter: Emitter, *, pooled: bool = False) -> tuple[Source, Source]:
    """Vertex and fragment text of the pass that says by what particles are sorted.

    Args:
        emitter: Its order decides the text; in a pool its space too.
        pooled: Particles carry an instance, which says where they are.
    """
    inputs = [POSITION_AGE, LIFETIME_SEED]
    lines, uniforms, kernels = [], [], []
    if emitter.sprite.order == "depth":
        if pooled and emitter.space == "local":
            inputs.append(INSTANCE)
            uniforms.append("uniform sampler2D u_instances;")
            kernels = ["lib/space.glsl", "lib/instance.glsl"]
            lines += [
                "        Instance frame =",
                "            load_instance(u_instances, texelFetch(u_instance, slot, 0).x);",
                "        position = frame.place + turn(frame.turn, position);",
            ]
        uniforms.append("uniform vec3 u_axis; // towards the eye, where particles live")
        value = "dot(u_axis, position)"
    else:
        value = "-age" if emitter.sprite.order == "oldest" else "age"
    openings = {
        "inputs": [*(_sampler(c) for c in inputs), *uniforms],
        "key": [*lines, f"        key = ordered({value});"],
    }
    return fullscreen(), _compose("passes/key.frag", openings, kernels)


def runs() -> tuple[Source, Source]:
    """Vertex and fragment text of the pass that sorts a few entries each."""
    return fullscreen(), _compose("passes/runs.frag", {})


def cut() -> tuple[Source, Source]:
    """Vertex and fragment text of the pass that prepares a merge."""
    return fullscreen(), _compose("passes/cut.frag", {})


def merge(*, instanced: bool = False) -> tuple[Source, Source]:
    """Vertex and fragment text of the pass that merges sorted runs two by two.

    Args:
        instanced: It is the last one, and the sprite pass wants to know no longer by what particles
            were sorted, but whose they are.
    """
    openings: dict[str, list[str]] = {"inputs": [], "entry": []}
    if instanced:
        slot = "ivec2(int(entry.y) & u_runs.z, int(entry.y) >> u_runs.w)"
        openings = {
            "inputs": [_sampler(INSTANCE)],
            "entry": [f"    entry.x = texelFetch(u_instance, {slot}, 0).x;"],
        }
    return fullscreen(), _compose("passes/merge.frag", openings)


def sprite(
    emitter: Emitter, modifiers: Sequence[Modifier] = (), *, pooled: bool = False
) -> tuple[Source, Source]:
    """Vertex and fragment text of the sprite pass.

    Args:
        emitter: What of a look is in use, whether it is sorted and the rows of its stops decide
            the text; in a pool its space too.
        modifiers: The emitter's, then the effect's: they have stops as well.
        pooled: Particles carry an instance, which has a tint.
    """
    ordered = sorts(emitter)
    drawn = (*STATE, *channels(pooled=pooled and not ordered))
    block = look_block(emitter, modifiers).text()
    looked_up = [*motion_curves(emitter), *look_curves(emitter)]
    openings = {
        "block": block,
        "smooth": _smooth(curve for _, _, curve in looked_up),
        "inputs": [
            *(_sampler(c) for c in drawn),
            *(["uniform sampler2D u_instances;"] if pooled else []),
            *(["uniform usampler2D u_order;"] if ordered else []),
            *(f"uniform {kind} {name};" for kind, name in _faced(emitter, pooled=pooled)),
        ],
        "order": _ORDER if ordered else [],
        "instance": _sprite_instance(
            pooled=pooled, local=emitter.space == "local", ordered=ordered
        ),
        "look": _look(emitter),
        "extent": _extent(emitter),
        **_sprite(emitter, pooled=pooled),
    }
    kernels = [f"facings/{emitter.sprite.facing}.glsl"]
    if pooled:
        kernels.insert(0, "lib/instance.glsl")
    vertex = _compose("draw/sprite.vert", openings, kernels)
    return vertex, _compose("draw/sprite.frag", {"block": block, **_texel(emitter.sprite)})


def fullscreen() -> Source:
    """Vertex text of a pass over the whole viewport."""
    return _compose("passes/fullscreen.vert", {})


def _compose(
    name: str, openings: Mapping[str, Iterable[str]], kernels: Iterable[str] = ()
) -> Source:
    """Fill a pass file's openings; ``kernels`` are files, the other openings are lines."""
    lines = [Line("#version 330 core", name, 0)]
    seen: set[str] = set()

    def add(file: str) -> None:
        if file in seen:
            return
        seen.add(file)
        for line in read(file):
            if not line.text.startswith(_PRAGMA):
                lines.append(line)
                continue
            opening, _, argument = line.text.removeprefix(_PRAGMA).partition(" ")
            if opening == "include":
                add(argument.strip())
            elif opening == "kernels":
                for kernel in kernels:
                    add(kernel)
            elif opening in openings:
                lines.extend(Line(text, file, line.number) for text in openings[opening])
            else:
                raise ShaderError(f"{file}:{line.number}: nothing fills the opening {opening!r}")

    add(name)
    return Source(tuple(lines))


def _outputs(every: Sequence[Channel]) -> list[str]:
    return [f"layout(location = {i}) out {c.glsl} o_{c.name};" for i, c in enumerate(every)]


def _sampler(channel: Channel) -> str:
    return f"uniform {'u' if channel.dtype[0] == 'u' else ''}sampler2D u_{channel.name};"


def _dead() -> list[str]:
    return [
        f"    o_{c.name} = vec4(0.0, 0.0, 0.0, {'DEAD' if ('age', 'w') in c.fields else '0.0'});"
        for c in STATE
    ]


def _store_state() -> list[str]:
    return [
        "void store_state(Particle p) {",
        *(
            f"    o_{c.name} = vec4({', '.join(f'p.{name}' for name, _ in c.fields)});"
            for c in STATE
        ),
        "}",
    ]


def _load(inputs: Sequence[Channel]) -> list[str]:
    lines = ["Particle load_particle(ivec2 slot) {", "    Particle p;"]
    for channel in inputs:
        texel = "uvec4" if channel.dtype[0] == "u" else "vec4"
        lines.append(f"    {texel} {channel.name} = texelFetch(u_{channel.name}, slot, 0);")
        for name, swizzle in channel.fields:
            value = f"{channel.name}.{swizzle}"
            if texel == "uvec4" and name != "seed":
                value = f"uintBitsToFloat({value})"
            lines.append(f"    p.{name} = {value};")
    return [*lines, "    return p;", "}"]


def _record(*, pooled: bool, timed: bool) -> list[str]:
    if not pooled and not timed:
        return ["    uvec4 record = births_texel(v_records + rank);"]
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


def _attributes(emitter: Emitter, drawn: Mapping[str, str]) -> list[str]:
    """What never changes after birth, and the colour."""
    width = f"size * {drawn['width']}" if "width" in drawn else "size"
    height = f"size * {drawn['height']}" if "height" in drawn else "size"
    color = "u_birth_color"
    if isinstance(emitter.color, Gradient):
        color = "gradient_at(u_birth_color.xy, random_uniform(seed, CHANNEL_COLOR))"
    return [
        f"    p.rotation = to_half({drawn['rotation']});",
        f"    float size = {drawn['size']};",
        f"    float stretch = {drawn['stretch']};",
        f"    float turning = {drawn['angular_velocity']};",
        f"    vec4 attributes = to_half(vec4({width}, stretch, {height}, turning));",
        f"    vec4 color = to_half({color} * birth.color);",
    ]


def _smooth(looked_up: Iterable[Curve | Gradient]) -> list[str]:
    """What makes curves smooth, where one of them is: a half in the span's count says which."""
    if all(curve.interpolation != "smooth" for curve in looked_up):
        return []
    return ["    f = mix(f, f * f * (3.0 - 2.0 * f), 2.0 * fract(span.y));"]


def _place(emitter: Emitter, drawn: Mapping[str, str], *, pooled: bool) -> list[str]:
    """From the emitter's frame to where particles live, at the birth's own moment.

    The scale and the mirror always apply, the rest of the transform in world space; what is added
    to the velocity comes last.
    """
    radial = "radial_speed" in drawn
    if pooled:
        lines = [
            "    Instance frame = load_instance(u_instances, instance);",
            "    vec3 place = frame.place;",
            "    vec4 around = frame.turn;",
            "    mat3 scale = frame.scale;",
        ]
    else:
        lines = [
            "    float along = u_path_begin + u_path_rate * moment;",
            "    vec3 place = u_place_begin + (u_place_end - u_place_begin) * along;",
            "    vec4 around = slerp(u_turn_begin, u_turn_end, u_turn_arc, along);",
            "    mat3 scale = u_scale_begin + (u_scale_end - u_scale_begin) * along;",
        ]
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
    if "inherit_velocity" in drawn and not pooled:
        lines.append(f"    p.velocity += {drawn['inherit_velocity']} * u_path_rate * u_travel;")
    return lines


def _shape_call(emitter: Emitter) -> str:
    arguments = ["birth"]
    for info, row, column in shape_places(type(emitter.shape)):
        width = 1 if info.type == "float" else int(info.type[-1])
        arguments.append(f"u_shape[{row}].{'xyzw'[column : column + width]}")
    return f"emit_{emitter.shape.kind}({', '.join(arguments)})"


# How much of the emitter's path has passed, in the middle of the particle's own part of the step.
_ALONG = ["        float along = u_path_begin + u_path_rate * p.time;"]

# The same at the end of that part: what constrains particles is where it is when they are read.
_ENDED = ["        float ended = u_path_begin + u_path_rate * (p.time + k);"]


def _frame(*, pooled: bool, travels: bool) -> list[str]:
    """Where the emitter is for each particle, for modifiers that see all particles in their frame.

    Unlike a point, a whole field cannot be interpolated along the path: this is exact.
    """
    if pooled:
        place, turn = "frame.place", "frame.turn"
    elif travels:
        place = "u_place_begin + (u_place_end - u_place_begin) * along"
        turn = "slerp(u_turn_begin, u_turn_end, u_turn_arc, along)"
    else:
        place, turn = "u_place_begin", "u_turn_begin"
    return [f"        vec3 place = {place};", f"        vec4 around = {turn};"]


_INSTANCE_FRAME = [
    "        uint instance = texelFetch(u_instance, slot, 0).x;",
    "        Instance frame = load_instance(u_instances, instance);",
]


def _modify(
    emitter: Emitter, modifiers: Sequence[Modifier], *, pooled: bool, travels: bool
) -> list[str]:
    """All kernels, and what they do to the particle.

    Forces and drags run once, in the middle of the step; what they give acts over half the time in
    order, then over the other half in reverse order. Motions lie between the halves; limits act
    over half the time before both and over the other half after them.
    """
    lines: list[str] = []
    kicks: list[str] = []
    motions: list[str] = []
    limits: list[str] = []
    for index, modifier in enumerate(modifiers):
        call = _kernel_call(index, modifier, emitter, pooled=pooled, travels=travels)
        match modifier.role:
            case "force":
                lines.append(f"        vec3 force{index} = {call};")
                kicks.append(f"        p.velocity += force{index} * k;")
            case "drag":
                lines.append(f"        float keep{index} = exp(-{call} * k);")
                kicks.append(f"        p.velocity *= keep{index};")
            case "flow":
                lines.append(f"        Pull pull{index} = {call};")
                kicks.append(f"        p.velocity = pulled(pull{index}, p.velocity, k);")
            case "motion":
                motions.append(f"        p.position += {call};")
            case "limit":
                limits.append(f"        p.velocity = {call};")
    return [*lines, *reversed(limits), *kicks, *motions, *reversed(kicks), *limits]


# What kernels take between the particle and the fields.
_GIVEN = {
    "motion": ["h"],
    "limit": ["k"],
    "constraint": ["before", "h", "contact"],
}


def _constrain(
    emitter: Emitter, modifiers: Sequence[Modifier], *, pooled: bool, travels: bool
) -> list[str]:
    """The constraints, one after the other, on the way that the particle has gone."""
    lines: list[str] = []
    surfaces: list[str] = []
    for index, modifier in enumerate(modifiers):
        if not isinstance(modifier, Constraint):
            continue
        first = len(lines)
        if isinstance(modifier, Collision):
            stem = f"u_{modifier.kind}{index}"
            radius = f"{stem}_surface.w"
            if measures(modifier):
                radius += f" + {stem}_radius_factor * width"
            answer = modifier.on_hit.upper()
            surface = f"Surface({stem}_surface.x, {stem}_surface.y, {stem}_surface.z, {radius}"
            lines.append(f"        contact.surface = {surface}, {answer});")
            if surfaces:
                lines.append("        contact.bent = contact.struck > 0;")
        call = _kernel_call(index, modifier, emitter, pooled=pooled, travels=travels)
        lines.append(f"        {call};")
        if isinstance(modifier, Collision):
            surfaces += lines[first:]
    if not lines:
        return []
    if sum(isinstance(modifier, Collision) for modifier in modifiers) > 1:
        # What one surface has thrown back may have been thrown through one that came before.
        lines += [
            "        if (contact.struck > 0) {",
            "        contact.last = contact.bent = true;",
        ]
        lines += [*surfaces, "        }"]
    if any(map(measures, modifiers)):
        over_life = "curve_at(u_size_over_life, p.life)"
        lines.insert(0, f"        float width = texelFetch(u_attributes, slot, 0).x * {over_life};")
    nothing = "Surface(0.0, 0.0, 0.0, 0.0, BOUNCE)"
    contact = [
        "        vec3 force = (p.velocity - before.velocity) / max(h, 1e-30);",
        "        Contact contact = Contact(",
        f"            false, 0.0, u_step_time, 0, false, false, force, {nothing});",
    ]
    return [*contact, *(_ENDED if travels else []), *lines]


def _kernel_call(
    index: int, modifier: Modifier, emitter: Emitter, *, pooled: bool, travels: bool
) -> str:
    stem = f"u_{modifier.kind}{index}"
    arguments = [
        _field(f"{stem}_{info.name}", info.role, modifier, emitter, pooled, travels)
        for info in fields_of(type(modifier))
    ]
    if isinstance(modifier, Scaled):
        factors = [arguments[0]]
        if modifier.variation:
            draw = f"random_signed(p.seed, CHANNEL_MODIFIER + {index}u)"
            factors.append(f"(1.0 + {stem}_variation * {draw})")
        if modifier.over_life is not None:
            factors.append(f"curve_at({stem}_over_life, p.life)")
        if getattr(modifier, "handedness", None) == "random":
            factors.append("random_handedness(p.seed)")
        arguments[0] = " * ".join(factors)
    if modifier.phased:
        arguments.append(f"{stem}_phase")
    particle, turn = "p", ""
    if modifier.framed and moving(modifier, emitter):
        into, turn = ("into", "turn") if emitter.space == "world" else ("out_of", "turn_back")
        particle = f"{into}(place, around, p)"
    given = [particle, *_GIVEN.get(modifier.role, []), *arguments]
    call = f"modify_{modifier.kind}({', '.join(given)})"
    return f"{turn}(around, {call})" if turn else call


def _field(
    name: str, role: str | None, modifier: Modifier, emitter: Emitter, pooled: bool, travels: bool
) -> str:
    if role is None or modifier.framed or not moving(modifier, emitter):
        return name
    if not pooled:
        along = "ended" if isinstance(modifier, Constraint) else "along"
        return f"({name} + {name}_delta * {along})" if travels else name
    if emitter.space == "world":
        return f"turn(frame.turn, {name})" + (" + frame.place" if role == "point" else "")
    offset = f"{name} - frame.place" if role == "point" else name
    return f"turn_back(frame.turn, {offset})"


def _look(emitter: Emitter) -> list[str]:
    """What the colour of a sprite depends on besides its life."""
    lines = []
    if any(name == "u_speed_over_life" for name, _, _ in motion_curves(emitter)):
        lines.append("    velocity *= curve_at(u_speed_over_life, life);")
    if by_speed(emitter):
        above = "(length(velocity) - u_speed_range.x) * u_speed_range.y"
        lines.append(f"    float pace = clamp({above}, 0.0, 1.0);")
    if any(name == "u_color_by_speed" for name, _, _ in look_curves(emitter)):
        lines.append("    color *= gradient_at(u_color_by_speed, pace);")
    if "fade_in" in fades(emitter):
        lines.append("    color.a *= min(life * u_fade_in, 1.0);")
    if "fade_out" in fades(emitter):
        lines.append("    color.a *= min((1.0 - life) * u_fade_out, 1.0);")
    return lines


def _extent(emitter: Emitter) -> list[str]:
    """What the width and the height of a sprite depend on besides their common curve."""
    factors = {
        "u_width_over_life": "    extent.x *= curve_at(u_width_over_life, life);",
        "u_height_over_life": "    extent.y *= curve_at(u_height_over_life, life);",
        "u_size_by_speed": "    extent *= curve_at(u_size_by_speed, pace);",
    }
    return [factors[name] for name, _, _ in look_curves(emitter) if name in factors]


def _sprite(emitter: Emitter, *, pooled: bool) -> dict[str, list[str]]:
    """What a sprite's own fields put into its vertex text."""
    sprite, flipbook = emitter.sprite, emitter.sprite.flipbook
    members = {member.name for member in sprite_members(sprite)}
    distance, scale, there_and_back = [], [], []
    if members & {"u_near_fade", "u_far_fade"}:
        distance = [
            "    float towards = u_projection[2][3] != 0.0 ? sign(u_projection[2][3]) : -1.0;",
            "    float ahead = center.z * towards / u_view_scale;",
        ]
    if "u_near_fade" in members:
        nearness = "(ahead - u_near_fade.x) * u_near_fade.y"
        distance.append(f"    color.a *= clamp({nearness}, 0.0, 1.0);")
    if "u_far_fade" in members:
        farness = "(u_far_fade.x - ahead) * u_far_fade.y"
        distance.append(f"    color.a *= clamp({farness}, 0.0, 1.0);")
    if distance:  # what has faded away may fill the picture: not a pixel of it is drawn
        distance += ["    if (color.a <= 0.0) {", "        hide();", "        return;", "    }"]
    if sprite.size_unit == "pixels":
        scale = [
            "    scale = u_pixel * (u_projection * vec4(center, 1.0)).w;",
            "    if (scale <= 0.0) {",
            "        hide();",
            "        return;",
            "    }",
        ]
    if flipbook is not None and flipbook.loop == "ping_pong":
        there_and_back = [
            "    float both = max(2.0 * frames - 2.0, 1.0);",
            "    frame -= both * floor(frame / both);",
            "    frame = min(frame, both - frame);",
        ]
    in_seconds = flipbook is not None and flipbook.fps is not None
    blended = flipbook is not None and flipbook.blend
    arguments = ["center", "extent", "angle", "velocity", "attributes.y"]
    match sprite.facing:
        case "emitter" if pooled:
            arguments.append("turned_axes(mat3(u_view), frame.turn)")
        case "emitter":
            arguments.append(f"mat3({'u_view' if emitter.space == 'local' else 'u_frame'})")
        case "axis" | "point":
            arguments += [name for _, name in _faced(emitter, pooled=pooled)]
    return {
        "outputs": ["flat out vec4 v_next;", "flat out float v_passed;"] if blended else [],
        "there_and_back": there_and_back,
        "distance": distance,
        "scale": scale,
        "pivot": ["    reach -= u_pivot;"] if "u_pivot" in members else [],
        "facing": [f"    Quad quad = face_{sprite.facing}({', '.join(arguments)});"],
        "length": [
            "    quad.extent.y = clamp(quad.extent.y, scale * u_length.x, scale * u_length.y);"
        ]
        if "u_length" in members
        else [],
        "passed": [
            f"    float passed = {'age' if in_seconds else 'life * u_flipbook.z'} * u_flipbook.w;"
        ],
        "next": ["    v_next = flipbook_cell(reached + 1.0);", "    v_passed = fract(passed);"]
        if blended
        else [],
    }


def _faced(emitter: Emitter, *, pooled: bool) -> list[tuple[str, str]]:
    """What sprites face where that is not among what all passes know: type and name."""
    match emitter.sprite.facing:
        case "axis":
            return [("vec3", "u_axis")]
        case "point":
            return [("mat4", "u_frame")]
        case "emitter" if emitter.space == "world" and not pooled:
            return [("mat4", "u_frame")]
        case _:
            return []


def _texel(sprite: Sprite) -> dict[str, list[str]]:
    """What a sprite's own fields put into its fragment text."""
    blended = sprite.flipbook is not None and sprite.flipbook.blend
    cut = [
        "    if (color.a <= 0.0 || color.a < u_alpha_clip) {",
        "        discard;",
        "    }",
        "    color /= color.a;",
    ]
    return {
        "inputs": ["flat in vec4 v_next;", "flat in float v_passed;"] if blended else [],
        "next": ["        texel = mix(texel, sample_cell(v_next), v_passed);"] if blended else [],
        "cut": cut if sprite.alpha_clip is not None else [],
    }


# Whose turn it is: the entry holds the slot, and in a pool the instance.
_ORDER = [
    "    uvec2 entry = texelFetch(u_order, ivec2(linear % width, linear / width), 0).xy;",
    "    linear = int(entry.y);",
]


def _sprite_instance(*, pooled: bool, local: bool, ordered: bool) -> list[str]:
    if not pooled:
        return []
    instance = "entry.x" if ordered else "texelFetch(u_instance, slot, 0).x"
    lines = [
        f"    Instance frame = load_instance(u_instances, {instance});",
        "    color *= frame.tint;",
    ]
    if local:
        lines += [
            "    position = frame.place + turn(frame.turn, position);",
            "    velocity = turn(frame.turn, velocity);",
        ]
    return lines
