"""Reading: one TOML or JSON file as a tree of plain data, refused before much memory is spent."""

from __future__ import annotations

import codecs
import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from ecs_softbody.reading import is_nested, part_of_map, read_file
from ecs_softbody.scenes.problems import Path as Place
from ecs_softbody.scenes.problems import Problem, SceneError, joined, shown
from ecs_softbody.scenes.text.lines import lines_of

MOST_BYTES = 4_000_000
"""All files of a scene together; a larger one is refused before it is read."""
WEIGHTS = {".toml": 2, ".json": 1}
"""How often a byte of a file counts: TOML takes several times as long to parse."""
KEPT = 50_000
"""Maximum length of a text whose tree is cached [characters]."""
DEEPEST = 24
"""Maximum nesting depth of tables and lists."""
MOST_DOTS = 24
"""Limit of the parts of a key."""
LONG_KEY = re.compile(
    r"(?<![\w\-\"'.])(?:(?:[\w-]++|\"[^\"\n]*+\"|'[^'\n]*+')[ \t]*+\.[ \t]*+){"
    + str(MOST_DOTS)
    + r"}"
)
"""A key of many parts: a parser takes time in proportion to their square."""
DOTS = re.compile(r"""[A-Za-z_"'-]\.|\.[A-Za-z_"'-]|\.\d+\.""")
"""Of keys and texts, but not of numbers; each may be a table, which takes as long as a line."""
MOST_DOTTED = 100_000
"""Limit of dots in the keys and texts of a file of TOML."""
MANY_BRACKETS = re.compile(r"(?:[\[{][\s\w\"'=:.-]*+){" + str(4 * DEEPEST) + r"}")
"""Brackets that are nested far deeper than DEEPEST, ahead of the parser."""
SUFFIXES = tuple(WEIGHTS)
"""Names of scene files end so."""
TWICE = re.compile(r"^Cannot declare \((.*)\) twice$")
"""How the parser of TOML tells a key that is there twice."""
WHERE = re.compile(r"^(.*?) \(at line (\d+), column (\d+)\)$", re.DOTALL)
"""How the parser of TOML tells the place of a mistake."""


@dataclass(frozen=True)
class Source:
    """A file that was read."""

    path: Path
    name: str
    """How problems call it: as it was asked for."""
    text: str
    tree: dict[str, Any]
    raw: bytes = b""
    """Content of the file, byte for byte."""

    @cached_property
    def lines(self) -> dict[Place, int]:
        """The line of every path; computed when a problem is reported."""
        return lines_of(self.text, toml=self.path.suffix.lower() == ".toml")

    def with_text(self, text: str) -> bytes:
        """Return the bytes of a file with another text: its line ends, and the mark at its
        beginning, stay.
        """
        if b"\r\n" in self.raw:
            text = text.replace("\n", "\r\n")
        return text.encode("utf-8-sig" if self.raw.startswith(codecs.BOM_UTF8) else "utf-8")

    def line(self, place: Place) -> int:
        """Return the line of a path, or of the table that it would be in."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 1)


def read_source(path: Path, name: str, room: int = MOST_BYTES) -> Source:
    """Read and parse a file of at most `room` bytes, or half as many of TOML.

    Raises:
        SceneError: with one problem, where it cannot be.
    """

    def wrong(message: str, line: int = 0) -> SceneError:
        return SceneError([Problem(name, line, "", message)])

    if path.suffix.lower() not in SUFFIXES:
        if instead := part_of_map(path.suffix):
            raise wrong(f"this cannot be opened by itself{instead}")
        raise wrong(f"the ending {path.suffix!r} is not allowed; expected .toml or .json")
    try:
        if not path.exists():
            raise wrong(f"there is no file {str(path)[:300]!r}")
        if not path.is_file():
            raise wrong("this is no file")
        size = path.stat().st_size
        room = room // WEIGHTS[path.suffix.lower()]
        if size > room:
            raise wrong(f"{size} bytes are not allowed; expected at most {room}")
        raw = read_file(path, room)
    except (OSError, ValueError) as error:
        if isinstance(error, SceneError):
            raise
        raise wrong(f"cannot be read: {error}") from None
    try:
        text = raw.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise wrong(
            f"byte {error.start} is no UTF-8", raw.count(b"\n", 0, error.start) + 1
        ) from None
    return Source(path, name, text, _parsed(text, path.suffix.lower(), wrong), raw)


def _parsed(text: str, suffix: str, wrong: Any) -> dict[str, Any]:
    # The patterns precede the parser: such texts are short, and would keep it busy for long.
    for pattern, what in (
        (LONG_KEY, f"a key of {MOST_DOTS} parts is"),
        (MANY_BRACKETS, "so many nested brackets are"),
    ):
        if suffix == ".toml" and (found := pattern.search(text)):
            raise wrong(f"{what} not allowed", text.count("\n", 0, found.start()) + 1)
    if (
        suffix == ".toml"
        and sum(1 for _ in islice(DOTS.finditer(text), MOST_DOTTED + 1)) > MOST_DOTTED
    ):
        raise wrong(f"more than {MOST_DOTTED} dots in keys and texts are not allowed")
    if suffix == ".json" and is_nested(text, 4 * DEEPEST):
        raise wrong("so many nested brackets are not allowed")
    try:
        tree = (_kept_tree if len(text) <= KEPT else _tree)(text, suffix)
    except RecursionError:
        raise wrong(
            f"more than {DEEPEST} tables and lists inside each other are not allowed"
        ) from None
    except json.JSONDecodeError as error:
        raise wrong(f"{error.msg} (column {error.colno})", error.lineno) from None
    except ValueError as error:
        # The error is from tomllib, or from int() for a number of thousands of digits.
        if "digits" in str(error):
            raise wrong("a whole number of more than 4300 digits is not allowed") from None
        place = WHERE.match(str(error))
        message = TWICE.sub(_twice, place[1] if place else str(error))
        raise (
            wrong(f"{message} (column {place[3]})", int(place[2])) if place else wrong(message)
        ) from None
    if not isinstance(tree, dict):
        raise wrong(
            f"{shown(tree)} is not allowed; expected one object with the tables of the scene", 1
        )
    for path, value in _too_deep(tree):
        raise wrong(
            f"{joined(path)}: {shown(value)} is more than {DEEPEST} tables and lists deep, "
            "which is not allowed"
        )
    return tree


def _tree(text: str, suffix: str) -> Any:
    """Parse a text."""
    return tomllib.loads(text) if suffix == ".toml" else json.loads(text, object_pairs_hook=_pairs)


_kept_tree = lru_cache(maxsize=32)(_tree)
"""Parse a text, with a cache for restarts of a level; trees of sources are never modified."""


def _twice(found: re.Match[str]) -> str:
    """Return the message on a duplicate table, with its name as in the file."""
    keys = re.findall("'([^']*)'", found[1])
    return f"{'.'.join(keys)} is there twice"


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object; JSON allows a name twice, and a scene does not."""
    made = dict(pairs)
    if len(made) < len(pairs):
        known: set[str] = set()
        name = next(name for name, _ in pairs if name in known or known.add(name))  # type: ignore[func-returns-value]
        raise ValueError(f"{shown(name)} twice in one object")
    return made


def _too_deep(tree: dict[str, Any]) -> Iterator[tuple[Place, Any]]:
    """Yield the values beyond the allowed depth."""
    level = [(key, value) for key, value in tree.items() if isinstance(value, dict | list)]
    for _ in range(DEEPEST - 1):
        level = [
            (key, inner)
            for key, value in level
            for inner in (value.values() if isinstance(value, dict) else value)
            if isinstance(inner, dict | list)
        ]
    yield from (((key,), inner) for key, value in level for inner in value)
