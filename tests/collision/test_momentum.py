"""Whatever touches whatever: a closed set of bodies keeps its momentum and angular momentum, to
rounding.
"""

import numpy as np
import pytest

from ecs_softbody import Collider, Simulation, blueprints
from tests.helpers.measures import momenta

MAKERS = {
    "blob": lambda place, **kw: blueprints.blob(place, 0.5, **kw),
    "box": lambda place, **kw: blueprints.box(place, 0.9, **kw),
    "ball": lambda place, **kw: blueprints.ball(place, 0.4, **kw),
    "light ball": lambda place, **kw: blueprints.ball(place, 0.3, mass=0.01, **kw),
    "heavy blob": lambda place, **kw: blueprints.blob(place, 0.45, mass=50.0, **kw),
}


@pytest.mark.brief(48)
@pytest.mark.parametrize("restitution", [0.0, 0.8])
@pytest.mark.parametrize("kinds", [["blob"], ["box"], ["ball"], list(MAKERS)], ids="+".join)
@pytest.mark.parametrize("self_collision", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_colliding_bodies_keep_their_momenta(kinds, restitution, self_collision, seed):
    rng = np.random.default_rng(seed)
    sim = Simulation(gravity=(0, 0))
    bodies = []
    touched = 0
    for k in range(8):
        place = np.array((1.2 * (k % 4) - 1.8, 1.2 * (k // 4) - 0.6))
        make = MAKERS[kinds[k % len(kinds)]]
        parts = make(
            place, velocity=-3.0 * place + rng.normal(size=2), restitution=restitution, friction=0.7
        )
        for part in parts:
            if isinstance(part, Collider):
                part.self_collision = self_collision
        sim.spawn(*parts)
        bodies.append(parts[0])
    start = momenta(*bodies)
    size = sum(float((body.mass * np.hypot(*body.velocity.T)).sum()) for body in bodies)
    for _ in range(120):
        sim.step()
        touched = max(touched, len(sim.contacts))
        change = np.abs(momenta(*bodies) - start)
        assert change[:2].max() < 1e-12 * size
        assert change[2] < 1e-11 * size
    assert touched >= 4
