"""Script: what the scripted player does in a level where running and jumping is not enough, step by
step.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence

COMPARISONS: dict[str, Callable[[float, float], bool]] = {">": operator.gt, "<": operator.lt}
LAMP = "lamp"
AUTO = "auto"
TO = "@"
PATIENCE = 420
"""Frames after which a step has failed: the script goes on as after the last lamp."""


class Script:
    """Steps of a level's file: keys to hold, and until when.

    A step is `["right space", "x > 12.5"]`: one condition, or several with `and`, of what `seen`
    has. The key `auto` leaves a step to the player who runs and jumps by looking, `@26.5` steers
    towards x = 26.5. `["lamp", "2"]` is where it goes on after a misfortune when two lamps are lit.
    """

    def __init__(self, steps: Sequence[tuple[str, str]]) -> None:
        self.steps = tuple(steps)
        self.number = 0
        self.frames = 0
        self.lamps = 0

    def keys(self, seen: dict[str, float]) -> set[str]:
        """Return the keys of this frame, and go on to the next step where this one has come to its
        end.
        """
        while self.number < len(self.steps):
            keys, until = self.steps[self.number]
            done = keys == LAMP or _holds(until, seen | {"t": float(self.frames)})
            if not done:
                self.frames += 1
                if self.frames > PATIENCE:
                    self.resume(self.lamps)
                return set(keys.split())
            if keys == LAMP:
                self.lamps = int(until)
            self.number = self.number + 1
            self.frames = 0
        return {AUTO}

    def resume(self, lamps: int) -> None:
        """Go on as after so many lamps."""
        labels = {
            int(until): number for number, (keys, until) in enumerate(self.steps) if keys == LAMP
        }
        self.number = labels.get(lamps, 0)
        self.frames = 0
        self.lamps = lamps


def _holds(condition: str, seen: dict[str, float]) -> bool:
    for part in condition.split(" and "):
        name, sign, number = part.split()
        if not COMPARISONS[sign](seen[name], float(number)):
            return False
    return True
