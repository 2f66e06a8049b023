"""Who owns what on the GPU: programs are shared, textures borrowed, and nothing is left behind."""

from __future__ import annotations

import ctypes
import gc
import math
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import moderngl
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

import gpuparticles as gp
from gpuparticles.gpu.gl import GL
from gpuparticles.gpu.programs import Programs
from gpuparticles.shaders import sources

LiveObjects = Callable[[], dict[str, list[int]]]
System = Callable[..., gp.ParticleSystem]
One = Callable[..., gp.Effect]
State = Callable[..., tuple[NDArray[np.float32], NDArray[np.float32]]]
VIEW = PROJECTION = np.eye(4)


@pytest.fixture(autouse=True)
def target(ctx: moderngl.Context) -> Iterator[None]:
    """Something to draw into."""
    color = ctx.texture((8, 8), 4)
    framebuffer = ctx.framebuffer([color])
    framebuffer.use()
    yield
    framebuffer.release()
    color.release()


def fountain(**settings: Any) -> gp.Emitter:
    return gp.Emitter(
        "it",
        **{
            "capacity": 100,
            "rate": 200.0,
            "lifetime": (0.2, 0.6),
            "spread": 30,
            "modifiers": [gp.Acceleration((0, -9.8, 0)), gp.Drag(0.5)],
            **settings,
        },
    )


# Programs.


def test_emitters_of_the_same_kinds_share_their_programs(system: System) -> None:
    """Whatever their values, capacities, curves and textures."""
    particles = system()
    textured = gp.Sprite(texture=Image.new("RGBA", (3, 1)))
    particles.play(gp.Effect("first", [fountain(sprite=textured)]))
    programs = particles.stats.programs
    other = fountain(
        capacity=7,
        speed=(3, 4),
        size_over_life=[(0, 1), (1, 0)],
        modifiers=[gp.Acceleration((1, 2, 3)), gp.Drag(4)],
        sprite=gp.Sprite(texture=Image.new("RGBA", (2, 2)), blend="additive"),
    )
    particles.play(gp.Effect("second", [other]))

    assert particles.stats.programs == programs
    third = fountain(modifiers=[gp.Drag(1)], sprite=textured)
    particles.play(gp.Effect("third", [third]))
    assert particles.stats.programs > programs, "another sequence of kinds is another program"


def test_releasing_one_leaves_the_other_working_and_after_the_last_nothing_is_left(
    system: System, state: State, live_objects: LiveObjects
) -> None:
    particles = system()
    effect = gp.Effect("fountain", [fountain()])
    alone = particles.play(effect, seed=3)
    for _ in range(20):
        particles.update(1 / 30)
    expected = [part.tobytes() for part in state(alone["it"])]
    alone.release()

    before = live_objects()
    first, second = particles.play(effect, seed=3), particles.play(effect, seed=4)
    for step in range(20):
        if step == 10:
            second.release()
        particles.update(1 / 30)
        particles.draw(VIEW, PROJECTION)
    assert [part.tobytes() for part in state(first["it"])] == expected
    first.release()
    assert live_objects() == before
    assert particles.stats.programs == 0


def test_systems_of_one_context_share_programs_and_nothing_else(
    system: System, live_objects: LiveObjects
) -> None:
    one, other = system(), system()
    effect = gp.Effect("fountain", [fountain()])
    one.play(effect, seed=1)
    programs = one.stats.programs
    kept = other.play(effect, seed=1)
    assert other.stats.programs == programs
    for particles in (one, other):
        particles.update(0.3)
    one.release()

    assert one.stats.gpu_bytes == 0
    other.update(0.1)
    assert len(kept["it"].read()) == kept.live_count > 0


def test_warm_up_compiles_and_keeps_until_the_system_goes(
    system: System, live_objects: LiveObjects
) -> None:
    before = live_objects()
    particles = system()
    effect = gp.Effect("fountain", [fountain()])
    particles.warm_up(effect)
    warm = particles.stats.programs
    assert warm
    particles.warm_up(effect)
    assert particles.stats.programs == warm
    playing = particles.play(effect)
    particles.burst(effect)
    particles.update(0.1)
    particles.draw(VIEW, PROJECTION)
    assert particles.stats.programs == warm, "nothing is left to compile"
    playing.release()
    assert particles.stats.programs == warm
    particles.release()
    assert live_objects() == before


def test_warm_up_takes_the_whole_library(system: System) -> None:
    particles = system()
    particles.library["fountain"] = gp.Effect("fountain", [fountain()])
    particles.library["dust"] = gp.Effect("dust", [fountain(modifiers=[], shape=gp.Box())])
    particles.warm_up()
    warm = particles.stats.programs

    particles.play("dust")
    particles.burst("fountain")
    particles.update(0.1)
    assert particles.stats.programs == warm


def test_a_context_does_not_outlive_its_last_program(ctx: moderngl.Context) -> None:
    """Looking at the figures, or failing, does not keep it either."""
    other = gp.create_context()
    with other:
        particles = gp.ParticleSystem(other)
        particles.play(gp.Effect("fountain", [fountain()]))
        assert particles.stats.programs
        particles.release()
        assert particles.stats.programs == 0
    other.release()
    ctx.__enter__()  # now none is current
    gone = weakref.ref(other)
    del other, particles
    gc.collect()

    assert gone() is None
    assert ctx.error == "GL_NO_ERROR"


# Release.


def test_release_frees_everything_at_once(ctx: moderngl.Context, live_objects: LiveObjects) -> None:
    before = live_objects()
    particles = gp.ParticleSystem(ctx)
    effect = gp.Effect("fountain", [fountain(sprite=gp.Sprite(texture=Image.new("L", (9, 9))))])
    particles.warm_up(effect)
    instances = [particles.play(effect) for _ in range(3)]
    for number in range(5):
        particles.burst(effect, position=(number, 0, 0))
    particles.update(0.2)
    particles.draw(VIEW, PROJECTION)
    particles.release()

    assert live_objects() == before
    assert all(instance.released for instance in instances)
    assert particles.stats == gp.system.Stats(live=0, dropped=0, programs=0, gpu_bytes=0)
    particles.release()
    for instance in instances:
        instance.release()
    assert live_objects() == before


def test_a_with_block_releases_also_after_an_exception(
    ctx: moderngl.Context, live_objects: LiveObjects
) -> None:
    before = live_objects()
    particles = gp.ParticleSystem(ctx)

    def fail() -> None:
        with particles as same:
            assert same is particles
            particles.play(gp.Effect("fountain", [fountain()]))
            particles.update(0.1)
            raise KeyError("inside")

    with pytest.raises(KeyError, match="inside"):
        fail()
    assert live_objects() == before
    with pytest.raises(gp.ContextError, match="released"):
        particles.update(0.1)


def test_a_released_system_says_so(ctx: moderngl.Context) -> None:
    particles = gp.ParticleSystem(ctx)
    effect = gp.Effect("fountain", [fountain()])
    particles.release()

    for call in (
        lambda: particles.play(effect),
        lambda: particles.burst(effect),
        lambda: particles.update(0.1),
        lambda: particles.update(0),
        lambda: particles.draw(VIEW, PROJECTION),
        lambda: particles.warm_up(effect),
        lambda: particles.guarded().__enter__(),
    ):
        with pytest.raises(gp.ContextError, match="this ParticleSystem has been released"):
            call()


def test_a_released_effect_says_so(system: System) -> None:
    particles = system()
    fire = particles.play(gp.Effect("fire", [fountain()]))
    flames = fire["it"]
    particles.update(0.1)
    fire.release()

    assert particles.effects == ()
    for call in (
        lambda: flames.read(),
        lambda: flames.emit(1),
        lambda: setattr(flames, "rate", 5),
        lambda: setattr(fire, "transform", (0, 0, 0)),
        lambda: setattr(fire, "speed", 1),
        lambda: setattr(fire, "tint", (1, 1, 1)),
        lambda: fire.teleport((0, 0, 0)),
        fire.pause,
        fire.resume,
        fire.stop,
        fire.start,
        fire.retire,
        fire.reset,
    ):
        with pytest.raises(gp.ContextError, match="this effect has been released"):
            call()
    fire.release()


def test_an_effect_may_be_released_when_it_tells_that_it_is_finished(
    system: System, live_objects: LiveObjects
) -> None:
    particles = system()
    before = live_objects()
    once = gp.Effect("once", [fountain()], duration=0.1, loop=False)
    others = [particles.play(once) for _ in range(3)]
    for instance in others:
        instance.on_finished = lambda done: done.release()
    for _ in range(30):
        particles.update(1 / 30)

    assert all(instance.finished and instance.released for instance in others)
    assert live_objects() == before


def test_a_thousand_lives_leave_nothing(system: System, live_objects: LiveObjects) -> None:
    particles = system()
    effect = gp.Effect("fountain", [fountain(capacity=32)])
    particles.warm_up(effect)  # compiling is not what leaks, and takes longest
    before = live_objects()
    last = None
    for number in range(1000):
        instance = particles.play(effect)
        if number % 10 == 0:
            particles.update(0.05)
            particles.draw(VIEW, PROJECTION)
        instance.release()
        last = weakref.ref(instance)
    del instance
    gc.collect()

    assert live_objects() == before
    assert particles.effects == ()
    assert last is not None
    assert last() is None


def test_whole_systems_leave_nothing(ctx: moderngl.Context, live_objects: LiveObjects) -> None:
    before = live_objects()
    effect = gp.Effect("fountain", [fountain(capacity=32)])
    for _ in range(20):
        with gp.ParticleSystem(ctx) as particles:
            particles.play(effect)
            particles.burst(effect)
            particles.update(0.05)
        assert live_objects() == before


# Bursts.


def dust(**settings: Any) -> gp.Effect:
    emitter = gp.Emitter(
        "dust",
        **{
            "capacity": 8,
            "rate": 0,
            "bursts": [gp.Burst(0, 3), gp.Burst(0.1, 2)],
            "lifetime": (0.5, 0.8),
            "speed": (1, 3),
            "spread": 180,
            "shape": gp.Sphere(0.5),
            "modifiers": [gp.Radial(-4, center=(0, 0.25, 0)), gp.Drag(0.5)],
            **settings,
        },
    )
    return gp.Effect("dust", [emitter], duration=0.3, loop=False)


@pytest.mark.parametrize("space", ["world", "local"])
def test_a_thousand_bursts_share_one_set_of_textures_and_each_behaves_as_if_alone(
    system: System, live_objects: LiveObjects, space: str, rng: np.random.Generator
) -> None:
    """Each at its own place, with a pull to its own centre; afterwards the pool is gone."""
    particles = system()
    effect = dust(space=space)
    particles.warm_up(effect)
    before = live_objects()
    places = rng.integers(-256, 257, (1000, 3)) / 2.0
    alone = particles.play(effect, transform=(0, 0, 0), seed=11)
    for _ in range(12):
        particles.update(1 / 30)
    expected = alone["dust"].read()
    alone.stop()
    alone.release()
    for place in places[:10]:
        particles.burst(effect, position=place, seed=11)
    particles.update(1 / 30)
    few = live_objects()
    particles.update(30)
    for place in places:
        particles.burst(effect, position=place, seed=11)
    for _ in range(12):
        particles.update(1 / 30)
        particles.draw(VIEW, PROJECTION)

    assert len(expected) == 5
    assert {kind: len(names) for kind, names in live_objects().items()} == {
        kind: len(names) for kind, names in few.items()
    }
    assert particles.stats.live == 5 * 1000
    (pool,) = particles._scene.playing
    found = _by_burst(pool, 1000, len(expected))
    for name in ("age", "lifetime"):
        np.testing.assert_array_equal(found[name], np.tile(expected[name], (1000, 1)))
    relative = found["position"] - (places[:, None, :] - places[0] if space == "world" else 0)
    np.testing.assert_allclose(
        relative, np.tile(expected["position"], (1000, 1, 1)), atol=256 * 2**-20
    )
    np.testing.assert_allclose(
        found["velocity"], np.tile(expected["velocity"], (1000, 1, 1)), atol=1e-3
    )
    particles.update(1)
    assert live_objects() == before


def _by_burst(pool: Any, bursts: int, each: int) -> dict[str, NDArray[Any]]:
    """What lives in a pool, by burst and then by birth; positions from the pool's anchor."""
    (simulation,), (crowd,) = pool._simulations, pool._crowds
    state, guard = simulation.state, pool._scene.guard
    with guard:
        guard.simulate()
        position, velocity = (
            np.frombuffer(t.read(), np.float32).reshape(-1, 4) for t in state.current
        )
        birth = np.frombuffer(state.birth["lifetime_seed"].read(), np.uint32).reshape(-1, 2)
        owner = np.frombuffer(state.birth["instance"].read(), np.uint32)
    lifetime = birth[:, 0].copy().view(np.float32)
    living = np.flatnonzero((position[:, 3] >= 0) & (position[:, 3] < lifetime))
    living = living[: len(crowd.population.numbers)]
    order = living[np.lexsort((crowd.population.numbers[living], owner[living]))]
    shape = (bursts, each)
    return {
        "position": position[order, :3].astype(np.float64).reshape(*shape, 3),
        "velocity": velocity[order, :3].reshape(*shape, 3),
        "age": position[order, 3].reshape(shape),
        "lifetime": lifetime[order].reshape(shape),
    }


def test_a_pool_grows_and_lets_go_when_it_is_empty(
    system: System, live_objects: LiveObjects
) -> None:
    particles = system()
    effect = dust(capacity=600, bursts=[gp.Burst(0, 600)])
    particles.warm_up(effect)
    before = live_objects()
    sizes = []
    for _ in range(4):
        particles.burst(effect)
        particles.update(0.01)
        sizes.append(particles.stats.gpu_bytes)
    assert sizes == sorted(sizes)
    assert sizes[-1] > 2 * sizes[0]
    assert particles.stats.live == 2400
    particles.update(2)
    assert live_objects() == before
    assert particles.stats.gpu_bytes == 0


# What fails.


def broken_file(folder: Path) -> gp.Sprite:
    path = folder / "broken.png"
    path.write_bytes(b"no picture")
    return gp.Sprite(texture=path)


@pytest.mark.parametrize("call", ["play", "burst", "warm_up"])
def test_a_shader_that_does_not_compile_leaks_nothing(
    ctx: moderngl.Context,
    system: System,
    live_objects: LiveObjects,
    monkeypatch: pytest.MonkeyPatch,
    call: str,
) -> None:
    """Apart from the program that moderngl began and forgot."""
    particles = system()
    kept = particles.play(gp.Effect("good", [fountain()]))
    particles.update(0.1)
    before, figures = live_objects(), particles.stats
    bad = fountain(modifiers=[gp.Vortex(1)])
    _break_kernel(monkeypatch, "modifiers/vortex.glsl")

    for emitters in ([bad], [gp.Emitter("fine"), bad]):
        with pytest.raises(gp.ShaderError, match=r"modifiers/vortex\.glsl:\d+"):
            getattr(particles, call)(gp.Effect("bad", emitters))
        _delete_forgotten(ctx, live_objects(), before)
        assert live_objects() == before
        assert particles.stats == figures
    particles.update(0.1)
    particles.draw(VIEW, PROJECTION)
    assert len(kept["it"].read()) == kept.live_count


def _delete_forgotten(
    ctx: moderngl.Context, after: dict[str, list[int]], before: dict[str, list[int]]
) -> None:
    """When a stage does not compile, moderngl leaves the program and the stage that did."""
    gl = GL(ctx)
    found = _new(after, before, ("Program", "Shader"))
    assert [len(names) for names in found.values()] == [1, 1]
    for kind, names in found.items():
        gl.function(f"Delete{kind}", "i")(names[0])


def _break_kernel(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """As if somebody had a mistake in this file of the GLSL tree."""
    read = sources.read

    def broken(file: str) -> Any:
        lines = read(file)
        if file != name:
            return lines
        return tuple(line._replace(text=line.text.replace("return", "retrun")) for line in lines)

    monkeypatch.setattr("gpuparticles.shaders.compose.read", broken)


@pytest.mark.parametrize("call", ["play", "burst"])
def test_a_texture_that_cannot_be_read_leaks_nothing(
    system: System, live_objects: LiveObjects, tmp_path: Path, call: str
) -> None:
    particles = system()
    before, figures = live_objects(), particles.stats
    sprite = broken_file(tmp_path)
    fine = gp.Emitter("fine", sprite=gp.Sprite(texture=Image.new("RGBA", (4, 4))))

    for emitters in ([fountain(sprite=sprite)], [fine, fountain(sprite=sprite)]):
        with pytest.raises(gp.EffectError, match=r"bad: it: sprite\.texture: .*broken\.png"):
            getattr(particles, call)(gp.Effect("bad", emitters))
        if call == "play":
            assert live_objects() == before
            assert particles.stats == figures
    assert particles._scene.playing == []
    assert particles.stats.gpu_bytes == 0
    particles.release()
    assert live_objects() == before


def test_a_capacity_beyond_the_texture_limit_leaks_nothing(
    system: System, live_objects: LiveObjects, ctx: moderngl.Context
) -> None:
    particles = system()
    before, figures = live_objects(), particles.stats
    too_many = 4096 * ctx.info["GL_MAX_TEXTURE_SIZE"] + 1
    effect = gp.Effect("huge", [gp.Emitter("fine"), fountain(capacity=too_many)])

    with pytest.raises(gp.ContextError, match=rf"huge.*it.*{too_many}"):
        particles.play(effect)
    assert live_objects() == before
    assert particles.stats == figures
    assert ctx.error == "GL_NO_ERROR"


def test_a_failing_call_leaves_the_guard_closed(system: System, tmp_path: Path) -> None:
    """The host's state comes back although play raised, and the next call works."""
    particles = system()
    with pytest.raises(gp.EffectError):
        particles.play(gp.Effect("bad", [fountain(sprite=broken_file(tmp_path))]))

    assert particles._scene.guard._depth == 0
    particles.play(gp.Effect("good", [fountain()]))
    particles.update(0.2)
    assert particles.stats.live > 0


def test_programs_without_users_are_forgotten(ctx: moderngl.Context, system: System) -> None:
    particles = system()
    particles.play(gp.Effect("fountain", [fountain()])).release()

    assert len(Programs.of(ctx)) == 0


# Memory.


class Memory:
    """What OpenGL itself says that its objects take."""

    def __init__(self, ctx: moderngl.Context) -> None:
        gl = GL(ctx)
        self._gl = gl
        self._level = gl.function("GetTexLevelParameteriv", "iiip")
        self._buffer = gl.function("GetBufferParameteriv", "iip")

    def __call__(self, objects: dict[str, list[int]]) -> int:
        gl, answer = self._gl, (ctypes.c_int * 1)()
        total = 0
        for name in objects.get("Texture", []):
            gl.BindTexture(gl.TEXTURE_2D, name)
            for level in range(15):
                values = []
                # Width, height; bits of red, green, blue and alpha.
                for parameter in (0x1000, 0x1001, 0x805C, 0x805D, 0x805E, 0x805F):
                    self._level(gl.TEXTURE_2D, level, parameter, answer)
                    values.append(answer[0])
                width, height, *bits = values
                total += width * height * sum(bits) // 8
        gl.BindTexture(gl.TEXTURE_2D, 0)
        for name in objects.get("Buffer", []):
            gl.BindBuffer(gl.ARRAY_BUFFER, name)
            self._buffer(gl.ARRAY_BUFFER, 0x8764, answer)  # GL_BUFFER_SIZE
            total += answer[0]
        gl.BindBuffer(gl.ARRAY_BUFFER, 0)
        return total


def _new(
    after: dict[str, list[int]], before: dict[str, list[int]], kinds: tuple[str, ...]
) -> dict[str, list[int]]:
    return {kind: sorted(set(after.get(kind, [])) - set(before.get(kind, []))) for kind in kinds}


@pytest.mark.parametrize("capacity", [10_000, 100_000, 1_000_000])
def test_a_slot_takes_at_most_96_bytes(
    system: System, one: One, ctx: moderngl.Context, live_objects: LiveObjects, capacity: int
) -> None:
    """By our figures and by OpenGL's own; before, while and after all are born at once."""
    particles = system()
    effect = one(capacity=capacity, bursts=[gp.Burst(0, capacity)], lifetime=math.inf)
    particles.warm_up(effect)  # programs are shared by all emitters, and not counted
    before, memory = live_objects(), Memory(ctx)
    particles.play(effect)

    def check() -> None:
        ours = particles.stats.gpu_bytes
        assert 88 * capacity <= ours <= 96 * capacity
        assert memory(_new(live_objects(), before, ("Texture", "Buffer"))) == ours

    check()
    particles.update(1 / 60)
    assert particles.stats.live == capacity
    check()
    particles.update(1 / 60)
    check()


def test_the_memory_of_textures_and_pools_is_what_opengl_says(
    system: System, ctx: moderngl.Context, live_objects: LiveObjects
) -> None:
    particles = system()
    picture = gp.Sprite(texture=Image.new("RGBA", (64, 32)))
    plain = gp.Sprite(texture=Image.new("RGBA", (10, 7)), filter="nearest")
    effects = [dust(sprite=picture), dust(sprite=plain, capacity=3000, bursts=[gp.Burst(0, 3000)])]
    particles.warm_up(*effects)
    before, memory = live_objects(), Memory(ctx)
    for effect in effects:
        particles.play(effect)
        for _ in range(3):
            particles.burst(effect)
    particles.update(0.01)

    ours = particles.stats.gpu_bytes
    theirs = memory(_new(live_objects(), before, ("Texture", "Buffer")))
    assert ours == pytest.approx(theirs, rel=1e-3)


def test_an_emitter_without_capacity_takes_hardly_anything(system: System, one: One) -> None:
    particles = system()
    particles.play(one(capacity=0, rate=1000.0))
    particles.update(1)
    particles.draw(VIEW, PROJECTION)

    assert particles.stats.gpu_bytes < 4096
    assert particles.stats.live == 0
    assert particles.stats.dropped == 1000
