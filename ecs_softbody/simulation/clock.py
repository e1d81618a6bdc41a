"""Clock: simulated time, and how many frames of fixed length are due as real time passes.

A picture comes at any time, frames of the simulation only every `frame_dt`. So a remainder of real
time is kept, and pictures interpolate between the last two frames by its share `alpha`.
"""

from __future__ import annotations

from ecs_softbody.storage.resource import Number, Resource, Whole
from ecs_softbody.validation import SETTINGS

MOST_FRAMES_AT_ONCE = 5
"""No more frames than this are due at once: a slow machine slows the world down instead."""


MOST_COUNTED = 2.0**53
"""If more frames than this are due, a float has no digits left for the remainder: it is dropped."""


class Accumulator:
    """Turns time that passes into whole frames; a remainder shorter than a frame is kept."""

    def __init__(self) -> None:
        self.left_over = 0.0
        """Time that has not filled a frame yet, in the unit of `elapsed`."""

    def due(self, elapsed: float, frame: float) -> int:
        """Add the time that has passed and return how many frames of length `frame` it fills, at
        most MOST_FRAMES_AT_ONCE. Both times are in one unit, any.
        """
        self.left_over += elapsed
        due = self.left_over / frame
        if due > MOST_COUNTED:
            self.left_over = 0.0
            return MOST_FRAMES_AT_ONCE
        # Frames beyond the limit also count as done: a slow machine slows the world down, and owes
        # nothing.
        self.left_over -= int(due) * frame
        return min(int(due), MOST_FRAMES_AT_ONCE)


class Clock(Resource):
    """The time of a Simulation: pause, slow motion, single steps, and the remainder of real
    time.
    """

    saved = (
        Number("time", "Simulated time.", unit="s", check=SETTINGS["time"]),
        Whole("frame", "Frames that were simulated.", check=SETTINGS["frame"]),
        Number("frame_dt", "Length of the last frame.", unit="s", check=SETTINGS["frame_dt"]),
        Number("scale", "How fast time passes.", name="time_scale", check=SETTINGS["time_scale"]),
        Number("alpha", "Share of a frame that the picture is ahead.", check=SETTINGS["alpha"]),
    )

    def __init__(self) -> None:
        self.time = 0.0
        """Simulated time [s]."""
        self.frame = 0
        """Frames that were simulated."""
        self.frame_dt = 1.0 / 60.0
        """Length of a frame [s]."""
        self.paused = False
        """Whether only single steps are due."""
        self.scale = 1.0
        """How fast time passes: simulated over real time."""
        self.alpha = 1.0
        """Where the picture is between the last two frames, 0 to 1."""
        self._real_time = Accumulator()
        self._single_steps = 0
        """Frames that were asked for while paused and have not run yet."""

    @property
    def time_scale(self) -> float:
        """How fast time passes; 0 stands still."""
        return self.scale

    @time_scale.setter
    def time_scale(self, value: float) -> None:
        self.scale = SETTINGS["time_scale"](value)

    def count_frame(self, dt: float) -> None:
        """Note that a frame of dt seconds has been simulated."""
        self.time += dt
        self.frame += 1
        self.alpha = 1.0

    def frames_due(self, elapsed: float) -> int:
        """Return how many frames are due after `elapsed` seconds of real time, including requested
        single steps.
        """
        frames = self.take_single_steps()
        return (
            frames
            if self.paused
            else frames + self._real_time.due(elapsed * self.time_scale, self.frame_dt)
        )

    def show_left_over(self) -> None:
        """Set `alpha` to the share of the next frame that the time left over covers."""
        if not self.paused:
            self.alpha = self._real_time.left_over / self.frame_dt

    def request_single_step(self) -> None:
        """Let the next `advance` run one frame although the simulation is paused."""
        self._single_steps += 1

    def take_single_steps(self) -> int:
        """Return the number of requested single steps, and reset it: a session runs them itself."""
        steps = self._single_steps
        self._single_steps = 0
        return steps
