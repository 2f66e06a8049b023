"""The texts of the passes that move or look at particles between updates."""

from __future__ import annotations

from collections.abc import Sequence

from gpuparticles.shaders.compose import compose, fullscreen, load_particle, outputs, sampler
from gpuparticles.shaders.layout import HEAD, LIFETIME_SEED, STATE, Block, Channel
from gpuparticles.shaders.sources import Source

__all__ = ["alive", "blend", "gather", "move", "shift"]


def shift(keeps: Sequence[Channel] = (), *, rest: bool = False) -> tuple[Source, Source]:
    """Vertex and fragment text of the pass that makes positions relative to another anchor.

    Args:
        keeps: What is kept of the author's own, which stays as it is.
        rest: It writes what does not fit into one pass.
    """
    every = (*STATE, *keeps)
    openings = {
        "block": Block(HEAD).text(),
        "outputs": outputs(every, rest=rest),
        "inputs": [sampler(c) for c in every],
        "keep": [f"    o_{c.name} = texelFetch(u_{c.name}, slot, 0);" for c in keeps],
    }
    return fullscreen(), compose("passes/shift.frag", openings)


def blend(*, lingers: bool = False) -> tuple[Source, Source]:
    """Vertex and fragment text of the pass that makes what is seen between two steps.

    Args:
        lingers: Something is seen of the dead.
    """
    openings = {
        "outputs": outputs(STATE),
        "inputs": [
            *(f"uniform sampler2D u_before_{c.name};" for c in STATE),
            *(sampler(c) for c in (*STATE, LIFETIME_SEED)),
        ],
        "dying": _DYING if lingers else [],
    }
    return fullscreen(), compose("passes/blend.frag", openings)


def alive(*, lingers: bool = False) -> tuple[Source, Source]:
    """Vertex and fragment text of the pass that packs who lives.

    Args:
        lingers: Or was alive a certain time ago.
    """
    inputs = [STATE[0], LIFETIME_SEED]
    openings = {
        "inputs": [
            *(sampler(c) for c in inputs),
            *load_particle(inputs),
            *(["uniform float u_lingers;"] if lingers else []),
        ],
        "end": [f"        float end = p.lifetime{' + u_lingers' if lingers else ''};"],
    }
    return fullscreen(), compose("passes/alive.frag", openings)


def gather() -> tuple[Source, Source]:
    """Vertex and fragment text of the pass that fetches where some particles are."""
    openings = {"inputs": [sampler(c) for c in STATE]}
    return fullscreen(), compose("passes/gather.frag", openings)


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
    return fullscreen(), compose("passes/move.frag", openings)


# Who dies in this step has no rotation any more, but how old it became: until then it keeps what it
# had, and who has been killed is as old as that at the end.
_DYING = [
    "    if (last.w >= lifetime && first.w < lifetime) {",
    "        last.w = last_motion.w < lifetime ? last_motion.w : last.w;",
    "        bool seen_dead = first.w + (last.w - first.w) * u_blend >= lifetime;",
    "        first_motion.w = seen_dead ? last_motion.w : first_motion.w;",
    "        last_motion.w = first_motion.w;",
    "    }",
]
