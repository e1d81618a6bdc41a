"""Explosion: pushes bodies away from a point, on request of a game (`sim.explode`), so it is no
stage. The formula is in kernels/forces/explosion.py.
"""

from __future__ import annotations

import numpy as np

from ecs_softbody.arrays import Flags
from ecs_softbody.components import Collider, Particles
from ecs_softbody.geometry.outlines import BodyOutlines
from ecs_softbody.kernels.forces.explosion import Blast, Blown, BlownBodies, explode
from ecs_softbody.storage import PackedBuffers


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
    """Push bodies away from a point; return which particles (N,) moved.

    center, radius: where the explosion is and how far it reaches [m]. speed: of a particle at the
    center [m/s]; impulse: at the center, on each metre of outline that faces it; either may be 0.
    speed_limit: no particle gets faster [m/s]. wanted: bodies to push, by slot of Collider. open_to
    (N,): particles that no wall shields.
    """
    rows = buffers[Particles].rows
    values = buffers[Collider].values
    outlines = BodyOutlines(buffers[Collider], buffers[Particles]).now()
    moved = np.zeros(rows.count, np.bool_)
    particles = Blown(
        rows["position"],
        rows["velocity"],
        rows["inverse_mass"],
        2.0 * rows["radius"],
        open_to,
        moved,
    )
    bodies = BlownBodies(wanted, values["skin"], values["particle_first"], values["particle_last"])
    explode(Blast(*center, radius, speed, impulse, speed_limit), particles, outlines, bodies)
    return moved
