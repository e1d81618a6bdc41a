"""Everything at once: joints, muscles, materials, fields, cuts and explosions at random, with both
solvers.
"""

import hashlib
import subprocess
import sys
import warnings

import numpy as np
import pytest

from ecs_softbody import Particles, StabilityWarning
from tests.simulation.random_full_worlds import FullWorld

SOLVERS = ("saturated", "xpbd")
DIGESTS = """
import sys, warnings
warnings.simplefilter("ignore")
from tests.simulation.test_random_full_worlds import digest
print(*[digest(seed, solver) for solver in ("saturated", "xpbd") for seed in (1, 4, 6)])
"""


def speeds(seeds, solver, substeps, *, tame=False):
    """Run the worlds of these seeds; return the greatest speed of each."""
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StabilityWarning)
        for seed in seeds:
            world = FullWorld(seed, solver=solver, tame=tame)
            found.append(world.run(substeps))
            assert found[-1] <= world.sim.speed_limit * (1 + 1e-9), f"seed {seed}: {found[-1]} m/s"
            world.sim.close()
    return np.array(found)


@pytest.mark.slow
@pytest.mark.parametrize("solver", SOLVERS)
def test_random_worlds_of_everything_stay_finite(solver):
    assert np.median(speeds(range(20), solver, 200)) < 1000.0


@pytest.mark.slow
@pytest.mark.parametrize("solver", SOLVERS)
def test_bodies_of_the_blueprints_get_no_great_speed_from_anything(solver):
    found = speeds(range(200, 230), solver, 200, tame=True)
    assert np.median(found) < 100.0
    assert (found > 2000.0).mean() < 0.1


@pytest.mark.slow
@pytest.mark.sample(2)
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("first", range(1000, 1100, 25))
def test_hundreds_of_random_worlds_of_everything_stay_finite(first, solver):
    assert np.median(speeds(range(first, first + 25), solver, 500)) < 3000.0
    found = speeds(range(first, first + 25), solver, 400, tame=True)
    assert (found > 2000.0).mean() <= 0.2


def digest(seed, solver):
    """Return a fingerprint of all that a world of everything does in 300 substeps."""
    world = FullWorld(seed, solver=solver)
    found = hashlib.sha256()
    for _ in range(30):
        world.run(10)
        rows = world.sim.buffers[Particles].rows
        found.update(
            rows["position"].tobytes()
            + rows["velocity"].tobytes()
            + bytes([world.sim.asleep_count])
        )
    world.sim.close()
    return found.hexdigest()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ecs_softbody.StabilityWarning")
def test_the_same_bit_for_bit_twice_and_in_another_process(request):
    command = [sys.executable, "-c", DIGESTS]
    run = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        cwd=request.config.rootpath,
    )
    assert run.returncode == 0, run.stderr
    twice = [[digest(seed, solver) for solver in SOLVERS for seed in (1, 4, 6)] for _ in range(2)]
    assert twice[0] == twice[1] == run.stdout.split()
