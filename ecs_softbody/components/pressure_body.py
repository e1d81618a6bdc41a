"""PressureBody: gas inside a closed outline of particles."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ecs_softbody.errors import FieldError
from ecs_softbody.storage import Column, Component, Store, Value, packed_rows

SMALLEST_OUTLINE = 3
SMALLEST_CHAIN = 2


class PressureBody(Component):
    """An ideal gas of pressure nRT / area inside a ring of particles (Matyka 2004). The body
    counts as 1 m deep, so that its area stands for a volume.

    Args:
        outline: shape (K,), K >= 3: the ring of rows of the entity's Particles, either orientation,
            not closed by repeating the first. Fixed after creation.
        nRT: amount of gas, gas constant and temperature, multiplied [J]: nRT / area is the
            pressure [Pa].
        ambient_pressure: pressure outside [Pa]; with nRT = ambient_pressure · rest area the rest
            shape is in equilibrium.
    """

    __slots__ = ()
    is_elastic = True

    outline = Column(dtype=np.int32, minimum=0, rows_of_particles=True, doc="ring of rows")
    nRT = Value(dtype=np.float64, unit="J", minimum=0.0, doc="pressure times area")
    ambient_pressure = Value(dtype=np.float64, unit="Pa", minimum=0.0, doc="pressure outside")
    orientation = Value(
        dtype=np.float64, engine=True, doc="+1 for a counter-clockwise rest ring, else -1"
    )
    gas_share = Value(
        dtype=np.float64, engine=True, doc="share of the gas that a substep can carry"
    )
    level_share = Value(
        dtype=np.float64, engine=True, doc="share of the stability bound that the pressure may take"
    )
    pressure = Value(
        dtype=np.float64, unit="Pa", engine=True, doc="inside minus outside, in the last substep"
    )
    area = Value(
        dtype=np.float64,
        unit="m²",
        engine=True,
        doc="signed area in the last substep; < 0 inside out",
    )

    def __init__(self, outline: ArrayLike, *, nRT: float, ambient_pressure: float = 0.0) -> None:
        self._fill("outline", outline=outline, nRT=nRT, ambient_pressure=ambient_pressure)
        check_outline("PressureBody", self.outline)

    def complete(self, particles: Store) -> None:
        """Note which way round the ring goes: a negative area then means turned inside out."""
        ring = particles["position"][packed_rows(self, "outline")]
        values = self.value_arrays
        slot = self.slot
        x, y = np.concatenate((ring, ring[:1])).T
        twice_area = float((x[:-1] * y[1:] - y[:-1] * x[1:]).sum())
        if values["orientation"][slot] == 0.0:  # new; a copied or restored body has it
            values["orientation"][slot] = -1.0 if twice_area < 0.0 else 1.0
            values["gas_share"][slot] = 1.0
        values["area"][slot] = 0.5 * twice_area * values["orientation"][slot]


def check_outline(owner: str, outline: np.ndarray, *, closed: bool = True) -> None:
    """Raise ValueError unless the outline has at least three rows (two if open), all different."""
    least, kind = (SMALLEST_OUTLINE, "ring") if closed else (SMALLEST_CHAIN, "chain")
    count = len(outline)
    if count < least:
        raise FieldError(
            owner,
            "outline",
            count,
            f"a {kind} of {least} rows or more",
            in_words="1 row" if count == 1 else f"{count} rows",
        )
    rows = outline.tolist()
    if len(set(rows)) < len(rows):
        twice = next(row for row in rows if rows.count(row) > 1)
        raise FieldError(
            owner,
            "outline",
            twice,
            "every row once, a ring closes by itself",
            in_words=f"row {twice} twice",
        )
