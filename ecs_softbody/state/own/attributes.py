"""Attributes: which values a file may write to the attributes of user-defined objects.

Code of a game relies on its attributes: a number where it expects a list raises errors later, far
from their cause. So a value from a file must be alike the one that the world has in its place, or
that the class declares.
"""

from __future__ import annotations

import dataclasses
import inspect
import random
from collections import deque
from enum import Enum
from types import MemberDescriptorType
from typing import Any

import numpy as np

from ecs_softbody.state.container import SnapshotError
from ecs_softbody.state.kinds import slots_of

NUMBERS = (bool, int, float, np.number, np.bool_)
"""Types of numbers, any of which may stand in the place of another."""
ALIKE = (NUMBERS, (str,), (bytes,), (list, tuple, deque), (dict,), (set, frozenset))
"""Types of which one may stand in the place of another."""
NUMBER_KINDS = set("biufc")
"""Arrays of these kinds, too."""
SIMPLE: dict[str, Any] = {
    kind: made() for made in (int, float, bool, str) for kind in (made.__name__, str(made))
}
"""A value of the type that the annotation of a field names."""


class Expected:
    """Default attribute values of a new object of a class, as far as the class declares them: the
    fields of dataclasses.
    """

    def __init__(self, cls: type[Any]) -> None:
        known = {field.name: SIMPLE.get(str(field.type)) for field in fields_of(cls)} | defaults_of(
            cls
        )
        self.__dict__.update({name: value for name, value in known.items() if value is not None})


def fields_of(cls: type[Any]) -> tuple[dataclasses.Field[Any], ...]:
    """Return the fields of a class, none if it is not a dataclass."""
    return dataclasses.fields(cls) if dataclasses.is_dataclass(cls) else ()


def defaults_of(cls: type[Any]) -> dict[str, Any]:
    """Return the default values of the fields of a class, without fields that have none."""
    found = {
        field.name: field.default
        for field in fields_of(cls)
        if field.default is not dataclasses.MISSING
    }
    for field in fields_of(cls):
        if field.default_factory is not dataclasses.MISSING:
            found[field.name] = field.default_factory()
    return found


def missing_field(cls: type[Any], attributes: dict[str, Any]) -> str | None:
    """Return the name of a field of a class that has no value by default, and none of these; None:
    all have one.
    """
    known = defaults_of(cls).keys() | attributes.keys()
    return next((field.name for field in fields_of(cls) if field.name not in known), None)


def put_attributes(owner: Any, attributes: dict[str, Any]) -> None:
    """Give an object of the world its attributes; arrays and generators stay the same objects where
    that can be.
    """
    for name, value in attributes.items():
        before = getattr(owner, name, None)
        if isinstance(before, random.Random) and isinstance(value, random.Random):
            before.setstate(value.getstate())
        elif (
            isinstance(before, np.random.Generator)
            and isinstance(value, np.random.Generator)
            and type(before.bit_generator) is type(value.bit_generator)
        ):
            before.bit_generator.state = value.bit_generator.state
        elif (
            isinstance(before, np.ndarray)
            and isinstance(value, np.ndarray)
            and before.flags.writeable
            and value.flags.writeable
            and (before.shape, before.dtype) == (value.shape, value.dtype)
        ):
            before[...] = value
        else:
            object.__setattr__(owner, name, value)


def check_attribute(cls: type[Any], name: Any, current: Any) -> None:
    """Raise SnapshotError for an attribute that the object in its place does not have, or that is
    code of its class.
    """
    there = inspect.getattr_static(cls, name, None) if isinstance(name, str) else None
    sets = hasattr(type(there), "__set__") and not isinstance(there, MemberDescriptorType)
    is_code = sets or callable(there) or isinstance(there, classmethod | staticmethod)
    if not isinstance(name, str) or not name.isidentifier() or name.startswith("__") or is_code:
        raise SnapshotError(
            f"{cls.__qualname__} has no attribute {str(name)[:60]!r} that a file may write"
        )
    known = slots_of(cls), getattr(current, "__dict__", ()), declared_attributes(cls)
    if not isinstance(current, Expected) and not any(name in each for each in known):
        raise SnapshotError(
            f"{cls.__qualname__} has no attribute {name!r} here; give it one in __init__, so "
            "that a file can fill it"
        )


def declared_attributes(cls: type[Any]) -> set[str]:
    """Return the names that a class and its bases annotate."""
    return {name for base in cls.__mro__ for name in vars(base).get("__annotations__", ())}


def has_attributes(cls: type[Any]) -> bool:
    """Return whether the state of objects of a class is their attributes, as opposed to values of
    Python and numpy types.
    """
    return not issubclass(
        cls, (type, Enum, tuple, int, float, str, bytes, dict, list, set, frozenset, np.ndarray)
    )


def is_alike(value: Any, before: Any) -> bool:
    """Return whether a value may stand where the world has another one: None may, anywhere."""
    if value is None or before is None:
        return True
    if isinstance(value, np.ndarray) and isinstance(before, np.ndarray):
        return value.dtype == before.dtype or {value.dtype.kind, before.dtype.kind} <= NUMBER_KINDS
    if type(value) is type(before):
        return True
    if isinstance(value, np.ndarray) or isinstance(before, np.ndarray):
        return False
    return any(isinstance(value, kinds) and isinstance(before, kinds) for kinds in ALIKE)
