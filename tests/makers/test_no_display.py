"""A program that cannot open its window ends in one sentence, however it was started."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ecs_softbody.play import NoDisplay
from ecs_softbody.play.opening import NO_DISPLAY

pytestmark = [pytest.mark.slow, pytest.mark.skipif("sys.platform != 'linux'")]

GAME = """
from ecs_softbody import Simulation, blueprints
from ecs_softbody.play import Game, play, show

class Hop(Game):
    title = "Hop"

    def start(self):
        self.close()
        self.sim = Simulation(world="hop")
        self.sim.spawn(*blueprints.blob((0, 1), 0.6))

def main():
    play(Hop)

def look():
    sim = Simulation()
    sim.spawn(*blueprints.blob((0, 1), 0.6))
    show(sim)
"""
STARTS = {
    "a file": ["game.py"],
    "a package": ["-m", "hop"],
    "a simulation": ["-c", "from hop import look; look()"],
    "the menu": [
        "-c",
        "from ecs_softbody.play.launch.playing import choose_and_play; choose_and_play({})",
    ],
}
GONE = (":4321", "no-such-computer.invalid:0")
"""Displays that are not there."""
WITHOUT_GL = """
import ctypes, ctypes.util
find = ctypes.util.find_library
ctypes.util.find_library = lambda name: None if "GL" in name else find(name)
class Library(ctypes.CDLL):
    def __init__(self, name, *others, **options):
        if "GL" in str(name):
            raise OSError(name)
        super().__init__(name, *others, **options)
ctypes.CDLL, ctypes.cdll.LoadLibrary = Library, Library
"""


def started(
    folder: Path, arguments: list[str], **environment: str
) -> subprocess.CompletedProcess[str]:
    (folder / "hop").mkdir()
    (folder / "hop" / "__init__.py").write_text(GAME)
    (folder / "hop" / "__main__.py").write_text("from hop import main\n\nmain()\n")
    (folder / "game.py").write_text(GAME + "\nmain()\n")
    paths = os.pathsep.join([str(folder), *(path for path in sys.path if path)])
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in ("DISPLAY", "PYGLET_HEADLESS")
    }
    command = [sys.executable, *arguments]
    return subprocess.run(
        command,
        cwd=folder,
        env={**kept, "PYTHONPATH": paths, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.parametrize(
    ("start", "display"), [*((start, "") for start in STARTS), *(("a file", one) for one in GONE)]
)
def test_without_a_display_a_program_ends_in_the_sentence(
    start: str, display: str, tmp_path: Path
) -> None:
    ended = started(tmp_path, STARTS[start], DISPLAY=display)
    assert (ended.returncode, ended.stdout, ended.stderr) == (1, "", f"{NO_DISPLAY}\n")


@pytest.mark.window
def test_without_opengl_a_program_ends_in_a_sentence(tmp_path: Path) -> None:
    ended = started(
        tmp_path,
        ["-c", f"{WITHOUT_GL}\nfrom hop import main; main()"],
        DISPLAY=os.environ["DISPLAY"],
    )
    assert ended.returncode == 1
    assert ended.stderr.startswith("OpenGL is missing (library ")
    assert len(ended.stderr.splitlines()) == 1


def test_the_sentence_is_that_of_an_exit() -> None:
    assert issubclass(NoDisplay, SystemExit)
    assert str(NoDisplay(NO_DISPLAY)) == NO_DISPLAY
