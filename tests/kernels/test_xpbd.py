"""Kernels of the solver XPBD: a dense implicit step as their twin, momentum, edges."""

import numpy as np
import pytest

from ecs_softbody.indices import arange, repeat
from ecs_softbody.kernels.forces.area_constraint import AreaRings
from ecs_softbody.kernels.forces.pressure import GasRings
from ecs_softbody.kernels.forces.rest_directions import unknown_directions
from ecs_softbody.kernels.groups import Motion
from ecs_softbody.kernels.motion.velocity import predict_velocity
from ecs_softbody.kernels.xpbd.angular_springs import (
    BEND,
    ImplicitAngles,
    begin_angular_springs,
    sweep_angular_springs,
)
from ecs_softbody.kernels.xpbd.rings import LAW, Rings, begin_areas, begin_gas, sweep_rings
from ecs_softbody.kernels.xpbd.springs import LINE, ImplicitSprings, begin_springs, sweep_springs
from ecs_softbody.kernels.xpbd.trees import (
    NODE,
    balance_torque,
    begin_forest,
    eliminate_forest,
    find_forest,
    list_links,
    pull_forest,
)

DT = 1 / 480


def state(seed=0, count=7):
    rng = np.random.default_rng(seed)
    return {
        "position": rng.normal(size=(count, 2)),
        "velocity": rng.normal(size=(count, 2)),
        "inverse_mass": 1.0 / rng.uniform(0.01, 3.0, count),
        "force": rng.normal(size=(count, 2)),
    }


def springs(pairs, seed=0, stiffness=1e4):
    rng = np.random.default_rng(seed + 1)
    count = len(pairs)
    return {
        "pairs": np.array(pairs, np.uint32),
        "rest_length": rng.uniform(0.5, 1.5, count),
        "stiffness": stiffness * rng.uniform(0.5, 1.5, count),
        "damping": rng.uniform(0.0, 5.0, count),
        "line": np.zeros(count, LINE),
        "pull": np.zeros((count, 3)),
        "tension": np.zeros(count),
    }


def law_of(links):
    return ImplicitSprings(
        *(links[name] for name in ("pairs", "rest_length", "stiffness", "damping", "tension"))
    )


def begin(now, links, in_forest):
    count = len(links["pairs"])
    begin_springs(
        np.array([(0, count)], np.int64),
        law_of(links),
        Motion(**now),
        np.full(count, in_forest),
        DT,
        links["line"],
        links["pull"],
    )


def sweep(now, links, backwards):
    count = len(links["pairs"])
    in_forest = np.zeros(count, np.bool_)
    sweep_springs(
        np.array([(0, count)], np.int64),
        backwards,
        law_of(links),
        Motion(**now),
        in_forest,
        links["line"],
        DT,
    )


def forest_of(pairs, count):
    first = np.zeros(count + 1, np.int64)
    links = np.zeros(2 * len(pairs), np.int64)
    list_links(pairs, first, links)
    child = np.zeros((len(pairs), 2), np.int64)
    found = find_forest(pairs, first, links, np.zeros((5, count), np.int64), child)
    return child[:found]


def solve_forest(now, links, forest):
    node = np.zeros(len(now["position"]), NODE)
    law = law_of(links)
    line = links["line"]
    pull = links["pull"]
    begin_forest(forest, links["pairs"], Motion(**now), pull, DT, node)
    eliminate_forest(forest, law, line, pull, DT, node)
    return pull_forest(forest, law, line, DT, node, pull, now["force"])


def implicit_step(now, links):
    """The pulls of all springs together, from one dense system: (1 + grip h W) T = k C + grip r."""
    count = len(links["pairs"])
    pairs = links["pairs"].astype(np.int64)
    along = now["position"][pairs[:, 1]] - now["position"][pairs[:, 0]]
    length = np.hypot(*along.T)
    gradient = np.zeros((count, 2 * len(now["position"])))
    for s, (a, b) in enumerate(pairs):
        gradient[s, 2 * a : 2 * a + 2] -= along[s] / length[s]
        gradient[s, 2 * b : 2 * b + 2] += along[s] / length[s]
    weight = repeat(now["inverse_mass"], 2)
    rate = gradient @ (now["velocity"].ravel() + DT * weight * now["force"].ravel())
    grip = links["stiffness"] * DT + links["damping"]
    system = np.eye(count) + DT * grip[:, None] * (gradient * weight) @ gradient.T
    return np.linalg.solve(
        system, links["stiffness"] * (length - links["rest_length"]) + grip * rate
    )


TREE = [(0, 1), (2, 1), (2, 3), (4, 2), (5, 4), (6, 4)]


@pytest.mark.parametrize("stiffness", [0.0, 1e2, 1e8])
@pytest.mark.parametrize("fixed", [(), (0,), (2, 5)])
def test_a_forest_is_solved_as_one_dense_system(stiffness, fixed):
    now = state()
    links = springs(TREE, stiffness=stiffness)
    now["inverse_mass"][list(fixed)] = 0.0
    begin(now, links, True)
    exact = implicit_step(now, links)
    assert not solve_forest(now, links, forest_of(links["pairs"], 7))
    np.testing.assert_allclose(links["tension"], exact, rtol=1e-7, atol=1e-9 * np.abs(exact).max())
    again = links["tension"].copy()
    solve_forest(now, links, forest_of(links["pairs"], 7))
    np.testing.assert_allclose(links["tension"], again, rtol=1e-9, atol=1e-9 * np.abs(again).max())


def test_many_sweeps_end_where_the_dense_system_does():
    pairs = [*TREE, (0, 6), (3, 5), (1, 4)]
    now = state()
    links = springs(pairs, stiffness=1e3)
    begin(now, links, False)
    exact = implicit_step(now, links)
    for _ in range(200):
        sweep(now, links, False)
        sweep(now, links, True)
    np.testing.assert_allclose(links["tension"], exact, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("in_forest", [False, True])
def test_springs_keep_momentum_and_angular_momentum(in_forest):
    now = state()
    links = springs(TREE, stiffness=1e9)
    before = now["force"].copy()
    begin(now, links, in_forest)
    if in_forest:
        solve_forest(now, links, forest_of(links["pairs"], 7))
    else:
        sweep(now, links, False)
        sweep(now, links, True)
    more = now["force"] - before
    place = now["position"]
    assert np.abs(more.sum(axis=0)).max() < 1e-12 * np.abs(more).sum()
    assert (
        abs((place[:, 0] * more[:, 1] - place[:, 1] * more[:, 0]).sum())
        < 1e-12 * np.abs(more).sum()
    )


def test_a_loaded_line_resists_being_turned_and_the_tree_takes_the_torque():
    now = state()
    links = springs(TREE, stiffness=1e4)
    links["tension"][:] = 1e6
    before = now["force"].copy()
    begin(now, links, True)
    assert (links["pull"][:, 2] > 0.0).all()
    forest = forest_of(links["pairs"], 7)
    assert solve_forest(now, links, forest)
    trees = arange(7), np.zeros(7, np.int64)
    balance_torque(forest, links["pairs"], *trees, Motion(**now), links["pull"], np.zeros((1, 6)))
    more = now["force"] - before
    place = now["position"]
    assert np.abs(more.sum(axis=0)).max() < 1e-11 * np.abs(more).sum()
    assert (
        abs((place[:, 0] * more[:, 1] - place[:, 1] * more[:, 0]).sum())
        < 1e-11 * np.abs(more).sum()
    )


def test_forests_are_the_springs_in_no_loop():
    pairs = np.array([(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (5, 6), (5, 6)], np.uint32)
    found = forest_of(pairs, 7)
    assert sorted(found[:, 0]) == [3, 4]
    for spring, child in found:
        assert child in pairs[spring]


def test_coincident_ends_and_infinite_masses_do_nothing():
    now = state()
    links = springs([(0, 1), (2, 3), (4, 4)], stiffness=1e12)
    now["position"][1] = now["position"][0]
    now["inverse_mass"][2:4] = 0.0
    before = now["force"].copy()
    begin(now, links, False)
    sweep(now, links, False)
    np.testing.assert_array_equal(now["force"], before)


def test_a_pull_that_is_no_number_is_forgotten():
    now = state()
    links = springs([(0, 1), (1, 2)])
    links["tension"][:] = np.nan
    begin(now, links, False)
    sweep(now, links, False)
    assert np.isfinite(now["force"]).all()
    assert np.isfinite(links["tension"]).all()


@pytest.mark.parametrize("stiffness", [0.0, 1e3, 1e12])
def test_an_angular_spring_is_one_implicit_step(stiffness):
    now = state(count=3)
    before = now["force"].copy()
    triples = np.array([(0, 1, 2)], np.uint32)
    rest = np.array([0.4])
    arms = np.array([(1.0, 2.0)])
    stiff = np.array([stiffness])
    damp = np.array([0.3])
    bend = np.zeros(1, BEND)
    torque = np.zeros(1)
    active = np.array([(0, 1)], np.int64)
    angles = ImplicitAngles(triples, rest, arms, stiff, damp, torque)
    begin_angular_springs(active, angles, Motion(**now), unknown_directions(1), DT, bend)
    sweep_angular_springs(active, False, angles, Motion(**now), DT, bend)
    first = np.array([bend["gradient_ix"][0], bend["gradient_iy"][0]])
    last = np.array([bend["gradient_kx"][0], bend["gradient_ky"][0]])
    gradient = np.array([first, -first - last, last])
    more = now["force"] - before
    np.testing.assert_allclose(more, torque[0] * gradient, atol=1e-9 * np.abs(more).max())
    rate = (gradient * (now["velocity"] + DT * now["inverse_mass"][:, None] * now["force"])).sum()
    asked = -bend["pull"][0] - (bend["stiffness"][0] * DT + 0.3) * rate
    if abs(torque[0]) < bend["most"][0]:
        assert torque[0] == pytest.approx(asked, rel=1e-4, abs=1e-6 * bend["stiffness"][0] + 1e-9)
    place = now["position"]
    assert (
        abs((place[:, 0] * more[:, 1] - place[:, 1] * more[:, 0]).sum())
        < 1e-10 * np.abs(more).sum()
    )


@pytest.mark.parametrize("orientation", [1.0, -1.0])
@pytest.mark.parametrize("kind", ["gas", "area"])
def test_a_ring_is_one_implicit_step(kind, orientation):
    rng = np.random.default_rng(3)
    row = arange(8)
    place = np.column_stack([np.cos(row * np.pi / 4), orientation * np.sin(row * np.pi / 4)])
    velocity = rng.normal(size=(8, 2))
    inverse_mass = rng.uniform(1.0, 3.0, 8)
    force = np.zeros((8, 2))
    slot = np.array([0], np.int64)
    first = np.array([0], np.uint32)
    last = np.array([8], np.uint32)
    outline = row.astype(np.uint32)
    sign = np.array([orientation])
    law = np.zeros(1, LAW)
    area = np.zeros(1)
    pressure = np.zeros(1)
    motion = Motion(place, velocity, inverse_mass, force)
    if kind == "gas":
        gas = GasRings(
            first,
            last,
            sign,
            np.array([3e3]),
            np.array([100.0]),
            np.ones(1),
            np.ones(1),
            area,
            pressure,
        )
        begin_gas(slot, outline, gas, motion, DT, law)
        slope = 3e3 / area[0] ** 2
        damp = 0.0
        level = 3e3 / area[0] - 100.0
    else:
        spring = np.array([1e5]), np.array([50.0]), np.array([2.5])
        begin_areas(
            slot,
            outline,
            AreaRings(first, last, sign, *spring, area, pressure, np.zeros(1)),
            motion,
            DT,
            law,
        )
        slope = 1e5 / 2.5
        damp = 50.0 / 2.5
        level = 1e5 * (2.5 - area[0]) / 2.5
    sweep_rings(slot, outline, Rings(first, last, sign, pressure), motion, DT, law)
    along = np.roll(place, -1, axis=0) - np.roll(place, 1, axis=0)
    gradient = 0.5 * orientation * np.column_stack([along[:, 1], -along[:, 0]])
    rate = (gradient * (velocity + DT * inverse_mass[:, None] * force)).sum()
    assert area[0] > 0.0
    assert pressure[0] == pytest.approx(level - (slope * DT + damp) * rate, rel=1e-9)
    np.testing.assert_allclose(force, pressure[0] * gradient, atol=1e-9 * abs(pressure[0]))


def test_the_predicted_velocity_is_that_of_all_forces():
    now = state()
    predicted = np.zeros((7, 2))
    predict_velocity(np.array([(0, 7)], np.int64), Motion(**now), DT, predicted)
    np.testing.assert_allclose(
        predicted, now["velocity"] + DT * now["inverse_mass"][:, None] * now["force"]
    )
