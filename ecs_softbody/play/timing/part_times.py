"""PartTimes: drawing times of the parts of a picture."""

from __future__ import annotations

import time


class PartTimes:
    """Sums of times by name, each from one mark to the next."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = {}
        """Total time of each part in all pictures [s]."""
        self.count = 0
        """Number of pictures."""
        self._last = 0.0

    def begin(self) -> None:
        """Begin a picture."""
        self.count += 1
        self._last = time.perf_counter()

    def note(self, part: str) -> None:
        """Attribute the time since the last call to a part of the picture."""
        now = time.perf_counter()
        self.spent[part] = self.spent.get(part, 0.0) + now - self._last
        self._last = now

    def __str__(self) -> str:
        rows = [
            f"  {name:<12} {1e3 * spent / max(self.count, 1):8.3f} ms"
            for name, spent in self.spent.items()
        ]
        return "\n".join(["parts of the picture, mean of each", *rows])
