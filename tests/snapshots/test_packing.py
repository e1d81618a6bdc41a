"""Contacts that are packed, beside NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from ecs_softbody.collision.contacts.contact import CONTACT, ContactArrays
from ecs_softbody.collision.contacts.materials import Materials
from ecs_softbody.collision.contacts.packing import (
    ACTIVE,
    CLOSE,
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
from ecs_softbody.indices import arange, flatnonzero

PUSHED = (
    "normal_impulse", "previous_impulse", "frame_impulse", "friction_impulse", "approach_speed",
    "impact_impulse", "bounce_speed",
)  # fmt: skip
OFFSET = 40
COUNT = 300


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

    radius = rng.uniform(0.0, CLOSE, OFFSET + 10)
    held = np.zeros(COUNT, bool)
    for k in range(2):
        held |= np.isin(contacts.proxies[:, k], flatnonzero(asleep))
    for k in range(3):
        held |= np.isin(rows[:, k], flatnonzero(jointed))
    discs = (rows[:, 0] < OFFSET) & (rows[:, 1] == rows[:, 2]) & (rows[:, 1] < OFFSET)
    pushed = np.any([records[name] != 0 for name in PUSHED], axis=0)
    live = every | held | discs | pushed | (records["separation"] < CLOSE)
    near = records["separation"] <= radius[rows[:, 0]] + radius[rows[:, 1]]
    kinds = (
        ACTIVE * records["active"]
        + LIVE * live
        + SLIPS * (live & (records["friction"] == 0))
        + NEAR * (near & ~live)
    )

    keys = np.column_stack([rows, contacts.proxies])
    for room, has_high in ((COUNT, True), (5, False)):
        high = np.zeros((COUNT if has_high else 0, 5), np.uint16)
        packed = PackedContacts(
            Keys(np.zeros((COUNT, 5), np.uint16), high),
            np.zeros(COUNT, np.uint8),
            np.zeros((room + 1, len(LIVE_FIELDS))),
            np.zeros((room + 1, len(OPTIONAL_FIELDS))),
        )
        found = np.zeros(2, np.int64)
        pack_contacts(contacts, OFFSET, asleep, jointed, radius, every, packed, found)
        assert found[0] == live.sum() > 5
        assert packed.kinds.tolist() == kinds.tolist()
        assert packed.keys.low.tolist() == (keys % 2**16).tolist()
        assert packed.keys.high.tolist() == (keys // 2**16).tolist()[: len(high)]
        fits = min(room, int(live.sum()))
        for rest, names in (
            (packed.live_fields, LIVE_FIELDS),
            (packed.optional_fields, OPTIONAL_FIELDS),
        ):
            expected = np.column_stack([records[name][live] for name in names])[:fits]
            assert rest[:fits].tobytes() == expected.tobytes()
        impacts = np.column_stack([records[name][live] for name in OPTIONAL_FIELDS[1:]])
        assert found[1] == ((impacts != 0) | np.signbit(impacts)).any()


@pytest.mark.parametrize("far", [0, 2**16])
@pytest.mark.parametrize("has_optional", [False, True])
def test_packed_contacts_come_back(far: int, has_optional: bool) -> None:
    rng = np.random.default_rng(far + has_optional)
    bodies = arange(7) + far
    rows = rng.integers(0, OFFSET, (COUNT, 3)).astype(np.uint32)
    proxies = bodies[rng.integers(0, 7, (COUNT, 2))]
    contacts = ContactArrays(rows, proxies, np.zeros(COUNT, CONTACT))
    for name in CONTACT.names or ():
        contacts.records[name] = 1.0 + rng.random(COUNT)
    idle = rng.random(COUNT) < 0.5
    for name in PUSHED if has_optional else (*PUSHED, *OPTIONAL_FIELDS):
        contacts.records[name][
            idle if has_optional or name not in OPTIONAL_FIELDS else slice(None)
        ] = 0.0
    contacts.records["separation"] = np.where(idle, 1.0, -0.001)
    contacts.records["friction"][::3] = 0.0
    rows[:, 2] = np.where(rows[:, 1] == rows[:, 2], rows[:, 2] + 1, rows[:, 2])
    none = np.zeros(0, bool)
    high = np.zeros((COUNT, 5), np.uint16)
    found = np.zeros(2, np.int64)
    packed = PackedContacts(
        Keys(np.zeros((COUNT, 5), np.uint16), high if far else high[:0]), np.zeros(COUNT, np.uint8),
        np.zeros((COUNT + 1, len(LIVE_FIELDS))), np.zeros((COUNT + 1 if has_optional else 0, len(OPTIONAL_FIELDS))),
    )  # fmt: skip
    radius = rng.random(OFFSET + 1)
    pack_contacts(contacts, OFFSET, none, none, radius, False, packed, found)

    back = ContactArrays(np.zeros_like(rows), np.zeros_like(proxies), np.zeros(COUNT, CONTACT))
    for name in CONTACT.names or ():
        back.records[name] = 9.0  # whatever was there
    count = int(bodies[-1]) + 1
    spins = rng.random(count) < 0.5
    inverse_mass = np.maximum(rng.random(OFFSET) - 0.5, 0.0)
    materials = Materials(rng.random(count), rng.random(count), radius, spins, ~spins, inverse_mass)
    unpack_contacts(back, packed, materials)
    assert back.rows.tolist() == rows.tolist()
    assert back.proxies.tolist() == proxies.tolist()
    for name in (*LIVE_FIELDS, *(OPTIONAL_FIELDS if has_optional else ())):
        assert back.records[name][~idle].tobytes() == contacts.records[name][~idle].tobytes()
    assert back.records["active"].tolist() == contacts.records["active"].tolist()
    stays = inverse_mass[rows] == 0.0
    discs = ~spins[proxies]
    reflects = (discs[:, 0] | stays[:, 0]) & (discs[:, 1] | (stays[:, 1] & stays[:, 2]))
    assert back.records["reflects"].tolist() == reflects.tolist()
    assert not back.records["reflected_impulse"].any()
    thick = radius[rows[:, 0]] + radius[rows[:, 1]]
    assert np.array_equal(
        back.records["separation"][idle], np.where(thick < 1.0, np.inf, thick)[idle]
    )
    for name in PUSHED:
        assert not back.records[name][idle].any()
    friction = np.sqrt(materials.friction[proxies[:, 0]] * materials.friction[proxies[:, 1]])
    slips = idle | (contacts.records["friction"] == 0.0)
    assert np.array_equal(back.records["friction"], np.where(slips, 0.0, friction))
    assert np.array_equal(back.records["restitution"], materials.restitution[proxies].max(axis=1))
