"""Levels: the next one, this one again, one that is open; handlers come along, and progress is
kept.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ecs_softbody.play import Controls, Session
from tests.play.jumper import Jumper, frames


def jumper(session: Session) -> Jumper:
    assert isinstance(session.game, Jumper)
    return session.game


def texts(session: Session) -> set[str]:
    return {text.text for text in session.picture(640, 360).texts}


def test_handlers_come_along_to_every_level(session: Session) -> None:
    game = jumper(session)
    for number in range(3):
        assert (game.level_number, game.current_level) == (number, number + 1.0)
        game.touched.clear()
        frames(session, 90)
        assert set(game.touched) == {number}, "the ball fell on this level's ground"
        assert len(game.events) == len({id(event) for event in game.events}), "each was heard once"
        game.next_level()
        frames(session, 1)
    assert session.state == "won"
    assert game.level_number == 2


def test_a_handler_is_for_an_event_that_there_is(session: Session) -> None:
    with pytest.raises(
        ValueError,
        match=r"Game.on.name: there is no event 'contact_began' \(did you mean contact_begin\?\)",
    ):
        session.game.on("contact_began", print)
    with pytest.raises(
        TypeError, match=r"Game.on.handler: None is not allowed; expected a function"
    ):
        session.game.on("contact_begin", None)  # type: ignore[arg-type]


def test_restart_stays_in_the_level(session: Session) -> None:
    game = jumper(session)
    game.choose_level(1)
    frames(session, 1)
    starts = game.starts
    world = game.sim
    game.restart()
    frames(session, 1)
    assert (game.level_number, game.starts) == (1, starts + 1)
    assert game.sim is not world
    frames(session, 1, pressed={"r"})
    assert (game.level_number, game.starts) == (1, starts + 2)


def test_a_game_whose_world_stands_may_begin_anew_go_on_and_end(session: Session) -> None:
    game = jumper(session)
    game.sim.paused = True
    world = game.sim
    game.next_level()
    frames(session, 1)
    assert game.level_number == 1
    assert game.sim is not world
    game.sim.time_scale = 0.0
    frames(session, 3)
    game.outcome = "lost"
    frames(session, 1)
    assert session.state == "lost"


@pytest.mark.parametrize("number", [-1, 3, 1.5, None])
def test_a_level_that_is_not_there_is_refused(session: Session, number: int) -> None:
    with pytest.raises(ValueError, match="the game has 3"):
        session.game.choose_level(number)


def test_after_a_level_was_won_space_goes_on_to_the_next(session: Session) -> None:
    game = jumper(session)
    game.outcome = "won"
    frames(session, 60)
    assert session.state == "won"
    assert "Press SPACE for the next level" in texts(session)
    frames(session, 1, pressed={"space"})
    assert (session.state, game.level_number) == ("playing", 1)
    game.outcome = "lost"
    frames(session, 60)
    assert "Press SPACE to play again" in texts(session)
    frames(session, 1, pressed={"space"})
    assert (session.state, game.level_number) == ("playing", 1)


def test_progress_is_kept_and_the_start_screen_offers_what_is_open(tmp_path: Path) -> None:
    game = Jumper()
    game.saves.open(tmp_path)
    first = Session(game)
    assert game.opened_levels == 1
    game.next_level()
    frames(first, 1, pressed={"space"})
    frames(first, 2)
    assert game.opened_levels == 2
    first.close()

    again = Jumper()
    again.saves.open(tmp_path)
    session = Session(again)
    assert (again.opened_levels, again.level_number) == (2, 0)
    assert "Level 1 of 3  →" in texts(session)
    frames(session, 1, pressed={"right"})
    frames(session, 1, pressed={"right"})  # the third one is not open
    assert again.current_level == 2.0
    assert "←  Level 2 of 3" in texts(session)
    frames(session, 1, pressed={"space"})
    assert (session.state, again.level_number) == ("playing", 1)
    session.close()


def test_a_click_on_the_map_chooses_an_open_level_and_one_on_a_locked_level_starts_nothing() -> (
    None
):
    session = Session(Jumper())
    game = jumper(session)
    game.saves["opened levels"] = 2
    game.level_words = lambda number: (f"place {number}", "best 3 s")  # type: ignore[method-assign]
    assert "place 0  ·  best 3 s" in texts(session)
    places = {
        text.text: text.place
        for text in session.picture(1280, 720).texts
        if text.text in ("1", "2", "3")
    }
    assert set(places) == {"1", "2"}, "a locked level has a lock instead of its number"
    first, second = (np.array(places[number]) for number in ("1", "2"))
    for place, state, number in ((2 * second - first, "title", 0), (second, "playing", 1)):
        pointer = (float(place[0]) + 5.0, float(place[1]))
        session.frame(Controls(pressed={"mouse_left"}, pointer_screen=pointer))
        assert (session.state, game.level_number) == (state, number)
    session.close()


@pytest.mark.parametrize(("count", "size"), [(20, (450, 900)), (30, (1280, 720)), (30, (320, 180))])
def test_the_words_below_a_map_of_many_levels_stand_clear_of_it(
    count: int, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Jumper, "levels", tuple(range(count)))
    session = Session(Jumper())
    session.game.saves["opened levels"] = count
    written = session.picture(*size).texts
    (words,) = [text for text in written if "Level 1 of" in text.text]
    numbers = [text for text in written if text.text.isdecimal()]
    assert len(numbers) == count
    # the edge of a disc around its number
    lowest = min(text.place[1] - 0.51 * text.size for text in numbers)
    assert words.place[1] + 0.74 * words.size < lowest
    session.close()


def test_a_level_that_is_won_opens_the_next_one() -> None:
    session = Session(Jumper())
    game = jumper(session)
    frames(session, 1, pressed={"space"})
    assert game.opened_levels == 1
    game.outcome = "won"
    frames(session, 1)
    assert game.opened_levels == 2
    session.close()


def test_the_pause_has_a_way_back_to_the_map_of_levels() -> None:
    session = Session(Jumper())
    session.game.saves["opened levels"] = 3
    session.frame(Controls(pressed={"right"}))
    session.frame(Controls(pressed={"space"}))
    session.frame(Controls(pressed={"backspace"}))
    assert session.state == "playing"
    session.frame(Controls(pressed={"p"}))
    assert "map of levels" in {text.text for text in session.picture(640, 360).texts}
    session.frame(Controls(pressed={"backspace"}))
    assert (session.state, session.game.level_number) == ("title", 1)
    session.frame(Controls(pressed={"left"}))
    session.frame(Controls(pressed={"space"}))
    assert (session.state, session.game.level_number) == ("playing", 0)
    session.close()
