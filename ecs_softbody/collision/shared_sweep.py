"""The sweep by several threads: bodies in pieces, which touch nothing in common since walls are nobody's."""

import numpy as np

from ecs_softbody.collision.sweep import sweep_bodies
from ecs_softbody.kernels.compiling import lean
from ecs_softbody.kernels.team import NONE, enter, finish, leave, take

PIECES = 8
"""Few, since each looks through all pairs with walls."""


@lean
def share_sweep(
    team: np.ndarray,
    job: int,
    seat: int,
    slots: np.ndarray,
    wall_pairs: np.ndarray,
    points: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    ringed: np.ndarray,
    closed: np.ndarray,
    start: np.ndarray,
    stop: np.ndarray,
    box: np.ndarray,
    category: np.ndarray,
    mask: np.ndarray,
    edges: np.ndarray,
    corner: np.ndarray,
    one_way: np.ndarray,
    slot: np.ndarray,
    chain: np.ndarray,
    outward: np.ndarray,
    keys: np.ndarray,
    states: np.ndarray,
    offset: int,
    vertices: np.ndarray,
    vertex_velocity: np.ndarray,
    reach: np.ndarray,
    weight: np.ndarray,
    position: np.ndarray,
    velocity: np.ndarray,
    previous_position: np.ndarray,
    fast: np.ndarray,
    dt: float,
) -> None:
    """Do what `sweep_bodies` does; slots ascend, so each piece has a range of bodies."""
    count, body_count = slots.shape[0], first.shape[0]
    enter(team, job, seat, PIECES)
    piece = take(team, job, seat)
    while piece != NONE:
        begin, end = count * piece // PIECES, count * (piece + 1) // PIECES
        lowest = 0 if begin == 0 else slots[begin - 1] + 1
        beyond = 0 if end == 0 else slots[end - 1] + 1 if end < count else body_count
        sweep_bodies(
            lowest, beyond, slots[begin:end], wall_pairs, points, first, last, ringed, closed, start, stop, box,
            category, mask, edges, corner, one_way, slot, chain, outward, keys, states, offset, vertices,
            vertex_velocity, reach, weight, position, velocity, previous_position, fast, dt,
        )  # fmt: skip
        finish(team, seat)
        piece = take(team, job, seat)
    leave(team, job, seat)
