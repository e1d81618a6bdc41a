"""Threads: how many threads may share the work of a Simulation, and in which frames they do.

Sharing costs time as well: in small worlds one thread is faster. So ThreadChoice measures frames
with and without, and chooses.
"""

from __future__ import annotations

from ecs_softbody.parallel.thread_choice import ThreadChoice
from ecs_softbody.parallel.workers import Workers
from ecs_softbody.validation import SETTINGS


class Threads:
    """The workers of a Simulation.

    In each frame it decides whether they share the work, by the measured gain.
    """

    def __init__(self, count: int) -> None:
        self.workers = Workers(SETTINGS["threads"](count))
        self.choice = ThreadChoice()
        self._are_measured = False
        """Whether the frame that runs is measured: there is more than one thread."""

    @property
    def count(self) -> int:
        """How many threads may share the work."""
        return self.workers.threads

    @count.setter
    def count(self, value: int) -> None:
        self.workers.threads = SETTINGS["threads"](value)
        self.workers.dismiss()
        self.choice.forget()

    def begin_frame(self) -> None:
        """Decide whether the stages of this frame share their work."""
        self._are_measured = self.workers.count > 1
        if self._are_measured:
            self.workers.are_used = self.choice.begin()

    def end_frame(self) -> None:
        """Measure the effect of the threads."""
        if self._are_measured:
            self.workers.are_used = False
            self.choice.end()
            self.workers.rest()
