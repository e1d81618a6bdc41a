"""ContactKeeper: what a snapshot keeps of contacts and of the search for them; the rest is made again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.collision.contacts.packing import (
    ACTIVE,
    BLOCK,
    LIVE,
    RARE,
    SLIPS,
    USUAL,
    PackedContacts,
    pack_contacts,
    unpack_contacts,
)
from ecs_softbody.collision.pipeline import CollisionSpace

FIRST_PART = 64
"""Rows that are compared first."""


class KeptContacts(NamedTuple):
    """C contacts, L of which are not quiet (contacts/packing.py); P particles."""

    rows: NDArray[Any]
    """(C, 3) of ContactList, as small numbers."""
    proxies: NDArray[Any]
    """(C, 2) of ContactList, as small numbers."""
    kinds: NDArray[np.uint8]
    """(C,)"""
    usual: NDArray[np.float64]
    """(L, 11) USUAL."""
    rare: NDArray[np.float64] | None
    """(L, 5) RARE; None where they need not be kept."""
    searched: NDArray[np.float64] | None
    """Positions (P, 2) of the particles at the last search; None where they are the previous ones."""
    walls: NDArray[np.float64]
    """Positions (V, 2) of the vertices of walls at the last search."""

    @property
    def fields(self) -> list[NDArray[Any] | None]:
        """All of it, in the order in which `ContactKeeper.checked` takes it."""
        return [self.rows, self.proxies, self.kinds, self.searched, self.walls, self.usual, self.rare]

    @property
    def arrays(self) -> Iterator[NDArray[Any]]:
        """Those that it has."""
        return (each for each in self.fields if each is not None)


class ContactKeeper:
    """Keeps the contacts of a CollisionSpace, and puts them back."""

    def __init__(self, space: CollisionSpace) -> None:
        self._space = space
        self._room, self._has_rare = 0, False
        self._live = np.zeros(BLOCK + 1, np.uint32)
        self._found: NDArray[np.int64] = np.zeros(2, np.int64)

    @property
    def kept_apart(self) -> frozenset[int]:
        """Identities of the arrays that are kept here and by nobody else, beside those of the list of contacts."""
        proxies = self._space.proxies
        return frozenset((id(proxies.reference_position), id(proxies.limits)))

    def keep(self, version: int, before: KeptContacts | None) -> KeptContacts:
        """Return the contacts as they are. `version` is that of the packed rows; what is as before is shared."""
        space, contacts = self._space, self._space.contacts
        kinds = np.empty(contacts.count, np.uint8)
        is_known, proxies = space.is_up_to_date(version), space.proxies
        usual, rare = self._pack(is_known, kinds)
        row_count, proxy_count = self._limits()
        keys = smallest(contacts.rows, row_count), smallest(contacts.proxies, proxy_count)
        position, previous = proxies.reference_position, space.particles["previous_position"]
        offset = min(proxies.offset, len(position))
        searched = position[: len(previous)] if is_known else position[:offset]
        kept = KeptContacts(*keys, kinds, usual, rare, searched, position[offset:].copy())
        if is_known and is_same(searched, previous):
            return kept._replace(searched=None)
        return kept._replace(searched=searched.copy()) if before is None else shared(kept, before)

    def _pack(self, is_known: bool, kinds: NDArray[np.uint8]) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
        """Write the kinds; return `usual` and `rare` of KeptContacts. There is room for what there was lately."""
        space, contacts, proxies = self._space, self._space.contacts, self._space.proxies
        asleep = proxies.asleep if proxies.asleep.any() else proxies.asleep[:0]
        jointed = space.particles["jointed"]
        marked = jointed if jointed.any() else jointed[:0]
        has_masses = len(asleep) > 0 or not is_known
        while True:
            room = min(self._room + self._room // 16, contacts.count)
            usual = np.empty((room, len(USUAL)))
            rare = np.empty((room if has_masses or self._has_rare else 0, len(RARE)))
            packed = PackedContacts(kinds, self._live, usual, rare, self._found)
            pack_contacts(contacts.arrays, proxies.offset, asleep, marked, not is_known, packed)
            live, has_rare = int(self._found[0]), bool(self._found[1])
            fits = live <= room and (len(rare) == room or not has_rare)
            self._room, self._has_rare = live, has_rare
            if fits:
                usual.resize((live, len(USUAL)), refcheck=False)
                if has_masses or has_rare:
                    rare.resize((live, len(RARE)), refcheck=False)
                return usual, rare if has_masses or has_rare else None

    def restore(self, kept: KeptContacts, version: int) -> None:
        """Put contacts back; everything else of the world is back already."""
        space, contacts, proxies = self._space, self._space.contacts, self._space.proxies
        contacts.rows[...], contacts.proxies[...] = kept.rows, kept.proxies
        rare = kept.usual[:0] if kept.rare is None else kept.rare
        unpack_contacts(contacts.arrays, kept.kinds, kept.usual, rare, space.materials)
        position, offset = proxies.reference_position, min(proxies.offset, len(proxies.reference_position))
        searched = space.particles["previous_position"] if kept.searched is None else kept.searched
        position[: len(searched)], position[offset:] = searched, kept.walls
        if space.is_up_to_date(version):
            proxies.find_limits()

    def _limits(self) -> tuple[int, int]:
        """Return the number of rows, and that of proxies, that a contact may have."""
        space = self._space
        return len(space.proxies.radius), space.proxies.body_count + space.walls.edge_count

    def of_fields(self, fields: list[Any]) -> KeptContacts:
        """Return contacts again of their `fields`."""
        rows, proxies, kinds, searched, walls, usual, rare = fields
        return KeptContacts(rows, proxies, kinds, usual, rare, searched, walls)

    def checked(self, fields: list[NDArray[Any] | None]) -> KeptContacts:
        """Return the contacts of a file, for the world that is there now.

        Raises:
            ValueError: where they do not fit into it: kernels would not notice.
        """
        rows, proxies, kinds, searched, walls_then, usual, rare = fields
        if rows is None or proxies is None or kinds is None or walls_then is None or usual is None:
            raise ValueError("contacts without rows")
        live, usual = int(np.count_nonzero(kinds & LIVE)), np.array(usual, np.float64)
        rare = None if rare is None else np.array(rare, np.float64)
        if usual.shape != (live, len(USUAL)) or (rare is not None and rare.shape != (live, len(RARE))):
            raise ValueError(f"{live} contacts do not have their numbers")
        kept = KeptContacts(rows, proxies, kinds, usual, rare, searched, walls_then)
        space, count = self._space, self._space.contacts.count
        for keys, width, limit in zip((kept.rows, kept.proxies), (3, 2), self._limits(), strict=True):
            if keys.shape != (count, width) or (count and not 0 <= int(keys.min()) <= int(keys.max()) < limit):
                raise ValueError("contacts of bodies that there are not")
        if kept.kinds.shape != (count,) or (count and int(kept.kinds.max()) > ACTIVE | LIVE | SLIPS):
            raise ValueError(f"{count} contacts are of {len(kept.kinds)} kinds")
        position = space.proxies.reference_position
        offset = min(space.proxies.offset, len(position))
        own = space.particles["previous_position"] if kept.searched is None else kept.searched
        if own.ndim != 2 or len(own) > len(position) or kept.walls.shape != position[offset:].shape:
            raise ValueError("positions of the last search do not fit")
        return kept


def smallest(keys: NDArray[Any], limit: int) -> NDArray[Any]:
    """Return a copy of numbers below `limit` of the smallest type that holds them."""
    return keys.astype(np.min_scalar_type(limit))


def is_same(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Return whether two contiguous arrays are the same bit for bit."""
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    if one[:FIRST_PART].tobytes() != other[:FIRST_PART].tobytes():  # what differs most often does so at once
        return False
    if one.dtype == np.float64:
        one, other = one.view(np.int64), other.view(np.int64)
    return bool((one == other).all())


def shared(kept: KeptContacts, before: KeptContacts) -> KeptContacts:
    """Return contacts that share rows, proxies and places with those before where they are the same."""
    searched = before.searched
    if searched is None or kept.searched is None or not is_same(searched, kept.searched):
        searched = None if kept.searched is None else kept.searched.copy()
    rows = before.rows if is_same(before.rows, kept.rows) else kept.rows
    return kept._replace(
        rows=rows, proxies=before.proxies if is_same(before.proxies, kept.proxies) else kept.proxies, searched=searched
    )
