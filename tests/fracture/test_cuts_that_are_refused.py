"""Cuts that are refused: bad input, closed simulations, bodies that are not whole."""

import esper
import numpy as np
import pytest

from ecs_softbody import Simulation, StaticCollider, blueprints
from tests.fracture.measures import particles

pytestmark = pytest.mark.filterwarnings("ignore::ecs_softbody.StabilityWarning")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (((0, 0), (0, 0)), r"Simulation.cut.end: \(0, 0\) is not allowed"),
        (((0, np.nan), (0, 1)), r"Simulation.cut.start: .* is not allowed"),
        (((0, 0), "here"), r"Simulation.cut.end: 'here' is not allowed"),
        (((-9, 0), (9, 0), 4711), "Simulation.cut.entity: 4711 .* that exists"),
        (((-9, 0), (9, 0), "box"), "Simulation.cut.entity: 'box' is not allowed"),
        (((-9, 0), (9, 0), "ball"), "expected a body with a closed outline, springs or limits"),
        (((-9, 0), (9, 0), "wall"), "expected a body with a closed outline, springs or limits"),
        (((-9, 0), (9, 0), "gone"), "an entity that exists"),
    ],
)
def test_bad_input_is_refused_and_changes_nothing(arguments, words):
    sim = Simulation(gravity=(0, 0))
    box = sim.spawn(*blueprints.box((0, 0), 1.0))
    named = {
        "ball": sim.spawn(*blueprints.ball((3, 0), 0.2)),
        "wall": sim.spawn(StaticCollider([(-5, -3), (5, -3)])),
        "gone": sim.spawn(*blueprints.box((5, 0), 1.0)),
    }
    sim.step()
    sim.despawn(named["gone"])
    start, end, *entity = arguments
    asked = named.get(entity[0], entity[0]) if entity else None
    with pytest.raises(ValueError, match=words):
        sim.cut(
            start, end, entity=[box, asked] if isinstance(asked, int) and asked != 4711 else asked
        )
    assert esper.entity_exists(box)


def test_a_closed_simulation_cuts_nothing():
    sim = Simulation(world="closed")
    sim.close()
    with pytest.raises(RuntimeError):
        sim.cut((0, 0), (1, 0))


def test_a_body_that_is_not_finite_or_inside_out_is_left_alone():
    sim = Simulation(gravity=(0, 0))
    body = sim.spawn(*blueprints.box((0, 0), 1.0))
    sim.step()
    particles(body).position *= (-1.0, 1.0)
    assert sim.cut((-2, 0), (2, 0)) == []
    particles(body).position[3] = np.nan
    assert sim.cut((-2, 0), (2, 0)) == []
