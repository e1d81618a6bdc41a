"""A player at a real window: types and clicks the way the system does."""

from __future__ import annotations

from itertools import count

import numpy as np

from ecs_softbody.play import FRAME, Button, Controls, Session
from ecs_softbody.play.window import GameWindow
from ecs_softbody.rendering.screen.points import pixels_per_point
from tests.helpers.internals import show_screen

SIZE = (960, 540)
SCALE = SIZE[1] / 720
LEFT_BUTTON = 1


class Player:
    """Types and clicks in a window, the way the system does; one in `every` pictures is drawn."""

    def __init__(self, size: tuple[int, int] = SIZE, every: int = 1) -> None:
        self.window, self.scale = GameWindow(size=size), pixels_per_point(*size)
        if every > 1:
            draw, numbers = self.window.draw, count()
            self.window.draw = lambda *seen: None if next(numbers) % every else draw(*seen)
        self.window.handle.push_handlers(on_deactivate=lambda: True)  # other tests open windows meanwhile
        self.pointer = (0, 0)
        self.held: set[str] = set()

    def start(self, session: Session) -> None:
        show_screen(self.window, session)
        self.wait(2)

    def wait(self, frames: int) -> None:
        for _ in range(frames):
            self.window.tick(FRAME)

    def event(self, name: str, *values: int) -> None:
        self.window.handle.dispatch_event(name, *values)
        self.wait(1)

    def hold(self, name: str) -> None:
        from pyglet.window import key

        self.event("on_key_press", getattr(key, name), 0)

    def let_go(self, name: str) -> None:
        from pyglet.window import key

        self.event("on_key_release", getattr(key, name), 0)

    def press(self, *names: str) -> None:
        for name in names:
            self.hold(name)
            self.let_go(name)

    def click(self, x: int, y: int) -> None:
        self.event("on_mouse_motion", x, y, 0, 0)
        self.event("on_mouse_press", x, y, LEFT_BUTTON, 0)
        self.event("on_mouse_release", x, y, LEFT_BUTTON, 0)

    def screen_place(self, session: Session, place: np.ndarray) -> tuple[int, int]:
        x, y = session.game.camera.world_to_screen(place) * self.scale
        return round(x), round(y)

    def seen(self, session: Session) -> np.ndarray:
        self.window.draw(session)
        return np.asarray(self.window.pixels(), int)

    def colour(self, session: Session, place: np.ndarray) -> np.ndarray:
        """What is seen around a place in the world: (red, green, blue)."""
        x, y = self.screen_place(session, place)
        row = SIZE[1] - 1 - y
        return np.median(self.seen(session)[row - 2 : row + 3, x - 2 : x + 3].reshape(-1, 3), axis=0)

    def follow(self, session: Session, controls: Controls) -> None:
        """Do for one frame with the window's mouse and keys what a scripted player wants."""
        from pyglet.window import key

        handle, held = self.window.handle, "mouse_left" in self.held
        x, y = self.screen_place(session, np.asarray(controls.pointer))
        if (x, y) != self.pointer:
            name, more = ("on_mouse_drag", (LEFT_BUTTON, 0)) if held else ("on_mouse_motion", ())
            handle.dispatch_event(name, x, y, x - self.pointer[0], y - self.pointer[1], *more)
            self.pointer = (x, y)
        wanted = {key_of(session, name) for name in controls.held}
        for name in sorted(wanted ^ self.held):
            down = name in wanted
            if name == "mouse_left":
                handle.dispatch_event("on_mouse_press" if down else "on_mouse_release", x, y, LEFT_BUTTON, 0)
            else:
                handle.dispatch_event("on_key_press" if down else "on_key_release", getattr(key, name.upper()), 0)
        self.held = wanted
        self.wait(1)


def key_of(session: Session, name: str) -> str:
    """Return the first key of an action of the game; any other name is that of a key."""
    action = session.game.actions.get(name)
    return str(action.parts[""][0]) if isinstance(action, Button) else name
