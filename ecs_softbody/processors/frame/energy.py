"""EnergyProcessor and EnergyNoteProcessor: bodies without damping and with restitution 1 keep their
energy.

The integration and elastic impacts change the energy of such a body by a little in each substep,
which adds up. So the stages note its energy (kinetic, elastic and of height) after each substep,
and, before the next contacts, speed its vibration up or down until it has this energy again (the
formulas are in kernels/motion/energy.py).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Flags, Floats, Integers
from ecs_softbody.collision.pipeline import CollisionSpace
from ecs_softbody.components import (
    AngularSprings,
    AreaConstraint,
    Collider,
    Particles,
    PressureBody,
    Springs,
)
from ecs_softbody.indices import arange, flatnonzero
from ecs_softbody.kernels.groups import Motion
from ecs_softbody.kernels.motion.energy import (
    LOSSY,
    OTHERS,
    Accounts,
    AngularEnergy,
    AreaEnergy,
    GasEnergy,
    SpringEnergy,
    add_angular_energy,
    add_area_energy,
    add_gas_energy,
    add_spring_energy,
    balance_energy,
    note_energy,
)
from ecs_softbody.processors.order import Order
from ecs_softbody.processors.stage import Spawn, Stage, StageContext, have_outlines
from ecs_softbody.storage import PackedBuffers, Table, Value, add_stage_columns

add_stage_columns(
    Particles,
    "EnergyProcessor",
    energy_kept=Value(dtype=np.float64, unit="J", doc="of a body that loses none"),
    energy_ripple=Value(
        dtype=np.float64, unit="J", doc="what is read of it beyond what substeps conserve"
    ),
    energy_seen=Value(
        dtype=np.float64, unit="J", doc="the same at the end of the last substep, as it was"
    ),
    has_energy=Value(dtype=np.bool_, doc="whether its energy is kept"),
)

NOBODY = np.zeros(0, np.int64)
"""No bodies, or no rows."""


class EnergyProcessor(Stage):
    """Corrects the energy of bodies without damping: restores losses by impacts and substeps, or
    removes the surplus.

    Runs at Order.ENERGY.
    """

    order = Order.ENERGY
    components = (Collider,)
    reads = (
        "AngularSprings",
        "AreaConstraint",
        "CollisionSpace",
        "Particles",
        "PressureBody",
        "Springs",
    )
    writes = ("Particles.energy_kept", "Particles.energy_ripple", "Particles.has_energy")

    def __init__(self, context: StageContext) -> None:
        self._buffers = context.buffers
        self._space = context.space
        self._gravity = context.gravity
        self._elastic: Floats = np.zeros((0, 2))
        """Workspace of `_elastic_energy`."""
        self._bodies: Integers = NOBODY
        """Slots of the bodies whose energy is kept."""
        self._rows: list[Integers] = [NOBODY] * 4
        """Their springs and angular springs, by packed row, and their gas and areas, by slot."""
        self._seen: tuple[object, ...] = ()
        """All that the choice of bodies depends on, as it was when they were chosen."""

    def is_idle(self, buffers: PackedBuffers) -> bool:
        """Return whether no body has an outline, and none has its energy kept: discs have none to
        keep.
        """
        return super().is_idle(buffers) or not (have_outlines(buffers) or len(self._bodies))

    @classmethod
    def example(cls, spawn: Spawn) -> None:
        """A ring with springs, angular springs, gas and an area, that loses nothing."""
        square = [(7.0, 7.0), (8.0, 7.0), (8.0, 8.0), (7.0, 8.0)]
        ring = arange(4)
        pairs = np.column_stack([ring, np.roll(ring, -1)])
        spawn(
            Particles(square),
            Springs(pairs, stiffness=1.0),
            AngularSprings(
                np.column_stack([np.roll(ring, 1), ring, np.roll(ring, -1)]), stiffness=1.0
            ),
            PressureBody(ring, nRT=1.0),
            AreaConstraint(ring, stiffness=1.0),
            Collider(outline=ring, restitution=1.0),
        )

    def process(self, dt: float) -> None:
        """Add forces to Particles.force that change the vibration of these bodies."""
        if self._space.solver.are_elastic or len(self._bodies):
            self._look()
        if len(self._bodies):
            self._balance(how_touched(self._space, self._buffers), dt)

    def _balance(self, touched: Integers, dt: float) -> None:
        """Correct the energy of the chosen bodies; touched (B,): FREELY, LOSSY or OTHERS."""
        table = self._buffers[Particles]
        motion = table.rows.group(Motion)
        accounts = table.values.group(Accounts)
        balance_energy(
            self._bodies, touched, accounts, motion, self._elastic_energy(), self._gravity, dt
        )

    def note(self) -> None:
        """Note the energy at the end of a substep."""
        if len(self._bodies):
            table = self._buffers[Particles]
            accounts = table.values.group(Accounts)
            motion = table.rows.group(Motion)
            note_energy(self._bodies, accounts, motion, self._elastic_energy(), self._gravity)

    def rehearse(self, dt: float) -> None:
        """Run all kernels for the bodies that have an area."""
        chosen = np.zeros(self._buffers[Particles].values.count, np.bool_)
        chosen[self._space.activity.bodies_of(self._buffers[AreaConstraint])] = True
        self._choose(chosen)
        self._balance(np.zeros(len(chosen), np.int64), dt)
        self.note()
        self._choose(np.zeros_like(chosen))

    def _look(self) -> None:
        """Choose the bodies whose energy is kept, when anything that this depends on has
        changed.
        """
        space = self._space
        buffers = self._buffers
        elastic = space.solver.elastic_bodies
        mending = space.activity.mending
        # After a body fell asleep or woke, nobody is found until contacts are searched again.
        is_known = space.is_up_to_date(buffers.version)
        changes = space.activity.changes
        seen = buffers.version, changes, is_known, elastic.tobytes(), mending.tobytes()
        # Choosing the bodies goes through all springs: it is done only after a change.
        if seen == self._seen:
            return
        self._seen = seen
        values = buffers[Particles].values
        chosen = np.zeros(values.count, np.bool_)
        if elastic.any() and is_known:
            chosen[space.proxies.body[: len(elastic)][elastic]] = True
            chosen &= ~mending[: values.count]
        self._choose(chosen)

    def _choose(self, chosen: Flags) -> None:
        """Keep the energy of these bodies (B,), but of none that springs join to another one."""
        buffers = self._buffers
        table = buffers[Particles]
        body = buffers[Particles].rows["body"]
        # A spring between two bodies hands energy over: neither keeps its own.
        for springs, ends in (
            (buffers[Springs], "packed_pairs"),
            (buffers[AngularSprings], "packed_triples"),
        ):
            owners = body[springs.rows[ends][rows_of(springs)]]
            joined = (owners != owners[:, :1]).any(axis=1)
            chosen[owners[joined].ravel()] = False
        table.values["has_energy"][~chosen] = False
        self._bodies = flatnonzero(chosen)
        # Rows of springs and angular springs, then slots of gas and areas, of the chosen bodies.
        self._rows = []
        for springs, ends in (
            (buffers[Springs], "packed_pairs"),
            (buffers[AngularSprings], "packed_triples"),
        ):
            rows = rows_of(springs)
            self._rows.append(rows[chosen[body[springs.rows[ends][rows, 0]]]])
        for kind in (PressureBody, AreaConstraint):
            slots = buffers[kind].active_slots.astype(np.int64)
            owners = self._space.activity.bodies_of(buffers[kind])
            self._rows.append(slots[chosen[owners[slots]]])

    def _elastic_energy(self) -> Floats:
        """Return the elastic energy (B, 2) of the bodies [J], with the given stiffness and with the
        effective one.
        """
        buffers = self._buffers
        (springs, angles, gases, areas) = self._rows
        table = buffers[Particles]
        gas = buffers[PressureBody]
        kept = buffers[AreaConstraint]
        if len(self._elastic) != table.values.count:
            self._elastic = np.zeros((table.values.count, 2))
        motion = table.rows.group(Motion)
        body = table.rows["body"]
        energy = self._elastic
        energy[self._bodies] = 0.0
        add_spring_energy(springs, buffers[Springs].rows.group(SpringEnergy), motion, body, energy)
        if len(angles):
            add_angular_energy(
                angles, buffers[AngularSprings].rows.group(AngularEnergy), motion, body, energy
            )
        if len(gases):
            add_gas_energy(
                gases, gas.values.group(GasEnergy), gas.rows["packed_outline"], motion, body, energy
            )
        if len(areas):
            add_area_energy(
                areas,
                kept.values.group(AreaEnergy),
                kept.rows["packed_outline"],
                motion,
                body,
                energy,
            )
        return energy


def rows_of(table: Table) -> Integers:
    """Return the active rows of a table."""
    spans = [arange(first, last) for first, last in table.active_rows]
    return np.concatenate(spans) if spans else NOBODY


def how_touched(space: CollisionSpace, buffers: PackedBuffers) -> NDArray[np.int64]:
    """Return how each body (B,) was touched in the last substep: 0 (FREELY) by nothing that takes
    or gives energy, LOSSY by something that takes energy, OTHERS by something that may give some:
    another body, or a wall that moves. The larger number counts.
    """
    values = buffers[Particles].values
    walls = space.walls
    touched = np.zeros(values.count, np.int64)
    if not space.is_up_to_date(buffers.version):
        touched[:] = OTHERS  # rows have moved: unknown
        return touched
    contacts = space.contacts
    proxies = space.proxies
    records = contacts.records[: contacts.count]
    offset = proxies.offset
    count = proxies.body_count
    pushing = flatnonzero((records["normal_impulse"] > 0.0) | (records["friction_impulse"] != 0.0))
    i, j = contacts.proxies[pushing].T
    # A contact of body i takes energy by restitution below 1, by friction or by rolling; a partner
    # j from the number of bodies on is a wall.
    lossy = (records["restitution"][pushing] < 1.0) | (records["friction_impulse"][pushing] != 0.0)
    lossy |= buffers[Collider].values["rolling_resistance"][i] > 0.0
    of_wall = j >= count
    other = (j < count) & (i != j)
    rows = contacts.rows[pushing[of_wall]].astype(np.int64) - offset
    moves = np.zeros(len(rows), np.bool_)
    for end in rows.T:
        moves |= (end >= 0) & walls.vertex_velocity[np.maximum(end, 0)].any(axis=1)
    moves |= walls.tangent_speed[j[of_wall] - count] != 0.0
    other[of_wall] = moves
    how = np.where(other, OTHERS, np.where(lossy, np.int64(LOSSY), 0))
    np.maximum.at(touched, proxies.body[i], how)
    np.maximum.at(touched, proxies.body[j[~of_wall]], how[~of_wall])
    return touched


class EnergyNoteProcessor(Stage):
    """Notes the energy of these bodies after they have moved. When it differs at the next
    Order.ENERGY, a game has written to them, and the difference counts as theirs.

    Runs at Order.ENERGY_NOTE.
    """

    order = Order.ENERGY_NOTE
    reads = ("AngularSprings", "AreaConstraint", "Particles", "PressureBody", "Springs")
    writes = ("Particles.energy_seen",)

    def __init__(self, energy: EnergyProcessor) -> None:
        self._energy = energy

    def is_idle(self, buffers: PackedBuffers) -> bool:
        """Return whether there is no energy to note."""
        return self._energy.is_idle(buffers)

    def process(self, dt: float) -> None:
        """Note the energy of each body whose energy is kept."""
        self._energy.note()
