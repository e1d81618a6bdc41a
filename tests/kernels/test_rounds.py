"""Rounds of impulses: discs by their own short way, contacts that are idle at first, and what need not be swept."""

import numpy as np
import pytest

from ecs_softbody.collision import response
from ecs_softbody.collision.block_rounds import solve_blocks
from ecs_softbody.collision.busy import DISCS, EDGES, IDLE, PUSH, Busy, list_disc, list_edge
from ecs_softbody.collision.sweep import stays_before, stop_at_edge
from ecs_softbody.kernels.workers import Workers

DT = 1.0 / 480.0


def cloud(rng, count=20):
    """Contacts of all discs of a cloud that are near each other: rows, data, velocity, inverse mass."""
    place, weight = rng.uniform(0, 1.2, (count, 2)), 10.0 ** rng.uniform(-1, 1, count)
    first, second = np.triu_indices(count, 1)
    away = place[first] - place[second]
    distance = np.hypot(*away.T)
    near = np.flatnonzero(distance < 0.45)
    data = np.zeros((len(near), response.COLUMNS))
    data[:, [response.NORMAL_X, response.NORMAL_Y]] = away[near] / distance[near, None]
    data[:, response.GAP] = distance[near] - 0.3
    data[:, response.WEIGHT] = data[:, response.FRICTION_WEIGHT] = 1 / (weight[first[near]] + weight[second[near]])
    data[:, response.ACTIVE] = 1.0
    rows = np.column_stack([first[near], second[near], second[near]]).astype(np.uint32)
    return rows, data, rng.normal(size=(count, 2)), weight


def solve(rows, data, velocity, weight, kind, iterations):
    """Return the impulses of contacts that are all listed as DISCS, EDGES or IDLE, and the forces on the particles."""
    busy, data, velocity, force = Busy(), data.copy(), velocity.copy(), np.zeros_like(velocity)
    busy.reserve(len(rows))
    for c in range(len(rows)):
        if kind == DISCS:
            list_disc(rows, data, c, weight, 1.0 / DT, busy.disc_rows, busy.discs, c)
        elif kind == EDGES:
            list_edge(rows, data, c, weight, 1.0 / DT, busy.edge_rows, busy.edges, c)
        else:
            busy.idle[c] = c
    busy.counts[0, kind] = len(rows)
    Workers().run_alone(
        solve_blocks, np.array([0, len(rows), len(rows)]), rows, data, velocity, weight, len(velocity), DT, iterations,
        busy.disc_rows, busy.discs, busy.edge_rows, busy.edges, busy.idle, busy.counts, busy.change, force,
    )  # fmt: skip
    return data[:, response.IMPULSE], force, velocity


@pytest.mark.parametrize("seed", range(4))
def test_discs_get_the_impulses_of_edges_without_length(seed):
    """Both ways solve the same problem, in another order; so they agree when there are rounds enough."""
    rows, data, velocity, weight = cloud(np.random.default_rng(seed))
    as_discs, force, after = solve(rows, data, velocity, weight, DISCS, 500)
    _, force_of_edges, after_edges = solve(rows, data, velocity, weight, EDGES, 500)
    assert after == pytest.approx(after_edges, abs=0.1)
    assert force == pytest.approx(force_of_edges, abs=0.1 / weight.min() / DT)
    assert (as_discs > 0.0).sum() > 3
    one = rows[:1], data[:1], velocity, weight
    assert solve(*one, DISCS, 1)[0] == pytest.approx(solve(*one, EDGES, 1)[0], rel=1e-14)


@pytest.mark.parametrize("kind", [DISCS, EDGES])
@pytest.mark.parametrize("seed", range(4))
def test_forces_are_the_change_of_velocity_and_sum_to_zero(kind, seed):
    rows, data, velocity, weight = cloud(np.random.default_rng(seed))
    impulse, force, after = solve(rows, data, velocity, weight, kind, 4)
    assert (impulse >= 0.0).all()
    assert np.abs(force.sum(axis=0)).max() < 1e-12 * np.abs(force).sum()
    assert after - velocity == pytest.approx(DT * weight[:, None] * force, abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_idle_contacts_that_would_pass_their_gap_are_solved_after_all(seed):
    rows, data, velocity, weight = cloud(np.random.default_rng(seed))
    data[:, response.GAP] = np.maximum(data[:, response.GAP], 0.0)
    from_idle, force, _ = solve(rows, data, velocity, weight, IDLE, 4)
    impulse, expected, _ = solve(rows, data, velocity, weight, DISCS, 4)
    assert (impulse > 0.0).any()
    assert from_idle == pytest.approx(impulse, rel=1e-14)
    assert force == pytest.approx(expected, rel=1e-14)


def test_idle_contacts_that_stay_apart_forget_their_impulse():
    rows, data, velocity, weight = cloud(np.random.default_rng(0))
    data[:, response.GAP], data[:, response.IMPULSE] = 1.0, 2.0
    impulse, force, _ = solve(rows, data, velocity, weight, IDLE, 4)
    assert not impulse.any()
    assert not force.any()


@pytest.mark.parametrize(
    ("last", "before", "start"), [(2.0, 2.0, 2.0), (2.0, 1.9, 2.0), (1.0, 8.0, 1.0), (8.0, 0.0, 0.0), (8.0, 1.0, 1.25)]
)
def test_discs_start_from_the_last_impulse_unless_that_has_jumped_and_edges_from_the_smaller_one(last, before, start):
    rows, data, _, weight = cloud(np.random.default_rng(0))
    busy = Busy()
    busy.reserve(1)
    data[0, [response.IMPULSE, response.IMPULSE_BEFORE, response.FRICTION_IMPULSE]] = last, before, 0.5 * last
    list_disc(rows, data, 0, weight, 1.0 / DT, busy.disc_rows, busy.discs, 0)
    list_edge(rows, data, 0, weight, 1.0 / DT, busy.edge_rows, busy.edges, 0)
    assert busy.discs[0, PUSH] == start
    assert busy.edges[0, PUSH] == min(last, before)


@pytest.mark.parametrize("seed", range(6))
def test_what_stays_before_an_edge_is_not_stopped_by_it(seed):
    """Whatever is left out of the sweep would not have been changed by it: thick, moving and short edges."""
    rng, passed = np.random.default_rng(seed), 0
    for _ in range(400):
        vertices, speed = rng.normal(size=(2, 2)), np.tile(rng.normal(size=2), (2, 1)) * rng.choice([0.0, 30.0])
        previous, radius, thickness = rng.normal(size=(1, 2)), rng.uniform(0.001, 0.2), rng.choice([0.0, 0.3])
        position, velocity = previous + rng.normal(size=(1, 2)) * 10.0 ** rng.uniform(-3, 0.5), np.zeros((1, 2))
        start = vertices - DT * speed  # where the edge was when the gap was measured
        edge = start[1] - start[0]
        along = np.clip((previous[0] - start[0]) @ edge / (edge @ edge), 0.0, 1.0)
        gap = np.hypot(*(previous[0] - start[0] - along * edge)) - radius - thickness
        if not stays_before(0, 0, 1, gap + radius, speed, DT, position, previous):
            continue
        passed += 1
        kept = position.copy()
        stopped = stop_at_edge(
            0, 0, 1, vertices, speed, radius, thickness, 0.5, DT, position, velocity, previous, 0
        )  # fmt: skip
        assert not stopped
        assert (position == kept).all()
    assert passed > 100
