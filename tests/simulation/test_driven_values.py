"""What muscles drive: who else writes it, bodies that come, go and tear, and numbers that are
refused.
"""

import esper
import numpy as np
import pytest

from ecs_softbody import (
    AngularMuscles,
    Inflation,
    Muscles,
    Particles,
    PressureBody,
    Simulation,
    Springs,
    blueprints,
)
from tests.helpers.muscles import pair
from tests.helpers.stepping import run_frames


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


@pytest.mark.slow
def test_spawning_moves_rows_and_muscles_go_on():
    sim = Simulation(gravity=(0, 0))
    _, springs, muscles = pair(amplitude=0.1, frequency=1.0)
    spawned = []
    for frame in range(120):
        spawned.append(sim.spawn(*blueprints.rope((0, 3 + frame), (2, 3 + frame))))
        if frame % 3 == 2:
            sim.despawn(spawned.pop(0))
        sim.step()
        assert springs.rest_length[0] == pytest.approx(
            1 + 0.1 * np.sin(2 * np.pi * sim.time), abs=1e-12
        )
    assert muscles.base[0] == 1.0


def test_a_spring_whose_body_goes_takes_its_muscle_along():
    sim = Simulation(gravity=(0, 0))
    bodies = [sim.spawn(Particles([(x, 0)])) for x in (0.0, 1.0)]
    link = sim.spawn(
        Springs([(0, 0)], stiffness=5.0, between=tuple(bodies)),
        Muscles([0], amplitude=0.1, frequency=1.0),
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
    link = sim.spawn(
        Springs([(0, 0)], stiffness=5.0, between=tuple(bodies)), Muscles([0], target=0.5)
    )
    with sim:
        esper.delete_entity(bodies[0], immediate=True)
    sim.step()
    with sim:
        assert not esper.has_component(link, Muscles)


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
        (
            lambda: Muscles([3]),
            r"Muscles.rows of entity \d+: 3 in row 0 is not allowed; expected rows .* 0 to 0",
        ),
        (
            lambda: AngularMuscles([0]),
            r"AngularMuscles of entity \d+: there is no component AngularSprings; expected one on",
        ),
        (
            Inflation,
            r"Inflation of entity \d+: there is no component PressureBody; expected one on",
        ),
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
