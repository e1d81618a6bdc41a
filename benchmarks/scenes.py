"""Scenes that ours and the peers run on the same numbers (SI units, y up)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

GRAVITY = -9.81
FRAME = 1.0 / 60.0
SUBSTEPS = 8
NAMES = ("S1", "S2_10", "S2_100", "S2_1000", "S3_100", "S3_1000", "S3_10000", "S4", "S4_wide")
CROWD = "S2_4000"
"""The scene that only ours runs, to see how the time grows."""
MOST_BODIES = 100_000


@dataclass
class Scene:
    """Particles, springs and a room, as arrays; `body` numbers the bodies, `pinned` marks fixed
    particles.
    """

    name: str
    position: NDArray[np.float64]
    radius: NDArray[np.float64]
    mass: NDArray[np.float64]
    body: NDArray[np.int64]
    pairs: NDArray[np.int64]
    stiffness: float
    damping: float
    room_width: float
    """0: no room, and no collisions."""
    friction: float
    warmup_frames: int = 120
    frames: int = 120
    restitution: float = 0.0
    pinned_count: int = 0
    """The first particles are fixed."""

    @property
    def pinned(self) -> NDArray[np.bool_]:
        """Which particles are fixed."""
        return np.arange(len(self.position)) < self.pinned_count

    @property
    def is_soft(self) -> bool:
        """Whether bodies are more than one particle each."""
        return len(self.pairs) > 0

    @property
    def body_count(self) -> int:
        """Number of bodies."""
        return int(self.body.max()) + 1

    @property
    def rest_length(self) -> NDArray[np.float64]:
        """Length of every spring at the start [m]."""
        ends = self.position[self.pairs]
        return np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)

    def wall(self, height: float = 1000.0) -> list[tuple[float, float]]:
        """The corners of the room, open at the top."""
        return [(0.0, height), (0.0, 0.0), (self.room_width, 0.0), (self.room_width, height)]


def lattice_pairs(rows: int, columns: int) -> NDArray[np.int64]:
    """Return the springs along and across the cells of a lattice whose particles are counted row by
    row.
    """
    index = np.arange(rows * columns).reshape(rows, columns)
    ends = (
        (index[:, :-1], index[:, 1:]), (index[:-1], index[1:]),
        (index[:-1, :-1], index[1:, 1:]), (index[:-1, 1:], index[1:, :-1]),
    )  # fmt: skip
    pairs = np.concatenate([np.column_stack([a.ravel(), b.ravel()]) for a, b in ends])
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


def waves(angle: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the cosines and sines (N, 2) of angles (N,) [rad]; numpy's last bits are those of its
    build.
    """
    # state_hashes.py chooses a checkout first
    from ecs_softbody.elementary import directions

    return directions(angle)


def spring_grid(side: int = 100) -> Scene:
    """S1: a square net, hung by its top row; springs along and across its cells, no collisions."""
    spacing = 0.1
    count = side * side
    row, column = np.divmod(np.arange(count), side)
    position = np.column_stack([column * spacing, 20.0 - row * spacing])
    return Scene(
        "S1",
        position,
        np.full(count, 0.04),
        np.full(count, 0.1),
        np.zeros(count, np.int64),
        lattice_pairs(side, side),
        5000.0,
        1.0,
        0.0,
        0.0,
        warmup_frames=30,
        frames=60,
        pinned_count=side,
    )


def blobs(count: int) -> Scene:
    """S2: rings of 24 particles with hull, second-neighbour and opposite springs, dropped into a
    box.
    """
    ring = 24
    radius = 0.5
    pitch = 1.3
    columns = math.ceil(math.sqrt(1.5 * count))
    angle = 2.0 * np.pi * np.arange(ring) / ring
    number = np.arange(count)
    row, column = np.divmod(number, columns)
    center = np.column_stack(
        [(column + 0.5) * pitch + 0.05 * waves(12.9898 * number)[:, 1], 0.7 + pitch * row]
    )
    position = center[:, None] + radius * waves(angle)
    i = np.arange(ring)
    one = np.concatenate([
        np.column_stack([i, (i + 1) % ring]), np.column_stack([i, (i + 2) % ring]),
        np.column_stack([i[:12], i[:12] + 12]),
    ])  # fmt: skip
    pairs = (one + ring * number[:, None, None]).reshape(-1, 2)
    size = ring * count
    return Scene(
        f"S2_{count}", position.reshape(-1, 2), np.full(size, 0.065), np.full(size, 1.0 / 24.0),
        np.repeat(number, ring), pairs, 2000.0, 1.29, columns * pitch, 0.3,
    )  # fmt: skip


def balls(count: int) -> Scene:
    """S3: discs of many sizes that bounce in a box."""
    number = np.arange(count)
    pitch = 0.7
    columns = math.ceil(math.sqrt(1.5 * count))
    radius = 0.1 + 0.2 * (0.618034 * number % 1.0)
    row, column = np.divmod(number, columns)
    position = np.column_stack(
        [(column + 0.5) * pitch + 0.04 * waves(12.9898 * number)[:, 1], 0.4 + pitch * row]
    )
    return Scene(
        f"S3_{count}",
        position,
        radius,
        np.pi * radius**2,
        number,
        np.zeros((0, 2), np.int64),
        0.0,
        0.0,
        columns * pitch,
        0.3,
        warmup_frames=240,
        restitution=0.5,
    )


def jelly_boxes(name: str, left_bottom: NDArray[np.float64], room_width: float) -> Scene:
    """Boxes of 6 x 6 particles whose lower left particles are here (B, 2)."""
    row, column = np.divmod(np.arange(36), 6)
    position = (left_bottom[:, None] + 0.2 * np.column_stack([column, row])).reshape(-1, 2)
    number = np.arange(len(left_bottom))
    pairs = (lattice_pairs(6, 6) + 36 * number[:, None, None]).reshape(-1, 2)
    count = len(position)
    return Scene(
        name,
        position,
        np.full(count, 0.1),
        np.full(count, 0.1),
        np.repeat(number, 36),
        pairs,
        5000.0,
        2.0,
        room_width,
        0.5,
    )


def tower() -> Scene:
    """S4: a tower of 20 boxes, every other one shifted by half a spacing; it is bound to buckle."""
    number = np.arange(20)
    return jelly_boxes("S4", np.column_stack([1.0 + 0.1 * (number % 2), 0.1 + 1.18 * number]), 3.1)


def wide_stack() -> Scene:
    """S4_wide: boxes four wide and five high, rows shifted by half a spacing, in a room that leaves
    them space.
    """
    row, column = np.divmod(np.arange(20), 4)
    return jelly_boxes(
        "S4_wide", np.column_stack([1.0 + 1.22 * column + 0.1 * (row % 2), 0.1 + 1.18 * row]), 6.9
    )


def scene_named(name: str) -> Scene:
    """Return the scene called S1, S2_<blobs>, S3_<balls>, S4 or S4_wide;
    exits when there is none.
    """
    single = {"S1": spring_grid, "S4": tower, "S4_wide": wide_stack}
    if name in single:
        return single[name]()
    kind, _, count = name.partition("_")
    if kind in ("S2", "S3") and count.isdecimal() and 1 <= int(count) <= MOST_BODIES:
        return (blobs if kind == "S2" else balls)(int(count))
    raise SystemExit(
        f"unknown scene {name!r}; expected one of {', '.join(NAMES)}, or another number than these"
    )
