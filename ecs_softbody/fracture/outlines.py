"""Outlines: the plan of fragments for a body with a closed outline, split along the chords of a
cut.

A chord is the stretch of the cutting line between entering and leaving the outline (chords.py).
Along it new points are placed, or particles nearby are used; walking round the outline and across
chords gives the rings of the fragments. Chords are left out until every fragment could exist as a
body.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Floats, Indices
from ecs_softbody.elementary.rows import length, lengths
from ecs_softbody.elementary.sums import dot
from ecs_softbody.fracture.chords import Ends, chords_of, ring_crossings
from ecs_softbody.fracture.plan import Part, Plan, Points
from ecs_softbody.geometry.polygon import (
    contains,
    distance_to,
    is_self_intersecting,
    mean_edge,
    signed_area,
)
from ecs_softbody.indices import argmin, argsort, flatnonzero

SMALLEST_AREA = 0.3
"""The rest area of a fragment is at least this times the square of the mean edge of the outline."""
SMALLEST_SHARE = 1e-3
"""The area of a fragment is at least this fraction of the body's, at rest and now."""
SQUEEZED = 0.1
"""The limits by the mean edge, SMALLEST_AREA and THINNEST, are multiplied by this for the present
shape: the body may be squeezed or stretched.
"""
THINNEST = 0.25
"""Twice the area of a fragment over the length of its outline is at least this times the mean edge:
no slivers.
"""
NEAR_CUT = 0.3
"""A particle inside that is nearer to the cut than this times the mean edge becomes a point of it.
"""
GAP = 0.005
"""Both sides of a cut are drawn in by this times the mean edge. Sides that coincide cross and have
no contacts: they bulged into each other by a quarter of their area, for twenty frames.
"""
APART = 0.75
"""Particles along a cut are at least this times the mean edge apart."""


@dataclass
class Outlined:
    """A body of N particles with a closed outline."""

    position: Floats
    """(N, 2) [m] now."""
    rest: Floats
    """(N, 2) [m] in the rest shape."""
    ring: Indices
    """(K,) rows of the outline, in order around it."""
    pairs: Indices
    """(M, 2) rows at the ends of its springs."""

    def __post_init__(self) -> None:
        # The mean edge of the outline [m], which way it runs (1: counter-clockwise, else -1), and
        # the rows that are not on it.
        self.spacing = mean_edge(self.position[self.ring])
        self.orientation = 1.0 if signed_area(self.rest[self.ring]) > 0.0 else -1.0
        inner = np.ones(len(self.position), np.bool_)
        inner[self.ring] = False
        self.inner = flatnonzero(inner)


@dataclass
class Chord:
    """One cut through a body: its two crossings, and the points along it."""

    ends: Ends
    path: Points


def plan_of_outline(
    body: Outlined,
    start: Floats,
    end: Floats,
    *,
    through: float | None = None,
    thinnest: float = THINNEST,
) -> Plan | None:
    """Return the fragments of a body that the segment from `start` to `end` [m] cuts, or None if it
    cuts nothing.

    Chords that would leave a fragment too small, inside out or crossing itself are left out.
    through: only the chord that passes this distance from `start`. thinnest: twice the area of a
    fragment over outline and mean edge.
    """
    if signed_area(body.position[body.ring]) * body.orientation <= 0.0:
        return None
    long = length(end - start)
    crossings = ring_crossings(body.position[body.ring], start, end, body.orientation)
    rows = [np.eye(len(body.position))]
    chords = [
        Chord(ends, _path(body, ends, start, end, rows))
        for ends in chords_of(crossings, long, through)
        if ends[0].ring_position != ends[1].ring_position
    ]
    plan = Plan(np.concatenate(rows), [])
    plan.position, plan.rest = position, rest = plan.of(body.position), plan.of(body.rest)
    wholes = [_whole(body.ring, rest, 1.0), _whole(body.ring, position, SQUEEZED)]
    while chords:
        plan.parts = _parts(body, chords)
        bad = [part for part in plan.parts if not _is_sound(body, part, wholes, thinnest)]
        if not bad:
            _add_inner_rows(body, plan.parts, position)
            for part in plan.parts:
                part.draw_in(position, GAP * body.orientation * body.spacing)
            return plan
        # Chords go one by one, so that a cut leaves out only the fragments that could not exist.
        worst = min(bad, key=lambda part: abs(signed_area(rest[part.ring])))
        near = [chord for chord in chords if any(chord.path == cut for cut in worst.cuts)]
        chords.remove(min(near, key=lambda chord: chord.ends[1].along - chord.ends[0].along))
    return None


def _path(body: Outlined, ends: Ends, start: Floats, end: Floats, rows: list[Floats]) -> Points:
    """Return the points along a chord, from its first crossing to its last one.

    New points get the next free numbers, and their weights are appended to `rows`, whose blocks
    together are the weights of all points so far. With `found` and the like, a point is (distance
    along the cut [m], its row if it is an old one, its weights (N,)).
    """
    unit = np.eye(len(body.position))
    known = sum(len(block) for block in rows)
    found: list[tuple[float, int | None, Floats]] = []
    for crossing in ends:
        if crossing.vertex is not None:
            row = int(body.ring[crossing.vertex])
            found.append((crossing.along, row, unit[row]))
        else:
            a = body.ring[crossing.edge]
            b = body.ring[(crossing.edge + 1) % len(body.ring)]
            found.append(
                (
                    crossing.along,
                    None,
                    (1.0 - crossing.fraction) * unit[a] + crossing.fraction * unit[b],
                )
            )
    between = _of_lattice(body, found, start, end) if len(body.inner) else _of_gas(body, found)
    path = []
    for _, known_row, weight in [found[0], *sorted(between, key=lambda entry: entry[0]), found[1]]:
        path.append(known if known_row is None else known_row)
        if known_row is None:
            known += 1
            rows.append(weight[None])
    return path


def _of_gas(
    body: Outlined, ends: list[tuple[float, int | None, Floats]]
) -> list[tuple[float, int | None, Floats]]:
    """Return new points at even distances, about the mean edge, along the chord of a body that has
    no particles inside: means of both crossings.
    """
    (low, _, first), (high, _, last) = ends
    count = max(round((high - low) / body.spacing), 1)
    shares = [step / count for step in range(1, count)]
    return [((1.0 - t) * low + t * high, None, (1.0 - t) * first + t * last) for t in shares]


def _of_lattice(
    body: Outlined, ends: list[tuple[float, int | None, Floats]], start: Floats, end: Floats
) -> list[tuple[float, int | None, Floats]]:
    """Return the points along the chord of a body with particles inside.

    First the particles near the chord, the nearest first, then new points where it crosses springs,
    short springs first; each only if it is at least APART mean edges from those taken before.
    """
    unit = np.eye(len(body.position))
    direction = (end - start) / length(end - start)
    position = body.position - start
    off = direction[0] * position[:, 1] - direction[1] * position[:, 0]
    side = off.tolist()
    ahead = dot(position, direction).tolist()
    taken = [ends[0][0], ends[1][0]]
    found: list[tuple[float, int | None, Floats]] = []

    def is_clear(along: float) -> bool:
        """Return whether a point at this distance along the cut [m] is far enough from others."""
        clear = all(abs(along - other) >= APART * body.spacing for other in taken)
        return clear and ends[0][0] < along < ends[1][0]

    for row in body.inner[argsort(np.abs(off[body.inner]), kind="stable")].tolist():
        if abs(side[row]) < NEAR_CUT * body.spacing and is_clear(ahead[row]):
            taken.append(ahead[row])
            found.append((taken[-1], row, unit[row]))
    # A point on the cut counts as left of it: so a line enters a ring as often as it leaves it.
    across = body.pairs[np.not_equal.reduce(off[body.pairs] >= 0.0, axis=1)]
    long = lengths(body.position[across[:, 1]] - body.position[across[:, 0]])
    for a, b in across[argsort(long, kind="stable")].tolist():
        share = side[a] / (side[a] - side[b])
        along = (1.0 - share) * ahead[a] + share * ahead[b]
        if is_clear(along):
            taken.append(along)
            found.append((along, None, (1.0 - share) * unit[a] + share * unit[b]))
    return found


def _parts(body: Outlined, chords: list[Chord]) -> list[Part]:
    """Return the fragments: walk round the ring, across each chord that is met, back to the start.

    A node is an end of a chord on the ring; nodes are sorted around it. A stretch, numbered by the
    node where it begins, is the ring up to the next node. Each stretch belongs to one fragment: at
    its end the walk goes along the chord to that one's other end, and on with the stretch there.
    """
    nodes = sorted(
        (chord.ends[end].ring_position, number, end)
        for number, chord in enumerate(chords)
        for end in range(2)
    )
    at = {(number, end): index for index, (_, number, end) in enumerate(nodes)}
    unseen = set(range(len(nodes)))
    parts = []
    while unseen:
        stretch = min(unseen)
        ring: Points = []
        cuts: list[Points] = []
        while stretch in unseen:
            unseen.remove(stretch)
            following = (stretch + 1) % len(nodes)
            _, number, end = nodes[stretch]
            ring.append(chords[number].path[-end])
            ring += _vertices_between(body, nodes[stretch][0], nodes[following][0])
            _, number, end = nodes[following]
            path = chords[number].path
            ring += path[:-1] if end == 0 else path[:0:-1]
            cuts.append(path)
            stretch = at[number, 1 - end]
        parts.append(Part(list(dict.fromkeys(ring)), ring, cuts))
    return parts


def _vertices_between(body: Outlined, low: float, high: float) -> Points:
    """Return the rows of the ring strictly between two positions around it, see `ring_position`."""
    count = len(body.ring)
    if high <= low:
        high += count
    first = int(np.floor(low)) + 1
    last = int(np.ceil(high)) - 1
    return [int(body.ring[k % count]) for k in range(first, last + 1)]


class _Whole(NamedTuple):
    """Reference measures for fragments: of the body at rest, or in its current state."""

    position: Floats
    """(P, 2) [m] of all points of the plan, in that state."""
    area: float
    """[m²] inside of the body's outline."""
    edge: float
    """[m] mean edge of the outline."""
    share: float
    """Factor on the smallest area and thickness: 1 at rest, SQUEEZED now."""


def _whole(ring: Indices, position: Floats, share: float) -> _Whole:
    """Measure a body's outline (K,) of rows, with all points at `position` (P, 2) [m]."""
    area = abs(signed_area(position[ring]))
    # The edges of a body of few particles may be longer than its width.
    edge = min(mean_edge(position[ring]), math.sqrt(area))
    return _Whole(position, area, edge, share)


def _is_sound(body: Outlined, part: Part, wholes: list[_Whole], thinnest: float) -> bool:
    """Return whether a part could be a body: now and at rest it has a simple ring, is not inside
    out, and neither too small nor too thin. wholes: measures of the body to compare with.
    """
    assert part.ring is not None
    if len(part.points) < 3 or len(part.points) < len(part.ring):
        return False
    for position, whole, edge, share in wholes:
        ring = position[part.ring]
        area = signed_area(ring) * body.orientation
        least = max(share * SMALLEST_AREA * edge**2, SMALLEST_SHARE * whole)
        thin = 2.0 * area < share * thinnest * edge * len(ring) * mean_edge(ring)
        if area < least or thin or is_self_intersecting(ring):
            return False
    return True


def _add_inner_rows(body: Outlined, parts: list[Part], position: Floats) -> None:
    """Give every row inside the outline that is not on a cut to the part that it lies in, or is
    nearest to.
    """
    on_cut = {point for part in parts for point in part.on_cut}
    rows = np.array([row for row in body.inner.tolist() if row not in on_cut], np.int64)
    if not len(rows):
        return
    rings = [position[part.ring] for part in parts]
    away = np.array([distance_to(ring, position[rows]) for ring in rings], np.float64)
    within = np.array([contains(ring, position[rows]) for ring in rings], np.bool_)
    # Parts that contain a row come before all others, however near these are.
    home = argmin(np.where(within, away - 1e9, away), axis=0)
    for number, part in enumerate(parts):
        part.points += rows[home == number].tolist()
        part.__post_init__()
