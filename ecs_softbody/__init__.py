"""2-D soft bodies for games: esper entities, components of numpy arrays, compiled processors.

Importing this package needs no display: pictures live in `ecs_softbody.rendering`.
"""

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

__version__ = "0.1.0"

__all__ = [
    "ALL",
    "AngularMuscles",
    "AngularSprings",
    "AreaConstraint",
    "Attachment",
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
    "Springs",
    "StabilityWarning",
    "StaticCollider",
    "Tearing",
    "Water",
    "Wind",
    "blueprints",
]
