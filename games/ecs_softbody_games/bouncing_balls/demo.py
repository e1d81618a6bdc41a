"""The demo: a scripted player who shows every switch in about twelve seconds, then starts again."""

from __future__ import annotations

import math

from ecs_softbody.elementary import cos, sin
from ecs_softbody.play import Controls
from ecs_softbody_games.bouncing_balls.crowd import Crowd

PRESSES: dict[int, str] = {
    150: "space",
    330: "up",
    390: "right",
    440: "g",
    445: "e",
    530: "d",
    535: "d",
    540: "d",
    600: "d",
    605: "down",
    650: "space",
    708: "e",
    709: "e",
    710: "e",
}
"""Frame -> key that goes down in it."""
HOLDS: tuple[tuple[int, int, str], ...] = ((210, 300, "plus"), (560, 596, "minus"))
"""First frame, last frame, key that is held."""
THROWS: tuple[tuple[int, int, float], ...] = ((60, 128, 1.15), (302, 330, 0.4), (450, 505, 0.9))
"""First and last frame of the mouse button being down, and turns that the mouse goes round
meanwhile.
"""
LENGTH = 720
"""Frames until it starts again."""


class Demo:
    """Plays the game one frame at a time."""

    def __init__(self) -> None:
        self.frame = -1
        self._held: set[str] = set()
        self._pointer = (0.0, 4.0)

    def controls(self, crowd: Crowd) -> Controls:
        """Return what the player does in the next frame, with the bodies that are there."""
        self.frame = (self.frame + 1) % LENGTH
        held = {key for first, last, key in HOLDS if first <= self.frame < last}
        if self.frame in PRESSES:
            held.add(PRESSES[self.frame])
        for throw in THROWS:
            if throw[0] - 12 <= self.frame < throw[1]:
                self._swing(crowd, self.frame - throw[0], throw[1] - throw[0], throw[2])
                if self.frame >= throw[0]:
                    held.add("mouse_left")
        pressed = held - self._held
        released = self._held - held
        self._held = held
        return Controls(held=set(held), pressed=pressed, released=released, pointer=self._pointer)

    def _swing(self, crowd: Crowd, frame: int, length: int, turns: float) -> None:
        """Go to a large body, then swing it round in the room, faster and faster."""
        if frame <= 0:
            blobs = [body for body in crowd.bodies if body.soft] or crowd.bodies
            if not blobs:
                return
            body = max(blobs, key=lambda each: each.mass)
            x, y = body.place.tolist()
            self._pointer = (x, y)
            return
        left, bottom, right, top = crowd.bounds
        share = frame / length
        turn = 2.0 * math.pi * turns * share * math.sqrt(share)
        goal = (
            0.5 * (left + right) + 0.36 * (right - left) * sin(turn),
            0.5 * (bottom + top) - 0.3 * (top - bottom) * cos(turn),
        )
        blend = 0.25
        x, y = self._pointer
        self._pointer = (x + blend * (goal[0] - x), y + blend * (goal[1] - y))
