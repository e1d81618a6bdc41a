"""Crowding: bodies that lie in one another are refused where a file asks for them, since their contacts are too many.

300 blobs in one place have six million contacts: 1.3 GB, and ten seconds for each step.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Flags, Floats, Integers
from ecs_softbody.components import Collider, Particles, StaticCollider
from ecs_softbody.elementary.rows import lengths

Cells = NDArray[np.uint64]

MOST, MOST_OF_EACH = 100_000, 10
"""Pairs of near points, and as many more for each point. A heap has less than one for each point; 70 blobs in one place
reach it."""
LEAST, FARTHEST = 1e-9, 1e15
"""Width of a cell [m], and its number at most."""
MIXED = np.array((0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9), np.uint64)
SHOWN, LONGEST = 3, 60
"""Names in a message, and letters of each."""
APART = 2.0
"""Most that neighbouring rows of a body are apart, over what they are in a filled square: an outline of 24 has 1.3."""
WALL = (0, 0)
"""Stands for the category and the mask of walls, which do not touch each other."""


def check_crowding(entities: Iterable[Iterable[object]], most: float = MOST, names: Sequence[str] = ()) -> None:
    """Check that not too many bodies, given by the components of each entity, lie in one place.

    Args:
        entities: their components.
        most: pairs of near points, see `MOST`.
        names: how the message calls each entity.

    Raises:
        ValueError: where they do.
    """
    points, radius = list[Floats](), list[float]()
    kinds, is_body, which = list[tuple[int, int]](), list[bool](), list[int]()
    for number, components in enumerate(entities):
        found = {type(one): one for one in components}
        particles, collider, wall = found.get(Particles), found.get(Collider), found.get(StaticCollider)
        if isinstance(wall, StaticCollider):
            points.append(wall.vertices)
            radius.append(wall.radius)
            kinds.append(WALL)
            is_body.append(True)
        elif isinstance(particles, Particles) and isinstance(collider, Collider):
            points.append(particles.position)
            radius.append(float(particles.radius[0]))
            kinds.append((collider.category, collider.mask))
            is_body.append(not collider.self_collision)
        which += [number] * (len(points) - len(which))
    if not points:
        return
    body = np.repeat(np.arange(len(points)), [len(each) for each in points])
    places = np.concatenate(points)
    cell = _cells(places, body, np.array(radius))
    owner = np.where(np.array(is_body)[body], body, len(points) + np.arange(len(body)))
    pairs = _pairs(cell, owner)
    kind = np.array(kinds, np.uint64)
    lonely = (kind[:, 0] & kind[:, 1] == 0)[body]  # such bodies do not touch others of their kind
    pairs -= _pairs((cell + (kind @ MIXED[:2])[body])[lonely], owner[lonely])
    if pairs > most + MOST_OF_EACH * len(body):
        raise ValueError(f"too many bodies lie in one place{_fullest(places, cell, owner, body, which, names)}")


def _fullest(
    points: Floats, cell: Cells, owner: Integers, body: Integers, which: Sequence[int], names: Sequence[str]
) -> str:
    """Return where most of them lie, and which these are, in words."""
    pairs = np.unique(np.column_stack((cell, owner.astype(np.uint64))), axis=0)[:, 0]
    crowded, counts = np.unique(pairs, return_counts=True)
    here = cell == crowded[counts.argmax()]
    x, y = points[here].mean(axis=0)
    found = [names[which[number]][:LONGEST] for number in np.unique(body[here]) if names]
    said = ", ".join(map(repr, found[:SHOWN])) + (f" and {len(found) - SHOWN} more" if len(found) > SHOWN else "")
    return f", at ({x:.4g}, {y:.4g}){': ' if said else ''}{said}; expected them apart"


def _cells(points: Floats, body: Integers, radius: Floats) -> Cells:
    """Return a number for the cell of each point (N,), in a grid as wide as the points of its body are apart.

    Neighbouring rows tell how far that is, but not where points have no order, as grains of sand. The numbers of two
    cells can be equal, which happens once in 2^64: then their points count as near.
    """
    steps = lengths(np.diff(points, axis=0))
    own = (body[1:] == body[:-1]) & (steps > 0.0)
    count = np.bincount(body[1:][own], minlength=len(radius))
    apart = np.bincount(body[1:][own], steps[own], len(radius)) / np.maximum(count, 1)
    first = np.flatnonzero(np.diff(body, prepend=-1))
    sides = np.zeros(len(radius))
    sides[body[first]] = (np.maximum.reduceat(points, first) - np.minimum.reduceat(points, first)).max(axis=1)
    apart = np.minimum(apart, APART * sides / np.sqrt(count + 1))
    level = np.ceil(np.log2(np.maximum(np.maximum(apart, radius), LEAST)))[body]
    places = np.clip(np.floor(points / 2.0 ** level[:, None]), -FARTHEST, FARTHEST)
    cells: Cells = np.column_stack((places, level)).astype(np.int64).view(np.uint64) @ MIXED
    return cells


def _pairs(cell: Cells, owner: Integers) -> float:
    """Return how many pairs of points are in one cell and belong to different owners."""
    order = np.argsort(cell, kind="stable")  # in a cell the owners stay together
    cell, owner = cell[order], owner[order]
    is_new = cell[1:] != cell[:-1]
    return 0.5 * (_squares(is_new) - _squares(is_new | (owner[1:] != owner[:-1])))


def _squares(is_first: Flags) -> float:
    """Return the sum of the squares of the lengths of runs of N rows, given whether each but the first begins one."""
    runs = np.diff(np.concatenate(((0,), np.flatnonzero(is_first) + 1, (len(is_first) + 1,))))
    return float((runs.astype(np.float64) ** 2).sum())
