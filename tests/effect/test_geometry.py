"""Meshes: as arrays, as OBJ files, in documents; and what is wrong with them."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gpuparticles as gp
from gpuparticles.effect import parse

CUBE = """
# Quads, counted backwards and forwards.
o cube
v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
v 0 0 1
v 1 0 1
v 1 1 1
v 0 1 1
vn 0 0 -1
vn 0 0 1
vt 0 0
usemtl stone
f 1//1 4//1 3//1 2//1
f -4/1/2 -3/1/2 \\
  -2/1/2 -1/1/2
"""


def written(folder: Path, text: str, name: str = "a.obj") -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def test_an_obj_file_is_read(tmp_path: Path) -> None:
    geometry = gp.Mesh(written(tmp_path, CUBE)).geometry

    assert geometry.vertices.shape == (8, 3)
    assert geometry.faces == gp.Array([(0, 3, 2), (0, 2, 1), (4, 5, 6), (4, 6, 7)])
    assert geometry.normals is not None
    assert geometry.normals.shape == (4, 3, 3)
    assert geometry.face_normals()[[0, 11], 2].tolist() == [-1, 1]
    assert np.sign(geometry.crosses()[:, 2]).tolist() == [-1, -1, 1, 1]
    assert geometry.vertex_normals()[:, 2].tolist() == [-1] * 4 + [1] * 4
    assert geometry.colors is None


def test_an_obj_file_may_say_where_in_a_picture_its_corners_lie(tmp_path: Path) -> None:
    text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nvt 0 0\nvt 1 0.5\nvt 0.25\nf 1/1 2/2 3/-1\n"
    geometry = gp.Mesh(written(tmp_path, text + "f 2/1 4/2 3/3\n")).geometry
    assert geometry.uvs == gp.Array([[(0, 0), (1, 0.5), (0.25, 0)]] * 2)

    assert gp.Mesh(written(tmp_path, text + "f 2 4 3\n")).geometry.uvs is None
    with pytest.raises(gp.EffectError, match='"1/4" is no corner; there are 3 uvs so far'):
        gp.Mesh(written(tmp_path, text + "f 1/4 2/1 3/1\n"))


def test_triangles_share_the_corners_that_are_alike() -> None:
    """Two faces of a square: of the same normal they share two corners, of others none."""
    square = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
    faces = [(0, 1, 2), (0, 2, 3)]
    rows, indices = gp.Geometry(square, faces, colors=[(1, 0, 0, 0.5)] * 4).triangles()
    assert rows.shape == (4, 12)
    assert rows[indices, :3].tolist() == [list(square[i]) for face in faces for i in face]
    assert (rows[:, 3:6] == (0, 0, 1)).all()
    assert (rows[:, 6:8] == 0).all()
    assert (rows[:, 8:] == (1, 0, 0, 0.5)).all()

    bent = [[(0, 0, 1)] * 3, [(0, 1, 0)] * 3]
    uvs = [[(0, 0), (1, 0), (1, 1)], [(0, 0), (1, 1), (0, 1)]]
    rows, indices = gp.Geometry(square, faces, bent, uvs=uvs).triangles()
    assert len(rows) == 6
    assert rows[indices, 6:8].tolist() == [list(map(float, uv)) for face in uvs for uv in face]


def test_vertices_may_have_colours_and_no_faces(tmp_path: Path) -> None:
    geometry = gp.Mesh(written(tmp_path, "v 0 1 2 1 0 0.5\nv 3 4 5 0 1 0\n"), "vertices").geometry

    assert geometry.faces is None
    assert geometry.colors == gp.Array([(1, 0, 0.5, 1), (0, 1, 0, 1)])


def test_faces_without_normals_have_their_own(tmp_path: Path) -> None:
    geometry = gp.Mesh(written(tmp_path, "v 0 0 0\nv 2 0 0\nv 0 2 0\nf 1 2 3\n")).geometry

    assert geometry.normals is None
    assert geometry.face_normals().tolist() == [[0, 0, 1]]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("v 0 0\n", ":1: 3 numbers are needed, not 2"),
        ("v 0 0 x\n", ':1: "0 0 x" are no numbers'),
        ("v 0 nan 0\n", ':1: "0 nan 0" are not all finite in 32 bits'),
        ("v 0 0 0\nf 1 2 3\n", ':2: "2" is no corner; there are 1 vertices so far, from 1'),
        ("v 0 0 0\n\nf 1 1 0\n", ':3: "0" is no corner; there are 1 vertices so far, from 1'),
        ("v 0 0 0\nf 1 1 -2\n", ':2: "-2" is no corner; there are 1 vertices so far, from 1'),
        ("v 0 0 0\nf 1 1 a\n", ':2: "a" is no corner; a corner is such as 3, 3/1 or 3/1/2'),
        ("v 0 0 0\nf 1//4 1 1\n", ':2: "1//4" is no corner; there are 0 normals so far, from 1'),
        ("v 0 0 0\nf 1 1\n", ":2: a face has 3 or more corners, not 2"),
        ("# nothing\n", ": has no vertices; a mesh has lines such as: v 0 1 0"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_line(
    tmp_path: Path, text: str, sentence: str
) -> None:
    file = written(tmp_path, text)
    with pytest.raises(gp.EffectError) as error:
        gp.Mesh(file)

    assert str(error.value) == f"Mesh: geometry: {file}{sentence}"


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(gp.EffectError) as error:
        gp.Mesh(tmp_path / "no.obj")

    missing = f"{tmp_path / 'no.obj'}: cannot be read: No such file or directory"
    assert str(error.value) == f"Mesh: geometry: {missing}"


TRIANGLE = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (
            lambda: gp.Geometry(TRIANGLE, [(0, 1, 3)]),
            "Geometry: faces[0][2]: 3 is no vertex; there are 3, from 0",
        ),
        (
            lambda: gp.Geometry(TRIANGLE, [(0, 1, 0.5)]),
            "Geometry: faces[0][2]: 0.5 is no vertex; there are 3, from 0",
        ),
        (
            lambda: gp.Geometry(TRIANGLE, normals=[(0, 1, 0)]),
            "Geometry: normals: 1 are given for 3 vertices",
        ),
        (
            lambda: gp.Geometry(TRIANGLE, normals=[[(0, 1, 0)] * 3]),
            "Geometry: normals: 1 are given for 0 faces of 3 corners",
        ),
        (
            lambda: gp.Geometry([(0, np.inf, 0)]),
            "Geometry: vertices[0][1]: inf is not finite; vertices are finite numbers",
        ),
        (
            lambda: gp.Mesh({"vertices": TRIANGLE, "face": []}),
            "Mesh: geometry.face: unknown field; a mesh has vertices, faces, normals, colors, uvs",
        ),
        (
            lambda: gp.Mesh(3),
            "Mesh: geometry: 3 is no mesh; a mesh is the path of an OBJ file, a Geometry, or an "
            "object with vertices, faces, normals, colors, uvs",
        ),
    ],
)
def test_what_does_not_fit_is_refused(make: Any, sentence: str) -> None:
    with pytest.raises(gp.EffectError) as error:
        make()

    assert str(error.value) == sentence


def test_meshes_are_values() -> None:
    one, other = (gp.Geometry(np.array(TRIANGLE), [(0, 1, 2)]) for _ in range(2))

    assert one == other
    assert hash(one) == hash(other)
    assert one != gp.Geometry(TRIANGLE, [(0, 2, 1)])
    assert repr(one) == f"Geometry(vertices={list(map(list, TRIANGLE))}, faces=[[0, 1, 2]])"


def test_another_librarys_mesh_will_do() -> None:
    theirs = SimpleNamespace(vertices=np.array(TRIANGLE, np.float64), faces=np.array([[0, 1, 2]]))

    assert gp.Mesh(theirs) == gp.Mesh(gp.Geometry(TRIANGLE, [(0, 1, 2)]))


def test_a_document_names_files_relative_to_itself(tmp_path: Path) -> None:
    from PIL import Image

    Image.new("RGBA", (2, 2), "red").save(tmp_path / "a.png")
    shapes = [gp.Mesh(written(tmp_path, CUBE)), gp.Image(tmp_path / "a.png")]
    emitters = [gp.Emitter(str(i), shape=shape) for i, shape in enumerate(shapes)]
    effect = gp.Effect("a", emitters)
    gp.save(effect, tmp_path / "a.json")

    text = (tmp_path / "a.json").read_text(encoding="utf-8")
    assert '"geometry": "a.obj"' in text
    assert '"picture": "a.png"' in text
    assert gp.load(tmp_path / "a.json") == effect


def test_a_document_holds_a_mesh_without_a_file() -> None:
    mesh = gp.Geometry(TRIANGLE, [(0, 1, 2)], [[(0, 0.5, 0)] * 3], [(0.1, 0.2, 0.3, 1)] * 3)
    effect = gp.Effect("a", [gp.Emitter("b", shape=gp.Mesh(mesh))])

    assert parse(effect.to_json()) == effect
