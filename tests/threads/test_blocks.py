"""Batches of contacts: those of one set have no body in common."""

import numpy as np
import pytest

from ecs_softbody.collision.contacts.contact_list import ContactList
from ecs_softbody.collision.solve.partition import (
    BATCH_SETS,
    MOST_PARTITIONS,
    WIDE,
    Batches,
    batches_of,
)
from ecs_softbody.indices import arange, full
from ecs_softbody.parallel.workers import Workers


def scattered(count, random, wide=0.0, spread=(40.0, 10.0)):
    """Boxes (count, 4) of bodies, and all pairs that overlap."""
    middle = random.uniform(0, 1, (count, 2)) * spread
    size = random.uniform(0.5, 1.5, (count, 2))
    size[random.uniform(size=count) < wide, 0] *= 12.0
    box = np.column_stack([middle - size / 2, middle + size / 2])
    first, second = np.triu_indices(count)
    near = (box[first, :2] <= box[second, 2:]).all(axis=1) & (
        box[second, :2] <= box[first, 2:]
    ).all(axis=1)
    return box, np.column_stack([first[near], second[near]])


def listed(box, pairs, count, workers=None):
    """Divide bodies, and list a contact for each pair and one on a wall for each body;
    return both.
    """
    batches = Batches()
    contacts = ContactList()
    walls = np.column_stack([arange(count), full(count, count)])
    proxies = np.concatenate([pairs, walls])
    contacts.grow(len(proxies))
    contacts.count = len(proxies)
    first = 3 * np.arange(count, dtype=np.uint32)
    batches.divide(
        np.concatenate([box, [[-99, -1, 99, 0]]]), arange(count), first, first + np.uint32(3)
    )
    contacts.rows[:] = arange(len(proxies))[:, None]
    contacts.proxies[:] = proxies
    batches.sort(contacts, workers or Workers())
    return batches, contacts, proxies


@pytest.mark.brief(8)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("wide", [0.0, 0.05])
@pytest.mark.parametrize("spread", [(40.0, 10.0), (10.0, 40.0), (400.0, 5.0)])
def test_batches_of_a_set_share_no_body(seed, wide, spread):
    count = 600
    box, pairs = scattered(count, np.random.default_rng(seed), wide, spread)
    batches, contacts, _ = listed(box, pairs, count)
    assert batches.partitions > 1
    assert batches.start[0] == 0
    assert batches.start[-1] == contacts.count
    for number in range(BATCH_SETS):
        first, amount = batches_of(batches.partitions, number)
        seen = set()
        for batch in range(first, first + amount):
            bodies = set(
                contacts.proxies[batches.start[batch] : batches.start[batch + 1]].ravel()
            ) - {count}
            assert not bodies & seen
            seen |= bodies


def test_sorting_keeps_every_contact_and_their_order_within_a_batch():
    box, pairs = scattered(500, np.random.default_rng(9), 0.03)
    batches, contacts, proxies = listed(box, pairs, 500)
    number = contacts.rows[:, 0].astype(np.int64)
    assert np.array_equal(np.sort(number), arange(len(proxies)))
    assert np.array_equal(contacts.proxies, proxies[number])
    for start, stop in zip(batches.start[:-1], batches.start[1:], strict=True):
        assert (np.diff(number[start:stop]) > 0).all()


def test_several_threads_sort_into_the_same_order():
    box, pairs = scattered(500, np.random.default_rng(4), 0.03)
    workers = Workers(2)
    workers.are_used = True
    (one, alone, _) = listed(box, pairs, 500)
    (two, shared, _) = listed(box, pairs, 500, workers)
    workers.dismiss()
    assert np.array_equal(alone.rows, shared.rows)
    assert np.array_equal(alone.proxies, shared.proxies)
    assert np.array_equal(one.start, two.start)


def test_every_particle_that_moves_is_in_one_partition():
    box, pairs = scattered(500, np.random.default_rng(3), 0.05)
    batches, _, _ = listed(box, pairs, 500)
    rows = []
    arrays = batches.arrays
    for k in range(batches.partitions + 1):
        for first, last in arrays.spans[arrays.span_start[k] : arrays.span_stop[k]]:
            rows += range(first, last)
    assert sorted(rows) == list(range(1500))


@pytest.mark.parametrize("count", [0, 1, 5, 63])
def test_few_bodies_are_one_partition(count):
    box, pairs = scattered(count, np.random.default_rng(1))
    batches, contacts, proxies = listed(box, pairs, count)
    assert batches.partitions == 1
    assert np.array_equal(contacts.proxies, proxies)
    assert batches.start.tolist() == [0, len(proxies), len(proxies)]


def test_what_is_far_away_or_nowhere_does_no_harm():
    box, pairs = scattered(600, np.random.default_rng(2))
    box[0] = 1e9, 1e9, 1e9 + 1, 1e9 + 1
    box[1] = np.nan
    box[2] = np.inf, np.inf, -np.inf, -np.inf
    keep = (pairs > 2).all(axis=1)
    batches, contacts, _ = listed(box, pairs[keep], 600)
    assert 1 <= batches.partitions <= MOST_PARTITIONS
    assert batches.start[-1] == contacts.count
    assert WIDE < 0
