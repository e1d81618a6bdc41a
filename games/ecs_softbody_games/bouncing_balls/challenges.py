"""Challenges: what is to be done with the bodies of the room, with which of the toys, and how well
it was done.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ecs_softbody import StaticCollider
from ecs_softbody.elementary import length
from ecs_softbody.play import FRAME
from ecs_softbody.rendering import Layer, Look, Picture, palette
from ecs_softbody_games.bouncing_balls.crowd import Body, Crowd
from ecs_softbody_games.bouncing_balls.settings import EARTH, Settings

CALM, CALM_FRAMES = 2.0, 20
"""A body rests when it is not faster than this [m/s] for so long."""
TOUCH = 0.06
"""What is so near to a wall touches it [m]."""
TURN = np.linspace(0.0, 2.0 * np.pi, 40, endpoint=False)


class Challenge:
    """Base class: one challenge in one round.

    Attributes:
        key: of its texts: `balls.KEY` is the goal, `balls.KEY_hint` what helps.
        toys: what the player may use: mouse, gravity, kick.
        limit: so long it lasts at most [s].
        best, good: results up to these are worth three stars, and two; less is better.
        switches: how gravity, drag and bounce stand.
    """

    key: ClassVar[str] = ""
    toys: ClassVar[frozenset[str]] = frozenset(("mouse",))
    limit: ClassVar[float] = 60.0
    best: ClassVar[float] = 20.0
    good: ClassVar[float] = 40.0
    switches: ClassVar[Settings] = Settings()

    def __init__(self, crowd: Crowd) -> None:
        self.crowd = crowd
        self.frame = 0
        self.kicks = 0
        self.lost = False
        self.build()

    def build(self) -> None:
        """Add the bodies, and whatever stands in the room."""

    def look(self) -> None:
        """See what has happened in a frame."""

    @property
    def done(self) -> int:
        """How much is done."""
        return 0

    @property
    def most(self) -> int:
        """How much is to be done."""
        return 1

    def draw(self, picture: Picture) -> None:
        """Draw what is no body."""

    def follow(self) -> None:
        """Go on by a frame."""
        self.frame += 1
        self.look()
        self.lost = self.lost or self.time >= self.limit

    @property
    def time(self) -> float:
        """Since it has begun [s]."""
        return self.frame * FRAME

    @property
    def result(self) -> float:
        """What counts: less is better."""
        return self.time

    @property
    def won(self) -> bool:
        """Whether all is done."""
        return self.done >= self.most and not self.lost

    @property
    def stars(self) -> int:
        """Stars for being done now."""
        return 1 + (self.result <= self.good) + (self.result <= self.best)

    def stand(self, *vertices: tuple[float, float]) -> None:
        """Put a line of wood into the room."""
        wall = StaticCollider(vertices, radius=TOUCH, friction=0.3)
        self.crowd.sim.spawn(wall, Look(style="line", fill=palette.AMBER))


class Basket(Challenge):
    """Three blobs into a basket."""

    key = "basket"
    best = 14.0
    good = 28.0
    switches = Settings(restitution_level=1)
    inside = (3.0, 1.4, 5.2, 3.4)

    def build(self) -> None:
        """Hang the basket up."""
        left, bottom, right, top = self.inside
        self.stand((left, top), (left + 0.3, bottom), (right - 0.3, bottom), (right, top))
        for x in (-4.5, -3.0, -1.5):
            self.crowd.add((x, 0.5), 1.4, soft=True)
        self.rested = 0

    def look(self) -> None:
        """Count those that lie in it."""
        self.rested = self.rested + 1 if len(self.inside_now()) == self.most else 0

    def inside_now(self) -> list[Body]:
        """Return who is in the basket and slow."""
        low = np.array(self.inside[:2])
        high = np.array(self.inside[2:])
        return [
            body
            for body in self.crowd.bodies
            if ((low < body.place) & (body.place < high)).all() and length(body.velocity) < CALM
        ]

    @property
    def done(self) -> int:
        """Those that are in it; the last one counts when all have rested a while."""
        return min(len(self.inside_now()), self.most - (self.rested < CALM_FRAMES))

    @property
    def most(self) -> int:
        """All of them."""
        return 3


class KeepUp(Challenge):
    """A blob stays in the air."""

    key = "keep_up"
    toys = frozenset(("kick",))
    best = 18.0
    good = 22.0

    def build(self) -> None:
        """Let it fall."""
        self.blob = self.crowd.add((0.0, 6.0), 2.4, soft=True)

    def look(self) -> None:
        """Lose when it touches the floor."""
        body = self.blob.particles
        self.lost = bool((body.position[:, 1] - body.radius).min() < self.crowd.bounds[1] + TOUCH)

    @property
    def done(self) -> int:
        """Seconds in the air."""
        return int(self.time + 1e-6)

    @property
    def most(self) -> int:
        """So many [s]."""
        return 12

    @property
    def result(self) -> float:
        """Kicks."""
        return self.kicks


class Rings(Challenge):
    """A blob flies through rings by gravity alone."""

    key = "rings"
    toys = frozenset(("gravity",))
    best = 15.0
    good = 30.0
    switches = Settings(fluid_level=2, restitution_level=1)
    places: ClassVar[tuple[tuple[float, float], ...]] = (
        (4.0, 1.2),
        (4.0, 6.4),
        (0.0, 4.0),
        (-4.4, 6.4),
        (-4.4, 1.2),
    )
    radius = 0.75

    def build(self) -> None:
        """Put the blob in a corner."""
        self.blob = self.crowd.add((-4.0, 0.6), 1.6, soft=True)
        self.passed = 0

    def look(self) -> None:
        """Count the rings in their order."""
        if (
            self.passed < self.most
            and length(self.blob.place - self.places[self.passed]) < self.radius
        ):
            self.passed += 1

    @property
    def done(self) -> int:
        """Rings so far."""
        return self.passed

    @property
    def most(self) -> int:
        """All rings."""
        return len(self.places)

    def draw(self, picture: Picture) -> None:
        """Draw the rings that are left, the next one in gold."""
        for number, place in enumerate(self.places[self.passed :], self.passed):
            fresh = number == self.passed
            colour = (
                palette.darker(palette.GOLD, 0.1) if fresh else palette.faded(palette.STEEL, 0.5)
            )
            ring = place + self.radius * np.column_stack((np.cos(TURN), np.sin(TURN)))
            picture.stroke(ring, 6.0 if fresh else 3.0, colour, closed=True)
            picture.text(
                str(number + 1),
                place,
                size=26.0,
                align="center",
                vertical="middle",
                space="world",
                layer=Layer.DECOR,
                colour=colour,
            )


class Speed(Challenge):
    """A ball becomes fast, by turning gravity in time."""

    key = "speed"
    toys = frozenset(("gravity",))
    best = 6.0
    good = 12.0
    switches = Settings(fluid_level=0, restitution_level=3)

    def build(self) -> None:
        """Let the ball fall."""
        self.ball = self.crowd.add((0.0, 4.0), 2.0)
        self.fastest = 0.0

    def look(self) -> None:
        """Note how fast it is."""
        self.fastest = max(self.fastest, length(self.ball.velocity))

    @property
    def done(self) -> int:
        """Its highest speed [m/s]."""
        return int(self.fastest)

    @property
    def most(self) -> int:
        """So fast; a fall through the whole room gives half of it."""
        _, bottom, _, top = self.crowd.bounds
        return int(2.0 * np.sqrt(2.0 * EARTH * (top - bottom)))


class Paint(Challenge):
    """A blob paints the walls where it touches them."""

    key = "paint"
    best = 12.0
    good = 25.0
    tile: ClassVar[float] = 0.6

    def build(self) -> None:
        """Put the blob on the floor."""
        self.blob = self.crowd.add((0.0, 0.7), 3.0, soft=True)
        left, bottom, right, top = self.crowd.bounds
        across = np.arange(left + 0.5 * self.tile, right, self.tile)
        up = np.arange(bottom + 0.5 * self.tile, top, self.tile)
        rows = [[(x, y) for x in across] for y in (bottom, top)] + [
            [(x, y) for y in up] for x in (left, right)
        ]
        self.tiles = np.array([place for row in rows for place in row])
        self.painted = np.zeros(len(self.tiles), bool)
        self.upright = np.isin(self.tiles[:, 0], (left, right))

    def look(self) -> None:
        """Paint what it touches."""
        body: NDArray[np.float64] = self.blob.particles.position
        reach = float(self.blob.particles.radius.max()) + TOUCH
        away = np.abs(body[:, None] - self.tiles[None])
        along = np.where(self.upright, away[..., 1], away[..., 0])
        off = np.where(self.upright, away[..., 0], away[..., 1])
        self.painted |= ((along < 0.5 * self.tile) & (off < reach)).any(axis=0)

    @property
    def done(self) -> int:
        """Tiles that are painted, in percent."""
        return int(100.0 * self.painted.mean())

    @property
    def most(self) -> int:
        """The corners are hard to reach: nearly all."""
        return 90

    def draw(self, picture: Picture) -> None:
        """Draw what is painted."""
        colour = self.blob.look.fill or palette.CORAL
        for (x, y), upright in zip(
            self.tiles[self.painted], self.upright[self.painted], strict=True
        ):
            half = np.array((0.12, 0.5 * self.tile) if upright else (0.5 * self.tile, 0.12))
            picture.rectangle(
                np.subtract((x, y), half), np.add((x, y), half), colour, layer=Layer.DECOR
            )


class Shelf(Challenge):
    """All balls off a shelf, with a blob to throw."""

    key = "shelf"
    best = 10.0
    good = 20.0
    height = 3.0

    def build(self) -> None:
        """Put the balls on the shelf; little rims hold them."""
        y = self.height
        self.stand((0.6, y + 0.16), (0.8, y), (5.0, y), (5.2, y + 0.16))
        self.blob = self.crowd.add((-4.0, 0.7), 3.0, soft=True)
        self.balls = [self.crowd.add((1.2 + 0.68 * number, y + 0.36), 1.0) for number in range(6)]

    @property
    def done(self) -> int:
        """Those that are below it."""
        return sum(body.place[1] < self.height for body in self.balls)

    @property
    def most(self) -> int:
        """All of them."""
        return len(self.balls)


CHALLENGES: tuple[type[Challenge], ...] = (Basket, Rings, Shelf, KeepUp, Paint, Speed)
"""In the order of the map; number 0 of the map is the sandbox."""
