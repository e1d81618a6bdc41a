"""Whether two worlds hold the same, entity by entity."""

from __future__ import annotations

from typing import Any

import esper
import numpy as np

from ecs_softbody import Simulation
from ecs_softbody.scenes.comparing import is_engines
from ecs_softbody.storage import Component, declared_columns, declared_values


def components(sim: Simulation, entity: int) -> dict[str, Any]:
    """Return the components of an entity by name, without what the engine keeps for itself for a
    while.
    """
    with sim:
        found = esper.components_for_entity(entity)
    return {type(one).__name__: one for one in found if not is_engines(one)}


def values(one: Any) -> dict[str, Any]:
    """Return what a component declares, without what the engine keeps beside it."""
    if not isinstance(one, Component):
        return {"all": one}
    columns: dict[str, Any] = {**declared_columns(type(one)), **declared_values(type(one))}
    return {
        name: np.array(getattr(one, name)) for name, column in columns.items()
        if not column.engine and _can_be_given(column, getattr(one, name))
    }  # fmt: skip


def _can_be_given(column: Any, value: Any) -> bool:
    """Return whether a value is one that the class takes:
    a ring without area has a rest area of 0.
    """
    return not (column.unset and column.above is not None and np.min(value) <= column.above)


def differences(first: Simulation, second: Simulation) -> list[str]:
    """Return every value that differs, bit for bit; the entities of both are in the same order."""
    here = first.entities()
    there = second.entities()
    if len(here) != len(there):
        return [f"{len(here)} and {len(there)} entities"]
    found = []
    for a, b in zip(here, there, strict=True):
        ours = components(first, a)
        others = components(second, b)
        if ours.keys() != others.keys():
            found.append(f"entity {a}: {sorted(ours)} and {sorted(others)}")
            continue
        for kind, one in ours.items():
            if kind.endswith("Muscles") and one.row_count != others[kind].row_count:
                # a spring was torn in the last step, and its muscle goes in the next one
                continue
            theirs = values(others[kind])
            for name, value in values(one).items():
                same = (
                    value == theirs[name] if kind == "Look" else bits(value) == bits(theirs[name])
                )
                if not same:
                    found.append(f"entity {a}: {kind}.{name}: {value} and {theirs[name]}")
    return found


def bits(array: Any) -> tuple[Any, ...]:
    array = np.asarray(array)
    return array.shape, array.dtype, array.tobytes()


def state(sim: Simulation) -> list[tuple[str, tuple[Any, ...]]]:
    """Return every bit of all declared columns, also those that the engine writes."""
    found = []
    for number, entity in enumerate(sim.entities()):
        for kind, one in sorted(components(sim, entity).items()):
            if isinstance(one, Component):
                columns: dict[str, Any] = {
                    **declared_columns(type(one)),
                    **declared_values(type(one)),
                }
                found += [
                    (f"{number} {kind}.{name}", bits(getattr(one, name)))
                    for name, column in columns.items() if not column.stage
                ]  # fmt: skip
    return found
