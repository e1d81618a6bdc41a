"""The menu: one column for a few games, two for many, chosen by keys or by the mouse."""

from __future__ import annotations

import pytest

from ecs_softbody.play import Controls
from ecs_softbody.play.screens.menu import Choice, Menu

WIDE, NARROW = (1280, 720), (720, 720)


def menu_of(count: int, size: tuple[int, int] = WIDE) -> Menu:
    menu = Menu([Choice(f"game-{number}", f"Game {number}", "What it is about") for number in range(count)])
    menu.picture(*size)
    return menu


def press(menu: Menu, *keys: str) -> int:
    for key in keys:
        menu.frame(Controls(pressed={key}))
    return menu.selected


@pytest.mark.parametrize("count", [1, 6, 9, 12])
def test_all_games_are_seen_in_a_wide_window(count: int) -> None:
    shown = {text.text for text in menu_of(count).picture(*WIDE).texts}
    assert {f"Game {number}" for number in range(count)} <= shown


def test_a_narrow_window_shows_some_and_says_how_many_there_are() -> None:
    menu = menu_of(9, NARROW)
    shown = {text.text for text in menu.picture(*NARROW).texts}
    assert "Choose one of 9 games" in shown
    assert "Game 8" not in shown
    assert press(menu, "up") == 8
    assert "Game 8" in {text.text for text in menu.picture(*NARROW).texts}


def test_arrows_go_through_both_columns() -> None:
    menu = menu_of(9)
    assert press(menu, "down", "down") == 2
    assert press(menu, "right") == 7
    assert press(menu, "left") == 2
    assert press(menu, "down", "down", "right") == 4  # there is nothing beside the fifth
    assert press(menu, "down") == 5
    assert press(menu, "enter") == 5
    assert menu.chosen == "game-5"


@pytest.mark.parametrize(("place", "number"), [((300.0, 480.0), 0), ((900.0, 480.0), 5), ((900.0, 250.0), 8)])
def test_a_click_chooses_the_card_under_it(place: tuple[float, float], number: int) -> None:
    menu = menu_of(9)
    menu.frame(Controls(pressed={"mouse_left"}, pointer_screen=place))
    assert menu.chosen == f"game-{number}"


def test_a_click_between_the_cards_chooses_nothing() -> None:
    menu = menu_of(9)
    menu.frame(Controls(pressed={"mouse_left"}, pointer_screen=(640.0, 480.0)))
    assert menu.chosen is None
