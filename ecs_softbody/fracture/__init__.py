"""Fracture: bodies that are cut or torn become fragments, new bodies with entities of their own.

It has three steps. Pure geometry makes a Plan: which points each fragment has (chords.py,
outlines.py, net.py, plan.py). Then each component of the body is divided among the fragments
(components.py, springs.py, masses.py, pieces.py). At last the Cutter makes the entities, and
moves joints and links to them (cutter.py, links.py).
"""

from ecs_softbody.fracture.cutter import Cut, Cutter

__all__ = ["Cut", "Cutter"]
