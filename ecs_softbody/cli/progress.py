"""Progress: one growing line on the console, or one line per stage if the output is a file."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Self, TextIO

BAR = 24


class ProgressLine:
    """Call it with (done, total, what); use it in a `with` block."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        # The result is cached: each call would wait for the drawing threads.
        self._is_terminal = self._stream.isatty()
        self._stage = ""
        self._width = 0

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __call__(self, done: int, total: int, what: str) -> None:
        """Show the progress of the work."""
        if self._is_terminal:
            filled = BAR * done // max(total, 1)
            line = f"[{'#' * filled}{'.' * (BAR - filled)}] {what}"
            self._stream.write(f"\r{line:{self._width}}")
            self._width = len(line)
        elif what.partition(":")[0] != self._stage:
            self._stage = what.partition(":")[0]
            self._stream.write(f"{self._stage} ...\n")
        self._stream.flush()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Clear the line."""
        if self._is_terminal and self._width:
            self._stream.write(f"\r{'':{self._width}}\r")
            self._stream.flush()
