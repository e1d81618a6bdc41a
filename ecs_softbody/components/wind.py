"""Wind: moving air that drags on outlines."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ecs_softbody.components.collider import ALL
from ecs_softbody.storage import Component, Value
from ecs_softbody.validation import array_of, shown


class Wind(Component):
    """Air of one velocity, everywhere or in a box. It presses on every edge of a Collider's
    outline.

    The pressure on an edge is ½ · density · drag · u², with the speed u at which air comes straight
    at it, on its front as on its back: no edge shelters another. With a drag of 1 a square
    broadside has the drag coefficient 2 and a circle 4/3, close to measured values. A particle
    without outline is a disc.

    Args:
        velocity: (x, y) of the air [m/s]. (0, 0) is still air, which slows moving bodies.
        density: of the air [kg/m³].
        drag: drag coefficient of one edge.
        region: its lower left and upper right corner [m], ((x, y), (x, y)); None: everywhere. An
            edge is in the wind when its middle is.
        mask: bits of the Collider categories that feel it.
    """

    __slots__ = ()
    needs_particles = False
    cost_per_point = 50.0

    velocity = Value(2, dtype=np.float64, unit="m/s", doc="velocity of the air")
    density = Value(dtype=np.float64, unit="kg/m³", minimum=0.0, doc="density of the air")
    drag = Value(dtype=np.float64, minimum=0.0, doc="drag coefficient of one edge")
    low = Value(2, dtype=np.float64, unit="m", infinite=True, doc="lower left corner of the region")
    high = Value(
        2, dtype=np.float64, unit="m", infinite=True, doc="upper right corner of the region"
    )
    mask = Value(dtype=np.uint32, doc="bits of the categories that feel it")

    def __init__(
        self,
        velocity: ArrayLike,
        *,
        density: float = 1.2,
        drag: float = 1.0,
        region: ArrayLike | None = None,
        mask: int = ALL,
    ) -> None:
        low, high = _corners(region)
        self._fill(
            None, velocity=velocity, density=density, drag=drag, low=low, high=high, mask=mask
        )

    def arguments(self) -> dict[str, Any]:
        """Return the constructor arguments, with both corners as one `region`."""
        given = super().arguments()
        if np.isfinite(self.low).any() or np.isfinite(self.high).any():
            given["region"] = np.array([self.low, self.high], np.float64)
        return given


def _corners(region: ArrayLike | None) -> np.ndarray:
    if region is None:
        return np.array([(-np.inf, -np.inf), (np.inf, np.inf)], np.float64)
    corners = array_of(region)
    if corners.shape != (2, 2) or not (corners[0] < corners[1]).all():
        raise ValueError(
            f"Wind.region: {shown(region)} is not allowed; expected a lower left and an upper "
            "right corner [m], or None"
        )
    return corners
