"""Camera: the visible part of the world, how it follows a hero, and how it shakes.

`follow` and `fit` set a goal, towards which the view glides; `advance` begins each frame; `view`
returns the view of a picture between two frames. Pixels exist here and in rendering only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from ecs_softbody.arrays import Floats
from ecs_softbody.components import Particles
from ecs_softbody.errors import FieldError, shown
from ecs_softbody.rendering.explained import check_places
from ecs_softbody.rendering.jolts import Jolts
from ecs_softbody.rendering.screen.points import USUAL_HEIGHT
from ecs_softbody.rendering.screen.view import View
from ecs_softbody.validation import (
    FARTHEST,
    LONGEST_FRAME,
    array_of,
    check_coordinates,
    check_count,
    check_flag,
    check_number,
    check_point,
    read_only,
    unknown_attribute,
)

KEY_BAR = 46.0
"""Height of the bar with keys and marks at the bottom of the screen [points]."""
GATHER = 3.5
"""Time constant of the lead, as a multiple of the smoothing: it does not follow every step to and
fro.
"""
LEAD_X = 0.22
"""Largest lead across, as a fraction of the visible width."""
LEAD_Y = 0.08
"""Largest lead up and down, as a fraction of the visible height."""
UPWARDS = 0.3
"""Factor of the lead for vertical motion: the view follows a jump less than a run."""
STEP = 0.0625
"""Step of camera positions [pixels]: a view that settles soon stays exactly the same, and need not
be redrawn.
"""
SEVERAL = "a list of bodies, each Particles or points (x, y) [m]"
Rectangle = tuple[float, float, float, float]
"""Left, bottom, right, top [m]."""

SETTINGS: Mapping[str, Callable[[Any], Any]] = {
    "limits": lambda value: None if value is None else _checked_rectangle("limits", value),
    "smoothing": lambda value: check_number("Camera", "smoothing", value, minimum=0.0),
    "lead": lambda value: check_number("Camera", "lead", value),
    "dead_zone": lambda value: check_point("Camera", "dead_zone", value),
    "shakes": lambda value: check_flag("Camera", "shakes", value),
}
"""Settings of a camera, with their checks."""
OTHER_WORDS = {
    "zoom": "height", "scale": "height", "position": "center", "pos": "center", "x": "center",
    "y": "center", "target": "follow", "look_at": "jump_to", "move_to": "jump_to",
    "bounds": "visible", "width": "visible",
}  # fmt: skip
"""Names in other libraries, with the name here."""


def _unknown(name: str) -> AttributeError:
    """Return the error for an attribute that a camera does not have."""
    return unknown_attribute("Camera", name, [*SETTINGS, *dir(Camera)], OTHER_WORDS)


class Camera:
    """Looks at `center` and shows `height` metres of the world.

    Args:
        center: middle of the view [m].
        height: visible height [m].
        limits: left, bottom, right, top [m] that the view stays inside of, or None.
        smoothing: time [s] in which the camera covers about two thirds of the way to its target.
        lead: how far ahead it looks [s of the target's velocity]; at most LEAD_X of the width,
            LEAD_Y of the height.
        dead_zone: how far [m] to each side, and up and down, a followed target may go before the
            camera moves.

    `shakes` is False where the player wants none.
    """

    def __init__(
        self,
        center: tuple[float, float] = (0.0, 0.0),
        height: float = 9.0,
        *,
        limits: Rectangle | None = None,
        smoothing: float = 0.18,
        lead: float = 0.55,
        dead_zone: tuple[float, float] = (0.0, 0.0),
    ) -> None:
        self.limits = limits
        self.smoothing = smoothing
        self.lead = lead
        self.dead_zone = dead_zone
        self.shakes = True
        self._aspect = 16.0 / 9.0
        self._points = USUAL_HEIGHT
        self.height = height
        self.center = center
        self._jolts = Jolts()
        # Present lead ahead of the followed target [m], its smoothed velocity [m/s], and the view
        # of the frame before: middle x, y and height [m].
        self._lead = np.zeros(2)
        self._pace = np.zeros(2)
        self._before = self._seen()

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            """Suggest the attribute that was meant."""
            raise _unknown(name)

        def __setattr__(self, name: str, value: object) -> None:
            """Refuse a name that is no attribute: nothing would read it."""
            if not (name.startswith("_") or name in SETTINGS or hasattr(type(self), name)):
                raise _unknown(name)
            checked = SETTINGS[name](value) if name in SETTINGS else value
            try:
                object.__setattr__(self, name, checked)
            except AttributeError:
                raise read_only("Camera", name) from None

    @property
    def aspect(self) -> float:
        """Width of the picture over its height; the window keeps it up to date, and a fit stays
        fitted.
        """
        return self._aspect

    @aspect.setter
    def aspect(self, value: float) -> None:
        value = check_number("Camera", "aspect", value, above=0.0)
        changed = value != self._aspect
        self._aspect = value
        if changed and self._fitted is not None:
            self.fit(self._fitted[0], margin=self._fitted[1])

    def fill(self, width: float, height: float) -> None:
        """Fill a screen of this size [points]; a session calls it for every picture, and a fit
        stays fitted.
        """
        width = check_number("Camera.fill", "width", width, above=0.0)
        height = check_number("Camera.fill", "height", height, above=0.0)
        changed = height != self._points
        self._points = height
        self.aspect = width / height
        if changed and self._fitted is not None:
            self.fit(self._fitted[0], margin=self._fitted[1])

    @property
    def screen_height(self) -> float:
        """Height of the screen [points]."""
        return self._points

    @property
    def height(self) -> float:
        """Visible height [m]; setting it zooms at once."""
        return self._height

    @height.setter
    def height(self, value: float) -> None:
        self._height = self._goal_height = check_number("Camera", "height", value, above=0.0)

    @property
    def center(self) -> tuple[float, float]:
        """Middle of the view [m]; setting it looks there at once."""
        return self._center

    @center.setter
    def center(self, value: tuple[float, float]) -> None:
        self._center = check_coordinates("Camera", "center", value)
        self._goal: tuple[float, float] | None = None
        self._fitted: tuple[Rectangle, float] | None = None
        self._anchor: Floats | None = None

    @property
    def width(self) -> float:
        """Visible width [m]."""
        return self.height * self.aspect

    @property
    def visible(self) -> Rectangle:
        """Left, bottom, right, top [m] of the area visible above the key bar, now."""
        left, bottom, right, top = self._screen().bounds
        return left, bottom + KEY_BAR * self.height / self._points, right, top

    def jump_to(self, center: ArrayLike) -> None:
        """Look at `center` [m] at once."""
        self.center = self._limited(*check_coordinates("Camera.jump_to", "center", center))
        self._before = self._seen()
        self._lead[:] = self._pace[:] = 0.0

    def fit(self, rectangle: Rectangle, *, margin: float = 0.0, dt: float | None = None) -> None:
        """Show a whole rectangle above the key bar, as large as it goes, in a window of any shape.

        Args:
            rectangle: left, bottom, right, top [m].
            margin: room around it [m].
            dt: None: at once, and it stays fitted when the window changes, until the camera is sent
                elsewhere. A time [s]: glide there, called once per frame with another rectangle
                each time.

        Raises:
            ValueError: for a rectangle without a width or a height, or a margin that leaves none.
        """
        left, bottom, right, top = _checked_rectangle("fit.rectangle", rectangle, margin)
        points = self._points
        height = points * max(
            (top - bottom) / (points - KEY_BAR), (right - left) / (points * self.aspect)
        )
        middle = (0.5 * (left + right), 0.5 * (bottom + top) - 0.5 * KEY_BAR * height / points)
        if dt is not None:
            self._fitted = None
            dt = check_number("Camera.fit", "dt", dt, minimum=0.0, maximum=LONGEST_FRAME)
            self.zoom_to(height)
            self._glide(np.array(middle), dt)
            return
        self.height = height
        self.center = middle
        self._fitted = ((rectangle[0], rectangle[1], rectangle[2], rectangle[3]), margin)
        self._before = self._seen()

    def fit_bodies(
        self,
        bodies: Iterable[ArrayLike | Particles],
        *,
        margin: float = 1.0,
        least: float = 4.0,
        dt: float | None = None,
    ) -> None:
        """Show several bodies at once.

        Args:
            bodies: components `Particles`, or points [m]; points that are not finite, and empty
                bodies, do not count.
            margin: room around them [m].
            least: never show less than this height [m].
            dt: as in `fit`: None at once, or the time of a frame [s] to glide along with them.
        """
        margin = check_number("Camera.fit_bodies", "margin", margin)
        least = check_number("Camera.fit_bodies", "least", least)
        points = np.concatenate([*map(_points_of, _listed(bodies)), np.empty((0, 2))])
        points = points[np.isfinite(points).all(axis=1)]
        if not len(points):
            return
        (left, bottom) = points.min(axis=0) - margin
        (right, top) = points.max(axis=0) + margin
        missing = max(0.0, 0.5 * (least - (top - bottom)))
        self.fit((float(left), float(bottom - missing), float(right), float(top + missing)), dt=dt)

    def follow(
        self, target: ArrayLike, velocity: ArrayLike = (0.0, 0.0), *, dt: float = 1 / 60
    ) -> None:
        """Move smoothly towards `target` [m], a little ahead of its `velocity` [m/s]; once per
        frame.

        It stays in place while these are not finite, as for a frozen body.
        """
        place = array_of(target)
        speed = array_of(velocity)
        if place.shape == speed.shape == (2,) and not (
            np.isfinite(place).all() and np.isfinite(speed).all()
        ):
            return
        place = check_point("Camera.follow", "target", target)
        speed = check_point("Camera.follow", "velocity", velocity)
        dt = check_number("Camera.follow", "dt", dt, minimum=0.0, maximum=LONGEST_FRAME)
        # Lead and pace approach their values exponentially, with the time constant
        # GATHER × smoothing.
        share = 1.0 - math.exp(-dt / max(GATHER * self.smoothing, 1e-6))
        most = np.array((LEAD_X * self.width, LEAD_Y * self.height))
        self._lead += (
            np.clip(speed * self.lead * (1.0, UPWARDS), -most, most) - self._lead
        ) * share
        # The anchor follows the target only when that leaves the dead zone around it.
        room = np.maximum(np.asarray(self.dead_zone, np.float64), 0.0)
        before = place if self._anchor is None else self._anchor
        self._anchor = np.clip(before, place - room, place + room)
        self._pace += (
            (self._anchor - before) / max(dt, 1e-6) - self._pace
        ) * share  # lag of the glide that follows
        # A glide with the time constant T lags behind a goal with the velocity v by v T: this lag
        # is added to the goal.
        self._fitted = None
        self._glide(self._anchor + self._lead + self._pace * self.smoothing * (1.0, UPWARDS), dt)

    def zoom_to(self, height: float) -> None:
        """Glide to a visible height [m]."""
        self._goal_height = min(max(check_number("Camera.zoom_to", "height", height), 0.1), 1e4)
        self._fitted = None

    def shake(self, strength: float) -> None:
        """Shake for a moment; 1 is a strong hit, and the strongest one counts."""
        if self.shakes:
            self._jolts.shake(check_number("Camera.shake", "strength", strength))

    def kick(self, direction: ArrayLike, strength: float = 1.0) -> None:
        """Jump in a direction and come back at once: a cut, a shot; 1 is a strong one."""
        if self.shakes:
            way = check_coordinates("Camera.kick", "direction", direction)
            self._jolts.kick(way, check_number("Camera.kick", "strength", strength))

    def push_in(self, place: ArrayLike, share: float = 1.0) -> None:
        """Lean in on a place [m]: once per frame, as long as something is about to happen there;
        share 0 to 1.
        """
        at = check_coordinates("Camera.push_in", "place", place)
        self._jolts.push_in(at, check_number("Camera.push_in", "share", share))

    def settle(self) -> None:
        """Jump to the target at once: a round begins this way, without a glide or a shake."""
        self._jolts.clear()
        if self._fitted is None:
            self._height = self._goal_height
            self._center = self._limited(*(self._goal or self.center))
        self._before = self._seen()

    def advance(self, dt: float = 1 / 60) -> None:
        """Begin the next frame: remember this one for interpolation, zoom, and let a shake die
        down.
        """
        dt = check_number("Camera.advance", "dt", dt, minimum=0.0, maximum=LONGEST_FRAME)
        self._before = self._seen()
        away = self._goal_height - self.height
        self._height += (
            away * (1.0 - math.exp(-dt / 0.2)) if abs(away) > 1e-5 * self.height else away
        )
        self._jolts.advance(dt)

    def view(self, width_px: int, height_px: int, alpha: float = 1.0) -> View:
        """Return the view of a picture of this size [pixels], `alpha` (0 to 1) of the way through
        this frame.
        """
        width_px = check_count("Camera.view", "width_px", width_px)
        height_px = check_count("Camera.view", "height_px", height_px)
        alpha = check_number("Camera.view", "alpha", alpha)
        x0, y0, height0 = self._before
        x, y, height = self._seen()
        seen = height0 + (height - height0) * alpha
        step = max(STEP * seen / height_px, 1e-12)
        middle = (
            step * round((x0 + (x - x0) * alpha) / step),
            step * round((y0 + (y - y0) * alpha) / step),
        )
        return View(middle, seen, width_px, height_px)

    def world_to_screen(self, points: ArrayLike) -> Floats:
        """Return world points [m], shape (..., 2), as screen points (origin bottom left)."""
        return self._screen().to_pixels(check_places("Camera.world_to_screen", "points", points))

    def screen_to_world(self, points: ArrayLike) -> Floats:
        """Return screen points (origin bottom left), shape (..., 2), as world points [m]."""
        return self._screen().to_world(check_places("Camera.screen_to_world", "points", points))

    def _screen(self) -> View:
        x, y, height = self._seen()
        return View((x, y), height, round(self._points * self.aspect), round(self._points))

    def _seen(self) -> tuple[float, float, float]:
        """Return the center and the height of the current view [m], including shakes and kicks."""
        return self._jolts.seen(*self.center, self.height, self.width)

    def _glide(self, goal: Floats, dt: float) -> None:
        """Move towards a goal [m]; `settle` is there at once."""
        self._goal = (float(goal[0]), float(goal[1]))
        share = 1.0 - math.exp(-dt / max(self.smoothing, 1e-6))
        (x, y) = self.center
        (goal_x, goal_y) = self._goal
        self._center = self._limited(x + (goal_x - x) * share, y + (goal_y - y) * share)

    def _limited(self, x: float, y: float) -> tuple[float, float]:
        """Return the middle of a view [m] that stays inside the limits."""
        if self.limits is None:
            return x, y
        left, bottom, right, top = self.limits
        return _limited_to(x, left, right, 0.5 * self.width), _limited_to(
            y, bottom, top, 0.5 * self.height
        )


def _listed(bodies: Iterable[ArrayLike | Particles]) -> Iterable[ArrayLike | Particles]:
    """Return the bodies of `fit_bodies`, which are several."""
    if isinstance(bodies, str) or not isinstance(bodies, Iterable):
        raise FieldError("Camera.fit_bodies", "bodies", bodies, SEVERAL)
    return bodies


def _points_of(body: ArrayLike | Particles) -> Floats:
    """Return the points of a body as an array (N, 2)."""
    asked: Any = body
    given = getattr(asked, "position", asked)
    points = array_of(given)
    if points.size % 2 or (not points.size and np.size(given)):
        raise FieldError("Camera.fit_bodies", "bodies", body, SEVERAL)
    return points.reshape(-1, 2)


def _limited_to(middle: float, low: float, high: float, half: float) -> float:
    """Return the middle of a range of 2 `half` that stays inside [low, high], or their middle if it
    is wider.
    """
    return (
        0.5 * (low + high) if high - low < 2 * half else min(max(middle, low + half), high - half)
    )


def _checked_rectangle(field: str, rectangle: Rectangle, margin: float = 0.0) -> Rectangle:
    """Return a rectangle [m] with its margin, or raise ValueError if it has no size."""
    sides = array_of(rectangle)
    room = array_of(margin)
    good = sides.shape == (4,) and room.shape == () and (np.abs([*sides, room]) <= FARTHEST).all()
    left, bottom, right, top = (
        (sides + room * (-1.0, -1.0, 1.0, 1.0)).tolist() if good else (0.0,) * 4
    )
    if not (right > left and top > bottom):
        beside = "" if room.shape == () and room == 0.0 else f" with a margin of {shown(margin)}"
        raise FieldError(
            "Camera",
            field,
            rectangle,
            "left, bottom, right, top [m] with right > left and top > bottom",
            hint=beside,
        )
    return left, bottom, right, top
