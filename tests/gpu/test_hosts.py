"""Whole particle systems inside hosts that have set every OpenGL state there is."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import moderngl
import numpy as np
import pytest
from PIL import Image

import gpuparticles as gp
from gpuparticles.draw.camera import orthographic
from gpuparticles.gpu import context
from gpuparticles.gpu.guard import Guard
from tests.gpu.conftest import ways
from tests.gpu.host_state import SIZE, TOGETHER, Host, changes

VIEW, PROJECTION = np.eye(4), orthographic(-2, 2, -2, 2, -100, 100)

# What of the host's state may change our sprites: where, how and on what they land.
HONOURED = {
    "CLIP_CONTROL",
    "COLOR_WRITEMASK[0]",
    "DEPTH_RANGE",
    "DRAW_BUFFERS",
    "DRAW_FRAMEBUFFER",
    "FRAMEBUFFER_SRGB",
    "VIEWPORT[0]",
}


class Life:
    """A particle system from its construction to its release, one public call after the other.

    Args:
        ctx: The context.
        borrowed: A texture of the host, for sprites.
        settings: Of the particle system.

    Attributes:
        calls: Every public call that touches OpenGL, by name and in order; in groups, after which
            the state is worth a look.
    """

    def __init__(self, ctx: moderngl.Context, borrowed: moderngl.Texture, **settings: Any) -> None:
        self._ctx = ctx
        self._guard = Guard(ctx)
        self._settings = settings
        self._records: list[bytes] = []
        forces = [gp.Acceleration((0, -1, 0)), gp.Drag(0.5), gp.Radial(-1), gp.Vortex(2)]
        pixels = np.random.default_rng(1).integers(0, 256, (8, 8, 4), np.uint8)
        smoke = gp.Emitter(
            "smoke",
            capacity=300,
            rate=200,
            lifetime=(0.1, 1),
            size=(0.5, 1.5),
            spread=180,
            angular_velocity=(-90, 90),
            modifiers=forces,
            trail=gp.Trail(0.3, segments=3),
            ribbon=gp.Ribbon(only=False),
            # Drawing sorts: it simulates in the middle of it.
            sprite=gp.Sprite(
                texture=Image.fromarray(pixels),
                flipbook=gp.Flipbook(2, 2),
                order="depth",
                lit=gp.Lit(Image.fromarray(pixels)),
            ),
        )
        sparks = gp.Emitter(
            "sparks",
            capacity=40,
            rate=90,
            space="local",
            shape=gp.Sphere(0.5),
            modifiers=[
                gp.CollidePlane(point=(0, -0.3, 0)),
                gp.KillSphere(radius=0.8, outside=True),
            ],
            sprite=gp.Sprite(texture=borrowed, stretch=0.1),
            trail=gp.Trail(0.2, segments=4, texture=borrowed, space="world", min_distance=0.1),
        )
        debris = gp.Emitter(
            "debris",
            capacity=40,
            rate=60,
            speed=(0.5, 1),
            spread=90,
            angular_velocity=(-360, 360),
            model=gp.Model(
                gp.Geometry([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)]),
                texture=borrowed,
                blend="alpha",
                order="youngest",
                depth_write=True,
            ),
        )
        haze = gp.Emitter(
            "haze",
            capacity=40,
            rate=60,
            sprite=gp.Sprite(
                order="weighted",
                softness=0.5,
                shader=gp.Shader("vec4 look(Look p) { return plain(p) * (p.uv.x + p.custom.x); }"),
            ),
            process=gp.Process(
                """
                void start(inout State p, inout vec4 color) { p.custom.y = own_random(p, 0); }
                void process(inout State p) {
                    p.user += p.h;
                    p.custom.x = fract(p.user.x);
                    p.alive = p.position.y < 0.9;
                }
                """
            ),
        )
        # Two of them fill more than the 1024 slots that their pool begins with, so that it grows.
        dust = gp.Emitter("dust", capacity=600, rate=0, bursts=[gp.Burst(0, 600)], speed=(0, 1))
        self._fire = gp.Effect("fire", [smoke, sparks, debris, haze])
        self._dust = gp.Effect("dust", [dust], duration=1)
        self._mist = gp.Effect("mist", [smoke], prewarm=0.5, fixed_fps=20)
        self.particles: gp.ParticleSystem
        self.fire: gp.EffectInstance
        self.mist: gp.EffectInstance
        self.crowd: gp.EffectCrowd
        self.calls: list[dict[str, Callable[[], object]]] = [
            {
                "ParticleSystem": self._construct,
                "warm_up": lambda: self.particles.warm_up(self._fire, self._dust),
                "play": self._play,
                "burst": lambda: self._burst(0),
                "update": lambda: self.particles.update(0.3),
            },
            {
                "draw": lambda: self.particles.draw(VIEW, PROJECTION),
                "draw_depth": lambda: self.particles.draw_depth(VIEW, PROJECTION),
                "emit": lambda: self.fire["sparks"].emit(7),
                "emit somewhere": lambda: self.fire["sparks"].emit(positions=[(1, 2, 3)] * 9),
                "burst into a pool": lambda: self._burst(1),
                "update that grows": lambda: self.particles.update(0.05),
                "read": self._read,
            },
            {
                "seek": lambda: self.mist.seek(1.33),
                "snapshot": self._save,
                "update between frames": lambda: self.particles.update(0.01),
                "restore": lambda: self.mist.restore(self._saved),
                "less capacity": lambda: setattr(self.fire["smoke"], "capacity", 20),
                "more capacity": lambda: setattr(self.mist["smoke"], "capacity", 5000),
            },
            {
                "reset": lambda: self.fire.reset(),
                "reset that prewarms": lambda: self.mist.reset(),
                "update after reset": lambda: self.particles.update(0.2),
                "update far away": self._travel,
            },
            {
                "update over a hitch": lambda: self.particles.update(3),
                "crowd": self._gather,
                "update a crowd far away": self._march,
                "on_death": lambda: setattr(self.fire["sparks"], "on_death", self._died),
                "updates that tell": self._listen,
            },
            {
                "effect.release": lambda: self.fire.release(),
                "release": lambda: self.particles.release(),
            },
        ]

    def _construct(self) -> None:
        context._checked.discard(self._ctx)  # the first system of a context asks what it can
        self.particles = gp.ParticleSystem(self._ctx, max_step=0.1, **self._settings)

    def _play(self) -> None:
        self.fire = self.particles.play(self._fire, transform=(0, 0, 10), seed=7)
        # A mask of nothing hides nothing where it is turned round.
        layer = self.particles.layer(
            filters=[gp.Bloom(), gp.Pixelate(2), gp.Distortion(2)],
            mask=lambda: None,
            mask_inverted=True,
        )
        self.mist = self.particles.play(self._mist, transform=(0, 0, 10), seed=8, layer=layer)

    def _gather(self) -> None:
        self.crowd = self.particles.crowd(self._dust, [(0, 0, 10), (1, 0, 10)], seeds=[1, 2])
        self.particles.update(0.1)

    def _march(self) -> None:
        self.crowd.transforms = [(5000, 0, 10), (5001, 0, 10)]
        self.particles.update(0.1)
        self.crowd.release()

    def _listen(self) -> None:
        for _ in range(8):
            self.particles.update(0.1)
        assert len(self._records) > len(list(self.fire)), "somebody died"

    def _died(self, dead: Any) -> None:
        self._records.append(dead.tobytes())

    def _burst(self, number: int) -> None:
        self.particles.burst(self._dust, position=(number, 0, 10), seed=number)

    def _travel(self) -> None:
        self.fire.transform = (5000, 0, 10)  # so far that positions become relative to elsewhere
        self.particles.update(0.1)

    def _save(self) -> None:
        self._saved = self.mist.snapshot()

    def _read(self) -> None:
        self._records = [emitter.read().tobytes() for emitter in self.fire]

    def state(self) -> list[bytes]:
        """Every byte that the GPU holds of every particle, in the rows in use."""
        found = []
        with self._guard:
            self._guard.simulate()
            for simulation in _simulations(self.particles):
                state, rows = simulation.state, simulation.rows
                if state is None or not rows:
                    continue
                for texture in (*state.current, *state._seen, *state.birth.values()):
                    whole = texture.read()
                    found.append(whole[: rows * len(whole) // texture.height])
        for effect in self.particles.effects:
            for emitter in effect:
                if emitter._simulation.history is not None:
                    found += [way.tobytes() for way in ways(emitter).values()]
        return [*found, *self._records]

    def release(self) -> None:
        if hasattr(self, "particles"):
            self.particles.release()


def _simulations(particles: gp.ParticleSystem) -> Iterator[Any]:
    for playing in particles._scene.playing:
        if isinstance(playing, gp.EffectInstance):
            yield from (emitter._simulation for emitter in playing)
        else:
            yield from playing._simulations


class Stage:
    """A host, and what a life comes to where nobody has touched OpenGL.

    Attributes:
        expected: The state after each group of calls.
    """

    def __init__(self, ctx: moderngl.Context) -> None:
        self.ctx = ctx
        self.texture = ctx.texture((2, 2), 4, bytes(range(100, 116)))
        self.expected = self._in_a_clean_context()
        self.host = Host(ctx)

    def _in_a_clean_context(self) -> list[list[bytes]]:
        ctx = self.ctx
        remembered = ctx.fbo, ctx.mglo.fbo
        color = ctx.texture((SIZE, SIZE), 4)
        depth = ctx.depth_renderbuffer((SIZE, SIZE))  # else use() would leave the depth mask off
        framebuffer = ctx.framebuffer([color], depth)
        framebuffer.use()
        life = Life(ctx, self.texture)
        states = []
        for group in life.calls:
            for call in group.values():
                call()
            states.append(life.state())
        for thing in (life, framebuffer, color, depth):
            thing.release()
        ctx.fbo, ctx.mglo.fbo = remembered
        return states

    def live(self, *states: str) -> list[bytes]:
        """Live in a host with these states; returns what the host's targets hold after draw()."""
        host, ctx = self.host, self.ctx
        with host.awkward(*states):
            host.blank()
            host.draw()
            alone = host.snapshot()
        next_draw = host.pixels(alone)
        picture: list[bytes] = []
        life = Life(ctx, self.texture)
        try:
            for group, expected in zip(life.calls, self.expected, strict=True):
                snapshots = {}
                with host.awkward(*states) as values:
                    for name, call in group.items():
                        remembered = ctx.fbo, ctx.mglo.fbo
                        host.blank()
                        call()
                        if name == "draw":
                            drawn = host.snapshot()
                        left = changes(values, host.values())
                        assert not left, f"{name} left changed: {left}"
                        assert (ctx.fbo, ctx.mglo.fbo) == remembered, f"{name}: ctx.fbo"
                        host.blank()
                        host.draw()
                        snapshots[name] = host.snapshot()
                for name, snapshot in snapshots.items():
                    assert host.pixels(snapshot) == next_draw, f"{name} changed the next draw"
                if "draw" in group:
                    picture = host.pixels(drawn)
                assert life.state() == expected, f"{' or '.join(group)} came to something else"
        finally:
            values = host.values()
            life.release()
            host.write(values)
        return picture

    def release(self) -> None:
        self.host.release()
        self.texture.release()


@pytest.fixture
def stage(ctx: moderngl.Context) -> Iterator[Stage]:
    stage = Stage(ctx)
    usual = stage.host.values()
    yield stage
    stage.host.write(usual)
    stage.release()


def test_every_state_alone(stage: Stage) -> None:
    """The simulation is byte-equal, every state and the next draw are the host's own again."""
    usual = stage.live()
    assert usual != stage.live("DRAW_BUFFERS"), "something is drawn"
    wrong, honoured = {}, set()
    for name in stage.host.states:
        try:
            if stage.live(name) != usual:
                honoured.add(name)
        except AssertionError as error:
            wrong[name] = str(error).partition("\n")[0]

    assert not wrong
    assert honoured == HONOURED & set(stage.host.states)


def test_states_that_act_together(stage: Stage) -> None:
    for states in TOGETHER:
        stage.live(*(state for state in states if state in stage.host.states))


def test_all_states_at_once(stage: Stage) -> None:
    """All of them, and all that leave something to be seen."""
    stage.live(*stage.host.states)
    hiding = {"RASTERIZER_DISCARD", "DRAW_BUFFERS", "DEPTH_FUNC", "CULL_FACE", "SAMPLE_COVERAGE"}
    hiding |= {"SAMPLE_MASK", "VERTEX_ARRAY", "CURRENT_PROGRAM", "ELEMENT_ARRAY_BUFFER"}
    stage.live(*(name for name in stage.host.states if name not in hiding))


def test_the_states_do_differ_and_the_passes_do_something(stage: Stage) -> None:
    """Else all of the above would prove nothing."""
    sizes = [[len(part) for part in state] for state in stage.expected]
    assert all(sizes[:4])
    assert len({b"".join(state) for state in stage.expected}) == len(stage.expected)
    assert max(sizes[1]) > max(sizes[0]), "the pool did grow"


def test_other_versions_of_opengl() -> None:
    """All states at once where the driver offers OpenGL 3.3 and nothing newer."""
    if "MESA_GL_VERSION_OVERRIDE" in os.environ:
        return  # this is the run that is started below
    arguments = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__]
    arguments += ["-k", "at_once or together or moderngl"]
    environment = os.environ | {"MESA_GL_VERSION_OVERRIDE": "3.3"}
    run = subprocess.run(
        arguments, capture_output=True, text=True, env=environment, timeout=300, check=False
    )
    assert run.returncode == 0, run.stdout


# A host that uses moderngl alone.


class Screen:
    """A framebuffer of the host, which it uses by moderngl's own means."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self._owned = [ctx.texture((4, 4), 4), ctx.depth_renderbuffer((4, 4))]
        self.framebuffer = ctx.framebuffer([self._owned[0]], self._owned[1])

    def pixels(self) -> bytes:
        return bytes(self.framebuffer.read(components=4))

    def release(self) -> None:
        self.framebuffer.release()
        for thing in self._owned:
            thing.release()


@pytest.fixture
def screens(ctx: moderngl.Context) -> Iterator[list[Screen]]:
    screens = [Screen(ctx) for _ in range(2)]
    yield screens
    for screen in screens:
        screen.release()


def test_a_moderngl_host_clears_and_uses_its_own_framebuffer_after_every_call(
    stage: Stage, screens: list[Screen]
) -> None:
    """Its next line is ctx.clear(), or leaves a scope: both hit what the host bound."""
    ctx = stage.ctx
    inner, outer = (screen.framebuffer for screen in screens)
    outer.use()
    ctx.enable_only(moderngl.DEPTH_TEST)
    life = Life(ctx, stage.texture)
    shade = 0
    for group, expected in zip(life.calls, stage.expected, strict=True):
        for name, call in group.items():
            shade += 8
            with ctx.scope(inner, moderngl.BLEND | moderngl.CULL_FACE):
                assert ctx.mglo.fbo is inner.mglo
                call()
                assert ctx.mglo.fbo is inner.mglo, name
                assert inner.viewport == (0, 0, 4, 4)
                assert (inner.depth_mask, inner.color_mask) == (True, (True,) * 4)
                for flag, on in ((0x0BE2, 1), (0x0B44, 1), (0x0B71, 0)):
                    assert stage.host.raw.IsEnabled(flag) == on, f"{name}: flag {flag:#x}"
                ctx.clear(shade / 255, 0, 0, 1)
            assert ctx.fbo is outer, name
            assert ctx.mglo.fbo is outer.mglo, name
            for flag, on in ((0x0BE2, 0), (0x0B44, 0), (0x0B71, 1)):
                assert stage.host.raw.IsEnabled(flag) == on, f"{name}: flag {flag:#x}"
            ctx.clear(0, shade / 255, 0, 1)
            assert screens[0].pixels() == bytes((shade, 0, 0, 255)) * 16, name
            assert screens[1].pixels() == bytes((0, shade, 0, 255)) * 16, name
        assert life.state() == expected, "nothing of ours was cleared"


def test_a_moderngl_host_s_scissor_and_masks_stay(stage: Stage, screens: list[Screen]) -> None:
    ctx = stage.ctx
    framebuffer = screens[0].framebuffer
    framebuffer.use()
    framebuffer.clear()
    framebuffer.scissor = (0, 0, 2, 4)
    framebuffer.color_mask = (True, False, True, True)
    framebuffer.use()
    life = Life(ctx, stage.texture)
    for group in life.calls:
        for call in group.values():
            call()

    ctx.clear(1, 1, 1, 1)
    half = bytes((255, 0, 255, 255)) * 2 + bytes(8)
    assert screens[0].pixels() == half * 4
    assert framebuffer.scissor == (0, 0, 2, 4)
    assert framebuffer.color_mask == (True, False, True, True)
    framebuffer.scissor = None
    framebuffer.color_mask = (True,) * 4
    framebuffer.use()


def test_a_moderngl_host_s_next_render_works(stage: Stage, screens: list[Screen]) -> None:
    """Its texture, its program and its vertex array, bound by moderngl, draw as before."""
    ctx = stage.ctx
    program = ctx.program(
        vertex_shader="""
            #version 330
            void main() {
                gl_Position = vec4(4.0 * vec2(gl_VertexID & 1, gl_VertexID >> 1) - 1.0, 0.0, 1.0);
            }
        """,
        fragment_shader="""
            #version 330
            uniform sampler2D image;
            out vec4 color;
            void main() { color = texelFetch(image, ivec2(0), 0); }
        """,
    )
    triangle = ctx.vertex_array(program, [])
    texture = ctx.texture((1, 1), 4, bytes((50, 100, 150, 200)))
    program["image"] = 2
    texture.use(2)
    screens[0].framebuffer.use()
    ctx.enable_only(moderngl.NOTHING)
    life = Life(ctx, stage.texture)
    for group in life.calls:
        for name, call in group.items():
            call()
            ctx.clear()
            triangle.render(vertices=3)
            assert screens[0].pixels() == bytes((50, 100, 150, 200)) * 16, name
    for thing in (triangle, program, texture):
        thing.release()


# Fewer guards.


def test_guarded_saves_and_restores_once_for_several_calls(stage: Stage) -> None:
    """Within, nothing is read from OpenGL that was read already; at its end all is as it was."""
    host = stage.host
    usual = host.values()
    life = Life(stage.ctx, stage.texture)
    for call in life.calls[0].values():
        call()
    particles = life.particles
    life.mist.layer.mask = None  # in between, the state would be the host's, who draws it
    guard = particles._scene.guard
    with host.awkward(*host.states) as values:
        with guard_entries(guard) as entries, particles.guarded() as same:
            assert same is particles
            for name, call in life.calls[1].items():
                before = entries["saved"]
                call()
                assert entries["saved"] == before, f"{name} saved the host's state again"
        assert entries == {"saved": 1, "restored": 1}
        assert not changes(values, host.values())
    assert life.state() == stage.expected[1]
    life.release()
    host.write(usual)


@contextmanager
def guard_entries(guard: Guard) -> Iterator[Counter[str]]:
    """Counts how often the host's state is read and put back: by the bindings, which always are."""
    gl, entries = guard.gl, Counter[str]()
    read, write = gl.GetFloatv, gl.UseProgram
    ours = {"read": read, "write": write}

    def get_float(enum: int, data: Any) -> None:
        entries["saved"] += enum == gl.VIEWPORT
        ours["read"](enum, data)

    def use_program(name: int) -> None:
        entries["restored"] += 1
        ours["write"](name)

    gl.GetFloatv, gl.UseProgram = get_float, use_program
    yield entries
    gl.GetFloatv, gl.UseProgram = read, write


def test_without_restoring_the_simulation_is_the_same(stage: Stage) -> None:
    """And what is said to be put back is put back: framebuffers and viewport."""
    host, ctx = stage.host, stage.ctx
    kept = {"DRAW_FRAMEBUFFER", "READ_FRAMEBUFFER", "VIEWPORT[0]", "DRAW_BUFFERS"}
    changed: Counter[str] = Counter()
    life = Life(ctx, stage.texture, restore=False)
    for group, expected in zip(life.calls, stage.expected, strict=True):
        with host.awkward(*host.states) as values:
            for name, call in group.items():
                remembered = ctx.fbo, ctx.mglo.fbo
                call()
                left = changes(values, host.values())
                changed.update(left.keys())
                assert not kept & set(left), name
                assert (ctx.fbo, ctx.mglo.fbo) == remembered
            host.write(values)
        usual = host.values()
        assert life.state() == expected
        host.write(usual)
    assert changed["POLYGON_MODE"], "it is not restored"


# Nothing playing.


@pytest.fixture
def no_opengl(monkeypatch: pytest.MonkeyPatch) -> Callable[[gp.ParticleSystem], None]:
    """``no_opengl(particles)``: from now on every OpenGL call that the system could make raises."""

    def refuse(*arguments: Any, **settings: Any) -> NoReturn:
        raise AssertionError("OpenGL was touched")

    def forbid(particles: gp.ParticleSystem) -> None:
        gl = particles._scene.guard.gl
        for name, function in vars(gl).items():
            if name[0].isupper() and callable(function):
                monkeypatch.setattr(gl, name, refuse)
        for cls, methods in (
            (moderngl.VertexArray, ("render",)),
            (moderngl.Buffer, ("write", "bind_to_uniform_block", "orphan")),
            (moderngl.Texture, ("write", "use")),
            (moderngl.Framebuffer, ("use", "clear")),
            (moderngl.Uniform, ("write",)),
        ):
            for method in methods:
                monkeypatch.setattr(cls, method, refuse)

    return forbid


def test_a_playing_effect_does_touch_opengl(
    ctx: moderngl.Context,
    no_opengl: Callable[[gp.ParticleSystem], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with gp.ParticleSystem(ctx) as particles:
        particles.play(gp.Effect("one", [gp.Emitter("one")]))
        no_opengl(particles)
        with pytest.raises(AssertionError, match="OpenGL was touched"):
            particles.update(0.1)
        monkeypatch.undo()


def test_with_nothing_playing_update_and_draw_touch_no_opengl(
    ctx: moderngl.Context,
    no_opengl: Callable[[gp.ParticleSystem], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Before the first effect, while all are paused, frozen or finished, and after the last."""
    particles = gp.ParticleSystem(ctx)
    once = gp.Effect("once", [gp.Emitter("once", rate=0, bursts=[gp.Burst()], lifetime=0.1)])
    once = gp.Effect("once", once.emitters, loop=False)

    def idle(reason: str) -> None:
        with monkeypatch.context():
            no_opengl(particles)
            for _ in range(3):
                particles.update(0.1)
                if not particles.stats.live:
                    particles.draw(VIEW, PROJECTION)
            particles.update(0.0)
            monkeypatch.undo()

    idle("nothing was ever played")
    finished, paused, frozen = (particles.play(once) for _ in range(3))
    paused.pause()
    frozen.speed = 0
    particles.update(6)
    assert finished.finished
    idle("finished, paused, frozen")
    for instance in (finished, paused, frozen):
        instance.release()
    idle("all were released")
    particles.burst(once)
    particles.update(1)
    assert particles.stats.live == 0
    idle("a burst is over")
    particles.release()
