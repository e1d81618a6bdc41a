"""Slingshot: soft shots at towers, ten rounds."""

from ecs_softbody_games.slingshot.game import Slingshot

__all__ = ["Slingshot"]
