"""What is drawn first: particles among each other, emitters of an effect, effects of a system."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import moderngl
import numpy as np
import pytest
from numpy.typing import NDArray

import gpuparticles as gp
from gpuparticles.draw.camera import look_at, orthographic
from gpuparticles.draw.sprites import Sprites
from gpuparticles.effect.modifiers import Acceleration
from gpuparticles.shaders import emitter_text
from tests.draw.conftest import SQUARE, Canvas, Pixels, Scene

Floats = NDArray[np.float64]
DEAD = 0xFFFFFFFF
RED, BLUE = (255, 0, 0, 255), (0, 0, 255, 255)


def cloud(count: int, **fields: Any) -> gp.Effect:
    """An effect of so many particles, all born at once and spread over the canvas."""
    settings: dict[str, Any] = {
        "capacity": count,
        "rate": 0,
        "bursts": [gp.Burst(0, count)],
        "lifetime": 100,
        "shape": gp.Box((8, 8, 40), offset=(8, 8, 0)),
        "speed": 0,
        "sprite": gp.Sprite(texture=SQUARE, order="depth"),
        **fields,
    }
    return gp.Effect("cloud", [gp.Emitter("it", **settings)], loop=False)


def sorted_slots(sprites: Sprites) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """What was sorted last: keys and slots, in drawing order, of all slots in use."""
    order, simulation = sprites.order, sprites._simulation
    assert order is not None
    assert simulation.state is not None
    with simulation._guard as guard:
        guard.simulate()
        data = order._textures[order._side].read()
    entries = np.frombuffer(data, np.uint32).reshape(-1, 2)
    entries = entries[: simulation.rows * simulation.state.width]
    return entries[:, 0], entries[:, 1].astype(np.int64)


def seen(sprites: Sprites) -> tuple[Floats, NDArray[np.bool_]]:
    """Where particles are seen and their ages, (slots, 4), and who of them lives."""
    simulation = sprites._simulation
    state = simulation.state
    assert state is not None
    with simulation._guard as guard:
        guard.simulate()
        texture = (state._seen or state.current)[0]
        place_age = np.frombuffer(texture.read(), np.float32).reshape(-1, 4)
        data = state.birth["lifetime_seed"].read()
    lifetime = np.frombuffer(data, np.uint32).reshape(-1, 2)[:, 0].view(np.float32)
    age = place_age[:, 3]
    lives = (age >= 0) & (age < lifetime)
    lives[simulation.rows * state.width :] = False
    return place_age.astype(np.float64), lives


def check(sprites: Sprites, value: Callable[[Floats], Floats], accuracy: float = 1e-4) -> None:
    """The living come first, each of them once, by value and where that is the same by slot."""
    keys, slots = sorted_slots(sprites)
    place_age, lives = seen(sprites)
    count = lives.sum()
    assert count
    assert sorted(slots) == list(range(len(slots)))
    assert lives[slots[:count]].all()
    assert (keys[count:] == DEAD).all()
    assert (keys[:count] < DEAD).all()
    # The keys are the floats, made whole numbers of the same order.
    steps = np.diff(keys.astype(np.int64))
    assert (steps >= 0).all()
    assert (np.diff(slots)[steps == 0] > 0).all()
    bits = np.where(keys[:count] >> 31, keys[:count] & 0x7FFFFFFF, ~keys[:count])
    found = bits.astype(np.uint32).view(np.float32)
    np.testing.assert_allclose(found, value(place_age[slots[:count]]), atol=accuracy)


def towards_eye(view: Floats) -> Callable[[Floats], Floats]:
    """How near to the eye a place is, along the view."""
    return lambda place_age: place_age[:, :3] @ view[2, :3]


@pytest.fixture
def renders(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Call it for the number of passes since it was called last."""
    passes = [0]
    render = moderngl.VertexArray.render

    def counted(*arguments: Any, **named: Any) -> None:
        passes[0] += 1
        render(*arguments, **named)

    monkeypatch.setattr(moderngl.VertexArray, "render", counted)

    def since() -> int:
        count, passes[0] = passes[0], 0
        return count

    return since


def painted(
    particles: NDArray[np.void], order: NDArray[np.int64]
) -> tuple[Floats, NDArray[np.bool_]]:
    """The picture of squares, painted one after the other over the canvas; as Canvas.pixels.

    And which pixels are certain: rasterisers round places to a 256th of a pixel.
    """
    picture, certain = np.zeros((16, 16, 4)), np.ones((16, 16), np.bool_)
    center = np.arange(16) + 0.5
    for one in particles[order]:
        x, y, _ = one["position"]
        right = (one["width"] / 2 - np.abs(center - x))[None, :]
        up = (one["height"] / 2 - np.abs(center - y))[:, None]
        certain &= np.abs(np.minimum(right, up)) > 1 / 400
        inside = (right > 0) & (up > 0)
        red, green, blue, alpha = one["color"].astype(np.float64)
        source = np.array((red * alpha, green * alpha, blue * alpha, alpha))
        picture[inside] = source + (1 - alpha) * picture[inside]
    return picture, certain


def test_a_thousand_overlapping_sprites_look_as_if_painted_from_back_to_front(
    scene: Scene,
) -> None:
    canvas = scene.make_canvas(dtype="f4")
    look = {"size": (1.5, 5), "color": [(0, "#ff0000b0"), (0.5, "#00ff0060"), (1, "#0000ffa0")]}
    pictures = []
    for order in ("depth", "none"):
        sprite = gp.Sprite(texture=SQUARE, order=order)
        effect = scene.particles.play(cloud(1000, sprite=sprite, **look), seed=7)
        scene.update()
        pictures.append(scene.draw(canvas))
        particles = effect["it"].read()
        effect.release()

    farthest_first = np.argsort(particles["position"][:, 2], kind="stable")
    expected, certain = painted(particles, farthest_first)
    assert certain.mean() > 0.6
    np.testing.assert_allclose(pictures[0][certain], expected[certain], atol=1 / 255)
    assert np.abs(pictures[1] - expected).max() > 0.1, "the order does not matter here"


def test_a_hundred_thousand_are_in_order_after_one_draw(scene: Scene, renders: Any) -> None:
    """And it takes no more passes than it should."""
    effect = scene.particles.play(cloud(100_000, lifetime=(0.5, 2), speed=(1, 30), spread=180))
    scene.update(1.0)
    assert 0 < effect.live_count < 100_000
    renders()
    view = look_at((30, 20, 60), (8, 8, 0))
    scene.draw(view=view)
    # Keys, runs of 8, 14 merges of two passes, and the sprites.
    assert renders() == 1 + 1 + 2 * 14 + 1
    check(effect["it"]._sprites, towards_eye(view))


def test_a_camera_that_jumps_sees_the_right_order_at_once(scene: Scene) -> None:
    effect = scene.particles.play(cloud(500))
    scene.update()
    for eye in ((8, 8, 90), (8, 8, -90), (90, 8.5, 1)):
        view = look_at(eye, (8, 8, 0))
        scene.draw(view=view)
        check(effect["it"]._sprites, towards_eye(view))


def test_it_is_sorted_again_when_something_has_changed_and_only_then(
    scene: Scene, renders: Any
) -> None:
    """Steps, turns of the camera; not the second eye, a pause, or a camera that only moves."""
    effect = scene.particles.play(cloud(500, speed=20, spread=180))
    scene.update(0.25)
    ahead, aside = look_at((8, 8, 50), (8, 8, 0)), look_at((50, 8, 1), (8, 8, 0))
    moved = look_at((9, 8, 40), (9, 8, 0))

    def is_sorted(view: Floats) -> bool:
        renders()
        scene.draw(view=view)
        passes = renders()
        check(effect["it"]._sprites, towards_eye(view))
        assert passes in (1, 1 + 2 + 2 * 6)
        return passes > 1

    assert is_sorted(ahead)
    assert not is_sorted(ahead)
    assert not is_sorted(moved)
    assert is_sorted(aside)
    scene.update(0.25)
    assert is_sorted(aside)
    effect.pause()
    scene.update(0.25)
    assert not is_sorted(aside)
    effect.resume()
    scene.update(0.25)
    assert is_sorted(aside)


def test_whatever_changes_slots_is_noticed(scene: Scene) -> None:
    """Another capacity, a snapshot that is restored, a time that is sought, a larger mark."""
    made = cloud(400, bursts=[gp.Burst(0, 100), gp.Burst(0.5, 300)], speed=20, spread=180)
    effect = scene.particles.play(made)
    scene.update(0.25)
    view = look_at((30, 20, 60), (8, 8, 0))

    def changed() -> None:
        scene.draw(view=view)
        check(effect["it"]._sprites, towards_eye(view))

    changed()
    early = effect.snapshot()
    scene.update(0.5)
    changed()
    effect["it"].capacity = 250
    changed()
    effect["it"].capacity = 2000
    changed()
    effect.seek(0.125)
    changed()
    effect["it"].capacity = 400
    effect.restore(early)
    changed()


@pytest.mark.parametrize(("order", "sign"), [("oldest", -1), ("youngest", 1)])
def test_by_age(scene: Scene, renders: Any, order: str, sign: int) -> None:
    """Those of one age by slot; the view does not matter."""
    sprite = gp.Sprite(texture=SQUARE, order=order)
    made = cloud(300, rate=300, bursts=[gp.Burst(0.25, 40)], lifetime=(0.1, 0.8), sprite=sprite)
    effect = scene.particles.play(made)
    for _ in range(8):
        scene.update(0.125)
    scene.draw()
    check(effect["it"]._sprites, lambda place_age: sign * place_age[:, 3], 0)
    renders()
    scene.draw(view=look_at((50, 8, 1), (8, 8, 0)))
    assert renders() == 1


@pytest.mark.parametrize(("order", "front"), [("oldest", RED), ("youngest", BLUE)])
def test_who_is_drawn_last_covers_the_others(scene: Scene, order: Any, front: Any) -> None:
    """The younger one is red, the older one blue."""
    scene.add(
        capacity=2,
        bursts=[gp.Burst(0), gp.Burst(0.6)],
        lifetime=1,
        color_over_life=[(0, "#f00"), (0.5, "#f00"), (0.5, "#00f"), (1, "#00f")],
        sprite=gp.Sprite(texture=SQUARE, order=order),
    )
    scene.update(0.7)
    assert scene.draw()[8, 8].tolist() == list(front)


def test_particles_that_are_carried_are_sorted_where_they_are(scene: Scene) -> None:
    """The effect turns after they were born; a turn of it is one of the view."""
    effect = scene.particles.play(cloud(300, space="local"))
    scene.update()
    view = look_at((30, 20, 60), (8, 8, 0))
    turned = np.eye(4)
    turned[:3, :3] = [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]
    for place in (np.eye(4), turned):
        effect.transform = place
        scene.draw(view=view)
        check(effect["it"]._sprites, towards_eye(view @ place))


def test_a_blend_that_a_parameter_drives_may_come_to_need_an_order(scene: Scene) -> None:
    """It adds light at first, and is composed for more."""
    emitters = cloud(100, sprite=gp.Sprite(order="depth", blend=1.0)).emitters
    glow = gp.Parameter("glow", 1.0, (0, 1), binds=["emitters.it.sprite.blend"])
    effect = scene.particles.play(gp.Effect("glows", emitters, loop=False, parameters=[glow]))
    scene.update()
    effect.parameters["glow"] = 0.0
    view = look_at((30, 20, 60), (8, 8, 0))
    scene.draw(view=view)
    check(effect["it"]._sprites, towards_eye(view))


@pytest.mark.parametrize("space", ["world", "local"])
def test_a_pool_is_sorted_as_a_whole(scene: Scene, renders: Any, space: str) -> None:
    """The farther burst is the later one, so that unsorted it would cover the nearer one."""
    made = cloud(
        1, shape=gp.Point(), space=space, size=8, sprite=gp.Sprite(texture=SQUARE, order="depth")
    )
    turned = np.eye(4)
    turned[:3, :3] = [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]
    for z, tint in ((20, RED), (-20, BLUE), (40, RED), (-40, BLUE)):
        place = turned.copy()
        place[:3, 3] = 8, 8, z
        scene.particles.burst(made, transform=place, tint=np.divide(tint, 255))
    scene.update()
    ahead, behind = look_at((8, 8, 90), (8, 8, 0)), look_at((8, 8, -90), (8, 8, 0))
    middle = orthographic(-8, 8, -8, 8, 0, 200)
    renders()
    assert scene.draw(view=ahead, projection=middle)[8, 8].tolist() == list(RED)
    assert renders() == 1 + 1 + 2 * 7 + 1  # a row of a pool has 1024 slots
    assert scene.draw(view=behind, projection=middle)[8, 8].tolist() == list(BLUE)
    assert scene.particles.stats.live == 4


def test_at_a_fixed_frame_rate_what_is_seen_is_sorted(scene: Scene) -> None:
    made = gp.Effect("frames", cloud(300, speed=40, spread=180).emitters, loop=False, fixed_fps=4)
    effect = scene.particles.play(made)
    scene.update(0.625)
    view = look_at((30, 20, 60), (8, 8, 0))
    for _ in range(2):
        scene.draw(view=view)
        check(effect["it"]._sprites, towards_eye(view))
        scene.update(0.0625)  # within the frame


def test_what_adds_light_is_not_sorted(scene: Scene, renders: Any) -> None:
    """Nor composed for it."""
    for blend in ("additive", 1):
        sprite = gp.Sprite(texture=SQUARE, order="depth", blend=blend)
        plain = gp.Sprite(texture=SQUARE, blend=blend)
        ours, without = (
            [*emitter_text(cloud(5, sprite=each), 0, pooled=False).passes()]
            for each in (sprite, plain)
        )
        assert ours == without
    scene.particles.play(cloud(50, sprite=sprite))
    scene.update()
    renders()
    scene.draw()
    assert renders() == 1


def test_only_what_asks_for_an_order_is_composed_and_sorted(scene: Scene) -> None:
    text = emitter_text(cloud(5, sprite=gp.Sprite()), 0, pooled=False)
    assert text.order is None
    assert "u_order" not in text.drawn[0].text
    effect = scene.particles.play(cloud(5, sprite=gp.Sprite()))
    scene.update()
    assert effect["it"]._sprites.order is None
    assert effect["it"]._sprites.nbytes == 0


def test_positions_that_overflow_are_sorted_too(scene: Scene) -> None:
    """What flies away for ever meets no float's end unnoticed: everybody is drawn once."""
    effect = scene.particles.play(
        cloud(64, speed=3e38, spread=180, modifiers=[Acceleration((3e38, -3e38, 3e38))])
    )
    for _ in range(4):
        scene.update(1.0)
    scene.draw(view=look_at((30, 20, 60), (8, 8, 0)))
    _, slots = sorted_slots(effect["it"]._sprites)
    assert sorted(slots) == list(range(len(slots)))


def test_memory_is_counted_and_follows_what_lives(scene: Scene) -> None:
    """Two textures of 8 bytes a slot, and a sixteenth of 4."""
    made = cloud(100_000, bursts=[gp.Burst(0, 1000)])
    effect = scene.particles.play(made)
    scene.update()
    before = scene.particles.stats.gpu_bytes
    scene.draw()
    simulation = effect["it"]._simulation
    assert simulation.state is not None
    slots = simulation.rows * simulation.state.width
    assert slots <= 1024
    assert scene.particles.stats.gpu_bytes - before == slots * 16 + slots // 16 * 4


def test_warming_up_compiles_what_sorts(scene: Scene) -> None:
    scene.particles.warm_up(cloud(5))
    programs = scene.particles.stats.programs
    scene.particles.play(cloud(5))
    scene.particles.burst(cloud(5))
    assert scene.particles.stats.programs == programs


def squares(*colors: str, numbers: Any) -> gp.Effect:
    """An emitter of one square a colour, each with its drawing order."""
    emitters = [
        gp.Emitter(
            color, capacity=1, rate=0, bursts=[gp.Burst()], lifetime=100, speed=0, size=8,
            color=color, draw_order=number, sprite=gp.Sprite(texture=SQUARE),
        )
        for color, number in zip(colors, numbers, strict=True)
    ]  # fmt: skip
    return gp.Effect("squares", emitters, loop=False)


def middle(pixels: Pixels) -> list[int]:
    found: list[int] = pixels[8, 8].tolist()
    return found


@pytest.mark.parametrize("burst", [False, True])
@pytest.mark.parametrize(
    ("numbers", "front"), [((0, 0), BLUE), ((1, 0), RED), ((0, -1), RED), ((-5, 7), BLUE)]
)
def test_emitters_of_an_effect_by_number_then_as_written(
    scene: Scene, numbers: Any, front: Any, burst: bool
) -> None:
    made = squares("#f00", "#00f", numbers=numbers)
    play: Any = scene.particles.burst if burst else scene.particles.play
    play(made, position=(8, 8, 0))
    scene.update()
    assert middle(scene.draw()) == list(front)


def test_effects_of_a_system_by_number_then_in_order_of_play(scene: Scene) -> None:
    red = scene.add(color="#f00")
    blue = scene.add(color="#00f")
    scene.update()
    assert middle(scene.draw()) == list(BLUE)
    red.draw_order = 1
    assert middle(scene.draw()) == list(RED)
    red.draw_order = 0
    assert middle(scene.draw()) == list(BLUE)
    blue.draw_order = -1
    assert middle(scene.draw()) == list(RED)
    assert [each.draw_order for each in scene.particles.effects] == [0, -1]
    saved = blue.snapshot()
    blue.draw_order = 5
    blue.restore(saved)
    assert blue.draw_order == -1


@pytest.mark.parametrize("prewarm", [0.0, 0.1])
def test_bursts_have_an_order_among_effects(scene: Scene, prewarm: float) -> None:
    """Those that share textures, and those that cannot."""
    for color, number in (("#0f0", 2), ("#f00", -1), ("#00f", 1)):
        made = squares(color, numbers=[0])
        made = gp.Effect(color, made.emitters, loop=False, prewarm=prewarm)
        scene.particles.burst(made, position=(8, 8, 0), draw_order=number)
    scene.update()
    assert middle(scene.draw()) == [0, 255, 0, 255]


def test_bursts_of_one_effect_with_several_orders(scene: Scene) -> None:
    made = squares("#fff", numbers=[0])
    for tint, number in ((RED, 1), (BLUE, 0), (RED, 1), (BLUE, 0)):
        scene.particles.burst(
            made, position=(8, 8, 0), tint=np.divide(tint, 255), draw_order=number
        )
    scene.update()
    assert middle(scene.draw()) == list(RED)


def test_an_order_is_a_whole_number(scene: Scene) -> None:
    effect = scene.add()
    for wrong, quoted in ((1.5, "1.5"), (True, "true"), ("front", '"front"')):
        with pytest.raises(gp.EffectError, match=f"draw_order: {quoted} is not a whole number"):
            effect.draw_order = wrong
        with pytest.raises(gp.EffectError, match=r"draw_order: .* is not a whole number"):
            scene.particles.burst(squares("#fff", numbers=[0]), draw_order=wrong)
    with pytest.raises(gp.EffectError, match=r"draw_order: 1.5 is not a whole number"):
        gp.Emitter("it", draw_order=1.5)
    with pytest.raises(gp.EffectError, match=r'order: "dept" is not .* did you mean "depth"'):
        gp.Sprite(order="dept")


def test_orders_are_in_documents() -> None:
    text = cloud(5, sprite=gp.Sprite(order="depth")).to_json()
    assert '"order": "depth"' in text
    assert "draw_order" not in text
    numbered = gp.Effect("numbered", [gp.Emitter("it", draw_order=-2)])
    assert '"draw_order": -2' in numbered.to_json()


def test_host_framebuffer_and_viewport_hold_while_sorting(scene: Scene) -> None:
    """Sprites land where the host draws, of its framebuffer only in its viewport."""
    canvas: Canvas = scene.canvas
    scene.particles.play(cloud(1, shape=gp.Point(), size=1000), position=(8, 8, 0))
    scene.update()
    canvas.clear()
    scene.ctx.viewport = (2, 3, 5, 6)
    scene.particles.draw(canvas.view, canvas.projection)
    assert scene.ctx.viewport == (2, 3, 5, 6)
    pixels = canvas.pixels()
    assert pixels[3:9, 2:7].all()
    assert pixels.astype(bool).sum() == 4 * 5 * 6
