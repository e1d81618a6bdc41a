"""Contacts of firm bodies: masses, impulses and iterations are those of a dense matrix of numpy."""

import numpy as np
import pytest

from ecs_softbody.collision.contacts.contact import ACTIVE_EDGE, CONTACT, ContactArrays, Rows
from ecs_softbody.collision.solve.firm import (
    FirmContacts,
    Firmness,
    iterate_firm,
    spread_pending,
    warm_start_firm,
)
from ecs_softbody.collision.solve.rigid_motion import RIGID_BODY, RIGID_VELOCITY, find_rigid_body
from ecs_softbody.collision.solve.spin import Spins
from ecs_softbody.indices import arange, repeat
from tests.helpers.groups import particles_at

pytestmark = pytest.mark.compiles

SIZES = (5, 7, 6)
STARTS = np.cumsum((0, *SIZES), dtype=np.int64)
COUNT = int(STARTS[-1])
CONTACTS = 9


def bunch(seed, shares):
    """Return contacts of particles of one of three bodies and edges of another, and their active
    edges.
    """
    rng = np.random.default_rng(seed)
    position = rng.normal(size=(COUNT, 2))
    velocity = rng.normal(size=(COUNT, 2))
    inverse_mass = rng.uniform(0.5, 2.0, COUNT)
    edges = np.zeros(CONTACTS, ACTIVE_EDGE)
    records = np.zeros(CONTACTS, CONTACT)
    proxies = np.array([rng.permutation(3)[:2] for _ in range(CONTACTS)], np.int64)
    for edge, (i, j) in zip(edges, proxies, strict=True):
        edge["particle"] = rng.integers(STARTS[i], STARTS[i + 1])
        edge["edge_a"], edge["edge_b"] = STARTS[j] + rng.permutation(SIZES[j])[:2]
        turn = rng.uniform(0, 2 * np.pi)
        edge["normal_x"] = np.cos(turn)
        edge["normal_y"] = np.sin(turn)
    edges["contact"] = arange(CONTACTS)
    edges["edge_fraction"] = rng.uniform(0, 1, CONTACTS)
    edges["torque_arm_x"], edges["torque_arm_y"] = 0.2 * rng.normal(size=(2, CONTACTS))
    edges["normal_impulse"] = rng.uniform(0.5, 1.0, CONTACTS)
    edges["friction_impulse"] = 0.2 * rng.normal(size=CONTACTS)
    edges["friction"] = 0.4
    edges["closing_speed"] = 0.1 * rng.normal(size=CONTACTS)
    for of, row in (("", "particle"), ("_a", "edge_a"), ("_b", "edge_b")):
        edges[f"inverse_mass{of}"] = inverse_mass[edges[row]]
    first = STARTS[:-1].astype(np.uint32)
    last = STARTS[1:].astype(np.uint32)
    rolls = np.ones(3, np.bool_)
    discs = np.zeros(3, np.bool_)
    spins = Spins(rolls, discs, first, last, np.zeros(3, RIGID_BODY), np.zeros((3, 2)))
    for b in range(3):
        find_rigid_body(STARTS[b], STARTS[b + 1], position, velocity, inverse_mass, spins.bodies[b])
    firmness = Firmness(
        np.ones(3), np.array(shares), np.zeros(3, RIGID_VELOCITY), np.zeros(3, RIGID_VELOCITY)
    )
    contacts = ContactArrays(np.zeros((CONTACTS, 3), np.uint32), proxies, records)
    motion = particles_at(position, velocity, inverse_mass=inverse_mass)
    rows = Rows(inverse_mass, np.zeros(COUNT), velocity, *np.zeros((2, COUNT)), COUNT)
    return FirmContacts(contacts, edges, firmness, spins, motion, rows)


def yields(firm):
    """Return what impulses on all particles do to their velocities, (2N, 2N): of each body a share
    as a rigid one.
    """
    whole = np.zeros((2 * COUNT, 2 * COUNT))
    position = firm.motion.position
    mass = 1 / firm.motion.inverse_mass
    for first, last, share in zip(STARTS[:-1], STARTS[1:], firm.firmness.share, strict=True):
        m = mass[first:last]
        away = position[first:last] - np.average(position[first:last], axis=0, weights=m)
        turned = np.column_stack([-away[:, 1], away[:, 0]]).ravel()
        rigid = np.kron(np.ones((last - first, last - first)), np.eye(2)) / m.sum()
        rigid += np.outer(turned, turned) / (m @ (away**2).sum(axis=1))
        here = slice(2 * first, 2 * last)
        whole[here, here] = (1 - share) * np.diag(repeat(1 / m, 2)) + share * rigid
    return whole


def directions(edges):
    """Return where a unit of impulse along and across each normal acts, (2, C, 2N)."""
    found = np.zeros((2, len(edges), COUNT, 2))
    for k, edge in enumerate(edges):
        n = np.array([edge["normal_x"], edge["normal_y"]])
        t = edge["edge_fraction"]
        for way, along in enumerate((n, np.array([-n[1], n[0]]))):
            couple = way * np.array([edge["torque_arm_x"], edge["torque_arm_y"]])
            found[way, k, edge["particle"]] += along
            found[way, k, edge["edge_a"]] += couple - (1 - t) * along
            found[way, k, edge["edge_b"]] += -couple - t * along
    return found.reshape(2, len(edges), -1)


def settle(firm):
    spread_pending(firm.firmness, 0, 3, firm.spins, firm.motion.position, firm.rows.predicted)


@pytest.mark.parametrize("shares", [(0.8, 0.85, 0.3), (0.7, 0.0, 0.5), (0.0, 0.0, 0.6)])
@pytest.mark.parametrize("seed", range(3))
def test_masses_impulses_and_iterations_are_those_of_a_matrix(seed, shares):
    firm = bunch(seed, shares)
    matrix = yields(firm)
    (along, across) = directions(firm.edges)
    normal = firm.edges["normal_impulse"].copy()
    friction = firm.edges["friction_impulse"].copy()
    velocity = firm.rows.predicted.ravel() + matrix @ (normal @ along + friction @ across)
    warm_start_firm(firm)
    masses = (
        1 / np.einsum("ki,ij,kj->k", along, matrix, along),
        1 / np.einsum("ki,ij,kj->k", across, matrix, across),
    )
    assert firm.edges["effective_mass"] == pytest.approx(masses[0], rel=1e-12)
    assert firm.edges["friction_mass"] == pytest.approx(masses[1], rel=1e-12)
    for _ in range(5):
        iterate_firm(firm)
        for k in range(CONTACTS):
            arrived = along[k] @ velocity + firm.edges["closing_speed"][k]
            new = max(normal[k] - masses[0][k] * arrived, 0.0)
            limit = 0.4 * new
            held = np.clip(friction[k] - masses[1][k] * (across[k] @ velocity), -limit, limit)
            velocity = velocity + matrix @ (
                (new - normal[k]) * along[k] + (held - friction[k]) * across[k]
            )
            normal[k] = new
            friction[k] = held
    settle(firm)
    assert firm.edges["normal_impulse"] == pytest.approx(normal, abs=1e-12)
    assert firm.edges["friction_impulse"] == pytest.approx(friction, abs=1e-12)
    assert firm.rows.predicted.ravel() == pytest.approx(velocity, abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_impulses_between_firm_bodies_keep_momentum(seed):
    firm = bunch(seed, (0.85, 0.4, 0.0))
    mass = 1 / firm.motion.inverse_mass
    velocity = firm.rows.predicted
    before = mass @ velocity
    warm_start_firm(firm)
    for _ in range(4):
        iterate_firm(firm)
    settle(firm)
    assert mass @ velocity == pytest.approx(before, abs=1e-12)
