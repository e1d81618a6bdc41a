"""The picture of docs/characters.md: `python benchmarks/hero_picture.py` writes
docs/images/characters.png.
"""

from __future__ import annotations

from pathlib import Path

from ecs_softbody import Character, Simulation, StaticCollider, blueprints
from ecs_softbody.play import Controls, Game, record
from ecs_softbody.rendering import Look, palette

IMAGE = Path(__file__).parents[1] / "docs" / "images" / "characters.png"
FRAMES = 95
GROUND = [(-9, 6), (-9, 2), (-5, 0), (6, 0), (6, 6)]


class Heroes(Game):
    """Five heroes in one moment: on a slope, crouching, rising, at a wall, landing."""

    name = title = "heroes"

    def start(self) -> None:
        """Put them where they act."""
        self.close()
        self.sim = Simulation(world="heroes")
        self.frame = 0
        self.sim.spawn(StaticCollider(GROUND), Look(style="ground"))
        self.heroes = {}
        for what, x, y in (
            ("slope", -7.2, 2.0),
            ("squash", -3.8, 0.7),
            ("jump", -1.0, 0.7),
            ("land", 1.7, 0.7),
            ("stick", 5.3, 2.6),
        ):
            self.heroes[what] = Character.slime(fall_gravity=1.0)
            body = blueprints.blob((x, y), 0.65)
            self.sim.spawn(*body, self.heroes[what], Look(fill=palette.GREEN, eyes=2))
        self.camera.fit((-9, -0.7, 6.5, 5.5))

    def update(self, controls: Controls, dt: float) -> None:
        """Let each do its part."""
        self.frame += 1
        self.heroes["squash"].squash = True
        self.heroes["jump"].jump = self.frame > FRAMES - 10
        self.heroes["land"].launch = 7.0 if self.frame == FRAMES - 90 else 0.0
        self.heroes["stick"].move = float(self.frame < 30)
        self.heroes["stick"].stick = True

    def autopilot(self) -> Controls:
        """Return no keys."""
        return Controls()


if __name__ == "__main__":
    record(Heroes(), IMAGE, seconds=FRAMES / 60.0, size=(960, 400))
