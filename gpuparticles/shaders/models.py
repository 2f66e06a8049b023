"""The text of the pass that draws particles as meshes."""

from __future__ import annotations

from collections.abc import Sequence

from gpuparticles.effect.effect import Emitter
from gpuparticles.effect.model import Model
from gpuparticles.effect.modifiers import Modifier
from gpuparticles.shaders.compose import compose
from gpuparticles.shaders.sources import Source
from gpuparticles.shaders.sprites import by_distance, cut_out, particle_openings, soft

__all__ = ["model"]


def model(
    emitter: Emitter,
    modifiers: Sequence[Modifier] = (),
    *,
    pooled: bool = False,
    cast: bool = False,
) -> tuple[Source, Source]:
    """Vertex and fragment text of the pass that draws an emitter's model.

    Args:
        emitter: As for `sprites.sprite`; it has a model.
        modifiers: The emitter's, then the effect's.
        pooled: Particles carry an instance, which has a tint.
        cast: Only the depth is drawn, of what covers enough.
    """
    drawn = emitter.model
    assert drawn is not None
    lit = drawn.lit is not None and not cast
    openings = particle_openings(emitter, modifiers, pooled=pooled, cast=cast)
    vertex = {
        **openings,
        "outputs": ["out vec3 v_normal;", "out vec3 v_place;"] if lit else [],
        "turned": _turned(drawn, carried=pooled and emitter.space == "local"),
        "lit": _NORMAL if lit else [],
        "distance": by_distance(emitter.look, cast=cast),
    }
    clip = "u_alpha_clip" if drawn.alpha_clip is not None else "u_cutoff"
    cut = cut_out(clip) if drawn.alpha_clip is not None or (cast and not drawn.opaque) else []
    if drawn.opaque:
        cut = [*cut, "    color = vec4(color.rgb / max(color.a, 1e-6), 1.0);"]
    inputs = ["in vec3 v_normal;", "in vec3 v_place;"] if lit else []
    inputs += ["uniform sampler2D u_texture;"] if drawn.texture is not None else []
    fragment = {
        "block": openings["block"],
        "inputs": [*inputs, *(["uniform float u_cutoff;"] if "u_cutoff" in " ".join(cut) else [])],
        "texel": ["    vec4 texel = vec4(1.0);"] if drawn.texture is None else _TEXEL,
        "soft": soft(emitter.look, cast=cast),
        "lit": _SHADE if lit else [],
        "cut": cut,
    }
    libraries = ["lib/light.glsl"] if lit else []
    libraries += ["lib/soft.glsl"] if fragment["soft"] else []
    return (
        compose("draw/model.vert", vertex, ["lib/instance.glsl"] if pooled else []),
        compose("draw/model.frag", fragment, libraries),
    )


def _turned(model: Model, *, carried: bool) -> list[str]:
    """How the mesh is turned; in local space of a pool the instance turns it as well."""
    axis = "random_axis(seed)" if model.axis == "random" else "u_model_axis"
    lines = [
        f"    vec4 around = turn_about({axis}, TAU * velocity_rotation.w);",
        f"    vec4 upright = orientation_{model.orientation}(seed, velocity);",
        "    vec4 turned = quaternion_product(upright, around);",
    ]
    if carried and model.orientation != "velocity":  # the velocity has been turned already
        lines.append("    turned = quaternion_product(frame.turn, turned);")
    return lines


# Cofactors take normals where scales take places; a sign does not matter, see below.
_NORMAL = [
    "    mat3 view = mat3(u_view);",
    "    vec3 normal = turn(turned, scale.yzx * scale.zxy * in_normal);",
    "    v_normal = cross(view[1], view[2]) * normal.x;",
    "    v_normal += cross(view[2], view[0]) * normal.y + cross(view[0], view[1]) * normal.z;",
    "    v_place = place;",
]

_TEXEL = [
    "    vec4 texel = texture(u_texture, v_uv);",
    "    texel.rgb *= u_straight > 0.0 ? texel.a : 1.0;",
]

# The side that is seen, by the face itself: no winding, mirror or flipped picture can be wrong.
_SHADE = [
    "    vec3 side = cross(dFdx(v_place), dFdy(v_place));",
    "    vec3 eye = u_projection[2][3] != 0.0 ? -v_place : vec3(0.0, 0.0, 1.0);",
    "    vec3 normal = normalize(v_normal);",
    "    normal *= dot(normal, side) * dot(side, eye) < 0.0 ? -1.0 : 1.0;",
    "    color.rgb *= lit(dot(normal, u_light[0]));",
]
