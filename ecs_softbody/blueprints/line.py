"""Lines: the rope, a chain of springs, and the rod, which also keeps its angles."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_softbody.arrays import Floats
from ecs_softbody.blueprints.calls import blueprint
from ecs_softbody.blueprints.elasticity import Options, carried, hertz, made_of
from ecs_softbody.blueprints.mass_and_springs import LINE_DENSITY, MassAndSprings, bending_damping
from ecs_softbody.blueprints.options import SpringOptions, surface
from ecs_softbody.components import AngularSprings, Collider, Drag, Particles, Springs
from ecs_softbody.elementary.rows import length
from ecs_softbody.indices import arange
from ecs_softbody.validation import check_count, check_flag, check_number, check_point


def _line_of(
    call: Mapping[str, Any], firmness: float, damping_ratio: float, *, most: float
) -> Options:
    """Hung up, it is stretched by 1 / 2F of its length by its own weight, or less."""
    long = length(np.asarray(call["end"], float) - np.asarray(call["start"], float))
    wanted = hertz(2.0 * call["segments"] ** 2 * firmness, long) if long > 0.0 else 1.0
    return carried(wanted, damping_ratio, hertz=most, damped=8.0)


@blueprint
@made_of(functools.partial(_line_of, most=80.0), density=LINE_DENSITY, friction=0.6)
def rope(
    start: ArrayLike,
    end: ArrayLike,
    *,
    segments: int = 16,
    thickness: float | None = None,
    pin_start: bool = False,
    pin_end: bool = False,
    slack: float = 0.0,
    air: float = 1.0,
    **options: Unpack[SpringOptions],
) -> tuple[Particles, Springs, Drag, Collider]:
    """Return a rope of segments + 1 particles in a straight line, colliding as discs.

    Args:
        start, end: (x, y) [m].
        segments: how many springs, 1 or more.
        thickness: diameter of the particles [m]; as long as a segment by default, so that nothing
            slips through.
        pin_start, pin_end: whether the first particle, or the last one, is pinned.
        air: how fast air brakes the rope [1/s]: springs alone would let it swing for ever.
        slack: how much longer than the straight line the rope is, as a share: 0.1 makes it sag.
        options: see SpringOptions; its springs have 80 Hz with a damping ratio of 0.1 by default.
    """
    asked = MassAndSprings("rope", options)
    line = _line(asked, start, end, segments, thickness, frequency=80.0)
    count = len(line.position)
    stiff, damp = line.springs
    rest_length = line.segment * (1.0 + check_number("rope", "slack", slack, above=-1.0))
    pinned = np.zeros(count, bool)
    pinned[0], pinned[-1] = (
        check_flag("rope", "pin_start", pin_start),
        check_flag("rope", "pin_end", pin_end),
    )
    return (
        Particles(line.position, mass=line.mass, radius=line.radius, pinned=pinned),
        Springs(_chain(count), stiffness=stiff, damping=damp, rest_length=rest_length),
        Drag(linear=line.mass * check_number("rope", "air", air, minimum=0.0)),
        Collider(outline=arange(count), closed=False, **surface(options)),
    )


@blueprint
@made_of(functools.partial(_line_of, most=45.0), density=LINE_DENSITY, friction=0.6)
def rod(
    start: ArrayLike,
    end: ArrayLike,
    *,
    segments: int = 8,
    bending: float | None = None,
    thickness: float | None = None,
    pin_start: bool = False,
    pin_end: bool = False,
    **options: Unpack[SpringOptions],
) -> tuple[Particles, Springs, AngularSprings, Collider]:
    """Return a rod: a rope that keeps its angles; with `pin_start` its first two particles are
    held.

    Args:
        start, end: (x, y) [m].
        segments: how many springs, 2 or more.
        bending: stiffness of the angular springs [N/m]; 0.25 of the springs' stiffness by default.
        thickness: diameter of the particles [m]; as long as a segment by default.
        pin_start, pin_end: whether the first two particles, or the last two, are pinned, as a
            flagpole in the ground.
        options: see SpringOptions; its springs have 45 Hz with a damping ratio of 0.1 by default.
    """
    asked = MassAndSprings("rod", options)
    segments = check_count("rod", "segments", segments, minimum=2)
    line = _line(asked, start, end, segments, thickness, frequency=45.0)
    count = len(line.position)
    stiff, damp = line.springs
    bend = check_number("rod", "bending", 0.25 * stiff if bending is None else bending, minimum=0.0)
    middle = arange(1, count - 1)
    pinned = np.zeros(count, bool)
    pinned[:2] |= check_flag("rod", "pin_start", pin_start)
    pinned[-2:] |= check_flag("rod", "pin_end", pin_end)
    return (
        Particles(line.position, mass=line.mass, radius=line.radius, pinned=pinned),
        Springs(_chain(count), stiffness=stiff, damping=damp),
        AngularSprings(
            np.column_stack([middle - 1, middle, middle + 1]),
            stiffness=bend,
            damping=bending_damping(bend, line.mass, line.segment),
            rest_angle=np.pi,
        ),
        Collider(outline=arange(count), closed=False, **surface(options)),
    )


class _Line(NamedTuple):
    """The common part of rope and rod: particles in a straight line, each joined to the next."""

    position: Floats  # (segments + 1, 2) [m]
    segment: float  # Length of a segment [m]
    mass: float  # Of each particle [kg]
    radius: float  # Of each particle [m]
    springs: tuple[float, float]  # Stiffness [N/m] and damping [N·s/m] of each spring


def _line(
    asked: MassAndSprings,
    start: ArrayLike,
    end: ArrayLike,
    segments: int,
    thickness: float | None,
    *,
    frequency: float,
) -> _Line:
    """Check ends and segments, and make the line; frequency: default of the springs [Hz]."""
    owner = asked.owner
    first = check_point(owner, "start", start)
    last = check_point(owner, "end", end)
    if not length(last - first) > 0.0:
        raise ValueError(f"{owner}.end: {end!r} is not allowed; expected a point away from start")
    steps = np.linspace(0.0, 1.0, check_count(owner, "segments", segments, minimum=1) + 1)
    position: Floats = first + steps[:, None] * (last - first)
    long = length(position[-1] - position[0])
    segment = long / segments
    radius = 0.5 * check_number(
        owner, "thickness", segment if thickness is None else thickness, minimum=0.0
    )
    mass = asked.total_mass(long, LINE_DENSITY) / len(position)
    return _Line(
        position, segment, mass, radius, asked.springs(mass, frequency=frequency, damping_ratio=0.1)
    )


def _chain(count: int) -> NDArray[np.int64]:
    return np.column_stack([arange(count - 1), arange(1, count)])
