"""What components keep from when they were first packed stays, also when a second Simulation packs
them again.
"""

import esper
import numpy as np
import pytest

from ecs_softbody import AngularSprings, Particles, PressureBody, Simulation, Springs
from tests.helpers.stepping import run_frames


@pytest.fixture
def repack():
    """Pack the current world's components, change them, and pack them again: by takeover or by
    leaving the world.
    """

    def takeover(sim, entity):
        return Simulation(gravity=(0, 0))

    def leave_and_return(sim, entity):
        parts = esper.components_for_entity(entity)
        sim.despawn(entity)
        sim.step(1e-12)
        sim.spawn(*parts)
        return sim

    return {"takeover": takeover, "leave and return": leave_and_return}


@pytest.mark.parametrize("how", ["takeover", "leave and return"])
def test_rest_values_survive(how, repack):
    sim = Simulation(gravity=(0, 0))
    body = Particles([(0, 0), (1, 0), (1, 1), (0, 1)])
    springs = Springs([(0, 1), (1, 2)], stiffness=0.0)
    angles = AngularSprings([(0, 1, 2)], stiffness=0.0)
    gas = PressureBody((0, 1, 2, 3), nRT=0.0)
    entity = esper.create_entity(body, springs, angles, gas)
    sim.step(1e-12)
    before = {
        "length": springs.rest_length.copy(), "angle": angles.rest_angle.copy(),
        "arms": angles.arms.copy(), "orientation": gas.orientation,
    }  # fmt: skip
    body.position[:] = [(0, 0), (0, 3), (-5, 3), (2, -1)]
    sim = repack[how](sim, entity)
    sim.step(1e-12)
    assert np.array_equal(springs.rest_length, before["length"])
    assert np.array_equal(angles.rest_angle, before["angle"])
    assert np.array_equal(angles.arms, before["arms"])
    assert gas.orientation == before["orientation"]


def test_a_ring_that_is_inside_out_at_a_takeover_still_recovers():
    sim = Simulation(gravity=(0, 0))
    angle = 2 * np.pi * np.arange(12) / 12
    rows = np.arange(12)
    body = Particles(np.column_stack([np.cos(angle), np.sin(angle)]), mass=0.1)
    gas = PressureBody(rows, nRT=50.0)
    esper.create_entity(
        body, Springs(np.column_stack([rows, np.roll(rows, -1)]), stiffness=200.0, damping=1.0), gas
    )
    sim.step()
    body.position[:, 0] *= -1.0
    sim = Simulation(gravity=(0, 0))
    run_frames(sim, 900)
    x, y = body.position.T
    assert 0.5 * (x * np.roll(y, -1) - y * np.roll(x, -1)).sum() > 2.5
