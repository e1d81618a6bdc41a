"""The collision table: head-on collisions without gravity or losses, where momentum can be counted in the head."""

from __future__ import annotations

from dataclasses import dataclass

from ecs_softbody.blueprints import radius_of
from ecs_softbody_games.bouncing_balls.crowd import DENSITY, Body, Crowd

LANES = (6.3, 4.2, 1.9)
"""Heights of the three experiments [m]."""
CRADLE = 5
GAP = 0.03
"""Between the balls of the row [m]: wide enough that they hit one after the other, as Newton's do."""


@dataclass(frozen=True, slots=True)
class Lane:
    """One experiment: its height [m] and what it shows."""

    height: float
    label: str


LABELS = (
    Lane(LANES[0], "equal masses swap their speeds"),
    Lane(LANES[1], "heavy and light"),
    Lane(LANES[2], "a row hands the push on"),
)


def build_table(crowd: Crowd) -> list[Body]:
    """Put three experiments into an empty room; gravity, drag and losses should be off."""
    made = [
        crowd.add((-4.5, LANES[0]), 1.5, velocity=(4.0, 0.0)),
        crowd.add((3.5, LANES[0]), 1.5, velocity=(-1.0, 0.0)),
        crowd.add((-4.0, LANES[1]), 3.0, velocity=(2.0, 0.0)),
        crowd.add((3.0, LANES[1]), 0.5),
    ]
    radius = radius_of(1.0, DENSITY)
    made += [crowd.add((k * (2.0 * radius + GAP), LANES[2]), 1.0) for k in range(CRADLE)]
    made.append(crowd.add((-4.5, LANES[2]), 1.0, velocity=(5.0, 0.0)))
    return made
