"""Machine: what this machine has of threads, clocks of threads and processors. All of the package
asks here, since in a browser there are no threads and no such clock.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable

WITHOUT_THREADS = ("emscripten", "wasi")
"""Systems, as `sys.platform` calls them, that run Python on the only thread that there is."""

thread_time: Callable[[], float] = getattr(time, "thread_time", time.perf_counter)
"""A clock of the time for which the calling thread has had a processor [s]; where there is no such
clock, a clock of the time that passes.
"""


def can_start_threads() -> bool:
    """Return whether this Python can start threads. Where it cannot, it cannot start processes
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
