"""Attached bodies: those that joints hold together need not keep each other out."""

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.storage import Table

Numbers = NDArray[np.int64]


class AttachedBodies:
    """The pairs of bodies that Attachments join and that are not to touch."""

    def __init__(self, attachments: Table, particles: Table) -> None:
        self._attachments, self._particles = attachments, particles
        self._seen = np.zeros(0, np.bool_)

    @property
    def are_any(self) -> bool:
        """Whether there are attachments."""
        return bool(self._attachments.bound)

    def has_changed(self) -> bool:
        """Tell whether a game has written since the last search which attached bodies touch."""
        return self.are_any and not np.array_equal(self._attachments.values["collide"], self._seen)

    def holds(self, pairs: Numbers, item_body: Numbers) -> NDArray[np.bool_]:
        """Tell which pairs (P, 2) of items are attached bodies; item_body: slot of every item that is a body."""
        self._seen = self._attachments.values["collide"].copy()
        return is_attached(pairs, item_body, attached_bodies(self._attachments, self._particles.rows["body"]))


def attached_bodies(attachments: Table, body: NDArray[np.uint32]) -> Numbers:
    """Return a sorted key of every two bodies that an Attachment joins and that are not to touch, see `key_of`.

    body: of every particle, its slot in the table of Particles.
    """
    values, rows = attachments.values, attachments.rows["packed_rows"]
    joins = np.flatnonzero((values["last"] > values["first"]) & ~values["to_world"] & ~values["collide"])
    first, second = (body[rows[place]] for place in (values["first"][joins], values["last"][joins] - 1))
    return np.unique(key_of(first.astype(np.int64), second.astype(np.int64)))


def is_attached(pairs: Numbers, item_body: Numbers, keys: Numbers) -> NDArray[np.bool_]:
    """Tell which pairs (P, 2) of items are two bodies of these keys; item_body: slot of every item that is a body."""
    found = pairs[:, 1] < len(item_body)
    bodies = item_body[pairs[found]]
    found[found] = np.isin(key_of(bodies[:, 0], bodies[:, 1]), keys)
    return found


def key_of(first: Numbers, second: Numbers) -> Numbers:
    """Return one number for two bodies, whichever comes first."""
    keys: Numbers = (np.minimum(first, second) << 32) + np.maximum(first, second)
    return keys
