"""Contacts keep their impulses when they are found again: resting bodies then stay at rest."""

import numpy as np

from ecs_softbody import Simulation, StaticCollider, blueprints
from ecs_softbody.collision import response
from ecs_softbody.collision.contacts import carry_over, link_contacts

WALL_ROW = 64


def carried(old_rows, old_items, rows, items):
    """Carry an impulse of 7 over from one contact to another; return what arrives."""
    old_data, data = np.zeros((1, response.COLUMNS)), np.ones((1, response.COLUMNS))
    old_data[0, response.IMPULSE] = 7.0
    old = np.array([old_rows], np.uint32)
    head, following = np.zeros(2 * WALL_ROW, np.int64), np.zeros(1, np.int64)
    link_contacts(old, old_data, head, following)
    carry_over(
        old, np.array([old_items]), old_data, np.array([rows], np.uint32), np.array([items]), data, WALL_ROW, head,
        following,
    )  # fmt: skip
    return data[0, response.IMPULSE]


def test_a_wall_is_known_again_when_another_body_has_come():
    """Items of walls come after those of bodies: with a second body the wall's number is one higher."""
    wall = (3, WALL_ROW, WALL_ROW + 1)
    assert carried(wall, (0, 1), wall, (0, 2)) == 7.0


def test_a_point_that_slid_to_the_next_edge_of_a_body_keeps_its_impulse():
    assert carried((3, 10, 11), (0, 1), (3, 11, 12), (0, 1)) == 7.0


def test_other_walls_and_other_points_start_from_nothing():
    assert carried((3, WALL_ROW, WALL_ROW + 1), (0, 1), (3, WALL_ROW + 1, WALL_ROW + 2), (0, 2)) == 0.0
    assert carried((3, 10, 11), (0, 1), (4, 10, 11), (0, 1)) == 0.0


def test_a_box_on_a_slope_stays_while_bodies_come_in_every_frame():
    angle = np.radians(20.0)
    along, normal = np.array((np.cos(angle), np.sin(angle))), np.array((-np.sin(angle), np.cos(angle)))
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
