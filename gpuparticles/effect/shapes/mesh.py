"""Meshes on whose faces, or at whose vertices, particles are born."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal, Self

import numpy as np

from gpuparticles.effect.description import Takes
from gpuparticles.effect.geometry import Geometry, GeometryLike, GeometryRule
from gpuparticles.effect.kinds import KernelField
from gpuparticles.effect.mistakes import Mistake
from gpuparticles.effect.random import Random
from gpuparticles.effect.rules import Table
from gpuparticles.effect.shapes.base import Places, Shape, shape
from gpuparticles.effect.shapes.rings import unit
from gpuparticles.effect.shapes.tables import any_of, find, starts, table
from gpuparticles.effect.values import Floats

__all__ = ["Mesh"]


@shape
class Mesh(Shape):
    """A triangle mesh: births are uniform over its faces, or at its vertices.

    A face is drawn by its area; within it ``(1 - s) a + s (1 - t) b + s t c`` with
    ``s = sqrt(u)`` is uniform (Osada et al., "Shape Distributions", ACM TOG 21(4), 2002). Normals
    are those of the mesh, between the corners, or else those of the faces; vertex colours are
    multiplied into the colour of the birth.

    Args:
        geometry: The path of an OBJ file, a `Geometry`, or an object with ``vertices`` and
            ``faces``, as trimesh has them. A path in a document is relative to the document.
        place: ``"surface"`` or ``"vertices"``, of which each is as likely.
    """

    geometry: Takes[GeometryLike, Annotated[Geometry, GeometryRule()]]
    place: Literal["surface", "vertices"] = "surface"

    @classmethod
    def example(cls) -> Self:
        """A diamond."""
        vertices = [(0, 1, 0), (0.7, 0, 0), (0, 0, 0.7), (-0.7, 0, 0), (0, 0, -0.7), (0, -1, 0)]
        around = [(1, 2), (2, 3), (3, 4), (4, 1)]
        faces = [(0, b, a) for a, b in around] + [(5, a, b) for a, b in around]
        return cls(Geometry(vertices, faces))

    def mistakes(self) -> Iterator[Mistake]:
        """Births on the faces of a mesh that has none."""
        if self.geometry.faces is None and self.place == "surface":
            given = '"surface" is given for a mesh without faces'
            yield Mistake(("place",), f'{given}; particles can be born at its "vertices"')

    @property
    def vertices(self) -> Floats:
        """Where the corners are."""
        return table(self.geometry.vertices.data)

    @property
    def faces(self) -> Floats:
        """Three corners of each, and the share of the area at which it begins."""
        if self.place == "vertices":
            return np.zeros((0, 4), np.float32)
        areas = np.linalg.norm(self.geometry.crosses(), axis=1)
        return table(self.geometry.corners(), starts(areas))

    @property
    def normals(self) -> Floats:
        """One for each face, or for each of its corners; or for each vertex without faces."""
        on_faces = self.place == "surface"
        return table(self.geometry.face_normals() if on_faces else self.geometry.vertex_normals())

    @property
    def colors(self) -> Floats:
        """One for each vertex, if they have any."""
        colors = self.geometry.colors
        return np.zeros((0, 4), np.float32) if colors is None else colors.data

    def sample(self, random: Random) -> Places:
        """Draws the face or the vertex, then twice for the place on a face."""
        vertices, faces, normals = self.vertices[:, :3], self.faces, self.normals[:, :3]
        share = random.next()
        s, t = np.sqrt(random.next()), random.next()
        weight = np.stack([1 - s, s * (1 - t), s * t], axis=1)[..., None]
        corner = facing = any_of(len(vertices), share)[:, None].repeat(3, axis=1)
        if len(faces):
            face = find(faces[:, 3], share)
            corner = faces[face, :3].astype(np.int64)
            each = len(normals) // len(faces)
            facing = each * face[:, None] + np.arange(3) * (each > 1)
        colors = (self.colors[corner] * weight).sum(axis=1) if len(self.colors) else None
        return Places(
            (vertices[corner] * weight).sum(axis=1),
            unit((normals[facing] * weight).sum(axis=1)),
            colors,
        )

    kernel_fields = tuple(
        KernelField(name, "vec2", None, Table())
        for name in ("vertices", "faces", "normals", "colors")
    )
