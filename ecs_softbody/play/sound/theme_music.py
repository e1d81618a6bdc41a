"""ThemeMusic: makes the music of a theme beside the game, so that no picture waits for it."""

from __future__ import annotations

import threading

from ecs_softbody.play.sound.pad import PAD_RATE, pad
from ecs_softbody.play.sound.waves import Wave

Chords = tuple[tuple[int, ...], ...]


class ThemeMusic:
    """The music of one theme at a time."""

    def __init__(self) -> None:
        self._chosen: Chords = ()
        self._given: Chords = ()
        self._made: dict[Chords, Wave] = {}
        self._working = False

    def choose(self, chords: Chords) -> None:
        """Want the music of these chords from now on."""
        self._chosen = chords

    def take(self) -> Wave | None:
        """Return the music that was chosen, once, as soon as it is made; it is made from the first call on."""
        if not self._chosen or self._chosen == self._given:
            return None
        made = self._made.get(self._chosen)
        if made is not None:
            self._given = self._chosen
        elif not self._working:
            self._working = True
            threading.Thread(target=self._make, args=(self._chosen,), daemon=True).start()
        return made

    def _make(self, chords: Chords) -> None:
        self._made = {chords: Wave(pad(chords), PAD_RATE)}
        self._working = False
