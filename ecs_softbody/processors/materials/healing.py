"""HealingProcessor: keeps new fragments of a cut or torn body from flying apart.

Half a blob is far from its balance of gas and springs. For HEALING_TIME after the cut, the motion
that deforms a fragment is braked; its momentum and angular momentum stay (the formula is in
kernels/materials/healing.py). Such fragments have the component Healing.
"""

import esper

from ecs_softbody.components import Particles
from ecs_softbody.components.healing import Healing
from ecs_softbody.kernels.materials.healing import CutRows, Healed, Heals, heal
from ecs_softbody.processors.order import Order
from ecs_softbody.processors.stage import Spawn, Stage, StageContext


class HealingProcessor(Stage):
    """Brakes the deforming of new fragments and lets the radius of their cuts grow.

    Runs at Order.HEALING.
    """

    order = Order.HEALING
    components = (Healing,)
    reads = ("Particles",)
    writes = ("Healing.time_left", "Particles.force", "Particles.radius")

    def __init__(self, context: StageContext) -> None:
        self._particles = context.buffers[Particles]
        self._healing = context.buffers[Healing]

    @classmethod
    def example(cls, spawn: Spawn) -> None:
        """A body that was cut."""
        body = Particles([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])
        spawn(body, Healing(range(4), full_radius=0.1, time_left=1.0))

    def process(self, dt: float) -> None:
        """Heal for one substep, and remove Healing from healed bodies."""
        table = self._healing
        particles = self._particles
        values = table.values
        active = table.active_slots
        points = particles.rows.group(Healed)
        healed = heal(active, values.group(Heals), table.rows.group(CutRows), points, dt)
        particles.values["still_time"][particles.rows["body"][values["particle_first"][active]]] = (
            0.0
        )
        if healed:
            for entity, healing in sorted(table.bound.items()):
                if healing.time_left == 0.0 and esper.try_component(entity, Healing) is healing:  # type: ignore[attr-defined]
                    esper.remove_component(entity, Healing)
