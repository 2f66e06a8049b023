"""The effects that docs/kinds shows: for every kind one that makes visible what the kind does."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import gpuparticles as gp
from gpuparticles.effect import Kind, Modifier, Shape

SPARK = [(0, "#fff6dc"), (0.25, "#ffb347"), (0.7, "#e0457b"), (1, "#3d2a7d00")]
GLOW = gp.Sprite(blend="additive")
STREAK = gp.Sprite(blend="additive", stretch=0.02)
ICE = [(0, "#eaf6ff"), (0.4, "#6cc5ff"), (1, "#3a5bdc00")]


class Panel(NamedTuple):
    """One picture of a strip.

    Args:
        effect: What is shown.
        moment: When, in seconds from the effect's beginning.
        exposure: How many seconds before that moment still glow: paths become visible.
        seen: Whether particles are given the depth of a scene: that of a ball.
    """

    effect: gp.Effect
    moment: float
    exposure: float = 0.0
    seen: bool = False


class Scene(NamedTuple):
    """What the page of a kind shows.

    Args:
        effect: The example of the page, shown by the last panel.
        panels: The pictures of its strip, from left to right, seen by one camera.
        caption: What they show, one sentence.
    """

    effect: gp.Effect
    panels: tuple[Panel, ...]
    caption: str


def scene_of(cls: type[Kind]) -> Scene:
    """The scene of a kind, around its own example."""
    example = cls.example()
    if isinstance(example, Shape):
        return _birthplaces(example)
    assert isinstance(example, Modifier)
    return _without_and_with(example)


def variants() -> dict[str, tuple[Scene, list[Any]]]:
    """Fields that are best explained by pictures: ``"emitter_spread"``, a panel for each value."""
    found = {}
    for (cls, field), values in VARIANTS.items():
        panels = []
        for value in values:
            emitter = {gp.Trail: COMETS, gp.Ribbon: HELIX}.get(cls, FLOW)
            change = {field: value}
            if cls is gp.Sprite:
                change = {"sprite": replace(FLOW.sprite, **change)}
            if cls is gp.Trail:
                change = {"trail": replace(TRAIL, **change)}
            if cls is gp.Model:
                change = {"model": replace(CHIP, **change), "size": 0.2, "rate": 40, "spread": 40}
                change |= {"color_over_life": [(0, "#ffb050"), (1, "#c04a70")]}
            if cls is gp.Ribbon:
                change = {"ribbon": replace(RIBBON, **change)}
            if field == "facing":  # where width and height differ it shows how they lie
                change |= {"height": 3.0, "rate": 30, "spread": 60}
            panels.append(Panel(gp.Effect(field, [replace(emitter, **change)]), 2.0))
        given = [getattr(_holder(cls, panel.effect), field) for panel in panels]
        name = f"{cls.__name__.lower()}_{field}"
        found[name] = Scene(panels[-1].effect, tuple(panels), field), given
    return found


def _holder(cls: type, effect: gp.Effect) -> Any:
    (emitter,) = effect.emitters
    parts = emitter, emitter.sprite, emitter.trail, emitter.ribbon, emitter.model
    return next(part for part in parts if type(part) is cls)


def _birthplaces(shape: Shape) -> Scene:
    """All places at which a shape bears, and particles on their way from there."""
    places = gp.Emitter(
        "places",
        capacity=4000,
        rate=0,
        bursts=[gp.Burst(0, 4000)],
        lifetime=10,
        shape=shape,
        speed=0,
        size=0.032,
        color=(0.35, 0.65, 1.0, 0.6),
        sprite=GLOW,
    )
    flow = gp.Emitter(
        "particles",
        capacity=2000,
        rate=1200,
        lifetime=(0.6, 1.4),
        shape=shape,
        speed=(0.5, 1.2),
        spread=6,
        size=0.035,
        color="#ffffffa0",
        color_over_life=ICE,
        sprite=gp.Sprite(blend="additive", stretch=0.08),
    )
    effect = gp.Effect(shape.kind, [flow])
    born = gp.Effect(shape.kind, [places], loop=False)
    caption = f"{_call(shape)}: where particles are born, and how they fly from there."
    return Scene(effect, (Panel(born, 0.1), Panel(effect, 1.5)), caption)


def _without_and_with(modifier: Modifier) -> Scene:
    """The same particles left alone, and under a modifier."""
    stage = STAGES.get(modifier.role, STAGES["force"])
    alone, under = (
        gp.Effect(
            modifier.kind,
            [replace(stage.emitter, modifiers=(*stage.modifiers, *more))],
            loop=stage.loop,
        )
        for more in ((), (modifier,))
    )
    panels = tuple(
        Panel(effect, stage.moment, stage.exposure, seen=modifier.looks)
        for effect in (alone, under)
    )
    return Scene(under, panels, f"The same particles without and with {_call(modifier)}.")


class Stage(NamedTuple):
    """Where modifiers of a role show what they do; see `Panel`."""

    emitter: gp.Emitter
    moment: float
    exposure: float
    loop: bool
    modifiers: tuple[Modifier, ...] = ()


SWARM = gp.Emitter(
    "swarm",
    capacity=500,
    rate=0,
    bursts=[gp.Burst(0, 500)],
    lifetime=3,
    shape=gp.Sphere(1),
    speed=(0.1, 0.5),
    spread=180,
    size=0.04,
    color_over_life=SPARK,
    sprite=STREAK,
)
BLAST = replace(
    SWARM, name="blast", capacity=600, bursts=[gp.Burst(0, 600)], shape=gp.Point(), speed=(1, 2.5)
)
RAIN = gp.Emitter(
    "rain",
    capacity=1500,
    rate=600,
    lifetime=2,
    shape=gp.Box((1.8, 0.05, 0.35), offset=(0, 1.8, 0)),
    speed=0,
    size=0.05,
    color_over_life=SPARK,
    sprite=gp.Sprite(blend="additive", stretch=0.04),
)
STAGES = {
    "force": Stage(SWARM, 1.1, 0.6, loop=False),
    "flow": Stage(SWARM, 1.1, 0.6, loop=False),
    "drag": Stage(BLAST, 0.8, 0.5, loop=False),
    "limit": Stage(BLAST, 0.8, 0.5, loop=False),
    "motion": Stage(SWARM, 1.1, 0.6, loop=False),
    "constraint": Stage(RAIN, 2.5, 0.1, True, (gp.Acceleration((0, -2.2, 0)),)),
}

FLOW = gp.Emitter(
    "flow",
    capacity=800,
    rate=70,
    lifetime=1.6,
    speed=(0.9, 1.3),
    spread=16,
    size=0.16,
    color_over_life=[(0, "#ffe9b0"), (0.3, "#ff9a3c"), (0.75, "#c73e6b"), (1, "#4a2a8000")],
    sprite=gp.Sprite(blend=0.6),
)
TRAIL = gp.Trail(0.7, blend="additive", segments=24)
COMETS = gp.Emitter(
    "comets",
    capacity=60,
    rate=9,
    lifetime=1.8,
    speed=(1.2, 1.8),
    spread=28,
    size=0.12,
    color_over_life=[(0, "#ffe9b0"), (0.4, "#ff9a3c"), (0.8, "#c73e6b"), (1, "#4a2a8000")],
    modifiers=[gp.Acceleration((0, -1.1, 0)), gp.Turbulence(3.0, frequency=0.9)],
    sprite=GLOW,
    trail=TRAIL,
)
CHIP = gp.Model(
    gp.Geometry(
        [(0, 0.7, 0), (0.3, 0, 0), (0, 0, 0.3), (-0.3, 0, 0), (0, 0, -0.3), (0, -0.5, 0)],
        [(0, 2, 1), (0, 3, 2), (0, 4, 3), (0, 1, 4), (5, 1, 2), (5, 2, 3), (5, 3, 4), (5, 4, 1)],
    )
)
RIBBON = gp.Ribbon(blend="additive")
HELIX = gp.Emitter(
    "helix",
    capacity=120,
    rate=45,
    lifetime=2,
    duration=1.6,
    loop=True,
    shape=gp.Circle(0.5, inner=0.5, arc_mode="loop"),
    velocity=(0, 1.1, 0),
    size=0.14,
    size_over_life=[(0, 0.2), (0.3, 1), (1, 0.3)],
    color_over_life=[(0, "#fff6dc"), (0.4, "#6cc5ff"), (1, "#5a3bdc00")],
    sprite=gp.Sprite(blend="additive"),
    ribbon=RIBBON,
)
VARIANTS: dict[tuple[type, str], tuple[Any, ...]] = {
    (gp.Emitter, "rate"): (10, 50, 250),
    (gp.Emitter, "lifetime"): (0.5, 1.6, (0.2, 1.6)),
    (gp.Emitter, "speed"): (0.5, 1.2, (0, 1.8)),
    (gp.Emitter, "spread"): (0, 30, 180),
    (gp.Emitter, "velocity"): ((0, 1, 0), (1, 0.7, 0), ((-1, 1), 1, (-0.3, 0.3))),
    (gp.Emitter, "size"): (0.08, 0.2, (0.04, 0.3)),
    (gp.Emitter, "size_over_life"): (
        [(0, 1), (1, 0)],
        [(0, 0.2), (1, 2)],
        [(0, 0), (0.5, 1.5), (1, 0)],
    ),
    (gp.Emitter, "color_over_life"): (
        [(0, "#ffffff"), (0.3, "#7fe3ff"), (1, "#2040ff00")],
        [(0, "#ffd0f0"), (0.5, "#ff40b0"), (0.5, "#40ff90"), (1, "#40ff9000")],
        [(0, "#50505000"), (0.2, "#606870"), (1, "#30303000")],
    ),
    (gp.Sprite, "blend"): ("alpha", 0.5, "additive"),
    (gp.Sprite, "stretch"): (0, 0.1, 0.4),
    (gp.Sprite, "facing"): ("camera", "emitter", "velocity"),
    (gp.Ribbon, "width"): (0.3, 1.0, 2.5),
    (gp.Ribbon, "only"): (True, False),
    (gp.Trail, "lifetime"): (0.15, 0.5, 1.2),
    (gp.Trail, "width_over_trail"): ([(0, 1), (1, 0)], 0.6, [(0, 0.2), (0.6, 2.5), (1, 0)]),
    (gp.Trail, "color_over_trail"): (
        [(0, "#ffffff"), (1, "#ffffff00")],
        [(0, "#ffffff"), (0.3, "#40a0ff"), (1, "#8040ff00")],
        [(0, "#ffffff00"), (0.5, "#ffffff"), (1, "#ffffff00")],
    ),
    (gp.Model, "orientation"): ("random", "velocity", "fixed"),
}


def _call(kind: Kind) -> str:
    """How Python makes it, for captions."""
    return f"`gp.{kind!r}`"
