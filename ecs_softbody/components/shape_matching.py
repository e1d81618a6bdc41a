"""ShapeMatching: pulls a whole body back to the shape that it had when first packed."""

from __future__ import annotations

import numpy as np

from ecs_softbody.storage import Component, Store, Value


class ShapeMatching(Component):
    """Springs from every particle to its place in the rest shape, moved and turned to fit the body best.

    What makes a soft body stiff without many springs: boxes that stack, concave shapes that keep their form. The
    rest shape is the one when this component is first packed.

    Args:
        stiffness: [N/m] for a particle of the body's mean mass, in proportion to mass for the others.
        damping: of the motion that is not that of a rigid body [N·s/m], in the same proportion.

    Raises:
        ValueError: naming the field, the value and what is allowed.
    """

    __slots__ = ()

    stiffness = Value(dtype=np.float64, unit="N/m", minimum=0.0, doc="force per metre away from the rest shape")
    damping = Value(dtype=np.float64, unit="N·s/m", minimum=0.0, doc="force per m/s of deforming")

    def __init__(self, *, stiffness: float, damping: float = 0.0) -> None:
        self._fill(None, stiffness=stiffness, damping=damping)

    def complete(self, particles: Store) -> None:
        """Keep the present shape, around its centre of mass."""
        first, last = (int(self.value_arrays[name][self.slot]) for name in ("particle_first", "particle_last"))
        if particles["rest_offset"][first:last].any():
            return
        place, mass = particles["position"][first:last], particles["mass"][first:last]
        weight = np.where(np.isfinite(mass), mass, 0.0)
        weight = weight if weight.any() else np.ones(len(mass))
        particles["rest_offset"][first:last] = place - np.average(place, axis=0, weights=weight)
