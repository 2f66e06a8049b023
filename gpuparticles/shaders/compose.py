"""Fills the openings of a pass file, and the pieces that most passes have in common.

A pass file marks its openings with ``#pragma gpuparticles NAME``, which any GLSL editor accepts.
Emitters whose ordered kinds, and the optional parts of them that are in use, agree get the same
text, whatever their values: values are uniforms.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gpuparticles.effect.values import Curve, Gradient
from gpuparticles.errors import ShaderError
from gpuparticles.shaders.layout import OUTPUTS, STATE, Channel
from gpuparticles.shaders.sources import Line, Source, read

__all__ = [
    "compose",
    "dead_state",
    "fullscreen",
    "load_particle",
    "outputs",
    "sampler",
    "smooth",
    "store_state",
]

_PRAGMA = "#pragma gpuparticles "


def compose(
    name: str, openings: Mapping[str, Iterable[str | Line]], kernels: Iterable[str] = ()
) -> Source:
    """Fill a pass file's openings.

    Args:
        name: The pass file.
        openings: What fills them; a `Line` says where it was written.
        kernels: Files for the opening ``kernels``.
    """
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
                lines.extend(
                    text if isinstance(text, Line) else Line(text, file, line.number)
                    for text in openings[opening]
                )
            else:
                raise ShaderError(f"{file}:{line.number}: nothing fills the opening {opening!r}")

    add(name)
    return Source(tuple(lines))


def fullscreen() -> Source:
    """Vertex text of a pass over the whole viewport."""
    return compose("passes/fullscreen.vert", {})


def outputs(every: Sequence[Channel], *, rest: bool = False) -> list[str]:
    """What a pass writes: a channel each; those of the other pass are variables like others.

    Args:
        every: What there is to write.
        rest: Write what does not fit into one pass, and not what does.
    """
    lines = []
    for number, channel in enumerate(every):
        written = (number >= OUTPUTS) is rest
        place = f"layout(location = {number % OUTPUTS}) out " if written else ""
        lines.append(f"{place}{channel.glsl} o_{channel.name};")
    return lines


def sampler(channel: Channel) -> str:
    """The declaration of what a channel is read from."""
    return f"uniform {'u' if channel.dtype[0] == 'u' else ''}sampler2D u_{channel.name};"


def load_particle(inputs: Sequence[Channel]) -> list[str]:
    """The function that reads a particle from channels."""
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


def store_state() -> list[str]:
    """The function that writes a particle's state."""
    return [
        "void store_state(Particle p) {",
        *(
            f"    o_{c.name} = vec4({', '.join(f'p.{name}' for name, _ in c.fields)});"
            for c in STATE
        ),
        "}",
    ]


def dead_state() -> list[str]:
    """The statements that write the state of nobody."""
    return [
        f"    o_{c.name} = vec4(0.0, 0.0, 0.0, {'DEAD' if ('age', 'w') in c.fields else '0.0'});"
        for c in STATE
    ]


def smooth(looked_up: Iterable[Curve | Gradient]) -> list[str]:
    """What makes curves smooth, where one of them is: a half in the span's count says which."""
    if all(curve.interpolation != "smooth" for curve in looked_up):
        return []
    return ["    f = mix(f, f * f * (3.0 - 2.0 * f), 2.0 * fract(span.y));"]
