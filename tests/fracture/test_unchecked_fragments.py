"""What a cut makes of parts that are right is not checked; checked, it would be the same."""

from __future__ import annotations

import copy
from typing import Any

import esper
import numpy as np
import pytest

from ecs_softbody import AreaConstraint, Collider, Particles, PressureBody, Simulation, blueprints
from ecs_softbody.components.healing import Healing
from ecs_softbody.rendering import Look
from ecs_softbody.storage import Component

BODIES = {
    "blob": blueprints.blob((0.0, 0.0), 0.6),
    "box": blueprints.box((0.0, 0.0), (1.2, 0.9)),
    "polygon": blueprints.polygon([(-0.6, -0.5), (0.7, -0.4), (0.5, 0.6), (-0.4, 0.5)]),
}


@pytest.mark.parametrize("name", BODIES)
def test_fragments_have_what_their_classes_allow(name: str) -> None:
    sim = Simulation()
    body = sim.spawn(*copy.deepcopy(BODIES[name]), Look(fill=(200, 10, 10), eyes=2, mood="happy"))
    sim.get(body, Collider).friction, sim.get(body, Collider).mask = 0.7, 6
    sim.step()
    (cut,) = sim.cut((-2.0, 0.03), (2.0, 0.13))
    kinds = set()
    for piece in cut.pieces:
        with sim:
            components: list[Any] = list(esper.components_for_entity(piece))
        for component in components:
            if isinstance(component, Component) and not isinstance(component, Particles):
                kinds.add(type(component))
                made = type(component)(**component.arguments())
                for column, array in {**made.row_arrays, **made.value_arrays}.items():
                    known = {**component.row_arrays, **component.value_arrays}[column]
                    assert known.dtype == array.dtype, (type(component), column)
                    np.testing.assert_array_equal(
                        known, array, err_msg=f"{type(component)} {column}"
                    )
        assert (
            sim.get(piece, Look)
            == sim.get(cut.pieces[0], Look)
            == Look(fill=(200, 10, 10), eyes=2, mood="happy")
        )
        assert (sim.get(piece, Collider).friction, sim.get(piece, Collider).mask) == (0.7, 6)
    assert {Collider, Healing} <= kinds
    assert kinds & {PressureBody, AreaConstraint} or name == "box"
    sim.close()


def test_gas_and_area_are_shared_by_the_pieces() -> None:
    sim = Simulation()
    body = sim.spawn(*blueprints.blob((0.0, 0.0), 0.6))
    sim.step()
    gas = sim.get(body, PressureBody).nRT
    (cut,) = sim.cut((-2.0, 0.03), (2.0, 0.13))
    shares = [sim.get(piece, PressureBody).nRT for piece in cut.pieces]
    assert sum(shares) == pytest.approx(gas)
    assert min(shares) > 0.3 * gas
    sim.close()
