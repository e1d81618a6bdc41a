"""The pure kernels of collision: distances, crossings, broad phase and impulses against plain
Python.
"""

import numpy as np
import pytest

from ecs_softbody.collision.contacts.contact import CONTACT, normal_velocity, split_impulse
from ecs_softbody.collision.detect.edges import SELF_NEIGHBOURS, cannot_self_touch, closest_edge
from ecs_softbody.collision.detect.filters import Filters, may_touch
from ecs_softbody.collision.detect.pairs import PairFinder
from ecs_softbody.collision.solve.prepare import set_torque_arm
from ecs_softbody.geometry.box import overlaps
from ecs_softbody.geometry.outlines import DISCS, FILLED, Outlines, Shapes
from ecs_softbody.geometry.polygon import is_convex, is_inside, is_self_intersecting
from ecs_softbody.geometry.segment import path_fraction, squared_distance
from ecs_softbody.indices import arange, full


def outline_of(points, first, last):
    """One ring."""
    return Outlines(points, full(1, first), full(1, last), full(1, FILLED))


@pytest.mark.parametrize("seed", range(5))
def test_squared_distance_matches_sampling(seed):
    rng = np.random.default_rng(seed)
    for _ in range(20):
        p, a, b = rng.normal(size=(3, 2)) * 3
        along = a + np.linspace(0, 1, 2001)[:, None] * (b - a)
        nearest = ((along - p) ** 2).sum(axis=1).min()
        assert squared_distance(*p, *a, *b) == pytest.approx(nearest, abs=1e-4)
        assert squared_distance(*p, *a, *b) <= nearest + 1e-12


def test_squared_distance_of_ends_middle_and_points():
    assert squared_distance(1.0, 2.0, 0.0, 0.0, 4.0, 0.0) == 4.0
    assert squared_distance(-3.0, 4.0, 0.0, 0.0, 4.0, 0.0) == 25.0
    assert squared_distance(7.0, 4.0, 0.0, 0.0, 4.0, 0.0) == 25.0
    assert squared_distance(3.0, 4.0, 0.0, 0.0, 0.0, 0.0) == 25.0
    assert squared_distance(2.0, 0.0, 0.0, 0.0, 4.0, 0.0) == 0.0


@pytest.mark.parametrize("turn", [1, -1])
def test_inside_is_where_a_ring_winds_around_a_point_once_or_more(turn):
    """A star of five points drawn in one stroke: once around its tips, twice around its middle."""
    angle = 0.4 * np.pi * arange(5)
    place = np.column_stack((np.cos(angle), np.sin(angle)))
    star = np.array([0, 2, 4, 1, 3], np.uint32)[::turn].copy()
    for share, expected in (
        (0.0, True),
        (0.3, True),
        (0.6, True),
        (1.01, False),
        (-0.37, True),
        (-0.39, False),
    ):
        assert is_inside(*(share * place[1]), place, star, 0, 5) == expected


def crosses_itself(ring):
    """The same with numpy: for all pairs of edges, on which side of the one the ends of the other
    are.
    """
    count = len(ring)
    after = np.roll(ring, -1, axis=0)
    along = (after - ring)[:, None]
    to = ring[None] - ring[:, None]
    start = along[..., 0] * to[..., 1] - along[..., 1] * to[..., 0]
    start[np.abs(start) < 1e-12 * np.ptp(ring, axis=0).max() ** 2] = 0.0
    apart = start * np.roll(start, -1, axis=1) < 0.0
    gap = np.abs(np.subtract.outer(arange(count), arange(count)))
    return bool((apart & apart.T)[(gap > 1) & (gap < count - 1)].any())


@pytest.mark.parametrize("seed", range(4))
def test_a_ring_crosses_itself_where_numpy_says_so(seed):
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(200):
        angle = 2.0 * np.pi * arange(rng.integers(3, 24)) / 24
        ring = np.column_stack((np.cos(angle), np.sin(angle))) + rng.normal(
            size=(len(angle), 2)
        ) * rng.uniform(0, 0.2)
        ring = np.round(ring, int(rng.integers(1, 9)))
        found.append(is_self_intersecting(ring))
        assert found[-1] == crosses_itself(ring)
    assert 20 < sum(found) < 180


def turns_once(ring):
    """Whether all turns of a ring are to one side, and come to one whole turn."""
    ring = ring[(ring != np.roll(ring, 1, axis=0)).any(axis=1)]
    along = np.roll(ring, -1, axis=0) - ring
    before = np.roll(along, 1, axis=0)
    side = before[:, 0] * along[:, 1] - before[:, 1] * along[:, 0]
    ahead = (before * along).sum(axis=1)
    if ((side == 0.0) & (ahead < 0.0)).any() or (
        side.min(initial=0.0) < 0.0 < side.max(initial=0.0)
    ):
        return False
    return 6.0 < abs(np.arctan2(side, ahead).sum()) < 7.0


@pytest.mark.parametrize("seed", range(4))
def test_a_ring_is_convex_where_it_turns_one_way_and_goes_round_once(seed):
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(300):
        count = int(rng.integers(3, 9))
        turn = 2.0 * np.pi * int(rng.integers(1, 3)) * np.arange(count, dtype=np.float64) / count
        ring = np.round(
            4.0 * np.column_stack((np.cos(turn), np.sin(turn))) + rng.normal(size=(count, 2)) * 0.4
        )
        ring = ring[:: int(rng.choice((-1, 1)))].copy()
        found.append(is_convex(ring))
        assert found[-1] == turns_once(ring), ring
    assert 50 < sum(found) < 250
    assert not is_convex(np.ones((4, 2)))


@pytest.mark.parametrize("seed", range(5))
def test_closest_edge_matches_a_search(seed):
    rng = np.random.default_rng(seed)
    place = rng.normal(size=(12, 2))
    points = rng.permutation(12)[:8].astype(np.uint32)
    for _ in range(20):
        p = rng.normal(size=2)
        edge, squared = closest_edge(*p, place, outline_of(points, 1, 7), 0, -1, 0)
        ring = points[1:7]
        all_edges = [
            squared_distance(*p, *place[ring[k]], *place[ring[(k + 1) % 6]]) for k in range(6)
        ]
        assert squared == pytest.approx(min(all_edges), rel=1e-12)
        assert all_edges[edge] == pytest.approx(min(all_edges), rel=1e-12)


def test_closest_edge_skips_neighbours_in_self_collision():
    angle = 2 * np.pi * arange(12) / 12
    place = np.column_stack([np.cos(angle), np.sin(angle)])
    points = np.arange(12, dtype=np.uint32)
    for k in range(12):
        edge, _ = closest_edge(*place[k], place, outline_of(points, 0, 12), 0, k, 2)
        ahead = (edge - k) % 12
        assert 2 < ahead < 9


@pytest.mark.parametrize("seed", range(3))
def test_crossing_matches_a_linear_system(seed):
    rng = np.random.default_rng(seed)
    for _ in range(200):
        p, q, a, b = rng.normal(size=(4, 2))
        share = path_fraction(*p, *q, *a, *b)
        s, t = np.linalg.solve(np.column_stack([q - p, a - b]), a - p)
        if 0.001 < s < 0.999 and 0.001 < t < 0.999:
            assert share == pytest.approx(s, rel=1e-9)
        elif min(s, t) < -0.001 or max(s, t) > 1.001:
            assert share == 2.0


def test_crossing_of_parallel_ways_and_ends():
    assert path_fraction(0.0, 1.0, 5.0, 1.0, 0.0, 0.0, 5.0, 0.0) == 2.0
    assert path_fraction(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 5.0, 0.0) == 2.0
    assert path_fraction(1.0, 1.0, 1.0, -3.0, 0.0, 0.0, 5.0, 0.0) == pytest.approx(0.25)
    assert path_fraction(5.0, 1.0, 5.0, -1.0, 0.0, 0.0, 5.0, 0.0) == pytest.approx(0.5), (
        "the end belongs to the edge"
    )
    assert path_fraction(5.1, 1.0, 5.1, -1.0, 0.0, 0.0, 5.0, 0.0) == 2.0


def all_pairs(box, body_count, category, mask, still):
    found = set()
    for i in range(body_count):
        for j in range(i + 1, len(box)):
            sleeps = still[i] and (j >= body_count or still[j])
            accept = category[i] & mask[j] and category[j] & mask[i]
            if np.isfinite(box[[i, j]]).all() and overlaps(box, i, j) and accept and not sleeps:
                found.add((i, j))
    return found


def random_boxes(seed):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 60))
    low = rng.normal(size=(count, 2)) * 10.0 ** rng.uniform(-1, 2)
    size = 10.0 ** rng.uniform(-2, 1, (count, 2))
    size[rng.random(count) < 0.1] *= 1e4
    box = np.column_stack([low, low + size])
    box[rng.random(count) < 0.05] = np.nan
    box[rng.random(count) < 0.03] *= 1e12
    return box, int(rng.integers(1, count + 1))


def found_pairs(box, body_count, category=None, mask=None, still=None):
    ones = np.ones(len(box), np.uint32)
    finder = PairFinder()
    filters = Filters(ones if category is None else category, ones if mask is None else mask)
    finder.find(
        box, body_count, filters, np.zeros(body_count, np.bool_) if still is None else still
    )
    return finder


@pytest.mark.parametrize("seed", range(40))
def test_broad_phase_finds_exactly_the_overlapping_pairs(seed):
    """Bodies with bodies and with edges, each pair once; small, huge, far and NaN boxes."""
    box, body_count = random_boxes(seed)
    rng = np.random.default_rng(seed)
    category, mask = rng.integers(0, 4, (2, len(box))).astype(np.uint32) | np.uint32(seed % 2)
    still = rng.random(body_count) < 0.5 * (seed % 3)
    found = [
        tuple(pair) for pair in found_pairs(box, body_count, category, mask, still).pairs.tolist()
    ]
    assert len(found) == len(set(found)), "a pair twice"
    assert set(found) == all_pairs(box, body_count, category, mask, still)


@pytest.mark.brief(9)
@pytest.mark.parametrize("seed", range(20))
def test_broad_phase_of_a_crowd_far_away_whose_cells_share_places(seed):
    """Boxes of like size, so many that pairs have to grow, spread over more cells than the grid
    has.
    """
    rng = np.random.default_rng(seed)
    count = 150
    low = rng.integers(-60, 60, (count, 2)) * 0.5 + rng.choice([0.0, 1e4, -1e6])
    if seed % 2:
        low = low * (0.04, 1.0)
    box = np.column_stack([low, low + rng.choice([0.5, 0.25, 1.0], (count, 2))])
    ones = np.ones(count, np.uint32)
    awake = np.zeros(count, np.bool_)
    found = [tuple(pair) for pair in found_pairs(box, 120).pairs.tolist()]
    assert len(found) == len(set(found))
    assert set(found) == all_pairs(box, 120, ones, ones, awake)


def test_pairs_come_in_groups_that_keep_their_order():
    box = np.tile((0.0, 0.0, 1.0, 1.0), (6, 1))
    kind = np.array([DISCS, FILLED, DISCS, DISCS], np.int64)
    finder = found_pairs(box, 4)
    before = finder.pairs.tolist()
    assert len(before) == 14
    finder.sort(4, kind)
    discs = [pair for pair in before if max(pair) < 4 and 1 not in pair]
    walls = [pair for pair in before if max(pair) >= 4]
    rings = [pair for pair in before if max(pair) < 4 and 1 in pair]
    assert finder.disc_pairs.tolist() == discs
    assert finder.outline_pairs.tolist() == rings
    assert finder.wall_pairs.tolist() == walls
    finder.keep(arange(14) % 2 == 0)
    assert finder.pairs.tolist() == (discs + rings + walls)[::2]


@pytest.mark.parametrize(
    ("category", "mask", "touch"),
    [
        ((1, 1), (1, 1), True),
        ((1, 2), (2, 1), True),
        ((1, 2), (1, 1), False),
        ((3, 4), (4, 1), True),
        ((0, 1), (1, 1), False),
    ],
)
def test_may_touch(category, mask, touch):
    assert (
        bool(may_touch(Filters(np.array(category, np.uint32), np.array(mask, np.uint32)), 0, 1))
        == touch
    )


@pytest.mark.parametrize("t", [0.0, 0.3, 1.0])
@pytest.mark.parametrize(("friction", "lever"), [(0.0, 0.0), (0.7, 0.0), (0.7, 0.1)])
def test_impulses_conserve_momentum_and_stop_the_approach(t, friction, lever):
    """Momentum and angular momentum of point and edge ends, and the relative speed that W promises.

    With a lever the body of the point turns: it gets the rest of the torque.
    """
    rng = np.random.default_rng(2)
    place = rng.normal(size=(3, 2))
    velocity = rng.normal(size=(3, 2))
    weight = np.array([1.0, 0.25, 2.0])
    edge = place[2] - place[1]
    distance = 0.4
    (ux, uy) = edge / np.hypot(*edge)
    nx = -uy
    ny = ux
    place[0] = place[1] + t * edge + distance * np.array((nx, ny))
    inverse = weight[0] + (1 - t) ** 2 * weight[1] + t**2 * weight[2]
    records = np.zeros(1, CONTACT)
    set_torque_arm(records, 0, edge[0], edge[1], edge @ edge, distance, lever)
    impulse = -normal_velocity(velocity, 0, 1, 2, t, nx, ny) / inverse
    arm = records[0]
    change = np.reshape(
        split_impulse(nx, ny, t, arm["torque_arm_x"], arm["torque_arm_y"], impulse, friction),
        (3, 2),
    )
    velocity += weight[:, None] * change
    assert change.sum(axis=0) == pytest.approx((0, 0), abs=1e-14)
    torque = place[:, 0] * change[:, 1] - place[:, 1] * change[:, 0]
    assert torque.sum() == pytest.approx(lever * friction, abs=1e-14)
    if friction == 0.0:
        assert normal_velocity(velocity, 0, 1, 2, t, nx, ny) == pytest.approx(0.0, abs=1e-14)
        assert change[1] * t == pytest.approx(change[2] * (1 - t), abs=1e-14), "shared by the lever"
    else:
        assert change[0] @ (-ny, nx) == pytest.approx(friction)


def random_ring(rng):
    """A ring around the origin, smooth or ragged, round or flat, thin or thick."""
    count = int(rng.integers(8, 30))
    angle = (
        np.sort(rng.uniform(0, 2 * np.pi, count))
        if rng.random() < 0.3
        else 2 * np.pi * arange(count) / count
    )
    distance = 1.0 + rng.uniform(0, 0.6) * rng.normal(size=count)
    place = distance[:, None] * np.column_stack(
        [rng.uniform(0.3, 1.0) * np.cos(angle), np.sin(angle)]
    )
    return place, np.full(count, rng.uniform(0.001, 0.1)), np.arange(count, dtype=np.uint32)


def test_a_ring_has_no_point_near_an_edge_further_along():
    """Whatever `cannot_self_touch` lets pass, a search over all points and edges agrees that
    nothing touches.
    """
    rng = np.random.default_rng(0)
    plump = 0
    for _ in range(3000):
        place, radius, points = random_ring(rng)
        count = len(points)
        if not cannot_self_touch(Shapes(place, radius, outline_of(points, 0, count)), 0, 0.02):
            continue
        plump += 1
        for k in range(count):
            _, squared = closest_edge(
                *place[k], place, outline_of(points, 0, count), 0, k, SELF_NEIGHBOURS
            )
            assert squared > (2.0 * radius[0] + 0.02) ** 2
    assert plump > 30
