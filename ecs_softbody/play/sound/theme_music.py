"""ThemeMusic: generates a theme's music in the background, so that no picture waits for it.

Without threads, a little of it is generated with each picture.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator

from ecs_softbody.parallel.machine import can_start_threads
from ecs_softbody.play.sound.pad import PAD_RATE, leveled, pieces
from ecs_softbody.play.sound.waves import Samples, Wave

Chords = tuple[tuple[int, ...], ...]


class ThemeMusic:
    """The music of one theme at a time."""

    def __init__(self) -> None:
        self._chosen: Chords = ()
        self._given: Chords = ()
        self._made: dict[Chords, Wave] = {}
        self._steps: Iterator[None] = iter(())
        self._working = False

    def choose(self, chords: Chords) -> None:
        """Select the music of these chords."""
        self._chosen = chords

    def take(self) -> Wave | None:
        """Return the selected music, once, when it is ready; the first call starts generating
        it.
        """
        if not self._chosen or self._chosen == self._given:
            return None
        made = self._made.get(self._chosen)
        if made is not None:
            self._given = self._chosen
        elif not self._working:
            self._working = True
            self._steps = self._making(self._chosen)
            if can_start_threads():
                threading.Thread(target=list, args=(self._steps,), daemon=True).start()
        elif not can_start_threads():
            next(self._steps, None)
        return made

    def _making(self, chords: Chords) -> Iterator[None]:
        made: list[Samples] = []
        for piece in pieces(chords):
            made.append(piece)
            yield
        self._made = {chords: Wave(leveled(made), PAD_RATE)}
        self._working = False
