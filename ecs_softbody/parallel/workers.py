"""Workers: starts the threads of a team and hands them the jobs that all threads do together. How
they share the work of a job is in stage_runner.py and thread_team.py.
"""

from __future__ import annotations

import _thread
import os
import threading
import weakref
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

import numpy as np

from ecs_softbody.parallel.compiling import IS_PYTHON
from ecs_softbody.parallel.machine import processor_count
from ecs_softbody.parallel.thread_team import ALONE, LEADER, WORKERS, team_size

Job = tuple[int, Callable[..., Any], tuple[Any, ...]]
"""Number of the job, function, and arguments."""


class Workers:
    """Runs jobs with several threads. A job is a kernel that every thread calls with the same
    arguments. The thread that calls `run` leads; it waits only for threads that have begun to work.

    The others are daemon threads. They start with the first job, sleep while there is nothing to
    do, and end with this object. A process that was forked starts its own. There are no more
    threads than processors; where kernels are plain Python there is one.
    """

    def __init__(self, threads: int = 1) -> None:
        self.threads = threads
        """Number of threads that a game asked for."""
        self.are_used = False
        """Whether stages are to share their work in this frame."""
        self._team = np.zeros(team_size(1), np.int64)
        self._job = self._process = 0
        self._mailboxes: list[Mailbox] = []

    @property
    def count(self) -> int:
        """Number of threads that work on a job, with the calling one."""
        return 1 if self.threads == 1 or IS_PYTHON else min(self.threads, processor_count())

    def run(self, job: Callable[..., Any], *args: Any) -> None:
        """Call job(team, number, worker_index, *args) on every thread, here as the leader.

        team: the shared state of the threads (thread_team.py); number: a new one for each job.
        """
        if self._process != os.getpid():
            self._start()
        self._job += 1
        for worker_index, mailbox in enumerate(self._mailboxes, LEADER + 1):
            mailbox.put((self._job, job, (self._team, self._job, worker_index, *args)))
        job(self._team, self._job, LEADER, *args)

    def begin(self, function: Callable[..., Any], *args: Any) -> Pending:
        """Let a worker, if there is one, call a function in the background; return the pending
        call. It pays for functions that release Python's global lock (GIL) while they run.
        """
        pending = Pending(function, *args)
        if self.count > 1:
            if self._process != os.getpid():
                self._start()
            self._job += 1
            self._mailboxes[0].put((self._job, pending.run, ()))
        return pending

    def run_alone(self, job: Callable[..., Any], *args: Any) -> None:
        """Call job(team, ALONE, LEADER, *args): all of it is done by this thread."""
        job(self._team, ALONE, LEADER, *args)

    def rest(self) -> None:
        """Forget the last job, so that nothing keeps its arrays alive."""
        for mailbox in self._mailboxes:
            mailbox.job = None

    def dismiss(self) -> None:
        """End the threads; the next job starts new ones."""
        for mailbox in self._mailboxes:
            mailbox.close()
        self._process = 0

    def _start(self) -> None:
        """Start the worker threads of this process, with a new team."""
        self._process = os.getpid()
        self._team = np.zeros(team_size(self.count), np.int64)
        self._team[WORKERS] = self.count
        self._mailboxes = [Mailbox(self) for _ in range(self.count - 1)]
        for mailbox in self._mailboxes:
            threading.Thread(
                target=run_jobs, args=(mailbox,), daemon=True, name="ecs_softbody"
            ).start()


class Pending:
    """A call that a worker may take.

    A thread that asks for the result before a worker came runs the call itself, without waiting.
    """

    __slots__ = ("_args", "_claimed", "_done", "_error", "_function", "_value")

    def __init__(self, function: Callable[..., Any], *args: Any) -> None:
        self._function = function
        self._args = args
        self._claimed = _thread.allocate_lock()
        self._done = _thread.allocate_lock()
        self._done.acquire()
        self._value: Any = None
        self._error: BaseException | None = None

    def run(self) -> None:
        """Call the function, unless another thread has begun to."""
        if not self._claimed.acquire(blocking=False):
            return
        try:
            self._value = self._function(*self._args)
        except BaseException as error:
            self._error = error
        self._done.release()

    def result(self) -> Any:
        """Return the result of the function, or raise its exception; wait for it where a worker has
        begun to call the function, else call it here.
        """
        self.run()
        with self._done:
            pass
        if self._error is not None:
            raise self._error
        return self._value


class Mailbox:
    """Holds the next job of one worker. A later job replaces it, even if it was not run: the other
    threads have done its work. The mailbox closes when its owner is gone.
    """

    def __init__(self, owner: Workers) -> None:
        self.job: Job | None = None
        self.closed = False
        self._asleep = False
        self.bell = SimpleQueue[object]()
        """Wakes the worker; an item is the reason to end, or None."""
        # The callback is a built-in function: in one of ours, Python would drop an exception that a
        # signal handler raises.
        self._owner = weakref.ref(owner, self.bell.put)

    def put(self, job: Job | None) -> None:
        """Leave a job for the worker, and wake it if it sleeps."""
        self.job = job
        if self._asleep and self.bell.empty():
            self.bell.put(None)

    def sleep(self, seen: int) -> None:
        """Wait for another job than number `seen`; may return without one."""
        self._asleep = True
        job = self.job  # read once: `rest` may take it away at any time
        if not self.closed and (job is None or job[0] == seen):
            if self.bell.get() is not None:
                self.closed = True
        self._asleep = False

    def close(self) -> None:
        """End the worker."""
        self.closed = True
        self.put(None)


def run_jobs(mailbox: Mailbox) -> None:
    """Run the jobs that arrive in a mailbox until it is closed: the life of a worker thread."""
    seen = 0
    while not mailbox.closed:
        job = mailbox.job
        if job is None or job[0] == seen:
            del job  # it would keep arrays alive
            mailbox.sleep(seen)
        else:
            seen, function, arguments = job
            function(*arguments)
            del job, function, arguments
