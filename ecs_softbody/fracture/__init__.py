"""Fragments of bodies that are cut or torn. Pure geometry first, then components, then entities."""

from ecs_softbody.fracture.cutter import Cut, Cutter

__all__ = ["Cut", "Cutter"]
