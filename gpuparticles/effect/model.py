"""What particles look like that are meshes: their shape, their material, how they are turned."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import numpy as np

from gpuparticles.effect.description import Takes, default, description
from gpuparticles.effect.geometry import Geometry, GeometryLike, GeometryRule
from gpuparticles.effect.mistakes import Mistake, refused, show, suggestion
from gpuparticles.effect.random import AXIS, ORIENTATION, Seeds, uniform
from gpuparticles.effect.rules import Flag, Number, UnitVector, is_list
from gpuparticles.effect.sprite import DISTANCE, BlendRule, GLTexture, Lit, Sprite, TextureRule
from gpuparticles.effect.values import Floats, Pair, Range, Vec3

if TYPE_CHECKING:
    from PIL.Image import Image
else:
    Image = Any  # Pillow is imported by those who have pictures

__all__ = ["Model"]

_AxisLike: TypeAlias = str | Iterable[float]
_TAU = np.float32(2 * np.pi)


@dataclass(frozen=True)
class _Axis(UnitVector):
    """A vector of which only the direction matters, or the word ``"random"``."""

    def read(self, value: Any) -> Any:
        if isinstance(value, str) and value == "random":
            return value
        if isinstance(value, str) or not is_list(value):
            known = suggestion(value, ["random"])
            raise refused(f'{show(value)} is no axis; an axis is 3 numbers, or "random"{known}')
        return super().read(value)

    def schema(self) -> dict[str, Any]:
        return {"anyOf": [super().schema(), {"enum": ["random"]}]}


@description
class Model:
    """A mesh that each particle is drawn as, instead of a sprite.

    A mesh that is one unit large is as large as `Emitter.size` says; `Emitter.width` stretches it
    along its X and Z, `Emitter.height` along its Y. It is turned about its `axis` by the particle's
    rotation (`Emitter.rotation`, `Emitter.angular_velocity`) and then set up as `orientation` says:
    ``orientation * turn(axis, rotation) * (scale * size * vertex)``. Both sides of a face are seen,
    whichever way its corners run, so that nothing vanishes in a mirror.

    Args:
        mesh: The path of an OBJ file, a `Geometry`, or an object with ``vertices`` and ``faces``.
            Its colours are multiplied with those of the particle.
        texture: As of a `Sprite`: laid out by the mesh's ``uvs``, (0, 0) at its lower left.
        scale: Of the mesh along its own axes.
        orientation: ``"random"``: any, each particle its own. ``"velocity"``: the mesh's +Y along
            the motion. ``"fixed"``: the mesh's axes are those of the world, or in local space of
            the emitter.
        axis: What the mesh turns about, in its own axes; or ``"random"``, each particle its own.
        blend: ``"opaque"`` covers, whatever the alpha, unless it is 0: drawn before all that
            blends, and writes the depth. Otherwise as of a `Sprite`.
        filter: ``"linear"`` or ``"nearest"`` when the texture is magnified.
        premultiplied: Whether the texture's colours are multiplied by its alpha. None means the
            usual: pictures are not, GL textures are.
        order: Which of the emitter's particles is drawn first, as of a `Sprite`. What is opaque
            needs none.
        near_fade: As of a `Sprite`, for what blends.
        far_fade: As of a `Sprite`, for what blends.
        softness: As of a `Sprite`, for what blends.
        alpha_clip: Leave out where the alpha is below this, from 0 to 1; the rest covers fully.
        depth_write: Whether it writes the depth buffer where it is tested. None: if it is opaque.
        lit: How it takes the light that it is drawn in; None shines by itself.
        casts_shadow: Whether `ParticleSystem.draw_depth` draws it. None: unless it only adds light.
    """

    mesh: Takes[GeometryLike, Annotated[Geometry, GeometryRule()]]
    texture: Takes[
        str | os.PathLike[str] | Image | GLTexture | None,
        Annotated[Path | Image | GLTexture | None, TextureRule()],
    ] = default(None)
    scale: Vec3 = default((1.0, 1.0, 1.0))
    orientation: Literal["random", "velocity", "fixed"] = "random"
    axis: Takes[
        _AxisLike,
        Annotated[
            tuple[float, float, float] | Literal["random"],
            _Axis("an axis", Number("a component")),
        ],
    ] = default("random")
    blend: Annotated[
        Literal["opaque", "alpha", "additive"] | float, BlendRule(("opaque", "alpha", "additive"))
    ] = "opaque"
    filter: Literal["linear", "nearest"] = "linear"
    premultiplied: Annotated[bool, Flag()] | None = None
    order: Literal["none", "oldest", "youngest", "depth"] = "none"
    near_fade: Takes[Range | Iterable[float] | None, Annotated[Range, Pair(DISTANCE)] | None] = (
        default(None)
    )
    far_fade: Takes[Range | Iterable[float] | None, Annotated[Range, Pair(DISTANCE)] | None] = (
        default(None)
    )
    softness: Annotated[float, DISTANCE] = 0.0
    alpha_clip: Annotated[float, Number("an alpha", least=0, most=1)] | None = None
    depth_write: Annotated[bool, Flag()] | None = None
    lit: Lit | None = Lit()
    casts_shadow: Annotated[bool, Flag()] | None = None

    def mistakes(self) -> Iterator[Mistake]:
        """A mesh that has no surface, normals that it would not use, fades of what is opaque."""
        mesh = getattr(self, "mesh", None)
        if mesh is not None and mesh.faces is None:
            yield Mistake(("mesh",), "it has no faces; a model is drawn by its faces")
        if getattr(self, "blend", None) == "opaque":
            for name in ("near_fade", "far_fade", "softness"):
                if getattr(self, name, None):
                    given = f"{show(getattr(self, name))} is given"
                    yield Mistake((name,), f'{given}; what is "opaque" cannot fade')
        lit = getattr(self, "lit", None)
        if lit is not None and lit.normals != "round":
            given = show(lit.normals) if isinstance(lit.normals, str) else "a texture"
            yield Mistake(("lit", "normals"), f"{given} is given; a model has those of its mesh")

    @property
    def opaque(self) -> bool:
        """Whether it covers what is behind it, whatever its alpha."""
        return self.blend == "opaque"

    @property
    def look(self) -> Sprite:
        """What it has in common with a sprite, as one."""
        return Sprite(
            texture=self.texture,
            blend="alpha" if self.blend == "opaque" else self.blend,
            filter=self.filter,
            premultiplied=self.premultiplied,
            order="none" if self.opaque else self.order,
            near_fade=self.near_fade,
            far_fade=self.far_fade,
            softness=self.softness,
            alpha_clip=self.alpha_clip,
            depth_write=self.opaque if self.depth_write is None else self.depth_write,
            lit=self.lit,
            casts_shadow=self.casts_shadow,
        )

    def orientations(self, seeds: Seeds, rotation: Floats, velocity: Floats) -> Floats:
        """How particles are turned: the twin of ``glsl/lib/orientation.glsl``.

        Random orientations are uniform (Shoemake, "Uniform Random Rotations", Graphics Gems III).

        Args:
            seeds: uint32 (n,).
            rotation: float32 (n,), in turns.
            velocity: float32 (n, 3), in the particles' space.

        Returns:
            float32 (n, 4): unit quaternions x, y, z, w.
        """
        count = len(seeds)
        axis = np.zeros((count, 3), np.float32)
        if self.axis == "random":
            axis[:, 1] = 2 * uniform(seeds, AXIS) - 1
            around = _TAU * uniform(seeds, AXIS + 1)
            reach = np.sqrt(np.maximum(1 - axis[:, 1] ** 2, 0))
            axis[:, 0], axis[:, 2] = reach * np.cos(around), reach * np.sin(around)
        else:
            axis[:] = np.divide(self.axis, np.linalg.norm(np.asarray(self.axis, np.float64)))
        half = (np.float32(0.5) * _TAU * rotation)[:, None]
        turned = np.concatenate([axis * np.sin(half), np.cos(half)], axis=1)
        if self.orientation == "fixed":
            return np.asarray(turned, np.float32)
        base = np.zeros((count, 4), np.float32)
        if self.orientation == "random":
            share = uniform(seeds, ORIENTATION)
            first = _TAU * uniform(seeds, ORIENTATION + 1)
            second = _TAU * uniform(seeds, ORIENTATION + 2)
            low, high = np.sqrt(1 - share), np.sqrt(share)
            base[:, 0], base[:, 1] = low * np.sin(first), low * np.cos(first)
            base[:, 2], base[:, 3] = high * np.sin(second), high * np.cos(second)
        else:
            speed = np.linalg.norm(velocity, axis=1, keepdims=True)
            ahead = np.divide(velocity, speed, out=np.zeros_like(velocity), where=speed > 1e-15)
            base[:, 0], base[:, 2], base[:, 3] = ahead[:, 2], -ahead[:, 0], 1 + ahead[:, 1]
            base[ahead[:, 1] < -0.999999] = (1, 0, 0, 0)
            base /= np.linalg.norm(base, axis=1, keepdims=True)
        return _product(base, turned)


def _product(a: Floats, b: Floats) -> Floats:
    """First b, then a."""
    vector = a[:, 3:] * b[:, :3] + b[:, 3:] * a[:, :3] + np.cross(a[:, :3], b[:, :3])
    scalar = a[:, 3] * b[:, 3] - (a[:, :3] * b[:, :3]).sum(axis=1)
    return np.concatenate([vector, scalar[:, None]], axis=1).astype(np.float32)
