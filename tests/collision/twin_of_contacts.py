"""A twin of the search for contacts: every point against every disc and edge, in plain numpy."""

import numpy as np

from ecs_softbody.geometry.outlines import DISCS
from ecs_softbody.indices import flatnonzero


def distances(point, a, b):
    """Distances of one point from segments a-b (M, 2)."""
    edge = b - a
    squared = (edge**2).sum(axis=1)
    t = np.clip(((point - a) * edge).sum(axis=1) / np.where(squared > 0.0, squared, 1.0), 0.0, 1.0)
    return np.hypot(*(point - a - t[:, None] * edge).T)


def accept(items, i, j):
    """Tell whether both masks accept the other's category."""
    return bool(
        items.filters.category[i] & items.filters.mask[j]
        and items.filters.category[j] & items.filters.mask[i]
    )


def disc_rows(space):
    """Return the pairs of particles that have a contact as discs, either way round."""
    rows = space.contacts.rows.astype(np.int64)
    rows = rows[rows[:, 1] == rows[:, 2], :2]
    return set(map(tuple, rows.tolist())) | set(map(tuple, rows[:, ::-1].tolist()))


def points_of(items, i):
    """Return the rows of body i that can touch."""
    outlines = items.outlines
    return outlines.points[outlines.first[i] : outlines.last[i]].astype(np.int64)


def missed_pairs(sim):
    """Return the rows that touch now and have no contact: discs of two bodies, and points on static
    edges.
    """
    space = sim._space
    missed = []
    items = space.proxies
    walls = space.walls
    place = space.particles["position"]
    radius = space.particles["radius"]
    known = disc_rows(space)
    all_rows = set(map(tuple, space.contacts.rows.tolist()))
    edges = walls.edges.ends.astype(np.int64)
    vertices = walls.vertices
    for i in range(items.body_count):
        for p in points_of(items, i).tolist():
            for j in range(i + 1, items.body_count):
                if items.outlines.kind[i] == items.outlines.kind[j] == DISCS and accept(
                    items, i, j
                ):
                    others = points_of(items, j)
                    gap = np.hypot(*(place[others] - place[p]).T) - radius[others] - radius[p]
                    missed += [(p, q) for q in others[gap < 0.0].tolist() if (p, q) not in known]
            ends = edges - items.offset
            gap = distances(place[p], vertices[ends[:, 0]], vertices[ends[:, 1]])
            gap -= radius[p] + walls.radius[ends[:, 0]]
            for e in flatnonzero(gap < 0.0).tolist():
                if (
                    accept(items, i, items.body_count + e)
                    and (p, *edges[e].tolist()) not in all_rows
                ):
                    missed.append((p, *edges[e].tolist()))
    return missed


def missed_within(sim):
    """Return the pairs of discs of one body that touch now and have no contact; neighbours never
    have one.
    """
    space = sim._space
    missed = []
    place = space.particles["position"]
    radius = space.particles["radius"]
    known = disc_rows(space)
    for i in range(space.proxies.body_count):
        rows = points_of(space.proxies, i)
        for k, p in enumerate(rows.tolist()):
            others = rows[k + 2 :]
            gap = np.hypot(*(place[others] - place[p]).T) - radius[others] - radius[p]
            missed += [(p, q) for q in others[gap < 0.0].tolist() if (p, q) not in known]
    return missed


def missed_on_rings(sim):
    """Return the points that touch the ring of another body now, and have no contact with it."""
    space = sim._space
    missed = []
    items = space.proxies
    place = space.particles["position"]
    radius = space.particles["radius"]
    body_of = {p: i for i in range(items.body_count) for p in points_of(items, i).tolist()}
    rows = space.contacts.rows.tolist()
    known = {(p, body_of[a]) for p, a, b in rows if p in body_of and a in body_of and a != b}
    for j in flatnonzero(items.outlines.kind != DISCS).tolist():
        ring = points_of(items, j)
        for p, i in body_of.items():
            if i != j and accept(items, i, j):
                gap = (
                    distances(place[p], place[ring], place[np.roll(ring, -1)])
                    - radius[p]
                    - radius[ring[0]]
                )
                if gap.min() < 0.0 and (p, j) not in known:
                    missed.append((p, j))
    return missed
