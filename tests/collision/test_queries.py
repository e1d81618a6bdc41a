"""Rays, points, regions and nearest particles: exact cases, and what may be asked when."""

from __future__ import annotations

import math

import esper
import numpy as np
import pytest

from ecs_softbody import ALL, Collider, Hit, Particles, Simulation, StaticCollider, blueprints

SQUARE = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])


def ring(center=(0, 0), size=1.0, radius=0.1, **options):
    return Particles(size * SQUARE + center, radius=radius), Collider(outline=range(4), **options)


def disc(center, radius, **options):
    return Particles([center], radius=radius), Collider(**options)


def test_a_ray_meets_the_nearest_thing_and_tells_all_about_it():
    sim = Simulation()
    near = sim.spawn(*ring((4, 0)))
    sim.spawn(*ring((8, 0)))
    wall = sim.spawn(StaticCollider([(12, 5), (12, 1), (12, -5)]))
    assert sim.raycast((0, 0.5), (20, 0.5)) == Hit(near, (3, 0), (2.9, 0.5), (-1.0, 0.0), 2.9)
    assert sim.raycast((0, 3), (20, 3)) == Hit(wall, (0, 1), (12.0, 3.0), (-1.0, 0.0), 12.0)
    assert sim.raycast((0, 9), (20, 9)) is None
    assert sim.raycast((0, 0.5), (2.8, 0.5)) is None, "the ray ends before it"


def test_a_ray_of_some_thickness_is_a_disc():
    sim = Simulation()
    ball = sim.spawn(*disc((4, 0), 0.5))
    assert sim.raycast((0, 0.7), (9, 0.7)) is None
    hit = sim.raycast((0, 0.7), (9, 0.7), radius=0.5)
    assert hit.distance == pytest.approx(4 - math.sqrt(1 - 0.49))
    assert (hit.entity, hit.rows) == (ball, (0, 0))
    assert hit.normal == pytest.approx((-math.sqrt(1 - 0.49), 0.7))
    assert math.dist(hit.point, (4, 0)) == pytest.approx(0.5)


def test_all_that_a_ray_meets_comes_by_distance_each_once():
    sim = Simulation()
    far = sim.spawn(*ring((8, 0)))
    near = sim.spawn(*ring((4, 0)))
    between = sim.spawn(StaticCollider([(6, -1), (6, 1)]))
    hits = sim.raycast_all((0, 0.5), (20, 0.5))
    assert [hit.entity for hit in hits] == [near, between, far]
    assert [hit.distance for hit in hits] == pytest.approx([2.9, 6.0, 6.9])
    assert [hit.entity for hit in sim.raycast_all((20, 0.5), (0, 0.5))] == [far, between, near]


def test_equally_far_things_come_by_number():
    sim = Simulation()
    entities = [sim.spawn(StaticCollider([(3, -1), (3, 1)])), sim.spawn(*disc((3.5, 0), 0.5))]
    entities.append(sim.spawn(StaticCollider([(3, -2), (3, 2)])))
    assert [hit.entity for hit in sim.raycast_all((0, 0), (9, 0))] == entities
    assert sim.raycast((0, 0), (9, 0)).entity == entities[0]


def test_a_ray_from_inside_meets_the_skin_from_inside():
    """Nothing has a side: the normal points to where the ray came from.

    `ignore` skips the body that asks.
    """
    sim = Simulation()
    body = sim.spawn(*ring())
    wall = sim.spawn(StaticCollider([(5, -1), (5, 1)]))
    assert sim.raycast((0, 0), (9, 0)) == Hit(body, (1, 2), (0.9, 0.0), (-1.0, 0.0), 0.9)
    assert sim.raycast((0, 0), (9, 0), ignore=body).entity == wall
    assert sim.raycast((0, 0), (9, 0), ignore=[body, wall]) is None


@pytest.mark.parametrize(("x", "normal"), [(1.05, (1, 0)), (0.95, (-1, 0)), (1.0, (-1, 0))])
def test_a_ray_that_starts_in_the_thickness_meets_it_at_once(x, normal):
    sim = Simulation()
    sim.spawn(*ring())
    hit = sim.raycast((x, 0), (9, 0))
    assert (hit.distance, hit.normal) == (0.0, normal)


@pytest.mark.parametrize("inner", [0.2, 0.0])
def test_edges_whose_ends_have_different_radii(inner):
    """The surface of a thick edge goes evenly from one radius to the other: v = r_a + m u."""
    sim = Simulation()
    sim.spawn(
        Particles([(0, 0), (4, 0), (2, -9)], radius=[1.0, inner, 0.0]), Collider(outline=range(3))
    )
    least = max(inner, 0.001)
    for u in (0.0, 1.0, 2.5, 3.9):
        hit = sim.raycast((u, 5), (u, 0))
        assert hit.point == pytest.approx((u, 1 + (least - 1) * u / 4))
    assert sim.raycast((-5, 0), (5, 0)).distance == pytest.approx(4.0)
    assert sim.raycast((9, 0), (2, 0)).distance == pytest.approx(5.0 - least)


def test_a_point_is_held_by_outlines_discs_and_thick_walls():
    sim = Simulation()
    body = sim.spawn(*ring())
    inner = sim.spawn(*disc((0.5, 0), 0.2))
    wall = sim.spawn(StaticCollider([(0.5, -9), (0.5, 9)], radius=0.05))
    room = sim.spawn(StaticCollider(SQUARE * 5, closed=True, radius=0.1))
    hits = sim.point_query((0.52, 0.0))
    assert [hit.entity for hit in hits] == [body, inner, wall]
    assert [hit.distance for hit in hits] == pytest.approx([-0.58, -0.18, -0.03])
    assert hits[0] == Hit(body, (1, 2), pytest.approx((1.1, 0.0)), (1.0, 0.0), pytest.approx(-0.58))
    assert sim.point_query((3, 3)) == []
    assert [hit.entity for hit in sim.point_query((5.05, 3))] == [room]


def test_a_point_query_with_a_radius_finds_what_is_near():
    """For an explosion: everything within 2 m, how far its surface is, and which way to push."""
    sim = Simulation()
    near = sim.spawn(*disc((1, 0), 0.5))
    sim.spawn(*disc((3, 0), 0.5))
    hits = sim.point_query((0, 0), radius=2.0)
    assert hits == [Hit(near, (0, 0), (0.5, 0.0), (-1.0, 0.0), 0.5)]
    assert (
        len(sim.point_query((0, 0), radius=2.6))
        == len(sim.point_query((0, 0), radius=math.inf))
        == 2
    )


def test_a_region_finds_shapes_not_boxes():
    """A diagonal wall whose box covers the region, a ring around it, a ring inside it, and one at a
    corner.
    """
    sim = Simulation()
    sim.spawn(StaticCollider([(-3, -1), (1, 3)]))
    around = sim.spawn(*ring((0, 0), 9.0))
    inside = sim.spawn(*ring((0.5, 0.5), 0.1))
    sim.spawn(StaticCollider(SQUARE * 9, closed=True))
    at_the_corner = sim.spawn(*disc((1.6, 1.6), 0.9))
    sim.spawn(*disc((1.7, -0.7), 0.9))
    assert sim.region_query((0, 0), (1, 1)) == [around, inside, at_the_corner]


def test_the_nearest_particle():
    sim = Simulation()
    loose = sim.spawn(Particles([(5, 5), (3, 0)]))
    body = sim.spawn(*ring((0, 0), category=4))
    assert sim.nearest_particle((2.5, 0.0)) == Hit(loose, (1, 1), (3.0, 0.0), (-1.0, 0.0), 0.5)
    assert sim.nearest_particle((2.5, 0.0), mask=4).entity == body
    assert sim.nearest_particle((2.5, 0.0), ignore=loose).rows in [(1, 1), (2, 2)]
    assert sim.nearest_particle((2.5, 0.0), max_distance=0.4) is None
    assert sim.nearest_particle((3.0, 0.0), max_distance=0.0).distance == 0.0
    assert sim.nearest_particle((2.5, 0.0), mask=2) is None


# What counts


def test_filters_and_sensors():
    sim = Simulation()
    plain = sim.spawn(*disc((2, 0), 0.5))
    special = sim.spawn(*disc((4, 0), 0.5, category=1 << 31))
    sensor = sim.spawn(StaticCollider(SQUARE + np.array((6, 0)), closed=True, sensor=True))
    foggy = sim.spawn(*disc((8, 0), 0.5, sensor=True))

    def met(**options):
        return [hit.entity for hit in sim.raycast_all((0, 0), (9, 0), **options)]

    assert met() == [plain, special]
    assert met(sensors=True) == [plain, special, sensor, foggy]
    assert met(mask=1 << 31) == [special]
    assert met(mask=ALL & ~(1 << 31), sensors=True, ignore={foggy}) == [plain, sensor]
    assert met(mask=0) == []
    assert [hit.entity for hit in sim.point_query((6, 0))] == []
    assert [hit.entity for hit in sim.point_query((6, 0), sensors=True)] == [sensor]
    assert sim.region_query((5.8, -0.1), (6, 0.1)) == []
    assert sim.region_query((5.8, -0.1), (6, 0.1), sensors=True) == [sensor]
    assert sim.nearest_particle((8, 0)).entity == special
    assert sim.nearest_particle((8, 0), sensors=True).entity == foggy


def test_the_state_of_now_counts():
    """Before the first step, after writing a position, after a spawn, and after deleting without a
    step.
    """
    sim = Simulation()
    body = Particles([(2, 0)], radius=0.5)
    entity = sim.spawn(body, Collider())
    assert sim.raycast((0, 0), (9, 0)).entity == entity
    body.position = (4, 0)
    assert sim.raycast((0, 0), (9, 0)).distance == 3.5
    nearer = sim.spawn(*disc((2, 0), 0.5))
    assert sim.raycast((0, 0), (9, 0)).entity == nearer
    sim.despawn(nearer)
    assert sim.raycast((0, 0), (9, 0)).entity == entity
    esper.delete_entity(entity, immediate=True)
    assert sim.raycast((0, 0), (9, 0)) is None
    assert sim.nearest_particle((0, 0)) is None


def test_asking_between_steps_changes_nothing():
    """Contacts of the last frame stay readable, events come as they would, and bodies go the same
    way.
    """

    def run(ask):
        sim = Simulation()
        log = []

        def heard(event):
            log.append((event.entity_a, event.entity_b))

        esper.set_handler("contact_begin", heard)
        sim.spawn(StaticCollider([(-5, 0), (5, 0)]))
        body = Particles([(0, 0.5)], radius=0.2)
        entity = sim.spawn(body, Collider())
        for frame in range(60):
            sim.step()
            before = sim.contacts
            if frame % 7 == 6:
                sim.despawn(entity)
                body = Particles([(0, 0.5)], radius=0.2)
                entity = sim.spawn(body, Collider())
            if ask:
                sim.raycast((0, 9), (0, -9))
                sim.point_query((0, 0), radius=3.0)
                for name in ("entity_a", "entity_b", "row_a", "point", "impulse"):
                    assert np.array_equal(getattr(sim.contacts, name), getattr(before, name))
        sim.close()
        return body.position.tolist(), log

    assert run(ask=True) == run(ask=False)


def test_handlers_and_processors_may_ask():
    class Looker(esper.Processor):
        def process(self, dt):
            seen.append(sim.raycast((0, 9), (0, -9)).entity)

    def begin(event):
        seen.append("begin")
        newborn = sim.spawn(*disc((0, 5), 0.5))
        assert sim.raycast((0, 9), (0, -9)).entity == newborn

    seen = []
    sim = Simulation(gravity=(0, 0), substeps=2)
    ball = sim.spawn(*disc((0, 0.2), 0.2))
    floor = sim.spawn(StaticCollider([(-5, 0), (5, 0)]))
    esper.set_handler("contact_begin", begin)
    sim.add_processor(Looker())
    sim.step()
    assert seen == [ball, ball, "begin"]
    assert sim.touching.tolist() == [[ball, floor]]
    sim.step()
    assert seen[3] != ball


def test_a_body_that_was_blown_to_nan_hides_nothing():
    sim = Simulation()
    body = Particles([(2, 0)], radius=0.5)
    sim.spawn(body, Collider())
    other = sim.spawn(*disc((4, 0), 0.5))
    sim.raycast((0, 0), (9, 0))
    body.row_arrays["position"][body.row_start] = np.nan
    assert sim.raycast((0, 0), (9, 0)).entity == other
    assert sim.region_query((-9, -9), (9, 9)) == [other]
    assert [hit.entity for hit in sim.point_query((4, 0), radius=9.0)] == [other]
    assert sim.nearest_particle((2, 0)).entity == other


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda sim: sim.raycast((0, 0), (0, 0)), r"Simulation\.raycast\.end: \(0, 0\)"),
        (lambda sim: sim.raycast((0, math.nan), (1, 0)), r"Simulation\.raycast\.start"),
        (lambda sim: sim.raycast((0, 0), (math.inf, 0)), r"Simulation\.raycast\.end"),
        (lambda sim: sim.raycast((0, 0), (1, 0, 0)), r"Simulation\.raycast\.end"),
        (lambda sim: sim.raycast_all((0, 0), "there"), r"Simulation\.raycast_all\.end: 'there'"),
        (lambda sim: sim.raycast((0, 0), (1, 0), radius=-1), r"Simulation\.raycast\.radius: -1"),
        (lambda sim: sim.raycast((0, 0), (1, 0), mask=-1), r"Simulation\.raycast\.mask: -1"),
        (lambda sim: sim.raycast((0, 0), (1, 0), mask=1 << 32), r"Simulation\.raycast\.mask"),
        (lambda sim: sim.raycast((0, 0), (1, 0), ignore=1.5), r"Simulation\.raycast\.ignore: 1\.5"),
        (lambda sim: sim.point_query((math.nan, 0)), r"Simulation\.point_query\.point"),
        (lambda sim: sim.point_query((0, 0), radius=math.nan), r"Simulation\.point_query\.radius"),
        (lambda sim: sim.region_query((1, 0), (0, 1)), r"Simulation\.region_query\.high: \(0, 1\)"),
        (lambda sim: sim.nearest_particle(None), r"Simulation\.nearest_particle\.point: None"),
        (
            lambda sim: sim.nearest_particle((0, 0), max_distance=-1),
            r"Simulation\.nearest_particle\.max_distance",
        ),
    ],
)
def test_bad_questions_get_one_clear_error(ask, message):
    with pytest.raises(ValueError, match=message):
        ask(Simulation())


def test_a_closed_simulation_answers_nothing():
    sim = Simulation()
    sim.close()
    with pytest.raises(RuntimeError):
        sim.raycast((0, 0), (1, 0))


@pytest.mark.parametrize("blueprint", ["blob", "box", "rope"])
def test_every_outer_particle_of_a_blueprint_can_be_hit(blueprint):
    sim = Simulation()
    size = {"blob": ((0, 0), 1.0), "box": ((0, 0), 1.0), "rope": ((-1, 0), (1, 0))}[blueprint]
    body = sim.spawn(*getattr(blueprints, blueprint)(*size))
    for angle in np.linspace(0, 2 * np.pi, 40):
        way = np.array((np.cos(angle), np.sin(angle)))
        hit = sim.raycast(5 * way, (0, 0))
        assert hit.entity == body
        # The side that is hit lies across the ray but for half the angle of a corner: of 24
        # corners, or of 4.
        across = {"blob": np.cos(np.pi / 24), "box": np.cos(np.pi / 4), "rope": abs(way[1])}[
            blueprint
        ]
        assert across - 1e-9 <= np.dot(hit.normal, way) <= 1.0 + 1e-9
        assert np.dot(hit.normal, way) > 0.0
