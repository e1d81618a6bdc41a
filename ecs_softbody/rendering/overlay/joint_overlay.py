"""Joints in the debug overlay: anchors, loads of limits, torques of motors, the pull of
the mouse.
"""

from __future__ import annotations

import numpy as np

from ecs_softbody.arrays import Floats
from ecs_softbody.components import Attachment, DistanceLimits, Motor, MouseJoint, Particles
from ecs_softbody.indices import flatnonzero
from ecs_softbody.rendering import palette
from ecs_softbody.rendering.layers import Layer
from ecs_softbody.rendering.palette import Colour, rgba
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.simulation import Simulation

HALF_COLOUR = 100.0
"""Force [N] that gives a joint without a threshold half of its full colour."""
RING = 7.0
"""Radius of the ring around an anchor [points]."""
PIN = 3.0
"""Radius of the dot in a fixed anchor [points]."""
UNLOADED = palette.PINK
"""Colour of a joint without a load; it turns to `STRETCHED` towards the load that breaks it."""
LAYER = Layer.DEBUG + 1
"""Layer of joints: over the rest of the overlay."""
FULL_TURN = 1.5 * np.pi
"""Length of a motor's arc at its largest torque [rad]; without a load it is a quarter of that."""
ARC = np.linspace(0.0, 1.0, 25)
"""Places of the points of a motor's arc, from its start to its end."""


def draw_joints(sim: Simulation, picture: Picture, positions: Floats) -> None:
    """Add all joints of a simulation; positions (N, 2) [m] of its particles."""
    for _, attachment in sorted(sim.buffers.components(Attachment).items()):
        _attachment(sim, picture, attachment, positions)
    for _, limits in sorted(sim.buffers.components(DistanceLimits).items()):
        _limits(sim, picture, limits, positions)
    bodies = sim.buffers.components(Particles)
    for _, motor in sorted(sim.buffers.components(Motor).items()):
        body = bodies.get(motor.between[1])
        if body is not None:
            _motor(picture, motor, positions[body.row_start : body.row_stop], body.mass)
    for _, joint in sorted(sim.buffers.components(MouseJoint).items()):
        _mouse(sim, picture, joint, positions)


def load_share(force: Floats, threshold: Floats) -> Floats:
    """Return forces over their breaking threshold, 0 to 1; without a threshold by the size of the
    force.
    """
    force = np.abs(np.nan_to_num(force))
    endless = np.isinf(threshold)
    known = np.where(endless, 1.0, threshold)
    share = np.where(endless, force / (force + HALF_COLOUR), force / known)
    return np.asarray(np.minimum(share, 1.0), np.float64)


def anchor_of(
    sim: Simulation, joint: Attachment | MouseJoint, positions: Floats, side: int
) -> Floats:
    """Return where an anchor of a joint is, (x, y) [m]."""
    own = flatnonzero(joint.side == side)
    rows = sim.buffers[type(joint)].rows["packed_rows"][joint.row_start : joint.row_stop][own]
    return np.asarray(joint.weight[own] @ positions[rows])


def _attachment(sim: Simulation, picture: Picture, joint: Attachment, positions: Floats) -> None:
    """Draw a line between both anchors, and a ring, coloured by the load."""
    first = anchor_of(sim, joint, positions, 0)
    second = np.asarray(joint.at) if joint.to_world else anchor_of(sim, joint, positions, 1)
    if not np.isfinite([first, second]).all():
        return
    share = load_share(np.hypot(*joint.force), np.asarray(joint.break_force))
    colour = palette.mixed(UNLOADED, palette.STRETCHED, float(share))
    picture.segments(first[None], second[None], 2.5, colour, layer=LAYER)
    _ring(picture, 0.5 * (first + second), colour)
    if joint.to_world:
        picture.disc(second, _metres(picture, PIN), colour, layer=LAYER)


def _limits(sim: Simulation, picture: Picture, limits: DistanceLimits, positions: Floats) -> None:
    """Draw a line for each limit, coloured by its load."""
    ends = positions[
        sim.buffers[DistanceLimits].rows["packed_pairs"][limits.row_start : limits.row_stop]
    ]
    seen = np.isfinite(ends).all(axis=(1, 2))
    share = load_share(limits.force, limits.break_force)[seen, None].astype(np.float32)
    colours = rgba(UNLOADED) * (1.0 - share) + rgba(palette.STRETCHED) * share
    picture.segments(
        ends[seen, 0], ends[seen, 1], 3.0, np.asarray(colours, np.float32), layer=LAYER
    )


def _motor(picture: Picture, motor: Motor, positions: Floats, mass: Floats) -> None:
    """Draw an arc with a head around the wheel's middle, the longer the larger the torque is."""
    known_mass = np.where(np.isfinite(mass), mass, 1.0)
    hub = known_mass @ positions / known_mass.sum()
    if not np.isfinite(positions).all():
        return
    largest = motor.max_torque if np.isfinite(motor.max_torque) else abs(motor.torque) + 1.0
    share = min(abs(motor.torque) / largest, 1.0) if largest > 0.0 else 0.0
    way = np.sign(motor.torque if share > 0.01 else motor.speed)
    if largest == 0.0 or way == 0.0:
        return
    radius = 0.6 * float(np.hypot(*(positions - hub).T).max())
    angle = 0.5 * np.pi + way * FULL_TURN * (0.25 + 0.75 * share) * (ARC - 0.5)
    arc = hub + radius * np.column_stack((np.cos(angle), np.sin(angle)))
    for width, tint in ((6.5, palette.EYE_PUPIL), (4.0, palette.GOLD)):
        picture.stroke(arc[:-2], width, tint, layer=LAYER)
    picture.arrow(
        arc[-3], arc[-1] + 1.5 * (arc[-1] - arc[-2]), palette.GOLD, width=5.0, layer=LAYER
    )


def _mouse(sim: Simulation, picture: Picture, joint: MouseJoint, positions: Floats) -> None:
    anchor = anchor_of(sim, joint, positions, 0)
    target = np.asarray(joint.target)
    if np.isfinite([anchor, target]).all():
        picture.segments(anchor[None], target[None], 2.5, palette.GOLD, layer=LAYER)
        _ring(picture, anchor, palette.GOLD)
        picture.disc(target, _metres(picture, PIN), palette.GOLD, layer=LAYER)


def _ring(picture: Picture, position: Floats, colour: Colour) -> None:
    turn = np.linspace(0.0, 2.0 * np.pi, 17)[:-1]
    rim = position + _metres(picture, RING) * np.column_stack((np.cos(turn), np.sin(turn)))
    for width, tint in ((5.5, palette.EYE_PUPIL), (3.0, colour)):
        picture.stroke(rim, width, tint, closed=True, layer=LAYER)


def _metres(picture: Picture, points: float) -> float:
    return points * picture.point / picture.view.scale
