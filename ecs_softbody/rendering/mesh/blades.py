"""Blades: kernels for grass that bodies bend, and for the lines that it is drawn as (tufts.py).

A blade stands at its foot, leans by an angle, is bent by bodies, and sways; it is drawn as two
strokes with a bend between them.
"""

from __future__ import annotations

from ecs_softbody.arrays import Floats1, Floats2, Floats3
from ecs_softbody.elementary.angles import cos_sin, sin
from ecs_softbody.parallel.compiling import entry, kernel

REACH = 0.4
"""How near a particle [m] bends a blade."""
LAID = 1.1
"""How far a body that stands beside a blade turns it [rad]."""
SWING = 14.0
"""Angular frequency of the free oscillation of a blade [rad/s]."""
DAMPING = 4.0
"""Damping of this oscillation [1/s]."""
BREEZE = 0.12
"""How far blades sway by themselves [rad]."""
FRAME = 1.0 / 60.0
"""Length of a step of the blades [s]."""
LOWER = 0.55
"""Share of a blade below its bend, and of its angle that this part turns by."""
UPPER = 0.45
"""Share of a blade above its bend; it turns by more than the lower part."""


@kernel
def first_beyond(feet: Floats2, x: float) -> int:
    """Return the first blade that does not stand left of a place [m]; feet (N, 2) go from left to
    right.
    """
    low = 0
    high = feet.shape[0]
    while low < high:
        middle = (low + high) // 2
        if feet[middle, 0] < x:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def ground_at(feet: Floats2, beyond: int, x: float) -> float:
    """Return the ground height at `x`, between blade `beyond` and the one before it [m], at the
    ends the height of the last blade.
    """
    if beyond == 0 or beyond == feet.shape[0]:
        return float(feet[0 if beyond == 0 else beyond - 1, 1])
    run = feet[beyond, 0] - feet[beyond - 1, 0]
    share = (x - feet[beyond - 1, 0]) / run if run > 0.0 else 1.0
    height = feet[beyond - 1, 1] + share * (feet[beyond, 1] - feet[beyond - 1, 1])
    return float(height)


@kernel
def find_nearest(feet: Floats2, position: Floats2, nearest: Floats1) -> None:
    """Write how far each blade stands right of the nearest particle at the ground [m], REACH where
    none is near.
    """
    count = feet.shape[0]
    for b in range(count):
        nearest[b] = REACH
    for p in range(position.shape[0]):
        x = position[p, 0]
        if count > 0 and x > feet[0, 0] - REACH and x < feet[count - 1, 0] + REACH:
            beyond = first_beyond(feet, x)
            if abs(position[p, 1] - ground_at(feet, beyond, x)) < REACH:
                b = beyond
                while b < count and feet[b, 0] - x < REACH:
                    if feet[b, 0] - x < abs(nearest[b]):
                        nearest[b] = feet[b, 0] - x
                    b += 1
                b = beyond - 1
                while b >= 0 and x - feet[b, 0] < REACH:
                    if x - feet[b, 0] < abs(nearest[b]):
                        nearest[b] = feet[b, 0] - x
                    b -= 1


@entry
def bend_blades(
    feet: Floats2, position: Floats2, frames: int, nearest: Floats1, speed: Floats1, bent: Floats1
) -> None:
    """Let blades at feet (N, 2) [m] go on by some frames: they bend away from particles (P, 2) [m]
    beside them.

    How far they are bent [rad] follows w = LAID (1 - |d| / REACH), d to the nearest particle, as a
    damped spring: v += h (SWING² (w - b) - DAMPING v), b += h v. `nearest` (N,) is room to work in,
    `speed` (N,) is v [rad/s].
    """
    find_nearest(feet, position, nearest)
    for b in range(feet.shape[0]):
        wanted = LAID * (1.0 - abs(nearest[b]) / REACH)
        if nearest[b] <= 0.0:
            wanted = -wanted if nearest[b] < 0.0 else 0.0
        for _ in range(frames):
            speed[b] += FRAME * (SWING * SWING * (wanted - bent[b]) - DAMPING * speed[b])
            bent[b] += FRAME * speed[b]


@entry
def shape_blades(
    feet: Floats2,
    length: Floats1,
    lean: Floats1,
    bent: Floats1,
    time: float,
    sunk: float,
    points: Floats3,
) -> None:
    """Write root, bend and tip (3, N, 2) [m] of blades: their roots lie `sunk` below their feet
    (N, 2) [m].

    They lean and are bent (N,) [rad], and sway in the breeze at a time [s].
    """
    for b in range(feet.shape[0]):
        turn = lean[b] + bent[b] + BREEZE * sin(1.8 * time + 0.9 * feet[b, 0])
        x = feet[b, 0]
        y = feet[b, 1]
        points[0, b, 0] = x
        points[0, b, 1] = y - sunk
        up, along = cos_sin(LOWER * turn)
        x = x + LOWER * length[b] * along
        y = y + LOWER * length[b] * up
        points[1, b, 0] = x
        points[1, b, 1] = y
        up, along = cos_sin((1.0 + UPPER) * turn)
        points[2, b, 0], points[2, b, 1] = x + UPPER * length[b] * along, y + UPPER * length[b] * up
