"""Worlds of bodies that sleep, and how to get there."""

from ecs_softbody import ShapeMatching, Simulation, StaticCollider, blueprints
from tests.helpers.bodies import disc, ground
from tests.helpers.stepping import run

G = 9.81


def rigid_box(center, size=1.0, **options):
    """A box that is stiff enough to come to rest soon."""
    parts = [
        part
        for part in blueprints.box(center, size, **options)
        if not isinstance(part, ShapeMatching)
    ]
    return *parts, ShapeMatching(stiffness=1e6, damping=5.0)


def sleeping_pair(*, gravity=(0.0, -G)):
    """Two discs asleep, one on the other between two posts; returns sim, bodies, entities."""
    sim = Simulation(gravity=gravity)
    lower = disc(0, 0.25)
    upper = disc(0, 0.75)
    entities = [sim.spawn(*lower), sim.spawn(*upper)]
    sim.spawn(ground())
    sim.spawn(StaticCollider([(-0.26, 0), (-0.26, 3)]))
    sim.spawn(StaticCollider([(0.26, 0), (0.26, 3)]))
    run(sim, 2)
    assert sim.asleep_count == 2
    return sim, (lower[0], upper[0]), entities


def sleeping_on(wall, *, height=0.25):
    sim = Simulation()
    body, collider = disc(0, height)
    entity = sim.spawn(body, collider)
    platform = sim.spawn(wall)
    run(sim, 1.5)
    assert sim.is_asleep(entity)
    return sim, body, entity, platform
