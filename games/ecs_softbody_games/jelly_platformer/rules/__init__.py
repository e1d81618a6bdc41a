"""Rules: what a level has of its own: a small class each, named by `rules` in the level's file."""

from ecs_softbody_games.jelly_platformer.rules.breathe import Breathe
from ecs_softbody_games.jelly_platformer.rules.rule import Rule

RULES: dict[str, type[Rule]] = {"breathe": Breathe}
"""By the names that files have."""

__all__ = ["RULES", "Rule"]
