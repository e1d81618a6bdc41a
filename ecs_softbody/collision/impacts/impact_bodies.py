"""ImpactBodies: which bodies bounce as wholes (take part in impacts), and the kernels for that.

Closed outlines that are free of joints, pins and muscles take part. This is found after a search
for contacts, if anything that decides it has changed; the kernels run only while a body lands. What
bodies remember of an impact are columns of Collider.
"""

from collections.abc import Mapping, Sequence
from operator import is_
from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Flags, Floats, Integers
from ecs_softbody.collision.contacts.contact import ContactArrays, ParticleArrays, Rows, Walls
from ecs_softbody.collision.contacts.view import ContactView
from ecs_softbody.collision.impacts.impact import apply_restitution, stop_stiff_bodies
from ecs_softbody.collision.impacts.landing import follow_impacts, note_speeds
from ecs_softbody.collision.impacts.records import PRESSING, REACTION, Impacts
from ecs_softbody.collision.solve.active import ActiveContacts
from ecs_softbody.collision.solve.rigid_motion import RIGID_BODY, RIGID_VELOCITY
from ecs_softbody.collision.solve.spin import Spins
from ecs_softbody.indices import arange, bincount, sums_at
from ecs_softbody.parallel.prepared import PreparedCall
from ecs_softbody.storage import Activity, Table
from ecs_softbody.storage.resource import Resource

MEMORY = (
    "impact_speed", "impact_hardest", "impact_closing", "impact_parting", "impact_given",
    "impact_apart", "impact_crowded", "impact_leaning", "impact_restitution", "impact_energy",
    "impact_met", "impact_wall", "impact_partner", "impact_touched", "impact_touching",
)  # fmt: skip

Inputs = tuple[tuple[object, ...], list[bytes]]
"""Inputs of `_look`: arrays replaced when the structure changes, and the content of the others."""


class ImpactArrays(NamedTuple):
    """Inputs of the impact kernels, of the last search."""

    contacts: ContactArrays
    active: ActiveContacts
    start: Integers
    """First contact of each batch."""
    impacts: Impacts
    spins: Spins
    motion: ParticleArrays
    walls: Walls
    rows: Rows


class ImpactBodies(Resource):
    """Looks at joints, pins and rest shapes after each search; runs the kernels of impacts.

    Arrays (B,) are by slot of Collider.
    """

    made = ("_stop_stiff_bodies", "_apply_restitution", "_note_speeds", "_follow_impacts")
    bound = (
        "elastic",
        "are_elastic",
        "_arrival",
        "_restitution_steps",
        "_reactions",
        "_takes_part",
        "_are_walls",
        "_loses",
        "_shape_rates",
        "_rigid_motion",
        "_pressing",
        "_may_land",
        "_are_bound",
        "_seen",
        "_arrays",
    )

    def __init__(
        self,
        shapes: Table,
        muscles: Sequence[Table],
        dashpots: Mapping[str, Table],
        activity: Activity,
    ) -> None:
        """dashpots: tables with a column `damping`, by the name of the column with their rows of
        particles.
        """
        self._shapes = shapes
        self._muscles = muscles
        self._dashpots = dashpots
        self._activity = activity
        self._arrival = np.zeros(0)
        self._restitution_steps = np.zeros(0)
        self._reactions = np.zeros(0, REACTION)
        self._found = np.zeros(1, RIGID_BODY)
        self._takes_part, self._are_walls, self._loses = np.zeros((3, 0), np.bool_)
        self._shape_rates = np.zeros(0)
        self._rigid_motion = np.zeros((2, 0), RIGID_VELOCITY)
        self._pressing = np.zeros(0, PRESSING)
        self._may_land = False
        self._are_bound = False
        self.are_elastic, self.elastic = False, np.zeros(0, np.bool_)
        """(B,) bodies that take part, have no rest shape, and lose nothing to dashpots or in
        impacts.
        """
        self._seen: Inputs = ((), [])
        self._arrays: ImpactArrays
        self._stop_stiff_bodies = PreparedCall(stop_stiff_bodies)
        self._apply_restitution = PreparedCall(apply_restitution)
        self._note_speeds = PreparedCall(note_speeds)
        self._follow_impacts = PreparedCall(follow_impacts)

    @property
    def are_landing(self) -> bool:
        """Whether an impact goes on, or a body that bounced is being calmed."""
        return self._may_land and bool(
            np.count_nonzero(self._arrival) or np.count_nonzero(self._restitution_steps)
        )

    def find(self, view: ContactView, rolls: Flags) -> Impacts:
        """Return the arrays of impacts for the solver, after a search.

        rolls (B,): which bodies are closed outlines that are awake.
        """
        if len(self._reactions) < view.contacts.count:
            self._reactions = np.zeros(view.contacts.capacity, REACTION)
        proxies = view.proxies
        inputs = self._inputs(view, rolls)
        if self._differ(inputs):
            self._seen = inputs
            self._look(view, rolls)
            # Bodies that have been pinned or joined forget their impacts at once.
            for name in ("impact_speed", "impact_parting", "impact_given"):
                view.colliders.values[name][: proxies.body_count][~self._takes_part] = 0.0
        takes_part = self._takes_part
        are_walls = self._are_walls
        shape_rate = self._shape_rates
        loses = self._loses
        memory = [view.colliders.values[name] for name in MEMORY]
        could_land = self._may_land
        self._may_land = bool(np.count_nonzero(takes_part))
        self._arrival = memory[0]
        self._restitution_steps = memory[MEMORY.index("impact_parting")]
        if len(self._pressing) != proxies.body_count or could_land or self._may_land:
            self._rigid_motion = np.zeros((2, proxies.body_count), RIGID_VELOCITY)
            self._pressing = np.zeros(proxies.body_count, PRESSING)
        who = [takes_part, bool(are_walls.any()), are_walls, shape_rate, loses]
        return Impacts._make(
            [*who, *memory, *self._rigid_motion, self._pressing, self._found, self._reactions]
        )

    def have_changed(self, view: ContactView, rolls: Flags) -> bool:
        """Return whether the inputs have changed since the last `find`: a game may have pinned a
        particle.
        """
        return self._differ(self._inputs(view, rolls))

    def _differ(self, inputs: Inputs) -> bool:
        """Return whether inputs differ from the ones that `_look` has seen last."""
        structure, content = self._seen
        return (
            inputs[1] != content
            or len(inputs[0]) != len(structure)
            or not all(map(is_, inputs[0], structure))
        )

    def _inputs(self, view: ContactView, rolls: Flags) -> Inputs:
        """Return all that `_look` reads: arrays that are replaced when the structure changes, and
        the content of the columns, as bytes.

        Copies take time for many bodies, so columns that `_look` does not need are left out.
        """
        proxies = view.proxies
        rows = view.particles.rows
        dashpots = self._dashpots.values()
        if not np.count_nonzero(rolls):
            return (proxies.body,), [rolls.tobytes()]
        shapes = self._shapes.active_slots
        structure: list[object] = [
            proxies.body,
            shapes,
            *[table.active_slots for table in self._muscles],
        ]
        read = [rolls, proxies.restitution, rows["inverse_mass"], rows["jointed"]]
        if len(shapes):
            read += [rows["mass"], self._shapes.values["stiffness"]]
        if np.count_nonzero(proxies.restitution):
            structure += [table.active_rows for table in dashpots]
            read += [table.rows["damping"] for table in dashpots]
        return tuple(structure), [column.tobytes() for column in read]

    def _look(self, view: ContactView, rolls: Flags) -> None:
        """Find the bodies that take part, the bodies that count as walls, the rates of rest shapes,
        and the bodies that lose energy to a dashpot.
        """
        proxies = view.proxies
        rows = view.particles.rows
        bodies = view.particles.values
        takes_part = rolls.copy()
        shape_rate = np.zeros(proxies.body_count)
        are_walls = np.zeros(proxies.body_count, np.bool_)
        loses = np.ones(proxies.body_count, np.bool_)
        if takes_part.any():  # else discs alone: nothing to look up
            held = rows["inverse_mass"] == 0.0
            are_walls = (bincount(rows["body"][~held], minlength=bodies.count) == 0)[proxies.body]
            held |= rows["jointed"]
            free = bincount(rows["body"][held & _in_use(view)], minlength=bodies.count) == 0
            for muscles in self._muscles:  # bodies that move by themselves may spring up
                free[self._activity.bodies_of(muscles)[_slots_in_use(muscles)]] = False
            takes_part &= free[proxies.body]
            shape_rate = self._shape_rate(view)[proxies.body]
            if (proxies.restitution > 0.0).any():  # else nothing asks
                loses = self._are_damped(view)[proxies.body]
        self._takes_part = takes_part
        self._are_walls = are_walls
        self._shape_rates = shape_rate
        self._loses = loses
        self.elastic = (
            takes_part & ~loses & (shape_rate == 0.0) & (proxies.restitution[: len(rolls)] >= 1.0)
        )
        self.are_elastic = bool(self.elastic.any())

    def use(self, arrays: ImpactArrays) -> None:
        """Use these arrays from now on; the kernels get them when a body lands."""
        self._arrays = arrays
        self._are_bound = False

    def stop_stiff_bodies(self, gravity: Floats, dt: float) -> None:
        """Stop stiff bodies that meet something, ahead of the impulses of contacts."""
        self._bind()
        self._stop_stiff_bodies(gravity, dt)

    def apply_restitution(self, gravity: Floats, dt: float) -> None:
        """Give bodies in an impact the speed that restitution asks for, after these impulses."""
        self._bind()
        self._apply_restitution(gravity, dt)

    def note_speeds(self) -> None:
        """Note the velocities of landing bodies ahead of the sweep, see `landing.note_speeds`."""
        self._bind()
        self._note_speeds()

    def follow_impacts(self, dt: float) -> None:
        """After the sweep: see `landing.follow_impacts`."""
        self._follow_impacts(dt)

    def _bind(self) -> None:
        """Hand the arrays to the kernels: only when something lands, for that takes a while."""
        if not self._are_bound:
            arrays = self._arrays
            self._are_bound = True
            for job in (self._stop_stiff_bodies, self._apply_restitution):
                job.bind(*arrays)
            for look in (self._note_speeds, self._follow_impacts):
                look.bind(arrays.impacts, arrays.spins, arrays.motion)

    def _are_damped(self, view: ContactView) -> Flags:
        """Return whether a dashpot takes energy from each body, by slot of Particles."""
        body = view.particles.rows["body"]
        found = np.zeros(view.particles.values.count, np.bool_)
        for ends, table in self._dashpots.items():
            for first, last in table.active_rows:
                damped = table.rows["damping"][first:last] > 0.0
                found[body[table.rows[ends][first:last, 0][damped]]] = True
        return found

    def _shape_rate(self, view: ContactView) -> Floats:
        """Return the stiffness of each body's rest shape over the mean mass of its particles
        [1/s²], by slot of Particles; 0 without one, or with several regions.
        """
        rows = view.particles.rows
        shapes = self._shapes.values
        rate = np.zeros(view.particles.values.count)
        slots = _slots_in_use(self._shapes)
        slots = slots[shapes["first"][slots] == shapes["last"][slots]]
        if len(slots):
            owners = self._activity.bodies_of(self._shapes)[slots]
            in_use = _in_use(view)
            count = sums_at(rows["body"], weights=in_use, minlength=len(rate))
            mass = sums_at(rows["body"], weights=rows["mass"] * in_use, minlength=len(rate))
            # Numbers near the largest float overflow here.
            with np.errstate(over="ignore", invalid="ignore"):
                found = shapes["stiffness"][slots] * count[owners] / mass[owners]
            rate[owners] = np.where(np.isfinite(found), found, 0.0)
        return rate


def _in_use(view: ContactView) -> Flags:
    """Return which rows have a particle.

    Rows left by a deleted body are pinned and refer to the first slot: counted there, they kept a
    body spawned into that slot from taking part.
    """
    rows = view.particles.rows
    bodies = view.particles.values
    body = rows["body"]
    row = arange(rows.count)
    found: Flags = (bodies["first"][body] <= row) & (row < bodies["last"][body])
    return found


def _slots_in_use(table: Table) -> Integers:
    """Return the active slots with a component: deleted ones refer to the first particle."""
    slots = table.active_slots
    found: Integers = slots[table.values["particle_last"][slots] > 0]
    return found
