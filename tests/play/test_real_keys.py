"""Keys of a real keyboard in a real window: none is dead, and none does in the game what it was
pressed for before.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers.real_screen import Diary, RealScreen, real_screen

pytestmark = [pytest.mark.window, pytest.mark.slow, pytest.mark.skipif("sys.platform != 'linux'")]
HERE = Path(__file__).parent
REPEATS = 1.2
"""A key that is held so long [s] repeats itself: X begins after 0.66 s."""


class Desk:
    """The small game in its window, another window, and hands on the keyboard."""

    def __init__(self, screen: RealScreen, diary: Diary) -> None:
        self.screen = screen
        self.diary = diary
        self.hold = screen.hold
        self.let_go = screen.let_go
        self.press = screen.press
        self.wait_for = diary.wait_for
        self.stays = diary.stays

    def play(self) -> None:
        """Begin to play, whatever is shown."""
        self.screen.bring_to_front("Jumper")
        while self.diary.last["state"] != "playing":
            before = self.diary.last["frame"]
            self.press("space")
            while self.diary.last["frame"] < before + 4:
                time.sleep(0.02)
        self.wait_for(state="playing", held=[])

    def wait_for_full_screen(self, full: object, **wanted: object) -> None:
        """Wait until full screen is on or off, and the window has the keys again."""
        self.wait_for(full=full, **wanted)
        self.screen.wait_for_keys("Jumper")

    @property
    def last(self) -> dict[str, object]:
        return self.diary.last


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with real_screen() as screen:
        diary = Diary(tmp_path_factory.mktemp("real") / "diary.jsonl")
        screen.run_python(str(HERE / "other_window.py"))
        screen.wait_for_window("Other")
        screen.run_python(str(HERE / "jumper_in_a_window.py"), str(diary.path))
        diary.wait_for(state="title")
        yield Desk(screen, diary)


@pytest.fixture
def desk(running: Desk) -> Iterator[Desk]:
    running.play()
    yield running
    running.screen.let_go_of_all()


@pytest.mark.parametrize("minimised", [False, True])
def test_a_key_that_was_let_go_in_another_window_is_not_dead(desk: Desk, minimised: bool) -> None:
    desk.hold("Right")
    desk.wait_for(moved=1.0)
    if minimised:
        desk.screen.minimise("Jumper")
    desk.screen.bring_to_front("Other")
    desk.wait_for(state="paused", held=[])
    desk.let_go("Right")
    desk.play()
    desk.hold("Right")
    desk.wait_for(moved=1.0)
    desk.let_go("Right")
    desk.wait_for(moved=0.0)


def test_a_key_that_is_held_all_the_time_does_nothing_until_it_is_let_go(desk: Desk) -> None:
    jumps = desk.last["jumps"]
    desk.hold("space")
    desk.wait_for(held=["space"])
    desk.screen.bring_to_front("Other")
    desk.wait_for(state="paused")
    desk.screen.bring_to_front("Jumper")
    desk.stays(REPEATS, state="paused", held=[])
    desk.let_go("space")
    desk.press("space")
    desk.wait_for(state="playing", held=[])
    desk.press("space")
    desk.wait_for(jumps=jumps + 2)  # type: ignore[operator]


def test_a_key_that_was_pressed_in_another_window_begins_nothing(desk: Desk) -> None:
    desk.screen.bring_to_front("Other")
    desk.wait_for(state="paused")
    desk.hold("space")
    desk.screen.bring_to_front("Jumper")
    desk.stays(REPEATS, state="paused", held=[])
    desk.let_go("space")
    desk.press("space")
    desk.wait_for(state="playing")


def test_every_press_of_f11_switches_once(desk: Desk) -> None:
    for _ in range(6):
        full = desk.last["full"]
        desk.press("F11", 0.12)
        desk.wait_for_full_screen(not full)
    full = desk.last["full"]
    desk.hold("F11")
    desk.wait_for(full=not full)
    desk.stays(2.0 * REPEATS, full=not full)
    desk.let_go("F11")
    desk.screen.wait_for_keys("Jumper")
    desk.press("F11")
    desk.wait_for_full_screen(full)


def test_full_screen_leaves_keys_as_they_are(desk: Desk) -> None:
    desk.hold("Right")
    desk.wait_for(moved=1.0)
    full = desk.last["full"]
    desk.press("F11")
    desk.wait_for_full_screen(not full, moved=1.0)
    desk.let_go("Right")
    desk.wait_for(moved=0.0)
    desk.hold("F11")
    desk.hold("Right")
    desk.wait_for_full_screen(full)
    desk.let_go("F11")
    desk.let_go("Right")
    desk.wait_for(moved=0.0, held=[])
    desk.press("Right", 0.4)
    desk.wait_for(moved=0.0, held=[])
    desk.hold("Right")
    desk.wait_for(moved=1.0)
    desk.let_go("Right")


def test_a_key_whose_shift_is_let_go_first_is_not_dead(desk: Desk) -> None:
    presses = desk.last["presses"]
    for count in (2, 4):
        desk.hold("shift")
        desk.wait_for(held=["shift"])
        desk.hold("equal")  # with shift it is a plus
        desk.wait_for(held=["plus", "shift"])
        desk.let_go("shift")
        desk.let_go("equal")
        desk.wait_for(held=[], presses=presses + count)  # type: ignore[operator]


@pytest.mark.parametrize("screen", ["p", "h", "o", "Escape"])
def test_a_key_that_closes_a_screen_does_nothing_in_the_game(desk: Desk, screen: str) -> None:
    jumps = desk.last["jumps"]
    if screen == "o":
        desk.press("p")
        desk.wait_for(state="paused")
        desk.press("o")
        desk.wait_for(settings=True)
        desk.press("Escape")
        desk.wait_for(settings=False)
    else:
        desk.press(screen)
    desk.stays(0.2, jumps=jumps)
    desk.hold("Right")
    desk.hold("space")
    desk.wait_for(state="playing", held=["right", "space"])
    desk.stays(REPEATS, state="playing", jumps=jumps, moved=0.0)
    desk.let_go("space")
    desk.let_go("Right")
    desk.wait_for(held=[])
    desk.hold("Right")
    desk.press("space")
    desk.wait_for(jumps=jumps + 1, moved=1.0)  # type: ignore[operator]
    desk.let_go("Right")


def test_a_key_that_was_let_go_in_the_pause_is_up(desk: Desk) -> None:
    desk.hold("Right")
    desk.wait_for(moved=1.0)
    desk.press("p")
    desk.wait_for(state="paused")
    desk.let_go("Right")
    desk.press("p")
    desk.wait_for(state="playing")
    desk.stays(0.2, moved=0.0)


def test_quick_presses_are_counted(desk: Desk) -> None:
    presses = desk.last["presses"]
    for _ in range(20):
        desk.press("space", 0.0)
    desk.wait_for(presses=presses + 20)  # type: ignore[operator]
