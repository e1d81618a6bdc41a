"""Files of odd moments, such as right after a body has gone: the loaded world goes on as the one
that was saved.
"""

from __future__ import annotations

from collections.abc import Callable

import esper
import numpy as np
import pytest

from ecs_softbody import Simulation, StaticCollider, blueprints

FLOOR = [(-5.0, 0.0), (-1.0, 0.0), (0.0, 0.0), (1.0, 0.0), (5.0, 0.0)]


def after_a_ball_went(sim: Simulation) -> None:
    """A collider without an outline has left a block without rows behind the last one."""
    sim.spawn(StaticCollider(FLOOR))
    ball = sim.spawn(*blueprints.ball((0, 1), 0.2))
    sim.spawn(*blueprints.blob((1, 0.6), 0.5))
    run(sim, 30)
    sim.despawn(ball)
    run(sim, 5)


def before_a_body_is_seen(sim: Simulation) -> None:
    """A body has come since the last search."""
    sim.spawn(StaticCollider(FLOOR))
    sim.spawn(*blueprints.blob((1, 0.6), 0.5))
    run(sim, 40)
    sim.spawn(*blueprints.blob((-1, 0.6), 0.5))


def after_a_body_went(sim: Simulation) -> None:
    """A body has gone since the last search."""
    sim.spawn(StaticCollider(FLOOR))
    gone = sim.spawn(*blueprints.blob((1, 0.6), 0.5))
    sim.spawn(*blueprints.blob((-1, 0.6), 0.5))
    run(sim, 40)
    sim.despawn(gone)


def as_a_body_falls_asleep(sim: Simulation) -> None:
    """A body has fallen asleep in the last step, while another one rolls."""
    sim.spawn(StaticCollider([(-50, 0), (50, 0)]))
    sim.spawn(*blueprints.box((0, 0.42), 0.8, material="wood"))
    ball = sim.spawn(*blueprints.ball((-20, 0.2), 0.2))
    sim.get(ball, type(blueprints.ball((0, 0), 0.2)[0])).velocity[:, 0] = 3
    while not sim.asleep_count:
        sim.step()


def after_a_sleeper_went(sim: Simulation) -> None:
    """A body that slept has gone, by esper's own function."""
    sim.spawn(StaticCollider([(-50, 0), (50, 0)]))
    sim.spawn(*blueprints.box((0, 0.42), 0.8, material="wood"))
    gone = sim.spawn(*blueprints.box((3, 0.42), 0.8, material="wood"))
    while sim.asleep_count < 2:
        sim.step()
    with sim:
        esper.delete_entity(int(gone), immediate=True)


def after_walls_were_bent(sim: Simulation) -> None:
    """Vertices of walls have moved since their edges were listed, and a body has come."""
    floor = sim.spawn(StaticCollider(FLOOR))
    ceiling = sim.spawn(StaticCollider([(-1, 3), (1, 3), (1, 4), (-1, 4)], closed=True))
    sim.spawn(*blueprints.blob((0.1, 0.6), 0.5))
    run(sim, 30)
    sim.get(floor, StaticCollider).vertices[2] = 0.0, 0.5
    outline = sim.get(ceiling, StaticCollider).vertices
    outline[:] = outline[::-1].copy()
    run(sim, 2)
    sim.spawn(*blueprints.blob((-3, 1.6), 0.5))


def run(sim: Simulation, frames: int) -> None:
    for _ in range(frames):
        sim.step()


@pytest.mark.brief(3)
@pytest.mark.parametrize(
    "prepare",
    [
        after_a_ball_went,
        before_a_body_is_seen,
        after_a_body_went,
        as_a_body_falls_asleep,
        after_a_sleeper_went,
        after_walls_were_bent,
    ],
)
def test_a_loaded_world_goes_on_as_the_other(prepare: Callable[[Simulation], None]) -> None:
    sim = Simulation(world="saved", substeps=2)
    other = Simulation(world="loaded", substeps=2)
    prepare(sim)
    other.restore(sim.snapshot().to_bytes())
    assert other.state_hash() == sim.state_hash()
    here = sim.contacts
    there = other.contacts
    assert len(here)
    for field in here.saved:
        assert np.array_equal(getattr(here, field.name), getattr(there, field.name)), field.name
    for frame in range(40):
        sim.step()
        other.step()
        assert other.state_hash() == sim.state_hash(), frame
    sim.close()
    other.close()
