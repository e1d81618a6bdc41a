"""Dampers at the bends of a taut chain: rows of the kind BEND, which keep ropes with light
particles and heavy loads stable.

A particle of mass m between two limits of length l swings across them with ω² h² up to 4 K, K = h²
T / (m l) with the tension T. Directions are taken at the start of a substep, so K > 1 would be
unstable. A damper on how fast the two limits turn against each other, solved implicitly, holds the
waves that are too short and fast for the substep. With the particles a, p, c along the chain and
the directions n_1 from a to p, n_2 from p to c:

    s = m̂ · (v_a/l_1 - v_p (1/l_1 + 1/l_2) + v_c/l_2)
    m̂ = perp(n_1 + n_2)/|..|,   λ = -s / softness

s is the speed of the bend [rad/s]. A damper of the constant c gives λ = -h c s, so softness is
1/(h c). The forces have no sum; since n_2 - n_1 is parallel to m̂ they have no torque either. With
the factors s_p of the three velocities in s, the ratio of damping at the shortest wave is D = h c
Σ w s_p² · 16/6 (SHORTEST_WAVE). All waves are stable where D > K²/2. Long waves hardly feel the
damper: its effect goes with the fourth power of their wave number.
"""

import math

import numpy as np

from ecs_softbody.arrays import Integers1, Integers2
from ecs_softbody.elementary.lengths import hypot
from ecs_softbody.kernels.joints.arrays import JointMotion, Rows
from ecs_softbody.kernels.joints.newton import mobility_of
from ecs_softbody.kernels.joints.rows import BEND, SHORTEST
from ecs_softbody.parallel.compiling import entry, kernel

CALM, TENSE = 0.6, 0.9
"""Up to the first K there is no damper, from the second one on it has its full strength."""
SHARE = 0.6
"""D / K²: a little more than the 1/2 that stability needs."""
SHORTEST_WAVE = 16.0 / 6.0
"""Damping of the shortest wave over the damping of one bend alone, in an even chain. One damper has
the factors (1, -2, 1)/l and the response 6 w/l². In the shortest wave neighbours swing against each
other, three dampers act on each particle, and the response is 4² w/l².
"""
SHARPEST = 0.2
"""Limits that would turn further than this against each other in a substep [rad] are braked to it.
"""
BRAKE, HARDER = 0.1, 4.0
"""`brake_bends` gives a bend without a damper a ratio of damping (mobility / softness) of BRAKE,
and one with a damper HARDER times as much as before.
"""
BRAKED = 2
"""`side` of a row that always takes part, as BOTH in sides.py."""
FOLDED = 1e-3
"""|n_1 + n_2| below which the chain folds back on itself, and has no direction m̂ across."""


@entry
def prepare_bends(
    bend: Integers1, chain: Integers2, rows: Rows, motion: JointMotion, dt: float
) -> None:
    """Write direction m̂, coefficients s_p and softness of the BEND rows `bend` (B,), each between
    the two limits `chain` (B, 2), at the start of a substep. A row without a damper is not alive.

    The tension of a limit is -impulse/h of the last substep: an impulse < 0 pulls. The three terms
    of a bend are (end of the first limit, common particle, end of the second).
    """
    term_first = rows.term_first
    particle = rows.particle
    coefficient = rows.coefficient
    impulse = rows.impulse
    alive = rows.alive
    offset = rows.offset
    direction = rows.direction
    softness = rows.softness
    position = motion.position
    inverse_mass = motion.inverse_mass
    predicted = motion.predicted
    for i in range(len(bend)):
        r = bend[i]
        one = chain[i, 0]
        two = chain[i, 1]
        t = term_first[r]
        usable = alive[one] and alive[two] and impulse[one] < 0.0 and impulse[two] < 0.0
        alive[r] = False
        if not usable:
            continue
        a = particle[t]
        p = particle[t + 1]
        c = particle[t + 2]
        ax = position[p, 0] - position[a, 0]
        ay = position[p, 1] - position[a, 1]
        cx = position[c, 0] - position[p, 0]
        cy = position[c, 1] - position[p, 1]
        first = hypot(ax, ay)
        second = hypot(cx, cy)
        if first < SHORTEST or second < SHORTEST:
            continue
        k = -0.5 * dt * inverse_mass[p] * (impulse[one] / first + impulse[two] / second)
        mx = -(ay / first + cy / second)
        my = ax / first + cx / second
        length = hypot(mx, my)
        if length < FOLDED:
            continue
        coefficient[t] = 1.0 / first
        coefficient[t + 1] = -1.0 / first - 1.0 / second
        coefficient[t + 2] = 1.0 / second
        mobility = 0.0
        speed = 0.0
        for term in range(t, t + 3):
            q = particle[term]
            mobility += coefficient[term] * coefficient[term] * inverse_mass[q]
            speed += coefficient[term] * (mx * predicted[q, 0] + my * predicted[q, 1]) / length
        damping = SHARE * k * k * min(1.0, (k - CALM) / (TENSE - CALM)) if k > CALM else 0.0
        # The ratio d = mobility / softness leaves the speed s / (1 + d) [rad/s]: SHARPEST at most.
        damping = max(damping / SHORTEST_WAVE, dt * abs(speed) / SHARPEST - 1.0)
        if not damping < math.inf:
            continue
        direction[r, 0] = mx / length
        direction[r, 1] = my / length
        offset[r, 0] = 0.0
        offset[r, 1] = 0.0
        alive[r] = damping > 0.0
        softness[r] = mobility / damping if alive[r] else 0.0


@kernel
def brake_bends(begin: int, end: int, rows: Rows, inverse_mass: np.ndarray) -> bool:
    """Damp all bends of a group, or damp them more. `solve_group` calls it when its rows did not
    hold or added energy. Return whether the group has any bend.
    """
    found = False
    for r in range(begin, end):
        if rows.kind[r] == BEND and (rows.direction[r, 0] != 0.0 or rows.direction[r, 1] != 0.0):
            if rows.side[r] == 0:
                rows.softness[r] = mobility_of(r, rows, inverse_mass) / BRAKE
            else:
                rows.softness[r] /= HARDER
            rows.side[r] = BRAKED
            found = True
    return found
