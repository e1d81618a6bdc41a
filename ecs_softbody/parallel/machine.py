"""Machine: threads, their clock and processors, asked for here alone.

A browser has no threads and no clock of them.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable

WITHOUT_THREADS = ("emscripten", "wasi")
"""Systems, as `sys.platform` calls them, that run Python on the only thread that there is."""

thread_time: Callable[[], float] = getattr(time, "thread_time", time.perf_counter)
"""How long [s] the calling thread has had a processor so far; where no clock tells, the time that
passes.
"""


def can_start_threads() -> bool:
    """Return whether this Python can start threads; where it cannot, it has no other processes
    either.
    """
    return sys.platform not in WITHOUT_THREADS


def processor_count() -> int:
    """Return how many processors this process may use."""
    if not can_start_threads():
        return 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
