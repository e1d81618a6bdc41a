"""Groups of arrays for kernels, with the types and dimensions that their annotations ask for."""

from typing import Any, TypeVar

import numpy as np

from ecs_softbody.building.signatures import fields_of, layout_of
from ecs_softbody.collision.contacts.contact import ParticleArrays

Group = TypeVar("Group")


def filled(group: type[Group], **given: Any) -> Group:
    """Return a group; arrays of another type are converted, those that are not given are empty."""
    columns = []
    for name, hint in zip(group.__annotations__, fields_of(group), strict=True):
        layout = layout_of(hint)
        if layout is None:
            columns.append(given.get(name, 0))
        elif name in given:
            columns.append(np.ascontiguousarray(given[name], layout.dtype))
        else:
            columns.append(np.zeros((0,) * layout.dimensions, layout.dtype))
    return group(*columns)


def particles_at(position, velocity, previous=None, inverse_mass=None):
    """Free particles, without force."""
    previous = position.copy() if previous is None else previous
    inverse_mass = np.ones(len(position)) if inverse_mass is None else inverse_mass
    nothing = np.zeros(len(position))
    jointed = np.zeros(len(position), np.bool_)
    still = np.zeros_like(position)
    return ParticleArrays(
        position,
        velocity,
        previous,
        np.zeros_like(position),
        inverse_mass,
        nothing,
        jointed,
        nothing.copy(),
        still,
    )
