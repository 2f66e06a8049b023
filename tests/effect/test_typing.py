"""A type checker accepts what authors write and knows what reads back."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from mypy import api

NATURAL = """
    from pathlib import Path
    from typing import Annotated, assert_type

    import moderngl
    import numpy as np
    from PIL import Image

    import gpuparticles as gp
    from gpuparticles.effect import DIRECTION, RGBA, Force, Particles, Scaled, Vec3, default, span
    from gpuparticles.effect.values import Floats

    sparks = gp.Emitter(
        name="sparks",
        lifetime=(0.5, 1.2),
        shape=gp.Sphere(radius=0.1),
        velocity=(0, (1, 2), gp.Range(0, 1)),
        size_over_life=[(0, 1), (1, 0)],
        color=(1, 0.5, 0),
        color_over_life=[(0, "#fff4c0"), (0.5, (8, 1, 0)), (1, "#40000000")],
        bursts=[gp.Burst(0, 300), gp.Burst(1, (2, 5), cycles=2, interval=1, probability=0.5)],
        modifiers=[gp.Acceleration((0, -9.8, 0)), gp.Drag(0.5, variation=0.1)],
        sprite=gp.Sprite(blend="additive", flipbook=gp.Flipbook(4, 4)),
    )
    gp.Emitter("c", rate=(2, 6), pulse=gp.Pulse(2, 1, 0.25, 5), delay=1, limit=3)
    gp.Emitter("d", rate=[(0, 1), (1, 5)], rate_over_distance=3)
    gp.Emitter("b", color="#ff0000", color_over_life="#ffffff", size_over_life=2, speed=3)
    gp.Radial(-3, center=np.zeros(3), over_life=gp.Curve([(0, 1), (1, 0)]), falloff=(1, 2))
    gp.Vortex(1, axis=[1, 2, 3], handedness="left")
    effect = gp.Effect("fire", [sparks], loop=False)

    assert_type(sparks.lifetime, float | gp.Range | gp.Curve)
    assert_type(sparks.size_over_life, gp.Curve)
    assert_type(sparks.color, RGBA | gp.Gradient)
    assert_type(sparks.bursts, tuple[gp.Burst, ...])
    assert_type(sparks.rate, float | gp.Range | gp.Curve)
    assert_type(gp.Radial(1).center, tuple[float, float, float])
    assert_type(effect.emitters, tuple[gp.Emitter, ...])
    assert_type(span(sparks.lifetime), tuple[float, float])


    def over_life(modifier: Scaled) -> gp.Curve | None:
        assert_type(modifier.over_life, gp.Curve | None)
        return modifier.over_life


    def textures(texture: moderngl.Texture) -> list[gp.Sprite]:
        picture = Image.new("RGBA", (1, 1))
        return [gp.Sprite(t) for t in (texture, picture, "a.png", Path("a.png"), None)]


    @gp.modifier
    class Breeze(Force):
        value: Annotated[Vec3, DIRECTION] = default((1, 0, 0))
        gust: float = 0.5

        def acceleration(self, particles: Particles, strength: Floats) -> Floats:
            return strength


    Breeze([0, 0, 2], gust=1, variation=0.5)
"""

WRONG = """
    import gpuparticles as gp

    gp.Emitter()
    gp.Emitter("a", lifetime="long")
    gp.Emitter("a", colour="#ff0000")
    gp.Emitter("a", space="wrld")
    gp.Emitter("a", modifiers=[gp.Sphere()])
    gp.Emitter("a", shape=gp.Drag(1))
    gp.Sprite(blend="add")
    gp.Drag(0.5, 0.1)
    gp.Emitter("a").rate = 3
    gp.Emitter("a").lifetime = 3
"""


@pytest.fixture
def check(tmp_path: Path):
    """Gives the lines of a program in which mypy finds an error, and what it says."""

    def run(program: str) -> tuple[set[int], str]:
        path = tmp_path / "program.py"
        path.write_text(textwrap.dedent(program).lstrip())
        root = Path(__file__).parents[2]
        said, problem, _ = api.run(
            [str(path), f"--config-file={root / 'pyproject.toml'}", "--no-error-summary"]
        )
        assert not problem
        errors = [line for line in said.splitlines() if ": error: " in line]
        return {int(line.removeprefix(str(path)).split(":")[1]) for line in errors}, said

    return run


def test_what_authors_write_is_accepted_and_reads_back_as_one_type(check):
    lines, said = check(NATURAL)

    assert not lines, said


def test_what_is_wrong_is_found_before_it_runs(check):
    lines, said = check(WRONG)

    assert lines == set(range(3, 13)), said


def test_the_accepted_program_runs():
    """All but its `textures`, which want a context."""
    from gpuparticles.effect import Modifier
    from gpuparticles.effect.kinds import _registry

    try:
        program = compile(textwrap.dedent(NATURAL), "program", "exec", dont_inherit=True)
        exec(program, {"__name__": __name__})
    finally:
        _registry[Modifier].pop("breeze", None)
