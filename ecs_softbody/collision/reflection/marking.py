"""Marking: hands the impulses of the reflection to the contact solver, for friction.

Discs have bounced before the iterations of the solver; but the friction of that bounce, at most μ
times its normal impulse, is found by the iterations.

Warm-start impulses are kept: they are the load of a contact, which stays when a heap is struck.
Without warm starting, heaps of bouncing balls sank by a third more.
"""

import numpy as np

from ecs_softbody.arrays import Integers1
from ecs_softbody.collision.contacts.contact import ContactArrays, Rows, are_discs
from ecs_softbody.collision.reflection.approaching import CHANGED, NOTED, Reflection
from ecs_softbody.collision.reflection.responses import NONE
from ecs_softbody.collision.solve.active import (
    DISCS,
    EDGES,
    SPECULATIVE,
    ActiveContacts,
    list_disc,
    list_edge,
)
from ecs_softbody.parallel.compiling import inline, kernel


@kernel
def mark_reflected(
    changed: int, contacts: ContactArrays, active: ActiveContacts, start: Integers1, rows: Rows,
    reflection: Reflection, dt: float,
) -> None:  # fmt: skip
    """Copy the reflection's impulses of the first `changed` contacts in the list CHANGED to their
    active contacts (ActiveContacts); contacts that are not active become so.
    """
    are_missing = False
    for k in range(changed):
        c = reflection.of_contacts[k, CHANGED]
        contact = contacts.records[c]
        batch = batch_of(start, c)
        if contact["friction"] == 0.0:
            continue
        first = start[batch]
        number = c - start[batch]
        if are_discs(contacts.rows, c, rows.offset):
            place = place_of(active.discs[first : first + active.counts[batch, DISCS]], number)
            if place != NONE:
                active.discs[first + place]["reflected_impulse"] = contact["reflected_impulse"]
        else:
            place = place_of(active.edges[first : first + active.counts[batch, EDGES]], number)
            if place != NONE:
                active.edges[first + place]["reflected_impulse"] = contact["reflected_impulse"]
        if place == NONE:
            reflection.of_contacts[c, NOTED] = NONE
            are_missing = True
    if are_missing:
        list_missing(changed, contacts, active, start, rows, reflection, dt)


@kernel
def list_missing(
    changed: int, contacts: ContactArrays, active: ActiveContacts, start: Integers1, rows: Rows,
    reflection: Reflection, dt: float,
) -> None:  # fmt: skip
    """Make contacts active that were struck in this substep, and had been too slow to meet: for
    friction.
    """
    for k in range(changed):
        c = reflection.of_contacts[k, CHANGED]
        if reflection.of_contacts[c, NOTED] != NONE:
            continue
        batch = batch_of(start, c)
        first = start[batch]
        number = c - start[batch]
        counts = active.counts[batch]
        kept = 0
        speculative = active.speculative[first : first + counts[SPECULATIVE]]
        for n in range(counts[SPECULATIVE]):
            speculative[kept] = speculative[n]
            kept += speculative[n] != number
        counts[SPECULATIVE] = kept
        own = slice(start[batch], start[batch + 1])
        keys = contacts.rows[own]
        records = contacts.records[own]
        if are_discs(contacts.rows, c, rows.offset):
            list_disc(keys, records, number, rows, 1.0 / dt, active.discs[own], counts[DISCS])
            counts[DISCS] += 1
        else:
            list_edge(keys, records, number, rows, 1.0 / dt, active.edges[own], counts[EDGES])
            counts[EDGES] += 1


@inline
def batch_of(start: np.ndarray, c: int) -> int:
    """Return the batch of contact c; start (B + 1,): where batches begin."""
    batch = 0
    while start[batch + 1] <= c:
        batch += 1
    return batch


@inline
def place_of(listed: np.ndarray, number: int) -> int:
    """Return the place of the contact with this number in a list sorted by `contact`, or NONE."""
    low = 0
    high = listed.shape[0]
    while low < high:
        middle = (low + high) // 2
        if listed[middle]["contact"] < number:
            low = middle + 1
        else:
            high = middle
    return low if low < listed.shape[0] and listed[low]["contact"] == number else NONE
