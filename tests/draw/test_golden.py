"""Each preset and each way of drawing looks as it did when somebody last looked at it."""

from __future__ import annotations

import json
from pathlib import Path

import moderngl
import numpy as np
import pytest
from PIL import Image

from tests.draw import golden_pictures
from tests.draw.golden_pictures import DRIVER, FOLDER, Pixels

PICTURES = golden_pictures.pictures()
OUT = Path(__file__).parents[2] / "out" / "golden"


def save_difference(name: str, found: Pixels, kept: Pixels) -> Path:
    """Found above kept above eight times their difference."""
    far = np.minimum(8 * np.abs(found.astype(int) - kept), 255).astype(np.uint8)
    OUT.mkdir(parents=True, exist_ok=True)
    file = OUT / f"{name}.png"
    Image.fromarray(np.vstack([found, kept, far])).save(file)
    return file


@pytest.mark.parametrize("name", PICTURES)
def test_it_looks_as_it_did(ctx: moderngl.Context, name: str) -> None:
    """Within 1 of 255 on the driver that drew what is kept, and nearly so on any other."""
    found = golden_pictures.picture(PICTURES[name](), ctx)
    kept = golden_pictures.load(name)
    assert found.shape == kept.shape
    far = np.abs(found.astype(int) - kept)
    if golden_pictures.driver(ctx) == json.loads(DRIVER.read_text())["driver"]:
        same = far.max() <= 1
    else:
        same = far.mean() < 1.0 and (far.max(axis=2) > 8).mean() < 0.02
    assert same, f"look at {save_difference(name, found, kept)}"


def test_every_kept_picture_is_of_something_and_shows_something() -> None:
    assert {file.stem for file in FOLDER.glob("*.png")} == set(PICTURES)
    for name in PICTURES:
        moments = np.split(golden_pictures.load(name), golden_pictures.MOMENTS, axis=1)
        shown = [int((np.ptp(moment.reshape(-1, 3), axis=0) > 24).any()) for moment in moments]
        assert sum(shown) >= 2, name
        assert not np.array_equal(moments[0], moments[1]), name
