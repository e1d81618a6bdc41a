"""Materials: how firm, lively, heavy and rough a body is, by name or in numbers of one's own.

A material is a set of arguments of a blueprint, found from its size: `elasticity.py` finds them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from types import MappingProxyType

from ecs_softbody.blueprints.mass_and_springs import DENSITY
from ecs_softbody.errors import FieldError
from ecs_softbody.validation import check_number, did_you_mean


@dataclass(frozen=True, slots=True)
class Material:
    """The material of a body; equal numbers look the same at any size.

    Args:
        firmness: pressure that the body withstands, over the pressure of its own weight [1]: 5 is
            pudding, 1000 wood.
        damping_ratio: how fast a wobble dies out, over critical [1]: 0.1 rings, 1 creeps back.
        restitution: share of the speed that a bounce gives back, 0 to 1.
        friction: Coulomb's coefficient.
        density: [kg/m²]. It scales the usual densities of ropes, rods and cloth by
            density / DENSITY.

    Raises ValueError naming the field, the value and the allowed values.
    """

    firmness: float = 10.0
    _: KW_ONLY
    damping_ratio: float = 0.15
    restitution: float = 0.0
    friction: float = 0.5
    density: float = DENSITY

    def __post_init__(self) -> None:
        for name in ("firmness", "density"):
            object.__setattr__(
                self, name, check_number("Material", name, getattr(self, name), above=0.0)
            )
        for name in ("damping_ratio", "restitution", "friction"):
            object.__setattr__(
                self, name, check_number("Material", name, getattr(self, name), minimum=0.0)
            )
        if self.restitution > 1.0:
            raise FieldError("Material", "restitution", self.restitution, "a number from 0 to 1")


class _Named(dict[str, Material]):
    def __missing__(self, name: object) -> Material:
        hint = did_you_mean(name, self)
        raise KeyError(
            f"there is no material {name!r}{hint}; those with a name are {', '.join(self)}"
        )


MATERIALS: Mapping[str, Material] = MappingProxyType(
    _Named(
        {
            "pudding": Material(firmness=4.0, damping_ratio=0.3, restitution=0.0, friction=0.5),
            "jelly": Material(firmness=10.0, damping_ratio=0.12, restitution=0.1, friction=0.5),
            "rubber": Material(
                firmness=30.0, damping_ratio=0.15, restitution=0.7, friction=1.0, density=1.5
            ),
            "football": Material(
                firmness=80.0, damping_ratio=0.15, restitution=0.8, friction=0.5, density=0.6
            ),
            "tyre": Material(
                firmness=200.0, damping_ratio=0.25, restitution=0.5, friction=1.0, density=1.5
            ),
            "wood": Material(
                firmness=1000.0, damping_ratio=0.4, restitution=0.3, friction=0.5, density=1.0
            ),
        }
    )
)
"""The materials by name, the firmer the later."""


def material_of(owner: str, material: str | Material) -> Material:
    """Return the material that is meant, or raise ValueError with the names that there are."""
    if isinstance(material, Material):
        return material
    if isinstance(material, str) and material in MATERIALS:
        return MATERIALS[material]
    hint = did_you_mean(material, MATERIALS)
    raise FieldError(
        owner,
        "material",
        material,
        f"one of {', '.join(MATERIALS)}, or a Material: blueprints.Material(firmness=20)",
        hint=hint,
    )
