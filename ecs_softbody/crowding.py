"""Crowding: refuses overlapping bodies in files, since finding their contacts takes long.

The same holds for bodies so fast that their ways in the next substeps cross, and for fields that
act on many points.

300 blobs in one place have six million contacts: 1.3 GB, and ten seconds for each step. 40 rings of
500 points around one another do not touch, and take eight seconds for each step, since each point
is compared with all edges of a ring whose box it is in; so does one ring of 20 000 points, which
may touch itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Flags, Floats, Integers
from ecs_softbody.collision.detect.filters import Filters
from ecs_softbody.collision.detect.grid import find_pairs
from ecs_softbody.collision.detect.pairs import new_grid
from ecs_softbody.components import Collider, Magnet, Particles, StaticCollider
from ecs_softbody.elementary.rows import lengths
from ecs_softbody.indices import (
    arange,
    argsort,
    bincount,
    flatnonzero,
    reduceat,
    repeat,
    sums_at,
    unique,
)
from ecs_softbody.storage import Component

Cells = NDArray[np.uint64]
Bodies = Sequence[tuple[Particles, Collider]]

MOST, MOST_OF_EACH = 100_000, 10
"""Pairs of near points, and as many more for each point. A heap has less than one for each point;
70 blobs in one place reach it.
"""
MOST_TESTS, MOST_TESTS_OF_EACH = 100_000_000, 500
"""Of points against edges or discs in one search, and as many more for each point: some tenths of a
second.
"""
MOST_BOXES = 10_000_000
"""Pairs of boxes that overlap: 160 MB."""
OWN_RING, OWN_DISCS = 4.0, 0.2
"""Cost of testing a body against itself, relative to testing two bodies: a ring has to skip the
edges beside a point.
"""
AHEAD = 1.0 / 240.0
"""Seconds of its way in which a body looks for others, at its largest speed, with four to eight
substeps.
"""
LEAST, FARTHEST = 1e-9, 1e15
"""Width of a cell [m], and its number at most."""
MIXED = np.array((0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9), np.uint64)
SHOWN, LONGEST = 3, 60
"""Names in a message, and letters of each."""
APART = 2.0
"""Maximum distance of neighbouring rows of a body, relative to a filled square: an outline of 24
has 1.3.
"""
WALL = (0, 0)
"""Stands for the category and the mask of walls, which do not touch each other."""


@np.errstate(over="ignore", invalid="ignore")  # a file may put bodies anywhere
def check_crowding(
    entities: Iterable[Iterable[object]],
    most: float = MOST,
    tests: float = MOST_TESTS,
    names: Sequence[str] = (),
) -> None:
    """Check that not too many bodies, given by the components of each entity, lie in one place.

    Args:
        entities: their components.
        most: pairs of near points, see `MOST`.
        tests: of points against edges, see `MOST_TESTS`.
        names: how the message calls each entity.

    Raises:
        ValueError: where they do.
    """
    owned = [{type(one): one for one in components} for components in entities]
    _check_fields(owned, tests)
    points = list[Floats]()
    radius = list[float]()
    kinds = list[tuple[int, int]]()
    is_body = list[bool]()
    which = list[int]()
    bodies = list[tuple[Particles, Collider]]()
    walls = list[StaticCollider]()
    numbers = list[int]()
    for number, found in enumerate(owned):
        particles = found.get(Particles)
        collider = found.get(Collider)
        wall = found.get(StaticCollider)
        if isinstance(wall, StaticCollider):
            points.append(wall.vertices)
            radius.append(wall.radius)
            kinds.append(WALL)
            is_body.append(True)
            walls.append(wall)
        elif isinstance(particles, Particles) and isinstance(collider, Collider):
            points.append(particles.position)
            radius.append(float(particles.radius[0]))
            kinds.append((collider.category, collider.mask))
            is_body.append(not collider.self_collision)
            bodies.append((particles, collider))
            numbers.append(number)
        which += [number] * (len(points) - len(which))
    if not points:
        return
    body = repeat(arange(len(points)), [len(each) for each in points])
    places = np.concatenate(points)
    cell = _cells(places, body, np.array(radius))
    owner = np.where(np.array(is_body)[body], body, len(points) + arange(len(body)))
    pairs = _pairs(cell, owner)
    kind = np.array(kinds, np.uint64)
    # These bodies do not touch others of their kind.
    lonely = (kind[:, 0] & kind[:, 1] == 0)[body]
    pairs -= _pairs((cell + (kind @ MIXED[:2])[body])[lonely], owner[lonely])
    if pairs > most + MOST_OF_EACH * len(body):
        raise ValueError(
            f"too many bodies lie in one place{_fullest(places, cell, owner, body, which, names)}"
        )
    counts, crossing = _tests(bodies, walls)
    for found_of, limit, what in (
        (counts, tests + MOST_TESTS_OF_EACH * len(body), "too many points lie around one another"),
        (crossing, most + MOST_OF_EACH * len(body), "too many ways cross in the next moment"),
    ):
        if found_of.sum() > limit:
            worst = argsort(-found_of)[:SHOWN]
            said = [f"{_points_of(*bodies[one])} points" for one in worst]
            if names:
                said = [
                    f"{names[numbers[one]][:LONGEST]!r} of {text}"
                    for one, text in zip(worst, said, strict=True)
                ]
            slower = ", or slower ones" if found_of is crossing else ""
            raise ValueError(f"{what}: {', '.join(said)}; expected fewer, or them apart{slower}")


def _check_fields(entities: Sequence[Mapping[type, Any]], tests: float) -> None:
    """Check that fields do not act on too many points."""
    points = sum(len(own[Particles].position) for own in entities if Particles in own)
    poles = sum(
        own[Magnet].row_count or (len(own[Particles].position) if Particles in own else 1)
        for own in entities
        if Magnet in own
    )
    for kind in Component.types:
        count, acted_on = (
            (poles, poles) if kind is Magnet else (sum(kind in own for own in entities), points)
        )
        if kind.cost_per_point * count * acted_on > tests + MOST_TESTS_OF_EACH * acted_on:
            what = "poles of Magnet" if kind is Magnet else kind.__name__
            raise ValueError(f"{count} {what} act on {acted_on} points; expected fewer")


def _tests(bodies: Bodies, walls: Sequence[StaticCollider]) -> tuple[Floats, Floats]:
    """Return how often a search compares a point of each body (B,) with an edge or a disc, about.

    The second number is how many of its points are near others that they can reach in the next
    moment, and are not yet.
    """
    if not bodies:
        return np.zeros(0), np.zeros(0)
    boxes = [_box(particles.position, float(particles.radius[0])) for particles, _ in bodies]
    ways = AHEAD * np.array(
        [np.abs(particles.velocity).max() for particles, _ in bodies], np.float64
    )
    boxes = [
        box + way * np.array((-1.0, -1.0, 1.0, 1.0)) for box, way in zip(boxes, ways, strict=True)
    ]
    bits = [(collider.category, collider.mask) for _, collider in bodies]
    for wall in walls:
        ends = np.roll(wall.vertices, -1, axis=0)[
            : None if wall.closed else max(len(wall.vertices) - 1, 1)
        ]
        corners = np.stack((wall.vertices[: len(ends)], ends))
        boxes.append(
            np.hstack((corners.min(axis=0) - wall.radius, corners.max(axis=0) + wall.radius))
        )
        bits += [(wall.category, wall.mask)] * len(ends)
    box = np.concatenate(boxes)
    (category, mask) = np.array(bits, np.uint32).T.copy()
    filters = Filters(category, mask)
    grid = new_grid(len(box))
    asleep = np.zeros(len(bodies), np.bool_)
    found = np.zeros((0, 2), np.int64)
    pairs = 1
    while pairs > len(found):
        found = np.zeros((pairs, 2), np.int64)
        pairs = find_pairs(box, len(bodies), filters, asleep, grid, found)
        if pairs > MOST_BOXES:
            return np.full(len(bodies), np.inf), np.zeros(len(bodies))
    points = np.array([_points_of(*body) for body in bodies], np.float64)
    is_ring = np.array([len(collider.outline) > 0 for _, collider in bodies], np.bool_)
    folds = np.array([bool(collider.self_collision) for _, collider in bodies], np.bool_)
    counts = np.where(folds, points**2 * np.where(is_ring, OWN_RING, OWN_DISCS), 0.0)
    first, second = found[:pairs].T
    is_wall = second >= len(bodies)
    counts += sums_at(first[is_wall], points[first[is_wall]], len(bodies))
    first = first[~is_wall]
    second = second[~is_wall]
    sides = np.maximum(box[:, 2:] - box[:, :2], LEAST)
    both = np.minimum(box[first, 2:], box[second, 2:]) - np.maximum(box[first, :2], box[second, :2])
    meet_later = (both <= ways[first, None] + ways[second, None]).any(axis=1)
    crossing = np.zeros(len(bodies))
    for one, other in ((first, second), (second, first)):
        inside = points[one] * np.minimum(both / sides[one], 1.0).prod(axis=1)
        counts += sums_at(one, inside * points[other], len(bodies))
        crossing += sums_at(one, inside * meet_later, len(bodies))
    return counts, crossing


def _points_of(particles: Particles, collider: Collider) -> int:
    """Return how many points of a body collide: the points of its outline, or all."""
    return len(collider.outline) or len(particles.position)


def _box(points: Floats, radius: float) -> Floats:
    """Return the box of discs, (1, 4)."""
    return np.concatenate((points.min(axis=0) - radius, points.max(axis=0) + radius))[None]


def _fullest(
    points: Floats,
    cell: Cells,
    owner: Integers,
    body: Integers,
    which: Sequence[int],
    names: Sequence[str],
) -> str:
    """Return where most of them lie, and which these are, in words."""
    pairs = np.unique(np.column_stack((cell, owner.astype(np.uint64))), axis=0)[:, 0]
    crowded, counts = unique(pairs, return_counts=True)
    here = cell == crowded[counts.argmax()]
    x, y = points[here].mean(axis=0)
    found = [names[which[number]][:LONGEST] for number in np.unique(body[here]) if names]
    said = ", ".join(map(repr, found[:SHOWN])) + (
        f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    )
    return f", at ({x:.4g}, {y:.4g}){': ' if said else ''}{said}; expected them apart"


def _cells(points: Floats, body: Integers, radius: Floats) -> Cells:
    """Return a number for the cell of each point (N,), in a grid as wide as the points of its body
    are apart.

    Neighbouring rows tell how far that is, but not where points have no order, as grains of sand.
    The numbers of two cells can be equal, which happens once in 2^64: then their points count as
    near.
    """
    steps = lengths(np.diff(points, axis=0))
    own = (body[1:] == body[:-1]) & (steps > 0.0)
    count = bincount(body[1:][own], minlength=len(radius))
    apart = sums_at(body[1:][own], steps[own], len(radius)) / np.maximum(count, 1)
    first = flatnonzero(np.diff(body, prepend=-1))
    sides = np.zeros(len(radius))
    sides[body[first]] = (
        reduceat(np.maximum, points, first) - reduceat(np.minimum, points, first)
    ).max(axis=1)
    apart = np.minimum(apart, APART * sides / np.sqrt(count + 1))
    level = np.ceil(np.log2(np.maximum(np.maximum(apart, radius), LEAST)))[body]
    places = np.clip(np.floor(points / 2.0 ** level[:, None]), -FARTHEST, FARTHEST)
    cells: Cells = np.column_stack((places, level)).astype(np.int64).view(np.uint64) @ MIXED
    return cells


def _pairs(cell: Cells, owner: Integers) -> float:
    """Return how many pairs of points are in one cell and belong to different owners."""
    order = argsort(cell, kind="stable")  # in a cell the owners stay together
    cell = cell[order]
    owner = owner[order]
    is_new = cell[1:] != cell[:-1]
    return 0.5 * (_squares(is_new) - _squares(is_new | (owner[1:] != owner[:-1])))


def _squares(is_first: Flags) -> float:
    """Return the sum of the squared lengths of runs of N rows, given whether each row except the
    first begins one.
    """
    runs = np.diff(np.concatenate(((0,), flatnonzero(is_first) + 1, (len(is_first) + 1,))))
    return float((runs.astype(np.float64) ** 2).sum())
