"""ParticleSystem: the effects of one OpenGL context."""

from __future__ import annotations

import math
import operator
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from numbers import Real
from types import TracebackType
from typing import Any, Self

import moderngl
from numpy.typing import ArrayLike

from gpuparticles.draw.filters import Filter
from gpuparticles.draw.layers import Layer, Mask
from gpuparticles.draw.sprites import View
from gpuparticles.effect.effect import Effect
from gpuparticles.effect.light import Light
from gpuparticles.effect.mistakes import show
from gpuparticles.effect.values import rgba
from gpuparticles.errors import ContextError, EffectError
from gpuparticles.gpu.context import check_context
from gpuparticles.gpu.depth import check_depth
from gpuparticles.gpu.gl import TEXTURE_UNITS
from gpuparticles.gpu.programs import STEP_UNITS, Program, Programs
from gpuparticles.gpu.target import check_target
from gpuparticles.playback.crowd import foreseen
from gpuparticles.playback.place import IDENTITY, Place, place_of, plus, position_of
from gpuparticles.playback.places import matrices_of
from gpuparticles.playback.population import hash_seed
from gpuparticles.playback.sight import Sight
from gpuparticles.system.controls import whole
from gpuparticles.system.crowds import EffectCrowd, check_crowd
from gpuparticles.system.effects import EffectInstance
from gpuparticles.system.library import Library
from gpuparticles.system.pool import Bursts
from gpuparticles.system.scene import LONGEST_UPDATE, Playing, Scene

__all__ = ["ParticleSystem", "Stats"]


@dataclass(frozen=True)
class Stats:
    """A system's figures at one moment; none is read back from the GPU.

    Args:
        live: Living particles.
        dropped: Births for which there was no room, in everything that plays now.
        programs: Compiled programs in the context.
        gpu_bytes: GPU memory of state, birth data, buffers and our own sprite textures.
    """

    live: int
    dropped: int
    programs: int
    gpu_bytes: int


class ParticleSystem:
    """The effects that play in one OpenGL context.

    ::

        particles = gp.ParticleSystem(ctx)
        fire = particles.play(gp.load("campfire.json"), transform=matrix)
        while running:
            particles.update(dt)
            particles.draw(view, projection)

    Every method that touches OpenGL leaves its state, and moderngl's memory of it, as they were.

    Args:
        ctx: A moderngl context with OpenGL 3.3 or newer, current on this thread: yours, your
            window's, or one of ``gp.create_context()``.
        max_step: The longest step in seconds; a longer update is split into equal ones. Effects
            with a fixed frame rate have steps of their own.
        seed: What the seeds of effects that are played without one come from.
        restore: False leaves OpenGL's state behind as our passes set it, for hosts that set all
            they need themselves; see ``gpuparticles.gpu.guard.Guard`` for the list.

    Attributes:
        library: Effects by name, for ``play`` and ``burst``.

    Raises:
        ContextError: Not a moderngl context, or one that lacks what we need.
        EffectError: max_step is not above 0.
    """

    # Without room for others: a setting that does not exist cannot be set.
    __slots__ = (
        "__weakref__",
        "_kept",
        "_played",
        "_released",
        "_scene",
        "_seed",
        "library",
    )

    def __init__(
        self,
        ctx: moderngl.Context,
        *,
        max_step: float = 1 / 30,
        seed: int = 0,
        restore: bool = True,
    ) -> None:
        check_context(ctx)
        number = isinstance(max_step, Real)
        if not number or not 0.0 < max_step <= sys.float_info.max:
            raise EffectError(f"max_step: {show(max_step)} is not a finite number above 0")
        self.library = Library()
        self._scene = Scene(ctx, restore=restore, max_step=float(max_step))
        self._seed = seed
        self._played = 0
        self._kept: set[Program] = set()
        self._released = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()

    def __repr__(self) -> str:
        return f"<ParticleSystem: {len(self._scene.playing)} playing>"

    @property
    def ctx(self) -> moderngl.Context:
        """The context."""
        return self._scene.ctx

    @property
    def effects(self) -> tuple[EffectInstance, ...]:
        """The effects that play, in order of play; bursts are not among them."""
        playing = self._scene.playing
        return tuple(p for p in playing if isinstance(p, EffectInstance) and not p._once)

    def play(
        self,
        effect: Effect | str,
        *,
        position: Any = None,
        transform: object = None,
        seed: int | None = None,
        parameters: Mapping[str, Any] | None = None,
        layer: Layer | None = None,
    ) -> EffectInstance:
        """Play an effect until it is released.

        Args:
            effect: The effect, or its name in the library.
            position: Where, in units: two or three numbers. The origin, if nothing is said.
            transform: Where, instead: a 4x4 matrix for column vectors. Its scale and mirror act at
                birth, on places and the direction of launch, not on sizes or speeds; to show an
                effect larger, let the view scale.
            seed: What its randomness comes from: the same seed, the same particles. None takes
                the system's next.
            parameters: What its parameters are at first, by name; the others have their defaults.
            layer: What it is drawn into, see `layer`; the host's picture itself by default.

        Raises:
            EffectError: No such effect, not such a place, both a position and a transform, no
                such parameter or value; a texture that cannot be read.
            ContextError: A capacity that no texture can hold, a texture of another context.
        """
        self._alive()
        found = self.library.find(effect)
        place = _place(position, transform, "play")
        if layer is not None:
            layer.check(self.ctx)
        with self._scene.guard:
            self._scene.guard.simulate()
            instance = EffectInstance(
                self._scene, found, place, self._next_seed(seed), parameters=parameters
            )
        instance._layer = layer
        self._scene.playing.append(instance)
        return instance

    def layer(
        self,
        *,
        filters: Iterable[Filter] = (),
        tint: Iterable[float] = (1.0, 1.0, 1.0, 1.0),
        opacity: float = 1.0,
        mask: Mask | None = None,
        mask_inverted: bool = False,
    ) -> Layer:
        """A picture of its own for effects: filtered, tinted, and laid over the host's as one.

        Put effects in by ``play(..., layer=layer)`` or `EffectInstance.layer`. Its programs are
        compiled here, its textures are made when it is first drawn.

        Args:
            filters: What it goes through, in order: `Blur`, `Bloom`, `ColorMatrix`, `Pixelate`,
                `Distortion`, or a `ShaderFilter` of your own.
            tint: What its colours are multiplied by, straight RGBA.
            opacity: How much of it is seen, 0 to 1: what overlaps in it does not shine through.
            mask: Where it is seen: a texture, or a callable that draws one; see `Layer.mask`.
            mask_inverted: Whether it is seen where the mask is not.

        Raises:
            EffectError: No filters, no colour, no such number or mask.
            ShaderError: The driver refuses the GLSL of a `ShaderFilter`.
            ContextError: A mask of another context, or one that has been released.
        """
        self._alive()
        layers = self._scene.layers
        made = Layer(
            self.ctx, self._scene.guard, filters, tint, opacity, mask, mask_inverted, layers.remove
        )
        layers.append(made)
        return made

    def burst(
        self,
        effect: Effect | str,
        *,
        position: Any = None,
        transform: object = None,
        seed: int | None = None,
        tint: Iterable[float] = (1.0, 1.0, 1.0, 1.0),
        parameters: Mapping[str, Any] | None = None,
        draw_order: int = 0,
    ) -> None:
        """Play one loop of an effect somewhere, and forget it.

        A thousand bursts of an effect share one set of textures; each behaves as if alone. Those
        whose births are not the same for all (a prewarm, ranges or curves of the rate, random
        bursts, pulses, a delay, a limit, a fixed frame rate) have textures of their own.
        `Effect.when_unseen` and `Effect.lod` are not for bursts: their time goes on unseen, and all
        births come.

        Args:
            effect: The effect, or its name in the library.
            position: Where, in units: two or three numbers.
            transform: Where, instead: a 4x4 matrix for column vectors; see play.
            seed: As for play.
            tint: Straight RGB or RGBA that its particles' colours are multiplied with.
            parameters: What its parameters are, by name; the others have their defaults. Bursts
                with equal ones share textures, all of them share programs.
            draw_order: As of an `EffectInstance`. Bursts that share textures are drawn at once;
                those of another number do not share them.

        Raises:
            EffectError: No such effect, not such a place, both a position and a transform, not
                such a tint or draw order, no such parameter or value.
            ContextError: A texture of another context.
        """
        self._alive()
        found = self.library.find(effect).with_parameters({} if parameters is None else parameters)
        place = _place(position, transform, "burst")
        color = rgba(tint, "tint")
        draw_order = whole(draw_order, "draw_order")
        seed = self._next_seed(seed)
        scene = self._scene
        if not foreseen(found):
            with scene.guard:
                scene.guard.simulate()
                self._keep(found, pooled=False)
                alone = EffectInstance(scene, found, place, seed, once=True)
            alone.tint = color
            alone.draw_order = draw_order
            scene.playing.append(alone)
            return
        pool = next(
            (
                p
                for p in scene.playing
                if isinstance(p, Bursts) and p.takes(found, place.place, draw_order)
            ),
            None,
        )
        if pool is None:
            with scene.guard:
                scene.guard.simulate()
                # Bursts come and go; what they are compiled from stays.
                self._keep(found, pooled=True)
                pool = Bursts(scene, found, place.place, draw_order)
            scene.playing.append(pool)
        pool.add(place, seed, color)

    def crowd(
        self,
        effect: Effect | str,
        transforms: ArrayLike = (),
        *,
        seeds: Sequence[int] | None = None,
        tints: ArrayLike = (1.0, 1.0, 1.0, 1.0),
        parameters: Mapping[str, Any] | None = None,
        stagger: float = 0.0,
        layer: Layer | None = None,
    ) -> EffectCrowd:
        """Play an effect at many places at once, until it is released.

        A thousand torches are one simulation and one draw call for each emitter of the effect. What
        each of them would have of its own is refused: rates that are drawn or curves, random
        bursts, pulses, delays, limits, births by distance, a fixed frame rate, trails, ribbons,
        processes, and modifiers that kill. Bounds and levels of detail do not count. A prewarm
        passes in the first update, for those who are there then.

        Args:
            effect: The effect, or its name in the library.
            transforms: Where: positions (n, 2) or (n, 3), or matrices (n, 4, 4) for column vectors.
                More can be added.
            seeds: What the randomness of each comes from; the system's next ones by default.
            tints: Straight RGB or RGBA, one for all or (n, 3 or 4), that colours are multiplied by.
            parameters: What the effect's parameters are, by name; the others have their defaults.
            stagger: Each begins up to so many seconds late, as its seed has it, so that they do
                not beat as one.
            layer: What they are drawn into; the host's picture itself by default.

        Raises:
            EffectError: No such effect, or one with something that is each player's own; not such
                transforms, seeds, tints or stagger; more players than a texture has rows.
            ContextError: A texture of another context.
        """
        self._alive()
        found = self.library.find(effect).with_parameters({} if parameters is None else parameters)
        check_crowd(found)
        if not isinstance(stagger, Real) or not 0.0 <= stagger < math.inf:
            raise EffectError(f"stagger: {show(stagger)} is not a finite number of at least 0")
        if layer is not None:
            layer.check(self.ctx)
        count = len(matrices_of(transforms, "transforms"))
        chosen = [self._next_seed(None) for _ in range(count)] if seeds is None else seeds
        with self._scene.guard:
            self._scene.guard.simulate()
            made = EffectCrowd(self._scene, found, float(stagger))
            try:
                made.add(transforms, seeds=chosen, tints=tints)
            except BaseException:
                made._free_all()
                raise
        made._layer = layer
        self._scene.playing.append(made)
        return made

    def update(self, dt: float) -> None:
        """Advance everything; usable as any clock's callback.

        Args:
            dt: Seconds since the last update; 0 changes nothing.

        Raises:
            ValueError: dt is negative, NaN or infinite; nothing has changed.
            EffectError: What an effect follows gives no place, or a function no rate; nothing has
                changed. What such a function raises itself comes through, and changes nothing
                either.
            ContextError: The texture given to `set_depth` has been released; nothing has changed.
        """
        if not isinstance(dt, Real) or not 0.0 <= dt < math.inf:
            raise ValueError(
                f"update: dt is {show(dt)}, not a finite number of seconds of at least 0"
            )
        self._alive()
        scene = self._scene
        if dt and (scene.listening or not all(playing._idle for playing in scene.playing)):
            dt = min(dt, LONGEST_UPDATE)
            if scene.seen is not None:
                self._check_seen(scene.seen)
            if scene.following or scene.driven:
                self._ask(dt)
            with scene.guard, ExitStack() as bound:
                scene.guard.simulate(STEP_UNITS)
                if scene.seen is not None:
                    scene.guard.reach(TEXTURE_UNITS)
                    bound.enter_context(scene.depth.bound(int(scene.seen.glo)))
                scene.updates += 1
                for playing in scene.playing:
                    playing._advance(dt)
                for emitter in scene.listening:
                    emitter._tell()
            for playing in [p for p in scene.playing if p._spent]:
                playing.release()
        # One at a time: a callback may raise, release the system, or even update it.
        while scene.finished:
            scene.finished.pop(0)()

    def set_depth(
        self,
        depth: moderngl.Texture | None,
        view: object = None,
        projection: object = None,
    ) -> None:
        """Give the depth of the scene, off which particles with a `CollideDepth` bounce.

        It holds for all updates until another is set. The texture is borrowed and looked at as it
        is then: redraw it, and set it again when the camera has moved. It may be attached to the
        bound framebuffer. What the depth range and clip control are now is taken to be what it was
        drawn with.

        Args:
            depth: A depth texture, or one of a single 32-bit float, of the whole picture; None
                takes it away. What has the depth of the far plane is nothing.
            view: 4x4 matrix for column vectors, from the world to the camera that it was drawn
                with; in double precision it is as exact far from the origin.
            projection: 4x4 matrix for column vectors, from that camera to clip space: in
                perspective or not, with reversed depth or not.

        Raises:
            EffectError: Not such matrices.
            ValueError: Not such a texture.
            ContextError: A texture that has been released or is of another context.
        """
        self._alive()
        scene = self._scene
        if depth is None:
            scene.seen = scene.sight = None
            return
        check_depth(scene.ctx, depth)
        with scene.guard:
            scene.guard.draw(None)  # inside `guarded`, an update has set clip control for itself
            window = scene.guard.window
        scene.sight = Sight.of(
            view,
            projection,
            depth.size,
            depths=(window.near, window.far),
            upwards=window.upwards,
            from_zero=window.from_zero,
        )
        scene.seen = depth

    def draw(
        self,
        view: object,
        projection: object,
        *,
        depth: moderngl.Texture | bool | None = None,
        depth_test: str | None = "<=",
        light: Light | None = None,
    ) -> None:
        """Draw everything that lives into the bound framebuffer.

        Effects by their `draw_order`, the emitters of each by theirs, particles by the `order` of
        their sprite: those are sorted here, unless neither they nor the view's turn have changed.
        Nothing is advanced: draw as often as you like. The host's viewport, scissor, stencil test
        and colour mask hold; docs/targets.md says what may be bound, and what colours mean there.

        Args:
            view: 4x4 matrix for column vectors, from the world to the camera; in double precision
                an effect far from the origin stays smooth.
            projection: 4x4 matrix for column vectors, from the camera to clip space.
            depth: The depth of the scene, for sprites with a `Sprite.softness`: your depth texture,
                or one of a single 32-bit float, as large as the picture; it is borrowed for this
                draw. If it is attached to the bound framebuffer it is copied first. True takes
                (copies) the depth of the bound framebuffer, which must be one of your own and not
                multisampled. With None, or where the projection has no depth, nothing fades.
            depth_test: How sprites are tested against the depth buffer: ``"<="``, ``">="`` for
                reversed depth, None for not at all. Only those with `Sprite.depth_write` write it,
                if they are tested.
            light: What falls on those that are lit; ``Light()`` where nothing is said.

        Raises:
            EffectError: Not such matrices, or no light.
            ValueError: Another test; a depth that is no such texture, or is smaller than the
                viewport.
            ContextError: A texture that has been released or is of another context; no depth that
                could be taken; a framebuffer that is incomplete, or whose first draw buffer is none
                or of integers. Nothing has been drawn then.
        """
        self._alive()
        if depth_test not in ("<=", ">=", None):
            raise ValueError(f'depth_test: {show(depth_test)} is not "<=", ">=" or None')
        scene = self._scene
        if depth is False:
            depth = None
        elif depth is not None and depth is not True:
            check_depth(scene.ctx, depth)
        camera = View.of(view, projection, depth_test)
        if light is not None:
            if not isinstance(light, Light):
                raise EffectError(f"light: {show(light)} is no Light")
            camera = camera._replace(light=light)
        if not _to_see(scene):
            return
        with scene.guard, ExitStack() as bound:
            check_target(scene.guard.gl, scene.guard.framebuffer, "draw", color=True)
            scene.draws += 1
            visible = _visible(scene, camera)
            if not any(playing._seen for playing in visible):
                return
            unsorted = [
                sort for playing in visible if playing._sorts for sort in playing._unsorted(camera)
            ]
            soft = any(playing._soft for playing in visible)
            weighs = any(playing._weighs and playing._seen for playing in visible)
            for layer in dict.fromkeys(map(_in, visible)):
                if layer is not None:
                    layer.prepare()
            seen = scene.depth.take(depth) if depth is not None and (soft or depth is True) else 0
            if unsorted:
                scene.guard.simulate()
                for sort in unsorted:
                    sort()
            if weighs:
                scene.weighted.reserve(tested=depth_test is not None)
            scene.guard.draw(depth_test)
            camera = camera.into(scene.guard.height)
            if soft or weighs:
                camera = camera.before(scene.guard.window, seen=seen > 0)
                if seen:
                    bound.enter_context(scene.depth.bound(seen))
            ordered = sorted(visible, key=_draw_order)
            _draw_all(scene, [each for each in ordered if _in(each) is None], camera, solid=True)
            for layer, members in _by_layer(ordered):
                if layer is None:
                    _draw_all(scene, members, camera, solid=False)
                else:
                    layer.draw(depth_test, partial(_draw_layer, scene, members, camera))

    def draw_depth(
        self,
        view: object,
        projection: object,
        *,
        depth_test: str = "<=",
        cutoff: float = 0.5,
    ) -> None:
        """Draw what casts shadows into the depth of the bound framebuffer, and nothing else.

        For shadow maps: view and projection are those of the light, to which sprites turn as they
        do to a camera. What only adds light casts no shadow, unless its `casts_shadow` says
        so. The framebuffer needs no colour, and no colour of it changes. Fades by distance do not
        count: they are of the camera.

        The host's viewport, scissor and stencil test hold. What this needs is compiled when it is
        first called, or by ``warm_up(..., depth=True)``.

        Args:
            view: 4x4 matrix for column vectors, from the world to the light.
            projection: 4x4 matrix for column vectors, from the light to clip space; parallel or
                in perspective.
            depth_test: ``"<="``, or ``">="`` for reversed depth.
            cutoff: What has less alpha than this, from 0 to 1, is left out; where a sprite has an
                `alpha_clip`, that counts.

        Raises:
            EffectError: Not such matrices.
            ValueError: Another test or cutoff.
            ContextError: The framebuffer is incomplete, or has no depth.
        """
        self._alive()
        if depth_test not in ("<=", ">="):
            raise ValueError(f'depth_test: {depth_test!r} is not "<=" or ">="')
        if not isinstance(cutoff, Real) or not 0.0 <= cutoff <= 1.0:
            raise ValueError(f"cutoff: {cutoff!r} is not a number from 0 to 1")
        light = View.of(view, projection, depth_test)._replace(cutoff=float(cutoff))
        scene = self._scene
        if not _to_see(scene):
            return
        with scene.guard:
            check_target(scene.guard.gl, scene.guard.framebuffer, "draw_depth", color=False)
            visible = _visible(scene, light)
            unlinked = [
                sort for playing in visible if playing._sorts for sort in playing._unlinked()
            ]
            if unlinked:
                scene.guard.simulate()
                for sort in unlinked:
                    sort()
            scene.guard.cast(depth_test)
            light = light.into(scene.guard.height)
            for playing in visible:
                playing._cast(light)

    def shift_origin(self, offset: Iterable[float]) -> None:
        """Add an offset to every position: the world is counted from elsewhere from now on.

        For worlds whose origin follows the player. Particles, places and paths move, and with them
        what effects place in world coordinates, also in effects that are played later: its numbers
        are of the world as it was at first. Nothing is done on the GPU. Under a camera that is
        shifted alike nothing is seen of it. What an effect follows is the host's to shift.

        Args:
            offset: In units: two or three numbers. Sums are kept in double precision.

        Raises:
            EffectError: Not such an offset; nothing has changed.
        """
        self._alive()
        by = position_of(offset, "shift_origin")
        self._scene.origin = plus(self._scene.origin, by)
        if self._scene.sight is not None:
            self._scene.sight = self._scene.sight.shifted(by)
        for playing in self._scene.playing:
            playing._shift_origin(by)

    def warm_up(self, *effects: Effect | str, depth: bool = False, emit: bool = False) -> None:
        """Compile what effects need, so that the first frame does not wait for it.

        The programs stay until the system is released.

        Args:
            effects: Effects, or names in the library; without any, the whole library.
            depth: What `draw_depth` needs as well.
            emit: And what `EmitterInstance.emit` needs where positions and the like are given.
        """
        self._alive()
        found = [self.library.find(effect) for effect in effects or self.library.values()]
        with self._scene.guard:
            self._scene.guard.simulate()
            for effect in found:
                self._keep(effect, pooled=False, depth=depth, given=emit)
                if foreseen(effect):
                    self._keep(effect, pooled=True, depth=depth)

    @contextmanager
    def guarded(self) -> Iterator[Self]:
        """Save the host's state once for several calls inside.

        Inside, draw goes into the framebuffer that was bound at the beginning, and what the host
        changes of the state that we save is undone at the end: call nothing but this system there.
        """
        self._alive()
        with self._scene.guard:
            yield self

    @property
    def stats(self) -> Stats:
        """Figures of this moment."""
        playing = self._scene.playing
        return Stats(
            live=sum(p.live_count for p in playing),
            dropped=sum(p.dropped for p in playing),
            programs=len(Programs.of(self.ctx)),
            gpu_bytes=sum(p.gpu_bytes for p in playing)
            + self._scene.textures.nbytes
            + self._scene.meshes.nbytes
            + self._scene.depth.nbytes
            + self._scene.weighted.nbytes
            + sum(layer.nbytes for layer in self._scene.layers),
        )

    def release(self) -> None:
        """Stop everything and free every GL object; safe twice.

        After the context is gone, or while none is current, there is nothing to free. While another
        one is, as when a window closes, a ResourceWarning says that what is left in OpenGL waits
        for the end of its context.
        """
        if self._released:
            return
        scene = self._scene
        if not scene.guard.lost and scene.guard.elsewhere:
            scene.abandoned = True
            warnings.warn(
                "the particles' OpenGL context is not current: their textures and programs are "
                "freed with it",
                ResourceWarning,
                stacklevel=2,
            )
        with scene.releasing() as alive:
            self._released = True
            for playing in [*scene.playing]:
                playing.release()
            scene.finished.clear()
            programs = Programs.of(self.ctx)
            if alive:
                scene.depth.release()
                scene.weighted.release()
                for layer in [*scene.layers]:
                    layer.release()
            while alive and self._kept:
                programs.release(self._kept.pop())

    def _check_seen(self, depth: moderngl.Texture) -> None:
        """Refuse a depth that is gone: whatever has taken its name would be looked at."""
        if isinstance(depth.mglo, moderngl.InvalidObject):
            raise ContextError(
                "update: the texture given to set_depth has been released; set another, or None"
            )

    def _ask(self, dt: float) -> None:
        """Ask what is followed where it is, and functions for rates; or nothing has changed."""
        # Whoever is asked may end following, so go through a copy; who leads an effect that itself
        # follows began earlier, and is where it will be.
        following = [each for each in self._scene.following if not each._idle]
        before = [each._place for each in following]
        try:
            for each in following:
                each._place = each._look()
            # A function may play, release, or give rates to others.
            for playing in [*self._scene.playing] if self._scene.driven else ():
                if isinstance(playing, EffectInstance):
                    playing._ask(dt)
        except BaseException:
            for each, place in zip(following, before, strict=True):
                each._place = place
            raise

    def _keep(
        self, effect: Effect, *, pooled: bool, depth: bool = False, given: bool = False
    ) -> None:
        """Hold on to an effect's programs until the system is released."""
        programs = Programs.of(self.ctx)
        acquired: list[Program] = []
        try:
            for text in self._scene.texts(effect, pooled=pooled):
                for each, quads in text.passes(depth=depth, given=given):
                    acquired.append(programs.acquire(each, quads=quads))
        except BaseException:
            for program in acquired:
                programs.release(program)
            raise
        for program in acquired:
            if program in self._kept:
                programs.release(program)
            else:
                self._kept.add(program)

    def _next_seed(self, seed: int | None) -> int:
        if seed is not None:
            try:
                if not isinstance(seed, bool):
                    return operator.index(seed)
            except TypeError:
                pass
            raise EffectError(f"seed: {show(seed)} is not a whole number")
        self._played += 1
        return hash_seed(self._seed, self._played)

    def _alive(self) -> None:
        if self._released:
            raise ContextError("this ParticleSystem has been released")


_draw_order = operator.attrgetter("_draw_order")


def _place(position: object, transform: object, where: str) -> Place:
    if position is None:
        return place_of(transform)
    if transform is not None:
        raise EffectError(f"{where}: give a position or a transform, not both")
    return IDENTITY._replace(place=position_of(position, "position"))


def _to_see(scene: Scene) -> bool:
    """Whether a draw has anything to do: there is something to draw, or who asks for cameras."""
    return any(playing._seen or playing._watch for playing in scene.playing)


def _visible(scene: Scene, view: View) -> list[Playing]:
    """What may be seen of what plays, inside the guard."""
    if not any(playing._watch for playing in scene.playing):
        return scene.playing
    gl = scene.guard.gl
    planes = view.planes(clamped=bool(gl.IsEnabled(gl.DEPTH_CLAMP)))
    return [playing for playing in scene.playing if playing._in_view(view, planes)]


def _in(playing: Playing) -> Layer | None:
    """The layer that something is drawn into, if there still is one."""
    layer = playing._layer
    return None if layer is None or layer.released else layer


def _by_layer(ordered: Sequence[Playing]) -> Iterator[tuple[Layer | None, list[Playing]]]:
    """What is drawn together, in order: a layer comes where its first effect does."""
    drawn: set[int] = set()
    for layer, direct in groupby(ordered, _in):
        if layer is None:
            yield None, [*direct]
        elif id(layer) not in drawn:
            drawn.add(id(layer))
            yield layer, [each for each in ordered if _in(each) is layer]


def _draw_all(scene: Scene, members: Iterable[Playing], camera: View, *, solid: bool) -> None:
    """Draw what covers what is behind, or all else."""
    for playing in members:
        if playing._solid or not solid:
            playing._draw(camera, solid=solid)
    scene.weighted.end()


def _draw_layer(scene: Scene, members: Sequence[Playing], camera: View) -> None:
    for solid in (True, False):
        _draw_all(scene, members, camera, solid=solid)
