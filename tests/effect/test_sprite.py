"""Sprites and flipbooks."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PIL import Image

from gpuparticles.effect import Flipbook, Range, Sprite
from gpuparticles.errors import EffectError

TEXTURE = "a texture is the path of a picture, a PIL image, a GL texture, or nothing"
BLEND = 'blend is "alpha", "additive" or a number from 0 (alpha) to 1 (additive)'


@pytest.mark.parametrize(
    ("blend", "additive"), [("alpha", 0), ("additive", 1), (0.25, 0.25), (0, 0), (1, 1)]
)
def test_blend_is_a_word_or_the_amount_of_addition(blend: Any, additive: float):
    assert Sprite(blend=blend).additive == additive
    assert Sprite().additive == 0


def test_stretch_takes_a_range():
    assert Sprite(stretch=(0.1, 0.2)).stretch == Range(0.1, 0.2)


def test_a_path_reads_back_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)

    assert Sprite("a/../b.png").texture == tmp_path / "b.png"
    assert Sprite(tmp_path / "b.png").texture == tmp_path / "b.png"
    assert Sprite("b.png") == Sprite(Path("b.png"))
    assert hash(Sprite("b.png")) == hash(Sprite(Path("b.png")))
    assert Sprite("b.png") != Sprite("c.png")


def test_a_texture_in_memory_is_held_as_it_is():
    picture = Image.new("RGBA", (2, 2))
    texture = SimpleNamespace(glo=7, size=(2, 2))

    assert Sprite(picture).texture is picture
    assert Sprite(texture).texture is texture
    assert Sprite().texture is None


def test_a_flipbook_has_as_many_frames_as_places_unless_told():
    assert Flipbook(4, 2).frame_count == 8
    assert Flipbook(4, 2, 6).frame_count == 6
    assert Flipbook().frame_count == 1


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: Sprite(blend="add"),
            f'Sprite: blend: "add" is no way to blend; {BLEND}; did you mean "additive"?',
        ),
        (lambda: Sprite(blend=None), "Sprite: blend: null is not a number; blend is 0 to 1"),
        (lambda: Sprite(blend=1.5), "Sprite: blend: 1.5 is more than 1; blend is 0 to 1"),
        (
            lambda: Sprite(stretch=-1),
            "Sprite: stretch: -1 is negative; a stretch is 0 or more seconds",
        ),
        (lambda: Sprite(texture=""), f'Sprite: texture: "" is no texture; {TEXTURE}'),
        (lambda: Sprite(texture="a\0b"), rf'Sprite: texture: "a\u0000b" is no texture; {TEXTURE}'),
        (lambda: Sprite(texture=3), f"Sprite: texture: 3 is no texture; {TEXTURE}"),
        (
            lambda: Sprite(texture=np.zeros((1, 2))),
            f"Sprite: texture: [[0, 0]] is no texture; {TEXTURE}",
        ),
        (
            lambda: Sprite(filter="bilinear"),
            'Sprite: filter: "bilinear" is not "linear" or "nearest"; did you mean "linear"?',
        ),
        (lambda: Sprite(premultiplied=1), "Sprite: premultiplied: 1 is not true or false"),
        (
            lambda: Sprite(flipbook=(4, 4)),
            "Sprite: flipbook: [4, 4] is not a flipbook; write Flipbook(columns=4, rows=4), or "
            '{"columns": 4, "rows": 4} in a file',
        ),
        (
            lambda: Flipbook(0),
            "Flipbook: columns: 0 is less than 1; "
            "a number of columns is a whole number from 1 to 4096",
        ),
        (
            lambda: Flipbook(rows=1.5),
            "Flipbook: rows: 1.5 is not a whole number; "
            "a number of rows is a whole number from 1 to 4096",
        ),
        (
            lambda: Flipbook(2, 3, 7),
            "Flipbook: frames: 7 is too many; a sheet of 2 by 3 has 6",
        ),
        (
            lambda: Flipbook(2, 3, 0),
            "Flipbook: frames: 0 is less than 1; a number of frames is a whole number, 1 or more",
        ),
        (
            lambda: Flipbook(speed=math.inf),
            "Flipbook: speed: inf is not finite; a speed is 0 or more times through a life",
        ),
        (
            lambda: Flipbook(speed=2, fps=12),
            "Flipbook: fps: speed is 2 already; only one of both is given",
        ),
        (
            lambda: Flipbook(fps=-1),
            "Flipbook: fps: -1 is negative; a rate is 0 or more frames a second",
        ),
        (
            lambda: Flipbook(loop="pingpong"),
            'Flipbook: loop: "pingpong" is no way to loop; it is true, false or "ping_pong"; '
            'did you mean "ping_pong"?',
        ),
        (lambda: Flipbook(loop=1), "Flipbook: loop: 1 is not true or false"),
        (
            lambda: Sprite(facing="speed"),
            'Sprite: facing: "speed" is not "camera" or "position" or "emitter" or "velocity" or '
            '"axis" or "point"',
        ),
        (
            lambda: Sprite(axis=(0, 0, 0)),
            "Sprite: axis: [0, 0, 0] has no direction; a direction may not be zero",
        ),
        (
            lambda: Sprite(pivot=(0, -0.6)),
            "Sprite: pivot[1]: -0.6 is less than -0.5; a part of the sprite is -0.5 to 0.5",
        ),
        (
            lambda: Sprite(pivot=0.5),
            "Sprite: pivot: 0.5 is not a pivot; a pivot is (x, y), each from -0.5 to 0.5",
        ),
        (
            lambda: Sprite(shortest=2, longest=1),
            "Sprite: shortest: 2 is more than longest, 1",
        ),
        (
            lambda: Sprite(near_fade=(3, 1)),
            "Sprite: near_fade: low 3 is above high 1; a range is (low, high)",
        ),
        (
            lambda: Sprite(far_fade=(-3, 1)),
            "Sprite: far_fade[0]: -3 is negative; a distance is 0 or more units",
        ),
        (
            lambda: Sprite(alpha_clip=1.5),
            "Sprite: alpha_clip: 1.5 is more than 1; an alpha is 0 to 1",
        ),
        (
            lambda: Sprite(softness=-1),
            "Sprite: softness: -1 is negative; a distance is 0 or more units",
        ),
        (lambda: Sprite(depth_write=1), "Sprite: depth_write: 1 is not true or false"),
    ],
)
def test_what_a_sprite_refuses(call, sentence: str):
    with pytest.raises(EffectError) as error:
        call()

    assert str(error.value) == sentence
