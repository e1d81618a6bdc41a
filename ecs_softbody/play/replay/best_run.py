"""BestRun: the ghost of the best run so far, kept beside a game's saves."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from ecs_softbody.errors import FieldTypeError
from ecs_softbody.files import alone_in
from ecs_softbody.play.replay.ghost import Ghost
from ecs_softbody.play.saves import Saves, file_name
from ecs_softbody.simulation import Simulation
from ecs_softbody.state.container import SnapshotError
from ecs_softbody.validation import check_text


class BestRun:
    """The ghost of the fastest run so far, and the current run, which may replace it. Create one in
    `start`.

    Args:
        saves: the game's; nothing is kept unless they are open.
        name: of the level, one file each.

    Attributes:
        ghost: the fastest run, None without one.
    """

    def __init__(self, saves: Saves, name: str = "ghost") -> None:
        if not isinstance(saves, Saves):
            raise FieldTypeError("BestRun", "saves", saves, "the Saves of a game: game.saves")
        name = check_text("BestRun", "name", name)
        self._path: Path | None = None
        if saves.path is not None:
            self._path = saves.path.with_name(f"{saves.path.stem}+{file_name(name)}.ghost")
            before = saves.path.with_name(
                f"{saves.path.stem}-{re.sub(r'[^A-Za-z0-9._-]+', '-', name)}.ghost"
            )
            # Older versions used this name, which is not unique between games.
            if before.exists() and not self._path.exists():
                with suppress(OSError):
                    os.replace(before, self._path)
        self._run = Ghost()
        self.ghost = None if self._path is None else _read(self._path)

    @property
    def time(self) -> float | None:
        """Duration of the fastest run [s], None without one."""
        return None if self.ghost is None else self.ghost.result

    @property
    def frames(self) -> int:
        """Number of frames of the current run."""
        return self._run.frames

    def note(self, sim: Simulation, entity: int) -> None:
        """Record a body after a frame of this run."""
        self._run.note(sim, entity)

    def finish(self, time: float) -> bool:
        """Keep the finished run if it is the fastest; return whether it is.

        Write errors are ignored.
        """
        if self.time is not None and self.time <= time:
            return False
        self._run.finish(time)
        if self._path is None:
            self.ghost = self._run
            return True
        # The saves have already told the player of write errors.
        with suppress(OSError), alone_in(self._path.parent):
            other = _read(self._path)
            if other is not None and other.result is not None and other.result <= time:
                self.ghost = other  # from another window
                return False
            self.ghost = self._run
            self._run.save(self._path)
        return True


def _read(path: Path) -> Ghost | None:
    try:
        ghost = Ghost.load(path)
    except (OSError, SnapshotError):
        return None  # none yet, or a damaged one, which the next best run replaces
    return ghost if ghost.result is not None and ghost.result >= 0.0 else None
