"""Threads: how many threads may share the work of a Simulation, and in which frames they do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ecs_softbody.kernels.workers import Workers
from ecs_softbody.storage import check_count
from ecs_softbody.thread_choice import ThreadChoice


class Threads:
    """The part of a Simulation that shares its work."""

    def __init__(self, threads: int) -> None:
        self._workers = Workers(check_count("Simulation", "threads", threads))
        self._thread_choice = ThreadChoice()

    @property
    def threads(self) -> int:
        """How many threads may share the work; no more are used than there are cores."""
        return self._workers.threads

    @threads.setter
    def threads(self, value: int) -> None:
        self._workers.threads = check_count("Simulation", "threads", value)
        self._workers.dismiss()
        self._thread_choice.forget()

    @contextmanager
    def _shared_frame(self) -> Iterator[None]:
        """Decide whether the stages share their work, and measure what it brings."""
        if self._workers.count == 1:
            yield
            return
        self._workers.are_used = self._thread_choice.begin()
        try:
            yield
        finally:
            self._workers.are_used = False
            self._thread_choice.end()
            self._workers.rest()
