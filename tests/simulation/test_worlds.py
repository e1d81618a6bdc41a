"""Simulations and esper worlds: several side by side, one after the other,
closed and taken over.
"""

import esper
import numpy as np
import pytest

from ecs_softbody import Drag, Order, Particles, Simulation, Springs, StaticCollider, blueprints
from ecs_softbody.processors import FrameEnd, FrameStart
from tests.helpers.internals import processors_of_the_world, stages_of
from tests.helpers.stepping import run_frames


def fall(sim, frames=30):
    run_frames(sim, frames)


def test_worlds_step_independently_and_the_current_one_is_restored():
    first = Simulation(world="first")
    body_a = Particles([(0, 0)])
    esper.create_entity(body_a)
    second = Simulation(world="second", gravity=(1.0, 0.0), substeps=2)
    body_b = Particles([(0, 0)])
    esper.create_entity(body_b)
    esper.switch_world("elsewhere")
    first.step()
    assert esper.current_world == "elsewhere"
    assert body_a.velocity[0] == pytest.approx((0, -9.81 / 60))
    assert np.array_equal(body_b.velocity, [(0, 0)])
    second.step()
    assert esper.current_world == "elsewhere"
    assert body_a.velocity[0] == pytest.approx((0, -9.81 / 60))
    assert body_b.velocity[0] == pytest.approx((1 / 60, 0))
    assert (first.frame, second.frame, first.time) == (1, 1, pytest.approx(1 / 60))


def test_the_world_is_restored_when_a_step_fails():
    sim = Simulation(world="broken")
    esper.create_entity(Springs([(0, 1)], stiffness=1.0))
    esper.switch_world("elsewhere")
    with pytest.raises(ValueError, match="Particles"):
        sim.step()
    assert esper.current_world == "elsewhere"


@pytest.mark.slow
def test_with_block_restores_the_world_also_when_nested_or_failing():
    first = Simulation(world="first")
    second = Simulation(world="second")
    esper.switch_world("elsewhere")
    with first:
        assert esper.current_world == "first"
        with second, first:
            assert esper.current_world == "first"
        assert esper.current_world == "first"
    assert esper.current_world == "elsewhere"
    with pytest.raises(KeyError), second:
        raise KeyError("stop")
    assert esper.current_world == "elsewhere"
    first.activate()
    assert esper.current_world == "first"


def test_second_simulation_takes_over_the_bodies_of_the_first():
    first = Simulation()
    body, *rest = blueprints.blob((0, 3), 0.5)
    esper.create_entity(body, *rest)
    fall(first, 5)
    place = body.position.copy()
    speed = body.velocity.copy()
    second = Simulation(gravity=(0, 0))
    assert first.closed
    with pytest.raises(RuntimeError, match="closed"):
        first.step()
    assert np.array_equal(body.position, place)
    assert np.array_equal(body.velocity, speed)
    second.step()
    assert np.allclose(body.velocity.mean(axis=0), speed.mean(axis=0), atol=1e-12), (
        "gravity counted twice"
    )
    assert np.shares_memory(body.position, second.buffers[Particles].rows["position"])


def test_second_simulation_takes_over_from_one_that_is_forgotten():
    """A Simulation in a local variable is gone after its function; its processors must not stay
    behind.
    """

    def run(x):
        sim = Simulation()
        esper.create_entity(*blueprints.blob((x, 3), 0.5))
        fall(sim, 2)
        return [body.velocity.mean(axis=0) for _, body in esper.get_component(Particles)]

    run(0)
    speeds = run(5)
    assert speeds[0] == pytest.approx((0, -9.81 * 4 / 60), abs=1e-9)
    assert speeds[1] == pytest.approx((0, -9.81 * 2 / 60), abs=1e-9)


def test_processors_of_a_game_survive_a_takeover():
    class Wind(esper.Processor):
        def process(self, dt):
            for _, body in esper.get_component(Particles):
                body.force[:, 0] += 1.0

    first = Simulation(gravity=(0, 0))
    body = Particles([(0, 0)])
    esper.create_entity(body)
    first.add_processor(Wind())
    first.step()
    second = Simulation(gravity=(0, 0))
    second.step()
    assert body.velocity[0, 0] == pytest.approx(2 / 60)


def test_close_empties_the_world_and_forbids_more_steps():
    sim = Simulation(world="gone")
    body = Particles([(0, 7)], mass=3.0)
    esper.create_entity(body)
    fall(sim, 1)
    esper.switch_world("elsewhere")
    sim.close()
    sim.close()
    assert esper.current_world == "elsewhere"
    assert "gone" not in esper.list_worlds()
    assert body.mass[0] == 3.0, "components keep their state in arrays of their own"
    with pytest.raises(RuntimeError, match="closed"):
        sim.step()
    again = Simulation(world="gone")
    again.spawn(body)
    fall(again, 1)


def test_close_of_the_default_world_leaves_an_empty_one():
    sim = Simulation()
    esper.create_entity(Particles([(0, 0)]))
    sim.close()
    assert esper.get_component(Particles) == []
    sim = Simulation()
    sim.step()


def test_two_steps_in_a_process_of_another_world_do_not_mix():
    """A processor that steps another simulation finds its own world again."""
    inner = Simulation(world="inner")
    seen = []

    class Nested(esper.Processor):
        def process(self, dt):
            inner.step()
            seen.append(esper.current_world)

    outer = Simulation(world="outer", substeps=2)
    outer.add_processor(Nested())
    outer.step()
    assert seen == ["outer", "outer"]
    assert inner.frame == 2


def test_priorities_are_kept_and_sorted():
    """esper's add_processor overwrites a class's own priority with 0: the Simulation passes it
    every time.
    """
    sim = Simulation()
    # esper has no public list of them
    found = {type(p).__name__: p.priority for p in processors_of_the_world()}
    stages = {name.removesuffix("Processor"): priority for name, priority in found.items()}
    assert stages["Packing"] == Order.PACKING
    assert stages["Gravity"] == Order.GRAVITY
    assert stages["SpringForce"] == Order.SPRING_FORCE
    assert stages["AngularSpringForce"] == Order.ANGULAR_SPRING_FORCE
    assert stages["PressureForce"] == Order.PRESSURE_FORCE
    assert stages["Drag"] == Order.DRAG
    assert stages["Collision"] == Order.COLLISION
    assert stages["Integration"] == Order.INTEGRATION
    order = [p.priority for p in processors_of_the_world()]
    assert order == sorted(order, reverse=True)
    assert sim.world == "default"


def test_the_order_that_is_promised():
    names = [name for name, _ in sorted(Order.__members__.items(), key=lambda item: -item[1])]
    promised = [
        "PACKING",
        "GRAVITY",
        "SPRING_FORCE",
        "ANGULAR_SPRING_FORCE",
        "PRESSURE_FORCE",
        "SHAPE_MATCHING",
    ]
    promised += ["DRAG", "CUSTOM_FORCE", "COLLISION", "INTEGRATION"]
    assert [name for name in names if name in promised] == promised
    assert [Order[name].value for name in promised] == [
        900,
        800,
        700,
        600,
        500,
        450,
        400,
        300,
        200,
        100,
    ]


def test_event_handlers_belong_to_a_world():
    """esper.event_registry is another dictionary after switch_world: events of one world stay
    there.
    """
    heard = []

    def handler(*arguments):
        heard.append(arguments)

    sim = Simulation(world="with springs")
    a = sim.spawn(Particles([(0, 0)]))
    b = sim.spawn(Particles([(1, 0)]))
    sim.spawn(Springs([(0, 0)], stiffness=1.0, between=(a, b)))
    esper.switch_world("elsewhere")
    esper.set_handler("link_removed", handler)
    sim.step()
    sim.despawn(a)
    sim.step()
    assert heard == []


def test_custom_processor_runs_once_a_substep_between_the_stages():
    seen = []

    class Spy(esper.Processor):
        def process(self, dt):
            [(_, body)] = esper.get_component(Particles)
            seen.append((dt, body.force[0, 1]))

    sim = Simulation(substeps=4)
    esper.create_entity(
        Particles([(0, 0)], mass=2.0), Drag(linear=0.0), StaticCollider([(-1, -9), (1, -9)])
    )
    sim.add_processor(Spy())
    sim.step(1 / 30)
    assert seen == [(pytest.approx(1 / 120), pytest.approx(-19.62))] * 4


class Counts(esper.Processor):
    """Counts the substeps that it runs in, and may bring somebody along or go."""

    def __init__(self, sim, brings=None, stays=99):
        self.sim = sim
        self.brings = brings
        self.stays = stays
        self.runs = 0

    def process(self, dt):
        self.runs += 1
        if self.runs == 1 and self.brings:
            self.sim.add_processor(self.brings, priority=Order.CUSTOM_FORCE)
        if self.runs == self.stays:
            esper.remove_processor(type(self))


class Later(Counts):
    """Another class: esper keeps one processor of each."""


def test_processors_that_come_and_go_during_a_substep_count_from_the_next():
    sim = Simulation(substeps=8)
    later = Later(sim)
    first = Counts(sim, brings=later, stays=5)
    sim.add_processor(first, priority=Order.PACKING + 1)
    sim.step()
    sim.spawn(Particles([(0, 0)]))  # stages that had nothing to do have something now
    sim.step()
    assert (first.runs, later.runs) == (5, 15)


def test_the_ends_of_a_frame_run_in_the_order_that_is_told():
    pipeline = stages_of(Simulation())
    assert (list(pipeline.frame_start), list(pipeline.frame_end)) == (
        list(FrameStart),
        list(FrameEnd),
    )
