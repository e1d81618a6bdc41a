"""Values: those of a tree of JSON or TOML are changed, by their types; written again as a file of
that format.
"""

from __future__ import annotations

import copy
import json
import random
import re
from collections.abc import Iterator, Sequence
from typing import Any

from tests.fuzzing.changes import odd
from tests.fuzzing.changes.odd import Written, shown

Spot = tuple[Any, Any, str]
"""A list or table, a place in it, and the way there."""
MANY = 2000
SOME = 8


def spot_of(tree: Any, dice: random.Random) -> Spot | None:
    """Return a random place: one on a random way down, which is seldom deep, or any one, which
    mostly is.
    """
    if dice.random() < 0.5:
        every = list(spots(tree, dice))
        return dice.choice(every) if every else None
    found = None
    node = tree
    way = ""
    while isinstance(node, dict | list) and node:
        found = node, *_step(node, dice.choice(_keys(node)), way)
        _, key, way = found
        node = node[key]
        if dice.random() < 0.15:
            break
    return found


def spots(tree: Any, dice: random.Random) -> Iterator[Spot]:
    """Yield all places, of long lists only some."""
    waiting = [(tree, "")]
    while waiting:
        node, way = waiting.pop()
        keys = _keys(node)
        for each in (
            keys if isinstance(node, dict) or len(keys) <= SOME else dice.sample(keys, SOME)
        ):
            key, there = _step(node, each, way)
            yield node, key, there
            if isinstance(node[key], dict | list):
                waiting.append((node[key], there))


def _keys(node: Any) -> list[Any]:
    return list(node) if isinstance(node, dict) else list(range(len(node)))


def _step(node: Any, key: Any, way: str) -> tuple[Any, str]:
    return key, f"{way}[{key}]" if isinstance(node, list) else f"{way}.{key}"


def changed(
    tree: Any, dice: random.Random, words: Sequence[str] = (), other: Any = None
) -> list[str]:
    """Change a tree in one to four places; return what was done.

    `other` is a tree that something may come from.
    """
    said = []
    for _ in range(dice.choice((1, 1, 1, 2, 3, 4))):
        spot = spot_of(tree, dice)
        if spot is not None:
            said.append(_change(tree, spot, dice, words, other))
    return said


def _change(tree: Any, spot: Spot, dice: random.Random, words: Sequence[str], other: Any) -> str:
    table, key, way = spot
    old = table[key]
    how = dice.random()
    if how < 0.30:
        table[key] = _of_its_kind(old, dice)
    elif how < 0.58:
        table[key] = copy.deepcopy(odd.value(dice))
    elif how < 0.66:
        del table[key]
        return f"{way} is gone"
    elif how < 0.76:
        source = spot_of(other if other is not None and dice.random() < 0.3 else tree, dice)
        table[key] = None if source is None else copy.deepcopy(source[0][source[1]])
    elif how < 0.82:
        table[key] = dice.choice(
            ([old], {"a": old}, [old, old], [[old]], [old] * dice.choice((3, 50, MANY)))
        )
    elif isinstance(table, dict):
        new = dice.choice(words) if words and dice.random() < 0.7 else odd.text(dice, str(key))
        if how < 0.92:
            table[new] = copy.deepcopy(dice.choice((old, odd.value(dice))))
        else:
            table[new] = table.pop(key)
        return f"{way}: key {shown(new)}"
    else:
        table.insert(
            dice.randrange(len(table) + 1), copy.deepcopy(dice.choice((old, odd.value(dice))))
        )
        return f"{way}: one more"
    return f"{way}: {shown(old)} -> {shown(table[key])}"


def _of_its_kind(old: Any, dice: random.Random) -> Any:
    """Return another value of the same type."""
    if isinstance(old, bool):
        return not old
    if isinstance(old, int | float):
        return odd.number(dice, old)
    if isinstance(old, str):
        return odd.text(dice, old)
    if isinstance(old, list) and old:
        short = old[: dice.randrange(len(old))]
        ways = (
            [],
            old[::-1],
            old + old,
            short,
            old[1:],
            [*old, copy.deepcopy(old[-1])],
            old[:1] * dice.choice((2, 60, MANY)),
        )
        return copy.deepcopy(dice.choice(ways))
    return {} if isinstance(old, dict) else odd.value(dice)


def json_text(tree: Any, dice: random.Random) -> bytes:
    """Return a tree as JSON."""
    written: list[Written] = []

    def default(value: Any) -> str:
        if not isinstance(value, Written):
            return str(value)  # a date of TOML
        written.append(value)
        return f"@@{len(written) - 1}@@"

    text = json.dumps(
        tree, default=default, ensure_ascii=dice.random() < 0.7, indent=dice.choice((None, None, 1))
    )
    text = re.sub(r'"@@(\d+)@@"', lambda found: written[int(found[1])].text, text)
    return text.encode("utf-8", "surrogatepass")


def toml_text(tree: dict[str, Any], dice: random.Random) -> bytes:
    """Return a tree as TOML."""
    lines: list[str] = []
    _tables(tree, (), lines, dice)
    return ("\n".join(lines) + "\n").encode("utf-8", "surrogatepass")


def _tables(
    table: dict[str, Any], path: tuple[str, ...], lines: list[str], dice: random.Random
) -> None:
    later = [
        key for key, value in table.items() if isinstance(value, dict) and value and len(path) < 2
    ]
    for key, value in table.items():
        if key not in later:
            lines.append(f"{_key(key)} = {_toml(value)}")
    for key in later:
        lines.append(f"[{'.'.join(map(_key, (*path, key)))}]")
        _tables(table[key], (*path, key), lines, dice)


def _key(key: Any) -> str:
    text = str(key)
    plain = text.isascii() and text.replace("-", "a").replace("_", "a").isalnum()
    return (
        text
        if plain
        else json.dumps(
            text, ensure_ascii=not any("\ud800" <= letter < "\ue000" for letter in text)
        )
    )


def _toml(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{_key(key)} = {_toml(each)}' for key, each in value.items())} }}"
    plain = {True: "true", False: "false", None: "none"}  # the last one is no TOML
    if value is None or isinstance(value, bool):
        return plain[value]
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return value.text if isinstance(value, Written) else str(value)  # numbers, dates
