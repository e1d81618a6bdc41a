"""The bounds of bodies by several threads: bodies in pieces."""

import numpy as np

from ecs_softbody.collision.bounds import find_bounds
from ecs_softbody.kernels.compiling import lean
from ecs_softbody.kernels.team import NONE, enter, finish, leave, take

PIECES = 16


@lean
def share_bounds(
    team: np.ndarray,
    job: int,
    seat: int,
    position: np.ndarray,
    velocity: np.ndarray,
    reach: np.ndarray,
    points: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    ringed: np.ndarray,
    start: np.ndarray,
    stop: np.ndarray,
    seconds: float,
    least_seconds: float,
    box: np.ndarray,
    margin: np.ndarray,
    own_margin: np.ndarray,
    slide: np.ndarray,
) -> None:
    """Write what `find_bounds` does."""
    count = first.shape[0]
    enter(team, job, seat, PIECES)
    piece = take(team, job, seat)
    while piece != NONE:
        own = slice(count * piece // PIECES, count * (piece + 1) // PIECES)
        find_bounds(
            position, velocity, reach, points, first[own], last[own], ringed[own], start[own], stop[own], seconds,
            least_seconds, box[own], margin[own], own_margin[own], slide[own],
        )  # fmt: skip
        finish(team, seat)
        piece = take(team, job, seat)
    leave(team, job, seat)
