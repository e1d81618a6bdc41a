"""What kernels run over: spans of rows and slots, without sleeping and frozen bodies."""

import esper
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ecs_softbody import Collider, Drag, Particles, Springs
from ecs_softbody.storage import Activity, PackedBuffers
from ecs_softbody.storage.table import merged_spans


@given(
    st.lists(st.tuples(st.integers(0, 4), st.booleans()), max_size=12),
    st.randoms(use_true_random=False),
)
def test_merged_spans_cover_exactly_the_chosen_rows(blocks, random):
    """Blocks of rows one after another, some of them chosen, in any order."""
    ends = np.cumsum([0] + [length for length, _ in blocks])
    chosen = [(ends[k], ends[k + 1]) for k, (_, taken) in enumerate(blocks) if taken]
    random.shuffle(chosen)
    spans = merged_spans(*np.array(chosen, np.int64).reshape(-1, 2).T)
    rows = [row for first, last in spans for row in range(first, last)]
    assert rows == sorted(row for first, last in chosen for row in range(first, last))
    assert (spans[:, 0] < spans[:, 1]).all()
    assert (spans[1:, 0] > spans[:-1, 1]).all(), "neighbours are joined"


def packed(counts):
    buffers = PackedBuffers(Particles)
    entities = [
        esper.create_entity(
            Particles(np.zeros((count, 2))),
            Springs([(0, count - 1)], stiffness=1.0),
            Drag(linear=1.0),
            Collider(),
        )
        for count in counts
    ]
    buffers.synchronise()
    activity = Activity(buffers)
    activity.notice_structure()
    return buffers, activity, entities


def test_everybody_takes_part_at_first_and_new_ones_too():
    buffers, activity, _ = packed([2, 3])
    assert buffers[Particles].active_rows.tolist() == [[0, 5]]
    assert buffers[Drag].active_slots.tolist() == [0, 1]
    esper.create_entity(Particles(np.zeros((4, 2))))
    buffers.synchronise()
    assert buffers[Particles].active_rows.tolist() == [[0, 9]]
    assert activity.is_whole


@pytest.mark.parametrize("flag", ["asleep", "frozen"])
def test_a_body_that_is_left_out_takes_all_of_its_components_along(flag):
    buffers, activity, entities = packed([2, 3, 4])
    getattr(activity, flag)[1] = True
    activity.apply()
    assert buffers[Particles].active_rows.tolist() == [[0, 2], [5, 9]]
    assert buffers[Springs].active_rows.tolist() == [[0, 1], [2, 3]]
    assert buffers[Drag].active_slots.tolist() == [0, 2]
    assert buffers[Collider].active_slots.tolist() == [0, 2], "without rows of its own"
    esper.delete_entity(entities[0], immediate=True)
    new = esper.create_entity(Particles(np.zeros((2, 2))), Drag(linear=1.0))
    buffers.synchronise()
    assert activity.notice_structure().tolist() == []
    assert buffers[Particles].active_rows.tolist() == [[0, 2], [5, 9]]
    assert sorted(buffers[Drag].values["entity"][buffers[Drag].active_slots]) == [entities[2], new]


def test_the_place_of_a_deleted_body_is_told_and_its_successor_takes_part():
    buffers, activity, entities = packed([2, 3])
    activity.frozen[0] = True
    activity.apply()
    esper.delete_entity(entities[0], immediate=True)
    esper.create_entity(Particles(np.zeros((2, 2))))
    buffers.synchronise()
    assert activity.notice_structure().tolist() == [0]
    assert buffers[Particles].active_rows.tolist() == [[0, 5]]


def test_springs_between_two_bodies_need_both():
    buffers, activity, entities = packed([2, 3])
    link = esper.create_entity(Springs([(0, 0)], stiffness=1.0, between=(entities[0], entities[1])))
    buffers.synchronise()
    activity.notice_structure()
    slot = buffers[Springs].bound[link].slot
    for body in (0, 1):
        activity.frozen[:] = False
        activity.frozen[body] = True
        activity.apply()
        assert slot not in buffers[Springs].active_slots
        activity.run_only(np.array([body]))
        assert slot not in buffers[Springs].active_slots
    activity.frozen[:] = False
    activity.apply()
    assert slot in buffers[Springs].active_slots
