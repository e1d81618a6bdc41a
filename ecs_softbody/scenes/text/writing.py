"""Writing: changes of single values in the text of a TOML or JSON file; comments and order stay."""

from __future__ import annotations

import copy
import json
import math
import pathlib
import re
import tomllib
from collections.abc import Iterable, Mapping
from typing import Any

from ecs_softbody.scenes.problems import Path
from ecs_softbody.scenes.text import json_text
from ecs_softbody.scenes.text.json_text import REMOVED
from ecs_softbody.scenes.text.reading import MOST_BYTES, WEIGHTS

Edit = tuple[Path, Any]
WIDTH = 100
"""A list longer than this many letters has a line for each entry."""
HEADING = re.compile(r"""\[+[\w."'-]+\]+\s*(#.*)?$""")


def edited(text: str, tree: Mapping[str, Any], edits: Iterable[Edit], *, toml: bool) -> str:
    """Return the text of a file with some values changed; tables are made where they
    are missing.
    """
    edits = list(edits)
    wanted = copy.deepcopy(dict(tree))
    for path, value in edits:
        _put(wanted, path, value)
    if not toml:
        made = _changed_json(text, edits) if tree else None
        if made is not None and _same(json.loads(made), _for_json(wanted)):
            return made
        indent = re.search(r"^([ \t]+)\S", text, re.MULTILINE)
        spaces = indent[1] if indent else 2
        return json.dumps(_for_json(wanted), indent=spaces, ensure_ascii=False) + "\n"
    import tomlkit

    document = tomlkit.parse(text)
    try:
        for path, value in edits:
            _put(document, path, value if value is REMOVED else _item(value), _new_table)
        made = tomlkit.dumps(document)
        for written in (_with_room(made, text), made):
            if _same(tomllib.loads(written), wanted):
                return written
    except Exception:
        # If the parser of comments fails, the data are written without comments.
        pass
    return tomlkit.dumps(_tables(wanted))


def check_size(path: pathlib.Path, raw: bytes) -> None:
    """Raise ValueError for a scene file that is too large to be opened again."""
    most = MOST_BYTES // WEIGHTS[path.suffix.lower()]
    if len(raw) > most:
        raise ValueError(
            f"scenes.save: {path.name} would have {len(raw)} bytes; expected at most {most}, "
            "since no larger one can "
            "be opened; a snapshot can keep such a world"
        )


def _with_room(made: str, text: str) -> str:
    """Return a TOML text with an empty line after each table that is not in the one before."""
    known = {line.strip() for line in text.splitlines()}
    lines = list[str]()
    is_new = False
    for line in made.splitlines(keepends=True):
        if HEADING.match(line):
            if is_new and lines[-1].strip():
                lines.append("\r\n" if line.endswith("\r\n") else "\n")
            is_new = line.strip() not in known
        lines.append(line)
    return "".join(lines)


def _changed_json(text: str, edits: list[Edit]) -> str | None:
    """Return the text of a JSON file with values changed in place, or None if impossible."""
    try:
        made = json_text.changed(text, [(path, _for_json(value)) for path, value in edits])
        json.loads(made)
    except (ValueError, LookupError, TypeError, AttributeError):
        return None
    return made


def _put(table: Any, path: Path, value: Any, new_table: Any = dict) -> None:
    for key in path[:-1]:
        if key not in table:
            if value is REMOVED:
                return
            table[key] = new_table()
        table = table[key]
    if value is not REMOVED:
        table[path[-1]] = value
    elif path[-1] in table:
        del table[path[-1]]


def _new_table() -> Any:
    import tomlkit

    return tomlkit.table()


def _tables(tree: Mapping[str, Any]) -> Any:
    """Return a document with long lists in lines."""
    import tomlkit

    document = tomlkit.document()
    for key, value in tree.items():
        document[key] = _item(value)
    return document


def _item(value: Any) -> Any:
    """Return a value as tomlkit has it: long lists with a line for each entry."""
    import tomlkit

    if isinstance(value, dict):
        table = tomlkit.table(
            is_super_table=bool(value) and all(isinstance(one, dict) for one in value.values())
        )
        for key, entry in value.items():
            table[key] = _item(entry)
        return table
    if isinstance(value, list) and not all(isinstance(one, dict) for one in value):
        from ecs_softbody.scenes.text.toml_lists import WrittenList

        return WrittenList(value, in_lines=isinstance(value[0], list) and len(str(value)) > WIDTH)
    return tomlkit.item(value)


def _same(first: Any, second: Any) -> bool:
    """Return whether two trees are the same, nan and the order of keys aside."""
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(
            _same(value, second[key]) for key, value in first.items()
        )
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(
            _same(a, b) for a, b in zip(first, second, strict=True)
        )
    return bool(first == second and isinstance(first, bool) == isinstance(second, bool))


def _for_json(value: Any) -> Any:
    """Return a value with infinities as texts, since JSON lacks them."""
    if isinstance(value, dict):
        return {key: _for_json(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_for_json(entry) for entry in value]
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return value
