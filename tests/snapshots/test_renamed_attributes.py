"""Files know nothing of private attributes: where all have other names, files of before load and go
on as before.
"""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from ecs_softbody import Simulation
from tests.helpers.starts import WHOLE
from tests.snapshots.renaming import SUFFIX, Copy, private_attributes
from tests.snapshots.tampering import file_of

FRAMES = 12
SOLVERS = {"full_world": "saturated", "sleeping_world": "xpbd", "world_of_a_hero": "saturated"}
PLAY = """
import sys, warnings
from pathlib import Path
import ecs_softbody
assert Path(ecs_softbody.__file__).is_relative_to(sys.argv[1])
warnings.simplefilter("ignore")
for path in sorted(Path(sys.argv[1]).glob("*.snapshot")):
    sim = ecs_softbody.Simulation(world=path.stem, substeps=2, solver=path.stem.partition("-")[2])
    sim.restore(path)
    for _ in range(int(sys.argv[2])):
        sim.step()
        print(sim.state_hash())
    sim.snapshot().save(path.with_suffix(".after"))
    sim.close()
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """Return a folder with files of worlds,
    and the hashes after each frame that follows in them.
    """
    folder = tmp_path_factory.mktemp("files")
    hashes = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, solver in SOLVERS.items():
            (folder / f"{name}-{solver}.snapshot").write_bytes(file_of(name, solver))
        for path in sorted(folder.glob("*.snapshot")):
            sim = world_of(path)
            for _ in range(FRAMES):
                sim.step()
                hashes.append(sim.state_hash())
            sim.close()
    return folder, hashes


def world_of(path: Path) -> Simulation:
    """Return the world of a file."""
    sim = Simulation(world=path.stem, substeps=2, solver=path.stem.partition("-")[2])
    sim.restore(path)
    return sim


def played(copy: Copy, folder: Path) -> list[str]:
    """Return the hashes of all files in a copy of the package; it writes a file of each world at
    the end.
    """
    for path in folder.glob("*.snapshot"):
        (copy.folder / path.name).write_bytes(path.read_bytes())
    command = [sys.executable, "-c", PLAY, str(copy.folder), str(FRAMES)]
    done = subprocess.run(
        command,
        check=False,
        capture_output=True,
        text=True,
        cwd=copy.folder,
        env={"PYTHONPATH": str(copy.folder)},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.split()


@pytest.mark.slow
def test_all_private_attributes_may_have_other_names(
    files: tuple[Path, list[str]], tmp_path: Path
) -> None:
    folder, hashes = files
    copy = Copy(tmp_path)
    names = private_attributes()
    assert len(names) > 200
    assert copy.rename(names) > 100
    assert SUFFIX in (tmp_path / "ecs_softbody" / "collision" / "solve" / "solver.py").read_text(
        encoding="utf-8"
    )
    assert played(copy, folder) == hashes
    for number, path in enumerate(sorted(tmp_path.glob("*.after"))):
        sim = world_of(path)
        assert sim.state_hash() == hashes[FRAMES * (number + 1) - 1]
        sim.close()


@pytest.mark.slow
@pytest.mark.skipif(not WHOLE, reason="takes ten minutes: ECS_SOFTBODY_WHOLE=1")
def test_each_private_attribute_may_have_another_name(
    files: tuple[Path, list[str]], tmp_path: Path
) -> None:
    folder, hashes = files
    copy = Copy(tmp_path)
    wrong = [
        name
        for name in private_attributes()
        if copy.rename([name]) == 0 or played(copy, folder) != hashes
    ]
    assert wrong == []
