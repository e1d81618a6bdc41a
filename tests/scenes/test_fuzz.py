"""Mutated scene files: errors are told, nothing is changed, nothing hangs."""

from __future__ import annotations

import json
import random
import time
import tomllib
import warnings
from pathlib import Path

import pytest

from ecs_softbody import Simulation, blueprints, scenes
from tests.helpers.starts import WHOLE
from tests.imports.samples import broken, sources
from tests.scenes.comparing import state
from tests.scenes.mutations import as_file, mutated, mutated_tree
from tests.scenes.samples import FULL

LONGEST = 5.0  # s


def attempt(sim: Simulation, path: Path) -> tuple[scenes.Scene | None, tuple[scenes.Problem, ...]]:
    try:
        return scenes.load(sim, path), ()
    except scenes.SceneError as error:
        return None, error.problems


def try_files(folder: Path, numbers: range) -> int:
    """Load mutated files into one world; return how many were right."""
    sim = Simulation(world=f"fuzz {numbers}")
    sim.spawn(*blueprints.blob((0, 20), 0.5))
    sim.step()
    before = state(sim)
    settings = (sim.gravity.tolist(), sim.substeps, sim.sleeping)
    right = 0
    tree = tomllib.loads(FULL)
    as_json = json.dumps(tree, indent=1)
    for number in numbers:
        chance = random.Random(number)
        suffix = ".toml" if number % 4 else ".json"
        path = folder / f"mutated{suffix}"
        if number % 3:
            path.write_bytes(as_file(mutated_tree(tree, chance), toml=suffix == ".toml"))
        else:
            path.write_bytes(mutated(FULL if number % 4 else as_json, chance))
        begun = time.process_time()
        scene, problems = attempt(sim, path)
        if scene is None:
            assert problems, number
            assert all(
                str(problem).startswith("mutated.") and problem.message for problem in problems
            ), number
            assert "\n" not in "".join(str(problem) for problem in problems), number
            assert state(sim) == before, number
            assert settings == (sim.gravity.tolist(), sim.substeps, sim.sleeping), number
        else:
            right += 1
            sim.step()
            for name in scene:
                sim.despawn(scene[name])
            sim.close()
            sim = Simulation(world=f"fuzz {numbers}")
            sim.spawn(*blueprints.blob((0, 20), 0.5))
            sim.step()
            settings = (sim.gravity.tolist(), sim.substeps, sim.sleeping)
        assert time.process_time() - begun < LONGEST, number
    sim.close()
    return right


@pytest.mark.brief(3)
@pytest.mark.parametrize("first", range(0, 120, 40))
def test_mutated_files(tmp_path: Path, first: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        assert 0 < try_files(tmp_path, range(first, first + 40)) < 40


@pytest.mark.slow
@pytest.mark.sample(2)
@pytest.mark.parametrize("first", range(0, 2000, 250))
def test_two_thousand_mutated_files(tmp_path: Path, first: int) -> None:
    assert 0 < try_files(tmp_path, range(first, first + 250)) < 250


def try_imports(folder: Path, numbers: range) -> int:
    """Load mutated maps, drawings and pictures, by themselves and imported; return how many were
    refused.
    """
    files = sources()
    refused = 0
    for number in numbers:
        chance = random.Random(number)
        ending = chance.choice((".tmj", ".ldtk", ".svg", ".png"))
        (folder / f"broken{ending}").write_bytes(broken(ending, files[ending], chance))
        (folder / "level.toml").write_text(f'import = "broken{ending}"\n')
        with Simulation(world="fuzz of imports") as sim:
            sim.spawn(*blueprints.ball((0, 20), 0.5))
            before = state(sim)
            begun = time.process_time()
            scene, problems = attempt(
                sim, folder / ("level.toml" if number % 2 else f"broken{ending}")
            )
            assert (scene is None) == bool(problems), number
            assert not any("\n" in str(problem) for problem in problems), number
            assert scene is not None or state(sim) == before, number
            assert time.process_time() - begun < LONGEST, number
            refused += scene is None
    return refused


@pytest.mark.slow
def test_mutated_imports(tmp_path: Path) -> None:
    tries = 2000 if WHOLE else 90
    assert tries / 2 < try_imports(tmp_path, range(tries)) < tries
