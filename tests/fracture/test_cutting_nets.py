"""Cutting ropes, rods and cloth: springs that the segment crosses are gone; what is apart becomes a
piece.
"""

import math

import esper
import numpy as np
import pytest

from ecs_softbody import AngularSprings, Collider, Drag, Particles, Simulation, Springs, blueprints
from ecs_softbody.fracture.net import plan_of_net, springs_across
from tests.fracture.measures import NETS, measure, particles

pytestmark = pytest.mark.filterwarnings("ignore::ecs_softbody.StabilityWarning")


def test_a_rope_becomes_two_ropes():
    sim = Simulation(gravity=(0, 0))
    body = sim.spawn(*blueprints.rope((0, 0), (16, 0), segments=16))
    sim.step()
    particles(body).velocity = np.random.default_rng(1).normal(size=(17, 2))
    before = measure([body])
    (cut,) = sim.cut((5.5, -1), (5.5, 1))
    after = measure(cut.pieces)
    assert [particles(piece).row_count for piece in cut.pieces] == [6, 11]
    assert after.mass == before.mass
    assert np.abs(after.momentum - before.momentum).max() < 1e-14
    assert abs(after.angular_momentum - before.angular_momentum) < 1e-12
    for piece, count in zip(cut.pieces, (6, 11), strict=True):
        collider = esper.component_for_entity(piece, Collider)
        assert not collider.closed
        assert collider.outline.tolist() == list(range(count))
        assert esper.component_for_entity(piece, Springs).row_count == count - 1
        assert esper.component_for_entity(piece, Drag).linear > 0.0
        assert (esper.component_for_entity(piece, Springs).rest_length == 1.0).all()


def test_the_last_particle_becomes_a_disc_of_its_own():
    sim = Simulation(gravity=(0, 0))
    sim.spawn(*blueprints.rope((0, 0), (4, 0), segments=4))
    (cut,) = sim.cut((3.5, -1), (3.5, 1))
    last = cut.pieces[1]
    assert particles(last).row_count == 1
    assert not esper.has_component(last, Springs)
    assert len(esper.component_for_entity(last, Collider).outline) == 0
    sim.step()


def test_a_rod_keeps_the_angles_whose_arms_stay():
    sim = Simulation(gravity=(0, 0))
    sim.spawn(*blueprints.rod((0, 0), (8, 0), segments=8))
    (cut,) = sim.cut((3.5, -1), (3.5, 1))
    kept = [
        esper.component_for_entity(piece, AngularSprings).triples.tolist() for piece in cut.pieces
    ]
    assert kept == [[[k, k + 1, k + 2] for k in range(2)], [[k, k + 1, k + 2] for k in range(3)]]


def test_a_slit_leaves_the_cloth_one_body():
    sim = Simulation(gravity=(0, 0))
    body = sim.spawn(*blueprints.cloth((0, 0), 2.0))
    springs = esper.component_for_entity(body, Springs).row_count
    assert sim.cut((0.0, -0.2), (0.01, 0.6)) == [(body, (body,))]
    assert esper.entity_exists(body)
    assert esper.component_for_entity(body, Springs).row_count < springs
    sim.step()
    assert np.isfinite(particles(body).position).all()


def test_a_line_through_particles_cuts_each_spring_once():
    position = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]])
    pairs = np.array([[0, 1], [1, 2]], np.int32)
    assert len(springs_across(position, pairs, np.array([1.0, -1.0]), np.array([1.0, 1.0]))) == 1
    assert springs_across(position, pairs, np.array([0.0, 0.1]), np.array([2.0, 0.1])) == set()


def test_parts_that_were_apart_before_are_not_parted_further():
    pairs = np.array([[0, 1], [1, 2], [3, 4]], np.int32)
    plan = plan_of_net(6, pairs, {0})
    assert [part.points for part in plan.parts] == [[0], [1, 2], [3, 4, 5]]
    assert len(plan_of_net(6, pairs, set()).parts) == 1


@pytest.mark.brief(10)
@pytest.mark.parametrize("name", NETS)
@pytest.mark.parametrize("seed", range(4))
def test_fifty_random_cuts_in_a_row(name, seed):
    sim = Simulation()
    living = [sim.spawn(*NETS[name]())]
    sim.step()
    before = measure(living).mass
    rng = np.random.default_rng(seed)
    for _ in range(50):
        middle = rng.uniform(-1, 1, 2)
        angle = rng.uniform(0, math.pi)
        away = rng.uniform(0.1, 2) * np.array([math.cos(angle), math.sin(angle)])
        for cut in sim.cut(middle - away, middle + away):
            living.remove(cut.entity)
            living += cut.pieces
        sim.step()
    assert len(living) > 2
    assert measure(living).mass == pytest.approx(before, rel=1e-12)
    assert sum(body.row_count for _, body in esper.get_component(Particles)) == particles_of(name)


def particles_of(name):
    return NETS[name]()[0].row_count
