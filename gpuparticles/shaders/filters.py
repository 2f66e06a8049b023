"""The texts of filters, and of what lays a layer over the picture."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from gpuparticles.effect.shader import ShaderFilter
from gpuparticles.shaders.compose import compose, fullscreen
from gpuparticles.shaders.layout import own_members
from gpuparticles.shaders.own import own_code
from gpuparticles.shaders.sources import Line, Source, read

__all__ = ["bend", "filter_pass", "lay", "own_filter"]

_LAY = [
    "    o_color = texelFetch(u_layer, ivec2(gl_FragCoord.xy), 0);",
    "    o_color *= vec4(u_layer_tint.rgb, 1.0) * share;",
    "    if (o_color == vec4(0.0)) {",
    "        discard;",
    "    }",
]
# What has not changed keeps every bit that the host has, which a copy may not.
_REPLACE = [
    "    Picture p = picture();",
    "    vec4 scene = scene_at(p.place);",
    "    o_color = mix(scene, filtered(p) * vec4(u_layer_tint.rgb, 1.0), share);",
    "    if (o_color == scene) {",
    "        discard;",
    "    }",
]


@cache
def filter_pass(name: str) -> tuple[Source, Source]:
    """Vertex and fragment text of one of our filters."""
    return fullscreen(), compose(f"filters/{name}.frag", {})


@cache
def lay() -> tuple[Source, Source]:
    """What lays a layer over the picture."""
    return fullscreen(), compose("passes/layer.frag", {"filtered": [], "lay": _LAY})


@cache
def bend() -> tuple[Source, Source]:
    """What lays a layer over the picture that bends what is behind it."""
    return _replacing(read("filters/distortion.glsl"))


def own_filter(given: ShaderFilter) -> tuple[Source, Source]:
    """A filter of the author's own: what lays its layer down, if it looks at what is behind."""
    uniforms = [f"uniform {member.type} {member.name};" for member in own_members(given)]
    filtered = [*uniforms, *own_code(given, "filter")]
    if given.sees:
        return _replacing(filtered)
    return fullscreen(), compose("passes/filter.frag", {"filtered": filtered})


def _replacing(filtered: Sequence[str | Line]) -> tuple[Source, Source]:
    return fullscreen(), compose("passes/layer.frag", {"filtered": filtered, "lay": _REPLACE})
