"""The collision table: head-on collisions without gravity or losses, where momentum can be counted
in the head.

What is on it stands in room.toml.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ecs_softbody import FieldError
from ecs_softbody.scenes import Scene


@dataclass(frozen=True, slots=True)
class Lane:
    """One experiment: its height [m] and what it shows."""

    height: float
    label: str


@dataclass(frozen=True, slots=True)
class Marble:
    """A ball of the table: place [m], mass [kg], velocity [m/s]."""

    place: tuple[float, float]
    mass: float
    velocity: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        """Check what no ball can have.

        Raises:
            ValueError: naming the field, the value and what is allowed.
        """
        if not 0.0 < self.mass < 1000.0:
            raise FieldError("Marble", "mass", self.mass, "a number > 0 and < 1000 [kg]")


PARTS = (Lane, Marble)
"""What the file of the room may have, beside blueprints and components."""


def all_of(scene: Scene, kind: type[Any]) -> list[Any]:
    """Return the lanes, or the marbles, of a scene in the order of its file."""
    return [scene.sim.get(scene[name], kind) for name in scene if scene.sim.has(scene[name], kind)]
