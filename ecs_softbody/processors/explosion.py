"""Explosion: which buffers an explosion pushes. It happens when a game asks for it, so it has no place in the order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.components import Collider, Particles
from ecs_softbody.kernels.explosion import explode
from ecs_softbody.processors.outlines import Outlines
from ecs_softbody.storage import PackedBuffers

Flags = NDArray[np.bool_]


def throw_bodies(
    buffers: PackedBuffers,
    center: tuple[float, float],
    radius: float,
    speed: float,
    impulse: float,
    speed_limit: float,
    wanted: Flags,
    open_to: Flags,
) -> Flags:
    """Push the bodies `wanted`, by slot of Collider, at the particles `open_to` (N,); return which particles moved."""
    rows, values = buffers[Particles].rows, buffers[Collider].values
    outlines = Outlines(buffers)
    outlines.follow()
    moved = np.zeros(rows.count, np.bool_)
    explode(
        *center, radius, speed, impulse, rows["position"], rows["inverse_mass"], 2.0 * rows["radius"],
        outlines.points, outlines.first, outlines.last, outlines.ringed, values["closed"], values["skin"],
        values["particle_first"], values["particle_last"], wanted, open_to, speed_limit, rows["velocity"], moved,
    )  # fmt: skip
    return moved
