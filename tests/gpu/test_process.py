"""Code of the author's own that moves particles, and what is kept for it."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import gpuparticles as gp
from gpuparticles.effect.shader import KEPT
from gpuparticles.gpu.gl import MOST_UNITS
from gpuparticles.playback.reference import Reference

System = Callable[..., gp.ParticleSystem]
One = Callable[..., gp.Effect]
Floats = NDArray[np.float32]


def process(body: str, *uniforms: gp.Uniform, start: str = "") -> gp.Process:
    code = f"void start(inout State p, inout vec4 color) {{ {start} }}\n" if start else ""
    return gp.Process(f"{code}void process(inout State p) {{ {body} }}", uniforms)


def kept(emitter: gp.EmitterInstance) -> dict[str, Floats]:
    """What is kept, and the age, of the living, (n, 4) or (n,), in the order of their slots."""
    simulation = emitter._simulation
    state = simulation.state
    assert state is not None
    with emitter._scene.guard as guard:
        guard.simulate()
        texels = simulation.read()
    age = texels["position_age"].view(np.float32).reshape(-1, 4)[:, 3]
    lifetime = texels["lifetime_seed"].view(np.float32).reshape(-1, 2)[:, 0]
    living = (age >= 0) & (age < lifetime)
    found = {"age": age[living]}
    for name in KEPT:
        if name in texels:
            found[name] = texels[name].view(np.float32).reshape(-1, 4)[living]
    return found


@pytest.mark.parametrize("fps", [24, 60])
def test_the_time_of_its_steps_is_the_age_of_a_particle(system: System, one: One, fps: int) -> None:
    """From its own moment on, whatever the frame rate."""
    effect = one(
        rate=37,
        lifetime=1.3,
        process=process("p.custom.x += p.h; p.user.y = p.age; p.user.z = p.life;"),
    )
    particles = system()
    playing = particles.play(effect)
    for _ in range(2 * fps):
        particles.update(1 / fps)
    found = kept(playing["it"])
    assert len(found["age"]) == pytest.approx(37 * 1.3, abs=1)
    np.testing.assert_allclose(found["custom"][:, 0], found["age"], atol=2e-4)
    np.testing.assert_array_equal(found["user"][:, 1], found["age"])
    np.testing.assert_allclose(found["user"][:, 2], found["age"] / 1.3, atol=1e-4)


def test_it_changes_velocity_place_and_rotation(system: System, one: One) -> None:
    """A pull of its own: velocity t, and a place by whole steps, each with the velocity before."""
    effect = one(
        bursts=[gp.Burst()],
        lifetime=9,
        speed=0,
        process=process(
            "p.velocity.x += pull * p.h; p.rotation += 0.25 * p.h; p.position.z += p.h;",
            gp.Uniform("pull", 2.0),
        ),
    )
    particles = system(max_step=1)
    playing = particles.play(effect)
    for _ in range(64):
        particles.update(1 / 64)
    (record,) = playing["it"].read()
    assert record["velocity"] == pytest.approx((2, 0, 0), abs=1e-5)
    assert record["position"] == pytest.approx((1 - 1 / 64, 0, 1), abs=1e-5)
    assert record["rotation"] == pytest.approx(90, abs=1e-3)


def test_what_it_leaves_alone_stays_to_the_bit(system: System, one: One) -> None:
    given: dict[str, Any] = {
        "rate": 50,
        "lifetime": (0.3, 1),
        "spread": 40,
        "speed": (1, 3),
        "angular_velocity": (-90, 90),
        "color": ["#ff8000", "#0080ff"],
        "modifiers": [gp.Drag(0.5), gp.CollidePlane(point=(0, -1, 0)), gp.Acceleration((0, -5, 0))],
    }
    nothing = process("", start="")
    untouched = gp.Process(
        "void start(inout State p, inout vec4 c) {} void process(inout State p) {}"
    )
    particles = system()
    every = [
        particles.play(one(**given, process=own), seed=3, transform=(1234.5, 6.7, 0))
        for own in (None, nothing, untouched)
    ]
    for _ in range(50):
        particles.update(1 / 60)
    plain, *others = (each["it"].read() for each in every)
    assert len(plain) > 20
    for other in others:
        np.testing.assert_array_equal(plain, other)


def test_start_sets_what_a_particle_begins_with(system: System, one: One) -> None:
    effect = one(
        bursts=[gp.Burst(0, 40)],
        lifetime=9,
        speed=0,
        process=gp.Process(
            """
            void start(inout State p, inout vec4 color) {
                p.custom = vec4(own_random(p, 0), own_random(p, 1), 0.0, 1.0);
                p.position.x += 2.0;
                p.velocity = vec3(0.0, 8.0, 0.0);
                color *= vec4(0.5, 1.0, 1.0, 1.0);
            }
            """
        ),
    )
    particles = system()
    playing = particles.play(effect, transform=(10, 0, 0))
    particles.update(0.25)
    records = playing["it"].read()
    assert records["position"] == pytest.approx(np.tile((12, 2, 0), (40, 1)))
    assert (records["color"] == (0.5, 1, 1, 1)).all()
    drawn = kept(playing["it"])["custom"]
    assert len(np.unique(drawn[:, :2])) == 80
    assert (drawn[:, :2] >= 0).all()
    assert (drawn[:, :2] < 1).all()
    assert (drawn[:, 2:] == (0, 1)).all()


def test_who_it_kills_makes_room_three_updates_later(system: System, one: One) -> None:
    effect = one(
        capacity=20,
        rate=10,
        lifetime=100,
        velocity=(0, -1, 0),
        loop=True,
        process=process("if (p.position.y < -1.0) { p.alive = false; }"),
    )
    assert effect.kills(0)
    particles = system()
    playing = particles.play(effect)
    for _ in range(300):
        particles.update(1 / 60)
    assert playing.births == pytest.approx(50, abs=1)
    assert playing.dropped == 0
    assert playing.live_count == pytest.approx(10, abs=2)
    assert playing["it"].read()["position"][:, 1].min() >= -1


def test_without_a_word_of_it_nobody_is_killed(one: One) -> None:
    assert not one(process=process("p.velocity *= 0.5; // p.alive = false;")).kills(0)


@pytest.mark.parametrize("space", ["world", "local"])
def test_places_are_those_of_the_world_or_of_the_emitter(
    system: System, one: One, space: str
) -> None:
    """Wherever positions count from, and wherever the origin has gone."""
    effect = one(
        bursts=[gp.Burst()],
        lifetime=99,
        velocity=(0, 1, 0),
        space=space,
        process=process("p.custom = vec4(p.position, 1.0);"),
    )
    particles = system()
    playing = particles.play(effect, transform=(500, 20, 0))
    particles.update(0.5)
    particles.shift_origin((-4096, 100, 0))
    particles.update(0.5)
    expected = (500, 21, 0) if space == "world" else (0, 1, 0)
    assert kept(playing["it"])["custom"][0, :3] == pytest.approx(expected, abs=1e-3)
    assert playing["it"].read()["position"][0] == pytest.approx((500 - 4096, 121, 0), abs=1e-3)


def test_what_is_kept_stays_when_positions_count_from_elsewhere(system: System, one: One) -> None:
    effect = one(
        rate=20,
        lifetime=99,
        speed=0,
        process=process("p.user.w += p.h;", start="p.custom.x = 7.0;"),
    )
    particles = system()
    playing = particles.play(effect)
    particles.update(0.5)
    playing.transform = np.array([[1, 0, 0, 5000], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    particles.update(0.5)
    found = kept(playing["it"])
    assert (found["custom"][:, 0] == 7).all()
    np.testing.assert_allclose(found["user"][:, 3], found["age"], atol=1e-4)
    assert playing["it"]._simulation._anchor[0] > 2048


@pytest.mark.parametrize("fps", [None, 20])
def test_it_is_in_a_snapshot(system: System, fps: float | None) -> None:
    own = process("p.custom.x += p.h; p.velocity.x = sin(9.0 * p.custom.x);")
    emitter = gp.Emitter("it", rate=40, lifetime=1, process=own)
    particles = system()
    playing = particles.play(gp.Effect("e", [emitter], fixed_fps=fps))
    particles.update(0.7)
    saved = playing.snapshot()
    particles.update(0.33)
    expected, there = playing["it"].read(), kept(playing["it"])
    particles.update(0.4)
    playing.restore(saved)
    particles.update(0.33)
    np.testing.assert_array_equal(playing["it"].read(), expected)
    np.testing.assert_array_equal(kept(playing["it"])["custom"], there["custom"])


def test_it_moves_with_its_particle_to_another_slot(system: System, one: One) -> None:
    own = process("p.custom.y += p.h;", start="p.custom.x = own_random(p, 3);")
    particles = system()
    playing = particles.play(one(capacity=100, rate=60, lifetime=99, process=own))
    particles.update(1)
    before = kept(playing["it"])
    for capacity in (2000, 40):
        playing["it"].capacity = capacity
        found = kept(playing["it"])
        assert set(found["custom"][:, 0]) <= set(before["custom"][:, 0])
        np.testing.assert_allclose(found["custom"][:, 1], found["age"], atol=1e-4)
    assert len(found["age"]) == 40


def test_a_parameter_drives_a_uniform_and_compiles_nothing(system: System) -> None:
    own = process("p.velocity = vec3(pace, 0.0, 0.0);", gp.Uniform("pace", 1))
    emitter = gp.Emitter("it", rate=0, bursts=[gp.Burst()], lifetime=9, process=own)
    pace = gp.Parameter("pace", 1, (0, 5), binds=["emitters.it.process.uniforms.pace.value"])
    particles = system()
    playing = particles.play(gp.Effect("e", [emitter], loop=False, parameters=[pace]))
    particles.update(0.1)
    programs = particles.stats.programs
    playing.parameters["pace"] = 4
    particles.update(0.1)
    assert playing["it"].read()["velocity"][0] == pytest.approx((4, 0, 0))
    assert particles.stats.programs == programs


def test_bursts_and_trails_have_it_too(system: System, one: One) -> None:
    own = process("p.custom.x += p.h; p.user.x = 1.0;", start="p.velocity.y = 3.0;")
    effect = one(bursts=[gp.Burst(0, 5)], lifetime=1, trail=gp.Trail(0.3), process=own)
    particles = system()
    bursts = particles.burst(effect), particles.burst(effect, position=(4, 0, 0))
    playing = particles.play(effect)
    particles.update(0.5)
    assert bursts
    assert playing["it"].read()["velocity"][:, 1] == pytest.approx(np.full(5, 3.0))
    assert particles.stats.live == 15


def test_what_is_not_asked_for_costs_nothing(system: System, one: One) -> None:
    particles = system()
    sizes = []
    for body in ("p.velocity *= 0.5;", "p.custom.x = 1.0;", "p.custom.x = p.user.x;"):
        before = particles.stats.gpu_bytes
        particles.play(one(capacity=1024, process=process(body)))
        sizes.append(particles.stats.gpu_bytes - before)
    assert sizes[1] - sizes[0] == sizes[2] - sizes[1] == 1024 * 32


# All there is: of each vec4 x is drawn at birth, y the place in the list, z the age of its own.
SEVEN = gp.Process(
    "void start(inout State p, inout vec4 color) {"
    + "".join(f" p.{name}.xy = vec2(own_random(p, {i}), {i}.0);" for i, name in enumerate(KEPT))
    + "}\nvoid process(inout State p) {"
    + "".join(f" p.{name}.z += p.h;" for name in KEPT)
    + "}"
)


def assert_all_kept(emitter: gp.EmitterInstance) -> dict[str, Floats]:
    found = kept(emitter)
    assert len(found["age"]) > 5
    drawn = np.stack([found[name][:, 0] for name in KEPT])
    assert len(np.unique(drawn)) > 0.99 * drawn.size
    for number, name in enumerate(KEPT):
        assert (found[name][:, 1] == number).all(), name
        np.testing.assert_allclose(found[name][:, 2], found["age"], atol=1e-4, err_msg=name)
        assert (found[name][:, 3] == 0).all(), name
    return found


@pytest.mark.parametrize(
    "settings",
    [
        {"space": "local"},
        {"trail": gp.Trail(0.3)},
        {"rate": 3000},
        {"modifiers": [gp.Radial(0.1)], "angular_velocity": 90},
    ],
    ids=["local", "trail", "many", "carried"],
)
def test_seven_vectors_are_kept_wherever_a_particle_goes(
    system: System, one: One, settings: dict[str, Any]
) -> None:
    """More than a pass can write: by another pass, over growth, journeys and snapshots."""
    given = {"capacity": 4000, "rate": 60, "lifetime": 99, "speed": 0, **settings}
    effect = one(**given, process=SEVEN)
    particles = system()
    playing = particles.play(effect)
    emitter = playing["it"]
    for step in range(9):
        playing.position = (step, 0, 0)
        particles.update(1 / 30)
    before = assert_all_kept(emitter)
    emitter.capacity = 9000
    np.testing.assert_array_equal(kept(emitter)["user6"], before["user6"])
    emitter.capacity = 30
    assert_all_kept(emitter)
    emitter.capacity = 4000
    particles.shift_origin((100, 0, 0))
    emitter.emit(3, positions=(5, 0, 0))
    playing.position = (5000, 0, 0)
    particles.update(0.1)
    assert_all_kept(emitter)
    saved = playing.snapshot()
    particles.update(0.1)
    expected = assert_all_kept(emitter)
    other = particles.play(effect)
    other["it"].capacity = 4000
    other.restore(saved)
    particles.update(0.1)
    found = assert_all_kept(other["it"])
    for name in KEPT:
        np.testing.assert_array_equal(found[name], expected[name])


def test_the_host_s_textures_stay_bound_where_seven_are_kept(system: System, one: One) -> None:
    particles = system()
    playing = particles.play(one(rate=60, lifetime=9, process=SEVEN))
    particles.update(0.1)
    gl = particles._scene.guard.gl
    texture = particles.ctx.texture((2, 2), 4)
    bound = (ctypes.c_int * 1)()
    for place in ((0, 0, 0), (5000, 0, 0)):
        for unit in range(MOST_UNITS):
            texture.use(unit)
        playing.position = place
        particles.update(0.1)
        for unit in range(MOST_UNITS):
            gl.ActiveTexture(gl.TEXTURE0 + unit)
            gl.GetIntegerv(gl.TEXTURE_BINDING_2D, bound)
            assert bound[0] == texture.glo, unit
    texture.release()


@pytest.mark.parametrize("count", [3, 4, 6, 7])
def test_any_number_of_them_is_kept(system: System, one: One, count: int) -> None:
    """Three and four fill a birth's pass, six a step's; with a trail one less."""
    names = KEPT[:count]
    code = "".join(f" p.{name} += vec4(p.h, {i}.0, 0.0, 1.0);" for i, name in enumerate(names))
    particles = system()
    for trail in (None, gp.Trail(0.3)):
        particles.play(one(rate=40, lifetime=9, speed=0, trail=trail, process=process(code)))
    for _ in range(4):
        particles.update(1 / 40)
    for playing in particles.effects:
        found = kept(playing["it"])
        for number, name in enumerate(names):
            np.testing.assert_allclose(found[name][:, 0], found["age"], atol=1e-4)
            np.testing.assert_array_equal(found[name][:, 1], number * found[name][:, 3])
        assert set(found) == {"age", *names}


def test_seven_of_them_in_whole_frames(system: System) -> None:
    emitter = gp.Emitter("it", rate=60, lifetime=9, speed=0, process=SEVEN)
    particles = system()
    playing = particles.play(gp.Effect("e", [emitter], fixed_fps=20))
    for _ in range(30):
        particles.update(1 / 47)
    saved = playing.snapshot()
    assert_all_kept(playing["it"])
    particles.update(0.3)
    expected = assert_all_kept(playing["it"])
    playing.restore(saved)
    particles.update(0.3)
    np.testing.assert_array_equal(kept(playing["it"])["user6"], expected["user6"])


def test_what_a_warm_up_compiles_is_all_that_seven_need(system: System, one: One) -> None:
    effect = one(rate=60, lifetime=9, process=SEVEN)
    particles = system()
    particles.warm_up(effect, emit=True)
    programs = particles.stats.programs
    playing = particles.play(effect)
    playing["it"].emit(3, positions=(5, 0, 0))
    particles.update(0.1)
    playing.position = (5000, 0, 0)
    particles.update(0.1)
    assert particles.stats.programs == programs


@pytest.mark.parametrize("fps", [30, 144])
def test_it_counts_what_a_particle_bounces_off(system: System, one: One, fps: int) -> None:
    """From a height of 1.25 at 10 units/s^2 without loss: it hits after 0.5 s, then each second."""
    effect = one(
        bursts=[gp.Burst()],
        lifetime=99,
        speed=0,
        shape=gp.Point(offset=(0, 1.25, 0)),
        modifiers=[gp.Acceleration((0, -10, 0)), gp.CollidePlane(restitution=1, friction=0)],
        process=process("p.custom.x += float(p.hits); p.custom.yzw += p.normal;"),
    )
    particles = system()
    playing = particles.play(effect)
    for hits in range(1, 5):
        for _ in range(fps):
            particles.update(1 / fps)
        assert kept(playing["it"])["custom"].tolist() == [[hits, 0, hits, 0]]


@pytest.mark.parametrize("space", ["world", "local"])
@pytest.mark.parametrize("hit", ["bounce", "stick", "die"])
def test_the_normal_is_that_of_the_surface(system: System, one: One, space: str, hit: str) -> None:
    """Of a ball that particles fly at from all sides: away from its centre, where they meet it."""
    effect = one(
        bursts=[gp.Burst(0, 50)],
        lifetime=99,
        shape=gp.Sphere(radius=3, thickness=0),
        direction="inward",
        speed=2,
        space=space,
        modifiers=[gp.CollideSphere(radius=1, on_hit=hit, space="emitter")],
        process=process(
            "if (p.hits > 0) { p.custom = vec4(p.normal, p.hits); p.user.xyz = p.position; }"
            "p.alive = true;"
        ),
    )
    particles = system()
    playing = particles.play(effect, position=(7, 0, 0))
    for _ in range(29):
        particles.update(1 / 30)
    assert (kept(playing["it"])["custom"] == 0).all()
    particles.update(1 / 15)
    found = kept(playing["it"])
    center = (7, 0, 0) if space == "world" else (0, 0, 0)
    out = found["user"][:, :3] - np.array(center, np.float32)
    assert len(out) == (0 if hit == "die" else 50)
    out /= np.linalg.norm(out, axis=1, keepdims=True)
    np.testing.assert_allclose(found["custom"][:, :3], out, atol=1e-4)
    assert (found["custom"][:, 3] == 1).all()


def test_what_lies_meets_its_ground_in_each_step(system: System, one: One) -> None:
    """Once, whatever else there is to meet; and what is in the air meets nothing."""
    ground = [gp.CollidePlane(on_hit="stick"), gp.CollideBox(center=(9, 9, 9))]
    effect = one(
        rate=0,
        lifetime=99,
        speed=0,
        modifiers=[gp.Acceleration((0, -10, 0)), *ground],
        process=process("p.custom = vec4(p.normal, p.hits); p.user.x += float(p.hits);"),
    )
    particles = system()
    playing = particles.play(effect)
    playing["it"].emit(positions=[(0, 0.1, 0), (0, 50, 0)])
    for _ in range(30):
        particles.update(1 / 30)
    found = kept(playing["it"])
    assert sorted(found["custom"].tolist()) == [[0, 0, 0, 0], [0, 1, 0, 1]]
    assert max(found["user"][:, 0]) == 30 - 4  # it falls for 0.14 s


def test_without_surfaces_there_are_no_hits(system: System, one: One) -> None:
    """Nor with volumes that kill, which are none."""
    own = process("p.custom = vec4(p.normal, 1 + p.hits);")
    for modifiers in ([], [gp.KillPlane(point=(0, -9, 0))]):
        particles = system()
        playing = particles.play(one(rate=60, lifetime=9, process=own, modifiers=modifiers))
        particles.update(0.1)
        assert kept(playing["it"])["custom"].tolist() == [[0, 0, 0, 1]] * 6


def test_without_a_pace_only_the_process_moves_it(system: System, one: One) -> None:
    """Forces change its velocity as ever: what is at rest takes g t, and the way is the code's."""
    effect = one(
        bursts=[gp.Burst()],
        lifetime=99,
        velocity=(1, 0, 0),
        speed_over_life=0,
        modifiers=[gp.Acceleration((0, -8, 0))],
        process=process("if (p.age > 0.5) { p.position += p.velocity * p.h; }"),
    )
    particles = system(max_step=1)
    playing = particles.play(effect)
    for _ in range(32):
        particles.update(1 / 64)
    (record,) = playing["it"].read()
    assert record["position"].tolist() == [0, 0, 0]
    assert record["velocity"] == pytest.approx((1, -4, 0))
    for _ in range(32):
        particles.update(1 / 64)
    (record,) = playing["it"].read()
    assert record["velocity"] == pytest.approx((1, -8, 0))
    # By whole steps, each with the velocity at its end.
    fallen = sum(8 * step / 64 for step in range(33, 65)) / 64
    assert record["position"] == pytest.approx((0.5, -fallen, 0), abs=1e-5)


def test_a_parameter_leads_a_process_to_its_end(system: System) -> None:
    """Whoever is older than what is left is over; and the same parameter brings back room."""
    own = process("p.alive = p.life <= 1.0 - end;", gp.Uniform("end", 0))
    emitter = gp.Emitter("it", rate=100, lifetime=2, process=own)
    end = gp.Parameter("end", 0, (0, 1), binds=["emitters.it.process.uniforms.end.value"])
    particles = system()
    playing = particles.play(gp.Effect("e", [emitter], parameters=[end]))
    particles.update(2)
    assert kept(playing["it"])["age"].max() > 1.9
    playing.parameters["end"] = 0.75
    particles.update(1 / 60)
    assert 0.4 < kept(playing["it"])["age"].max() <= 0.5


def test_mistakes_are_told_with_the_author_s_lines(
    system: System, one: One, tmp_path: Path
) -> None:
    file = tmp_path / "drift.glsl"
    file.write_text("// drift\nvoid process(inout State p) {\n    p.velocity += heat;\n}\n")
    particles = system()
    for code, name in ((file.read_text(), "it: process"), (file, str(file))):
        for attempt in (particles.play, particles.warm_up):
            with pytest.raises(gp.ShaderError) as caught:
                attempt(one(process=gp.Process(code)))
            first, second = str(caught.value).splitlines()[:2]
            assert first.startswith(f"{name}:3: ")
            assert "heat" in first
            assert second.strip() == "p.velocity += heat;"
    assert particles.stats.live == 0


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("void f() {}", "has neither void process(inout State p) nor void start("),
        ("void process(State p) {}", "has neither void process(inout State p)"),
        ("#version 330\nvoid process(inout State p) {}", "has a #version"),
        ("void process(inout State p) {}\nvoid main() {}", "has a main()"),
    ],
)
def test_code_that_cannot_be_a_process_is_refused(code: str, sentence: str) -> None:
    with pytest.raises(gp.EffectError) as caught:
        gp.Process(code)
    assert sentence in str(caught.value)


def test_custom_without_a_process_is_refused() -> None:
    shader = gp.Shader("vec4 look(Look p) { return p.custom; }")
    with pytest.raises(gp.EffectError, match="asks for custom, which only a process keeps"):
        gp.Emitter("it", sprite=gp.Sprite(shader=shader))


def test_the_reference_says_that_it_cannot_run_it(one: One) -> None:
    with pytest.raises(gp.EffectError, match=r"emitters\[0\]\.process: it is GLSL"):
        Reference(one(process=process("p.velocity.x = 1.0;")))


def test_a_document_holds_it(tmp_path: Path) -> None:
    file = tmp_path / "drift.glsl"
    file.write_text("void process(inout State p) { p.velocity *= keep; }")
    for code in (file, file.read_text()):
        own = gp.Process(code, [gp.Uniform("keep", 0.5)])
        effect = gp.Effect("e", [gp.Emitter("a", process=own)])
        gp.save(effect, tmp_path / "e.json")
        assert gp.load(tmp_path / "e.json") == effect


def test_start_sees_what_a_host_gives(system: System, one: One) -> None:
    own = process("", start="p.custom = vec4(p.position, color.g); p.position.y += 1.0;")
    particles = system()
    playing = particles.play(one(lifetime=9, speed=0, process=own), transform=(100, 0, 0))
    playing["it"].emit(2, positions=[(1, 2, 3), (4, 5, 6)], colors="#00ff00", velocities=(0, 0, 0))
    particles.update(0.1)
    expected = [(1, 2, 3, 1), (4, 5, 6, 1)]
    np.testing.assert_allclose(kept(playing["it"])["custom"], expected, atol=1e-4)
    places = playing["it"].read()["position"]
    np.testing.assert_allclose(places, [(1, 3, 3), (4, 6, 6)], atol=1e-4)


def test_who_hears_of_deaths_hears_of_its_own(system: System, one: One) -> None:
    own = process("p.alive = p.age < 0.5;")
    particles = system()
    playing = particles.play(one(bursts=[gp.Burst(0, 3)], lifetime=9, speed=1, process=own))
    told: list[Any] = []
    playing["it"].on_death = told.append
    for _ in range(60):
        particles.update(1 / 60)
    assert sum(map(len, told)) == 3
    assert playing.live_count == 0
