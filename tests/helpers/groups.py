"""Groups of arrays for kernels, with the types and dimensions that their annotations ask for."""

from typing import Any, TypeVar

import numpy as np

from ecs_softbody.building.signatures import fields_of, layout_of

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
