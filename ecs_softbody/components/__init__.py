"""Components: data only, one file each."""

from ecs_softbody.components.angular_springs import AngularSprings
from ecs_softbody.components.area_constraint import AreaConstraint
from ecs_softbody.components.collider import ALL, Collider
from ecs_softbody.components.drag import Drag
from ecs_softbody.components.particles import Particles
from ecs_softbody.components.plasticity import Plasticity
from ecs_softbody.components.pressure_body import PressureBody
from ecs_softbody.components.shape_matching import ShapeMatching
from ecs_softbody.components.springs import Springs
from ecs_softbody.components.static_collider import StaticCollider
from ecs_softbody.components.tearing import Tearing

__all__ = [
    "ALL",
    "AngularSprings",
    "AreaConstraint",
    "Collider",
    "Drag",
    "Particles",
    "Plasticity",
    "PressureBody",
    "ShapeMatching",
    "Springs",
    "StaticCollider",
    "Tearing",
]
