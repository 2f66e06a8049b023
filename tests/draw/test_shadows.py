"""What is drawn into shadow maps: depth, of what covers, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator

import moderngl
import numpy as np
import pytest
from numpy.typing import NDArray

import gpuparticles as gp
from gpuparticles.draw.camera import look_at, orthographic, perspective
from tests.draw.conftest import SQUARE, Scene, particle, picture

FLAT = orthographic(0, 16, 0, 16, -100, 100)


class ShadowMap:
    """A framebuffer of 16 by 16 that has a depth and no colour."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self.depth = ctx.depth_texture((16, 16))
        self.framebuffer = ctx.framebuffer(depth_attachment=self.depth)

    def draw(
        self,
        scene: Scene,
        view: object = np.eye(4),
        projection: object = FLAT,
        *,
        cleared: float = 1.0,
        **how: object,
    ) -> NDArray[np.float32]:
        """What lies in it, the first row at the bottom."""
        self.framebuffer.use()
        self.framebuffer.clear(depth=cleared)
        scene.particles.draw_depth(view, projection, **how)
        return np.frombuffer(self.depth.read(), np.float32).reshape(16, 16)

    def release(self) -> None:
        self.framebuffer.release()
        self.depth.release()


@pytest.fixture
def shadow(ctx: moderngl.Context, scene: Scene) -> Iterator[ShadowMap]:
    shadow = ShadowMap(ctx)
    yield shadow
    shadow.release()


def test_a_sprite_leaves_its_depth_and_nothing_around_it(scene: Scene, shadow: ShadowMap) -> None:
    scene.add((8, 8, 50))
    scene.update()

    depths = shadow.draw(scene)
    assert depths[4:12, 4:12] == pytest.approx(0.25, abs=1e-6)
    depths = depths.copy()
    depths[4:12, 4:12] = 1.0
    assert (depths == 1.0).all()


def test_in_perspective_the_depth_is_that_of_the_projection(
    scene: Scene, shadow: ShadowMap
) -> None:
    scene.add((8, 8, 0), size=100)
    scene.update()

    depths = shadow.draw(scene, look_at((8, 8, 20), (8, 8, 0)), perspective(40, 1, 1, 100))
    clip = perspective(40, 1, 1, 100) @ (0, 0, -20, 1)
    assert depths == pytest.approx(0.5 + 0.5 * clip[2] / clip[3], abs=1e-6)


def test_sprites_turn_to_the_light(scene: Scene, shadow: ShadowMap) -> None:
    """From above, where what faces +Z would be seen from its edge."""
    scene.add((8, 8, 0))
    scene.update()

    seen = shadow.draw(scene, look_at((8, 20, 0), (8, 8, 0)), orthographic(-8, 8, -8, 8, 0, 24))
    assert seen[4:12, 4:12] == pytest.approx(0.5, abs=1e-6)
    assert (seen < 1).sum() == 64


def test_what_covers_too_little_is_left_out(scene: Scene, shadow: ShadowMap) -> None:
    halves = picture([[(255, 255, 255, 102), (255, 255, 255, 204)]])
    scene.add(sprite=gp.Sprite(texture=halves, filter="nearest"))
    scene.update()

    assert (shadow.draw(scene) < 1).sum() == 32
    assert (shadow.draw(scene, cutoff=0.3) < 1).sum() == 64
    assert (shadow.draw(scene, cutoff=0.9) < 1).sum() == 0


def test_a_sprite_that_is_cut_out_casts_as_it_is_seen(scene: Scene, shadow: ShadowMap) -> None:
    halves = picture([[(255, 255, 255, 102), (255, 255, 255, 204)]])
    scene.add(sprite=gp.Sprite(texture=halves, filter="nearest", alpha_clip=0.3))
    scene.update()

    assert (shadow.draw(scene, cutoff=0.9) < 1).sum() == 64


@pytest.mark.parametrize(
    ("sprite", "casts"),
    [
        (gp.Sprite(SQUARE, blend="additive"), False),
        (gp.Sprite(SQUARE, blend=0.9), True),
        (gp.Sprite(SQUARE, casts_shadow=False), False),
        (gp.Sprite(SQUARE, blend="additive", casts_shadow=True), True),
    ],
)
def test_light_casts_no_shadow_unless_told_to(
    scene: Scene, shadow: ShadowMap, sprite: gp.Sprite, casts: bool
) -> None:
    scene.add(sprite=sprite)
    scene.update()

    assert (shadow.draw(scene) < 1).any() == casts


def test_the_nearest_stays_whatever_is_drawn_first(scene: Scene, shadow: ShadowMap) -> None:
    for z in (50, -50, 0):
        scene.add((8, 8, z), sprite=gp.Sprite(SQUARE, order="depth"))
    scene.update()

    assert shadow.draw(scene)[8, 8] == pytest.approx(0.25, abs=1e-6)
    reversed_depth = shadow.draw(scene, depth_test=">=", cleared=0.0)
    assert reversed_depth[8, 8] == pytest.approx(0.75, abs=1e-6)


def test_fades_of_the_camera_do_not_count(scene: Scene, shadow: ShadowMap) -> None:
    sprite = gp.Sprite(SQUARE, near_fade=(1000, 2000), size_unit="pixels")
    scene.add(sprite=sprite)
    scene.update()

    assert (shadow.draw(scene) < 1).sum() == 64


@pytest.mark.parametrize("facing", ["emitter", "axis", "point", "velocity", "position"])
def test_bursts_cast_as_they_are_seen(scene: Scene, shadow: ShadowMap, facing: str) -> None:
    look = gp.Sprite(SQUARE, facing=facing, look_at=(8, 8, 1e6), order="oldest")
    tipped = np.array([[1, 0, 0, 8], [0, 0, -1, 8], [0, 1, 0, 50], [0, 0, 0, 1]])
    scene.particles.burst(particle(sprite=look, lifetime=9), transform=tipped)
    scene.update()

    assert shadow.draw(scene)[5:11, 5:11] == pytest.approx(0.25, abs=1e-6)


#: A particle that flies 8 units to the right in half a second, and what it leaves behind it.
FLIES = {"velocity": (16, 0, 0), "size": 4}
TRAIL = {"texture": SQUARE, "width_over_trail": 1, "color_over_trail": "#fff", "only": True}


@pytest.mark.parametrize("carried", [False, True])
def test_a_trail_leaves_its_depth(scene: Scene, shadow: ShadowMap, carried: bool) -> None:
    if carried:
        trail = gp.Trail(space="world", min_distance=2, **TRAIL)
        effect = scene.add((2, 8, 50), size=4, trail=trail, space="local")
        scene.update(2**-16)
        effect.transform = (10, 8, 50)
    else:
        scene.add((2, 8, 50), **FLIES, trail=gp.Trail(**TRAIL))
    scene.update(0.5)

    depths = shadow.draw(scene).copy()
    assert depths[6:10, 2:10] == pytest.approx(0.25, abs=1e-6)
    depths[6:10, 2:10] = 1.0
    assert (depths == 1.0).all()


def test_the_dead_s_trail_casts_on_and_the_sprite_beside_it(
    scene: Scene, shadow: ShadowMap
) -> None:
    trail = gp.Trail(**{**TRAIL, "only": False})
    scene.add((2, 8, 0), **FLIES, trail=trail, lifetime=0.375)
    for _ in range(4):
        scene.update(0.0625)
    assert np.flatnonzero((shadow.draw(scene) < 1).any(axis=0)).tolist() == [*range(2, 8)]
    for _ in range(3):
        scene.update(0.0625)
    assert np.flatnonzero((shadow.draw(scene) < 1).any(axis=0)).tolist() == [*range(2, 8)]


def test_a_ribbon_leaves_its_depth_though_nothing_was_drawn_before(
    scene: Scene, shadow: ShadowMap
) -> None:
    flies = {"capacity": 9, "rate": 4, "bursts": [], "lifetime": 9, "velocity": (8, 0, 0)}
    scene.add((2, 8, -50), **flies, size=4, ribbon=gp.Ribbon(texture=SQUARE))
    for _ in range(5):
        scene.update(0.25)

    depths = shadow.draw(scene).copy()
    assert depths[6:10, 2:10] == pytest.approx(0.75, abs=1e-6)
    depths[6:10, 2:10] = 1.0
    assert (depths == 1.0).all()


@pytest.mark.parametrize("kind", ["trail", "ribbon"])
def test_trails_and_ribbons_cast_where_they_cover(
    scene: Scene, shadow: ShadowMap, kind: str
) -> None:
    def casts(cutoff: float = 0.5, **look: object) -> bool:
        if kind == "trail":
            part: object = gp.Trail(**{**TRAIL, **look})
            effect = scene.add((2, 8, 0), **FLIES, color="#ffffff99", trail=part)
        else:
            part = gp.Ribbon(texture=SQUARE, **look)
            born = {"capacity": 9, "rate": 8, "bursts": []}
            effect = scene.add((2, 8, 0), **FLIES, **born, color="#ffffff99", ribbon=part)
        scene.update(0.5)
        found = bool((shadow.draw(scene, cutoff=cutoff) < 1).any())
        effect.release()
        return found

    assert casts()
    assert not casts(cutoff=0.7)
    assert not casts(blend="additive")
    assert casts(blend="additive", casts_shadow=True)
    assert not casts(casts_shadow=False)


def test_no_colour_changes_where_there_is_one(scene: Scene) -> None:
    scene.add((8, 8, 50))
    scene.update()
    canvas = scene.make_canvas(depth=True, colors=2)
    canvas.clear((0.2, 0.4, 0.6, 0.8))
    scene.particles.draw_depth(canvas.view, canvas.projection)

    for attachment in range(2):
        assert (canvas.pixels(attachment) == (51, 102, 153, 204)).all()
    assert (canvas.depths() < 1).sum() == 64


@pytest.mark.parametrize("more", [{}, {"trail": gp.Trail(), "ribbon": gp.Ribbon(only=False)}])
def test_what_warm_up_compiled_is_used(
    scene: Scene, shadow: ShadowMap, more: dict[str, object]
) -> None:
    effect = particle(**more)
    scene.particles.warm_up(effect, depth=True)
    before = scene.particles.stats.programs
    scene.particles.play(effect, transform=(8, 8, 0))
    scene.particles.burst(effect, position=(8, 8, 0))
    scene.update()
    shadow.draw(scene)

    assert scene.particles.stats.programs == before


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"depth_test": None}, 'depth_test: None is not "<=" or ">="'),
        ({"cutoff": 1.5}, "cutoff: 1.5 is not a number from 0 to 1"),
    ],
)
def test_what_makes_no_sense_is_refused(
    scene: Scene, shadow: ShadowMap, how: dict[str, object], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        shadow.draw(scene, **how)
