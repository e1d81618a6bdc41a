"""Hashes of a state: the same letters for the same bits, to find out whether two runs, or a run and
its repetition after a restore, are the same.
"""

from __future__ import annotations

import hashlib
from typing import Any

import esper
import numpy as np

from ecs_softbody.state.components import registered
from ecs_softbody.state.kinds import slots_of
from ecs_softbody.state.structure import entity_counter
from ecs_softbody.storage import Component, PackedBuffers, components_by_entity
from ecs_softbody.storage.table import Table

SIZE = 16
"""Bytes of a hash."""


def component_hashes(buffers: PackedBuffers, pipeline: Any) -> dict[str, str]:
    """Return the hash of each class of components in the current world, of the contacts, and of the
    clock.
    """
    found = {
        kind.__name__: _table_hash(table)
        for kind, table in sorted(buffers.tables.items(), key=lambda entry: entry[0].__name__)
        if table.bound
    }
    found |= _own_hashes()
    contacts = pipeline.space.contacts
    # Adding 0.0 turns -0.0 into 0.0.
    found["contacts"] = _digest(contacts.rows, *(contacts.records[name] + 0.0 for name in WARM))
    clock = pipeline.clock
    activity = pipeline.space.activity
    entities = buffers.tables[buffers.particles_type].values["entity"]
    # A removed body is a sleeper until the next step.
    sleepers = activity.sleepers[activity.sleepers < len(entities)]
    asleep = sorted(entities[sleepers].tolist())
    found["clock"] = _digest(
        repr((clock.time, clock.frame, pipeline.context.gravity.tolist())).encode()
    )
    found["entities"] = _digest(
        repr((entity_counter(), sorted(esper.get_entities()), asleep)).encode()
    )
    return found


WARM = ("normal_impulse", "friction_impulse", "frame_impulse")
"""Contact columns that one step passes to the next."""


def state_hash(buffers: PackedBuffers, pipeline: Any) -> str:
    """Return one hash of the state of the current world, made of all `component_hashes`."""
    return combined(component_hashes(buffers, pipeline))


def combined(hashes: dict[str, str]) -> str:
    """Return one hash made of several hashes and their names."""
    return _digest(repr(sorted(hashes.items())).encode())


def _table_hash(table: Table) -> str:
    """Hash the components of a class, in the order of the rows; released rows are zero."""
    # Kept and packed columns follow from others, and from where rows happen to be.
    names = [name for name in table.rows.arrays if not name.startswith(("kept_", "packed_"))]
    slots = [name for name in table.values.arrays if not name.startswith("kept_")]
    return _digest(*(table.rows[name] for name in names), *(table.values[name] for name in slots))


def _own_hashes() -> dict[str, str]:
    """Hash the registered user-defined components."""
    own: dict[str, list[str]] = {}
    for entity, components in sorted(components_by_entity().items()):
        for kind, component in components.items():
            if not isinstance(component, Component) and (known := registered(kind)) is not None:
                state = known.save(component) if known.save else vars_of(component)
                own.setdefault(known.kind.__name__, []).append(f"{entity} {_stable(state, {})}")
    return {name: _digest("\n".join(lines).encode()) for name, lines in own.items()}


def vars_of(component: Any) -> dict[str, Any]:
    """Return the attributes of an object, including slots."""
    slots = {
        name: getattr(component, name)
        for name in slots_of(type(component))
        if hasattr(component, name)
    }
    return slots | getattr(component, "__dict__", {})


def _stable(value: Any, seen: dict[int, int]) -> str:
    """Return a text that is the same for the same value; seen: number of each list and dict so far,
    by its identity, since they may hold themselves.
    """
    if isinstance(value, list | dict):
        if id(value) in seen:
            return f"#{seen[id(value)]}"
        seen[id(value)] = len(seen)
    if isinstance(value, np.ndarray):
        found = f"{value.dtype} {value.shape} {_digest(value)}"
    elif isinstance(value, dict):
        found = (
            "{" + ", ".join(f"{key!r}: {_stable(each, seen)}" for key, each in value.items()) + "}"
        )
    elif isinstance(value, set | frozenset):
        found = "{" + ", ".join(sorted(_stable(each, seen) for each in value)) + "}"
    elif isinstance(value, list | tuple):
        found = "[" + ", ".join(_stable(each, seen) for each in value) + "]"
    else:
        is_plain = isinstance(value, bool | int | float | str | bytes | None)
        found = repr(value) if is_plain else type(value).__qualname__
    return found


def _digest(*parts: Any) -> str:
    """Return the hash of arrays and bytes, in hexadecimal."""
    hashed = hashlib.blake2b(digest_size=SIZE)
    for part in parts:
        if isinstance(part, np.ndarray):
            hashed.update(repr(part.shape).encode())
            hashed.update(np.ascontiguousarray(part).tobytes())
        else:
            hashed.update(part)
    return hashed.hexdigest()
