"""Lines: which line of a TOML or JSON file each value is on; the file has been parsed already."""

from __future__ import annotations

import json
import re

from ecs_softbody.scenes.problems import Path

GAP = re.compile(r"(?:[ \t\r\n]++|#[^\n]*+)*+")
"""Blanks, ends of lines and comments."""
NEXT_LINE = re.compile(r"[^\n]*+\n?")
"""The rest of a line."""
STRING = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*+"{3,5}'
    r"|'''(?:[^']|'(?!''))*+'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*+"'
    r"|'[^'\n]*+'",
    re.DOTALL,
)
"""A text in any of the four quotes of TOML."""
BARE = re.compile(r"[^\s,\]}#=:.\[{\"']++")
"""A key without quotes."""
SCALAR = re.compile(r"[^,\]}#\n]++")
"""A number, a word or a date."""
DOT = re.compile(r"[ \t]*+\.[ \t]*+")
"""Between the parts of a key."""

MOST_LINES = 100_000
"""Maximum number of keys and entries with known lines; later ones are reported at the line of their
parent.
"""


def lines_of(text: str, *, toml: bool) -> dict[Path, int]:
    """Return the line, from 1, of every key and every entry of a list; as far as it can be read."""
    finder = _Finder(text)
    try:
        if toml:
            finder.read_toml()
        else:
            finder.at = finder.skip(0)
            finder.read_value(())
    except (RecursionError, IndexError):
        pass  # the lines found so far are right
    return finder.lines


class _Finder:
    """Walks through a text once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.lines: dict[Path, int] = {}
        self._counted_to = 0
        self._line = 1
        self._counts: dict[Path, int] = {}

    def note(self, path: Path) -> None:
        """Keep the present line for a path, unless it has one."""
        self._line += self.text.count("\n", self._counted_to, self.at)
        self._counted_to = self.at
        self.lines.setdefault(path, self._line)
        if len(self.lines) > MOST_LINES:
            raise IndexError

    def skip(self, at: int) -> int:
        """Return the place behind blanks and comments."""
        found = GAP.match(self.text, at)
        return found.end() if found else at

    def read_toml(self) -> None:
        """Read all lines of a TOML file."""
        table: Path = ()
        while (begin := self.skip(self.at)) < len(self.text):
            self.at = begin
            if self.text[begin] == "[":
                table = self.read_header()
                self._next_line()
                continue
            key = self.read_key()
            if self.text[self.at : self.at + 1] != "=":
                return
            self.at = self._blanks(self.at + 1)
            self.read_value(table + key)

    def read_header(self) -> Path:
        """Read [table] or [[table]], and return where it is: lists of tables count theirs."""
        many = self.text.startswith("[[", self.at)
        begin = self.at
        self.at = self._blanks(self.at + (2 if many else 1))
        name = self.read_key()
        behind = self.at
        self.at = begin
        path: Path = ()
        for number, part in enumerate(name):
            path = (*path, part)
            self.note(path)
            if many and number == len(name) - 1:
                self._counts[path] = self._counts.get(path, -1) + 1
            if path in self._counts:
                path = (*path, self._counts[path])
                self.note(path)
        self.at = behind
        return path

    def read_key(self) -> Path:
        """Read a key with its dots; note its parts where it is."""
        parts: list[str] = []
        while True:
            if found := STRING.match(self.text, self.at):
                parts.append(_unquoted(found[0]))
            elif found := BARE.match(self.text, self.at):
                parts.append(found[0])
            else:
                return tuple(parts)
            self.at = found.end()
            if not (dot := DOT.match(self.text, self.at)):
                self.at = self._blanks(self.at)
                return tuple(parts)
            self.at = dot.end()

    def read_value(self, path: Path) -> None:
        """Read one value with its content."""
        for length in range(1, len(path) + 1):
            self.note(path[:length])
        mark = self.text[self.at]
        if mark == "[":
            self._read_list(path)
        elif mark == "{":
            self._read_table(path)
        elif found := STRING.match(self.text, self.at) or SCALAR.match(self.text, self.at):
            self.at = found.end()

    def _read_list(self, path: Path) -> None:
        self.at = self.skip(self.at + 1)
        number = 0
        while self.text[self.at] != "]":
            begin = self.at
            self.read_value((*path, number))
            self.at = self.skip(self.at)
            number = number + 1
            if self.text[self.at] == ",":
                self.at = self.skip(self.at + 1)
            elif self.at == begin:
                raise IndexError
        self.at += 1

    def _read_table(self, path: Path) -> None:
        self.at = self.skip(self.at + 1)
        while self.text[self.at] != "}":
            begin = self.at
            key = self.read_key()
            self.at = self.skip(self.skip(self.at) + 1)
            self.read_value(path + key)
            self.at = self.skip(self.at)
            if self.text[self.at] == ",":
                self.at = self.skip(self.at + 1)
            elif self.at == begin:
                raise IndexError
        self.at += 1

    def _blanks(self, at: int) -> int:
        while self.text[at : at + 1] in (" ", "\t"):
            at += 1
        return at

    def _next_line(self) -> None:
        found = NEXT_LINE.match(self.text, self.at)
        self.at = found.end() if found else len(self.text)


def _unquoted(text: str) -> str:
    if text[0] == "'" or "\\" not in text:
        return text[1:-1]
    try:
        return str(json.loads(text, strict=False))
    except ValueError:
        return text[1:-1]
