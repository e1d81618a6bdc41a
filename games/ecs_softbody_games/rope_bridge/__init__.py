"""Rope bridge: mend it with ropes and planks, load it, and see where it breaks."""

from ecs_softbody_games.rope_bridge.game import RopeBridge

__all__ = ["RopeBridge"]
