"""Blueprints: bodies from physical parameters, as tuples of components; they touch no world.

All raise ValueError naming the argument, the value and what is allowed.
"""

from ecs_softbody.blueprints.joints import axle, hinge, wheel
from ecs_softbody.blueprints.lattice import box, cloth
from ecs_softbody.blueprints.line import rod, rope
from ecs_softbody.blueprints.material import radius_of
from ecs_softbody.blueprints.polygon import polygon
from ecs_softbody.blueprints.round import ball, blob

__all__ = ["axle", "ball", "blob", "box", "cloth", "hinge", "polygon", "radius_of", "rod", "rope", "wheel"]
