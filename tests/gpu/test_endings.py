"""How things end: callbacks that raise, releases that are refused, contexts that are gone."""

from __future__ import annotations

from collections.abc import Callable

import moderngl
import pytest

import gpuparticles as gp
from gpuparticles.gpu.gl import GL

System = Callable[..., gp.ParticleSystem]
One = Callable[..., gp.Effect]


def test_every_on_finished_is_called_though_one_raises(system: System, one: One) -> None:
    """Also when nothing is left to play afterwards."""
    particles = system()
    shot = one(bursts=[gp.Burst(0, 3)], lifetime=0.1, duration=0.1)
    first, second = particles.play(shot), particles.play(shot)
    called: list[str] = []

    def fail(effect: gp.EffectInstance) -> None:
        called.append("first")
        raise RuntimeError("the host's own mistake")

    first.on_finished = fail
    second.on_finished = lambda effect: called.append("second")
    particles.update(0.05)
    with pytest.raises(RuntimeError, match="own mistake"):
        particles.update(0.2)
    particles.update(0.1)

    assert called == ["first", "second"]


def test_a_release_that_is_refused_can_be_tried_again(
    ctx: moderngl.Context, system: System, one: One
) -> None:
    """While transform feedback is active nothing may be touched; nothing is lost by asking."""
    particles = system()
    playing = particles.play(one())
    gl = GL(ctx)
    program = ctx.program(
        vertex_shader="#version 330\nout float v; void main() { v = 1.0; }", varyings=["v"]
    )
    buffer = ctx.buffer(reserve=64)
    begin, end = gl.function("BeginTransformFeedback", "i"), gl.function("EndTransformFeedback", "")
    gl.UseProgram(program.glo)
    gl.BindBufferBase(0x8C8E, 0, buffer.glo)
    begin(0)
    with pytest.raises(gp.ContextError, match="transform feedback is active"):
        playing.release()
    end()
    gl.BindBufferBase(0x8C8E, 0, 0)
    gl.UseProgram(0)

    assert not playing.released
    assert particles.stats.gpu_bytes > 0
    playing.release()
    assert particles.stats.gpu_bytes == 0
    assert particles.stats.programs == 0
    program.release()
    buffer.release()


def test_after_the_context_is_gone_release_is_quiet_and_the_rest_says_so() -> None:
    """The usual order in which an application shuts down."""
    context = gp.create_context()
    particles = gp.ParticleSystem(context)
    playing = particles.play(gp.Effect("e", [gp.Emitter("it")]))
    particles.burst(gp.Effect("b", [gp.Emitter("it")]))
    particles.update(0.1)
    context.release()

    with pytest.raises(gp.ContextError, match="context has been released"):
        particles.update(0.1)
    playing.release()
    particles.release()
    particles.release()
    assert playing.released


def test_a_tint_is_a_colour(system: System, one: One) -> None:
    """Whatever a colour field takes, and what is refused leaves the old one."""
    playing = system().play(one())
    playing.tint = "#ff8000"
    assert playing.tint == pytest.approx((1, 128 / 255, 0, 1))
    playing.tint = (2, 0.5, 0)
    for wrong in ("red", (1e39, 1, 1), (1, 2), None):
        with pytest.raises(gp.EffectError, match=r"^tint"):
            playing.tint = wrong
    assert playing.tint == (2, 0.5, 0, 1)


@pytest.mark.parametrize("place", [(1e39, 0, 0), (0, float("inf"), 0)])
def test_a_place_beyond_all_bounds_is_refused(
    system: System, one: One, place: tuple[float, float, float]
) -> None:
    """Before anything is computed from it."""
    playing = system().play(one())
    with pytest.raises(gp.EffectError, match="every number must lie from -1e30 to 1e30"):
        playing.position = place
    with pytest.raises(gp.EffectError, match="every number must lie from -1e30 to 1e30"):
        playing.transform = place
    assert playing.position == (0, 0, 0)
