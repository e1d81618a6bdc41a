"""Changes: changed values, stored by name, to be applied again or written to a file."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ecs_softbody.inspector.model.fields import Field, fields_of, holder_of
from ecs_softbody.simulation import Simulation
from ecs_softbody.storage import Component

How = Literal["set", "scale", "shift"]
"""How a change acts on numbers: replaces, multiplies or adds."""


@dataclass(frozen=True)
class Change:
    """One changed value.

    Attributes:
        name: of the entity in the scene file; empty for a setting of the world.
        kind: the class of the component, None for the world.
        field: its name.
        value: the new value, scale factor or shift.
        how: `scale` multiplies all rows, so that they keep their proportions; `shift` moves all
            rows together.
        row: number of the row, None for all.
        entry: number of a vector's entry, None for scalars.
    """

    name: str
    kind: type[Any] | None
    field: str
    value: Any
    how: How = "set"
    row: int | None = None
    entry: int | None = None

    @property
    def key(self) -> tuple[Any, ...]:
        """Identifier of the changed value."""
        return self.name, self.kind, self.field, self.row, self.entry

    def __str__(self) -> str:
        owner = "World" if self.kind is None else f"{self.name}.{self.kind.__name__}"
        place = "" if self.row is None else f"[{self.row}]"
        axis = (
            "" if self.entry is None else f".{'xy'[self.entry] if self.entry < 2 else self.entry}"
        )
        value = f"{self.value:.6g}" if isinstance(self.value, float) else f"{self.value}"
        sign = {"set": "=", "scale": "×", "shift": "+"}[self.how]
        return f"{owner}.{self.field}{place}{axis} {sign} {value}"

    def apply(self, sim: Simulation, entity: int | None) -> None:
        """Change the value in a world.

        Raises:
            ValueError: if the entity is gone, or the value is not allowed; then nothing has
                changed.
        """
        holder = holder_of(sim, entity, self.kind)
        found = getattr(holder, self.field)
        if not isinstance(found, np.ndarray):
            setattr(holder, self.field, self._checked(found))
            return
        array = found.astype(np.float64) if found.dtype.kind in "iu" else found.copy()
        place: Any = (
            (slice(None) if self.row is None else self.row) if self._per_row(holder) else ...
        )
        if self._per_row(holder) and self.row is not None and not 0 <= self.row < len(array):
            raise ValueError(
                f"{self}: there is no such row; {type(holder).__name__} has {len(array)}"
            )
        index = (
            place
            if self.entry is None
            else (..., self.entry)
            if place is ...
            else (place, self.entry)
        )
        if self.how == "set":
            array[index] = self.value
        elif self.how == "scale":
            array[index] = array[index] * self.value
        else:
            array[index] = array[index] + self.value
        setattr(holder, self.field, array)

    def _per_row(self, holder: Any) -> bool:
        known = fields_of(type(holder)) if isinstance(holder, Component) else ()
        return any(field.name == self.field and field.per_row for field in known)

    def _checked(self, found: Any) -> Any:
        """Return the value as the holder takes it; a dataclass without checks of its own gets them
        here.
        """
        value = (
            self.value
            if self.how == "set"
            else found * self.value
            if self.how == "scale"
            else found + self.value
        )
        field = next(
            (
                one
                for one in (fields_of(self.kind) if self.kind is not None else ())
                if one.name == self.field
            ),
            None,
        )
        if field is None or field.kind is None or value is None:
            return value
        try:
            return field.kind.check(list(value) if isinstance(value, tuple) else value)
        except ValueError as error:
            raise ValueError(f"{field.owner}.{field.name}: {error}") from None


def change_of(
    field: Field, name: str, kind: type[Any] | None, value: Any, holder: Any, **place: Any
) -> Change:
    """Return the change that gives a field a value.

    Args:
        field: the field to change.
        name: of the entity, empty for the world.
        kind: class of the component, None for the world.
        value: the new one; for all rows of several values, their new mean.
        holder: the component as it is now.
        place: `row` and `entry`, None for all of them.
    """
    row = place.get("row")
    entry = place.get("entry")
    entry = entry if field.width > 1 else None
    change = Change(name, kind, field.name, value, row=row, entry=entry)
    if row is not None or not field.per_row or field.shape != "number":
        return change
    array = getattr(holder, field.name)
    rows = array if entry is None else array[:, entry]
    if (
        not len(rows)
        or not np.isfinite(rows).all()
        or not np.isfinite(value)
        or (rows == rows[0]).all()
    ):
        return change
    mean = float(rows.mean())
    if field.width > 1:
        return dataclasses.replace(change, how="shift", value=value - mean)
    return dataclasses.replace(change, how="scale", value=value / mean) if mean else change


class Changes:
    """The changes that have not been written yet, in their order."""

    def __init__(self) -> None:
        self._changes: dict[tuple[Any, ...], list[Change]] = {}

    def __iter__(self) -> Any:
        return (change for changes in self._changes.values() for change in changes)

    def __len__(self) -> int:
        return len(self._changes)

    def note(self, change: Change) -> None:
        """Record a change, and remove the earlier ones that it overrides."""
        if change.how == "set":
            if change.row is None:
                gone = [
                    key
                    for key in self._changes
                    if key[:3] == change.key[:3] and key[4] == change.key[4]
                ]
                for key in gone:
                    del self._changes[key]
            self._changes[change.key] = [change]
            return
        before = self._changes.setdefault(change.key, [])
        if before and before[-1].how == change.how:
            last = before.pop()
            value = (
                last.value * change.value if change.how == "scale" else last.value + change.value
            )
            change = dataclasses.replace(change, value=value)
        before.append(change)

    def forget(self, name: str) -> None:
        """Forget the changes of an entity that is gone."""
        for key in [key for key in self._changes if key[0] == name and key[1] is not None]:
            del self._changes[key]

    def clear(self) -> None:
        """Forget all of them."""
        self._changes.clear()

    def copied(self) -> Changes:
        """Return the same changes, to be kept."""
        copy = Changes()
        copy._changes = {key: list(changes) for key, changes in self._changes.items()}
        return copy
