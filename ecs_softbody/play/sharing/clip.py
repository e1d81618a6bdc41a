"""Clip: the last seconds of a game as small pictures, saved as a GIF while the game goes on."""

from __future__ import annotations

import math
import subprocess
import sys
import threading
from collections import deque
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.play.recording import write_gif
from ecs_softbody.play.sharing.films import new_file

Frame = NDArray[np.uint8]
SECONDS, RATE = 10.0, 10
"""Length of a clip [s], and its pictures per second."""
PIXELS = 105_000
"""Maximum size of a picture: all of them together take at most 32 MB."""


def small_size(width: int, height: int) -> tuple[int, int]:
    """Return the size of a clip's pictures [pixels] for a window size: the same aspect ratio, and
    no larger.
    """
    share = min(1.0, math.sqrt(PIXELS / (width * height)))
    return max(16, int(width * share)), max(16, int(height * share))


class Clip:
    """Keeps the pictures of the last ten seconds; older ones are dropped."""

    def __init__(self) -> None:
        self._frames: deque[Frame] = deque(maxlen=round(SECONDS * RATE))
        self._next = 0.0

    def __len__(self) -> int:
        """Return the number of pictures."""
        return len(self._frames)

    def is_due(self, now: float) -> bool:
        """Return whether the next picture is due at a time [s]."""
        return now >= self._next - 1e-6

    def add(self, frame: Frame, now: float) -> None:
        """Add a picture shown at a time [s]; another shape begins a new clip."""
        if self._frames and self._frames[0].shape != frame.shape:
            self._frames.clear()
        self._frames.append(frame)
        self._next = max(self._next + 1.0 / RATE, now + 0.5 / RATE)

    def clear(self) -> None:
        """Drop all pictures: another game is shown."""
        self._frames.clear()

    def save(self, folder: Path) -> Saving:
        """Start writing the pictures as a GIF into a folder.

        Raises:
            OSError: when the folder cannot be made.
        """
        return Saving(list(self._frames), new_file(folder, "clip", ".gif"))


class Saving:
    """Writes a GIF in a separate process, so that the game does not wait for it.

    Attributes:
        path: the file.
        share: progress, 0 to 1.
        done: whether the process has ended.
        error: the reason of a failure, "" otherwise.
    """

    def __init__(self, frames: list[Frame], path: Path) -> None:
        self.path = path
        self.share = 0.0
        self.done = False
        self.error = ""
        self._frames = frames
        self._thread = threading.Thread(target=self._write, name="clip", daemon=False)
        self._thread.start()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until it has ended, at most `seconds`; return whether it has."""
        self._thread.join(seconds)
        return self.done

    def _write(self) -> None:
        """Write the file; runs in a thread of its own."""
        try:
            if getattr(sys, "frozen", False):
                # A frozen program has no interpreter to start.
                write_gif(self.path, self._frames, RATE, self._tell)
            else:
                self._write_apart()
        except (OSError, ValueError) as error:
            self.error = getattr(error, "strerror", None) or str(error)
        finally:
            self._frames = []
            self.done = True

    def _write_apart(self) -> None:
        """Send the pictures to a process that encodes them (encode.py), which tells its progress in
        lines "done total".
        """
        height, width = self._frames[0].shape[:2]
        command = [
            sys.executable,
            "-m",
            "ecs_softbody.play.sharing.encode",
            str(self.path),
            str(width),
            str(height),
        ]
        with subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=False,
        ) as worker:
            assert worker.stdin is not None
            assert worker.stdout is not None
            assert worker.stderr is not None
            for frame in self._frames:
                worker.stdin.write(np.ascontiguousarray(frame).data)
            worker.stdin.close()
            for line in worker.stdout:
                done, total = line.split()
                self._tell(int(done), int(total), "")
            said = worker.stderr.read().decode(errors="replace").strip().splitlines()
        if worker.returncode:
            raise OSError(said[-1] if said else f"exit status {worker.returncode}")

    def _tell(self, done: int, total: int, what: str) -> None:
        self.share = done / total
