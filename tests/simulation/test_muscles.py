"""Muscles: waves and ramps in closed form, sleep, momentum, and wild ones that stay finite."""

import esper
import numpy as np
import pytest

from ecs_softbody import (
    AngularMuscles,
    AngularSprings,
    Drag,
    Inflation,
    Muscles,
    Particles,
    Simulation,
    Springs,
    StaticCollider,
    blueprints,
)
from tests.helpers.measures import momenta, signed_area
from tests.helpers.muscles import FRAME, pair
from tests.helpers.stepping import run_frames


def test_a_wave_is_the_sine_of_the_simulations_time():
    sim = Simulation(gravity=(0, 0), substeps=7)
    _, springs, muscles = pair(amplitude=0.1, frequency=1.3, phase=0.4)
    for _ in range(600):
        sim.step()
        assert springs.rest_length[0] == pytest.approx(
            1.0 + 0.1 * np.sin(2.0 * np.pi * 1.3 * sim.time + 0.4), abs=1e-12
        )
        assert muscles.stage_column("factor")[0] == springs.rest_length[0]


@pytest.mark.brief(3)
@pytest.mark.parametrize("share", [0.4, 0.8, 1.6])
def test_a_forced_oscillator_has_the_amplitude_of_the_closed_form(share):
    """x'' + 2 zeta w x' + w² x = w² a L sin(share w t)."""
    sim = Simulation(gravity=(0, 0), substeps=20)
    omega = 2.0 * np.pi * 2.0
    zeta = 0.1
    height = 0.05
    body, _, _ = pair(
        stiffness=omega**2, damping=2 * zeta * omega, amplitude=height, frequency=share * 2.0
    )
    found = []
    for frame in range(900):
        sim.step()
        if frame > 540:
            found.append(body.position[1, 0] - 1.0)
    expected = height / np.hypot(1.0 - share**2, 2.0 * zeta * share)
    assert 0.5 * np.ptp(found) == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize("substeps", [1, 8, 10])
def test_a_ramp_takes_as_long_as_it_should_to_a_substep(substeps):
    sim = Simulation(gravity=(0, 0), substeps=substeps)
    _, springs, muscles = pair(rate=0.5)
    sim.step()
    muscles.target = 0.6
    start = sim.time
    lengths = []
    for _ in range(60):
        sim.step()
        lengths.append((sim.time - start, springs.rest_length[0]))
    for time, length in lengths:
        assert length == pytest.approx(max(1.0 - 0.5 * time, 0.6), abs=1e-9)
    assert lengths[-1][1] == 0.6
    muscles.rate = np.inf
    muscles.target = 1.25
    sim.step()
    assert springs.rest_length[0] == 1.25


def test_a_frequency_that_changes_bends_the_wave_and_does_not_break_it():
    sim = Simulation(gravity=(0, 0))
    _, springs, muscles = pair(amplitude=0.2, frequency=1.0)
    before = 1.0
    steepest = 0.2 * 2 * np.pi * 3.0 * FRAME
    for frame in range(300):
        muscles.frequency = 0.5 + 2.5 * (frame % 60) / 60
        sim.step()
        assert abs(springs.rest_length[0] - before) < steepest
        before = springs.rest_length[0]


def test_an_angle_follows_its_muscle():
    sim = Simulation(gravity=(0, 0))
    body = Particles([(1.0, 0.0), (0.0, 0.0), (0.0, 1.0)], pinned=[True, True, False])
    springs = AngularSprings([(0, 1, 2)], stiffness=400.0, damping=4.0)
    muscles = AngularMuscles([0], rate=1.0)
    esper.create_entity(
        body,
        Springs([(0, 1), (1, 2)], stiffness=400.0, damping=1.0),
        springs,
        muscles,
        Drag(linear=2),
    )
    sim.step()
    muscles.target = np.radians(60.0)
    run_frames(sim, 30)
    assert springs.rest_angle[0] == pytest.approx(np.pi / 2 + 0.5, abs=1e-9)
    run_frames(sim, 300)
    assert springs.rest_angle[0] == pytest.approx(np.pi / 2 + np.radians(60.0))
    assert np.degrees(np.arctan2(*body.position[2, ::-1])) == pytest.approx(150.0, abs=0.5)


def test_a_string_changes_its_lengths_and_angles_while_it_runs():
    """The classic: half as long, and curled into an arc."""
    sim = Simulation(gravity=(0, 0))
    count = 9
    rows = np.arange(count - 1)
    body = Particles(np.column_stack([np.arange(count), np.zeros(count)]), mass=0.1)
    springs = Springs(np.column_stack([rows, rows + 1]), stiffness=200.0, damping=1.0)
    inner = np.arange(1, count - 1)
    angles = AngularSprings(
        np.column_stack([inner - 1, inner, inner + 1]), stiffness=20.0, damping=0.1
    )
    short = Muscles(rows, target=0.5, rate=0.25)
    bent = AngularMuscles(np.arange(count - 2), target=np.radians(-30.0), rate=0.3)
    esper.create_entity(body, springs, angles, short, bent, Drag(linear=0.2))
    run_frames(sim, 60 * 12)
    steps = np.diff(body.position, axis=0)
    assert np.hypot(*steps.T) == pytest.approx(0.5, abs=0.01)
    turned = np.degrees(np.diff(np.unwrap(np.arctan2(steps[:, 1], steps[:, 0]))))
    assert np.abs(turned) == pytest.approx(30.0, abs=2.0)
    assert len(set(np.sign(turned))) == 1


@pytest.mark.brief(4)
@pytest.mark.parametrize("seed", range(4))
def test_a_free_creature_keeps_its_momentum(seed):
    sim = Simulation(gravity=(0, 0))
    particles, springs, _, collider = blueprints.box(
        (0, 0), (2, 1), rows=3, columns=5, mass=2.0, velocity=(0.3, 0.1)
    )
    count = len(springs.pairs)
    rng = np.random.default_rng(seed)
    muscles = Muscles(
        np.arange(count),
        amplitude=0.3,
        frequency=rng.uniform(0.5, 4, count),
        phase=rng.uniform(0, 6, count),
    )
    esper.create_entity(particles, springs, collider, muscles)
    sim.step()
    before = momenta(particles)
    run_frames(sim, 600)
    assert momenta(particles) == pytest.approx(before, abs=1e-11)
    assert np.isfinite(particles.position).all()
    assert np.abs(particles.velocity - (0.3, 0.1)).max() > 0.1


def resting_box(*drives):
    particles, *others = blueprints.box((0, 0.5), 1.0)
    sim = Simulation()
    sim.spawn(StaticCollider([(-5, 0), (5, 0)]))
    return sim, sim.spawn(particles, *others, *drives), particles


@pytest.mark.slow
def test_a_wave_keeps_its_body_awake_and_no_wave_lets_it_sleep():
    muscles = Muscles([0, 1], amplitude=0.001, frequency=0.5)
    sim, entity, _ = resting_box(muscles)
    for _ in range(600):
        sim.step()
        assert not sim.is_asleep(entity)
    muscles.amplitude = 0.0
    run_frames(sim, 300)
    assert sim.is_asleep(entity)


@pytest.mark.slow
def test_a_target_that_is_reached_lets_sleep_and_writing_one_wakes():
    muscles = Muscles([0, 1], target=1.1, rate=0.02)
    sim, entity, _ = resting_box(muscles)
    for _ in range(290):
        sim.step()
        assert not sim.is_asleep(entity)
    run_frames(sim, 300)
    assert sim.is_asleep(entity)
    muscles.target = 0.9
    sim.step()
    assert not sim.is_asleep(entity)
    muscles.rate = 0.0
    run_frames(sim, 300)
    assert sim.is_asleep(entity)


@pytest.mark.slow
def test_a_muscle_between_two_bodies_keeps_both_awake():
    sim = Simulation()
    sim.spawn(StaticCollider([(-5, 0), (5, 0)]))
    boxes = [sim.spawn(*blueprints.box((x, 0.5), 1.0)) for x in (-2.0, 2.0)]
    muscles = Muscles([0], amplitude=0.001, frequency=1.0)
    sim.spawn(Springs([(0, 0)], stiffness=1.0, between=(boxes[0], boxes[1])), muscles)
    run_frames(sim, 400)
    assert sim.asleep_count == 0
    muscles.frequency = 0.0
    run_frames(sim, 300)
    assert sim.asleep_count == 2
    muscles.target = 0.99
    sim.step()
    assert sim.asleep_count == 0


@pytest.mark.brief(2)
@pytest.mark.parametrize("gas_share", [4.0, 40.0])
def test_a_ring_that_is_blown_up_and_back_returns(gas_share):
    """In balance at the scale λ: Σ k (λ l - l0) λ l = 2 nRT."""
    sim = Simulation(gravity=(0, 0))
    particles, springs, gas, collider = blueprints.blob((0, 0), 0.5)
    pump = Inflation(rate=0.5 * gas_share)
    sim.spawn(particles, springs, gas, collider, pump, Drag(linear=0.05))
    run_frames(sim, 120)
    area = signed_area(particles.position)
    content = gas.nRT
    place = particles.position.copy()
    pump.target = gas_share
    run_frames(sim, 300)
    assert gas.nRT == gas_share * content
    length = np.hypot(*(place[springs.pairs[:, 1]] - place[springs.pairs[:, 0]]).T)
    a = springs.stiffness @ length**2
    b = springs.stiffness @ (length * springs.rest_length)
    scale = (b + np.sqrt(b * b + 8.0 * a * gas.nRT)) / (2.0 * a)
    assert signed_area(particles.position) == pytest.approx(scale**2 * area, rel=0.03)
    pump.target = 1.0
    run_frames(sim, 600)
    assert gas.nRT == content
    assert signed_area(particles.position) == pytest.approx(area, rel=1e-6)
    assert particles.position == pytest.approx(place, abs=1e-5)


@pytest.mark.slow
def test_a_ring_may_lose_all_of_its_gas():
    sim = Simulation()
    sim.spawn(StaticCollider([(-5, 0), (5, 0)]))
    particles, springs, gas, collider = blueprints.blob((0, 0.5), 0.5)
    pump = Inflation(target=0.0, rate=1.0)
    entity = sim.spawn(particles, springs, gas, collider, pump)
    run_frames(sim, 600)
    assert gas.nRT == 0.0
    assert gas.pressure == 0.0
    assert np.isfinite(particles.position).all()
    assert np.abs(particles.velocity).max() < 3.0
    pump.target = 1.0
    run_frames(sim, 600)
    assert gas.area > 0.6
    assert sim.is_asleep(entity)


@pytest.mark.slow
def test_same_start_same_result():
    states = []
    for world in ("one", "two"):
        sim = Simulation(world=world)
        sim.spawn(StaticCollider([(-5, 0), (5, 0)]))
        particles, *others = blueprints.box((0, 0.6), (1.5, 0.5), rows=2, columns=5)
        sim.spawn(
            particles,
            *others,
            Muscles(np.arange(8), amplitude=0.3, frequency=2.0, phase=np.arange(8)),
        )
        run_frames(sim, 240)
        states.append(particles.position.copy())
        sim.close()
    assert np.array_equal(*states)


@pytest.mark.brief(4)
@pytest.mark.parametrize("dt", [0.1, 1 / 240])
@pytest.mark.parametrize("substeps", [1, 8])
def test_wild_muscles_stay_finite(dt, substeps):
    sim = Simulation(substeps=substeps)
    sim.spawn(StaticCollider([(-5, 0), (5, 0)]))
    for seed in range(6):
        rng = np.random.default_rng(seed)
        particles, springs, gas, collider = blueprints.blob(
            (3.0 * seed - 7, 1), 0.5, stiffness=10.0 ** rng.uniform(1, 9)
        )
        count = len(springs.pairs)
        muscles = Muscles(
            np.arange(count),
            amplitude=10.0 ** rng.uniform(-2, 6, count),
            frequency=10.0 ** rng.uniform(-1, 6, count),
            target=rng.uniform(0, 5, count),
            rate=1.0,
        )
        sim.spawn(
            particles, springs, gas, collider, muscles, Inflation(amplitude=1e3, frequency=31.0)
        )
    for _ in range(200):
        sim.step(dt)
        assert np.isfinite(sim.buffers[Particles].rows["position"]).all()
