"""Budget: what the import of a file takes is counted before it is spent, so that no file takes memory or time at will.

What one file may ask for in all is in `reading.MOST`; here is what each kind of thing costs.
"""

from __future__ import annotations

from ecs_softbody.reading import spend


class Unreadable(ValueError):  # noqa: N818 - a sentence for the user
    """A file that cannot be imported; the message names the file and what is wrong."""


COSTS: dict[str, float] = {
    "letters": 0.1,  # of a file, or of what it names, each time that it does
    "values": 1.0,
    "cells": 1.2,
    "tiles": 5.0,
    "layers": 150.0,
    "objects": 60.0,
    "entities": 400.0,
    "points": 3.0,
    "pieces": 300.0,  # of ground, that become one where they touch
    "corners": 10.0,
    "steps": 0.01,
    "elements": 100.0,
    "numbers": 8.0,  # and commands of paths
    "inherited attributes": 0.5,
    "closings": 0.1,
    "curves": 80.0,
    "pairs of lines": 0.05,
    "faces": 100.0,
    "particles": 1.0,
    "bodies": 1000.0,
    "points in bodies": 15.0,
}
"""What one of a kind takes [µs of a core of 2020, about, rounded up]: all of `reading.MOST["work"]` are seconds."""


class Budget:
    """Counts what is found in one file, and in those that it names."""

    def __init__(self, owner: str) -> None:
        self.owner = owner

    def spend(self, what: str, count: float = 1.0) -> None:
        """Count something before it is made.

        Raises:
            ValueError: where it is too much.
        """
        try:
            if what == "particles":
                spend("particles", count)
            spend("work", COSTS[what] * count)
        except ValueError as error:
            said = str(error) if what == "particles" else f"with {count:.0f} {what} it would take too long"
            raise Unreadable(f"{self.owner} asks for too much: {said}; expected a simpler file") from None
