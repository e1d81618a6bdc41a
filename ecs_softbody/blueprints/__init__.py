"""Blueprints: bodies from physical parameters, as tuples of components; they touch no world.

All raise ValueError naming the argument, the value and the allowed values.
"""

from typing import NoReturn

from ecs_softbody.blueprints.joints import axle, hinge, wheel
from ecs_softbody.blueprints.lattice import box, cloth
from ecs_softbody.blueprints.line import rod, rope
from ecs_softbody.blueprints.mass_and_springs import radius_of
from ecs_softbody.blueprints.materials import MATERIALS, Material
from ecs_softbody.blueprints.polygon import polygon
from ecs_softbody.blueprints.round import ball, blob
from ecs_softbody.validation import did_you_mean

__all__ = [
    "MATERIALS", "Material", "axle", "ball", "blob", "box", "cloth", "hinge", "polygon",
    "radius_of", "rod", "rope", "wheel",
]  # fmt: skip

OTHER_WORDS = {
    "circle": (
        "a hard disc is blueprints.ball(center, radius), a soft round body "
        "blueprints.blob(center, radius)"
    ),
    "disc": (
        "a hard disc is blueprints.ball(center, radius), a soft round body "
        "blueprints.blob(center, radius)"
    ),
    "rectangle": "it is blueprints.box(center, (width, height))",
    "rect": "it is blueprints.box(center, (width, height))",
    "square": "it is blueprints.box(center, (width, height))",
    "ground": "the ground is one component: sim.spawn(StaticCollider([(-10, 0), (10, 0)]))",
    "floor": "the ground is one component: sim.spawn(StaticCollider([(-10, 0), (10, 0)]))",
    "wall": "a wall is one component: sim.spawn(StaticCollider([(5, 0), (5, 8)]))",
    "platform": (
        "a platform is one component: sim.spawn(StaticCollider([(2, 1), (4, 1)], one_way=(0, 1)))"
    ),
    "crate": "it is blueprints.box(center, size, material='wood')",
    "triangle": "it is blueprints.polygon([(0, 0), (1, 0), (0.5, 1)])",
    "chain": "it is blueprints.rope(start, end)",
    "material": "a material has a name, blueprints.blob(center, radius, material='jelly'), or "
    "numbers: "
    "blueprints.Material(firmness=20)",
    "spring": (
        "a spring between two bodies is one component: sim.spawn(Springs([(0, 0)], between=(a, b)))"
    ),
}
"""Names in other libraries, and their equivalents here."""


def __getattr__(name: str) -> NoReturn:
    """Raise AttributeError, suggesting the intended blueprint."""
    shapes = [shape for shape in __all__ if shape.islower()]
    cure = f": {OTHER_WORDS[name]}" if name in OTHER_WORDS else did_you_mean(name, __all__)
    raise AttributeError(
        f"there is no blueprint {name!r}{cure}. The blueprints are {', '.join(shapes)}"
    )
