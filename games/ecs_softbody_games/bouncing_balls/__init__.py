"""Bouncing balls: a room full of elastic balls and soft blobs, with every law on a switch."""

from ecs_softbody_games.bouncing_balls.game import BouncingBalls

__all__ = ["BouncingBalls"]
