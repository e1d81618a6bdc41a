"""Jelly platformer: a jelly rolls, bounces and flies to the flag."""

from ecs_softbody_games.jelly_platformer.game import JellyPlatformer

__all__ = ["JellyPlatformer"]
