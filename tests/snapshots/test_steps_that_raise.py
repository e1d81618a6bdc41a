"""A world that is restored after a step that raised goes on as if that step had never been."""

from __future__ import annotations

import esper
import pytest

from ecs_softbody import (
    Character,
    ContactEvent,
    DistanceLimits,
    Simulation,
    StaticCollider,
    blueprints,
)
from ecs_softbody.processors.order import Order
from tests.helpers.internals import collision_space

HALFWAY = Order.COLLISION + 0.5
"""After the search for contacts that joints need, before they are solved."""
AT_THE_END = -1e6


class Bomb(esper.Processor):
    """Raises once when armed."""

    armed = False

    def process(self, dt: float) -> None:
        """Raise."""
        if self.armed:
            self.armed = False
            raise RuntimeError("a fault of the game")


@pytest.mark.parametrize("solver", ["saturated", "xpbd"])
@pytest.mark.parametrize("priority", [HALFWAY, AT_THE_END])
def test_nothing_is_left_of_a_step_that_raised(solver: str, priority: float) -> None:
    sim = Simulation(world="faults", solver=solver)
    bomb = Bomb()
    sim.add_processor(bomb, priority=priority)
    sim.spawn(StaticCollider([(-9, 0), (9, 0)]))
    balls = [
        sim.spawn(*blueprints.ball((x, 0.7), 0.3, mass=1.0, restitution=0.5)) for x in (0, 0.8)
    ]
    sim.spawn(DistanceLimits([(0, 0)], between=(balls[0], balls[1]), maximum=1.0))
    hero = sim.spawn(*blueprints.blob((-3, 0.5), 0.5), Character())
    jumps: list[int] = []

    def jumped(entity: int, speed: float) -> None:
        jumps.append(entity)

    with sim:
        esper.set_handler("jumped", jumped)
    for _ in range(40):
        sim.step()
    snapshot = sim.snapshot()

    def go_on() -> list[str]:
        hashes = []
        for _ in range(5):
            sim.step()
            hashes.append(sim.state_hash())
        return hashes

    expected = go_on()
    sim.restore(snapshot)
    sim.get(hero, Character).jump = True
    bomb.armed = True
    with pytest.raises(RuntimeError, match="a fault of the game"):
        sim.step()
    sim.restore(snapshot)
    assert go_on() == expected
    assert jumps == []
    sim.close()


def test_pairs_that_such_a_step_has_lost_tell_no_event() -> None:
    sim = Simulation(world="lost")
    sim.spawn(StaticCollider([(-9, 0), (9, 0)]))
    sim.spawn(*blueprints.ball((0, 0.5), 0.3, mass=1.0))
    told: list[str] = []

    def begin(event: ContactEvent) -> None:
        told.append("begin")

    with sim:
        esper.set_handler("contact_begin", begin)
    sim.step()
    snapshot = sim.snapshot()
    while not told:
        sim.step()
    touching = collision_space(sim).tracker.pairs
    touching.note_lost(touching.pairs)  # as a search does in the middle of a frame
    told.clear()
    sim.restore(snapshot)
    sim.step()
    assert told == []
    sim.close()
