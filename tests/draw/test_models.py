"""Particles that are meshes: where their corners lie, what covers what, how light falls on them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import gpuparticles as gp
from gpuparticles.draw.camera import look_at, orthographic, perspective
from tests.draw.conftest import Scene, box, particle, picture

#: One unit each way, facing +Z.
SQUARE = gp.Geometry(
    [(-0.5, -0.5, 0), (0.5, -0.5, 0), (0.5, 0.5, 0), (-0.5, 0.5, 0)],
    [(0, 1, 2), (0, 2, 3)],
    uvs=[(0, 0), (1, 0), (1, 1), (0, 1)],
)
TURNED = [(2, 1, 0), (3, 2, 0)]
LIGHT = gp.Light((-1, -2, -2), color=(1, 1, 1), ambient=(0, 0, 0))


def cube() -> gp.Geometry:
    corners = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = [face for a, b, c, d in sides for face in ((a, b, c), (a, c, d))]
    return gp.Geometry(corners, faces)


def model(mesh: Any = SQUARE, **fields: Any) -> gp.Model:
    return gp.Model(mesh, **{"orientation": "fixed", "axis": (0, 0, 1), "lit": None, **fields})


def add(scene: Scene, at: Any = (8, 8, 0), mesh: Any = SQUARE, **fields: Any) -> gp.EffectInstance:
    of_emitter = {name: fields.pop(name) for name in list(fields) if name in _EMITTERS}
    instance = scene.add(at, model=model(mesh, **fields), **of_emitter)
    scene.update()
    return instance


_EMITTERS = (
    "size",
    "width",
    "height",
    "color",
    "rotation",
    "space",
    "velocity",
    "angular_velocity",
)


def test_a_mesh_covers_what_its_corners_enclose(scene: Scene) -> None:
    add(scene, color=(1, 0.5, 0, 0.25))

    pixels = scene.draw()
    assert box(pixels) == (4, 4, 12, 12)
    assert pixels[8, 8].tolist() == [255, 128, 0, 255], "opaque, whatever the alpha"


def test_size_width_height_and_scale_stretch_it(scene: Scene) -> None:
    add(scene, size=4, width=2, height=0.5, scale=(0.5, 6, 1))

    assert box(scene.draw()) == (6, 2, 10, 14)


def test_rotation_turns_it_about_its_axis(scene: Scene) -> None:
    add(scene, scale=(1, 0.25, 1), rotation=90)
    assert box(scene.draw()) == (7, 4, 9, 12)


def test_it_spins(scene: Scene) -> None:
    add(scene, scale=(1, 0.25, 1), angular_velocity=90)
    scene.update(1 - 2.0**-10)
    assert box(scene.draw()) == (7, 4, 9, 12)


def test_its_height_lies_along_the_motion(scene: Scene) -> None:
    add(scene, scale=(0.25, 1, 1), orientation="velocity", velocity=(1e-3, 0, 0), axis=(0, 1, 0))
    assert box(scene.draw()) == (4, 7, 12, 9)


@pytest.mark.parametrize("space", ["world", "local"])
@pytest.mark.parametrize("pooled", [False, True])
def test_it_stands_in_the_frame_of_its_space(scene: Scene, space: str, pooled: bool) -> None:
    turned = np.array([[0, -1, 0, 8], [1, 0, 0, 8], [0, 0, 1, 0], [0, 0, 0, 1]])
    effect = particle(model=model(scale=(1, 0.25, 1)), space=space, lifetime=9)
    if pooled:
        scene.particles.burst(effect, transform=turned)
    else:
        scene.particles.play(effect, transform=turned)
    scene.update()

    expected = (4, 7, 12, 9) if space == "world" else (7, 4, 9, 12)
    assert box(scene.draw()) == expected


@pytest.mark.parametrize("faces", [SQUARE.faces, TURNED])
@pytest.mark.parametrize("mirrored", [False, True])
def test_no_winding_makes_it_vanish_or_darkens_it(scene: Scene, faces: Any, mirrored: bool) -> None:
    mesh = gp.Geometry(SQUARE.vertices, faces)
    mirror = np.diag([-1.0, 1, 1, 1]) if mirrored else np.eye(4)
    mirror[0, 3] = 16 if mirrored else 0
    add(scene, mesh=mesh, lit=gp.Lit())
    canvas = scene.make_canvas(dtype="f4")
    for view, projection in (
        (mirror, canvas.projection),
        (np.eye(4), np.asarray(canvas.projection) @ mirror),
        (np.eye(4), orthographic(0, 16, 16, 0, -100, 100)),
    ):
        canvas.clear()
        light = gp.Light((0, 0, -1), color=(0.75, 0.75, 0.75), ambient=(0.25, 0.25, 0.25))
        scene.particles.draw(view, projection, light=light)
        pixels = canvas.pixels()
        assert box(pixels) == (4, 4, 12, 12)
        assert pixels[8, 8] == pytest.approx([1, 1, 1, 1], abs=1e-6)


def test_faces_hide_each_other_and_what_is_drawn_later(scene: Scene) -> None:
    """A sprite behind and one in front, which are played before it."""
    canvas = scene.make_canvas(depth=True)
    scene.add((8, 8, -20), color=(0, 0, 1, 1), size=14)
    scene.add((8, 8, 20), color=(1, 0, 0, 0.5), size=4)
    add(scene, mesh=cube(), color=(0, 1, 0, 1))

    pixels = scene.draw(canvas)
    assert pixels[2, 2].tolist() == [0, 0, 255, 255]
    assert pixels[5, 5].tolist() == [0, 255, 0, 255]
    assert pixels[8, 8].tolist() == pytest.approx([128, 128, 0, 255], abs=1)
    assert canvas.depths()[5, 5] == pytest.approx(0.48, abs=1e-6), "its front, 4 before the middle"


def test_what_blends_writes_no_depth(scene: Scene) -> None:
    canvas = scene.make_canvas(depth=True)
    add(scene, blend="alpha", color=(1, 1, 1, 0.5))

    assert scene.draw(canvas)[8, 8].tolist() == [128, 128, 128, 128]
    assert (canvas.depths() == 1).all()


def test_light_that_adds_up_covers_nothing(scene: Scene) -> None:
    add(scene, blend="additive", color=(1, 1, 1, 0.5))
    assert scene.draw()[8, 8].tolist() == [128, 128, 128, 0]


def test_the_picture_lies_where_the_uvs_say(scene: Scene) -> None:
    corners = picture(
        [[(255, 0, 0, 255), (0, 255, 0, 255)], [(0, 0, 255, 255), (255, 255, 255, 0)]]
    )
    add(scene, texture=corners, filter="nearest", alpha_clip=0.5)

    pixels = scene.draw()
    assert pixels[10, 6].tolist() == [255, 0, 0, 255]
    assert pixels[10, 10].tolist() == [0, 255, 0, 255]
    assert pixels[6, 6].tolist() == [0, 0, 255, 255]
    assert pixels[6, 10].tolist() == [0, 0, 0, 0], "cut out"


def test_colours_of_vertices_are_multiplied(scene: Scene) -> None:
    mesh = gp.Geometry(SQUARE.vertices, SQUARE.faces, colors=[(1, 0.5, 0.5, 1)] * 4)
    instance = add(scene, mesh=mesh, color=(0.5, 1, 0.5, 1))
    instance.tint = (1, 1, 0.8, 1)
    assert scene.draw()[8, 8].tolist() == [128, 128, 51, 255]


def test_a_particle_without_alpha_is_not_seen(scene: Scene) -> None:
    add(scene, color=(1, 1, 1, 0))
    assert not scene.draw().any()


def seen(scene: Scene, view: Any, projection: Any) -> NDArray[np.float32]:
    canvas = scene.make_canvas((32, 32), dtype="f4", depth=True)
    canvas.clear()
    scene.particles.draw(view, projection, light=LIGHT)
    return np.asarray(canvas.pixels())


def test_each_face_is_lit_by_its_normal(scene: Scene) -> None:
    """A cube seen from a corner: the way to the light is (1, 2, 2) / 3."""
    scene.add((0, 0, 0), model=model(cube(), lit=gp.Lit()), size=2)
    scene.update()
    view, projection = look_at((10, 10, 10), (0, 0, 0)), perspective(20, 1, 1, 100)
    pixels = seen(scene, view, projection)
    for place, cosine in (((1, 0, 0), 1 / 3), ((0, 1, 0), 2 / 3), ((0, 0, 1), 2 / 3)):
        x, y, _, w = projection @ view @ (*place, 1)
        pixel = pixels[int(16 + 16 * y / w), int(16 + 16 * x / w)]
        assert pixel == pytest.approx([cosine, cosine, cosine, 1], abs=1e-5)


def test_normals_follow_turn_and_scale(scene: Scene) -> None:
    """A plane with the normal (1, 0, 1), squeezed to half along X: (2, 0, 1) is its normal then."""
    slope = gp.Geometry([(-1, -1, 1), (1, -1, -1), (1, 1, -1), (-1, 1, 1)], SQUARE.faces)
    scene.add((8, 8, 0), model=model(slope, lit=gp.Lit(), scale=(0.5, 1, 1)), rotation=90, size=4)
    scene.update()
    normal = np.array((0, 2, 1)) / math.sqrt(5)  # turned by 90 degrees about Z
    towards = np.array((1, 2, 2)) / 3
    pixels = seen(scene, np.eye(4), orthographic(0, 16, 0, 16, -100, 100))
    assert pixels[16, 16, 0] == pytest.approx(normal @ towards, abs=1e-5)


def test_the_back_of_a_leaf_is_lit_from_its_own_side(scene: Scene) -> None:
    scene.add((0, 0, 0), model=model(lit=gp.Lit(transmission=0.5)), size=9)
    scene.update()
    for eye, expected in (((0, 0, 9), 2 / 3), ((0, 0, -9), 0.5 * 2 / 3)):
        pixels = seen(scene, look_at(eye, (0, 0, 0)), perspective(40, 1, 1, 100))
        assert pixels[16, 16, 0] == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("orientation", ["random", "velocity", "fixed"])
@pytest.mark.parametrize("axis", ["random", (0.6, 0.0, 0.8)])
@pytest.mark.parametrize("space", ["world", "local"])
def test_corners_lie_where_the_twin_puts_them(
    scene: Scene, orientation: Any, axis: Any, space: Any
) -> None:
    """A small cube at the end of an arm shows where the arm points, for some particles."""
    arm = np.array((0.3, 3.0, -0.5), np.float32)
    small = cube()
    mesh = gp.Geometry(arm + 0.4 * small.vertices.data, small.faces)
    drawn = model(mesh, orientation=orientation, axis=axis)
    some = gp.Emitter(
        "some",
        capacity=64,
        rate=0,
        bursts=[gp.Burst(0, 12)],
        lifetime=9,
        space=space,
        shape=gp.Box((60, 0, 0), offset=(64, 0, 0)),
        speed=(0.001, 0.002),
        spread=180,
        rotation=(0, 360),
        model=drawn,
    )
    effect = gp.Effect("some", [some], loop=False)
    instance = scene.particles.play(effect, position=(0, 4, 0), seed=5)
    scene.update()
    records = instance["some"].read()
    emitter: Any = instance["some"]
    with scene.particles.guarded():
        emitter._scene.guard.simulate()
        texels = emitter._simulation.read()
    by_number = np.argsort(emitter._player.population.numbers[:12])
    seeds = texels["lifetime_seed"].view(np.uint32).reshape(-1, 2)[by_number, 1]
    turns = texels["velocity_rotation"].view(np.float32).reshape(-1, 4)[by_number, 3]
    quaternions = drawn.orientations(seeds, turns, records["velocity"])
    ends = records["position"] + np.array([_turn(q, arm) for q in quaternions])

    canvas = scene.make_canvas((1024, 64))
    canvas.clear()
    scene.particles.draw(np.eye(4), orthographic(0, 128, 0, 8, -100, 100))
    covered = canvas.pixels().any(axis=2)
    assert covered.any()
    for x, y, _ in ends:
        row, column = int(y * 8), int(x * 8)
        assert covered[row, column]
        covered[max(row - 4, 0) : row + 5, column - 4 : column + 5] = False
    assert not covered.any(), "and nowhere else"


def _turn(quaternion: Any, vector: Any) -> Any:
    x, y, z, w = (float(part) for part in quaternion)
    axis = np.array((x, y, z))
    across = 2 * np.cross(axis, vector)
    return vector + w * across + np.cross(axis, across)


def test_random_orientations_are_uniform() -> None:
    """Where +Y goes: no direction is preferred."""
    drawn = model(orientation="random", axis="random")
    seeds = np.arange(20000, dtype=np.uint32)
    quaternions = drawn.orientations(
        seeds, np.full(len(seeds), 0.3, np.float32), np.zeros((len(seeds), 3), np.float32)
    )
    x, y, z, w = quaternions.T.astype(float)
    assert np.linalg.norm(quaternions, axis=1) == pytest.approx(1, abs=1e-5)
    up = np.stack([2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)], axis=1)
    assert up.mean(axis=0) == pytest.approx(0, abs=0.02)
    assert (up**2).mean(axis=0) == pytest.approx(1 / 3, abs=0.01)


def test_bursts_and_orders(scene: Scene) -> None:
    """What blends is sorted, also in a pool."""
    for z, color in ((20, (1, 0, 0, 1)), (-20, (0, 0, 1, 1))):
        effect = particle(
            model=model(blend="alpha", order="depth"), color=color, lifetime=9, capacity=2
        )
        scene.particles.burst(effect, position=(8, 8, z))
    scene.update()
    assert scene.draw()[8, 8].tolist() == [0, 0, 255, 255], "bursts in the order of play"

    both = gp.Emitter(
        "both",
        capacity=2,
        rate=0,
        bursts=[gp.Burst(0, 2)],
        shape=gp.Points([(8, 8, 20), (8, 8, -20)], colors=[(1, 0, 0, 1), (0, 0, 1, 1)]),
        speed=0,
        size=8,
        lifetime=9,
        model=model(blend="alpha", order="depth"),
    )
    scene.particles.burst(gp.Effect("both", [both], loop=False))
    scene.update()
    assert scene.draw()[8, 8].tolist() == [255, 0, 0, 255]


def test_it_casts_its_shape(scene: Scene) -> None:
    canvas = scene.make_canvas(depth=True)
    for blend, casts in (("opaque", True), ("alpha", True), ("additive", False)):
        instance = add(scene, mesh=cube(), blend=blend, lit=gp.Lit(), size=6)
        canvas.clear()
        scene.particles.draw_depth(canvas.view, canvas.projection)
        assert ((canvas.depths() < 1).sum() == 36) == casts
        assert not canvas.pixels().any()
        instance.release()


def test_one_mesh_serves_all_who_have_its_like(scene: Scene) -> None:
    before = scene.particles.stats.gpu_bytes
    first = add(scene, mesh=cube())
    one = scene.particles.stats.gpu_bytes - before
    second = add(scene, mesh=cube())
    two = scene.particles.stats.gpu_bytes - before
    assert two - one < one, "the mesh is counted once"
    assert len(scene.particles._scene.meshes._held) == 1
    first.release()
    assert box(scene.draw()) == (4, 4, 12, 12)
    second.release()
    assert scene.particles.stats.gpu_bytes == before


def test_a_picture_that_is_missing_is_named(scene: Scene, tmp_path: Any) -> None:
    with pytest.raises(gp.EffectError, match=r"one: one: model\.texture: there is no file"):
        add(scene, texture=tmp_path / "no.png")
    assert not scene.particles._scene.meshes._held


#: As a square, but nearer by as much as it goes to the right.
SLOPE = gp.Geometry(
    [(-0.5, -0.5, -0.5), (0.5, -0.5, 0.5), (0.5, 0.5, 0.5), (-0.5, 0.5, -0.5)], SQUARE.faces
)


@pytest.mark.parametrize("pooled", [False, True])
def test_each_pixel_fades_in_front_of_the_scene(scene: Scene, pooled: bool) -> None:
    """4 units before a wall in the middle, and 4 nearer or farther at its edges."""
    canvas = scene.make_canvas(dtype="f4")
    wall = scene.make_texture((16, 16), 1, np.full((16, 16), 0.77, "f4"), dtype="f4")
    soft = model(SLOPE, blend="alpha", softness=8)
    if pooled:
        scene.particles.burst(particle(model=soft, lifetime=9), position=(8, 8, -50))
    else:
        scene.add((8, 8, -50), model=soft)
    scene.update()
    expected = (4 + np.arange(-3.5, 4)) / 8
    shown = scene.draw(canvas, depth=wall)[4:12, 4:12]
    assert shown == pytest.approx(np.broadcast_to(expected[:, None], (8, 8, 4)), abs=1e-3)
    assert (scene.draw(canvas)[4:12, 4:12] == 1).all(), "hard, without a depth"


@pytest.mark.parametrize(
    ("fade", "expected"),
    [
        ({"near_fade": (40, 60)}, 0.5),
        ({"far_fade": (45, 65)}, 0.75),
        ({"near_fade": (50, 60)}, 0),
        ({"near_fade": (30, 40), "far_fade": (50, 60)}, 1),
    ],
)
def test_it_fades_with_the_distance(scene: Scene, fade: dict[str, Any], expected: float) -> None:
    """By where the particle is: all of the mesh alike, however the view scales."""
    canvas = scene.make_canvas((32, 32), dtype="f4")
    add(scene, (8, 8, -50), mesh=SLOPE, blend="alpha", **fade)
    for view in (np.eye(4), np.diag((2.0, 2.0, 2.0, 1.0))):
        shown = scene.draw(canvas, view=view, projection=orthographic(0, 32, 0, 32, -200, 200))
        size = round(4 * view[0, 0])
        middle = shown[2 * size - size : 2 * size + size, 2 * size - size : 2 * size + size]
        assert middle == pytest.approx(np.full_like(middle, expected), abs=1e-5)


def test_a_cast_shadow_does_not_fade(scene: Scene) -> None:
    canvas = scene.make_canvas(depth=True)
    add(scene, blend="alpha", near_fade=(1000, 2000), softness=9)
    canvas.clear()
    scene.particles.draw_depth(canvas.view, canvas.projection)
    assert (canvas.depths() < 1).sum() == 64


@pytest.mark.parametrize("field", ["near_fade", "far_fade", "softness"])
def test_what_is_opaque_cannot_fade(field: str) -> None:
    value: Any = 1 if field == "softness" else (1, 2)
    with pytest.raises(gp.EffectError, match=f'{field}: .* is given; what is "opaque" cannot fade'):
        gp.Model(SQUARE, **{field: value})


def test_a_mirror_covers_the_same_pixels(scene: Scene) -> None:
    """A triangle whose sides differ, turned anyhow."""
    triangle = gp.Geometry([(-0.4, -0.3, 0.1), (0.5, -0.1, -0.2), (0.1, 0.45, 0)], [(0, 1, 2)])
    mirror = np.array([[-1.0, 0, 0, 16], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    add(scene, (7.3, 8.2, 0), mesh=triangle, size=9, orientation="random", axis="random")
    shown = scene.draw()
    assert shown.any()
    projection = np.asarray(scene.canvas.projection) @ mirror
    for mirrored in (scene.draw(view=mirror), scene.draw(projection=projection)):
        assert (mirrored[:, ::-1] == shown).all()
