"""Springs for several threads: the runs in pieces that have no particle in common."""

import numpy as np

from ecs_softbody.kernels.compiling import kernel
from ecs_softbody.kernels.spring_force import accumulate_run_force
from ecs_softbody.kernels.team import NONE, enter, finish, leave, take

PIECES = 16


@kernel
def divide_runs(runs: np.ndarray, body: np.ndarray, first: np.ndarray, start: np.ndarray, divided: np.ndarray) -> bool:
    """Sort runs (R, 4) by pieces of whole bodies; False when one joins bodies of two pieces.

    body: that of every particle, first: the first particle of every body. Piece k has the runs divided[start[k]] to
    divided[start[k + 1]], in the order that they had.
    """
    pieces, rows = start.shape[0] - 1, body.shape[0]
    start[:] = 0
    for r in range(runs.shape[0]):
        piece = np.int64(first[body[runs[r, 1]]]) * pieces // rows
        if piece != np.int64(first[body[runs[r, 2]]]) * pieces // rows:
            return False
        start[piece + 1] += 1
    for piece in range(pieces):
        start[piece + 1] += start[piece]
    for r in range(runs.shape[0]):
        piece = np.int64(first[body[runs[r, 1]]]) * pieces // rows
        divided[start[piece]] = runs[r]
        start[piece] += 1
    for piece in range(pieces, 0, -1):
        start[piece] = start[piece - 1]
    start[0] = 0
    return True


@kernel
def share_springs(
    team: np.ndarray,
    job: int,
    seat: int,
    start: np.ndarray,
    runs: np.ndarray,
    position: np.ndarray,
    velocity: np.ndarray,
    rest_length: np.ndarray,
    stiffness: np.ndarray,
    damping: np.ndarray,
    rooms: np.ndarray,
    force: np.ndarray,
) -> None:
    """Add the force of the runs, piece by piece; rooms (T, 2, 2 CHUNK): one for each thread."""
    enter(team, job, seat, start.shape[0] - 1)
    piece = take(team, job, seat)
    while piece != NONE:
        accumulate_run_force(
            runs[start[piece] : start[piece + 1]], position, velocity, rest_length, stiffness, damping, rooms[seat],
            force,
        )  # fmt: skip
        finish(team, seat)
        piece = take(team, job, seat)
    leave(team, job, seat)
