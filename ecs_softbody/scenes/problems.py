"""Problems: errors of a scene file, with file, line, path and the allowed values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, time
from pathlib import Path as FilePath
from typing import Any

from ecs_softbody.errors import FieldError, ShapeError, refusal

Path = tuple[str | int, ...]
"""Where in a file: the keys from the top, and the numbers of entries of lists."""
LONGEST = 60
"""Maximum length of a value in messages [characters]."""
MOST_LISTED = 40
"""Maximum number of allowed names in messages."""
MOST_PROBLEMS = 100
"""Of a file that are told; the others are when these are mended."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One error; `str(problem)` is a line of text.

    Attributes:
        file: name of the file.
        line: its line, from 1; 0 if unknown.
        path: the place in the file, such as "entities.hero.blob.radius".
        message: the value and the allowed values.
    """

    file: str
    line: int
    path: str
    message: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return ": ".join(part for part in (place, self.path, self.message) if part)


class SceneError(ValueError):
    """A scene file that cannot be taken; nothing has changed. Its text is one line for each
    problem.

    Attributes:
        problems: all of them, in the order of the file.
        files: that were read or referenced; a change to any of them may fix the scene.
    """

    def __init__(self, problems: Sequence[Problem], files: Iterable[FilePath] = ()) -> None:
        self.problems = tuple(problems)
        self.files = tuple(files)
        super().__init__("\n".join(str(problem) for problem in problems))


def in_words(error: Exception) -> str:
    """Return the reason of an error in terms of a file: of an array of a wrong shape, its lists
    and their entries.
    """
    if not isinstance(error, FieldError):
        said = " ".join(str(error).split())
        # A sentence of its own has a ValueError; what Python says of others needs their names.
        name = "" if said and isinstance(error, ValueError | OSError) else type(error).__name__
        return ": ".join(part for part in (name, said) if part)
    if not isinstance(error, ShapeError):
        return " ".join(line.strip() for line in error.reason.splitlines())
    if not error.shape:
        return refusal("one value", "a list of them")
    count = error.shape[0]
    if error.least:
        return refusal(f"{count} corners", f"{error.least} or more")
    wanted = "one number"
    if error.wanted:
        wanted = f"{error.wanted[0]}, one for each row, or one value for all"
    return refusal("one entry" if count == 1 else f"{count} entries", wanted)


def field_of(error: Exception) -> str:
    """Return the field that an error names; empty if it names none."""
    return error.field if isinstance(error, FieldError) else ""


def shown(value: Any) -> str:
    """Return a value in the notation of a file, shortened if it is long."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int) and abs(value) > 10**20:
        return "a whole number of more than 20 digits"
    if isinstance(value, dict):
        return "a table" if value else "an empty table"
    if isinstance(value, list) and len(value) > LONGEST:
        return f"a list of {len(value)}"
    if isinstance(value, date | time):
        return value.isoformat()
    said = (
        ""
        if isinstance(value, list)
        else " ".join(repr(value[:LONGEST] if isinstance(value, str) else value).split())
    )
    if isinstance(value, list):
        entries: list[str] = []
        while len(entries) < len(value) and sum(map(len, entries)) <= LONGEST:
            entries.append(shown(value[len(entries)]))
        said = f"[{', '.join(entries)}]"
    return said if len(said) <= LONGEST else f"{said[: LONGEST - 3]}..."


def listed(names: Iterable[str]) -> str:
    """Return names in the order of letters; of many, the first ones."""
    known = [name if len(name) <= LONGEST else f"{name[:LONGEST]}..." for name in sorted(names)]
    more = f" and {len(known) - MOST_LISTED} more" if len(known) > MOST_LISTED else ""
    return ", ".join(known[:MOST_LISTED]) + more


def joined(path: Path) -> str:
    """Return a path as text: entities.hero.tags[2]."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            plain = len(part) <= LONGEST and part.replace("-", "_").isidentifier()
            text += ("." if text else "") + (part if plain else repr(part[:LONGEST]))
    return text
