"""The view of contacts for games, `sim.contacts`: entities, and rows counted within their bodies.

The solver's list counts rows and proxies over the whole world (ContactList); ContactView translates
it to Contacts.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.collision.contacts.contact_list import ContactList
from ecs_softbody.collision.detect.proxies import Proxies
from ecs_softbody.collision.detect.static_edges import StaticEdges
from ecs_softbody.indices import flatnonzero, taken
from ecs_softbody.storage import Table
from ecs_softbody.storage.entity import Home, check_at_home
from ecs_softbody.storage.resource import Array, WholeArray


@dataclass(frozen=True)
class Contacts:
    """The contacts of the last frame, C rows; copies, in the order in which they were solved.

    `entity_a` and `entity_b` touch; b is the wall where there is one. `row_a` and `row_b` are the
    rows in their Particles that are nearest to the contact, -1 for a wall. `normal` (C, 2) points
    from b to a. `impulse` [N·s] is the sum of the normal impulses of the frame, at `point` (C, 2)
    [m]. `separation` [m] is the distance left, negative in overlap; `gap` is another name for it.
    `speed` [m/s] is the highest approach speed along the normal during the frame: it measures the
    hit independently of the masses.
    """

    entity_a: NDArray[np.int64]
    entity_b: NDArray[np.int64]
    row_a: NDArray[np.int64]
    row_b: NDArray[np.int64]
    point: NDArray[np.float64]
    normal: NDArray[np.float64]
    impulse: NDArray[np.float64]
    separation: NDArray[np.float64]
    speed: NDArray[np.float64]
    home: Home | None = field(default=None, repr=False)
    """Where the entities are from, as far as it is known."""

    saved = (
        WholeArray("entity_a", "contacts", "The body that touches."),
        WholeArray("entity_b", "contacts", "The other body, or the wall."),
        WholeArray("row_a", "contacts", "The row of its Particles next to the contact."),
        WholeArray("row_b", "contacts", "That of the other body, -1 for a wall."),
        Array("point", ("contacts", 2), "Where they touch.", unit="m"),
        Array("normal", ("contacts", 2), "Unit vector from the other one to the body."),
        Array("impulse", "contacts", "What pushed them apart during the frame.", unit="N·s"),
        Array("separation", "contacts", "The distance left, negative in overlap.", unit="m"),
        Array(
            "speed",
            "contacts",
            "How fast they approached each other, at most during the frame.",
            unit="m/s",
        ),
    )

    def __len__(self) -> int:
        return len(self.impulse)

    @property
    def gap(self) -> NDArray[np.float64]:
        """The same as `separation`."""
        return self.separation

    @classmethod
    def none(cls) -> Contacts:
        """Return no contacts."""
        whole = np.zeros(0, np.int64)
        number = np.zeros(0)
        vector = np.zeros((0, 2))
        return cls(whole, whole, whole, whole, vector, vector, number, number, number)

    def of(self, entity: int) -> Contacts:
        """Return the contacts of one entity, turned so that it is `entity_a` and normals point to
        it.

        Raises:
            ValueError: when the entity is one of another simulation.
        """
        if self.home is not None:
            check_at_home("Contacts.of", "entity", entity, self.home)
        first = self.entity_a == entity
        second = self.entity_b == entity
        chosen = flatnonzero(first | second)
        turn = ~first[chosen]
        sign = np.where(turn, -1.0, 1.0)
        return Contacts(
            np.where(turn, self.entity_b[chosen], self.entity_a[chosen]),
            np.where(turn, self.entity_a[chosen], self.entity_b[chosen]),
            np.where(turn, self.row_b[chosen], self.row_a[chosen]),
            np.where(turn, self.row_a[chosen], self.row_b[chosen]),
            self.point[chosen],
            self.normal[chosen] * sign[:, None],
            self.impulse[chosen],
            self.separation[chosen],
            self.speed[chosen],
            self.home,
        )


@dataclass(frozen=True)
class ContactView:
    """A list of contacts with the tables that its rows and proxies belong to, read only.

    A proxy is a body, by its slot in the table of Collider, or a static edge, numbered behind them.
    A row is a particle or, from `offset` on, a vertex of a wall.
    """

    contacts: ContactList
    proxies: Proxies
    walls: StaticEdges
    particles: Table
    colliders: Table

    @property
    def offset(self) -> int:
        """The row of the first static vertex: rows below are particles."""
        return self.proxies.offset

    def reported(self) -> Contacts:
        """Return the contacts that pushed in this frame or overlap now."""
        records = self.contacts.records
        overlapping = records["active"] & (records["separation"] < 0.0)
        return self.describe(flatnonzero(overlapping | (records["frame_impulse"] > 0.0)))

    def describe(self, chosen: NDArray[np.int64]) -> Contacts:
        """Return some of the contacts in the terms of games; chosen (K,): their numbers."""
        if not len(chosen):
            return Contacts.none()
        records = self.contacts.records[chosen]
        walls = self.walls
        offset = self.offset
        position = self.particles.rows
        rows = taken(self.contacts.rows, chosen)
        proxies = taken(self.contacts.proxies, chosen)
        normal = np.stack([records["normal_x"], records["normal_y"]], axis=1)
        # `own` becomes the particle of proxies[:, 0]: the point, or the nearer end of the edge if
        # the point is the corner of a wall.
        own = rows[:, 0]
        other = np.where(records["edge_fraction"] > 0.5, rows[:, 2], rows[:, 1])
        corner = flatnonzero(own >= offset)
        vertex = own[corner]
        own[corner] = other[corner]
        other[corner] = vertex
        normal[corner] *= -1.0
        entity = np.concatenate([self.colliders.values["entity"], walls.of_edges("entity")])
        surface = taken(position["position"], own) - normal * self.proxies.radius[own][:, None]
        surface[corner] = (
            walls.vertices[vertex - offset] + normal[corner] * self.proxies.radius[vertex][:, None]
        )
        entity_a = entity[proxies[:, 0]]
        entity_b = entity[proxies[:, 1]]
        row_a = self._local_rows(own)
        row_b = self._local_rows(other)
        impulse = records["frame_impulse"]
        separation = records["separation"]
        speed = records["approach_speed"]
        return Contacts(
            entity_a, entity_b, row_a, row_b, surface, normal, impulse, separation, speed
        )

    def _local_rows(self, rows: NDArray[np.uint32]) -> NDArray[np.int64]:
        """Return rows (K,) counted within their body, as games do, -1 for vertices of walls."""
        wall = rows >= self.offset
        packed = np.where(wall, 0, rows)
        first = self.particles.values["first"]
        body = self.particles.rows["body"]
        local: NDArray[np.int64] = (packed - first[body[packed]]).astype(np.int64)
        local[wall] = -1
        return local
