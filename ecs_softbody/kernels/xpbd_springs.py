"""Springs of the solver XPBD: the pull that the end of the substep will ask for.

With n, l and C = l - L of the start of the substep, r = n·(u_b - u_a) from the velocities u = v + h w F that all forces
so far will give, and W = w_a + w_b, the pull T has to fulfil

    T = k (C + h r') + c r',     r' = r - h W (T' - T)    after a change from T to T'

    =>  T' = T + (k C + (k h + c) r - T) / (1 + (k h² + c h) W)

the implicit Euler step of one spring, finite for k = 0, c = 0 and any k (M. Macklin et al., "XPBD", 2016, in impulse
form: lambda = T h²). Neighbours are taken up one after another (Gauss-Seidel), straight into `force`. T starts from the
pull of the substep before, so that the sweeps go on where they stopped, and what is at rest is exact.

n does not turn within a substep: pull and counter-pull lie on the line through the ends, so angular momentum is kept to
rounding, whatever the order of the springs. What this leaves explicit, the turning of a loaded line, is stable while
|T| h² W <= share · l; beyond it a pull is cut.
"""

import math

import numpy as np

from ecs_softbody.kernels.compiling import lean
from ecs_softbody.kernels.spring_force import SHORTEST

TURNING_SHARE = 1.0
"""No spring moves its ends by more than this times its length in a substep."""
TURNING = 0.5
"""|T| h² W / l up to which the line of a spring in no loop may turn as it likes (xpbd_trees.py)."""
MEMORY = 0.5
"""Share of the last pull that a substep starts from. All of it would be better at rest, but tangled networks and hung
cloth then gain energy (0.9 as well; measured in docs/decisions/0009-xpbd.md)."""


@lean
def begin_springs(
    active: np.ndarray,
    position: np.ndarray,
    inverse_mass: np.ndarray,
    pairs: np.ndarray,
    rest_length: np.ndarray,
    stiffness: np.ndarray,
    damping: np.ndarray,
    in_forest: np.ndarray,
    dt: float,
    line: np.ndarray,
    pull: np.ndarray,
    tension: np.ndarray,
    force: np.ndarray,
) -> None:
    """Write `line` (M, 5) of the springs in the spans `active`: n, k C, 1/(1 + (k h² + c h) W), largest pull.

    Start from the `tension` of the last substep, and add it to `force`.
    """
    for span in range(active.shape[0]):
        for s in range(active[span, 0], active[span, 1]):
            a, b = pairs[s, 0], pairs[s, 1]
            dx, dy = position[b, 0] - position[a, 0], position[b, 1] - position[a, 1]
            length = math.sqrt(dx * dx + dy * dy)
            weight = inverse_mass[a] + inverse_mass[b]
            if not (length > SHORTEST and weight > 0.0):
                line[s, 0] = line[s, 1] = line[s, 2] = line[s, 3] = line[s, 4] = tension[s] = 0.0
                pull[s] = 0.0
                continue
            line[s, 0], line[s, 1] = dx / length, dy / length
            line[s, 2] = stiffness[s] * (length - rest_length[s])
            line[s, 3] = 1.0 / (1.0 + (stiffness[s] * dt * dt + damping[s] * dt) * weight)
            line[s, 4] = TURNING_SHARE * length / (dt * dt * weight)
            if in_forest[s]:
                free = TURNING * length / (dt * dt * weight)
                pull[s, 0] = pull[s, 1] = 0.0
                pull[s, 2] = dt * (tension[s] - free) / length if tension[s] > free else 0.0
                continue
            start = MEMORY * tension[s] if math.isfinite(tension[s]) else 0.0
            tension[s] = start = min(max(start, -line[s, 4]), line[s, 4])
            force[a, 0] += start * line[s, 0]
            force[a, 1] += start * line[s, 1]
            force[b, 0] -= start * line[s, 0]
            force[b, 1] -= start * line[s, 1]


@lean
def sweep_springs(
    active: np.ndarray,
    backwards: bool,
    velocity: np.ndarray,
    inverse_mass: np.ndarray,
    pairs: np.ndarray,
    stiffness: np.ndarray,
    damping: np.ndarray,
    in_forest: np.ndarray,
    line: np.ndarray,
    dt: float,
    tension: np.ndarray,
    force: np.ndarray,
) -> None:
    """Solve the springs in the spans `active` one after another, from the first or from the last."""
    spans = active.shape[0]
    for turn in range(spans):
        span = spans - 1 - turn if backwards else turn
        first, last = active[span, 0], active[span, 1]
        for step in range(last - first):
            s = last - 1 - step if backwards else first + step
            if in_forest[s]:
                continue
            a, b = pairs[s, 0], pairs[s, 1]
            nx, ny = line[s, 0], line[s, 1]
            wa, wb = dt * inverse_mass[a], dt * inverse_mass[b]
            ux = velocity[b, 0] + wb * force[b, 0] - velocity[a, 0] - wa * force[a, 0]
            uy = velocity[b, 1] + wb * force[b, 1] - velocity[a, 1] - wa * force[a, 1]
            rate = ux * nx + uy * ny
            pull = tension[s] + (line[s, 2] + (stiffness[s] * dt + damping[s]) * rate - tension[s]) * line[s, 3]
            pull = min(max(pull, -line[s, 4]), line[s, 4])
            more = pull - tension[s]
            tension[s] = pull
            force[a, 0] += more * nx
            force[a, 1] += more * ny
            force[b, 0] -= more * nx
            force[b, 1] -= more * ny
