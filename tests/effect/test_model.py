"""Models: what they take, how documents have them, and what is wrong with them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gpuparticles as gp
from gpuparticles.effect import parse
from gpuparticles.effect.fingerprint import fingerprint

CORNERS = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
MESH = gp.Geometry(CORNERS, [(0, 1, 2)])
OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"


def effect(model: gp.Model, **more: Any) -> gp.Effect:
    return gp.Effect("e", [gp.Emitter("e", model=model)], **more)


def test_a_model_has_in_common_with_a_sprite_what_both_have() -> None:
    look = gp.Model(MESH, blend="additive", alpha_clip=0.5, order="depth", lit=None).look
    assert look == gp.Sprite(blend="additive", alpha_clip=0.5, order="depth")

    opaque = gp.Model(MESH, order="depth").look
    assert opaque == gp.Sprite(depth_write=True, lit=gp.Lit()), "its order cannot be seen"
    assert gp.Model(MESH, depth_write=False).look.depth_write is False


def test_a_model_takes_the_place_of_the_sprite() -> None:
    sprite = gp.Sprite(blend="additive")
    assert gp.Emitter("e", sprite=sprite).look is sprite
    assert gp.Emitter("e", sprite=sprite, model=gp.Model(MESH)).look.additive == 0


def test_a_document_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "rock.obj").write_text(OBJ)
    text = json.dumps(
        {
            "format": "gpuparticles/1",
            "name": "e",
            "emitters": [{"name": "e", "model": {"mesh": "rock.obj", "axis": [0, 2, 0]}}],
        }
    )
    (tmp_path / "e.json").write_text(text)
    loaded = gp.load(tmp_path / "e.json")
    model = loaded.emitters[0].model
    assert model is not None
    assert model.mesh == MESH
    gp.save(loaded, tmp_path / "again.json")
    assert json.loads((tmp_path / "again.json").read_text()) == json.loads(text)


def test_a_document_may_hold_the_mesh() -> None:
    mesh = gp.Geometry(CORNERS, [(0, 1, 2)], uvs=[(0, 0), (1, 0), (0, 1)])
    made = effect(gp.Model(mesh, scale=(1, 2, 3), lit=gp.Lit(wrap=0.5), blend=0.5))
    assert parse(made.to_json()) == made


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: gp.Model(gp.Geometry(CORNERS)), "Model: mesh: it has no faces"),
        (lambda: gp.Model("no.obj"), "cannot be read: No such file"),
        (lambda: gp.Model({"vertices": CORNERS, "faces": [(0, 1, 3)]}), "3 is no vertex"),
        (
            lambda: gp.Model({"vertices": [(0, 0, float("nan"))] * 3, "faces": [(0, 1, 2)]}),
            "Model: mesh.vertices[0][2]: NaN is not finite",
        ),
        (lambda: gp.Model(MESH, blend="opaqe"), 'did you mean "opaque"?'),
        (lambda: gp.Model(MESH, axis="y"), 'Model: axis: "y" is no axis; an axis is 3 numbers'),
        (lambda: gp.Model(MESH, axis=(0, 0, 0)), "Model: axis: "),
        (lambda: gp.Model(MESH, orientation="up"), 'Model: orientation: "up" is not "random"'),
        (
            lambda: gp.Model(MESH, lit=gp.Lit("flat")),
            'Model: lit.normals: "flat" is given; a model has those of its mesh',
        ),
        (
            lambda: gp.Geometry(CORNERS, [(0, 1, 2)], uvs=[(0, 0)]),
            "Geometry: uvs: 1 are given for 3 vertices",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(make: Any, sentence: str) -> None:
    with pytest.raises(gp.EffectError) as refused:
        make()
    assert sentence in str(refused.value)


def test_parameters_drive_its_numbers() -> None:
    squash = gp.Parameter("squash", 1.0, range=(0.1, 2.0), binds=["emitters.e.model.scale.y"])
    made = effect(gp.Model(MESH), parameters=[squash]).with_parameters({"squash": 0.5})
    model = made.emitters[0].model
    assert model is not None
    assert model.scale == (1, 0.5, 1)


def test_a_mesh_moves_nothing() -> None:
    """So a snapshot goes on with another one."""
    one, other = (gp.Model(gp.Geometry(c, [(0, 1, 2)])) for c in (CORNERS, CORNERS[::-1]))
    assert fingerprint(effect(one)) == fingerprint(effect(other))


def test_the_motion_is_where_up_points() -> None:
    model = gp.Model(MESH, orientation="velocity", axis=(0, 1, 0))
    velocity = np.array([(3, 0, 0), (0, -2, 0), (0, 0, 0), (1, 1, -1)], np.float32)
    turns = np.array([0, 0.25, 0, 0.6], np.float32)
    x, y, z, w = model.orientations(np.arange(4, dtype=np.uint32), turns, velocity).T
    up = np.stack([2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)], axis=1)
    third = 3**-0.5
    expected = np.array([(1, 0, 0), (0, -1, 0), (0, 1, 0), (third, third, -third)])
    assert up == pytest.approx(expected, abs=1e-6)
