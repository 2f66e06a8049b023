"""Particles inside somebody else's OpenGL: a moderngl context of one's own, without a window.

The host clears and draws as it always does; the particles come in between and leave no trace in its
OpenGL state. At the end the picture is read back and saved.

    python examples/embed.py picture.png
"""

from __future__ import annotations

import sys
from pathlib import Path

import moderngl
import numpy as np
from PIL import Image

import gpuparticles as gp

SIZE = (480, 480)
STEP = 1 / 60

EFFECTS = Path(__file__).parent / "effects"

GROUND_VERTEX = """
#version 330 core
uniform mat4 u_camera;
void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    gl_Position = u_camera * vec4(corner.x * 3.0, 0.0, corner.y * 3.0, 1.0);
}
"""
GROUND_FRAGMENT = """
#version 330 core
out vec4 o_color;
void main() {
    o_color = vec4(0.05, 0.055, 0.07, 1.0);
}
"""


def render(ctx: moderngl.Context, seconds: float) -> np.ndarray:
    """Play for so long and return the picture, uint8 RGB, top row first."""
    target = ctx.framebuffer([ctx.texture(SIZE, 4)], ctx.depth_renderbuffer(SIZE))
    ground = ctx.program(vertex_shader=GROUND_VERTEX, fragment_shader=GROUND_FRAGMENT)
    quad = ctx.vertex_array(ground, [])
    view = gp.look_at(eye=(0, 1.4, 5), target=(0, 1.2, 0))
    projection = gp.perspective(40, SIZE[0] / SIZE[1], 0.1, 50)
    ground["u_camera"].write((projection @ view).astype("f4").T.tobytes())

    with gp.ParticleSystem(ctx) as particles:
        campfire = gp.load(EFFECTS / "campfire.json")
        particles.play(campfire, transform=(0, 0.45, 0), seed=1)
        particles.library["sparks"] = gp.load(EFFECTS / "sparks.json")
        for frame in range(round(seconds / STEP)):
            if frame % 60 == 50:
                particles.burst("sparks", position=(0.9 * (-1) ** (frame // 60), 1.6, 0))
            particles.update(STEP)

        target.use()
        ctx.enable(moderngl.DEPTH_TEST)
        ctx.clear(0.01, 0.012, 0.02, 1.0)
        quad.render(moderngl.TRIANGLE_STRIP, 4)
        particles.draw(view, projection)
        # The next line would have its depth test and its framebuffer, whatever particles did.

    pixels = np.frombuffer(target.read(components=3), np.uint8).reshape(*SIZE, 3)[::-1]
    for resource in (quad, ground, target.color_attachments[0], target.depth_attachment, target):
        resource.release()
    return pixels


def main() -> None:
    """Render and save."""
    output = sys.argv[1] if len(sys.argv) > 1 else "embed.png"
    Image.fromarray(render(gp.create_context(), 2.0)).save(output)
    print(output)


if __name__ == "__main__":
    main()
