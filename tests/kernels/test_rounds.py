"""Iterations of impulses: discs by their own short way, speculative contacts, and what need not be
swept.
"""

import numpy as np
import pytest

from ecs_softbody.collision.contacts.contact import CONTACT, ContactArrays, Rows, Walls
from ecs_softbody.collision.impacts.records import PRESSING, REACTION, Impacts
from ecs_softbody.collision.reflection.approaching import Reflection
from ecs_softbody.collision.solve.active import (
    DISCS,
    EDGES,
    SPECULATIVE,
    ActiveContacts,
    list_disc,
    list_edge,
)
from ecs_softbody.collision.solve.firm import Firmness
from ecs_softbody.collision.solve.partition import BatchArrays
from ecs_softbody.collision.solve.rigid_motion import RIGID_BODY, RIGID_VELOCITY
from ecs_softbody.collision.solve.spin import Spins
from ecs_softbody.collision.solve.stages import SOLVE, Solver, solve_contacts
from ecs_softbody.collision.sweep.ccd import stays_before, stop_at_edge
from ecs_softbody.collision.sweep.corner_ccd import Sweep
from ecs_softbody.indices import arange, flatnonzero
from ecs_softbody.parallel.prepared import PreparedCall
from ecs_softbody.parallel.workers import Workers
from tests.helpers.groups import particles_at

DT = 1.0 / 480.0


def walls_at(vertices, velocity):
    """Vertices, not joined."""
    alone = arange(len(vertices))[:, None, None]
    still = np.zeros(len(vertices))
    return Walls(vertices, velocity, np.tile(alone, (1, 2, 2)), still, still, 0)


def cloud(rng, count=20):
    """Contacts of all discs of a cloud that are near each other: rows, records, velocity, inverse
    mass.
    """
    position = rng.uniform(0, 1.2, (count, 2))
    inverse_mass = 10.0 ** rng.uniform(-1, 1, count)
    first, second = np.triu_indices(count, 1)
    away = position[first] - position[second]
    distance = np.hypot(*away.T)
    near = flatnonzero(distance < 0.45)
    records = np.zeros(len(near), CONTACT)
    records["normal_x"], records["normal_y"] = (away[near] / distance[near, None]).T
    records["separation"] = distance[near] - 0.3
    records["effective_mass"] = 1 / (inverse_mass[first[near]] + inverse_mass[second[near]])
    records["friction_mass"] = records["effective_mass"]
    records["active"] = True
    rows = np.column_stack([first[near], second[near], second[near]]).astype(np.uint32)
    return rows, records, rng.normal(size=(count, 2)), inverse_mass


def no_impacts(contacts):
    """One body that takes no part in the law of impacts."""
    types = dict.fromkeys(("partner", "touched", "touching"), np.int64)
    types |= dict.fromkeys(("takes_part", "is_wall", "loses"), np.bool_)
    types |= {"rigid_motion": RIGID_VELOCITY, "change": RIGID_VELOCITY, "found": RIGID_BODY}
    types |= {"pressing": PRESSING, "reactions": REACTION}
    shapes = {"met": (1, 2), "wall": (1, 2), "reactions": contacts}
    names = [name for name in Impacts.__annotations__ if name != "has_walls"]
    arrays = {name: np.zeros(shapes.get(name, 1), types.get(name, np.float64)) for name in names}
    return Impacts(has_walls=False, **arrays)


def rows_of(inverse_mass, radius, predicted, offset):
    """Rows that do not turn by themselves."""
    still = np.zeros(len(inverse_mass))
    return Rows(inverse_mass, radius, predicted, still, still.copy(), offset)


def solve(rows, records, velocity, inverse_mass, kind, iterations):
    """Return the impulses of contacts that are all listed as `kind`, the forces and the velocities
    of the particles.
    """
    active = ActiveContacts.reserve(len(rows))
    records = records.copy()
    velocity = velocity.copy()
    all_rows = rows_of(inverse_mass, np.full(len(velocity), 0.15), velocity, len(velocity))
    for c in range(len(rows)):
        if kind == DISCS:
            list_disc(rows, records, c, all_rows, 1.0 / DT, active.discs, c)
        elif kind == EDGES:
            list_edge(rows, records, c, all_rows, 1.0 / DT, active.edges, c)
        else:
            active.speculative[c] = c
    active.counts[0, kind] = len(rows)
    count = len(rows)
    nothing = np.zeros((0, 2), np.int64)
    batches = BatchArrays(
        np.array([0, count, count], np.int64), nothing, np.zeros(2, np.int64), np.zeros(2, np.int64)
    )
    particles = particles_at(np.zeros_like(velocity), velocity.copy(), inverse_mass=inverse_mass)
    contacts = ContactArrays(rows, np.zeros((count, 2), np.int64), records)
    walls = walls_at(*np.zeros((2, 0, 2)))
    bodies = np.zeros(1, np.uint32)
    spins = Spins(
        *np.zeros((2, 1), np.bool_), bodies, bodies, np.zeros(1, RIGID_BODY), np.zeros((1, 2))
    )
    impacts = no_impacts(count)
    firmness = Firmness(
        np.zeros(1), np.zeros(1), np.zeros(1, RIGID_VELOCITY), np.zeros(1, RIGID_VELOCITY)
    )
    reflection = Reflection.reserve(
        len(velocity), count, np.zeros_like(velocity), np.zeros(len(velocity))
    )
    solver = Solver(
        batches,
        contacts,
        active,
        particles,
        walls,
        all_rows,
        spins,
        impacts,
        firmness,
        reflection,
        np.zeros(2),
        np.zeros(2),
    )
    call = PreparedCall(solve_contacts)
    call.bind(solver)
    Workers().run_alone(call, SOLVE, iterations, DT, np.inf)
    return records["normal_impulse"], particles.force, velocity


@pytest.mark.parametrize("seed", range(8))
def test_discs_get_the_impulses_of_edges_without_length(seed):
    """Both ways solve the same problem, in another order; so they agree when there are iterations
    enough.

    Each stops when an iteration changes no velocity by more than 5 mm/s; the contacts change them
    by 1.5 m/s and more.
    """
    rows, records, velocity, inverse_mass = cloud(np.random.default_rng(seed))
    as_discs, force, after = solve(rows, records, velocity, inverse_mass, DISCS, 500)
    _, force_of_edges, after_edges = solve(rows, records, velocity, inverse_mass, EDGES, 500)
    assert np.abs(after - velocity).max() > 1.5
    assert after == pytest.approx(after_edges, abs=0.01)
    assert DT * inverse_mass[:, None] * force == pytest.approx(
        DT * inverse_mass[:, None] * force_of_edges, abs=0.01
    )
    assert (as_discs > 0.0).sum() > 3
    one = rows[:1], records[:1], velocity, inverse_mass
    assert solve(*one, DISCS, 1)[0] == pytest.approx(solve(*one, EDGES, 1)[0], rel=1e-14)


@pytest.mark.parametrize("kind", [DISCS, EDGES])
@pytest.mark.parametrize("seed", range(4))
def test_forces_are_the_change_of_velocity_and_sum_to_zero(kind, seed):
    rows, records, velocity, inverse_mass = cloud(np.random.default_rng(seed))
    impulse, force, after = solve(rows, records, velocity, inverse_mass, kind, 4)
    assert (impulse >= 0.0).all()
    assert np.abs(force.sum(axis=0)).max() < 1e-12 * np.abs(force).sum()
    assert after - velocity == pytest.approx(DT * inverse_mass[:, None] * force, abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_speculative_contacts_that_would_close_too_far_are_solved_after_all(seed):
    rows, records, velocity, inverse_mass = cloud(np.random.default_rng(seed))
    records["separation"] = np.maximum(records["separation"], 0.0)
    from_speculative, force, _ = solve(rows, records, velocity, inverse_mass, SPECULATIVE, 4)
    impulse, expected, _ = solve(rows, records, velocity, inverse_mass, DISCS, 4)
    assert (impulse > 0.0).any()
    assert from_speculative == pytest.approx(impulse, rel=1e-14)
    assert force == pytest.approx(expected, rel=1e-14)


def test_speculative_contacts_that_stay_apart_forget_their_impulse():
    rows, records, velocity, inverse_mass = cloud(np.random.default_rng(0))
    records["separation"] = 1.0
    records["normal_impulse"] = 2.0
    impulse, force, _ = solve(rows, records, velocity, inverse_mass, SPECULATIVE, 4)
    assert not impulse.any()
    assert not force.any()


@pytest.mark.parametrize(
    ("last", "before", "start"),
    [(2.0, 2.0, 2.0), (2.0, 1.9, 2.0), (1.0, 8.0, 1.0), (8.0, 0.0, 0.0), (8.0, 1.0, 1.25)],
)
def test_discs_start_from_the_last_impulse_unless_that_has_jumped_and_edges_from_the_smaller_one(
    last, before, start
):
    rows, records, _, inverse_mass = cloud(np.random.default_rng(0))
    active = ActiveContacts.reserve(1)
    contact = records[0]
    contact["normal_impulse"] = last
    contact["previous_impulse"] = before
    contact["friction_impulse"] = 0.5 * last
    thickness = np.full(len(inverse_mass), 0.15)
    still = np.zeros((len(inverse_mass), 2))
    all_rows = rows_of(inverse_mass, thickness, still, len(inverse_mass))
    list_disc(rows, records, 0, all_rows, 1.0 / DT, active.discs, 0)
    list_edge(rows, records, 0, all_rows, 1.0 / DT, active.edges, 0)
    assert active.discs[0]["normal_impulse"] == start
    assert active.edges[0]["normal_impulse"] == min(last, before)


@pytest.mark.compiles
@pytest.mark.parametrize("seed", range(6))
def test_what_stays_before_an_edge_is_not_stopped_by_it(seed):
    """Whatever is left out of the sweep would not have been changed by it: thick, moving and short
    edges.
    """
    rng = np.random.default_rng(seed)
    passed = 0
    for _ in range(400):
        vertices = rng.normal(size=(2, 2))
        speed = np.tile(rng.normal(size=2), (2, 1)) * rng.choice([0.0, 30.0])
        previous = rng.normal(size=(1, 2))
        radius = rng.uniform(0.001, 0.2)
        thickness = rng.choice([0.0, 0.3])
        position = previous + rng.normal(size=(1, 2)) * 10.0 ** rng.uniform(-3, 0.5)
        velocity = np.zeros((1, 2))
        start = vertices - DT * speed  # where the edge was when the gap was measured
        edge = start[1] - start[0]
        along = np.clip((previous[0] - start[0]) @ edge / (edge @ edge), 0.0, 1.0)
        gap = np.hypot(*(previous[0] - start[0] - along * edge)) - radius - thickness
        rows = rows_of(np.ones(3), np.array([radius, thickness, thickness]), np.zeros((3, 2)), 1)
        sweep = Sweep(
            particles_at(position, velocity, previous), walls_at(vertices, speed), rows, DT
        )
        if not stays_before(0, 1, 2, gap + radius, sweep):
            continue
        passed += 1
        kept = position.copy()
        stopped = stop_at_edge(0, 1, 2, 0.5, sweep, 0)
        assert not stopped
        assert (position == kept).all()
    assert passed > 100
