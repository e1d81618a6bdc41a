"""Bad arguments of the Simulation, and bad entities in a running one: nothing moves, and it goes on
afterwards.
"""

import math
import warnings

import esper
import numpy as np
import pytest

from ecs_softbody import (
    AngularSprings,
    Collider,
    Drag,
    FieldError,
    Particles,
    PressureBody,
    Simulation,
    Springs,
    blueprints,
)
from tests.helpers.stepping import run_frames

NAN = float("nan")


@pytest.mark.parametrize(
    "gravity", [(1.0,), 9.81, (1, 2, 3), (NAN, 0), (0, float("inf")), "down", None]
)
def test_bad_gravity(gravity):
    with pytest.raises(ValueError, match=r"Simulation\.gravity"):
        Simulation(gravity=gravity)
    sim = Simulation()
    with pytest.raises(ValueError, match=r"Simulation\.gravity"):
        sim.gravity = gravity
    assert np.array_equal(sim.gravity, (0, -9.81))


@pytest.mark.parametrize("substeps", [0, -1, 2.5, "8", None, True])
def test_bad_substeps(substeps):
    with pytest.raises(ValueError, match=r"Simulation\.substeps"):
        Simulation(substeps=substeps)
    sim = Simulation()
    with pytest.raises(ValueError, match=r"Simulation\.substeps"):
        sim.substeps = substeps
    assert sim.substeps == 8


@pytest.mark.parametrize("world", ["", None, 3])
def test_bad_world_name(world):
    with pytest.raises(ValueError, match=r"Simulation\.world"):
        Simulation(world=world)


def test_a_refused_simulation_leaves_no_processors():
    with pytest.raises(ValueError, match="substeps"):
        Simulation(substeps=0, world="never made")
    assert "never made" not in esper.list_worlds()


@pytest.mark.parametrize("dt", [0.0, -1.0, NAN, float("inf"), "fast", None])
def test_bad_frame_length_moves_nothing(dt):
    sim = Simulation()
    body = Particles([(0, 0)], velocity=(1, 1))
    esper.create_entity(body)
    with pytest.raises(ValueError, match=r"Simulation\.step\.dt"):
        sim.step(dt)
    assert np.array_equal(body.position, [(0, 0)])
    assert (sim.time, sim.frame) == (0.0, 0)
    sim.step()
    assert sim.frame == 1


@pytest.mark.parametrize("value", [0.0, -5.0, NAN, "c"])
def test_bad_speed_limit(value):
    sim = Simulation()
    with pytest.raises(ValueError, match=r"Simulation\.speed_limit"):
        sim.speed_limit = value


@pytest.mark.parametrize("elapsed", [-0.1, NAN, "long"])
def test_bad_elapsed_time(elapsed):
    with pytest.raises(ValueError, match=r"Simulation\.advance\.elapsed"):
        Simulation().advance(elapsed)


def test_despawn_of_a_wrong_id_is_a_clear_error_and_the_simulation_goes_on():
    """esper.delete_entity of a wrong id makes every later process() fail; despawn refuses it at
    once.
    """
    sim = Simulation()
    entity = sim.spawn(Particles([(0, 0)]))
    with pytest.raises(ValueError, match=f"despawn.*{entity + 5}"):
        sim.despawn(entity + 5)
    sim.step()
    sim.despawn(entity)
    sim.step()
    with pytest.raises(ValueError, match="an entity that exists"):
        sim.despawn(entity)
    sim.step()


def test_a_wrong_id_given_to_esper_itself_is_reported_once():
    """esper.delete_entity accepts any number and would fail in every later process()."""
    sim = Simulation()
    body = Particles([(0, 0)])
    sim.spawn(body)
    sim.step()
    place = body.position.copy()
    esper.delete_entity(999)
    with pytest.raises(ValueError, match="999"):
        sim.step()
    assert np.array_equal(body.position, place)
    sim.step()
    assert body.position[0, 1] < place[0, 1]


TWO = [(0, 0), (1, 0)]
MISFITS = {
    "pairs out of range": (
        lambda: (Particles(TWO), Springs([(0, 2)], stiffness=1.0)),
        r"Springs\.pairs.* 2 ",
    ),
    "triples out of range": (
        lambda: (Particles(TWO), AngularSprings([(0, 1, 7)], stiffness=1.0)),
        r"AngularSprings\.triples.* 7 ",
    ),
    "gas out of range": (
        lambda: (Particles(TWO), PressureBody((0, 1, 2), nRT=1.0)),
        r"PressureBody\.outline.* 2 ",
    ),
    "outline out of range": (
        lambda: (Particles(TWO), Collider(outline=(0, 1, 9))),
        r"Collider\.outline.* 9 ",
    ),
    "springs alone": (
        lambda: (Springs([(0, 1)], stiffness=1.0),),
        r"Springs of entity \d+: there are no Particles; expected them on the same entity",
    ),
    "drag alone": (lambda: (Drag(linear=1.0),), "Drag.*no Particles"),
    "collider alone": (lambda: (Collider(),), "Collider.*no Particles"),
}


@pytest.mark.parametrize("name", MISFITS)
def test_a_component_that_does_not_fit_its_entity_changes_nothing(name):
    build, message = MISFITS[name]
    sim = Simulation()
    good, *rest = blueprints.blob((0, 3), 0.5)
    sim.spawn(good, *rest)
    run_frames(sim, 3)
    place = good.position.copy()
    speed = good.velocity.copy()
    time = sim.time
    wrong = sim.spawn(*build())
    for _ in range(2):
        with pytest.raises(ValueError, match=message) as caught:
            sim.step()
        assert f"entity {wrong}" in str(caught.value)
    assert np.array_equal(good.position, place)
    assert np.array_equal(good.velocity, speed)
    assert sim.time == time
    sim.despawn(wrong)
    sim.step()
    assert good.velocity[:, 1].mean() == pytest.approx(speed[:, 1].mean() - 9.81 / 60, abs=1e-9)


def test_between_counts_rows_of_each_of_its_entities():
    sim = Simulation()
    a = sim.spawn(Particles([(0, 0)]))
    b = sim.spawn(Particles([(1, 0), (2, 0)]))
    wrong = sim.spawn(Springs([(0, 1), (1, 0)], stiffness=1.0, between=(a, b)))
    with pytest.raises(ValueError, match=r"Springs\.pairs.* 1 in row 1"):
        sim.step()
    sim.despawn(wrong)
    sim.spawn(Springs([(0, 1)], stiffness=1.0, between=(a, b)))
    sim.step()


def test_between_an_entity_without_particles_is_refused():
    sim = Simulation()
    a = sim.spawn(Particles([(0, 0)]))
    empty = sim.spawn()
    wrong = sim.spawn(Springs([(0, 0)], stiffness=1.0, between=(a, empty)))
    with pytest.raises(ValueError, match=f"entity {empty} has no Particles; expected them there"):
        sim.step()
    sim.despawn(wrong)
    sim.step()


def test_one_instance_on_two_entities_is_refused():
    sim = Simulation()
    body = Particles([(0, 0)])
    first = sim.spawn(body)
    with pytest.raises(ValueError, match="belongs to another entity already"):
        sim.spawn(body)
    with sim:
        second = esper.create_entity(body)
    with pytest.raises(ValueError, match="belongs to another entity"):
        sim.step()
    sim.despawn(second)
    sim.step()
    assert body.velocity[0, 1] < 0.0
    with pytest.raises(ValueError, match="belongs to another entity"):
        sim.spawn(body)
    sim.despawn(first)
    sim.step()
    sim.spawn(body)
    sim.step()


@pytest.mark.brief(2)
@pytest.mark.parametrize("is_packed", [False, True])
def test_one_instance_in_two_worlds_is_refused(is_packed):
    first = Simulation(world="first")
    second = Simulation(world="second")
    body = Particles([(0, 0)])
    entity = first.spawn(body)
    if is_packed:
        first.step()
    with pytest.raises(
        ValueError, match=r"a Particles that belongs to another entity of world 'first' already"
    ):
        second.spawn(body)
    assert second.entities() == []
    second.step()
    with second:
        theirs = esper.create_entity(body)
    with pytest.raises(ValueError, match="Particles of entity 1: an instance that belongs to"):
        second.step()
    second.despawn(theirs)
    first.step()
    second.step()
    assert body.velocity[0, 1] < 0.0
    first.despawn(entity)
    first.step()
    second.spawn(body)  # it is free now
    second.step()
    first.close()
    second.close()


@pytest.mark.brief(2)
@pytest.mark.parametrize("is_packed", [False, True])
def test_a_component_of_a_simulation_that_is_gone_is_free(is_packed):
    first = Simulation(world="gone")
    body = Particles([(0, 0)])
    first.spawn(body)
    if is_packed:
        first.step()
    del first
    sim = Simulation(world="left")
    sim.spawn(body)
    sim.step()
    assert body.velocity[0, 1] < 0.0
    sim.close()


def test_removing_particles_that_others_need_is_refused_until_mended():
    sim = Simulation()
    body, springs, *_ = blueprints.rope((0, 0), (1, 0))
    entity = sim.spawn(body, springs)
    sim.step()
    with sim:
        esper.remove_component(entity, Particles)
    with pytest.raises(ValueError, match="no Particles"):
        sim.step()
    with sim:
        esper.remove_component(entity, Springs)
    sim.step()


def test_replacing_particles_by_fewer_is_refused_until_the_springs_fit():
    sim = Simulation()
    body, springs, *_ = blueprints.rope((0, 0), (1, 0), segments=4)
    entity = sim.spawn(body, springs)
    sim.step()
    with sim:
        esper.add_component(entity, Particles([(0, 0), (1, 0)]))
    with pytest.raises(ValueError, match=r"Springs\.pairs"):
        sim.step()
    with sim:
        esper.add_component(entity, Springs([(0, 1)], stiffness=5.0))
    sim.step()


def test_a_bad_entity_made_in_the_middle_of_a_frame_is_reported_and_the_world_stays_finite():
    sim = Simulation()
    body = Particles([(0, 0)])
    sim.spawn(body)
    made = []

    class Clumsy(esper.Processor):
        def process(self, dt):
            if not made:
                made.append(esper.create_entity(Springs([(0, 1)], stiffness=1.0)))

    sim.add_processor(Clumsy())
    with pytest.raises(ValueError, match="no Particles"):
        sim.step()
    sim.despawn(made[0])
    sim.step()
    assert np.isfinite(body.position).all()


@pytest.mark.parametrize("ignore", ["box", ["a"], 1.5, True, [None], None])
def test_what_an_explosion_ignores_is_an_entity_or_several(ignore):
    sim = Simulation()
    ball = blueprints.ball((0, 1), 0.3)
    sim.spawn(*ball)
    with pytest.raises(
        ValueError, match=r"^Simulation.explode.ignore: .* is not allowed; expected an entity"
    ):
        sim.explode((0, 0), radius=3.0, speed=1.0, ignore=ignore)
    assert not ball[0].velocity.any()


def test_true_is_no_entity_for_springs():
    sim = Simulation()
    ball = sim.spawn(*blueprints.ball((0, 1), 0.3))
    with pytest.raises(ValueError, match=r"^Springs.between: unknown entity True is not allowed"):
        Springs([(0, 0)], stiffness=1.0, between=(True, ball))


@pytest.mark.parametrize("bad", [math.nan, -math.inf, 1e31])
def test_gravity_that_was_written_in_place_is_looked_at(bad):
    sim = Simulation(world="heavy")
    ball = sim.spawn(Particles([(0, 0)]))
    sim.step()
    before = sim.center(ball)[1]
    sim.gravity[1] = bad
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            with pytest.raises(FieldError, match=r"^Simulation.gravity: \(0.0, .* is not allowed"):
                sim.step()
    assert sim.center(ball)[1] == before
    assert sim.frame == 1
    sim.gravity[1] = 9.81
    sim.step()
    assert sim.center(ball)[1] != before
    sim.close()
