"""Camera: which part of the world is seen. Pixels exist here and in what is drawn, nowhere else."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ecs_softbody.arrays import Floats

SCREEN_HEIGHT = 720.0
"""Height of the screen in points, whatever the window: all screen-space sizes and positions count points."""


@dataclass(frozen=True, slots=True)
class View:
    """The camera of one picture: a centre [m], a visible height [m] and the size of the picture [pixels]."""

    center: tuple[float, float]
    height: float
    width_px: int
    height_px: int

    @property
    def scale(self) -> float:
        """Pixels per metre."""
        return self.height_px / self.height

    @property
    def width(self) -> float:
        """Visible width [m]."""
        return self.height * self.width_px / self.height_px

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """Visible part of the world: left, bottom, right, top [m]."""
        x, y = self.center
        return x - self.width / 2, y - self.height / 2, x + self.width / 2, y + self.height / 2

    def to_pixels(self, points: ArrayLike) -> Floats:
        """Return world points [m], shape (..., 2), as pixels; the origin is at the bottom left, y up."""
        middle = (0.5 * self.width_px, 0.5 * self.height_px)
        return (np.asarray(points, np.float64) - self.center) * self.scale + middle

    def to_world(self, pixels: ArrayLike) -> Floats:
        """Return pixels (origin at the bottom left, y up), shape (..., 2), as world points [m]."""
        middle = (0.5 * self.width_px, 0.5 * self.height_px)
        return (np.asarray(pixels, np.float64) - middle) / self.scale + self.center


class Camera:
    """Looks at `center` and shows `height` metres of the world.

    Args:
        center: middle of the view [m].
        height: visible height [m].
        limits: left, bottom, right, top [m] that the view stays inside of, or None.
        smoothing: time [s] in which the camera covers about two thirds of the way to its target.
        lead: how far ahead it looks [s of the target's velocity].
    """

    def __init__(
        self,
        center: tuple[float, float] = (0.0, 0.0),
        height: float = 9.0,
        *,
        limits: tuple[float, float, float, float] | None = None,
        smoothing: float = 0.18,
        lead: float = 0.35,
    ) -> None:
        if not height > 0.0:
            raise ValueError(f"Camera.height: {height!r} is not allowed; expected metres > 0")
        self.limits = limits
        self.smoothing = smoothing
        self.lead = lead
        self.aspect = 16.0 / 9.0
        """Width of the picture over its height; the window keeps it up to date."""
        self.height = float(height)
        self.center = (float(center[0]), float(center[1]))
        self._goal_height = float(height)
        self._shake = 0.0
        self._shake_time = 0.0
        self._lead = np.zeros(2)
        self._before = (self.center, self.height, (0.0, 0.0))

    @property
    def width(self) -> float:
        """Visible width [m]."""
        return self.height * self.aspect

    def jump_to(self, center: ArrayLike) -> None:
        """Look at `center` [m] at once."""
        x, y = np.asarray(center, np.float64)
        self.center = self._limited(float(x), float(y))
        self._before = (self.center, self.height, (0.0, 0.0))
        self._lead[:] = 0.0

    def follow(self, target: ArrayLike, velocity: ArrayLike = (0.0, 0.0), *, dt: float = 1 / 60) -> None:
        """Move smoothly towards `target` [m], a little ahead of its `velocity` [m/s]; once per frame."""
        ahead = np.clip(np.asarray(velocity, np.float64) * self.lead, -0.22 * self.height, 0.22 * self.height)
        ahead[1] *= 0.35
        self._lead += (ahead - self._lead) * (1.0 - math.exp(-dt / max(2.5 * self.smoothing, 1e-6)))
        goal = np.asarray(target, np.float64) + self._lead
        share = 1.0 - math.exp(-dt / max(self.smoothing, 1e-6))
        x = self.center[0] + (goal[0] - self.center[0]) * share
        y = self.center[1] + (goal[1] - self.center[1]) * share
        self.center = self._limited(float(x), float(y))

    def zoom_to(self, height: float) -> None:
        """Glide to a visible height [m]."""
        self._goal_height = float(np.clip(height, 0.1, 1e4))

    def shake(self, strength: float) -> None:
        """Shake for a moment; 1 is a strong hit, and the strongest one counts."""
        self._shake = min(max(self._shake, strength), 1.5)

    def advance(self, dt: float = 1 / 60) -> None:
        """Begin the next frame: remember this one for interpolation, zoom, and let a shake die down."""
        self._before = (self.center, self.height, self._offset())
        self.height += (self._goal_height - self.height) * (1.0 - math.exp(-dt / 0.2))
        self._shake *= math.exp(-dt / 0.12)
        self._shake_time += dt

    def view(self, width_px: int, height_px: int, alpha: float = 1.0) -> View:
        """Return what a picture of this size [pixels] shows, `alpha` (0 to 1) of the way through this frame."""
        (x0, y0), height0, shaken0 = self._before
        shaken = self._offset()
        height = height0 + (self.height - height0) * alpha
        x = x0 + shaken0[0] + (self.center[0] + shaken[0] - x0 - shaken0[0]) * alpha
        y = y0 + shaken0[1] + (self.center[1] + shaken[1] - y0 - shaken0[1]) * alpha
        return View((x, y), height, width_px, height_px)

    def world_to_screen(self, points: ArrayLike) -> Floats:
        """Return world points [m], shape (..., 2), as screen points (720 high, origin bottom left)."""
        return self._screen().to_pixels(points)

    def screen_to_world(self, points: ArrayLike) -> Floats:
        """Return screen points (720 high, origin bottom left), shape (..., 2), as world points [m]."""
        return self._screen().to_world(points)

    def _screen(self) -> View:
        return self.view(round(SCREEN_HEIGHT * self.aspect), int(SCREEN_HEIGHT))

    def _offset(self) -> tuple[float, float]:
        amplitude = 0.018 * self.height * self._shake * self._shake
        time = self._shake_time
        return amplitude * math.sin(61.0 * time), amplitude * math.sin(73.0 * time + 1.3)

    def _limited(self, x: float, y: float) -> tuple[float, float]:
        if self.limits is None:
            return x, y
        left, bottom, right, top = self.limits
        return _limited_to(x, left, right, 0.5 * self.width), _limited_to(y, bottom, top, 0.5 * self.height)


def _limited_to(middle: float, low: float, high: float, half: float) -> float:
    """Return the middle of a range of 2 `half` that stays inside [low, high], or their middle if it is wider."""
    return 0.5 * (low + high) if high - low < 2 * half else min(max(middle, low + half), high - half)
