"""RealTime: runs frames of a fixed length as real time asks for them."""

from __future__ import annotations

from ecs_softbody.storage import check_number

MOST_FRAMES_AT_ONCE = 5
"""`advance` never runs more frames than this in one call: a slow machine slows the world down instead."""


class RealTime:
    """The part of a Simulation that a window drives: pause, slow motion, single steps, and what is left over."""

    def __init__(self) -> None:
        self.frame_dt = 1.0 / 60.0
        """Length of the frames that `advance` runs [s]."""
        self.paused = False
        self.time_scale = 1.0
        """How fast `advance` runs: 0.25 is slow motion."""
        self.alpha = 1.0
        """Where the drawn moment lies between the last two frames, 0 to 1."""
        self._left_over = 0.0
        self._single_steps = 0

    def step(self, dt: float = 1.0 / 60.0) -> None:
        """Run one frame of `dt` seconds."""
        raise NotImplementedError

    def advance(self, elapsed: float) -> int:
        """Run the frames that `elapsed` seconds of real time ask for, and return how many.

        Time that does not fill a frame is kept; `alpha` says how far it reaches into the next one. While paused
        only frames asked for with `request_single_step` run.
        """
        elapsed = check_number("Simulation.advance", "elapsed", elapsed, minimum=0.0)
        frames, self._single_steps = self._single_steps, 0
        if not self.paused:
            self._left_over += elapsed * self.time_scale
            due = int(self._left_over / self.frame_dt)
            self._left_over -= due * self.frame_dt
            frames += min(due, MOST_FRAMES_AT_ONCE)
        for _ in range(frames):
            self.step(self.frame_dt)
        if not self.paused:
            self.alpha = self._left_over / self.frame_dt
        return frames

    def request_single_step(self) -> None:
        """Let the next `advance` run one frame although the simulation is paused."""
        self._single_steps += 1
