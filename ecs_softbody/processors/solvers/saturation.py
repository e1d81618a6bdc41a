"""SaturationProcessor: cuts stiffness and damping to the amount that a substep can carry.

With explicit integration a spring that is too stiff for the substep h explodes. One substep is
stable while at every particle the shares of all elements add up to at most BOUND, just below 4:

    Σ (k h² + 2 c h) factor <= BOUND      share of one element = its term of the sum

with a factor [1/kg] that follows from inverse masses and geometry; of a spring i-j at i it is
w_i + √(w_i w_j) (kernels/motion/saturation.py has the derivation). This stage divides the bound
among the elements of each particle: angular springs, gas, areas and rest shapes get reserved
shares, springs the rest. Elements within it act in full, others less: column `effective_stiffness`.
StabilityAdviser warns of those. It is the stage of the solver `saturated`; with `xpbd` there is
StrengthProcessor instead.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.components import (
    AngularSprings,
    AreaConstraint,
    Particles,
    PressureBody,
    ShapeMatching,
    Springs,
)
from ecs_softbody.indices import bincount
from ecs_softbody.kernels.forces import shape_matching
from ecs_softbody.kernels.forces.angular_springs import AngularLaw, find_carried_stiffness
from ecs_softbody.kernels.forces.pressure import SLOPE_SHARE
from ecs_softbody.kernels.motion.saturation import (
    BOUND,
    SaturatedSprings,
    find_changed,
    saturate_springs,
    sum_shares,
)
from ecs_softbody.processors.order import Order
from ecs_softbody.processors.solvers.gas import GasBalance
from ecs_softbody.processors.solvers.stability import StabilityAdviser
from ecs_softbody.processors.stage import Stage, StageContext
from ecs_softbody.storage import Column, add_stage_columns, packed_rows
from ecs_softbody.storage.resource import Array, Number, Part
from ecs_softbody.validation import LONGEST_FRAME

ANGULAR_RESERVE = 0.375
"""Share (of the total BOUND) kept for the angular springs at each of their particles, however much
the springs there ask for.
"""
AREA_RESERVE = 0.375
"""Share kept for an AreaConstraint at each particle of its outline, in the same way: as much as its
stiffness, damping and pressure may take together (kernels/forces/area_constraint.py).
"""
ANGULAR_SHARE_OF_LEFT = 0.8
"""Fraction of the bound left over by springs that angular springs at the same particle get on top
of their reserve.
"""
LARGEST_ANGULAR_SHARE = 0.7
"""No angular spring takes a larger share: beyond it the turning of its arms in a substep feeds
energy in.
"""

add_stage_columns(
    Springs,
    "SaturationProcessor",
    seen_stiffness=Column(dtype=np.float64, unit="N/m", doc="stiffness when last saturated"),
    seen_damping=Column(dtype=np.float64, unit="N·s/m", doc="damping when last saturated"),
    needed_stiffness=Column(
        dtype=np.float64, unit="N/m", doc="what it needs to bear its tension in balance with gas"
    ),
    kept_tension=Column(
        dtype=np.float64, unit="N", doc="constant tension of a cut spring in balance with gas"
    ),
)
add_stage_columns(
    AngularSprings,
    "SaturationProcessor",
    seen_stiffness=Column(dtype=np.float64, unit="N/m", doc="stiffness when last saturated"),
    seen_damping=Column(dtype=np.float64, unit="N·m·s/rad", doc="damping when last saturated"),
    carried_stiffness=Column(dtype=np.float64, unit="N/m", doc="what the arms at rest can carry"),
)
add_stage_columns(
    Particles,
    "SaturationProcessor",
    reserved=Column(dtype=np.float64, doc="share of the stability bound kept from springs"),
    angular_valence=Column(dtype=np.float64, doc="number of angular springs here"),
    angular_budget=Column(dtype=np.float64, doc="share that each angular spring may take here"),
)


class SaturationProcessor(Stage):
    """Writes the effective stiffness and damping of springs when anything they depend on changed.

    Checks the structure in every substep, and once a frame whether a game wrote stiffness, damping
    or mass. Runs at Order.SATURATION.
    """

    resource = "saturation"
    saved = (
        Number(
            "dt",
            "Length of the substep for which strengths were found.",
            least=0.0,
            most=LONGEST_FRAME,
            unit="s",
        ),
        Array(
            "seen_shapes",
            (2, "shapes"),
            "Stiffness and damping of each slot of ShapeMatching then.",
        ),
        Part("adviser", "Warnings.", StabilityAdviser),
    )

    order = Order.SATURATION
    reads = ("AngularSprings", "Frame", "Particles", "ShapeMatching", "Springs")
    writes = (
        "AngularSprings.carried_stiffness",
        "Particles.angular_budget",
        "Particles.angular_valence",
        "Particles.reserved",
        "PressureBody.gas_share",
        "PressureBody.level_share",
        "Springs.effective_damping",
        "Springs.effective_stiffness",
        "Springs.kept_tension",
        "Springs.needed_stiffness",
        "Springs.seen_damping",
        "Springs.seen_stiffness",
    )

    def __init__(self, context: StageContext) -> None:
        buffers = context.buffers
        self._frame = context.frame
        self._buffers = buffers
        self._shapes = buffers[ShapeMatching]
        self._springs = buffers[Springs], buffers[AngularSprings]
        self.dt = 0.0
        """Length of the substep for which strengths were found last [s]."""
        self._scratch = np.zeros((7, 0))
        """(7, N) for every packed particle: six rows for `saturate_springs`, and the rest of the
        bound.
        """
        self.seen_shapes = np.zeros((2, 0))
        """Stiffness and damping of each slot of ShapeMatching when they were compared last."""
        self.adviser = StabilityAdviser(buffers)

    def process(self, dt: float) -> None:
        """Recompute the bodies whose springs, masses or structure changed; all after a change of
        dt.
        """
        buffers = self._buffers
        if dt != self.dt:
            self.dt = dt
            self._remember_parameters()
            buffers.changed_entities |= buffers[Particles].entities
        # Parameters that a game writes are compared once a frame, not in each substep.
        elif buffers.frame_start and (written := self._find_written()):
            self._remember_parameters()
            buffers.changed_entities |= written
        if buffers.changed_entities:
            self._saturate(dt, self._with_linked(buffers.changed_entities))
            buffers.changed_entities = set()
            buffers.strength_version = buffers.replaced.new_version()

    def rehearse(self, dt: float) -> None:
        """Run the kernels that new parameters and a warning about stiff springs need."""
        self.process(dt)
        springs = self._springs[0].rows
        particles = self._buffers[Particles].rows
        scratch = np.zeros(particles.count)
        no_rows = np.zeros(0, np.uint32)
        sum_shares(
            no_rows,
            springs["packed_pairs"],
            particles["inverse_mass"],
            springs["stiffness"],
            dt * dt,
            scratch,
        )

    def _find_written(self) -> set[int]:
        """Return the entities whose stiffness or damping a game has written since the last frame.

        Only these are saturated again: all of them took 80 ms a frame with a thousand blobs.
        """
        particles = self._buffers[Particles]
        found = set[int]()
        if self._shapes.bound:
            now = self._shape_parameters()
            if now.shape != self.seen_shapes.shape:
                return set(particles.entities)
            found.update(
                self._shapes.values["entity"][(now != self.seen_shapes).any(axis=0)].tolist()
            )
        for table, ends in zip(self._springs, ("packed_pairs", "packed_triples"), strict=True):
            rows = table.rows  # springs of sleeping bodies are checked when they wake
            if table.bound and find_changed(
                table.active_rows,
                rows["stiffness"],
                rows["damping"],
                rows["seen_stiffness"],
                rows["seen_damping"],
            ):
                written = rows["stiffness"] != rows["seen_stiffness"]
                written |= rows["damping"] != rows["seen_damping"]
                bodies = particles.rows["body"][rows[ends][written, 0]]
                found.update(particles.values["entity"][bodies].tolist())
        return found

    def _shape_parameters(self) -> NDArray[np.float64]:
        """Return stiffness and damping (2, S) of all slots of ShapeMatching."""
        values = self._shapes.values
        return np.stack([values["stiffness"], values["damping"]])

    def _remember_parameters(self) -> None:
        """Keep all stiffness and damping as they are, to find later writes by comparison."""
        self.seen_shapes = self._shape_parameters()
        for table in self._springs:
            for field in ("stiffness", "damping"):
                table.rows[f"seen_{field}"][:] = table.rows[field]

    def _with_linked(self, entities: set[int]) -> list[int]:
        """Add the entities that springs join to these, directly or through others."""
        found = set(entities)
        waiting = list(entities)
        while waiting:
            for link, _ in self._buffers.links(Springs, waiting.pop()):
                for other in set(link.row_owners(0)) - found:
                    found.add(other)
                    waiting.append(other)
        return sorted(found)

    def _saturate(self, dt: float, entities: list[int]) -> None:
        """Divide the bound among the elements at all particles of these entities.

        They must include all entities that springs join to one of them: those share the bound.
        """
        particles = self._buffers[Particles].rows
        table = self._buffers[Springs]
        springs = table.rows
        if self._scratch.shape[1] < particles.count:
            self._scratch = np.zeros((7, particles.capacity))
        # (N,) the part of the bound that is not taken yet: after `_reserve`, the part for springs;
        # after `saturate_springs`, the rest that they leave.
        left = self._scratch[6]
        members = self._springs_of(entities)
        spans = [
            np.arange(member.row_start, member.row_stop, dtype=np.uint32) for _, member in members
        ]
        rows = np.concatenate(spans) if spans else np.zeros(0, np.uint32)
        springs["needed_stiffness"][rows] = springs["kept_tension"][rows] = 0.0
        # Gas comes before springs share the bound: springs of its skin first get the stiffness that
        # their tension in balance with the gas needs. With an even share alone, a blob whose
        # springs are made for 300 Hz had less skin than one of 90 Hz, since its other springs asked
        # for more, too.
        balances = self._balance_gas(entities, dt)
        self._reserve(entities, left, dt)
        inverse_mass = particles["inverse_mass"]
        reserved = particles["reserved"]
        saturate_springs(
            rows, springs.group(SaturatedSprings), inverse_mass, reserved, dt, left, self._scratch
        )
        # This follows springs: angular springs get a part of the remainder, and gas depends on the
        # stiffness that its skin has kept.
        for entity in entities:
            self._hold_angular_springs(entity, left, dt)
            if entity in balances:
                balances[entity].carry(dt)
                self.adviser.advise_gas(entity, dt, self._frame.substeps)
            self.adviser.advise_area(entity, dt, self._frame.substeps)
        self.adviser.advise_springs(members, rows, self._scratch, dt, self._frame.substeps)
        self.adviser.speak()

    def _balance_gas(self, entities: list[int], dt: float) -> dict[int, GasBalance]:
        """Compute the balance of the gas of these entities; write the share of the bound that its
        pressure gets, and the stiffness that springs of the skin need (see gas.py).
        """
        table = self._buffers[PressureBody]
        found = {}
        for entity in entities:
            gas = table.bound.get(entity)
            if isinstance(gas, PressureBody) and entity in self._buffers[Particles].bound:
                found[entity] = GasBalance(self._buffers, gas, entity)
                found[entity].ask(dt)
        return found

    def _reserve(self, entities: list[int], left: NDArray[np.float64], dt: float) -> None:
        """Write the share that elements other than springs get at each particle, `reserved` (N,),
        and the remainder for springs, `left` (N,).
        """
        buffers = self._buffers
        arrays = buffers[Particles].rows.arrays
        for entity in entities:
            body = buffers[Particles].bound.get(entity)
            if body is None:
                continue
            span = slice(body.row_start, body.row_stop)
            arrays["reserved"][span] = arrays["angular_valence"][span] = 0.0
            angular = buffers[AngularSprings].bound.get(entity)
            if isinstance(angular, AngularSprings):
                # How many angular springs each particle is part of.
                valence = bincount(angular.triples.ravel(), minlength=body.row_count)
                arrays["angular_valence"][span] = valence
                arrays["reserved"][span] += ANGULAR_RESERVE * (valence > 0)
            if (gas := buffers[PressureBody].bound.get(entity)) is not None:
                level = gas.value_arrays["level_share"][gas.slot]
                arrays["reserved"][packed_rows(gas, "outline")] += SLOPE_SHARE + level
            if (ring := buffers[AreaConstraint].bound.get(entity)) is not None:
                arrays["reserved"][packed_rows(ring, "outline")] += AREA_RESERVE
            shape = buffers[ShapeMatching].bound.get(entity)
            if isinstance(shape, ShapeMatching) and isinstance(body, Particles):
                arrays["reserved"][span] += _taken_by(shape, body, dt)
            left[span] = BOUND - arrays["reserved"][span]

    def _springs_of(self, entities: list[int]) -> list[tuple[int, Springs]]:
        """Return every Springs that acts on these entities, with the entity that it sits on: their
        own, and Springs of others that join them.
        """
        found: dict[int, Springs] = {}
        for entity in entities:
            own = self._buffers[Springs].bound.get(entity)
            if isinstance(own, Springs) and entity in own.row_owners(entity):
                found[entity] = own
            for link, holder in self._buffers.links(Springs, entity):
                assert isinstance(link, Springs)
                found[holder] = link
        return sorted(found.items())

    def _hold_angular_springs(self, entity: int, left: NDArray[np.float64], dt: float) -> None:
        """Divide the share for angular springs at each particle evenly among them, and write the
        stiffness that each can have with its arms at rest (`carried_stiffness`).
        """
        angular = self._buffers[AngularSprings].bound.get(entity)
        if angular is None:
            return
        body = self._buffers[Particles].bound[entity]
        particles = self._buffers[Particles].rows
        span = slice(body.row_start, body.row_stop)
        valence = np.maximum(particles["angular_valence"][span], 1.0)
        shares = (ANGULAR_RESERVE + ANGULAR_SHARE_OF_LEFT * left[span]) / valence
        particles["angular_budget"][span] = np.minimum(shares, LARGEST_ANGULAR_SHARE)
        rows = np.arange(angular.row_start, angular.row_stop, dtype=np.uint32)
        law = self._springs[1].rows.group(AngularLaw)
        inverse_mass = particles["inverse_mass"]
        budget = particles["angular_budget"]
        # The limit follows from the arms at rest: one from the present arms would grow with their
        # length.
        finer = find_carried_stiffness(rows, law, inverse_mass, budget, dt)
        self.adviser.advise_angular_springs(entity, angular, finer, dt, self._frame.substeps)


def _taken_by(shape: ShapeMatching, body: Particles, dt: float) -> float:
    """Return the share R that shape matching takes at a particle, from the full BOUND.

    A substep multiplies velocities by 1 - γ and adds -κ x/h of the deviation x
    (kernels/forces/shape_matching.py). This takes κ + 2 γ of the bound, while all other elements
    count only 1 - γ of their demand. So the others may have BOUND - R with

        (1 - γ) (BOUND - R) + κ + 2 γ = BOUND

    R is 0 where the damping γ makes more room than κ takes.
    """
    kappa, gamma = shape_matching.carried_shares(*shape_matching_demand(shape, body, dt))
    taken = kappa + 2.0 * gamma - gamma * BOUND
    return taken / (1.0 - gamma) if taken > 0.0 else 0.0


def shape_matching_demand(shape: ShapeMatching, body: Particles, dt: float) -> tuple[float, float]:
    """Return the largest k h²/m̄ and c h/m̄ of a body's groups; m̄ is the mean mass of a group.

    A particle in several groups (`valence`) is pulled by each of them.
    """
    start = 0
    stiff = 0.0
    damp = 0.0
    for rows in shape.groups or [np.arange(body.row_count, dtype=np.int32)]:
        mass = body.mass[rows]
        light = dt / mass[np.isfinite(mass)].mean() if np.isfinite(mass).any() else 0.0
        share, valence = (
            (shape.share[start], shape.valence[start]) if shape.row_count else (1.0, 1.0)
        )
        stiff = max(stiff, shape.stiffness * share * valence * dt * light)
        damp = max(damp, shape.damping * valence * light)
        start += len(rows)
    return stiff, damp
