"""Sensors notice what overlaps them, and change nothing."""

from __future__ import annotations

import esper
import numpy as np
import pytest

from ecs_softbody import ALL, Collider, Particles, Simulation, Springs, StaticCollider, blueprints
from tests.helpers.stepping import run_frames

SQUARE = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
RING = np.arange(4)


def soft_square(size=1.0, **options):
    ring = Particles(np.multiply(SQUARE, size), radius=0.05)
    return (
        ring,
        Springs(np.column_stack([RING, np.roll(RING, 1)]), stiffness=50.0),
        Collider(outline=RING, **options),
    )


SENSORS = {
    "closed chain": lambda: (StaticCollider(SQUARE, closed=True, sensor=True),),
    "closed chain, the other way round": lambda: (
        StaticCollider(SQUARE[::-1], closed=True, sensor=True),
    ),
    "circle": lambda: (StaticCollider([(0, 0)], radius=1.0, sensor=True),),
    "soft ring": lambda: soft_square(sensor=True),
    "disc": lambda: (Particles([(0, 0)], radius=1.0), Collider(sensor=True)),
}


@pytest.mark.brief(5)
@pytest.mark.parametrize("sensor", SENSORS)
def test_what_passes_through_a_sensor_is_not_deflected(sensor):
    """The way of a ball is the same, to the last bit, with the sensor and without; it enters and
    leaves once.
    """

    def path(*extra):
        sim = Simulation(gravity=(0, 0))
        ball = Particles([(-3, 0.1)], velocity=(2, 0), radius=0.2)
        entity = sim.spawn(ball, Collider(restitution=0.5))
        log = []
        positions = []

        def begin(event):
            log.append(("begin", event.entity_a, event.entity_b, event.impulse, event.sensor))

        def end(event):
            log.append(("end", event.entity_a, event.entity_b, event.impulse, event.sensor))

        esper.set_handler("contact_begin", begin)
        esper.set_handler("contact_end", end)
        watcher = sim.spawn(*extra) if extra else None
        inside = []
        for _ in range(180):
            sim.step()
            positions.append(ball.position.copy())
            inside.append(bool(len(sim.sensed)))
            assert len(sim.contacts) == len(sim.touching) == 0
        sim.close()
        return positions, log, (entity, watcher), inside

    free, _, _, _ = path()
    seen, log, pair, inside = path(*SENSORS[sensor]())
    assert np.array_equal(free, seen)
    assert log == [("begin", *pair, 0.0, True), ("end", *pair, 0.0, True)]
    where = np.array(seen)[inside][:, 0, 0]
    assert where.min() == pytest.approx(-1.2, abs=0.12)
    assert where.max() == pytest.approx(1.2, abs=0.12)


@pytest.mark.parametrize(
    ("vertices", "closed", "seen"),
    [
        (SQUARE, True, True),
        (SQUARE, False, False),
        ([(-1, 0), (1, 0)], False, True),
        ([(-1, 0.5), (1, 0.5)], False, False),
    ],
)
def test_the_inside_counts_for_closed_chains_only(vertices, closed, seen):
    sim = Simulation(gravity=(0, 0))
    ball = sim.spawn(*blueprints.ball((0, 0), 0.2))
    sensor = sim.spawn(StaticCollider(vertices, closed=closed, sensor=True))
    sim.step()
    assert sim.sensed.tolist() == ([[ball, sensor]] if seen else [])


def test_a_sensor_inside_a_body_is_noticed():
    """A small circle wholly inside a soft ring, whose skin is far from it."""
    sim = Simulation(gravity=(0, 0))
    blob = sim.spawn(*blueprints.blob((0, 0), 1.0))
    sensor = sim.spawn(StaticCollider([(0, 0)], radius=0.1, sensor=True))
    sim.step()
    assert sim.sensed.tolist() == [[blob, sensor]]


def test_a_soft_sensor_on_a_body_finds_the_ground():
    """A sensor that hangs on a hero by springs: walls are noticed as well,
    and weigh nothing on it.
    """
    sim = Simulation(gravity=(0, 0))
    foot = sim.spawn(Particles([(0, 0.1)], velocity=(0, -1), radius=0.05), Collider(sensor=True))
    ground = sim.spawn(StaticCollider([(-5, 0), (5, 0)]))
    run_frames(sim, 6)
    assert sim.sensed.tolist() == [[ground, foot]]
    run_frames(sim, 24)
    with sim:
        assert esper.component_for_entity(foot, Particles).position[0, 1] == pytest.approx(-0.4)


def test_sensors_do_not_notice_each_other():
    sim = Simulation(gravity=(0, 0))
    sim.spawn(*SENSORS["disc"]())
    sim.spawn(*soft_square(sensor=True))
    sim.spawn(StaticCollider(SQUARE, closed=True, sensor=True))
    sim.step()
    assert len(sim.sensed) == 0


@pytest.mark.parametrize(
    ("own", "others", "seen"),
    [
        ({}, {}, True),
        ({"category": 2}, {"mask": 1}, False),
        ({"mask": 2}, {}, False),
        ({"mask": 2}, {"category": 2}, True),
        ({"category": 1 << 31}, {"mask": 1 << 31}, True),
        ({"category": 1 << 31}, {"mask": ALL & ~(1 << 31)}, False),
    ],
)
def test_sensors_obey_category_and_mask(own, others, seen):
    sim = Simulation(gravity=(0, 0))
    sim.spawn(Particles([(0, 0)], radius=0.5), Collider(**own))
    sim.spawn(StaticCollider(SQUARE, closed=True, sensor=True, **others))
    sim.step()
    assert len(sim.sensed) == seen


def test_a_sensor_may_become_solid_and_back():
    """The pair with the sensor and the pair that pushes are two pairs: one ends, the other one
    begins.
    """
    log = []

    def begin(event):
        log.append(("begin", event.sensor))

    def end(event):
        log.append(("end", event.sensor))

    sim = Simulation()
    esper.set_handler("contact_begin", begin)
    esper.set_handler("contact_end", end)
    sim.spawn(Particles([(0, 0.2)], radius=0.2), Collider())
    floor = StaticCollider([(-5, 0), (5, 0)])
    sim.spawn(floor)
    for sensor in (False, True, False):
        floor.sensor = sensor
        sim.step()
    assert log == [
        ("begin", False),
        ("end", False),
        ("begin", True),
        ("end", True),
        ("begin", False),
    ]


def test_the_point_of_an_event_is_in_the_overlap():
    events = []
    sim = Simulation(gravity=(0, 0))

    def begin(event):
        events.append(event)

    esper.set_handler("contact_begin", begin)
    sim.spawn(*blueprints.ball((1.1, 0.5), 0.2))
    sim.spawn(StaticCollider(SQUARE, closed=True, sensor=True))
    sim.step()
    assert events[0].point == pytest.approx((0.95, 0.5))
    assert events[0].normal == (0.0, 0.0)


def test_a_body_at_the_rim_does_not_flicker():
    """It moves 1 mm in and out of the rim, closer than the gap that ends a touch."""
    events = []

    def heard(event):
        events.append(event)

    sim = Simulation(gravity=(0, 0))
    body = Particles([(1.2, 0)], radius=0.2)
    sim.spawn(body, Collider())
    sim.spawn(StaticCollider(SQUARE, closed=True, sensor=True))
    esper.set_handler("contact_begin", heard)
    esper.set_handler("contact_end", heard)
    for k in range(40):
        body.position[0, 0] = 1.2 + 0.001 * (-1) ** k
        sim.step()
    assert len(events) == 1


def test_the_flag_is_checked():
    with pytest.raises(ValueError, match=r"StaticCollider\.sensor: 'yes'"):
        StaticCollider(SQUARE, sensor="yes")
    assert Collider(sensor=True).sensor is True
    assert StaticCollider(SQUARE).sensor is False


CROSSED = {
    "wire": lambda: (StaticCollider([(0, -1), (0, 1)], sensor=True),),
    "circle": lambda: (StaticCollider([(0, 0)], radius=0.2, sensor=True),),
    "box": lambda: (StaticCollider(np.multiply(SQUARE, 0.3), closed=True, sensor=True),),
    "soft ring": lambda: soft_square(0.3, sensor=True),
    "disc": lambda: (Particles([(0, 0)], radius=0.2), Collider(sensor=True)),
}


@pytest.mark.brief(6)
@pytest.mark.parametrize("substeps", [1, 8])
@pytest.mark.parametrize("speed", [100.0, 300.0])
@pytest.mark.parametrize("sensor", CROSSED)
def test_what_crosses_a_sensor_within_a_frame_is_reported(sensor, speed, substeps):
    """A disc and a blob are before the sensor in one frame and behind it in the next; another one
    passes beside it.
    """
    sim = Simulation(gravity=(0, 0), substeps=substeps)
    log = []

    def begin(event):
        log.append(("begin", event.entity_a))

    def end(event):
        log.append(("end", event.entity_a))

    esper.set_handler("contact_begin", begin)
    esper.set_handler("contact_end", end)
    sim.spawn(*CROSSED[sensor]())
    start = -2.5 * speed / 60.0
    disc = sim.spawn(Particles([(start, 0.1)], velocity=(speed, 0), radius=0.05), Collider())
    blob = blueprints.blob((start - 20.0, 0.0), 0.1)
    blob[0].velocity = (speed, 0.0)
    whole = sim.spawn(*blob)
    sim.spawn(Particles([(start, 1.5)], velocity=(speed, 0), radius=0.05), Collider())
    for _ in range(int(60.0 * (25.0 - start) / speed) + 3):
        sim.step()
    assert log == [(name, entity) for entity in (disc, whole) for name in ("begin", "end")]
    sim.close()


def test_a_fast_sensor_reports_what_it_crosses():
    sim = Simulation(gravity=(0, 0))
    log = []

    def begin(event):
        log.append(event.entity_a)

    esper.set_handler("contact_begin", begin)
    sim.spawn(Particles([(-5.0, 0.0)], velocity=(200.0, 0.0), radius=0.1), Collider(sensor=True))
    hit = sim.spawn(Particles([(0.1, 0.05)], radius=0.1), Collider())
    sim.spawn(Particles([(0.1, 0.9)], radius=0.1), Collider())
    sim.spawn(Particles([(-5.0, -0.5)], velocity=(200.0, 0.0), radius=0.1), Collider())
    run_frames(sim, 6)
    assert log == [hit]
    sim.close()
