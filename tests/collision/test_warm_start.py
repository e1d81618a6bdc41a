"""Contacts keep their impulses when they are found again: resting bodies then stay at rest."""

import numpy as np
import pytest

from ecs_softbody import Simulation, StaticCollider, blueprints
from ecs_softbody.collision.contacts.contact import CONTACT, ContactArrays
from ecs_softbody.collision.contacts.matching import Chains, link_contacts, match_contacts

WALL_ROW = 64


def carried(old_rows, old_proxies, rows, proxies):
    """Match one contact to another one, which has an impulse of 7; return what arrives."""
    old_records = np.zeros(1, CONTACT)
    records = np.ones(1, CONTACT)
    old_records["normal_impulse"] = 7.0
    old = ContactArrays(np.array([old_rows], np.uint32), np.array([old_proxies]), old_records)
    new = ContactArrays(np.array([rows], np.uint32), np.array([proxies]), records)
    chains = Chains(np.zeros(2 * WALL_ROW, np.int64), np.zeros(1, np.int64))
    link_contacts(old, chains)
    match_contacts(old, new, WALL_ROW, chains)
    nothing = np.zeros(1, CONTACT)
    nothing["speed_left"] = 1.0
    expected = old_records if records["normal_impulse"][0] else nothing
    assert all(records[name] == expected[name] for name in CONTACT.names)
    return records["normal_impulse"][0]


@pytest.mark.slow
def test_a_wall_is_known_again_when_another_body_has_come():
    """Proxies of walls come after those of bodies: with a second body the wall's number is one
    higher.
    """
    wall = (3, WALL_ROW, WALL_ROW + 1)
    assert carried(wall, (0, 1), wall, (0, 2)) == 7.0


@pytest.mark.slow
def test_a_point_that_slid_to_the_next_edge_of_a_body_keeps_its_impulse():
    assert carried((3, 10, 11), (0, 1), (3, 11, 12), (0, 1)) == 7.0


@pytest.mark.compiles
def test_other_walls_and_other_points_start_from_nothing():
    assert (
        carried((3, WALL_ROW, WALL_ROW + 1), (0, 1), (3, WALL_ROW + 1, WALL_ROW + 2), (0, 2)) == 0.0
    )
    assert carried((3, 10, 11), (0, 1), (4, 10, 11), (0, 1)) == 0.0


@pytest.mark.slow
def test_a_box_on_a_slope_stays_while_bodies_come_in_every_frame():
    angle = np.radians(20.0)
    along = np.array((np.cos(angle), np.sin(angle)))
    normal = np.array((-np.sin(angle), np.cos(angle)))
    sim = Simulation()
    box, *rest = blueprints.box(0.5 * normal, 1.0, angle=angle)
    sim.spawn(box, *rest)
    sim.spawn(StaticCollider([-20.0 * along, 20.0 * along]))
    for _ in range(90):
        sim.step()
    start = box.position.mean(axis=0) @ along
    for frame in range(120):
        sim.spawn(*blueprints.ball((50.0 + 2.0 * frame, 5.0), 0.2))
        sim.step()
    assert abs(box.position.mean(axis=0) @ along - start) < 1e-3
