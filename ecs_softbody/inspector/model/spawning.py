"""Spawning: bodies from the public blueprints, with options derived from their signatures."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from ecs_softbody.blueprints import MATERIALS
from ecs_softbody.inspector.model.fields import Field, Shape
from ecs_softbody.scenes.model.parts import all_blueprints, part_of
from ecs_softbody.simulation import Simulation

Arguments = dict[str, Any]
"""Arguments of a blueprint by name."""

FIRST_SIZE = 0.5
"""Radius of a new body, and half of its other sizes [m]."""
ANY_MATERIAL = "none"
"""The choice of no material."""
PLACES: dict[str, Any] = {
    "center": (0.0, 0.0), "start": (-1.0, 0.0), "end": (1.0, 0.0),
    "vertices": ((-0.5, -0.4), (0.5, -0.4), (0.0, 0.5)),
}  # fmt: skip
"""Position arguments, with their values relative to the spawn position [m]."""
SIZES: dict[str, Any] = {"radius": FIRST_SIZE, "size": (2.0 * FIRST_SIZE, 2.0 * FIRST_SIZE)}
"""Size arguments, with their first values [m]."""
NOT_OFFERED = frozenset({"category", "mask"})
"""Arguments that are left out: the bits of collision filters."""


@dataclass(frozen=True)
class Recipe:
    """One blueprint: its name, description and adjustable arguments.

    Attributes:
        name: of the blueprint.
        doc: its description in one line.
        fields: its arguments except positions; `first` holds their initial values.
        first: the initial values; None if the blueprint determines the value itself.
    """

    name: str
    doc: str
    fields: tuple[Field, ...]
    first: Arguments


@functools.cache
def recipes() -> dict[str, Recipe]:
    """Return the blueprints that make a body of their own, by name."""
    found = {}
    for name, make in all_blueprints().items():
        part = part_of(make)
        if all(argument in PLACES or argument in SIZES for argument in part.required):
            fields = []
            first = {}
            for argument in part.kinds:
                if argument in PLACES or argument in NOT_OFFERED:
                    continue
                first[argument] = SIZES.get(argument, part.defaults.get(argument))
                fields.append(
                    _field(name, argument, first[argument], part.kinds[argument].expected)
                )
            found[name] = Recipe(name, part.doc, tuple(fields), first)
    return found


def _field(owner: str, name: str, first: Any, doc: str) -> Field:
    if name == "material":
        return Field(owner, name, doc=doc, shape="choice", choices=(ANY_MATERIAL, *MATERIALS))
    shapes: dict[type, Shape] = {bool: "flag", int: "whole", float: "number", tuple: "number"}
    low = None if name in {"angle", "velocity"} else 0.0
    return Field(
        owner,
        name,
        doc=doc,
        shape=shapes.get(type(first), "number"),
        width=np.size(first) if first else 1,
        low=low,
    )


def arguments(recipe: Recipe, chosen: Arguments, at: tuple[float, float]) -> Arguments:
    """Return the non-default arguments of a blueprint for a body at a position [m]."""
    part = part_of(all_blueprints()[recipe.name])
    found: Arguments = {}
    for name in part.kinds:
        if name in PLACES and name in part.required:
            found[name] = np.round(np.asarray(PLACES[name]) + at, 3).tolist()
    for name, value in chosen.items():
        if (
            value is None
            or value == ANY_MATERIAL
            or (name in part.defaults and value == part.defaults[name])
        ):
            continue
        found[name] = list(value) if isinstance(value, tuple) else value
    return found


def spawn(sim: Simulation, blueprint: str, given: Arguments) -> int:
    """Make a body and put it into a world.

    Raises:
        ValueError: for an argument that is not allowed; nothing has changed then.
    """
    return sim.spawn(*all_blueprints()[blueprint](**given))
