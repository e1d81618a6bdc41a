"""JSON as text: single values are changed where they stand; all else of the file stays, letter by letter."""

from __future__ import annotations

import json
import re
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any

from ecs_softbody.scenes.problems import Path

WIDTH = 200
"""What is longer than so many letters gets lines of its own."""
GAP = re.compile(r"[ \t\r\n]*")
SCALAR = re.compile(r"[^,\]}\s]+")


def changed(text: str, path: Path, value: Any) -> str:
    """Return the text of a JSON file with one value set; tables are made where they are missing.

    Raises:
        ValueError: for a place that is in no table.
    """
    begin, path = GAP.match(text, 0).end(), tuple(path)  # type: ignore[union-attr]
    while path:
        members = _members(text, begin)
        if path[0] not in members:
            for key in reversed(path[1:]):
                value = {key: value}
            return _inserted(text, begin, str(path[0]), value)
        begin, path = members[path[0]][1], path[1:]
    return text[:begin] + json.dumps(value, ensure_ascii=False) + text[_end(text, begin) :]


def removed(text: str, path: Path) -> str:
    """Return the text of a JSON file without one key, where it is there."""
    begin = GAP.match(text, 0).end()  # type: ignore[union-attr]
    for key in path[:-1]:
        members = _members(text, begin)
        if key not in members:
            return text
        begin = members[key][1]
    members = _members(text, begin)
    if path[-1] not in members:
        return text
    names = list(members)
    number = names.index(path[-1])
    start, end = members[path[-1]][0], _end(text, members[path[-1]][1])
    if number + 1 < len(names):
        end = members[names[number + 1]][0]
    elif number:
        start = _end(text, members[names[number - 1]][1])
    return text[:start] + text[end:]


def _members(text: str, begin: int) -> dict[Any, tuple[int, int]]:
    """Return the keys of an object, or the numbers of a list, with where each begins, and where its value does."""
    if text[begin] not in "{[":
        raise ValueError("this is no table")
    found: dict[Any, tuple[int, int]] = {}
    at = _skip(text, begin + 1)
    while text[at] not in "}]":
        start, key = at, len(found)
        if text[begin] == "{":
            key, at = scanstring(text, at + 1)
            at = _skip(text, _skip(text, at) + 1)
        found[key] = (start, at)
        at = _skip(text, _end(text, at))
        if text[at] == ",":
            at = _skip(text, at + 1)
    return found


def _end(text: str, begin: int) -> int:
    """Return where a value ends."""
    if text[begin] == '"':
        return int(scanstring(text, begin + 1)[1])
    if text[begin] not in "{[":
        return SCALAR.match(text, begin).end()  # type: ignore[union-attr]
    at, depth = begin, 0
    while True:
        if text[at] == '"':
            at = scanstring(text, at + 1)[1]
            continue
        depth += (text[at] in "{[") - (text[at] in "}]")
        at += 1
        if not depth:
            return at


def _inserted(text: str, begin: int, key: str, value: Any) -> str:
    """Return the text with another member at the end of an object, set out as those before it."""
    members = _members(text, begin)
    if text[begin] != "{":
        raise ValueError("this is no table")
    said = f"{json.dumps(key, ensure_ascii=False)}: {json.dumps(value, ensure_ascii=False)}"
    if len(said) > WIDTH:
        said = f"{json.dumps(key, ensure_ascii=False)}: {json.dumps(value, ensure_ascii=False, indent=2)}"
    if not members:
        return text[: begin + 1] + said + text[_end(text, begin) - 1 :]
    starts = list(members.values())
    last = _end(text, starts[-1][1])
    before = text[begin + 1 : starts[0][0]] if len(starts) == 1 else text[_end(text, starts[-2][1]) : starts[-1][0]]
    return f"{text[:last]},{before.lstrip(',') if before else ' '}{said}{text[last:]}"


def _skip(text: str, at: int) -> int:
    return GAP.match(text, at).end()  # type: ignore[union-attr]
