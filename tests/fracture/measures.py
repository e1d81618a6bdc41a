"""What the tests of pieces measure: mass, rest area, momenta,
and whether anything is inside out.
"""

from __future__ import annotations

from dataclasses import dataclass

import esper
import numpy as np
import pytest

from ecs_softbody import Collider, Particles, blueprints
from ecs_softbody.geometry.polygon import is_self_intersecting, signed_area

L_SHAPE = [(-1, -0.5), (1, -0.5), (1, 0), (0, 0), (0, 1), (-1, 1)]
COMB = [
    (-1.5, 0),
    (1.5, 0),
    (1.5, 1.5),
    (1, 1.5),
    (1, 0.5),
    (0.25, 0.5),
    (0.25, 1.5),
    (-0.25, 1.5),
    (-0.25, 0.5),
    (-1, 0.5),
    (-1, 1.5),
    (-1.5, 1.5),
]
BODIES = {
    "box": lambda: blueprints.box((0, 0), 1.0),
    "fine box": lambda: blueprints.box((0, 0), (1.6, 1.2), rows=8, columns=9, angle=0.2),
    "blob": lambda: blueprints.blob((0, 0), 0.5),
    "large blob": lambda: blueprints.blob((0, 0), 1.0, particles=40),
    "polygon": lambda: blueprints.polygon(L_SHAPE),
    "wheel": lambda: blueprints.wheel((0, 0), 0.6),
    "comb": lambda: blueprints.polygon(COMB, spacing=0.15),
}
NETS = {
    "rope": lambda: blueprints.rope((-1, 0), (1, 0)),
    "rod": lambda: blueprints.rod((-1, 0), (1, 0)),
    "cloth": lambda: blueprints.cloth((0, 0), 2.0),
}


@dataclass
class Measure:
    mass: float = 0.0
    rest_area: float = 0.0
    momentum: np.ndarray | float = 0.0
    angular_momentum: float = 0.0
    first_moment: np.ndarray | float = 0.0
    spoiled: int = 0
    """Rings that are inside out or cross themselves."""


def measure(entities):
    """Return the sums over some bodies of the current world."""
    total = Measure()
    for entity in entities:
        body = esper.component_for_entity(entity, Particles)
        collider = esper.try_component(entity, Collider)
        x, y = body.position.T
        u, v = body.velocity.T
        total.mass += body.mass.sum()
        total.momentum = total.momentum + body.mass @ body.velocity
        total.first_moment = total.first_moment + body.mass @ body.position
        total.angular_momentum += body.mass @ (x * v - y * u)
        if collider is not None and len(collider.outline) and collider.closed:
            rest = body.rest_offset[collider.outline]
            ring = body.position[collider.outline]
            total.rest_area += abs(signed_area(rest))
            total.spoiled += bool(
                signed_area(ring) * signed_area(rest) <= 0.0 or is_self_intersecting(ring)
            )
    return total


def same(before, after):
    """Assert that nothing was lost."""
    assert after.mass == pytest.approx(before.mass, rel=1e-12)
    assert after.rest_area == pytest.approx(before.rest_area, abs=1e-9)
    assert np.abs(after.momentum - before.momentum).max() < 1e-12
    assert abs(after.angular_momentum - before.angular_momentum) < 1e-12
    assert np.abs(after.first_moment - before.first_moment).max() < 1e-12


def particles(entity):
    return esper.component_for_entity(entity, Particles)


def top_speed(entities):
    return max(float(np.hypot(*particles(entity).velocity.T).max()) for entity in entities)
