"""What joints may gain is what they, and contacts of the same substep, have taken: nothing else is
banked, whatever a game or another stage writes.
"""

from __future__ import annotations

import numpy as np
import pytest

from ecs_softbody import (
    Attachment,
    DistanceLimits,
    Particles,
    Simulation,
    StaticCollider,
    blueprints,
)
from tests.helpers.internals import forget_stages, stages_of

SOLVERS = ["saturated", "xpbd"]
LENGTH = 0.9


def bank_of(sim: Simulation) -> float:
    """Return the energy that all joints may regain [J]."""
    return float(stages_of(sim).joints.rows.bank.sum())


def slack_pair(solver: str) -> tuple[Simulation, Particles, DistanceLimits]:
    """Two discs at 10 m/s, on a string that has been taut and is slack now."""
    sim = Simulation(world="slack pair", gravity=(0, 0), solver=solver, sleeping=False)
    discs = Particles([(0, 0), (1, 0)], mass=1.0, velocity=[(10, 0), (10, 0)], radius=0.05)
    string = DistanceLimits([(0, 1)], maximum=1.0)
    sim.spawn(discs, string)
    sim.step()
    discs.position[:] = [(0, 0), (LENGTH, 0)]
    sim.step()
    return sim, discs, string


@pytest.mark.parametrize("solver", SOLVERS)
def test_discs_that_a_game_stops_leave_nothing_to_a_slack_string(solver: str) -> None:
    """Each substep banked 100 J: they were pulled through each other at 3 m/s."""
    sim, discs, string = slack_pair(solver)
    discs.velocity[:] = 0.0
    sim.step()
    assert bank_of(sim) == pytest.approx(0.0, abs=1e-9)
    string.maximum[:] = 0.1
    for _ in range(30):
        sim.step()
    apart = float(discs.position[1, 0] - discs.position[0, 0])
    sim.close()
    # Each is shifted at 0.5 m/s, for half a second.
    assert apart == pytest.approx(LENGTH - 0.5, rel=0.01)


@pytest.mark.parametrize("way", ["rollback", "stages made anew"])
def test_a_slack_string_goes_on_with_the_same_bits(way: str) -> None:
    """The velocities of a substep long ago counted, which no snapshot has."""

    def go_on() -> str:
        discs.velocity[:] = 0.0
        sim.step()
        string.maximum[:] = 0.1
        for _ in range(4):
            sim.step()
        return sim.state_hash()

    sim, discs, string = slack_pair("saturated")
    start = sim.snapshot()
    expected = go_on()
    sim.restore(start)
    if way == "stages made anew":
        forget_stages(sim)
    assert go_on() == expected
    sim.close()


def test_a_blow_gives_a_ball_on_a_string_nothing_to_regain() -> None:
    """The shares of its impulse were taken for velocities: 246 J in a world of 5 J."""
    sim = Simulation(world="blow", gravity=(0, 0), sleeping=False)
    mass = 1000.0
    striker, *parts = blueprints.ball((-0.205, 0), 0.1, mass=mass, restitution=1.0, friction=0.0)
    striker.velocity[:] = 0.1, 0.0
    sim.spawn(striker, *parts)
    ball = sim.spawn(*blueprints.ball((0, 0), 0.1, mass=mass, restitution=1.0, friction=0.0))
    hook = sim.spawn(Particles([(-0.7, 0.7)], pinned=True))
    sim.spawn(DistanceLimits([(0, 0)], between=(hook, ball), maximum=np.hypot(0.7, 0.7)))
    most = 0.0
    for _ in range(12):
        sim.step()
        most = max(most, bank_of(sim))
    sim.close()
    assert striker.velocity[0, 0] < 0.0
    assert most < 0.01


@pytest.mark.parametrize("solver", SOLVERS)
def test_sleeping_bodies_bank_nothing(solver: str) -> None:
    sim = Simulation(world="asleep", solver=solver)
    sim.spawn(StaticCollider([(-9, 0), (9, 0)]))
    boxes = [sim.spawn(*blueprints.box((x, 0.5), 1.0)) for x in (0.0, 1.3)]
    sim.spawn(Attachment((boxes[0], boxes[1]), rows=(1, 0)))
    for _ in range(300):
        sim.step()
        if sim.is_asleep(boxes[0]):
            break
    assert sim.is_asleep(boxes[0])
    sim.step()
    before = bank_of(sim)
    for _ in range(20):
        sim.step()
    assert bank_of(sim) == before
    sim.close()
