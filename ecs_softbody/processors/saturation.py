"""SaturationProcessor: finds the stiffness and damping that a substep can carry, and warns where it is less."""

from __future__ import annotations

import esper
import numpy as np
from numpy.typing import NDArray

from ecs_softbody.components import AngularSprings, AreaConstraint, Particles, PressureBody, ShapeMatching, Springs
from ecs_softbody.kernels import shape_matching
from ecs_softbody.kernels.angular_spring_force import find_carried_stiffness
from ecs_softbody.kernels.saturation import BOUND, find_changed, saturate_springs
from ecs_softbody.processors.stability import StabilityAdviser, shape_matching_demand
from ecs_softbody.storage import PackedBuffers, packed_rows

ANGULAR_RESERVE = 0.375
PRESSURE_RESERVE = 0.25
AREA_RESERVE = 0.375
ANGULAR_SHARE_OF_LEFT = 0.8
"""How much of what springs leave unused goes to the angular springs at the same particle."""
LARGEST_ANGULAR_SHARE = 0.7
"""No angular spring takes more than this: beyond it the turning of its arms in a substep feeds energy in."""


class SaturationProcessor(esper.Processor):
    """Writes the effective stiffness and damping of springs when anything they depend on changed.

    Structure is looked at in every substep; stiffness, damping and mass that a game wrote, once a frame.
    Runs at Order.SATURATION.
    """

    def __init__(self, buffers: PackedBuffers) -> None:
        self._buffers, self._shapes = buffers, buffers[ShapeMatching]
        self._springs = buffers[Springs], buffers[AngularSprings]
        self._dt = 0.0
        self._room = np.zeros((7, 0))
        self._seen_shapes = np.zeros((2, 0))
        self._adviser = StabilityAdviser(buffers)
        self.substeps = 1
        """Substeps of a frame now, for the advice in warnings."""

    def process(self, dt: float) -> None:
        """Recompute what changed."""
        buffers = self._buffers
        if dt != self._dt or (buffers.frame_start and self._parameters_changed()):
            self._dt = dt
            self._remember_parameters()
            buffers.changed_entities |= buffers[Particles].entities
        if buffers.changed_entities:
            self._saturate(dt, self._with_linked(buffers.changed_entities))
            buffers.changed_entities = set()
            buffers.strength_version += 1

    def _parameters_changed(self) -> bool:
        if self._shapes.bound and not np.array_equal(self._seen_shapes, self._shape_parameters()):
            return True
        for table in self._springs:  # those of sleeping bodies are looked at when they wake
            rows = table.rows
            if table.bound and find_changed(
                table.active_rows, rows["stiffness"], rows["damping"], rows["seen_stiffness"], rows["seen_damping"]
            ):
                return True
        return False

    def _shape_parameters(self) -> NDArray[np.float64]:
        values = self._shapes.values
        return np.stack([values["stiffness"], values["damping"]])

    def _remember_parameters(self) -> None:
        self._seen_shapes = self._shape_parameters()
        for table in self._springs:
            for field in ("stiffness", "damping"):
                table.rows[f"seen_{field}"][:] = table.rows[field]

    def _with_linked(self, entities: set[int]) -> list[int]:
        """Add the entities that springs join to these, directly or through others."""
        found, waiting = set(entities), list(entities)
        while waiting:
            for link, _ in self._buffers.links(Springs, waiting.pop()):
                for other in set(link.row_owners(0)) - found:
                    found.add(other)
                    waiting.append(other)
        return sorted(found)

    def _saturate(self, dt: float, entities: list[int]) -> None:
        particles, table = self._buffers[Particles].rows, self._buffers[Springs]
        springs = table.rows
        if self._room.shape[1] < particles.count:
            self._room = np.zeros((7, particles.capacity))
        left = self._room[6]
        self._reserve(entities, left, dt)
        members = self._springs_of(entities)
        spans = [np.arange(member.row_start, member.row_stop, dtype=np.uint32) for _, member in members]
        rows = np.concatenate(spans) if spans else np.zeros(0, np.uint32)
        saturate_springs(
            rows,
            springs["packed_pairs"],
            particles["inverse_mass"],
            particles["reserved"],
            springs["stiffness"],
            springs["damping"],
            dt,
            springs["effective_stiffness"],
            springs["effective_damping"],
            left,
            self._room,
        )
        for entity in entities:
            self._hold_angular_springs(entity, left, dt)
            self._share_gas(entity)
            self._adviser.advise_gas(entity, dt, self.substeps)
            self._adviser.advise_area(entity, dt, self.substeps)
            self._adviser.advise_shape_matching(entity, dt, self.substeps)
        self._adviser.advise_springs(members, rows, self._room, dt, self.substeps)
        self._adviser.speak()

    def _reserve(self, entities: list[int], left: NDArray[np.float64], dt: float) -> None:
        """Reserve the shares of other elements than springs at the particles that carry them; write what is left."""
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
                valence = np.bincount(angular.triples.ravel(), minlength=body.row_count)
                arrays["angular_valence"][span] = valence
                arrays["reserved"][span] += ANGULAR_RESERVE * (valence > 0)
            for kind, reserve in ((PressureBody, PRESSURE_RESERVE), (AreaConstraint, AREA_RESERVE)):
                ring = buffers[kind].bound.get(entity)
                if ring is not None:
                    arrays["reserved"][packed_rows(ring, "outline")] += reserve
            shape = buffers[ShapeMatching].bound.get(entity)
            if isinstance(shape, ShapeMatching) and isinstance(body, Particles):
                arrays["reserved"][span] += _taken_by(shape, body, dt)
            left[span] = BOUND - arrays["reserved"][span]

    def _springs_of(self, entities: list[int]) -> list[tuple[int, Springs]]:
        """Every Springs that acts on these entities, with the entity that it sits on."""
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
        """Share out the budgets, and hold the stiffness to what the arms at rest can carry."""
        angular = self._buffers[AngularSprings].bound.get(entity)
        if angular is None:
            return
        body, particles = self._buffers[Particles].bound[entity], self._buffers[Particles].rows
        span = slice(body.row_start, body.row_stop)
        valence = np.maximum(particles["angular_valence"][span], 1.0)
        shares = (ANGULAR_RESERVE + ANGULAR_SHARE_OF_LEFT * left[span]) / valence
        particles["angular_budget"][span] = np.minimum(shares, LARGEST_ANGULAR_SHARE)
        springs = self._buffers[AngularSprings].rows
        finer = find_carried_stiffness(
            np.arange(angular.row_start, angular.row_stop, dtype=np.uint32),
            springs["packed_triples"],
            particles["inverse_mass"],
            particles["angular_budget"],
            springs["arms"],
            springs["stiffness"],
            springs["damping"],
            dt,
            springs["carried_stiffness"],
        )
        self._adviser.advise_angular_springs(entity, angular, finer, dt, self.substeps)

    def _share_gas(self, entity: int) -> None:
        """Scale the gas as its skin is scaled: saturated apart, the balance would give another size."""
        gas = self._buffers[PressureBody].bound.get(entity)
        skin = self._buffers[Springs].bound.get(entity)
        if gas is None:
            return
        share = 1.0
        if isinstance(skin, Springs) and skin.between is None and skin.row_count:
            asked, kept = skin.stiffness, skin.effective_stiffness
            if (kept < asked).any():
                outline = np.asarray(gas.outline, np.int64)  # type: ignore[attr-defined]
                after = np.roll(outline, -1)
                width = int(max(outline.max(), skin.pairs.max())) + 1
                edges = np.minimum(outline, after) * width + np.maximum(outline, after)
                low, high = skin.pairs.min(axis=1).astype(np.int64), skin.pairs.max(axis=1)
                on_ring = np.isin(low * width + high, edges) & (asked > 0.0)
                share = float((kept[on_ring] / asked[on_ring]).min()) if on_ring.any() else 1.0
        gas.value_arrays["gas_share"][gas.slot] = share


def _taken_by(shape: ShapeMatching, body: Particles, dt: float) -> float:
    """Return the share of the stability bound that shape matching takes at every particle of its body."""
    asked, damp = shape_matching_demand(shape, body, dt)
    stiff = min(asked, shape_matching.STIFFNESS_SHARE)
    if stiff < asked:
        damp = max(damp, shape_matching.SATURATED_DAMPING * stiff)
    return stiff + 2.0 * min(damp, shape_matching.DAMPING_SHARE)
