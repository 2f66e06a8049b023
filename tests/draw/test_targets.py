"""Every way of drawing on every kind of target: right, or an error that says what is wrong."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import moderngl
import numpy as np
import pytest
from numpy.typing import NDArray

import gpuparticles as gp
from gpuparticles.draw.camera import orthographic
from gpuparticles.gpu.gl import GL
from tests.draw.conftest import SQUARE, Pixels, Scene
from tests.gpu.host_state import Raw

VIEW, PROJECTION = np.eye(4), orthographic(0, 16, 0, 16, -100, 100)
RGBA8, RGB8, SRGB8, RGBA16F, RGBA32F, RGBA8UI, RGBA32I = (
    0x8058, 0x8051, 0x8C43, 0x881A, 0x8814, 0x8D7C, 0x8D82,
)  # fmt: skip
_DEPTH24, _DEPTH24_STENCIL8, _DEPTH32F = 0x81A6, 0x88F0, 0x8CAC
_RENDERBUFFER, _ARRAY, _CUBE, _FACE = 0x8D41, 0x8C1A, 0x8513, 0x8515 + 3
_MULTISAMPLE = 0x9100
SOME = (0.25, 0.5, 0.75, 0.5)


@dataclass
class Target:
    """A framebuffer of raw OpenGL, of a kind, and how much of it is drawn into.

    Args:
        raw: OpenGL.
        kind: What is attached to it.
        form: OpenGL's internal format of the colours.
        depth: Whether it has a depth.
        colors: How many colours it has.
        draws: The draw buffers, by number of the colour; None is none.
        size: In pixels.
        viewport: What is drawn into; by default all.
        scissor: What may be changed; by default all.
    """

    raw: Raw
    kind: str = "texture"
    form: int = RGBA8
    depth: bool = True
    colors: int = 1
    draws: tuple[int | None, ...] = (0,)
    size: tuple[int, int] = (16, 16)
    viewport: tuple[int, int, int, int] | None = None
    scissor: tuple[int, int, int, int] | None = None

    def __post_init__(self) -> None:
        raw = self.raw
        self._names: list[tuple[str, int]] = []
        self.samples = 4 if self.kind == "multisampled" else 0
        self.framebuffer = self._name("Framebuffers")
        raw.BindFramebuffer(GL.FRAMEBUFFER, self.framebuffer)
        for number in range(self.colors):
            self._attach(GL.COLOR_ATTACHMENT0 + number, self.form)
        if self.depth:
            stencil = self.kind == "renderbuffer"
            place = GL.DEPTH_STENCIL_ATTACHMENT if stencil else GL.DEPTH_ATTACHMENT
            form = _DEPTH24_STENCIL8 if stencil else _DEPTH32F if self.kind == "level" else _DEPTH24
            self._attach(place, form)
        self._choose(self.draws)

    def _name(self, kind: str) -> int:
        name = self.raw.name(kind)
        self._names.append((kind, name))
        return name

    def _choose(self, draws: tuple[int | None, ...]) -> None:
        places = [GL.NONE if n is None else GL.COLOR_ATTACHMENT0 + n for n in draws]
        self.raw.DrawBuffers(len(places), (ctypes.c_int * len(places))(*places))

    def _attach(self, place: int, form: int) -> None:
        raw, (width, height), kind = self.raw, self.size, self.kind
        if kind == "renderbuffer" or (kind == "face" and place == GL.DEPTH_ATTACHMENT):
            raw.BindRenderbuffer(_RENDERBUFFER, name := self._name("Renderbuffers"))
            raw.RenderbufferStorage(_RENDERBUFFER, form, width, height)
            raw.FramebufferRenderbuffer(GL.FRAMEBUFFER, place, _RENDERBUFFER, name)
            return
        name = self._name("Textures")
        if form in (_DEPTH24, _DEPTH32F):
            pixels = (GL.DEPTH_COMPONENT, GL.FLOAT, None)
        else:
            whole = form in (RGBA8UI, RGBA32I)
            pixels = (0x8D99 if whole else GL.RGBA, GL.INT if whole else GL.FLOAT, None)
        match kind:
            case "multisampled":
                raw.BindTexture(_MULTISAMPLE, name)
                raw.TexImage2DMultisample(_MULTISAMPLE, 4, form, width, height, 1)
                raw.FramebufferTexture2D(GL.FRAMEBUFFER, place, _MULTISAMPLE, name, 0)
            case "layer" | "layered":
                raw.BindTexture(_ARRAY, name)
                raw.TexImage3D(_ARRAY, 0, form, width, height, 3, 0, *pixels)
                if kind == "layer":
                    raw.FramebufferTextureLayer(GL.FRAMEBUFFER, place, name, 0, 2)
                else:
                    raw.FramebufferTexture(GL.FRAMEBUFFER, place, name, 0)
            case "face":
                raw.BindTexture(_CUBE, name)
                for face in range(0x8515, 0x8515 + 6):
                    raw.TexImage2D(face, 0, form, width, height, 0, *pixels)
                raw.FramebufferTexture2D(GL.FRAMEBUFFER, place, _FACE, name, 0)
            case _:
                level = int(kind == "level")
                raw.BindTexture(GL.TEXTURE_2D, name)
                for n in range(level + 1):
                    scale = 2 ** (level - n)
                    raw.TexImage2D(
                        GL.TEXTURE_2D, n, form, scale * width, scale * height, 0, *pixels
                    )
                raw.TexParameteri(GL.TEXTURE_2D, GL.TEXTURE_MAX_LEVEL, level)
                raw.FramebufferTexture2D(GL.FRAMEBUFFER, place, GL.TEXTURE_2D, name, level)

    @property
    def seen(self) -> tuple[slice, slice]:
        """Rows and columns that are drawn into."""
        x, y, width, height = self.viewport or (0, 0, *self.size)
        return slice(y, y + height), slice(x, x + width)

    def clear(self, color: Any = (0, 0, 0, 0), *, wall: bool = True) -> None:
        """Fill all of it, and bind it: a wall half as deep as can be seen in its left half."""
        raw = self.raw
        raw.BindFramebuffer(GL.FRAMEBUFFER, self.framebuffer)
        self._choose(tuple(range(self.colors)))
        for number in range(self.colors):
            raw.ClearBufferfv(GL.COLOR, number, (ctypes.c_float * 4)(*color))
        self._choose(self.draws)
        x, y, width, height = self.viewport or (0, 0, *self.size)
        if self.depth:
            raw.DepthMask(1)
            raw.ClearBufferfv(GL.DEPTH, 0, (ctypes.c_float * 1)(1.0))
            if wall:
                raw.Enable(GL.SCISSOR_TEST)
                raw.Scissor(x, y, width // 2, height)
                raw.ClearBufferfv(GL.DEPTH, 0, (ctypes.c_float * 1)(0.5))
                raw.Disable(GL.SCISSOR_TEST)
        raw.Viewport(x, y, width, height)
        if self.scissor is not None:
            raw.Scissor(*self.scissor)
            raw.Enable(GL.SCISSOR_TEST)

    def pixels(self, number: int = 0) -> Pixels:
        """Colours, float32 (height, width, 4), the first row at the bottom."""
        return self._read(GL.COLOR_ATTACHMENT0 + number)

    def depths(self) -> Pixels:
        """Depths, float32 (height, width)."""
        return self._read(GL.NONE)[..., 0]

    def _read(self, place: int) -> Pixels:
        raw = self.raw
        raw.Disable(GL.SCISSOR_TEST)
        width, height = self.size
        single = self
        raw.BindFramebuffer(GL.READ_FRAMEBUFFER, self.framebuffer)
        raw.ReadBuffer(place)
        color = place != GL.NONE
        if self.samples:
            single = Target(raw, form=self.form, size=self.size)
            raw.BindFramebuffer(GL.READ_FRAMEBUFFER, self.framebuffer)
            bit = GL.COLOR_BUFFER_BIT if color else GL.DEPTH_BUFFER_BIT
            raw.BlitFramebuffer(0, 0, *self.size, 0, 0, *self.size, bit, GL.NEAREST)
            raw.BindFramebuffer(GL.READ_FRAMEBUFFER, single.framebuffer)
        count = 4 if color else 1
        data = np.empty((height, width, count), np.float32)
        form = GL.RGBA if color else GL.DEPTH_COMPONENT
        raw.ReadPixels(0, 0, width, height, form, GL.FLOAT, data.ctypes.data_as(ctypes.c_void_p))
        raw.BindFramebuffer(GL.FRAMEBUFFER, self.framebuffer)
        if single is not self:
            single.release()
        return data

    def release(self) -> None:
        for kind, name in reversed(self._names):
            self.raw.delete(kind, name)


Make = Callable[..., Target]


@pytest.fixture
def make(ctx: moderngl.Context) -> Iterator[Make]:
    """Makes targets that are released after the test."""
    raw, made = Raw(ctx), []

    def target(kind: str = "texture", **how: Any) -> Target:
        made.append(Target(raw, kind, **how))
        return made[-1]

    yield target
    raw.Disable(GL.SCISSOR_TEST)
    for each in made:
        each.release()


# Ways of drawing. Each shows two squares of 8 by 8, one behind the wall and one in front of it.

FAR, NEAR = (6, 8, -20), (10, 8, 20)
BLUE, HOT = (0.0, 0.25, 1.0, 0.75), (4.0, 0.5, 0.25, 0.5)
QUAD = gp.Geometry(
    [(-0.5, -0.5, 0), (0.5, -0.5, 0), (0.5, 0.5, 0), (-0.5, 0.5, 0)], [(0, 1, 2), (0, 2, 3)]
)


def emitter(name: str, at: Any, color: Any, **fields: Any) -> gp.Emitter:
    given: dict[str, Any] = {
        "capacity": 2,
        "rate": 0,
        "bursts": [gp.Burst()],
        "lifetime": float("inf"),
        "shape": gp.Point(offset=at),
        "speed": 0,
        "size": 8,
        "color": color,
        "sprite": sprite(),
    }
    return gp.Emitter(name, **{**given, **fields})


def sprite(**how: Any) -> gp.Sprite:
    return gp.Sprite(**{"texture": SQUARE, **how})


def two(**fields: Any) -> gp.Effect:
    return gp.Effect(
        "two", [emitter("far", FAR, BLUE, **fields), emitter("near", NEAR, HOT, **fields)],
        loop=False,
    )  # fmt: skip


def moving(start: float, speed: float, **fields: Any) -> gp.Effect:
    """Two that fly to the right, from so far beside where the squares are."""
    pair = []
    for name, (x, y, z), color in (("far", FAR, BLUE), ("near", NEAR, HOT)):
        pair.append(emitter(name, (x + start, y, z), color, velocity=(speed, 0, 0), **fields))
    return gp.Effect("moving", pair, loop=False)


def sorted_pair() -> gp.Effect:
    """The nearer one is born first, and so is drawn last only if they are sorted."""
    places = gp.Points([NEAR, FAR], colors=[HOT, BLUE], order="sequence")
    look = sprite(order="depth")
    one = emitter("both", NEAR, (1, 1, 1, 1), bursts=[gp.Burst(0, 2)], shape=places, sprite=look)
    return gp.Effect("sorted", [one], loop=False)


def as_model(**how: Any) -> gp.Effect:
    return two(model=gp.Model(QUAD, orientation="fixed", lit=None, **how))


BAND = {"width_over_trail": 1, "color_over_trail": "#fff", "texture": SQUARE, "only": True}
WAYS: dict[str, Callable[[], gp.Effect]] = {
    "plain": two,
    "additive": lambda: two(sprite=sprite(blend="additive")),
    "mixed": lambda: two(sprite=sprite(blend=0.5)),
    "sorted": sorted_pair,
    "weighted": lambda: two(sprite=sprite(order="weighted")),
    "soft": lambda: two(sprite=sprite(softness=30)),
    "soft, taken": lambda: two(sprite=sprite(softness=30)),
    "depth_write": lambda: two(sprite=sprite(depth_write=True)),
    "layer": two,
    "layer, filtered": two,
    "layer, weighted": lambda: two(sprite=sprite(order="weighted")),
    "layer, bending": two,
    "model": as_model,
    "blended model": lambda: as_model(blend="alpha"),
    "trail": lambda: moving(-4, 16, trail=gp.Trail(lifetime=0.5, **BAND)),
    "ribbon": lambda: moving(
        -12, 32, ribbon=gp.Ribbon(texture=SQUARE), bursts=[gp.Burst(), gp.Burst(0.25)]
    ),
}
FILTERS: dict[str, Any] = {
    "layer, filtered": lambda: [gp.ColorMatrix.hue(0)],
    "layer, bending": lambda: [gp.Distortion(2)],
}
COVERING = [way for way in WAYS if way not in ("additive", "layer, bending")]


class Stage:
    """What is drawn in a way, again and again."""

    def __init__(self, scene: Scene, way: str) -> None:
        self.scene, self.way = scene, way
        self._given: dict[tuple[int, int], moderngl.Texture] = {}
        particles = scene.particles
        layer = None
        if way.startswith("layer"):
            layer = particles.layer(filters=FILTERS.get(way, list)())
        if way == "layer, bending":  # bends something
            particles.play(two(), seed=1)
        particles.play(WAYS[way](), seed=1, layer=layer)
        for _ in range(2):
            particles.update(0.25)

    def draw(self, target: Target, background: Any = (0, 0, 0, 0), *, wall: bool = True) -> Pixels:
        """Draw onto a target that has just been cleared; what is seen in its viewport."""
        depth: Any = None
        if self.way == "soft":
            depth = self._depth_like(target)
        elif self.way == "soft, taken":
            depth = True
        target.clear(background, wall=wall)
        self.scene.particles.draw(VIEW, PROJECTION, depth=depth)
        return target.pixels(next(n for n in target.draws if n is not None))

    def _depth_like(self, target: Target) -> moderngl.Texture:
        """The wall in a texture as large as the target, which is not attached to it."""
        if target.size not in self._given:
            width, height = target.size
            depths = np.ones((height, width), np.float32)
            rows, columns = target.seen
            depths[rows, columns.start : (columns.start + columns.stop) // 2] = 0.5
            self._given[target.size] = self.scene.make_texture(
                target.size, 1, depths.tobytes(), dtype="f4"
            )
        return self._given[target.size]


TARGETS: dict[str, dict[str, Any]] = {
    "renderbuffers": {"kind": "renderbuffer"},
    "level": {"kind": "level"},
    "layer of an array": {"kind": "layer"},
    "all layers": {"kind": "layered"},
    "face of a cube": {"kind": "face"},
    "multisampled": {"kind": "multisampled"},
    "two colours": {"colors": 2, "draws": (0, 1)},
    "the second colour": {"colors": 2, "draws": (1, 0)},
    "viewport": {"size": (24, 20), "viewport": (5, 3, 16, 16)},
    "scissor": {"scissor": (3, 0, 8, 9)},
    "half floats": {"form": RGBA16F},
    "half floats of several samples": {"kind": "multisampled", "form": RGBA16F},
    "without alpha": {"form": RGB8},
    "without depth": {"depth": False},
}
REFUSED = {
    ("soft, taken", "multisampled"): "depth: a multisampled framebuffer's cannot be taken",
    ("soft, taken", "half floats of several samples"): "depth: a multisampled framebuffer's cannot",
    ("soft, taken", "without depth"): "depth: the bound framebuffer has none to take",
}


@pytest.mark.parametrize("way", WAYS)
def test_each_way_looks_the_same_on_every_target(scene: Scene, make: Make, way: str) -> None:
    """As on a texture; what is outside of viewport and scissor, or is not drawn into, stays."""
    stage = Stage(scene, way)
    bytes8 = stage.draw(make(), SOME)
    floats = stage.draw(make(form=RGBA32F), SOME)
    open_ = stage.draw(make(), SOME, wall=False)
    assert np.ptp(bytes8, axis=(0, 1)).max() > 0.2, "something is seen"
    assert floats[..., 0].max() > 1.2, "light beyond 1 is kept"
    for name, how in TARGETS.items():
        target = make(**how)
        if sentence := REFUSED.get((way, name)):
            with pytest.raises(gp.ContextError, match=sentence):
                stage.draw(target, SOME)
            assert (target.pixels() == cleared(target)).all(), "nothing has been drawn"
            continue
        found = stage.draw(target, SOME)
        expected, tolerance = (bytes8, 1 / 255) if target.depth else (open_, 1 / 255)
        if target.form == RGBA16F:
            expected, tolerance = floats, 4e-3
        whole = framed(target, expected)
        if (way, name) == ("layer, bending", "scissor"):
            # Of what was not drawn outside nothing can be seen inside, bent.
            x, y, width, height = target.scissor or (0,) * 4
            whole[y : y + height, x : x + width] = found[y : y + height, x : x + width]
        np.testing.assert_allclose(found, whole, atol=tolerance + 1e-6, err_msg=name)
        for other in set(range(target.colors)) - {target.draws[0]}:
            assert (target.pixels(other) == cleared(target)).all(), "only the first is drawn into"
        for number, color in enumerate(target.draws):
            chosen = target.raw.integers(GL.DRAW_BUFFER0 + number)[0]
            assert chosen == GL.COLOR_ATTACHMENT0 + (color or 0), "the host's choice stays"


def cleared(target: Target) -> Pixels:
    """A target of which nothing has been drawn into."""
    clear = np.array(SOME if target.form == RGBA16F else np.round(np.multiply(SOME, 255)) / 255)
    if target.form == RGB8:
        clear[3] = 1
    return np.broadcast_to(np.float32(clear), (target.size[1], target.size[0], 4))


def framed(target: Target, picture: Pixels) -> Pixels:
    """What a target looks like that has had a picture drawn into its viewport."""
    found = cleared(target).copy()
    everything = found.copy()
    everything[target.seen] = picture
    x, y, width, height = target.scissor or (0, 0, *target.size)
    part = (slice(y, y + height), slice(x, x + width))
    found[part] = everything[part]
    if target.form == RGB8:
        found[..., 3] = 1
    return found


@pytest.mark.parametrize("way", WAYS)
def test_srgb_is_encoded_and_blended_as_the_host_says(scene: Scene, make: Make, way: str) -> None:
    """On: colours are linear, and so is the blending. Off: numbers are as they are."""
    stage = Stage(scene, way)
    target = make(form=SRGB8)
    background = (0.25, 0.1, 0.2, 0.5)  # so dark that nothing is cut off between two sprites
    np.testing.assert_array_equal(
        stage.draw(target, background), stage.draw(make(), background), err_msg="off"
    )
    linear = stage.draw(make(form=RGBA32F), background)
    target.raw.Enable(GL.FRAMEBUFFER_SRGB)
    try:
        found = stage.draw(target, background)
    finally:
        target.raw.Disable(GL.FRAMEBUFFER_SRGB)
    expected = np.clip(linear, 0, 1)
    light = expected[..., :3]
    expected[..., :3] = np.where(
        light <= 0.0031308, 12.92 * light, 1.055 * np.maximum(light, 1e-9) ** (1 / 2.4) - 0.055
    )
    np.testing.assert_allclose(found, expected, atol=2.5 / 255)


@pytest.mark.parametrize("form", [RGBA8, RGBA32F])
@pytest.mark.parametrize("way", [way for way in WAYS if way != "layer, bending"])
def test_transparent_targets_composite_later_as_if_drawn_on(
    scene: Scene, make: Make, way: str, form: int
) -> None:
    """Over black; and, where sums beyond 1 are kept, over any colour."""
    stage = Stage(scene, way)
    target = make(form=form)
    alone = stage.draw(target)
    backgrounds = [(0, 0, 0, 1)] if form == RGBA8 else [(0, 0, 0, 1), (0.5, 0.25, 0.125, 1)]
    for background in backgrounds:
        on_it = stage.draw(target, background)
        over = alone + (1 - alone[..., 3:]) * np.array(background)
        tolerance = {RGBA8: 1 / 255 + 1e-6, RGBA32F: 1e-3}[form]
        np.testing.assert_allclose(over, on_it, atol=tolerance)


def test_what_the_page_says_of_light_runs(scene: Scene) -> None:
    page = Path(__file__).parents[2] / "docs" / "targets.md"
    code = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.S)[0]
    scene.particles.play(WAYS["soft"](), seed=1)
    scene.update()
    names: dict[str, Any] = {"ctx": scene.ctx, "size": (16, 16), "particles": scene.particles}
    exec(code, {**names, "view": VIEW, "projection": PROJECTION}, names)
    hdr: moderngl.Framebuffer = names["hdr"]
    pixels = np.frombuffer(hdr.read(components=4, dtype="f4"), np.float32).reshape(16, 16, 4)
    assert pixels[8, 12, 0] > 1.2
    for thing in (hdr, *hdr.color_attachments, hdr.depth_attachment):
        thing.release()


# What cannot be drawn into.


def hollow(make: Make) -> Target:
    """Its draw buffer has lost what was attached; drivers differ in whether it is complete."""
    target = make()
    target.raw.FramebufferTexture2D(GL.FRAMEBUFFER, GL.COLOR_ATTACHMENT0, GL.TEXTURE_2D, 0, 0)
    return target


def mixed(make: Make) -> Target:
    """A colour of one sample, and a depth of four."""
    one, _ = make(depth=False), make("multisampled", colors=0, draws=())
    raw, name = one.raw, (ctypes.c_int * 1)()
    raw.GetFramebufferAttachmentParameteriv(
        GL.FRAMEBUFFER, GL.DEPTH_ATTACHMENT, GL.FRAMEBUFFER_ATTACHMENT_OBJECT_NAME, name
    )
    raw.BindFramebuffer(GL.FRAMEBUFFER, one.framebuffer)
    raw.FramebufferTexture2D(GL.FRAMEBUFFER, GL.DEPTH_ATTACHMENT, _MULTISAMPLE, name[0], 0)
    return one


IMPOSSIBLE: dict[str, tuple[Callable[[Make], Target], str]] = {
    "unsigned": (lambda make: make(form=RGBA8UI), "holds integers, into which nothing can be"),
    "signed": (lambda make: make(form=RGBA32I), "holds integers, into which nothing can be"),
    "depth alone": (lambda make: make(colors=0, draws=()), "first draw buffer .* is none; choose"),
    "first is none": (lambda make: make(colors=2, draws=(None, 1)), "first draw buffer .* is none"),
    "nothing": (lambda make: make(colors=0, draws=(), depth=False), "incomplete: nothing is atta"),
    "a hole": (hollow, "(is incomplete: |first draw buffer .* is none)"),
    "mixed samples": (mixed, "is incomplete: its attachments differ in samp"),
}


@pytest.mark.parametrize("way", ["plain", "weighted", "soft, taken", "layer, bending"])
@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_what_cannot_be_drawn_into_is_refused_before_anything_changes(
    scene: Scene, make: Make, name: str, way: str
) -> None:
    build, sentence = IMPOSSIBLE[name]
    stage = Stage(scene, way)
    target = build(make)
    raw, particles = target.raw, scene.particles
    raw.BindFramebuffer(GL.FRAMEBUFFER, target.framebuffer)
    raw.Viewport(0, 0, 16, 16)
    before = particles.stats
    with pytest.raises(gp.ContextError, match=f"^draw: the .*{sentence}"):
        particles.draw(VIEW, PROJECTION, depth=True if way == "soft, taken" else None)
    assert particles.stats == before
    assert raw.integers(GL.DRAW_FRAMEBUFFER_BINDING)[0] == target.framebuffer
    assert scene.ctx.error == "GL_NO_ERROR"
    with particles.guarded():
        particles.update(2.0**-10)  # which has bound framebuffers of ours
        with pytest.raises(gp.ContextError, match=sentence):
            particles.draw(VIEW, PROJECTION)
    again = stage.draw(make())
    assert again.any(), "and drawing goes on"


@pytest.mark.parametrize("way", ["plain", "weighted", "layer", "model"])
def test_integers_beside_the_first_colour_stay(scene: Scene, make: Make, way: str) -> None:
    """As a host has numbers of objects beside its picture."""
    stage = Stage(scene, way)
    expected = stage.draw(make())
    target, _ = make(), make(form=RGBA32I, depth=False)
    raw, name = target.raw, (ctypes.c_int * 1)()
    where = GL.FRAMEBUFFER, GL.COLOR_ATTACHMENT0
    raw.GetFramebufferAttachmentParameteriv(*where, GL.FRAMEBUFFER_ATTACHMENT_OBJECT_NAME, name)
    raw.BindFramebuffer(GL.FRAMEBUFFER, target.framebuffer)
    second = GL.COLOR_ATTACHMENT0 + 1
    raw.FramebufferTexture2D(GL.FRAMEBUFFER, second, GL.TEXTURE_2D, name[0], 0)
    target.draws = (0, 1)
    target.clear()
    raw.ClearBufferiv(GL.COLOR, 1, (ctypes.c_int * 4)(1, -2, 3, -4))
    scene.particles.draw(VIEW, PROJECTION)
    np.testing.assert_array_equal(target.pixels(), expected)
    found = np.empty((16, 16, 4), np.int32)
    raw.ReadBuffer(second)
    raw.ReadPixels(0, 0, 16, 16, 0x8D99, GL.INT, found.ctypes.data_as(ctypes.c_void_p))
    assert (found == (1, -2, 3, -4)).all()


def test_a_context_without_a_window_has_no_default_framebuffer(scene: Scene) -> None:
    scene.add()
    scene.update()
    raw = Raw(scene.ctx)
    raw.BindFramebuffer(GL.FRAMEBUFFER, 0)
    assert raw.CheckFramebufferStatus(GL.FRAMEBUFFER) == 0x8219, "this one has none"
    for draw in (scene.particles.draw, scene.particles.draw_depth):
        with pytest.raises(gp.ContextError, match=f"^{draw.__name__}: .* no default framebuffer"):
            draw(VIEW, PROJECTION)


# Depth alone.


@pytest.mark.parametrize("way", COVERING)
def test_depth_alone_is_the_same_on_every_target(scene: Scene, make: Make, way: str) -> None:
    """Whatever its colours are, none of which changes, or without any."""
    stage = Stage(scene, way)

    def cast(target: Target) -> NDArray[np.float32]:
        target.clear(SOME, wall=False)
        scene.particles.draw_depth(VIEW, PROJECTION)
        return target.depths()

    expected = cast(make())
    seen = {round(float(depth), 3) for depth in np.unique(expected)}
    assert seen == {0.4, 0.6, 1.0}, "the nearer one, the farther one, and nothing"
    kinds = [*TARGETS.values(), {"colors": 0, "draws": ()}, {"colors": 2, "draws": (None, 1)}]
    for how in kinds:
        if not how.get("depth", True) or how.get("scissor") or how.get("viewport"):
            continue
        target = make(**how)
        np.testing.assert_allclose(cast(target), expected, atol=1e-6, err_msg=str(how))
        for number in range(target.colors):
            assert (target.pixels(number) == cleared(target)).all()
    stage.draw(make())


def test_depth_alone_of_integers_is_right_and_of_nothing_is_refused(
    scene: Scene, make: Make
) -> None:
    Stage(scene, "plain")
    whole, bare, hole = make(form=RGBA8UI), make(depth=False), make(colors=0, draws=(), depth=False)
    raw = whole.raw
    whole.clear()
    raw.ClearBufferuiv(GL.COLOR, 0, (ctypes.c_uint * 4)(1, 2, 3, 4))
    scene.particles.draw_depth(VIEW, PROJECTION)
    assert whole.depths()[8, 12] == pytest.approx(0.4, abs=1e-6)
    data = (ctypes.c_ubyte * (16 * 16 * 4))()
    raw.ReadBuffer(GL.COLOR_ATTACHMENT0)
    raw.ReadPixels(0, 0, 16, 16, 0x8D99, GL.UNSIGNED_BYTE, data)
    assert bytes(data) == bytes((1, 2, 3, 4)) * 256
    for target, sentence in ((bare, "has no depth to draw into"), (hole, "is incomplete: nothing")):
        raw.BindFramebuffer(GL.FRAMEBUFFER, target.framebuffer)
        with pytest.raises(gp.ContextError, match=f"^draw_depth: .*{sentence}"):
            scene.particles.draw_depth(VIEW, PROJECTION)
    assert scene.ctx.error == "GL_NO_ERROR"
