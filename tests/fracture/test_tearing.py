"""Tearing: thresholds, one event, what is kept, and no dust."""

import esper
import numpy as np
import pytest

from ecs_softbody import (
    Collider,
    Particles,
    Plasticity,
    Simulation,
    Springs,
    StaticCollider,
    Tearing,
    blueprints,
)
from tests.fracture.measures import measure, particles
from tests.helpers.stepping import run_frames

pytestmark = pytest.mark.filterwarnings("ignore::ecs_softbody.StabilityWarning")


@pytest.fixture
def heard():
    told = []

    def on_body_torn(entity, pieces):
        told.append(("body_torn", entity, pieces))

    def on_spring_torn(entity, row):
        told.append(("spring_torn", entity, row))

    esper.switch_world("default")  # every world has handlers of its own
    for handler in (on_body_torn, on_spring_torn):
        esper.set_handler(handler.__name__.removeprefix("on_"), handler)
    yield told
    esper.switch_world("default")
    for handler in (on_body_torn, on_spring_torn):
        esper.remove_handler(handler.__name__.removeprefix("on_"), handler)


def hung_rope(sim, load, **threshold):
    """A rope with a load at its end that grows to `load` [N], the rope's own weight included,
    within two seconds.
    """
    rope, *others = blueprints.rope(
        (0, 0), (0, -2), segments=16, pin_start=True, thickness=0.02, damping_ratio=0.5
    )
    entity = sim.spawn(rope, *others, Tearing(**threshold))
    own = 9.81 * rope.mass[1:].sum()

    class Load(esper.Processor):
        def process(self, dt):
            if esper.entity_exists(entity):
                rope.force[-1, 1] -= min(sim.time / 2.0, 1.0) * (load - own)

    sim.add_processor(Load())
    return entity


@pytest.mark.brief(2)
@pytest.mark.parametrize(("share", "tears"), [(0.95, False), (1.05, True)])
def test_a_slowly_loaded_rope_carries_its_limit_and_tears_just_above_it(share, tears, heard):
    sim = Simulation()
    entity = hung_rope(sim, share * 20.0, force=20.0)
    whole = particles(entity).mass.sum()
    run_frames(sim, 240)
    assert len(heard) == tears
    assert sum(body.mass.sum() for _, body in esper.get_component(Particles)) == pytest.approx(
        whole, rel=1e-12
    )
    if tears:
        (name, torn, pieces) = heard[0]
        held = esper.entity_exists(entity)
        assert (name, torn, len(pieces), held) == ("body_torn", entity, 2, False)
        assert particles(pieces[1]).position[:, 1].max() < -2.0  # the lower half falls


def test_strain_is_exact(heard):
    sim = Simulation(gravity=(0, 0))
    pair = Particles([(0, 0), (1.0, 0)], pinned=True)
    sim.spawn(pair, Springs([(0, 1)], stiffness=5.0, rest_length=1.0), Tearing(strain=0.3))
    pair.position[1, 0] = 1.2999
    sim.step()
    assert heard == []
    pair.position[1, 0] = 1.3001
    sim.step()
    assert [name for name, *_ in heard] == ["body_torn"]
    assert len(esper.get_component(Particles)) == 2
    assert not esper.get_component(Springs)


def loaded_bridge(limit):
    """A bridge of rope that bears a load in its middle, up to what the largest pull in it is
    `limit` [N].
    """
    sim = Simulation()
    rope, springs, *others = blueprints.rope(
        (-2, 0),
        (2, 0),
        segments=20,
        pin_start=True,
        pin_end=True,
        thickness=0.05,
        mass=0.2,
        slack=0.02,
        damping_ratio=1.0,
    )
    body = sim.spawn(rope, springs, *others, Tearing(force=limit))
    state = {"load": 0.0, "pull": 0.0}

    class Load(esper.Processor):
        def process(self, dt):
            if esper.entity_exists(body):
                state["load"] = 20.0 * min(sim.time / 5.0, 1.0)
                rope.force[10, 1] -= state["load"]
                lengths = np.hypot(*np.diff(rope.position, axis=0).T)
                state["pull"] = (
                    springs.effective_stiffness * (lengths - springs.rest_length)
                ).max()

    sim.add_processor(Load())
    return sim, body, state


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.95, 1.05])
def test_a_bridge_carries_its_limit_and_breaks_just_above_it(share, heard):
    sim, body, state = loaded_bridge(np.inf)
    run_frames(sim, 420)
    full = state["pull"]
    sim.close()
    sim, body, state = loaded_bridge(full / share)
    run_frames(sim, 420)
    assert len(heard) == (share > 1.0)
    assert esper.entity_exists(body) == (share < 1.0)
    if share > 1.0:
        assert 20.0 / 1.1 < state["load"] < 20.0
        run_frames(sim, 240)
        assert [name for name, *_ in heard] == ["body_torn"]
        halves = [particles(piece) for piece in heard[0][2]]
        assert all(np.isfinite(half.position).all() for half in halves)
        assert sum(half.mass.sum() for half in halves) == pytest.approx(0.2, rel=1e-12)
        assert min(half.position[:, 1].min() for half in halves) < -1.0


def test_a_net_loses_springs_before_it_comes_apart(heard):
    sim = Simulation(gravity=(0, 0))
    cloth, springs, *others = blueprints.cloth((0, 0), 2.0, rows=6, columns=6)
    body = sim.spawn(cloth, springs, *others, Tearing(strain=0.5))
    sim.step()
    cloth.pinned[14] = True
    cloth.position[14] += (0.35, 0.1)
    run_frames(sim, 30)
    torn = [row for name, _, row in heard if name == "spring_torn"]
    assert torn
    if esper.entity_exists(body):
        assert esper.component_for_entity(body, Springs).row_count == 60 - len(torn)


def pulled(build, speed=0.5, **threshold):
    """A body whose left and right ends are drawn apart."""
    sim = Simulation(gravity=(0, 0))
    body, *others = build()
    x = body.position[:, 0]
    left = x < x.min() + 0.05
    right = x > x.max() - 0.05
    body.kinematic = left | right
    body.velocity[left] = (-speed, 0)
    body.velocity[right] = (speed, 0)
    entity = sim.spawn(body, *others, Tearing(**threshold))
    sim.step()
    return sim, entity


@pytest.mark.brief(2)
@pytest.mark.parametrize(
    "build",
    [
        lambda: blueprints.box((0, 0), (2, 1), rows=5, columns=9, frequency=8),
        lambda: blueprints.polygon([(-1, -0.2), (1, -0.2), (1, 0.2), (-1, 0.2)], frequency=15),
    ],
)
def test_a_body_with_an_outline_is_torn_across_and_loses_nothing(build, heard):
    sim, body = pulled(build, strain=0.6)
    before = measure([body])
    living = {body}
    run_frames(sim, 300)
    for _, entity, pieces in heard:
        living = (living - {entity}) | set(pieces)
    after = measure(living)
    assert 1 <= len(heard) <= 6
    assert after.mass == pytest.approx(before.mass, rel=1e-12)
    assert after.rest_area == pytest.approx(before.rest_area, abs=1e-9)
    assert after.spoiled == 0
    assert all(particles(entity).row_count >= 5 for entity in living)


def test_nothing_tears_without_threshold_or_below_it(heard):
    sim, body = pulled(lambda: blueprints.box((0, 0), 1.0), speed=0.02)
    esper.component_for_entity(body, Tearing).strain = 5.0
    run_frames(sim, 60)
    assert heard == []


def test_a_tear_in_the_middle_of_a_fall_keeps_the_motion(heard):
    sim = Simulation()
    rope, *others = blueprints.rope((0, 0), (2, 0), segments=8)
    sim.spawn(rope, *others[:-2], Tearing(strain=0.2))
    sim.step()
    rope.velocity[:4, 0] -= 60.0
    momentum = rope.mass @ rope.velocity
    run_frames(sim, 6)
    assert heard
    now = sum(body.mass @ body.velocity for _, body in esper.get_component(Particles))
    assert now == pytest.approx(
        momentum + rope.mass.sum() * np.array([0, -9.81]) * 6 / 60, abs=1e-11
    )


def test_what_yields_first_does_not_tear(heard):
    sim = Simulation(gravity=(0, 0))
    pair = Particles([(0, 0), (1.0, 0)], pinned=True)
    sim.spawn(
        pair,
        Springs([(0, 1)], stiffness=5.0, rest_length=1.0),
        Tearing(strain=0.3),
        Plasticity(yield_strain=0.1),
    )
    for length in np.linspace(1.0, 3.0, 200):
        pair.position[1, 0] = length
        sim.step()
    assert heard == []


def test_a_sleeping_body_that_is_asked_to_tear_wakes_up(heard):
    sim = Simulation()
    sim.spawn(StaticCollider([(-3, -1), (3, -1)]))
    body = sim.spawn(*blueprints.box((0, -0.5), 1.0), Tearing(strain=0.5))
    run_frames(sim, 400)
    assert sim.is_asleep(body)
    assert heard == []
    particles(body).position *= (1.9, 1.0)
    run_frames(sim, 5)
    assert heard


@pytest.mark.parametrize("name", ["strain", "force"])
@pytest.mark.parametrize("value", [-1.0, 0.0, np.nan, "much", [1.0, 2.0]])
def test_bad_thresholds_are_refused(name, value):
    with pytest.raises(ValueError, match=rf"Tearing\.{name}: .* is not allowed"):
        Tearing(**{name: value})


def test_tearing_needs_particles():
    sim = Simulation()
    sim.spawn(Collider(), Tearing(strain=1.0))
    with pytest.raises(ValueError, match="no Particles"):
        sim.step()
