"""Which things touch, and what the contact report says."""

import numpy as np
import pytest

from ecs_softbody import ALL, Collider, Particles, Simulation, Springs, StaticCollider, blueprints
from ecs_softbody.collision.detect.filters import is_attached, key_of
from ecs_softbody.elementary.rows import distinct
from ecs_softbody.indices import arange
from tests.helpers.stepping import run_frames


def drop(category=1, mask=ALL, *, ground_category=1, ground_mask=ALL):
    """Height of a disc two seconds after it fell on the ground, or through it."""
    sim = Simulation()
    body = Particles([(0, 1)], radius=0.2)
    sim.spawn(body, Collider(category=category, mask=mask))
    sim.spawn(StaticCollider([(-5, 0), (5, 0)], category=ground_category, mask=ground_mask))
    run_frames(sim, 120)
    return body.position[0, 1]


@pytest.mark.brief(3)
@pytest.mark.parametrize(
    ("filters", "touches"),
    [
        ({}, True),
        ({"category": 2, "ground_mask": 1}, False),
        ({"category": 3, "ground_mask": 1}, True),
        ({"mask": 2}, False),
        ({"mask": 2, "ground_category": 2}, True),
        ({"mask": 0}, False),
        ({"category": 0}, False),
        ({"category": 1 << 31, "ground_mask": 1 << 31}, True),
    ],
)
def test_both_masks_must_have_a_bit_of_the_other_category(filters, touches):
    assert (drop(**filters) > 0.0) == touches


@pytest.mark.parametrize("touching", [False, True])
def test_filters_between_bodies(touching):
    sim = Simulation(gravity=(0, 0))
    bodies = [
        Particles([(-1, 0)], velocity=(3, 0), radius=0.2),
        Particles([(1, 0)], velocity=(-3, 0), radius=0.2),
    ]
    for body in bodies:
        sim.spawn(body, Collider(category=4, mask=ALL if touching else ALL & ~4))
    run_frames(sim, 40)
    assert (bodies[0].position[0, 0] < bodies[1].position[0, 0]) == touching


def test_a_filter_may_change_while_it_runs():
    sim = Simulation()
    body = Particles([(0, 0.2)], radius=0.2)
    collider = Collider()
    sim.spawn(body, collider)
    sim.spawn(StaticCollider([(-5, 0), (5, 0)]))
    run_frames(sim, 30)
    assert body.position[0, 1] > 0.19
    collider.mask = 0
    run_frames(sim, 30)
    assert body.position[0, 1] < -0.5


def test_bodies_without_a_collider_touch_nothing():
    sim = Simulation()
    body = Particles([(0, 1)], radius=0.2)
    sim.spawn(body)
    sim.spawn(StaticCollider([(-5, 0), (5, 0)]))
    sim.spawn(*blueprints.ball((3, 1), 0.2))
    run_frames(sim, 60)
    assert body.position[0, 1] < -3


def folding_rope(*, self_collision):
    """A rope of discs whose ends move towards each other; how close they come."""
    sim = Simulation(gravity=(0, 0))
    body = Particles([(0, 0), (0.5, 0.5), (1, 0.7), (1.5, 0.5), (2, 0)], radius=0.2)
    body.velocity[0] = (2, 0)
    body.velocity[-1] = (-2, 0)
    sim.spawn(
        body,
        Springs([(k, k + 1) for k in range(4)], stiffness=0.1),
        Collider(self_collision=self_collision),
    )
    closest = np.inf
    for _ in range(60):
        sim.step()
        closest = min(closest, np.hypot(*(body.position[-1] - body.position[0])))
    return closest


def test_self_collision_of_discs():
    assert folding_rope(self_collision=False) < 0.1
    assert folding_rope(self_collision=True) > 0.39


def test_self_collision_of_an_outline():
    """A long flat ring whose middle is pressed together: its two sides meet, or pass."""

    def gap(*, self_collision):
        sim = Simulation(gravity=(0, 0))
        bottom = [(x, 0.0) for x in np.linspace(0, 3, 7)]
        ring = bottom + [(x, 1.0) for x in np.linspace(3, 0, 7)]
        body = Particles(ring, radius=0.05)
        rows = arange(14)
        sim.spawn(
            body,
            Springs(np.column_stack([rows, np.roll(rows, -1)]), stiffness=20.0),
            Collider(outline=rows, self_collision=self_collision),
        )
        body.velocity[2:5, 1] = 3.0
        body.velocity[9:12, 1] = -3.0
        least = np.inf
        for _ in range(40):
            sim.step()
            least = min(least, body.position[10, 1] - body.position[3, 1])
        return least

    assert gap(self_collision=False) < -0.1
    assert gap(self_collision=True) > 0.08


def test_contacts_at_rest_report_the_weight():
    """Entities, row, normal, point, gap; the impulse of a frame is m g dt."""
    sim = Simulation()
    sim.spawn(Particles([(9, 9)]))
    body = Particles([(5, 0), (0, 0.2)], radius=[0.0, 0.2], mass=[1.0, 3.0], pinned=[True, False])
    entity = sim.spawn(body, Collider())
    ground = sim.spawn(StaticCollider([(-2, 0), (2, 0)]))
    run_frames(sim, 120)
    contacts = sim.contacts
    assert len(contacts) == 1
    assert (contacts.entity_a[0], contacts.entity_b[0], contacts.row_a[0]) == (entity, ground, 1)
    assert contacts.normal[0] == pytest.approx((0, 1), abs=1e-9)
    assert contacts.point[0] == pytest.approx((0, 0), abs=2e-3)
    assert contacts.impulse[0] == pytest.approx(3.0 * 9.81 / 60, rel=0.01)
    assert abs(contacts.gap[0]) < 2e-3


def test_contacts_seen_from_either_side():
    sim = Simulation()
    body = Particles([(0, 0.2)], radius=0.2)
    entity = sim.spawn(body, Collider())
    ground = sim.spawn(StaticCollider([(-2, 0), (2, 0)]))
    run_frames(sim, 30)
    ours = sim.contacts.of(entity)
    theirs = sim.contacts.of(ground)
    assert ours.entity_a[0] == theirs.entity_b[0] == entity
    assert theirs.normal[0] == pytest.approx(-ours.normal[0])
    assert (ours.row_a[0], theirs.row_b[0]) == (0, 0)
    assert len(sim.contacts.of(12345)) == 0


def test_contacts_of_a_blob_carry_its_weight_together():
    # asleep it would keep the impulse of one moment of its last swing
    sim = Simulation(sleeping=False)
    entity = sim.spawn(*blueprints.blob((0, 0.6), 0.5, mass=2.0))
    sim.spawn(StaticCollider([(-5, 0), (5, 0)]))
    run_frames(sim, 300)
    upward = []
    for _ in range(30):
        sim.step()
        contacts = sim.contacts.of(entity)
        upward.append((contacts.impulse * contacts.normal[:, 1]).sum())
        assert len(contacts) >= 1
    assert np.mean(upward) == pytest.approx(2.0 * 9.81 / 60, rel=0.02)


def test_contacts_between_two_bodies_name_both():
    sim = Simulation(gravity=(0, 0))
    pair = []
    for side in (-1, 1):
        body = Particles([(side, 0)], velocity=(-3.0 * side, 0), radius=0.3)
        pair.append(sim.spawn(body, Collider()))
    seen = set()
    total = 0.0
    for _ in range(60):
        sim.step()
        for a, b, impulse, normal in zip(
            sim.contacts.entity_a,
            sim.contacts.entity_b,
            sim.contacts.impulse,
            sim.contacts.normal,
            strict=True,
        ):
            seen.add(frozenset((int(a), int(b))))
            total += impulse
            assert abs(normal[0]) == pytest.approx(1.0)
    assert seen == {frozenset(pair)}
    assert total == pytest.approx(3.0, rel=1e-6), "m v of each is stopped"


def test_no_contacts_before_the_first_step_and_none_after_the_last_entity():
    sim = Simulation()
    assert len(sim.contacts) == 0
    entity = sim.spawn(*blueprints.ball((0, 0.2), 0.2))
    ground = sim.spawn(StaticCollider([(-2, 0), (2, 0)]))
    run_frames(sim, 10)
    assert len(sim.contacts) == 1
    sim.despawn(entity)
    sim.despawn(ground)
    sim.step()
    assert len(sim.contacts) == 0


def test_contacts_can_be_read_after_an_entity_was_deleted():
    """The report of the last frame stays readable when a game deletes bodies because of it."""
    sim = Simulation()
    balls = [sim.spawn(*blueprints.ball((k, 0.2), 0.2)) for k in range(4)]
    sim.spawn(StaticCollider([(-2, 0), (9, 0)]))
    run_frames(sim, 10)
    assert len(sim.contacts) == 4
    for entity in balls[:2]:
        sim.despawn(entity)
    assert len(sim.contacts) == 4
    sim.spawn(*blueprints.blob((0, 5), 0.5))
    assert len(sim.contacts) == 4
    sim.step()
    assert set(sim.contacts.entity_a) == set(balls[2:])


@pytest.mark.parametrize("joined", [0, 1, 5, 60])
@pytest.mark.parametrize("count", [0, 1, 40])
def test_attached_pairs_are_those_whose_key_is_among_the_keys(joined, count):
    chance = np.random.default_rng(100 * joined + count)
    keys = distinct(key_of(chance.integers(0, 9, joined), chance.integers(0, 9, joined)))
    # the last two proxies are walls
    pairs = chance.integers(0, 14, (count, 2))
    bodies = chance.permutation(12)
    expected = [
        second < 12 and key_of(bodies[first % 12], bodies[second]) in keys
        for first, second in pairs.tolist()
    ]
    pairs[:, 0] %= 12
    assert is_attached(pairs, bodies, keys).tolist() == expected


def test_a_wall_is_touched_at_its_surface_not_in_its_middle():
    """What lies on a disc of a single vertex touches it a radius away from that."""
    radius = 2.0
    sim = Simulation(gravity=(0.0, -9.81))
    sim.spawn(StaticCollider([(0, 0)], radius=radius, friction=1.0))
    box = blueprints.box((0.0, radius + 0.45), 0.8, mass=1.0)
    sim.spawn(*box)
    run_frames(sim, 60)
    assert len(sim.contacts)
    away = np.hypot(*sim.contacts.point.T)
    assert away == pytest.approx(np.full(len(away), radius), abs=0.03)
