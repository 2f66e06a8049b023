"""The text of the update pass, which advances every particle by one step."""

from __future__ import annotations

from collections.abc import Sequence

from gpuparticles.effect.effect import Emitter
from gpuparticles.effect.kinds import fields_of
from gpuparticles.effect.modifiers import Collision, Constraint, Modifier, Scaled
from gpuparticles.shaders.compose import (
    compose,
    fullscreen,
    load_particle,
    outputs,
    sampler,
    smooth,
    store_state,
)
from gpuparticles.shaders.layout import (
    ATTRIBUTES,
    INSTANCE,
    STATE,
    channels,
    emitter_block,
    kept,
    lingers,
    measures,
    motion_curves,
    moving,
    over_life,
    spins,
)
from gpuparticles.shaders.own import begin_own, end_own, own_code
from gpuparticles.shaders.sources import Line, Source

__all__ = ["update"]


def update(
    emitter: Emitter,
    modifiers: Sequence[Modifier],
    *,
    pooled: bool = False,
    travels: bool = False,
    rest: bool = False,
) -> tuple[Source, Source]:
    """Vertex and fragment text of the pass that advances every particle by one step.

    Args:
        emitter: Its space decides which fields need another frame.
        modifiers: The emitter's, then the effect's, in the order in which they apply.
        pooled: Particles look up the frame of the instance that they belong to.
        travels: The emitter moves or turns in this step, and what lies in another frame with it.
        rest: It writes what does not fit into one pass.
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
    keeps = kept(emitter)
    process = emitter.process if emitter.process is not None and emitter.process.steps else None
    openings: dict[str, Sequence[str | Line]] = {
        "block": emitter_block(emitter, modifiers, pooled=pooled).text(),
        "outputs": [*outputs((*STATE, *keeps), rest=rest), *store_state()],
        "inputs": [
            *(sampler(c) for c in (*inputs, *keeps)),
            *([sampler(ATTRIBUTES)] if attributes else []),
            *([sampler(INSTANCE), "uniform sampler2D u_instances;"] if needs_frame else []),
            *load_particle(inputs),
        ],
        "smooth": smooth([*(curve for _, _, curve in own), *over_lives]),
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
        "own": [] if process is None else own_code(process, f"{emitter.name}: process"),
        "kept": [f"    vec4 {c.name} = texelFetch(u_{c.name}, slot, 0);" for c in keeps],
        "process": []
        if process is None
        else [
            f"        {line}"
            for line in (
                *begin_own(emitter, *(c.name for c in keeps), constrained=constrained),
                "process(state);",
                *end_own(emitter),
                *(f"{c.name} = state.{c.name};" for c in keeps),
            )
        ],
        "keep": [f"    o_{c.name} = {c.name};" for c in keeps],
        "lose": _lose(
            emitter, constrained=constrained, killed=process is not None and process.kills
        ),
        "linger": ["    else {", "        p.age += u_step_age;", "    }"]
        if lingers(emitter)
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
    if process is not None:
        kernels.append("lib/process.glsl")
    return fullscreen(), compose("passes/update.frag", openings, kernels)


def _lose(emitter: Emitter, *, constrained: bool, killed: bool) -> list[str]:
    """What hits cost, in whole ticks as every age; and what is kept of those whose trails stay.

    That is when they died: from then on their age goes on from their lifetime, and in place of the
    rotation lies how old they became. A life without end has no age that could go on.
    """
    lose = ["        p.age += floor(contact.lost * u_ticks + 0.5) * u_tick;"] if constrained else []
    if killed:
        lose.append("        p.age = state.alive ? p.age : max(p.age, p.lifetime);")
    if not lingers(emitter):
        return lose
    return [
        "        float natural = p.age;",
        *lose,
        "        if (p.age >= p.lifetime) {",
        "            bool early = natural < p.lifetime && p.lifetime < ENDLESS;",
        "            p.rotation = min(natural, p.lifetime);",
        "            p.age = early ? p.lifetime : p.age;",
        "        }",
    ]


# How much of the emitter's path has passed, in the middle of the particle's own part of the step.
_ALONG = ["        float along = u_path_begin + u_path_rate * p.time;"]

# The same at the end of that part: what constrains particles is where it is when they are read.
_ENDED = ["        float ended = u_path_begin + u_path_rate * (p.time + k);"]


def _frame(*, pooled: bool, travels: bool) -> list[str]:
    """Where the emitter is for each particle, for modifiers that see all particles in their frame.

    Unlike a point, a whole field cannot be interpolated along the path: this is exact.
    """
    if pooled:
        return []  # it is there already, for points and vectors too
    if travels:
        place = "u_place_begin + (u_place_end - u_place_begin) * along"
        turn = "slerp(u_turn_begin, u_turn_end, u_turn_arc, along)"
    else:
        place, turn = "u_place_begin", "u_turn_begin"
    return [f"        vec3 place = {place};", f"        vec4 around = {turn};"]


# An instance's frame in the middle of the particle's own part of the step, and at its end.
_INSTANCE_FRAME = [
    "        uint instance = texelFetch(u_instance, slot, 0).x;",
    "        Instance frame = load_instance(u_instances, instance);",
    *_ALONG,
    "        vec3 place = place_along(frame, along);",
    "        vec4 around = turn_along(frame, along);",
]
_INSTANCE_ENDED = [
    *_ENDED,
    "        vec3 place_ended = place_along(frame, ended);",
    "        vec4 around_ended = turn_along(frame, ended);",
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
            lines.append(f"        contact.surface = {surface}, {modifier.tremble}, {answer});")
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
    nothing = "Surface(0.0, 0.0, 0.0, 0.0, 0.0, BOUNCE)"
    contact = [
        "        vec3 force = (p.velocity - before.velocity) / max(h, 1e-30);",
        "        Contact contact = Contact(",
        f"            false, 0.0, u_step_time, 0, false, false, vec3(0.0), force, {nothing});",
    ]
    carried = pooled and any(moving(m, emitter) for m in modifiers if isinstance(m, Constraint))
    ended = _INSTANCE_ENDED if carried else _ENDED if travels else []
    return [*contact, *ended, *lines]


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
    at = "_ended" if isinstance(modifier, Constraint) else ""
    if emitter.space == "world":
        return f"turn(around{at}, {name})" + (f" + place{at}" if role == "point" else "")
    offset = f"{name} - place{at}" if role == "point" else name
    return f"turn_back(around{at}, {offset})"
