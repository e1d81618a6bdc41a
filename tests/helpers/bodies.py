"""Bodies that many tests are made of."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ecs_softbody import Collider, Particles, Springs, StaticCollider


def disc(x: float, y: float, *, radius: float = 0.25, **options: Any) -> tuple[Particles, Collider]:
    """Return a particle that collides as a disc; friction and restitution go to its collider."""
    surface = {name: options.pop(name) for name in ("friction", "restitution") if name in options}
    return Particles([(x, y)], radius=radius, **options), Collider(**surface)


def ground(degrees: float = 0.0, **options: Any) -> StaticCollider:
    """Return 400 m of ground through the origin, uphill to the right by some degrees."""
    x = 200.0 * math.cos(math.radians(degrees))
    y = 200.0 * math.sin(math.radians(degrees))
    return StaticCollider([(-x, -y), (x, y)], **options)


def ring_of(
    count: int,
    radius: float,
    *,
    centre: tuple[float, float] = (0.0, 0.0),
    thickness: float = 0.0,
    **skin: Any,
) -> tuple[Particles, Springs]:
    """Return a circle of particles of 1 kg together, and the springs of its skin, which get all
    other options.
    """
    angle = 2.0 * np.pi * np.arange(count) / count
    place = radius * np.column_stack([np.cos(angle), np.sin(angle)]) + centre
    rows = np.arange(count)
    springs = Springs(np.column_stack([rows, np.roll(rows, -1)]), **skin)
    return Particles(place, mass=1.0 / count, radius=thickness), springs
