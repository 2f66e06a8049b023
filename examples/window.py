"""Particles in a window: an effect file on the ground, sparks where you click.

    python examples/window.py [EFFECT]

Drag to look around, scroll to come nearer. Space pauses, R restarts, S stops and starts.
Needs ``pip install gpuparticles[viewer]``.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any, ClassVar

import moderngl_window
import numpy as np

import gpuparticles as gp

EFFECTS = Path(__file__).parent / "effects"
BLUE = (0.3, 0.6, 3.0)


class Window(moderngl_window.WindowConfig):
    """The window; moderngl-window calls it."""

    gl_version = (3, 3)
    title = "gpuparticles"
    window_size = (960, 720)
    aspect_ratio = None
    effect: ClassVar[Path] = EFFECTS / "campfire.json"

    def __init__(self, **named: Any) -> None:
        super().__init__(**named)
        self.particles = gp.ParticleSystem(self.ctx)
        self.playing = self.particles.play(gp.load(self.effect))
        self.particles.library["sparks"] = gp.load(EFFECTS / "sparks.json")
        self.particles.warm_up("sparks")
        self.stopped = False
        self.azimuth, self.elevation, self.distance = 0.0, 0.15, 6.0

    @property
    def view(self) -> np.ndarray:
        """The camera on its orbit."""
        flat = self.distance * math.cos(self.elevation)
        eye = (
            flat * math.sin(self.azimuth),
            1.4 + self.distance * math.sin(self.elevation),
            flat * math.cos(self.azimuth),
        )
        return gp.look_at(eye, (0, 1.4, 0))

    @property
    def projection(self) -> np.ndarray:
        """A lens for the window's shape."""
        return gp.perspective(40, max(self.wnd.aspect_ratio, 0.01), 0.1, 100)

    def on_render(self, time: float, frame_time: float) -> None:
        """One frame."""
        self.ctx.clear(0.01, 0.012, 0.02)
        self.particles.update(frame_time)
        self.particles.draw(self.view, self.projection)

    def on_mouse_drag_event(self, x: int, y: int, dx: int, dy: int) -> None:
        """Look around."""
        self.azimuth -= dx * 0.01
        self.elevation = min(max(self.elevation + dy * 0.01, -1.5), 1.5)

    def on_mouse_scroll_event(self, x_offset: float, y_offset: float) -> None:
        """Come nearer."""
        self.distance = min(max(self.distance * 0.9**y_offset, 0.5), 50.0)

    def on_mouse_press_event(self, x: int, y: int, button: int) -> None:
        """Sparks where the click meets the plane through the fire that faces the camera."""
        width, height = self.wnd.size
        clip = np.array([2 * x / width - 1, 1 - 2 * y / height])
        depth = self.distance
        offset = clip / np.diag(self.projection)[:2] * depth
        place = np.linalg.inv(self.view) @ (*offset, -depth, 1.0)
        self.particles.burst("sparks", position=place[:3], tint=BLUE)

    def on_key_event(self, key: Any, action: Any, modifiers: Any) -> None:
        """Play, pause, restart."""
        keys = self.wnd.keys
        if action != keys.ACTION_PRESS:
            return
        if key == keys.SPACE:
            self.playing.resume() if self.playing.paused else self.playing.pause()
        elif key == keys.R:
            self.playing.reset()
        elif key == keys.S:
            self.stopped = not self.stopped
            self.playing.stop() if self.stopped else self.playing.start()

    def on_close(self) -> None:
        """Leave nothing behind."""
        self.particles.release()


def main() -> None:
    """Open the window."""
    arguments = sys.argv[1:]
    if arguments and not arguments[0].startswith("-"):
        Window.effect = Path(arguments.pop(0))
    moderngl_window.run_window_config(Window, args=arguments)


if __name__ == "__main__":
    main()
