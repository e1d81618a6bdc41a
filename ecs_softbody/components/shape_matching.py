"""ShapeMatching: pulls a body, or groups of its particles, back to the shape that it had when first
packed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_softbody.elementary.rows import distinct
from ecs_softbody.errors import FieldError
from ecs_softbody.indices import arange, bincount, flatnonzero, repeat
from ecs_softbody.storage import Column, Component, Value
from ecs_softbody.validation import array_of

SMALLEST_GROUP = 2


class ShapeMatching(Component):
    """Springs from every particle to its position in the rest shape, moved and turned to fit best.

    It makes soft bodies stiff without many springs: boxes that stack, concave shapes that keep
    their form. The rest shape is `Particles.rest_offset`. With groups, each one is fitted on its
    own: small groups that overlap make a body that bends but does not shear.

    Args:
        stiffness: [N/m] for a particle of the group's mean mass, in proportion to mass for the
            others; a scalar, or shape (G,), one for each group.
        damping: of non-rigid motion [N·s/m], in the same proportion.
        groups: lists of 2 rows or more of the entity's Particles, which may overlap; None: the
            whole body. Fixed after creation.
    """

    __slots__ = ()
    is_elastic = True

    members = Column(
        dtype=np.int32,
        minimum=0,
        rows_of_particles=True,
        doc="rows of all groups, one after another",
    )
    group = Column(dtype=np.int32, engine=True, doc="number of the group, of each member")
    share = Column(
        dtype=np.float64, engine=True, doc="stiffness of the member's group over `stiffness`"
    )
    valence = Column(
        dtype=np.float64, engine=True, doc="most groups that a particle of the member's group is in"
    )
    stiffness = Value(
        dtype=np.float64, unit="N/m", minimum=0.0, doc="force per metre away from the rest shape"
    )
    damping = Value(dtype=np.float64, unit="N·s/m", minimum=0.0, doc="force per m/s of deforming")

    def __init__(
        self,
        *,
        stiffness: ArrayLike,
        damping: float = 0.0,
        groups: Sequence[ArrayLike] | None = None,
    ) -> None:
        lists = [] if groups is None else _checked_groups(groups)
        given = array_of(stiffness)
        if lists and given.shape == (len(lists),):
            each = np.array([type(self).stiffness.coerce(value, ()) for value in given], np.float64)
            stiffness = each.max()
        else:
            each = np.ones(len(lists))
        members = np.concatenate(lists) if lists else np.zeros(0, np.int32)
        self._fill("members", members=members, stiffness=stiffness, damping=damping)
        if lists:
            sizes = [len(rows) for rows in lists]
            count = bincount(self.members)
            self.stage_column("group")[:] = repeat(arange(len(lists)), sizes)
            self.stage_column("share")[:] = repeat(each / max(each.max(), 1e-300), sizes)
            self.stage_column("valence")[:] = repeat([count[rows].max() for rows in lists], sizes)

    def arguments(self) -> dict[str, Any]:
        """Return the constructor arguments; with groups, `stiffness` has one value for each."""
        given = super().arguments()
        if self.row_count:
            first = flatnonzero(np.diff(self.group, prepend=-1))
            given["stiffness"] = np.array(
                [_times(share, self.stiffness) for share in self.share[first].tolist()], np.float64
            )
            given["groups"] = [rows.tolist() for rows in self.groups or ()]
        return given

    @property
    def groups(self) -> list[NDArray[np.int32]] | None:
        """The rows of each group; None for the whole body."""
        if self.row_count == 0:
            return None
        return np.split(self.members, flatnonzero(np.diff(self.group)) + 1)


def _times(share: float, most: float) -> float:
    """Return the number that is this share of another one after rounding, too."""
    product = share * most
    near = (product, math.nextafter(product, math.inf), math.nextafter(product, -math.inf))
    return next((number for number in near if most > 0.0 and number / most == share), product)


def _checked_groups(groups: Sequence[ArrayLike]) -> list[NDArray[np.int32]]:
    try:
        lists = [ShapeMatching.members.coerce(rows, None) for rows in groups]
    except (TypeError, ValueError):  # it has another name there
        lists = []
    if not lists:
        raise FieldError("ShapeMatching", "groups", groups, "lists of rows, or None")
    for number, rows in enumerate(lists):
        if len(rows) < SMALLEST_GROUP or len(distinct(rows)) < len(rows):
            raise FieldError(
                "ShapeMatching",
                "groups",
                rows.tolist(),
                "2 rows or more, each one once",
                in_words=f"{rows.tolist()} in group {number}",
            )
    return lists
