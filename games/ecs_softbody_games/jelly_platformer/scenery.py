"""Scenery: what is drawn besides the bodies."""
from __future__ import annotations
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from ecs_softbody.rendering import Picture
    from ecs_softbody_games.jelly_platformer.game import JellyPlatformer

class Scenery:
    """x"""
    def __init__(self, game: JellyPlatformer) -> None:
        self.game = game
    def draw(self, picture: Picture, alpha: float) -> None:
        """x"""
