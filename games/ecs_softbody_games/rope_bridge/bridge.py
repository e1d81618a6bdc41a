"""Bridge: planks, joints and weights of a round, and what the player may still use."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any, ClassVar

import esper
import numpy as np

from ecs_softbody import Attachment, Particles
from ecs_softbody_games.labs.lab import Lab

PLANKS = 9
FAILURES = 2
"""After so many the game helps: it shows where the next rope or plank would go, and when to send
the next weight.
"""
POSTS = np.array(((-4.7, 6.1), (4.7, 6.1)))
"""Where ropes are tied to [m]."""


class Bridge(Lab):
    """A bridge from the file of its round; `RopeBridge` has the rules."""

    levels: ClassVar[Sequence[str]] = tuple(
        f"rounds/{number}_{name}.toml"
        for number, name in enumerate(("spread", "ropes", "rotten", "slick", "heavy"), 1)
    )

    def __init__(self) -> None:
        super().__init__()
        self.failures = [0] * len(self.levels)

    def build(self) -> None:
        """Find the bridge between both cliffs, and what the round allows."""
        assert self.loaded is not None
        data = self.loaded.data
        self.weights_left: list[float] = [float(mass) for mass in data["weights"]]
        self.brake = float(data["brake"])
        self.goal = sum(self.weights_left)
        self.stars_for: list[int] = data["stars"]
        self.ropes = int(data["ropes"])
        self.mends = int(data["planks"])
        self.solution: list[list[Any]] = data["solution"]
        self.step_of_solution = 0
        self.rest = 80
        self.done: list[str] = []
        self.hung: dict[int, list[int]] = {}
        """Ropes of each joint that has some."""
        self.posts = POSTS
        self.aim = 0.0
        self.weights: list[int] = []
        self.arrived: list[float] = []
        self.used = self.broken = self.waited = 0
        self.fallen = False
        self.broke_place: np.ndarray | None = None
        self.places: dict[int, np.ndarray] = {}
        self.loads: deque[float] = deque(maxlen=40)
        self.load = self.broke_at = self.strongest = self.strain = self.stopped = 0.0
        self.best = float(self.saves.number("load", 0.0, low=0.0))
        self.planks = [self.named(f"plank-{number}") for number in range(1, PLANKS + 1)]
        between = [f"joint-{number}" for number in range(1, PLANKS)]
        self.joints = [self.named(name) for name in ("joint-left", "joint-right", *between)]
        self.strength = {
            joint: float(self.get(joint, Attachment).break_force) for joint in self.joints
        }
        self.rotten = set(self.loaded.tags.get("rotten", []))

    @property
    def stars(self) -> int:
        """Stars for the ropes and planks that were used."""
        return 1 + sum(self.used <= most for most in self.stars_for)

    @property
    def is_helped(self) -> bool:
        """Whether the player has failed so often that the game shows what to do next."""
        return self.failures[self.level_number] >= FAILURES

    @property
    def hint(self) -> tuple[str, float] | None:
        """What to do next, and where [m]: the next of the solution that is not done yet.

        "rope" and "plank" are placed there; "send" waits until the weight ahead is there.
        """
        left = list(self.done)
        for what, x in self.solution:
            if what not in left:
                return str(what), float(x)
            left.remove(what)
        return None

    def has_joint(self, joint: int) -> bool:
        """Return whether a joint still holds."""
        with self.sim:
            return bool(esper.entity_exists(joint) and esper.has_component(joint, Attachment))

    def place_of(self, joint: int, alpha: float) -> np.ndarray:
        """Return where a joint is drawn [m]."""
        return self.places_of([joint], alpha)[joint]

    def places_of(self, joints: Sequence[int], alpha: float) -> dict[int, np.ndarray]:
        """Return where each of some joints that still hold is drawn [m]."""
        places: dict[int, np.ndarray] = {}
        with self.sim:
            for joint in joints:
                attachment = (
                    esper.try_component(joint, Attachment) if esper.entity_exists(joint) else None
                )
                if attachment is not None:
                    body = esper.component_for_entity(attachment.between[0], Particles)
                    rows = attachment.rows[attachment.side == 0]
                    before = body.frame_position[rows]
                    seen = before + alpha * (body.position[rows] - before)
                    places[joint] = np.add.reduce(seen, axis=0) / len(seen)
        return places

    def nearest_joint(self) -> int | None:
        """Return the joint between two planks that is nearest to the aim."""
        places = self.places_of(self.joints[2:], 1.0)
        return min(places, key=lambda joint: abs(places[joint][0] - self.aim), default=None)

    def post_for(self, joint: int) -> np.ndarray:
        """Return the post on the side of a joint [m]."""
        return np.asarray(self.posts[int(self.place_of(joint, 1.0)[0] > 0.0)])

    @property
    def across(self) -> float:
        """What has arrived on the other bank [kg]."""
        return sum(self.arrived)

    @property
    def ahead(self) -> float:
        """Where the weight is that was sent last [m]; far away where all have arrived."""
        return float(self.center_of(self.weights[-1])[0]) if self.weights else np.inf

    def carried(self) -> set[int]:
        """Return the weights that roll on the bridge, and what leans on them."""
        carried: set[int] = set()
        carriers = set(self.planks)
        pairs = self.sim.touching.tolist()
        while carriers:
            touched = {b for a, b in pairs if a in carriers} | {
                a for a, b in pairs if b in carriers
            }
            carriers = touched.intersection(self.weights) - carried
            carried |= carriers
        return carried
