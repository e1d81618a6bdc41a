"""Contact pairs: which pairs of entities touch, from frame to frame, for contact events and
`sim.touching`.

A pair of entities has any number of contacts, whose impulses add up. A pair begins to touch when a
contact pushes it apart or it comes within BEGIN_GAP. It ends after a frame in which nothing pushed
it and at whose end it is further apart than END_GAP, so that a pair that trembles at rest stays.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Floats1, Floats2, Integers1, Integers2, Layout
from ecs_softbody.collision.contacts.contact import ContactArrays
from ecs_softbody.collision.contacts.view import Contacts, ContactView
from ecs_softbody.elementary.rows import lengths
from ecs_softbody.indices import arange, argsort, flatnonzero, lexsort, reduceat, searchsorted
from ecs_softbody.parallel.compiling import entry
from ecs_softbody.storage.entity import Home, check_at_home
from ecs_softbody.storage.resource import Array, Resource, Whole, WholeArray
from ecs_softbody.storage.saved import LARGEST_SERIAL, Saved

BEGIN_GAP = 0.0001
"""Closer than this [m] counts as touching, pushed or not."""
END_GAP = 0.002
"""A pair has left each other when it is further apart than this [m]: more than BEGIN_GAP, so that a
pair that trembles at rest does not end and begin in each frame.
"""

PAIR = np.dtype(
    [
        ("key", np.int64),
        ("entity", np.int64, 2),
        ("body", np.int64, 2),
        ("sensor", np.bool_),
        ("touches", np.bool_),
        ("impulse", np.float64),
        ("speed", np.float64),
        ("point", np.float64, 2),
        ("normal", np.float64, 2),
    ]
)
"""A pair of entities.

`key` tells it from all others that ever were, see `new_pairs`; `body` are slots of colliders, -1
for a wall. `touches`: near enough to begin; others only stay. `impulse` [N·s], `speed` [m/s],
`point` [m] and `normal` are as in ContactEvent.
"""
Pairs = NDArray[np.void]
"""Records PAIR."""


@dataclass(frozen=True, slots=True)
class ContactEvent:
    """Data of the events `contact_begin`, `contact_stay` and `contact_end`.

    `entity_a` and `entity_b` touch; b is the wall or the sensor if there is one, otherwise a has
    the smaller number. `impulse` [N·s] is the sum of the normal impulses of all their contacts in
    the frame. `speed` [m/s] is the highest approach speed along the normal of their contacts in
    this frame: it measures the hit independently of the masses. `point` (x, y) [m] is the mean of
    their contacts, `normal` (x, y) points from b to a. `contact_end` has the point and normal of
    the last touch; its impulse and speed are 0. With a `sensor` nothing pushes: the point is the
    middle of the overlap of both boxes, the normal (0, 0), the speed 0.
    """

    entity_a: int
    entity_b: int
    impulse: float
    point: tuple[float, float]
    normal: tuple[float, float]
    sensor: bool = False
    speed: float = 0.0
    home: Home | None = field(default=None, repr=False, compare=False)
    """Where the entities are from, as far as it is known."""

    def of(self, entity: int) -> ContactEvent:
        """Return the event turned so that `entity` is entity_a and the normal points to it.

        Raises:
            ValueError: when the entity is one of another simulation.
        """
        if self.home is not None:
            check_at_home("ContactEvent.of", "entity", entity, self.home)
        if entity != self.entity_b:
            return self
        x, y = self.normal
        return replace(self, entity_a=self.entity_b, entity_b=self.entity_a, normal=(-x, -y))


@dataclass(frozen=True)
class Owners:
    """Owners of proxies: bodies [0, body_count) by their slots, then walls by theirs.

    `serial` (O,): a number of each that no other ever had; `entity` (O,): their entities;
    `of_proxy` (I,): the owner of every proxy, which are bodies, then static edges.
    """

    body_count: int
    serial: NDArray[np.int64]
    entity: NDArray[np.int64]
    of_proxy: NDArray[np.int64]

    saved = (
        WholeArray(
            "serial",
            "owners",
            "Numbers of bodies, then of walls; none comes twice.",
            below=LARGEST_SERIAL,
        ),
        Whole("body_count", "How many of the owners are bodies.", least=0),
        WholeArray("entity", "owners", "Their entities."),
        WholeArray(
            "of_proxy", "all", "The owner of every proxy of the last search.", below="owners"
        ),
    )


class TouchingPairs(Resource):
    """The pairs that touch after the last frame, and the pairs begun, stayed and ended in it."""

    saved = (
        Array(
            "pairs",
            "pairs",
            "The pairs, each with a key of its own; `body`: slots, -1 for a wall.",
            dtype=PAIR,
        ),
    )
    # A step that raises leaves pairs that no frame has counted.
    made = ("_lost",)

    def __init__(self) -> None:
        self.pairs = self.begun = self.stayed = self.ended = np.zeros(0, PAIR)
        self._lost: list[Pairs] = []

    def load(self, saved: Saved) -> None:
        """Load the pairs of a file; their events were sent before the file was written."""
        super().load(saved)
        body = self.pairs["body"]
        # A slot beyond those of the file is of a body that is gone, and nothing uses it.
        body[(body < 0) | (body >= saved.lengths["slots"])] = -1
        self.begun = self.stayed = self.ended = self.pairs[:0]

    def note_lost(self, lost: Pairs) -> None:
        """Keep pairs that were pushed in this frame though a search has dropped their contacts."""
        lost = lost[lost["impulse"] > 0.0]
        if len(lost):
            self._lost.append(lost)

    def update(self, found: Pairs, owners: Owners, asleep: NDArray[np.bool_] | None = None) -> None:
        """Compare the touching pairs of now with the pairs of a frame ago.

        Args:
            found: pairs with contacts in this frame, each once.
            owners: the bodies and walls that there are.
            asleep: (B,) bodies whose contacts are not searched: their pairs stay as they are, and
                are not `stayed`.
        """
        if self._lost:
            found = _merge(_living(np.concatenate([found, *self._lost]), owners))
            self._lost.clear()
        old = self.pairs
        if not len(found) and not len(old):
            self.begun = self.stayed = self.ended = old
            return
        found = found[argsort(found["key"])]
        # In most frames the same pairs touch as before.
        if np.array_equal(found["key"], old["key"]):
            self.begun = self.ended = old[:0]
            self.stayed = self.pairs = found
            return
        at, matched = _look_up(old["key"], found["key"])
        known = np.zeros(len(found), np.bool_)
        known[at[matched]] = True
        held = ~matched & _are_asleep(old, owners, asleep)
        self.begun = found[found["touches"] & ~known]
        self.stayed = found[known]
        self.ended = old[~matched & ~held]
        self.ended["impulse"] = self.ended["speed"] = 0.0
        self.pairs = np.concatenate([self.begun, self.stayed, old[held]])
        self.pairs = self.pairs[argsort(self.pairs["key"])]

    def forget(self, key: int) -> None:
        """Take a pair out, as if it had never touched."""
        self.pairs = self.pairs[self.pairs["key"] != key]

    def entities(self, *, sensor: bool) -> NDArray[np.int64]:
        """Return the pairs (P, 2) of entities that touch, sorted: those with a sensor, or the
        others.
        """
        pairs: NDArray[np.int64] = self.pairs["entity"][self.pairs["sensor"] == sensor]
        return pairs[lexsort(pairs.T[::-1])]


def events_of(pairs: Pairs, home: Home | None = None) -> Iterator[tuple[int, ContactEvent]]:
    """Yield the key and the event of every pair, sorted by the numbers of the entities, which are
    from `home`.
    """
    pairs = pairs[lexsort(pairs["entity"].T[::-1])]
    columns = (
        pairs[name].tolist()
        for name in ("key", "entity", "impulse", "point", "normal", "sensor", "speed")
    )
    for key, (entity_a, entity_b), impulse, point, normal, sensor, speed in zip(
        *columns, strict=True
    ):
        yield (
            key,
            ContactEvent(
                entity_a, entity_b, impulse, tuple(point), tuple(normal), sensor, speed, home
            ),
        )


def pairs_of_contacts(view: ContactView, owners: Owners) -> Pairs:
    """Return the pairs whose contacts have pushed in this frame or are within END_GAP, each once.

    Impulses are summed over its contacts; point and normal are means, weighted by impulse.
    """
    contacts = view.contacts
    if not contacts.count:
        return np.zeros(0, PAIR)
    members = np.empty((contacts.count, 2), np.int64)
    sums = np.zeros(contacts.count, PAIR_SUM)
    points = Points(
        view.particles.rows["position"], view.walls.vertices, view.proxies.radius, view.offset
    )
    newest = np.full(len(owners.serial), -1, np.int64)
    following = np.empty(contacts.count, np.int64)
    count = sum_contacts(contacts.arrays, points, owners.of_proxy, newest, following, members, sums)
    members = members[:count]
    sums = sums[:count]
    pairs = new_pairs(members, owners, sensor=False)
    pairs["impulse"] = sums["impulse"]
    pairs["speed"] = sums["speed"]
    pairs["touches"] = (sums["impulse"] > 0.0) | (sums["separation"] < BEGIN_GAP)
    pairs["point"] = np.column_stack((sums["point_x"], sums["point_y"])) / sums["weight"][:, None]
    turn = np.where(pairs["entity"][:, 0] == owners.entity[members[:, 0]], 1.0, -1.0)
    normal = np.column_stack((sums["normal_x"], sums["normal_y"]))
    pairs["normal"] = normal * (turn / np.maximum(lengths(normal), 1e-300))[:, None]
    return pairs


def pairs_of_interpenetrations(
    members: NDArray[np.int64], axes: NDArray[np.float64], owners: Owners
) -> Pairs:
    """Return as pairs the bodies that interpenetrate, which have no contacts until they are apart.

    members (P, 2): slots. axes (P, 5): of separation, point and direction first, see
    depenetration.X.
    """
    pairs = new_pairs(members, owners, sensor=False)
    turn = np.where(pairs["entity"][:, 0] == owners.entity[members[:, 0]], 1.0, -1.0)
    pairs["touches"] = True
    pairs["point"] = axes[:, :2]
    pairs["normal"] = axes[:, 2:4] * turn[:, None]
    return pairs


def pairs_of_entities(contacts: Contacts, owners: Owners) -> Pairs:
    """Return the distinct pairs of entities in reported contacts of sleeping bodies; entities that
    are gone are left out.
    """
    number = {entity: owner for owner, entity in enumerate(owners.entity.tolist()) if entity}
    members = {
        (min(number[a], number[b]), max(number[a], number[b]))
        for a, b in zip(contacts.entity_a.tolist(), contacts.entity_b.tolist(), strict=True)
        if a in number and b in number
    }
    pairs = new_pairs(np.array(sorted(members), np.int64).reshape(-1, 2), owners, sensor=False)
    pairs["touches"] = True
    return pairs


def new_pairs(members: NDArray[np.int64], owners: Owners, *, sensor: bool) -> Pairs:
    """Return empty pairs for owners `members` (P, 2), the second one the wall or the sensor.

    Of two bodies the smaller entity comes first. An identity is 2 × serial, plus 1 for a wall; the
    key holds the smaller one from bit 32 on, the larger one from bit 1 on, and the sensor's bit.
    """
    pairs = np.zeros(len(members), PAIR)
    wall = members >= owners.body_count
    identity = 2 * owners.serial[members] + wall
    pairs["key"] = (identity.min(axis=1) << 32) | (identity.max(axis=1) << 1) | int(sensor)
    entity = owners.entity[members]
    body = np.where(wall, -1, members)
    if not sensor:
        swap = (entity[:, 0] > entity[:, 1]) & ~wall[:, 1]
        entity[swap] = entity[swap, ::-1]
        body[swap] = body[swap, ::-1]
    pairs["entity"] = entity
    pairs["body"] = body
    pairs["sensor"] = sensor
    return pairs


def _look_up(
    wanted: NDArray[np.int64], keys: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the places (W,) of the wanted keys in the sorted `keys`, and whether each is there."""
    if not len(keys):
        return np.zeros(len(wanted), np.int64), np.zeros(len(wanted), np.bool_)
    at = np.minimum(searchsorted(keys, wanted), len(keys) - 1)
    return at, keys[at] == wanted


def _living(pairs: Pairs, owners: Owners) -> Pairs:
    """Return the pairs whose members both exist: `owners` has both identities in their keys."""
    identity = 2 * owners.serial + (arange(len(owners.serial)) >= owners.body_count)
    members = np.stack([pairs["key"] >> 32, (pairs["key"] & 0xFFFFFFFF) >> 1])
    return pairs[np.isin(members, identity).all(axis=0)]


def _merge(pairs: Pairs) -> Pairs:
    """Merge entries of the same pair: impulses add up, speeds are maximal, point and normal are of
    the strongest entry.
    """
    pairs = pairs[lexsort((-pairs["impulse"], pairs["key"]))]
    first = flatnonzero(np.diff(pairs["key"], prepend=-1))
    merged = pairs[first]
    if len(first):
        merged["impulse"] = reduceat(np.add, pairs["impulse"], first)
        merged["speed"] = reduceat(np.maximum, pairs["speed"], first)
        merged["touches"] = reduceat(np.logical_or, pairs["touches"], first)
    return merged


def _are_asleep(
    pairs: Pairs, owners: Owners, asleep: NDArray[np.bool_] | None
) -> NDArray[np.bool_]:
    """Return which pairs exist and have no body that is awake."""
    if asleep is None or not len(pairs) or not asleep.any():
        return np.zeros(len(pairs), np.bool_)
    held = np.isin(pairs["key"], _living(pairs, owners)["key"])
    body = pairs["body"][held]
    held[held] = ((body < 0) | asleep[np.maximum(body, 0)]).all(axis=1)
    return held


PAIR_SUM = np.dtype(
    [
        ("impulse", np.float64),  # [N·s]
        ("separation", np.float64),  # [m] the least one
        ("point_x", np.float64),  # Σ weight × point of contact [m]
        ("point_y", np.float64),
        ("normal_x", np.float64),  # Σ weight × normal
        ("normal_y", np.float64),
        ("weight", np.float64),  # Σ weight
        ("speed", np.float64),  # [m/s] the largest one
    ]
)
"""Result of `sum_contacts` for a pair."""
PairSums = Annotated[np.ndarray, Layout(PAIR_SUM, 1)]
LEAST_WEIGHT = 1e-12
"""Added to the impulse [N·s] that weights a contact in the mean point and normal of its pair: a
pair without an impulse has them, too.
"""


class Points(NamedTuple):
    """Where the rows of contacts are: particles, then from `offset` on the vertices of walls."""

    position: Floats2  # (N, 2) [m]
    vertices: Floats2  # (V, 2) [m]
    radius: Floats1  # (R,) [m], of particles and vertices
    offset: int


@entry
def sum_contacts(
    contacts: ContactArrays,
    points: Points,
    owner_of: Integers1,
    newest: Integers1,
    following: Integers1,
    members: Integers2,
    sums: PairSums,
) -> int:
    """Write members (P, 2), lower owner first, and sums (P,) of every pair of owners that is near;
    return their number.

    Contacts are weighted by their impulse. The normal points from the second member to the first.
    The pairs found so far are in linked lists by their lower owner: newest (O,) is the last pair of
    each, -1 at first, following (C,) the one before each pair.
    """
    rows = contacts.rows
    proxies = contacts.proxies
    offset = points.offset
    position = points.position
    vertices = points.vertices
    radius = points.radius
    count: int = np.int64(0)  # type: ignore[assignment]  # a literal would compile twice
    for c in range(rows.shape[0]):
        contact = contacts.records[c]
        separation = contact["separation"] if contact["active"] else 1.0
        if not (contact["frame_impulse"] > 0.0 or separation < END_GAP):
            continue
        i = owner_of[proxies[c, 0]]
        j = owner_of[proxies[c, 1]]
        if i == j:
            continue
        p = rows[c, 0]
        turn = 1.0
        if p - offset >= vertices.shape[0] if p >= offset else p >= position.shape[0]:
            continue  # its entity is gone since the contact was found
        if (i < j) == (p >= offset):
            turn = -1.0  # the point belongs to the second member
        i, j = min(i, j), max(i, j)
        pair = newest[i]
        while pair >= 0 and members[pair, 1] != j:
            pair = following[pair]
        if pair < 0:
            pair = count
            members[pair, 0] = i
            members[pair, 1] = j
            following[pair] = newest[i]
            newest[i] = pair
            sums[pair]["separation"] = separation
            count += 1
        nx = contact["normal_x"]
        ny = contact["normal_y"]
        weight = contact["frame_impulse"] + LEAST_WEIGHT
        if p >= offset:
            x = vertices[p - offset, 0]
            y = vertices[p - offset, 1]
        else:
            x = position[p, 0]
            y = position[p, 1]
        total = sums[pair]
        total["impulse"] += contact["frame_impulse"]
        total["separation"] = min(total["separation"], separation)
        total["point_x"] += weight * (x - radius[p] * nx)
        total["point_y"] += weight * (y - radius[p] * ny)
        total["normal_x"] += turn * weight * nx
        total["normal_y"] += turn * weight * ny
        total["weight"] += weight
        pushed = contact["frame_impulse"] > 0.0
        # A contact that has not pushed yet meets right now.
        speed = contact["approach_speed"] if pushed else -contact["relative_normal_velocity"]
        total["speed"] = max(total["speed"], speed)
    return count
