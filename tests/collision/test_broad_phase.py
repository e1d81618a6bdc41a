"""The broad phase finds every pair of boxes that overlap, and lists none that nobody needs."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ecs_softbody.collision.detect.filters import Filters
from ecs_softbody.collision.detect.grid import Grid, find_pairs

WIDTH = 8


def overlapping(box, bodies):
    """Every body with the bodies and edges of higher numbers, by comparing all."""
    return {
        (i, j)
        for i in range(bodies)
        for j in range(i + 1, len(box))
        if (box[i, :2] <= box[j, 2:]).all() and (box[j, :2] <= box[i, 2:]).all()
    }


def found(box, bodies, room):
    """What the grid finds, and how many rows it needs."""
    count = len(box)
    grid = Grid(
        WIDTH,
        np.zeros(count, np.int64),
        np.zeros(WIDTH**2 + 1, np.int64),
        np.zeros(count, np.int64),
        np.zeros((count, 4)),
    )
    filters = Filters(np.ones(count, np.uint32), np.ones(count, np.uint32))
    pairs = np.zeros((room, 2), np.int64)
    needed = find_pairs(box, bodies, filters, np.zeros(count, np.bool_), grid, pairs)
    return pairs[:needed].tolist(), needed


@given(
    st.integers(0, 10_000), st.integers(1, 25), st.integers(0, 30), st.sampled_from([0.1, 1.0, 4.0])
)
def test_every_pair_is_found_once_and_edges_are_not_paired(seed, bodies, edges, scale):
    """There is room for the pairs that are wanted: pairs of edges, dropped later, took 2.4 GB for
    3000 lines.
    """
    rng = np.random.default_rng(seed)
    low = rng.uniform(-5.0, 5.0, (bodies + edges, 2))
    box = np.hstack((low, low + rng.exponential(scale, low.shape)))
    wanted = overlapping(box, bodies)
    pairs, needed = found(box, bodies, len(wanted))
    assert needed == len(wanted)
    assert {tuple(pair) for pair in pairs} == wanted


def test_walls_in_one_place_need_no_room():
    box = np.tile((0.0, 0.0, 1.0, 0.1), (5001, 1))
    pairs, needed = found(box, 1, 5000)
    assert (len(pairs), needed) == (5000, 5000)
