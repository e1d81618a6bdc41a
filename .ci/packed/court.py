"""A game with a scene file, a Tiled map, a drawing and a picture.

CI packs it and starts it away from its sources.
"""

from pathlib import Path

from ecs_softbody import imports
from ecs_softbody.play import Game, record

HERE = Path(__file__).parent


class Court(Game):
    """A court of a map in a scene file; a drawing and a picture drop into it."""

    name, title, tagline = "court", "Court", "Everything falls"
    scene = "court.toml"

    def start(self):
        """Begin a round."""
        super().start()
        imports.svg(HERE / "leaf.svg", height=3.0).spawn(self.sim)
        self.sim.spawn(*imports.picture(HERE / "cat.png", (8.0, 6.0), height=1.5))


if __name__ == "__main__":
    record(Court, "court.png", seconds=1.0)
    print("Court was played.")
