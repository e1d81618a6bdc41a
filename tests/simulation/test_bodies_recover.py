"""Single bodies come back from being mirrored, crushed to a line or a point, and twisted; no
contact helps them.
"""

import numpy as np
import pytest

from ecs_softbody import (
    AngularSprings,
    AreaConstraint,
    Collider,
    ShapeMatching,
    Simulation,
    blueprints,
)
from tests.helpers.bodies import ring_of
from tests.helpers.measures import signed_area
from tests.helpers.outlines import crossings_within
from tests.helpers.stepping import run_frames

COUNT = 24
SECONDS = 5
FASTEST = 100.0
"""No start of a body of 1 m and 1 kg gives more speed than this [m/s]; sound in its springs goes at
200 m/s.
"""


def blob():
    return blueprints.blob((0, 0), 0.5, mass=1.0)


def bent_blob():
    """With angular springs, which know left from right, to keep the skin from folding."""
    body, springs, gas, collider = blob()
    rows = np.arange(body.row_count)
    triples = np.column_stack([np.roll(rows, 1), rows, np.roll(rows, -1)])
    return (
        body,
        springs,
        gas,
        collider,
        AngularSprings(triples, stiffness=0.2 * springs.stiffness[0], damping=0.001),
    )


def ring(*parts, stiffness=2000.0):
    body, skin = ring_of(COUNT, 0.5, stiffness=stiffness, damping=1.0)
    return body, skin, Collider(outline=range(COUNT)), *parts


def held_ring():
    return ring(AreaConstraint(range(COUNT), stiffness=1000.0, damping=2.0))


def matched_ring():
    return ring(ShapeMatching(stiffness=20.0, damping=0.5))


def lattice(rows=5, columns=5):
    return blueprints.box((0, 0), (columns / rows, 1.0), mass=1.0, rows=rows, columns=columns)


BODIES = {
    "blob": blob,
    "blob with angles": bent_blob,
    "ring with an area": held_ring,
    "ring with a shape": matched_ring,
    "lattice": lattice,
    "small lattice": lambda: lattice(3, 3),
    "long lattice": lambda: lattice(4, 8),
}
STARTS = {
    "squeezed": lambda x, y: (x, 0.3 * y),
    "mirrored": lambda x, y: (-x, y),
    "line": lambda x, y: (x, 0.0 * y),
    "almost a point": lambda x, y: (1e-3 * x, 1e-3 * y),
    "figure eight": lambda x, y: (x, np.where(x < 0, -y, y)),
    "one loop turned over": lambda x, y: (x, np.where(x < -0.3, -y, y)),
}


def run(parts, start):
    """Let a body go from a crushed start; return its outline before and after, and its greatest
    speed.
    """
    sim = Simulation(gravity=(0, 0))
    body = parts[0]
    outline = next(part.outline for part in parts if isinstance(part, Collider))
    sim.spawn(*parts)
    sim.step(1e-12)
    whole = body.position[outline].copy()
    body.position = np.column_stack(start(*body.position.T))
    fastest = 0.0
    for _ in range(60 * SECONDS):
        sim.step()
        fastest = max(fastest, float(np.hypot(*body.velocity.T).max()))
    return whole, body.position[outline], fastest


@pytest.mark.brief(30)
@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("name", BODIES)
def test_it_is_upright_and_whole_again(name, start):
    whole, now, fastest = run(BODIES[name](), STARTS[start])
    assert crossings_within(now) == 0
    assert signed_area(now) == pytest.approx(signed_area(whole), rel=0.05)
    assert fastest < FASTEST


@pytest.mark.brief(7)
@pytest.mark.parametrize("name", BODIES)
def test_a_squeeze_to_a_third_gives_little_speed(name):
    """What a game does to a body, as against what should never happen to one."""
    assert run(BODIES[name](), STARTS["squeezed"])[2] < 30.0


@pytest.mark.brief(4)
@pytest.mark.parametrize("name", ["blob", "blob with angles", "ring with a shape", "lattice"])
def test_a_body_in_one_point_unfolds(name):
    """All particles at exactly the same place: only rounding, or a rest shape,
    tells where to go.
    """
    whole, now, fastest = run(BODIES[name](), lambda x, y: (0.0 * x, 0.0 * y))
    assert crossings_within(now) == 0
    assert signed_area(now) == pytest.approx(signed_area(whole), rel=0.05)
    assert fastest < FASTEST


def test_a_mirrored_lattice_of_springs_alone_is_mended():
    """Springs do not know left from right."""
    whole, now, _ = run(
        [part for part in lattice() if not isinstance(part, ShapeMatching)], STARTS["mirrored"]
    )
    assert signed_area(now) == pytest.approx(signed_area(whole), rel=1e-2)


@pytest.mark.brief(3)
@pytest.mark.parametrize("make", [held_ring, lattice, blob])
def test_a_spinning_body_keeps_its_angular_momentum(make):
    """Ten seconds of a jelly that spins and wobbles, nothing touching it: within 1e-6, in fact to
    rounding.
    """
    sim = Simulation(gravity=(0, 0))
    parts = make()
    body = parts[0]
    sim.spawn(*parts)
    sim.step(1e-12)
    x, y = body.position.T
    body.velocity = 6.0 * np.column_stack([-y, x]) + 0.5 * np.random.default_rng(1).normal(
        size=(len(x), 2)
    )

    def momenta():
        place = body.position
        velocity = body.velocity
        mass = body.mass
        turning = mass @ (place[:, 0] * velocity[:, 1] - place[:, 1] * velocity[:, 0])
        return np.array([*(mass @ velocity), turning])

    before = momenta()
    run_frames(sim, 600)
    assert momenta() == pytest.approx(before, abs=1e-10)
