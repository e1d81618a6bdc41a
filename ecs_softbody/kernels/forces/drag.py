"""Drag: the linear and quadratic drag of a body in a still fluid, F = -c v' with c = a + b u, on
each of its particles. v' is the velocity at the end of the substep h, so the force is implicit.

It is a resistance, as wind and water are, and acts in one sum with them (resistance.py in
kernels/fluids): v' = s (v + h F_sum/m) with s = 1 / (1 + h c/m). For any coefficients s stays in
(0, 1], so drag takes nothing of the stability bound.

The speed u is the larger one of |v| before the substep and the solution v' of v' = v + h F_sum/m -
h (a + b v') v'/m (backward Euler). So pure quadratic drag follows v = v0 / (1 + b v0 t / m)
exactly, the terminal speed has the textbook value with any substep, and slower particles never
exceed it.
"""

import math
from typing import NamedTuple

from ecs_softbody.arrays import Floats1, Integers1, Uint32s1
from ecs_softbody.kernels.fluids.resistance import Resistance, resist_all_round
from ecs_softbody.kernels.groups import Motion
from ecs_softbody.parallel.compiling import entry, inline


class Drags(NamedTuple):
    """Values of the bodies with drag, (B,) each; body b has the particles [particle_first[b],
    particle_last[b]).
    """

    particle_first: Uint32s1
    particle_last: Uint32s1
    linear: Floats1  # a [N·s/m]
    quadratic: Floats1  # b [N·s²/m²]


@entry
def accumulate_drag(
    active: Integers1, drags: Drags, motion: Motion, resistance: Resistance, dt: float
) -> None:
    """Add the drag of the bodies in `active` to `resistance`. Air and water add to it, too, and it
    is applied later. `motion.force` has to contain all forces before.
    """
    velocity = motion.velocity
    inverse_mass = motion.inverse_mass
    force = motion.force
    linear = drags.linear
    quadratic = drags.quadratic
    for b in active:
        if linear[b] == 0.0 and quadratic[b] == 0.0:
            continue
        for p in range(drags.particle_first[b], drags.particle_last[b]):
            vx = velocity[p, 0] + dt * inverse_mass[p] * force[p, 0]
            vy = velocity[p, 1] + dt * inverse_mass[p] * force[p, 1]
            before = math.sqrt(velocity[p, 0] * velocity[p, 0] + velocity[p, 1] * velocity[p, 1])
            share = dt * inverse_mass[p]
            after = speed_after(
                math.sqrt(vx * vx + vy * vy), share * linear[b], share * quadratic[b]
            )
            resist_all_round(
                p, linear[b] + quadratic[b] * max(before, after), (0.0, 0.0), resistance
            )


@inline
def speed_after(speed: float, linear: float, quadratic: float) -> float:
    """Return the speed x [m/s] that solves x + linear x + quadratic x² = speed: backward Euler with
    linear = h a/m and quadratic = h b/m [s/m].
    """
    if speed == 0.0:
        return 0.0
    rest = 1.0 + linear
    return 2.0 * speed / (rest + math.sqrt(rest * rest + 4.0 * quadratic * speed))
