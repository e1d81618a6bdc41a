"""Topology: which particles make up the rings, ropes, nets and discs of a world, for WorldPainter.

A body with an outline is a ring. Without one, its springs or distance limits tell: if every point
has at most two, they form lines (a rope); else a net, whose meshes of four points are filled
(cloth). A body without any is discs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Integers
from ecs_softbody.components import (
    AreaConstraint,
    Collider,
    DistanceLimits,
    Particles,
    PressureBody,
    Springs,
)
from ecs_softbody.elementary.rows import distinct
from ecs_softbody.indices import arange, unique
from ecs_softbody.storage import PackedBuffers

LINKS: tuple[type[Springs | DistanceLimits], ...] = (Springs, DistanceLimits)
"""Components whose pairs are drawn as lines: ropes and nets."""


@dataclass(frozen=True)
class Path:
    """A line through particles: packed rows in order."""

    rows: Integers
    closed: bool


class Net(NamedTuple):
    """The drawn parts of a cloth or a framework; rows count the packed particles."""

    corners: Integers  # (C,) rows of the meshes' corners
    triangles: Integers  # (3 T,) places in `corners`
    threads: Integers  # (M, 2) links inside
    edges: Integers  # (E, 2) links at the edge
    knots: Integers  # (K,) rows at the edge


@dataclass
class Shape:
    """The shape of an entity, from its particles and springs; rows count the packed particles."""

    entity: int
    first: int
    last: int
    """It has the packed particles [first, last)."""
    ring: Integers | None = None
    """(K,) its outline, in order."""
    paths: list[Path] = field(default_factory=list)
    """The lines that its links form, if it is a rope."""
    links: Integers | None = None
    """(M, 2) ends of its springs or distance limits."""
    faces: Integers | None = None
    """(F, 4) corners of the meshes of its net, in order."""

    @property
    def rows(self) -> Integers:
        """All packed rows of the entity."""
        return arange(self.first, self.last)

    @cached_property
    def net(self) -> Net:
        """Drawn parts of a body with links that is not a line."""
        links = np.zeros((0, 2), np.int64) if self.links is None else self.links
        inner = np.zeros(len(links), np.bool_)
        corners = np.zeros(0, np.int64)
        triangles = np.zeros(0, np.int64)
        if self.faces is not None and len(self.faces):
            corners, triangles = unique(self.faces[:, [0, 1, 2, 0, 2, 3]], return_inverse=True)
            inner = inner_links(links, self.faces)
        edges = links[~inner]
        return Net(corners, triangles.ravel(), links[inner], edges, distinct(edges))


def shapes_of(buffers: PackedBuffers) -> list[Shape]:
    """Return the shape of every entity with Particles, in the order of the entities."""
    particles = buffers.components(Particles)
    colliders = buffers.components(Collider)
    gases = buffers.components(PressureBody)
    rings: list[Mapping[int, Collider | PressureBody | AreaConstraint]]
    rings = [colliders, gases, buffers.components(AreaConstraint)]
    links = [buffers.components(kind) for kind in LINKS]
    shapes = []
    for entity in sorted(particles):
        body = particles[entity]
        shape = Shape(entity, body.row_start, body.row_stop)
        for ring in rings:
            owner = ring.get(entity)
            if owner is not None and len(owner.outline) >= 3 and getattr(owner, "closed", True):
                shape.ring = body.row_start + owner.outline.astype(np.int64)
                break
        pairs = own_pairs(links, entity)
        if pairs is not None:
            shape.links = pairs + body.row_start
            if shape.ring is None:
                shape.faces = faces_of(pairs) + body.row_start
                shape.paths = [
                    Path(path.rows + body.row_start, path.closed) for path in paths_of(pairs)
                ]
        shapes.append(shape)
    return shapes


def own_pairs(
    links: Sequence[Mapping[int, Springs | DistanceLimits]], entity: int
) -> Integers | None:
    """Return the pairs of an entity's own springs, or of its distance limits, shape (M, 2); None
    without any.
    """
    for of_kind in links:
        link = of_kind.get(entity)
        if link is not None and link.between is None and link.row_count:
            return np.asarray(link.pairs, np.int64)
    return None


def links_between(buffers: PackedBuffers) -> list[tuple[int, Integers]]:
    """Return (entity, packed pairs (M, 2)) of the springs and distance limits that join
    two bodies.
    """
    found = []
    for kind in LINKS:
        for entity, links in sorted(buffers.components(kind).items()):
            if links.between is not None:
                packed = buffers[kind].rows["packed_pairs"][links.row_start : links.row_stop]
                found.append((entity, packed.astype(np.int64)))
    return found


def paths_of(pairs: Integers) -> list[Path]:
    """Return the lines that links (M, 2) form, or nothing where a point has more than
    two of them.
    """
    neighbours: dict[int, list[int]] = {}
    for a, b in pairs.tolist():
        if a != b:
            neighbours.setdefault(a, []).append(b)
            neighbours.setdefault(b, []).append(a)
    if any(len(others) > 2 for others in neighbours.values()):
        return []
    ends = [point for point, others in neighbours.items() if len(others) == 1]
    seen: set[int] = set()
    paths = []
    for start in ends + list(neighbours):
        if start in seen:
            continue
        line = [start]
        seen.add(start)
        while True:
            onward = [other for other in neighbours[line[-1]] if other not in seen]
            if not onward:
                break
            line.append(onward[0])
            seen.add(onward[0])
        paths.append(Path(np.array(line, np.int64), len(neighbours[start]) == 2 and len(line) > 2))
    return paths


def faces_of(pairs: Integers) -> Integers:
    """Return the meshes of a net of links (M, 2): four points each in order, shape (F, 4)."""
    return _cached_faces(pairs.tobytes())


@lru_cache(maxsize=64)
def _cached_faces(packed_pairs: bytes) -> Integers:
    neighbours: dict[int, set[int]] = {}
    for a, b in np.frombuffer(packed_pairs, np.int64).reshape(-1, 2).tolist():
        neighbours.setdefault(a, set()).add(b)
        neighbours.setdefault(b, set()).add(a)
    faces = []
    for a, around in neighbours.items():
        later = sorted(other for other in around if other > a)
        for index, b in enumerate(later):
            for d in later[index + 1 :]:
                faces += [(a, b, c, d) for c in neighbours[b] & neighbours[d] if c > a]
    return np.array(faces, np.int64).reshape(-1, 4)


def inner_links(links: Integers, faces: Integers) -> NDArray[np.bool_]:
    """Return which links lie between two meshes, or across one, shape (M,)."""
    count = int(max(links.max(), faces.max())) + 1
    sides = np.concatenate([np.sort(faces[:, [k, (k + 1) % 4]], axis=1) for k in range(4)])
    used, times = unique(sides[:, 0] * count + sides[:, 1], return_counts=True)
    ordered = np.sort(links, axis=1)
    border = used[times == 1]
    inner: NDArray[np.bool_] = np.isin(ordered[:, 0] * count + ordered[:, 1], border, invert=True)
    return inner & np.isin(links, faces).all(axis=1)
