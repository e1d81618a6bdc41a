"""Springs lab: each classic of springs and soft bodies as a page to touch."""

from ecs_softbody_games.springs_lab.game import SpringsLab

__all__ = ["SpringsLab"]
