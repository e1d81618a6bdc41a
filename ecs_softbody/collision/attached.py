"""Attached bodies: those that joints hold together need not keep each other out."""

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.storage import Table

Numbers = NDArray[np.int64]


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
