"""Lines: the rope, a chain of springs, and the rod, which also keeps its angles."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_softbody.blueprints.material import (
    LINE_DENSITY,
    bending_damping,
    flag,
    spring_constants,
    total_mass,
    whole,
)
from ecs_softbody.components import ALL, AngularSprings, Collider, Drag, Particles, Springs
from ecs_softbody.storage import check_number, check_point


def rope(
    start: ArrayLike,
    end: ArrayLike,
    *,
    segments: int = 16,
    mass: float | None = None,
    density: float | None = None,
    stiffness: float | None = None,
    damping: float | None = None,
    frequency: float | None = None,
    damping_ratio: float | None = None,
    thickness: float | None = None,
    pin_start: bool = False,
    pin_end: bool = False,
    slack: float = 0.0,
    air: float = 1.0,
    friction: float = 0.6,
    category: int = 1,
    mask: int = ALL,
) -> tuple[Particles, Springs, Drag, Collider]:
    """Return a rope of segments + 1 particles in a straight line, colliding as discs.

    Args:
        start: (x, y) [m].
        end: (x, y) [m].
        segments: how many springs, 1 or more.
        mass: of the whole rope [kg], or density [kg/m]: one of them.
        density: see mass.
        stiffness: of each spring [N/m], or frequency [Hz].
        damping: of each spring [N·s/m], or damping_ratio [1].
        frequency: see stiffness; 80 Hz by default.
        damping_ratio: see damping; 0.1 by default.
        thickness: diameter of the particles [m]; as long as a segment by default, so that nothing slips through.
        pin_start: whether the first particle is pinned.
        pin_end: whether the last particle is pinned.
        air: how fast air brakes the rope [1/s]: springs alone would let it swing for ever.
        slack: how much longer than the straight line the rope is, as a share: 0.1 makes it sag.
        friction: see Collider.
        category: see Collider.
        mask: see Collider.

    Raises:
        ValueError: naming the argument, the value and what is allowed.
    """
    places = _line("rope", start, end, segments)
    length = float(np.linalg.norm(places[-1] - places[0]))
    thickness = length / segments if thickness is None else thickness
    reach = 0.5 * check_number("rope", "thickness", thickness, minimum=0.0)
    share = total_mass("rope", mass, density, length, LINE_DENSITY) / len(places)
    stiff, damp = spring_constants(
        "rope", share, stiffness=stiffness, damping=damping, frequency=frequency, damping_ratio=damping_ratio,
        default_frequency=80.0, default_damping_ratio=0.1,
    )  # fmt: skip
    rest = length / segments * (1.0 + check_number("rope", "slack", slack, above=-1.0))
    pinned = np.zeros(len(places), bool)
    pinned[0], pinned[-1] = flag("rope", "pin_start", pin_start), flag("rope", "pin_end", pin_end)
    return (
        Particles(places, mass=share, radius=reach, pinned=pinned),
        Springs(_chain(len(places)), stiffness=stiff, damping=damp, rest_length=rest),
        Drag(linear=share * check_number("rope", "air", air, minimum=0.0)),
        Collider(outline=np.arange(len(places)), closed=False, friction=friction, category=category, mask=mask),
    )


def rod(
    start: ArrayLike,
    end: ArrayLike,
    *,
    segments: int = 8,
    mass: float | None = None,
    density: float | None = None,
    stiffness: float | None = None,
    damping: float | None = None,
    frequency: float | None = None,
    damping_ratio: float | None = None,
    bending: float | None = None,
    thickness: float | None = None,
    pin_start: bool = False,
    pin_end: bool = False,
    friction: float = 0.6,
    category: int = 1,
    mask: int = ALL,
) -> tuple[Particles, Springs, AngularSprings, Collider]:
    """Return a rod: a rope that keeps its angles; with `pin_start` its first two particles are held.

    Args:
        start: (x, y) [m].
        end: (x, y) [m].
        segments: how many springs, 2 or more.
        mass: of the whole rod [kg], or density [kg/m]: one of them.
        density: see mass.
        stiffness: of each spring [N/m], or frequency [Hz].
        damping: of each spring [N·s/m], or damping_ratio [1].
        frequency: see stiffness; 45 Hz by default.
        damping_ratio: see damping; 0.1 by default.
        bending: stiffness of the angular springs [N/m]; 0.25 of that of the springs by default.
        thickness: diameter of the particles [m]; as long as a segment by default.
        pin_start: whether the first two particles are pinned, like a flagpole in the ground.
        pin_end: whether the last two particles are pinned.
        friction: see Collider.
        category: see Collider.
        mask: see Collider.

    Raises:
        ValueError: naming the argument, the value and what is allowed.
    """
    places = _line("rod", start, end, whole("rod", "segments", segments, minimum=2))
    length = float(np.linalg.norm(places[-1] - places[0]))
    thickness = length / segments if thickness is None else thickness
    reach = 0.5 * check_number("rod", "thickness", thickness, minimum=0.0)
    share = total_mass("rod", mass, density, length, LINE_DENSITY) / len(places)
    stiff, damp = spring_constants(
        "rod", share, stiffness=stiffness, damping=damping, frequency=frequency, damping_ratio=damping_ratio,
        default_frequency=45.0, default_damping_ratio=0.1,
    )  # fmt: skip
    bend = check_number("rod", "bending", 0.25 * stiff if bending is None else bending, minimum=0.0)
    middle = np.arange(1, len(places) - 1)
    pinned = np.zeros(len(places), bool)
    pinned[:2] |= flag("rod", "pin_start", pin_start)
    pinned[-2:] |= flag("rod", "pin_end", pin_end)
    return (
        Particles(places, mass=share, radius=reach, pinned=pinned),
        Springs(_chain(len(places)), stiffness=stiff, damping=damp),
        AngularSprings(
            np.column_stack([middle - 1, middle, middle + 1]),
            stiffness=bend, damping=bending_damping(bend, share, length / segments), rest_angle=np.pi,
        ),
        Collider(
            outline=np.arange(len(places)), closed=False, friction=friction, category=category, mask=mask
        ),
    )  # fmt: skip


def _line(owner: str, start: ArrayLike, end: ArrayLike, segments: int) -> NDArray[np.float64]:
    first, last = check_point(owner, "start", start), check_point(owner, "end", end)
    if not np.linalg.norm(last - first) > 0.0:
        raise ValueError(f"{owner}.end: {end!r} is not allowed; expected a point away from start")
    steps = np.linspace(0.0, 1.0, whole(owner, "segments", segments, minimum=1) + 1)
    line: NDArray[np.float64] = first + steps[:, None] * (last - first)
    return line


def _chain(count: int) -> NDArray[np.int64]:
    return np.column_stack([np.arange(count - 1), np.arange(1, count)])
