"""StabilityAdviser: warns of stiffness, damping or gas that a substep cannot carry in full, and
says how many substeps would.

The stages SaturationProcessor and StrengthProcessor call `advise_...` after they have found the
strengths, then `speak`. Each entity is warned of once for each kind of element.

A demand at a particle is K + C, with K = Σ k h² factor of stiffness and C = Σ 2 c h factor of
damping. With f times as many substeps, h is 1/f of that, so K falls to K/f² and C to C/f: `finer`
and `refinement` are the least f that fits.
"""

from __future__ import annotations

import math
import warnings

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Flags, Floats
from ecs_softbody.components import (
    AngularSprings,
    AreaConstraint,
    Particles,
    PressureBody,
    ShapeMatching,
    Springs,
)
from ecs_softbody.components.healing import Healing
from ecs_softbody.elementary.rows import distinct
from ecs_softbody.geometry.polygon import signed_area
from ecs_softbody.indices import arange, flatnonzero
from ecs_softbody.kernels.forces import area_constraint
from ecs_softbody.kernels.forces.pressure import SLOPE_SHARE
from ecs_softbody.kernels.motion.saturation import BOUND, STOPPING, sum_shares
from ecs_softbody.processors.solvers.gas import coupling_of
from ecs_softbody.storage import Component, PackedBuffers, packed_rows
from ecs_softbody.storage.resource import Members, Resource, Row, Text, Whole

SMALLEST_AREA = 1e-12
"""A ring with less area [m²] has no shape to judge."""
MOST_MESSAGES = 5
"""Warnings that are given one by one; the rest of a substep is counted."""
LEAST_MEMORY = 256
"""Up to four entries for each body and this many more are remembered; beyond, entries of entities
that are gone are dropped.
"""
LARGEST_ADVICE = 1e4
"""Times as many substeps as now beyond which more substeps are no advice."""


class StabilityWarning(UserWarning):
    """A parameter exceeds the stability limit of a substep; it is reduced, and nothing explodes."""


class StabilityAdviser(Resource):
    """Collects advice, once for each entity and kind of element; `speak` gives it as warnings."""

    saved = (
        Members(
            "warned",
            "Who has been warned of.",
            Row("", "", Text("component"), Whole("entity")),
            set,
        ),
    )

    def __init__(self, buffers: PackedBuffers) -> None:
        self._buffers = buffers
        self.warned: set[tuple[str, int]] = set()
        """(kind of element and field, entity): it has been warned of, or must not be."""
        self._judged: set[tuple[int, int, float]] = set()
        """(entity, identity of its PressureBody, substep [s]): gas is judged once, by the shape it
        starts with.
        """
        self._messages: list[str] = []
        """Warnings that the next `speak` gives."""

    def advise_springs(
        self,
        members: list[tuple[int, Springs]],
        rows: NDArray[np.uint32],
        scratch: Floats,
        dt: float,
        substeps: int,
    ) -> None:
        """Warn about the spring of each entity that is cut the most.

        members: each Springs with the entity it sits on; rows: all their packed rows, in the same
        order; scratch: at least two rows for a number of each particle.
        """
        springs = self._buffers[Springs].rows
        particles = self._buffers[Particles].rows
        is_cut = cut_of(springs, rows, "stiffness"), cut_of(springs, rows, "damping")
        if not (is_cut[0] | is_cut[1]).any():
            return
        members = self._without_fragments(members, *is_cut)
        if not members:
            return
        from_stiffness = scratch[0]
        from_damping = scratch[1]
        shared = (rows, springs["packed_pairs"], particles["inverse_mass"])
        sum_shares(*shared, springs["stiffness"], dt * dt, from_stiffness)
        sum_shares(*shared, springs["damping"], 2.0 * dt, from_damping)
        for entity, member in members:
            own = arange(member.row_start, member.row_stop)
            for field, unit in (("stiffness", "N/m"), ("damping", "N·s/m")):
                cut = flatnonzero(cut_of(springs, own, field))
                if not len(cut):
                    continue
                asked = springs[field][own]
                kept = springs[f"effective_{field}"][own]
                worst = cut[np.argmin(kept[cut] / asked[cut])]
                ends = distinct(springs["packed_pairs"][own[cut]])
                finer = refinement(
                    from_stiffness[ends], from_damping[ends], BOUND - particles["reserved"][ends]
                )
                self._warn(
                    entity, f"Springs row {worst}", f"{field} {asked[worst]:g} {unit}",
                    f"; it acts as {kept[worst]:.3g} {unit}", float(finer.max()), dt, substeps,
                )  # fmt: skip

    def _without_fragments(
        self, members: list[tuple[int, Springs]], *is_cut: Flags
    ) -> list[tuple[int, Springs]]:
        """Return the members that are not on fragments of cut or torn bodies.

        is_cut: for stiffness and for damping, which springs are cut, (rows of all members,). Many
        fragments come at once; they are marked as warned of, and no warning comes later either.
        """
        left = []
        first = 0
        for entity, member in members:
            last = first + member.row_count
            if entity in self._buffers[Healing].bound:
                for field, cut in zip(("stiffness", "damping"), is_cut, strict=True):
                    if cut[first:last].any():
                        self.warned.add((f"Springs {field}", entity))
            else:
                left.append((entity, member))
            first = last
        return left

    def advise_angular_springs(
        self, entity: int, springs: Component, finer: float, dt: float, substeps: int
    ) -> None:
        """Warn about the angular spring of an entity that is cut the most; `finer`: how many times
        as many substeps would carry all of them.
        """
        if finer > 1.0 and isinstance(springs, AngularSprings):
            carried = springs.row_arrays["carried_stiffness"][springs.row_start : springs.row_stop]
            worst = int(np.argmax(springs.stiffness / np.maximum(carried, 1e-300)))
            asked = f"stiffness {springs.stiffness[worst]:g} N/m"
            kept = f"; it acts as {carried[worst]:.3g} N/m"
            self._warn(entity, f"AngularSprings row {worst}", asked, kept, finer, dt, substeps)

    def advise_gas(self, entity: int, dt: float, substeps: int) -> None:
        """Warn about gas that is cut in balance, or stiffer than its ring can take in the shape it
        starts with.
        """
        gas = self._buffers[PressureBody].bound.get(entity)
        key = (entity, id(gas), dt)
        if not isinstance(gas, PressureBody) or key in self._judged:
            return
        self._judged.add(key)
        if entity in self._buffers[Healing].bound:
            self.warned.add(("PressureBody nRT", entity))
            return
        particles = self._buffers[Particles].rows
        ring = packed_rows(gas, "outline")
        position = particles["position"][ring]
        inverse_mass = particles["inverse_mass"][ring]
        share = float(gas.value_arrays["gas_share"][gas.slot])
        area = abs(signed_area(position))
        if area < SMALLEST_AREA:
            return
        # The slope of the pressure in the present shape, over its share of the bound; see gas.py.
        slope = gas.nRT * (dt / area) ** 2 * coupling_of(position, inverse_mass) / SLOPE_SHARE
        kept = (
            f"; it acts as {gas.nRT * share:.3g} J ({gas.nRT * share / area:.3g} Pa)"
            if share < 1.0
            else ""
        )
        # Both go with h².
        finer = math.sqrt(max(slope, 1.0 / max(share, 1e-300)))
        self._warn(
            entity,
            "PressureBody",
            f"nRT {gas.nRT:g} J ({gas.nRT / area:.3g} Pa)",
            kept,
            finer,
            dt,
            substeps,
        )

    def advise_area(self, entity: int, dt: float, substeps: int) -> None:
        """Warn about an area that is kept more stiffly than its ring at rest can take."""
        ring = self._buffers[AreaConstraint].bound.get(entity)
        if not isinstance(ring, AreaConstraint) or ring.rest_area < SMALLEST_AREA:
            return
        inverse_mass = self._buffers[Particles].rows["inverse_mass"][packed_rows(ring, "outline")]
        # √w |g| of each particle: the gradient of the area is half the chord between both
        # neighbors.
        coupling = 0.5 * np.sqrt(inverse_mass) * ring.chord
        # The shares of the bound that stiffness (k h²) and damping (2 c h) ask for, over the shares
        # that they may take.
        weight = dt * coupling.max() * coupling.sum() / ring.rest_area
        stiff = ring.stiffness * dt * weight / area_constraint.STIFFNESS_SHARE
        damp = 2.0 * ring.damping * weight / area_constraint.DAMPING_SHARE
        asked = (
            f"stiffness {ring.stiffness:g} Pa"
            if damp <= math.sqrt(stiff)
            else f"damping {ring.damping:g} Pa·s"
        )
        self._warn(entity, "AreaConstraint", asked, "", max(math.sqrt(stiff), damp), dt, substeps)

    def _warn(
        self,
        entity: int,
        element: str,
        asked: str,
        kept: str,
        finer: float,
        dt: float,
        substeps: int,
    ) -> None:
        """Add a warning about one element, unless there was one of this kind for the entity.

        element: its class, and row; asked: field, value and unit; kept: how it acts now, in words,
        or ""; finer: how many times as many substeps would carry it.
        """
        kind = (f"{element.partition(' ')[0]} {asked.partition(' ')[0]}", entity)
        if not finer > 1.0 + 1e-9 or kind in self.warned:
            return
        self.warned.add(kind)
        if entity in self._buffers[Healing].bound:
            return  # a fragment: its particles are not the choice of a user
        advice = "Use a smaller value: no number of substeps would do"
        if finer < LARGEST_ADVICE:  # which may be infinite
            advice = (
                f"For the full value use {math.ceil(substeps * finer)} substeps, or fewer and "
                "heavier particles"
            )
        cure = "" if asked.startswith("damping") else self._firmer(entity)
        self._messages.append(
            f"entity {entity}, {element}: {asked} is more than a substep of {1e3 * dt:.3g} ms "
            f"can carry{kept}. "
            f"{advice} (now {substeps}).{cure}"
        )

    def _firmer(self, entity: int) -> str:
        """Return a hint for making the body firmer at any number of substeps."""
        if entity in self._buffers[ShapeMatching].bound:
            return " Its ShapeMatching can be stiffer: that is carried at any number."
        if entity in self._buffers[PressureBody].bound:
            return (
                " A firmer body at any number: add ShapeMatching, or blueprints.blob(..., "
                "material='rubber')."
            )
        return ""

    def speak(self) -> None:
        """Give the warnings that have come together: the first few, and how many more there are."""
        self._forget_the_gone()
        messages = self._messages
        self._messages = []
        if len(messages) > MOST_MESSAGES:
            more = len(messages) - MOST_MESSAGES
            messages[MOST_MESSAGES:] = [
                f"... and {more} more elements that a substep can not carry in full."
            ]
        for message in messages:
            warnings.warn(message, StabilityWarning, stacklevel=2)

    def _forget_the_gone(self) -> None:
        """Drop the entries of entities that are gone, once there are many."""
        alive = self._buffers[Particles].bound
        if len(self._judged) + len(self.warned) > 4 * len(alive) + LEAST_MEMORY:
            self._judged = {key for key in self._judged if key[0] in alive}
            self.warned = {key for key in self.warned if key[1] in alive}


def cut_of(springs: object, rows: NDArray[np.integer], field: str) -> NDArray[np.bool_]:
    """Return a mask of the springs whose effective `field` is less than the given one."""
    asked, kept = springs[field][rows], springs[f"effective_{field}"][rows]  # type: ignore[index]
    cut: NDArray[np.bool_] = asked > kept * (1.0 + 1e-9)
    return cut


def refinement(from_stiffness: Floats, from_damping: Floats, budget: Floats) -> Floats:
    """Return how many times as many substeps are needed at each of some particles, (P,).

    from_stiffness K, from_damping C: demands at the present substep. It is the f with
    K/f² + C/f = budget, that is f = (C + √(C² + 4 budget K)) / (2 budget), and at least so large
    that C/f <= STOPPING, beyond which damping would reverse a motion within a substep.
    """
    with np.errstate(over="ignore"):  # infinitely many
        root = np.sqrt(from_damping**2 + 4.0 * budget * from_stiffness)
    return np.maximum(
        (from_damping + root) / (2.0 * np.maximum(budget, 1e-300)), from_damping / STOPPING
    )
