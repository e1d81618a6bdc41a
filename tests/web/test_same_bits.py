"""Scenes, the world with everything and games end in the same bits in Pyodide, in node, as here."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import state_hashes
from ecs_softbody.cli.new import make_game
from ecs_softbody.web.making.archive import files_below, our_files
from ecs_softbody.web.making.kernels import kernels_folder
from ecs_softbody.web.making.modules import GAME, OTHERS, archives
from tests.helpers.pages import node, pyodide

ROOT = Path(__file__).parents[2]
SCENES = ("S1", "S2_10", "S2_100", "S3_1000", "S4", "S4_wide")
PROGRAM = """
import sys, warnings
warnings.simplefilter("ignore")
sys.path.insert(0, "/here/benchmarks")
import state_hashes

for name in sys.argv[1].split(","):
    for solver in sys.argv[2].split(","):
        print(name, solver, state_hashes.digest_of(state_hashes.SCENES[name](solver, 1)), flush=True)
"""
NEW_GAME = """
import state_hashes
from mygame.game import Mygame

def frames():
    game = Mygame()
    game.begin()
    for _ in range(300):
        game.advance(game.autopilot())
        yield game.sim
    game.close()

print(state_hashes.digest_of(frames()))
"""

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what a page would have, and what is run in it."""
    made = tmp_path_factory.mktemp("node")
    parts = archives(our_files(kernels_folder()), {}, pyodide())
    (made / "ours.zip").write_bytes(parts[GAME])
    (made / "packages.zip").write_bytes(parts[OTHERS])
    (made / "hashes.py").write_text(PROGRAM)
    shutil.copytree(ROOT / "benchmarks", made / "benchmarks")
    return made


def in_pyodide(folder: Path, program: str, *words: str) -> list[str]:
    runtime = pyodide()
    command = [
        node(),
        str(Path(__file__).with_name("run.mjs")),
        str(runtime.folder),
        runtime.site,
        str(folder),
        program,
    ]
    ended = subprocess.run([*command, *words], capture_output=True, text=True, timeout=1200, check=False)
    assert ended.returncode == 0, ended.stderr[-3000:]
    return ended.stdout.splitlines()


def here(name: str, solver: str) -> str:
    return state_hashes.digest_of(state_hashes.SCENES[name](solver, 1))


@pytest.mark.parametrize("name", [*SCENES, "everything"])
def test_scenes_end_in_the_same_bits(folder: Path, name: str) -> None:
    found = in_pyodide(folder, "hashes.py", name, "saturated,xpbd")
    assert found == [f"{name} {solver} {here(name, solver)}" for solver in ("saturated", "xpbd")]


@pytest.mark.parametrize("name", state_hashes.GAMES)
def test_games_end_in_the_same_bits(folder: Path, name: str) -> None:
    assert in_pyodide(folder, "hashes.py", name, "saturated") == [f"{name} saturated {here(name, 'saturated')}"]


def test_a_new_game_ends_in_the_same_bits(folder: Path) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        made = Path(scratch) / "mygame"
        make_game(made)
        for name, content in files_below(made / "mygame", "mygame"):
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_bytes(content)
    (folder / "new.py").write_text('import sys\nsys.path.insert(0, "/here/benchmarks")\n' + NEW_GAME)
    paths = [str(folder), str(folder / "benchmarks")]
    command = [sys.executable, "-c", f"import sys; sys.path[:0] = {paths}\n{NEW_GAME}"]
    native = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert in_pyodide(folder, "new.py") == native
