"""Wind on outlines, as games see it."""

import esper
import numpy as np
import pytest

from ecs_softbody import (
    Collider,
    Particles,
    PointGravity,
    ShapeMatching,
    Simulation,
    StaticCollider,
    Water,
    Wind,
    blueprints,
)
from tests.helpers.stepping import run_frames


def square(mass=4.0, side=1.0, **options):
    ring = 0.5 * side * np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
    return (
        Particles(ring, mass=mass / 4, **options),
        ShapeMatching(stiffness=1e6, damping=50.0),
        Collider(outline=np.arange(4)),
    )


def world(*, wind, body=None, **options):
    sim = Simulation(gravity=(0, 0), **options)
    body = square() if body is None else body
    sim.spawn(wind)
    return sim, body[0], sim.spawn(*body)


def test_still_air_takes_nothing_from_what_is_at_rest():
    sim, body, entity = world(wind=Wind((0, 0), density=1e6), body=square()[::2])
    before = body.position.copy()
    sim.sleeping = False
    run_frames(sim, 60)
    assert np.array_equal(body.position, before)
    assert np.array_equal(body.velocity, np.zeros_like(before))
    assert not sim.is_asleep(entity)


def test_still_air_brakes_by_the_closed_form():
    """A square of mass m with the drag coefficient 2: v = v0 / (1 + ρ v0 t / m)."""
    sim, body, _ = world(wind=Wind((0, 0), density=1.5), body=square(velocity=(10.0, 0.0)))
    run_frames(sim, 120)
    assert body.velocity.mean(axis=0) == pytest.approx(
        (10.0 / (1.0 + 1.5 * 10.0 * 2.0 / 4.0), 0.0), rel=1e-3
    )


@pytest.mark.brief(4)
@pytest.mark.parametrize("density", [1e-3, 1.2, 1e3, 1e9])
@pytest.mark.parametrize("dt", [1 / 240, 1 / 10])
def test_no_wind_takes_a_body_past_itself(density, dt):
    sim, body, _ = world(
        wind=Wind((12.0, -5.0), density=density), body=blueprints.ball((0, 0), 0.3), substeps=1
    )
    along = np.array([12.0, -5.0]) / 13.0
    for _ in range(200):
        sim.step(dt)
        assert body.velocity[0] @ along <= 13.0 + 1e-9
    if density > 1.0:
        assert body.velocity[0] @ along > 12.0


def test_wind_blows_in_its_region_on_whom_its_mask_says():
    sim = Simulation(gravity=(0, 0))
    sim.spawn(Wind((0, 9), region=((0, -5), (4, 5)), mask=2))
    places = (1.0, 3.0, 6.0)
    categories = (2, 1, 2)
    balls = [
        blueprints.ball((x, 0), 0.2, category=c) for x, c in zip(places, categories, strict=True)
    ]
    for ball in balls:
        sim.spawn(*ball)
    run_frames(sim, 30)
    assert [ball[0].velocity[0, 1] > 0.5 for ball in balls] == [True, False, False]


def test_two_winds_of_opposite_velocity_hold_a_body_in_place():
    sim, body, _ = world(wind=Wind((7, 0)))
    sim.spawn(Wind((-7, 0)))
    body.velocity = (3.0, 0.0)
    run_frames(sim, 600)
    assert np.abs(body.velocity).max() < 0.01


def test_ropes_and_cloth_blow_out_to_lee():
    sim = Simulation()
    rope = blueprints.rope((0, 5), (0, 3), segments=10)
    cloth = blueprints.cloth((5, 4), (2, 2), rows=5, columns=5)
    sim.spawn(*rope)
    sim.spawn(*cloth)
    sim.spawn(Wind((6, 0)))
    run_frames(sim, 180)
    assert rope[0].position[-1, 0] > 0.5
    assert cloth[0].position[:, 0].mean() > 5.2


@pytest.mark.slow
def test_sleepers_in_the_region_wake_when_the_wind_changes_and_only_they():
    sim = Simulation()
    sim.spawn(StaticCollider([(-20, 0), (20, 0)], friction=1.0))
    wind = Wind((0, 0), region=((-3, -1), (3, 5)))
    sim.spawn(wind)
    boxes = [
        blueprints.box((x, 0.5), 1.0, mass=20.0, shape_stiffness=1e5, friction=1.0)
        for x in (0.0, 10.0)
    ]
    entities = [sim.spawn(*box) for box in boxes]
    run_frames(sim, 240)
    assert sim.asleep_count == 2
    wind.velocity = (3.0, 0.0)
    sim.step()
    assert [sim.is_asleep(entity) for entity in entities] == [False, True]
    run_frames(sim, 240)
    assert sim.asleep_count == 2, "a steady wind that moves nothing lets sleep"
    assert boxes[0][0].pose().position[0] == pytest.approx(0.0, abs=0.05)
    wind.velocity = (40.0, 0.0)
    run_frames(sim, 60)
    assert boxes[0][0].pose().position[0] > 0.5
    assert not sim.is_asleep(entities[0])


def test_fields_with_nan_or_infinity_are_left_out():
    sim = Simulation()
    wind = Wind((3, 0))
    water = Water(0.0)
    point = PointGravity((0, 0), strength=1.0)
    body = blueprints.box((0, 0.2), 1.0)
    for field in (wind, water, point):
        sim.spawn(field)
    sim.spawn(*body)
    sim.step()
    before = body[0].velocity[:, 1].mean()
    # past the check at the door
    wind.velocity[0] = np.nan
    water.flow[1] = np.inf
    point.position[0] = np.nan
    run_frames(sim, 30)
    assert np.isfinite(body[0].position).all()
    assert body[0].velocity[:, 1].mean() - before == pytest.approx(-9.81 * 0.5, rel=1e-3), (
        "nothing but weight is left"
    )


def test_fields_come_go_and_are_replaced_while_the_world_runs():
    """Also in a processor: they count from the next packing on."""
    sim = Simulation()
    entity = sim.spawn(Water(0.0))
    body = blueprints.box((0, -2.0), 1.0, density=500.0)
    sim.spawn(*body)

    class Weather(esper.Processor):
        def process(self, dt: float) -> None:
            step = round(sim.time * 60) if sim.buffers.frame_start else 0
            if step == 10:
                esper.add_component(entity, Water(-90.0))
            elif step == 20:
                sim.spawn(Wind((0, 90)))
            elif step == 30:
                esper.remove_component(entity, Water)
                esper.add_component(entity, PointGravity(strength=1.0))

    sim.add_processor(Weather())
    speeds = []
    for _ in range(45):
        sim.step()
        speeds.append(float(body[0].velocity[:, 1].mean()))
    assert speeds[9] > 0.5
    assert speeds[19] < speeds[9] - 1.0
    assert speeds[29] > speeds[19] + 0.3
    assert np.isfinite(speeds).all()
