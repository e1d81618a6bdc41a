"""accumulate_pressure_force: Matyka's law, the area gradient, a NumPy twin, saturation, inside-out
rings.
"""

import numpy as np
import pytest

from ecs_softbody.indices import arange, repeat
from ecs_softbody.kernels.forces.pressure import GasRings, accumulate_pressure_force, gas_law
from ecs_softbody.kernels.groups import Motion
from tests.helpers.measures import signed_area

DT = 1 / 480
SHARE = 0.125


def rings(seed=0, *, gas=1.0, ambient=0.0):
    """Three rings of 5, 8 and 3 particles; the second is clockwise, its particles in mixed rows."""
    rng = np.random.default_rng(seed)
    counts = np.array([5, 8, 3], np.int64)
    last = np.cumsum(counts, dtype=np.int64)
    angle = np.concatenate([2 * np.pi * arange(n) / n for n in counts])
    place = np.column_stack([np.cos(angle), np.sin(angle)]) * rng.uniform(0.6, 1.4, 16)[:, None]
    place += repeat(rng.normal(size=(3, 2)) * 5, counts, axis=0)
    outline = np.arange(16, dtype=np.uint32)
    outline[5:13] = outline[5:13][::-1]
    return {
        "position": place,
        "inverse_mass": rng.uniform(0.5, 2, 16),
        "outline": outline,
        "first": (last - counts).astype(np.uint32),
        "last": last.astype(np.uint32),
        "gas": gas * rng.uniform(1, 2, 3),
        "ambient": ambient * rng.uniform(0, 1, 3),
        "orientation": np.array([1.0, -1.0, 1.0]),
        "gas_share": rng.uniform(0.2, 1, 3),
        "level_share": rng.uniform(0.125, 1, 3),
    }


def run(body, dt=DT):
    force = np.zeros_like(body["position"])
    area = np.zeros(3)
    pressure = np.zeros(3)
    gas = GasRings(
        body["first"],
        body["last"],
        body["orientation"],
        body["gas"],
        body["ambient"],
        body["gas_share"],
        body["level_share"],
        area,
        pressure,
    )
    motion = Motion(body["position"], np.zeros_like(force), body["inverse_mass"], force)
    accumulate_pressure_force(arange(len(body["first"])), body["outline"], gas, motion, dt)
    return force, area, pressure


def twin(
    position,
    inverse_mass,
    outline,
    first,
    last,
    gas,
    ambient,
    orientation,
    gas_share,
    level_share,
    dt=DT,
):
    force = np.zeros_like(position)
    areas = []
    pressures = []
    for b in range(len(first)):
        rows = outline[first[b] : last[b]].astype(np.int64)
        ring = position[rows]
        w = np.sqrt(inverse_mass[rows])
        chord = np.roll(ring, -1, axis=0) - np.roll(ring, 1, axis=0)
        gradient = 0.5 * np.column_stack([chord[:, 1], -chord[:, 0]])
        reach = w * np.linalg.norm(gradient, axis=1)
        slope = SHARE / (dt**2 * reach.max() * reach.sum())
        amount = gas[b] * gas_share[b]
        smallest = np.sqrt(amount / slope)

        def law(area, amount=amount, slope=slope, smallest=smallest):
            return (
                amount / area if area > smallest else amount / smallest + slope * (smallest - area)
            )

        area = orientation[b] * signed_area(ring)
        excess = law(area) - (law(gas[b] / ambient[b]) if ambient[b] > 0 else 0.0)
        level = level_share[b] / (dt**2 * inverse_mass[rows].max())
        pressure = np.clip(excess, -level, level)
        np.add.at(force, rows, orientation[b] * pressure * gradient)
        areas.append(area)
        pressures.append(pressure)
    return force, np.array(areas), np.array(pressures)


@pytest.mark.parametrize("ambient", [0.0, 500.0])
@pytest.mark.parametrize("gas", [1.0, 1e3, 1e8])
def test_matches_numpy(gas, ambient):
    body = rings(1, gas=gas, ambient=ambient)
    for found, expected in zip(run(body), twin(**body), strict=True):
        assert np.allclose(found, expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max())


def test_unsaturated_pressure_is_the_gas_law():
    body = rings(2, gas=10.0) | {"gas_share": np.ones(3)}
    _, area, pressure = run(body)
    assert pressure == pytest.approx(body["gas"] / area, rel=1e-12)
    assert (area > 0).all()


def test_spring_normals_of_the_classic_equal_the_area_gradient():
    """Pressure × length × normal of every edge, half to each end (Matyka 2004), is P dA/dx."""
    body = rings(3, gas=5.0)
    force, _, pressure = run(body)
    classic = np.zeros_like(force)
    for b in range(3):
        rows = body["outline"][body["first"][b] : body["last"][b]].astype(np.int64)
        for i, j in zip(rows, np.roll(rows, -1), strict=True):
            edge = body["position"][j] - body["position"][i]
            normal = np.array([edge[1], -edge[0]]) * body["orientation"][b]
            classic[i] += 0.5 * pressure[b] * normal
            classic[j] += 0.5 * pressure[b] * normal
    assert np.allclose(force, classic, rtol=1e-12, atol=1e-12 * np.abs(force).max())


def test_force_is_the_gradient_of_the_area():
    body = rings(4, gas=2.0)
    step = 1e-6
    force, _, pressure = run(body)
    rows = body["outline"][:5].astype(np.int64)
    for k in range(5):
        for axis in range(2):
            plus = body["position"][rows].copy()
            minus = body["position"][rows].copy()
            plus[k, axis] += step
            minus[k, axis] -= step
            slope = (signed_area(plus) - signed_area(minus)) / (2 * step)
            assert force[rows[k], axis] == pytest.approx(pressure[0] * slope, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("gas", [1.0, 1e9])
def test_force_and_torque_sum_to_zero(gas):
    body = rings(5, gas=gas)
    force = run(body)[0]
    place = body["position"]
    scale = np.abs(force).sum()
    assert np.abs(force.sum(axis=0)).max() <= 1e-14 * scale
    assert (
        abs((place[:, 0] * force[:, 1] - place[:, 1] * force[:, 0]).sum())
        <= 1e-13 * scale * np.abs(place).max()
    )


def test_orientation_of_the_ring_does_not_matter():
    body = rings(6, gas=3.0)
    turned = body | {"outline": body["outline"].copy(), "orientation": -body["orientation"]}
    for first, last in zip(body["first"], body["last"], strict=True):
        turned["outline"][first:last] = body["outline"][first:last][::-1]
    assert np.allclose(run(body)[0], run(turned)[0], rtol=1e-12)


def test_inside_out_and_flat_rings_are_pushed_open():
    """Area <= 0: the pressure is finite, positive, and its force grows the signed area."""
    for flatten in ((-1.0, 1.0), (0.0, 1.0), (1e-9, 1.0), (-0.3, 1.0)):
        body = rings(7, gas=50.0)
        body["position"] = body["position"] * flatten
        force, area, pressure = run(body)
        assert np.isfinite(force).all()
        assert (pressure > 0).all()
        after = run(body | {"position": body["position"] + 1e-9 * force})[1]
        assert (after >= area).all()


def test_a_ring_of_coincident_points_exerts_no_force():
    body = rings(8, gas=1e8) | {"position": np.ones((16, 2))}
    assert np.array_equal(run(body)[0], np.zeros((16, 2)))


def test_no_gas_exerts_no_force_unless_turned_inside_out():
    body = rings(9, gas=0.0)
    assert np.array_equal(run(body)[0], np.zeros((16, 2)))


def test_fixed_rings_take_the_full_pressure():
    body = rings(10, gas=1e12) | {"inverse_mass": np.zeros(16)}
    force, area, pressure = run(body)
    assert np.isfinite(force).all()
    assert pressure == pytest.approx(body["gas"] * body["gas_share"] / area, rel=1e-9)


@pytest.mark.parametrize("gas", [0.0, 1e-3, 1.0, 1e8])
def test_gas_law_is_smooth_and_never_steeper_than_allowed(gas):
    steepest = 40.0
    areas = np.linspace(-1.0, 3.0, 4001) * (np.sqrt(gas / steepest) or 1.0)
    pressures = np.array([gas_law(area, gas, steepest) for area in areas])
    slopes = np.diff(pressures) / np.diff(areas)
    assert (slopes <= 1e-9).all()
    assert slopes.min() >= -steepest * (1 + 1e-6)
    assert np.abs(np.diff(slopes)).max() <= 0.1 * steepest
