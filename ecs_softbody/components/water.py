"""Water: buoyancy and drag on bodies."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ecs_softbody.components.collider import ALL
from ecs_softbody.storage import Component, Value


class Water(Component):
    """A body of water below a level surface; bodies with a Collider swim in it by their area
    (Archimedes).

    Pressure acts on every edge of an outline, so lift and torque follow from the submerged polygon:
    density · gravity · area, at its centroid. The pressure at the highest point of a body is left
    out: it lifts nothing, and would crush soft bodies in deep water. Only the y part of
    `Simulation.gravity` counts, and none means no lift; upward gravity pushes bodies down, and the
    surface stays in place. A rope counts with its thickness, a particle on its own as a disc.

    Args:
        level: height of the surface [m].
        left: end on the left [m]. It is not a wall; walls are part of the level.
        right: end on the right [m].
        bottom: below this there is no water [m].
        density: [kg/m³], the same as kg/m² of a body, since the world is one metre deep.
        drag: drag coefficient of one edge, for fast motion.
        linear_drag: speed [m/s] below which a drag in proportion to the speed is the stronger one;
            lets waves of floating bodies die out.
        flow: (x, y) velocity of the water [m/s].
        mask: bits of the Collider categories that feel it.
    """

    __slots__ = ()
    needs_particles = False
    cost_per_point = 150.0

    level = Value(dtype=np.float64, unit="m", doc="height of the surface")
    left = Value(dtype=np.float64, unit="m", infinite=True, doc="end on the left")
    right = Value(dtype=np.float64, unit="m", infinite=True, doc="end on the right")
    bottom = Value(dtype=np.float64, unit="m", infinite=True, doc="no water below this")
    density = Value(dtype=np.float64, unit="kg/m³", minimum=0.0, doc="density of the water")
    drag = Value(dtype=np.float64, minimum=0.0, doc="drag coefficient of one edge")
    linear_drag = Value(
        dtype=np.float64, unit="m/s", minimum=0.0, doc="drag pressure over density and speed"
    )
    flow = Value(2, dtype=np.float64, unit="m/s", doc="velocity of the water")
    mask = Value(dtype=np.uint32, doc="bits of the categories that feel it")

    def __init__(
        self,
        level: float = 0.0,
        *,
        left: float = -np.inf,
        right: float = np.inf,
        bottom: float = -np.inf,
        density: float = 1000.0,
        drag: float = 1.0,
        linear_drag: float = 0.4,
        flow: ArrayLike = (0.0, 0.0),
        mask: int = ALL,
    ) -> None:
        self._fill(
            None, level=level, left=left, right=right, bottom=bottom, density=density, drag=drag,
            linear_drag=linear_drag, flow=flow, mask=mask,
        )  # fmt: skip
        if not self.left < self.right:
            raise ValueError(
                f"Water.right: {right!r} is not allowed; expected more than left, {left!r}"
            )
        if not self.bottom < self.level:
            raise ValueError(
                f"Water.bottom: {bottom!r} is not allowed; expected less than level, {level!r}"
            )
