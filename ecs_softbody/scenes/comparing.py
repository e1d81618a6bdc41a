"""Comparing: the differences between components, and their values in the form of files."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import esper
import numpy as np

from ecs_softbody.scenes.model.parts import Part, is_for_users
from ecs_softbody.scenes.model.specs import EntitySpec
from ecs_softbody.simulation import Simulation
from ecs_softbody.storage import Column, Component, declared_columns, declared_values


def components_of(sim: Simulation, entity: int) -> list[Any]:
    """Return the components of an entity in a fixed order, without the engine's internal ones."""
    with sim:
        found: tuple[Any, ...] = esper.components_for_entity(entity)
    return sorted((one for one in found if not is_engines(one)), key=lambda one: rank(type(one)))


def is_engines(one: Any) -> bool:
    """Return whether a component is internal to the engine, such as Healing after a cut."""
    kind = type(one)
    return kind.__module__.startswith("ecs_softbody.components.") and not is_for_users(kind)


def rank(kind: type) -> tuple[int, str]:
    """Return the sort key of a component class: Particles first, the others in order of
    declaration.
    """
    if len(_places) < len(Component.types):
        _places.update({one: number for number, one in enumerate(Component.types)})
    first = -1 if kind.__name__ == "Particles" else 0
    return (first or _places.get(kind, len(_places)), kind.__name__)


_places: dict[type, int] = {}


def copy_of(one: Any) -> Any:
    """Return a copy of a component whose arrays may be packed; others as they are."""
    return one.copied() if isinstance(one, Component) else one


def maker_of(spec: EntitySpec, kind: type) -> Part | None:
    """Return the part that made a component: the blueprint where there is one."""
    return next((part for part, _ in spec.parts if kind in part.makes), None)


def is_topology(kind: type, name: str) -> bool:
    """Return whether a field cannot be written beside a blueprint."""
    columns: dict[str, Any] = {**declared_columns(kind), **declared_values(kind)}
    return name not in columns or bool(getattr(columns[name], "rows_of_particles", False))


def different_fields(now: Any, was: Any, fresh: Any, numbers: Mapping[int, int]) -> list[str]:
    """Return the fields of a component that are others than in the file, packed or as they were
    made.
    """
    if not isinstance(now, Component):
        names = (
            [one.name for one in dataclasses.fields(now)] if dataclasses.is_dataclass(now) else []
        )
        return [name for name in names if getattr(now, name) != getattr(was, name)]
    found = []
    columns: dict[str, Any] = {**declared_columns(type(now)), **declared_values(type(now))}
    for name, column in columns.items():
        if column.engine:
            continue
        value = getattr(now, name)
        if not any(
            one is not None and are_equal(value, getattr(one, name)) for one in (was, fresh)
        ):
            found.append(name)
    if now.row_owners(-1) != tuple(numbers.get(owner, owner) for owner in was.row_owners(-1)):
        found.append("between" if hasattr(now, "between") else "entity")
    return found


def can_be_given(one: Component, name: str, value: Any) -> bool:
    """Return whether the class accepts a value; values computed by the engine, such as a rest area
    of 0, may be outside the limits.
    """
    columns: dict[str, Any] = {**declared_columns(type(one)), **declared_values(type(one))}
    if name not in columns or not columns[name].unset:
        return True
    try:
        columns[name].coerce(
            value, None if isinstance(columns[name], Column) else columns[name].tail
        )
    except ValueError:
        return False
    return True


def completed_fields(now: Component, fresh: Any) -> list[str]:
    """Return the fields that a file leaves to the places of particles, and that have been found
    from these.
    """
    columns: dict[str, Any] = {**declared_columns(type(now)), **declared_values(type(now))}
    return [
        name
        for name, column in columns.items()
        if column.unset
        and not column.engine
        and fresh is not None
        and np.isnan(getattr(fresh, name)).any()
        and not np.isnan(getattr(now, name)).any()
    ]


def are_equal(first: Any, second: Any) -> bool:
    """Return whether two values have the same bits; nan is nan."""
    a = np.asarray(first)
    b = np.asarray(second)
    return a.shape == b.shape and bool(np.array_equal(a, b, equal_nan=a.dtype.kind == "f"))


def is_default(value: Any, default: Any) -> bool:
    """Return whether a value, or every entry of a list, has the bits of a default number."""
    if isinstance(default, str | tuple) or default is None:
        return bool(value == (list(default) if isinstance(default, tuple) else default))
    entries = np.asarray(value)
    one = np.asarray(default)
    same = entries.dtype == one.dtype and entries.size > 0 and one.ndim == 0
    return same and entries.tobytes() == np.full(entries.shape, one).tobytes()


def are_near(first: Any, second: Any) -> bool:
    """Return whether two lists of places are the same but for the rounding of a sum."""
    return np.shape(first) == np.shape(second) and bool(
        np.allclose(first, second, rtol=1e-13, atol=1e-13)
    )


def is_placed_at(now: Any, made: Any, field: str) -> bool:
    """Return whether points of a component are where they are made; points that follow from others
    are unset then.
    """
    where = getattr(made, field)
    return bool(np.isnan(where).all()) or are_near(getattr(now, field), where)


def without_repeats(value: np.ndarray, column: Column[Any]) -> Any:
    """Return one entry where all rows of a column are the same."""
    same = len(value) > 0 and value.tobytes() == np.broadcast_to(value[:1], value.shape).tobytes()
    return value[0] if same and not (column.width > 1 and len(value) == column.width) else value


def plain_value(value: Any) -> Any:
    """Return a value as files have it."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, tuple | list):
        return [plain_value(entry) for entry in value]
    if isinstance(value, dict):
        return {key: plain_value(entry) for key, entry in value.items()}
    return value


def is_plain(value: Any) -> bool:
    """Return whether a file can have a value; None is left out of files."""
    if isinstance(value, list):
        return all(entry is not None and is_plain(entry) for entry in value)
    if isinstance(value, dict):
        return all(isinstance(key, str) for key in value) and is_plain([*value.values()])
    return value is None or isinstance(value, str | bool | int | float)


def free_name(name: str, taken: set[str]) -> str:
    """Return a name that is not taken."""
    while name in taken:
        name += "-2"
    return name
