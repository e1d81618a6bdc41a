"""Wind: a force field of this game, written with public names only: a component, and a processor at CUSTOM_FORCE.

sim.spawn(WindZone((0, 0), (4, 8), velocity=(0, 12)))
sim.add_processor(WindProcessor())
"""

from __future__ import annotations

from dataclasses import dataclass

import esper
import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_softbody import Particles


@dataclass(slots=True)
class WindZone:
    """A rectangle in which wind blows.

    Attributes:
        low: lower left corner [m].
        high: upper right corner [m].
        velocity: of the wind (x, y) [m/s].
        grip: how fast bodies take on its speed [1/s]: force per mass, per m/s that they lag behind.
    """

    low: tuple[float, float]
    high: tuple[float, float]
    velocity: tuple[float, float]
    grip: float = 3.0

    def contains(self, points: ArrayLike) -> NDArray[np.bool_]:
        """Return which of the points (..., 2) lie inside."""
        places = np.asarray(points, np.float64)
        return np.asarray(((places >= self.low) & (places <= self.high)).all(axis=-1))


class WindProcessor(esper.Processor):
    """Pushes every particle in a WindZone along the wind, never faster than it; across it air is still.

    F = grip · m · max(0, (w - v)·d) d, with the wind's velocity w and its direction d = w / |w|.
    """

    def process(self, dt: float) -> None:
        """Run in every substep: add to `force` while the forces are summed up."""
        bodies = [particles for _, particles in esper.get_component(Particles)]
        if not bodies:
            return
        places = np.concatenate([particles.position for particles in bodies])
        for _, zone in esper.get_component(WindZone):
            speed = float(np.hypot(*zone.velocity))
            blown = zone.contains(places)
            if speed == 0.0 or not blown.any():
                continue
            direction = np.array(zone.velocity) / speed
            last = 0
            for particles in bodies:
                first, last = last, last + particles.row_count
                if blown[first:last].any():
                    inside = blown[first:last] & ~particles.pinned
                    lag = np.maximum(speed - particles.velocity[inside] @ direction, 0.0)
                    particles.force[inside] += (zone.grip * particles.mass[inside] * lag)[:, None] * direction
