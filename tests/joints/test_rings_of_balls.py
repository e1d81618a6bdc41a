"""Rings of balls on strings, which a mouse pulls through themselves: balls support and pull each
other at once.
"""

import numpy as np
import pytest

from ecs_softbody import DistanceLimits, MouseJoint, Simulation, StaticCollider, blueprints

COUNT = 14


def largest_stretch(heavy, frequency, substeps):
    """Return how long a string gets at most in five seconds, as a share of its length; one ball
    weighs `heavy` kg.
    """
    sim = Simulation(substeps=substeps)
    sim.spawn(StaticCollider([(-3, 3), (-1, 0), (1, 0), (3, 3)], friction=0.5))
    angle = np.linspace(0.0, 2.0 * np.pi, COUNT, endpoint=False)
    places = np.column_stack((np.cos(angle), 1.4 + np.sin(angle)))
    length = float(np.hypot(*(places[1] - places[0])))
    balls = []
    entities = []
    for k in range(COUNT):
        parts = blueprints.ball(
            tuple(places[k]), 0.18, mass=heavy if k == 3 else 1.0, restitution=0.0
        )
        entities.append(sim.spawn(*parts))
        balls.append(parts[0])
    for k in range(COUNT):
        sim.spawn(
            DistanceLimits(
                [(0, 0)], maximum=length, between=(entities[k], entities[(k + 1) % COUNT])
            )
        )
    sim.spawn(MouseJoint(entities[0], at=tuple(places[0]), target=(-2.0, 2.0), frequency=frequency))
    most = 0.0
    for _ in range(300):
        sim.step()
        place = np.array([ball.position[0] for ball in balls])
        most = max(most, float(np.hypot(*(place - np.roll(place, -1, axis=0)).T).max()))
    sim.close()
    return most / length


@pytest.mark.parametrize("frequency", [3.0, 6.0])
@pytest.mark.parametrize(("substeps", "limit"), [(4, 1.2), (8, 1.06)])
@pytest.mark.parametrize("heavy", [1.0, 20.0])
def test_strings_hold_while_balls_press_on_each_other(heavy, substeps, limit, frequency):
    """Without any support by balls of the same ring strings were up to 1.6 times as long."""
    assert largest_stretch(heavy, frequency, substeps) < limit
