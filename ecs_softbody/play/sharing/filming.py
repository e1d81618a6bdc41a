"""Filming: keeps the last seconds of a window's pictures, and reports to the player on saving
them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ecs_softbody.parallel.machine import can_start_threads
from ecs_softbody.play.sharing.clip import Clip, Frame, Saving, small_size
from ecs_softbody.play.sharing.films import pictures_folder
from ecs_softbody.rendering.texts.table import say

ReadSmall = Callable[[tuple[int, int], tuple[int, int]], Frame]


class Filming:
    """One clip, and the file being written from it.

    Args:
        tell: shows a line to the player.
    """

    def __init__(self, tell: Callable[[str], None]) -> None:
        self.clip = Clip()
        self.saving: Saving | None = None
        self._say = tell

    def keep(self, read_small: ReadSmall, size: tuple[int, int], now: float) -> None:
        """Keep a small copy of the picture, a few times a second; `now` [s]."""
        if can_start_threads() and self.clip.is_due(now):
            self.clip.add(read_small(size, small_size(*size)), now)

    def save(self, folder: Path | None = None) -> Saving | None:
        """Start writing the last ten seconds as a GIF; None if there are no pictures, or no folder
        for it.

        Without threads nothing is kept or written, and the player is told so.
        """
        if self.saving is not None:
            return self.saving
        if not can_start_threads():
            self._say(say("window.gif_not_here"))
            return None
        if not len(self.clip):
            self._say(say("window.gif_nothing"))
            return None
        try:
            self.saving = self.clip.save(folder or pictures_folder())
        except OSError as error:
            self._say(say("window.gif_failed", reason=error.strerror or error))
        return self.saving

    def tell(self) -> None:
        """Show the progress of the GIF being written, and its path when done."""
        saving = self.saving
        if saving is None:
            return
        if not saving.done:
            self._say(say("window.gif_writing", share=f"{saving.share:.0%}"))
            return
        self.saving = None
        failed = say("window.gif_failed", reason=saving.error)
        self._say(failed if saving.error else say("window.saved", path=saving.path))
