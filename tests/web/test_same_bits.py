"""Scenes, the world with everything and games end in the same bits in Pyodide, in node and in
Chromium, as here.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import state_hashes
from ecs_softbody.cli.new import make_game
from ecs_softbody.web.making.archive import files_below, our_files
from ecs_softbody.web.making.kernels import kernels_folder
from ecs_softbody.web.making.modules import GAME, OTHERS, archives
from tests.helpers import chromium
from tests.helpers.pages import READY, included_site, needs_chromium, node, pyodide

ROOT = Path(__file__).parents[2]
PROGRAMS = ("state_hashes.py", "scenes.py", "included.py")
SCENES = ("S1", "S2_10", "S2_100", "S3_1000", "S4", "S4_wide", "everything")
NEW = "a new game"
CASES = (
    *(f"{name} {solver}" for name in SCENES for solver in ("saturated", "xpbd")),
    *(f"{name} saturated" for name in state_hashes.GAMES),
    f"{NEW} saturated",
)
HASHES = f"""
import state_hashes

def frames():
    from mygame.game import Mygame

    game = Mygame()
    game.begin()
    for _ in range(300):
        game.advance(game.autopilot())
        yield game.sim
    game.close()

def digest(case):
    name, solver = case.rsplit(" ", 1)
    return state_hashes.digest_of(frames() if name == {NEW!r} else state_hashes.SCENES[name](solver, 1))
"""
ALL = f"""
import warnings
import hashes

warnings.simplefilter("ignore")
for case in {CASES!r}:
    print(case, hashes.digest(case), sep=": ", flush=True)
"""

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what is run: the programs, and a new game."""
    made = tmp_path_factory.mktemp("bits")
    for name in PROGRAMS:
        shutil.copy(ROOT / "benchmarks" / name, made)
    (made / "hashes.py").write_text(HASHES)
    (made / "all.py").write_text(ALL)
    make_game(made / "new" / "mygame")
    (made / "mygame").mkdir()
    for name, content in files_below(made / "new" / "mygame" / "mygame", "mygame"):
        (made / name).parent.mkdir(exist_ok=True)
        (made / name).write_bytes(content)
    return made


@pytest.fixture(scope="module")
def here(folder: Path) -> dict[str, str]:
    """What all cases end in on this machine."""
    return hashes_of([sys.executable, str(folder / "all.py")])


def hashes_of(command: list[str]) -> dict[str, str]:
    """Return the hashes that a program prints, by case."""
    ended = subprocess.run(command, capture_output=True, text=True, timeout=1200, check=False)
    assert ended.returncode == 0, ended.stderr[-3000:]
    return dict(line.split(": ") for line in ended.stdout.splitlines())


@pytest.fixture(scope="module")
def in_node(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    runtime = pyodide()
    run = tmp_path_factory.mktemp("node")
    shutil.copytree(folder, run, dirs_exist_ok=True)
    parts = archives(our_files(kernels_folder()), {}, runtime)
    (run / "ours.zip").write_bytes(parts[GAME])
    (run / "packages.zip").write_bytes(parts[OTHERS])
    program = str(Path(__file__).with_name("run.mjs"))
    return hashes_of([node(), program, str(runtime.folder), runtime.site, str(run), "all.py"])


@pytest.fixture(scope="module")
def page(folder: Path) -> Iterator[chromium.Page]:
    """A page with the programs in its Python, at its start button."""
    with chromium.served(included_site()) as address, chromium.opened() as opened:
        opened.open(address)
        opened.wait_for(READY)
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(folder)
            if path.suffix in (".py", ".toml") and name.parts[0] != "new":
                there = json.dumps(f"/home/pyodide/{name.as_posix()}")
                opened.evaluate(f"ecs_softbody.py.FS.mkdirTree({there}.replace(/[^/]*$/, ''))")
                opened.evaluate(
                    f"ecs_softbody.py.FS.writeFile({there}, {json.dumps(path.read_text())})"
                )
        opened.evaluate(
            "ecs_softbody.py.runPython(`import sys; sys.path.insert(0, '/home/pyodide')`)"
        )
        yield opened


@pytest.mark.parametrize("case", CASES)
def test_node_ends_in_the_same_bits(
    here: dict[str, str], in_node: dict[str, str], case: str
) -> None:
    assert in_node[case] == here[case]


@needs_chromium
@pytest.mark.parametrize("case", CASES)
def test_chromium_ends_in_the_same_bits(
    here: dict[str, str], page: chromium.Page, case: str
) -> None:
    found = page.evaluate(f"ecs_softbody.py.runPython(`import hashes; hashes.digest({case!r})`)")
    assert found == here[case]
