"""2-D soft bodies for games: esper entities, components of numpy arrays, compiled processors.

Importing this package needs no display: pictures live in `ecs_softbody.rendering`.
"""

from ecs_softbody import blueprints
from ecs_softbody.collision.contacts import Contacts
from ecs_softbody.collision.queries import Hit
from ecs_softbody.collision.touching import ContactEvent
from ecs_softbody.components import (
    ALL,
    AngularSprings,
    AreaConstraint,
    Collider,
    Drag,
    Particles,
    Plasticity,
    PressureBody,
    ShapeMatching,
    Springs,
    StaticCollider,
    Tearing,
)
from ecs_softbody.components.particles import Pose
from ecs_softbody.pieces import Cut
from ecs_softbody.processors import FrozenBodyWarning, Order, StabilityWarning
from ecs_softbody.simulation import Simulation

__version__ = "0.1.0"

__all__ = [
    "ALL",
    "AngularSprings",
    "AreaConstraint",
    "Collider",
    "ContactEvent",
    "Contacts",
    "Cut",
    "Drag",
    "FrozenBodyWarning",
    "Hit",
    "Order",
    "Particles",
    "Plasticity",
    "Pose",
    "PressureBody",
    "ShapeMatching",
    "Simulation",
    "Springs",
    "StabilityWarning",
    "StaticCollider",
    "Tearing",
    "blueprints",
]
