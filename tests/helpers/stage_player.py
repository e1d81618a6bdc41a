"""A player before a stage: presses keys and moves the mouse, which a window tells its stage in the
same words.
"""

from __future__ import annotations

from itertools import count

import numpy as np

from ecs_softbody.play import Button, Controls, Session
from ecs_softbody.rendering.screen.points import pixels_per_point
from tests.helpers.internals import show_screen
from tests.helpers.paper_stage import PaperStage

SIZE = (960, 540)
SCALE = SIZE[1] / 720


class Player:
    """Types and clicks; one in `every` pictures is drawn."""

    def __init__(self, size: tuple[int, int] = SIZE, every: int = 1) -> None:
        self.stage = PaperStage(size=size)
        self.scale = pixels_per_point(*size)
        if every > 1:
            draw = self.stage.draw
            numbers = count()
            self.stage.draw = lambda *seen: None if next(numbers) % every else draw(*seen)
        self.pointer = (0, 0)
        self.held: set[str] = set()

    def start(self, session: Session) -> None:
        show_screen(self.stage, session)
        self.wait(2)

    def wait(self, frames: int) -> None:
        self.stage.ticks(frames)

    def hold(self, name: str) -> None:
        self.stage.press(name)
        self.wait(1)

    def let_go(self, name: str) -> None:
        self.stage.release(name)
        self.wait(1)

    def press(self, *names: str) -> None:
        self.stage.typed(*names)

    def point(self, x: int, y: int) -> None:
        self.stage.point(x, y)
        self.wait(1)

    def click(self, x: int, y: int) -> None:
        self.point(x, y)
        self.press("mouse_left")

    def screen_place(self, session: Session, place: np.ndarray) -> tuple[int, int]:
        x, y = session.game.camera.world_to_screen(place) * self.scale
        return round(x), round(y)

    def seen(self, session: Session) -> np.ndarray:
        self.stage.draw(session)
        return np.asarray(self.stage.pixels(), int)

    def colour(self, session: Session, place: np.ndarray) -> np.ndarray:
        """What is seen around a place in the world: (red, green, blue)."""
        x, y = self.screen_place(session, place)
        row = SIZE[1] - 1 - y
        return np.median(
            self.seen(session)[row - 2 : row + 3, x - 2 : x + 3].reshape(-1, 3), axis=0
        )

    def follow(self, session: Session, controls: Controls) -> None:
        """Do for one frame with mouse and keys what a scripted player wants."""
        place = self.screen_place(session, np.asarray(controls.pointer))
        if place != self.pointer:
            self.stage.point(*place)
            self.pointer = place
        wanted = {key_of(session, name) for name in controls.held}
        for name in sorted(self.held - wanted):
            self.stage.release(name)
        for name in sorted(wanted - self.held):
            self.stage.press(name)
        self.held = wanted
        self.wait(1)


def key_of(session: Session, name: str) -> str:
    """Return the first key of an action of the game; any other name is that of a key."""
    action = session.game.actions.get(name)
    return str(action.parts[""][0]) if isinstance(action, Button) else name
