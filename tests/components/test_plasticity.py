"""Plasticity in a running world: springs, angles, rest shapes, sleep, games that write,
bad input.
"""

import esper
import numpy as np
import pytest

from ecs_softbody import (
    Particles,
    Plasticity,
    ShapeMatching,
    Simulation,
    Springs,
    StaticCollider,
    blueprints,
)
from tests.helpers.stepping import run_frames

pytestmark = pytest.mark.filterwarnings("ignore::ecs_softbody.StabilityWarning")


def bar(sim, length, **laws):
    body = Particles([(0, 0), (length, 0)], pinned=True)
    springs = Springs([(0, 1)], stiffness=1.0, rest_length=10.0)
    return body, springs, sim.spawn(body, springs, Plasticity(**laws))


@pytest.mark.parametrize("dt", [1 / 10, 1 / 60, 1 / 240])
@pytest.mark.parametrize("substeps", [1, 8])
def test_ten_held_at_fifteen_becomes_eleven(dt, substeps):
    sim = Simulation(gravity=(0, 0), substeps=substeps)
    springs = [
        bar(sim, 15.0, yield_strain=0.3, rate=0.5, limit=limit)[1] for limit in (np.inf, 0.05)
    ]
    for _ in range(20):
        sim.step(dt)
    assert springs[0].rest_length[0] == pytest.approx(11.0, abs=1e-12)
    assert springs[1].rest_length[0] == pytest.approx(10.5, abs=1e-12)


def test_it_stays_and_goes_back_when_pushed_the_other_way():
    sim = Simulation(gravity=(0, 0))
    body, springs, _ = bar(sim, 15.0, yield_strain=0.3, rate=0.5)
    for length, rest in ((15.0, 11.0), (10.0, 11.0), (8.0, 10.5), (10.0, 10.5)):
        body.position[1, 0] = length
        sim.step()
        assert springs.rest_length[0] == pytest.approx(rest, abs=1e-12)


@pytest.mark.parametrize("dt", [1 / 30, 1 / 120])
def test_creep_does_not_depend_on_the_step(dt):
    sim = Simulation(gravity=(0, 0))
    _, springs, _ = bar(sim, 15.0, yield_strain=0.3, rate=0.5, creep_time=0.5)
    for _ in range(round(1 / dt)):
        sim.step(dt)
    assert springs.rest_length[0] == pytest.approx(10.0 + 1.0 - np.exp(-2.0), abs=1e-9)


def test_a_bent_rod_keeps_its_bend():
    sim = Simulation(gravity=(0, 0))
    body, springs, angles, _ = blueprints.rod((0, 0), (1, 0), segments=2)
    sim.spawn(body, springs, angles, Plasticity(yield_angle=0.2))
    sim.step()
    body.pinned = True
    body.position[2] = (0.5, 0.5)
    sim.step()
    assert abs(abs(angles.rest_angle[0] - np.pi) - (np.pi / 2 - 0.2)) < 1e-9
    assert springs.rest_length[0] == pytest.approx(0.5)


@pytest.mark.slow
def test_a_box_dropped_hard_keeps_a_dent_and_one_put_down_does_not():
    heights = []
    for drop in (6.0, 0.0):
        with Simulation(world=f"drop {drop}") as sim:
            sim.spawn(StaticCollider([(-3, 0), (3, 0)], friction=2.0))
            clay = sim.spawn(
                *blueprints.box((0, 0.5 + drop), 1.0, frequency=12), Plasticity(yield_strain=0.12)
            )
            run_frames(sim, 300)
            rest = esper.component_for_entity(clay, Particles).rest_offset
            heights.append(np.ptp(rest[:, 1]) / 0.87)
    assert heights[0] < 0.97
    assert heights[1] > 0.999


def test_groups_of_shape_matching_do_not_yield():
    sim = Simulation(gravity=(0, 0))
    body = Particles([(0, 0), (1, 0), (1, 1), (0, 1)])
    sim.spawn(
        body,
        ShapeMatching(stiffness=1.0, groups=[[0, 1, 2], [1, 2, 3]]),
        Plasticity(yield_strain=0.01),
    )
    sim.step()
    before = body.rest_offset.copy()
    body.position *= 3.0
    sim.step()
    assert np.array_equal(body.rest_offset, before)


def test_momentum_is_kept_while_a_body_yields():
    sim = Simulation(gravity=(0, 0))
    body, *others = blueprints.box((0, 0), 1.0)
    sim.spawn(body, *others, Plasticity(yield_strain=0.02, rate=0.8))
    sim.step()
    body.velocity = 20.0 * body.position * (1.0, -1.0) + (3, 1)
    before = body.mass @ body.velocity
    run_frames(sim, 60)
    assert np.abs(body.mass @ body.velocity - before).max() < 1e-11
    assert np.ptp(body.rest_offset[:, 0]) > 1.02 * 0.87


def test_what_a_game_writes_is_the_new_rest_length():
    sim = Simulation(gravity=(0, 0))
    body, springs, _ = bar(sim, 15.0, yield_strain=0.3, rate=0.5)
    sim.step()
    springs.rest_length = 20.0
    sim.step()
    assert springs.rest_length[0] == 20.0
    body.position[1, 0] = 30.0
    sim.step()
    assert springs.rest_length[0] == pytest.approx(22.0, abs=1e-12)


@pytest.mark.slow
def test_a_body_that_creeps_stays_awake_and_falls_asleep_afterwards():
    sim = Simulation()
    sim.spawn(StaticCollider([(-3, 0), (3, 0)]))
    heavy = sim.spawn(
        *blueprints.box((0, 0.5), 1.0), Plasticity(yield_strain=0.0, rate=0.3, creep_time=2.0)
    )
    run_frames(sim, 60)
    run_frames(sim, 2000)
    assert sim.is_asleep(heavy)
    shape = esper.component_for_entity(heavy, Particles).rest_offset.copy()
    sim.step()
    assert np.array_equal(shape, esper.component_for_entity(heavy, Particles).rest_offset)


def test_added_to_a_body_that_is_already_there_and_taken_away_again():
    sim = Simulation(gravity=(0, 0))
    body = Particles([(0, 0), (15, 0)], pinned=True)
    springs = Springs([(0, 1)], stiffness=1.0, rest_length=10.0)
    entity = sim.spawn(body, springs)
    sim.step()
    with sim:
        esper.add_component(entity, Plasticity(yield_strain=0.3, rate=0.5))
        sim.step()
        assert springs.rest_length[0] == pytest.approx(11.0)
        esper.remove_component(entity, Plasticity)
        body.position[1, 0] = 20.0
        sim.step()
    assert springs.rest_length[0] == pytest.approx(11.0)


@pytest.mark.brief(3)
@pytest.mark.parametrize(
    "laws",
    [
        {"yield_strain": 0.0},
        {"yield_strain": 0.0, "limit": 0.5},
        {"yield_strain": 0.1, "rate": 1.0},
    ],
)
def test_nothing_explodes_however_hard_it_is_hit(laws):
    sim = Simulation(gravity=(0, 0))
    body, *others = blueprints.box((0, 0), 1.0, stiffness=1e9)
    sim.spawn(body, *others, Plasticity(**laws))
    sim.step()
    body.velocity = np.random.default_rng(0).normal(scale=30.0, size=body.velocity.shape)
    run_frames(sim, 120)
    assert np.isfinite(body.position).all()
    assert np.hypot(*body.velocity.T).max() < 100.0


@pytest.mark.parametrize(
    ("name", "value"),
    [("yield_strain", -0.1), ("rate", 1.5), ("rate", -1), ("limit", np.nan), ("creep_time", -1.0),
     ("creep_time", np.inf), ("yield_angle", -1.0), ("angle_limit", "wide")],
)  # fmt: skip
def test_bad_input_is_refused(name, value):
    with pytest.raises(ValueError, match=rf"Plasticity\.{name}: .* is not allowed"):
        Plasticity(**{name: value})
