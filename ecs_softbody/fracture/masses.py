"""Masses and motion of fragments: all together keep the mass, the centre of mass, the momentum and
the angular momentum of the body that was cut.
"""

from __future__ import annotations

import numpy as np

from ecs_softbody.arrays import Flags, Floats
from ecs_softbody.components import Particles
from ecs_softbody.elementary.sums import dot
from ecs_softbody.fracture.plan import Plan
from ecs_softbody.indices import bincount, repeat, taken
from ecs_softbody.kernels.materials.inherited import Moving, balance, hand_motion

LEAST_FACTOR = 0.3
"""Minimum mass of a particle over the mass that its position requires, when masses are adjusted to
keep the centre of mass.
"""


def masses_of(plan: Plan, mass: Floats, areas: list[float], *, filled: bool) -> list[Floats]:
    """Return the masses [kg] of the particles of each part of a body with an outline.

    mass (N,) [kg]: of the body's particles; areas: of each part, over the body's rest area; filled:
    whether there are particles inside of the outline, so that those along a cut count half. Old
    rows keep the proportions of their masses. The mass of a part goes with its rest area times the
    mean mass of its old rows: both halves are as dense as the whole was. Then all masses are scaled
    by a factor that changes a little from place to place, so that the centre of mass stays where it
    was.
    """
    finite = np.isfinite(mass)
    if not finite.any():
        return [np.full(len(part.points), np.inf) for part in plan.parts]
    # By point: its mass as that of its row, the mean for a new one; and whether it is an old row in
    # one part alone, from which the mean mass of the part is taken.
    mean = float(mass[finite].mean())
    own = np.full(len(plan.weights), mean, np.float64)
    own[: plan.old_count] = mass
    numbers = plan.numbers
    spans = plan.spans
    counts = bincount(numbers, minlength=len(own)) == 1
    counts[plan.old_count :] = False
    counts[: plan.old_count] &= finite
    each = own[numbers]
    counted = counts[numbers]
    kept = [each[span][counted[span]] for span in spans]
    dense = [float(np.add.reduce(masses)) / len(masses) if len(masses) else mean for masses in kept]
    raw = (
        np.where(np.concatenate([part.is_on_cut for part in plan.parts]), 0.5 * each, each)
        if filled
        else each
    )
    # By particle, all parts one after the other: masses before they are scaled to the area.
    free = np.isfinite(raw)
    weight = np.where(free, raw, 0.0)
    parted = [raw[span][free[span]].sum() for span in spans]
    by_area = weight
    if min(parted) > 0.0:
        scale = [
            area * density / part for area, density, part in zip(areas, dense, parted, strict=True)
        ]
        by_area = np.where(
            free, repeat(scale, [len(part.numbers) for part in plan.parts]) * raw, 0.0
        )
    place = plan.position
    total = float(mass[finite].sum())
    assert place is not None
    centre = dot(mass[finite], place[: plan.old_count][finite]) / total
    result = np.where(free, _balanced(by_area, weight, plan.placed(place) - centre, total), np.inf)
    return [result[span] for span in spans]


def _balanced(by_area: Floats, by_count: Floats, position: Floats, total: float) -> Floats:
    """Return masses with the sum `total` [kg] and their centre at 0, near to given weights.

    by_area: weights tried first; by_count: the second choice. position: from the centre that they
    are to have [m]. If no balance is possible without masses below LEAST_FACTOR of their weight,
    only the sum is right.
    """
    offset = np.empty_like(position)
    room = np.empty((2, len(by_area)))
    balanced = np.empty(len(by_area))
    for given in (by_area, by_count):
        if balance(given, position, total, LEAST_FACTOR, offset, room, balanced):
            return balanced
    scaled: Floats = by_count * (total / by_count.sum())
    return scaled


def handed_down(
    plan: Plan,
    body: Particles,
    fragments: list[Particles],
    *,
    same: bool,
    position: Floats | None = None,
) -> list[tuple[Floats, Floats]]:
    """Return positions [m] and velocities [m/s] of each fragment's particles, from the body's.

    New points have means of the body's velocities, so a rigid motion is added to all, so that
    momentum and angular momentum equal the body's. same: there are no new points, so nothing to
    correct. position (P, 2): of all points of the plan, if it is known already.
    """
    position = plan.of(body.position) if position is None else position
    velocity = plan.of(body.velocity)
    where = plan.placed(position)
    motion = taken(velocity, plan.numbers)
    states = [(where[span], motion[span]) for span in plan.spans]
    mass = np.concatenate([fragment.mass for fragment in fragments])
    driven = np.concatenate([fragment.kinematic for fragment in fragments])
    held = np.concatenate([fragment.pinned for fragment in fragments]) | ~np.isfinite(mass)
    motion[held & ~driven] = 0.0
    free = _all_or(~(held | driven))
    mass = mass[free]
    if same or not len(mass) or not np.isfinite(body.velocity).all():
        return states
    loose = _all_or(body.free)
    moved = motion[free]
    before = Moving(body.mass[loose], body.position[loose], body.velocity[loose])
    hand_motion(
        before, Moving(mass, where[free], moved), np.empty((2, max(len(mass), len(before.mass))))
    )
    motion[free] = moved
    return states


def _all_or(free: Flags) -> Flags | slice:
    """Return `free` (n,) as an index of rows; if all are free, as mostly, a slice: no copy."""
    return slice(None) if free.all() else free


class Inheritance:
    """Transfers the state of a cut body to its fragments: at once, and later changes until they
    move.

    In the middle of a substep the body's rows are simulated to its end. Values that a game has
    written to the fragments in the meantime stay: only the difference is added.
    """

    def __init__(
        self, plan: Plan, body: Particles, fragments: list[Particles], *, same: bool
    ) -> None:
        self._plan = plan
        self._body = body
        self._fragments = fragments
        self._same = same
        # The states that the fragments got last, and what these followed from.
        self._given, self._seen = self._now(plan.position), self._content()
        for fragment, (position, motion) in zip(fragments, self._given, strict=True):
            fragment.position[:] = position
            fragment.velocity[:] = motion

    def _now(self, position: Floats | None = None) -> list[tuple[Floats, Floats]]:
        """Return positions and velocities of the fragments as they follow from the body now."""
        return handed_down(
            self._plan, self._body, self._fragments, same=self._same, position=position
        )

    def _content(self) -> list[bytes]:
        """Return all that the transfer depends on, as bytes: equal ones need no new transfer."""
        arrays = [self._body.position, self._body.velocity, self._body.mass, self._body.free]
        for fragment in self._fragments:
            arrays += [fragment.mass, fragment.pinned, fragment.kinematic]
        return [array.tobytes() for array in arrays]

    def settle(self) -> None:
        """Add to the fragments how the body has changed since the transfer, at the next packing."""
        # States are found again only where the body has changed since.
        states = self._given if self._content() == self._seen else self._now()
        for fragment, given, now in zip(self._fragments, self._given, states, strict=True):
            # Only differences are added: writes of a game to the fragments in the meantime stay.
            fragment.position += now[0] - given[0]
            fragment.velocity += now[1] - given[1]
