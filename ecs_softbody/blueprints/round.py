"""Round bodies: the ball, one particle, and the blob, a skin filled with gas."""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_softbody.blueprints.material import DENSITY, REACH_SHARE, spring_constants, total_mass, whole
from ecs_softbody.components import ALL, Collider, Particles, PressureBody, Springs
from ecs_softbody.storage import check_number, check_point

EARTH = 9.81
SMALLEST_CORE = 6
CORE_DAMPING = 0.27
"""Default damping of all dashpots across a blob together, over √(mass × pressure)."""
BENDING_SHARE = 0.1
"""Default stiffness of the springs that span two edges of a blob's skin, over that of the skin."""
FIRMNESS = 8.0
"""Default pressure of a blob over density × gravity × radius: at rest it stands on about 0.4 of its radius."""


def ball(
    center: ArrayLike,
    radius: float,
    *,
    mass: float | None = None,
    density: float | None = None,
    velocity: ArrayLike = 0.0,
    friction: float = 0.4,
    restitution: float = 0.6,
    category: int = 1,
    mask: int = ALL,
) -> tuple[Particles, Collider]:
    """Return an elastic ball: a single particle that collides as a disc.

    Args:
        center: (x, y) [m].
        radius: [m]; `radius_of(mass, density)` gives it for a mass.
        mass: [kg], or density [kg/m²]: one of them.
        density: see mass.
        velocity: (vx, vy) [m/s].
        friction: see Collider.
        restitution: see Collider.
        category: see Collider.
        mask: see Collider.

    Raises:
        ValueError: naming the argument, the value and what is allowed.
    """
    place = check_point("ball", "center", center)
    radius = check_number("ball", "radius", radius, above=0.0)
    kilograms = total_mass("ball", mass, density, math.pi * radius**2, DENSITY)
    return (
        Particles(place[None], velocity=velocity, mass=kilograms, radius=radius),
        Collider(friction=friction, restitution=restitution, category=category, mask=mask),
    )


def blob(
    center: ArrayLike,
    radius: float,
    *,
    particles: int = 24,
    mass: float | None = None,
    density: float | None = None,
    stiffness: float | None = None,
    damping: float | None = None,
    frequency: float | None = None,
    damping_ratio: float | None = None,
    core_damping: float | None = None,
    bending: float | None = None,
    pressure: float | None = None,
    thickness: float | None = None,
    velocity: ArrayLike = 0.0,
    friction: float = 0.5,
    restitution: float = 0.0,
    category: int = 1,
    mask: int = ALL,
    self_collision: bool = True,
) -> tuple[Particles, Springs, PressureBody, Collider]:
    """Return a blob: a ring of springs under tension, filled with gas, in balance as it is made.

    Args:
        center: (x, y) [m].
        radius: outer radius, the thickness of the skin included [m].
        particles: how many make the ring, 3 or more.
        mass: of the whole blob [kg], or density [kg/m²]: one of them.
        density: see mass.
        stiffness: of the springs of the skin [N/m], or frequency [Hz].
        damping: of the springs of the skin [N·s/m], or damping_ratio [1].
        frequency: see stiffness; 70 Hz by default.
        damping_ratio: see damping; 0.12 by default.
        core_damping: of each dashpot across the blob [N·s/m]; by default a push dies out after a few wobbles. Blobs of
            fewer than 6 particles have none.
        bending: stiffness of the springs over two edges, which keep the skin from folding [N/m]; 0.1 of that of the
            skin by default. With much more, a blob that was turned over may stay folded. Blobs of fewer than 6
            particles have none.
        pressure: of the gas [Pa]; more is firmer. By default it carries the blob's weight well on Earth.
        thickness: of the skin, the diameter of its particles [m]; 0.6 of their distance by default.
        velocity: (vx, vy) [m/s].
        friction: see Collider.
        restitution: see Collider.
        category: see Collider.
        mask: see Collider.
        self_collision: see Collider.

    Raises:
        ValueError: naming the argument, the value and what is allowed.
    """
    place = check_point("blob", "center", center)
    radius = check_number("blob", "radius", radius, above=0.0)
    count = whole("blob", "particles", particles, minimum=3)
    half_chord = math.sin(math.pi / count)
    if thickness is None:
        reach = 2.0 * REACH_SHARE * half_chord * radius / (1.0 + 2.0 * REACH_SHARE * half_chord)
    else:
        reach = 0.5 * check_number("blob", "thickness", thickness, minimum=0.0)
        if reach >= radius:
            raise ValueError(f"blob.thickness: {thickness!r} is not allowed; expected less than twice the radius")
    ring = radius - reach
    kilograms = total_mass("blob", mass, density, math.pi * radius**2, DENSITY)
    stiff, damp = spring_constants(
        "blob", kilograms / count, stiffness=stiffness, damping=damping, frequency=frequency,
        damping_ratio=damping_ratio, default_frequency=70.0, default_damping_ratio=0.12,
    )  # fmt: skip
    if pressure is None:
        pressure = FIRMNESS * kilograms / (math.pi * radius**2) * EARTH * radius
    pressure = check_number("blob", "pressure", pressure, minimum=0.0)
    # In balance the skin's tension is P R cos(π/n): its rest length is that much shorter.
    length = 2.0 * ring * half_chord
    tension = pressure * ring * math.cos(math.pi / count)
    rest_length = max(length - tension / stiff, 0.0) if stiff > 0.0 else length
    rows, directions, pairs, counts = _ring_of(count)
    if core_damping is None:
        core_damping = CORE_DAMPING / max(counts[1], 1) * math.sqrt(kilograms * pressure)
    core_damping = check_number("blob", "core_damping", core_damping, minimum=0.0)
    bend = check_number("blob", "bending", BENDING_SHARE * stiff if bending is None else bending, minimum=0.0)
    width = 2.0 * ring * math.sin(2.0 * math.pi / count)
    across = 2.0 * ring * math.sin(math.pi * (count // 2) / count)
    area = 0.5 * count * ring**2 * math.sin(2.0 * math.pi / count)
    return (
        Particles(
            place + ring * directions,
            velocity=velocity, mass=kilograms / count, radius=reach,
        ),
        Springs(
            pairs,
            stiffness=np.repeat([stiff, 0.0, bend], counts),
            damping=np.repeat([damp, core_damping, 0.0], counts),
            rest_length=np.repeat([rest_length, across, width], counts),
        ),
        PressureBody(rows, nRT=pressure * area),
        Collider(
            outline=rows, friction=friction, restitution=restitution, category=category, mask=mask,
            self_collision=self_collision, skin=reach,
        ),
    )  # fmt: skip


@functools.lru_cache(maxsize=64)
def _ring_of(count: int) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64], list[int]]:
    """Return the rows of a ring, their directions (count, 2), its pairs, and how many are skin, core and bending."""
    rows = np.arange(count)
    angle = math.pi * (2.0 * rows + 1.0) / count - 0.5 * math.pi  # it stands on an edge, not on a corner
    pairs = [np.column_stack([rows, np.roll(rows, -1)]), np.zeros((0, 2), np.int64), np.zeros((0, 2), np.int64)]
    if count >= SMALLEST_CORE:
        opposite = np.column_stack([rows, np.roll(rows, -(count // 2))])
        pairs[1] = opposite if count % 2 else opposite[: count // 2]  # an odd ring has two that are nearly opposite
        pairs[2] = np.column_stack([rows, np.roll(rows, -2)])
    return rows, np.column_stack([np.cos(angle), np.sin(angle)]), np.concatenate(pairs), [len(kind) for kind in pairs]
