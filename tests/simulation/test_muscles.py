"""Muscles: waves and ramps in closed form, sleep, momentum, structure that changes, and what else writes."""

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
    PressureBody,
    Simulation,
    Springs,
    StaticCollider,
    blueprints,
)
from tests.helpers.measures import momenta, signed_area
from tests.helpers.stepping import run_frames

FRAME = 1.0 / 60.0


def pair(*, mass=1.0, stiffness=100.0, damping=0.0, pinned=(True, False), **muscle):
    """A spring of one metre with a muscle; returns its particles, springs and muscles."""
    body = Particles([(0.0, 0.0), (1.0, 0.0)], mass=mass, pinned=pinned)
    springs, muscles = Springs([(0, 1)], stiffness=stiffness, damping=damping), Muscles([0], **muscle)
    esper.create_entity(body, springs, muscles)
    return body, springs, muscles


def test_a_wave_is_the_sine_of_the_simulations_time():
    sim = Simulation(gravity=(0, 0), substeps=7)
    _, springs, muscles = pair(amplitude=0.1, frequency=1.3, phase=0.4)
    for _ in range(600):
        sim.step()
        assert springs.rest_length[0] == pytest.approx(
            1.0 + 0.1 * np.sin(2.0 * np.pi * 1.3 * sim.time + 0.4), abs=1e-12
        )
        assert muscles.stage_column("factor")[0] == springs.rest_length[0]


@pytest.mark.parametrize("share", [0.4, 0.8, 1.6])
def test_a_forced_oscillator_has_the_amplitude_of_the_closed_form(share):
    """x'' + 2 zeta w x' + w² x = w² a L sin(share w t)."""
    sim = Simulation(gravity=(0, 0), substeps=20)
    omega, zeta, height = 2.0 * np.pi * 2.0, 0.1, 0.05
    body, _, _ = pair(stiffness=omega**2, damping=2 * zeta * omega, amplitude=height, frequency=share * 2.0)
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
    start, lengths = sim.time, []
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
    before, steepest = 1.0, 0.2 * 2 * np.pi * 3.0 * FRAME
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
    esper.create_entity(body, Springs([(0, 1), (1, 2)], stiffness=400.0, damping=1.0), springs, muscles, Drag(linear=2))
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
    angles = AngularSprings(np.column_stack([inner - 1, inner, inner + 1]), stiffness=20.0, damping=0.1)
    short = Muscles(rows, target=0.5, rate=0.25)
    bent = AngularMuscles(np.arange(count - 2), target=np.radians(-30.0), rate=0.3)
    esper.create_entity(body, springs, angles, short, bent, Drag(linear=0.2))
    run_frames(sim, 60 * 12)
    steps = np.diff(body.position, axis=0)
    assert np.hypot(*steps.T) == pytest.approx(0.5, abs=0.01)
    turned = np.degrees(np.diff(np.unwrap(np.arctan2(steps[:, 1], steps[:, 0]))))
    assert np.abs(turned) == pytest.approx(30.0, abs=2.0)
    assert len(set(np.sign(turned))) == 1


@pytest.mark.parametrize("seed", range(4))
def test_a_free_creature_keeps_its_momentum(seed):
    sim = Simulation(gravity=(0, 0))
    particles, springs, _, collider = blueprints.box((0, 0), (2, 1), rows=3, columns=5, mass=2.0, velocity=(0.3, 0.1))
    count = len(springs.pairs)
    rng = np.random.default_rng(seed)
    muscles = Muscles(
        np.arange(count), amplitude=0.3, frequency=rng.uniform(0.5, 4, count), phase=rng.uniform(0, 6, count)
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


def test_a_wave_keeps_its_body_awake_and_no_wave_lets_it_sleep():
    muscles = Muscles([0, 1], amplitude=0.001, frequency=0.5)
    sim, entity, _ = resting_box(muscles)
    for _ in range(600):
        sim.step()
        assert not sim.is_asleep(entity)
    muscles.amplitude = 0.0
    run_frames(sim, 300)
    assert sim.is_asleep(entity)


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


@pytest.mark.parametrize("gas_share", [4.0, 40.0])
def test_a_ring_that_is_blown_up_and_back_returns(gas_share):
    """In balance at the scale λ: Σ k (λ l - l0) λ l = 2 nRT."""
    sim = Simulation(gravity=(0, 0))
    particles, springs, gas, collider = blueprints.blob((0, 0), 0.5)
    pump = Inflation(rate=0.5 * gas_share)
    sim.spawn(particles, springs, gas, collider, pump, Drag(linear=0.05))
    run_frames(sim, 120)
    area, content, place = signed_area(particles.position), gas.nRT, particles.position.copy()
    pump.target = gas_share
    run_frames(sim, 300)
    assert gas.nRT == gas_share * content
    length = np.hypot(*(place[springs.pairs[:, 1]] - place[springs.pairs[:, 0]]).T)
    a, b = springs.stiffness @ length**2, springs.stiffness @ (length * springs.rest_length)
    scale = (b + np.sqrt(b * b + 8.0 * a * gas.nRT)) / (2.0 * a)
    assert signed_area(particles.position) == pytest.approx(scale**2 * area, rel=0.03)
    pump.target = 1.0
    run_frames(sim, 600)
    assert gas.nRT == content
    assert signed_area(particles.position) == pytest.approx(area, rel=1e-6)
    assert particles.position == pytest.approx(place, abs=1e-5)


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


def test_who_else_writes_a_driven_length_changes_the_base():
    """So plasticity and muscles add up: what flowed stays, the muscle goes on from there."""
    sim = Simulation(gravity=(0, 0))
    _, springs, muscles = pair(target=0.5)
    sim.step()
    assert springs.rest_length[0] == 0.5
    springs.rest_length = 0.6
    sim.step()
    assert muscles.base[0] == pytest.approx(1.2)
    assert springs.rest_length[0] == pytest.approx(0.6)
    muscles.target = 1.0
    sim.step()
    assert springs.rest_length[0] == pytest.approx(1.2)


def test_rest_lengths_without_a_muscle_stay_those_of_the_game():
    sim = Simulation(gravity=(0, 0))
    body = Particles([(0, 0), (1, 0), (2, 0)])
    springs = Springs([(0, 1), (1, 2)], stiffness=10.0)
    esper.create_entity(body, springs, Muscles([1], target=0.7))
    springs.rest_length[0] = 1.5
    run_frames(sim, 10)
    assert springs.rest_length == pytest.approx((1.5, 0.7))


def test_the_base_may_be_given_and_written():
    sim = Simulation(gravity=(0, 0))
    _, springs, muscles = pair(base=2.0, target=0.75)
    sim.step()
    assert springs.rest_length[0] == 1.5
    muscles.base = 4.0
    sim.step()
    assert springs.rest_length[0] == 3.0


def test_a_muscle_finds_its_spring_again_when_others_are_torn_away():
    sim = Simulation(gravity=(0, 0))
    body = Particles([(0, 0), (1, 0), (2, 0), (3, 0)])
    springs = Springs([(0, 1), (1, 2), (2, 3)], stiffness=10.0)
    muscles = Muscles([1, 2], target=[0.5, 0.25])
    entity = sim.spawn(body, springs, muscles)
    sim.step()
    left = Springs([(2, 3), (0, 1)], stiffness=10.0, rest_length=[0.25, 1.0])
    with sim:
        esper.add_component(entity, left)
    muscles.target = [0.6, 0.3]
    sim.step()
    assert left.rest_length == pytest.approx((0.3, 1.0))
    with sim:
        esper.remove_component(entity, Springs)
    sim.step()
    with sim:
        esper.add_component(entity, Springs([(1, 2)], stiffness=1.0, rest_length=0.5))
    sim.step()
    with sim:
        assert esper.component_for_entity(entity, Springs).rest_length[0] == pytest.approx(0.6)


def test_spawning_moves_rows_and_muscles_go_on():
    sim = Simulation(gravity=(0, 0))
    _, springs, muscles = pair(amplitude=0.1, frequency=1.0)
    spawned = []
    for frame in range(120):
        spawned.append(sim.spawn(*blueprints.rope((0, 3 + frame), (2, 3 + frame))))
        if frame % 3 == 2:
            sim.despawn(spawned.pop(0))
        sim.step()
        assert springs.rest_length[0] == pytest.approx(1 + 0.1 * np.sin(2 * np.pi * sim.time), abs=1e-12)
    assert muscles.base[0] == 1.0


def test_a_spring_whose_body_goes_takes_its_muscle_along():
    sim = Simulation(gravity=(0, 0))
    bodies = [sim.spawn(Particles([(x, 0)])) for x in (0.0, 1.0)]
    link = sim.spawn(
        Springs([(0, 0)], stiffness=5.0, between=tuple(bodies)), Muscles([0], amplitude=0.1, frequency=1.0)
    )
    sim.step()
    told = []

    def heard(entity, kind, gone):
        told.append((entity, kind.__name__, gone))

    esper.set_handler("link_removed", heard)
    sim.despawn(bodies[1])
    run_frames(sim, 5)
    esper.remove_handler("link_removed", heard)
    assert sorted(told) == [(link, "Muscles", bodies[1]), (link, "Springs", bodies[1])]


def test_a_link_that_is_dead_before_its_first_step_takes_its_muscle_along():
    sim = Simulation(gravity=(0, 0))
    bodies = [sim.spawn(Particles([(x, 0)])) for x in (0.0, 1.0)]
    link = sim.spawn(Springs([(0, 0)], stiffness=5.0, between=tuple(bodies)), Muscles([0], target=0.5))
    with sim:
        esper.delete_entity(bodies[0], immediate=True)
    sim.step()
    with sim:
        assert not esper.has_component(link, Muscles)


def test_same_start_same_result():
    states = []
    for world in ("one", "two"):
        sim = Simulation(world=world)
        sim.spawn(StaticCollider([(-5, 0), (5, 0)]))
        particles, *others = blueprints.box((0, 0.6), (1.5, 0.5), rows=2, columns=5)
        sim.spawn(particles, *others, Muscles(np.arange(8), amplitude=0.3, frequency=2.0, phase=np.arange(8)))
        run_frames(sim, 240)
        states.append(particles.position.copy())
        sim.close()
    assert np.array_equal(*states)


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
            np.arange(count), amplitude=10.0 ** rng.uniform(-2, 6, count), frequency=10.0 ** rng.uniform(-1, 6, count),
            target=rng.uniform(0, 5, count), rate=1.0,
        )  # fmt: skip
        sim.spawn(particles, springs, gas, collider, muscles, Inflation(amplitude=1e3, frequency=31.0))
    for _ in range(200):
        sim.step(dt)
        assert np.isfinite(sim.buffers[Particles].rows["position"]).all()


BAD = [
    (lambda: Muscles([]), "Muscles.rows: 0 rows"),
    (lambda: Muscles([0, 0]), "Muscles.rows: row 0 twice"),
    (lambda: Muscles([-1]), "Muscles.rows: -1"),
    (lambda: Muscles([0.5]), "Muscles.rows: 0.5"),
    (lambda: Muscles(0), "Muscles.rows: shape ()"),
    (lambda: Muscles([0], amplitude=np.nan), "Muscles.amplitude: nan"),
    (lambda: Muscles([0], frequency=-1.0), "Muscles.frequency: -1"),
    (lambda: Muscles([0], target=-0.1), "Muscles.target: -0.1"),
    (lambda: Muscles([0], rate=-2.0), "Muscles.rate: -2"),
    (lambda: Muscles([0], rate=np.nan), "Muscles.rate: nan"),
    (lambda: Muscles([0], phase=[1.0, 2.0]), "Muscles.phase: shape (2,)"),
    (lambda: Muscles([0], base=-1.0), "Muscles.base: -1"),
    (lambda: AngularMuscles([1, 1]), "AngularMuscles.rows: row 1 twice"),
    (lambda: AngularMuscles([0], target=np.inf), "AngularMuscles.target: inf"),
    (lambda: Inflation(target=-1.0), "Inflation.target: -1"),
    (lambda: Inflation(rate=-1.0), "Inflation.rate: -1"),
    (lambda: Inflation(amplitude="much"), "Inflation.amplitude: 'much'"),
]


@pytest.mark.parametrize(("make", "words"), BAD, ids=[words for _, words in BAD])
def test_bad_numbers_are_refused(make, words):
    with pytest.raises(ValueError) as error:  # noqa: PT011 - the words are looked at
        make()
    assert str(error.value).startswith(words)


@pytest.mark.parametrize(
    ("drive", "words"),
    [
        (lambda: Muscles([3]), r"Muscles.rows of entity \d+: 3 in row 0 is not allowed; expected rows .* 0 to 0"),
        (lambda: AngularMuscles([0]), r"AngularMuscles of entity \d+: no AngularSprings"),
        (Inflation, r"Inflation of entity \d+: no PressureBody"),
    ],
)
def test_what_drives_nothing_is_refused_and_the_world_goes_on(drive, words):
    sim = Simulation()
    body = Particles([(0, 0), (1, 0)])
    entity = sim.spawn(body, Springs([(0, 1)], stiffness=1.0), drive())
    with pytest.raises(ValueError, match=words):
        sim.step()
    assert sim.time == 0.0
    assert body.position[0, 1] == 0.0
    sim.despawn(entity)
    other = Particles([(0, 0), (1, 0)])
    sim.spawn(other, Springs([(0, 1)], stiffness=1.0))
    sim.step()
    assert other.position[0, 1] < 0.0


def test_the_base_of_a_pump_may_be_given():
    sim = Simulation(gravity=(0, 0))
    ring = np.arange(4)
    gas = PressureBody(ring, nRT=1.0)
    pump = Inflation(target=2.0, base=3.0)
    sim.spawn(Particles([(0, 0), (1, 0), (1, 1), (0, 1)]), gas, pump)
    sim.step()
    assert gas.nRT == 6.0
    assert pump.level == 2.0
