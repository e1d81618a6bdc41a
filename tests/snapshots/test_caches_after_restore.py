"""Whatever a world has cached before a restore is right afterwards, too."""

from __future__ import annotations

import pytest

from ecs_softbody import Particles, Simulation, StaticCollider, blueprints


@pytest.mark.parametrize("solver", ["saturated", "xpbd"])
def test_sleepers_sleep_on_where_columns_have_moved(solver: str) -> None:
    sim = Simulation(world="sleepers", solver=solver)
    sim.spawn(StaticCollider([(-9, 0), (9, 0)]))
    sleeper = sim.spawn(*blueprints.ball((0, 0.3), 0.3, mass=1.0, restitution=0.0))
    while not sim.is_asleep(sleeper):
        sim.step()
    snapshot = sim.snapshot()
    sim.step()  # now the columns that a game may write to are listed
    expected = sim.state_hash()
    sim.restore(snapshot)
    later = sim.spawn(*blueprints.ball((4, 3), 0.3, mass=1.0))
    sim.interpolated_positions()
    held = sim.get(later, Particles).position
    sim.restore(snapshot)  # moves the column, so that `held` cannot write to it
    sim.step()
    assert len(held) == 1
    assert sim.is_asleep(sleeper)
    assert sim.state_hash() == expected
    sim.get(sleeper, Particles).position[:] += (0, 1)
    sim.step()
    assert not sim.is_asleep(sleeper)
    sim.close()


def test_walls_that_a_game_writes_to_wake_sleepers_where_columns_have_moved() -> None:
    sim = Simulation(world="walls")
    wall = sim.spawn(StaticCollider([(-9, 0), (9, 0)]))
    sleeper = sim.spawn(*blueprints.ball((0, 0.3), 0.3, mass=1.0, restitution=0.0))
    while not sim.is_asleep(sleeper):
        sim.step()
    snapshot = sim.snapshot()
    sim.step()
    later = sim.spawn(StaticCollider([(20, 0), (22, 0)]))
    sim.interpolated_positions()
    held = sim.get(later, StaticCollider).vertices
    sim.restore(snapshot)
    sim.step()
    assert len(held) == 2
    assert sim.is_asleep(sleeper)
    sim.get(wall, StaticCollider).vertices[:] += (0, 0.1)
    sim.step()
    assert not sim.is_asleep(sleeper)
    sim.close()
