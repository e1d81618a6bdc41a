"""Workers: the threads of a team, beside the one that calls `run`."""

from __future__ import annotations

import _thread
import os
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
from numba.core import config

from ecs_softbody.kernels.team import ALONE, LEADER, SEATS, team_size

Job = tuple[int, Callable[..., Any], tuple[Any, ...]]


class Workers:
    """Runs jobs (team.py) with several threads. The calling one leads; it never waits for one that has not begun.

    The others are daemon threads. They start with the first job, sleep while there is nothing to do, and end with
    this object. A process that was forked starts its own. No more run than there are cores; with NUMBA_DISABLE_JIT=1
    there is one.
    """

    def __init__(self, threads: int = 1) -> None:
        self.threads = threads
        """How many a game asked for."""
        self.are_used = False
        """Whether stages are to share their work in this frame."""
        self._team = np.zeros(team_size(1), np.int64)
        self._job = self._process = 0
        self._desks: list[Desk] = []

    @property
    def count(self) -> int:
        """Threads that work on a job, the calling one among them."""
        return 1 if self.threads == 1 or config.DISABLE_JIT else min(self.threads, core_count())

    def run(self, kernel: Callable[..., Any], *args: Any) -> None:
        """Run a kernel with (team, job, seat, *args) on every thread."""
        if self._process != os.getpid():
            self._start()
        self._job += 1
        for seat, desk in enumerate(self._desks, LEADER + 1):
            desk.put((self._job, kernel, (self._team, self._job, seat, *args)))
        kernel(self._team, self._job, LEADER, *args)

    def run_alone(self, kernel: Callable[..., Any], *args: Any) -> None:
        """Run a kernel with (team, job, seat, *args) on this thread, without any ceremony."""
        kernel(self._team, ALONE, LEADER, *args)

    def rest(self) -> None:
        """Forget the last job, so that nothing keeps its arrays alive."""
        for desk in self._desks:
            desk.job = None

    def dismiss(self) -> None:
        """End the threads; the next job starts new ones."""
        close_all(self._desks)
        self._process = 0

    def _start(self) -> None:
        self._process = os.getpid()
        self._team = np.zeros(team_size(self.count), np.int64)
        self._team[SEATS] = self.count
        self._desks = [Desk() for _ in range(self.count - 1)]
        for desk in self._desks:
            threading.Thread(target=work_at, args=(desk,), daemon=True, name="ecs_softbody").start()
        weakref.finalize(self, close_all, self._desks)


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

    def sleep(self, seen: int) -> None:
        """Wait until another job lies here than the one that was seen; now and then for nothing."""
        self._asleep = True
        if not self.closed and (self.job is None or self.job[0] == seen):
            self._bell.acquire()
        self._asleep = False

    def close(self) -> None:
        """Send the worker home."""
        self.closed = True
        self.put(None)


def work_at(desk: Desk) -> None:
    """Run every job that is laid down in time, until the desk is closed."""
    seen = 0
    while not desk.closed:
        job = desk.job
        if job is None or job[0] == seen:
            del job  # it would keep arrays alive
            desk.sleep(seen)
        else:
            seen, kernel, arguments = job
            kernel(*arguments)
            del job, kernel, arguments


def close_all(desks: list[Desk]) -> None:
    """Send everybody home."""
    for desk in desks:
        desk.close()


def core_count() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
