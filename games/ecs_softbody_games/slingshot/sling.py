"""Sling: a shot is pulled back from the fork, and let go; what the player aims with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_softbody import MouseJoint, Particles, Simulation, blueprints
from ecs_softbody.elementary import atan2, cos, dot, length, sin
from ecs_softbody.indices import arange
from ecs_softbody.play import Controls
from ecs_softbody.rendering import Look, palette

Floats = NDArray[np.float64]

FARTHEST, SHORTEST = 1.5, 0.3
"""How far a shot is pulled back at most, and at least to be let go [m]."""
SPEED = 16.0
"""Of a shot that was pulled back all the way [m/s]."""
STEEPEST = np.radians(80.0)
FLATTEST = np.radians(-30.0)
TURNING, PULLING = 0.9, 1.1
"""How fast keys turn the aim [rad/s] and pull [m/s]."""
HOLD = 12.0
"""How firmly the pouch holds a shot [Hz]."""
STRETCH = 4.0
"""How fast a shot grows longer and thinner as it is let go [1/s]."""
SHOT = 2
"""Category of the colliders of shots: the wind blows on them alone."""
PARTS, PART_SPEED = 3, 2.5
"""Into how many a shot splits, and how fast they part [m/s]."""


@dataclass(frozen=True)
class Kind:
    """What a shot is made of."""

    radius: float
    fill: palette.Colour
    material: str = "jelly"
    density: float | None = None
    splits: bool = False


KINDS = {
    "jelly": Kind(0.34, palette.CORAL),
    "rubber": Kind(0.32, palette.BLUE, "rubber"),
    "stone": Kind(0.36, palette.STEEL, "tyre", density=4.0),
    "cluster": Kind(0.38, palette.PINK, splits=True),
    "part": Kind(0.2, palette.PINK, "rubber"),
}
"""The shots by the names that rounds use."""


class Sling:
    """The fork, the shot in it, and the aim.

    Args:
        sim: the world of the round.
        fork: where a shot rests [m].
    """

    def __init__(self, sim: Simulation, fork: ArrayLike) -> None:
        self.sim = sim
        self.fork = np.asarray(fork, np.float64)
        self.angle = float(np.radians(25.0))
        self.pull = 0.0
        self.shot: int | None = None
        self.kind = KINDS["jelly"]
        self._joint: int | None = None
        self._grip: Floats | None = None

    def load(self, name: str) -> int:
        """Lay a shot into the pouch, and return it."""
        self.kind = KINDS[name]
        self.shot = spawn_shot(self.sim, self.kind, self.fork)
        joint = MouseJoint(
            self.shot, at=self.fork, target=self.fork, frequency=HOLD, damping_ratio=1.0
        )
        self._joint = self.sim.spawn(joint)
        self.pull = 0.0
        self._grip = None
        return self.shot

    @property
    def direction(self) -> Floats:
        """Where a shot will fly."""
        return np.array((cos(self.angle), sin(self.angle)))

    @property
    def pouch(self) -> Floats:
        """Where the pouch is pulled to [m]."""
        return np.asarray(self.fork - self.pull * self.direction)

    @property
    def velocity(self) -> Floats:
        """With which a shot would leave now [m/s]."""
        return np.asarray(SPEED * self.pull / FARTHEST * self.direction)

    @property
    def is_held(self) -> bool:
        """Whether the mouse has hold of the shot."""
        return self._grip is not None

    def aim(self, controls: Controls, dt: float) -> bool:
        """Follow mouse, keys or stick; return whether the shot is let go."""
        if controls.was_pressed("mouse_left"):
            pointer = np.asarray(controls.pointer)
            near = length(pointer - self.fork) < 1.2
            self._grip = self.fork if near else pointer
        if self._grip is not None:
            self.pull_to(self.fork + np.asarray(controls.pointer) - self._grip)
        self.angle = float(
            np.clip(self.angle + TURNING * dt * controls.axis("angle"), FLATTEST, STEEPEST)
        )
        self.pull = float(np.clip(self.pull - PULLING * dt * controls.axis("pull"), 0.0, FARTHEST))
        if self._joint is not None:
            self.sim.get(self._joint, MouseJoint).target = self.pouch
        # A release during the pause does not shoot.
        let_go = self.is_held and controls.was_released("mouse_left")
        shoots = let_go or controls.was_pressed("shoot")
        if shoots or not controls.is_pressed("mouse_left"):
            self._grip = None
        if not shoots:
            return False
        if self.pull < SHORTEST:
            self.pull = 0.0
            return False
        return True

    def pull_to(self, place: ArrayLike) -> None:
        """Pull the pouch to a place [m], as far as the band goes."""
        away = self.fork - np.asarray(place)
        self.pull = min(length(away), FARTHEST)
        if self.pull > 0.05:
            self.angle = float(np.clip(atan2(away[1], away[0]), FLATTEST, STEEPEST))

    def let_go(self) -> int:
        """Let the shot fly, longer and thinner than it was, and return it."""
        assert self.shot is not None
        assert self._joint is not None
        self.sim.despawn(self._joint)
        body = self.sim.get(self.shot, Particles)
        offset = body.position - body.center
        along = dot(offset, self.direction)
        across = offset - along[:, None] * self.direction
        body.velocity = self.velocity + STRETCH * (along[:, None] * self.direction - across)
        flying = self.shot
        self.shot = None
        self._joint = None
        self.pull = 0.0
        return flying

    def path(self, count: int, seconds: float = 0.07) -> Floats:
        """Return where a shot would be after each of so many moments,
        if nothing stood there [m].
        """
        time = seconds * arange(1, count + 1)[:, None]
        return np.asarray(self.pouch + time * self.velocity + 0.5 * time**2 * self.sim.gravity)


def spawn_shot(
    sim: Simulation, kind: Kind, place: ArrayLike, velocity: ArrayLike = (0.0, 0.0)
) -> int:
    """Make a shot of a kind."""
    body: tuple[Any, ...] = blueprints.blob(
        place,
        kind.radius,
        particles=16,
        material=kind.material,
        density=kind.density,
        velocity=velocity,
        category=SHOT,
    )
    return sim.spawn(*body, Look(fill=kind.fill, eyes=2, eye_size=0.3))


def split(sim: Simulation, shot: int) -> list[int]:
    """Make several small shots of a large one; together they fly on as it did."""
    body = sim.get(shot, Particles)
    center = body.center
    velocity = body.velocity.mean(axis=0)
    across = np.array((-velocity[1], velocity[0])) / max(length(velocity), 1e-6)
    sim.despawn(shot)
    sides = np.linspace(-1.0, 1.0, PARTS)
    part = KINDS["part"]
    return [
        spawn_shot(
            sim,
            part,
            center + 1.1 * side * 2.0 * part.radius * across,
            velocity + PART_SPEED * side * across,
        )
        for side in sides
    ]
