"""Filming: hangs on a stage, keeps the last seconds of its pictures, and saves them on F9."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ecs_softbody.parallel.machine import can_start_threads
from ecs_softbody.play.sharing.clip import Clip, Saving, small_size
from ecs_softbody.play.sharing.films import pictures_folder
from ecs_softbody.rendering.texts.table import say

if TYPE_CHECKING:
    from ecs_softbody.play.session import Session
    from ecs_softbody.play.stage import Stage

KEY = "f9"


class Filming:
    """Keeps the pictures of one game, and saves them.

    Args:
        stage: shows the game.
        session: runs it.
    """

    def __init__(self, stage: Stage, session: Session) -> None:
        self.clip = Clip()
        self.saving: Saving | None = None
        self._stage = stage
        self._session = session

    def keep(self) -> None:
        """Keep a small copy of the picture in the back buffer, a few times a second."""
        stage = self._stage
        now = stage.now()
        if not self._session.is_still and self.clip.is_due(now):
            self.clip.add(stage.small_pixels(small_size(*stage.size_px)), now)

    def save(self, folder: Path | None = None) -> Saving | None:
        """Start writing the last ten seconds as a GIF; None if there are no pictures, or no folder
        for it.
        """
        if self.saving is not None:
            return self.saving
        if not len(self.clip):
            self._stage.tell(say("window.gif_nothing"))
            return None
        try:
            self.saving = self.clip.save(folder or pictures_folder())
        except OSError as error:
            self._stage.tell(say("window.gif_failed", reason=error.strerror or error))
        else:
            self._stage.before_flip.append(self._tell)
        return self.saving

    def _tell(self) -> None:
        """Show the progress of the GIF being written, and its path when done."""
        saving = self.saving
        assert saving is not None
        if not saving.done:
            self._stage.tell(say("window.gif_writing", share=f"{saving.share:.0%}"))
            return
        self.saving = None
        self._stage.before_flip.remove(self._tell)
        failed = say("window.gif_failed", reason=saving.error)
        self._stage.tell(failed if saving.error else say("window.saved", path=saving.path))


@contextmanager
def filming(stage: Stage, session: Session) -> Iterator[None]:
    """Film a session meanwhile, and answer F9; not without threads, nor a game that has no `films`.

    A GIF that is being written is reported on afterwards, too.
    """
    before = stage.answers[KEY]
    kept = stage.before_flip
    film = Filming(stage, session) if session.game.films and can_start_threads() else None
    if film is None:
        stage.answers[KEY] = lambda: stage.tell(say("window.gif_not_here"))
    else:
        stage.answers[KEY] = film.save
        kept.append(film.keep)
    try:
        yield
    finally:
        stage.answers[KEY] = before
        if film is not None:
            kept.remove(film.keep)
