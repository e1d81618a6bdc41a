"""Saves: what a game keeps from one start to the next, in the user's data folder, never half written."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ecs_softbody.files import write_atomically
from ecs_softbody.rendering.texts.table import say
from ecs_softbody.validation import is_whole

FOLDER_VARIABLE = "ECS_SOFTBODY_DATA"
"""Environment variable with a folder to use instead of the user's data folder."""


def data_folder() -> Path:
    """Return the folder of all games' saves; it need not exist yet."""
    from platformdirs import user_data_path

    chosen = os.environ.get(FOLDER_VARIABLE)
    return Path(chosen) if chosen else user_data_path("ecs_softbody", appauthor=False)


class Saves:
    """Named values that a game keeps: progress, best results. Each game has one, `game.saves`.

    Until `open`, values are only remembered: tests, recordings and scripted players write no file. A window opens the
    saves of the game that it plays. Every change is written at once, beside the old file, then put in its place: a
    crash leaves the old values or the new ones.

    Args:
        name: of the file, that of the game.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.notice = ""
        """One sentence for the player when a file could not be read or written, "" otherwise."""
        self.path: Path | None = None
        """The file, once it is open."""
        self._values: dict[str, Any] = {}

    def open(self, folder: Path | str | None = None) -> bool:
        """Read what was kept, and keep from now on; in the user's data folder unless another one is given.

        Returns:
            False when the file could not be used; `notice` says why, and the game goes on without it. A file that is
            damaged is kept beside the new one, with `damaged` in its name.
        """
        self.path = Path(folder or data_folder()) / f"{re.sub(r'[^A-Za-z0-9._-]+', '-', self.name) or 'game'}.json"
        self.notice = ""
        try:
            found = json.loads(self.path.read_text(encoding="utf-8"))
            if not isinstance(found, dict):
                raise ValueError("it holds no names")
        except FileNotFoundError:
            return True
        except (ValueError, RecursionError):
            return self._put_aside()
        except OSError as error:
            self._say(say("saves.unreadable", path=self.path, reason=error.strerror or error))
            self.path = None  # whatever is there is not to be written over
            return False
        self._values = found
        return True

    def get(self, key: str, default: Any = None) -> Any:
        """Return what was kept under a name, or `default`."""
        return _copied(self._values[key]) if key in self._values else default

    def __getitem__(self, key: str) -> Any:
        """Return what was kept under a name, or raise KeyError."""
        if key not in self._values:
            raise KeyError(f"nothing is kept as {key!r}; there is {', '.join(self._values) or 'nothing yet'}")
        return self.get(key)

    def __setitem__(self, key: str, value: Any) -> None:
        """Keep numbers, texts, True, False, None, and lists and dicts of them.

        Raises:
            TypeError: for a name that is no text, or a value that a JSON file cannot hold.
            ValueError: for NaN or infinity.
        """
        if not isinstance(key, str):
            raise TypeError(f"saves: the name {key!r} is not allowed; expected a text")
        plain = _plain(key, value)
        if key not in self._values or self._values[key] != plain:
            self._values[key] = plain
            self._write()

    def as_dict(self) -> dict[str, Any]:
        """Return all values by their names, a copy."""
        return {key: self.get(key) for key in self._values}

    def __contains__(self, key: object) -> bool:
        """Return whether something is kept under a name."""
        return key in self._values

    def __delitem__(self, key: str) -> None:
        """Forget what was kept under a name, or raise KeyError."""
        self[key]
        del self._values[key]
        self._write()

    def keep_best(self, key: str, result: float, *, better: Literal["higher", "lower"] = "higher") -> bool:
        """Keep a result if it is better than the one kept before; return whether it is.

        Raises:
            ValueError: for a result that is not finite, or another word than "higher" and "lower".
        """
        if better not in ("higher", "lower"):
            raise ValueError(f"keep_best.better: {better!r} is not allowed; expected 'higher' or 'lower'")
        number = _plain(key, int(result) if is_whole(result) else float(result))
        before = self._values.get(key)
        if isinstance(before, int | float) and not (number > before if better == "higher" else number < before):
            return False
        self[key] = number
        return True

    @contextmanager
    def untouched(self) -> Iterator[None]:
        """Forget at the end of the block what was kept in it, and write nothing."""
        values, path = dict(self._values), self.path
        self.path = None
        try:
            yield
        finally:
            self._values, self.path = values, path

    def clear(self) -> None:
        """Forget everything."""
        if self._values:
            self._values.clear()
            self._write()

    def _write(self) -> None:
        if self.path is None:
            return
        try:
            write_atomically(self.path, json.dumps(self._values, indent=1, ensure_ascii=False).encode())
        except OSError as error:
            if not self.notice:
                self._say(say("saves.unwritable", path=self.path, reason=error.strerror or error))

    def _put_aside(self) -> bool:
        """Keep a damaged file under another name, so that nothing is lost and the game can go on."""
        assert self.path is not None
        aside = self.path.with_name(time.strftime(f"{self.path.stem}-damaged-%Y%m%d-%H%M%S.json"))
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


def _plain(key: str, value: Any) -> Any:
    """Return a value as a JSON file would give it back."""

    def plain(item: Any) -> Any:
        if isinstance(item, np.ndarray | np.generic):
            return item.tolist()
        raise TypeError(
            f"saves[{key!r}]: {item!r} is not allowed; expected numbers, texts, True, False, None, lists, dicts"
        )

    try:
        return json.loads(json.dumps(value, default=plain, allow_nan=False))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"saves[{key!r}]: {value!r} is not allowed; numbers must be finite") from error


def _copied(value: Any) -> Any:
    return json.loads(json.dumps(value)) if isinstance(value, dict | list) else value
