"""Fields: the values of a component that can be shown and edited, found from its declarations."""

from __future__ import annotations

import ast
import dataclasses
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np

from ecs_softbody.errors import FieldError
from ecs_softbody.scenes.model.kinds import Kind
from ecs_softbody.scenes.model.parts import part_of
from ecs_softbody.simulation import Simulation
from ecs_softbody.storage import Column, Component, declared_columns, declared_values
from ecs_softbody.validation import FARTHEST

Shape = Literal["number", "whole", "flag", "choice", "text", "data"]
"""How a value is changed: by a slider, a box to tick, a list to choose from, or as text."""
SHAPES: dict[str, Shape] = {"b": "flag", "i": "whole", "u": "whole", "f": "number"}
"""Shape of a column by the kind of its numbers."""
DEFAULT_SPAN = 10.0
"""A slider whose column declares no range covers this much on either side, or more; from a limit
on, where the value is 0.
"""
NICE = (1.0, 2.0, 5.0, 10.0)
"""First digits of the ends of a slider."""
MOST_SUBSTEPS = 64
"""Right end of the slider for substeps."""


@dataclass(frozen=True)
class Field:
    """One field of a component, or of the world.

    Attributes:
        owner: the name of its component.
        name, unit, doc: as declared.
        shape: how its entries are changed.
        width: number of entries of a value: 2 for x and y.
        low, high: range of a slider; None: derived from the current values.
        choices: the allowed words.
        per_row: whether there is a value for each particle, spring, ...
        fixed: whether it is read-only.
        kind: checks the values of fields that are no columns.
    """

    owner: str
    name: str
    unit: str = ""
    doc: str = ""
    shape: Shape = "data"
    width: int = 1
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    per_row: bool = False
    fixed: bool = False
    infinite: bool = False
    kind: Kind | None = None

    def span(self, values: Any) -> tuple[float, float]:
        """Return the range of a slider; without limits it extends beyond the current values."""
        finite = np.abs(np.asarray(values, float))
        finite = finite[np.isfinite(finite)]
        biggest = float(finite.max()) if finite.size else 0.0
        if self.low is None:
            reach = max(_nice(2.0 * biggest), DEFAULT_SPAN) if biggest else DEFAULT_SPAN
            return (
                -reach if self.high is None else min(-reach, self.high)
            ), self.high if self.high else reach
        high = (
            self.high
            if self.high is not None
            else self.low + (_nice(4.0 * biggest) if biggest else DEFAULT_SPAN)
        )
        return self.low, high

    def parsed(self, text: str) -> Any:
        """Return the value that a typed text stands for.

        Raises:
            ValueError: for a text that stands for none.
        """
        said = text.strip()
        if self.shape in ("text", "choice"):
            return said
        try:
            if self.shape == "number":
                return float(said)
            if self.shape == "whole":
                return int(said)
            return None if said in ("", "none", "None") else ast.literal_eval(said)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            expected = {"number": "a number", "whole": "a whole number"}.get(
                self.shape, "a value such as [90, 200, 120]"
            )
            raise FieldError(self.owner, self.name, said, expected) from None


def _nice(number: float) -> float:
    """Return the next number of 1, 2, 5, 10, 20, ..."""
    tens = 10.0 ** math.floor(math.log10(number))
    return next(tens * one for one in NICE if tens * one >= number * (1.0 - 1e-9))


_known: dict[type[Any], tuple[Field, ...]] = {}
"""Fields of each component class, found once."""


def fields_of(kind: type[Any]) -> tuple[Field, ...]:
    """Return the fields of a class of components; of a class without declared fields none (see
    `loose_fields`).
    """
    if kind not in _known:
        _known[kind] = tuple(_find_fields(kind))
    return _known[kind]


def _find_fields(kind: Any) -> Iterator[Field]:
    if issubclass(kind, Component):
        declared: dict[str, Any] = {**declared_columns(kind), **declared_values(kind)}
        yield from (
            _declared(kind.__name__, name, one) for name, one in declared.items() if not one.engine
        )
    elif dataclasses.is_dataclass(kind):
        part: Any = part_of(made_by := cast("Any", kind))
        fixed = bool(made_by.__dataclass_params__.frozen)
        yield from (_plain(part.name, name, one, fixed=fixed) for name, one in part.kinds.items())


def _declared(owner: str, name: str, one: Any) -> Field:
    """Return the field of a declared column or value."""
    low = one.minimum if one.minimum is not None else one.above
    return Field(
        owner,
        name,
        "" if one.unit == "1" else one.unit,
        one.doc,
        SHAPES[one.dtype.kind],
        one.width,
        _end(low),
        _end(one.maximum),
        per_row=isinstance(one, Column),
        fixed=bool(getattr(one, "rows_of_particles", False)),
        infinite=one.infinite,
    )


def _end(limit: float | None) -> float | None:
    """Return the end of a slider for a limit: None for the largest numbers, 0 for the smallest."""
    if limit is None or abs(limit) >= FARTHEST:
        return None
    return limit if abs(limit) > 1.0 / FARTHEST else 0.0


def _plain(owner: str, name: str, kind: Kind, *, fixed: bool = False) -> Field:
    """Return the field of a dataclass; its type determines the editor."""
    schema = kind.schema
    given = {"boolean": "flag", "integer": "whole", "number": "number", "string": "text"}.get(
        str(schema.get("type"))
    )
    if "enum" in schema:
        given = "choice"
    elif any(one.get("type") == "number" for one in schema.get("anyOf", ())):
        given = "number"
    shape: Any = given or "data"
    return Field(
        owner,
        name,
        doc=kind.expected,
        shape=shape,
        choices=tuple(schema.get("enum", ())),
        fixed=fixed,
        kind=kind,
    )


def loose_fields(one: Any) -> tuple[Field, ...]:
    """Return the fields of a component of a plain class: numbers, flags and texts can
    be changed.
    """
    kinds: dict[type, Shape] = {bool: "flag", int: "whole", float: "number", str: "text"}
    owner = type(one).__name__
    found = getattr(one, "__dict__", {})
    return tuple(
        Field(owner, name, shape=kinds.get(type(value), "data"), fixed=type(value) not in kinds)
        for name, value in found.items() if not name.startswith("_")
    )  # fmt: skip


WORLD_FIELDS: tuple[Field, ...] = (
    Field("World", "gravity", "m/s²", "acceleration of all bodies", "number", 2, -30.0, 30.0),
    Field("World", "substeps", "", "substeps of a frame", "whole", 1, 1.0, float(MOST_SUBSTEPS)),
    Field("World", "sleeping", "", "whether bodies that have come to rest fall asleep", "flag"),
    Field(
        "World",
        "speed_limit",
        "m/s",
        "no particle moves faster",
        "number",
        1,
        0.0,
        None,
        infinite=True,
    ),
)
"""Settings of a Simulation that can be changed while it runs."""


def holder_of(sim: Simulation, entity: int | None, kind: type[Any] | None) -> Any:
    """Return the object that holds a field: a component, or the simulation itself.

    Raises:
        ValueError: if the entity is gone or has no such component.
    """
    return sim if entity is None or kind is None else sim.get(entity, kind)
