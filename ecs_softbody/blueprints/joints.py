"""Joints: a wheel, and the components that hang two bodies together."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from ecs_softbody.blueprints.calls import blueprint
from ecs_softbody.blueprints.elasticity import Options, carried, hertz, made_of, rest_shape
from ecs_softbody.blueprints.mass_and_springs import DENSITY, MassAndSprings
from ecs_softbody.blueprints.options import SoftOptions, surface
from ecs_softbody.components import Attachment, Collider, Motor, Particles, ShapeMatching, Springs
from ecs_softbody.components.anchors import EntityId
from ecs_softbody.elementary.angles import sin
from ecs_softbody.elementary.rows import directions
from ecs_softbody.indices import arange
from ecs_softbody.validation import check_count, check_number, check_point

TREAD = 0.45
"""Radius of the particles of a wheel, over their distance."""
SMALLEST_WHEEL = 5
"""Least number of particles on the rim of a wheel."""
FREQUENCY = 40.0
"""Default of the springs of a wheel [Hz]. Stiffer ones are more than a substep carries."""
DAMPING_RATIO = 0.15
"""Default damping of these springs, over critical [1]."""


def _wheel_of(call: Mapping[str, Any], firmness: float, damping_ratio: float) -> Options:
    """Springs carry the load up to their limit, the rest shape the remainder."""
    wanted = hertz(30.0 * firmness, check_number("wheel", "radius", call["radius"], above=0.0))
    return {
        "shape_frequency": math.sqrt(max(wanted**2 - FREQUENCY**2, 0.0)),
        "shape_damping_ratio": damping_ratio,
        **carried(wanted, damping_ratio, hertz=FREQUENCY, damped=6.0),
    }


@blueprint
@made_of(_wheel_of, friction=1.0)
def wheel(
    center: ArrayLike,
    radius: float,
    *,
    particles: int = 16,
    shape_frequency: float | None = None,
    shape_damping_ratio: float = DAMPING_RATIO,
    **options: Unpack[SoftOptions],
) -> tuple[Particles, Springs, *tuple[ShapeMatching, ...], Collider]:
    """Return a soft wheel: a ring of particles with braces, and a hub in row 0 that has half of the
    mass, on spokes.

    Args:
        center: (x, y) of the hub [m].
        radius: rolling radius: it rolls by 2π radius per turn [m]. With few particles it reaches
            beyond this radius, by 0.5 % with 16 and by 2 % with 8.
        particles: of the ring, 5 or more.
        shape_frequency: frequency at which a particle oscillates about its rest position [Hz], for
            wheels firmer than springs can make them; it adds a ShapeMatching to the tuple, before
            the Collider. None: no rest shape.
        shape_damping_ratio: of this oscillation, over critical [1].
        options: see SoftOptions; its springs have 40 Hz with a damping ratio of 0.15 by default.
    """
    position = check_point("wheel", "center", center)
    radius = check_number("wheel", "radius", radius, above=0.0)
    count = check_count("wheel", "particles", particles, minimum=SMALLEST_WHEEL)
    chord = 2.0 * sin(math.pi / count)
    tread = TREAD * chord * radius / (1.0 + TREAD * chord)
    asked = MassAndSprings("wheel", options)
    kilograms = 0.5 * asked.total_mass(math.pi * radius**2, DENSITY) / count
    stiff, damp = asked.springs(kilograms, frequency=FREQUENCY, damping_ratio=DAMPING_RATIO)
    rim = arange(1, count + 1)
    angle = 2.0 * math.pi * (rim - 1) / count
    # Edges are as long as the arc: a slow wheel goes by its perimeter, which is 2 % shorter with 8
    # particles. Wheels were up to 4 % slow.
    ring = (radius - tread) * 2.0 * math.pi / (count * chord) * directions(angle)
    pairs = [np.column_stack([rim, np.roll(rim, -by)]) for by in (1, 2)]
    masses = np.append(count * kilograms, np.full(count, kilograms, np.float64))
    pairs.append(np.column_stack([np.zeros(count, np.int64), rim]))
    swing = 0.0 if shape_frequency is None else shape_frequency
    shape = rest_shape("wheel", 2.0 * count * kilograms / (count + 1), swing, shape_damping_ratio)
    return (
        Particles(
            position + np.concatenate([np.zeros((1, 2)), ring]),
            velocity=options["velocity"],
            mass=masses,
            radius=tread,
        ),
        Springs(np.concatenate(pairs), stiffness=stiff, damping=damp),
        *(() if shape_frequency is None else (shape,)),
        Collider(outline=rim, **surface(options), skin=tread),
    )


@blueprint
def hinge(
    first: EntityId, second: EntityId | None, at: ArrayLike, *, break_force: float = math.inf
) -> tuple[Attachment]:
    """Return the component that joins two bodies at a point about which they turn.

    Args:
        first: entity of a body.
        second: entity of the other, or None for the world.
        at: (x, y) [m].
        break_force: see Attachment.
    """
    return (
        Attachment((first, second), at=check_point("hinge", "at", at), break_force=break_force),
    )


@blueprint
def axle(
    chassis: EntityId,
    wheel: EntityId,
    at: ArrayLike,
    *,
    speed: float | None = None,
    max_torque: float | None = None,
    break_force: float = math.inf,
) -> tuple[Attachment] | tuple[Attachment, Motor]:
    """Return the axle of a wheel on a chassis, with a motor if `speed` is given, to spawn as an
    entity of its own.

    Args:
        chassis: entity of the body that carries it.
        wheel: entity of the wheel.
        at: (x, y) of the hub [m].
        speed: wanted angular velocity against the chassis [rad/s]; None leaves the motor out.
        max_torque: see Motor; None carries both bodies at the rim of the wheel [N·m].
        break_force: see Attachment.
    """
    joint = Attachment((chassis, wheel), at=check_point("axle", "at", at), break_force=break_force)
    if speed is None:
        return (joint,)
    return joint, Motor((chassis, wheel), speed=speed, max_torque=max_torque)
