"""Springs of the solver XPBD: the tension at the end of the substep h, stable for any stiffness.

With the direction n from end a to end b, the length l and the stretch C = l - L at the start of the
substep, the rate r = n·(u_b - u_a) from the velocities u = v + h w F that all forces so far will
give, and W = w_a + w_b, the tension (> 0 pulls) changes from T to T', and the rate to r', with

    T' = k (C + h r') + c r',     r' = r - h W (T' - T)

    =>  T' = T + (k C + (k h + c) r - T) / (1 + (k h² + c h) W)

the implicit Euler step of one spring, finite for k = 0, c = 0 and any k (M. Macklin et al., "XPBD",
2016, in impulse form: lambda = T h²). Springs are solved one after another (Gauss-Seidel), straight
into `force`. T starts from a share MEMORY of the tension of the last substep (warm start).

n does not turn within a substep: both forces lie on the line through the ends, so angular momentum
is kept to rounding in any order of the springs. The turning of a loaded line stays explicit; it is
stable while |T| h² W <= TURNING_SHARE · l, and beyond that the tension is cut.
"""

import math
from typing import Annotated, NamedTuple

import numpy as np

from ecs_softbody.arrays import Flags1, Floats1, Floats2, Integers2, Layout, Uint32s2
from ecs_softbody.kernels.forces.springs import SHORTEST
from ecs_softbody.kernels.groups import Motion
from ecs_softbody.parallel.compiling import entry

TURNING_SHARE = 1.0
"""Largest |T| h² W / l: no spring moves its ends by more than this times its length in a
substep.
"""
TURNING = 0.5
"""|T| h² W / l up to which the line of a spring in no loop may turn as it likes (trees.py). Beyond,
its load is implicit across the line, too: else a rope that swings with 10 kg gains energy.
"""
MEMORY = 0.5
"""Share of the last tension that a substep starts from. With 1, or 0.9, tangled networks and hung
cloth gain energy (measured in docs/decisions/0009-xpbd.md).
"""

LINE = np.dtype(
    [
        ("normal_x", np.float64),  # n, unit vector from the first end to the second
        ("normal_y", np.float64),
        ("pull", np.float64),  # [N] k C
        ("share", np.float64),  # 1/(1 + (k h² + c h) W)
        ("most", np.float64),  # [N] the largest tension
    ]
)
"""The line of a spring in a substep, a record computed once and used by all sweeps."""
Lines = Annotated[np.ndarray, Layout(LINE, 1)]


class ImplicitSprings(NamedTuple):
    """Inputs and outputs of the solver, for all springs, M rows."""

    packed_pairs: Uint32s2  # (M, 2): rows of both ends
    rest_length: Floats1  # (M,) [m]
    effective_stiffness: Floats1  # (M,) [N/m]
    effective_damping: Floats1  # (M,) [N·s/m]
    tension: Floats1  # (M,) T [N], kept from one substep to the next


@entry
def begin_springs(
    active: Integers2,
    springs: ImplicitSprings,
    motion: Motion,
    in_forest: Flags1,
    dt: float,
    line: Lines,
    link_force: Floats2,
) -> None:
    """Begin a substep: write `line` (M,) of the springs in the spans `active` (S, 2) of awake rows,
    and add the tension that they start with to the force.

    in_forest (M,): springs that are in no loop. They add no force here; link_force (M, 3) gets (0,
    0, their resistance against being turned [N·s/m]), see trees.py.
    """
    position = motion.position
    inverse_mass = motion.inverse_mass
    force = motion.force
    pairs = springs.packed_pairs
    stiffness = springs.effective_stiffness
    damping = springs.effective_damping
    rest_length = springs.rest_length
    tension = springs.tension
    for span in range(active.shape[0]):
        for s in range(active[span, 0], active[span, 1]):
            a = pairs[s, 0]
            b = pairs[s, 1]
            dx = position[b, 0] - position[a, 0]
            dy = position[b, 1] - position[a, 1]
            length = math.sqrt(dx * dx + dy * dy)
            mobility = inverse_mass[a] + inverse_mass[b]
            if not (length > SHORTEST and mobility > 0.0):
                line[s]["normal_x"] = 0.0
                line[s]["normal_y"] = 0.0
                line[s]["pull"] = 0.0
                line[s]["share"] = 0.0
                line[s]["most"] = 0.0
                tension[s] = 0.0
                link_force[s] = 0.0
                continue
            line[s]["normal_x"] = dx / length
            line[s]["normal_y"] = dy / length
            line[s]["pull"] = stiffness[s] * (length - rest_length[s])
            line[s]["share"] = 1.0 / (1.0 + (stiffness[s] * dt * dt + damping[s] * dt) * mobility)
            line[s]["most"] = TURNING_SHARE * length / (dt * dt * mobility)
            if in_forest[s]:
                free = TURNING * length / (dt * dt * mobility)
                link_force[s, 0] = link_force[s, 1] = 0.0
                link_force[s, 2] = dt * (tension[s] - free) / length if tension[s] > free else 0.0
                continue
            start = MEMORY * tension[s] if math.isfinite(tension[s]) else 0.0
            tension[s] = start = min(max(start, -line[s]["most"]), line[s]["most"])
            force[a, 0] += start * line[s]["normal_x"]
            force[a, 1] += start * line[s]["normal_y"]
            force[b, 0] -= start * line[s]["normal_x"]
            force[b, 1] -= start * line[s]["normal_y"]


@entry
def sweep_springs(
    active: Integers2,
    backwards: bool,
    springs: ImplicitSprings,
    motion: Motion,
    in_forest: Flags1,
    line: Lines,
    dt: float,
) -> None:
    """Solve the springs in the spans `active` (S, 2) of awake rows that are not in the forest one
    after another: change their tensions to T', and `force` with them. A sweep forwards is followed
    by one `backwards`, so that neither end of a chain is preferred.
    """
    velocity = motion.velocity
    inverse_mass = motion.inverse_mass
    force = motion.force
    pairs = springs.packed_pairs
    stiffness = springs.effective_stiffness
    damping = springs.effective_damping
    tension = springs.tension
    spans = active.shape[0]
    for k in range(spans):
        span = spans - 1 - k if backwards else k
        first = active[span, 0]
        last = active[span, 1]
        for step in range(last - first):
            s = last - 1 - step if backwards else first + step
            if in_forest[s]:
                continue
            a = pairs[s, 0]
            b = pairs[s, 1]
            nx = line[s]["normal_x"]
            ny = line[s]["normal_y"]
            wa = dt * inverse_mass[a]
            wb = dt * inverse_mass[b]
            ux = velocity[b, 0] + wb * force[b, 0] - velocity[a, 0] - wa * force[a, 0]
            uy = velocity[b, 1] + wb * force[b, 1] - velocity[a, 1] - wa * force[a, 1]
            rate = ux * nx + uy * ny
            missing = line[s]["pull"] + (stiffness[s] * dt + damping[s]) * rate - tension[s]
            asked = tension[s] + missing * line[s]["share"]
            asked = min(max(asked, -line[s]["most"]), line[s]["most"])
            more = asked - tension[s]
            tension[s] = asked
            force[a, 0] += more * nx
            force[a, 1] += more * ny
            force[b, 0] -= more * nx
            force[b, 1] -= more * ny
