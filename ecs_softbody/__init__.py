"""2-D soft bodies for games: esper entities, components of numpy arrays, compiled processors.

Importing this package needs no display: pictures live in `ecs_softbody.rendering`.
"""

import importlib
from typing import Any

from ecs_softbody import blueprints
from ecs_softbody.collision.contacts.contact_pairs import ContactEvent
from ecs_softbody.collision.contacts.view import Contacts
from ecs_softbody.collision.query.queries import Hit
from ecs_softbody.components import (
    ALL,
    AngularMuscles,
    AngularSprings,
    AreaConstraint,
    Attachment,
    Character,
    Collider,
    DistanceLimits,
    Drag,
    Inflation,
    Magnet,
    Motor,
    MouseJoint,
    Muscles,
    Particles,
    Plasticity,
    PointGravity,
    PressureBody,
    ShapeMatching,
    Springs,
    StaticCollider,
    Tearing,
    Water,
    Wind,
)
from ecs_softbody.components.particles import Pose
from ecs_softbody.fracture import Cut
from ecs_softbody.processors import FrozenBodyWarning, Order, StabilityWarning
from ecs_softbody.simulation.profiler import Profiler
from ecs_softbody.simulation.simulation import Simulation
from ecs_softbody.state import Snapshot, SnapshotError, register_component
from ecs_softbody.validation import unknown_attribute

__version__ = "0.1.0"

__all__ = [
    "ALL",
    "AngularMuscles",
    "AngularSprings",
    "AreaConstraint",
    "Attachment",
    "Character",
    "Collider",
    "ContactEvent",
    "Contacts",
    "Cut",
    "DistanceLimits",
    "Drag",
    "FrozenBodyWarning",
    "Hit",
    "Inflation",
    "Magnet",
    "Motor",
    "MouseJoint",
    "Muscles",
    "Order",
    "Particles",
    "Plasticity",
    "PointGravity",
    "Pose",
    "PressureBody",
    "Profiler",
    "ShapeMatching",
    "Simulation",
    "Snapshot",
    "SnapshotError",
    "Springs",
    "StabilityWarning",
    "StaticCollider",
    "Tearing",
    "Water",
    "Wind",
    "blueprints",
    "register_component",
]

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
    raise unknown_attribute(f"module {__name__!r}", name, __all__, OTHER_WORDS)
