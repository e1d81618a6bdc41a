"""Signatures of the kernels called from Python, read from their annotations.

A signature is flat text, also read by the C extension (calls.c): one word for each argument, `f8:2`
for an array of float64 with two dimensions, `f8` for a float; a group of arrays is its members
between `(` and `)`, and so are several results. The result follows `>`.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable
from typing import Annotated, Any

from ecs_softbody.arrays import Layout

NUMBERS = {float: "f8", int: "i8", bool: "b1"}


def signature_of(function: Callable[..., Any]) -> str:
    """Return the signature of a kernel; TypeError for an annotation of another kind."""
    hints = typing.get_type_hints(function, include_extras=True)
    result = hints.pop("return")
    try:
        return " ".join([*(_word(hint) for hint in hints.values()), ">", *_results(result)])
    except TypeError as problem:
        raise TypeError(f"{function.__module__}.{function.__qualname__}: {problem}") from None


def fields_of(group: Any) -> list[Any]:
    """Return the annotations of the members of a group of arrays."""
    hints = typing.get_type_hints(group, include_extras=True)
    return [hints[name] for name in group._fields]


def layout_of(hint: Any) -> Layout | None:
    """Return the Layout that an annotation carries, or None."""
    notes = hint.__metadata__ if typing.get_origin(hint) is Annotated else ()
    return next((note for note in notes if isinstance(note, Layout)), None)


def is_group(hint: Any) -> bool:
    """Return whether an annotation is a NamedTuple."""
    return isinstance(hint, type) and issubclass(hint, tuple) and hasattr(hint, "_fields")


def _word(hint: Any) -> str:
    if hint in NUMBERS:
        return NUMBERS[hint]
    if layout := layout_of(hint):
        return f"{layout.dtype.kind}{layout.dtype.itemsize}:{layout.dimensions}"
    if is_group(hint):
        return f"( {' '.join(map(_word, fields_of(hint)))} )"
    raise TypeError(f"{hint} is no number, no array with a Layout and no NamedTuple of these")


def _results(hint: Any) -> list[str]:
    if hint is types.NoneType:
        return []
    if typing.get_origin(hint) is tuple:
        return ["(", *(NUMBERS[part] for part in typing.get_args(hint)), ")"]
    if hint not in NUMBERS:
        raise TypeError(f"it returns {hint}, which is no number and no tuple of numbers")
    return [NUMBERS[hint]]
