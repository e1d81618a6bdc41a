"""AreaConstraint: the law, its gradient, a NumPy twin, conservation, the breathing mode,
saturation, recovery.
"""

import warnings

import numpy as np
import pytest

from ecs_softbody import AreaConstraint, Particles, Simulation, Springs, StabilityWarning
from ecs_softbody.indices import arange, flatnonzero, repeat
from ecs_softbody.kernels.forces.area_constraint import (
    DAMPING_SHARE,
    LEVEL_SHARE,
    SATURATED_DAMPING,
    STIFFNESS_SHARE,
    AreaRings,
    accumulate_area_force,
)
from ecs_softbody.kernels.groups import Motion
from tests.helpers.measures import signed_area
from tests.helpers.stepping import run_frames

DT = 1 / 480
U_SHAPE = np.array([(0, 0), (3, 0), (3, 3), (2, 3), (2, 1), (1, 1), (1, 3), (0, 3)], float)


def circle(count, radius=1.0):
    angle = 2 * np.pi * arange(count) / count
    return radius * np.column_stack([np.cos(angle), np.sin(angle)])


def skin(count, **options):
    rows = arange(count)
    return Springs(np.column_stack([rows, np.roll(rows, -1)]), **options)


def gradient(ring):
    chord = np.roll(ring, -1, axis=0) - np.roll(ring, 1, axis=0)
    return 0.5 * np.column_stack([chord[:, 1], -chord[:, 0]])


def rings(seed=0, *, stiffness=50.0, damping=2.0):
    """Rings of 5, 8 and 3 particles; the second is clockwise, its particles in mixed rows; the
    third has no area.
    """
    rng = np.random.default_rng(seed)
    counts = np.array([5, 8, 3], np.int64)
    last = np.cumsum(counts, dtype=np.int64)
    place = np.concatenate([circle(n) for n in counts]) * rng.uniform(0.6, 1.4, 16)[:, None]
    outline = np.arange(16, dtype=np.uint32)
    outline[5:13] = outline[5:13][::-1]
    chord = np.zeros(16)
    for stop, n in zip(last, counts, strict=True):
        chord[stop - n : stop] = 2.0 * np.linalg.norm(
            gradient(place[outline[stop - n : stop]]), axis=1
        )
    return {
        "position": place
        + repeat(rng.normal(size=(3, 2)) * 5, counts, axis=0)
        + rng.normal(size=(16, 2)) * 0.2,
        "velocity": rng.normal(size=(16, 2)),
        "inverse_mass": np.append(rng.uniform(0.5, 2, 15), 0.0),
        "outline": outline,
        "chord": chord,
        "first": (last - counts).astype(np.uint32),
        "last": last.astype(np.uint32),
        "stiffness": stiffness * np.array([1.0, 3.0, 1.0]),
        "damping": damping * np.array([1.0, 0.0, 1.0]),
        "rest_area": np.array([2.0, 1.5, 0.0]),
        "orientation": np.array([1.0, -1.0, 1.0]),
    }


def run(body, dt=DT):
    force = np.zeros_like(body["position"])
    outputs = np.zeros((3, 3))
    rings = AreaRings(
        *(
            body[name]
            for name in ("first", "last", "orientation", "stiffness", "damping", "rest_area")
        ),
        *outputs,
    )
    motion = Motion(body["position"], body["velocity"], body["inverse_mass"], force)
    accumulate_area_force(arange(3), body["outline"], body["chord"], rings, motion, dt)
    return force, *outputs


def twin(body, dt=DT):
    force = np.zeros_like(body["position"])
    results = []
    for b in range(3):
        span = slice(body["first"][b], body["last"][b])
        rows = body["outline"][span].astype(np.int64)
        w = np.sqrt(body["inverse_mass"][rows])
        slope = gradient(body["position"][rows]) * body["orientation"][b]
        area = body["orientation"][b] * signed_area(body["position"][rows])
        rest = body["rest_area"][b]
        if rest == 0.0:
            results.append((area, 0.0, 0.0))
            continue
        now = w * np.linalg.norm(slope, axis=1)
        then = w * 0.5 * body["chord"][span]
        weight = max(now.max() * now.sum(), then.max() * then.sum()) / rest
        asked = body["stiffness"][b]
        stiff = min(asked, STIFFNESS_SHARE / (dt**2 * weight))
        damp = body["damping"][b]
        if stiff < asked:
            damp = max(damp, SATURATED_DAMPING * (1 - stiff / asked) * stiff * dt)
        damp = min(damp, DAMPING_SHARE / (2 * dt * weight))
        rate = (slope * body["velocity"][rows]).sum()
        level = LEVEL_SHARE / (dt**2 * body["inverse_mass"][rows].max())
        pressure = np.clip((stiff * (rest - area) - damp * rate) / rest, -level, level)
        np.add.at(force, rows, pressure * slope)
        results.append((area, pressure, stiff))
    return force, *np.array(results).T


@pytest.mark.parametrize("damping", [0.0, 2.0, 1e9])
@pytest.mark.parametrize("stiffness", [0.0, 50.0, 1e12])
def test_matches_numpy(stiffness, damping):
    body = rings(1, stiffness=stiffness, damping=damping)
    for found, expected in zip(run(body), twin(body), strict=True):
        assert np.allclose(found, expected, rtol=1e-11, atol=1e-12 * np.abs(expected).max())


def test_the_force_is_the_slope_of_the_energy():
    """F = -d/dx k (A0 - A)² / (2 A0), by central differences, also for the clockwise ring."""
    body = rings(2, damping=0.0)
    step = 1e-6
    force = run(body)[0]
    for b in (0, 1):
        rows = body["outline"][body["first"][b] : body["last"][b]].astype(np.int64)

        def energy(place, b=b, rows=rows):
            area = body["orientation"][b] * signed_area(place[rows])
            rest = body["rest_area"][b]
            return body["stiffness"][b] * (rest - area) ** 2 / (2 * rest)

        for row in rows:
            for axis in range(2):
                plus = body["position"].copy()
                minus = body["position"].copy()
                plus[row, axis] += step
                minus[row, axis] -= step
                slope = (energy(plus) - energy(minus)) / (2 * step)
                assert force[row, axis] == pytest.approx(-slope, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("stiffness", [50.0, 1e12])
def test_force_and_torque_sum_to_zero(stiffness):
    body = rings(3, stiffness=stiffness)
    force = run(body)[0]
    place = body["position"]
    scale = np.abs(force).sum()
    assert np.abs(force.sum(axis=0)).max() <= 1e-14 * scale
    assert (
        abs((place[:, 0] * force[:, 1] - place[:, 1] * force[:, 0]).sum())
        <= 1e-13 * scale * np.abs(place).max()
    )


def test_damping_never_adds_energy():
    body = rings(4, stiffness=0.0, damping=5.0)
    assert (run(body)[0] * body["velocity"]).sum() < 0.0


@pytest.mark.brief(3)
@pytest.mark.parametrize(
    ("area_stiffness", "spring_stiffness"), [(100.0, 0.0), (0.0, 100.0), (100.0, 60.0)]
)
def test_the_frequency_of_breathing_is_that_of_the_law(area_stiffness, spring_stiffness):
    """All n particles outwards together: m ω² = n g² k / A0 + 4 ks sin²(π/n),
    with g = R sin(2π/n).
    """
    count = 12
    mass = 0.5
    sim = Simulation(gravity=(0, 0), substeps=1)
    body = Particles(circle(count), mass=mass)
    rows = arange(count)
    ring = AreaConstraint(rows, stiffness=area_stiffness)
    sim.spawn(body, ring, skin(count, stiffness=spring_stiffness))
    sim.step(1e-12)
    body.position *= 1.001
    steps = 3000
    dt = 1 / 960
    sizes = np.empty(steps)
    for k in range(steps):
        sim.step(dt)
        sizes[k] = np.hypot(*body.position[0]) - 1.0
    up = flatnonzero((sizes[:-1] < 0) & (sizes[1:] >= 0))
    times = (up + sizes[up] / (sizes[up] - sizes[up + 1])) * dt
    area = count * np.sin(2 * np.pi / count) / 2
    squared = count * np.sin(2 * np.pi / count) ** 2 * area_stiffness / area
    squared += 4 * spring_stiffness * np.sin(np.pi / count) ** 2
    measured = 2 * np.pi * (len(up) - 1) / (times[-1] - times[0])
    assert measured == pytest.approx(np.sqrt(squared / mass), rel=2e-3)


def test_a_squeezed_ring_presses_with_stiffness_times_the_lost_share():
    sim = Simulation(gravity=(0, 0))
    ring = AreaConstraint(arange(8), stiffness=40.0)
    # clockwise: the pressure counts outwards all the same
    body = Particles(circle(8)[::-1])
    sim.spawn(body, ring)
    sim.step(1e-12)
    assert ring.rest_area == pytest.approx(4 * np.sin(np.pi / 4), rel=1e-12)
    body.position[:, 0] *= 0.75
    sim.step(1e-12)
    assert ring.pressure == pytest.approx(10.0, rel=1e-9)
    assert ring.area == pytest.approx(0.75 * ring.rest_area, rel=1e-9)


@pytest.mark.brief(12)
@pytest.mark.parametrize("stiffness", [1.0, 1e3, 1e6, 1e12])
@pytest.mark.parametrize("damping", [0.0, 1e12])
@pytest.mark.parametrize("seed", range(4))
def test_any_stiffness_stays_bounded(stiffness, damping, seed):
    """Kinetic energy never exceeds what the start holds:
    that of the constraint as it is carried.
    """
    sim = Simulation(gravity=(0, 0), substeps=1)
    rng = np.random.default_rng(seed)
    body = Particles(circle(12), mass=rng.uniform(0.1, 1.0, 12))
    ring = AreaConstraint(arange(12), stiffness=stiffness, damping=damping)
    sim.spawn(body, ring)
    sim.step(1e-12)
    body.position *= (0.3, 1.0)
    sim.step(1 / 60)
    held = 0.5 * ring.effective_stiffness * ring.rest_area
    for _ in range(600):
        sim.step(1 / 60)
        assert 0.5 * body.mass @ (body.velocity**2).sum(axis=1) <= 1.1 * held


@pytest.mark.brief(5)
@pytest.mark.parametrize("points", [circle(16), U_SHAPE], ids=["circle", "U"])
@pytest.mark.parametrize(
    "squash", [(1.0, 0.3), (1.0, 0.0), (-1.0, 1.0)], ids=["squashed", "flat", "inside out"]
)
@pytest.mark.parametrize("stiffness", [200.0, 1e12])
def test_a_crushed_or_inverted_ring_gets_its_area_back(points, squash, stiffness):
    """... and no more kinetic energy on the way than ring and springs held at the start."""
    sim = Simulation(gravity=(0, 0))
    body = Particles(points, mass=0.1)
    ring = AreaConstraint(arange(len(points)), stiffness=stiffness, damping=5.0)
    springs = skin(len(points), stiffness=100.0, damping=1.0)
    sim.spawn(body, ring, springs)
    sim.step(1e-12)
    body.position *= squash
    stretch = (
        np.linalg.norm(body.position - np.roll(body.position, -1, axis=0), axis=1)
        - springs.rest_length
    )
    sim.step()
    held = (
        0.5
        * ring.effective_stiffness
        * (ring.rest_area - signed_area(points * squash)) ** 2
        / ring.rest_area
    )
    held += 0.5 * springs.stiffness @ stretch**2
    for _ in range(300):
        sim.step()
        assert 0.5 * body.mass @ (body.velocity**2).sum(axis=1) <= held
    assert ring.area == pytest.approx(ring.rest_area, rel=0.03)


@pytest.mark.parametrize("seed", range(4))
def test_momentum_and_angular_momentum_are_exact(seed):
    sim = Simulation(gravity=(0, 0))
    rng = np.random.default_rng(seed)
    body = Particles(U_SHAPE, velocity=rng.normal(size=(8, 2)), mass=rng.uniform(0.1, 1, 8))
    sim.spawn(
        body, AreaConstraint(arange(8), stiffness=300.0, damping=1.0), skin(8, stiffness=50.0)
    )

    def momenta():
        x = body.position
        v = body.velocity
        m = body.mass
        return np.array([*(m @ v), m @ (x[:, 0] * v[:, 1] - x[:, 1] * v[:, 0])])

    before = momenta()
    run_frames(sim, 300)
    assert momenta() == pytest.approx(before, abs=1e-10)


@pytest.mark.parametrize("values", [{"stiffness": 1e7}, {"stiffness": 1.0, "damping": 100.0}])
def test_too_much_is_warned_about_and_the_advice_helps(values):
    def spawn(sim):
        sim.spawn(Particles(circle(8), mass=0.1), AreaConstraint(arange(8), **values))

    sim = Simulation()
    spawn(sim)
    with pytest.warns(StabilityWarning, match=r"AreaConstraint: .*use \d+ substeps") as caught:
        sim.step()
    advice = int(str(caught[0].message).rpartition(" substeps")[0].rpartition(" ")[2])
    finer = Simulation(substeps=advice, world="finer")
    spawn(finer)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        finer.step()


def test_a_given_rest_area_inflates():
    sim = Simulation(gravity=(0, 0))
    body = Particles(circle(12), mass=0.1)
    ring = AreaConstraint(arange(12), stiffness=100.0, damping=10.0, rest_area=5.0)
    sim.spawn(body, ring)
    run_frames(sim, 300)
    assert abs(signed_area(body.position)) == pytest.approx(5.0, rel=1e-3)
    ring.rest_area = 2.0
    run_frames(sim, 300)
    assert abs(signed_area(body.position)) == pytest.approx(2.0, rel=1e-3)


@pytest.mark.parametrize(
    ("field", "options"),
    [
        ("stiffness", {"stiffness": -1.0}),
        ("damping", {"stiffness": 1.0, "damping": float("nan")}),
        ("rest_area", {"stiffness": 1.0, "rest_area": 0.0}),
        ("outline", {"stiffness": 1.0, "outline": (0, 1)}),
        ("outline", {"stiffness": 1.0, "outline": (0, 1, 2, 1)}),
    ],
)
def test_bad_values_are_refused(field, options):
    with pytest.raises(ValueError, match=rf"AreaConstraint\.{field}"):
        AreaConstraint(**{"outline": (0, 1, 2), **options})
