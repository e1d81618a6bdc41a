"""Saves: a game's persistent values, in the user's data folder, written atomically.

A value changes in memory and in the file at once. Several windows may play the same game: a change
is a function of the old value (`Changes`), which is applied to the present content of the file, so
the changes of all windows are kept. Where the disk refuses, changes wait for the next write.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, TypeVar

from ecs_softbody.errors import FieldError, FieldTypeError
from ecs_softbody.files import alone_in, write_atomically
from ecs_softbody.play.save_data.changes import GONE, Changes, put
from ecs_softbody.play.save_data.values import (
    LARGEST,
    copied,
    encoded,
    is_number,
    is_text,
    plain,
    read_values,
)
from ecs_softbody.rendering.texts.table import say
from ecs_softbody.validation import check_number, check_path, check_text, is_whole

FOLDER_VARIABLE = "ECS_SOFTBODY_DATA"
"""Environment variable with a folder to use instead of the user's data folder."""
MOST_WHOLE = 2**53
"""Default upper limit of `whole`: floats are exact up to it."""
Default = TypeVar("Default")


PLAIN = re.compile(r"[a-z0-9][a-z0-9._-]{0,79}")
"""Names that are used unchanged as file names.

Without capital letters: some file systems ignore case.
"""
RESERVED = {
    "con",
    "prn",
    "aux",
    "nul",
    *(f"{port}{number}" for port in ("com", "lpt") for number in range(10)),
}
"""Device names reserved by Windows, with any extension."""
SETTINGS = "settings"
"""Name of the settings file, shared by all games."""
ASIDE = "-damaged-"
"""Marks the name of a damaged file that is kept beside the new one."""
LONGEST_READABLE = 40
"""Letters of a game's name that its file's name keeps, where that has a hash."""


def file_name(name: str) -> str:
    """Return the stem of a game's file: the name itself if plain, otherwise with a hash of it."""
    reserved = name == SETTINGS or ASIDE in name or name.partition(".")[0] in RESERVED
    if PLAIN.fullmatch(name) and not reserved:
        return name
    readable = re.sub(r"[^a-z0-9]+", "-", name.lower())[:LONGEST_READABLE].strip("-") or "game"
    return f"{readable}~{hashlib.sha256(name.encode(errors='surrogatepass')).hexdigest()[:20]}"


def data_folder() -> Path:
    """Return the folder of all games' saves; it need not exist yet."""
    from platformdirs import user_data_path

    chosen = os.environ.get(FOLDER_VARIABLE)
    return Path(chosen) if chosen else user_data_path("ecs_softbody", appauthor=False)


class Saves:
    """Named values that persist: progress, best results. Each game has one, `game.saves`.

    Before `open`, values stay in memory: tests, recordings and scripted players write no file. A
    window opens the saves of the game that it plays. Every change is written at once, beside the
    old file, then put in its place: a crash leaves the old values or the new ones. Changes by other
    windows are kept: each change applies to the file's current content, and this window then has
    their values too.

    A player, or another version of the game, may have put anything into the file. `number`,
    `whole`, `flag`, `text`, `texts` and `table` treat a value of another type as missing; `get` and
    `[]` return it.

    Args:
        name: the game's name; no two names share a file.
        file: its name without ending, in place of the one made of `name`.
    """

    def __init__(self, name: str, *, file: str = "") -> None:
        self.name = check_text("Saves", "name", name)
        self.notice = ""
        """One sentence for the player if a file could not be read or written, "" otherwise."""
        self.path: Path | None = None
        """The file, None before `open`."""
        self._file = file or file_name(name)
        self._values: dict[str, Any] = {}
        self._changes = Changes()
        self._base: dict[str, Any] = {}
        """Content of the file at the last read or write."""
        self._lost = False
        """Whether the file has disappeared since."""

    def open(self, folder: Path | str | None = None) -> bool:
        """Read the saved values, and save changes from now on; in the user's data folder by
        default.

        Returns:
            False if the file could not be used; `notice` says why, and the game goes on without it.
            A damaged file is kept beside the new one, with `damaged` in its name.
        """
        place = check_path("Saves.open", "folder", folder) if folder else data_folder()
        self.path = place / f"{self._file}.json"
        self.notice = ""
        with alone_in(self.path.parent):
            try:
                kept = self._read()
            except OSError as error:
                self._say(say("saves.unreadable", path=self.path, reason=error.strerror or error))
                self.path = None  # an unreadable file must not be overwritten
        if self.path is None:
            return False
        if self.path.exists():
            self._values = self._changes.made(kept, self._values)
        else:  # no file: these values are the newest
            settled = {
                key: value for key, value in self._values.items() if key not in self._changes
            }
            self._base = {**self._waiting(), **settled}
        if self._changes:
            self._write()
        return not self.notice

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value of a name, of any type, or `default`."""
        return copied(self._values[key]) if key in self._values else default

    def number(
        self, key: str, default: Default, low: float = -LARGEST, high: float = LARGEST
    ) -> float | Default:
        """Return a saved number from `low` to `high`, or `default`."""
        value = self._values.get(key)
        return value if is_number(value, low, high) else default

    def whole(
        self, key: str, default: Default, low: int = -MOST_WHOLE, high: int = MOST_WHOLE
    ) -> int | Default:
        """Return a saved whole number from `low` to `high`, or `default`."""
        value = self._values.get(key)
        return int(value) if is_number(value, low, high) and value == int(value) else default

    def flag(self, key: str, default: bool = False) -> bool:
        """Return a saved True or False, or `default`."""
        value = self._values.get(key)
        return value if isinstance(value, bool) else default

    def text(self, key: str, default: str = "") -> str:
        """Return a saved text, or `default`."""
        value = self._values.get(key)
        return value if is_text(value) else default

    def texts(self, key: str) -> list[str]:
        """Return the texts in a saved list."""
        value = self._values.get(key)
        return [item for item in value if is_text(item)] if isinstance(value, list) else []

    def table(self, key: str) -> dict[str, Any]:
        """Return a saved dict, or an empty one; its values may be of any type."""
        value = self._values.get(key)
        return copied(value) if isinstance(value, dict) else {}

    def __getitem__(self, key: str) -> Any:
        """Return the value of a name, or raise KeyError."""
        if key not in self._values:
            raise KeyError(
                f"nothing is kept as {key!r}; there is {', '.join(self._values) or 'nothing yet'}"
            )
        return self.get(key)

    def __setitem__(self, key: str, value: Any) -> None:
        """Save a value: numbers, texts, True, False, None, and lists and dicts of them.

        Raises:
            TypeError: for a name that is no text, or a value that a JSON file cannot hold.
            ValueError: for NaN, infinity, numbers beyond the range of floats, and lists nested too
                deeply.
        """
        made = plain(key, value)
        # True and 1 are different values.
        is_known = key in self._values and encoded(self._values[key]) == encoded(made)
        if not is_known or key in self._changes:
            self._changes.take_back(key)
            self.change(key, lambda old: made)

    def change(self, key: str, how: Callable[[Any], Any]) -> None:
        """Replace a value by `how(value)`, given the current value (None if missing), including
        changes by other windows.

        Raises the errors of `saves[key] = value` and of `how`; nothing is written then. If a change
        has to wait for the disk, and `how` then raises for another window's later value, its result
        from here counts.
        """
        if not isinstance(key, str):
            raise FieldTypeError("saves", "", key, "a text", in_words=f"the name {key!r}")

        def made(old: Any) -> Any:
            new = how(copied(old))
            return new if new is GONE else plain(key, new)

        now = made(self._values.get(key))
        put(self._values, key, now)
        if self.path is not None:
            self._changes.add(key, made, now)
            self._changes.newest = key
            try:
                self._write()
            except Exception:  # `how` raised for another window's value
                self._changes.take_back(key)
                raise
            finally:
                self._changes.newest = ""

    def as_dict(self) -> dict[str, Any]:
        """Return a copy of all values by name."""
        return {key: self.get(key) for key in self._values}

    def __contains__(self, key: object) -> bool:
        """Return whether a name has a value."""
        return key in self._values

    def __delitem__(self, key: str) -> None:
        """Delete a value, or raise KeyError."""
        self[key]
        self.change(key, lambda old: GONE)

    def keep_best(
        self,
        key: str,
        result: float,
        *,
        better: Literal["higher", "lower"] = "higher",
        low: float = -LARGEST,
        high: float = LARGEST,
    ) -> bool:
        """Save a result if it is better than the saved one; return whether it is.

        An old value that is no number from `low` to `high`, the range of possible results, counts
        as missing.

        Raises:
            ValueError: for a result that is not finite, or another word than "higher" and "lower".
        """
        if better not in ("higher", "lower"):
            raise FieldError("saves.keep_best", "better", better, "'higher' or 'lower'")
        number = check_number("saves.keep_best", f"result of {key!r}", result)
        number = int(result) if is_whole(result) else number

        def beats(old: Any) -> bool:
            return not is_number(old, low, high) or (
                number > old if better == "higher" else number < old
            )

        if not beats(self._values.get(key)):
            return False
        self.change(key, lambda old: number if beats(old) else old)
        # The value differs if another window has saved a better one meanwhile.
        return bool(self._values[key] == number)

    @contextmanager
    def untouched(self) -> Iterator[None]:
        """Discard all changes at the end of the block, and write nothing."""
        before = dict(self._values), self._changes.copy(), self.path
        self.path = None
        try:
            yield
        finally:
            self._values, self._changes, self.path = before

    def clear(self) -> None:
        """Delete all values, also values of other windows."""
        self._values.clear()
        self._changes.take_all_back()
        if self.path is not None:
            self._changes.from_nothing = True
            self._write()

    def _read(self) -> dict[str, Any]:
        """Return the file's values, or the last known ones if the file has disappeared.

        A new file, from another window, lacks the old values that waiting changes apply to: these
        are kept.

        Raises:
            OSError: if the file cannot be read. `path` is None if it is damaged and cannot be moved
                aside.
        """
        assert self.path is not None
        try:
            kept = read_values(self.path)
        except FileNotFoundError:
            self._lost = True
        except (ValueError, RecursionError):
            self._lost = True
            self._put_aside()
        else:
            self._base = {**self._waiting(), **kept} if self._lost else kept
        return self._base

    def _waiting(self) -> dict[str, Any]:
        """Return the old values that the waiting changes apply to."""
        return {key: value for key, value in self._base.items() if key in self._changes}

    def _write(self) -> None:
        """Apply the changes to the current file, and adopt its content."""
        if self.path is None:
            return
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with alone_in(self.path.parent):
                kept = self._read()
                if self.path is None:  # damaged, and cannot be replaced
                    return
                content, left_out = self._changes.fitting(kept, self._values)
                write_atomically(self.path, content)
        except OSError as error:
            self._say_unwritable(error.strerror or str(error))
            return
        self._base = self._changes.made(kept, self._values, left_out.keys())
        self._values = self._changes.made(kept, self._values)
        self._changes.wait(left_out.keys())
        self._lost = False
        for reason in left_out.values():
            self._say_unwritable(reason)

    def _say_unwritable(self, reason: str) -> None:
        if not self.notice:
            self._say(say("saves.unwritable", path=self.path, reason=reason))

    def _put_aside(self) -> bool:
        """Rename a damaged file, so that nothing is lost and the game can go on."""
        assert self.path is not None
        stem = time.strftime(f"{self._file}{ASIDE}%Y%m%d-%H%M%S")
        number = 1
        while (aside := self.path.with_name(f"{stem}{f'-{number}' * (number > 1)}.json")).exists():
            number += 1
        try:
            os.replace(self.path, aside)
        except OSError:
            self._say(say("saves.damaged_for_ever", path=self.path))
            self.path = None
            return False
        self._say(say("saves.damaged", name=aside.name))
        return False

    def _say(self, notice: str) -> None:
        self.notice = notice
        print(notice, file=sys.stderr)
