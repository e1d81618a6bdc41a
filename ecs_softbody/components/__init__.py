"""Components: data only, one file each.

Every constructor, and every later assignment, raises ValueError naming the field, the value and the
allowed values.
"""

from ecs_softbody.components.angular_muscles import AngularMuscles
from ecs_softbody.components.angular_springs import AngularSprings
from ecs_softbody.components.area_constraint import AreaConstraint
from ecs_softbody.components.attachment import Attachment
from ecs_softbody.components.character import Character
from ecs_softbody.components.collider import ALL, Collider
from ecs_softbody.components.distance_limits import DistanceLimits
from ecs_softbody.components.drag import Drag
from ecs_softbody.components.inflation import Inflation
from ecs_softbody.components.magnet import Magnet
from ecs_softbody.components.motor import Motor
from ecs_softbody.components.mouse_joint import MouseJoint
from ecs_softbody.components.muscles import Muscles
from ecs_softbody.components.particles import Particles
from ecs_softbody.components.plasticity import Plasticity
from ecs_softbody.components.point_gravity import PointGravity
from ecs_softbody.components.pressure_body import PressureBody
from ecs_softbody.components.shape_matching import ShapeMatching
from ecs_softbody.components.springs import Springs
from ecs_softbody.components.static_collider import StaticCollider
from ecs_softbody.components.tearing import Tearing
from ecs_softbody.components.water import Water
from ecs_softbody.components.wind import Wind

__all__ = [
    "ALL",
    "AngularMuscles",
    "AngularSprings",
    "AreaConstraint",
    "Attachment",
    "Character",
    "Collider",
    "DistanceLimits",
    "Drag",
    "Inflation",
    "Magnet",
    "Motor",
    "MouseJoint",
    "Muscles",
    "Particles",
    "Plasticity",
    "PointGravity",
    "PressureBody",
    "ShapeMatching",
    "Springs",
    "StaticCollider",
    "Tearing",
    "Water",
    "Wind",
]
