"""What bodies touch, beside a numpy twin: over random contacts, and what the sorting says of ground
and walls.
"""

from __future__ import annotations

import numpy as np
import pytest

from ecs_softbody.collision.contacts.contact import CONTACT, ContactArrays
from ecs_softbody.collision.contacts.touches import (
    LEAST_WEIGHT,
    NEAR,
    NUMBERS,
    find_touches,
    mark_pushed,
    mean_normal,
    sort_touches,
)
from ecs_softbody.collision.detect.static_edges import WallEdges
from ecs_softbody.indices import arange, flatnonzero

BODIES = 5
PARTICLES = 20
EDGES = 6
GROUND = 1
WALL = 2
STEEP = 4


def random_contacts(rng, count):
    """Contacts of five bodies of four particles with each other and with six edges in a row, some
    of them conveyors.
    """
    records = np.zeros(count, CONTACT)
    angle = rng.uniform(0.0, 2.0 * np.pi, count)
    records["normal_x"] = np.cos(angle)
    records["normal_y"] = np.sin(angle)
    records["separation"] = rng.uniform(-0.002, 0.006, count)
    records["frame_impulse"] = np.maximum(rng.uniform(-1.0, 1.0, count), 0.0)
    records["normal_impulse"] = np.maximum(rng.uniform(-1.0, 1.0, count), 0.0)
    records["restitution"] = rng.uniform(0.0, 1.0, count)
    records["active"] = rng.random(count) < 0.7
    body = rng.integers(0, BODIES, count)
    proxy = rng.integers(0, BODIES + EDGES, count)
    edge = np.maximum(proxy - BODIES, 0)
    other = np.where(proxy < BODIES, 4 * proxy, PARTICLES + edge)
    corner = (proxy >= BODIES) & (rng.random(count) < 0.3)
    own = 4 * body + rng.integers(0, 4, count)
    rows = np.stack(
        [
            np.where(corner, other, own),
            np.where(corner, own, other),
            np.where(corner, own, other + 1),
        ],
        1,
    )
    return ContactArrays(rows.astype(np.uint32), np.stack([body, proxy], 1), records)


@pytest.mark.parametrize("seed", range(8))
def test_touches_are_those_of_numpy(seed):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(0, 40))
    contacts = random_contacts(rng, count)
    position = rng.normal(size=(PARTICLES, 2))
    ends = PARTICLES + np.stack([arange(EDGES), arange(1, EDGES + 1)], 1)
    nothing = np.zeros((EDGES, 2))
    edges = WallEdges(
        ends.astype(np.uint32),
        nothing > 0.0,
        arange(EDGES) // 2,
        np.zeros((3, 2), np.int64),
        np.zeros(EDGES),
        nothing,
        np.zeros(EDGES, np.bool_),
    )
    vertices = rng.normal(size=(EDGES + 1, 2))
    speed = rng.choice([0.0, 2.0], EDGES)
    entities = arange(100, 100 + BODIES)
    walls = arange(200, 203)
    slots = np.array([3, 0, 4], np.int64)
    found = np.zeros(2 * count, np.int64)
    numbers = np.zeros((2 * count, NUMBERS))
    stop = np.zeros(3, np.int64)
    find_touches(
        slots,
        contacts,
        position,
        entities,
        vertices,
        edges,
        walls,
        speed,
        PARTICLES,
        found,
        numbers,
        stop,
    )
    records = contacts.records
    proxies = contacts.proxies
    rows = contacts.rows
    first = 0
    near = (records["frame_impulse"] > 0.0) | (records["active"] & (records["separation"] < NEAR))
    for slot, last in zip(slots, stop, strict=True):
        mine = near & (proxies == slot).any(axis=1) & (proxies[:, 0] != proxies[:, 1])
        chosen = flatnonzero(mine)
        assert last - first == len(chosen)
        for k, c in enumerate(chosen, first):
            other = int(proxies[c].sum() - slot)
            row = int(rows[c, 0])
            edge = other - BODIES
            assert found[k] == (entities[other] if edge < 0 else walls[edges.wall[edge]])
            sign = 1.0 if proxies[c, 0] == slot and row < PARTICLES else -1.0
            normal = sign * np.array([records["normal_x"][c], records["normal_y"][c]])
            place = position[row] if row < PARTICLES else vertices[row - PARTICLES]
            run = np.zeros(2)
            if edge >= 0 and speed[edge]:
                way = vertices[edge + 1] - vertices[edge]
                run = speed[edge] * way / np.hypot(*way)
            weight = records["frame_impulse"][c] + LEAST_WEIGHT
            expected = [*normal, weight, *place, *run, records["restitution"][c]]
            np.testing.assert_allclose(numbers[k], expected, rtol=1e-14)
        first = last


def touches(*angles, weights=None):
    """Numbers of touches whose normals lean by these angles [degrees] from up to the right."""
    lean = np.radians(angles)
    numbers = np.zeros((len(lean), NUMBERS))
    numbers[:, 0] = np.sin(lean)
    numbers[:, 1] = np.cos(lean)
    numbers[:, 2] = 1.0 if weights is None else weights
    return numbers


@pytest.mark.parametrize(
    ("angles", "weights", "places", "stands"),
    [
        ((0.0,), None, [GROUND], True),
        ((50.0,), None, [GROUND + STEEP], False),
        ((90.0,), None, [WALL + STEEP], False),
        ((180.0,), None, [STEEP], False),
        ((0.0, 90.0), None, [GROUND, WALL + STEEP], True),
        ((50.0, -50.0), None, [GROUND + STEEP] * 2, True),  # a notch carries as a whole
        # enough of the load is on what is not steep
        ((0.0, 60.0), (1.0, 3.0), [GROUND, STEEP], True),
        ((0.0, 60.0), (1.0, 9.0), [GROUND, GROUND + STEEP], False),
        ((), None, [], False),
    ],
)
@pytest.mark.parametrize("turn", [0.0, 70.0, 180.0])
def test_ground_is_told_from_slopes_and_walls_whatever_is_up(angles, weights, places, stands, turn):
    numbers = touches(*(angle + turn for angle in angles), weights=weights)
    up = np.array([[np.sin(np.radians(turn)), np.cos(np.radians(turn))]])
    place = np.zeros(len(angles), np.int64)
    carried = np.zeros(1, np.int64)
    least = np.array([np.cos(np.radians(40.0))])
    limits = np.array([0.1, 0.26, 0.2])
    sort_touches(np.array([len(angles)], np.int64), numbers, up, least, limits, place, carried)
    assert place.tolist() == places
    assert bool(carried[0]) is stands


@pytest.mark.parametrize("seed", range(4))
def test_the_mean_normal_is_that_of_the_loads_and_the_pushed_rows_are_those_of_numpy(seed):
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=(int(rng.integers(1, 9)), NUMBERS))
    normal = np.zeros(2)
    mean_normal(numbers, normal)
    total = (numbers[:, 2:3] * numbers[:, :2]).sum(axis=0)
    np.testing.assert_allclose(normal, total / np.hypot(*total), rtol=1e-13)
    contacts = random_contacts(rng, 30)
    pushed = np.zeros(PARTICLES, np.bool_)
    mark_pushed(contacts, pushed, PARTICLES)
    rows = np.unique(contacts.rows[contacts.records["normal_impulse"] > 0.0])
    assert flatnonzero(pushed).tolist() == rows[rows < PARTICLES].tolist()
