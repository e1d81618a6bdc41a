"""Healing: a temporary component of fragments that were just cut off."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ecs_softbody.storage import Column, Component, Value


class Healing(Component):
    """Lets a fragment settle into its new shape; the engine puts it on fragments of outlines and
    takes it away again.

    While it lasts, all motion except the fragment's motion as a whole is damped, so that gas and
    skin reach their new balance without a burst, and the particles along the cut grow back to their
    radius, so that both sides separate slowly.

    Args:
        rows: rows of the particles along the cut.
        full_radius: shape (W,), the radius that each will have [m].
        time_left: [s].
    """

    __slots__ = ()

    rows = Column(
        dtype=np.int32, minimum=0, rows_of_particles=True, doc="rows of the particles along the cut"
    )
    full_radius = Column(dtype=np.float64, unit="m", minimum=0.0, doc="radius that each will have")
    time_left = Value(dtype=np.float64, unit="s", minimum=0.0, doc="how long it takes yet")

    def __init__(self, rows: ArrayLike, *, full_radius: ArrayLike, time_left: float) -> None:
        self._fill("rows", rows=rows, full_radius=full_radius, time_left=time_left)
