"""The text of the sprite pass."""

from __future__ import annotations

from collections.abc import Sequence

from gpuparticles.effect.effect import Emitter
from gpuparticles.effect.modifiers import Modifier
from gpuparticles.effect.sprite import Flipbook, Lit, Sprite
from gpuparticles.shaders.compose import compose, fullscreen, sampler, smooth
from gpuparticles.shaders.layout import (
    CUSTOM,
    STATE,
    by_speed,
    channels,
    fades,
    look_block,
    look_curves,
    motion_curves,
    sorts,
    sprite_members,
    streaks,
    weighs,
)
from gpuparticles.shaders.own import own_code
from gpuparticles.shaders.sources import Line, Source

__all__ = ["by_distance", "composite", "cut_out", "particle_openings", "soft", "sprite"]


def sprite(
    emitter: Emitter,
    modifiers: Sequence[Modifier] = (),
    *,
    pooled: bool = False,
    cast: bool = False,
) -> tuple[Source, Source]:
    """Vertex and fragment text of the sprite pass.

    Args:
        emitter: What of a look is in use, whether it is sorted and the rows of its stops decide
            the text; in a pool its space too.
        modifiers: The emitter's, then the effect's: they have stops as well.
        pooled: Particles carry an instance, which has a tint.
        cast: Only the depth is drawn, of what covers enough: from where a light is, so that how
            far the camera is does not matter, nor any order.
    """
    openings = {
        **particle_openings(emitter, modifiers, pooled=pooled, cast=cast),
        **_sprite(emitter, pooled=pooled, cast=cast),
    }
    openings["inputs"] += [
        f"uniform {kind} {name};" for kind, name in _faced(emitter, pooled=pooled)
    ]
    if _custom(emitter.sprite):
        openings["inputs"].append(sampler(CUSTOM))
    kernels = [f"facings/{emitter.sprite.facing}.glsl"]
    if pooled:
        kernels.insert(0, "lib/instance.glsl")
    if emitter.sprite.flipbook is not None:
        kernels.append("lib/flipbook.glsl")
    vertex = compose("draw/sprite.vert", openings, kernels)
    texel = _texel(emitter, f"{emitter.name}: sprite.shader", cast=cast)
    libraries = ["lib/soft.glsl"] if texel["soft"] else []
    libraries += ["lib/light.glsl"] if texel["lit"] else []
    libraries += ["lib/weighted.glsl"] if texel["weigh"] else []
    if emitter.sprite.texture is not None:
        libraries.append("lib/texel.glsl")
    if emitter.sprite.lit is not None and emitter.sprite.lit.mapped and not cast:
        libraries.append("lib/cell.glsl")
    if emitter.sprite.shader is not None:
        libraries.append("lib/look.glsl")
    fragment: dict[str, Sequence[str | Line]] = {"block": openings["block"], **texel}
    return vertex, compose("draw/sprite.frag", fragment, libraries)


def particle_openings(
    emitter: Emitter, modifiers: Sequence[Modifier], *, pooled: bool, cast: bool
) -> dict[str, list[str]]:
    """What the vertex text of everything that is drawn of particles looks up; see `sprite`."""
    ordered = sorts(emitter) and not cast
    looked_up = [*motion_curves(emitter), *look_curves(emitter)]
    return {
        "block": look_block(emitter, modifiers).text(),
        "smooth": smooth(curve for _, _, curve in looked_up),
        "inputs": [
            *(sampler(c) for c in (*STATE, *channels(pooled=pooled and not ordered))),
            *(["uniform sampler2D u_instances;"] if pooled else []),
            *(["uniform usampler2D u_order;"] if ordered else []),
        ],
        "order": _ORDER if ordered else [],
        "instance": _sprite_instance(
            pooled=pooled, local=emitter.space == "local", ordered=ordered
        ),
        "look": _look(emitter),
        "extent": _extent(emitter),
    }


def composite() -> tuple[Source, Source]:
    """Vertex and fragment text of the pass that lays what has been weighed over the picture."""
    return fullscreen(), compose("passes/weighted.frag", {})


def _sprite(emitter: Emitter, *, pooled: bool, cast: bool) -> dict[str, list[str]]:
    """What a sprite's own fields put into its vertex text."""
    sprite, flipbook = emitter.sprite, emitter.sprite.flipbook
    members = {member.name for member in sprite_members(sprite)}
    scale, there_and_back = [], []
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
    # A number that is 0 lets the compiler leave the streak out.
    shutter = "attributes.y" if streaks(sprite) else "0.0"
    arguments = ["center", "extent", "angle", "velocity", shutter]
    match sprite.facing:
        case "emitter" if pooled:
            arguments.append("turned_axes(mat3(u_view), frame.turn)")
        case "emitter":
            arguments.append(f"mat3({'u_view' if emitter.space == 'local' else 'u_frame'})")
        case "axis" | "point":
            arguments += [name for _, name in _faced(emitter, pooled=pooled)]
    lit = sprite.lit is not None and not cast
    outputs = [f"flat out {varying};" for varying in _frame_varyings(flipbook)]
    outputs += ["flat out vec3 v_light;", "uniform mat3 u_light;"] if lit else []
    if sprite.shader is not None:
        outputs += [f"flat out {varying};" for varying in _particle(sprite)]
    return {
        "outputs": outputs,
        "lit": _lit(sprite) if lit else [],
        "there_and_back": there_and_back,
        "distance": by_distance(sprite, cast=cast),
        "scale": scale,
        "pivot": ["    reach -= u_pivot;"] if "u_pivot" in members else [],
        "facing": [f"    Quad quad = face_{sprite.facing}({', '.join(arguments)});"],
        "length": [
            "    quad.extent.y = clamp(quad.extent.y, scale * u_length.x, scale * u_length.y);"
        ]
        if "u_length" in members
        else [],
        "frame": [] if flipbook is None else _frame(flipbook),
        "particle": [] if sprite.shader is None else _tell_particle(sprite),
    }


def _lit(sprite: Sprite) -> list[str]:
    """The way to the light in the axes of a quad, of which the third is on the side seen."""
    seen = "dot(front, towards_eye(quad.center)) < 0.0"
    if sprite.facing == "camera":
        seen = "u_projection[2][3] > 0.0"
    return [
        "    vec3 front = cross(quad.right, quad.up);",
        f"    front = {seen} ? -front : front;",
        "    v_light = u_light[0] * mat3(quad.right, quad.up, front);",
    ]


def _frame_varyings(flipbook: Flipbook | None) -> list[str]:
    """What the vertices of a sprite tell its pixels about the frame."""
    if flipbook is None:
        return []
    return ["vec4 v_cell", *(["vec4 v_next", "float v_passed"] if flipbook.blend else [])]


def _frame(flipbook: Flipbook) -> list[str]:
    """Which frame is shown."""
    passed = "life * u_flipbook.z" if flipbook.fps is None else "age"
    lines = [
        f"    float passed = {passed} * u_flipbook.w;",
        "    float first = random_uniform(lifetime_seed.y, CHANNEL_FRAME) * u_flipbook_random;",
        "    float reached = floor(passed) + floor(first);",
        "    v_cell = flipbook_cell(reached);",
    ]
    if flipbook.blend:
        lines += ["    v_next = flipbook_cell(reached + 1.0);", "    v_passed = fract(passed);"]
    return lines


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


def _texel(emitter: Emitter, where: str, *, cast: bool) -> dict[str, Sequence[str | Line]]:
    """What a sprite's own fields put into its fragment text.

    Args:
        emitter: Whose sprite.
        where: What errors call text that was not read from a file.
        cast: As for `sprite`.
    """
    sprite = emitter.sprite
    clipped = sprite.alpha_clip is not None
    inputs = [f"flat in {varying};" for varying in _frame_varyings(sprite.flipbook)]
    cell = "vec4(0.0, 0.0, 1.0, 1.0)" if sprite.flipbook is None else "v_cell"
    blended = sprite.flipbook is not None and sprite.flipbook.blend
    if sprite.texture is None:
        texel = ["    vec4 texel = vec4(1.0 - smoothstep(0.1, 1.0, length(2.0 * uv - 1.0)));"]
    else:
        texel = [f"    vec4 texel = sample_texel({cell}, uv);"]
        if blended:
            texel.append("    texel = mix(texel, sample_texel(v_next, uv), v_passed);")
    if sprite.shader is not None:
        inputs += [f"flat in {varying};" for varying in _particle(sprite)]
    lit = []
    if sprite.lit is not None and not cast:
        inputs.append("flat in vec3 v_light;")
        if sprite.lit.mapped:
            inputs += ["uniform sampler2D u_normals;", "uniform float u_normals_limit;"]
        lit = [*_normal(sprite.lit, cell, blended=blended), _SHADE]
    return {
        "inputs": [*inputs, *(["uniform float u_cutoff;"] if cast and not clipped else [])],
        "texel": texel,
        "told": ["    vec4 custom;   // what a process keeps"] if _custom(sprite) else [],
        "look": [] if sprite.shader is None else own_code(sprite.shader, where),
        "color": [_PLAIN if sprite.shader is None else _own(sprite)],
        "soft": soft(sprite, cast=cast),
        "lit": lit,
        "weigh": ["    o_color = weighed(o_color, color.a);"]
        if weighs(emitter) and not cast
        else [],
        "cut": cut_out("u_alpha_clip" if clipped else "u_cutoff") if clipped or cast else [],
    }


_PLAIN = "    vec4 color = texel * vec4(v_color.rgb, 1.0) * clamp(v_color.a, 0.0, 1.0);"


def _custom(sprite: Sprite) -> bool:
    """Whether the author's own look asks for what a process keeps."""
    return sprite.shader is not None and sprite.shader.code.mentions("custom")


def _particle(sprite: Sprite) -> list[str]:
    """What the author's own function is told, from the vertices on."""
    more = ["vec4 v_custom"] if _custom(sprite) else []
    return ["vec2 v_lived", "vec3 v_motion", "uint v_seed", *more]


def _tell_particle(sprite: Sprite) -> list[str]:
    return [
        "    v_lived = vec2(age, life);",
        "    v_motion = velocity;",
        "    v_seed = lifetime_seed.y;",
        *(["    v_custom = texelFetch(u_custom, slot, 0);"] if _custom(sprite) else []),
    ]


def _own(sprite: Sprite) -> str:
    told = "v_color, texel, v_uv, v_lived.x, v_lived.y, v_motion, v_seed"
    return f"    vec4 color = look(Look({told}{', v_custom' if _custom(sprite) else ''}));"


_SHADE = "    color.rgb *= lit(dot(normal, v_light));"


def _normal(lit: Lit, cell: str, *, blended: bool) -> list[str]:
    """Where the surface looks, in the axes of the quad."""
    if lit.normals == "flat":
        return ["    vec3 normal = vec3(0.0, 0.0, 1.0);"]
    if lit.normals == "round":
        return [
            "    vec2 aside = 2.0 * v_uv - 1.0;",
            "    float reach = dot(aside, aside);",
            "    vec3 normal = vec3(aside, sqrt(max(1.0 - reach, 0.0)));",
            "    normal *= inversesqrt(max(reach, 1.0));",
        ]
    lines = [f"    vec3 mapped = sample_cell(u_normals, {cell}, u_normals_limit, v_uv).xyz;"]
    if blended:
        following = "sample_cell(u_normals, v_next, u_normals_limit, v_uv).xyz"
        lines.append(f"    mapped = mix(mapped, {following}, v_passed);")
    # 128 of 255 is no slope at all, 1 and 255 are the steepest.
    return [*lines, "    vec3 normal = normalize(mapped * (255.0 / 127.0) - 128.0 / 127.0 + 1e-6);"]


def by_distance(sprite: Sprite, *, cast: bool) -> list[str]:
    """How what is at `center` fades by its distance; where a light is, it does not."""
    members = set() if cast else {member.name for member in sprite_members(sprite)}
    if not members & {"u_near_fade", "u_far_fade"}:
        return []
    lines = [
        "    float towards = u_projection[2][3] != 0.0 ? sign(u_projection[2][3]) : -1.0;",
        "    float ahead = center.z * towards / u_view_scale;",
    ]
    if "u_near_fade" in members:
        nearness = "(ahead - u_near_fade.x) * u_near_fade.y"
        lines.append(f"    color.a *= clamp({nearness}, 0.0, 1.0);")
    if "u_far_fade" in members:
        farness = "(u_far_fade.x - ahead) * u_far_fade.y"
        lines.append(f"    color.a *= clamp({farness}, 0.0, 1.0);")
    # What has faded away may fill the picture: not a pixel of it is drawn.
    return [*lines, "    if (color.a <= 0.0) {", "        hide();", "        return;", "    }"]


def soft(sprite: Sprite, *, cast: bool) -> list[str]:
    """How it fades in front of the scene; where a light is, nobody sees what fades."""
    fades = sprite.softness > 0.0 and not cast
    return ["    color *= soft_fade(u_softness);"] if fades else []


def cut_out(least: str) -> list[str]:
    """The statements that leave out what covers less, and let the rest cover fully."""
    return [
        f"    if (color.a <= 0.0 || color.a < {least}) {{",
        "        discard;",
        "    }",
        "    color /= color.a;",
    ]


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


# Whose turn it is: the entry holds the slot, and in a pool the instance.
_ORDER = [
    "    uvec2 entry = texelFetch(u_order, ivec2(linear % width, linear / width), 0).xy;",
    "    linear = int(entry.y);",
]
