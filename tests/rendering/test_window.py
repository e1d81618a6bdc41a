from __future__ import annotations

import threading

import numpy as np
import pytest

from ecs_softbody.play import FRAME, Session
from ecs_softbody.play.screens.menu import Choice, Menu
from ecs_softbody.play.window import GameWindow
from ecs_softbody.rendering.backend.rasterizer import draw_image
from tests.helpers.fake_pad import FakePad
from tests.helpers.internals import show_screen
from tests.helpers.keys import typed
from tests.rendering.blob_garden import BlobGarden, needs_compiled_pixels


@pytest.mark.window
def test_a_game_is_played_with_keys(window: GameWindow, session: Session) -> None:
    from pyglet.window import key

    show_screen(window, session)
    window.tick(FRAME)
    assert session.state == "title"
    typed(window, "SPACE")
    assert session.state == "playing"
    window.handle.dispatch_event("on_key_press", key.RIGHT, 0)
    before = session.game.place[0]  # type: ignore[attr-defined]
    for _ in range(40):
        window.tick(FRAME)
    assert session.game.place[0] > before + 0.3  # type: ignore[attr-defined]
    window.handle.dispatch_event("on_key_release", key.RIGHT, 0)
    typed(window, "P")
    assert session.state == "paused"
    typed(window, "ESCAPE")
    assert session.exit_requested


@pytest.mark.window
@needs_compiled_pixels
def test_both_backends_draw_the_same(window: GameWindow, session: Session) -> None:
    session.frame()
    picture = session.picture(640, 360)
    window.draw(session)
    difference = np.abs(window.pixels().astype(int) - draw_image(picture).astype(int))
    assert difference.mean() < 0.6
    assert (difference.max(axis=2) > 24).mean() < 0.001


@pytest.mark.window
def test_the_mouse_takes_hold_of_a_body(window: GameWindow, session: Session) -> None:
    show_screen(window, session)
    typed(window, "SPACE")
    x, y = session.game.camera.world_to_screen(session.game.place) / 2  # type: ignore[attr-defined]
    window.handle.dispatch_event("on_mouse_press", int(x), int(y), 1, 0)
    window.tick(FRAME)
    assert session.drag.holding
    window.handle.dispatch_event("on_mouse_drag", int(x), int(y) + 60, 0, 60, 1, 0)
    for _ in range(40):
        window.tick(FRAME)
    assert session.game.place[1] > 1.3  # type: ignore[attr-defined]
    window.handle.dispatch_event("on_mouse_release", int(x), int(y) + 60, 1, 0)
    window.tick(FRAME)
    assert not session.drag.holding


@pytest.mark.window
def test_the_window_is_named_after_the_game_in_it(window: GameWindow, session: Session) -> None:
    window.show(session, until=lambda: True)
    assert window.handle.caption == "Blob garden"
    window.show(Menu([Choice.of(BlobGarden)]), until=lambda: True)
    assert window.handle.caption == "Soft bodies"


@pytest.mark.window
def test_a_smaller_window_shows_the_same_world(window: GameWindow, session: Session) -> None:
    show_screen(window, session)
    window.handle.set_size(400, 300)
    for _ in range(5):
        window.tick(FRAME)
    assert window.size_px == (400, 300)
    assert window.pixels().shape == (300, 400, 3)
    assert session.game.camera.aspect == pytest.approx(4 / 3)


@pytest.mark.window
@pytest.mark.parametrize("event", ["on_deactivate", "on_hide"])
def test_a_game_pauses_when_its_player_turns_away(session: Session, event: str) -> None:
    window = GameWindow(size=(320, 180))
    show_screen(window, session)
    typed(window, "SPACE")
    window.handle.dispatch_event("on_key_press", 65363, 0)  # right
    window.handle.dispatch_event(event)
    window.tick(FRAME)
    assert session.state == "paused"
    frame = session.game.sim.frame
    for _ in range(20):
        window.tick(FRAME)
    assert session.game.sim.frame == frame
    window.handle.dispatch_event("on_show")
    typed(window, "SPACE")
    assert session.state == "playing"
    window.close()


@pytest.mark.window
def test_a_controller_plays_in_a_window_and_keys_take_over_again(
    window: GameWindow, session: Session
) -> None:
    fake = FakePad()
    show_screen(window, session)
    post(window.pads.connect, fake.pad)
    window.tick(FRAME)
    assert window.pads.count == 1
    fake.press("a")
    window.tick(FRAME)
    assert session.state == "playing"
    before = session.game.place[0]  # type: ignore[attr-defined]
    fake.stick(1.0, 0.0)
    for _ in range(40):
        window.tick(FRAME)
    assert session.game.place[0] > before + 0.3  # type: ignore[attr-defined]
    assert "START" in {text.text for text in session.picture(640, 360).texts}
    typed(window, "A")
    assert "P" in {text.text for text in session.picture(640, 360).texts}
    fake.press("b")
    post(window.pads.disconnect, fake.pad)
    window.tick(FRAME)
    assert session.state == "paused"


def post(handler: object, pad: object) -> None:
    """Say something from another thread, as pyglet does when a controller comes or goes."""
    import pyglet

    class Teller(pyglet.event.EventDispatcher):  # type: ignore[misc]
        pass

    Teller.register_event_type("on_news")
    teller = Teller()
    teller.push_handlers(on_news=handler)
    thread = threading.Thread(
        target=pyglet.app.platform_event_loop.post_event, args=(teller, "on_news", pad)
    )
    thread.start()
    thread.join()
