"""A stage: whole games without a window, a display or pyglet."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from ecs_softbody.cli.games import find_game
from ecs_softbody.play import FRAME, Game, Session, play
from ecs_softbody.play.launch.playing import choosing, playing
from ecs_softbody.play.screens.menu import Choice, Menu
from ecs_softbody.play.sharing.filming import Filming, filming
from ecs_softbody.play.stage import TOLD
from ecs_softbody.simulation.clock import MOST_FRAMES_AT_ONCE
from included import included_games
from tests.helpers.internals import show_screen
from tests.helpers.paper_stage import LAST_PICTURES, PaperStage
from tests.play.jumper import Jumper
from tests.rendering.blob_garden import BlobGarden, needs_compiled_pixels

ROOT = Path(__file__).parents[2]
WITHOUT_PYGLET = """
import sys
from ecs_softbody.play.launch.playing import choosing
from tests.helpers.paper_stage import PaperStage
from tests.play.jumper import Jumper

hold = lambda: stage.press("right")
script = [5, "enter", 5, "space", hold, 5, "space", 5, "f12", "f2", "f9", "f11", 5, "escape", "escape", 5, "escape"]
stage = PaperStage(*script, size=(480, 270))
stage.run(choosing({"jumper": Jumper}, stage))
menu, session, again = stage.screens
assert again is menu and menu.exit_requested and not stage.closed
assert session.game.jumps == 1 and session.game.moved == 0.0, "the jump was seen, and full screen let go of keys"
assert stage.paper.fullscreen
print(stage.paper.captions)
sys.exit("pyglet was imported" if "pyglet" in sys.modules else 0)
"""


def test_the_menu_a_game_and_all_keys_work_where_nothing_imports_pyglet(tmp_path: Path) -> None:
    apart = {name: value for name, value in os.environ.items() if name != "DISPLAY"}
    run = subprocess.run(
        [sys.executable, "-c", WITHOUT_PYGLET],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=apart,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout == "['Soft bodies', 'Jumper', 'Soft bodies']\n"
    (saved,) = (tmp_path / "pictures").glob("screenshot-*.png")
    with Image.open(saved) as image:
        assert image.size == (480, 270)
        assert np.asarray(image).std() > 5


class Chain(Jumper):
    """Is won by every third jump."""

    def update(self, controls: Any, dt: float) -> None:
        super().update(controls, dt)
        if controls.was_pressed("jump") and self.jumps % 3 == 0:
            self.outcome = "won"


@pytest.mark.slow
def test_every_game_is_opened_from_the_menu_of_all() -> None:
    def select(name: str) -> None:
        menu = stage.screens[0]
        menu.selected = [choice.name for choice in menu.choices].index(name)

    installed = included_games()
    games = {name: find_game(name, installed) for name in installed}
    script: list[Any] = [2]
    for name in games:
        script += [partial(select, name), "enter", 5, "space", 5, "escape", "escape", 5]
    stage = PaperStage(*script, "escape")
    stage.run(choosing(games, stage))
    assert {
        screen.game.name for screen in stage.screens if isinstance(screen, Session)
    } == games.keys()
    assert stage.paper.captions.count("Soft bodies") == len(games) + 1
    assert not stage.closed


def test_a_game_from_the_start_screen_to_its_end_and_the_next_level() -> None:
    stage = PaperStage(
        "space", "space", "space", "space", 60, "space", "space", "escape", 3, "space", 3
    )
    stage.run(playing(Chain, stage))
    (session,) = stage.screens
    assert (session.state, session.game.level_number) == ("playing", 1)
    assert session.game.jumps == 4
    assert session.game.sim.closed
    assert stage.closed


def test_pictures_are_drawn_one_at_a_time_by_whoever_asks_for_them() -> None:
    """So a page shows a game: its browser asks for each picture."""
    stage = PaperStage(1000)
    pictures = playing(Jumper, stage)
    for number in range(1, 30):
        next(pictures)
        assert stage.paper.pictures == number
    (session,) = stage.screens
    pictures.close()  # the page is left
    assert session.game.sim.closed
    assert not stage.closed


def test_what_is_shown_ends_where_the_stage_is_closed() -> None:
    stage = PaperStage("space")
    stage.show(Menu([]))
    assert stage.closed
    assert stage.paper.closed
    assert stage.paper.pictures <= LAST_PICTURES + 1
    stage = PaperStage()
    bar = stage.preparing("Soft bodies", iter([(1, 2, "one"), (2, 2, "two")]))
    next(bar)
    stage.close()
    with pytest.raises(StopIteration) as ended:
        next(bar)
    assert ended.value.value is False


def test_a_stage_shows_all_games_and_comes_back_from_one_that_fails(
    capsys: pytest.CaptureFixture[str],
) -> None:
    class Fails(Jumper):
        name = "fails"
        title = "Fails"

        def draw(self, picture: object, alpha: float) -> None:
            if self.jumps:
                raise KeyError("nothing here")

    games: dict[str, type[Game]] = {"fails": Fails}
    stage = PaperStage(5, "enter", 5, "space", "space", 5, "escape", 5)
    stage.run(choosing(games, stage))
    assert [type(screen).__name__ for screen in stage.screens] == [
        "Menu",
        "Session",
        "FailureScreen",
        "Menu",
    ]
    assert "KeyError: 'nothing here'" in capsys.readouterr().err


@pytest.fixture
def stage() -> PaperStage:
    return PaperStage()


@pytest.mark.parametrize("turn", ["leave", "hide"])
def test_a_game_pauses_when_its_player_turns_away(
    stage: PaperStage, session: Session, turn: str
) -> None:
    show_screen(stage, session)
    stage.press("right")
    stage.ticks(2)
    getattr(stage, turn)()
    stage.ticks()
    assert session.state == "paused"
    assert not session.game.bindings.saved()
    frame = session.game.sim.frame
    pictures = stage.paper.pictures
    stage.ticks(20)
    assert session.game.sim.frame == frame
    assert (stage.paper.pictures == pictures) == (turn == "hide")
    stage.unhide()
    stage.come_back()
    stage.typed("space")
    assert session.state == "playing"
    moved = session.game.moved  # type: ignore[attr-defined]
    assert moved == 0.0, "the key was let go"


def test_what_is_told_is_seen_for_a_moment(stage: PaperStage, session: Session) -> None:
    show_screen(stage, session)
    stage.tell("Here")
    stage.ticks()
    assert "Here" in stage.texts()
    stage.paper.now += TOLD
    stage.ticks()
    assert "Here" not in stage.texts()


def test_the_inspector_wants_a_window(stage: PaperStage, session: Session) -> None:
    show_screen(stage, session)
    stage.typed("f2")
    assert "The inspector needs a window of the desktop" in " ".join(stage.texts())
    assert session.state == "playing"


def test_full_screen_lets_go_of_all_keys(stage: PaperStage, session: Session) -> None:
    show_screen(stage, session)
    stage.press("right")
    stage.ticks()
    assert session.game.moved == 1.0  # type: ignore[attr-defined]
    stage.typed("f11")
    assert stage.paper.fullscreen
    assert session.game.moved == 0.0  # type: ignore[attr-defined]


@needs_compiled_pixels
def test_the_hero_is_red_where_it_is(stage: PaperStage) -> None:
    session = Session(BlobGarden())
    show_screen(stage, session)
    stage.typed("space")
    stage.draw(session)
    x, y = session.game.camera.view(640, 360).to_pixels(session.game.place)  # type: ignore[attr-defined]
    red, green, blue = stage.pixels()[360 - int(y) + 8, int(x)].tolist()
    assert red > 180
    assert max(green, blue) < 130
    session.close()


def test_the_wheel_turns_once(stage: PaperStage, session: Session) -> None:
    turns = []
    show_screen(stage, session)
    session.game.update = lambda controls, dt: turns.append(controls.scroll)  # type: ignore[method-assign]
    stage.ticks()
    stage.scroll(2.0)
    stage.scroll(-0.5)
    stage.tick(3.5 * FRAME)
    assert turns == [0.0, 1.5, 0.0, 0.0]


def test_a_game_is_chosen_in_the_menu_with_a_click(stage: PaperStage) -> None:
    menu = Menu([Choice.of(BlobGarden), Choice("second", "Second", "Another one")])
    show_screen(stage, menu)
    stage.ticks()
    stage.point(200, 250)
    stage.ticks()
    assert menu.selected == 1
    stage.typed("mouse_left")
    assert menu.chosen == "second"


def said(stage: PaperStage) -> str:
    """Return what is written in the next picture."""
    stage.ticks()
    return " ".join(stage.texts())


@needs_compiled_pixels
def test_f12_saves_a_picture(
    stage: PaperStage, session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    show_screen(stage, session)
    stage.ticks()
    stage.typed("f12")
    (saved,) = (tmp_path / "pictures").glob("screenshot-*.png")
    with Image.open(saved) as image:
        assert image.size == (640, 360)
        assert np.asarray(image).std() > 5
    assert f"Saved {saved}" in said(stage)


def test_a_picture_that_cannot_be_saved_is_told(
    stage: PaperStage, session: Session, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("not a folder")
    show_screen(stage, session)
    stage.ticks()
    assert stage.save_screenshot(tmp_path / "file" / "deeper") is None
    assert "The picture could not be saved: " in said(stage)


@needs_compiled_pixels
def test_the_bar_moves_while_the_game_gets_ready(stage: PaperStage) -> None:
    gold = []

    def steps() -> Iterator[tuple[int, int, str]]:
        for done in (1, 2, 3):
            yield done, 3, f"part {done}"
            pixels = stage.pixels().astype(int)
            gold.append(int(((pixels[:, :, 0] > 230) & (pixels[:, :, 2] < 120)).sum()))

    assert stage.prepare("Blob garden", steps())
    assert gold[0] < gold[1] < gold[2]


def test_after_a_gap_of_minutes_the_world_goes_on_where_it_was(
    stage: PaperStage, session: Session
) -> None:
    """A computer that has slept."""
    show_screen(stage, session)
    film = Filming(stage, session)
    stage.before_flip.append(film.keep)
    for gap in (600.0, 36000.0):
        frame = session.game.sim.frame
        kept = len(film.clip)
        stage.paper.now += gap
        stage.tick(gap)
        assert 1 <= session.game.sim.frame - frame <= MOST_FRAMES_AT_ONCE
        assert len(film.clip) <= kept + 1
        frame = session.game.sim.frame
        stage.ticks(10)
        assert 10 <= session.game.sim.frame - frame <= 11
        assert session.state == "playing"


def test_play_opens_saves_and_settings_and_gives_the_device_back(stage: PaperStage) -> None:
    folder = Path(os.environ["ECS_SOFTBODY_DATA"])
    folder.mkdir(parents=True)
    (folder / "settings.json").write_text('{"muted": true, "volume": 0.4}')
    (folder / "blob-garden.json").write_text("damaged")
    seen: list[object] = []

    class Garden(BlobGarden):
        def draw(self, picture: object, alpha: float) -> None:
            seen.append(
                (
                    self.sounds.muted,
                    self.sounds.volume,
                    bool(self.saves.notice),
                    self.pads is stage.pads,
                )
            )
            stage.close()

    play(Garden, window=stage)
    assert seen[-1] == (True, 0.4, True, True)


@pytest.mark.slow
def test_the_last_seconds_are_saved_while_the_game_goes_on(
    session: Session, tmp_path: Path
) -> None:
    stage = PaperStage()
    show_screen(stage, session)
    film = Filming(stage, session)
    stage.before_flip.append(film.keep)
    assert film.save() is None
    assert "There is nothing to save yet: play first" in said(stage)
    stage.ticks(60)
    frame = session.game.sim.frame
    saving = film.save()
    assert saving is not None
    while not saving.done:
        stage.ticks()
        if not saving.done:
            assert "Saving the last seconds: " in said(stage)
    assert session.game.sim.frame > frame
    assert f"Saved {saving.path}" in said(stage)
    assert saving.path.parent == tmp_path / "pictures"
    with Image.open(saving.path) as made:
        assert made.n_frames > 2
        assert made.size[0] / made.size[1] == pytest.approx(16 / 9, abs=0.02)


@pytest.mark.slow
def test_a_film_of_a_game_that_was_left_is_told_in_the_menu(tmp_path: Path) -> None:
    def leave() -> None:
        assert len(stage.before_flip) == 2, "the game is filmed, and a film is written"
        stage.press("escape")
        stage.release("escape")

    def wait() -> None:
        if stage.before_flip:
            stage.script.insert(0, wait)
            time.sleep(0.01)

    stage = PaperStage(5, "enter", 5, "space", 20, "f9", leave, "escape", wait, 3, "escape")
    stage.run(choosing({"jumper": Jumper}, stage))
    (film,) = (tmp_path / "pictures").glob("clip-*.gif")
    assert f"Saved {film}" in said(stage)


def test_a_game_without_films_says_so(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = PaperStage()
    monkeypatch.setattr(type(session.game), "films", False)
    with filming(stage, session):
        show_screen(stage, session)
        stage.ticks(5)
        stage.press("f9")
        stage.ticks()
        assert "Films cannot be saved here; F12 saves a picture" in said(stage)
    stage.press("f9")
    stage.ticks()
    assert "There is nothing to save yet: play first" in said(stage)
