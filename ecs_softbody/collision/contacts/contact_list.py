"""ContactList: the contacts of a world, kept from one search for contacts to the next.

A world has two: a search writes candidates to the spare one, takes over the impulses of the old one
(matching.py), and both change their parts. A contact has keys, the rows of point and edge and their
proxies, and a record (CONTACT).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.collision.contacts.contact import CONTACT, ContactArrays
from ecs_softbody.collision.contacts.matching import Chains
from ecs_softbody.collision.detect.candidates import Candidates
from ecs_softbody.storage.resource import Resource

FIRST_CAPACITY = 256
"""Contacts that a new list has room for; it grows with the first search that finds more."""


class ContactList(Resource):
    """Contacts with spare capacity, in the order of their batches (solve/partition.py), which is
    the order in which they are solved.

    `arrays` are views of the contacts in use, made when `count` is set and not when they are read.
    ContactSnapshots keeps their content.
    """

    bound = (
        "_rows",
        "_proxies",
        "_records",
        "_other_rows",
        "_other_proxies",
        "_chains",
        "_count",
        "arrays",
    )

    arrays: ContactArrays

    def __init__(self) -> None:
        self._reserve(FIRST_CAPACITY)

    def _reserve(self, capacity: int) -> None:
        """Allocate room for this many contacts; each key array has a twin, see `swap_keys`."""
        self._rows = np.zeros((capacity, 3), np.uint32)
        self._proxies = np.zeros((capacity, 2), np.int64)
        self._records = np.zeros(capacity, CONTACT)
        self._other_rows, self._other_proxies = (
            np.zeros_like(self._rows),
            np.zeros_like(self._proxies),
        )
        self._chains = Chains(np.zeros(0, np.int64), np.zeros(capacity, np.int64))
        self.count = 0

    @property
    def count(self) -> int:
        """Contacts in use."""
        return self._count

    @count.setter
    def count(self, contacts: int) -> None:
        self._count = contacts
        self.arrays = ContactArrays(
            self._rows[:contacts], self._proxies[:contacts], self._records[:contacts]
        )

    def make_room(self, contacts: int) -> None:
        """Have this many contacts, whose content is undefined."""
        if contacts > self.capacity:
            self.grow(contacts)
        self.count = contacts

    @property
    def rows(self) -> NDArray[np.uint32]:
        """Rows (C, 3) of particle, edge start and edge end."""
        return self.arrays.rows

    @property
    def proxies(self) -> NDArray[np.int64]:
        """Proxies (C, 2) of the particle and of the edge."""
        return self.arrays.proxies

    @property
    def records(self) -> NDArray[np.void]:
        """Everything else (C,), see CONTACT."""
        return self.arrays.records

    @property
    def capacity(self) -> int:
        """How many contacts fit."""
        return len(self._rows)

    @property
    def candidates(self) -> Candidates:
        """Rows and proxies up to the capacity, for a search to write to."""
        return Candidates(self._rows, self._proxies)

    def chains(self, row_count: int) -> Chains:
        """Return the workspace in which `link_contacts` lists the contacts of each row, for rows in
        [0, row_count).
        """
        if len(self._chains.head) < row_count:
            self._chains = self._chains._replace(
                head=np.zeros(row_count + row_count // 4, np.int64)
            )
        return Chains(self._chains.head[:row_count], self._chains.following)

    def swap_keys(self) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """Return rows and proxies, and give the list their twins, whose content is undefined:
        sorting into batches reads from the former and writes to the latter.
        """
        found = self.rows, self.proxies
        self._rows, self._other_rows = self._other_rows, self._rows
        self._proxies, self._other_proxies = self._other_proxies, self._proxies
        self.count = self._count
        return found

    def exchange(self, other: ContactList) -> None:
        """Exchange all contacts with another list, without copying."""
        own = vars(self).copy()
        vars(self).update(vars(other))
        vars(other).update(own)

    def grow(self, needed: int) -> None:
        """Reserve `needed` contacts and some more; the content is lost."""
        self._reserve(max(needed + needed // 4, 2 * self.capacity))

    def keep(self, which: NDArray[np.bool_]) -> None:
        """Keep some of the contacts, given by flags (C,)."""
        kept = ContactArrays._make(array[which] for array in self.arrays)
        self.count = 0
        self.append(kept)

    def append(self, added: ContactArrays) -> None:
        """Add contacts at the end."""
        before = self.arrays
        stop = self.count + len(added.rows)
        if stop > self.capacity:
            self.grow(stop)
            self._rows[: len(before.rows)] = before.rows
            self._proxies[: len(before.rows)] = before.proxies
            self._records[: len(before.rows)] = before.records
        own = slice(stop - len(added.rows), stop)
        self._rows[own] = added.rows
        self._proxies[own] = added.proxies
        self._records[own] = added.records
        self.count = stop
