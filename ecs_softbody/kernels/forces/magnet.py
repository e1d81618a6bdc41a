"""Magnets: the forces between all poles. Two poles of strengths p and q, in the distance d, repel
each other (attract, if p q < 0) along the line between them by

    F = p q d / (d² + l²)^(3/2) · (1 - d²/reach²)²

Where they meet, this acts like a spring of stiffness p q / l³. A substep of length h carries n such
springs between the inverse masses w and v if n |p q| h² (w + v) / l³ <= CORE_SHARE. So the core l
is the least distance that a game sets, or more where that bound requires it; n is the number of
poles of the larger magnet.
"""

import math
from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Flags1, Floats1, Floats2, Integers1
from ecs_softbody.elementary.exponential import power_of
from ecs_softbody.kernels.groups import Motion
from ecs_softbody.parallel.compiling import entry, inline

CORE_SHARE = 0.1
"""Part of the stability bound 4 that magnets take, as the pull of points does: springs use 3.8 of
it at most (motion/saturation.py).
"""


class Poles(NamedTuple):
    """All poles, K of them. A magnet has one pole at each of its particles, or a single pole at a
    fixed position.
    """

    # (K,): row of the particle, -1 for a pole at the position of its magnet
    particle: Integers1
    # (K,): number (slot) of its body, -1 without; poles of one body do not act on each other
    body: Integers1
    # (K,): slot of the magnet
    magnet: Integers1
    # (K,): factor on the magnet's strength
    polarity: Floats1
    # (K,): number of poles of the magnet
    company: Integers1


class MagnetLaw(NamedTuple):
    """Values of all magnets, M slots."""

    position: Floats2  # (M, 2) [m], of a pole that is no particle
    strength: Floats1  # (M,) of each pole [√N·m]
    reach: Floats1  # (M,) [m]: beyond it there is no force
    least_distance: Floats1  # (M,) least core l [m]


@inline
def position_of(poles: Poles, k: int, law: MagnetLaw, position: np.ndarray) -> tuple[float, float]:
    """Return x and y of pole k [m], given the positions of all particles (N, 2)."""
    p = poles.particle[k]
    m = poles.magnet[k]
    if p < 0:
        return law.position[m, 0], law.position[m, 1]
    return position[p, 0], position[p, 1]


@inline
def inverse_mass_of(particle: int, inverse_mass: np.ndarray) -> float:
    """Return the inverse mass of a pole [1/kg]; 0 for a pole that is no particle (-1): nothing
    moves it.
    """
    return inverse_mass[particle] if particle >= 0 else 0.0


@inline
def add_force(force: np.ndarray, particle: int, x: float, y: float) -> None:
    """Add (x, y) [N] to the force on a particle; -1: there is none."""
    if particle >= 0:
        force[particle, 0] += x
        force[particle, 1] += y


@entry
def accumulate_magnet_force(
    poles: Poles, acts: Flags1, law: MagnetLaw, motion: Motion, dt: float
) -> None:
    """Add the forces between all poles of the magnets that act (M,) to `motion.force`.

    Newton's third law is exact: both forces of a pair are the same number, added to one pole and
    taken from the other.
    """
    inverse_mass = motion.inverse_mass
    for k in range(poles.particle.shape[0]):
        i = poles.particle[k]
        a = poles.magnet[k]
        if not acts[a]:
            continue
        x, y = position_of(poles, k, law, motion.position)
        for other in range(k):
            j = poles.particle[other]
            b = poles.magnet[other]
            mobility = inverse_mass_of(i, inverse_mass) + inverse_mass_of(j, inverse_mass)
            if not acts[b] or poles.body[k] == poles.body[other] or mobility == 0.0:
                continue
            other_x, other_y = position_of(poles, other, law, motion.position)
            dx = x - other_x
            dy = y - other_y
            squared = dx * dx + dy * dy
            reach = min(law.reach[a], law.reach[b])
            if not squared < reach * reach:
                continue
            product = law.strength[a] * poles.polarity[k] * law.strength[b] * poles.polarity[other]
            crowd = max(poles.company[k], poles.company[other])
            carried = power_of(crowd * abs(product) * dt * dt * mobility / CORE_SHARE, 1.0 / 3.0)
            core = max(law.least_distance[a], law.least_distance[b], carried)
            softened = squared + core * core
            fade = 1.0 - squared / (reach * reach)
            factor = product * fade * fade / (softened * math.sqrt(softened))
            add_force(motion.force, i, factor * dx, factor * dy)
            add_force(motion.force, j, -(factor * dx), -(factor * dy))
