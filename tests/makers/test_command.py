"""The command `ecs-softbody` with a game of one's own: a file, a module, a folder, a class."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ecs_softbody.cli.games import UnknownGame, find_game, find_games
from ecs_softbody.cli.main import main
from ecs_softbody.play import Controls, Session

STARS = Path(__file__).with_name("stars.py")
FAILS = """
from stars import Stars


class Fails(Stars):
    def after_step(self, dt):
        print(self.sim.gravty)
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Work in a folder with a file, a package, and a file with a mistake."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    known = set(sys.modules)
    shutil.copy(STARS, tmp_path / "stars.py")
    (tmp_path / "night").mkdir()
    (tmp_path / "night" / "__init__.py").write_text("")
    shutil.copy(STARS, tmp_path / "night" / "sky.py")
    (tmp_path / "night" / "moon.py").write_text(
        "from .sky import Stars\n\n\nclass Moon(Stars):\n    title = 'Moon'\n"
    )
    (tmp_path / "two.py").write_text(
        "from night.sky import Stars\nA = type('A', (Stars,), {})\nB = type('B', (Stars,), {})\n"
    )
    (tmp_path / "none.py").write_text("x = 1\n")
    (tmp_path / "typo.py").write_text("import ecs_softbody\n\nx = = 1\n")
    (tmp_path / "missing.py").write_text("import numpy\nimport no_such_thing\n")
    (tmp_path / "fails.py").write_text(FAILS)
    yield tmp_path
    for name in set(sys.modules) - known:
        if name.partition(".")[0] in ("stars", "night", "orchard", "my_jelly", "hop"):
            del sys.modules[name]


@pytest.mark.parametrize(
    ("asked", "title"),
    [
        ("stars.py", "Stars"),
        ("./stars.py", "Stars"),
        ("stars.py:Stars", "Stars"),
        ("night/sky.py", "Stars"),
        ("night/moon.py", "Moon"),
        ("night.moon:Moon", "Moon"),
        ("night.moon", "Moon"),
        ("two.py:B", "Stars"),
    ],
)
def test_a_game_is_found_in_a_file_or_a_module(here: Path, asked: str, title: str) -> None:
    assert find_game(asked, find_games()).title == title


def test_a_file_is_not_run_as_the_program(here: Path) -> None:
    # its `if __name__ == "__main__"` opened no window
    assert find_game("stars.py", {}).__module__ == "stars"


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("star.py", r"there is no file 'star.py' in .* \(did you mean stars.py\?\)"),
        ("none.py", r"none.py has no game: expected a subclass of ecs_softbody.play.Game in it"),
        ("two.py", r"two.py has A, B, Stars; choose one: ecs-softbody play two.py:A"),
        ("two.py:C", r"there is no game 'C' in two.py; .* It has A, B, Stars"),
        ("nigth.moon:Moon", r"there is no module 'nigth.moon': No module named 'nigth'"),
        (
            "stern",
            (
                r"there is no game 'stern'. The games are: .*A game of your own is played with: "
                r"ecs-softbody play FILE.py"
            ),
        ),
    ],
)
def test_what_is_not_there_is_told(here: Path, asked: str, message: str) -> None:
    with pytest.raises(UnknownGame, match=message):
        find_game(asked, find_games())


def test_a_file_that_cannot_be_loaded_shows_the_makers_line(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["record", "typo.py"]) == 2
    told = capsys.readouterr().err
    assert "x = = 1" in told
    assert told.count("File ") == 1
    assert (
        told.splitlines()[-1]
        == "ecs-softbody: typo.py cannot be loaded: SyntaxError: invalid syntax (typo.py, line 3)"
    )
    assert main(["record", "missing.py"]) == 2
    told = capsys.readouterr().err
    assert told.count("File ") == 1
    assert "import no_such_thing" in told
    assert re.search(
        r"missing.py cannot be loaded: ModuleNotFoundError: .*\(missing.py, line 2, in <module>\)",
        told,
    )


def test_a_game_that_fails_in_a_recording_shows_the_makers_line(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        main(["record", "fails.py", "--seconds", "0.1", "--size", "64x36", "--out", "x.png"]) == 1
    )
    told = capsys.readouterr().err
    assert told.count("File ") == 1
    assert "print(self.sim.gravty)" in told
    last = (
        "ecs-softbody: Stars has stopped: AttributeError: Simulation has no attribute "
        "'gravty' (did you mean gravity?)"
    )
    assert told.splitlines()[-1] == f"{last} (fails.py, line 7, in after_step)"


@pytest.mark.parametrize(
    "command", [["record", "fails.py", "--out", "x.replay"], ["bench", "fails.py"]]
)
def test_a_game_that_fails_without_pictures_shows_the_makers_line(
    here: Path, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command) == 1
    told = capsys.readouterr().err
    assert told.count("File ") == 1
    assert "print(self.sim.gravty)" in told
    assert re.search(
        (
            r"\necs-softbody: Stars has stopped: AttributeError: .* \(fails.py, line 7, in "
            r"after_step\)\n$"
        ),
        told,
    )


def test_a_replay_of_a_file_says_how_it_is_named_and_where_the_file_fails(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["record", "stars.py", "--out", "one.replay", "--seconds", "0.1"]) == 0
    capsys.readouterr()
    assert main(["replay", "one.replay"]) == 2
    assert "ecs-softbody replay one.replay --game FILE.py" in capsys.readouterr().err
    assert main(["replay", "one.replay", "--game", "fails.py"]) == 1
    assert capsys.readouterr().err.endswith("(fails.py, line 7, in after_step)\n")


def test_a_file_can_be_measured(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "stars.py", "--frames", "2"]) == 0
    assert "stars, a frame of the game" in capsys.readouterr().out


@pytest.mark.parametrize("page", ["README.md", "docs/window.md"])
def test_the_game_on_a_page_is_a_whole_file(here: Path, page: str) -> None:
    text = (Path(__file__).parents[2] / page).read_text(encoding="utf-8")
    (block,) = [
        block
        for block in re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        if "class Hop" in block
    ]
    Path("hop.py").write_text(block)
    session = Session(find_game("hop.py", {}))
    session.frame(Controls(pressed={"space"}))
    before = session.game.sim.center(2)[0]
    for _ in range(60):
        session.frame(Controls(held={"right"}, pressed={"space"}))
    assert session.game.sim.center(2)[0] > before + 0.5
    session.close()


@pytest.mark.slow
@pytest.mark.parametrize("module", ["ecs_softbody", "ecs_softbody.cli"])
def test_the_command_is_a_module_too(module: str) -> None:
    run = subprocess.run(
        [sys.executable, "-m", module, "--version"], capture_output=True, text=True, check=False
    )
    assert run.stdout.startswith("ecs-softbody "), run.stderr


@pytest.mark.slow
def test_new_makes_a_game_that_plays_and_passes_its_tests(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["new", "my-jelly"]) == 0
    assert "ecs-softbody play my_jelly" in capsys.readouterr().out
    files = {
        path.relative_to(here / "my-jelly").as_posix()
        for path in (here / "my-jelly").rglob("*")
        if path.is_file()
    }
    assert files == {
        "pyproject.toml", "README.md", ".gitignore", "tests/test_game.py", "my_jelly/__init__.py",
        "my_jelly/__main__.py", "my_jelly/scene.py", "my_jelly/game.py",
    }  # fmt: skip
    assert not any("{{" in (here / "my-jelly" / file).read_text() for file in files)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    run = subprocess.run(
        command, cwd=here / "my-jelly", capture_output=True, text=True, check=False
    )
    assert "4 passed" in run.stdout, run.stdout + run.stderr
    game = find_game("my-jelly/my_jelly", {})
    assert (game.__name__, game.title, game.name) == ("MyJelly", "My jelly", "my-jelly")


def test_a_folder_with_a_space_is_told_as_it_is_typed(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["new", "my jelly"]) == 0
    assert '\n  cd "my jelly"\n  ecs-softbody play my_jelly\n' in capsys.readouterr().out


def test_the_folder_of_a_project_is_enough(here: Path) -> None:
    main(["new", "orchard"])
    assert find_game("orchard", {}).__name__ == "Orchard"


def test_a_new_game_keeps_to_the_style(here: Path) -> None:
    ruff = shutil.which("ruff")
    if ruff is None:
        pytest.skip("ruff is not installed")
    main(["new", "orchard"])
    chosen = ["--isolated", "--line-length", "120"]
    for command in (["check", "--select", "E,F,B,UP", *chosen], ["format", "--check", *chosen]):
        run = subprocess.run(
            [ruff, *command, "orchard"], capture_output=True, text=True, check=False
        )
        assert run.returncode == 0, run.stdout


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("my game!", "expected letters, digits and dashes"),
        ("2d", "expected letters"),
        ("class", "expected letters"),
        ("random", "there is a module of this name already"),
        ("night", "is there already, and not empty"),
    ],
)
def test_a_name_that_cannot_be_is_told(
    here: Path, name: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["new", name]) == 2
    assert message in capsys.readouterr().err
