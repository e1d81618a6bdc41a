"""Anchors: points of bodies that joints hold, given by weights on particles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import esper
import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Floats
from ecs_softbody.components.particles import Particles
from ecs_softbody.elementary.rows import distinct
from ecs_softbody.elementary.sums import dot, solve_spread
from ecs_softbody.errors import FieldError, shown
from ecs_softbody.storage.entity import origin_elsewhere
from ecs_softbody.validation import is_whole

EntityId = Annotated[int, "entity"]
"""The number of an entity, among the arguments of blueprints and components: in scene files it is a
name.
"""
Rows = int | Sequence[int] | NDArray[np.integer] | None
"""Rows of the Particles of one entity: one, several, or None for all of them."""
EDGE = 2


def checked_entity(owner: str, field: str, entity: object, allowed: str) -> int:
    """Return an entity of the current world, or raise ValueError."""
    if where := origin_elsewhere(entity, esper.current_world):
        raise FieldError(
            owner,
            field,
            entity,
            f"{allowed}. A joint for another simulation is made inside `with sim:`",
            in_words=f"entity {entity!r}, one {where},",
            hint=f" in the current world, {esper.current_world!r}",
        )
    if not is_whole(entity) or not esper.entity_exists(int(entity)):
        raise FieldError(owner, field, entity, allowed, in_words=f"unknown entity {shown(entity)}")
    return int(entity)


def checked_between(
    owner: str, between: Any, *, first_may_be_none: bool = False, second_may_be_none: bool = False
) -> tuple[int | None, int | None]:
    """Return two entities of the current world, one of them None where that is allowed, or raise
    ValueError.
    """
    allowed = "two entities of the current esper world"
    if first_may_be_none or second_may_be_none:
        allowed += f", the {'first' if first_may_be_none else 'second'} one may be None"
    try:
        first, second = between
    except (TypeError, ValueError):
        raise FieldError(owner, "between", between, allowed) from None
    return (
        None
        if first_may_be_none and first is None
        else checked_entity(owner, "between", first, allowed),
        None
        if second_may_be_none and second is None
        else checked_entity(owner, "between", second, allowed),
    )


def checked_rows(
    owner: str, entity: int, rows: Rows, *, field: str = "between"
) -> NDArray[np.int32]:
    """Return the rows of an anchor, each once; None are all rows of the entity's Particles."""
    body = esper.try_component(entity, Particles)
    if body is None:
        raise FieldError(owner, field, entity, "one with Particles", in_words=f"entity {entity}")
    if rows is None:
        return np.arange(body.row_count, dtype=np.int32)
    try:
        found = np.atleast_1d(np.asarray(rows))
    except ValueError:  # rows of unequal length
        found = np.zeros(0)
    allowed = (
        f"whole numbers of rows of entity {entity}, 0 to {body.row_count - 1}, or None for all"
    )
    if found.ndim != 1 or not found.size or found.dtype.kind not in "iu":
        raise FieldError(owner, "rows", rows, allowed)
    bad = found[(found < 0) | (found >= body.row_count)]
    if bad.size:
        raise FieldError(owner, "rows", bad[0], allowed)
    if len(distinct(found)) < len(found):
        raise FieldError(owner, "rows", rows, "every row once")
    return found.astype(np.int32)


def anchor_weights(position: Floats, mass: Floats, at: Floats | None) -> Floats:
    """Return weights (K,) with sum 1 whose mean of `position` (K, 2) is `at`, or as near as it can
    be.

    One particle has 1, an edge its share along the line. More are weighted by w = m (α + β·r), the
    least Σ w²/m that gives the position: a pull at the centre of mass moves all alike. None is the
    mean, of more than two the centre of mass.
    """
    count = len(position)
    finite = np.isfinite(mass)
    mass = np.where(finite, mass, mass[finite].mean() if finite.any() else 1.0)
    if count == 1:
        return np.ones(1)
    if count == EDGE:
        along = position[1] - position[0]
        length = float(dot(along, along))
        share = (
            0.5
            if at is None or length == 0.0
            else float(np.clip(dot(at - position[0], along) / length, 0.0, 1.0))
        )
        return np.array([1.0 - share, share])
    weights: Floats = mass / mass.sum()
    if at is None:
        return weights
    centre = dot(weights, position)
    offset = position - centre
    shares: Floats = weights * (1.0 + dot(offset, solve_spread(weights, offset, at - centre)))
    return shares
