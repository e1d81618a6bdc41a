"""The springs lab in a real window: the mouse drags every slider of every page, a click turns the page."""

from __future__ import annotations

import pytest

from ecs_softbody.play import FRAME, Session
from ecs_softbody.play.window import GameWindow
from ecs_softbody_games.springs_lab import SpringsLab
from tests.helpers.internals import show_screen

pytestmark = pytest.mark.window
SIZE = (960, 540)
SCALE = SIZE[1] / 720
LEFT_BUTTON = 1


@pytest.mark.slow
def test_the_mouse_drags_each_slider_of_each_page() -> None:
    window, session = GameWindow(size=SIZE), Session(SpringsLab())
    window.handle.push_handlers(on_deactivate=lambda: True)  # other tests open windows meanwhile
    lab = session.game
    assert isinstance(lab, SpringsLab)

    def event(name: str, *values: int) -> None:
        window.handle.dispatch_event(name, *values)
        window.tick(FRAME)

    def pixel(x: float, y: float) -> tuple[int, int]:
        return round(x * SCALE), round(y * SCALE)

    try:
        from pyglet.window import key

        show_screen(window, session)
        window.tick(FRAME)
        event("on_key_press", key.SPACE, 0)
        event("on_key_release", key.SPACE, 0)
        for number, page in enumerate(lab.pages):
            assert lab.number == number
            window.draw(session)
            for row, slider in enumerate(page.sliders):
                box = lab.sliders.box(row)
                assert box is not None
                y = 0.5 * (box[1] + box[3])
                start, end = pixel(box[0] + 2.0, y), pixel(box[2] - 1.0, y)
                event("on_mouse_motion", *start, 0, 0)
                event("on_mouse_press", *start, LEFT_BUTTON, 0)
                event("on_mouse_drag", *end, end[0] - start[0], 0, LEFT_BUTTON, 0)
                assert slider.share == 1.0, (page.title, slider.name)
                event("on_mouse_drag", *start, start[0] - end[0], 0, LEFT_BUTTON, 0)
                assert slider.share < 0.1
                event("on_mouse_release", *start, LEFT_BUTTON, 0)
                assert not session.drag.holding
            x0, y0, x1, y1 = lab.panels.buttons["next"]
            middle = pixel(0.5 * (x0 + x1), 0.5 * (y0 + y1))
            event("on_mouse_motion", *middle, 0, 0)
            event("on_mouse_press", *middle, LEFT_BUTTON, 0)
            event("on_mouse_release", *middle, LEFT_BUTTON, 0)
        assert lab.number == 0, "after the last page comes the first"
    finally:
        session.close()
        window.close()
