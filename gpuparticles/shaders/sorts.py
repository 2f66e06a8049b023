"""The texts of the passes that sort particles."""

from __future__ import annotations

from gpuparticles.effect.effect import Emitter
from gpuparticles.shaders.compose import compose, fullscreen, sampler
from gpuparticles.shaders.layout import INSTANCE, LIFETIME_SEED, POSITION_AGE
from gpuparticles.shaders.sources import Source

__all__ = ["cut", "key", "merge", "runs"]


def key(
    emitter: Emitter, *, pooled: bool = False, order: str | None = None
) -> tuple[Source, Source]:
    """Vertex and fragment text of the pass that says by what particles are sorted.

    Args:
        emitter: Its order decides the text; in a pool its space too.
        pooled: Particles carry an instance, which says where they are.
        order: By what; None as its sprites are.
    """
    order = emitter.look.order if order is None else order
    inputs = [POSITION_AGE, LIFETIME_SEED]
    lines, uniforms, kernels = [], [], []
    if order == "depth":
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
        value = "-age" if order == "oldest" else "age"
    openings = {
        "inputs": [*(sampler(c) for c in inputs), *uniforms],
        "key": [*lines, f"        key = ordered({value});"],
    }
    return fullscreen(), compose("passes/key.frag", openings, kernels)


def runs() -> tuple[Source, Source]:
    """Vertex and fragment text of the pass that sorts a few entries each."""
    return fullscreen(), compose("passes/runs.frag", {})


def cut() -> tuple[Source, Source]:
    """Vertex and fragment text of the pass that prepares a merge."""
    return fullscreen(), compose("passes/cut.frag", {})


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
            "inputs": [sampler(INSTANCE)],
            "entry": [f"    entry.x = texelFetch(u_instance, {slot}, 0).x;"],
        }
    return fullscreen(), compose("passes/merge.frag", openings)
