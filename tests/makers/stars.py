"""A game in one file, as a maker writes it: opened by its path, its module or its class."""

from __future__ import annotations

from ecs_softbody import Particles, Simulation, StaticCollider, blueprints
from ecs_softbody.play import Controls, Game, play
from ecs_softbody.rendering import Look


class Stars(Game):
    name = "stars"
    title = "Stars"

    def start(self) -> None:
        self.close()
        self.sim = Simulation(world="stars")
        self.sim.spawn(StaticCollider([(-7, 0), (7, 0)]))
        self.hero = self.sim.spawn(*blueprints.ball((0, 1), 0.4), Look(eyes=2))

    def update(self, controls: Controls, dt: float) -> None:
        self.sim.get(self.hero, Particles).velocity[:, 0] += 10.0 * dt * controls.horizontal
        if controls.was_pressed("x"):
            self.count_stars(0)

    def count_stars(self, number: int) -> float:
        return 1 / number


if __name__ == "__main__":
    play(Stars)
