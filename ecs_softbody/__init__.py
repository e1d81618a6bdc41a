"""2-D soft bodies for games: esper entities, components of numpy arrays, compiled processors.

Importing this package needs no display: pictures live in `ecs_softbody.rendering`.
"""

import importlib
from typing import TYPE_CHECKING, Any

from ecs_softbody import blueprints as blueprints
from ecs_softbody import components
from ecs_softbody.collision.contacts.contact_pairs import ContactEvent as ContactEvent
from ecs_softbody.collision.contacts.view import Contacts as Contacts
from ecs_softbody.collision.query.queries import Hit as Hit
from ecs_softbody.components import *  # noqa: F403 - a new one is exported in one place
from ecs_softbody.components.particles import Pose as Pose
from ecs_softbody.fracture import Cut as Cut
from ecs_softbody.processors import FrozenBodyWarning as FrozenBodyWarning
from ecs_softbody.processors import Order as Order
from ecs_softbody.processors import StabilityWarning as StabilityWarning
from ecs_softbody.simulation.profiler import Profiler as Profiler
from ecs_softbody.simulation.simulation import Simulation as Simulation
from ecs_softbody.state import Snapshot as Snapshot
from ecs_softbody.state import SnapshotError as SnapshotError
from ecs_softbody.state import register_component as register_component
from ecs_softbody.validation import unknown_attribute

__version__ = "0.1.0"

if not TYPE_CHECKING:  # which takes every import of a name "as" itself for public
    __all__ = [
        "ContactEvent",
        "Contacts",
        "Cut",
        "FrozenBodyWarning",
        "Hit",
        "Order",
        "Pose",
        "Profiler",
        "Simulation",
        "Snapshot",
        "SnapshotError",
        "StabilityWarning",
        "blueprints",
        "register_component",
    ]
    __all__ += components.__all__

OTHER_WORDS = {
    "World": "Simulation",
    "Space": "Simulation",
    "Body": "blueprints",
    "Blob": "blueprints.blob",
}
"""Names in other libraries, with the name here."""
WITH_PICTURES = ("play", "rendering")
ROOMS = ("imports", "inspector", "scenes", *WITH_PICTURES)
"""Packages for games, imported on first use only."""


def __getattr__(name: str) -> Any:
    """Import a package for games on first access, and the public names of the packages with
    pictures, such as `show`, `Game`, `Look`.
    """
    if name in ROOMS:
        return importlib.import_module(f"{__name__}.{name}")
    if not name.startswith("_"):
        for room in WITH_PICTURES:
            module = importlib.import_module(f"{__name__}.{room}")
            if name in module.__all__:
                return getattr(module, name)
    raise unknown_attribute(f"module {__name__!r}", name, globals()["__all__"], OTHER_WORDS)
