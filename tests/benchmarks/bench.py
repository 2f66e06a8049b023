"""Measures what the library promises about speed and memory: ``make bench``.

Every figure is a ratio within this run, or microseconds of Python with the driver's own work taken
out; machines and loads differ. Nothing here fails: it reports, beside what was promised.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import moderngl
import numpy as np
from rich.console import Console
from rich.table import Table

import gpuparticles as gp
from gpuparticles.draw.camera import look_at, perspective
from gpuparticles.gpu.guard import Guard
from gpuparticles.gpu.programs import STEP_UNITS, Programs

MILLION = 1_000_000
STEP = 1 / 60


def least(*runs: Callable[[], object], rounds: int = 15) -> list[float]:
    """The shortest of many rounds in seconds, the runs taking turns."""
    best = [float("inf")] * len(runs)
    for run in runs:
        run()
    for _ in range(rounds):
        for index, run in enumerate(runs):
            begin = time.perf_counter()
            run()
            best[index] = min(best[index], time.perf_counter() - begin)
    return best


def emitter(name: str = "e", **fields: object) -> gp.Emitter:
    """An emitter with all four kinds of modifier, unless told otherwise."""
    settings: dict[str, object] = {
        "capacity": MILLION,
        "rate": 0,
        "lifetime": 1000,
        "shape": gp.Sphere(5),
        "speed": (1, 2),
        "spread": 180,
        "modifiers": [
            gp.Acceleration((0, -1, 0)),
            gp.Drag(0.1),
            gp.Radial(-3, falloff=(1, 20)),
            gp.Vortex(4, falloff=(1, 20)),
        ],
    } | fields
    return gp.Emitter(name, **settings)


def filled(ctx: moderngl.Context, capacity: int, living: int) -> gp.ParticleSystem:
    """A system with one emitter in which so many live."""
    particles = gp.ParticleSystem(ctx)
    burst = [gp.Burst(0, living)] if living else []
    effect = gp.Effect("bench", loop=False, emitters=[emitter(capacity=capacity, bursts=burst)])
    particles.play(effect)
    particles.update(STEP)
    ctx.finish()
    assert particles.stats.live == living
    return particles


def stepping(ctx: moderngl.Context, particles: gp.ParticleSystem) -> Callable[[], None]:
    """One update, finished."""

    def step() -> None:
        particles.update(STEP)
        ctx.finish()

    return step


class Idle:
    """Instead of a vertex array: counts what it would have drawn."""

    def __init__(self) -> None:
        self.renders = 0

    def render(self, *arguments: object, **named: object) -> None:
        """Draw nothing."""
        self.renders += 1


@contextmanager
def without_driver(ctx: moderngl.Context) -> Iterator[Idle]:
    """Draw calls do nothing, so that what is left is our Python."""
    programs = list(Programs.of(ctx)._programs.values())
    kept = [program.vertex_array for program in programs]
    idle = Idle()
    for program in programs:
        program.vertex_array = idle
    try:
        yield idle
    finally:
        for program, vertex_array in zip(programs, kept, strict=True):
            program.vertex_array = vertex_array


BARE = """
#version 330 core
uniform sampler2D position_age, velocity_rotation;
uniform usampler2D lifetime_seed;
uniform vec4 times;  // seconds, whole ticks in seconds, ticks a second, seconds a tick
uniform vec3 gravity, center, axis;
uniform float drag;
uniform vec3 radial, vortex;  // strength, outer, 1 / (outer - inner)
layout(location = 0) out vec4 out_position_age;
layout(location = 1) out vec4 out_velocity_rotation;
vec3 unit(vec3 v) {
    float s = dot(v, v);
    return s > 1e-30 ? v * inversesqrt(s) : vec3(0.0);
}
void main() {
    ivec2 slot = ivec2(gl_FragCoord.xy);
    vec4 pa = texelFetch(position_age, slot, 0);
    vec4 vr = texelFetch(velocity_rotation, slot, 0);
    float lifetime = uintBitsToFloat(texelFetch(lifetime_seed, slot, 0).x);
    if (pa.w < lifetime) {
        float h = min(times.x - max(-pa.w, 0.0), lifetime - max(pa.w, 0.0));
        float k = 0.5 * h;
        pa.xyz += vr.xyz * k;
        vec3 away = pa.xyz - center;
        float distance = length(away);
        vec3 push = unit(away) * (radial.x * clamp((radial.y - distance) * radial.z, 0.0, 1.0));
        vec3 swirl = unit(cross(axis, away))
            * (vortex.x * clamp((vortex.y - distance) * vortex.z, 0.0, 1.0));
        float keep = exp(-drag * k);
        vr.xyz += gravity * k;
        vr.xyz *= keep;
        vr.xyz += push * k;
        vr.xyz += swirl * k;
        vr.xyz += swirl * k;
        vr.xyz += push * k;
        vr.xyz *= keep;
        vr.xyz += gravity * k;
        pa.xyz += vr.xyz * k;
        pa.w = max(floor(pa.w * times.z + 0.5) * times.w + times.y, 0.0);
    }
    out_position_age = pa;
    out_velocity_rotation = vr;
}
"""
FULLSCREEN = """
#version 330 core
void main() {
    gl_Position = vec4(4.0 * vec2(gl_VertexID & 1, gl_VertexID >> 1) - 1.0, 0.0, 1.0);
}
"""


def bare_pass(ctx: moderngl.Context, particles: gp.ParticleSystem) -> Callable[[], None]:
    """The same arithmetic on the same textures, written by hand for one effect."""
    program = ctx.program(vertex_shader=FULLSCREEN, fragment_shader=BARE)
    values: dict[str, object] = {
        "position_age": 0,
        "velocity_rotation": 1,
        "lifetime_seed": 2,
        "times": (STEP, 1092 / 65536, 65536.0, 1 / 65536),
        "gravity": (0, -1, 0),
        "center": (0, 0, 0),
        "axis": (0, 1, 0),
        "drag": 0.1,
        "radial": (-3, 20, 1 / 19),
        "vortex": (4, 20, 1 / 19),
    }
    for name, value in values.items():
        program[name] = value
    vertex_array = ctx.vertex_array(program, [])
    state = particles.effects[0]["e"]._simulation.state
    assert state is not None
    sides = state._sides
    targets = [ctx.framebuffer(side) for side in sides]
    side = 0

    def step() -> None:
        nonlocal side
        targets[1 - side].use()
        sides[side][0].use(0)
        sides[side][1].use(1)
        state.birth["lifetime_seed"].use(2)
        vertex_array.render(moderngl.TRIANGLES, 3)
        side = 1 - side
        ctx.finish()

    return step


NETWORK = """
#version 330 core
uniform usampler2D entries;
uniform ivec2 width;  // its mask, and its logarithm
uniform ivec2 level;  // the distance of what is compared, and the bit that says which way
layout(location = 0) out uvec2 entry;
uvec2 entry_at(int i) { return texelFetch(entries, ivec2(i & width.x, i >> width.y), 0).xy; }
void main() {
    int i = (int(gl_FragCoord.y) << width.y) + int(gl_FragCoord.x);
    uvec2 a = entry_at(i), b = entry_at(i ^ level.x);
    bool less = a.x < b.x || (a.x == b.x && a.y < b.y);
    bool least = ((i & level.x) == 0) == ((i & level.y) == 0);
    entry = less == least ? a : b;
}
"""


def network(ctx: moderngl.Context, count: int) -> Callable[[], None]:
    """A bitonic sort of as many entries, a comparison a pass."""
    program = ctx.program(vertex_shader=FULLSCREEN, fragment_shader=NETWORK)
    width = 1024
    program["width"] = width - 1, width.bit_length() - 1
    vertex_array = ctx.vertex_array(program, [])
    keys = np.random.default_rng(0).integers(0, 2**32, count, np.uint32)
    data = np.stack([keys, np.arange(count, dtype=np.uint32)], 1)
    textures = [ctx.texture((width, count // width), 2, data, dtype="u4") for _ in range(2)]
    targets = [ctx.framebuffer([texture]) for texture in textures]
    for texture in textures:
        texture.filter = (moderngl.NEAREST, moderngl.NEAREST)

    def sort() -> None:
        textures[0].write(data)
        side = 0
        for stage in range(1, count.bit_length()):
            for distance in range(stage - 1, -1, -1):
                program["level"] = 1 << distance, 1 << stage
                targets[1 - side].use()
                textures[side].use(0)
                vertex_array.render(moderngl.TRIANGLES, 3)
                side = 1 - side
        ctx.finish()

    return sort


def sorting(ctx: moderngl.Context) -> Iterator[tuple[str, str, str]]:
    """A sort by depth, against the plain network."""
    count = 1 << 17
    sprite = gp.Sprite(order="depth")
    cloud = emitter(capacity=count, bursts=[gp.Burst(0, count)], sprite=sprite)
    target = ctx.simple_framebuffer((64, 64))
    target.use()
    with gp.ParticleSystem(ctx) as particles:
        playing = particles.play(gp.Effect("cloud", loop=False, emitters=[cloud]))
        particles.update(STEP)
        order = playing["e"]._sprites.order
        assert order is not None
        axis = np.array((0.6, 0.0, 0.8), np.float32).tobytes()

        def sort() -> None:
            with particles.guarded():
                particles._scene.guard.simulate()
                order.sort(axis)
            ctx.finish()

        ours, plain = least(sort, network(ctx, count), rounds=5)
        with without_driver(ctx) as idle:
            sort()
            passes = idle.renders
    target.release()
    yield "2^17 sorted by depth, against one comparison a pass", f"{ours / plain:.2f}", "0.85"
    yield "the same, in passes (the plain network: 153)", f"{passes}", "60"
    yield "the same, in time", f"{ours * 1e3:.0f} ms", "-"


BARE_QUADS = """
#version 330 core
uniform sampler2D position_age, velocity_rotation, attributes, color;
uniform usampler2D lifetime_seed;
uniform mat4 view, projection;
uniform int slots;  // an instance
uniform float pixel;
out vec2 place;
flat out vec4 shade;
void main() {
    int slot = gl_InstanceID * slots + gl_VertexID / 4;
    int width = textureSize(position_age, 0).x;
    ivec2 texel = ivec2(slot % width, slot / width);
    vec4 pa = texelFetch(position_age, texel, 0);
    float lifetime = uintBitsToFloat(texelFetch(lifetime_seed, texel, 0).x);
    if (pa.w < 0.0 || pa.w >= lifetime) {
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
        place = vec2(0.0);
        shade = vec4(0.0);
        return;
    }
    float life = pa.w / lifetime;
    float angle = 6.2831853 * texelFetch(velocity_rotation, texel, 0).w;
    vec4 size = texelFetch(attributes, texel, 0);
    vec2 corner = vec2(gl_VertexID & 1, (gl_VertexID >> 1) & 1);
    vec4 center = view * vec4(pa.xyz, 1.0);
    vec2 up = vec2(-sin(angle), cos(angle));
    vec2 extent = max(size.xz * mix(1.0, 0.2, life), pixel * abs((projection * center).w));
    vec2 reach = (corner - 0.5) * extent;
    center.xy += vec2(up.y, -up.x) * reach.x + up * reach.y;
    gl_Position = projection * center;
    place = corner;
    shade = texelFetch(color, texel, 0)
        * mix(vec4(1.0, 0.9, 0.6, 1.0), vec4(0.8, 0.1, 0.4, 0.0), life);
}
"""
BARE_DISC = """
#version 330 core
in vec2 place;
flat in vec4 shade;
out vec4 pixel_color;
void main() {
    float texel = 1.0 - smoothstep(0.1, 1.0, length(2.0 * place - 1.0));
    pixel_color = texel * vec4(shade.rgb, 1.0) * clamp(shade.a, 0.0, 1.0);
}
"""


def bare_draws(
    ctx: moderngl.Context, particles: gp.ParticleSystem, slots: tuple[int, ...]
) -> list[Callable[[], None]]:
    """The same quads drawn by a shader written by hand, so many slots an instance."""
    simulation = next(iter(particles._scene.playing[0]))._simulation
    state = simulation.state
    position_age, velocity_rotation = state.current
    textures = {"position_age": position_age, "velocity_rotation": velocity_rotation, **state.birth}
    program = ctx.program(vertex_shader=BARE_QUADS, fragment_shader=BARE_DISC)
    camera = look_at((0, 0, 18), (0, 0, 0)), perspective(40, 1.0, 0.1, 100)
    for name, matrix in zip(("view", "projection"), camera, strict=True):
        program[name].write(matrix.T.astype("f4").tobytes())
    program["pixel"] = 2.0 / (512 * camera[1][1, 1])
    corners = np.array([0, 1, 2, 2, 1, 3], np.uint16)
    indices = (np.arange(0, 4 * 1024, 4, dtype=np.uint16)[:, None] + corners).tobytes()
    vertices = ctx.vertex_array(program, [], ctx.buffer(indices), index_element_size=2)

    def drawing(each: int) -> Callable[[], None]:
        def draw() -> None:
            for unit, (name, texture) in enumerate(textures.items()):
                if name in program:
                    texture.use(unit)
                    program[name] = unit
            program["slots"] = each
            ctx.enable_only(moderngl.BLEND)
            ctx.blend_func = moderngl.ONE, moderngl.ONE_MINUS_SRC_ALPHA
            count = simulation.rows * state.width // each
            vertices.render(moderngl.TRIANGLES, 6 * each, instances=count)
            ctx.finish()

        return draw

    return [*map(drawing, slots)]


def pictures(ctx: moderngl.Context) -> Iterator[tuple[str, str, str]]:
    """What drawing costs."""
    target = ctx.framebuffer([ctx.texture((512, 512), 4)])
    target.use()
    camera = look_at((0, 0, 18), (0, 0, 0)), perspective(40, 1.0, 0.1, 100)
    look: dict[str, object] = {
        "size": 0.05,
        "size_over_life": [(0, 1), (1, 0.2)],
        "color_over_life": [(0, (1, 0.9, 0.6, 1)), (1, (0.8, 0.1, 0.4, 0))],
    }
    burst = [gp.Burst(0, 100_000)]
    full = gp.Effect("full", [emitter(capacity=100_000, bursts=burst, **look)], loop=False)
    sparse = gp.Effect("sparse", [emitter(capacity=MILLION, bursts=burst, **look)], loop=False)
    with gp.ParticleSystem(ctx) as particles, gp.ParticleSystem(ctx) as roomy:
        particles.play(full)
        roomy.play(sparse)
        particles.update(STEP)
        roomy.update(STEP)

        def draw(some: gp.ParticleSystem) -> Callable[[], None]:
            def drawn() -> None:
                some.draw(*camera)
                ctx.finish()

            return drawn

        bare, quads = bare_draws(ctx, particles, (1024, 1))
        ours, by_hand, instanced, room = least(draw(particles), bare, quads, draw(roomy), rounds=40)
    target.release()
    yield "100 k sprites drawn, against a bare draw", f"{by_hand / ours:.2f}x", "0.9x"
    yield "the same, against a quad an instance", f"{instanced / ours:.2f}x", "1x"
    yield "the same 100 k in a million slots, against", f"{room / ours:.2f}", "-"


def numpy_step(count: int) -> Callable[[], None]:
    """The same arithmetic in vectorised NumPy, float32, one array a component."""
    rng = np.random.default_rng(0)
    p = [rng.uniform(-5, 5, count).astype(np.float32) for _ in range(3)]
    v = [rng.uniform(-1, 1, count).astype(np.float32) for _ in range(3)]
    age = np.zeros(count, np.float32)
    lifetime = np.full(count, 1000, np.float32)
    gravity = (0.0, -1.0, 0.0)

    def step() -> None:
        k = np.minimum(np.float32(STEP), lifetime - age) * np.float32(0.5)
        for i in range(3):
            p[i] += v[i] * k
        flat = p[0] * p[0] + p[2] * p[2]
        distance = np.sqrt(flat + p[1] * p[1])
        push = np.float32(-3) * np.clip((20 - distance) / np.float32(19), 0, 1)
        push /= np.maximum(distance, np.float32(1e-15))
        swirl = np.float32(4) * np.clip((20 - distance) / np.float32(19), 0, 1)
        swirl /= np.maximum(np.sqrt(flat), np.float32(1e-15))
        force = [p[0] * push + p[2] * swirl, p[1] * push, p[2] * push - p[0] * swirl]
        keep = np.exp(np.float32(-0.1) * k)
        for i in range(3):
            v[i] += np.float32(gravity[i]) * k
            v[i] *= keep
            v[i] += force[i] * (2 * k)
            v[i] *= keep
            v[i] += np.float32(gravity[i]) * k
            p[i] += v[i] * k
        np.add(age, np.float32(STEP), out=age)

    return step


def measure(ctx: moderngl.Context) -> Iterator[tuple[str, str, str]]:
    """What was measured, the figure, and what is promised."""
    with filled(ctx, MILLION, MILLION) as particles:
        bare, ours, arrays = least(
            bare_pass(ctx, particles), stepping(ctx, particles), numpy_step(MILLION)
        )
    yield "update of 1 M with four modifiers, against a bare pass", f"{bare / ours:.2f}x", "0.9x"
    yield "the same, against vectorised NumPy", f"{arrays / ours:.1f}x", "1.8x"
    yield "the same, in particles", f"{MILLION / ours / 1e6:.0f} M/s", "-"

    with (
        filled(ctx, MILLION, MILLION) as full,
        filled(ctx, MILLION, MILLION // 10) as tenth,
        filled(ctx, MILLION, 0) as nobody,
    ):
        whole, part, _ = least(stepping(ctx, full), stepping(ctx, tenth), stepping(ctx, nobody))
    yield "a million slots with a tenth alive, against full", f"{part / whole:.2f}", "0.2"

    costs = []
    for living in (10_000, 100_000, MILLION, 4 * MILLION):
        with filled(ctx, living, living) as particles, filled(ctx, living, 1) as one:
            # A short step is disturbed more easily, and there is time for many.
            rounds = 25 if living >= MILLION else 300
            some, few = least(stepping(ctx, particles), stepping(ctx, one), rounds=rounds)
            costs.append((some - few) / living)
    spread = max(costs) / min(costs)
    yield "cost a particle from 10 k to 4 M, dearest by cheapest", f"{spread:.2f}x", "1.5x"

    yield from pictures(ctx)
    yield from sorting(ctx)
    yield from python_costs(ctx)
    yield from memory(ctx)

    code = (
        "import time; t = time.perf_counter(); import gpuparticles; print(time.perf_counter() - t)"
    )
    seconds = min(
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout)
        for _ in range(5)
    )
    yield "import gpuparticles", f"{seconds * 1e3:.0f} ms", "300 ms"


def python_costs(ctx: moderngl.Context) -> Iterator[tuple[str, str, str]]:
    """Microseconds of Python, without the driver's draw calls."""
    begin = time.perf_counter()
    sum(range(MILLION))
    loop = time.perf_counter() - begin
    yield "for comparison: sum(range(1_000_000))", f"{loop * 1e3:.0f} ms", "-"
    many = 200
    view, projection = np.eye(4), np.eye(4)
    target = ctx.simple_framebuffer((64, 64))
    target.use()
    for rate in (10, 50):
        small = gp.Effect("small", emitters=[emitter(capacity=100, rate=rate, lifetime=1)])
        with gp.ParticleSystem(ctx) as particles:
            for i in range(many):
                particles.play(small)
                # Born at different times, as in a game: births are spread over the updates.
                particles.update(STEP * (i % 7) / many)
            particles.update(0.5)
            guard = particles._scene.guard

            def enter(guard: Guard = guard) -> None:
                for _ in range(100):
                    with guard:
                        guard.simulate(STEP_UNITS)

            def ten_updates(particles: gp.ParticleSystem = particles) -> None:
                for _ in range(10):
                    particles.update(STEP)

            def draw(particles: gp.ParticleSystem = particles) -> None:
                particles.draw(view, projection)

            with without_driver(ctx):
                entry, updates, draws = least(enter, ten_updates, draw, rounds=40)
        entry /= 100
        update = (updates / 10 - entry) / many
        yield f"a small emitter updated, {rate} births/s", f"{update * 1e6:.0f} us", "40 us"
    yield "the guard, a call", f"{entry * 1e6:.0f} us", "30 us"
    yield "a small emitter drawn", f"{(draws - entry) / many * 1e6:.0f} us", "15 us"

    sparks = gp.Effect(
        "sparks", loop=False, duration=1,
        emitters=[emitter(capacity=100, rate=0, bursts=[gp.Burst(0, 20)], lifetime=(2, 3))],
    )  # fmt: skip
    with gp.ParticleSystem(ctx) as particles:
        for i in range(1000):
            particles.burst(sparks, position=(i % 32, 0, i // 32))
        particles.update(STEP)

        def frame() -> None:
            particles.update(1e-4)
            particles.draw(view, projection)

        with without_driver(ctx):
            (seconds,) = least(frame, rounds=100)
    yield "a frame with 1000 live bursts", f"{seconds * 1e3:.2f} ms", "2 ms"

    torch = gp.Effect("torch", [emitter(capacity=20, rate=10, lifetime=1)])
    places = np.random.default_rng(1).uniform(-9, 9, (1000, 3))
    with gp.ParticleSystem(ctx) as together, gp.ParticleSystem(ctx) as apart:
        crowd = together.crowd(torch, places)
        players = [apart.play(torch, position=place) for place in places]
        together.update(1)
        apart.update(1)

        def march() -> None:
            crowd.transforms = places
            together.update(STEP)
            together.draw(view, projection)

        def march_apart() -> None:
            for player, place in zip(players, places, strict=True):
                player.position = place
            apart.update(STEP)
            apart.draw(view, projection)

        with without_driver(ctx):
            march(), march_apart()
            many, each = least(march, march_apart, rounds=10)
    yield "1000 players that move, as a crowd", f"{many * 1e3:.1f} ms", ""
    yield "  against 1000 that are played", f"{each / many:.0f}x", ""

    fountain = emitter(capacity=1_100_000, rate=500_000, lifetime=(1.5, 2.5), modifiers=[])
    with gp.ParticleSystem(ctx) as particles:
        particles.play(gp.Effect("fountain", emitters=[fountain]))
        with without_driver(ctx):
            particles.update(0)
            for _ in range(180):
                particles.update(STEP)
            (seconds,) = least(lambda: particles.update(STEP), rounds=60)
            live = particles.stats.live
    yield (
        f"a step with {live / 1e6:.1f} M live and 500 k births/s",
        f"{seconds * 1e3:.2f} ms",
        "2 ms",
    )
    target.release()


def memory(ctx: moderngl.Context) -> Iterator[tuple[str, str, str]]:
    """GPU memory a slot, right after a burst that fills everything."""
    for slots, how in ((1025, ", where the last row is nearly empty"), (MILLION, "")):
        with filled(ctx, slots, slots) as particles:
            each = particles.stats.gpu_bytes / slots
        yield f"GPU memory a slot, of {slots:,}{how}", f"{each:.1f} bytes", "96 bytes"


def main() -> None:
    """Measure and print."""
    ctx = gp.create_context()
    ctx.gc_mode = "auto"
    table = Table(title=str(ctx.info["GL_RENDERER"]))
    for column in ("what", "measured", "promised"):
        table.add_column(column, justify="left" if column == "what" else "right")
    for row in measure(ctx):
        table.add_row(*row)
    Console().print(table)


if __name__ == "__main__":
    main()
