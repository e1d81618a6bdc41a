"""Kinds of columns: the allowed values in a file, by the type, limits and unit of a component's
column.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ecs_softbody.errors import LimitError
from ecs_softbody.scenes.model.kinds import INFINITE, Kind, numbers, refuse
from ecs_softbody.storage.columns import Column, Value

ROWS = {(2, "f"): "a list of points [x, y]", (2, "i"): "a list of pairs [i, j] of whole numbers"}
"""How a column of points or pairs is called, by the width of a row and the kind of its numbers."""


def column_kind(
    column: Column[Any] | Value[Any], *, single: bool = False, listed: bool = False
) -> Kind:
    """Return the kind of a declared column or value: its type, its limits and its unit.

    Args:
        column: the declaration.
        single: one entry stands for all rows, as an argument of a blueprint does.
        listed: a list of rows is required; its length is the number of rows.
    """
    per_row = isinstance(column, Column) and not single
    expected = _words(column, per_row=per_row, listed=listed)

    def check(value: Any) -> Any:
        found = numbers(value)
        try:
            depth = np.ndim(found)
            if column.dtype.kind != "b" and _has_flag(found):
                raise refuse(value, expected)
            if per_row and (listed or depth == 1 + len(column.tail)):
                column.coerce(found, None)
            else:
                column.coerce(found, (1, *column.tail) if per_row else column.tail)
        except LimitError:
            raise  # it names the row, and the limits
        except (ValueError, TypeError, OverflowError):
            raise refuse(value, expected) from None
        return found

    unit = f" [{column.unit}]" if column.unit != "1" else ""
    schema = _schema(column, per_row=per_row, listed=listed)
    return Kind(check, expected, {**schema, "description": f"{column.doc}{unit}"})


def _schema(column: Column[Any] | Value[Any], *, per_row: bool, listed: bool) -> dict[str, Any]:
    if column.dtype.kind == "b":
        leaf: dict[str, Any] = {"type": "boolean"}
    else:
        limits = {
            "minimum": column.minimum,
            "maximum": column.maximum,
            "exclusiveMinimum": column.above,
        }
        leaf = {"type": "integer" if column.dtype.kind in "iu" else "number"}
        leaf |= {name: value for name, value in limits.items() if value is not None}
        leaf = {"anyOf": [leaf, {"enum": list(INFINITE)}]} if column.infinite else leaf
    one = column.width == 1
    entry = (
        leaf
        if one
        else {"type": "array", "items": leaf, "minItems": column.width, "maxItems": column.width}
    )
    if not per_row:
        return entry
    rows = {"type": "array", "items": entry}
    return rows if listed else {"anyOf": [leaf, entry, rows][one:]}


def _words(column: Column[Any] | Value[Any], *, per_row: bool, listed: bool) -> str:
    """Return the allowed values of a column, in words."""
    unit = f" [{column.unit}]" if column.unit != "1" else ""
    if column.dtype.kind == "b":
        return "true or false, or a list of such" if per_row else "true or false"
    kind = "i" if column.dtype.kind in "iu" else "f"
    if listed and column.width > 1:
        return (
            ROWS.get((column.width, kind), f"a list of rows of {column.width} whole numbers") + unit
        )
    word = "whole number" if kind == "i" else "number"
    signs = ((">=", column.minimum), (">", column.above), ("<=", column.maximum))
    limits = [f"{sign} {limit:g}" for sign, limit in signs if limit is not None]
    limit = f" {' and '.join(limits)}" if limits else " >= 0" if column.dtype.kind == "u" else ""
    many = {1: f"a {word}{limit}", 2: f"two {word}s [x, y]{limit}"}.get(
        column.width, f"{column.width} {word}s{limit}"
    )
    return f"{many}{unit}, or a list of such" if per_row else f"{many}{unit}"


def _has_flag(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return bool(value.dtype.kind == "b")
    if isinstance(value, list):
        return any(_has_flag(entry) for entry in value)
    return isinstance(value, bool)
