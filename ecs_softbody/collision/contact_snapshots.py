"""ContactSnapshots: the contacts of a CollisionSpace as a snapshot or file holds them.

Contacts need only five whole numbers as keys, and a live contact (one that pushes, has pushed
lately or is about to) its impulses; all else is recomputed in the next substep. Since games may
keep a snapshot per frame, keys are split into halves of 16 bits, of which the high ones are left
out while all are 0, and arrays that equal the arrays of the snapshot before are shared with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.collision.contacts.packing import (
    ACTIVE,
    BITS,
    HALF,
    LIVE,
    LIVE_FIELDS,
    NEAR,
    OPTIONAL_FIELDS,
    SLIPS,
    Keys,
    PackedContacts,
    pack_contacts,
    unpack_contacts,
)
from ecs_softbody.collision.pipeline import CollisionSpace
from ecs_softbody.parallel.many import same
from ecs_softbody.storage.resource import Array, load_record
from ecs_softbody.storage.saved import Saved

Packed = tuple[
    NDArray[np.uint16],
    NDArray[np.uint16] | None,
    NDArray[np.uint8],
    NDArray[np.float64],
    NDArray[np.float64] | None,
]
"""The first five fields of ContactSnapshot: keys, high, kinds, usual, rare."""


KINDS = f"Flags of each: {ACTIVE} active, {LIVE} live, {SLIPS} slips, {NEAR} near."
SEARCHED = "Where the particles were at the last search; missing where that is `previous_position`."


FIELDS = (
    Array("kinds", "contacts", KINDS, dtype=np.uint8, below=(ACTIVE | LIVE | SLIPS | NEAR) + 1),
    Array(
        "keys",
        ("contacts", 5),
        "Rows and proxies of each: the low halves of these numbers.",
        dtype=np.uint16,
    ),
    Array(
        "high",
        ("contacts", 5),
        "The high halves; missing where all are 0.",
        dtype=np.uint16,
        optional=True,
    ),
    Array(
        "usual", ("live", len(LIVE_FIELDS)), f"Of those that are live: {', '.join(LIVE_FIELDS)}."
    ),
    Array(
        "rare",
        ("live", len(OPTIONAL_FIELDS)),
        f"The same: {', '.join(OPTIONAL_FIELDS)}; missing where not needed.",
        optional=True,
    ),
    Array("searched", ("searched", 2), SEARCHED, unit="m", optional=True),
    Array(
        "walls", ("wall_rows", 2), "Where the vertices of walls were at the last search.", unit="m"
    ),
)


class ContactSnapshot(NamedTuple):
    """C contacts, L of which are live (contacts/packing.py); P particles, V vertices of walls."""

    # (C, 5) low halves of the rows of p, a and b, and of the proxies of p and of the edge
    keys: NDArray[np.uint16]
    # (C, 5) their high halves; None where all are 0
    high: NDArray[np.uint16] | None
    # (C,) flags ACTIVE, LIVE, SLIPS, NEAR
    kinds: NDArray[np.uint8]
    # (L, F) the columns LIVE_FIELDS of CONTACT
    usual: NDArray[np.float64]
    # (L, G) the columns OPTIONAL_FIELDS; None where they can be recomputed
    rare: NDArray[np.float64] | None
    # (P, 2) [m] particles at the last search; None where that is `previous_position`
    searched: NDArray[np.float64] | None
    # (V, 2) [m] vertices at the last search
    walls: NDArray[np.float64]

    @property
    def arrays(self) -> Iterator[NDArray[Any]]:
        """The arrays that are present."""
        return (each for each in self if each is not None)


MOST = 500_000
"""Contacts that a file may have: a record takes 20 times the room that it has there.

A thousand blobs have 20,000.
"""


class ContactSnapshots:
    """Keeps the contacts of a CollisionSpace, and puts them back."""

    def __init__(self, space: CollisionSpace) -> None:
        self._space = space
        # What the last call found, for the size of the next arrays: live contacts, and whether
        # any of them needed the optional fields.
        self._room = 0
        self._has_optional = False
        # Results of `pack_contacts`: live contacts, and 1 where optional fields are needed.
        self._found: NDArray[np.int64] = np.zeros(2, np.int64)

    @property
    def kept_apart(self) -> frozenset[int]:
        """Identities of the arrays that only this class keeps: a snapshot takes no other copy.

        The arrays of the contact list are kept only here, too.
        """
        proxies = self._space.proxies
        return frozenset(
            (id(proxies.reference_position), id(proxies.limits), id(proxies.inverse_mass))
        )

    def keep(self, version: int, before: ContactSnapshot | None) -> ContactSnapshot:
        """Return the contacts as they are.

        `version` is the version of the packed rows; arrays equal to those before are shared.
        """
        space = self._space
        proxies = self._space.proxies
        is_known = space.is_up_to_date(version)
        position = proxies.reference_position
        previous = space.particles["previous_position"]
        offset = min(proxies.offset, len(position))
        searched = position[: len(previous)] if is_known else position[:offset]
        packed = self._packed(is_known)
        if is_known and same(searched, previous):
            return ContactSnapshot(*packed, None, position[offset:].copy())
        kept = ContactSnapshot(*packed, searched, position[offset:].copy())
        return kept._replace(searched=searched.copy()) if before is None else shared(kept, before)

    def _packed(self, is_known: bool) -> Packed:
        """Return the first fields of ContactSnapshot.

        The arrays have room for as many live contacts as the last call found, and some more; if
        that is too little, packing is repeated with the number that it has counted.
        """
        space = self._space
        contacts = self._space.contacts
        proxies = self._space.proxies
        keys = np.empty((contacts.count, 5), np.uint16)
        high = np.empty((contacts.count if max(self._limits()) > HALF + 1 else 0, 5), np.uint16)
        kinds = np.empty(contacts.count, np.uint8)
        asleep = proxies.asleep if proxies.asleep.any() else proxies.asleep[:0]
        jointed = space.particles["jointed"]
        marked = jointed if jointed.any() else jointed[:0]
        has_masses = len(asleep) > 0 or not is_known
        while True:
            room = min(self._room + self._room // 16, contacts.count)
            usual = np.empty((room + 1, len(LIVE_FIELDS)))
            rare = np.empty(
                (room + 1 if has_masses or self._has_optional else 0, len(OPTIONAL_FIELDS))
            )
            packed = PackedContacts(Keys(keys, high), kinds, usual, rare)
            held = asleep, marked, proxies.radius
            pack_contacts(contacts.arrays, proxies.offset, *held, not is_known, packed, self._found)
            live = int(self._found[0])
            has_optional = bool(self._found[1])
            fits = live <= room and (len(rare) > 0 or not has_optional)
            self._room = live
            self._has_optional = has_optional
            if fits:
                usual.resize((live, len(LIVE_FIELDS)), refcheck=False)
                if has_masses or has_optional:
                    rare.resize((live, len(OPTIONAL_FIELDS)), refcheck=False)
                return (
                    keys,
                    high if len(high) else None,
                    kinds,
                    usual,
                    rare if has_masses or has_optional else None,
                )

    def restore(
        self, kept: ContactSnapshot, version: int, ready: Callable[[], object] = lambda: None
    ) -> None:
        """Put contacts back, after everything else of a snapshot but the columns of components.

        `ready` waits until these are restored, too; what needs no column is done before.
        """
        space = self._space
        contacts = self._space.contacts
        proxies = self._space.proxies
        keys = Keys(kept.keys, kept.keys[:0] if kept.high is None else kept.high)
        usual = kept.usual if len(kept.usual) else np.zeros((1, len(LIVE_FIELDS)))
        rare = np.zeros((0, len(OPTIONAL_FIELDS))) if kept.rare is None else kept.rare
        unpack_contacts(
            contacts.arrays, PackedContacts(keys, kept.kinds, usual, rare), space.materials
        )
        space.solver.forget_index()
        ready()
        position = proxies.reference_position
        offset = min(proxies.offset, len(proxies.reference_position))
        searched = space.particles["previous_position"] if kept.searched is None else kept.searched
        position[: len(searched)] = searched
        position[offset:] = kept.walls
        # Walls have infinite mass; the start of the next frame finds the masses of particles.
        proxies.inverse_mass[offset:] = 0.0
        if space.is_up_to_date(version):
            proxies.find_limits()

    def _limits(self) -> tuple[int, int]:
        """Return the numbers of rows and of proxies that contacts may refer to."""
        space = self._space
        return len(space.proxies.radius), len(space.proxies.friction)

    def of_fields(self, fields: Sequence[Any]) -> ContactSnapshot:
        """Return the contacts with these fields, in the order of ContactSnapshot."""
        return ContactSnapshot(*fields)

    def load(self, saved: Saved) -> None:
        """Load the contacts of a file; proxies of the last search are loaded already."""
        space = self._space
        position = self._space.proxies.reference_position
        kinds = saved.view("kinds", np.uint8, (None,))
        if len(kinds) > MOST:
            saved.fail("kinds", f"{len(kinds)} contacts", f"at most {MOST}")
        wall_rows = len(position) - min(space.proxies.offset, len(position))
        saved.lengths.update(live=int(np.count_nonzero(kinds & LIVE)), wall_rows=wall_rows)
        kept = load_record(ContactSnapshot, saved, FIELDS)
        rows, proxies = self._limits()
        whole = kept.keys.astype(np.int64) + (
            0 if kept.high is None else kept.high.astype(np.int64) << BITS
        )
        if (
            len(kinds)
            and (whole.max(axis=0) >= (rows, rows, rows, space.proxies.body_count, proxies)).any()
        ):
            saved.fail("keys", "a contact", "rows and proxies of the last search")
        if len(
            space.particles["previous_position"] if kept.searched is None else kept.searched
        ) > len(position):
            saved.fail("searched", "an array", f"positions of at most {len(position)} rows")
        space.contacts.make_room(len(kinds))
        self.restore(kept, saved.lengths["version"])


def shared(kept: ContactSnapshot, before: ContactSnapshot) -> ContactSnapshot:
    """Return `kept` with the arrays `keys` and `searched` of `before` where they are equal.

    Both change only in a search for contacts, so that snapshots of several frames share them.
    """
    searched = before.searched
    if searched is None or kept.searched is None or not same(searched, kept.searched):
        searched = None if kept.searched is None else kept.searched.copy()
    return kept._replace(
        keys=before.keys if same(before.keys, kept.keys) else kept.keys, searched=searched
    )
