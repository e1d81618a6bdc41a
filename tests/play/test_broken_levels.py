"""Scene files that are wrong when a game comes to them: the next level, one that is chosen, the
very first one.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, ClassVar

import pytest

from ecs_softbody import Particles, Simulation
from ecs_softbody.cli.main import main
from ecs_softbody.play import Controls, Game, GameStopped, NoDisplay, Session, play
from ecs_softbody.play.launch.broken_scene import BrokenScene
from ecs_softbody.scenes import SceneError
from tests.helpers.paper_stage import PaperStage

RIGHT = "[entities.hero]\nball = { center = [0, 1], radius = 0.5 }\n"
WRONG = RIGHT.replace("0.5", "-1")
SOON = 16  # frames after which a session has looked at the files


def write(path: Path, text: str) -> None:
    """Write a file so that its time of change is another one."""
    before = path.stat().st_mtime_ns if path.exists() else 10**18
    path.write_text(text)
    os.utime(path, ns=(before + 10**9,) * 2)


class Steps(Game):
    """Three levels in files; the next one comes by "n"; a level that is done is won."""

    folder: ClassVar[Path]

    def start(self) -> None:
        super().start()
        assert self.loaded is not None
        self.hero = self.loaded["hero"]

    def update(self, controls: Controls, dt: float) -> None:
        if controls.was_pressed("n"):
            self.next_level()
        if controls.was_pressed("w"):
            self.outcome = "won"
        if controls.was_pressed("x"):
            raise RuntimeError("a mistake of the game's own")

    @property
    def size(self) -> float:
        return float(self.sim.get(self.hero, Particles).radius[0])


@pytest.fixture
def steps(tmp_path: Path) -> type[Steps]:
    files = [tmp_path / f"{number}.toml" for number in range(3)]
    for number, file in enumerate(files):
        write(file, RIGHT.replace("0.5", f"0.{number + 1}"))

    class TheseSteps(Steps):
        levels = tuple(files)

    return TheseSteps


def frames(session: Session, count: int = 1, pressed: str = "") -> Any:
    for _ in range(count):
        session.frame(Controls(pressed={pressed} if pressed else set()))
        pressed = ""
    return session.game


def playing(game: type[Game]) -> Session:
    session = Session(game)
    session.restart()
    return session


def said(session: Session) -> str:
    return "\n".join(text.text for text in session.picture(1280, 720).texts)


def test_the_level_before_is_played_until_the_next_one_is_mended(steps: type[Steps]) -> None:
    session = playing(steps)
    write(steps.levels[1], WRONG)
    game = frames(session, 1, "n")
    assert (game.level_number, game.size, session.state) == (0, 0.1, "playing")
    assert "The next level cannot be taken" in said(session)
    assert "1.toml:2: entities.hero.ball.radius: -1.0 is not allowed" in said(session)
    frames(session, SOON)
    assert game.level_number == 0
    assert game.sim.time > 0.2, "the level before goes on"
    write(steps.levels[1], "x = 1\n")  # still wrong, and otherwise
    frames(session, SOON)
    assert "1.toml:1: x" in said(session)
    assert "radius" not in said(session)
    session.restart()
    assert game.scene_source.problems, "nothing has changed yet"
    write(steps.levels[1], RIGHT)
    frames(session, SOON)
    assert (game.level_number, game.size, game.scene_source.problems) == (1, 0.5, ())
    assert "cannot be taken" not in said(session)
    frames(session, 1, "n")
    assert game.level_number == 2
    session.close()


def test_a_level_that_was_won_leads_to_a_wrong_one(steps: type[Steps]) -> None:
    session = playing(steps)
    steps.levels[1].unlink()
    frames(session, 1, "w")
    frames(session, 60)
    game = frames(session, 1, "space")
    assert (game.level_number, session.state) == (0, "playing")
    assert "there is no file" in said(session)
    write(steps.levels[1], RIGHT)
    assert frames(session, SOON).level_number == 1
    session.close()


def test_a_level_that_the_game_cannot_begin_with(
    steps: type[Steps], capsys: pytest.CaptureFixture[str]
) -> None:
    """The file is right, but not what the game asks for: the maker sees the line of his own that
    failed, too.
    """
    session = playing(steps)
    write(steps.levels[1], RIGHT.replace("hero", "villain"))
    game = frames(session, 1, "n")
    assert (game.level_number, game.size) == (0, 0.1)
    assert "1.toml: the game cannot begin with it" in said(session)
    assert 'self.loaded["hero"]' in capsys.readouterr().err
    write(steps.levels[1], RIGHT.replace("hero", "king"))
    assert frames(session, SOON).level_number == 0
    write(steps.levels[1], RIGHT)
    assert frames(session, SOON).level_number == 1
    session.close()


def test_the_level_before_is_kept_as_it_was_where_both_are_wrong(steps: type[Steps]) -> None:
    session = playing(steps)
    write(steps.levels[0], WRONG)
    write(steps.levels[1], WRONG)
    game = frames(session, 1, "n")
    assert (game.level_number, game.size) == (0, 0.1)
    write(steps.levels[1], RIGHT)
    assert frames(session, SOON).level_number == 1
    session.close()


def test_a_level_of_code_is_played_until_the_first_file_is_mended(tmp_path: Path) -> None:
    """The game has opened no file before: it is reloaded from here on."""
    file = tmp_path / "1.toml"
    write(file, WRONG)

    class Mixed(Game):
        levels = (None, file)

        def start(self) -> None:
            self.sim = Simulation()
            if self.level_number:
                super().start()

        def update(self, controls: Controls, dt: float) -> None:
            if controls.was_pressed("n"):
                self.next_level()

    session = playing(Mixed)
    assert session.game.wrappers == []
    game = frames(session, 1, "n")
    assert (game.level_number, session.state) == (0, "playing")
    assert "1.toml:2: entities.hero.ball.radius: -1.0 is not allowed" in said(session)
    write(file, RIGHT)
    game = frames(session, SOON)
    assert (game.level_number, game.loaded.names) == (1, ("hero",))
    session.close()


def test_changes_of_the_level_before_are_taken_meanwhile(steps: type[Steps]) -> None:
    session = playing(steps)
    write(steps.levels[1], WRONG)
    frames(session, 1, "n")
    write(steps.levels[0], RIGHT.replace("0.5", "0.7"))
    game = frames(session, SOON)
    assert (game.level_number, game.size) == (0, 0.7)
    assert "1.toml:2" in said(session)
    session.close()


def test_a_wrong_level_that_is_chosen_on_the_start_screen(steps: type[Steps]) -> None:
    session = Session(steps)
    session.game.saves["opened levels"] = 3
    write(steps.levels[1], WRONG)
    game = frames(session, 1, "right")
    assert (game.level_number, session.state) == (0, "title")
    assert "1.toml:2" in said(session)
    game.choose_level(2)
    frames(session, 1)
    session.close()


def test_another_level_that_is_right_is_nothing_to_wait_for(steps: type[Steps]) -> None:
    session = playing(steps)
    write(steps.levels[1], WRONG)
    game = frames(session, 1, "n")
    game.choose_level(2)
    frames(session, 1)
    assert (game.level_number, game.scene_source.problems) == (2, ())
    write(steps.levels[1], RIGHT)
    assert frames(session, SOON).level_number == 2
    session.close()


def test_a_mistake_of_the_games_own_is_none_of_a_file(steps: type[Steps]) -> None:
    session = playing(steps)
    frames(session, 1, "n")
    with pytest.raises(RuntimeError, match="of the game's own"):
        frames(session, 1, "x")
    session.close()


def test_without_a_session_the_error_is_raised(steps: type[Steps]) -> None:
    game = steps()
    game.begin()
    write(steps.levels[1], WRONG)
    game.next_level()
    with pytest.raises(SceneError, match="radius"):
        game.advance(Controls())
    game.close()


def test_the_first_scene_is_waited_for(
    steps: type[Steps], capsys: pytest.CaptureFixture[str]
) -> None:
    first = steps.levels[0]
    write(first, WRONG)
    desk = PaperStage(
        SOON,
        lambda: write(first, "y = 1\n"),
        2 * SOON,
        lambda: write(first, RIGHT),
        2 * SOON,
        "escape",
    )
    play(steps, window=desk)
    broken, still, session = desk.screens
    assert isinstance(broken, BrokenScene)
    texts = [text.text for text in broken.picture(1280, 720).texts]
    assert any("0.toml:2: entities.hero.ball.radius" in text for text in texts)
    assert isinstance(still, BrokenScene)
    assert isinstance(session, Session)
    told = capsys.readouterr().err.splitlines()
    assert [line.split(": ")[0] for line in told] == ["0.toml:2", "0.toml:1"]


def test_who_leaves_a_broken_scene_gets_one_sentence(
    steps: type[Steps], capsys: pytest.CaptureFixture[str]
) -> None:
    write(steps.levels[0], WRONG)
    with pytest.raises(GameStopped, match=r"^Game cannot begin: its scene file is wrong$"):
        play(steps, window=PaperStage("escape"))
    assert "Traceback" not in capsys.readouterr().err


GAME = """
from ecs_softbody.play import Game

class Hop(Game):
    name = "hop"
    title = "Hop"
    scene = "hop.toml"
"""


@pytest.mark.parametrize("command", ["play", "record"])
@pytest.mark.parametrize("asked", ["hop.py", "hop.toml"])
def test_the_command_tells_the_lines_and_no_traceback(
    command: str,
    asked: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def no_window(*given: object, **options: object) -> None:
        raise NoDisplay("there is no display")

    monkeypatch.setattr("ecs_softbody.cli.main.play", no_window)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hop.py").write_text(GAME)
    (tmp_path / "hop.toml").write_text(WRONG + "[entities.b]\nboll = 3\n")
    assert main([command, str(tmp_path / asked)]) == 2
    told = capsys.readouterr().err
    assert [line.split(": ")[0] for line in told.splitlines()] == ["hop.toml:2", "hop.toml:4"]
