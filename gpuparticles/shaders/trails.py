"""The texts of the passes that keep and draw trails."""

from __future__ import annotations

from collections.abc import Sequence

from gpuparticles.effect.effect import Emitter
from gpuparticles.effect.modifiers import Modifier
from gpuparticles.shaders.compose import compose, fullscreen, sampler, smooth
from gpuparticles.shaders.layout import (
    ATTRIBUTES,
    COLOR,
    LIFETIME_SEED,
    ORIGIN,
    POSITION_AGE,
    STATE,
    Channel,
    fades,
    look_block,
    look_curves,
    trail_curves,
)
from gpuparticles.shaders.sources import Source
from gpuparticles.shaders.sprites import cut_out

__all__ = ["HISTORY", "last_points", "move_history", "record", "ribbon", "shift_places", "trail"]

#: Where particles were at the marks; and where points have a least distance, after which mark each
#: was kept.
HISTORY = Channel("history", "f4", 4, (("history", "xyz"), ("mark", "w")))


def record(emitter: Emitter) -> tuple[Source, Source]:
    """Vertex and fragment text of the pass that writes down where particles were at a mark.

    Args:
        emitter: Whether points of its trails have a least distance decides the text, and whether
            they stay in the world while it carries their particles.
    """
    assert emitter.trail is not None
    apart = emitter.trail.min_distance > 0.0
    inputs = [POSITION_AGE, LIFETIME_SEED, *([ORIGIN] if apart else [])]
    openings = {
        "inputs": [
            f"uniform sampler2D u_before_{POSITION_AGE.name};",
            *(sampler(c) for c in inputs),
        ],
        "apart": _APART if apart else [],
        "way": _WORLDLY_WAY if emitter.trail_stays else _WAY,
    }
    libraries = ["lib/apart.glsl"] if apart else []
    if apart and emitter.trail_stays:
        libraries.insert(0, "lib/poses.glsl")
    return compose("passes/record.vert", {}), compose("passes/record.frag", openings, libraries)


def last_points() -> tuple[Source, Source]:
    """Vertex and fragment text of the pass that fetches the points of a mark."""
    return fullscreen(), compose("passes/last_points.frag", {})


def move_history() -> tuple[Source, Source]:
    """Vertex and fragment text of the pass that gives what is kept of particles other slots."""
    return fullscreen(), compose("passes/move_history.frag", {})


def shift_places(channel: Channel) -> tuple[Source, Source]:
    """Vertex and fragment text of the pass that makes places relative to another anchor.

    Args:
        channel: What holds them, three floats or their bits, with something beside them.
    """
    bits = channel.dtype[0] == "u"
    place = "uintBitsToFloat(found.xyz)" if bits else "found.xyz"
    shifted = f"{place} + u_offset"
    openings = {
        "texel": [
            f"uniform {'u' if bits else ''}sampler2D u_source;",
            f"layout(location = 0) out {channel.glsl} o_texel;",
        ],
        "shift": [
            f"    {channel.glsl} found = texelFetch(u_source, texel, 0);",
            f"    o_texel = {channel.glsl}("
            + (f"floatBitsToUint({shifted}), found.w);" if bits else f"{shifted}, found.w);"),
        ],
    }
    return fullscreen(), compose("passes/shift_places.frag", openings)


def trail(
    emitter: Emitter, modifiers: Sequence[Modifier] = (), *, cast: bool = False
) -> tuple[Source, Source]:
    """Vertex and fragment text of the pass that draws trails.

    Args:
        emitter: What of a look is in use decides the text, and the rows of its stops.
        modifiers: The emitter's, then the effect's: they have stops as well.
        cast: Only the depth is drawn, of what covers enough.
    """
    looked_up = [*look_curves(emitter), *trail_curves(emitter)]
    drawn = (*STATE, LIFETIME_SEED, ATTRIBUTES, COLOR, ORIGIN)
    openings = {
        "block": look_block(emitter, modifiers).text(),
        "smooth": smooth(curve for _, _, curve in looked_up),
        "inputs": [sampler(c) for c in drawn],
        "look": _look(emitter),
        "points": _points(emitter),
        "ends": _WORLDLY_ENDS if emitter.trail_stays else [],
    }
    libraries = ["lib/poses.glsl"] if emitter.trail_stays else []
    return compose("draw/trail.vert", openings, libraries), _band(cast=cast)


def ribbon(
    emitter: Emitter, modifiers: Sequence[Modifier] = (), *, cast: bool = False
) -> tuple[Source, Source]:
    """Vertex and fragment text of the pass that draws what links particles; as for `trail`."""
    openings = {
        "block": look_block(emitter, modifiers).text(),
        "smooth": smooth(curve for _, _, curve in look_curves(emitter)),
        "inputs": [sampler(c) for c in (POSITION_AGE, LIFETIME_SEED, ATTRIBUTES, COLOR)],
        "look": _look(emitter),
    }
    return compose("draw/ribbon.vert", openings), _band(cast=cast)


def _band(*, cast: bool) -> Source:
    """Fragment text of what trails and ribbons are."""
    openings = {
        "inputs": ["uniform float u_cutoff;"] if cast else [],
        "cut": cut_out("u_cutoff") if cast else [],
    }
    return compose("draw/trail.frag", openings)


_APART = ["    o_history = apart(o_history, slot, last.w - u_ago);"]
_WAY = ["    vec3 way = place.xyz - kept.xyz;"]
_WORLDLY_WAY = [
    "    int since = int(min(uint(u_mark.x) - origin.w, COUNTED));",
    "    float spaced = u_pose_times.y;",
    "    float begun = clamp(grown, float(since - 1) * spaced, float(since) * spaced);",
    "    vec3 there = passed < since ? placed_at_mark(kept.xyz, passed)",
    "        : placed_ago(kept.xyz, begun);",
    "    vec3 way = placed_at_mark(place.xyz, 0) - there;",
]


def _points(emitter: Emitter) -> list[str]:
    """How the points of a mark are found: a place, and how many seconds ago somebody was there."""
    assert emitter.trail is not None
    stays = emitter.trail_stays
    if emitter.trail.min_distance == 0.0:
        place = "placed_at_mark(kept_at(mark).xyz, mark)" if stays else "kept_at(mark).xyz"
        return [
            "vec4 point_at(int mark) {",
            f"    return vec4({place}, ago_at(mark));",
            "}",
            "vec4 point_beyond(int node, int way) {",
            "    return point_of(node + way);",
            "}",
        ]
    place = "placed_at_mark(kept.xyz, back)" if stays else "kept.xyz"
    return [
        "vec4 point_at(int mark) {",
        "    vec4 kept = kept_at(mark);",
        "    int back = int((uint(u_marks.x) - uint(kept.w)) & COUNTED);",
        f"    return back < since ? vec4({place}, ago_at(back)) : born;",
        "}",
        "// Marks that nothing was kept at repeat the point before.",
        "vec4 point_beyond(int node, int way) {",
        "    float ago = point_of(node).w;",
        "    vec4 found;",
        "    do {",
        "        node += way;",
        "        found = point_of(node);",
        "    } while (found.w == ago && node > 0 && node <= known - first);",
        "    return found;",
        "}",
    ]


# Who lives is where its emitter has it now, whatever moment is seen; as its sprite is.
_WORLDLY_ENDS = [
    "    head.xyz = head_ago > 0.0 ? placed_ago(head.xyz, head_ago)",
    "        : u_now_place + turn(u_now_turn, head.xyz);",
    "    born.xyz = placed_ago(born.xyz, birth_ago);",
]


def _look(emitter: Emitter) -> list[str]:
    """What colour and width depend on besides; what is by speed does not count."""
    lines = []
    if any(name == "u_width_over_life" for name, _, _ in look_curves(emitter)):
        lines.append("    half_width *= curve_at(u_width_over_life, life);")
    if "fade_in" in fades(emitter):
        lines.append("    color.a *= min(life * u_fade_in, 1.0);")
    if "fade_out" in fades(emitter):
        lines.append("    color.a *= min((1.0 - life) * u_fade_out, 1.0);")
    return lines
