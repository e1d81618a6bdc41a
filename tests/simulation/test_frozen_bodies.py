"""NaN that a game writes: its body is frozen and reported, the others go on as if it were not
there.
"""

import esper
import numpy as np
import pytest

from ecs_softbody import (
    Collider,
    FrozenBodyWarning,
    Particles,
    PressureBody,
    ShapeMatching,
    Simulation,
    Springs,
    StaticCollider,
    blueprints,
)
from ecs_softbody.processors import Order
from tests.helpers.bodies import disc
from tests.helpers.stepping import run

pytestmark = pytest.mark.filterwarnings("ignore::ecs_softbody.FrozenBodyWarning")


class Reports:
    """Collects the events `body_frozen`."""

    def __init__(self):
        self.found = []
        esper.set_handler("body_frozen", self.add)

    def add(self, entity, message):
        self.found.append((entity, message))


def stack():
    """A blob on the ground, a disc on the blob and one beside it."""
    sim = Simulation()
    bodies = [blueprints.blob((0, 0.5), 0.5), disc(0, 1.3), disc(3, 0.25)]
    entities = [sim.spawn(*body) for body in bodies]
    sim.spawn(StaticCollider([(-50, 0), (50, 0)]))
    run(sim, 0.3)
    return sim, [body[0] for body in bodies], entities


WRITES = {
    "position": lambda body: body.position.__setitem__((0, 1), np.nan),
    "velocity": lambda body: body.velocity.__setitem__((0, 0), np.inf),
    "mass": lambda body: body.mass.__setitem__(0, np.nan),
    "radius": lambda body: body.radius.__setitem__(0, np.nan),
    "force": lambda body: body.force.__setitem__((0, 1), -np.inf),
}


@pytest.mark.brief(3)
@pytest.mark.parametrize("field", WRITES)
def test_a_body_with_a_bad_number_is_reported_and_the_others_go_on(field):
    sim, (blob, on_top, beside), entities = stack()
    reports = Reports()
    WRITES[field](blob)
    sim.step()
    bad = {"velocity": "inf", "force": "-inf"}.get(field, "nan")
    (entity, message), *others = reports.found
    assert (entity, others) == (entities[0], [])
    assert message.startswith(
        f"Particles.{field} of entity {entity}: {bad} in row 0 is not allowed; expected "
    )
    assert message.endswith("; the body is frozen until it is")
    if field != "force":
        run(sim, 1.5)
        assert len(reports.found) == 1, "told once"
        assert on_top.position[0, 1] == pytest.approx(0.25, abs=2e-3), (
            "it falls through the frozen one"
        )
    assert np.isfinite(beside.position).all()
    assert beside.position[0] == pytest.approx((3.0, 0.25), abs=2e-3)


def test_there_is_a_warning_that_can_be_made_an_error():
    sim, (blob, *_), _ = stack()
    blob.position[3] = np.nan
    with pytest.warns(FrozenBodyWarning, match="Particles.position of entity 1: nan in row 3"):
        sim.step()


def test_what_springs_join_to_a_frozen_body_is_not_infected():
    sim = Simulation(gravity=(0, 0))
    bodies = [Particles([(x, 0.0), (x + 0.5, 0.0)]) for x in (0.0, 1.0, 2.0)]
    entities = [sim.spawn(body, Springs([(0, 1)], stiffness=100.0)) for body in bodies]
    for a, b in ((0, 1), (1, 2)):
        sim.spawn(Springs([(1, 0)], stiffness=100.0, between=(entities[a], entities[b])))
    bodies[2].velocity = (1.0, 0.0)
    run(sim, 0.1)
    bodies[0].position[1] = np.nan
    before = bodies[1].mass @ bodies[1].velocity + bodies[2].mass @ bodies[2].velocity
    run(sim, 1)
    assert np.isnan(bodies[0].position[1]).all()
    assert np.isfinite(bodies[1].position).all()
    after = bodies[1].mass @ bodies[1].velocity + bodies[2].mass @ bodies[2].velocity
    assert after == pytest.approx(before, abs=1e-12), "the link to the frozen body pulls no more"


class Spoil(esper.Processor):
    """Writes NaN into a column of one body."""

    def __init__(self, entity, field):
        self.entity = entity
        self.field = field
        self.active = True

    def process(self, dt):
        if self.active:
            getattr(esper.component_for_entity(self.entity, Particles), self.field)[0] = np.nan


@pytest.mark.parametrize("field", ["position", "velocity", "force"])
@pytest.mark.parametrize(
    "order",
    [Order.WAKING + 1, Order.SPRING_FORCE + 1, Order.CUSTOM_FORCE, Order.CONTACT_CORRECTION - 1],
)
def test_a_processor_at_any_place_infects_only_its_own_body(field, order):
    """The neighbour of a spring would get NaN forces in the same substep: they are found anew."""
    sim = Simulation()
    reports = Reports()
    a = Particles([(0, 5)])
    b = Particles([(1, 5)])
    entities = [sim.spawn(a), sim.spawn(b)]
    sim.spawn(Springs([(0, 0)], stiffness=100.0, between=(entities[0], entities[1])))
    sim.add_processor(Spoil(entities[0], field), priority=order)
    run(sim, 0.5)
    assert {entity for entity, _ in reports.found} == {entities[0]}
    assert len(reports.found) <= 2
    assert np.isfinite(b.position).all()
    assert b.velocity[0, 1] == pytest.approx(-9.81 * 0.5, rel=1e-9), "it falls freely"


@pytest.mark.brief(3)
@pytest.mark.parametrize("solver", ["saturated", "xpbd"])
@pytest.mark.parametrize(
    "order", [Order.SPRING_FORCE, Order.XPBD, Order.JOINTS, Order.ENERGY, Order.TEARING - 1]
)
def test_a_force_that_is_finite_and_too_large_does_not_pass_on_by_contact(order, solver):
    sim = Simulation(world="too strong", solver=solver)
    sim.spawn(StaticCollider([(-9, 0), (9, 0)]))
    one, other = (sim.spawn(*blueprints.blob((x, 0.45), 0.5)) for x in (0.0, 0.9))
    sim.step()
    sim.add_processor(Push(sim.get(one, Particles)), priority=order)
    with pytest.warns(
        FrozenBodyWarning, match=f"force of entity {one}: 1e.200 .* at most 1e.30 m/s²"
    ):
        run(sim, 0.1)
    assert np.isfinite(sim.get(other, Particles).position).all()
    assert np.abs(sim.get(other, Particles).position).max() < 2.0
    sim.close()


class Push(esper.Processor):
    """Pushes one body harder than can be calculated with."""

    def __init__(self, body):
        self.body = body

    def process(self, dt):
        self.body.force[::2] = 1e200


def test_a_frozen_body_goes_on_when_its_numbers_are_finite_again():
    sim, (_, _, beside), entities = stack()
    reports = Reports()
    beside.position[0] = np.nan
    run(sim, 0.2)
    beside.position = (3.0, 2.0)
    beside.velocity = 0.0
    run(sim, 0.2)
    assert 1.0 < beside.position[0, 1] < 2.0
    run(sim, 2)
    assert beside.position[0] == pytest.approx((3.0, 0.25), abs=2e-3)
    assert [entity for entity, _ in reports.found] == [entities[2]]


def test_a_frozen_body_can_be_deleted_and_its_place_used_again():
    sim, (_, _, beside), entities = stack()
    beside.position[0] = np.nan
    sim.step()
    sim.despawn(entities[2])
    body, collider = disc(3, 1)
    sim.spawn(body, collider)
    run(sim, 2)
    assert body.position[0] == pytest.approx((3.0, 0.25), abs=2e-3)


def test_a_handler_may_delete_the_body():
    sim, (blob, *_), entities = stack()

    def remove(entity, message):
        sim.despawn(entity)

    esper.set_handler("body_frozen", remove)
    blob.velocity[2] = np.nan
    sim.step()
    sim.step()
    assert not esper.entity_exists(entities[0])


def test_nan_wakes_and_freezes_a_sleeping_body_and_its_island_goes_on():
    sim = Simulation()
    lower = disc(0, 0.25)
    upper = disc(0, 0.75)
    entities = [sim.spawn(*lower), sim.spawn(*upper)]
    for wall in ([(-9, 0), (9, 0)], [(-0.26, 0), (-0.26, 3)], [(0.26, 0), (0.26, 3)]):
        sim.spawn(StaticCollider(wall))
    run(sim, 1.5)
    assert sim.asleep_count == 2
    lower[0].position[0, 0] = np.nan
    run(sim, 1)
    assert not sim.is_asleep(entities[0])
    assert upper[0].position[0, 1] == pytest.approx(0.25, abs=2e-3)


def test_every_kind_of_element_of_a_frozen_body_is_left_out():
    sim = Simulation()
    ring = np.arange(6)
    angle = np.pi * ring / 3
    body = Particles(np.column_stack((np.cos(angle), np.sin(angle))), radius=0.1)
    sim.spawn(
        body,
        Springs(np.column_stack((ring, np.roll(ring, 1))), stiffness=100.0),
        PressureBody(ring, nRT=10.0),
        ShapeMatching(stiffness=10.0),
        Collider(outline=ring),
    )
    run(sim, 0.1)
    body.velocity[2] = np.nan
    before = body.position.copy()
    run(sim, 0.5)
    assert np.array_equal(body.position, before)
    assert not body.force.any()


@pytest.mark.slow
def test_a_frozen_body_with_particles_inside_lets_others_move_for_long():
    sim = Simulation(substeps=2)
    ball = blueprints.ball((-4, 0.2), 0.2)
    box = blueprints.box((0, 1), 1.0)
    for body in (ball, box, [StaticCollider([(-50, 0), (50, 0)])]):
        sim.spawn(*body)
    run(sim, 0.1)
    box[0].position[0] = np.nan
    for _ in range(4):
        ball[0].velocity[:, 0] = 1.0
        run(sim, 1)
    assert ball[0].position[0, 0] > -3.8
