"""A mouse and keys that a test moves: it finds widgets by what they are called."""

from __future__ import annotations

from typing import Any

import pytest

from ecs_softbody.inspector.panel.inspector import Inspector
from ecs_softbody.play import FRAME, Session
from ecs_softbody.play.window import GameWindow
from tests.helpers.internals import lay_over, show_screen

imgui = pytest.importorskip("imgui_bundle", reason="needs the extra inspector").imgui
WIDGETS = {
    "button", "small_button", "slider_float", "slider_int", "input_text", "input_text_with_hint",
    "checkbox", "combo", "tree_node_ex", "selectable", "collapsing_header",
}  # fmt: skip


class Recording:
    """Dear ImGui, with the place of each widget of the last picture by its ids:
    "Collider.friction.None/##slider".
    """

    def __init__(self) -> None:
        self.places: dict[str, tuple[float, float, float, float]] = {}
        self._ids: list[str] = []

    def __getattr__(self, name: str) -> Any:
        found = getattr(imgui, name)
        if name == "new_frame":
            return self._new_frame
        if name == "push_id":
            return lambda key: (self._ids.append(str(key)), imgui.push_id(key))[1]
        if name == "pop_id":
            return lambda: (self._ids.pop(), imgui.pop_id())[1]
        return self._recorded(found) if name in WIDGETS else found

    def _new_frame(self) -> None:
        self.places.clear()
        imgui.new_frame()

    def _recorded(self, widget: Any) -> Any:
        def draw(label: str, *given: Any, **options: Any) -> Any:
            result = widget(label, *given, **options)
            low = imgui.get_item_rect_min()
            high = imgui.get_item_rect_max()
            self.places["/".join([*self._ids, label])] = (low.x, low.y, high.x, high.y)
            return result

        return draw


class Hand:
    """A window with an inspector over a session, and a hand on its mouse and keys."""

    def __init__(self, session: Session, size: tuple[int, int] = (960, 720)) -> None:
        self.window = GameWindow(size=size)
        # other tests open windows meanwhile
        self.window.handle.push_handlers(on_deactivate=lambda: True)
        self.recording = Recording()
        self.inspector = Inspector(self.window, self.recording)
        lay_over(self.window, self.inspector)
        self.session = session
        show_screen(self.window, session)
        self.inspector.meet(session)
        self.at = (0, 0)
        self.ticks(3)

    @property
    def inspection(self) -> Any:
        return self.inspector.inspection

    def ticks(self, count: int = 1) -> None:
        for _ in range(count):
            self.window.tick(FRAME)

    def place(self, name: str, along: float = 0.5) -> tuple[int, int]:
        """Return the middle of a widget in the window's own coordinates."""
        found = [key for key in self.recording.places if key == name or key.endswith(name)]
        assert found, f"no widget {name!r} among {sorted(self.recording.places)}"
        left, top, right, bottom = self.recording.places[found[0]]
        return int(left + along * (right - left)), int(
            self.window.handle.height - 0.5 * (top + bottom)
        )

    def move(self, x: int, y: int, buttons: int = 0) -> None:
        dx = x - self.at[0]
        dy = y - self.at[1]
        self.at = (x, y)
        if buttons:
            self.window.handle.dispatch_event("on_mouse_drag", x, y, dx, dy, buttons, 0)
        else:
            self.window.handle.dispatch_event("on_mouse_motion", x, y, dx, dy)
        self.ticks()

    def press(self) -> None:
        self.window.handle.dispatch_event("on_mouse_press", *self.at, 1, 0)
        self.ticks()

    def release(self) -> None:
        self.window.handle.dispatch_event("on_mouse_release", *self.at, 1, 0)
        self.ticks()

    def click(self, name: str, along: float = 0.5) -> None:
        """Click on a widget."""
        self.click_at(*self.place(name, along))

    def click_at(self, x: int, y: int) -> None:
        self.move(x, y)
        self.press()
        self.release()
        self.ticks()

    def drag(self, name: str, start: float, end: float) -> None:
        """Drag along a widget, from one share of its width to another."""
        self.move(*self.place(name, start))
        self.press()
        for step in range(1, 5):
            self.move(*self.place(name, start + 0.25 * step * (end - start)), buttons=1)
        self.release()

    def key(self, name: str) -> None:
        from pyglet.window import key

        self.window.handle.dispatch_event("on_key_press", getattr(key, name), 0)
        self.ticks()
        self.window.handle.dispatch_event("on_key_release", getattr(key, name), 0)
        self.ticks()

    def type(self, text: str) -> None:
        """Type a text, as keys and as letters."""
        from pyglet.window import key

        for letter in text:
            symbol = getattr(key, letter.upper(), None) if letter.isalpha() else None
            if symbol is not None:
                self.window.handle.dispatch_event("on_key_press", symbol, 0)
            self.window.handle.dispatch_event("on_text", letter)
            self.ticks()
            if symbol is not None:
                self.window.handle.dispatch_event("on_key_release", symbol, 0)
                self.ticks()

    def world(self, x: float, y: float) -> tuple[int, int]:
        """Return where a place in the world [m] is in the window."""
        scale = self.window.handle.height / 720.0
        at = self.session.game.camera.world_to_screen((x, y)) * scale
        return int(at[0]), int(at[1])

    def close(self) -> None:
        self.window.close()
        self.session.close()
