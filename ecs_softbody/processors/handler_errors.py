"""HandlerErrors: when a handler of events raises, the others are still called."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class HandlerErrors:
    """Keeps the first exception of several handlers; each further one becomes a note on it."""

    def __init__(self, events: str) -> None:
        """events: which ones are handled, for messages."""
        self._events = events
        self._first: Exception | None = None

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Run a handler in this block: an exception does not leave it, but is kept."""
        try:
            yield
        except Exception as error:
            if self._first is None:
                self._first = error
            else:
                self._first.add_note(f"another handler of {self._events} raised {error!r}")

    def raise_first(self) -> None:
        """Raise the first exception, if there was one: call it after all handlers."""
        if self._first is not None:
            raise self._first
