"""Rays, points, regions and nearest particles of random worlds, against a brute-force twin."""

from __future__ import annotations

import math

import esper
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ecs_softbody import Collider, Particles, Simulation, StaticCollider

COORDINATE = st.integers(-8, 8).map(lambda n: n / 4)
POINT = st.tuples(COORDINATE, COORDINATE)
RADIUS = st.sampled_from([0.0, 0.1, 0.5])
SHAPE = st.tuples(
    st.sampled_from(["discs", "ring", "rope", "chain", "loop"]),
    st.lists(st.tuples(POINT, RADIUS), min_size=3, max_size=6, unique_by=lambda entry: entry[0]),
)
WORLD = st.lists(SHAPE, min_size=1, max_size=5)
TWO_POINTS = st.tuples(POINT, POINT).filter(lambda ends: ends[0] != ends[1])


class Twin:
    """One shape in plain numpy."""

    def __init__(self, kind, entries):
        self.kind = kind
        self.place = np.array([point for point, _ in entries], float)
        self.radius = np.array([radius for _, radius in entries])
        if kind in ("chain", "loop"):
            self.radius[:] = self.radius[0]
        else:
            self.radius = np.maximum(self.radius, 0.001)
        rows = np.arange(len(entries))
        ends = {"discs": rows, "ring": np.roll(rows, -1), "loop": np.roll(rows, -1)}.get(
            kind, rows[1:]
        )
        self.edges = np.column_stack([rows[: len(ends)], ends])

    def components(self):
        if self.kind in ("chain", "loop"):
            return (StaticCollider(self.place, closed=self.kind == "loop", radius=self.radius[0]),)
        outline = None if self.kind == "discs" else np.arange(len(self.place))
        return Particles(self.place, radius=self.radius), Collider(
            outline=outline, closed=self.kind == "ring"
        )

    def distances(self, points):
        """Distance of points (Q, 2) from each edge (Q, E), and the thickness of the edge there."""
        a = self.place[self.edges[:, 0]]
        b = self.place[self.edges[:, 1]]
        e = b - a
        squared = np.maximum((e**2).sum(axis=1), 1e-300)
        t = np.clip(((points[:, None] - a) * e).sum(axis=2) / squared, 0.0, 1.0)
        distance = np.linalg.norm(points[:, None] - a - t[..., None] * e, axis=2)
        ra = self.radius[self.edges[:, 0]]
        rb = self.radius[self.edges[:, 1]]
        return distance, ra + t * (rb - ra)

    def gap(self, points):
        distance, thickness = self.distances(np.atleast_2d(points))
        return (distance - thickness).min(axis=1)

    def holds(self, point):
        """Whether an outline goes around a point, by the sum of the angles; None on the outline
        itself.
        """
        if self.kind != "ring":
            return False
        if self.distances(np.array([point]))[0].min() < 1e-9:
            return None
        arms = self.place - point
        following = np.roll(arms, -1, axis=0)
        cross = arms[:, 0] * following[:, 1] - arms[:, 1] * following[:, 0]
        turn = np.arctan2(cross, (arms * following).sum(axis=1)).sum()
        return abs(turn) > np.pi


def build(world):
    esper.clear_database()
    sim = Simulation()
    twins = {}
    for kind, entries in world:
        twin = Twin(kind, entries)
        twins[sim.spawn(*twin.components())] = twin
    return sim, twins


STEEP = ("ring", [((0.0, 0.0), 0.5), ((0.25, 0.0), 0.0), ((0.25, 0.25), 0.0)])


@pytest.mark.slow
@example([STEEP], ((0.75, 0.0), (0.0, 0.0)), 0.3)
@given(WORLD, TWO_POINTS, st.sampled_from([0.0, 0.3]))
def test_rays_against_the_twin(world, ends, radius):
    """At the hit the gap is the radius, before it is larger; what is not hit is nowhere closer than
    the radius.
    """
    sim, twins = build(world)
    start, end = np.array(ends, float)
    length = math.dist(start, end)
    hits = {hit.entity: hit for hit in sim.raycast_all(start, end, radius=radius)}
    for entity, twin in twins.items():
        hit = hits.get(entity)
        way = length if hit is None else hit.distance
        before = start + np.linspace(0.0, way, 400)[:, None] * (end - start) / length
        gaps = twin.gap(before) - radius
        assert gaps[:-1].min() > -1e-7 or (hit is not None and way == 0.0)
        if hit is not None:
            assert gaps[-1] <= 1e-7
            assert way == 0.0 or gaps[-1] >= -1e-7
            assert math.hypot(*hit.normal) == pytest.approx(1.0)
            rows = [tuple(edge) for edge in twin.edges.tolist()]
            assert tuple(hit.rows) in rows
            # Of the edge that was hit: a steep cone beside it may cover the point without having
            # come as near.
            distance, thickness = twin.distances(np.array([hit.point]))
            assert way == 0.0 or abs((distance - thickness)[0, rows.index(tuple(hit.rows))]) < 1e-7
    nearest = sim.raycast(start, end, radius=radius)
    ordered = sorted(hits.values(), key=lambda hit: (hit.distance, hit.entity))
    assert nearest == (ordered[0] if ordered else None)
    assert sim.raycast_all(start, end, radius=radius) == ordered
    sim.close()


@given(WORLD, POINT, st.sampled_from([0.0, 0.4, 3.0]))
def test_points_against_the_twin(world, point, radius):
    sim, twins = build(world)
    hits = {hit.entity: hit for hit in sim.point_query(point, radius=radius)}
    for entity, twin in twins.items():
        distance, thickness = twin.distances(np.array([point]))
        held = twin.holds(point)
        if held is None:
            continue
        signed = -(distance + thickness).min() if held else (distance - thickness).min()
        if abs(signed - radius) < 1e-9:
            continue
        assert (entity in hits) == (signed < radius)
        if entity in hits:
            hit = hits[entity]
            assert hit.distance == pytest.approx(signed, abs=1e-9)
            assert np.subtract(point, hit.point) == pytest.approx(
                np.multiply(hit.normal, signed), abs=1e-9
            )
    sim.close()


@pytest.mark.slow
@given(WORLD, TWO_POINTS)
def test_regions_against_the_twin(world, ends):
    """Sampled densely: a sample that both share proves an overlap; a gap above the grid's size
    proves there is none.
    """
    low = np.minimum(*ends).astype(float)
    high = np.maximum(*ends).astype(float)
    sim, twins = build(world)
    found = sim.region_query(low, high)
    grid = np.stack(
        np.meshgrid(*(np.linspace(low[k], high[k], 25) for k in range(2))), axis=-1
    ).reshape(-1, 2)
    spacing = np.linalg.norm(high - low) / 24
    for entity, twin in twins.items():
        gap = twin.gap(grid).min()
        if gap < -1e-9 or any(twin.holds(corner) for corner in grid[:: len(grid) // 4]):
            assert entity in found
        elif gap > spacing and not any(twin.holds(corner) for corner in grid):
            assert entity not in found
    sim.close()


@given(WORLD, POINT, st.sampled_from([0.5, 2.0, math.inf]))
def test_nearest_particles_against_the_twin(world, point, limit):
    sim, twins = build(world)
    best = math.inf
    for twin in twins.values():
        if twin.kind in ("ring", "rope", "discs"):
            best = min(best, np.linalg.norm(twin.place - point, axis=1).min())
    hit = sim.nearest_particle(point, max_distance=limit)
    if best > limit or math.isinf(best):
        assert hit is None
    else:
        assert hit.distance == pytest.approx(best)
        assert twins[hit.entity].place[hit.rows[0]] == pytest.approx(hit.point)
    sim.close()
