"""GameClock: timers, tweens, hit-stop and slow motion of a game; Pace: its speed in frames.

There are two times. Game time passes with the frames of the world, 1/60 s each: timers and tweens
follow it. The player's time passes with the frames of the screen: hit-stop (the world freezes for a
moment) and slow motion last that long. A session asks `pass_real_time` for the speed of the world,
and Pace for how many of its frames are due.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ecs_softbody.errors import FieldError, FieldTypeError
from ecs_softbody.simulation.clock import MOST_FRAMES_AT_ONCE
from ecs_softbody.validation import check_number

if TYPE_CHECKING:
    from ecs_softbody.simulation import Simulation

FRAME = 1.0 / 60.0
"""Length of a game frame [s]; constant, independent of the screen's rate."""
EARLY = 1e-6 * FRAME
"""Tolerance of due times [s], so that rounding does not cost a whole frame."""
LONGEST_STOP = 2.0  # s
"""Limit of a hit-stop."""

Ease = Literal["linear", "in", "out", "in_out"]
EASES: dict[str, Callable[[float], float]] = {
    "linear": lambda share: share,
    "in": lambda share: share * share,
    "out": lambda share: share * (2.0 - share),
    "in_out": lambda share: share * share * (3.0 - 2.0 * share),
}
"""How far a tween is [0 to 1] at a share of its time."""


class Timer:
    """A delayed or continuing action of a game clock. `cancel` stops it."""

    def __init__(
        self, due: float, act: Callable[[float], float | None], world: Simulation | None
    ) -> None:
        """due: game time of the first call [s]. act: called then with the game time; returns when
        it is due again, or None. world: the one that it belongs to; None: the world of the first
        frame.
        """
        self.active = True
        """Whether it is still pending."""
        self._due = due
        self._act = act
        self._world = world

    def cancel(self) -> None:
        """Cancel the action."""
        self.active = False

    def advance(self, now: float, world: Simulation) -> None:
        """Act if due at `now` [s of game time]; a timer of another world never is."""
        if self._world is None:
            self._world = world
        if self._world is not world:
            self.active = False
        while self.active and now >= self._due - EARLY:
            following = self._act(now)
            if following is None:
                self.active = False
                return
            self._due = following
            if self._world.closed:
                self.active = False


class GameClock:
    """Game time, timers and tweens: each Game has a clock, `game.clock`.

    Game time passes with the frames of the world: slower in slow motion, not at all while the game
    is paused. Timers and tweens belong to the world in which they were made, and end with it. A
    hit-stop or slow motion lasts its stated duration in the player's time, regardless of game time.
    """

    def __init__(self, world: Callable[[], Simulation | None] = lambda: None) -> None:
        self._find_world = world
        self.clear()

    def clear(self) -> None:
        """Begin a new round: time 0, no timers, no slow motion."""
        self.now = 0.0
        """Game time since the round began [s]."""
        # Frames of the round so far.
        self._frames = 0
        self._timers: list[Timer] = []
        # In the player's time [s]: what is left of a hit-stop, of slow motion, and of its easing
        # back; the whole easing. `_scale` is the speed in slow motion.
        self._stopped = 0.0
        self._scale = 1.0
        self._slow_for = 0.0
        self._ease_for = 0.0
        self._easing = 0.0

    def after(self, seconds: float, action: Callable[[], object]) -> Timer:
        """Call `action` once, in `seconds` of game time."""
        wait = check_number("after", "seconds", seconds, minimum=0.0)
        _check_callable("after", "action", action)

        def act(now: float) -> None:
            action()

        return self._add(self.now + wait, act)

    def every(self, seconds: float, action: Callable[[], object]) -> Timer:
        """Call `action` repeatedly, first after `seconds` of game time, then at that interval, at
        least one frame (1/60 s).
        """
        period = check_number("every", "seconds", seconds, minimum=FRAME - EARLY)
        _check_callable("every", "action", action)
        started = self.now
        count = 1

        def act(now: float) -> float:
            nonlocal count
            count += 1
            action()
            return started + count * period  # from the start: rounding errors do not accumulate

        return self._add(started + period, act)

    def tween(
        self,
        change: Callable[[Any], object],
        start: ArrayLike,
        end: ArrayLike,
        seconds: float,
        *,
        ease: Ease = "in_out",
        done: Callable[[], object] | None = None,
    ) -> Timer:
        """Call `change` in every frame with a value that goes from `start` to `end` in `seconds`.

        Args:
            change: called with a float, or with an array when `start` and `end` are points or
                arrays.
            start: first value; it is set at once.
            end: last value; the last call has exactly this one.
            seconds: length in game time [s].
            ease: "linear", "in" (begins slowly), "out" (ends slowly) or "in_out".
            done: called after the last value.

        Raises:
            ValueError: for another ease, a length below 0, or values that are not finite numbers of
                the same shape.
        """
        length = check_number("tween", "seconds", seconds, minimum=0.0)
        _check_callable("tween", "change", change)
        if ease not in EASES:
            raise FieldError("tween", "ease", ease, ", ".join(EASES))
        first, last = _tween_values(start, end)
        scalar = first.ndim == 0
        started = self.now

        def value(share: float) -> Any:
            mixed = last if share >= 1.0 else first + (last - first) * EASES[ease](share)
            return float(mixed) if scalar else mixed.copy()

        def act(now: float) -> float | None:
            share = 1.0 if length == 0.0 else min((now - started + EARLY) / length, 1.0)
            change(value(share))
            if share < 1.0:
                return now + FRAME
            if done is not None:
                done()
            return None

        change(value(0.0))
        return self._add(started + FRAME, act)

    def hit_stop(self, seconds: float = 0.08) -> None:
        """Freeze the world for a moment [s in the player's time]; the longest request counts, 2 s
        at most.
        """
        wished = check_number("hit_stop", "seconds", seconds, minimum=0.0)
        self._stopped = min(max(self._stopped, wished), LONGEST_STOP)

    @property
    def is_stopped(self) -> bool:
        """Whether a hit-stop is active."""
        return self._stopped > EARLY

    def slow_motion(self, scale: float = 0.25, seconds: float = 0.8, *, ease: float = 0.25) -> None:
        """Slow the world down for a while, then let it return to full speed.

        Args:
            scale: speed of the world, above 0 and at most 1.
            seconds: duration in the player's time [s].
            ease: time [s] to return to full speed afterwards.
        """
        slow = check_number("slow_motion", "scale", scale, above=0.0)
        if slow > 1.0:
            raise FieldError("slow_motion", "scale", scale, "a number > 0 and <= 1")
        self._slow_for = check_number("slow_motion", "seconds", seconds, minimum=0.0)
        self._ease_for = self._easing = check_number("slow_motion", "ease", ease, minimum=0.0)
        self._scale = slow

    def advance(self, world: Simulation) -> None:
        """Let one frame of game time pass in a world, and run the due timers."""
        self._frames += 1
        self.now = self._frames * FRAME
        for timer in list(self._timers):
            if timer.active:
                timer.advance(self.now, world)
        self._timers[:] = [timer for timer in self._timers if timer.active]

    def pass_real_time(self, seconds: float) -> float:
        """Advance the player's time [s]; return the speed of the world meanwhile: 0 in a hit-stop,
        1 by default.
        """
        if self.is_stopped:
            self._stopped -= seconds
            return 0.0
        if self._slow_for > EARLY:
            self._slow_for -= seconds
            return self._scale
        if self._ease_for > EARLY:
            self._ease_for -= seconds
            left = max(self._ease_for / self._easing, 0.0)
            return 1.0 + (self._scale - 1.0) * left
        return 1.0

    def _add(self, due: float, act: Callable[[float], float | None]) -> Timer:
        """Add a timer to the current world; one made by `start` belongs to the world of the first
        frame.
        """
        timer = Timer(due, act, self._find_world() if self._frames else None)
        self._timers.append(timer)
        return timer


def _check_callable(owner: str, name: str, value: object) -> None:
    if not callable(value):
        raise FieldTypeError(owner, name, value, "a function, without () after its name")


def _tween_values(start: ArrayLike, end: ArrayLike) -> tuple[Any, Any]:
    try:
        first = np.asarray(start, np.float64)
        last = np.asarray(end, np.float64)
        good = first.shape == last.shape and bool(
            np.isfinite(first).all() and np.isfinite(last).all()
        )
    except (TypeError, ValueError):
        good = False
    if not good:
        raise FieldError(
            "tween",
            "",
            (start, end),
            "finite numbers of one shape",
            in_words=f"from {start!r} to {end!r}",
        )
    return first, last


ROUNDING = 1e-9
"""Tolerance of shares of a frame that are sums of many."""


class Pace:
    """Turns a speed (1 is normal, 0.25 slow, 0 stopped) into whole frames.

    The speed may change at any time. An `Accumulator` runs a frame once its time has passed; this
    one runs it when its time begins, and shows it bit by bit, so that a slow world answers a key
    at once.
    """

    def __init__(self) -> None:
        self._ahead = 0.0  # fraction of the last world frame not shown yet
        self._rate = 0.0  # speed in the present screen frame

    def due(self, rate: float) -> int:
        """Return the number of world frames in the next screen frame at this speed."""
        self._rate = rate
        if rate <= self._ahead + ROUNDING:
            self._ahead = max(self._ahead - rate, 0.0)
            return 0
        count = math.ceil(rate - self._ahead - ROUNDING)
        if count > MOST_FRAMES_AT_ONCE:
            self._ahead = 0.0
            return MOST_FRAMES_AT_ONCE
        self._ahead = max(self._ahead + count - rate, 0.0)
        return count

    def show_whole_frame(self) -> None:
        """Show the end of the last frame, without motion."""
        self._ahead = self._rate = 0.0

    def alpha(self, alpha: float) -> float:
        """Return the visible fraction of the world's last frame, `alpha` of the way through the
        screen's frame.
        """
        return min(max(1.0 - self._ahead - self._rate * (1.0 - alpha), 0.0), 1.0)
