"""Contacts follow their points along outlines, so that what rests need not be searched anew."""

import numpy as np
import pytest

from ecs_softbody import Collider, Particles, Simulation, StaticCollider, blueprints
from ecs_softbody.collision.contacts.contact import CONTACT, ContactArrays
from ecs_softbody.collision.contacts.edge_following import follow_points
from ecs_softbody.geometry.outlines import CHAIN, LOOP, Outlines
from ecs_softbody.indices import arange, flatnonzero
from tests.helpers.internals import collision_space
from tests.helpers.stepping import run_frames

RING = 12
POINTS = 40
THIN = np.full(RING + POINTS, 0.1)


def distances(point, ring, closed):
    """The distance of a point from each edge of a ring or chain."""
    ends = np.roll(ring, -1, axis=0)
    a, b = (ring, ends) if closed else (ring[:-1], ends[:-1])
    along = b - a
    t = (((point - a) * along).sum(axis=1) / (along**2).sum(axis=1)).clip(0.0, 1.0)
    return np.linalg.norm(point - a - t[:, None] * along, axis=1)


def followed(seed, kind, start):
    """Points around an outline, each with a contact at the edge `start`; where these are after
    following.
    """
    rng = np.random.default_rng(seed)
    angle = 2.0 * np.pi * (arange(RING) + 0.2 * rng.random(RING)) / RING
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    around = 2.0 * np.pi * rng.random(POINTS)
    points = 1.2 * np.column_stack([np.cos(around), np.sin(around)])
    rows = np.zeros((POINTS, 3), np.uint32)
    rows[:, 0] = RING + arange(POINTS)
    rows[:, 1] = start
    rows[:, 2] = (start + 1) % RING
    proxies = np.tile(np.array([1, 0], np.int64), (POINTS, 1))
    first = np.array([0, RING], np.int64)
    last = np.array([RING, RING + POINTS], np.int64)
    outlines = Outlines(
        np.arange(RING + POINTS, dtype=np.uint32), first, last, np.array([kind, LOOP], np.int64)
    )
    contacts = ContactArrays(rows, proxies, np.zeros(POINTS, CONTACT))
    follow_points(contacts, np.concatenate([ring, points]), THIN, outlines, RING + POINTS)
    return ring, points, rows


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("start", [0, 5, RING - 2])
def test_they_walk_to_the_closest_edge(seed, start):
    for kind in (LOOP, CHAIN):
        ring, points, rows = followed(seed, kind, start)
        assert (rows[:, 2] == (rows[:, 1] + 1) % RING).all()
        for point, row in zip(points, rows, strict=True):
            every = distances(point, ring, kind == LOOP)
            own = int(row[1])
            if kind == LOOP:
                assert every[own] == pytest.approx(every.min(), abs=1e-12)
            else:  # no step to a neighbour brings it closer
                assert every[own] <= every[max(own - 1, 0) : own + 2].min() + 1e-12


def test_walls_discs_and_what_has_no_outline_now_stay():
    ring, points, rows = followed(1, LOOP, 3)
    before = rows.copy()
    offset = RING
    contacts = ContactArrays(
        rows, np.tile(np.array([1, 0], np.int64), (POINTS, 1)), np.zeros(POINTS, CONTACT)
    )
    place = np.concatenate([ring, -points])
    none = Outlines(np.arange(RING, dtype=np.uint32), *np.zeros((3, 2), np.int64))
    follow_points(contacts, place, THIN, none, RING + POINTS)
    assert (rows == before).all()
    whole = Outlines(
        np.arange(RING, dtype=np.uint32),
        np.array([0, 0], np.int64),
        np.array([RING, 0], np.int64),
        np.array([LOOP, LOOP], np.int64),
    )
    follow_points(contacts, place, THIN, whole, offset)  # points of walls
    assert (rows == before).all()
    rows[:, 2] = rows[:, 1]
    discs = rows.copy()
    follow_points(contacts, place, THIN, whole, RING + POINTS)
    assert (rows == discs).all()


def heap():
    """Twelve blobs at rest that are kept awake."""
    sim = Simulation(substeps=4, world="following", sleeping=False)
    sim.spawn(StaticCollider([(-0.5, 20), (-0.5, 0), (3.2, 0), (3.2, 20)]))
    for k in range(12):
        sim.spawn(*blueprints.blob((0.1 + 0.9 * (k % 4), 0.6 + 0.9 * (k // 4)), 0.4))
    run_frames(sim, 400)
    return sim


def test_a_heap_at_rest_is_seldom_searched_and_pushes_at_closest_edges():
    sim = heap()
    space = collision_space(sim)
    frames = 60
    before = space.searches
    for _ in range(frames):
        sim.step()
        rows = space.contacts.rows
        position = space.particles["position"]
        outlines = space.proxies.outlines
        pushing = space.contacts.records["normal_impulse"] > 0.0
        for c in flatnonzero(
            pushing & (rows[:, 1] != rows[:, 2]) & (rows[:, :2] < len(position)).all(axis=1)
        ):
            body = space.contacts.proxies[c, 1]
            ring = outlines.points[outlines.first[body] : outlines.last[body]]
            own = int(flatnonzero(ring == rows[c, 1])[0])
            if space.contacts.proxies[c, 0] != body:
                every = distances(position[rows[c, 0]], position[ring], True)
                assert every[own] < every.min() + 0.003  # what it slides within a frame
    assert space.searches - before < frames // 2
    sim.close()


def test_a_point_that_slides_along_an_outline_is_held_off_it_all_the_way():
    """A bead on a ring of wood turns once around it: it keeps its distance from every edge, search
    or not.
    """
    sim = Simulation(gravity=(0.0, 0.0), substeps=8, world="following", sleeping=False)
    ring, *others = blueprints.blob((0.0, 0.0), 1.0, material="wood")
    sim.spawn(ring, *others)
    bead = Particles([(0.0, 1.3)], radius=0.1)
    sim.spawn(bead, Collider(outline=None))
    deepest = 0.0
    for _ in range(240):
        inward = -bead.position[0] / np.linalg.norm(bead.position[0])
        bead.velocity[:] = 0.8 * inward + 1.5 * np.array([-inward[1], inward[0]])
        sim.step()
        gap = distances(bead.position[0], ring.position[:24], True).min() - 0.1 - ring.radius[0]
        deepest = min(deepest, gap)
    assert deepest > -0.01
    sim.close()
