"""Pieces: what becomes of a body that is cut or torn. Pure geometry first, then components, then entities."""

from ecs_softbody.pieces.cutter import Cut, Cutter

__all__ = ["Cut", "Cutter"]
