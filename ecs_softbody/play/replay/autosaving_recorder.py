"""AutosavingRecorder: saves the running round to a file at intervals, so that it survives a
crash.
"""

from __future__ import annotations

import dataclasses
import sys
import threading
import time
from pathlib import Path
from typing import Any

from ecs_softbody.parallel.machine import can_start_threads, thread_time
from ecs_softbody.play.replay.replay import Recorder, Replay

EVERY = 5.0
"""Time [s] between two writes: the most that a crash loses."""
SHARE = 0.01
"""Maximum share of a core for writing: a long round is written less often."""
LONGEST_WRITE = 30.0
"""Maximum time [s] that `finish` waits for a running write."""


class AutosavingRecorder(Recorder):
    """A recorder that saves its round while it is played, in another thread if threads are
    available.

    Args:
        target: the file.
    """

    def __init__(self, target: Path) -> None:
        super().__init__()
        self._target = target
        self._next = time.monotonic() + EVERY
        self._thread: threading.Thread | None = None
        self._has_warned = False

    def note_state(self, game: Any) -> None:
        """Record the state after a frame, and start writing the round if it is due."""
        super().note_state(game)
        writes = self._thread is not None and self._thread.is_alive()
        if self.replay is not None and time.monotonic() >= self._next and not writes:
            so_far = dataclasses.replace(
                self.replay, names=[*self.replay.names], components=[*self.replay.components]
            )
            parts = self._inputs[: so_far.frames], [*self._hashes.frames]
            if can_start_threads():
                self._thread = threading.Thread(
                    target=self._write, args=(so_far, *parts), name="replay", daemon=True
                )
                self._thread.start()
            else:
                self._write(so_far, *parts)

    def finish(self) -> Path:
        """Write the whole round, and return the path of its file.

        Raises:
            OSError: if it cannot be written; the last written file stays.
            RuntimeError: if no round has begun.
        """
        if self._thread is not None:
            # The thread would replace this recording by an older one.
            self._thread.join(LONGEST_WRITE)
        return self.finished().save(self._target)

    def _write(self, so_far: Replay, inputs: list[bytes], hashes: list[bytes]) -> None:
        started = thread_time()
        so_far.inputs = b"".join(inputs)
        so_far.hashes = b"".join(hashes)
        try:
            so_far.save(self._target)
        except (OSError, ValueError) as error:
            # A ValueError means that the saves are too large for a replay.
            if not self._has_warned:
                print(f"The replay cannot be written yet: {error}", file=sys.stderr)
            self._has_warned = True
        self._next = time.monotonic() + max(EVERY, (thread_time() - started) / SHARE)
