"""Scenes that ours and the peers run on the same numbers (SI units, y up)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

GRAVITY = -9.81
FRAME = 1.0 / 60.0
SUBSTEPS = 8


@dataclass
class Scene:
    """Particles, springs and a room, as arrays; `body` numbers the bodies, `pinned` marks fixed particles."""

    name: str
    position: NDArray[np.float64]
    radius: float
    mass: float
    body: NDArray[np.int64]
    pinned: NDArray[np.bool_]
    pairs: NDArray[np.int64]
    stiffness: float
    damping: float
    room_width: float
    friction: float
    warmup_frames: int
    frames: int

    @property
    def rest_length(self) -> NDArray[np.float64]:
        """Length of every spring at the start [m]."""
        ends = self.position[self.pairs]
        return np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)


def spring_grid(side: int = 100) -> Scene:
    """S1: a square net, hung by its top row; springs along and across its cells, no collisions."""
    spacing = 0.1
    index = np.arange(side * side).reshape(side, side)
    row, column = np.divmod(np.arange(side * side), side)
    pairs = np.concatenate([
        np.column_stack([a.ravel(), b.ravel()])
        for a, b in (
            (index[:, :-1], index[:, 1:]), (index[:-1], index[1:]),
            (index[:-1, :-1], index[1:, 1:]), (index[:-1, 1:], index[1:, :-1]),
        )
    ])  # fmt: skip
    pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
    place = np.column_stack([column * spacing, 20.0 - row * spacing])
    body = np.zeros(side * side, np.int64)
    return Scene("S1", place, 0.04, 0.1, body, row == 0, pairs, 5000.0, 1.0, 0.0, 0.0, 30, 60)


def blobs(count: int) -> Scene:
    """S2: rings of 24 particles with hull, second-neighbour and opposite springs, dropped into a box."""
    ring, radius, pitch = 24, 0.5, 1.3
    columns = math.ceil(math.sqrt(1.5 * count))
    angle = 2.0 * np.pi * np.arange(ring) / ring
    number = np.arange(count)
    row, column = np.divmod(number, columns)
    center = np.column_stack([(column + 0.5) * pitch + 0.05 * np.sin(12.9898 * number), 0.7 + pitch * row])
    place = center[:, None] + radius * np.column_stack([np.cos(angle), np.sin(angle)])
    i = np.arange(ring)
    one = np.concatenate([
        np.column_stack([i, (i + 1) % ring]), np.column_stack([i, (i + 2) % ring]),
        np.column_stack([i[:12], i[:12] + 12]),
    ])  # fmt: skip
    pairs = (one + ring * number[:, None, None]).reshape(-1, 2)
    body = np.repeat(number, ring)
    return Scene(
        f"S2_{count}", place.reshape(-1, 2), 0.065, 1.0 / 24.0, body, np.zeros(len(body), bool), pairs, 2000.0, 1.29,
        columns * pitch, 0.3, 120, 120,
    )  # fmt: skip
