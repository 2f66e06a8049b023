"""``gpuparticles check``, ``info`` and ``schema``: what effect files may say, and what they do."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpuparticles.cli.answers import fail, foreseen, print_json, table
from gpuparticles.cli.files import load, textures
from gpuparticles.cli.forecast import expected_live, expected_peak
from gpuparticles.cli.options import AsJson, File, Files
from gpuparticles.errors import ContextError, ShaderError

if TYPE_CHECKING:
    from gpuparticles.effect import Effect, Emitter, Parameter


def check(effects: Files, as_json: AsJson = False) -> None:
    """Validate effect files, open their textures and compile the GLSL that authors wrote."""
    findings: dict[str, list[str]] = {}
    with foreseen():
        for path in effects:
            mistakes = findings.setdefault(str(path), [])
            loaded = load(path, mistakes)
            if loaded is not None:
                mistakes += _uncompiled(path, loaded)
            if not as_json:
                for mistake in mistakes:
                    typer.echo(mistake, err=True)
                if not mistakes:
                    typer.echo(f"{path}: ok")
    if as_json:
        print_json(
            [
                {"file": file, "ok": not mistakes, "errors": mistakes}
                for file, mistakes in findings.items()
            ]
        )
    if any(findings.values()):
        raise typer.Exit(1)


def info(
    effect: File,
    as_json: AsJson = False,
    bounds: Annotated[
        bool, typer.Option("--bounds", help="Measure the box in which it is seen, for `bounds`.")
    ] = False,
) -> None:
    """Show what an effect consists of and what it takes to play it."""
    with foreseen():
        mistakes: list[str] = []
        loaded = load(effect, mistakes)
        if loaded is None:
            fail(mistakes)
        programs: int | None = None
        gpu_bytes: int | None = None
        refusal: str | None = None
        box: Any = loaded.bounds
        try:
            programs, gpu_bytes = _cost(loaded)
            if bounds:
                box = _measure(loaded)
        except ContextError as error:
            refusal = str(error)
        emitters = [_describe(loaded, emitter) for emitter in loaded.emitters]
        warnings = [
            warning for emitter in loaded.emitters for warning in _too_small(loaded, emitter)
        ]
        images = sorted({str(texture) for _, texture in textures(loaded)})
    if as_json:
        print_json(
            {
                "name": loaded.name,
                "duration": loaded.duration,
                "loop": loaded.loop,
                "prewarm": loaded.prewarm,
                "fixed_fps": loaded.fixed_fps,
                "bounds": box,
                "emitters": emitters,
                "parameters": [_describe_parameter(each) for each in loaded.parameters],
                "textures": images,
                "programs": programs,
                "gpu_bytes": gpu_bytes,
            }
        )
    else:
        pace = f"loops every {loaded.duration:g} s" if loaded.loop else f"{loaded.duration:g} s"
        if loaded.prewarm:
            pace += f", prewarmed for {loaded.prewarm:g} s"
        if loaded.fixed_fps is not None:
            pace += f", in frames of 1/{loaded.fixed_fps:g} s"
        typer.echo(f"{loaded.name}: {pace}")
        columns = ("emitter", "capacity", "live", "space", "shape", "modifiers", "look")
        typer.echo(
            table(
                columns,
                [
                    (
                        emitter["name"],
                        f"{emitter['capacity']:,}",
                        f"~{emitter['expected_live']:,.0f}",
                        emitter["space"],
                        emitter["shape"],
                        ", ".join(emitter["modifiers"]) or "-",
                        _look_of(emitter),
                    )
                    for emitter in emitters
                ],
            )
        )
        if loaded.parameters:
            typer.echo("parameters:")
        for parameter in loaded.parameters:
            typer.echo(f"  {parameter.name}: {parameter.summary}")
        if box is not None:
            typer.echo(f'"bounds": {json.dumps(box)}')
        for image in images:
            typer.echo(f"texture {image}")
        if gpu_bytes is not None:
            typer.echo(f"{programs} GPU programs, {gpu_bytes / 1e6:.2f} MB of GPU memory")
    for warning in warnings:
        typer.echo(warning, err=True)
    if refusal is not None:
        typer.echo(refusal, err=True)


def schema() -> None:
    """Print the JSON Schema of effect files."""
    from gpuparticles import effect

    print_json(effect.schema())


def _cost(effect: Effect) -> tuple[int, int]:
    """How many GPU programs and how many bytes of GPU memory an effect takes when it plays."""
    from gpuparticles.gpu import create_context
    from gpuparticles.system import ParticleSystem

    ctx = create_context()
    try:
        particles = ParticleSystem(ctx)
        particles.play(effect)
        stats = particles.stats
        particles.release()
    finally:
        ctx.release()
    return stats.programs, stats.gpu_bytes


def _uncompiled(path: Path, effect: Effect) -> list[str]:
    """What a driver says of GLSL that the author wrote; nothing where there is none of either."""
    if not any(each.process or each.sprite.shader for each in effect.emitters):
        return []
    from gpuparticles.gpu import create_context
    from gpuparticles.system import ParticleSystem

    try:
        ctx = create_context()
    except ContextError as error:
        typer.echo(f"{path}: its GLSL has not been compiled: {error}", err=True)
        return []
    try:
        particles = ParticleSystem(ctx)
        try:
            particles.warm_up(effect)
        finally:
            particles.release()
    except ShaderError as error:
        return [f"{path}: {error}"]
    finally:
        ctx.release()
    return []


def _measure(effect: Effect) -> list[list[float]]:
    """The measured bounds, to three digits, outward."""
    from gpuparticles.record import measure_bounds

    lower, upper = measure_bounds(effect)
    step = 10.0 ** (math.floor(math.log10(max(map(abs, (*lower, *upper, 1e-9))))) - 2)
    return [
        [round(math.floor(part / step) * step, 9) for part in lower],
        [round(math.ceil(part / step) * step, 9) for part in upper],
    ]


def _too_small(effect: Effect, emitter: Emitter) -> Iterator[str]:
    """A warning when more particles are born than an emitter has room for."""
    peak = expected_peak(effect, emitter)
    if round(peak, 3) > emitter.capacity:
        many = "ever more" if math.isinf(peak) else f"about {math.ceil(round(peak, 3)):,}"
        yield (
            f"warning: {emitter.name}: {many} particles would live at once, but its capacity is "
            f"{emitter.capacity:,}; births beyond it are dropped"
        )


def _look_of(described: dict[str, Any]) -> str:
    """What an emitter's particles look like, in a word or two."""
    texture = Path(described["texture"]).name if described["texture"] else None
    if described["triangles"]:
        return f"{described['triangles']:,} triangles" + (f", {texture}" if texture else "")
    return texture or "soft disc"


def _describe_parameter(parameter: Parameter) -> dict[str, Any]:
    return {
        "name": parameter.name,
        "type": parameter.type,
        "default": parameter.default,
        "range": parameter.range,
        "description": parameter.description,
        "binds": parameter.binds,
    }


def _describe(effect: Effect, emitter: Emitter) -> dict[str, Any]:
    texture, model = emitter.look.texture, emitter.model
    return {
        "name": emitter.name,
        "capacity": emitter.capacity,
        "expected_live": round(expected_live(effect, emitter), 1),
        "duration": effect.duration_of(emitter),
        "loop": effect.loop_of(emitter),
        "space": emitter.space,
        "shape": emitter.shape.kind,
        "modifiers": [modifier.kind for modifier in effect.modifiers_of(emitter)],
        "texture": str(texture) if isinstance(texture, str | Path) else None,
        "triangles": 0 if model is None else len(model.mesh.corners()),
    }
