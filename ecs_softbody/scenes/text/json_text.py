"""JSON as text: single values are changed in place; the rest of the file stays, letter by
letter.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any

from ecs_softbody.scenes.problems import Path

REMOVED = object()
"""As a value: the key is taken out."""
WIDTH = 200
"""Maximum width of a value on one line [characters]; longer values are split into lines."""
GAP = re.compile(r"[ \t\r\n]*")
"""Blanks between two words."""
SCALAR = re.compile(r"[^,\]}\s]+")
"""A number or a word."""
MARK = re.compile(r'["{}\[\]]')
"""Letters that begin or end a text, a table or a list."""


def changed(text: str, edits: Iterable[tuple[Path, Any]]) -> str:
    """Return the text of a JSON file with values set or removed; tables are made where they are
    missing.

    Raises:
        ValueError: for a place that is in no table.
    """
    begin = _skip(text, 0)
    end = _end(text, begin)
    table = _Table(text[begin:end])
    for path, value in edits:
        table.put(path, value)
    return f"{text[:begin]}{table.text()}{text[end:]}"


class _Table:
    """The text of an object in pieces; an inner object is one string until something in it is
    changed.
    """

    def __init__(self, text: str) -> None:
        if text[0] != "{":
            raise ValueError("this is no table")
        self.members: dict[str, tuple[str, str, str | _Table]] = {}
        """The text before a key (with the comma), the key with its colon, and the value."""
        last = 1
        at = _skip(text, 1)
        self.gap = text[1:at]
        while text[at] != "}":
            start = at
            key, at = scanstring(text, at + 1)
            at = _skip(text, _skip(text, at) + 1)
            end = _end(text, at)
            self.members[key] = (text[last:start], text[start:at], text[at:end])
            last = end
            at = _skip(text, end)
            if text[at] == ",":
                at = _skip(text, at + 1)
        self.tail = text[last:]

    def put(self, path: Path, value: Any) -> None:
        """Set a value, or remove it."""
        key = str(path[0])
        inner = path[1:]
        if key not in self.members:
            if value is not REMOVED:
                self._add(key, _nested(inner, value))
        elif inner:
            before, head, old = self.members[key]
            table = _Table(old) if isinstance(old, str) else old
            self.members[key] = (before, head, table)
            table.put(inner, value)
        elif value is REMOVED:
            del self.members[key]
        else:
            self.members[key] = (*self.members[key][:2], json.dumps(value, ensure_ascii=False))

    def _add(self, key: str, value: Any) -> None:
        """Append a member, laid out like the previous ones."""
        if not self.members:
            self.gap = ""
            self.tail = "}"
        before = self.gap if len(self.members) < 2 else next(reversed(self.members.values()))[0]
        head = f"{json.dumps(key, ensure_ascii=False)}: "
        said = json.dumps(value, ensure_ascii=False)
        if len(head) + len(said) > WIDTH:
            said = json.dumps(value, ensure_ascii=False, indent=2)
        self.members[key] = (before if "," in before else f",{before or ' '}", head, said)

    def text(self) -> str:
        """Return all of it."""
        parts = ["{", self.gap]
        for number, (before, head, value) in enumerate(self.members.values()):
            parts += (
                before if number else "",
                head,
                value if isinstance(value, str) else value.text(),
            )
        return "".join((*parts, self.tail))


def _nested(path: Path, value: Any) -> Any:
    """Return a value inside a table for each key."""
    for key in reversed(path):
        value = {key: value}
    return value


def _end(text: str, begin: int) -> int:
    """Return the end of a value."""
    if text[begin] not in '"{[':
        return SCALAR.match(text, begin).end()  # type: ignore[union-attr]
    at = begin
    depth = 0
    while True:
        at = MARK.search(text, at).start()  # type: ignore[union-attr]
        depth += (text[at] in "{[") - (text[at] in "}]")
        at = scanstring(text, at + 1)[1] if text[at] == '"' else at + 1
        if not depth:
            return int(at)


def _skip(text: str, at: int) -> int:
    return GAP.match(text, at).end()  # type: ignore[union-attr]
