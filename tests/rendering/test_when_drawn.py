"""When a window draws a picture, and what it does once the picture stands."""

from __future__ import annotations

import pytest

from ecs_softbody.play import FRAME, Session
from ecs_softbody.play.screens.menu import Choice, Menu
from ecs_softbody.play.timing.stillness import SETTLING, Stillness
from ecs_softbody.play.window import GameWindow
from tests.helpers.internals import show_screen
from tests.helpers.keys import typed
from tests.rendering.blob_garden import BlobGarden


@pytest.mark.window
def test_what_waits_for_the_picture_runs_once_when_it_stands(window: GameWindow, session: Session) -> None:
    shown, flip = [], window.handle.flip
    window.handle.flip = lambda: (shown.append("picture"), flip())
    window.after_picture(lambda: shown.append("first"))
    window.after_picture(lambda: shown.append("second"))
    assert shown == []
    show_screen(window, session)
    window.tick(FRAME)
    window.tick(FRAME)
    assert shown[:4] == ["picture", "first", "second", "picture"]
    assert shown.count("first") == shown.count("second") == 1


class Counting:
    """Counts how often something is drawn."""

    def __init__(self, window: GameWindow, monkeypatch: pytest.MonkeyPatch) -> None:
        self.pictures = 0
        draw = window.draw

        def counted(*args: object) -> None:
            self.pictures += 1
            draw(*args)  # type: ignore[arg-type]

        monkeypatch.setattr(window, "draw", counted)
        self.window = window

    def during(self, ticks: int) -> int:
        """Return how many pictures are drawn in so many ticks."""
        before = self.pictures
        for _ in range(ticks):
            self.window.tick(FRAME)
        return self.pictures - before


@pytest.mark.brief(2)
@pytest.mark.window
@pytest.mark.parametrize("key", ["P", "H"])
def test_what_does_not_move_is_hardly_drawn(
    window: GameWindow, session: Session, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    count = Counting(window, monkeypatch)
    show_screen(window, session)
    typed(window, "SPACE")
    assert count.during(30) == 30
    typed(window, key)
    count.during(10)
    with monkeypatch.context() as alone:
        # Windows of other tests come and go on the same display, and what they covered is drawn again.
        alone.setattr(window.handle, "dispatch_events", lambda: None)
        count.during(10)
        assert count.during(120) <= 2
    window.handle.dispatch_event("on_mouse_motion", 100, 100, 0, 0)
    assert count.during(2) == 2
    count.during(10)
    window.handle.dispatch_event("on_expose")
    assert count.during(2) == 2
    typed(window, key)
    assert count.during(30) == 30
    window.handle.dispatch_event("on_hide")
    window.tick(FRAME)
    assert count.during(30) == 0


@pytest.mark.slow
@pytest.mark.window
def test_the_menu_comes_to_rest_and_wakes_up(window: GameWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    count = Counting(window, monkeypatch)
    menu = Menu([Choice.of(BlobGarden), Choice("second", "Second", "Another one")])
    show_screen(window, menu)
    count.during(20)
    still = window.pixels()
    # Windows of other tests on the same screen may uncover this one, which draws it anew: hardly three times in a row.
    assert any(count.during(120) <= 6 for _ in range(3))
    assert (window.pixels() == still).all()
    typed(window, "RIGHT")
    assert menu.selected == 1
    assert (window.pixels() != still).any()


def test_a_card_that_moves_ten_times_a_second_is_drawn_hardly_more_often() -> None:
    """A menu in which one game plays by itself drew 40 pictures a second, 110 % of a core with OpenGL in software."""
    stillness = Stillness()
    drawn = sum(stillness.needs_picture(still=bool(tick % 6)) for tick in range(600))
    assert 100 <= drawn <= 210
    for _ in range(20):
        stillness.needs_picture(still=True)
    assert stillness.lasts
    stillness.end()
    assert [stillness.needs_picture(still=True) for _ in range(6)] == [True] * SETTLING + [False] * 2
