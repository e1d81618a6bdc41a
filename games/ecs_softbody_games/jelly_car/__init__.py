"""Jelly car: a soft car with two motor wheels, over hills to a flag."""

from ecs_softbody_games.jelly_car.game import JellyCar

__all__ = ["JellyCar"]
