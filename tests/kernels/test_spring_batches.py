"""Batches of springs: every row has one index, and the forces are those of springs one by one."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ecs_softbody.indices import arange, lexsort
from ecs_softbody.kernels.forces.spring_batches import (
    BLOCK,
    LEAST_LENGTH,
    LONGEST_STEP,
    SpringOrder,
    copy_changes,
    find_batches,
)
from ecs_softbody.kernels.forces.springs import (
    CHUNK,
    BatchLaw,
    accumulate_batch_force,
    accumulate_spring_force,
)
from ecs_softbody.kernels.groups import Motion, SpringLaw
from tests.helpers.twins import spring_forces


def ring(count):
    i = arange(count)
    half = i[: count // 2]
    parts = [(i, np.roll(i, -1)), (i, np.roll(i, -2)), (half, half + count // 2)]
    return np.concatenate([np.column_stack(part) for part in parts]), count


def rope(count):
    return np.column_stack([arange(count - 1), arange(1, count)]), count


def lattice(rows, columns):
    index = arange(rows * columns).reshape(rows, columns)
    ends = [
        (index[:, :-1], index[:, 1:]),
        (index[:-1], index[1:]),
        (index[:-1, :-1], index[1:, 1:]),
        (index[:-1, 1:], index[1:, :-1]),
    ]
    pairs = np.concatenate([np.column_stack([a.ravel(), b.ravel()]) for a, b in ends])
    return pairs[lexsort((pairs[:, 1], pairs[:, 0]))], rows * columns


def shuffled(body, seed):
    pairs, count = body
    return np.random.default_rng(seed).permutation(pairs), count


def graph(count, springs, seed):
    return np.random.default_rng(seed).integers(0, count, (springs, 2)), count


BODIES = st.one_of(
    st.builds(ring, st.integers(3, 60)),
    st.builds(rope, st.integers(2, 1300)),
    st.builds(lattice, st.integers(1, 9), st.integers(1, 40)),
    st.builds(
        shuffled, st.builds(lattice, st.integers(2, 9), st.integers(2, 9)), st.integers(0, 99)
    ),
    st.builds(graph, st.integers(1, 60), st.integers(0, 90), st.integers(0, 99)),
)


class Layout:
    """Bodies one behind the other, and the batches found in them; `reordered` is the index of each
    row.
    """

    def __init__(self, bodies):
        counts = [count for _, count in bodies]
        begin = np.cumsum([0, *counts], dtype=np.int64)
        lengths = [len(pairs) for pairs, _ in bodies]
        self.particles = int(begin[-1])
        self.bounds = np.cumsum([0, *lengths], dtype=np.int64).astype(np.uint32)
        self.pairs = np.concatenate(
            [pairs + b for (pairs, _), b in zip(bodies, begin, strict=False)]
        ).astype(np.uint32)
        self.particle_bounds = begin
        order = [lexsort((p[:, 0], p[:, 1] - p[:, 0])) for p, _ in bodies]
        rows = len(self.pairs)
        self.reordered = np.full(rows, 2**32 - 1, np.uint32)
        batches = np.zeros((rows // LEAST_LENGTH + 1, 5), np.uint32)
        springs = SpringOrder(self.pairs, np.concatenate(order).astype(np.uint32))
        count, self.padding, self.moved = find_batches(
            arange(len(bodies)), self.bounds[:-1], self.bounds[1:], springs, batches, self.reordered
        )
        self.batches = batches[:count]
        self.single = [slot for slot in range(len(bodies)) if slot not in self.batches[:, 4]]
        self.rows = arange(rows)

    @property
    def spans(self):
        return np.array([self.bounds[slot : slot + 2] for slot in self.single], np.int64).reshape(
            -1, 2
        )

    def carried(self, values):
        found = np.zeros(len(values) + self.padding)
        found[self.reordered] = values
        return found

    def forces(self, position, velocity, rest_length, stiffness, damping):
        motion = Motion(position, velocity, np.ones(len(position)), np.zeros_like(position))
        law = BatchLaw(*(self.carried(values) for values in (rest_length, stiffness, damping)))
        accumulate_batch_force(self.batches, law, motion, np.full((2, 2 * CHUNK), np.nan))
        accumulate_spring_force(
            self.spans, SpringLaw(self.pairs, rest_length, stiffness, damping), motion
        )
        return motion.force


def state(layout, seed=0):
    rng = np.random.default_rng(seed)
    springs = len(layout.pairs)
    return {
        "position": rng.normal(size=(layout.particles, 2)),
        "velocity": rng.normal(size=(layout.particles, 2)),
        "rest_length": rng.uniform(0, 2, springs),
        "stiffness": 10.0 ** rng.uniform(-1, 5, springs),
        "damping": 10.0 ** rng.uniform(-2, 3, springs),
    }


@given(st.lists(BODIES, min_size=1, max_size=5))
def test_every_row_has_one_index_and_batches_stay_in_their_component(bodies):
    layout = Layout(bodies)
    assert len(set(layout.reordered.tolist())) == len(layout.reordered)
    assert (layout.reordered < len(layout.reordered) + layout.padding).all()
    row_at = {int(at): row for row, at in enumerate(layout.reordered)}
    covered = []
    for at, a, b, length, slot in layout.batches.astype(np.int64).tolist():
        assert 1 <= length <= CHUNK
        low, high = layout.particle_bounds[slot : slot + 2]
        assert low <= min(a, b)
        assert max(a, b) + length <= high
        for k in range(length):
            if at + k in row_at:
                row = row_at[at + k]
                covered.append(row)
                assert layout.pairs[row].tolist() == [a + k, b + k]
                assert layout.bounds[slot] <= row < layout.bounds[slot + 1]
    covered += [row for first, last in layout.spans for row in range(first, last)]
    assert sorted(covered) == list(range(len(layout.pairs)))
    if not layout.moved:
        assert np.array_equal(layout.reordered, layout.rows)
        assert layout.padding == 0


@given(st.lists(BODIES, min_size=1, max_size=4), st.integers(0, 99))
def test_forces_are_those_of_springs_one_by_one(bodies, seed):
    layout = Layout(bodies)
    now = state(layout, seed)
    found = layout.forces(**now)
    force = np.zeros((layout.particles, 2))
    accumulate_spring_force(
        np.array([(0, len(layout.pairs))], np.int64),
        SpringLaw(layout.pairs, now["rest_length"], now["stiffness"], now["damping"]),
        Motion(now["position"], now["velocity"], np.ones(layout.particles), force),
    )
    expected = spring_forces(layout.pairs, **now)
    scale = np.abs(expected).max(initial=1.0)
    assert np.allclose(found, expected, rtol=1e-12, atol=1e-12 * scale)
    assert np.allclose(found, force, rtol=1e-12, atol=1e-12 * scale)
    assert np.array_equal(found, layout.forces(**now))


@given(st.lists(BODIES, min_size=1, max_size=4))
def test_force_and_torque_sum_to_zero(bodies):
    layout = Layout(bodies)
    now = state(layout)
    force = layout.forces(**now)
    place = now["position"]
    scale = max(np.abs(force).sum(), 1e-300)
    assert np.abs(force.sum(axis=0)).max() <= 1e-14 * scale
    assert abs((place[:, 0] * force[:, 1] - place[:, 1] * force[:, 0]).sum()) <= 1e-13 * scale


def test_both_ends_get_the_same_force_to_the_last_bit():
    """Springs without a common end: what is added to one end is exactly what
    the other one loses.
    """
    pairs = np.column_stack([arange(700), arange(700) + 700])
    layout = Layout([(pairs, 1400)])
    assert len(layout.batches) == 2
    force = layout.forces(**state(layout))
    assert np.array_equal(force[:700], -force[700:])
    assert np.abs(force).min() > 0.0


@pytest.mark.parametrize(
    ("body", "moved", "batches"),
    [
        (ring(24), False, 5),
        (rope(1200), False, 3),
        (lattice(6, 6), True, 4),
        (shuffled(ring(24), 1), True, 5),
        (graph(200, 60, 1), False, 0),
        (rope(4), False, 0),
    ],
)
def test_which_bodies_have_batches(body, moved, batches):
    layout = Layout([body])
    assert (layout.moved, len(layout.batches)) == (moved, batches)


def test_rows_of_cells_are_padded():
    layout = Layout([lattice(6, 6)])
    lengths = sorted(layout.batches[:, 3].tolist())
    assert lengths == [29, 29, 30, 35]
    assert layout.padding == sum(lengths) - len(layout.pairs)
    assert LONGEST_STEP == 2


def test_rows_that_nobody_has_get_places_of_their_own():
    pairs = np.concatenate([lattice(6, 6)[0]] * 4).astype(np.uint32)
    order = np.tile(
        lexsort((pairs[:110, 0], pairs[:110, 1].astype(np.int64) - pairs[:110, 0])), 4
    ).astype(np.uint32)
    place = np.zeros(440, np.uint32)
    batches = np.zeros((63, 5), np.uint32)
    first = np.array([110, 0, 220], np.uint32)
    last = np.array([220, 0, 330], np.uint32)
    count, padding, moved = find_batches(
        np.array([1, 0, 2], np.int64), first, last, SpringOrder(pairs, order), batches, place
    )
    assert (count, padding, moved) == (8, 26, True)
    assert len(set(place.tolist())) == 440
    assert place.max() < 440 + padding


@pytest.mark.parametrize("distance", [0.0, 1e-13])
def test_ends_at_one_place_have_no_force(distance):
    layout = Layout([rope(30)])
    now = state(layout)
    now["position"] = np.column_stack([arange(30) * distance, np.zeros(30)])
    assert np.array_equal(layout.forces(**now), np.zeros((30, 2)))


@given(st.lists(BODIES, min_size=2, max_size=4), st.integers(0, 99))
def test_a_body_without_numbers_changes_no_other(bodies, seed):
    layout = Layout(bodies)
    now = state(layout, seed)
    before = layout.forces(**now)
    low, high = layout.particle_bounds[:2]
    now["position"][low:high] = np.nan
    after = layout.forces(**now)
    assert np.array_equal(after[high:], before[high:])


@given(st.lists(BODIES, min_size=2, max_size=5), st.data())
def test_who_takes_part_changes_no_bit_of_the_others(bodies, data):
    """As for bodies that sleep, and for threads that have bodies of their own."""
    layout = Layout(bodies)
    now = state(layout)
    whole = layout.forces(**now)
    chosen = data.draw(st.sets(st.integers(0, len(bodies) - 1)))
    layout.batches = layout.batches[np.isin(layout.batches[:, 4], list(chosen))]
    layout.single = [slot for slot in layout.single if slot in chosen]
    part = layout.forces(**now)
    for slot, (low, high) in enumerate(itertools.pairwise(layout.particle_bounds)):
        expected = whole[low:high] if slot in chosen else np.zeros((high - low, 2))
        assert np.array_equal(part[low:high], expected)


@given(
    st.integers(1, 5 * BLOCK),
    st.dictionaries(
        st.integers(0, 5 * BLOCK), st.sampled_from([0.0, -0.0, 1.5, np.nan, np.inf]), max_size=9
    ),
    st.data(),
)
def test_changes_are_carried_over(count, changes, data):
    rng = np.random.default_rng(count)
    place = rng.permutation(count + 7)[:count].astype(np.uint32)
    values = rng.normal(size=count)
    seen = values.copy()
    carried = np.full(count + 7, 9.0)
    carried[place] = values
    for row, value in changes.items():
        values[row % count] = value
    middle = data.draw(st.integers(0, count))
    copy_changes(np.array([(0, middle)], np.int64), place, values, seen, carried)
    assert carried[place][:middle].tobytes() == values[:middle].tobytes()
    copy_changes(np.array([(0, middle), (middle, count)], np.int64), place, values, seen, carried)
    assert carried[place].tobytes() == values.tobytes()
    assert (np.delete(carried, place) == 9.0).all()
