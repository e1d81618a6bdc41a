"""Which bodies take part in impacts, and what they remember of one."""

import numpy as np

from ecs_softbody.arrays import Floats
from ecs_softbody.collision.contacts.view import ContactView
from ecs_softbody.collision.solve.landing import Impacts
from ecs_softbody.components import Collider
from ecs_softbody.storage import Activity, Table, Value, add_stage_columns

MEMORY = (
    "impact_speed", "impact_closing", "impact_parting", "impact_apart", "impact_crowded", "impact_met",
    "impact_touched", "impact_touching",
)  # fmt: skip
add_stage_columns(
    Collider,
    "CollisionProcessor",
    impact_speed=Value(dtype=np.float64, unit="m/s", doc="of the impact that goes on, else 0"),
    impact_closing=Value(dtype=np.float64, doc="substeps until the impact turned"),
    impact_parting=Value(dtype=np.float64, doc="substeps since the impact turned"),
    impact_apart=Value(dtype=np.float64, doc="substeps since a contact of the impact pushed"),
    impact_crowded=Value(dtype=np.float64, unit="s", doc="how long it still counts as one that touches several"),
    impact_met=Value(2, dtype=np.float64, unit="m", doc="where the centre was when it met a wall"),
    impact_touched=Value(dtype=np.int64, doc="what pushed in the last substep, see landing.py"),
    impact_touching=Value(dtype=np.int64, doc="what pushes in this substep"),
)


class ImpactBodies:
    """Looks, after each search for contacts, at joints, pins and rest shapes."""

    def __init__(self, shapes: Table, activity: Activity) -> None:
        self._shapes, self._activity = shapes, activity

    def find(self, view: ContactView, impulse: Floats) -> Impacts:
        """Return the bodies, ready for the solver; impulse: workspace (C, 3)."""
        proxies, rows, bodies = view.proxies, view.particles.rows, view.particles.values
        memory = [view.colliders.values[name] for name in MEMORY]
        whole, found = np.zeros((proxies.body_count, 8)), np.zeros(8)
        if not proxies.rolls.any():  # discs alone: nothing to look up
            return Impacts._make([proxies.rolls.copy(), np.zeros(len(proxies.body)), *memory, whole, found, impulse])
        held = (rows["inverse_mass"] == 0.0) | rows["jointed"]
        is_held = np.bincount(rows["body"][held], minlength=bodies.count) > 0
        takes_part = proxies.rolls & ~is_held[proxies.body]
        return Impacts._make([takes_part, self._shape_rate(view)[proxies.body], *memory, whole, found, impulse])

    def _shape_rate(self, view: ContactView) -> Floats:
        """Return, for each body, the stiffness of its one rest shape over the mean mass of its particles [1/s²]."""
        rows, shapes = view.particles.rows, self._shapes.values
        rate = np.zeros(view.particles.values.count)
        slots = self._shapes.active_slots
        slots = slots[shapes["first"][slots] == shapes["last"][slots]]
        if len(slots):
            owners = self._activity.bodies_of(self._shapes)[slots]
            count = np.bincount(rows["body"], minlength=len(rate))
            mass = np.bincount(rows["body"], weights=rows["mass"], minlength=len(rate))
            rate[owners] = shapes["stiffness"][slots] * count[owners] / mass[owners]
        return rate
