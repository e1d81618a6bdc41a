"""Rules: what a level has of its own: a small class each, named by `rules` in the level's file."""

from ecs_softbody_games.jelly_platformer.rules.boss import Boss
from ecs_softbody_games.jelly_platformer.rules.breathe import Breathe
from ecs_softbody_games.jelly_platformer.rules.clay import Clay
from ecs_softbody_games.jelly_platformer.rules.gates import Gates
from ecs_softbody_games.jelly_platformer.rules.grip import Grip
from ecs_softbody_games.jelly_platformer.rules.nets import Nets
from ecs_softbody_games.jelly_platformer.rules.rule import Rule
from ecs_softbody_games.jelly_platformer.rules.split import Split

RULES: dict[str, type[Rule]] = {
    "boss": Boss,
    "breathe": Breathe,
    "clay": Clay,
    "gates": Gates,
    "grip": Grip,
    "nets": Nets,
    "split": Split,
}
"""By the names that files have."""

__all__ = ["RULES", "Rule"]
