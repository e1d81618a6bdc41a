"""ThreadChoice: whether a frame is run by several threads, by the times of recent frames.

Both ways give the same numbers, so the faster one may be taken, frame by frame. That is not known
beforehand: where other programs keep the cores busy, threads wait for each other. So now and then a
few frames are run the other way to compare, the more rarely the slower that was: comparing costs a
few percent of the time at most.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from statistics import median

from ecs_softbody.parallel.machine import thread_time

LEAST_TIME = 0.002
"""Frames that take one thread less than this [s] of a core are too short to be shared."""
TRIAL = 2
"""Frames of a trial of the other way.

Only the last one counts: caches are cold at first, threads asleep.
"""
SHARE_OF_TRIALS = 0.02
"""Most extra time of trials, over the time of the frames between them."""
SHORTEST_PAUSE, LONGEST_PAUSE = 30, 600
"""Frames between trials."""
MEMORY = 3
"""Trials, and frames to compare them with, whose medians are compared."""
GAIN = 0.95
"""The way is changed when the other one takes this share of the time or less."""
SUDDEN = 1.3
LEAST_PAUSE = 8
"""A frame of several threads that takes SUDDEN times as long as the frames before starts a trial,
LEAST_PAUSE frames after the last trial or later.
"""


class ThreadChoice:
    """Chooses for each frame, between `begin` and `end`.

    now: the clock [s]; worked: how long this thread has had a core so far [s].
    """

    def __init__(
        self,
        now: Callable[[], float] = time.perf_counter,
        worked: Callable[[], float] = thread_time,
    ) -> None:
        self._now = now
        self._worked = worked
        self._start = self._work_before = 0.0
        self.forget()

    def forget(self) -> None:
        """Start again with one thread, and with a trial soon."""
        self.together = False
        """Whether frames are run by several threads, but for trials."""
        self._ratios: deque[float] = deque(maxlen=MEMORY)
        self._times: deque[float] = deque(maxlen=MEMORY)
        self._work: deque[float] = deque(maxlen=MEMORY)
        self._left_of_trial = 0
        self._pause = MEMORY
        self._waited = 0

    def begin(self) -> bool:
        """Return whether several threads run the frame that begins."""
        if not self._left_of_trial and self._is_trial_due():
            self._left_of_trial = TRIAL
        self._work_before, self._start = self._worked(), self._now()
        return self.together != bool(self._left_of_trial)

    def end(self) -> None:
        """Take note of how long the frame took."""
        taken = self._now() - self._start
        if self._left_of_trial:
            self._left_of_trial -= 1
            if not self._left_of_trial:
                self._compare(taken)
            return
        self._waited += 1
        if self.together and len(self._times) == MEMORY and taken > SUDDEN * median(self._times):
            self._pause = min(self._pause, max(self._waited + 1, LEAST_PAUSE))
        self._times.append(taken)
        self._work.append(self._worked() - self._work_before)

    def _is_trial_due(self) -> bool:
        if len(self._times) < MEMORY or self._waited < self._pause:
            return False
        if self.together:
            return True
        return median(self._work) >= LEAST_TIME

    def _compare(self, taken: float) -> None:
        """Judge a trial: change over when the other way has been faster mostly."""
        ratio = taken / max(median(self._times), 1e-9)
        self._ratios.append(ratio)
        self._waited = 0
        self._pause = int(
            min(max(TRIAL * (ratio - 1.0) / SHARE_OF_TRIALS, SHORTEST_PAUSE), LONGEST_PAUSE)
        )
        if ratio <= GAIN:
            self._pause = LEAST_PAUSE  # to make sure
        if len(self._ratios) == MEMORY and median(self._ratios) <= GAIN:
            self._ratios.clear()
            self._times.clear()
            self.together = not self.together
