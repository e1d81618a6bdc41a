"""The menu: cards in groups, chosen by keys, mouse and controller, in windows of every size."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ecs_softbody.cli.games import find_game
from ecs_softbody.play import Controls, Game, Saves, Settings
from ecs_softbody.play.screens import previews as previews_module
from ecs_softbody.play.screens.menu import Choice, Menu, grouped
from ecs_softbody.play.screens.previews import EVERY, LIVING, RESTING, SHARE, Previews, in_order
from ecs_softbody.rendering import Picture
from ecs_softbody_games.bouncing_balls import BouncingBalls
from included import included_games
from tests.play.jumper import Jumper
from tests.rendering.blob_garden import BlobGarden, needs_compiled_pixels

SIZES = [(1280, 720), (320, 180), (450, 900), (2560, 1080), (3840, 2160), (900, 200)]
GROUPS = ("games", "games", "games", "toys", "toys", "toys", "toys", "toys", "lab")


def menu_of(count: int, size: tuple[int, int] = (1280, 720), **options: Any) -> Menu:
    choices = [
        Choice(f"game-{n}", f"Game {n}", "What it is about", GROUPS[n % len(GROUPS)])
        for n in range(count)
    ]
    menu = Menu(choices, **options)
    menu.picture(*size)
    return menu


def press(menu: Menu, *keys: str) -> str:
    for key in keys:
        menu.frame(Controls(pressed={key}))
    return menu.choices[menu.selected].name


def shown(menu: Menu, size: tuple[int, int]) -> Picture:
    for _ in range(40):  # until it has scrolled
        menu.frame(Controls())
    return menu.picture(*size)


@pytest.mark.brief(11)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("count", [1, 9, 30])
def test_every_card_can_be_reached_and_is_seen_whole(count: int, size: tuple[int, int]) -> None:
    menu = menu_of(count, size)
    for number in range(count):
        assert menu.selected == number
        picture = shown(menu, size)
        title = next(text for text in picture.texts if text.text == menu.choices[number].title)
        assert 60.0 < title.place[1] < picture.height - 60.0
        assert 0.0 < title.place[0] < picture.width - picture.text_width(title.text, title.size)
        assert title.size * picture.point > 8.0
        press(menu, "right")
    assert menu.selected == 0


def test_groups_stand_one_after_the_other_with_their_names() -> None:
    menu = menu_of(9)
    texts = set()
    for _ in range(9):
        texts |= {text.text for text in shown(menu, (1280, 720)).texts}
        press(menu, "right")
    assert {"Games", "Toys", "Lab"} <= texts
    assert list(menu.groups) == ["games", "toys", "lab"]
    mine = Menu([*menu.choices, Choice("own", "Own", "", "puzzles")])
    assert list(mine.groups) == ["games", "toys", "lab", "puzzles"]
    press(mine, "left")
    assert "Puzzles" in {text.text for text in shown(mine, (1280, 720)).texts}


def test_arrows_go_to_the_card_beside_and_below() -> None:
    menu = menu_of(9)
    assert press(menu, "right", "right") == "game-2"
    assert press(menu, "down") == "game-5"
    assert press(menu, "up") == "game-2"
    assert press(menu, "down", "down") == "game-8"
    assert press(menu, "down") == "game-0"
    assert press(menu, "stick_left") == "game-8"
    press(menu, "pad_a")
    assert menu.chosen == "game-8"


@pytest.mark.parametrize("size", SIZES)
def test_a_click_chooses_the_card_under_it(size: tuple[int, int]) -> None:
    menu = menu_of(9, size)
    title = next(text for text in menu.picture(*size).texts if text.text == "Game 1")
    menu.frame(Controls(pointer_screen=title.place))
    assert menu.selected == 1
    assert menu.chosen is None
    menu.frame(Controls(pressed={"mouse_left"}, pointer_screen=title.place))
    assert menu.chosen == "game-1"


def test_a_click_between_the_cards_chooses_nothing() -> None:
    menu = menu_of(9)
    menu.frame(Controls(pressed={"mouse_left"}, pointer_screen=(1000.0, 500.0)))
    assert menu.chosen is None


def test_the_wheel_scrolls_as_far_as_there_are_cards() -> None:
    menu = menu_of(30)
    top = [text.text for text in menu.picture(1280, 720).texts]
    for _ in range(90):
        menu.frame(Controls(scroll=-1.0))
    texts = [text.text for text in shown(menu, (1280, 720)).texts]
    assert "Game 0" in top
    assert "Game 0" not in texts
    assert menu.choices[-1].title in texts


def test_what_was_played_last_comes_first() -> None:
    settings = Settings()
    for name in ("game-1", "game-8", "game-6"):
        settings.note_played(name)
    menu = menu_of(9, settings=settings)
    assert list(menu.groups) == ["toys", "games", "lab"]
    assert [choice.name for choice in menu.groups["toys"]][:2] == ["game-6", "game-3"]
    assert menu.groups["games"][0].name == "game-1"
    settings.saves["played"] = {"a": 3}
    assert settings.played == []
    assert list(grouped([Choice("a", "A", "")], ["gone"])) == ["games"]


def test_a_card_shows_what_the_player_has_reached() -> None:
    saves = Saves("jumper")
    saves["time"] = 31.25
    saves["stars"] = 2
    saves["opened levels"] = 2

    class Best(Jumper):
        best_result = ("time", "{:.1f} s")

    choice = Choice.of(Best, saves)
    assert choice.reached == "best: 31.2 s · level 2 of 3"
    assert choice.stars == 2
    saves["time"] = "fast"
    saves["stars"] = "many"
    saves["opened levels"] = {}
    assert Choice.of(Best, saves).reached == ""
    assert Choice.of(Best, saves).stars is None
    assert Choice.of(Jumper).reached == ""


@pytest.mark.slow
@needs_compiled_pixels
def test_every_game_gets_a_picture_and_the_one_in_focus_lives(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(previews_module, "SHARE", 1e9)  # however busy this machine is

    class Broken(Game):
        name = "broken"

    games: dict[str, type[Game]] = {"garden": BlobGarden, "broken": Broken, "jumper": Jumper}
    previews = Previews(in_order(games, ["jumper", "gone"]))
    assert list(previews.games) == ["jumper", "garden", "broken"]
    for _ in range(3000):
        previews.frame("broken")
        if previews.is_complete:
            break
    assert previews.pictures.keys() == {"garden", "jumper"}
    still = previews.pictures["garden"]
    for _ in range(RESTING):
        assert not previews.frame("garden")
    changes = [previews.frame("garden") for _ in range(12 * EVERY)]
    assert sum(changes) == 12
    assert (previews.pictures["garden"].pixels != still.pixels).any()
    before = previews.pictures["garden"]
    for _ in range(LIVING):
        previews.frame("garden")
    # nobody is there
    assert not any(previews.frame("garden") for _ in range(3 * EVERY))
    previews.wake()
    assert any(previews.frame("garden") for _ in range(3 * EVERY))
    assert np.isfinite(before.pixels).all()
    previews.rest()


@needs_compiled_pixels
def test_a_game_in_focus_takes_no_more_than_its_share_of_a_core(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = SimpleNamespace(now=0.0)
    clock.perf_counter = lambda: clock.now

    class Slow(BlobGarden):
        def update(self, controls: Controls, dt: float) -> None:
            clock.now += 0.02
            super().update(controls, dt)

    previews = Previews({"garden": Slow})
    while not previews.is_complete:
        previews.frame("garden")
    monkeypatch.setattr(previews_module, "time", clock)
    clock.now = 0.0
    drawn = sum(previews.frame("garden") for _ in range(600))
    assert 0.9 * SHARE < clock.now / 10.0 < 1.1 * SHARE
    assert drawn > 30
    previews.rest()


def test_settings_open_over_the_menu() -> None:
    menu = menu_of(3)
    press(menu, "o")
    texts = {text.text for text in menu.picture(1280, 720).texts}
    assert {"Settings", "volume of everything", "language"} <= texts
    assert "volume of sounds" not in texts
    press(menu, "left")
    assert menu.settings.get("master") == pytest.approx(0.9)
    press(menu, "escape")
    assert menu.settings_shown is None
    assert not menu.exit_requested


def test_every_included_game_is_in_a_group_of_the_menu() -> None:
    games = included_games()
    menu = Menu([Choice.of(find_game(name, games)) for name in games])
    assert set(menu.groups) <= {"games", "toys", "lab"}
    assert {choice.name for choice in menu.choices} == set(games)


@pytest.mark.parametrize("size", SIZES)
def test_the_head_names_the_group_that_is_next_below(size: tuple[int, int]) -> None:
    menu = menu_of(9, size)
    picture = menu.picture(*size)
    heads = [
        text
        for text in picture.texts
        if text.text in ("Toys", "Lab") and text.place[0] > 0.5 * picture.width
    ]
    assert len(heads) == 1
    assert heads[0].place[0] + picture.text_width(heads[0].text, heads[0].size) < picture.width
    menu.selected = 8
    press(menu, "left", "right")
    below = [text for text in shown(menu, size).texts if text.text in ("Toys", "Lab")]
    # headings only
    assert all(text.place[0] < 0.5 * menu.picture(*size).width for text in below)


@needs_compiled_pixels
def test_the_card_of_the_balls_shows_their_whole_room_without_a_place_for_numbers() -> None:
    previews = Previews({"balls": BouncingBalls})
    while not previews.is_complete:
        previews.frame("balls")
    image = previews.pictures["balls"].level(0)[..., :3].astype(int)
    previews.rest()
    # the paper
    sheet = np.abs(image - np.median(image[20:100, 40:280].reshape(-1, 3), axis=0)).max(axis=2) < 12
    columns = np.flatnonzero(sheet.mean(axis=0) > 0.4)
    assert columns[-1] > 0.8 * image.shape[1]
    assert abs(columns[0] + columns[-1] - image.shape[1]) < 0.05 * image.shape[1]
