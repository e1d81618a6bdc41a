"""Garbage: when Python looks for objects that only hold each other.

A full search is a pause of 0.1 s or more.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def kept_for_long() -> Iterator[None]:
    """Make many long-lived objects: the collector is off meanwhile, and ignores all existing
    objects afterwards.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        leave_alone()
        if was_on:
            gc.enable()


def leave_alone() -> None:
    """Let no search look at the objects that there are: they are many, and kept for long.

    They are freed as ever.
    """
    gc.freeze()


def search_all() -> None:
    """Search all objects where some were left alone; for moments in which nothing moves."""
    if gc.get_freeze_count():
        gc.unfreeze()
        gc.collect()
