"""The springs lab: the mouse drags every slider of every page, a click turns the page."""

from __future__ import annotations

import pytest

from ecs_softbody.play import Session
from ecs_softbody_games.springs_lab import SpringsLab
from tests.helpers.stage_player import SCALE, Player


@pytest.mark.slow
def test_the_mouse_drags_each_slider_of_each_page() -> None:
    player = Player()
    session = Session(SpringsLab())
    lab = session.game
    assert isinstance(lab, SpringsLab)

    def pixel(x: float, y: float) -> tuple[int, int]:
        return round(x * SCALE), round(y * SCALE)

    player.start(session)
    player.press("space")
    for number, page in enumerate(lab.pages):
        assert lab.number == number
        player.stage.draw(session)
        for row, slider in enumerate(page.sliders):
            box = lab.sliders.box(row)
            assert box is not None
            y = 0.5 * (box[1] + box[3])
            start = pixel(box[0] + 2.0, y)
            end = pixel(box[2] - 1.0, y)
            player.point(*start)
            player.hold("mouse_left")
            player.point(*end)
            assert slider.share == 1.0, (page.title, slider.name)
            player.point(*start)
            assert slider.share < 0.1
            player.let_go("mouse_left")
            assert not session.drag.holding
        x0, y0, x1, y1 = lab.panels.buttons["next"]
        player.click(*pixel(0.5 * (x0 + x1), 0.5 * (y0 + y1)))
    assert lab.number == 0, "after the last page comes the first"
    session.close()
