"""The author's own code in our texts: its uniforms, its lines, and what it is handed."""

from __future__ import annotations

from gpuparticles.effect.effect import Emitter
from gpuparticles.effect.shader import KEPT, Authored
from gpuparticles.shaders.layout import own_members
from gpuparticles.shaders.sources import Line

__all__ = ["begin_own", "end_own", "own_code"]


def own_code(given: Authored, where: str) -> list[str | Line]:
    """The author's own lines, with their own numbers, after the uniforms under their names.

    Args:
        given: The code.
        where: What errors call text that was not read from a file.
    """
    file = where if given.code.file is None else str(given.code.file)
    # Variables, not macros: those would also rename the members of structs.
    uniforms = zip(own_members(given), given.uniforms, strict=True)
    names = [f"{member.type} {uniform.name} = {member.name};" for member, uniform in uniforms]
    text = given.code.text.splitlines()
    return [*names, *(Line(line, file, number, own=True) for number, line in enumerate(text, 1))]


def begin_own(
    emitter: Emitter, *keeps: str, born: bool = False, constrained: bool = False
) -> list[str]:
    """The statements that make what the author's own functions get: ``state``.

    Args:
        emitter: Whose particles.
        keeps: What is kept of each, which lies in variables of these names.
        born: The particle is being born.
        constrained: There is a ``contact``, which knows what surfaces it has met.
    """
    own = ", ".join(name if name in keeps else "vec4(0.0)" for name in KEPT)
    hits = "0, vec3(0.0)"
    if constrained:
        # Also what has only been put back has met something.
        hits = "max(contact.struck, contact.normal == vec3(0.0) ? 0 : 1), contact.normal"
    lived = "0.0, 0.0" if born else "p.age, min(p.age / p.lifetime, 1.0)"
    place = "p.position + u_authored" if emitter.space == "world" else "p.position"
    return [
        f"vec3 authored = {place};",
        "State state = State(authored, p.velocity, p.rotation,",
        f"    {own},",
        f"    {lived}, p.lifetime, p.seed, {'0.0' if born else 'h'}, {hits}, true);",
    ]


def end_own(emitter: Emitter) -> list[str]:
    """The statements that take over what the functions have changed of a particle.

    A place is moved by as much as the function has moved it: who stays does so to the bit, wherever
    positions count from.
    """
    world = emitter.space == "world"
    moved = "p.position += state.position - authored;" if world else "p.position = state.position;"
    return [moved, "p.velocity = state.velocity;", "p.rotation = state.rotation;"]
