"""Toy: a lab with a goal, which is said on the screen and worth one to three stars; the best result
is kept.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from ecs_softbody.play import say, translated
from ecs_softbody.rendering import Picture, draw_cached, palette
from ecs_softbody_games.framing import framed
from ecs_softbody_games.labs.lab import MARGIN, PAD, Lab, Place
from ecs_softbody_games.stars import (
    best_stars,
    draw_hopping_arrow,
    draw_stars,
    draw_won_stars,
    keep_stars,
)

GOAL_SIZE = 25.0
STAR_SIZE = 14.0
GOAL_HIGH = 84.0
"""Sizes on the screen [points]."""
POINTED = 240
"""Frames at the start of a round in which an arrow shows where the goal is."""
FAILURES = 2
"""After so many the arrow stays."""


class Toy(Lab):
    """Base class of the labs with a goal.

    A toy states `goal` and `best_result`, overrides `stars` and calls `finish` when its round has
    ended. Everything else in it is there to be played with.
    """

    goal: ClassVar[str] = ""
    """Key of the text that says what is to be done."""
    better: ClassVar[Literal["higher", "lower"]] = "lower"
    """Which results are better."""
    clear_low: ClassVar[float | None] = None
    """`clear` for windows that are low."""
    result = 0.0
    """Of the round that has ended."""
    failures = 0
    """Rounds that were lost since the game was opened, or since one was won."""

    @property
    def framed(self) -> tuple[float, float, float, float]:
        """What is seen of the view in this window."""
        if not self.is_low:
            return super().framed
        return framed(
            self.view, self.camera, clear=self.clear_low or self.clear, panel=MARGIN + GOAL_HIGH
        )

    @property
    def stars(self) -> int:
        """How many stars the round is worth as it stands, 0 to 3."""
        return 3

    def goal_place(self) -> Place | None:
        """Return where an arrow points to in the first seconds [m]; None: nowhere."""
        return None

    def arrow_height(self, place: Place) -> float:
        """Return how far above a goal [m] its arrow hops: higher than what stands there."""
        return 0.0

    @property
    def is_helped(self) -> bool:
        """Whether the player has failed so often that the game shows how."""
        return self.failures >= FAILURES

    def finish(self, stars: int, result: float = 0.0) -> None:
        """End the round: won and kept with one star or more, lost with none."""
        self.result = result
        if not stars:
            self.failures += self.outcome is None
            self.outcome = "lost"
            return
        self.failures = 0
        keep_stars(self, stars)
        self.saves.keep_best(self.best_result[0], result, better=self.better, low=0.0)
        self.outcome = "won"

    def draw(self, picture: Picture, alpha: float) -> None:
        """Draw the goal in the upper left corner, with the stars and the best result, and the
        numbers beside it.
        """
        self.look_anew()
        key, written = self.best_result
        best = self.saves.number(key, None, low=0.0)
        goal = say(self.goal)
        size = min(
            GOAL_SIZE, GOAL_SIZE * (picture.width - 90.0) / picture.text_width(goal, GOAL_SIZE)
        )
        result = "" if best is None else say("menu.best", result=written.format(best))
        if self.is_low:  # the first of the numbers is what the goal is about
            result = "  ".join(translated(part) for part in self.numbers()[0])
        wide = max(
            picture.text_width(goal, size),
            5.6 * STAR_SIZE + 24.0 + picture.text_width(result, 20.0),
        )
        left = MARGIN + PAD
        top = picture.height - MARGIN
        fresh = self.sim.frame < POINTED and self.sim.frame % 60 < 40
        shown = self.stars if self.outcome is None else best_stars(self)

        def draw_goal() -> None:
            picture.panel((MARGIN, top - GOAL_HIGH), (left + wide + PAD, top))
            picture.text(
                goal,
                (left, top - 36.0),
                size=size,
                colour=palette.TEXT_ACCENT if fresh else palette.TEXT,
            )
            draw_stars(picture, shown, (left + 3.3 * STAR_SIZE, top - 62.0), STAR_SIZE)
            picture.text(
                result,
                (left + 5.6 * STAR_SIZE + 24.0, top - 69.0),
                size=20.0,
                colour=palette.TEXT_DIM,
            )

        draw_cached(picture, "goal", (goal, result, fresh, shown), draw_goal)
        if not self.is_low:
            self.draw_numbers(picture, beside=left + wide + 2.0 * PAD, below=GOAL_HIGH + 10.0)
        place = self.goal_place()
        if (
            place is not None
            and (self.sim.frame < POINTED or self.is_helped)
            and self.outcome is None
        ):
            draw_hopping_arrow(picture, place, self.sim.frame, above=self.arrow_height(place))
        if self.outcome == "won":
            draw_won_stars(picture, self.stars)
