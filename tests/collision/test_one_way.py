"""One-way platforms: solid to what comes from their solid side,
open to the whole body otherwise.
"""

import esper
import numpy as np
import pytest

from ecs_softbody import ALL, Collider, Particles, Simulation, StaticCollider, blueprints
from tests.helpers.stepping import run, run_frames

pytestmark = pytest.mark.filterwarnings("ignore::ecs_softbody.StabilityWarning")

FLAT = [(-3, 0), (3, 0)]
ROUGH = [(x, 0.15 * np.sin(2 * x)) for x in np.linspace(-3, 3, 25)]
BLOCK = [(-3, -0.3), (3, -0.3), (3, 0), (-3, 0)]
BODIES = {
    "disc": lambda at, **more: (Particles([at], radius=0.25, **more), Collider()),
    "blob": lambda at, **more: blueprints.blob(at, 0.4, **more),
    "box": lambda at, **more: blueprints.box(at, 0.6, **more),
    "rope": lambda at, **more: blueprints.rope(
        np.subtract(at, (0.6, 0.1)), np.add(at, (0.6, 0.1)), segments=8, **more
    ),
}


def platform(vertices=FLAT, **options):
    return StaticCollider(vertices, one_way=(0, 1), closed=vertices is BLOCK, **options)


def thrown(sim, kind, at, up):
    body, *rest = BODIES[kind](at)
    body.velocity[:] = (0.0, up)
    return body, sim.spawn(body, *rest)


@pytest.mark.brief(12)
@pytest.mark.parametrize("vertices", [FLAT, ROUGH, BLOCK], ids=["flat", "rough", "block"])
@pytest.mark.parametrize("kind", BODIES)
def test_a_body_from_below_passes_freely_and_then_stands(kind, vertices):
    """Up to the top it moves as if there were no platform, bit for bit; then it comes down and
    stays.
    """
    sim = Simulation()
    body, _ = thrown(sim, kind, (0, -1.2), 9.0)
    sim.spawn(platform(vertices))
    free = Simulation(world="free")
    twin, _ = thrown(free, kind, (0, -1.2), 9.0)
    while sim.time < 0.7:
        sim.step()
        free.step()
        assert (body.position == twin.position).all()
    assert body.position[:, 1].min() > 0.3
    run(sim, 2)
    assert body.position[:, 1].min() > -0.16


@pytest.mark.brief(8)
@pytest.mark.parametrize("vertices", [FLAT, ROUGH, BLOCK], ids=["flat", "rough", "block"])
@pytest.mark.parametrize("kind", BODIES)
@pytest.mark.parametrize("reached", [-0.2, 0.0, 0.2])
def test_a_body_that_turns_half_through_falls_back_freely(kind, vertices, reached):
    """Wherever its middle turns round, it is neither lifted nor caught, nor pushed aside."""
    sim = Simulation()
    free = Simulation(world="free")
    speed = np.sqrt(2 * 9.81 * (reached + 1.2))
    body, _ = thrown(sim, kind, (0, -1.2), speed)
    sim.spawn(platform(vertices))
    twin, _ = thrown(free, kind, (0, -1.2), speed)
    for _ in range(80):
        sim.step()
        free.step()
        assert (body.position == twin.position).all()


@pytest.mark.brief(4)
@pytest.mark.parametrize("kind", BODIES)
def test_a_body_that_begins_half_through_is_left_alone(kind):
    """It stays, and then moves sideways inside the platform and out at its end, as if there were
    none.
    """
    sim = Simulation(gravity=(0, 0))
    free = Simulation(gravity=(0, 0), world="free")
    body, _ = thrown(sim, kind, (0, 0), 0.0)
    sim.spawn(platform())
    twin, _ = thrown(free, kind, (0, 0), 0.0)
    for frame in range(90):
        if frame == 30:
            body.velocity[:] = twin.velocity[:] = (4.0, 0.0)
        sim.step()
        free.step()
        assert (body.position == twin.position).all()


@pytest.mark.parametrize("kind", ["disc", "blob", "box"])
def test_a_platform_that_rises_picks_up_only_what_is_wholly_above(kind):
    sim = Simulation(gravity=(0, 0))
    above, *rest = BODIES[kind]((-1.5, 1.0))
    sim.spawn(above, *rest)
    half, *rest = BODIES[kind]((1.5, 0.0))
    sim.spawn(half, *rest)
    lift = platform(velocity=(0, 2.0))
    sim.spawn(lift)
    run_frames(sim, 90)
    assert above.position[:, 1].min() > lift.vertices[0, 1]
    assert above.velocity[:, 1].mean() > 1.99
    assert half.position[:, 1].mean() == pytest.approx(0.0, abs=0.05)


@pytest.mark.brief(10)
@pytest.mark.parametrize("speed", [10.0, 100.0, 500.0])
@pytest.mark.parametrize("kind", ["disc", "blob", "box"])
def test_fast_bodies_are_stopped_from_above_and_pass_from_below(kind, speed):
    for start, velocity in ((6.0, -speed), (-6.0, speed)):
        sim = Simulation(gravity=(0, 0), world=f"{velocity}")
        body, entity = thrown(sim, kind, (0.013, start), velocity)
        skin = (
            slice(None)
            if kind == "disc"
            else esper.component_for_entity(entity, Collider).outline.copy()
        )
        sim.spawn(platform())
        for _ in range(60):
            sim.step()
            if velocity < 0:
                assert body.position[skin, 1].min() > 0.0
        assert body.position[:, 1].min() > 0.0
        if velocity > 0:
            assert body.velocity[:, 1].mean() == pytest.approx(speed, abs=1e-6)


@pytest.mark.brief(4)
@pytest.mark.parametrize("kind", BODIES)
def test_a_body_that_comes_from_the_side_below_the_top_passes(kind):
    """Its upper half is over the platform, its lower half is not: no wall in its way."""
    sim = Simulation(gravity=(0, 0))
    free = Simulation(gravity=(0, 0), world="free")
    body, _ = thrown(sim, kind, (-5, 0.05), 0.0)
    sim.spawn(platform())
    twin, _ = thrown(free, kind, (-5, 0.05), 0.0)
    body.velocity[:] = twin.velocity[:] = (6.0, 0.0)
    for _ in range(75):
        sim.step()
        free.step()
        assert (body.position == twin.position).all()


def test_a_body_walks_from_ground_onto_a_platform_of_the_same_height():
    sim = Simulation()
    sim.spawn(StaticCollider([(-9, 0), (-3, 0)], friction=0.0))
    sim.spawn(platform(friction=0.0))
    for k, kind in enumerate(("disc", "blob")):
        body, *rest = BODIES[kind]((-5 - 1.5 * k, 0.25 + 0.16 * k))
        sim.spawn(body, *rest)
    bodies = [component for _, component in esper.get_component(Particles)]
    run(sim, 1)
    for body in bodies:
        body.velocity[:, 0] += 3.0
    run(sim, 1.4)
    for body in bodies:
        assert body.position[:, 0].min() > -3.0
        assert body.position[:, 1].min() > -0.01


@pytest.mark.brief(6)
@pytest.mark.parametrize("kind", BODIES)
def test_a_body_drops_through_when_the_game_says_so(kind):
    """Once asked it falls freely through, and stands on the next platform below."""
    sim = Simulation()
    body, entity = thrown(sim, kind, (0, 0.5), 0.0)
    upper = sim.spawn(platform())
    sim.spawn(platform([(-3, -3), (3, -3)]))
    run(sim, 2)
    assert body.position[:, 1].min() > -0.01
    sim.pass_through(entity, upper)
    run(sim, 0.5)
    assert body.position[:, 1].max() < 0.3
    run(sim, 2)
    assert -3.01 < body.position[:, 1].min() < -2.5
    body.position[:, 1] += 4.0
    run(sim, 2)
    assert body.position[:, 1].min() > -0.01, "the platform is solid again"


def test_dropping_through_is_asked_for_what_can_do_it():
    sim = Simulation()
    body = sim.spawn(*blueprints.ball((0, 1), 0.2))
    wall = sim.spawn(StaticCollider(FLAT))
    shelf = sim.spawn(platform())
    for arguments in ((body, wall), (body, 99), (wall, shelf), (99, shelf)):
        with pytest.raises(ValueError, match=r"Simulation\.pass_through"):
            sim.pass_through(*arguments)
    sim.pass_through(body, shelf)


def test_the_state_of_a_pass_survives_spawns_deletions_and_masks():
    """While a body is half through, others come and go in front of it; a filter that opens half way
    catches nothing.
    """
    sim = Simulation()
    first = [sim.spawn(*blueprints.ball((8 + k, 5), 0.2)) for k in range(3)]
    body, _ = thrown(sim, "blob", (0, -1.2), np.sqrt(2 * 9.81 * 1.2))
    sim.spawn(platform(ROUGH))
    free = Simulation(world="free")
    twin, _ = thrown(free, "blob", (0, -1.2), np.sqrt(2 * 9.81 * 1.2))
    for frame in range(75):
        if frame % 20 == 5 and first:
            sim.despawn(first.pop())
        if frame % 10 == 0:
            sim.spawn(*blueprints.box((-20 - frame, 5), 1.0, rows=6, columns=6))
        sim.step()
        free.step()
        assert (body.position == twin.position).all()


def test_a_filter_that_closes_while_a_body_is_half_through_does_not_catch_it():
    sim = Simulation()
    body, *rest = BODIES["blob"]((0, 0.42))
    sim.spawn(body, *rest)
    sim.spawn(platform())
    run(sim, 1)
    rest[-1].mask = 0
    run(sim, 0.3)
    assert body.position[:, 1].min() < 0.0 < body.position[:, 1].max()
    rest[-1].mask = ALL
    run(sim, 0.5)
    assert body.position[:, 1].max() < 0.0


def test_a_blob_stands_on_a_platform_narrower_than_its_points():
    """The platform pokes between two points of the ring:
    still the body as a whole came from above.
    """
    sim = Simulation()
    body, *rest = blueprints.blob((0.0, 0.6), 0.5, particles=12, friction=1.0)
    sim.spawn(body, *rest)
    sim.spawn(platform([(-0.04, 0), (0.04, 0)], friction=1.0, radius=0.02))
    run(sim, 0.5)
    assert body.position[:, 1].mean() > 0.3


def test_a_rope_that_hangs_over_the_end_stays():
    sim = Simulation()
    body, *rest = blueprints.rope((1.5, 0.1), (3.6, 0.1), segments=20, friction=1.0)
    sim.spawn(body, *rest)
    sim.spawn(platform(friction=1.0))
    run(sim, 3)
    assert body.position[0, 1] > -0.01
    assert body.position[-1, 1] < -0.3
