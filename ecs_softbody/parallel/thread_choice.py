"""ThreadChoice: decides for each frame whether one thread or several run it, by the times that
recent frames took.

Both ways give the same numbers, so the faster one may be taken, frame by frame. Which one that is
is not known beforehand: where other programs keep the cores busy, threads wait for each other. So
now and then a *trial* is made: a few frames are run the other way and compared. The slower the
other way was, the longer is the pause until the next trial, so that trials cost a few percent of
the time at most.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from statistics import median

from ecs_softbody.parallel.machine import thread_time

LEAST_TIME = 0.002
"""Frames that take one thread less than this time of a core [s] are too short to be shared."""
TRIAL = 2
"""Number of frames of a trial. Only the last one counts: at first caches are cold and threads
asleep.
"""
SHARE_OF_TRIALS = 0.02
"""Largest extra time of trials, over the time of the frames between them. It sets the pause: TRIAL
(ratio - 1) / SHARE_OF_TRIALS frames.
"""
SHORTEST_PAUSE, LONGEST_PAUSE = 30, 600
"""Limits of the number of frames between two trials."""
MEMORY = 3
"""Number of the last trials, and of the last frames to compare a trial with, of which medians are
taken.
"""
GAIN = 0.95
"""The way is changed when the other one takes this share of the time or less."""
SUDDEN = 1.3
LEAST_PAUSE = 8
"""A frame of several threads that takes SUDDEN times as long as the frames before starts a trial,
LEAST_PAUSE frames after the last trial or later.
"""


class ThreadChoice:
    """Chooses for each frame; `begin` and `end` are called before and after it.

    now: a clock [s]; worked: a clock of the time for which this thread has had a core [s]. Tests
    replace both.
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
        """Whether frames are run by several threads, except in trials."""
        # Of the last trials: time of a frame over that of the frames before, run the usual way.
        self._ratios: deque[float] = deque(maxlen=MEMORY)
        # Of the last frames that were run the usual way: time, and time of a core [s].
        self._times: deque[float] = deque(maxlen=MEMORY)
        self._work: deque[float] = deque(maxlen=MEMORY)
        self._left_of_trial = 0  # frames
        self._pause = MEMORY  # frames between the last trial and the next one
        self._waited = 0  # frames since the last trial

    def begin(self) -> bool:
        """Return whether several threads run the frame that begins."""
        if not self._left_of_trial and self._is_trial_due():
            self._left_of_trial = TRIAL
        self._work_before, self._start = self._worked(), self._now()
        return self.together != bool(self._left_of_trial)

    def end(self) -> None:
        """Note how long the frame took; a trial is judged after its last frame."""
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
        """Return whether the next frame begins a trial: the pause is over, and frames take long
        enough to be shared.
        """
        if len(self._times) < MEMORY or self._waited < self._pause:
            return False
        if self.together:
            return True
        return median(self._work) >= LEAST_TIME

    def _compare(self, taken: float) -> None:
        """Judge a trial, whose last frame took this time [s]: set the pause until the next one, and
        change to the other way if it was faster in most of the last trials.
        """
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
