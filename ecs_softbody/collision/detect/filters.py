"""Filters: which pairs of proxies (bodies and static edges) may touch.

Two may touch if the mask of each has a bit of the other's category. Bodies that an Attachment joins
do not touch unless it says `collide`. The search for contacts asks both.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Flags, Integers, Uint32s1
from ecs_softbody.elementary.rows import distinct
from ecs_softbody.indices import flatnonzero, searchsorted
from ecs_softbody.parallel.compiling import kernel
from ecs_softbody.storage import Table
from ecs_softbody.storage.resource import FlagArray, Resource


class Filters(NamedTuple):
    """Category bits and collision masks of I proxies."""

    category: Uint32s1  # (I,) uint32
    mask: Uint32s1  # (I,) uint32


@kernel
def may_touch(filters: Filters, i: int, j: int) -> bool:
    """True if the mask of each proxy has a bit of the other's category."""
    category = filters.category
    mask = filters.mask
    return (category[i] & mask[j]) != 0 and (category[j] & mask[i]) != 0


class AttachedBodies(Resource):
    """The pairs of bodies that Attachments join and that are not to touch.

    `seen` is the column `collide` of all attachments at the last search.
    """

    saved = (
        FlagArray("seen", "attachments", "Whether attached bodies touched at the last search."),
    )

    def __init__(self, attachments: Table, particles: Table) -> None:
        self._attachments = attachments
        self._particles = particles
        self.seen = np.zeros(0, np.bool_)

    @property
    def are_any(self) -> bool:
        """Whether there are attachments."""
        return bool(self._attachments.bound)

    def has_changed(self) -> bool:
        """True if a game has changed since the last search which attached bodies touch."""
        return self.are_any and not np.array_equal(self._attachments.values["collide"], self.seen)

    def holds(self, pairs: Integers, body_of_proxy: Integers) -> Flags:
        """Return which pairs (P, 2) of proxies are attached bodies that are not to touch.

        body_of_proxy (B,): the slot of each body in the table of Particles.
        """
        self.seen = self._attachments.values["collide"].copy()
        return is_attached(
            pairs, body_of_proxy, attached_bodies(self._attachments, self._particles.rows["body"])
        )


def attached_bodies(attachments: Table, body: NDArray[np.uint32]) -> Integers:
    """Return a sorted key of every two bodies that an Attachment joins and that are not to touch,
    see `key_of`.

    body (N,): the slot of every particle's body in the table of Particles. An attachment joins two
    bodies, so its first and its last particle tell which.
    """
    values = attachments.values
    rows = attachments.rows["packed_rows"]
    joins = flatnonzero(
        (values["last"] > values["first"]) & ~values["to_world"] & ~values["collide"]
    )
    first, second = (body[rows[row]] for row in (values["first"][joins], values["last"][joins] - 1))
    return distinct(key_of(first.astype(np.int64), second.astype(np.int64)))


def is_attached(pairs: Integers, body_of_proxy: Integers, keys: Integers) -> Flags:
    """Return which pairs (P, 2) of proxies are two bodies with one of these keys,
    which are sorted.
    """
    found = pairs[:, 1] < len(body_of_proxy)
    bodies = body_of_proxy[pairs[found]]
    if len(keys):
        asked = key_of(bodies[:, 0], bodies[:, 1])
        found[found] = keys[searchsorted(keys[:-1], asked)] == asked
    else:
        found[:] = False
    return found


def key_of(first: Integers, second: Integers) -> Integers:
    """Return one number for two bodies in any order: the lower slot × 2³² + the higher one."""
    keys: Integers = (np.minimum(first, second) << 32) + np.maximum(first, second)
    return keys
