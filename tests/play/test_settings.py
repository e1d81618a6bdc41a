"""Settings: volumes and keys on a screen, by keys, mouse and controller, kept over games and
starts.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from ecs_softbody.play import Controls, Session, Settings
from ecs_softbody.play.screens.settings_screen import SettingsScreen
from tests.helpers.fake_pad import FakePad
from tests.play.jumper import Jumper, frames


def texts(session: Session) -> set[str]:
    return {text.text for text in session.picture(1280, 720).texts}


def opened(session: Session) -> SettingsScreen:
    if session.state == "playing":
        frames(session, 1, pressed={"p"})
    frames(session, 1, pressed={"o"})
    assert session.settings_shown is not None
    return session.settings_shown


def select(session: Session, row: str) -> None:
    screen = opened(session)
    for _ in range(screen.rows.index(row)):
        frames(session, 1, pressed={"down"})


def started(folder: Path) -> Session:
    settings = Settings()
    settings.saves.open(folder)
    return Session(Jumper(), settings=settings)


def test_the_screen_shows_every_action_with_its_keys(session: Session) -> None:
    opened(session)
    shown = texts(session)
    assert {"Settings", "volume of sounds", "100%", "‹ on ›"} <= shown
    for _ in range(12):
        frames(session, 1, pressed={"down"})
    assert {"roll ←", "roll →", "hop", "SPACE", "←"} <= texts(session)
    frames(session, 1, pressed={"escape"})
    assert session.settings_shown is None
    assert session.state == "paused"


@pytest.mark.parametrize("key", ["j", "mouse_right", "pad_x", "f5"])
def test_a_new_key_does_the_action_and_the_old_one_does_not(session: Session, key: str) -> None:
    game = session.game
    select(session, "jump")
    frames(session, 1, pressed={"enter"})
    assert "press a key or a button" in texts(session)
    frames(session, 1, pressed={key})
    frames(session, 1, pressed={"escape"})
    frames(session, 1, pressed={"space"})  # goes on
    frames(session, 1, pressed={key})
    assert game.jumps == 1  # type: ignore[attr-defined]
    frames(session, 1, pressed={"space"} if "pad" not in key else {"pad_a"})
    assert game.jumps == 1  # type: ignore[attr-defined]


@pytest.mark.parametrize("key", ["p", "r", "h", "tab", "pad_start"])
def test_keys_of_the_session_cannot_be_taken(session: Session, key: str) -> None:
    select(session, "jump")
    frames(session, 1, pressed={"enter"})
    frames(session, 1, pressed={key})
    assert session.settings_shown is not None
    assert session.settings_shown.waiting
    assert any("cannot be chosen" in text for text in texts(session))
    frames(session, 1, pressed={"escape"})
    assert not session.settings_shown.waiting
    assert session.game.bindings.keys("jump") == ("space", "up", "pad_a")


def test_keys_and_volumes_are_kept_for_the_next_start(tmp_path: Path) -> None:
    session = started(tmp_path)
    select(session, "jump")
    frames(session, 1, pressed={"enter"})
    frames(session, 1, pressed={"j"})
    frames(session, 1, pressed={"escape"})
    select(session, "volume")
    for _ in range(3):
        frames(session, 1, pressed={"left"})
    frames(session, 1, pressed={"escape"})
    frames(session, 1, pressed={"m"})
    session.close()

    again = started(tmp_path)
    assert again.game.bindings.keys("jump")[0] == "j"
    assert again.game.sounds.volume == pytest.approx(0.7)
    assert again.game.sounds.muted
    select(again, "reset keys")
    frames(again, 1, pressed={"enter"})
    frames(again, 1, pressed={"escape"})
    again.close()
    last = started(tmp_path)
    assert last.game.bindings.keys("jump")[0] == "space"
    assert last.game.sounds.muted
    last.close()


def test_a_scripted_player_has_the_keys_of_the_game(tmp_path: Path) -> None:
    settings = Settings()
    settings.saves.open(tmp_path)
    settings.saves["keys"] = {"jumper": {"jump": ["j"]}}
    session = Session(Jumper(), autopilot=True, settings=settings)
    assert session.game.bindings.keys("jump")[0] == "space"
    session.close()


@pytest.mark.parametrize(
    "found", [3, None, {"volume": "loud"}, {"volume": 9, "muted": "yes"}, {"keys": {"jumper": 3}}]
)
def test_settings_that_make_no_sense_are_left_out(tmp_path: Path, found: object) -> None:
    settings = Settings()
    settings.saves.open(tmp_path)
    for key, value in (found if isinstance(found, dict) else {"keys": found}).items():
        settings.saves[key] = value
    session = Session(Jumper(), settings=settings)
    assert session.game.sounds.volume == 1.0
    assert not session.game.sounds.muted
    session.close()


def test_a_click_chooses_the_row_under_it(session: Session) -> None:
    screen = opened(session)
    for _ in range(8):
        frames(session, 1, pressed={"down"})
    place = next(text.place for text in session.picture(1280, 720).texts if text.text == "roll ←")
    point = (place[0] + 20, place[1] + 5)
    frames(session, 1, pointer_screen=point)
    assert screen.rows[screen.selected] == "move-"
    frames(session, 1, pointer_screen=point, pressed={"mouse_left"})
    assert screen.waiting


def test_a_controller_plays_from_the_start_screen_to_the_settings_and_back() -> None:
    """With nothing but a fake controller: start, move, pause, choose another button, go on,
    unplug.
    """
    session = Session(Jumper())
    game = session.game
    controls = Controls()
    fake = FakePad("0x045E")
    game.pads.controls = controls
    game.pads.connect(fake.pad)

    def step(*buttons: str) -> None:
        fake.press(*buttons)
        session.frame(controls)
        controls.pressed.clear()
        controls.released.clear()
        fake.release(*buttons)

    fake.stick(0.02, 0.0)
    session.frame(controls)
    assert "Press SPACE to play" in texts(session)
    step("a")
    assert session.state == "playing"
    fake.stick(0.6, 0.0)
    step()
    assert 0.4 < game.moved < 0.7  # type: ignore[attr-defined]
    assert {"STICK", "A", "START"} <= texts(session)
    fake.stick(0.0, 0.0)
    step("a")
    assert game.jumps == 1  # type: ignore[attr-defined]
    step("start")
    assert session.state == "paused"
    step("y")
    assert session.settings_shown is not None
    while session.settings_shown.rows[session.settings_shown.selected] != "jump":
        step("dpdown")
    step("a")
    step("x")
    step("b")
    assert session.settings_shown is None
    step("a")
    assert session.state == "playing"
    step("x")
    assert game.jumps == 2  # type: ignore[attr-defined]
    game.rumble(0.8, 0.1)
    assert len(fake.rumbled) == 2
    game.pads.disconnect(fake.pad)
    session.frame(controls)
    assert session.state == "paused"
    session.close()
