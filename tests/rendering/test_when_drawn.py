"""When a stage draws a picture, and what it does once the picture stands."""

from __future__ import annotations

import pytest

from ecs_softbody.play import Session
from ecs_softbody.play.screens.menu import Choice, Menu
from ecs_softbody.play.stage import SETTLING, Stillness
from tests.helpers.internals import show_screen
from tests.helpers.paper_stage import PaperStage
from tests.rendering.blob_garden import BlobGarden


@pytest.fixture
def stage() -> PaperStage:
    return PaperStage(size=(320, 180))


def test_what_waits_for_the_picture_runs_once_when_it_stands(
    stage: PaperStage, session: Session
) -> None:
    shown: list[object] = []
    stage.after_picture(lambda: shown.append(stage.paper.pictures))
    stage.after_picture(lambda: shown.append("second"))
    show_screen(stage, session)
    assert shown == []
    stage.ticks(2)
    assert shown == [1, "second"]


def pictures(stage: PaperStage, ticks: int) -> int:
    """Return how many pictures are drawn in so many ticks."""
    before = stage.paper.pictures
    stage.ticks(ticks)
    return stage.paper.pictures - before


@pytest.mark.parametrize("key", ["p", "h"])
def test_what_does_not_move_is_hardly_drawn(stage: PaperStage, session: Session, key: str) -> None:
    show_screen(stage, session)
    stage.typed("space")
    assert pictures(stage, 10) == 10
    stage.typed(key)
    pictures(stage, 10)
    assert pictures(stage, 120) == 2
    stage.point(100, 100)
    assert pictures(stage, 2) == 2
    pictures(stage, 10)
    stage.wake()
    assert pictures(stage, 2) == 2
    stage.typed(key)
    assert pictures(stage, 10) == 10
    stage.hide()
    stage.ticks()
    assert pictures(stage, 30) == 0


def test_the_menu_comes_to_rest_and_wakes_up(stage: PaperStage) -> None:
    menu = Menu([Choice.of(BlobGarden), Choice("second", "Second", "Another one")])
    show_screen(stage, menu)
    stage.ticks(20)
    assert pictures(stage, 120) == 2
    stage.press("right")
    assert pictures(stage, 1) == 1
    assert menu.selected == 1


def test_a_card_that_moves_ten_times_a_second_is_drawn_hardly_more_often() -> None:
    """A menu in which one game plays by itself drew 40 pictures a second, 110 % of a core with
    OpenGL in software.
    """
    stillness = Stillness()
    drawn = sum(stillness.needs_picture(still=bool(tick % 6)) for tick in range(600))
    assert 100 <= drawn <= 210
    for _ in range(20):
        stillness.needs_picture(still=True)
    assert stillness.lasts
    stillness.end()
    assert [stillness.needs_picture(still=True) for _ in range(6)] == [True] * SETTLING + [
        False
    ] * 2
