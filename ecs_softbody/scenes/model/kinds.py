"""Kinds: the allowed values in a file, derived from type hints."""

from __future__ import annotations

import math
import types
import typing
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin

import numpy as np

from ecs_softbody.components.anchors import EntityId, Rows
from ecs_softbody.errors import FieldError
from ecs_softbody.scenes.problems import shown
from ecs_softbody.validation import did_you_mean

INFINITE = {"inf": math.inf, "-inf": -math.inf}
"""Words for infinity, which JSON lacks."""
WORLD, ALL_ROWS = "world", "all"
"""Stand for None where a place in the world, or all rows, are meant."""
MOST_WHOLE = 2**63 - 1
"""Largest whole number of 64 bits."""


class Ref(str):
    """The name of an entity."""

    __slots__ = ()


class Numbers:
    """Stands for `ArrayLike` in type hints: one number, or lists of them."""


@dataclass(frozen=True)
class Kind:
    """The allowed values of a field.

    Attributes:
        check: returns the converted value, or raises FieldError.
        expected: the allowed values, in words.
        schema: the same as JSON Schema.
    """

    check: Callable[[Any], Any]
    expected: str
    schema: dict[str, Any]


def refuse(value: Any, expected: str, hint: str = "") -> FieldError:
    """Return the error of a value that is not allowed; whoever reads its table knows the field."""
    return FieldError("", "", value, expected, in_words=shown(value), hint=hint)


def numbers(value: Any) -> Any:
    """Return numbers of a file with "inf" and "-inf" converted; other values and imported arrays
    stay as they are.
    """
    if isinstance(value, str):
        return INFINITE.get(value, value)
    if isinstance(value, list):
        return [numbers(entry) for entry in value]
    return value


def _number(value: Any) -> float:
    found = numbers(value)
    if isinstance(found, bool) or not isinstance(found, int | float) or math.isnan(_bounded(found)):
        raise refuse(value, "a number")
    return found


def _bounded(number: float) -> float:
    """Return a number; nan for integers beyond `MOST_WHOLE`, some of which exceed any float."""
    return math.nan if isinstance(number, int) and abs(number) > MOST_WHOLE else number


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
    if isinstance(found, list | np.ndarray):
        try:
            array = np.asarray(found)
        except (ValueError, OverflowError):
            raise refuse(value, "numbers, in lists of equal length") from None
        if array.size and array.dtype.kind not in "iuf":
            raise refuse(value, "numbers")
        if array.size and np.isnan(array).any():
            raise refuse(math.nan, "numbers")
        return found
    try:
        return _number(found)
    except ValueError:
        raise refuse(value, ARRAY.expected) from None


def _rows(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if value in (None, ALL_ROWS):
        return None
    if isinstance(value, list):
        return [_whole(entry) for entry in value]
    try:
        return _whole(value)
    except ValueError:
        raise refuse(value, ROWS.expected) from None


def _plain(value: Any) -> Any:
    """Check plain data, as in JSON."""
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_plain(entry) for entry in value]
    if not isinstance(value, bool | int | float | str | None):
        raise refuse(str(value), "plain data; write a date as a text")
    if isinstance(value, int) and abs(value) > MOST_WHOLE:
        raise refuse(value, f"a whole number of at most {MOST_WHOLE}")
    return value


NUMBER_SCHEMA: dict[str, Any] = {"anyOf": [{"type": "number"}, {"enum": list(INFINITE)}]}
"""Schema of a number; infinity is a word."""
LISTS_SCHEMA: dict[str, Any] = {
    "type": "array",
    "items": {"anyOf": [NUMBER_SCHEMA, {"type": "array"}]},
}
"""Schema of an array."""
NUMBER = Kind(_number, "a number", NUMBER_SCHEMA)
"""Any number, infinity as a word."""
WHOLE = Kind(_whole, "a whole number", {"type": "integer"})
"""A whole number."""
FLAG = Kind(_flag, "true or false", {"type": "boolean"})
"""True or false."""
TEXT = Kind(_text, "a text", {"type": "string"})
"""A text."""
ENTITY = Kind(_entity, "the name of an entity", {"type": "string", "minLength": 1})
"""The name of an entity of the scene."""
NOTHING = Kind(_nothing, "nothing", {"type": "null"})
"""No value; null in JSON."""
ARRAY = Kind(_array, "numbers", {"anyOf": [NUMBER_SCHEMA, LISTS_SCHEMA]})
"""An array of any shape."""
ROWS = Kind(
    _rows,
    'a row, a list of rows, or "all"',
    {
        "anyOf": [
            {"type": "integer"},
            {"type": "array", "items": {"type": "integer"}},
            {"const": ALL_ROWS},
        ]
    },
)
"""Rows of a component, or all of them."""
PLAIN = Kind(_plain, "plain data", {})
"""Numbers, texts, flags, lists and tables."""


def _table(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise refuse(value, TABLE.expected)
    found: dict[str, Any] = _plain(value)
    return found


TABLE = Kind(_table, "a table of plain data", {"type": "object"})
"""A table of such data."""
SIMPLE: dict[Any, Kind] = {
    float: NUMBER, int: WHOLE, bool: FLAG, str: TEXT, type(None): NOTHING, EntityId: ENTITY,
    Numbers: ARRAY, Rows: ROWS, Any: PLAIN, dict: PLAIN, list: PLAIN, np.ndarray: ARRAY,
}  # fmt: skip
"""Kinds by type hint."""


def whole_number(low: int, high: int) -> Kind:
    """Return the kind of whole numbers between two, both included."""
    expected = f"a whole number from {low} to {high}"

    def check(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise refuse(value, expected)
        return value

    return Kind(check, expected, {"type": "integer", "minimum": low, "maximum": high})


def at_least(low: float, *, above: bool = False) -> Kind:
    """Return the kind of finite numbers from `low` on, or `above` it."""
    expected = f"a finite number {'>' if above else '>='} {low:g}"

    def check(value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise refuse(value, expected)
        if not (low < _bounded(value) < math.inf or (value == low and not above)):
            raise refuse(value, expected)
        return value

    return Kind(
        check, expected, {"type": "number", "exclusiveMinimum" if above else "minimum": low}
    )


def kind_of(hint: Any) -> Kind:
    """Return the kind of a type hint; unknown hints are plain data."""
    if hint in SIMPLE:
        return SIMPLE[hint]
    origin = get_origin(hint)
    inner = get_args(hint)
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
    """Return the kind of a choice between words."""
    expected = f"one of {', '.join(str(word) for word in allowed)}"

    def check(value: Any) -> Any:
        if not isinstance(value, str) or value not in allowed:
            raise refuse(value, expected, did_you_mean(value, allowed))
        return value

    return Kind(check, expected, {"enum": list(allowed)})


def _one_of(hints: Sequence[Any]) -> Kind:
    if EntityId in hints and type(None) in hints:
        expected = f'the name of an entity, or "{WORLD}"'
        return Kind(
            lambda value: None if value in (None, WORLD) else _entity(value),
            expected,
            ENTITY.schema,
        )
    asked = [hint for hint in hints if hint is not type(None)]
    # A file has no objects of other classes.
    known = [hint for hint in asked if hint in SIMPLE or not isinstance(hint, type)]
    kinds = [kind_of(hint) for hint in known or asked]
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


PLURALS = {
    word: f"a list of {word.partition(' ')[2]}s"
    for word in ("a text", "a number", "a whole number")
}
"""Descriptions of lists of simple values."""


def _list_of(kind: Kind) -> Kind:
    expected = PLURALS.get(kind.expected, f"a list: each {kind.expected}")

    def check(value: Any) -> Any:
        if not isinstance(value, list):
            raise refuse(value, expected)
        return [kind.check(entry) for entry in value]

    return Kind(check, expected, {"type": "array", "items": kind.schema})


def _tuple_of(kinds: Sequence[Kind]) -> Kind:
    many = kinds == [NUMBER] * len(kinds)
    expected = (
        f"{len(kinds)} numbers in a list"
        if many
        else f"[{', '.join(kind.expected for kind in kinds)}]"
    )

    def check(value: Any) -> Any:
        if not isinstance(value, list) or len(value) != len(kinds):
            raise refuse(value, expected)
        try:
            return tuple(kind.check(entry) for kind, entry in zip(kinds, value, strict=True))
        except ValueError:
            raise refuse(value, expected) from None

    count = len(kinds)
    return Kind(
        check,
        expected,
        {
            "type": "array",
            "prefixItems": [kind.schema for kind in kinds],
            "minItems": count,
            "maxItems": count,
        },
    )
