"""Layers: effects drawn into a picture of their own, which is then laid over the host's."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Iterable
from typing import TypeAlias

import moderngl

from gpuparticles.draw.filters import Filter, FilterPass, passes_of
from gpuparticles.effect.mistakes import show
from gpuparticles.effect.shader import ShaderFilter
from gpuparticles.effect.values import RGBA, rgba
from gpuparticles.errors import ContextError, EffectError
from gpuparticles.gpu.copies import ColorCopy, DepthCopy
from gpuparticles.gpu.guard import Guard
from gpuparticles.gpu.programs import UNITS, Program, Programs
from gpuparticles.gpu.state import render_target
from gpuparticles.shaders import Pass
from gpuparticles.shaders.filters import lay

__all__ = ["Layer", "Mask"]

Mask: TypeAlias = moderngl.Texture | Callable[[], object]

_NOTHING = (ctypes.c_float * 4)()
_UNITS = 1 + max(UNITS[name] for name in ("u_layer", "u_under", "u_scene", "u_mask"))


class Layer:
    """A picture of its own for some effects: what ``ParticleSystem.layer`` returns.

    Its effects are drawn where the first of them comes in the drawing order, one after the other,
    into a transparent picture as large as the viewport, in half floats; that goes through the
    filters and is laid over the host's. They are tested against a copy of the host's depth, of
    several samples against one. Without filters it looks as if they were drawn directly.
    """

    def __init__(
        self,
        ctx: moderngl.Context,
        guard: Guard,
        filters: Iterable[Filter],
        tint: Iterable[float],
        opacity: float,
        mask: Mask | None,
        mask_inverted: bool,
        gone: Callable[[Layer], None],
    ) -> None:
        self._ctx = ctx
        self._guard = guard
        self._gone = gone
        self._programs = Programs.of(ctx)
        self._held: dict[Pass, Program] = {}
        self._depth = DepthCopy(guard)
        self._scene = ColorCopy(guard)
        self._textures: list[moderngl.Texture] = []
        self._targets: list[moderngl.Framebuffer] = []
        self._attached = 0
        self._drawn: moderngl.Texture | None = None  # the mask that a callable draws
        self._drawn_into: moderngl.Framebuffer | None = None
        self._sampler: moderngl.Sampler | None = None
        self.released = False
        self._steps: tuple[FilterPass, ...] = ()
        self.tint = tint
        self.opacity = opacity
        self.mask = mask
        self.mask_inverted = mask_inverted
        self.filters = filters

    @property
    def filters(self) -> tuple[Filter, ...]:
        """What it goes through, in order. Programs are compiled when it is set, not later.

        Raises:
            EffectError: Set to something else than filters, or one that looks at what lies behind
                the layer is not the last.
            ShaderError: The driver refuses the author's GLSL; nothing has changed.
        """
        return self._filters

    @filters.setter
    def filters(self, filters: Iterable[Filter]) -> None:
        found = tuple(filters) if isinstance(filters, Iterable) else None
        if found is None or not all(map(_is_filter, found)):
            raise EffectError(f"layer: filters: {show(filters)} are no filters")
        steps = [tuple(passes_of(each)) for each in found]
        for each, passes in zip(found[:-1], steps, strict=False):
            if any(step.sees for step in passes):
                kind = type(each).__name__
                raise EffectError(
                    f"layer: filters: {kind} looks at what lies behind the layer, so it must be "
                    f"the last"
                )
        every = tuple(step for passes in steps for step in passes)
        texts = dict.fromkeys([lay(), *(step.text for step in every)])
        if not self.released and any(text not in self._held for text in texts):
            with self._guard:
                self._guard.simulate()
                self._compile(texts)
        self._filters, self._steps = found, every

    @property
    def tint(self) -> RGBA:
        """What its colours are multiplied by, straight RGBA.

        Raises:
            EffectError: Set to something else.
        """
        return self._tint

    @tint.setter
    def tint(self, tint: Iterable[float]) -> None:
        self._tint = rgba(tint, "layer: tint")

    @property
    def opacity(self) -> float:
        """How much of it is seen, 0 to 1.

        Raises:
            EffectError: Set to something else.
        """
        return self._opacity

    @opacity.setter
    def opacity(self, opacity: float) -> None:
        number = isinstance(opacity, (int, float)) and not isinstance(opacity, bool)
        if not number or not 0.0 <= opacity <= 1.0:
            raise EffectError(f"layer: opacity: {show(opacity)} is not a number from 0 to 1")
        self._opacity = float(opacity)

    @property
    def mask(self) -> Mask | None:
        """Where it is seen, after the filters; None for everywhere.

        A texture is stretched over the viewport; its alpha counts, or the red of one with fewer
        than four components. It is borrowed. A callable draws one: it is called in every draw,
        with OpenGL as you left it, but for a framebuffer of ours in the place of yours, cleared to
        transparent, with the same viewport; the alpha that it draws counts. What it changes in
        OpenGL besides is not undone.

        Raises:
            EffectError: Set to something else, or to a texture of integers or of several samples.
            ContextError: Set to a texture of another context, or one that has been released.
        """
        return self._mask

    @mask.setter
    def mask(self, mask: Mask | None) -> None:
        if mask is not None and not isinstance(mask, moderngl.Texture) and not callable(mask):
            raise EffectError(
                f"layer: mask: {show(mask)} is neither a texture nor a callable that draws one"
            )
        if isinstance(mask, moderngl.Texture):
            _check_there(mask)
            if mask.ctx is not self._ctx:
                raise ContextError("layer: mask: the texture belongs to another OpenGL context")
            if mask.samples or mask.dtype[0] in "iu":
                raise EffectError("layer: mask: the texture has integers, or several samples")
        self._mask = mask

    @property
    def mask_inverted(self) -> bool:
        """Whether it is seen where the mask is not.

        Raises:
            EffectError: Set to anything but True or False.
        """
        return self._mask_inverted

    @mask_inverted.setter
    def mask_inverted(self, inverted: bool) -> None:
        if not isinstance(inverted, bool):
            raise EffectError(f"layer: mask_inverted: {show(inverted)} is not True or False")
        self._mask_inverted = inverted

    @property
    def nbytes(self) -> int:
        """GPU memory."""
        mask = 0 if self._drawn is None else 4 * self._drawn.width * self._drawn.height
        textures = sum(8 * t.width * t.height for t in self._textures)
        return self._depth.nbytes + self._scene.nbytes + mask + textures

    def release(self) -> None:
        """Free the GL objects; effects that are in it are drawn directly then. Safe twice."""
        if self.released:
            return
        self.released = True
        self._gone(self)
        if self._guard.lost or self._guard.elsewhere:
            return  # what is left goes with the context
        with self._guard:
            self._guard.simulate()
            self._free()
            self._free_mask()
            self._depth.release()
            self._scene.release()
            if self._sampler is not None:
                self._sampler.release()
            while self._held:
                self._programs.release(self._held.popitem()[1])

    def prepare(self) -> None:
        """Draw the mask, and see that one that was given is there still.

        Inside the guard, before anything is drawn.

        Raises:
            ContextError: It has been released.
        """
        mask = self._mask
        if isinstance(mask, moderngl.Texture):
            _check_there(mask)
        elif mask is not None:
            guard, gl = self._guard, self._guard.gl
            guard.simulate()
            left, bottom, right, top = guard.box
            size = max(right, 1), max(top, 1)
            if self._drawn is None or self._drawn.size != size:
                self._free_mask()
                self._drawn = self._ctx.texture(size, 4)
                self._drawn_into = render_target(self._ctx, gl, [self._drawn])
            assert self._drawn_into is not None
            # As moderngl has it; OpenGL's own is the host's, and stays.
            self._drawn_into.viewport = left, bottom, right - left, top - bottom
            gl.BindFramebuffer(gl.DRAW_FRAMEBUFFER, self._drawn_into.glo)
            gl.ClearBufferfv(gl.COLOR, 0, _NOTHING)
            with guard.lent(self._drawn_into):
                mask()

    def draw(self, depth: str | None, draw: Callable[[], None]) -> None:
        """Draw its effects and lay them over the picture; inside the guard, while drawing.

        Args:
            depth: How is tested, as for Guard.draw.
            draw: Draws the effects.

        Raises:
            ContextError: A filter looks at the picture, which has integers.
        """
        guard, gl = self._guard, self._guard.gl
        box = guard.box
        guard.simulate()
        tested = depth is not None and self._depth.reserve(guard.framebuffer, box)
        self._reserve((max(box[2], 1), max(box[3], 1)), self._depth.texture if tested else 0)
        width, height = self._textures[0].size
        guard.target(self._targets[0].glo, width, height)
        gl.ClearBufferfv(gl.COLOR, 0, _NOTHING)
        if tested:
            self._depth.take(guard.framebuffer, box)
        guard.canvas(self._targets[0].glo)
        try:
            guard.draw(depth if tested else None)
            draw()
        finally:
            guard.canvas(0)
        guard.simulate()
        guard.reach(_UNITS)
        left, bottom, right, top = box
        viewport = struct.pack("<4f", left, bottom, max(right - left, 1), max(top - bottom, 1))
        current = self._filter(viewport)
        last = self._steps[-1] if self._steps and self._steps[-1].sees else None
        if last is None or self._scene.take(guard.framebuffer, box):
            guard.draw(None)
            self._lay(self._textures[current], last, viewport)
        guard.draw(depth)

    def _filter(self, viewport: bytes) -> int:
        """Run the filters; returns which texture holds the result."""
        current, kept, scale = 0, -1, 1
        width, height = self._textures[0].size
        for step in self._steps:
            if step.sees:
                break
            program = self._program(step, viewport)
            if step.scale == 1:
                program.write("u_scale", struct.pack("<f", scale))  # of what is looked at
            program.write("u_extent", struct.pack("<2f", -(-width // scale), -(-height // scale)))
            if step.keeps:
                kept = current
            target = next(i for i in range(3) if i not in (current, kept))
            scale = step.scale
            size = -(-width // scale), -(-height // scale)
            self._guard.target(self._targets[target].glo, *size)
            self._textures[current].use(UNITS["u_layer"])
            if step.takes:
                self._textures[kept].use(UNITS["u_under"])
                kept = -1
            program.vertex_array.render(moderngl.TRIANGLES, 3)
            current = target
        return current

    def _lay(self, layer: moderngl.Texture, last: FilterPass | None, viewport: bytes) -> None:
        """Lay the result over the picture, or have a last filter put it in its place."""
        gl, unit = self._guard.gl, UNITS["u_mask"]
        program = self._program(last or FilterPass(lay(), {}), viewport)
        r, g, b, a = self._tint
        program.write("u_layer_tint", struct.pack("<4f", r, g, b, a * self._opacity))
        mask = self._mask if isinstance(self._mask, moderngl.Texture) else self._drawn
        masked = self._mask is not None and mask is not None
        begin, more = (1.0, -1.0) if self._mask_inverted else (0.0, 1.0)
        program.write("u_masking", struct.pack("<2f", *((begin, more) if masked else (1.0, 0.0))))
        layer.use(UNITS["u_layer"])
        if masked and mask is not None:
            drawn = mask is self._drawn
            box = struct.pack("<4f", 0.0, 0.0, *mask.size) if drawn else viewport
            program.write("u_mask_box", box)
            channel = (0.0, 0.0, 0.0, 1.0) if mask.components == 4 else (1.0, 0.0, 0.0, 0.0)
            program.write("u_mask_channel", struct.pack("<4f", *channel))
            if self._sampler is None:
                self._sampler = self._ctx.sampler(repeat_x=False, repeat_y=False)
            mask.use(unit)
            self._sampler.use(unit)
        if last is not None:
            program.write("u_encode", struct.pack("<f", self._scene.encode))
            gl.ActiveTexture(gl.TEXTURE0 + UNITS["u_scene"])
            gl.BindTexture(gl.TEXTURE_2D, self._scene.texture)
            gl.Disablei(gl.BLEND, 0)
        program.vertex_array.render(moderngl.TRIANGLES, 3)
        if last is not None:
            gl.Enablei(gl.BLEND, 0)
        if masked:
            gl.BindSampler(unit, 0)

    def _program(self, step: FilterPass, viewport: bytes) -> Program:
        """The program of a pass, with all that it knows but textures."""
        program = self._held[step.text]
        program.write("u_box", viewport)
        for name, value in step.uniforms.items():
            program.write(name, value)
        return program

    def _compile(self, texts: Iterable[Pass]) -> None:
        """Hold just these programs."""
        held: dict[Pass, Program] = {}
        try:
            for text in texts:
                held[text] = self._programs.acquire(text)
        except BaseException:
            for program in held.values():
                self._programs.release(program)
            raise
        before, self._held = self._held, held
        for program in before.values():
            self._programs.release(program)

    def _reserve(self, size: tuple[int, int], depth: int) -> None:
        # What is read, what is written, what is wanted again.
        count = 3 if any(not step.sees for step in self._steps) else 1
        if self._textures:
            width, height = self._textures[0].size
            size = max(size[0], width), max(size[1], height)
            fits = self._textures[0].size == size and len(self._textures) >= count
            if fits and self._attached == depth:
                return
        self._free()
        gl = self._guard.gl
        for _ in range(count):
            texture = self._ctx.texture(size, 4, dtype="f2")
            texture.filter = (moderngl.NEAREST, moderngl.NEAREST)
            self._textures.append(texture)
            self._targets.append(render_target(self._ctx, gl, [texture]))
        if depth:
            gl.BindFramebuffer(gl.DRAW_FRAMEBUFFER, self._targets[0].glo)
            place = self._depth.attachment
            gl.FramebufferTexture2D(gl.DRAW_FRAMEBUFFER, place, gl.TEXTURE_2D, depth, 0)
        self._attached = depth

    def _free(self) -> None:
        while self._targets:
            self._targets.pop().release()
            self._textures.pop().release()

    def _free_mask(self) -> None:
        if self._drawn_into is not None:
            self._drawn_into.release()
        if self._drawn is not None:
            self._drawn.release()
        self._drawn = self._drawn_into = None

    def check(self, ctx: moderngl.Context) -> None:
        """Whether effects of a system may be in it.

        Raises:
            ContextError: It belongs to another context, or has been released.
        """
        if self._ctx is not ctx:
            raise ContextError("layer: it belongs to another context")
        if self.released:
            raise ContextError("layer: it has been released")


def _is_filter(given: object) -> bool:
    return isinstance(given, ShaderFilter) or callable(getattr(given, "passes", None))


def _check_there(mask: moderngl.Texture) -> None:
    if isinstance(mask.mglo, moderngl.InvalidObject):
        raise ContextError("layer: mask: the texture has been released")
