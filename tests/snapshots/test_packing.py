"""Contacts that are packed, beside NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from ecs_softbody.collision.contacts.contact import CONTACT, ContactArrays
from ecs_softbody.collision.contacts.packing import (
    ACTIVE,
    BLOCK,
    CLOSE,
    LIVE,
    RARE,
    SLIPS,
    USUAL,
    PackedContacts,
    pack_contacts,
)

PUSHED = (
    "normal_impulse", "previous_impulse", "frame_impulse", "friction_impulse", "approach_speed", "impact_impulse",
    "bounce_speed",
)  # fmt: skip
OFFSET, COUNT = 40, 2 * BLOCK + 44


@pytest.mark.parametrize("seed", range(6))
def test_packed_contacts_are_those_of_numpy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    records = np.zeros(COUNT, CONTACT)
    for name in CONTACT.names or ():
        some = rng.random(COUNT) < (0.7 if name in ("friction", "active", "normal_x") else 0.03)
        records[name] = np.where(some, 1.0 + rng.random(COUNT), rng.choice([0.0, -0.0], COUNT))
    records["separation"] = rng.uniform(-CLOSE, 4 * CLOSE, COUNT)
    rows = rng.integers(0, OFFSET + 10, (COUNT, 3)).astype(np.uint32)
    rows[::9, 2] = rows[::9, 1]
    contacts = ContactArrays(rows, rng.integers(0, 12, (COUNT, 2)), records)
    asleep = rng.random(10) < 0.2 if seed % 2 else np.zeros(0, bool)
    jointed = rng.random(OFFSET) < 0.1 if seed % 3 else np.zeros(0, bool)
    every = seed == 5

    held = np.zeros(COUNT, bool)
    for k in range(2):
        held |= np.isin(contacts.proxies[:, k], np.flatnonzero(asleep))
    for k in range(3):
        held |= np.isin(rows[:, k], np.flatnonzero(jointed))
    discs = (rows[:, 0] < OFFSET) & (rows[:, 1] == rows[:, 2]) & (rows[:, 1] < OFFSET)
    pushed = np.any([records[name] != 0 for name in PUSHED], axis=0)
    live = every | held | discs | pushed | (records["active"] & (records["separation"] < CLOSE))
    kinds = ACTIVE * records["active"] + LIVE * live + SLIPS * (live & (records["friction"] == 0))

    for room in (COUNT, 5):
        packed = PackedContacts(
            np.zeros(COUNT, np.uint8), np.zeros(BLOCK + 1, np.uint32), np.zeros((room, len(USUAL))),
            np.zeros((room, len(RARE))), np.zeros(2, np.int64),
        )  # fmt: skip
        pack_contacts(contacts, OFFSET, asleep, jointed, every, packed)
        assert packed.found[0] == live.sum() > 5
        assert packed.kinds.tolist() == kinds.tolist()
        fits = min(room, int(live.sum()))
        for found, names in ((packed.usual, USUAL), (packed.rare, RARE)):
            expected = np.column_stack([records[name][live] for name in names])[:fits]
            assert found[:fits].tobytes() == expected.tobytes()
            assert not found[fits:].any()
        rest = np.column_stack([records[name][live] for name in RARE[1:]])
        assert packed.found[1] == ((rest != 0) | np.signbit(rest)).any()
