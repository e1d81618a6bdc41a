"""Point gravity, wind and water: NumPy twins, Archimedes to round-off, and the edges of their
domains.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ecs_softbody.geometry.outlines import CHAIN, FILLED, Outlines
from ecs_softbody.geometry.ring import grown_corner
from ecs_softbody.indices import arange, full
from ecs_softbody.kernels.fluids.resistance import (
    FluidBodies,
    FluidParticles,
    Resistance,
    add_resistance,
    resist_all_round,
    resist_along,
)
from ecs_softbody.kernels.fluids.water import Pool, press_ring, share_below
from ecs_softbody.kernels.fluids.wind import Winds, accumulate_wind
from ecs_softbody.kernels.forces.point_gravity import (
    CORE_SHARE,
    Attracted,
    AttractedBodies,
    PointFields,
    Sources,
    accumulate_point_gravity,
)

pytestmark = pytest.mark.compiles

INF = np.inf
seeds = st.integers(0, 10_000)


def star(rng, count=11):
    """A simple ring around the origin, counter-clockwise."""
    angle = np.sort(rng.uniform(0.0, 2 * np.pi, count)) + arange(count) * 1e-3
    return rng.uniform(0.4, 1.5, count)[:, None] * np.column_stack((np.cos(angle), np.sin(angle)))


def below(ring, level, bottom=-INF):
    """Clip a polygon at two heights (Sutherland and Hodgman); return area and centroid."""
    for sign, height in ((1.0, level), (-1.0, -bottom)):
        if not len(ring) or not np.isfinite(height):
            continue
        kept = []
        for a, b in zip(ring, np.roll(ring, -1, axis=0), strict=True):
            ya = sign * a[1] - height
            yb = sign * b[1] - height
            if ya <= 0.0:
                kept.append(a)
            if (ya <= 0.0) != (yb <= 0.0):
                kept.append(a + (b - a) * ya / (ya - yb))
        ring = np.array(kept).reshape(-1, 2)
    if len(ring) < 3:
        return 0.0, np.zeros(2)
    after = np.roll(ring, -1, axis=0)
    cross = ring[:, 0] * after[:, 1] - ring[:, 1] * after[:, 0]
    area = 0.5 * cross.sum()
    return area, (ring + after).T @ cross / (6.0 * area) if area else np.zeros(2)


def pressed(
    ring, *, level=0.0, skin=0.0, left=-INF, right=INF, bottom=-INF, weight=9810.0, points=None
):
    """Return the forces of water on a ring, and its submerged area."""
    count = len(ring)
    points = np.arange(count, dtype=np.uint32) if points is None else points
    particles = still(ring)
    pool = Pool(level, left, right, bottom, weight, 1000.0, 1.0, 0.4, (0.0, 0.0))
    area, sideways = press_ring(points, 0, count, skin, pool, particles, no_resistance(count))
    return particles.force, area, sideways


def still(ring, velocity=None, rest=None):
    count = len(ring)
    velocity = np.zeros((count, 2)) if velocity is None else velocity
    rest = ring if rest is None else rest
    return FluidParticles(
        ring,
        rest,
        velocity,
        np.zeros(count),
        np.full(count, 0.1),
        np.ones(count),
        np.zeros((count, 2)),
        np.zeros(count),
    )


def no_resistance(count):
    return Resistance(
        np.zeros((count, 3)), np.zeros((count, 2)), np.zeros(count), np.zeros(count, np.bool_)
    )


def torque(ring, force):
    return float((ring[:, 0] * force[:, 1] - ring[:, 1] * force[:, 0]).sum())


@given(seeds, st.floats(-2.0, 2.0), st.booleans(), st.booleans())
def test_lift_is_that_of_the_submerged_polygon_in_force_and_torque(seed, level, clockwise, deep):
    rng = np.random.default_rng(seed)
    ring = star(rng)
    bottom = -0.3 if deep else -INF
    area, centroid = below(ring, level, bottom) if level > bottom else (0.0, np.zeros(2))
    points = np.arange(len(ring), dtype=np.uint32)[:: -1 if clockwise else 1].copy()
    if level <= bottom:
        return
    force, found, _ = pressed(ring, level=level, bottom=bottom, points=points)
    assert found == pytest.approx(area, abs=1e-12)
    assert np.allclose(force.sum(axis=0), (0.0, 9810.0 * area), atol=1e-8)
    assert torque(ring, force) == pytest.approx(9810.0 * area * centroid[0], abs=1e-8)


@given(seeds, st.floats(-2.0, 2.0), st.floats(0.0, 0.3))
def test_a_skin_adds_what_lies_around_the_ring(seed, level, skin):
    """Convex rings grow by a mitre: edges stay parallel, and torque is exact as well."""
    rng = np.random.default_rng(seed)
    angle = (arange(9) + rng.uniform(-0.2, 0.2, 9)) * 2 * np.pi / 9
    ring = np.column_stack((1.2 * np.cos(angle), 0.8 * np.sin(angle)))
    points = np.arange(9, dtype=np.uint32)
    grown = np.array([grown_corner(ring, points, 0, 9, k, skin) for k in range(9)])
    area, centroid = below(grown, level)
    force, found, _ = pressed(ring, level=level, skin=skin)
    assert found == pytest.approx(area, abs=1e-12)
    assert np.allclose(force.sum(axis=0), (0.0, 9810.0 * area), atol=1e-8)
    assert torque(ring, force) == pytest.approx(9810.0 * area * centroid[0], abs=1e-7)


def test_a_square_with_skin_is_the_square_around_it():
    ring = np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])
    assert pressed(ring, level=9.0, skin=0.1)[1] == pytest.approx(1.2**2)
    assert pressed(ring, level=0.4, skin=0.1)[1] == pytest.approx(1.2 * 0.5)


def test_what_hangs_over_the_bank_is_lifted_by_its_part_in_the_water():
    ring = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
    force, area, astray = pressed(ring, left=0.25)
    assert area == pytest.approx(0.75)
    assert force[:, 1].sum() == pytest.approx(9810 * 0.75)
    assert force[:, 0].sum() == pytest.approx(astray), "the processor takes this off"
    assert pressed(ring, left=2.0)[1] == pressed(ring, level=-3.0)[1] == 0.0


@pytest.mark.parametrize(
    "ring", [np.zeros((4, 2)), np.array([(0.0, 0), (1, 0), (2, 0), (1, 0)]) - (0, 0.5)]
)
def test_rings_without_area_are_not_lifted(ring):
    force, area, _ = pressed(ring)
    assert area == 0.0
    assert np.array_equal(force, np.zeros((4, 2)))


def test_the_segment_of_a_disc():
    assert [share_below(depth, 2.0) for depth in (-2.0, 0.0, 2.0, 5.0)] == [0.0, 0.5, 1.0, 1.0]
    x = np.linspace(-1, 1, 200_001)
    heights = np.clip(0.3 + np.sqrt(1 - x**2), 0, None) - np.clip(0.3 - np.sqrt(1 - x**2), 0, None)
    assert share_below(0.3, 1.0) == pytest.approx(np.trapezoid(heights, x) / np.pi, rel=1e-6)


@given(seeds, st.sampled_from([1e-6, 1.0, 1e3, 1e12, 1e30]))
def test_resistance_solves_its_equation_and_never_overshoots(seed, size):
    rng = np.random.default_rng(seed)
    resistance = no_resistance(1)
    force = rng.normal(size=(1, 2))
    velocity = rng.normal(size=(1, 2)) * 9
    inverse = np.array([rng.uniform(0.1, 9)])
    dt = 0.01
    wind = rng.normal(size=2)
    angle = rng.uniform(0, 7)
    resist_along(
        0, size * rng.random(), np.cos(angle), np.sin(angle), tuple(wind.tolist()), resistance
    )
    resist_all_round(0, rng.random(), tuple(wind.tolist()), resistance)
    before = velocity[0] + dt * inverse[0] * force[0]
    xx, xy, yy = resistance.tensor[0]
    d = np.array([(xx, xy), (xy, yy)])
    none = np.zeros(1)
    still = np.zeros((1, 2))
    particles = FluidParticles(
        still, still, velocity, none, np.ones(1), inverse, force, none.copy()
    )
    add_resistance(np.array([[0, 1]], np.int64), particles, resistance, dt)
    assert not resistance.tensor.any(), "the sum starts again"
    assert not resistance.flow_force.any()
    after = velocity[0] + dt * inverse[0] * force[0]
    assert np.linalg.norm(after - wind) <= np.linalg.norm(before - wind) * (1 + 1e-9)
    if size <= 1e3:
        expected = np.linalg.solve(
            np.eye(2) + dt * inverse[0] * d, before + dt * inverse[0] * d @ wind
        )
        assert np.allclose(after, expected, rtol=1e-8, atol=1e-10)


@given(seeds, st.sampled_from([1e-6, 1.0, 1e3, 1e12]))
def test_what_is_held_at_rest_feels_all_forces_and_the_whole_flow(seed, size):
    """The impulse that stops it, found with the share of the inverse mass that drag leaves, is h (F
    + D u).
    """
    rng = np.random.default_rng(seed)
    resistance = no_resistance(1)
    force = rng.normal(size=(1, 2))
    dt = 0.01
    inverse = np.array([rng.uniform(0.1, 9)])
    wind = rng.normal(size=2)
    angle = rng.uniform(0, 7)
    resist_along(
        0, size * rng.random(), np.cos(angle), np.sin(angle), tuple(wind.tolist()), resistance
    )
    resist_all_round(0, rng.random(), tuple(wind.tolist()), resistance)
    resistance.pushed[0] = True
    whole = force[0] + resistance.flow_force[0]
    particles = FluidParticles(
        np.zeros((1, 2)),
        np.zeros((1, 2)),
        np.zeros((1, 2)),
        np.zeros(1),
        np.ones(1),
        inverse,
        force,
        np.zeros(1),
    )
    add_resistance(np.array([[0, 1]], np.int64), particles, resistance, dt)
    moved = inverse[0] * (1.0 - particles.drag_share[0])
    assert np.allclose(
        -dt * inverse[0] * force[0] / moved, -dt * whole, rtol=1e-12 * max(1.0, size) * 10
    )


def blown(ring, velocity, wind, *, closed=True, low=(-INF, -INF), high=(INF, INF), rest=None):
    """Return what wind of ½ ρ c = 1 presses on a ring at these velocities, as D u."""
    count = len(ring)
    one = np.zeros(1, np.int64)
    zero = np.zeros(1, np.uint32)
    resistance = no_resistance(count)
    kind = np.array([FILLED if closed else CHAIN], np.int64)
    outlines = Outlines(np.arange(count, dtype=np.uint32), one, one + count, kind)
    accumulate_wind(
        one,
        still(ring, velocity, rest),
        outlines,
        FluidBodies(zero, zero + np.uint32(count), np.zeros(1), zero + np.uint32(1), np.zeros(1)),
        Winds(
            np.array([wind], float),
            np.full(1, 2.0),
            np.ones(1),
            np.array([low], float),
            np.array([high], float),
            zero + np.uint32(1),
        ),
        resistance,
    )
    return resistance.tensor, resistance.flow_force


@given(seeds)
def test_wind_presses_along_the_normal_of_every_edge(seed):
    rng = np.random.default_rng(seed)
    ring = star(rng, 7)
    velocity = rng.normal(size=(7, 2))
    wind = rng.normal(size=2) * 5
    expected_d = np.zeros((7, 2, 2))
    expected_c = np.zeros((7, 2))
    for i in range(7):
        j = (i + 1) % 7
        edge = ring[j] - ring[i]
        normal = np.array([edge[1], -edge[0]]) / np.hypot(*edge)
        u = wind - 0.5 * (velocity[i] + velocity[j])
        for p in (i, j):
            d = 0.5 * np.hypot(*edge) * abs(u @ normal) * np.outer(normal, normal)
            expected_d[p] += d
            expected_c[p] += d @ wind
    resistance, carried = blown(ring, velocity, wind)
    assert np.allclose(
        resistance,
        np.stack((expected_d[:, 0, 0], expected_d[:, 0, 1], expected_d[:, 1, 1]), axis=1),
    )
    assert np.allclose(carried, expected_c)


def test_an_edge_catches_no_more_wind_than_twice_its_rest_length_would():
    ring = 10.0 * star(np.random.default_rng(1), 7)
    at_rest = np.zeros((7, 2))
    full, _ = blown(ring, at_rest, (3.0, 1.0))
    for rest, share in ((0.5 * ring, 1.0), (0.1 * ring, 0.2), (0.0 * ring, 1.0)):
        found, _ = blown(ring, at_rest, (3.0, 1.0), rest=rest)
        assert np.allclose(found, share * full)


def test_a_square_and_a_circle_have_their_drag_coefficients():
    square = np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])
    angle = arange(200) * 2 * np.pi / 200
    circle = 0.5 * np.column_stack((np.cos(angle), np.sin(angle)))
    for ring, coefficient in ((square, 2.0), (circle, 4 / 3)):
        _, carried = blown(ring, np.zeros_like(ring), (3.0, 0.0))
        assert carried.sum(axis=0) == pytest.approx((9.0 * coefficient, 0.0), rel=1e-3, abs=1e-9)


def test_wind_blows_in_its_region_and_open_chains_have_two_ends():
    chain = np.array([(0.0, 0.0), (0.0, 1.0), (0.0, 2.0)])
    at_rest = np.zeros((3, 2))
    _, carried = blown(chain, at_rest, (1.0, 0.0), closed=False)
    assert np.allclose(carried, [(0.5, 0), (1, 0), (0.5, 0)])
    _, carried = blown(chain, at_rest, (1.0, 0.0), closed=False, low=(-1, 1), high=(1, 9))
    assert np.allclose(carried, [(0, 0), (0.5, 0), (0.5, 0)])
    assert not blown(np.zeros((3, 2)), at_rest, (1.0, 0.0))[1].any()


def pulled(
    position,
    mass,
    *,
    source=-1,
    exponent=2.0,
    least=0.0,
    reach=INF,
    dt=1 / 480,
    strength=7.0,
    scale=1.0,
):
    count = len(position)
    force = np.zeros((count, 2))
    center = np.array([(0.5, -0.25)])
    body = np.arange(count, dtype=np.uint32)
    accumulate_point_gravity(
        np.array([(0, count)], np.int64),
        PointFields(
            center, np.array([strength]), np.array([exponent]), np.array([least]), np.array([reach])
        ),
        Sources(full(1, source), (arange(count) == source) - np.int64(1), np.zeros(1), np.zeros(1)),
        Attracted(position, mass, np.where(np.isfinite(mass), 1 / mass, 0.0), body, force),
        AttractedBodies(body, body + np.uint32(1), np.full(count, scale)),
        dt,
    )
    return force, center[0]


@given(seeds, st.sampled_from([0.0, 1.0, 2.0, 3.0]), st.sampled_from([1.0, -0.5]))
def test_the_pull_of_a_point(seed, exponent, scale):
    rng = np.random.default_rng(seed)
    position = rng.normal(size=(9, 2)) * 3 + 5
    mass = rng.uniform(0.1, 4, 9)
    mass[3] = INF
    force, center = pulled(position, mass, exponent=exponent, scale=scale)
    away = center - position
    distance = np.hypot(*away.T)[:, None]
    expected = (
        np.where(np.isfinite(mass), mass, 0.0)[:, None]
        * scale
        * 7.0
        * away
        / distance ** (exponent + 1)
    )
    assert np.allclose(force, expected)
    force, center = pulled(position, mass, source=4, exponent=exponent, scale=scale)
    assert np.allclose(center, position[4], rtol=1e-14)
    assert np.allclose(force.sum(axis=0), 0.0, atol=1e-12)
    assert torque(position, force) == pytest.approx(0.0, abs=1e-11)


def test_near_the_point_the_pull_shrinks_and_far_away_it_ends():
    center = np.array([0.5, -0.25])
    for away in (0.0, 0.25, 0.5):
        force, _ = pulled(center + np.array([(away, 0.0)]), np.ones(1), least=0.5)
        assert force[0] == pytest.approx((-7.0 * away / 0.5**3, 0.0))
    assert not pulled(center + np.array([(2.0, 0.0)]), np.ones(1), reach=1.9)[0].any()
    dt = 0.1
    force, _ = pulled(center + np.array([(1e-9, 0.0)]), np.ones(1), dt=dt)
    assert abs(force[0, 0]) * dt**2 == pytest.approx(CORE_SHARE * 1e-9), (
        "no stiffer than a substep can carry"
    )
