"""Rule: the base of what one level has of its own."""

from __future__ import annotations

from typing import ClassVar

from ecs_softbody.play import Controls
from ecs_softbody.rendering import Picture
from ecs_softbody_games.jelly_platformer.course import Course


class Rule:
    """Something that a level has of its own. Override what it needs.

    Args:
        game: its world and its hero are there already.
    """

    keys: ClassVar[tuple[tuple[str, str], ...]] = ()
    """Actions that it answers, and what they do."""

    def __init__(self, game: Course) -> None:
        self.game = game

    @property
    def is_open(self) -> bool:
        """Whether the flag may be reached."""
        return True

    @property
    def hurts(self) -> bool:
        """Whether it has hurt the hero in this frame."""
        return False

    def update(self, controls: Controls, dt: float) -> None:
        """Do what one frame needs before the step,
        after the hero was told what the player wants.
        """

    def after_step(self, dt: float) -> None:
        """Do what one frame needs after the step."""

    def lose(self) -> None:
        """Let a misfortune happen to the hero, who then stands still for a moment."""

    def appear(self) -> None:
        """Begin again at the last lamp: the hero has just appeared there."""

    def seen(self) -> dict[str, float]:
        """Return what else conditions of the level's script may ask about."""
        return {}

    def draw(self, picture: Picture, time: float) -> None:
        """Add what the bodies' own pictures do not show."""
