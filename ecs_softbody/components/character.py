"""Character: a soft body that a player, or a program, moves and makes jump."""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.elementary.rows import directions
from ecs_softbody.elementary.sums import dot
from ecs_softbody.storage import Component, Store, Value

ROUND = 0.9
"""A body whose smallest width is at least this share of its largest one is round: it rolls."""


class Character(Component):
    """Moves a body as a player wants: run, jump, hold on slopes and walls. It sits on a body with a
    Collider.

    A game writes its commands, in any frame: `move`, `jump`, `squash`, `stick`, `launch`. After a
    step it reads the results: `grounded`, `on_slope`, `sliding`, `on_wall`, `standing`, `facing`
    and the others below. The events `jumped` (entity, speed) and `landed` (entity, speed, ground
    entity) go through `sim.on`.

    Up is opposite to the gravity at the body, including point gravity; forward is to the right of
    up. Speeds are relative to the ground below the body. The forces that drive the body along the
    ground or launch it act on the ground in the opposite direction. A Character has no friction of
    its own: it holds on slopes and brakes by itself, and nothing holds it at a wall that it runs
    into.

    Make one from a preset with changed values: `Character.slime(jump_height=3.0)`.

    Args:
        speed: of running [m/s].
        acceleration: largest, towards that speed [m/s²].
        braking: largest, without `move` [m/s²].
        air_control: share of the acceleration that is left in the air, 0 to 1.
        air_braking: deceleration in the air without `move` [m/s²].
        jump_height: how high a jump lifts the centre of mass [m].
        short_jump: share of that height when `jump` is let go at once, 0.05 to 1; 1: letting go
            changes nothing.
        fall_gravity: factor of gravity while it falls; above 1 it falls faster than it rises.
        fall_speed: no fall is faster [m/s].
        coyote_time: how long after leaving the ground a jump still counts [s].
        buffer_time: how long before reaching the ground a jump counts already [s].
        slope_limit: steepest slope on which it stands [rad], 0 to π/2; steeper ones it slides down.
        charge_height: height that a full charge adds to a jump [m].
        charge_time: how long `squash` takes for a full charge [s].
        squash_depth: share of its height that a full charge takes away, 0 to 0.6.
        grip: largest acceleration that `stick` holds against [m/s²].
        wall_jump: speed away from a wall of a jump there [m/s]; 0: none, unless it sticks.
        bounce: share of the speed of a landing that an elastic body may keep as it leaves the
            ground again, 0 to 1.
        swim: share of the speed of a jump that a stroke under water gives, 0 to 1.
        stretch: how far a jump stretches a body: share of its speed by which the top leads.
        damping: how fast wobbles die out [1/s].
        upright: 1 keeps it upright, on a slope at a right angle to it, 0 lets it roll as it goes.
            None: round bodies roll, others stay upright.
    """

    __slots__ = ()

    move = Value(
        dtype=np.float64,
        minimum=-1.0,
        maximum=1.0,
        doc="wanted: share of the speed, -1 to the left, 1 right",
    )
    jump = Value(
        dtype=np.bool_, doc="wanted: True from the press of a key to its release; the press jumps"
    )
    squash = Value(dtype=np.bool_, doc="wanted: crouch, and charge the next jump")
    stick = Value(
        dtype=np.bool_, doc="wanted: hold on to walls, ceilings and steep slopes that it touches"
    )
    launch = Value(
        dtype=np.float64,
        unit="m/s",
        minimum=0.0,
        doc="wanted: leave upwards at this speed; the step sets 0",
    )
    speed = Value(dtype=np.float64, unit="m/s", minimum=0.0, doc="of running")
    acceleration = Value(
        dtype=np.float64, unit="m/s²", minimum=0.0, doc="largest, towards that speed"
    )
    braking = Value(dtype=np.float64, unit="m/s²", minimum=0.0, doc="largest, without `move`")
    air_control = Value(
        dtype=np.float64, minimum=0.0, maximum=1.0, doc="share of the acceleration left in the air"
    )
    air_braking = Value(
        dtype=np.float64, unit="m/s²", minimum=0.0, doc="in the air, without `move`"
    )
    jump_height = Value(
        dtype=np.float64, unit="m", minimum=0.0, doc="how high a jump lifts the centre of mass"
    )
    short_jump = Value(
        dtype=np.float64, minimum=0.05, maximum=1.0, doc="share of the height of the shortest jump"
    )
    fall_gravity = Value(dtype=np.float64, minimum=0.0, doc="what gravity counts while it falls")
    fall_speed = Value(
        dtype=np.float64, unit="m/s", above=0.0, infinite=True, doc="no fall is faster"
    )
    coyote_time = Value(
        dtype=np.float64,
        unit="s",
        minimum=0.0,
        doc="a jump counts so long after leaving the ground",
    )
    buffer_time = Value(
        dtype=np.float64,
        unit="s",
        minimum=0.0,
        doc="a jump counts so long before reaching the ground",
    )
    slope_limit = Value(
        dtype=np.float64,
        unit="rad",
        minimum=0.0,
        maximum=math.pi / 2.0,
        doc="steepest slope on which it stands",
    )
    charge_height = Value(
        dtype=np.float64, unit="m", minimum=0.0, doc="what a full charge adds to a jump"
    )
    charge_time = Value(dtype=np.float64, unit="s", above=0.0, doc="how long a full charge takes")
    squash_depth = Value(
        dtype=np.float64,
        minimum=0.0,
        maximum=0.6,
        doc="share of the height that a full charge takes",
    )
    grip = Value(
        dtype=np.float64,
        unit="m/s²",
        minimum=0.0,
        doc="largest acceleration that `stick` holds against",
    )
    wall_jump = Value(
        dtype=np.float64, unit="m/s", minimum=0.0, doc="speed away from the wall of a jump there"
    )
    bounce = Value(
        dtype=np.float64,
        minimum=0.0,
        maximum=1.0,
        doc="share of the speed of a landing that it keeps",
    )
    swim = Value(
        dtype=np.float64,
        minimum=0.0,
        maximum=1.0,
        doc="share of the speed of a jump that a stroke gives",
    )
    stretch = Value(
        dtype=np.float64,
        minimum=0.0,
        maximum=1.0,
        doc="share of its speed by which a jump stretches it",
    )
    damping = Value(dtype=np.float64, unit="1/s", minimum=0.0, doc="how fast wobbles die out")
    upright = Value(
        dtype=np.float64,
        minimum=0.0,
        maximum=1.0,
        unset=True,
        doc="1 stays upright, 0 rolls; None: by its shape",
    )

    grounded = Value(
        dtype=np.bool_, engine=True, doc="whether it stands on something that is not too steep"
    )
    on_slope = Value(
        dtype=np.bool_, engine=True, doc="whether that is a slope of more than 3 degrees"
    )
    sliding = Value(dtype=np.bool_, engine=True, doc="whether it is on a slope that is too steep")
    on_wall = Value(dtype=np.bool_, engine=True, doc="whether something upright is at its side")
    sticking = Value(dtype=np.bool_, engine=True, doc="whether it holds on to a surface")
    facing = Value(
        dtype=np.float64, engine=True, doc="1 when it last moved to the right, -1 to the left"
    )
    charge = Value(dtype=np.float64, engine=True, doc="of the next jump, 0 to 1")
    submerged = Value(dtype=np.float64, engine=True, doc="share of the body under water, 0 to 1")
    up = Value(2, dtype=np.float64, engine=True, doc="direction against gravity")
    normal = Value(
        2,
        dtype=np.float64,
        engine=True,
        doc="of the ground or the surface that it holds, away from it",
    )
    wall_normal = Value(
        2, dtype=np.float64, engine=True, doc="of the wall at its side, away from it"
    )
    ground_velocity = Value(
        2, dtype=np.float64, unit="m/s", engine=True, doc="of what it stands on, or stood on last"
    )
    ground_entity = Value(
        dtype=np.int64, engine=True, doc="what it stands on, 0 for nothing; see `standing`"
    )
    airtime = Value(
        dtype=np.float64, unit="s", engine=True, doc="how long it has not been on the ground"
    )
    since_jump = Value(dtype=np.float64, unit="s", engine=True, doc="time since the last jump")

    def __init__(
        self,
        *,
        speed: float = 5.0,
        acceleration: float = 30.0,
        braking: float = 30.0,
        air_control: float = 0.6,
        air_braking: float = 0.0,
        jump_height: float = 1.5,
        short_jump: float = 1.0,
        fall_gravity: float = 1.0,
        fall_speed: float = math.inf,
        coyote_time: float = 0.1,
        buffer_time: float = 0.12,
        slope_limit: float = math.pi / 4.0,
        charge_height: float = 1.0,
        charge_time: float = 0.6,
        squash_depth: float = 0.3,
        grip: float = 40.0,
        wall_jump: float = 0.0,
        bounce: float = 0.0,
        swim: float = 0.6,
        stretch: float = 0.0,
        damping: float = 10.0,
        upright: float | None = None,
    ) -> None:
        self._fill(
            None,
            move=0.0,
            jump=False,
            squash=False,
            stick=False,
            launch=0.0,
            speed=speed,
            acceleration=acceleration,
            braking=braking,
            air_control=air_control,
            air_braking=air_braking,
            jump_height=jump_height,
            short_jump=short_jump,
            fall_gravity=fall_gravity,
            fall_speed=fall_speed,
            coyote_time=coyote_time,
            buffer_time=buffer_time,
            slope_limit=slope_limit,
            charge_height=charge_height,
            charge_time=charge_time,
            squash_depth=squash_depth,
            grip=grip,
            wall_jump=wall_jump,
            bounce=bounce,
            swim=swim,
            stretch=stretch,
            damping=damping,
            upright=upright,
        )

    @classmethod
    def slime(cls, **changes: Any) -> Self:
        """Return a soft hero: it stretches and wobbles, charges high jumps, and sticks to walls."""
        given = {
            "speed": 5.0, "acceleration": 25.0, "braking": 20.0, "jump_height": 2.0,
            "short_jump": 0.45, "fall_gravity": 1.4, "charge_height": 2.0, "wall_jump": 4.0,
            "stretch": 0.3, "damping": 14.0,
        }  # fmt: skip
        return cls(**(given | changes))

    @classmethod
    def ball(cls, **changes: Any) -> Self:
        """Return a rolling hero: fast, slow to start and to stop, hard to steer in the air."""
        given = {
            "speed": 8.0, "acceleration": 12.0, "braking": 5.0, "air_control": 0.3,
            "jump_height": 1.5, "grip": 0.0, "bounce": 0.6, "damping": 4.0, "upright": 0.0,
        }  # fmt: skip
        return cls(**(given | changes))

    @classmethod
    def cube(cls, **changes: Any) -> Self:
        """Return an upright hero of a precise platformer: at full speed and at rest at once, with
        wall jumps.
        """
        given = {
            "speed": 6.0, "acceleration": 60.0, "braking": 60.0, "air_control": 0.8,
            "air_braking": 10.0, "jump_height": 2.5, "short_jump": 0.4, "fall_gravity": 1.6,
            "fall_speed": 16.0, "wall_jump": 5.0, "damping": 25.0, "upright": 1.0,
        }  # fmt: skip
        return cls(**(given | changes))

    @property
    def standing(self) -> int | None:
        """The entity that it stands on or holds, None in the air."""
        return int(self.ground_entity) or None

    def complete(self, particles: Store) -> None:
        """Find out whether the body is round."""
        values = self.value_arrays
        slot = self.slot
        if np.isnan(values["upright"][slot]):
            first = values["particle_first"][slot]
            last = values["particle_last"][slot]
            values["upright"][slot] = float(not is_round(particles["position"][first:last]))


def is_round(position: NDArray[np.float64]) -> bool:
    """Return whether points (N, 2) are as wide in all directions, or one point."""
    angle = np.arange(16, dtype=np.float64) * (math.pi / 16.0)
    widths = np.ptp(dot(position, directions(angle).T), axis=0)
    return bool(widths.min() >= ROUND * widths.max())
