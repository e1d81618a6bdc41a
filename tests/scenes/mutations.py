"""Mutated scene files: bytes, words, lines and values of right ones changed by chance."""

from __future__ import annotations

import copy
import json
import math
import random
from typing import Any

import tomlkit

WORDS = [
    "-1",
    "0",
    "1e308",
    "-1e308",
    "inf",
    "-inf",
    "nan",
    "99999999999999999999999",
    "1e-308",
    "true",
    '""',
    "[]",
    "{}",
    "[[]]",
    '"hero"',
    '"world"',
    "2.5",
    "1000000",
    "[1, 2, 3]",
    "[[0, 1], [1, 2]]",
    "1979-05-27",
    "[nan, 0]",
    '"../../etc/passwd"',
    "0x10",
    "'x'",
    "[inf, -inf]",
    "[true, 1]",
    '[["a", 1]]',
    "{ a = 1 }",
    '"\\u0000"',
    "-0.0",
    "4294967296",
    "7",
]
KEYS = [
    "blob",
    "box",
    "rope",
    "polygon",
    "Particles",
    "Springs",
    "StaticCollider",
    "Look",
    "at",
    "angle",
    "prefab",
    "material",
    "tags",
    "data",
    "skin",
    "radius",
    "center",
    "size",
    "rows",
    "columns",
    "particles",
    "segments",
    "spacing",
    "between",
    "stiffness",
    "include",
    "import",
    "world",
    "entities",
    "substeps",
    "gravity",
    "vertices",
    "Water",
    "Wind",
    "Magnet",
    "Muscles",
    "ShapeMatching",
    "groups",
    "outline",
    "Collider",
    "axle",
    "hinge",
    "Motor",
    "MouseJoint",
    "follow",
    "view",
]


def mutated(text: str, chance: random.Random) -> bytes:
    """Return a text with one to six changes."""
    for _ in range(chance.randint(1, 6)):
        text = chance.choice(CHANGES)(text, chance)
    raw = text.encode("utf-8", "surrogatepass")
    if chance.random() < 0.08 and raw:
        at = chance.randrange(len(raw))
        raw = raw[:at] + bytes([chance.randrange(256)]) + raw[at + 1 :]
    return raw


def _places(text: str, letters: str) -> list[int]:
    return [place for place, letter in enumerate(text) if letter in letters]


def _value(text: str, chance: random.Random) -> str:
    """Put another value behind an equals sign."""
    places = _places(text, "=:")
    if not places:
        return text
    at = chance.choice(places) + 1
    end = at
    while end < len(text) and text[end] not in ",}\n]":
        end += 1
    return f"{text[:at]} {chance.choice(WORDS)}{text[end:]}"


def _number(text: str, chance: random.Random) -> str:
    places = _places(text, "0123456789")
    if not places:
        return text
    at = chance.choice(places)
    return text[:at] + chance.choice(WORDS) + text[at + 1 :]


def _key(text: str, chance: random.Random) -> str:
    words = [word for word in KEYS if word in text]
    return text.replace(chance.choice(words), chance.choice(KEYS), 1) if words else text


def _line(text: str, chance: random.Random) -> str:
    lines = text.split("\n")
    at = chance.randrange(len(lines))
    other = chance.randrange(len(lines))
    how = chance.randrange(3)
    if how == 0:
        del lines[at]
    elif how == 1:
        lines.insert(other, lines[at])
    else:
        lines[at], lines[other] = lines[other], lines[at]
    return "\n".join(lines)


def _letter(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text) + 1)
    return text[:at] + chance.choice("[]{}=,.\"'#\n\\é\0 x1") + text[at + chance.randrange(2) :]


def _cut(text: str, chance: random.Random) -> str:
    first, last = sorted((chance.randrange(len(text) + 1), chance.randrange(len(text) + 1)))
    return text[:first] + text[min(last, first + 200) :]


def _grown(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text) + 1)
    return text[:at] + chance.choice("[{(.a1,") * chance.choice((3, 50, 2000)) + text[at:]


CHANGES = (_value, _value, _value, _number, _number, _key, _key, _line, _letter, _cut, _grown)


VALUES: list[Any] = [
    -1,
    0,
    1,
    2,
    3,
    7,
    2.5,
    1e308,
    -1e308,
    1e-308,
    -0.0,
    math.inf,
    -math.inf,
    math.nan,
    10**9,
    10**30,
    True,
    False,
    "",
    "hero",
    "one",
    "world",
    "all",
    "nobody",
    "../x.toml",
    [],
    {},
    [[]],
    [0, 1],
    [1, 2, 3],
    [[0, 1], [1, 2]],
    [[0, 0]],
    [[0, 1], [1]],
    ["a"],
    {"a": 1},
    [math.inf, 0.0],
    [math.nan, 0.0],
    [True, 1],
    [1e308, 1e308],
    [[1e200, -1e200], [0, 1], [3, 4]],
    "\0",
    [0],
]


def mutated_tree(tree: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """Return a scene with one to four of its values, keys or tables changed."""
    tree = copy.deepcopy(tree)
    for _ in range(chance.randint(1, 4)):
        table: Any = tree
        for _ in range(chance.randint(0, 5)):
            inner = [
                value
                for value in (table.values() if isinstance(table, dict) else table)
                if isinstance(value, dict | list)
            ]
            if not inner:
                break
            table = chance.choice(inner)
        if table:
            _change(table, list(table) if isinstance(table, dict) else range(len(table)), chance)
    return tree


def _change(table: Any, keys: Any, chance: random.Random) -> None:
    key = chance.choice(keys)
    how = chance.randrange(10)
    value = chance.choice(VALUES)
    number = isinstance(table[key], int | float) and not isinstance(table[key], bool)
    if how < 3 and number:
        table[key] = table[key] * chance.choice((0.5, 0.9, 1.1, 2, -1, 1e6, 0))
    elif how < 6 or not isinstance(table, dict):
        table[key] = copy.deepcopy(value)
    elif how == 6:
        del table[key]
    elif how == 7:
        table[chance.choice(KEYS)] = table.pop(key)
    elif how == 8:
        table[chance.choice(KEYS)] = copy.deepcopy(value)
    else:
        table[key] = copy.deepcopy(table[chance.choice(list(table))])


def as_file(tree: dict[str, Any], *, toml: bool) -> bytes:
    return (tomlkit.dumps(tree) if toml else json.dumps(tree)).encode("utf-8", "replace")
