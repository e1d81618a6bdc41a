"""Clock: simulated time, and the frames of a fixed length that real time asks for."""

from __future__ import annotations

from ecs_softbody.processors.stage import LONGEST
from ecs_softbody.storage.saved import Saved
from ecs_softbody.validation import check_number

MOST_FRAMES_AT_ONCE = 5
"""No more frames than this are due at once: a slow machine slows the world down instead."""


class Accumulator:
    """Turns time that passes into whole frames; a remainder shorter than a frame is kept."""

    def __init__(self) -> None:
        self.left_over = 0.0
        """Time that has not filled a frame yet, in the unit of `elapsed`."""

    def due(self, elapsed: float, frame: float) -> int:
        """Add the time that has passed and return how many frames it fills, at most MOST_FRAMES_AT_ONCE."""
        self.left_over += elapsed
        frames = int(self.left_over / frame)
        self.left_over -= frames * frame
        return min(frames, MOST_FRAMES_AT_ONCE)


class Clock:
    """The time of a Simulation: pause, slow motion, single steps, and what real time has left over."""

    transient = ("paused", "_real_time", "_single_steps")
    saved = ("time", "frame", "frame_dt", "_time_scale", "alpha")

    def __init__(self) -> None:
        self.time = 0.0
        self.frame = 0
        self.frame_dt = 1.0 / 60.0
        self.paused = False
        self._time_scale = 1.0
        self.alpha = 1.0
        self._real_time = Accumulator()
        self._single_steps = 0

    def load(self, saved: Saved) -> None:
        """Have the time of a file."""
        self.time, self.frame = saved.number("time"), saved.whole("frame", 0)
        self.frame_dt, self.alpha = saved.number("frame_dt", 0.0, LONGEST), saved.number("alpha", 0.0, 1.0)
        self._time_scale = saved.number("time_scale", 0.0, LONGEST)

    @property
    def time_scale(self) -> float:
        """How fast time passes; 0 stands still."""
        return self._time_scale

    @time_scale.setter
    def time_scale(self, value: float) -> None:
        self._time_scale = check_number("Simulation", "time_scale", value, minimum=0.0)

    def count_frame(self, dt: float) -> None:
        """Note that a frame of dt seconds has been simulated."""
        self.time += dt
        self.frame += 1
        self.alpha = 1.0

    def frames_due(self, elapsed: float) -> int:
        """Return how many frames `elapsed` seconds of real time ask for, with the single steps asked for."""
        frames = self.take_single_steps()
        return frames if self.paused else frames + self._real_time.due(elapsed * self.time_scale, self.frame_dt)

    def show_left_over(self) -> None:
        """Set `alpha` to the share of the next frame that the time left over covers."""
        if not self.paused:
            self.alpha = self._real_time.left_over / self.frame_dt

    def request_single_step(self) -> None:
        """Let the next `advance` run one frame although the simulation is paused."""
        self._single_steps += 1

    def take_single_steps(self) -> int:
        """Return how many single steps were asked for, and forget them: a session runs them itself."""
        steps, self._single_steps = self._single_steps, 0
        return steps
