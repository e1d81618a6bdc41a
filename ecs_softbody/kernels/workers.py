"""Workers: the threads of a team, beside the one that calls `run`."""

from __future__ import annotations

import os
import _thread
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from ecs_softbody.kernels.team import TEAM_SIZE

Job = tuple[Callable[..., Any], tuple[Any, ...]]


class Workers:
    """Runs jobs with several threads. The calling thread leads; it never waits for one that has not begun.

    The others are daemon threads. They start with the first job, sleep while there is nothing to do, and end with
    this object. A process that was forked starts its own.
    """

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._state = np.zeros(TEAM_SIZE, np.int64)
        self._job = 0
        self._process = 0
        self._desks: list[Desk] = []

    def run(self, kernel: Callable[..., Any], *args: Any) -> Any:
        """Run a kernel with (team, job, leads, *args) on every thread; return what it returns to the leader."""
        if self._process != os.getpid():
            self._start()
        self._job += 1
        job = (kernel, (self._state, self._job, False, *args))
        for desk in self._desks:
            desk.put(job)
        return kernel(self._state, self._job, True, *args)

    def _start(self) -> None:
        self._process = os.getpid()
        self._state[:] = 0
        self._desks = [Desk() for _ in range(self.threads - 1)]
        for desk in self._desks:
            threading.Thread(target=work_at, args=(desk,), daemon=True, name="ecs_softbody").start()
        weakref.finalize(self, dismiss, self._desks)


class Desk:
    """Where the next job of one worker lies; a later one takes its place."""

    def __init__(self) -> None:
        self.job: Job | None = None
        self.closed = False
        self._asleep = False
        self._bell = _thread.allocate_lock()
        self._bell.acquire()

    def put(self, job: Job | None) -> None:
        """Lay down a job, and wake the worker."""
        self.job = job
        if self._asleep and self._bell.locked():
            self._bell.release()

    def sleep(self, seen: Job | None) -> None:
        """Wait until another job lies here than the one that was seen; now and then for nothing."""
        self._asleep = True
        if self.job is seen and not self.closed:
            self._bell.acquire()
        self._asleep = False

    def close(self) -> None:
        """Send the worker home."""
        self.closed = True
        self.put(None)


def work_at(desk: Desk) -> None:
    """Run every job that is laid down in time, until the desk is closed."""
    seen = None
    while not desk.closed:
        job = desk.job
        if job is None or job is seen:
            desk.sleep(job)
        else:
            seen = job
            kernel, arguments = job
            kernel(*arguments)
            kernel = arguments = None


def dismiss(desks: list[Desk]) -> None:
    """Close all desks."""
    for desk in desks:
        desk.close()
