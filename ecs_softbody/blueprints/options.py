"""Options that bodies share: declared here once, with their defaults.

A blueprint takes them as `**options: Unpack[...]`; `made_of` adds the defaults, and shows them in
its signature. Editors and mypy know them by these classes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

from numpy.typing import ArrayLike

from ecs_softbody.blueprints.materials import Material
from ecs_softbody.components import ALL


class BodyOptions(TypedDict, total=False):
    """Options of every body.

    Attributes:
        material: such as "jelly"; other arguments override it.
        mass, density: of the whole body [kg], or of its material [kg/m²], for ropes and rods
            [kg/m]: one of them.
        friction, category, mask: see Collider.
    """

    material: str | Material | None
    mass: float | None
    density: float | None
    friction: float
    category: int
    mask: int


class BallOptions(BodyOptions, total=False):
    """Options of bodies that fly and bounce.

    Attributes:
        velocity: (vx, vy) [m/s].
        restitution: see Collider.
    """

    velocity: ArrayLike
    restitution: float


class SpringOptions(BodyOptions, total=False):
    """Options of bodies with springs.

    Attributes:
        firmness: pressure that the body withstands, over the pressure of its own weight [1];
            other arguments override it.
        stiffness, frequency: of the springs between neighbouring particles [N/m], or [Hz]: one of
            them.
        damping, damping_ratio: of these springs [N·s/m], or over critical [1]: one of them.
    """

    firmness: float | None
    stiffness: float | None
    damping: float | None
    frequency: float | None
    damping_ratio: float | None


class SoftOptions(SpringOptions, BallOptions, total=False):
    """Options of soft bodies: those of balls, and of springs."""


DEFAULTS: Mapping[str, Any] = {
    "velocity": 0.0,
    "friction": 0.5,
    "restitution": 0.0,
    "category": 1,
    "mask": ALL,
}
"""Of options that are not None by default; a blueprint may have others."""


def surface(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a body that its Collider takes."""
    names = ("friction", "restitution", "category", "mask")
    return {name: options[name] for name in names if name in options}
