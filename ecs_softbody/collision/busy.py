"""Busy contacts: those that push in a substep or could soon, with what the rounds need of them side by side.

Contacts of two discs, which have neither friction nor a place along an edge, are listed apart from all others: they
need a fraction of the arithmetic. Contacts that are far from pushing are idle: they get a last look after the rounds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.collision.blocks import MOST_STRIPS
from ecs_softbody.collision.response import (
    ALONG,
    FRICTION,
    FRICTION_IMPULSE,
    FRICTION_WEIGHT,
    GAP,
    IMPULSE,
    IMPULSE_BEFORE,
    LEVER_X,
    LEVER_Y,
    NORMAL_X,
    NORMAL_Y,
    SURFACE,
    WEIGHT,
)
from ecs_softbody.kernels.compiling import part

SPARE_SPEED = 5.0
"""Contacts that could close faster by this [m/s] without touching are idle."""
STEADY = 1.25
"""An impulse of two discs that has grown by more than this factor since the last substep may not come again."""

DISCS, EDGES, IDLE = 0, 1, 2
"""Numbers of contacts, in `Busy.counts`."""
X, Y, OPEN_SPEED, MASS, PUSH, SOFTNESS, W_P, W_A = 0, 1, 2, 3, 4, 5, 6, 7
"""Columns of discs and edges: normal, speed that closes the gap, W, impulse, 1/W, inverse masses."""
W_B, PLACE, RUB, RUB_MASS, ROUGH, SPEED, COUPLE_X, COUPLE_Y = 8, 9, 10, 11, 12, 13, 14, 15
"""Further columns of edges: t, impulse, W and coefficient of friction, speed of the surface, lever of the couple."""


class Busy:
    """Room for the busy contacts of a list, overwritten in every substep.

    `discs` (C, 8) and `edges` (C, 16) hold the columns above, `disc_rows` and `edge_rows` (C, 4) the rows of point and
    edge and the number of the contact, `idle` (C,) the numbers of the others. Each block of the list has places of its
    own, and numbers its contacts from 0; `counts` (B, 3) tells how many of each it has.
    """

    def __init__(self) -> None:
        self.counts = np.zeros((2 * MOST_STRIPS, 3), np.int64)
        self.change = np.zeros(2 * MOST_STRIPS)
        """What the blocks give to compare, see block_rounds.py."""
        self.reserve(0)

    def reserve(self, capacity: int) -> None:
        """Make room for so many contacts."""
        self.disc_rows: NDArray[np.uint32] = np.zeros((capacity, 4), np.uint32)
        self.edge_rows: NDArray[np.uint32] = np.zeros((capacity, 4), np.uint32)
        self.discs, self.edges = np.zeros((capacity, 8)), np.zeros((capacity, 16))
        self.idle: NDArray[np.uint32] = np.zeros(capacity, np.uint32)

    @property
    def capacity(self) -> int:
        """Contacts there is room for."""
        return len(self.idle)


@part
def are_discs(rows: np.ndarray, c: int, offset: int) -> bool:
    """Tell whether contact c is one of two discs that are particles."""
    return rows[c, 1] == rows[c, 2] and rows[c, 0] < offset and rows[c, 1] < offset


@part
def is_busy(gap: float, approach: float, impulse: float, before: float, dt: float) -> bool:
    """Tell whether a contact pushed in the last two substeps, overlaps, or has little speed to spare."""
    pushed = (impulse > 0.0) & (before > 0.0)
    return pushed | (gap <= 0.0) | (approach * dt + gap < SPARE_SPEED * dt)


@part
def list_disc(
    rows: np.ndarray,
    data: np.ndarray,
    c: int,
    weight: np.ndarray,
    rate: float,
    disc_rows: np.ndarray,
    discs: np.ndarray,
    k: int,
) -> None:
    """Write contact c of two discs as the k-th; rate: of substeps [1/s]."""
    p, a = rows[c, 0], rows[c, 1]
    write_disc(
        p, a, c, data[c, NORMAL_X], data[c, NORMAL_Y], data[c, GAP], data[c, WEIGHT], data[c, IMPULSE],
        data[c, IMPULSE_BEFORE], weight[p], weight[a], rate, disc_rows, discs, k,
    )  # fmt: skip


@part
def write_disc(
    p: int,
    a: int,
    c: int,
    nx: float,
    ny: float,
    gap: float,
    mass: float,
    last: float,
    before: float,
    wp: float,
    wa: float,
    rate: float,
    disc_rows: np.ndarray,
    discs: np.ndarray,
    k: int,
) -> None:
    """Write a contact of two discs as the k-th.

    It starts from its last impulse, unless that has jumped. Taking the smaller one of the last two lets piles sink.
    """
    disc_rows[k, 0], disc_rows[k, 1], disc_rows[k, 2], disc_rows[k, 3] = p, a, a, c
    discs[k, X], discs[k, Y] = nx, ny
    discs[k, OPEN_SPEED], discs[k, MASS] = max(gap, 0.0) * rate, mass
    discs[k, PUSH], discs[k, SOFTNESS] = min(last, STEADY * before), wp + wa
    discs[k, W_P], discs[k, W_A] = wp, wa


@part
def list_edge(
    rows: np.ndarray,
    data: np.ndarray,
    c: int,
    weight: np.ndarray,
    rate: float,
    edge_rows: np.ndarray,
    edges: np.ndarray,
    k: int,
) -> None:
    """Write contact c of a point and an edge as the k-th.

    It starts from the smaller one of the last two impulses, and that share of its friction. Under load both are
    alike, but where saturated springs push with alternating sign the last impulse is the wrong guess, and would feed
    energy in.
    """
    p, a, b = rows[c, 0], rows[c, 1], rows[c, 2]
    last = data[c, IMPULSE]
    push = min(last, data[c, IMPULSE_BEFORE])
    edge_rows[k, 0], edge_rows[k, 1], edge_rows[k, 2], edge_rows[k, 3] = p, a, b, c
    edges[k, X], edges[k, Y] = data[c, NORMAL_X], data[c, NORMAL_Y]
    edges[k, OPEN_SPEED], edges[k, MASS] = max(data[c, GAP], 0.0) * rate, data[c, WEIGHT]
    edges[k, PUSH], edges[k, SOFTNESS] = push, 1.0 / data[c, WEIGHT]
    edges[k, W_P], edges[k, W_A], edges[k, W_B] = weight[p], weight[a], weight[b]
    edges[k, PLACE] = data[c, ALONG]
    edges[k, RUB] = data[c, FRICTION_IMPULSE] * push / last if last > 0.0 else 0.0
    edges[k, RUB_MASS], edges[k, ROUGH] = data[c, FRICTION_WEIGHT], data[c, FRICTION]
    edges[k, SPEED], edges[k, COUPLE_X], edges[k, COUPLE_Y] = data[c, SURFACE], data[c, LEVER_X], data[c, LEVER_Y]
