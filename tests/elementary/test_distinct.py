"""Different values are those that numpy finds, and finding them loads nothing."""

import subprocess
import sys

import numpy as np
import pytest

from ecs_softbody.elementary.rows import distinct, distinct_rows
from ecs_softbody.parallel.compiling import needs_compiler


@pytest.mark.parametrize("count", [0, 1, 2, 50])
@pytest.mark.parametrize("dtype", [np.int64, np.uint32, np.int32])
def test_they_are_those_of_numpy(count: int, dtype: type) -> None:
    values = np.random.default_rng(count).integers(0, 9, (count, 2)).astype(dtype)
    assert np.array_equal(distinct(values), np.unique(values))
    assert np.array_equal(distinct_rows(values), np.unique(values, axis=0).reshape(-1, 2))
    assert distinct(values).dtype == distinct_rows(values).dtype == dtype


PROGRAM = """
import sys
from ecs_softbody import Attachment, Simulation, StaticCollider, blueprints
sim = Simulation()
sim.spawn(StaticCollider([(-9, 0), (9, 0)]))
blob = sim.spawn(*blueprints.blob((0, 0.6), 0.5))
box = sim.spawn(*blueprints.box((3, 0.6), 1.0))
for k in range(9):
    pair = [sim.spawn(*blueprints.blob((x, 2.5 + k), 0.5)) for x in (-1.2, 0.0)]
    sim.spawn(Attachment(pair, rows=(0, 5)))
for _ in range(3):
    sim.step()
sim.cut((-9, 0.6), (9, 0.6))
sim.step()
sim.explode((0, 0), radius=2.0)
sim.step()
print("numpy.ma" in sys.modules)
"""


@pytest.mark.slow
@pytest.mark.skipif(needs_compiler(), reason="numba loads it")
def test_a_cut_a_blast_and_joints_load_no_module_of_numpy() -> None:
    """One took 20 ms, a frame that everybody saw."""
    found = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == "False", found.stdout + found.stderr
