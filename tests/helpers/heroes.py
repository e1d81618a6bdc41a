"""Heroes: scenes in which a Character of any kind stands on a ground."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from ecs_softbody import Character, Particles, Simulation, StaticCollider, blueprints

NUMBERS = itertools.count()
FLAT = [(-500, 0), (500, 0)]
FRAME = 1.0 / 60.0


def parts(kind, size, at=(0.0, 0.0)):
    """Return a body that stands at a place."""
    x, y = at
    half = 0.5 * size
    corners = np.add([(-half, 0), (half, 0), (half, size), (-half, size)], at)
    made = {
        "blob": lambda: blueprints.blob((x, y + half), half),
        "wheel": lambda: blueprints.wheel((x, y + half), half),
        "box": lambda: blueprints.box((x, y + half), size),
        "polygon": lambda: blueprints.polygon(corners),
        "ball": lambda: blueprints.ball((x, y + half), half),
    }
    return made[kind]()


class Scene:
    """A hero on a ground."""

    def __init__(
        self,
        kind="blob",
        size=1.0,
        *,
        ground=FLAT,
        at=(0.0, 0.0),
        character=None,
        frames=60,
        **options,
    ):
        self.sim = Simulation(world=f"characters {next(NUMBERS)}", **options)
        self.wall = StaticCollider(ground, friction=0.8)
        self.ground = self.sim.spawn(self.wall)
        self.character = character or Character()
        self.hero = self.sim.spawn(*parts(kind, size, at), self.character)
        self.body = self.sim.get(self.hero, Particles)
        self.run(frames)

    def run(self, frames, **wanted):
        """Let frames pass; return where the centre was after each."""
        for name, value in wanted.items():
            setattr(self.character, name, value)
        path = []
        for _ in range(frames):
            self.sim.step()
            path.append(self.sim.center(self.hero))
        return np.array(path)

    @property
    def velocity(self):
        return np.array(self.body.pose().velocity)


@pytest.fixture(autouse=True)
def close_worlds():
    first = next(NUMBERS)
    yield
    for number in range(first, next(NUMBERS)):
        Simulation(world=f"characters {number}").close()
