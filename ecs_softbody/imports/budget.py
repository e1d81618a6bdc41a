"""Budget: limits the memory and time that the import of a file may take, counting costs in advance.

`reading.MOST` holds the limits per file; this module holds the cost of each kind of item.
"""

from __future__ import annotations

from ecs_softbody.reading import spend


class Unreadable(ValueError):  # noqa: N818 - a sentence for the user
    """A file that cannot be imported; the message names the file and the error.

    Attributes:
        names_file: whether the message names the file already.
    """

    def __init__(self, said: str, *, names_file: bool = True) -> None:
        super().__init__(said)
        self.names_file = names_file


class Missing(Unreadable):
    """A file that another one names, and that is not there.

    Attributes:
        owner: the importer and the file that names it: "tiled: level.tmx".
        said: the message without them.
    """

    def __init__(self, owner: str, said: str) -> None:
        super().__init__(f"{owner}: {said}")
        self.owner = owner
        self.said = said


COSTS: dict[str, float] = {
    "letters": 0.08,  # of a file, and of a template each time that it is used
    "values": 1.0,
    "cells": 0.5,
    "tiles": 5.0,  # of tilesets
    "different tiles": 12.0,  # in a layer
    "layers": 70.0,
    "chunks": 20.0,  # of infinite maps
    "objects": 40.0,
    "points": 8.0,
    "entities": 280.0,
    "pieces": 190.0,  # of ground, that become one where they touch
    "areas of cells": 160.0,  # in grids, that are joined to pieces or to one another
    "corners of cells": 15.0,  # of these areas
    "runs": 26.0,  # of full cells in the rows of a grid
    "corners": 35.0,  # of a piece that has more than four
    "meetings": 2.0,  # of corners of one material and edges of another
    "steps": 0.007,  # of joining holes to outlines
    "elements": 200.0,
    "numbers": 4.0,  # and commands, of a path
    "points of outlines": 1.5,  # each time that they are shown
    "pairs of points": 0.003,  # of rings that are simplified
    "inherited attributes": 0.5,
    "closings": 0.1,
    "curves": 50.0,
    "faces": 130.0,
    "rules": 5.0,  # of style sheets, each time that an element is asked whether it fits
    "strokes": 30.0,  # points of lines that have a width
    "pieces of strokes": 60.0,  # joined to one
    "pairs of lines": 0.05,
    "sides": 0.015,  # of rings, for each face that they may run around
    "near lines": 0.2,  # pairs whose boxes overlap
    "crossings": 100.0,  # of outlines that have to be mended
    "crossings of strokes": 200.0,
    "particles": 0.3,
    "bodies": 1500.0,
    "bodies with holes": 3000.0,  # and a picture with the same holes
    "points in bodies": 5.0,
}
"""Approximate cost of one item of a kind [µs on a core of 2020, rounded up]; `reading.MOST["work"]`
amounts to seconds.
"""


NAMES = {
    "strokes": "points of strokes", "rules": "steps of style sheets",
    "different tiles": "kinds of tiles in its layers",
    "pieces": "shapes of tiles that are no full squares", "corners": "corners of shapes of tiles",
    "runs": "rows of solid cells", "areas of cells": "solid areas",
    "corners of cells": "corners of solid areas", "steps": "corners of holes",
    "meetings": "corners where materials touch", "entities": "bodies and pieces of ground",
}  # fmt: skip
"""Names of these items in messages."""


SEVERAL_MAPS = "a smaller map; make it several"
"""Advice for a map that exceeds its budget."""


class Budget:
    """Counts the items of a file and of the files that it references.

    `cure` is the advice given when a limit is exceeded.
    """

    def __init__(self, owner: str, cure: str = "fewer or simpler shapes") -> None:
        self.owner = owner
        self.cure = cure
        self.counts: dict[str, float] = {}

    def spend(self, what: str, count: float = 1.0) -> None:
        """Count something before it is made.

        Raises:
            ValueError: if it is too much.
        """
        self.counts[what] = self.counts.get(what, 0.0) + count
        try:
            if what == "particles":
                spend("particles", count)
            spend("work", COSTS[what] * count)
        except ValueError as error:
            most = max(self.counts, key=lambda one: COSTS[one] * self.counts[one])
            too_long = (
                f"with {self.counts[most]:.0f} {NAMES.get(most, most)} it would take too long"
            )
            said = str(error) if what == "particles" else too_long
            raise Unreadable(
                f"{self.owner} asks for too much: {said}; expected {self.cure}"
            ) from None
