"""Water, as games see it: what floats, how deep, and that it comes to rest."""

import numpy as np
import pytest

from ecs_softbody import (
    Collider,
    Particles,
    ShapeMatching,
    Simulation,
    StaticCollider,
    Water,
    Wind,
    blueprints,
)
from tests.helpers.stepping import run_frames


def bodies(kind, ratio):
    """A body of 1 m with `ratio` of the density of water, a little above its place."""
    y = 0.6 - ratio
    density = 1000.0 * ratio
    if kind == "box":
        return blueprints.box((0, y), 1.0, density=density, frequency=120.0)
    if kind == "polygon":
        corners = [(-0.5, y - 0.5), (0.5, y - 0.5), (0.5, y + 0.5), (-0.5, y + 0.5)]
        return blueprints.polygon(corners, density=density, frequency=120.0, shape_frequency=60.0)
    if kind == "blob":
        return blueprints.blob((0, y), 0.5, density=density)
    ring = 0.5 * np.array([(-1.0, -1.0), (-1.0, 1.0), (1.0, 1.0), (1.0, -1.0)]) + (0, y)
    return (
        Particles(ring, mass=density / 4),
        ShapeMatching(stiffness=1e7, damping=2 * density),
        Collider(outline=np.arange(4)),
    )


def float_out(kind, ratio, seconds=20.0):
    """Let a body float until it sleeps; return its sim, particles and collider."""
    sim = Simulation()
    body = bodies(kind, ratio)
    entity = sim.spawn(*body)
    sim.spawn(Water(0.0))
    for _ in range(round(60 * seconds)):
        sim.step()
        if sim.is_asleep(entity):
            return sim, body[0], body[-1]
    raise AssertionError("it does not fall asleep")


@pytest.mark.brief(5)
@pytest.mark.parametrize("ratio", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("kind", ["box", "polygon", "ring"])
def test_a_square_floats_as_deep_as_its_density_says_and_sleeps(kind, ratio):
    _, body, collider = float_out(kind, ratio)
    draught = collider.skin - body.position[:, 1].min()
    assert draught == pytest.approx(ratio, rel=0.02)
    assert collider.submerged_area == pytest.approx(ratio, rel=0.005)


@pytest.mark.brief(2)
@pytest.mark.parametrize("ratio", [0.2, 0.7])
def test_a_blob_floats_by_its_area(ratio):
    _, body, collider = float_out("blob", ratio)
    assert collider.submerged_area == pytest.approx(body.mass.sum() / 1000.0, rel=0.005)


@pytest.mark.brief(2)
@pytest.mark.parametrize("ratio", [0.3, 0.5])
def test_a_ball_floats_by_its_segment(ratio):
    sim = Simulation()
    ball, collider = blueprints.ball((0, 0.4), 0.5, density=1000.0 * ratio)
    sim.spawn(ball, collider)
    sim.spawn(Water(0.0))
    run_frames(sim, 900)
    u = -ball.position[0, 1] / 0.5
    assert (np.arccos(-u) + u * np.sqrt(1 - u * u)) / np.pi == pytest.approx(ratio, rel=0.01)


@pytest.mark.slow
def test_a_rope_floats_by_its_thickness_and_a_heavy_one_sinks():
    sim = Simulation()
    light = blueprints.rope(
        (-2, 0.5), (0, 0.5), segments=10, thickness=0.1, density=50.0, pin_start=False
    )
    heavy = blueprints.rope(
        (1, 0.5), (3, 0.5), segments=10, thickness=0.1, density=300.0, pin_start=False
    )
    sim.spawn(*light)
    sim.spawn(*heavy)
    sim.spawn(Water(0.0))
    run_frames(sim, 600)
    assert np.abs(light[0].position[1:-1, 1]).max() < 0.01, (
        "half of it is under water; its ends carry half as much"
    )
    assert heavy[0].position[:, 1].max() < -5.0


@pytest.mark.slow
def test_a_square_of_half_the_density_turns_over_its_corner():
    """Upright is no stable place for density ratios between 0.21 and 0.79; at 0.5 it floats on its
    corner.
    """
    sim = Simulation(sleeping=False)
    body = blueprints.box((0, 0.0), 1.0, density=500.0, angle=0.05, frequency=120.0)
    sim.spawn(*body)
    sim.spawn(Water(0.0, linear_drag=1.0))
    run_frames(sim, 1200)
    assert body[0].pose().angle + 0.05 == pytest.approx(np.pi / 4, abs=1e-3)


def test_gravity_that_is_off_or_turned_over():
    sim = Simulation(gravity=(0, 0))
    box = blueprints.box((0, -2), 1.0, density=500.0)
    sim.spawn(*box)
    sim.spawn(Water(0.0))
    run_frames(sim, 30)
    assert box[0].pose().velocity == pytest.approx((0.0, 0.0), abs=1e-12)
    sim.gravity = (0.0, 5.0)
    run_frames(sim, 30)
    assert box[0].pose().velocity[1] < -0.3, "lift is against gravity"


def test_flow_takes_along_and_still_water_brakes():
    sim = Simulation()
    box = blueprints.box((0, 0), 0.6, density=400.0)
    sim.spawn(*box)
    water = Water(0.0, flow=(2.0, 0.0))
    sim.spawn(water)
    run_frames(sim, 600)
    assert box[0].pose().velocity[0] == pytest.approx(2.0, abs=0.1)
    water.flow = (0.0, 0.0)
    run_frames(sim, 600)
    assert abs(box[0].pose().velocity[0]) < 0.1


@pytest.mark.slow
def test_calm_water_lets_sleep_and_a_new_level_wakes():
    sim, body, _ = float_out("box", 0.9)
    water = next(iter(sim.buffers[Water].bound.values()))
    water.level = 1.0
    run_frames(sim, 1200)
    assert sim.asleep_count == 1
    assert body.position[:, 1].mean() == pytest.approx(0.6, abs=0.02)
    sim.despawn(next(iter(sim.buffers[Water].bound)))
    run_frames(sim, 30)
    assert sim.asleep_count == 0
    assert body.velocity[:, 1].mean() < -4.0


def test_a_body_on_the_bank_stays_there():
    sim = Simulation()
    sim.spawn(StaticCollider([(-5, 0), (0, 0), (0, -3), (5, -3)]))
    sim.spawn(Water(0.3, left=0.0))
    plank = blueprints.box(
        (-0.2, 0.3), (2.0, 0.4), rows=3, columns=8, density=500.0, shape_stiffness=1e5
    )
    sim.spawn(*plank)
    run_frames(sim, 240)
    assert np.abs(plank[0].velocity).max() < 0.2
    assert abs(plank[0].pose().position[0] + 0.2) < 0.4


def test_masks_leave_out():
    sim = Simulation()
    ghost = blueprints.ball((0, -1), 0.3, density=10.0, category=4)
    sim.spawn(*ghost)
    sim.spawn(Water(0.0, mask=1))
    run_frames(sim, 30)
    assert ghost[0].velocity[0, 1] < -4.0


@pytest.mark.brief(9)
@pytest.mark.parametrize("ratio", [1e-4, 1e-2, 1.0, 1e4])
@pytest.mark.parametrize(("dt", "substeps"), [(1 / 10, 1), (1 / 60, 8), (1 / 240, 1)])
@pytest.mark.filterwarnings("ignore::ecs_softbody.StabilityWarning")
def test_no_density_explodes_between_storm_and_sea(ratio, dt, substeps):
    sim = Simulation(substeps=substeps)
    parts = [
        blueprints.box((0, 1), 1, density=1000 * ratio, angle=0.3),
        blueprints.blob((3, 1), 0.5, density=1000 * ratio),
        blueprints.rope(
            (6, 1), (8, 1.2), segments=8, density=50 * ratio, pin_start=False, thickness=0.05
        ),
        blueprints.ball((10, 1), 0.3, density=1000 * ratio),
    ]
    for body in parts:
        sim.spawn(*body)
    sim.spawn(Water(0.0, bottom=-1e4))
    sim.spawn(Wind((20, 3)))
    for _ in range(100):
        sim.step(dt)
        for body in parts:
            # 98 m/s is free fall for ten seconds
            assert np.abs(body[0].velocity).max() < 120.0


@pytest.mark.slow
def test_same_start_same_result():
    ends = []
    for number in range(2):
        sim = Simulation(world=f"sea {number}")
        boxes = [
            blueprints.box((1.2 * k, 0.5 + k % 2), 0.8, density=300.0 + 100 * k, angle=0.1 * k)
            for k in range(5)
        ]
        for box in boxes:
            sim.spawn(*box)
        sim.spawn(Water(0.0, flow=(0.5, 0)), Wind((4, 0)))
        run_frames(sim, 120)
        ends.append(np.concatenate([box[0].position for box in boxes]))
    assert np.array_equal(*ends)
