"""Driver: the scripted one, who drives by keys, as the file of a track says where to hop, to slow
down and to lean.
"""

from __future__ import annotations

import numpy as np

from ecs_softbody.play import Controls
from ecs_softbody_games.jelly_car.car import Car
from ecs_softbody_games.jelly_car.track import Track

PROGRESS, PATIENCE, BACKS, MOST_BACKS = 0.4, 60, 55, 200
"""Where it takes more frames than this for so many metres, it backs off for some frames, and tries
again.
"""
RUN_UP = 2.0
"""It backs off further where it is nearer than this to a place to hop [m]."""
TOLERANCE_GROUND, TOLERANCE_AIR = 0.45, 0.1
"""It leans when the car is turned further than this from where it is to be [rad]."""
LOOKS_AHEAD = 0.25
"""It leans against where the car will be turned to in so many seconds."""


class Driver:
    """Drives one round."""

    def __init__(self, car: Car, track: Track) -> None:
        self.car = car
        self.track = track
        self.held: set[str] = set()
        self.hops = list(track.hops)
        self.mark = track.start[0]
        self.waited = -PATIENCE

    def controls(self) -> Controls:
        """Return what it does in this frame."""
        x = float(self.car.position[0])
        speed = float(self.car.velocity[0])
        held = self._drive(x, speed)
        if self.hops and x >= self.hops[0] and self.car.is_grounded():
            self.hops.pop(0)
            held.add("space")
        if lean := self._lean(x):
            held.add(lean)
        pressed = held - self.held
        released = self.held - held
        self.held = held
        return Controls(held=set(held), pressed=pressed, released=released)

    def _drive(self, x: float, speed: float) -> set[str]:
        """Drive on, as fast as is allowed here; stop behind the flag."""
        allowed = min(
            (limit for first, last, limit in self.track.limits if first <= x < last), default=np.inf
        )
        if self.track.stops and x > self.track.flag + 0.4:
            allowed = 0.0
        if speed > allowed + 0.4 or allowed == 0.0:
            self.mark = x
            self.waited = -PATIENCE
            return {"down"}
        if speed > allowed:
            return set()
        return self._get_on(x)

    def _get_on(self, x: float) -> set[str]:
        """Drive on; where the car does not get on, back off for a run-up."""
        self.waited += 1
        if x > self.mark + PROGRESS:
            self.mark = x
            self.waited = 0
        if self.waited < PATIENCE:
            return {"right"}
        needs_room = any(abs(x - hop) < RUN_UP for hop in self.track.hops)
        if self.waited >= PATIENCE + (MOST_BACKS if needs_room else BACKS):
            self.mark = x
            self.waited = -PATIENCE
            self.hops = [hop for hop in self.track.hops if hop > x]
        return {"left"}

    def _lean(self, x: float) -> str:
        """Turn the car to the ground below it, or to what the file says of this place."""
        grounded = self.car.is_grounded()
        wanted = next(
            (np.radians(angle) for first, last, angle in self.track.leans if first <= x < last),
            None,
        )
        if wanted is None:
            wanted = self.track.slope(x) if grounded else 0.0
        off = self.car.angle + LOOKS_AHEAD * self.car.body.pose().angular_velocity - wanted
        tolerance = TOLERANCE_GROUND if grounded else TOLERANCE_AIR
        return "d" if off > tolerance else "a" if off < -tolerance else ""
