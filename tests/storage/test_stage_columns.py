"""Columns that a stage keeps for itself: no attributes of the component, but in its table as all
others.
"""

from __future__ import annotations

import esper
import numpy as np
import pytest

from ecs_softbody import Particles, Simulation, Springs
from ecs_softbody.storage import Column, add_stage_columns


def chain(count: int = 9) -> tuple[Particles, Springs]:
    row = np.arange(count, 0, -1)
    particles = Particles([(0.1 * k, 0.0) for k in range(count + 1)])
    return particles, Springs(np.column_stack([row - 1, row]), stiffness=1.0)


def test_users_see_what_they_set_or_read() -> None:
    shown = {name for name in vars(Springs) if isinstance(vars(Springs)[name], Column)}
    assert shown == {
        "pairs",
        "stiffness",
        "damping",
        "rest_length",
        "effective_stiffness",
        "effective_damping",
    }


def test_a_table_lists_all_columns_with_their_stage() -> None:
    owners = Simulation().buffers[Springs].owners()
    assert owners["stiffness"] == ""
    assert owners["batch_order"] == "SpringBatches"
    assert owners["original_length"] == "PlasticityProcessor"


def test_they_move_with_the_rows_and_come_along_with_copies() -> None:
    sim = Simulation(gravity=(0, 0))
    first, second = (sim.spawn(*chain()) for _ in range(2))
    sim.step()
    springs = esper.component_for_entity(second, Springs)
    before = springs.stage_column("batch_order").copy()
    assert np.array_equal(before, np.arange(9)[::-1])
    sim.despawn(first)
    sim.step()
    assert np.array_equal(springs.stage_column("batch_order"), before)
    assert np.array_equal(
        springs.copied(np.array([0, 3])).stage_column("batch_order"), before[[0, 3]]
    )


def test_a_name_is_declared_once() -> None:
    with pytest.raises(ValueError, match=r"Springs\.stiffness is declared already"):
        add_stage_columns(Springs, "Mine", stiffness=Column(dtype=np.float64))
