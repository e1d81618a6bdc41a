"""Changes: the changes of named values that are not in the file of saves yet.

A change is a function of the old value, so that it can be applied to the value that another window
has written meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from ecs_softbody.play.save_data.values import content_of, encoded

GONE = object()
"""Result of a change that deletes a value."""
MOST_WAITING = 100
"""Maximum number of changes of one value waiting for an unwritable file; beyond it they collapse
into their current result.
"""

Change = Callable[[Any], Any]
"""Takes an old value, None where there is none, and returns the new one, or GONE."""


class Changes:
    """The changes of each value that are not yet in the file, in order."""

    def __init__(self) -> None:
        self.from_nothing = False
        """Whether the file's content is discarded first."""
        self.newest = ""
        """The name of the value being changed, "" otherwise."""
        self._of: dict[str, list[Change]] = {}
        """The changes of each value, by its name, in order."""

    def __contains__(self, key: object) -> bool:
        """Return whether a change of a value is waiting."""
        return key in self._of

    def __bool__(self) -> bool:
        """Return whether there is anything to write."""
        return self.from_nothing or bool(self._of)

    def add(self, key: str, change: Change, now: Any) -> None:
        """Add a change of a value; `now` is its result on the value known here."""
        waiting = self._of.setdefault(key, [])
        waiting.append(change)
        if len(waiting) > MOST_WAITING:
            waiting[:] = [lambda old: now]

    def take_back(self, key: str) -> None:
        """Discard the changes of a value, if any."""
        self._of.pop(key, None)

    def take_all_back(self) -> None:
        """Discard all changes of values."""
        self._of.clear()

    def wait(self, keys: Collection[str]) -> None:
        """Keep only the changes of these values: the others are in the file."""
        self.from_nothing = False
        self._of = {key: self._of[key] for key in keys}

    def copy(self) -> Changes:
        """Return an independent copy."""
        other = Changes()
        other.from_nothing = self.from_nothing
        other.newest = self.newest
        other._of = {key: list(waiting) for key, waiting in self._of.items()}
        return other

    def made(
        self, kept: dict[str, Any], known: dict[str, Any], left_out: Collection[str] = ()
    ) -> dict[str, Any]:
        """Return the file's values with the changes applied, except for the names left out.

        Args:
            kept: the values in the file.
            known: the values after the changes, as first made.
        """
        values = {} if self.from_nothing else dict(kept)
        for key in self._of:
            if key not in left_out:
                put(values, key, self._made_of(key, values.get(key), known))
        return values

    def _made_of(self, key: str, old: Any, known: dict[str, Any]) -> Any:
        """Return the result of a value's changes."""
        try:
            for change in self._of[key]:
                old = change(None if old is GONE else old)
        except Exception:
            if key == self.newest and len(self._of[key]) == 1:
                raise
            # The game's function cannot handle another window's value.
            return known.get(key, GONE)
        return old

    def fitting(self, kept: dict[str, Any], known: dict[str, Any]) -> tuple[bytes, dict[str, str]]:
        """Return the file's content with all changes that fit, and the reasons why the others, the
        largest first, do not.

        Raises:
            OSError: if the existing values alone are too large to write.
        """
        left_out: dict[str, str] = {}
        while True:
            values = self.made(kept, known, left_out.keys())
            try:
                return content_of(values), left_out
            except OSError as error:
                added = {
                    key: _size_of(values, key) - _size_of(kept, key)
                    for key in self._of.keys() - left_out
                }
                if not added:
                    raise
                left_out[max(added, key=lambda key: (added[key], key))] = str(error)


def put(values: dict[str, Any], key: str, value: Any) -> None:
    """Set a value, or delete it."""
    if value is GONE:
        values.pop(key, None)
    else:
        values[key] = value


def _size_of(values: dict[str, Any], key: str) -> int:
    """Return the length of a value and its name in the file, 0 for none."""
    return len(encoded(key)) + len(encoded(values[key])) if key in values else 0
