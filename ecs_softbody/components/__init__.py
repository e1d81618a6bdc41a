"""Components: data only, one file each.

Every constructor, and every later assignment, raises ValueError naming the field, the value and the
allowed values. A new component is one more line here; the package exports what this one does.
"""

from typing import TYPE_CHECKING

from ecs_softbody.components.angular_muscles import AngularMuscles as AngularMuscles
from ecs_softbody.components.angular_springs import AngularSprings as AngularSprings
from ecs_softbody.components.area_constraint import AreaConstraint as AreaConstraint
from ecs_softbody.components.attachment import Attachment as Attachment
from ecs_softbody.components.character import Character as Character
from ecs_softbody.components.collider import ALL as ALL
from ecs_softbody.components.collider import Collider as Collider
from ecs_softbody.components.distance_limits import DistanceLimits as DistanceLimits
from ecs_softbody.components.drag import Drag as Drag
from ecs_softbody.components.inflation import Inflation as Inflation
from ecs_softbody.components.magnet import Magnet as Magnet
from ecs_softbody.components.motor import Motor as Motor
from ecs_softbody.components.mouse_joint import MouseJoint as MouseJoint
from ecs_softbody.components.muscles import Muscles as Muscles
from ecs_softbody.components.particles import Particles as Particles
from ecs_softbody.components.plasticity import Plasticity as Plasticity
from ecs_softbody.components.point_gravity import PointGravity as PointGravity
from ecs_softbody.components.pressure_body import PressureBody as PressureBody
from ecs_softbody.components.shape_matching import ShapeMatching as ShapeMatching
from ecs_softbody.components.springs import Springs as Springs
from ecs_softbody.components.static_collider import StaticCollider as StaticCollider
from ecs_softbody.components.tearing import Tearing as Tearing
from ecs_softbody.components.water import Water as Water
from ecs_softbody.components.wind import Wind as Wind

if not TYPE_CHECKING:  # which takes every import of a name "as" itself for public
    __all__ = [name for name in dir() if name[0].isupper() and name != "TYPE_CHECKING"]
