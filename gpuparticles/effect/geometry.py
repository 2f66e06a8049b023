"""Meshes: triangles between vertices, given as arrays or read from Wavefront OBJ files."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from gpuparticles.effect.arrays import Array, ArrayLike, Floats, Rows, file_at
from gpuparticles.effect.mistakes import gather, mistakes_in, refused, show
from gpuparticles.effect.rules import Filed
from gpuparticles.errors import EffectError

__all__ = ["Geometry", "GeometryLike", "GeometryRule", "load_obj"]

_VERTICES = Rows("vertices", 3)
_FACES = Rows("faces", 3, low=0, optional=True)
_NORMALS = Rows("normals", 3, optional=True)
_CORNER_NORMALS = Rows("normals", 3, axes=2, optional=True)
_COLORS = Rows("colors", 4, low=0, alpha=True, optional=True)
_UVS = Rows("uvs", 2, optional=True)
_CORNER_UVS = Rows("uvs", 2, axes=2, optional=True)
_PARTS = ("vertices", "faces", "normals", "colors", "uvs")


class Geometry:
    """A triangle mesh that never changes: equal to its like, and hashable.

    Args:
        vertices: float32 (n, 3), in world units.
        faces: Whole numbers (m, 3): each triangle's vertices, counter-clockwise seen from outside.
        normals: float32 (n, 3), one for each vertex; or (m, 3, 3), one for each corner of each
            face. By default those of the faces.
        colors: float32 (n, 4), straight RGBA of each vertex.
        uvs: float32 (n, 2), or (m, 3, 2) for each corner of each face: where in a picture they
            lie, (0, 0) at its lower left.
        file: The OBJ file from which they come, which a document then names.

    Raises:
        EffectError: Something does not fit.
    """

    __slots__ = ("colors", "faces", "file", "normals", "uvs", "vertices")

    def __init__(
        self,
        vertices: ArrayLike,
        faces: ArrayLike | None = None,
        normals: ArrayLike | None = None,
        colors: ArrayLike | None = None,
        uvs: ArrayLike | None = None,
        *,
        file: Path | None = None,
    ) -> None:
        given = dict(zip(_PARTS, (vertices, faces, normals, colors, uvs), strict=True))
        try:
            self._set(given, file, None)
        except ValidationError as error:
            found = (f"Geometry: {mistake}" for mistake in mistakes_in(error))
            raise EffectError("\n".join(found)) from None

    @classmethod
    def read(
        cls, parts: Mapping[str, Any], file: Path | None = None, folder: Path | None = None
    ) -> Geometry:
        """A geometry of named parts, as a document has them; what is wrong is `refused`."""
        made = cls.__new__(cls)
        made._set(parts, file, folder)
        return made

    def _set(self, parts: Mapping[str, Any], file: Path | None, folder: Path | None) -> None:
        for name in parts:
            if name not in _PARTS:
                raise refused(f"unknown field; a mesh has {', '.join(_PARTS)}", name)
        normals = _CORNER_NORMALS if _of_corners(parts.get("normals")) else _NORMALS
        uvs = _CORNER_UVS if _of_corners(parts.get("uvs")) else _UVS
        rules = dict(zip(_PARTS, (_VERTICES, _FACES, normals, _COLORS, uvs), strict=True))
        held = gather(
            lambda item: item[0].read(item[1], folder),
            ((name, (rule, parts.get(name))) for name, rule in rules.items()),
        )
        self.vertices: Array = held["vertices"]
        self.faces: Array | None = held["faces"]
        self.normals: Array | None = held["normals"]
        self.colors: Array | None = held["colors"]
        self.uvs: Array | None = held["uvs"]
        self.file = file
        for sentence, *path in self._misfits():
            raise refused(sentence, *path)

    def _misfits(self) -> Iterator[tuple[Any, ...]]:
        count = len(self.vertices)
        if self.faces is not None:
            faces = self.faces.data
            bad = np.argwhere((faces >= count) | (faces != np.floor(faces)))
            for face, corner in bad[:1].tolist():
                given = show(float(faces[face, corner]))
                yield f"{given} is no vertex; there are {count}, from 0", "faces", face, corner
        for name, part in (("normals", self.normals), ("uvs", self.uvs)):
            if part is not None and part.data.ndim == 3:
                if part.shape[:2] != (len(self.corners()), 3):
                    number = f"{len(part)} are given for {len(self.corners())} faces"
                    yield f"{number} of 3 corners", name
            elif part is not None and len(part) != count:
                yield f"{len(part)} are given for {count} vertices", name
        if self.colors is not None and len(self.colors) != count:
            yield f"{len(self.colors)} are given for {count} vertices", "colors"

    def parts(self) -> dict[str, Array]:
        """What it consists of, by name."""
        named = {name: getattr(self, name) for name in _PARTS}
        return {name: part for name, part in named.items() if part is not None}

    def corners(self) -> NDArray[np.int64]:
        """The faces as integers, (m, 3)."""
        if self.faces is None:
            return np.zeros((0, 3), np.int64)
        return self.faces.data.astype(np.int64)

    def crosses(self) -> NDArray[np.float64]:
        """Of each face a vector (m, 3) along its normal, as long as twice its area."""
        a, b, c = self.vertices.data.astype(np.float64)[self.corners()].transpose(1, 0, 2)
        return np.cross(b - a, c - a)

    def face_normals(self) -> Floats:
        """Unit vectors (m, 3), or (3 m, 3) for each corner where normals are given."""
        if self.normals is None:
            return _units(self.crosses())
        if self.normals.data.ndim == 3:
            return _units(self.normals.data.reshape(-1, 3))
        return _units(self.normals.data[self.corners().ravel()])

    def vertex_normals(self) -> Floats:
        """Unit vectors (n, 3): those given, or the mean of those of the faces around."""
        if self.normals is not None and self.normals.data.ndim == 2:
            return _units(self.normals.data)
        around = np.zeros((len(self.vertices), 3))
        each = self.crosses().repeat(3, axis=0)
        if self.normals is not None:
            each = self.normals.data.reshape(-1, 3).astype(np.float64)
        np.add.at(around, self.corners().ravel(), each)
        return _units(around)

    def triangles(self) -> tuple[Floats, NDArray[np.uint32]]:
        """The faces as a graphics card takes them.

        Returns:
            float32 (k, 12), no two alike: place, unit normal, uv and colour of corners; and
            uint32 (3 m,), which of them the faces' corners are.
        """
        corners = self.corners().ravel()
        table = np.zeros((len(corners), 12), np.float32)
        table[:, :3] = self.vertices.data[corners]
        normals = self.face_normals()
        table[:, 3:6] = normals if len(normals) == len(corners) else normals.repeat(3, axis=0)
        if self.uvs is not None:
            of_corners = self.uvs.data.ndim == 3
            table[:, 6:8] = self.uvs.data.reshape(-1, 2) if of_corners else self.uvs.data[corners]
        table[:, 8:] = 1.0 if self.colors is None else self.colors.data[corners]
        rows, indices = np.unique(table, axis=0, return_inverse=True)
        return rows, indices.ravel().astype(np.uint32)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Geometry):
            return NotImplemented
        return self.parts() == other.parts()

    def __hash__(self) -> int:
        return hash(tuple(self.parts().items()))

    def __repr__(self) -> str:
        if self.file is not None:
            return repr(str(self.file))
        given = ", ".join(f"{name}={part!r}" for name, part in self.parts().items())
        return f"Geometry({given})"


GeometryLike: TypeAlias = "Geometry | str | os.PathLike[str] | Mapping[str, Any] | Any"
"""What a field that holds a mesh takes: see `GeometryRule`."""


class GeometryRule(Filed):
    """A mesh: the path of an OBJ file, its parts, or an object that has vertices and faces."""

    def read(self, value: Any, folder: Path | None = None) -> Geometry:
        """A Geometry; a path becomes absolute, from the document's folder or the working one."""
        if isinstance(value, Geometry):
            return value
        if isinstance(value, (str, os.PathLike)):
            return load_obj(file_at(value, folder))
        if isinstance(value, Mapping):
            return Geometry.read(value, None, folder)
        if hasattr(value, "vertices") and hasattr(value, "faces"):  # of trimesh and its like
            return Geometry.read({"vertices": value.vertices, "faces": value.faces})
        raise refused(
            f"{show(value)} is no mesh; a mesh is the path of an OBJ file, a Geometry, "
            f"or an object with {', '.join(_PARTS)}"
        )

    def schema(self) -> dict[str, Any]:
        """The parts, or a string."""
        rules = (_VERTICES, _FACES, _NORMALS, _COLORS, _UVS)
        properties = {name: rule.schema() for name, rule in zip(_PARTS, rules, strict=True)}
        for name, corners in (("normals", _CORNER_NORMALS), ("uvs", _CORNER_UVS)):
            properties[name]["anyOf"].insert(1, corners.schema()["anyOf"][0])
        triangle = {"vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "faces": [[0, 1, 2]]}
        parts = {
            "type": "object",
            "properties": properties,
            "required": ["vertices"],
            "additionalProperties": False,
            "examples": [triangle],
        }
        return {"anyOf": [parts, {"type": "string", "pattern": r"\S"}]}


def load_obj(file: Path) -> Geometry:
    """Read the vertices, normals, uvs, colours and faces of a Wavefront OBJ file.

    Polygons are cut into triangles round their first corner; the colours of vertices are the three
    numbers that some programs write behind a place. Everything else is passed over.

    Format: Wavefront Technologies, "Object Files (.obj)", Advanced Visualizer manual, appendix B1.

    Raises:
        ValidationError: `refused`, with the file and the line.
    """
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise refused(f"{file}: cannot be read: {error.strerror or error}") from None
    vertices: list[list[float]] = []
    normals: list[list[float]] = []
    uvs: list[list[float]] = []
    faces: list[list[_Corner]] = []
    for number, line in enumerate(text.replace("\\\n", "  ").split("\n"), 1):
        word, *rest = line.partition("#")[0].split() or [""]
        try:
            match word:
                case "v":
                    vertices.append(_numbers(rest, 3))
                case "vn":
                    normals.append(_numbers(rest, 3)[:3])
                case "vt":
                    uvs.append([*_numbers(rest, 1), 0.0][:2])
                case "f":
                    polygon = [
                        _corner(word, len(vertices), len(uvs), len(normals)) for word in rest
                    ]
                    if len(polygon) < 3:
                        raise ValueError(f"a face has 3 or more corners, not {len(polygon)}")
                    faces += [[polygon[0], *polygon[i : i + 2]] for i in range(1, len(polygon) - 1)]
        except ValueError as error:
            raise refused(f"{file}:{number}: {error}") from None
    if not vertices:
        raise refused(f"{file}: has no vertices; a mesh has lines such as: v 0 1 0")
    parts: dict[str, Any] = {"vertices": [vertex[:3] for vertex in vertices]}
    if faces:
        parts["faces"] = [[corner.vertex for corner in face] for face in faces]
        if all(corner.normal is not None for face in faces for corner in face):
            parts["normals"] = [[normals[corner.normal or 0] for corner in face] for face in faces]
        if all(corner.uv is not None for face in faces for corner in face):
            parts["uvs"] = [[uvs[corner.uv or 0] for corner in face] for face in faces]
    if all(len(vertex) == 6 for vertex in vertices):
        parts["colors"] = [[*vertex[3:], 1.0] for vertex in vertices]
    return Geometry.read(parts, file)


def _numbers(words: Sequence[str], least: int) -> list[float]:
    try:
        found = [float(word) for word in words]
    except ValueError:
        raise ValueError(f"{show(' '.join(words))} are no numbers") from None
    if len(found) < least:
        raise ValueError(f"{least} numbers are needed, not {len(found)}")
    if not all(abs(number) <= _LARGEST for number in found):
        raise ValueError(f"{show(' '.join(words))} are not all finite in 32 bits")
    return found


_LARGEST = float(np.finfo(np.float32).max)


class _Corner(NamedTuple):
    """Which vertex, uv and normal the corner of a face has."""

    vertex: int
    uv: int | None
    normal: int | None


def _corner(word: str, vertices: int, uvs: int, normals: int) -> _Corner:
    """What ``3``, ``3/1``, ``3//2`` or ``3/1/2`` means; negative numbers count back."""
    vertex, uv, normal = [*word.split("/"), "", ""][:3]
    return _Corner(
        _index(vertex, vertices, "vertices", word),
        _index(uv, uvs, "uvs", word) if uv else None,
        _index(normal, normals, "normals", word) if normal else None,
    )


def _index(text: str, count: int, what: str, word: str) -> int:
    try:
        number = int(text)
    except ValueError:
        raise ValueError(
            f"{show(word)} is no corner; a corner is such as 3, 3/1 or 3/1/2"
        ) from None
    index = number - 1 if number > 0 else count + number
    if number == 0 or not 0 <= index < count:
        raise ValueError(f"{show(word)} is no corner; there are {count} {what} so far, from 1")
    return index


def _of_corners(value: Any) -> bool:
    """Whether something is given for each corner of each face, not for each vertex."""
    if value is None or isinstance(value, (str, os.PathLike)):
        return False
    try:
        return np.ndim(value) == 3
    except ValueError:
        return False


def _units(vectors: NDArray[Any]) -> Floats:
    """Of length 1; +Y where there is no direction."""
    vectors = vectors.astype(np.float64)
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    units = np.where(
        length > math.sqrt(5e-324), vectors / np.where(length > 0, length, 1), (0, 1, 0)
    )
    return units.astype(np.float32)
