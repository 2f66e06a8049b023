"""The examples run as a user would run them, and what they show is what they say."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
from PIL import Image

EXAMPLES = Path(__file__).parents[2] / "examples"

# Opens the example's window, lets it run, clicks, and saves what is on the screen.
DRIVER = """
import sys
import moderngl_window
import numpy as np
from PIL import Image

sys.path.insert(0, sys.argv[1])
import window

class Driven(window.Window):
    frames = 0

    def on_render(self, time, frame_time):
        super().on_render(time, 1 / 60)
        self.frames += 1
        if self.frames == 30:
            assert self.ctx.error == "GL_NO_ERROR"
            width, height = self.wnd.size
            self.on_mouse_press_event(int(width * 0.75), int(height * 0.25), 1)
        if self.frames == 40:
            assert self.ctx.error == "GL_NO_ERROR"
            assert self.particles.stats.live > 150
            size = self.wnd.buffer_size
            picture = self.ctx.simple_framebuffer(size)
            self.ctx.copy_framebuffer(picture, self.wnd.fbo)
            pixels = picture.read(components=3)
            Image.frombytes("RGB", size, pixels).transpose(Image.FLIP_TOP_BOTTOM).save(sys.argv[2])
            self.wnd.close()

moderngl_window.run_window_config(Driven, args=["--window", "pyglet"])
"""


def run(*arguments: str, **environment: str) -> str:
    """Run Python with arguments; returns what it printed."""
    done = subprocess.run(
        [sys.executable, *arguments],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def pixels_of(path: Path) -> np.ndarray:
    """RGB as floats, top row first."""
    return np.asarray(Image.open(path).convert("RGB"), np.float64)


def test_embed_draws_fire_over_the_host_s_ground(tmp_path: Path) -> None:
    """The host's ground is where no particle is, and the fire is brighter than all."""
    picture = tmp_path / "picture.png"
    printed = run(str(EXAMPLES / "embed.py"), str(picture))
    pixels = pixels_of(picture)

    assert printed.strip() == str(picture)
    assert pixels.shape == (480, 480, 3)
    assert np.allclose(pixels[470, 20], (13, 14, 18), atol=1)
    fire = pixels[300:400, 190:290]
    assert fire[..., 0].max() > 240
    assert fire[..., 0].mean() > 2 * fire[..., 2].mean()


def test_window_shows_fire_and_sparks_where_it_is_clicked(tmp_path: Path, display: str) -> None:
    """In a real window: fire in the middle, blue sparks up right, no GL error."""
    picture = tmp_path / "window.png"
    run("-c", DRIVER, str(EXAMPLES), str(picture), DISPLAY=display)
    pixels = pixels_of(picture)
    height, width, _ = pixels.shape

    fire = pixels[height // 2 :, width // 3 : 2 * width // 3]
    sparks = pixels[: height // 2, 2 * width // 3 :]
    assert fire[..., 0].max() > 240
    assert fire[..., 0].mean() > 2 * fire[..., 2].mean()
    assert sparks[..., 2].max() > 150
    assert sparks[..., 2].mean() > 1.2 * sparks[..., 0].mean()


def test_every_example_is_run_here() -> None:
    """A new example needs a test."""
    assert {path.name for path in EXAMPLES.glob("*.py")} == {"embed.py", "window.py"}
