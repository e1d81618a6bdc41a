"""Kinds: what a value in a file may be, found from type hints and from the columns that components declare."""

from __future__ import annotations

import math
import types
import typing
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin

import numpy as np

from ecs_softbody.components.anchors import EntityId, Rows
from ecs_softbody.scenes.problems import shown
from ecs_softbody.storage.columns import Column, Value
from ecs_softbody.validation import did_you_mean

INFINITE = {"inf": math.inf, "-inf": -math.inf}
"""JSON has no word for what is infinite."""
WORLD, ALL_ROWS = "world", "all"
"""Stand for None where a place in the world, or all rows, are meant."""
MOST_WHOLE = 2**63 - 1


class Ref(str):
    """The name of an entity."""

    __slots__ = ()


class Numbers:
    """Stands for `ArrayLike` in type hints: one number, or lists of them."""


@dataclass(frozen=True)
class Kind:
    """What a value may be.

    Attributes:
        check: returns the value as it is taken, or raises ValueError "VALUE is not allowed; expected ...".
        expected: what is allowed, in words.
        schema: the same as JSON Schema.
    """

    check: Callable[[Any], Any]
    expected: str
    schema: dict[str, Any]


def refuse(value: Any, expected: str, hint: str = "") -> ValueError:
    """Return the error of a value that is not allowed."""
    return ValueError(f"{shown(value)} is not allowed{hint}; expected {expected}")


def numbers(value: Any) -> Any:
    """Return numbers of a file with "inf" read as such; what is none of these stays."""
    if isinstance(value, str):
        return INFINITE.get(value, value)
    if isinstance(value, list):
        return [numbers(entry) for entry in value]
    return value


def _number(value: Any) -> float:
    found = numbers(value)
    if isinstance(found, bool) or not isinstance(found, int | float) or math.isnan(found):
        raise refuse(value, "a number")
    if isinstance(found, int) and abs(found) > MOST_WHOLE:
        raise refuse(value, "a number")
    return found


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > MOST_WHOLE:
        raise refuse(value, "a whole number")
    return value


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise refuse(value, "true or false")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise refuse(value, "a text")
    return value


def _entity(value: Any) -> Ref:
    if not isinstance(value, str) or not value:
        raise refuse(value, "the name of an entity")
    return Ref(value)


def _nothing(value: Any) -> None:
    if value is not None:
        raise refuse(value, "nothing")


def _array(value: Any) -> Any:
    found = numbers(value)
    if isinstance(found, list):
        try:
            array = np.asarray(found)
        except (ValueError, OverflowError):
            raise refuse(value, "numbers, in lists of equal length") from None
        if array.size and array.dtype.kind not in "iuf":
            raise refuse(value, "numbers")
        if array.size and np.isnan(array).any():
            raise refuse(math.nan, "numbers")
        return found
    return _number(found)


def _rows(value: Any) -> Any:
    if value in (None, ALL_ROWS):
        return None
    if isinstance(value, list):
        return [_whole(entry) for entry in value]
    try:
        return _whole(value)
    except ValueError:
        raise refuse(value, ROWS.expected) from None


def _plain(value: Any) -> Any:
    """Check plain data: what JSON can hold."""
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_plain(entry) for entry in value]
    if not isinstance(value, bool | int | float | str | None):
        raise refuse(str(value), "plain data; write a date as a text")
    return value


NUMBER_SCHEMA: dict[str, Any] = {"anyOf": [{"type": "number"}, {"enum": list(INFINITE)}]}
LISTS_SCHEMA: dict[str, Any] = {"type": "array", "items": {"anyOf": [NUMBER_SCHEMA, {"type": "array"}]}}
NUMBER = Kind(_number, "a number", NUMBER_SCHEMA)
WHOLE = Kind(_whole, "a whole number", {"type": "integer"})
FLAG = Kind(_flag, "true or false", {"type": "boolean"})
TEXT = Kind(_text, "a text", {"type": "string"})
ENTITY = Kind(_entity, "the name of an entity", {"type": "string", "minLength": 1})
NOTHING = Kind(_nothing, "nothing", {"type": "null"})
ARRAY = Kind(_array, "numbers", {"anyOf": [NUMBER_SCHEMA, LISTS_SCHEMA]})
ROWS = Kind(
    _rows, 'a row, a list of rows, or "all"',
    {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"type": "integer"}}, {"const": ALL_ROWS}]},
)  # fmt: skip
PLAIN = Kind(_plain, "plain data", {})


def _table(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise refuse(value, TABLE.expected)
    found: dict[str, Any] = _plain(value)
    return found


TABLE = Kind(_table, "a table of plain data", {"type": "object"})
SIMPLE: dict[Any, Kind] = {
    float: NUMBER, int: WHOLE, bool: FLAG, str: TEXT, type(None): NOTHING, EntityId: ENTITY, Numbers: ARRAY,
    Rows: ROWS, Any: PLAIN, dict: PLAIN, list: PLAIN, np.ndarray: ARRAY,
}  # fmt: skip


MOST_SUBSTEPS = 1000
"""More substeps than this in a file would take minutes for a frame."""


def _substeps(value: Any) -> int:
    if not 1 <= _whole(value) <= MOST_SUBSTEPS:
        raise refuse(value, SUBSTEPS.expected)
    return int(value)


SUBSTEPS = Kind(
    _substeps, f"a whole number from 1 to {MOST_SUBSTEPS}", {"type": "integer", "minimum": 1, "maximum": MOST_SUBSTEPS}
)


def _colour(value: Any) -> tuple[int, ...]:
    if not isinstance(value, list) or len(value) not in (3, 4):
        raise refuse(value, COLOUR.expected)
    parts = tuple(_whole(part) for part in value)
    if not all(0 <= part <= 255 for part in parts):
        raise refuse(value, COLOUR.expected)
    return parts


def _sky(value: Any) -> tuple[tuple[int, ...], ...]:
    if not isinstance(value, list) or len(value) < 2:
        raise refuse(value, SKY.expected)
    return tuple(_colour(colour) for colour in value)


COLOUR = Kind(
    _colour, "[red, green, blue], or with alpha, each 0 to 255",
    {"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 255}, "minItems": 3, "maxItems": 4},
)  # fmt: skip
SKY = Kind(
    _sky, "a list of two colours or more, from the horizon up", {"type": "array", "items": COLOUR.schema, "minItems": 2}
)


def kind_of(hint: Any) -> Kind:
    """Return the kind of a type hint; what it does not know is plain data."""
    if hint in SIMPLE:
        return SIMPLE[hint]
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Literal:
        return choice(inner)
    if origin in (typing.Union, types.UnionType):
        return _one_of(inner)
    if origin is tuple and inner[-1] is not Ellipsis:
        return _tuple_of([kind_of(part) for part in inner])
    if origin in (tuple, list, Sequence) and inner:
        return _list_of(kind_of(inner[0]))
    return SIMPLE.get(origin, PLAIN)


def choice(allowed: Sequence[Any]) -> Kind:
    """Return the kind of what is one of a few words."""
    expected = f"one of {', '.join(str(word) for word in allowed)}"

    def check(value: Any) -> Any:
        if not isinstance(value, str) or value not in allowed:
            raise refuse(value, expected, did_you_mean(value, allowed) if isinstance(value, str) else "")
        return value

    return Kind(check, expected, {"enum": list(allowed)})


def _one_of(hints: Sequence[Any]) -> Kind:
    if EntityId in hints and type(None) in hints:
        expected = f'the name of an entity, or "{WORLD}"'
        return Kind(lambda value: None if value in (None, WORLD) else _entity(value), expected, ENTITY.schema)
    kinds = [kind_of(hint) for hint in hints if hint is not type(None)]
    if len(kinds) == 1:
        return kinds[0]
    expected = " or ".join(kind.expected for kind in kinds)

    def check(value: Any) -> Any:
        for kind in kinds:
            try:
                return kind.check(value)
            except ValueError:
                continue
        raise refuse(value, expected)

    return Kind(check, expected, {"anyOf": [kind.schema for kind in kinds]})


def _list_of(kind: Kind) -> Kind:
    expected = f"a list: each {kind.expected}"

    def check(value: Any) -> Any:
        if not isinstance(value, list):
            raise refuse(value, expected)
        return [kind.check(entry) for entry in value]

    return Kind(check, expected, {"type": "array", "items": kind.schema})


def _tuple_of(kinds: Sequence[Kind]) -> Kind:
    expected = f"[{', '.join(kind.expected for kind in kinds)}]"

    def check(value: Any) -> Any:
        if not isinstance(value, list) or len(value) != len(kinds):
            raise refuse(value, expected)
        return tuple(kind.check(entry) for kind, entry in zip(kinds, value, strict=True))

    count = len(kinds)
    return Kind(
        check, expected,
        {"type": "array", "prefixItems": [kind.schema for kind in kinds], "minItems": count, "maxItems": count},
    )  # fmt: skip


def column_kind(column: Column[Any] | Value[Any]) -> Kind:
    """Return the kind of a declared column or value: its type, its limits and its unit."""
    one = column.width == 1
    per_row = isinstance(column, Column)
    unit = f" [{column.unit}]" if column.unit != "1" else ""
    if column.dtype.kind == "b":
        leaf: dict[str, Any] = {"type": "boolean"}
    else:
        limits = {"minimum": column.minimum, "maximum": column.maximum, "exclusiveMinimum": column.above}
        leaf = {"type": "integer" if column.dtype.kind in "iu" else "number"}
        leaf |= {name: value for name, value in limits.items() if value is not None}
        leaf = {"anyOf": [leaf, {"enum": list(INFINITE)}]} if column.infinite else leaf
    entry = leaf if one else {"type": "array", "items": leaf, "minItems": column.width, "maxItems": column.width}
    schema = {"anyOf": [leaf, entry, {"type": "array", "items": entry}][one:]} if per_row else entry

    def check(value: Any) -> Any:
        found = numbers(value)
        try:
            depth = np.ndim(found)
            if column.dtype.kind != "b" and _has_flag(found):
                raise refuse(value, f"{column.dtype.name} numbers")
            if per_row and depth == 1 + len(column.tail):
                column.coerce(found, None)
            else:
                column.coerce(found, (1, *column.tail) if per_row else column.tail)
        except OverflowError:
            raise refuse(value, f"{column.dtype.name} numbers") from None
        except (ValueError, TypeError) as error:
            said = str(error)
            start = f"{column.owner}.{column.name}: "
            raise ValueError(said[len(start) :] if said.startswith(start) else _plainly(value, said)) from None
        return found

    return Kind(check, f"{_words(column)}{unit}", {**schema, "description": f"{column.doc}{unit}"})


def _words(column: Column[Any] | Value[Any]) -> str:
    """Return what a column takes, in words."""
    if column.dtype.kind == "b":
        return "true or false"
    word = "whole number" if column.dtype.kind in "iu" else "number"
    many = {1: f"a {word}", 2: f"two {word}s [x, y]"}.get(column.width, f"{column.width} {word}s")
    return f"{many}, or a list of such" if isinstance(column, Column) else many


def _has_flag(value: Any) -> bool:
    if isinstance(value, list):
        return any(_has_flag(entry) for entry in value)
    return isinstance(value, bool)


def _plainly(value: Any, said: str) -> str:
    return (
        said
        if "is not allowed" in said
        else f"{shown(value)} is not allowed; expected numbers, in lists of equal length"
    )
