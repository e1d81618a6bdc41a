"""Simulation: one esper world, its buffers and processors; the step, and queries of a game."""

from ecs_softbody.collision.contacts.view import Contacts
from ecs_softbody.simulation.simulation import Simulation

__all__ = ["Contacts", "Simulation"]
