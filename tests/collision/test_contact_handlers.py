"""Handlers of contact events may do what they like: spawn, delete, raise, ask, close the world or
enter another one.
"""

from __future__ import annotations

import esper
import pytest

from ecs_softbody import ALL, Collider, Particles, Simulation, blueprints
from tests.helpers.listener import Listener, ground, resting_ball
from tests.helpers.stepping import run_frames


def test_a_coin_is_taken_once_though_two_touch_it():
    """The second begin is not told, since the coin is gone; so no end of it either."""

    def take(name, event):
        if name == "contact_begin" and coin in (event.entity_a, event.entity_b):
            sim.despawn(coin)

    sim = Simulation(gravity=(0, 0))
    heard = Listener(reaction=take)
    players = [sim.spawn(*blueprints.ball((x, 0), 0.5)) for x in (-0.7, 0.7)]
    coin = sim.spawn(*blueprints.ball((0, 0), 0.3))
    run_frames(sim, 5)
    assert heard.log == [("contact_begin", players[0], coin), ("contact_end", players[0], coin)]


@pytest.mark.parametrize("immediate", [False, True])
def test_handlers_may_spawn_delete_read_and_filter(immediate):
    def react(name, event):
        assert len(sim.contacts) >= 0
        if name == "contact_begin":
            born.append(resting_ball(sim, 0.6 * len(born) - 4.4))
            esper.delete_entity(event.entity_a, immediate=immediate)
        elif name == "contact_end" and born:
            esper.component_for_entity(born[-1], Collider).mask = ALL & ~4

    born = []
    sim = Simulation()
    heard = Listener(reaction=react)
    ground(sim)
    resting_ball(sim, -5)
    run_frames(sim, 20)
    begins = heard.of("contact_begin")
    ends = heard.of("contact_end")
    assert len(begins) == 20
    assert ends == begins[:-1]


def test_an_exception_in_a_handler_loses_no_event():
    class BrokenError(Exception):
        pass

    def react(name, event):
        if name == "contact_begin":
            raise BrokenError(event.entity_a)

    sim = Simulation()
    heard = Listener("contact_begin", "contact_end", reaction=react)
    balls = [resting_ball(sim, x) for x in (0, 2, 4)]
    floor = ground(sim)
    with pytest.raises(BrokenError, match=str(balls[0])) as caught:
        run_frames(sim, 1)
    assert len(caught.value.__notes__) == 2
    assert (sim.frame, esper.current_world) == (1, sim.world)
    run_frames(sim, 5)
    assert heard.log == [("contact_begin", ball, floor) for ball in balls]


def test_a_step_inside_a_handler_is_refused():
    def react(name, event):
        sim.step()

    sim = Simulation()
    heard = Listener("contact_begin", reaction=react)
    resting_ball(sim)
    ground(sim)
    with pytest.raises(RuntimeError, match="a step is running"):
        sim.step()
    sim.step()
    assert (sim.frame, len(heard.log)) == (2, 1)


@pytest.mark.parametrize("world", ["default", "to be closed"])
def test_a_handler_may_close_the_simulation(world):
    def react(name, event):
        sim.close()

    sim = Simulation(world=world)
    heard = Listener("contact_begin", reaction=react)
    resting_ball(sim)
    resting_ball(sim, 3)
    ground(sim)
    sim.step()
    assert sim.closed
    assert len(heard.log) == 1
    assert (world in esper.list_worlds()) == (world == "default"), "esper's own world cannot go"
    if world == "default":
        esper.switch_world(world)
        assert not esper.get_component(Particles)


def test_a_handler_may_enter_another_world():
    def react(name, event):
        esper.switch_world(sim.world + " next")

    sim = Simulation()
    heard = Listener("contact_begin", reaction=react)
    resting_ball(sim)
    resting_ball(sim, 3)
    ground(sim)
    sim.step()
    assert len(heard.log) == 2


# Whatever happens: begin and end alternate
