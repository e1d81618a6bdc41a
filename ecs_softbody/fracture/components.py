"""Components of fragments: each component of a cut body is divided among its fragments.

Most components are cut down to the rows of a fragment. Some have a rule of their own: gas and area
are divided by area, drag goes with the mean mass of particles, particles along a cut start thin and
heal, and a fragment that only springs hold gets an area constraint.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Floats, Integers
from ecs_softbody.components import (
    AngularSprings,
    AreaConstraint,
    Collider,
    Drag,
    Inflation,
    Particles,
    PressureBody,
    ShapeMatching,
    Springs,
)
from ecs_softbody.components.healing import Healing
from ecs_softbody.fracture.outlines import Outlined
from ecs_softbody.fracture.pieces import parted
from ecs_softbody.fracture.plan import Part, Plan, Points
from ecs_softbody.fracture.springs import NO_ROWS, SplitSprings, angular_springs_of
from ecs_softbody.geometry.polygon import signed_area
from ecs_softbody.indices import arange, flatnonzero, taken, unique
from ecs_softbody.kernels.materials.healing import HEALING_TIME
from ecs_softbody.storage import Component, PieceRows

MADE_APART = (Particles, Springs, AngularSprings, Healing)
"""Components that are made for all fragments together, not one by one by `_piece_of`."""
FILLINGS = (PressureBody, AreaConstraint)
"""Components of an outline whose amount is shared among fragments by their area."""
AREA_KEEPERS = (*FILLINGS, ShapeMatching)
"""Components that keep a fragment from turning inside out; one with springs alone gets an area."""
MEANS = ("radius", "rest_offset", "original_offset", "set_offset", "play")
"""Columns of Particles whose value at a new point is the weighted mean of the old rows that it is
made of; all others are copied from the row with most weight.
"""
USUAL_SIZE = 0.25
"""Fragments with a larger radius of gyration [m] than this take longer to heal, in proportion to
the root of it.
"""
CUT_REACH = 0.01
"""Radius with which particles along a cut begin, over their full radius: both sides start at nearly
the same place, and separate softly.
"""


@dataclass
class Split:
    """A body and the plan of its fragments: what dividing its components needs."""

    plan: Plan
    body: Particles
    outlined: Outlined | None
    """None for a net."""
    areas: list[float]
    """Rest area of each fragment over the body's rest area; empty for a net."""
    masses: list[Floats]
    """[kg] of the particles of each fragment."""
    columns: dict[str, Floats] = field(default_factory=dict)
    """Cache of the body's columns, interpolated to all points of the plan."""

    def column(self, name: str) -> Floats:
        """Return a column of the body's particles, interpolated to all points of the plan."""
        if name not in self.columns:
            known = self.plan.rest if name == "rest_offset" else None
            self.columns[name] = (
                self.plan.of(self.body.stage_column(name)) if known is None else known
            )
        return self.columns[name]

    def full_radius(self, components: list[Any]) -> Floats:
        """Return the radius that all points have once they have healed; `components` are the
        body's.
        """
        healing = [entry for entry in components if isinstance(entry, Healing)]
        if not healing:
            return self.column("radius")
        if "full radius" not in self.columns:
            full = self.body.radius.copy()
            for entry in healing:
                full[entry.rows] = entry.full_radius
            self.columns["full radius"] = self.plan.of(full)
        return self.columns["full radius"]


def components_of(split: Split, components: list[Any]) -> list[list[Any]]:
    """Return the components of each fragment, particles first; `components` are all of
    the body's.
    """
    springs = next((entry for entry in components if isinstance(entry, Springs)), None)
    angular = next((entry for entry in components if isinstance(entry, AngularSprings)), None)
    counts = (
        springs.row_count if springs is not None else 0,
        angular.row_count if angular is not None else 0,
    )
    divided = SplitSprings(split.plan, springs, split.outlined) if springs is not None else None
    fragments: list[list[Any]] = []
    bodies = _particles(split)
    healing = (
        [None] * len(bodies) if split.outlined is None else _healing(split, bodies, components)
    )
    for number, (part, particles) in enumerate(zip(split.plan.parts, bodies, strict=True)):
        held, held_rows = divided.of(number) if divided is not None else (None, NO_ROWS)
        bent, bent_rows = (
            angular_springs_of(part, split.plan, angular, split.outlined)
            if angular is not None
            else (None, NO_ROWS)
        )
        # Rows are found once for a fragment, and only if one of its components asks.
        rows = cache(partial(rows_of, part, split.plan, held_rows, bent_rows, counts))
        made: list[Any] = [particles, held, bent, healing[number]]
        for entry in components:
            if not isinstance(entry, MADE_APART):
                made.append(_piece_of(entry, split, part, number, rows))
        # The area keeper is last, since it depends on the other components of the fragment.
        made.append(_area_keeper(split, part, number, made))
        # A pump without gas would have nothing to write to.
        if not any(isinstance(entry, PressureBody) for entry in made):
            made = [entry for entry in made if not isinstance(entry, Inflation)]
        fragments.append([entry for entry in made if entry is not None])
    return fragments


def _particles(split: Split) -> list[Particles]:
    """Return the particles of all fragments, without force; `Inheritance` (masses.py) gives them
    position and velocity later. New points are neither pinned nor kinematic.
    """
    plan = split.plan
    numbers = split.plan.numbers
    given = {name: taken(split.column(name), numbers) for name in MEANS}
    given["mass"] = np.concatenate(split.masses)
    for name in ("position", "velocity", "force"):
        given[name] = np.zeros((len(numbers), 2))
    whole = split.body.copied(plan.sources[numbers], given)
    new = numbers >= plan.old_count
    rows = whole.row_arrays
    rows["pinned"][new] = rows["kinematic"][new] = False
    whole.value_arrays["still_time"][0] = 0.0
    return parted(whole, [(span.start, span.stop) for span in plan.spans])


def _healing(split: Split, bodies: list[Particles], components: list[Any]) -> list[Healing]:
    """Shrink the particles along the cuts, and return the components Healing that let them grow
    back to the body's radius there.
    """
    parts = split.plan.listed
    found = []
    full = taken(split.full_radius(components), parts.points)
    thin = np.where(parts.is_cut, CUT_REACH * full, np.inf)
    for particles, span in zip(bodies, split.plan.spans, strict=True):
        radius = particles.row_arrays["radius"]
        np.copyto(radius, thin[span], where=parts.is_cut[span])
        cut = flatnonzero(radius < full[span])
        rows: dict[str, NDArray[Any]] = {
            "rows": cut.astype(np.int32),
            "full_radius": full[span][cut],
        }
        time = HEALING_TIME * max(
            math.sqrt(_gyration(particles.row_arrays["rest_offset"]) / USUAL_SIZE), 1.0
        )
        found.append(Healing.of_arrays(rows, {"time_left": np.array([time], np.float64)}, len(cut)))
    return found


def _gyration(rest: Floats) -> float:
    """Return the radius of gyration of points [m]."""
    offset = rest - np.add.reduce(rest, axis=0) / len(rest)
    return math.sqrt(sum((np.add.reduce(offset * offset, axis=0) / len(rest)).tolist()))


def _piece_of(
    entry: Any, split: Split, part: Part, number: int, rows: Callable[[], PieceRows]
) -> Any:
    """Return a fragment's part of a component, or None if it gets none.

    number: of the fragment. rows: returns which rows of the body the fragment has.
    """
    if isinstance(entry, FILLINGS):
        return _filling(entry, split, part, number)
    if isinstance(entry, Inflation):
        return _pump(entry, split, part, number)
    if isinstance(entry, ShapeMatching):
        return _shape(entry, split, part)
    if isinstance(entry, Collider):
        return _collider(entry, split, part)
    if isinstance(entry, Drag):
        lighter = _mean(split.masses[number]) / _mean(split.body.mass)
        return Drag(linear=entry.linear * lighter, quadratic=entry.quadratic * lighter)
    return entry.of_piece(rows()) if isinstance(entry, Component) else copy.copy(entry)


def _mean(mass: Floats) -> float:
    """Return the mean of finite masses [kg], 1 without any."""
    finite = mass[np.isfinite(mass)]
    return float(finite.mean()) if len(finite) else 1.0


def _ring_like(ring: NDArray[np.int32], split: Split, part: Part) -> Points | None:
    """Return which ring, in rows of the fragment, takes the place of a ring of the body, or None.

    For the outline, either way round, it is the outline of the fragment; another ring stays if all
    of it is in the fragment.
    """
    # Any ring with the outline's particles counts as the outline, whichever way round it runs.
    rows = ring.tolist()
    if split.outlined is not None and part.ring is not None:
        outline = split.outlined.ring.tolist()
        if rows == outline or set(rows) == set(outline):
            return [part.local[point] for point in part.ring]
    if all(row in part.local for row in rows):
        return [part.local[row] for row in rows]
    return None


def _filling(entry: PressureBody | AreaConstraint, split: Split, part: Part, number: int) -> Any:
    """Return a fragment's gas or area constraint, with its share of the amount by area; or None."""
    ring = _ring_like(entry.outline, split, part)
    if ring is None:
        return None
    filling = entry.with_rows(outline=np.array(ring, np.int32))
    amount = "nRT" if isinstance(entry, PressureBody) else "rest_area"
    filling.value_arrays[amount] *= _share(split, part, number)
    return filling


def _area_keeper(split: Split, part: Part, number: int, made: list[Any]) -> AreaConstraint | None:
    """Return an area constraint as stiff as the springs, for fragments that have only springs and
    could turn inside out.
    """
    springs = next((entry for entry in made if isinstance(entry, Springs)), None)
    if (
        springs is None
        or part.ring is None
        or any(isinstance(entry, AREA_KEEPERS) for entry in made)
    ):
        return None
    assert split.outlined is not None
    rest_area = split.areas[number] * abs(signed_area(split.outlined.rest[split.outlined.ring]))
    ring = [part.local[point] for point in part.ring]
    return AreaConstraint(
        ring,
        stiffness=springs.stiffness.mean(),
        damping=springs.damping.mean(),
        rest_area=rest_area,
    )


def _share(split: Split, part: Part, number: int) -> float:
    """Return which fraction of the body's rest area a fragment has; 1 without an outline."""
    return split.areas[number] if split.outlined is not None and part.ring is not None else 1.0


def _pump(entry: Inflation, split: Split, part: Part, number: int) -> Inflation:
    """Return a fragment's pump, whose amounts of gas are scaled as the gas of the fragment is."""
    pump = entry.copied()
    for name in ("base", "written"):
        pump.value_arrays[name] *= _share(split, part, number)
    return pump


def _shape(entry: ShapeMatching, split: Split, part: Part) -> ShapeMatching | None:
    """Return a fragment's shape matching, or None without any group of two particles.

    A group (region) keeps its stiffness, and its rows that are in the fragment; a new point joins a
    group if all rows that it is made of belong to it.
    """
    stiffness = entry.stiffness
    damping = entry.damping
    groups = entry.groups
    if groups is None:
        return entry.with_rows(members=np.zeros(0, np.int32))
    weights = split.plan.weights
    kept = []
    each = []
    for rows, share in zip(
        groups, entry.share[unique(entry.group, return_index=True)[1]], strict=True
    ):
        within = weights[part.points][:, rows].sum(axis=1) > 1.0 - 1e-9
        members = flatnonzero(within)
        if len(members) > 1:
            kept.append(members)
            each.append(stiffness * share)
    return ShapeMatching(stiffness=each, damping=damping, groups=kept) if kept else None


def _collider(entry: Collider, split: Split, part: Part) -> Collider:
    """Return a fragment's collider: with its ring, with the longest run of an open outline that is
    left, or without an outline, as discs.
    """
    rows = entry.outline.tolist()
    outline: Points | None = None
    if rows and entry.closed:
        outline = _ring_like(entry.outline, split, part)
    elif rows:
        outline = _longest_run(rows, part)
    collider = entry.with_rows(outline=np.array(outline or (), np.int32))
    collider.value_arrays["closed"] |= outline is None
    return collider


def _longest_run(rows: list[int], part: Part) -> Points | None:
    """Return the longest stretch of a chain that is in a part, or None if it has no edge."""
    runs: list[Points] = [[]]
    for row in rows:
        if row in part.local:
            runs[-1].append(part.local[row])
        elif runs[-1]:
            runs.append([])
    longest = max(runs, key=len)
    return longest if len(longest) > 1 else None


def rows_of(
    part: Part, plan: Plan, springs: Integers, angular: Integers, counts: tuple[int, int]
) -> PieceRows:
    """Return which rows of the body a fragment has, for components that divide themselves.

    springs, angular: rows of the body's springs and angular springs that the fragment has. counts:
    how many of each the body has.
    """
    maps = []
    for known, count in ((springs, counts[0]), (angular, counts[1])):
        new = np.full(count, -1, np.int64)
        new[known] = arange(len(known))
        maps.append(new)
    weights = taken(plan.weights, part.numbers)
    return PieceRows(
        plan.rows_in(part)[: plan.old_count], plan.sources[part.numbers], maps[0], maps[1], weights
    )


def rest_shares(plan: Plan, ring: NDArray[np.int32]) -> list[float]:
    """Return which fraction of the body's rest area each part has; of its corners if that area is
    0. ring (K,): rows of the body's outline.
    """
    assert plan.rest is not None
    whole = signed_area(plan.rest[ring])
    if whole == 0.0:
        corners = [len(part.ring or ()) for part in plan.parts]
        return [count / sum(corners) for count in corners]
    return [signed_area(plan.rest[part.ring]) / whole for part in plan.parts]
