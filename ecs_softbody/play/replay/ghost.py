"""Ghost: a body's motion in an earlier run, to race against."""

from __future__ import annotations

import reprlib
import struct
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_softbody.components import Particles
from ecs_softbody.rendering import palette
from ecs_softbody.rendering.layers import Layer
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.simulation import Simulation
from ecs_softbody.state import container
from ecs_softbody.validation import check_number

KIND = "ghost"
LENGTH = struct.Struct("<I")
EVERY = 3
"""Frames between two stored shapes; the shapes between them are interpolated."""
MOST_SHAPES = 100_000
"""Limit of stored shapes, 83 minutes; of a longer run the rest is left out."""
FARTHEST = 1e9
"""Maximum coordinate [m] accepted from a file, since the ghost is drawn."""


class Ghost:
    """The shapes of one body in a run. `note` in every frame of a run; `at` and `draw` in a later
    one.

    Attributes:
        result: the time or points of the run, None until it is finished.
    """

    def __init__(self) -> None:
        self.result: float | None = None
        self._shapes: list[NDArray[np.float32]] = []
        """Particles of the body (N, 2) [m], of every EVERY-th frame."""
        self._frames = 0

    @property
    def frames(self) -> int:
        """Number of recorded frames."""
        return self._frames

    def note(self, sim: Simulation, entity: int) -> None:
        """Record the outline of a body after this frame."""
        if self._frames % EVERY == 0 and len(self._shapes) < MOST_SHAPES:
            self._shapes.append(np.asarray(sim.get(entity, Particles).position, np.float32))
        self._frames += 1

    def finish(self, result: float) -> None:
        """Set the run's result: a time [s] or points."""
        self.result = check_number("Ghost.finish", "result", result)

    def at(self, frame: float) -> NDArray[np.float64] | None:
        """Return the particles of the body (N, 2) [m] in a frame of its run, None outside the
        run.
        """
        if not self._shapes or not 0.0 <= frame <= EVERY * (len(self._shapes) - 1):
            return None
        number = int(frame // EVERY)
        share = (frame - EVERY * number) / EVERY
        first = self._shapes[number].astype(np.float64)
        if share == 0.0:
            return first
        following = self._shapes[number + 1]
        return first if following.shape != first.shape else first + share * (following - first)

    def draw(
        self,
        picture: Picture,
        frame: float,
        colour: ArrayLike = palette.TEXT,
        opacity: float = 0.35,
    ) -> None:
        """Draw its shape in a frame; the particles are the corners of its outline."""
        shape = self.at(frame)
        if shape is not None and len(shape) > 2:
            faint: Any = palette.faded(tuple(colour), opacity)  # type: ignore[arg-type]
            picture.polygon(shape, faint, layer=Layer.DECOR)

    def save(self, path: Path | str) -> Path:
        """Write a file atomically, and return its path."""
        counts = [len(shape) for shape in self._shapes]
        text = container.text_for(
            KIND, {"result": self.result, "frames": self._frames, "counts": counts}
        )
        shapes = b"".join(shape.tobytes() for shape in self._shapes)
        return container.write(path, KIND, LENGTH.pack(len(text)) + text + shapes)

    @classmethod
    def load(cls, path: Path | str) -> Ghost:
        """Read a file.

        Raises:
            SnapshotError: if it is damaged, foreign or of another format.
            OSError: if it cannot be read.
        """
        content = container.read(path, KIND)
        try:
            (length,) = LENGTH.unpack_from(content)
            text = container.text_of(content, LENGTH.size, length)
            at = LENGTH.size + length
            ghost = cls()
            frames = text["frames"]
            counts = text["counts"]
            if not all(type(count) is int for count in (frames, *counts)):
                raise ValueError("its numbers of frames and particles are not whole")
            if frames < 0 or len(counts) != min(-(-frames // EVERY), MOST_SHAPES):
                raise ValueError(f"it has not the shapes of {reprlib.repr(frames)} frames")
            ghost._frames = frames
            if text["result"] is not None:
                ghost.finish(text["result"])
            for count in counts:
                size = 8 * count
                if size <= 0 or at + size > len(content):
                    raise ValueError("it is truncated")
                ghost._shapes.append(
                    np.frombuffer(content, np.float32, 2 * count, at).reshape(-1, 2)
                )
                at += size
            if not all((np.abs(shape) <= FARTHEST).all() for shape in ghost._shapes):
                raise ValueError(
                    f"a place in it is not finite, or farther away than {FARTHEST:g} m"
                )
        except (
            ValueError,
            LookupError,
            TypeError,
            OverflowError,
            struct.error,
            RecursionError,
        ) as error:
            raise container.damaged(KIND, error) from None
        return ghost
