"""What the GPU holds of one emitter: two sides of state, one set of birth data."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator

import moderngl
import numpy as np
from numpy.typing import NDArray

from gpuparticles.effect.mistakes import show
from gpuparticles.errors import ContextError
from gpuparticles.gpu.gl import GL
from gpuparticles.gpu.programs import UNITS
from gpuparticles.playback.population import row_slots
from gpuparticles.shaders.layout import OUTPUTS, STATE, Channel, channels

__all__ = [
    "State",
    "Texels",
    "check_capacity",
    "most_slots",
    "render_target",
    "state_texture",
]

Texels = dict[str, NDArray[np.uint8]]
"""The bytes of a number of rows, by channel name."""

_NEAREST = (moderngl.NEAREST, moderngl.NEAREST)


def most_slots(ctx: moderngl.Context, row: int) -> int:
    """How many slots the textures of a context can hold, given how many there are in a row."""
    limit = int(ctx.info["GL_MAX_TEXTURE_SIZE"])
    return row * limit if row <= limit else 0


def check_capacity(ctx: moderngl.Context, capacity: int, where: str) -> None:
    """See that an emitter fits into textures; moderngl would not say.

    Args:
        ctx: The context.
        capacity: Its slots.
        where: Names it in the error.

    Raises:
        ContextError: It does not.
    """
    most = most_slots(ctx, row_slots(capacity))
    if capacity > most:
        raise ContextError(
            f"{where}: capacity: {show(capacity)} particles do not fit; "
            f"this context's textures hold {most} at the most"
        )


class State:
    """The textures of one emitter's particles, a texel a slot, and what renders into them.

    Slot s is texel (s mod width, s div width). Nothing in fresh textures is relied on: rows are
    read only after a birth pass has written them.

    Args:
        ctx: The context.
        gl: Its raw OpenGL.
        capacity: Slots, above 0 and as many as `check_capacity` allows.
        row: Slots a row, the width of the textures.
        pooled: Particles carry the instance that they belong to.
        blended: There is a third side, for what is seen between two steps.
        trailed: Particles know where they were born.
        keeps: What is kept for the author's own code.

    Attributes:
        width, height: Texels.
        birth: Textures written at birth, by channel name.
    """

    def __init__(
        self,
        ctx: moderngl.Context,
        gl: GL,
        capacity: int,
        row: int,
        *,
        pooled: bool,
        blended: bool = False,
        trailed: bool = False,
        keeps: tuple[Channel, ...] = (),
    ) -> None:
        self._ctx = ctx
        self._gl = gl
        self._pooled = pooled
        self._channels = channels(pooled=pooled, trailed=trailed)
        self._trailed = trailed
        self._keeps = keeps
        self._stepped = (*STATE, *keeps)
        self.width = row
        self.height = -(-capacity // row)
        size = (self.width, self.height)
        self._sides = [[state_texture(ctx, size, c) for c in self._stepped] for _ in range(2)]
        self.birth = {c.name: state_texture(ctx, size, c) for c in self._channels}
        # A target each, and one for what does not fit into it, if there is such.
        self._update_targets = [self._targets(side) for side in self._sides]
        steps = len(STATE)
        self._birth_targets = [
            self._targets([*side[:steps], *self.birth.values(), *side[steps:]])
            for side in self._sides
        ]
        # What is drawn, if it is neither side of the step.
        self._seen = [state_texture(ctx, size, c) for c in STATE] if blended else []
        self._seen_target = render_target(ctx, gl, self._seen) if blended else None
        self._current = 0
        self._birth_names = [targets[0].glo for targets in self._birth_targets]
        self._update_names = [targets[0].glo for targets in self._update_targets]
        self._binds: dict[tuple[int, tuple[str, ...]], list[tuple[Callable[[int], None], int]]] = {}

    @property
    def nbytes(self) -> int:
        """GPU memory of the textures."""
        slot = 2 * sum(c.nbytes for c in self._stepped)
        slot += sum(c.nbytes for c in STATE) if self._seen else 0
        slot += sum(c.nbytes for c in self._channels)
        return slot * self.width * self.height

    @property
    def current(self) -> list[moderngl.Texture]:
        """The side that holds the present, as STATE has it, and what is kept."""
        return self._sides[self._current]

    @property
    def birth_target(self) -> int:
        """Framebuffer name: the present side and the birth data."""
        return self._birth_names[self._current]

    @property
    def update_target(self) -> int:
        """Framebuffer name: the side that the next step writes."""
        return self._update_names[1 - self._current]

    @property
    def birth_rest(self) -> int:
        """Framebuffer name: what is kept, and does not fit into `birth_target`."""
        return self._birth_targets[self._current][1].glo

    @property
    def update_rest(self) -> int:
        """Framebuffer name: what the next step writes besides."""
        return self._update_targets[1 - self._current][1].glo

    @property
    def blend_target(self) -> int:
        """Framebuffer name: the side that is drawn, if there is one of its own."""
        assert self._seen_target is not None
        return int(self._seen_target.glo)

    def swap(self) -> None:
        """What the update pass wrote is now the present."""
        self._current = 1 - self._current

    def bind(self, names: tuple[str, ...]) -> None:
        """Bind the present side, and birth data or what is kept by name, to their texture units."""
        key = (self._current, names)
        binds = self._binds.get(key)
        if binds is None:
            held = {c.name: t for c, t in zip(self._stepped, self.current, strict=True)}
            textures = {c.name: held[c.name] for c in STATE}
            textures |= {name: (held if name in held else self.birth)[name] for name in names}
            # Straight to the extension: thousands of these calls make a frame.
            binds = [(texture.mglo.use, UNITS[f"u_{name}"]) for name, texture in textures.items()]
            self._binds[key] = binds
        for use, unit in binds:
            use(unit)

    def read(self, rows: int) -> Texels:
        """Fetch the first rows of the present side and of the birth data."""
        return {
            name: np.frombuffer(texture.read(), np.uint8, self._size(channel, rows))
            for name, channel, texture in self._present()
        }

    def write(self, rows: int, texels: Texels) -> None:
        """Put rows in place that `read` has fetched."""
        for name, _, texture in self._present():
            texture.write(texels[name].tobytes(), viewport=(0, 0, self.width, rows))

    def fits(self, rows: int, texels: Texels) -> bool:
        """Whether `write` may have them."""
        sizes = {name: (self._size(channel, rows),) for name, channel, _ in self._present()}
        return 0 <= rows <= self.height and sizes == {
            name: each.shape for name, each in texels.items() if each.dtype == np.uint8
        }

    def _present(self) -> list[tuple[str, Channel, moderngl.Texture]]:
        """The channels of the present side, then those of the birth data, with names.

        And those of the side before, where something between the two is seen.
        """
        found = [(c.name, c, t) for c, t in zip(self._stepped, self.current, strict=True)]
        found += [(c.name, c, self.birth[c.name]) for c in self._channels]
        if self._seen:
            pairs = zip(self._stepped, self._before, strict=True)
            found += [(f"before_{c.name}", c, t) for c, t in pairs]
        return found

    def _targets(self, textures: list[moderngl.Texture]) -> list[moderngl.Framebuffer]:
        """Framebuffers of as many attachments as there may be."""
        parts = range(0, len(textures), OUTPUTS)
        return [
            render_target(self._ctx, self._gl, textures[part : part + OUTPUTS]) for part in parts
        ]

    def _size(self, channel: Channel, rows: int) -> int:
        return rows * self.width * channel.nbytes

    def bind_both(self) -> None:
        """Bind both sides and the lifetimes to their texture units."""
        self.bind(("lifetime_seed",))
        for channel, texture in zip(STATE, self._before, strict=False):
            texture.mglo.use(UNITS[f"u_before_{channel.name}"])

    def bind_seen(self, names: tuple[str, ...]) -> None:
        """Bind what is drawn, and birth data by name, to their texture units."""
        self.bind(names)
        for channel, texture in zip(STATE, self._seen, strict=False):
            texture.mglo.use(UNITS[f"u_{channel.name}"])

    @property
    def _before(self) -> list[moderngl.Texture]:
        """The side that the last step read."""
        return self._sides[1 - self._current]

    def grow(self, capacity: int) -> State:
        """A larger state with everything in place; this one is released."""
        gl = self._gl
        grown = State(
            self._ctx,
            gl,
            capacity,
            self.width,
            pooled=self._pooled,
            blended=bool(self._seen),
            trailed=self._trailed,
            keeps=self._keeps,
        )
        pairs = [*zip(self.current, grown.current, strict=True)]
        pairs += [(self.birth[name], grown.birth[name]) for name in self.birth]
        if self._seen:
            pairs += zip(self._before, grown._before, strict=True)
            pairs += zip(self._seen, grown._seen, strict=True)
        for old, new in pairs:
            source, target = (
                render_target(self._ctx, gl, [old]),
                render_target(self._ctx, gl, [new]),
            )
            gl.BindFramebuffer(gl.READ_FRAMEBUFFER, source.glo)
            gl.BindFramebuffer(gl.DRAW_FRAMEBUFFER, target.glo)
            box = (0, 0, *old.size)
            gl.BlitFramebuffer(*box, *box, gl.COLOR_BUFFER_BIT, gl.NEAREST)
            source.release()
            target.release()
        self.release()
        return grown

    def pairs(self, old: State) -> Iterator[tuple[Channel, moderngl.Texture, moderngl.Framebuffer]]:
        """What each texture of the present takes the place of, and what renders into it alone.

        Args:
            old: The state that this one follows upon.

        Yields:
            What the texture holds, the old one, and a framebuffer for its user to release.
        """
        found = [*zip(self._stepped, old.current, self.current, strict=True)]
        found += [(c, old.birth[c.name], self.birth[c.name]) for c in self._channels]
        if self._seen:
            found += zip(self._stepped, old._before, self._before, strict=True)
            found += zip(STATE, old._seen, self._seen, strict=True)
        for channel, source, texture in found:
            yield channel, source, render_target(self._ctx, self._gl, [texture])

    def release(self) -> None:
        """Free the GL objects."""
        for targets in (*self._update_targets, *self._birth_targets):
            for framebuffer in targets:
                framebuffer.release()
        if self._seen_target is not None:
            self._seen_target.release()
        for texture in (*self._sides[0], *self._sides[1], *self._seen, *self.birth.values()):
            texture.release()


def state_texture(
    ctx: moderngl.Context, size: tuple[int, int], channel: Channel
) -> moderngl.Texture:
    """A texture that holds a channel, a texel a slot."""
    texture = ctx.texture(size, channel.components, dtype=channel.dtype)
    # Integer textures are complete only without filtering; state is fetched texel by texel anyway.
    texture.filter = _NEAREST
    return texture


def render_target(
    ctx: moderngl.Context, gl: GL, textures: list[moderngl.Texture]
) -> moderngl.Framebuffer:
    """A framebuffer that writes into all of these textures; it stays bound for drawing."""
    framebuffer = ctx.framebuffer(textures)
    # moderngl chooses the draw buffers in use(), which we never call.
    count = len(textures)
    buffers = (ctypes.c_int * count)(*(gl.COLOR_ATTACHMENT0 + i for i in range(count)))
    gl.BindFramebuffer(gl.DRAW_FRAMEBUFFER, framebuffer.glo)
    gl.DrawBuffers(count, buffers)
    return framebuffer
