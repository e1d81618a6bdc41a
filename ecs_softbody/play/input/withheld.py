"""Withheld: hides keys that are down while a screen covers the game, until they are released."""

from __future__ import annotations

from ecs_softbody.play.input.controls import Controls


class Withheld:
    """Filters the input that reaches the game in each frame.

    Space on the start screen is no jump, however long it is held.
    """

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._axes: set[str] = set()

    def left_of(self, controls: Controls, *, covered: bool) -> Controls:
        """Return the game's share of the input; `covered` tells whether a screen covered it in this
        frame.

        The game sees the release of a key only if it saw the press, with no screen in between.
        """
        if covered:
            self._names = controls.held | controls.pressed | controls.released
            self._axes = {name for name, value in controls.axes.items() if value}
        else:
            self._names -= controls.pressed  # released, and pressed again
            self._axes = {name for name in self._axes if controls.axes.get(name)}
        if not self._names and not self._axes:
            return controls
        left = controls.copied()
        for names in (left.held, left.pressed, left.released):
            names.difference_update(self._names)
        for name in self._axes:
            left.axes.pop(name, None)
        self._names &= controls.held
        return left
