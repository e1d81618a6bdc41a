"""AreaConstraint: keeps the area inside a closed outline of particles."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ecs_softbody.components.pressure_body import check_outline
from ecs_softbody.elementary.rows import lengths
from ecs_softbody.storage import Column, Component, Store, Value, packed_rows


class AreaConstraint(Component):
    """A spring on the area inside a ring of particles: pressure = stiffness · (rest_area - area) /
    rest_area.

    Unlike gas it presses neither outwards nor inwards at rest, so it needs no skin under tension,
    and it pulls a ring that is too large together.

    Args:
        outline: shape (K,), K >= 3: the ring of rows of the entity's Particles, either orientation,
            not closed by repeating the first. Fixed after creation.
        stiffness: pressure [Pa] against losing all of the area: the bulk modulus; 2-D is 1 m deep.
        damping: pressure [Pa·s] per share of the area that is lost in a second.
        rest_area: area without force [m²], > 0; None takes the area when first packed.
    """

    __slots__ = ()
    is_elastic = True

    outline = Column(dtype=np.int32, minimum=0, rows_of_particles=True, doc="ring of rows")
    chord = Column(
        dtype=np.float64, unit="m", engine=True, doc="distance of both neighbours when first packed"
    )
    stiffness = Value(
        dtype=np.float64, unit="Pa", minimum=0.0, doc="pressure against losing all of the area"
    )
    damping = Value(
        dtype=np.float64, unit="Pa·s", minimum=0.0, doc="pressure per share of the area and second"
    )
    rest_area = Value(dtype=np.float64, unit="m²", above=0.0, unset=True, doc="area without force")
    orientation = Value(
        dtype=np.float64, engine=True, doc="+1 for a counter-clockwise rest ring, else -1"
    )
    effective_stiffness = Value(
        dtype=np.float64, unit="Pa", engine=True, doc="what the last substep could carry"
    )
    pressure = Value(dtype=np.float64, unit="Pa", engine=True, doc="outwards, in the last substep")
    area = Value(
        dtype=np.float64,
        unit="m²",
        engine=True,
        doc="signed area in the last substep; < 0 inside out",
    )

    def __init__(
        self,
        outline: ArrayLike,
        *,
        stiffness: float,
        damping: float = 0.0,
        rest_area: float | None = None,
    ) -> None:
        self._fill(
            "outline", outline=outline, stiffness=stiffness, damping=damping, rest_area=rest_area
        )
        check_outline("AreaConstraint", self.outline)

    def complete(self, particles: Store) -> None:
        """Remember the ring's orientation and chords, and its area where no rest area was given."""
        ring = particles["position"][packed_rows(self, "outline")]
        chord = np.roll(ring, -1, axis=0) - np.roll(ring, 1, axis=0)
        area = 0.25 * float((ring[:, 0] * chord[:, 1] - ring[:, 1] * chord[:, 0]).sum())
        values = self.value_arrays
        slot = self.slot
        if values["orientation"][slot] == 0.0:
            values["orientation"][slot] = -1.0 if area < 0.0 else 1.0
            self.row_arrays["chord"][self.row_start : self.row_stop] = lengths(chord)
            if np.isnan(values["rest_area"][slot]):
                values["rest_area"][slot] = abs(area)
        values["area"][slot] = area * values["orientation"][slot]
