"""TouchingPairs: what began, stayed and ended, from lists of pairs alone."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ecs_softbody.collision.contacts.contact_pairs import (
    PAIR,
    Owners,
    TouchingPairs,
    events_of,
    new_pairs,
)
from ecs_softbody.indices import arange

BODIES = 4
WALLS = 2


def owners(serial=(1, 2, 3, 4, 1, 2), entity=(14, 13, 12, 11, 2, 1)):
    count = BODIES + WALLS
    return Owners(BODIES, np.array(serial, np.int64), np.array(entity, np.int64), arange(count))


def found(*members, touches=True, impulse=1.0):
    pairs = new_pairs(np.array(members, np.int64).reshape(-1, 2), owners(), sensor=False)
    pairs["touches"] = touches
    pairs["impulse"] = impulse
    return pairs


def entities(pairs):
    return sorted(tuple(pair) for pair in pairs["entity"].tolist())


def test_two_bodies_are_sorted_by_entity_and_a_wall_comes_second():
    assert entities(found((0, 1), (2, 5))) == [(12, 1), (13, 14)]


def test_a_pair_that_is_only_near_does_not_begin_but_stays():
    pairs = TouchingPairs()
    pairs.update(found((0, 1), touches=False), owners())
    assert len(pairs.pairs) == len(pairs.begun) == 0
    pairs.update(found((0, 1)), owners())
    pairs.update(found((0, 1), touches=False), owners())
    assert entities(pairs.stayed) == [(13, 14)]
    pairs.update(found(), owners())
    assert entities(pairs.ended) == [(13, 14)]
    assert pairs.ended["impulse"].tolist() == [0.0]


def test_pairs_of_bodies_that_sleep_are_kept_and_neither_stay_nor_end():
    """Two sleepers, a sleeper on a wall, a sleeper and a body that is awake."""
    pairs = TouchingPairs()
    pairs.update(found((0, 1), (1, 4), (1, 2)), owners())
    still = np.array([True, True, False, True])
    pairs.update(found(), owners(), still)
    assert entities(pairs.ended) == [(12, 13)]
    assert len(pairs.stayed) == len(pairs.begun) == 0
    assert entities(pairs.pairs) == [(13, 2), (13, 14)]
    pairs.update(found((0, 1), (1, 4)), owners())
    assert entities(pairs.stayed) == [(13, 2), (13, 14)]


def test_a_sleeper_that_is_gone_ends_though_its_slot_sleeps():
    pairs = TouchingPairs()
    pairs.update(found((0, 1)), owners())
    pairs.update(found(), owners(serial=(1, 9, 3, 4, 1, 2)), np.ones(BODIES, np.bool_))
    assert entities(pairs.ended) == [(13, 14)]


def test_pairs_whose_contacts_were_lost_during_the_frame_count_with_their_impulse():
    pairs = TouchingPairs()
    pairs.note_lost(found((0, 1), (1, 4), impulse=2.0))
    pairs.note_lost(found((0, 1), impulse=0.5))
    pairs.note_lost(found((2, 3), impulse=0.0))
    pairs.update(found((0, 1), touches=False, impulse=0.25), owners())
    assert entities(pairs.begun) == [(13, 2), (13, 14)]
    assert sorted(pairs.begun["impulse"].tolist()) == [2.0, 2.75]
    pairs.update(found(), owners())
    assert len(pairs.ended) == 2


def test_a_pair_lost_during_the_frame_whose_body_is_gone_never_began():
    pairs = TouchingPairs()
    pairs.note_lost(found((0, 1)))
    pairs.update(found(), owners(serial=(1, 9, 3, 4, 1, 2)))
    assert len(pairs.begun) == len(pairs.pairs) == 0


@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5), st.booleans()), max_size=8),
        max_size=8,
    )
)
def test_against_a_twin_of_sets(frames):
    pairs = TouchingPairs()
    touching = set()
    for frame in frames:
        members = {(min(i, j), max(i, j)): touches for i, j, touches in frame if i != j}
        listed = found(*members, touches=list(members.values()))
        names = dict(zip(members, map(tuple, listed["entity"].tolist()), strict=True))
        near = {names[pair] for pair in members}
        begun = {names[pair] for pair, touches in members.items() if touches} - touching
        pairs.update(listed, owners())
        assert entities(pairs.begun) == sorted(begun)
        assert entities(pairs.stayed) == sorted(touching & near)
        assert entities(pairs.ended) == sorted(touching - near)
        touching = (touching & near) | begun
        assert [tuple(pair) for pair in pairs.entities(sensor=False).tolist()] == sorted(touching)


def test_events_come_sorted_with_plain_numbers():
    events = [event for _, event in events_of(found((2, 5), (0, 1), (2, 4)))]
    assert [(event.entity_a, event.entity_b) for event in events] == [(12, 1), (12, 2), (13, 14)]
    assert type(events[0].entity_a) is int
    assert type(events[0].impulse) is type(events[0].point[0]) is float
    assert events[0].sensor is False


def test_nothing_is_nothing():
    pairs = TouchingPairs()
    for _ in range(2):
        pairs.update(np.zeros(0, PAIR), owners())
    assert len(pairs.pairs) == 0
