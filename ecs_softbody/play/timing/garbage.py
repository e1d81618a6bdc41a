"""Garbage: when Python searches for reference cycles.

A full collection is a pause of 0.1 s or more.
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
    """Exclude all existing objects from collection: they are many, and long-lived.

    Reference counting still frees them.
    """
    gc.freeze()


def search_all() -> None:
    """Collect everything if objects were excluded before; for moments in which nothing moves."""
    if gc.get_freeze_count():
        gc.unfreeze()
        gc.collect()
