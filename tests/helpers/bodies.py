"""Bodies that many tests are made of."""

from __future__ import annotations

import math
from typing import Any

from ecs_softbody import Collider, Particles, StaticCollider


def disc(x: float, y: float, *, radius: float = 0.25, **options: Any) -> tuple[Particles, Collider]:
    """Return a particle that collides as a disc; friction and restitution go to its collider."""
    surface = {name: options.pop(name) for name in ("friction", "restitution") if name in options}
    return Particles([(x, y)], radius=radius, **options), Collider(**surface)


def ground(degrees: float = 0.0, **options: Any) -> StaticCollider:
    """Return 400 m of ground through the origin, uphill to the right by some degrees."""
    x, y = 200.0 * math.cos(math.radians(degrees)), 200.0 * math.sin(math.radians(degrees))
    return StaticCollider([(-x, -y), (x, y)], **options)
