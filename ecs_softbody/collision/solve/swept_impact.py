"""Swept impact: what walls push with, besides contacts, when a body is crushed against them (see impact.py).

A substep carries springs that stop a light body too late: its particles come through the wall and the sweep brings them
back (ccd.py). That is a push as well. While an impact goes on, the body as a whole keeps no more of the speed Δv that
the sweep gave it than restitution allows along Δv.
"""

import numpy as np

from ecs_softbody.collision.contacts.contact import ParticleArrays
from ecs_softbody.collision.solve.impact import RECOVERY
from ecs_softbody.collision.solve.landing import WALLS, Impacts
from ecs_softbody.collision.solve.rolling import find_rotation
from ecs_softbody.collision.solve.spin import Spins
from ecs_softbody.elementary.lengths import hypot
from ecs_softbody.parallel.compiling import entry, inline


@entry
def note_speeds(impacts: Impacts, spins: Spins, motion: ParticleArrays) -> None:
    """Note the velocities of bodies in an impact, ahead of the sweep."""
    for b in range(impacts.arrival.shape[0]):
        if impacts.arrival[b] > 0.0:
            find_rotation(
                spins.start[b], spins.stop[b], motion.position, motion.velocity, motion.inverse_mass, impacts.found
            )
            impacts.whole[b, 0], impacts.whole[b, 1] = impacts.found[6], impacts.found[7]


@entry
def restrain_swept(impacts: Impacts, spins: Spins, motion: ParticleArrays) -> None:
    """Take from what the sweep gave to bodies in an impact as much as leaves them too fast."""
    for b in range(impacts.arrival.shape[0]):
        if impacts.arrival[b] > 0.0 and impacts.partner[b] == WALLS and impacts.touching[b] <= WALLS:
            find_rotation(
                spins.start[b], spins.stop[b], motion.position, motion.velocity, motion.inverse_mass, impacts.found
            )
            slow_down(b, impacts, spins, motion.velocity)


@inline
def slow_down(b: int, impacts: Impacts, spins: Spins, velocity: np.ndarray) -> None:
    """Do so for one body."""
    whole, found = impacts.whole[b], impacts.found
    nx, ny = found[6] - whole[0], found[7] - whole[1]
    gain = hypot(nx, ny)
    if gain == 0.0:
        return
    nx, ny = nx / gain, ny / gain
    most = max(impacts.restitution[b], RECOVERY) * impacts.arrival[b]
    speed = (found[6] - impacts.wall[b, 0]) * nx + (found[7] - impacts.wall[b, 1]) * ny
    taken = min(max(speed - most, 0.0), gain)
    for p in range(spins.start[b], spins.stop[b]):
        velocity[p, 0] -= taken * nx
        velocity[p, 1] -= taken * ny
