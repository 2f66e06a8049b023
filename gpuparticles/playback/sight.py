"""A camera and the picture of depths that was drawn with it."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpuparticles.errors import EffectError
from gpuparticles.playback.place import Place, Vec3, matrix_of, rotate

__all__ = ["Sight"]

Matrix = NDArray[np.float64]


class Sight(NamedTuple):
    """What leads from the world to a window with depth, in double precision, and back.

    Args:
        window: float64 (4, 4): from the world to (x, y, depth, 1) * w; x and y in pixels.
        nothing: The depth where nothing is seen: that of the far plane.
        nearest: The depth of the near plane.
    """

    window: Matrix
    nothing: float
    nearest: float

    @classmethod
    def of(
        cls,
        view: object,
        projection: object,
        size: tuple[int, int],
        *,
        depths: tuple[float, float] = (0.0, 1.0),
        upwards: bool = True,
        from_zero: bool = False,
    ) -> Sight:
        """Read a camera.

        Which of the two planes is far, so whether depth is reversed, follows from the projection.

        Args:
            view: 4x4 for column vectors, from the world to the camera.
            projection: 4x4 for column vectors, from the camera to clip space.
            size: Of the picture, in pixels.
            depths: At the begin and at the end of clip space: as ``glDepthRange`` has it.
            upwards: Whether clip space goes up where the picture does.
            from_zero: Whether clip space begins at 0 along the line of sight, not at -1.

        Raises:
            EffectError: Not such matrices, or none that lead back.
        """
        v = np.array(matrix_of(view, "set_depth: view", affine=True))
        p = np.array(matrix_of(projection, "set_depth: projection"))
        half, low = np.array(size) / 2, 0.0 if from_zero else -1.0
        deep = (depths[1] - depths[0]) / (1.0 - low)
        shown = np.diag((half[0], half[1] if upwards else -half[1], deep, 1.0))
        shown[:3, 3] = half[0], half[1], depths[0] - low * deep
        lens = shown @ p
        try:
            back = np.linalg.inv(lens)
            np.linalg.inv(v)
        except np.linalg.LinAlgError:
            raise EffectError(
                "set_depth: view and projection do not lead back from a depth to a place"
            ) from None
        away = [_distance(back, (half[0], half[1], depth, 1.0)) for depth in depths]
        near, far = depths if away[0] < away[1] else depths[::-1]
        return cls(lens @ v, far, near)

    def shifted(self, offset: Vec3) -> Sight:
        """The same when everything, the camera too, has been moved."""
        back = np.eye(4)
        back[:3, 3] = [-x for x in offset]
        return self._replace(window=self.window @ back)

    def rows(self, frame: Place) -> NDArray[np.float32]:
        """What `Depths.rows` says, for particles in a frame that is placed and turned."""
        own = np.eye(4)
        own[:3, :3] = np.transpose([rotate(frame.turn, axis) for axis in _AXES])
        own[:3, 3] = frame.place
        window = self.window @ own
        back = np.linalg.inv(window)
        # All lines of sight meet where the viewer is: in what is no place of the window but the
        # direction of its depth.
        eye = back[:, 2]
        flat = abs(eye[3]) <= 1e-12 * math.hypot(*eye[:3])
        eye = np.append(eye[:3] / np.linalg.norm(eye[:3]), 0.0) if flat else eye / eye[3]
        near, mean = (
            back @ (0.0, 0.0, depth, 1.0)
            for depth in (self.nearest, 0.5 * (self.nearest + self.nothing))
        )
        near, mean = near[:3] / near[3], mean[:3] / mean[3]
        if np.dot(eye[:3] - eye[3] * mean, near - mean) < 0:
            eye = -eye
        last = (1.0, self.nothing, 0.0, 0.0)
        return np.asarray(np.vstack([window, back, eye, last]), np.float32)


_AXES: tuple[Vec3, ...] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def _distance(back: Matrix, place: tuple[float, ...]) -> float:
    """How far ahead of the camera what is at a place in the window lies."""
    _, _, z, w = back @ place
    return abs(z / w) if abs(w) > 1e-12 * abs(z) else math.inf
