"""HealingProcessor: pieces settle after a cut."""

import esper

from ecs_softbody.components import Particles
from ecs_softbody.components.healing import Healing
from ecs_softbody.kernels.healing import heal
from ecs_softbody.storage import PackedBuffers


class HealingProcessor(esper.Processor):
    """Brakes the deforming of new pieces and lets the radius of their cuts grow. Runs at Order.HEALING."""

    def __init__(self, buffers: PackedBuffers) -> None:
        self._particles, self._healing = buffers[Particles], buffers[Healing]

    def process(self, dt: float) -> None:
        """Heal for one substep, and take Healing from who has healed."""
        table = self._healing
        if not table.bound:
            return
        particles, values = self._particles, table.values
        active = table.active_slots
        healed = heal(
            active, particles.rows["position"], particles.rows["mass"], particles.rows["inverse_mass"],
            values["particle_first"], values["particle_last"], table.rows["packed_rows"], table.rows["full_radius"],
            values["first"], values["last"], dt, values["time_left"],
            particles.rows["radius"], particles.rows["velocity"],
        )  # fmt: skip
        particles.values["still_time"][particles.rows["body"][values["particle_first"][active]]] = 0.0
        if healed:
            for entity, healing in sorted(table.bound.items()):
                if healing.time_left == 0.0 and esper.try_component(entity, Healing) is healing:  # type: ignore[attr-defined]
                    esper.remove_component(entity, Healing)
