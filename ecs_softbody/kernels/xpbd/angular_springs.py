"""Angular springs of the solver XPBD: the torque M at the end of the substep h, for any stiffness.
An angular spring holds the angle at the pivot j between its arms to i and k.

With the gradients g of the angle at the start of the substep (forces/angular_springs.py), its rate
r = Σ g·u from the velocities u that all forces so far will give, W = Σ w |g|² and κ = K L1 L2 (K:
stiffness, L1, L2: arms at rest), the torque changes from M to M' with

    M' = -κ (sin(angle - rest) + h r') - c r',     r' = r + h W (M' - M)

    =>  M' = M - (κ sin(angle - rest) + (κ h + c) r + M) / (1 + (κ h² + c h) W)

As for springs (springs.py), M starts from MEMORY of the last substep, and springs are solved one
after another, straight into `force`. The gradients do not turn within a substep, so the three
forces have neither a sum nor a torque. A torque is cut where it would turn the arms by more than a
radian, and κ where κ h² W is above `STIFFEST` with the arms at rest.
"""

import math
from typing import Annotated, NamedTuple

import numpy as np

from ecs_softbody.arrays import Floats1, Floats2, Integers2, Layout, Uint32s2
from ecs_softbody.kernels.forces.angular_springs import SHORTEST
from ecs_softbody.kernels.forces.rest_directions import RestDirections, rest_direction
from ecs_softbody.kernels.groups import Motion
from ecs_softbody.kernels.xpbd.springs import MEMORY
from ecs_softbody.parallel.compiling import entry, kernel

TURNING_SHARE = 1.0
"""No angular spring turns its arms by more than this in a substep [rad]."""
STIFFEST = 4.0
"""Largest κ h² W with the arms at rest. A stiffer spring would throw out arms that have grown long
ever faster: turned by the same angle in a substep, long arms grow by more.
"""

BEND = np.dtype(
    [
        ("gradient_ix", np.float64),  # g_i [1/m]
        ("gradient_iy", np.float64),
        ("gradient_kx", np.float64),  # g_k [1/m]
        ("gradient_ky", np.float64),
        ("stiffness", np.float64),  # κ [N·m/rad]
        ("pull", np.float64),  # [N·m] κ sin(angle - rest)
        ("share", np.float64),  # 1/(1 + (κ h² + c h) W)
        ("most", np.float64),  # [N·m] the largest torque
    ]
)
"""An angular spring in a substep; all 0: it does nothing."""
Bends = Annotated[np.ndarray, Layout(BEND, 1)]


class ImplicitAngles(NamedTuple):
    """Inputs and outputs of the solver, for all angular springs, T rows."""

    packed_triples: Uint32s2  # (T, 3): rows (i, pivot j, k)
    rest_angle: Floats1  # (T,) [rad]
    arms: Floats2  # (T, 2): lengths of both arms at rest [m]
    stiffness: Floats1  # (T,) [N/m]
    damping: Floats1  # (T,) [N·m·s/rad]
    torque: Floats1  # (T,) [N·m], from one substep to the next


@entry
def begin_angular_springs(
    active: Integers2,
    springs: ImplicitAngles,
    motion: Motion,
    known: RestDirections,
    dt: float,
    bend: Bends,
) -> None:
    """Begin a substep: write `bend` (T,) of the angular springs in the spans `active` (S, 2) of
    awake rows, and add the forces of the torque that they start with. known: cached rest angles.
    """
    position = motion.position
    inverse_mass = motion.inverse_mass
    force = motion.force
    triples = springs.packed_triples
    rest_angle = springs.rest_angle
    arms = springs.arms
    stiffness = springs.stiffness
    damping = springs.damping
    torque = springs.torque
    for span in range(active.shape[0]):
        for t in range(active[span, 0], active[span, 1]):
            i = triples[t, 0]
            j = triples[t, 1]
            k = triples[t, 2]
            ax = position[i, 0] - position[j, 0]
            ay = position[i, 1] - position[j, 1]
            bx = position[k, 0] - position[j, 0]
            by = position[k, 1] - position[j, 1]
            a2 = ax * ax + ay * ay
            b2 = bx * bx + by * by
            forget(bend[t])
            if not (a2 > SHORTEST * SHORTEST and b2 > SHORTEST * SHORTEST):
                torque[t] = 0.0
                continue
            gix = ay / a2
            giy = -ax / a2
            gkx = -by / b2
            gky = bx / b2
            mobility = inverse_mass[i] / a2 + inverse_mass[k] / b2
            mobility += inverse_mass[j] * ((gix + gkx) ** 2 + (giy + gky) ** 2)
            product = math.sqrt(a2 * b2)
            sine = (ax * by - ay * bx) / product
            cosine = (ax * bx + ay * by) / product
            stiff = stiffness[t] * arms[t, 0] * arms[t, 1]
            at_rest = inverse_mass[i] / arms[t, 0] ** 2 + inverse_mass[k] / arms[t, 1] ** 2
            at_rest += inverse_mass[j] * (1.0 / arms[t, 0] + 1.0 / arms[t, 1]) ** 2
            if stiff * dt * dt * at_rest > STIFFEST:
                stiff = STIFFEST / (dt * dt * at_rest)
            bend[t]["gradient_ix"] = gix
            bend[t]["gradient_iy"] = giy
            bend[t]["gradient_kx"] = gkx
            bend[t]["gradient_ky"] = gky
            bend[t]["stiffness"] = stiff
            rest_cosine, rest_sine = rest_direction(known, t, rest_angle[t])
            bend[t]["pull"] = stiff * (rest_cosine * sine - rest_sine * cosine)
            bend[t]["share"] = 1.0 / (1.0 + (stiff * dt * dt + damping[t] * dt) * mobility)
            bend[t]["most"] = TURNING_SHARE / (dt * dt * mobility) if mobility > 0.0 else 0.0
            start = MEMORY * torque[t] if math.isfinite(torque[t]) else 0.0
            torque[t] = min(max(start, -bend[t]["most"]), bend[t]["most"])
            add_torque(force, i, j, k, bend[t], torque[t])


@kernel
def forget(bend: np.ndarray) -> None:
    """Reset the record of an angular spring to one that does nothing: an arm has no length."""
    bend["gradient_ix"] = 0.0
    bend["gradient_iy"] = 0.0
    bend["gradient_kx"] = 0.0
    bend["gradient_ky"] = 0.0
    bend["stiffness"] = 0.0
    bend["pull"] = 0.0
    bend["share"] = 0.0
    bend["most"] = 0.0


@kernel
def add_torque(force: np.ndarray, i: int, j: int, k: int, bend: np.ndarray, torque: float) -> None:
    """Add the three forces of a torque [N·m] to `force`: torque × gradient at i, j and k."""
    ix = torque * bend["gradient_ix"]
    iy = torque * bend["gradient_iy"]
    kx = torque * bend["gradient_kx"]
    ky = torque * bend["gradient_ky"]
    force[i, 0] += ix
    force[i, 1] += iy
    force[k, 0] += kx
    force[k, 1] += ky
    force[j, 0] -= ix + kx
    force[j, 1] -= iy + ky


@entry
def sweep_angular_springs(
    active: Integers2,
    backwards: bool,
    springs: ImplicitAngles,
    motion: Motion,
    dt: float,
    bend: Bends,
) -> None:
    """Solve the angular springs in the spans `active` (S, 2) of awake rows one after another:
    change their torques to M', and `force` with them. A sweep forwards is followed by one
    `backwards`, so that neither end of a chain is preferred.
    """
    velocity = motion.velocity
    inverse_mass = motion.inverse_mass
    force = motion.force
    triples = springs.packed_triples
    damping = springs.damping
    torque = springs.torque
    spans = active.shape[0]
    for n in range(spans):
        span = spans - 1 - n if backwards else n
        first = active[span, 0]
        last = active[span, 1]
        for step in range(last - first):
            t = last - 1 - step if backwards else first + step
            i = triples[t, 0]
            j = triples[t, 1]
            k = triples[t, 2]
            wi = dt * inverse_mass[i]
            wj = dt * inverse_mass[j]
            wk = dt * inverse_mass[k]
            jx = velocity[j, 0] + wj * force[j, 0]
            jy = velocity[j, 1] + wj * force[j, 1]
            bent = bend[t]
            rate = bent["gradient_ix"] * (velocity[i, 0] + wi * force[i, 0] - jx)
            rate += bent["gradient_iy"] * (velocity[i, 1] + wi * force[i, 1] - jy)
            rate += bent["gradient_kx"] * (velocity[k, 0] + wk * force[k, 0] - jx)
            rate += bent["gradient_ky"] * (velocity[k, 1] + wk * force[k, 1] - jy)
            missing = bent["pull"] + (bent["stiffness"] * dt + damping[t]) * rate + torque[t]
            asked = torque[t] - missing * bent["share"]
            asked = min(max(asked, -bent["most"]), bent["most"])
            add_torque(force, i, j, k, bent, asked - torque[t])
            torque[t] = asked
